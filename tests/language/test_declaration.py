"""Declarations that are wrong or not supported: what is said of them, and that nothing else ever comes out.

`declarations/complaints.txt` holds one wrong declaration per block with the complaint that it must get. To see what
the complaints would be now: ``python -m tests.language.test_declaration`` prints the whole file anew.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kformat.errors import DeclarationError, UsageError
from kformat.language import compiler, declaration, program, yaml_nodes
from kformat.language.declaration import Declaration, load_declaration, parse_declaration
from kformat.language.describe import describe
from kformat.language.layout import layout
from kformat.language.limits import MAX_DECLARATION, bound
from kformat.language.mark import Mark
from kformat.language.program import load_program, load_type
from kformat.language.shipped import shipped_names

HERE = Path(__file__).parents[1] / "declarations"
COMPLAINTS = HERE / "complaints.txt"
"""What the compiler for kernels says of what it does not take: users see it next to -inline and -payload."""


def cases(file: Path = COMPLAINTS) -> Iterator[tuple[str, str, str]]:
    """Title, declaration, complaint."""
    for block in ("\n" + file.read_text(encoding="utf-8")).split("\n== ")[1:]:
        title, _, rest = block.partition("\n")
        text, _, complaint = ("\n" + rest).rpartition("\n-- ")
        yield title, text.removeprefix("\n") + "\n" * bool(text), complaint.strip()


def complaint_about(text: str) -> str:
    with pytest.raises(DeclarationError) as caught:
        program.parse_declaration(text, "case.ksy")
    assert caught.value.line is not None and caught.value.key.startswith("/")
    return str(caught.value)


@pytest.mark.parametrize(("text", "complaint"), [pytest.param(*rest, id=title) for title, *rest in cases()])
def test_complaint(text: str, complaint: str) -> None:
    assert complaint_about(text) == complaint


# --- every refusal is reached by some block, or by one of the tests below that need files ---------------------------


def call_sites() -> dict[tuple[str, int, int], str]:
    """(file, first line, last line) of every call that refuses something, with its text."""
    found = {}
    for module in (declaration, program, compiler, yaml_nodes):
        file = inspect.getfile(module)
        source = Path(file).read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
                if name in ("refuse", "_refuse"):
                    text = ast.get_source_segment(source, node) or ""
                    found[file, node.lineno, node.end_lineno or node.lineno] = " ".join(text.split())
    return found


def test_every_refusal_is_reached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reached: set[tuple[str, int]] = set()
    refuse = Mark.refuse

    def noting(mark: Mark, message: str) -> None:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            reached.add((frame.f_code.co_filename, frame.f_lineno))
            frame = frame.f_back
        refuse(mark, message)

    monkeypatch.setattr(Mark, "refuse", noting)
    for _, text, _ in cases():
        with pytest.raises(DeclarationError):
            program.parse_declaration(text, "case.ksy")
    for refused in (refuse_large, refuse_binary, refuse_chain, refuse_clash, refuse_intrinsic, refuse_root):
        refused(tmp_path)
    missed = [
        f"{Path(file).name}:{first}: {text}"
        for (file, first, last), text in sorted(call_sites().items())
        if not any((file, line) in reached for line in range(first, last + 1))
    ]
    assert not missed


def refuse_large(folder: Path) -> None:
    size = bound(MAX_DECLARATION)
    (folder / "large.ksy").write_text("meta: {id: large}\n" + "#" * size)
    more = f"large.ksy:1: /: a declaration of more than {size} bytes; the environment variable {MAX_DECLARATION} raises"
    with pytest.raises(DeclarationError, match=more):
        load_declaration(folder / "large.ksy")
    with pytest.raises(DeclarationError, match=r"<text>:1: /: a declaration of .* characters.*KFORMAT_MAX_DECL"):
        parse_declaration("#" * (size + 1))


def refuse_binary(folder: Path) -> None:
    """Bytes that are not UTF-8 stand in prose and nowhere else: a replaced sign elsewhere would be another format."""
    (folder / "prose.ksy").write_bytes(b"meta: {id: prose}\n# caf\xe9\ndoc: Gr\xf6\xdfe\nseq: [{id: a, type: u1}]\n")
    assert load_declaration(folder / "prose.ksy").root.doc == "Gr\ufffd\ufffde"
    (folder / "binary.ksy").write_bytes(b"meta: {id: binary}\nseq:\n- contents: caf\xe9")
    (folder / "importer.ksy").write_bytes(b"meta: {id: importer, imports: [binary]}")
    for name in ("binary", "importer"):
        with pytest.raises(DeclarationError) as caught:
            load_declaration(folder / f"{name}.ksy")
        assert "binary.ksy:3: /seq/0/contents: text that is not UTF-8; only comments" in str(caught.value)
    with pytest.raises(DeclarationError, match="<text>:2: /: not YAML: the character U\\+0000 may not stand here"):
        parse_declaration("meta: {id: zero}\ndoc: \0")


def test_circular_imports_are_sound(tmp_path: Path) -> None:
    (tmp_path / "a.ksy").write_text(
        "meta: {id: a, imports: [b]}\nseq: [{id: x, type: u1}, {id: y, type: b, if: x > 0}]"
    )
    (tmp_path / "b.ksy").write_text("meta: {id: b, imports: [a]}\nseq: [{id: z, type: a}]")
    found = load_program(tmp_path / "a.ksy")
    assert sorted(found.types) == ["a", "b"] and found.root.is_recursive and found.types["b"].is_recursive


def refuse_chain(folder: Path) -> None:
    for index in range(60):
        (folder / f"c{index}.ksy").write_text(f"meta: {{id: c{index}, imports: [c{index + 1}]}}")
    with pytest.raises(DeclarationError, match="imports nested more than 50 deep"):
        load_declaration(folder / "c0.ksy")


def refuse_clash(folder: Path) -> None:
    (folder / "varint.ksy").write_text("meta: {id: record_batch, imports: [/record_batch]}")
    with pytest.raises(DeclarationError, match=r"formats/record_batch.ksy has the id 'record_batch' of .*varint.ksy"):
        load_declaration(folder / "varint.ksy")


def refuse_root(folder: Path) -> None:
    (folder / "part.ksy").write_text("meta: {id: part}\nseq: [{id: n, type: u1}, {id: x, size: _root.n}]")
    (folder / "whole.ksy").write_text("meta: {id: whole, imports: [part]}\nseq: [{id: a, type: part, -inline: true}]")
    with pytest.raises(
        DeclarationError, match=r"part.ksy:2: /seq/1/size: an inlined type of another file has no _root"
    ):
        program.load_declaration(folder / "whole.ksy")


def refuse_intrinsic(folder: Path) -> None:
    with pytest.raises(DeclarationError, match="an intrinsic type is used by other types"):
        load_type("varint")


@pytest.mark.parametrize(
    "refused", [refuse_large, refuse_binary, refuse_chain, refuse_clash, refuse_intrinsic, refuse_root]
)
def test_complaint_about_files(refused: object, tmp_path: Path) -> None:
    assert callable(refused)
    refused(tmp_path)


# --- files ----------------------------------------------------------------------------------------------------------


def test_shipped_declarations_are_found_by_name() -> None:
    assert {"legacy_message", "offset_index", "record_batch", "time_index", "varint"} <= set(shipped_names())
    for name in shipped_names():
        found = load_declaration(name)
        assert found.id == name and load_declaration(found) is found and load_declaration(name) is found


def test_ours_are_read_quickly_and_mean_the_same() -> None:
    for name in shipped_names():
        quick = load_declaration(name)
        assert quick == parse_declaration(quick.text, quick.file)
        assert repr(quick) == repr(parse_declaration(quick.text, quick.file)), "with all lines and keys"


@pytest.mark.parametrize("name", ["record-batch", "", "record_batch::", "x.yaml", 5])
def test_an_unknown_format_is_the_callers_fault(name: object) -> None:
    with pytest.raises(UsageError):
        load_type(name)


def test_an_unknown_format_is_told_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "save.ksy").touch()
    with pytest.raises(UsageError, match=r"no format 'save'; did you mean 'save\.ksy'"):
        load_declaration("save")
    with pytest.raises(UsageError, match="no format 'record-batch'; did you mean 'record_batch'"):
        load_declaration("record-batch")
    with pytest.raises(UsageError, match="record_batch has no type 'recrod'"):
        load_type("record_batch::recrod")


def test_a_file_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_declaration(tmp_path / "nothing.ksy")
    with pytest.raises(IsADirectoryError):
        (tmp_path / "folder.ksy").mkdir()
        load_declaration(tmp_path / "folder.ksy")


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "marked.ksy").write_bytes(b"\xef\xbb\xbfmeta: {id: marked}\nseq: [{id: a, type: u1}]")
    assert load_type(tmp_path / "marked.ksy").minimum_size == 1


def test_a_file_is_read_once_however_often_it_is_imported(tmp_path: Path) -> None:
    for index in range(40):
        next_file = f"d{index + 1}"
        imports = f"imports: [{next_file}, {next_file}]" if index < 39 else ""
        (tmp_path / f"d{index}.ksy").write_text(f"meta:\n  id: d{index}\n  {imports}\nseq: [{{id: a, type: u1}}]\n")
    begun = time.monotonic()
    assert load_program(tmp_path / "d0.ksy").root.minimum_size == 1
    assert time.monotonic() - begun < 30


def test_equal_declarations_share_a_program() -> None:
    text = "meta: {id: shared}\nseq: [{id: a, type: u1}]"
    assert load_program(parse_declaration(text)) is load_program(parse_declaration(text))


# --- whatever the text, nothing but a DeclarationError ----------------------------------------------------------------

ODDITIES = (
    *(
        "&a ",
        "*a",
        "!!python/object:os.system ",
        "!!timestamp x",
        "!!int ''",
        "!!float ''",
        "!!bool x",
        "! ",
        "<<: ",
        "? ",
    ),
    *("0x" + "f" * 5000, "9" * 5000, "1e999", ".inf", "-.inf", ".nan", "2020-13-45", "2020-01-01T99:00:00Z", "1:1:1"),
    *("1:30.5", ":".join(["1"] * 200) + ".5"),
    *("~", "null", "true", "{}", "[]", "[[[[[[[[", "{{{{{{{{", "\t", "\0", "\ufeff", "\x85", "\ud800", "\U0001f600"),
    *("---\n", "...\n", "%YAML 9.9\n", "|\n", ">-\n", "'", '"', "#", ": ", "- ", "\n", "  ", "\r", "`", "@", "=", "%"),
    *(
        "type: ",
        "size: ",
        "repeat: eos",
        "if: ",
        "valid: ",
        "enum: ",
        "-payload: ",
        "-checksum: ",
        "types:\n",
        "seq:\n",
    ),
    *(
        '"\\ud800"',
        '"\\0"',
        '"\\x85"',
        '"\\n"',
        "u1",
        "s8",
        "varint(5)",
        "b7",
        "str",
        "_io.eof",
        "records_count",
        "1 / 0",
        "1 << 64",
        "-1",
        "((((",
        "_.value",
    ),
)
SOUND = {name: load_declaration(name).text for name in shipped_names()} | {
    path.name: path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*.ksy"))
}


def use(text: str) -> None:
    """All that can be made of a declaration without bytes."""
    try:
        found = load_program(parse_declaration(text, "case.ksy", HERE))
        for made in found.types.values():
            describe(made)
            assert layout(made).header_dtype is not None
    except DeclarationError as error:
        assert error.message and error.file and error.line and str(error)


def mutated(text: str, source: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(source.randint(1, 3)):
        at, other = source.randrange(len(lines)), source.randrange(len(lines))
        place = source.randint(0, len(lines[at]))
        match source.randrange(7):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[other])
            case 2:
                lines[at], lines[other] = lines[other], lines[at]
            case 3:
                lines[at] = lines[at][:place] + source.choice(ODDITIES) + lines[at][place:]
            case 4:
                lines[at] = lines[at].partition(":")[0] + ": " + source.choice(ODDITIES)
            case 5:
                lines[at] = lines[at][:place] + lines[at][place + source.randint(1, 3) :]
            case 6:
                lines[at] = " " * source.randint(0, 12) + lines[at].lstrip()
        lines = lines or [""]
    return "\n".join(lines)


@pytest.mark.parametrize("name", SOUND)
def test_mutated_declarations(name: str) -> None:
    # Without doc strings, so that mutations meet what matters; the seed is fixed, so a failure comes again.
    source = random.Random(f"mutations of {name}")
    text = "\n".join(line for line in SOUND[name].split("\n") if not line.lstrip().startswith("doc"))
    for _ in range(40):
        use(mutated(text, source))


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("abu1:-[]{},&*!|>'\"#?%@`\n \t\\\0\ufeff"), max_size=60))
def test_any_text(text: str) -> None:
    with pytest.raises(DeclarationError):
        parse_declaration(text)


@settings(deadline=None)
@given(
    key=st.sampled_from(("type", "size", "if", "valid", "enum", "contents", "repeat-expr", "-derive", "id", "doc")),
    value=st.sampled_from(ODDITIES) | st.integers().map(str) | st.floats().map(str) | st.text(max_size=12).map(repr),
)
def test_any_value(key: str, value: str) -> None:
    size = "" if key in ("type", "size", "contents") else "    size: 1\n"
    use(f"meta: {{id: case, endian: be}}\nseq:\n  - id: a\n{size}    {key}: {value}\n  - {{id: b, type: u1}}\n")


MANY_FIELDS = "\n".join(f"  - {{id: f{index}, type: u1}}" for index in range(3000))
MANY_MEMBERS = ", ".join(f"{index}: m{index}" for index in range(4000))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 200_000, id="lists in lists"),
        pytest.param("{a: " * 60_000, id="mappings in mappings"),
        pytest.param("- " * 100_000, id="block lists in lists"),
        pytest.param("seq: [{id: a, size: 1%s}]" % (":1" * 400_000), id="a number in base 60"),
        pytest.param(f"meta: {{id: case}}\nseq:\n{MANY_FIELDS}", id="fields"),
        pytest.param(
            f"meta: {{id: case}}\nenums: {{e: {{{MANY_MEMBERS}}}}}\n"
            "seq: [{id: a, type: u1, enum: e, valid: {in-enum: true}}]",
            id="members",
        ),
        pytest.param(
            "meta: {id: case}\nseq: [{id: a, type: u1, valid: {any-of: [" + "1," * 10_000 + "]}}]", id="choices"
        ),
        pytest.param("meta: {id: " + "a" * 200_000 + "}", id="a name"),
        pytest.param("meta: {id: case, " + "b" * 1000 + ": 1}", id="a key"),
        pytest.param("meta: {id: case}\ndoc: " + "x " * 100_000, id="a text"),
    ],
)  # fmt: skip
def test_large_declarations_take_bounded_time(text: str) -> None:
    begun = time.monotonic()
    use(text)
    assert time.monotonic() - begun < 30


def test_a_long_declaration_is_read_once() -> None:
    """libyaml reads it, once: 234 calls of Python for each field, where PyYAML's own parser makes 1,081."""
    fields = "".join(
        f"      - {{id: field_{at}, type: u4, doc: The field number {at} of a message}}\n" for at in range(8)
    )
    text = "meta: {id: case, endian: le}\nseq: [{id: a, type: m1}]\ntypes:\n"
    text += "".join(f"  m{at}:\n    seq:\n{fields}" for at in range(780))
    assert len(text) > 400_000
    calls = itertools.count()

    def count(frame: object, event: str, argument: object) -> None:
        if event == "call":
            next(calls)

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        program.parse_declaration(text, "case.ksy")
    finally:
        sys.setprofile(before)
    assert next(calls) < 300 * 780 * 8


