"""`kformat spark VERB`: the verbs that run in Spark tasks.

Rules:

* A verb prints the same as its single-machine namesake, by the same code, with the same exit status.
* Spark starts only after the arguments were validated, and logs nothing, unless requested.
"""

from __future__ import annotations

import functools
import itertools
import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

import click

from kformat import errors
from kformat.cli import DATA, finish_unread, is_verbose, one_line, remark
from kformat.cli.check import check_options, say_not_compared
from kformat.cli.corpus import bulk_options, corpus_options, tell_bulk
from kformat.cli.declared import as_options, layout_options, refuse_with_as
from kformat.cli.findings import How, print_findings
from kformat.cli.output import (
    BYTES,
    Output,
    TableChoice,
    output_options,
    plain_value,
    table_options,
    together,
    write_rows,
)
from kformat.cli.progress import ProgressLine
from kformat.cli.reading import choose_options, chosen_here
from kformat.cli.reindex import print_remade, reindex_options
from kformat.cli.salvage import print_saved, salvage_options
from kformat.cli.stats import check_chosen, counting, partitions_below, print_stats, stats_options
from kformat.cli.tables import refuse_unless_empty
from kformat.corpus.bulk import Bulk
from kformat.errors import KformatError, UsageError
from kformat.kafka.log.partition import Segment
from kformat.reindex import Remade, Rules
from kformat.salvage import COLUMNS as SALVAGE_COLUMNS
from kformat.salvage import Report
from kformat.spark import session
from kformat.spark.artifact import build
from kformat.spark.declared import is_declared, parse_declared
from kformat.spark.jobs import Done, Progress
from kformat.spark.jobs.asking import source_options as spark_options
from kformat.spark.jobs.asking import spark_words
from kformat.spark.jobs.checking import findings
from kformat.spark.jobs.converting import COLUMNS, DECLARED_COLUMNS, convert, convert_rows
from kformat.spark.jobs.counting import counted, folders_below
from kformat.spark.jobs.making import corpora, segments
from kformat.spark.jobs.reading import read
from kformat.spark.jobs.reindexing import remade
from kformat.spark.jobs.running import near_files
from kformat.spark.jobs.salvaging import saved
from kformat.spark.jobs.writing import MODES, write
from kformat.spark.options import parse_options
from kformat.spark.tables import TABLES
from kformat.spark.target import check_names
from kformat.storage.address import absolute, place

