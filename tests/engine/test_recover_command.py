"""`kformat log recover`: the dry run says what the run does; it asks before it cuts what is sound; it takes roots."""

from __future__ import annotations

import itertools
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.cli import main
from kformat.errors import UsageError
from kformat.kafka.batch.batches import read_batch_headers
from kformat.kafka.log.log_reader import LogReader
from kformat.language.layout import layout
from kformat_engine.log import Log
from kformat_engine.recovery.report import RecoveryReport
from tests.damages import BASE_TIMESTAMP_MS, data_batch, header, segment, stem, write
from tests.draws import every
from tests.salvage.test_planted import lost_header
from tests.samples import ROOT as SAMPLES
from tests.terminal import on_a_terminal

LOG = f"{stem(0)}.log"
START = "log-start-offset-checkpoint"
RECOVERY_POINTS = "recovery-point-offset-checkpoint"
MARKER = ".kafka_cleanshutdown"
EPOCHS = "leader-epoch-checkpoint"
Change = Callable[[Path], None]


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["log", "recover", *map(str, arguments)])


def made(path: Path, damaged: int | None = None) -> Path:
    """A partition of three segments with twelve batches each, of three records; one may have a wrong checksum in the
    first segment."""
    files: dict[str, bytes] = {}
    for base in (0, 36, 72):
        batches = [data_batch(base + 3 * number, BASE_TIMESTAMP_MS + base + number) for number in range(12)]
        files |= segment(base, batches, closed=base != 72)
    if damaged is not None:
        files = header(damaged, mend=False, crc=5)(files)
    return write(files, path)


def tree(path: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(path)): one.read_bytes() for one in path.rglob("*") if one.is_file() and one.name != ".lock"
    }


def test_nothing_is_written_if_a_file_is_none(tmp_path: Path) -> None:
    folder = made(tmp_path / "orders-0", damaged=1)
    (folder / f"{stem(0)}.txnindex").mkdir()
    before = sorted(tmp_path.rglob("*"))
    result = run("--mode", "salvage", folder)
    assert result.exit_code and "txnindex: no regular file" in result.stderr
    assert [path for path in sorted(tmp_path.rglob("*")) if path.name != ".lock"] == before


def offsets(folder: Path) -> list[int]:
    with LogReader.open(folder) as reader:
        return [record.offset for record in reader.records()]


# --- the dry run ---------------------------------------------------------------------------------------------------


def nothing(root: Path) -> None:
    pass


def closed(root: Path) -> None:
    (root / MARKER).touch()


def closed_with_a_point(root: Path) -> None:
    (root / MARKER).touch()
    (root / RECOVERY_POINTS).write_text("0\n1\norders 0 108\n")


def below_the_point(root: Path) -> None:
    (root / RECOVERY_POINTS).write_text("0\n1\norders 0 108\n")


def unreadable(root: Path) -> None:
    (root / RECOVERY_POINTS).write_text("0\nx\n")


def left_start(root: Path) -> None:
    """An entry below the first segment, as a kill leaves it; the leader epochs cannot be read."""
    (root / START).write_text("0\n1\norders 0 7\n")
    for suffix in ("log", "index", "timeindex"):
        (root / "orders-0" / f"{stem(0)}.{suffix}").unlink()
    (root / "orders-0" / EPOCHS).write_text("0\nx\n")


STATES = (nothing, closed, closed_with_a_point, below_the_point, unreadable, left_start)
DAMAGES: dict[str, Callable[[Path], object]] = {
    "sound": nothing,
    "checksum": lambda root: None if not (root / "orders-0" / LOG).exists() else _patched(root / "orders-0" / LOG, 700),
    "torn": lambda root: os.truncate(root / "orders-0" / f"{stem(72)}.log", 1000),
    "no-index": lambda root: (root / "orders-0" / f"{stem(36)}.index").unlink(),
    "txnindex": lambda root: (root / "orders-0" / f"{stem(36)}.txnindex").write_bytes(b"half"),
}


