"""Hypothesis strategies for Kafka's files, and for damage to them.

Drawn values are sound: Kafka reads them, and `kformat check` finds nothing. The simplest of each, to which failing
tests shrink, is plain: one record, neither key nor headers, an empty value, no codec, offset 0, a timestamp of 2023.

Where a strategy takes ``keys``, ``values``, ``headers`` and ``timestamps``, these are strategies too: of bytes or None,
of lists of (text, bytes or None), of milliseconds from -1 to 2^62. ``codecs``, ``magics`` and ``profiles`` are the
values to choose from. If a flag such as ``transactional`` is None, both are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeVar

from kformat.codec.constructs import build
from kformat.corpus.edits import DAMAGES, Damaged, covered_from, frames, hurt
from kformat.corpus.folders import PlannedSegment, indexed, partition
from kformat.corpus.parts import (
    CREATE_TIME,
    EPOCH_MS,
    PlannedRecord,
    ProducerFields,
    batch,
    control_batch,
    empty_batch,
    end_of_transaction,
    message,
    wrapper,
)
from kformat.errors import MissingDependencyError, UsageError
from kformat.integers import MAX_INT16, MAX_INT32, MAX_INT64
from kformat.kafka.batch.compression import CODEC_NAMES, CURRENT_MAGIC
from kformat.kafka.batch.legacy import LEGACY_CODECS
from kformat.kafka.batch.records import Record, add_sequence
from kformat.kafka.index.indexing import PROFILES, index_entries
from kformat.testing.files import segment_files_of, topic_id_of
from kformat.testing.objects import DrawnLog, DrawnPartition, IndexFiles, LogPart

try:
    import hypothesis
    from hypothesis import strategies as st
except ImportError as error:
    raise MissingDependencyError("hypothesis", "testing") from error

T = TypeVar("T")


def _warm_up() -> None:
    """Let Hypothesis do its one-time work, such as tables of characters, before anything is drawn: on a slow machine
    its health check would count that second as one of the first draws.
    """
    settings = hypothesis.settings(
        database=None, deadline=None, max_examples=3, suppress_health_check=list(hypothesis.HealthCheck)
    )
    numbers = st.lists(st.integers(), min_size=200, max_size=200)  # of twenty one is a constant of the user's modules
    settings(hypothesis.given(st.text(max_size=1), numbers)(lambda text, numbers: None))()


if not hypothesis.currently_in_test_context():
    _warm_up()

CONTROLS: Final = ("commit", "abort", "leader_change")
_DAY_MS: Final = 86_400_000
_EXTREMES: Final = tuple(
    bytes.fromhex(text)
    for text in ("00", "ff", "7f", "80", "7fffffff", "80000000", "ffffffff", "00" * 8, "ff" * 8, "7f" + "ff" * 7,
                 "80" + "00" * 7, "ff" * 9 + "01", "80" * 10)
)  # fmt: skip
"""Bytes to overwrite others with: ends of int8, int32 and int64, 0 and -1, the longest varint and one without end."""

# Strategies are made once: making one costs more than drawing from it. The plain value comes first and by itself, since
# hypothesis considers an example with fewer choices simpler.
_KEYS: Final = st.none() | st.binary(max_size=12)
_VALUES: Final = st.just(b"") | st.binary(max_size=24) | st.none()
_HEADERS: Final = st.lists(st.tuples(st.text(max_size=6), st.none() | st.binary(max_size=8)), max_size=2)
_TIMESTAMPS: Final = (
    st.just(EPOCH_MS) | st.integers(0, _DAY_MS).map(EPOCH_MS.__add__) | st.sampled_from((-1, 0, 2**31, 2**62))
)
_OFFSETS: Final = (
    st.just(0) | st.sampled_from((1, 127, MAX_INT32, 2**31, 2**32, 2**53 + 1, 2**62)) | st.integers(0, 2**62)
)
_GAPS: Final = st.sampled_from((0,) * 12 + (1, 2, 3, 64, 2**13, 2**20))
_CONTROL_MS: Final = EPOCH_MS + _DAY_MS
"""The time of the end of a transaction, and one of those of appends."""
_APPEND_TIMES: Final = st.sampled_from((None, None, None, _CONTROL_MS, 1, 2**62))


def _rarely(one_in: int) -> st.SearchStrategy[bool]:
    return st.sampled_from((False,) * (one_in - 1) + (True,))


_SELDOM: Final = _rarely(16)
_SOMETIMES: Final = _rarely(4)
_ENDS: Final = st.sampled_from(("commit", "abort"))


def _padded(strategy: st.SearchStrategy[T], by: st.SearchStrategy[Any]) -> st.SearchStrategy[T]:
    """A strategy with additional choices that do not matter, so that values with few choices are not simpler than plain
    ones.
    """
    return st.tuples(strategy, by).map(lambda pair: pair[0])


def _either(flag: bool | None, otherwise: st.SearchStrategy[bool] = _SOMETIMES) -> st.SearchStrategy[bool]:
    return otherwise if flag is None else st.just(flag)


def _chosen(choices: Sequence[T] | T, known: Sequence[T], what: str) -> st.SearchStrategy[T]:
    """One of the choices, the simplest first."""
    wanted: list[Any] = [choices] if isinstance(choices, str | int) else list(choices)  # type: ignore[arg-type]
    for choice in wanted:
        if choice not in known:
            raise UsageError(f"no {what} {choice!r}; there are {', '.join(map(str, known))}")
    if not wanted:
        raise UsageError(f"no {what} to choose from")
    return st.sampled_from([choice for choice in known if choice in wanted])


# --- records -------------------------------------------------------------------------------------------------------


def records(
    *,
    offsets: st.SearchStrategy[int] = _OFFSETS,
    timestamps: st.SearchStrategy[int] = _TIMESTAMPS,
    keys: st.SearchStrategy[bytes | None] = _KEYS,
    values: st.SearchStrategy[bytes | None] = _VALUES,
    headers: st.SearchStrategy[Any] = _HEADERS,
) -> st.SearchStrategy[Record]:
    """Records as a writer receives them: `kformat.Record` with create_time and no sequence, with any offsets."""
    return st.builds(
        Record,
        offset=offsets,
        timestamp=timestamps,
        timestamp_type=st.just(CREATE_TIME),
        key=keys,
        value=values,
        headers=headers.map(tuple),
        sequence=st.just(-1),
    )


def _rows(
    timestamps: st.SearchStrategy[int],
    keys: st.SearchStrategy[bytes | None],
    values: st.SearchStrategy[bytes | None],
    headers: st.SearchStrategy[Any] | None,
    max_records: int,
) -> st.SearchStrategy[list[Any]]:
    """The contents of some records, with the gap before each."""
    if max_records < 1:
        raise UsageError(f"max_records is {max_records}; a batch has one at least")
    named = st.just(()) if headers is None else st.just(()) | st.just(()) | headers.map(tuple)
    return st.lists(st.tuples(_GAPS, timestamps, keys, values, named), min_size=1, max_size=max_records)


def _contents(rows: list[Any], offset: int) -> list[PlannedRecord]:
    contents = []
    for gap, timestamp, key, value, headers in rows:
        offset += gap
        contents.append(PlannedRecord(offset, timestamp, key, value, headers))
        offset += 1
    return contents


# --- batches -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Shape:
    """A batch of magic 2 without its position in a log. ``head`` and ``tail``: offsets missing before and after."""

    rows: list[Any]
    codec: str = "none"
    append_time: int | None = None
    head: int = 0
    tail: int = 0
    horizon: bool = False
    emptied: bool = False

    def at(
        self, offset: int, *, producer: ProducerFields | None = None, transactional: bool = False, epoch: int = 0
    ) -> LogPart:
        contents = _contents(self.rows, offset + self.head)
        made = batch(
            contents,
            codec=self.codec,
            append_time=self.append_time,
            transactional=transactional,
            horizon=EPOCH_MS + 2 * _DAY_MS if self.horizon else None,
            producer=producer,
            epoch=epoch,
            base_offset=offset,
            last_offset=contents[-1].offset + self.tail,
        )
        return empty_batch(made) if self.emptied else made


def _shapes(
    codecs: st.SearchStrategy[str], rows: st.SearchStrategy[list[Any]], compacted: bool | None
) -> st.SearchStrategy[_Shape]:
    """Batches; unless ``compacted`` is False, with gaps, horizons and batches without records, as after compaction."""
    gaps: dict[str, Any] = {}
    if compacted is not False:
        seldom = _SELDOM if compacted is None else _SOMETIMES
        gaps = {"head": _GAPS, "tail": _GAPS, "horizon": seldom, "emptied": seldom}
    else:
        rows = rows.map(lambda drawn: [(0, *row[1:]) for row in drawn])
    return st.builds(_Shape, rows=rows, codec=codecs, append_time=_APPEND_TIMES, **gaps)


def batches(
    *,
    codecs: Sequence[str] = CODEC_NAMES,
    transactional: bool | None = None,
    control: bool | None = None,
    compacted: bool | None = None,
    offsets: st.SearchStrategy[int] = _OFFSETS,
    timestamps: st.SearchStrategy[int] = _TIMESTAMPS,
    keys: st.SearchStrategy[bytes | None] = _KEYS,
    values: st.SearchStrategy[bytes | None] = _VALUES,
    headers: st.SearchStrategy[Any] = _HEADERS,
    max_records: int = 8,
) -> st.SearchStrategy[LogPart]:
    """Single batches of magic 2.

    Args:
        codecs: names.
        transactional, control: the flags of the batch. Control batches are ends of transactions and, where they need
            not be transactional, leader changes; they are never compressed.
        compacted: whether a cleaner may have been there: missing offsets, delete horizons, batches without records.
        offsets: of the batch's first offset, at most 2^62.
        max_records: of a batch.
    """
    shapes = _shapes(
        _chosen(codecs, CODEC_NAMES, "codec"), _rows(timestamps, keys, values, headers, max_records), compacted
    )
    producers = st.builds(
        ProducerFields,
        st.integers(0, MAX_INT64),
        st.integers(0, MAX_INT16),
        st.sampled_from((0, 1, MAX_INT32 - 2, MAX_INT32)),
    )
    epochs = st.sampled_from((0, 1, MAX_INT32))
    within = _either(transactional)

    @st.composite
    def data(draw: Any) -> LogPart:
        is_transactional = draw(within)
        producer = draw(producers) if is_transactional or draw(_SOMETIMES) else None
        shape: _Shape = draw(shapes)
        return shape.at(draw(offsets), producer=producer, transactional=is_transactional, epoch=draw(epochs))

    @st.composite
    def controls(draw: Any) -> LogPart:
        kind, offset, epoch = draw(chosen_kinds), draw(offsets), draw(epochs)
        timestamp = draw(control_times)
        if kind == "leader_change":
            return _leader_change(offset, timestamp, epoch)
        return end_of_transaction(kind, offset, timestamp, draw(producers), coordinator_epoch=draw(epochs), epoch=epoch)

    if control is None and "none" not in codecs:
        control = False  # control batches are never compressed
    kinds = {None: CONTROLS, True: CONTROLS[:2], False: CONTROLS[2:]}[transactional]
    chosen_kinds = _padded(st.sampled_from(kinds), shapes)
    control_times = st.integers(0, _DAY_MS).map(EPOCH_MS.__add__)
    return {None: data() | data() | data() | controls(), True: controls(), False: data()}[control]


def _leader_change(offset: int, timestamp: int, epoch: int) -> LogPart:
    tags: dict[str, Any] = {"fields": []}
    voters: list[Any] = [{"voter_id": 1, "voter_directory_id": None, "tagged_fields": tags}]
    fields = {"version": 0, "leader_id": 1, "voters": voters, "granting_voters": voters, "tagged_fields": tags}
    return control_batch(offset, timestamp, [("leader_change", build("leader_change_message", fields))], epoch=epoch)


# --- magic 0 and 1 -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Entry:
    """An entry of magic 0 or 1 to be made: with a codec a wrapper around all rows, else a message of the first row."""

    magic: int
    codec: str
    rows: list[Any]
    append_time: int | None = None

    def at(self, offset: int) -> LogPart:
        append_time = self.append_time if self.magic else None
        contents = _contents(self.rows, offset)
        if self.codec == "none":
            return message(contents[0], self.magic, append_time=append_time)
        return wrapper(contents, self.magic, self.codec, append_time=append_time)


def _entries(
    magics: st.SearchStrategy[int], codecs: st.SearchStrategy[str], rows: st.SearchStrategy[list[Any]]
) -> st.SearchStrategy[_Entry]:
    return st.builds(_Entry, magics, codecs, rows, _APPEND_TIMES)


def legacy_messages(
    *,
    magics: Sequence[int] | int = (0, 1),
    codecs: Sequence[str] = LEGACY_CODECS,
    offsets: st.SearchStrategy[int] = _OFFSETS,
    timestamps: st.SearchStrategy[int] = _TIMESTAMPS,
    keys: st.SearchStrategy[bytes | None] = _KEYS,
    values: st.SearchStrategy[bytes | None] = _VALUES,
    max_records: int = 8,
) -> st.SearchStrategy[LogPart]:
    """Single entries of magic 0 and 1: messages, and for each codec but ``none`` wrappers of up to ``max_records``.

    In wrappers of magic 1 the messages are numbered, in those of magic 0 they have their own offsets; some are missing,
    as after compaction.
    """
    rows = _rows(timestamps, keys, values, None, max_records)
    entries = _entries(_chosen(magics, (0, 1), "magic"), _chosen(codecs, LEGACY_CODECS, "codec"), rows)
    return st.builds(lambda entry, offset: entry.at(offset), entries, offsets)


def message_sets(*, max_messages: int = 6, **how: Any) -> st.SearchStrategy[DrawnLog]:
    """Consecutive entries of magic 0 and 1 with rising offsets; the other arguments are those of `logs`."""
    return logs(**{"magics": (0, 1), "codecs": LEGACY_CODECS, **how}, max_batches=max_messages)


# --- logs ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Event:
    """The next event of a log: an entry, a batch of a producer (by number), or the end of its transaction."""

    kind: Literal["legacy", "plain", "idempotent", "transactional", "end"]
    gap: int = 0
    what: Any = None
    producer: int = 0
    is_new_epoch: bool = False


@dataclass
class _Play:
    """Turns events into batches at rising offsets: leader epochs rise, sequences continue, transactions end."""

    offset: int
    epoch: int = 0

    def __post_init__(self) -> None:
        self.sequences: dict[int, int] = {}
        self.open: list[int] = []  # producers in a transaction

    def part(self, event: _Event) -> LogPart:
        self.offset += event.gap
        self.epoch += event.is_new_epoch
        made = self._made(event)
        self.offset = made.last_offset + 1
        return made

    def _made(self, event: _Event) -> LogPart:
        if event.kind == "legacy":
            entry: LogPart = event.what.at(self.offset)
            return entry
        is_transactional = event.kind == "transactional"
        shape = event.what
        if event.kind != "end" and (self.open or is_transactional) and shape.append_time != _CONTROL_MS:
            # By another time of a broker, a transaction that is left open hangs: KF0712.
            shape = replace(shape, append_time=None)
        if event.kind == "plain":
            return shape.at(self.offset, epoch=self.epoch)
        is_idempotent = event.kind == "idempotent"
        id = (2000 if is_idempotent else 1000) + event.producer
        sequence = self.sequences.get(id, 0)
        if event.kind == "end":
            if self.open:  # else the marker of a transaction that wrote nothing here
                id = self.open.pop(event.producer % len(self.open))
            return end_of_transaction(event.what, self.offset, _CONTROL_MS, ProducerFields(id), epoch=self.epoch)
        if is_transactional and id not in self.open:
            self.open.append(id)
        made: LogPart = shape.at(
            self.offset, producer=ProducerFields(id, 0, sequence), transactional=is_transactional, epoch=self.epoch
        )
        self.sequences[id] = add_sequence(add_sequence(sequence, made.last_offset - made.base_offset), 1)
        return made


def _events(
    magics: Sequence[int], codecs: Sequence[str], transactions: bool, rows: Any, bare_rows: Any, compacted: bool | None
) -> st.SearchStrategy[_Event]:
    kinds: list[st.SearchStrategy[_Event]] = []
    producers = st.integers(0, 2)
    if CURRENT_MAGIC in magics:
        shapes = _shapes(_chosen(codecs, CODEC_NAMES, "codec"), rows, compacted)
        gaps = st.just(0) if compacted is False else _GAPS

        def of(kind: str, what: Any, producer: Any = producers) -> st.SearchStrategy[_Event]:
            return st.builds(_Event, st.just(kind), gaps, what, producer, _SOMETIMES)

        kinds += [of("plain", shapes, st.just(0)), of("idempotent", shapes)]
        if transactions:
            kinds += 2 * [of("transactional", shapes), of("end", _padded(_ENDS, shapes))]
    older = [magic for magic in magics if magic != CURRENT_MAGIC]
    known = [codec for codec in codecs if codec in LEGACY_CODECS]
    if older and known:
        entries = _entries(_chosen(older, (0, 1), "magic"), _chosen(known, LEGACY_CODECS, "codec"), bare_rows)
        kinds.append(st.builds(_Event, st.just("legacy"), _GAPS, _padded(entries, st.tuples(*[_SELDOM] * 6))))
    if not kinds:
        raise UsageError(f"no codec for magic 0 and 1 among {', '.join(codecs)}")
    return st.one_of(kinds)


def _in_order(events: list[_Event]) -> list[_Event]:
    """The events in the order of an upgraded log: entries of magic 0, then 1, then batches of magic 2."""
    return sorted(events, key=lambda event: event.what.magic if event.kind == "legacy" else CURRENT_MAGIC)


def logs(
    *,
    magics: Sequence[int] | int = (2, 1, 0),
    codecs: Sequence[str] = CODEC_NAMES,
    transactions: bool = True,
    compacted: bool | None = None,
    base_offsets: st.SearchStrategy[int] = _OFFSETS,
    timestamps: st.SearchStrategy[int] = _TIMESTAMPS,
    keys: st.SearchStrategy[bytes | None] = _KEYS,
    values: st.SearchStrategy[bytes | None] = _VALUES,
    headers: st.SearchStrategy[Any] = _HEADERS,
    max_batches: int = 6,
    max_records: int = 5,
) -> st.SearchStrategy[DrawnLog]:
    """Logs of one segment: batches with rising offsets and epochs, one at least.

    Args:
        magics: of the batches; older ones come first, as in a log that was upgraded.
        codecs: names; ``zstd`` is not drawn for magic 0 and 1.
        transactions: whether some are transactional, with markers: side by side, aborted, left open.
        compacted: as for `batches`; False keeps offsets without gaps.
        base_offsets: of the segment, at most 2^62.
        max_batches, max_records: of the log, of a batch.
    """
    listed = _list_events(
        magics, codecs, transactions, compacted, timestamps, keys, values, headers, max_batches, max_records
    )
    return st.builds(_played, listed, base_offsets)


def _list_events(
    magics: Sequence[int] | int,
    codecs: Sequence[str],
    transactions: bool,
    compacted: bool | None,
    timestamps: Any,
    keys: Any,
    values: Any,
    headers: Any,
    max_batches: int,
    max_records: int,
) -> st.SearchStrategy[list[_Event]]:
    _chosen(magics, (0, 1, 2), "magic")
    _chosen(codecs, CODEC_NAMES, "codec")
    if max_batches < 1:
        raise UsageError(f"max_batches is {max_batches}; a log has one at least")
    rows = _rows(timestamps, keys, values, headers, max_records)
    bare = _rows(timestamps, keys, values, None, max_records)
    magics = [magics] if isinstance(magics, int) else magics
    codecs = [codecs] if isinstance(codecs, str) else codecs
    event = _events(magics, codecs, transactions, rows, bare, compacted)
    return st.lists(event, min_size=1, max_size=max_batches).map(_in_order)


def _played(events: list[_Event], base_offset: int) -> DrawnLog:
    play = _Play(base_offset)
    return DrawnLog(base_offset, tuple(play.part(event) for event in events))


# --- files ---------------------------------------------------------------------------------------------------------

_INTERVALS: Final = st.sampled_from((4096, 0, 100, 300))


def index_files(*, profiles: Sequence[str] = PROFILES, **how: Any) -> st.SearchStrategy[IndexFiles]:
    """Closed segments with their two indexes, under small and usual index intervals.

    ``profiles``: whose indexes, of `kformat.kafka.index.indexing.PROFILES`; the other arguments are those of `logs`.
    """
    chosen = _chosen(profiles, (PROFILES[-1], *PROFILES[:-1]), "profile")
    return st.builds(_indexed, logs(**how), chosen, _INTERVALS)


def _indexed(log: DrawnLog, profile: str, interval: int) -> IndexFiles:
    base = log.base_offset
    batches = indexed(log.parts)
    offsets, times = index_entries(batches, base_offset=base, profile=profile, index_interval_bytes=interval)
    files = segment_files_of([PlannedSegment(base, log.parts)], profile, interval)
    return IndexFiles(
        log,
        profile,
        interval,
        tuple((base + int(row["relative_offset"]), int(row["position"])) for row in offsets),
        tuple((int(row["timestamp"]), base + int(row["relative_offset"])) for row in times),
        files,
    )


def partitions(
    *,
    profiles: Sequence[str] = PROFILES,
    max_segments: int = 3,
    magics: Sequence[int] | int = (2, 1, 0),
    codecs: Sequence[str] = CODEC_NAMES,
    transactions: bool = True,
    compacted: bool | None = None,
    base_offsets: st.SearchStrategy[int] = _OFFSETS,
    timestamps: st.SearchStrategy[int] = _TIMESTAMPS,
    keys: st.SearchStrategy[bytes | None] = _KEYS,
    values: st.SearchStrategy[bytes | None] = _VALUES,
    headers: st.SearchStrategy[Any] = _HEADERS,
    max_batches: int = 6,
    max_records: int = 5,
) -> st.SearchStrategy[DrawnPartition]:
    """Partitions as a broker leaves them after a clean stop: segments with indexes, snapshots, epochs, topic id.

    ``profiles`` as for `index_files`; ``max_batches`` are those of all ``max_segments`` together; the other arguments
    are those of `logs`.
    """
    if max_segments < 1:
        raise UsageError(f"max_segments is {max_segments}; a partition has one at least")
    chosen = _chosen(profiles, (PROFILES[-1], *PROFILES[:-1]), "profile")
    listed = _list_events(
        magics, codecs, transactions, compacted, timestamps, keys, values, headers, max_batches, max_records
    )
    rolls = st.lists(st.integers(1, max(max_batches - 1, 1)), max_size=max_segments - 1, unique=True).map(sorted)
    return st.builds(_partition, listed, base_offsets, rolls, chosen, _INTERVALS)


def _partition(events: list[_Event], base_offset: int, rolls: list[int], profile: str, interval: int) -> DrawnPartition:
    parts = _played(events, base_offset).parts
    starts = [0, *(roll for roll in rolls if roll < len(parts))]
    cut = [parts[start:end] for start, end in zip(starts, [*starts[1:], len(parts)], strict=True)]
    # A segment begins at the end of the log (LocalLog.roll); missing records may be its first ones.
    bases = [base_offset, *(segment_parts[-1].last_offset + 1 for segment_parts in cut[:-1])]
    segments = tuple(DrawnLog(base, segment_parts) for base, segment_parts in zip(bases, cut, strict=True))
    made = partition(
        "",
        [PlannedSegment(segment.base_offset, segment.parts) for segment in segments],
        profile=profile,
        index_interval_bytes=interval,
        topic_id=topic_id_of("drawn") if profile != "first-offset" else None,
    )
    files = {file.path.lstrip("/"): file.data for file in made}
    return DrawnPartition("drawn-0", segments, profile, interval, files)


# --- damage --------------------------------------------------------------------------------------------------------


def damage(
    data: Any, *, names: Sequence[str] = tuple(DAMAGES), mended: bool | None = None
) -> st.SearchStrategy[Damaged]:
    """Damage to bytes, one of each name.

    Args:
        data: bytes, or a value with ``data``: `LogPart`, `DrawnLog`, ... At least one byte.
        names: what may happen: of `DAMAGES`.
        mended: whether length and checksum of the batch that was hit are put right again, so that only readers who
            look further see the damage; None draws both. Bytes that are no log have nothing to mend.
    """
    sound = data if isinstance(data, bytes) else getattr(data, "data", None)
    if not isinstance(sound, bytes) or not sound:
        raise UsageError(f"bytes are needed, one at least, not {data!r:.60}")
    chosen = _chosen(names, tuple(DAMAGES), "damage")
    batches = frames(sound)
    edges = [frame.position for frame in batches[1:]]
    whole = batches[-1:] and batches[-1].position + batches[-1].size == len(sound)
    anywhere = st.integers(0, len(sound) - 1)
    # Between batches more often than at random: cutting or exchanging bytes there leaves sound batches.
    everywhere = st.sampled_from([0, *edges, *[len(sound)] * bool(whole)]) | anywhere if edges else anywhere
    if mended is False:
        batches = []

    @st.composite
    def hurt_once(draw: Any) -> Damaged:
        name = draw(chosen)
        within = draw(st.sampled_from(batches)) if batches and (mended or draw(st.booleans())) else None
        places = everywhere if within is None else st.integers(0, within.size - covered_from(within) - 1)
        at, second, third = draw(places), draw(_BITS if name == "flip" else places), draw(places)
        if name in ("cut", "swap"):
            at, second, third = sorted((at, second, third))
            second = max(second, at + 1)
            third = max(third, second + 1)
        new = draw(_NEW) if name in ("set", "insert") else b""
        if name == "splice":  # a byte at least is copied
            second, third = sorted((second, third))
            third = max(third, second + 1)
        result = hurt(sound, name, (at, second, third), new, within)
        return result if data is sound else replace(result, sound=data)

    return hurt_once()


_NEW: Final = st.sampled_from(_EXTREMES) | st.binary(min_size=1, max_size=16)
_BITS: Final = st.integers(0, 7)


def damaged(
    strategy: st.SearchStrategy[Any], *, names: Sequence[str] = tuple(DAMAGES), mended: bool | None = None
) -> st.SearchStrategy[Damaged]:
    """Damaged values of a strategy; ``sound`` of the result is the original. The arguments are those of `damage`.

    Values without a byte (an empty file) are skipped.
    """
    _chosen(names, tuple(DAMAGES), "damage")
    has_bytes: Callable[[Any], bool] = lambda value: bool(value if isinstance(value, bytes) else value.data)  # noqa: E731
    return strategy.filter(has_bytes).flatmap(lambda value: damage(value, names=names, mended=mended))


__all__ = [
    "batches",
    "damage",
    "damaged",
    "index_files",
    "legacy_messages",
    "logs",
    "message_sets",
    "partitions",
    "records",
]
