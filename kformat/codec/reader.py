"""The parser's input stream: bytes with a position, a limit, and errors with absolute positions. Also the construct
objects for leaves, shared by parser and builder: fixed-size numbers and bounded varints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Protocol

import construct

from kformat.errors import CompressionError, DataError, InvalidError, LimitError, TruncatedError, UsageError
from kformat.language.layout import struct_format
from kformat.language.program import ReadBits, Step
from kformat.storage.checksum import byte_view
from kformat.storage.codecs import codecs
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

BYTES_PER_ELEMENT: Final = 64
"""Many small elements take far more memory as objects than as bytes: each element of a list in a decompressed payload
counts as so many bytes of the limit.
"""


class Observer(Protocol):
    """An observer that learns which bytes became which field (`trace`); the codec calls the observer of its reader."""

    def watch(
        self, steps: Iterable[tuple[str, Callable[[Reader, Any], None]]], reader: Reader, value: Any
    ) -> Iterator[tuple[str, Callable[[Reader, Any], None]]]:
        """Pass on the steps of a structure (name, action); each must be done before the next is requested."""

    def inflated(self, reader: Reader, position: int, name: str, inner: Reader) -> None:
        """The bytes from ``position`` to the reader's current position were decompressed into the inner reader."""

    def verified(self, name: str, error: DataError | None) -> None:
        """A checksum was verified; the error, if any, describes the mismatch and is not raised then."""


class Reader:
    """Bytes with a position and a limit; enough of the file interface for construct's classes.

    ``origin`` is the absolute position of the first byte. In a decompressed payload ``outer`` is the absolute position
    of the structure that holds it, and ``room`` the number of elements that its lists may still have in total.
    ``end_is_cut``: bytes after the limit are missing, rather than belonging to something else. ``raw``: do not
    decompress payloads.
    """

    __slots__ = (
        "checksums",
        "data",
        "end_is_cut",
        "inflate_limit",
        "limit",
        "marks",
        "observer",
        "origin",
        "outer",
        "position",
        "raw",
        "room",
        "source",
        "start",
    )

    def __init__(
        self,
        data: Any,
        *,
        source: str = "<bytes>",
        origin: int = 0,
        start: int = 0,
        outer: int | None = None,
        checksums: bool = True,
        inflate_limit: int = DEFAULT_INFLATE_LIMIT,
        raw: bool = False,
    ) -> None:
        self.data = data if isinstance(data, bytes) else byte_view(data)
        self.source, self.origin, self.outer = source, origin, outer
        self.position = self.start = start
        self.limit, self.end_is_cut = len(self.data), outer is None
        self.checksums, self.inflate_limit, self.raw = checksums, inflate_limit, raw
        self.room = inflate_limit // BYTES_PER_ELEMENT if outer is not None else None
        self.marks: dict[tuple[int, str, str], int] = {}
        self.observer: Observer | None = None
        if not 0 <= start <= self.limit:
            raise UsageError(f"there is no position {start} in {self.limit} bytes")

    def read(self, size: int) -> bytes:
        """The next ``size`` bytes; TruncatedError or InvalidError if there are fewer."""
        position, end = self.position, self.position + size
        if end > self.limit:
            raise self.short(size)
        self.position = end
        data = self.data[position:end]
        return data if type(data) is bytes else bytes(data)

    def tell(self) -> int:
        """The position, for construct."""
        return self.position

    def fail(self, kind: type[DataError], message: str, position: int, **more: Any) -> DataError:
        """An error at a position in this reader, converted to an absolute one."""
        if self.outer is not None:
            return kind(message, source=self.source, position=self.outer, inflated_position=position, **more)
        return kind(message, source=self.source, position=self.origin + position, **more)

    def short(self, size: int) -> DataError:
        """The error for ``size`` bytes that are not all available."""
        found = f"{self.limit - self.position}"
        if self.end_is_cut:
            return self.fail(TruncatedError, "the bytes end here", self.position, expected=f"{size} more", found=found)
        message = "runs past the end of the structure that it is in"
        return self.fail(InvalidError, message, self.position, expected=f"at most {found} bytes", found=size)

    def admit(self) -> None:
        """Count one more element of a list; LimitError if a decompressed payload has too many."""
        if self.room is not None:
            self.room -= 1
            if self.room < 0:
                message = "the payload holds more elements than the limit on decompressed bytes allows"
                raise self.fail(LimitError, message, self.position)

    def inflate(self, codec: int, size: int, path: str, magic: int | None = None) -> Reader:
        """A reader of the next ``size`` bytes, decompressed; ``magic`` as for `codecs.Codecs`.

        Raises CompressionError or LimitError, with the position of these bytes and this path.
        """
        position, limit = self.position, self.inflate_limit
        try:
            data = codecs().decompress(codec, self.data[position : position + size], magic=magic, limit=limit)
        except (CompressionError, LimitError) as error:
            problem = error.with_traceback(None)
        else:
            self.inflate_limit -= len(data)
            outer = self.origin + self.start if self.outer is None else self.outer
            self.position = position + size
            inner = Reader(data, source=self.source, outer=outer, checksums=self.checksums, inflate_limit=limit)
            if self.observer is not None:
                inner.observer = self.observer
                self.observer.inflated(self, position, path, inner)
            return inner
        # Raised outside the handler, without the original traceback, which would keep the partial output in memory.
        raise self.fail(
            type(problem), problem.message, position, path=path, expected=problem.expected, found=problem.found
        )


# Leaves


def number(step: Step) -> construct.Construct:
    """construct's own class for a fixed-size number."""
    code = struct_format(step)
    if code is not None:
        return construct.FormatField(code[0], {"i": "l", "I": "L"}.get(code[1], code[1]))  # construct's letters
    assert isinstance(step, ReadBits)
    return construct.BytesInteger(step.size)


class Varint(construct.Construct):
    """A varint of at most ``max_bytes``; see formats/varint.ksy for the encoding."""

    def __init__(self, max_bytes: int, zigzag: bool, bits: int) -> None:
        super().__init__()
        self.max_bytes, self.zigzag, self.bits = max_bytes, zigzag, bits
        self.mask = (1 << bits) - 1

    def _parse(self, stream: Reader, context: Any, path: str) -> int:
        data, position, limit = stream.data, stream.position, stream.limit
        if position < limit and data[position] < 0x80:
            stream.position = position + 1
            raw: int = data[position]
        else:
            raw = shift = 0
            for index in range(position, position + self.max_bytes):
                if index >= limit:
                    raise stream.short(index - position + 1)
                group = data[index]
                raw |= (group & 0x7F) << shift
                if group < 0x80:
                    break
                shift += 7
            else:
                found = bytes(data[position : position + self.max_bytes]).hex()
                raise stream.fail(
                    InvalidError,
                    "a varint that does not end",
                    position,
                    expected=f"at most {self.max_bytes} bytes",
                    found=found,
                )
            raw &= self.mask
            stream.position = index + 1
        return (raw >> 1) ^ -(raw & 1) if self.zigzag else raw

    def encode(self, value: int) -> bytes:
        """The shortest encoding of an integer that fits."""
        raw = ((value << 1) ^ (value >> (self.bits - 1))) & self.mask if self.zigzag else value
        groups = bytearray()
        while raw >= 0x80:
            groups.append(raw & 0x7F | 0x80)
            raw >>= 7
        groups.append(raw)
        return bytes(groups)

    def _build(self, obj: int, stream: Any, context: Any, path: str) -> int:
        data = self.encode(obj)
        construct.stream_write(stream, data, len(data), path)
        return obj
