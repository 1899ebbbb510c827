"""Check Kafka's files: apply rules, return findings.

`check` examines partition folders, whole log directories, and single files. It reads everything once, in constant
memory, and writes nothing. Each rule, and Kafka's reaction to a violation, is documented in
`kformat.kafka.findings.rules` and in docs/rules.md.

A segment is judged by itself (`Work`), anywhere and in any order, and yields the facts that the rules of its folder
need (`JudgedSegment`); those rules run afterwards, folder by folder. `plan` lists the work without doing it, so that
other processes can do it (`judge`) before `check` puts the outcomes in order.

A level is judged only if the one below it is sound: framing, checksum, header, records. Next to the log its indexes and
snapshots are judged, each by itself and then against the log (under the writer's profile); then the files of the root,
each by itself and then against the partitions; then the partitions against what the root's own topics say.
"""

from __future__ import annotations

import hashlib
import heapq
import itertools
import os
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, Literal, NamedTuple, Protocol, TypeVar, cast

import numpy as np

from kformat.check.cluster import cluster_findings
from kformat.check.compacted import dropped_records
from kformat.check.declared_files import declared_findings
from kformat.check.feature_levels import LevelJournal, LevelsOfLog
from kformat.check.header import HeaderCheck
from kformat.check.kafka_topics import KafkaRecordsCheck, decoder_of_log
from kformat.check.messages import judge_messages
from kformat.check.metadata_snapshot import MetadataSnapshotCheck, missing_snapshot
from kformat.check.producers import NOTHING_ASKED, Asked, Evidence, Journal, Recorder, read_snapshot
from kformat.check.records import record_findings
from kformat.check.sequences import SequenceCheck, SequenceJournal, Sequences
from kformat.check.sound import SoundRecords
from kformat.check.text_files import (
    EpochCheck,
    EpochsOfBatches,
    PartitionFacts,
    TextFile,
    read_text_file,
    root_findings,
)
from kformat.check.transaction_index import RULES_ALONE as TRANSACTION_INDEX_RULES
from kformat.check.transaction_index import TransactionIndexCheck, missing_entries
from kformat.errors import DataError, UsageError
from kformat.kafka.batch.batches import read_batch_headers
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.damage.missing import gaps_between, missing_text, needs_all_records
from kformat.kafka.files.file_kinds import (
    ASIDE_FOLDER,
    CLUSTER_METADATA,
    LATER_FOLDER,
    describe_file,
    parse_file_name,
    parse_folder_name,
    parse_remote_file_name,
)
from kformat.kafka.files.text_files import DEFAULT_LIMIT_BYTES
from kformat.kafka.findings.directory import (
    GAP,
    LEFT,
    LOST_METADATA,
    NOT_JUDGED,
    OVERLAP,
    WENT_AWAY,
    FilesOfSegment,
    Folder,
    base_offset_of,
    epoch_of,
    file_findings,
    list_folder,
    may_be_opened,
    missing_files,
    opened_files,
    rules_of,
    segment_kind,
    unreadable,
)
from kformat.kafka.findings.entries import Int64Array
from kformat.kafka.findings.log_blocks import BatchBlock, LogBlocks
from kformat.kafka.findings.rules import MOST_FINDINGS, RULES, Finding, Rule, rule_by_id
from kformat.kafka.findings.segment_indexes import SegmentIndexes, read_batch_at, read_index_of
from kformat.kafka.index.indexing import PROFILES
from kformat.kafka.log.chosen import Chosen, chosen, partition_name
from kformat.kafka.log.partition import partition_paths
from kformat.kafka.messages.decoding import TOPICS
from kformat.kafka.producers.producer_state import Markers
from kformat.results import Results
from kformat.storage.address import (
    Followed,
    address,
    base_name,
    folder_name,
    folder_of,
    is_dir,
    place,
    real_path,
    size_of,
    status,
)
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

__all__ = ["RULES", "CheckOutcome", "Finding", "Progress", "Rule", "Work", "check", "judge", "plan"]

Progress = Callable[[str, int, int], None]
"""Called now and then with a log's path, how many bytes of it are done, and its size in bytes."""

_NOTHING: Final = np.zeros(0, dtype=np.int64)

_Result = TypeVar("_Result")


Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
_File = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]
Files = _File | Iterable[_File]
"""Files of a declared format."""
_Findings = Generator[Finding, None, _Result]
"""Findings; the return value holds facts known once all of them have been reported."""


