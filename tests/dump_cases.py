"""Files for the dump, each with one thing in it that is easily printed wrong, and what Kafka's tool says of them.

`CASES` is asked twice: `dump/test_dump.py` holds kformat against `dump_golden.txt`, `dump/test_judge.py` holds the file
against the tool itself. The file is the tool's own words; `python -m tests.dump.test_judge` writes it anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

import kformat
from kformat.kafka.batch.compression import CODEC_NAMES, compress
from kformat.language.layout import layout
from tests.vectors import CONTROL_BATCHES, CONTROL_VALUES

GOLDEN = Path(__file__).parent / "dump_golden.txt"
LOG = "00000000000000000000.log"
SEGMENT = "00000000000000000010"

DEEP = ("--deep-iteration", "--print-data-log")
KEYS_ALONE = ("--print-data-log", "--skip-record-metadata")


def record(offset_delta: int, key: bytes | None = b"k", value: bytes | None = b"v", **more: Any) -> dict[str, Any]:
    """A record for `batch`; ``headers`` as pairs."""
    headers = [{"key": name, "value": content} for name, content in more.pop("headers", ())]
    return {"offset_delta": offset_delta, "key": key, "value": value, "headers": headers, **more}


THREE = (
    record(0),
    record(1, None, None, timestamp_delta=5),
    record(2, b"", b"", timestamp_delta=-3, headers=[("h", b"1"), ("", None), ("h", b"2")]),
)


def batch(base_offset: int, records: Any = THREE, *, bits: dict[str, Any] | None = None, **fields: Any) -> bytes:
    """A batch with a right checksum; ``bits`` are its attributes."""
    wanted = {"base_timestamp": 1000, "max_timestamp": 1005, "attributes": bits or {}, "records": list(records)}
    return kformat.build("record_batch", {"base_offset": base_offset, "partition_leader_epoch": 3, **wanted, **fields})


def message(magic: int = 1, key: bytes | None = b"k", value: bytes | None = b"v", **more: Any) -> dict[str, Any]:
    """A message of magic 0 or 1 for `entry` and `wrapper`; ``bits`` are its attributes, ``timestamp`` is 1000."""
    fields = {"magic": magic, "attributes": more.pop("bits", {}), "key": key, "value": value}
    timestamp = more.pop("timestamp", 1000)
    return {**fields, "timestamp": timestamp if magic else None, **more}


def entry(offset: int, magic: int = 1, key: bytes | None = b"k", value: bytes | None = b"v", **more: Any) -> bytes:
    """An entry of a log of magic 0 or 1, with a right checksum."""
    return kformat.build("legacy_message", {"offset": offset, "message": message(magic, key, value, **more)})


def wrapper(
    offset: int, codec: str, messages: Sequence[tuple[int, dict[str, Any]]], magic: int = 1, **more: Any
) -> bytes:
    """An entry that holds others, compressed; ``messages`` are (offset as it is stored, message)."""
    bits = {"compression": codec, **more.pop("bits", {})}
    outer = message(magic, None, None, bits=bits, **more)
    del outer["value"]
    outer["message_set"] = {"messages": [{"offset": number, "message": inner} for number, inner in messages]}
    return kformat.build("legacy_message", {"offset": offset, "message": outer})


def control(base_offset: int, kind: int, value: bytes | None, version: int = 0, producer_id: int = 42) -> bytes:
    """A control batch of one record."""
    key = kformat.build("control_record_type_schema", {"version": version, "type": kind})
    bits = {"is_control": 1, "is_transactional": 1}
    return batch(base_offset, [record(0, key, value)], bits=bits, producer_id=producer_id, producer_epoch=5)


def marker(coordinator_epoch: int, version: int = 0) -> bytes:
    """The value of a commit or abort."""
    fields = {"version": version, "coordinator_epoch": coordinator_epoch}
    return kformat.build("end_txn_marker", fields)


def leader_change(*voters: int) -> bytes:
    """The value of a leader change, of version 0."""
    found: Any = [{"voter_id": number, "tagged_fields": {"fields": []}} for number in voters]
    tags: Any = {"fields": []}
    return kformat.build(
        "leader_change_message",
        {"version": 0, "leader_id": 3, "voters": found, "granting_voters": found[:1], "tagged_fields": tags},
    )


def patched(data: bytes, field: str, value: int) -> bytes:
    """A batch with one field of its header overwritten; the checksum stays as it was."""
    header = np.frombuffer(data, layout("record_batch").header_dtype, count=1).copy()
    header[field] = value
    return header.tobytes() + data[header.nbytes :]


def relabelled(data: bytes, codec: int) -> bytes:
    """An entry of magic 0 or 1 that says it is compressed by the codec of this number; the checksum stays as it was."""
    at = layout("legacy_message").end("message_size") + layout("legacy_message::message").position("attributes")
    return data[:at] + bytes([data[at] & ~0b111 | codec]) + data[at + 1 :]


def offset_index(*entries: tuple[int, int]) -> bytes:
    """The bytes of a `.index`: relative offsets and positions."""
    return np.array(list(entries), layout("offset_index::entry").dtype).tobytes()


def time_index(*entries: tuple[int, int]) -> bytes:
    """The bytes of a `.timeindex`: timestamps and relative offsets."""
    return np.array(list(entries), layout("time_index::entry").dtype).tobytes()


def transaction_index(*entries: tuple[int, int, int, int], version: int = 0) -> bytes:
    """The bytes of a `.txnindex`: producer id, first and last offset, last stable offset."""
    return np.array([(version, *entry) for entry in entries], layout("transaction_index::entry").dtype).tobytes()


def producer_snapshot(*entries: dict[str, int]) -> bytes:
    """The bytes of a `.snapshot`: what differs, entry by entry, from a producer without a transaction."""
    plain = {
        "producer_id": 42,
        "producer_epoch": 5,
        "last_sequence": 11,
        "last_offset": 9,
        "offset_delta": 2,
        "timestamp": 1234,
        "coordinator_epoch": -1,
        "current_txn_first_offset": -1,
    }
    return kformat.build("producer_snapshot", {"entries": [{**plain, **entry} for entry in entries]})


# What Java and Python may disagree about: surrogates whole and cut off, overlong forms, ends in the middle.
NO_TEXT = tuple(
    bytes.fromhex(text)
    for text in (
        "eda080 61eda08062edb080 eda0 ed eda041 edbfbfff f09080 e180 fffe c080 c1bf f4908080 f580 e08080 f0808080"
        " 78e282 e28241 f09f9841 f09f41 f888808080 fc8080 8080 f49080 f490 f08041 e08041 e0a041 c328 f0 efbfbf f09f9880"
    ).split()
)


def _undecodable() -> bytes:
    names = [data.decode("utf-8", "surrogateescape") for data in NO_TEXT]
    return batch(
        0,
        [record(i, data, data + b"!", headers=[(names[i], data)]) for i, data in enumerate(NO_TEXT)],
        last_offset_delta=99,
    )


@dataclass(frozen=True)
class Case:
    """Files, the one that is dumped, and how; ``name`` is also the folder that the files lie in."""

    name: str
    files: dict[str, bytes]
    flags: tuple[str, ...] = DEEP
    dumped: str = LOG

    @property
    def status(self) -> int:
        """The exit status of kformat, which says of damage what the tool's text says, or `check` says of an index."""
        return int(self.name in _DAMAGED)

    @property
    def path(self) -> str:
        return f"{self.name}/{self.dumped}"

    def write(self, root: Path) -> None:
        """Write the files below a folder."""
        (root / self.name).mkdir(parents=True, exist_ok=True)
        for name, data in self.files.items():
            (root / self.name / name).write_bytes(data)


