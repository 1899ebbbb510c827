"""The steps of a structure one after the other: what each needs before it is written, and what follows from it."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from kformat.codec.builder.bits import write_bit
from kformat.codec.builder.bytes import write_bytes, write_literal
from kformat.codec.builder.checksums import begin_checksum, fill_checksum
from kformat.codec.builder.lengths import derive_length
from kformat.codec.builder.lists import write_list
from kformat.codec.builder.numbers import write_float, write_integer, write_varint
from kformat.codec.builder.rules import check_rule
from kformat.codec.builder.runs import runs_of
from kformat.codec.builder.state import CONVERTED, Build, TooEarly, Writers, is_missing, kept_of, key_of, names_of
from kformat.codec.builder.structures import write_child, write_opaque
from kformat.codec.builder.switches import write_switch
from kformat.codec.builder.windows import build_window, stands_in_place, write_inner, write_window
from kformat.codec.builder.zeros import fill_with_zeros
from kformat.codec.drafts import Draft, Path, StreamOutput, shown
from kformat.codec.values import MISSING
from kformat.errors import BuildError
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
    windows = windows_first(build, steps, draft, out, path)
    draft._written = True
    write_in_order(build, steps, windows, draft, out, path)


_Built = dict[int, tuple[bytes | None, int]]
"""Windows that are built before all else, and how often streams had been asked before each; by identity."""


def windows_first(build: Build, steps: tuple[Step, ...], draft: Draft, out: StreamOutput, path: Path) -> _Built:
    """Build the windows that ask for no stream around them, and compute their sizes."""
    values, windows = draft.__dict__, _Built()
    for step in steps:
        if type(step) is Window:
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
    sums: list[tuple[Checksum, int, int | None]] = []
    positions: dict[str, int] = {}
    present: dict[str, bool] = {}
    is_aligned = True
    for run, step in runs_of(steps):
        if run is not None:
            names, pack = run
            if not is_aligned:
                out.align(kept_of(draft, (path, names[0]), "before"))
                is_aligned = True
            try:
                out.data += pack(*[values[name] for name in names])
                continue
            except (KeyError, struct.error, TypeError):
                pass  # field by field, for the error
            for single in step:
                write_step(build, single, values.get(single.name, MISSING), draft, out, (path, single.name))
            continue
        name, kind = step.name, type(step)
        here = (path, name)
        if kind is Check:
            if step.condition is None or present.get(name, values.get(name) is not None):
                check_rule(build, step, values.get(name, MISSING), draft, here)
            continue
        if kind is Checksum:
            begin_checksum(step, len(out.data), sums)
            continue
        if kind is Align:
            is_aligned = False  # if the next step, for which it is, is there
            continue
        if kind not in CONVERTED and kind is not Window and kind is not ReadLiteral:
            continue
        positions[name] = len(out.data)
        is_needed, is_aligned = not is_aligned, True
        count = build.answers.count
        if step.condition is not None:
            present[name] = is_present(build, step, draft, here)
            if not present[name]:
                if name in draft._absent:
                    values[name] = None  # what another pass had filled
                if values.get(name) is not None:
                    raise BuildError(f"must be null, since {step.condition} is false", path=shown(here))
                continue
        if is_needed:
            out.align(kept_of(draft, here, "before"))
        if name in draft._absent:
            fill_with_zeros(build, step, draft, here, build.answers.count > count)
        if kind is Window:
            write_window(build, step, windows.get(id(step)), count, draft, out, here)
        else:
            write_step(build, step, values.get(name, MISSING), draft, out, here)
    for checksum, start, end in sums:
        stored = next(item for item in steps if isinstance(item, ReadInteger) and item.name == checksum.name)
        fill_checksum(build, checksum, start, end, stored, positions[checksum.name], draft, out, path)


def is_present(build: Build, step: Step, draft: Draft, path: Path) -> bool:
    """Whether a step is there. Of one whose condition asks a stream that is what is given: if that stays wrong
    with the stream that it makes, it is an error.
    """
    assert step.condition is not None
    given, count = draft.__dict__.get(step.name) is not None, build.answers.count
    try:
        found = bool(build.evaluate(step.condition, draft, path))
    except TooEarly:
        build.again = True
        return given
    if build.answers.count == count or isinstance(step, ReadLiteral):
        return found
    if found and not given and (step.name in draft._absent or isinstance(step, ReadSwitch)):
        return True  # it may be filled; and no case may be there
    if found != given:
        words = "may not be null here" if found else f"must be null, since {step.condition} is false"
        build.unmet = build.unmet or BuildError(words, path=shown(path))
    return given


def write_step(build: Build, step: Step, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
    """Write the value of one step; MISSING: it is not given."""
    kind = type(step)
    if isinstance(step, ReadLiteral):
        write_literal(build, step, value, draft, out, path)
        return
    if value is MISSING and isinstance(path[-1], str) and path[-1] in draft._absent:
        value = draft.__dict__.get(path[-1], MISSING)  # it may have been filled
    if value is MISSING and kind is ReadInteger and isinstance(path[-1], str):
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
    """Of a missing integer: 0 for a computed one, which is filled in once its bytes exist; else its only value."""
    field = names_of(draft._program)[0].get(step.name)
    if field is not None and field.computed:
        return 0
    for check in draft._program.steps:
        if isinstance(check, Check) and check.name == step.name:
            rule = check.rule
            if rule is not None and rule.op == "==" and rule.arguments[1].is_constant:
                draft.__dict__[step.name] = rule.arguments[1].value
                return rule.arguments[1].value
            if rule is None and len(check.allowed) == 1:
                draft.__dict__[step.name] = check.allowed[0]
                return check.allowed[0]
    return MISSING
