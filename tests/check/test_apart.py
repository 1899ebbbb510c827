"""Segments that are judged apart, in any order and by other processes, give the findings of a check from end to end.

Most of what a check says is about one segment. What is told across them (open transactions, snapshots of producers,
leader epochs, gaps, a root's files) is put together from what each segment leaves behind, which is tried here with
partitions made by chance, and damaged by chance.
"""

from __future__ import annotations

import pickle
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from kformat import build, corpus, parse
from kformat.check.checker import CheckOutcome, Work, check, judge, plan
from kformat.corpus.folders import PlannedSegment, partition
from kformat.corpus.parts import EPOCH_MS, LogPart, PlannedRecord, ProducerFields, batch, end_of_transaction
from kformat.errors import UsageError
from kformat.kafka.findings import log_blocks
from kformat.kafka.findings.rules import Finding
from tests.draws import IS_NIGHT, every
from tests.samples import ROOT as SAMPLES

pytestmark = pytest.mark.drawn

VERSIONS = sorted(path.name for path in SAMPLES.glob("[0-9]*"))


def apart(path: Path | list[Path], **how: Any) -> list[Finding]:
    """The findings of a check whose work was done before, piece by piece, backwards, elsewhere."""
    outcomes = {}
    for work in reversed(plan(path, **how)):
        there: Work = pickle.loads(pickle.dumps(work))
        back: CheckOutcome = pickle.loads(pickle.dumps(judge(there)))
        outcomes[work.key] = back
    return list(check(path, outcomes=outcomes, **how))


@pytest.mark.parametrize("version", every(2, VERSIONS))
def test_samples(version: str) -> None:
    root = SAMPLES / version
    findings = list(check(root))
    assert apart(root) == findings
    assert len(plan(root)) >= len(list(root.glob("*/*.log")))


def test_single_files_and_the_same_twice() -> None:
    folder = SAMPLES / "4.3.1" / "rolled-by-bytes-0"
    paths = [*sorted(folder.iterdir()), folder, folder]
    assert apart(paths) == list(check(paths))
    assert len(plan([folder, folder])) == len(plan(folder))


def test_a_file_is_asked_more_where_its_folder_is_checked_too(tmp_path: Path) -> None:
    """The log's last batches are of an epoch that the folder's checkpoint does not know."""
    folder = Path(shutil.copytree(SAMPLES / "4.3.1" / "compacted-0", tmp_path / "compacted-0"))
    (folder / "leader-epoch-checkpoint").write_text("0\n1\n7 0\n")
    log = next(folder.glob("*.log"))
    for paths in ([log, folder], [folder, log], sorted(folder.iterdir())):
        assert apart(paths) == list(check(paths))
    assert "KF0804" in {finding.rule for finding in apart([log, folder])}


def test_files_that_were_not_there_for_who_did_the_work_are_told(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SAMPLES / "4.3.1" / "plain-0", tmp_path / "plain-0"))
    (work,) = plan(folder)
    assert judge(work).gone == []
    shutil.rmtree(folder)
    assert judge(work).gone == list(work.files)


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("corpus") / "out"
    corpus.write_corpus(out, seed=5, damage=True, only=("transaction",))
    return out


def test_a_damaged_corpus(damaged: Path) -> None:
    ways: list[dict[str, Any]] = [{}, {"records": False, "profile": "last-offset", "index_interval_bytes": 4096}]
    for how in ways:
        findings = list(check(damaged, **how))
        assert len(findings) > 50
        assert apart(damaged, **how) == findings


def made(dice: random.Random) -> list[PlannedSegment]:
    """Segments with producers, transactions and leader epochs as chance has them."""
    offset, epoch, sequences = 0, 0, dict.fromkeys(range(20, 24), 0)
    in_transaction: set[int] = set()
    segments = []
    for _ in range(dice.randrange(2, 6)):
        base, parts = offset, list[LogPart]()
        for _ in range(dice.randrange(1, 12)):
            producer = dice.choice(list(sequences))
            epoch += dice.random() < 0.1
            offset += dice.random() < 0.05
            time = EPOCH_MS + offset + dice.randrange(-3, 3)
            if producer in in_transaction and dice.random() < 0.5:
                part = end_of_transaction(dice.choice(("commit", "abort")), offset, time, ProducerFields(producer, 0))
                in_transaction.discard(producer)
            else:
                is_transactional = producer in in_transaction or dice.random() < 0.5
                contents = [PlannedRecord(offset + number, time + number, b"k", b"value") for number in range(3)]
                given = (
                    ProducerFields(producer, 0, sequences[producer])
                    if dice.random() < 0.9 or is_transactional
                    else None
                )
                part = batch(contents, producer=given, transactional=is_transactional, epoch=epoch)
                if given is not None:
                    sequences[producer] += 3
                if is_transactional:
                    in_transaction.add(producer)
            parts.append(part)
            offset = part.last_offset + 1
        segments.append(PlannedSegment(base, parts))
    return segments


