"""Compression: Kafka's bytes in and out, what Kafka's readers refuse, and payloads made to do harm."""

from __future__ import annotations

import gzip
import os
import pickle
import random
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import cramjam
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kformat.errors import CompressionError, DataError, LimitError, UsageError
from kformat.kafka.batch.compression import (
    CODEC_NAMES,
    GZIP,
    LZ4,
    NONE,
    SNAPPY,
    ZSTD,
    compress,
    decompress,
    decompress_into,
)
from kformat.storage import compression
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from tests.draws import at_most
from tests.judges import java_tools, releases
from tests.judges.required import require
from tests.peak import ROOT

CODECS = [GZIP, SNAPPY, LZ4, ZSTD]
MIB = 1 << 20

# Two records as Kafka's MemoryRecordsBuilder (JDK 17) writes and compresses them.
RECORDS = bytes.fromhex("18000000026b027602026802780c000202010100")
KAFKA_PAYLOADS = {
    NONE: RECORDS,
    GZIP: bytes.fromhex(
        "1f8b08000000000000ff9360606060ca662a6362ca60aae06160626264640000002c49ba14000000",
    ),
    SNAPPY: bytes.fromhex(
        "82534e4150505900000000010000000100000016144c18000000026b027602026802780c000202010100",
    ),
    LZ4: bytes.fromhex("04224d186040821400008018000000026b027602026802780c00020201010000000000"),
    ZSTD: bytes.fromhex("28b52ffd0058a0000018000000026b027602026802780c000202010100010000"),
}
# Message sets of two messages as Kafka wraps them in magic 0 and 1: codec, magic, wrapper value, message set.
V0_SET = bytes.fromhex(
    "0000000000000005000000101fecd70a0000000000016b000000017600000000000000060000000fa50b8f630000ffffffff0000000177"
)
# Magic 1 counts offsets from the wrapper: 0 and 1.
V1_SET = bytes.fromhex(
    "000000000000000000000018e4e321bc010000000000000003e8000000016b0000000176"
    "00000000000000010000001791733702010000000000000003e9ffffffff0000000177"
)
WRAPPERS = [
    (
        GZIP,
        0,
        "1f8b08000000000000ff63600003562016907f739d0bcc63cc0611651029063620e65fcadd9fccc0f01f084052e500c30e9987370000"
        "00",
    ),
    (
        GZIP,
        1,
        "1f8b08000000000000ff6360800389278f15f7304239cc2f800463368828830a81a4c427169b33c1d5bcfc0f0420997200ab2418c147"
        "000000",
    ),
    (
        LZ4,
        0,
        "04224d1860401a32000000120001009105000000101fecd70a0f0071016b00000001760c00f0070000060000000fa50b8f630000ffff"
        "ffff000000017700000000",
    ),
    (
        LZ4,
        1,
        "04224d186040823500000016000100"
        "6318e4e321bc0110007003e8000000016b050013761300001b005017917337020900000200b003e9ffffffff000000017700000000",
    ),
]

TEXT = b"".join(b'{"id": %d, "user": "ann", "amount": %d}' % (i, i * i % 977) for i in range(5_000))
SAMPLES = {
    "empty": b"",
    "one byte": b"x",
    "records": RECORDS,
    "text": TEXT,
    "zeros": bytes(300_000),
    "noise": random.Random(1).randbytes(150_000),
}


# --- Kafka's bytes


@pytest.mark.parametrize("codec", KAFKA_PAYLOADS)
def test_kafkas_own_payloads_are_read_and_written(codec: int) -> None:
    assert decompress(codec, KAFKA_PAYLOADS[codec]) == RECORDS
    if codec != GZIP:
        # So short a payload leaves the compressors no choice, so here everything is framing.
        assert compress(codec, RECORDS) == KAFKA_PAYLOADS[codec]


