"""The text files next to Kafka's logs: one parser and one writer for each.

    name                                  parsed as           where
    leader-epoch-checkpoint               LeaderEpochs        a partition's folder
    partition.metadata                    PartitionMetadata   a partition's folder (since 2.8)
    quorum-state                          QuorumState         __cluster_metadata-0
    recovery-point-offset-checkpoint,     TopicOffsets        the root
    replication-, log-start-, cleaner-
    meta.properties                       MetaProperties      the root
    .kafka_cleanshutdown                  CleanShutdown       the root

`parse_*` takes bytes, `build_*` makes bytes as Kafka writes them: a broker's file round-trips byte for byte. The
parsers accept what Kafka's own classes accept (CheckpointFile, PartitionMetadataFile, MetaProperties,
CleanShutdownFileHandler, FileQuorumStateStore; 3.9 and 4.4 agree), except for input that could not be rebuilt without
loss and numbers that only Java parses; tests/kafka/test_text_files_judge.py has the table.

Every parser takes ``source`` (the name of the bytes in errors) and ``limit_bytes``. It raises TruncatedError or
InvalidError with the position, the path (``leader_epoch_checkpoint.entries[3].epoch``), expected and found; LimitError
for more bytes than ``limit_bytes``. Builders raise BuildError.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from kformat.errors import BuildError, InvalidError, LimitError, TruncatedError, UsageError
from kformat.integers import MAX_INT16, MAX_INT32, MAX_INT64, MIN_INT16, MIN_INT32, MIN_INT64
from kformat.kafka.files.file_kinds import PROPERTIES_FILE, TEXT, describe_file, kind_of
from kformat.language.logical import uuid_text
from kformat.storage.address import base_name
from kformat.storage.byte_source import ByteSource

DEFAULT_LIMIT_BYTES: Final = 16 << 20
"""The most bytes that a parser accepts: about half a million partitions, whose objects take about 20 times as much."""

_INT16: Final = (MIN_INT16, MAX_INT16)
_INT32: Final = (MIN_INT32, MAX_INT32)
_INT64: Final = (MIN_INT64, MAX_INT64)
_RANGE_NAMES: Final = {
    _INT16: "an int16",
    _INT32: "an int32",
    _INT64: "an int64",
    (0, _INT32[1]): "0 or more, an int32",
}
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_BLANKS: Final = re.compile(r"[ \t\x0b\f]+")
_UUID: Final = re.compile(r"[A-Za-z0-9_-]{22}(==)?")
_ZERO_UUID: Final = "A" * 22
_SHOWN_CHARACTERS: Final = 40


# Contents of the files


class EpochEntry(NamedTuple):
    """A leader epoch (int32) and the offset (int64) of the first record written in it."""

    epoch: int
    start_offset: int


@dataclass(frozen=True, slots=True)
class LeaderEpochs:
    """A leader-epoch-checkpoint: entries in the file's order; ``version`` is 0, or None for an empty file."""

    entries: tuple[EpochEntry, ...]
    version: int | None = 0


class TopicOffset(NamedTuple):
    """The entry of an offset checkpoint for one partition."""

    topic: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class TopicOffsets:
    """An offset checkpoint: entries in the file's order; ``version`` is 0, or None for an empty file."""

    entries: tuple[TopicOffset, ...]
    version: int | None = 0

    def as_dict(self) -> dict[tuple[str, int], int]:
        """Topic and partition -> offset; of duplicate entries the last one wins, as in Kafka."""
        return {(topic, partition): offset for topic, partition, offset in self.entries}


@dataclass(frozen=True, slots=True)
class PartitionMetadata:
    """A partition.metadata: the topic's id as Kafka prints it, 22 characters of URL-safe base64."""

    topic_id: str
    version: int = 0


@dataclass(frozen=True, slots=True)
class MetaProperties:
    """A meta.properties of any version.

    The attributes that Kafka knows are derived from ``properties``; they are None if the text is not a number.

    Attributes:
        properties: names and values in the file's order, unescaped, including names unknown to Kafka. Of duplicate
            names the last one wins.
        comments: the lines that begin with ``#`` or ``!``; builders write them first.
    """

    properties: tuple[tuple[str, str], ...]
    comments: tuple[str, ...] = ()

    def get(self, name: str) -> str | None:
        """The value of a property, None if there is none."""
        return dict(self.properties).get(name)

    @property
    def version(self) -> int:
        """0 (brokers with ZooKeeper; also if the file has no version) or 1 (KRaft)."""
        return _integer((self.get("version") or "").strip(_JAVA_TRIMMED)) or 0

    @property
    def cluster_id(self) -> str | None:
        """Required in version 1, since 0.10.1 in version 0."""
        return self.get("cluster.id")

    @property
    def node_id(self) -> int | None:
        """``node.id`` in version 1; ``broker.id`` in version 0, where it may be missing."""
        text = self.get("node.id" if self.version else "broker.id")
        return None if text is None else _integer(text)

    @property
    def directory_id(self) -> str | None:
        """The id of this log directory, since 3.7."""
        text = self.get("directory.id")
        return None if text is None else _canonical_uuid(text)

    @property
    def others(self) -> dict[str, str]:
        """The properties without an attribute above."""
        known = {"version", "cluster.id", "directory.id", "node.id" if self.version else "broker.id"}
        return {name: value for name, value in self.properties if name not in known}


