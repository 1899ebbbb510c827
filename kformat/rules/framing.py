"""The framing of a log: batch behind batch, none too short, nothing behind the last.

`LogReader` walks over a log and hands out blocks of batches, a few megabytes at a time. It goes on behind a batch that
cannot be one wherever the length still leads to the next, and behind a length that leads nowhere at a position that the
caller knows of (the offset index has some).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.batches import BatchHeaders
from kformat.checksum import ALGORITHMS
from kformat.compression import DEFAULT_INFLATE_LIMIT
from kformat.errors import TruncatedError
from kformat.framing import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES, MINIMUM_LENGTH, PEEK_BYTES, Frame, Walk
from kformat.layout import layout
from kformat.records import Batch
from kformat.rules import Finding, Rule, rule
from kformat.source import ByteSource

TOO_SHORT: Final = rule(
    "KF0101",
    "error",
    f"`batch_length` is at least {HEADER_BYTES - FRAME_BYTES}, what the rest of a header takes.",
    source=f"FileLogInputStream.nextBatch (below {MINIMUM_LENGTH}), "
    f"DefaultRecordBatch.ensureValid (below {HEADER_BYTES - FRAME_BYTES})",
    kafka="Throws CorruptRecordException to whoever reads; recovery cuts the log here.",
)
CUT_OFF: Final = rule(
    "KF0102",
    "error",
    "A batch is all there.",
    source="FileLogInputStream.nextBatch",
    kafka="Takes it for the end of the log; recovery cuts the log here, otherwise new batches land behind the rest.",
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
_ALGORITHM, _, _COVERED_FROM = _LAYOUT.checksum()
_HEADER: Final = _LAYOUT.header_dtype
_CRC_OF: Final = ALGORITHMS[_ALGORITHM]


def field_position(position: int, name: str) -> int:
    """Where a header's field lies, for the batch at a position."""
    return int(position) + _LAYOUT.position(name)


@dataclass(frozen=True, eq=False)
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
        self._after_damage = False  # that hole is no older batch

    def blocks(self) -> Iterator[Block | Finding]:
        start: int | None = 0
        while start is not None:
            start = yield from self._walk(start)

    def _walk(self, start: int) -> Generator[Block | Finding, None, int | None]:
        """Walk as far as the framing leads; the result is where to go on, or None."""
        walk = Walk(self.source, start)
        for frame in walk:
            is_legacy = 0 <= frame.magic < CURRENT_MAGIC
            finding = None if is_legacy else self._refused(frame)
            if finding is None and not is_legacy:
                self._take(frame)
                if self._bytes < _BLOCK_BYTES and len(self._frames) < _BLOCK_BATCHES:
                    continue
            resumed = yield from self._flush()
            if resumed is not None:
                return resumed
            if is_legacy and self._after_damage:
                # Behind a damaged batch most bytes look like an older one: zeros do.
                resumed = self._resume(frame.position)
                if resumed is not None:
                    message = f"what follows a damaged batch looks like magic {frame.magic}{_going_on(resumed)}"
                    yield self._field(MAGIC, frame, "magic", message, str(CURRENT_MAGIC), frame.magic)
                    return resumed
            if is_legacy:
                self.legacy[frame.magic] = self.legacy.get(frame.magic, 0) + 1
                if self.legacy_position is None:
                    self.legacy_position = frame.position
            if is_legacy or finding is not None:
                self.is_whole, self._after_hole = False, True
            if finding is not None:
                self._after_damage = True
                yield finding
        resumed = yield from self._flush()
        if resumed is None and walk.problem is not None:
            resumed = self._resume(walk.position)
            yield self._stopped(walk, resumed)
            self.is_whole, self._after_hole, self._after_damage = False, True, True
        return resumed

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

    def _flush(self) -> Generator[Block | Finding, None, int | None]:
        """Hand out the frames taken so far; the result is where to go on if one of them leads astray."""
        frames, holes = self._frames, np.array(self._holes, dtype=np.bool_)
        if not frames:
            return None
        start = frames[0].position
        data = self.source.read_at(start, self._bytes)
        self._frames, self._holes, self._bytes = [], [], 0
        view = memoryview(data)
        raw = [view[frame.position - start : frame.position - start + frame.size] for frame in frames]
        if len(raw[-1]) < frames[-1].size:  # somebody is cutting the file just now
            kept = sum(len(part) == frame.size for part, frame in zip(raw, frames, strict=True))
            frames, raw, holes = frames[:kept], raw[:kept], holes[:kept]
        computed = np.array([_CRC_OF(part[_COVERED_FROM:]) for part in raw], dtype=np.uint32)
        columns = np.frombuffer(b"".join(part[:HEADER_BYTES] for part in raw), dtype=_HEADER)
        is_sound = computed == columns["crc"]
        resumed = None
        for row in np.flatnonzero(~is_sound).tolist():
            frame = frames[row]
            resumed = self._resume(frame.position, frame.position + frame.size)
            if resumed is not None:
                found = frame.size - FRAME_BYTES
                message = f"{found} leads beyond a sound batch{_going_on(resumed)}"
                expected = f"<= {resumed - frame.position - FRAME_BYTES}"
                yield self._field(SWALLOWS, frame, "batch_length", message, expected, found)
                frames, columns, computed, is_sound = (
                    frames[: row + 1],
                    columns[: row + 1],
                    computed[: row + 1],
                    is_sound[: row + 1],
                )
                break
        if not frames:
            return None
        holes = holes[: len(frames)]
        holes[1:] |= ~is_sound[:-1]
        self.batches_count += len(frames)
        self.is_whole = self.is_whole and bool(is_sound.all())
        self._after_hole = self._after_damage = not is_sound[-1]
        headers = BatchHeaders(
            source=self.file,
            position=np.array([frame.position for frame in frames], dtype=np.int64),
            size=np.array([frame.size for frame in frames], dtype=np.int64),
            columns=columns.astype(_HEADER.newbyteorder("=")),
            valid_bytes=start + len(data),
            problem=None,
        )
        yield Block(headers, computed, is_sound, holes, data, start, self.limit)
        return resumed

    def _stopped(self, walk: Walk, resumed: int | None) -> Finding:
        """The finding for the place where a walk ended early."""
        problem: Any = walk.problem
        left = walk.end - walk.position
        if resumed is None and self._is_zero(walk.position):
            return ZERO_TAIL.at(self.file, walk.position, "", f"the last {left} bytes are zeros", "the end", left)
        if resumed is not None:
            behind = _going_on(resumed)
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

    def _resume(self, position: int, before: int = 2**63 - 1) -> int | None:
        """The first known position between two others at which a sound batch begins."""
        known = np.asarray(self.resume_at, dtype=np.int64)
        first, end = np.searchsorted(known, position, side="right"), np.searchsorted(known, before)
        for candidate in known[first : min(end, first + _RESUME_TRIALS)].tolist():
            frame = next(Walk(self.source, candidate), None)
            if (
                frame is not None
                and frame.magic == CURRENT_MAGIC
                and HEADER_BYTES <= frame.size <= self.limit
                and Batch(self.source.read_at(frame.position, frame.size)).is_valid
            ):
                return frame.position
        return None


def _going_on(position: int) -> str:
    return f"; going on at {position}, where the offset index says that a batch begins"
