"""Named damages of what lies beside the logs: transaction indexes, snapshots of producers and of metadata, text files.

All are files that a broker wrote (samples/4.3.1) with something changed. `ROOT_FILES` makes a root of two partitions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import kformat
from kformat.corpus import edits
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.records import Batch
from kformat.language.layout import layout
from tests import damages
from tests.damages import Damage, Folder, put, stem
from tests.damages_legacy import sample_folder
from tests.samples import ROOT

VERSION = "4.3.1"
SNAPSHOT, ENTRY = layout("producer_snapshot"), layout("producer_snapshot::entry")
ENTRIES_FROM = SNAPSHOT.position("entries")

Change = Callable[[Folder], Folder]


def of_sample(name: str, *changes: Change) -> Change:
    """Changes of a sample's partition, one after the other."""

    def changed(_: Folder) -> Folder:
        folder = sample_folder(VERSION, name)
        for change in changes:
            folder = change(folder)
        return folder

    return changed


def an_hour_later(folder: Folder) -> Folder:
    """With two markers of another producer after the last batch."""
    name = max(name for name in folder if name.endswith(".log"))
    batches = list(iter_batches(folder[name]))
    end, latest = batches[-1].next_offset, max(batch.max_timestamp for batch in batches)
    markers = [damages.marker_batch(end + hour, latest + 3_600_000 * hour) for hour in (0, 1)]
    return folder | {name: b"".join([folder[name], *markers])}


def appended_an_hour_later(folder: Folder) -> Folder:
    """With two batches of log append time after the last one."""
    name = max(name for name in folder if name.endswith(".log"))
    batches = list(iter_batches(folder[name]))
    end, latest = batches[-1].next_offset, max(batch.max_timestamp for batch in batches)
    later = [
        damages.data_batch(end + 3 * hour, latest + 3_600_000 * hour, attributes=damages.bit("timestamp_type"))
        for hour in (0, 1)
    ]
    return folder | {name: b"".join([folder[name], *later])}


def with_sequence(more: int) -> Change:
    """A producer's second batch begins with a sequence number that is so much higher."""

    def change(folder: Folder) -> Folder:
        name = max(name for name in folder if name.endswith(".log"))
        batches, seen = list(iter_batches(folder[name])), set[int]()
        made = [batch.raw for batch in batches]
        for number, batch in enumerate(batches):
            if isinstance(batch, Batch) and batch.base_sequence >= 0:
                if batch.producer_id in seen:
                    made[number] = damages.patched(batch.raw, base_sequence=batch.base_sequence + more)
                    break
                seen.add(batch.producer_id)
        return folder | {name: b"".join(made)}

    return change


def edited(name: str, old: bytes, new: bytes) -> Change:
    """A file with some of its bytes replaced."""

    def change(folder: Folder) -> Folder:
        assert folder[name].count(old) == 1
        return folder | {name: folder[name].replace(old, new)}

    return change


def with_file(name: str, data: bytes) -> Change:
    return lambda folder: folder | {name: data}


# Transactions: samples/4.3.1/transactions-0 has seven entries behind each other, and segments at 0 and 6

TRANSACTIONS = "transactions-0"
TXNINDEX = f"{stem(6)}.txnindex"
TRANSACTION = layout("transaction_index::entry").dtype


def indexed(change: Callable[[Any], Any], *more: Change) -> Change:
    """A transaction index with other entries: ``change`` gets a structured array and changes it, or returns another."""

    def changed(folder: Folder) -> Folder:
        array = np.frombuffer(folder[TXNINDEX], TRANSACTION).copy()
        other = change(array)
        return folder | {TXNINDEX: (array if other is None else other).tobytes()}

    return of_sample(TRANSACTIONS, changed, *more)


def remade(base_offset: int, change: Callable[[Batch], bytes]) -> Change:
    """A log whose batches are made anew, each of the same size."""

    def changed(folder: Folder) -> Folder:
        name = f"{stem(base_offset)}.log"
        batches = [batch for batch in iter_batches(folder[name]) if isinstance(batch, Batch)]
        log = b"".join(change(batch) for batch in batches)
        assert len(log) == len(folder[name])
        return folder | {name: log}

    return changed


