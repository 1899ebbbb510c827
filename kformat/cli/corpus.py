"""`kformat corpus`: test data with verdicts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import click

from kformat.cli import DATA, finish_unread, one_line, remark
from kformat.cli.declared import language_options
from kformat.cli.jobs import jobs_option
from kformat.cli.output import Output, output_options, together, write_rows
from kformat.cli.progress import ProgressLine
from kformat.cli.tables import refuse_unless_empty
from kformat.corpus import Entry, corpus_entries, write_corpus
from kformat.corpus.any_format import DeclaredCorpus, DeclaredFile, declared_corpus, write_declared_corpus
from kformat.corpus.bulk import Bulk, write_bulk
from kformat.corpus.verifying import VERDICTS, Outcome, verify
from kformat.errors import UsageError
from kformat.kafka.batch.compression import CODEC_NAMES


@click.group("corpus")
def corpus_command() -> None:
    """Write files for tests of whatever reads Kafka's, or any declared format: sound ones, damaged ones, and what each
    must get.
    """


corpus_options: Final = together(
    click.option(
        "--seed", type=int, default=0, show_default=True, metavar="N", help="Decides about keys, values and times."
    ),
    click.option("--damage", is_flag=True, help="Copies with one named thing wrong each, too."),
    click.option(
        "--only",
        multiple=True,
        metavar="WORD",
        help="Only files that have this in their path, or in what they cover; may be repeated, all count.",
    ),
)
"""The arguments for making a corpus: ``seed``, ``damage``, ``only``."""


declaration_option: Final = click.option(
    "--as",
    "declaration",
    metavar="FORMAT",
    help="Files of this .ksy file, or format, that together reach every branch of it, instead of Kafka's.",
)


@corpus_command.command("write")
@click.argument("out", metavar="OUT")
@corpus_options
@declaration_option
@language_options
def write_command(out: str, seed: int, damage: bool, only: tuple[str, ...], declaration: str | None) -> None:
    """Write a corpus and its manifest.json into OUT, a folder that is empty or not there yet.

    The same seed gives the same bytes on every machine with the same versions of the compression libraries, which the
    manifest names.
    """
    finish_unread()
    refuse_unless_empty(out)
    line = ProgressLine()

    def progress(done: int, total: int, name: str) -> None:
        line.amount(done, total, name, "files")

    if declaration is not None:
        made = write_declared_corpus(out, declaration, seed=seed, damage=damage, only=only, progress=progress)
        _tell_declared(made)
        return
    remark(_summary(write_corpus(out, seed=seed, damage=damage, only=only, progress=progress)))


@corpus_command.command("list")
@corpus_options
@declaration_option
@language_options
def list_command(seed: int, damage: bool, only: tuple[str, ...], declaration: str | None) -> None:
    """List the files of a corpus and what each is there for, and write nothing."""
    out = Output()
    if declaration is not None:
        made = declared_corpus(declaration, seed=seed, damage=damage, only=only)
        for file in made.files:
            out.line(f"{file.path}: {_declared_words(file)}")
        out.flush()
        _tell_declared(made)
        return
    entries = corpus_entries(seed, damage=damage, only=only)
    for entry in entries:
        out.line(f"{entry.file.path}: {_words(entry)}")
    out.flush()
    remark(_summary(entries))


@corpus_command.command("verify")
@click.argument("folder", metavar="DIR")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND [{}]...]")
@click.option("--as", "declaration", metavar="FORMAT", help="The declaration, for kformat itself as the reader.")
@language_options
@click.option("--only", multiple=True, metavar="WORD", help="Only files that have this in their path or damage.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="For each file; then the command is killed.",
)
@jobs_option("Run N commands at the same time.", is_parallel=True)
@output_options("text", "json", "nl", "csv")
def verify_command(
    folder: str,
    command: tuple[str, ...],
    declaration: str | None,
    only: tuple[str, ...],
    timeout_s: float,
    jobs: int,
    mode: str | None,
) -> None:
    """Run a reader over the corpus in DIR, and compare what it says of each file with manifest.json.

    \b
      kformat corpus write frames --as frame.ksy --damage
      kformat corpus verify frames -- ./read-frames {}

    COMMAND runs once for each file, whose path stands for {}, or comes last. With exit status 0 it accepts the file,
    with any other it refuses it. It has to accept sound files and refuse damaged ones; a reader that a signal ends, or
    that takes too long, does neither. Without COMMAND kformat reads: with --as a declared format, else Kafka's files.

    A line is printed for each file about which they disagree, and a table of all; --format gives a row for each file.
    Exit status: 0 they agree, 1 they do not.
    """
    if command and declaration is not None:
        raise UsageError("--as is for kformat as the reader, and does not go with a COMMAND")
    out, line, disagree = Output(), ProgressLine(), 0
    counts: dict[str, Counter[str]] = {}
    outcomes = verify(folder, command, format=declaration, only=only, timeout_s=timeout_s, jobs=jobs)

    def seen() -> Iterator[Outcome]:
        nonlocal disagree
        for number, outcome in enumerate(outcomes, 1):
            line.amount(number, 0, outcome.path, "files")
            counts.setdefault(outcome.group, Counter())[outcome.found] += 1
            counts[outcome.group]["disagree"] += not outcome.is_same
            disagree += not outcome.is_same
            yield outcome

    if mode is None:
        for outcome in seen():
            if not outcome.is_same:
                line.clear()
                out.line(one_line(_disagreement(outcome)))
                out.flush()
        line.clear()
        rows = [{"files": group, **{name: of[name] for name in _COUNTS}} for group, of in counts.items()]
        write_rows(out, rows, ("files", *_COUNTS), "table")
    else:
        objects = ({name: getattr(outcome, name) for name in _OUTCOME} for outcome in seen())
        write_rows(out, objects, _OUTCOME, mode)
    out.flush()
    line.clear()
    total = sum(of[name] for of in counts.values() for name in VERDICTS)
    remark(f"{total - disagree} of {total} files as the manifest says")
    click.get_current_context().exit(DATA if disagree else 0)


_COUNTS: Final = (*VERDICTS, "disagree")
_OUTCOME: Final = ("path", "expected", "found", "is_same", "detail", "what")


def _disagreement(outcome: Outcome) -> str:
    expected = f"{outcome.expected} is expected, " if outcome.expected != outcome.found else ""
    detail, what = f" ({outcome.detail})" if outcome.detail else "", f": {outcome.what}" if outcome.what else ""
    return f"{outcome.path}: {expected}{outcome.found}{detail}{what}"


class _Size(click.ParamType):
    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"([0-9]{1,15})([kmgt]?)b?", str(value).lower())
        if isinstance(value, int):
            return value
        if match is None or not int(match[1]):
            self.fail(f"{value!r} is not a size (500m, 100g, ...)", param, ctx)
        return int(match[1]) << 10 * " kmgt".index(match[2] or " ")


bulk_options: Final = together(
    click.argument("out", metavar="OUT"),
    click.option("--size", "size_bytes", type=_Size(), required=True, help="Of all logs, before compression: 100g."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides about keys and values."),
    click.option("--partitions", type=click.IntRange(1), default=1, show_default=True),
    click.option("--segment-bytes", type=_Size(), default="1g", show_default=True, help="Before compression."),
    click.option("--compression", type=click.Choice(CODEC_NAMES), default="none", show_default=True),
    click.option("--key-bytes", type=click.IntRange(0), default=10, show_default=True),
    click.option("--value-bytes", type=click.IntRange(0), default=100, show_default=True),
)
"""The arguments for making data by the gigabyte: ``out``, and the fields of `Bulk`."""


@corpus_command.command("bulk")
@bulk_options
def bulk_command(out: str, **what: Any) -> None:
    """Write data by the gigabyte into OUT, a folder that is empty or not there yet: partitions of the topic bulk, as a
    broker leaves them, of records that chance made. Needs pyarrow (extra arrow), and is fast with numba (extra fast).

    The same options give the same bytes, also from the many tasks of `kformat spark corpus bulk`.
    """
    finish_unread()
    refuse_unless_empty(out)
    asked, line, written = Bulk(**what), ProgressLine(), 0

    def wrote(name: str, size_bytes: int) -> None:
        nonlocal written
        written += size_bytes
        line.amount(written, asked.size_bytes, name)

    tell_bulk(len(asked.pieces()), write_bulk(out, asked, progress=wrote))


def tell_bulk(segments_count: int, size_bytes: int) -> None:
    """Print the number of segments and bytes that were written."""
    remark(f"{segments_count} segments, {size_bytes} bytes")


def _words(entry: Entry) -> str:
    if entry.beside:
        return "next to a damaged file"
    damage, covers = entry.damage, entry.file.covers
    if damage is not None:
        mended = {True: ", checksum mended", False: ", checksum not mended", None: ""}[damage.crc_mended]
        return f"{damage.name}: {damage.what}{mended}"
    words = [f"magic {magic}" for magic in covers.magic]
    return ", ".join([*words, *covers.codec, *covers.attributes, *covers.edge]) or entry.file.kind.replace("_", " ")


def _declared_words(file: DeclaredFile) -> str:
    if file.damage is None:
        return ", ".join(map(str, file.reaches)) or "a value"
    mended = {True: ", checksum mended", False: ", checksum not mended", None: ""}[file.damage.mended]
    return f"{file.damage.name}: {file.damage.what}{mended}: {type(file.damage.finding).__name__}"


def _tell_declared(made: DeclaredCorpus) -> None:
    """Print what was written and which branches were reached, and why the others were not."""
    size, count = sum(len(file.data) for file in made.files), len(made.reached) + len(made.unreached)
    remark(f"{len(made.sound)} sound files, {len(made.damaged)} damaged ones, {size} bytes")
    remark(f"{len(made.reached)} of {count} branches reached")
    for branch, reason in made.unreached.items():
        remark(f"not reached: {branch}: {reason}")


def _summary(entries: list[Entry]) -> str:
    sound = sum(entry.damage is None and not entry.beside for entry in entries)
    damaged = sum(entry.damage is not None for entry in entries)
    beside, size = len(entries) - sound - damaged, sum(len(entry.file.data) for entry in entries)
    return f"{sound} sound files, {damaged} damaged ones, {beside} files next to those, {size} bytes"
