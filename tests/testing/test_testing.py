"""What `kformat.testing` draws and writes is sound, as everybody reads it; its damage is damage, and says what."""

from __future__ import annotations

import base64
import dataclasses
import functools
import importlib
import itertools
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

import kformat
from kformat import testing
from kformat.corpus.parts import ProducerFields
from kformat.errors import DataError, UsageError
from kformat.kafka.batch.batches import AnyBatch, iter_batches
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.batch.records import Record, parse_control_record
from kformat.kafka.index.indexing import PROFILES
from kformat.testing import Damaged, DrawnLog, DrawnPartition, IndexFiles, LogPart, ProducerTransaction
from tests.draws import IS_NIGHT, at_most
from tests.judges import dump_many, read_batches, releases
from tests.judges.required import require

pytestmark = pytest.mark.drawn

MANY = settings(max_examples=at_most(100), suppress_health_check=[HealthCheck.too_slow], deadline=None)
ALWAYS_THE_SAME = settings(
    MANY, max_examples=250, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


def drawn(strategy: st.SearchStrategy[Any], settings: settings = ALWAYS_THE_SAME) -> list[Any]:
    """What a strategy gives in a run of a test."""
    found: list[Any] = []

    def collect(value: Any) -> None:
        found.append(value)

    settings(given(strategy)(collect))()
    return found


@functools.cache
def drawn_logs() -> list[DrawnLog]:
    return drawn(testing.logs())


def complaints(path: Path, **how: Any) -> list[str]:
    return [str(one) for one in kformat.check(path, **how) if one.severity != "info"]


def records_of(data: bytes) -> tuple[Record, ...]:
    return tuple(record for batch in iter_batches(data) for record in batch.records())


# --- sound ---------------------------------------------------------------------------------------------------------


def assert_sound(part: LogPart) -> None:
    """Reading gives what the part says, and building gives the bytes again where no codec has a say in them."""
    (read,) = iter_batches(part.data)
    assert (read.magic, read.compression_name) == (part.magic, part.codec)
    assert (read.base_offset, read.last_offset) == (part.base_offset, part.last_offset) or not part.records
    assert tuple(read.records()) == part.records and read.is_valid
    value = read.parse()
    if part.codec == "none":
        format = "record_batch" if part.magic == CURRENT_MAGIC else "legacy_message"
        assert kformat.build(format, value) == part.data


@MANY
@given(testing.batches() | testing.legacy_messages())
def test_batches_and_messages_are_read_as_they_say(part: LogPart) -> None:
    assert_sound(part)


@MANY
@given(testing.records())
def test_records_can_be_written(record: Record) -> None:
    (log,) = (data for name, data in testing.segment_files([record]).items() if name.endswith(".log"))
    assert records_of(log) == (record,)


def test_segments_of_drawn_partitions_follow_each_other() -> None:
    """As a broker rolls them; what compaction removed at the start of a segment does not change its name."""
    gaps = 0
    for partition in drawn(testing.partitions(compacted=True), settings(ALWAYS_THE_SAME, max_examples=40)):
        for before, after in itertools.pairwise(partition.segments):
            assert after.base_offset == before.parts[-1].last_offset + 1
            gaps += after.parts[0].base_offset > after.base_offset
    assert gaps > 0


@MANY
@given(testing.partitions())
def test_partitions_are_read_as_they_say_and_check_finds_nothing(partition: DrawnPartition) -> None:
    with tempfile.TemporaryDirectory() as root:
        folder = partition.write(Path(root))
        assert tuple(kformat.open(folder).records()) == partition.records
        assert complaints(folder) == []
        how = {"profile": partition.profile, "index_interval_bytes": partition.index_interval_bytes}
        assert complaints(folder, **how) == []


@MANY
@given(testing.index_files(magics=(2,), base_offsets=st.integers(0, 100)))
def test_index_files_say_what_is_in_them(segment: IndexFiles) -> None:
    positions = {batch.position: batch.last_offset for batch in iter_batches(segment.data)}
    assert all(position in positions for _, position in segment.offset_entries)
    assert segment.time_entries == () or segment.time_entries[-1][0] == max(
        part.max_timestamp for part in segment.log.parts
    )
    with tempfile.TemporaryDirectory() as root:
        log = segment.write(Path(root))
        opened = kformat.open(log.parent).segments[0]
        assert opened.base_offset == segment.log.base_offset
        index = kformat.parse("offset_index", segment.index).entries
        assert [opened.base_offset + entry.relative_offset for entry in index] == [
            one for one, _ in segment.offset_entries
        ]
        assert complaints(log.parent, profile=segment.profile) == []


@pytest.mark.long
def test_everything_that_there_is_is_drawn() -> None:
    """In a run of the usual size: each magic with each of its codecs, each kind of batch, each profile."""
    parts = [part for log in drawn_logs() for part in log.parts]
    parts += [*drawn(testing.batches()), *drawn(testing.legacy_messages())]
    seen = Counter(word for part in parts for word in (*part.attributes, *part.controls))
    assert {
        "create_time", "log_append_time", "transactional", "control", "idempotent", "delete_horizon", "wrapper",
        "commit", "abort", "leader_change",
    } <= set(seen)  # fmt: skip
    kinds = {(part.magic, part.codec) for part in parts}
    assert kinds == {(magic, codec) for magic in (0, 1, 2) for codec in CODEC_NAMES if magic == 2 or codec != "zstd"}
    assert any(not part.records for part in parts) and any(len(part.records) > 3 for part in parts)
    records = [record for part in parts for record in part.records]
    assert {None, b""} <= {record.key for record in records} and {None, b""} <= {record.value for record in records}
    assert any(record.headers for record in records) and any(record.timestamp == -1 for record in records)
    partitions = drawn(testing.partitions(), settings(ALWAYS_THE_SAME, max_examples=80))
    assert {partition.profile for partition in partitions} == set(PROFILES)
    assert {len(partition.segments) for partition in partitions} == {1, 2, 3}
    partitions += drawn(testing.partitions(magics=2), settings(ALWAYS_THE_SAME, max_examples=50))
    assert any(name.endswith(".txnindex") for partition in partitions for name in partition.files)
    assert any(partition.committed != partition.uncommitted for partition in partitions)


@pytest.mark.parametrize(
    ("strategy", "holds"),
    [
        (testing.batches(codecs=("gzip",)), lambda part: part.codec == "gzip" or not part.records),
        (testing.batches(codecs="zstd", compacted=False), lambda part: part.codec == "zstd"),
        (testing.batches(transactional=True), lambda part: part.is_transactional),
        (testing.batches(transactional=False), lambda part: not part.is_transactional),
        (testing.batches(control=True), lambda part: "control" in part.attributes),
        (testing.batches(control=False), lambda part: "control" not in part.attributes),
        (testing.batches(control=True, transactional=False), lambda part: part.controls == ("leader_change",)),
        (
            testing.batches(compacted=False, control=False),
            lambda part: len(part.records) == part.last_offset - part.base_offset + 1,
        ),
        (testing.batches(keys=st.just(b"k"), control=False), lambda part: {r.key for r in part.records} <= {b"k"}),
        (testing.batches(max_records=1), lambda part: len(part.records) <= 1),
        (testing.batches(offsets=st.just(9)), lambda part: part.base_offset == 9),
        (testing.legacy_messages(magics=1), lambda part: part.magic == 1),
        (testing.message_sets(), lambda log: {part.magic for part in log.parts} <= {0, 1}),
        (testing.message_sets(magics=(0,)), lambda log: {part.magic for part in log.parts} == {0}),
        (testing.logs(magics=2), lambda log: {part.magic for part in log.parts} == {2}),
        (testing.logs(transactions=False), lambda log: not any(part.is_transactional for part in log.parts)),
        (testing.logs(max_batches=2), lambda log: 1 <= len(log.parts) <= 2),
        (testing.logs(magics=2, compacted=False), lambda log: [r.offset - log.base_offset for r in log.records]
            == list(range(len(log.records)))),
        (testing.logs(), lambda log: [p.magic for p in log.parts] == sorted(p.magic for p in log.parts)),
        (testing.index_files(profiles="batch-time"), lambda files: files.profile == "batch-time"),
        (testing.partitions(max_segments=1), lambda partition: len(partition.segments) == 1),
        (testing.damaged(testing.batches(), names=("cut",)), lambda damaged: damaged.name in ("cut", "flip")),
        (testing.damaged(testing.logs(), mended=True), lambda damaged: damaged.mended),
        (testing.damaged(testing.logs(), mended=False), lambda damaged: not damaged.mended),
    ],
)  # fmt: skip
def test_parameters_are_kept_to(strategy: st.SearchStrategy[Any], holds: Callable[[Any], bool]) -> None:
    assert all(map(holds, drawn(strategy, settings(ALWAYS_THE_SAME, max_examples=25 if IS_NIGHT else 10))))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: testing.batches(codecs=("brotli",)), "no codec 'brotli'; there are none, gzip, snappy, lz4, zstd"),
        (lambda: testing.batches(codecs=()), "no codec to choose from"),
        (lambda: testing.legacy_messages(magics=(2,)), "no magic 2; there are 0, 1"),
        (lambda: testing.legacy_messages(codecs=("zstd",)), "no codec 'zstd'; there are none, gzip, snappy, lz4"),
        (lambda: testing.logs(max_batches=0), "max_batches is 0; a log has one at least"),
        (lambda: testing.message_sets(codecs=("zstd",)), "no codec for magic 0 and 1 among zstd"),
        (lambda: testing.batches(max_records=0), "max_records is 0; a batch has one at least"),
        (lambda: testing.partitions(max_segments=0), "max_segments is 0; a partition has one at least"),
        (lambda: testing.index_files(profiles=("newest",)), "no profile 'newest'"),
        (lambda: testing.damage(b""), "bytes are needed, one at least, not b''"),
        (lambda: testing.damage(b"x", names=("burn",)), "no damage 'burn'; there are flip, set, cut"),
        (lambda: testing.damaged(testing.logs(), names=("burn",)), "no damage 'burn'"),
    ],
)
def test_wrong_parameters_are_refused_at_once(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        make()
    assert str(refused.value).startswith(message)


# --- what failing tests shrink to ----------------------------------------------------------------------------------

FINDING = settings(max_examples=100, database=None, deadline=None, derandomize=True)


def smallest(strategy: st.SearchStrategy[Any], wanted: Callable[[Any], bool]) -> Any:
    return find(strategy, wanted, settings=FINDING)


@pytest.mark.slow
def test_failures_shrink_to_what_is_plain() -> None:
    plain = smallest(testing.batches(), lambda part: True)
    assert plain.records == (Record(0, 1_700_000_000_000, 0, None, b""),)
    assert (plain.codec, plain.attributes, plain.epoch) == ("none", ("create_time",), 0)

    packed = smallest(testing.batches(codecs="lz4", control=False), lambda part: len(part.records) == 3)
    assert packed.attributes == ("create_time",)
    assert [(r.offset, r.key, r.value, r.headers) for r in packed.records] == [(n, None, b"", ()) for n in range(3)]

    log = smallest(
        testing.logs(magics=2, codecs="none", max_batches=2, max_records=1),
        lambda log: len(log.committed) < len(log.uncommitted),
    )
    assert [part.attributes for part in log.parts] == [("create_time", "transactional", "idempotent")]
    assert (log.base_offset, len(log.records), log.committed) == (0, 1, ())

    hurt = smallest(testing.damaged(testing.logs(), names=("cut",)), lambda damaged: len(damaged.data) > 0)
    assert (hurt.position, hurt.mended, hurt.sound.records) == (0, False, plain.records)


# --- transactions --------------------------------------------------------------------------------------------------


def contents(records: tuple[Record, ...]) -> list[bytes | None]:
    return [record.value for record in records]


@pytest.mark.parametrize(
    ("given", "committed"),
    [
        ([b"a", ProducerTransaction([b"b"]), b"c"], [b"a", b"b", b"c"]),
        ([b"a", ProducerTransaction([b"b"], end="abort"), b"c"], [b"a", b"c"]),
        ([b"a", ProducerTransaction([b"b"], end=None), b"c", ProducerTransaction([b"d"], producer_id=7)], [b"a"]),
        ([ProducerTransaction([b"b"], end=None), ProducerTransaction([b"c"])], [b"b", b"c"]),  # the next one ends it
        ([ProducerTransaction([b"b"], end=None), ProducerTransaction([b"c"], end="abort")], []),
        ([ProducerTransaction([]), b"c"], [b"c"]),
    ],
)  # fmt: skip
def test_committed_records(given: list[Any], committed: list[bytes]) -> None:
    files = testing.segment_files(given)
    (log,) = (data for name, data in files.items() if name.endswith(".log"))
    parts = []
    for batch in iter_batches(log):
        controls = tuple(parse_control_record(r)[0].type.name for r in batch.records()) if batch.is_control else ()
        producer = ProducerFields(batch.producer_id) if batch.producer_id >= 0 else None
        attributes = ("transactional",) if batch.is_transactional else ()
        parts.append(
            LogPart(batch.raw, 2, "none", batch.base_offset, batch.last_offset, batch.max_timestamp,
                 tuple(batch.records()), attributes, controls, 0, producer)
        )  # fmt: skip
    assert contents(DrawnLog(0, tuple(parts)).committed) == committed


# --- damage --------------------------------------------------------------------------------------------------------


@MANY
@given(testing.damaged(testing.logs()))
def test_damage_is_met_with_typed_errors_alone(damaged: Damaged) -> None:
    assert damaged.data != damaged.sound.data
    assert 0 <= damaged.position < len(damaged.sound.data)
    try:
        records_of(damaged.data)
    except DataError as error:
        assert error.position is not None


@MANY
@given(testing.damaged(testing.logs(), mended=True))
def test_mended_damage_is_seen_by_no_checksum(damaged: Damaged) -> None:
    """The damaged batch has the right sum, the others are as they were. A cut may leave less than a batch needs."""
    batches: list[AnyBatch] = []
    try:
        batches += iter_batches(damaged.data)
    except DataError as error:
        assert damaged.name == "cut" and error.position is not None and error.position <= damaged.position
        return
    assert len(batches) == len(damaged.sound.parts)
    assert all(batch.is_valid for batch in batches)
    assert sum(batch.raw != part.data for batch, part in zip(batches, damaged.sound.parts, strict=True)) == 1


@MANY
@given(testing.damaged(testing.batches(), mended=False))
def test_damage_of_a_batch_that_is_not_mended_is_never_a_sound_batch(damaged: Damaged) -> None:
    """But for the fields in front of the checksum: base offset and leader epoch are under none."""
    try:
        (batch,) = iter_batches(damaged.data)
    except (DataError, ValueError):
        return
    assert not batch.is_valid or batch.magic != 2 or batch.raw[21:] == damaged.sound.data[21:]


def test_all_damage_is_drawn() -> None:
    """Which examples Hypothesis chooses differs with what else is loaded: rare pairs are asked for by name."""
    seen = {one.mended for one in drawn(testing.damaged(testing.batches()), settings(ALWAYS_THE_SAME, max_examples=50))}
    assert seen == {False, True}
    few = settings(ALWAYS_THE_SAME, max_examples=10)
    for name in testing.DAMAGES:
        for mended in (False, True):
            damaged = drawn(testing.damaged(testing.batches(), names=(name,), mended=mended), few)
            assert (name, mended) in {(one.name, one.mended) for one in damaged}


LINES = b"".join(f"{number:07d}\n".encode() for number in range(1024))


@pytest.mark.parametrize(
    ("name", "positions", "new", "changed", "what"),
    [
        ("flip", (2, 0, 0), b"", b"000", "flip at 2: bit 0 flipped"),
        ("set", (1, 0, 0), b"\xff\xff", None, "set at 1: 2 bytes set to ffff"),
        ("set", (8190, 0, 0), b"\xff\xff\xff", None, "set at 8190: 2 bytes set to ffff"),
        ("cut", (8, 24, 0), b"", None, "cut at 8: 16 bytes cut out"),
        ("insert", (8, 0, 0), b"\0", None, "insert at 8: 1 bytes put in: 00"),
        ("swap", (0, 8, 24), b"", None, "swap at 0: 8 bytes and the 16 after them exchanged"),
        ("zero", (5000, 0, 0), b"", None, "zero at 4096: 4096 zeros"),
        ("splice", (0, 8, 16), b"", None, "splice at 0: 8 bytes overwritten by those at 8"),
        ("cut", (8, 8, 0), b"", None, "flip at 8: bit 0 flipped"),
    ],
)
def test_damage_by_name(name: str, positions: tuple[int, int, int], new: bytes, changed: Any, what: str) -> None:
    from kformat.corpus.edits import hurt

    damaged = hurt(LINES, name, positions, new)
    expected = {
        "flip": LINES[: positions[0]] + bytes([LINES[positions[0]] ^ 1]) + LINES[positions[0] + 1 :],
        "set": LINES[: positions[0]] + new[: len(LINES) - positions[0]] + LINES[positions[0] + len(new) :],
        "cut": LINES[:8] + LINES[24:],
        "insert": LINES[:8] + b"\0" + LINES[8:],
        "swap": LINES[8:24] + LINES[:8] + LINES[24:],
        "zero": LINES[:4096] + bytes(4096),
        "splice": LINES[8:16] + LINES[8:],
    }[damaged.name]
    assert damaged.data == expected and damaged.what == what and damaged.sound == LINES


# --- other readers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["kafka", "aiokafka"])
def test_other_clients_read_what_is_drawn(module: str) -> None:
    """kafka-python and aiokafka, record for record. The latter has no LZ4 in magic 0."""
    if module == "kafka":
        pytest.importorskip("kafka", reason="kafka-python comes with the extra `bench`")
    memory_records: Any = importlib.import_module(f"{module}.record.memory_records").MemoryRecords
    count = 0
    for log in drawn_logs():
        for part in log.parts:
            if module == "aiokafka" and (part.magic, part.codec) == (0, "lz4"):
                continue
            expected = [theirs_of(record) for record in part.records]
            read = memory_records(part.data)
            batch = read.next_batch()
            assert batch.validate_crc() and not read.has_next()
            assert [theirs(record) for record in batch] == expected
            count += len(expected)
    assert count > 500


def theirs_of(record: Record) -> tuple[Any, ...]:
    known = (record.timestamp, record.timestamp_type) if record.timestamp != -1 else None
    return record.offset, known, record.key, record.value, list(record.headers)


def theirs(record: Any) -> tuple[Any, ...]:
    """What a peer says; where there is no timestamp some say None, and some -1 and a type."""
    key, value = (None if data is None else bytes(data) for data in (record.key, record.value))
    headers = [(name, None if data is None else bytes(data)) for name, data in record.headers]
    known = None if record.timestamp in (None, -1) else (record.timestamp, record.timestamp_type)
    return record.offset, known, key, value, headers


def text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


@pytest.mark.judge
def test_kafka_reads_what_is_drawn(tmp_path: Path) -> None:
    """Its own classes, in one JVM: every header, every record, nothing refused."""
    require(releases.NEWEST)
    logs = list(drawn_logs())
    logs += [DrawnLog(part.base_offset, (part,)) for part in drawn(testing.batches() | testing.legacy_messages())]
    assert len(logs) == 500
    files = []
    for number, log in enumerate(logs):
        files.append(tmp_path / f"{number:020d}.log")
        files[-1].write_bytes(log.data)
    count = 0
    for log, judged in zip(logs, read_batches(releases.NEWEST, files), strict=True):
        assert [batch for batch in judged if "error" in batch or not batch["is_valid"]] == []
        for part, batch in zip(log.parts, judged, strict=True):
            assert (batch["magic"], batch["compression"], batch["size"]) == (part.magic, part.codec, part.size)
            assert (batch["last_offset"], batch["max_timestamp"]) == (part.last_offset, part.max_timestamp)
            assert batch["is_transactional"] == part.is_transactional
            assert [
                (r["offset"], r["timestamp"], r["sequence"], r["key"], r["value"], r["headers"])
                for r in batch["records"]
            ] == [
                (
                    r.offset,
                    r.timestamp,
                    r.sequence,
                    text(r.key),
                    text(r.value),
                    [[name, text(v)] for name, v in r.headers],
                )
                for r in part.records
            ]
            count += len(part.records)
    assert count > 1500


def tool_misreads(segment: IndexFiles) -> Iterator[str]:
    """What Kafka's tool prints about time entries that name a batch without records.

    A broker's entry has the time in the batch's header, which compaction keeps (`LogSegment.append`); the tool reads
    the records (`DumpLogSegments.dumpTimeIndex`).
    """
    batches = list(iter_batches(segment.data))
    for timestamp, offset in segment.time_entries:
        named = next(batch for batch in batches if batch.last_offset >= offset)
        if named.records_count == 0:
            yield f"  Index timestamp: {timestamp}, log timestamp: -1\n"


@pytest.mark.judge
def test_kafkas_dump_tool_finds_nothing_in_what_is_drawn(tmp_path: Path) -> None:
    """Both indexes of segments as today's brokers write them, held against the log by Kafka's own tool."""
    require(releases.NEWEST)
    segments = drawn(testing.index_files(profiles="per-batch", magics=2), settings(ALWAYS_THE_SAME, max_examples=100))
    runs, expected, printed = [], [], 0
    for number, segment in enumerate(segments):
        log = segment.write(tmp_path / f"drawn-{number}")
        runs.append(["--files", ",".join(str(log.with_suffix(end)) for end in (".log", ".index", ".timeindex"))])
        misread = "".join(tool_misreads(segment))
        expected.append(f"Found timestamp mismatch in :{log.with_suffix('.timeindex')}\n{misread}" if misread else "")
    for run, stderr in zip(dump_many(releases.NEWEST, runs), expected, strict=True):
        assert run.status == 0 and run.stderr.decode() == stderr
        assert (
            b"ismatch" not in run.stdout and b"out of order" not in run.stdout and b"isvalid: false" not in run.stdout
        )
        printed += run.stdout.count(b"aseOffset: ")
    assert printed > 150


# --- without hypothesis --------------------------------------------------------------------------------------------


def test_a_missing_hypothesis_is_named_with_its_extra() -> None:
    program = """
import sys
sys.modules["hypothesis"] = None
import kformat.testing
assert sorted(kformat.testing.segment_files([b"one"])) and kformat.testing.DAMAGES
try:
    from kformat.testing import logs
except kformat.errors.MissingDependencyError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    assert done.stdout == (
        "hypothesis is not installed; it comes with the extra 'testing': pip install 'kformat[testing]'\n"
    )


def test_the_door_shows_what_is_behind_it() -> None:
    for name in testing.__all__:
        value = getattr(testing, name)
        assert not callable(value) or value.__doc__, name
    assert set(testing.__all__) <= set(dir(testing))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        testing.nothing  # type: ignore[attr-defined]  # noqa: B018


# --- files of given records ----------------------------------------------------------------------------------------


def read(files: dict[str, bytes]) -> list[Any]:
    return [batch for name, data in sorted(files.items()) if name.endswith(".log") for batch in iter_batches(data)]


BAD: list[Any] = [5, "rollback"]
EACH_FORM: list[Any] = [
    b"value alone",
    (b"key", b"value"),
    (None, None),
    {"key": b"mapping", "timestamp": 5, "headers": [("a", b"1"), ("a", None)]},
    Record(9, 6, 1, b"record", b"", (("b", b""),), 77),
    {"offset": 12},
    b"behind",
]


def test_records_in_every_form_and_what_is_filled_in() -> None:
    (batch,) = read(testing.segment_files(EACH_FORM))
    start = 1_700_000_000_000
    assert list(batch.records()) == [
        Record(0, start, 0, None, b"value alone"),
        Record(1, start + 1, 0, b"key", b"value"),
        Record(2, start + 2, 0, None, None),
        Record(3, 5, 0, b"mapping", None, (("a", b"1"), ("a", None))),
        Record(9, 6, 0, b"record", b"", (("b", b""),)),
        Record(12, start + 3, 0, None, None),
        Record(13, start + 4, 0, None, b"behind"),
    ]


@pytest.mark.parametrize("magic", [0, 1, 2])
@pytest.mark.parametrize("codec", CODEC_NAMES)
def test_segments_of_every_kind(magic: int, codec: str, tmp_path: Path) -> None:
    if magic < 2 and codec == "zstd":
        with pytest.raises(UsageError, match=f"no codec 'zstd' in magic {magic}; there are none, gzip, snappy, lz4"):
            testing.segment_files(codec=codec, magic=magic)
        return
    values = [b"%d" % number for number in range(25)]
    for profile in PROFILES:
        how: dict[str, Any] = {"magic": magic, "codec": codec, "base_offset": 1000, "profile": profile}
        log = testing.write_segment(tmp_path / f"{profile}-0", values, index_interval_bytes=100, **how)
        assert log.name == "00000000000000001000.log"
        batches = list(iter_batches(log))
        assert {(batch.magic, batch.compression_name) for batch in batches} == {(magic, codec)}
        assert len(batches) == (25 if magic < 2 and codec == "none" else 3)
        assert [record.value for batch in batches for record in batch.records()] == values
        assert log.with_suffix(".index").stat().st_size > 0
        assert complaints(log.parent, profile=profile, index_interval_bytes=100) == []


def test_append_time_and_leader_epoch() -> None:
    for batch in read(testing.segment_files([b"a", b"b"], append_time=77, leader_epoch=5)):
        assert [record.timestamp for record in batch.records()] == [77, 77]
        assert (batch.timestamp_type, batch.partition_leader_epoch) == (1, 5)
    (wrapper,) = read(testing.segment_files([b"a", b"b"], append_time=77, magic=1, codec="gzip"))
    assert {(record.timestamp, record.timestamp_type) for record in wrapper.records()} == {(77, 1)}


def test_logs_roll(tmp_path: Path) -> None:
    values = [b"%d" % number for number in range(50)]
    folder = testing.write_log(tmp_path, values, records_per_segment=20, records_per_batch=7, leader_epoch=3)
    partition = kformat.open(folder)
    assert [segment.base_offset for segment in partition.segments] == [0, 20, 40]
    assert [record.value for record in partition.records()] == values
    assert [batch.records_count for batch in partition.segments[1].scan()] == [7, 7, 6]
    names = sorted(path.name for path in folder.iterdir())
    assert [name for name in names if name.endswith(".snapshot")] == [f"{n:020d}.snapshot" for n in (20, 40, 50)]
    assert partition.leader_epochs is not None and partition.topic_id is not None
    assert complaints(folder) == []


def test_logs_in_segments_with_transactions(tmp_path: Path) -> None:
    segments = [
        [b"a", ProducerTransaction([b"b", b"c"], end="abort"), b"d"],
        [ProducerTransaction([(b"k", b"e")], end=None, producer_id=7)],
        [ProducerTransaction([(b"k", b"f")], producer_id=7, end="abort")],
    ]
    folder = testing.write_log(tmp_path, segments=segments, topic="a.b-c_D", partition=12, base_offset=500)
    assert folder.name == "a.b-c_D-12"
    partition = kformat.open(folder)
    assert [segment.base_offset for segment in partition.segments] == [500, 505, 506]
    indexes = {path.name: kformat.parse("transaction_index", path.read_bytes()) for path in folder.glob("*.txnindex")}
    found = {
        name: [(e.producer_id, e.first_offset, e.last_offset, e.last_stable_offset) for e in index.entries]
        for name, index in indexes.items()
    }
    assert found == {f"{500:020d}.txnindex": [(1000, 501, 503, 504)], f"{506:020d}.txnindex": [(7, 505, 507, 508)]}
    snapshot = kformat.parse("producer_snapshot", (folder / f"{508:020d}.snapshot").read_bytes())
    assert [(e.producer_id, e.last_sequence, e.current_txn_first_offset) for e in snapshot.entries] == [
        (1000, 1, -1), (7, 1, -1),
    ]  # fmt: skip
    assert complaints(folder) == []


def test_the_same_arguments_give_the_same_bytes() -> None:
    how: dict[str, Any] = {"records_per_segment": 2, "codec": "gzip", "topic_id": bytes(range(16))}
    assert testing.log_files(**how) == testing.log_files(**how)
    assert testing.log_files([]) == testing.log_files(segments=[])
    assert read(testing.log_files([], base_offset=5)) == []


@pytest.mark.parametrize(
    ("records", "how", "message"),
    [
        (b"abc", {}, "records is a list of records, not bytes"),
        (7, {}, "records is a list of records, not int"),
        (["text"], {}, "records[0]: bytes, (key, value), a mapping or a kformat.Record is needed, not 'text'"),
        ([(b"a", b"b", b"c")], {}, "records[0]: bytes, (key, value), a mapping"),
        ([b"a", {"value": "text"}], {}, "records[1].value is 'text'; bytes or None is needed"),
        ([{"vlaue": b""}], {}, "records[0]: a record has no 'vlaue'; it has key, value, headers, offset, timestamp"),
        ([{"offset": 4}, {"offset": 4}], {}, "records[1].offset is 4; a number from 5 to"),
        ([{"offset": 4}], {"base_offset": 5}, "records[0].offset is 4; a number from 5 to"),
        ([{"offset": True}], {}, "records[0].offset is True"),
        ([{"timestamp": -2}], {}, "records[0].timestamp is -2; a number from -1 to"),
        ([{"timestamp": 1.5}], {}, "records[0].timestamp is 1.5"),
        ([{"headers": [("a",)]}], {}, "records[0].headers[0] is ('a',); a pair of text and bytes"),
        ([{"headers": {"a": b""}}], {}, "records[0].headers is a list"),
        ([{"headers": [("a", "b")]}], {}, "records[0].headers[0][1] is 'b'; bytes or None is needed"),
        ([{"headers": [("a", b"")]}], {"magic": 1}, "records[0]: there are no headers in magic 1"),
        ([ProducerTransaction([b"a"])], {"magic": 1}, "records[0]: there are no transactions in magic 1"),
        (
            [ProducerTransaction([ProducerTransaction([])])],
            {},
            "records[0].records[0]: a transaction inside of a transaction",
        ),
        ([ProducerTransaction([], end=BAD[1])], {}, "records[0].end is 'rollback'"),
        ([ProducerTransaction([], producer_id=-1)], {}, "records[0].producer_id is -1"),
        ([ProducerTransaction([], producer_epoch=2**15)], {}, "records[0].producer_epoch is 32768"),
        ([ProducerTransaction([b"", BAD[0]])], {}, "records[0].records[1]: bytes, (key, value)"),
        ([{"offset": 0}, {"offset": 2**31}], {}, "offsets 0 and 2147483648 are too far apart for one batch"),
        ([{"offset": 0}, {"offset": 2**31}], {"records_per_batch": 1}, "records: offset 2147483648 is too far from"),
        ([], {"magic": 3}, "magic is 3; there are 0, 1 and 2"),
        ([], {"codec": "brotli"}, "no codec 'brotli' in magic 2; there are none"),
        ([], {"append_time": 5, "magic": 0}, "messages of magic 0 have no timestamps"),
        ([], {"records_per_batch": 0}, "records_per_batch is 0"),
        ([], {"base_offset": -1}, "base_offset is -1"),
        ([], {"profile": "newest"}, "no writer profile 'newest'"),
        ([], {"index_interval_bytes": -1}, "index_interval_bytes is -1"),
    ],
)
def test_what_is_no_record_is_refused(records: Any, how: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        testing.segment_files(records, **how)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"topic": "a/b"}, "no topic can be called 'a/b'"),
        ({"topic": ".."}, "no topic can be called '..'"),
        ({"topic": "x" * 250}, "no topic can be called"),
        ({"partition": -1}, "partition is -1; it goes from 0 to 2147483647"),
        ({"segments": [], "records": [b""]}, "segments are given"),
        ({"segments": [[b"a"], [5]]}, "segments[1][0]: bytes, (key, value)"),
        ({"records": [b"a"], "records_per_segment": 0}, "records_per_segment is 0"),
        ({"topic_id": b"short"}, "topic_id is b'short'; it takes 16 bytes"),
    ],
)
def test_what_is_no_log_is_refused(how: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        testing.write_log(tmp_path, **how)
    assert str(refused.value).startswith(message)
    assert list(tmp_path.iterdir()) == []


def test_a_partition_is_written_once(tmp_path: Path) -> None:
    testing.write_log(tmp_path)
    with pytest.raises(UsageError, match="orders-0 is there already"):
        testing.write_log(tmp_path)


def written(tmp_path: Path) -> Iterator[Path]:
    """Folders of many kinds, for the judges."""
    values = [(b"key %d" % number, b"value %d" % number) for number in range(60)]
    mixed = [
        *values[:9],
        ProducerTransaction(values[9:20]),
        *values[20:25],
        ProducerTransaction(values[25:30], end="abort"),
        *values[30:],
    ]
    kinds: list[dict[str, Any]] = [
        {},
        *({"records": values, "codec": codec, "records_per_segment": 25} for codec in CODEC_NAMES),
        *({"records": values, "codec": codec, "magic": magic} for magic in (0, 1) for codec in CODEC_NAMES[:4]),
        {"records": mixed, "records_per_segment": 13, "records_per_batch": 3},
        {"records": values, "append_time": 1_700_000_100_000, "leader_epoch": 4},
        {"records": [*mixed, ProducerTransaction([b"open"], end=None)], "base_offset": 2**33},
        {"records": EACH_FORM},
    ]
    for number, how in enumerate(kinds):
        yield testing.write_log(tmp_path, partition=number, index_interval_bytes=100, **how)


@pytest.mark.judge
def test_kafkas_dump_tool_finds_nothing_in_what_is_written(tmp_path: Path) -> None:
    require(releases.NEWEST)
    runs = []
    for folder in written(tmp_path):
        assert complaints(folder, profile="per-batch") == []
        for log in sorted(folder.glob("*.log")):
            some = [log, log.with_suffix(".index"), log.with_suffix(".timeindex"), *folder.glob("*.txnindex")]
            runs.append(["--files", ",".join(map(str, [*some, *folder.glob("*.snapshot")]))])
            runs.append(["--index-sanity-check", "--files", ",".join(map(str, some[1:3]))])
    printed = 0
    for run in dump_many(releases.NEWEST, runs):
        assert run.status == 0 and run.stderr == b"", run
        for word in (b"ismatch", b"out of order", b"isvalid: false", b"invalid bytes", b"Failed"):
            assert word not in run.stdout, run
        if run.arguments[0] == "--index-sanity-check":
            assert run.stdout.count(b"passed sanity check.") + run.stdout.count(b"is empty.") == 2, run
        printed += run.stdout.count(b" position: ")
    assert printed > 150


def test_values_are_frozen() -> None:
    (log,) = drawn(testing.logs(), settings(ALWAYS_THE_SAME, max_examples=1))
    with pytest.raises(dataclasses.FrozenInstanceError):
        log.base_offset = 5
