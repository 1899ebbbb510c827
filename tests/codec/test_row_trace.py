"""Traces row by row: the spans of `trace`, with a few bytes in memory, of files of public formats, mutated ones too."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import pytest

import kformat
from kformat.codec.row_trace import RowTrace
from kformat.codec.trace import Span, trace
from kformat.columns.rows import one_after_the_other
from kformat.language.program import load_type, standalone
from kformat.storage.byte_source import ByteSource
from tests.columns.mutations import FORMATS, SLOW
from tests.draws import EXAMPLES
from tests.judges.required import is_missing
from tests.language.public import HERE, Missing, mutants

pytestmark = pytest.mark.drawn

STRETCHES = (1, 7, 64, 1 << 12)
STREAMED = [name for name in FORMATS if one_after_the_other(standalone(load_type(HERE / f"{name}.ksy"))) is not None]
MOST_BYTES = 20_000
OWN = """
meta: {id: own, endian: le, bit-endian: be}
seq:
  - {id: count, type: u1}
  - {id: words, type: strz, encoding: ascii}
  - {id: items, type: item, repeat: expr, repeat-expr: count}
  - {id: flags, type: b3}
  - {id: last, type: u2}
types:
  item:
    seq:
      - {id: size, type: u1}
      - {id: body, type: body, size: size}
      - {id: odd, type: u1, if: size % 2 == 1}
  body:
    seq:
      - {id: high, type: b4}
      - {id: low, type: b4}
      - {id: some, type: u1, repeat: eos, if: high == 1}
"""


def traced(
    data: bytes, format: object, trailing: Literal["error", "keep"], stretch: int, traces: bool = True
) -> tuple[RowTrace, list[Span]]:
    """The spans of all parts; where ``traces`` is not set, those of rows are asked for afterwards, every second one."""
    program = standalone(load_type(format))
    rows = one_after_the_other(program)
    assert rows is not None
    spans = list[Span]()
    with ByteSource(data) as source:
        made = RowTrace(source, program, rows.path, most_held=1 << 20, trailing=trailing, stretch_bytes=stretch)
        made.traces = traces
        for part in made.parts():
            if part.spans is not None:
                spans += part.spans
            elif part.index % 2:
                spans += made.again(part)
    return made, spans


def joined(spans: Iterable[Span]) -> list[str]:
    """The spans as texts; of what no field has, those of one path that follow each other are one. A whole trace with
    damage at its end does not say of bytes before it that nothing declares them.
    """
    parts = list[Span]()
    for span in spans:
        before = parts[-1] if parts else None
        if span.kind in ("unread", "zeros"):
            data = bytes(span.size) if span.kind == "zeros" else span.data
            span = replace(span, kind="unread", remark="", data=data)
        is_rest = span.kind == "unread" and span.error is None
        if is_rest and before is not None and (before.kind, before.path) == ("unread", span.path):
            parts[-1] = replace(before, size=before.size + span.size, data=before.data + span.data)
        else:
            parts.append(span)
    return [
        repr(replace(span, error=None, declared=None, value=repr(span.value)))
        + (f"{type(span.error).__name__} {span.error} {span.error.position}" if span.error is not None else "")
        for span in parts
    ]


@lru_cache
def files_of(name: str, folder: Path) -> tuple[bytes, ...]:
    try:
        found = mutants.write([name], folder)[name]
    except Missing as error:
        is_missing(str(error))
    return tuple(sorted((data for data in found if len(data) < MOST_BYTES), key=len)) or (min(found, key=len),)


def cases(name: str, folder: Path, count: int) -> Iterator[tuple[bytes, Literal["error", "keep"]]]:
    """Files, and mutated ones."""
    chance, files = random.Random(11), files_of(name, folder)
    for data in files:
        yield data, "error"
        yield data, "keep"
    for _ in range(count):
        data = chance.choice(files)
        yield mutants.mutated(data, [(0, 1), (len(data) // 2, 2)], chance), "keep"


@pytest.mark.parametrize("name", STREAMED)
def test_spans_are_those_of_the_whole_file(name: str, tmp_path: Path) -> None:
    declaration = kformat.load_declaration(HERE / f"{name}.ksy")
    count = (2 if name in SLOW else 10) * EXAMPLES // 50
    for number, (data, trailing) in enumerate(cases(name, tmp_path, count)):
        wanted = joined(trace(declaration, data, trailing=trailing))
        for stretch in STRETCHES if number % 4 == 0 else STRETCHES[-2:]:
            _, spans = traced(data, declaration, trailing, stretch)
            assert joined(spans) == wanted, (number, stretch)


def test_most_public_formats_are_among_them() -> None:
    assert {"caf", "midi", "pcap", "pcapng", "tar"} <= {*STREAMED} and len(STREAMED) > 15


@pytest.mark.parametrize("stretch", [1, 3, 1 << 12])
def test_bits_nested_lists_and_what_follows_the_rows(stretch: int) -> None:
    own = kformat.parse_declaration(OWN)
    data = b"\3ab\0\2\x21\x07\3\x12ab\x09\1\x00\x05\xe0\x34\x12"
    for sample in (data, data[:-1], data[:9], data + b"xyz", b"\0\0\0\0\0", b""):
        modes: tuple[Literal["error", "keep"], ...] = ("error", "keep") if len(sample) >= len(data) else ("keep",)
        for trailing in modes:
            _, spans = traced(sample, own, trailing, stretch)
            assert joined(spans) == joined(trace(own, sample, trailing=trailing)), sample


def test_rows_are_traced_after_they_were_read() -> None:
    own = kformat.parse_declaration(OWN)
    data = b"\4ab\0\2\x21\x07\3\x12ab\x09\1\x00\x05\2\x11\x05\xe0\x34\x12"
    made, spans = traced(data, own, "error", 1, traces=False)
    wanted = [span for span in trace(own, data) if not span.path.startswith(("own.items[0]", "own.items[2]"))]
    assert joined(spans) == joined(wanted) and made.problem is None
    cut, spans = traced(data[:13], own, "error", 1, traces=False)
    assert cut.problem is not None and cut.problem.path == "own.items[2].body"
    assert [span.path for span in spans][-2:] == ["own.items[2].size", "own.items[2].body"], "of a damaged row, too"
