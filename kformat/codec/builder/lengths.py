"""Lengths, counts and derived fields: computed from what they measure, and compared with it."""

from __future__ import annotations

from typing import Any

from kformat.codec.builder.state import Build, is_missing, names_of
from kformat.codec.builder.text import text_bytes
from kformat.codec.cases import case_of
from kformat.codec.drafts import (
    Draft,
    NotYet,
    Path,
    asks_moment,
    asks_stream,
    evaluator,
    known,
    once_per_object,
    shown,
    solve,
    taken,
)
from kformat.codec.values import MISSING
from kformat.errors import BuildError
from kformat.language.expression import EvaluationError, Expression
from kformat.language.program import ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, Step, Window
from kformat.language.steps import Presence


def measure_all(build: Build, draft: Draft, path: Path) -> None:
    measure(build, draft._program.steps, draft, path)
    for instance in draft._program.instances:
        if instance.value is None and draft.__dict__.get(instance.field.name) is not None:
            measure(build, instance.steps, draft, path)


def measure(build: Build, steps: tuple[Step, ...], draft: Draft, path: Path) -> None:
    values = draft.__dict__
    for step in _measured(steps):
        match step:
            case ReadList():
                value = values.get(step.name)
                if step.count is not None:
                    derive_length(build, draft, step, step.count, None if value is None else len(value))
                if isinstance(value, list) and value and isinstance(value[0], Draft):
                    values[step.name] = so_far = list[Any]()  # as in a parser, elements know those before them
                    for index, item in enumerate(value):
                        values["_index"] = index
                        if isinstance(item, Draft):
                            measure_all(build, item, ((path, step.name), index))
                        so_far.append(item)
                    values[step.name] = value
            case ReadBytes():
                assert step.size is not None
                value = values.get(step.name, MISSING)
                if value is MISSING:
                    if step.fill is not None:
                        continue  # its size follows, and is not to follow from it
                    if asks_moment(step.size, draft):
                        continue  # it may follow from what comes later
                    raise BuildError(is_missing(draft, step.name), path=shown((path, step.name)))
                if step.trim is None and step.process is None:
                    length = None if value is None else len(text_bytes(step, value, draft, (path, step.name)))
                    derive_length(build, draft, step, step.size, length)
            case ReadType():
                value = values.get(step.name)
                if isinstance(value, Draft):
                    measure_all(build, value, (path, step.name))
            case ReadSwitch():
                if values.get(step.name) is not None and not asks_moment(step.on, draft):  # as in `convert_case`
                    try:
                        case = case_of(step, evaluator(step.on)(draft), draft)
                    except (AttributeError, EvaluationError):
                        continue
                    measure(build, case.steps if case is not None else (), draft, path)
            case Window() if step.codec is not None and isinstance(values.get(step.name), bytes):
                for inner in step.steps:  # refuse fields given together with the compressed bytes of them
                    if inner.name != step.name and values.get(inner.name) not in (None, []):
                        raise BuildError(
                            f"given together with {step.name}, which contains it", path=shown((path, inner.name))
                        )
            case Window():
                measure(build, step.steps, draft, path)


def derive_length(build: Build, draft: Draft, step: Step, size: Expression, length: int | None) -> None:
    """Set the field in the expression ``size`` so that the expression gives the actual length."""
    if size.op == "constant" or (size.op == "if" and asks_stream(taken(size, draft))):
        return
    if length is not None:
        is_none = length == 0 and isinstance(step, ReadList) and (known(size, draft) or 0) < 0
        if not is_none:  # a negative count stays: it is that of no element, too
            assign(build, size, length, draft, measured=True)
        return
    solution = solve(size, -1, draft)
    if solution is None or len(solution[0]) != 1 or solution[0][0] not in names_of(draft._program)[0]:
        return
    name = solution[0][0]
    if name in draft._measured:
        return  # one of several fields that share a length, only one of which is present
    current = draft.__dict__.get(name, MISSING)
    if step.condition is not None and (name,) in step.condition.names():
        # The length itself says that the field is absent: the current one if it does, or that of 0 or -1 bytes.
        empty = solve(size, 0, draft)
        is_text = not isinstance(solution[1], int)  # digits
        fits = is_text or solution[1] >= 0 or not _is_unsigned(name, draft._program.steps)
        for value in (current, current if empty is None else empty[1], solution[1] if fits else MISSING):
            if value is not MISSING:
                draft.__dict__[name] = value
                try:
                    if not evaluator(step.condition)(draft):
                        return
                except (AttributeError, EvaluationError):
                    continue
    draft.__dict__[name] = 0 if current is MISSING else current


