"""Salvage a partition where it lies: what is changed is kept aside, and `put_back` restores every byte.

Rules:

* All happens under the root's lock (`kformat.reindex.Roots`), in ``.kformat-salvage`` in the partition's folder, where
  brokers pass over folders. ``new`` holds what is made, until it gets its place; ``old`` holds links to all files that
  were there, or copies where the file system has no links.
* Nothing in the folder changes before ``manifest.json`` says so, and then all that was there is kept. A killed run is
  taken back by the next one, or by `put_back`. A killed `put_back` goes on when it is called again.
* A log that is sound stays as it is, unless it is the last. All that a broker changes in place (the last log, indexes)
  gets a new file, so that what is kept does not change with it. The engine copies such a file before it changes it; a
  broker that cuts a log changes what is kept, too, and `put_back` says of which files.
* While files change, a broker that is started by mistake finds sound logs without indexes, or damaged ones as before:
  indexes and producer snapshots go first and come last.
* What was written after the salvage is not lost by `put_back`: it is moved into ``.kformat-later``.

The folder may be hostile: links are not followed, and the manifest is only asked about names that are there.
"""

from __future__ import annotations

import contextlib
import filecmp
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kformat.errors import InvalidError, UsageError
from kformat.kafka.damage.saved_ranges import SavedRange
from kformat.kafka.files.file_kinds import ASIDE_FOLDER, LATER_FOLDER, FileName, parse_file_name
from kformat.kafka.log.partition import Partition, Segment
from kformat.kafka.state.topic_configs import TopicConfigs
from kformat.salvage.saving import UNPLACED, NewLog, Saved, make_files, save_unplaced, write_file
from kformat.storage.atomic_write import atomic_write, put_in_place, sync_folder
from kformat.storage.plain_file import give_away, naming, open_plain, read_plain

MANIFEST: Final = "manifest.json"
REPORT: Final = "report.json"
_OLD: Final = "old"
_NEW: Final = "new"
_MOST_BYTES: Final = 1 << 28
_OF_SEGMENTS: Final = ("log", "offset_index", "time_index", "transaction_index", "producer_snapshot")
_CHANGED_IN_PLACE: Final = ("offset_index", "time_index", "transaction_index")


@dataclass
class PutBack:
    """What `put_back` did.

    Attributes:
        partition: the folder's name.
        files_count: how many files are again what they were.
        later: the folder with what was written after the salvage; None if there was nothing.
        changed: names of files that were written to while they were kept: what they had is not known.
    """

    partition: str
    files_count: int = 0
    later: Path | None = None
    changed: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return {
            "partition": self.partition,
            "files_count": self.files_count,
            "later": None if self.later is None else str(self.later),
            "changed": self.changed,
        }


@dataclass
class _Manifest:
    """``state``: ``changing``, ``changed`` or ``undoing``; ``old``: the names that were there, each with length and
    time of the last change (ns) of the file, None for what is none; ``new``: of each name that got a new file the
    sha256 of that."""

    state: str
    old: dict[str, list[int] | None]
    new: dict[str, str]

    def write(self, aside: Path) -> None:
        data = {"state": self.state, "old": self.old, "new": self.new}
        atomic_write(aside / MANIFEST, json.dumps(data, indent=1).encode() + b"\n", is_locked=True)

    @staticmethod
    def read(aside: Path) -> _Manifest | None:
        """None if there is none: then nothing in the folder was changed. Raises InvalidError."""
        try:
            data = json.loads(read_plain(aside / MANIFEST, _MOST_BYTES))
            old, new = data["old"], data["new"]
            if not (isinstance(old, dict) and isinstance(new, dict) and isinstance(data["state"], str)):
                raise TypeError("no names")
            return _Manifest(data["state"], old, {name: str(digest) for name, digest in new.items()})
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InvalidError(f"not a manifest of salvage: {error}", source=str(aside / MANIFEST)) from None

    def is_changed(self, kept: Path) -> bool:
        """Whether a file was written to since it is kept."""
        return _stamp(kept) != self.old.get(kept.name)

    def is_new(self, path: Path) -> bool:
        """Whether a file is as it was made."""
        return path.name in self.new and not path.is_symlink() and _digest(path) == self.new[path.name]


def aside_of(folder: Path) -> Path | None:
    """Where a partition's files are kept; None if there is nothing. UsageError if it is a link or a file."""
    path = folder / ASIDE_FOLDER
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISDIR(mode):
        raise UsageError(f"{path} is not a folder that salvage has made: remove it")
    return path


