"""Reading on after damage: the rows are those of Spark's `onCorrupt=skip` everywhere, and what was skipped is said."""

from __future__ import annotations

import contextlib
import json
import logging
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.columns.skipped import ON_CORRUPT, Skipped
from kformat.errors import DataError, UsageError
from kformat.grep import grep
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.log.partition import Partition, open_partition
from kformat.language.layout import layout
from kformat.stats import stats
from tests.damages import batch_of, patched, record_bytes
from tests.draws import EXAMPLES
from tests.dump_cases import offset_index
from tests.kafka.test_columns import a_log
from tests.kafka.test_record_reading import without_numba
from tests.kernel_cases import mutated
from tests.salvage.test_saving import DAMAGES, PAGE
from tests.samples import all_samples
from tests.spark.test_plan import batch, rows, segment, splits_of

pytest.importorskip("pyarrow")

Batches = list[bytes]
FIRST = [batch(first, 3, compression=3 * (first % 2)) for first in range(0, 30, 3)]
LAST = [batch(first, 3) for first in range(30, 42, 3)]
AT = [sum(map(len, FIRST[:number])) for number in range(11)]
LAST_AT = [sum(map(len, LAST[:number])) for number in range(5)]
LENGTH = layout("record_batch").position("batch_length")


class Case(NamedTuple):
    """What is done to the batches of the first and the last segment; which offsets are lost by that; and as text which
    positions and offsets are passed over, in which segment."""

    damage: Callable[[Batches, Batches], None]
    lost: set[int]
    ranges: tuple[str, ...]
    segment: int = 0
    is_refused: bool = True
    """Whether it is an error without being told to go on."""


def put(number: int, change: Callable[[bytes], bytes], which: int = 0) -> Callable[[Batches, Batches], None]:
    def damage(*segments: Batches) -> None:
        segments[which][number] = change(segments[which][number])

    return damage


def zeroed(first: Batches, _: Batches) -> None:
    """From the middle of a batch to the middle of the next but one, as of a lost page."""
    whole = bytearray(b"".join(first))
    start, end = AT[4] + 80, AT[6] + 40
    whole[start:end] = bytes(end - start)
    first[:] = [bytes(whole)]


def with_length(length: int) -> Callable[[bytes], bytes]:
    return lambda sound: sound[:LENGTH] + length.to_bytes(4, "big") + sound[LENGTH + 4 :]


def flipped(sound: bytes) -> bytes:
    """More bits than a checksum can locate."""
    return sound[:-2] + bytes([sound[-2] ^ 0x55, sound[-1] ^ 0x2A])


CASES = {
    "a broken checksum": Case(put(3, flipped), {9, 10, 11}, (f"positions {AT[3]}-{AT[4] - 1}, offsets 9-11: ",)),
    "two of them": Case(
        lambda first, last: first.__setitem__(slice(3, 5), map(flipped, first[3:5])),
        set(range(9, 15)),
        (f"positions {AT[3]}-{AT[5] - 1}, offsets 9-14: ",),
    ),
    "a bit": Case(
        put(3, lambda sound: sound[:-1] + bytes([sound[-1] ^ 1])),
        set(),
        (f"positions {AT[3]}-{AT[4] - 1}, read after all (one bit corrected at position {AT[4] - 1}): ",),
    ),
    "a base offset": Case(
        put(3, lambda sound: b"\1" + sound[1:]),
        set(),
        (f"positions {AT[3]}-{AT[4] - 1}, read after all (restored: base_offset): ",),
        is_refused=False,
    ),
    "a batch that came twice": Case(
        lambda first, last: first.insert(4, first[2]),
        set(),
        (f"positions {AT[4]}-{AT[4] + len(FIRST[2]) - 1}, no offsets: record_batch.base_offset",),
        is_refused=False,
    ),
    "the first of all": Case(put(0, flipped), {0, 1, 2}, (f"positions 0-{AT[1] - 1}, offsets 0-2: ",)),
    "the last of a closed segment": Case(
        put(9, flipped), {27, 28, 29}, (f"positions {AT[9]}-{AT[10] - 1}, offsets 27-29: ",)
    ),
    "a record": Case(
        put(4, lambda sound: patched(sound[:-1] + b"\x01")),
        {14},
        (f"positions {AT[4]}-{AT[5] - 1}, offsets 14-14: record_batch.records[2]",),
    ),
    "zeros": Case(
        zeroed,
        set(range(12, 21)),
        (f"positions {AT[4]}-{AT[7] - 1}, offsets 12-20: ",),
    ),
    "a length that is too large": Case(
        put(4, with_length(0x7FFFFFFF)),
        set(),
        (f"positions {AT[4]}-{AT[5] - 1}, read after all (restored: batch_length)",),
    ),
    "a length that is negative": Case(
        put(4, with_length(0xFFFFFFFF)),
        set(),
        (f"positions {AT[4]}-{AT[5] - 1}, read after all (restored: batch_length)",),
    ),
    "a truncated tail": Case(
        put(3, lambda sound: sound[:-10], 1),
        {39, 40, 41},
        (f"positions {LAST_AT[3]}-{LAST_AT[4] - 11}, offsets from 39 on: ",),
        1,
    ),
    "bytes after the last batch": Case(
        lambda first, last: last.append(b"no batch, but some other bytes"),
        set(),
        (f"positions {LAST_AT[4]}-{LAST_AT[4] + 29}, offsets from 42 on: ",),
        1,
    ),
}


