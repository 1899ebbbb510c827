"""Damaged batches: cut at every byte, every bit flipped, absurd counts, bombs. Typed errors, with place and path.

`HARMLESS` is the proof of what may change without an error; everything else must be noticed.
"""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cramjam
import pytest

import kformat
from kformat.codec.values import Value
from kformat.errors import DataError, InvalidError, LimitError, TruncatedError
from kformat.kafka.batch.compression import CODEC_NAMES, compress
from kformat.kafka.batch.records import Batch
from kformat.language.declaration import load_declaration
from kformat.language.layout import layout
from kformat.storage.checksum import crc32c
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from tests.peak import ROOT

LAYOUT = layout("record_batch")
HEADER_BYTES = LAYOUT.header_dtype.itemsize

HARMLESS = {
    "base_offset": "outside of the checksum, because the leader writes it; any value is an offset",
    "partition_leader_epoch": "outside of the checksum, because every leader writes it; any value is an epoch",
}
"""Fields of which any bit may flip without an error, and why: nothing else in a batch is not covered by the checksum
and not pinned down either. `batch_length` must fit what is there, `magic` is 2, and `crc` is the checksum."""

RECORDS: list[dict[str, Any]] = [
    {"offset_delta": 0, "timestamp_delta": 0, "key": b"key", "value": b"value",
     "headers": [{"key": "h", "value": b"x"}, {"key": "", "value": None}, {"key": "h", "value": b""}]},
    {"offset_delta": 1, "timestamp_delta": -70_000, "key": None, "value": b"\x00" * 70, "headers": []},
    {"offset_delta": 5, "timestamp_delta": 2**40, "key": b"", "value": None,
     "headers": [{"key": "\udcff\u00e9", "value": b"y"}]},
    {"offset_delta": 300, "timestamp_delta": 3, "key": None, "value": None, "attributes": -1},
]  # fmt: skip


def complete(codec: int) -> bytes:
    """A batch with every kind of field: null, empty and present; negative, gaps, transactional, idempotent."""
    return kformat.build(
        "record_batch",
        {
            "base_offset": 10**12,
            "partition_leader_epoch": 3,
            "attributes": {"is_transactional": 1, "timestamp_type": "create_time", "compression": codec},
            "last_offset_delta": 301,
            "base_timestamp": 1_600_000_000_000,
            "max_timestamp": 1_600_000_000_000 + 2**40,
            "producer_id": 77,
            "producer_epoch": 4,
            "base_sequence": 2**31 - 2,
            "records": RECORDS,
        },
    )


COMPLETE = {name: complete(codec) for codec, name in enumerate(CODEC_NAMES)}
each_codec = pytest.mark.parametrize("codec", CODEC_NAMES)


def fields_of(value: Value) -> list[str]:
    return [name for name in value._fields if hasattr(value, name)]


def is_prefix(part: Any, whole: Any) -> bool:
    """Whether a partial value is what a reader of the whole would have had at some point."""
    if isinstance(whole, Value):
        names = fields_of(part)
        if tuple(names) != whole._fields[: len(names)]:
            return False
        pairs = [(getattr(part, name), getattr(whole, name)) for name in names]
    elif isinstance(whole, list):
        pairs = list(zip(part, whole, strict=False))
        if len(part) > len(whole):
            return False
    else:
        return bool(part == whole)
    return all(left == right for left, right in pairs[:-1]) and all(is_prefix(*pair) for pair in pairs[-1:])


def leaves(value: Any) -> int:
    if isinstance(value, Value):
        return sum(1 + leaves(getattr(value, name)) for name in fields_of(value))
    return sum(1 + leaves(item) for item in value) if isinstance(value, list) else 0


@each_codec
def test_cut_at_every_byte(codec: str) -> None:
    data = COMPLETE[codec]
    whole: Any = kformat.parse("record_batch", data)
    before = 0
    for end in range(len(data)):
        with pytest.raises(TruncatedError) as caught:
            kformat.parse("record_batch", data[:end], source="f", position=100)
        error = caught.value
        assert error.position is not None and 100 <= error.position <= 100 + end
        assert error.path.startswith("record_batch.") and str(error).startswith("f:")
        assert is_prefix(error.partial, whole)
        assert before <= leaves(error.partial), "what was read before does not get less as more bytes are there"
        before = leaves(error.partial)
    assert before >= leaves(whole) - (2 if codec == "none" else leaves(whole.records) + 1)