_DAMAGED: Final = {
    *("trailing-bytes", "bootstrap-snapshot", "cut-off", "older-and-cut-off"),
    *("wrong-checksum", "wrong-checksums", "wrong-checksums-inside"),
    *("first-is-zero-time", "mismatches-offset", "mismatches-time"),
    *("older-mismatches-offset", "older-mismatches-time"),
}
"""The cases in which something is wrong. Gaps between offsets are not, nor are zeros at a log's end."""


def _log(name: str, *parts: bytes, flags: tuple[str, ...] = DEEP, file: str = LOG) -> Case:
    return Case(name, {file: b"".join(parts)}, flags, file)


_GOOD = batch(0)
_TEN = b"".join(
    batch(10 + 3 * number, max_timestamp=1005 + number, base_timestamp=1000 + number) for number in range(10)
)
_SIZE = len(_GOOD)
_OFFSETS, _TIMES = offset_index((8, 2 * _SIZE), (17, 5 * _SIZE)), time_index((1007, 8), (1010, 17), (1014, 29))


def _index(name: str, index: bytes, timeindex: bytes, *flags: str, log: bytes = _TEN) -> tuple[Case, Case]:
    files = {f"{SEGMENT}.log": log, f"{SEGMENT}.index": index, f"{SEGMENT}.timeindex": timeindex}
    return Case(f"{name}-offset", files, flags, f"{SEGMENT}.index"), Case(
        f"{name}-time", files, flags, f"{SEGMENT}.timeindex"
    )


