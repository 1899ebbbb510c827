"""Every error that this library raises, grouped by cause.

    KformatError
    ├── DeclarationError          the .ksy file: names file, line and key
    ├── UsageError                the caller: an unknown format, a bad argument (also a ValueError)
    │   ├── BuildError            an object that cannot be serialized: names the path of the field
    │   ├── OffsetOutOfRangeError an offset below the log's start or above its end
    │   └── ProducerError         batches that do not continue their producer's state
    │       ├── OutOfOrderSequenceError, InvalidProducerEpochError
    │       └── InvalidTransactionStateError, TransactionCoordinatorFencedError
    ├── DataError                 the bytes: names source, position, path, expected, found; holds what was read before
    │   ├── TruncatedError        they end too early; all bytes up to there are valid
    │   ├── InvalidError          a value breaks a rule of its declaration
    │   ├── ChecksumError         stored and computed checksum differ
    │   ├── CompressionError      a compressed payload cannot be decompressed
    │   └── LimitError            they ask for more memory than the caller's limit allows
    ├── LogError                  the current state of the log or its root (also the base of the engine's own errors)
    │   ├── LogClosedError        the log or its reader was closed
    │   ├── RecordsDeletedError   retention or DeleteRecords overtook a reader: names its position and the log's start
    │   └── RootLockedError       someone else holds the lock: a broker, another process, or this process
    ├── RemoteOffsetError         the records are in remote storage, not in these files: names the log's start
    └── MissingDependencyError    an extra is not installed: names it

A file that cannot be opened raises Python's OSError, unchanged. The text of an error is always valid UTF-8: other bytes
in file names are escaped (``\\udcff``), as on standard error. Otherwise pyarrow, loggers and strict streams would raise
a UnicodeEncodeError and hide the real error. *Position* is bytes from the start of the source; *offset* is Kafka's
logical offset and never appears here.
"""

from __future__ import annotations

import operator
from typing import Any, ClassVar


class KformatError(Exception):
    """The base class: ``except KformatError`` catches every error that this library raises on purpose."""

    def __str__(self) -> str:
        return _escaped(super().__str__())

    def __reduce__(self) -> tuple[Any, ...]:
        """By its text and attributes: the arguments of its class may be others (multiprocessing, Spark's workers)."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[KformatError], arguments: tuple[Any, ...], state: dict[str, Any]) -> KformatError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


def _escaped(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


class DeclarationError(KformatError):
    """A declaration is wrong, or uses a feature that kformat does not support.

    ``file`` and ``line`` (counted from 1) give the place. ``key`` is the slash-separated path of the offending key
    (``/types/record/seq/1/size``), in the notation of Kaitai's own compiler. ``others`` are the complaints that came
    next, by file and line; the text has them all, one a line. ``declaration`` is what could be read nevertheless, or
    None.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str = "",
        line: int | None = None,
        key: str = "",
        others: tuple[DeclarationError, ...] = (),
    ) -> None:
        self.message, self.file, self.line, self.key, self.others = message, file, line, key, others
        self.declaration: Any = None
        place = ":".join(part for part in (file, str(line) if line is not None else "") if part)
        first = " ".join(part for part in (place + ":" if place else "", key + ":" if key else "", message) if part)
        super().__init__("\n".join((first, *map(str, others))))

    def alone(self) -> DeclarationError:
        """This complaint without the others."""
        return DeclarationError(self.message, file=self.file, line=self.line, key=self.key)


class UsageError(KformatError, ValueError):
    """The caller asked for something that does not exist or makes no sense.

    Attributes:
        hint: what the command line offers to do about it, or "".
    """

    hint: ClassVar[str] = ""


class OffsetOutOfRangeError(UsageError):
    """An offset below the log's start or above its end (OffsetOutOfRangeException)."""

    def __init__(self, offset: int, start_offset: int, end_offset: int) -> None:
        self.offset, self.start_offset, self.end_offset = offset, start_offset, end_offset
        super().__init__(
            f"offset {offset} is out of range: the log goes from {start_offset} to {end_offset} (exclusive)"
        )


