"""Rows of a declared format as columns, one thread, CPU seconds: `kformat.scan` of a file in the page cache.

*Fixed*: rows of 32 bytes, big-endian, of which four columns are wanted; next to numpy's `frombuffer` of the same file
with a copy of each column in the machine's byte order. *Of any size*: rows with texts, lists of numbers and a
conditional structure, by kernels, all columns. *One of four cases*: the same with one of four types. Next to the read-
only Python classes of Kaitai's compiler 0.11 and to construct, which make objects and no columns, and to kformat's
codec. *Frames*: of a device, with a sync word, a varint, one of three payloads and a CRC-16, up to an index that a
trailer at the end of the file leads to; next to a plain loop with `struct` and `binascii`, which makes tuples. The same
with `DAMAGED` damages, a bit in a payload, a length, a sync word, or bytes put in; next to a loop that goes on at the
next sync word with a right CRC-16, which would take a frame inside a broken frame's payload, too; and with random bytes
put into the middle of the file.
*Values*: 9 million Kafka records (few with `--rounds 1`) with a value of 100 bytes to a Parquet file (zstd), as the
structure that ten fields declare, and as the bytes that they are; *of any size*: with a text whose length is in front
of it. What it does not show: disks, several files, compiling the kernel.
"""

from __future__ import annotations

import binascii
import random
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import construct
import numpy as np

import kformat
from bench.compare import Case, table
from kformat.columns.scanning import Scan
from kformat.kafka.batch.writing import Columns, build_batch
from kformat.kafka.columns.arrow import file_writer
from kformat.kafka.files.file_kinds import file_name
from kformat.language.layout import layout
from tests.judges.kaitai import KAITAI
from tests.judges.required import why_missing
from tests.language.beside_kaitai import class_of, compile_all

FIXED = """
meta: {id: bench_fixed, endian: be}
seq: [{id: magic, contents: FIX}, {id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: time, type: s8}
      - {id: price, type: f8}
      - {id: count, type: u4, valid: {max: 1000000}}
      - {id: side, type: u2}
      - {id: symbol, type: str, size: 6, encoding: ASCII}
      - {id: raw, size: 4}
"""
OF_ANY_SIZE = """
meta: {id: bench_rows, endian: be}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: time, type: s8}
      - {id: kind, type: u1, enum: kind}
      - {id: name_length, type: u1}
      - {id: name, type: str, size: name_length, encoding: UTF-8}
      - {id: count, type: u2}
      - {id: values, type: s4, repeat: expr, repeat-expr: count}
      - BODY
  a: {seq: [{id: x, type: u4}]}
  b: {seq: [{id: y, type: f8}]}
  c: {seq: [{id: length, type: u2}, {id: z, size: length}]}
  d: {seq: [{id: p, type: u1}, {id: q, type: u1}]}
enums: {kind: {0: a, 1: b, 2: c, 3: d}}
"""
PLAIN = OF_ANY_SIZE.replace("BODY", "{id: body, type: b, if: 'kind == kind::b'}")
CASES = OF_ANY_SIZE.replace(
    "BODY",
    "{id: body, type: {switch-on: kind, cases: {'kind::a': a, 'kind::b': b, 'kind::c': c, 'kind::d': d}}}",
).replace("bench_rows", "bench_cases")

TICK = """
meta: {id: tick, endian: be}
seq:
  - {id: time, type: s8}
  - {id: order_id, type: u8}
  - {id: price, type: f8}
  - {id: size, type: u4, valid: {max: 1000000}}
  - {id: side, type: u1, enum: side}
  - {id: account_size, type: u1}
  - {id: account, type: str, size: SIZE, encoding: UTF-8}
  - {id: venue, type: u2}
  - {id: levels, type: u4, repeat: expr, repeat-expr: 6}
  - {id: signature, size: 32}
enums: {side: {0: buy, 1: sell}}
"""
TICK_DTYPE = [
    *(("time", "i8"), ("order_id", "u8"), ("price", "f8"), ("size", "u4"), ("side", "u1"), ("account_size", "u1")),
    *(("account", "S12"), ("venue", "u2"), ("levels", "u4", 6), ("signature", "u1", 32)),
]

