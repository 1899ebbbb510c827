"""What people read is plain English: words and phrases that made readers stumble do not come back.

Outputs of examples are the programs' words, not the document's, and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from kformat.cli import main
from tools import documents

ROOT = documents.ROOT
FIRST = ("README.md", "CONTRIBUTING.md", "engine/README.md")
INDEX = "docs/README.md"
PAGES = [*FIRST, *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]

# A word -> what to write instead.
MARKERS = {
    "behind": "after",
    "told": "reported, printed, passed",
    "beside": "next to, compared with",
    "anew": "again, rebuild",
    "whoever": "a caller, a program",
}
# Uses in which such a word is the plain one -> why.
ALLOWED = {
    r"left behind": "the idiom: forgotten",
    r"behind an address": "a proxy or server stands there",
    r"lags? behind": "the idiom: is late",
}
PHRASES = (
    "And what is done to a disk, done by many machines",
    "How do the bytes lie?",
    "What a payload may inflate to is capped",
    "Of a time index that lies a filter knows nothing",
    "Of a query that goes on, its checkpoint says where",
    "each with a `pwrite` or up to 64 of them with one where the files come out the same",
    "Taken and not needed: of batches that are compared, headers are read",
    "With the records that consumers do not see",
    "it went away meanwhile",
    "no writer leaves that, and Kafka copes",
    "the key stands here a second time",
    "a recovery that dies is found by the next as a shorter way to the same end",
)
_MARKER = re.compile(rf"\b({'|'.join(MARKERS)})\b", re.IGNORECASE)
_ALLOWED = re.compile("|".join(ALLOWED), re.IGNORECASE)


def prose(text: str) -> str:
    """A document without what its examples print."""
    for block in documents.blocks(text):
        match block.language:
            case "text":
                text = text.replace(block.body, "")
            case "console":
                shown = "".join(line for line in block.body.splitlines(keepends=True) if line.startswith("$ "))
                text = text.replace(block.body, shown)
    return text


def hits(text: str) -> Iterator[str]:
    """Every word and phrase of a document that should be written more plainly."""
    plain = _ALLOWED.sub("", " ".join(prose(text).split()))
    for found in _MARKER.finditer(plain):
        around = plain[max(0, found.start() - 40) : found.end() + 30]
        yield f"{found[0]} ({MARKERS[found[0].lower()]}): ...{around}..."
    yield from (phrase for phrase in PHRASES if phrase.lower() in plain.lower())


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_in_plain_english(path: str) -> None:
    found = list(hits((ROOT / path).read_text(encoding="utf-8")))
    assert not found, "\n".join(found)


def helps(command: click.Command, name: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Each verb below a command, and what its `--help` prints."""
    context = click.Context(command, info_name=" ".join(("kformat", *name)))
    yield " ".join(name), command.get_help(context)
    if isinstance(command, click.Group):
        for verb in command.list_commands(context):
            inner = command.get_command(context, verb)
            assert inner is not None
            yield from helps(inner, (*name, verb))


def test_help_is_in_plain_english() -> None:
    found = [f"kformat {name} --help: {hit}" for name, text in helps(main) for hit in hits(text)]
    assert not found, "\n".join(found)


def test_hits_are_found_where_they_are_prose() -> None:
    """Over a line's end and in any case, but not in outputs and not in idioms."""
    text = "Bytes\nBehind it. How do the bytes\nlie?\n\n```console\n$ echo beside\nanew\n```\n\n```text\ntold\n```\n"
    assert [hit.split()[0] for hit in hits(text)] == ["Behind", "beside", "How"]
    assert not list(hits("What a crash left\nbehind may lag behind."))


def test_the_index_has_every_page() -> None:
    """`docs/README.md` and its links; of the pages that are made from declarations it needs only their own index."""
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / INDEX).read_text(encoding="utf-8"))
    linked = {(ROOT / INDEX).parent.joinpath(target).resolve() for target in links}
    assert all(target.exists() for target in linked)
    assert {path for path in (ROOT / "docs").glob("*.md") if path.name != Path(INDEX).name} <= linked
    assert ROOT / "docs" / "formats" / "README.md" in linked
    assert f"({INDEX})" in (ROOT / "README.md").read_text(encoding="utf-8")