def folder_of(path: Path, case: Case) -> Path:
    first, last = list(FIRST), list(LAST)
    case.damage(first, last)
    folder = path / "orders-3"
    segment(folder, 0, *first)
    segment(folder, 30, *last)
    (folder / f"{0:020}.index").write_bytes(offset_index((17, AT[5]), (23, AT[7])))
    return folder


@pytest.fixture(params=list(CASES))
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.mark.parametrize("length", [0, 0x7FFFFFFF, 2 * len(FIRST[4]), AT[10] - AT[4] - 12])
def test_a_length_leads_no_further_astray_without_an_index(length: int, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, Case(put(4, with_length(length)), set(), ()))
    (folder / f"{0:020}.index").unlink()
    skipped: list[Skipped] = []
    records = open_partition(folder).records(on_corrupt="skip", on_skipped=skipped.append)
    assert [record.offset for record in records] == list(range(42))
    assert [(one.position, one.end_position, one.size_bytes, one.offsets_count) for one in skipped] == [
        (AT[4], AT[5], 0, 0)
    ]


def test_what_lies_in_a_value_of_a_torn_batch_is_not_read(tmp_path: Path) -> None:
    inner = batch(50, 3)
    outer = batch_of(42, record_bytes(offset_delta=0, value=inner + bytes(500)), 1, 1000)
    folder = tmp_path / "orders-3"
    segment(folder, 30, *LAST, outer[:-200])
    records = open_partition(folder).records(on_corrupt="skip")
    assert [record.offset for record in records] == list(range(30, 42))


def offsets_by_spark(folder: Path) -> list[int]:
    return [row["offset"] for row in rows(splits_of(folder), on_corrupt="skip")]


