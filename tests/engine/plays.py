"""Plays: what is done to one log, by chance, for Kafka's own log and for the engine's to do alike.

A play is a list of operations in the words of `tests/judges/java/PlayLog.java`, with nothing left to choose: batches
are bytes, offsets are numbers. `judged` has Kafka play many of them in one JVM; a `Player` plays one on the engine, and
gives the same answers in the same words.

Whoever draws does not know what the log will make of it (where it rolls, what recovery leaves), only an upper bound of
its end, so every offset that is drawn is one that Kafka takes, or is refused by both.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from kformat.corpus.parts import PlannedRecord, ProducerFields, batch, end_of_transaction
from kformat.errors import (
    InvalidProducerEpochError,
    InvalidTransactionStateError,
    OutOfOrderSequenceError,
    TransactionCoordinatorFencedError,
)
from kformat.integers import MAX_INT32
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.files.text_files import TopicOffset, TopicOffsets, build_offsets
from kformat.language.layout import layout
from kformat_engine.cleaner import Cleaner, CleanerConfig
from kformat_engine.config import LogConfig
from kformat_engine.errors import BatchesTooLargeError, IndexingError, OffsetOrderError, OffsetOutOfRangeError
from kformat_engine.index import OffsetIndex, TimeIndex
from kformat_engine.log import Log
from kformat_engine.root import LOG_START_OFFSETS, Root
from kformat_engine.segment import LogSegment
from tests.engine.faults import FaultyStorage
from tests.engine.manual import ManualClock, ManualScheduler
from tests.judges import Script, play_logs

START_MS: Final = 1_700_000_000_000
"""What the clock says at first; timestamps are drawn around it."""

Operation = tuple[str | int | bytes, ...]

_BATCH: Final = layout("record_batch")
_SET_BASE_OFFSET: Final = _BATCH.writer("base_offset")
_SET_EPOCH: Final = _BATCH.writer("partition_leader_epoch")
_SET_BASE_TIMESTAMP: Final = _BATCH.writer("base_timestamp")
_SET_MAX_TIMESTAMP: Final = _BATCH.writer("max_timestamp")
_SET_PRODUCER: Final = tuple(_BATCH.writer(name) for name in ("producer_id", "producer_epoch", "base_sequence"))
_ATTRIBUTES: Final = _BATCH.reader("attributes"), _BATCH.writer("attributes")
_TRANSACTIONAL: Final = _BATCH.bits("attributes")["is_transactional"]
_INT32_SPAN: Final = 2**31
_ROOM_FOR_ALL: Final = 4096
"""As index size: more than the entries of a play take. As interval: more than the bytes of one append."""


@dataclass(frozen=True)
class Play:
    """One log's life: topic configs by Kafka's names (what is not there has Kafka's default), then what is done."""

    settings: Mapping[str, str | int]
    operations: tuple[Operation, ...]

    def __str__(self) -> str:
        """Line by line, for a person; batches as their hexadecimal digits."""
        lines = [" ".join(f"{name}={value}" for name, value in self.settings.items())]
        for operation in self.operations:
            words = (word.hex() if isinstance(word, bytes) else str(word) for word in operation)
            lines.append("  " + " ".join(words))
        return "\n".join(lines)

    def until(self, at: int) -> Play:
        """The play up to operation number ``at``."""
        return Play(self.settings, self.operations[: at + 1])

    def parts(self) -> Iterator[Play]:
        """The play without a half of what happens, without a quarter, down to one thing; first and last thing stay."""
        first, *rest = self.operations
        things: list[list[Operation]] = []
        for operation in rest:
            if operation[0] in ("delete", "cut", "spoil", "open"):  # to leave a log, and to open it again, is one thing
                things[-1].append(operation)
            else:
                things.append([operation])
        size = len(things) // 2
        while size:
            for start in range(0, len(things) - size, size):
                kept = things[:start] + things[start + size :]
                yield Play(self.settings, (first, *(operation for thing in kept for operation in thing)))
            size //= 2


# --- batches -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """A batch but for where and when: per record its timestamp behind the first one's, the values' size, the codec."""

    deltas: tuple[int, ...]
    value_bytes: int
    codec: str = "none"
    is_stamped: bool = False  # by a broker: log_append_time

    def batch(self, base_offset: int, timestamp: int, epoch: int) -> bytes:
        """The batch; a ``timestamp`` of -1 leaves all records without one."""
        data = bytearray(_template(self if timestamp >= 0 else Shape((0,) * len(self.deltas), *self._rest)))
        largest = timestamp + (max(self.deltas) if timestamp >= 0 and not self.is_stamped else 0)
        _SET_BASE_OFFSET(data, 0, base_offset)
        _SET_EPOCH(data, 0, epoch)
        _SET_BASE_TIMESTAMP(data, 0, timestamp)
        _SET_MAX_TIMESTAMP(data, 0, largest)
        _BATCH.mend(data)
        return bytes(data)

    @property
    def _rest(self) -> tuple[int, str, bool]:
        return self.value_bytes, self.codec, self.is_stamped


@functools.cache
def _template(shape: Shape) -> bytes:
    """The batch at offset 0 and time 0: to build one is slow, to move one is not."""
    contents = [
        PlannedRecord(offset, delta, b"k", b"v" * shape.value_bytes) for offset, delta in enumerate(shape.deltas)
    ]
    return batch(contents, codec=shape.codec, append_time=0 if shape.is_stamped else None).data


def of_producer(data: bytes, producer_id: int, epoch: int, sequence: int, is_transactional: bool) -> bytes:
    """The same batch as one of an idempotent producer."""
    found = bytearray(data)
    for put, value in zip(_SET_PRODUCER, (producer_id, epoch, sequence), strict=True):
        put(found, 0, value)
    read, put = _ATTRIBUTES
    put(found, 0, read(found, 0) | is_transactional << _TRANSACTIONAL.shift)
    _BATCH.mend(found)
    return bytes(found)


# --- what can happen -----------------------------------------------------------------------------------------------


@dataclass
class _Teller:
    """Turns what was drawn, which is relative, into operations, and keeps the bounds that this takes."""

    settings: Mapping[str, str | int]
    operations: list[Operation] = field(default_factory=list)
    end_offset: int = 0  # at least the log's
    now: int = START_MS
    epoch: int = 0
    producers: dict[int, _Producing] = field(default_factory=dict)

    def tell(self, *words: str | int | bytes) -> None:
        self.operations.append(words)


Event = Callable[[_Teller], None]


def _appended(
    batches: Sequence[tuple[Shape, int | None, int]], to_boundary: int | None, is_newer: bool, below: bool
) -> Event:
    """As a follower. A batch is a shape, its timestamp behind the clock (None: none), and the gap before it."""

    def tell(teller: _Teller) -> None:
        teller.epoch += is_newer
        offset = teller.end_offset - 1 if below and teller.end_offset else teller.end_offset
        if to_boundary is not None:
            # The last offset of the first batch comes to lie around the last one that a segment can hold from 0 on.
            spans = offset // _INT32_SPAN + 1
            offset = max(offset, spans * _INT32_SPAN + to_boundary - len(batches[0][0].deltas))
        data = b""
        for shape, behind, gap in batches:
            offset += gap
            data += shape.batch(offset, -1 if behind is None else teller.now + behind, teller.epoch)
            offset += len(shape.deltas)
        teller.tell("append", "follower", teller.epoch, data)
        if not below or to_boundary is not None:
            teller.end_offset = offset

    return tell


def _led(shape: Shape, behind: int | None, is_newer: bool) -> Event:
    def tell(teller: _Teller) -> None:
        teller.epoch += is_newer
        data = shape.batch(0, -1 if behind is None else teller.now + behind, -1)
        teller.tell("append", "leader", teller.epoch, data)
        teller.end_offset += len(shape.deltas)

    return tell


@dataclass
class _Producing:
    """What a producer would send next; the log may have forgotten it, or know better."""

    is_transactional: bool
    epoch: int = 0
    sequence: int = 0
    coordinator_epoch: int = 0
    sent: bytes = b""


def _produced(number: int, shape: Shape, behind: int, way: str) -> Event:
    """A leader's append of an idempotent producer: ``next``, ``again``, ``gap``, ``old`` or ``new`` epoch."""

    def tell(teller: _Teller) -> None:
        one = teller.producers.setdefault(number, _Producing(is_transactional=number % 2 == 1))
        if way == "new":
            one.epoch, one.sequence = one.epoch + 1, 0
        if way == "again" and one.sent:
            teller.tell("append", "leader", teller.epoch, one.sent)
            return
        data = shape.batch(0, teller.now + behind, -1)
        epoch, sequence = one.epoch - (way == "old"), one.sequence + 7 * (way == "gap")
        sent = of_producer(data, 1000 + 7 * number, max(0, epoch), sequence, one.is_transactional)
        teller.tell("append", "leader", teller.epoch, sent)
        teller.end_offset += len(shape.deltas)
        if way in ("next", "new"):
            one.sent = sent
            one.sequence += len(shape.deltas)

    return tell


def _replicated(parts: Sequence[tuple[int, Shape, int, str]]) -> Event:
    """A follower's append of several producers' batches: ``data``, ``abort`` or ``commit``, or of no producer."""

    def tell(teller: _Teller) -> None:
        data, offset = b"", teller.end_offset
        for number, shape, behind, what in parts:
            one = teller.producers.setdefault(number, _Producing(is_transactional=number % 2 == 1))
            if what == "data":
                made = shape.batch(offset, teller.now + behind, teller.epoch)
                made = of_producer(made, 1000 + 7 * number, one.epoch, one.sequence, one.is_transactional)
                one.sequence += len(shape.deltas)
                offset += len(shape.deltas)
            elif what == "plain" or not one.is_transactional:
                made = shape.batch(offset, teller.now + behind, teller.epoch)
                offset += len(shape.deltas)
            else:
                one.coordinator_epoch += behind % 3 == 0
                if behind % 4 == 0:
                    one.epoch, one.sequence = one.epoch + 1, 0
                producer = ProducerFields(1000 + 7 * number, one.epoch, -1)
                ended = {"coordinator_epoch": one.coordinator_epoch, "epoch": teller.epoch}
                made = end_of_transaction(what, offset, teller.now + behind, producer, **ended).data
                offset += 1
            data += made
        teller.tell("append", "follower", teller.epoch, data)
        teller.end_offset = offset

    return tell


def _truncated(back: int, whole: bool) -> Event:
    def tell(teller: _Teller) -> None:
        offset = max(0, teller.end_offset - back)
        teller.tell("truncate_fully" if whole else "truncate", offset)
        if whole or offset < teller.end_offset:
            teller.end_offset = offset

    return tell


def _cut_in_front(part: float) -> Event:
    """The engine deletes segments below the new start at once, Kafka with the next run of retention."""

    def tell(teller: _Teller) -> None:
        teller.tell("delete_records", int(part * teller.end_offset))
        teller.tell("retain")

    return tell


def _passed(ms: int) -> Event:
    def tell(teller: _Teller) -> None:
        teller.now += ms
        teller.tell("clock", teller.now)

    return tell


def _reopened(way: str, deleted: Sequence[str], damage: tuple[str, int] | None, recovered_from: float) -> Event:
    """``recovered_from`` is the recovery point, as a part of the log; ``damage`` comes only where recovery follows."""

    def tell(teller: _Teller) -> None:
        teller.tell("abandon" if way == "crash" else "close")
        for ending in deleted:
            teller.tell("delete", ending)
        if damage is not None and way != "clean":
            teller.tell(*damage)
        recovery_point = 0 if damage is not None else int(recovered_from * teller.end_offset)
        teller.tell("open", "clean" if way == "clean" else "unclean", recovery_point)
        teller.tell("state")

    return tell


def _asked(kind: str, part: float, off: int, bytes_wanted: int, min_one: bool) -> Event:
    def tell(teller: _Teller) -> None:
        offset = max(0, int(part * teller.end_offset) + off)
        if kind == "read":
            teller.tell("read", offset, bytes_wanted, int(min_one))
        elif kind == "time":
            teller.tell("time", int(START_MS + part * (teller.now - START_MS)) + off * 7)
        else:
            teller.tell("translate", offset)

    return tell


def _told(*words: str | int) -> Event:
    return lambda teller: teller.tell(*words)


# --- chance --------------------------------------------------------------------------------------------------------
# Chance is Python's, seeded, and not hypothesis: a play is long, its parts depend on each other, and most of what
# hypothesis tries after the first tens of plays are those again with a part changed. `Play.parts` is what it would
# shrink by.

_UNBOUNDED: Final = 2**63 - 1
_ENDINGS: Final = ((), (), (".index",), (".timeindex",), (".index", ".timeindex"))
_ONE_BATCH: Final = 400  # bytes, at least what the largest takes


def _shape(chance: Random, is_stamped: bool) -> Shape:
    """A batch of one to four records, mostly uncompressed."""
    return Shape(
        (0, *chance.choices((0, 0, 1, 7, -3, 40), k=chance.choice((0, 0, 1, 2, 3)))),
        chance.choice((0, 1, 10, 60, 75)),
        chance.choice(CODEC_NAMES) if chance.random() < 0.3 else "none",
        is_stamped and chance.random() < 0.15,
    )


def _behind(chance: Random) -> int | None:
    """A batch's timestamp behind the clock, ms; None: it has none."""
    drawn = chance.random()
    if drawn < 0.75:
        return chance.randint(-30, 60)
    return chance.randint(-3000, 3000) if drawn < 0.9 else chance.choice((None, None, 10**9))


def _append(chance: Random, is_many: bool, is_timed: bool) -> Event:
    if chance.random() < 0.3:
        return _led(_shape(chance, False), _behind(chance) if is_timed else None, chance.random() < 0.1)
    batches = [
        (_shape(chance, True), _behind(chance) if is_timed else None, chance.choice((0, 0, 0, 0, 0, 0, 1, 5, 300)))
        for _ in range(chance.choice((1, 1, 2, 3, 5)) if is_many else 1)
    ]
    to_boundary = chance.randint(-2, 2) if chance.random() < 0.06 else None
    return _appended(batches, to_boundary, chance.random() < 0.1, chance.random() < 0.02)


def _reopening(chance: Random) -> Event:
    way = chance.choice(("clean", "clean", "unclean", "crash"))
    damage = None
    if way != "clean" and chance.random() < 0.4:
        # Spoilt is a record: where no checksum covers a byte, Kafka may fail to load the log at all.
        damage = chance.choice((("cut", chance.choice((1, 13, 70, 200))), ("spoil", chance.choice((1, 8)))))
    return _reopened(way, chance.choice(_ENDINGS), damage, chance.choice((0.0, 0.5, 1.0)))


def _question(chance: Random) -> Event:
    return _asked(
        chance.choice(("read", "time", "translate")),
        chance.random(),
        chance.randint(-2, 2),
        chance.choice((0, 1, 80, 500, 100_000)),
        chance.random() < 0.5,
    )


def _event(chance: Random, is_many: bool, is_timed: bool) -> Event:
    match chance.choices(range(9), (60, 4, 5, 8, 7, 2, 2, 15, 1))[0]:
        case 0:
            return _append(chance, is_many, is_timed)
        case 1:
            return _told("roll")
        case 2:
            return _truncated(chance.choice((0, 1, 1, 2, 3, 5, 8, 13, 40)), False)
        case 3:
            return _passed(chance.choice((1, 20, 100, 100, 1000, 100_000)))
        case 4:
            return _reopening(chance)
        case 5:
            return _told("retain")
        case 6:
            return _cut_in_front(chance.random())
        case 7:
            return _question(chance)
        case _:
            return _truncated(chance.choice((0, 3, 20)), True)


def _config(chance: Random) -> dict[str, str | int]:
    """Most logs roll for one reason more often than for others, and each reason is some log's."""
    config: dict[str, str | int] = {
        "segment.bytes": 1 << 20,
        "segment.ms": 604_800_000,
        "segment.index.bytes": _ROOM_FOR_ALL,
        "index.interval.bytes": chance.choice((0, 0, 1, 70, 100, 250, _ROOM_FOR_ALL)),
        "message.timestamp.type": chance.choice(("CreateTime",) * 4 + ("LogAppendTime",)),
        "message.timestamp.before.max.ms": _UNBOUNDED,
        "message.timestamp.after.max.ms": _UNBOUNDED,
        "retention.ms": chance.choice((-1, -1, 1000, 100_000)),
        "retention.bytes": chance.choice((-1, -1, 500, 3000)),
        "file.delete.delay.ms": chance.choice((0, 1000)),
        "preallocate": chance.choice(("false", "false", "false", "true")),
    }
    narrow = {
        "segment.bytes": chance.randint(_ONE_BATCH, 4 * _ONE_BATCH),
        "segment.ms": chance.choice((1, 50, 200, 1000)),
        "segment.index.bytes": chance.choice((chance.randint(24, 100), chance.randint(12, 40))),
    }
    for name in chance.choice((*((name,) for name in narrow), (), tuple(narrow), ("segment.index.bytes",))):
        config[name] = narrow[name]
    return config


def play_of(chance: Random) -> Play:
    """A log from its first opening to a close."""
    config = _config(chance)
    # What Kafka does when an index is full in the middle of an append (it throws, with the bytes written, and its
    # writer is broken) is not to be had: several batches in one append only where each has room for its entry.
    is_many = config["segment.index.bytes"] == _ROOM_FOR_ALL or config["index.interval.bytes"] == _ROOM_FOR_ALL
    is_timed = chance.random() < 0.85  # without timestamps it is the offset index that is full first
    teller = _Teller(config, [("open", "clean", 0)])
    for number in range(chance.randint(20, 50)):
        _event(chance, is_many, is_timed)(teller)
        if number % 4 == 0:
            teller.tell("state")
    teller.tell("state")
    teller.tell("close")
    return Play(config, tuple(teller.operations))


_WAYS: Final = ("next",) * 6 + ("again", "again", "gap", "old", "new", "new")


def _of_producers(chance: Random, is_leader: bool) -> Event:
    number = chance.randrange(6)
    if is_leader and chance.random() < 0.5:
        return _produced(number, _shape(chance, False), chance.randint(-30, 60), chance.choice(_WAYS))
    parts = [
        (
            chance.randrange(6),
            _shape(chance, False),
            chance.randint(-30, 60),
            chance.choice(("data", "data", "data", "abort", "abort", "commit", "plain")),
        )
        for _ in range(chance.choice((1, 1, 2, 3, 5)))
    ]
    return _replicated(parts)


_FAR: Final = 100_000
"""Offsets below the largest of a segment: more than a play's appends take."""


def producing_play_of(chance: Random) -> Play:
    """A log of idempotent and transactional producers.

    Kafka rolls before it looks at a producer's state, so that what it refuses, or has already, may begin a segment; the
    engine leaves the log as it is then. So only logs that roll when they are told to have leaders' appends; such a play
    ends where offsets are so high that the next append rolls.
    """
    config = _config(chance)
    config["index.interval.bytes"] = _ROOM_FOR_ALL
    config["message.timestamp.type"] = "CreateTime"
    is_leader = chance.random() < 0.6
    if is_leader:
        config |= {"segment.bytes": 1 << 20, "segment.ms": 604_800_000, "segment.index.bytes": _ROOM_FOR_ALL}
    config["segment.index.bytes"] = _ROOM_FOR_ALL
    teller = _Teller(config, [("open", "clean", 0)])
    for _ in range(chance.randint(20, 50)):
        drawn = chance.random()
        if drawn < 0.6:
            event = _of_producers(chance, is_leader)
        elif drawn < 0.7:
            event = _told("roll")
        else:
            event = _event(chance, False, True)
        event(teller)
        if is_leader and teller.end_offset > MAX_INT32 - _FAR:
            break
    teller.tell("state")
    teller.tell("close")
    return Play(config, tuple(teller.operations))


def drawn_producing(count: int, seed: int) -> list[Play]:
    """So many of these, the same ones for the same seed."""
    return [producing_play_of(Random(f"producing/{seed}/{number}")) for number in range(count)]


def drawn(count: int, seed: int) -> list[Play]:
    """So many plays, the same ones for the same seed."""
    return [play_of(Random(f"{seed}/{number}")) for number in range(count)]


# --- players -------------------------------------------------------------------------------------------------------

TOPIC: Final = "play"
PARTITION: Final = f"{TOPIC}-0"


def judged(version: str, told: Sequence[Play], folder: Path) -> list[list[str]]:
    """Have Kafka play each in a folder of its own, `<number>/play-0`; its answers."""
    own_names = {"segment.bytes": "internal.segment.bytes"} if not version.startswith("3.") else {}
    return play_logs(
        version,
        [
            Script(
                folder / str(number) / PARTITION,
                START_MS,
                {own_names.get(name, name): str(value) for name, value in play.settings.items()},
                play.operations,
            )
            for number, play in enumerate(told)
        ],
    )


_NAMES: Final = {
    BatchesTooLargeError: ("RecordBatchTooLargeException",),
    OffsetOrderError: ("OffsetsOutOfOrderException", "UnexpectedAppendOffsetException"),
    OffsetOutOfRangeError: ("OffsetOutOfRangeException",),
    OutOfOrderSequenceError: ("OutOfOrderSequenceException",),
    InvalidProducerEpochError: ("InvalidProducerEpochException",),
    InvalidTransactionStateError: ("InvalidTxnStateException",),
    TransactionCoordinatorFencedError: ("TransactionCoordinatorFencedException",),
}
"""What the engine raises, and what Kafka throws then."""
_REFUSED: Final[tuple[type[Exception], ...]] = tuple(_NAMES)


class Player:
    """Plays on the engine's log in a folder of its own; as Kafka has it, so with recovery in mode ``kafka``."""

    def __init__(self, play: Play, folder: Path) -> None:
        self.told, self.folder = play, folder / PARTITION
        self.clock = ManualClock(START_MS)
        self.scheduler = ManualScheduler(self.clock)
        self.storage = FaultyStorage()  # of which no step fails: nothing is synced, and what is open can be closed
        self.config = LogConfig(**{name.replace(".", "_"): _typed(value) for name, value in play.settings.items()})
        self.start_offset = 0  # the log's, as it was when it was left
        self.root: Root
        self.log: Log

    def play(self, count: int | None = None) -> list[str]:
        """The answers of all operations, or of the first ``count``; the root is let go of then."""
        self.folder.mkdir(parents=True)
        try:
            return [self.answer(*operation) for operation in self.told.operations[:count]]
        finally:
            self.do_abandon()

    def answer(self, name: str | int | bytes, *words: Any) -> str:
        """What one operation gives."""
        try:
            answer = str(getattr(self, f"do_{name!s}")(*words) or "ok")
        except _REFUSED as error:
            answer = f"error {type(error).__name__}"
        except IndexingError:
            return BROKEN
        self.scheduler.tick()
        return answer

    # One method per word of PlayLog.java

    def do_open(self, state: str, recovery_point: int) -> str:
        if state == "unclean":
            folder = self.folder.parent
            (folder / ".kafka_cleanshutdown").unlink(missing_ok=True)
            checkpoint = TopicOffsets(entries=(TopicOffset(TOPIC, 0, recovery_point),))
            (folder / "recovery-point-offset-checkpoint").write_bytes(build_offsets(checkpoint))
        if self.start_offset:
            checkpoint = TopicOffsets(entries=(TopicOffset(TOPIC, 0, self.start_offset),))
            (self.folder.parent / LOG_START_OFFSETS).write_bytes(build_offsets(checkpoint))
        self.root = Root.open(self.folder.parent, storage=self.storage)
        self.log = Log.open(
            self.folder,
            self.config,
            root=self.root,
            mode="kafka",
            clock=self.clock,
            storage=self.storage,
            scheduler=self.scheduler,
        )
        return self.ends()

    def do_close(self) -> None:
        self.start_offset = self.log.start_offset
        self.log.close()
        self.root.close()
        self.scheduler = ManualScheduler(self.clock)

    def do_abandon(self) -> None:
        self.start_offset = self.log.start_offset
        self.root.abandon()
        self.storage.close_all()
        self.scheduler = ManualScheduler(self.clock)

    def do_append(self, role: str, epoch: int, data: bytes) -> str:
        if role == "leader":
            self.log.leader_epoch = epoch
        self.log.append_batches(data, assign_offsets=role == "leader")
        return self.ends()

    def do_roll(self) -> str:
        self.log.roll()
        return self.ends()

    def do_truncate(self, offset: int) -> str:
        return f"{self.log.truncate_to(offset)} ".lower() + self.ends()

    def do_truncate_fully(self, offset: int) -> str:
        self.log.truncate_fully_and_start_at(offset)
        return self.ends()

    def do_delete_records(self, offset: int) -> str:
        self.log.delete_records_before(offset)
        return self.ends()

    def do_compact(self, map_bytes: int) -> str:
        to_clean = self.log.to_clean()
        done = self.log.compact(cleaner=Cleaner(CleanerConfig(dedupe_buffer_bytes=map_bytes)))
        if done is None:
            return f"none {self.ends()}"
        return f"{to_clean.first_dirty_offset} {to_clean.first_uncleanable_offset} {done.end_offset} {self.ends()}"

    def do_retain(self) -> str:
        self.log.retain()
        return self.ends()

    def do_clock(self, ms: int) -> None:
        self.clock.time_ms = ms

    def do_state(self) -> str:
        parts = [self.ends()]
        for segment in self.log_segments:
            data = segment.log_path.read_bytes()
            part = f"{segment.base_offset} log {segment.size} {len(data)} {zlib.crc32(data):x}"
            for suffix, name in (("index", "offset_index"), ("timeindex", "time_index")) if segment.size else ():
                path = segment.path_of(suffix)
                # To ask for it would make it.
                part += f" {suffix} " + (_index(path, getattr(segment, name)) if path.exists() else "-")
            parts.append(part)
        return "; ".join(parts)

    def do_translate(self, offset: int) -> str:
        floor = None
        for segment in self.log_segments:
            floor = segment if segment.base_offset <= offset else floor
        if floor is None:
            return "none"
        found = floor.translate_offset(offset)
        return f"{floor.base_offset} " + ("none" if found is None else f"{found.position} {found.size}")

    def do_time(self, timestamp: int) -> str:
        found = self.log.offset_for_timestamp(timestamp)
        if found is None:
            return "none"
        return f"{found.timestamp} {found.offset} {'-' if found.leader_epoch is None else found.leader_epoch}"

    def do_read(self, offset: int, max_bytes: int, min_one: int) -> str:
        fetched = self.log.read(offset, max_bytes, min_one_batch=bool(min_one), copy=True)
        if not len(fetched):
            return "empty"
        place = f"{fetched.base_offset} {fetched.position} {len(fetched)} {zlib.crc32(fetched.data):x}"
        return f"{place} {fetched.first_entry_incomplete}".lower()

    def do_delete(self, ending: str) -> None:
        for path in [path for path in self.folder.iterdir() if path.name.endswith(ending)]:
            path.unlink()

    def do_cut(self, count: int) -> str:
        return self.damage(count, None)

    def do_spoil(self, count: int) -> str:
        return self.damage(count, 0xFF)

    def damage(self, count: int, mask: int | None) -> str:
        path = max(path for path in self.folder.iterdir() if path.name.endswith(".log"))
        data = bytearray(path.read_bytes())
        position = len(data) - count
        if position < 0:
            return "too short"
        if mask is None:
            del data[position:]
        else:
            data[position] ^= mask
        path.write_bytes(data)
        return str(position)

    # Answers

    @property
    def log_segments(self) -> list[LogSegment]:
        """The log's own: `Log.segments` would make the indexes that are not there yet."""
        return list(self.log._local.segments)

    def ends(self) -> str:
        return f"{self.log.start_offset} {self.log.end_offset} {self.log_segments[-1].base_offset}"


def _typed(value: str | int) -> Any:
    if str(value).startswith(("compact", "delete")):
        return tuple(str(value).split(","))
    if isinstance(value, str) and "." in value:
        return float(value)
    return {"true": True, "false": False}.get(str(value), value)


def _index(path: Path, index: OffsetIndex | TimeIndex) -> str:
    data = path.read_bytes()
    return f"{len(data)} {index.entry_count} {zlib.crc32(data[: index.size_bytes]):x}"


def agree(ours: str, theirs: str) -> bool:
    """Whether two answers are the same, or the errors for the same reason."""
    if ours == theirs:
        return True
    names = {error.__name__: names for error, names in _NAMES.items()}
    word, _, name = ours.partition(" ")
    return word == "error" and theirs.removeprefix("error ") in names[name]


BROKEN: Final = "broken"
"""The answer where Kafka's index refuses an entry: what it does from then on is not defined."""


_COMPARED: Final = (".log", ".index", ".timeindex", ".txnindex", ".snapshot")


def files(folder: Path) -> dict[str, bytes]:
    """The logs, indexes and snapshots of a partition, by name; it does not count whether an empty log has empty
    indexes."""
    paths = [path for path in sorted(folder.iterdir()) if path.suffix in _COMPARED]
    found = {path.name: path.read_bytes() for path in paths}
    return {
        name: data
        for name, data in found.items()
        if data or name.endswith((".log", ".snapshot")) or found[f"{name.split('.')[0]}.log"]
    }
