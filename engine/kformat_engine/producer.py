"""A named producer: its appends are numbered, so that one which is repeated after a failure is not stored twice.

Rules:

* The name is kept in no file: the producer id is derived from it, and everything else from the log. Ids of names begin
  at 2^62. A cluster assigns producer ids from 0 on, so no client of a broker gets the same one; to a broker the batches
  are those of any idempotent producer.
* Each record has a sequence number, one above that of the record before, also across restarts; 0 comes after
  2147483647.
* After a restart the producer continues with its epoch. A name that is opened a second time gets the next epoch (up to
  32767), and the older object is refused.
* An acknowledged `append` is remembered as long as the state of the producer: until `truncate_to` cuts it, or
  `producer.id.expiration.ms` after the largest timestamp of the last batch, but not while its object is in use. So a
  producer of records with old timestamps is forgotten when the log is opened again, even if they were appended
  recently, as a broker forgets it. A UserWarning reports this.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Protocol

from kformat.errors import UsageError
from kformat.integers import MAX_INT32
from kformat.kafka.batch.records import add_sequence
from kformat.kafka.columns.batch_builder import Table
from kformat.kafka.producers.producer_state import ProducerEntry
from kformat.results import printable

MAX_EPOCH: Final = 2**15 - 1
_SEQUENCES: Final = MAX_INT32 + 1
FIRST_ID: Final = 1 << 62
"""The first of the producer ids that are derived from names."""

_HASHED_AS: Final = b"kformat producer\0"


def producer_id_of(name: str) -> int:
    """The producer id of a name: 2^62 and above; UsageError for an invalid name."""
    if not isinstance(name, str) or not name:
        raise UsageError(f"a producer's name is a text that is not empty, not {name!r:.60}")
    return id_from_hash(hashlib.sha256(_HASHED_AS + name.encode("utf-8", "surrogatepass")).hexdigest())


def id_from_hash(digest: str) -> int:
    """The producer id derived from hexadecimal digits: 2^62 and above."""
    return FIRST_ID | int(digest[:16], 16) & FIRST_ID - 1


def next_sequence(entry: ProducerEntry | None) -> int:
    """The sequence number of the next record."""
    return add_sequence(entry.last_sequence, 1) if entry is not None and entry.batches else 0


def repeated_count(entry: ProducerEntry | None, sequence: int) -> int:
    """The number of acknowledged records from a sequence number on; below 0: the number of missing ones before it."""
    if entry is None or not entry.batches:
        return 0
    back = (next_sequence(entry) - sequence) % _SEQUENCES
    return back if back <= _SEQUENCES // 2 else back - _SEQUENCES


class _ProducerLog(Protocol):
    """The part of a log that its producers use."""

    path: Path

    def state_of(self, producer: Producer) -> str: ...

    def last_sequence(self, producer_id: int) -> int: ...

    def warn_of_expiry(self, producer: Producer) -> None: ...

    def append_of(self, producer: Producer, records: Any, sequence: int | None, compression: str | None) -> int: ...


class Producer:
    """See `Log.producer`, which makes it.

    Attributes:
        name: the name with which it was opened. producer_id, producer_epoch: of its batches.
    """

    def __init__(self, log: _ProducerLog, name: str, producer_id: int, producer_epoch: int) -> None:
        self._log, self.name = log, name
        self.producer_id, self.producer_epoch = producer_id, producer_epoch

    def __repr__(self) -> str:
        state = self._log.state_of(self)
        return f"<Producer {self.name!r} of {printable(str(self._log.path))}: epoch {self.producer_epoch}, {state}>"

    @property
    def last_sequence(self) -> int:
        """The sequence number of the last record that was acknowledged; -1 for none."""
        return self._log.last_sequence(self.producer_id)

    def append(
        self, records: Iterable[Any] | Table, *, sequence: int | None = None, compression: str | None = None
    ) -> int:
        """Append records, unless they were appended before; returns the offset of the first.

        Args:
            records, compression: as `Log.append` takes them.
            sequence: the sequence number of the first record; by default the one after `last_sequence`. Records that
                were acknowledged under their numbers are left out, and the offset is then that of the earlier append.

        Raises as `Log.append`, and:
            InvalidProducerEpochError: the name was opened again, so this object is too old; nothing was appended.
            OutOfOrderSequenceError: records before these were not appended; or they were, and retention has deleted
                the earlier append, so that its offset is not known any more. Nothing was appended.
            UsageError: a sequence number that is none.

        Warns (UserWarning) once if its last record's timestamp is so old that the producer is forgotten when the log is
        opened again: see the module.
        """
        offset = self._log.append_of(self, records, sequence, compression)
        self._log.warn_of_expiry(self)
        return offset


def checked_sequence(sequence: Any) -> int:
    """Check and return a caller's sequence number; UsageError for an invalid one."""
    if type(sequence) is not int or not 0 <= sequence <= MAX_INT32:
        raise UsageError(f"a sequence number is 0 to {MAX_INT32}, not {sequence!r:.60}")
    return sequence
