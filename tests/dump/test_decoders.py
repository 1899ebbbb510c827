"""`kformat dump` with decoders: the text of Kafka's tool, of the samples and of messages drawn at random."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.dump.decoders import LIKE, scala_order
from kformat.dump.java import java_double
from kformat.integers import MAX_INT32
from kformat.kafka.messages.decoding import CLUSTER_METADATA, DECODERS, OFFSETS, REMOTE_METADATA, TOPICS, decoder
from kformat.kafka.messages.kafka_json import from_kafka_json
from kformat.kafka.messages.schemas import Schema
from tests.cli.test_cli import run
from tests.draws import IS_NIGHT
from tests.judges.java_tools import dump
from tests.judges.required import require
from tests.kafka.messages.drawn import drawn
from tests.samples import ROOT as SAMPLES
from tools.messages import of_release

OF_TOPIC = {name: topic for topic, name in TOPICS.items()}
COUNT = 400 if IS_NIGHT else 30
"""Records of each message."""


def judged(release: str, path: Path, *options: str) -> None:
    """What we print, as the tool of that release does; and without what is in front of keys and values."""
    for more in ((), ("--skip-record-metadata",)):
        theirs = dump(release, ["--files", str(path), *options, *more])
        ours = run("dump", str(path), *options, *more, "--like", release)
        assert ours.stdout.splitlines() == theirs.stdout.decode().splitlines()


def judge_topics(release: str, root: Path) -> int:
    """Judge the files of all internal topics in a root; returns how many there are."""
    files = [
        (path, name)
        for topic, name in TOPICS.items()
        for path in sorted(root.glob(f"{topic}-*/*"))
        if path.suffix in (".log", ".checkpoint")
    ]
    for path, name in files:
        judged(release, path, f"--{name}-decoder")
    return len(files)


@pytest.mark.judge
@pytest.mark.parametrize("release", LIKE)
def test_samples(release: str) -> None:
    require(release)
    roots = SAMPLES / release, SAMPLES / "internal" / release / "data"
    assert sum(judge_topics(release, root) for root in roots[: 2 if IS_NIGHT else 1]) >= 4


def log_of(folder: Path, topic: str, records: Sequence[tuple[bytes | None, bytes | None]]) -> Path:
    made: list[dict[str, Any]] = [
        {"offset_delta": number, "timestamp_delta": 0, "key": key, "value": value, "headers": []}
        for number, (key, value) in enumerate(records)
    ]
    path = folder / f"{topic}-0" / "00000000000000000000.log"
    path.parent.mkdir(parents=True)
    path.write_bytes(
        kformat.build("record_batch", {"base_offset": 0, "base_timestamp": 0, "max_timestamp": 0, "records": made})
    )
    return path


def built(one: Schema, version: int, value: dict[str, Any]) -> bytes:
    return kformat.build(one.id, from_kafka_json(one, version, value))


def member_bytes(raw: dict[str, Schema], by: random.Random) -> Iterator[str]:
    """What a member of a classic group may have in its bytes: a subscription, or something else."""
    for name in ("ConsumerProtocolSubscription", "ConsumerProtocolAssignment"):
        schema = next(one for one in raw.values() if one.name == name)
        version = by.choice(list(schema.versions))
        data = built(schema, version, drawn(schema, version, by))
        chosen = by.choice((data, data, data[:-1], b"", b"\x00\x63" + data[2:], data + b"more"))
        yield base64.b64encode(chosen).decode()


def suited(name: str, raw: dict[str, Schema], by: random.Random) -> Callable[[Schema, dict[str, Any]], dict[str, Any]]:
    """Makes drawn values such as Kafka's code takes: it checks some of them."""

    def suit(one: Schema, value: dict[str, Any]) -> dict[str, Any]:
        if one.name == "GroupMetadataValue":
            value["protocolType"] = by.choice(("consumer", "connect", ""))
            for member in value["members"]:
                member["subscription"], member["assignment"] = member_bytes(raw, by)
        if one.name == "TransactionLogValue":
            value["transactionStatus"] = by.choice(range(8))
            empty: list[Any] | None = None if value["transactionStatus"] == 0 else []
            value["transactionPartitions"] = value["transactionPartitions"] or empty
        if name == REMOTE_METADATA:
            for field in ("remoteLogSegmentState", "remotePartitionDeleteState"):
                if field in value:
                    value[field] = by.randrange(3)
            if "startOffset" in value:
                value["startOffset"], value["endOffset"] = by.randrange(100), 100 + by.randrange(2**40)
                value["segmentLeaderEpochs"] = [
                    {"leaderEpoch": by.randrange(20), "offset": by.randrange(100)} for _ in range(by.randint(1, 4))
                ]
        return value

    return suit