@dataclass(frozen=True)
class _How:
    """The user's options, as far as every piece of work needs them."""

    profile: str | None
    index_interval_bytes: int | None
    records: bool
    inflate_limit: int


@dataclass
class JudgedSegment:
    """The facts about a segment that the rules of its folder need, besides its producers.

    ``is_read``: its log exists, and was read to the end. ``overlap``, ``lost`` and ``gap`` are findings reported after
    the segment's own, ``gap`` only if no segment ``has_gaps``. ``log_end_offset``: the end of the log after this
    segment, None if unknown. ``untrimmed`` are findings if the broker had closed the log. ``transactions``, ``epochs``
    and ``levels``: the log's facts for the transaction index, about leader epochs, and about the levels of features.
    """

    is_read: bool = False
    is_whole: bool = False
    has_gaps: bool = False
    overlap: list[Finding] = field(default_factory=list)
    lost: list[Finding] = field(default_factory=list)
    gap: list[Finding] = field(default_factory=list)
    log_end_offset: int | None = None
    untrimmed: list[Finding] = field(default_factory=list)
    transactions: TransactionIndexCheck | None = None
    epochs: EpochsOfBatches | None = None
    sequences: Sequences | None = None
    levels: LevelsOfLog | None = None


class _Account(Protocol):
    """Receives what logs say about producers: a `Journal`, or a proxy for one."""

    def watch(self, producers: Int64Array) -> None: ...
    def take(self, evidence: Evidence) -> None: ...


@dataclass(frozen=True, eq=False)
class Work:
    """The files of one segment to judge; or, without a ``segment``, a snapshot of KRaft's metadata, ``file``.

    ``asked``: what a journal must know for the producer snapshots. ``epochs``: the folder's leader epochs and their
    start offsets, if any.
    """

    how: _How
    file: str
    segment: FilesOfSegment | None = None
    asked: Asked = NOTHING_ASKED
    epochs: tuple[Int64Array, Int64Array] | None = None

    @property
    def files(self) -> tuple[str, ...]:
        return (self.file,) if self.segment is None else tuple(self.segment.files.values())

    @property
    def key(self) -> Key:
        """The key of the work within one check: its files, and a digest of what a journal asks about them, which is
        more if the whole folder is checked.
        """
        asked, digest = (self.asked.producers, self.asked.offsets, self.asked.snapshots), hashlib.blake2b()
        for array in asked if self.epochs is None else (*asked, *self.epochs):
            digest.update(f"{len(array)} ".encode() + array.tobytes())
        return (*self.files, digest.digest(), self.epochs is None)

    @property
    def size_bytes(self) -> int:
        """The total size of the existing files."""
        return sum(map(size_of, self.files))

    def findings(self, account: _Account, run: _CheckRun) -> _Findings[JudgedSegment]:
        """All findings about the files, except those that need other segments."""
        if self.segment is not None:
            return (yield from _CheckedSegment(self, self.segment, account, run).findings())
        return (yield from _metadata_snapshot(self.file, run))


Key = tuple[str | bytes | bool, ...]


class CheckOutcome(NamedTuple):
    """The outcome of a piece of work: its findings, facts for the folder's rules, and calls for a journal."""

    findings: list[Finding]
    judged: JudgedSegment
    watched: Int64Array
    evidence: list[Evidence]

    @property
    def gone(self) -> list[str]:
        """The files that had disappeared."""
        return [finding.file for finding in self.findings if finding.message == WENT_AWAY]


@dataclass(frozen=True)
class _CheckRun:
    """The settings of a run: its options, how work is done, and per-process helpers.

    ``left_out``: the paths of partitions that ``which`` does not choose.
    """

    how: _How
    do: Callable[[Work, _Account, _CheckRun], _Findings[JudgedSegment]]
    progress: Progress | None = None
    sound: SoundRecords = field(default_factory=SoundRecords)
    listed: _Listed = field(default_factory=lambda: _Listed())
    which: Chosen = field(default_factory=Chosen)
    left_out: Collection[Path] = ()
    clocks: dict[str, int | None] = field(default_factory=dict)

    def clock_ms(self, partition: str) -> int | None:
        """The newest time in the metadata log that lies next to a partition; None if there is none."""
        root = folder_of(partition)
        if root not in self.clocks:
            self.clocks[root] = _newest_timestamp(str(place(root) / f"{CLUSTER_METADATA}-0"))
        return self.clocks[root]


