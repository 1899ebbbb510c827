"""Processes: their arguments as a reader evaluates them."""

from __future__ import annotations

from typing import Any

from kformat.codec.builder.state import Build
from kformat.codec.drafts import Draft, Path, StreamOutput
from kformat.language.expression import Expression


def arguments_after(build: Build, nodes: tuple[Expression, ...], draft: Draft, size: int, path: Path) -> list[Any]:
    """The values of expressions after ``size`` bytes were read: a reader evaluates a process's arguments then."""
    stream = draft.__dict__.get("_io")
    if not isinstance(stream, StreamOutput):
        return [build.evaluate(node, draft, path) for node in nodes]
    stream.start += size
    try:
        return [build.evaluate(node, draft, path) for node in nodes]
    finally:
        stream.start -= size
