"""Partitions in archives and behind addresses: the same as on this machine, read by ranges; errors say where."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import random
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fsspec
import pytest
from click.testing import CliRunner
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given
from hypothesis import strategies as st

import kformat
from kformat.cli import main
from kformat.errors import DataError, InvalidError, MissingDependencyError, UsageError
from kformat.kafka.columns.chunks import Wanted, read_chunks
from kformat.kafka.index.lookup import find_offset, find_timestamp
from kformat.kafka.log.log_reader import LogReader
from kformat.storage.address import LARGEST_RANGE_BYTES, Address, Ranges, _Holed, is_address, place, scan
from kformat.storage.byte_source import ByteSource
from kformat_engine import Log, Root
from tests.judges.required import is_missing
from tests.samples import ROOT as SAMPLES

ROOT = SAMPLES / "4.3.1"
NAME = "rolled-by-bytes-0"
LOG = f"{200:020d}.log"


@pytest.fixture(autouse=True)
def memory() -> Iterator[dict[str, Any]]:
    """The files of `memory://`, which are the process's; empty before and after each test."""
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]
    yield MemoryFileSystem.store
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]


def in_memory(folder: Path, to: str) -> None:
    fsspec.filesystem("memory").put(f"{folder}/", f"{to}/", recursive=True)


def packed(folder: Path, to: Path, prefix: str = "logs", options: int = zipfile.ZIP_DEFLATED) -> Path:
    """A folder as an archive, by the archive's ending."""
    if to.suffix == ".tar":
        with tarfile.open(to, "w", format=tarfile.GNU_FORMAT) as tar:
            tar.add(folder, prefix)
    else:
        with zipfile.ZipFile(to, "w", options) as opened:
            for file in sorted(folder.rglob("*")):
                opened.write(file, Path(prefix) / file.relative_to(folder))
    return to


