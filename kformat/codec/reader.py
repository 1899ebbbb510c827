"""The parser's input: a stream of bytes with a position, a limit, and errors with absolute positions.

A stream is the source, a sized window, or decoded bytes. Windows share the source's buffer. All readers of one parse
share one `State`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal, Protocol, TypeAlias

from kformat.codec import processes
from kformat.errors import CompressionError, DataError, InvalidError, LimitError, TruncatedError, UsageError
from kformat.language.program import MAX_FREE_ELEMENTS, MAX_NESTING, NESTING_BOUND, ProcessCall, Trim
from kformat.storage.checksum import byte_view
from kformat.storage.codecs import codecs
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

BYTES_PER_ELEMENT: Final = 64
"""Many small elements take far more memory as objects than as bytes: each element of a list in a decompressed payload
counts as so many bytes of the limit.
"""

REREAD_FACTOR: Final = 64
"""Instances may read the source's bytes so many times over, and `REREAD_FLOOR` bytes more."""

REREAD_FLOOR: Final = 1 << 20


FREE_FACTOR: Final = 8
"""There may be so many elements and structures without bytes for each byte of the source, and `MAX_FREE_ELEMENTS` more.
"""

WORK_FACTOR: Final = 64
"""Expressions may go through so many elements for each byte of the source, and `WORK_FLOOR` more."""

WORK_FLOOR: Final = 1 << 26


class Observer(Protocol):
    """An observer that learns which bytes became which field (`trace`). The traced parser calls it; the reader's
    position is up to date in each call.
    """

    def enter(self, reader: Reader, value: Any) -> None:
        """A structure, or a window around some of its steps, begins."""

    def step(self, name: str, reader: Reader) -> None:
        """A step of that structure begins; ``""`` for all bits of a type of bits."""

    def done(self) -> None:
        """That step ended without an error."""

    def leaf(self, name: str, start: int, end: int, value: Any) -> None:
        """A step of that structure that is one plain value was read, from ``start`` to ``end``: without `step` and
        `done`. The reader's position may be older.
        """

    def element(self, reader: Reader, start: int, value: Any) -> None:
        """An element of a list that is no structure was read from ``start`` on; it is in the list already."""

    def leave(self) -> None:
        """The structure, or window, ended without an error."""

    def inflated(self, reader: Reader, position: int, name: str, inner: Reader) -> None:
        """The bytes from ``position`` to the reader's current position were decompressed into the inner reader."""

    def decoded(self, reader: Reader, position: int, name: str, inner: Reader, process: str) -> None:
        """As `inflated`, for bytes that a declared process decoded."""

    def trimmed(self, name: str, start: int, end: int) -> None:
        """Of the bytes of a structure, those from ``start`` to ``end`` are a terminator or padding."""

    def instance(self, value: Any, name: str, reader: Reader) -> None:
        """An instance of that value begins; its steps follow, as of a structure."""

    def returned(self) -> None:
        """That instance ended, with an error or without."""

    def verified(self, name: str, error: DataError | None) -> None:
        """A checksum was verified; the error, if any, describes the mismatch and is not raised then."""


Passes: TypeAlias = Callable[[DataError, Any, str], bool]
"""Called with an error after which reading can go on, whose own path is not complete; the structure in which it is; and
the path in that structure.
"""