@pytest.mark.parametrize(("codec", "magic", "wrapped"), WRAPPERS)
def test_kafkas_wrapper_messages_are_read(codec: int, magic: int, wrapped: str) -> None:
    assert decompress(codec, bytes.fromhex(wrapped), magic=magic) == (V1_SET if magic else V0_SET)
    assert compress(codec, V1_SET if magic else V0_SET, magic=magic)[:7] == bytes.fromhex(wrapped)[:7]


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_framing_written_is_kafkas(sample: str) -> None:
    data = SAMPLES[sample]
    zipped = compress(GZIP, data)
    assert zipped[:10].hex() == "1f8b08000000000000ff"
    assert zipped[-8:] == zlib.crc32(data).to_bytes(4, "little") + len(data).to_bytes(4, "little")

    snapped = compress(SNAPPY, data)
    assert snapped[:16].hex() == "82534e41505059000000000100000001"
    blocks = []
    position = 16
    while position < len(snapped):
        size = int.from_bytes(snapped[position : position + 4], "big")
        blocks.append(bytes(cramjam.snappy.decompress_raw(snapped[position + 4 : position + 4 + size])))
        position += 4 + size
    assert position == len(snapped)
    assert b"".join(blocks) == data
    assert all(len(block) == 32 * 1024 for block in blocks[:-1])

    for magic, checksum in ((0, 0x1A), (1, 0x82), (2, 0x82)):
        framed = compress(LZ4, data, magic=magic)
        assert framed[:4].hex() == "04224d18"
        assert framed[4] == 0x60, "version 1, independent blocks, no block checksum, no content size or checksum"
        assert framed[5] == 0x40, "blocks of at most 64 KiB"
        assert framed[6] == checksum
        sizes = []
        position = 7
        while word := int.from_bytes(framed[position : position + 4], "little"):
            sizes.append(word & 0x7FFFFFFF)
            position += 4 + sizes[-1]
        assert position + 4 == len(framed)
        assert len(sizes) == -(-len(data) // 65536)
        if sample == "noise":
            assert sizes[0] == 65536, "stored, because compressing would not make it smaller"

    streamed = compress(ZSTD, data)
    assert streamed[:6].hex() == ("28b52ffd0058" if data else "28b52ffd2000")
    assert streamed[-3:].hex() == "010000"


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize(
    ("codec", "level"),
    [
        *((codec, None) for codec in (NONE, *CODECS)),
        *((GZIP, level) for level in (-1, 1, 9)),
        *((LZ4, level) for level in (1, 2, 9, 12, 17)),
        *((ZSTD, level) for level in (-131072, -5, 1, 22)),
    ],
)
def test_round_trip(codec: int, level: int | None, sample: str) -> None:
    data = SAMPLES[sample]
    assert decompress(codec, compress(codec, data, level=level)) == data


def test_levels_matter() -> None:
    assert len(compress(GZIP, TEXT, level=9)) < len(compress(GZIP, TEXT, level=1))
    # 9 is the fast compressor, and the default.
    assert len(compress(LZ4, TEXT, level=12)) < len(compress(LZ4, TEXT, level=8)) < len(compress(LZ4, TEXT, level=9))
    assert compress(LZ4, TEXT, level=9) == compress(LZ4, TEXT)
    assert len(compress(ZSTD, TEXT, level=19)) < len(compress(ZSTD, TEXT, level=-5))


@settings(deadline=None)
@given(st.binary(max_size=2_000), st.sampled_from(CODECS), st.integers(0, 2))
def test_round_trip_of_anything(data: bytes, codec: int, magic: int) -> None:
    magic = 2 if codec == ZSTD else magic
    assert decompress(codec, compress(codec, data, magic=magic), magic=magic) == data


@pytest.mark.parametrize("codec", [NONE, *CODECS])
@pytest.mark.parametrize("kind", [bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8)])
def test_any_buffer_will_do(codec: int, kind: type) -> None:
    assert decompress(codec, kind(compress(codec, kind(TEXT)))) == TEXT
    assert decompress(codec, memoryview(b"..." + compress(codec, TEXT) + b"....")[3:-4]) == TEXT
    assert type(decompress(codec, kind(KAFKA_PAYLOADS[codec]))) is bytes


def test_other_readers_read_what_is_written() -> None:
    assert gzip.decompress(compress(GZIP, TEXT)) == TEXT
    assert bytes(cramjam.lz4.decompress(compress(LZ4, TEXT))) == TEXT
    assert bytes(cramjam.zstd.decompress(compress(ZSTD, TEXT))) == TEXT


def test_aiokafka_reads_and_is_read() -> None:
    import aiokafka.codec as peer

    for data in SAMPLES.values():
        assert peer.gzip_decode(compress(GZIP, data)) == data
        # Its reader takes the header of a stream without blocks for a raw block.
        assert not data or peer.snappy_decode(compress(SNAPPY, data)) == data
        assert peer.lz4_decode(compress(LZ4, data)) == data
        assert peer.zstd_decode(compress(ZSTD, data)) == data
        assert decompress(GZIP, peer.gzip_encode(data)) == data
        assert decompress(SNAPPY, peer.snappy_encode(data)) == data
        assert decompress(SNAPPY, peer.snappy_encode(data, xerial_compatible=False)) == data
        assert decompress(LZ4, peer.lz4_encode(data)) == data
        assert decompress(ZSTD, peer.zstd_encode(data)) == data


# --- What Kafka's readers accept and refuse

LZ4_BLOCK = KAFKA_PAYLOADS[LZ4][7:-4]
SIZE_FIELD = len(RECORDS).to_bytes(8, "little")


def lz4_frame(
    flags: int = 0x60,
    descriptor: int = 0x40,
    *,
    extra: bytes = b"",
    checksum: int | None = None,
    blocks: bytes = LZ4_BLOCK,
    tail: bytes = bytes(4),
) -> bytes:
    head = bytes((flags, descriptor)) + extra
    if checksum is None:
        checksum = compression.lz4_header_checksum(head)
    return bytes.fromhex("04224d18") + head + bytes((checksum,)) + blocks + tail


def with_block_checksums(data: bytes) -> bytes:
    writer = cramjam.lz4.Compressor(level=0, content_checksum=False, block_linked=False)
    writer.compress(data)
    return bytes(writer.finish())


@pytest.mark.parametrize(
    ("data", "checksum"),
    [(b"", 0x5D), (b"a", 0x74), (b"abc", 0x53), (bytes.fromhex("6040"), 0x82), (bytes.fromhex("04224d186040"), 0x1A)],
)
def test_lz4_header_checksum(data: bytes, checksum: int) -> None:
    assert compression.lz4_header_checksum(data) == checksum


