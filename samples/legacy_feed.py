"""Feed and read brokers before 1.0; runs by itself in an environment that has kafka-python 2.0.2.

    python legacy_feed.py BOOTSTRAP API_VERSION feed|read|commit OUTPUT [TOPIC...]

`feed` sends what each topic is named for and writes what was acknowledged, `read` consumes the topics, `commit` lets
two groups commit offsets. OUTPUT gets one JSON line per record: topic, offset, timestamp, timestamp_type, key, value
(base64 or null) and headers (always empty); `feed` knows no timestamp_type.
"""

import base64
import json
import random
import sys

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.structs import OffsetAndMetadata

BASE_TIMESTAMP_MS = 1_700_000_000_000
TIMEOUT_S = 60
WORDS = "offset position batch segment record broker leader epoch index entry größe 位移 producer fetch".split()


class Feed:
    """Sends batches to one topic and remembers what was acknowledged."""

    def __init__(self, bootstrap, api_version, topic):
        self.topic = topic
        self.random = random.Random(f"kformat {topic}")
        self.with_timestamps = api_version >= (0, 10)
        codec = topic.removeprefix("producer-") if topic.startswith("producer-") else None
        # One request at a time and batches that end at a flush only, so that offsets follow the order of sending.
        self.producer = KafkaProducer(
            bootstrap_servers=bootstrap, api_version=api_version, compression_type=codec, linger_ms=5000,
            batch_size=1 << 20, acks=-1, max_in_flight_requests_per_connection=1,
        )  # fmt: skip
        self.sent = []

    def batch(self, messages):
        """Send (key, value, timestamp) triples in one request."""
        pending = []
        for key, value, timestamp in messages:
            stamp = {"timestamp_ms": timestamp} if self.with_timestamps else {}
            pending.append(
                (key, value, timestamp, self.producer.send(self.topic, key=key, value=value, partition=0, **stamp))
            )
        self.producer.flush(TIMEOUT_S)
        for key, value, timestamp, future in pending:
            offset = future.get(TIMEOUT_S).offset
            self.sent.append((offset, timestamp if self.with_timestamps else None, key, value))

    def text(self, size):
        """About `size` bytes of words, which compress."""
        return b" ".join(self.random.choice(WORDS).encode() for _ in range(size // 7 + 1))[:size]

    def messages(self, count, first, jitter_ms=0):
        """`count` messages numbered from `first`, 10 ms apart."""
        return [
            (b"key-%d" % (n % 37), self.text(self.random.choice((0, 1, 10, 60, 200))),
             BASE_TIMESTAMP_MS + n * 10 + self.random.randint(-jitter_ms, jitter_ms))
            for n in range(first, first + count)
        ]  # fmt: skip


def feed_batches(feed):
    for number in range(12):
        feed.batch(feed.messages(15, number * 15, jitter_ms=40))


def feed_rolled(feed):
    for number in range(70):
        feed.batch(feed.messages(8, number * 8))


def feed_singles(feed):
    for number in range(60):
        feed.batch(feed.messages(1, number, jitter_ms=25))


def feed_nulls(feed):
    pairs = [(None, b"v"), (b"", b""), (b"k", b""), (None, b""), (b"k" * 300, b"v" * 5000)]
    # kafka-python wants a key or a value.
    pairs += [(b"k", None), (b"", None)]
    for number in range(6):
        picks = [feed.random.choice(pairs) for _ in range(number + 1)] + pairs[number : number + 2]
        feed.batch([(key, value, BASE_TIMESTAMP_MS + number) for key, value in picks])


def feed_tombstones(feed):
    keys = [b"user-%d" % number for number in range(20)]
    for value, chosen in ((b"first", keys), (None, keys), (b"again", keys[::5])):
        feed.batch([(key, value, BASE_TIMESTAMP_MS + n) for n, key in enumerate(chosen)])


def feed_late(feed):
    for number in range(80):
        shifted = [
            (key, value, stamp - feed.random.randrange(3_600_000) if feed.random.random() < 1 / 8 else stamp)
            for key, value, stamp in feed.messages(5, number * 500)
        ]
        feed.batch(shifted)


def feed_compacted(feed):
    for burst in range(40):
        feed.batch([
            (b"key-%02d" % feed.random.randrange(30), None if feed.random.random() < 0.15 else feed.text(90),
             BASE_TIMESTAMP_MS + burst * 100 + at)
            for at in range(6)
        ])  # fmt: skip


def feed_one(feed):
    feed.batch([(b"only", b"one", BASE_TIMESTAMP_MS)])


FEEDS = {
    "plain": feed_batches, "singles": feed_singles, "nulls": feed_nulls, "tombstones": feed_tombstones,
    "late": feed_late, "append-time": feed_batches, "append-time-gzip": feed_batches, "rolled": feed_rolled,
    "compacted": feed_compacted, "single": feed_one, "killed": feed_rolled, "killed-single": feed_one,
    "old-format": feed_batches, "recovered": feed_rolled,
    **{f"{who}-{codec}": feed_batches for who in ("producer", "broker") for codec in ("gzip", "snappy", "lz4")},
}  # fmt: skip


def line(topic, offset, timestamp, timestamp_type, key, value):
    def text(data):
        return None if data is None else base64.b64encode(data).decode()

    record = {"topic": topic, "offset": offset, "timestamp": timestamp, "timestamp_type": timestamp_type,
              "key": text(key), "value": text(value), "headers": []}  # fmt: skip
    return json.dumps(record) + "\n"


def feed_topics(bootstrap, api_version, output, topics):
    for topic in topics:
        feed = Feed(bootstrap, api_version, topic)
        FEEDS[topic](feed)
        feed.producer.close(TIMEOUT_S)
        output.writelines(line(topic, offset, stamp, None, key, value) for offset, stamp, key, value in feed.sent)


def read_topics(bootstrap, api_version, output, topics):
    for topic in topics:
        consumer = KafkaConsumer(bootstrap_servers=bootstrap, api_version=api_version, check_crcs=True)
        partition = TopicPartition(topic, 0)
        consumer.assign([partition])
        consumer.seek(partition, 0)
        end = consumer.end_offsets([partition])[partition]
        while consumer.position(partition) < end:
            batches = consumer.poll(timeout_ms=TIMEOUT_S * 1000)
            if not batches:
                raise SystemExit(f"{topic} did not reach its end")
            for message in batches[partition]:
                kind = (
                    ("CreateTime", "LogAppendTime")[message.timestamp_type]
                    if message.timestamp_type is not None
                    else None
                )
                output.write(line(topic, message.offset, message.timestamp, kind, message.key, message.value))
        consumer.close()


def commit(bootstrap, api_version):
    for group in ("readers", "groesse"):
        consumer = KafkaConsumer(
            bootstrap_servers=bootstrap, api_version=api_version, group_id=group, enable_auto_commit=False
        )
        partition = TopicPartition("plain", 0)
        consumer.assign([partition])
        for offset in (5, 10, 15):
            consumer.commit({partition: OffsetAndMetadata(offset, "")})
        consumer.close(autocommit=False)


def main():
    bootstrap, version, verb, output, *topics = sys.argv[1:]
    api_version = tuple(int(part) for part in version.split("."))
    with open(output, "w", encoding="utf-8") as file:
        if verb == "feed":
            feed_topics(bootstrap, api_version, file, topics)
        elif verb == "read":
            read_topics(bootstrap, api_version, file, topics)
        else:
            commit(bootstrap, api_version)


if __name__ == "__main__":
    main()
