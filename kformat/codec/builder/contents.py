"""A value in a case of a switch, or in the window around an element."""

from __future__ import annotations

from typing import Any

from kformat.codec.builder.given import convert
from kformat.codec.builder.rules import check_rule
from kformat.codec.builder.state import CONVERTED, Build, kept_of
from kformat.codec.drafts import Draft, Path, StreamOutput
from kformat.language.program import Align, Check, ReadLiteral, Step, Window


def write_contents(
    build: Build, step: Step, steps: tuple[Step, ...], value: Any, draft: Draft, out: StreamOutput, path: Path
) -> None:
    """Write one value by the steps of a case, or of the window around an element."""
    for inner in steps:
        if type(inner) is Align:
            out.align(kept_of(draft, path, "before"))
        elif type(inner) is Check:
            check_rule(build, inner, value, draft, path)
        elif type(inner) in CONVERTED or type(inner) in (Window, ReadLiteral):
            if value is not None:
                value = convert(build, inner, value, draft, path)
            if isinstance(path[-1], str):
                draft.__dict__[step.name] = value
            build.write.step(build, inner, value, draft, out, path)