@settings(deadline=None)
@given(st.integers(1, 2**64 - 1))  # 0 is "unknown"
def test_lz4_header_checksum_over_a_content_size(size: int) -> None:
    # The LZ4 library verifies this byte before it looks at anything else.
    frame = lz4_frame(0x68, extra=size.to_bytes(8, "little"))
    broken = bytearray(frame)
    broken[14] ^= 1
    with pytest.raises(cramjam.DecompressionError, match="headerChecksum"):
        cramjam.lz4.decompress(bytes(broken))
    if size == len(RECORDS):
        assert bytes(cramjam.lz4.decompress(frame)) == RECORDS
    else:
        with pytest.raises(cramjam.DecompressionError, match="frameSize"):
            cramjam.lz4.decompress(frame)


@pytest.mark.parametrize(
    "frame",
    [
        lz4_frame(0x68, extra=SIZE_FIELD),
        pytest.param(lz4_frame(0x68, extra=bytes(7) + b"\x80"), id="a content size of nonsense is skipped"),
        pytest.param(lz4_frame(0x64, tail=bytes(4) + b"junk"), id="a wrong content checksum is not verified"),
        pytest.param(lz4_frame(tail=bytes(4) + b"more"), id="what follows the end mark is ignored"),
        pytest.param(lz4_frame() + lz4_frame(), id="so is a second frame"),
        pytest.param(lz4_frame(tail=bytes.fromhex("00000080")), id="an end mark with the bit of stored blocks"),
        *(lz4_frame(0x60, block_size << 4) for block_size in (4, 5, 6, 7)),
        with_block_checksums(RECORDS),
    ],
)
def test_lz4_frames_that_kafka_reads(frame: bytes) -> None:
    assert decompress(LZ4, frame) == RECORDS
    assert decompress(LZ4, frame, magic=0) == RECORDS


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (b"", "ends within the magic number"),
        (lz4_frame()[:6], "ends within the frame header"),
        (b"\x05" + lz4_frame()[1:], "no frame"),
        (lz4_frame(0x40), "dependent blocks are not supported"),
        (lz4_frame(0x20), "unsupported version"),
        (lz4_frame(0xA0), "unsupported version"),
        (lz4_frame(0x61, extra=bytes(4)), "reserved bits are set"),
        (lz4_frame(0x62), "reserved bits are set"),
        (lz4_frame(0x60, 0x41), "reserved bits are set"),
        (lz4_frame(0x60, 0xC0), "reserved bits are set"),
        (lz4_frame(0x60, 0x30), "unsupported block size"),
        (lz4_frame(checksum=0x1A), "the header checksum differs"),
        (lz4_frame(blocks=(65537).to_bytes(4, "little") + bytes(65537)), "a block is too large"),
        (lz4_frame(blocks=(65537 | 1 << 31).to_bytes(4, "little") + bytes(65537)), "a block is too large"),
        (lz4_frame(tail=b""), "ends within a block's size"),
        (lz4_frame(tail=b"", blocks=LZ4_BLOCK[:-1]), "ends within a block"),
        (lz4_frame(0x64), "ends within the content checksum"),
        (lz4_frame(0x70, blocks=LZ4_BLOCK + b"abcd"), "hecksum"),
        # One literal and a match that reaches back before the block.
        (lz4_frame(blocks=bytes.fromhex("0900000010610500" + "50" + "6262626262")), "lz4"),
    ],
)
def test_lz4_frames_that_kafka_refuses(frame: bytes, message: str) -> None:
    with pytest.raises(CompressionError, match=message):
        decompress(LZ4, frame)


def test_lz4_blocks_may_not_refer_to_earlier_ones_even_under_a_flag_that_denies_it() -> None:
    writer = cramjam.lz4.Compressor(level=0, content_checksum=False, block_linked=True)
    writer.compress(random.Random(2).randbytes(40_000) * 4)
    linked = bytes(writer.finish())
    assert not linked[4] & 0x20
    with pytest.raises(CompressionError, match="dependent"):
        decompress(LZ4, linked)
    with pytest.raises(CompressionError, match="lz4"):
        decompress(LZ4, lz4_frame(linked[4] | 0x20, linked[5], blocks=linked[7:], tail=b""))


@pytest.mark.parametrize("magic", [0, 1, 2])
@pytest.mark.parametrize("checksum", [0x1A, 0x82, 0x00])
def test_lz4_header_checksum_is_verified_from_magic_1_on(magic: int, checksum: int) -> None:
    frame = lz4_frame(checksum=checksum)
    if magic == 0 or checksum == 0x82:
        assert decompress(LZ4, frame, magic=magic) == RECORDS
    else:
        with pytest.raises(CompressionError, match="header checksum") as caught:
            decompress(LZ4, frame, magic=magic)
        assert (caught.value.expected, caught.value.found) == ("0x82", f"{checksum:#04x}")


SNAPPY_BLOCK = KAFKA_PAYLOADS[SNAPPY][16:]
XERIAL_MAGIC = KAFKA_PAYLOADS[SNAPPY][:8]


