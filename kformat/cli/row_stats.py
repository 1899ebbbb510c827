"""`kformat stats` of columns: of rows of files of a declared format, and of declared values and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NoReturn

from kformat.cli import one_line
from kformat.cli.output import BYTES, Output, plain_value, write_objects, write_rows
from kformat.cli.row_sources import FileRows, Reading
from kformat.columns.counts import ColumnCounts, RowCounts
from kformat.errors import KformatError
from kformat.kafka.columns.declared import Layouts
from kformat.kafka.columns.messages import is_kafka
from kformat.kafka.log.partition import Partition
from kformat.stats import value_stats
from kformat.storage.byte_source import ByteSource

_CELL: Final = 40
"""Characters of a value in a table."""
_CELLS: Final = ("column", "type", "count", "nulls", "min", "max", "sizes", "distinct", "most_frequent")


def stats_rows(
    paths: Sequence[str],
    declaration: str,
    row: str | None,
    columns: Sequence[str] | None,
    on_corrupt: str,
    trailing: str,
    mode: str | None,
) -> NoReturn:
    """Print numbers about the columns of each file; ends the command with its exit status."""
    out = Output()
    run = Reading(on_corrupt, out.flush)
    rows = FileRows(declaration, row, columns, run, trailing=trailing)
    plan = rows.plan

    def counted() -> Iterator[tuple[dict[str, Any], RowCounts]]:
        for part in rows.parts():
            counts, size = RowCounts(plan.enums), 0
            lost, complaints = run.passed.size_bytes, len(run.statuses)
            try:
                with ByteSource(part.file) as source:
                    size = source.size
            except (KformatError, OSError) as error:
                run.complain(error)
                continue
            for batch in run.guarded(part.batches()):
                counts.add(batch)
            # Where damage ended the file it is not known how many bytes the rows before it have.
            read = size - run.passed.size_bytes + lost if len(run.statuses) == complaints else None
            head = {"file": part.name, "row": plan.row, "row_type": plan.row_type}
            yield head | {"rows_count": counts.rows_count, "size_bytes": size, "read_bytes": read}, counts

    with rows.opened(paths):
        _print_counts(out, counted(), "file", _about_file, mode)
    rows.remark_left_out()
    run.end(len(rows.files))


def stats_values(
    partitions: Iterable[Partition],
    layouts: dict[str, Layouts],
    columns: Sequence[str] | None,
    run: Reading,
    before_log_start: bool,
    mode: str | None,
) -> NoReturn:
    """Print numbers about the declared values and keys of each partition; ends the command with its exit status."""
    out = Output()

    def counted() -> Iterator[tuple[dict[str, Any], RowCounts]]:
        for partition in partitions:
            how = {"before_log_start": before_log_start, **run.passed.options}
            stats = value_stats(partition, layouts.get("value"), layouts.get("key"), columns, **how)
            if stats.problem is not None:
                out.flush()
                run.complain(stats.problem)
            head = {"name": str(partition.path), "topic": partition.topic, "partition": partition.partition}
            yield head | {"rows_count": stats.columns.rows_count, "layouts": stats.layouts}, stats.columns

    has_all_types = columns is None and any(is_kafka(one) for by_topic in layouts.values() for one in by_topic.all)
    _print_counts(out, counted(), "name", _about_values, mode, all_empty=columns is not None, objects=not has_all_types)
    run.end()


def _print_counts(
    out: Output,
    counted: Iterable[tuple[dict[str, Any], RowCounts]],
    name: str,
    about: Callable[[dict[str, Any], list[ColumnCounts]], Iterator[str]],
    mode: str | None,
    *,
    all_empty: bool = False,
    objects: bool = True,
) -> None:
    """Print the counts of each part: ``name`` is the key of its name, ``about`` makes the lines above its table. Of
    columns without a value, the table has those if ``all_empty``, JSON and CSV if ``objects``.
    """
    if mode is None:
        for number, (head, counts) in enumerate(counted):
            columns = list(counts.columns.values())
            if number:
                out.line("")
            out.line(one_line(head[name]))
            for line in about(head, columns):
                out.line(line)
            columns = _kept(columns, all_empty)
            if columns:
                out.line("")
                write_rows(out, map(_cells, columns), _CELLS, "table")
    elif mode == "csv":
        rows = (
            {name: head[name], **_cells(column)}
            for head, counts in counted
            for column in _kept(counts.columns.values(), objects)
        )
        write_rows(out, rows, (name, *_CELLS), mode)
    else:
        items = (
            {**head, "columns": [column.as_dict() for column in _kept(counts.columns.values(), objects)]}
            for head, counts in counted
        )
        write_objects(out, items, mode, bytes.hex)
    out.flush()


def _kept(columns: Iterable[ColumnCounts], with_empty: bool) -> list[ColumnCounts]:
    return [column for column in columns if with_empty or column.count]


def _about_file(head: dict[str, Any], columns: list[ColumnCounts]) -> Iterator[str]:
    rows, size, read = head["rows_count"], head["size_bytes"], head["read_bytes"]
    of = head["row"] if head["row"] == head["row_type"] else f"{head['row']} ({head['row_type']})"
    yield f"  rows  {rows}: {of}"
    skipped = f", {size - read} of them skipped" if read not in (None, size) else ""
    each = f", {read / rows:.1f} for each row" if rows and read is not None else ""
    yield f"  size  {size} bytes{skipped}{each}"
    yield from _about_empty(columns)


def _about_empty(columns: list[ColumnCounts]) -> Iterator[str]:
    empty = sum(not column.count for column in columns)
    if empty:
        yield f"  null  {empty} column{'s' * (empty > 1)} without a value"


def _about_values(head: dict[str, Any], columns: list[ColumnCounts]) -> Iterator[str]:
    yield f"  records  {head['rows_count']}"
    for layout in head["layouts"]:
        parts = f"{layout['parsed_count']} parsed, {layout['refused_count']} do not parse"
        yield f"  {layout['side']}s as {layout['layout']}  {parts}"
    yield from _about_empty(columns)


def _cells(column: ColumnCounts) -> dict[str, Any]:
    sizes = ""
    if column.sizes is not None:
        low, high, total = column.sizes
        sizes = str(low) if low == high else f"{low} to {high}, mean {total / column.count:.1f}"
    frequent = [f"{_shown(value)} ({count})" for value, count in column.most_frequent(3)]
    return {
        "column": column.column,
        "type": column.type,
        "count": column.count,
        "nulls": column.null_count,
        "min": _extreme(column, column.smallest),
        "max": _extreme(column, column.largest),
        "sizes": sizes,
        "distinct": "" if column.is_list else f"{'' if column.is_exact else 'over '}{column.distinct_count}",
        "most_frequent": ", ".join(frequent),
    }


def _extreme(column: ColumnCounts, value: Any) -> str:
    name = column.name_of(value)
    return "" if value is None else _shown(column.shown(value)) if name is None else f"{name} ({value})"


def _shown(value: Any) -> str:
    """A value in a cell."""
    if isinstance(value, bytes):
        text = value.decode("ascii", "replace")
        text = text if value.isascii() and text.isprintable() else value[:_CELL].hex()
    else:
        text = str(plain_value(value, BYTES["hex"]))
    return one_line(text if len(text) <= _CELL else text[: _CELL - 1] + "…")


__all__ = ["stats_rows", "stats_values"]
