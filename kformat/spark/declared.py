"""Rows of files of any declared format (option ``declaration``): options -> tasks -> Arrow record batches.

Rules:

* Rows, columns, damage and errors are those of `kformat.scan`.
* The declaration is read where the query is planned. Tasks get the compiled plan, so workers need not have the file.
* A file whose rows have a fixed size, in one list, is split; any other file is read by one task.
* Spark has no unsigned numbers: each has the next larger type, and those of 64 bits are ``decimal(20,0)``.
* This module is independent of Spark, and pyarrow is imported when columns are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kformat.columns.after_damage import is_searched
from kformat.columns.filling import schema_of
from kformat.columns.fixed import can_split
from kformat.columns.plan import Plan, plan_of
from kformat.columns.rows import find
from kformat.columns.scanning import FilePart, batches_of
from kformat.columns.skipped import ON_CORRUPT
from kformat.errors import UsageError
from kformat.spark.options import DEFAULT_SPLIT_BYTES, Settings, check_known, files_of
from kformat.spark.plan import packed
from kformat.spark.tables import as_spark, nearest, quoted, spark_type, sql_type
from kformat.storage.address import status

if TYPE_CHECKING:
    import pyarrow as pa


DECLARATION: Final = "declaration"
"""The option that makes a read return declared rows."""

_OWN: Final = (DECLARATION, "row", "enums", "trailing")
_OPTIONS: Final = ("path", "paths", "columns", "onCorrupt", "checkCrcs", "splitBytes", "minPartitions", *_OWN)


@dataclass(frozen=True, slots=True)
class DeclaredRead:
    """A read of declared rows: the files, and how their rows become columns; can be pickled."""

    paths: tuple[str, ...]
    plan: Plan
    how: Mapping[str, Any]
    split_bytes: int
    min_partitions: int | None


class RowsPiece(NamedTuple):
    """A file, or the part of it whose rows begin in a range of bytes."""

    path: str
    part: FilePart | None
    size_bytes: int


def is_declared(options: Mapping[str, str]) -> bool:
    """Whether a read returns declared rows; UsageError for an option that only such a read has."""
    settings = Settings(options, is_stream=False)
    if DECLARATION in settings:
        return True
    for name in _OWN:
        if name in settings:
            raise UsageError(f"option {name} needs the option {DECLARATION}: a .ksy file, or the name of a format")
    return False


def parse_declared(options: Mapping[str, str]) -> DeclaredRead:
    """Read the options of ``spark.read`` with a declaration.

    ``declaration``, ``row``, ``columns`` (separated by commas), ``enums``, ``trailing``, ``onCorrupt``, ``checkCrcs``:
    ``format``, ``row``, ``columns``, ``enums``, ``trailing``, ``on_corrupt`` and ``checksums`` of `kformat.scan`. Of a
    folder those files are read whose names begin with neither ``_`` nor ``.``, as Spark does.

    Raises:
        UsageError: no path, an unknown option or value, no such row or column.
        FileNotFoundError: a path leads nowhere, a glob to nothing, or a folder has no such file.
        Also what `kformat.scan` raises for the format.
    """
    settings = Settings(options, is_stream=False)
    check_known(options, settings, _OPTIONS)
    paths = tuple(files_of(settings))
    names = [*filter(None, map(str.strip, settings["columns"].split(",")))] if "columns" in settings else None
    plan = plan_of(
        find(settings[DECLARATION], settings.get("row", "") or None), names, settings.get("enums", "names").lower()
    )
    how = {
        "on_corrupt": settings.word("onCorrupt", ON_CORRUPT, "error"),
        "checksums": settings.is_set("checkCrcs", "true"),
        "trailing": settings.word("trailing", ("error", "keep"), "error"),
    }
    return DeclaredRead(
        paths, plan, how, settings.size("splitBytes") or DEFAULT_SPLIT_BYTES, settings.count("minPartitions")
    )


# --- types ------------------------------------------------------------------------------------------------------------


def arrow_schema(plan: Plan, columns: Iterable[str] | None = None) -> pa.Schema:
    """The Arrow schema of some columns, by default all, as Spark has them."""
    import pyarrow as pa

    schema = schema_of(plan)
    names = schema.names if columns is None else columns
    return pa.schema([pa.field(name, spark_type(schema.field(name).type)) for name in names])


def sql_schema(plan: Plan) -> str:
    """The columns with their Spark SQL types."""
    return ", ".join(f"{quoted(field.name)} {sql_type(field.type)}" for field in arrow_schema(plan))


def choose(plan: Plan, wanted: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The columns of a user's own schema, in its order.

    Args:
        plan: of the rows.
        wanted: names and Spark SQL types (``DataType.simpleString``, with `` not null`` after it where it is so).

    Raises:
        UsageError: a name that is not known (with the nearest), named twice, of another type, or no name at all.
    """
    known = {field.name: sql_type(field.type).replace("`", "") for field in arrow_schema(plan)}
    for number, (name, kind) in enumerate(wanted):
        if name not in known:
            raise UsageError(f"schema: no column {name!r}{nearest(name, known)}")
        if name in [other for other, _ in wanted[:number]]:
            raise UsageError(f"schema: column {name} is named twice")
        if kind.replace("`", "") != known[name]:
            raise UsageError(f"schema: column {name} is {known[name]} and may be null, not {kind}")
    if not wanted:
        raise UsageError(f"schema: no columns; there are {', '.join(known)}")
    return tuple(name for name, _ in wanted)