def xerial(version: int = 1, blocks: bytes = SNAPPY_BLOCK) -> bytes:
    return XERIAL_MAGIC + version.to_bytes(4, "big") + (1).to_bytes(4, "big") + blocks


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (bytes(cramjam.snappy.compress_raw(RECORDS)), RECORDS),
        (bytes(cramjam.snappy.compress_raw(TEXT)), TEXT),
        pytest.param(b"\0", b"", id="a raw block of nothing"),
        pytest.param(xerial(blocks=b""), b"", id="a stream without blocks"),
        pytest.param(xerial(version=77), RECORDS, id="the first header's version does not matter"),
        (xerial() + xerial(), RECORDS * 2),
        (xerial() + xerial(version=9) + xerial(blocks=b"") + SNAPPY_BLOCK, RECORDS * 3),
        pytest.param(xerial() + b"\0\0\0", RECORDS, id="three bytes where a length should be end the stream"),
    ],
)
def test_snappy_payloads_that_kafka_reads(payload: bytes, expected: bytes) -> None:
    assert decompress(SNAPPY, payload) == expected


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b"", "empty"),
        (xerial()[:15], "snappy"),
        (xerial() + xerial(version=0), "version"),
        (xerial() + xerial(version=0xFFFFFFFF), "version"),
        (xerial() + xerial()[:15], "ends within the header of a further stream"),
        (xerial()[:-1], "ends within a block"),
        (xerial(blocks=b"\xff\xff\xff\xff"), "ends within a block"),
        (xerial(blocks=bytes(4)), "a block of 0 bytes"),
        (xerial(blocks=bytes.fromhex("00000002" + "1400")), "snappy"),
        (bytes.fromhex("ffffffff0f"), "4294967295 decompressed bytes claimed"),
        (bytes.fromhex("ffffffffff"), "snappy"),
    ],
)
def test_snappy_payloads_that_kafka_refuses(payload: bytes, message: str) -> None:
    with pytest.raises(CompressionError, match=message):
        decompress(SNAPPY, payload)


MEMBER = KAFKA_PAYLOADS[GZIP]


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (MEMBER + MEMBER, RECORDS * 2),
        pytest.param(
            gzip.compress(TEXT[:100_000]) + compress(GZIP, b"") + gzip.compress(TEXT[100_000:]),
            TEXT,
            id="several members",  # their bytes hold the time of the run, which differs between processes
        ),
        pytest.param(MEMBER + bytes(40), RECORDS, id="padding is ignored"),
        pytest.param(MEMBER + b"\x1f\x8b\x07" + bytes(40), RECORDS, id="so is what only begins like a member"),
        pytest.param(MEMBER + MEMBER[:18], RECORDS, id="and what is too short to be one"),
        pytest.param(gzip.compress(TEXT, mtime=77), TEXT, id="a time in the header"),
    ],
)
def test_gzip_payloads_that_kafka_reads(payload: bytes, expected: bytes) -> None:
    assert decompress(GZIP, payload) == expected


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b"", "ends within a member"),
        (b"\x1f\x8c" + MEMBER[2:], "incorrect header check"),
        (zlib.compress(RECORDS), "incorrect header check"),
        (MEMBER[:-1], "ends within a member"),
        (MEMBER + MEMBER[:19], "ends within a member"),
        (MEMBER[:-8] + bytes(8), "incorrect data check"),
        (MEMBER[:-1] + b"\1", "incorrect length check"),
    ],
)
def test_gzip_payloads_that_kafka_refuses(payload: bytes, message: str) -> None:
    with pytest.raises(CompressionError, match=message):
        decompress(GZIP, payload)


ZSTD_FRAME = KAFKA_PAYLOADS[ZSTD]
SKIPPABLE = bytes.fromhex("532a4d1803000000") + b"abc"
RESERVED_BLOCK = (1 | 3 << 1).to_bytes(3, "little")


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (b"", b""),
        (ZSTD_FRAME * 3, RECORDS * 3),
        (bytes(cramjam.zstd.compress(TEXT)), TEXT),
        pytest.param(SKIPPABLE + ZSTD_FRAME + SKIPPABLE, RECORDS, id="skippable frames"),
        (SKIPPABLE, b""),
    ],
)
def test_zstd_payloads_that_kafka_reads(payload: bytes, expected: bytes) -> None:
    assert decompress(ZSTD, payload) == expected


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b"\x28" * 20, "no frame"),
        (ZSTD_FRAME + b"xyz", "ends within a frame's magic number"),
        (ZSTD_FRAME + b"wxyz", "no frame"),
        (ZSTD_FRAME[:-3], "ends within a block header"),
        (ZSTD_FRAME + ZSTD_FRAME[:12], "ends within a block"),
        (SKIPPABLE[:-1], "ends within a skippable frame"),
        (bytes(cramjam.zstd.compress(TEXT))[:-1], "zstd"),
        (ZSTD_FRAME[:6] + RESERVED_BLOCK, "zstd"),
        pytest.param(b"\x28\xb5\x2f\xfd\x00\xff" + ZSTD_FRAME[6:], "memory", id="a window of terabytes"),
        pytest.param(b"\x28\xb5\x2f\xfd\x03\x58\1\0\0\0" + ZSTD_FRAME[6:], "zstd", id="a dictionary that nobody has"),
    ],
)
def test_zstd_payloads_that_kafka_refuses(payload: bytes, message: str) -> None:
    with pytest.raises(CompressionError, match=message):
        decompress(ZSTD, payload)


