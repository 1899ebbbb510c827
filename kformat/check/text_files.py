"""The text files next to the logs: Kafka must be able to parse them, and they must agree with the logs.

A root's checkpoints are written every few seconds or minutes, and when a broker stops. So they may be out of date: a
file may name less than the log has, but never more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from kformat.errors import DataError
from kformat.kafka.files.file_kinds import CLEAN_SHUTDOWN_FILE, CLUSTER_METADATA, describe_file, kind_of
from kformat.kafka.files.text_files import LeaderEpochs, PartitionMetadata, Sidecar, TopicOffsets, parse_sidecar
from kformat.kafka.findings.entries import Int64Array
from kformat.kafka.findings.log_blocks import BatchBlock
from kformat.kafka.findings.rules import MOST_FINDINGS, Finding, Rule, at_most, rule
from kformat.kafka.log.chosen import Chosen
from kformat.storage.byte_source import ByteSource

UNREADABLE: Final = rule(
    "KF0801",
    "error",
    "Kafka can read the text file: leader epochs, high watermarks, a topic's id, a broker's ids, the quorum's state.",
    source="CheckpointFile, PartitionMetadataFile, MetaProperties, FileQuorumStateStore",
    kafka="Does not load the partition, takes the log directory offline, or does not start.",
)
PASSED_OVER: Final = rule(
    "KF0802",
    "warning",
    "Kafka can read the text file: recovery points, log start offsets, how far the cleaner came, a clean shutdown.",
    source="CheckpointFile (LogManager.loadLogs, LogCleanerManager), CleanShutdownFileHandler",
    kafka="Goes on without it: recovers more than it had to, shows deleted records again, cleans from the start.",
)
EPOCHS_RISE: Final = rule(
    "KF0803",
    "warning",
    "In `leader-epoch-checkpoint` epochs rise, start offsets do not fall, and nothing is negative.",
    source="LeaderEpochFileCache.assign",
    kafka="Drops the entries that a later one contradicts when it loads the log.",
)
EPOCH_OF_BATCH: Final = rule(
    "KF0804",
    "error",
    "A batch has the leader epoch that `leader-epoch-checkpoint` says for its offset.",
    source="LeaderEpochFileCache.assign, UnifiedLog.append",
    kafka="Tells followers wrong ends of epochs: they cut off too much or too little, and replicas diverge.",
)
EPOCH_DROPPED: Final = rule(
    "KF0813",
    "warning",
    "A batch with a later leader epoch than `leader-epoch-checkpoint` says for its offset has one that the file knows.",
    source="Partition.makeLeader, LeaderEpochFileCache.assign",
    kafka="Drops epochs above its own when it leads a log that somebody else wrote to, and serves the records all the "
    "same. To a follower that asks for the end of such an epoch it says that of an earlier one: the follower cuts off "
    "more than it had to, and fetches it again.",
)
EPOCH_BEYOND: Final = rule(
    "KF0805",
    "warning",
    "No epoch of `leader-epoch-checkpoint` begins after the end of the log.",
    source="LeaderEpochFileCache.truncateFromEnd (LogLoader)",
    kafka="Drops the entry when it loads the log. What lay between in the log is not there any more.",
)
RECOVERY_POINT: Final = rule(
    "KF0806",
    "error",
    "A partition's log reaches to its recovery point.",
    source="LogLoader.recoverLog",
    kafka="Goes on from the log's end. What lay between had been flushed to the disk, and is lost.",
)
HIGH_WATERMARK: Final = rule(
    "KF0807",
    "error",
    "A partition's log reaches to its high watermark.",
    source="UnifiedLog.updateHighWatermark",
    kafka="Lowers it to the log's end. What lay between had been acknowledged, and is lost here.",
)
LOG_START: Final = rule(
    "KF0808",
    "error",
    "A partition's log reaches to its start offset.",
    source="LogLoader.recoverLog",
    kafka="Deletes all segments when it loads the log, and begins an empty one at the start offset.",
)
CLEANED: Final = rule(
    "KF0809",
    "warning",
    "A partition's log reaches to where its cleaner came.",
    source="LogCleanerManager.cleanableOffsets",
    kafka="Cleans the log from its start again.",
)
NEGATIVE: Final = rule(
    "KF0810",
    "warning",
    "Partitions and offsets in the root's checkpoints are not negative.",
    source="OffsetCheckpointFile",
    kafka="Takes them as they are: most mean the start of the log.",
)
NO_FOLDER: Final = rule(
    "KF0811",
    "info",
    "A partition that the root's checkpoints name has a folder, or a `-future` folder, into which a broker moves it "
    "from another log directory.",
    source="LogManager.checkpointRecoveryOffsetsInDir, ReplicaManager.checkpointHighWatermarks",
    kafka="Passes over the entry, and drops it when it writes the file again.",
)
TOPIC_ID: Final = rule(
    "KF0812",
    "error",
    "All partitions of a topic in a root have the same id in their `partition.metadata`.",
    source="UnifiedLog.maybeAssignTopicId, LogManager.isStrayReplica",
    kafka="Takes partitions whose id differs from the cluster's for leftovers: refuses them, or moves them away.",
)

_OFFSET_RULES: Final = {
    "recovery-point-offset-checkpoint": (RECOVERY_POINT, "recovery point"),
    "replication-offset-checkpoint": (HIGH_WATERMARK, "high watermark"),
    "log-start-offset-checkpoint": (LOG_START, "log start offset"),
    "cleaner-offset-checkpoint": (CLEANED, "cleaned offset"),
}
_HEAD_LINES: Final = 2


@dataclass
class TextFile:
    """A text file as read; ``value`` is None if it cannot be parsed, which is also a finding."""

    file: str
    name: str
    value: Sidecar | None
    line_starts: list[int]
    findings: list[Finding]

    def at(self, broken: Rule, number: int, message: str, expected: object = None, found: object = None) -> Finding:
        """A finding about an entry of a checkpoint, at the entry's line."""
        line = number + _HEAD_LINES
        position = self.line_starts[line] if line < len(self.line_starts) else None
        path = f"{describe_file(self.name)[0]}.entries[{number}]"
        return broken.at(self.file, position, path, message, expected, found)


