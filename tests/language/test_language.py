"""The whole language: what the compiler makes of each feature, and that its types are those of Kaitai's compiler.

`declarations/language.txt` holds one declaration per feature with what it compiles to, one line per step and instance.
To see what that would be now: ``python -m tests.language.test_language`` prints the whole file anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kformat.errors import DeclarationError
from kformat.language import types
from kformat.language.compiler import Compiler
from kformat.language.declaration import parse_declaration
from kformat.language.expression import Expression
from kformat.language.layout import layout
from kformat.language.program import (
    Case,
    Program,
    Step,
    TypeProgram,
    compile_declaration,
    load_declaration,
    load_program,
)
from kformat.language.steps import Enum, ProcessCall, Trim
from tests.judges.kaitai import KAITAI, kaitai_compile
from tests.judges.required import require

LANGUAGE = Path(__file__).parents[1] / "declarations" / "language.txt"


def blocks() -> Iterator[tuple[str, str, str]]:
    """Id, declaration without its meta, and what it compiles to."""
    for block in ("\n" + LANGUAGE.read_text(encoding="utf-8")).split("\n== ")[1:]:
        title, _, rest = block.partition("\n")
        text, _, made = (rest + "\n").partition("--\n")
        yield title, text, made.strip("\n")


BLOCKS = list(blocks())


def declaration_of(title: str, text: str) -> str:
    """A block with its meta; what the block says in ``meta`` itself comes after."""
    first, _, rest = text.partition("\n")
    more = first.removeprefix("meta: ") if first.startswith("meta: ") else ""
    return f"meta: {{id: {title}, endian: le, encoding: UTF-8{', ' * bool(more)}{more}}}\n" + (rest if more else text)


# --- programs as text ------------------------------------------------------------------------------------------------


def shown(value: Any) -> str:
    """A part of a step, short."""
    match value:
        case Expression():
            return f"{value}" if value.type != types.EXACT else f"exact({value})"
        case TypeProgram() | Enum():
            return value.name
        case ProcessCall():
            return f"{value.name}({', '.join(map(shown, value.arguments))})"
        case Trim():
            return f"trim({parts(value, ())})"
        case Case():
            return f"{'_' if value.value is None else value.value}: {', '.join(map(shown, value.steps))}"
        case Step():
            return f"{type(value).__name__}({parts(value, ('name',))})"
        case tuple():
            return f"[{', '.join(map(shown, value))}]"
        case types.Integer():
            return str(value)
    return repr(value)


def parts(value: Any, without: tuple[str, ...]) -> str:
    """The parts of a node that are not their defaults, or plainly false."""
    found = []
    for name in value.parts:
        part = getattr(value, name)
        if name not in without and part != value.defaults[name] and part not in (None, (), False):
            found.append(f"{name}={shown(part)}")
    return ", ".join(found)


def lines(program: Program) -> Iterator[str]:
    for name, made in program.types.items():
        marks = [mark for mark in ("is_recursive", "ends_in_bits") if getattr(made, mark)] + [
            f"{one.name}: {one.type}" for one in made.parameter_types
        ]
        yield f"{name} ({made.minimum_size}){': ' * bool(marks)}{', '.join(marks)}"
        if made.byte_order is not None:
            yield f"  order {shown(made.byte_order.on)} {shown(made.byte_order.cases)}"
        for step in made.steps:
            yield f"  {step.name}: {shown(step)}"
        for one in made.instances:
            yield f"  {one.field.name} = {parts(one, ('field',))}: {one.field.value_type}"
        if made.to_string is not None:
            yield f"  text {made.to_string}"


@pytest.mark.parametrize(("title", "text", "made"), BLOCKS, ids=[title for title, *_ in BLOCKS])
def test_compiles_to(title: str, text: str, made: str) -> None:
    assert "\n".join(lines(compile_declaration(parse_declaration(declaration_of(title, text))))) == made


def test_every_step_and_node_is_compiled_somewhere() -> None:
    made = LANGUAGE.read_text(encoding="utf-8")
    steps = ("ReadInteger", "ReadFloat", "ReadVarint", "ReadBytes", "ReadLiteral", "ReadBit", "Align", "ReadType")
    for word in (*steps, "ReadOpaque", "ReadList", "ReadSwitch", "Window", "Check", "CheckEnd", "trim(", "zlib()"):
        assert word in made


# --- Kaitai's compiler as the judge of types -------------------------------------------------------------------------

_CLASS = re.compile(r"( *)public (?:static )?(class|enum|interface) (\w+)")
_GETTER = re.compile(r"( *)public ([\w.<>\[\]]+) (\w+)\(\) *\{")


def classes(java: str) -> dict[tuple[str, ...], dict[str, str]]:
    """Path of a class -> attribute -> Java's type, of one file that Kaitai's compiler made."""
    found: dict[tuple[str, ...], dict[str, str]] = {}
    stack: list[tuple[int, str, str]] = []
    for line in java.split("\n"):
        match = _CLASS.match(line) or _GETTER.match(line)
        if match is None:
            continue
        while stack and stack[-1][0] >= len(match[1]):
            stack.pop()
        if match.re is _CLASS:
            stack.append((len(match[1]), match[3], match[2]))
            if match[2] == "class":
                found[tuple(name for _, name, _ in stack)] = {}
        elif stack and stack[-1][2] == "class":
            found[tuple(name for _, name, _ in stack)][match[3]] = match[2]
    return found


def camel(word: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in word.split("_"))


def attribute(word: str) -> str:
    """Java's name of an attribute."""
    return word if word.startswith("_") else camel(word)[:1].lower() + camel(word)[1:]


