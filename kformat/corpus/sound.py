"""The sound files: every magic, codec, attribute and edge case, in folders like a broker's.

Each function below makes one or several partition folders (or the files of a root) and describes their special content
in words. Nothing here is wrong: Kafka reads it, and `kformat check` finds nothing. Files that Kafka reads although no
broker writes them are separate, in `odd`; the check may have findings there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import cramjam

from kformat.codec.constructs import build
from kformat.corpus.folders import PlannedSegment, log_file, of_kind, partition, sidecar
from kformat.corpus.parts import (
    EPOCH_MS,
    CorpusFile,
    Covers,
    Dice,
    LogPart,
    PlannedRecord,
    ProducerFields,
    batch,
    control_batch,
    empty_batch,
    end_of_transaction,
    message,
    wrapper,
)
from kformat.integers import MAX_INT16, MAX_INT32, MAX_INT64, MIN_INT16, MIN_INT32
from kformat.kafka.batch.compression import CODEC_NAMES, compress
from kformat.kafka.batch.legacy import LEGACY_CODECS
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.files.text_files import (
    CleanShutdown,
    EpochEntry,
    LeaderEpochs,
    MetaProperties,
    QuorumState,
    TopicOffset,
    TopicOffsets,
)
from kformat.kafka.index.indexing import PROFILES
from kformat.language.logical import uuid_text

KRAFT, ZOOKEEPER, FRESH = "sound/kraft", "sound/zookeeper", "sound/fresh"
ODD: Final = "odd/kafka"
"""The folder of files that Kafka reads, but no broker writes."""

_SMALL_INTERVAL_BYTES: Final = 300
_ROOM_BYTES: Final = 1000
"""`segment.index.bytes` of indexes that are in use: 125 slots of 8 bytes, 83 of 12."""

Files = list[CorpusFile]
Group = Callable[[int], Iterator[Files]]
GROUPS: Final[list[Group]] = []


def _group(function: Group) -> Group:
    GROUPS.append(function)
    return function


def sound_files(seed: int) -> Files:
    """All sound files and all odd ones, the roots' own included, in order of their paths."""
    files = [file for group in GROUPS for folder in group(seed) for file in folder]
    for root in (KRAFT, ZOOKEEPER):
        files += _root_files(root, [file for file in files if file.path.startswith(f"{root}/")], seed)
    return sorted(files, key=lambda file: file.path)


# --- contents ------------------------------------------------------------------------------------------------------


def contents(dice: Dice, offset: int = 0, count: int = 6, start_ms: int | None = None) -> list[PlannedRecord]:
    """Records as applications write them: some keys repeat, one value is a tombstone, one record has headers."""
    now = EPOCH_MS + dice.integer(0, 10**9) if start_ms is None else start_ms
    records = []
    for number in range(count):
        value = dice.text(dice.integer(8, 60))
        headers = (("trace-id", dice.noise(8)), ("kind", b"order")) if number == 1 else ()
        key = f"key-{dice.integer(0, 9)}".encode()
        records.append(PlannedRecord(offset + number, now + 10 * number, key, None if number == 4 else value, headers))
    return records


def _topic_id(seed: int, folder: str) -> bytes:
    return Dice(seed, folder, "topic id").noise(16)


def _kraft(seed: int, name: str, segments: Sequence[PlannedSegment], edge: Sequence[str] = (), **more: Any) -> Files:
    folder = f"{KRAFT}/{name}-0"
    return partition(folder, segments, edge=edge, topic_id=_topic_id(seed, folder), **more)


def _zookeeper(name: str, parts: Sequence[LogPart], edge: Sequence[str] = ()) -> Files:
    """A partition of an upgraded broker; so it has producer snapshots, which were introduced with magic 2."""
    return partition(f"{ZOOKEEPER}/{name}-0", [PlannedSegment(0, parts)], edge=edge, profile="first-offset")


def _odd(name: str, parts: Sequence[LogPart], edge: Sequence[str]) -> Files:
    """A log and its indexes, without producer snapshots."""
    return partition(f"{ODD}/{name}-0", [PlannedSegment(0, parts)], edge=edge, snapshots=False)


# --- magic 2: every codec × attribute -------------------------------------------------------------------------------


@_group
def attributes(seed: int) -> Iterator[Files]:
    for codec in CODEC_NAMES:
        for stamped in ("create", "append"):
            for kind in ("plain", "idempotent", "transactional", "horizon"):
                name = f"attributes-{codec}-{stamped}-{kind}"
                dice = Dice(seed, name)
                first, second = contents(dice, 0), contents(dice, 6)
                more: dict[str, Any] = {"codec": codec}
                if stamped == "append":
                    more["append_time"] = second[-1].timestamp + 500
                if kind == "horizon":
                    more["horizon"] = second[-1].timestamp + 86_400_000
                if kind in ("idempotent", "transactional"):
                    more["producer"] = ProducerFields(dice.integer(1000, 9999), dice.integer(1, 9), 0)
                parts = [batch(first, transactional=kind == "transactional", **more)]
                if kind == "transactional":
                    ended = second[-1].timestamp + 1000
                    parts.append(end_of_transaction("commit", 6, ended, more["producer"], coordinator_epoch=3))
                    again = [replace(content, offset=content.offset + 1) for content in second]
                    more["producer"] = more["producer"]._replace(sequence=6)
                    parts.append(batch(again, transactional=True, **more))
                    parts.append(end_of_transaction("abort", 13, ended + 5, more["producer"], coordinator_epoch=3))
                else:
                    if kind == "idempotent":
                        more["producer"] = more["producer"]._replace(sequence=6)
                    parts.append(batch(second, epoch=1, **more))
                yield _kraft(seed, name, [PlannedSegment(0, parts)])