@each_codec
def test_cut_payload_of_a_whole_batch(codec: str) -> None:
    """The records end too early, in a batch whose length and checksum are right."""
    given: Any = kformat.parse("record_batch", COMPLETE["none"])
    payload = COMPLETE["none"][HEADER_BYTES:]
    for end in range(0, len(payload), 3):
        data = with_payload(COMPLETE["none"], CODEC_NAMES.index(codec), payload[:end])
        with pytest.raises(InvalidError) as caught:
            kformat.parse("record_batch", data)
        assert is_prefix(caught.value.partial.records, given.records)
        assert (caught.value.inflated_position is None) == (codec == "none")
        same_from_the_batch(data, caught.value)


def with_payload(data: bytes, codec: int, payload: bytes, count: int | None = None) -> bytes:
    """The batch with other (valid) compression, other records, right length and checksum."""
    header: Any = kformat.parse("record_batch", data)
    packed = compress(codec, payload)
    found = bytearray(data[:HEADER_BYTES]) + packed
    set_field(found, "batch_length", HEADER_BYTES - LAYOUT.end("batch_length") + len(packed))
    set_field(found, "attributes", attributes_of(header) & ~7 | codec)
    if count is not None:
        set_field(found, "records_count", count)
    return summed(found)


def attributes_of(header: Any) -> int:
    return sum(int(getattr(header.attributes, name)) << bit.shift for name, bit in LAYOUT.bits("attributes").items())


def set_field(data: bytearray, name: str, value: int) -> None:
    at, end = LAYOUT.position(name), LAYOUT.end(name)
    data[at:end] = (value % 256 ** (end - at)).to_bytes(end - at, "big")


def summed(data: bytearray) -> bytes:
    set_field(data, "crc", crc32c(bytes(data[LAYOUT.checksum()[2] :])))
    return bytes(data)


def same_from_the_batch(data: bytes, error: DataError | None) -> None:
    """`Batch.values`, which does not collect, says what the codec says."""
    values = []
    try:
        for value in Batch(data).values():
            values.append(value)
    except DataError as found:
        assert error is not None and (type(found), str(found)) == (type(error), str(error))
    else:
        # Kafka does not look at the payload of a batch of no records; the codec does.
        assert error is None or Batch(data).records_count == 0


@each_codec
def test_every_bit_flipped(codec: str) -> None:
    data = COMPLETE[codec]
    whole: Any = kformat.parse("record_batch", data)
    harmless = {byte for name in HARMLESS for byte in range(LAYOUT.position(name), LAYOUT.end(name))}
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            found: Any = kformat.parse("record_batch", bytes(flipped))
        except DataError as error:
            assert bit // 8 not in harmless
            assert error.position is not None and error.path.startswith("record_batch")
            assert error.position <= len(data)
        else:
            assert bit // 8 in harmless, f"bit {bit % 8} of byte {bit // 8} is not noticed"
            assert found.records == whole.records and found != whole


@each_codec
def test_every_bit_flipped_and_the_checksum_passed_over(codec: str) -> None:
    data = COMPLETE[codec]
    start = LAYOUT.position("records_count")
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        error = None
        try:
            kformat.parse("record_batch", bytes(flipped), checksums=False)
        except DataError as found:
            error = found
            assert error.position is not None and 0 <= error.position <= len(data) and error.path and str(error)
        if bit // 8 >= start:
            same_from_the_batch(bytes(flipped), error)
        if error is None or not error.path.startswith("record_batch.batch_length"):
            read_records(bytes(flipped))


def read_records(data: bytes) -> None:
    try:
        for record in Batch(data).records():
            assert -(2**63) <= record.offset < 2**63 and -(2**63) <= record.timestamp < 2**63
    except DataError:
        pass


# --- numbers that promise too much ----------------------------------------------------------------------


def measured(run: Callable[[], object]) -> tuple[float, int]:
    tracemalloc.start()
    begun = time.perf_counter()
    try:
        run()
        return time.perf_counter() - begun, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


