"""Bytes of a file that somebody else may change: what was asked for and is not there any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from kformat.storage.byte_source import ByteSource


@pytest.mark.parametrize(("left", "expected"), [(4096, True), (4095, False), (100, False), (0, False)])
def test_zeros_that_are_gone_are_none(tmp_path: Path, left: int, expected: bool) -> None:
    path = tmp_path / "zeros"
    path.write_bytes(bytes(4096))
    with ByteSource(path) as source:
        assert source.is_zero(0) and source.is_zero(4096)
        with path.open("r+b") as file:
            file.truncate(left)
        assert source.is_zero(50) is expected


def test_a_file_that_became_shorter_gives_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"0123456789")
    with ByteSource(path) as source:
        path.write_bytes(b"0123")
        room = bytearray(10)
        assert source.read_at(2, 6) == b"23"
        assert source.read_into(2, memoryview(room)) == 2 and room[:3] == b"23\0"