@dataclass(frozen=True, slots=True)
class CleanShutdown:
    """A .kafka_cleanshutdown. Only its existence matters. Up to 3.6 it is empty; then all fields are None.

    ``broker_epoch`` is the broker's when it stopped; ``others`` are JSON fields that Kafka does not know.
    """

    broker_epoch: int | None = None
    version: int | None = None
    others: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class QuorumState:
    """A quorum-state: the leader of the KRaft quorum, and this node's vote; -1 for nobody.

    Version 0 has ``cluster_id``, ``applied_offset`` and ``current_voters`` (ids), version 1 has ``voted_directory_id``;
    fields of the other version are None. ``others`` are JSON fields that Kafka does not know.
    """

    leader_id: int
    leader_epoch: int
    voted_id: int
    data_version: int = 0
    cluster_id: str | None = None
    applied_offset: int | None = None
    current_voters: tuple[int, ...] | None = None
    voted_directory_id: str | None = None
    others: Mapping[str, Any] | None = None


Sidecar = LeaderEpochs | TopicOffsets | PartitionMetadata | MetaProperties | CleanShutdown | QuorumState


# Checkpoints: `version`, `number of entries`, then an entry a line


def parse_leader_epochs(
    data: bytes, *, source: str = "<bytes>", limit_bytes: int = DEFAULT_LIMIT_BYTES
) -> LeaderEpochs:
    """Parse a leader-epoch-checkpoint. Epochs and offsets may be in any order: Kafka corrects them later."""
    text = _Text(data, source, "leader_epoch_checkpoint", limit_bytes)
    columns = (("epoch", _INT32), ("start_offset", _INT64))
    version, entries = _parse_checkpoint(text, columns, lambda values: EpochEntry(*values))
    return LeaderEpochs(entries, version)


def build_leader_epochs(value: LeaderEpochs) -> bytes:
    """The file's bytes."""
    path = "leader_epoch_checkpoint"
    for number, (epoch, start_offset) in enumerate(value.entries):
        _check_integer(epoch, _INT32, f"{path}.entries[{number}].epoch")
        _check_integer(start_offset, _INT64, f"{path}.entries[{number}].start_offset")
    return _build_checkpoint(path, value.version, value.entries)


def parse_offsets(data: bytes, *, source: str = "<bytes>", limit_bytes: int = DEFAULT_LIMIT_BYTES) -> TopicOffsets:
    """Parse any of the four offset checkpoints."""
    text = _Text(data, source, "offset_checkpoint", limit_bytes)
    columns = (("topic", None), ("partition", _INT32), ("offset", _INT64))
    version, entries = _parse_checkpoint(text, columns, lambda values: TopicOffset(*values))
    return TopicOffsets(entries, version)


def build_offsets(value: TopicOffsets) -> bytes:
    """The file's bytes."""
    path = "offset_checkpoint"
    for number, (topic, partition, offset) in enumerate(value.entries):
        place = f"{path}.entries[{number}]"
        _check_integer(partition, _INT32, f"{place}.partition")
        _check_integer(offset, _INT64, f"{place}.offset")
        if re.search(r"[\s\ud800-\udfff]", topic, re.ASCII):
            raise BuildError("a topic that cannot stand in a checkpoint", path=f"{place}.topic", found=_shown(topic))
    return _build_checkpoint(path, value.version, value.entries)