def committed(offset: int) -> Change:
    """The abort marker at an offset made a commit."""

    def change(batch: Batch) -> bytes:
        if batch.base_offset != offset:
            return batch.raw
        value: Any = kformat.parse("record_batch", batch.raw)
        value.records[0].key = kformat.build("control_record_type_schema", {"type": "commit"})
        return kformat.build("record_batch", value)

    return remade(6, change)


# Snapshots of producers: that at 131 has two entries, producers 2 and 3; the latter has a transaction open since 127


def snapshot(change: Callable[[Any], Any], offset: int = 131) -> Change:
    """A snapshot with other entries, its count and checksum right."""

    def changed(folder: Folder) -> Folder:
        name = f"{stem(offset)}.snapshot"
        array = np.frombuffer(folder[name][ENTRIES_FROM:], ENTRY.dtype).copy()
        array.sort(order="producer_id")
        other = change(array)
        array = array if other is None else other
        return folder | {name: snapshot_bytes(array)}

    return of_sample(TRANSACTIONS, changed)


def snapshot_bytes(entries: Any) -> bytes:
    """A snapshot of these entries."""
    head = np.zeros(1, dtype=SNAPSHOT.header_dtype)
    head["version"], head["entries_count"] = 1, len(entries)
    return edits.summed(head.tobytes() + entries.tobytes(), SNAPSHOT)


def snapshot_head(**fields: int) -> Change:
    """Other values in front of the entries, nothing put right."""

    def changed(folder: Folder) -> Folder:
        name = f"{stem(131)}.snapshot"
        head = np.frombuffer(folder[name][:ENTRIES_FROM], SNAPSHOT.header_dtype).copy()
        for field, value in fields.items():
            head[field] = value
        return folder | {name: head.tobytes() + folder[name][ENTRIES_FROM:]}

    return of_sample(TRANSACTIONS, changed)


# Metadata snapshots

METADATA = f"{stem(104)}-0000000001.checkpoint"


def metadata(change: Callable[[list[bytes]], list[bytes]], name: str = METADATA) -> Change:
    """A metadata snapshot with other batches."""

    def changed(_: Folder) -> Folder:
        data = sample_folder(VERSION, "__cluster_metadata-0")[METADATA]
        return {name: b"".join(change([batch.raw for batch in iter_batches(data)]))}

    return changed


def cluster_metadata(left_out: slice, name: str = "__cluster_metadata-0") -> Change:
    """A log in the folder of the cluster's metadata without some of its batches, and without indexes."""

    def changed(_: Folder) -> Folder:
        data = sample_folder(VERSION, "__cluster_metadata-0")[f"{stem(0)}.log"]
        batches = [batch.raw for batch in iter_batches(data)]
        del batches[left_out]
        return {f"{name}/{stem(0)}.log": b"".join(batches)}

    return changed


def renumbered(batches: list[bytes]) -> list[bytes]:
    """The batches with offsets from 0 on."""
    offset, found = 0, []
    for batch in batches:
        found.append(damages.patched(batch, base_offset=offset))
        offset += Batch(batch).last_offset_delta + 1
    return found


# Roots

PARTITIONS = ("transactions-0", "transactions-1")
LOG_ENDS = {"transactions-0": 131, "transactions-1": 116}
CHECKPOINTS = (
    "recovery-point-offset-checkpoint",
    "replication-offset-checkpoint",
    "log-start-offset-checkpoint",
    "cleaner-offset-checkpoint",
)


def root_folder() -> Folder:
    """A root of two partitions whose checkpoints name them."""
    folder: Folder = {
        name: (ROOT / VERSION / name).read_bytes() for name in ("meta.properties", ".kafka_cleanshutdown")
    }
    for name in CHECKPOINTS:
        folder[name] = b"0\n2\ntransactions 0 131\ntransactions 1 116\n"
    for partition in PARTITIONS:
        folder |= {f"{partition}/{name}": data for name, data in sample_folder(VERSION, partition).items()}
    return folder


