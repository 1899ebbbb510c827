"""What people read is plain English: words and phrases that made readers stumble do not come back.

In documents, `--help`, texts of errors and findings, docstrings, comments, and the `doc:` of declarations. Outputs of
examples are the programs' words, not the document's, and are left out.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml

from kformat.cli import main
from tools import documents

ROOT = documents.ROOT
FIRST = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "engine/README.md")
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
    r"\bbeside: indexes": "the name of an attribute",
}
# A sentence that a review marked -> what says the same.
PHRASES = {
    "And what is done to a disk, done by many machines": "The same jobs run on a Spark cluster",
    "How do the bytes lie?": "What is the byte layout?",
    "What a payload may inflate to is capped": "Decompressed payloads are limited to 128 MiB by default",
    "Of a time index that lies a filter knows nothing": "Filters trust the time index, even when it is wrong",
    "Of a query that goes on, its checkpoint says where": "A restarted query resumes from its checkpoint",
    "each with a `pwrite` or up to 64 of them with one where the files come out the same": (
        "one `pwrite` per batch; up to 64 are combined when the resulting files are identical"
    ),
    "Taken and not needed: of batches that are compared, headers are read": "Accepted for compatibility; ignored",
    "With the records that consumers do not see": "Include control records",
    "it went away meanwhile": "the file disappeared during the check",
    "no writer leaves that, and Kafka copes": "no Kafka version writes this, but Kafka tolerates it",
    "the key stands here a second time": "duplicate key",
    "a recovery that dies is found by the next as a shorter way to the same end": (
        "if recovery is interrupted, the next run completes it"
    ),
}
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


# Folders of sources -> read where they are in the tree: a wheel under test has none.
SOURCES = ("kformat", "engine/kformat_engine", "pyspark_kformat")
DECLARATIONS = "formats"
_COMMENT = re.compile(rf"#.*{_MARKER.pattern}", re.IGNORECASE)
_CODE = re.compile(r"``[^`]*``|`[^`]*`")
_JOINED = re.compile(r"""["']\s*\n\s*f?["']|\n\s*# """)


def strings(source: str) -> Iterator[tuple[int, str]]:
    """Every text in a module, and its line: messages, docstrings, comments. Not names, and not code that is generated.

    What an f-string puts in is `{}`.
    """
    tree = ast.parse(source)
    parts = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr():
                text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            case ast.Constant(value=str(text)) if node not in parts:
                pass
            case _:
                continue
        if not text.isidentifier() and "\ndef " not in text:
            yield node.lineno, text
    if not _COMMENT.search(source):
        return  # to cut a module into tokens takes longer than to parse it
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def source_hits(source: str) -> Iterator[str]:
    """As `hits`, in a module's texts. Modules without any such word are not parsed: there are hundreds."""
    joined = " ".join(_JOINED.sub("", source).split()).lower()
    yield from (phrase for phrase in PHRASES if phrase.lower() in joined)
    if _MARKER.search(source):
        for line, text in strings(source):
            yield from (f"line {line}: {hit}" for hit in hits(_CODE.sub("", text)) if hit not in PHRASES)


@pytest.mark.parametrize("folder", SOURCES)
def test_sources_are_in_plain_english(folder: str) -> None:
    if not (ROOT / folder).is_dir():
        pytest.skip("no source tree here: the wheel is under test")
    found = [
        f"{path.relative_to(ROOT)}: {hit}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for hit in source_hits(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_findings_are_explained_in_plain_english() -> None:
    if not (ROOT / "kformat").is_dir():
        pytest.skip("no source tree here: the wheel is under test")
    found = list(hits((ROOT / "kformat/kafka/findings/explanations.md").read_text(encoding="utf-8")))
    assert not found, "\n".join(found)


def docs_of(node: object) -> Iterator[str]:
    """The values of `doc` in a declaration, at any depth."""
    match node:
        case dict():
            for key, value in node.items():
                yield from [value] if key == "doc" and isinstance(value, str) else docs_of(value)
        case list():
            for value in node:
                yield from docs_of(value)


def test_declarations_are_in_plain_english() -> None:
    if not (ROOT / DECLARATIONS).is_dir():
        pytest.skip("no source tree here: the wheel is under test")
    found = [
        f"{path.name}: {hit}"
        for path in sorted((ROOT / DECLARATIONS).glob("*.ksy"))
        for text in docs_of(yaml.safe_load(path.read_text(encoding="utf-8")))
        for hit in hits(text)
    ]
    found += [f"README.md: {hit}" for hit in hits((ROOT / DECLARATIONS / "README.md").read_text(encoding="utf-8"))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_in_plain_english(path: str) -> None:
    found = list(hits((ROOT / path).read_text(encoding="utf-8")))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", PAGES)
def test_the_file_of_an_example_is_named_before_it(path: str) -> None:
    """Rendered, a page does not show what a fence says after its language."""
    text = (ROOT / path).read_text(encoding="utf-8")
    for fence in re.finditer(r"^```\w+ (\S+)$", text, re.MULTILINE):
        before = re.sub(r"^```.*?^```$", "", text[: fence.start()], flags=re.MULTILINE | re.DOTALL)
        assert f"`{fence[1]}`" in before, fence[1]


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


def test_hits_are_found_in_sources() -> None:
    """In errors, f-strings, docstrings and comments; a phrase over two lines; not in names and not in code."""
    source = '''
def f(told):
    """A file beside another; ``beside`` is told apart."""
    # anew
    behind = {"behind": told}
    raise ValueError(f"{told} bytes behind {behind}") from E("it went away "
        "meanwhile")
'''
    found = sorted(hit.split(": ")[-2].split()[0] for hit in source_hits(source) if ": " in hit)
    assert found == ["anew", "behind", "beside", "told"]
    assert "it went away meanwhile" in source_hits(source)
    assert list(docs_of({"seq": [{"id": "a", "doc": "one"}], "doc": "two"})) == ["one", "two"]


def test_the_index_has_every_page() -> None:
    """`docs/README.md` and its links; of the pages that are made from declarations it needs only their own index."""
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / INDEX).read_text(encoding="utf-8"))
    linked = {(ROOT / INDEX).parent.joinpath(target).resolve() for target in links}
    assert all(target.exists() for target in linked)
    assert {path for path in (ROOT / "docs").glob("*.md") if path.name != Path(INDEX).name} <= linked
    assert ROOT / "docs" / "formats" / "README.md" in linked
    assert f"({INDEX})" in (ROOT / "README.md").read_text(encoding="utf-8")
