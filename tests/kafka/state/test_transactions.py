"""`kformat transactions`, and what changed between two moments, on samples and on disks that lack something."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kformat
from kformat.columns.arrow import pyarrow
from kformat.kafka.batch.batches import read_batch_headers
from kformat.kafka.producers.transaction_log import TransactionMetadata, build_transaction
from kformat.kafka.state.changes import NOTHING, changes
from kformat.kafka.state.latest import Moment, latest_records
from tests.kafka.state.test_state_verbs import rows, run
from tests.samples import ROOT

RELEASES = ("4.4.0", "4.3.1", "3.9.2", "2.8.2", "1.1.1")
COLUMNS = ("transactional_id", "state", "topic", "partition", "start_offset", "last_stable_offset", "is_hanging")


def cells(*arguments: str, status: int = 0) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in COLUMNS) for row in rows("transactions", *arguments, status=status)]


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    for name in (*(f"{topic}-{number}" for topic in ("__transaction_state", "transactions") for number in (0, 1)),
                 "__cluster_metadata-0"):  # fmt: skip
        shutil.copytree(ROOT / "4.4.0" / name, tmp_path / name)
    return tmp_path


def with_state(disk: Path, *states: TransactionMetadata) -> str:
    """The disk with a `__transaction_state` with these records, in the first of its two partitions."""
    for number in (0, 1):
        shutil.rmtree(disk / f"__transaction_state-{number}")
        (disk / f"__transaction_state-{number}").mkdir()
        (disk / f"__transaction_state-{number}" / f"{0:020}.log").write_bytes(b"")
    folder = disk / "__transaction_state-0"
    records = [
        {"timestamp_delta": number, "offset_delta": number, "key": key, "value": value, "headers": []}
        for number, (key, value) in enumerate(map(build_transaction, states))
    ]
    batch = {"base_offset": 0, "base_timestamp": 0, "max_timestamp": len(states) - 1, "records": records}
    (folder / f"{0:020}.log").write_bytes(kformat.build("record_batch", batch) if states else b"")
    return str(disk)


def state(producer_id: int, word: str = "Ongoing", *numbers: int) -> TransactionMetadata:
    places = frozenset(("transactions", number) for number in numbers)
    return TransactionMetadata(f"id {producer_id}", producer_id, 0, word, 1000, places, 5, 5)


@pytest.mark.parametrize("release", RELEASES)
def test_transactions_of_a_sample(release: str) -> None:
    """What samples/make.py left: one that is complete, and of some one that is open in both partitions."""
    listed = cells(str(ROOT / release))
    assert {(row[0], row[1]) for row in listed} >= {("transactions-first", "CompleteCommit")}
    for row in listed:
        if row[1] == "Ongoing":
            assert row[2] == "transactions" and row[4] == row[5] and row[6] is False
    assert list(kformat.open_root(ROOT / release).transactions()) == rows("transactions", str(ROOT / release))
    assert rows("log", "transactions", "--log-dir", str(ROOT / release)) == rows("transactions", str(ROOT / release))


OPEN = (("transactions", 0, 127, 127), ("transactions", 1, 112, 112))
"""Those of producer 3 in the sample of 4.4.0."""


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([], [(None, None, True), (None, None, True)]),
        ([state(9)], [("id 9", "Ongoing", None), (None, None, True), (None, None, True)]),
        ([state(3, "Ongoing", 0, 1)], [("id 3", "Ongoing", False)] * 2),
        ([state(3, "PrepareAbort", 1)], [("id 3", "PrepareAbort", True), ("id 3", "PrepareAbort", False)]),
        ([state(3, "CompleteCommit")], [("id 3", "CompleteCommit", True)] * 2),
        ([state(3, "Ongoing", 0, 1), state(3, "CompleteAbort")], [("id 3", "CompleteAbort", True)] * 2),
    ],
)
def test_what_hangs_follows_from_the_coordinators_records(disk: Path, states: list[Any], expected: list[Any]) -> None:
    root = with_state(disk, *states)
    listed = cells(root)
    assert [(row[0], row[1], row[6]) for row in listed] == expected
    assert tuple(row[2:6] for row in listed if row[4] is not None) == OPEN
    hanging = cells(root, "--hanging")
    assert hanging == [row for row in listed if row[6]]
    text = run("transactions", root)[1]
    assert ("transactions hang in transactions-" in text) == bool(hanging)
    assert not cells(root, "--hanging", "--max-transaction-timeout", str(10**9))


def test_what_these_disks_cannot_say_is_left_open(disk: Path) -> None:
    """A partition of the topic that is not here may have the id; damage may hide a marker."""
    shutil.rmtree(disk / "__transaction_state-0")
    assert {row[6] for row in cells(str(disk)) if row[4] is not None} == {None}
    shutil.rmtree(disk / "__transaction_state-1")
    assert {row[6] for row in cells(str(disk))} == {None}
    assert "no ROOT has __transaction_state" in run("transactions", str(disk))[1]


def test_without_the_metadata_nobody_knows_how_many_partitions_the_topic_has(disk: Path) -> None:
    shutil.rmtree(disk / "__cluster_metadata-0")
    assert {row[6] for row in cells(with_state(disk))} == {None}


@pytest.mark.parametrize("name", ["replication-offset-checkpoint", "snapshot", "node.id"])
def test_a_log_of_the_coordinator_that_lacks_its_end_is_not_trusted(disk: Path, name: str) -> None:
    """Or that is another broker's."""
    root = with_state(disk)
    folder = disk / "__transaction_state-1"
    if name == "snapshot":
        (folder / f"{5:020}.snapshot").write_bytes(b"")
    elif name == "node.id":
        (disk / "meta.properties").write_text("version=1\nnode.id=9\ncluster.id=a2Zvcm1hdC1zYW1wbGVzMQ\n")
    else:
        (disk / name).write_text("0\n1\n__transaction_state 1 5\n")
    assert {row[6] for row in cells(root)} == {None}


