"""Whether Kafka's files are sound: rules in, findings out.

`check` looks at partition folders, at whole log directories, and at single files. It reads what is there once, in
constant memory, and writes nothing. What each rule says, and what Kafka does where it is broken, stands with the rules
(`kformat.rules`) and in docs/rules.md.

The levels, each judged only where the one below it holds: framing, checksum, header, records; beside the log its
indexes and snapshots, each by itself and then against the log (under the writer's profile); and around the partitions
the files of the root, each by itself and then against them.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

import numpy as np

from kformat.batches import AnyBatch, iter_batches
from kformat.compression import CODEC_NAMES, DEFAULT_INFLATE_LIMIT
from kformat.errors import DataError, UsageError
from kformat.filenames import describe_file, parse_file_name, parse_folder_name
from kformat.indexing import PROFILES
from kformat.places import address, base_name, folder_of, is_dir, real_path, status
from kformat.rules import RULES, UNREADABLE, Finding, Rule, rules_table
from kformat.rules.directory import (
    GAP,
    KINDS,
    LEFT,
    NOT_JUDGED,
    OVERLAP,
    PRODUCER_SNAPSHOT,
    Folder,
    SegmentFiles,
    base_offset_of,
    epoch_of,
    file_findings,
    list_folder,
    may_be_opened,
    missing_files,
    too_large,
)
from kformat.rules.entries import JudgedIndex, judge_index
from kformat.rules.framing import Block, LogReader
from kformat.rules.header import HeaderCheck
from kformat.rules.messages import judge_messages
from kformat.rules.metadata_snapshot import MetadataSnapshotCheck
from kformat.rules.offset_index import RULES_ALONE as OFFSET_INDEX_RULES
from kformat.rules.offset_index import OffsetIndexCheck
from kformat.rules.producers import Journal, read_snapshot
from kformat.rules.profiles import choose
from kformat.rules.records import record_findings
from kformat.rules.sidecars import EpochCheck, PartitionFacts, TextFile, read_text_file, root_findings
from kformat.rules.sound import SoundRecords
from kformat.rules.time_index import RULES_ALONE as TIME_INDEX_RULES
from kformat.rules.time_index import TimeIndexCheck
from kformat.rules.transaction_index import RULES_ALONE as TRANSACTION_INDEX_RULES
from kformat.rules.transaction_index import TransactionIndexCheck, missing_entries
from kformat.sidecars import DEFAULT_LIMIT_BYTES, is_sidecar
from kformat.source import ByteSource

__all__ = ["RULES", "Finding", "Progress", "Rule", "check", "rules_table"]

Progress = Callable[[str, int, int], None]
"""Called now and then with a log's path, the bytes of it that are done, and its size in bytes."""

_INDEX_RULES: Final = {
    "offset_index": OFFSET_INDEX_RULES,
    "time_index": TIME_INDEX_RULES,
    "transaction_index": TRANSACTION_INDEX_RULES,
}
_NOTHING: Final = np.zeros(0, dtype=np.int64)

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class _Options:
    profile: str | None
    index_interval_bytes: int | None
    records: bool
    inflate_limit: int
    progress: Progress | None
    sound: SoundRecords = field(default_factory=SoundRecords)


