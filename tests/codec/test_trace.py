"""Traces: every byte once and in order, with the values that the codec gives, also where bytes are damaged."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.codec.trace import Span, trace
from kformat.codec.values import Value
from kformat.errors import ChecksumError, CompressionError, DataError, InvalidError, LimitError, UsageError
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.records import Batch
from kformat.kafka.log.file_trace import FilePiece, TraceRange, format_of, trace_file
from tests.damages import bit, data_batch, marker_batch, patched
from tests.draws import every

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
BINARY = sorted(path for path in SAMPLES.rglob("*") if path.is_file() and format_of(str(path)) is not None)
TIME = 1_700_000_000_000


def held(spans: Iterator[Span]) -> list[Span]:
    """The spans, of which those of inflated bytes follow each other from 0, behind each payload."""
    found, inside, payload = list(spans), 0, False
    for span in found:
        if span.inflated_position is None:
            inside, payload = 0, span.kind == "payload"
        else:
            assert payload, span
            assert span.inflated_position == inside or not span.size, span
            inside += span.size
        assert len(span.data) == (0 if span.kind == "zeros" else span.size), span
    return found


def outer_bytes(spans: list[Span], start: int = 0) -> bytes:
    """The bytes of the source, from spans that follow each other without gap or overlap."""
    parts, position = list[bytes](), start
    for span in spans:
        if span.inflated_position is None:
            assert span.position == position or not span.size, span
            parts.append(bytes(span.size) if span.kind == "zeros" else span.data)
            position += span.size
    return b"".join(parts)


def of_file(data: Any, format: str | None = None, **more: Any) -> list[tuple[FilePiece, list[Span]]]:
    return [(piece, held(piece.spans)) for piece in trace_file(data, format, **more)]


def whole(data: Any, format: str | None = None) -> bytes:
    """The bytes of a file from its pieces."""
    found = b""
    for piece, spans in of_file(data, format):
        assert piece.position == len(found)
        part = outer_bytes(spans, piece.position)
        assert len(part) == piece.size
        found += part
    return found


def leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every field of a parsed value that is no structure, by path; structures of bits are one.

    Without a payload that is not there, and empty lists: they have no span.
    """
    if isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from leaves(item, f"{path}[{number}]")
    elif isinstance(value, Value) and not value._type.bits:
        for name in value._fields:
            if hasattr(value, name):
                yield from leaves(getattr(value, name), f"{path}.{name}")
    elif value != [] and not (value is None and path.endswith(".message_set")):
        yield path, value


def told(spans: list[Span]) -> dict[str, Any]:
    found = {span.path: span.value for span in spans if span.kind == "field"}
    assert len(found) == sum(span.kind == "field" for span in spans), "a field was told twice"
    return found


def test_the_samples_hold_files_of_every_kind() -> None:
    assert {path.name.split(".")[1] for path in BINARY} == {
        *("log", "index", "timeindex", "txnindex", "snapshot", "checkpoint")
    }


@pytest.mark.parametrize("version", sorted({path.relative_to(SAMPLES).parts[0] for path in BINARY}))
def test_every_byte_of_every_file_is_told_once(version: str) -> None:
    files = [path for path in BINARY if path.relative_to(SAMPLES).parts[0] == version]
    for path in every(4, files):
        found = of_file(path)
        assert not [span.error for _, spans in found for span in spans if span.error], path
        assert b"".join(outer_bytes(spans, piece.position) for piece, spans in found) == path.read_bytes()


def test_values_are_those_that_parse_gives() -> None:
    seen = set()
    for path in sorted(SAMPLES.glob("[0-4]*/*/*.log")):
        for batch in islice(iter_batches(path), 4):
            format = "record_batch" if isinstance(batch, Batch) else "legacy_message"
            spans = held(trace(format, batch.raw, position=batch.position))
            assert told(spans) == dict(leaves(kformat.parse(format, batch.raw), format))
            seen.add((batch.magic, batch.compression_name))
    assert seen >= {(magic, codec) for magic in (0, 1, 2) for codec in ("none", "gzip", "snappy", "lz4")} | {
        (2, "zstd")
    }


