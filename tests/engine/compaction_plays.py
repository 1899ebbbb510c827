"""Plays of compacted logs: keys that come again, tombstones, transactions, and the cleaner in between.

What stays of a batch is the same for Kafka and the engine to the byte, but for compressed payloads that are built anew:
each library compresses in its own way. So a play is either ``plain``, and its files are compared as they are, or it
has compressed batches, and what is compared of them is their content (`contents`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from kformat.codec.constructs import parse
from kformat.corpus.parts import PlannedRecord, ProducerFields, batch, empty_batch, end_of_transaction, message, wrapper
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.files.text_files import parse_offsets
from tests.engine.plays import Play, _Producing, _Teller, _told

_ROOM_FOR_ALL: Final = 4096
_UNBOUNDED: Final = 2**63 - 1
_MAP_BYTES: Final = (24 * 4, 24 * 12, 24 * 40, 24 * 1000)
CHECKPOINT: Final = "cleaner-offset-checkpoint"


class _One(NamedTuple):
    """A batch to be told. ``what``: data, a marker, plain (of no producer) or empty; records: key, value, delta."""

    number: int
    what: str
    records: tuple[tuple[bytes | None, bytes | None, int], ...]
    behind: int
    gap: int
    codec: str
    is_stamped: bool


def _records(chance: Random, keys: int) -> tuple[tuple[bytes | None, bytes | None, int], ...]:
    return tuple(
        (
            None if chance.random() < 0.03 else b"k%d" % chance.randrange(keys),
            None if chance.random() < 0.2 else b"v" * chance.choice((0, 1, 10, 60)),
            chance.choice((0, 1, 7, -3, 40)),
        )
        for _ in range(chance.choice((1, 1, 1, 2, 3, 4)))
    )


def _one(chance: Random, keys: int, codecs: Sequence[str], has_producers: bool) -> _One:
    ways = ("data",) * 4 + ("abort", "commit") * 3 + ("plain",) * 3 + ("empty",)
    return _One(
        chance.randrange(5),
        chance.choice(ways) if has_producers else "plain",
        _records(chance, keys),
        chance.randint(-30, 60),
        chance.choice((0,) * 8 + (1, 5)),
        chance.choice(codecs),
        chance.random() < 0.1,
    )


def _tell_batches(teller: _Teller, parts: Sequence[_One]) -> None:
    data, offset = b"", teller.end_offset
    for one in parts:
        offset += one.gap
        time = teller.now + one.behind
        state = teller.producers.setdefault(one.number, _Producing(is_transactional=one.number % 2 == 1))
        producer_id = 1000 + 7 * one.number
        if one.what in ("abort", "commit") and state.is_transactional:
            state.coordinator_epoch += one.behind % 3 == 0
            if one.behind % 4 == 0:
                state.epoch, state.sequence = state.epoch + 1, 0
            ended: dict[str, Any] = {"coordinator_epoch": state.coordinator_epoch, "epoch": teller.epoch}
            data += end_of_transaction(
                one.what, offset, time, ProducerFields(producer_id, state.epoch, -1), **ended
            ).data
            offset += 1
            continue
        contents = [
            PlannedRecord(offset + at, time + delta, key, value, (("h", b"1"),) if at % 3 == 2 else ())
            for at, (key, value, delta) in enumerate(one.records)
        ]
        how: dict[str, Any] = {"codec": one.codec, "epoch": teller.epoch}
        if one.is_stamped:
            how["append_time"] = time
        if one.what in ("data", "empty"):
            how["producer"] = ProducerFields(producer_id, state.epoch, state.sequence)
            how["transactional"] = state.is_transactional
            state.sequence += len(contents)
        made = batch(contents, **how)
        # A log that another broker's cleaner was at: what it left has no records any more.
        data += empty_batch(made).data if one.what == "empty" else made.data
        offset += len(contents)
    teller.tell("append", "follower", teller.epoch, data)
    teller.end_offset = offset


@dataclass(frozen=True)
class CompactingPlay:
    """A play, and whether its batches are uncompressed."""

    play: Play
    is_plain: bool


def compacting_play_of(chance: Random) -> CompactingPlay:
    """A compacted log from its first opening to a close."""
    is_plain = chance.random() < 0.7
    keys = chance.choice((2, 5, 20, 60))
    config: dict[str, str | int] = {
        # Which segments become one depends on their sizes, and these on the library that compresses.
        "segment.bytes": chance.choice((400, 900, 2500, 1 << 20)) if is_plain else 1 << 20,
        "segment.ms": _UNBOUNDED,
        "segment.index.bytes": chance.choice((_ROOM_FOR_ALL, _ROOM_FOR_ALL, 120)) if is_plain else _ROOM_FOR_ALL,
        "index.interval.bytes": chance.choice((0, 70, 250, _ROOM_FOR_ALL) if is_plain else (0, 1 << 20)),
        "message.timestamp.before.max.ms": _UNBOUNDED,
        "message.timestamp.after.max.ms": _UNBOUNDED,
        "cleanup.policy": chance.choice(("compact", "compact", "compact,delete")),
        "retention.ms": chance.choice((-1, -1, 100_000)),
        "retention.bytes": -1,
        "delete.retention.ms": chance.choice((0, 100, 1000, 86_400_000)),
        "min.compaction.lag.ms": chance.choice((0, 0, 0, 50, 500)),
        "min.cleanable.dirty.ratio": chance.choice(("0.0", "0.0", "0.3", "0.5")),
        "file.delete.delay.ms": chance.choice((0, 1000)),
        "preallocate": chance.choice(("false", "false", "true")),
    }
    if chance.random() < 0.3:
        config["max.compaction.lag.ms"] = chance.choice((500, 3000))
    if config["segment.index.bytes"] != _ROOM_FOR_ALL:
        config["index.interval.bytes"] = chance.choice((0, 70))
    is_many = config["segment.index.bytes"] == _ROOM_FOR_ALL
    codecs = ("none",) if is_plain else ("none", *CODEC_NAMES)
    has_producers = chance.random() < 0.7
    map_bytes = chance.choice(_MAP_BYTES)
    teller = _Teller(config, [("open", "clean", 0)])
    for _ in range(chance.randint(30, 80)):
        drawn = chance.random()
        if drawn < 0.62:
            teller.epoch += chance.random() < 0.05
            count = chance.choice((1, 1, 2, 3)) if is_many else 1
            _tell_batches(teller, [_one(chance, keys, codecs, has_producers) for _ in range(count)])
        elif drawn < 0.74:
            teller.tell("roll")
        elif drawn < 0.86:
            if chance.random() < 0.7:
                teller.tell("roll")
            teller.tell("compact", map_bytes)
            if is_plain:
                teller.tell("state")
        elif drawn < 0.93:
            teller.now += chance.choice((1, 40, 100, 600, 2000))
            teller.tell("clock", teller.now)
        elif drawn < 0.95:
            offset = max(0, teller.end_offset - chance.choice((1, 2, 5, 20)))
            teller.tell("truncate", offset)
            teller.end_offset = min(teller.end_offset, offset)
        elif drawn < 0.96 and not has_producers:
            # Where the log's start passes the first offset of an open transaction, 3.9.2 and the engine compact nothing
            # from there on; 4.3.1 does.
            _told("delete_records", int(chance.random() * teller.end_offset))(teller)
            teller.tell("retain")
        elif drawn < 0.97:
            teller.tell("retain")
        elif drawn < 0.985:
            teller.tell("close")
            teller.tell("open", "clean", 0)
        else:
            teller.tell("abandon")
            teller.tell("open", "unclean", int(chance.choice((0.0, 0.5, 1.0)) * teller.end_offset))
    teller.now += 5000
    teller.tell("clock", teller.now)
    for _ in range(2):
        teller.tell("roll")
        teller.tell("compact", map_bytes)
        teller.now += chance.choice((10, 5000))
        teller.tell("clock", teller.now)
    teller.tell("close")
    return CompactingPlay(Play(config, tuple(teller.operations)), is_plain)


def _tell_messages(teller: _Teller, chance: Random, magic: int, codecs: Sequence[str], keys: int) -> None:
    data, offset = b"", teller.end_offset
    for _ in range(chance.choice((1, 1, 2, 3))):
        offset += chance.choice((0,) * 6 + (1, 5))
        codec, time = chance.choice(codecs), teller.now + chance.randint(-30, 60)
        stamp = time if magic and chance.random() < 0.15 else None
        contents = [
            PlannedRecord(offset + at, time + delta, key, value)
            for at, (key, value, delta) in enumerate(_records(chance, keys))
        ]
        if codec == "none":
            data += b"".join(message(content, magic, append_time=stamp).data for content in contents)
        else:
            data += wrapper(contents, magic, codec, append_time=stamp).data
        offset += len(contents)
    teller.tell("append", "follower", 0, data)
    teller.end_offset = offset


def legacy_play_of(chance: Random) -> CompactingPlay:
    """A compacted log of magic 0 or 1, or of both and then 2.

    An old batch that would have to stay without records ends Kafka's cleaning, so the last one of a segment has a key
    and a value. Old tombstones go by the files' times, which are those of the real clock: here they stay for a day.
    """
    is_plain = chance.random() < 0.5
    config: dict[str, str | int] = {
        "segment.bytes": 1 << 20,
        "segment.ms": _UNBOUNDED,
        "segment.index.bytes": _ROOM_FOR_ALL,
        "index.interval.bytes": chance.choice((0, 70, 250)) if is_plain else 0,
        "message.timestamp.before.max.ms": _UNBOUNDED,
        "message.timestamp.after.max.ms": _UNBOUNDED,
        "cleanup.policy": "compact",
        "retention.ms": -1,
        "delete.retention.ms": 86_400_000,
        "min.cleanable.dirty.ratio": "0.0",
    }
    codecs = ("none",) if is_plain else ("none", "gzip", "snappy", "lz4")
    keys, map_bytes = chance.choice((2, 5, 20)), chance.choice(_MAP_BYTES)
    magics = chance.choice(((0,), (1,), (1,), (0, 1), (1, 2)))
    teller = _Teller(config, [("open", "clean", 0)])
    for magic in magics:
        for _ in range(chance.randint(10, 25)):
            if chance.random() < 0.7:
                if magic < 2:
                    _tell_messages(teller, chance, magic, codecs, keys)
                else:
                    _tell_batches(teller, [_one(chance, keys, codecs, False)])
                continue
            end = [PlannedRecord(teller.end_offset, teller.now, b"k0", b"the last one")]
            teller.tell("append", "follower", 0, message(end[0], magic).data if magic < 2 else batch(end).data)
            teller.end_offset += 1
            teller.tell("roll")
            teller.tell("compact", map_bytes)
            if is_plain:
                teller.tell("state")
    teller.tell("close")
    return CompactingPlay(Play(config, tuple(teller.operations)), is_plain)


def drawn_legacy(count: int, seed: int) -> list[CompactingPlay]:
    """So many of these, the same ones for the same seed."""
    return [legacy_play_of(Random(f"legacy/{seed}/{number}")) for number in range(count)]


def drawn_compacting(count: int, seed: int) -> list[CompactingPlay]:
    """So many of these, the same ones for the same seed."""
    return [compacting_play_of(Random(f"compacting/{seed}/{number}")) for number in range(count)]


def contents(folder: Path) -> dict[str, Any]:
    """What the files of a partition say, whatever the library that compressed: batches by their headers and records,
    entries of offset indexes by the batch that they point to."""
    found: dict[str, Any] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix == ".log":
            batches = list(iter_batches(path))
            found[path.name] = [_content(one) for one in batches]
            index = path.with_suffix(".index")
            if batches and index.exists():
                places = {one.position: number for number, one in enumerate(batches)}
                parsed: Any = parse("offset_index", index.read_bytes())
                found[index.name] = [
                    (int(entry.relative_offset), places.get(int(entry.position))) for entry in parsed.entries
                ]
        elif path.suffix in (".timeindex", ".txnindex", ".snapshot"):
            data = path.read_bytes()
            if data:
                found[path.name] = data
    return found


def _content(one: Any) -> Any:
    one.parse()  # all of it, with the checksums
    header = {name: getattr(one, name) for name in _HEADER}
    return header, tuple(one.records()), one.size if not one.compression else None


_HEADER: Final = (
    *("base_offset", "partition_leader_epoch", "magic", "attributes", "last_offset_delta", "base_timestamp"),
    *("max_timestamp", "producer_id", "producer_epoch", "base_sequence", "records_count"),
)


def checkpoint(root: Path) -> dict[tuple[str, int], int]:
    """What the cleaner's checkpoint of a root says."""
    path = root / CHECKPOINT
    return dict(parse_offsets(path.read_bytes()).as_dict()) if path.exists() else {}
