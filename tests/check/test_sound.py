"""What check says does not depend on how it looks: by columns, where nothing is to be said, or by the rules alone.

`by_rules_alone` is the reference: no columns, and every frame from a `Walk`.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from kformat.check import checker, sound
from kformat.check.checker import check
from kformat.check.records import record_findings
from kformat.check.sound import SoundRecords
from kformat.cli import reading as reading_module
from kformat.cli.check import check_command
from kformat.codec.reader import BYTES_PER_ELEMENT
from kformat.corpus.edits import frames, with_length
from kformat.corpus.edits import mended as mended_batch
from kformat.errors import MissingDependencyError
from kformat.kafka.batch import compression
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.batch.ready_kernels import RECORD_KERNELS
from kformat.kafka.batch.records import Batch
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kafka.findings import log_blocks, record_columns, segment_indexes
from kformat.kafka.findings.log_blocks import BatchBlock, LogBlocks
from kformat.kafka.findings.rules import Finding
from kformat.kernels import Kernel
from kformat.language.layout import layout
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from tests import damages, damages_beside, damages_legacy
from tests.damages import BASE_TIMESTAMP_MS, Damage, Folder, bit, patched, stem, write
from tests.draws import every
from tests.kafka.test_columns import a_log
from tests.kernel_cases import EDGES, mutated
from tests.samples import Sample, all_samples

pytest.importorskip("numba")

DAMAGES = (*damages.DAMAGES, *damages_legacy.DAMAGES, *damages_beside.DAMAGES)


def no_rows(_: SoundRecords, block: BatchBlock) -> Any:
    return np.zeros(len(block.headers), np.bool_)


def by_rules_alone(path: Path, **options: Any) -> list[Finding]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SoundRecords, "rows", no_rows)
        patch.setattr(LogBlocks, "_plain_batches", lambda self, position: [position])
        return list(check(path, **options))


def block_of(*batches: bytes, limit: int = DEFAULT_INFLATE_LIMIT) -> BatchBlock:
    """Batches of magic 2, whose framing and checksums are right, as a block."""
    (block,) = LogBlocks(ByteSource(b"".join(batches)), "log", limit=limit).blocks()
    assert isinstance(block, BatchBlock) and len(block.headers) == len(batches)
    return block


# Folders


@pytest.mark.parametrize("sample", every(5, all_samples(), 1), ids=str)
def test_samples_get_the_same_findings(sample: Sample) -> None:
    for options in ({}, {"profile": sample.profile, "index_interval_bytes": sample.index_interval_bytes}):
        assert list(check(sample.path, **options)) == by_rules_alone(sample.path, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("damage", every(4, DAMAGES), ids=str)
def test_damages_get_the_same_findings(damage: Damage, tmp_path: Path) -> None:
    path = write(damage.change(damages.sound_folder()), tmp_path / "folder")
    if damage.on_disk is not None:
        damage.on_disk(path)
    assert list(check(path, **damage.options)) == by_rules_alone(path, **damage.options)


FOLDERS = (
    damages.sound_folder(),
    damages.compacted_folder(),
    damages_legacy.sample_folder("0.10.2.2", "producer-gzip-0"),
    damages_legacy.sample_folder("4.3.1", "transactions-0"),
    damages_legacy.sample_folder("4.3.1", "__cluster_metadata-0"),
    damages.segment(100, [a_log()]),
    damages.segment(100, [a_log()], profile="last-offset"),
    damages.sound_folder(profile="first-offset"),
)


def hurt(folder: Folder, chance: random.Random) -> Folder:
    """A folder with one file a little wrong; of logs the checksums are mostly right all the same."""
    name = chance.choice(sorted(folder))
    broken = mutated(folder[name], chance)
    if name.endswith(".log") and chance.random() < 0.7:
        broken = mended(broken)
    return folder | {name: broken}


def mended(log: bytes) -> bytes:
    """The log with right checksums, as far as its framing goes."""
    found = frames(log)
    behind = found[-1].position + found[-1].size if found else 0
    parts = [
        mended_batch(with_length(log[frame.position : frame.position + frame.size]), frame.magic) for frame in found
    ]
    return b"".join(parts) + log[behind:]


def assert_the_same_findings(seed: int, count: int, path: Path) -> None:
    chance, seen = random.Random(seed), Counter[str]()
    for _ in range(count):
        folder = hurt(chance.choice(FOLDERS), chance)
        write(folder, path)
        found = list(check(path))
        assert found == by_rules_alone(path), {name: data.hex() for name, data in folder.items()}
        seen.update(item.rule for item in found)
        for name in folder:
            (path / name).unlink()
    assert len(seen) > 8, seen


def test_drawn_damages_get_the_same_findings(tmp_path: Path) -> None:
    assert_the_same_findings(1, 150, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_drawn_damages_get_the_same_findings(seed: int, tmp_path: Path) -> None:
    assert_the_same_findings(seed, 2_500, tmp_path)


# What is skipped


def ordinary(path: Path, **how: Any) -> Path:
    """A segment as producers fill it, with its indexes; records of a batch come in the same millisecond, mostly."""
    made, offset = [], 0
    for number in range(600):
        count = 1 + number % 7
        times = [BASE_TIMESTAMP_MS + number + (at == count // 2) for at in range(count)]
        fields = BatchFields(
            compression=("none", "lz4")[number % 2],
            append_time=BASE_TIMESTAMP_MS + number + 1 if number % 5 == 0 else None,
        )
        columns = Columns(times, [b"key"] * count, [b"value"] * count, [[("h", b"x")]] * count)
        made.append(build_batch(columns, base_offset=offset, fields=fields))
        offset += count
        if number % 50 == 7:
            made.append(damages.marker_batch(offset, BASE_TIMESTAMP_MS + number))
            offset += 1
    return write(damages.segment(0, made, **how), path)


@pytest.mark.parametrize("profile", ["per-batch", "last-offset"])
def test_the_rules_see_nothing_of_ordinary_files(profile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But one marker, like which all others are; and the time index asks for no record."""
    path, seen = ordinary(tmp_path, profile=profile), []

    def watched(batch: Batch, file: str) -> Iterator[Finding]:
        seen.append(batch.is_control)
        return record_findings(batch, file)

    monkeypatch.setattr(sound, "record_findings", watched)
    monkeypatch.setattr(checker, "record_findings", watched)
    for module in (checker, segment_indexes):
        monkeypatch.setattr(module, "read_batch_at", lambda *_: pytest.fail("a batch is read once more"))
    monkeypatch.setattr(log_blocks, "legacy_header", lambda _: pytest.fail("no such batches are here"))
    assert list(check(path)) == [] and seen == [True]
    if profile == "last-offset":
        (log,) = path.glob("*.log")
        entries = np.frombuffer(log.with_suffix(".timeindex").read_bytes(), layout("time_index::entry").dtype)
        lasts = [batch.last_offset for batch in iter_batches(log)]
        assert np.isin(entries["relative_offset"], lasts, invert=True).sum() > 20, "records are asked for"


