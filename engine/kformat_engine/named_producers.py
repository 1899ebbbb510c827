"""The named producers of a log: the open object of each name, and the detection of repeated appends."""

from __future__ import annotations

import warnings
from typing import Any

from kformat.errors import InvalidProducerEpochError, OutOfOrderSequenceError
from kformat.kafka.columns.tables import is_table
from kformat.kafka.producers.producer_state import NO_SEQUENCE
from kformat.times import time_text
from kformat_engine.batching import given_records, numbered
from kformat_engine.local_log import LocalLog
from kformat_engine.log_appender import LogAppender, LogFlusher
from kformat_engine.log_guard import LogGuard
from kformat_engine.producer import MAX_EPOCH, Producer, checked_sequence, next_sequence, producer_id_of, repeated_count
from kformat_engine.storage import Clock


class NamedProducers:
    """See `kformat_engine.producer`."""

    def __init__(
        self, local: LocalLog, guard: LogGuard, appender: LogAppender, flusher: LogFlusher, clock: Clock
    ) -> None:
        self._local, self._guard, self._clock = local, guard, clock
        self._appender, self._flusher = appender, flusher
        self.path = local.path
        self._producers: dict[int, Producer] = {}
        self._warned: set[int] = set()

    def open(self, name: str) -> Producer:
        """Open the producer of a name; the object that was opened with it before is refused from then on."""
        producer_id = producer_id_of(name)
        with self._guard.taken(), self._guard.reading():
            self._guard.check_writable()
            entry = self._local.producers.state.entries.get(producer_id)
            older = self._producers.get(producer_id)
            epoch = 0 if entry is None else max(entry.producer_epoch, 0)
            if older is not None:
                epoch = min(max(epoch, older.producer_epoch) + 1, MAX_EPOCH)
            producer = self._producers[producer_id] = Producer(self, name, producer_id, epoch)
            self._warned.discard(producer_id)
            producers = self._local.producers
            producers.kept.add(producer_id)
        return producer

    def warn_of_expiry(self, producer: Producer) -> None:
        """Warn once if a producer was, or will be, forgotten because of its timestamps; called by a public method."""
        with self._guard.taken(), self._guard.reading():
            producers = self._local.producers
            entry, when = producers.state.entries.get(producer.producer_id), "was forgotten when the log was opened"
            timestamp = producers.forgotten.get(producer.producer_id)
            if entry is not None:
                is_old = producers.state.is_expired(entry, self._clock())
                timestamp, when = entry.last_timestamp if is_old else None, "is forgotten when the log is opened again"
        if timestamp is not None and producer.producer_id not in self._warned:
            self._warned.add(producer.producer_id)
            expiration_ms = self._local.config.producer_id_expiration_ms
            warnings.warn(
                f"{self.path}: producer {producer.name!r} {when}: its last record's timestamp, {time_text(timestamp)}, "
                f"is producer.id.expiration.ms ({expiration_ms} ms) or more ago; what is repeated then is stored "
                "again. LogConfig(producer_id_expiration_ms=...) takes a longer time",
                stacklevel=3,
            )

    def state_of(self, producer: Producer) -> str:
        """The last sequence number of a producer, and whether it can be used, for people; also of a closed log."""
        entry = self._local.producers.state.entries.get(producer.producer_id)
        is_newest = self._producers.get(producer.producer_id) is producer
        last = NO_SEQUENCE if entry is None else entry.last_sequence
        return f"last sequence {last}, {self._guard.state if is_newest else 'replaced by a newer one of that name'}"

    def last_sequence(self, producer_id: int) -> int:
        with self._guard.taken(), self._guard.reading():
            entry = self._local.producers.state.entries.get(producer_id)
            return NO_SEQUENCE if entry is None else entry.last_sequence

    def append_of(self, producer: Producer, records: Any, sequence: int | None, compression: str | None) -> int:
        """See `Producer.append`."""
        rows = given_records(records)
        sequence = None if sequence is None else checked_sequence(sequence)
        with self._guard.taken(), self._guard.reading():
            self._guard.check_writable()
            offset = self._written(producer, rows, sequence, compression)
            end = self._local.offsets.end_offset
        self._flusher.acknowledge(end)
        return offset

    def _written(self, producer: Producer, rows: Any, sequence: int | None, compression: str | None) -> int:
        """As `append_of`, under the log's lock, without a sync."""
        if self._producers.get(producer.producer_id) is not producer:
            raise InvalidProducerEpochError(
                f"producer {producer.name!r} was opened again, so epoch {producer.producer_epoch} is too old"
            )
        local, count = self._local, len(rows)
        if not count:
            return local.offsets.end_offset
        entry = local.producers.state.entries.get(producer.producer_id)
        first = next_sequence(entry) if sequence is None else sequence
        repeated = repeated_count(entry, first)
        if repeated < 0:
            raise OutOfOrderSequenceError(
                f"producer {producer.name!r} begins with sequence {first}; {next_sequence(entry)} is expected"
            )
        earlier = local.offset_of_sequence(producer.producer_id, first) if repeated else None
        if repeated and earlier is None:
            raise OutOfOrderSequenceError(
                f"sequence {first} of producer {producer.name!r} was acknowledged, and is not in the log any more"
            )
        if repeated < count:
            rest = rows if not repeated else rows.slice(repeated) if is_table(rows) else rows[repeated:]
            first = next_sequence(entry) if repeated else first
            prepared = self._appender.prepared(rest, compression)
            offset = self._appender.write(numbered(prepared, producer.producer_id, producer.producer_epoch, first))
            return offset if earlier is None else earlier
        assert earlier is not None
        return earlier
