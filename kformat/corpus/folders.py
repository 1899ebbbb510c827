"""Parts in, the files of a partition's folder out: log, indexes, transaction index, producer snapshots, sidecars.

All files except the log are those that a broker would have written next to these batches, so all files of a folder are
consistent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from kformat.codec.constructs import build
from kformat.corpus.parts import CorpusFile, Covers, LogPart
from kformat.kafka.batch.records import add_sequence, subtract_sequence
from kformat.kafka.files.file_kinds import describe_file, file_name
from kformat.kafka.files.text_files import EpochEntry, LeaderEpochs, PartitionMetadata, build_sidecar
from kformat.kafka.index.indexing import (
    DEFAULT_INDEX_INTERVAL_BYTES,
    DEFAULT_PROFILE,
    Entries,
    IndexedBatches,
    index_entries,
    recovered_entries,
    round_index_size,
)
from kformat.language.layout import layout
from kformat.language.logical import uuid_text

MAGIC_WITH_EPOCHS: Final = 2


@dataclass(frozen=True)
class PlannedSegment:
    """A segment to be written.

    ``parts`` are the parts of its log. ``append_id``: parts with the same number came with one append, as in
    `IndexedBatches`. ``recovered``: the indexes are those of a broker that was killed and started again.
    ``room_bytes``: the segment is in use, or its broker was killed; its indexes have this size
    (`segment.index.bytes`) and end in zeros, and the time index lacks the entry of a roll.
    """

    base_offset: int
    parts: Sequence[LogPart]
    append_id: Sequence[int] | None = None
    recovered: bool = False
    room_bytes: int | None = None


def of_kind(path: str, data: bytes, covers: Covers, parts: Sequence[LogPart] = (), entries: Any = None) -> CorpusFile:
    """A file whose kind follows from its name."""
    return CorpusFile(path, data, describe_file(path.rsplit("/", 1)[-1])[0], covers, tuple(parts), entries)


def log_file(path: str, parts: Sequence[LogPart], edge: Iterable[str] = ()) -> CorpusFile:
    """A file of batches; its coverage follows from them."""
    covers = Covers(
        magic=tuple(sorted({part.magic for part in parts})),
        codec=tuple(sorted({part.codec for part in parts})),
        attributes=tuple(sorted({word for part in parts for word in (*part.attributes, *part.controls)})),
        edge=tuple(edge),
    )
    return of_kind(path, b"".join(part.data for part in parts), covers, parts)


def partition(
    folder: str,
    segments: Sequence[PlannedSegment],
    *,
    edge: Iterable[str] = (),
    profile: str = DEFAULT_PROFILE,
    index_interval_bytes: int = DEFAULT_INDEX_INTERVAL_BYTES,
    topic_id: bytes | None = None,
    snapshots: bool = True,
    indexes: bool = True,
) -> list[CorpusFile]:
    """All files of a partition's folder.

    Args:
        folder: path below the corpus.
        edge: what is rare in the logs, in words.
        profile, index_interval_bytes: as in `indexing`.
        topic_id: 16 bytes; None for a broker that has none (before 2.8).
        snapshots, indexes: False for a broker that is too old for producer snapshots, or a folder without indexes.
    """
    files: list[CorpusFile] = []
    transactions, producers = _Transactions(), _Producers()
    epochs: list[EpochEntry] = []
    edge = tuple(edge)
    for number, segment in enumerate(segments):
        stem, base = f"{folder}/", segment.base_offset
        files.append(log_file(stem + file_name(base, "log"), segment.parts, edge))
        if indexes:
            files += _indexes(stem, segment, profile, index_interval_bytes, edge)
        aborted = [entry for part in segment.parts for entry in transactions.feed(part)]
        if aborted:
            data = build("transaction_index", {"entries": aborted})
            name = stem + file_name(base, "txnindex")
            files.append(of_kind(name, data, Covers(edge=edge), entries=aborted))
        if snapshots and number:
            files.append(producers.snapshot(folder, base, edge))
        for part in segment.parts:
            producers.feed(part)
            if part.magic >= MAGIC_WITH_EPOCHS and part.epoch >= 0 and (not epochs or part.epoch > epochs[-1].epoch):
                epochs.append(EpochEntry(part.epoch, part.base_offset))
    if snapshots:
        end = max((part.last_offset + 1 for segment in segments for part in segment.parts), default=0)
        if end > segments[-1].base_offset:
            files.append(producers.snapshot(folder, end, edge))
    files.append(sidecar(f"{folder}/leader-epoch-checkpoint", LeaderEpochs(tuple(epochs)), edge))
    if topic_id is not None:
        files.append(sidecar(f"{folder}/partition.metadata", PartitionMetadata(uuid_text(topic_id)), edge))
    return files


def sidecar(path: str, value: Any, edge: Iterable[str] = (), data: bytes | None = None) -> CorpusFile:
    """A text file; ``data``: its content, if Kafka itself would write another."""
    built = build_sidecar(path, value) if data is None else data
    return of_kind(path, built, Covers(edge=tuple(edge)), entries=_plain(value))


def _plain(value: Any) -> Any:
    """A sidecar's value for JSON."""
    if hasattr(value, "_asdict"):
        return value._asdict()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return value


# --- indexes -------------------------------------------------------------------------------------------------------