DEVICE = """
meta: {id: bench_device, endian: le, imports: [varint]}
seq:
  - {id: magic, contents: DEVC}
  - {id: frames, type: frame, repeat: until, repeat-until: _io.pos >= trailer.index_position}
  - {id: index, size: 4 * trailer.index_count}
  - {id: end, type: trailer}
instances:
  trailer: {pos: _io.size - 16, type: trailer}
types:
  frame:
    -checksum: {algorithm: CRC-16/IBM-3740, field: crc, from: body, to: body}
    seq:
      - {id: sync, contents: [0xd5, 0xaa]}
      - {id: length, type: u2}
      - {id: body, type: body, size: length}
      - {id: crc, type: u2}
  body:
    seq:
      - {id: kind, type: u1}
      - {id: delta, type: "varint::unsigned(10)"}
      - {id: content, size-eos: true, type: {switch-on: kind, cases: {1: place, 2: motion, 3: remark}}}
  place:
    seq: [{id: lat, type: s4}, {id: lon, type: s4}, {id: height, type: s2}]
    instances: {latitude: {value: lat / 1e7}, longitude: {value: lon / 1e7}}
  motion:
    seq: [{id: count, type: u1}, {id: x, type: s2, repeat: expr, repeat-expr: count}]
  remark: {seq: [{id: text, type: str, size-eos: true, encoding: UTF-8}]}
  trailer: {seq: [{id: index_position, type: u8}, {id: index_count, type: u4}, {id: magic, contents: CVED}]}
"""

FIXED_ROWS = 1_000_000
DEVICE_FRAMES = 180_000
DAMAGED = 20
LOST_BYTES = 40 << 20
RECORDS = 9_000_000
FEW_RECORDS = 200_000
RECORDS_OF_BATCH = 500
ROWS = 100_000
MOST_ROUNDS = 5
WANTED = ["time", "price", "count", "side"]


def some_rows(count: int, with_cases: bool) -> bytes:
    """The bytes of so many rows of any size."""
    chance, parts = random.Random(7), []
    bodies = [struct.pack(">I", 7), struct.pack(">d", 1.5), struct.pack(">H", 5) + b"hello", b"\1\2"]
    for number in range(count):
        kind, values = number % 4, chance.randrange(4)
        parts.append(struct.pack(">qBB", number, kind, 6) + b"name%02d" % (number % 100))
        parts.append(struct.pack(f">H{values}i", values, *range(values)))
        parts.append(bodies[kind] if with_cases or kind == 1 else b"")
    return b"".join(parts)


def counted(scan: Scan, **inner: Any) -> Callable[[], int]:
    """Reads all rows, each batch dropped before the next."""
    how = Scan(scan._paths, scan._plan, **scan._how | inner)
    return lambda: sum(batch.num_rows for batch in how)


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """Rows of a fixed size, two kinds of others, and records; their files are removed at the end."""
    with tempfile.TemporaryDirectory(prefix="kformat-rows-") as folder:
        yield [*cases(Path(folder)), *of_records(Path(folder), FEW_RECORDS if is_small else RECORDS)]


def cases(folder: Path) -> list[Case]:
    """Rows of a fixed size, and two kinds of others."""
    for name, text in (("bench_fixed", FIXED), ("bench_rows", PLAIN), ("bench_cases", CASES)):
        (folder / f"{name}.ksy").write_text(text)
    found = [fixed(folder), device(folder), damaged_device(folder), device_with_lost_bytes(folder)]
    kaitai = why_missing(KAITAI) is None
    if kaitai:
        compile_all([folder / "bench_rows.ksy", folder / "bench_cases.ksy"], folder)
    for name, words in (("bench_rows", "of any size"), ("bench_cases", "one of four cases")):
        data, path = some_rows(ROWS, name == "bench_cases"), folder / name
        path.write_bytes(data)
        scan = kformat.scan(path, str(folder / f"{name}.ksy"))
        ways = {"kformat.scan": counted(scan, with_kernels=True)}
        ways["kformat.scan by the codec"] = counted(scan, with_kernels=False)
        if kaitai:
            kind: Any = class_of(name, folder)
            ways["Kaitai's classes, objects"] = lambda kind=kind, path=path: len(kind.from_file(str(path)).rows)  # type: ignore[misc]
        ways["construct, objects"] = by_construct(path, name == "bench_cases")
        found.append(
            Case(f"rows, {words}", "rows", ROWS, len(data), ways, clocks=dict.fromkeys(ways, time.process_time))
        )
    return found


def device_file(count: int) -> bytes:
    """A file of so many frames. Its index has every thousandth of them."""
    chance, parts, position, index = random.Random(11), [b"DEVC"], 4, list[bytes]()
    for number in range(count):
        kind = chance.choices((1, 2, 3), (25, 65, 10))[0]
        if kind == 1:
            content = struct.pack("<iih", 481234567 + number, 115678901 - number, chance.randrange(9999))
        elif kind == 2:
            content = struct.pack("<B32h", 32, *(chance.randrange(-9999, 9999) for _ in range(32)))
        else:
            content = chance.choice(("gear up", "flaps 15°", "autopilot off")).encode()
        delta = chance.randrange(500)
        varint = bytes([delta]) if delta < 128 else bytes([delta & 127 | 128, delta >> 7])
        body = bytes([kind]) + varint + content
        frame = b"\xd5\xaa" + struct.pack("<H", len(body)) + body + struct.pack("<H", binascii.crc_hqx(body, 0xFFFF))
        if number % 1000 == 0:
            index.append(struct.pack("<I", position))
        parts.append(frame)
        position += len(frame)
    return b"".join([*parts, *index, struct.pack("<QI4s", position, len(index), b"CVED")])


