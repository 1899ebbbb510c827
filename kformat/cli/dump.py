"""`kformat dump`: the options of Kafka's dump tool, and kformat's own."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import IO, Any, Final, Literal

import click

from kformat.check.checker import check
from kformat.cli import complain, exit_status, say
from kformat.cli.declared import language_options, layout_options, refuse_with_as, refuse_without_as, trailing_option
from kformat.cli.decoders import decoder_options, record_texts, topic_named
from kformat.cli.hex import HexLines
from kformat.cli.output import BYTES, Between, Output, Timestamp, bytes_option, output_options, write_objects
from kformat.cli.progress import reading
from kformat.cli.reading import OF_ANOTHER_FORMAT, keep_standard_input
from kformat.cli.row_dump import dump_rows
from kformat.dump import MAX_BYTES, DumpReport, Options, is_known, items, objects, shown_path, text
from kformat.dump.decoders import NEWEST
from kformat.errors import KformatError, UsageError
from kformat.kafka.columns.declared import Shown, layouts_of, refused_remarks
from kformat.storage.address import absolute, is_dir

_OF_A_DECLARATION: Final = "--{what}-as x.ksy (or json) prints what a declaration of yours says"
_LATER: Final = {
    "--value-decoder-class": _OF_A_DECLARATION.format(what="value"),
    "--key-decoder-class": _OF_A_DECLARATION.format(what="key"),
}
"""Options of Kafka's tool that kformat does not have, each with the nearest alternative."""