def read_text_file(source: ByteSource, file: str, name: str) -> TextFile:
    """Read a text file and apply the rules that need nothing else; raises OSError."""
    data = source.read_at(0, source.size)
    starts, position = [], 0
    for line in data.splitlines(keepends=True):
        starts.append(position)
        position += len(line)
    text_file = TextFile(file, name, None, starts, [])
    try:
        text_file.value = parse_sidecar(name, data, source=file)
    except DataError as error:
        row = kind_of(name)
        broken, message = UNREADABLE if row is not None and row.is_vital else PASSED_OVER, error.message
        if error.expected is not None:
            message += f": {error.found if error.found is not None else 'nothing'}, expected {error.expected}"
        text_file.findings.append(broken.at(file, error.position, error.path, message, error.expected, error.found))
    match text_file.value:
        case LeaderEpochs():
            text_file.findings += _rising(text_file, text_file.value)
        case TopicOffsets():
            text_file.findings += _negative(text_file, text_file.value)
    text_file.findings = at_most(text_file.findings)
    return text_file


def _rising(text: TextFile, value: LeaderEpochs) -> Iterator[Finding]:
    before = (0, 0)
    for number, entry in enumerate(value.entries):
        # Up to 1.1 an epoch in which nothing was written stayed, with the start offset of the next.
        for name, actual, least in zip(entry._fields, entry, before, strict=True):
            if actual < least:
                says = "is negative" if actual < 0 else f"comes after {before[0] - 1 if name == 'epoch' else before[1]}"
                message = f"{name} {actual} {says}"
                yield text.at(EPOCHS_RISE, number, message, f">= {least}", actual)
        before = (entry.epoch + 1, entry.start_offset)