def _patched(path: Path, position: int) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 0xFF
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("state", "damage", "mode"), every(2, list(itertools.product(STATES, DAMAGES, ("strict", "salvage", "kafka"))))
)
def test_the_dry_run_says_what_the_run_does(state: Change, damage: str, mode: str, tmp_path: Path) -> None:
    folder = made(tmp_path / "root" / "orders-0")
    state(tmp_path / "root")
    DAMAGES[damage](tmp_path / "root")
    before = tree(tmp_path)
    dry = run(folder, "--mode", mode, "--dry-run", "--format", "json")
    assert tree(tmp_path) == before, "nothing was changed"
    done = run(folder, "--mode", mode, "--format", "json", "--yes")
    assert dry.exit_code == done.exit_code
    if done.exit_code == 4:
        assert tree(tmp_path) == before
        return
    told = json.loads(done.stdout)
    assert done.exit_code == int(bool(told["lost_bytes"] or told["missing"])) and (
        mode == "salvage" or not done.exit_code
    )
    assert json.loads(dry.stdout) == json.loads(done.stdout)
    with LogReader.open(folder) as reader:
        assert reader.end_offset == json.loads(dry.stdout)["next_offset"]


def test_a_clean_shutdown_without_a_checkpoint_is_refused_by_both(tmp_path: Path) -> None:
    """The dry run promised to cut what the run refused to."""
    folder = made(tmp_path / "orders-0")
    os.truncate(folder / f"{stem(72)}.log", 1000)
    (tmp_path / MARKER).touch()
    assert (run(folder, "--dry-run").exit_code, run(folder).exit_code) == (4, 4)


# --- sound batches after damage ------------------------------------------------------------------------------------


def test_sound_batches_are_not_cut_without_being_asked_to(tmp_path: Path) -> None:
    folder = made(tmp_path / "orders-0", damaged=2)
    before = tree(tmp_path)
    done = run(folder)
    assert (done.exit_code, done.stdout) == (4, "")
    assert tree(tmp_path) == before
    assert (
        f"sound batches come after the damage and would be cut: 9 sound batches of {LOG}, offsets 9 to 35; "
        f"12 sound batches of {stem(36)}.log, offsets 36 to 71; 12 sound batches of {stem(72)}.log, offsets 72 to 107; "
        "--mode salvage keeps them in the log, --yes cuts them and keeps their bytes aside"
    ) in done.stderr
    dry = run(folder, "--dry-run")
    assert dry.exit_code == 0 and f"sound batches after the damage would be cut: 9 sound batches of {LOG}" in dry.stderr
    assert tree(tmp_path) == before


def test_they_are_cut_when_that_is_wanted(tmp_path: Path) -> None:
    folder = made(tmp_path / "orders-0", damaged=2)
    done = run(folder, "--yes")
    assert done.exit_code == 0 and "were cut, and are kept aside: 9 sound batches" in done.stderr
    assert offsets(folder) == list(range(6))
    assert len(list(folder.glob("torn-*"))) == 3


def test_salvage_keeps_them_and_does_not_ask(tmp_path: Path) -> None:
    folder = made(tmp_path / "orders-0", damaged=2)
    done = run(folder, "--mode", "salvage")
    assert done.exit_code == 1 and "missing: 6-8" in done.stderr and "sound batches" not in done.stderr
    assert offsets(folder) == [*range(6), *range(9, 108)]


def test_salvage_saves_what_the_verb_of_that_name_saves(tmp_path: Path) -> None:
    """One plan: a length that is broken is restored, with and without the index; a lost batch is lost."""
    for name, is_indexed in (("with", True), ("without", False)):
        folder = tmp_path / name / "rolled-by-bytes-0"
        shutil.copytree(SAMPLES / "4.3.1" / folder.name, folder)
        segments = sorted(folder.glob("*.log"))
        data = bytearray(segments[1].read_bytes())
        headers = read_batch_headers(segments[1])
        layout("record_batch").writer("batch_length")(data, int(headers.position[3]), 77)
        data[int(headers.position[8]) + 100 : int(headers.position[8]) + 200] = bytes(100)
        segments[1].write_bytes(data)
        if not is_indexed:
            segments[1].with_suffix(".index").unlink()
        before = data[int(headers.position[3]) :][: int(headers.size[3])]
        saved = kformat.salvage(folder, tmp_path / f"{name}-saved").summary()[0]["records_count"]
        assert saved == 560 - int(headers.next_offset[8] - headers.base_offset[8])
        dry = json.loads(run(folder, "--mode", "salvage", "--dry-run", "--format", "json").stdout)
        done = json.loads(run(folder, "--mode", "salvage", "--format", "json").stdout)
        assert dry == done and len(offsets(folder)) == saved
        new = tmp_path / f"{name}-saved" / folder.name
        assert [one.read_bytes() for one in segments] == [(new / one.name).read_bytes() for one in segments]
        kept = [folder / one["aside"] for one in done["findings"] if one["aside"]]
        assert kept[0].read_bytes() == before and len(kept) == 2


