"""`kformat reindex`: the bytes of Kafka's own rebuild; whole files, whatever comes between; what is refused."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kformat
from kformat import reindex
from kformat.cli import main, progress
from kformat.kafka.index.indexing import IndexedBatches, recovered_entries
from kformat.kafka.log.partition import iter_partitions
from kformat.storage import atomic_write, plain_file
from kformat.testing.files import segment_files
from tests import judges
from tests.damages import data_batch, patched
from tests.interrupts import Place, tracing
from tests.judges import releases
from tests.judges.required import require
from tests.samples import ROOT as SAMPLES
from tests.samples import current_samples, indexed_batches

STEM = "00000000000000000000"
LATER = "00000000000000001000"
SOUND = b"".join(data_batch(3 * number, 1000 + number) for number in range(20))
INTERVAL = 200  # an entry every three batches
OLD = b"old bytes of an index"
NEXT = 60


def batch(base_offset: int = NEXT, **fields: Any) -> bytes:
    return patched(data_batch(base_offset, 2000), **fields)


def run(*arguments: str | Path) -> tuple[int, list[dict[str, Any]], str]:
    """Exit status, rows, standard error."""
    words = ["reindex", "--format", "nl", *map(str, arguments)]
    done = CliRunner().invoke(main, words)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "root" / "orders-0"
    found.mkdir(parents=True)
    (found / f"{STEM}.log").write_bytes(SOUND)
    return found


def rebuilt(log: bytes, base_offset: int = 0) -> dict[str, bytes]:
    """The indexes of a sound log, as tests hold them against Kafka's."""
    batches = IndexedBatches.from_headers(kformat.read_batch_headers(log))
    entries = recovered_entries(batches, base_offset=base_offset, index_interval_bytes=INTERVAL)
    assert len(entries.offset_index)
    return {".index": entries.offset_index.tobytes(), ".timeindex": entries.time_index.tobytes()}


def options(*more: str | Path) -> list[str | Path]:
    return ["--index-interval-bytes", str(INTERVAL), *more]


# --- what is made ---------------------------------------------------------------------------------------------------


@pytest.mark.judge
@pytest.mark.parametrize(("version", "interval"), [("3.8.1", 512), (releases.OLDER, 0), (releases.NEWEST, 512)])
def test_samples_as_kafka_rebuilds_them(version: str, interval: int, tmp_path: Path) -> None:
    require(version)
    asked, stems = [], []
    for number, sample in enumerate(current_samples()):
        partition = sample.open()
        target = tmp_path / f"judged-{number}"
        shutil.copytree(partition.folder, target)
        for segment in partition.segments:
            asked.append(judges.Segment(segment.log, segment.base_offset, interval, mode="recover"))
            stems.append(target / segment.log.stem)
    status, rows, _ = run(tmp_path, "--index-interval-bytes", str(interval))
    assert status == 0 and len(rows) == len(asked)
    for stem, theirs in zip(stems, judges.build_indexes(version, asked), strict=True):
        for suffix in ("log", "index", "timeindex"):
            assert stem.with_suffix(f".{suffix}").read_bytes() == getattr(theirs, suffix), (stem, suffix)
    assert sum(row["offset_index_entries"] for row in rows) > 500


def test_of_old_brokers_the_first_offset_is_indexed(tmp_path: Path) -> None:
    """Among them wrappers, whose first offset lies compressed."""
    shutil.copytree(SAMPLES / "0.10.2.2", tmp_path / "root")
    status, _, _ = run("--profile", "first-offset", "--index-interval-bytes", "500", tmp_path / "root")
    assert status == 0
    seen = 0
    for partition in iter_partitions(tmp_path / "root"):
        for segment in partition.segments:
            wanted = recovered_entries(
                indexed_batches(segment, "first-offset"),
                base_offset=segment.base_offset,
                profile="first-offset",
                index_interval_bytes=500,
            )
            assert segment.log.with_suffix(".index").read_bytes() == wanted.offset_index.tobytes()
            assert segment.log.with_suffix(".timeindex").read_bytes() == wanted.time_index.tobytes()
            headers = segment.headers()
            wrapped = set(headers.position[headers.compression != 0].tolist())
            for entry in segment.offset_entries():
                first = next(segment.scan(int(entry["position"])))
                assert int(entry["relative_offset"]) + segment.base_offset == first.base_offset
                seen += int(entry["position"]) in wrapped and first.base_offset < first.last_offset
    assert seen > 5


