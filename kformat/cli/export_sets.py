"""`kformat export` into a folder: a file for each partition or file, several at once; a set partitioned by columns."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any, Final

from kformat.cli import complain, remark
from kformat.cli.jobs import Workers
from kformat.cli.row_sources import Reading
from kformat.cli.tables import ending_of
from kformat.columns.arrow import RecordBatch, pyarrow
from kformat.columns.row_source import RowSource
from kformat.errors import KformatError, UsageError
from kformat.storage.address import base_name
from kformat.storage.atomic_write import filling

_SETS: Final = {"parquet": "parquet", "arrow": "feather"}
"""Kinds of files of a partitioned set -> Arrow's name for them."""


def is_folder(output: str) -> bool:
    """Whether an output is a folder: one that is there, or a path that ends as one does."""
    return output.endswith(("/", os.sep)) or os.path.isdir(output)


def write_each(
    paths: Sequence[str],
    output: str,
    kind: str,
    jobs: int,
    write: Callable[[dict[str, Any]], int],
    params: dict[str, Any],
) -> list[int]:
    """Write a file for each of some inputs into a folder, several at once; returns the exit statuses.

    ``write`` writes one, in a process, and returns the exit status; ``params`` are those of `export`.

    Raises UsageError where two inputs would be one file.
    """
    names = [_stem(path) + ending_of(kind) for path in paths]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        both = [path for path, name in zip(paths, names, strict=True) if name == twice[0]]
        raise UsageError(f"{both[0]} and {both[1]} would both be {twice[0]}; write them into different folders")
    statuses = [0]
    with filling(Path(output)), Workers(min(jobs, max(len(paths), 1))) as workers:
        futures = {
            workers.submit(write, {**params, "paths": (path,), "output": os.path.join(output, name)}): path
            for path, name in zip(paths, names, strict=True)
        }
        for future in as_completed(futures):
            try:
                statuses.append(future.result())
            except (KformatError, OSError) as error:
                statuses.append(complain(error))
    count = len(os.listdir(output))
    remark(f"{count} file{'s' * (count != 1)} in {output}")
    hidden = sum(name.startswith("_") for name in names)
    if hidden:
        remark(f"{hidden} of them begin with _, which Arrow and Spark pass over where they read the folder as a whole")
    return statuses


def _stem(path: str) -> str:
    name = base_name(path.rstrip("/"))
    return name if os.path.isdir(path) else os.path.splitext(name)[0] or name


def write_set(source: RowSource, run: Reading, output: str, kind: str, names: Sequence[str]) -> int:
    """Write rows into folders by the values of some columns (`topic=orders/partition=0`); returns their number.

    Raises UsageError for columns that are not there or cannot name folders, and for too many values.
    """
    pa = pyarrow()
    from pyarrow import dataset

    if kind not in _SETS:
        raise UsageError(f"--partition-by is for {' and '.join(_SETS)}")
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise UsageError(f"--partition-by: {twice[0]} is named twice")
    for name in names:
        kind_of_column = source.schema.field(name).type if name in source.schema.names else pa.string()
        if any(getattr(pa.types, f"is_{kind}")(kind_of_column) for kind in ("nested", "binary", "large_binary")):
            raise UsageError(f"--partition-by: {name} is {kind_of_column}; folders are called by numbers and text")
    unknown = [name for name in names if name not in source.schema.names]
    if unknown or len(names) == len(source.schema.names):
        there = ", ".join(source.schema.names)
        raise UsageError(
            f"--partition-by: no column {unknown[0]!r}; there are {there}"
            if unknown
            else f"--partition-by: no column would be left in the files; there are {there}"
        )
    count = 0

    def batches() -> Iterator[RecordBatch]:
        nonlocal count
        for part in source.parts():
            for batch in run.guarded(part.batches()):
                count += batch.num_rows
                yield batch

    reader = pa.RecordBatchReader.from_batches(source.schema, batches())
    partitioning = dataset.partitioning(pa.schema([source.schema.field(name) for name in names]), flavor="hive")
    how: dict[str, Any] = {"format": _SETS[kind]}
    if kind == "parquet":
        how["file_options"] = dataset.ParquetFileFormat().make_write_options(compression="zstd")
    with filling(Path(output)):
        try:
            dataset.write_dataset(
                reader, output, partitioning=partitioning, use_threads=False, existing_data_behavior="error", **how
            )
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise UsageError(f"--partition-by {','.join(names)}: {str(error).partition('. Detail')[0]:.300}") from None
    hidden = [name for name in names if name.startswith("_")]
    if hidden:
        remark(f"folders begin with {hidden[0]}=, which Arrow passes over without ignore_prefixes=['.']")
    return count


__all__ = ["is_folder", "write_each", "write_set"]