def test_a_torn_tail_is_cut_without_a_question(tmp_path: Path) -> None:
    folder = made(tmp_path / "orders-0")
    os.truncate(folder / f"{stem(72)}.log", 1000)
    done = run(folder)
    assert done.exit_code == 0 and "sound batches" not in done.stderr


def test_batches_after_a_second_damage_are_counted(tmp_path: Path) -> None:
    folder = made(tmp_path / "orders-0", damaged=2)
    _patched(folder / f"{stem(36)}.log", 700)
    (one, two, _) = json.loads(run(folder, "--dry-run", "--format", "json").stdout)["sound_after_damage"]
    assert (one["file"], one["batches_count"]) == (LOG, 9)
    assert (two["batches_count"], two["first_offset"], two["last_offset"]) == (11, 36, 71)


def test_a_log_that_begins_with_damage(tmp_path: Path) -> None:
    folder = made(tmp_path / "orders-0", damaged=0)
    (first, *_) = json.loads(run(folder, "--dry-run", "--format", "json").stdout)["sound_after_damage"]
    assert first == {
        "file": LOG,
        "batches_count": 11,
        "first_offset": 3,
        "last_offset": 35,
        "unanchored_count": 0,
    }


@pytest.mark.parametrize(
    "verb", [["append"], ["roll"], ["retain"], ["compact", "--dry-run"], ["compact", "--force"], ["truncate", "9"]]
)
def test_no_verb_that_writes_cuts_sound_batches(verb: list[str], tmp_path: Path) -> None:
    folder = made(tmp_path / "orders-0", damaged=1)
    before = tree(folder)
    done = CliRunner().invoke(main, ["log", verb[0], str(folder), *verb[1:]], input=b"line\n")
    assert done.exit_code == 4 and tree(folder) == before
    assert f"sound batches come after the damage and would be cut: 10 sound batches of {LOG}, offsets 6" in done.stderr
    assert "kformat log recover --mode salvage" in done.stderr


def test_a_verb_for_several_partitions_leaves_them_alone(tmp_path: Path) -> None:
    folder = made(tmp_path / "disk" / "orders-0", damaged=1)
    before = tree(folder)
    more = tmp_path / "more"
    more.mkdir()
    both = ["--log-dir", str(folder.parent), "--log-dir", str(more)]
    for verb in (["create", "other-0"], ["move", "other-0", str(more)], ["delete", "other-0", "--yes"]):
        assert CliRunner().invoke(main, ["log", *verb, *both]).exit_code == 0
    done = CliRunner().invoke(main, ["log", "move", "orders-0", str(more), *both])
    assert done.exit_code == 4 and "would be cut" in done.stderr and tree(folder) == before


def with_a_batch_in_a_value(path: Path) -> Path:
    """A partition of which a batch has lost its header, and the start of its first record; a value holds a batch."""
    data, _ = lost_header()
    return write({LOG: data}, path)


def test_what_may_be_a_value_is_placed_if_it_is_asked_for(tmp_path: Path) -> None:
    folder = with_a_batch_in_a_value(tmp_path / "orders-0")
    for how, count, rows in (((), 1, 15), (("--place-unanchored",), 0, 16)):
        copy = tmp_path / f"copy{count}" / folder.name
        shutil.copytree(folder, copy)
        for more in (("--dry-run",), ()):
            done = run(copy, "--mode", "salvage", *how, *more)
            assert done.exit_code == 1 and "lost_bytes: " in done.stderr
            assert ("1 batch after lost bytes may be the value of a record" in done.stderr) == bool(count)
        shutil.rmtree(copy)
        shutil.copytree(folder, copy)
        assert (
            json.loads(run(copy, "--mode", "salvage", *how, "--format", "json").stdout)["unanchored_batches"] == count
        )
        assert len(offsets(copy)) == rows


