"""File names in a log directory: folders of partitions, files of segments, everything else Kafka puts there.

Kafka's LocalLog, LogFileUtils, UnifiedLog.parseTopicPartitionName:

* A folder is `<topic>-<partition>`, split at the last dash. A partition that is being deleted, moved or was found stray
  has the folder `<topic>-<partition>.<32 hex>` followed by `-delete`, `-future` or `-stray`.
* A segment is `<base offset in 20 digits>.log`, its indexes `.index` and `.timeindex`. The suffix `.deleted` marks a
  file to be deleted, `.cleaned` an unfinished file of compaction, `.swap` one that is about to replace others.
* In remote storage, laid out by Kafka's LocalTieredStorage, a folder is `<topic>-<partition>-<topic id>`, and a
  segment's files are `<base offset in 20 digits>-<segment id>.<suffix>`; `.snapshot` and `.leader_epoch_checkpoint`
  are as of the segment's end.
* A broker caches indexes of remote segments in `remote-log-index-cache/` of its log directory (RemoteIndexCache):
  `<base offset>_<segment id>.<suffix>`, the base offset without leading zeros.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any, Final

from kformat.integers import MAX_INT32, MAX_INT64
from kformat.storage.root_lock import LOCK_FILE

TEXT: Final = "text"
"""The format of files that `kformat.kafka.files.text_files` parses."""

CLEAN_SHUTDOWN_FILE: Final = ".kafka_cleanshutdown"
"""In a root: a broker writes it after closing all logs there, and removes it on startup."""

CLUSTER_METADATA: Final = "__cluster_metadata"
"""The topic of KRaft's own log. A broker recovers it at each start, and lists it in no checkpoint."""

PROPERTIES_FILE: Final = "meta.properties"
"""In a root: the ids of the cluster and the broker."""

LOG_ID_FILE: Final = "kformat-log-id"
"""In a partition's folder that the engine made: 32 hexadecimal digits, the id of a log that has no topic id."""

