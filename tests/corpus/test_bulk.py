"""Data by the gigabyte, by the kilobyte: sound, as it was asked for, and the same bytes again."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from kformat.check.checker import check
from kformat.cli import main
from kformat.corpus.bulk import Bulk, write_bulk
from kformat.corpus.parts import EPOCH_MS
from kformat.errors import MissingDependencyError, UsageError
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.log.partition import open_partition


@pytest.mark.parametrize("compression", CODEC_NAMES)
def test_it_is_what_was_asked_for(tmp_path: Path, compression: str) -> None:
    bulk = Bulk(300_000, partitions=2, segment_bytes=60_000, compression=compression, value_bytes=50)
    size_bytes = write_bulk(tmp_path / "out", bulk)
    assert list(check(tmp_path / "out")) == []
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["bulk-0", "bulk-1"]
    for number in range(2):
        partition = open_partition(tmp_path / "out" / f"bulk-{number}")
        assert len(partition.segments) == 3
        records = list(partition.records())
        assert [record.offset for record in records] == list(range(len(records)))
        assert [record.timestamp - EPOCH_MS for record in records] == list(range(len(records)))
        assert {(len(record.key or b""), len(record.value or b"")) for record in records} == {(10, 50)}
        assert len({record.value for record in records}) == len(records)
    logs = sum(path.stat().st_size for path in tmp_path.rglob("*.log"))
    assert size_bytes == logs
    if compression == "none":
        assert abs(logs / 300_000 - 1) < 0.05
    else:
        assert logs < 320_000


def test_a_seed_gives_the_same_bytes_always(tmp_path: Path) -> None:
    """Here and on other machines: the numbers were written down."""
    write_bulk(tmp_path / "out", Bulk(20_000, seed=7))
    (log,) = tmp_path.rglob("*.log")
    digest = hashlib.sha256(log.read_bytes()).hexdigest()
    assert digest.startswith("846af0b1ca22011a4a50474c3e2907a4")
    write_bulk(tmp_path / "other", Bulk(20_000, seed=8))
    (other,) = (tmp_path / "other").rglob("*.log")
    assert other.read_bytes() != log.read_bytes()


def test_segments_do_not_depend_on_each_other(tmp_path: Path) -> None:
    bulk = Bulk(50_000, segment_bytes=20_000)
    write_bulk(tmp_path / "out", bulk)
    last = bulk.pieces()[-1]
    (tmp_path / "alone").mkdir()
    for name in bulk.write(last, tmp_path / "alone"):
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "out" / "bulk-0" / name).read_bytes()


def test_what_cannot_be_made_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no codec 'brotli'"):
        Bulk(1, compression="brotli")
    with pytest.raises(UsageError, match="above 0"):
        Bulk(0)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="not an empty folder"):
        write_bulk(tmp_path, Bulk(1))


def test_the_command(tmp_path: Path) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["corpus", "bulk", str(tmp_path / "out"), *arguments])
        return done.exit_code, done.stderr

    assert run("--size", "40k", "--segment-bytes", "20k")[0] == 0
    assert len(list(tmp_path.rglob("*.log"))) == 2
    assert run("--size", "40k") == (4, f"kformat: {tmp_path / 'out'}: not an empty folder; nothing was written\n")
    assert run("--size", "some")[0] == 2


def test_without_pyarrow_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise MissingDependencyError("pyarrow", "arrow")

    monkeypatch.setattr("kformat.corpus.bulk.arrow_schema", missing)
    done = CliRunner().invoke(main, ["corpus", "bulk", str(tmp_path / "out"), "--size", "1k"])
    assert done.exit_code == 3 and "extra 'arrow'" in done.stderr and not (tmp_path / "out").exists()