def frames_plainly(data: bytes, *, verified: bool) -> list[Any]:
    """The frames of `device_file`, as one would read them in Python without a library."""
    position, frames = 4, []
    end, _, _ = struct.unpack_from("<QI4s", data, len(data) - 16)
    while position < end:
        sync, length = struct.unpack_from("<2sH", data, position)
        body = data[position + 4 : position + 4 + length]
        (crc,) = struct.unpack_from("<H", data, position + 4 + length)
        if sync != b"\xd5\xaa" or (verified and binascii.crc_hqx(body, 0xFFFF) != crc):
            raise ValueError(position)
        kind, at, delta, shift = body[0], 1, 0, 0
        while True:
            byte = body[at]
            at, delta, shift = at + 1, delta | (byte & 127) << shift, shift + 7
            if byte < 128:
                break
        content: Any
        if kind == 1:
            content = struct.unpack_from("<iih", body, at)
            content += content[0] / 1e7, content[1] / 1e7
        elif kind == 2:
            content = struct.unpack_from(f"<{body[at]}h", body, at + 1)
        else:
            content = body[at:].decode()
        frames.append((kind, delta, content, crc))
        position += 6 + length
    return frames


def device(folder: Path) -> Case:
    """Frames with a checksum, and what is computed of them, next to a loop."""
    path, declaration = folder / "device.bin", folder / "bench_device.ksy"
    declaration.write_text(DEVICE)
    data = device_file(DEVICE_FRAMES)
    path.write_bytes(data)
    ways = {
        "kformat.scan, CRC-16 verified": counted(kformat.scan(path, declaration), with_kernels=True),
        "kformat.scan, checksums=False": counted(kformat.scan(path, declaration, checksums=False), with_kernels=True),
        "a loop in Python, CRC-16 verified": lambda: len(frames_plainly(data, verified=True)),
        "a loop in Python, not verified": lambda: len(frames_plainly(data, verified=False)),
    }
    clocks = dict.fromkeys(ways, time.process_time)
    return Case("frames of a device, to columns", "frames", DEVICE_FRAMES, len(data), ways, clocks=clocks)


def frames_after_damage(data: bytes) -> int:
    """How many frames of `device_file` a loop finds that looks for the next sync word after damage."""
    position, count = 4, 0
    while position < len(data):
        try:
            sync, length = struct.unpack_from("<2sH", data, position)
            (crc,) = struct.unpack_from("<H", data, position + 4 + length)
            is_sound = (
                sync == b"\xd5\xaa" and binascii.crc_hqx(data[position + 4 : position + 4 + length], 0xFFFF) == crc
            )
        except struct.error:
            is_sound = False
        if is_sound:
            count, position = count + 1, position + 6 + length
            continue
        position = data.find(b"\xd5\xaa", position + 1)
        if position < 0:
            break
    return count