class State:
    """What all readers of one parse share."""

    depth = 0
    free_elements = 0
    reread = 0
    """Bytes that instances have read."""
    is_parsing = True
    """The root is not complete: an instance that fails fails the parse."""
    is_untidy = False
    """Whether `tidy` has something to do once nothing is being read, and no instance is being asked for."""
    is_calm = True
    """No list was entered that instances may ask for while it grows."""
    absent = 0
    """How often instances were asked for within others, and were null."""
    has_rest = False
    """Whether a structure has bytes left over in its stream."""
    work = 0
    """How many elements expressions have gone through."""
    inflated = 0
    """Bytes that decompression and processes have made, in all streams."""
    asking: dict[Any, Any] | None = None
    """The answers from which the present value instance is computed: those of streams, and those to instances that were
    null, by their value's identity and their name.
    """
    unasked: list[tuple[Any, str]] | None = None
    """Instances that ask streams, and are not to be kept: the value and the name of each."""
    fetched: Any = None
    """The value all of whose instances have been read."""
    passes: Passes | None = None
    """Asked whether reading goes on after an error; None: it does not."""
    take: Callable[[Reader, Any, int, int, int | None, int | None, list[Any]], Any] | None = None
    """Decodes the first elements of a list: called with the reader, the value, the position where they begin, the limit
    where they end at the latest, their count, the size of the window around each if there is one, and the list that
    gets the others. Returns a `taken.First`, or None. Only parsers made for a path call it, in the order of the lists.
    """

    def __init__(self, size: int, trailing: Literal["error", "keep"]) -> None:
        self.trailing, self.size = trailing, size
        self.most_reread = REREAD_FACTOR * size + REREAD_FLOOR
        self.pending: list[tuple[Reader, Any, int]] = []
        """Streams with bytes left over, which instances may read: the structure in it, the first such byte."""
        self.recording = trailing == "error"
        self.checks_texts = False
        """Whether bytes that are no text are a broken rule in the lenient encodings, too, whose texts keep them."""
        self.computed: list[Any] = []
        """The value instances that are kept: in turn the dictionary of a value, and the name of one in it."""
        self.open: list[list[Any]] = []
        """Lists that grow now, and that instances may ask for."""

    def passes_over(self, error: DataError, value: Any, path: str) -> bool:
        """Whether reading goes on after a broken rule, a wrong checksum, or bytes that are left over."""
        return self.passes is not None and self.passes(error, value, path)

    def forget(self) -> None:
        """Drop the value instances that are kept: they are computed again when they are asked for."""
        for attributes, name in zip(self.computed[::2], self.computed[1::2], strict=True):
            attributes.pop(name, None)
        self.computed.clear()

    @contextmanager
    def asking_nothing(self) -> Iterator[None]:
        """Do not keep instances that are asked for in this context: a stream may stand elsewhere just now."""
        before, count, self.unasked = self.unasked, len(self.computed), []
        try:
            yield
        finally:
            for value, name in self.unasked:
                value.__dict__.pop(name, None)
            self.unasked = before
            for attributes, name in zip(self.computed[count::2], self.computed[count + 1 :: 2], strict=True):
                attributes.pop(name, None)
            del self.computed[count:]

    def enter(self, items: list[Any]) -> None:
        """A list begins to grow that instances may ask for."""
        self.open.append(items)
        self.is_calm = False

    def tidy(self) -> None:
        """Reset what is counted during a parse, once nothing is being read and no instance is being asked for."""
        if not self.is_parsing:
            self.is_untidy = False
            self.absent = 0
            self.open.clear()


