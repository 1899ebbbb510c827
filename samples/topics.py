"""The topics of the samples of brokers 1.1.1 and newer: how each is configured, fed and left.

Everything is drawn from a seeded generator and stamped from a fixed instant, and each batch is flushed by itself, so
that another run writes nearly the same bytes. What still differs: broker clocks (LogAppendTime, transaction markers,
deadlines of tombstones), topic and producer ids, and what the cleaner met when it woke.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

# 2023-11-14 22:13:20 UTC.
BASE_TIMESTAMP_MS = 1_700_000_000_000
TIMEOUT_S = 30
WORDS = "offset position batch segment record broker leader epoch index entry größe 位移 producer fetch".split()

Headers = Sequence[tuple[str, bytes | None]]


@dataclass(frozen=True)
class Message:
    """One record to send; `timestamp_ms` is above 0, which librdkafka would replace by the clock."""

    key: bytes | None
    value: bytes | None
    timestamp_ms: int
    headers: Headers = ()


class Feed:
    """What a topic's feeder gets: producers that send one batch per call, the version, a seeded generator."""

    def __init__(self, bootstrap: str, version: tuple[int, ...], topic: str):
        self.bootstrap = bootstrap
        self.version = version
        self.topic = topic
        self.random = random.Random(f"kformat {topic}")

    def producer(self, **config: object) -> Producer:
        """A producer whose batches end at `flush` only; underscores in names stand for dots."""
        dotted = {key.replace("_", "."): value for key, value in config.items()}
        return Producer(
            {"bootstrap.servers": self.bootstrap, "linger.ms": 2000, "acks": "all", "log_level": 2, **dotted}
        )

    def batch(self, producer: Producer, messages: Sequence[Message], partition: int = 0) -> None:
        """Send the messages as one batch and wait for its acknowledgement; RuntimeError when one was refused."""
        failures = []
        for message in messages:
            producer.produce(
                self.topic,
                key=message.key,
                value=message.value,
                timestamp=message.timestamp_ms,
                headers=list(message.headers) or None,
                partition=partition,
                on_delivery=lambda error, _: failures.append(error) if error else None,
            )
        if producer.flush(TIMEOUT_S) or failures:
            raise RuntimeError(f"{self.topic}: a batch was not written: {failures[:1]}")

    def text(self, size: int) -> bytes:
        """About `size` bytes of words, which compress."""
        return b" ".join(self.random.choice(WORDS).encode() for _ in range(size // 7 + 1))[:size]

    def messages(self, count: int, first: int, *, step_ms: int = 10, jitter_ms: int = 0) -> list[Message]:
        """`count` messages numbered from `first`, `step_ms` apart, each up to `jitter_ms` early or late."""
        return [
            Message(
                b"key-%d" % (number % 37),
                self.text(self.random.choice((0, 1, 10, 60, 200))),
                BASE_TIMESTAMP_MS + number * step_ms + self.random.randint(-jitter_ms, jitter_ms),
            )
            for number in range(first, first + count)
        ]


def feed_plain(feed: Feed) -> None:
    """Batches of one to twelve records, timestamps a little out of order."""
    producer = feed.producer()
    for partition in (0, 1):
        first = 0
        for _ in range(40):
            size = feed.random.randint(1, 12)
            feed.batch(producer, feed.messages(size, first, jitter_ms=15), partition)
            first += size


def feed_batches(feed: Feed) -> None:
    """Twelve batches of fifteen records."""
    producer = feed.producer()
    for number in range(12):
        feed.batch(producer, feed.messages(15, number * 15, jitter_ms=40))


def feed_compressed_by_producer(feed: Feed) -> None:
    """The same, compressed by librdkafka with the codec that the topic is named after."""
    producer = feed.producer(compression_type=feed.topic.removeprefix("producer-"))
    for number in range(12):
        feed.batch(producer, feed.messages(15, number * 15, jitter_ms=40))


HEADERS: tuple[Headers, ...] = (
    (),
    (("a", b"1"),),
    (("a", b"1"), ("a", b"2"), ("a", b"1")),
    (("", b""), ("null", None)),
    (("größe", bytes(range(256))), ("键", "值".encode()), ("🦔", b"\x00")),
    (("with, comma", b"[x]"), ("with space ", b""), ("]", None)),
    tuple((f"h{number}", b"%d" % number) for number in range(70)),
)


def feed_headers(feed: Feed) -> None:
    """Every list of headers with every kind of key and value."""
    producer = feed.producer()
    for number, headers in enumerate(HEADERS):
        kinds = [(None, None), (b"", b""), (b"k", b"v"), (None, b""), (b"", None)]
        stamp = BASE_TIMESTAMP_MS + number * 100
        feed.batch(producer, [Message(key, value, stamp, headers) for key, value in kinds])


def feed_nulls(feed: Feed) -> None:
    """Null, empty and long keys and values (lengths of one, two and three bytes), early and late timestamps."""
    producer = feed.producer()
    keys = (None, b"", b"k", b"K" * 63, b"K" * 64, bytes(300))
    values = (None, b"", b"v", b"\x00" * 5000, b"V" * 63, b"V" * 64, b"x" * 8191, b"x" * 8192)
    stamps = (1, 2, BASE_TIMESTAMP_MS, BASE_TIMESTAMP_MS + 60_000, BASE_TIMESTAMP_MS - 10**10, 2**31, 2**31 - 1)
    for _ in range(10):
        picks = range(feed.random.randint(1, 6))
        one = feed.random.choice
        feed.batch(producer, [Message(one(keys), one(values), one(stamps)) for _ in picks])


TEXTS = (
    b"plain", b"", b" ", b"two\nlines", b"\r\n", b"\ttab", b"nul \x00 inside", b"bell \x07 escape \x1b[31m",
    b"\x7f\x80\x81", "größe 位移 🦔".encode(), "\ufeffbom".encode(), "e\u0301 combined".encode(),
    "\u2028 line separator".encode(), b"\xff", b"\xfe\xff", b"\xc3", b"\xc3(", b"\xe2\x82", b"\xe2\x82(",
    b"\xe2(\xa1", b"\xf0\x9f\xa6", b"\xf0\x9f\xa6(", b"\xf0\x9f(", b"\xf0(\x8c\xbc", b"\xf0", b"\xc0\x80",
    b"\xc1\xbf", b"\xe0\x80\xaf", b"\xe0\x9f\xbf", b"\xf0\x80\x80\xaf", b"\xf0\x8f\xbf\xbf", b"\xed\xa0\x80",
    b"\xed\xbf\xbf", b"\xed\xa0\xbd\xed\xb8\x80", b"\xed\xa0", b"\xed\xa0x", b"\xed", b"\xf4\x8f\xbf\xbf",
    b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80", b"\xef\xbf\xbd",
    b"\xef\xbf\xbe", b"\x80\x80\x80", b"a\xe2\x82b\xf0\x9fc\xedd", bytes(range(256)),
)  # fmt: skip


def feed_texts(feed: Feed) -> None:
    """Keys and values that are not UTF-8 in every way that text can fail to be, and text that terminals dislike."""
    producer = feed.producer()
    for begin in range(0, len(TEXTS), 8):
        texts = TEXTS[begin : begin + 8]
        feed.batch(producer, [Message(text, b"<" + text + b">", BASE_TIMESTAMP_MS + begin) for text in texts])
    noise = [bytes(feed.random.choices((0x41, 0x80, 0xA0, 0xBF, 0xC3, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xFF), k=12))
             for _ in range(300)]  # fmt: skip
    for begin in range(0, len(noise), 60):
        feed.batch(producer, [Message(None, text, BASE_TIMESTAMP_MS + 1000) for text in noise[begin : begin + 60]])


def feed_late(feed: Feed) -> None:
    """CreateTime out of order: every eighth record up to an hour late, every thirtieth a minute early."""
    producer = feed.producer()
    number = 0
    for _ in range(120):
        messages = feed.messages(feed.random.randint(1, 8), number, step_ms=1000)
        shifted = []
        for message in messages:
            draw = feed.random.random()
            shift = -feed.random.randrange(3_600_000) if draw < 1 / 8 else 60_000 if draw < 1 / 8 + 1 / 30 else 0
            shifted.append(Message(message.key, message.value, message.timestamp_ms + shift))
        feed.batch(producer, shifted)
        number += len(messages)


def feed_rolled_by_time(feed: Feed) -> None:
    """Four bursts a minute apart, where `segment.ms` is half a minute: four segments."""
    producer = feed.producer()
    for burst in range(4):
        for number in range(20):
            feed.batch(producer, feed.messages(6, burst * 6000 + number * 6, jitter_ms=30))


def feed_rolled_by_bytes(feed: Feed) -> None:
    """Enough for several segments of 16 KiB."""
    producer = feed.producer()
    for number in range(70):
        feed.batch(producer, feed.messages(8, number * 8))


def feed_rolled_by_index(feed: Feed) -> None:
    """Batches of one record: the index of 300 bytes is full long before the segment."""
    producer = feed.producer()
    for number in range(150):
        feed.batch(producer, [Message(b"%d" % number, feed.text(70), BASE_TIMESTAMP_MS + number * 10)])


def feed_tombstones(feed: Feed) -> None:
    """Twenty keys, each written, deleted and a few written again; never cleaned."""
    producer = feed.producer()
    keys = [b"user-%d" % number for number in range(20)]
    for values, chosen in (((b"first"), keys), (None, keys), (b"again", keys[::5])):
        feed.batch(producer, [Message(key, values, BASE_TIMESTAMP_MS + n) for n, key in enumerate(chosen)])


def feed_idempotent(feed: Feed) -> None:
    """Two idempotent producers taking turns."""
    producers = [feed.producer(enable_idempotence=True), feed.producer(enable_idempotence=True)]
    for number in range(24):
        feed.batch(producers[number % 2], feed.messages(feed.random.randint(1, 9), number * 9))


def transactional(feed: Feed, name: str) -> Producer:
    producer = feed.producer(transactional_id=f"{feed.topic}-{name}", transaction_timeout_ms=600_000)
    producer.init_transactions(TIMEOUT_S)
    return producer


def feed_transactions(feed: Feed) -> None:
    """Two transactional producers, interleaved, over two partitions; about a third aborted; the last left open."""
    first, second = transactional(feed, "first"), transactional(feed, "second")
    outside = feed.producer()
    for number in range(16):
        first.begin_transaction()
        if number % 2:
            second.begin_transaction()
        for partition in (0, 1):
            feed.batch(first, feed.messages(feed.random.randint(1, 6), number * 10), partition)
            if number % 2:
                feed.batch(second, feed.messages(feed.random.randint(1, 6), number * 10 + 5), partition)
        if number % 4 == 2:
            feed.batch(outside, feed.messages(3, number * 10), number % 2)
        (first.abort_transaction if number % 3 == 1 else first.commit_transaction)(TIMEOUT_S)
        if number % 2:
            (second.abort_transaction if number % 5 == 0 else second.commit_transaction)(TIMEOUT_S)
    second.begin_transaction()
    for partition in (0, 1):
        feed.batch(second, feed.messages(4, 1000), partition)
    OPEN.append(second)


# Producers that must live as long as their broker, because their transaction is meant to stay open.
OPEN: list[Producer] = []


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def feed_compacted(feed: Feed) -> None:
    """Thirty keys overwritten and deleted in five bursts a minute apart by idempotent producers.

    What the first two producers wrote is all overwritten by the third. The broker keeps the last batch of a producer
    that it still knows, emptied, for its sequence number.
    """
    stamp = now_ms() - 3_600_000
    for burst in range(5):
        producer = feed.producer(enable_idempotence=True)
        keys = [b"key-%02d" % number for number in range(30)]
        if burst > 2:
            keys = feed.random.sample(keys, 12)
        for begin in range(0, len(keys), 6):
            messages = [
                Message(
                    key, None if burst and feed.random.random() < 0.2 else feed.text(90), stamp + burst * 60_000 + at
                )
                for at, key in enumerate(keys[begin : begin + 6])
            ]
            feed.batch(producer, messages)


def feed_compacted_transactions(feed: Feed) -> None:
    """Transactions over few keys, one in three aborted, in a compacted topic; then a record that rolls."""
    producer = transactional(feed, "only")
    for number in range(12):
        producer.begin_transaction()
        stamp = now_ms()
        feed.batch(producer, [Message(b"key-%d" % (at % 7), feed.text(40), stamp) for at in range(number % 5 + 1)])
        (producer.abort_transaction if number % 3 == 2 else producer.commit_transaction)(TIMEOUT_S)
        time.sleep(0.1)
    feed.batch(feed.producer(), [Message(b"last", b"rolls the segment", now_ms() + 1_800_000)])


def feed_single(feed: Feed) -> None:
    """One record."""
    feed.batch(feed.producer(), [Message(b"only", b"one", BASE_TIMESTAMP_MS)])


def feed_nothing(feed: Feed) -> None:
    """No record at all."""


@dataclass(frozen=True)
class Topic:
    """One topic: `kinds` are the things it is a sample of; `when` is the broker run that writes it.

    Runs: `clean` (fed, stopped), `killed` (fed, kill -9), `recovered` (killed beside those, started again, fed once
    more, stopped).
    """

    name: str
    kinds: tuple[str, ...]
    feed: Callable[[Feed], None]
    config: dict[str, str] = field(default_factory=dict)
    partitions: int = 1
    when: str = "clean"
    since: tuple[int, ...] = (1,)
    until: tuple[int, ...] = (99,)
    compacted: bool = False

    def new_topic(self, version: tuple[int, ...]) -> NewTopic:
        """The request that creates it."""
        return NewTopic(self.name, self.partitions, 1, config=self.config_for(version))

    def config_for(self, version: tuple[int, ...]) -> dict[str, str]:
        """The configuration by that version's names: from 4.0 small segments have an internal name."""
        return {
            "internal.segment.bytes" if key == "segment.bytes" and version >= (4,) else key: value
            for key, value in self.config.items()
        }


CODECS = ("gzip", "snappy", "lz4", "zstd")
COMPACT = {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.01", "index.interval.bytes": "512"}


def _since(codec: str) -> tuple[int, ...]:
    return (2, 1) if codec == "zstd" else (1,)


TOPICS = (
    Topic("plain", ("uncompressed", "trimmed indexes"), feed_plain, {"index.interval.bytes": "512"}, partitions=2),
    *(
        Topic(f"broker-{codec}", (f"{codec} by the broker",), feed_batches,
              {"compression.type": codec, "index.interval.bytes": "512"}, since=_since(codec))
        for codec in CODECS
    ),
    *(
        Topic(f"producer-{codec}", (f"{codec} by the producer",), feed_compressed_by_producer,
              {"index.interval.bytes": "512"}, since=_since(codec))
        for codec in CODECS
    ),
    Topic("append-time", ("LogAppendTime",), feed_batches,
          {"message.timestamp.type": "LogAppendTime", "index.interval.bytes": "512"}),
    Topic("append-time-gzip", ("LogAppendTime", "gzip by the broker"), feed_batches,
          {"message.timestamp.type": "LogAppendTime", "compression.type": "gzip", "index.interval.bytes": "512"}),
    Topic("headers", ("headers", "null and empty keys and values"), feed_headers, {"index.interval.bytes": "64"}),
    Topic("nulls", ("null and empty keys and values", "out-of-order CreateTime"), feed_nulls),
    Topic("texts", ("text that is not UTF-8",), feed_texts),
    Topic("late", ("out-of-order CreateTime",), feed_late, {"index.interval.bytes": "256"}),
    Topic("rolled-by-time", ("several segments",), feed_rolled_by_time,
          {"segment.ms": "30000", "index.interval.bytes": "512"}),
    Topic("rolled-by-bytes", ("several segments",), feed_rolled_by_bytes,
          {"segment.bytes": "16384", "index.interval.bytes": "1024"}),
    Topic("rolled-by-index", ("several segments", "index rounded to whole entries"), feed_rolled_by_index,
          {"segment.index.bytes": "300", "index.interval.bytes": "64"}),
    Topic("tombstones", ("tombstones",), feed_tombstones),
    Topic("idempotent", ("idempotent producer",), feed_idempotent, {"index.interval.bytes": "512"}),
    Topic("transactions", ("transactions committed and aborted", "open transaction"), feed_transactions,
          {"index.interval.bytes": "512"}, partitions=2),
    Topic("compacted", ("compacted", "tombstones", "idempotent producer"), feed_compacted,
          COMPACT | {"segment.ms": "30000", "delete.retention.ms": "86400000"}, compacted=True),
    Topic("compacted-transactions", ("compacted", "transactions committed and aborted"), feed_compacted_transactions,
          COMPACT | {"segment.ms": "600000", "delete.retention.ms": "86400000"}, compacted=True),
    Topic("old-format", ("older message format",), feed_batches,
          {"message.format.version": "0.10.0", "index.interval.bytes": "512"}, until=(3,)),
    Topic("single", ("one record",), feed_single),
    Topic("empty", ("no record",), feed_nothing),
    Topic("killed", ("preallocated indexes", "several segments"), feed_rolled_by_time,
          {"segment.ms": "30000", "segment.index.bytes": "2000", "index.interval.bytes": "512"}, when="killed"),
    Topic("killed-empty", ("preallocated indexes", "no record"), feed_nothing,
          {"segment.index.bytes": "2000"}, when="killed"),
    Topic("killed-single", ("preallocated indexes", "one record"), feed_single,
          {"segment.index.bytes": "2000"}, when="killed"),
    Topic("killed-compacted", ("preallocated indexes", "compacted", "leftover files"), feed_compacted,
          COMPACT | {"segment.ms": "30000", "segment.index.bytes": "2000", "file.delete.delay.ms": "86400000",
                     "delete.retention.ms": "86400000"}, when="killed", compacted=True),
    # A new leader epoch after an unclean start comes with 4.0; before, the sole replica leads on in the old one.
    *(
        Topic("recovered", kinds, feed_rolled_by_time, {"segment.ms": "30000", "index.interval.bytes": "512"},
              when="recovered", since=since, until=until)
        for kinds, since, until in (
            (("recovered",), (1,), (4,)),
            (("recovered", "several leader epochs"), (4,), (99,)),
        )
    ),
)  # fmt: skip


def create(bootstrap: str, version: tuple[int, ...], topics: Sequence[Topic]) -> None:
    """Create the topics; KafkaException when one is refused."""
    if version < (3,):
        # The port answers before the controller stands, and a request that comes between the two is never answered.
        time.sleep(5)
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for created in admin.create_topics([topic.new_topic(version) for topic in topics]).values():
        created.result(TIMEOUT_S)


def feed(bootstrap: str, version: tuple[int, ...], topics: Sequence[Topic]) -> None:
    """Feed the topics one after the other."""
    for topic in topics:
        topic.feed(Feed(bootstrap, version, topic.name))


def commit_groups(bootstrap: str) -> None:
    """Three consumer groups join, read `plain` and commit, which is what `__consumer_offsets` then holds."""
    for group in ("readers", "größe", "once"):
        consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group, "auto.offset.reset": "earliest",
                             "enable.auto.commit": False})  # fmt: skip
        consumer.subscribe(["plain"])
        deadline = time.monotonic() + TIMEOUT_S
        while (message := consumer.poll(1.0)) is None and time.monotonic() < deadline:
            pass
        if message is None or message.error():
            raise RuntimeError(f"group {group} got nothing to commit")
        for offset in (5, 10, 15):
            consumer.commit(
                offsets=[TopicPartition("plain", 0, offset), TopicPartition("plain", 1, 1)], asynchronous=False
            )
        consumer.close()


def read_back(bootstrap: str, topic: str, partition: int, first: int = 0) -> list[dict[str, object]]:
    """All records of a partition as a read_uncommitted consumer returns them; TimeoutError when it stalls.

    Bytes stay bytes here; `timestamp_type` is Kafka's word, or null where the consumer says that there is none.
    """
    consumer = Consumer({
        "bootstrap.servers": bootstrap, "group.id": "oracle", "isolation.level": "read_uncommitted",
        "enable.auto.commit": False, "enable.partition.eof": True, "auto.offset.reset": "error",
        "check.crcs": True,
    })  # fmt: skip
    consumer.assign([TopicPartition(topic, partition, first)])
    records: list[dict[str, object]] = []
    while True:
        message = consumer.poll(TIMEOUT_S)
        if message is None:
            raise TimeoutError(f"{topic}-{partition} did not reach its end; {len(records)} records")
        if error := message.error():
            if error.code() != KafkaError._PARTITION_EOF:
                raise RuntimeError(f"{topic}-{partition}: {error}")
            break
        kind, timestamp = message.timestamp()
        records.append({
            "offset": message.offset(),
            "timestamp": timestamp,
            "timestamp_type": (None, "CreateTime", "LogAppendTime")[kind],
            "key": message.key(),
            "value": message.value(),
            "headers": [list(pair) for pair in message.headers() or []],
        })  # fmt: skip
    consumer.close()
    return records