@pytest.mark.parametrize("format", ["offset_index", "time_index", "transaction_index", "producer_snapshot"])
def test_values_of_other_files_are_those_that_parse_gives(format: str) -> None:
    files = [path for path in BINARY if format_of(path.name) == format and path.stat().st_size][::20]
    for path in files:
        data = path.read_bytes()
        if data[-8:] != bytes(8):  # not that of a segment in use
            fields = told(held(trace(format, data)))
            assert fields == dict(leaves(kformat.parse(format, data), format))
            assert fields == told([span for _, spans in of_file(path) for span in spans])
    assert files


def mutated(data: bytes, random: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(found))
        match random.randrange(4):
            case 0:
                found[at] ^= 1 << random.randrange(8)
            case 1:
                found[at] = random.choice((0, 0x7F, 0x80, 0xFF))
            case 2:
                del found[at : at + random.randint(1, 20)]
            case _:
                found[at:at] = bytes(random.randint(1, 200))
        if not found:
            return b"\0"
    return bytes(found)


SMALL = [
    *("4.3.1/transactions-0", "4.3.1/producer-lz4-0", "1.1.1/headers-0", "0.8.2.2/producer-gzip-0", "0.10.0.1/nulls-0"),
    *("4.3.1/__cluster_metadata-0", "2.8.2/broker-zstd-0"),
]


def test_every_byte_of_damaged_files_is_told_once() -> None:
    files = [path for folder in SMALL for path in BINARY if str(path.parent).endswith(folder)]
    source, kinds = random.Random(7), set()
    for path in files:
        data = path.read_bytes()[:6000]
        for _ in range(8 if data else 0):
            bad = mutated(data, source)
            assert whole(bad, format_of(path.name)) == bad
            for _, spans in of_file(bad, format_of(path.name)):
                kinds |= {type(span.error) for span in spans if span.error}
    assert kinds >= {InvalidError, ChecksumError, CompressionError}


def test_the_error_is_the_one_that_parse_raises() -> None:
    batches = [
        batch
        for folder in SMALL
        for path in BINARY
        if str(path.parent).endswith(folder) and path.suffix == ".log"
        for batch in list(iter_batches(path))[:2]
    ]
    source, compared = random.Random(11), 0
    for batch in batches:
        format = "record_batch" if isinstance(batch, Batch) else "legacy_message"
        for _ in range(20):
            bad = mutated(batch.raw, source)
            spans = held(trace(format, bad, position=9))
            assert outer_bytes(spans, 9) == bad
            errors = [span.error for span in spans if span.error and not isinstance(span.error, ChecksumError)]
            try:
                kformat.parse(format, bad, position=9, checksums=False)
            except DataError as error:
                compared += 1
                assert [(type(error), str(error))] == [(type(found), str(found)) for found in errors]
                partial = dict(leaves(error.partial, format))
                fields = told(spans)
                assert fields.items() <= partial.items() or fields == partial
            else:
                assert errors == []
    assert compared > 100


@pytest.mark.parametrize("codec", [0, 1])
def test_a_batch_cut_at_any_byte(codec: int) -> None:
    batch = data_batch(5, TIME, codec=codec)
    for end in range(len(batch)):
        spans = held(trace("record_batch", batch[:end]))
        assert outer_bytes(spans) == batch[:end]
        (error,) = [span.error for span in spans if span.error]
        with pytest.raises(DataError) as raised:
            kformat.parse("record_batch", batch[:end])
        assert str(error) == str(raised.value)
        assert whole(batch[:end], "record_batch") == batch[:end]


def test_what_follows_damage_is_told() -> None:
    first, second, third = (data_batch(offset, TIME + offset) for offset in (0, 3, 6))
    broken = patched(second, records_count=2)
    found = of_file(first + broken + third + b"\0" * 100, "record_batch")
    assert [piece.title for piece, _ in found] == [
        "batch, offsets 0 to 2, 3 records",
        "batch, offsets 3 to 5, 2 records",
        "batch, offsets 6 to 8, 3 records",
        "no batch",
    ]
    (unread,) = [span for span in found[1][1] if span.kind == "unread"]
    assert unread.path == "record_batch.records" or unread.path == "record_batch.end_of_records"
    assert isinstance(unread.error, InvalidError)
    (zeros,) = found[3][1]
    assert (zeros.kind, zeros.size, zeros.data) == ("zeros", 100, b"")