WORDS = ("off", "on", "yes", "no", "true", "false", "Off", "YES")


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("parser", yaml_nodes._PARSERS, ids=lambda parser: parser.__module__)
def test_truth_values_of_yaml_are_words_where_a_name_stands(
    word: str, parser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml_nodes, "_PARSERS", (parser,))
    text = f"""
meta: {{id: {word}}}
params: [{{id: p, type: u1, enum: {word}}}]
seq: [{{id: {word}, type: u1, enum: {word}}}, {{id: t, type: {word}_t, if: true, size-eos: on}}]
types: {{{word.lower()}_t: {{seq: [{{id: {word}, type: u1}}, {{id: rest, size: {word}, if: yes}}]}}}}
enums: {{{word}: {{0: {word}, 1: {{id: {word}_1}}}}}}
""".replace(f"{word}_", f"{word.lower()}_")
    if word.lower() in ("true", "false"):
        text = text.replace(f"size: {word},", "size: 1,")  # in expressions they are truth values
    found, name = program.parse_declaration(text, "case.ksy"), word.lower()
    assert found.id == name and [item.id for item in found.root.fields] == [name, "t"]
    assert [one.id for one in found.root.enums[name].members] == [name, f"{name}_1"]
    assert [item.id for item in found.root.types[f"{name}_t"].fields] == [name, "rest"]


