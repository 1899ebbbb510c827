"""KF1101: what compaction must keep, by another copy of the partition."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from kformat.check.compacted import dropped_records
from kformat.cli import main
from kformat.corpus.parts import ProducerFields, end_of_transaction
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kafka.log.partition import open_partition
from kformat.kafka.producers.producer_state import AbortedTransaction, build_aborted
from kformat_engine import Log, LogConfig
from tests.damages import BASE_TIMESTAMP_MS, stem
from tests.samples import ROOT as SAMPLES

pytest.importorskip("pyarrow")
Pair = tuple[int, str | None, str | None]
"""An offset, a key and a value."""


def batch(*pairs: Pair, **fields: object) -> bytes:
    offsets, keys, values = zip(*pairs, strict=True)
    of_keys, of_values = ([None if text is None else text.encode() for text in texts] for texts in (keys, values))
    columns = Columns([BASE_TIMESTAMP_MS] * len(pairs), of_keys, of_values, None, list(offsets))
    return build_batch(columns, fields=BatchFields(**fields))  # type: ignore[arg-type]


def partition(folder: Path, *batches: bytes, base_offset: int = 0) -> Path:
    folder.mkdir(parents=True)
    (folder / f"{stem(base_offset)}.log").write_bytes(b"".join(batches))
    return folder


def found_in(copy: Path, other: Path, memory_bytes: int = 1 << 20) -> list[int]:
    return [finding.expected for finding in dropped_records([copy], other, memory_bytes=memory_bytes)]


ORIGINAL = [(0, "a", "1"), (1, "b", "2"), (2, "a", "3"), (3, None, "4"), (4, "c", "5"), (5, "c", None), (6, "d", "6")]
COPIES: dict[str, tuple[Sequence[Pair], list[int]]] = {
    "compacted": ([(1, "b", "2"), (2, "a", "3"), (5, "c", None), (6, "d", "6")], []),
    "the tombstone is gone, too": ([(1, "b", "2"), (2, "a", "3"), (6, "d", "6")], []),
    "nothing was compacted": (ORIGINAL, []),
    "a key is lost": ([(2, "a", "3"), (6, "d", "6")], [1]),
    "an older record was kept": ([(0, "a", "1"), (1, "b", "2"), (6, "d", "6")], [2]),
    "it goes on": ([(2, "a", "3"), (6, "d", "6"), (7, "b", "9")], []),
    "it ends before": ([(1, "b", "2")], []),
    "two are lost": ([(6, "d", "6")], [1, 2]),
}


@pytest.mark.parametrize("name", COPIES)
def test_what_compaction_keeps(name: str, tmp_path: Path) -> None:
    pairs, expected = COPIES[name]
    copy = partition(tmp_path / "copy" / "x-0", batch(*pairs))
    other = partition(tmp_path / "other" / "x-0", batch(*ORIGINAL))
    assert found_in(copy, other) == expected
    assert sorted(found_in(copy, other, 4 * 48)) == expected, "with room for a few keys at a time"


def test_what_was_deleted_or_aborted_need_not_be_there(tmp_path: Path) -> None:
    aborted = batch((2, "b", "no"), producer_id=5, producer_epoch=0, base_sequence=0, is_transactional=True)
    other = partition(
        tmp_path / "other",
        batch((0, "a", "1"), (1, "b", "2")),
        aborted,
        end_of_transaction("abort", 3, BASE_TIMESTAMP_MS, ProducerFields(5, 0, 1)).data,
    )
    (other / f"{stem(0)}.txnindex").write_bytes(build_aborted([AbortedTransaction(5, 2, 3, 4)]))
    copy = partition(tmp_path / "copy", batch((1, "b", "2"), (4, "z", "1")), base_offset=1)
    assert found_in(copy, other) == []
    gone = partition(tmp_path / "gone", batch((4, "z", "1")), base_offset=1)
    assert found_in(gone, other) == [1]


def test_a_real_compaction_and_one_that_lost_a_batch(tmp_path: Path) -> None:
    """Of the engine; a broker's compacted log is that of the sample."""
    folder = tmp_path / "one" / "x-0"
    config = LogConfig(segment_bytes=2000, cleanup_policy=("compact",), min_cleanable_dirty_ratio=0.0)
    with Log.open(folder, config) as log:
        for number in range(300):
            log.append([{"key": b"%d" % (number % 37), "value": b"%d" % number}])
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    with Log.open(tmp_path / "two" / "x-0", config) as log:
        assert log.compact() is not None
    assert sum(1 for _ in open_partition(tmp_path / "two" / "x-0").records()) < 100
    assert found_in(tmp_path / "two", tmp_path / "one") == found_in(tmp_path / "one", tmp_path / "two") == []
    assert found_in(without_one(tmp_path / "two" / "x-0"), tmp_path / "one") != []


def without_one(folder: Path) -> Path:
    """Without a batch that has the last record of a key, and is not the last batch."""
    records = list(open_partition(folder).records())
    last = {record.key: record.offset for record in records}
    for log in sorted(folder.glob("*.log")):
        batches = list(iter_batches(log))
        for batch in batches:
            if batch.last_offset < records[-1].offset and set(last.values()) & {one.offset for one in batch.records()}:
                log.write_bytes(b"".join(one.raw for one in batches if one is not batch))
                return folder
    raise AssertionError("no such batch")


def test_the_command_and_the_verb_that_mends(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "4.3.1" / "compacted-0", tmp_path / "a" / "compacted-0")
    shutil.copytree(SAMPLES / "4.3.1" / "compacted-0", tmp_path / "b" / "compacted-0")
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    sound = CliRunner().invoke(main, ["check", a, "--against", b])
    assert sound.exit_code == 0, sound.output
    without_one(tmp_path / "a" / "compacted-0")
    done = CliRunner().invoke(main, ["check", a, "--against", b, "--severity", "error"])
    assert done.exit_code == 1 and "KF1101" in done.stdout
    merged = CliRunner().invoke(main, ["merge", a, b, "-o", str(tmp_path / "best")])
    assert merged.exit_code in (0, 1), merged.output
    assert found_in(tmp_path / "best", tmp_path / "b") == []
    other = CliRunner().invoke(main, ["check", a, "--against", str(tmp_path / "none")])
    assert other.exit_code == 3 and "No such file" in other.stderr