def _negative(text: TextFile, value: TopicOffsets) -> Iterator[Finding]:
    for number, entry in enumerate(value.entries):
        for name in ("partition", "offset"):
            actual = getattr(entry, name)
            if actual < 0:
                yield text.at(NEGATIVE, number, f"{name} {actual} of {entry.topic} is negative", ">= 0", actual)


class EpochsOfBatches:
    """The leader epochs of the batches of one log, compared with entries: feed the blocks of the log.

    Batches below the first entry are not judged: the file may have been started again, or its start moved. ``wrong``:
    (number of the entry, epoch found) -> (first offset, number of batches), for as many as may be reported.
    """

    def __init__(self, epochs: Int64Array, starts: Int64Array) -> None:
        self.epochs, self.starts = epochs, starts
        self.wrong: dict[tuple[int, int], tuple[int, int]] = {}

    def feed(self, block: BatchBlock) -> None:
        """Compare the batches of a block."""
        headers = block.headers
        if not len(self.epochs) or block.is_legacy:
            return
        entry = np.searchsorted(self.starts, headers.base_offset, side="right") - 1
        epochs = headers.partition_leader_epoch
        wrong = block.is_sound & (epochs >= 0) & (entry >= 0) & (self.epochs[np.maximum(entry, 0)] != epochs)
        for row in np.flatnonzero(wrong).tolist():
            self.add((int(entry[row]), int(epochs[row])), int(headers.base_offset[row]), 1)

    def add(self, key: tuple[int, int], first_offset: int, count: int) -> None:
        """Count batches with the same wrong epoch."""
        if key in self.wrong or len(self.wrong) < MOST_FINDINGS:
            offset, before = self.wrong.get(key, (first_offset, 0))
            self.wrong[key] = offset, before + count


class EpochCheck:
    """A folder's `leader-epoch-checkpoint` compared with its logs: take each log's epochs, then ask for findings."""

    def __init__(self, text: TextFile) -> None:
        self.text = text
        entries = text.value.entries if isinstance(text.value, LeaderEpochs) and not text.findings else ()
        self.epochs = np.array([entry.epoch for entry in entries], dtype=np.int64)
        self.starts = np.array([entry.start_offset for entry in entries], dtype=np.int64)
        self._all = EpochsOfBatches(self.epochs, self.starts)

    @property
    def entries(self) -> tuple[Int64Array, Int64Array]:
        """Epochs and start offsets, for the `EpochsOfBatches` of each log."""
        return self.epochs, self.starts

    def take(self, epochs: EpochsOfBatches) -> None:
        """Add the wrong epochs of a log; segments come in order of their base offsets."""
        for key, (first_offset, count) in epochs.wrong.items():
            self._all.add(key, first_offset, count)

    def findings(self, log_end_offset: int | None) -> Iterator[Finding]:
        """Findings on entries that the logs contradict; ``log_end_offset``: None if unknown."""
        for (number, epoch), (offset, count) in sorted(self._all.wrong.items()):
            expected = int(self.epochs[number])
            broken = EPOCH_DROPPED if epoch > expected and epoch not in self.epochs else EPOCH_OF_BATCH
            message = f"epoch {expected} from offset {self.starts[number]} on, and the batch at {offset} has {epoch}"
            message += f", and {count - 1} more like it" if count > 1 else ""
            yield self.text.at(broken, number, message, expected, epoch)
        if log_end_offset is not None:
            for number in np.flatnonzero(self.starts > log_end_offset).tolist():
                start = int(self.starts[number])
                message = f"epoch {self.epochs[number]} begins at {start}, and the log ends at {log_end_offset}"
                yield self.text.at(EPOCH_BEYOND, number, message, f"<= {log_end_offset}", start)