def with_another_number(snapshot: bytes, dice: random.Random) -> bytes:
    """A snapshot that says something else of a producer, under a checksum that is right."""
    value = parse("producer_snapshot", snapshot)._asdict()
    if value["entries"]:
        entry = dice.choice(value["entries"])
        name = dice.choice(["last_offset", "last_sequence", "producer_epoch", "current_txn_first_offset"])
        entry[name] = max(0, entry[name] + dice.choice([-3, -1, 1, 3]))
    return build("producer_snapshot", {"entries": value["entries"]})


def written(root: Path, dice: random.Random) -> Path:
    """A partition of such segments, mostly with something wrong: bytes, batches that are missing, files of another."""
    segments = made(dice)
    files = {file.path: file.data for file in partition("made-0", segments)}
    if dice.random() < 0.5:  # the log is another than the one that everything beside it speaks of
        number = dice.randrange(len(segments))
        parts = [part for part in segments[number].parts if dice.random() < 0.8]
        name = next(path for path in files if path.endswith(f"{segments[number].base_offset:020}.log"))
        files[name] = b"".join(part.data for part in parts)
    snapshots = sorted(path for path in files if path.endswith(".snapshot"))
    if snapshots and dice.random() < 0.7:
        name = dice.choice(snapshots)
        files[name] = with_another_number(files[name], dice)
    for _ in range(dice.randrange(3)):
        name = dice.choice(sorted(files))
        data = bytearray(files[name])
        if data:
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        files[name] = bytes(data)
    if dice.random() < 0.3:
        del files[dice.choice(sorted(files))]
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    (root / "recovery-point-offset-checkpoint").write_text(f"0\n1\nmade 0 {dice.randrange(60)}\n")
    return root


def test_partitions_made_and_damaged_by_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules: set[str] = set()
    whole = log_blocks._BLOCK_BYTES
    for seed in range(150 if IS_NIGHT else 60):
        path = written(tmp_path / str(seed), random.Random(seed))
        # However many blocks a log is walked over in.
        monkeypatch.setattr(log_blocks, "_BLOCK_BYTES", whole if seed % 2 else 400)
        findings = list(check(path))
        monkeypatch.setattr(log_blocks, "_BLOCK_BYTES", whole)
        assert apart(path) == findings, seed
        rules.update(finding.rule for finding in findings)
    across = {"KF0007", "KF0008", "KF0608", "KF0609", "KF0610", "KF0707", "KF0708", "KF0709", "KF0804", "KF0806"}
    assert len(across - rules) <= 1, across - rules


def test_work_that_is_not_done_is_done_then(damaged: Path) -> None:
    some = {work.key: judge(work) for work in plan(damaged)[::3]}
    assert list(check(damaged, outcomes=some)) == list(check(damaged))


def test_outcomes_are_what_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, random.Random(3))
    works = plan(path)
    first = works[0]
    outcome = judge(first)
    invented = Finding("KF0001", "info", "x", None, "", "invented")
    told = list(check(path, outcomes={first.key: outcome._replace(findings=[invented])}))
    assert invented in told


def test_a_plan_says_what_is_wrong_with_the_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no writer profile 'mine'"):
        plan(tmp_path, profile="mine")
    with pytest.raises(FileNotFoundError):
        plan(tmp_path / "missing")


def test_sizes_are_those_of_the_files(tmp_path: Path) -> None:
    path = written(tmp_path, random.Random(4))
    works = plan(path)
    assert sum(work.size_bytes for work in works) == sum(
        file.stat().st_size for file in path.rglob("*") if file.suffix in (".log", ".index", ".timeindex", ".txnindex")
    )
    next(path.rglob("*.log")).unlink()
    assert all(work.size_bytes >= 0 for work in works)