class Reader:
    """A stream: ``data`` from ``base`` to ``limit``, all indices in ``data``.

    ``origin`` is the absolute position of the data's first byte. In decoded bytes ``outer`` is the absolute position
    of the structure that holds the encoded ones, and ``room`` the number of elements that its lists may still have in
    total (None: no such limit). ``end_is_cut``: bytes after the limit are missing, rather than belonging to something
    else. ``raw``: do not decompress payloads. ``bits``, ``bits_left``: the rest of a partly read byte.
    """

    __slots__ = (
        "base",
        "bits",
        "bits_left",
        "checksums",
        "covered",
        "data",
        "end_is_cut",
        "inflate_limit",
        "limit",
        "observer",
        "origin",
        "outer",
        "position",
        "raw",
        "room",
        "source",
        "start",
        "state",
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
        trailing: Literal["error", "keep"] = "error",
        state: State | None = None,
    ) -> None:
        self.data = data if isinstance(data, bytes) else byte_view(data)
        self.source, self.origin, self.outer = source, origin, outer
        self.position = self.start = self.base = start
        self.limit, self.end_is_cut = len(self.data), outer is None
        self.checksums, self.inflate_limit, self.raw = checksums, inflate_limit, raw
        self.room = inflate_limit // BYTES_PER_ELEMENT if outer is not None else None
        self.bits = self.bits_left = 0
        self.covered: list[tuple[int, int]] | None = None
        self.observer: Observer | None = None
        self.state = State(len(self.data), trailing) if state is None else state
        if not 0 <= start <= self.limit:
            raise UsageError(f"there is no position {start} in {self.limit} bytes")

    # what expressions ask for

    @property
    def pos(self) -> int:
        """Bytes from the start of this stream."""
        return self.position - self.base

    @property
    def size(self) -> int:
        """Bytes of this stream in all."""
        return self.limit - self.base

    @property
    def eof(self) -> bool:
        """Whether neither bytes nor bits are left."""
        return self.position >= self.limit and not self.bits_left

    # reading

    def read(self, size: int) -> bytes:
        """The next ``size`` bytes; TruncatedError or InvalidError if there are fewer."""
        position, end = self.position, self.position + size
        if end > self.limit and size:
            raise self.short(size)
        self.position = end
        data = self.data[position:end]
        return data if type(data) is bytes else bytes(data)

    def read_until(self, trim: Trim) -> tuple[bytes, bytes]:
        """Read bytes up to a terminator; return their content, and all bytes that were consumed."""
        position = self.position
        terminator = trim.terminator or b""
        index = self._find(terminator)
        if index < 0:
            size = max(0, self.limit - position)
            if trim.must_end:
                kind = TruncatedError if self.end_is_cut else InvalidError
                message = "the bytes end before a terminator"
                raise self.fail(kind, message, position, expected=terminator.hex(), found=f"{size} bytes")
            data = self.read(size)
            return data, data
        data = bytes(self.data[position : index + len(terminator)])
        self.position = index + len(terminator) * trim.consume
        content = data[: index - position]
        return (data if trim.include else content), (data if trim.consume else content)

    def _find(self, terminator: bytes) -> int:
        """The index of a terminator; -1 if there is none. Bytes far after it are not searched."""
        start, size = self.position, 256 * len(terminator)
        while start < self.limit:
            end = min(start + size, self.limit)
            index = terminator_index(bytes(self.data[start:end]), terminator)
            if index >= 0:
                return start + index
            start, size = end, 2 * size
        return -1

    def read_bits_be(self, width: int) -> int:
        """``width`` bits, the most significant first."""
        needed = width - self.bits_left
        self.bits_left = -needed % 8
        if needed > 0:
            size = (needed - 1) // 8 + 1
            fresh = int.from_bytes(self._bytes_of_bits(size), "big")
            value = fresh >> self.bits_left | self.bits << needed
            self.bits = fresh
        else:
            value = self.bits >> -needed
        self.bits &= (1 << self.bits_left) - 1
        return value

    def read_bits_le(self, width: int) -> int:
        """``width`` bits, the least significant first."""
        needed = width - self.bits_left
        if needed > 0:
            size = (needed - 1) // 8 + 1
            fresh = int.from_bytes(self._bytes_of_bits(size), "little")
            value = fresh << self.bits_left | self.bits
            self.bits = fresh >> needed
        else:
            value = self.bits
            self.bits >>= width
        self.bits_left = -needed % 8
        return value & ((1 << width) - 1)

    def _bytes_of_bits(self, size: int) -> bytes:
        left, self.bits_left = self.bits_left, 0
        data = self.read(size)
        self.bits_left = left
        return data

    def align(self) -> None:
        """Drop the rest of a partly read byte."""
        self.bits = self.bits_left = 0

    # other streams

    def window(self, start: int, end: int) -> Reader:
        """A stream of these bytes, which must be there; this one goes on after them."""
        inner: Reader = Reader.__new__(Reader)
        inner.data, inner.source, inner.origin, inner.outer = self.data, self.source, self.origin, self.outer
        inner.position = inner.start = inner.base = start
        inner.limit = self.position = end
        inner.end_is_cut, inner.checksums, inner.raw = False, self.checksums, self.raw
        inner.inflate_limit, inner.room, inner.state = self.inflate_limit, self.room, self.state
        inner.bits = inner.bits_left = 0
        inner.covered, inner.observer = None, self.observer
        return inner

    def decoded(self, data: bytes, start: int) -> Reader:
        """A stream of decoded bytes, whose encoded ones begin at ``start``."""
        outer = self.origin + start if self.outer is None else self.outer
        inner = Reader(
            data,
            source=self.source,
            outer=outer,
            checksums=self.checksums,
            inflate_limit=self.inflate_limit,
            raw=self.raw,
            state=self.state,
        )
        inner.observer = self.observer
        return inner

    def processed(self, process: ProcessCall, arguments: Sequence[Any], data: bytes, start: int) -> bytes:
        """Decode bytes by a process.

        Raises CompressionError (zlib), LimitError or InvalidError, at ``start``; UsageError for an unknown process.
        """
        try:
            output = processes.decode(process, arguments, data, self.inflate_limit - self.state.inflated)
        except DataError as error:
            problem = error.with_traceback(None)
        else:
            self.state.inflated += len(output)
            return output
        raise self.fail(type(problem), problem.message, start, expected=problem.expected, found=problem.found)

    def opaque(self, read: Any, arguments: Sequence[Any]) -> Any:
        """A value that user code reads from the rest of this stream."""
        position = self.position
        stream = io.BytesIO(self.data[position : self.limit])
        try:
            value = read(stream, *arguments)
        except DataError as error:
            raise self.fail(type(error), error.message, position, expected=error.expected, found=error.found) from None
        except EOFError as error:
            kind = TruncatedError if self.end_is_cut else InvalidError
            raise self.fail(kind, f"{error}" or "the bytes end here", position) from error
        except UsageError:
            raise
        except Exception as error:
            raise self.fail(InvalidError, f"{type(error).__name__}: {error}", position) from error
        self.position = min(position + stream.tell(), self.limit)
        return value

    # errors and bounds

    def fail(self, kind: type[DataError], message: str, position: int, **more: Any) -> DataError:
        """An error at a position in this reader, converted to an absolute one."""
        if self.outer is not None:
            return kind(message, source=self.source, position=self.outer, inflated_position=position, **more)
        return kind(message, source=self.source, position=self.origin + position, **more)

    def short(self, size: int) -> DataError:
        """The error for ``size`` bytes that are not all available."""
        found = f"{max(self.limit - self.position, 0)}"
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

    def free(self, count: int = 1) -> None:
        """Count elements and structures that took no bytes; LimitError if there are too many."""
        state = self.state
        state.free_elements += count
        most = FREE_FACTOR * state.size + MAX_FREE_ELEMENTS
        if state.free_elements > most:
            message = "more elements and structures that take no bytes than are allowed"
            raise self.fail(LimitError, message, self.position, expected=f"at most {most}")

    def charge(self, work: int) -> None:
        """Count elements, or each sixteen bytes, that an expression goes through; LimitError if all are too many."""
        state = self.state
        state.work += work
        most = WORK_FACTOR * state.size + WORK_FLOOR
        if state.work > most:
            message = "expressions go through values too many times"
            raise self.fail(LimitError, message, self.position, expected=f"at most {most} elements")

    def deeper(self) -> None:
        """Enter a value of a recursive type, or an instance; LimitError if they are nested too deeply."""
        self.state.depth += 1
        if self.state.depth > MAX_NESTING:
            self.state.depth -= 1
            raise self.fail(LimitError, "nested too deeply", self.position, expected=NESTING_BOUND)

    def has_reread(self, start: int, end: int) -> None:
        """An instance has read these bytes, and they are counted; LimitError if they are too many."""
        state = self.state
        if state.recording:
            if self.covered is None:
                self.covered = []
            self.covered.append((start, end))
        if state.reread > state.most_reread:
            raise self.fail(LimitError, "instances read the same bytes too many times", start)

    def inflate(self, codec: int, size: int, path: str, magic: int | None = None, name: str = "") -> Reader:
        """A reader of the next ``size`` bytes, decompressed; ``magic`` as for `codecs.Codecs`.

        Raises CompressionError or LimitError, with the position of these bytes and this path. ``name`` is the
        payload's, for the observer.
        """
        position, limit = self.position, self.inflate_limit - self.state.inflated
        try:
            data = codecs().decompress(codec, self.data[position : position + size], magic=magic, limit=limit)
        except (CompressionError, LimitError) as error:
            problem = error.with_traceback(None)
        else:
            self.state.inflated += len(data)
            outer = self.origin + self.start if self.outer is None else self.outer
            self.position = position + size
            inner = Reader(
                data,
                source=self.source,
                outer=outer,
                checksums=self.checksums,
                inflate_limit=self.inflate_limit,
                state=self.state,
            )
            if self.observer is not None:
                inner.observer = self.observer
                self.observer.inflated(self, position, name, inner)
            return inner
        # Raised outside the handler, without the original traceback, which would keep the partial output in memory.
        raise self.fail(
            type(problem), problem.message, position, path=path, expected=problem.expected, found=problem.found
        )


