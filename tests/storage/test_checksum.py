"""Checksums against published check values, Kafka's own batches, and a bit-by-bit computation."""

from __future__ import annotations

import importlib
import itertools
import mmap
import random
import struct
import sys
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kformat import kernels
from kformat.errors import UsageError
from kformat.storage import checksum
from kformat.storage.algorithms import algorithm_of
from kformat.storage.checksum import crc32c_of_parts

# A magic-2 batch by Kafka's MemoryRecordsBuilder: two records, uncompressed.
BATCH = bytes.fromhex(
    "0000000000000000000000450000000202fa89176000000000000100000000000003e800000000000003e9ffffffffffffffff"
    "ffffffffffff0000000218000000026b027602026802780c000202010100"
)
BATCH_CRC, BATCH_CRC_COVERS = 0xFA891760, slice(21, None)

KINDS: dict[str, Callable[[bytes], Any]] = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "writable memoryview": lambda data: memoryview(bytearray(data)),
    "slice of a memoryview": lambda data: memoryview(b"xx" + data + b"yyy")[2 : 2 + len(data)],
    "signed memoryview": lambda data: memoryview(data).cast("b"),
    "numpy": lambda data: np.frombuffer(data, np.uint8),
    "writable numpy": lambda data: np.frombuffer(data, np.uint8).copy(),
}


def bitwise(data: bytes, polynomial: int) -> int:
    """The definition of a reflected 32-bit CRC, one bit at a time."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (polynomial if register & 1 else 0)
    return register ^ 0xFFFFFFFF


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("crc32c", b"", 0),
        ("crc32c", b"123456789", 0xE3069283),
        ("crc32c", bytes(32), 0x8A9136AA),  # RFC 3720, B.4
        ("crc32c", b"\xff" * 32, 0x62A8AB43),
        ("crc32c", bytes(range(32)), 0x46DD794E),
        ("crc32c", BATCH[BATCH_CRC_COVERS], BATCH_CRC),
        ("crc32", b"", 0),
        ("crc32", b"123456789", 0xCBF43926),
    ],
)
def test_known_values(kind: str, name: str, data: bytes, expected: int) -> None:
    found = algorithm_of(name).compute(KINDS[kind](data))
    assert found == expected
    assert type(found) is int


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_equals_the_definition(data: bytes) -> None:
    assert checksum.crc32c(data) == bitwise(data, 0x82F63B78)
    assert checksum.crc32(data) == bitwise(data, 0xEDB88320)


def test_slices_of_a_memory_map(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before" + BATCH)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        whole = memoryview(mapped)
        part = whole[len(b"before") + BATCH_CRC_COVERS.start :]
        assert checksum.crc32c(part) == BATCH_CRC
        assert checksum.crc32(part) == zlib.crc32(BATCH[BATCH_CRC_COVERS])
        # A view that stayed behind would keep the map from closing.
        part.release()
        whole.release()


@pytest.mark.parametrize("name", ["crc32", "crc32c"])
@pytest.mark.parametrize("wrong", ["text", 5, None, memoryview(b"123456")[::2], np.arange(12, dtype=np.uint8)[::3]])
def test_what_is_no_contiguous_buffer_is_refused(name: str, wrong: Any) -> None:
    with pytest.raises(UsageError, match="contiguous buffer"):
        algorithm_of(name).compute(wrong)


def test_works_without_the_c_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google_crc32c.cext", None)
    monkeypatch.delattr(google_crc32c, "cext", raising=False)
    monkeypatch.delitem(sys.modules, "google_crc32c")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            slow = importlib.reload(checksum)
        assert slow.google_crc32c.implementation == "python"
        for make in KINDS.values():
            assert slow.crc32c(make(BATCH[BATCH_CRC_COVERS])) == BATCH_CRC
    finally:
        monkeypatch.undo()
        importlib.reload(checksum)
    assert vars(checksum)["google_crc32c"] is google_crc32c


def test_checksums_of_parts() -> None:
    data = np.frombuffer(bytes(range(256)) * 10, np.uint8)
    starts, ends = np.array([0, 5, 100, 2560, 7]), np.array([0, 2560, 1000, 2560, 8])
    expected = [
        checksum.crc32c(bytes(data[start:end])) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    found = checksum.crc32c_of_parts(data, starts, ends)
    assert (found.dtype, found.tolist()) == (np.dtype("u4"), expected)


def test_parts_are_summed_up_by_a_kernel_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(3)
    data = np.frombuffer(chance.randbytes(100_000), np.uint8)
    pairs = sorted((chance.randrange(100_001), chance.randrange(100_001)) for _ in range(500))
    starts = np.array([min(pair) for pair in pairs] + [0, 100_000])
    ends = np.array([max(pair) for pair in pairs] + [0, 100_000])
    expected = crc32c_of_parts(data, starts, ends)
    assert kernels.checksums(data, starts, ends).tolist() == expected.tolist()
    assert kernels._address_of_sum() is not None, "google-crc32c does not show its function any more"
    monkeypatch.setattr(kernels, "_address_of_sum", lambda: None)
    assert kernels.checksums(data, starts, ends).tolist() == expected.tolist()


def test_headers_are_sealed_with_and_without_the_librarys_own_function(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(4)
    data = np.frombuffer(bytearray(chance.randbytes(5000)), np.uint8)
    edges = np.array([0, 9, 700, 4711])
    headers = np.frombuffer(chance.randbytes(27), np.uint8)
    found = []
    for address in (kernels._address_of_sum(), None):
        monkeypatch.setattr(kernels, "_address_of_sum", lambda address=address: address)
        sealed = data.copy()
        kernels.seal(sealed, edges, headers, 7, 3)
        found.append(sealed.tobytes())
    whole = bytearray(data)
    for number, (start, end) in enumerate(itertools.pairwise(edges.tolist())):
        whole[start : start + 9] = headers[9 * number : 9 * number + 9].tobytes()
        whole[start + 3 : start + 7] = struct.pack(">I", checksum.crc32c(bytes(whole[start + 7 : end])))
    assert found == [bytes(whole)] * 2


def test_parts_that_do_not_lie_in_the_data_are_not_read() -> None:
    data = np.frombuffer(b"123456789", np.uint8)
    assert kernels.checksums(data, np.array([0, 3, 0]), np.array([9, 2, 1000])).tolist() == [0xE3069283, 0, 0xE3069283]