def assign(build: Build, node: Expression, wanted: Any, draft: Draft, *, measured: bool = False) -> bool:
    """Set the field in an expression so that the expression gives ``wanted``; return whether that is possible."""
    solution = solve(node, wanted, draft)
    if solution is None:
        return False
    *outer, name = solution[0]
    owner: Any = draft
    for word in outer:
        owner = getattr(owner, word, None)
    if not isinstance(owner, Draft):
        return False
    field = names_of(owner._program)[0].get(name)
    if field is None:
        if name in owner._arguments:
            argument, outer_draft = owner._arguments[name]
            return assign(build, argument, solution[1], outer_draft, measured=measured)
        for instance in owner._program.instances:
            if instance.field.name == name and instance.value is not None:
                return assign(build, instance.value, solution[1], owner, measured=measured)
        return False
    if field.kind not in ("integer", "boolean", "any", "text"):
        return False
    before = owner.__dict__.get(name, MISSING)
    if before is MISSING or (before != solution[1] and known(node, draft) != wanted):
        owner.__dict__[name] = solution[1]
        build.again |= owner._written
    if measured:
        owner._measured.add(name)
    return True


def derive_fields(build: Build, draft: Draft, path: Path) -> None:
    for field in draft._program.fields:
        if field.presence is not None:
            _derive_presence(draft, field.name, field.presence)
        if field.derive is not None and draft.__dict__.get(field.name, MISSING) is MISSING:
            try:
                draft.__dict__[field.name] = evaluator(field.derive)(draft)
            except AttributeError as error:
                raise BuildError(f"cannot be derived without {error.name}", path=shown((path, field.name))) from None
            except EvaluationError as error:
                raise BuildError(str(error), path=shown((path, field.name))) from None


def _derive_presence(draft: Draft, name: str, presence: Presence) -> None:
    """Set what says whether another field is there, unless it says so."""
    values, steps = draft.__dict__, {step.name: step for step in draft._program.steps}
    is_there = values.get(presence.of) is not None
    own, other = steps[name].condition, steps[presence.of].condition
    try:
        if own is not None and not evaluator(own)(draft):
            values[name] = None
            return
        if values.get(name) is not None and other is not None and bool(evaluator(other)(draft)) == is_there:
            return
    except (AttributeError, EvaluationError):
        pass  # what they ask for is not known yet
    values[name] = presence.present if is_there else presence.absent


def check_size(
    build: Build,
    size: Expression | None,
    length: int,
    draft: Draft,
    path: Path,
    is_count: bool = False,
    since: int | None = None,
) -> None:
    """Compare the declared size or count with the actual one, which may depend on what streams answered after
    ``since`` answers.
    """
    if size is None:
        return
    count = build.answers.count if since is None else since
    try:
        wanted = evaluator(size)(draft)
    except AttributeError as error:
        if not assign(build, taken(size, draft), length, draft):
            outer = path[0] if len(path) == 2 else path
            build.missing.append(((outer, error.name or ""), error.obj))
        return
    except NotYet:
        build.again = True
        return
    except EvaluationError as error:
        raise BuildError(str(error), path=shown(path)) from None
    if (max(wanted, 0) if is_count and wanted is not None else wanted) != length:
        build.refuse(
            BuildError(
                "does not have the size that the declaration asks for",
                path=shown(path),
                expected=f"{wanted} bytes",
                found=length,
            ),
            count,
        )


def _is_unsigned(name: str, steps: tuple[Step, ...]) -> bool:
    """Whether a length cannot be -1: a list or bytes that are null then have another reason, and the length stays."""
    return any(isinstance(step, ReadInteger) and step.name == name and step.kind.low >= 0 for step in steps)


def known_size(step: ReadBytes | Window, draft: Draft) -> int | None:
    """How many bytes a step has; None if that follows from its content, or is not known yet."""
    if step.size is None:
        return None
    try:
        size: int = evaluator(step.size)(draft)
        return size
    except (AttributeError, EvaluationError):
        return None


@once_per_object(4096)
def _measured(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps whose content has a length or a count, or holds others that have one."""
    kinds = (ReadList, ReadType, ReadSwitch, Window)
    return tuple(step for step in steps if isinstance(step, kinds) or (isinstance(step, ReadBytes) and _varies(step)))


def _varies(step: ReadBytes) -> bool:
    return step.size is not None and not step.size.is_constant
