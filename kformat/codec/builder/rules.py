"""Rules of fields."""

from __future__ import annotations

from typing import Any

from kformat.codec.builder.state import Build, TooEarly
from kformat.codec.drafts import Draft, Path, shown
from kformat.errors import BuildError
from kformat.language.program import Check


def check_rule(build: Build, step: Check, value: Any, draft: Draft, path: Path) -> None:
    count = build.answers.count
    if step.rule is not None:
        draft.__dict__["_"] = value
        try:
            sound = build.evaluate(step.rule, draft, path)
        except TooEarly:
            build.again = True  # checked in the next pass, which knows how long the streams are
            return
    else:
        sound = value in step.allowed
    if not sound:
        build.refuse(
            BuildError(
                "a value that is not allowed",
                path=shown(path),
                expected=step.expected,
                found=int(value) if isinstance(value, int) else repr(value),
            ),
            count,
        )
