"""How much may be looked at more than once: bytes may be made so that each of them looks like the start of a batch."""

from __future__ import annotations

from typing import Final

_FREE_BYTES: Final = 64 << 20


class Effort:
    """How many bytes may be looked at again in a search: some for each byte that is searched, and a fixed number.

    Args:
        start: where the search begins, a position in bytes.
        times: how many for each byte that is searched.
        free_bytes: the fixed number.
    """

    def __init__(self, start: int, times: int, free_bytes: int = _FREE_BYTES) -> None:
        self._start, self._times, self._free_bytes = start, times, free_bytes
        self._spent_bytes, self._most_bytes = 0, free_bytes

    def reach(self, position: int) -> None:
        """The search has come to a position."""
        self._most_bytes = max(self._most_bytes, self._free_bytes + self._times * (position - self._start))

    def allows(self, size: int) -> bool:
        """Whether so many more bytes may be looked at; they count. One look at a large batch does not use up the rest
        for others: twice its size is allowed on top."""
        self._spent_bytes += size
        return self._spent_bytes <= self._most_bytes + 2 * size


__all__ = ["Effort"]
