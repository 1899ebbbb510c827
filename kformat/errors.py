"""Every error that leaves this library, named by whose fault it is.

    KformatError
    ├── DeclarationError          the .ksy file: says file, line and key
    ├── UsageError                the caller: an unknown format, a bad argument (also a ValueError)
    │   ├── BuildError            an object that cannot become bytes: says the path of the field
    │   ├── OffsetOutOfRangeError an offset below the log's start or above its end
    │   └── ProducerError         batches that do not go on where their producer's state is
    │       ├── OutOfOrderSequenceError, InvalidProducerEpochError
    │       └── InvalidTransactionStateError, TransactionCoordinatorFencedError
    ├── DataError                 the bytes: says source, position, path, expected, found; holds what was read before
    │   ├── TruncatedError        they end too early; nothing that was there is wrong
    │   ├── InvalidError          a value breaks a rule of its declaration
    │   ├── ChecksumError         stored and computed checksum differ
    │   ├── CompressionError      a compressed payload cannot be inflated
    │   └── LimitError            they ask for more memory than the caller's limit allows
    ├── LogError                  the log, or its root, as it is now (the engine's own are below it, too)
    │   ├── LogClosedError        it was closed, or what reads it
    │   ├── RecordsDeletedError   retention or DeleteRecords overtook a reader: says where it was, where the log starts
    │   └── RootLockedError       somebody else may write there: a broker, another process, this one
    ├── RemoteOffsetError         the records lie in remote storage, not in these files: says where the log starts
    └── MissingDependencyError    an extra is not installed: says which

A file that cannot be opened stays an OSError: Python's own error says it better.
The text of an error is always UTF-8: what a file's name has besides is escaped (``\\udcff``), as on standard error.
pyarrow, loggers and strict streams refuse other text, and raise a UnicodeEncodeError instead of what went wrong.
*Position* is bytes from the start of the source; *offset* is Kafka's logical offset and never appears here.
"""

from __future__ import annotations

import operator
from typing import Any


class KformatError(Exception):
    """The root: ``except KformatError`` catches whatever this library raises on purpose."""

    def __str__(self) -> str:
        return _escaped(super().__str__())


def _escaped(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


class DeclarationError(KformatError):
    """A declaration that is wrong, or outside the subset that kformat supports.

    ``file`` and ``line`` (counted from 1) say where, ``key`` is the slash-separated path of the offending key
    (``/types/record/seq/1/size``), as Kaitai's own compiler writes it.
    """

    def __init__(self, message: str, *, file: str = "", line: int | None = None, key: str = "") -> None:
        self.message, self.file, self.line, self.key = message, file, line, key
        place = ":".join(part for part in (file, str(line) if line is not None else "") if part)
        super().__init__(
            " ".join(part for part in (place + ":" if place else "", key + ":" if key else "", message) if part)
        )


class UsageError(KformatError, ValueError):
    """The caller asked for something that does not exist or makes no sense."""


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
        text = f"{self.path}: {self.message}" if self.path else self.message
        return _escaped(_with_expectation(text, self.expected, self.found))


class DataError(KformatError):
    """Bytes that are not what their declaration says.

    Attributes:
        source: what was read: a file's name, or ``"<bytes>"``.
        position: absolute byte position in the source, or None when no position makes sense.
        inflated_position: inside a compressed payload, the position in the inflated bytes; ``position`` is then
            that of the batch which holds the payload.
        path: the field, indexed: ``record_batch.records[3].headers[0].key``.
        expected, found: what the rule asks for and what lies there, as short text or plain values.
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
        """``source:position`` as far as known; inside a compressed payload ``source:position+inflated``."""
        text = self.source
        if self.position is not None:
            text += f":{self.position}"
        if self.inflated_position is not None:
            text += f"+{self.inflated_position}"
        return text

    def __str__(self) -> str:
        head = " ".join(part for part in (self.place, self.path) if part)
        text = f"{head}: {self.message}" if head else self.message
        return _escaped(_with_expectation(text, self.expected, self.found))

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword-only arguments need help to cross process borders (Spark's workers, multiprocessing).
        # `partial` is left out: its class may have been made from a declaration that the other side does not know.
        state = {name: value for name, value in self.__dict__.items() if name != "partial"}
        return _rebuild, (type(self), self.message, state)


def _rebuild(kind: type[DataError], message: str, state: dict[str, Any]) -> DataError:
    error = kind(message)
    error.__dict__.update(state)
    return error


def whole_number(given: Any, what: str) -> int:
    """A number that a caller gave, be it numpy's, as int; UsageError, with ``what`` it is, for what is none."""
    try:
        if not isinstance(given, bool):
            return operator.index(given)
    except TypeError:
        pass
    raise UsageError(f"{what} is {given!r:.60}; a whole number is expected")


def join_path(outer: str, inner: str) -> str:
    """The path of what lies at ``inner`` inside of ``outer``: ``records`` and ``[3].key`` are ``records[3].key``."""
    return outer + inner if not inner or inner.startswith("[") else f"{outer}.{inner}"


def _with_expectation(text: str, expected: Any, found: Any) -> str:
    wanted = [f"{label} {value}" for label, value in (("expected", expected), ("found", found)) if value is not None]
    return f"{text} ({', '.join(wanted)})" if wanted else text


class TruncatedError(DataError):
    """The bytes end before the structure does: a torn write, or a file that is still being written."""


class InvalidError(DataError):
    """A value breaks a rule that the declaration states, or bytes are left over where none may be."""


class ChecksumError(DataError):
    """The stored checksum differs from that of the bytes it covers."""


class CompressionError(DataError):
    """A compressed payload is damaged or framed in a way that Kafka does not read."""


class LimitError(DataError):
    """Honouring the bytes would take more memory than the limit that the caller set (or the default) allows."""


class RemoteOffsetError(KformatError):
    """Records of a tiered topic are wanted that its local files no longer hold; they are not deleted.

    Attributes:
        offset: the first offset that was wanted and is remote; None where a time was wanted, and the record that has it
            may be remote.
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

    def __reduce__(self) -> tuple[Any, ...]:
        bounds = self.offset, self.log_start_offset, self.local_log_start_offset
        return type(self), bounds, {"args": self.args, "source": self.source}


class LogError(KformatError):
    """The log, as it is now, cannot do it."""


class LogClosedError(LogError):
    """The log was closed (KafkaStorageException "The memory mapped buffer ... is closed")."""


class RecordsDeletedError(LogError):
    """Records were deleted before a reader that was on its way came to them: retention or DeleteRecords overtook it.

    Nothing is damaged. A caller that can do without those records goes on at ``start_offset``.

    Attributes:
        offset: the one to be read next. start_offset: the first one that the log has now.
        source: what was read: the partition's path.
    """

    def __init__(self, offset: int, start_offset: int, *, source: str = "") -> None:
        self.offset, self.start_offset, self.source = offset, start_offset, source
        text = (
            f"records were deleted before they were read: offset {offset} was next, the log starts at offset "
            f"{start_offset}"
        )
        super().__init__(f"{source}: {text}" if source else text)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.offset, self.start_offset), {"args": self.args, "source": self.source}


class RootLockedError(LogError):
    """Somebody else holds the root's `.lock`: a broker, another process, or this process through another object.

    Nothing was changed.
    """


class MissingDependencyError(KformatError, ImportError):
    """An optional library is not installed; the message names the extra that brings it."""

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
