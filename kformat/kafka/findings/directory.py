"""The files of a partition folder, by name, and the order of segments.

Names are Kafka's: `<base offset as 20 digits>.log`, `.index`, `.timeindex`, `.txnindex` (LogFileUtils), `.snapshot`,
and a few names of other files; all other entries are listed with their kind. Segments are sorted by base offset; the
last one may be in use.
"""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from kformat.kafka.batch.framing import MAX_LOG_BYTES
from kformat.kafka.files.file_kinds import (
    describe_file,
    is_cached_index,
    kind_by_ending,
    kind_of,
    parse_file_name,
    parse_folder_name,
    parse_remote_file_name,
)
from kformat.kafka.findings.rules import UNREADABLE, Finding, rule
from kformat.storage.address import ScannedEntry, base_name, folder_name, is_folder, scan, status
from kformat.storage.byte_source import ByteSource

NOT_JUDGED: Final = rule(
    "KF0001",
    "info",
    "The file is one of Kafka's. (Others are listed with what they are, and not looked into.)",
    source="LogFileUtils",
    kafka="Does not look at files whose names it does not know.",
)
BAD_NAME: Final = rule(
    "KF0003",
    "error",
    "The name of a segment's file is its base offset with 20 digits.",
    source="LogFileUtils.filenamePrefixFromOffset, LogLoader.loadSegmentFiles",
    kafka="Fails to load the log, or opens an empty segment under the right name next to it.",
)
ORPHAN: Final = rule(
    "KF0004",
    "warning",
    "An index lies next to the log that it belongs to.",
    source="LogLoader.loadSegmentFiles",
    kafka="Deletes the index when it loads the log.",
)
NO_OFFSET_INDEX: Final = rule(
    "KF0005",
    "warning",
    "A log that is not empty has an offset index.",
    source="LogLoader.loadSegmentFiles",
    kafka="Rebuilds all indexes of the segment when it loads the log.",
)
NO_TIME_INDEX: Final = rule(
    "KF0006",
    "warning",
    "A log that is not empty has a time index (since 0.10.1).",
    source="LogSegment.sanityCheck, LazyIndex",
    kafka="Starts an empty one; retention and lookups by time go by the file's modification time from then on.",
)
OVERLAP: Final = rule(
    "KF0007",
    "error",
    "The offsets of a segment end before the base offset of the next.",
    source="LogSegments.floorSegment, LocalLog.read",
    kafka="Reads what is in both from the later segment; the earlier one's records are passed over or read twice.",
)
GAP: Final = rule(
    "KF0008",
    "warning",
    "In a folder without other gaps, segments follow each other without a gap.",
    source="LocalLog.roll (a segment begins at the log's end offset)",
    kafka="Reads on at the next segment, as after any gap.",
)
TOO_LARGE: Final = rule(
    "KF0009",
    "error",
    f"No file of a segment is larger than {MAX_LOG_BYTES} bytes.",
    source="FileRecords.open, AbstractIndex.createAndAssignMmap",
    kafka="Refuses the file, and with it the whole log.",
)

LEFT: Final = rule(
    "KF0010",
    "info",
    "Nothing waits to be deleted, renamed or finished. (Such files and folders are not looked into.)",
    source="LogLoader.removeTempFilesAndCollectSwapFiles, LogManager",
    kafka="Deletes what is `.deleted` or `.cleaned` when it loads the log, and finishes what is `.swap`.",
)
LOST_METADATA: Final = rule(
    "KF0011",
    "error",
    "The batches of `__cluster_metadata` follow each other without a gap.",
    source="KafkaRaftClient, KafkaMetadataLog (the log is never compacted; snapshots replace its beginning)",
    kafka="Stops at the gap, or takes partitions for strays, unless it begins at a snapshot of a later offset.",
)

WENT_AWAY: Final = "not judged: the file disappeared during the check"


