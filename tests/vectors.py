"""Golden bytes that Kafka's own classes produced, with what they mean: one table for every test that wants some.

Sources: `DefaultRecordBatch`, `MemoryRecordsBuilder`, `LogValidator` and `MemoryRecords.filterTo` of Kafka's trunk on
JDK 17. A batch's `header` holds the fields that differ from `PLAIN`; its `records` are
(offset, timestamp, key, value, headers).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

RecordTuple = tuple[int, int, bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...]]


@dataclass(frozen=True)
class BatchVector:
    """One batch: its bytes, the header fields, and the records as a consumer sees them."""

    name: str
    hex: str
    header: dict[str, Any]
    records: tuple[RecordTuple, ...]
    attributes: dict[str, int] = field(default_factory=dict)

    @property
    def data(self) -> bytes:
        return bytes.fromhex(self.hex)

    @property
    def is_compressed(self) -> bool:
        return bool(self.attributes.get("compression"))


PLAIN: Final = {"magic": 2, "producer_id": -1, "producer_epoch": -1, "base_sequence": -1}
NO_ATTRIBUTES: Final = {
    "reserved": 0,
    "has_delete_horizon": 0,
    "is_control": 0,
    "is_transactional": 0,
    "timestamp_type": 0,
    "compression": 0,
}

_TWO: Final = (
    (0, 1000, b"k", b"v", (("h", b"x"),)),
    (1, 1001, None, None, ()),
)
_THREE: Final = (
    (100, 1000, b"a", b"1", ()),
    (101, 1005, b"b", b"2", ()),
    (102, 1003, b"c", None, ()),
)


def _two(length: int, crc: int) -> dict[str, Any]:
    return {
        "base_offset": 0,
        "batch_length": length,
        "partition_leader_epoch": 2,
        "crc": crc,
        "last_offset_delta": 1,
        "base_timestamp": 1000,
        "max_timestamp": 1001,
        "records_count": 2,
    }


def _three(base_offset: int, length: int, epoch: int, crc: int, **more: Any) -> dict[str, Any]:
    return {
        "base_offset": base_offset,
        "batch_length": length,
        "partition_leader_epoch": epoch,
        "crc": crc,
        "last_offset_delta": 2,
        "base_timestamp": 1000,
        "max_timestamp": 1005,
        "records_count": 3,
    } | more


BATCHES: Final = (
    # One producer batch in every codec.
    BatchVector(
        "none",
        "0000000000000000000000450000000202fa89176000000000000100000000000003e800000000000003e9ffffffffffffffffffffffff"
        "ffff0000000218000000026b027602026802780c000202010100",
        _two(69, 0xFA891760),
        _TWO,
    ),
    BatchVector(
        "gzip",
        "00000000000000000000005900000002029cdcf2c700010000000100000000000003e800000000000003e9ffffffffffffffffffffffff"
        "ffff000000021f8b08000000000000ff9360606060ca662a6362ca60aae06160626264640000002c49ba14000000",
        _two(89, 0x9CDCF2C7),
        _TWO,
        {"compression": 1},
    ),
    BatchVector(
        "snappy",
        "00000000000000000000005b000000020216d11c2400020000000100000000000003e800000000000003e9ffffffffffffffffffffffff"
        "ffff0000000282534e4150505900000000010000000100000016144c18000000026b027602026802780c000202010100",
        _two(91, 0x16D11C24),
        _TWO,
        {"compression": 2},
    ),
    BatchVector(
        "lz4",
        "000000000000000000000054000000020278f371e200030000000100000000000003e800000000000003e9ffffffffffffffffffffffff"
        "ffff0000000204224d186040821400008018000000026b027602026802780c00020201010000000000",
        _two(84, 0x78F371E2),
        _TWO,
        {"compression": 3},
    ),
    BatchVector(
        "zstd",
        "000000000000000000000051000000020213b75a7b00040000000100000000000003e800000000000003e9ffffffffffffffffffffffff"
        "ffff0000000228b52ffd0058a0000018000000026b027602026802780c000202010100010000",
        _two(81, 0x13B75A7B),
        _TWO,
        {"compression": 4},
    ),
    # What a leader makes of a producer's batch: offset and epoch are outside of the checksum.
    BatchVector(
        "from a producer",
        "00000000000000000000004bffffffff027700e4a000000000000200000000000003e800000000000003edffffffffffffffffffffffff"
        "ffff0000000310000000026102310010000a0202620232000e00060402630100",
        _three(0, 75, -1, 0x7700E4A0),
        tuple((offset - 100, time, key, value, headers) for offset, time, key, value, headers in _THREE),
    ),
    BatchVector(
        "appended, create time",
        "00000000000000640000004b00000007027700e4a000000000000200000000000003e800000000000003edffffffffffffffffffffffff"
        "ffff0000000310000000026102310010000a0202620232000e00060402630100",
        _three(100, 75, 7, 0x7700E4A0),
        _THREE,
    ),
    BatchVector(
        "appended, log append time",
        "00000000000000640000004b000000070217612ce500080000000200000000000003e8000000000000270fffffffffffffffffffffffff"
        "ffff0000000310000000026102310010000a0202620232000e00060402630100",
        _three(100, 75, 7, 0x17612CE5, max_timestamp=9999),
        tuple((offset, 9999, key, value, headers) for offset, _, key, value, headers in _THREE),
        {"timestamp_type": 1},
    ),
    BatchVector(
        "appended, compressed by the topic",
        "00000000000000640000005a0000000702cf3fdd1700030000000200000000000003e800000000000003edffffffffffffffffffffffff"
        "ffff0000000304224d186040821a00008010000000026102310010000a0202620232000e0006040263010000000000",
        _three(100, 90, 7, 0xCF3FDD17),
        _THREE,
        {"compression": 3},
    ),
    # What compaction leaves of it.
    BatchVector(
        "compacted, with a delete horizon",
        "0000000000000032000000460000000302c89622b0004000000002000000000001889400000000000003edffffffffffffffffffffffff"
        "ffff000000021400cd920c0202620232001200d1920c0402630100",
        _three(50, 70, 3, 0xC89622B0, base_timestamp=100500, records_count=2),
        ((51, 1005, b"b", b"2", ()), (52, 1003, b"c", None, ())),
        {"has_delete_horizon": 1},
    ),
    BatchVector(
        "compacted, last record gone",
        "0000000000000032000000430000000302f77df98200000000000200000000000003e800000000000003edffffffffffffffffffffffff"
        "ffff0000000210000000026102310010000a020262023200",
        _three(50, 67, 3, 0xF77DF982, records_count=2),
        ((50, 1000, b"a", b"1", ()), (51, 1005, b"b", b"2", ())),
    ),
    BatchVector(
        "compacted, empty",
        "000000000000003200000031000000030268280458000000000002ffffffffffffffff00000000000003edffffffffffffffffffffffff"
        "ffff00000000",
        _three(50, 49, 3, 0x68280458, base_timestamp=-1, records_count=0),
        (),
    ),
    # A transaction's end: producer 42, coordinator epoch 9.
    BatchVector(
        "commit marker",
        "000000000000000700000042000000030284a124a600300000000000000000075bcd1500000000075bcd15000000000000002a0005ffff"
        "ffff000000012000000008000000010c00000000000900",
        {
            "base_offset": 7,
            "batch_length": 66,
            "partition_leader_epoch": 3,
            "crc": 0x84A124A6,
            "last_offset_delta": 0,
            "base_timestamp": 123456789,
            "max_timestamp": 123456789,
            "producer_id": 42,
            "producer_epoch": 5,
            "records_count": 1,
        },
        ((7, 123456789, bytes.fromhex("00000001"), bytes.fromhex("000000000009"), ()),),
        {"is_control": 1, "is_transactional": 1},
    ),
)
"""Batches of magic 2 by name."""

BY_NAME: Final = {vector.name: vector for vector in BATCHES}

VARINTS: Final = (
    # value, bytes, largest number of bytes; the shortest form
    (0, "00", 5),
    (-1, "01", 5),
    (1, "02", 5),
    (63, "7e", 5),
    (-64, "7f", 5),
    (64, "8001", 5),
    (-65, "8101", 5),
    (300, "d804", 5),
    (8191, "fe7f", 5),
    (8192, "808001", 5),
    (2**31 - 1, "feffffff0f", 5),
    (-(2**31), "ffffffff0f", 5),
    (2**31 - 1, "feffffff0f", 10),
    (2**31, "8080808010", 10),
    (2**63 - 1, "feffffffffffffffff01", 10),
    (-(2**63), "ffffffffffffffffff01", 10),
)
"""Zigzag varints; the extremes are those of `ByteUtils`."""

LONG_VARINTS: Final = (
    # value, bytes, largest number of bytes; longer than needed, or with excess high bits, which readers drop
    (0, "8000", 5),
    (-1, "8180808000", 5),
    (1, "828080808000", 10),
    (2**31 - 1, "feffffff7f", 5),
    (-(2**31), "ffffffff7f", 5),
    (-(2**63), "ffffffffffffffffff7f", 10),
)


@dataclass(frozen=True)
class SmallFileVector:
    """A small file, or the value of a control record: its bytes, the declared type, and the fields in Kafka's words."""

    name: str
    type: str
    hex: str
    fields: dict[str, Any]

    @property
    def data(self) -> bytes:
        return bytes.fromhex(self.hex)