# --- magic 2: every codec × edge ------------------------------------------------------------------------------------


def _headers(dice: Dice) -> list[PlannedRecord]:
    now = EPOCH_MS + dice.integer(0, 10**9)
    cases: list[tuple[tuple[str, bytes | None], ...]] = [
        (),
        (("one", b"1"),),
        tuple((f"header-{number}", dice.noise(number % 7)) for number in range(70)),
        (("again", b"first"), ("again", b"second"), ("again", b"first")),
        (("null", None),),
        (("", b"no key"), ("no value", b""), ("", None)),
        (("größe-位移-🙂", "größe-位移-🙂".encode()),),
        tuple((dice.text(size).decode(errors="replace"), dice.noise(size)) for size in (63, 64, 127, 128)),
    ]
    return [PlannedRecord(number, now + number, b"k", b"v", headers) for number, headers in enumerate(cases)]


def _nulls(dice: Dice) -> list[PlannedRecord]:
    now = EPOCH_MS + dice.integer(0, 10**9)
    pairs = [(key, value) for key in (None, b"", dice.noise(3)) for value in (None, b"", dice.noise(5))]
    return [PlannedRecord(number, now + number, key, value) for number, (key, value) in enumerate(pairs)]


# Numbers from which on a varint takes a byte more: zigzag doubles, so 2^6, 2^13 and so on.
_GROWING: Final = (0, 1, 62, 63, 64, 65, 126, 127, 128, 8190, 8191, 8192, 8193)


def _sizes(dice: Dice) -> list[PlannedRecord]:
    """Values with lengths around those from which on they, or the record's length, take a byte more."""
    now = EPOCH_MS + dice.integer(0, 10**9)
    small = [size for size in _GROWING if size < 8000]
    cases = [(dice.text(size), b"") for size in small] + [(None, dice.text(size)) for size in _GROWING]
    cases += [(None, dice.text(size)) for size in (*range(54, 58), *range(8181, 8185))]  # the record: 63, 64, 8191 ...
    return [
        PlannedRecord(number, now + number, key, value, (("x" * (number % 64), key),) if number % 3 == 1 else ())
        for number, (key, value) in enumerate(cases)
    ]


def _times(dice: Dice) -> list[PlannedRecord]:
    """Decreasing timestamps, missing ones, and deltas at which varints grow, up to the extremes of int64."""
    first = EPOCH_MS + dice.integer(0, 10**9)
    deltas = [0, -1, 1, -64, 63, 64, -65, 8191, 8192, 2**20, MAX_INT32, 2**31, MIN_INT32, MIN_INT32 - 1, 2**41]
    times = [first + delta for delta in deltas] + [0, -1, MAX_INT64 - 1, 2**62, -1]
    return [PlannedRecord(number, timestamp, b"k", dice.text(4)) for number, timestamp in enumerate(times)]


def _gaps(dice: Dice) -> list[PlannedRecord]:
    """Records after compaction: offsets are missing at the beginning, inside and at the end."""
    now = EPOCH_MS + dice.integer(0, 10**9)
    return [
        PlannedRecord(offset, now + offset, b"k%d" % offset, dice.text(20)) for offset in (3, 4, 66, 67, 8200, 8300)
    ]


def _big(dice: Dice) -> list[PlannedRecord]:
    """A payload of several blocks: of 32 KiB in snappy, 64 KiB in lz4, 128 KiB in zstd; noise is stored as it is."""
    now = EPOCH_MS + dice.integer(0, 10**9)
    return [
        PlannedRecord(0, now, b"text", dice.text(140_000)),
        PlannedRecord(1, now + 1, b"noise", dice.noise(20_000)),
        PlannedRecord(2, now + 2, b"zeros", bytes(40_000)),
    ]