@dataclass
class FilesOfSegment:
    """The files of one segment by kind (``log``, ``offset_index``, ``time_index``, ``transaction_index``).

    ``base_offset`` is None if the name does not contain it, ``next_base_offset`` is that of the next segment with a
    log. If ``is_remote``, the segment is from remote storage: those may overlap, and any of them may be missing.
    """

    base_offset: int | None
    files: dict[str, str] = field(default_factory=dict)
    next_base_offset: int | None = None
    is_remote: bool = False

    @property
    def is_last(self) -> bool:
        """Whether Kafka may be writing to it."""
        return self.next_base_offset is None


@dataclass
class Folder:
    """A folder's content: segments in order, other files, subfolders; all as paths.

    ``snapshots`` are producer snapshots, ``metadata`` snapshots of KRaft's metadata, ``texts`` files for
    `kformat.kafka.files.text_files`, ``left`` files to be deleted, renamed or finished, ``others`` unknown files.
    """

    path: str
    segments: list[FilesOfSegment] = field(default_factory=list)
    snapshots: list[str] = field(default_factory=list)
    metadata: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    misnamed: list[str] = field(default_factory=list)

    def segment_of(self, log: str) -> FilesOfSegment | None:
        """The segment with a log, by the log's path."""
        return self._by_log.get(log)

    @cached_property
    def _by_log(self) -> dict[str | None, FilesOfSegment]:
        return {segment.files.get("log"): segment for segment in self.segments}


def base_offset_of(name: str) -> int | None:
    """The base offset in the name of a segment's file, also of a remote one; None for any other name."""
    parsed = parse_file_name(name) or parse_remote_file_name(name)
    return None if parsed is None else parsed.offset


def epoch_of(name: str) -> int | None:
    """The epoch in the name of a metadata snapshot; None for any other name."""
    parsed = parse_file_name(name)
    return None if parsed is None else parsed.epoch


def list_folder(path: str) -> Folder:
    """Classify the entries of a folder; OSError if it cannot be listed."""
    folder = Folder(path)
    segments: dict[int, FilesOfSegment] = {}
    remote: dict[tuple[int, str | None], FilesOfSegment] = {}
    for entry in sorted(scan(path), key=lambda entry: entry.name):
        kind = segment_kind(entry.name)
        if is_folder(entry):
            folder.folders.append(entry.path)
        elif not may_be_opened(entry.path, entry):
            folder.others.append(entry.path)
        elif kind is None:
            _sort_in(folder, entry.name, entry.path)
        elif (parsed := parse_file_name(entry.name)) is not None:
            segments.setdefault(parsed.offset, FilesOfSegment(parsed.offset)).files[kind] = entry.path
        elif (parsed := parse_remote_file_name(entry.name)) is not None:
            key = parsed.offset, parsed.segment_id
            remote.setdefault(key, FilesOfSegment(parsed.offset, is_remote=True)).files[kind] = entry.path
        else:
            folder.misnamed.append(entry.path)
    if segments:  # a broker's folder
        folder.misnamed = sorted(
            [*folder.misnamed, *(path for segment in remote.values() for path in segment.files.values())]
        )
    elif remote:
        folder.segments = [remote[key] for key in sorted(remote)]
        return folder
    if not segments and parse_folder_name(folder_name(path)) is None:
        # Kafka looks for segments only in a partition's folder; elsewhere a `.log` may be anything, like a broker's own
        # log.
        foreign = [name for name in folder.misnamed if not os.path.splitext(base_name(name))[0].isdigit()]
        folder.others = sorted(folder.others + foreign)
        folder.misnamed = [name for name in folder.misnamed if name not in foreign]
    folder.segments = [segments[offset] for offset in sorted(segments)]
    logs = [segment for segment in folder.segments if "log" in segment.files]
    for segment, following in itertools.pairwise(logs):
        segment.next_base_offset = following.base_offset
    return folder


def segment_kind(name: str) -> str | None:
    """The kind of a segment's file, by its suffix: ``log``, ``offset_index``, ...; None for any other."""
    row = kind_by_ending(name)
    return row.kind if row is not None and row.rules == "segment" else None


def rules_of(name: str) -> str | None:
    """The rules for a file outside segments (`file_kinds.FileKind.rules`): ``left`` for files to be deleted, renamed or
    finished, ``misnamed`` for a producer snapshot with an invalid name, None for others.
    """
    row, parsed = kind_of(name), parse_file_name(name) or parse_remote_file_name(name)
    if (parsed is not None and parsed.state) or describe_file(name)[0] == "temporary":
        return "left"
    if row is not None:
        return row.rules
    ending = kind_by_ending(name)
    return "misnamed" if ending is not None and ending.rules == "producers" else None


