"""`kformat transactions`, and what changed between two moments, on samples and on disks that lack something."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import kformat
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
    for name in ("__transaction_state-0", "__transaction_state-1", "transactions-0", "transactions-1"):
        shutil.copytree(ROOT / "4.4.0" / name, tmp_path / name)
    return tmp_path


def with_state(disk: Path, *states: TransactionMetadata) -> str:
    """The disk with a `__transaction_state` of one partition with these records."""
    for number in (0, 1):
        shutil.rmtree(disk / f"__transaction_state-{number}")
    folder = disk / "__transaction_state-0"
    folder.mkdir()
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
    assert [row[6] for row in cells(root, status=1)] == [None, None]
    assert "1 records do not parse as records of transactions" in run("transactions", root, status=1)[1]


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
        {tuple(row[name] for name in keys): row for row in rows(verb, root, "--at-time", time)
         if verb != "topics" or row["state"] in live}
        for time in times
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
    kformat.columns.arrow.pyarrow.cache_clear()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert sorted(latest_records(partition, moment)) == fast and fast
    kformat.columns.arrow.pyarrow.cache_clear()