def test_groups_of_any_size_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = ordinary(tmp_path)
    (log,) = path.glob("*.log")
    batches = [batch.raw for batch in iter_batches(log)]
    for number in (0, 1, 2, 300, 301, 302, len(batches) - 1):
        batches[number] = patched(batches[number], records_count=99, last_offset_delta=98)
    block = block_of(*batches)
    expected = SoundRecords().rows(block)
    assert np.flatnonzero(~expected).tolist() == [0, 1, 2, 300, 301, 302, len(batches) - 1]
    for count, size in ((1, 1 << 20), (3, 1 << 20), (512, 1), (512, 1000)):
        monkeypatch.setattr(record_columns, "_GROUP_BATCHES", count)
        monkeypatch.setattr(record_columns, "_GROUP_BYTES", size)
        assert (SoundRecords().rows(block) == expected).all()


def test_the_codecs_limit_on_elements_holds_for_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what was inflated; and batches of very many records are left to the rules."""
    limit = 100 * BYTES_PER_ELEMENT
    for codec in (0, 3):
        for count, is_sound in ((100, True), (101, codec == 0)):
            payload = damages.record_bytes(offset_delta=0, headers=[{"key": "", "value": None}] * count)
            batch = damages.batch_of(
                0, compression.compress(codec, payload) if codec else payload, 1, 0, attributes=codec
            )
            block = block_of(batch, limit=limit)
            assert SoundRecords().rows(block).tolist() == [is_sound]
            assert [item.rule for item in record_findings(block.batch(0, "log"), "log")] == ["KF0302"] * (not is_sound)
    monkeypatch.setattr(record_columns, "_MOST_RECORDS", 2)
    block = block_of(*(damages.data_batch(0, 0, count) for count in (2, 3)))
    assert SoundRecords().rows(block).tolist() == [True, False]


def test_without_numba_the_findings_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any, **__: Any) -> None:
        raise MissingDependencyError("numba", "fast")

    write(damages.log_changed(damages.sound_folder(), 2, lambda batch: patched(batch, records_count=9)), tmp_path)
    expected = list(check(tmp_path))
    monkeypatch.setattr(Kernel, "decode", missing)
    assert list(check(tmp_path)) == expected != []


def test_a_slow_check_says_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(ordinary(tmp_path))
    said = CliRunner().invoke(check_command, [path])
    assert (said.exit_code, said.output) == (0, "")
    monkeypatch.setattr(reading_module, "find_spec", lambda name: None)
    assert CliRunner().invoke(check_command, [path]).output == ""
    monkeypatch.setattr(reading_module, "_SLOW_SECONDS", 0)
    assert "numba (extra fast)" in CliRunner().invoke(check_command, [path]).stderr
    assert CliRunner().invoke(check_command, [path, "--no-records"]).output == ""


def test_numba_is_not_loaded_for_little(tmp_path: Path) -> None:
    """Nor for much, where records are left alone."""
    ordinary(tmp_path / "a-0")
    program = (
        "import sys, kformat\nfrom kformat.kafka.batch.ready_kernels import RECORD_KERNELS as kernels\n"
        "records, kernels.load_bytes = len(sys.argv) < 4, int(sys.argv[2])\n"
        "kernels.compile_bytes = kernels.load_bytes\n"
        "assert list(kformat.check(sys.argv[1], records=records)) == []\n"
        "print('numba' in sys.modules)\n"
    )
    size = str(sum(path.stat().st_size for path in tmp_path.rglob("*.log")))
    for rest, is_loaded in (
        ([f"{RECORD_KERNELS.load_bytes}"], "False"),
        ([size], "True"),
        ([size, "headers"], "False"),
    ):
        told = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path), *rest], capture_output=True, text=True, timeout=120
        )
        assert (told.stdout.strip(), told.stderr) == (is_loaded, ""), rest


def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    batch = damages.data_batch(0, BASE_TIMESTAMP_MS, count=400)
    header = np.repeat(np.frombuffer(batch[:HEADER_BYTES], damages.HEADER), 1200)
    header["base_offset"] = np.arange(len(header)) * 400  # which no checksum covers
    batches = [one.tobytes() + batch[HEADER_BYTES:] for one in header]
    peaks = []
    for count in (400, 1200):
        path = write({f"{stem(0)}.log": b"".join(batches[:count])}, tmp_path / f"{count}-0")
        check_alone = [item.rule for item in check(path)]  # what is loaded once is loaded now
        tracemalloc.start()
        assert [item.rule for item in check(path)] == check_alone == ["KF0005", "KF0006"]
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert len(batch) * 400 > 2 * log_blocks._BLOCK_BYTES
    assert peaks[1] < 1.1 * peaks[0] < 10 * log_blocks._BLOCK_BYTES, peaks


# Framing


def told(data: bytes, resume_at: list[int], limit: int) -> tuple[list[Any], tuple[Any, ...]]:
    """What a log's reader hands out, block borders left out, and what it says in the end."""
    reader = LogBlocks(ByteSource(data), "log", resume_at, limit)
    rows: list[Any] = []
    for item in reader.blocks():
        if isinstance(item, Finding):
            rows.append(item)
            continue
        headers = item.headers
        columns = (headers.position, headers.size, item.computed_crc, item.is_sound, item.after_hole)
        for row, values in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
            rows.append((item.is_legacy, *values, headers.columns[row].tolist(), item.raw(row)))
    return rows, (reader.batches_count, reader.current_count, reader.is_whole, reader.ends_well)


