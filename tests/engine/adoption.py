"""Logs of every kind, written by the engine into a broker's root, and what the broker says that it found there.

Topics are made by a broker, which is then stopped: the root, its empty logs and their topic ids are its own. `fill`
opens them with the engine and writes; what a reader must find afterwards is noted by whoever wrote it, and not read
back. The same bytes come out each time: the clock is set, chance has a seed.

`ask` has the clients of the broker's own version (tests/judges/java/AskBroker.java) tell all records, what
`offsetsForTimes` gives for many timestamps, and what `listOffsets` gives by name.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from kformat.corpus.parts import LogPart, PlannedRecord, ProducerFields, batch, end_of_transaction
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.records import Record
from kformat.kafka.files.file_kinds import parse_folder_name
from kformat.kafka.index.lookup import EARLIEST_TIMESTAMP, LATEST_TIMESTAMP, MAX_TIMESTAMP
from kformat_engine import Log, LogConfig, Root
from kformat_engine.recovery.table import Action
from kformat_engine.storage import wall_clock_ms
from tests.draws import IS_NIGHT
from tests.engine.manual import ManualClock
from tests.judges import Broker
from tests.judges.java_tools import java

confluent_kafka: Any = importlib.import_module("confluent_kafka")
admin_client: Any = importlib.import_module("confluent_kafka.admin")

BASE_MS: Final = 1_700_000_000_000
DAY_MS: Final = 86_400_000
SEED: Final = 20265
TIMEOUT_S: Final = 60
PARTITION: Final = 0
LARGE_COUNT: Final = 10_000 if IS_NIGHT else 1_500
"""How many timestamps are looked up in each large topic."""
BROKER_EPOCH: Final = 1
"""The latest leader epoch that the engine may write: a broker that was started again has the next one at least."""

Headers = tuple[tuple[str, bytes | None], ...]
Answer = tuple[int, int, int]
"""Offset, timestamp and leader epoch; -1 for what there is not."""


class Row(NamedTuple):
    """A record as a reader must find it."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()


# --- filling -------------------------------------------------------------------------------------------------------


class Filling:
    """A log that is being filled, and what must be found in it.

    Attributes:
        rows: the records, without control records. aborted: offsets of records of aborted transactions.
        time_ms: the timestamp of the next record, if records come in order.
    """

    def __init__(self, log: Log, clock: ManualClock) -> None:
        self.log, self.clock = log, clock
        self.source = random.Random(f"{SEED}/{log.topic}")
        self.rows: list[Row] = []
        self.aborted: set[int] = set()
        self.time_ms = BASE_MS

    def record(self, timestamp: int | None = None, value: bytes | None = None) -> dict[str, Any]:
        """A record of chance; now and then without key or value, or with headers."""
        chance, number = self.source.random(), self.source.randrange(10_000)
        if timestamp is None:
            self.time_ms += self.source.choice((0, 1, 10, 100, 1000))
            timestamp = self.time_ms
        if value is None and chance < 0.95:
            # Something that codecs cannot make smaller, and something that they can.
            value = self.source.randbytes(self.source.choice((0, 3, 20, 60))) + b"value %d " % number * (number % 5)
        headers: Headers = (("trace", b"%d" % number), ("größe", None), ("trace", b""))
        return {
            "timestamp": timestamp,
            "key": None if number % 11 == 0 else b"key-%d" % (number % 100),
            "value": value,
            "headers": headers if number % 7 == 0 else (),
        }

    def append(self, records: list[dict[str, Any]], compression: str | None = None) -> None:
        """Append them as plain records."""
        first = self.log.append(records, compression=compression)
        is_stamped = self.log.config.message_timestamp_type == "LogAppendTime"
        for offset, record in enumerate(records, first):
            timestamp = self.clock() if is_stamped else record["timestamp"]
            self.rows.append(Row(offset, timestamp, record["key"], record["value"], record["headers"]))

    def follow(self, *parts: LogPart) -> None:
        """Append ready-made batches with the offsets that they have, in one append."""
        self.log.append_batches(b"".join(part.data for part in parts), assign_offsets=False)
        for part in parts:
            if not part.controls:
                self.rows += [Row(r.offset, r.timestamp, r.key, r.value, r.headers) for r in part.records]

    def contents(self, offsets: Sequence[int]) -> list[PlannedRecord]:
        """Records for ready-made batches."""
        return [PlannedRecord(offset, **self.record()) for offset in offsets]

    def truncate(self, offset: int) -> None:
        """Cut the log; the batch that holds the offset goes whole."""
        first = next(self.log.batches(offset)).base_offset
        self.log.truncate_to(offset)
        self.rows = [row for row in self.rows if row.offset < first]

    def delete_before(self, offset: int) -> None:
        self.log.delete_records_before(offset)
        self.rows = [row for row in self.rows if row.offset >= offset]


