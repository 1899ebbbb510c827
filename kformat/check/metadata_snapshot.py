"""Snapshots of KRaft's metadata: `<end offset>-<epoch>.checkpoint`, and `bootstrap.checkpoint`.

They hold batches as a log does, numbered from 0, which are judged by the same rules. Only snapshots have a control
record that begins them, one that ends them, and an epoch in the name. Kafka requires none of these of
`bootstrap.checkpoint`. A log whose beginning has been deleted needs one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from kformat.errors import DataError
from kformat.kafka.batch.records import Batch, parse_control_record
from kformat.kafka.damage.missing import needs_all_records
from kformat.kafka.findings.directory import Folder, base_offset_of
from kformat.kafka.findings.log_blocks import BatchBlock
from kformat.kafka.findings.rules import Finding, rule
from kformat.storage.address import base_name, folder_name

HEADER: Final = rule(
    "KF0901",
    "error",
    "A metadata snapshot begins with a `snapshot_header`. (Not `bootstrap.checkpoint`.)",
    source="RecordsSnapshotWriter.Builder.build, RecordsSnapshotReader",
    kafka="Throws IllegalStateException when it reads the snapshot, which is on start.",
)
FOOTER: Final = rule(
    "KF0902",
    "error",
    "A metadata snapshot ends with a `snapshot_footer`. (Not `bootstrap.checkpoint`.)",
    source="RecordsSnapshotWriter.freeze",
    kafka="Does not notice, and takes the file for the complete metadata.",
)
EPOCH: Final = rule(
    "KF0903",
    "warning",
    "The batches of a metadata snapshot have the leader epoch that is in its name.",
    source="RecordsSnapshotWriter, Snapshots.filenameFromSnapshotId",
    kafka="Goes by the name.",
)
MISSING: Final = rule(
    "KF0905",
    "error",
    "A log of the cluster's metadata that begins after offset 0 has a snapshot next to it that reaches its beginning.",
    source="KafkaRaftClient.updateListenersProgress",
    kafka="Throws IllegalStateException when it loads the metadata: a snapshot is expected.",
)


def missing_snapshot(folder: Folder) -> Iterator[Finding]:
    """The finding about a metadata log in a partition's folder whose beginning no snapshot has."""
    start = folder.segments[0].base_offset if folder.segments else None
    if not start or "log" not in folder.segments[0].files or not needs_all_records(folder_name(folder.path)):
        return
    last = max((base_offset_of(base_name(path)) or 0 for path in folder.metadata), default=None)
    if last is None or last < start:
        has = "there is no snapshot" if last is None else f"the last snapshot ends at {last}"
        message = f"the log begins at offset {start}, and {has}"
        yield MISSING.at(folder.segments[0].files["log"], None, "", message, f">= {start}", last)


class MetadataSnapshotCheck:
    """The rules of one snapshot: feed the blocks of its batches, then ask.

    ``epoch`` is the one in the name; None for `bootstrap.checkpoint`.
    """

    def __init__(self, file: str, epoch: int | None) -> None:
        self.file, self.epoch = file, epoch
        self._first: tuple[int, str] | None = None
        self._last: tuple[int, str] | None = None
        self._wrong_epoch: tuple[int, int] | None = None

    def feed(self, block: BatchBlock) -> None:
        """Take in a block; blocks come in order of position."""
        if block.is_legacy:
            return
        if self._first is None:
            self._first = int(block.headers.position[0]), self._kind(block, 0, is_first=True)
        row = len(block.headers) - 1
        self._last = int(block.headers.position[row]), self._kind(block, row, is_first=False)
        epochs = block.headers.partition_leader_epoch
        if self.epoch is not None and self._wrong_epoch is None:
            for wrong in np.flatnonzero(block.is_sound & (epochs != self.epoch))[:1].tolist():
                self._wrong_epoch = block.place(wrong, "partition_leader_epoch")[0], int(epochs[wrong])

    def _kind(self, block: BatchBlock, row: int, *, is_first: bool) -> str:
        """The kind of a batch's first or last record; "" if its checksum is wrong, which is reported elsewhere."""
        if not block.is_sound[row]:
            return ""
        return _kind_of(block.batch(row, self.file), is_first)

    def findings(self, is_whole: bool) -> Iterator[Finding]:
        """All findings; ``is_whole``: there were only sound batches."""
        if self.epoch is None:
            return
        position, kind = self._first or (0, "not there")
        if kind not in ("", "snapshot_header"):
            message = f"the first record is {kind}"
            yield HEADER.at(self.file, position, "record_batch", message, "snapshot_header", kind)
        if self._wrong_epoch is not None:
            place, epoch = self._wrong_epoch
            message = f"leader epoch {epoch}, and the name says {self.epoch}"
            yield EPOCH.at(self.file, place, "record_batch.partition_leader_epoch", message, self.epoch, epoch)
        position, kind = self._last or (0, "not there")
        if is_whole and kind not in ("", "snapshot_footer"):
            message = f"the last record is {kind}"
            yield FOOTER.at(self.file, position, "record_batch", message, "snapshot_footer", kind)


def _kind_of(batch: Batch, is_first: bool) -> str:
    if not batch.is_control:
        return "no control record"
    try:
        records = batch.records()
        record = next(records, None)
        for other in () if is_first else records:
            record = other
        if record is None:
            return "in an empty batch"
        key, _ = parse_control_record(record)
    except DataError:
        return ""  # the rules about records say what is wrong
    return str(getattr(key.type, "name", "of no known type"))
