"""Kernels of what shares bytes with others, or ends by its content; and of expressions that ask for instances."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("numba")
pytest.importorskip("pyarrow")

import kformat
from kformat.codec.constructs import parse_prefix
from kformat.columns.compiled_rows import Compiled, compiled_of
from kformat.columns.plan import plan_of
from kformat.columns.rows import find
from kformat.errors import DataError
from kformat.kernels import KernelError, encoder, kernel
from kformat.kernels.decode import decode_source
from kformat.language.program import kernel_reason, load_type
from tests.columns.comparing import assert_same, scanned
from tests.columns.comparing import mutated as changed
from tests.draws import EXAMPLES
from tests.kernel_cases import compare

pytestmark = pytest.mark.drawn

TEXT = """
meta: {id: leaves, endian: be, encoding: UTF-8}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: lead, type: b3, enum: kind}
      - {id: flag, type: b1}
      - {id: wide, type: b13}
      - {id: more, type: b5, if: flag}
      - {id: name, type: strz}
      - {id: has, type: b1}
      - {id: size, type: b6}
      - {id: raw, size: size, terminator: 0x20, include: true, pad-right: 0, if: has}
      - {id: padded, type: str, size: small, pad-right: 0x20}
      - {id: until, terminator: 3, consume: false}
      - {id: cut, terminator: 4, eos-error: false, size: 3}
      - {id: little, type: little}
      - {id: strings, type: strz, encoding: UTF-16LE, repeat: expr, repeat-expr: 2}
      - {id: window, type: box, size: 5, terminator: 0x7f}
      - {id: optional, type: u1, if: not flag}
      - {id: last, type: u1, if: size != 5 and (optional != 3 or size > optional)}
    instances:
      small: {value: 'has ? size & 7 : lead.to_i / (flag ? wide.as<u4> : 1)'}
      is_wide: {value: wide > 9 and flag}
  little:
    meta: {bit-endian: le}
    seq:
      - {id: a, type: b3}
      - {id: b, type: b64, if: a == 7}
      - {id: c, type: b7}
      - {id: d, type: b6, valid: {expr: sum != 5}}
    instances: {sum: {value: a + c}}
  box: {seq: [{id: w, type: b4}, {id: n, type: b4}, {id: list, type: b1, repeat: expr, repeat-expr: n}]}
