"""Frames of a log beside what they stand for: kformat's walks over the batches, one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kformat.errors import ChecksumError, InvalidError, TruncatedError
from kformat.kafka.batch.batches import iter_batches, read_batch_headers
from kformat.kafka.index.indexing import DEFAULT_INDEX_INTERVAL_BYTES, IndexedBatches, recovered_entries
from kformat.kafka.log.partition import iter_partitions
from kformat.testing.files import segment_files
from kformat_engine.recovery.verification import MAX_RELATIVE_OFFSET, EndReason, Verified, read_frames, rises
from tests.damages import data_batch, patched
from tests.samples import ROOT

VERSIONS = sorted(path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0].isdigit())
READ_BYTES = 1 << 20


def log_of(folder: Path, *batches: bytes) -> Path:
    path = folder / "00000000000000000000.log"
    path.write_bytes(b"".join(batches))
    return path


def batch(base_offset: int, size_bytes: int = 0, **fields: int) -> bytes:
    """A batch of three records, made longer by garbage behind them; its checksum is right."""
    found = data_batch(base_offset, 1000 + base_offset)
    missing = max(0, size_bytes - len(found))
    fields.setdefault("batch_length", next(iter_batches(found)).batch_length + missing)
    return patched(found + b"x" * missing, mend=True, **fields)


def verify_log(
    path: Path,
    base_offset: int,
    index_interval_bytes: int = DEFAULT_INDEX_INTERVAL_BYTES,
    *,
    start: int = 0,
    size_bytes: int | None = None,
    **how: Any,
) -> Verified:
    """A log as one segment."""
    return read_frames(path, start, size_bytes).verified(0, base_offset, index_interval_bytes, **how)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_brokers_wrote_is_seen_as_the_walks_see_it(version: str) -> None:
    for partition in iter_partitions(ROOT / version):
        for segment in partition.segments:
            found, wanted = verify_log(segment.log, segment.base_offset), read_batch_headers(segment.log)
            assert (found.end, found.problem, found.valid_bytes) == (EndReason.SOUND, None, wanted.valid_bytes)
            assert np.array_equal(found.headers.columns, wanted.columns)
            assert np.array_equal(found.headers.position, wanted.position)
            assert np.array_equal(found.headers.size, wanted.size)
            for ours, theirs in zip(
                found.entries,
                recovered_entries(IndexedBatches.from_headers(wanted), base_offset=segment.base_offset),
                strict=True,
            ):
                assert ours.tobytes() == theirs.tobytes()
            largest = max((one.max_timestamp for one in segment.scan()), default=-1)
            assert found.max_timestamp == largest
            if largest >= 0:
                first = next(one for one in segment.scan() if one.max_timestamp == largest)
                assert found.max_timestamp_offset == first.last_offset


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param([READ_BYTES], id="one-read"),
        pytest.param([READ_BYTES - 1, READ_BYTES, READ_BYTES + 1], id="around-a-read"),
        pytest.param([3 * READ_BYTES, 100, 5 * READ_BYTES], id="larger-than-reads"),
        pytest.param([READ_BYTES - 30, 200, 200], id="a-header-across-reads"),
        pytest.param([20_000] * 300, id="many"),
    ],
)
def test_reads_and_batches_may_end_anywhere(sizes: list[int], tmp_path: Path) -> None:
    path = log_of(tmp_path, *(batch(3 * number, size) for number, size in enumerate(sizes)))
    found = verify_log(path, 0)
    assert (found.end, found.valid_bytes, found.next_offset) == (EndReason.SOUND, path.stat().st_size, 3 * len(sizes))
    assert found.headers.size.tolist() == [max(size, len(batch(0))) for size in sizes]


SOUND = batch(0) + batch(3)


@pytest.mark.parametrize(
    ("behind", "end", "error"),
    [
        pytest.param(b"", EndReason.SOUND, None, id="nothing"),
        pytest.param(b"\0" * 5, EndReason.ZEROS, TruncatedError, id="few-zeros"),
        pytest.param(b"\0" * 5000, EndReason.ZEROS, InvalidError, id="zeros"),
        pytest.param(b"\0" * (2 * READ_BYTES), EndReason.ZEROS, InvalidError, id="many-zeros"),
        pytest.param(b"\0" * 5000 + b"x", EndReason.FRAME, InvalidError, id="zeros-and-something"),
        pytest.param(batch(6)[:10], EndReason.TORN, TruncatedError, id="ten-bytes"),
        pytest.param(batch(6)[:-1], EndReason.TORN, TruncatedError, id="all-but-one"),
        pytest.param(patched(batch(6), batch_length=2**31 - 1), EndReason.TORN, TruncatedError, id="far-too-long"),
        pytest.param(patched(batch(6), batch_length=13), EndReason.FRAME, InvalidError, id="far-too-short"),
        pytest.param(patched(batch(6), batch_length=48), EndReason.FRAME, InvalidError, id="too-short-for-a-header"),
        pytest.param(patched(batch(6), magic=-1), EndReason.FRAME, InvalidError, id="negative-magic"),
        pytest.param(patched(batch(6), mend=False, crc=1), EndReason.CHECKSUM, ChecksumError, id="checksum"),
        pytest.param(patched(batch(6), magic=1), EndReason.CHECKSUM, ChecksumError, id="looks-like-a-message"),
        pytest.param(patched(batch(6), magic=3), EndReason.SOUND, None, id="newer-magic"),
        pytest.param(batch(3), EndReason.ORDER, InvalidError, id="the-same-again"),
        pytest.param(
            patched(batch(6), last_offset_delta=-1), EndReason.ORDER, InvalidError, id="ends-before-it-begins"
        ),
        pytest.param(batch(MAX_RELATIVE_OFFSET - 2), EndReason.SOUND, None, id="largest-offset"),
        pytest.param(batch(MAX_RELATIVE_OFFSET - 1), EndReason.OVERFLOW, InvalidError, id="offset-too-large"),
        pytest.param(batch(-9), EndReason.BEFORE, InvalidError, id="offset-below-the-segment"),
    ],
)
def test_why_sound_batches_end(behind: bytes, end: EndReason, error: type | None, tmp_path: Path) -> None:
    path = log_of(tmp_path, SOUND, behind)
    found = verify_log(path, 0)
    is_sound = end is EndReason.SOUND
    assert found.end is end
    assert found.valid_bytes == (path.stat().st_size if is_sound else len(SOUND))
    assert (found.problem is None) == (found.headers.problem is None) == is_sound
    if error is not None and found.problem is not None:
        assert type(found.problem) is error
        assert found.problem.source == str(path)
        assert len(SOUND) <= (found.problem.position or 0) < path.stat().st_size
    if not is_sound:
        assert found.next_offset == 6
        behind_it = verify_log(log_of(tmp_path, SOUND, behind, batch(100)), 0)
        assert behind_it.valid_bytes == len(SOUND), "what lies behind damage is not taken"


def test_the_first_damage_counts(tmp_path: Path) -> None:
    path = log_of(tmp_path, SOUND, batch(0), patched(batch(9), mend=False, crc=1))
    assert verify_log(path, 0).end is EndReason.ORDER
    assert verify_log(path, 0, order="index").end is EndReason.CHECKSUM


def test_kafka_finds_out_that_offsets_go_back_only_where_an_index_entry_is_due(tmp_path: Path) -> None:
    path = log_of(tmp_path, batch(0), batch(3), batch(6), batch(1))
    far = verify_log(path, 0, 4096, order="index")
    assert (far.end, far.next_offset, len(far.entries.offset_index)) == (EndReason.SOUND, 4, 0)
    near = verify_log(path, 0, 0, order="index")
    with pytest.raises(InvalidError):
        _ = near.entries


def test_a_segment_goes_on_behind_the_one_before(tmp_path: Path) -> None:
    path = log_of(tmp_path, batch(5), batch(8))
    assert verify_log(path, 5, after_offset=4).end is EndReason.SOUND
    found = verify_log(path, 5, after_offset=5)
    assert (found.end, found.valid_bytes, found.next_offset) == (EndReason.ORDER, 0, 5)


def test_a_segment_ends_before_the_next_one(tmp_path: Path) -> None:
    path = log_of(tmp_path, batch(5), batch(8))
    assert verify_log(path, 5, end_offset=11).end is EndReason.SOUND
    found = verify_log(path, 5, end_offset=10)
    assert (found.end, found.next_offset) == (EndReason.ORDER, 8)
    far = log_of(tmp_path, batch(5), batch(2**40))
    assert verify_log(far, 5).end is EndReason.OVERFLOW
    assert verify_log(far, 5, end_offset=10).end is EndReason.ORDER, "and not what splitting would help"


def test_a_part_may_be_verified(tmp_path: Path) -> None:
    path = log_of(tmp_path, SOUND, b"garbage")
    assert verify_log(path, 0, size_bytes=len(SOUND)).end is EndReason.SOUND
    assert verify_log(path, 0, start=len(batch(0))).headers.base_offset.tolist() == [3]
    assert verify_log(path, 0, start=len(batch(0)) + 1).valid_bytes == len(batch(0)) + 1


def test_leader_epochs_are_where_they_rise(tmp_path: Path) -> None:
    epochs = [-1, 2, 2, 1, 5]
    path = log_of(tmp_path, *(batch(3 * number, partition_leader_epoch=epoch) for number, epoch in enumerate(epochs)))
    runs = verify_log(path, 0).leader_epochs
    assert runs.tolist() == [[2, 3, 6], [1, 9, 9], [5, 12, 12]]
    assert rises(runs) == [(2, 3), (5, 12)]


def test_messages_of_older_magics_lie_among_batches(tmp_path: Path) -> None:
    old = segment_files([(b"k", b"value")] * 4, magic=1, records_per_batch=1)["00000000000000000000.log"]
    path = log_of(tmp_path, old, batch(50), old[:30])
    found = verify_log(path, 0)
    assert (found.end, found.valid_bytes, found.next_offset) == (EndReason.TORN, len(old + batch(50)), 53)
    assert rises(found.leader_epochs) == [(0, 50)], "messages know no epoch"
    damaged = log_of(tmp_path, old[:-1] + b"?", batch(50))
    problem = verify_log(damaged, 0).problem
    assert isinstance(problem, ChecksumError) and problem.path == "legacy_message.message.crc"