SMALL_FILES: Final = (
    SmallFileVector(
        "producer snapshot",
        "producer_snapshot",
        "00019f8df81400000001000000000000002a00050000000b00000000000000090000000200000000000004d2000000090000000000000003",
        {
            "version": 1,
            "crc": 0x9F8DF814,
            "entries_count": 1,
            "entries": [
                {
                    "producer_id": 42,
                    "producer_epoch": 5,
                    "last_sequence": 11,
                    "last_offset": 9,
                    "offset_delta": 2,
                    "timestamp": 1234,
                    "coordinator_epoch": 9,
                    "current_txn_first_offset": 3,
                }
            ],
        },
    ),
    SmallFileVector(
        "empty producer snapshot",
        "producer_snapshot",
        "000148674bc700000000",
        {"version": 1, "crc": 0x48674BC7, "entries_count": 0, "entries": []},
    ),
    SmallFileVector(
        "transaction index",
        "transaction_index",
        "0000000000000000002a000000000000000300000000000000070000000000000008",
        {"entries": [{"version": 0, "producer_id": 42, "first_offset": 3, "last_offset": 7, "last_stable_offset": 8}]},
    ),
    SmallFileVector("commit marker's key", "control_record_type_schema", "00000001", {"version": 0, "type": 1}),
    SmallFileVector(
        "commit marker's value",
        "end_txn_marker",
        "000000000009",
        {"version": 0, "coordinator_epoch": 9},
    ),
    SmallFileVector(
        "snapshot header",
        "snapshot_header_record",
        "00000000018bcfe5687b01ac0203010203",
        {
            "version": 0,
            "last_contained_log_timestamp": 1700000000123,
            "tagged_fields": {"fields_count": 1, "fields": [{"tag": 300, "data_length": 3, "data": b"\x01\x02\x03"}]},
        },
    ),
    SmallFileVector(
        "KRaft version",
        "kraft_version_record",
        "0000000100",
        {"version": 0, "kraft_version": 1, "tagged_fields": {"fields_count": 0, "fields": []}},
    ),
    SmallFileVector(
        "KRaft voters",
        "voters_record",
        "000003000000030001020304050607f8f9fafbfcfdfeff030b434f4e54524f4c4c45520f6e6f64652d312e6578616d706c65ffff00"
        "0c7a6fc3ab20225c0a011f7f01000000000000010001ac020301020300000004000000000000000000000000000000000100000000"
        "000000",
        {
            "version": 0,
            "voters_count": 3,
            "voters": [
                {
                    "voter_id": 3,
                    "voter_directory_id": b"\x00\x01\x02\x03\x04\x05\x06\x07\xf8\xf9\xfa\xfb\xfc\xfd\xfe\xff",
                    "endpoints_count": 3,
                    "endpoints": [
                        {
                            "name_length": 11,
                            "name": "CONTROLLER",
                            "host_length": 15,
                            "host": "node-1.example",
                            "port": 65535,
                            "tagged_fields": {"fields_count": 0, "fields": []},
                        },
                        {
                            "name_length": 12,
                            "name": 'zoë "\\\n\x01\x1f\x7f',
                            "host_length": 1,
                            "host": "",
                            "port": 0,
                            "tagged_fields": {"fields_count": 0, "fields": []},
                        },
                    ],
                    "kraft_version_feature": {
                        "min_supported_version": 0,
                        "max_supported_version": 1,
                        "tagged_fields": {"fields_count": 0, "fields": []},
                    },
                    "tagged_fields": {
                        "fields_count": 1,
                        "fields": [{"tag": 300, "data_length": 3, "data": b"\x01\x02\x03"}],
                    },
                },
                {
                    "voter_id": 4,
                    "voter_directory_id": b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
                    "endpoints_count": 1,
                    "endpoints": [],
                    "kraft_version_feature": {
                        "min_supported_version": 0,
                        "max_supported_version": 0,
                        "tagged_fields": {"fields_count": 0, "fields": []},
                    },
                    "tagged_fields": {"fields_count": 0, "fields": []},
                },
            ],
            "tagged_fields": {"fields_count": 0, "fields": []},
        },
    ),
    SmallFileVector(
        "no KRaft voters",
        "voters_record",
        "00000100",
        {"version": 0, "voters_count": 1, "voters": [], "tagged_fields": {"fields_count": 0, "fields": []}},
    ),
    SmallFileVector(
        "leader change",
        "leader_change_message",
        "000000000003030000000300000000040002000000030000",
        {
            "version": 0,
            "leader_id": 3,
            "voters_count": 3,
            "voters": [
                {"voter_id": 3, "voter_directory_id": None, "tagged_fields": {"fields_count": 0, "fields": []}},
                {"voter_id": 4, "voter_directory_id": None, "tagged_fields": {"fields_count": 0, "fields": []}},
            ],
            "granting_voters_count": 2,
            "granting_voters": [
                {"voter_id": 3, "voter_directory_id": None, "tagged_fields": {"fields_count": 0, "fields": []}}
            ],
            "tagged_fields": {"fields_count": 0, "fields": []},
        },
    ),
    SmallFileVector(
        "snapshot footer",
        "snapshot_footer_record",
        "000000",
        {"version": 0, "tagged_fields": {"fields_count": 0, "fields": []}},
    ),
    SmallFileVector(
        "transactional id",
        "transaction_log_key",
        "000000127472616e73616374696f6e732d6669727374",
        {"type": 0, "transactional_id_length": 18, "transactional_id": "transactions-first"},
    ),
    SmallFileVector(
        "state of a transactional id",
        "transaction_log_value",
        "000000000000000000020000000927c00200000001000c7472616e73616374696f6e73000000020000000100000000000001a1fc9d88e2"
        "000001a1fc9d88cb",
        {
            "version": 0,
            "producer_id": 2,
            "producer_epoch": 0,
            "transaction_timeout_ms": 600_000,
            "transaction_status": 2,
            "transaction_partitions_count": 1,
            "compact_transaction_partitions_count": None,
            "transaction_partitions": [
                {
                    "topic_length": 12,
                    "compact_topic_length": None,
                    "topic": "transactions",
                    "partition_ids_count": 2,
                    "compact_partition_ids_count": None,
                    "partition_ids": [1, 0],
                    "tagged_fields": None,
                }
            ],
            "transaction_last_update_timestamp_ms": 1795239545058,
            "transaction_start_timestamp_ms": 1795239545035,
            "tagged_fields": None,
        },
    ),
    SmallFileVector(
        "state of a transactional id, version 1",
        "transaction_log_value",
        "000100000000000000090000000927c0010217636f6d7061637465642d7472616e73616374696f6e73020000000000000001a1fc98b4c4"
        "000001a1fc98b4c40100080000000000000009",
        {
            "version": 1,
            "producer_id": 9,
            "producer_epoch": 0,
            "transaction_timeout_ms": 600_000,
            "transaction_status": 1,
            "transaction_partitions_count": None,
            "compact_transaction_partitions_count": 2,
            "transaction_partitions": [
                {
                    "topic_length": None,
                    "compact_topic_length": 23,
                    "topic": "compacted-transactions",
                    "partition_ids_count": None,
                    "compact_partition_ids_count": 2,
                    "partition_ids": [0],
                    "tagged_fields": {"fields_count": 0, "fields": []},
                }
            ],
            "transaction_last_update_timestamp_ms": 1795239228612,
            "transaction_start_timestamp_ms": 1795239228612,
            "tagged_fields": {
                "fields_count": 1,
                "fields": [{"tag": 0, "data_length": 8, "data": {"previous_producer_id": 9}}],
            },
        },
    ),
)
"""What is smaller than a batch, from `ProducerStateManager`, `TransactionIndex`, `EndTransactionMarker` and, for the
records of KRaft, `MemoryRecords`."""