def test_files_are_made_changed_or_left(folder: Path) -> None:
    wanted = rebuilt(SOUND)
    assert run(*options(folder)) == (
        0,
        [
            {
                "partition": "orders-0",
                "file": f"{STEM}.log",
                "batches_count": 20,
                "offset_index": "made",
                "offset_index_entries": len(wanted[".index"]) // 8,
                "time_index": "made",
                "time_index_entries": len(wanted[".timeindex"]) // 12,
                "remark": None,
            }
        ],
        "",
    )
    assert contents(folder) == {f"{STEM}.log": SOUND} | {f"{STEM}{suffix}": data for suffix, data in wanted.items()}
    before = {path: path.stat() for path in folder.iterdir()}
    _, (row,), _ = run(*options(folder))
    assert (row["offset_index"], row["time_index"]) == ("same", "same")
    assert {path: path.stat() for path in folder.iterdir()} == before
    (folder / f"{STEM}.index").write_bytes(wanted[".index"] + bytes(80))
    _, (row,), _ = run(*options(folder / f"{STEM}.log"))
    assert (row["offset_index"], row["time_index"]) == ("changed", "same")
    assert (folder / f"{STEM}.index").read_bytes() == wanted[".index"]


def test_a_dry_run_says_what_is_different_and_writes_nothing(folder: Path) -> None:
    wanted = rebuilt(SOUND)
    (folder / f"{STEM}.index").write_bytes(wanted[".index"][:8] + OLD)
    before = contents(folder)
    status, (row,), told = run(*options("--dry-run", folder))
    assert (status, told, row["offset_index"], row["time_index"]) == (0, "", "different", "missing")
    assert row["remark"].startswith(".index entry 1 [") and ", would be [" in row["remark"]
    (folder / f"{STEM}.index").write_bytes(wanted[".index"][:-8])
    _, (row,), _ = run(*options("--dry-run", folder))
    size = len(wanted[".index"])
    assert row["remark"] == f".index of {size - 8} bytes, would be {size}"
    assert set(contents(folder)) == set(before)


def test_owner_and_mode_are_the_logs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / f"{STEM}.log").chmod(0o640)
    owned: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "fchown", lambda _, user, group: owned.append((user, group)))
    assert run(*options(folder))[0] == 0 and not owned
    assert (folder / f"{STEM}.index").stat().st_mode & 0o777 == 0o640
    for name in ("index", "timeindex"):
        (folder / f"{STEM}.{name}").unlink()
    status, real = (folder / f"{STEM}.log").stat(), os.fstat

    def another_owner(descriptor: int) -> os.stat_result:
        found = real(descriptor)
        return os.stat_result((*found[:4], found.st_uid + 1, *found[5:10]))

    monkeypatch.setattr(os, "fstat", another_owner)
    assert run(*options(folder))[0] == 0 and owned == [(status.st_uid, status.st_gid)] * 2

    def refused(*_: object) -> None:
        raise PermissionError

    (folder / f"{STEM}.index").unlink()
    monkeypatch.setattr(os, "fchown", refused)
    status_, _, told = run(*options(folder))
    assert status_ == 0 and "the new indexes will not belong to the log's owner" in told


def test_transactions_are_left_alone_and_that_is_said(folder: Path) -> None:
    (folder / f"{STEM}.txnindex").write_bytes(OLD)
    _, (row,), _ = run(*options(folder))
    assert row["remark"] == "its .txnindex is left as it is"
    assert (folder / f"{STEM}.txnindex").read_bytes() == OLD


# --- damage ---------------------------------------------------------------------------------------------------------

DAMAGES = {
    "checksum": batch(mend=False, crc=1) + batch(63),
    "checksum-at-the-end": batch(mend=False, crc=1),
    "no-frame": b"garbage, and much of it",
    "too-short": batch(batch_length=20, mend=False) + batch(63),
    "magic-below-0": batch(magic=-1) + batch(63),
    "a-length-into-nowhere": batch(batch_length=10**9, mend=False) + batch(63),
    "beyond-the-segment": batch(2**31) + batch(63),
    "below-the-segment": batch(-5) + batch(63),
}
HARMLESS = {"zeros": bytes(3000), "few-zeros": bytes(5), "torn": batch()[:-1], "torn-in-its-header": batch()[:20]}
NOT_KAFKAS = ("beyond-the-segment", "below-the-segment")  # it splits the segment, or fails


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_log_is_refused_unless_asked(name: str, folder: Path) -> None:
    log = SOUND + DAMAGES[name]
    (folder / f"{STEM}.log").write_bytes(log)
    (folder / f"{LATER}.log").write_bytes(batch(1000))
    (folder / f"{STEM}.index").write_bytes(OLD)
    before = contents(folder)
    for words in ([], ["--dry-run"]):
        status, (row, later), told = run(*options(folder, *words))
        assert status == 4 and row["remark"] == "refused" and later["batches_count"] == 1
        assert row["offset_index"] is None and row["batches_count"] is None
        assert told.startswith(f"kformat: {folder}/{STEM}.log:") and told.count("\n") == 1
        assert "--before-damage" in told
        assert {name: contents(folder)[name] for name in before} == before
        assert not (folder / f"{STEM}.timeindex").exists()
    status, (row, _), told = run(*options("--before-damage", folder))
    assert (status, told, row["offset_index"], row["time_index"]) == (0, "", "changed", "made")
    assert str(len(SOUND)) in row["remark"]
    for suffix, data in rebuilt(SOUND).items():
        assert (folder / f"{STEM}{suffix}").read_bytes() == data
    assert (folder / f"{STEM}.log").read_bytes() == log


