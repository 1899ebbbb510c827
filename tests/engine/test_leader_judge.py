"""What a leader makes of a producer's batch, beside Kafka's LogValidator of 3.9.2 and 4.4.0: the same bytes, the same
refusals; where the records are compressed anew, the same records."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from kformat.errors import KformatError
from kformat.kafka.batch.records import Batch
from kformat_engine.batching import prepare_batches
from tests import judges
from tests.draws import newest_by_day
from tests.engine.leader_cases import EPOCH, REFUSALS, Append, drawn
from tests.judges import releases
from tests.judges.required import require

pytestmark = pytest.mark.judge

VERSIONS = releases.LIVE
# Kafka's exceptions and ours. It has no word for what its own builder or its table of codecs does not take.
OURS = {
    "InvalidRecordException": {"InvalidRecordError"},
    "InvalidTimestampException": {"InvalidTimestampError"},
    "CorruptRecordException": {"CorruptBatchError"},
    "IllegalArgumentException": {"InvalidTimestampError", "CorruptBatchError"},
    "KafkaException": {"InvalidRecordError"},
    "UnsupportedOperationException": {"InvalidRecordError"},  # records in disorder that it wants to compress anew
}
Answer = tuple[str, ...]


def line_of(append: Append) -> str:
    """An append as ValidateBatches.java reads it."""
    config = append.config
    words = (
        append.next_offset,
        EPOCH,
        append.now_ms,
        config.message_timestamp_type,
        config.message_timestamp_before_max_ms,
        config.message_timestamp_after_max_ms,
        config.compression_type,
        str("compact" in config.cleanup_policy).lower(),
        append.data.hex(),
    )
    return "\t".join(map(str, words))


def kafkas(version: str, appends: list[Append], folder: Path) -> list[Answer]:
    """What Kafka says: ("ok", largest timestamp, hex) or ("error", class, message)."""
    file = folder / "appends"
    file.write_text("".join(line_of(append) + "\n" for append in appends), encoding="ascii")
    (run,) = judges.run_many(version, "ValidateBatches", [[str(file)]])
    assert run.status == 0, run.stderr
    answers = [tuple(line.split("\t")) for line in run.stdout.decode().splitlines()]
    assert len(answers) == len(appends)
    return answers


def ours(append: Append) -> Answer:
    """The same of ours."""
    try:
        made = prepare_batches(append.data, append.next_offset, EPOCH, append.config, append.now_ms)
    except KformatError as error:
        return "error", type(error).__name__, str(error)
    if not made:
        return "error", "nothing", ""
    (prepared,) = made
    return "ok", str(prepared.batches[0].max_timestamp), bytes(prepared.data).hex()


def content(data: str) -> object:
    """A batch but for what depends on the compressor."""
    batch = Batch(bytes.fromhex(data))
    assert batch.is_valid
    names = ("base_offset", "partition_leader_epoch", "attributes", "last_offset_delta", "base_timestamp",
             "max_timestamp", "producer_id", "producer_epoch", "base_sequence", "records_count")  # fmt: skip
    return [getattr(batch, name) for name in names], list(batch.records())


def agree(append: Append, kafka: Answer, mine: Answer) -> str:
    """Which way an append went, the same with both."""
    where = f"{append}\nKafka: {kafka}\nours: {mine}"
    assert kafka[0] == mine[0], where
    if kafka[0] == "error":
        # The validator is not asked by Kafka's log where there is no whole batch.
        expected = {"nothing"} if kafka[2] == "Record batch has no batches at all" else OURS[kafka[1]]
        assert mine[1] in expected, where
        return mine[1]
    assert kafka[1] == mine[1], where
    if Batch(append.data).compression == Batch(bytes.fromhex(kafka[2])).compression:
        assert kafka[2] == mine[2], where
        return "in place"
    assert content(kafka[2]) == content(mine[2]), where
    return "compressed anew"


@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
def test_drawn_appends(version: str, tmp_path: Path) -> None:
    require(version)
    appends = list(drawn(3000, seed=5))
    counts = Counter(
        agree(append, kafka, ours(append))
        for append, kafka in zip(appends, kafkas(version, appends, tmp_path), strict=True)
    )
    for way, least in {
        "in place": 400,
        "compressed anew": 300,
        "InvalidRecordError": 300,
        "InvalidTimestampError": 300,
        "CorruptBatchError": 50,
        "nothing": 50,
    }.items():
        assert counts[way] >= least, counts


@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
def test_the_table_of_refusals(version: str, tmp_path: Path) -> None:
    require(version)
    appends = [append for _, append, _, _ in REFUSALS]
    for (name, append, error, _), kafka in zip(REFUSALS, kafkas(version, appends, tmp_path), strict=True):
        assert agree(append, kafka, ours(append)) == error, name
