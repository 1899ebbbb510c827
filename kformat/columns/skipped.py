"""What reading does about damage, and the stretches of files that it skipped: the same for records and for any rows."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from kformat.errors import DataError, UsageError

ON_CORRUPT: Final = ("error", "skip", "report")
"""What to do about damage: raise it, skip it, or skip it and log a warning."""

LOG: Final = logging.getLogger("kformat")
_ROWS: Final = {
    "none": "no row",
    "row": "one row",
    "some": "an unknown number of rows",
    "list": "the rest of the list",
    "file": "the rest of the file",
}


Missing = Literal["none", "row", "some", "list", "file"]


class UnplacedRows(NamedTuple):
    """Whole rows next to each other, of which nothing says that they are the list's: a broken row may hold them.

    ``position``, ``end_position``: in bytes, the second exclusive.
    """

    position: int
    end_position: int
    rows_count: int


class Skipped(NamedTuple):
    """A stretch of a file that cannot be read as it is stored.

    Attributes:
        source: the file.
        position, end_position: in bytes, the second exclusive.
        start_offset, end_offset: of the records that may be missing, the second exclusive; None if unknown, or if these
            are no records.
        problem: why the bytes cannot be read.
        restored: what was restored of a batch that was read after all; nothing is missing then. Else "".
        rows: which rows are missing, if these are no records: ``none``, what is around them is wrong; one ``row``;
            ``some``, an unknown number; the rest of the ``list`` or of the ``file``, because it is not known where the
            next row begins. Else "".
        unplaced: whole rows within these bytes that are not read, in order.
    """

    source: str
    position: int
    end_position: int
    start_offset: int | None
    end_offset: int | None
    problem: DataError
    restored: str = ""
    rows: Missing | Literal[""] = ""
    unplaced: tuple[UnplacedRows, ...] = ()

    @property
    def size_bytes(self) -> int:
        """How many bytes were skipped."""
        return 0 if self.restored else self.end_position - self.position

    @property
    def is_rest(self) -> bool:
        """Whether all rows that come are missing."""
        return self.rows in ("list", "file")

    @property
    def offsets_count(self) -> int | None:
        """How many offsets may be missing; None if unknown."""
        if self.start_offset is None or self.end_offset is None:
            return None
        return max(0, self.end_offset - self.start_offset)

    @property
    def offsets(self) -> str:
        """The offsets as text: ``offsets 5-9``."""
        if self.offsets_count == 0:
            return "no offsets"
        if self.start_offset is None and self.end_offset is None:
            return "offsets unknown"
        if self.end_offset is None:
            return f"offsets from {self.start_offset} on"
        first = "" if self.start_offset is None else f"{self.start_offset}-"
        return f"offsets {first or 'up to '}{self.end_offset - 1}"

    def __str__(self) -> str:
        where = f"{self.source}: positions {self.position}-{self.end_position - 1}"
        if self.end_position <= self.position:
            where = f"{self.source}: position {self.position}"
        what = str(self.problem).removeprefix(self.problem.place).lstrip(" :")
        if self.rows:
            at = self.problem.position
            what = what if at in (None, self.position) else f"at {at}, {what}"
            return f"{where}, {_ROWS[self.rows]}: {what}"
        missing = f"read after all ({self.restored})" if self.restored else self.offsets
        return f"{where}, {missing}: {what}"


OnSkipped = Callable[[Skipped], object]
"""A callback for each skipped stretch."""


def passing_over(how: str, on_skipped: OnSkipped | None = None, log: logging.Logger = LOG) -> OnSkipped | None:
    """The callback for skipped stretches; None if damage is an error.

    Args:
        how: of `ON_CORRUPT`; with ``report`` a warning is logged for each stretch.
        on_skipped: is also called; ``list.append`` works.

    Raises UsageError for a value that is not in `ON_CORRUPT`, or for a callback that cannot be called.
    """
    if how not in ON_CORRUPT:
        raise UsageError(f"no on_corrupt {how!r:.60}; there are {', '.join(ON_CORRUPT)}")
    if on_skipped is not None and not callable(on_skipped):
        raise UsageError(f"on_skipped is {on_skipped!r:.60}; something to call is expected")

    def passed(skipped: Skipped) -> None:
        if how == "report":
            context = {"source": skipped.source, "position": str(skipped.problem.position)}
            log.warning("%s", skipped, extra={"context": context})
        if on_skipped is not None:
            on_skipped(skipped)

    return None if how == "error" else passed


__all__ = ["LOG", "ON_CORRUPT", "Missing", "OnSkipped", "Skipped", "UnplacedRows", "passing_over"]
