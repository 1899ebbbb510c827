"""The framing of a log: batch after batch, none too short, nothing after the last.

`LogBlocks` walks over a log and hands out blocks of batches, a few megabytes at a time: a block holds batches of magic
2, or messages of magic 0 and 1, whose headers are columns of the same names. It goes on after a batch that
cannot be one wherever the length still leads to the next, and after a length that leads nowhere at a position that the
caller knows of (the offset index has some).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.errors import TruncatedError
from kformat.integers import MAX_INT64
from kformat.kafka.batch.batches import BatchHeaders, is_room, legacy_header, sound_batch
from kformat.kafka.batch.framing import (
    CURRENT_MAGIC,
    FRAME_BYTES,
    HEADER_BYTES,
    MINIMUM_LENGTH,
    PEEK_BYTES,
    Frame,
    Walk,
    borders,
    headers_at,
)
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.records import Batch
from kformat.kafka.findings.rules import Finding, Rule, rule
from kformat.language.layout import layout
from kformat.storage.algorithms import algorithm_of
from kformat.storage.byte_source import ByteSource
from kformat.storage.checksum import crc32c_of_parts
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

TOO_SHORT: Final = rule(
    "KF0101",
    "error",
    f"`batch_length` is at least {HEADER_BYTES - FRAME_BYTES}, what the rest of a header takes.",
    source=f"FileLogInputStream.nextBatch (below {MINIMUM_LENGTH}), "
    f"DefaultRecordBatch.ensureValid (below {HEADER_BYTES - FRAME_BYTES})",
    kafka="Throws CorruptRecordException to readers of; recovery cuts the log here.",
)
CUT_OFF: Final = rule(
    "KF0102",
    "error",
    "Every batch is complete.",
    source="FileLogInputStream.nextBatch",
    kafka="Takes it for the end of the log; recovery cuts the log here, otherwise new batches land after the rest.",
)
TRAILING: Final = rule(
    "KF0103",
    "error",
    f"Nothing comes after the last batch. (Fewer than {PEEK_BYTES} bytes, so no batch.)",
    source="FileLogInputStream.nextBatch",
    kafka="Takes them for the end of the log; recovery cuts them off, otherwise new batches land after them.",
)
ZERO_TAIL: Final = rule(
    "KF0104",
    "warning",
    "The log does not end in zeros (left by `log.preallocate` or by a power failure).",
    source="FileLogInputStream.nextBatch, LogSegment.recover",
    kafka="Throws CorruptRecordException to readers of that far; recovery cuts the zeros off.",
)
MAGIC: Final = rule(
    "KF0105",
    "error",
    f"`magic` is 0, 1 or {CURRENT_MAGIC}.",
    source="FileLogInputStream.nextBatch, ByteBufferLogInputStream.nextMagic",
    kafka="On disk takes what is above for 2 and what is below for an old message; refuses it in memory.",
)
OVERSIZED: Final = rule(
    "KF0106",
    "error",
    "A batch is within the size limit of the check.",
    source="`max.message.bytes`, by default 1 MiB",
    kafka="Reads it, given the memory.",
)

SWALLOWS: Final = rule(
    "KF0107",
    "error",
    "A damaged batch ends before the next sound one that the offset index knows.",
    source="FileLogInputStream.nextBatch",
    kafka="Goes astray, or takes what follows for a part of the damaged batch.",
)

_BLOCK_BYTES: Final = 4 << 20
_BLOCK_BATCHES: Final = 8192
_RESUME_TRIALS: Final = 64

_LAYOUT: Final = layout("record_batch")
_, _, _COVERED_FROM = _LAYOUT.checksum()
_HEADER: Final = _LAYOUT.header_dtype

_ENTRY: Final = layout("legacy_message")
_MESSAGE: Final = layout("legacy_message::message")
_LEGACY_ALGORITHM, _, _LEGACY_FROM = _MESSAGE.checksum()
_LEGACY_COVERED_FROM: Final = _ENTRY.position("message") + _LEGACY_FROM
_LEGACY_ATTRIBUTES: Final = _ENTRY.position("message") + _MESSAGE.position("attributes")
_LEGACY_CRC_OF: Final = algorithm_of(_LEGACY_ALGORITHM).compute
_LEGACY_NAMES: Final = {
    "base_offset": "offset",
    "batch_length": "message_size",
    "crc": "message.crc",
    "magic": "message.magic",
    "attributes": "message.attributes",
    "max_timestamp": "message.timestamp",
}
"""Fields of a batch's header -> where a message of magic 0 and 1 has the same."""


