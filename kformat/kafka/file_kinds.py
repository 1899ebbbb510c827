"""What the names in a log directory say: folders of partitions, files of segments, everything else Kafka puts there.

Kafka's LocalLog, LogFileUtils, UnifiedLog.parseTopicPartitionName:

* A folder is `<topic>-<partition>`, split at the last dash. On the way out or in it is `<topic>-<partition>.<32 hex>`
  followed by `-delete`, `-future` or `-stray`.
* A segment is `<base offset in 20 digits>.log`, its indexes `.index` and `.timeindex`. `.deleted`, `.cleaned` or
  `.swap` behind a name says that the file is going, not yet in place, or just about to be.
* In remote storage as Kafka's LocalTieredStorage lays it out, a folder is `<topic>-<partition>-<topic id>`, and a
  segment's files are `<base offset in 20 digits>-<segment id>.<suffix>`; `.snapshot` and `.leader_epoch_checkpoint`
  are as of the segment's end.
* A broker keeps indexes of remote segments in `remote-log-index-cache/` of its log directory (RemoteIndexCache):
  `<base offset>_<segment id>.<suffix>`, the base offset without leading zeros.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from kformat.integers import MAX_INT32, MAX_INT64
from kformat.storage.root_lock import LOCK_FILE

_FOLDER: Final = re.compile(
    r"(?P<topic>.+)-(?P<partition>[0-9]{1,10})(\.(?P<id>[^.]+)-(?P<state>delete|future|stray))?"
)
_FILE: Final = re.compile(
    r"(?P<offset>[0-9]{20})(-(?P<epoch>[0-9]{10}))?"
    r"\.(?P<suffix>log|index|timeindex|txnindex|snapshot|checkpoint)(\.(?P<state>deleted|cleaned|swap|part))?"
)
_ID: Final = "[A-Za-z0-9_-]{22}"  # a Uuid as Kafka prints it: base64 for URLs, without padding
_REMOTE_FOLDER: Final = re.compile(rf"(?P<topic>.+)-(?P<partition>[0-9]{{1,10}})-(?P<topic_id>{_ID})", re.ASCII)
_REMOTE_FILE: Final = re.compile(
    rf"(?P<offset>[0-9]{{20}})-(?P<id>{_ID})"
    r"\.(?P<suffix>log|index|timeindex|txnindex|snapshot|leader_epoch_checkpoint)",
    re.ASCII,
)
_CACHED_FILE: Final = re.compile(
    rf"(?P<offset>0|[1-9][0-9]{{0,18}})_(?P<id>{_ID})\.(?P<suffix>index|timeindex|txnindex)(\.(?P<state>deleted|tmp))?",
    re.ASCII,
)
_TOPIC: Final = re.compile(r"[a-zA-Z0-9._-]+", re.ASCII)
MAX_TOPIC_CHARACTERS: Final = 249
"""The longest name of a topic: with the longest ending of its folder a file system's 255 bytes (Topic.java)."""

KINDS: Final = {
    "log": "log",
    "index": "offset_index",
    "timeindex": "time_index",
    "txnindex": "transaction_index",
    "snapshot": "producer_snapshot",
    "checkpoint": "metadata_snapshot",
}
"""Suffix -> kind of file."""

INDEX_CACHE_FOLDER: Final = "remote-log-index-cache"
"""In a log directory: where a broker keeps indexes of remote segments."""

CLEAN_SHUTDOWN_FILE: Final = ".kafka_cleanshutdown"
"""In a root: a broker writes it after it has closed all logs there, and removes it when it starts."""

_NAMED: Final = {
    "leader-epoch-checkpoint": ("leader_epoch_checkpoint", "leader epochs and their start offsets"),
    "partition.metadata": ("partition_metadata", "the topic's id"),
    "quorum-state": ("quorum_state", "state of the KRaft quorum"),
    "bootstrap.checkpoint": ("metadata_snapshot", "first records of KRaft metadata"),
    "meta.properties": ("meta_properties", "ids of cluster and broker"),
    "recovery-point-offset-checkpoint": ("offset_checkpoint", "recovery points"),
    "replication-offset-checkpoint": ("offset_checkpoint", "high watermarks"),
    "log-start-offset-checkpoint": ("offset_checkpoint", "log start offsets"),
    "cleaner-offset-checkpoint": ("offset_checkpoint", "how far the cleaner came"),
    LOCK_FILE: ("lock", "the broker's lock"),
    CLEAN_SHUTDOWN_FILE: ("clean_shutdown", "marker of a clean shutdown"),
}
_DESCRIPTIONS: Final = {
    "log": "segment",
    "offset_index": "offset index",
    "time_index": "time index",
    "transaction_index": "transaction index",
    "producer_snapshot": "producer snapshot",
    "metadata_snapshot": "metadata snapshot",
    "leader_epoch_checkpoint": "leader epochs and their start offsets",
}
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
    """What a partition folder's name says; ``state`` is ``""``, ``delete``, ``future`` or ``stray``; ``topic_id`` is in
    the name of a folder in remote storage."""

    topic: str
    partition: int
    state: str
    topic_id: str | None = None


