"""Records of `__transaction_state`: those of brokers, what they are built of, and where an id's records are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kformat.codec.constructs import build
from kformat.errors import BuildError, DataError, InvalidError, UsageError
from kformat.integers import java_hash_code
from kformat.kafka.batch.records import Record, TimestampType
from kformat.kafka.log.log_reader import LogReader
from kformat.kafka.producers.transaction_log import (
    COMPLETE_ABORT,
    EMPTY,
    ONGOING,
    PREPARE_COMMIT,
    TopicPartition,
    TransactionMetadata,
    build_transaction,
    check_transactional_id,
    latest_transactions,
    parse_transaction,
    partition_for,
)
from tests.samples import ROOT as SAMPLES

FOLDERS = sorted(SAMPLES.glob("*/__transaction_state-*[0-9]"))
PARTITIONS = 2
"""Of the brokers that wrote the samples."""


def record(key: bytes | None, value: bytes | None) -> Record:
    return Record(0, 0, TimestampType["create_time"], key, value, (), -1)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}-{folder.name[-1]}")
def test_what_brokers_wrote(folder: Path) -> None:
    """Every record is read, its id belongs to the partition, and what is built of it says the same."""
    states = set()
    with LogReader.open(folder) as reader:
        for one in reader.records():
            parsed = parse_transaction(one)
            assert parsed is not None
            transactional_id, metadata = parsed
            assert partition_for(transactional_id, PARTITIONS) == int(folder.name[-1])
            if metadata is not None:
                states.add(metadata.state)
                key, value = build_transaction(metadata)
                assert key == one.key
                assert parse_transaction(record(key, value)) == parsed
                assert one.value is not None
                if one.value[:2] == b"\0\0" and len(metadata.partitions) < 2:  # several are in no order
                    assert value == one.value
        assert latest_transactions(reader.records())
    assert {"Empty", "Ongoing", "PrepareCommit", "CompleteCommit"} <= states


def test_hash_codes_are_javas() -> None:
    """Those of Java 17; the last is the smallest integer, of which Kafka takes 0."""
    for text, code in (
        *(("", 0), ("a", 97), ("adopter", -1_137_578_915), ("Zo\u00eb", 90_166), ("\U0001f600", 1_772_899)),
        ("polygenelubricants", -(2**31)),
    ):
        assert java_hash_code(text) == code
    assert partition_for("polygenelubricants", 50) == 0


def test_ids() -> None:
    for wrong in ("", None, 1, b"a", "\ud800", "x" * 32_768, "\u00e9" * 16_384):
        with pytest.raises(UsageError):
            check_transactional_id(wrong)
    assert check_transactional_id("x" * 32_767)


def test_what_is_forgotten_unknown_or_damaged() -> None:
    metadata = TransactionMetadata("a", 1, 2, ONGOING, 3, frozenset({("t", 0), ("t", 1), ("u", 5)}), 4, 5)
    key, value = build_transaction(metadata)
    assert parse_transaction(record(key, value)) == ("a", metadata)
    assert parse_transaction(record(key, None)) == ("a", None)
    assert parse_transaction(record(b"\0\1" + key[2:], value)) is None, "a later version of the key"
    assert latest_transactions([record(key, value), record(key, None)]) == {}
    empty = replace(metadata, state=EMPTY, partitions=frozenset(), start_timestamp=-1)
    assert latest_transactions([record(key, value), record(*build_transaction(empty))]) == {"a": empty}
    with pytest.raises(InvalidError, match="without a key"):
        parse_transaction(record(None, value))
    with pytest.raises(InvalidError, match="no state"):
        parse_transaction(record(key, value[:16] + b"\x09" + value[17:]))
    for end in range(len(key)):
        with pytest.raises(DataError):
            parse_transaction(record(key[:end], value))
    for end in range(len(value)):
        with pytest.raises(DataError):
            parse_transaction(record(key, value[:end]))
    with pytest.raises(DataError) as caught:
        latest_transactions([record(key, b"\0\2")])
    assert caught.value.__notes__ == ["in the record at offset 0"]


def test_every_state_is_built_as_the_codec_builds_it() -> None:
    """The bytes of a mapping: `build_transaction` fills the numbers into a value of an earlier call."""
    for number, (state, partitions) in enumerate(
        (state, partitions)
        for state in (EMPTY, ONGOING, PREPARE_COMMIT, COMPLETE_ABORT)
        for partitions in (frozenset[TopicPartition](), frozenset({("b", 3), ("a", 7), ("a", 0)}))
        for _ in range(2)
    ):
        metadata = TransactionMetadata("\u00e9", 2**62 + number, number, state, 9 * number, partitions, number - 1, -1)
        topics = [{"topic": "a", "partition_ids": [0, 7]}, {"topic": "b", "partition_ids": [3]}] if partitions else []
        expected = build(
            "transaction_log_value",
            {
                "version": 0,
                "producer_id": 2**62 + number,
                "producer_epoch": number,
                "transaction_timeout_ms": 9 * number,
                "transaction_status": {EMPTY: 0, ONGOING: 1, PREPARE_COMMIT: 2, COMPLETE_ABORT: 5}[state],
                "transaction_partitions": None if state == EMPTY else topics,
                "transaction_last_update_timestamp_ms": -1,
                "transaction_start_timestamp_ms": number - 1,
            },
        )
        assert build_transaction(metadata) == (build("transaction_log_key", {"transactional_id": "\u00e9"}), expected)
    with pytest.raises(BuildError, match=r"transaction_log_value\.producer_epoch"):
        build_transaction(replace(metadata, producer_epoch=2**15))