def test_what_may_be_a_value_is_no_sure_loss(tmp_path: Path) -> None:
    """Where a recovery would cut it, it is said what it may be."""
    folder = with_a_batch_in_a_value(tmp_path / "orders-0")
    (found,) = json.loads(run(folder, "--dry-run", "--format", "json").stdout)["sound_after_damage"]
    assert (found["batches_count"], found["unanchored_count"]) == (4, 1)
    assert "4 sound batches" in (text := run(folder).stderr) and "(1 may be values of records)" in text


@pytest.mark.parametrize("mode", ["strict", "kafka"])
def test_other_modes_place_nothing(mode: Literal["strict", "kafka"], tmp_path: Path) -> None:
    folder = made(tmp_path / "orders-0")
    before = tree(tmp_path)
    assert run(folder, "--mode", mode, "--place-unanchored").exit_code == 2
    with pytest.raises(UsageError, match="mode salvage"):
        Log.open(folder, mode=mode, place_unanchored=True)
    with pytest.raises(UsageError, match="mode salvage"):
        Log.examine(folder, mode=mode, place_unanchored=True)
    assert tree(tmp_path) == before


@pytest.mark.parametrize(("answer", "status", "kept"), [(b"y\n", 0, 6), (b"n\n", 4, 108), (b"\n", 4, 108)])
def test_on_a_terminal_it_asks(answer: bytes, status: int, kept: int, tmp_path: Path) -> None:
    folder = made(tmp_path / "orders-0", damaged=2)
    before = tree(tmp_path)
    found, screen = on_a_terminal(["log", "recover", folder], answer=answer)
    seen = screen.decode()
    assert found == status and "Cut them? [y/N]" in seen and f"9 sound batches of {LOG}" in seen
    if status:
        assert tree(tmp_path) == before
    else:
        assert len(offsets(folder)) == kept


def test_other_owners_may_refuse_a_plan_too(tmp_path: Path) -> None:
    """`Log.open` gives the plan before it is carried out."""
    folder = made(tmp_path / "orders-0")
    os.truncate(folder / f"{stem(72)}.log", 1000)
    seen: list[RecoveryReport] = []
    with Log.open(folder, create=False, approve=seen.append) as log:
        assert seen == [log.report] and log.report.changes


# --- roots ---------------------------------------------------------------------------------------------------------


