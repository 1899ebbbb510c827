"""Transactions as their callers see them: `Transaction` of a manager's partitions, `LogTransaction` of one log.

The guarantees are in engine/README.md, the implementation in `kformat_engine.coordinator`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Final, Literal, Protocol, Self, get_args

from kformat.errors import InvalidProducerEpochError, KformatError, UsageError, whole_number
from kformat.integers import MAX_INT32
from kformat.kafka.columns.batch_builder import Table
from kformat.kafka.files.file_kinds import folder_name

DEFAULT_TIMEOUT_MS: Final = 60_000
"""Kafka's default of the producer's `transaction.timeout.ms`."""

Durability = Literal["markers", "decision"]
"""What is on disk when `Transaction.commit` returns, besides the records: the markers, or the decision alone."""


class _Coordinator(Protocol):
    """The part of a `kformat_engine.coordinator.Coordinator` that its transactions use."""

    def state_of(self, transaction: Transaction) -> str: ...

    def append(
        self, transaction: Transaction, topic: str, partition: int, records: Any, compression: str | None
    ) -> int: ...

    def end(self, transaction: Transaction, is_commit: bool) -> None: ...


def checked_timeout(timeout_ms: Any) -> int:
    """Check and return a caller's timeout; UsageError for an invalid one."""
    if type(timeout_ms) is not int or not 1 <= timeout_ms <= MAX_INT32:
        raise UsageError(f"the timeout of a transaction is 1 to {MAX_INT32} ms, not {timeout_ms!r:.60}")
    return timeout_ms


def checked_durability(durability: Any) -> Durability:
    """Check and return a caller's durability; UsageError for an invalid one."""
    if durability not in get_args(Durability):
        raise UsageError(f"durability is one of {', '.join(get_args(Durability))}, not {durability!r:.60}")
    known: Durability = durability
    return known


def checked_place(topic: Any, partition: Any) -> tuple[str, int]:
    """Check and return a caller's topic and partition number; UsageError for invalid ones."""
    if not isinstance(topic, str):
        raise UsageError(f"topic is {topic!r:.60}; a text is expected")
    return topic, whole_number(partition, "partition")


def checked_places(places: Any) -> list[tuple[str, int]]:
    """Check and return a caller's partitions, each with its topic and number; UsageError for invalid ones."""
    found = list(places) if isinstance(places, Iterable) and not isinstance(places, str | bytes) else None
    if found is None or not all(isinstance(place, tuple | list) and len(place) == 2 for place in found):
        shown = places if found is None else found
        raise UsageError(f'partitions is a list of (topic, partition), such as [("orders", 0)], not {shown!r:.60}')
    return [checked_place(*place) for place in found]


class Transaction:
    """A transaction over partitions of a `LogManager`; see `LogManager.transaction`, which makes it.

    Use it as a context manager: it commits at the end, and aborts on an exception. Threads may share it; their calls
    take turns.

    Attributes:
        transactional_id: the id with which it was begun. producer_id, producer_epoch: of its batches.
        timeout_ms: it is aborted when it is open for longer after its first append.
        durability, partitions: see `LogManager.transaction`.
    """

    def __init__(
        self,
        coordinator: _Coordinator,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        timeout_ms: int,
        durability: Durability,
    ) -> None:
        self._coordinator, self.durability = coordinator, durability
        self.transactional_id, self.timeout_ms = transactional_id, timeout_ms
        self.producer_id, self.producer_epoch = producer_id, producer_epoch
        self.partitions: frozenset[tuple[str, int]] = frozenset()
        self._lock = threading.RLock()
        self._end: str | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.transactional_id!r}: epoch {self.producer_epoch}, {self.state}>"

    @property
    def state(self) -> str:
        """Kafka's word: ``Empty`` before the first append, ``Ongoing``, ``PrepareCommit`` (it is committed, but a
        marker could not be written, or is not on disk yet), ``PrepareAbort``, ``CompleteCommit``, ``CompleteAbort``."""
        return self._coordinator.state_of(self)

    def append(
        self, topic: str, partition: int, records: Iterable[Any] | Table, *, compression: str | None = None
    ) -> int:
        """Append records to a partition of the manager; returns the offset of the first.

        Args:
            records, compression: as `Log.append` takes them.

        Raises as `Log.append`, and:
            InvalidProducerEpochError: the id was begun again, or the transaction was aborted because its time was over.
            UnknownPartitionError, LogDirOfflineError: as `LogManager.log`.
            UsageError: it was committed or aborted; the topic is no text, or the partition no number.
        """
        topic, partition = checked_place(topic, partition)
        with self._lock:
            self._check_open()
            return self._coordinator.append(self, topic, partition, records, compression)

    def commit(self) -> None:
        """Commit it. When this returns, all its records are on disk, regardless of the sync policy, and visible to
        readers of committed data; after an earlier crash none is.

        Raises:
            InvalidProducerEpochError: the id was begun again, or the transaction was aborted because its time was over.
            UsageError: it was committed or aborted.
            OSError, WriterFailedError: the disk failed. ``state`` says whether it is committed: ``Ongoing`` is not;
                after ``PrepareCommit`` the markers that are missing are written when the logs are opened again, or when
                this is called again, as after an interrupt. Where
                the log of `__transaction_state` failed itself, opening it again shows which of the two it is.
        """
        self._finish(is_commit=True)

    def abort(self) -> None:
        """Abort it: its records stay in the logs, and readers of committed data do not see them. Raises as `commit`,
        and UsageError if `commit` was interrupted or failed after the decision."""
        self._finish(is_commit=False)

    def _finish(self, *, is_commit: bool) -> None:
        with self._lock:
            self._check_open()
            self._coordinator.end(self, is_commit)
            self._end = "committed" if is_commit else "aborted"

    def _check_open(self) -> None:
        if self._end is not None:
            raise UsageError(f"the transaction {self.transactional_id!r} was {self._end}")

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._end is not None:
            return
        if error is None:
            try:
                self.commit()
                return
            except BaseException as failure:
                self._abort_after(failure)
                raise
        self._abort_after(error)

    def _abort_after(self, error: BaseException) -> None:
        """Abort because of an error, which is raised; errors of the abort are added to it as notes."""
        if self.state not in ("Empty", "Ongoing"):  # it is decided, or already aborted
            return
        try:
            self.abort()
        except InvalidProducerEpochError:
            pass
        except (KformatError, OSError) as other:
            error.add_note(f"the transaction {self.transactional_id!r} could not be aborted now: {other!r}")


class LogTransaction(Transaction):
    """A transaction in one log; see `Log.transaction`, which makes it, and `Transaction`.

    Attributes:
        place: the log's topic and partition.
    """

    def __init__(
        self,
        coordinator: _Coordinator,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        timeout_ms: int,
        durability: Durability,
        topic: str,
        partition: int,
    ) -> None:
        super().__init__(coordinator, transactional_id, producer_id, producer_epoch, timeout_ms, durability)
        self.place = topic, partition

    def __repr__(self) -> str:
        where = f"{self.transactional_id!r} in {folder_name(*self.place)}"
        return f"<{type(self).__name__} {where}: epoch {self.producer_epoch}, {self.state}>"

    def append(  # type: ignore[override]
        self, records: Iterable[Any] | Table, *, compression: str | None = None
    ) -> int:
        """Append records; returns the offset of the first. Arguments and errors are those of `Transaction.append`."""
        return super().append(*self.place, records, compression=compression)
