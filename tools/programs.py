"""The programs of the shipped declarations, as modules of `kformat/language/generated/`."""

from __future__ import annotations

from typing import Any

from kformat.language.compiler import compile_declaration
from kformat.language.declaration import closure, load_declaration
from kformat.language.node import Node
from kformat.language.shipped import fingerprint, message_names, shipped_names
from kformat.language.steps import Enum, Program, TypeProgram


def names() -> list[str]:
    """The declarations that have a program, those of messages among them."""
    libraries = {"kafka_types"}
    names = [*shipped_names(), *(name for name in message_names() if name not in libraries)]
    return [name for name in names if load_declaration(name).root.intrinsic is None]


class _Writer:
    """Python that makes a program again."""

    def __init__(self) -> None:
        self.classes: dict[str, set[str]] = {}

    def text(self, value: Any, indent: int = 0) -> str:
        if isinstance(value, TypeProgram | Enum):
            return variable(value)
        if isinstance(value, Node):
            return self.call(value)
        if isinstance(value, tuple) and indent and value:
            space = "    " * indent
            return "(\n" + "".join(f"{space}    {self.text(item)},\n" for item in value) + f"{space})"
        if isinstance(value, tuple):
            return f"({', '.join(map(self.text, value))}{',' * (len(value) == 1)})"
        assert value is None or isinstance(value, str | bytes | int | float | dict), value
        return repr(value)

    def call(self, value: Any, indent: int = 0) -> str:
        """The call that makes it: parts that are their defaults are left out."""
        kind = type(value)
        self.classes.setdefault(kind.__module__, set()).add(kind.__name__)
        given, skipped = [], False
        for name in value.parts:
            part, default = getattr(value, name), value.defaults[name]
            if type(part) is type(default) and part == default:
                skipped = True
                continue
            named = f"{name}=" if skipped or value.by_name_only or indent else ""
            given.append(named + self.text(part, indent))
        if indent:
            return f"{kind.__name__}(\n" + "".join(f"    {part},\n" for part in given) + ")"
        return f"{kind.__name__}({', '.join(given)})"


def variable(value: TypeProgram | Enum) -> str:
    """What a type or an enum is called in the module."""
    return ("ENUM_" if isinstance(value, Enum) else "TYPE_") + value.name.replace("::", "__")


def module(name: str) -> str:
    """The text of a declaration's module."""
    declaration = load_declaration(name)
    program: Program = compile_declaration(declaration)
    writer = _Writer()
    body = [f"{variable(enum)} = {writer.call(enum, 1)}\n" for enum in program.enums.values()]
    body += [f"{variable(made)} = {writer.call(made, 1)}\n" for made in program.types.values()]
    made_from = {one.id: fingerprint(one.text) for one in closure(declaration)}
    types = ", ".join(f"{made.name!r}: {variable(made)}" for made in program.types.values())
    enums = ", ".join(f"{enum.name!r}: {variable(enum)}" for enum in program.enums.values())
    writer.classes.setdefault(Program.__module__, set()).add("Program")
    imports = [
        f"from {origin} import {', '.join(sorted(classes))}\n" for origin, classes in sorted(writer.classes.items())
    ]
    return "".join(
        [
            f'"""The program of formats/{name}.ksy.\n\n',
            'Made by tools.programs (`make generate`); not to be edited.\n"""\n\n',
            "from __future__ import annotations\n\n",
            *imports,
            f"\nMADE_FROM = {made_from!r}\n",
            *body,
            f"PROGRAM = Program({name!r}, {variable(program.root)}, {{{types}}}, {{{enums}}})\n",
        ]
    )
