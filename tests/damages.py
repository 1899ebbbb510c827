"""A sound partition folder, built by the library's own builder, and one named damage for each way to break a rule.

A `Folder` maps file names to bytes. `sound_folder` is a partition of three closed segments and one in use; `DAMAGES`
change it (or the folder that they bring along) so that exactly the rules in `expected` find something, wherever the
damage lies under the checksum with the checksum mended.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import kformat
from kformat.corpus import edits
from kformat.kafka.batch.batches import iter_batches, read_batch_headers
from kformat.kafka.batch.compression import compress
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.index.indexing import IndexedBatches, index_entries, recovered_entries
from kformat.language.layout import layout

Folder = dict[str, bytes]

BATCH = layout("record_batch")
HEADER = BATCH.header_dtype
INTERVAL_BYTES = 300
BASE_TIMESTAMP_MS = 1_700_000_000_000

# A batch of each kind; the timestamps of the second and the fifth are late.
TIMES = (0, -5000, 10, 20, -7, 30, 40, 50, 60, 70, 80, 90)


# Batches


def bit(name: str, value: int = 1) -> int:
    """Attributes with one bit field set."""
    return value << layout("record_batch").bits("attributes")[name].shift


def patched(batch: bytes, *, mend: bool = True, **fields: int) -> bytes:
    """The batch with other values in its header, and the checksum of what it is then."""
    for name, value in fields.items():
        batch = edits.put(batch, BATCH, name, value)
    return edits.mended(batch, CURRENT_MAGIC) if mend else batch


def record_bytes(**fields: Any) -> bytes:
    """One record; key, value and headers may be left out."""
    return kformat.build(
        "record_batch::record",
        {"timestamp_delta": 0, "key": b"key", "value": b"some value", "headers": [], **fields},
    )


def batch_of(base_offset: int, payload: bytes, count: int, timestamp: int, **fields: int) -> bytes:
    """A batch around payload bytes, whatever they are; its time is that of every record."""
    empty = kformat.build(
        "record_batch",
        {
            "base_offset": base_offset,
            "attributes": {},
            "base_timestamp": timestamp,
            "max_timestamp": timestamp,
            "partition_leader_epoch": 0,
            "records": [],
        },
    )
    length = len(empty) - layout("record_batch").end("batch_length") + len(payload)
    counts = {"batch_length": length, "records_count": count, "last_offset_delta": count - 1}
    return patched(empty + payload, mend=True, **{**counts, **fields})


def data_batch(base_offset: int, timestamp: int, count: int = 3, codec: int = 0, **fields: int) -> bytes:
    """A batch of so many plain records; ``codec`` compresses them."""
    payload = b"".join(
        record_bytes(offset_delta=number, headers=[{"key": "header", "value": b"x" * 30}]) for number in range(count)
    )
    attributes = fields.pop("attributes", 0) | codec
    return batch_of(
        base_offset, compress(codec, payload) if codec else payload, count, timestamp, attributes=attributes, **fields
    )


def marker_batch(base_offset: int, timestamp: int, **record: Any) -> bytes:
    """The end of a transaction: one control record; ``record`` changes its key, value, ..."""
    key = kformat.build("control_record_type_schema", {"type": "commit"})
    value = kformat.build("end_txn_marker", {"coordinator_epoch": 3})
    attributes = bit("is_control") | bit("is_transactional")
    payload = record_bytes(**{"offset_delta": 0, "key": key, "value": value, **record})
    return batch_of(base_offset, payload, 1, timestamp, attributes=attributes, producer_id=7, producer_epoch=0)


def segment_batches(base_offset: int, start_ms: int, epoch: int) -> list[bytes]:
    """Twelve batches: plain, late, compressed, log_append_time, transactional, its marker, ..."""
    batches: list[bytes] = []
    offset = base_offset
    for number, late in enumerate(TIMES):
        time = start_ms + late
        match number:
            case 3:
                batch = data_batch(offset, time, codec=1)
            case 4:
                batch = data_batch(offset, time, attributes=bit("timestamp_type"))
            case 6:
                producer = {"producer_id": 7, "producer_epoch": 0, "base_sequence": 3 * SEGMENTS.index(base_offset)}
                batch = data_batch(offset, time, attributes=bit("is_transactional"), **producer)
            case 7:
                batch = marker_batch(offset, time)
            case _:
                batch = data_batch(offset, time)
        batches.append(patched(batch, partition_leader_epoch=epoch + number // 6))
        offset = next(iter_batches(batches[-1])).next_offset
    return batches


# Folders


def stem(base_offset: int) -> str:
    return f"{base_offset:020d}"


def segment(
    base_offset: int,
    batches: Iterable[bytes],
    *,
    profile: str = "per-batch",
    append_id: Iterable[int] | None = None,
    recovered: bool = False,
    closed: bool = True,
    padding: int = 0,
) -> Folder:
    """The three files of a segment, its indexes as the profile (or recovery) writes them."""
    log = b"".join(batches)
    indexed = indexed_batches(log, None if append_id is None else list(append_id))
    kept = {"base_offset": base_offset, "profile": profile, "index_interval_bytes": INTERVAL_BYTES}
    entries = recovered_entries(indexed, **kept) if recovered else index_entries(indexed, closed=closed, **kept)  # type: ignore[arg-type]
    return {
        f"{stem(base_offset)}.log": log,
        f"{stem(base_offset)}.index": entries.offset_index.tobytes() + bytes(padding * 8),
        f"{stem(base_offset)}.timeindex": entries.time_index.tobytes() + bytes(padding * 12),
    }


def indexed_batches(log: bytes, append_id: list[int] | None = None) -> IndexedBatches:
    """What indexing wants to know, first record with the largest timestamp included."""
    of_record = []
    for batch in iter_batches(log):
        times = [(record.timestamp, record.offset) for record in batch.records()]
        found = next((offset for time, offset in times if time == batch.max_timestamp), batch.last_offset)
        of_record.append(batch.last_offset if batch.compression or batch.timestamp_type else found)
    return IndexedBatches.from_headers(
        read_batch_headers(log), max_timestamp_offset=np.array(of_record, dtype=np.int64), append_id=append_id
    )


SEGMENTS = (0, 34, 68, 102)
LAST = stem(SEGMENTS[-1])


def sound_folder(**how: Any) -> Folder:
    """Four segments without gaps; the last is in use: its indexes end in zeros."""
    folder: Folder = {}
    for number, base_offset in enumerate(SEGMENTS):
        batches = segment_batches(base_offset, BASE_TIMESTAMP_MS + number * 100_000, epoch=number)
        in_use = base_offset == SEGMENTS[-1]
        folder |= segment(base_offset, batches, closed=not in_use, padding=5 * in_use, **how)
    return folder


def compacted_folder() -> Folder:
    """What a cleaner leaves: gaps, batches with fewer records, an empty one, a delete horizon; a segment in use."""
    time = BASE_TIMESTAMP_MS
    survivor = batch_of(10, record_bytes(offset_delta=2), 1, time + 5, last_offset_delta=4)
    tombstone = batch_of(
        30,
        record_bytes(offset_delta=0, value=None, timestamp_delta=-86_400_000),
        1,
        time + 86_400_000 + 9,
        max_timestamp=time + 9,
        last_offset_delta=9,
        attributes=bit("has_delete_horizon"),
    )
    producer = {"producer_id": 9, "producer_epoch": 0, "base_sequence": 4}
    empty = batch_of(50, b"", 0, time + 20, base_timestamp=-1, last_offset_delta=9, **producer)
    cleaned = [data_batch(3, time), survivor, data_batch(20, time + 6), tombstone, data_batch(40, time + 11), empty]
    folder = segment(0, cleaned, profile="last-offset", append_id=[0, 0, 1, 1, 2, 2])
    # A cleaner up to 3.9.0 gives its append the offset of the last record, not that of the last batch: 30, not 39.
    folder = entries(".index", put(0, relative_offset=30))(folder)
    return folder | segment(60, [data_batch(70, time + 30)], profile="last-offset", closed=False, padding=3)


def write(folder: Mapping[str, bytes], path: Path) -> Path:
    """Put the files into a folder of that path; names may begin with that of a folder in it."""
    path.mkdir(parents=True, exist_ok=True)
    for name, data in folder.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_bytes(data)
    return path


# Changes


def log_changed(folder: Folder, number: int, change: Callable[[bytes], bytes], base_offset: int = 0) -> Folder:
    """The folder with one batch of a log changed; the indexes stay as they are."""
    name = f"{stem(base_offset)}.log"
    batches = [batch.raw for batch in iter_batches(folder[name])]
    batches[number] = change(batches[number])
    return folder | {name: b"".join(batches)}


def log_changed_at_end(folder: Folder, stem: str, **fields: int) -> Folder:
    """The folder with other fields in the last batch of a log, whatever lies before it; no checksum is mended.

    The batch is the last of the sound log, which the folder's has the size of.
    """
    sound = sound_folder()[f"{stem}.log"]
    last = list(iter_batches(sound))[-1]
    log = folder[f"{stem}.log"]
    assert len(log) == len(sound)
    return folder | {f"{stem}.log": log[: last.position] + patched(log[last.position :], mend=False, **fields)}


def mended(log: bytes) -> bytes:
    """The log with right checksums, as far as its framing goes."""
    headers = read_batch_headers(log)
    parts = [
        patched(log[position : position + size])
        for position, size in zip(headers.position.tolist(), headers.size.tolist(), strict=True)
    ]
    return b"".join(parts) + log[headers.valid_bytes :]


def header(number: int, *, mend: bool = True, base_offset: int = 0, **fields: int) -> Callable[[Folder], Folder]:
    """Other header fields in one batch."""
    return lambda folder: log_changed(folder, number, lambda batch: patched(batch, mend=mend, **fields), base_offset)


def replaced(change: Callable[[bytes], bytes], number: int = 1) -> Callable[[Folder], Folder]:
    """A folder of one segment in use with three batches, one of them made anew, and empty indexes.

    ``change`` gets the sound batch.
    """

    def made(folder: Folder) -> Folder:
        batches = [data_batch(offset, BASE_TIMESTAMP_MS + number) for number, offset in enumerate((0, 3, 99))]
        batches[number] = change(batches[number])
        return {f"{stem(0)}.log": b"".join(batches), f"{stem(0)}.index": bytes(8), f"{stem(0)}.timeindex": bytes(24)}

    return made


def payload(count: int, change: Callable[[bytes], bytes], **fields: int) -> Callable[[Folder], Folder]:
    """A batch whose payload of plain records is changed."""

    def changed(batch: bytes) -> bytes:
        records = b"".join(record_bytes(offset_delta=number) for number in range(3))
        return batch_of(3, change(records), count, BASE_TIMESTAMP_MS + 1, **fields)

    return replaced(changed)


def records(*made: bytes, **fields: int) -> Callable[[Folder], Folder]:
    """A batch of these records, in a range of three offsets."""
    return payload(len(made), lambda _: b"".join(made), **{"last_offset_delta": 2, **fields})


def marker(**record: Any) -> Callable[[Folder], Folder]:
    """A transaction's end with other key, value, ..."""
    return replaced(lambda batch: marker_batch(3, BASE_TIMESTAMP_MS + 1, **record))


