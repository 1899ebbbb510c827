"""Checksums by name: against the catalogue's check values, a library of another author, and RFCs' examples."""

from __future__ import annotations

import binascii
import hashlib
import re
import zlib
from typing import Any

import crccheck
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kformat.errors import UsageError
from kformat.kernels import crcs, sums
from kformat.storage import crc as module
from kformat.storage.algorithms import algorithm_of, canonical_name, known_names, name_of_crc
from kformat.storage.crc import Crc, by_table
from kformat.storage.crc_catalogue import catalogue
from kformat.storage.sums import SUMS
from tests.draws import at_most

CHECK = b"123456789"


@pytest.mark.parametrize("name", catalogue())
def test_crcs_of_the_catalogue_give_their_check_values(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    crc, expected = catalogue()[name]
    assert algorithm_of(name).compute(CHECK) == expected and algorithm_of(name).bits == crc.width
    assert by_table(crc, memoryview(CHECK)) == expected
    monkeypatch.setattr(module, "anycrc", None)
    assert crc.function()(bytearray(CHECK)) == expected
    if crc.width <= 64:
        starts, ends = np.array([2, 0, 5]), np.array([11, 0, 5])
        found = crcs(crc, np.frombuffer(b"??" + CHECK, np.uint8), starts, ends)
        assert found.tolist() == [expected, *[algorithm_of(name).compute(b"")] * 2]


def test_crcs_of_the_catalogue_are_those_of_another_library() -> None:
    for theirs in crccheck.crc.ALLCRCCLASSES:
        for spelling in theirs._names:
            crc = algorithm_of(spelling).crc
            assert crc is not None, spelling
            data = bytes(range(100))
            assert algorithm_of(spelling).compute(data) == theirs.calc(data), spelling


@given(st.data())
@settings(max_examples=at_most(100))
def test_crcs_of_any_parameters(data: Any) -> None:
    width = data.draw(st.integers(1, 64))
    number = st.integers(0, (1 << width) - 1)
    crc = Crc(
        width,
        data.draw(number),
        data.draw(number),
        data.draw(st.booleans()),
        data.draw(st.booleans()),
        data.draw(number),
    )
    content = data.draw(st.binary(max_size=40))
    theirs = crccheck.crc.Crc(width, crc.poly, crc.init, crc.refin, crc.refout, crc.xorout)
    expected = theirs.process(content).final() if width >= 8 else by_table(crc, memoryview(content))
    assert by_table(crc, memoryview(content)) == expected
    assert crc.function()(content) == expected
    assert algorithm_of(name_of_crc(crc)).compute(content) == expected
    found = crcs(crc, np.frombuffer(content, np.uint8), np.array([0]), np.array([len(content)]))
    assert found.tolist() == [expected]


SPELLINGS = {
    "CRC-16/IBM-3740": (
        "CRC-16/IBM-3740",
        "crc_16_ibm_3740",
        "crc16_ccitt_false",
        "CRC-16/CCITT-FALSE",
        "CRC16-AUTOSAR",
    ),
    "CRC-16/MODBUS": ("modbus", "crc16modbus", "CRC-16/MODBUS"),
    "crc32": ("crc32", "CRC-32", "crc-32/iso-hdlc", "PKZIP"),
    "crc32c": ("crc32c", "CRC-32C", "crc_32_castagnoli", "CRC-32/ISCSI"),
    "twos_complement_sum8": ("lrc", "TWOS-COMPLEMENT-SUM8"),
    "sha256": ("SHA-256", "sha256"),
    "internet": ("internet", "RFC 1071"),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_name_may_be_spelled_as_anybody_spells_it(name: str) -> None:
    assert {canonical_name(spelling) for spelling in SPELLINGS[name]} == {name}
    assert {algorithm_of(spelling).name for spelling in SPELLINGS[name]} == {name}


def test_all_names_are_known_by_themselves() -> None:
    assert all(canonical_name(name) is not None for name in known_names())
    assert all(canonical_name(name) == name for name in SUMS)
    with pytest.raises(UsageError, match="no checksum 'crc17_x' is known"):
        algorithm_of("crc17_x")


def test_parameters_of_a_known_crc_have_its_name() -> None:
    assert name_of_crc(Crc(16, 0x1021, 0xFFFF)) == "CRC-16/IBM-3740"
    assert name_of_crc(Crc(32, 0x04C11DB7, 0xFFFFFFFF, True, True, 0xFFFFFFFF)) == "crc32"
    assert name_of_crc(Crc(16, 0x1021, 0x1234)) == "crc(16, 0x1021, 0x1234, false, false, 0x0)"
    for wrong in (Crc(0, 0), Crc(200, 1), Crc(8, 0x100), Crc(8, 7, -1), Crc(8, 7, xorout=256)):
        with pytest.raises(UsageError):
            name_of_crc(wrong)


EXAMPLES = {  # Fletcher's: https://en.wikipedia.org/wiki/Fletcher%27s_checksum; of RFC 1071: its section 3
    ("fletcher16", b"abcde"): 0xC8F0,
    ("fletcher16", b"abcdefgh"): 0x0627,
    ("fletcher32", b"abcde"): 0xF04FC729,
    ("fletcher32", b"abcdefgh"): 0xEBE19591,
    ("fletcher64", b"abcde"): 0xC8C6C527646362C6,
    ("fletcher64", b"abcdefgh"): 0x312E2B28CCCAC8C6,
    ("adler32", b"Wikipedia"): 0x11E60398,
    ("internet", bytes.fromhex("0001f203f4f5f6f7")): 0xDDF2 ^ 0xFFFF,
    ("internet", bytes.fromhex("450000730000400040110000c0a80001c0a800c7")): 0xB861,
    ("sum8", CHECK): 0xDD,
    ("twos_complement_sum8", CHECK): 0x23,
    ("ones_complement_sum8", CHECK): 0x22,
    ("xor8", CHECK): 0x31,
    ("sum16le", b"\1\2\3"): 0x0204,
    ("sum16be", b"\1\2\3"): 0x0402,
    ("bsd_sum", b"123456789abcdefgh"): 45726,  # by `sum -r`
    ("sysv_sum", b"123456789abcdefgh"): 1281,  # by `sum -s`
    ("fletcher16_mod256", bytes.fromhex("0604040000000200")): 0x6810,  # of u-blox's UBX-CFG-RST
}


@pytest.mark.parametrize(("name", "data"), EXAMPLES)
def test_sums_give_what_their_definitions_show(name: str, data: bytes) -> None:
    assert algorithm_of(name).compute(data) == EXAMPLES[name, data]


def plainly(name: str, data: bytes) -> int:
    """The same, a word at a time."""
    bits, size = SUMS[name][0], 1
    if name.endswith(("le", "be")):
        size = bits // 8
    order = "big" if name.endswith("be") else "little"
    words = [int.from_bytes((data + bytes(8))[at : at + size], order) for at in range(0, len(data), size)]  # type: ignore[arg-type]
    if name.startswith("xor"):
        total = 0
        for word in words:
            total ^= word
        return total
    sign, more = {"t": (-1, 0), "o": (-1, -1), "s": (1, 0)}[name[0]]
    return (sign * sum(words) + more) % (1 << bits)


@given(st.binary(max_size=60) | st.binary(min_size=200, max_size=400))
@example(b"\xff" * 5000)
@settings(max_examples=at_most(30))
def test_sums_of_words(data: bytes) -> None:
    for name in SUMS:
        if name.startswith("xor") or re.fullmatch(r"(\w+s_complement_)?sum\d+(le|be)?", name):
            assert algorithm_of(name).compute(data) == plainly(name, data), name
    for name, size, modulus in (("fletcher16", 1, 255), ("fletcher32", 2, 0xFFFF), ("fletcher64", 4, 0xFFFFFFFF)):
        first = second = 0
        for at in range(0, len(data), size):
            first = (first + int.from_bytes((data + bytes(8))[at : at + size], "little")) % modulus
            second = (second + first) % modulus
        assert algorithm_of(name).compute(data) == second << 8 * size | first
    assert algorithm_of("adler32").compute(data) == zlib.adler32(data)
    assert algorithm_of("sha1").compute(data) == hashlib.sha1(data).digest()
    starts = np.array([0, min(3, len(data)), len(data)])
    for name, known in SUMS.items():
        found = sums(known, np.frombuffer(data, np.uint8), starts, np.array([len(data)] * 3))
        assert found.tolist() == [algorithm_of(name).compute(data[start:]) for start in starts.tolist()], name
    assert algorithm_of("CRC-16/XMODEM").compute(data) == binascii.crc_hqx(data, 0)
