"""What people see of any declaration: hex dumps, JSON and differences of every feature's declaration and bytes."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.cli import main
from kformat.codec.trace import Span, trace
from kformat.errors import DataError
from kformat.storage import algorithms
from tests.language.test_kaitai_judge import FILES, inputs

CASES = [(path, data) for path in FILES for data in inputs(path)]
IDS = [f"{path.stem}-{number}" for number, (path, _) in enumerate(CASES)]


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)), input=stdin)


def covered(spans: list[Span]) -> bytes:
    """The source's bytes, from spans with bytes that follow each other; so do those of decoded bytes."""
    found, inside = b"", 0
    for span in spans:
        data = bytes(span.size) if span.kind == "zeros" else span.data
        assert len(data) == span.size, span
        if span.inflated_position is None:
            assert span.position == len(found) or not data, span
            found += data
        inside = 0 if span.kind == "payload" else inside
        if span.inflated_position is not None and data:
            assert span.inflated_position == inside, span
            inside += span.size
    return found


def errors(spans: Iterable[Span]) -> list[str]:
    """Those of parsing: not of instances, which parsing does not read."""
    return [str(span.error) for span in spans if span.error is not None and span.remark != "cannot be read"]


@pytest.mark.parametrize(("path", "data"), CASES, ids=IDS)
def test_every_byte_is_told_once_and_in_order(path: Path, data: bytes) -> None:
    for cut in (data, data[:-1], data + b"\0" * 70 + b"more"):
        spans = list(trace(path, cut))
        assert covered(spans) == cut
        told = errors(spans)
        try:
            kformat.parse(path, cut)
        except DataError as error:
            assert told == [str(error)]
        else:
            assert told == []
        kept = set(errors(trace(path, cut, trailing="keep")))
        try:
            kformat.parse(path, cut, trailing="keep")
        except DataError as error:
            assert kept == {str(error)}
        else:
            assert kept == set()


@pytest.mark.parametrize(("path", "data"), CASES, ids=IDS)
def test_json_is_built_again(path: Path, data: bytes) -> None:
    try:
        value = kformat.parse(path, data, trailing="keep")
    except DataError:
        return  # an input that is to be refused
    form = json.loads(json.dumps(kformat.to_json(value, instances=True)))
    if "NaN" in form.values():
        return  # JSON has one NaN
    assert kformat.build(path, kformat.from_json(path, form), onto=data) == data
    plain = json.loads(json.dumps(kformat.to_json(value)))
    assert kformat.build(path, kformat.from_json(path, plain), onto=data) == data


UNREAD = """
meta: {id: bad}
seq:
  - {id: n, type: u1}
  - {id: entries, type: entry, repeat: expr, repeat-expr: 2}
instances:
  far: {pos: 100, size: 4}
  near: {pos: 0, type: u1}
  ratio: {value: 10 / (n - 1)}
types:
  entry:
    seq: [{id: at, type: u1}]
    instances: {body: {pos: at, size: 2}}
"""


def test_instances_that_cannot_be_read_are_told_everywhere(tmp_path: Path) -> None:
    format, file = tmp_path / "bad.ksy", tmp_path / "bad.bin"
    format.write_text(UNREAD)
    file.write_bytes(b"\1\0\x63")
    reasons = {
        "body": "bad.bin:99 bad.entries[1].body: the bytes end here (expected 2 more, found 0)",
        "far": "bad.bin:100 bad.far: the bytes end here (expected 4 more, found 0)",
        "ratio": "bad.ratio: ",
    }
    value = kformat.parse(format, file.read_bytes(), source="bad.bin")
    found = run("parse", "--as", format, "--instances", file)
    form = json.loads(found.stdout.replace(str(file), "bad.bin"))
    for plain in (form, kformat.to_json(value, instances=True), value._asdict(instances=True)):
        assert list(plain) == ["n", "entries", "near", "_errors"] and list(plain["_errors"]) == ["far", "ratio"]
        assert plain["_errors"]["far"] == reasons["far"] and reasons["ratio"] in plain["_errors"]["ratio"]
        assert plain["entries"][0].keys() == {"at", "body"}
        assert plain["entries"][1] == {"at": 99, "_errors": {"body": reasons["body"]}}
    assert kformat.build(format, kformat.from_json(format, form)) == b"\1\0\x63"
    assert kformat.build(format, value._asdict(instances=True)) == b"\1\0\x63"
    assert found.exit_code == 1 and reasons["body"] in found.stderr and "3 instances cannot be read" in found.stderr
    assert run("parse", "--as", format, file).exit_code == 0
    shown = run("dump", "--hex", "--as", format, file)
    assert shown.exit_code == 1 and shown.stdout.count("cannot be read") == 2
    assert reasons["far"] in shown.stdout and reasons["body"] in shown.stdout


