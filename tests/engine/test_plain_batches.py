"""A leader's kernel says of batches what the walk over their records says, or leaves them to it."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numba")

import kformat
from kformat.kafka.batch.records import Batch
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kafka.files.file_kinds import LOG_ID_FILE
from kformat.language.layout import layout
from kformat_engine import Log, batching
from kformat_engine.batching import Plain, Prepared, described, give_back, prepare_batches, together
from kformat_engine.config import LogConfig
from kformat_engine.errors import CorruptBatchError
from tests.kernel_cases import EDGES, mutated
from tests.samples import current_samples

NOW = 1_700_000_000_000
LAYOUT = layout("record_batch")
CONFIGS = [
    LogConfig(),
    LogConfig(cleanup_policy=("compact",)),
    LogConfig(writer_profile="last-offset"),
    LogConfig(message_timestamp_before_max_ms=1000, message_timestamp_after_max_ms=1000),
    LogConfig(max_message_bytes=200),
    LogConfig(compression_type="zstd"),
    LogConfig(message_timestamp_type="LogAppendTime"),
]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first batch on, however few there are."""
    monkeypatch.setattr(batching._pays, "left", 0)


def outcome(data: bytes, config: LogConfig, quickly: bool, next_offset: int = 7) -> list[Prepared] | str:
    try:
        if quickly:
            return list(prepare_batches(data, next_offset, 3, config, NOW))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(batching, "_prepared_plain", lambda *_: None)
            return list(prepare_batches(data, next_offset, 3, config, NOW))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def is_plain(data: bytes, config: LogConfig) -> bool:
    return batching._prepared_plain(memoryview(data), 7, 3, config, NOW) is not None


def sound() -> list[bytes]:
    """Batches as producers send them."""
    times = ([NOW], [NOW - 5, NOW, NOW - 9, NOW], [-1, NOW], [NOW - 2000], [NOW + 2000], [0], [-5], [2**63 - 1, 0])
    keys: tuple[list[bytes | None], ...] = ([b"k"] * 4, [b"k", None, b"", b"z"])
    made = []
    pairs: list[Any] = [None, [[("h", None), ("h", b"v")]] * 4]
    for timestamps, names, headers in itertools.product(times, keys, pairs):
        count = len(timestamps)
        values: list[bytes | None] = [b"value", None, b"", b"v" * 70][:count]
        columns = Columns(timestamps, names[:count], values, headers[:count] if headers else None)
        for fields in (
            BatchFields(),
            BatchFields(producer_id=4, producer_epoch=0, base_sequence=9),
            BatchFields(producer_id=4),
            BatchFields(compression="lz4"),
            BatchFields(append_time=NOW),
        ):
            made.append(build_batch(columns, fields=fields))
    return made


def mended(data: bytes) -> bytes:
    """With the right length and checksum, so that what is wrong lies deeper."""
    changed = bytearray(data)
    if len(changed) >= LAYOUT.end("crc"):
        LAYOUT.writer("batch_length")(changed, 0, len(changed) - LAYOUT.end("batch_length"))
        LAYOUT.mend(changed)
    return bytes(changed)


def with_other_numbers(data: bytes, source: random.Random) -> bytes:
    """With one field of the header at the edge of some type."""
    changed = bytearray(data)
    name = source.choice(
        ["base_offset", "last_offset_delta", "base_timestamp", "max_timestamp", "producer_id", "records_count"]
    )
    size = LAYOUT.end(name) - LAYOUT.position(name)
    value = source.choice(EDGES) % (1 << 8 * size)
    LAYOUT.writer(name)(changed, 0, value - (value >> 8 * size - 1 << 8 * size))
    return mended(bytes(changed))


def compare(cases: int, seed: int) -> tuple[int, int]:
    source, seeds, plain = random.Random(seed), sound(), 0
    seeds += [data for data in seeds if is_plain(data, LogConfig())] * 8
    for number in range(cases):
        data = b"".join(source.choice(seeds) for _ in range(source.choice((1, 1, 2, 3))))
        match number % 4:
            case 0:
                data = mutated(data, source)
            case 1:
                data = mended(mutated(source.choice(seeds), source))
            case 2:
                data = with_other_numbers(source.choice(seeds), source) + source.choice(seeds)
        config = source.choice(CONFIGS)
        assert outcome(data, config, True) == outcome(data, config, False), (data.hex(), config)
        plain += is_plain(data, config)
    return cases, plain


def test_a_kernel_and_the_walk_agree() -> None:
    cases, plain = compare(3000, 1)
    assert 0.05 * cases < plain < 0.9 * cases


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_a_kernel_and_the_walk_agree_many_times(seed: int) -> None:
    cases, plain = compare(20_000, seed)
    assert 0.05 * cases < plain < 0.9 * cases