def _parse_checkpoint(
    text: _Text, columns: tuple[tuple[str, tuple[int, int] | None], ...], make: Callable[[list[Any]], Any]
) -> tuple[int | None, tuple[Any, ...]]:
    lines = text.lines()
    line = next(lines, None)
    if line is None:
        return None, ()
    version = text.integer(line.text, _INT32, line.position, "version")
    if version != 0:
        text.invalid("a version unknown to Kafka", line.position, "version", 0, version)
    line = next(lines, None)
    if line is None:
        return version, ()  # Kafka treats that as an empty checkpoint, too
    count = text.integer(line.text, (0, _INT32[1]), line.position, "entries_count")
    entries = []
    for number, line in enumerate(lines):
        path = f"entries[{number}]"
        if number >= count:
            text.invalid("more entries than the file says", line.position, path, f"{count} entries", _shown(line.text))
        cells = _BLANKS.split(line.text)
        while cells and not cells[-1]:
            cells.pop()
        if len(cells) != len(columns):
            if line.is_cut and len(cells) < len(columns):
                text.truncated(path, f"{len(columns)} columns", len(cells))
            text.invalid("a malformed line", line.position, path, f"{len(columns)} columns", _shown(line.text))
        values: list[Any] = []
        for column, (cell, (name, limits)) in enumerate(zip(cells, columns, strict=True)):
            if limits is None:
                values.append(cell)
                continue
            value = _integer(cell)
            if value is None or not limits[0] <= value <= limits[1]:
                before = [blanks.end() for blanks in _BLANKS.finditer(line.text)][:column]
                position = line.position + len(line.text[: max(before, default=0)].encode())
                text.not_a_number(cell, limits, position, f"{path}.{name}")
            values.append(value)
        entries.append(make(values))
    if len(entries) != count:
        text.truncated(f"entries[{len(entries)}]", f"{count} entries", len(entries))
    return version, tuple(entries)


def _build_checkpoint(path: str, version: int | None, entries: tuple[tuple[Any, ...], ...]) -> bytes:
    if version is None:
        if entries:
            raise BuildError("entries need a version", path=f"{path}.version", expected=0)
        return b""
    if version != 0:
        raise BuildError("a version unknown to Kafka", path=f"{path}.version", expected=0, found=version)
    lines = ["0", str(len(entries)), *(" ".join(map(str, entry)) for entry in entries)]
    return "".join(f"{line}\n" for line in lines).encode()


# partition.metadata


def parse_partition_metadata(
    data: bytes, *, source: str = "<bytes>", limit_bytes: int = DEFAULT_LIMIT_BYTES
) -> PartitionMetadata:
    """Parse a partition.metadata. Kafka accepts any version from 0 on and reads all versions alike."""
    text = _Text(data, source, "partition_metadata", limit_bytes)
    lines = text.lines()
    fields = []
    for name in ("version", "topic_id"):
        line = next(lines, None)
        match = None if line is None else re.fullmatch(r"([^:]*):[ \t\x0b\f]+([^:]*)", line.text)
        if line is None or (match is None and line.is_cut and f"{name}: ".startswith(line.text)):
            text.truncated(name, f"{name}: ...", None if line is None else _shown(line.text))
        if match is None or match[1] != name:
            text.invalid("a malformed line", line.position, name, f"{name}: ...", _shown(line.text))
        fields.append((match[2], line.position + len(line.text[: match.start(2)].encode()), line.is_cut))
    for line in lines:
        if line.text:
            text.invalid("a line too many", line.position, "", "the end of the file", _shown(line.text))
    (version, version_position, _), (topic_id, position, is_cut) = fields
    number = text.integer(version, (0, _INT32[1]), version_position, "version")
    if is_cut and re.fullmatch(r"[A-Za-z0-9_-]{0,21}", topic_id):
        text.truncated("topic_id", "22 characters", len(topic_id))
    canonical = _canonical_uuid(topic_id)
    if canonical is None or canonical == _ZERO_UUID:
        text.invalid("not a topic's id", position, "topic_id", "base64 of 16 bytes, not all 0", _shown(topic_id))
    return PartitionMetadata(canonical, number)


def build_partition_metadata(value: PartitionMetadata) -> bytes:
    """The file's bytes, without a final newline."""
    _check_integer(value.version, (0, _INT32[1]), "partition_metadata.version")
    topic_id = _canonical_uuid(value.topic_id)
    if topic_id is None or topic_id == _ZERO_UUID:
        raise BuildError("not a topic's id", path="partition_metadata.topic_id", found=_shown(value.topic_id))
    return f"version: {value.version}\ntopic_id: {topic_id}".encode()


# meta.properties: java.util.Properties, read as ISO 8859-1

_JAVA_TRIMMED: Final = "".join(map(chr, range(33)))
_PROPERTY: Final = re.compile(r"((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*(.*)", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_ESCAPED: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_TO_ESCAPE: Final = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f"} | {
    character: f"\\{character}" for character in "=:#!"
}