def test_damage_in_the_coordinators_log_leaves_the_answer_open(disk: Path) -> None:
    root = with_state(disk, state(9), state(3))
    log = disk / "__transaction_state-0" / f"{0:020}.log"
    log.write_bytes(log.read_bytes()[:-1] + b"?")
    assert not [row[6] for row in cells(root, status=1) if row[6] is not None]
    skipping = cells(root, "--on-corrupt", "skip", status=1)
    assert [row[4] for row in skipping] == [127, 112] and {row[6] for row in skipping} == {None}


def without_end(data: bytearray, at: int, size: int) -> None:
    """Another batch comes after the marker that is missing."""
    offset = int(read_batch_headers(bytes(data)).base_offset[-1])
    record: dict[str, Any] = {"timestamp_delta": 0, "offset_delta": 0, "key": None, "value": b"", "headers": []}
    later = {"base_offset": offset + 1, "base_timestamp": 0, "max_timestamp": 0, "records": [record]}
    data[at:] = kformat.build("record_batch", later)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda data, at, size: data.__setitem__(at + 50, 1), id="its producer"),
        pytest.param(
            lambda data, at, size: data.__setitem__(slice(at + 61, at + size), bytes(size - 61)), id="all of it"
        ),
        pytest.param(without_end, id="it is missing"),
    ],
)
def test_a_marker_that_is_damaged_may_have_been_an_end(
    disk: Path, change: Callable[[bytearray, int, int], Any]
) -> None:
    """The last marker of the log, which ends there; its transaction seems to be open."""
    log = max((disk / "transactions-0").glob("*.log"))
    headers = read_batch_headers(log)
    last = int(np.flatnonzero(headers.is_control)[-1])
    at, size = int(headers.position[last]), int(headers.size[last])
    data = bytearray(log.read_bytes()[: at + size])
    change(data, at, size)
    log.write_bytes(data)
    row = next(row for row in rows("transactions", with_state(disk), status=1) if row["partition"] == 0)
    assert (row["is_hanging"], row["last_stable_offset"], row["log_end_offset"]) == (None, None, None)
    assert [one.last_stable_offset for one in kformat.stats(disk / "transactions-0")] == [None]