def check(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    profile: str | None = None,
    index_interval_bytes: int | None = None,
    records: bool = True,
    ignore: Collection[str] = (),
    inflate_limit: int = DEFAULT_INFLATE_LIMIT,
    progress: Progress | None = None,
) -> Iterator[Finding]:
    """Look for what is wrong in Kafka's files.

    Args:
        paths: partition folders, folders of such (a log directory: partition folders are found at any depth), or files.
            A file is judged with the other files of its segment (a snapshot of producers, leader epochs: with all
            segments beside it; a root's files by themselves), and only findings about it are given.
        profile: who wrote the indexes, one of `indexing.PROFILES`; None infers it, segment by segment.
        index_interval_bytes: `index.interval.bytes` of the writer; None does not judge how dense the entries are.
        records: False leaves the records alone (KF03xx), which is many times faster.
        ignore: ids of rules that are not to be reported.
        inflate_limit: the most bytes that one batch may take, stored or inflated.
        progress: see `Progress`.

    Returns:
        Findings as they are met: folder by folder, segment by segment; of a log in order of position, then of its
        indexes. Files of other formats are told by findings of severity ``info``. A file that cannot be read is the
        finding KF0002, and the others are checked all the same. `Finding.exit_status` says what each is worth.

    Raises:
        UsageError: at once, for an unknown profile or rule.
        OSError: at once, for a path that is not there.
    """
    if profile is not None and profile not in PROFILES:
        raise UsageError(f"no writer profile {profile!r}; there are {', '.join(PROFILES)}")
    if index_interval_bytes is not None and index_interval_bytes < 0:
        raise UsageError(f"index_interval_bytes is {index_interval_bytes}; it cannot be below 0")
    for id in ignore:
        if id not in RULES:
            raise UsageError(f"no rule {id!r}")
    # An archive stays open while somebody holds an address in it.
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    given = [(os.fspath(path), address(path) or path) for path in several]
    for _, found in given:
        status(found)
    options = _Options(profile, index_interval_bytes, records, inflate_limit, progress)
    return (
        finding
        for path, found in given
        for finding in (_folder(path, options) if is_dir(found) else _file(path, options))
        if finding.rule in RULES and finding.rule not in ignore
    )


def _unreadable(path: str, error: OSError) -> Finding:
    if isinstance(error, FileNotFoundError):  # it was there a moment ago: a broker is at work
        return NOT_JUDGED.at(path, None, "", "not judged: it went away meanwhile")
    return UNREADABLE.at(path, None, "", error.strerror or str(error))


_Findings = Generator[Finding, None, _Result]
"""Findings, and what is known when all of them have been told."""


def _folder(path: str, options: _Options, above: tuple[str, ...] = ()) -> _Findings[PartitionFacts | None]:
    """A folder and what is in it; ``above``: the real paths of those around it, so that links lead in no circles."""
    try:
        real = real_path(path)
        folder = list_folder(path)
    except OSError as error:
        yield _unreadable(path, error)
        return None
    yield from file_findings(folder)
    texts = []
    for file in folder.texts:
        text = yield from _text_file(file)
        if text is not None:
            texts.append(text)
    for file in folder.metadata:
        yield from _metadata_snapshot(file, options)
    facts = yield from _partition(folder, texts, options)
    partitions = {}
    for inner in folder.folders:
        named = parse_folder_name(base_name(inner))
        if named is not None and named.state == "delete":
            yield LEFT.at(inner, None, "", "not looked into: a partition that waits to be deleted")
        elif real_path(inner) not in (real, *above):
            found = yield from _folder(inner, options, (real, *above))
            if found is not None and named is not None and not named.state:
                partitions[named.topic, named.partition] = found
    yield from root_findings(texts, partitions)
    return facts


def _file(path: str, options: _Options) -> Iterator[Finding]:
    """One file, with its segment or its partition around it."""
    name = base_name(path)
    kind, (described, _), parsed = KINDS.get(os.path.splitext(name)[1]), describe_file(name), parse_file_name(name)
    if not may_be_opened(path):
        yield from file_findings(Folder(path, others=[path]))
    elif kind is not None:
        yield from _of_segment(path, kind, options)
    elif parsed is not None and parsed.state:
        yield from file_findings(Folder(path, left=[path]))
    elif described in ("producer_snapshot", "leader_epoch_checkpoint"):
        folder = list_folder(folder_of(path))
        text = None
        if described == "leader_epoch_checkpoint":
            text = yield from _text_file(path)
        else:
            folder.snapshots = [path]
        for finding in _partition(folder, [text] if text else [], options):
            if finding.file == path:
                yield finding
    elif described == "metadata_snapshot":
        yield from _metadata_snapshot(path, options)
    elif is_sidecar(name):
        yield from _text_file(path)
    elif name.endswith(PRODUCER_SNAPSHOT):
        yield from _partition(Folder(path, snapshots=[path]), [], options)
    elif described != "lock":
        yield from file_findings(Folder(path, others=[path]))