DESCRIBED = """
meta: {id: sw, endian: be, encoding: ASCII}
seq:
  - {id: tag, contents: [1, 2]}
  - {id: n, type: u1}
  - {id: body, size: n, type: {switch-on: n, cases: {1: a, 2: a}}}
  - {id: own, type: {switch-on: n, cases: {1: u2, 2: u4}}}
  - {id: both, type: {switch-on: n, cases: {1: u2, 2: s2}}}
  - {id: maybe, type: u2, if: n > 3, valid: {min: 4}, doc: Some.}
  - {id: optional, contents: abc, if: n > 3}
  - {id: name, type: strz}
  - {id: tail, size-eos: true, type: {switch-on: n, cases: {1: a, _: a}}}
types:
  a: {seq: [{id: x, type: u1}]}
"""


def test_description_has_sizes_conditions_and_rules() -> None:
    lines = str(kformat.describe(kformat.parse_declaration(DESCRIBED))).split("\n\n")[0].splitlines()[2:]
    assert [" ".join(line.split()) for line in lines] == [
        "0 2 contents tag must be 01 02",
        "2 1 uint8 n",
        "3 n a or bytes, by n body 1: a, 2: a, else bytes",
        "its own uint16 or uint32, by n own 1: uint16, 2: uint32",
        "2 uint16 or int16, by n both 1: uint16, 2: int16",
        "2 or 0 uint16 maybe if n > 3; must be >= 4; Some.",
        "3 or 0 contents optional if n > 3; must be 'abc'",
        "up to 00 text name",
        "the rest a, by n tail 1: a, else a",
    ]


def test_bits_with_a_rule_are_described_where_values_know_what_is_around() -> None:
    text = """
    meta: {id: case, endian: be}
    seq: [{id: a, type: flags}, {id: b, size: 1, valid: {expr: _io.eof}}]
    types: {flags: {seq: [{id: x, type: b4, -derive: 0, valid: {max: 3}}, {id: y, type: b4}]}}
    """
    lines = str(kformat.describe(kformat.parse_declaration(text))).splitlines()[-2:]
    assert [" ".join(line.split()) for line in lines] == ["0 4 bits b4 x must be <= 3", "0 4 bits b4 y"]


# --- stubs -----------------------------------------------------------------------------------------------------------

HOSTILE = r"""
meta: {id: none, endian: be}
doc: "ends early\"\"\" ; import os # \\"
seq:
  - {id: int, type: u1, enum: real, doc: "\"\"\""}
  - {id: bytes, size: 2}
  - {id: class, type: u1}
  - {id: self, type: {switch-on: int, cases: {'real::name': value, 'real::numerator': 'true'}}}
  - {id: builtins, type: value, repeat: eos, if: int != real::name}
instances:
  enum: {value: int}
  list: {value: '[1, 2]'}
types:
  value: {seq: [{id: x, type: b3}, {id: y, type: b5}]}
  'true': {seq: [{id: name, type: strz, encoding: UTF-8}], types: {any: {seq: [{id: z, type: f4}]}}}
enums:
  real: {1: numerator, 2: name, 3: 'class', 4: to_bytes}
  value: {1: one}
"""


def test_stubs_of_every_feature_and_of_hostile_names_are_sound(tmp_path: Path) -> None:
    write_stubs(tmp_path)


def write_stubs(tmp_path: Path) -> None:
    hostile = tmp_path / "none.ksy"
    hostile.write_text(HOSTILE)
    for path in (hostile, *FILES):
        text = run("describe", path, "--stubs").stdout
        made = ast.parse(text)
        assert {type(node) for node in made.body} == {ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef}
        assert len({node.name for node in made.body if isinstance(node, ast.ClassDef)}) == text.count("\nclass ")
        (tmp_path / f"{path.stem}_stub.pyi").write_text(text)