def only_kafka_reads(codec: int, payload: bytes) -> bool:
    """Damage that Kafka's classes pass over and we report, because silence would hide records."""
    if codec == GZIP:
        # The JDK does not look at reserved flags, and takes a later member with a bad header for the end.
        return bool(payload[3] & 0xE0) or MEMBER[:3] in payload[18:]
    # zstd-jni takes a torn frame behind a complete one for the end.
    return codec == ZSTD and (payload.count(ZSTD_FRAME[:4]) > 1 or payload.startswith(SKIPPABLE))


@pytest.mark.judge
def test_kafkas_own_classes_agree() -> None:
    version = releases.NEWEST
    require(version)
    source = random.Random(3)
    requests: list[tuple[str, int, int, bytes]] = []
    expected: list[bytes] = []
    for data in SAMPLES.values():
        for codec in CODECS:
            for magic in (2,) if codec == ZSTD else (0, 1, 2):
                requests.append(("write", codec, magic, data))
                expected.append(data)
                for level in (None,) if codec == SNAPPY else (None, 1, 5, 9):
                    requests.append(("read", codec, magic, compress(codec, data, magic=magic, level=level)))
                    expected.append(data)
    whole = len(requests)
    for codec in CODECS:
        for payload in payloads(codec):
            requests += [("read", codec, 2, payload[:size]) for size in range(len(payload))]
            for _ in range(at_most(200) * 10):
                damaged = bytearray(payload)
                damaged[source.randrange(len(payload))] ^= 1 << source.randrange(8)
                requests.append(("read", codec, 2 if codec == ZSTD else source.randrange(3), bytes(damaged)))
    lines = "".join(f"{verb} {codec} {magic} {data.hex()}\n" for verb, codec, magic, data in requests)
    done = java_tools.java(version, "Codecs", [], stdin=lines.encode())
    answers = done.stdout.decode().splitlines()
    assert len(answers) == len(requests), done.stderr.decode()

    same_bytes = 0
    for (verb, codec, magic, data), answer, records in zip(requests, answers, expected, strict=False):
        assert answer.startswith("ok "), (verb, codec, magic, answer)
        theirs = bytes.fromhex(answer[3:])
        if verb == "read":
            assert theirs == records
        else:
            assert decompress(codec, theirs, magic=magic) == records
            ours = compress(codec, data, magic=magic)
            head, tail = {GZIP: (10, 8), SNAPPY: (16, 0), LZ4: (7, 4), ZSTD: (6, 3)}[codec]
            assert ours[:head] == theirs[:head]
            assert ours[len(ours) - tail :] == theirs[len(theirs) - tail :]
            same_bytes += ours == theirs
    assert same_bytes > 30, "not promised, but where the libraries are alike, so are the bytes"

    lenient = 0
    for (_, codec, magic, payload), answer in zip(requests[whole:], answers[whole:], strict=True):
        found = outcome(codec, payload, magic)
        wanted = bytes.fromhex(answer[3:]) if answer.startswith("ok ") else None
        if found is None and wanted is not None:
            assert only_kafka_reads(codec, payload), (codec, payload.hex())
            lenient += 1
        else:
            assert found == wanted, (codec, magic, payload.hex(), answer)
    assert lenient < 0.1 * len(answers)


# --- The caller's mistakes


def test_unknown_codecs() -> None:
    for codec in (-1, 5, 6, 7):
        with pytest.raises(CompressionError, match="unknown compression codec") as caught:
            decompress(codec, b"")
        assert (caught.value.expected, caught.value.found) == ("0 to 4", codec)
        with pytest.raises(UsageError, match="unknown compression codec"):
            compress(codec, b"")


@pytest.mark.parametrize("magic", [0, 1])
def test_zstd_exists_in_magic_2_only(magic: int) -> None:
    with pytest.raises(CompressionError, match="only in magic 2"):
        decompress(ZSTD, ZSTD_FRAME, magic=magic)
    with pytest.raises(UsageError, match="only in magic 2"):
        compress(ZSTD, RECORDS, magic=magic)


@pytest.mark.parametrize(
    ("codec", "level"),
    [(NONE, 1), (GZIP, 0), (GZIP, 10), (GZIP, -2), (SNAPPY, 1), (LZ4, 0), (LZ4, 18), (ZSTD, 23), (ZSTD, -131073)],
)
def test_levels_that_do_not_exist(codec: int, level: int) -> None:
    with pytest.raises(UsageError, match=f"level {level} does not exist for {CODEC_NAMES[codec]}"):
        compress(codec, RECORDS, level=level)


def test_what_is_no_buffer_is_refused() -> None:
    for codec in (NONE, *CODECS):
        for wrong in ("text", None, memoryview(RECORDS)[::2]):
            with pytest.raises(UsageError):
                decompress(codec, wrong)  # type: ignore[arg-type]
            with pytest.raises(UsageError):
                compress(codec, wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="limit"):
        decompress(GZIP, MEMBER, limit=-1)