@pytest.fixture(params=["memory", "tar", "tar of .", "zip", "stored zip", "tar in memory", "zip in tar", "cache"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a folder with partitions."""
    folder = tmp_path / "logs"
    for name in (NAME, "transactions-0"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "cleaner-offset-checkpoint").write_text(f"0\n1\n{NAME[:-2]} 0 7\n")
    match request.param:
        case "memory":
            in_memory(folder, "/bucket/logs")
            return "memory://bucket/logs"
        case "cache":
            in_memory(folder, "/bucket/logs")
            return "simplecache::memory://bucket/logs"
        case "tar":
            return f"tar://logs::{packed(folder, tmp_path / 'disk.tar')}"
        case "tar of .":
            return f"tar::{packed(folder, tmp_path / 'disk.tar', './')}"
        case "zip":
            return f"zip://logs::{packed(folder, tmp_path / 'disk.zip')}"
        case "stored zip":
            return f"zip://logs::{packed(folder, tmp_path / 'disk.zip', options=zipfile.ZIP_STORED)}"
        case "tar in memory":
            fsspec.filesystem("memory").put(str(packed(folder, tmp_path / "disk.tar")), "/bucket/disk.tar")
            return "tar://logs::memory://bucket/disk.tar"
    (tmp_path / "inner").mkdir()
    packed(folder, tmp_path / "inner" / "disk.zip")
    return f"zip://logs::tar://inner/disk.zip::{packed(tmp_path / 'inner', tmp_path / 'outer.tar', 'inner')}"


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    "verb",
    [
        ["ls", "{}"],
        ["ls", "--all", "--format", "json", "{}"],
        ["ls", "{}" + f"/{NAME}"],
        ["ls", "{}" + f"/{NAME}/{LOG}"],
        ["check", "{}", "--severity", "info"],
        ["check", "{}" + f"/{NAME}/{LOG}"],
        ["dump", "--print-data-log", "{}" + f"/{NAME}/{LOG}"],
        ["dump", "{}" + f"/{NAME}/{LOG[:-4]}.timeindex", "{}" + f"/{NAME}/leader-epoch-checkpoint"],
        ["dump", "--hex", "{}" + f"/{NAME}/{LOG[:-4]}.index"],
        ["grep", "--key", "key-7", "{}" + f"/{NAME}"],
        ["stats", "{}", "--format", "nl", "--records"],
        ["find", "{}" + f"/{NAME}", "--timestamp", "1700000003000", "--explain"],
        ["find", "{}" + f"/{NAME}/{LOG}", "--offset", "301"],
        ["export", "{}", "--format", "nl"],
        ["parse", "--as", "log", "{}" + f"/{NAME}/{LOG}", "--format", "nl"],
    ],
    ids=" ".join,
)
def test_every_verb_says_what_it_says_on_this_machine(root: str, tmp_path: Path, verb: list[str]) -> None:
    there = Address(root)
    here = run(*(argument.format(tmp_path / "logs") for argument in verb))
    expected = tuple(str(text).replace(str(tmp_path / "logs"), "ROOT") for text in here)

    def spelled(argument: str) -> str:
        address = there
        for part in argument.split("/")[1:]:
            address /= part
        return str(address) if argument.startswith("{}") else argument

    found = run(*map(spelled, verb))
    before, after = str(there / "|").split("|")
    shown = [str(text).replace(before, "ROOT/").replace(str(there), "ROOT").replace(after, "") for text in found]
    assert shown == list(expected)
    assert here[0] == 0 and (verb[0] == "check" or here[1])


def test_the_same_records_and_columns(root: str, tmp_path: Path) -> None:
    here = list(kformat.iter_partitions(tmp_path / "logs", all_states=True))
    there = list(kformat.iter_partitions(root, all_states=True))
    assert [partition.topic for partition in there] == [NAME[:-2], "transactions"]
    for ours, theirs in zip(here, there, strict=True):
        assert list(theirs.records()) == list(ours.records())
        assert list(theirs.records(303, 310)) == list(ours.records(303, 310))
        assert theirs.topic_id == ours.topic_id and theirs.leader_epochs == ours.leader_epochs
        assert theirs.high_watermark == ours.high_watermark is None
        assert [segment.size_bytes for segment in theirs.segments] == [segment.size_bytes for segment in ours.segments]
        wanted = Wanted(columns=("offset", "value"), start_offset=10)
        for one, other in zip(theirs.chunks(wanted), ours.chunks(wanted), strict=True):
            assert (one.numbers["offset"] == other.numbers["offset"]).all()
        assert [batch.base_offset for batch in kformat.iter_batches(theirs.segments[0].log)] == [
            batch.base_offset for batch in kformat.iter_batches(ours.segments[0].log)
        ]
        for target in (0, 300, 10**6):
            assert find_offset(theirs.segments, target) == find_offset(ours.segments, target)
        assert find_timestamp(theirs.segments, 1700000003000) == find_timestamp(ours.segments, 1700000003000)


def test_one_file_with_what_lies_beside_it(root: str) -> None:
    partition = kformat.open(str(Address(root) / NAME / LOG))
    assert (partition.topic, [segment.base_offset for segment in partition.segments]) == (NAME[:-2], [200])
    assert len(partition.segments[0].offset_entries()) and len(partition.segments[0].time_entries())
    assert partition.topic_id is not None
    whole = b"".join(bytes(chunk.key.data) for chunk in read_chunks(str(partition.path)) if chunk.key is not None)
    assert whole


@pytest.mark.parametrize(
    ("text", "name", "parent", "child"),
    [
        ("s3://bucket/logs/a-0", "a-0", "s3://bucket/logs", "s3://bucket/logs/a-0/x"),
        ("s3://bucket/a-0/", "a-0", "s3://bucket", "s3://bucket/a-0/x"),
        ("s3://bucket", "bucket", "s3://bucket", "s3://bucket/x"),
        ("memory:///a-0", "a-0", "memory:///", "memory:///a-0/x"),
        ("file:///data/a-0", "a-0", "file:///data", "file:///data/a-0/x"),
        ("tar://logs/a-0::/b/d.tar", "a-0", "tar://logs::/b/d.tar", "tar://logs/a-0/x::/b/d.tar"),
        ("tar://a-0::s3://b/d.tar", "a-0", "tar://::s3://b/d.tar", "tar://a-0/x::s3://b/d.tar"),
        ("tar::d.tar", "", "tar://::d.tar", "tar://x::d.tar"),
        ("zip://a::tar://d.zip::d.tar", "a", "zip://::tar://d.zip::d.tar", "zip://a/x::tar://d.zip::d.tar"),
        ("simplecache::s3://b/a-0", "a-0", "simplecache::s3://b", "simplecache::s3://b/a-0/x"),
    ],
)
def test_addresses(text: str, name: str, parent: str, child: str) -> None:
    address = Address(text)
    assert (address.name, str(address.parent), str(address / "x")) == (name, parent, child)
    assert str((address / "x").with_name("y")) == child[: child.index("x", len(str(address).split("::")[0]) - 1)] + (
        "y" + child[child.index("x", len(str(address).split("::")[0]) - 1) + 1 :]
    )
    assert Address(str(address)) == address and place(text) == address


@pytest.mark.parametrize("text", ["orders-0", "/data/orders-0", "./s3://x", "C:/x", "a:b", ".", "::", "://x"])
def test_paths_are_no_addresses(text: str) -> None:
    assert not is_address(text) and not is_address(Path(text))
    assert place(text) == Path(text)


def test_a_path_is_never_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder may have such a name: a Path, or ``./``, says that it is one."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / NAME, "memory:/orders-0")
    assert kformat.open(Path("memory://orders-0")).segments == kformat.open("./memory://orders-0").segments
    with pytest.raises(FileNotFoundError):
        kformat.open("memory://orders-0")


# How it is read


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What is asked of `memory://`: ("ls", path) and ("cat", path, start, end)."""
    found: list[tuple[Any, ...]] = []

    def ls(self: Any, path: str, *arguments: Any, **options: Any) -> Any:
        found.append(("ls", path))
        return MemoryFileSystem_ls(self, path, *arguments, **options)

    def cat(self: Any, path: str, start: int, end: int) -> Any:
        found.append(("cat", path, start, end))
        return MemoryFileSystem_cat(self, path, start=start, end=end)

    MemoryFileSystem_ls, MemoryFileSystem_cat = MemoryFileSystem.ls, MemoryFileSystem.cat_file
    monkeypatch.setattr(MemoryFileSystem, "ls", ls)
    monkeypatch.setattr(MemoryFileSystem, "cat_file", cat)
    return found


@pytest.fixture
def large(tmp_path: Path) -> tuple[bytes, Path]:
    """A segment of some 40 MiB, and its folder."""
    values = itertools.cycle([os.urandom(100_000)])
    folder = tmp_path / "large-0"
    with Log.open(folder) as log:
        for _ in range(10):
            log.append([(None, value) for value in itertools.islice(values, 40)])
    return (folder / f"{0:020d}.log").read_bytes(), folder


def test_a_listing_is_asked_once(calls: list[tuple[Any, ...]]) -> None:
    in_memory(ROOT / NAME, f"/logs/{NAME}")
    calls.clear()
    partition = kformat.open(f"memory://logs/{NAME}")
    assert [segment.size_bytes for segment in partition.segments] == [16307, 16309, 8989]
    assert calls == [("ls", f"/logs/{NAME}")]
    calls.clear()
    list(kformat.iter_partitions("memory://logs"))
    assert calls == [("ls", "/logs"), ("ls", f"/logs/{NAME}")]
    calls.clear()
    sum(1 for _ in partition.records())
    assert [call[0] for call in calls] == ["cat"] * 3, "a small file is one range"


def test_a_listing_is_of_its_moment(memory: dict[str, Any]) -> None:
    in_memory(ROOT / NAME, f"/logs/{NAME}")
    before = kformat.open(f"memory://logs/{NAME}")
    del memory[f"/logs/{NAME}/{424:020d}.log"]
    assert len(before.segments) == 3 and len(kformat.open(before.path).segments) == 2
    with pytest.raises(FileNotFoundError, match=f"{424:020d}.log"):
        list(before.records(430))


def test_reading_on_fetches_everything_once_in_growing_ranges(
    large: tuple[bytes, Path], calls: list[tuple[Any, ...]]
) -> None:
    data, folder = large
    in_memory(folder, "/large-0")
    calls.clear()
    count = sum(len(chunk) for chunk in kformat.open("memory://large-0").chunks(Wanted(columns=("value",))))
    assert count == 400
    ranges = [call[2:] for call in calls if call[0] == "cat"]
    ends = 0
    for start, end in ranges:
        assert start == ends and end - start <= max(LARGEST_RANGE_BYTES, 5 << 20)
        ends = end
    assert ends == len(data) and len(ranges) <= 12
    assert ranges[0][1] - ranges[0][0] < ranges[-2][1] - ranges[-2][0]


def test_a_lookup_fetches_little(large: tuple[bytes, Path], calls: list[tuple[Any, ...]]) -> None:
    data, folder = large
    in_memory(folder, "/large-0")
    calls.clear()
    assert find_offset(kformat.open("memory://large-0").segments, 280).offset == 280
    batch_bytes = len(data) // 10
    assert sum(call[3] - call[2] for call in calls if call[0] == "cat") < 2 * batch_bytes


def test_a_range_is_asked_for_while_the_one_before_is_used() -> None:
    data, asked = os.urandom(8 << 20), []
    again = threading.Event()

    def fetch(start: int, end: int) -> bytes:
        asked.append((start, threading.current_thread() is threading.main_thread()))
        if len(asked) == 3:
            again.set()
        return data[start:end]

    ranges = Ranges(fetch, len(data), is_slow=True)
    position = 0
    while position < len(data) and len(asked) < 3:
        position += len(ranges.read_at(position, 65536))
        if len(asked) == 2:
            assert again.wait(10), "the third range comes without being needed"
    assert [here for _, here in asked[:3]] == [True, True, False]
    ranges.close()


@given(
    size=st.integers(0, 3_000_000),
    reads=st.lists(st.tuples(st.integers(0, 3_000_000), st.integers(0, 1_500_000)), max_size=12),
    is_slow=st.booleans(),
)
def test_ranges_give_the_file(size: int, reads: list[tuple[int, int]], is_slow: bool) -> None:
    data = (bytes(range(256)) * (size // 256 + 1))[:size]
    ranges = Ranges(lambda start, end: data[start:end], size, is_slow=is_slow)
    with contextlib.closing(ranges):
        for position, count in reads:
            assert ranges.read_at(position, count) == data[position : position + count]


def test_threads_share_a_source(root: str, tmp_path: Path) -> None:
    expected = (tmp_path / "logs" / NAME / LOG).read_bytes()
    wrong = []
    with ByteSource(str(Address(root) / NAME / LOG)) as source:

        def read(first: int) -> None:
            for position in range(first, len(expected), 97):
                if source.read_at(position, 1000) != expected[position : position + 1000]:
                    wrong.append(position)

        threads = [threading.Thread(target=read, args=(first,)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert not wrong


def test_what_became_shorter_ends_there(memory: dict[str, Any]) -> None:
    in_memory(ROOT / NAME, "/a-0")
    with ByteSource(f"memory://a-0/{LOG}") as source:
        fsspec.filesystem("memory").pipe(f"/a-0/{LOG}", b"short")
        assert source.read_at(0, source.size) == b"short"


# Archives


@pytest.mark.parametrize("reverse", [False, True])
def test_holes_and_links_in_a_tar(reverse: bool, tmp_path: Path) -> None:
    """As `tar -S` stores the preallocated indexes of a log in use, and as it stores a second name of the same file."""
    folder = tmp_path / "a-0"
    shutil.copytree(ROOT / NAME, folder)
    index = folder / LOG.replace(".log", ".index")
    entries = index.read_bytes()
    with index.open("r+b") as file:
        file.truncate(10 << 20)
    os.link(folder / LOG, folder / "second.log")
    (folder / "third.log").symlink_to(LOG)
    (folder / "fourth.log").symlink_to("third.log")
    (folder / "nowhere.log").symlink_to("nothing")
    (folder / "itself.log").symlink_to("itself.log")
    names = sorted((f"a-0/{path.name}" for path in folder.iterdir()), reverse=reverse)  # the first name has the bytes
    subprocess.run(["tar", "-S", "-cf", "d.tar", *names], cwd=tmp_path, check=True, timeout=60)
    assert (tmp_path / "d.tar").stat().st_size < 1 << 20
    with ByteSource(f"tar://a-0/{index.name}::{tmp_path / 'd.tar'}") as source:
        assert source.size == 10 << 20
        assert source.read_at(0, len(entries)) == entries and source.is_zero(len(entries))
    partition = kformat.open(f"tar://a-0::{tmp_path / 'd.tar'}")
    found = partition.segments[1].offset_index()
    assert found is not None and found.padding_bytes > 10_000_000
    for name in ("second.log", "third.log", "fourth.log"):
        with ByteSource(str(partition.path / name)) as source:
            assert source.read_at(0, source.size) == (folder / LOG).read_bytes()
    for name in ("nowhere.log", "itself.log"):
        assert {other.kind for other in partition.others if other.name == name} == {"not_regular"}
        with pytest.raises(OSError, match="Invalid argument"):
            ByteSource(str(partition.path / name))


@pytest.mark.parametrize(("mode", "tool"), [("w:gz", "gunzip"), ("w:bz2", "bunzip2"), ("w:xz", "unxz")])
def test_a_compressed_tar_is_refused_with_what_to_do(tmp_path: Path, mode: Any, tool: str) -> None:
    with tarfile.open(tmp_path / "d.tgz", mode) as tar:
        tar.add(ROOT / NAME, "a-0")
    with pytest.raises(UsageError, match=rf"d.tgz: a compressed archive.*unpack it \({tool}\)"):
        kformat.open(f"tar://a-0::{tmp_path / 'd.tgz'}")


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda data, at: data[: at + 700], "unexpected end of data"),
        (lambda data, at: data[: at + 200], "no header of a file"),
        (lambda data, at: data[:at] + b"\xff" * 512 + data[at + 512 :], "no header of a file"),
        (lambda data, at: b"\xff" * 2048, "a damaged archive"),
        (lambda data, at: b"", "a damaged archive"),
    ],
)
def test_a_damaged_tar(tmp_path: Path, damage: Callable[[bytes, int], bytes], expected: str) -> None:
    file = packed(ROOT / NAME, tmp_path / "d.tar", "a-0")
    with tarfile.open(file) as tar:
        header = tar.getmember(f"a-0/{LOG}").offset_data - tarfile.BLOCKSIZE
    file.write_bytes(damage(file.read_bytes(), header))
    with pytest.raises(InvalidError, match=expected) as caught:
        kformat.open(f"tar://a-0::{file}")
    assert caught.value.source == str(file)


@pytest.mark.parametrize("kind", ["pax.tar", "holes.tar", "d.zip"])
def test_any_damage_to_an_archive_is_an_error_of_the_data(kind: str, tmp_path: Path) -> None:
    chance = random.Random(kind)
    folder = tmp_path / ("a" * 90) / ("b" * 90 + "-0")
    folder.mkdir(parents=True)
    for name in (LOG, "x" * 120 + ".log"):
        with (folder / name).open("wb") as file:
            file.write(b"head")
            file.seek(1 << 16)
            file.write(b"tail" * 99)
    sound = tmp_path / kind
    if kind == "holes.tar":
        options = chance.choice(("--sparse-version=0.0", "--sparse-version=1.0"))
        command = ["tar", "-S", "--format=posix", options, "-cf", str(sound), folder.name]
        subprocess.run(command, cwd=folder.parent, check=True, timeout=60)
    elif kind == "pax.tar":
        with tarfile.open(sound, "w", format=tarfile.PAX_FORMAT) as tar:
            tar.add(folder, f"{'p' * 101}/{folder.name}")
    else:
        packed(folder, sound)
    data, errors = sound.read_bytes(), Counter[str]()
    headers = [at for at in range(0, len(data), 512) if data[at : at + 512].strip(b"\0")]
    for _ in range(400):
        changed = bytearray(data)
        for _ in range(chance.choice((1, 1, 3))):
            at = (
                chance.choice(headers)
                + chance.choice((0, 100, 124, 136, 148, 156, 157, 257, 386, 483))
                + chance.randrange(12)
            )
            changed[min(at, len(data) - 1)] = chance.choice(
                (0, 0x20, 0x30, 0x39, 0x53, 0x78, 0x80, 0xFF, chance.randrange(256))
            )
        if kind.endswith("tar") and chance.random() < 0.8:  # with its checksum made right again
            at = chance.choice(headers)
            changed[at + 148 : at + 156] = b"        "
            changed[at + 148 : at + 156] = b"%06o\0 " % sum(changed[at : at + 512])
        if chance.random() < 0.1:
            del changed[chance.randrange(len(changed)) :]
        damaged = tmp_path / f"damaged.{kind[-3:]}"
        damaged.write_bytes(changed)
        try:
            for path in files_in(Address(f"{kind[-3:]}://::{damaged}")):
                with contextlib.suppress(*([] if kind.endswith("tar") else [OSError])), ByteSource(path) as source:
                    source.read_at(0, 100_000)
                    source.read_at(source.size - 1000, 1000)
        except (DataError, UsageError) as error:
            errors[type(error).__name__] += 1
    assert errors["InvalidError"] > 20


def files_in(folder: Address) -> Iterator[Address]:
    for entry in folder.scan():
        if entry.is_dir():
            yield from files_in(entry.address)
        elif entry.address.is_file():
            yield entry.address


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), max_size=5),
    st.integers(0, 9),
    st.integers(0, 99),
    st.integers(0, 99),
)
def test_holes_are_zeros(parts: list[tuple[int, int]], rest: int, position: int, size: int) -> None:
    stored, expected, pieces = b"", b"", []
    for hole, length in parts:
        expected += bytes(hole)
        pieces.append((len(expected), length, len(stored)))
        piece = bytes(range(1 + len(stored), 1 + len(stored) + length))
        stored, expected = stored + piece, expected + piece
    expected += bytes(rest)
    file = SimpleNamespace(reader=SimpleNamespace(read_at=lambda start, count: stored[start : start + count]))
    holed: Any = _Holed
    assert holed(file, pieces, len(expected)).read_at(position, size) == expected[position : position + size]


