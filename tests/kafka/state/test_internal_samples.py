"""Roots whose own topics have records of all kinds: what their brokers said at some moments, and what we read of them.

`samples/internal.py` recorded them; see samples/README.md. Nothing here starts a broker.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.messages.decoding import TOPICS, decoder
from kformat.kafka.state.latest import NOW, Moment
from tests.cli.test_cli import run
from tests.judges import releases
from tests.kafka.state.living import disk_state
from tests.samples import ROOT

INTERNAL = ROOT / "internal"
MODERN = [version for version in releases.INTERNAL if releases.version_tuple(version) >= (4,)]
KRAFT = [version for version in releases.INTERNAL if releases.version_tuple(version) >= (3,)]
LIMIT_BYTES = 200_000
each_version = pytest.mark.parametrize("version", releases.INTERNAL)


@cache
def state(version: str) -> dict[str, Any]:
    return dict(json.loads((INTERNAL / version / "state.json").read_text(encoding="utf-8")))


@each_version
def test_the_files_are_those_that_were_recorded(version: str) -> None:
    root = INTERNAL / version
    files = sorted(path for path in (root / "data").rglob("*") if path.is_file())
    digests = {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert digests == state(version)["sha256"]
    assert sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) < LIMIT_BYTES


@each_version
def test_check_finds_nothing(version: str) -> None:
    done = run("check", str(INTERNAL / version / "data"), "--ignore", "KF1201")  # groups were given any offset
    assert (done.exit_code, done.stdout) == (0, ""), done.stdout


@pytest.mark.parametrize("version", KRAFT)
def test_the_dump_is_the_tools(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the decoder of each topic, as that release prints it."""
    monkeypatch.chdir(INTERNAL / version / "data")
    dumps = state(version)["dumps"]
    for told in dumps.values():
        text = gzip.decompress((INTERNAL / version / told["file"]).read_bytes()).decode()
        done = run("dump", *told["files"], *told["options"])
        assert (done.exit_code, done.stdout.splitlines()) == (0, text.splitlines()), told
    assert {name.rpartition("-")[0] for name in dumps} == {
        path.name.rpartition("-")[0] for path in Path().glob("__*-*") if path.name.rpartition("-")[0] in TOPICS
    }


def test_the_dump_tells_what_that_of_2_8_2_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its decoders have a text of their own, but transactions are as in 3.9.2's."""
    version = "2.8.2"
    monkeypatch.chdir(INTERNAL / version / "data")
    seen = 0
    for name, told in state(version)["dumps"].items():
        text = gzip.decompress((INTERNAL / version / told["file"]).read_bytes()).decode()
        theirs = re.findall(r" key: (.*) payload: (.*)$", text, re.MULTILINE)
        done = run("dump", *told["files"], told["options"][0], "--like", "3.9.2")
        ours = re.findall(r" key: (.*) payload: (.*)$", done.stdout, re.MULTILINE)
        seen += len(ours)
        if name.startswith("__transaction_state"):
            assert ours == theirs
            continue
        for (key, value), (their_key, their_value) in zip(ours, theirs, strict=True):
            data = json.loads(key)["data"]
            content = json.loads(value)["data"] if value.startswith("{") else None
            if "topic" in data:
                assert (
                    their_key == f"offset_commit::group={data['group']},partition={data['topic']}-{data['partition']}"
                )
                offset, _, rest = their_value.partition(",")
                assert offset == ("<DELETE>" if content is None else f"offset={content['offset']}")
                assert rest in ("", f"metadata={content and content['metadata']}")
            else:
                assert their_key == f"group_metadata::group={data['group']}"
                assert (content is None) == (their_value == "<DELETE>")
                if content is not None:
                    assert json.loads(their_value)["generationId"] == content["generation"]
                    assert json.loads(their_value)["assignment"].count("=") == len(content["members"])
    assert seen > 30


def without_ends(said: dict[str, Any]) -> dict[str, Any]:
    """What a broker said, without the ends of logs, which a folder has of its last moment alone."""
    return {name: topic | {"partitions": [one[:-1] for one in topic["partitions"]]} for name, topic in said.items()}


@pytest.mark.parametrize("version", KRAFT)
def test_at_each_moment_the_disk_says_what_the_broker_said(version: str) -> None:
    moments, data = state(version)["moments"], INTERNAL / version / "data"
    for number, moment in enumerate(moments):
        here, said = disk_state(data, Moment(None, moment["time_ms"])), moment["said"]
        for name in said["groups"].keys() - here["groups"].keys():  # the coordinator remembers it, the log does not
            assert not said["groups"][name]["members"] and not said["groups"][name]["offsets"], name
        assert here["groups"] == {name: one for name, one in said["groups"].items() if name in here["groups"]}
        if number + 1 == len(moments):
            assert here["topics"] == said["topics"]
            assert here["groups"] == disk_state(data, NOW)["groups"]
        assert without_ends(here["topics"]) == without_ends(said["topics"])
        for part in sorted(said.keys() - {"groups", "topics"}):
            assert here[part] == said[part], (number, part)
    assert set(said) >= {"acls", "groups", "scram", "topics"}