ASIDE_FOLDER: Final = ".kformat-salvage"
"""In a partition's folder: what was there before it was salvaged. Brokers pass over folders there."""
LATER_FOLDER: Final = ".kformat-later"
"""In a partition's folder: what was written after a salvage that was undone; further ones have a number."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """A row of the table: all facts about a kind of file, found by its name.

    Attributes:
        kind: its identifier; several names may be of one kind.
        description: one line for people.
        suffix: the end of its name, after an offset and a dot; None if it has a fixed name.
        name: the fixed name.
        remote: the suffix in remote storage; None if it is not copied there.
        is_cached: whether a broker caches it for remote segments.
        format: the declaration of its content, or `TEXT`; None if nothing reads it.
        rules: how `kformat.check` treats it: ``segment`` (a segment's file), ``producers``, ``metadata``, ``text``;
            ``nothing``: it is not checked.
        dump: how `kformat.dump` shows it: ``log``, ``index``, ``transactions``, ``producers``, ``text``; or None.
        is_vital: whether a partition goes offline, or a broker does not start, if this text cannot be read.
    """

    kind: str
    description: str
    suffix: str | None = None
    name: str | None = None
    remote: str | None = None
    is_cached: bool = False
    format: str | None = TEXT
    rules: str = "text"
    dump: str | None = "text"
    is_vital: bool = False


def _file(kind: str, suffix: str, rules: str, dump: str, **more: Any) -> FileKind:
    usual = {"description": kind.replace("_", " "), "remote": suffix, "format": kind}
    return FileKind(kind, suffix=suffix, rules=rules, dump=dump, **{**usual, **more})


def _text(kind: str, name: str, description: str, **more: Any) -> FileKind:
    return FileKind(kind, description, name=name, **more)


FILE_KINDS: Final = (
    _file("log", "log", "segment", "log", description="segment", format="record_batch"),
    _file("offset_index", "index", "segment", "index", is_cached=True),
    _file("time_index", "timeindex", "segment", "index", is_cached=True),
    _file("transaction_index", "txnindex", "segment", "transactions", is_cached=True),
    _file("producer_snapshot", "snapshot", "producers", "producers"),
    _file("metadata_snapshot", "checkpoint", "metadata", "log", remote=None, format="record_batch"),
    _text(
        *("leader_epoch_checkpoint", "leader-epoch-checkpoint", "leader epochs and their start offsets"),
        remote="leader_epoch_checkpoint",
        is_vital=True,
    ),
    _text("partition_metadata", "partition.metadata", "the topic's id", is_vital=True),
    _text("log_id", LOG_ID_FILE, "kformat's id of a log", format=None, rules="nothing", dump=None),
    _text("quorum_state", "quorum-state", "state of the KRaft quorum", is_vital=True),
    _text(
        *("metadata_snapshot", "bootstrap.checkpoint", "first records of KRaft metadata"),
        format="record_batch",
        rules="metadata",
        dump="log",
    ),
    _text("meta_properties", PROPERTIES_FILE, "ids of cluster and broker", is_vital=True),
    _text("offset_checkpoint", "recovery-point-offset-checkpoint", "recovery points"),
    _text("offset_checkpoint", "replication-offset-checkpoint", "high watermarks", is_vital=True),
    _text("offset_checkpoint", "log-start-offset-checkpoint", "log start offsets"),
    _text("offset_checkpoint", "cleaner-offset-checkpoint", "how far the cleaner came"),
    _text("lock", LOCK_FILE, "the broker's lock", format=None, rules="nothing", dump=None),
    _text("clean_shutdown", CLEAN_SHUTDOWN_FILE, "marker of a clean shutdown"),
)
"""To add a kind of file, add a row, and functions for new words in its columns."""

_BY_SUFFIX: Final = {row.suffix: row for row in FILE_KINDS if row.suffix is not None}
_BY_REMOTE_SUFFIX: Final = {row.remote: row for row in FILE_KINDS if row.remote is not None}
_BY_NAME: Final = {row.name: row for row in FILE_KINDS if row.name is not None}
SUFFIXES: Final = tuple(_BY_SUFFIX)
"""The suffixes of names that begin with an offset; without a dot."""

_FOLDER: Final = re.compile(
    r"(?P<topic>.+)-(?P<partition>[0-9]{1,10})(\.(?P<id>[^.]+)-(?P<state>delete|future|stray))?"
)
_FILE: Final = re.compile(
    r"(?P<offset>[0-9]{20})(-(?P<epoch>[0-9]{10}))?"
    rf"\.(?P<suffix>{'|'.join(SUFFIXES)})(\.(?P<state>deleted|cleaned|swap|part))?"
)
_ID: Final = "[A-Za-z0-9_-]{22}"  # a Uuid as Kafka prints it: base64 for URLs, without padding
_REMOTE_FOLDER: Final = re.compile(rf"(?P<topic>.+)-(?P<partition>[0-9]{{1,10}})-(?P<topic_id>{_ID})", re.ASCII)
_REMOTE_FILE: Final = re.compile(
    rf"(?P<offset>[0-9]{{20}})-(?P<id>{_ID})"
    rf"\.(?P<suffix>{'|'.join(_BY_REMOTE_SUFFIX)})",
    re.ASCII,
)
_CACHED_FILE: Final = re.compile(
    rf"(?P<offset>0|[1-9][0-9]{{0,18}})_(?P<id>{_ID})"
    rf"\.(?P<suffix>{'|'.join(row.suffix for row in FILE_KINDS if row.suffix and row.is_cached)})"
    r"(\.(?P<state>deleted|tmp))?",
    re.ASCII,
)
_TOPIC: Final = re.compile(r"[a-zA-Z0-9._-]+", re.ASCII)
MAX_TOPIC_CHARACTERS: Final = 249
"""The longest topic name: with the longest suffix its folder has a file system's maximum of 255 bytes (Topic.java)."""

_MAX_NAME_CHARACTERS: Final = 255

_STATES: Final = {
    "": "",
    "deleted": ", deleted, waiting to be removed",
    "cleaned": ", written by a cleaning or split that did not finish",
    "swap": ", about to replace the one in place",
    "part": ", not finished",
    "tmp": ", not finished",
}


@dataclass(frozen=True, slots=True)
class FolderName:
    """The parts of a partition folder's name. ``state`` is ``""``, ``delete``, ``future`` or ``stray``; only folders in
    remote storage have a ``topic_id``.
    """

    topic: str
    partition: int
    state: str
    topic_id: str | None = None


def parse_folder_name(name: str) -> FolderName | None:
    """Topic, partition and state, or None for other names. The names of stray and deleted topics may be shortened."""
    match = _FOLDER.fullmatch(name)
    if match is None or int(match["partition"]) > MAX_INT32:
        return None
    return FolderName(match["topic"], int(match["partition"]), match["state"] or "")


def folder_name(topic: str, partition: int, state: str = "", unique: str = "") -> str:
    """The name of a partition's folder; with a ``state``, ``delete``, ``future`` or ``stray``, it is ``unique``.

    Where the name would be longer than 255 characters, the topic is cut for ``delete`` and ``stray``
    (UnifiedLog.logDeleteDirName).
    """
    if not state:
        return f"{topic}-{partition}"
    ending = f"-{partition}.{unique}-{state}"
    return (topic if state == "future" else topic[: _MAX_NAME_CHARACTERS - len(ending)]) + ending


def parse_remote_folder_name(name: str) -> FolderName | None:
    """Topic, partition and topic id of a folder in remote storage; None for other names."""
    match = _REMOTE_FOLDER.fullmatch(name)
    if match is None or int(match["partition"]) > MAX_INT32:
        return None
    return FolderName(match["topic"], int(match["partition"]), "", match["topic_id"])


def is_topic_name(name: str) -> bool:
    """Whether Kafka accepts that topic name (Topic.validate)."""
    return len(name) <= MAX_TOPIC_CHARACTERS and name not in (".", "..") and _TOPIC.fullmatch(name) is not None


def file_name(offset: int, suffix: str) -> str:
    """The file name of a segment by its base offset, or of a snapshot by its end offset."""
    return f"{offset:020d}.{suffix}"


@dataclass(frozen=True, slots=True)
class FileName:
    """The parts of a file's name: offset, kind (``log``, ``offset_index``, ...) and state (``""``, ``deleted``, ...).

    ``epoch`` is the leader epoch in a metadata snapshot's name; ``segment_id`` belongs to a remote segment's file, in
    remote storage or in a broker's cache of remote indexes.
    """

    offset: int
    kind: str
    state: str
    epoch: int | None = None
    segment_id: str | None = None


def parse_file_name(name: str) -> FileName | None:
    """Offset, kind and state, or None unless the name is Kafka's and begins with an offset in 20 digits."""
    match = _FILE.fullmatch(name)
    if match is None or int(match["offset"]) > MAX_INT64:
        return None
    epoch = None if match["epoch"] is None else int(match["epoch"])
    if (match["suffix"] == "checkpoint") != (epoch is not None):
        return None
    return FileName(int(match["offset"]), _BY_SUFFIX[match["suffix"]].kind, match["state"] or "", epoch)


def parse_remote_file_name(name: str) -> FileName | None:
    """Base offset, kind, state and segment id of a remote segment's file, in remote storage or in a broker's cache.

    None for any other name. A ``producer_snapshot`` and a ``leader_epoch_checkpoint`` are as of the segment's end.
    """
    match = _REMOTE_FILE.fullmatch(name) or _CACHED_FILE.fullmatch(name)
    if match is None or int(match["offset"]) > MAX_INT64:
        return None
    kind = _BY_REMOTE_SUFFIX[match["suffix"]].kind
    return FileName(int(match["offset"]), kind, match.groupdict().get("state") or "", segment_id=match["id"])


def is_cached_index(name: str) -> bool:
    """Whether a name is that of an index in a broker's cache of remote indexes."""
    return _CACHED_FILE.fullmatch(name) is not None


def kind_of(name: str) -> FileKind | None:
    """The row of a file with one of Kafka's names, in any state; None for other names."""
    parsed = parse_file_name(name) or parse_remote_file_name(name)
    if parsed is not None:
        return next(row for row in FILE_KINDS if row.kind == parsed.kind)
    return _BY_NAME.get(name)


def kind_by_ending(name: str) -> FileKind | None:
    """The row of a file by its suffix alone, for renamed copies; None for other suffixes, and names with a state."""
    return _BY_SUFFIX.get(os.path.splitext(name)[1][1:])


def describe_file(name: str) -> tuple[str, str]:
    """A file's kind (``offset_index``, ``partition_metadata``, ``unknown``, ...) and a line for people."""
    parsed, row = parse_file_name(name) or parse_remote_file_name(name), kind_of(name)
    if row is None:
        is_temporary = name.endswith(".tmp")
        unknown = ("unknown", "not one of Kafka's names")
        return ("temporary", "left over from a write that was not finished") if is_temporary else unknown
    if parsed is None:
        return row.kind, row.description
    of = " of a remote segment" if parsed.segment_id is not None else ""
    return row.kind, f"{row.description}{of}{_STATES[parsed.state]}"


__all__ = [
    "CLEAN_SHUTDOWN_FILE",
    "CLUSTER_METADATA",
    "LOG_ID_FILE",
    "MAX_TOPIC_CHARACTERS",
    "PROPERTIES_FILE",
    "FileName",
    "FolderName",
    "file_name",
    "folder_name",
    "is_topic_name",
    "parse_file_name",
    "parse_folder_name",
]
