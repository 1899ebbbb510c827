"""`kformat.follow`: a log that another process appends to and rolls, as Arrow."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.errors import ChecksumError, DataError, InvalidError, RecordsDeletedError, TruncatedError, UsageError
from kformat.follow import follow_chunks
from kformat.kafka.batch.writing import Columns, build_batch
from kformat.kafka.columns.chunks import Wanted, read_chunks
from kformat.kafka.log import log_reader
from kformat.language.layout import layout
from kformat.testing import segment_files, write_log
from kformat_engine import Log, LogConfig
from tests.samples import ROOT as SAMPLES

pa = pytest.importorskip("pyarrow")

FOLDER = SAMPLES / "4.3.1" / "rolled-by-bytes-0"
LAST = f"{424:020d}.log"

WRITER = """
import sys, time
from kformat.testing import segment_files, write_log
from kformat_engine import Log, LogConfig
with Log.open(sys.argv[1], LogConfig(segment_bytes=4096)) as log:
    for number in range(0, 2000, 10):
        log.append([(b"%d" % n, b"value %d" % n) for n in range(number, number + 10)])
        if number % 200 == 0:
            time.sleep(0.02)
"""


def offsets(reader: Any) -> list[int]:
    found: list[int] = reader.read_all()["offset"].to_pylist()
    return found


def test_another_process_appends_and_rolls(tmp_path: Path) -> None:
    folder = tmp_path / "grown-0"
    with Log.open(folder):
        pass
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(folder)])
    try:
        found: list[tuple[int, bytes]] = []
        pieces = 0
        for batch in kformat.follow(folder, ["offset", "value"], poll_s=0.005, stop=lambda: len(found) >= 2000):
            found.extend(zip(batch["offset"].to_pylist(), batch["value"].to_pylist(), strict=True))
            pieces += 1
    finally:
        writer.wait(60)
    assert found == [(number, b"value %d" % number) for number in range(2000)]
    assert len(list(folder.glob("*.log"))) > 5 and pieces > 5
    assert writer.returncode == 0


def test_what_is_there_and_on_from_there(tmp_path: Path) -> None:
    folder = tmp_path / "a-0"
    with Log.open(folder, LogConfig(segment_bytes=1024)) as log:
        log.append([(None, b"x")] * 5)
        assert offsets(kformat.follow(folder, timeout_s=0)) == [0, 1, 2, 3, 4]
        for _ in range(30):
            log.append([(None, b"y" * 100)])
        assert offsets(kformat.follow(folder, start_offset=5, timeout_s=0)) == list(range(5, 35))
        assert offsets(kformat.follow(folder, start_offset=35, timeout_s=0)) == []


def test_it_waits_for_so_long(tmp_path: Path) -> None:
    began = time.monotonic()
    assert offsets(kformat.follow(FOLDER, timeout_s=0.3, poll_s=0.05)) == list(range(560))
    assert 0.3 <= time.monotonic() - began < 10


@pytest.mark.parametrize("left", [1, 30, 60, 200])
def test_a_cut_last_batch_is_not_there_yet(tmp_path: Path, left: int) -> None:
    folder = tmp_path / "a-0"
    shutil.copytree(FOLDER, folder)
    data = (folder / LAST).read_bytes()
    last = [batch.position for batch in kformat.iter_batches(data)][-1]
    assert last + left < len(data)
    (folder / LAST).write_bytes(data[: last + left])
    with pytest.raises(TruncatedError):
        kformat.open(folder).to_arrow()
    before = list(range(552))
    assert offsets(kformat.follow(folder, timeout_s=0)) == before

    found: list[int] = []
    for batch in kformat.follow(folder, ["offset"], poll_s=0.01, stop=lambda: len(found) == 560):
        found.extend(batch["offset"].to_pylist())
        if found == before:
            (folder / LAST).write_bytes(data)
    assert found == list(range(560))


def test_a_preallocated_batch_that_is_written_in_pieces(tmp_path: Path) -> None:
    folder = tmp_path / "a-0"
    shutil.copytree(FOLDER, folder)
    data = (folder / LAST).read_bytes()
    last = [batch.position for batch in kformat.iter_batches(data)][-1]
    for written in (last, last + 5, last + 100, len(data) - 3):
        (folder / LAST).write_bytes(data[:written].ljust(len(data) + 4096, b"\0"))
        assert offsets(kformat.follow(folder, timeout_s=0)) == list(range(552)), written
    (folder / LAST).write_bytes(data.ljust(len(data) + 4096, b"\0"))
    assert offsets(kformat.follow(folder, timeout_s=0)) == list(range(560))


def test_what_is_not_the_end_is_damage(tmp_path: Path) -> None:
    """Behind a rolled segment nothing comes any more; and what others follow is whole."""
    cut = tmp_path / "cut-0"
    shutil.copytree(FOLDER, cut)
    os.truncate(cut / f"{200:020d}.log", 16_000)
    reader, found = kformat.follow(cut, ["offset"], timeout_s=0), []
    with pytest.raises(TruncatedError):
        for batch in reader:
            found.extend(batch["offset"].to_pylist())
    assert found[-1] < 423 and found == list(range(len(found)))
    wrong = tmp_path / "wrong-0"
    shutil.copytree(FOLDER, wrong)
    data = bytearray((wrong / LAST).read_bytes())
    data[100] ^= 1
    (wrong / LAST).write_bytes(data)
    with pytest.raises(ChecksumError):
        kformat.follow(wrong, timeout_s=0).read_all()


def test_damage_after_the_last_record_of_a_batch_is_damage(tmp_path: Path) -> None:
    """All its records came; what is wrong lies after them."""
    folder = tmp_path / "a-0"
    folder.mkdir()
    shape = layout("record_batch")
    batch = bytearray(build_batch(Columns([1] * 3, [None] * 3, [b"a", b"b", b"c"]), base_offset=0)) + b"left"
    shape.writer("batch_length")(batch, 0, len(batch) - shape.end("batch_length"))
    shape.mend(batch)
    after = build_batch(Columns([1] * 3, [None] * 3, [b"d", b"e", b"f"]), base_offset=3)
    (folder / f"{0:020d}.log").write_bytes(batch + after)
    found: list[int] = []
    with pytest.raises(InvalidError, match=r"bytes are left over \(expected the end, found 4 bytes\)"):
        for chunk in follow_chunks(folder, Wanted(columns=("offset",)), poll_s=0.01, timeout_s=60):
            found.extend(chunk.numbers["offset"].tolist())
    assert found == [0, 1, 2]


def test_what_was_deleted_unread_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "a-0"
    shutil.copytree(FOLDER, folder)
    chunks = follow_chunks(folder, Wanted(columns=("offset",)), poll_s=0.01, timeout_s=5)
    assert next(chunks).numbers["offset"][0] == 0
    for name in (f"{0:020d}", f"{200:020d}"):
        (folder / f"{name}.log").unlink()
    with pytest.raises(RecordsDeletedError, match=r"a-0: records were deleted before they were read") as caught:
        list(chunks)
    assert (caught.value.offset, caught.value.start_offset, caught.value.source) == (200, 424, str(folder))
    assert not isinstance(caught.value, DataError | UsageError)  # nothing is damaged, and nobody asked for what is not
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_one_record_that_was_deleted_unread_is_said(tmp_path: Path) -> None:
    log = Log.open(tmp_path / "a-0")
    with log:
        log.append([b"read"])
        chunks = follow_chunks(tmp_path / "a-0", Wanted(columns=("offset",)), poll_s=0.01, timeout_s=5)
        assert next(chunks).numbers["offset"].tolist() == [0]
        log.append([b"deleted"])
        log.append([b"left"])
        log.delete_records_before(2)
        text = "records were deleted before they were read: offset 1 was next, the log starts at offset 2"
        with pytest.raises(RecordsDeletedError, match=text):
            list(chunks)


def test_records_that_were_read_and_deleted_are_no_matter(tmp_path: Path) -> None:
    folder = tmp_path / "a-0"
    shutil.copytree(FOLDER, folder)
    found: list[int] = []
    for batch in kformat.follow(folder, ["offset"], poll_s=0.01, timeout_s=0.5):
        found.extend(batch["offset"].to_pylist())
        if len(found) == 560:
            (folder / f"{0:020d}.log").unlink()
    assert found == list(range(560))


def test_compaction_puts_another_file_in_the_place(tmp_path: Path) -> None:
    """Its positions are others; offsets stay."""
    folder = tmp_path / "a-0"
    shutil.copytree(FOLDER, folder)
    data = (folder / LAST).read_bytes()
    batches = list(kformat.iter_batches(data))
    half = batches[len(batches) // 2].position
    (folder / LAST).write_bytes(data[:half])
    found: list[int] = []
    replaced = False
    for batch in kformat.follow(folder, ["offset"], poll_s=0.01, timeout_s=0.5):
        found.extend(batch["offset"].to_pylist())
        if found[-1] == batches[len(batches) // 2].base_offset - 1 and not replaced:
            replaced = True
            (folder / "new").write_bytes(data[batches[3].position :])  # the first ones are gone
            os.replace(folder / "new", folder / LAST)
    assert replaced and found == list(range(560))


def test_what_was_read_and_cut_off_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "a-0"
    shutil.copytree(FOLDER, folder)
    seen = []
    with pytest.raises(InvalidError, match="the log was truncated below records that were read already"):
        for chunk in follow_chunks(folder, Wanted(columns=("offset",)), poll_s=0.01, timeout_s=5):
            seen.append(chunk)
            if len(seen) == 3:
                threading.Timer(0.05, os.truncate, (folder / LAST, 1000)).start()
    assert sum(map(len, seen)) == 560


def followed(folder: Path, change: Callable[[], object], at: int, end: int) -> list[int]:
    """The offsets that come, up to an end, when something happens to a log after so many."""
    found: list[int] = []
    changed = False
    chunks = follow_chunks(
        folder, Wanted(columns=("offset",)), poll_s=0.01, timeout_s=3, stop=lambda: found[-1:] == [end - 1]
    )
    for chunk in chunks:
        found += chunk.numbers["offset"].tolist()
        if len(found) == at and not changed:
            changed = True
            change()
    assert changed
    return found


@pytest.fixture
def rolled(tmp_path: Path) -> Path:
    """A log of 60 records in batches of 5 and segments of 20."""
    values = [b"x" * (number * 7 % 50) for number in range(60)]
    return write_log(tmp_path, values, records_per_segment=20, records_per_batch=5, index_interval_bytes=100)


@pytest.mark.parametrize("keep", [40, 45, 55])
@pytest.mark.parametrize("per_batch", [1, 7, 30])
@pytest.mark.parametrize("filler", [0, 60])
def test_a_log_that_is_cut_and_written_again(rolled: Path, keep: int, per_batch: int, filler: int) -> None:
    """Where it stood there may be the middle of a batch, or another batch: no record comes twice, none is left out."""
    log = rolled / f"{40:020d}.log"

    def cut_and_write() -> None:
        position = next(batch.position for batch in kformat.iter_batches(log) if batch.base_offset >= keep)
        files = segment_files([b"y" * filler] * (75 - keep), base_offset=keep, records_per_batch=per_batch)
        new = next(data for name, data in files.items() if name.endswith(".log"))
        log.write_bytes(log.read_bytes()[:position] + new)

    assert followed(rolled, cut_and_write, 60, 75) == list(range(75))


def test_a_segment_that_is_being_put_in_place_is_waited_for(rolled: Path) -> None:
    """Between the old one's going and the new one's coming there is a hole; what lies behind it does not come first."""
    log, swap = rolled / f"{20:020d}.log", rolled / f"{20:020d}.log.swap"

    def replace_slowly() -> None:
        log.rename(swap)
        threading.Timer(0.1, swap.rename, (log,)).start()

    assert followed(rolled, replace_slowly, 20, 60) == list(range(60))


def test_segments_that_become_one(rolled: Path) -> None:
    """What compaction merged is neither passed over nor read twice."""
    names = [f"{base:020d}.log" for base in (0, 20)]

    def merge() -> None:
        (rolled / "new").write_bytes(b"".join((rolled / name).read_bytes() for name in names))
        (rolled / names[1]).unlink()
        os.replace(rolled / "new", rolled / names[0])

    assert followed(rolled, merge, 20, 60) == list(range(60))


def test_what_lies_behind_a_batch_that_reaches_the_next_segment_is_not_looked_at(rolled: Path) -> None:
    with open(rolled / f"{20:020d}.log", "ab") as file:
        file.write(b"half of a batch that was never finished")
    assert offsets(kformat.follow(rolled, timeout_s=0)) == list(range(60))


def test_a_cut_while_batches_become_columns(rolled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was listed as whole, and is not any more when it is read, is no damage: it was cut, and written again."""
    log = rolled / f"{40:020d}.log"
    data = log.read_bytes()
    half = next(batch.position for batch in kformat.iter_batches(data) if batch.base_offset == 50)
    files = segment_files([b"other"] * 30, base_offset=50, records_per_batch=30)
    new = next(data for name, data in files.items() if name.endswith(".log"))
    calls: list[int] = []

    def cut_and_read(file: Any, *rest: Any, **how: Any) -> Any:
        if file.name == str(log) and not calls:
            calls.append(log.write_bytes(data[:half] + new))
        return read_chunks(file, *rest, **how)

    monkeypatch.setattr(log_reader, "read_chunks", cut_and_read)
    assert offsets(kformat.follow(rolled, timeout_s=0)) == list(range(80))
    assert calls


