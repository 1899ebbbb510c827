"""Small files that ask for much: each gets an answer in seconds and within some memory, or an error that says why."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kformat.kafka.batch.compression import GZIP, compress
from kformat.kafka.batch.writing import Columns, build_batch
from kformat.storage.checksum import crc32, crc32c
from tests.zygote import Zygote, zygote

LOG = f"{0:020d}.log"
BATCH = build_batch(Columns((0,), (None,), (b"x",)))
MOST_MIB, MOST_SECONDS = 1024, 10
GIB = 1 << 30


@pytest.fixture(scope="module", name="zygote")
def started() -> Iterator[Zygote]:
    with zygote(MOST_MIB, MOST_SECONDS) as one:
        yield one


def sparse(path: Path, size: int, head: bytes = b"", tail: bytes = b"") -> Path:
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file:
        file.write(head)
        file.truncate(size)
        file.seek(size)
        file.write(tail)
    return path


def header(name: str = "a", kind: bytes = b"0", size: int = 0, more: bytes = b"") -> bytes:
    """A header of a tar; ``more``: what stands in it behind the names of devices, and makes a GNU header of it."""
    item = tarfile.TarInfo(name)
    item.type, item.size = kind, 0
    data = bytearray(item.tobuf(tarfile.GNU_FORMAT))
    data[124:136] = b"\x80" + size.to_bytes(11, "big", signed=size < 0) if size < 0 or size >> 33 else b"%011o\0" % size
    if size < 0:
        data[124] = 0xFF
    data[345 : 345 + len(more)] = more
    data[148:156] = b"        "
    data[148:156] = b"%06o\0 " % sum(data)
    return bytes(data)


def block(data: bytes) -> bytes:
    return data + bytes(-len(data) % 512)


def number(value: int) -> bytes:
    return b"\x80" + value.to_bytes(11, "big")


def holed(size: int, pieces: list[tuple[int, int]], is_extended: bool = False) -> bytes:
    """A header of a file with holes, as old GNU tars write it."""
    places = b"".join(number(begin) + number(length) for begin, length in pieces)
    more = bytes(41) + places.ljust(96, b"\0") + bytes((is_extended,)) + number(size)
    return header(f"a-0/{LOG}", b"S", sum(length for _, length in pieces), more)


def tar(*parts: bytes) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        (folder / "d.tar").write_bytes(b"".join(parts) + bytes(1024))
        return f"tar://a-0::{folder / 'd.tar'}"

    return make


def zipped(names: list[str], change: Callable[[bytes], bytes] = bytes) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as opened:
            for name in names:
                opened.writestr(zipfile.ZipInfo(name), BATCH)
        (folder / "d.zip").write_bytes(change(file.getvalue()))
        return f"zip://a-0::{folder / 'd.zip'}"

    return make


def long_tar(kind: bytes, size: int) -> Callable[[Path], str]:
    return lambda folder: f"tar://a-0::{sparse(folder / 'd.tar', size + 512, header('l', kind, size))}"


def long_directory(folder: Path) -> str:
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65535, 65535, 2 * GIB, 0, 0)
    return f"zip://a-0::{sparse(folder / 'd.zip', 2 * GIB, tail=end)}"


def entry_of_two_gigabytes(data: bytes) -> bytes:
    """What the central directory says of the first file's size."""
    at = data.index(b"PK\1\2")
    return data[: at + 24] + struct.pack("<L", 2**31 - 1) + data[at + 28 :]


def one_behind_all_names(data: bytes) -> bytes:
    """Each name stands for the same bytes: those of the first file, which take all of the archive."""
    at, changed = data.index(b"PK\1\2"), bytearray(data)
    while changed[at : at + 4] == b"PK\1\2":
        changed[at + 20 : at + 24] = struct.pack("<L", data.index(b"PK\1\2") - 100)
        changed[at + 42 : at + 46] = bytes(4)
        at += 46 + sum(struct.unpack_from("<3H", changed, at + 28))
    return bytes(changed)


def file(name: str, size: int, head: bytes = b"") -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        (folder / "a-0").mkdir()
        (folder / "a-0" / LOG).write_bytes(BATCH)
        return str(sparse(folder / "a-0" / name, size, head).parent)

    return make


def message(offset: int, codec: int = 0, value: bytes | None = None) -> bytes:
    length = b"\xff" * 4 if value is None else struct.pack(">i", len(value)) + value
    body = struct.pack(">bbi", 0, codec, -1) + length
    return struct.pack(">qiI", offset, len(body) + 4, crc32(body)) + body