# --- The cap


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_the_limit_is_exact(codec: int, sample: str) -> None:
    data = SAMPLES[sample]
    payload = compress(codec, data)
    assert decompress(codec, payload, limit=len(data)) == data
    for limit in {0, 1, len(data) // 2, len(data) - 1}:
        if 0 <= limit < len(data):
            with pytest.raises(LimitError, match="more than the limit") as caught:
                decompress(codec, payload, limit=limit)
            assert caught.value.expected == f"at most {limit} bytes"
            assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_none_is_not_inflated_so_not_limited() -> None:
    assert decompress(NONE, TEXT, limit=5) == TEXT


def zstd_of_runs(count: int, *, window_log: int) -> bytes:
    """``count`` blocks of four bytes that stand for 128 KiB each."""
    header = bytes.fromhex("28b52ffd00") + bytes(((window_log - 10) << 3,))
    run = ((128 << 10) << 3 | 1 << 1).to_bytes(3, "little") + b"z"
    return header + run * count + bytes.fromhex("010000")


def bomb(name: str) -> tuple[int, bytes]:
    """About 500 MB in as few bytes as the codec can."""
    if name == "gzip":
        return GZIP, compress(GZIP, bytes(4 * MIB), level=9) * 125
    if name == "snappy":
        block = bytes(cramjam.snappy.compress_raw(bytes(4 * MIB)))
        return SNAPPY, xerial(blocks=(len(block).to_bytes(4, "big") + block) * 125)
    if name == "raw snappy":
        # Valid up to its end; one block may claim up to 4 GiB.
        return SNAPPY, bytes(cramjam.snappy.compress_raw(bytes(500 * MIB)))
    if name == "lz4":
        block = bytes(cramjam.lz4.compress_block(bytes(4 * MIB), store_size=False))
        return LZ4, lz4_frame(0x60, 0x70, blocks=(len(block).to_bytes(4, "little") + block) * 125)
    if name == "lz4 that must be reframed":
        block = bytes(cramjam.lz4.compress_block(bytes(4 * MIB), store_size=False))
        return LZ4, lz4_frame(0x64, 0x70, blocks=(len(block).to_bytes(4, "little") + block) * 125, tail=bytes(8))
    if name == "zstd":
        return ZSTD, compress(ZSTD, bytes(62 * MIB)) * 8
    if name == "zstd of 8 kB":
        return ZSTD, zstd_of_runs(2_000, window_log=21)
    assert name == "zstd, window of 128 MiB"
    return ZSTD, zstd_of_runs(4_000, window_log=27)


PEAK_SCRIPT = """
import sys
from kformat.kafka.batch.compression import compress, decompress
from kformat.errors import LimitError
from tests.peak import peak_bytes

codec, limit = int(sys.argv[1]), int(sys.argv[2])
payload = sys.stdin.buffer.read()
decompress(codec, compress(codec, b"sound" * 1000))
before = peak_bytes()
try:
    outcome = len(decompress(codec, payload, limit=limit))
except LimitError:
    outcome = "LimitError"
print(outcome, peak_bytes() - before)
"""


def peak(codec: int, payload: bytes, limit: int) -> tuple[str, int]:
    """What came of it in a fresh interpreter, and by how many bytes its peak memory rose."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK_SCRIPT, str(codec), str(limit)],
        input=payload, cwd=ROOT, capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    outcome, rise = done.stdout.decode().split()
    return outcome, int(rise)


@pytest.mark.parametrize("limit", [8 * MIB, pytest.param(DEFAULT_INFLATE_LIMIT, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name",
    [
        "gzip",
        "snappy",
        "raw snappy",
        "lz4",
        "lz4 that must be reframed",
        "zstd",
        "zstd of 8 kB",
        "zstd, window of 128 MiB",
    ],
)
def test_bombs_are_refused_within_the_limit(name: str, limit: int) -> None:
    outcome, rise = peak(*bomb(name), limit)
    assert outcome == "LimitError"
    assert rise <= limit + 64 * MIB


@pytest.mark.parametrize("codec", CODECS)
def test_a_result_as_large_as_the_limit_is_held_once(codec: int) -> None:
    size = 64 * MIB
    outcome, rise = peak(codec, compress(codec, bytes(size)), size)
    assert outcome == str(size)
    assert rise <= size + compression.SLACK_BYTES


@pytest.mark.parametrize(
    ("codec", "payload"),
    [
        (GZIP, compress(GZIP, b"") * 100_000),
        (SNAPPY, xerial(blocks=bytes.fromhex("0000000100") * 400_000)),
        (LZ4, lz4_frame(blocks=bytes.fromhex("0100000000") * 400_000)),
        (LZ4, lz4_frame(0x64, blocks=bytes.fromhex("0100000000") * 400_000, tail=bytes(8))),
        (ZSTD, ZSTD_FRAME[:6] + bytes(3) * 700_000 + b"\1\0\0"),
    ],
    ids=["gzip", "snappy", "lz4", "lz4 that must be reframed", "zstd"],
)
def test_two_megabytes_of_tiny_blocks_cost_little(codec: int, payload: bytes) -> None:
    limit = 64 << 10
    outcome, rise = peak(codec, payload, limit)
    assert outcome == "0"
    assert rise <= limit + 8 * MIB


NO_MEMORY_SCRIPT = """
import contextlib, resource, sys
from kformat.kafka.batch.batches import iter_batches
from kformat.cli import main
from kformat.kafka.batch.compression import CODEC_NAMES, compress, decompress
from kformat.check.checker import check
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch

def within(room, function, *arguments):  # which holds nothing of what it found
    resource.setrlimit(resource.RLIMIT_AS, (size + room, -1))
    try:
        return function(*arguments)
    except MemoryError:
        return MemoryError
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))

