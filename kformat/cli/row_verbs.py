"""`grep`, `stats` and `dump` with `--as FORMAT`: rows of files of any declared format, as `kformat.scan` finds them."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NoReturn

import click

from kformat.cli import DATA, complain, one_line, remark
from kformat.cli.declared import files_of
from kformat.cli.output import BYTES, Output, write_objects, write_rows
from kformat.cli.reading import PassedOver
from kformat.cli.row_sources import about_failed, about_left_out
from kformat.cli.tables import plain_value
from kformat.columns.counts import ColumnCounts, RowCounts
from kformat.columns.plan import FILE, INDEX, POSITION
from kformat.columns.scanning import Scan, scan
from kformat.dump.tree import TreePart, lines_of, object_of, parts_of, row_lines
from kformat.errors import DataError, KformatError, UsageError, join_path
from kformat.grep import Search, is_searchable, matching_rows
from kformat.kafka.columns.declared import Layouts
from kformat.kafka.log.partition import Partition
from kformat.language.program import load_type
from kformat.stats import value_stats
from kformat.storage.byte_source import ByteSource

_CELL: Final = 40
"""Characters of a value in a table."""


def names_of(columns: str | None) -> tuple[str, ...] | None:
    """The names of columns that a call gives, separated by commas."""
    return None if columns is None else tuple(filter(None, map(str.strip, columns.split(","))))


class _Scans:
    """The files of a call, one after the other: damage in one is complained of, and the next follows."""

    def __init__(
        self, declaration: str, row: str | None, columns: Sequence[str] | None, how: dict[str, Any], out: Output
    ) -> None:
        self.declaration, self.row, self.columns = declaration, row, columns
        self.out, self.statuses = out, [0]
        self.passed = PassedOver(how["on_corrupt"], self.statuses, out.flush)
        self.how = how | self.passed.options
        self.plan = self.of((), columns)
        self.files_count = self.failed_count = 0

    @contextlib.contextmanager
    def files(self, paths: Sequence[str]) -> Iterator[list[Any]]:
        """The files of the call; see `files_of`."""
        with files_of(paths, self.declaration) as files:
            self.files_count = len(files)
            yield files

    def of(self, file: Any, columns: Sequence[str] | None) -> Scan:
        return scan(file, self.declaration, self.row, columns, **self.how)

    def guarded(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The batches of a file; then, where it ends, the complaint."""
        try:
            yield from batches
        except BrokenPipeError:
            raise
        except (KformatError, OSError) as error:
            self.out.flush()
            self.failed_count += 1
            self.statuses.append(complain(error))

    def end(self, is_found: bool = True) -> NoReturn:
        self.out.flush()
        self.passed.end()
        if self.failed_count and self.files_count > 1:
            remark(about_failed(self.failed_count, self.files_count))
        click.get_current_context().exit(max(self.statuses) or (0 if is_found else DATA))


def name_of(file: Any) -> str:
    """What a file of `files_of` is called."""
    return file if isinstance(file, str) else str(file.name)


# --- grep ----------------------------------------------------------------------------------------------------------