def damaged_device(folder: Path) -> Case:
    """Frames, some of them damaged."""
    path, declaration, chance = folder / "damaged.bin", folder / "bench_device.ksy", random.Random(12)
    data = bytearray(device_file(DEVICE_FRAMES))
    for number in range(DAMAGED):
        sync = data.index(b"\xd5\xaa", chance.randrange(len(data) * 9 // 10))
        match number % 4:
            case 0:
                data[sync + 5] ^= 16
            case 1:
                data[sync + 2] ^= 4
            case 2:
                data[sync] ^= 1
            case _:
                data[sync:sync] = b"not a frame"
    return skipping("frames of a device, damaged, to columns", path, bytes(data), declaration)


def device_with_lost_bytes(folder: Path) -> Case:
    """Frames with bytes between them that are none."""
    data, chance = device_file(DEVICE_FRAMES), random.Random(13)
    middle = data.index(b"\xd5\xaa", len(data) // 2)
    whole = data[:middle] + chance.randbytes(LOST_BYTES) + data[middle:]
    path = folder / "lost.bin"
    return skipping("frames of a device, random bytes between them", path, whole, folder / "bench_device.ksy")


def skipping(name: str, path: Path, data: bytes, declaration: Path) -> Case:
    """The sound frames of a damaged file, next to a loop."""
    path.write_bytes(data)
    scan = kformat.scan(path, declaration, on_corrupt="skip")
    ways = {"kformat.scan, on_corrupt=skip": counted(scan, with_kernels=True)}
    ways["a loop in Python that looks for sync words"] = lambda: frames_after_damage(data)
    clocks = dict.fromkeys(ways, time.process_time)
    return Case(name, "frames", frames_after_damage(data), len(data), ways, clocks=clocks)


def by_construct(path: Path, with_cases: bool) -> Callable[[], int]:
    """The rows as construct reads them."""
    bodies = {
        0: construct.Struct("x" / construct.Int32ub),
        1: construct.Struct("y" / construct.Float64b),
        2: construct.Struct("length" / construct.Int16ub, "z" / construct.Bytes(construct.this.length)),
        3: construct.Struct("p" / construct.Int8ub, "q" / construct.Int8ub),
    }
    row = construct.Struct(
        "time" / construct.Int64sb,
        "kind" / construct.Int8ub,
        "name_length" / construct.Int8ub,
        "name" / construct.StringEncoded(construct.Bytes(construct.this.name_length), "utf8"),
        "count" / construct.Int16ub,
        "values" / construct.Int32sb[construct.this.count],
        "body" / construct.Switch(construct.this.kind, bodies if with_cases else {1: bodies[1]}),
    )
    rows = construct.GreedyRange(row)
    return lambda: len(rows.parse(path.read_bytes()))


def fixed(folder: Path) -> Case:
    """Rows of 32 bytes, next to numpy."""
    dtype, path = layout(f"{folder / 'bench_fixed.ksy'}::row").dtype, folder / "fixed"
    rows = np.zeros(FIXED_ROWS, dtype)
    rows["time"], rows["count"] = np.arange(FIXED_ROWS), np.arange(FIXED_ROWS) % 1000
    rows["price"], rows["symbol"] = 1.5, b"ABCDEF"
    path.write_bytes(b"FIX" + rows.tobytes())

    def by_numpy() -> int:
        found = np.frombuffer(path.read_bytes(), dtype, FIXED_ROWS, 3)
        copies = [found[name].astype(found[name].dtype.newbyteorder("=")) for name in WANTED]
        return len(copies[0])

    scan = kformat.scan(path, str(folder / "bench_fixed.ksy"), columns=WANTED)
    ways = {"kformat.scan": counted(scan), "numpy's frombuffer, copies": by_numpy}
    size = path.stat().st_size
    return Case("rows, fixed size", "rows", FIXED_ROWS, size, ways, clocks=dict.fromkeys(ways, time.process_time))


def write_ticks(folder: Path, count: int) -> Path:
    """A partition with so many records, in one segment: keys of 10 bytes, values of 100."""
    folder.mkdir()
    chance = np.random.default_rng(7)
    with open(folder / file_name(0, "log"), "wb") as file:
        for first in range(0, count, RECORDS_OF_BATCH):
            number = np.arange(first, first + RECORDS_OF_BATCH)
            rows = np.zeros(RECORDS_OF_BATCH, np.dtype(TICK_DTYPE).newbyteorder(">"))
            rows["time"], rows["order_id"] = 1_700_000_000_000_000 + 970 * number, 10**9 + number
            rows["price"] = np.round(100 + chance.normal(0, 1, RECORDS_OF_BATCH), 2)
            rows["size"], rows["side"] = chance.integers(1, 1000, RECORDS_OF_BATCH), number % 2
            rows["account_size"], rows["venue"] = 12, number % 10
            rows["account"] = [b"account-%04d" % one for one in chance.integers(0, 9999, RECORDS_OF_BATCH)]
            rows["levels"] = chance.integers(0, 1000, (RECORDS_OF_BATCH, 6))
            rows["signature"] = chance.integers(0, 256, (RECORDS_OF_BATCH, 32))
            values, size = rows.tobytes(), rows.dtype.itemsize
            columns = Columns(
                [1_700_000_000_000 + one for one in number.tolist()],
                [b"%010d" % one for one in number.tolist()],
                [values[at : at + size] for at in range(0, len(values), size)],
            )
            file.write(build_batch(columns, base_offset=first))
    return folder


def of_records(folder: Path, count: int) -> list[Case]:
    """Records to Parquet, with values as declared and as bytes."""
    partition = kformat.open(write_ticks(folder / "ticks-0", count))
    size = partition.segments[0].size_bytes
    found = []
    for words, length in (("100 bytes", "12"), ("100 bytes, of any size", "account_size")):
        path = folder / f"tick_{length}.ksy"
        path.write_text(TICK.replace("SIZE", length))

        def written(value_as: str | None) -> int:
            reader = partition.record_batches(value_as=value_as)
            with open(folder / "out.parquet", "wb") as file:
                writer = file_writer("parquet", file, reader.schema)
                rows = 0
                for batch in reader:
                    writer.write(batch)
                    rows += batch.num_rows
                writer.close()
            return rows

        ways = {"values as declared": partial(written, str(path)), "values as bytes": partial(written, None)}
        clocks = dict.fromkeys(ways, time.process_time)
        found.append(Case(f"records to Parquet, values of {words}", "records", count, size, ways, clocks=clocks))
    return found


__all__ = ["bench", "table"]