def test_a_wrong_checksum_ends_nothing() -> None:
    batch = patched(data_batch(0, TIME), mend=False, max_timestamp=TIME + 1)
    spans = held(trace("record_batch", batch))
    (bad,) = [span for span in spans if span.error]
    assert (bad.path, type(bad.error)) == ("record_batch.crc", ChecksumError)
    assert bad.error is not None
    assert str(bad.error).startswith("<bytes>:17 record_batch.crc: crc32c of bytes 21 to")
    assert spans[-1].path.startswith("record_batch.records[2].headers[0]")
    (sound,) = [span for span in held(trace("record_batch", data_batch(0, TIME))) if span.path == "record_batch.crc"]
    assert (sound.remark, sound.error) == ("is that of the bytes", None)


def test_deltas_bits_and_nulls() -> None:
    batch = data_batch(7, TIME, attributes=bit("timestamp_type") | bit("is_transactional"))
    spans = {span.path: span for span in held(trace("record_batch", batch))}
    assert spans["record_batch.records[2].offset_delta"].absolute == 9
    assert spans["record_batch.records[2].timestamp_delta"].absolute == TIME
    attributes = spans["record_batch.attributes"]
    assert (attributes.size, attributes.value.timestamp_type.name) == (2, "log_append_time")
    null = kformat.build("record_batch::record", {"timestamp_delta": 0, "offset_delta": 0, "key": None, "value": b""})
    shown = {span.path: (span.size, span.value) for span in held(trace("record_batch::record", null))}
    assert (shown["record.key"], shown["record.value"]) == ((0, None), (0, b""))
    assert "record.headers" not in shown


@pytest.mark.parametrize("codec", [0, 1])
def test_control_records_are_told_in_fields(codec: int) -> None:
    batch = marker_batch(3, TIME)
    if codec:
        value: Any = kformat.parse("record_batch", batch)
        value.attributes.compression = codec
        batch = kformat.build("record_batch", value)
    ((_, spans),) = of_file(batch, "record_batch")
    assert outer_bytes(spans) == batch
    shown = {span.path: span.value for span in spans}
    assert shown["record_batch.records[0].key.type"].name == "commit"
    assert shown["record_batch.records[0].value.coordinator_epoch"] == 3