def control(batch_count: int, **fields: int) -> Callable[[Folder], Folder]:
    """A batch of so many commits, with other header fields."""

    def made(batch: bytes) -> bytes:
        one: Any = next(iter_batches(marker_batch(3, BASE_TIMESTAMP_MS + 1))).parse()
        parts = [
            record_bytes(offset_delta=number, key=one.records[0].key, value=one.records[0].value)
            for number in range(batch_count)
        ]
        attributes = bit("is_control") | bit("is_transactional")
        known = {"attributes": attributes, "producer_id": 7, "producer_epoch": 0}
        return batch_of(3, b"".join(parts), batch_count, BASE_TIMESTAMP_MS + 1, **{**known, **fields})

    return replaced(made)


def entries(suffix: str, change: Callable[[Any], Any], base_offset: int = 0) -> Callable[[Folder], Folder]:
    """An index with other entries: ``change`` gets a structured array and changes it, or returns another."""
    name = f"{stem(base_offset)}{suffix}"
    dtype = layout({".index": "offset_index::entry", ".timeindex": "time_index::entry"}[suffix]).dtype

    def changed(folder: Folder) -> Folder:
        array = np.frombuffer(folder[name], dtype).copy()
        other = change(array)
        return folder | {name: (array if other is None else other).tobytes()}

    return changed