def _newest_timestamp(folder: str) -> int | None:
    """The newest time in the last log of a folder, as far as it is sound; None if there is none."""
    try:
        logs = [segment.files["log"] for segment in list_folder(folder).segments if "log" in segment.files]
        headers = read_batch_headers(logs[-1]) if logs else None
    except OSError:
        return None
    return int(headers.max_timestamp.max()) if headers is not None and len(headers) else None


class _Listed:
    """The folder of the last file: files to check are often in the same folder."""

    def __init__(self) -> None:
        self.path: str | None = None
        self.by_offset: dict[int | None, FilesOfSegment] = {}
        self.by_file: dict[str, FilesOfSegment] = {}

    def segment(self, path: str, base_offset: int, *, is_remote: bool) -> FilesOfSegment | None:
        """The segment that a file belongs to: by its offset, in remote storage by its name. OSError."""
        folder = folder_of(path)
        if folder != self.path:
            self.by_offset, self.by_file, self.path = {}, {}, None
            segments = list_folder(folder).segments
            self.by_offset = {segment.base_offset: segment for segment in segments}
            self.by_file = {file: segment for segment in segments for file in segment.files.values()}
            self.path = folder
        return self.by_file.get(path) if is_remote else self.by_offset.get(base_offset)


def check(
    paths: Paths | Files,
    *,
    profile: str | None = None,
    index_interval_bytes: int | None = None,
    records: bool = True,
    ignore: Collection[str] = (),
    inflate_limit: int = DEFAULT_INFLATE_LIMIT,
    progress: Progress | None = None,
    outcomes: Mapping[Key, CheckOutcome] | None = None,
    against: str | os.PathLike[str] | None = None,
    topics: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] = (),
    partitions: int | Iterable[int] | None = None,
    format: Any = None,
    row: str | None = None,
    trailing: Literal["error", "keep"] = "error",
) -> Results[Finding]:
    """Look for what is wrong in Kafka's files, or in files of any declared format.

    Args:
        paths: partition folders, folders of such (a log directory: partition folders are found at any depth), or files.
            A file is judged with the other files of its segment (a snapshot of producers, leader epochs: with all
            segments next to it; a root's files by themselves), and only findings about it are given.
        profile: who wrote the indexes, one of `indexing.PROFILES`; None infers it, segment by segment.
        index_interval_bytes: `index.interval.bytes` of the writer; None does not judge how dense the entries are.
        records: False leaves the records alone (KF03xx, and what Kafka's own topics say: KF0814, KF0815, KF0904,
            KF1201), which is many times faster.
        ignore: ids of rules that are not to be reported.
        inflate_limit: the most bytes that one batch may take, stored or inflated.
        progress: see `Progress`.
        outcomes: of work that `plan` gave with the same arguments and that is done already, by its keys. What is not
            among them is done here.
        against: other copies of the partitions, by the names of their folders: what compaction dropped is looked for by
            them (KF11xx). Needs the extra ``arrow``.
        topics, exclude, partitions: which partitions of all paths are judged, as for `LogDirectory.select`. A root's
            own files are judged, too, but entries about other partitions. Rules that compare partitions with what
            `__cluster_metadata` and `__consumer_offsets` say need these among the chosen.
        format: as for `kformat.parse`: the paths are files of this format, or bytes or open files, and the rules are
            KF10xx (`kformat.check.declared_files`). ``profile``, ``index_interval_bytes``, ``records``, ``outcomes``,
            ``against`` and what chooses partitions are for Kafka's files only.
        row, trailing: with ``format``, as for `kformat.scan`; without ``row`` a format may have no rows.

    Returns:
        An iterator, which `repr` and notebooks show as a table, of findings as they are met: folder by folder, segment
        by segment; of a log in order of position, then of its indexes. Files of other formats are reported by findings
        of severity ``info``. A file that cannot be read is the finding KF0002, and the others are checked all the same.
        `Finding.exit_status` says what each is worth.

    Raises:
        UsageError: at once, for an unknown profile or rule, a row that the format does not have, or if no partition is
            chosen.
        DeclarationError: at once, for ``format``.
        OSError: at once, for a path that is not there.
    """
    ignored, which = {rule_by_id(id).id for id in ignore}, chosen(topics, exclude, partitions)
    if format is not None:
        if which or (profile, index_interval_bytes, records, outcomes, against) != (None, None, True, None, None):
            raise UsageError(
                "profile, index_interval_bytes, records, outcomes, against, topics, exclude and partitions are for "
                "Kafka's files, without format"
            )
        findings = declared_findings(paths, format, row, inflate_limit, trailing)
        return _shown(findings, ignored)
    if row is not None or trailing != "error":
        raise UsageError("row and trailing go with format")
    how = _asked_how(profile, index_interval_bytes, records, inflate_limit)
    several = [paths] if isinstance(paths, str | os.PathLike) else list(cast(Any, paths))
    findings = _findings(several, _CheckRun(how, partial(_done, outcomes or {}), progress, which=which))
    if against is not None:
        status(address(against) or against)
        findings = itertools.chain(findings, dropped_records(several, against, which))
    return _shown(findings, ignored)