SMALL: Final = {vector.name: vector for vector in SMALL_FILES}

CONTROL_BATCHES: Final = bytes.fromhex(
    "00000000000000000000004d00000007022181835400200000000000000000000003e800000000000003e8ffffffffffffffffffffffff"
    "ffff000000013600000008000000032200000000018bcfe5687b01ac020301020300"
    "0000000000000001000000410000000702680df3c600200000000000000000000003e900000000000003e9ffffffffffffffffffffffff"
    "ffff000000011e00000008000000050a000000010000"
    "0000000000000002000000ab00000007023f6c35ca00200000000000000000000003ea00000000000003eaffffffffffffffffffffffff"
    "ffff00000001f0010000000800000006da01000003000000030001020304050607f8f9fafbfcfdfeff030b434f4e54524f4c4c45520f6e"
    "6f64652d312e6578616d706c65ffff000c7a6fc3ab20225c0a011f7f01000000000000010001ac02030102030000000400000000000000"
    "000000000000000000010000000000000000"
    "0000000000000003000000400000000702b28f35b900200000000000000000000003eb00000000000003ebffffffffffffffffffffffff"
    "ffff000000011c0000000800000006080000010000"
    "0000000000000004000000540000000702475acb1500200000000000000000000003ec00000000000003ecffffffffffffffffffffffff"
    "ffff000000014400000008000000023000000000000303000000030000000004000200000003000000"
    "00000000000000050000003f0000000702ef11f97b00200000000000000000000003ed00000000000003edffffffffffffffffffffffff"
    "ffff000000011a00000008000000040600000000"
)
"""Control batches of KRaft, one of each kind, by `MemoryRecords`; `ControlRecords.java` makes them again."""