_SETTINGS: Final = {
    "spark.log.level": "OFF",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
"""What a command sets, unless a setting says otherwise: its own line of progress is enough."""


class Start:
    """Gives a SparkSession when it is called. ``is_remote``: over Connect, where paths are the workers'."""

    def __init__(self, name: str, where: dict[str, str | None], settings: dict[str, str]) -> None:
        self._name, self._where, self._settings = name, where, settings
        self.is_remote = where["master"] is None or where["master"].startswith("sc://")

    def __call__(self) -> Any:
        return _started(self._name, self._where, self._settings, self.is_remote)


@click.group("spark")
def spark_command() -> None:
    """Do it at scale: the work is done by tasks of Spark (extra spark), on this machine or on many.

    Every worker has to see the files under the same paths. What is printed, and the exit status, are those of the verb
    without `spark`.
    """


def with_spark(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of all verbs here; the parameter ``start`` starts Spark, or finds it started."""

    @functools.wraps(command)
    def wrapper(
        *arguments: Any,
        master: str | None,
        remote: str | None,
        artifact: str | None,
        settings: tuple[str, ...],
        **keywords: Any,
    ) -> Any:
        name = f"kformat {command.__name__.removesuffix('_command').replace('_', '-')}"
        chosen = _pairs("--set", settings, "spark.executor.memory=4g")
        if master is None and remote is None and "SPARK_REMOTE" not in os.environ:
            master = "local[*]"
        where = {"master": master, "remote": remote, "artifact": artifact}
        start = Start(name, where, chosen)
        try:
            return command(*arguments, start=start, **keywords)
        except Exception as error:  # if Spark gives up, the error's class is one of the bridge to its JVM
            if not type(error).__module__.startswith(("py4j.", "pyspark.")):
                raise
            first = next(filter(None, map(str.strip, str(error).splitlines())), type(error).__name__)
            raise OSError(f"Spark gave up: {first} (kformat -v shows what it says)") from error

    for option in (
        click.option(
            "--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of Spark's; may be repeated."
        ),
        click.option(
            "--artifact",
            metavar="FILE",
            help="For workers without kformat: what `kformat spark artifact` has written.",
        ),
        click.option(
            "--remote",
            metavar="URL",
            help="A server of Spark Connect: sc://host:15002; by default $SPARK_REMOTE. Paths are the workers' then.",
        ),
        click.option(
            "--master",
            metavar="URL",
            help="Where tasks run: spark://host:7077.  [default: local[*]]",
        ),
    ):
        wrapper = option(wrapper)
    return wrapper


def _pairs(option: str, texts: Sequence[str], example: str) -> dict[str, str]:
    pairs = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key and equals):
            raise UsageError(f"{option} {text}: expected a name and a value, as in {example}")
        pairs[key] = value
    return pairs


def _started(name: str, where: dict[str, str | None], settings: dict[str, str], is_remote: bool) -> Any:
    verbose = is_verbose()
    chosen = {**({} if verbose or is_remote else _SETTINGS), **settings}
    line = ProgressLine()
    if line.is_shown and not verbose:
        line.next_s = 0
        line.show("starting Spark", "")
    try:
        with _nothing_said(verbose):
            return session(name, settings=chosen, quiet=not verbose, **where)
    except (KformatError, OSError, MemoryError):
        raise
    except Exception as error:  # Spark has its own error class for each failure here
        raise OSError(f"Spark does not start: {error} (kformat -v shows what it says)") from error
    finally:
        line.clear()


@contextmanager
def _nothing_said(verbose: bool) -> Iterator[None]:
    """Discard what processes that are started meanwhile, and their children, print on standard error."""
    if verbose:
        yield
        return
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _teller(line: ProgressLine) -> Progress | None:
    def tell(done: Done) -> None:
        text = f"{done.tasks} of {done.of_tasks} tasks, {done.size_bytes / 1e9:.1f} of {done.of_bytes / 1e9:.1f} GB"
        line.show(text, "")

    return tell if line.is_shown else None


def _as_given(paths: Sequence[str], spelled: Callable[[str], str] = str) -> Callable[[str], str]:
    """A function that replaces the absolute paths of tasks in a text by those of the call, spelled by ``spelled``."""
    spellings = {absolute(path): spelled(path) for path in paths}
    longest_first = sorted(spellings, key=len, reverse=True)
    # A path ends at a slash, at a position, or at white space.
    pattern = re.compile(r"(?<![^\s:'\"(])(?:" + "|".join(map(re.escape, longest_first)) + r")(?=[/:\s]|$)")
    return lambda text: pattern.sub(lambda match: spellings[match[0]].rstrip("/") or "/", text)


def _as_a_path(path: str) -> str:
    return str(place(path))


# --- check ---------------------------------------------------------------------------------------------------------


@spark_command.command("check")
@check_options
@with_spark
def check_command(
    start: Start,
    paths: tuple[str, ...],
    profile: str | None,
    index_interval_bytes: int | None,
    no_records: bool,
    ignore: tuple[str, ...],
    how: How,
) -> None:
    """Look for damage, as `kformat check` does: a task judges segments."""
    line = ProgressLine()
    reported = findings(
        start(),
        paths,
        profile=profile,
        index_interval_bytes=index_interval_bytes,
        records=not no_records,
        ignore=ignore,
        progress=_teller(line),
        **chosen_here().arguments,
    )
    line.clear()
    worded = _as_given(paths)
    as_given = (replace(finding, file=worded(finding.file)) for finding in reported)
    status = print_findings(paths, as_given, how, line)
    say_not_compared()
    click.get_current_context().exit(status)


# --- reindex -------------------------------------------------------------------------------------------------------


@spark_command.command("reindex")
@reindex_options
@with_spark
def reindex_command(start: Start, paths: tuple[str, ...], mode: str, metadata: tuple[str, ...], **rules: Any) -> None:
    """Rebuild .index and .timeindex from the log, as `kformat reindex` does: each task rebuilds those of some segments.

    Indexes get their names when all of them are made; until then nothing is changed.
    """
    finish_unread()
    how, line = Rules(**rules).with_configs(paths, remark, metadata), ProgressLine()

    def done(segments: Iterable[tuple[str, Segment]]) -> Iterator[tuple[str, Remade]]:
        there = [(name, replace(segment, log=segment.log.absolute())) for name, segment in segments]
        for name, made in remade(start(), there, how, progress=_teller(line)) if there else ():
            line.clear()
            yield name, made

    print_remade(paths, how, mode, done, _as_given(paths, _as_a_path))


# --- salvage -------------------------------------------------------------------------------------------------------


@spark_command.command("salvage")
@salvage_options
@table_options(*SALVAGE_COLUMNS)
@with_spark
def salvage_command(start: Start, paths: tuple[str, ...], mode: str, chosen: TableChoice, **how: Any) -> None:
    """Save what can be proved into a new log directory, as `kformat salvage` does: a task saves a partition."""
    finish_unread()
    if how["destination"] is None:
        raise click.UsageError("-o DST says where to write")
    line = ProgressLine()

    def save(paths: Sequence[str], destination: str, **more: Any) -> Report:
        worded = _as_given([*paths, destination], _as_a_path)
        try:
            report = saved(start(), list(paths), destination, progress=_teller(line), **more)
        except UsageError as error:
            raise UsageError(worded(str(error))) from None
        report.remarks = list(map(worded, report.remarks))
        return report

    print_saved(save, paths, mode, chosen, line, **how)


# --- stats ---------------------------------------------------------------------------------------------------------


@spark_command.command("stats")
@stats_options
@with_spark
def stats_command(
    start: Start, paths: tuple[str, ...], mode: str | None, chosen: TableChoice, interval: int | None, **how: Any
) -> None:
    """Say what partitions hold, in numbers, as `kformat stats` does: a task counts partitions, or segments."""
    check_chosen(chosen, mode, how["records"])
    statuses, line, what = [0], ProgressLine(), counting(interval=interval, **how)
    if start.is_remote:
        folders = near_files(start(), folders_below, list(map(absolute, paths)), chosen_here())
    else:
        folders = list(map(str, partitions_below(paths, statuses)))
    rows = counted(start(), folders, what, progress=_teller(line)) if folders else what.rows([])
    line.clear()
    worded = _as_given(paths, _as_a_path)
    print_stats(rows, mode, statuses, chosen, with_timeline=interval is not None, worded=worded)


# --- corpus --------------------------------------------------------------------------------------------------------


@spark_command.group("corpus")
def corpus_command() -> None:
    """Write files for tests, as `kformat corpus` does."""


@corpus_command.command("write")
@click.argument("out", metavar="OUT")
@corpus_options
@click.option("--count", type=click.IntRange(1), default=1, show_default=True, help="Of how many seeds, from N on.")
@with_spark
def corpus_write_command(start: Start, out: str, seed: int, count: int, damage: bool, only: tuple[str, ...]) -> None:
    """Write a corpus of each seed, into OUT/seed-N, by a task each. OUT is a folder that is empty or not there yet."""
    finish_unread()
    refuse_unless_empty(out)
    line = ProgressLine()
    made = corpora(start(), out, seed=seed, count=count, damage=damage, only=only, progress=_teller(line))
    line.clear()
    files, size_bytes = sum(corpus.files_count for corpus in made), sum(corpus.size_bytes for corpus in made)
    remark(f"{len(made)} corpora, {files} files, {size_bytes} bytes")


@corpus_command.command("bulk")
@bulk_options
@with_spark
def corpus_bulk_command(start: Start, out: str, **what: Any) -> None:
    """Write data by the gigabyte into OUT, as `kformat corpus bulk` does: a task makes segments."""
    finish_unread()
    refuse_unless_empty(out)
    asked, line = Bulk(**what), ProgressLine()
    made = segments(start(), out, asked, progress=_teller(line))
    line.clear()
    tell_bulk(len(made), sum(segment.size_bytes for segment in made))


# --- artifact -------------------------------------------------------------------------------------------------------


@spark_command.command("artifact")
@click.option("-o", "--output", required=True, metavar="FILE", help="A name that ends in .zip.")
@click.option(
    "--without",
    multiple=True,
    metavar="PACKAGE",
    help="A package that the workers have, or need not have (numba); may be repeated.",
)
@output_options("table", "csv", "json", "nl")
def artifact_command(output: str, without: tuple[str, ...], mode: str) -> None:
    """Write an archive with kformat, and the packages that it needs, for workers that do not have them.

    Verbs of `kformat spark` send it with `--artifact FILE`, `spark-submit` with `--py-files FILE`. The workers' Python
    and machines have to be like this one's. pandas, pyarrow and numpy are left out: Spark's workers have them.
    """
    finish_unread()
    built = build(output, without=without)
    rows = ({"package": name, "version": version} for name, version in built.packages.items())
    write_rows(Output(), rows, ("package", "version"), mode)
    remark(f"{built.size_bytes} bytes")


# --- to-parquet, read ----------------------------------------------------------------------------------------------


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option `--option`, for options of the source, and those that choose partitions; the parameter ``options``
    has them by name."""

    @functools.wraps(command)
    def wrapper(*arguments: Any, options: tuple[str, ...], **keywords: Any) -> Any:
        words = _pairs("--option", options, "startingOffsets=earliest")
        if is_declared(words):
            refuse_with_as({})
        for name, value in chosen_here().arguments.items():
            if value and name in words:
                raise UsageError(f"--option {name}={words[name]} does not go with --{name.removesuffix('s')}")
            words |= spark_words({name: value or None})
        return command(*arguments, options=words, **keywords)

    return together(
        choose_options,
        click.option(
            "--option",
            "options",
            multiple=True,
            metavar="NAME=VALUE",
            help="An option of the source: subscribe=orders, startingTimestamp=-1h, includeMetadata=true; may be "
            "repeated.",
        ),
    )(wrapper)


def declared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--as`` and ``--row``, ``--value-as`` and ``--key-as``, which become options of the source."""

    @functools.wraps(command)
    def wrapper(*arguments: Any, options: tuple[str, ...], **keywords: Any) -> Any:
        words = {"declaration": keywords.pop("declaration"), "row": keywords.pop("row")}
        words |= {word: ",".join(keywords.pop(name)) for word, name in (("valueAs", "value_as"), ("keyAs", "key_as"))}
        more = tuple(f"{name}={value}" for name, value in words.items() if value)
        return command(*arguments, options=options + more, **keywords)

    return as_options(layout_options(wrapper))


@spark_command.command("to-parquet")
@click.argument("paths", nargs=-1, required=True, metavar="DIR...")
@click.option("-o", "--output", required=True, metavar="OUT", help="A folder that is empty, or not there yet.")
@declared_options
@source_options
@output_options("table", "csv", "json", "nl")
@with_spark
def to_parquet_command(start: Start, paths: tuple[str, ...], output: str, options: dict[str, str], mode: str) -> None:
    """Write records to Parquet, a file for each segment: rows as `kformat export` has them. A task writes it.

    With --as each FILE is one of that format, and its rows are written: those of `kformat export --as`.

    Damage is skipped and reported, and the exit status is 1 then; with `--option onCorrupt=error` nothing is written.
    Files get their names when all of them are written.
    """
    finish_unread()
    line = ProgressLine()
    chosen = {"onCorrupt": "report", **options}
    written: Sequence[Any]
    if is_declared(options):
        parse_declared(spark_options(paths, chosen))
        written = convert_rows(start(), paths, output, progress=_teller(line), **chosen)
        columns = tuple(DECLARED_COLUMNS)[:-1]
    else:
        chosen = {"includeHeaders": "true", **chosen}
        parse_options(spark_options(paths, chosen))  # what is wrong is reported before Spark is started
        written = convert(start(), paths, output, progress=_teller(line), **chosen)
        columns = tuple(COLUMNS)[:-1]
    line.clear()
    worded = _as_given([*paths, output], _as_a_path)
    rows = [{name: getattr(file, name) for name in columns} for file in written]
    write_rows(Output(), (_worded(row, worded) for row in rows), columns, mode)
    problems = [problem for file in written for problem in file.problems]
    sys.stdout.flush()
    for problem in problems:
        click.echo(f"kformat: {one_line(worded(problem))}", err=True)
    click.get_current_context().exit(DATA if problems else 0)


def _worded(row: dict[str, Any], worded: Callable[[str], str]) -> dict[str, Any]:
    return {name: worded(value) if name in ("file", "source") else value for name, value in row.items()}


@spark_command.command("read")
@click.argument("paths", nargs=-1, required=True, metavar="DIR...")
@click.option("--rows", type=click.Choice(list(TABLES)), default="records", show_default=True, help="What a row is.")
@click.option("--columns", metavar="NAME,...", help="Only these are decoded.")
@click.option("--where", metavar="SQL", help="Which rows: \"topic = 'orders' AND offset >= 100\".")
@click.option("--limit", type=click.IntRange(0), metavar="N", help="So many rows at most; of a table 20.")
@click.option("--count", is_flag=True, help="Print how many rows there are, and none of them.")
@declared_options
@source_options
@click.option(
    "--bytes",
    "bytes_as",
    type=click.Choice(list(BYTES)),
    help="How bytes are shown, by default base64, in tables text, which loses what is no UTF-8.",
)
@output_options("table", "csv", "json", "nl")
@with_spark
def read_command(
    start: Start,
    paths: tuple[str, ...],
    rows: str,
    columns: str | None,
    where: str | None,
    limit: int | None,
    count: bool,
    options: dict[str, str],
    bytes_as: str | None,
    mode: str,
) -> None:
    """Print rows of segments: records as Spark's Kafka source has them, batches, segments, or index entries.

    With --as each FILE is one of that format, and its rows are those of `kformat.scan`.

    They come in no particular order, as of any query. Times are in milliseconds, but for tables;
    those of --as are text, in UTC.
    """
    words = {**options, **({} if columns is None else {"columns": columns})}
    # What is wrong is reported before Spark is started.
    if is_declared(options):
        parse_declared(spark_options(paths, words))
    else:
        words = {"rows": rows, **words}
        parse_options(spark_options(paths, words))
    shape = mode
    most = _TABLE_ROWS if limit is None and shape == "table" and not count else limit
    encode, out = BYTES[bytes_as or ("text" if shape == "table" else "base64")], Output()
    with _as_ours(_as_given(paths)), _pushing_filters(start()) as spark:
        frame = read(spark, paths, **words)
        frame = frame if where is None else frame.where(where)
        if count:
            out.line(str((frame if most is None else frame.limit(most)).count()))
            return
        names = frame.columns
        shown_as = _as_text if is_declared(options) else _in_ms
        frame = frame.selectExpr(*(shown_as(name, kind) for name, kind in frame.dtypes))
        results = (frame if most is None else frame.limit(most + 1)).toLocalIterator(prefetchPartitions=True)
        shown = itertools.islice(results, most)
        write_rows(out, (plain_value(row.asDict(recursive=True), encode) for row in shown), names, shape)
        if most is not None and next(results, None) is not None:
            out.flush()
            remark(f"there are more rows than {most} (--limit)")
    out.flush()


_TABLE_ROWS: Final = 20
_PUSHDOWN: Final = "spark.sql.python.filterPushdown.enabled"


def _in_ms(name: str, kind: str) -> str:
    return f"unix_millis(`{name}`) AS `{name}`" if kind == "timestamp" else f"`{name}`"


def _as_text(name: str, kind: str) -> str:
    text = f"date_format(to_utc_timestamp(`{name}`, current_timezone()), \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'\")"
    return f"{text} AS `{name}`" if kind == "timestamp" else f"`{name}`"


@contextmanager
def _pushing_filters(spark: Any) -> Iterator[Any]:
    """A session that pushes filters to the source: data is loaded here for one query only."""
    before = spark.conf.get(_PUSHDOWN, "false")
    spark.conf.set(_PUSHDOWN, "true")
    try:
        yield spark
    finally:
        spark.conf.set(_PUSHDOWN, before)


@contextmanager
def _as_ours(worded: Callable[[str], str]) -> Iterator[None]:
    """Raise Spark's errors as those that a plan or a task raised; UsageError for an invalid condition."""
    from pyspark.errors import AnalysisException, PySparkException
    from pyspark.logger import PySparkLogger

    # It would print the same error before, as JSON.
    PySparkLogger.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    try:
        yield
    except PySparkException as error:
        text = str(error)
        ours = re.findall(r"^(?:.* )?(?:kformat\.errors\.)?(\w+Error): (.*)$", text, re.MULTILINE)
        kinds = [(getattr(errors, name, None), message) for name, message in ours]
        known = [(kind, message) for kind, message in kinds if kind is not None and issubclass(kind, KformatError)]
        if known:
            kind, message = known[-1]
            raise kind(worded(message)) from error
        first = text.strip().splitlines()[0]
        raise (UsageError(first) if isinstance(error, AnalysisException) else OSError(first)) from error


# --- write ---------------------------------------------------------------------------------------------------------

_FORMATS: Final = ("parquet", "orc", "json", "text", "kformat")


@spark_command.command("write")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("-o", "--output", required=True, metavar="DIR", help="The log directory; made where there is none.")
@click.option(
    "--input-format",
    "kind",
    type=click.Choice(_FORMATS),
    default="parquet",
    show_default=True,
    help="What the rows lie in.",
)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default=MODES[0],
    show_default=True,
    help="Append to what is there, or replace it.",
)
@click.option("--select", metavar="SQL,...", help='What of the rows: "id AS key, line AS value".')
@click.option("--assume-sorted", is_flag=True, help="Rows with offsets need no sorting.")
@click.option("--tasks", type=click.IntRange(1), metavar="N", help="Into how many ranges rows with offsets go.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the sink: topic=orders, compression=zstd, segmentBytes=512m; may be repeated.",
)
@with_spark
def write_command(
    start: Start,
    paths: tuple[str, ...],
    output: str,
    kind: str,
    mode: str,
    select: str | None,
    assume_sorted: bool,
    tasks: int | None,
    options: tuple[str, ...],
) -> None:
    """Write rows as segments into a log directory, which a broker can then be started on.

    PATH is what Spark reads rows from: files with the columns value, topic, and where they are there key, headers,
    partition, offset, timestamp, timestampType, as `kformat export` and `kformat spark to-parquet` write them.
    """
    finish_unread()
    words = _pairs("--option", options, "topic=orders")
    check_names(words)
    there = list(map(absolute, paths))
    with _as_ours(_as_given([*paths, output])):
        spark = start()
        # As the sink's own options say it: headers are a column like others.
        extra = {"includeHeaders": "true"} if kind == "kformat" else {}
        rows = spark.read.format(kind).options(**extra).load(there)
        if select is not None:
            rows.createOrReplaceTempView("rows")
            rows = spark.sql(f"SELECT {select} FROM rows")
        write(rows, output, mode=mode, assume_sorted=assume_sorted, tasks=tasks, **words)