def test_a_damaged_zip(tmp_path: Path) -> None:
    file = packed(ROOT / NAME, tmp_path / "d.zip", "a-0")
    data = bytearray(file.read_bytes())
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        start = opened.getinfo(f"a-0/{LOG}").header_offset
    data[start + 2000] ^= 0xFF
    file.write_bytes(data)
    partition = kformat.open(f"zip://a-0::{file}")
    with pytest.raises(OSError, match="a damaged archive") as caught:
        list(partition.records(200))
    assert caught.value.filename == f"zip://a-0/{LOG}::{file}"
    assert len(list(partition.records(0, 200))) == 200, "the others can be read"
    found = [finding for finding in kformat.check(f"zip://a-0::{file}") if finding.severity == "error"]
    assert [(finding.rule, finding.file) for finding in found] == [("KF0002", f"zip://a-0/{LOG}::{file}")]
    file.write_bytes(data[:5000])
    with pytest.raises(InvalidError, match="not a zip file"):
        kformat.open(f"zip://a-0::{file}")


def test_an_archive_is_opened_once_and_closed_with_the_last(tmp_path: Path) -> None:
    packed(ROOT, tmp_path / "d.tar")
    descriptors = Path("/proc/self/fd")

    def open_count() -> int:
        return sum(os.path.realpath(entry).endswith("/d.tar") for entry in descriptors.iterdir())

    partitions = list(kformat.iter_partitions(f"tar://logs::{tmp_path / 'd.tar'}"))
    assert len(partitions) > 3 and open_count() == 1
    batches = kformat.iter_batches(str(partitions[0].segments[0].log))
    next(batches)
    del partitions
    assert open_count() == 1, "somebody still reads"
    del batches
    assert open_count() == 0