def _shown(findings: Iterable[Finding], ignored: Collection[str]) -> Results[Finding]:
    columns = ("severity", "rule", "place", "path", "message")
    shown = (finding for finding in findings if finding.rule in RULES and finding.rule not in ignored)
    return Results(
        *("Findings", columns, shown, lambda item: [getattr(item, name) for name in columns]),
        worth=lambda item: item.severity != "info",
    )


def plan(
    paths: Paths,
    *,
    profile: str | None = None,
    index_interval_bytes: int | None = None,
    records: bool = True,
    inflate_limit: int = DEFAULT_INFLATE_LIMIT,
    topics: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] = (),
    partitions: int | Iterable[int] | None = None,
) -> list[Work]:
    """The work of a `check` with the same arguments, each piece once, in order; raises as `check`.

    It reads only small inputs: folder listings, text files, snapshots of producers.
    """
    works: dict[Key, Work] = {}

    def note(work: Work, account: _Account, run: _CheckRun) -> _Findings[JudgedSegment]:
        works.setdefault(work.key, work)
        yield from ()
        return JudgedSegment()

    how, which = _asked_how(profile, index_interval_bytes, records, inflate_limit), chosen(topics, exclude, partitions)
    for _ in _findings(paths, _CheckRun(how, note, which=which)):
        pass
    return list(works.values())


class _Notes:
    """Collects what a log says about producers, to pass it on."""

    def __init__(self) -> None:
        self.watched, self.evidence = _NOTHING, list[Evidence]()

    def watch(self, producers: Int64Array) -> None:
        self.watched = producers

    def take(self, evidence: Evidence) -> None:
        self.evidence.append(evidence)


def judge(work: Work, sound: SoundRecords | None = None) -> CheckOutcome:
    """Do one piece of work by itself. ``sound`` is state that a process keeps between pieces."""
    notes, findings = _Notes(), list[Finding]()
    run = _CheckRun(work.how, partial(_done, {}), sound=sound or SoundRecords())

    walk = work.findings(notes, run)
    while True:
        try:
            findings.append(next(walk))
        except StopIteration as end:
            judged: JudgedSegment = end.value
            break
    files = work.segment
    evidence = [] if files is None else _recorder(work, files).joined(notes.evidence)
    return CheckOutcome(findings, judged, notes.watched, evidence)


def _done(
    outcomes: Mapping[Key, CheckOutcome], work: Work, account: _Account, run: _CheckRun
) -> _Findings[JudgedSegment]:
    """The findings of work, from earlier outcomes or done now."""
    outcome = outcomes.get(work.key)
    if outcome is None:
        return (yield from work.findings(account, run))
    yield from outcome.findings
    account.watch(outcome.watched)
    for evidence in outcome.evidence:
        account.take(evidence)
    return outcome.judged


def _recorder(work: Work, files: FilesOfSegment) -> Recorder:
    return Recorder(work.asked, files.base_offset, files.next_base_offset)


def _asked_how(profile: str | None, index_interval_bytes: int | None, records: bool, inflate_limit: int) -> _How:
    if profile is not None and profile not in PROFILES:
        raise UsageError(f"no writer profile {profile!r}; there are {', '.join(PROFILES)}")
    if index_interval_bytes is not None and index_interval_bytes < 0:
        raise UsageError(f"index_interval_bytes is {index_interval_bytes}; it must be 0 or more")
    return _How(profile, index_interval_bytes, records, inflate_limit)


def _findings(paths: Paths, run: _CheckRun) -> Iterator[Finding]:
    # An archive stays open while an address in it is alive.
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    targets = [(os.fspath(path), address(path) or path) for path in several]
    for _, target in targets:
        status(target)
    if run.which:
        listings = [_listing(target) for _, target in targets]
        taken = {path for paths in run.which.of_each(listings) for path in paths}
        below = {path for paths in listings for path in paths if partition_name(path) is not None}
        run = replace(run, left_out=below - taken)
        targets = [(path, target) for path, target in targets if place(target) not in run.left_out]
    return (
        finding for path, target in targets for finding in (_folder(path, run) if is_dir(target) else _file(path, run))
    )


