"""Analysis of finished types: sizes, depth, recursion, and where bits must be dropped (`align`).

The steps of a type refer to other types, which may refer back. So each of these is computed over all types of a
declaration at once, up to a fixed point where types are recursive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from kformat.language.expression import Expression
from kformat.language.node import replaced
from kformat.language.steps import (
    Align,
    Check,
    CheckEnd,
    Checksum,
    ReadBit,
    ReadBytes,
    ReadList,
    ReadSwitch,
    ReadType,
    Step,
    TypeProgram,
    Window,
    inner_steps,
    minimum_size,
)

Types = Mapping[str, TypeProgram]

_NOTHING: Final = (Check, CheckEnd, Checksum, Align)
_ROUNDS: Final = 60


def all_steps(program: TypeProgram) -> Iterator[Step]:
    """All steps of a type and its instances, those within steps included; not those of other types."""
    pending = [*program.steps, *(step for instance in program.instances for step in instance.steps)]
    while pending:
        step = pending.pop()
        yield step
        pending += inner_steps(step)


def step_expressions(program: TypeProgram) -> Iterator[Expression]:
    """The expressions of all steps of a type; not of its instances."""
    for step in all_steps(program):
        expressions: list[Expression | None] = [step.condition]
        match step:
            case ReadBytes():
                expressions.append(step.size)
            case Window():
                expressions += [step.size, step.codec, step.magic]
            case ReadType():
                expressions += [step.parent, *(node for _, node in step.arguments)]
            case ReadList():
                expressions += [step.count, step.until, *(check.rule for check in step.checks)]
            case ReadSwitch():
                expressions += [step.on, *(case.value for case in step.cases)]
            case Check():
                expressions.append(step.rule)
        yield from (node for node in expressions if node is not None)


def _references(program: TypeProgram) -> list[TypeProgram]:
    return list({step.type.name: step.type for step in all_steps(program) if isinstance(step, ReadType)}.values())


def components(types: Types) -> list[list[TypeProgram]]:
    """The types in groups that refer to each other in circles (Tarjan); a group comes after those it refers to."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[TypeProgram] = []
    on_stack: set[str] = set()
    groups: list[list[TypeProgram]] = []
    for start in types.values():
        if start.name in number:
            continue
        work: list[tuple[TypeProgram, Iterator[TypeProgram]]] = [(start, iter(_references(start)))]
        number[start.name] = low[start.name] = len(number)
        stack.append(start)
        on_stack.add(start.name)
        while work:
            program, following = work[-1]
            for other in following:
                if other.name not in number:
                    number[other.name] = low[other.name] = len(number)
                    stack.append(other)
                    on_stack.add(other.name)
                    work.append((other, iter(_references(other))))
                    break
                if other.name in on_stack:
                    low[program.name] = min(low[program.name], number[other.name])
            else:
                work.pop()
                if work:
                    above = work[-1][0].name
                    low[above] = min(low[above], low[program.name])
                if low[program.name] == number[program.name]:
                    group: list[TypeProgram] = []
                    while not group or group[-1] is not program:
                        group.append(stack.pop())
                        on_stack.discard(group[-1].name)
                    groups.append(group)
    return groups


def analyse(types: Types) -> dict[str, int]:
    """Fill in recursion, sizes, counts of steps and Aligns. Returns the depth of types in types, by name."""
    groups = components(types)
    depths: dict[str, int] = {}
    for group in groups:
        names = {program.name for program in group}
        circular = len(group) > 1 or any(other.name in names for other in _references(group[0]))
        deepest = max((depths[o.name] for p in group for o in _references(p) if o.name not in names), default=0)
        for program in group:
            depths[program.name] = deepest + 1
            program.complete(is_recursive=circular)
        for _ in range(_ROUNDS if circular else 1):
            sizes = [_least(program) for program in group]
            if sizes == [program.minimum_size for program in group]:
                break
            for program, size in zip(group, sizes, strict=True):
                program.complete(minimum_size=size)
        for program in group:
            program.complete(steps_count=_count(program, names))
    if any(isinstance(step, ReadBit) for program in types.values() for step in all_steps(program)):
        _align(list(types.values()))
    return depths