def left(suffix: str, older: Callable[[Any], Any]) -> Callable[[Folder], Folder]:
    """What a truncation leaves in an index of the last segment: ``older`` gets its entries and gives those behind."""

    def change(array: Any) -> Any:
        used = array[array != np.zeros(1, array.dtype)]
        behind = older(used)
        padding = np.zeros(max(1, len(array) - len(used) - len(behind)), array.dtype)
        return np.concatenate([used, behind, padding]).astype(array.dtype)  # joined they are of native byte order

    return entries(suffix, change, SEGMENTS[-1])


def of_older_log(array: Any) -> Any:
    """Two entries of a log that went far beyond the last of these."""
    older = array[-2:].copy()
    for name in older.dtype.names:
        older[name] += 100_000
    return older


def put(number: int, **fields: int) -> Callable[[Any], None]:
    """A change of an array: other values in one entry."""

    def change(array: Any) -> None:
        for name, value in fields.items():
            array[name][number] = value

    return change


def add(number: int, **fields: int) -> Callable[[Any], None]:
    """A change of an array: values added to one entry."""

    def change(array: Any) -> None:
        for name, value in fields.items():
            array[name][number] += value

    return change


def appended(name: str, data: bytes) -> Callable[[Folder], Folder]:
    return lambda folder: folder | {name: folder.get(name, b"") + data}