def grep_rows(
    paths: Sequence[str],
    declaration: str,
    row: str | None,
    columns: str | None,
    search: Search,
    how: dict[str, Any],
    out: Output,
    *,
    only_count: bool,
    max_count: int | None,
    mode: str | None,
    bytes_as: str,
) -> NoReturn:
    """Print the rows that match, or how many do; ends the command with its exit status."""
    scans = _Scans(declaration, row, names_of(columns), how, out)
    fields = [field for field in scans.plan.schema if field.name not in (FILE, POSITION, INDEX)]
    if not any(is_searchable(field.type) for field in fields):
        names = ", ".join(field.name for field in fields)
        raise UsageError(f"{scans.plan.row} has neither text nor bytes to search in ({names})")
    wanted = [field.name for field in fields]
    places = [INDEX] if scans.plan.reason is not None else [POSITION, INDEX]
    encode, root, total = BYTES[bytes_as], load_type(declaration).label, 0

    def found_in(file: Any) -> Iterator[dict[str, Any]]:
        count = 0
        for batch in scans.guarded(iter(scans.of(file, [*wanted, *places]))):
            rows = matching_rows(batch.select(wanted), search)
            if not rows.any():
                continue
            for item in batch.filter(rows).to_pylist():
                if max_count is not None and count >= max_count:
                    return
                count += 1
                index, position = item.pop(INDEX), item.pop(POSITION, None)
                path = join_path(root, scans.plan.row) if index >= 0 else root
                yield {
                    "file": name_of(file),
                    "position": position,
                    "path": f"{path}[{index}]" if index >= 0 else path,
                    "row": plain_value(item, encode),
                }
            if max_count is not None and count >= max_count:
                return

    def counted(files: Sequence[Any]) -> Iterator[dict[str, Any]]:
        nonlocal total
        for file in files:
            count = sum(1 for _ in found_in(file))
            total += count
            yield {"file": name_of(file), "count": count}

    def rows_in(files: Sequence[Any]) -> Iterator[dict[str, Any]]:
        nonlocal total
        for file in files:
            for item in found_in(file):
                total += 1
                yield item

    with scans.files(paths) as files:
        if only_count and mode is None:
            for line in counted(files):
                text = f"{one_line(line['file'])}: {line['count']}" if len(files) > 1 else str(line["count"])
                out.line(text)
        elif mode is None:
            at_once = sys.stdout.isatty()
            for item in rows_in(files):
                place = item["file"] if item["position"] is None else f"{item['file']}:{item['position']}"
                out.line(f"{one_line(place)} {item['path']}: {json.dumps(item['row'])}")
                if at_once:
                    out.flush()
        else:
            write_objects(out, counted(files) if only_count else rows_in(files), mode, encode)
    scans.end(total > 0)


# --- stats ---------------------------------------------------------------------------------------------------------


def stats_rows(
    paths: Sequence[str],
    declaration: str,
    row: str | None,
    columns: Sequence[str] | None,
    how: dict[str, Any],
    mode: str | None,
) -> NoReturn:
    """Print numbers about the columns of each file; ends the command with its exit status."""
    out = Output()
    scans = _Scans(declaration, row, columns, how, out)

    def counted(files: Sequence[Any]) -> Iterator[tuple[dict[str, Any], RowCounts]]:
        for file in files:
            counts, size = RowCounts(scans.plan.enums), 0
            lost, complaints = scans.passed.size_bytes, len(scans.statuses)
            try:
                with ByteSource(file) as source:
                    size = source.size
            except (KformatError, OSError) as error:
                out.flush()
                scans.statuses.append(complain(error))
                continue
            for batch in scans.guarded(iter(scans.of(file, columns))):
                counts.add(batch)
            head = {"file": name_of(file), "row": scans.plan.row, "row_type": scans.plan.row_type}
            # Where damage ended the file it is not known how many bytes the rows before it have.
            read = size - scans.passed.size_bytes + lost if len(scans.statuses) == complaints else None
            yield {**head, "rows_count": counts.rows_count, "size_bytes": size, "read_bytes": read}, counts

    with scans.files(paths) as files:
        if mode is None:
            for number, (head, counts) in enumerate(counted(files)):
                if number:
                    out.line("")
                _write_stats(out, head, counts)
        elif mode == "csv":
            rows = (
                {"file": head["file"], **_cells(one)}
                for head, counts in counted(files)
                for one in counts.columns.values()
            )
            write_rows(out, rows, ("file", *_CELLS), mode)
        else:
            objects = (
                {**head, "columns": [one.as_dict() for one in counts.columns.values()]}
                for head, counts in counted(files)
            )
            write_objects(out, objects, mode, bytes.hex)
    out.flush()
    for line in about_left_out(scans.plan.left_out):
        remark(line)
    scans.end()