folder = sys.argv[1]
data = bytes(range(256)) * (160 << 10)  # more than malloc keeps
path = folder + "/00000000000000000000.log"
for codec in map(int, sys.argv[2:]):
    payload = compress(codec, data)
    with open(path, "wb") as log:
        log.write(build_batch(Columns((0,), (None,), (data,)), fields=BatchFields(compression=CODEC_NAMES[codec])))
    sound = list(check(folder))
    assert decompress(codec, payload) == data and not any(finding.severity == "error" for finding in sound)
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    for function in (
        lambda: decompress(codec, payload) == data,
        lambda: list(check(folder)) == sound,
        lambda: next(next(iter_batches(path)).records()).value == data,
    ):
        seen = {within(mib << 20, function) for mib in range(0, 320, 64)}
        assert seen == {MemoryError, True}, codec
    with contextlib.suppress(SystemExit):
        main(["dump", "--max-bytes", "0", path])  # loads what the command needs, libraries too
    try:
        within(0, main, ["dump", "--print-data-log", path])
    except SystemExit as left:
        print("left with", left.code)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="takes its own size from /proc")
def test_lack_of_memory_is_no_damage(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NO_MEMORY_SCRIPT, str(tmp_path), *map(str, CODECS)],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.stderr == "kformat: not enough memory\n" * len(CODECS), done
    assert done.stdout.splitlines().count("left with 3") == len(CODECS)


def test_a_zstd_window_counts_against_the_limit() -> None:
    fits = zstd_of_runs(640, window_log=27)
    outcome, rise = peak(ZSTD, fits, DEFAULT_INFLATE_LIMIT)
    assert outcome == str(80 * MIB)
    assert rise <= DEFAULT_INFLATE_LIMIT + 64 * MIB
    with pytest.raises(LimitError):
        decompress(ZSTD, zstd_of_runs(641, window_log=27))
    assert len(decompress(ZSTD, zstd_of_runs(641, window_log=21))) == 641 * 128 * 1024
    # The window that is claimed costs nothing where little comes out.
    outcome, rise = peak(ZSTD, zstd_of_runs(1, window_log=27), DEFAULT_INFLATE_LIMIT)
    assert rise < 4 * MIB


# --- Damage: a typed error or a result, never anything else


def payloads(codec: int) -> Iterator[bytes]:
    """Small payloads that use what the codec's framing has."""
    data = RECORDS + bytes(range(40)) + b"abc" * 50
    yield compress(codec, data)
    yield from {
        GZIP: [gzip.compress(data) + compress(GZIP, RECORDS)],
        SNAPPY: [bytes(cramjam.snappy.compress_raw(data)), xerial() + xerial()],
        LZ4: [with_block_checksums(data), bytes(cramjam.lz4.compress(data)), lz4_frame(0x6C, extra=SIZE_FIELD)],
        ZSTD: [bytes(cramjam.zstd.compress(data)), SKIPPABLE + compress(ZSTD, data) + ZSTD_FRAME],
    }[codec]


def outcome(codec: int, payload: bytes | bytearray, magic: int = 2) -> bytes | None:
    """What came out, None for an error; where there is room for it already, the same comes out."""
    try:
        found = decompress(codec, payload, magic=magic, limit=MIB)
    except (CompressionError, LimitError) as error:
        assert str(error)
        found = None
    if magic == 2:
        room = memoryview(bytearray(MIB))
        try:
            size = decompress_into(codec, memoryview(payload), room)
        except CompressionError:
            assert found is None
        else:
            assert size is None or bytes(room[:size]) == found
    return found


# What may be cut off a payload of one frame without an error, and why.
HARMLESS_CUTS = {
    GZIP: range(0),
    SNAPPY: range(16, 20),  # a stream of no blocks, and up to three bytes where a length should be
    LZ4: range(0),
    ZSTD: range(1),  # no frame
}


@pytest.mark.parametrize("codec", CODECS)
def test_truncation_at_every_byte(codec: int) -> None:
    payload = compress(codec, RECORDS)
    for size in range(len(payload)):
        found = outcome(codec, payload[:size])
        assert found == (b"" if size in HARMLESS_CUTS[codec] else None), size
    for payload in payloads(codec):
        for size in range(len(payload)):
            outcome(codec, payload[:size])


