"""The steps of a structure one after the other: their conditions, rules, and the bits that a step drops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kformat.codec.parser.checksums import position_of_structure, verify
from kformat.codec.parser.function import ParserFunction
from kformat.codec.parser.items import RunOfFields, items_at
from kformat.language.node import replaced
from kformat.language.program import (
    Align,
    Check,
    CheckEnd,
    Checksum,
    ReadBit,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadLiteral,
    ReadType,
    ReadVarint,
    Step,
    Window,
)

_SETS_NOTHING: Final = CheckEnd | Checksum | Check | Align


def emit_steps(out: ParserFunction, steps: Sequence[Step]) -> None:
    """The lines of the steps of a structure, and the tests of checksums that go on to its end.

    ::

        c1 = c2 = None
        ...
        if c2 is not None:
            if r.checksums:
                k1(r, v, v.crc, c1, c2, p)
    """
    sums = {step.path: step for step in steps if isinstance(step, Checksum)}
    outer, out.sums = out.sums, {name: (out.new("c"), out.new("c")) for name in sums}
    for field, start in out.sums.values():
        out.put(f"{field} = {start} = None")
    index = 0
    while index < len(steps):
        step = steps[index]
        if isinstance(step, Align):  # the next one is what it is for
            out.waiting = (out.kept_name(step, "before"),)
            index += 1
            continue
        items = [] if out.traced else items_at(steps, index, out.instances, out.element)
        length = sum(len(item.steps) for item in items)
        if items:
            out.kinds[RunOfFields](out, RunOfFields(items))
        else:
            length = step_with_checks(out, steps, index)
        index += length
    for name, checksum in sums.items():
        if checksum.length is None and not checksum.part:
            out.at = (name, out.at[1])
            field, start = out.sums[name]
            with out.block(f"if {start} is not None:"):
                verify(out, checksum, field, start, "p")
    out.sums = outer


def step_with_checks(out: ParserFunction, steps: Sequence[Step], index: int) -> int:
    """The lines of a step and of the rules that come after it; how many steps these are."""
    length = 1
    while index + length < len(steps) and isinstance(steps[index + length], Check):
        length += 1
    with_checks(out, steps[index], steps[index + 1 : index + length])  # type: ignore[arg-type]
    return length


def with_checks(out: ParserFunction, step: Step, checks: Sequence[Check]) -> None:
    """The lines of a step and its rules: ``s1 = p``, then `conditional`."""
    outer = out.at
    if out.element is None or out.element[0] != step.name:
        out.at = (step.path if isinstance(step, Checksum) else step.name, None)
    is_leaf = out.traced and not checks and _is_leaf(step)
    if not isinstance(step, Checksum) and not is_leaf:
        out.trace_step("" if isinstance(step, Window) else step.name)
    start = out.new("s")
    if is_leaf or checks or isinstance(step, Check):
        out.put(f"{start} = {first_byte(out, step)}")
    if isinstance(step, Check):
        emit_check(out, step, start)
    if out.sums:
        position_of_structure(out, step)
    conditional(out, step, checks, start)
    if is_leaf:
        out.put(f"r.observer.leaf({out.const(step.name)}, {start}, p, {out.load(step.name)})")
    elif not isinstance(step, Checksum):
        out.trace_done()
    out.at = outer


def _is_leaf(step: Step) -> bool:
    """Whether a step reads one plain value, with nothing in it that an observer has to know of."""
    if isinstance(step, ReadBytes):
        return step.trim is None and step.process is None
    return isinstance(step, ReadInteger | ReadFloat | ReadVarint | ReadLiteral)


def first_byte(out: ParserFunction, step: Step) -> str:
    """Where a step begins: bits that go on in a byte that was read before lie in that byte."""
    return "p - (r.bits_left > 0)" if isinstance(step, ReadBit) and out.waiting is None else "p"


def conditional(out: ParserFunction, step: Step, checks: Sequence[Check] = (), start: str = "") -> None:
    """A step with its rules::

        if v.version > 2:
            v.length = d[p]
            if not (v.length > 0):
                ...
        else:
            v.length = None

    Rules have the step's condition: it is evaluated once, since a stream may answer otherwise when the step is done.
    """
    if isinstance(step, Check):
        for check in checks:
            emit_check(out, check, start)
        return
    own = [check for check in checks if check.condition == step.condition]
    if step.condition is None:
        out.emit(step)
        for check in checks:
            emit_check(out, check, start)
        return
    with out.block(f"if {out.value_of(step.condition)}:"):
        out.emit(step)
        for check in own:
            emit_check(out, replaced(check, condition=None), start)
    if not isinstance(step, _SETS_NOTHING):
        with out.block("else:"):
            out.store(step.name, "None")
    for check in checks:
        if check not in own:
            emit_check(out, check, start)


def emit_check(out: ParserFunction, check: Check, start: str) -> None:
    """A rule.

    ::

        if not (v.length > 0):
            r.position = p
            refuse_(r, v, s1, v.length, k1, None)
    """
    words = out.words
    out.words = {**words, "_": out.load(check.name)}
    value = out.load(check.name)
    failed = f"refuse_(r, v, {start}, {value}, {out.const(check)}, {out.at[1]})"
    tests = []
    if check.condition is not None:
        tests.append(out.value_of(check.condition))
    with out.block(f"if {' and '.join([*tests, f'not ({rule_of(out, check)})'])}:"):
        out.put("r.position = p")
        out.put(failed)
    out.words = words


def rule_of(out: ParserFunction, check: Check) -> str:
    """``v.count > 0``: a rule as a condition."""
    words, out.words = out.words, {**out.words, "_": out.load(check.name)}
    value = out.load(check.name)
    text = f"{value} in {out.const(check.allowed)}" if check.rule is None else out.value_of(check.rule)
    out.words = words
    return text


def nested(out: ParserFunction, steps: Sequence[Step]) -> None:
    """The lines of the steps in another step: they are no events of their own for an observer."""
    if out.element is not None and steps and all(step.name == out.element[0] for step in steps):
        index = 0
        while index < len(steps):
            start = out.new("s")
            step = steps[index]
            out.put(f"{start} = {first_byte(out, step)}")
            index += 1
            if isinstance(step, Align):
                out.waiting = (out.kept_name(step, "before"),)
                continue
            checks = list[Check]()
            while index < len(steps) and isinstance(check := steps[index], Check):
                checks.append(check)
                index += 1
            if isinstance(step, Check):
                emit_check(out, step, start)
            conditional(out, step, checks, start)
        return
    traced, out.traced = out.traced, False
    if traced and any(map(_holds_type, steps)):
        out.traced = True
    emit_steps(out, steps)
    out.traced = traced


def _holds_type(step: Step) -> bool:
    return isinstance(step, ReadType) or (isinstance(step, Window) and any(map(_holds_type, step.steps)))