def run(*arguments: str | Path) -> tuple[int, str, list[str]]:
    """Exit status, standard output, lines of standard error."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return result.exit_code, result.stdout, result.stderr.splitlines()


@pytest.mark.parametrize("has_numba", [True, False])
def test_rows_and_ranges(case: Case, has_numba: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_numba:
        without_numba(monkeypatch)
    folder = folder_of(tmp_path, case)
    partition = open_partition(folder)
    expected = [offset for offset in range(42) if offset not in case.lost]
    assert offsets_by_spark(folder) == expected
    skipped: list[Skipped] = []
    how: dict[str, Any] = {"on_corrupt": "skip", "on_skipped": skipped.append}
    assert [record.offset for record in partition.records(**how)] == expected
    log = partition.segments[case.segment].log
    assert [str(one).startswith(f"{log}: {text}") for one, text in zip(skipped, case.ranges, strict=True)] == [
        True
    ] * len(case.ranges), list(map(str, skipped))
    assert all(isinstance(one.problem, DataError) for one in skipped)
    for threads in (1, 3):
        again: list[Skipped] = []
        table = partition.to_arrow(["offset"], threads=threads, on_corrupt="skip", on_skipped=again.append)
        assert table["offset"].to_pylist() == expected
        assert list(map(str, again)) == list(map(str, skipped))
    assert [found.offset for found in grep(partition, "v", on_corrupt="skip")] == expected
    assert [record.value for record in partition.records(10, 35, on_corrupt="skip")] == [
        b"v%d" % offset for offset in expected if 10 <= offset < 35
    ]
    with pytest.raises(DataError) if case.is_refused else contextlib.nullcontext():
        list(partition.records())


def test_what_is_counted(case: Case, tmp_path: Path) -> None:
    """By the headers alone a wrong checksum is not seen."""
    folder = folder_of(tmp_path, case)
    skipped: list[Skipped] = []
    (found,) = stats(folder, records=True, on_corrupt="skip", on_skipped=skipped.append)
    row = found.as_dict()
    assert row["records_read_count"] == 42 - len(case.lost) and row["problems"] == []
    log = open_partition(folder).segments[case.segment].log
    assert sorted(str(one).partition(": ")[2].split(",")[0] for one in skipped) == sorted(
        text.split(",")[0] for text in case.ranges
    ), log
    (plain,) = stats(folder, on_corrupt="skip", on_skipped=skipped.append)
    (ended,) = stats(folder)
    assert plain.counts["unread_bytes"] <= ended.counts["unread_bytes"] or not case.is_refused
    assert plain.counts["records_count"] >= ended.counts["records_count"] or not case.is_refused


def test_the_command_line(case: Case, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, case)
    log = open_partition(folder).segments[case.segment].log
    expected = [offset for offset in range(42) if offset not in case.lost]
    for how in ("skip", "report"):
        status, out, said = run("export", folder, "--format", "nl", "--columns", "offset", "--on-corrupt", how)
        assert (status, [json.loads(line)["offset"] for line in out.splitlines()]) == (1, expected)
        ranges = said[:-1]
        assert len(ranges) == (len(case.ranges) if how == "report" else 0)
        for line, text in zip(ranges, case.ranges, strict=False):
            assert line.startswith(f"kformat: {log}: {text}")
        count = len(case.ranges)
        is_restored = "read after all" in case.ranges[0]
        assert said[-1].startswith(
            "kformat: read 1 damaged batch as restored" if is_restored else f"kformat: skipped {count} damaged range"
        )
        assert run("grep", "v", folder, "--count", "--on-corrupt", how)[:2] == (1, f"{len(expected)}\n")
        status, out, said = run("stats", folder, "--records", "--format", "json", "--on-corrupt", how)
        assert status == 1 and len(said) == 1 + (count if how == "report" else 0)
        assert json.loads(out)[0]["records_read_count"] == len(expected)
    status, out, said = run("export", folder, "--format", "nl", "--columns", "offset")
    assert (status, len(said)) == ((1, 1) if case.is_refused else (0, 0)) and "skipped" not in "".join(said)
    if case.is_refused:
        assert [json.loads(line)["offset"] for line in out.splitlines()] == expected[: len(out.splitlines())]


@pytest.mark.parametrize("seed", dict.fromkeys((*range(EXAMPLES), 450)))  # 450: nothing but what was torn is placed
def test_what_is_skipped_is_what_salvage_does_not_save(seed: int, tmp_path: Path) -> None:
    """`records`, columns, Spark and salvage's logs: the same rows, whatever is damaged."""
    chance = random.Random(seed)
    sample = chance.choice([one for one in all_samples() if not one.name.startswith("__cluster")])
    folder = tmp_path / "disk" / sample.name
    shutil.copytree(sample.path, folder)
    for log in folder.glob("*.log"):
        data = log.read_bytes()
        if len(data) > PAGE and chance.random() < 0.8:
            log.write_bytes(chance.choice(list(DAMAGES.values()))(data, chance))
        if chance.random() < 0.4:
            log.with_suffix(".index").unlink(missing_ok=True)
    kformat.salvage(folder, tmp_path / "saved")
    expected = [
        (one.offset, one.timestamp, one.key, one.value)
        for one in kformat.open(tmp_path / "saved" / folder.name).records(before_log_start=True)
    ]
    found = open_partition(folder).records(on_corrupt="skip", before_log_start=True)
    assert [(one.offset, one.timestamp, one.key, one.value) for one in found] == expected
    by_spark = rows(splits_of(folder, beforeLogStart="true"), on_corrupt="skip", include_control=True)
    assert [(row["offset"], row["key"], row["value"]) for row in by_spark] == [(o, k, v) for o, _, k, v in expected]


def test_nothing_is_said_of_what_is_sound(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, Case(lambda *_: None, set(), ()))
    for how in ON_CORRUPT:
        status, out, said = run("export", folder, "--format", "nl", "--columns", "offset", "--on-corrupt", how)
        assert (status, len(out.splitlines()), said) == (0, 42, [])


def test_the_counts(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, CASES["zeros"])
    text = f"kformat: skipped 1 damaged range: {AT[7] - AT[4]} bytes, at most 9 offsets"
    assert run("export", folder, "--format", "csv", "--columns", "offset", "--on-corrupt", "skip")[2] == [text]
    (tmp_path / "b").mkdir()
    folder = folder_of(tmp_path / "b", CASES["a truncated tail"])
    said = run("export", folder, "--format", "csv", "--columns", "offset", "--on-corrupt", "skip")[2]
    assert said[0].endswith(f"{len(LAST[3]) - 10} bytes, at most 0 offsets and 1 times an unknown number")


