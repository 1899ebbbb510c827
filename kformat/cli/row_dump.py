"""`kformat dump --as`: what is in files of a declared format, or some of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NoReturn

from kformat.cli import one_line
from kformat.cli.declared import files_of
from kformat.cli.output import BYTES, Output, plain_value, write_objects
from kformat.cli.row_sources import FileRows, Reading, names_of
from kformat.cli.tables import plain_rows
from kformat.columns.plan import INDEX, POSITION
from kformat.dump.tree import TreePart, lines_of, object_of, parts_of, row_lines
from kformat.errors import DataError, join_path
from kformat.language.program import load_type
from kformat.storage.byte_source import ByteSource


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
    label, run = load_type(declaration).label, Reading("error", out.flush)

    def parts(files: Sequence[Any]) -> Iterator[tuple[ByteSource, TreePart | None]]:
        """Yield for each file None first, then its parts; then report its error."""
        for file in files:
            yield from run.guarded(parts_of_file(file))

    def parts_of_file(file: Any) -> Iterator[tuple[ByteSource, TreePart | None]]:
        with ByteSource(file) as source:
            yield source, None
            for part in parts_of(source, declaration, trailing, run.complain):
                yield source, part

    def objects(files: Sequence[Any]) -> Iterator[dict[str, Any]]:
        for source, part in parts(files):
            if part is not None:
                unread: list[DataError] = []
                yield object_of(part, source.name, bytes_as, unread)
                for error in unread:
                    run.complain(error)

    with files_of(paths, declaration) as files:
        if mode is not None:
            write_objects(out, objects(files), mode, str)
        else:
            for source, part in parts(files):
                if part is None:
                    out.line(one_line(f"# {source.name}, {source.size} bytes: {label}"))
                else:
                    for line in lines_of(part, label, run.complain):
                        out.line(one_line(line))
    run.end(len(files))


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
    run = Reading("error", out.flush)
    source = FileRows(declaration, row, names, run, trailing=trailing)
    plan, wanted = source.plan, source.schema.names
    places = [name for name in (POSITION, INDEX) if name not in wanted]
    label, encode = load_type(declaration).label, BYTES[bytes_as]

    def rows() -> Iterator[tuple[str, str, int | None, dict[str, Any]]]:
        for part in source.parts():
            for batch in run.guarded(part.batches((*wanted, *places))):
                for item in plain_rows(batch):
                    index, position = item[INDEX], item.get(POSITION)
                    path = f"{plan.row}[{index}]" if index >= 0 else plan.row
                    yield part.name, path, position, {name: item[name] for name in wanted}

    with source.opened(paths):
        if mode is None:
            last = None
            for name, path, position, item in rows():
                if name != last:
                    out.line(one_line(f"# {name}: {plan.row} ({plan.row_type})"))
                    last = name
                for line in row_lines(path, position, item):
                    out.line(one_line(line))
        else:
            objects = (
                {"file": name, "path": join_path(label, path), "position": position, "value": plain_value(item, encode)}
                for name, path, position, item in rows()
            )
            write_objects(out, objects, mode, encode)
    run.end(len(source.files))


__all__ = ["dump_rows"]
