"""What each target begins with: the corpus, the shipped declarations, and small archives of them."""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from kformat.corpus import corpus_entries
from kformat.errors import DataError
from kformat.kafka.batch.batches import iter_batches
from tests.fuzz.targets import FORMATS, KERNELS, MENDED, SIDECARS, packed

ROOT: Final = Path(__file__).resolve().parents[2]
MOST_BYTES: Final = 16 << 10
_SEED: Final = 7


def seeds(target: str, most: int) -> list[bytes]:
    """The inputs for a target, so many at most, of all there are; none is longer than `MOST_BYTES`."""
    found = [data for data in _GIVEN[target]() if len(data) <= MOST_BYTES]
    return found[:: -(-len(found) // most)]


@cache
def _folders() -> list[dict[str, bytes]]:
    found: dict[str, dict[str, bytes]] = defaultdict(dict)
    for entry in corpus_entries(_SEED, damage=True):
        folder, _, file = entry.file.path.rpartition("/")
        found[folder][file] = entry.file.data
    return list(found.values())


def _parse_and_build() -> Iterator[bytes]:
    by_suffix = {"index": "offset_index", "timeindex": "time_index", "txnindex": "transaction_index"}
    for folder in _folders():
        for file, data in folder.items():
            suffix = file.rpartition(".")[2]
            if suffix == "log":
                try:
                    for batch in iter_batches(data):
                        format = "record_batch" if batch.magic >= 2 else "legacy_message"
                        yield bytes([FORMATS.index(format)]) + batch.raw
                except DataError:
                    pass
            elif suffix in by_suffix or suffix == "snapshot":
                yield bytes([FORMATS.index(by_suffix.get(suffix, "producer_snapshot"))]) + data


def _partition_folder() -> Iterator[bytes]:
    for folder in _folders():
        data = packed(folder)
        yield data
        if data:
            yield bytes([data[0] | MENDED]) + data[1:]


def _texts() -> list[str]:
    blocks = (ROOT / "tests/declarations/complaints.txt").read_text(encoding="utf-8").split("\n== ")
    files = [*(ROOT / "formats").glob("*.ksy"), *(ROOT / "tests/declarations").glob("*.ksy")]
    return [path.read_text(encoding="utf-8") for path in sorted(files)] + [
        block.partition("\n")[2].rpartition("\n-- ")[0] + "\n" for block in blocks
    ]


def _declarations() -> Iterator[bytes]:
    for text in _texts():
        yield text.encode() + b"\0" + bytes(range(40))


def _expressions() -> Iterator[bytes]:
    for text in _texts():
        for found in re.findall(r"(?:size|if|repeat-expr|expr|-derive|value): *(.+)$", text, re.MULTILINE):
            yield found.strip("'\"").encode()
    yield from (
        b"a + b.c * 2 - (a << 1) % 3",
        b"a > 0 and not (b.c == 2 or a != -1) ? a / 3 : ~a ^ 0x7f & 0b11 | 1_000",
    )


def _text_files() -> Iterator[bytes]:
    for number, name in enumerate(SIDECARS):
        for path in [*(ROOT / "samples").rglob(name)][:20]:
            yield bytes([number]) + path.read_bytes()
    yield bytes([5]) + b'{"clusterId":"","leaderId":1,"leaderEpoch":2,"votedId":-1,"currentVoters":[{"voterId":1}]}'


def _archives() -> Iterator[bytes]:
    for folder in _folders()[:10]:
        tar_bytes, zip_bytes = io.BytesIO(), io.BytesIO()
        with tarfile.open(fileobj=tar_bytes, mode="w") as tar, zipfile.ZipFile(zip_bytes, "w", 8) as pressed:
            for file, data in folder.items():
                item = tarfile.TarInfo(f"orders-0/{file}")
                item.size = len(data)
                tar.addfile(item, io.BytesIO(data))
                pressed.writestr(f"orders-0/{file}", data)
        yield tar_bytes.getvalue()
        yield zip_bytes.getvalue()


def _kernels() -> Iterator[bytes]:
    for data in _parse_and_build():
        format = FORMATS[data[0]]
        if format in KERNELS:
            yield bytes([KERNELS.index(format), 2]) + data[1:]
        if format == "record_batch":
            yield bytes([KERNELS.index("record_batch::record"), 255]) + data[62:]


_GIVEN: Final = {
    "parse_and_build": _parse_and_build,
    "partition_folder": _partition_folder,
    "declarations": _declarations,
    "expressions": _expressions,
    "text_files": _text_files,
    "archives": _archives,
    "kernels_and_codec": _kernels,
}