enums: {kind: {0: a, 1: b}}
"""
LEAVES = kformat.parse_declaration(TEXT)
WHOLE = ["lead", "flag", "wide", "more", "name", "has", "size", "raw", "padded", "until", "cut", "little", "strings"]
WHOLE += ["window", "optional", "last", "is_wide"]


def in_bits(*fields: tuple[int, int]) -> bytes:
    """Values and their widths as big-endian bits, filled up with zeros."""
    value = total = 0
    for found, width in fields:
        value, total = value << width | found, total + width
    return (value << -total % 8).to_bytes((total + 7) // 8, "big")


def a_row(rng: random.Random) -> bytes:
    lead, flag, wide = rng.randrange(4), rng.randrange(2), rng.randrange(1, 1 << 13)
    has, size = rng.randrange(2), rng.randrange(12)
    parts = [in_bits((lead, 3), (flag, 1), (wide, 13), *[(rng.randrange(32), 5)] * flag)]
    parts += [rng.choice((b"", b"ab", b"x\xc3\xa9")) + b"\0", in_bits((has, 1), (size, 6))]
    parts.append(bytes(rng.choice(b"ab \0") for _ in range(size * has)))
    parts.append(bytes(rng.choice(b"a  ") for _ in range(size & 7 if has else lead // (wide if flag else 1))))
    parts += [rng.choice((b"", b"qq")) + b"\3", bytes(rng.choice(b"ab\4") for _ in range(2))]
    a, word, filled = rng.randrange(8), 0, 3
    if a == 7:
        word, filled = rng.getrandbits(64) << 3, 67
    word |= a | rng.randrange(128) << filled | rng.randrange(64) << filled + 7
    parts.append(struct.pack("<QQ", word & (1 << 64) - 1, word >> 64)[: (filled + 20) // 8])
    parts += [text.encode("utf-16-le") + b"\0\0" for text in rng.choices(("", "a\u0100", "\u0041\u4100"), k=2)]
    count = rng.choice((0, 8, 11))
    parts.append((in_bits((0, 4), (count, 4), *[(1, 1)] * count) + b"\x7f" + bytes(5))[:5])
    optional = rng.choice((3, 2))
    parts.append(bytes([optional]) * (not flag))
    parts.append(b"\1" * (size != 5 and (flag or optional != 3 or size > optional)))
    return b"".join(parts)


def sound(count: int) -> list[bytes]:
    """Rows that the codec takes."""
    rng, found = random.Random(2), list[bytes]()
    for data in (a_row(rng) for _ in range(3 * count)):
        try:
            if parse_prefix(load_type(LEAVES).steps[0].element.type, data, 0)[1] == len(data):  # type: ignore[attr-defined]
                found.append(data)
        except DataError:
            pass
    assert len(found) > count
    return found[:count]


@pytest.fixture
def own_cache(kept_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = kept_folder("kernels")
    monkeypatch.setenv("KFORMAT_CACHE", str(folder))
    return folder


@pytest.mark.long
@pytest.mark.usefixtures("own_cache")
def test_the_codec_and_kernels_agree() -> None:
    made, rows = kernel(find(LEAVES).type), sound(60)
    seen, found = compare(made, [(row, 1) for row in rows] + [(b"".join(rows), -1)], 200 + 20 * EXAMPLES)
    assert found == []
    assert seen["accepted"] > 60 and len(seen) > 6, seen
    cut = [(row[:end], 1) for row in rows[: 4 + EXAMPLES // 10] for end in range(len(row))]
    assert compare(made, cut, 0)[1] == []


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("columns", [WHOLE, ["is_wide", "lead", "strings", "window.list", "little.sum", "_index"]])
def test_columns_are_those_of_the_codec(columns: list[str]) -> None:
    plan = plan_of(find(LEAVES), columns, "names")
    assert isinstance(compiled_of(plan, "error"), Compiled)
    rows, rng = sound(60), random.Random(5)
    data = b"".join(rows)
    for number in range(10 + EXAMPLES // 2):
        scan = kformat.scan(data, LEAVES, columns=columns)
        wanted = scanned(scan, with_kernels=False)
        found = scanned(scan, with_kernels=True, stretch_bytes=rng.choice((1, 50, 1000, 1 << 20)))
        assert_same(found, wanted, str(number))
        assert str(found.error) == str(wanted.error)
        data = changed(b"".join(rng.choices(rows, k=rng.randrange(1, 12))), rng)


@pytest.mark.parametrize(
    ("seq", "reason"),
    [
        ("[{id: a, type: b3}]", "a row may end within a byte"),
        ("[{id: a, type: b65}, {id: b, type: b7}]", "a: a number of 65 bits"),
        ("[{id: a, size: 3, process: zlib}]", "a: bytes that a process changes"),
        ("[{id: n, type: u8}, {id: a, size: big}]", "a: the expression big, an instance"),
        ("[{id: n, type: u8}, {id: a, size: far}]", "a: the expression far, an instance"),
        ("[{id: n, type: u8}, {id: a, size: '_io.pos'}]", "a: the expression _io.pos"),
    ],
)
def test_what_they_do_not_take(seq: str, reason: str) -> None:
    instances = "{big: {value: n * n}, far: {pos: 0, type: u1}}" if "n" in seq else "{}"
    text = f"meta: {{id: x, endian: be}}\nseq: {seq}\ninstances: {instances}"
    with pytest.raises(KernelError, match=rf"^x: {reason}"):
        kernel(kformat.parse_declaration(text))


def test_instances_that_are_read_from_elsewhere_are_left_alone() -> None:
    """The codec reads them when they are asked for; a kernel never asks."""
    text = "meta: {id: x, endian: be}\nseq: [{id: a, type: u1}, {id: n, size: a}]\n"
    with_one = kformat.parse_declaration(f"{text}instances: {{far: {{pos: 9, type: u2}}}}")
    assert decode_source(load_type(with_one)).text == decode_source(load_type(kformat.parse_declaration(text))).text


def test_encoders_say_what_they_do_not_know() -> None:
    program = find(LEAVES).type
    assert kernel_reason(program) is None
    with pytest.raises(KernelError, match=r"^leaves::row: lead: bits next to bytes, which kernels do not support$"):
        encoder(program)


ORDERED = kformat.parse_declaration("""
meta: {id: ordered}
seq: [{id: order, type: u1}, {id: body, type: body}]
types:
  body:
    meta: {endian: {switch-on: _root.order, cases: {1: le, 2: be}}}
    seq: [{id: rows, type: row, repeat: eos}]
    types:
      row: {seq: [{id: a, type: u2}, {id: b, type: inner}, {id: c, type: u1}]}
      inner: {seq: [{id: d, type: s4}, {id: e, type: f8}]}
""")


@pytest.mark.usefixtures("own_cache")
def test_the_byte_order_is_that_of_what_has_the_rows() -> None:
    rng = random.Random(1)
    for order in (1, 2, 3):
        for size in (0, 14, 15, 45, 50):
            scan = kformat.scan(bytes([order]) + rng.randbytes(size), ORDERED)
            assert scan.read_by == "a kernel"
            found, wanted = scanned(scan, with_kernels=True), scanned(scan, with_kernels=False)
            assert_same(found, wanted, f"{order} {size}")
            assert len(wanted.rows) == (size // 15 if order < 3 else 0)
    with pytest.raises(KernelError, match=r"_parent\._order, which is around the rows"):
        kernel(find(ORDERED).type)