def swallowing(batch: bytes, more: int) -> bytes:
    """A batch of any magic that says it is longer than it is."""
    at, behind = (getattr(layout("record_batch"), name)("batch_length") for name in ("position", "end"))
    length = int.from_bytes(batch[at:behind], "big") + more
    return batch[:at] + length.to_bytes(behind - at, "big") + batch[behind:]


def assert_the_same_blocks(seed: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs of both kinds of batches, mutated, read in pieces of any size."""
    chance = random.Random(seed)
    current = [*(batch.raw for batch in iter_batches(a_log()))][:12]
    older = [*(batch.raw for batch in iter_batches(FOLDERS[2][f"{stem(0)}.log"]))][:4]
    seen = Counter[str]()
    for _ in range(count):
        batches = chance.choices(current, k=chance.randint(1, 6)) + chance.choices(older, k=chance.choice((0, 0, 1, 2)))
        chance.shuffle(batches)
        ends = np.cumsum([0, *map(len, batches)]).tolist()
        if chance.random() < 0.1:  # one that reaches into the next, or behind it
            number = chance.randrange(len(batches))
            batches[number] = swallowing(batches[number], len(batches[-1]) + chance.choice((-1, 0, 1)))
        data = b"".join(batches)
        if chance.random() < 0.9:
            data = mutated(data, chance)
        asked = data, sorted(chance.sample(ends, chance.randint(0, len(ends)))), chance.choice((300, 1 << 20))
        monkeypatch.setattr(log_blocks, "_BLOCK_BYTES", chance.choice((1, 100, 400, 1000, 1 << 22)))
        monkeypatch.setattr(log_blocks, "_BLOCK_BATCHES", chance.choice((1, 2, 100)))
        found = told(*asked)
        with monkeypatch.context() as patch:
            patch.setattr(LogBlocks, "_plain_batches", lambda self, position: [position])
            assert found == told(*asked), asked
        seen.update(item.rule if isinstance(item, Finding) else f"legacy {item[0]}" for item in found[0])
    assert set(seen) >= {"KF0101", "KF0102", "KF0105", "KF0106", "KF0107", "legacy True", "legacy False"}, seen


def test_batches_are_found_as_a_walk_finds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_the_same_blocks(1, 1500, monkeypatch)


@pytest.mark.slow
def test_batches_of_many_logs_are_found_as_a_walk_finds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_the_same_blocks(2, 100_000, monkeypatch)


# Records


def sound_batches(chance: random.Random) -> list[bytes]:
    """Of every kind that there is: codecs, who set the time, gaps, markers, empty ones, times at the ends."""
    made = [batch.raw for batch in iter_batches(a_log())]
    made += [damages.marker_batch(0, BASE_TIMESTAMP_MS), damages.data_batch(0, -1), damages.data_batch(0, 5, codec=4)]
    made += [damages.batch_of(0, b"", 0, 0), damages.data_batch(0, 9, attributes=bit("timestamp_type"))]
    columns = Columns([2**62, 2**62 - 1], [None] * 2, [b"x"] * 2)
    made.append(build_batch(columns, base_offset=0, fields=BatchFields()))
    chance.shuffle(made)
    return made


def hurt_batch(batch: bytes, chance: random.Random) -> bytes:
    """A batch with other records, or another header, that frames and checks all the same."""
    header, payload = batch[:HEADER_BYTES], batch[HEADER_BYTES:]
    codec = Batch(batch).compression
    if codec and chance.random() < 0.8:
        payload = compression.compress(codec, mutated(compression.decompress(codec, payload), chance))
    elif chance.random() < 0.8:
        payload = mutated(payload, chance)
    fields: dict[str, int] = {}
    for name in chance.sample(_FIELDS, chance.choice((0, 0, 1, 2))):
        size = layout("record_batch").end(name) - layout("record_batch").position(name)
        value = chance.choice(EDGES) if chance.random() < 0.5 else getattr(Batch(batch), name) + chance.choice((-1, 1))
        kind = f"i{size}" if name != "attributes" else "u2"
        fields[name] = int(np.array(value % (1 << 8 * size), f"u{size}").view(kind))
    frame = layout("record_batch").end("batch_length")
    fields["batch_length"] = HEADER_BYTES + len(payload) - frame
    return patched(header + payload, mend=True, **fields)


_FIELDS = ("attributes", "last_offset_delta", "base_timestamp", "max_timestamp", "records_count")


def assert_columns_say_what_the_rules_say(seed: int, count: int) -> None:
    chance = random.Random(seed)
    left, sound_ones, seen = count, 0, Counter[bool]()
    while left > 0:
        batches = [hurt_batch(batch, chance) for batch in sound_batches(chance)]
        block = block_of(*batches)
        known = block.is_sound & (block.headers.compression < len(compression.CODEC_NAMES))
        said = SoundRecords().rows(block)
        for row in np.flatnonzero(known).tolist():
            found = [str(item) for item in record_findings(block.batch(row, "log"), "log")]
            if bool(said[row]) != (not found):
                headers = block.headers
                times = int(headers.base_timestamp[row]), int(headers.max_timestamp[row])
                # Columns do not say anything of what may leave 64 bits, and of control records that are not markers.
                assert not said[row], (block.raw(row).hex(), found)
                assert headers.is_control[row] or max(map(abs, times)) >= 2**61, block.raw(row).hex()
            seen[not found] += 1
            sound_ones += bool(said[row])
        left -= len(batches)
    assert min(seen.values()) > count // 10 and sound_ones > count // 20, (seen, sound_ones)


def test_columns_say_what_the_rules_say_of_drawn_batches() -> None:
    assert_columns_say_what_the_rules_say(1, 4000)


@pytest.mark.slow
def test_columns_say_what_the_rules_say_of_many_drawn_batches() -> None:
    assert_columns_say_what_the_rules_say(2, 100_000)