def _many(filling: Filling, appends: int, codecs: Sequence[str | None], most: int = 30) -> None:
    for _ in range(appends):
        records = [filling.record() for _ in range(filling.source.randint(1, most))]
        filling.append(records, filling.source.choice(codecs))


def _plain(filling: Filling) -> None:
    """Small batches and large ones, records larger than many batches, a record without a timestamp here and there."""
    for number in range(200):
        _many(filling, 1, ("none",))
        if number % 40 == 20:
            filling.append([filling.record(value=filling.source.randbytes(100_000))])
        if number % 50 == 30:
            filling.append([filling.record(timestamp=-1), filling.record(), filling.record(timestamp=-1)])


def _of_config(filling: Filling) -> None:
    """What `compression.type` says."""
    _many(filling, 220, (None,))


def _of_codec(filling: Filling) -> None:
    """The codec that the topic is called after, which the topic's configuration leaves to the producer."""
    _many(filling, 220, (filling.log.topic,))


def _stamped(filling: Filling) -> None:
    """The log's own clock, which stands still, goes on, and once goes back."""
    for number in range(300):
        filling.clock.sleep(filling.source.choice((0, 1, 50, 2000, 20_000)) if number != 150 else -100_000)
        _many(filling, 1, CODEC_NAMES, 15)


def _late(filling: Filling) -> None:
    """Records and whole batches hours early or late, in every codec."""
    clock = BASE_MS
    for _ in range(250):
        shift = filling.source.choice((0, 0, 0, 0, -3_600_000, 40_000, -7_200_000))
        records = []
        for _ in range(filling.source.randint(1, 30)):
            clock += 1000
            jitter = filling.source.choice((0, 0, 0, 0, 0, 0, 0, 0, 0, 2_000, -2_000, -1_800_000, 120_000))
            records.append(filling.record(timestamp=clock + shift + jitter))
        filling.append(records, filling.source.choice(CODEC_NAMES))
    for _ in range(2):  # the largest of all, several times
        filling.append([filling.record(timestamp=clock + by) for by in (0, DAY_MS, DAY_MS)], "none")


def _gaps(filling: Filling) -> None:
    """Offsets that jump, between batches and inside of them, once so far that it does not fit an index; two epochs."""
    filling.log.truncate_fully_and_start_at(5000)
    offset = 5000
    for number in range(300):
        filling.time_ms += filling.source.choice((0, 500))
        parts = []
        for _ in range(filling.source.choice((1, 1, 1, 3))):
            offset += filling.source.choice((0, 0, 0, 1, 7, 1000))
            offsets = []
            first = offset
            for _ in range(filling.source.randint(1, 20)):
                offset += filling.source.choice((0, 0, 0, 0, 3))
                offsets.append(offset)
                offset += 1
            offset += filling.source.choice((0, 0, 5))
            codec = filling.source.choice(CODEC_NAMES)
            contents = filling.contents(offsets)
            epoch = BROKER_EPOCH * (number >= 170)
            parts.append(batch(contents, codec=codec, epoch=epoch, base_offset=first, last_offset=offset - 1))
        filling.follow(*parts)
        if number == 200:
            offset += 3_000_000_000