VARINT_2_31_1, VARINT_MINUS_2_31 = bytes.fromhex("feffffff0f"), bytes.fromhex("ffffffff0f")


def record_of(*parts: bytes) -> bytes:
    """A record with the right length around what is given."""
    body = b"".join(parts)
    assert len(body) < 64
    return bytes([2 * len(body)]) + body


START = b"\0\0\0"  # attributes, timestamp delta, offset delta
ABSURD = {
    "records": (b"", 2**31 - 1, "records[0].length: runs past"),
    "records, negative": (b"", -(2**31), "records_count: a value that is not allowed (expected >= 0"),
    "record length": (VARINT_2_31_1 + b"x", 1, "records[0].body: runs past"),
    "record length, negative": (VARINT_MINUS_2_31, 1, "records[0].length: a value that is not allowed (expected >= 0"),
    "key": (record_of(START, VARINT_2_31_1, b"k"), 1, "records[0].key: runs past"),
    "value": (record_of(START, b"\1", VARINT_2_31_1, b"k"), 1, "records[0].value: runs past"),
    "headers": (record_of(START, b"\1\1", VARINT_2_31_1), 1, "records[0].headers[0].key_length: runs past"),
    "headers, negative": (record_of(START, b"\1\1", VARINT_MINUS_2_31), 1, "records[0].headers_count: a value that is"),
    "header key": (record_of(START, b"\1\1\2", VARINT_2_31_1), 1, "records[0].headers[0].key: runs past"),
    "header key, negative": (record_of(START, b"\1\1\2\1"), 1, "headers[0].key_length: a value that is not allowed"),
    "header value": (record_of(START, b"\1\1\2\0", VARINT_2_31_1), 1, "records[0].headers[0].value: runs past"),
    "varint without end": (b"\xff" * 40, 1, "records[0].length: a varint that does not end (expected at most 5 bytes"),
    "varlong without end": (
        record_of(b"\0", b"\xff" * 20),
        1,
        "timestamp_delta: a varint that does not end (expected at",
    ),
}


@pytest.mark.parametrize("codec", ["none", "zstd"])
@pytest.mark.parametrize("name", ABSURD)
def test_numbers_that_promise_too_much_cost_nothing(codec: str, name: str) -> None:
    payload, count, text = ABSURD[name]
    data = with_payload(COMPLETE["none"], CODEC_NAMES.index(codec), payload, count)

    def refused() -> None:
        for run in (lambda: kformat.parse("record_batch", data), lambda: list(Batch(data).records())):
            with pytest.raises(InvalidError) as caught:
                run()
            assert text in str(caught.value)

    seconds, peak = measured(refused)
    assert seconds < 1 and peak < 1 << 20


@pytest.mark.parametrize("length", [2**31 - 1, -1, -(2**31), 48])
def test_absurd_batch_lengths(length: int) -> None:
    data = bytearray(COMPLETE["none"])
    set_field(data, "batch_length", length)

    def refused() -> None:
        with pytest.raises(TruncatedError if length > 48 else InvalidError):
            kformat.parse("record_batch", bytes(data))

    seconds, peak = measured(refused)
    assert seconds < 1 and peak < 1 << 20


def test_absurd_counts_in_control_records() -> None:
    count = b"\xff\xff\xff\xff\x0f"
    for data in (b"\0\1" + bytes(4) + count, b"\0\1" + bytes(4) + b"\1\1" + count, b"\0\1" + bytes(4) + b"\1" + count):
        with pytest.raises(TruncatedError):
            kformat.parse("leader_change_message", data)
    with pytest.raises(InvalidError, match=r"voters_count: a value that is not allowed \(expected >= 1, found 0\)"):
        kformat.parse("leader_change_message", b"\0\1" + bytes(5))


