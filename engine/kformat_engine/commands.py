"""The verbs of `kformat log`: append, import, read, tail, info; roll, retain, compact, truncate, recover; create, move,
delete, list, transactions.

Verbs that write take the root's lock, as a broker does, and open the log, which recovers it if needed; the changes of
recovery are printed on standard error. Verbs that read (`read`, `tail`, `info`, `recover --dry-run`) take no lock and
may run alongside a broker. Exit status 4: refused, because somebody else holds the root or the log is damaged. Paths in
messages are as the user wrote them.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import functools
import importlib
import itertools
import json
import os
import shlex
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, Literal, TypeVar, cast

import click

from kformat.cli import DATA, REMOTE, UNSAFE, error_line, exit_status, finish_unread, is_quiet, one_line, remark, say
from kformat.cli.declared import decode_flag, language_options, layout_options
from kformat.cli.output import (
    BYTES,
    Output,
    Timestamp,
    bytes_option,
    escape_option,
    output_options,
    write_objects,
    write_rows,
)
from kformat.cli.progress import ProgressLine, reading
from kformat.cli.reading import Starts, before_log_start_option, isolation_level_option, metadata_option, nothing_found
from kformat.columns.arrow import is_table_file, table_batches
from kformat.errors import DataError, KformatError, RemoteOffsetError, UsageError
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.records import Record
from kformat.kafka.columns.declared import Shown, built, layouts_of, refused_remarks, shown_messages
from kformat.kafka.damage.missing import Offsets, fatal_text, missing_text, needs_all_records
from kformat.kafka.files.file_kinds import folder_name, parse_folder_name
from kformat.kafka.index.offset_map import DEFAULT_BUFFER_BYTES, ENTRY_BYTES
from kformat.kafka.log.log_reader import LogReader
from kformat.kafka.log.partition import open_partition, other_files, partition_paths, topic_of
from kformat.kafka.producers.isolation import is_committed_only
from kformat.kafka.state.topic_configs import EXPIRATION, INTERVAL, TopicConfigs, read_topic_configs
from kformat.salvage.results import PartitionReport, plan_partition, unanchored_text
from kformat.storage.address import local_path
from kformat_engine.built_columns import BuiltColumns
from kformat_engine.cleaner import Cleaner, CleanerConfig
from kformat_engine.config import LogConfig
from kformat_engine.errors import ConfigError, DamagedLogError, LogError, RecordsDeletedError
from kformat_engine.log import Log
from kformat_engine.manager import LogManager, place_of, places_in
from kformat_engine.recovery.evidence import first_offset
from kformat_engine.recovery.losses import SoundAfter, sound_after_damage
from kformat_engine.recovery.report import RecoveryFinding, RecoveryReport
from kformat_engine.recovery.table import Action, Kind
from kformat_engine.root import CLEAN_MARKER, LOG_START_OFFSETS, Root, RootFiles, check_is_root

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])

_READ_BYTES: Final = 1 << 16
_MOST_LISTED: Final = 5
_LINE_FACTOR: Final = 8  # JSON makes at most six characters of a byte, and compressed records may be longer than stored
_FIELDS: Final = ("key", "value", "headers", "timestamp")
_IGNORED: Final = ("offset", "timestamp_type", "sequence")
_COLUMNS: Final = (
    "base_offset",
    "end_offset",
    "size_bytes",
    "batches",
    "offset_index_entries",
    "time_index_entries",
    "last_timestamp",
    "file",
)


class _Verb(click.Command):
    """A verb whose refusals have their own exit status."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except LogError as error:
            if type(error) in (
                LogError,
                RecordsDeletedError,
            ):  # from a reader: no change is refused
                raise
            path = ctx.params.get("path")  # not of a verb for several partitions
            say(error_line(error) if path is None else _as_given(error_line(error), path))
            if isinstance(error, DamagedLogError) and path is not None:
                remark(f"`kformat log recover --dry-run {shlex.quote(path)}` says what was found")
            ctx.exit(UNSAFE)
        except RemoteOffsetError as error:
            say(_as_given(error_line(error), ctx.params["path"]))
            ctx.exit(REMOTE)
        except OSError as error:
            if isinstance(error.filename, str) and "path" in ctx.params:
                error.filename = _as_given(error.filename, ctx.params["path"])
            raise


class _LogVerbs(click.Group):
    command_class = _Verb


@click.group("log", cls=_LogVerbs)
def log() -> None:
    """Append to logs, read them, and mend them: folders that a broker opens.

    \b
      kformat log append data/orders-0 < lines.txt
      kformat log tail -f data/orders-0
      kformat log recover --dry-run data/orders-0

    DIR is a partition's folder, <topic>-<partition>. With --log-dir, which may be given several times, it is the name
    alone, and the partition is looked for in these directories. Exit status as for all verbs; 4: somebody else holds
    the root, or the log is damaged in a way that is not mended without being asked to.
    """


# --- shared by verbs ------------------------------------------------------------------------------------------------


def _config_options(function: _Decorated) -> _Decorated:
    function = click.option(
        "--config-file", type=click.Path(dir_okay=False), metavar="FILE", help="A properties file, a broker's, too."
    )(function)
    return click.option(
        "--config",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="A topic config, such as segment.bytes=1048576; goes over --config-file.",
    )(function)


def _properties(settings: tuple[str, ...]) -> dict[str, str]:
    properties: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"--config takes NAME=VALUE, not {setting!r}")
        properties[name.strip()] = value
    if "segment.bytes" in properties:  # an embedded log may have smaller ones than 4.x allows for a topic
        properties["internal.segment.bytes"] = properties.pop("segment.bytes")
    return properties


def _config(settings: tuple[str, ...], config_file: str | None) -> LogConfig:
    properties = _properties(settings)
    try:
        named = LogConfig.from_properties(properties, strict=True)
    except ConfigError as error:
        raise UsageError(f"--config {str(error).removeprefix('internal.')}") from None
    if config_file is None:
        return named
    from_file = LogConfig.from_properties(Path(config_file))
    changed = {name: getattr(named, name) for name in LogConfig.named_fields(properties)}
    return replace(from_file, **changed)


def _opened(path: str, config: LogConfig, *, create: bool = False) -> Log:
    """Open the log for writing, and print recovery's changes. Raises DamagedLogError before it cuts sound batches."""
    log = Log.open(path, config, create=create, approve=_keep_sound_batches)
    indexes_count = 0
    for finding in log.report.changes:
        if finding.action is Action.REBUILD:
            indexes_count += 1
        elif finding.action is not Action.CREATE:
            _remark(f"recovered: {_as_given(str(finding), path)}")
    if indexes_count:
        rebuilt = _count(indexes_count, "index" if indexes_count == 1 else "indexe")
        _remark(f"recovered: {rebuilt} rebuilt from the log")
    return log


def _keep_sound_batches(report: RecoveryReport) -> None:
    """Refuse a recovery that cuts sound batches: `kformat log recover` asks about them."""
    losses = sound_after_damage(report)
    if losses:
        raise _cuts(losses, report.folder, "`kformat log recover --mode salvage`", "`kformat log recover --yes`")


def _cuts(losses: Sequence[SoundAfter], folder: Path, keeping: str, cutting: str) -> DamagedLogError:
    """The refusal of a recovery that cuts sound batches; ``keeping``, ``cutting``: the options that do so."""
    return DamagedLogError(
        f"sound batches come after the damage and would be cut: {_listed(losses)}; {keeping} keeps them in the log, "
        f"{cutting} cuts them and keeps their bytes aside",
        source=str(folder),
    )