def test_relative_offsets_of_a_file_with_a_base_offset(tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000200.index"
    path.write_bytes(kformat.build("offset_index", {"entries": [{"relative_offset": 7, "position": 500}]}))
    ((_, spans),) = of_file(path)
    assert [(span.value, span.absolute) for span in spans] == [(7, 207), (500, None)]


def test_control_records_that_are_damaged() -> None:
    for record in ({"key": b"\0"}, {"key": b"\0\0\0\1\0"}, {"value": b"\0"}, {"value": b"\0\0\0\0\0\3+more"}):
        batch = marker_batch(3, TIME, **record)
        ((_, spans),) = of_file(batch, "record_batch")
        assert outer_bytes(spans) == batch


OWN = """
meta: {id: own, endian: be, ks-version: '0.11', title: own, license: CC0-1.0}
seq:
  - {id: magic, contents: [1, 2]}
  - {id: numbers, type: u2, repeat: expr, repeat-expr: 2}
  - {id: flags, type: flags}
  - {id: rest, type: part, repeat: eos}
types:
  flags: {seq: [{id: high, type: b4}, {id: low, type: b4}]}
  part: {seq: [{id: length, type: u1}, {id: text, type: str, size: length, encoding: UTF-8}]}
"""


@pytest.fixture
def own(tmp_path: Path) -> str:
    path = tmp_path / "own.ksy"
    path.write_text(OWN)
    return str(path)


def test_a_declaration_of_ones_own(own: str) -> None:
    data = b"\1\2\0\3\0\4\x52\2hi\0"
    spans = held(trace(own, data))
    assert [(span.position, span.size, span.path) for span in spans] == [
        *((0, 2, "own.magic"), (2, 2, "own.numbers[0]"), (4, 2, "own.numbers[1]")),
        *((6, 1, "own.flags.high"), (6, 0, "own.flags.low")),
        *((7, 1, "own.rest[0].length"), (8, 2, "own.rest[0].text"), (10, 1, "own.rest[1].length")),
        (11, 0, "own.rest[1].text"),
    ]
    assert [span.value for span in spans][1:3] == [3, 4]
    assert whole(data, own) == data
    assert whole(b"\1\3" + data, own) == b"\1\3" + data
    assert told(held(trace(f"{own}::flags", b"\x52"))) == {"flags.high": 5, "flags.low": 2}
    assert [piece.position for piece, _ in of_file(b"\x52\x53", f"{own}::flags")] == [0, 1]


def test_what_a_switch_chooses_is_told_by_its_fields(tmp_path: Path) -> None:
    path = tmp_path / "chosen.ksy"
    path.write_text("""
meta: {id: chosen}
seq:
  - {id: tag, type: u1}
  - {id: body, size: 2, type: {switch-on: tag, cases: {1: pair}}}
types: {pair: {seq: [{id: x, type: u1}, {id: y, type: u1}]}}
""")
    assert [span.path for span in held(trace(str(path), b"\1ab"))] == ["chosen.tag", "chosen.body.x", "chosen.body.y"]
    assert [span.path for span in held(trace(str(path), b"\2ab"))] == ["chosen.tag", "chosen.body"]


def test_an_empty_file_has_nothing_in_it() -> None:
    assert of_file(b"", "record_batch") == []
    assert whole(b"", "offset_index") == b""


def test_less_of_a_file(tmp_path: Path) -> None:
    batches = [data_batch(offset, TIME) for offset in (0, 3, 6)]
    data = b"".join(batches)
    found = of_file(data, "record_batch", only=TraceRange(from_offset=4, to_offset=6))
    assert [piece.title for piece, _ in found] == ["batch, offsets 3 to 5, 3 records"]
    found = of_file(data, "record_batch", only=TraceRange(max_bytes=len(batches[0]) + 30))
    assert [piece.size for piece, _ in found] == [len(batches[0]), 30]
    assert not [span.error for _, spans in found for span in spans if span.error]


def test_a_value_over_the_limit_is_not_read() -> None:
    ((piece, spans),) = of_file(data_batch(0, TIME), "record_batch", limit=100)
    assert [type(span.error) for span in spans] == [LimitError]
    assert (piece.format, spans[0].kind) == (None, "unread")
    ((_, spans),) = of_file(b"\0\1" + b"\1" * 200, "producer_snapshot", limit=100)
    assert type(spans[0].error) is LimitError


@pytest.mark.parametrize("codec", [0, 1])
def test_many_small_elements_are_told_up_to_the_limit(codec: int) -> None:
    batch = data_batch(0, TIME, count=500, codec=codec)
    spans = held(trace("record_batch", batch, inflate_limit=100_000))
    assert outer_bytes(spans) == batch
    (error,) = [span.error for span in spans if span.error]
    assert type(error) is LimitError
    assert 90 < sum(span.path.endswith("].offset_delta") for span in spans) <= 100_000 // 512


def test_names_that_say_nothing(tmp_path: Path) -> None:
    path = tmp_path / "leader-epoch-checkpoint"
    path.write_bytes(b"0\n0\n")
    with pytest.raises(UsageError, match="name a format"):
        list(trace_file(path))
    with pytest.raises(UsageError):
        list(trace("no_such_format", b""))


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("00000000000000000000.log", "record_batch"),
        ("00000000000000000000.log.deleted", "record_batch"),
        ("copy.timeindex", "time_index"),
        ("00000000000000000000-0000000001.checkpoint", "record_batch"),
        ("bootstrap.checkpoint", "record_batch"),
        ("x.snapshot.tmp", "producer_snapshot"),
        ("meta.properties", None),
        (".log", None),
    ],
)
def test_formats_by_name(name: str, format: str | None) -> None:
    assert format_of(f"somewhere/{name}") == format