def _listing(target: Any) -> list[Path]:
    """The partitions of a path; of one that cannot be listed itself, about which there will be a finding."""
    try:
        return partition_paths(target, all_states=True)
    except OSError:
        return [place(target)]


def _folder(
    path: str, run: _CheckRun, above: tuple[str, ...] = (), followed: Followed | None = None
) -> _Findings[PartitionFacts | None]:
    """A folder and its content, also through links; ``above``: the real paths of its parents."""
    followed = followed or Followed()
    try:
        real = real_path(path)
        folder = list_folder(path)
    except OSError as error:
        yield unreadable(path, error)
        return None
    yield from file_findings(folder)
    texts = []
    for file in folder.texts:
        text = yield from _text_file(file)
        if text is not None:
            texts.append(text)
    levels = []
    for file in folder.metadata:
        judged = yield from run.do(Work(run.how, file), Journal([]), run)
        if (
            judged.is_whole
            and judged.levels is not None
            and (end_offset := base_offset_of(base_name(file))) is not None
        ):
            levels.append((end_offset, judged.levels.levels))
    facts = yield from _partition(folder, texts, run, LevelJournal(levels))
    partitions, moving_in = {}, set()
    for inner in folder.folders:
        named = parse_folder_name(base_name(inner))
        if run.left_out and place(inner) in run.left_out:
            continue
        if named is not None and named.state == "delete":
            yield LEFT.at(inner, None, "", "not looked into: a partition that waits to be deleted")
        elif base_name(inner).startswith((ASIDE_FOLDER, LATER_FOLDER)):
            yield NOT_JUDGED.at(inner, None, "", "not looked into: what was there before or after `kformat salvage`")
        elif not followed.is_entered(inner, (real, *above)):
            yield NOT_JUDGED.at(inner, None, "", "not judged: a link to a folder that is looked into elsewhere")
        else:
            inner_facts = yield from _folder(inner, run, (real, *above), followed)
            if inner_facts is not None and named is not None and not named.state:
                partitions[named.topic, named.partition] = inner_facts
            elif inner_facts is not None and named is not None and named.state == "future":
                moving_in.add((named.topic, named.partition))
    yield from root_findings(texts, partitions, moving_in, run.which)
    yield from cluster_findings(texts, partitions, with_records=run.how.records)
    return facts


def _file(path: str, run: _CheckRun) -> Iterator[Finding]:
    """One file, with its segment or its partition."""
    name = base_name(path)
    kind, rules = segment_kind(name), rules_of(name)
    if not may_be_opened(path):
        yield from file_findings(Folder(path, others=[path]))
    elif kind is not None:
        yield from _of_segment(path, kind, run)
    elif rules == "left" and parse_file_name(name) is not None:
        yield from file_findings(Folder(path, left=[path]))
    elif rules == "producers" or describe_file(name)[0] == "leader_epoch_checkpoint":
        folder = list_folder(folder_of(path))
        text = None
        if rules == "text":
            text = yield from _text_file(path)
        else:
            folder.snapshots = [path]
        for finding in _partition(folder, [text] if text else [], run):
            if finding.file == path:
                yield finding
    elif rules == "metadata":
        yield from run.do(Work(run.how, path), Journal([]), run)
    elif rules == "text":
        yield from _text_file(path)
    elif rules == "misnamed":
        yield from _partition(Folder(path, snapshots=[path]), [], run)
    elif rules != "nothing":
        yield from file_findings(Folder(path, others=[path]))


def _of_segment(path: str, kind: str, run: _CheckRun) -> Iterator[Finding]:
    """One file of a segment, under any of its names."""
    base_offset = base_offset_of(base_name(path))
    is_remote = parse_remote_file_name(base_name(path)) is not None
    segment = FilesOfSegment(base_offset, {kind: path}, is_remote=is_remote)
    if base_offset is not None:
        known = run.listed.segment(path, base_offset, is_remote=is_remote)
        if known is not None:
            segment = replace(known, files={**known.files, kind: path})
    for finding in _segment(segment, Journal([]), None, run):
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
        yield unreadable(path, error)
        return None
    yield from text.findings
    return text


