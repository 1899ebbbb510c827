"""Elements of a list that are bytes already: a builder writes them as they are, and everything around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kformat.codec.builder.state import Build
from kformat.codec.drafts import Draft, StreamOutput


class WrittenRows:
    """The bytes of the elements of a list, and where each begins in them; it stands for the list in a given value.

    ``parts`` are joined.
    """

    def __init__(self, parts: Sequence[Any], starts: Sequence[int]) -> None:
        self.parts, self.starts = parts, starts

    def __len__(self) -> int:
        return len(self.starts)


def write_rows(build: Build, name: str, rows: WrittenRows, draft: Draft, out: StreamOutput) -> None:
    """Write the elements of the list of a name."""
    if name in build.marks.names:
        for start in rows.starts:
            build.marks.element(draft, name, out, int(start))
    for part in rows.parts:
        out.data += part


__all__ = ["WrittenRows", "write_rows"]