# --- tasks ------------------------------------------------------------------------------------------------------------


def tasks_of(asked: DeclaredRead) -> list[tuple[RowsPiece, ...]]:
    """The pieces that each of Spark's partitions reads, in order."""
    pieces = pieces_of(asked)
    return list(packed(pieces, _most(asked, sum(piece.size_bytes for piece in pieces))))


def _most(asked: DeclaredRead, total: int) -> int:
    if asked.min_partitions is None:
        return asked.split_bytes
    return min(asked.split_bytes, max(1, -(-total // asked.min_partitions)))


def pieces_of(asked: DeclaredRead) -> list[RowsPiece]:
    """The files, split if possible, in order; raises OSError for a file that does not exist."""
    sizes = [status(path).st_size for path in asked.paths]
    most = _most(asked, sum(sizes))
    pieces = list[RowsPiece]()
    is_searched_for = asked.how.get("on_corrupt", "error") != "error" and is_searched(asked.plan.rows)
    splits = can_split(asked.plan) and not is_searched_for  # which takes all of a file
    for path, size in zip(asked.paths, sizes, strict=True):
        count = -(-size // most) if splits else 1
        if count <= 1:
            pieces.append(RowsPiece(path, None, size))
            continue
        edges = [size * number // count for number in range(count)]
        for start, end in zip(edges, [*edges[1:], None], strict=True):
            pieces.append(RowsPiece(path, FilePart(start, end), (size if end is None else end) - start))
    return pieces


def rows(
    piece: RowsPiece, schema: pa.Schema, asked: DeclaredRead, on_skipped: Callable[[Any], object] | None = None
) -> Iterator[pa.RecordBatch]:
    """The rows of a piece as Arrow record batches of a schema, as `arrow_schema` makes it; ``on_skipped`` as for
    `kformat.scan`.

    Raises (while iterating): DataError, OSError, as `kformat.scan`.
    """
    chosen = {plan_column.column.name: plan_column for plan_column in asked.plan.columns}
    plan = asked.plan._replace(columns=tuple(chosen[name] for name in schema.names))
    for batch in batches_of(piece.path, plan, piece.part, on_skipped=on_skipped, **asked.how):
        yield as_spark(batch, schema, piece.path)


def name_of(piece: RowsPiece) -> str:
    """A name for a file with the rows of a piece, without an ending: the file's own, and the start of the part."""
    name = os.path.basename(piece.path)
    return name if piece.part is None else f"{name}-{piece.part.start:020}"