class ProducerError(UsageError):
    """An append of a producer that its state refuses; nothing was written."""


class OutOfOrderSequenceError(ProducerError):
    """A sequence number that does not follow the producer's last one (OutOfOrderSequenceException)."""


class InvalidProducerEpochError(ProducerError):
    """An epoch below the producer's latest: another instance has taken over (InvalidProducerEpochException)."""


class InvalidTransactionStateError(ProducerError):
    """A batch outside of a transaction, from a producer that has one open (InvalidTxnStateException)."""


class TransactionCoordinatorFencedError(ProducerError):
    """A marker of a coordinator with an earlier epoch (TransactionCoordinatorFencedException)."""


class BuildError(UsageError):
    """An object does not fit its declaration; ``path`` names the field (``record_batch.records[3].key``)."""

    def __init__(self, message: str, *, path: str = "", expected: Any = None, found: Any = None) -> None:
        super().__init__(message)
        self.message, self.path, self.expected, self.found = message, path, expected, found

    def __str__(self) -> str:
        text = f"{shortened(self.path)}: {self.message}" if self.path else self.message
        return _escaped(_with_expectation(text, self.expected, self.found))


class DataError(KformatError):
    """Bytes do not match their declaration.

    Attributes:
        source: what was read: a file's name, or ``"<bytes>"``.
        position: absolute byte position in the source, or None when no position makes sense.
        inflated_position: inside a compressed payload, the position in the decompressed bytes; ``position`` is then
            the position of the batch.
        path: the field, indexed: ``record_batch.records[3].headers[0].key``.
        expected, found: what the rule asks for and what was found, as short text or plain values.
        partial: what was read before the error (a value of the declared type, its later fields unset), or None.
    """

    def __init__(
        self,
        message: str,
        *,
        source: str = "",
        position: int | None = None,
        inflated_position: int | None = None,
        path: str = "",
        expected: Any = None,
        found: Any = None,
        partial: Any = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.position = position
        self.inflated_position = inflated_position
        self.path = path
        self.expected = expected
        self.found = found
        self.partial = partial

    @property
    def place(self) -> str:
        """``source:position``, as far as known; inside a compressed payload ``source:position+inflated``."""
        text = self.source
        if self.position is not None:
            text += f":{shown_value(self.position)}"
        if self.inflated_position is not None:
            text += f"+{self.inflated_position}"
        return text

    def __str__(self) -> str:
        head = " ".join(part for part in (self.place, shortened(self.path)) if part)
        text = f"{head}: {self.message}" if head else self.message
        return _escaped(_with_expectation(text, self.expected, self.found))

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword-only arguments do not pickle by themselves (Spark's workers, multiprocessing). `partial` is left out:
        # its class may come from a declaration that the other process does not have.
        state = {name: value for name, value in self.__dict__.items() if name != "partial"}
        return _rebuild, (type(self), self.message, state)


def _rebuild(kind: type[DataError], message: str, state: dict[str, Any]) -> DataError:
    error = kind(message)
    error.__dict__.update(state)
    return error


def whole_number(value: Any, what: str) -> int:
    """Convert a caller's number (also numpy's) to int. UsageError, naming ``what``, if it is not a whole number."""
    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise UsageError(f"{what} is {value!r:.60}; a whole number is expected")


def join_path(outer: str, inner: str) -> str:
    """The path of ``inner`` inside ``outer``: ``records`` and ``[3].key`` become ``records[3].key``."""
    return outer + inner if not inner or inner.startswith("[") else f"{outer}.{inner}"


_MOST_PARTS = 24
_ENDS = 6


def shortened(path: str) -> str:
    """A path for people: of more than 24 names the first and the last six, and how many are between them."""
    if path.count(".") < _MOST_PARTS:
        return path
    parts = path.split(".")
    between = f"...({len(parts) - 2 * _ENDS} more)..."
    return f"{'.'.join(parts[:_ENDS])}{between}{'.'.join(parts[-_ENDS:])}"


_KINDS: dict[type, str] = {
    str: "text",
    bytes: "bytes",
    int: "an integer",
    bool: "true or false",
    float: "a float",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def kind_of(value: object) -> str:
    """What a value is, for a message: ``text`` rather than ``str``."""
    return _KINDS.get(type(value), type(value).__name__)


def shown_value(value: object) -> str:
    """A value in a message. Python does not write integers of thousands of digits."""
    try:
        return str(value)
    except ValueError:
        return f"an integer of {value.bit_length():,} bits" if isinstance(value, int) else "integers of too many digits"


def _with_expectation(text: str, expected: Any, found: Any) -> str:
    both = (("expected", expected), ("found", found))
    wanted = [f"{label} {shown_value(value)}" for label, value in both if value is not None]
    return f"{text} ({', '.join(wanted)})" if wanted else text


class TruncatedError(DataError):
    """The bytes end before the structure does: a torn write, or a file that is still being written."""


class InvalidError(DataError):
    """A value breaks a rule that the declaration states, or bytes are left over where none may be."""


class ChecksumError(DataError):
    """The stored checksum differs from the one computed over the bytes."""


class CompressionError(DataError):
    """A compressed payload is damaged or framed in a way that Kafka does not read."""


class LimitError(DataError):
    """Decoding these bytes would take more memory than the caller's limit, or the default limit, allows."""


class RemoteOffsetError(KformatError):
    """A read needs records of a tiered topic that are no longer in its local files. They are in remote storage, not
    deleted.

    Attributes:
        offset: the first remote offset of the read; None for a lookup by time whose record may be remote.
        log_start_offset: the first offset of the log. local_log_start_offset: the first offset in the local files.
        source: what was read: the partition's path.
    """

    def __init__(
        self, offset: int | None, log_start_offset: int, local_log_start_offset: int, *, source: str = ""
    ) -> None:
        self.offset, self.source = offset, source
        self.log_start_offset, self.local_log_start_offset = log_start_offset, local_log_start_offset
        text = (
            "remote storage was not searched and may hold the record"
            if offset is None
            else f"offset {offset} is in remote storage"
        )
        text += f": the log starts at offset {log_start_offset}, its local part at offset {local_log_start_offset}"
        super().__init__(f"{source}: {text}" if source else text)


class LogError(KformatError):
    """The log's current state does not allow the operation."""


class LogClosedError(LogError):
    """The log was closed (KafkaStorageException "The memory mapped buffer ... is closed")."""


class RecordsDeletedError(LogError):
    """Retention or DeleteRecords deleted records before a reader reached them.

    Nothing is damaged. A caller that does not need those records continues at ``start_offset``.

    Attributes:
        offset: the next offset to read. start_offset: the first offset that the log has now.
        source: what was read: the partition's path.
    """

    def __init__(self, offset: int, start_offset: int, *, source: str = "") -> None:
        self.offset, self.start_offset, self.source = offset, start_offset, source
        text = (
            f"records were deleted before they were read: offset {offset} was next, the log starts at offset "
            f"{start_offset}"
        )
        super().__init__(f"{source}: {text}" if source else text)


class RootLockedError(LogError):
    """The root's `.lock` is held by a broker, by another process, or by another object of this process.

    Nothing was changed.
    """


class MissingDependencyError(KformatError, ImportError):
    """An optional library is not installed; the message names the extra that installs it."""

    def __init__(self, module: str, extra: str) -> None:
        self.module, self.extra = module, extra
        super().__init__(
            f"{module} is not installed; it comes with the extra '{extra}': pip install 'kformat[{extra}]'"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.module, self.extra)


__all__ = [
    "BuildError",
    "ChecksumError",
    "CompressionError",
    "DataError",
    "DeclarationError",
    "InvalidError",
    "InvalidProducerEpochError",
    "InvalidTransactionStateError",
    "KformatError",
    "LimitError",
    "LogClosedError",
    "LogError",
    "MissingDependencyError",
    "OffsetOutOfRangeError",
    "OutOfOrderSequenceError",
    "ProducerError",
    "RecordsDeletedError",
    "RemoteOffsetError",
    "RootLockedError",
    "TransactionCoordinatorFencedError",
    "TruncatedError",
    "UsageError",
    "whole_number",
]
