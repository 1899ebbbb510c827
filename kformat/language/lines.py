"""Lines of Python source, while a back end writes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, Self

INDENT = "    "


class LateLine(Protocol):
    """A line whose text is known when all others are written."""

    def placed(self, depth: int) -> Self:
        """The line, at a depth."""


Line = str | LateLine


class Lines:
    """The lines of a function.

    Attributes:
        text: the lines so far, indented.
        depth: how many blocks the next line is in.
    """

    def __init__(self, depth: int = 1) -> None:
        self.text: list[Line] = []
        self.depth = depth
        self._names = 0

    def put(self, *lines: Line) -> None:
        """Add lines to the block."""
        self.text += [
            INDENT * self.depth + line if isinstance(line, str) else line.placed(self.depth) for line in lines
        ]

    def new(self, letter: str) -> str:
        """A name that was not used before."""
        self._names += 1
        return f"{letter}{self._names}"

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Put what is put in the body into a block: ``with lines.block("if x:"): lines.put("y = 1")``."""
        self.put(head)
        self.depth += 1
        before = len(self.text)
        yield
        if len(self.text) == before:
            self.put("pass")
        self.depth -= 1