def test_the_largest_deltas_wrap_as_in_java() -> None:
    lowest, highest = bytes.fromhex("ffffffffffffffffff01"), bytes.fromhex("feffffffffffffffff01")
    payload = b"".join(record_of(b"\0", delta, b"\0\1\1\0") for delta in (lowest, highest))
    batch = Batch(with_payload(COMPLETE["none"], 0, payload, 2))
    base = batch.base_timestamp
    assert [record.timestamp for record in batch.records()] == [base - 2**63, base - 2**63 - 1]
    offsets = b"".join(record_of(b"\0\0", delta, b"\1\1\0") for delta in (VARINT_MINUS_2_31, VARINT_2_31_1))
    batch = Batch(with_payload(COMPLETE["none"], 0, offsets, 2))
    assert [record.offset - batch.base_offset for record in batch.records()] == [-(2**31), 2**31 - 1]


# --- bombs ----------------------------------------------------------------------------------------------

BOMB_BYTES = 500 << 20


def gzip_bomb() -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = deflate.compress(bytes(1 << 20)) + deflate.flush(zlib.Z_FULL_FLUSH)
    return bytes.fromhex("1f8b08000000000000ff") + piece * (BOMB_BYTES >> 20) + deflate.flush() + bytes(8)


def snappy_bomb() -> bytes:
    block = bytes(cramjam.snappy.compress_raw(bytes(4 << 20)))
    stream = bytes.fromhex("82534e41505059000000000100000001")
    return stream + (len(block).to_bytes(4, "big") + block) * (BOMB_BYTES >> 22)


def lz4_bomb() -> bytes:
    block = bytes(cramjam.lz4.compress_block(bytes(4 << 20), store_size=False))
    frame = bytes.fromhex("04224d18607073")
    return frame + (len(block).to_bytes(4, "little") + block) * (BOMB_BYTES >> 22) + bytes(4)


def zstd_bomb() -> bytes:
    """Blocks of 128 KiB that take four bytes each: 16 kB of them."""
    block = (1 << 1 | (128 << 10) << 3).to_bytes(3, "little") + b"\0"
    last = (1 | 1 << 1 | 1 << 3).to_bytes(3, "little") + b"\0"
    return bytes.fromhex("28b52ffd0068") + block * (BOMB_BYTES >> 17) + last


BOMBS = {"gzip": gzip_bomb, "snappy": snappy_bomb, "lz4": lz4_bomb, "zstd": zstd_bomb}

WATCH = """
import sys
import kformat
from kformat.errors import LimitError
from kformat.kafka.batch.records import Batch
from tests.peak import peak_bytes

def use(file):
    data = open(file, "rb").read()
    for run in (lambda: kformat.parse("record_batch", data), lambda: sum(1 for _ in Batch(data).records())):
        try:
            run()
        except LimitError as error:
            print(error)

for file in sys.argv[1:]:
    use(file)
    print(peak_bytes())
"""


def watched(*files: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", WATCH, *map(str, files)],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("codec", BOMBS)
def test_a_bomb_is_refused_within_the_limit(codec: str, tmp_path: Path) -> None:
    sound, bomb = tmp_path / "sound", tmp_path / "bomb"
    sound.write_bytes(COMPLETE[codec])
    packed = bytearray(COMPLETE[codec][:HEADER_BYTES]) + BOMBS[codec]()
    set_field(packed, "batch_length", len(packed) - LAYOUT.end("batch_length"))
    bomb.write_bytes(summed(packed))
    base, *refusals, peak = watched(sound, bomb)
    assert len(refusals) == 2
    for refusal in refusals:
        assert refusal.startswith("<bytes>:61 record_batch.payload: ") and "more than the limit" in refusal
    assert int(peak) - int(base) <= DEFAULT_INFLATE_LIMIT + (64 << 20)


WATCH_COMMAND = """
import sys
from kformat.cli import main
from tests.peak import peak_bytes
main(sys.argv[1:], standalone_mode=False)
print(peak_bytes())
"""
COMMANDS = {"dump": ["--print-data-log"], "check": [], "parse": ["--as", "record_batch"]}


@pytest.mark.parametrize("verb", COMMANDS)
def test_commands_refuse_a_bomb_within_the_limit(verb: str, tmp_path: Path) -> None:
    """Each measured against itself on a sound batch; a process's peak counts what it imports, too."""
    sound, bomb = (tmp_path / name / f"{0:020d}.log" for name in ("sound", "bomb"))
    for path in (sound, bomb):
        path.parent.mkdir()
    sound.write_bytes(COMPLETE["zstd"])
    packed = bytearray(COMPLETE["zstd"][:HEADER_BYTES]) + zstd_bomb()
    set_field(packed, "batch_length", len(packed) - LAYOUT.end("batch_length"))
    bomb.write_bytes(summed(packed))
    peaks = {}
    for path, text in ((sound, ""), (bomb, "more than the limit")):
        done = subprocess.run(
            [sys.executable, "-c", WATCH_COMMAND, verb, *COMMANDS[verb], str(path)],
            cwd=ROOT, capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        assert text in done.stdout + done.stderr
        peaks[path] = int(done.stdout.splitlines()[-1])
    assert peaks[bomb] - peaks[sound] <= DEFAULT_INFLATE_LIMIT + (64 << 20)


def test_records_are_not_collected(tmp_path: Path) -> None:
    """A batch of very many smallest records: reading them takes the inflated bytes, not an object for each."""
    count = 150_000
    data = with_payload(COMPLETE["none"], 4, record_of(START, b"\1\1\0") * count, count)
    assert len(data) < 2000
    script = """
import sys
from kformat.kafka.batch.records import Batch
from tests.peak import peak_bytes
data = open(sys.argv[1], "rb").read()
next(iter(Batch(data).records()))
base = peak_bytes()
print(sum(1 for _ in Batch(data).records()), peak_bytes() - base)
"""
    (tmp_path / "many").write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "many")],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    found, grown = map(int, done.stdout.split())
    assert found == count and grown < 8 << 20


