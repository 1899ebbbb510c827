"""Rows that a kernel decodes: those that the codec reads, and the same error after them."""

from __future__ import annotations

import gc
import random
import struct

import pytest

import kformat
from kformat.columns.compiled_rows import Compiled, compiled_of
from kformat.columns.plan import plan_of
from kformat.columns.rows import find
from kformat.storage.byte_source import ByteSource
from tests.columns.comparing import assert_same, mutated, scanned
from tests.draws import EXAMPLES

pytest.importorskip("pyarrow")
pytest.importorskip("numba")

TEXT = """
meta: {id: log, endian: be}
seq:
  - {id: head, type: u2}
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: time, type: s8}
      - {id: kind, type: u1, enum: kind}
      - {id: name_length, type: u1}
      - {id: name, type: str, size: name_length, encoding: UTF-8}
      - {id: extra, type: extra, if: kind == kind::b}
      - {id: level, type: u2, if: name_length > 4}
      - {id: count, type: u2, valid: {max: 100}}
      - {id: values, type: s4, repeat: expr, repeat-expr: count}
      - {id: pairs, type: pair, repeat: expr, repeat-expr: count}
      - {id: body, type: body, size: 3}
    instances:
      total: {value: count * 4 + body.q}
      is_b: {value: kind == kind::b}
  extra: {seq: [{id: x, type: f4}, {id: n, type: u1}, {id: raw, size: n}]}
  pair:
    seq: [{id: a, type: u1}, {id: length, type: u1}, {id: s, size: length, type: str, encoding: ASCII}]
    instances: {next: {value: a + 1}}
  body: {seq: [{id: p, type: u1}, {id: q, type: u2}]}
enums: {kind: {0: a, 1: b}}
"""
LOG = kformat.parse_declaration(TEXT)
COLUMNS = ["extra.x", "extra.raw", "pairs.s", "pairs.next", "values", "_index", "_root.head", "kind", "body.q", "level"]


def a_file(count: int, rng: random.Random) -> bytes:
    rows = []
    for number in range(count):
        kind, n, name = number % 3, rng.randrange(4), rng.choice((b"a", b"longer", b"\xc3\xa9t"))
        rows.append(struct.pack(">qBB", number, kind, len(name)) + name)
        rows.append(struct.pack(">fB", 1.5, 2) + b"zz" if kind == 1 else b"")
        rows.append(b"\0\7" if len(name) > 4 else b"")
        rows.append(struct.pack(f">H{n}i", n, *range(n)) + b"".join(bytes([j, 2]) + b"ok" for j in range(n)))
        rows.append(b"\1\2\3")
    return b"\0\5" + b"".join(rows)


@pytest.mark.parametrize("columns", [None, COLUMNS, ["is_b"]], ids=["all", "some", "one"])
@pytest.mark.parametrize("enums", ["names", "numbers"])
def test_rows_are_those_of_the_codec(columns: list[str] | None, enums: str) -> None:
    assert isinstance(compiled_of(plan_of(find(LOG), columns, enums), "error"), Compiled)
    rng = random.Random(5)
    data = a_file(50, rng)
    for number in range(20 + EXAMPLES):
        scan = kformat.scan(data, LOG, columns=columns, enums=enums, batch_rows=rng.choice((7, None)))  # type: ignore[arg-type]
        wanted = scanned(scan, with_kernels=False)
        found = scanned(scan, with_kernels=True, stretch_bytes=rng.choice((1, 50, 1000, 1 << 20)))
        assert_same(found, wanted, str(number))
        assert str(found.error) == str(wanted.error)
        data = mutated(a_file(rng.randrange(12), rng), rng)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("{id: x, type: f4}", "{id: x, type: b65}"), "extra.x: a number of 65 bits"),
        (("count * 4", "count / body.q"), "the expression count / body.q"),
        (("size: name_length, enc", "size: name_length, process: zlib, enc"), "name: bytes that a process changes"),
        (("size: 3}", "size-eos: true}"), "a row may take all bytes to the end"),
    ],
)
def test_others_are_read_by_the_codec(change: tuple[str, str], reason: str) -> None:
    found = compiled_of(plan_of(find(kformat.parse_declaration(TEXT.replace(*change))), None, "names"), "error")
    assert isinstance(found, str) and found.startswith(reason)


