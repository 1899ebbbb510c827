"""`kformat stats`: its numbers are those of a look at every batch and record; and of its parts, one by one."""

from __future__ import annotations

import csv
import io
import itertools
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import kformat
from kformat.cli import main
from kformat.errors import DataError, UsageError
from kformat.kafka.batch.batches import AnyBatch, iter_batch_headers, iter_batches
from kformat.kafka.batch.records import Record, parse_control_record
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kafka.log.partition import Partition, open_partition
from kformat.stats import DistinctKeys, Distribution, Gaps, Stats, Tally, Timeline, stats
from tests.draws import every
from tests.kafka.test_columns import a_log
from tests.kernel_cases import mutated
from tests.samples import ROOT as SAMPLES
from tests.samples import Sample, all_samples


def written(folder: Path, *logs: bytes, base_offset: int = 100) -> Path:
    """A partition's folder with a segment of each log."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(logs):
        (folder / f"{base_offset + number:020d}.log").write_bytes(data)
    return folder


def sound_part(partition: Partition) -> Iterator[tuple[AnyBatch, list[Record]]]:
    """Batches with their records, as the codec reads them; of each segment those before damage."""
    for segment in partition.segments:
        try:
            for batch in iter_batches(segment.log):
                yield batch, list(batch.records())
        except DataError:
            continue


def first_timestamp(batch: AnyBatch) -> int:
    own = batch.delete_horizon_ms is None and batch.timestamp_type != 1
    if batch.magic < 2 and batch.compression:
        return min(record.timestamp for record in batch.records())
    return batch.base_timestamp if own and batch.base_timestamp >= 0 else batch.max_timestamp


def distribution(sizes: list[int]) -> dict[str, Any]:
    """As `Distribution.as_dict`, of all sizes; quantiles rounded up to the end of their step."""
    ordered = sorted(sizes)

    def quantile(share: float) -> int:
        exact = ordered[max(0, int(np.ceil(share * len(ordered))) - 1)]
        shift = max(0, exact.bit_length() - 7)
        return min(ordered[-1], (((exact >> shift) + 1) << shift) - 1)

    if not sizes:
        return {**dict.fromkeys(("min", "median", "p95", "p99", "max", "mean")), "count": 0, "sum": 0}
    quantiles = {"median": quantile(0.5), "p95": quantile(0.95), "p99": quantile(0.99)}
    ends = {"min": ordered[0], "max": ordered[-1]}
    return {"count": len(sizes), **ends, **quantiles, "mean": round(sum(sizes) / len(sizes), 1), "sum": sum(sizes)}


def by_looking(partition: Partition) -> dict[str, Any]:
    """The numbers of a sound partition, by a look at everything."""
    pairs = list(sound_part(partition))
    batches = [batch for batch, _ in pairs]
    data = [record for batch, records in pairs if not batch.is_control for record in records]
    timed = [batch for batch in batches if batch.max_timestamp >= 0 and not batch.is_control]
    gaps: list[tuple[int, int, int, int]] = []
    late, so_far, last_offset = 0, -1, -1
    for batch in timed:
        late += batch.max_timestamp < so_far
        if so_far >= 0 and first_timestamp(batch) > so_far:
            gaps.append((so_far - first_timestamp(batch), len(gaps), last_offset, batch.base_offset))
        so_far, last_offset = max(so_far, batch.max_timestamp), batch.last_offset
    offset_gaps = [
        (before.next_offset - after.base_offset, number, before.last_offset, after.base_offset)
        for number, (before, after) in enumerate(itertools.pairwise(batches))
        if after.base_offset > before.next_offset
    ]
    codecs: dict[str, list[int]] = {}
    for batch, records in pairs:
        sums = codecs.setdefault(batch.compression_name, [0, 0, 0])
        sums[:] = [sums[0] + 1, sums[1] + len(records), sums[2] + batch.size]
    control: Counter[str] = Counter()
    for batch, records in pairs:
        for record in records if batch.is_control else []:
            control[parse_control_record(record)[0].type.name] += 1
    before_each = itertools.accumulate((record.timestamp for record in data), max)
    records_count = sum(len(records) for _, records in pairs)
    names = Counter(name for record in data for name, _ in record.headers)
    return {
        "segments_count": len(partition.segments),
        "size_bytes": sum(segment.size_bytes for segment in partition.segments),
        "batches_count": len(batches),
        "empty_batches_count": sum(not records for _, records in pairs),
        "overlapping_batches_count": sum(a.next_offset > b.base_offset for a, b in itertools.pairwise(batches)),
        "timed_batches_count": len(timed),
        "late_batches_count": late,
        "control_batches_count": sum(batch.is_control for batch in batches),
        "idempotent_batches_count": sum(batch.producer_id >= 0 and not batch.is_control for batch in batches),
        "transactional_batches_count": sum(batch.is_transactional and not batch.is_control for batch in batches),
        "records_count": records_count,
        "control_records_count": sum(len(records) for batch, records in pairs if batch.is_control),
        "first_offset": batches[0].base_offset if batches else None,
        "next_offset": batches[-1].next_offset if batches else None,
        "missing_offsets_count": batches[-1].next_offset - batches[0].base_offset - records_count if batches else None,
        "offset_gaps": [
            {"offsets_count": -size, "after_offset": after, "before_offset": before}
            for size, _, after, before in sorted(offset_gaps)[:5]
        ],
        "first_timestamp": min(map(first_timestamp, timed), default=None),
        "last_timestamp": so_far if timed else None,
        "time_gaps": [
            {"gap_ms": -size, "after_offset": after, "before_offset": before}
            for size, _, after, before in sorted(gaps)[:5]
        ],
        "batch_bytes": distribution([batch.size for batch in batches]),
        "records_per_batch": distribution([len(records) for _, records in pairs]),
        "magics": {str(magic): count for magic, count in sorted(Counter(batch.magic for batch in batches).items())},
        "producers_count": len({b.producer_id for b in batches if b.producer_id >= 0 and not b.is_control}),
        "control_types": dict(sorted(control.items())),
        "codecs": codecs,
        "records_read_count": len(data),
        "late_records_count": sum(r.timestamp < so_far for r, so_far in zip(data, before_each, strict=True)),
        "null_keys_count": sum(record.key is None for record in data),
        "null_values_count": sum(record.value is None for record in data),
        "tombstones_count": sum(record.value is None and record.key is not None for record in data),
        "distinct_keys_count": len({record.key for record in data} - {None}),
        "distinct_keys_error": 0,
        "key_bytes": distribution([len(record.key) for record in data if record.key is not None]),
        "value_bytes": distribution([len(record.value) for record in data if record.value is not None]),
        "headers_per_record": distribution([len(record.headers) for record in data]),
        "header_keys": dict(names),
        "problems": [],
        "unread_bytes": 0,
    }


def compared(found: Stats) -> dict[str, Any]:
    """`as_dict` in the form of `by_looking`."""
    row = found.as_dict()
    row["codecs"] = {
        codec["codec"]: [codec["batches_count"], codec["records_count"], codec["size_bytes"]] for codec in row["codecs"]
    }
    row["header_keys"] = {pair["key"]: pair["count"] for pair in row["header_keys"]}
    return row


def counted(path: Path | Partition, **how: Any) -> Stats:
    (found,) = stats(path, **how)
    return found


@pytest.mark.parametrize("sample", every(3, all_samples(), 1), ids=str)
def test_samples(sample: Sample) -> None:
    partition = sample.open()
    expected = by_looking(partition)
    found = compared(counted(partition, records=True))
    assert {name: found[name] for name in expected} == expected
    assert sum(row["records_count"] for row in found["timeline"]) <= found["records_count"]
    assert sum(row["records_count"] for row in found["leader_epochs"]) == found["records_count"]


@pytest.mark.parametrize("window", [1, 700, 5000])
def test_windows_of_any_size_hold_the_same(tmp_path: Path, window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    partition = open_partition(written(tmp_path / "t-0", a_log()))
    expected = counted(partition).as_dict() | {"codecs": None}
    monkeypatch.setattr(
        sys.modules["kformat.stats"], "iter_batch_headers", partial(iter_batch_headers, window_bytes=window)
    )
    assert counted(partition).as_dict() | {"codecs": None} == expected
    assert expected["batches_count"] == 30


def test_without_records_the_rest_is_the_same(tmp_path: Path) -> None:
    partition = open_partition(written(tmp_path / "t-0", a_log()))
    quick, deep = counted(partition).as_dict(), counted(partition, records=True).as_dict()
    assert "value_bytes" not in quick
    assert {name: deep[name] for name in quick} == quick


def test_a_log_of_all_kinds(tmp_path: Path) -> None:
    partition = open_partition(written(tmp_path / "t-0", a_log()))
    expected, found = by_looking(partition), compared(counted(partition, records=True))
    assert {name: found[name] for name in expected} == expected
    assert len(expected["codecs"]) == 5 and len(expected["offset_gaps"]) == 5 and expected["late_batches_count"]


# --- damage --------------------------------------------------------------------------------------------------------


def test_damage_ends_its_segment_and_is_told(tmp_path: Path) -> None:
    log = a_log()
    *_, last = iter_batches(log)
    cut, room, junk = log[:-10], log + bytes(500), log + b"\xff" * 500
    for data, name, size in ((cut, "unread_bytes", last.size - 10), (room, "room_bytes", 500), (junk, "", 0)):
        partition = open_partition(written(tmp_path / "t-0", data, log))
        found = counted(partition)
        assert len(found.problems) == (name != "room_bytes")
        assert not name or found.counts[name] == size
        assert found.counts["batches_count"] == 60 - (data is cut)
        assert found.counts["size_bytes"] == len(data) + len(log)
    assert found.counts["unread_bytes"] == 500 and "no batch begins here" in str(found.problems[0])


def test_damaged_logs_are_counted_as_far_as_they_go(tmp_path: Path) -> None:
    chance, log, ends = random.Random(5), a_log(), Counter[int]()
    for _ in range(80):
        partition = open_partition(written(tmp_path / "t-0", mutated(log, chance)))
        found = counted(partition, records=True)
        batches = []
        try:
            for batch in iter_batches(partition.segments[0].log):
                batches.append(batch)
        except DataError as error:
            assert str(error) in map(str, found.problems)
        assert found.counts["batches_count"] == len(batches)
        read = found.counts["records_read_count"]
        assert read <= found.counts["records_count"] or any(batch.records_count < 0 for batch in batches)
        json.dumps(found.as_dict())
        ends[len(found.problems)] += 1
    assert len(ends) > 1


def test_records_that_were_not_read_are_named(tmp_path: Path) -> None:
    """After a wrong checksum, in each of several segments, through all sums; nothing where the batch is skipped."""
    batches = [
        build_batch(Columns([1, 2, 3], [None] * 3, [b"a", b"b", b"c"]), base_offset=3 * number) for number in range(4)
    ]
    raw = bytearray(b"".join(batches))
    at = len(batches[0])
    raw[at + len(batches[1]) - 2] ^= 1
    for name in ("t-0", "t-1"):
        written(tmp_path / name, bytes(raw), base_offset=0)
    written(tmp_path / "t-2", b"".join(batches), base_offset=0)
    done = CliRunner().invoke(main, ["stats", "--records", "--format", "json", str(tmp_path)])
    rows = json.loads(done.stdout)
    where = {"position": at, "batches_count": 3, "records_count": 9, "first_offset": 3, "last_offset": 11}
    for row in rows[:2]:
        (unread,) = row["unread_records"]
        assert unread == {"file": f"{row['name']}/{0:020d}.log", **where}
        text = f"{unread['file']}: records from position {at} on were not read: 9 records in 3 batches, offsets 3 to 11"
        assert f"kformat: {text}\n" in done.stderr
    assert [row["unread_records_count"] for row in rows] == [9, 9, 0] and not rows[2]["unread_records"]
    assert done.exit_code == 1
    total = CliRunner().invoke(main, ["stats", "--records", "--by", "total", str(tmp_path)])
    assert total.exit_code == 1 and "18 not read, because of damage" in total.stdout
    (skipped,) = kformat.stats(tmp_path / "t-0", records=True, on_corrupt="skip")
    assert not skipped.unread_records
    (one,) = kformat.stats(tmp_path / "t-0")
    assert "unread_records" not in one.as_dict()


def test_problems_of_batches_that_are_only_sampled(tmp_path: Path) -> None:
    batch = build_batch(Columns([1], [None], [b"a" * 100]), fields=BatchFields(compression="gzip"))
    found = counted(written(tmp_path / "t-0", batch + batch[:-20] + bytes(20)))
    (problem,) = found.problems
    assert problem.position is not None and problem.position >= len(batch) and "gzip" in str(problem)
    assert found.codec_rows()[0]["sampled_batches_count"] == 1


def test_control_records_are_those_that_kafkas_tool_sees() -> None:
    sample = SAMPLES / "4.3.1" / "transactions-0"
    found = counted(sample)
    types = {name: numbers[0] for name, numbers in found.control_types.rows.items()}
    assert set(types) == {"abort", "commit"}
    (sidecar,) = [each for each in all_samples() if each.path == sample]
    lines = b"\n".join(sidecar.control_lines)
    assert types == {name: lines.count(f"endTxnMarker: {name.upper()}".encode()) for name in types}


def test_damage_in_a_control_record(tmp_path: Path) -> None:
    folder = SAMPLES / "4.3.1" / "transactions-0"
    log = (folder / f"{6:020d}.log").read_bytes()
    batches = list(iter_batches(log))
    at = next(number for number, batch in enumerate(batches) if batch.is_control)
    raw = bytearray(log)
    raw[batches[at].position + batches[at].size - 1] = 0x7F  # the number of headers
    found = counted(written(tmp_path / "t-0", bytes(raw), base_offset=0))
    (problem,) = found.problems
    assert problem.position is not None
    assert 0 <= problem.position - batches[at].position < batches[at].size
    whole = counted(written(tmp_path / "t-1", log, base_offset=0))
    assert sum(n[0] for n in whole.control_types.rows.values()) == 1 + sum(
        n[0] for n in found.control_types.rows.values()
    )


# --- parts ---------------------------------------------------------------------------------------------------------

SIZES = st.lists(st.integers(0, 300) | st.integers(0, 2**31) | st.integers(0, 2**62), max_size=60)


@given(st.lists(SIZES, max_size=4))
def test_distributions_are_those_of_all_sizes(parts: list[list[int]]) -> None:
    whole = Distribution()
    for number, part in enumerate(parts):
        if number % 2:
            whole.add(np.array(part, np.int64))
        else:
            other = Distribution()
            other.add(np.array(part, np.int64))
            whole.merge(other)
    assert whole.as_dict() == distribution([size for part in parts for size in part])


@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=50), st.sampled_from([0.5, 0.95, 0.99, 1.0]))
def test_a_quantile_is_at_most_a_64th_too_much(sizes: list[int], share: float) -> None:
    found = Distribution()
    found.add(np.array(sizes, np.int64))
    exact = int(np.quantile(sizes, share, method="inverted_cdf"))
    quantile = found.quantile(share)
    assert quantile is not None and exact <= quantile <= exact * (1 + 1 / 64)


def test_distinct_keys_are_exact_and_then_estimated() -> None:
    for make in (b"%d".__mod__, b"user-%012d".__mod__, lambda n: random.Random(n).randbytes(16)):
        keys = [make(number) for number in range(40_000)]
        exact, estimated = DistinctKeys(1 << 30), DistinctKeys(300_000)
        for start in range(0, len(keys), 1000):
            for found in (exact, estimated):
                found.add([*keys[start : start + 1000], None, *keys[:50]])
        assert (exact.count, exact.error) == (len(keys), 0)
        assert estimated.size_bytes <= 300_000
        assert abs(estimated.count - len(keys)) < 4 * estimated.error < len(keys) / 2


def test_distinct_keys_of_several_partitions() -> None:
    first, second, both = DistinctKeys(30_000), DistinctKeys(1 << 20), DistinctKeys(30_000)
    first.add(b"%d" % number for number in range(5000))
    second.add(b"%d" % number for number in range(2500, 7500))
    both.add(b"%d" % number for number in range(7500))
    first.merge(second)
    assert (first.level, first.kept) == (both.level, both.kept)
    huge = DistinctKeys(10)
    huge.add([b"x" * 100])
    assert huge.count == 0


@given(st.lists(st.tuples(st.integers(0, 2**41) | st.integers(0, 10**5), st.integers(0, 9)), max_size=40))
def test_intervals_grow_until_there_are_few(rows: list[tuple[int, int]]) -> None:
    found, parts = Timeline(1000, 5), [Timeline(1000, 5), Timeline(1000, 5)]
    for timestamp, count in rows:
        arguments = (np.array([timestamp]), np.array([count]), np.array([count * 3]))
        found.add(*arguments)
        parts[timestamp % 2].add(*arguments)
    expected: Counter[int] = Counter()
    for timestamp, count in rows:
        expected[timestamp // found.interval_ms * found.interval_ms] += count
    listed = found.as_list()
    assert {row["start"]: row["records_count"] for row in listed} == dict(expected)
    assert all(row["size_bytes"] == 3 * row["records_count"] for row in listed) and len(listed) <= 5
    parts[0].merge(parts[1])
    assert (parts[0].interval_ms, parts[0].rows) == (found.interval_ms, found.rows)
    if rows:
        assert found.busiest is not None and found.busiest[1] == max(expected.values())


def test_intervals_have_lengths_that_people_use() -> None:
    found, seen = Timeline(1000, 1), []
    for timestamp in (0, 5000, 50_000, 500_000, 3_000_000, 20_000_000, 80_000_000, 600_000_000, 10**12):
        found.add(np.array([timestamp]), np.array([1]), np.array([1]))
        seen.append(found.interval_ms // 1000)
    assert seen[:8] == [1, 10, 60, 600, 3600, 21_600, 86_400, 604_800]
    odd = Timeline(7000, 1)
    odd.add(np.array([0, 7000]), np.array([1, 1]), np.array([1, 1]))
    assert odd.interval_ms == 14_000


def test_the_largest_gaps_are_kept() -> None:
    found, other = Gaps(), Gaps()
    sizes = np.array([5, 1, 9, -3, 0, 9, 2, 7, 7])
    found.add(sizes, np.arange(9), np.arange(9) + 1)
    other.add(np.array([8]), np.array([100]), np.array([200]))
    found.merge(other)
    assert [(gap.size, gap.after_offset) for gap in found.largest] == [(9, 2), (9, 5), (8, 100), (7, 7), (7, 8)]
    assert (found.count, found.total) == (8, 48)


def test_names_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["kformat.stats"], "_MOST_NAMED", 3)
    found = Tally(("count", "bytes"))
    found.add(np.array([7, 5, 7, 6, 4]), np.ones(5), np.arange(5))
    assert found.largest() == [(4, [1, 4]), (5, [1, 1]), (6, [1, 3])]
    assert found.others == [2, 2]
    whole = Tally(("count", "bytes"))
    whole.merge(found)
    assert (whole.rows, whole.others) == (found.rows, found.others)


# --- together ------------------------------------------------------------------------------------------------------


def test_segments_partitions_and_all_of_it(tmp_path: Path) -> None:
    root = tmp_path / "root"
    logs = [a_log(), build_batch(Columns([10], [b"k"], [None]), base_offset=900, fields=BatchFields())]
    written(root / "orders-0", *logs)
    written(root / "orders-1", logs[0])
    segments = [found.as_dict() for found in stats(root, by="segment", records=True)]
    partitions = [found.as_dict() for found in stats(root, records=True)]
    total = counted(root, by="total", records=True).as_dict()
    assert [row["name"] for row in partitions] == [str(root / "orders-0"), str(root / "orders-1")]
    assert [row["segments_count"] for row in (*segments, *partitions, total)] == [1, 1, 1, 2, 1, 3]
    for name in ("size_bytes", "batches_count", "records_count", "tombstones_count", "null_keys_count"):
        assert sum(row[name] for row in segments) == sum(row[name] for row in partitions) == total[name] > 0
    assert total["topic"] is total["first_offset"] is None and total["time_gaps"] == []
    assert total["distinct_keys_count"] == partitions[0]["distinct_keys_count"] == 3
    assert total["value_bytes"]["count"] == sum(row["value_bytes"]["count"] for row in segments)
    assert partitions[0]["next_offset"] == 901 and segments[0]["next_offset"] < 900
    assert total["last_timestamp"] == max(row["last_timestamp"] for row in partitions)


def test_nothing_is_counted_of_nothing(tmp_path: Path) -> None:
    found = counted(written(tmp_path / "t-0", b"")).as_dict()
    assert found["batches_count"] == 0 and found["first_offset"] is found["first_timestamp"] is None
    assert found["records_per_second"] is None and found["batch_bytes"]["median"] is None
    (tmp_path / "empty-0").mkdir()
    assert counted(tmp_path / "empty-0").counts["segments_count"] == 0


@pytest.mark.parametrize("arguments", [{"by": "topic"}, {"interval_ms": 0}, {"most_intervals": 0}])
def test_wrong_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        stats("nowhere", **arguments)


# --- the command ---------------------------------------------------------------------------------------------------


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    result = CliRunner().invoke(main, ["stats", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_json_and_csv_hold_the_numbers(tmp_path: Path) -> None:
    root = tmp_path / "root"
    written(root / "orders-0", a_log())
    written(root / "orders-1", a_log())
    expected = [found.as_dict() for found in stats(root, records=True)]
    status, out, _ = run(root, "--records", "--format", "nl")
    assert status == 0 and [json.loads(line) for line in out.splitlines()] == expected
    assert json.loads(run(root, "--records", "--format", "json")[1]) == expected
    table = list(csv.DictReader(io.StringIO(run(root, "--records", "--format", "csv")[1])))
    assert [row["value_bytes_p99"] for row in table] == [str(row["value_bytes"]["p99"]) for row in expected]
    assert [int(row["records_count"]) for row in table] == [row["records_count"] for row in expected]
    (total,) = json.loads(run(root, "--by", "total", "--format", "json")[1])
    assert total == counted(root, by="total").as_dict() | {"name": "total"}
    assert len(run(root, "--by", "segment", "--format", "nl")[1].splitlines()) == 2


def test_text(tmp_path: Path) -> None:
    folder = SAMPLES / "4.3.1" / "transactions-0"
    status, out, _ = run(folder, "--records", "--interval", "1h")
    lines = {line[2:].partition("  ")[0]: line[2:].partition("  ")[2].strip() for line in out.splitlines()}
    assert status == 0 and out.startswith(f"{folder}\n  segments ")
    assert lines["records"] == "131, 24 of them control records"
    assert lines["control"] == "abort 7, commit 17"
    assert "keys" in lines and "key_bytes" in out and "first_timestamp" in out
    assert "key_bytes" not in run(folder)[1] and "first_timestamp" not in run(folder)[1]
    estimated = run(written(tmp_path / "t-0", many_keys()), "--records", "--limit", "20000")[1]
    assert ", about " in estimated and " (± " in estimated
    assert "and 2 more" in run(written(tmp_path / "t-1", many_keys(producers=12)))[1]


def many_keys(producers: int = 1) -> bytes:
    keys = [b"%d" % number for number in range(500)]
    return b"".join(
        build_batch(
            Columns([1] * 500, keys, keys),
            base_offset=500 * number,
            fields=BatchFields(producer_id=number, producer_epoch=0, base_sequence=0),
        )
        for number in range(producers)
    )


def test_damage_is_told_and_the_rest_counted(tmp_path: Path) -> None:
    folder = written(tmp_path / "root" / "orders-0", a_log()[:-10])
    written(tmp_path / "root" / "orders-1", a_log())
    status, out, complaint = run(tmp_path / "root")
    assert status == 1 and "bytes after damage" in out and complaint.count("\n") == 1 and str(folder) in complaint
    assert out.count("segments ") == 2
    status, out, complaint = run(tmp_path / "missing-0", folder)
    assert status == 3 and "No such file" in complaint and "segments " in out


@pytest.mark.parametrize("arguments", [["--interval", "5"], ["--interval", "0s"], ["--by", "x"]])
def test_wrong_calls(arguments: list[str]) -> None:
    assert run(SAMPLES, *arguments)[0] == 2


def test_the_door() -> None:
    assert next(iter(kformat.stats(SAMPLES / "4.3.1" / "plain-0"))).counts["records_count"] > 0


def test_declared_values(tmp_path: Path) -> None:
    """How many parse, and numbers about their columns; of each topic by its own layout."""
    (tmp_path / "two.ksy").write_text("meta: {id: two, endian: be}\nseq: [{id: a, type: u1}, {id: b, type: u2}]")
    format = str(tmp_path / "two.ksy")
    for topic in ("orders", "others"):
        (tmp_path / "root" / f"{topic}-0").mkdir(parents=True)
        columns = Columns([1000] * 5, [None] * 5, [b"\1\0\2", b"\1\0\5", b"no", None, b"\1\0\2"])
        (tmp_path / "root" / f"{topic}-0" / f"{0:020d}.log").write_bytes(build_batch(columns, base_offset=0))
    words = ["stats", str(tmp_path / "root"), "--value-as", f"orders={format}"]
    done = CliRunner().invoke(main, [*words, "--format", "nl"])
    orders, others = map(json.loads, done.stdout.splitlines())
    assert orders["layouts"] == [{"side": "value", "layout": "two", "parsed_count": 3, "refused_count": 1}]
    assert (orders["rows_count"], others["rows_count"], others["layouts"], others["columns"]) == (5, 5, [], [])
    b = next(one for one in orders["columns"] if one["column"] == "value.b")
    assert (b["count"], b["null_count"], b["min"], b["max"]) == (3, 2, 2, 5)
    assert b["most_frequent"][0] == {"value": 2, "count": 2}
    text = CliRunner().invoke(main, [*words[:2], "--value-as", format, "--columns", "value.a"]).stdout
    assert "values as two  3 parsed, 1 do not parse" in text and "value.a" in text and "value.b" not in text
    for more, why in ((["--records"], "--records does not go"), (["--value-as", f"x={format}"], "no topic 'x'")):
        done = CliRunner().invoke(main, [*words, *more])
        assert done.exit_code == 2 and why in done.stderr, done.stderr


def test_declared_values_in_python(tmp_path: Path) -> None:
    """The same numbers as on the command line, in each partition's `values`."""
    (tmp_path / "two.ksy").write_text("meta: {id: two, endian: be}\nseq: [{id: a, type: u1}, {id: b, type: u2}]")
    format = str(tmp_path / "two.ksy")
    for topic in ("orders", "others"):
        (tmp_path / "root" / f"{topic}-0").mkdir(parents=True)
        columns = Columns([1000] * 4, [b"1"] * 4, [b"\1\0\2", b"no", None, b"\1\0\5"])
        (tmp_path / "root" / f"{topic}-0" / f"{0:020d}.log").write_bytes(build_batch(columns, base_offset=0))
    orders, others = kformat.stats(tmp_path / "root", value_as={"orders": format}, columns="value.b")
    assert orders.values is not None and others.values is not None
    assert orders.values.layouts == [{"side": "value", "layout": "two", "parsed_count": 2, "refused_count": 1}]
    (b,) = orders.values.columns.columns.values()
    assert (b.column, b.smallest, b.largest, b.null_count) == ("value.b", 2, 5, 2)
    assert (others.values.layouts, others.counts["records_count"]) == ([], 4)
    assert [one["column"] for one in orders.values.as_dict()["columns"]] == ["value.b"]
    log = tmp_path / "root" / "orders-0" / f"{0:020d}.log"
    log.write_bytes(log.read_bytes() * 2 + b"damage")
    (damaged,) = kformat.stats(log.parent, key_as="json")
    assert damaged.values is not None and isinstance(damaged.values.problem, DataError)
    wrong_calls: list[tuple[dict[str, Any], str]] = [
        ({"columns": "value.b"}, "give value_as or key_as"),
        ({"value_as": format, "by": "total"}, "by partition, not by total"),
        ({"value_as": format, "columns": "value.c"}, "has no field 'c'"),
    ]
    for wrong_call, why in wrong_calls:
        with pytest.raises(UsageError, match=why):
            kformat.stats(tmp_path / "root", **wrong_call)