def stats_values(
    partitions: Iterable[Partition],
    layouts: dict[str, Layouts],
    columns: Sequence[str] | None,
    mode: str | None,
    statuses: list[int],
    passed: Any,
    before_log_start: bool,
) -> NoReturn:
    """Print numbers about the declared values and keys of each partition; ends the command with its exit status."""
    out = Output()

    def counted() -> Iterator[tuple[dict[str, Any], RowCounts]]:
        for partition in partitions:
            how = {"before_log_start": before_log_start, **passed.options}
            found = value_stats(partition, layouts.get("value"), layouts.get("key"), columns, **how)
            if found.problem is not None:
                out.flush()
                statuses.append(complain(found.problem))
            head = {"name": str(partition.path), "topic": partition.topic, "partition": partition.partition}
            yield head | {"rows_count": found.columns.rows_count, "layouts": found.layouts}, found.columns

    if mode is None:
        for number, (head, counts) in enumerate(counted()):
            if number:
                out.line("")
            out.line(one_line(head["name"]))
            out.line(f"  records  {head['rows_count']}")
            for one in head["layouts"]:
                parts = f"{one['parsed_count']} parsed, {one['refused_count']} do not parse"
                out.line(f"  {one['side']}s as {one['layout']}  {parts}")
            if counts.columns:
                out.line("")
                write_rows(out, [_cells(one) for one in counts.columns.values()], _CELLS, "table")
    elif mode == "csv":
        rows = ({"name": head["name"], **_cells(one)} for head, counts in counted() for one in counts.columns.values())
        write_rows(out, rows, ("name", *_CELLS), mode)
    else:
        objects = (
            {**head, "columns": [one.as_dict() for one in counts.columns.values()]} for head, counts in counted()
        )
        write_objects(out, objects, mode, bytes.hex)
    out.flush()
    passed.end()
    click.get_current_context().exit(max(statuses))


_CELLS: Final = ("column", "type", "count", "nulls", "min", "max", "sizes", "distinct", "most_frequent")


def _write_stats(out: Output, head: dict[str, Any], counts: RowCounts) -> None:
    out.line(one_line(head["file"]))
    rows, size, read = head["rows_count"], head["size_bytes"], head["read_bytes"]
    of = head["row"] if head["row"] == head["row_type"] else f"{head['row']} ({head['row_type']})"
    out.line(f"  rows  {rows}: {of}")
    skipped = f", {size - read} of them skipped" if read not in (None, size) else ""
    each = f", {read / rows:.1f} for each row" if rows and read is not None else ""
    out.line(f"  size  {size} bytes{skipped}{each}")
    shown = [one for one in counts.columns.values() if one.count]
    empty = len(counts.columns) - len(shown)
    if empty:
        out.line(f"  null  {empty} column{'s' * (empty > 1)} without a value")
    if shown:
        out.line("")
        write_rows(out, map(_cells, shown), _CELLS, "table")


def _cells(one: ColumnCounts) -> dict[str, Any]:
    sizes = ""
    if one.sizes is not None:
        low, high, total = one.sizes
        sizes = str(low) if low == high else f"{low} to {high}, mean {total / one.count:.1f}"
    frequent = [f"{_shown(value)} ({count})" for value, count in one.most_frequent(3)]
    return {
        "column": one.column,
        "type": one.type,
        "count": one.count,
        "nulls": one.null_count,
        "min": _extreme(one, one.smallest),
        "max": _extreme(one, one.largest),
        "sizes": sizes,
        "distinct": "" if one.is_list else f"{'' if one.is_exact else 'over '}{one.distinct_count}",
        "most_frequent": ", ".join(frequent),
    }


def _extreme(one: ColumnCounts, value: Any) -> str:
    name = one.name_of(value)
    return "" if value is None else _shown(value) if name is None else f"{name} ({value})"