def field_position(position: int, name: str) -> int:
    """Where a header's field lies, for the batch of magic 2 at a position."""
    return int(position) + _LAYOUT.position(name)


def legacy_field(position: int, name: str) -> tuple[int, str]:
    """Position and path of the field of a message of magic 0 or 1 that is a column of headers."""
    path = _LEGACY_NAMES[name]
    outer, _, inner = path.rpartition(".")
    at = _ENTRY.position("message") + _MESSAGE.position(inner) if outer else _ENTRY.position(inner)
    return int(position) + at, f"legacy_message.{path}"


@dataclass(frozen=True, eq=False)
class BatchBlock:
    """Some batches of one kind that follow each other in a log, perhaps with holes between them.

    Attributes:
        headers: the headers as columns; of a wrapper of magic 0 or 1 see `batches.legacy_header`.
        is_legacy: these are messages of magic 0 and 1, not batches of magic 2.
        computed_crc: uint32 per batch.
        is_sound: bool per batch: the stored checksum is the computed one.
        after_hole: bool per batch: in front of it lies something that is no sound batch.
        data, start: bytes among which all of them are, and the position of the first of these bytes.
    """

    headers: BatchHeaders
    computed_crc: npt.NDArray[np.uint32]
    is_sound: npt.NDArray[np.bool_]
    after_hole: npt.NDArray[np.bool_]
    data: bytes
    start: int
    limit: int
    is_legacy: bool = False

    @property
    def end(self) -> npt.NDArray[np.int64]:
        """Position after each batch."""
        return self.headers.position + self.headers.size

    def raw(self, row: int) -> bytes:
        """The bytes of one batch."""
        first = int(self.headers.position[row]) - self.start
        return self.data[first : first + int(self.headers.size[row])]

    def batch(self, row: int, file: str) -> Batch:
        """One batch of a block of magic 2."""
        return Batch(self.raw(row), int(self.headers.position[row]), file, self.limit)

    def legacy_batch(self, row: int, file: str) -> LegacyBatch:
        """One message of a block of magic 0 and 1."""
        return LegacyBatch(self.raw(row), int(self.headers.position[row]), file, self.limit)

    def attributes(self) -> npt.NDArray[np.uint8]:
        """The attributes as they stand in a block of magic 0 and 1."""
        positions = self.headers.position - self.start + _LEGACY_ATTRIBUTES
        return np.frombuffer(self.data, dtype=np.uint8)[positions]

    def place(self, row: int, name: str) -> tuple[int, str]:
        """Position and path of a header's field."""
        position = int(self.headers.position[row])
        return (
            legacy_field(position, name) if self.is_legacy else (field_position(position, name), f"record_batch.{name}")
        )


