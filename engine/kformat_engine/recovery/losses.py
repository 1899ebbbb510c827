"""Sound batches that a recovery would cut: those after damage, in the same segment or in later ones.

If damage is above the recovery point, or in mode ``kafka``, the log ends there, as for a broker. Batches after it may
be sound; their bytes are kept aside, but no reader finds them in the log any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.damage.evidence import Content, Lost, Offsets, Standing, find_batches
from kformat.kafka.damage.saved_ranges import entries_in_order, known_positions
from kformat.kafka.files.file_kinds import parse_file_name
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from kformat_engine.recovery.evidence import SegmentFiles, first_offset
from kformat_engine.recovery.plan import INDEX_SUFFIXES
from kformat_engine.recovery.report import RecoveryFinding, RecoveryReport
from kformat_engine.recovery.table import ABOVE, Action, Kind
from kformat_engine.recovery.verification import MAX_OFFSET, MAX_RELATIVE_OFFSET, read_frames
from kformat_engine.segment import SWAP_SUFFIX

_MOST_STRETCHES: Final = 1000
"""The most damaged places of a segment that are examined; sound batches after the last of them are not counted."""


@dataclass(frozen=True)
class SoundAfter:
    """Sound batches that would be cut from a segment: how many, and the offsets from the first to the last of them.

    ``unanchored_count`` of them may be values of records (`kformat.kafka.damage.anchoring`).
    """

    file: str
    batches_count: int
    first_offset: int
    last_offset: int
    unanchored_count: int = 0

    def __str__(self) -> str:
        batches = f"{self.batches_count} sound batch{'' if self.batches_count == 1 else 'es'}"
        doubt = f" ({self.unanchored_count} may be values of records)" if self.unanchored_count else ""
        return f"{batches} of {self.file}, offsets {self.first_offset} to {self.last_offset}{doubt}"

    def as_dict(self) -> dict[str, Any]:
        """The fields for programs."""
        return asdict(self)


class _Sound:
    """Finds the sound batches after a damaged place of a segment, at any position (`kformat.kafka.damage.evidence`), in
    order.

    Their offsets must be valid in the segment, and fit those of the batches after them.
    """

    def __init__(self, files: SegmentFiles, source: ByteSource, position: int) -> None:
        self._source, self._end = source, min(files.base_offset + MAX_RELATIVE_OFFSET, MAX_OFFSET) + 1
        self._found = find_batches(
            source,
            position,
            known=known_positions(files),
            weakest=Content.STRUCTURAL,
            end_offset=self._end,
            limit=max(source.size, DEFAULT_INFLATE_LIMIT),
            entries=entries_in_order(files),
        )

    def after(self, position: int) -> tuple[AnyBatch, Standing] | None:
        """The first batch that begins after a position, which must grow from call to call."""
        for item in self._found:
            if isinstance(item, Lost) or item.position <= position or item.offsets is not Offsets.STORED:
                continue
            if item.content is Content.PROVED and item.is_as_stored:
                batch = item.batch(self._source, max(item.size, DEFAULT_INFLATE_LIMIT))
                if 0 <= first_offset(batch) <= batch.last_offset < self._end:
                    return batch, item.standing
        return None


def sound_after_damage(report: RecoveryReport) -> tuple[SoundAfter, ...]:
    """The sound batches that the plan of a recovery cuts, by segment; call it before the plan is carried out.

    Reads the bytes that would be cut. Raises OSError.
    """
    losses = (_of(report, finding, start) for finding, start in _cut(report))
    return tuple(loss for loss in losses if loss is not None)


def _cut(report: RecoveryReport) -> Iterator[tuple[RecoveryFinding, int]]:
    """The findings whose log is cut, or set aside because an earlier one is cut, and the position of the cut."""
    for finding in report:
        if finding.kind is not Kind.LOG:
            continue
        if finding.action in (Action.CUT, Action.CUT_SEGMENT):
            yield finding, finding.position or 0
        elif finding.action is Action.EMPTY:
            yield finding, 0
        elif finding.action is Action.SET_ASIDE and finding.state["place"] == ABOVE:
            yield finding, 0


def _of(report: RecoveryReport, finding: RecoveryFinding, start: int) -> SoundAfter | None:
    """Count the sound batches of a log from a position on."""
    name = parse_file_name(finding.file)
    log = report.folder / finding.file
    if not log.exists():  # it is renamed when the plan is carried out
        log = report.folder / (finding.file + SWAP_SUFFIX)
    assert name is not None
    beside = (log.with_name(finding.file.removesuffix("log") + suffix) for suffix in INDEX_SUFFIXES)
    files = SegmentFiles(name.offset, log, *(path if path.exists() else None for path in beside))
    count, unanchored, first, last = 0, 0, -1, -1
    sound, standing = None, Standing.ANCHORED
    with ByteSource(log) as source:
        for _ in range(_MOST_STRETCHES):
            frames = read_frames(log, start)
            if len(frames.headers):
                first = int(frames.headers.base_offset[0]) if first < 0 else first
                count, last = count + len(frames.headers), int(frames.headers.last_offset[-1])
                unanchored += len(frames.headers) if standing is Standing.UNANCHORED else 0
            if frames.problem is None:
                break
            damaged = frames.headers.valid_bytes
            sound = sound or _Sound(files, source, damaged)
            following = sound.after(damaged)
            if following is None:
                break
            batch, standing = following
            start, first = batch.position, first_offset(batch) if first < 0 else first
    return SoundAfter(finding.file, count, first, last, unanchored) if count else None