CONTROL_VALUES: Final = (
    (3, SMALL["snapshot header"]),
    (4, SMALL["snapshot footer"]),
    (5, SMALL["KRaft version"]),
    (6, SMALL["KRaft voters"]),
)
"""Types of control records, and a value of each."""


@dataclass(frozen=True)
class LegacyVector:
    """A set of messages of magic 0 or 1: its bytes, the sizes of its entries, and the records as a consumer sees them:
    (offset, timestamp, timestamp type, key, value)."""

    name: str
    magic: int
    codec: str
    hex: str
    sizes: tuple[int, ...]

    @property
    def data(self) -> bytes:
        return bytes.fromhex(self.hex)

    @property
    def records(self) -> tuple[tuple[int, int, int, bytes | None, bytes], ...]:
        if self.magic:
            return (5, 1000, 0, b"k", b"v"), (6, 1001, 0, None, b"w")
        return (5, -1, -1, b"k", b"v"), (6, -1, -1, None, b"w")


# MemoryRecordsBuilder and its readers, offsets 5 and 6.
LEGACY: Final = (
    LegacyVector(
        "magic 0, none",
        0,
        "none",
        "0000000000000005000000101fecd70a0000000000016b000000017600000000000000060000000fa50b8f630000ffffffff"
        "0000000177",
        (28, 27),
    ),
    LegacyVector(
        "magic 1, none",
        1,
        "none",
        "000000000000000500000018e4e321bc010000000000000003e8000000016b00000001760000000000000006000000179173"
        "3702010000000000000003e9ffffffff0000000177",
        (36, 35),
    ),
    LegacyVector(
        "magic 0, gzip",
        0,
        "gzip",
        "00000000000000060000004538d744bc0001ffffffff000000371f8b08000000000000ff63600003562016907f739d0bcc63"
        "cc0611651029063620e65fcadd9fccc0f01f084052e500c30e998737000000",
        (81,),
    ),
    LegacyVector(
        "magic 1, gzip",
        1,
        "gzip",
        "00000000000000060000004fe83f8de6010100000000000003e9ffffffff000000391f8b08000000000000ff636080038927"
        "8f15f7304239cc2f800463368828830a81a4c427169b33c1d5bcfc0f0420997200ab2418c147000000",
        (91,),
    ),
    LegacyVector(
        "magic 0, lz4",
        0,
        "lz4",
        "00000000000000060000004fa49cc5440003ffffffff0000004104224d1860401a32000000120001009105000000101fecd7"
        "0a0f0071016b00000001760c00f0070000060000000fa50b8f630000ffffffff000000017700000000",
        (91,),
    ),
    LegacyVector(
        "magic 1, lz4",
        1,
        "lz4",
        "00000000000000060000005abd4aee97010300000000000003e9ffffffff0000004404224d18604082350000001600010063"
        "18e4e321bc0110007003e8000000016b050013761300001b005017917337020900000200b003e9ffffffff00000001770000"
        "0000",
        (102,),
    ),
)