def indexed(parts: Sequence[LogPart], append_id: Sequence[int] | None = None) -> IndexedBatches:
    """The parts of a log as input for indexing."""
    sizes = [part.size for part in parts]
    return IndexedBatches(
        position=[sum(sizes[:number]) for number in range(len(sizes))],
        size=sizes,
        base_offset=[part.base_offset for part in parts],
        last_offset=[part.last_offset for part in parts],
        max_timestamp=[part.max_timestamp for part in parts],
        max_timestamp_offset=[part.max_timestamp_offset for part in parts],
        append_id=append_id,
    )


def _indexes(
    stem: str, segment: PlannedSegment, profile: str, index_interval_bytes: int, edge: tuple[str, ...]
) -> list[CorpusFile]:
    batches = indexed(segment.parts, segment.append_id)
    if segment.recovered:
        entries = recovered_entries(
            batches, base_offset=segment.base_offset, profile=profile, index_interval_bytes=index_interval_bytes
        )
    else:
        entries = index_entries(
            batches,
            base_offset=segment.base_offset,
            profile=profile,
            index_interval_bytes=index_interval_bytes,
            closed=segment.room_bytes is None,
            max_index_size_bytes=segment.room_bytes,
        )
    return [
        _index(stem, segment, entries, "offset_index", "index", (*edge, profile)),
        _index(stem, segment, entries, "time_index", "timeindex", (*edge, profile)),
    ]


def _index(
    stem: str, segment: PlannedSegment, entries: Entries, kind: str, suffix: str, edge: tuple[str, ...]
) -> CorpusFile:
    rows = getattr(entries, kind)
    data = rows.tobytes()
    if segment.room_bytes is not None:
        data = data.ljust(round_index_size(segment.room_bytes, layout(f"{kind}::entry").size), b"\0")
        edge = (*edge, "zero padded")
    elif not data:
        edge = (*edge, "empty")
    index_entries = [
        {name: int(row[name]) + (segment.base_offset if name == "relative_offset" else 0) for name in rows.dtype.names}
        for row in rows
    ]
    for entry in index_entries:
        entry["offset"] = entry.pop("relative_offset")
    return of_kind(stem + file_name(segment.base_offset, suffix), data, Covers(edge=edge), entries=index_entries)


# --- what a partition remembers of producers ------------------------------------------------------------------------


class _Transactions:
    """Open transactions of a partition: UnifiedLog.updateProducers, ProducerStateManager.completeTxn."""

    def __init__(self) -> None:
        self.first_offsets: dict[int, int] = {}

    def feed(self, part: LogPart) -> list[dict[str, int]]:
        """The transaction index entries for this batch: one if it aborts a transaction."""
        if part.producer is None or not part.is_transactional:
            return []
        if "control" not in part.attributes:
            self.first_offsets.setdefault(part.producer.id, part.base_offset)
            return []
        first = self.first_offsets.pop(part.producer.id, None)
        if first is None or part.controls != ("abort",):
            return []
        stable = min(self.first_offsets.values(), default=part.last_offset + 1)
        return [
            {
                "producer_id": part.producer.id,
                "first_offset": first,
                "last_offset": part.last_offset,
                "last_stable_offset": stable,
            }
        ]


class _Producers:
    """The latest state of each producer, as in a snapshot: ProducerStateEntry, ProducerAppendInfo."""

    def __init__(self) -> None:
        self.entries: dict[int, dict[str, int]] = {}

    def feed(self, part: LogPart) -> None:
        if part.producer is None:
            return
        id, epoch, sequence = part.producer
        entry = self.entries.get(id)
        if entry is None or entry["producer_epoch"] != epoch:
            before = {} if entry is None else entry
            entry = self.entries[id] = {
                "producer_id": id,
                "producer_epoch": epoch,
                "last_sequence": -1,
                "last_offset": -1,
                "offset_delta": 0,
                "timestamp": before.get("timestamp", -1),
                "coordinator_epoch": before.get("coordinator_epoch", -1),
                "current_txn_first_offset": before.get("current_txn_first_offset", -1),
            }
        if "control" in part.attributes:
            if part.controls:  # of an emptied batch nothing is left to be read
                entry["coordinator_epoch"], entry["current_txn_first_offset"] = part.coordinator_epoch, -1
                entry["timestamp"] = part.max_timestamp
            return
        delta = part.last_offset - part.base_offset
        last_sequence = add_sequence(sequence, delta)
        entry["last_sequence"], entry["last_offset"] = last_sequence, part.last_offset
        entry["offset_delta"], entry["timestamp"] = subtract_sequence(last_sequence, sequence), part.max_timestamp
        if part.is_transactional and entry["current_txn_first_offset"] < 0:
            entry["current_txn_first_offset"] = part.base_offset

    def snapshot(self, folder: str, end_offset: int, edge: tuple[str, ...]) -> CorpusFile:
        """The snapshot of everything below an offset."""
        entries = [dict(entry) for entry in self.entries.values()]
        data = build("producer_snapshot", {"entries": entries})
        covers = Covers(edge=edge if entries else (*edge, "empty"))
        return of_kind(f"{folder}/{file_name(end_offset, 'snapshot')}", data, covers, entries=entries)


def renamed(files: Iterable[CorpusFile], old: str, new: str) -> list[CorpusFile]:
    """The files of one folder, moved to another."""
    return [replace(file, path=new + file.path.removeprefix(old)) for file in files]


__all__ = [
    "PlannedSegment",
    "file_name",
    "indexed",
    "log_file",
    "of_kind",
    "partition",
    "renamed",
    "sidecar",
]
