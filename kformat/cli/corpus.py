"""`kformat corpus`: test data with verdicts."""

from __future__ import annotations

import os

import click

from kformat.cli import UNSAFE, one_line
from kformat.cli.output import Output
from kformat.corpus import Entry, corpus_entries, write_corpus


@click.group("corpus")
def corpus_command() -> None:
    """Write files for tests of whatever reads Kafka's: sound ones, damaged ones, and what each must get."""


_seed = click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="Decides about keys, values and times."
)
_damage = click.option("--damage", is_flag=True, help="Copies with one named thing wrong each, too.")
_only = click.option(
    "--only",
    multiple=True,
    metavar="WORD",
    help="Only files that have this in their path, or in what they cover; may be repeated, all count.",
)


@corpus_command.command("write")
@click.argument("out", metavar="OUT")
@_seed
@_damage
@_only
def write_command(out: str, seed: int, damage: bool, only: tuple[str, ...]) -> None:
    """Write a corpus and its manifest.json into OUT, a folder that is empty or not there yet.

    The same seed gives the same bytes on every machine with the same versions of the compression libraries, which the
    manifest names.
    """
    if os.path.lexists(out) and (not os.path.isdir(out) or os.listdir(out)):
        click.echo(f"kformat: {one_line(out)}: not an empty folder; nothing was written", err=True)
        click.get_current_context().exit(UNSAFE)
    entries = write_corpus(out, seed=seed, damage=damage, only=only)
    click.echo(f"kformat: {_summary(entries)}", err=True)


@corpus_command.command("list")
@_seed
@_damage
@_only
def list_command(seed: int, damage: bool, only: tuple[str, ...]) -> None:
    """List the files of a corpus and what each is there for, and write nothing."""
    out = Output()
    entries = corpus_entries(seed, damage=damage, only=only)
    for entry in entries:
        out.line(f"{entry.file.path}: {_words(entry)}")
    out.flush()
    click.echo(f"kformat: {_summary(entries)}", err=True)


def _words(entry: Entry) -> str:
    if entry.beside:
        return "beside a damaged file"
    damage, covers = entry.damage, entry.file.covers
    if damage is not None:
        mended = {True: ", checksum mended", False: ", checksum not mended", None: ""}[damage.crc_mended]
        return f"{damage.name}: {damage.what}{mended}"
    words = [f"magic {magic}" for magic in covers.magic]
    return ", ".join([*words, *covers.codec, *covers.attributes, *covers.edge]) or entry.file.kind.replace("_", " ")


def _summary(entries: list[Entry]) -> str:
    sound = sum(entry.damage is None and not entry.beside for entry in entries)
    damaged = sum(entry.damage is not None for entry in entries)
    beside, size = len(entries) - sound - damaged, sum(len(entry.file.data) for entry in entries)
    return f"{sound} sound files, {damaged} damaged ones with {beside} beside them, {size} bytes"