def _metadata_snapshot(path: str, run: _CheckRun) -> _Findings[JudgedSegment]:
    """A snapshot of KRaft's metadata; what is judged has the levels that it states, if it is whole."""
    check = MetadataSnapshotCheck(path, epoch_of(base_name(path)))
    own = KafkaRecordsCheck(TOPICS[CLUSTER_METADATA], path, run.sound.messages) if run.how.records else None
    judged = JudgedSegment()
    try:
        with ByteSource(path) as source:
            reader = LogBlocks(source, path, limit=run.how.inflate_limit)
            headers = HeaderCheck(path, 0)
            for item in reader.blocks():
                if isinstance(item, Finding):
                    yield item
                    continue
                check.feed(item)
                yield from _judged(item, headers, SequenceCheck(reader.file), reader, run, own)[1]
    except OSError as error:
        yield unreadable(path, error)
        return judged
    yield from check.findings(reader.is_whole)
    judged.is_whole = reader.is_whole
    judged.levels = None if own is None else own.levels
    if judged.levels is not None:
        yield from judged.levels.findings(path)
    return judged


def _partition(
    folder: Folder, texts: list[TextFile], run: _CheckRun, levels: LevelJournal | None = None
) -> _Findings[PartitionFacts | None]:
    """The segments of a folder, their relations, and the files about all of them."""
    snapshots = []
    for path in folder.snapshots:
        try:
            with ByteSource(path) as source:
                if source.size > DEFAULT_INFLATE_LIMIT:
                    yield NOT_JUDGED.at(path, None, "", f"not judged: a producer snapshot of {source.size} bytes")
                    continue
                snapshot = read_snapshot(source, path, _snapshot_offset(path, folder))
        except OSError as error:
            yield unreadable(path, error)
            continue
        yield from snapshot.findings
        snapshots.append(snapshot)
    journal = Journal(snapshots)
    by_name = {text.name: text for text in texts}
    epochs = EpochCheck(by_name["leader-epoch-checkpoint"]) if "leader-epoch-checkpoint" in by_name else None
    sequences = SequenceJournal()
    has_gaps, gaps, untrimmed, log_end_offset = False, list[Finding](), list[Finding](), None
    is_whole = bool(folder.segments)
    for files in folder.segments:
        segment = yield from _segment(files, journal, epochs, run)
        yield from sequences.findings(segment.sequences)
        if levels is not None and segment.levels is not None:
            levels.take(files.files["log"], files.base_offset, segment.levels, is_whole=segment.is_whole)
        yield from segment.overlap
        yield from segment.lost
        has_gaps |= segment.has_gaps
        is_whole &= segment.is_whole
        gaps += segment.gap
        untrimmed += segment.untrimmed
        if files.is_last and "log" in files.files:
            log_end_offset = segment.log_end_offset
    if not has_gaps:
        yield from gaps
    yield from missing_snapshot(folder)
    yield from journal.findings(log_end_offset, run.clock_ms(folder.path) if journal.has_open else None)
    if levels is not None:
        yield from levels.findings()
    if epochs is not None:
        yield from epochs.findings(log_end_offset)
    if not folder.segments and not by_name.keys() & {"partition.metadata", "quorum-state"}:
        return None
    return PartitionFacts(folder.path, log_end_offset, by_name, untrimmed, is_whole)


def _snapshot_offset(path: str, folder: Folder) -> int | None:
    """The offset of a producer snapshot: from its name, or a remote segment's end; None if unknown."""
    if parse_remote_file_name(base_name(path)) is None:
        return base_offset_of(base_name(path))
    log = os.path.splitext(path)[0] + ".log"
    segment = folder.segment_of(log)
    if segment is None:
        return None
    try:
        headers = read_batch_headers(log)
    except OSError:
        return None
    return int(headers.next_offset[-1]) if len(headers) else segment.base_offset


def _segment(
    files: FilesOfSegment, journal: Journal, epochs: EpochCheck | None, run: _CheckRun
) -> _Findings[JudgedSegment]:
    """A segment, and the journal's findings about it, given the segments before."""
    work = Work(
        run.how,
        next(iter(files.files.values())),
        files,
        journal.asked.between(files.base_offset, files.next_base_offset),
        None if epochs is None else epochs.entries,
    )
    judged = yield from run.do(work, journal, run)
    aborted, journal.aborted = journal.aborted, []
    if epochs is not None and judged.epochs is not None:
        epochs.take(judged.epochs)
    if judged.is_read:
        transactions = judged.transactions
        if transactions is not None or not ("transaction_index" in files.files or files.is_remote):
            known = _NOTHING if transactions is None else transactions.known
            yield from missing_entries(aborted, known, files.files["log"])
        if transactions is not None:
            yield from transactions.findings(judged.is_whole, aborted)
    return judged


