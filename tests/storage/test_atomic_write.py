"""Writing next to a file: what is there after whatever happened, and what somebody put in the way."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import kformat
import kformat_engine
from kformat.storage.atomic_write import atomic_write, unique_name, writing_beside
from kformat.storage.plain_file import give_away, open_own, open_plain, open_to_read, read_plain

HOUSE = [Path(next(iter(package.__path__))) for package in (kformat, kformat_engine)]

IN_THE_WAY: dict[str, Callable[[Path, Path], object]] = {
    "nothing": lambda beside, victim: None,
    "a link": lambda beside, victim: beside.symlink_to(victim),
    "a link to nothing": lambda beside, victim: beside.symlink_to(victim.with_name("none")),
    "another name": lambda beside, victim: beside.hardlink_to(victim),
    "a file": lambda beside, victim: beside.write_bytes(b"of a writer that was killed"),
    "a pipe": lambda beside, victim: os.mkfifo(beside),
}


@pytest.mark.parametrize("what", IN_THE_WAY)
def test_nothing_is_written_through_what_is_in_the_way(tmp_path: Path, what: str) -> None:
    folder, victim = tmp_path / "folder", tmp_path / "victim"
    folder.mkdir()
    victim.write_bytes(b"precious")
    IN_THE_WAY[what](folder / "file.tmp", victim)
    atomic_write(folder / "file", b"new", is_locked=True)
    assert (folder / "file").read_bytes() == b"new" and [path.name for path in folder.iterdir()] == ["file"]
    assert victim.read_bytes() == b"precious" and {path.name for path in tmp_path.iterdir()} == {"folder", "victim"}


@pytest.mark.parametrize("is_locked", [True, False])
@pytest.mark.parametrize("failing", ["open", "fsync", "replace", "writing"])
def test_what_fails_leaves_the_old_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, is_locked: bool
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space"):
        if failing != "writing":
            patch.setattr(os, failing, full)
        with writing_beside(path, is_locked=is_locked) as file:
            file.write(b"new")
            if failing == "writing":
                full()
    assert path.read_bytes() == b"old" and [found.name for found in tmp_path.iterdir()] == ["file"]


def test_a_file_gets_its_name_when_it_is_on_the_disk_and_then_the_folder_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = list[str]()
    sync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        steps.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)
        sync(descriptor)

    def replaced(old: str, new: str) -> None:
        steps.append("rename")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    atomic_write(tmp_path / "file", b"new", is_locked=True)
    assert steps == ["file.tmp", "rename", tmp_path.name]


def test_a_long_name_has_one_next_to_it() -> None:
    assert len(unique_name("n" * 255)) < 255 and len({unique_name("n") for _ in range(9)}) == 9


def test_what_is_opened_plainly_is_a_file_by_that_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "dangling").symlink_to(tmp_path / "none")
    (tmp_path / "second").hardlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")
    assert read_plain(tmp_path / "file", 4) == b"cont"
    for name in ("link", "dangling", "pipe"):
        for flags in (os.O_RDONLY, os.O_RDWR, os.O_RDWR | os.O_CREAT):
            with pytest.raises(OSError, match=f"(Is a link|Not a regular file).*{name}"):
                open_plain(tmp_path / name, flags)
    with pytest.raises(OSError, match="Has a second name"):
        open_own(tmp_path / "file", os.O_RDWR)
    os.close(open_to_read(tmp_path / "link"))
    for name in ("pipe", "."):
        with pytest.raises(OSError, match="Not a regular file"):
            open_to_read(tmp_path / name)
    assert not (tmp_path / "none").exists()


def test_a_file_with_a_second_name_is_not_given_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "second").hardlink_to(tmp_path / "file")
    owner = os.stat_result((*tmp_path.stat()[:4], 12345, 12345, *tmp_path.stat()[6:10]))
    given = list[tuple[int, int]]()
    monkeypatch.setattr(os, "fchown", lambda descriptor, user, group: given.append((user, group)))
    descriptor = os.open(tmp_path / "file", os.O_RDONLY)
    assert not give_away(descriptor, owner) and not given
    (tmp_path / "second").unlink()
    assert give_away(descriptor, owner) and given == [(12345, 12345)]
    os.close(descriptor)


def test_who_renames() -> None:
    """Writing next to a file and renaming has one home; elsewhere names are given that are no file's yet."""
    found = {
        path.name
        for house in HOUSE
        for path in house.rglob("*.py")
        for text in [path.read_text(encoding="utf-8")]
        if re.search(r"os\s*\.\s*(replace|rename)", text)  # to parse all of them takes seconds
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute)
        and node.attr in ("replace", "rename", "renames")
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
    }
    assert found == {
        "atomic_write.py",
        "storage.py",  # the same in steps, at each of which a test's disk may fail
        "commit.py",  # segments and folders of tasks
        "unpacking.py",  # a folder of packages, by a program that has no kformat yet
    }
