"""What the numbers of codecs mean, which a declaration says of compressed payloads: registered by who knows the format.

It is loaded when the first payload is met.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Codecs(Protocol):
    """Compressing by number; ``magic``: the version of the format that the payload is in, None for the current one.

    What inflates gives at most ``limit`` bytes, or raises CompressionError or LimitError; the inverse UsageError for a
    number that there is not.
    """

    def decompress(self, codec: int, data: ReadableBuffer, *, magic: int | None, limit: int) -> bytes: ...
    def compress(self, codec: int, data: ReadableBuffer, *, magic: int | None) -> bytes: ...


_loaders: list[Callable[[], Codecs]] = []


def register(load: Callable[[], Codecs]) -> None:
    """Say where the codecs are."""
    _loaders.append(load)


@cache
def codecs() -> Codecs:
    """Those that are registered."""
    return _loaders[-1]()