def test_before_kraft_groups_and_logs_are_what_the_broker_said() -> None:
    moments, data = state("2.8.2")["moments"], INTERNAL / "2.8.2" / "data"
    for moment in moments:
        rows = table(kformat.open_root(data).groups(at_time=moment["time_ms"]))
        assert rows == {
            (name, place): offset
            for name, group in moment["said"]["groups"].items()
            for place, (offset, *_) in group["offsets"].items()
        }
    ends = {f"{row['topic']}-{row['partition']}": row["log_end_offset"] for row in kformat.open_root(data).topics()}
    assert ends == {
        f"{name}-{number}": partition[-1]
        for name, topic in moments[-1]["said"]["topics"].items()
        for number, partition in enumerate(topic["partitions"])
    }


def table(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], int]:
    """The committed offsets of groups, by the group and the partition."""
    found = {(row["group"], f"{row['topic']}-{row['partition']}"): row["current_offset"] for row in rows}
    return {place: offset for place, offset in found.items() if offset is not None}


@pytest.mark.parametrize("version", MODERN)
def test_groups_of_all_kinds_were_in_all_states(version: str) -> None:
    moments = state(version)["moments"]
    seen = {(group["kind"], group["state"]) for one in moments for group in one["said"]["groups"].values()}
    kinds = {kind for kind, _ in seen}
    assert kinds == {"classic", "consumer", "share", "streams"} and ("streams", "NotReady") in seen
    assert {(kind, "Stable") for kind in kinds} <= seen and ("streams", "Empty") in seen


@pytest.mark.parametrize("version", MODERN)
def test_groups_lists_every_kind_with_its_members(version: str) -> None:
    """Of a streams group, who reads a partition follows from tasks and topology."""
    said = state(version)["moments"][-1]["said"]
    done = run("groups", str(INTERNAL / version / "data"), "--format", "nl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.exit_code == 0 and {row["kind"] for row in rows} == {"classic", "consumer", "share", "streams"}
    for row in rows:
        group = said["groups"][row["group"]]
        assert (row["kind"], row["state"]) == (group["kind"], group["state"])
        assert row["members_count"] == len(group["members"])
        if row["current_offset"] is not None:
            assert group["offsets"][f"{row['topic']}-{row['partition']}"][0] == row["current_offset"]
            assert (
                row["lag"] == said["topics"][row["topic"]]["partitions"][row["partition"]][-1] - row["current_offset"]
            )
    readers = {(row["group"], row["topic"], row["partition"]): row["consumer_id"] for row in rows}
    streams = {name: group for name, group in said["groups"].items() if group["kind"] == "streams"}
    tasks = 0
    for name, group in streams.items():
        for id, member in group["members"].items():
            for subtopology, _, number in (task.partition("-") for task in member["assigned"]):
                topic = "t0" if subtopology == "0" else f"{name}-by-word-repartition"
                assert readers[name, topic, int(number)] == id
                tasks += 1
    assert tasks >= 4


@cache
def messages(version: str) -> dict[str, int]:
    """How many values of each message the broker's own topics have."""
    found: dict[str, int] = {}
    for partition in kformat.open_root(INTERNAL / version / "data").partitions.values():
        if partition.topic not in TOPICS:
            continue
        by = decoder(TOPICS[partition.topic])
        for batch in (batch for segment in partition.segments for batch in iter_batches(segment.log)):
            for record in () if batch.is_control else batch.records():
                if record.value is not None:
                    name = by.value(record.value, record.key).schema.name
                    found[name] = found.get(name, 0) + 1
    return found


def test_3_9_has_groups_of_the_preview() -> None:
    """Whose partitions were records, which 4.x writes no more."""
    assert {f"ConsumerGroup{what}Value" for what in ("Metadata", "PartitionMetadata", "MemberMetadata")} <= {
        *messages("3.9.2")
    }
    kinds = {group["kind"] for one in state("3.9.2")["moments"] for group in one["said"]["groups"].values()}
    assert kinds == {"classic", "consumer"}


@pytest.mark.parametrize("version", MODERN)
def test_nearly_all_messages_of_coordinators_are_there(version: str) -> None:
    wanted = {
        schema.name
        for name in ("offsets", "transaction-log", "share-group-state")
        for schema in decoder(name).values.values()
        if version in schema.releases
    }
    # Brokers of 4.x write no offsets of before 0.9, and no partitions of a group.
    assert wanted - messages(version).keys() == {"LegacyOffsetCommitValue", "ConsumerGroupPartitionMetadataValue"}
    assert len(messages(version)) > 30


@each_version
def test_transactions_in_all_states(version: str) -> None:
    states = set()
    for path in sorted((INTERNAL / version / "data").glob("__transaction_state-*")):
        for record in kformat.open(path).records():
            if record.value is not None:
                value: Any = kformat.parse("transaction_log_value", record.value)
                states.add(value.transaction_status.name)
    assert states == {"empty", "ongoing", "prepare_commit", "complete_commit", "prepare_abort", "complete_abort"}
