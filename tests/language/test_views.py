"""What people see of any declaration: hex dumps, JSON and differences of every feature's declaration and bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.cli import main
from kformat.codec.trace import Span, trace
from kformat.errors import DataError
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
