"""Check, of Kafka's own topics: what is no finding, where levels come from, and single files."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest

from kformat.check import sound
from kformat.check.checker import check
from kformat.kafka.batch.batches import iter_batches
from tests import damages
from tests.damages import BASE_TIMESTAMP_MS, Folder, stem, write
from tests.damages_beside import VERSION
from tests.damages_kafka import (
    LOG,
    METADATA,
    OFFSETS,
    SNAPSHOT,
    TRANSACTIONS,
    in_topic,
    rewritten,
    values_of,
    with_level,
)
from tests.damages_legacy import inner, plain, sample_folder, wrapper
from tests.kafka.state.metadata_events import written
from tests.samples import ROOT

BROKER, LOW, HIGH = "register_broker_record", 15, 17
DIRECTORY_VERSION = 3


def found_in(files: Folder, path: Path, inside: str = "") -> list[tuple[str, str]]:
    """Rule and message of each finding that is more than an info, but for missing indexes."""
    found = check(write(files, path) / inside)
    return [(one.rule, one.message) for one in found if one.severity != "info" and one.rule not in ("KF0005", "KF0006")]


# What is no finding


def test_only_kafkas_own_topics_are_decoded(tmp_path: Path) -> None:
    broken = in_topic(OFFSETS, values_of("OffsetCommitValue", lambda it: it[:-1]))({})[f"{OFFSETS}/{LOG}"]
    assert [rule for rule, _ in found_in({f"{OFFSETS}/{LOG}": broken}, tmp_path / "own")] == ["KF0325"]
    assert found_in({f"offsets-1/{LOG}": broken}, tmp_path / "others") == []
    assert found_in({LOG: broken}, tmp_path / "no name") == []
    assert [one.rule for one in check(tmp_path / "own" / OFFSETS / LOG) if one.severity == "error"] == ["KF0325"]
    assert list(check(tmp_path / "own", records=False, ignore=["KF0005", "KF0006"])) == []


def test_many_of_one_kind_in_a_batch_are_one_finding(tmp_path: Path) -> None:
    cut = in_topic(OFFSETS, values_of("OffsetCommitValue", lambda it: it[:-1]), most=100)({})
    found = found_in(cut, tmp_path)
    more = [message for _, message in found if message.endswith("and 1 more like it")]
    assert {rule for rule, _ in found} == {"KF0325"} and more
    assert all("offset_commit_value" in message for _, message in found)


@pytest.mark.parametrize("is_wrapped", [False, True], ids=["plain", "wrapped"])
def test_old_messages_of_kafkas_own_topics_are_decoded(is_wrapped: bool, tmp_path: Path) -> None:
    batch = next(batch for batch in iter_batches(sample_folder(VERSION, OFFSETS)[LOG]))
    record = next(iter(batch.records()))
    for name, value, expected in (("sound", record.value, []), ("cut", b"\0", ["KF0325"])):
        pair: dict[str, Any] = {"key": record.key, "value": value, "timestamp": BASE_TIMESTAMP_MS}
        data = wrapper(0, inner(0, **pair), timestamp=BASE_TIMESTAMP_MS) if is_wrapped else plain(0, **pair)
        assert [rule for rule, _ in found_in({f"{OFFSETS}/{LOG}": data}, tmp_path / name)] == expected


# The fast way finds what the codec finds


def both_ways(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[str], int]:
    """The findings by the codec and by columns, and how many blocks were found sound by columns."""
    held = list[bool]()
    holds = sound.SoundMessages.holds

    def counted(self: sound.SoundMessages, name: str, block: Any) -> bool:
        held.append(holds(self, name, block))
        return held[-1]

    monkeypatch.setattr(sound.SoundMessages, "holds", counted)
    found = list[list[str]]()
    for least in (1 << 60, 0):
        held.clear()
        monkeypatch.setattr(sound, "_LOAD_BYTES", least)
        found.append([str(one) for one in check(path)])
    monkeypatch.undo()
    return found[0], found[1], sum(held)


@pytest.mark.parametrize("version", ["4.4.0", "3.9.2", "2.8.2", "1.1.1"])
def test_columns_read_what_brokers_wrote(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = sorted(path for name in ("offsets", "state") for path in (ROOT / version).glob(f"__*_{name}-*[0-9]"))
    blocks = [both_ways(path, monkeypatch) for path in paths]
    assert [one[:2] for one in blocks] == [([], [])] * len(paths)
    assert len(paths) == 4 and sum(count for _, _, count in blocks) == 4


@pytest.mark.parametrize("name", [OFFSETS, TRANSACTIONS])
def test_columns_find_sound_what_the_codec_finds_sound(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys and values with bytes changed, cut off, and put in, in batches with right checksums."""
    by, counts = random.Random(name), [0, 0]
    for number in range(30):
        at, kind, side = by.randrange(1000), by.choice(("flip", "cut", "insert", "none")), by.choice(("key", "value"))
        seen = itertools.count()

        def mutate(_: str, key: Any, value: Any, at: int = at, kind: str = kind, side: str = side) -> Any:
            data = bytearray((key if side == "key" else value) or b"")
            if next(seen) != at % 18 or not data:  # noqa: B023
                return None
            place = at % len(data)
            changes = {
                "flip": bytes([data[place] ^ 1 << at % 8]), "cut": b"", "insert": bytes([at % 256, data[place]]),
                "none": data[place : place + 1],
            }  # fmt: skip
            data[place : place + 1] = changes[kind]
            return (bytes(data), value) if side == "key" else (key, bytes(data))

        path = write(in_topic(name, mutate)({}), tmp_path / str(number))
        slow, fast, held = both_ways(path, monkeypatch)
        assert fast == slow, (number, at, kind, side)
        broken = [one for one in slow if "KF03" in one]
        assert not (held and broken)
        counts[bool(broken)] += 1
    assert min(counts) >= 3