def test_it_says_what_reads_the_rows() -> None:
    assert kformat.scan(b"", LOG).read_by == "a kernel"
    assert kformat.scan(b"", LOG, trailing="keep").read_by == (
        "the codec (numpy: rows have no fixed size; kernels: bytes that are left over are passed over)"
    )


NUMBERS = {"u1": "B", "s2": ">h", "u2le": "<H", "s4le": "<i", "u4": ">I", "f4": ">f", "s8": ">q", "f8le": "<d"}
LISTS = kformat.parse_declaration(
    """
meta: {id: lists, endian: be}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: size, type: u1}
      - {id: text, type: str, size: size, encoding: UTF-8}
      - {id: count, type: u1}
"""
    + "".join(f"      - {{id: of_{kind}, type: {kind}, repeat: expr, repeat-expr: count}}\n" for kind in NUMBERS)
    + "      - {id: optional, type: u4, repeat: expr, repeat-expr: count, if: size < 50}\n"
    + "      - {id: a, type: u2}\n      - {id: b, type: s8le}\n      - {id: c, type: u1}\n"
)


def test_lists_and_texts_of_every_size() -> None:
    """Copied 16 bytes at once, where there are as many behind them; and numbers in a row, looked for at once."""
    rng, rows = random.Random(3), []
    for size in (*range(36), 60, 200):
        text = bytes(rng.choices(b"abc", k=size))
        count = rng.choice((size % 20, size % 3))
        numbers = [struct.pack(f"{code[:-1] or '='}{count}{code[-1]}", *range(count)) for code in NUMBERS.values()]
        numbers += [struct.pack(f">{count}I", *range(count))] * (size < 50)
        rows.append(bytes([size]) + text + bytes([count]) + b"".join(numbers) + struct.pack(">H", size) + bytes(9))
    rng.shuffle(rows)
    data = b"".join(rows)
    whole = scanned(kformat.scan(data, LISTS), with_kernels=True)
    assert_same(whole, scanned(kformat.scan(data, LISTS), with_kernels=False), "")
    assert len(whole.rows) == len(rows) and whole.error is None
    two = rows[0] + rows[1]
    for end in range(len(two)):
        scan = kformat.scan(two[:end], LISTS)
        found, wanted = scanned(scan, with_kernels=True), scanned(scan, with_kernels=False)
        assert_same(found, wanted, str(end))
        assert str(found.error) == str(wanted.error)


def test_the_bytes_of_a_file_go_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """They do not stay until memory is collected."""
    held: list[int] = []

    class Held(bytes):
        def __del__(self) -> None:
            held.pop()

    def read_at(source: ByteSource, position: int, size: int) -> bytes:
        held.append(size)
        return Held(data[position : position + size])

    data = a_file(50, random.Random(5))
    scan = kformat.scan(data, LOG)
    monkeypatch.setattr(scan.readiness, "is_there", True)
    monkeypatch.setattr(ByteSource, "read_at", read_at)
    gc.disable()
    try:
        assert sum(batch.num_rows for batch in scan) == 50
        assert not held
    finally:
        gc.enable()


def test_rows_up_to_a_text() -> None:
    text = TEXT.replace("repeat: eos", "repeat: until, repeat-until: '_.name == \"end\" or _.time < -9'")
    declaration, rng = kformat.parse_declaration(text), random.Random(6)
    assert kformat.scan(b"", declaration).read_by == "a kernel"
    for number in range(6 + EXAMPLES):
        whole = a_file(20, rng)
        last = rng.choice((struct.pack(">qBB", 0, 0, 3) + b"end", struct.pack(">qBB", -10, 0, 3) + b"abc"))
        data = whole + last + b"\0\0\1\2\3"
        scan = kformat.scan(data if number % 3 else mutated(data, rng), declaration, batch_rows=rng.choice((7, None)))
        wanted = scanned(scan, with_kernels=False)
        found = scanned(scan, with_kernels=True, stretch_bytes=rng.choice((1, 50, 1 << 20)))
        assert_same(found, wanted, str(number))
        assert str(found.error) == str(wanted.error)
