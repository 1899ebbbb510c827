"""Named damages of Kafka's own topics: what their records hold, and what they say of the rest of a root.

All are files that a broker wrote (samples/4.3.1) with something changed, under checksums that are right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import kformat
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.records import Batch
from kformat.kafka.messages.decoding import TOPICS, decoder
from tests.damages import Damage, Folder, stem
from tests.damages_beside import NO_INDEXES, VERSION, Change
from tests.damages_legacy import sample_folder
from tests.samples import ROOT

OFFSETS, TRANSACTIONS, METADATA = "__consumer_offsets-1", "__transaction_state-0", "__cluster_metadata-0"
LOG = f"{stem(0)}.log"
SNAPSHOT = f"{stem(104)}-0000000001.checkpoint"

Part = bytes | None
Rewrite = Callable[[str, Part, Part], tuple[Part, Part] | None]
"""The type of a record and its key and value -> other ones; None for a record that stays."""


def rewritten(log: bytes, name: str, rewrite: Rewrite, most: int = 1) -> bytes:
    """The log of a topic with other records: the first, or as many as ``most`` says, that ``rewrite`` changes."""
    made, left = list[bytes](), most
    for batch in iter_batches(log):
        assert isinstance(batch, Batch)
        if batch.is_control or not left:
            made.append(batch.raw)
            continue
        value: Any = kformat.parse("record_batch", batch.raw)
        for record in value.records:
            other = rewrite(type_of(name, record.key, record.value), record.key, record.value) if left else None
            if other is not None:
                record.key, record.value = other
                left -= 1
        made.append(kformat.build("record_batch", value))
    assert left < most
    return b"".join(made)


def type_of(name: str, key: Part, value: Part) -> str:
    """The name of the type of a record's value, of its key if it has none."""
    known = decoder(TOPICS[name.rpartition("-")[0]])
    return (known.key(key or b"") if value is None else known.value(value, key)).schema.name


def in_topic(name: str, rewrite: Rewrite, most: int = 1) -> Change:
    """A partition's log alone, in its folder, with other records."""

    def changed(_: Folder) -> Folder:
        return {f"{name}/{LOG}": rewritten(sample_folder(VERSION, name)[LOG], name, rewrite, most)}

    return changed


def values_of(kind: str, change: Callable[[bytes], Part]) -> Rewrite:
    """Other values of records of a type."""
    return lambda name, key, value: (key, change(value)) if name == kind and value is not None else None


def keys_of(kind: str, change: Callable[[bytes], Part]) -> Rewrite:
    """Other keys of records of a type."""
    return lambda name, key, value: (change(key), value) if name == kind and key is not None else None


def with_level(feature: str, level: int) -> Rewrite:
    """The statements of a feature's level with another level."""

    def rewrite(name: str, key: Part, value: Part) -> tuple[Part, Part] | None:
        if name != "FeatureLevelRecord" or value is None:
            return None
        record: Any = kformat.parse("feature_level_record", value)
        if record.name != feature:
            return None
        record.feature_level = level
        return key, kformat.build("feature_level_record", record)

    return rewrite


def in_snapshot(rewrite: Rewrite, most: int = 1) -> Change:
    """A snapshot of the metadata with other records."""

    def changed(_: Folder) -> Folder:
        return {SNAPSHOT: rewritten(sample_folder(VERSION, METADATA)[SNAPSHOT], METADATA, rewrite, most)}

    return changed


# Roots: the metadata, a partition, and what groups have read of it

PARTITION, TOPIC, NODE = "plain-0", "plain", 1
OTHER_ID = "AAAAAAAAAAEAAAAAAAAAAg"


def root_folder(*partitions: str) -> Folder:
    """A broker's root with its metadata, groups, and these partitions; of one if none is named."""
    folder: Folder = {"meta.properties": (ROOT / VERSION / "meta.properties").read_bytes()}
    for name in (METADATA, OFFSETS, *(partitions or (PARTITION,))):
        folder |= {f"{name}/{file}": data for file, data in sample_folder(VERSION, name).items()}
    return folder


def in_root(*changes: Change, partitions: tuple[str, ...] = ()) -> Change:
    """Changes of such a root, one after the other."""

    def changed(_: Folder) -> Folder:
        folder = root_folder(*partitions)
        for change in changes:
            folder = change(folder)
        return folder

    return changed


def other_records(name: str, rewrite: Rewrite, most: int = 1) -> Change:
    """Other records in a partition of a root, each of the same size."""

    def changed(folder: Folder) -> Folder:
        path = f"{name}/{LOG}"
        log = rewritten(folder[path], name, rewrite, most)
        assert len(log) == len(folder[path])
        return folder | {path: log}

    return changed


def fields_of(kind: str, format: str, **fields: Any) -> Rewrite:
    """Other fields in values of a type."""

    def change(value: bytes) -> bytes:
        record: Any = kformat.parse(format, value)
        for name, other in fields.items():
            setattr(record, name, other)
        return kformat.build(format, record)

    return values_of(kind, change)


def renamed(name: str, before: str = PARTITION) -> Change:
    """A partition under another name."""
    return lambda folder: {file.replace(f"{before}/", f"{name}/"): data for file, data in folder.items()}


def other_id(id: str = OTHER_ID) -> Change:
    """The partition with another topic's id."""
    text = f"version: 0\ntopic_id: {id}\n".encode()
    return lambda folder: folder | {f"{PARTITION}/partition.metadata": text}


