"""`kformat export --as FORMAT`: the rows of files of any declared format."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import click

from kformat.cli import complain, remark
from kformat.cli.declared import files_of
from kformat.cli.jobs import Workers
from kformat.cli.reading import PassedOver
from kformat.cli.tables import TextLines, kind_of_output, opened_output, writing
from kformat.columns.arrow import file_writer
from kformat.columns.scanning import scan
from kformat.errors import KformatError, UsageError

_MOST_LEFT_OUT: Final = 5
"""Columns that are left out, on standard error; of more it says how many."""

_OF_RECORDS: Final[dict[str, tuple[str, Any]]] = {
    "from_offset": ("--from-offset", None),
    "to_offset": ("--to-offset", None),
    "since_ms": ("--since", None),
    "until_ms": ("--until", None),
    "before_log_start": ("--before-log-start", False),
    "include_control": ("--include-control", False),
    "isolation_level": ("--isolation-level", "read_uncommitted"),
    "value_as": ("--value-as", ()),
    "key_as": ("--key-as", ()),
}
"""Options that mean nothing for other formats, and their defaults."""


def refuse_options_of_records(given: dict[str, Any]) -> None:
    """Raise UsageError for an option that only records have."""
    for name, (option, default) in _OF_RECORDS.items():
        if given[name] != default:
            raise UsageError(f"{option} is for Kafka's records, and does not go with --as")


def refuse_options_of_rows(row: str | None, enums: str, trailing: str) -> None:
    """Raise UsageError for an option that only declared formats have."""
    for option, is_given in (("--row", row), ("--enums", enums != "names"), ("--trailing", trailing != "error")):
        if is_given:
            raise UsageError(f"{option} needs --as: a format, or a .ksy file")


def export_rows(
    paths: Sequence[str],
    declaration: str,
    row: str | None,
    columns: str | None,
    *,
    output: str,
    format: str | None,
    bytes_as: str,
    jobs: int,
    on_corrupt: str,
    progress: Callable[[], object],
    **how: Any,
) -> None:
    """Write the rows of files, as `kformat.scan` finds them, to one file; ends the command with its exit status."""
    kind = kind_of_output(output, format)
    names = None if columns is None else tuple(filter(None, map(str.strip, columns.split(","))))
    statuses, rows, failed = [0], 0, 0
    passed = PassedOver(on_corrupt, statuses, progress)
    found = scan((), declaration, row, names, **passed.options, **how)
    with contextlib.ExitStack() as stack:
        files = stack.enter_context(files_of(paths, declaration))
        stream = stack.enter_context(opened_output(output))
        workers = stack.enter_context(Workers(jobs))
        writer = stack.enter_context(writing(kind, stream, found.schema, file_writer, bytes_as, workers))
        for file in files:
            try:
                for batch in scan(file, declaration, row, names, **passed.options, **how):
                    writer.write(batch)
                    rows += batch.num_rows
            except BrokenPipeError:
                raise
            except (KformatError, OSError) as error:
                if isinstance(writer, TextLines):
                    writer.finish()
                progress()
                failed += 1
                statuses.append(complain(error))
        writer.close()
        progress()
        passed.end()
        for line in about_left_out(found.left_out):
            remark(line)
        if failed and len(files) > 1:
            remark(about_failed(failed, len(files)))
        if not rows and any(statuses):  # nothing was read: what an earlier export wrote stays
            click.get_current_context().exit(max(statuses))
        of = f" of {len(files)} files" if len(files) > 1 else ""
        remark(f"{rows} row{'s' * (rows != 1)}{of}: {found.row} ({found.row_type})")
    click.get_current_context().exit(max(statuses))


def about_failed(failed_count: int, files_count: int) -> str:
    """What is said at the end of files that could not be read to their ends."""
    return f"{failed_count} of {files_count} files {'is' if failed_count == 1 else 'are'} damaged, or cannot be read"


def about_left_out(left_out: dict[str, str]) -> list[str]:
    """What is said of columns that there are not."""
    lines = [f"left out: {path}: {reason}" for path, reason in left_out.items()]
    more = len(lines) - _MOST_LEFT_OUT
    return [*lines[:_MOST_LEFT_OUT], *([f"left out: {more} more"] if more > 0 else [])]