def test_both_parsers_of_yaml_read_the_same() -> None:
    files = [*sorted((HERE.parent / "language" / "features").glob("*.ksy")), *sorted(HERE.glob("*.ksy"))]
    shown = []
    for kind in (yaml_nodes._PARSERS[0], yaml_nodes._YamlLoader):

        def tree(node: yaml_nodes.YamlNode) -> Any:
            value: Any = node.value
            inner = {key: tree(child) for key, child in value.items()} if isinstance(value, dict) else value
            inner = [tree(child) for child in value] if isinstance(value, list) else inner
            return inner, node.text, node.count, node.mark

        shown.append([tree(yaml_nodes._read(kind, path.read_text("utf-8"), path.name, False)) for path in files])
    assert shown[0] == shown[1]


def test_the_bound_of_a_declaration_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "case.ksy"
    path.write_text("meta: {id: case}\nseq: [{id: a, type: u1}]\n" + "# more\n" * 400_000)
    with pytest.raises(DeclarationError, match=MAX_DECLARATION):
        load_declaration(path)
    monkeypatch.setenv(MAX_DECLARATION, "3000000")
    assert load_declaration(path).id == "case"


def test_declarations_are_values() -> None:
    found = load_declaration("offset_index")
    assert isinstance(found, Declaration) and found == parse_declaration(found.text, found.file)
    assert len({found, parse_declaration(found.text, found.file)}) == 1


if __name__ == "__main__":
    for title, text, _ in cases():
        print(f"== {title}\n{text}-- {complaint_about(text)}\n")