JAVA: dict[type, tuple[str, ...]] = {
    types.Integer: ("int", "long", "Integer", "Long", "byte", "short", "Byte", "Short"),
    types.Float: ("double", "float", "Double", "Float"),
    types.Boolean: ("boolean", "Boolean"),
    types.Bytes: ("byte[]",),
    types.Text: ("String",),
    types.AnyStructure: ("KaitaiStruct",),
    types.Stream: ("KaitaiStream",),
    types.Any: ("Object",),
}


def is_same(kind: types.Type | None, java: str) -> bool:
    if isinstance(kind, types.ListOf):
        inner = re.fullmatch(r"(?:Array)?List<(.*)>", java)
        return inner is not None and is_same(kind.element, inner[1])
    if isinstance(kind, types.Structure | types.EnumType):
        return java.split(".")[-1] == camel(kind.name.split("::")[-1])
    return java in JAVA[type(kind)]


def differences(compiler: Compiler, program: Program, java: str) -> list[str]:
    """Where the types and attributes of a program are not those of Kaitai's classes."""
    theirs, found = classes(java), []
    ours = {
        tuple(map(camel, name.split("::"))): made
        for name, made in program.types.items()
        if name.split("::")[0] == program.declaration.id
    }
    found += [f"type {'.'.join(path)}" for path in ours.keys() ^ theirs.keys()]
    for path in ours.keys() & theirs.keys():
        made, getters = ours[path], dict(theirs[path])
        parent = getters.pop("_parent")
        if not is_same(compiler.world.parent(compiler.world.scopes[made.name]), parent):
            found.append(f"{made.name}._parent: {parent}")
        kinds = {attribute(item.name): item.value_type for item in made.fields}
        kinds |= {attribute(one.field.name): one.field.value_type for one in made.instances}
        kinds |= {attribute(one.name): one.type for one in made.parameter_types}
        if made.to_string is not None:
            kinds["toString"] = types.TEXT
        for name in ("_root", "_io", "_fetchInstances"):
            getters.pop(name, None)
        getters = {name: kind for name, kind in getters.items() if not name.startswith("_raw")}
        for name in kinds.keys() | getters.keys():
            if name not in kinds or name not in getters or not is_same(kinds[name], getters[name]):
                found.append(f"{made.name}.{name}: {kinds.get(name)}, in Java {getters.get(name)}")
    return found


# Blocks that Kaitai's compiler does not take, and why.
OURS_ALONE = {
    "ends": "a rule on the end alone is no field here",
    "value_rules": "Kaitai has rules on what is read alone",
    "inlined": "kformat's own -inline: what _parent is there, Kaitai does not know",
    "varints": "kformat's own -intrinsic",
}


