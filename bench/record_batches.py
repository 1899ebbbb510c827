"""Reading and building record batches: the codec compared with kafka-python and aiokafka (C and Python).

All use the same batch: 100 records with a key of 10 bytes and a value of 100, uncompressed, 12 kB. Readers verify
the checksum and visit offset, timestamp, key and value of every record; builders give the same bytes.
kafka-python gets its checksum from the crc32c package; without it reading is five times slower.
What it does not show: compressed batches (all three call C code for that), and reading files.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import kformat
from bench.compare import Case
from kformat.kafka.batch.records import Batch
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch

RECORDS = 100
START_MS = 1_700_000_000_000
ROWS = [(START_MS + index, b"key-%06d" % index, b"v" * 90 + b"-%09d" % index) for index in range(RECORDS)]


def build_ours() -> bytes:
    records = [
        {"offset_delta": index, "timestamp_delta": time - START_MS, "key": key, "value": value}
        for index, (time, key, value) in enumerate(ROWS)
    ]
    batch = {"base_timestamp": START_MS, "max_timestamp": ROWS[-1][0], "records": records}
    return kformat.build("record_batch", {**batch, "partition_leader_epoch": 0})


def build_columns() -> bytes:
    """From columns, made anew each time as the others make their records."""
    columns = Columns([time for time, _, _ in ROWS], [key for _, key, _ in ROWS], [value for _, _, value in ROWS])
    return build_batch(columns, fields=BatchFields(leader_epoch=0))


def builder_peer(module: str) -> Callable[[], bytes]:
    make = __import__(
        f"{module}.record.default_records", fromlist=["DefaultRecordBatchBuilder"]
    ).DefaultRecordBatchBuilder
    unset = {"is_transactional": 0, "producer_id": -1, "producer_epoch": -1, "base_sequence": -1}

    def build() -> bytes:
        builder = make(magic=2, compression_type=0, batch_size=1 << 20, **unset)
        for index, (time, key, value) in enumerate(ROWS):
            builder.append(index, timestamp=time, key=key, value=value, headers=[])
        return bytes(builder.build())

    return build


def _visit(records: Any) -> list[tuple[int, int, bytes, bytes]]:
    return [(record.offset, record.timestamp, bytes(record.key), bytes(record.value)) for record in records]


def reader_ours(data: bytes) -> Callable[[], Any]:
    def read() -> Any:
        batch = Batch(data)
        assert batch.is_valid
        return _visit(batch.records())

    return read


def reader_parse(data: bytes) -> Callable[[], Any]:
    def read() -> Any:
        batch: Any = kformat.parse("record_batch", data)
        return [
            (batch.base_offset + item.offset_delta, batch.base_timestamp + item.timestamp_delta, item.key, item.value)
            for item in batch.records
        ]

    return read


def reader_peer(data: bytes, module: str) -> Callable[[], Any]:
    make = __import__(f"{module}.record.default_records", fromlist=["DefaultRecordBatch"]).DefaultRecordBatch

    def read() -> Any:
        batch = make(bytearray(data)) if module == "aiokafka" else make(data)
        assert batch.validate_crc()
        return _visit(batch)

    return read


def cases() -> list[Case]:
    """Reading and building, by everyone that can be loaded in this process."""
    data = build_ours()
    peers = {"kafka-python": "kafka", "aiokafka" + _flavour(): "aiokafka"}
    readers = {"kformat.parse": reader_parse(data), "kformat Batch.records": reader_ours(data)}
    readers |= {name: reader_peer(data, module) for name, module in peers.items()}
    builders: dict[str, Callable[[], Any]] = {"kformat.build": build_ours, "kformat.kafka.batch.writing": build_columns}
    builders |= {name: builder_peer(module) for name, module in peers.items()}
    return [
        Case("read a batch", "records", RECORDS, len(data), readers),
        Case("build a batch", "records", RECORDS, len(data), builders, _without_epoch),
    ]


def _flavour() -> str:
    return " (Python)" if os.environ.get("AIOKAFKA_NO_EXTENSIONS") else " (C)"


def _without_epoch(data: bytes) -> Any:
    """The peers put other leader epochs into a fresh batch; what the checksum covers must be the same."""
    batch = Batch(data)
    assert batch.is_valid
    return batch.computed_crc, batch.size