def test_every_partition_of_a_root_is_recovered(tmp_path: Path) -> None:
    for name in ("orders-0", "orders-1", "payments-0"):
        os.truncate(made(tmp_path / name) / f"{stem(72)}.log", 1000)
    dry = run(tmp_path, "--dry-run")
    assert dry.exit_code == 0 and [line.partition(": ")[0] for line in dry.stderr.splitlines()[:3]] == [
        "orders-0",
        "orders-1",
        "payments-0",
    ]
    done = run(tmp_path)
    assert done.exit_code == 0 and done.stdout == dry.stdout
    assert (tmp_path / MARKER).exists(), "all of them were recovered, so the root is closed in order"
    for name in ("orders-0", "orders-1", "payments-0"):
        assert len(offsets(tmp_path / name)) == 72 + 3 * (1000 // 235)
    again = run(tmp_path, "--format", "json")
    assert [json.loads(line)["partition"] for line in again.stdout.splitlines()] == [
        "orders-0",
        "orders-1",
        "payments-0",
    ]


@pytest.mark.parametrize("version", ["4.3.1", "4.4.0"])
def test_krafts_own_log_is_sound_and_in_no_checkpoint(version: str, tmp_path: Path) -> None:
    """4.4 leaves its indexes as long as they were while it was open; no broker says anything of it in a checkpoint."""
    root = tmp_path / "root"
    for name in ("__cluster_metadata-0", "plain-0"):
        shutil.copytree(SAMPLES / version / name, root / name)
    for path in (SAMPLES / version).iterdir():
        if path.is_file() and not path.name.endswith((".json", ".gz")):
            shutil.copy(path, root)
    told = json.loads((SAMPLES / version / "__cluster_metadata-0.json").read_text("utf-8"))
    sizes = told.get("preallocated", {"sizes": {}})["sizes"]
    for name, size in sizes.items():
        os.truncate(root / "__cluster_metadata-0" / name, size)
    assert sorted(sizes.values()) == ([10485756, 10485760] if version == "4.4.0" else [])
    assert not [one for one in kformat.check(root) if one.severity != "info"]
    for mode in ("strict", "salvage", "kafka"):
        dry = run(root, "--mode", mode, "--dry-run")
        assert dry.exit_code == 0 and dry.stdout == ""
        total = "2 partitions: 2 not changed, 0 with indexes to rebuild, 0 to mend, 0 refused"
        assert dry.stderr.splitlines()[0] == total
    (root / RECOVERY_POINTS).unlink()
    assert not [one for one in kformat.check(root) if one.severity != "info"]
    (root / MARKER).unlink()  # as after a crash
    assert run(root).exit_code == 0
    for name in (RECOVERY_POINTS, "replication-offset-checkpoint"):
        keys = kformat.open_root(root).offsets(name)
        assert ("plain", 0) in keys and ("__cluster_metadata", 0) not in keys
    sizes = {path.suffix: path.stat().st_size for path in (root / "__cluster_metadata-0").glob("*index")}
    assert 0 < sizes[".index"] < 100 and 0 < sizes[".timeindex"] < 100
    assert not [one for one in kformat.check(root) if one.severity != "info"]


def test_one_that_is_refused_does_not_keep_the_others_from_it(tmp_path: Path) -> None:
    made(tmp_path / "orders-0", damaged=2)
    os.truncate(made(tmp_path / "orders-1") / f"{stem(72)}.log", 1000)
    before = tree(tmp_path / "orders-0")
    done = run(tmp_path)
    assert done.exit_code == 4 and f"kformat: {tmp_path}/orders-0: sound batches come after" in done.stderr
    assert tree(tmp_path / "orders-0") == before and "orders-1: " in done.stdout
    assert not (tmp_path / MARKER).exists(), "one log still needs recovery"
    assert run(tmp_path, "--yes").exit_code == 0


def test_of_several_the_sound_ones_are_counted(tmp_path: Path) -> None:
    """Each other one has a line on standard error, and what was not looked at is said once."""
    for name, size in (("orders-0", None), ("orders-1", 1000), ("orders-2", None)):
        log = made(tmp_path / name) / f"{stem(72)}.log"
        if size is not None:
            os.truncate(log, size)
    first = run(tmp_path, "--mode", "salvage")
    assert first.exit_code == 1, "records are lost"
    assert "orders-1: lost_bytes: " in first.stderr and "orders-0: 1 thing mended, 6 indexes rebuilt; " in first.stderr
    assert "\n3 partitions: 0 not changed, 0 with indexes rebuilt, 3 mended, 0 refused\n" in first.stderr
    os.truncate(tmp_path / "orders-2" / f"{stem(72)}.log", 1000)
    for how, mended in ((["--dry-run"], "to mend"), ([], "mended")):
        done = run(tmp_path, "--mode", "salvage", *how)
        one, lost, total, rest = done.stderr.splitlines()
        indexes = "to rebuild" if how else "rebuilt"
        assert one.startswith("orders-2: ") and lost.startswith("orders-2: lost_bytes: ") and done.exit_code == 1
        assert total == f"3 partitions: 2 not changed, 0 with indexes {indexes}, 1 {mended}, 0 refused"
        assert rest.startswith("not looked at: ") and {line[:10] for line in done.stdout.splitlines()} == {"orders-2: "}
    assert "orders-0: " in run(tmp_path, "--all").stderr


@pytest.mark.parametrize("name", ["__cluster_metadata-0", "orders-0"])
def test_a_gap_in_the_clusters_metadata_is_fatal_to_all(name: str, tmp_path: Path) -> None:
    """`salvage` says so of damage, `check` and `recover` of what is left, too."""
    folder = Path(shutil.copytree(SAMPLES / "4.4.0" / "__cluster_metadata-0", tmp_path / "root" / name))
    headers = read_batch_headers(folder / LOG)
    _patched(folder / LOG, int(headers.position[5]) + 70)
    lost, is_fatal = f"offset {int(headers.base_offset[5])}", name != "orders-0"
    line = f"kformat: {name}: FATAL: {lost} is missing, and batches come after it. "
    salvaged = ["salvage", str(folder.parent), "-o", str(tmp_path / "new"), "--dry-run"]
    ways = [salvaged, ["log", "recover", str(folder.parent), "--mode", "salvage"]]
    for words in ways:
        done = CliRunner().invoke(main, words)
        assert (done.exit_code, line in done.stderr) == (1, is_fatal), words
    for words in (*ways, ["log", "recover", str(folder)]):  # nothing is damaged any more
        done = CliRunner().invoke(main, words)
        assert (done.exit_code, line in done.stderr) == (int(is_fatal), is_fatal), words
    told = [finding for finding in kformat.check(folder) if finding.severity == "error"]
    assert [(one.rule, lost in one.message) for one in told] == [("KF0011", True)] * is_fatal


def test_an_index_that_is_rebuilt_is_not_mended(tmp_path: Path) -> None:
    folder = made(tmp_path / "orders-0")
    assert run(folder).exit_code == 0
    (tmp_path / MARKER).unlink()
    (folder / f"{stem(36)}.index").unlink()
    total = run(tmp_path).stderr.splitlines()[-2]
    assert total == "1 partition: 0 not changed, 1 with indexes rebuilt, 0 mended, 0 refused"


def test_roots_below_a_folder(tmp_path: Path) -> None:
    for root in ("kafka1", "kafka2"):
        os.truncate(made(tmp_path / root / "orders-0") / f"{stem(72)}.log", 1000)
    done = run(tmp_path)
    assert done.exit_code == 0
    assert {line.partition(": ")[0] for line in done.stdout.splitlines()} == {"kafka1/orders-0", "kafka2/orders-0"}
    assert all((tmp_path / root / MARKER).exists() for root in ("kafka1", "kafka2"))


def test_a_root_that_is_in_use_is_refused(tmp_path: Path) -> None:
    made(tmp_path / "orders-0")
    with Log.open(tmp_path / "orders-0"):
        assert run(tmp_path).exit_code == 4
        assert run(tmp_path, "--dry-run").exit_code == 0, "looking takes no lock"


def test_a_folder_without_partitions_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    done = run(tmp_path)
    assert done.exit_code == 2 and f"{tmp_path}: nothing of Kafka's here" in done.stderr


@pytest.mark.parametrize("verb", ["read", "tail", "info"])
def test_the_reading_verbs_say_so_too(verb: str, tmp_path: Path) -> None:
    (tmp_path / "orders-0").mkdir()
    done = CliRunner().invoke(main, ["log", verb, str(tmp_path / "orders-0")])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"kformat: {tmp_path}/orders-0: nothing of Kafka's here; looked for segments")