def test_of_two_ids_with_one_producer_id_one_may_have_the_partition(disk: Path) -> None:
    other = replace(state(3, "Ongoing", 0, 1), transactional_id="z")
    listed = cells(with_state(disk, state(3, "CompleteCommit"), other))
    assert [(row[0], row[2], row[6]) for row in listed] == [
        ("id 3", None, None),
        ("z", "transactions", False),
        ("z", "transactions", False),
    ]


def test_what_the_coordinator_has_just_done_is_no_proof(disk: Path) -> None:
    """Data has any time that its producer gives: it may be of a transaction that begins a moment later."""
    ended = replace(state(3, "CompleteCommit"), last_update_timestamp=int(time.time() * 1000))
    assert {row[6] for row in cells(with_state(disk, ended))} == {False}
    assert {row[6] for row in cells(with_state(disk, ended), "--max-transaction-timeout", "0")} == {True}


def test_the_last_stable_offset_is_not_below_the_logs_start(disk: Path) -> None:
    (disk / "log-start-offset-checkpoint").write_text("0\n1\ntransactions 0 129\n")
    row = next(
        row for row in rows("transactions", str(disk)) if (row["topic"], row["partition"]) == ("transactions", 0)
    )
    assert (row["start_offset"], row["last_stable_offset"]) == (127, 129)
    counted = rows("stats", str(disk / "transactions-0"))[0]
    assert (counted["open_transactions_count"], counted["last_stable_offset"]) == (1, 129)


def test_a_snapshot_that_is_too_large_to_be_one_is_not_read(disk: Path) -> None:
    for path in (disk / "transactions-0").glob("*.snapshot"):
        os.truncate(path, 1 << 40)
    assert [row[4] for row in cells(str(disk)) if row[4] is not None] == [127, 112]