@pytest.mark.parametrize("name", HARMLESS)
def test_what_a_crash_leaves_at_the_end_is_no_damage(name: str, folder: Path) -> None:
    (folder / f"{STEM}.log").write_bytes(SOUND + HARMLESS[name])
    status, (row,), told = run(*options(folder))
    assert (status, told) == (0, "")
    assert str(len(HARMLESS[name])) in row["remark"] and str(len(SOUND)) in row["remark"]
    for suffix, data in rebuilt(SOUND).items():
        assert (folder / f"{STEM}{suffix}").read_bytes() == data
    (folder / f"{LATER}.log").write_bytes(batch(1000))
    for path in (folder, folder / f"{STEM}.log"):
        status, _, told = run(*options(path))
        assert status == (4 if name.startswith("torn") else 0), "in an earlier segment a crash leaves zeros at most"


def test_offsets_that_go_back_are_damage_where_an_entry_is_due(folder: Path) -> None:
    """Kafka empties such a segment; without an entry nobody sees it."""
    log = SOUND + b"".join(batch(3 * number) for number in range(9))
    (folder / f"{STEM}.log").write_bytes(log)
    status, (row,), told = run(*options(folder))
    assert status == 4 and row["remark"] == "refused" and "Kafka refuses this index entry" in told
    status, (row,), told = run(*options("--before-damage", folder))
    assert status == 0 and "are not indexed" in row["remark"]
    assert (folder / f"{STEM}.index").read_bytes() == rebuilt(SOUND)[".index"]
    assert run("--index-interval-bytes", "100000", folder)[0] == 0


@pytest.mark.judge
@pytest.mark.parametrize("version", releases.LIVE)
def test_what_lies_before_damage_is_indexed_as_kafka_does(version: str, tmp_path: Path) -> None:
    require(version)
    asked, stems = [], []
    for name, behind in {**DAMAGES, **HARMLESS}.items():
        if name in NOT_KAFKAS:
            continue
        folder = tmp_path / f"{name}-0"
        folder.mkdir()
        stems.append(folder / STEM)
        stems[-1].with_suffix(".log").write_bytes(SOUND + behind)
        asked.append(judges.Segment(stems[-1].with_suffix(".log"), 0, INTERVAL, mode="recover"))
    assert run(*options("--before-damage", tmp_path))[0] == 0
    for stem, theirs in zip(stems, judges.build_indexes(version, asked), strict=True):
        assert theirs.log == SOUND, "a recovery cuts it there"
        assert stem.with_suffix(".index").read_bytes() == theirs.index
        assert stem.with_suffix(".timeindex").read_bytes() == theirs.timeindex


def test_the_other_partitions_are_done_all_the_same(folder: Path) -> None:
    beside = folder.parent / "orders-1"
    beside.mkdir()
    (beside / f"{STEM}.log").write_bytes(DAMAGES["checksum"])
    (folder.parent / "orders-10").mkdir()
    status, rows, told = run(*options(folder.parent, folder.parent.parent / "nothing"))
    assert status == 4 and [row["partition"] for row in rows] == ["orders-0", "orders-1"]
    assert "No such file" in told and "orders-10" not in told
    assert (folder / f"{STEM}.index").exists() and not (beside / f"{STEM}.index").exists()


def test_a_log_too_large_for_positions_is_refused(folder: Path) -> None:
    """2 GiB of hole: Kafka's positions are ints. The zeros are room, so nothing is said but that they are there."""
    os.truncate(folder / f"{STEM}.log", 5 << 20)
    _, (row,), _ = run(*options(folder))
    assert row["remark"] == f"{(5 << 20) - len(SOUND)} zeros from position {len(SOUND)} on"