def _judged(
    block: BatchBlock,
    headers: HeaderCheck,
    sequences: SequenceCheck,
    reader: LogBlocks,
    run: _CheckRun,
    own: KafkaRecordsCheck | None,
) -> tuple[BatchBlock, Iterable[Finding]]:
    """The block with the facts that judging adds, and the findings on its headers and records, in order of position.

    ``own``: for the records of Kafka's own topics.
    """
    of_records: Iterable[Finding] = ()
    of_own = () if own is None else own.findings(block)
    if run.how.records and block.is_legacy:
        of_records, block = judge_messages(block, reader.file)
    elif run.how.records:
        of_records = _records(block, reader.file, run.sound)
    return block, heapq.merge(headers.findings(block), sequences.findings(block), of_records, of_own, key=_by_position)


class _CheckedSegment:
    """The files of one segment, and the facts from the walk over its log."""

    def __init__(self, work: Work, files: FilesOfSegment, account: _Account, run: _CheckRun) -> None:
        self.files, self.account, self.run = files, account, run
        self.log = files.files.get("log")
        self.recorder, self.markers = _recorder(work, files), Markers()
        self.judged = JudgedSegment(epochs=None if work.epochs is None else EpochsOfBatches(*work.epochs))
        self.indexes = SegmentIndexes(
            files, run.sound.records, run.how.profile, run.how.index_interval_bytes, run.how.inflate_limit
        )
        name = decoder_of_log(self.log) if self.log is not None and run.how.records else None
        self.own = None
        if name is not None and self.log is not None:
            self.own = KafkaRecordsCheck(name, self.log, run.sound.messages)
        self.ends_well = False
        self.overlap_at: tuple[int, int] | None = None
        self.needs_all_records = self.log is not None and needs_all_records(folder_name(folder_of(self.log)))

    def findings(self) -> _Findings[JudgedSegment]:
        """All findings about its files, except those that need other segments."""
        with ExitStack() as opened:
            sources = yield from opened_files(self.files, opened)
            try:
                yield from self._judge(sources)
            except OSError as error:  # a disk or network that fails during reading
                first = next(iter(self.files.files.values()))
                yield unreadable(error.filename or self.log or first, error)
        self.judged.overlap, self.judged.gap = self._overlap(), self._gap_behind()
        self.judged.log_end_offset = self._log_end_offset()
        return self.judged

    def _judge(self, sources: dict[str, ByteSource]) -> Iterator[Finding]:
        log = sources.get("log")
        transactions = None
        if "transaction_index" in sources:
            index = read_index_of(self.files, "transaction_index", TRANSACTION_INDEX_RULES, sources)
            if isinstance(index, Finding):
                yield index
            else:
                transactions = TransactionIndexCheck(index, self.files.base_offset, self.files.next_base_offset)
        yield from self.indexes.read(sources)
        if self.files.is_last:
            self.judged.untrimmed = self.indexes.untrimmed()
        if log is None:
            if self.log is None:
                yield from missing_files(self.files, 0, 0)
            yield from self.indexes.without_log()
            if transactions is not None:
                yield from transactions.alone()
            return
        assert self.log is not None
        reader = self.indexes.blocks_of(log, self.log)
        try:
            yield from self._walk(reader, transactions)
        except OSError as error:
            yield unreadable(self.log, error)
            return
        self.judged.levels = None if self.own is None else self.own.levels
        if self.judged.levels is not None:
            yield from self.judged.levels.findings(self.log)
        self.judged.is_whole, self.ends_well = reader.is_whole, reader.ends_well
        yield from missing_files(self.files, reader.batches_count, reader.current_count)
        yield from self.indexes.alone(reader)
        if transactions is not None:
            yield from transactions.alone()
        yield from self.indexes.findings(reader)
        if transactions is not None:
            transactions.look_at_markers(partial(self._is_abort, log))
        self.judged.transactions, self.judged.is_read = transactions, True

    def _is_abort(self, log: ByteSource, position: int) -> bool:
        """Whether an abort marker is at a position; True if the log is being truncated meanwhile."""
        try:
            said = self.markers.said(read_batch_at(log, self.run.how.inflate_limit, position).raw)
        except (DataError, OSError):
            return True
        return said is not None and said.kind == "abort"

    def _log_end_offset(self) -> int | None:
        if not self.ends_well or self.files.base_offset is None:
            return None
        return max(self.files.base_offset, -1 if self.indexes.last_offset is None else self.indexes.last_offset + 1)

    def _walk(self, reader: LogBlocks, transactions: TransactionIndexCheck | None) -> Iterator[Finding]:
        headers, sequences = HeaderCheck(reader.file, self.files.base_offset), SequenceCheck(reader.file)
        self.judged.sequences = sequences.ends
        self.account.watch(_NOTHING if transactions is None else transactions.producers)
        for item in reader.blocks():
            if isinstance(item, Finding):
                yield item
                continue
            block, findings = _judged(item, headers, sequences, reader, self.run, self.own)
            if transactions is not None:
                transactions.feed(block)
            if self.judged.epochs is not None:
                self.judged.epochs.feed(block)
            evidence = self.recorder.feed(block)
            if evidence is not None:
                self.account.take(evidence)
            self._note(block)
            self.indexes.feed(block)
            yield from findings
            if self.run.progress is not None:
                self.run.progress(reader.file, int(block.end[-1]), reader.source.size)

    def _note(self, block: BatchBlock) -> None:
        """Record the facts of the whole log that the folder's rules need."""
        headers, rows = block.headers, np.flatnonzero(block.is_sound)
        if not len(rows):
            return
        first, last = headers.base_offset[rows], headers.last_offset[rows]
        before = self.files.base_offset if self.indexes.last_offset is None else self.indexes.last_offset + 1
        fewer = headers.records_count[rows] <= headers.last_offset_delta[rows]
        self.judged.has_gaps |= bool(np.any(first[1:] != last[:-1] + 1) or np.any(fewer) or int(first[0]) != before)
        if self.needs_all_records and before is not None:
            self._note_lost(gaps_between(first, last, before), first, headers.position[rows])
        following = self.files.next_base_offset
        if following is not None and self.overlap_at is None:
            beyond = rows[last >= following]
            if len(beyond):
                self.overlap_at = int(headers.position[beyond[0]]), int(headers.last_offset[beyond[0]])

    def _note_lost(self, gaps: list[tuple[int, int]], first: Int64Array, positions: Int64Array) -> None:
        """Record gaps before batches; ``first`` and ``positions`` are the batches' first offsets and positions."""
        for gap in gaps[: MOST_FINDINGS + 1 - len(self.judged.lost)]:
            position = int(positions[np.flatnonzero(first == gap[1] + 1)[0]])
            self.judged.lost.append(self._lost(gap, position))

    def _lost(self, gap: tuple[int, int], position: int | None) -> Finding:
        assert self.log is not None
        path = "" if position is None else "record_batch.base_offset"
        message = (
            f"no batch has {'offset' if gap[0] == gap[1] else 'offsets'} {missing_text([gap])}, and batches follow"
        )
        return LOST_METADATA.at(self.log, position, path, message, gap[0], gap[1] + 1)

    def _overlap(self) -> list[Finding]:
        """Offsets that belong to the next segment."""
        if self.overlap_at is None or self.log is None:
            return []
        (position, offset), following = self.overlap_at, self.files.next_base_offset
        message = f"the batch ends at offset {offset}, and the next segment begins at {following}"
        return [OVERLAP.at(self.log, position, "record_batch", message, f"< {following}", offset)]

    def _gap_behind(self) -> list[Finding]:
        """Offsets missing before the next segment, if that can be determined."""
        following, base = self.files.next_base_offset, self.files.base_offset
        if self.needs_all_records and following is not None and base is not None:
            end = base if self.indexes.last_offset is None else self.indexes.last_offset + 1
            self.judged.lost += [self._lost((end, following - 1), None)] if end < following else []
            return []
        if not self.judged.is_whole or self.log is None or following is None:
            return []
        if self.indexes.last_offset is None:  # a cleaner can leave a segment empty
            self.judged.has_gaps = True
            return []
        if following <= self.indexes.last_offset + 1:
            return []
        message = f"offsets {self.indexes.last_offset + 1} to {following - 1} are in no segment"
        return [GAP.at(self.log, None, "", message, self.indexes.last_offset + 1, following)]


def _records(block: BatchBlock, file: str, sound: SoundRecords) -> Iterator[Finding]:
    known = block.is_sound & (block.headers.compression < len(CODEC_NAMES))
    for row in np.flatnonzero(known & ~sound.rows(block)).tolist():
        yield from record_findings(block.batch(row, file), file)


def _by_position(finding: Finding) -> int:
    return finding.position or 0
