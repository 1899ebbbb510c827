"""Every error that the engine adds to kformat's, named by whose fault it is.

    KformatError
    ├── UsageError                   the caller (also a ValueError)
    │   ├── ConfigError              a configuration that Kafka would not take: says which name and why
    │   ├── RecordTooLargeError      a batch over max.message.bytes
    │   ├── BatchesTooLargeError     one append over segment.bytes
    │   ├── InvalidRecordError       an append that a leader refuses; says which record and why
    │   │   └── InvalidTimestampError    too far in the past or the future
    │   ├── CorruptBatchError        bytes handed in for appending are no sound batch
    │   ├── OffsetOrderError         ready offsets below the log's end, or not growing
    │   ├── ProducerError            batches that do not go on where their producer's state is (kformat.errors)
    │   ├── UnknownPartitionError    a manager has no such partition
    │   └── OffsetOutOfRangeError    a read below the log's start or above its end (kformat.errors)
    ├── LogError                     the log, as it is now (kformat.errors)
    │   ├── LogClosedError           it was closed (kformat.errors)
    │   ├── RecordsDeletedError      retention overtook an iteration (kformat.errors)
    │   ├── WriterFailedError        a write or sync failed before; nothing is written until the log is opened again
    │   ├── RootLockedError          another process, or another owner in this one, holds the root (kformat.errors)
    │   ├── LogDirOfflineError       the disk of a manager's directory failed: its partitions cannot be used
    │   ├── DuplicatePartitionError  a partition lies in two directories of a manager
    │   ├── DamagedLogError          damage that recovery refuses to guess around: says where; holds the findings
    │   ├── TieredLogError           what would be deleted or cut may be in a broker's remote storage, too
    │   ├── CompactionAbortedError   the log was cut, deleted from, or closed while it was compacted
    │   ├── SegmentInUseError        memory that a reader still holds would be cut away
    │   └── RollError                a roll that Kafka refuses: the new segment would lie below the active one
    └── IndexingError                an index refuses an entry or an operation
        ├── IndexFullError           no slot is left
        ├── IndexOrderError          an offset not above (time index: below) the last one, or a timestamp below it
        ├── OffsetOverflowError      an offset too far above the segment's base offset
        ├── IndexSealedError         the index of a sealed segment is not written to
        └── CorruptIndexError        a file that became shorter

The disk's own errors stay OSError if nothing was changed; after a failed change, the writer refuses all others.
Kafka's names for them are in the docstrings.
"""

from __future__ import annotations

from kformat.errors import InvalidProducerEpochError as InvalidProducerEpochError
from kformat.errors import InvalidTransactionStateError as InvalidTransactionStateError
from kformat.errors import KformatError, UsageError
from kformat.errors import LogClosedError as LogClosedError
from kformat.errors import LogError as LogError
from kformat.errors import OffsetOutOfRangeError as OffsetOutOfRangeError
from kformat.errors import OutOfOrderSequenceError as OutOfOrderSequenceError
from kformat.errors import ProducerError as ProducerError
from kformat.errors import RecordsDeletedError as RecordsDeletedError
from kformat.errors import RootLockedError as RootLockedError
from kformat.errors import TransactionCoordinatorFencedError as TransactionCoordinatorFencedError


class ConfigError(UsageError):
    """An invalid configuration (Kafka's ConfigException); ``name`` is Kafka's name of the setting."""

    def __init__(self, name: str, message: str) -> None:
        self.name = name
        super().__init__(f"{name}: {message}")


class RecordTooLargeError(UsageError):
    """A batch is larger than `max.message.bytes` (RecordTooLargeException)."""


class BatchesTooLargeError(UsageError):
    """The batches of one append do not fit a segment (RecordBatchTooLargeException)."""


class InvalidRecordError(UsageError):
    """An append that a leader refuses (InvalidRecordException, LogValidator); nothing was written."""


class InvalidTimestampError(InvalidRecordError):
    """A timestamp outside of what the configuration allows (InvalidTimestampException); nothing was written."""


class CorruptBatchError(UsageError):
    """Bytes passed for appending that are no sound batch (CorruptRecordException); nothing was written."""


class OffsetOrderError(UsageError):
    """Ready offsets that do not grow or lie below the log's end (OffsetsOutOfOrderException,
    UnexpectedAppendOffsetException); nothing was written."""


class UnknownPartitionError(UsageError):
    """A manager has no such partition (UnknownTopicOrPartitionException)."""


class LogDirOfflineError(LogError):
    """The disk of a directory failed, and all its partitions with it (KafkaStorageException); ``__cause__`` is that
    failure. The manager's other directories remain usable. Open the manager again when the disk works."""


class DuplicatePartitionError(LogError):
    """A partition lies in two directories ("Duplicate log directories"); nothing was changed. Keep one of the two."""


class WriterFailedError(LogError):
    """A write or a sync failed, so the state on disk is unknown; ``__cause__`` is that failure.

    Nothing more is written. Reading still works. Open the log again: recovery examines the disk.
    """


class DamagedLogError(LogError):
    """Damage that recovery does not repair (in mode ``strict``).

    Attributes:
        source: the file; position: where in it the damage begins, bytes; None if it concerns the whole file.
    """

    def __init__(self, message: str, *, source: str = "", position: int | None = None) -> None:
        self.message, self.source, self.position = message, source, position
        place = source + ("" if position is None else f":{position}")
        super().__init__(f"{place}: {message}" if place else message)


class TieredLogError(LogError):
    """The part of a tiered log to delete or cut may be in a broker's remote storage, too; nothing was changed."""


class CompactionAbortedError(LogError):
    """A log was cut, deleted from, or closed while it was compacted (LogCleaningAbortedException).

    Segments that were already replaced stay so; the next compaction starts over."""


class SegmentInUseError(LogError):
    """A reader still holds bytes that were read without copying, and the operation would cut them off."""


class RollError(LogError):
    """The log cannot be rolled to this base offset (KafkaException in LocalLog.roll)."""


class IndexingError(KformatError):
    """An index refuses an entry or an operation."""


class IndexFullError(IndexingError):
    """No slot is left (IllegalArgumentException "Attempt to append to a full index")."""


class IndexOrderError(IndexingError):
    """An entry that does not continue the order (InvalidOffsetException; for timestamps IllegalStateException)."""


class OffsetOverflowError(IndexingError):
    """The offset does not fit the segment: below its base offset, or more than 2^31-1 above it
    (IndexOffsetOverflowException, LogSegmentOffsetOverflowException)."""


class IndexSealedError(IndexingError):
    """The index belongs to a sealed segment, and is read-only."""


class CorruptIndexError(IndexingError):
    """An index file became shorter under its mapping (CorruptIndexException)."""
