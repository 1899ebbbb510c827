"""The files of a root in a salvage in place: `change_root` keeps them and changes some, `put_back_root` restores them.

    X.kformat-aside     X as it was: the marker of a clean shutdown, and each checkpoint that is there
    X.kformat-lowered   the entries of X that were above their logs' ends, as they were lowered

Rules:

* Kept files have names next to what is kept. (A broker refuses a root with a folder of another name.) What an earlier
  run has kept is older, and stays.
* Before a partition's files are put back, the root says of it what it said before, and the marker goes: at no time do a
  later marker and later offsets stand over earlier logs.
* When nothing more is kept in a partition of the root, a kept file comes back, byte for byte. If somebody has written
  of other partitions in between, his entries of those stay.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from kformat.errors import DataError
from kformat.kafka.files.checkpoints import CHECKPOINTS, build_checkpoint
from kformat.kafka.files.file_kinds import CLEAN_SHUTDOWN_FILE
from kformat.kafka.files.text_files import (
    DEFAULT_LIMIT_BYTES,
    TopicOffset,
    TopicOffsets,
    build_offsets,
    parse_offsets,
    read_sidecar,
)
from kformat.salvage.aside import keep
from kformat.storage.atomic_write import BESIDE, atomic_write, put_in_place, sync_folder
from kformat.storage.plain_file import read_plain

_ASIDE: Final = ".kformat-aside"
_LOWERED: Final = ".kformat-lowered"
_NAMES: Final = (*CHECKPOINTS.values(), "cleaner-offset-checkpoint")

Key = tuple[str, int]
"""Topic and partition."""


def change_root(root: Path, ends: Sequence[TopicOffset]) -> list[str]:
    """Keep a root's files. Take away the marker of a clean shutdown, so that a broker looks at the logs; make new
    checkpoints for those that cannot be read; and lower what they say of logs that end sooner now. Returns remarks.
    OSError.
    """
    remarks = list[str]()
    if (root / CLEAN_SHUTDOWN_FILE).is_file():
        _move_aside(root / CLEAN_SHUTDOWN_FILE)
    data = build_checkpoint(ends)
    made = {CHECKPOINTS["recovery_point"]: data, CHECKPOINTS["high_watermark"]: data}
    for name in _NAMES:
        path = root / name
        try:
            checkpoint = read_sidecar(path)
        except FileNotFoundError:
            continue
        except (DataError, OSError) as error:
            remarks.append(
                f"{name} cannot be read ({error}), and is {'made from the logs' if name in made else 'taken away'}"
            )
            if name not in made:
                _move_aside(path)
                continue
            _keep(path)
            atomic_write(path, made[name], is_locked=True)
        else:
            assert isinstance(checkpoint, TopicOffsets)
            _keep(path)
            if name != CHECKPOINTS["log_start_offset"]:
                _lower(path, checkpoint.as_dict(), ends)
    sync_folder(root)
    return remarks


def _lower(path: Path, offsets: Mapping[Key, int], ends: Iterable[TopicOffset]) -> None:
    """Write a checkpoint with no offset above its log's end, where that changes something."""
    lowered = {end[:2]: end.offset for end in ends if offsets.get(end[:2], 0) > end.offset}
    if not lowered:
        return
    note = path.with_name(path.name + _LOWERED)
    before = {key: offset for key, offset in (_entries(note) or {}).items() if offsets.get(key) == offset}
    _write(note, before | lowered)
    _write(path, {**offsets, **lowered})


def _keep(path: Path) -> None:
    """Keep a file that will change; at any time the file is there."""
    aside, beside = path.with_name(path.name + _ASIDE), path.with_name(path.name + _ASIDE + BESIDE)
    if os.path.lexists(aside):
        return
    if path.is_dir():  # it has no second name
        _move_aside(path)
        return
    with contextlib.suppress(FileNotFoundError):
        os.unlink(beside)
    keep(path, beside)
    put_in_place([(beside, aside)])


def _move_aside(path: Path) -> None:
    """Keep a file, and take it away."""
    aside = path.with_name(path.name + _ASIDE)
    if os.path.lexists(aside):
        path.unlink()
    else:
        put_in_place([(path, aside)])


def _entries(path: Path) -> dict[Key, int] | None:
    """The entries of a checkpoint; None where it cannot be read, or is not there."""
    try:
        return parse_offsets(read_plain(path, DEFAULT_LIMIT_BYTES + 1)).as_dict()
    except (DataError, OSError):
        return None


def _write(path: Path, entries: Mapping[Key, int]) -> None:
    data = build_offsets(TopicOffsets(tuple(TopicOffset(*key, offset) for key, offset in entries.items())))
    atomic_write(path, data, is_locked=True)


def take_back_entries(root: Path, partitions: Iterable[Key]) -> None:
    """Restore the checkpoint entries of partitions from before they were salvaged, and take away a marker of a clean
    shutdown that was written since. A checkpoint that was not there before, and has no entries left, is removed.
    OSError."""
    keys = set(partitions)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(root / CLEAN_SHUTDOWN_FILE)
    for name in _NAMES:
        path, aside = root / name, root / f"{name}{_ASIDE}"
        current, kept = _entries(path), _entries(aside) or {}
        if current is None:
            continue
        entries = {key: offset for key, offset in current.items() if key not in keys or key in kept}
        entries |= {key: kept[key] for key in keys & kept.keys()}
        if not entries and not os.path.lexists(aside):
            path.unlink()
        elif entries != current:
            _write(path, entries)
    sync_folder(root)


def put_back_root(root: Path) -> int:
    """Restore the files of a root, and return how many were kept. OSError."""
    count = 0
    for name in (CLEAN_SHUTDOWN_FILE, *_NAMES):
        path, aside, note = root / name, root / f"{name}{_ASIDE}", root / f"{name}{_LOWERED}"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{aside}{BESIDE}")
        if os.path.lexists(aside):
            count += 1
            _put_back(path, aside, note)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(note)
    sync_folder(root)
    return count


def _put_back(path: Path, aside: Path, note: Path) -> None:
    current, kept = (None, None) if path.name == CLEAN_SHUTDOWN_FILE else (_entries(path), _entries(aside))
    if current is not None and kept is not None:
        lowered = _entries(note) or {}
        back = {key: kept[key] for key, offset in lowered.items() if key in kept and current.get(key) == offset}
        if {**current, **back} != kept:  # somebody has written of other partitions
            if back:
                _write(path, {**current, **back})
            aside.unlink()
            return
    if os.path.lexists(path) and (aside.is_dir() or os.path.samestat(os.lstat(path), os.lstat(aside))):
        path.unlink()  # a folder cannot take a file's name, and renaming one name of a file to another does nothing
    put_in_place([(aside, path)])


__all__ = ["change_root", "put_back_root", "take_back_entries"]