def parse_folder_name(name: str) -> FolderName | None:
    """Topic, partition and state, or None for a name that is no partition's. Stray and deleted topics may be cut."""
    match = _FOLDER.fullmatch(name)
    if match is None or int(match["partition"]) > MAX_INT32:
        return None
    return FolderName(match["topic"], int(match["partition"]), match["state"] or "")


def parse_remote_folder_name(name: str) -> FolderName | None:
    """Topic, partition and topic id of a folder in remote storage; None for a name that is no such folder's."""
    match = _REMOTE_FOLDER.fullmatch(name)
    if match is None or int(match["partition"]) > MAX_INT32:
        return None
    return FolderName(match["topic"], int(match["partition"]), "", match["topic_id"])


def is_topic_name(name: str) -> bool:
    """Whether Kafka makes a topic with that name (Topic.validate)."""
    return len(name) <= MAX_TOPIC_CHARACTERS and name not in (".", "..") and _TOPIC.fullmatch(name) is not None


def file_name(offset: int, suffix: str) -> str:
    """The name of a segment's file by its base offset, or of a snapshot's by its end offset."""
    return f"{offset:020d}.{suffix}"


@dataclass(frozen=True, slots=True)
class FileName:
    """What a file's name says: offset, kind (``log``, ``offset_index``, ...) and state (``""``, ``deleted``, ...);
    ``epoch`` is the leader's, in the name of a metadata snapshot; ``segment_id`` that of a remote segment, for a file
    in remote storage or a broker's cache of remote indexes."""

    offset: int
    kind: str
    state: str
    epoch: int | None = None
    segment_id: str | None = None


def parse_file_name(name: str) -> FileName | None:
    """Offset, kind and state, or None for a name that does not begin with an offset in 20 digits or is not Kafka's."""
    match = _FILE.fullmatch(name)
    if match is None or int(match["offset"]) > MAX_INT64:
        return None
    epoch = None if match["epoch"] is None else int(match["epoch"])
    if (match["suffix"] == "checkpoint") != (epoch is not None):
        return None
    return FileName(int(match["offset"]), KINDS[match["suffix"]], match["state"] or "", epoch)


def parse_remote_file_name(name: str) -> FileName | None:
    """Base offset, kind, state and segment id of a remote segment's file, in remote storage or in a broker's cache.

    None for any other name. A ``producer_snapshot`` and a ``leader_epoch_checkpoint`` are as of the segment's end.
    """
    match = _REMOTE_FILE.fullmatch(name) or _CACHED_FILE.fullmatch(name)
    if match is None or int(match["offset"]) > MAX_INT64:
        return None
    kind = KINDS.get(match["suffix"], match["suffix"])
    return FileName(int(match["offset"]), kind, match.groupdict().get("state") or "", segment_id=match["id"])


def is_cached_index(name: str) -> bool:
    """Whether a name is that of an index in a broker's cache of remote indexes."""
    return _CACHED_FILE.fullmatch(name) is not None


def describe_file(name: str) -> tuple[str, str]:
    """A file's kind (``offset_index``, ``partition_metadata``, ``unknown``, ...) and a line for people."""
    parsed = parse_file_name(name)
    if parsed is not None:
        return parsed.kind, _DESCRIPTIONS[parsed.kind] + _STATES[parsed.state]
    remote = parse_remote_file_name(name)
    if remote is not None:
        return remote.kind, f"{_DESCRIPTIONS[remote.kind]} of a remote segment{_STATES[remote.state]}"
    if name.endswith(".tmp"):
        return "temporary", "left over from a write that was not finished"
    return _NAMED.get(name, ("unknown", "not one of Kafka's names"))


__all__ = [
    "CLEAN_SHUTDOWN_FILE",
    "KINDS",
    "MAX_TOPIC_CHARACTERS",
    "file_name",
    "is_topic_name",
    "parse_file_name",
    "parse_folder_name",
]
