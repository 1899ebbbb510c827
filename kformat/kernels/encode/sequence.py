"""The steps of a structure: load its values, compute lengths, then measure, then write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kformat.kernels.encode.function import EncodeFunction, StructurePlace
from kformat.kernels.encode.lengths import computed_in, fixed_size, is_bytes, measured_by, measured_in
from kformat.kernels.expressions import emit_check, value_of
from kformat.kernels.source import KernelError, Part
from kformat.language.program import Check, CheckEnd, Checksum, ReadList, ReadLiteral, Step, Window


def prepare(out: EncodeFunction, steps: Sequence[Step], place: StructurePlace) -> None:
    """Load the values of a structure, and compute the lengths and counts that follow from them."""
    for name in computed_in(steps, place.path):
        place.computed[name], place.measured[name] = out.variable(name), out.variable("measured")
        out.put(f"{place.computed[name]} = np.int64(0)", f"{place.measured[name]} = False")
    fill(out, steps, place)
    compute_lengths(out, steps, place)
    derive_late(out, steps, place)
    measure_windows(out, steps, place)


def fill(out: EncodeFunction, steps: Sequence[Step], place: StructurePlace) -> None:
    """The variables of the fields, and of whether optional ones are there: ``v3_key = np.int64(c6[U(n0)])``."""
    for step in steps:
        if isinstance(step, Check | CheckEnd | Checksum | ReadLiteral):
            continue
        if step.condition is not None and not is_bytes(step):
            place.present[step.name] = f"{out.load(place, step.name, Part.VALID, 'u1')} != 0"
        out.kinds[type(step)].fill(out, step, place)


def derive_late(out: EncodeFunction, steps: Sequence[Step], place: StructurePlace) -> None:
    """Derive numbers that were left out, after lengths and counts, as in `build`.

    ::

        if len(c3) == 0:
            v1_last_offset_delta = v5_count - 1
    """
    unknown = {step.name for _, _, step, _ in place.late} | measured_in(steps)
    for variable, column, step, derive in place.late:
        if any(path not in place.variables or path[0] in unknown for path in derive.names()):
            continue  # required
        lines, sites = len(out.text), len(out.sites)
        try:
            with out.block(f"if len(c{column}) == 0:"):
                out.put(f"{variable} = {value_of(out, derive, place, step.name)}")
                out.within(place, step, variable)
        except KernelError:  # required, too
            del out.text[lines:], out.sites[sites:]
            continue
        out.optional.add(column)
        unknown.discard(step.name)


def compute_lengths(out: EncodeFunction, steps: Sequence[Step], place: StructurePlace) -> None:
    """Compute the lengths of bytes and the counts of lists."""
    for step in steps:
        if is_bytes(step):
            compute(out, step, place, place.bytes[step.name][1])
        elif isinstance(step, ReadList):
            begin, end, _ = place.lists[step.name]
            compute(out, step, place, f"{end} - {begin}")
        elif isinstance(step, Window):
            compute_lengths(out, step.steps, place)


def measure_windows(out: EncodeFunction, steps: Sequence[Step], place: StructurePlace) -> None:
    """Measure windows, innermost first, and compute their lengths."""
    for step in steps:
        if isinstance(step, Window) and step.codec is None:
            measure_windows(out, step.steps, place)
            size = place.sizes[step.name] = out.variable("size")
            out.put(f"{size} = np.int64(0)")
            measure(out, step.steps, place, size)
            compute(out, step, place, size)


def compute(out: EncodeFunction, step: Step, place: StructurePlace, length: str) -> None:
    """``v7_key_length = v2_key + 1``: a length, into the field that holds it."""
    length_field = measured_by(step)
    if length_field is None or length_field[0] not in place.computed:
        return
    name, difference = length_field
    value = f"{length} + {difference}" if difference else length
    if step.condition is None:
        out.put(f"{place.computed[name]} = {value}")
        return
    with out.block(f"if {place.present[step.name]}:"):
        out.put(f"{place.computed[name]} = {value}", f"{place.measured[name]} = True")
    if (name,) in step.condition.names():  # the length itself marks the field as null
        with out.block(f"elif not {place.measured[name]}:"):
            out.put(f"{place.computed[name]} = np.int64({-1 + difference})")


def measure(out: EncodeFunction, steps: Iterable[Step], place: StructurePlace, total: str) -> None:
    """Add the number of bytes that the steps write to a variable.

    ::

        v9_total += 8
        if v3_key != 0:
            v9_total += max(v2_key, 0)
    """
    for step in steps:
        if isinstance(step, Check | CheckEnd | Checksum):
            continue
        if step.condition is None:
            _measure_one(out, step, place, total)
            continue
        present = place.present.get(step.name)
        with out.block(f"if {present or value_of(out, step.condition, place, step.name)}:"):
            _measure_one(out, step, place, total)


def _measure_one(out: EncodeFunction, step: Step, place: StructurePlace, total: str) -> None:
    size, kind = fixed_size(step), out.kinds[type(step)]
    if size is not None:
        out.put(f"{total} += {size}")
    else:
        assert kind.measure is not None
        kind.measure(out, step, place, total)


def write(out: EncodeFunction, steps: Sequence[Step], place: StructurePlace) -> None:
    """Write the bytes of the steps; a field is there exactly where its condition holds.

    ::

        if (v3_key != 0) != (v4_version > 2):
            return leave_encode_record(...)
        if v4_version > 2:
            ...
    """
    for step in steps:
        if isinstance(step, CheckEnd | Checksum):
            continue
        if step.condition is None:
            out.kinds[type(step)].write(out, step, place)
            continue
        condition = value_of(out, step.condition, place, step.name)
        present = place.present.get(step.name)
        if present is not None and not isinstance(step, Check):
            with out.block(f"if ({present}) != ({condition}):"):
                out.put(out.fail(place, step.name, "there where it may not be, or absent where it may not be"))
        with out.block(f"if {condition}:"):
            out.kinds[type(step)].write(out, step, place)


def write_check(out: EncodeFunction, step: Check, place: StructurePlace) -> None:
    """A rule; one on bytes looks at those given."""
    if step.rule is not None:
        emit_check(out, step, place)
        return
    buffer = out.given(place, step.name, Part.BYTES, "u1")
    emit_check(out, step, place, f"c{buffer}")