@dataclass
class PartitionFacts:
    """A partition's facts to compare a root's files with: ``log_end_offset`` is None if the log's end is unknown.

    ``texts``: the text files of its folder by name. ``untrimmed``: findings on indexes that are valid only if a broker
    had closed the log. ``is_whole``: all its logs were read, and have nothing but sound batches.
    """

    path: str
    log_end_offset: int | None = None
    texts: Mapping[str, TextFile] = field(default_factory=dict)
    untrimmed: Sequence[Finding] = ()
    is_whole: bool = False

    @property
    def metadata(self) -> TextFile | None:
        """Its partition.metadata, if it has one."""
        return self.texts.get("partition.metadata")

    @property
    def topic_id(self) -> str | None:
        """The topic id in partition.metadata; None if there is none."""
        value = None if self.metadata is None else self.metadata.value
        return value.topic_id if isinstance(value, PartitionMetadata) else None


Partitions = dict[tuple[str, int], PartitionFacts]
"""By topic and partition."""


def root_findings(
    files: list[TextFile], partitions: Partitions, moving_in: Collection[tuple[str, int]], which: Chosen
) -> Iterator[Finding]:
    """Findings on the files of a root that contradict its partitions; none if it has no partitions.

    ``moving_in``: topic and partition of the `-future` folders. ``which`` partitions are judged.
    """
    if not partitions:
        return
    for text in files:
        if isinstance(text.value, TopicOffsets) and text.name in _OFFSET_RULES:
            yield from _offset_findings(text, text.value, partitions, moving_in, which)
    yield from _not_closed(files, partitions)
    yield from _topic_ids(partitions)


def _offset_findings(
    text: TextFile,
    value: TopicOffsets,
    partitions: Partitions,
    moving_in: Collection[tuple[str, int]],
    which: Chosen,
) -> Iterator[Finding]:
    broken, word = _OFFSET_RULES[text.name]
    for number, (topic, partition, offset) in enumerate(value.entries):
        facts = partitions.get((topic, partition))
        if not which.takes(topic, partition):
            continue
        if facts is None and (topic, partition) not in moving_in:
            yield text.at(NO_FOLDER, number, f"there is no folder {topic}-{partition}", None, None)
        elif facts is not None and facts.log_end_offset is not None and offset > facts.log_end_offset:
            message = f"{topic}-{partition} has {word} {offset}, and its log ends at {facts.log_end_offset}"
            yield text.at(broken, number, message, f"<= {facts.log_end_offset}", offset)


def _not_closed(files: list[TextFile], partitions: Partitions) -> Iterator[Finding]:
    """Findings on the indexes of logs that were closed, according to a clean shutdown marker.

    A broker writes the recovery points of all its logs before the marker. So the marker does not apply to a partition
    without a recovery point, which was put there later; nor to KRaft's own log, which no recovery point names.
    """
    named = {text.name: text.value for text in files}
    points = named.get("recovery-point-offset-checkpoint")
    if CLEAN_SHUTDOWN_FILE not in named:
        return
    closed = {(entry.topic, entry.partition) for entry in points.entries} if isinstance(points, TopicOffsets) else None
    for key, facts in sorted(partitions.items()):
        if key[0] != CLUSTER_METADATA and (closed is None or key in closed):
            yield from facts.untrimmed


def _topic_ids(partitions: Partitions) -> Iterator[Finding]:
    first: dict[str, tuple[int, str]] = {}
    for (topic, partition), facts in sorted(partitions.items()):
        if facts.topic_id is None or facts.metadata is None:
            continue
        known, topic_id = first.setdefault(topic, (partition, facts.topic_id))
        if topic_id != facts.topic_id:
            message = f"{facts.topic_id}, and {topic}-{known} has {topic_id}"
            path = "partition_metadata.topic_id"
            yield TOPIC_ID.at(facts.metadata.file, None, path, message, topic_id, facts.topic_id)
