"""The steps of a structure one after the other: what each needs before it is written, and what follows from it."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from kformat.codec.builder.bits import write_bit
from kformat.codec.builder.bytes import write_bytes, write_literal
from kformat.codec.builder.checksums import Pending, begin_checksum, field_position, fill_checksums, give_inner
from kformat.codec.builder.given import child_draft
from kformat.codec.builder.lengths import derive_length, measure_all
from kformat.codec.builder.lists import write_list
from kformat.codec.builder.numbers import write_float, write_integer, write_varint
from kformat.codec.builder.rules import check_rule
from kformat.codec.builder.runs import runs_of
from kformat.codec.builder.state import (
    CONVERTED,
    Build,
    NotGiven,
    TooEarly,
    Writers,
    is_missing,
    kept_of,
    key_of,
    names_of,
)
from kformat.codec.builder.structures import write_child, write_opaque
from kformat.codec.builder.switches import write_switch
from kformat.codec.builder.windows import build_window, stands_in_place, write_inner, write_window
from kformat.codec.builder.zeros import fill, fill_with_zeros, is_filling
from kformat.codec.drafts import Draft, Path, StreamOutput, once_per_object, shown
from kformat.codec.values import MISSING
from kformat.errors import BuildError
from kformat.language.checksums import zeros_of
from kformat.language.program import (
    Align,
    Check,
    Checksum,
    ReadBit,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadOpaque,
    ReadSwitch,
    ReadType,
    ReadVarint,
    Step,
    Window,
)


def write_steps(build: Build, steps: tuple[Step, ...], draft: Draft, out: StreamOutput, path: Path) -> None:
    """Write the steps of a structure in order: windows first, of which lengths follow; then all; checksums at last."""
    own_windows, has_inner = _windows_of(steps)
    if has_inner:
        give_inner(steps, draft)
    windows = windows_first(build, own_windows, draft, out, path) if own_windows else _Built()
    draft._written = True
    write_in_order(build, steps, windows, draft, out, path)


_Built = dict[int, tuple[bytes | None, int]]
"""Windows that are built before all else, and how often streams had been asked before each; by identity."""


@once_per_object(4096)
def _windows_of(steps: tuple[Step, ...]) -> tuple[tuple[Window, ...], bool]:
    """The windows among steps, and whether there is a checksum whose field is in an inner structure."""
    windows = tuple(step for step in steps if type(step) is Window)
    return windows, any(type(step) is Checksum and step.inside for step in steps)


def windows_first(build: Build, steps: Iterable[Window], draft: Draft, out: StreamOutput, path: Path) -> _Built:
    """Build the windows that ask for no stream around them, and compute their sizes."""
    values, windows = draft.__dict__, _Built()
    for step in steps:
        absent = step.condition is not None and values.get(step.name) is None
        if not absent and stands_in_place(build, step, draft, path):
            continue
        outermost, build.answers.outermost = build.answers.outermost, sys.maxsize
        count = build.answers.count
        data = None if absent else build_window(build, step, draft, (path, step.name))
        asks, build.answers.outermost = build.answers.outermost, min(outermost, build.answers.outermost)
        if asks <= out.depth:
            build.standing.add(key_of(draft, step, (path, step.name)))
            build.again = True
            continue
        windows[id(step)] = data, count
        if step.size is not None:
            derive_length(build, draft, step, step.size, None if data is None else len(data))
    return windows


def write_in_order(
    build: Build, steps: tuple[Step, ...], windows: _Built, draft: Draft, out: StreamOutput, path: Path
) -> None:
    """Write all steps, check their rules, and fill in the checksums."""
    values = draft.__dict__
    sums: dict[str, Pending] = {}
    positions: dict[str, int] = {}
    present: dict[str, bool] = {}
    is_aligned = True
    marks = build.marks
    for run, step in runs_of(steps):
        if run is not None:
            names, pack = run
            if not is_aligned:
                out.align(kept_of(draft, (path, names[0]), "before"))
                is_aligned = True
            if not marks.names or marks.names.isdisjoint(names):
                try:
                    out.data += pack(*[values[name] for name in names])
                    continue
                except (KeyError, struct.error, TypeError):
                    pass  # field by field, for the error
            for single in step:
                if single.name in marks.names:
                    marks.begin(draft, single.name, out)
                write_step(build, single, values.get(single.name, MISSING), draft, out, (path, single.name))
            continue
        name, kind = step.name, type(step)
        here = (path, name)
        if kind is Check:
            if step.condition is None or present.get(name, values.get(name) is not None):
                check_rule(build, step, values.get(name, MISSING), draft, here)
            continue
        if kind is Checksum:
            begin_checksum(step, out, sums)
            continue
        if kind is Align:
            is_aligned = False  # done only if the next step is present
            continue
        if kind not in CONVERTED and kind is not Window and kind is not ReadLiteral:
            continue
        is_needed, is_aligned = not is_aligned, True
        count = build.answers.count
        if step.condition is not None:
            present[name] = is_present(build, step, draft, here)
            if not present[name]:
                if name in draft._absent or (kind is ReadBytes and is_filling(step, values.get(name))):
                    values[name] = None  # what another pass had filled, or a value before an edit
                if values.get(name) is not None:
                    raise BuildError(f"must be null, since {step.condition} is false", path=shown(here))
                continue
        if is_needed:
            out.align(kept_of(draft, here, "before"))
        positions[name] = field_position(step, out)
        if name in marks.names:
            marks.begin(draft, name, out)
        if kind is ReadBytes and step.fill is not None:
            fill(build, step, draft, here)
        elif name in draft._absent and values.get(name) is None and _is_hidden(draft, step):
            values[name] = child = child_draft(build, step, {}, draft, here)
            measure_all(build, child, here)
        elif name in draft._absent:
            fill_with_zeros(build, step, draft, here, build.answers.count > count)
        if kind is Window:
            write_window(build, step, windows.get(id(step)), count, draft, out, here)
        else:
            write_step(build, step, values.get(name, MISSING), draft, out, here)
    if sums:
        fill_checksums(build, sums, positions, draft, out, path)


def _is_hidden(draft: Draft, step: Step) -> bool:
    """Whether a step reads a hidden structure: one that is not given is empty."""
    field = names_of(draft._program)[0].get(step.name)
    return isinstance(step, ReadType) and field is not None and field.hidden


def is_present(build: Build, step: Step, draft: Draft, path: Path) -> bool:
    """Whether a step is present. If its condition asks a stream, that follows from the given value: it is an error if
    the condition still differs with the stream that results.
    """
    assert step.condition is not None
    has_value, count = draft.__dict__.get(step.name) is not None, build.answers.count
    try:
        holds = bool(build.evaluate(step.condition, draft, path))
    except TooEarly:
        build.again = True
        return has_value
    except NotGiven as error:  # an instance reads what is not written yet
        build.reads_again = error
        return has_value
    if build.answers.count == count or isinstance(step, ReadLiteral):
        return holds
    if holds and not has_value and (step.name in draft._absent or isinstance(step, ReadSwitch)):
        return True  # it may be filled; and no case may be there
    if holds != has_value:
        words = "may not be null here" if holds else f"must be null, since {step.condition} is false"
        build.unmet = build.unmet or BuildError(words, path=shown(path))
    return has_value


def write_step(build: Build, step: Step, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
    """Write the value of one step; MISSING: it is not given."""
    kind = type(step)
    if isinstance(step, ReadLiteral):
        write_literal(build, step, value, draft, out, path)
        return
    if value is MISSING and isinstance(path[-1], str) and path[-1] in draft._absent:
        value = draft.__dict__.get(path[-1], MISSING)  # it may have been filled
    if value is None and step.condition is not None and kind in (ReadInteger, ReadBit, ReadBytes):
        field = names_of(draft._program)[0].get(step.name)
        value = MISSING if field is not None and field.computed else None  # it may be absent, and is not
    if value is MISSING and kind in (ReadInteger, ReadBit, ReadBytes) and isinstance(path[-1], str):
        value = only_value(step, draft)
    if value is MISSING and kind in (ReadInteger, ReadVarint, ReadBit) and isinstance(path[-1], str):
        build.missing.append((path, draft))
        value = 0
    if value is MISSING or (value is None and kind is not ReadSwitch and kind is not ReadOpaque):
        words = is_missing(draft, step.name) if value is MISSING else "may not be null here"
        raise BuildError(words, path=shown(path))
    _KINDS[kind](build, step, value, draft, out, path)


_KINDS: Final[Mapping[type, Callable[..., None]]] = {
    ReadInteger: write_integer,
    ReadVarint: write_varint,
    ReadFloat: write_float,
    ReadBit: write_bit,
    ReadBytes: write_bytes,
    ReadBits: write_child,
    ReadType: write_child,
    ReadList: write_list,
    ReadSwitch: write_switch,
    ReadOpaque: write_opaque,
    Window: write_inner,  # an element of a list, or a switch's case
}

WRITERS: Final = Writers(write_steps, write_step)


def only_value(step: Step, draft: Draft) -> Any:
    """The value of what is missing: zeros for a computed one, which is filled in once its bytes exist; else its only
    value.
    """
    field = names_of(draft._program)[0].get(step.name)
    if field is not None and field.computed:
        if not isinstance(step, ReadBytes):
            return 0
        return zeros_of(step)
    for check in draft._program.steps if isinstance(step, ReadInteger) else ():
        if isinstance(check, Check) and check.name == step.name:
            rule = check.rule
            if rule is not None and rule.op == "==" and rule.arguments[1].is_constant:
                draft.__dict__[step.name] = rule.arguments[1].value
                return rule.arguments[1].value
            if rule is None and len(check.allowed) == 1:
                draft.__dict__[step.name] = check.allowed[0]
                return check.allowed[0]
    return MISSING