@pytest.mark.slow
def test_stubs_are_sound_to_mypy(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy comes with the extra `dev`")
    write_stubs(tmp_path)
    user = "from none_stub import parse\nfound = parse(b'')\nreveal_type(found.int)\nreveal_type(found.builtins)\n"
    (tmp_path / "user.py").write_text(user)
    # mypy does not look for what is installed in editable form; what kformat's own modules hold is not asked.
    call = f"-m mypy --strict --follow-imports silent --config-file {os.devnull} --cache-dir cache .".split()
    environment = os.environ | {"MYPYPATH": str(Path(kformat.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, *call], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=400
    )
    assert '"int"' in done.stdout, done.stdout
    assert "list[none_stub.Value] | None" in done.stdout
    assert "error:" not in done.stdout


# --- the command line ------------------------------------------------------------------------------------------------

ARCHIVE = """
meta: {id: archive, endian: be, imports: [/parts/box]}
seq:
  - {id: count, type: u1}
  - {id: entries, type: entry, repeat: expr, repeat-expr: count}
  - {id: box, size: 3, type: box}
types:
  entry:
    seq: [{id: at, type: u1}, {id: length, type: u1}]
    instances: {content: {io: _root._io, pos: at, size: length}}
"""
DATA = bytes.fromhex("02 0b03 1002 07aabb 000000") + b"one\0\0two"


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("KSPATH", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lib" / "parts").mkdir(parents=True)
    (tmp_path / "lib" / "parts" / "box.ksy").write_text("{meta: {id: box}, seq: [{id: x, type: u1}]}")
    (tmp_path / "archive.ksy").write_text(ARCHIVE)
    (tmp_path / "a.bin").write_bytes(DATA)
    (tmp_path / "c.bin").write_bytes(DATA + b"!")
    return tmp_path


VERBS = {
    "parse": ["parse", "--as", "archive.ksy", "--trailing", "keep", "a.bin"],
    "build": ["build", "--as", "archive.ksy", "--onto", "a.bin", "-o", "b.bin"],
    "describe": ["describe", "archive.ksy"],
    "dump": ["dump", "--hex", "--as", "archive.ksy", "--trailing", "keep", "a.bin"],
    "diff": ["diff", "--as", "archive.ksy", "--trailing", "keep", "a.bin", "c.bin"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_imports_are_found_by_an_option(archive: Path, verb: str) -> None:
    call = [str(part) for part in VERBS[verb]]
    form = (
        b'{"entries": [{"at": 11, "length": 3}, {"at": 16, "length": 2}], "box": {"x": 7}}' if verb == "build" else b""
    )
    assert "on the search path (-I, KSPATH)" in run(*call, stdin=form).stderr
    done = run(*call, "-I", "nowhere", stdin=form)
    assert (done.exit_code, "'nowhere' does not exist" in done.stderr) == (2, True)
    for given in (["-I", "lib"], ["--import-path", ".", "-I", "lib"]):
        done = run(*call, *given, stdin=form)
        assert done.exit_code == (verb == "diff"), done.output
    assert "KSPATH" not in os.environ
    if verb == "build":
        assert (archive / "b.bin").read_bytes() == DATA
        done = run(*call, "-I", "lib", stdin=form + form)
        assert (done.exit_code, "--onto is for one value" in done.stderr) == (2, True)


def test_what_is_left_over_is_an_error_or_kept(archive: Path) -> None:
    call = ["-I", "lib", "--as", "archive.ksy", "a.bin"]
    for verb in (["parse"], ["dump", "--hex"]):
        done = run(*verb, *call)
        assert (done.exit_code, "a.bin:6 archive.box: bytes are left over" in done.stderr) == (1, True)
    form = run("parse", *call, "--trailing", "keep", "--bytes", "hex", "--instances").stdout
    shown = json.loads(form)
    assert (shown["box"], shown["_rest"][:10]) == ({"x": 7, "_rest": "hex:aabb"}, "hex:000000")
    assert [entry["content"] for entry in shown["entries"]] == ["hex:6f6e65", "hex:7477"]
    built = run("build", "-I", "lib", "--as", "archive.ksy", "-o", "b.bin", stdin=form.encode())
    assert (built.exit_code, (archive / "b.bin").read_bytes()) == (0, DATA)
    lines = run("dump", "--hex", *call, "--trailing", "keep").stdout.splitlines()
    assert [" ".join(line.split()) for line in lines[-6:]] == [
        "6 aa bb box (not declared) |..|",
        "8 00 00 00 (not declared) |...|",
        "11 6f 6e 65 entries[0].content |one|",
        "14 00 00 (not declared) |..|",
        "16 74 77 entries[1].content |tw|",
        "18 6f (not declared) |o|",
    ]


def test_differences_have_paths_values_and_positions(archive: Path) -> None:
    (archive / "b.bin").write_bytes(DATA[:5] + b"\x09\xaa\xbc" + DATA[8:11] + b"One\0\1" + DATA[16:])
    call = ["diff", "-I", "lib", "--as", "archive.ksy", "a.bin", "b.bin"]
    done = run(*call, "--trailing", "keep")
    assert (done.exit_code, done.stdout.splitlines()) == (
        1,
        [
            "archive.entries[0].content: b'one' != b'One' (at 11)",
            "archive.box.x: 7 != 9 (at 5)",
            "archive.box (not declared): b'\\xaa\\xbb' != b'\\xaa\\xbc' (at 6)",
            "archive (not declared): b'\\x00\\x00' != b'\\x00\\x01' (at 14)",
        ],
    )
    objects = [json.loads(line) for line in run(*call, "--trailing", "keep", "--format", "nl").stdout.splitlines()]
    assert [(one["path"], one["a"], one["b_position"]) for one in objects[1:2]] == [("archive.box.x", 7, 5)]
    damaged = run(*call)
    assert (damaged.exit_code, damaged.stdout.count("bytes are left over")) == (1, 2)
    assert run(*call, "--trailing", "keep", "--ignore", "box", "--ignore", "content").stdout.startswith("archive (not")
    assert run(*call[:-1], "a.bin", "--trailing", "keep").exit_code == 0


SUMMED = """
meta: {id: summed, file-extension: sum}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    -checksum: {algorithm: plugins.total, field: total}
    seq: [{id: body, size: 4}, {id: total, type: u1}]
"""
PLUGIN = "import kformat\n\nkformat.register_checksum('plugins.total', lambda data: sum(data) % 251)\n"
WITH_PLUGIN = {
    "parse": ["parse", "--as", "summed.ksy", "a.sum"],
    "build": ["build", "--as", "summed.ksy", "-o", "b.sum"],
    "dump": ["dump", "--hex", "--as", "summed.ksy", "a.sum"],
    "diff": ["diff", "--as", "summed.ksy", "a.sum", "c.sum"],
    "check": ["check", "--as", "summed.ksy", "a.sum"],
    "stats": ["stats", "--as", "summed.ksy", "a.sum"],
    "grep": ["grep", "--as", "summed.ksy", "7", "a.sum"],
    "export": ["export", "--as", "summed.ksy", "--format", "csv", "a.sum"],
    "corpus": ["corpus", "list", "--as", "summed.ksy"],
}


@pytest.mark.parametrize("verb", WITH_PLUGIN)
def test_a_plugin_registers_what_a_declaration_names(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(algorithms, "_functions", {})
    form = b'{"rows": [{"body": "text:abc7"}, {"body": "text:ABCD"}]}' if verb == "build" else b""
    data = b"abc7" + bytes([sum(b"abc7") % 251]) + b"ABCD" + bytes([sum(b"ABCD") % 251])
    for name, text in (
        ("summed.ksy", SUMMED),
        ("plugin.py", PLUGIN),
        ("wrong.py", "import kformat\n\nkformat.nothing\n"),
    ):
        (tmp_path / name).write_text(text)
    (tmp_path / "a.sum").write_bytes(data)
    (tmp_path / "c.sum").write_bytes(data[:5])
    call = WITH_PLUGIN[verb]
    without = run(*call, stdin=form)
    assert without.exit_code == 2 and "no checksum 'plugins.total' is registered" in without.stderr, without.output
    assert "kformat: --plugin FILE.py runs a file that registers it\n" in without.stderr
    wrong = run(*call, "--plugin", "wrong.py", stdin=form)
    assert wrong.exit_code == 2 and "wrong.py:3 failed: AttributeError" in wrong.stderr, wrong.output
    assert run(*call, "--plugin", "none.py", stdin=form).exit_code == 2
    done = run(*call, "--plugin", "plugin.py", stdin=form)
    assert done.exit_code == (verb == "diff"), done.output
    assert "KFORMAT_PLUGINS" not in os.environ
    if verb == "build":
        assert (tmp_path / "b.sum").read_bytes() == data
    if verb == "parse":  # another process finds it by the variable
        environment = os.environ | {"KFORMAT_PLUGINS": str(tmp_path / "plugin.py")}
        command = [
            sys.executable,
            "-c",
            "import kformat; print(kformat.parse('summed.ksy', open('a.sum', 'rb').read()).rows[1])",
        ]
        other = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
        assert "ABCD" in other.stdout