def _says_yes(question: str) -> bool:
    """Ask at the terminal, and return whether the answer is yes; False if there is no terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty() and click.confirm(question, err=True)


def _remark(text: str) -> None:
    """Print a remark (not an error) on standard error; nothing with `kformat -q`."""
    if not is_quiet():
        say(text)


def _as_given(text: str, path: str) -> str:
    """A message with the log's folder as the user wrote it, instead of the absolute path."""
    return text.replace(str(Path(path).absolute()), path.rstrip(os.sep) or os.sep)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _there(path: str) -> str:
    """The path of a log to read; UsageError if it has no segment."""
    if not open_partition(local_path(path)).segments:
        raise nothing_found(path)
    return path


def _folder(path: str) -> Path:
    folder = local_path(path).absolute()
    name = parse_folder_name(folder.name)
    if name is None or name.state:
        raise UsageError(
            f"{folder.name!r} is not a partition's folder: it is called <topic>-<partition>, as in orders-0"
        )
    return folder


def _log_dir_option(*, create: bool = False) -> Callable[[_Decorated], _Decorated]:
    """Allow the path of a verb to be a name, which is searched in directories."""

    def decorate(function: _Decorated) -> _Decorated:
        @functools.wraps(function)
        def with_path(*arguments: Any, path: str, log_dirs: tuple[str, ...], **options: Any) -> Any:
            if log_dirs:
                path = str(place_of(log_dirs, *_topic_partition(path), create=create))
                click.get_current_context().params["path"] = path
            return function(*arguments, path=path, **options)

        done = "made in that with the fewest" if create else "it is an error if none has it"
        return cast(
            _Decorated, _log_dirs(f"Look for the partition in this directory; may be repeated; {done}.")(with_path)
        )

    return decorate


def _log_dirs(text: str, *, required: bool = False) -> Callable[[_Decorated], _Decorated]:
    return click.option("--log-dir", "log_dirs", multiple=True, required=required, metavar="DIR", help=text)


def _given(path: Path, log_dirs: Sequence[str]) -> str:
    """A partition's folder, with its directory as the user wrote it."""
    return str(
        next((Path(log_dir) for log_dir in log_dirs if Path(log_dir).absolute() == path.parent), path.parent)
        / path.name
    )


def _topic_partition(name: str) -> tuple[str, int]:
    parsed = parse_folder_name(name)
    if parsed is None or parsed.state or name != folder_name(parsed.topic, parsed.partition):
        raise UsageError(f"{name!r} is no partition's name: with --log-dir it is <topic>-<partition>, as in orders-0")
    return parsed.topic, parsed.partition


# --- append ---------------------------------------------------------------------------------------------------------


@log.command("append")
@click.argument("path", metavar="DIR")
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.File("rb"))
@click.option(
    "--input-format",
    type=click.Choice(["text", "nl", "arrow"]),
    help="nl: each line is a JSON object: key, value, headers, timestamp. arrow: columns of these names, in Arrow (an "
    "IPC stream or file) or Parquet. By default arrow for what begins like that, else text.",
)
@click.option("--key-delimiter", metavar="TEXT", help="Each line is a key, this text, and a value.")
@layout_options
@language_options
@click.option(
    "--bytes",
    "bytes_as",
    type=click.Choice(list(BYTES)),
    default="base64",
    show_default=True,
    help="How keys and values are written in JSON, where they do not say it themselves (hex:00ff, text:key-1).",
)
@click.option("--compression", type=click.Choice(CODEC_NAMES), help="Of the batches; by default compression.type.")
@click.option("--sync", type=click.Choice(["never", "interval", "batch"]), help="When appends are brought to the disk.")
@output_options("text", "json")
@_config_options
@_log_dir_option(create=True)
def append_command(
    path: str,
    files: tuple[IO[bytes], ...],
    input_format: str | None,
    key_delimiter: str | None,
    value_as: tuple[str, ...],
    key_as: tuple[str, ...],
    bytes_as: str,
    compression: str | None,
    sync: Any,
    mode: str | None,
    settings: tuple[str, ...],
    config_file: str | None,
) -> None:
    """Append the lines of FILEs, or of standard input, to the log in DIR, which is made where it is not there; of Arrow
    and Parquet the rows.

    A line is a value, without its line end; an empty one is an empty value. With --input-format nl it is a JSON object
    with any of key, value, headers and timestamp (ms or ISO 8601, by default now), as `kformat log read --format nl`
    prints them; what that prints next to them is passed over, offsets are assigned. Lines are appended as they come, so
    that a pipe that stays open works, too. At a line that is wrong it ends; the lines before it are in the log.

    With --value-as and --key-as the value or key in a line of JSON is an object, as `kformat parse` prints it, and its
    bytes are built, as by `kformat build`; for json it is anything. Instead of it there may be value_raw or key_raw, as
    `kformat export` writes what does not parse.

    Arrow and Parquet have these columns: value and key, binary or text; timestamp; headers. Others are passed over.
    With --value-as, value is a structure, as `kformat export --value-as` writes it, or there are columns value.price,
    value.side; the same for --key-as. So what was exported can be appended again. At a row that is wrong it ends; the
    rows before it are in the log. Rows count from 0. Needs pyarrow (extra arrow).

    Of a topic with replicas, append to the leader's copy only: stop all brokers first, and start the leader's first
    afterwards; its followers fetch what was appended. If you append to a follower's copy, the replicas differ from
    then on, and no broker reports it.
    """
    finish_unread()
    config = _config(settings, config_file)
    if sync is not None:
        config = config.with_sync(sync)
    as_json, inputs = input_format == "nl", files or (sys.stdin.buffer,)
    if input_format in ("nl", "arrow") and key_delimiter is not None:
        raise UsageError(f"--input-format {input_format} and --key-delimiter do not go together")
    layouts = _layouts(path, value_as, key_as)
    if layouts and not as_json and not all(_is_table(input_format, key_delimiter, file) for file in inputs):
        raise UsageError("--value-as and --key-as need --input-format nl, lines of JSON, or arrow: Arrow or Parquet")
    make = _maker(as_json, key_delimiter, bytes_as, layouts)
    columns = BuiltColumns(layouts.get("value"), layouts.get("key"))
    with _appending(path, config, mode) as log:
        for file in inputs:
            if _is_table(input_format, key_delimiter, file):
                _append_table(log, file, columns, compression)
                continue
            for source, start, lines in _lines(file, config.max_message_bytes):
                _append(log, lines, partial(_place, source, start), make, compression)


@contextlib.contextmanager
def _appending(path: str, config: LogConfig, mode: str | None) -> Iterator[Log]:
    """Open a log, close it, and print what was appended; after an error, how many records were appended before it."""
    with _opened(path, config, create=True) as log:
        first = log.end_offset
        try:
            yield log
        except (DataError, UsageError):
            if log.end_offset > first:
                say(f"{_count(log.end_offset - first, 'record')} appended before")
            raise
        next_offset = log.end_offset
    number = next_offset - first
    if mode == "json":
        Output().line(json.dumps({"first_offset": first, "next_offset": next_offset, "records_count": number}))
    else:
        span = f", offsets {first} to {next_offset - 1}" if number else ""
        Output().line(f"{_count(number, 'record')}{span}")


_Make = Callable[[bytes], Any]
_Place = Callable[[int], str]