def without(*names: str) -> Callable[[Folder], Folder]:
    return lambda folder: {name: data for name, data in folder.items() if name not in names}


def _set_length(**fields: int) -> Callable[[Folder], Folder]:
    """A batch of the first segment that does not lead to the next; the offset index knows of batches behind it."""
    return header(2, mend=False, **fields)


def _loop(path: Path) -> None:
    os.symlink(f"{stem(0)}.index", path / f"{stem(0)}.index")


def _sparse(path: Path) -> None:
    os.truncate(path / f"{stem(0)}.index", 2**31)


def length_off_by(size: int) -> Callable[[Folder], Folder]:
    """The same with a length that is only a little wrong, so that the walk goes astray behind it."""

    def changed(batch: bytes) -> bytes:
        length = BATCH.reader("batch_length")(batch, 0)
        return patched(batch, mend=False, batch_length=int(length) + size)

    return lambda folder: log_changed(folder, 3, changed)


def like_an_older_batch(folder: Folder) -> Folder:
    """A length that is too short and leads into a value which looks like a batch of magic 0."""
    older = bytes(8) + b"\0\0\0\x20" + bytes(60)
    batches = segment_batches(0, BASE_TIMESTAMP_MS, epoch=0)
    batches[3] = batch_of(9, record_bytes(offset_delta=0, value=older), 1, BASE_TIMESTAMP_MS + 20, last_offset_delta=2)
    length = batches[3].find(older) - layout("record_batch").end("batch_length")
    return folder | log_changed(segment(0, batches), 3, lambda batch: patched(batch, mend=False, batch_length=length))