def in_root(*changes: Change) -> Change:
    def changed(_: Folder) -> Folder:
        folder = root_folder()
        for change in changes:
            folder = change(folder)
        return folder

    return changed


def padded(suffix: str) -> Change:
    """An index of the first partition's last segment with room to grow."""

    def change(folder: Folder) -> Folder:
        name = max(name for name in folder if name.startswith("transactions-0/") and name.endswith(suffix))
        return folder | {name: folder[name] + bytes(240)}

    return change


def checkpoint(name: str, offset: int) -> Change:
    """A checkpoint that has another offset for the first partition."""
    return in_root(edited(name, b"transactions 0 131\n", f"transactions 0 {offset}\n".encode()))


def other_topic_id(folder: Folder) -> Folder:
    name = "transactions-1/partition.metadata"
    return folder | {name: re.sub(rb"topic_id: .{22}", b"topic_id: AAAAAAAAAAEAAAAAAAAAAg", folder[name])}


EPOCHS = "leader-epoch-checkpoint"


def epochs(text: bytes) -> Change:
    """The leader epochs of a log that has epoch 0 up to 479 and 2 from 480 on."""
    return of_sample("recovered-0", with_file(EPOCHS, text))


def _damage(rule: str, name: str, change: Change, *others: str, **more: Any) -> Damage:
    return Damage(rule, name, change, frozenset(others), **more)


def _loop(path: Path) -> None:
    (path / EPOCHS).symlink_to(path / EPOCHS)


NO_INDEXES = ("KF0005", "KF0006")