def settle(folder: Path, *, dry_run: bool) -> PutBack | None:
    """Take back what a killed run has begun in a partition's folder, and return what was done, if it had changed
    something; for a dry run a UsageError."""
    aside = aside_of(folder)
    if aside is None:
        return None
    manifest = _Manifest.read(aside)
    if manifest is not None and manifest.state == "changed":
        return None
    if dry_run:
        raise UsageError(f"{folder}: a run was interrupted; `kformat salvage --undo {folder}` takes it back")
    done = put_back(folder)
    return done if done.files_count or done.later else None


def refuse_changed(folder: Path) -> None:
    """UsageError if what an earlier run has changed in a partition's folder is still kept."""
    if aside_of(folder) is not None:
        raise UsageError(
            f"{folder} was salvaged before, and is damaged again. `kformat salvage --undo {folder}` puts back what was "
            f"there before; if that is not wanted any more, remove {folder / ASIDE_FOLDER}"
        )


def change(
    partition: Partition,
    plan: Sequence[NewLog],
    segments: Iterable[tuple[Segment, list[SavedRange]]],
    report: dict[str, Any],
    configs: TopicConfigs,
) -> Saved:
    """Put what is saved of a partition in the place of what is there; what fails is taken back. OSError.

    Args:
        segments: all ranges; of these the batches without a place are kept in ``unplaced``.
        report: JSON for ``report.json``.
        configs: see `make_files`.
    """
    (partition.folder / ASIDE_FOLDER).mkdir()
    try:
        return _change(partition, plan, segments, report, configs)
    except BaseException:
        with contextlib.suppress(OSError):
            put_back(partition.folder)
        raise


def _change(
    partition: Partition,
    plan: Sequence[NewLog],
    segments: Iterable[tuple[Segment, list[SavedRange]]],
    report: dict[str, Any],
    configs: TopicConfigs,
) -> Saved:
    folder, aside = partition.folder, partition.folder / ASIDE_FOLDER
    owner = os.stat(folder)
    old = {entry.name for entry in os.scandir(folder) if not entry.is_dir(follow_symlinks=False)}
    saved = make_files([partition], plan, aside / _NEW, configs=configs, keeps_sound=True)
    made = {path.name: path for path in (aside / _NEW).iterdir()}
    new = {name: path for name, path in made.items() if not _stays(path, folder / name)}
    for name, path in new.items():
        _dress(path, folder / name, owner)
    save_unplaced(segments, aside / UNPLACED)
    (aside / _OLD).mkdir()
    for name in sorted(old):
        keep(folder / name, aside / _OLD / name)
    sync_folder(aside / _OLD)
    write_file(aside / REPORT, json.dumps(report, indent=1).encode() + b"\n")
    _give_folders(aside, owner)
    manifest = _Manifest(
        "changing",
        {name: _stamp(folder / name) for name in sorted(old)},
        {name: _digest(path) for name, path in sorted(new.items())},
    )
    manifest.write(aside)
    _replace(folder, old, new, made.keys() - new.keys())
    shutil.rmtree(aside / _NEW)
    manifest.state = "changed"
    manifest.write(aside)
    return saved


def _replace(folder: Path, old: set[str], new: dict[str, Path], staying: set[str]) -> None:
    """Remove indexes and snapshots, replace logs, put all else in place."""
    parsed = {name: parse_file_name(name) for name in old | new.keys()}
    of_segments = {name: kind for name in old if (kind := parsed[name]) is not None and kind.kind in _OF_SEGMENTS}
    for name in sorted(of_segments.keys() - staying):
        if not _is_log(of_segments[name]):
            (folder / name).unlink()
    sync_folder(folder)
    for name in sorted(of_segments.keys() - staying - new.keys()):
        if _is_log(of_segments[name]):
            (folder / name).unlink()
    logs = [name for name in sorted(new) if _is_log(parsed[name])]
    put_in_place((new[name], folder / name) for name in logs)
    put_in_place((new[name], folder / name) for name in sorted(new.keys() - set(logs)))


def _is_log(name: FileName | None) -> bool:
    return name is not None and name.kind == "log"