@pytest.mark.parametrize("codec", CODECS)
def test_every_bit_flipped(codec: int) -> None:
    for payload in payloads(codec):
        for bit in range(8 * len(payload)):
            damaged = bytearray(payload)
            damaged[bit // 8] ^= 1 << bit % 8
            outcome(codec, damaged)
            outcome(codec, damaged, magic=0)


def results_of_flipped_bits(codec: int, payload: bytes) -> dict[int, bytes]:
    """What comes out where a flipped bit is no error, by bit."""
    results = {}
    for bit in range(8 * len(payload)):
        damaged = bytearray(payload)
        damaged[bit // 8] ^= 1 << bit % 8
        found = outcome(codec, damaged)
        if found is not None:
            results[bit] = found
    return results


def test_no_flipped_bit_changes_what_a_gzip_payload_holds() -> None:
    payload = compress(GZIP, TEXT[:600])
    results = results_of_flipped_bits(GZIP, payload)
    assert set(results.values()) == {TEXT[:600]}
    unused_header = {24, *range(32, 80)}  # FTEXT; time, extra flags, operating system
    last_deflated_byte = 8 * (len(payload) - 9)
    assert unused_header <= set(results) <= unused_header | set(range(last_deflated_byte, last_deflated_byte + 8))


def test_one_flipped_bit_changes_what_an_lz4_payload_with_block_checksums_holds() -> None:
    payload = with_block_checksums(TEXT[:600])
    results = results_of_flipped_bits(LZ4, payload)
    # The checksum is that of the stored bytes and leaves out whether they are compressed: a hole in the LZ4 format.
    stored = 8 * 7 + 31
    assert results.pop(stored) == payload[11:-8]
    # In the end mark that bit means nothing.
    assert results == {8 * len(payload) - 1: TEXT[:600]}


@settings(deadline=None)
@given(st.sampled_from(CODECS), st.integers(0, 2), st.data())
def test_edited_payloads(codec: int, magic: int, data: st.DataObject) -> None:
    payload = bytearray(data.draw(st.sampled_from(list(payloads(codec)))))
    edits = data.draw(st.lists(st.tuples(st.integers(0, len(payload) - 1), st.binary(max_size=5)), max_size=4))
    for position, new in edits:
        payload[position : position + len(new)] = new
    outcome(codec, payload, magic)


@settings(deadline=None)
@given(st.sampled_from([NONE, *CODECS, 5, 7]), st.integers(0, 2), st.binary(max_size=200))
def test_random_bytes(codec: int, magic: int, payload: bytes) -> None:
    outcome(codec, payload, magic)
    for start in (MEMBER[:10], XERIAL_MAGIC, KAFKA_PAYLOADS[LZ4][:7], ZSTD_FRAME[:6]):
        outcome(codec, start + payload, magic)


@pytest.mark.slow
@pytest.mark.parametrize("codec", CODECS)
def test_many_edited_payloads(codec: int) -> None:
    seed = int(os.environ.get("KFORMAT_SEED", "1"))
    source = random.Random(seed)
    originals = list(payloads(codec)) + [compress(codec, TEXT)]
    for _ in range(100_000):
        payload = bytearray(source.choice(originals))
        for _ in range(source.randint(1, 4)):
            payload[source.randrange(len(payload))] = source.choice((0, 1, 0x7F, 0x80, 0xFF, source.randrange(256)))
        outcome(codec, payload[: source.randint(0, len(payload))] if source.random() < 0.2 else payload)


def test_a_panic_in_the_library_is_a_damaged_payload_and_an_interrupt_is_not() -> None:
    class PanicException(BaseException):
        """What a panic in Rust looks like from here; the real class cannot be imported."""

    def panic() -> None:
        raise PanicException("index out of bounds")

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(CompressionError, match="zstd: index out of bounds"):
        compression._call(compression.ZSTD, panic)
    with pytest.raises(KeyboardInterrupt):
        compression._call(compression.ZSTD, interrupt)


def test_errors_are_data_errors_without_a_place() -> None:
    with pytest.raises(DataError) as caught:
        decompress(LZ4, b"abcdefgh")
    assert caught.value.place == ""
    assert (caught.value.expected, caught.value.found) == ("04224d18", "61626364")


def test_nothing_that_failed_troubles_the_garbage_collector() -> None:
    """A view that is collected with its BytesIO is complained of (before 3.13 in development mode alone), and kills
    CPython 3.12.1."""
    program = """
import gc
from kformat.kafka.batch.compression import LZ4, SNAPPY, ZSTD, compress, decompress
from kformat.errors import CompressionError
for codec in (SNAPPY, LZ4, ZSTD):
    payload, failures = compress(codec, b"hello, world " * 20), 0
    for position in range(16, len(payload)):
        try:
            decompress(codec, payload[:position] + bytes([payload[position] ^ 0xFF]) + payload[position + 1 :])
        except CompressionError as error:
            failures += 1
            circle = [error]
            circle.append(circle)
            del circle
    gc.collect()
    assert failures
"""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_bound_of_one_zstd_frame_is_that_of_the_walk() -> None:
    chance, quickly = random.Random(11), 0
    for number in range(400):
        plain = [b"", b"a" * 300, chance.randbytes(50), chance.randbytes(300_000), b"ab" * 200_000][number % 5]
        frame = [compress(ZSTD, plain or b"x"), bytes(cramjam.zstd.compress(plain))][number // 5 % 2]
        if number >= 10:
            damaged = bytearray(frame * (1 + number % 2))[: chance.randrange(1, 2 * len(frame) + 1)]
            for _ in range(chance.randrange(3)):
                damaged[chance.randrange(min(len(damaged), 16))] = chance.randrange(256)
            frame = bytes(damaged)
        found = compression._zstd_bound_of_one(memoryview(frame))
        if found is not None:
            quickly += 1
            assert found == compression._zstd_bounds(memoryview(frame))[0]
    assert quickly > 20, "what producers write is walked over quickly"