def _cut(filling: Filling) -> None:
    """Truncated in the active segment and below it, appended further, then with a beginning that was deleted.

    The largest timestamp of the first segment lies below the log's start, which lookups by time trip over.
    """
    _many(filling, 120, CODEC_NAMES)
    filling.truncate(filling.log.end_offset - 5)
    filling.time_ms -= 1000
    _many(filling, 60, CODEC_NAMES)
    filling.truncate(filling.log.segments[-3].base_offset + 20)
    filling.time_ms -= 100_000
    _many(filling, 120, CODEC_NAMES)
    filling.log.roll()
    _many(filling, 10, ("none",))
    ahead = filling.log.end_offset
    filling.append([filling.record(timestamp=filling.time_ms + 100_000)])
    _many(filling, 10, CODEC_NAMES)
    filling.log.roll()
    _many(filling, 120, CODEC_NAMES)
    filling.delete_before(ahead + 17)


def _transactions(filling: Filling) -> None:
    """Batches of transactions, committed and aborted, with their markers, and of an idempotent producer between them.

    The markers carry the time of the broker's clock, which is a little ahead of the records'.
    """
    producers = [ProducerFields(900_000 + number) for number in range(3)]
    sequences = [0] * len(producers)

    def part(who: int, is_transactional: bool) -> LogPart:
        size = filling.source.randint(1, 15)
        contents = filling.contents(range(filling.log.end_offset, filling.log.end_offset + size))
        made = batch(
            contents,
            codec=filling.source.choice(CODEC_NAMES),
            transactional=is_transactional,
            producer=producers[who]._replace(sequence=sequences[who]),
        )
        sequences[who] += size
        return made

    for number in range(110):
        is_aborted = number % 4 == 1
        for who, is_transactional in ((0, True), (2, False), (0, True)):
            one = part(who, is_transactional)
            filling.follow(one)
            if is_transactional and is_aborted:
                filling.aborted |= {record.offset for record in one.records}
        marker_ms = filling.time_ms + 3000
        kind = "abort" if is_aborted else "commit"
        filling.follow(end_of_transaction(kind, filling.log.end_offset, marker_ms, producers[0]))


def _untimed(filling: Filling) -> None:
    """No timestamps at all: a segment's time is then that of its file."""
    for _ in range(60):
        filling.append([filling.record(timestamp=-1) for _ in range(filling.source.randint(1, 10))])


def _begun(filling: Filling) -> None:
    """No record, but the next one has an offset."""
    filling.log.truncate_fully_and_start_at(777)


@dataclass(frozen=True)
class Topic:
    """A topic: what it is called, how the engine fills it, its configuration, and how many timestamps are asked for.

    ``config`` has Kafka's names and is the broker's, too; ``segment_bytes`` is the engine's alone, as brokers from 4.0
    on take no less than 1 MiB.
    """

    name: str
    fill: Callable[[Filling], None]
    config: Mapping[str, str] = field(default_factory=dict)
    segment_bytes: int = 60_000
    targets_count: int = LARGE_COUNT

    @property
    def folder(self) -> str:
        return f"{self.name}-{PARTITION}"

    @property
    def broker_config(self) -> dict[str, str]:
        """A gigabyte of preallocated indexes is more than this has to show."""
        return {"retention.ms": "-1", "segment.index.bytes": "1048576"} | dict(self.config)

    @property
    def engine_config(self) -> LogConfig:
        return replace(LogConfig.from_properties(self.broker_config), segment_bytes=self.segment_bytes)


