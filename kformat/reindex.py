"""Rebuild the two indexes of segments from their logs, as Kafka's recovery does; on one machine or on many.

Rules:

* The log is read, never written. Bytes that a broker's recovery would truncate stay; the broker truncates on startup.
* An index gets its name only when it is complete and on disk: `remake` writes it next to the old one; `commit` renames
  it and then syncs the folder. The time index is renamed first: a broker rebuilds a segment without `.index`, but
  treats a missing `.timeindex` as one without entries.
* New files get the log's owner, group and mode, so that a broker can open files that root repaired.
* A log with damage in its middle is refused: its indexes stay as they are.
* The root's lock is held throughout (`Roots`), so that nobody else writes there and no broker starts. A dry run only
  reads, and takes no lock.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from kformat.errors import InvalidError, KformatError, RootLockedError, TruncatedError
from kformat.kafka.batch.batches import BatchHeaders, is_room, iter_batches, read_batch_headers
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.files.file_kinds import parse_file_name, parse_folder_name
from kformat.kafka.index.indexing import DEFAULT_PROFILE, Entries, EntryArray, IndexedBatches, recovered_entries
from kformat.kafka.log.partition import Segment
from kformat.kafka.state.topic_configs import Paths, TopicConfigs, read_topic_configs
from kformat.storage.atomic_write import BESIDE, new_file, put_in_place, sync_file
from kformat.storage.byte_source import ByteSource
from kformat.storage.plain_file import give_away, naming
from kformat.storage.root_lock import LOCK_FILE, RootLock

COLUMNS: Final = (
    "file",
    "batches_count",
    "offset_index",
    "offset_index_entries",
    "time_index",
    "time_index_entries",
    "remark",
)
"""Reported for each segment. Each index is ``made``, ``changed`` or the ``same`` (in a dry run: ``missing``,
``different`` or the ``same``); None if it was not made.
"""

_SUFFIXES: Final = {"time_index": "timeindex", "offset_index": "index"}
"""In the order of renaming."""


@dataclass(frozen=True)
class Rules:
    """How indexes are made: as in `indexing`. ``dry_run`` writes nothing; ``before_damage`` indexes the batches before
    damage instead of refusing the log. ``configs`` has the interval of each topic, if ``index_interval_bytes`` is None.
    """

    profile: str = DEFAULT_PROFILE
    index_interval_bytes: int | None = None
    dry_run: bool = False
    before_damage: bool = False
    configs: TopicConfigs = field(default_factory=TopicConfigs)

    def with_configs(
        self,
        paths: Paths,
        say: Callable[[str], object],
        metadata: Paths = (),
    ) -> Rules:
        """The rules with the configurations of the topics in some paths, where no interval is given; see
        `read_topic_configs`.
        """
        if self.index_interval_bytes is not None:
            return self
        return replace(self, configs=read_topic_configs(paths, say, metadata))

    def interval_bytes(self, folder: Path) -> int:
        """The interval for the partition in a folder."""
        given = self.index_interval_bytes
        return self.configs.index_interval_bytes(folder) if given is None else given


@dataclass
class Remade:
    """The result for one segment.

    Attributes:
        row: ``COLUMNS`` and their values.
        refused: why nothing was done, if so. failed: the error that stopped it, if any.
        warning: a problem that did not stop it.
        beside: indexes that are not renamed yet: current path and final name, in the order of renaming.
    """

    row: dict[str, Any] = field(default_factory=lambda: dict.fromkeys(COLUMNS))
    refused: str = ""
    failed: KformatError | OSError | None = None
    warning: str = ""
    beside: list[tuple[Path, Path]] = field(default_factory=list)

    def fail(self, error: KformatError | OSError) -> None:
        """Record that the segment failed."""
        self.row.update(dict.fromkeys(_SUFFIXES))  # which of them were renamed is not known
        self.row["remark"] = "; ".join(filter(None, [self.row["remark"], "failed"]))
        self.failed = error


def remake(segment: Segment, rules: Rules, *, token: str = "") -> Remade:
    """Make the indexes of a segment, and write those that differ next to the old ones; `commit` renames them.

    Args:
        segment: a segment on this machine.
        token: part of the new files' names; concurrent runs on one segment need different tokens.
    """
    return _remade(Remade(), segment, rules, token)


def remake_in_place(segment: Segment, rules: Rules) -> Remade:
    """`remake` and `commit`; even if interrupted, no file is left next to the indexes."""
    done = Remade()
    try:
        return commit(_remade(done, segment, rules, ""))
    finally:
        _remove(done)


def _remade(done: Remade, segment: Segment, rules: Rules, token: str) -> Remade:
    row = done.row
    row["file"], remarks = segment.name, list[str]()
    work = _Work(segment, rules)
    try:
        headers, entries = work.entries(remarks)
        row["batches_count"] = len(headers)
        new = {"offset_index": entries.offset_index, "time_index": entries.time_index}
        for name, array in new.items():
            row[name], difference = work.compared(name, array)
            row[f"{name}_entries"] = len(array)
            if rules.dry_run and difference:
                remarks.append(difference)
        if not rules.dry_run:
            wanted = {work.path(name): new[name].tobytes() for name in _SUFFIXES if row[name] != "same"}
            if not _write(done, wanted, segment.log, token):
                done.warning = f"{segment.log}: the new indexes will not belong to the log's owner"
        if work.path("transaction_index").exists():
            remarks.append("its .txnindex is left as it is")
        row["remark"] = "; ".join(remarks) or None
    except _DamageError as error:
        row["remark"], done.refused = "; ".join([*remarks, "refused"]), str(error)
    except (KformatError, OSError) as error:
        row["remark"] = "; ".join(remarks) or None
        done.fail(error)
    return done


def commit(done: Remade) -> Remade:
    """Rename the indexes of a segment, and log it; ``failed`` holds an error."""
    try:
        put_in_place(done.beside)
    except OSError as error:
        done.fail(error)
    finally:
        _remove(done)
    return done


def _remove(done: Remade) -> None:
    """Remove the files that still wait next to the indexes."""
    for beside, _ in done.beside:
        beside.unlink(missing_ok=True)
    done.beside = []


def leftovers(folder: Path, token: str) -> list[Path]:
    """Files next to indexes, left by a process that ended before it renamed them. ``token`` may be the common prefix of
    several tokens.
    """
    return sorted(folder.glob(f"*.{token}*{BESIDE}"))


# --- a running broker ------------------------------------------------------------------------------------------------


class Roots:
    """Holds the locks of roots (the broker's own `.lock`) until the end; a dry run takes none.

    Args:
        dry_run: nothing will be written.
        say: called with a message about a root, and whether it means that nothing may be written there.
    """

    def __init__(self, dry_run: bool, say: Callable[[str, bool], object]) -> None:
        self.dry_run, self.say = dry_run, say
        self.known, self.locks = dict[Path, bool](), list[RootLock]()

    def __enter__(self) -> Roots:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release all locks; twice is no error."""
        for lock in self.locks:
            lock.release()

    def may_be_written(self, folder: Path) -> bool:
        """Whether a partition's folder may be written; reports the reason against it once per root.

        The folder may be a link, in a broker's root or into one. A folder that is not a partition's has a root only if
        `.lock` exists: otherwise nobody else writes to it.
        """
        if self.dry_run:
            return True
        places = (folder.absolute(), folder.resolve())
        return all(self._take(place.parent, parse_folder_name(place.name) is not None) for place in places)

    def _take(self, root: Path, is_made: bool) -> bool:
        if root not in self.known:
            self.known[root] = self._lock(root, is_made)
        return self.known[root]

    def _lock(self, root: Path, is_made: bool) -> bool:
        is_there = os.path.lexists(root / LOCK_FILE)
        if RootLock.of(root) in self.locks or not (is_there or is_made):
            return True
        lock = RootLock(root, self)
        self.locks.append(lock)
        try:
            lock.take()
        except RootLockedError as error:
            self.say(f"{error}: stop the program that writes there, or work on a copy", True)
            return False
        except OSError as error:
            if is_there:
                self.say(f"{root}: a broker may be running here ({LOCK_FILE}: {error.strerror})", True)
                return False
            self.say(
                f"{root}: nothing prevents a broker from starting during the rebuild ({LOCK_FILE}: {error.strerror})",
                False,
            )
        return True


# --- one segment ----------------------------------------------------------------------------------------------------


class _DamageError(Exception):
    """The log is damaged so that it is indexed only on request."""


@dataclass
class _Work:
    """The work on one segment."""

    segment: Segment
    rules: Rules

    @property
    def _log(self) -> Path:
        return self.segment.log

    def path(self, name: str) -> Path:
        stem, state = self._log.name.split(".log")
        return self._log.with_name(f"{stem}.{_SUFFIXES.get(name, 'txnindex')}{state}")

    def entries(self, remarks: list[str]) -> tuple[BatchHeaders, Entries]:
        """The sound batches, and their index entries."""
        with ByteSource(self._log) as source:
            headers = read_batch_headers(source, checksums=True)
            left = source.size - headers.valid_bytes
            is_zero = left > 0 and is_room(source, headers.valid_bytes)
        if is_zero:
            remarks.append(f"{left} zeros from position {headers.valid_bytes} on")
        elif left:
            if not (isinstance(headers.problem, TruncatedError) and self._is_last()):
                self._refuse_unless_asked(headers.problem)
            remarks.append(
                f"{left} bytes from position {headers.valid_bytes} on are not a sound batch; they are not indexed"
            )
        try:
            return headers, self._recovered(headers)
        except InvalidError as error:
            self._refuse_unless_asked(error)
            headers = _before(headers, error.position or 0)
            remarks.append(f"the batches from position {headers.valid_bytes} on are not indexed")
            return headers, self._recovered(headers)

    def _refuse_unless_asked(self, problem: object) -> None:
        if not self.rules.before_damage:
            raise _DamageError(f"{problem}: not indexed; --before-damage indexes what lies before it")

    def _is_last(self) -> bool:
        if not self.segment.is_last:
            return False
        names = map(parse_file_name, os.listdir(self._log.parent))
        return not any(
            name is not None and name.kind == "log" and not name.state and name.offset > self.segment.base_offset
            for name in names
        )

    def _recovered(self, headers: BatchHeaders) -> Entries:
        batches = IndexedBatches.from_headers(headers)
        if self.rules.profile == "first-offset":
            wrappers = np.flatnonzero((headers.magic < CURRENT_MAGIC) & (headers.compression != 0))
            for number in wrappers.tolist():  # their first offset is inside the compressed payload
                position, size = int(headers.position[number]), int(headers.size[number])
                first = next(iter_batches(self._log, position, position + size)).base_offset
                batches.base_offset[number] = first
        return recovered_entries(
            batches,
            base_offset=self.segment.base_offset,
            profile=self.rules.profile,
            index_interval_bytes=self.rules.interval_bytes(self._log.parent),
            source=headers.source,
        )

    def compared(self, name: str, new: EntryArray) -> tuple[str, str]:
        """The state of an index, in one word, and how it differs."""
        path = self.path(name)
        try:
            with ByteSource(path) as source:
                size_bytes, old = source.size, source.read_at(0, new.nbytes)
        except FileNotFoundError:
            return ("missing" if self.rules.dry_run else "made"), ""
        if size_bytes == new.nbytes and old == new.tobytes():
            return "same", ""
        return ("different" if self.rules.dry_run else "changed"), _difference(path.suffix, size_bytes, old, new)


def _before(headers: BatchHeaders, position: int) -> BatchHeaders:
    """The headers of the batches before a position."""
    count = int(np.searchsorted(headers.position, position))
    return replace(headers.take(slice(count)), valid_bytes=position)


def _difference(suffix: str, size_bytes: int, old: bytes, new: EntryArray) -> str:
    """The first difference between an index's bytes and its expected entries, in words."""
    count = min(len(old), new.nbytes) // new.itemsize
    there = np.frombuffer(old, new.dtype, count)
    differs = np.flatnonzero(there != new[:count])
    if not len(differs):
        return f"{suffix} of {size_bytes} bytes, would be {new.nbytes}"
    number = int(differs[0])
    return f"{suffix} entry {number} {list(there[number].tolist())}, would be {list(new[number].tolist())}"


# --- files ----------------------------------------------------------------------------------------------------------


def _write(done: Remade, files: dict[Path, bytes], log: Path, token: str) -> bool:
    """Write each file's content to disk next to its place; return whether all of them got the log's owner."""
    suffix = f".{token}{BESIDE}" if token else BESIDE
    done.beside = [(path.with_name(path.name + suffix), path) for path in files]
    try:
        is_owned = [_write_beside(place, files[path], log) for place, path in done.beside]
    except BaseException:
        _remove(done)
        raise
    return all(is_owned)


def _write_beside(path: Path, data: bytes, log: Path) -> bool:
    status = log.stat()
    with new_file(path, mode=0o600) as file:
        with naming(path):
            is_owned = give_away(file.fileno(), status)
            os.fchmod(file.fileno(), status.st_mode & 0o777)
        file.write(data)
        sync_file(file)
    return is_owned