# Errors


class _Broken(MemoryFileSystem):
    """A file system whose library raises what it likes."""

    protocol = "broken"
    cachable = False
    raised: Exception = OSError("nothing")

    def info(self, path: str, **options: Any) -> Any:
        raise self.raised


@pytest.mark.parametrize(
    ("raised", "kind", "text"),
    [
        (FileNotFoundError("a/b"), FileNotFoundError, "No such file or directory"),
        (PermissionError("Forbidden"), PermissionError, "Forbidden"),
        (TimeoutError(), TimeoutError, "timed out"),
        (ConnectionResetError(104, "reset by peer"), ConnectionResetError, "reset by peer"),
        (OSError("strange\nlines"), OSError, "strange lines"),
        (RuntimeError("token is void"), OSError, "RuntimeError: token is void"),
        (KeyError("x"), OSError, "KeyError: 'x'"),
    ],
)
def test_errors_of_other_libraries(raised: Exception, kind: type[OSError], text: str) -> None:
    fsspec.register_implementation("broken", _Broken, clobber=True)
    _Broken.raised = raised
    with pytest.raises(kind, match=text) as caught:
        kformat.open("broken://a/b-0")
    assert caught.value.filename == "broken://a/b-0"
    status, _, told = run("ls", "broken://a/b-0")
    assert status == 3 and told.startswith("kformat: broken://a/b-0: ") and told.count("\n") == 1