def _of_segment(path: str, kind: str, options: _Options) -> Iterator[Finding]:
    """One file of a segment, by whatever name."""
    base_offset = base_offset_of(base_name(path))
    segment = SegmentFiles(base_offset, {kind: path})
    if base_offset is not None:
        for known in list_folder(folder_of(path)).segments:
            if known.base_offset == base_offset:
                segment = SegmentFiles(base_offset, {**known.files, kind: path}, known.next_base_offset)
    for finding in _Segment(segment, options, Journal([])).findings():
        if finding.file == path:
            yield finding


def _text_file(path: str) -> _Findings[TextFile | None]:
    try:
        with ByteSource(path) as source:
            if source.size > DEFAULT_LIMIT_BYTES:
                yield NOT_JUDGED.at(path, None, "", f"not judged: text of {source.size} bytes")
                return None
            text = read_text_file(source, path, base_name(path))
    except OSError as error:
        yield _unreadable(path, error)
        return None
    yield from text.findings
    return text


def _metadata_snapshot(path: str, options: _Options) -> Iterator[Finding]:
    check = MetadataSnapshotCheck(path, epoch_of(base_name(path)))
    try:
        with ByteSource(path) as source:
            reader = LogReader(source, path, limit=options.inflate_limit)
            headers = HeaderCheck(path, 0)
            for item in reader.blocks():
                if isinstance(item, Finding):
                    yield item
                    continue
                check.feed(item)
                yield from _judged(item, headers, reader, options)[1]
    except OSError as error:
        yield _unreadable(path, error)
        return
    yield from check.findings(reader.is_whole)


def _partition(folder: Folder, texts: list[TextFile], options: _Options) -> _Findings[PartitionFacts | None]:
    """The segments of a folder, how they stand to each other, and what tells of all of them."""
    snapshots = []
    for path in folder.snapshots:
        try:
            with ByteSource(path) as source:
                if source.size > DEFAULT_INFLATE_LIMIT:
                    yield NOT_JUDGED.at(path, None, "", f"not judged: a producer snapshot of {source.size} bytes")
                    continue
                snapshot = read_snapshot(source, path, base_offset_of(base_name(path)))
        except OSError as error:
            yield _unreadable(path, error)
            continue
        yield from snapshot.findings
        snapshots.append(snapshot)
    journal = Journal(snapshots)
    by_name = {text.name: text for text in texts}
    epochs = EpochCheck(by_name["leader-epoch-checkpoint"]) if "leader-epoch-checkpoint" in by_name else None
    has_gaps, gaps, log_end_offset = False, [], None
    for files in folder.segments:
        segment = _Segment(files, options, journal, epochs)
        yield from segment.findings()
        yield from segment.overlap()
        has_gaps |= segment.has_gaps
        gaps += segment.gap_behind()
        if files.is_last and "log" in files.files:
            log_end_offset = segment.log_end_offset
    if not has_gaps:
        yield from gaps
    yield from journal.findings(log_end_offset)
    if epochs is not None:
        yield from epochs.findings(log_end_offset)
    metadata = by_name.get("partition.metadata")
    return PartitionFacts(folder.path, log_end_offset, metadata) if folder.segments or metadata else None


def _judged(
    block: Block, headers: HeaderCheck, reader: LogReader, options: _Options
) -> tuple[Block, Iterable[Finding]]:
    """The block as far as it is known then, and what its headers and records break, in order of position."""
    of_records: Iterable[Finding] = ()
    if options.records and block.is_legacy:
        of_records, block = judge_messages(block, reader.file)
    elif options.records:
        of_records = _records(block, reader.file, options.sound)
    return block, heapq.merge(headers.findings(block), of_records, key=_by_position)


