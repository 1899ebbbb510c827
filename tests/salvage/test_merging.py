"""`kformat merge`: of copies that are each damaged elsewhere comes out every batch that is sound in any of them, once
and in order; what disagrees is told and in no log."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.errors import UsageError
from kformat.kafka.batch.batches import iter_batches
from kformat.salvage import MERGED_COLUMNS, Report, merge
from kformat.salvage.merging import _common, _united
from kformat_engine import Log, LogConfig
from tests.draws import IS_NIGHT
from tests.judges import releases
from tests.salvage.test_saving import LAYOUT, SAMPLE, borders, copied, records_of, tree
from tests.salvage.ways import errors
from tests.samples import ROOT

FIRST = f"{0:020d}.log"
REPLICAS = ROOT / "replicas"


def three(tmp_path: Path, sample: Path = SAMPLE) -> list[Path]:
    return [copied(sample, tmp_path / name) for name in "abc"]


def judged(sources: Iterable[Path], root: Path, **how: Any) -> Report:
    """What a run reports, once a dry run says the same, each byte is in one range, and nothing written is wrong."""
    sources = list(sources)
    before = [tree(source) for source in sources]
    dry = merge(sources, root, dry_run=True, **how)
    assert not root.exists()
    report = merge(sources, root, **how)
    assert [tree(source) for source in sources] == before, "the sources are only read"
    assert report.summary() == dry.summary()
    for one, other in zip(report.partitions, dry.partitions, strict=True):
        assert [made.as_dict() for made in one.ranges] == [made.as_dict() for made in other.ranges]
        for segment, ranges in one.segments:
            ends = [0, *(made.end_position for made in ranges)]
            assert [made.position for made in ranges] == ends[:-1] and ends[-1] == segment.size_bytes
        written = sum(path.stat().st_size for path in (root / one.name).glob("*.log"))
        assert written == one.summary()["saved_bytes"]
    assert errors(root) == []
    return report


def spoil(folder: Path, batches: Iterable[tuple[Path, int, int]], chance: random.Random) -> None:
    """Damage of batches, each in one of several ways that no checksum makes good."""
    by_log: dict[str, list[tuple[int, int]]] = {}
    for log, start, end in batches:
        by_log.setdefault(log.name, []).append((start, end))
    for name, places in by_log.items():
        data = bytearray((folder / name).read_bytes())
        for start, end in places:
            kind = chance.randrange(3)
            if kind == 0:
                data[start:end] = bytes(end - start)
            elif kind == 1:
                middle = (start + end) // 2
                data[middle:end] = chance.randbytes(end - middle)
            else:
                data[start:end] = chance.randbytes(end - start)
        (folder / name).write_bytes(data)


def between_gone(everything: list[tuple[Path, int, int]], gone: set[tuple[Path, int, int]]) -> set[bytes]:
    """The batches between two that no copy has: nothing says that they do not lie in a value of the first of these."""
    found, run = set[bytes](), None
    for log, start, end in everything:
        if (log, start, end) in gone:
            found.update(run or ())
            run = list[bytes]()
        elif start == 0:
            run = None
        elif run is not None:
            run.append(log.read_bytes()[start:end])
    return found


@pytest.mark.parametrize(
    "name", ["4.3.1/rolled-by-bytes-0", "4.3.1/transactions-0", "4.3.1/recovered-0", "0.10.2.2/plain-0"]
)
def test_three_copies_each_damaged_at_random(name: str, tmp_path: Path) -> None:
    sample = ROOT / name
    name = sample.name
    logs = sorted(sample.glob("*.log"))
    everything = [(log, one.position, one.position + one.size) for log in logs for one in iter_batches(log)]
    for seed in range(20 if IS_NIGHT else 2):
        where, chance = tmp_path / str(seed), random.Random(f"{name} {seed}")
        copies, lost = three(where, sample), []
        for copy in copies:
            damaged = [one for one in everything if chance.random() < 0.3]
            lost.append(set(damaged))
            spoil(copy, damaged, chance)
        report = judged([where / one for one in "abc"], where / "best")
        gone = set.intersection(*lost)
        sound = [log.read_bytes()[start:end] for log, start, end in everything if (log, start, end) not in gone]
        written = sorted((where / "best" / name).glob("*.log"))
        made = [batch.raw for log in written for batch in iter_batches(log)]
        doubtful = between_gone(everything, gone)
        assert [one for one in sound if one in made] == made and {*sound} - {*made} <= doubtful
        (row,) = report.summary()
        assert row["batches_count"] == len(made) and row["conflicting_batches"] == 0
        assert report.is_whole == (row["missing"] is None)
        if not gone:
            assert report.is_whole and records_of(where / "best" / name) == records_of(sample)
            assert {path.name: path.read_bytes() for path in written} == {
                path.name: path.read_bytes() for path in sample.glob("*.log") if path.stat().st_size
            } | {path.name: b"" for path in written if not path.stat().st_size}
        shutil.rmtree(where)


@pytest.mark.parametrize("version", releases.REPLICATED)
def test_real_replicas(version: str, tmp_path: Path) -> None:
    """Two brokers of a cluster, killed in sync after two truncations, and an older copy of the first: the merged log is
    that of a sound one, also where every second batch of each is gone."""
    roots = [REPLICAS / version / "live" / "1" / "a", *(REPLICAS / version / "killed" / one / "a" for one in "12")]
    judged(roots, tmp_path / "sound")
    damaged = [tmp_path / "one" / "a", tmp_path / "two" / "a"]
    for number, (root, copy) in enumerate(zip(roots[1:], damaged, strict=True)):
        shutil.copytree(root, copy)
        for log in copy.glob("*/*.log"):
            batches = [(log, one.position, one.position + one.size) for one in iter_batches(log)]
            spoil(log.parent, batches[number::2], random.Random(version))
    report = judged(damaged, tmp_path / "best")
    assert {one.name for one in report.partitions if len(one.copies) == 2} >= {"transactions-0", "gzip-0"}
    for root, name in ((roots[2], "best"), (roots[2], "sound")):
        for log in root.glob("*/*.log"):
            data, found = log.read_bytes(), (tmp_path / name / log.parent.name / log.name).read_bytes()
            assert data.startswith(found) and not data[len(found) :].strip(b"\0"), log
    for one in report.partitions:
        assert one.is_whole == (len(one.copies) == 2)


def test_old_compressed_logs(tmp_path: Path) -> None:
    """The payload of a wrapper is larger than the wrapper."""
    sample = ROOT / "0.10.2.2" / "producer-gzip-0"
    report = judged(three(tmp_path, sample), tmp_path / "best")
    assert report.is_whole and records_of(tmp_path / "best" / sample.name) == records_of(sample)


def test_what_all_have_lost_is_missing(tmp_path: Path) -> None:
    copies = three(tmp_path)
    whole = (SAMPLE / FIRST).read_bytes()
    places = borders(whole)
    for copy, number in zip(copies, (1, 2, 3), strict=True):
        data = bytearray(whole)
        data[places[number] : places[number + 2]] = bytes(places[number + 2] - places[number])
        (copy / FIRST).write_bytes(data)
    assert judged(copies[:2], tmp_path / "two").summary()[0]["missing"] == "16-23"
    assert judged(copies, tmp_path / "three").is_whole
    shutil.copy(copies[0] / FIRST, copies[2] / FIRST)
    (copies[1] / FIRST).unlink()  # of which nothing says what was in it
    report = judged(copies, tmp_path / "none")
    assert report.summary()[0]["missing"] == "8-23" and not report.is_whole


def appended(folder: Path, values: Iterable[bytes], epoch: int) -> None:
    with Log.open(folder, LogConfig(segment_bytes=4000), leader_epoch=epoch) as log:
        for value in values:
            log.append([(b"key", value)])


def test_what_a_later_leader_replaced_is_in_no_log(tmp_path: Path) -> None:
    """Replica a has records of epoch 1 that were never committed: epoch 2 began before them."""
    a, b = tmp_path / "a" / "orders-0", tmp_path / "b" / "orders-0"
    appended(a, [b"%d" % number for number in range(10)], 1)
    shutil.copytree(a, b)
    appended(a, [b"never %d" % number for number in range(6)], 1)
    appended(b, [b"new %d" % number for number in range(3)], 2)
    report = judged([tmp_path / "a", tmp_path / "b"], tmp_path / "best")
    found = records_of(tmp_path / "best" / "orders-0")
    assert [record.value for record in found] == [*(b"%d" % n for n in range(10)), b"new 0", b"new 1", b"new 2"]
    (row,) = report.summary()
    assert row["conflicting_batches"] == 6 and row["missing"] is None and not report.is_whole
    reasons = {made.reason for made in report.partitions[0].ranges if made.outcome == "conflict"}
    assert reasons == {f"leader epoch 2 begins at 10 in {b}"}


def test_a_wrong_epoch_of_one_copy_refuses_nothing(tmp_path: Path) -> None:
    """No checksum covers it."""
    copies = three(tmp_path)
    last = max(copies[0].glob("*.log"))
    data = bytearray(last.read_bytes())
    LAYOUT.writer("partition_leader_epoch")(data, borders(bytes(data))[-1], 77)
    last.write_bytes(data)
    report = judged(copies, tmp_path / "best")
    assert report.is_whole and records_of(tmp_path / "best" / SAMPLE.name) == records_of(SAMPLE)
    epochs = {batch.partition_leader_epoch for log in (tmp_path / "best").rglob("*.log") for batch in iter_batches(log)}
    assert 77 not in epochs


def compacted(folder: Path) -> None:
    with Log.open(
        folder, LogConfig(segment_bytes=2000, cleanup_policy=("compact",), min_cleanable_dirty_ratio=0)
    ) as log:
        log.compact()


def test_a_copy_that_is_compacted_further(tmp_path: Path) -> None:
    a, b = tmp_path / "a" / "orders-0", tmp_path / "b" / "orders-0"
    with Log.open(a, LogConfig(segment_bytes=2000)) as log:
        for number in range(60):
            log.append([(b"%d" % (number % 7), b"value %d" % number), (b"alone %d" % number, b"stays")])
    before = records_of(a)
    shutil.copytree(a, b)
    compacted(b)
    after = records_of(b)
    assert len(after) < len(before)
    report = judged([tmp_path / "a", tmp_path / "b"], tmp_path / "best")
    assert records_of(tmp_path / "best" / "orders-0") == before and report.is_whole
    outcomes = {made.outcome for made in report.partitions[0].copies[1].segments[0][1]}
    assert "compacted" in outcomes


Change = Callable[[list[Path]], object]
REFUSED: list[tuple[Change, str]] = [
    (lambda copies: copies.append(copies[0]), "is given twice"),
    (
        lambda copies: (copies[1] / "partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n"),
        "they are no copies",
    ),
]


@pytest.mark.parametrize(("change", "message"), REFUSED, ids=["twice", "another topic"])
def test_what_is_no_copy_is_refused(change: Change, message: str, tmp_path: Path) -> None:
    copies = three(tmp_path)
    change(copies)
    with pytest.raises(UsageError, match=message):
        merge(copies, tmp_path / "best")
    assert not (tmp_path / "best").exists()


def test_the_command(tmp_path: Path) -> None:
    copies = three(tmp_path)
    for number, copy in enumerate(copies):
        data = bytearray((copy / FIRST).read_bytes())
        start, end = borders(bytes(data))[number : number + 2]
        data[start + 80 : end] = bytes(end - start - 80)
        (copy / FIRST).write_bytes(data)
        if number:
            (copy / "partition.metadata").unlink()
    done = CliRunner().invoke(main, ["merge", *map(str, copies), "-o", str(tmp_path / "best"), "--format", "nl"])
    assert done.exit_code == 0, done.output
    (row,) = map(json.loads, done.stdout.splitlines())
    assert list(row) == [*MERGED_COLUMNS, "fatal_missing"] and (row["copies_count"], row["records_count"]) == (3, 560)
    assert kformat.open(tmp_path / "best" / SAMPLE.name).topic_id == kformat.open(SAMPLE).topic_id
    done = CliRunner().invoke(
        main, ["merge", *map(str, copies), "-o", str(tmp_path / "dry"), "--dry-run", "--ranges", "--format", "nl"]
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["outcome"] for row in rows} == {"saved", "same", "lost"}
    assert {row["file"] for row in rows} >= {str(copy / FIRST) for copy in copies}


def test_spans(tmp_path: Path) -> None:
    chance = random.Random(7)
    for _ in range(200):
        drawn = [[(at, at + chance.randrange(5)) for at in chance.sample(range(40), 6)] for _ in range(2)]
        sets = [{value for start, end in spans for value in range(start, end)} for spans in drawn]
        one, other = map(_united, drawn)
        assert {value for start, end in one for value in range(start, end)} == sets[0]
        assert {value for start, end in _common(one, other) for value in range(start, end)} == sets[0] & sets[1]
