"""The judges themselves: that each one answers, and that a missing one is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import judges
from tests.judges import jars, releases, required, spark_kafka

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
PLAIN = SAMPLES / "4.3.1" / "plain-0" / "00000000000000000000.log"


@pytest.mark.judge
@pytest.mark.parametrize("version", releases.LIVE)
def test_one_jvm_or_many_dump_the_same(version: str) -> None:
    required.require(version)
    folder = SAMPLES / version
    good, odd = f"plain-0/{PLAIN.name}", "killed-empty-0/00000000000000000000.nothing"
    alone = judges.dump(version, ["--deep-iteration", "--files", good], cwd=folder)
    runs = judges.dump_many(
        version, [["--files", "no-offset.log"], ["--deep-iteration", "--files", good], ["--files", odd]], folder
    )
    assert alone.returncode == 0
    assert alone.stdout.startswith(b"Dumping plain-0/") and alone.stdout.count(b"\n| offset: ") == 258
    assert runs[1].stdout == alone.stdout
    # What throws is recorded, and the run goes on.
    assert [run.status for run in runs] == [1, 0, 0]
    assert b"java.lang.NumberFormatException" in runs[0].stderr
    assert runs[2].stderr == f"Ignoring unknown file {odd}\n".encode()


@pytest.mark.judge
def test_kafkas_classes_read_batches_and_their_damage(tmp_path: Path) -> None:
    required.require(releases.NEWEST)
    data = PLAIN.read_bytes()
    flipped, cut = tmp_path / "00000000000000000001.log", tmp_path / "00000000000000000002.log"
    flipped.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    cut.write_bytes(data[:-1])
    sound, bad, short = judges.read_batches(releases.NEWEST, [PLAIN, flipped, cut])
    assert all(batch["is_valid"] and "error" not in batch for batch in sound)
    assert sum(len(batch["records"]) for batch in sound) == 258
    assert [batch["is_valid"] for batch in bad] == [True] * (len(sound) - 1) + [False]
    assert short[:-1] == sound[:-1] and short[-1] == {"position": sound[-1]["position"], "error": "trailing bytes"}


@pytest.mark.judge
@pytest.mark.parametrize("version", releases.JUDGES)
def test_kafkas_segments_write_the_indexes_of_a_sample(version: str) -> None:
    required.require(version)
    segments = [judges.Segment(PLAIN, 0, 512, mode=mode) for mode in ("close", "recover", "open")]
    closed, recovered, active = judges.build_indexes(version, segments)
    assert closed.log == recovered.log == active.log == PLAIN.read_bytes()
    assert closed.index == recovered.index == PLAIN.with_suffix(".index").read_bytes()
    assert closed.timeindex == recovered.timeindex == PLAIN.with_suffix(".timeindex").read_bytes()
    assert active.index == closed.index.ljust(65536, b"\0") and len(active.timeindex) == 65532


@pytest.mark.judge
def test_kaitais_compiler_accepts_and_refuses(tmp_path: Path) -> None:
    required.require("kaitai-0.11")
    good, bad = tmp_path / "good.ksy", tmp_path / "bad.ksy"
    good.write_text("meta: {id: good, endian: be}\nseq: [{id: one, type: u4}]\n", encoding="utf-8")
    bad.write_text("meta: {id: bad}\nseq: [{id: one, type: u4}]\n", encoding="utf-8")
    accepted = judges.kaitai_compile([good], "python", tmp_path)
    assert (accepted.returncode, accepted.stderr) == (0, "")
    assert "def _write__seq" in (tmp_path / "good.py").read_text(encoding="utf-8")
    refused = judges.kaitai_compile([bad], "python", tmp_path)
    assert refused.returncode != 0 and "bad.ksy" in refused.stderr


@pytest.mark.slow  # each test with a broker does it, too
@pytest.mark.broker
def test_a_broker_starts_and_stops(tmp_path: Path) -> None:
    required.require(releases.NEWEST)
    with judges.broker(releases.NEWEST) as running:
        assert (running.data / "meta.properties").is_file()
    with pytest.raises(OSError):
        (running.data / "meta.properties").read_bytes()


@pytest.mark.parametrize(("environment", "outcome"), [({"CI": "false"}, "1 skipped"), ({"CI": "true"}, "1 failed")])
def test_a_missing_judge_is_named(tmp_path: Path, environment: dict[str, str], outcome: str) -> None:
    test = "tests/test_judges.py::test_kafkas_classes_read_batches_and_their_damage"
    outside = {name: value for name, value in os.environ.items() if name not in ("CI", "KFORMAT_REQUIRE_JUDGES")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test],
        env=outside | environment | {"KFORMAT_JUDGES_DIR": str(tmp_path)},
        cwd=jars.ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert outcome in done.stdout
    assert "missing judges" in done.stdout and f"judge missing: Kafka {releases.NEWEST}" in done.stdout


def test_an_environment_of_another_tree_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is installed in editable form reads the tree that it was made for, and has its dependencies."""
    monkeypatch.setenv("KFORMAT_JUDGES_DIR", str(tmp_path))
    stamp = spark_kafka.directory() / jars.STAMP
    stamp.parent.mkdir()
    assert not spark_kafka.is_complete()
    stamp.write_text(spark_kafka.stamp(), encoding="utf-8")
    assert spark_kafka.is_complete()
    for old, new in ((str(jars.ROOT), str(tmp_path)), ("pyarrow>=", "pyarrow>=1")):
        stamp.write_text(spark_kafka.stamp().replace(old, new, 1), encoding="utf-8")
        assert not spark_kafka.is_complete()