def _place(source: str, start: int, index: int) -> str:
    return f"{source}{start + index}"


def _layouts(path: str, value_as: tuple[str, ...], key_as: tuple[str, ...]) -> dict[str, Any]:
    """The layouts of a log's values and keys, if declared."""
    name, by_side = parse_folder_name(_folder(path).name), dict[str, Any]()
    assert name is not None
    for side, arguments, option in (("value", value_as, "--value-as"), ("key", key_as, "--key-as")):
        layouts = layouts_of(arguments, option)
        if layouts is not None:
            layouts.check_topics([name.topic])
            by_side[side] = layouts.of(name.topic)
    return by_side


def _maker(as_json: bool, key_delimiter: str | None, bytes_as: str, layouts: dict[str, Any]) -> _Make:
    """The function that makes a record of a line; its UsageError states the problem, without the line number."""
    if as_json:
        return lambda line: _record(line, bytes_as, layouts)
    if key_delimiter is None:
        return lambda line: line
    delimiter = key_delimiter.encode("utf-8", "surrogateescape")
    if not delimiter:
        raise UsageError("--key-delimiter takes a text, not an empty one")

    def pair(line: bytes) -> tuple[bytes, bytes]:
        key, separator, value = line.partition(delimiter)
        if not separator:
            raise UsageError(f"there is no {key_delimiter!r} in it")
        return key, value

    return pair


def _is_table(input_format: str | None, key_delimiter: str | None, file: IO[bytes]) -> bool:
    """Whether a file is Arrow or Parquet, by the option, or else by its first bytes."""
    if input_format is None and key_delimiter is None:
        return is_table_file(file)
    return input_format == "arrow"


def _append_table(log: Log, file: IO[bytes], columns: BuiltColumns, compression: str | None) -> None:
    """Append rows of Arrow or Parquet, some MB of them at a time; UsageError with the place of an invalid row."""
    name = "<stdin>" if file is sys.stdin.buffer else file.name
    try:
        for start, records, problem in columns.parts(table_batches(file, name)):
            _append_each(log, records, partial(_place, "row ", start), compression)
            if problem is not None:
                raise UsageError(f"row {start + len(records)}: {problem}")
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None


def _append(log: Log, lines: list[bytes], place: _Place, make: _Make, compression: str | None) -> None:
    """Append lines together; if one is invalid, append those before it, and raise UsageError with its place."""
    records = []
    for index, line in enumerate(lines):
        try:
            records.append(make(line))
        except UsageError as error:
            _append_each(log, records, place, compression)
            raise UsageError(f"{place(index)}: {error}") from None
    _append_each(log, records, place, compression)


def _append_each(log: Log, records: Any, place: _Place, compression: str | None) -> None:
    try:
        log.append(records, compression=compression)
        return
    except UsageError as error:  # from one of them, and nothing was appended: find out which
        if len(records) == 1:
            raise UsageError(f"{place(0)}: {error}") from None
    middle = len(records) // 2
    _append_each(log, records[:middle], place, compression)
    _append_each(log, records[middle:], partial(_shifted, place, middle), compression)


def _shifted(place: _Place, first: int, index: int) -> str:
    return place(first + index)


