"""The text of a ``.pyi`` module for the values of any declaration, for editors and type checkers.

It has classes for the types, with fields, instances and parameters; enums; and ``parse``. Declared names are lower
case, and classes begin with a capital, so the module's own names (``_B`` for builtins, ...) are none of them. A
declaration is untrusted: names are checked where it is loaded, numbers are numbers, and docs become string literals.
"""

from __future__ import annotations

import enum
import inspect
import keyword
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from kformat.codec import constructs
from kformat.codec.json_form import Form, forms, instance_forms, tag_forms
from kformat.codec.values import enum_class, value_class
from kformat.language import types
from kformat.language.program import Enum, Field, TypeProgram, load_type
from kformat.language.steps import in_enum_checked

IMPORTS: Final = (
    "import builtins as _B",
    "import enum as _E",
    "import typing as _T",
    "",
    "from kformat.codec.values import Value as _V",
)
"""What the classes need."""

_LINE: Final = 100
_RESERVED: Final = frozenset(("None", "True", "False"))
_INTEGERS: Final = frozenset((*dir(int), *dir(enum.IntEnum)))


def stub(format: Any) -> str:
    """The text of a stub of a format or one of its types; ``format`` and errors as in `kformat.parse`."""
    return "\n".join(_lines(load_type(format), str(format))) + "\n"


def _lines(root: TypeProgram, format: str) -> Iterator[str]:
    programs, enums = _collected(root)
    names: dict[str, str] = {}
    enum_names: dict[str, str] = {}
    used = set(_RESERVED)
    for table, name, made in (
        *((names, program.name, value_class(program).__name__) for program in programs),
        *((enum_names, declared.name, enum_class(declared).__name__) for declared in enums),
    ):
        class_name, parts = made, name.split("::")[:-1]
        while class_name in used and parts:  # the names of enclosing types make it unique
            class_name = "".join(word.capitalize() for word in parts.pop().split("_")) + class_name
        while class_name in used:
            class_name += "_"
        used.add(class_name)
        table.setdefault(name, class_name)
    shown = ascii(format)
    yield f"# What `kformat.parse({shown}, data)` gives, for editors and type checkers."
    yield f"# Made by `kformat describe {shown} --stubs`. Saved as NAME.pyi, it goes with a NAME.py of two lines:"
    yield "#     import functools, kformat"
    yield f"#     parse = functools.partial(kformat.parse, {shown})"
    yield from IMPORTS
    yield "from kformat import DataError as _D"
    yield ""
    yield "def parse("
    for parameter in list(inspect.signature(constructs.parse).parameters.values())[1:]:
        if parameter.name == "source":
            yield "    *,"
        default = "" if parameter.default is parameter.empty else " = ..."
        yield f"    {parameter.name}: {_PARAMETERS[parameter.annotation]}{default},"
    yield f") -> {names[root.name]}: ..."
    yield from Classes(programs, enums, names, enum_names).lines()


def _collected(root: TypeProgram) -> tuple[list[TypeProgram], list[Enum]]:
    """A type and all in it, and their enums, each once."""
    programs: dict[str, TypeProgram] = {}
    enums: dict[str, Enum] = {}
    pending = [root]
    while pending:
        program = pending.pop()
        if program.name in programs:
            continue
        programs[program.name] = program
        below: list[TypeProgram] = []
        for form in (*forms(program).values(), *instance_forms(program).values(), *tag_forms(program).values()):
            for inner in _all(form):
                if inner.enum is not None:
                    enums.setdefault(inner.enum.name, inner.enum)
                if inner.type is not None:
                    below.append(inner.type)
        pending += reversed(below)
    return list(programs.values()), list(enums.values())