# --- what was not looked at ----------------------------------------------------------------------------------------


def not_looked_at(done: Result) -> str:
    (line,) = [line for line in done.stderr.splitlines() if "not looked at: " in line]
    return line.partition("not looked at: ")[2]


def test_it_says_what_it_did_not_look_at(tmp_path: Path) -> None:
    folder = made(tmp_path / "orders-0")
    records = "the records inside of batches; `kformat check` looks at them"
    assert not_looked_at(run(folder, "--dry-run")) == records, "after a crash every byte is read"
    below_the_point(tmp_path)
    point = "most batches of 2 segments (below the recovery point) and "
    assert not_looked_at(run(folder, "--dry-run")) == point + records
    assert not_looked_at(run(folder)) == point + records
    closed_in_order = "most batches of 3 segments (the log was closed in order) and "
    assert not_looked_at(run(folder)) == closed_in_order + records
    assert not_looked_at(run(folder, "--mode", "salvage")) == records


def test_what_it_does_not_look_at_may_be_damaged(tmp_path: Path) -> None:
    """The line is no empty phrase."""
    folder = made(tmp_path / "orders-0", damaged=3)
    below_the_point(tmp_path)
    assert run(folder, "--dry-run").exit_code == 0
    assert CliRunner().invoke(main, ["check", str(folder)]).exit_code == 1