@pytest.mark.judge
@pytest.mark.parametrize("release", LIKE)
@pytest.mark.parametrize("name", DECODERS)
def test_messages_drawn_at_random(name: str, release: str, tmp_path: Path) -> None:
    raw = {one.id: one for one in of_release(release, require(release)).values()}
    by, reader = random.Random(f"{name} {release}"), decoder(name)
    suit = suited(name, raw, by)
    records: list[tuple[bytes | None, bytes | None]] = []
    for number, one in sorted(reader.values.items()):
        if release not in one.releases or (name == REMOTE_METADATA and "snapshot" in one.id):
            continue
        schema = next(it for it in raw.values() if it.name == one.name)
        for _ in range(COUNT):
            version = by.choice(list(schema.versions))
            value: bytes | None = built(one, version, suit(one, drawn(schema, version, by)))
            key = None
            if reader.has_keys:
                key = built(reader.keys[number], 0, drawn(reader.keys[number], 0, by))
                value = None if by.random() < 0.1 else value
            records.append((key, value))
    if reader.has_keys:
        records += [(b"\x01\x00ab", b"\x00\x00"), (b"\x7f\xff", None)]  # types that are not known
    if release == "3.9.2" and not records[2:]:
        pytest.skip("3.9.2 has no share coordinator")
    judged(release, log_of(tmp_path, OF_TOPIC[name], records), f"--{name}-decoder")


# --- our own ---------------------------------------------------------------------------------------------------------


def test_decode_chooses_by_the_topic() -> None:
    root = SAMPLES / "4.4.0"
    names = ("__consumer_offsets-0", "plain-0", "__transaction_state-0", "__cluster_metadata-0")
    paths = [str(next(iter(sorted((root / name).glob("*.log"))))) for name in names]
    texts = run("dump", *paths, "--decode").stdout.split("Dumping ")[1:]
    for name, path, text in zip(names, paths, texts, strict=True):
        options = [f"--{TOPICS[name[:-2]]}-decoder"] if name[:-2] in TOPICS else ["--print-data-log"]
        assert text == run("dump", path, *options).stdout.removeprefix("Dumping ")


def test_json_has_what_the_bytes_are(tmp_path: Path) -> None:
    key = kformat.build("offset_commit_key", {"group": "readers", "topic": "orders", "partition": 3})
    given = {"version": 3, "offset": 7, "leader_epoch": 2, "metadata": "", "commit_timestamp": 1_700_000_000_000}
    value = kformat.build("offset_commit_value", given)
    records = [(key, value), (key, None), (b"\0\x63", b"?"), (key, b"\0\x09"), (key, value[:-1])]
    path = log_of(tmp_path, "__consumer_offsets", records)
    lines = run("dump", str(path), "--decode", "--format", "nl").stdout.splitlines()
    found = [entry for entry in map(json.loads, lines) if "key" in entry]
    assert found[0]["key"] == {
        "type": "offset_commit", "data": {"group": "readers", "topic": "orders", "partition": 3}
    }  # fmt: skip
    data = {"offset": 7, "leaderEpoch": 2, "metadata": "", "commitTimestamp": 1_700_000_000_000}
    assert found[0]["value"] == {"version": 3, "data": data} and found[1]["value"] is None
    assert found[2]["key"] == "AGM=" and "unknown type, 99" in found[2]["key_error"]
    assert found[3]["value"] == "AAk=" and "a version that is not known" in found[3]["value_error"]
    assert "the bytes end here" in found[4]["value_error"]
    text = run("dump", str(path), "--decode").stdout
    assert "key: Unknown record type 99 at offset 2, skipping." in text
    assert "Error at offset 3, skipping. Found an unknown record version 9 for 1 type" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--decode", "--offsets-decoder"], "--decode chooses the decoder itself: leave out --offsets-decoder"),
        (["--decode", "--value-as", "json"], "--decode and the decoders do not go with --value-as and --key-as"),
        (["--like", "2.8.2"], "'2.8.2' is not one of"),
    ],
)
def test_options_that_do_not_go_together(options: list[str], message: str) -> None:
    path = str(next(iter((SAMPLES / "4.4.0" / "plain-0").glob("*.log"))))
    done = run("dump", path, *options)
    assert done.exit_code == 2 and message in done.stderr


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"), (-0.0, "-0.0"), (1.0, "1.0"), (0.001, "0.001"), (0.00099, "9.9E-4"), (9999999.0, "9999999.0"),
        (1e7, "1.0E7"), (123456.789, "123456.789"), (1.5e300, "1.5E300"), (5e-324, "4.9E-324"),
        (-2.5, "-2.5"), (float("inf"), "Infinity"), (float("nan"), "NaN"), (1 / 3, "0.3333333333333333"),
        (100.0, "100.0"), (12345678.9, "1.23456789E7"),
    ],
)  # fmt: skip
def test_doubles_are_written_as_java_does(value: float, text: str) -> None:
    assert java_double(value) == text


def test_partitions_are_in_the_order_of_scalas_sets() -> None:
    """As 3.9.2 printed them."""
    assert scala_order([[("transactions", 1), ("transactions", 0)]]) == [("transactions", 1), ("transactions", 0)]
    assert scala_order([[("a", MAX_INT32)] * 2]) == [("a", MAX_INT32)]
    groups = [[(topic, number) for number in range(count)] for topic, count in (("t", 9), ("u", 5))]
    text = ",".join(f"{topic}-{number}" for topic, number in scala_order([*groups, [("v", 7)]]))
    assert text == "t-8,t-7,t-6,t-5,v-7,t-4,t-3,u-4,t-2,u-3,t-1,u-2,t-0,u-1,u-0"
    assert CLUSTER_METADATA in DECODERS and OFFSETS in DECODERS