def id_of(name: str) -> str:
    return sample_folder(VERSION, name)["partition.metadata"].decode().split()[-1]


def without_id(folder: Folder) -> Folder:
    return {name: data for name, data in folder.items() if name != f"{PARTITION}/partition.metadata"}


def quorum(**fields: Any) -> Change:
    """Another state of the quorum; with ``votedDirectoryId`` as it is where the voters are in the log."""

    def changed(folder: Folder) -> Folder:
        name = f"{METADATA}/quorum-state"
        state = json.loads(folder[name])
        if "votedDirectoryId" in fields:
            state = {key: state[key] for key in ("leaderId", "leaderEpoch", "votedId")} | {"data_version": 1}
        return folder | {name: json.dumps(state | fields, separators=(",", ":")).encode()}

    return changed


def committed(offset: int) -> Change:
    """Groups that have committed another offset."""
    return other_records(OFFSETS, fields_of("OffsetCommitValue", "offset_commit_value", offset=offset), 100)


def replicas(*ids: int) -> Change:
    """Other replicas of all partitions of the metadata."""
    return other_records(METADATA, fields_of("PartitionRecord", "partition_record", replicas=list(ids)), 1000)


def begun_later(number: int, *files: str) -> Change:
    """The metadata log without its first batches, named for the first that is left, and some files next to it."""

    def changed(_: Folder) -> Folder:
        folder = sample_folder(VERSION, METADATA)
        batches = list(iter_batches(folder[LOG]))[number:]
        log = {f"{METADATA}/{stem(batches[0].base_offset)}.log": b"".join(batch.raw for batch in batches)}
        return log | {f"{METADATA}/{name}": folder[name] for name in files}

    return changed


def _damage(rule: str, name: str, change: Change, *others: str) -> Damage:
    return Damage(rule, name, change, frozenset(others))


def _damages() -> Iterator[Damage]:
    for rule, name, folder, rewrite in (
        ("KF0325", "a value that ends too early", OFFSETS, values_of("OffsetCommitValue", lambda it: it[:-1])),
        ("KF0325", "a value without a byte", TRANSACTIONS, values_of("TransactionLogValue", lambda it: b"")),
        ("KF0325", "a key that ends too early", OFFSETS, keys_of("OffsetCommitValue", lambda it: it[:-1])),
        ("KF0325", "no key", TRANSACTIONS, keys_of("TransactionLogValue", lambda it: None)),
        ("KF0325", "metadata with a key", METADATA, lambda name, key, value: (b"k", value)),
        ("KF0325", "metadata without a value", METADATA, values_of("TopicRecord", lambda it: None)),
        ("KF0325", "metadata with bytes after it", METADATA, values_of("TopicRecord", lambda it: it + b"\0")),
        ("KF0326", "bytes after a value", OFFSETS, values_of("OffsetCommitValue", lambda it: it + b"\0\0")),
        ("KF0326", "a byte after a key", TRANSACTIONS, keys_of("TransactionLogValue", lambda it: it + b"\0")),
        ("KF0327", "a type of key to come", OFFSETS, keys_of("OffsetCommitValue", lambda it: b"\x7f" + it[1:])),
        ("KF0328", "a version to come", OFFSETS, values_of("OffsetCommitValue", lambda it: b"\x7f" + it[1:])),
        ("KF0328", "a type of metadata to come", METADATA, values_of("ConfigRecord", lambda it: b"\x01\x7f" + it[2:])),
    ):
        yield _damage(rule, name, in_topic(folder, rewrite), *NO_INDEXES)
    yield _damage("KF0325", "a snapshot's record that is cut", in_snapshot(values_of("TopicRecord", lambda it: it[:9])))
    # The sample states one level of metadata.version, and has records of brokers and partitions of later versions.
    level = with_level("metadata.version", 15)
    yield _damage("KF0904", "a level that is too low", in_topic(METADATA, level), *NO_INDEXES)
    yield _damage("KF0904", "a level that is too low in a snapshot", in_snapshot(level))
    yield _damage("KF0905", "no snapshot", begun_later(5), *NO_INDEXES)
    yield _damage("KF0905", "a snapshot that ends before the log", begun_later(-5, SNAPSHOT), *NO_INDEXES)
    for rule, name, changes in (
        ("KF0814", "no such topic", (other_id(), renamed("other-0"))),
        ("KF0814", "no such partition", (renamed("plain-7"),)),
        ("KF0814", "no id", (without_id,)),
        ("KF0814", "replicas of other brokers", (replicas(2),)),
        ("KF0815", "an id that no topic has", (other_id(),)),
        ("KF0815", "the id of another topic", (other_id(id_of("single-0")),)),
        ("KF0815", "the name of no topic", (renamed("other-0"),)),
        ("KF0816", "another cluster", (quorum(clusterId=OTHER_ID),)),
        ("KF0816", "another directory", (quorum(votedId=NODE, leaderId=-1, votedDirectoryId=OTHER_ID),)),
        ("KF0817", "an epoch that is over", (quorum(leaderEpoch=0),)),
        ("KF1201", "an offset after the end", (committed(10_000),)),
    ):
        yield _damage(rule, name, in_root(*changes))


DAMAGES = tuple(_damages())