TOPICS: Final = (
    Topic("plain", _plain, {"index.interval.bytes": "1024"}, 150_000),
    Topic("gzip", _of_config, {"compression.type": "gzip", "index.interval.bytes": "64"}),
    Topic("snappy", _of_codec, {"segment.ms": "200000"}, 1 << 20),
    Topic("lz4", _of_codec, {"segment.index.bytes": "600", "index.interval.bytes": "300"}, 1 << 20),
    Topic("zstd", _of_config, {"compression.type": "zstd", "index.interval.bytes": "0"}, 40_000),
    Topic("stamped", _stamped, {"message.timestamp.type": "LogAppendTime", "segment.ms": "300000"}),
    Topic("late", _late, {"index.interval.bytes": "512"}),
    Topic("gaps", _gaps, {"index.interval.bytes": "700"}),
    Topic("cut", _cut, {"index.interval.bytes": "900"}),
    Topic("transactions", _transactions, {"index.interval.bytes": "500"}),
    Topic("untimed", _untimed, {"index.interval.bytes": "300"}, LARGE_COUNT, 50),
    Topic("begun", _begun, targets_count=10),
    Topic("empty", lambda filling: None, targets_count=10),
)


@dataclass(repr=False)
class Filled:
    """What must be found in a topic.

    Attributes:
        rows: the records. aborted: offsets of those of aborted transactions that the engine stored; theirs: of those
            that a broker stored, which knows of them.
    """

    rows: list[Row]
    aborted: set[int] = field(default_factory=set)
    theirs: set[int] = field(default_factory=set)