class _Segment:
    """The files of one segment; what the walk over its log has to tell about it is kept for the folder's rules."""

    def __init__(
        self, files: SegmentFiles, options: _Options, journal: Journal, epochs: EpochCheck | None = None
    ) -> None:
        self.files, self.options, self.journal, self.epochs = files, options, journal, epochs
        self.log = files.files.get("log")
        self.has_gaps = False
        self.is_whole = self.ends_well = False
        self.last_offset: int | None = None
        self.max_timestamp = -1
        self.overlap_at: tuple[int, int] | None = None

    def findings(self) -> Iterator[Finding]:
        """All findings about its files."""
        with ExitStack() as opened:
            sources: dict[str, ByteSource] = {}
            for kind, path in self.files.files.items():
                try:
                    sources[kind] = opened.enter_context(ByteSource(path))
                except OSError as error:
                    yield _unreadable(path, error)
                    continue
                refused = too_large(path, sources[kind].size)
                if refused is not None:
                    del sources[kind]
                    yield refused
            try:
                yield from self._judge(sources)
            except OSError as error:  # a disk, or a network, that fails while it is read
                first = next(iter(self.files.files.values()))
                yield _unreadable(error.filename or self.log or first, error)

    def _judge(self, sources: dict[str, ByteSource]) -> Iterator[Finding]:
        log = sources.get("log")
        log_size_bytes = 0 if log is None else log.size
        transactions = None
        if "transaction_index" in sources:
            index = self._index("transaction_index", sources["transaction_index"], log_size_bytes)
            if isinstance(index, Finding):
                yield index
            else:
                following = self.files.next_base_offset
                is_abort = partial(self._is_abort, log)
                transactions = TransactionIndexCheck(index, self.files.base_offset, following, is_abort)
        indexes: dict[str, JudgedIndex] = {}
        for kind in ("offset_index", "time_index"):
            if kind in sources:
                index = self._index(kind, sources[kind], log_size_bytes)
                if isinstance(index, Finding):
                    yield index
                else:
                    indexes[kind] = index
        if log is None:
            if self.log is None:
                yield from missing_files(self.files, 0, 0)
            for index in indexes.values():
                index.set_apart()
                yield from index.findings
            if transactions is not None:
                yield from transactions.alone()
            return
        assert self.log is not None
        base_offset = self.files.base_offset
        offset_check = time_check = None
        if base_offset is not None and "offset_index" in indexes:
            offset_check = OffsetIndexCheck(indexes["offset_index"], base_offset)
        if base_offset is not None and "time_index" in indexes:
            read_batch = partial(_read_batch, log, self.options)
            time_check = TimeIndexCheck(indexes["time_index"], base_offset, read_batch, self.options.sound)
        resume_at = offset_check.resume_at if offset_check is not None else np.zeros(0, dtype=np.int64)
        reader = LogReader(log, self.log, resume_at, self.options.inflate_limit)
        try:
            yield from self._walk(reader, offset_check, time_check, transactions)
        except OSError as error:
            yield _unreadable(self.log, error)
            return
        self.is_whole, self.ends_well = reader.is_whole, reader.ends_well
        yield from missing_files(self.files, reader.batches_count, reader.current_count)
        last_offset = None
        if reader.is_whole and base_offset is not None:
            last_offset = base_offset - 1 if self.last_offset is None else self.last_offset
        if offset_check is not None:
            offset_check.set_apart(log_size_bytes, last_offset)
        if time_check is not None:
            time_check.set_apart(last_offset)
        for index in indexes.values():
            yield from index.findings
        if transactions is not None:
            yield from transactions.alone()
        explained = [item.explained(reader.is_whole) for item in (offset_check, time_check) if item is not None]
        profile, right = choose(explained, self.options.profile)
        if offset_check is not None:
            yield from offset_check.findings(right[0], profile, log_size_bytes, self.options.index_interval_bytes)
        if time_check is not None:
            yield from time_check.findings(right[-1], profile, reader.is_whole, self.max_timestamp, self.files.is_last)
        aborted, self.journal.aborted = self.journal.aborted, []
        if transactions is not None or "transaction_index" not in self.files.files:
            yield from missing_entries(aborted, _NOTHING if transactions is None else transactions.known, self.log)
        if transactions is not None:
            yield from transactions.findings(reader.is_whole, aborted)

    def _is_abort(self, log: ByteSource | None, position: int) -> bool:
        """Whether an abort marker lies at a position; a log that somebody is cutting just now gets the benefit."""
        try:
            said = None if log is None else self.journal.parse_marker(_read_batch(log, self.options, position).raw)
        except (DataError, OSError):
            return True
        return said is not None and said[0] == "abort"

    @property
    def log_end_offset(self) -> int | None:
        """Where the log ends with this segment; None where that cannot be said."""
        if not self.ends_well or self.files.base_offset is None:
            return None
        return max(self.files.base_offset, -1 if self.last_offset is None else self.last_offset + 1)

    def _index(self, kind: str, source: ByteSource, log_size_bytes: int) -> JudgedIndex | Finding:
        try:
            return judge_index(
                source,
                self.files.files[kind],
                _INDEX_RULES[kind],
                is_last=self.files.is_last and kind != "transaction_index",
                log_size_bytes=log_size_bytes,
            )
        except OSError as error:
            return _unreadable(self.files.files[kind], error)

    def _walk(
        self,
        reader: LogReader,
        offset_check: OffsetIndexCheck | None,
        time_check: TimeIndexCheck | None,
        transactions: TransactionIndexCheck | None,
    ) -> Iterator[Finding]:
        headers = HeaderCheck(reader.file, self.files.base_offset)
        self.journal.watch(_NOTHING if transactions is None else transactions.producers)
        for item in reader.blocks():
            if isinstance(item, Finding):
                yield item
                continue
            block, found = _judged(item, headers, reader, self.options)
            if offset_check is not None:
                offset_check.by_position.feed(block)
                offset_check.by_offset.feed(block)
            if time_check is not None:
                time_check.feed(block)
            if transactions is not None:
                transactions.feed(block)
            if self.epochs is not None:
                self.epochs.feed(block)
            self.journal.feed(block)
            self._note(block)
            yield from found
            if self.options.progress is not None:
                self.options.progress(reader.file, int(block.end[-1]), reader.source.size)

    def _note(self, block: Block) -> None:
        """Keep what the folder's rules and the time index ask of the whole log."""
        headers, rows = block.headers, np.flatnonzero(block.is_sound)
        if not len(rows):
            return
        first, last = headers.base_offset[rows], headers.last_offset[rows]
        before = self.files.base_offset if self.last_offset is None else self.last_offset + 1
        fewer = headers.records_count[rows] <= headers.last_offset_delta[rows]
        self.has_gaps |= bool(np.any(first[1:] != last[:-1] + 1) or np.any(fewer) or int(first[0]) != before)
        self.last_offset = int(last[-1])
        # A batch that compaction has left without records keeps its timestamp; cleaners up to 1.1 index none for it.
        kept = rows[headers.records_count[rows] != 0]
        self.max_timestamp = max(self.max_timestamp, int(headers.max_timestamp[kept].max(initial=-1)))
        following = self.files.next_base_offset
        if following is not None and self.overlap_at is None:
            beyond = rows[last >= following]
            if len(beyond):
                self.overlap_at = int(headers.position[beyond[0]]), int(headers.last_offset[beyond[0]])

    def overlap(self) -> Iterator[Finding]:
        """Offsets that belong to the next segment."""
        if self.overlap_at is not None and self.log is not None:
            (position, offset), following = self.overlap_at, self.files.next_base_offset
            message = f"the batch ends at offset {offset}, and the next segment begins at {following}"
            yield OVERLAP.at(self.log, position, "record_batch", message, f"< {following}", offset)

    def gap_behind(self) -> list[Finding]:
        """Offsets that are missing before the next segment, if that can be said."""
        following = self.files.next_base_offset
        if not self.is_whole or self.log is None or following is None:
            return []
        if self.last_offset is None:  # a cleaner can leave a segment empty
            self.has_gaps = True
            return []
        if following <= self.last_offset + 1:
            return []
        message = f"offsets {self.last_offset + 1} to {following - 1} are in no segment"
        return [GAP.at(self.log, None, "", message, self.last_offset + 1, following)]


def _records(block: Block, file: str, sound: SoundRecords) -> Iterator[Finding]:
    known = block.is_sound & (block.headers.compression < len(CODEC_NAMES))
    for row in np.flatnonzero(known & ~sound.rows(block)).tolist():
        yield from record_findings(block.batch(row, file), file)


def _by_position(finding: Finding) -> int:
    return finding.position or 0


def _read_batch(log: ByteSource, options: _Options, position: int) -> AnyBatch:
    """The batch at a position where there was one; DataError where there is none any more."""
    return next(iter_batches(log, position, limit=options.inflate_limit))
