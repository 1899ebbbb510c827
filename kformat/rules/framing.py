"""The framing of a log: batch behind batch, none too short, nothing behind the last.

`LogReader` walks over a log and hands out blocks of batches, a few megabytes at a time. It goes on behind a batch that
cannot be one wherever the length still leads to the next, and behind a length that leads nowhere at a position that the
caller knows of (the offset index has some).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.checksum import ALGORITHMS
from kformat.compression import DEFAULT_INFLATE_LIMIT
from kformat.errors import TruncatedError
from kformat.layout import layout
from kformat.records import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES, PEEK_BYTES, Batch, BatchHeaders, Frame, Walk
from kformat.rules import Finding, Rule, rule
from kformat.source import ByteSource

TOO_SHORT: Final = rule(
    "KF0101",
    "error",
    f"`batch_length` is at least {HEADER_BYTES - FRAME_BYTES}, what the rest of a header takes.",
    source="FileLogInputStream.nextBatch (below 14), DefaultRecordBatch.ensureValid (below 49)",
    kafka="Throws CorruptRecordException to whoever reads; recovery cuts the log here.",
)
CUT_OFF: Final = rule(
    "KF0102",
    "error",
    "The last batch is all there.",
    source="FileLogInputStream.nextBatch",
    kafka="Takes it for the end of the log; recovery cuts it off, otherwise new batches land behind it.",
)
TRAILING: Final = rule(
    "KF0103",
    "error",
    f"Behind the last batch there is nothing. (Fewer than {PEEK_BYTES} bytes, so no batch.)",
    source="FileLogInputStream.nextBatch",
    kafka="Takes them for the end of the log; recovery cuts them off, otherwise new batches land behind them.",
)
ZERO_TAIL: Final = rule(
    "KF0104",
    "warning",
    "The log does not end in zeros (left by `log.preallocate` or by a power failure).",
    source="FileLogInputStream.nextBatch, LogSegment.recover",
    kafka="Throws CorruptRecordException to whoever reads that far; recovery cuts the zeros off.",
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
    "A batch is within the size that the check was told to read at once.",
    source="`max.message.bytes`, by default 1 MiB",
    kafka="Reads it, given the memory.",
)

_BLOCK_BYTES: Final = 4 << 20
_BLOCK_BATCHES: Final = 8192
_RESUME_TRIALS: Final = 64

_LAYOUT: Final = layout("record_batch")
_ALGORITHM, _, _COVERED_FROM = _LAYOUT.checksum()
_HEADER: Final = _LAYOUT.header_dtype
_CRC_OF: Final = ALGORITHMS[_ALGORITHM]


def field_position(position: int, name: str) -> int:
    """Where a header's field lies, for the batch at a position."""
    return int(position) + _LAYOUT.position(name)


@dataclass(frozen=True)
class Block:
    """Some batches of magic 2 that follow each other in a log, perhaps with holes between them.

    Attributes:
        headers: the headers as columns.
        computed_crc: uint32 per batch.
        is_sound: bool per batch: the stored checksum is the computed one.
        after_hole: bool per batch: in front of it lies something that is no sound batch of magic 2.
        data, start: the bytes of all of them, and the position of the first.
    """

    headers: BatchHeaders
    computed_crc: npt.NDArray[np.uint32]
    is_sound: npt.NDArray[np.bool_]
    after_hole: npt.NDArray[np.bool_]
    data: bytes
    start: int
    limit: int

    @property
    def end(self) -> npt.NDArray[np.int64]:
        """Position behind each batch."""
        return self.headers.position + self.headers.size

    def batch(self, row: int, file: str) -> Batch:
        """One of them, whole."""
        at = int(self.headers.position[row])
        first = at - self.start
        return Batch(self.data[first : first + int(self.headers.size[row])], at, file, self.limit)


