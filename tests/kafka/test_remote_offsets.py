"""Tiered partitions: what lies in remote storage is neither deleted nor missing, and its files are known."""

import json
import pickle
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.cli import main
from kformat.errors import DataError, RemoteOffsetError, TruncatedError
from kformat.kafka.files.file_kinds import (
    FileName,
    FolderName,
    describe_file,
    parse_remote_file_name,
    parse_remote_folder_name,
)
from kformat.kafka.files.text_files import EpochEntry
from kformat.kafka.index.lookup import find_earliest, find_latest, find_offset, find_timestamp
from kformat.kafka.log.log_reader import LogReader
from kformat.kafka.log.partition import Partition
from kformat.testing.files import Given, ProducerTransaction, log_files
from kformat_engine.errors import OffsetOutOfRangeError

ID = "-Zz_-23456789-BCDEFGH_"
OTHER_ID = "0cQ71c0ITguyV2T1punaug"
FIRST, END = 100, 130
START = 40
REMOTE = range(START, FIRST)
BOUNDS = f"the log starts at offset {START}, its local part at offset {FIRST}"
EPOCHS = b"0\n3\n0 0\n3 110\n7 130\n"


def write(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def checkpoint(root: Path, start: int | None) -> None:
    lines = [] if start is None else [f"orders 0 {start}"]
    (root / "log-start-offset-checkpoint").write_text("\n".join(["0", str(len(lines)), *lines, ""]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tiered partition: local from 100 to 130 in three segments, the log from 40 on."""
    files = log_files([b"v%d" % number for number in range(END - FIRST)], base_offset=FIRST, records_per_segment=10)
    checkpoint(tmp_path, START)
    return write(tmp_path / "orders-0", files | {"leader-epoch-checkpoint": EPOCHS})


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


# --- where a log starts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "epochs", "start", "local", "remote"),
    [
        (None, EPOCHS, None, 100, range(0)),
        (0, EPOCHS, 0, 100, range(100)),
        (-1, EPOCHS, -1, 100, range(100)),
        (40, EPOCHS, 40, 100, range(40, 100)),
        (99, EPOCHS, 99, 100, range(99, 100)),
        (100, EPOCHS, 100, 100, range(0)),
        (105, EPOCHS, 105, 105, range(0)),
        (40, b"0\n1\n0 99\n", 40, 100, range(40, 100)),
        # DeleteRecords, retention and a kill leave this for an ordinary topic: 4.3.1 starts at its first segment.
        (40, b"0\n1\n0 100\n", 100, 100, range(0)),
        (40, b"0\n1\n0 105\n", 100, 100, range(0)),
        (40, b"0\n0\n", 100, 100, range(0)),
        (40, None, 40, 100, range(40, 100)),
        (40, b"nonsense", 40, 100, range(40, 100)),
    ],
)
def test_where_a_log_starts(
    folder: Path, entry: int | None, epochs: bytes | None, start: int | None, local: int, remote: range
) -> None:
    checkpoint(folder.parent, entry)
    if epochs is None:
        (folder / "leader-epoch-checkpoint").unlink()
    else:
        (folder / "leader-epoch-checkpoint").write_bytes(epochs)
    partition = kformat.open(folder)
    assert (partition.log_start_offset, partition.local_log_start_offset) == (start, local)
    assert partition.remote_offsets == remote
    with LogReader.open(folder) as reader:
        first = remote.start if remote else local
        assert (reader.log_start_offset, reader.start_offset, reader.remote_offsets) == (first, local, remote)


def test_a_checkpoint_that_changes_or_cannot_be_read(folder: Path) -> None:
    partition = kformat.open(folder)
    assert partition.remote_offsets == REMOTE
    checkpoint(folder.parent, 77)
    assert partition.remote_offsets == range(77, FIRST)
    (folder.parent / "log-start-offset-checkpoint").write_bytes(b"0\n1\n")
    assert partition.remote_offsets == range(0) and len(list(partition.records(0))) == END - FIRST
    with pytest.raises(TruncatedError):
        _ = partition.log_start_offset


def test_a_file_alone_and_an_empty_folder_have_no_remote_offsets(folder: Path) -> None:
    alone = kformat.open(folder / f"{FIRST:020d}.log")
    assert not alone.remote_offsets and len(list(alone.records(0))) == 10
    for path in folder.iterdir():
        path.unlink()
    empty = kformat.open(folder)
    assert not empty.remote_offsets and empty.local_log_start_offset is None


# --- what is asked for ---------------------------------------------------------------------------------------------

RANGES = [
    (None, None, list(range(FIRST, END))),
    (FIRST, None, list(range(FIRST, END))),
    (125, 127, [125, 126]),
    (None, 103, [100, 101, 102]),
    (None, FIRST + 1, [100]),
    (None, FIRST, START),
    (None, START + 1, START),
    (None, START, []),
    (0, None, START),
    (START - 1, START, []),
    (START, None, START),
    (41, 42, 41),
    (99, None, 99),
    (99, 120, 99),
]
"""Bounds, and the offsets that are read; or the offset that is refused."""


@pytest.mark.parametrize(("start", "end", "expected"), RANGES)
def test_ranges(folder: Path, start: int | None, end: int | None, expected: list[int] | int) -> None:
    pytest.importorskip("pyarrow")
    partition = kformat.open(folder)
    doors = [
        lambda: [record.offset for record in partition.records(start, end)],
        lambda: partition.to_arrow(["offset"], start_offset=start, end_offset=end)["offset"].to_pylist(),
        lambda: partition.to_arrow(
            ["offset"], start_offset=start, end_offset=end, isolation_level="read_committed", since=0
        )["offset"].to_pylist(),
        lambda: [found.offset for found in kformat.grep(partition, b"v", start_offset=start, end_offset=end)],
    ]
    for read in doors:
        if isinstance(expected, list):
            assert read() == expected
            continue
        with pytest.raises(RemoteOffsetError, match=BOUNDS) as caught:
            read()
        error = pickle.loads(pickle.dumps(caught.value))
        assert (error.offset, error.log_start_offset, error.local_log_start_offset) == (expected, START, FIRST)
        assert str(error) == str(caught.value) and error.source == str(folder)


def test_following(folder: Path) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(RemoteOffsetError, match="offset 50 is in remote storage"):
        kformat.follow(folder, start_offset=50, timeout_s=0).read_all()
    assert kformat.follow(folder, timeout_s=0).read_all().num_rows == END - FIRST


def at(partition: Partition, offset: int) -> int:
    (record,) = partition.records(offset, offset + 1)
    return record.timestamp


def test_lookups(folder: Path) -> None:
    partition = kformat.open(folder)
    segments, remote, epochs = partition.segments, partition.remote_offsets, partition.leader_epochs
    for offset, found, is_remote in ((39, None, False), (40, None, True), (99, None, True), (100, 100, False)):
        answer = find_offset(segments, offset, log_start_offset=START, remote_offsets=remote)
        assert (answer.offset, answer.is_remote, answer.may_be_remote) == (found, is_remote, False), offset
    assert find_offset(segments, 39, remote_offsets=remote).explain() == "offset 39 is below the log start offset 40"
    find = partial(find_timestamp, segments, log_start_offset=START, remote_offsets=remote, epochs=epochs)
    for timestamp, found in ((0, 100), (at(partition, 117), 117), (at(partition, 129) + 1, None)):
        answer = find(timestamp)
        assert (answer.offset, answer.is_remote, answer.may_be_remote) == (found, False, True)
        assert str(answer.steps[-1]).endswith(BOUNDS)
        assert answer.steps[-1].as_dict() == {
            "kind": "remote", "log_start_offset": START, "local_log_start_offset": FIRST, "offset": None
        }  # fmt: skip
        assert not find_timestamp(segments, timestamp, log_start_offset=START, epochs=epochs).may_be_remote
    earliest, local, latest, largest = (find(target) for target in (-2, -4, -1, -3))
    assert (earliest.offset, earliest.leader_epoch, earliest.segment, earliest.is_remote) == (START, 0, None, True)
    assert (local.offset, local.leader_epoch, local.segment, local.is_remote) == (100, 0, segments[0].name, False)
    assert (latest.offset, latest.leader_epoch) == (END, 7) and (largest.offset, largest.may_be_remote) == (129, False)


@pytest.mark.parametrize(
    ("epochs", "start", "earliest", "latest"),
    [
        ((), None, 5, 5),  # no cache: the epoch of the batch
        (((0, 0), (3, 110), (7, 130)), None, 0, 7),
        (((0, 0), (3, 110), (7, 130)), 109, 0, 7),
        (((0, 0), (3, 110), (7, 130)), 110, 3, 7),
        (((4, 101),), None, None, 4),  # begins above the log's start, as after a kill
    ],
)
def test_epochs_of_the_logs_start_and_end_are_the_caches(
    tmp_path: Path, epochs: tuple[tuple[int, int], ...], start: int | None, earliest: int | None, latest: int
) -> None:
    entries = "".join(f"{epoch} {offset}\n" for epoch, offset in epochs)
    files = log_files([b""] * 30, base_offset=FIRST, leader_epoch=5)
    files["leader-epoch-checkpoint"] = f"0\n{len(epochs)}\n{entries}".encode()
    folder = write(tmp_path / "orders-0", files)
    checkpoint(tmp_path, start)
    partition = kformat.open(folder)
    known = tuple(EpochEntry(*entry) for entry in epochs)
    assert partition.leader_epochs == known
    assert find_earliest(partition.segments, log_start_offset=start, epochs=known).leader_epoch == earliest
    assert find_latest(partition.segments, epochs=known).leader_epoch == latest
    with LogReader.open(folder) as reader:
        found = [reader.offset_for_timestamp(target) for target in (-2, -4, -1)]
        assert [one and one.leader_epoch for one in found] == [earliest, earliest, latest]
    for word, epoch in (("earliest", earliest), ("earliest-local", earliest), ("latest", latest)):
        assert json.loads(run("find", folder, "--timestamp", word, "--format", "json").stdout)["leader_epoch"] == epoch


def test_the_engines_reader(folder: Path) -> None:
    partition = kformat.open(folder)
    with LogReader.open(folder) as reader:
        assert [record.offset for record in reader] == list(range(FIRST, END))
        doors: list[object] = [
            lambda reset: next(reader.records(50, auto_offset_reset=reset)),
            lambda reset: next(reader.batches(99, 120, auto_offset_reset=reset)),
            lambda reset: reader.records(None, FIRST, auto_offset_reset=reset),
            lambda _: reader.read(40),
        ]
        for read in doors:
            for reset in ("error", "earliest", "latest"):
                with pytest.raises(RemoteOffsetError, match=BOUNDS):
                    read(reset)  # type: ignore[operator]
        with pytest.raises(OffsetOutOfRangeError, match="the log goes from 40 to 130"):
            reader.read(39)
        with pytest.raises(RemoteOffsetError, match="offset 40 is"):  # where a consumer's reset goes, too
            next(reader.records(39, auto_offset_reset="earliest"))
        assert list(reader.records(39, auto_offset_reset="latest")) == []
        found = reader.offset_for_timestamp(at(partition, 117))
        assert found is not None and found.may_be_remote and found == (at(partition, 117), 117, 0)
        assert reader.offset_for_timestamp(0, explain=True).may_be_remote
        with pytest.raises(RemoteOffsetError, match=f"may hold the record: {BOUNDS}") as caught:
            reader.offset_for_timestamp(at(partition, 129) + 1)
        assert caught.value.offset is None
        for target, expected in ((-2, (-1, 40, 0)), (-4, (-1, 100, 0)), (-1, (-1, 130, 7))):
            found = reader.offset_for_timestamp(target)
            assert found is not None and not found.may_be_remote and found == expected
        checkpoint(folder.parent, None)
        with pytest.raises(OffsetOutOfRangeError, match="the log goes from 100 to 130"):
            reader.read(40)


# --- the command line ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "status", "out", "err"),
    [
        (["--offset", 41], 5, "", f"kformat: offset 41 is in remote storage: {BOUNDS}\n"),
        (["--offset", 39], 1, "", "kformat: offset 39 is below the log start offset 40\n"),
        (["--offset", 41, "--log-start-offset", 42], 1, "", "kformat: offset 41 is below the log start offset 42\n"),
        (["--offset", 41, "--log-start-offset", 100], 1, "", "kformat: offset 41 is below the log start offset 100\n"),
        (["--offset", 41, "--offset", 100], 5, "offset 100 ", f"kformat: 41: offset 41 is in remote storage: {BOUNDS}"),
        (["--offset", 39, "--log-start-offset", 0], 5, "", "offset 39 is in remote storage: the log starts at"),
        (["--timestamp", "earliest"], 0, "offset 40 timestamp -1 in remote storage\n", ""),
        (["--timestamp", "earliest-local"], 0, "offset 100 timestamp -1 segment 00000000000000000100.log", ""),
        (["--timestamp", "latest"], 0, "offset 130 ", ""),
        (["--timestamp", "max"], 0, "offset 129 ", ""),
        (["--timestamp", 0], 0, "offset 100 ", f"remote storage was not searched and may hold the record: {BOUNDS}\n"),
        (["--timestamp", 2**50], 5, "", "kformat: remote storage was not searched and may hold the record: "),
    ],
)  # fmt: skip
def test_find(folder: Path, arguments: list[object], status: int, out: str, err: str) -> None:
    done = run("find", folder, *arguments)
    assert done.exit_code == status and done.stdout.startswith(out) and bool(done.stdout) == bool(out)
    assert err in done.stderr and done.stderr.count("\n") == bool(err)


@pytest.mark.parametrize("epochs", [EPOCHS, None, b"0\n1\n3 100\n"])
def test_find_in_a_copy_without_the_checkpoint_is_told_where_the_log_starts(folder: Path, epochs: bytes | None) -> None:
    (folder.parent / "log-start-offset-checkpoint").unlink()
    (folder / "leader-epoch-checkpoint").unlink()
    if epochs is not None:
        (folder / "leader-epoch-checkpoint").write_bytes(epochs)
    done = run("find", folder, "--offset", 41)
    assert (done.exit_code, done.stderr) == (1, "kformat: offset 41 is below the log start offset 100\n")
    done = run("find", folder, "--offset", 41, "--log-start-offset", START)
    if epochs == EPOCHS or epochs is None:
        assert (done.exit_code, done.stderr) == (5, f"kformat: offset 41 is in remote storage: {BOUNDS}\n")
    else:  # a log that keeps no epochs below its first segment has nothing in remote storage
        assert (done.exit_code, done.stderr) == (1, "kformat: offset 41 is below the log start offset 100\n")


def test_readers_say_where_the_start_is_not_known(folder: Path) -> None:
    """Once for a root; what is here is read."""
    pytest.importorskip("pyarrow")
    shutil.copytree(folder, folder.with_name("orders-1"))
    (folder.parent / "log-start-offset-checkpoint").write_bytes(b"1\n")
    said = f"kformat: {folder.parent / 'log-start-offset-checkpoint'}"
    for verb in (["export", "--format", "nl"], ["grep", "v"], ["stats"], ["log", "read"], ["find", "--offset", 101]):
        done = run(*verb, folder if verb[0] in ("log", "find") else folder.parent)
        assert done.exit_code == 1 and done.stdout and done.stderr.count("\n") == 1, done.stderr
        assert done.stderr.startswith(said)


def test_find_says_it_in_json(folder: Path) -> None:
    done = run("find", folder, "--offset", 41, "--offset", 105, "--format", "json")
    assert done.stderr == f"kformat: offset 41 is in remote storage: {BOUNDS}\n"
    lines = done.stdout.splitlines()
    assert [(one["offset"], one["is_remote"], one["may_be_remote"]) for one in map(json.loads, lines)] == [
        (None, True, False), (105, False, False)
    ]  # fmt: skip
    one = json.loads(run("find", folder, "--timestamp", 0, "--format", "json", "--explain").stdout)
    assert (one["offset"], one["may_be_remote"], one["steps"][-1]["kind"]) == (100, True, "remote")
    checkpoint(folder.parent, None)
    assert "is_remote" not in json.loads(run("find", folder, "--offset", 105, "--format", "json").stdout)


@pytest.mark.parametrize(("start", "end", "expected"), RANGES)
def test_export_grep_and_log_read(folder: Path, start: int | None, end: int | None, expected: list[int] | int) -> None:
    pytest.importorskip("pyarrow")
    bounds = [
        *(["--from-offset", start] if start is not None else []),
        *(["--to-offset", end] if end is not None else []),
    ]
    verbs = [
        run("export", folder, "--format", "nl", "--columns", "offset", *bounds),
        run("grep", "v", folder, "--format", "nl", *bounds),
    ]
    if start is None or start >= START:  # below, it is out of range for a reader
        words = {"--from-offset": "--offset", "--to-offset": "--end-offset"}
        verbs.append(run("log", "read", folder, "--format", "nl", *(words.get(str(word), word) for word in bounds)))
    for done in verbs:
        if isinstance(expected, int):
            assert (done.exit_code, done.stdout) == (5, "")
            assert done.stderr == f"kformat: {folder}: offset {expected} is in remote storage: {BOUNDS}\n"
        else:
            assert [json.loads(line)["offset"] for line in done.stdout.splitlines()] == expected
            assert done.exit_code == 0 or not expected
            said = f"kformat: {folder}: 60 offsets in remote storage are not read: {BOUNDS}\n"
            assert done.stderr == (said if start is None and expected else "")


def test_messages_name_the_folder_as_it_was_given(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    done = run("log", "read", folder.name, "--offset", 41)
    assert (done.exit_code, done.stderr) == (5, f"kformat: {folder.name}: offset 41 is in remote storage: {BOUNDS}\n")


def test_find_names_no_position_where_there_is_none(folder: Path) -> None:
    done = run("find", write(folder.with_name("orders-2"), {f"{0:020d}.log": b""}), "--timestamp", "latest")
    assert done.stdout == "offset 0 timestamp -1 segment 00000000000000000000.log\n"


def test_log_read_from_a_time(folder: Path) -> None:
    partition = kformat.open(folder)
    done = run("log", "read", folder, "--timestamp", at(partition, 128))
    assert (done.exit_code, done.stdout) == (0, "v28\nv29\n") and done.stderr.count("\n") == 1 and BOUNDS in done.stderr
    done = run("log", "read", folder, "--timestamp", at(partition, 129) + 1)
    assert (done.exit_code, done.stdout) == (5, "") and done.stderr.count("\n") == 1 and BOUNDS in done.stderr


def test_stats_and_ls(folder: Path) -> None:
    shutil.copytree(folder, folder.with_name("orders-1"))
    rows = [json.loads(line) for line in run("stats", folder.parent, "--format", "nl").stdout.splitlines()]
    assert [(row["remote_offsets_count"], row["records_count"]) for row in rows] == [(60, 30), (0, 30)]
    (total,) = json.loads(run("stats", folder.parent, "--by", "total", "--format", "json").stdout)
    assert total["remote_offsets_count"] == 60
    assert "60 offsets in remote storage" in run("stats", folder).stdout
    listed = json.loads(run("ls", folder.parent, "--format", "json").stdout)
    assert {(row["partition"], row["log_start_offset"], row["local_log_start_offset"]) for row in listed} == {
        ("orders-0", START, FIRST), ("orders-1", None, FIRST)
    }  # fmt: skip


# --- remote files --------------------------------------------------------------------------------------------------

STEM = f"{345:020d}-{ID}"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (f"{STEM}.log", FileName(345, "log", "", segment_id=ID)),
        (f"{STEM}.index", FileName(345, "offset_index", "", segment_id=ID)),
        (f"{STEM}.timeindex", FileName(345, "time_index", "", segment_id=ID)),
        (f"{STEM}.txnindex", FileName(345, "transaction_index", "", segment_id=ID)),
        (f"{STEM}.snapshot", FileName(345, "producer_snapshot", "", segment_id=ID)),
        (f"{STEM}.leader_epoch_checkpoint", FileName(345, "leader_epoch_checkpoint", "", segment_id=ID)),
        (f"345_{ID}.index", FileName(345, "offset_index", "", segment_id=ID)),
        (f"0_{ID}.txnindex", FileName(0, "transaction_index", "", segment_id=ID)),
        (f"0_{ID}.timeindex.deleted", FileName(0, "time_index", "deleted", segment_id=ID)),
        (f"0_{ID}.timeindex.tmp", FileName(0, "time_index", "tmp", segment_id=ID)),
        (f"{STEM}.log.deleted", None),
        (f"345-{ID}.log", None),
        (f"{345:020d}_{ID}.index", None),
        (f"345_{ID}.log", None),
        (f"0345_{ID}.index", None),
        (f"{345:020d}-{ID[1:]}.log", None),
        (f"{345:020d}-{ID}A.log", None),
        (f"{345:020d}-{ID[:-1]}+.log", None),
        (f"{2**63:020d}-{ID}.log", None),
        (f"{345:020d}.log", None),
    ],
)
def test_names_of_remote_files(name: str, expected: FileName | None) -> None:
    assert parse_remote_file_name(name) == expected
    if expected is not None:
        kind, text = describe_file(name)
        assert kind == expected.kind and "of a remote segment" in text


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (f"orders-0-{OTHER_ID}", FolderName("orders", 0, "", OTHER_ID)),
        (f"a-1-b-12-{ID}", FolderName("a-1-b", 12, "", ID)),
        (f"orders-{ID}", None),
        (f"orders-0-{ID[1:]}", None),
        (f"orders-9999999999-{ID}", None),
        ("orders-0", None),
    ],
)
def test_names_of_remote_folders(name: str, expected: FolderName | None) -> None:
    assert parse_remote_folder_name(name) == expected


def values(count: int) -> Iterator[bytes]:
    return (b"value %d" % number for number in range(count))


RECORDS: list[Given] = [
    *values(8),
    ProducerTransaction(list(values(3)), "abort"),
    *values(8),
    ProducerTransaction(list(values(3)), "commit", producer_id=2000),
    *values(5),
    ProducerTransaction(list(values(2)), "abort", producer_id=2000),
    *values(9),
    ProducerTransaction(list(values(4)), None),
    *values(3),
]


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Path, Path]:
    """A partition as a broker has it, and the same as LocalTieredStorage lays it out."""
    files = log_files(RECORDS, records_per_segment=12, index_interval_bytes=100, topic_id=bytes(range(16)))
    local = write(tmp_path / "local" / "orders-0", files)
    segments = kformat.open(local).segments
    assert len(segments) >= 3 and any(name.endswith(".txnindex") for name in files)
    renamed = {}
    for number, segment in enumerate(segments):
        stem = f"{segment.base_offset:020d}-{(ID, OTHER_ID)[number % 2]}"
        for suffix in ("log", "index", "timeindex", "txnindex"):
            if (name := f"{segment.base_offset:020d}.{suffix}") in files:
                renamed[f"{stem}.{suffix}"] = files[name]
        end = max(record.offset for batch in segment.scan() for record in batch.records()) + 1
        renamed[f"{stem}.snapshot"] = files[f"{end:020d}.snapshot"]
        renamed[f"{stem}.leader_epoch_checkpoint"] = files["leader-epoch-checkpoint"]
    return local, write(tmp_path / "kafka-tiered-storage" / f"orders-0-{ID}", renamed)


def test_a_remote_folder_is_a_partition(stored: tuple[Path, Path]) -> None:
    pytest.importorskip("pyarrow")
    ours, theirs = map(kformat.open, stored)
    assert (theirs.topic, theirs.partition, theirs.topic_id, theirs.checkpoint_key) == ("orders", 0, ID, None)
    assert theirs.is_remote and not ours.is_remote and theirs.leader_epochs == ours.leader_epochs
    assert list(theirs.records()) == list(ours.records())
    for level in ("read_committed", "read_uncommitted"):
        assert theirs.to_arrow(isolation_level=level) == ours.to_arrow(isolation_level=level)
    for offset in range(0, 50, 7):
        answers = [find_offset(one.segments, offset) for one in (ours, theirs)]
        assert answers[0].position == answers[1].position and answers[0].offset == answers[1].offset
    assert [one.path for one in kformat.iter_partitions(stored[1].parent)] == [stored[1]]
    alone = kformat.open(theirs.segments[1].log)
    assert (alone.topic, [one.log for one in alone.segments]) == ("orders", [theirs.segments[1].log])
    table = run("ls", "-a", stored[1].parent).stdout
    assert "producer snapshot of a remote segment" in table and "0 from 0" in table and "without a log" not in table


def test_diff_compares_the_records_of_remote_segments(stored: tuple[Path, Path]) -> None:
    local, remote = stored
    found = kformat.diff(local, remote, records=True)
    count = sum(1 for _ in kformat.open(local).records())
    assert list(found) == [] and found.records.equal == count > 0
    kformat.open(remote).segments[1].log.unlink()
    found = kformat.diff(local, remote, records=True)
    assert len(list(found)) == 1 and 0 < found.records.only_in_a == count - found.records.equal


def test_check_of_remote_files(stored: tuple[Path, Path]) -> None:
    folder = stored[1]
    assert list(kformat.check(folder.parent)) == []
    for path in folder.iterdir():
        assert list(kformat.check(path)) == [], path.name
        assert run("dump", path).exit_code == 0
    logs = sorted(folder.glob("*.log"))
    parsed = parse_remote_file_name(logs[1].name)
    assert parsed is not None and f"Log starting offset: {parsed.offset}\n" in run("dump", logs[1]).stdout
    index = logs[1].with_suffix(".index")
    twin = stored[0] / f"{parsed.offset:020d}.index"
    assert run("dump", index).stdout.replace(str(index), "") == run("dump", twin).stdout.replace(str(twin), "")
    # The snapshot is that of the segment's end: another segment's has entries above it, or lacks what is below.
    snapshots = sorted(folder.glob("*.snapshot"))
    shutil.copy(snapshots[-1], snapshots[0])
    assert {finding.rule for finding in kformat.check(folder)} == {"KF0706"}
    for path in folder.iterdir():
        if path.suffix != ".log":
            path.unlink()
    assert list(kformat.check(folder)) == []  # logs alone, with aborted transactions: nothing else was copied
    logs[1].write_bytes(logs[1].read_bytes()[:-1] + b"x")
    assert {finding.rule for finding in kformat.check(folder)} == {"KF0201"}


def test_a_remote_name_among_a_brokers_files_is_wrong(stored: tuple[Path, Path]) -> None:
    """A broker does not load a log with such a file in its folder."""
    local, remote = stored
    path = next(remote.glob("*.index"))
    shutil.copy(path, local)
    assert [(Path(found.file).name, found.rule) for found in kformat.check(local)] == [(path.name, "KF0003")]
    assert len(kformat.open(local).segments) == len(kformat.open(remote).segments)


def test_the_cache_of_remote_indexes(stored: tuple[Path, Path]) -> None:
    local, remote = stored
    cache = local.parent / "remote-log-index-cache"
    cache.mkdir()
    for path in sorted(remote.iterdir()):
        parsed = parse_remote_file_name(path.name)
        assert parsed is not None
        if path.suffix in (".index", ".timeindex"):
            name = f"{parsed.offset}_{parsed.segment_id}"
            shutil.copy(path, cache / f"{name}{path.suffix}")
            (cache / f"{name}.txnindex").touch()
            shutil.copy(path, cache / f"{name}{path.suffix}.deleted")
            (cache / f"{name}{path.suffix}.tmp").touch()
    assert {finding.rule for finding in kformat.check(local.parent)} == {"KF0010"}
    assert [one.path for one in kformat.iter_partitions(local.parent)] == [local]
    damaged = max(cache.glob("*.index"), key=lambda path: path.stat().st_size)
    data = damaged.read_bytes()
    damaged.write_bytes(data[8:16] + data[:8] + data[16:])
    found = [finding for finding in kformat.check(local.parent) if finding.severity == "error"]
    assert {finding.file for finding in found} == {str(damaged)}


def test_a_damaged_remote_file_is_an_error(stored: tuple[Path, Path]) -> None:
    epochs = max(stored[1].glob("*.leader_epoch_checkpoint"))
    epochs.write_bytes(b"0\n1\n")
    assert {finding.rule for finding in kformat.check(stored[1])} == {"KF0801"}
    with pytest.raises(DataError):
        _ = kformat.open(stored[1]).leader_epochs