def wrapper(folder: Path) -> str:
    """A message of magic 0 that holds many others."""
    count, at = 300_000, len(message(0)) - 14
    inner = bytearray(message(0) * count)
    for row in range(count):
        struct.pack_into(">q", inner, row * (at + 14), row)
    (folder / "a-0").mkdir()
    (folder / "a-0" / LOG).write_bytes(message(count - 1, GZIP, compress(GZIP, bytes(inner), magic=0)))
    return str(folder / "a-0")


SNAPSHOT = struct.pack(">hIi", 1, crc32c(struct.pack(">i", 2**31 - 1)), 2**31 - 1)
EPOCHS = "leader-epoch-checkpoint"
PAX = b"2 " * 30_000 + b"="
BOMBS: dict[str, tuple[Callable[[Path], str], str]] = {
    # A folder above each of 32,000 others, twelve times.
    "zip, deep names": (zipped([f"{n}/" + "a/" * 32_700 for n in range(12)]), "a path longer than any system allows"),
    "zip, folders in one another": (zipped(["a/" * 200 + "b"]), "folders in one another (expected at most 100"),
    "zip, folders": (zipped([f"{n}/" + "folder/" * 90 + "b" for n in range(9000)]), "more files than are listed"),
    "zip, large directory": (long_directory, "list of files is larger than the limit"),
    "zip, larger than it says": (
        zipped([f"a-0/{LOG}"], entry_of_two_gigabytes),
        f"{len(BATCH)} bytes are stored for 2147483647",
    ),
    "zip, one for all": (zipped([f"a-0/{n:020d}.log" for n in range(9)], one_behind_all_names), "overlap"),
    "tar, holes of 2^50 bytes": (tar(holed(1 << 50, [(0, 512)]), block(BATCH)), "KF0009: 1125899906842624 bytes"),
    "tar, pieces in no order": (tar(holed(1 << 20, [(4096, 512), (0, 512)]), bytes(1024)), "pieces are in no order"),
    "tar, holes without end": (
        tar(holed(1 << 20, [(0, 0)] * 4, True), (number(1) * 42)[:511].ljust(512, b"\1") * 3000),
        "list of files is larger than the limit",
    ),
    "tar, long name": (long_tar(b"L", 9 * GIB), "list of files is larger than the limit"),
    "tar, long extended header": (long_tar(b"x", 9 * GIB), "an extended header in a tar archive"),
    "tar, long names of long names": (tar((header("l", b"L", 1) + block(b"a")) * 1000), "RecursionError"),
    "tar, records in one another": (tar(header("x", b"x", len(PAX)), block(PAX), header()), "no record of an extended"),
    "tar, a negative size": (tar(header("a", b"0", -512)), "a negative size"),
    "log of zeros": (file(LOG, 10 * GIB), "KF0009"),
    "log that ends in zeros": (file(LOG, 10 * GIB, BATCH), "KF0009"),
    "log of old messages in zeros": (file(LOG, 10 * GIB, b"\1" * 100), "KF0009"),
    "index": (file(LOG.replace("log", "index"), 2 * GIB), "KF0009"),
    "time index": (file(LOG.replace("log", "timeindex"), 2 * GIB), "KF0009"),
    "transactions": (file(LOG.replace("log", "txnindex"), 2 * GIB), "KF0009"),
    "snapshot that counts to 2^31": (file(f"{1:020d}.snapshot", len(SNAPSHOT), SNAPSHOT), "KF0703"),
    "snapshot": (file(f"{1:020d}.snapshot", 8 * GIB, SNAPSHOT), "a producer snapshot of 8589934592 bytes"),
    "epochs that count to 10^9": (file(EPOCHS, 20, b"0\n1000000000\n0 0\n   "), "KF0801"),
    "epochs": (file(EPOCHS, 8 * GIB, b"0\n1000000000\n0 0\n"), "text of 8589934592 bytes"),
    "metadata": (file("partition.metadata", 8 * GIB, b"version: 0\n"), "text of 8589934592 bytes"),
    "many messages in one": (wrapper, ""),
}

VERBS = ("check --severity info", "ls", "stats --records", "find --offset 5")


@pytest.mark.long
@pytest.mark.parametrize("name", BOMBS)
def test_what_asks_for_much_gets_an_answer(name: str, zygote: Zygote, tmp_path: Path) -> None:
    make, words = BOMBS[name]
    path = make(tmp_path)
    assert sum(item.stat().st_blocks * 512 for item in tmp_path.rglob("*")) < 16 << 20
    for verb in VERBS[: 1 if name.startswith(("zip", "many")) else None]:
        found = zygote.run([*verb.split(), path])
        said = (found.stdout + found.stderr).decode("utf-8", "replace")
        assert found.status in (0, 1, 3) and "not enough memory" not in said, (verb, said)
        assert words in said or not verb.startswith("check")
