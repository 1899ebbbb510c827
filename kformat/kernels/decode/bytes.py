"""Bytes: of a size, up to a terminator, to the end, padded; and those that are always the same."""

from __future__ import annotations

from kformat.integers import MAX_INT64
from kformat.kernels.decode.function import DecodeFunction
from kformat.kernels.decode.text import note_encoding
from kformat.kernels.expressions import value_of
from kformat.kernels.source import FULL_BYTES, KernelScope, Leave, Part
from kformat.language.expression import Expression
from kformat.language.program import ReadBytes, ReadLiteral, Trim, Window


def decode_bytes(out: DecodeFunction, step: ReadBytes, scope: KernelScope, end: str) -> None:
    """Bytes or text: their position and length, and on request a copy."""
    note_encoding(out, step, scope)
    if step.trim is not None:
        cut(out, step, step.trim, scope, end)
    else:
        pass_over(out, step.name, step.size, scope, end, can_pack=True)


def decode_literal(out: DecodeFunction, step: ReadLiteral, scope: KernelScope, end: str) -> None:
    """Bytes that are always the same.

    ::

        if not equal(data, p, 4, decode_record_0):
            return leave_decode_record(...)
        p += 4
    """
    with out.block(f"if {end} - p < {len(step.contents)}:"):
        out.put(out.fail(scope, step.name, "the bytes end"))
    same = f"equal(data, p, {len(step.contents)}, {out.bytes_constant(step.contents)})"
    with out.block(f"if not {same}:"):
        out.put(out.fail(scope, step.name, "not the contents declared"))
    out.put(f"p += {len(step.contents)}")


def pass_over(
    out: DecodeFunction, name: str, size: Expression | None, scope: KernelScope, end: str, *, can_pack: bool = False
) -> None:
    """Skip bytes, and record their place."""
    length = size_of(out, name, size, scope, end)
    placed(out, name, length, scope, can_pack)
    out.put(f"p += {length}")


def placed(out: DecodeFunction, name: str, length: str, scope: KernelScope, can_pack: bool) -> None:
    """``if w3: put_8(a3, n0, v2_begin)``: the columns of so many bytes at the position."""
    position = out.variable("begin")
    out.put(f"{position} = p")
    out.fill(out.column(scope, name, Part.POSITION, "i8"), position)
    out.fill(out.column(scope, name, Part.LENGTH, "i8"), length)
    if can_pack:
        pack(out, name, position, length, scope)
    scope.bytes[name] = position, length


def cut(out: DecodeFunction, step: ReadBytes, trim: Trim, scope: KernelScope, end: str) -> None:
    """Bytes that end by their content."""
    length, consumed = content(out, step, trim, scope, end)
    placed(out, step.name, length, scope, True)
    out.put(f"p += {consumed}")


def content(out: DecodeFunction, step: ReadBytes | Window, trim: Trim, scope: KernelScope, end: str) -> tuple[str, str]:
    """How many bytes from the position on count, and how many are consumed: two variables."""
    if trim.delimited:
        return delimited(out, step.name, trim, scope, end)
    consumed = size_of(out, step.name, step.size, scope, end)
    return trimmed(out, trim, consumed), consumed


def pack(out: DecodeFunction, name: str, position: str, length: str, scope: KernelScope) -> None:
    """Append a copy of the bytes to those of previous rows, if packed.

    ::

        if w5:
            v3_packed = get_4(a6, n0)
            ...
            append(c5, v3_packed, data, v2_begin, v1_size)
            put_4(a6, n0 + 1, v3_packed + v1_size)
            put_1(a7, n0, 1)
    """
    packed = out.column(scope, name, Part.BYTES, "u1")
    offsets = out.column(scope, name, Part.BYTE_OFFSETS, "i4")
    is_there = out.column(scope, name, Part.IS_THERE, "u1")
    row, begin = f"n{scope.table}", out.variable("packed")
    with out.block(f"if w{packed}:"):
        out.put(f"{begin} = get_4(a{offsets}, {row})")
        with out.block(f"if {length} > len(c{packed}) - {begin}:"):
            out.put(Leave(-FULL_BYTES - packed, f"{begin} + {length}"))
        out.put(
            f"append(c{packed}, {begin}, data, {position}, {length})",
            out.store(offsets, f"{row} + 1", f"{begin} + {length}"),
            out.store(is_there, row, "1"),
        )


def size_of(out: DecodeFunction, name: str, size: Expression | None, scope: KernelScope, end: str) -> str:
    """A variable with a size, checked to be non-negative and within the remaining bytes.

    ::

        v1_size = v0_length
        if v1_size < 0:
            return leave_decode_record(...)
        if v1_size > end - p:
            return leave_decode_record(...)
    """
    variable = out.variable("size")
    if size is None:
        out.put(f"{variable} = {end} - p")
        return variable
    out.put(f"{variable} = {value_of(out, size, scope, name)}")
    if size.low < 0 or size.high > MAX_INT64:
        with out.block(f"if {variable} < 0:"):
            out.put(out.fail(scope, name, "a negative size, or one beyond all bytes"))
    with out.block(f"if {variable} > {end} - p:"):
        out.put(out.fail(scope, name, "the bytes end"))
    return variable


def trimmed(out: DecodeFunction, trim: Trim, length: str) -> str:
    """A variable with how many of the ``length`` bytes from the position on count."""
    size = out.variable("size")
    out.put(f"{size} = {length}")
    if trim.pad is not None and trim.pad != trim.terminator:
        out.put(f"{size} = stripped(data, p, {size}, {trim.pad[0]})")
    if trim.terminator is not None:
        position = find_terminator(out, trim.terminator, f"p + {size}")
        with out.block(f"if {position} >= 0:"):
            out.put(f"{size} = {position} - p" + f" + {len(trim.terminator)}" * trim.include)
    return size


def delimited(out: DecodeFunction, name: str, trim: Trim, scope: KernelScope, end: str) -> tuple[str, str]:
    """How many bytes up to a terminator count, and how many are consumed: two variables."""
    assert trim.terminator is not None
    size, consumed = out.variable("size"), out.variable("taken")
    position, width = find_terminator(out, trim.terminator, end), len(trim.terminator)
    with out.block(f"if {position} < 0:"):
        if trim.must_end:
            out.put(out.fail(scope, name, "the bytes end before a terminator"))
        else:
            out.put(f"{size} = {end} - p", f"{consumed} = {size}")
    with out.block("else:"):
        out.put(
            f"{size} = {position} - p" + f" + {width}" * trim.include,
            f"{consumed} = {position} - p" + f" + {width}" * trim.consume,
        )
    return size, consumed


def find_terminator(out: DecodeFunction, terminator: bytes, end: str) -> str:
    """A variable with the position of a terminator before ``end``; -1 if it is nowhere."""
    position = out.variable("found")
    if len(terminator) == 1:
        out.put(f"{position} = find(data, p, {end}, {terminator[0]})")
    else:
        out.put(f"{position} = find_unit(data, p, {end}, {out.bytes_constant(terminator)})")
    return position