def _lines(file: IO[bytes], max_message_bytes: int) -> Iterator[tuple[str, int, list[bytes]]]:
    """Yield complete lines as they come, several at a time, with the source and the number of the first.

    A line much longer than any record, even as JSON or compressible, is refused and not collected.
    """
    limit = _LINE_FACTOR * max_message_bytes
    source = "line " if file is sys.stdin.buffer else f"{file.name}:"
    number, rest = 1, b""
    read = getattr(file, "read1", file.read)
    while chunk := read(_READ_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        if lines:
            yield source, number, lines
            number += len(lines)
        if len(rest) > limit:
            raise UsageError(f"{source}{number}: more than {limit} bytes; max.message.bytes is {max_message_bytes}")
    if rest:
        yield source, number, [rest]


def _record(line: bytes, bytes_as: str, layouts: dict[str, Any]) -> dict[str, Any]:
    """Parse a line of JSON to a record."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise UsageError("no JSON object")
    raw = [f"{side}_raw" for side in layouts]
    unknown = set(fields) - {*_FIELDS, *_IGNORED, *raw, *(f"{side}_error" for side in layouts)}
    if unknown:
        raise UsageError(f"no field {sorted(unknown)[0]!r}; there are {', '.join((*_FIELDS, *raw))}")
    record: dict[str, Any] = {}
    for name in ("key", "value"):
        if name not in layouts:
            record[name] = _bytes(fields.get(name), name, bytes_as)
        elif fields.get(f"{name}_raw") is None:
            record[name] = built(layouts[name], fields.get(name), bytes_as)
        elif fields.get(name) is None:
            record[name] = _bytes(fields[f"{name}_raw"], f"{name}_raw", bytes_as)
        else:
            raise UsageError(f"there is {name}, and {name}_raw, too")
    record["headers"] = [(name, _bytes(value, "headers", bytes_as)) for name, value in _headers(fields.get("headers"))]
    if fields.get("timestamp") is not None:
        timestamp = fields["timestamp"]
        if isinstance(timestamp, bool) or not isinstance(timestamp, int | str):
            raise UsageError("timestamp takes milliseconds or ISO 8601")
        try:
            record["timestamp"] = Timestamp().convert(timestamp, None, None)
        except click.UsageError as error:
            raise UsageError(f"timestamp: {error.message}") from None
    return record


def _headers(headers: Any) -> list[tuple[str, Any]]:
    pairs: list[Any] = []
    match headers:
        case None:
            pass
        case dict():
            pairs = list(headers.items())
        case list():
            pairs = [
                (header.get("key"), header.get("value")) if isinstance(header, dict) else header for header in headers
            ]
        case _:
            raise UsageError("headers takes an object, or a list of pairs")
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            raise UsageError("a header is a pair of a name and a value")
    return [(name, value) for name, value in pairs]


def _bytes(value: Any, name: str, bytes_as: str) -> bytes | None:
    """Decode bytes written as `kformat build` takes them; ``text`` has no prefixes, and is taken literally."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise UsageError(f"{name} takes a string or null")
    if bytes_as != "text":
        prefix, colon, rest = value.partition(":")
        if colon and prefix in ("hex", "text"):
            bytes_as, value = prefix, rest
    try:
        match bytes_as:
            case "base64":
                return base64.b64decode(value, validate=True)
            case "hex":
                return bytes.fromhex(value)
        return value.encode("utf-8", "surrogateescape")
    except (binascii.Error, ValueError) as error:
        hint = "" if bytes_as == "text" else "; with --bytes text it is taken as it is"
        raise UsageError(f"{name} is no {bytes_as}: {error}{hint}") from None


# --- import ---------------------------------------------------------------------------------------------------------


@log.command("import")
@click.argument("path", metavar="DIR")
@click.option("--sqlite", "file", required=True, type=click.Path(), metavar="FILE", help="An SQLite database.")
@click.option("--table", required=True, metavar="NAME", help="Its table.")
@click.option("--key", multiple=True, metavar="COLUMN", help="The key; by default the primary key, if there is one.")
@click.option("--value", multiple=True, metavar="COLUMN", help="The value; by default all columns, in JSON.")
@click.option(
    "--timestamp",
    metavar="COLUMN",
    help="The timestamp: a number since 1970, or ISO 8601; by default, and for NULL, now.",
)
@click.option(
    "--timestamp-unit",
    type=click.Choice(["s", "ms", "us"]),
    default="ms",
    show_default=True,
    help="The unit of numbers in that column.",
)
@click.option("--header", "headers", multiple=True, metavar="COLUMN", help="A header of this name; may be repeated.")
@click.option("--name", metavar="NAME", help="The import's; by default the names of the file and the table.")
@click.option("--compression", type=click.Choice(CODEC_NAMES), help="Of the batches; by default compression.type.")
@click.option("--sync", type=click.Choice(["never", "interval", "batch"]), help="When appends are brought to the disk.")
@output_options("text", "json")
@_config_options
@_log_dir_option(create=True)
def import_command(
    path: str,
    file: str,
    table: str,
    key: tuple[str, ...],
    value: tuple[str, ...],
    timestamp: str | None,
    timestamp_unit: str,
    headers: tuple[str, ...],
    name: str | None,
    compression: str | None,
    sync: Any,
    mode: str | None,
    settings: tuple[str, ...],
    config_file: str | None,
) -> None:
    """Append the rows of an SQLite table to the log in DIR, which is made where it is not there: a record for each row,
    in the order of the rowid.

    \b
      kformat log import data/orders-0 --sqlite shop.db --table orders
      kformat log import data/orders-0 --sqlite shop.db --table orders \\
        --key customer --value body --timestamp created_at --timestamp-unit s

    A value is the row as an object in JSON, with blobs in base64. With --value COLUMN it is that column: the bytes of a
    blob, the UTF-8 of a text, the digits of a number; several make an object. The same for --key. NULL is null.

    Each row is stored once. If an import ends early, however it does, repeat it: it goes on after the last row that is
    in the log. So it also appends the rows that were inserted since, at the end. If that last row differs from its
    record, because it was changed, or rows before it were inserted or deleted, the import is refused.

    The database is opened read-only. In WAL mode other programs may write it meanwhile; in other modes they wait.
    """
    finish_unread()
    config = _config(settings, config_file)
    if sync is not None:
        config = config.with_sync(sync)
    sqlite = importlib.import_module("kformat_engine.sqlite_import")  # loaded when it is needed: some Pythons have none
    columns = sqlite.RowColumns(key, value, timestamp, timestamp_unit, headers)
    line = ProgressLine()
    with sqlite.SqliteTable(file, table, heap_bytes=sqlite.HEAP_BYTES) as opened:
        rows, count = sqlite.TableRecords(opened, columns), opened.rows_count() if line.is_shown else 0
        with _appending(path, config, mode) as log:
            before, is_told = None, False
            for done in sqlite.import_rows(log, rows, name=name, compression=compression):
                if rows.remark is not None and not is_told:
                    is_told = True
                    _remark(f"warning: {rows.remark}")
                if before is None and done:
                    _remark(f"{_count(done, 'row')} imported before")
                before = done
                line.amount(done, count, opened.name, "rows")
            line.clear()


# --- read and tail --------------------------------------------------------------------------------------------------


def _object(record: Record, shown: Shown) -> dict[str, Any]:
    return {
        "offset": record.offset,
        "timestamp": record.timestamp,
        **shown.fields("key", record.key),
        **shown.fields("value", record.value, record.key),
        "headers": [{"key": name, "value": value} for name, value in record.headers],
    }


def _message(record: Record, shown: Shown) -> dict[str, Any]:
    """The key and the value of one of Kafka's own records, without what an object has only if they do not parse."""
    fields = shown.fields("key", record.key) | shown.fields("value", record.value, record.key)
    return {name: value for name, value in fields.items() if name in ("key", "value") or value is not None}


def _write(
    out: Output, records: Iterable[Record], mode: str | None, bytes_as: str, shown: Shown, *, flush: bool = False
) -> None:
    if mode == "json":
        write_objects(out, (_object(record, shown) for record in records), mode, BYTES[bytes_as])
        return
    for record in records:
        if mode == "nl":
            write_objects(out, [_object(record, shown)], mode, BYTES[bytes_as])
        elif shown.readers:
            write_objects(out, [_message(record, shown)], "nl", BYTES[bytes_as])
        else:
            out.write((record.value or b"") + b"\n")
        if flush:
            out.flush()


def _messages_of(path: str, decode: bool, bytes_as: str) -> Shown:
    """What shows the keys and values of a log: with ``decode``, those of Kafka's own topics as what they are."""
    return shown_messages(topic_of(path) if decode else "", bytes_as)


def _remark_refused(shown: Shown) -> None:
    for line in refused_remarks(shown.counts):
        _remark(f"kformat: {line}")


_decode_flag: Final = decode_flag(
    "Print the records of Kafka's own topics (__consumer_offsets, ...) as what they are: key and value as JSON."
)


@log.command("read")
@click.argument("path", metavar="DIR")
@click.option("--offset", type=int, metavar="N", help="Begin at this offset; by default at the start.")
@click.option("--timestamp", type=Timestamp(), help="Begin at the first record that is not older (ms or ISO 8601).")
@click.option("--end-offset", type=int, metavar="N", help="Leave out this offset and all after it.")
@click.option("-n", "--max-records", type=click.IntRange(0), metavar="N", help="Stop after so many.")
@before_log_start_option
@isolation_level_option
@_decode_flag
@output_options("text", "json", "nl")
@bytes_option
@escape_option
@_log_dir_option()
def read_command(
    path: str,
    offset: int | None,
    timestamp: int | None,
    end_offset: int | None,
    max_records: int | None,
    before_log_start: bool,
    isolation_level: str,
    decode: bool,
    mode: str | None,
    bytes_as: str,
    escape: bool | None,
) -> None:
    """Print the values of the records in DIR, a line each; with --format json or nl the records.

    Records in front of the log's start were deleted, and are left out without --before-log-start.

    Of a tiered topic the records in the local files are printed, and standard error says how many offsets are in remote
    storage. What --offset or --timestamp asks for and is in remote storage has exit status 5.
    """
    if offset is not None and timestamp is not None:
        raise UsageError("--offset and --timestamp do not go together")
    statuses = [0]
    reading([path])
    with LogReader.open(_there(path), before_log_start=before_log_start) as reader:
        if timestamp is not None:
            start = reader.offset_for_timestamp(timestamp)
            offset = reader.end_offset if start is None else start.offset
            if start is not None and start.may_be_remote:
                remote = reader.remote_offsets
                _remark(error_line(RemoteOffsetError(None, remote.start, remote.stop, source=path)))
        Starts(statuses).say(open_partition(path), offset, end_offset)
        records = reader.records(offset, end_offset, isolation_level=isolation_level)
        shown = _messages_of(path, decode, bytes_as)
        _write(Output(escape), records if max_records is None else _first(records, max_records), mode, bytes_as, shown)
    _remark_refused(shown)
    click.get_current_context().exit(max(statuses))


def _first(records: Iterator[Record], count: int) -> Iterator[Record]:
    for _, record in zip(range(count), records, strict=False):
        yield record


@log.command("tail")
@click.argument("path", metavar="DIR")
@click.option(
    "-n", "count", type=click.IntRange(0), default=10, show_default=True, help="How many of the last records."
)
@click.option("-f", "--follow", is_flag=True, help="Go on with what is appended.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(0),
    metavar="S",
    help="With -f: end when nothing came for so long, seconds.",
)
@before_log_start_option
@isolation_level_option
@_decode_flag
@output_options("text", "nl")
@bytes_option
@escape_option
@_log_dir_option()
def tail_command(
    path: str,
    count: int,
    follow: bool,
    timeout_s: float | None,
    before_log_start: bool,
    isolation_level: str,
    decode: bool,
    mode: str | None,
    bytes_as: str,
    escape: bool | None,
) -> None:
    """Print the values of the last records in DIR, and with -f of those that come.

    With --isolation-level read_committed the last ones are those before the first open transaction, and -f waits for
    transactions to end.
    """
    if timeout_s is not None and not follow:
        raise UsageError("--timeout goes with --follow")
    statuses = [0]
    with LogReader.open(_there(path), before_log_start=before_log_start) as reader:
        Starts(statuses).check(open_partition(path))
        end = reader.last_stable_offset if is_committed_only(isolation_level) else reader.end_offset
        out, shown = Output(escape), _messages_of(path, decode, bytes_as)
        _write(out, _last(reader, end, count, isolation_level), mode, bytes_as, shown, flush=True)
        if follow:
            records = reader.records(
                end, follow=True, timeout_s=timeout_s, auto_offset_reset="earliest", isolation_level=isolation_level
            )
            _write(out, records, mode, bytes_as, shown, flush=True)
    _remark_refused(shown)
    click.get_current_context().exit(max(statuses))


def _last(reader: LogReader, end: int, count: int, isolation_level: str) -> list[Record]:
    """The last records below an offset; searches further back if offsets have gaps."""
    if not count:
        return []
    span = count
    while True:
        start = max(reader.start_offset, end - span)
        records = deque(reader.records(start, end, isolation_level=isolation_level), maxlen=count)
        if len(records) == count or start == reader.start_offset:
            return list(records)
        span *= 4


# --- info -----------------------------------------------------------------------------------------------------------


@log.command("info")
@click.argument("path", metavar="DIR")
@output_options("text", "json")
@_log_dir_option()
def info_command(path: str, mode: str | None) -> None:
    """Say where the log in DIR starts and ends, how far it is known to be on disk, and list its segments."""
    folder = _folder(path)
    out = Output()
    _there(path)
    with LogReader.open(folder) as reader:
        partition = open_partition(folder)
        segments = []
        for number, segment in enumerate(partition.segments):
            following = partition.segments[number + 1 : number + 2]
            headers = segment.headers()
            segments.append(
                {
                    "base_offset": segment.base_offset,
                    "end_offset": following[0].base_offset if following else reader.end_offset,
                    "size_bytes": segment.size_bytes,
                    "batches": len(headers),
                    "offset_index_entries": len(segment.offset_entries()),
                    "time_index_entries": len(segment.time_entries()),
                    "last_timestamp": int(headers.max_timestamp.max(initial=-1)),
                    "file": segment.name,
                }
            )
        info: dict[str, Any] = {
            "topic": partition.topic,
            "partition": partition.partition,
            "topic_id": partition.topic_id,
            "log_start_offset": reader.log_start_offset,
            "local_log_start_offset": reader.start_offset,
            "end_offset": reader.end_offset,
            "last_stable_offset": reader.last_stable_offset,
            "recovery_point": partition.recovery_point,
            "high_watermark": partition.high_watermark,
            "size_bytes": sum(segment["size_bytes"] for segment in segments),
            "is_clean": any(other.name == CLEAN_MARKER for other in other_files(folder.parent)),
            "leader_epochs": [{"epoch": epoch, "start_offset": start} for epoch, start in partition.leader_epochs],
            "segments": segments,
        }
    if mode == "json":
        out.line(json.dumps(info, indent=2))
        return
    names = ["topic", "partition", "topic_id", "log_start_offset", "end_offset", "recovery_point", "size_bytes"]
    if info["log_start_offset"] < info["local_log_start_offset"]:  # of a tiered log
        names.insert(4, "local_log_start_offset")
    if info["last_stable_offset"] < info["end_offset"]:  # a transaction is open
        names.insert(names.index("recovery_point"), "last_stable_offset")
    for name in names:
        if info[name] is not None:
            out.line(f"{name}: {info[name]}")
    out.line(f"shutdown: {'clean' if info['is_clean'] else 'not clean, or in use'}")
    epochs = ", ".join(f"{entry['epoch']} from {entry['start_offset']}" for entry in info["leader_epochs"])
    out.line(f"leader_epochs: {epochs or 'none'}")
    write_rows(out, segments, _COLUMNS, "table")


# --- changing -------------------------------------------------------------------------------------------------------


@log.command("roll")
@click.argument("path", metavar="DIR")
@_config_options
@_log_dir_option()
def roll_command(path: str, settings: tuple[str, ...], config_file: str | None) -> None:
    """Begin a new segment, and print its base offset."""
    finish_unread()
    with _opened(path, _config(settings, config_file)) as log:
        Output().line(str(log.roll()))


@log.command("retain")
@click.argument("path", metavar="DIR")
@click.option("--before", "before", type=int, metavar="N", help="Delete the records below this offset; -1: all.")
@output_options("text", "json")
@_config_options
@_log_dir_option()
def retain_command(
    path: str, before: int | None, mode: str | None, settings: tuple[str, ...], config_file: str | None
) -> None:
    """Delete the segments that retention.ms and retention.bytes let go (by default: those of more than a week ago).

    Prints a line per segment: its base offset, and why. With --before the log starts at that offset from then on, and
    segments that lie below it go; retention by time and size does not run then. Where the log's first records are in
    a broker's remote storage, only --before works.
    """
    finish_unread()
    out = Output()
    with _opened(path, _config(settings, config_file)) as log:
        if before is None:
            gone = [{"base_offset": base, "why": breach.value} for base, breach in log.retain()]
        else:
            bases = [segment.base_offset for segment in log.segments]
            log.delete_records_before(before)
            left = {segment.base_offset for segment in log.segments}
            gone = [{"base_offset": base, "why": "before the log start offset"} for base in bases if base not in left]
        start = log.log_start_offset
    if mode == "json":
        out.line(json.dumps({"log_start_offset": start, "deleted": gone}))
        return
    for segment in gone:
        out.line(f"{segment['base_offset']}: {segment['why']}")
    if not is_quiet():  # also where standard output does not take the lines
        click.echo(f"{_count(len(gone), 'segment')} deleted; the log starts at offset {start}", err=True)


@log.command("compact")
@click.argument("path", metavar="DIR")
@click.option("--force", is_flag=True, help="Also where less than min.cleanable.dirty.ratio is dirty.")
@click.option("--dry-run", is_flag=True, help="Find out what would stay, and replace nothing.")
@click.option("--yes", "is_approved", is_flag=True, help="Drop records without a key without asking.")
@click.option(
    "--map-bytes",
    type=click.IntRange(ENTRY_BYTES * 2),
    default=DEFAULT_BUFFER_BYTES,
    show_default=True,
    metavar="N",
    help="Memory for the map of keys, 24 bytes each; log.cleaner.dedupe.buffer.size.",
)
@output_options("text", "json")
@_config_options
@_log_dir_option()
def compact_command(
    path: str,
    force: bool,
    dry_run: bool,
    is_approved: bool,
    map_bytes: int,
    mode: str | None,
    settings: tuple[str, ...],
    config_file: str | None,
) -> None:
    """Keep the last record of each key in DIR, as a broker does for a topic with cleanup.policy=compact.

    All but the active segment is compacted (`kformat log roll` begins a new one), if enough of it was not compacted
    before. Records within min.compaction.lag.ms, and those of transactions that are open, stay out of it. A record
    without a value deletes its key; it goes itself when delete.retention.ms have passed since the first compaction that
    saw it.

    Records without a key go. If there are any and no setting says cleanup.policy=compact, it asks on a terminal;
    elsewhere it refuses without --yes. Give the topic's settings with --config or --config-file.
    """
    finish_unread()
    config = _config(settings, config_file)
    if not config.is_compacted:
        if any(setting.partition("=")[0].strip() == "cleanup.policy" for setting in settings):
            raise UsageError(f"cleanup.policy is {','.join(config.cleanup_policy)!r}, without compact")
        config = replace(config, cleanup_policy=("compact",))
    else:
        is_approved = True
    cleaner = Cleaner(CleanerConfig(dedupe_buffer_bytes=map_bytes))
    out = Output()
    with _opened(path, config) as log:
        to_clean = log.to_clean()
        if not dry_run and not is_approved:
            preview = log.compact(force=force, dry_run=True, cleaner=cleaner)
            if preview is not None and preview.without_key_count:
                keyless = f"{_count(preview.without_key_count, 'record')} without a key"
                if not _says_yes(f"Drop {keyless}?"):
                    raise UsageError(f"{path}: {keyless} would be dropped; --yes drops them")
        done = log.compact(force=force, dry_run=dry_run, cleaner=cleaner)
    result: dict[str, Any] = {"is_compacted": done is not None and not dry_run}
    if done is None:
        result |= {"cleanable_bytes": to_clean.cleanable_bytes, "cleanable_ratio": to_clean.cleanable_ratio}
    else:
        result |= asdict(done)
    if mode == "json":
        out.line(json.dumps(result))
        return
    if done is None:
        if to_clean.cleanable_bytes:
            _remark(
                f"not due: {to_clean.cleanable_ratio:.0%} of {to_clean.total_bytes} bytes are not compacted yet, and "
                f"it takes more than {config.min_cleanable_dirty_ratio:.0%} (min.cleanable.dirty.ratio); --force does "
                "not wait"
            )
        else:
            _remark("nothing to compact before the last segment; `kformat log roll` begins a new one")
        return
    would = "would be " if dry_run else ""
    dropped = done.read_count - done.retained_count
    out.line(
        f"offsets {log.log_start_offset} to {done.end_offset - 1}: {_count(done.read_count, 'record')} read, "
        f"{done.retained_count} {would}kept, {dropped} {would}dropped"
    )
    out.line(
        f"{_count(done.segment_count_before, 'segment')} of {done.size_bytes_before} bytes "
        f"{'would become' if dry_run else 'became'} {done.segment_count_after} of {done.size_bytes_after}"
    )
    if done.without_key_count:
        _remark(f"{_count(done.without_key_count, 'record')} without a key {would}dropped")
    if done.end_offset < done.first_uncleanable_offset:
        _remark(f"the map was full: from offset {done.end_offset} on, the log waits for the next compaction")


@log.command("truncate")
@click.argument("path", metavar="DIR")
@click.argument("offset", type=click.IntRange(0))
@click.option("--yes", "is_approved", is_flag=True, help="Cut records before OFFSET, too, without asking.")
@_config_options
@_log_dir_option()
def truncate_command(
    path: str, offset: int, is_approved: bool, settings: tuple[str, ...], config_file: str | None
) -> None:
    """Cut the log so that OFFSET is the next one.

    A batch goes as a whole: records before OFFSET go, too, if they are in the batch that holds it. On a terminal it
    asks about them; elsewhere it refuses without --yes.
    """
    finish_unread()
    with _opened(path, _config(settings, config_file)) as log:
        before, kept_to = log.end_offset, offset
        if log.start_offset <= offset < before:
            kept_to = min(offset, next((first_offset(batch) for batch in log.batches(offset)), offset))
        if kept_to < offset and not is_approved:
            more = f"records before offset {offset}, from {kept_to} on, are in the batch that holds it"
            if not _says_yes(f"{more}. Cut them, too?"):
                raise UsageError(f"{path}: {more}; --yes cuts them, too")
        was_cut = log.truncate_to(offset)
    cut = f"cut from offset {kept_to} on; it ended at {before}, and goes on at {offset}"
    _remark(cut if was_cut else f"nothing to cut: it ends at {before}")


# --- several directories --------------------------------------------------------------------------------------------

_MANAGED: Final = "A directory of logs; may be repeated. All logs in them are opened, and recovered where that is due."


@log.command("create")
@click.argument("path", metavar="NAME")
@click.option("--topic-id", metavar="ID", help="22 characters, as Kafka prints it.")
@_log_dirs(_MANAGED, required=True)
@_config_options
def create_command(
    path: str, topic_id: str | None, log_dirs: tuple[str, ...], settings: tuple[str, ...], config_file: str | None
) -> None:
    """Make the empty partition NAME, <topic>-<partition>, in the directory with the fewest; print its folder."""
    finish_unread()
    with LogManager.open(log_dirs, _config(settings, config_file), approve=_keep_sound_batches) as manager:
        log = manager.create_partition(*_topic_partition(path), topic_id=topic_id)
        Output().line(_given(log.path, log_dirs))


@log.command("move")
@click.argument("path", metavar="NAME")
@click.argument("target", metavar="DIR")
@_log_dirs(_MANAGED, required=True)
@_config_options
def move_command(
    path: str, target: str, log_dirs: tuple[str, ...], settings: tuple[str, ...], config_file: str | None
) -> None:
    """Move the partition NAME to DIR, one of the directories; print its folder.

    If it is interrupted, the records are where they were, or in DIR: the next verb that opens the same directories
    ends or undoes the move.
    """
    finish_unread()
    with LogManager.open(log_dirs, _config(settings, config_file), approve=_keep_sound_batches) as manager:
        Output().line(_given(manager.move(*_topic_partition(path), target).path, log_dirs))


@log.command("delete")
@click.argument("path", metavar="NAME")
@_log_dirs(_MANAGED, required=True)
@click.option("--yes", "is_approved", is_flag=True, help="Do not ask.")
@_config_options
def delete_command(
    path: str, log_dirs: tuple[str, ...], is_approved: bool, settings: tuple[str, ...], config_file: str | None
) -> None:
    """Delete the partition NAME with all its records. It asks on a terminal; elsewhere it refuses without --yes."""
    finish_unread()
    name = _topic_partition(path)
    if not is_approved and not _says_yes(f"Delete {path} with all its records?"):
        say(one_line(f"kformat: {path} is deleted with --yes only"))
        click.get_current_context().exit(UNSAFE)
    with LogManager.open(log_dirs, _config(settings, config_file), approve=_keep_sound_batches) as manager:
        manager.delete_partition(*name)


@log.command("list")
@_log_dirs("A directory of logs; may be repeated. No lock is taken.", required=True)
@output_options("text", "json")
def list_command(log_dirs: tuple[str, ...], mode: str | None) -> None:
    """List the partitions in directories: name, directory, and how many bytes their .log files have."""
    out = Output()
    rows = [
        {
            "name": folder_name(place.topic, place.partition),
            "directory": str(directory),
            "size_bytes": sum(
                segment.size_bytes
                for segment in open_partition(place.directory / folder_name(place.topic, place.partition)).segments
            ),
        }
        for directory in log_dirs
        for place in places_in(directory)
    ]
    rows.sort(key=lambda row: _topic_partition(str(row["name"])))
    if mode == "json":
        out.line(json.dumps(rows, indent=2))
    else:
        write_rows(out, rows, ("name", "directory", "size_bytes"), "table")


@log.command("transactions")
@_log_dirs("A directory of logs; may be repeated. No lock is taken without --abort.", required=True)
@click.option("--abort", "aborted", metavar="ID", help="Abort the open transaction of this id. Opens all logs.")
@output_options("table", "csv", "json", "nl")
@_config_options
def transactions_command(
    log_dirs: tuple[str, ...],
    aborted: str | None,
    mode: str,
    settings: tuple[str, ...],
    config_file: str | None,
) -> None:
    """List transactional ids and open transactions in these directories, as `kformat transactions` does.

    With --abort the id's owner is fenced off, its open transaction is aborted (also one that a broker's client began),
    and the id is printed; of a transaction that is committed or aborted already, the markers that are missing are
    written.
    """
    for directory in log_dirs:
        check_is_root(local_path(directory).absolute())
    if aborted is not None:
        finish_unread()
        with LogManager.open(
            log_dirs, _config(settings, config_file), create=False, approve=_keep_sound_batches
        ) as manager:
            manager.abort_transaction(aborted)
    importlib.import_module("kformat.cli.state").show_transactions(log_dirs, aborted, mode)  # loaded when it is needed


@log.command("recover")
@click.argument("path", metavar="DIR")
@click.option("--dry-run", is_flag=True, help="Report what would be done, and do nothing; takes no lock.")
@click.option(
    "--mode",
    type=click.Choice(["strict", "salvage", "kafka"]),
    default="strict",
    show_default=True,
    help="strict refuses damage below the recovery point, salvage keeps what is proved, kafka does as a broker does.",
)
@click.option(
    "--place-unanchored",
    is_flag=True,
    help="With --mode salvage: also save batches that may be values of records: no unbroken chain of batches leads to "
    "them.",
)
@click.option("--yes", "is_approved", is_flag=True, help="Cut sound batches that come after damage without asking.")
@click.option("--all", "everything", is_flag=True, help="Also print files that are sound.")
@metadata_option
@output_options("text", "json", parameter="shape")
@_config_options
def recover_command(
    path: str,
    dry_run: bool,
    mode: str,
    place_unanchored: bool,
    is_approved: bool,
    everything: bool,
    metadata: tuple[str, ...],
    shape: str | None,
    settings: tuple[str, ...],
    config_file: str | None,
) -> None:
    """Open the log in DIR as after a crash if it was not closed in order, mend what has to be, and say what was done.

    DIR is a partition's folder, or a root, or a folder with roots: then every partition in it is recovered, and one
    that is refused does not keep the others from it.

    Indexes are rebuilt with each topic's index.interval.bytes in the metadata log of the same root, unless --config or
    --config-file names it; a server.properties gives it to topics that have none there.

    What is cut off is kept aside in a file of the folder. Where sound batches come after the damage and would be cut,
    too, it asks on a terminal; elsewhere it refuses without --yes. Mode salvage keeps them in the log. Standard error
    says what was not looked at; of several partitions, how many were changed, and of how many nothing but indexes.
    Exit status 1: mode salvage found records or bytes that are lost, or __cluster_metadata has a gap; 4: there is
    damage that the mode refuses, or nobody said yes.
    """
    if not dry_run:
        finish_unread()
    target = local_path(path)
    config = _of_topics(_config(settings, config_file), settings, config_file, path, metadata)
    reading([path])
    folders = partition_paths(target) if target.is_dir() else [target]
    if place_unanchored and mode != "salvage":
        raise click.UsageError("--place-unanchored goes with --mode salvage")
    chosen = cast(Literal["strict", "salvage", "kafka"], mode)
    how = _Recovery(config, chosen, place_unanchored, dry_run, is_approved)
    show = partial(_show_recovery, how=how, everything=everything, as_json=shape == "json")
    if folders == [target]:
        done = how.recover(path)
        show(path, done)
        click.get_current_context().exit(done.exit_status)
    if not folders:
        raise nothing_found(path)
    statuses, reports = [0], list[RecoveryReport]()
    for root, inner in itertools.groupby(folders, key=lambda folder: folder.parent):
        try:
            with contextlib.nullcontext(RootFiles(root)) if dry_run else Root.open(root, create=False) as opened:
                for folder in map(str, inner):
                    try:
                        done = how.recover(folder, opened)
                        show(folder, done, name=os.path.relpath(folder, path))
                        reports.append(done.report)
                        statuses.append(done.exit_status)
                    except BrokenPipeError:
                        raise
                    except (KformatError, OSError) as error:
                        statuses.append(_complain(error, folder))
        except BrokenPipeError:  # nobody reads what a dry run prints
            raise
        except (KformatError, OSError) as error:  # the root itself
            statuses.append(_complain(error, str(root)))
    if shape != "json":
        _show_total(reports, len(folders), dry_run=dry_run)
    click.get_current_context().exit(max(statuses))


@dataclass(frozen=True)
class _Recovered:
    """The findings and changes of a log's recovery, or of a dry run.

    Attributes:
        losses: the sound batches that are cut.
        saved: the plan of `kformat salvage` for the log before recovery; None if it was not needed.
    """

    report: RecoveryReport
    losses: Sequence[SoundAfter]
    saved: PartitionReport | None

    @property
    def _salvaged(self) -> PartitionReport | None:
        return self.saved if self.report.mode == "salvage" and not self.report.refusals else None

    @property
    def missing(self) -> list[Offsets]:
        """The offsets whose records may be lost in mode ``salvage``."""
        return [] if self._salvaged is None else self._salvaged.missing

    @property
    def lost_bytes(self) -> int:
        """The bytes that mode ``salvage`` could not save."""
        return 0 if self._salvaged is None else int(self._salvaged.summary()["lost_bytes"])

    @property
    def fatal_missing(self) -> list[Offsets]:
        """The missing offsets before batches that stay, in a log that brokers need complete."""
        missing = [] if self.saved is None or self.report.refusals else self.saved.fatal_missing
        return [gap for gap in missing if (gap[0] or 0) < self.report.next_offset]

    @property
    def exit_status(self) -> int:
        """The exit status of the verb."""
        if self.report.refusals:
            return UNSAFE
        return DATA if self.missing or self.lost_bytes or self.fatal_missing else 0


@dataclass(frozen=True)
class _OfTopics:
    """The configuration of each log: what is given, and what the cluster's metadata says.

    ``fields`` are those that the metadata sets: its names, and the fields.
    """

    given: LogConfig
    configs: TopicConfigs
    fields: Mapping[str, str]

    def of(self, path: str) -> LogConfig:
        """The configuration of the log in a folder."""
        found: dict[str, Any] = {
            field: value
            for name, field in self.fields.items()
            if (value := self.configs.number(Path(path), name)) is not None
        }
        return replace(self.given, **found)


def _of_topics(
    given: LogConfig, settings: tuple[str, ...], config_file: str | None, path: str, metadata: tuple[str, ...]
) -> _OfTopics:
    named = LogConfig.named_fields(_properties(settings))
    if config_file is not None:
        named |= LogConfig.named_fields(Path(config_file), by_broker_names=False)
    fields = {INTERVAL: "index_interval_bytes", EXPIRATION: "producer_id_expiration_ms"}
    if fields[INTERVAL] in named:
        del fields[INTERVAL]
    return _OfTopics(given, read_topic_configs([path], partial(_remark_of, path), metadata), fields)


def _remark_of(path: str, text: str) -> None:
    _remark(f"kformat: {_as_given(one_line(text), path)}")


@dataclass(frozen=True)
class _Recovery:
    """Recovers logs, with the options of the verb."""

    configs: _OfTopics
    mode: Literal["strict", "salvage", "kafka"]
    place_unanchored: bool
    dry_run: bool
    is_approved: bool

    def recover(self, path: str, root: Root | RootFiles | None = None) -> _Recovered:
        """Recover a log, or plan it in a dry run; returns the findings, and the sound batches that are cut.

        ``root``: the log's root, opened, or for a dry run its files; by default it is opened, or they are read.
        """
        if self.dry_run or isinstance(root, RootFiles):
            files = root if isinstance(root, RootFiles) else None
            report = Log.examine(
                path, self.configs.of(path), mode=self.mode, place_unanchored=self.place_unanchored, files=files
            )
            return _Recovered(report, sound_after_damage(report), self._saved(report))
        losses, saved = list[SoundAfter](), list[PartitionReport | None]()

        def approve(report: RecoveryReport) -> None:
            losses.extend(sound_after_damage(report))
            if losses and not (self.is_approved or _is_confirmed(path, losses)):
                raise _cuts(losses, Path(path).absolute(), "--mode salvage", "--yes")
            saved.append(self._saved(report))

        with Log.open(
            path,
            self.configs.of(path),
            root=root,
            create=False,
            mode=self.mode,
            place_unanchored=self.place_unanchored,
            verify=True,
            approve=approve,
        ) as log:
            report, problems = log.report, log.root.problems
        for problem in problems:
            if problem.aside.exists():
                aside = f"{problem.path.name} could not be read, and is kept aside as {problem.aside.name}"
                if problem.path.name == LOG_START_OFFSETS:
                    aside += "; a tiered log is now taken to start with its first segment here"
                _remark(f"recovered: {_as_given(f'{aside} [{problem.message}]', path)}")
        return _Recovered(report, losses, saved[-1] if saved else None)

    def _saved(self, report: RecoveryReport) -> PartitionReport | None:
        """The plan of `kformat salvage` for a log that is still unchanged, if it is needed to report losses."""
        is_cut = any(finding.kind is Kind.LOG for finding in report.changes)
        if not needs_all_records(report.folder.name) and not (is_cut and self.mode == "salvage"):
            return None
        return plan_partition(open_partition(report.folder), place_unanchored=self.place_unanchored)


def _is_confirmed(path: str, losses: Sequence[SoundAfter]) -> bool:
    """Ask at the terminal whether sound batches may be cut; False if there is no terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    say(f"{one_line(path)}: sound batches come after the damage: {_listed(losses)}.")
    say("Their bytes would be kept aside, and not be in the log. --mode salvage keeps them in it.")
    return click.confirm("Cut them?", err=True)


def _listed(losses: Sequence[SoundAfter]) -> str:
    shown = "; ".join(map(str, losses[:_MOST_LISTED]))
    more = len(losses) - _MOST_LISTED
    return shown + (f"; and of {_count(more, 'more segment')}" if more > 0 else "")


def _show_recovery(
    path: str,
    done: _Recovered,
    *,
    how: _Recovery,
    everything: bool,
    as_json: bool,
    name: str | None = None,
) -> None:
    """Print findings and changes; with the partition's ``name`` if there are several."""
    out, label = Output(), "" if name is None else f"{one_line(name)}: "
    report, losses = done.report, done.losses
    missing, fatal = missing_text(done.missing), fatal_text(done.fatal_missing)
    if as_json:
        result: dict[str, Any] = {} if name is None else {"partition": name}
        result |= {**report.as_dict(), "sound_after_damage": [loss.as_dict() for loss in losses]}
        result |= {"lost_bytes": done.lost_bytes, "missing": missing, "fatal_missing": missing_text(done.fatal_missing)}
        out.line(json.dumps(result, indent=2 if name is None else None))
        out.flush()
        return
    for finding in report if everything else (*report.changes, *report.refusals):
        out.line(label + _as_given(str(finding), path))
    out.flush()
    if fatal is not None:
        say(f"kformat: {one_line(report.folder.name)}: {fatal}")
    is_same = not (report.changes or report.refusals or losses)
    if name is not None and is_same and not everything:
        return
    end = "refused" if report.refusals else f"offsets {report.local_log_start_offset} to {report.next_offset}"
    (say if report.refusals else _remark)(f"{label}{_changes(report, how.dry_run)}; {end}")
    if missing is not None or done.lost_bytes:
        say(f"{label}lost_bytes: {done.lost_bytes}; missing: {missing or 'none'}")
    if losses and not report.refusals:
        cut = "would be cut" if how.dry_run else "were cut, and are kept aside"
        _remark(f"{label}sound batches after the damage {cut}: {_listed(losses)}")
    if report.unanchored_batches and not report.refusals:
        _remark(label + unanchored_text(report.unanchored_batches))
    if name is None:
        _show_not_looked_at([report])


def _is_rebuilt(finding: RecoveryFinding) -> bool:
    """Whether an index is rebuilt from the log, and nothing else."""
    return finding.action is Action.REBUILD


def _changes(report: RecoveryReport, dry_run: bool) -> str:
    """The numbers of rebuilt indexes, and of other repairs, as text."""
    rebuilt = sum(map(_is_rebuilt, report.changes))
    mended, verbs = len(report.changes) - rebuilt, ("to mend", "to rebuild") if dry_run else ("mended", "rebuilt")
    parts = [f"{_count(mended, 'thing')} {verbs[0]}"] if mended or not rebuilt else []
    if rebuilt:
        parts.append(f"{rebuilt} index{'' if rebuilt == 1 else 'es'} {verbs[1]}")
    return ", ".join(parts)


def _show_total(reports: Sequence[RecoveryReport], partitions_count: int, *, dry_run: bool) -> None:
    """Print the results for several partitions; one without a report failed, and its error is already printed."""
    changed, rebuilt = ("to mend", "with indexes to rebuild") if dry_run else ("mended", "with indexes rebuilt")
    counts = {"not changed": 0, rebuilt: 0, changed: 0, "refused": partitions_count - len(reports)}
    for report in reports:
        if report.refusals:
            end = "refused"
        elif not report.changes:
            end = "not changed"
        else:
            end = rebuilt if all(map(_is_rebuilt, report.changes)) else changed
        counts[end] += 1
    listed = ", ".join(f"{count} {end}" for end, count in counts.items())
    _remark(f"{_count(partitions_count, 'partition')}: {listed}")
    if reports:
        _show_not_looked_at(reports)


def _show_not_looked_at(reports: Sequence[RecoveryReport]) -> None:
    """Print which parts recovery leaves to `kformat check`."""
    counts = Counter({"the log was closed in order": 0, "below the recovery point": 0})
    for report in reports:
        counts["the log was closed in order" if report.is_clean else "below the recovery point"] += len(report.not_read)
    parts = [f"most batches of {_count(count, 'segment')} ({why})" for why, count in counts.items() if count]
    listed = " and ".join([*parts, "the records inside of batches"])
    _remark(f"not looked at: {listed}; `kformat check` looks at them")


def _complain(error: KformatError | OSError, path: str) -> int:
    """Print an error of one of several logs; returns its exit status."""
    say(_as_given(error_line(error), path))
    if isinstance(error, LogError) and type(error) is not LogError:
        return UNSAFE
    return exit_status(error)