def test_many_small_elements_count_as_what_they_cost() -> None:
    """As objects they take far more than the bytes that they inflate to."""
    payload = record_of(START, b"\1\1\0") * 1000
    data = with_payload(COMPLETE["none"], 4, payload, 1000)
    batch: Any = kformat.parse("record_batch", data, inflate_limit=64_000)
    assert len(batch.records) == 1000
    with pytest.raises(LimitError) as caught:
        kformat.parse("record_batch", data, inflate_limit=63_999)
    assert caught.value.path == "record_batch.records[999]" and caught.value.inflated_position == 6993
    assert len(list(Batch(data, limit=7000).records())) == 1000, "one after the other they cost nothing"
    headers = b"\2k\0" * 20
    body = START + b"\1\1" + bytes([40]) + headers
    many = with_payload(COMPLETE["none"], 4, (bytes([2 * len(body) & 0x7F | 0x80, 2 * len(body) >> 7]) + body) * 50, 50)
    with pytest.raises(LimitError):
        kformat.parse("record_batch", many, inflate_limit=64 * 1000)
    assert len(list(Batch(many, limit=64 * 100).records())) == 50


def test_a_smaller_limit() -> None:
    value = {"offset_delta": 0, "key": None, "value": bytes(1000)}
    for codec in range(1, 5):
        given = {"base_timestamp": 0, "max_timestamp": 0, "records": [value] * 5}
        size = len(kformat.build("record_batch", given)) - HEADER_BYTES
        data = kformat.build("record_batch", given | {"attributes": {"compression": codec}})
        batch: Any = kformat.parse("record_batch", data, inflate_limit=size)
        assert len(batch.records) == 5
        with pytest.raises(LimitError) as caught:
            kformat.parse("record_batch", data, inflate_limit=size - 1)
        assert (caught.value.position, caught.value.path) == (61, "record_batch.payload")
        with pytest.raises(LimitError):
            list(Batch(data, limit=size - 1).records())


def test_the_limit_is_for_all_payloads_of_a_value() -> None:
    """A list of payloads, each within the limit, all of them together not."""
    archive = load_declaration(Path(__file__).parents[1] / "declarations" / "archive.ksy")
    chunk = {"names": [], "lines": [{"text": "x" * 200}] * 10, "codec": "zstd"}
    data = kformat.build(archive, {"chunks": [chunk] * 5})
    whole: Any = kformat.parse(archive, data, inflate_limit=5 * 2014)
    assert len(whole.chunks) == 5
    with pytest.raises(LimitError) as caught:
        kformat.parse(archive, data, inflate_limit=5 * 2014 - 1)
    assert caught.value.path == "archive.chunks[4].content"
