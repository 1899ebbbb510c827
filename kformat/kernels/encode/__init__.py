"""TypeProgram -> the source of its encode kernel: a function, compiled by numba, that encodes columns into bytes.

Its input are the columns of the decode kernel (see `decode`), except those that follow from others: lengths of bytes
and windows, and counts of lists. For each bytes field it also takes the array that positions and lengths refer to
(`Part.BYTES`). Rows are written one after the other; varints are as short as possible.

Values that `build` fills in may be left out (`EncodeSource.optional`): fields with a ``-derive``, nullable bytes,
lists. Their columns are then empty arrays.

Rows may be divided into units with a limit on bytes or rows. The kernel computes a row's size before writing it; a row
that does not fit begins the next unit. A gap may be left before each unit. Fields with a ``-base`` are then given as
absolute values, and stored relative to that field of the unit's first row.

Each row is measured, checked for room, and then written; a value that the declaration forbids stops the kernel, as
damaged bytes stop the decode kernel. Values of absent fields are ignored, but a field's absence must agree with its
condition.

Payloads with a codec are treated as bytes. Checksums are treated as numbers; those of the rows' own type may be left
out, and are then computed after the kernel (`packing`).

`EncodeFunction` is the text of a kernel while it is written. Each kind of step has a module, named as in the other back
ends, whose docstrings show the lines that it puts there.
"""

from __future__ import annotations

from collections.abc import Mapping

from kformat.kernels.encode.bits import fill_bits, write_bits
from kformat.kernels.encode.bytes import fill_bytes, measure_bytes, write_bytes, write_literal
from kformat.kernels.encode.function import EncodeFunction, EncodeSource, StepKind, StructurePlace
from kformat.kernels.encode.kernel import kernel
from kformat.kernels.encode.lists import fill_list, measure_list, write_list
from kformat.kernels.encode.numbers import (
    fill_float,
    fill_integer,
    measure_varint,
    write_float,
    write_integer,
    write_varint,
)
from kformat.kernels.encode.sequence import write_check
from kformat.kernels.encode.structures import fill_structure, measure_structure, write_structure
from kformat.kernels.encode.windows import fill_window, measure_window, write_window
from kformat.kernels.source import MAX_STEPS, KernelError
from kformat.language import program as steps
from kformat.language.program import ReadList, ReadSwitch, Step, TypeProgram, encode_reason, types_of
from kformat.language.steps import all_steps


def _nothing(out: EncodeFunction, step: Step, place: StructurePlace) -> None:
    """What needs no lines: checksums are computed after the kernel, windows have the sizes of their steps."""


_KINDS: Mapping[type, StepKind] = {
    steps.ReadInteger: StepKind(fill_integer, None, write_integer),
    steps.ReadFloat: StepKind(fill_float, None, write_float),
    steps.ReadVarint: StepKind(fill_integer, measure_varint, write_varint),
    steps.ReadBits: StepKind(fill_bits, None, write_bits),
    steps.ReadBytes: StepKind(fill_bytes, measure_bytes, write_bytes),
    steps.ReadLiteral: StepKind(_nothing, None, write_literal),
    steps.ReadType: StepKind(fill_structure, measure_structure, write_structure),
    steps.ReadList: StepKind(fill_list, measure_list, write_list),
    steps.Window: StepKind(fill_window, measure_window, write_window),
    steps.Check: StepKind(_nothing, None, write_check),
    steps.CheckEnd: StepKind(_nothing, None, _nothing),
    steps.Checksum: StepKind(_nothing, None, _nothing),
}


def encode_source(program: TypeProgram) -> EncodeSource:
    """The encode kernel of a type.

    Raises KernelError for a type with parameters, or with something that kernels do not support.
    """
    reason = encode_reason(program)
    if reason is not None:
        raise KernelError(f"{program.name}: {reason}, which kernels do not support")
    if _is_decoded_alone(program):
        raise KernelError(f"{program.name}: a switch or conditions on elements, which kernels only decode")
    if program.bits or program.parameters:
        raise KernelError(f"{program.name}: {'bits alone are' if program.bits else 'a type with parameters is'} no row")
    if any(field.positions is not None for field in program.fields):
        raise KernelError(f"{program.name}: fields for positions, which only a builder computes")
    if program.steps_count > MAX_STEPS:
        raise KernelError(f"{program.name}: {program.steps_count} steps; kernels are made of at most {MAX_STEPS}")
    return kernel(EncodeFunction(program, _KINDS))


def _is_decoded_alone(program: TypeProgram) -> bool:
    steps = list(all_steps(program.steps))
    lists = [step for step in steps if isinstance(step, ReadList)]
    if any(step.until is not None or step.checks for step in lists) or any(isinstance(s, ReadSwitch) for s in steps):
        return True
    return any(map(_is_decoded_alone, set(types_of(steps))))


__all__ = ["EncodeSource", "encode_source"]