@dataclass
class LogReader:
    """Walks over a log once; `blocks` yields blocks and findings of the framing, in order of position.

    ``resume_at``: positions, ascending, at which batches may begin. ``limit``: the most bytes of one batch.
    Afterwards ``batches_count`` is the number of batches of magic 2, ``legacy`` maps magic 0 and 1 to their number, and
    ``is_whole`` says that there was nothing but sound batches of magic 2.
    """

    source: ByteSource
    file: str
    resume_at: npt.ArrayLike = ()
    limit: int = DEFAULT_INFLATE_LIMIT
    batches_count: int = 0
    legacy: dict[int, int] = field(default_factory=dict)
    legacy_position: int | None = None
    is_whole: bool = True

    def __post_init__(self) -> None:
        self._frames: list[Frame] = []
        self._holes: list[bool] = []
        self._bytes = 0
        self._after_hole = False

    def blocks(self) -> Iterator[Block | Finding]:
        start: int | None = 0
        while start is not None:
            walk = Walk(self.source, start)
            for frame in walk:
                is_legacy = 0 <= frame.magic < CURRENT_MAGIC
                finding = None if is_legacy else self._refused(frame)
                if finding is None and not is_legacy:
                    self._take(frame)
                    if self._bytes >= _BLOCK_BYTES or len(self._frames) >= _BLOCK_BATCHES:
                        yield from self._flush()
                    continue
                yield from self._flush()
                self.is_whole, self._after_hole = False, True
                if finding is not None:
                    yield finding
                    continue
                self.legacy[frame.magic] = self.legacy.get(frame.magic, 0) + 1
                if self.legacy_position is None:
                    self.legacy_position = frame.position
            yield from self._flush()
            start = None
            if walk.problem is not None:
                start = self._resume(walk)
                yield self._stopped(walk, start)
                self.is_whole, self._after_hole = False, True

    def _refused(self, frame: Frame) -> Finding | None:
        """What is wrong with a frame that is not to be looked into; None for a batch of magic 2."""
        found = frame.size - FRAME_BYTES
        if frame.magic != CURRENT_MAGIC:
            message = f"no format has magic {frame.magic}"
            return self._field(MAGIC, frame, "magic", message, f"0 to {CURRENT_MAGIC}", frame.magic)
        if frame.size < HEADER_BYTES:
            least = HEADER_BYTES - FRAME_BYTES
            message = f"{found} is below the {least} of a header"
            return self._field(TOO_SHORT, frame, "batch_length", message, f">= {least}", found)
        if frame.size > self.limit:
            message = f"a batch of {frame.size} bytes is over the limit of {self.limit}; it is not looked into"
            return self._field(OVERSIZED, frame, "batch_length", message, f"<= {self.limit - FRAME_BYTES}", found)
        return None

    def _field(self, broken: Rule, frame: Frame, name: str, message: str, expected: str, found: int) -> Finding:
        position = field_position(frame.position, name)
        return broken.at(self.file, position, f"record_batch.{name}", message, expected, found)

    def _take(self, frame: Frame) -> None:
        self._frames.append(frame)
        self._holes.append(self._after_hole)
        self._bytes = frame.position + frame.size - self._frames[0].position
        self._after_hole = False

    def _flush(self) -> Iterator[Block]:
        frames, holes = self._frames, np.array(self._holes, dtype=np.bool_)
        if not frames:
            return
        start = frames[0].position
        data = self.source.read_at(start, self._bytes)
        self._frames, self._holes, self._bytes = [], [], 0
        frames = [frame for frame in frames if frame.position + frame.size <= start + len(data)]  # it was just cut
        holes = holes[: len(frames)]
        if not frames:
            return
        view = memoryview(data)
        computed = np.array(
            [_CRC_OF(view[f.position - start + _COVERED_FROM : f.position - start + f.size]) for f in frames], np.uint32
        )
        columns = np.frombuffer(b"".join(frame.start for frame in frames), dtype=_HEADER)
        headers = BatchHeaders(
            source=self.file,
            position=np.array([frame.position for frame in frames], dtype=np.int64),
            size=np.array([frame.size for frame in frames], dtype=np.int64),
            columns=columns.astype(_HEADER.newbyteorder("=")),
            valid_bytes=start + len(data),
            problem=None,
            legacy_magic=None,
        )
        is_sound = computed == headers.crc
        holes[1:] |= ~is_sound[:-1]
        self.batches_count += len(frames)
        if not is_sound.all():
            self.is_whole = False
        self._after_hole = self._after_hole or not is_sound[-1]
        yield Block(headers, computed, is_sound, holes, data, start, self.limit)

    def _stopped(self, walk: Walk, resumed: int | None) -> Finding:
        """The finding for the place where a walk ended early."""
        problem: Any = walk.problem
        left = walk.end - walk.position
        if resumed is None and self._is_zero(walk.position):
            return ZERO_TAIL.at(self.file, walk.position, "", f"the last {left} bytes are zeros", "the end", left)
        if resumed is not None:
            behind = f"; going on at {resumed}, where the offset index says that a batch begins"
        else:
            behind = f"; nothing of the last {left} bytes is looked at"
        if not isinstance(problem, TruncatedError):
            message = f"{problem.found} is not the length of a batch{behind}"
            return TOO_SHORT.at(
                self.file, problem.position, problem.path, message, f">= {HEADER_BYTES - FRAME_BYTES}", problem.found
            )
        if left < PEEK_BYTES:
            return TRAILING.at(self.file, walk.position, "", f"{left} bytes behind the last batch", "the end", left)
        message = f"a batch of {problem.expected} begins where {left} are left{behind}"
        return CUT_OFF.at(self.file, walk.position, "record_batch", message, problem.expected, left)

    def _is_zero(self, position: int) -> bool:
        while position < self.source.size:
            part = self.source.read_at(position, _BLOCK_BYTES)
            if part.count(0) != len(part) or not part:
                return False
            position += len(part)
        return True

    def _resume(self, walk: Walk) -> int | None:
        """The next known position at which a sound batch begins."""
        known = np.asarray(self.resume_at, dtype=np.int64)
        first = int(np.searchsorted(known, walk.position, side="right"))
        for position in known[first : first + _RESUME_TRIALS].tolist():
            frame = next(Walk(self.source, position), None)
            if (
                frame is not None
                and frame.magic == CURRENT_MAGIC
                and HEADER_BYTES <= frame.size <= self.limit
                and Batch(self.source.read_at(frame.position, frame.size)).is_valid
            ):
                return frame.position
        return None
