"""`kformat formats` and `describe`: the declarations, for people."""

from __future__ import annotations

import importlib
import json
import time
from dataclasses import asdict
from pathlib import Path

import click

from kformat.cli import remark
from kformat.cli.declared import language_options
from kformat.cli.output import Output, TableChoice, output_options, table_options, write_rows
from kformat.cli.tables import opened_output, refuse_unless_empty
from kformat.columns.scanning import scan
from kformat.errors import MissingDependencyError, UsageError
from kformat.kafka.batch.ready_kernels import RECORD_KERNELS
from kformat.kafka.columns.log_values import json_schema
from kformat.kafka.messages.declaring import write_messages
from kformat.kernels import kernel_text
from kformat.kernels.cache import machine_code_folder
from kformat.language.describe import describe
from kformat.language.pages import html_of, markdown_of
from kformat.language.program import load_declaration
from kformat.language.shipped import message_names, shipped_names


@click.command("formats")
@click.option("-a", "--all", "with_messages", is_flag=True, help="List the messages that Kafka has, too.")
@click.option("--messages", "out", metavar="OUT", help="Write all messages that Kafka has into the folder OUT instead.")
@table_options("format", "title")
@output_options("table", "csv", "json", "nl")
def formats_command(with_messages: bool, out: str | None, mode: str, chosen: TableChoice) -> None:
    """List the shipped formats. Instead of a name, the path of a .ksy file can be given everywhere.

    The messages are what Kafka writes into its own topics and its metadata log, made from the schemas in its releases.
    OUT is a folder that is empty or not there yet; its files have those of requests and responses, too.
    """
    if out is not None:
        if with_messages:
            raise UsageError("--messages and --all do not go together")
        refuse_unless_empty(out)
        remark(f"{write_messages(Path(out))} messages")
        return
    names = [*shipped_names(), *(message_names() if with_messages else ())]
    rows = [{"format": name, "title": load_declaration(name).title} for name in names]
    write_rows(Output(), rows, ("format", "title"), mode, chosen)
    if not with_messages:
        remark(f"{len(message_names())} declarations of Kafka's messages are here, too; --all lists them")


@click.command("describe")
@click.argument("format", metavar="FORMAT")
@language_options
@output_options("text", "json", "json-schema", "source")
@click.option("--stubs", is_flag=True, help="Print a stub (.pyi) of its values instead, for editors and type checkers.")
@click.option("--page", is_flag=True, help="Print a page about it, byte by byte, with pictures: Markdown, or HTML.")
@click.option("-o", "--output", metavar="FILE", help="With --page: write to FILE, HTML if it ends in .html.")
def describe_command(format: str, mode: str | None, stubs: bool, page: bool, output: str | None) -> None:
    """Show the fields of FORMAT: a shipped name, one of its types (record_batch::record), or a .ksy file.

    --format json-schema is the JSON Schema of what parse prints, --format source the kernel that makes columns of it;
    standard error says what reads the rows of such files, and why.
    """
    out = Output()
    if page:
        if mode is not None or stubs:
            raise UsageError("--page does not go with --format and --stubs")
        is_html = output is not None and output.lower().endswith((".html", ".htm"))
        text = (html_of if is_html else markdown_of)(format)
        with opened_output(output or "-") as stream:
            stream.write(text.encode("utf-8", "surrogateescape"))
        return
    if output is not None:
        raise UsageError("-o goes with --page")
    if stubs:
        if mode is not None:
            raise UsageError("--stubs does not go with --format")
        out.line(importlib.import_module("kformat.codec.stubs").stub(format).rstrip("\n"))
        return
    if mode == "json-schema":
        out.line(json.dumps(json_schema(format), indent=1))
        return
    if mode == "source":
        _say_who_reads_rows(format)
        out.line(kernel_text(format).rstrip("\n"))
        return
    described = describe(format)
    if mode == "json":
        out.line(json.dumps(asdict(described), indent=1))
    else:
        out.line(str(described))


@click.command("warm")
@click.argument("formats", nargs=-1, metavar="[FORMAT]...")
@click.option(
    "--row", metavar="ROW", help="With one FORMAT: the path of the list whose elements are rows, or their type."
)
@language_options
def warm_command(formats: tuple[str, ...], row: str | None) -> None:
    """Compile kernels now, so that later calls find them: for images, clusters, and before many files.

    FORMAT is a .ksy file, whose rows' kernel is compiled. Without one, those that read Kafka's records are.
    """
    if row is not None and len(formats) != 1:
        raise UsageError("--row goes with one FORMAT")
    if machine_code_folder() is None:
        raise UsageError("there is no folder to keep machine code in: let KFORMAT_CACHE name one of your own")
    out = Output()
    for format in formats or ("",):
        readiness, title = RECORD_KERNELS, "Kafka's records"
        if format:
            plan = scan((), format, row)
            if plan.readiness is None:
                out.line(f"{format}: rows {plan.row} ({plan.row_type}) need no kernel: {plan.read_by} reads them")
                continue
            readiness, title = plan.readiness, f"{format}: rows {plan.row} ({plan.row_type})"
        began, was_there = time.monotonic(), readiness.is_compiled()
        readiness.compile()
        out.line(f"{title}: {'compiled before' if was_there else f'compiled in {time.monotonic() - began:.1f} s'}")


def _say_who_reads_rows(format: str) -> None:
    """Say what reads the default rows of a format, if it has any and they can be columns."""
    try:
        plan = scan((), format)
        remark(f"rows {plan.row} ({plan.row_type}) are read by {plan.read_by}")
    except (UsageError, MissingDependencyError):
        pass