def _refuse(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value and not ctx.resilient_parsing:
        name = parameter.opts[0]
        raise UsageError(f"{name} is an option of Kafka's tool that kformat does not have yet; {_LATER[name]}")


def _later(function: Callable[..., None]) -> Callable[..., None]:
    for name in _LATER:
        takes_class = {"is_flag": False, "flag_value": "default"} if name.endswith("-class") else {"is_flag": True}
        function = click.option(name, expose_value=False, callback=_refuse, hidden=True, **takes_class)(function)
    return function


@click.command("dump")
@click.argument("paths", nargs=-1, metavar="[FILE]...")
@click.option("--files", metavar="FILE,FILE", help="Files separated by commas, as Kafka's tool takes them.")
@click.option("--print-data-log", is_flag=True, help="Print keys and values; implies --deep-iteration.")
@click.option("--deep-iteration", is_flag=True, help="Print records, not only batches.")
@click.option("--verify-index-only", is_flag=True, help="Hold index entries against the log, print none.")
@click.option("--index-sanity-check", is_flag=True, help="Do only the check of an index that old brokers did at start.")
@click.option("--max-message-size", type=int, help="Accepted for compatibility; ignored.")
@click.option("--max-bytes", type=click.IntRange(0), default=MAX_BYTES, help="Read only so many bytes of each log.")
@click.option("--skip-record-metadata", is_flag=True, help="Print keys and values without what is in front of them.")
@decoder_options
@click.option("--from-offset", type=int, metavar="N", help="Leave out what lies below this offset.")
@click.option("--to-offset", type=int, metavar="N", help="Leave out this offset and what lies above.")
@click.option(
    "--offset", "offsets", type=Between(), metavar="A[:B]", help="Only these offsets: A, or from A up to B, exclusive."
)
@click.option("--since", "since_ms", type=Timestamp(), help="Leave out what is older (ms, ISO 8601 or -1h; UTC).")
@click.option("--until", "until_ms", type=Timestamp(), help="Leave out what is of this time or newer.")
@click.option("--hex", "as_hex", is_flag=True, help="Print every byte with its position, field and value.")
@click.option(
    "--as",
    "format",
    metavar="FORMAT",
    help="The format of FILEs, or a .ksy file; with --hex where names do not say it.",
)
@click.option(
    "--position",
    "positions",
    type=Between(),
    metavar="A[:B]",
    help="With --hex: only what has bytes from position A up to B, exclusive.",
)
@click.option(
    "--row",
    metavar="ROW",
    help="With --as: print the rows of this list (a path from the root, or a type). With --hex: only rows A[:B], by "
    "number.",
)
@click.option("--columns", metavar="NAME,...", help="With --as: print these columns of the rows.")
@language_options
@trailing_option("show them (with --as).")
@click.option(
    "--value-bytes", type=click.IntRange(0), metavar="N", help="With --hex: show only so many bytes of each value."
)
@layout_options
@click.option("--escape", is_flag=True, help="Print what a terminal would obey as \\x1b and the like.")
@output_options("text", "json", "nl")
@bytes_option
@_later
def dump_command(
    paths: tuple[str, ...],
    files: str | None,
    as_hex: bool,
    format: str | None,
    positions: tuple[int | None, int | None] | None,
    row: str | None,
    columns: str | None,
    trailing: Literal["error", "keep"],
    value_bytes: int | None,
    offsets: tuple[int | None, int | None] | None,
    value_as: tuple[str, ...],
    key_as: tuple[str, ...],
    max_message_size: int | None,
    mode: str | None,
    bytes_as: str,
    escape: bool,
    decode: bool,
    like: str | None,
    **flags: Any,
) -> None:
    """Print what is in FILEs: logs (.log), their indexes (.index, .timeindex, .txnindex), snapshots of producers
    (.snapshot) and of KRaft's metadata (.checkpoint), and the text files next to them (leader-epoch-checkpoint,
    meta.properties, ...).

    The text on standard output is that of Kafka 4.4.0's kafka-dump-log.sh; so are the options up to
    --skip-record-metadata. Damage goes to standard error at once and is skipped, and the exit status is 1: also of a
    wrong checksum (isvalid: false), and of invalid bytes at a log's end unless all are zeros, which are room. What does
    not fit together follows when all files are done; the exit status is 1 if `check` finds the index wrong, too.
    As with Kafka's tool, a terminal obeys what is in keys and values, unless --escape is given.

    With a decoder, or --decode, the records of Kafka's own topics are printed as what they are, as JSON, in the text of
    Kafka's tool; --decode chooses by the topic's name, which may be another for each FILE. What does not parse has its
    reason in the place of the text.

    With --value-as and --key-as values and keys are printed as what their bytes are, as JSON, which implies
    --print-data-log; those that do not parse as text, with the reason, and standard error says how many there were.

    With --format json or nl there is one object per batch, record and entry. FILE may be - for a log on standard input.

    With --as FORMAT it prints what is in files of any declared format, in order, with names: rows one after the other,
    and at damage what is before it. --row and --columns choose rows, as for `export`; `parse` prints a file as JSON
    that `build` takes. Of a folder it prints the files that end as the declaration's file-extension says, else all.
    """
    names = [*filter(None, (files or "").split(",")), *paths]
    if not names:
        raise UsageError("no file is named; try 'kformat dump --help'")
    _refuse_misfits(as_hex, format, {"--value-bytes": value_bytes, "--position": positions}, row, columns, trailing)
    if offsets is not None:
        if flags["from_offset"] is not None or flags["to_offset"] is not None:
            raise UsageError("--offset goes without --from-offset and --to-offset")
        flags["from_offset"], flags["to_offset"] = offsets
    if format is not None and not as_hex:
        kafka = {f"--{name.removesuffix('_ms').replace('_', '-')}": flags[name] for name in flags}
        kafka |= {"--value-as": value_as, "--key-as": key_as, "--decode": decode, "--like": like is not None}
        refuse_with_as(kafka | {"--max-bytes": flags["max_bytes"] != MAX_BYTES, "--max-message-size": max_message_size})
        dump_rows(names, format, row, columns, trailing, Output(escape or None), mode, bytes_as)
    _refuse_ranges(format, flags)
    reading(name for name in names if name != "-")
    topics, shown = _shown_by_topic(names, value_as, key_as, bytes_as, as_hex)
    records = record_texts(names, decode, like, flags, bool(shown))
    if as_hex and records:
        raise UsageError("decoders do not go with --hex; `kformat describe` says what the bytes of a message are")
    flags["print_data_log"] |= bool(shown or records)
    out, options, statuses = Output(escape), Options(**flags, like=like or NEWEST), [0]

    def options_of(name: str) -> Options:
        if shown:
            return replace(options, shown=shown[topics[name]])
        return replace(options, records=records.get(name)) if records else options

    def complain_after_output(error: BaseException) -> None:
        out.flush()
        statuses.append(complain(error))

    if as_hex:

        def mark(error: BaseException) -> None:
            """Report an error that a line of the output shows: on standard error, too, unless output is a terminal."""
            if sys.stdout.isatty():
                statuses.append(exit_status(error))
            else:
                complain_after_output(error)

        try:
            numbers = (None, None) if row is None else Between().convert(row, None, None)
        except click.BadParameter as error:
            raise UsageError(f"--row: {error.message}") from None
        only = positions or (None, None), numbers
        lines = HexLines(format, options, value_bytes, complain_after_output, trailing, on_marked=mark, only=only)
        lines.write(out, names, mode, BYTES[bytes_as], _standard_input)
        click.get_current_context().exit(max(statuses))
    report = DumpReport(complain_after_output)
    each = partial(_each, names, mode is None, out, complain_after_output)
    if mode is None:
        for block in each(lambda name, shown, source: text(name, shown, options_of(name), report, source=source)):
            out.write(block)
    else:

        def as_objects(name: str, shown: str, source: Any) -> Iterator[dict[str, Any]]:
            return objects(items(name, options, report, source=source), shown, options_of(name))

        write_objects(out, each(as_objects), mode, BYTES[bytes_as])
    out.flush()
    for line in report.lines():
        say(line)
    statuses += [status for name in names if absolute(name) in report.doubted for status in _say_what_is_wrong(name)]
    counts = sum((topic_values.counts for topic_values in shown.values()), Counter[tuple[str, str, bool]]())
    for line in refused_remarks(counts) if counts else ():
        say(f"kformat: {line}")
    click.get_current_context().exit(max(statuses))


def _each(
    names: list[str],
    with_heads: bool,
    out: Output,
    complain_after_output: Callable[[BaseException], None],
    render: Callable[[str, str, Any], Iterator[Any]],
) -> Iterator[Any]:
    """Render each file; ``render`` gets its name, its name in the output, and what to read instead of it."""
    for name in names:
        if with_heads:
            yield f"Dumping {shown_path(name)}\n".encode("utf-8", "surrogateescape")
        if name != "-" and not is_known(name):
            out.flush()
            _say_unknown(name)
            continue
        try:
            if name == "-":
                with _standard_input() as source:
                    yield from render("-.log", name, source)
            else:
                yield from render(name, shown_path(name), None)
        except BrokenPipeError:
            raise
        except (KformatError, OSError) as error:
            complain_after_output(error)


def _refuse_ranges(format: str | None, flags: Mapping[str, Any]) -> None:
    """Raise UsageError for options that choose a range of a log, if the file is of a declared format."""
    if format is not None:
        ranges = {f"--{name}-offset": flags[f"{name}_offset"] for name in ("from", "to")}
        refuse_with_as(ranges | {"--max-bytes": flags["max_bytes"] != MAX_BYTES})


def _refuse_misfits(
    as_hex: bool, format: str | None, of_hex: dict[str, Any], row: str | None, columns: str | None, trailing: str
) -> None:
    """Raise UsageError for options that do not go together; ``of_hex``: those of --hex, by name."""
    for option, value in of_hex.items():
        if not as_hex and value is not None:
            raise UsageError(f"{option} goes with --hex")
    if not as_hex and format is None:
        refuse_without_as({"--row": row, "--columns": columns, "--trailing": trailing != "error"})
    if as_hex and columns is not None:
        raise UsageError("--columns does not go with --hex")


def _shown_by_topic(
    names: list[str], value_as: tuple[str, ...], key_as: tuple[str, ...], bytes_as: str, as_hex: bool
) -> tuple[dict[str, str], dict[str, Shown]]:
    """The topic of each file, and how its values and keys are shown; both empty without layouts."""
    if not (value_as or key_as):
        return {}, {}
    layouts = layouts_of(value_as, "--value-as"), layouts_of(key_as, "--key-as")
    if as_hex:
        raise UsageError("--value-as and --key-as do not go with --hex")
    topics = {name: topic_named(name) for name in names}
    for side in layouts:
        if side is not None:
            side.check_topics(topics.values())
    return topics, {topic: Shown(topic, *layouts, bytes_as) for topic in topics.values()}


def _say_unknown(name: str) -> None:
    hint = "; dump takes files, not folders" if _is_folder(name) else f"; {OF_ANOTHER_FORMAT}"
    say(f"Ignoring unknown file {shown_path(name)}{hint}")


def _say_what_is_wrong(name: str) -> Iterator[int]:
    """Print the first finding of `check` about an index; yield its exit status, if there is one."""
    wrong = [finding for finding in check([name], records=False) if finding.exit_status]
    for finding in wrong[:1]:
        more = f" ({len(wrong) - 1} more: see `kformat check`)" if len(wrong) > 1 else ""
        say(f"kformat: {finding}{more}")
        yield finding.exit_status


def _is_folder(name: str) -> bool:
    try:
        return is_dir(name)
    except (KformatError, OSError):
        return False


def _standard_input() -> IO[bytes]:
    """Standard input in a temporary file, because a log is read at positions."""
    file = tempfile.TemporaryFile()
    keep_standard_input(file)
    return file