class Classes:
    """The source of the classes of types and enums; the dictionaries map declared names to those of the classes."""

    def __init__(
        self, programs: Sequence[TypeProgram], enums: Sequence[Enum], names: dict[str, str], enum_names: dict[str, str]
    ) -> None:
        self.programs, self.enums, self.names, self.enum_names = programs, enums, names, enum_names

    def lines(self) -> Iterator[str]:
        for declared in self.enums:
            yield ""
            yield f"class {self.enum_names[declared.name]}(_E.IntEnum):"
            members = list(enum_class(declared).__members__.items())
            if not members:
                yield "    ..."
            for word, member in members:
                ignored = "  # type: ignore[assignment, unused-ignore]" if word in _INTEGERS else ""
                yield f"    {word} = {int(member)}{ignored}"
                yield from _doc(declared.docs.get(int(member), ""), "    ")
        for program in self.programs:
            yield ""
            yield f"class {self.names[program.name]}(_V):"
            yield from _doc(program.doc or f"A value of {program.name}.", "    ")
            yield from self.fields(program)

    def fields(self, program: TypeProgram) -> Iterator[str]:
        checked = in_enum_checked(program)
        attributes = [
            (field, self.annotation(form, field, checked)) for field, form in _fields(program) if not field.raw
        ]
        for tagged, form in zip(program.tagged, tag_forms(program).values(), strict=True):
            text = self.annotation(form, tagged.field, frozenset())
            is_null = tagged.default is None and text != "_T.Any" and not text.endswith("| None")
            attributes.append((tagged.field, f"{text} | None" if is_null else text))
        read = instance_forms(program)
        for instance in program.instances:
            form = read[instance.field.name]
            if instance.value is None:
                text = self.annotation(form, instance.field, frozenset())
            else:
                text = self.of_type(instance.field.value_type, instance.enum)
                text += " | None" if instance.condition is not None and text != "_T.Any" else ""
            attributes.append((instance.field, text))
        arguments = []
        for field, text in attributes:
            if keyword.iskeyword(field.name):
                yield f"    # {field.name}: {text}, by getattr: the name is a word of Python's"
                continue
            yield f"    {field.name}: {text}"
            yield from _doc(field.doc, "    ")
            arguments.append(f"{field.name}: {text} = ...")
        names = {field.name for field, _ in attributes}
        for parameter in program.parameter_types:
            if parameter.name not in names and not keyword.iskeyword(parameter.name):
                yield f"    {parameter.name}: {self.of_type(parameter.type, parameter.enum)}"
        if arguments:
            yield "    def __init__("
            yield "        _self,"
            yield "        *,"
            yield from (f"        {argument}," for argument in arguments)
            yield "    ) -> None: ..."

    def annotation(self, form: Form, field: Field, checked: Collection[str]) -> str:
        is_covered = form.enum is not None and len(form.enum.members) == form.high - form.low + 1
        if form.kind == "integer" and form.enum is not None and (is_covered or field.name in checked):
            text = self.enum_names[form.enum.name]
        else:
            text = self.of_form(form)
        return f"{text} | None" if field.optional and text != "_T.Any" and not text.endswith("| None") else text

    def of_form(self, form: Form) -> str:
        match form.kind:
            case "integer":
                return self.integer(form.enum)
            case "list" if form.element is not None:
                return f"_B.list[{self.of_form(form.element)}]"
            case "structure" if form.type is not None:
                return self.names[form.type.name]
            case "any" if form.cases:
                parts = [part for case in form.cases for part in self.of_form(case).split(" | ")]
                kinds = sorted(dict.fromkeys(parts), key=lambda part: part == "None")
                return "_T.Any" if "_T.Any" in kinds else " | ".join(kinds)
        return _SCALARS.get(form.kind, "_T.Any")

    def integer(self, declared: Enum | None) -> str:
        return "_B.int" if declared is None else f"{self.enum_names[declared.name]} | _B.int"

    def of_type(self, value_type: types.Type | None, declared: Enum | None = None) -> str:
        match value_type:
            case types.Integer():
                return self.integer(declared) if declared is None or declared.name in self.enum_names else "_B.int"
            case types.EnumType():
                return (
                    f"{self.enum_names[value_type.name]} | _B.int" if value_type.name in self.enum_names else "_B.int"
                )
            case types.Float():
                return "_B.float"
            case types.Boolean():
                return "_B.bool"
            case types.Bytes():
                return "_B.bytes"
            case types.Text():
                return "_B.str"
            case types.ListOf():
                return f"_B.list[{self.of_type(value_type.element)}]"
            case types.Structure() if not value_type.opaque and value_type.name in self.names:
                return self.names[value_type.name]
            case types.AnyStructure():
                return "_V"
        return "_T.Any"


_SCALARS: Final = {"float": "_B.float", "bytes": "_B.bytes", "text": "_B.str", "boolean": "_B.bool", "null": "None"}
_PARAMETERS: Final = {
    "Any": "_T.Any",
    "str": "_B.str",
    "int": "_B.int",
    "bool": "_B.bool",
    'Literal["error", "keep"]': '_T.Literal["error", "keep"]',
    "Literal['error', 'keep']": '_T.Literal["error", "keep"]',
    "bool | Callable[[DataError], object]": "_B.bool | _T.Callable[[_D], _B.object]",
}
"""What `kformat.parse` takes, in this module's names."""


def _fields(program: TypeProgram) -> Iterator[tuple[Field, Form]]:
    by_name = forms(program)
    for field in program.fields:
        yield field, by_name[field.name]


def _all(form: Form) -> Iterator[Form]:
    yield form
    for inner in (*form.cases, *([] if form.element is None else [form.element])):
        yield from _all(inner)


def _doc(text: str, indent: str) -> Iterator[str]:
    """A docstring, as a literal that no text can end early."""
    words = " ".join(text.split())
    if words:
        lines = [""]
        for word in words.split(" "):
            if lines[-1] and len(lines[-1]) + len(word) >= _LINE:
                lines.append("")
            lines[-1] += " " * bool(lines[-1]) + word
        literals = [ascii(line)[1:-1].replace('"', '\\"') for line in lines]
        yield f'{indent}"""{literals[0]}' + '"""' * (len(literals) == 1)
        for number, literal in enumerate(literals[1:], 2):
            yield indent + literal + '"""' * (number == len(literals))


__all__ = ["IMPORTS", "Classes", "stub"]