def _least(program: TypeProgram) -> int:
    return sum(bit.width for bit in program.bits) // 8 or minimum_size(program.steps)


def _count(program: TypeProgram, group: set[str]) -> int:
    total = 0
    for step in all_steps(program):
        total += 1
        if isinstance(step, ReadType) and step.type.name not in group:
            total += step.type.steps_count
    return total


# --- bits and whole bytes --------------------------------------------------------------------------------------------

State = int | None
"""Bits since the last whole byte (0 to 7) where a step begins; None: any number."""


def _join(left: State, right: State) -> State:
    return left if left == right else None


class _Flow:
    """One forward pass over a type: puts an Align before steps that need a whole byte where bits may be left."""

    def __init__(self, entered: dict[str, State]) -> None:
        self.entered, self.has_changed = entered, False

    def steps(self, steps: Iterable[Step], state: State) -> tuple[tuple[Step, ...], State]:
        aligned: list[Step] = []
        for step in steps:
            if isinstance(step, Align):
                continue
            if state != 0 and self.needs_byte(step):
                aligned.append(Align(name=step.name, condition=step.condition))
                changed, after = self.step(step, 0)
            else:
                changed, after = self.step(step, state)
            aligned.append(changed)
            state = after if step.condition is None else _join(state, after)
        return tuple(aligned), state

    def needs_byte(self, step: Step) -> bool:
        match step:
            case ReadBit() | ReadSwitch() | ReadList() | ReadType():  # what is in it does
                return False
        return not isinstance(step, _NOTHING)

    def step(self, step: Step, state: State) -> tuple[Step, State]:
        match step:
            case ReadBit():
                return step, None if state is None else (state + step.width) % 8
            case ReadType():
                if state != 0 and self.entered.get(step.type.name, 0) == 0:
                    self.entered[step.type.name], self.has_changed = None, True
                return step, None if step.type.ends_in_bits else 0
            case ReadSwitch():
                cases, after = [], [] if any(case.value is None for case in step.cases) else [state]
                for case in step.cases:
                    changed, left = self.steps(case.steps, state)
                    cases.append(replaced(case, steps=changed))
                    after.append(left)
                joined = after[0]
                for left in after[1:]:
                    joined = _join(joined, left)
                return replaced(step, cases=tuple(cases)), joined
            case ReadList():
                element, after_one = self.step(step.element, 0 if self.needs_byte(step.element) else state)
                before = _join(state, after_one)
                if before != state and not self.needs_byte(step.element):
                    element, after_one = self.step(step.element, before)
                    before = _join(before, after_one)
                align = before != 0 and self.needs_byte(step.element)
                return replaced(step, element=element, align=align), _join(state, after_one)
            case Window():
                return replaced(step, steps=self.steps(step.steps, 0)[0]), 0
        return step, state if isinstance(step, _NOTHING) else 0


def _align(programs: list[TypeProgram]) -> None:
    for program in programs:
        program.complete(ends_in_bits=program.is_recursive)
    entered: dict[str, State] = {}
    flow = _Flow(entered)
    is_stable = False
    while not is_stable:  # each round makes an entry or an end worse, of which there are finitely many
        flow.has_changed, is_stable = False, True
        for program in programs:
            steps, state = flow.steps(program.steps, entered.get(program.name, 0))
            instances = tuple(
                replaced(instance, steps=flow.steps(instance.steps, None if instance.position is None else 0)[0])
                for instance in program.instances
            )
            ends = program.ends_in_bits or state != 0
            is_stable = is_stable and ends == program.ends_in_bits
            program.complete(steps=steps, instances=instances, ends_in_bits=ends)
        is_stable = is_stable and not flow.has_changed