_PLAIN_0 = (entry(0, 0), entry(1, 0, None, None), entry(2, 0, b"", b""), entry(5, 0, None), entry(6, 0, b"k", None))
_PLAIN_1 = (
    entry(0),
    entry(1, 1, None, None, timestamp=-1),
    entry(2, bits={"timestamp_type": 1}, timestamp=2**62),
    entry(9, bits={"reserved": 15}),
    entry(3, 1, NO_TEXT[1], NO_TEXT[2]),
)


def _wrapped(magic: int, first_offset: int = 10) -> list[tuple[int, dict[str, Any]]]:
    """Three messages, numbered as their magic has it."""
    contents = (message(magic), message(magic, None, b"", timestamp=1007), message(magic, b"", None, timestamp=-1))
    return [(number if magic else first_offset + number, one) for number, one in enumerate(contents)]


def _wrong(data: bytes) -> bytes:
    """An entry with a checksum that is not right."""
    value: Any = kformat.parse("legacy_message", data, raw=True)
    position = layout("legacy_message").end("message_size")
    assert data[position:].startswith(value.message.crc.to_bytes(4, "big"))
    return data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :]


def _wrapping(offset: int, *inside: bytes) -> bytes:
    """A wrapper around entries as they are, right or not."""
    outer = message(1, None, None, bits={"compression": "gzip"})
    del outer["value"]
    payload = compress(CODEC_NAMES.index("gzip"), b"".join(inside))
    return kformat.build("legacy_message", {"offset": offset, "message": {**outer, "message_set": payload}})


_APPENDED = wrapper(
    1, "gzip", [(0, message(0)), (1, message(1, timestamp=5))], bits={"timestamp_type": 1}, timestamp=7777
)
_OLD_PARTS = (
    entry(10, timestamp=1000),
    wrapper(13, "gzip", _wrapped(1), timestamp=1007),
    entry(14, timestamp=1003),
    batch(15, max_timestamp=1010, base_timestamp=1005),
)
_OLD = b"".join(_OLD_PARTS)
_OLD_AT = [sum(map(len, _OLD_PARTS[:number])) for number in range(len(_OLD_PARTS))]
_OLD_INDEXES = offset_index((3, _OLD_AT[1]), (7, _OLD_AT[3])), time_index((1000, 0), (1007, 3), (1010, 7))

_PRODUCERS = producer_snapshot(
    {},
    {"coordinator_epoch": 9, "current_txn_first_offset": 0},
    {"last_sequence": -1, "last_offset": -1, "offset_delta": 0, "coordinator_epoch": 3},
    {"last_sequence": 1, "offset_delta": 5},
    {"last_sequence": 0, "offset_delta": 2**31 - 1, "timestamp": -1},
    {"last_sequence": -7, "offset_delta": -9, "last_offset": -2, "current_txn_first_offset": -2},
    {"last_sequence": -(2**31), "offset_delta": 2**31 - 1},
    {"last_sequence": 2**31 - 1, "offset_delta": -(2**31), "producer_id": 2**63 - 1, "producer_epoch": -(2**15)},
)

