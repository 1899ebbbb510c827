"""Cases of a switch: the one that a key chooses; and those that differ in their types alone, for which one call is
generated, of a function that is looked up by the key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kformat.codec.drafts import Draft, evaluator
from kformat.language.program import Case, ReadSwitch, ReadType, Step, TypeProgram, Window


def type_of(steps: Sequence[Step]) -> TypeProgram:
    """The type that the steps of a case read."""
    (step,) = steps
    if isinstance(step, Window):
        return type_of(step.steps)
    assert isinstance(step, ReadType)
    return step.type


def shape_of(steps: Sequence[Step]) -> Any:
    """What two cases that read a type must have in common, so that only their parsers differ; None for others."""
    if len(steps) != 1 or steps[0].condition is not None:
        return None
    step = steps[0]
    if isinstance(step, ReadType):
        if step.arguments or step.parent is not None or not step.type.keeps_context:
            return None
        return step.name, step.foreign, step.orphan
    if isinstance(step, Window) and step.codec is None and step.trim is None and step.process is None:
        inner = shape_of(step.steps) if isinstance(step.steps[0], ReadType) else None
        return None if inner is None else (inner, step.name, str(step.size), repr(step.size))
    return None


def case_of(step: ReadSwitch, key: Any, draft: Draft) -> Case | None:
    """The case that a key of a draft's switch chooses."""
    for case in step.cases:
        if case.value is None or evaluator(case.value)(draft) == key:
            return case
    return None