# --- interrupted ----------------------------------------------------------------------------------------------------


class StepError(OSError):
    pass


STEPS = ("open", "fchmod", "fsync", "replace", "fsync_of_folder")


def steps(monkeypatch: pytest.MonkeyPatch, fail_at: int, fail: Callable[[], None]) -> list[str]:
    """The disk's calls in order; the one of this number fails before it is done."""
    seen: list[str] = []

    def standing_before(name: str) -> None:
        real = getattr(os, name)

        def call(*arguments: Any, **more: Any) -> Any:
            if name != "open" or str(arguments[0]).endswith(".tmp"):
                seen.append(name)
                if len(seen) == fail_at:
                    fail()
            return real(*arguments, **more)

        monkeypatch.setattr(os, name, call)

    for name in ("open", "fchmod", "fsync", "replace"):
        standing_before(name)
    return seen


def all_steps(folder: Path) -> int:
    with pytest.MonkeyPatch.context() as patch:
        seen = steps(patch, -1, lambda: None)
        assert run(*options(folder))[0] == 0
    assert seen == ["open", "fchmod", "fsync"] * 2 + ["replace", "replace", "fsync"]
    return len(seen)


def check_whole(folder: Path, failed_at: int, of: int) -> None:
    """Each index is the old one or the new one; the time index is the first to change."""
    wanted = rebuilt(SOUND)
    found = {suffix: (folder / f"{STEM}{suffix}").read_bytes() for suffix in wanted}
    assert found[".index"] in (OLD, wanted[".index"]) and found[".timeindex"] in (OLD, wanted[".timeindex"])
    assert found[".index"] == OLD or found[".timeindex"] != OLD
    assert (found[".timeindex"] == OLD) == (failed_at <= of - 2)
    assert (found[".index"] == OLD) == (failed_at <= of - 1)


@pytest.fixture
def with_old(folder: Path) -> Iterator[Path]:
    def put() -> None:
        for suffix in ("index", "timeindex"):
            (folder / f"{STEM}.{suffix}").write_bytes(OLD)

    put()
    yield folder


def test_an_error_at_each_step_leaves_whole_files(with_old: Path) -> None:
    count = all_steps(with_old)
    for number in range(1, count + 1):
        for suffix in ("index", "timeindex"):
            (with_old / f"{STEM}.{suffix}").write_bytes(OLD)

        def fail() -> None:
            raise StepError(28, "No space left on device")

        with pytest.MonkeyPatch.context() as patch:
            steps(patch, number, fail)
            status, (row,), told = run(*options(with_old))
        assert status == 3 and row["remark"] == "failed" and "No space left" in told
        assert row["offset_index"] is None and row["time_index"] is None, "nothing is claimed to be made"
        check_whole(with_old, number, count)
        assert set(contents(with_old)) == {f"{STEM}{suffix}" for suffix in (".log", ".index", ".timeindex")}


def test_an_end_at_each_step_leaves_whole_files_and_the_next_run_mends(with_old: Path) -> None:
    count = all_steps(with_old)
    for number in range(1, count + 1):
        for suffix in ("index", "timeindex"):
            (with_old / f"{STEM}.{suffix}").write_bytes(OLD)
        child = os.fork()
        if not child:
            with pytest.MonkeyPatch.context() as patch:
                steps(patch, number, lambda: os._exit(77))
                run(*options(with_old))
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 77
        check_whole(with_old, number, count)
    assert run(*options(with_old))[0] == 0
    assert contents(with_old) == {f"{STEM}.log": SOUND} | {
        f"{STEM}{suffix}": data for suffix, data in rebuilt(SOUND).items()
    }, "nothing is left beside"


# --- a broker beside ------------------------------------------------------------------------------------------------


@pytest.fixture
def locked(folder: Path) -> Iterator[Path]:
    """The folder, while another process has its root."""
    lock = folder.parent / ".lock"
    lock.touch()
    program = "import fcntl, sys; file = open(sys.argv[1], 'w'); fcntl.lockf(file, fcntl.LOCK_EX)"
    program += "; print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", program, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline()
        yield folder
        holder.communicate(timeout=30)


def test_a_root_that_somebody_has_is_refused(locked: Path) -> None:
    (locked.parent / "orders-1").mkdir()
    (locked.parent / "orders-1" / f"{STEM}.log").write_bytes(SOUND)
    status, rows, told = run(*options(locked.parent))
    assert status == 4 and not rows and not (locked / f"{STEM}.index").exists()
    assert told.count("\n") == 1 and "is locked by another process, a broker" in told
    status, rows, told = run(*options("--dry-run", locked.parent))
    assert status == 0 and len(rows) == 2 and not told, "a dry run is a reader"