CASES: tuple[Case, ...] = (
    _log("empty-log"),
    _log("three-records", _GOOD, batch(3), flags=("--deep-iteration",)),
    _log("three-records-shallow", _GOOD, batch(3), flags=()),
    _log("three-records-printed", _GOOD, batch(3)),
    _log("three-records-keys-alone", _GOOD, batch(3), flags=KEYS_ALONE),
    _log("three-records-nothing-of-them", _GOOD, flags=("--deep-iteration", "--skip-record-metadata")),
    *(
        _log(f"codec-{codec}", batch(0, bits={"compression": codec}), batch(3))
        for codec in ("gzip", "snappy", "lz4", "zstd")
    ),
    _log("undecodable", _undecodable()),
    _log("line-breaks", batch(0, [record(0, b"a\r\n\x01", b"\t"), record(1, "zoë".encode(), "日本".encode())])),
    _log("log-append-time", batch(0, bits={"timestamp_type": 1}, max_timestamp=7777)),
    _log("no-timestamp", batch(0, base_timestamp=-1, max_timestamp=-1)),
    _log("delete-horizon", batch(0, bits={"has_delete_horizon": 1}, base_timestamp=999999)),
    _log("sequence-wraps", batch(0, producer_id=7, producer_epoch=1, base_sequence=2**31 - 2)),
    _log("emptied", batch(0, [], last_offset_delta=4, base_timestamp=-1, producer_id=3, producer_epoch=0), batch(5)),
    _log("payload-alone", batch(0, [record(0, None), record(1, b"k", None), record(2, None, None)]), flags=KEYS_ALONE),
    _log("payload-without-key", batch(0, [record(0, None), record(1, b"k", None), record(2, None, b"")])),
    _log("gaps", batch(0, [record(0), record(4), record(6)]), batch(9), batch(3)),
    _log("far-offset", batch(2**62), file=f"{2**62:020}.log"),
    _log("reserved-bits", batch(0, bits={"reserved": 511})),
    _log("magic-3", patched(_GOOD, "magic", 3), batch(3)),
    _log("wrong-checksum", patched(_GOOD, "crc", 5), batch(3)),
    _log("trailing-bytes", _GOOD, b"seventeen bytes.."),
    _log("trailing-zeros", _GOOD, bytes(17)),
    _log("cut-off", _GOOD, batch(3)[:-1]),
    _log("cut-off-limited", _GOOD, batch(3), flags=("--max-bytes", str(_SIZE + 5))),
    _log("limited-to-nothing", _GOOD, flags=("--max-bytes", "0")),
    _log("commit", control(5, 1, marker(9)), batch(6)),
    _log("commit-keys-alone", control(5, 1, marker(9)), batch(6), flags=KEYS_ALONE),
    _log("abort-of-newer-version", control(5, 0, marker(-9, 3) + b"more", 5)),
    _log("leader-change", control(5, 2, leader_change(3, 4))),
    _log("unknown-control", control(5, 9, b"?"), control(6, -1, None)),
    _log("magic-0", *_PLAIN_0),
    _log("magic-0-shallow", *_PLAIN_0, flags=()),
    _log("magic-0-keys-alone", *_PLAIN_0, flags=KEYS_ALONE),
    _log("magic-1", *_PLAIN_1),
    _log("magic-1-limited", *_PLAIN_1, flags=(*DEEP, "--max-bytes", str(len(_PLAIN_1[0]) + 20))),
    *(
        _log(
            f"wrapped-{codec}-{magic}",
            wrapper(12, codec, _wrapped(magic), magic, timestamp=1007),
            wrapper(15, codec, _wrapped(magic, 13), magic, timestamp=1007),
            file=f"{SEGMENT}.log",
        )
        for codec in ("gzip", "snappy", "lz4")
        for magic in (0, 1)
    ),
    _log("wrong-checksums-inside", _wrapping(2, entry(0), _wrong(entry(1)), _wrong(entry(2, 0))), entry(3)),
    _log("wrapped-shallow", wrapper(2, "gzip", _wrapped(1)), flags=()),
    _log("wrapped-log-append-time", wrapper(2, "gzip", _wrapped(1), bits={"timestamp_type": 1}, timestamp=7777)),
    _log("wrapped-and-compacted", wrapper(29, "gzip", [(1, message()), (4, message()), (9, message())])),
    _log("wrapped-of-librdkafka", wrapper(0, "gzip", [(0, message()), (1, message())])),
    _log("wrapped-of-other-magic", wrapper(1, "gzip", [(0, message(0)), (1, message(1))])),
    _log("wrapped-of-other-magic-and-append-time", _APPENDED),
    _log("wrapped-of-newer-magic", wrapper(8, "gzip", [(7, message(0)), (8, message(1))], magic=0)),
    _log(
        "wrong-checksums", _wrong(entry(0)), _wrong(entry(1, 0)), _wrong(wrapper(3, "gzip", _wrapped(1)[:2])), entry(4)
    ),
    _log(
        "three-magics", entry(0, 0), wrapper(3, "lz4", _wrapped(1)), entry(4), batch(5), entry(8), file=f"{0:020}.log"
    ),
    _log("three-magics-shallow", entry(0, 0), wrapper(3, "lz4", _wrapped(1)), entry(4), batch(5), entry(8), flags=()),
    _log("older-and-cut-off", entry(0), entry(1)[:-1]),
    _log("metadata-snapshot", CONTROL_BATCHES, batch(6), file="00000000000000000005-0000000007.checkpoint"),
    _log("metadata-snapshot-keys-alone", CONTROL_BATCHES, flags=KEYS_ALONE, file=f"{7:020}-{2**31 - 1:010}.checkpoint"),
    _log("bootstrap-snapshot", CONTROL_BATCHES, b"trailing", file="bootstrap.checkpoint"),
    _log(
        "control-of-newer-versions",
        *(
            control(number, kind, kformat.build(vector.type, {**vector.fields, "version": 9}) + b"more", 3)
            for number, (kind, vector) in enumerate(CONTROL_VALUES)
        ),
    ),
    _log("transactions", transaction_index((42, 3, 7, 8), (2**63 - 1, -(2**63), -1, 0)), file=f"{SEGMENT}.txnindex"),
    _log("transactions-none", file=f"{SEGMENT}.txnindex"),
    _log(
        "transactions-verified",
        transaction_index((42, 3, 7, 8)),
        flags=("--verify-index-only",),
        file=f"{SEGMENT}.txnindex",
    ),
    _log(
        "transactions-sane",
        transaction_index((42, 3, 7, 8)),
        flags=("--index-sanity-check",),
        file=f"{SEGMENT}.txnindex",
    ),
    _log("producers", _PRODUCERS, file=f"{SEGMENT}.snapshot"),
    _log("producers-none", producer_snapshot(), file=f"{SEGMENT}.snapshot"),
    *_index("index", _OFFSETS, _TIMES),
    *_index("preallocated", _OFFSETS + bytes(80), _TIMES + bytes(120)),
    *_index("all-zero", bytes(80), bytes(120)),
    *_index("no-entries", b"", b""),
    *_index("odd-length", _OFFSETS + b"odd", _TIMES + b"odd"),
    *_index("too-short", b"odd", b"odd"),
    *_index("first-is-zero", offset_index((0, 0), (8, 2 * _SIZE)), time_index((0, 0), (1007, 8))),
    *_index(
        "zero-in-between",
        offset_index((8, 2 * _SIZE), (0, 0), (17, 5 * _SIZE)),
        time_index((1007, 8), (0, 0), (1010, 17)),
    ),
    *_index(
        "mismatches",
        offset_index((6, 2 * _SIZE), (18, 5 * _SIZE), (19, 6 * _SIZE)),
        time_index((1007, 7), (1006, 8), (1010, 17), (1014, 28), (5000, 60), (5001, 2)),
    ),
    *_index("older", *_OLD_INDEXES, log=_OLD),
    *_index(
        "older-mismatches", offset_index((2, _OLD_AT[1]), (6, _OLD_AT[2])), time_index((1001, 1), (1003, 5)), log=_OLD
    ),
    *_index("verified", _OFFSETS, _TIMES, "--verify-index-only"),
    *_index("sane", _OFFSETS, _TIMES, "--index-sanity-check"),
    *_index("empty-and-sane", b"", b"", "--index-sanity-check"),
)


def golden() -> dict[str, str]:
    """What the tool prints, by the name of the case."""
    parts = GOLDEN.read_bytes().decode().split("\n=== ")
    found = {}
    for part in parts[1:]:
        name, _, text = part.partition("\n")
        found[name.partition(" ")[0]] = text
    return found


def write_golden(texts: dict[str, bytes]) -> None:
    """Write `GOLDEN` from what the tool printed."""
    head = "What DumpLogSegments of Kafka 4.4.0 prints for the files of dump_cases.py; see there.\n"
    parts = [f"\n=== {case.name} {' '.join(case.flags)}".rstrip().encode() + b"\n" + texts[case.name] for case in CASES]
    GOLDEN.write_bytes(head.encode() + b"".join(parts))
