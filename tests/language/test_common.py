"""Declarations that Kaitai's library has below `/common/`: found without being copied, and with its values."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.errors import DataError, DeclarationError
from tests.judges.kaitai import KAITAI
from tests.judges.required import require
from tests.language.beside_kaitai import class_of, compared, compile_all

COMMON = Path(__file__).resolve().parents[2] / "formats" / "common"


def one_of(name: str, use: str = "") -> Any:
    text = f'meta: {{id: one, imports: [/common/{name}]}}\nseq: [{{id: it, type: "{use or name}"}}]'
    return kformat.parse_declaration(text)


def groups_of(number: int) -> bytes:
    """Seven bits in each byte, least significant first, without the bits that say that another one follows."""
    return bytes(number >> 7 * at & 127 for at in range(max(1, -(-number.bit_length() // 7))))


def linked(groups: bytes) -> bytes:
    return bytes([*(group | 128 for group in groups[:-1]), groups[-1]])


NUMBERS = [0, 1, 127, 128, 300, (1 << 56) - 1, 1 << 62, (1 << 63) + 5, (1 << 64) - 1]


def test_numbers_of_variable_length() -> None:
    little, big = one_of("vlq_base128_le"), one_of("vlq_base128_be")
    for number in NUMBERS:
        data = linked(groups_of(number))
        value = kformat.parse(little, data)
        assert (value.it.value, value.it.len) == (number, len(data))
        assert kformat.build(little, value) == data
        signed = number - (number >> 7 * len(data) - 1 << 7 * len(data) if len(data) < 10 else number >> 63 << 64)
        assert value.it.value_signed == signed
        if number < 1 << 56:
            assert kformat.parse(big, linked(groups_of(number)[::-1])).it.value == number
    for data in (b"\x80" * 10 + b"\0", b"\x80" * 9 + b"\2", b"\x80"):
        with pytest.raises(DataError):
            kformat.parse(little, data)


def test_dates_and_digits() -> None:
    when = kformat.parse(one_of("dos_datetime"), bytes.fromhex("21542158")).it
    assert (when.date.year, when.date.month, when.date.day) == (2024, 1, 1)
    assert (when.time.padded_hour, when.time.padded_minute, when.time.padded_second) == ("10", "33", "02")
    for use, data, number in (
        ("bcd(4, 4, false)", "1234", 1234),
        ("bcd(4, 4, true)", "4321", 1234),
        ("bcd(3, 8, false)", "010203", 123),
    ):
        assert kformat.parse(one_of("bcd", use), bytes.fromhex(data)).it.as_int == number
    assert kformat.parse(one_of("bytes_with_io"), b"ab").it._io.size == 2


def test_files_of_ones_own_come_first(tmp_path: Path) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "bcd.ksy").write_text("meta: {id: bcd}\nseq: [{id: own, type: u1}]")
    (tmp_path / "one.ksy").write_text("meta: {id: one, imports: [/common/bcd]}\nseq: [{id: it, type: bcd}]")
    assert kformat.parse(tmp_path / "one.ksy", b"\7").it.own == 7
    with pytest.raises(DeclarationError, match="'/common/nothing' is neither"):
        one_of("nothing")


@pytest.mark.judge
def test_kaitais_compiler_takes_them(tmp_path: Path) -> None:
    """And its classes read the same values, on right and on random bytes."""
    require(KAITAI)
    names = ["vlq_base128_le", "vlq_base128_be", "dos_datetime"]
    compile_all([COMMON / f"{name}.ksy" for name in (*names, "bcd", "bytes_with_io")], tmp_path)
    chance = random.Random(1)
    for name in names:
        kind, declaration = class_of(name, tmp_path), kformat.load_declaration(COMMON / f"{name}.ksy")
        read = 0
        for number in range(300):
            data = chance.randbytes(chance.randrange(12)) if number % 2 else linked(groups_of(chance.getrandbits(40)))
            found = compared(declaration, data, kind, lambda ours, other: isinstance(other, EOFError), "keep")
            assert found.difference is None, (name, data.hex(), found)
            read += found.is_read
        assert read > 20, name
