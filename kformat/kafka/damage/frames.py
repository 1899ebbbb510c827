"""Records as frames of pandas and polars, and the arguments shared by readers of partitions and roots.

Both libraries are imported on the first call.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypedDict

from kformat.columns.skipped import OnSkipped
from kformat.errors import MissingDependencyError
from kformat.kafka.columns.declared import Given
from kformat.times import Moment

DataFrame: TypeAlias = Any
"""A ``pandas.DataFrame`` or a ``polars.DataFrame``."""


class ReadingOptions(TypedDict, total=False):
    """The arguments of `Partition.record_batches` that also apply to all partitions of a root."""

    since: Moment | None
    until: Moment | None
    before_log_start: bool
    include_control: bool
    isolation_level: str
    checksums: bool
    threads: int
    as_views: bool
    value_as: Given
    key_as: Given
    enums: str
    on_corrupt: str
    on_skipped: OnSkipped | None


class PartitionReading(ReadingOptions, total=False):
    """The same with bounds by offset, which belong to one partition."""

    start_offset: int | None
    end_offset: int | None


def pandas() -> Any:
    """Import pandas; MissingDependencyError if it is not installed (extra ``pandas``)."""
    try:
        import pandas as library
    except ModuleNotFoundError as error:
        raise MissingDependencyError("pandas", "pandas") from error
    return library


def polars() -> Any:
    """Import polars; MissingDependencyError if it is not installed (extra ``polars``)."""
    try:
        import polars as library
    except ModuleNotFoundError as error:
        raise MissingDependencyError("polars", "polars") from error
    return library


__all__ = ["DataFrame", "PartitionReading", "ReadingOptions", "pandas", "polars"]