@pytest.mark.parametrize(
    ("address", "status", "told"),
    [
        ("memory://nothing", 3, "memory://nothing: No such file or directory"),
        ("tar://nothing::{tar}", 3, "tar://nothing::{tar}: No such file or directory"),
        ("tar://nothing::nothing.tar", 3, "nothing.tar: No such file or directory"),
        ("tar://nothing", 2, "tar://nothing: the address does not name the archive; write tar://nothing::FILE"),
        ("strange://x/y", 2, "strange://x/y: Protocol not known: strange"),
        ("memory://a-0/partition.metadata", 2, "neither a directory nor a .log file"),
        ("zip://x::{tar}", 1, "{tar}: a damaged archive (File is not a zip file)"),
    ],
)
@pytest.mark.parametrize("verb", ["ls", "find", "check", "export"])
def test_exit_statuses(tmp_path: Path, verb: str, address: str, status: int, told: str) -> None:
    in_memory(ROOT / NAME, "/a-0")
    tar = str(packed(ROOT / NAME, tmp_path / "d.tar", "a-0"))
    more = {"find": ["--offset", "1"], "export": ["--format", "csv"]}.get(verb, [])
    found = run(verb, address.format(tar=tar), *more)
    if (verb, status) == ("check", 2) and "metadata" in address:
        assert found[0] == 0  # check takes such a file
        return
    assert found[0] == status and told.format(tar=tar) in found[2]