def test_roots_of_different_clusters_are_said(disk: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(ROOT / "4.4.0" / "plain-0", other / "plain-0")
    for root, id in ((disk, "one"), (other, "two")):
        (root / "meta.properties").write_text(f"version=1\nnode.id=1\ncluster.id={id}\n")
    assert "different clusters: one, two" in run("transactions", str(disk), str(other), status=1)[1]
    assert len(cells(str(disk), str(disk))) == len(cells(str(disk)))


def test_damage_that_may_hide_a_marker_leaves_the_answer_open(disk: Path) -> None:
    log = max((disk / "transactions-0").glob("*.log"))
    log.write_bytes(log.read_bytes() + b"\xff" * 100)
    root = with_state(disk)
    assert [row[6] for row in cells(root, status=1)] == [None, True]


def test_records_that_do_not_parse_are_counted(disk: Path) -> None:
    root = with_state(disk, state(3, "Ongoing", 0, 1))
    log = next((disk / "__transaction_state-0").glob("*.log"))
    key, _ = build_transaction(state(3))
    batch = [{"timestamp_delta": 0, "offset_delta": 0, "key": key, "value": b"\0\1", "headers": []}]
    made = {"base_offset": 1, "base_timestamp": 0, "max_timestamp": 0, "records": batch}
    log.write_bytes(log.read_bytes() + kformat.build("record_batch", made))
    assert {row[6] for row in cells(root, status=1)} == {None}
    text = run("transactions", root, status=1)[1]
    assert "__transaction_state-0: the record at offset 1 does not parse: " in text and "not parse: 1\n" in text
    assert len(kformat.open_root(root).transactions().problems) == 1


def test_transactions_as_of_a_moment() -> None:
    """Before the last transaction of the sample began, it is in no row; an offset is one of a single partition."""
    root = ROOT / "4.4.0"
    now = rows("transactions", str(root), "--transactional-id", "transactions-second")
    start = now[0]["start_timestamp"]
    before = rows("transactions", str(root), "--at-time", str(start - 1), "--transactional-id", "transactions-second")
    assert before and all(row["start_timestamp"] < start for row in before)
    assert "give a time" in run("transactions", str(root), "--at-offset", "1", status=2)[1]
    first = rows("transactions", str(root / "__transaction_state-0"), "--at-offset", "0")
    assert len(first) == 1 and first[0]["state"] == "Empty"


OF_NOW = {
    "topics": (
        *("partition_epoch", "leader_epoch", "directories", "folder", "log_start_offset", "log_end_offset"),
        *("created_timestamp", "deleted_timestamp"),
    ),
    "groups": ("log_end_offset", "lag"),
}
"""What is no change by itself."""


# --- what changed ----------------------------------------------------------------------------------------------------


def test_changes_of_rows() -> None:
    keys, columns = ("name", "number"), ("name", "number", "a", "b")

    def row(*values: Any) -> dict[str, Any]:
        return dict(zip(columns, values, strict=True))

    before = [row("x", 1, 1, []), row("x", 2, 1, [1]), row("y", None, None, [])]
    after = [row("x", 1, 1, []), row("x", 2, 1, [2]), row("a", 0, None, [3]), row("a", 0, 7, [])]
    assert [tuple(change.values()) for change in changes(before, after, keys, columns)] == [
        ("added", "a", 0, None, {"b": [3]}),
        ("added", "a", 0, None, {"a": 7}),
        ("changed", "x", 2, {"b": [1]}, {"b": [2]}),
        ("removed", "y", None, {}, None),
    ]


@pytest.mark.parametrize("verb", ["topics", "groups", "transactions", "cluster"])
def test_changes_between_two_times_take_one_state_to_the_other(verb: str) -> None:
    """The earlier rows, with the changes, are the later ones."""
    root, times = str(ROOT / "4.4.0"), ("2026-11-28T11:32:45Z", "2026-11-28T11:33:08Z")
    assert not rows(verb, root, "--diff", times[1], times[1])
    listed = rows(verb, root, "--diff", *times)
    names = list(listed[0])
    keys = names[1 : names.index("before")]
    live = ("present", "missing", "wrong id")
    earlier, later = (
        {tuple(row[name] for name in keys): {name: one for name, one in row.items() if name not in OF_NOW.get(verb, ())}
         for row in rows(verb, root, "--at-time", time, status=is_empty) if verb != "topics" or row["state"] in live}
        for time, is_empty in zip(times, (int(verb == "groups"), 0), strict=True)
    )  # fmt: skip
    for change in listed:
        key = tuple(change[name] for name in keys)
        if change["change"] == "removed":
            del earlier[key]
        else:
            empty = dict.fromkeys(later[key]) if change["change"] == "added" else earlier[key]
            earlier[key] = {**empty, **dict(zip(keys, key, strict=True)), **change["after"]}
    shown = [{key: {name: one for name, one in row.items() if one not in NOTHING} for key, row in side.items()}
             for side in (earlier, later)]  # fmt: skip
    assert shown[0] == shown[1]
    text = run(verb, root, "--diff", *times)[0]
    assert text.split()[:2] == ["change", keys[0]] and len(text.splitlines()) == len(listed) + 1
    assert "do not go together" in run(verb, root, "--diff", *times, "--at-offset", "1", status=2)[1]


# --- without pyarrow -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", [Moment(), Moment(None, 1_795_865_587_900), Moment(5)])
@pytest.mark.parametrize("name", ["__consumer_offsets-0", "__consumer_offsets-1", "__transaction_state-1"])
def test_the_latest_records_are_the_same_without_pyarrow(
    name: str, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    partition = kformat.open(ROOT / "4.4.0" / name)
    fast = sorted(latest_records(partition, moment))
    pyarrow.cache_clear()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert sorted(latest_records(partition, moment)) == fast and fast
    pyarrow.cache_clear()
