"""The registry of compression codecs by number, as used in declarations; the format's package registers them.

It is loaded when the first payload is read.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Codecs(Protocol):
    """Compression by codec number; ``magic``: the format version of the payload, None for the current one.

    Decompression returns at most ``limit`` bytes, or raises CompressionError or LimitError; compression raises
    UsageError for an unknown number.
    """

    def decompress(self, codec: int, data: ReadableBuffer, *, magic: int | None, limit: int) -> bytes: ...
    def compress(self, codec: int, data: ReadableBuffer, *, magic: int | None) -> bytes: ...


_loaders: list[Callable[[], Codecs]] = []


def register(load: Callable[[], Codecs]) -> None:
    """Register the module of the codecs."""
    _loaders.append(load)


@cache
def codecs() -> Codecs:
    """The registered codecs."""
    return _loaders[-1]()