def test_wrong_calls(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="on this machine"):
        kformat.follow("memory://a-0")
    with pytest.raises(UsageError, match="no column"):
        kformat.follow(FOLDER, ["strange"])
    with pytest.raises(FileNotFoundError):
        kformat.follow(tmp_path / "nothing")
    with pytest.raises(UsageError, match="a folder of partitions"):
        kformat.follow(SAMPLES / "4.3.1")
    with pytest.raises(UsageError, match="follow its partition's folder"):
        kformat.follow(next(FOLDER.glob("*.log")))


def test_declared_values(tmp_path: Path) -> None:
    """As `to_arrow` gives them, of what is there and of what is appended."""
    (tmp_path / "two.ksy").write_text("meta: {id: two, endian: be}\nseq: [{id: a, type: u1}, {id: b, type: u2}]")
    format, folder = str(tmp_path / "two.ksy"), tmp_path / "orders-0"
    with Log.open(folder) as log:
        log.append([(b"1", b"\1\0\2"), (b"{", b"short")])
        found: list[Any] = []
        done = lambda: len(found) > 2  # noqa: E731
        for batch in kformat.follow(folder, value_as=format, key_as="json", poll_s=0.005, stop=done):
            found += batch.to_pylist()
            if log.end_offset == 2:
                log.append([{"value": {"a": 3, "b": 4}}], value_as=format)
    wanted = kformat.open(folder).to_arrow(value_as=format, key_as="json")
    assert found == wanted.to_pylist()
    assert [row["value"] for row in found] == [{"a": 1, "b": 2}, None, {"a": 3, "b": 4}]
    assert (found[1]["value_raw"], found[1]["key_raw"]) == (b"short", b"{")
    parts = kformat.follow(folder, ["offset", "value.b"], value_as=format, timeout_s=0)
    assert parts.read_all().to_pylist() == [{"offset": n, "value.b": b} for n, b in ((0, 2), (1, None), (2, 4))]
    with pytest.raises(UsageError, match="no format 'nothing'"):
        kformat.follow(folder, value_as="nothing")
