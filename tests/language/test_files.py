"""A declaration in a file is read again only if it, or what it imports, changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import kformat
from kformat.language import declaration
from kformat.language.files import COARSE_NS

ONE, TWO = ("meta: {{id: a, imports: [{}]}}\nseq: [{{id: x, type: {}}}]".format("b", kind) for kind in ("b", "s1"))
B_ONE, B_TWO = (f"meta: {{id: b}}\nseq: [{{id: y, type: {kind}}}]" for kind in ("u1", "s1"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Declarations a and b that are not young any more, and an empty folder on the search path."""
    (tmp_path / "on_path").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.setenv("KSPATH", str(tmp_path / "on_path"))
    (tmp_path / "here" / "a.ksy").write_text(ONE)
    (tmp_path / "on_path" / "b.ksy").write_text(B_ONE)
    for path in tmp_path.rglob("*.ksy"):
        os.utime(path, ns=(path.stat().st_mtime_ns - 10 * COARSE_NS,) * 2)
    return tmp_path


def read(folder: Path) -> int:
    value = kformat.parse(str(folder / "here" / "a.ksy"), b"\xff")
    found = value.x if isinstance(value.x, int) else value.x.y
    assert isinstance(found, int)
    return found


def nearer(folder: Path) -> None:
    (folder / "here" / "b.ksy").write_text(B_TWO)


def other_search_path(folder: Path) -> None:
    (folder / "other").mkdir()
    (folder / "other" / "b.ksy").write_text(B_TWO)
    os.environ["KSPATH"] = str(folder / "other")


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "here" / "a.ksy").write_text(TWO),
        lambda folder: (folder / "on_path" / "b.ksy").write_text(B_TWO),
        nearer,
        other_search_path,
    ],
    ids=["itself", "an import", "an import that is nearer", "KSPATH"],
)
def test_what_changed_is_read_again(folder: Path, change: Callable[[Path], object]) -> None:
    assert (read(folder), read(folder)) == (255, 255)
    change(folder)
    assert read(folder) == -1


def test_what_is_gone_is_not_there(folder: Path) -> None:
    assert read(folder) == 255
    (folder / "here" / "a.ksy").unlink()
    with pytest.raises(FileNotFoundError):
        read(folder)


def test_what_did_not_change_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(folder) == 255
    first = kformat.load_declaration(folder / "here" / "a.ksy")
    monkeypatch.setattr(declaration, "read_yaml", lambda *arguments: pytest.fail("read again"))
    assert read(folder) == 255 and kformat.load_declaration(folder / "here" / "a.ksy") is first


def test_a_young_file_is_told_by_its_bytes(tmp_path: Path) -> None:
    """Written twice within one step of the file system's clock: the second has the first one's size and time."""
    path = tmp_path / "b.ksy"
    path.write_text(B_ONE)
    assert kformat.parse(str(path), b"\xff").y == 255
    times = path.stat()
    with path.open("r+") as file:
        file.write(B_TWO)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert kformat.parse(str(path), b"\xff").y == -1
