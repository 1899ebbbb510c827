"""TypeProgram -> the source of its decode kernel: a function, compiled by numba, that decodes bytes into columns.

The rows of a kernel are consecutive values of one type. Its columns are one-dimensional arrays:

* a number has one (`Part.VALUE`); an optional field also has `Part.VALID` (0 or 1);
* bytes, text, and payloads with their own codec have a position and a length (-1: absent); on request (`PACKED`) bytes
  and text are also copied into contiguous memory: `Part.BYTES`, with row i from entry i of `Part.BYTE_OFFSETS` to
  entry i + 1, and `Part.IS_THERE` (0 or 1);
* fields of a structure are named after it (``attributes.compression``);
* a list is `Part.OFFSETS`: its elements are a table with columns of their own; those of row i begin at entry i and end
  at entry i + 1;
* a switch has the number of the case's kind (`Part.CASE`, from 1 in the order of `case_kinds`; 0: no case), and columns
  for each kind, named after it (``body.integer``, ``body.format::type.length``); those of other kinds are absent;
* a type with a checksum has position and length of the bytes that it covers, for a caller that verifies it.

The function runs the steps of `program` in order, and stops at the first that fails: it returns the number of the site
(see `Source.sites`) and stores in ``state`` where it stopped. It can then be called again, with more room or more
bytes. It never raises. Code shared by kernels is in `runtime`.

An unsupported type is refused with the path of the unsupported part.

`DecodeFunction` is the text of a kernel while it is written. Each kind of step has a module, named as in the other back
ends, whose docstrings show the lines that it puts there.
"""

from __future__ import annotations

from kformat.kernels.decode.bits import decode_align, decode_bit, decode_bits, has_bits
from kformat.kernels.decode.bytes import decode_bytes, decode_literal
from kformat.kernels.decode.checksums import decode_checksum
from kformat.kernels.decode.function import PARAMETERS, DecodeFunction, Kinds
from kformat.kernels.decode.kernel import kernel
from kformat.kernels.decode.lists import decode_list
from kformat.kernels.decode.numbers import decode_float, decode_integer, decode_varint
from kformat.kernels.decode.structures import decode_structure
from kformat.kernels.decode.switches import decode_switch
from kformat.kernels.decode.windows import decode_end, decode_window
from kformat.kernels.expressions import emit_check
from kformat.kernels.source import MAX_STEPS, KernelError, KernelScope, Source
from kformat.language import program as steps
from kformat.language.program import Check, ReadList, TypeProgram, kernel_reason


def _decode_check(out: DecodeFunction, step: Check, scope: KernelScope, end: str) -> None:
    emit_check(out, step, scope)


_KINDS: Kinds = {
    steps.ReadInteger: decode_integer,
    steps.ReadFloat: decode_float,
    steps.ReadVarint: decode_varint,
    steps.ReadBytes: decode_bytes,
    steps.ReadLiteral: decode_literal,
    steps.ReadBits: decode_bits,
    steps.ReadBit: decode_bit,
    steps.Align: decode_align,
    steps.ReadType: decode_structure,
    steps.ReadSwitch: decode_switch,
    steps.ReadList: decode_list,
    steps.Window: decode_window,
    steps.Check: _decode_check,
    steps.CheckEnd: decode_end,
    steps.Checksum: decode_checksum,
}


def decode_source(program: TypeProgram, rows: ReadList | None = None) -> Source:
    """The decode kernel of a type. One for the rows of a file, the elements of ``rows``, is given numbers of what is
    around them (`Source.context`), and has a column of the rows' positions, whose name is empty. It stops before a row
    that breaks a rule of the list, and before the list's last one, if a condition says which that is.

    Raises KernelError for a type with something that kernels do not support, and, unless for rows, for one that asks
    for what is around it.
    """
    reason = kernel_reason(program)
    if reason is not None:
        raise KernelError(f"{program.name}: {reason}, which kernels do not support")
    if program.bits:
        raise KernelError(f"{program.name}: bits alone are no rows")
    if program.parameters and rows is None:
        raise KernelError(f"{program.name}: a type with parameters is decoded as a part of other types only")
    if program.ends_in_bits:
        raise KernelError(f"{program.name}: a row may end within a byte")
    if program.steps_count > MAX_STEPS:
        raise KernelError(f"{program.name}: {program.steps_count} steps; kernels are made of at most {MAX_STEPS}")
    return kernel(DecodeFunction(program, _KINDS, rows, has_bits(program)))


__all__ = ["PARAMETERS", "decode_source"]