def terminator_index(data: bytes, terminator: bytes) -> int:
    """The index of the terminator, a multiple of its length; -1 if there is none."""
    size = len(terminator)
    index = data.find(terminator)
    while size > 1 and index >= 0 and index % size:
        index = data.find(terminator, index + 1)
    return index


def trimmed(data: bytes, trim: Trim) -> bytes:
    """The content of a sized field: without its padding, up to its terminator."""
    if trim.pad is not None and trim.pad != trim.terminator:  # Kaitai, too: the terminator's search does both
        data = data.rstrip(trim.pad)
    if trim.terminator is not None:
        index = terminator_index(data, trim.terminator)
        if index >= 0:
            data = data[: index + len(trim.terminator) * trim.include]
    return data


def rebuilt(content: bytes, size: int, trim: Trim) -> bytes:
    """The ``size`` bytes that a builder makes of trimmed content: a terminator where there is room, then padding."""
    if trim.delimited:
        end = trim.terminator or b""
        if trim.include:
            return content if trim.consume else content.removesuffix(end)
        return content + end if trim.consume else content
    if trim.terminator is not None and not trim.include and len(content) < size:
        content += trim.terminator
    return content[:size].ljust(size, trim.pad or b"\0")


class Varint:
    """A varint of at most ``max_bytes``; see formats/varint.ksy for the encoding."""

    def __init__(self, max_bytes: int, zigzag: bool, bits: int) -> None:
        self.max_bytes, self.zigzag, self.bits = max_bytes, zigzag, bits
        self.mask = (1 << bits) - 1

    def read(self, reader: Reader) -> int:
        """The integer at the reader's position."""
        data, position, limit = reader.data, reader.position, reader.limit
        if position < limit and data[position] < 0x80:
            reader.position = position + 1
            raw: int = data[position]
        else:
            raw = shift = 0
            for index in range(position, position + self.max_bytes):
                if index >= limit:
                    raise reader.short(index - position + 1)
                group = data[index]
                raw |= (group & 0x7F) << shift
                if group < 0x80:
                    break
                shift += 7
            else:
                found = bytes(data[position : position + self.max_bytes]).hex()
                raise reader.fail(
                    InvalidError,
                    "a varint that does not end",
                    position,
                    expected=f"at most {self.max_bytes} bytes",
                    found=found,
                )
            raw &= self.mask
            reader.position = index + 1
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