def parse_meta_properties(
    data: bytes, *, source: str = "<bytes>", limit_bytes: int = DEFAULT_LIMIT_BYTES
) -> MetaProperties:
    """Parse a meta.properties.

    Bytes above 127 are read as ISO 8859-1, because Kafka does so although it writes UTF-8: a cluster id with such
    characters changes each time a broker writes the file.
    """
    text = _Text(data, source, "meta_properties", limit_bytes, encoding="iso-8859-1")
    properties: list[tuple[str, str]] = []
    comments: list[str] = []
    where: dict[str, int] = {}
    for line in _logical_lines(text, comments):
        match = _PROPERTY.fullmatch(line.text)
        assert match is not None  # any text matches
        pair = []
        for part in match.groups():
            if re.search(r"(?<!\\)(?:\\\\)*\\u(?![0-9A-Fa-f]{4})", part):
                text.invalid("a malformed escape", line.position, "", "\\uXXXX", _shown(part))
            pair.append(_unescaped(part))
        properties.append((pair[0], pair[1]))
        where[pair[0]] = line.position

    def complain(name: str, message: str, expected: str, found: str | None) -> NoReturn:
        if found is None:
            text.truncated(name, expected, None)
        text.invalid(message, where[name], name, expected, _shown(found))

    _check_properties(dict(properties), complain)
    return MetaProperties(tuple(properties), tuple(comments))


def build_meta_properties(value: MetaProperties) -> bytes:
    """The file's bytes: comments, then properties in their order, escaped as java.util.Properties does.

    Characters above U+00FF become ``\\uXXXX``, so that Kafka reads them correctly.
    """

    def complain(name: str, message: str, expected: str, found: str | None) -> NoReturn:
        raise BuildError(message, path=f"meta_properties.{name}", expected=expected, found=found and _shown(found))

    _check_properties(dict(value.properties), complain)
    lines = []
    for comment in value.comments:
        if not re.fullmatch(r"[#!][^\r\n]*", comment) or not _fits_iso_8859_1(comment):
            raise BuildError("not a comment", path="meta_properties.comments", expected="#...", found=_shown(comment))
        lines.append(comment)
    for name, text in value.properties:
        escaped = _escaped(text)
        lines.append(_escaped(name).replace(" ", "\\ ") + "=" + ("\\" * escaped.startswith(" ") + escaped))
    return "".join(f"{line}\n" for line in lines).encode("iso-8859-1")


def _check_properties(known: dict[str, str], complain: Callable[[str, str, str, str | None], NoReturn]) -> None:
    """The checks of MetaProperties.Builder."""
    version = known.get("version", "0").strip(_JAVA_TRIMMED)
    if _integer(version) not in (0, 1):
        complain("version", "a version unknown to Kafka", "0 or 1", known["version"])
    is_kraft = _integer(version) == 1
    name = "node.id" if is_kraft else "broker.id"
    if name in known:
        number = _integer(known[name])
        if number is None or not _INT32[0] <= number <= _INT32[1]:
            complain(name, "not a node's id", "an int32", known[name])
    for name in ("node.id", "cluster.id") if is_kraft else ():
        if name not in known:
            complain(name, "a property is missing", name, None)
    if "directory.id" in known and _canonical_uuid(known["directory.id"]) is None:
        complain("directory.id", "not a directory's id", "base64 of 16 bytes", known["directory.id"])


def _logical_lines(text: _Text, comments: list[str]) -> Iterator[_Line]:
    """Lines with their continuations, joined as in java.util.Properties; comments go into the list."""
    joined, start, is_open = "", 0, False
    for line in text.lines():
        part = line.text.lstrip(" \t\f")
        if not joined:
            start, is_open = line.position, False
            if not part:
                continue
            if part[0] in "#!":
                comments.append(part)
                continue
        is_open = (len(part) - len(part.rstrip("\\"))) % 2 == 1
        joined += part[: len(part) - is_open]
        if not is_open:
            yield _Line(joined, start, False)
            joined = ""
    if is_open:
        yield _Line(joined, start, False)  # the file ends after a backslash