# Levels


def record(*values: bytes, offset: int) -> bytes:
    """A batch of metadata."""
    payload = b"".join(
        damages.record_bytes(offset_delta=number, key=None, value=value) for number, value in enumerate(values)
    )
    return damages.batch_of(offset, payload, len(values), BASE_TIMESTAMP_MS + offset)


def stated(level: int, feature: str = "metadata.version") -> bytes:
    return written("feature_level_record", {"name": feature, "featureLevel": level})


def broker(version: int = DIRECTORY_VERSION) -> bytes:
    """A record that needs level 17, in version 3."""
    fields: dict[str, Any] = {"brokerId": 1, "incarnationId": "A" * 21 + "Q", "brokerEpoch": 1, "endPoints": []}
    fields |= {"features": [], "rack": None, "fenced": True, "inControlledShutdown": False}
    if version >= 2:
        fields["isMigratingZkBroker"] = False
    if version >= DIRECTORY_VERSION:
        fields["logDirs"] = []
    return written(BROKER, fields, version)


CLEAR = written("clear_elr_record", {"topicName": ""})
ELR = "eligible.leader.replicas.version"


def log_of(*values: bytes, start: int = 0) -> dict[str, bytes]:
    """A log of metadata with a batch for each value."""
    batches = [record(value, offset=start + number) for number, value in enumerate(values)]
    return {f"{METADATA}/{stem(start)}.log": b"".join(batches)}


def snapshot_at(offset: int, level: int | None) -> dict[str, bytes]:
    """A sample's snapshot of metadata under another name, with another level."""
    data = sample_folder(VERSION, METADATA)[SNAPSHOT]
    if level is not None:
        data = rewritten(data, METADATA, with_level("metadata.version", level))
    return {f"{METADATA}/{stem(offset)}-0000000001.checkpoint": data}


LEVELS: dict[str, tuple[dict[str, bytes], list[int]]] = {
    "a level that is high enough": (log_of(stated(HIGH), broker()), []),
    "a level that is too low": (log_of(stated(LOW), broker(), broker()), [1]),
    "a level that is not known": (log_of(broker()), []),
    "a level that comes later": (log_of(broker(), stated(LOW)), []),
    "an older version": (log_of(stated(LOW), broker(2)), []),
    "a level that was raised": (log_of(stated(LOW), stated(HIGH), broker()), []),
    "a level that was lowered": (log_of(stated(HIGH), broker(), stated(LOW), broker()), [3]),
    "a level to come": (log_of(stated(999), broker()), []),
    "a level of the segment before": (log_of(stated(LOW)) | log_of(broker(), start=1), [1]),
    "a level of a damaged segment before": (
        {name: data + b"\1" for name, data in log_of(stated(LOW)).items()} | log_of(broker(), start=1), [],
    ),
    "a feature that was never stated": (log_of(stated(HIGH), CLEAR), [1]),
    "a feature that is on": (log_of(stated(HIGH), stated(1, ELR), CLEAR), []),
    "a feature that is off": (log_of(stated(HIGH), stated(1, ELR), CLEAR, stated(0, ELR), CLEAR), [4]),
    "a feature of a log whose beginning is gone": (log_of(stated(HIGH), CLEAR, start=9), []),
}  # fmt: skip


@pytest.mark.parametrize("name", LEVELS)
def test_a_level_counts_from_the_record_that_states_it(name: str, tmp_path: Path) -> None:
    files, offsets = LEVELS[name]
    found = [message for rule, message in found_in(files, tmp_path) if rule == "KF0904"]
    assert [int(message.partition(":")[0].removeprefix("offset ")) for message in found] == offsets
    if name == "a level that is too low":
        assert found[0].endswith(
            "RegisterBrokerRecord version 3 needs metadata.version 17 (3.7-IV2), and the level is 15 (3.7-IV0), "
            "and 1 more like it"
        )


@pytest.mark.parametrize(
    ("start", "end", "level", "later", "is_found"),
    [
        (10, 10, LOW, None, True),
        (10, 10, HIGH, None, False),
        (10, 11, LOW, None, True),  # no record of the log states another
        (10, 11, LOW, HIGH, True),
        (10, 12, LOW, HIGH, False),  # one before the snapshot's end
        (10, 9, LOW, None, False),  # the log begins later
    ],
)
def test_at_the_beginning_of_a_log_the_level_is_that_of_a_snapshot(
    start: int, end: int, level: int, later: int | None, is_found: bool, tmp_path: Path
) -> None:
    values = [broker()] if later is None else [broker(), stated(later)]
    path = write(log_of(*values, start=start) | snapshot_at(end, level), tmp_path)
    found = [one for one in check(path) if one.rule == "KF0904" and one.file.endswith(".log")]
    assert [one.message.partition(":")[0] for one in found] == [f"offset {start}"] * is_found
    single = check(path / METADATA / f"{stem(start)}.log")
    assert "KF0904" not in {one.rule for one in single}, "of one file the level is not known"


def test_a_level_before_damage_says_nothing_of_what_comes_after(tmp_path: Path) -> None:
    name, log = next(iter(log_of(stated(LOW), stated(HIGH), broker()).items()))
    size = len(record(stated(LOW), offset=0))
    assert found_in({name: log}, tmp_path / "sound") == []
    broken = log[:size] + damages.patched(log[size : 2 * size], mend=False, crc=1) + log[2 * size :]
    assert [rule for rule, _ in found_in({name: broken}, tmp_path / "broken")] == ["KF0201", "KF0011"]