def targets(rows: Sequence[Row], count_wanted: int, name: str) -> list[int]:
    """Different timestamps of every kind: those of records and one beside, between, before and behind them all."""
    source = random.Random(f"{SEED}/{name}/targets")
    stamps = sorted({row.timestamp for row in rows if row.timestamp >= 0}) or [BASE_MS]
    low, high = stamps[0], stamps[-1]
    found = dict.fromkeys([0, 1, low - 1, low, high, high + 1, 2**62, 2**63 - 1])
    near = [stamp + by for stamp in stamps for by in (-1, 0, 1)]
    source.shuffle(near)
    found.update(dict.fromkeys(near[: count_wanted // 2]))
    middle = stamps[len(stamps) * 95 // 100]
    while len(found) < count_wanted:
        found[source.randint(low - 5000, middle if source.random() < 0.8 else high + 5000)] = None
    return list(found)[:count_wanted]


_ANSWERED: Final[dict[tuple[str, str, tuple[int, ...]], dict[int, Answer]]] = {}


def answers(log: Log, wanted: Sequence[int]) -> dict[int, Answer]:
    """What the engine says of each timestamp. The same files, asked the same, are not asked twice."""
    digest = hashlib.sha256()
    for path in sorted(log.path.iterdir()):
        if path.suffix in (".log", ".index", ".timeindex"):
            digest.update(path.name.encode() + path.read_bytes())
    key = log.topic, digest.hexdigest(), tuple(wanted)
    if key not in _ANSWERED:
        _ANSWERED[key] = {target: _answer(log.offset_for_timestamp(target)) for target in wanted}
    return _ANSWERED[key]


def named_answers(log: Log) -> dict[str, Answer]:
    """What the engine says of the ends of the log and of its largest timestamp."""
    names = {"earliest": EARLIEST_TIMESTAMP, "latest": LATEST_TIMESTAMP, "maxTimestamp": MAX_TIMESTAMP}
    return {name: _answer(log.offset_for_timestamp(number)) for name, number in names.items()}


def _answer(found: Any) -> Answer:
    if found is None:
        return -1, -1, -1
    return found.offset, found.timestamp, -1 if found.leader_epoch is None else found.leader_epoch


def fill(root: Path) -> dict[str, Filled]:
    """Fill all topics, through logs that are open at the same time and close together."""
    found = {}
    with Root.open(root, create=False) as opened:
        for topic in TOPICS:
            clock = ManualClock(BASE_MS + 30 * DAY_MS)
            log = Log.open(root / topic.folder, topic.engine_config, root=opened, create=False, clock=clock)
            filling = Filling(log, clock)
            topic.fill(filling)
            found[topic.name] = Filled(filling.rows, filling.aborted)
    return found


@dataclass(repr=False)
class Opened:
    """What the engine found in a topic's log.

    Attributes:
        report: of opening it. changes: what that changed on the disk, but for room for more entries in the indexes.
        rows: all records but control records. times, named: what `answers` and `named_answers` gave.
        epochs: leader epochs and their first offsets.
    """

    report: str
    changes: list[str]
    rows: list[Row]
    times: dict[int, Answer]
    named: dict[str, Answer]
    epochs: tuple[tuple[int, int], ...]


def reopen(
    root: Path, wanted: Mapping[str, Sequence[int]] | None = None, more: Mapping[str, Filled] | None = None
) -> dict[str, Opened]:
    """Open every partition's folder of a root with the engine, a broker's own topics included, and look into it.

    ``wanted`` are the timestamps to look for. With ``more``, records are appended to `TOPICS`, and noted there.
    """
    found = {}
    configs = {topic.folder: topic.engine_config for topic in TOPICS}
    folders = [path for path in sorted(root.iterdir()) if path.is_dir() and parse_folder_name(path.name) is not None]
    with Root.open(root, create=False) as opened:
        for path in folders:
            if path.name == "__cluster_metadata-0":  # the controller's, which recovers it by itself
                continue
            clock = ManualClock(wall_clock_ms())
            log = Log.open(path, configs.get(path.name, LogConfig()), root=opened, create=False, clock=clock)
            found[log.topic] = Opened(
                str(log.report),
                [str(finding) for finding in log.report.changes if finding.action is not Action.GROW],
                [_row_of(record) for record in log.records()],
                answers(log, (wanted or {}).get(log.topic, ())),
                named_answers(log),
                log.leader_epochs,
            )
            if more is not None and path.name in configs:
                filling = Filling(log, clock)
                filling.rows = more[log.topic].rows
                filling.time_ms = BASE_MS + 2 * DAY_MS
                for codec in CODEC_NAMES:
                    filling.append([filling.record() for _ in range(10)], codec)
    return found


def _row_of(record: Record) -> Row:
    return Row(record.offset, record.timestamp, record.key, record.value, record.headers)


# --- asking --------------------------------------------------------------------------------------------------------


def create_topics(running: Broker) -> None:
    """Make all topics, of one partition each."""
    admin = admin_client.AdminClient({"bootstrap.servers": running.bootstrap, "log_level": 0})
    new = [admin_client.NewTopic(topic.name, 1, 1, config=topic.broker_config) for topic in TOPICS]
    for future in admin.create_topics(new).values():
        future.result(TIMEOUT_S)


class Writer:
    """Clients that append to a broker's topics; what they wrote is noted in what must be found."""

    def __init__(self, running: Broker, found: Mapping[str, Filled], seed: str) -> None:
        self.found, self.source = found, random.Random(f"{SEED}/{seed}")
        self.common = {"bootstrap.servers": running.bootstrap, "linger.ms": 1000, "acks": "all", "log_level": 0}
        self.failures: list[object] = []

    def write_all(self) -> None:
        """Batches of every codec to all topics, and transactions to one, half of which are aborted."""
        for codec in CODEC_NAMES:
            producer = confluent_kafka.Producer(
                self.common | {"compression.type": codec, "enable.idempotence": codec != "none"}
            )
            for topic in TOPICS:
                self.write(producer, topic.name, self.source.randint(1, 15))
        transactional = self.transactional()
        for number in range(4):
            is_aborted = number % 2 == 0
            transactional.begin_transaction()
            offsets = self.write(transactional, "transactions", 5)
            (transactional.abort_transaction if is_aborted else transactional.commit_transaction)(TIMEOUT_S)
            if is_aborted:
                self.found["transactions"].theirs |= set(offsets)
        # A commit is answered before its marker is in the log; a successor has to wait for that.
        self.transactional()

    def transactional(self) -> Any:
        """A producer with transactions, begun when those of the one before have ended."""
        producer = confluent_kafka.Producer(self.common | {"transactional.id": "adopter"})
        producer.init_transactions(TIMEOUT_S)
        return producer

    def write(self, producer: Any, topic: str, count: int) -> list[int]:
        """One batch; the offsets that its records got."""
        offsets: list[int] = []

        def noting(row: Row) -> Callable[[object, Any], None]:
            def note(error: object, message: Any) -> None:
                if error:
                    self.failures.append(error)
                else:
                    offsets.append(message.offset())
                    stored = row._replace(offset=message.offset(), timestamp=message.timestamp()[1])
                    self.found[topic].rows.append(stored)

            return note

        for number in range(count):
            stamp = BASE_MS + DAY_MS + self.source.randint(0, 1_000_000)
            key, value = self.source.choice((None, b"", b"key")), b"from a client " * number or None
            headers = (("client", self.source.choice((None, b"x"))),) * (number % 3)
            row = Row(-1, stamp, key, value, headers)
            producer.produce(topic, value, key, PARTITION, noting(row), timestamp=stamp, headers=list(headers))
        assert producer.flush(TIMEOUT_S) == 0 and not self.failures, (topic, self.failures[:1])
        return offsets


@dataclass(repr=False)
class Told:
    """What a broker's clients got, by topic: the records by isolation level, the answers to lookups, and the leader
    epochs of the uncommitted records."""

    uncommitted: dict[str, list[Row]]
    committed: dict[str, list[Row]]
    times: dict[str, dict[int, Answer]]
    named: dict[str, dict[str, Answer]]
    epochs: dict[str, list[int]]


def ask(version: str, running: Broker, wanted: Mapping[str, Sequence[int]], threads: int = 2) -> Told:
    """Have the consumer and the admin client of that version ask the broker; no timestamps, no lookups."""
    with tempfile.TemporaryDirectory(prefix="kformat-asked-") as work:
        folder = Path(work)
        lines = [" ".join([topic, *map(str, stamps)]) + "\n" for topic, stamps in wanted.items()]
        (folder / "wanted").write_text("".join(lines), encoding="ascii")
        done = java(version, "AskBroker", [running.bootstrap, work, str(threads)], timeout_s=5 * TIMEOUT_S)
        if done.returncode:
            raise RuntimeError(done.stderr.decode(errors="replace")[-4000:])
        told = Told(
            {topic: [] for topic in wanted},
            {topic: [] for topic in wanted},
            {topic: {} for topic in wanted},
            {topic: {} for topic in wanted},
            {topic: [] for topic in wanted},
        )
        for name, rows in (("read_uncommitted", told.uncommitted), ("read_committed", told.committed)):
            for topic, words in _lines(folder / name):
                rows[topic].append(_row(words))
                if rows is told.uncommitted:
                    told.epochs[topic].append(int(words[3]))
        for topic, (target, *numbers) in _lines(folder / "times"):
            told.times[topic][int(target)] = _numbers(numbers)
        for topic, (spec, *numbers) in _lines(folder / "named"):
            told.named[topic][spec] = _numbers(numbers)
    return told


def _lines(path: Path) -> list[tuple[str, list[str]]]:
    words = [line.split("\t") for line in path.read_text(encoding="ascii").splitlines()]
    return [(topic, rest) for topic, *rest in words]


def _numbers(words: Sequence[str]) -> Answer:
    offset, timestamp, epoch = map(int, words)
    return offset, timestamp, epoch


def _row(words: Sequence[str]) -> Row:
    offset, timestamp, _, _, key, value, *headers = words
    pairs = zip(headers[::2], headers[1::2], strict=True)
    return Row(
        int(offset),
        int(timestamp),
        _bytes(key),
        _bytes(value),
        tuple(((_bytes(name) or b"").decode(), _bytes(given)) for name, given in pairs),
    )


def _bytes(text: str) -> bytes | None:
    return None if text == "-" else base64.b64decode(text)