@pytest.mark.judge
def test_types_are_those_of_kaitais_compiler(tmp_path: Path) -> None:
    require(KAITAI)
    files = {}
    for title, text, _ in BLOCKS:
        if title not in OURS_ALONE:
            files[title] = tmp_path / f"{title}.ksy"
            files[title].write_text(declaration_of(title, text), encoding="utf-8")
    done = kaitai_compile(list(files.values()), "java", tmp_path / "out", read_write=False)
    assert done.returncode == 0, done.stderr
    made = {path.stem: path.read_text("utf-8") for path in (tmp_path / "out").rglob("*.java")}
    assert len(made) >= len(files)
    found = {}
    for title, path in files.items():
        compiler = Compiler(load_declaration(path))
        found[title] = differences(compiler, compiler.compile(), made[camel(title)])
    assert not {title: wrong for title, wrong in found.items() if wrong}


# --- files -----------------------------------------------------------------------------------------------------------


def test_search_order_of_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("here", "given", "kspath"):
        (tmp_path / place / "deep").mkdir(parents=True)
        (tmp_path / place / "deep" / "part.ksy").write_text(f"meta: {{id: part, title: {place}}}")
    main = tmp_path / "here" / "main.ksy"
    monkeypatch.setenv("KSPATH", str(tmp_path / "kspath"))

    def title(text: str, **paths: Any) -> str:
        main.write_text(f"meta: {{id: main, imports: ['{text}']}}\nseq: [{{id: a, type: part}}]")
        return load_declaration(main, **paths).imports["part"].title

    given = [tmp_path / "given"]
    assert title("deep/part", import_paths=given) == "here"
    assert title("/deep/part", import_paths=given) == "given"
    assert title("/deep/part") == "kspath"
    (tmp_path / "here" / "deep" / "part.ksy").unlink()
    assert title("deep/part", import_paths=given) == "given"
    assert title("deep/part") == "kspath"


def test_an_opaque_type_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "other.ksy").write_text("meta: {id: other}\nseq: [{id: x, type: u1}]")
    (tmp_path / "main.ksy").write_text("meta: {id: main, ks-opaque-types: true}\nseq: [{id: a, type: other}]")
    assert "ReadType" in "\n".join(lines(load_program(tmp_path / "main.ksy")))
    (tmp_path / "other.ksy").unlink()
    (tmp_path / "main.ksy").write_text("meta: {id: main, ks-opaque-types: true}\nseq: [{id: a, type: other} ]")
    assert "ReadOpaque" in "\n".join(lines(load_program(tmp_path / "main.ksy")))


def test_digests_cover_imports(tmp_path: Path) -> None:
    main = tmp_path / "main.ksy"
    main.write_text("meta: {id: main, imports: [part]}")
    digests = set()
    for text in ("meta: {id: part}", "meta: {id: part, endian: le}"):
        (tmp_path / "part.ksy").write_text(text)
        digests.add(load_declaration(main).digest)
    assert len(digests) == 2


# --- untrusted declarations ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("(" * 100 + "1" + ")" * 100, "nested more than"),
        ("-" * 1000 + "1", "nested more than"),
        ("a" + " + a" * 500, "more than 200 operators"),
        ("a ? " * 300, "more than|nested|expected"),
        ("not " * 300 + "b", "nested more than"),
        ("[" * 300, "nested more than"),
        ("c" + "[0]" * 300, "more than|no element"),
        ("1" * 9000, "characters; 8000"),
        ("0x" + "f" * 5000, "does not fit|is not an integer"),
        ("9" * 5000, "does not fit|is not an integer"),
        ('f"{' * 100, "nested more than|expected|not part"),
        ("1 << 4000 << 4000", "shift|outside"),
    ],
)  # fmt: skip
def test_expressions_are_bounded(value: str, complaint: str) -> None:
    text = f"seq: [{{id: a, type: u1}}, {{id: c, type: u1, repeat: eos}}]\ninstances: {{x: {{value: '{value}'}}}}\n"
    with pytest.raises(DeclarationError, match=complaint):
        compile_declaration(parse_declaration(declaration_of("case", text)))


def test_recursion_has_no_end_nowhere() -> None:
    text = """
seq: [{id: a, type: t0}]
types:
""" + "\n".join(f"  t{n}: {{seq: [{{id: x, type: t{(n + 1) % 300}, if: true}}]}}" for n in range(300))
    made = load_program(parse_declaration(declaration_of("case", text)))
    assert made.root.steps_count < 1000 and made.types["case::t299"].is_recursive
    assert all(layout(one).header_dtype is not None for one in made.types.values())


if __name__ == "__main__":
    for title, text, _ in BLOCKS:
        print(f"== {title}\n{text}--")
        print("\n".join(lines(compile_declaration(parse_declaration(declaration_of(title, text))))) + "\n")
