"""`kformat formats` and `describe`: the declarations, for people."""

from __future__ import annotations

import importlib
import json
from dataclasses import asdict

import click

from kformat.cli import remark
from kformat.cli.declared import import_option
from kformat.cli.output import Chosen, Output, output_options, table_options, write_rows
from kformat.cli.tables import opened_output
from kformat.columns.scanning import scan
from kformat.errors import MissingDependencyError, UsageError
from kformat.kafka.log_values import json_schema
from kformat.kernels import kernel_text
from kformat.language.describe import describe
from kformat.language.pages import html_of, markdown_of
from kformat.language.program import load_declaration
from kformat.language.shipped import shipped_names


@click.command("formats")
@table_options("format", "title")
@output_options("table", "csv", "json", "nl")
def formats_command(mode: str, chosen: Chosen) -> None:
    """List the shipped formats. Instead of a name, the path of a .ksy file can be given everywhere."""
    declarations = [load_declaration(name) for name in shipped_names()]
    rows = [{"format": name, "title": it.title} for name, it in zip(shipped_names(), declarations, strict=True)]
    write_rows(Output(), rows, ("format", "title"), mode, chosen)


@click.command("describe")
@click.argument("format", metavar="FORMAT")
@import_option
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


def _say_who_reads_rows(format: str) -> None:
    """A remark about the rows of a format that has some by default, if they can be columns here."""
    try:
        found = scan((), format)
        remark(f"rows {found.row} ({found.row_type}) are read by {found.read_by}")
    except (UsageError, MissingDependencyError):
        pass
