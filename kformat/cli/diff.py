"""`kformat diff`: report the differences between two files or directories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Any, Final, Literal

import click
from click.core import ParameterSource

from kformat.cli import DATA, complain, one_line, remark
from kformat.cli.declared import decode_flag, language_options, refuse_without_as, trailing_option
from kformat.cli.output import BYTES, Output, bytes_option, output_options, write_objects
from kformat.cli.progress import reading
from kformat.cli.reading import holds_a_file, nothing_found
from kformat.codec.values import Value
from kformat.diff.comparison import Comparison, Difference, diff
from kformat.errors import UsageError
from kformat.kafka.columns.declared import refused_remarks
from kformat.storage.address import is_address, is_dir

_LIMIT: Final = 100
"""How many differences are printed as text by default."""


@click.command("diff")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--ignore",
    multiple=True,
    metavar="PATH",
    help="Leave out a field (partition_leader_epoch, records.headers) or files by name (*.timeindex); may be repeated.",
)
@click.option("--records", is_flag=True, help="Compare the records of logs alone, however batched and compressed.")
@click.option("--deleted", is_flag=True, help="Compare the files of directories that end in .deleted, too.")
@click.option(
    "--as", "format", metavar="FORMAT", help="The format of two files, or a .ksy file, where names do not say it."
)
@click.option(
    "--key",
    metavar="NAME,...",
    help="With --as: rows are the same where these fields of them are (paths in a row); their order does not matter.",
)
@click.option(
    "--align",
    type=click.Choice(["rows", "index"]),
    default="rows",
    show_default=True,
    help="With --as: which rows are compared: as many as possible are equal, or those of the same number.",
)
@decode_flag("Compare the records of Kafka's own topics (__consumer_offsets, __cluster_metadata, ...) field by field.")
@language_options
@trailing_option("compare them, too.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    metavar="N",
    help=f"Print so many differences and count the rest; 0 for all. {_LIMIT} for text, all for JSON.",
)
@output_options("text", "json", "nl")
@bytes_option
def diff_command(
    a: str,
    b: str,
    ignore: tuple[str, ...],
    records: bool,
    deleted: bool,
    format: str | None,
    key: str | None,
    align: str,
    decode: bool,
    trailing: Literal["error", "keep"],
    limit: int | None,
    mode: str | None,
    bytes_as: str,
) -> None:
    """Show what differs between A and B: two files, two partitions' folders, or two roots.

    Batches are compared with those of the same offsets, wherever they lie, records likewise, and what differs is named
    by path; the last line, on standard error, counts what was compared. Exit status: 0 the same, 1 they differ, one
    is damaged where the other is not included, 3 if a file cannot be read, which does not keep the others.

    With --as, files of rows are compared a few rows at a time, and a row that was put in is one difference; a path with
    two numbers, packets[5/6], is of rows that have another number in A than in B.

    With --decode a key or value that does not parse is compared as bytes, and standard error says how many there were.
    """
    for path in (a, b):
        if not is_address(path) and is_dir(path) and not holds_a_file(path):
            raise nothing_found(path)
    reading([a, b])
    how: dict[str, Any] = {"ignore": ignore, "records": records, "format": format, "deleted": deleted, "align": align}
    is_aligned = click.get_current_context().get_parameter_source("align") is ParameterSource.COMMANDLINE
    refuse_without_as({"--key": key, "--align": is_aligned} if format is None else {})
    if key is not None and is_aligned:
        raise UsageError("--align goes without --key, which aligns the rows")
    how["key"] = [] if key is None else [name.strip() for name in key.split(",")]
    comparison = diff(a, b, trailing=trailing, decode=decode, bytes_as=bytes_as, **how)
    most = limit if limit is not None else _LIMIT if mode is None else 0
    count = 0

    def shown() -> Iterator[Difference]:
        nonlocal count
        for difference in comparison:
            count += 1
            if not most or count <= most:
                yield difference

    out = Output()
    if mode is None:
        for difference in shown():
            out.line(one_line(str(difference)))
    else:
        write_objects(out, map(_object, shown()), mode, BYTES[bytes_as])
    out.flush()
    if most and count > most:
        remark(f"and {count - most} more (--limit 0 prints all)")
    remark(_summary(count, comparison))
    for line in refused_remarks(comparison.refused):
        remark(line)
    click.get_current_context().exit(max(DATA if count else 0, *map(complain, comparison.unread), 0))


def _object(difference: Difference) -> dict[str, Any]:
    values = {item.name: getattr(difference, item.name) for item in fields(difference)}
    error = difference.error
    values["a"], values["b"] = _plain(difference.a), _plain(difference.b)
    values["error"] = None if error is None else f"{type(error).__name__}: {error}"
    return values


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value._asdict() if isinstance(value, Value) else value


def _summary(count: int, comparison: Comparison) -> str:
    parts = [f"{count} difference" + "s" * (count != 1)]
    for what in ("batches", "records", "files"):
        counts = getattr(comparison, what)
        if any(asdict(counts).values()):
            parts.append(f"{'other ' * (what == 'files')}{what}: {counts}")
    return "; ".join(parts)