def _shown(value: Any) -> str:
    """A value in a cell."""
    if isinstance(value, bytes):
        text = value.decode("ascii", "replace")
        text = text if value.isascii() and text.isprintable() else value[:_CELL].hex()
    else:
        text = str(plain_value(value, BYTES["hex"]))
    return one_line(text if len(text) <= _CELL else text[: _CELL - 1] + "…")


# --- dump ----------------------------------------------------------------------------------------------------------


def dump_rows(
    paths: Sequence[str],
    declaration: str,
    row: str | None,
    columns: str | None,
    trailing: Literal["error", "keep"],
    out: Output,
    mode: str | None,
    bytes_as: str,
) -> NoReturn:
    """Print what is in each file, or the rows that ``row`` and ``columns`` name; ends the command with its exit
    status.
    """
    if row is not None or columns is not None:
        _dump_columns(paths, declaration, row, names_of(columns), trailing, out, mode, bytes_as)
    label, statuses, failed = load_type(declaration).label, [0], set[int]()

    def complain_after_output(error: BaseException) -> None:
        out.flush()
        statuses.append(complain(error))

    def parts(files: Sequence[Any]) -> Iterator[tuple[ByteSource, TreePart | None]]:
        """Of each file first nothing, then its parts, then the complaint."""
        for number, file in enumerate(files):
            try:
                with ByteSource(file) as source:
                    yield source, None
                    for part in parts_of(source, declaration, trailing, complain_after_output):
                        yield source, part
            except BrokenPipeError:
                raise
            except (DataError, OSError) as error:
                failed.add(number)
                complain_after_output(error)

    def objects(files: Sequence[Any]) -> Iterator[dict[str, Any]]:
        for source, part in parts(files):
            if part is not None:
                unread: list[DataError] = []
                yield object_of(part, source.name, bytes_as, unread)
                for error in unread:
                    complain_after_output(error)

    with files_of(paths, declaration) as files:
        if mode is not None:
            write_objects(out, objects(files), mode, str)
        else:
            for source, part in parts(files):
                if part is None:
                    out.line(one_line(f"# {source.name}, {source.size} bytes: {label}"))
                else:
                    for line in lines_of(part, label, complain_after_output):
                        out.line(one_line(line))
    out.flush()
    if failed and len(files) > 1:
        remark(about_failed(len(failed), len(files)))
    click.get_current_context().exit(max(statuses))


def _dump_columns(
    paths: Sequence[str],
    declaration: str,
    row: str | None,
    names: tuple[str, ...] | None,
    trailing: Literal["error", "keep"],
    out: Output,
    mode: str | None,
    bytes_as: str,
) -> NoReturn:
    scans = _Scans(declaration, row, names, {"on_corrupt": "error", "trailing": trailing}, out)
    wanted = list(scans.plan.schema.names)
    places = [name for name in ([INDEX] if scans.plan.reason is not None else [POSITION, INDEX]) if name not in wanted]
    label, encode = load_type(declaration).label, BYTES[bytes_as]

    def rows(files: Sequence[Any]) -> Iterator[tuple[str, str, int | None, dict[str, Any]]]:
        for file in files:
            for batch in scans.guarded(iter(scans.of(file, [*wanted, *places]))):
                for item in batch.to_pylist():
                    index, position = item[INDEX], item.get(POSITION)
                    path = f"{scans.plan.row}[{index}]" if index >= 0 else scans.plan.row
                    yield name_of(file), path, position, {name: item[name] for name in wanted}

    with scans.files(paths) as files:
        if mode is None:
            last = None
            for name, path, position, item in rows(files):
                if name != last:
                    out.line(one_line(f"# {name}: {scans.plan.row} ({scans.plan.row_type})"))
                    last = name
                for line in row_lines(path, position, item):
                    out.line(one_line(line))
        else:
            objects = (
                {"file": name, "path": join_path(label, path), "position": position, "value": plain_value(item, encode)}
                for name, path, position, item in rows(files)
            )
            write_objects(out, objects, mode, encode)
    scans.end()


__all__ = ["dump_rows", "grep_rows", "name_of", "names_of", "stats_rows"]