@pytest.mark.parametrize("is_of_broker", [False, True])
def test_a_link_is_no_way_around_it(is_of_broker: bool, locked: Path, tmp_path: Path) -> None:
    """The broker has the link in its root, or the folder that it leads to."""
    (tmp_path / "other").mkdir()
    link = (locked.parent if is_of_broker else tmp_path / "other") / "linked-0"
    target = locked
    if is_of_broker:
        target = locked.rename(tmp_path / "other" / "orders-0")
    link.symlink_to(target)
    assert run(*options(link))[:2] == (4, [])


def test_the_root_is_held_meanwhile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = folder.parent / ".lock"
    lock.touch()
    asked: list[int] = []
    real = reindex._write

    def write(*arguments: Any) -> Any:
        program = "import fcntl, sys\ntry: fcntl.lockf(open(sys.argv[1], 'w'), fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        done = subprocess.run([sys.executable, "-c", program + "except OSError: sys.exit(9)", lock], check=False)
        asked.append(done.returncode)
        return real(*arguments)

    monkeypatch.setattr(reindex, "_write", write)
    assert run(*options(folder))[0] == 0 and asked == [9]
    with open(lock, "w") as file:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert lock.exists() and not lock.read_bytes()


def test_a_lock_that_cannot_be_asked_is_a_refusal(folder: Path) -> None:
    (folder.parent / ".lock").mkdir()
    status, rows, told = run(*options(folder))
    assert status == 4 and not rows and ".lock is a link or not a file" in told


# --- the rest -------------------------------------------------------------------------------------------------------


def test_an_address_is_refused() -> None:
    status, rows, told = run("memory://somewhere/orders-0")
    assert status == 2 and not rows and "a path on this machine" in told


def test_a_deleted_segment_is_taken_by_its_name(folder: Path) -> None:
    (folder / f"{STEM}.log").rename(folder / f"{STEM}.log.deleted")
    assert run(*options(folder / f"{STEM}.log.deleted"))[0] == 0
    assert set(contents(folder)) == {f"{STEM}.{kind}.deleted" for kind in ("log", "index", "timeindex")}


def test_how_far_it_is(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kformat.cli.progress._EVERY_S", 0)
    monkeypatch.setenv("COLUMNS", "200")
    assert run(*options(folder), "--dry-run")[0] == 0
    assert "% of" not in capsys.readouterr().err
    monkeypatch.setattr(progress.ProgressLine, "is_shown", property(lambda self: True, lambda self, shown: None), False)
    told = run(*options(folder), "--dry-run")[2]
    assert f"[{'#' * 30}] 100%, 00:00:00 left, " in told and f"/orders-0/{STEM}.log" in told


def test_messages_of_older_magics_may_come_first(folder: Path) -> None:
    old = segment_files([(b"k", b"value")] * 40, magic=1, records_per_batch=1)[f"{STEM}.log"]
    log = old + batch(100) + batch(103)
    (folder / f"{STEM}.log").write_bytes(log)
    assert run(*options(folder))[0] == 0
    for suffix, data in rebuilt(log).items():
        assert (folder / f"{STEM}{suffix}").read_bytes() == data


def test_an_interrupt_anywhere_leaves_nothing_next_to_the_indexes(folder: Path) -> None:
    """Each index is the old one or the new one."""
    names = [f"{STEM}.index", f"{STEM}.timeindex"]
    (segment,) = kformat.open(folder).segments
    rules = reindex.Rules(index_interval_bytes=INTERVAL)
    watched = [module.__file__ for module in (reindex, atomic_write, plain_file)]

    def remade(at: Callable[[Place], object]) -> dict[str, bytes]:
        for name in names:
            (folder / name).write_bytes(OLD)
        with suppress(KeyboardInterrupt), tracing(at, watched):
            reindex.remake_in_place(segment, rules)
        return contents(folder)

    places: dict[Place, None] = {}
    whole = remade(lambda place: places.setdefault(place))
    assert len(places) > 30 and set(whole) == {segment.name, *names} and OLD not in whole.values()
    for place in places:

        def interrupt(here: Place, place: Place = place) -> None:
            if here == place:
                raise KeyboardInterrupt

        found = remade(interrupt)
        assert set(found) == set(whole), place
        assert all(found[name] in (OLD, whole[name]) for name in names), place