@dataclass(frozen=True)
class Damage:
    """``change`` breaks ``rule``; ``expected`` are all rules that find something then, ``options`` those of `check`.

    ``on_disk`` does what bytes cannot: it gets the folder's path after the files have been written.
    """

    rule: str
    name: str
    change: Callable[[Folder], Folder]
    expected: frozenset[str] = frozenset()
    options: dict[str, Any] = field(default_factory=dict)
    on_disk: Callable[[Path], None] | None = None

    @property
    def rules(self) -> frozenset[str]:
        return self.expected | {self.rule}

    def __str__(self) -> str:
        return f"{self.rule}-{self.name}"


def _damage(rule: str, name: str, change: Callable[[Folder], Folder], *others: str, **more: Any) -> Damage:
    return Damage(rule, name, change, frozenset(others), **more)


ZERO = stem(0)
THIRD = stem(SEGMENTS[2])

DAMAGES = (
    # The folder
    _damage("KF0001", "something foreign", appended("notes.txt", b"")),
    _damage("KF0201", "taken for an older batch", header(1, mend=False, magic=1)),
    _damage("KF0002", "a link to itself", without(f"{ZERO}.index"), on_disk=_loop),
    _damage("KF0003", "a name that is no number", appended("first.log", b"")),
    _damage("KF0003", "a name without its zeros", appended("42.index", b"")),
    _damage("KF0004", "an index without its log", appended(f"{stem(40)}.timeindex", b"")),
    _damage("KF0005", "no offset index", without(f"{ZERO}.index")),
    _damage("KF0006", "no time index", without(f"{ZERO}.timeindex")),
    _damage(
        "KF0007",
        "a batch of the next segment",
        appended(f"{ZERO}.log", data_batch(34, BASE_TIMESTAMP_MS, partition_leader_epoch=1)),
    ),
    _damage("KF0008", "a segment is missing", without(*(f"{stem(34)}{s}" for s in (".log", ".index", ".timeindex")))),
    _damage("KF0009", "too large to be mapped", lambda folder: folder, on_disk=_sparse),
    # Framing
    _damage("KF0101", "a length below a header", _set_length(batch_length=20)),
    _damage("KF0101", "a length of nothing", _set_length(batch_length=0)),
    _damage("KF0101", "a negative length", _set_length(batch_length=-1)),
    _damage("KF0102", "the last batch cut off", lambda f: f | {f"{LAST}.log": f[f"{LAST}.log"][:-1]}),
    _damage("KF0102", "a length beyond the end", _set_length(batch_length=2**31 - 1)),
    _damage("KF0103", "a few bytes at the end", appended(f"{LAST}.log", b"abcde")),
    _damage("KF0104", "zeros at the end", appended(f"{LAST}.log", bytes(4096))),
    _damage("KF0105", "a magic to come", header(2, mend=False, magic=3)),
    _damage("KF0105", "a negative magic", header(2, mend=False, magic=-1)),
    _damage(
        "KF0106",
        "a batch over the limit",
        replaced(lambda b: data_batch(3, BASE_TIMESTAMP_MS + 1, 30)),
        options={"inflate_limit": 600},
    ),
    _damage("KF0101", "a length that is too short", length_off_by(-8), "KF0201"),
    _damage("KF0102", "a length that is a little too short", length_off_by(-1), "KF0201"),
    _damage("KF0105", "something like an older batch", like_an_older_batch, "KF0201"),
    _damage("KF0107", "a length that is too long", length_off_by(200), "KF0201"),
    # Headers
    _damage("KF0201", "another checksum", header(2, mend=False, crc=1)),
    _damage("KF0201", "another byte", header(2, mend=False, max_timestamp=5)),
    _damage("KF0202", "a reserved bit", header(2, attributes=bit("reserved"))),
    _damage("KF0203", "an unknown codec", header(2, attributes=7)),
    _damage("KF0204", "a negative delta", replaced(lambda b: patched(b, last_offset_delta=-1), 2), "KF0308"),
    _damage("KF0205", "a negative count", replaced(lambda b: patched(b, records_count=-1))),
    _damage("KF0206", "more records than offsets", replaced(lambda b: patched(b, last_offset_delta=1)), "KF0308"),
    _damage("KF0207", "below the segment", replaced(lambda b: patched(b, base_offset=-5), 0)),
    _damage("KF0207", "too far above the segment", replaced(lambda b: patched(b, base_offset=2**31), 2)),
    _damage("KF0208", "a batch twice", replaced(lambda b: patched(b, base_offset=1))),
    _damage("KF0209", "an epoch back", replaced(lambda b: patched(b, partition_leader_epoch=9))),
    _damage("KF0210", "a time before all times", replaced(lambda b: patched(b, max_timestamp=-2)), "KF0309"),
    _damage("KF0215", "seconds", replaced(lambda b: data_batch(3, BASE_TIMESTAMP_MS // 1000))),
    _damage("KF0215", "microseconds", replaced(lambda b: data_batch(3, BASE_TIMESTAMP_MS * 1000))),
    _damage("KF0216", "the year 2200", replaced(lambda b: data_batch(3, 7_258_118_400_000))),
    _damage("KF0211", "no epoch", replaced(lambda b: patched(b, producer_id=5, base_sequence=0))),
    _damage("KF0211", "no sequence", replaced(lambda b: patched(b, producer_id=5, producer_epoch=0))),
    _damage("KF0211", "a negative id", replaced(lambda b: patched(b, producer_id=-2))),
    _damage("KF0211", "a negative epoch", replaced(lambda b: patched(b, producer_id=5, producer_epoch=-2))),
    _damage("KF0211", "a marker with a sequence", control(1, base_sequence=0)),
    _damage("KF0212", "no producer", replaced(lambda b: patched(b, attributes=bit("is_transactional")))),
    _damage(
        "KF0213",
        "no time to delete at",
        records(
            record_bytes(offset_delta=0, timestamp_delta=BASE_TIMESTAMP_MS + 2),
            attributes=bit("has_delete_horizon"),
            base_timestamp=-1,
        ),
    ),
    # Records
    _damage("KF0301", "no gzip", replaced(lambda b: patched(b, attributes=1))),
    _damage(
        "KF0302",
        "a bomb",
        replaced(lambda b: data_batch(3, BASE_TIMESTAMP_MS + 1, 30, codec=1)),
        options={"inflate_limit": 600},
    ),
    _damage("KF0303", "a record too few", payload(4, lambda data: data)),
    _damage("KF0303", "no record at all", payload(3, lambda data: b"")),
    _damage("KF0304", "a record too many", payload(2, lambda data: data, last_offset_delta=2)),
    _damage("KF0304", "bytes in an empty batch", payload(0, lambda data: data, last_offset_delta=2)),
    _damage("KF0305", "a length too long", payload(3, lambda data: bytes([data[0] + 2]) + data[1:])),
    _damage("KF0305", "a varint that does not end", payload(3, lambda data: b"\x80" * len(data))),
    _damage("KF0305", "the last record cut", payload(3, lambda data: data[:-1])),
    _damage("KF0306", "a negative count of headers", payload(1, lambda d: d[: len(d) // 3 - 1] + b"\x01")),
    _damage("KF0306", "headers that are not there", payload(1, lambda d: d[: len(d) // 3 - 1] + b"\x02")),
    _damage("KF0307", "an offset twice", records(*(record_bytes(offset_delta=n) for n in (0, 1, 1)))),
    _damage("KF0308", "an offset behind the last", records(*(record_bytes(offset_delta=n) for n in (0, 1, 3)))),
    _damage("KF0308", "an offset before the first", records(*(record_bytes(offset_delta=n) for n in (-1, 1, 2)))),
    _damage("KF0309", "a time above all records", replaced(lambda b: patched(b, max_timestamp=BASE_TIMESTAMP_MS + 9))),
    _damage("KF0309", "a record above that time", records(record_bytes(offset_delta=0, timestamp_delta=1))),
    _damage("KF0310", "attributes of a record", records(record_bytes(offset_delta=0, attributes=1))),
    _damage("KF0311", "two ends in one batch", control(2)),
    _damage("KF0312", "a short key", marker(key=b"\0\0\0")),
    _damage("KF0312", "no key", marker(key=None)),
    _damage("KF0312", "a negative version", marker(key=b"\xff\xff\0\x01")),
    _damage("KF0313", "an unknown type", marker(key=b"\0\0\0\x63")),
    _damage("KF0314", "a short value", marker(value=b"\0\0\0\0\0")),
    _damage("KF0314", "no value", marker(value=None)),
    _damage("KF0314", "a negative version", marker(value=b"\xff\xff\0\0\0\x01")),
    _damage("KF0315", "a commit outside of transactions", control(1, attributes=bit("is_control"))),
    # The offset index
    _damage("KF0401", "half an entry", appended(f"{ZERO}.index", b"\0\0\0\x01")),
    _damage("KF0402", "a negative offset", entries(".index", put(1, relative_offset=-1))),
    _damage("KF0402", "a negative position", entries(".index", put(1, position=-1))),
    _damage("KF0403", "an entry twice", entries(".index", lambda array: array[[0, 1, 1, 2, 3]])),
    _damage(
        "KF0403", "two entries exchanged", entries(".index", lambda array: array[[0, 2, 1, *range(3, len(array))]])
    ),
    _damage("KF0403", "a hole of zeros", entries(".index", put(slice(1, 3), relative_offset=0, position=0))),  # type: ignore[arg-type]
    _damage("KF0404", "not cut to its entries", appended(f"{ZERO}.index", bytes(80))),
    _damage("KF0405", "beyond the log", entries(".index", put(-1, position=2**31 - 1))),
    _damage("KF0406", "in the middle of a batch", entries(".index", add(1, position=1))),
    _damage("KF0407", "an offset too high", entries(".index", add(1, relative_offset=1))),
    _damage("KF0407", "an offset too low", entries(".index", add(1, relative_offset=-5))),
    _damage(
        "KF0407",
        "the first offset where the last is written",
        entries(".index", add(1, relative_offset=-2)),
        options={"profile": "per-batch"},
    ),
    _damage("KF0408", "too close", lambda folder: folder, options={"index_interval_bytes": 2000}),
    _damage("KF0409", "an older end with later positions", left(".index", of_older_log)),
    _damage("KF0409", "an older end whose offsets fall", left(".index", lambda array: array[-2:])),
    # The time index
    _damage("KF0501", "half an entry", appended(f"{ZERO}.timeindex", b"\0\0\0\x01")),
    _damage("KF0502", "a negative offset", entries(".timeindex", put(1, relative_offset=-1))),
    _damage("KF0503", "an entry twice", entries(".timeindex", lambda array: array[[0, 1, 1, *range(2, len(array))]])),
    _damage("KF0503", "an offset back", entries(".timeindex", put(1, relative_offset=0))),
    _damage("KF0504", "not cut to its entries", appended(f"{ZERO}.timeindex", bytes(120))),
    _damage("KF0505", "beyond the log", entries(".timeindex", put(-1, relative_offset=10**6))),
    _damage("KF0506", "a time too low", entries(".timeindex", add(1, timestamp=-1))),
    _damage("KF0506", "an offset too high", entries(".timeindex", add(-2, relative_offset=3))),
    _damage("KF0507", "a time that no batch has", entries(".timeindex", add(1, timestamp=1))),
    _damage("KF0508", "an offset behind a late batch", entries(".timeindex", add(1, relative_offset=3))),
    _damage("KF0508", "no record of that time", entries(".timeindex", add(1, relative_offset=-1))),
    _damage("KF0509", "no last entry", entries(".timeindex", lambda array: array[:-1])),
    _damage("KF0509", "no entries", entries(".timeindex", lambda array: array[:0])),
    _damage("KF0510", "an older end with later offsets", left(".timeindex", of_older_log)),
    _damage("KF0510", "an older end with earlier times", left(".timeindex", lambda array: array[-2:])),
)
