"""What people see of any declaration: hex dumps, JSON and differences of every feature's declaration and bytes."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.cli import main
from kformat.codec.trace import Span, trace
from kformat.errors import DataError
from tests.judges.required import is_missing
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


@pytest.mark.parametrize(("path", "data"), CASES, ids=IDS)
def test_every_byte_is_told_once_and_in_order(path: Path, data: bytes) -> None:
    for cut in (data, data[:-1], data + b"\0" * 70 + b"more"):
        spans = list(trace(path, cut))
        assert covered(spans) == cut
        told = [str(span.error) for span in spans if span.error is not None]
        try:
            kformat.parse(path, cut)
        except DataError as error:
            assert told == [str(error)]
        else:
            assert told == []
        kept = {str(span.error) for span in trace(path, cut, trailing="keep") if span.error is not None}
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
    write_stubs(tmp_path)
    user = "from none_stub import parse\nfound = parse(b'')\nreveal_type(found.int)\nreveal_type(found.builtins)\n"
    (tmp_path / "user.py").write_text(user)
    if importlib.util.find_spec("mypy") is None:
        is_missing("mypy (extra dev) not installed")
    call = f"-m mypy --strict --config-file {os.devnull} --cache-dir cache .".split()
    done = subprocess.run([sys.executable, *call], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert '"int"' in done.stdout, done.stdout
    assert "list[none_stub.Value] | None" in done.stdout
    assert "error:" not in done.stdout