DAMAGES = (
    _damage("KF0002", "leader epochs that are a link to itself", lambda folder: folder, on_disk=_loop),
    _damage("KF0003", "a snapshot whose name is no number", lambda f: f | {"last.snapshot": b""}),
    _damage("KF0004", "a transaction index without its log", lambda f: f | {f"{stem(7)}.txnindex": b""}),
    _damage("KF0010", "a file that waits to be deleted", lambda f: f | {f"{stem(0)}.log.deleted": b"x"}),
    _damage("KF0010", "a checkpoint that was not finished", lambda f: f | {f"{EPOCHS}.tmp": b"x"}),
    # The transaction index
    _damage("KF0601", "half an entry", of_sample(TRANSACTIONS, lambda f: f | {TXNINDEX: f[TXNINDEX] + b"\0\0\1"})),
    _damage("KF0602", "a version to come", indexed(put(2, version=1))),
    _damage("KF0603", "two entries exchanged", indexed(lambda array: array[[0, 2, 1, 3, 4, 5, 6]])),
    _damage("KF0604", "zeros at the end", of_sample(TRANSACTIONS, lambda f: f | {TXNINDEX: f[TXNINDEX] + bytes(340)})),
    _damage("KF0605", "a first offset behind the last", indexed(put(2, first_offset=49))),
    _damage("KF0605", "a negative offset", indexed(put(2, first_offset=-1))),
    _damage(
        "KF0606",
        "an offset of another segment",
        indexed(put(0, last_offset=5, first_offset=1, last_stable_offset=6)),
        "KF0609",
    ),
    _damage("KF0607", "a stable offset too high", indexed(put(2, last_stable_offset=50))),
    _damage("KF0607", "the marker's own offset", indexed(put(2, last_stable_offset=48))),
    _damage("KF0607", "behind the log", indexed(put(6, last_stable_offset=900))),
    _damage("KF0607", "as if nothing else were open", indexed(put(0, last_stable_offset=12))),
    _damage("KF0607", "where a transaction began that has ended", indexed(put(4, last_stable_offset=78))),
    _damage("KF0607", "where no transaction begins", indexed(put(2, last_stable_offset=45))),
    _damage("KF0607", "where its own transaction begins", indexed(put(2, last_stable_offset=44))),
    _damage("KF0608", "another producer", indexed(put(2, producer_id=77)), "KF0610"),
    _damage("KF0608", "an offset of data", indexed(put(2, last_offset=47, last_stable_offset=48)), "KF0609"),
    _damage("KF0608", "beyond the log", indexed(put(6, last_offset=900, last_stable_offset=901)), "KF0609"),
    _damage("KF0608", "a commit", of_sample(TRANSACTIONS, committed(48))),
    _damage("KF0609", "an entry is missing", indexed(lambda array: array[[0, 1, 3, 4, 5, 6]])),
    _damage("KF0609", "the index is missing", of_sample(TRANSACTIONS, damages.without(TXNINDEX))),
    _damage("KF0609", "the index ends too early", of_sample(TRANSACTIONS, lambda f: f | {TXNINDEX: f[TXNINDEX][:34]})),
    _damage("KF0610", "behind the first record", indexed(put(2, first_offset=46))),
    _damage("KF0610", "another producer's marker", indexed(put(4, first_offset=84))),
    _damage("KF0610", "before the producer's marker before", indexed(put(4, first_offset=60))),
    # Snapshots of producers
    _damage("KF0701", "a version to come", snapshot_head(version=2)),
    _damage("KF0702", "another checksum", snapshot_head(crc=1)),
    _damage(
        "KF0702",
        "another byte",
        of_sample(TRANSACTIONS, lambda f: f | {f"{stem(131)}.snapshot": f[f"{stem(131)}.snapshot"][:-1] + b"x"}),
    ),
    _damage("KF0703", "an entry too few", snapshot_head(entries_count=3)),
    _damage("KF0703", "the end of a longer file", snapshot_head(entries_count=1)),
    _damage("KF0703", "a negative count", snapshot_head(entries_count=-1)),
    _damage(
        "KF0703",
        "cut off in front of its entries",
        of_sample(TRANSACTIONS, with_file(f"{stem(131)}.snapshot", b"\0\1")),
    ),
    _damage("KF0704", "a sequence below none", snapshot(put(0, last_sequence=-2))),
    _damage("KF0704", "a negative producer", snapshot(put(0, producer_id=-1))),
    _damage("KF0705", "an entry twice", snapshot(lambda array: array[[0, 1, 1]])),
    _damage("KF0706", "an offset of the next segment", snapshot(put(0, last_offset=131))),
    _damage("KF0706", "a transaction of the next segment", snapshot(put(0, current_txn_first_offset=200))),
    _damage("KF0707", "another sequence", snapshot(put(0, last_sequence=60))),
    _damage("KF0707", "another delta", snapshot(put(0, offset_delta=2))),
    _damage("KF0707", "an offset of another producer", snapshot(put(0, last_offset=130))),
    _damage("KF0707", "an offset inside of the batch", snapshot(put(1, last_offset=129)), "KF0708"),
    _damage("KF0708", "an older batch", snapshot(put(0, last_offset=107)), "KF0707"),
    _damage(
        "KF0708",
        "an older epoch",
        of_sample(
            TRANSACTIONS, remade(6, lambda b: damages.patched(b.raw, producer_epoch=1) if b.producer_id == 2 else b.raw)
        ),
    ),
    _damage("KF0709", "no transaction", snapshot(put(1, current_txn_first_offset=-1))),
    _damage("KF0709", "no entry", snapshot(lambda array: array[:1])),
    _damage("KF0709", "a transaction that has ended", snapshot(put(1, current_txn_first_offset=121))),
    _damage("KF0709", "the middle of a batch", snapshot(put(1, current_txn_first_offset=128))),
    _damage("KF0709", "a record outside of transactions", snapshot(put(0, current_txn_first_offset=6))),
    _damage("KF0710", "another coordinator", snapshot(put(0, coordinator_epoch=5))),
    _damage(
        "KF0711",
        "a snapshot behind the log",
        of_sample(TRANSACTIONS, lambda f: f | {f"{stem(140)}.snapshot": f[f"{stem(131)}.snapshot"]}),
    ),
    _damage("KF0712", "markers of an hour later", of_sample(TRANSACTIONS, an_hour_later), "KF0509"),
    _damage("KF0712", "appends of an hour later", of_sample(TRANSACTIONS, appended_an_hour_later), "KF0509"),
    _damage("KF0713", "records of a producer are missing", of_sample(TRANSACTIONS, with_sequence(5))),
    _damage("KF0713", "records of a producer come twice", of_sample(TRANSACTIONS, with_sequence(-1))),
    # Text files
    _damage("KF0801", "leader epochs cut off", epochs(b"0\n2\n0 0\n")),
    _damage("KF0801", "a version to come", epochs(b"1\n1\n0 0\n")),
    _damage("KF0801", "no id", of_sample(TRANSACTIONS, with_file("partition.metadata", b"version: 0\n"))),
    _damage("KF0801", "high watermarks", in_root(with_file("replication-offset-checkpoint", b"0\n2\na 0 x\n"))),
    _damage("KF0801", "no node", in_root(with_file("meta.properties", b"version=1\ncluster.id=x\n"))),
    _damage("KF0802", "recovery points", in_root(with_file("recovery-point-offset-checkpoint", b"0\nx\n"))),
    _damage("KF0802", "a marker", in_root(with_file(".kafka_cleanshutdown", b"{"))),
    _damage("KF0803", "an epoch back", epochs(b"0\n3\n0 0\n2 480\n1 490\n")),
    _damage("KF0803", "an offset back", epochs(b"0\n3\n0 0\n2 480\n3 470\n")),
    _damage("KF0803", "a negative epoch", epochs(b"0\n1\n-5 0\n")),
    _damage("KF0813", "an epoch is missing", epochs(b"0\n1\n0 0\n")),
    _damage("KF0804", "an epoch begins too early", epochs(b"0\n2\n0 0\n2 400\n")),
    _damage("KF0805", "an epoch behind the log", epochs(b"0\n3\n0 0\n2 480\n3 5000\n")),
    _damage("KF0806", "the end of a log is lost", checkpoint("recovery-point-offset-checkpoint", 132)),
    _damage("KF0807", "the end of a log is lost", checkpoint("replication-offset-checkpoint", 132)),
    _damage("KF0808", "a start behind the end", checkpoint("log-start-offset-checkpoint", 132)),
    _damage("KF0809", "cleaned behind the end", checkpoint("cleaner-offset-checkpoint", 132)),
    _damage("KF0810", "a negative offset", checkpoint("recovery-point-offset-checkpoint", -5)),
    _damage(
        "KF0811",
        "a partition that is not there",
        in_root(with_file("recovery-point-offset-checkpoint", b"0\n1\nother 0 3\n")),
    ),
    _damage("KF0812", "another topic's", in_root(other_topic_id)),
    _damage("KF0410", "not cut by a clean stop", in_root(with_file(".kafka_cleanshutdown", b""), padded(".index"))),
    _damage("KF0511", "not cut by a clean stop", in_root(with_file(".kafka_cleanshutdown", b""), padded(".timeindex"))),
    # The cluster's metadata
    _damage("KF0011", "a batch of the cluster's metadata is left out", cluster_metadata(slice(3, 4)), *NO_INDEXES),
    _damage(
        "KF0011", "the first batches of the cluster's metadata are left out", cluster_metadata(slice(0, 2)), *NO_INDEXES
    ),
    # Metadata snapshots
    _damage(
        "KF0201",
        "a byte of a metadata snapshot",
        metadata(lambda b: [b[0], damages.patched(b[1], mend=False, max_timestamp=1), b[2]]),
    ),
    _damage("KF0102", "a metadata snapshot cut off", metadata(lambda b: [*b[:-1], b[-1][:-1]])),
    _damage("KF0901", "no header", metadata(lambda b: renumbered(b[1:]))),
    _damage("KF0901", "the footer in front", metadata(lambda b: renumbered([b[2], b[1], b[2]]))),
    _damage("KF0901", "nothing", metadata(lambda b: []), "KF0902"),
    _damage("KF0902", "no footer", metadata(lambda b: b[:-1])),
    _damage("KF0902", "something behind the footer", metadata(lambda b: renumbered([*b, b[1]]))),
    _damage("KF0903", "another epoch in its name", metadata(lambda b: b, f"{stem(104)}-0000000002.checkpoint")),
)