def test_report_logs_warnings(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    partition = open_partition(folder_of(tmp_path, CASES["a broken checksum"]))
    with caplog.at_level(logging.WARNING, "kformat"):
        list(partition.records(on_corrupt="skip"))
        assert not caplog.records
        list(partition.records(on_corrupt="report"))
    assert [f"positions {AT[3]}-{AT[4] - 1}, offsets 9-11" in one.getMessage() for one in caplog.records] == [True]


def test_other_words_are_refused(tmp_path: Path) -> None:
    partition = open_partition(folder_of(tmp_path, CASES["zeros"]))
    for ask in (
        lambda: partition.records(on_corrupt="ignore"),
        lambda: partition.record_batches(on_corrupt="ignore"),
        lambda: list(partition.chunks(on_corrupt="ignore")),
        lambda: grep(partition, "v", on_corrupt="ignore"),
        lambda: stats(partition, on_corrupt="ignore"),
    ):
        with pytest.raises(UsageError, match="no on_corrupt 'ignore'; there are error, skip, report"):
            ask()


def test_times_and_the_newest_of_each_key_after_damage(tmp_path: Path) -> None:
    """A lookup by time that damage ends does not end the read."""
    folder = folder_of(tmp_path, CASES["zeros"])
    partition = open_partition(folder)
    times = {record.offset: record.timestamp for record in partition.records(on_corrupt="skip")}
    since = sorted(times.values())[len(times) // 2]
    found = partition.to_arrow(["offset"], since=since, on_corrupt="skip")["offset"].to_pylist()
    assert found == [offset for offset, time in times.items() if time >= since]


def partition_of(folder: Path, made: Batches, chance: random.Random) -> Partition:
    """Two segments, with an index of some of their batches as they were before they were damaged."""
    cut = chance.randrange(1, len(made))
    folder.mkdir(parents=True)
    for part in (made[:cut], made[cut:]):
        base_offset = int.from_bytes(part[0][:8], "big", signed=True)
        damaged = [mutated(one, chance) if chance.random() < 0.1 else one for one in part]
        segment(folder, base_offset, *damaged)
        positions = [sum(map(len, damaged[:number])) for number in range(len(part))]
        entries = [
            (next(iter_batches(one)).last_offset - base_offset, position)
            for one, position in zip(part, positions, strict=True)
            if position and chance.random() < 0.5
        ]
        (folder / f"{base_offset:020}.index").write_bytes(offset_index(*entries))
    return open_partition(folder)


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 30))])
def test_rows_are_those_of_spark_whatever_is_damaged(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    made = [one.raw for one in iter_batches(a_log())]
    names = ["offset", "key", "value"]
    for number in range(12):
        partition = partition_of(tmp_path / f"orders-{number}", made, chance)
        by_spark = rows(splits_of(partition.path), columns=names, on_corrupt="skip", include_control=True)
        expected = [tuple(row[name] for name in names) for row in by_spark]
        skipped: list[Skipped] = []
        found = partition.to_arrow(names, include_control=True, on_corrupt="skip", on_skipped=skipped.append)
        assert list(zip(*(found[name].to_pylist() for name in names), strict=True)) == expected
        records = partition.records(on_corrupt="skip")
        assert [(one.offset, one.key, one.value) for one in records] == expected
        for one in skipped:
            assert 0 <= one.position < one.end_position <= Path(one.source).stat().st_size, one


@pytest.mark.parametrize("seed", range(3))
def test_what_is_lost_lies_in_a_range(seed: int, tmp_path: Path) -> None:
    """Bits under the checksums are flipped: each offset that is missing then is in a range that was passed over."""
    chance = random.Random(seed)
    made = [one.raw for one in iter_batches(a_log())]
    sound = {record.offset for one in made for batch in iter_batches(one) for record in batch.records()}
    lost_in_all = 0
    for number in range(10):
        damaged = []
        for one in made:
            data = bytearray(one)
            if chance.random() < 0.2:
                for _ in range(3):  # more than a checksum can locate
                    data[chance.randrange(17, len(data))] ^= 1 << chance.randrange(8)
            damaged.append(bytes(data))
        folder = tmp_path / f"orders-{number}"
        segment(folder, int.from_bytes(made[0][:8], "big"), *damaged)
        skipped: list[Skipped] = []
        found = kformat.open(folder).records(on_corrupt="skip", on_skipped=skipped.append)
        lost = sound - {record.offset for record in found}
        assert all(any((s.start_offset or 0) <= offset < (s.end_offset or 10**9) for s in skipped) for offset in lost)
        assert bool(lost) == bool(skipped)
        lost_in_all += len(lost)
    assert lost_in_all