def _sort_in(folder: Folder, name: str, path: str) -> None:
    """Add a file outside segments to its list."""
    lists = {
        "left": folder.left,
        "producers": folder.snapshots,
        "metadata": folder.metadata,
        "text": folder.texts,
        "misnamed": folder.misnamed,
        "nothing": [],
    }
    lists.get(rules_of(name) or "", folder.others).append(path)


def may_be_opened(path: str, entry: ScannedEntry | None = None) -> bool:
    """Whether a path is a file, or unknown: opening a pipe would wait forever for its other end.

    ``entry`` is its entry in the folder's listing, if it was listed.
    """
    try:
        return stat.S_ISREG((status(path) if entry is None else entry.stat()).st_mode)
    except OSError as error:
        return not _leads_nowhere(path, error)  # opening it will raise the reason


def _leads_nowhere(path: str, error: OSError) -> bool:
    return isinstance(error, FileNotFoundError | NotADirectoryError) and os.path.islink(path)


def _description(path: str) -> str:
    """The kind of a file that is not judged: by its name, if it is a file at all."""
    try:
        mode = status(path).st_mode
    except OSError as error:
        return "a link to nowhere" if _leads_nowhere(path, error) else describe_file(base_name(path))[1]
    return describe_file(base_name(path))[1] if stat.S_ISREG(mode) else "not a regular file"


def file_findings(folder: Folder) -> Iterator[Finding]:
    """Findings from the names alone."""
    for path in folder.others:
        yield NOT_JUDGED.at(path, None, "", f"not judged: {_description(path)}")
    for path in folder.left:
        yield LEFT.at(path, None, "", f"not looked into: {_description(path)}")
    for path in folder.misnamed:
        yield BAD_NAME.at(path, None, "", "the name is not a base offset of 20 digits")


def missing_files(segment: FilesOfSegment, batches_count: int, current_count: int) -> Iterator[Finding]:
    """A segment's missing files, or files without their log; ``current_count`` of its batches are of magic 2.

    Messages of magic 0 and 1 may be from a broker without time indexes. Brokers cache indexes of remote segments, and
    of those segments only the logs may have been copied.
    """
    if "log" not in segment.files:
        for path in segment.files.values():
            if not is_cached_index(base_name(path)):
                yield ORPHAN.at(path, None, "", "there is no log of this name")
    elif batches_count and not segment.is_remote:
        log = segment.files["log"]
        if "offset_index" not in segment.files:
            yield NO_OFFSET_INDEX.at(log, None, "", "it has no .index next to it")
        if current_count and "time_index" not in segment.files:
            yield NO_TIME_INDEX.at(log, None, "", "it has no .timeindex next to it")


def unreadable(path: str, error: OSError) -> Finding:
    """The finding about a file that cannot be read."""
    if isinstance(error, FileNotFoundError):  # it was just deleted: a broker is at work
        return NOT_JUDGED.at(path, None, "", WENT_AWAY)
    return UNREADABLE.at(path, None, "", error.strerror or str(error))


def opened_files(segment: FilesOfSegment, opened: ExitStack) -> Generator[Finding, None, dict[str, ByteSource]]:
    """The files of a segment that can be opened and judged, by kind; findings about the others."""
    sources: dict[str, ByteSource] = {}
    for kind, path in segment.files.items():
        try:
            source = opened.enter_context(ByteSource(path))
        except OSError as error:
            yield unreadable(path, error)
            continue
        refused = too_large(path, source.size)
        if refused is None:
            sources[kind] = source
        else:
            yield refused
    return sources


def too_large(path: str, size: int) -> Finding | None:
    """The finding about a file larger than Kafka opens, which is not judged further."""
    if size <= MAX_LOG_BYTES:
        return None
    message = f"{size} bytes; not looked into"
    return TOO_LARGE.at(path, None, "", message, f"<= {MAX_LOG_BYTES}", size)
