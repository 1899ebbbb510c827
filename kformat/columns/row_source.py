"""The protocol of rows: the same verbs read the rows of every source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from kformat.columns.arrow import RecordBatch


class RowPart(Protocol):
    """The rows of one partition, or of one file."""

    @property
    def name(self) -> str:
        """The path, as it is printed."""

    def batches(self) -> Iterator[RecordBatch]:
        """The rows as record batches; KformatError and OSError end this part."""


class RowSource(Protocol):
    """Rows of one schema, in parts. What its damage policy skips goes to the callback that it was made with.

    Attributes:
        schema: the ``pyarrow.Schema`` of all rows.
    """

    @property
    def schema(self) -> Any: ...

    def parts(self) -> Iterator[RowPart]:
        """The parts, each of which is opened when it is read."""


__all__ = ["RowPart", "RowSource"]