def test_without_fsspec(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingDependencyError, match=r"fsspec is not installed.*kformat\[remote\]"):
        kformat.open("memory://a-0")
    assert kformat.open(ROOT / NAME).segments
    assert kformat.open(f"tar://a-0::{packed(ROOT / NAME, tmp_path / 'd.tar', 'a-0')}").segments
    assert run("ls", "memory://a-0")[0] == 3


def test_a_protocol_whose_library_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(MissingDependencyError, match=r"gcsfs is not installed.*kformat\[remote\]"):
        kformat.open("gs://bucket/a-0")
    monkeypatch.setitem(sys.modules, "adlfs", None)
    with pytest.raises(UsageError, match="Install adlfs"):
        kformat.open("abfs://bucket/a-0")


def test_what_is_local_loads_nothing() -> None:
    program = (
        "import sys, kformat; from kformat.check.checker import check; p = kformat.open(sys.argv[1]);"
        "list(check(sys.argv[1])); list(p.records()); print('fsspec' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(ROOT / NAME)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "False\n"


@pytest.mark.parametrize("write", [Log.open, LogReader.open, Root.open])
@pytest.mark.parametrize("spell", [str, Address], ids=["text", "address"])
def test_the_engine_stays_on_this_machine(write: Callable[[Any], Any], spell: Callable[[str], Any]) -> None:
    with pytest.raises(UsageError, match="memory://a-0: a path on this machine is needed here"):
        write(spell("memory://a-0"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", str(ROOT / NAME), "-o", "s3://bucket/x.parquet"],
        ["reindex", "s3://bucket/a-0"],
        ["diff", "s3://bucket/a-0", str(ROOT / NAME)],
        ["log", "append", "s3://bucket/a-0"],
        ["log", "tail", "s3://bucket/a-0"],
        ["log", "recover", "s3://bucket/a-0"],
    ],
)
def test_what_takes_no_address_says_so(arguments: list[str]) -> None:
    status, out, told = run(*arguments)
    assert status == 2 and "on this machine" in told
    assert out == "" or arguments[0] == "reindex"  # whose table is empty


# S3


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """The address of a bucket on the loopback address."""
    try:
        import s3fs
        from moto.server import ThreadedMotoServer
    except ImportError as error:
        is_missing(f"judge missing: a server of S3 ({error}; the extra `test` brings it)")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "nobody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        s3fs.S3FileSystem.clear_instance_cache()
        fs = s3fs.S3FileSystem()
        fs.mkdir("bucket")
        for name in (NAME, "transactions-0"):
            fs.put(f"{ROOT / name}/", f"bucket/logs/{name}/", recursive=True)
        yield "s3://bucket"
        s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


def test_s3(bucket: str, tmp_path: Path) -> None:
    for name in (NAME, "transactions-0"):
        assert list(kformat.open(f"{bucket}/logs/{name}").records()) == list(kformat.open(ROOT / name).records())
    assert [entry.name for entry in scan(f"{bucket}/logs")] == [NAME, "transactions-0"]
    assert run("check", f"{bucket}/logs")[0] == 0
    assert run("find", f"{bucket}/logs/{NAME}", "--offset", "303")[1].startswith("offset 303 ")
    import s3fs

    s3fs.S3FileSystem().put(str(packed(ROOT / NAME, tmp_path / "d.tar", "a-0")), "bucket/d.tar")
    assert list(kformat.open(f"tar://a-0::{bucket}/d.tar").records()) == list(kformat.open(ROOT / NAME).records())


def test_errors_of_s3(bucket: str) -> None:
    for address in ("s3://nobody-has-this/a-0", f"{bucket}/nothing"):
        with pytest.raises(FileNotFoundError) as caught:
            kformat.open(address)
        assert caught.value.filename == address