def _unescaped(text: str) -> str:
    def replacement(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _ESCAPED.get(match[2], match[2])

    unescaped = _ESCAPE.sub(replacement, text)
    # Java's characters are UTF-16: a pair of escapes may be one character.
    return unescaped.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _escaped(text: str) -> str:
    escaped = "".join(_TO_ESCAPE.get(character, character) for character in text)
    if _fits_iso_8859_1(escaped):
        return escaped
    return "".join(character if character < "\u0100" else _escape_of(character) for character in escaped)


def _escape_of(character: str) -> str:
    """One or two escapes: Java's characters are UTF-16."""
    return re.sub("(....)", r"\\u\1", character.encode("utf-16-be", "surrogatepass").hex().upper())


def _fits_iso_8859_1(text: str) -> bool:
    return all(character < "\u0100" for character in text)


# JSON


def parse_clean_shutdown(
    data: bytes, *, source: str = "<bytes>", limit_bytes: int = DEFAULT_LIMIT_BYTES
) -> CleanShutdown:
    """Parse a marker of a clean shutdown, empty or JSON."""
    text = _Text(data, source, "clean_shutdown", limit_bytes)
    if not text.text:
        return CleanShutdown()
    fields = text.json(text.text)
    version = text.field(fields, "version", _INT32) if "version" in fields else 0
    broker_epoch = text.field(fields, "brokerEpoch", _INT64)
    return CleanShutdown(broker_epoch, version, _others(fields, ("version", "brokerEpoch")))


def build_clean_shutdown(value: CleanShutdown) -> bytes:
    """The file's bytes: empty without a broker epoch."""
    if value.broker_epoch is None:
        if value.version is not None or value.others:
            raise BuildError("fields need a broker epoch", path="clean_shutdown.broker_epoch")
        return b""
    version = 0 if value.version is None else value.version
    _check_integer(version, _INT32, "clean_shutdown.version")
    _check_integer(value.broker_epoch, _INT64, "clean_shutdown.broker_epoch")
    fields = {"version": version, "brokerEpoch": value.broker_epoch}
    return _build_json("clean_shutdown", fields, value.others)


def parse_quorum_state(data: bytes, *, source: str = "<bytes>", limit_bytes: int = DEFAULT_LIMIT_BYTES) -> QuorumState:
    """Parse a quorum-state: one line of JSON; like Kafka, read only the first line."""
    text = _Text(data, source, "quorum_state", limit_bytes)
    lines = text.lines()
    line = next(lines, None)
    if line is None:
        text.truncated("", "a line of JSON", None)
    fields = text.json(line.text)
    for rest in lines:
        if rest.text.strip():
            text.invalid("a line too many", rest.position, "", "the end of the file", _shown(rest.text))
    version = text.field(fields, "data_version", _INT16)
    if version not in (0, 1):
        text.invalid("a version unknown to Kafka", 0, "data_version", "0 or 1", version)
    leader, epoch, voted = (text.field(fields, name, _INT32) for name in ("leaderId", "leaderEpoch", "votedId"))
    others = _others(fields, _QUORUM_FIELDS[version])
    if version == 1:
        directory = fields.get("votedDirectoryId")
        canonical = _canonical_uuid(directory) if isinstance(directory, str) else None
        if canonical is None:
            text.field_wrong(fields, "votedDirectoryId", "base64 of 16 bytes")
        return QuorumState(leader, epoch, voted, data_version=version, voted_directory_id=canonical, others=others)
    cluster_id = fields.get("clusterId")
    if not isinstance(cluster_id, str):
        text.field_wrong(fields, "clusterId", "text")
    voters = fields.get("currentVoters")
    if not isinstance(voters, list):
        text.field_wrong(fields, "currentVoters", "a list")
    ids = []
    for number, voter in enumerate(voters):
        path = f"currentVoters[{number}]"
        if not isinstance(voter, dict) or set(voter) != {"voterId"}:
            text.invalid("not a voter", 0, path, "voterId and nothing else", _shown(json.dumps(voter)))
        ids.append(text.field(voter, "voterId", _INT32, path=f"{path}.voterId"))
    applied_offset = text.field(fields, "appliedOffset", _INT64)
    return QuorumState(
        leader,
        epoch,
        voted,
        cluster_id=cluster_id,
        applied_offset=applied_offset,
        current_voters=tuple(ids),
        others=others,
    )


_QUORUM_FIELDS: Final = (
    ("clusterId", "leaderId", "leaderEpoch", "votedId", "appliedOffset", "currentVoters", "data_version"),
    ("leaderId", "leaderEpoch", "votedId", "votedDirectoryId", "data_version"),
)
"""The fields of both versions, in the order in which Kafka writes them."""


def build_quorum_state(value: QuorumState) -> bytes:
    """The file's bytes, without a final newline."""
    path = "quorum_state"
    if value.data_version not in (0, 1):
        raise BuildError("a version unknown to Kafka", path=f"{path}.data_version", found=value.data_version)
    fields: dict[str, Any] = {
        "leaderId": value.leader_id,
        "leaderEpoch": value.leader_epoch,
        "votedId": value.voted_id,
        "data_version": value.data_version,
    }
    for name in ("leaderId", "leaderEpoch", "votedId"):
        _check_integer(fields[name], _INT32, f"{path}.{name}")
    if value.data_version == 0:
        if value.cluster_id is None or value.applied_offset is None or value.current_voters is None:
            raise BuildError("version 0 has cluster_id, applied_offset and current_voters", path=path)
        _check_integer(value.applied_offset, _INT64, f"{path}.appliedOffset")
        for number, voter in enumerate(value.current_voters):
            _check_integer(voter, _INT32, f"{path}.currentVoters[{number}]")
        voters = [{"voterId": voter} for voter in value.current_voters]
        fields |= {"clusterId": value.cluster_id, "appliedOffset": value.applied_offset, "currentVoters": voters}
    else:
        directory = _canonical_uuid(value.voted_directory_id or "")
        if directory is None:
            raise BuildError("not a directory's id", path=f"{path}.votedDirectoryId", found=value.voted_directory_id)
        fields["votedDirectoryId"] = directory
    return _build_json(path, {name: fields[name] for name in _QUORUM_FIELDS[value.data_version]}, value.others)


def _others(fields: dict[str, Any], known: Iterable[str]) -> dict[str, Any] | None:
    """The unknown fields; None if all fields are known."""
    return {name: value for name, value in fields.items() if name not in known} or None


def _build_json(path: str, fields: dict[str, Any], others: Mapping[str, Any] | None) -> bytes:
    try:
        text = json.dumps(fields | dict(others or {}), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        try:
            return text.encode()
        except UnicodeEncodeError:  # lone surrogates, from escapes
            return json.dumps(fields | dict(others or {}), separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise BuildError(f"it cannot be written as JSON: {error}", path=path) from None


# By name

_KINDS: Final[dict[str, tuple[type, Callable[..., Any], Callable[[Any], bytes]]]] = {
    "leader_epoch_checkpoint": (LeaderEpochs, parse_leader_epochs, build_leader_epochs),
    "offset_checkpoint": (TopicOffsets, parse_offsets, build_offsets),
    "partition_metadata": (PartitionMetadata, parse_partition_metadata, build_partition_metadata),
    "meta_properties": (MetaProperties, parse_meta_properties, build_meta_properties),
    "clean_shutdown": (CleanShutdown, parse_clean_shutdown, build_clean_shutdown),
    "quorum_state": (QuorumState, parse_quorum_state, build_quorum_state),
}


def is_sidecar(name: str) -> bool:
    """Whether `parse_sidecar` handles a file of this name (in any folder)."""
    row = kind_of(os.path.basename(name))
    return row is not None and row.format == TEXT


def parse_sidecar(
    name: str, data: bytes, *, source: str = "<bytes>", limit_bytes: int = DEFAULT_LIMIT_BYTES
) -> Sidecar:
    """Parse a file by its name; UsageError for any other name."""
    _, parse, _ = _functions(name)
    sidecar: Sidecar = parse(data, source=source, limit_bytes=limit_bytes)
    return sidecar


def build_sidecar(name: str, value: Sidecar) -> bytes:
    """The bytes of a file by its name; UsageError for any other name, or one of another type."""
    expected, _, build = _functions(name)
    if not isinstance(value, expected):
        raise UsageError(f"{name} holds a {expected.__name__}, not a {type(value).__name__}")
    return build(value)


def meta_properties_of(root: Path) -> MetaProperties | None:
    """The `meta.properties` of a root; None without that file. Raises OSError and DataError, as `read_sidecar`."""
    try:
        found = read_sidecar(root / PROPERTIES_FILE)
    except FileNotFoundError:
        return None
    return found if isinstance(found, MetaProperties) else None


def read_sidecar(path: str | os.PathLike[str], *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> Sidecar:
    """Read and parse a file; OSError if it cannot be read, else as `parse_sidecar`."""
    with ByteSource(path) as source:
        if source.size > limit_bytes:
            _too_large(source.name, source.size, limit_bytes)
        return parse_sidecar(
            base_name(path), source.read_at(0, source.size), source=source.name, limit_bytes=limit_bytes
        )


def _functions(name: str) -> tuple[type, Callable[..., Any], Callable[[Any], bytes]]:
    try:
        return _KINDS[describe_file(os.path.basename(name))[0]]
    except KeyError:
        raise UsageError(f"{name}: not the name of a file that kformat.kafka.files.text_files reads") from None


# Contents for people and as data


def objects(name: str, value: Sidecar) -> Iterator[dict[str, Any]]:
    """Flat objects with a ``kind``, ready for JSON: one per entry of a checkpoint, else one for the file."""
    kind = describe_file(os.path.basename(name))[0]
    match value:
        case LeaderEpochs() | TopicOffsets():
            for entry in value.entries:
                yield {"kind": f"{kind}_entry", **entry._asdict()}
        case PartitionMetadata():
            yield {"kind": kind, "version": value.version, "topic_id": value.topic_id}
        case MetaProperties():
            known = {name: getattr(value, name) for name in ("version", "cluster_id", "node_id", "directory_id")}
            yield {"kind": kind, **known, "others": value.others, "comments": list(value.comments)}
        case CleanShutdown():
            fields = {"version": value.version, "broker_epoch": value.broker_epoch}
            yield {"kind": kind, **fields, "others": dict(value.others or {})}
        case QuorumState():
            names = ("data_version", "leader_id", "leader_epoch", "voted_id", "voted_directory_id", "cluster_id")
            fields = {name: getattr(value, name) for name in (*names, "applied_offset")}
            voters = None if value.current_voters is None else list(value.current_voters)
            yield {"kind": kind, **fields, "current_voters": voters, "others": dict(value.others or {})}


def text_lines(name: str, value: Sidecar) -> Iterator[str]:
    """Lines in the style of Kafka's dump tool, with Kafka's names; one per entry of a checkpoint, or per property."""
    match value:
        case LeaderEpochs():
            for epoch, start_offset in value.entries:
                yield f"epoch: {epoch} startOffset: {start_offset}"
        case TopicOffsets():
            for topic, partition, offset in value.entries:
                yield f"topic: {_one_line(topic)} partition: {partition} offset: {offset}"
        case PartitionMetadata():
            yield f"version: {value.version} topicId: {value.topic_id}"
        case MetaProperties():
            for key, text in value.properties:
                yield f"{_one_line(key)}: {_one_line(text)}"
        case CleanShutdown():
            if value.broker_epoch is not None:
                yield f"version: {value.version} brokerEpoch: {value.broker_epoch}" + _rest(value.others)
        case QuorumState():
            (fields,) = objects(name, value)
            words = {
                "clusterId": fields["cluster_id"],
                "leaderId": value.leader_id,
                "leaderEpoch": value.leader_epoch,
                "votedId": value.voted_id,
                "votedDirectoryId": value.voted_directory_id,
                "appliedOffset": value.applied_offset,
                "currentVoters": fields["current_voters"],
                "data_version": value.data_version,
            }
            yield " ".join(
                f"{word}: {_one_line(str(words[word]))}" for word in _QUORUM_FIELDS[value.data_version]
            ) + _rest(value.others)


def summary(value: Sidecar) -> str:
    """A file's content in a few words, on one line; only the beginning of long lists. ``""`` if the file is empty."""
    match value:
        case LeaderEpochs(entries):
            shown = [f"{epoch} from {start_offset}" for epoch, start_offset in entries[:4]]
            return ", ".join(shown) + (f", ... ({len(entries)})" if len(entries) > len(shown) else "")
        case TopicOffsets(entries):
            return f"{len(entries)} partition{'' if len(entries) == 1 else 's'}"
        case PartitionMetadata(topic_id):
            return topic_id
        case MetaProperties():
            words = (("cluster", value.cluster_id), ("node", value.node_id), ("directory", value.directory_id))
            return ", ".join(
                f"{word} {_one_line(str(identifier))}" for word, identifier in words if identifier is not None
            )
        case CleanShutdown(broker_epoch):
            return "" if broker_epoch is None else f"broker epoch {broker_epoch}"
        case QuorumState():
            return f"leader {value.leader_id}, epoch {value.leader_epoch}, voted for {value.voted_id}"


def _rest(others: Mapping[str, Any] | None) -> str:
    return "".join(f" {_one_line(name)}: {json.dumps(value)}" for name, value in (others or {}).items())


def _one_line(text: str) -> str:
    """Text with line ends and control characters as Python's escapes."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


# Helpers


class _Line(NamedTuple):
    text: str
    position: int
    is_cut: bool  # the file ends without a line end here


class _Text:
    """A file as text, with the errors of its parsers."""

    def __init__(self, data: bytes, source: str, root: str, limit_bytes: int, encoding: str = "utf-8") -> None:
        self.source, self.root, self.encoding = source, root, encoding
        self.data = bytes(data)
        if len(self.data) > limit_bytes:
            _too_large(source, len(self.data), limit_bytes)
        try:
            self.text = self.data.decode(encoding)
        except UnicodeDecodeError as error:
            self.invalid("bytes that are not UTF-8", error.start, "", "UTF-8", f"0x{self.data[error.start]:02x}")

    def lines(self) -> Iterator[_Line]:
        """Lines without their line ends, which are Java's: LF, CR LF, CR."""
        position = 0
        for raw in self.data.splitlines(keepends=True):  # on bytes: no other line ends
            line = raw.rstrip(b"\r\n")
            yield _Line(line.decode(self.encoding), position, len(line) == len(raw))
            position += len(raw)

    def invalid(self, message: str, position: int, path: str, expected: Any = None, found: Any = None) -> NoReturn:
        """The error for a byte position; ``path`` is below the root."""
        raise InvalidError(
            f"{message}, line {len((self.data[:position] + b'.').splitlines())}",
            source=self.source,
            position=position,
            path=f"{self.root}.{path}" if path else self.root,
            expected=expected,
            found=found,
        )

    def truncated(self, path: str, expected: Any, found: Any) -> NoReturn:
        """The error for a missing end."""
        raise TruncatedError(
            "the file ends here",
            source=self.source,
            position=len(self.data),
            path=f"{self.root}.{path}" if path else self.root,
            expected=expected,
            found=found,
        )

    def integer(self, text: str, limits: tuple[int, int], position: int, path: str) -> int:
        """A decimal integer as parsed by Java's parseInt: a sign and leading zeros are allowed, blanks are not."""
        number = _integer(text)
        if number is None or not limits[0] <= number <= limits[1]:
            self.not_a_number(text, limits, position, path)
        return number

    def not_a_number(self, text: str, limits: tuple[int, int], position: int, path: str) -> NoReturn:
        """The error for text that is not an integer, or out of range."""
        self.invalid("not a valid number here", position, path, _RANGE_NAMES[limits], _shown(text))

    def json(self, text: str) -> dict[str, Any]:
        """A JSON object; of duplicate fields the last one wins, as in Kafka's Jackson."""
        try:
            document = json.loads(text, parse_float=_finite, parse_constant=_refused)
        except json.JSONDecodeError as error:
            if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
                self.truncated("", "the rest of the JSON", None)
            self.invalid(f"not JSON: {error.msg}", len(text[: error.pos].encode()), "")
        except (ValueError, RecursionError) as error:
            self.invalid(f"JSON that cannot be read: {error}", 0, "")
        if not isinstance(document, dict):
            self.invalid("not a JSON object", 0, "", "{...}", _shown(text))
        return document

    def field(self, fields: dict[str, Any], name: str, limits: tuple[int, int], path: str | None = None) -> int:
        """An integer JSON field."""
        value = fields.get(name)
        if type(value) is not int or not limits[0] <= value <= limits[1]:
            self.field_wrong(fields, name, _RANGE_NAMES[limits], path)
        return value

    def field_wrong(self, fields: dict[str, Any], name: str, expected: str, path: str | None = None) -> NoReturn:
        """The error for a missing or wrong field."""
        found = _shown(json.dumps(fields[name])) if name in fields else "nothing"
        position = max(self.data.find(json.dumps(name).encode()), 0)
        self.invalid("a field that is missing or wrong", position, path or name, expected, found)


def _too_large(source: str, size: int, limit_bytes: int) -> NoReturn:
    raise LimitError("a file larger than the limit", source=source, expected=f"{limit_bytes} bytes", found=size)


def _integer(text: str) -> int | None:
    """The number, or None; strips leading zeros, because Python refuses a million of them."""
    if not _INTEGER.fullmatch(text):
        return None
    digits = text.lstrip("+-").lstrip("0") or "0"
    if len(digits) > 19:  # beyond any int64, no matter how far
        digits = "9" * 20
    return -int(digits) if text.startswith("-") else int(digits)


def _check_integer(value: Any, limits: tuple[int, int], path: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not limits[0] <= value <= limits[1]:
        raise BuildError("not a valid number here", path=path, expected=_RANGE_NAMES[limits], found=value)


def _canonical_uuid(text: str) -> str | None:
    """A UUID as Kafka prints it, from any form that Kafka accepts: padding is optional, the last bits do not matter."""
    if not _UUID.fullmatch(text):
        return None
    return uuid_text(base64.urlsafe_b64decode(text.rstrip("=") + "=="))


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number beyond a double")
    return number


def _refused(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _shown(text: str) -> str:
    """Text for an error: quoted and shortened."""
    return repr(text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "...")


__all__ = [
    "DEFAULT_LIMIT_BYTES",
    "CleanShutdown",
    "EpochEntry",
    "PartitionMetadata",
    "TopicOffset",
    "TopicOffsets",
    "build_clean_shutdown",
    "build_offsets",
    "build_partition_metadata",
    "meta_properties_of",
    "parse_leader_epochs",
    "parse_meta_properties",
    "parse_offsets",
    "parse_partition_metadata",
    "read_sidecar",
]