@dataclass
class LogBlocks:
    """Walks over a log once; `blocks` yields blocks and findings of the framing, in order of position.

    ``resume_at``: positions, ascending, at which batches may begin. ``limit``: the most bytes of one batch.
    Afterwards ``batches_count`` is the number of batches, ``current_count`` of those of magic 2, and ``is_whole`` says
    that there was nothing but sound batches.
    """

    source: ByteSource
    file: str
    resume_at: npt.ArrayLike = ()
    limit: int = DEFAULT_INFLATE_LIMIT
    batches_count: int = 0
    current_count: int = 0
    is_whole: bool = True

    @property
    def ends_well(self) -> bool:
        """Whether the last batch is sound, and ends with the file; damage may lie before it."""
        return not self._after_hole

    def __post_init__(self) -> None:
        self._frames: list[Frame] = []
        self._is_legacy = False  # the frames taken so far
        self._bytes = 0
        self._after_hole = False
        self._tried: dict[int, bool] = {}  # a known position -> whether a sound batch begins there
        self._read, self._read_from = b"", -1

    def blocks(self) -> Iterator[BatchBlock | Finding]:
        """Yield all blocks and findings, once; raises OSError where the log cannot be read."""
        start: int | None = 0
        while start is not None:
            start = yield from self._walk(start)

    def _walk(self, start: int) -> Generator[BatchBlock | Finding, None, int | None]:
        """Walk as far as the framing leads; the result is where to go on, or None."""
        walk = Walk(self.source, start)
        while True:
            run = self._plain_batches(walk.position)
            if len(run) > 1:
                resumed = yield from self._flush()
                if resumed is None:
                    walk.position = run[-1]
                    resumed = yield from self._judge(run, self._read, self._read_from, is_legacy=False)
                if resumed is not None:
                    return resumed
                continue
            frame = next(walk, None)
            if frame is None:
                break
            finding, is_legacy = self._refused(frame), frame.magic < CURRENT_MAGIC
            if finding is None:
                if self._frames and is_legacy != self._is_legacy:
                    resumed = yield from self._flush()
                    if resumed is not None:
                        return resumed
                self._take(frame, is_legacy)
                if self._bytes < _BLOCK_BYTES and len(self._frames) < _BLOCK_BATCHES:
                    continue
            resumed = yield from self._flush()
            if resumed is not None:
                return resumed
            if finding is not None:
                self.is_whole, self._after_hole = False, True
                yield finding
        resumed = yield from self._flush()
        if resumed is None and walk.problem is not None:
            resumed = self._resume(walk.position)
            yield self._stopped(walk, resumed)
            self.is_whole, self._after_hole = False, True
        return resumed

    def _plain_batches(self, position: int) -> list[int]:
        """Borders, in the file, of the batches of magic 2 from here on that nothing is wrong with so far.

        They lie in what was read last, and are no more than a block's worth. They end at the first that a `Walk` has to
        look at: of another format, too short, over the limit, or larger than what is read at once.
        """
        while True:
            at, end = position - self._read_from, len(self._read)
            edges, is_cut = [at], at < 0
            if not is_cut:
                edges = borders(
                    self._read, at, most_count=_BLOCK_BATCHES, most_bytes=self.limit, most_magic=CURRENT_MAGIC
                )
                is_cut = edges[-1] + HEADER_BYTES > end
                if edges[-1] > end and len(edges) > 1:
                    edges.pop()
            if len(edges) > 1 or not is_cut or position == self._read_from:
                return [self._read_from + edge for edge in edges]
            self._read, self._read_from = self.source.read_at(position, _BLOCK_BYTES), position

    def _refused(self, frame: Frame) -> Finding | None:
        """The finding about a frame that is not to be looked into; None for a batch."""
        length = frame.size - FRAME_BYTES
        if not 0 <= frame.magic <= CURRENT_MAGIC:
            message = f"no format has magic {frame.magic}"
            return self._field(MAGIC, frame.position, "magic", message, f"0 to {CURRENT_MAGIC}", frame.magic)
        if frame.magic == CURRENT_MAGIC and frame.size < HEADER_BYTES:
            least = HEADER_BYTES - FRAME_BYTES
            message = f"{length} is below the {least} of a header"
            return self._field(TOO_SHORT, frame.position, "batch_length", message, f">= {least}", length)
        if frame.size > self.limit:
            message = f"a batch of {frame.size} bytes is over the limit of {self.limit}; it is not checked"
            return self._field(
                OVERSIZED, frame.position, "batch_length", message, f"<= {self.limit - FRAME_BYTES}", length
            )
        return None

    def _field(self, broken: Rule, position: int, name: str, message: str, expected: str, found: int) -> Finding:
        return broken.at(self.file, field_position(position, name), f"record_batch.{name}", message, expected, found)

    def _take(self, frame: Frame, is_legacy: bool) -> None:
        self._frames.append(frame)
        self._is_legacy = is_legacy
        self._bytes = frame.position + frame.size - self._frames[0].position

    def _flush(self) -> Generator[BatchBlock | Finding, None, int | None]:
        """Hand out the frames taken so far; the result is where to go on if one of them leads astray."""
        frames = self._frames
        if not frames:
            return None
        start = frames[0].position
        data = self.source.read_at(start, self._bytes)
        self._frames, self._bytes = [], 0
        # Somebody may be cutting the file just now.
        ends = [frame.position + frame.size for frame in frames if frame.position + frame.size <= start + len(data)]
        return (yield from self._judge([start, *ends], data, start, self._is_legacy)) if ends else None

    def _judge(
        self, borders: list[int], data: bytes, start: int, is_legacy: bool
    ) -> Generator[BatchBlock | Finding, None, int | None]:
        """Hand out batches that follow each other in some bytes; the result is as that of `_flush`.

        ``borders``: the position of each, and that after the last; ``start``: that of the bytes.
        """
        border = np.array(borders, dtype=np.int64)
        position, size, view = border[:-1], border[1:] - border[:-1], memoryview(data)
        first, end = position - start, border[1:] - start
        if is_legacy:
            known = zip(first.tolist(), np.minimum(end, first + HEADER_BYTES).tolist(), strict=True)
            headers = np.frombuffer(b"".join(legacy_header(data[low:high]) for low, high in known), _HEADER)
        else:
            headers = headers_at(data, first)
        columns = headers.astype(_HEADER.newbyteorder("="))
        if is_legacy:
            covered = zip((first + _LEGACY_COVERED_FROM).tolist(), end.tolist(), strict=True)
            computed = np.array([_LEGACY_CRC_OF(view[low:high]) for low, high in covered], dtype=np.uint32)
        else:
            computed = crc32c_of_parts(np.frombuffer(data, np.uint8), first + _COVERED_FROM, end)
        is_sound = computed == columns["crc"]

        def block(since: int, until: int) -> Iterator[BatchBlock]:
            if since < until:
                rows = slice(since, until)
                valid_bytes = start + int(end[until - 1])
                headers = BatchHeaders(self.file, position[rows], size[rows], columns[rows], valid_bytes, None)
                yield self._block(headers, computed[rows], data, start, is_legacy)

        for row in np.flatnonzero(~is_sound).tolist():
            at, next_position = borders[row], borders[row + 1]
            if is_legacy and (not is_sound[row - 1] if row else self._after_hole):
                # After a damaged batch most bytes look like an older one: zeros do.
                resumed = self._resume(at)
                if resumed is not None:
                    yield from block(0, row)
                    magic = int(columns["magic"][row])
                    message = f"what follows a damaged batch looks like magic {magic}{_going_on(resumed)}"
                    yield self._field(MAGIC, at, "magic", message, str(CURRENT_MAGIC), magic)
                    self.is_whole, self._after_hole = False, True
                    return resumed
            resumed = self._resume(at, next_position)
            if resumed is not None:
                yield from block(0, row)
                length = next_position - at - FRAME_BYTES
                message = f"{length} leads beyond a sound batch{_going_on(resumed)}"
                expected = f"<= {resumed - at - FRAME_BYTES}"
                yield self._field(SWALLOWS, at, "batch_length", message, expected, length)
                yield from block(row, row + 1)
                self.is_whole, self._after_hole = False, True
                return resumed
        yield from block(0, len(position))
        return None

    def _block(
        self, headers: BatchHeaders, computed: npt.NDArray[np.uint32], data: bytes, start: int, is_legacy: bool
    ) -> BatchBlock:
        is_sound = computed == headers.crc
        after_hole = np.concatenate(([self._after_hole], ~is_sound[:-1]))
        self.batches_count += len(headers)
        self.current_count += 0 if is_legacy else len(headers)
        self.is_whole = self.is_whole and bool(is_sound.all())
        self._after_hole = not is_sound[-1]
        return BatchBlock(headers, computed, is_sound, after_hole, data, start, self.limit, is_legacy)

    def _stopped(self, walk: Walk, resumed: int | None) -> Finding:
        """The finding for the place where a walk ended early."""
        problem: Any = walk.problem
        left = walk.end - walk.position
        if resumed is None and is_room(self.source, walk.position):
            return ZERO_TAIL.at(self.file, walk.position, "", f"the last {left} bytes are zeros", "the end", left)
        if resumed is not None:
            going_on = _going_on(resumed)
        else:
            going_on = f"; the last {left} bytes are not checked"
        if not isinstance(problem, TruncatedError):
            message = f"{problem.found} is not the length of a batch{going_on}"
            return TOO_SHORT.at(
                self.file, problem.position, problem.path, message, f">= {HEADER_BYTES - FRAME_BYTES}", problem.found
            )
        if left < PEEK_BYTES:
            return TRAILING.at(self.file, walk.position, "", f"{left} bytes after the last batch", "the end", left)
        message = f"a batch of {problem.expected} begins where {left} are left{going_on}"
        return CUT_OFF.at(self.file, walk.position, "record_batch", message, problem.expected, left)

    def _resume(self, position: int, before: int = MAX_INT64) -> int | None:
        """The first known position between two others at which a sound batch begins."""
        known = np.asarray(self.resume_at, dtype=np.int64)
        first, end = np.searchsorted(known, position, side="right"), np.searchsorted(known, before)
        for candidate in known[first : min(end, first + _RESUME_TRIALS)].tolist():
            if candidate not in self._tried:
                self._tried[candidate] = self._is_sound(candidate)
            if self._tried[candidate]:
                return candidate
        return None

    def _is_sound(self, position: int) -> bool:
        """Whether a batch with a right checksum begins at a position."""
        batch = sound_batch(self.source, next(Walk(self.source, position), None), self.limit)
        return batch is not None and batch.magic <= CURRENT_MAGIC


def _going_on(position: int) -> str:
    return f"; the check continues at {position}, where the offset index says a batch begins"