def _stays(made: Path, there: Path) -> bool:
    """Whether the file that is there need not be replaced by the one that was made."""
    if not there.is_file() or there.is_symlink():
        return False
    if os.path.samestat(os.stat(made), os.stat(there)):
        return True
    name = parse_file_name(there.name)
    if name is not None and (_is_log(name) or name.kind in _CHANGED_IN_PLACE):
        return False
    try:
        return filecmp.cmp(made, there, shallow=False)
    except OSError:  # the disk cannot read it
        return False


def _dress(made: Path, there: Path, owner: os.stat_result) -> None:
    """Give a new file the owner and the mode of the one that it replaces; else the owner of the folder."""
    with contextlib.suppress(FileNotFoundError):
        replaced = os.lstat(there)
        if stat.S_ISREG(replaced.st_mode):
            owner = replaced
    descriptor = open_plain(made, os.O_RDONLY)
    try:
        give_away(descriptor, owner)
        if stat.S_ISREG(owner.st_mode):
            with naming(made):
                os.fchmod(descriptor, stat.S_IMODE(owner.st_mode))
                os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _give_folders(aside: Path, owner: os.stat_result) -> None:
    """Give the folders to an owner, so that a broker can delete the partition with all that is in it."""
    for folder, _, _ in os.walk(aside):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            give_away(descriptor, owner)
        finally:
            os.close(descriptor)


def keep(path: Path, aside: Path) -> None:
    """Keep a file under a second name, or as a copy where there are no links."""
    try:
        os.link(path, aside, follow_symlinks=False)
    except OSError:
        shutil.copy2(path, aside, follow_symlinks=False)
        if not aside.is_symlink():
            _dress(aside, path, os.stat(path))


def _stamp(path: Path) -> list[int] | None:
    """Length and time of the last change (ns) of a file; None of a link, and of what is no file."""
    status = os.lstat(path)
    return [status.st_size, status.st_mtime_ns] if stat.S_ISREG(status.st_mode) else None


def _digest(path: Path) -> str:
    with open(open_plain(path, os.O_RDONLY), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_as_kept(path: Path, kept: Path) -> bool:
    if path.is_symlink() or kept.is_symlink():
        return path.is_symlink() and kept.is_symlink() and os.readlink(path) == os.readlink(kept)
    return os.path.samestat(os.stat(path), os.stat(kept)) or filecmp.cmp(path, kept, shallow=False)


def put_back(folder: Path) -> PutBack:
    """Restore what was in a partition's folder before it was salvaged. UsageError if nothing is kept; OSError."""
    aside = aside_of(folder)
    if aside is None:
        raise UsageError(f"{folder}: was not salvaged in place, or what was there has been removed")
    done, manifest = PutBack(folder.absolute().name), _Manifest.read(aside)
    if manifest is not None:
        if (aside / _OLD).is_symlink():
            raise UsageError(f"{aside / _OLD} is a link, which salvage does not make")
        manifest.state = "undoing"
        manifest.write(aside)
        for path in _later(folder, aside, manifest):
            if done.later is None:
                done.later = _new_folder(folder / LATER_FOLDER)
            put_in_place([(path, done.later / path.name)])
        for kept in sorted((aside / _OLD).iterdir()) if (aside / _OLD).exists() else ():
            path = folder / kept.name
            if manifest.is_changed(kept):
                done.changed.append(kept.name)
            if os.path.lexists(path) and os.path.samestat(os.lstat(path), os.lstat(kept)):
                kept.unlink()  # renaming one name of a file to another does nothing
            else:
                put_in_place([(kept, path)])
            done.files_count += 1
    shutil.rmtree(aside)
    sync_folder(folder)
    return done


def _later(folder: Path, aside: Path, manifest: _Manifest) -> Iterator[Path]:
    """Yield what was written after the salvage; remove what the salvage has made and nobody has changed."""
    for entry in sorted(os.listdir(folder)):
        path, kept = folder / entry, aside / _OLD / entry
        if path.is_dir() and not path.is_symlink():
            continue
        if os.path.lexists(kept):
            if not _is_as_kept(path, kept) and not manifest.is_new(path):
                yield path
        elif entry in manifest.old:
            continue  # it is back already
        elif manifest.is_new(path):
            path.unlink()
        else:
            yield path


def _new_folder(path: Path) -> Path:
    number, candidate = 1, path
    while os.path.lexists(candidate):
        number += 1
        candidate = path.with_name(f"{path.name}-{number}")
    candidate.mkdir()
    return candidate


__all__ = ["PutBack", "aside_of", "change", "keep", "put_back", "refuse_changed", "settle"]