def test_batches_of_brokers() -> None:
    plain = 0
    for sample in current_samples():
        for segment in sample.open().segments:
            for batch in kformat.iter_batches(segment.log):
                if isinstance(batch, Batch):
                    data = bytearray(batch.raw)
                    LAYOUT.writer("base_offset")(data, 0, 0)
                    for config in CONFIGS[:3]:
                        assert outcome(bytes(data), config, True) == outcome(bytes(data), config, False)
                        plain += is_plain(bytes(data), config)
    assert plain > 1000


def test_what_is_plain() -> None:
    one, other = (build_batch(Columns([NOW + more], [b"k"], [b"v"])) for more in (0, 1))
    (left, right) = prepare_batches(one + other, 7, 3, LogConfig(), NOW)
    assert [(item.batches[0].base_offset, item.batches[0].max_timestamp) for item in (left, right)] == [
        (7, NOW),
        (8, NOW + 1),
    ]
    assert is_plain(one + other, LogConfig()) and not is_plain(one + other[:-1], LogConfig())
    assert not is_plain(build_batch(Columns([-1], [b"k"], [b"v"])), LogConfig())
    wrong = bytearray(one)
    wrong[-1] ^= 1
    with pytest.raises(CorruptBatchError, match=r"batch 1 at position .* has a wrong checksum"):
        prepare_batches(other + bytes(wrong), 7, 3, LogConfig(), NOW)


def test_appends_in_one_piece_are_a_sequence_of_appends() -> None:
    data = b"".join(build_batch(Columns([NOW] * 2, [b"k"] * 2, [b"v" * size] * 2)) for size in (1, 20, 300))
    plain = prepare_batches(data, 7, 3, LogConfig(), NOW)
    assert isinstance(plain, Plain)
    expected = outcome(data, LogConfig(), False)
    assert isinstance(expected, list)
    assert list(plain) == expected and [plain[number] for number in (0, -1, -3)] == [
        expected[0],
        expected[2],
        expected[0],
    ]
    for start, stop in itertools.combinations(range(4), 2):
        assert list(plain[start:stop]) == expected[start:stop]
        assert together(plain[start:stop]) == together(expected[start:stop])
        assert list(described(plain[start:stop])) == list(described(expected[start:stop]))
    with pytest.raises(IndexError):
        plain[3]
    give_back(plain)
    other = prepare_batches(data[: len(data) // 2], 7, 3, LogConfig(), NOW)
    assert list(other) == outcome(data[: len(data) // 2], LogConfig(), False)


def test_offsets_that_do_not_fit() -> None:
    data = b"".join(build_batch(Columns([NOW] * 2, [b"k"] * 2, [b"v"] * 2)) for _ in range(2))
    for next_offset in (-1, 2**63 - 5, 2**63 - 4, 2**63 - 2, 2**63):
        assert outcome(data, LogConfig(), True, next_offset) == outcome(data, LogConfig(), False, next_offset)


def test_numba_is_not_loaded_for_a_few_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching._pays, "left", 1000)
    monkeypatch.setattr("kformat.kernels.compiled.sys", type("Sys", (), {"modules": {}}))
    asked: list[Any] = []
    monkeypatch.setattr(batching, "placed_batches", lambda *_, **__: asked.append(1))
    data = build_batch(Columns([NOW], [b"k"], [b"v" * 400]))
    for _ in range(4):
        prepare_batches(data, 0, 0, LogConfig(), NOW)
    assert len(asked) == 2


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({}, id="plain"),
        pytest.param({"segment_bytes": 3_000, "index_interval_bytes": 100}, id="rolled by size"),
        pytest.param({"segment_ms": 40, "index_interval_bytes": 100}, id="rolled by time"),
        pytest.param({"segment_index_bytes": 64, "index_interval_bytes": 100}, id="rolled by full indexes"),
        pytest.param({"writer_profile": "last-offset", "index_interval_bytes": 300}, id="older indexes"),
    ],
)
def test_many_at_once_leave_the_files_of_one_after_the_other(settings: dict[str, Any], tmp_path: Path) -> None:
    config = LogConfig(**settings)
    source = random.Random(3)
    data = [
        build_batch(Columns([NOW + number - source.choice((0, 0, 30))], [b"k"], [b"v" * source.randrange(300)]))
        for number in range(300)
    ]
    made = []
    for name, at_once in (("one", 1), ("many", 300), ("some", 7)):
        with Log.open(tmp_path / name / "topic-0", config, clock=lambda: NOW, chance=random.Random(1)) as log:
            for start in range(0, len(data), at_once):
                assert log.append_batches(b"".join(data[start : start + at_once])) == start
        files = (tmp_path / name / "topic-0").iterdir()
        made.append({path.name: path.read_bytes() for path in files if path.name != LOG_ID_FILE})
    assert made[0] == made[1] == made[2]
    assert (len(made[0]) > 10) == any("segment" in name for name in settings)