def _many(dice: Dice) -> list[PlannedRecord]:
    now = EPOCH_MS + dice.integer(0, 10**9)
    return [PlannedRecord(number, now + number // 7, None, dice.noise(number % 2)) for number in range(400)]


def _extreme(dice: Dice) -> list[PlannedRecord]:
    """Offset deltas at which varints grow, up to the largest; the first timestamp has the largest delta below."""
    offsets = (0, 63, 64, 8191, 8192, 2**20 - 1, 2**20, 2**27 - 1, 2**27, MAX_INT32 - 1, MAX_INT32)
    times = (MAX_INT64, 0, 1, MAX_INT64, *range(7))
    return [PlannedRecord(offset, time, None, dice.text(6)) for offset, time in zip(offsets, times, strict=True)]


_EDGES: Final[dict[str, tuple[Callable[[Dice], list[PlannedRecord]], tuple[str, ...], dict[str, Any]]]] = {
    "headers": (
        _headers,
        (
            "0, 1 and many headers",
            "header key comes again",
            "header key empty",
            "header value null",
            "header not ASCII",
        ),
        {},
    ),
    "nulls": (_nulls, ("key null", "key empty", "value null", "value empty"), {}),
    "sizes": (_sizes, ("lengths where varints grow",), {}),
    "times": (_times, ("timestamps fall", "timestamp -1", "timestamp deltas beyond int32"), {}),
    "gaps": (_gaps, ("offset gaps", "first offset above the base offset"), {"base_offset": 0, "last_offset": 9000}),
    "big": (_big, ("payload of several blocks", "blocks that do not shrink"), {}),
    "many": (_many, ("more than 255 records",), {}),
    "extreme": (_extreme, ("offset deltas up to 2^31-1", "timestamp deltas down to -(2^63-1)"), {}),
    "single": (lambda dice: contents(dice, 0, 1), ("one record",), {}),
}


@_group
def edges(seed: int) -> Iterator[Files]:
    for edge, (make, words, more) in _EDGES.items():
        for codec in CODEC_NAMES:
            name = f"edge-{edge}-{codec}"
            yield _kraft(seed, name, [PlannedSegment(0, [batch(make(Dice(seed, name)), codec=codec, **more)])], words)


def _in_two(codec: int) -> Callable[[bytes], bytes]:
    """Two members, streams or frames, one after the other."""
    return lambda data: compress(codec, data[: len(data) // 2]) + compress(codec, data[len(data) // 2 :])


def _snappy_raw(data: bytes) -> bytes:
    """One block without the framing, as some clients sent it."""
    return bytes(cramjam.snappy.compress_raw(data))


def _lz4_with_checksums(data: bytes) -> bytes:
    """A frame with a checksum after each block, as cramjam writes it."""
    compressor = cramjam.lz4.Compressor(level=0, content_checksum=False, block_linked=False)
    compressor.compress(data)
    return bytes(compressor.finish())


def _lz4_with_content_checksum(data: bytes) -> bytes:
    compressor = cramjam.lz4.Compressor(level=0, content_checksum=True, block_linked=False)
    compressor.compress(data)
    return bytes(compressor.finish())


_FRAMINGS: Final[dict[str, tuple[str, str, Callable[[bytes], bytes]]]] = {
    "gzip-members": ("gzip", "two gzip members", _in_two(1)),
    "gzip-stored": ("gzip", "best compression of gzip", lambda data: compress(1, data, level=9)),
    "snappy-raw": ("snappy", "one raw snappy block without framing", _snappy_raw),
    "snappy-streams": ("snappy", "two framed snappy streams", _in_two(2)),
    "lz4-block-checksums": ("lz4", "lz4 frame with block checksums", _lz4_with_checksums),
    "lz4-content-checksum": ("lz4", "lz4 frame with a content checksum", _lz4_with_content_checksum),
    "lz4-high": ("lz4", "lz4 of the high compressor", lambda data: compress(3, data, level=17)),
    "zstd-frames": ("zstd", "two zstd frames", _in_two(4)),
    "zstd-fast": ("zstd", "fastest level of zstd", lambda data: compress(4, data, level=-7)),
    "zstd-long": ("zstd", "high level of zstd", lambda data: compress(4, data, level=19)),
}  # fmt: skip


@_group
def framings(seed: int) -> Iterator[Files]:
    """Batches from compressors of other clients, which Kafka reads."""
    for name, (codec, words, compress_by) in _FRAMINGS.items():
        name = f"framing-{name}"
        dice = Dice(seed, name)
        parts = [
            batch(contents(dice, 0, 20), codec=codec, compress_by=compress_by),
            batch(contents(dice, 20, 3), codec=codec, compress_by=compress_by),
        ]
        yield _kraft(seed, name, [PlannedSegment(0, parts)], (words,))


# --- magic 2: batches ----------------------------------------------------------------------------------------------


@_group
def emptied(seed: int) -> Iterator[Files]:
    """Batches that compaction emptied: kept for the producer's sequence, or for the end of the log."""
    kinds: dict[str, dict[str, Any]] = {
        "plain": {},
        "idempotent": {"producer": ProducerFields(17, 2, 40)},
        "append-time": {"append_time": EPOCH_MS + 10**9},
        "transactional": {"producer": ProducerFields(18, 1, 7), "transactional": True},
    }
    for kind, more in kinds.items():
        name = f"emptied-{kind}"
        dice = Dice(seed, name)
        parts = [empty_batch(batch(contents(dice, 0), **more))]
        if "transactional" in more:
            parts.append(end_of_transaction("commit", 6, EPOCH_MS + 2 * 10**9, ProducerFields(18, 1)))
            parts.append(empty_batch(end_of_transaction("abort", 7, EPOCH_MS + 2 * 10**9, ProducerFields(18, 1))))
        yield _kraft(seed, name, [PlannedSegment(0, parts)], ("batch without records",))
        kept = [replace(part, base_offset=part.base_offset) for part in parts]
        after = parts[-1].last_offset + 1
        kept.append(batch(contents(dice, after), codec="gzip"))
        yield _kraft(seed, f"{name}-then-more", [PlannedSegment(0, kept)], ("batch without records",))


@_group
def sequences(seed: int) -> Iterator[Files]:
    dice = Dice(seed, "sequences")
    at_end = ProducerFields(1, 0, MAX_INT32 - 2)
    parts = [
        batch(contents(dice, 0), producer=at_end),
        batch(contents(dice, 6), producer=ProducerFields(1, 0, 3)),
        batch(contents(dice, 12, 1), producer=ProducerFields(2, MAX_INT16, MAX_INT32)),
        batch(contents(dice, 13, 1), producer=ProducerFields(2, MAX_INT16, 0)),
        batch(contents(dice, 14, 2), producer=ProducerFields(MAX_INT64, 0, 0)),
    ]
    yield _kraft(
        seed, "sequences", [PlannedSegment(0, parts)], ("sequence wraps at 2^31-1", "largest producer id and epoch")
    )


@_group
def batches(seed: int) -> Iterator[Files]:
    dice = Dice(seed, "batches")
    none = [PlannedRecord(number, -1, b"k", dice.text(9)) for number in range(3)]
    yield _kraft(
        seed,
        "no-timestamps",
        [PlannedSegment(0, [batch(none), batch([replace(none[0], offset=3)])])],
        ("timestamp -1",),
    )
    yield _kraft(seed, "empty-log", [PlannedSegment(0, [])], ("log without a batch",))
    codecs = [batch(contents(dice, 6 * number), codec=codec) for number, codec in enumerate(CODEC_NAMES)]
    yield _kraft(seed, "codecs", [PlannedSegment(0, codecs)], ("all codecs in one log",))
    epochs = [
        batch(contents(dice, 6 * number), epoch=epoch)
        for number, epoch in enumerate((0, 0, 1, 5, 5, 6, 2**31 - 2, MAX_INT32))
    ]
    yield _kraft(seed, "leader-epochs", [PlannedSegment(0, epochs)], ("leader epochs with gaps, up to 2^31-1",))
    high = MAX_INT64 - 100_000
    parts = [batch(contents(dice, high + 5)), batch(contents(dice, high + 20), codec="zstd")]
    yield _kraft(
        seed,
        "high-offsets",
        [PlannedSegment(high, parts)],
        ("offsets close to 2^63-1", "first offset above the segment's"),
    )
    apart = [batch(contents(dice, 0)), batch(contents(dice, 100)), batch(contents(dice, 2**31 - 6))]
    yield _kraft(seed, "gaps-between-batches", [PlannedSegment(0, apart)], ("offset gaps between batches",))
    zero = [PlannedRecord(number, 0, None, dice.text(5)) for number in range(2)]
    yield _kraft(seed, "timestamp-zero", [PlannedSegment(0, [batch(zero)])], ("timestamp 0",))


@_group
def rolled(seed: int) -> Iterator[Files]:
    """Several segments, with index entries in each, under every writer profile: closed, in use, recovered."""
    for profile in PROFILES:
        for state in ("closed", "in-use", "recovered"):
            name = f"index-{profile}-{state}"
            dice = Dice(seed, name)
            parts, segments, offset, start = (
                list[LogPart](),
                list[PlannedSegment](),
                0,
                EPOCH_MS + dice.integer(0, 10**9),
            )
            for number in range(3):
                parts = []
                for index in range(14):
                    late = dice.integer(-3000, 3000)
                    parts.append(batch(contents(dice, offset, 1 + index * 7 % 5, start + late), epoch=number))
                    offset = parts[-1].last_offset + 1
                    start += 400
                # A follower's appends hold several batches; a leader's one each.
                append_id = [order // 3 for order in range(len(parts))] if number == 1 else None
                room = _ROOM_BYTES if state == "in-use" and number == 2 else None
                segments.append(PlannedSegment(parts[0].base_offset, parts, append_id, state == "recovered", room))
            words = (f"index {state}", "three segments", "appends of several batches")
            yield _kraft(seed, name, segments, words, profile=profile, index_interval_bytes=_SMALL_INTERVAL_BYTES)
    dice = Dice(seed, "index-codecs")
    parts = [
        batch(contents(dice, 8 * number, 8, EPOCH_MS + 1000 * number), codec=CODEC_NAMES[number % 5])
        for number in range(25)
    ]
    yield _kraft(
        seed, "index-codecs", [PlannedSegment(0, parts)], ("indexes of compressed batches",), index_interval_bytes=100
    )
    yield _kraft(
        seed,
        "index-in-use-without-entries",
        [PlannedSegment(0, [batch(contents(dice))], room_bytes=_ROOM_BYTES)],
        ("index in use",),
    )


@_group
def transactions(seed: int) -> Iterator[Files]:
    """Transactions side by side and across segments, with their transaction indexes and producer snapshots."""
    dice = Dice(seed, "transactions")
    one, two, three = ProducerFields(11, 0), ProducerFields(12, 3), ProducerFields(13, 1)
    now = EPOCH_MS + dice.integer(0, 10**9)

    def data(producer: ProducerFields, offset: int, sequence: int, codec: str = "none") -> LogPart:
        made = contents(dice, offset, 3, now + offset)
        return batch(made, codec=codec, transactional=True, producer=producer._replace(sequence=sequence))

    def end(kind: str, producer: ProducerFields, offset: int, coordinator_epoch: int = 0) -> LogPart:
        return end_of_transaction(kind, offset, now + offset, producer, coordinator_epoch=coordinator_epoch)

    first = [
        data(one, 0, 0),
        data(two, 3, 0, "lz4"),
        batch(contents(dice, 6, 3, now + 6)),
        end("abort", two, 9, MAX_INT32),
        data(two, 10, 3),
        data(three, 13, 0, "zstd"),
        end("commit", two, 16, MAX_INT32),
        end("abort", one, 17),
    ]
    second = [
        data(one, 18, 3),
        end("abort", three, 21),
        end("commit", one, 22, 1),
        data(three, 23, 3),
        data(two, 26, 6),
        end("abort", two, 29, MAX_INT32),
    ]
    words = ("transactions side by side", "transaction across segments", "transaction left open")
    yield _kraft(seed, "transactions", [PlannedSegment(0, first), PlannedSegment(18, second)], words)
    after = [data(one, 0, 0), end("commit", one, 3)]
    files = _kraft(seed, "transaction-index-empty", [PlannedSegment(0, after)], ("transaction index without entries",))
    name = f"{KRAFT}/transaction-index-empty-0/{file_name(0, 'txnindex')}"  # as a truncation of the log leaves it
    yield [*files, of_kind(name, b"", Covers(edge=("empty",)), entries=[])]
    alone = [end("abort", one, 0), end("commit", two, 1, MAX_INT32), end("abort", three, 2, 1)]
    yield _kraft(seed, "markers-alone", [PlannedSegment(0, alone)], ("ends of transactions without records",))


# --- magic 2: control records of KRaft ------------------------------------------------------------------------------

_NO_TAGS: Final[dict[str, Any]] = {"fields": []}


def _tags(dice: Dice) -> dict[str, Any]:
    """Unknown tagged fields, with numbers and sizes at which varints grow."""
    return {
        "fields": [
            {"tag": 100, "data": dice.noise(3)},
            {"tag": 300, "data": b""},
            {"tag": MAX_INT32, "data": dice.noise(200)},
        ]
    }


def _many_tags(dice: Dice) -> dict[str, Any]:
    """Tagged fields in such a number that it takes two bytes."""
    return {"fields": [{"tag": number, "data": dice.noise(number % 3)} for number in range(1, 131)]}


def _leader_change(dice: Dice, version: int, voters: Sequence[int], granting: int, tags: dict[str, Any]) -> bytes:
    entries: list[Any] = [
        {"voter_id": voter, "voter_directory_id": dice.noise(16) if version else None, "tagged_fields": tags}
        for voter in voters
    ]
    fields = {"version": version, "leader_id": voters[0] if voters else 1, "voters": entries, "tagged_fields": tags}
    # The type of a voter depends on the version, which is in the structure around it.
    return build("leader_change_message", {**fields, "granting_voters": entries[:granting]})


def _crowd(dice: Dice) -> bytes:
    """Voters and endpoints so many, and with names so long, that their lengths take two bytes."""
    endpoints = [{"name": "", "host": "node", "port": 1, "tagged_fields": _NO_TAGS}] * 126
    endpoints.append({"name": "LISTENER" * 20, "host": "very." * 40 + "long", "port": 2, "tagged_fields": _NO_TAGS})
    feature = {"min_supported_version": MIN_INT16, "max_supported_version": MAX_INT16, "tagged_fields": _NO_TAGS}
    voters = [
        {
            "voter_id": number,
            "voter_directory_id": dice.noise(16),
            "endpoints": endpoints if number == 0 else [],
            "kraft_version_feature": feature,
            "tagged_fields": _NO_TAGS,
        }
        for number in range(130)
    ]
    return build("voters_record", {"version": 0, "voters": voters, "tagged_fields": _NO_TAGS})


def _kraft_voters(dice: Dice, count: int, tags: dict[str, Any]) -> bytes:
    voters = []
    for number in range(count):
        endpoints = [
            {"name": name, "host": host, "port": port, "tagged_fields": tags}
            for name, host, port in (("CONTROLLER", "node-1.example", 65535), ("größe", "", 0))[: number + 1]
        ]
        feature = {"min_supported_version": 0, "max_supported_version": 1, "tagged_fields": tags}
        id = dice.noise(16) if number else bytes(16)
        voters.append(
            {
                "voter_id": (3, MAX_INT32)[number],
                "voter_directory_id": id,
                "endpoints": endpoints if number else endpoints[:0],
                "kraft_version_feature": feature,
                "tagged_fields": tags,
            }
        )
    return build("voters_record", {"version": 0, "voters": voters, "tagged_fields": tags})


def _metadata_contents(dice: Dice, offset: int, count: int, timestamp: int) -> list[PlannedRecord]:
    """Records of a cluster's metadata, two or more: a level, one that needs the level, and configurations."""
    values = [
        build("feature_level_record", {"name": "metadata.version", "feature_level": 7}),
        build("no_op_record", {}),
    ]
    for _ in range(count - 2):
        name = f"topic-{dice.integer(0, 9)}"
        config = {
            "resource_type": 2,
            "resource_name": name,
            "name": "retention.ms",
            "value": str(dice.integer(1, 10**9)),
        }
        values.append(build("config_record", config))
    return [PlannedRecord(offset + number, timestamp, None, value) for number, value in enumerate(values)]


@_group
def kraft_metadata(seed: int) -> Iterator[Files]:
    """The metadata log of a KRaft quorum, its snapshots, and the files next to it."""
    dice = Dice(seed, "kraft metadata")
    now = EPOCH_MS  # before all other times: by the cluster's clock no transaction is open for long
    tags = _tags(dice)

    def version(number: int, tagged: dict[str, Any]) -> bytes:
        return build("kraft_version_record", {"kraft_version": number, "tagged_fields": tagged})

    def header(timestamp: int, tagged: dict[str, Any]) -> bytes:
        return build("snapshot_header_record", {"last_contained_log_timestamp": timestamp, "tagged_fields": tagged})

    footers = [build("snapshot_footer_record", {"tagged_fields": tagged}) for tagged in (_NO_TAGS, tags)]
    changes = [
        _leader_change(dice, 0, (1,), 1, _NO_TAGS),
        _leader_change(dice, 0, (1, 2, MAX_INT32), 2, tags),
        _leader_change(dice, 0, (), 0, _NO_TAGS),
        _leader_change(dice, 0, range(130), 130, _NO_TAGS),
    ]
    parts: list[LogPart] = []

    def add(kinds: list[tuple[str, bytes | None]], epoch: int) -> None:
        offset = parts[-1].last_offset + 1 if parts else 0
        parts.append(control_batch(offset, now + offset, kinds, epoch=epoch))

    for epoch, change in enumerate(changes, 1):
        add([("leader_change", change)], epoch)
        offset = parts[-1].last_offset + 1
        parts.append(batch(_metadata_contents(dice, offset, 2, now + offset), epoch=epoch))
    add([("kraft_version", version(0, _NO_TAGS)), ("kraft_voters", _kraft_voters(dice, 0, _NO_TAGS))], 4)
    add([("kraft_version", version(1, tags)), ("kraft_voters", _kraft_voters(dice, 2, tags))], 4)
    add([("kraft_voters", _kraft_voters(dice, 2, _NO_TAGS)), ("kraft_voters", _crowd(dice))], 4)
    add([("kraft_version", version(1, _many_tags(dice)))], 4)
    end = parts[-1].last_offset + 1
    folder = f"{KRAFT}/__cluster_metadata-0"
    edge = ("control records of KRaft", "tagged fields", "empty lists")
    yield partition(folder, [PlannedSegment(0, parts)], edge=edge, topic_id=bytes(15) + b"\1")

    # Declared by Kafka since 4.0, but not written or read by any version so far.
    named = [_leader_change(dice, 1, (1, 2), 1, _NO_TAGS), _leader_change(dice, 1, (3,), 0, tags)]
    parts = [control_batch(number, now + number, [("leader_change", value)]) for number, value in enumerate(named)]
    yield _odd("leader-change-version-1", parts, ("leader change with directory ids",))

    def snapshot(epoch: int, tagged: dict[str, Any], footer: bytes, *, voters: bool) -> list[LogPart]:
        batches = [control_batch(0, now, [("snapshot_header", header(now - 5, tagged))], epoch=epoch)]
        if voters:
            extra: list[tuple[str, bytes | None]] = [
                ("kraft_version", version(1, tagged)),
                ("kraft_voters", _kraft_voters(dice, 2, tagged)),
            ]
            batches.append(control_batch(1, now, extra, epoch=epoch))
        offset = batches[-1].last_offset + 1
        batches.append(batch(_metadata_contents(dice, offset, 4, now), epoch=epoch))
        batches.append(control_batch(offset + 4, now, [("snapshot_footer", footer)], epoch=epoch))
        return batches

    words = ("KRaft snapshot",)
    plain, tagged = (snapshot(1, _NO_TAGS, footers[0], voters=False), snapshot(4, tags, footers[1], voters=True))
    yield [
        log_file(f"{folder}/{3:020d}-{1:010d}.checkpoint", plain, words),
        log_file(f"{folder}/{end:020d}-{4:010d}.checkpoint", tagged, (*words, "tagged fields")),
        log_file(f"{KRAFT}/bootstrap.checkpoint", snapshot(0, _NO_TAGS, footers[0], voters=False), words),
        sidecar(
            f"{folder}/quorum-state",
            QuorumState(1, 4, -1, data_version=1, voted_directory_id=uuid_text(bytes(16))),
            ("version 1",),
        ),
    ]


# --- magic 0 and 1 -------------------------------------------------------------------------------------------------


def _plain_contents(dice: Dice, offset: int, count: int = 5) -> list[PlannedRecord]:
    """Records without headers, with every kind of null."""
    now = EPOCH_MS + dice.integer(0, 10**9)
    pairs: list[tuple[bytes | None, bytes | None]] = [
        (b"key", dice.text(30)), (None, dice.text(9)), (b"gone", None), (b"", b""), (None, None),
    ]  # fmt: skip
    return [PlannedRecord(offset + number, now + 10 * number, *pairs[number % 5]) for number in range(count)]


@_group
def legacy(seed: int) -> Iterator[Files]:
    """Magic 0 and 1: every codec × timestamp type; compressed messages are in wrappers."""
    for magic in (0, 1):
        for codec in LEGACY_CODECS:
            for stamped in ("create", "append")[: magic + 1]:
                name = f"magic-{magic}-{codec}" + (f"-{stamped}" if magic else "")
                dice = Dice(seed, name)
                time = EPOCH_MS + 2 * 10**9 if stamped == "append" else None
                first, second = _plain_contents(dice, 0), _plain_contents(dice, 5, 7)
                if codec == "none":
                    parts = [message(content, magic, append_time=time) for content in (*first, *second)]
                else:
                    bits = {"timestamp_type": "log_append_time"} if time else None  # of one of them
                    parts = [wrapper(first, magic, codec, append_time=time)]
                    parts.append(wrapper(second, magic, codec, append_time=time, inner_bits=bits))
                yield _zookeeper(name, parts)


@_group
def legacy_edges(seed: int) -> Iterator[Files]:
    for codec in LEGACY_CODECS[1:]:
        for magic in (0, 1):
            name = f"wrapper-{magic}-{codec}"
            dice = Dice(seed, name)
            single = _plain_contents(dice, 0, 1)
            gaps = [
                replace(content, offset=offset)
                for content, offset in zip(_plain_contents(dice, 0, 4), (1, 4, 5, 9), strict=True)
            ]
            parts = [
                wrapper(single, magic, codec),
                wrapper(gaps, magic, codec),
                wrapper(_plain_contents(dice, 10), magic, codec),
            ]
            yield _zookeeper(f"{name}-gaps", parts, ("offset gaps in a wrapper", "one message in a wrapper"))
            parts = [wrapper([replace(content, value=content.value) for content in _big(dice)], magic, codec)]
            yield _zookeeper(f"{name}-big", parts, ("payload of several blocks", "blocks that do not shrink"))
        dice = Dice(seed, f"wrapper-{codec}")
        start = _plain_contents(dice, 0, 3)
        absolute = [
            wrapper(start, 1, codec, stored=[content.offset for content in start]),
            wrapper(more := _plain_contents(dice, 3, 4), 1, codec, stored=[content.offset for content in more]),
        ]
        yield _odd(f"wrapper-absolute-{codec}", absolute, ("absolute offsets in a wrapper of magic 1",))
        zero = [wrapper(start, 1, codec, offset=0)]
        yield _odd(f"wrapper-zero-{codec}", zero, ("wrapper with offset 0, as of old librdkafka",))
        mixed = [wrapper(start, 1, codec, inner_magics=(1, 0, 1))]
        yield _odd(f"wrapper-mixed-{codec}", mixed, ("message of magic 0 in a wrapper of magic 1",))
    for magic in (0, 1):
        dice = Dice(seed, f"wrapper-framing-{magic}")
        messages = _plain_contents(dice, 0)
        for name, codec, words, compress_by in (
            ("snappy-raw", "snappy", "one raw snappy block without framing", _snappy_raw),
            ("lz4-right-checksum", "lz4", "lz4 header checksum as in magic 1", lambda data: compress(3, data, magic=1)),
            ("gzip-members", "gzip", "two gzip members", _in_two(1)),
        ):  # fmt: skip
            parts = [wrapper(messages, magic, codec, compress_by=compress_by)]
            yield _zookeeper(f"framing-{magic}-{name}", parts, (words,))
    dice = Dice(seed, "legacy edges")
    no_time = [replace(content, timestamp=-1) for content in _plain_contents(dice, 0)]
    yield _zookeeper("magic-1-no-timestamps", [message(content, 1) for content in no_time], ("timestamp -1",))
    yield _zookeeper("magic-1-no-timestamps-gzip", [wrapper(no_time, 1, "gzip")], ("timestamp -1",))
    big = [message(content, magic) for content, magic in zip(_big(dice), (0, 1, 1), strict=True)]
    yield _zookeeper("magic-1-big", big, ("big messages", "magic 0 and 1 in one log"))
    parts, offset = list[LogPart](), 0
    for magic in (0, 1, 2):
        for codec in LEGACY_CODECS:
            records = _plain_contents(dice, offset, 4)
            if magic == 2:
                parts.append(batch(records, codec=codec))
            elif codec == "none":
                parts += [message(content, magic) for content in records]
            else:
                parts.append(wrapper(records, magic, codec))
            offset += 4
    yield _zookeeper("upgraded", parts, ("all magics in one log",))


@_group
def odd(seed: int) -> Iterator[Files]:
    """Batches that other writers may have made."""
    dice = Dice(seed, "odd")
    yield _odd("reserved-bits", [batch(contents(dice), reserved=0b101010101)], ("reserved bits of attributes set",))
    yield _odd("record-attributes", [batch(contents(dice), record_attributes=-1)], ("attributes of records not 0",))
    past = [PlannedRecord(number, -1_000_000 + number, b"k", dice.text(9)) for number in range(3)]
    yield _odd("timestamps-before-1970", [batch(past)], ("timestamps below 0",))
    no_text = [PlannedRecord(0, EPOCH_MS, b"k", b"v", (("\udcff\udc80", b"1"), ("a\udce4b", None)))]
    yield _odd("headers-not-utf-8", [batch(no_text, codec=codec) for codec in ("none",)], ("header keys not UTF-8",))
    old = _plain_contents(dice, 0, 3)
    parts = [message(old[0], 1, reserved=0b1010), wrapper(old[1:], 1, "gzip", inner_bits={"reserved": 0b1111})]
    yield _odd("reserved-bits-of-messages", parts, ("reserved bits of attributes set",))
    unknown = PlannedRecord(0, EPOCH_MS, build("control_record_type_schema", {"type": 7}), b"from the future")
    newer = PlannedRecord(
        1, EPOCH_MS, build("control_record_type_schema", {"version": 1, "type": "kraft_version"}) + b"more", None
    )
    value = build("kraft_version_record", {"kraft_version": 1, "tagged_fields": _NO_TAGS}) + b"more"
    parts = [batch([unknown], controls=("unknown",)), batch([replace(newer, value=value)], controls=("kraft_version",))]
    yield _odd("control-records-to-come", parts, ("control type 7", "newer versions with bytes after"))
    producer = ProducerFields(5, 0, 0)
    parts = [batch(contents(dice, 0), transactional=True, producer=producer)]
    value = build("end_txn_marker", {"version": 3, "coordinator_epoch": 1}) + b"more"
    parts.append(control_batch(6, EPOCH_MS, [("commit", value)], producer=ProducerFields(5, 0, -1), transactional=True))
    yield _odd("marker-to-come", parts, ("end of a transaction of a newer version, with bytes after",))


# --- roots ---------------------------------------------------------------------------------------------------------


def _root_files(root: str, files: Files, seed: int) -> Files:
    """The files of a broker next to its partitions; the checkpoints name these partitions.

    The root has a clean shutdown marker. A partition whose indexes are in use was put there after the shutdown: it has
    no recovery point.
    """
    dice = Dice(seed, root)
    ends: dict[tuple[str, int], int] = {}
    starts: dict[tuple[str, int], int] = {}
    in_use = {file.path.split("/")[-2] for file in files if "zero padded" in file.covers.edge}
    for file in files:
        if file.kind == "log":
            topic, _, number = file.path.split("/")[-2].rpartition("-")
            end = max((part.last_offset + 1 for part in file.parts), default=0)
            ends[topic, int(number)] = max(end, ends.get((topic, int(number)), 0))
            first = min((part.base_offset for part in file.parts), default=0)
            starts[topic, int(number)] = min(first, starts.get((topic, int(number)), first))

    def offsets(entries: dict[tuple[str, int], int]) -> TopicOffsets:
        return TopicOffsets(tuple(TopicOffset(*key, offset) for key, offset in sorted(entries.items())))

    above = {key: offset for key, offset in starts.items() if offset}
    closed = {key: offset for key, offset in ends.items() if "{}-{}".format(*key) not in in_use}
    made = [
        sidecar(f"{root}/recovery-point-offset-checkpoint", offsets(closed)),
        sidecar(f"{root}/replication-offset-checkpoint", offsets(ends)),
        sidecar(f"{root}/log-start-offset-checkpoint", offsets(above), () if above else ("no entries",)),
        sidecar(f"{root}/cleaner-offset-checkpoint", offsets({}), ("no entries",)),
    ]
    cluster = uuid_text(dice.noise(16))
    properties: tuple[tuple[str, str], ...]
    if root == KRAFT:
        properties = (
            ("node.id", "1"),
            ("directory.id", uuid_text(dice.noise(16))),
            ("version", "1"),
            ("cluster.id", cluster),
        )
        made.append(sidecar(f"{root}/.kafka_cleanshutdown", CleanShutdown(dice.integer(0, 10**9), 0), ("JSON",)))
    else:
        properties = (("broker.id", "0"), ("version", "0"), ("cluster.id", cluster))
        made.append(sidecar(f"{root}/.kafka_cleanshutdown", CleanShutdown(), ("empty",)))
    comments = ("#", "#Tue Nov 14 22:13:20 UTC 2023")
    made.append(sidecar(f"{root}/meta.properties", MetaProperties(properties, comments)))
    return made


@_group
def fresh(seed: int) -> Iterator[Files]:
    """A new broker: empty files, and file formats of other versions."""
    dice = Dice(seed, FRESH)
    none = TopicOffsets((), None)
    yield [
        sidecar(f"{FRESH}/recovery-point-offset-checkpoint", none, ("empty",)),
        sidecar(f"{FRESH}/replication-offset-checkpoint", none, ("empty",)),
        sidecar(
            f"{FRESH}/meta.properties",
            MetaProperties((("broker.id", "2147483647"), ("version", "0"))),
            ("no cluster id",),
        ),
    ]
    folder = f"{FRESH}/__cluster_metadata-0"
    quorum = QuorumState(
        -1, 0, 3, cluster_id=uuid_text(dice.noise(16)), applied_offset=0, current_voters=(1, 2, MAX_INT32)
    )
    yield [sidecar(f"{folder}/quorum-state", quorum, ("version 0",))]
    words = ("log without a batch", "index in use")
    yield [
        log_file(f"{FRESH}/first-0/{file_name(0, 'log')}", (), words[:1]),
        *partition(f"{FRESH}/second-7", [PlannedSegment(0, [], room_bytes=_ROOM_BYTES)], edge=words),
        sidecar(f"{FRESH}/first-0/leader-epoch-checkpoint", LeaderEpochs((), None), ("empty",)),
    ]
    many = tuple(EpochEntry(epoch, 1000 * epoch) for epoch in range(300))
    yield [sidecar(f"{FRESH}/third-0/leader-epoch-checkpoint", LeaderEpochs(many), ("many entries",))]


__all__ = ["GROUPS", "contents", "sound_files"]
