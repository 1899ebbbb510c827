"""A disk that is full: each verb that writes names the file that has no room, and which exit status there is.

The limit on the size of files stands for the disk: the system refuses what goes beyond it, as a full disk does.
"""

from __future__ import annotations

import errno
import os
import re
import resource
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kformat.cli import main
from kformat.kernels.cache import VARIABLE
from kformat.kernels.runtime import kernel
from kformat.storage.atomic_write import atomic_write
from kformat.storage.byte_source import ByteSource
from tests.draws import IS_NIGHT
from tests.samples import ROOT as SAMPLES

SAMPLE = SAMPLES / "walkthrough" / "lookup-0"
LOG = f"{0:020}.log"
WRITING: dict[str, str] = {
    "build": "build --as offset_index IN/batch.json --output OUT",
    "corpus bulk": "corpus bulk OUT --size 20k",
    "corpus write": "corpus write OUT --only gzip",
    "describe": "describe record_batch --page --output OUT",
    "dump": "dump - --print-data-log",
    "export arrow": "export DIR --format arrow --output OUT",
    "export csv": "export DIR --format csv --output OUT",
    "export parquet": "export DIR --format parquet --output OUT",
    "export --as": "export --as time_index TIMEINDEX --format csv --output OUT",
    "log append": "log append DIR",
    "log compact": "log compact DIR",
    "log create": "log create new-0 --log-dir ROOT",
    "log recover": "log recover DIR",
    "log roll": "log roll DIR",
    "merge": "merge ROOT -o OUT",
    "reindex": "reindex DIR",
    "salvage": "salvage ROOT -o OUT",
    "salvage --in-place": "salvage ROOT --in-place",
}
LIMITS = (0, 1, 8, 100, 600, 1500, 4000)
"""Bytes."""
_REFUSED = re.compile(r"^kformat: (/.*): File too large$", re.MULTILINE)


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file gets larger than this."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def call(verb: str, folder: Path) -> tuple[list[str], bytes]:
    """The words of a call on fresh files in a folder, and its standard input."""
    root = folder / "root"
    shutil.copytree(SAMPLE, root / "lookup-0")
    (root / "lookup-0" / LOG).write_bytes((SAMPLE / LOG).read_bytes() + b"garbage" * ("salvage" in verb))
    for path in root.glob("*/*index") if verb in ("reindex", "log recover") else ():
        path.unlink()
    (folder / "batch.json").write_text('{"entries": [{"relative_offset": 1, "position": 2}]}')
    places = {"OUT": folder / "out", "DIR": root / "lookup-0", "ROOT": root, "IN": folder}
    places["TIMEINDEX"] = root / "lookup-0" / f"{0:020}.timeindex"
    words = [str(places.get(word, word)) for word in WRITING[verb].split()]
    words = [word.replace("IN/", f"{folder}/") for word in words]
    return words, (SAMPLE / LOG).read_bytes() if "-" in words else b"a line\n" * 1000


@pytest.mark.long
@pytest.mark.parametrize("verb", WRITING)
def test_a_full_disk_is_reported_with_the_file(verb: str, tmp_path: Path) -> None:
    refused = 0
    words, given = call(verb, tmp_path / "roomy")  # compiled kernels are kept, for which there is no room later
    assert CliRunner().invoke(main, words, input=given).exit_code in (0, 1)
    for size in LIMITS if IS_NIGHT else LIMITS[1::3]:
        words, given = call(verb, tmp_path / str(size))
        with room_for(size):
            result: Result = CliRunner().invoke(main, words, input=given)
        assert isinstance(result.exception, SystemExit | None), result.exception
        if result.exit_code == 3:
            refused += 1
            (path,) = _REFUSED.findall(result.output)
            assert path == tempfile.gettempdir() or path.startswith(str(tmp_path)), result.output
        else:
            assert result.exit_code in (0, 1) and "File too large" not in result.output, result.output
    assert refused


def _one_more(number: int) -> int:
    return number + 1


def test_kernels_work_where_their_cache_has_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    compiled = kernel(_one_more)
    with room_for(0):
        assert compiled(1) == 2
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_what_the_system_says_of_an_open_file_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors of syncing, reading and changing its owner, too."""
    path = tmp_path / "x"

    def failing(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def changed() -> None:
        atomic_write(path, b"data")

    path.write_bytes(b"some")
    source = ByteSource(path)
    for name, work in {
        "fsync": changed,
        "pread": lambda: source.read_at(0, 4),
        "preadv": lambda: source.read_into(0, memoryview(bytearray(4))),
    }.items():
        with monkeypatch.context() as patched, pytest.raises(OSError, match="No space left") as found:
            patched.setattr(os, name, failing)
            work()
        assert found.value.filename == str(path)
    source.close()
    assert path.read_bytes() == b"some" and list(tmp_path.iterdir()) == [path]
