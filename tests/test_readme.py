"""Every code block of the documents that people read first is run, or held against the file that it speaks of."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.judges.required import is_missing
from tools import documents, generate

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = documents.ROOT
DOCUMENTS = sorted(path for path in generate.GENERATORS if path.endswith(".md"))
LIBRARIES = {
    "docs/captures.md": ("dpkt", "polars"),
    "docs/monitoring.md": ("opentelemetry",),
    "docs/rescue.md": ("pyarrow",),
    "docs/recipes.md": ("duckdb", "pandas", "polars", "pyarrow"),
}
LONG_DOCUMENTS = {
    f"docs/{name}.md"
    for name in ("captures", "cli", "corpus", "embedded-log", "testing", "walkthrough", "write-ahead-log")
}
"""Whose examples take long."""
LANGUAGES = {"bash", "console", "python", "text", "yaml"}


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


SPARK_DOCUMENTS = [path for path in DOCUMENTS if any(map(documents.needs_spark, documents.blocks(read(path))))]


def make_target_exists(line: str) -> None:
    done = subprocess.run(["make", "-n", *shlex.split(line)[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def extras_exist(line: str) -> None:
    known = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]
    for extras in re.findall(r"\[([\w,]+)\]", line):
        assert set(extras.split(",")) <= set(known), line


def command_succeeds(line: str) -> None:
    with documents.working_directory():
        done = subprocess.run(
            line, shell=True, env=documents.environment(), capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


def collects_tests(line: str) -> None:
    command = [sys.executable, *shlex.split(line)[1:], "--collect-only"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, timeout=60, check=False).returncode == 0, line


# How a line of a `bash` block begins -> how it is tested.
BASH: dict[str, Callable[[str], None]] = {
    "make": make_target_exists,
    ".venv/bin/python": collects_tests,
    "pip": extras_exist,
    "kformat": command_succeeds,
}


def bash_lines() -> list[str]:
    return [
        line
        for path in DOCUMENTS
        for block in documents.blocks(read(path))
        if block.language == "bash"
        for line in block.body.splitlines()
        if line.strip()
    ]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.drawn, pytest.mark.long]) if path in LONG_DOCUMENTS else path
        for path in DOCUMENTS
    ],
)
def test_examples_print_what_the_document_says(path: str) -> None:
    for library in LIBRARIES.get(path, ()):
        if importlib.util.find_spec(library) is None:
            is_missing(f"judge missing: {library} (the extra `test` brings it)")
    text = read(path)
    assert documents.refreshed(text, path) == text


@pytest.mark.parametrize("line", bash_lines())
def test_bash_lines(line: str) -> None:
    BASH[line.split()[0]](line.split("  #")[0])


@pytest.mark.spark
@pytest.mark.parametrize("path", SPARK_DOCUMENTS)
def test_spark_examples(spark: SparkSession, path: str) -> None:
    """In the session of all tests: a JVM that an example starts would stay, in a directory that is gone by then."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    with documents.working_directory():
        for block in documents.blocks(read(path)):
            if documents.needs_spark(block):
                documents.run_python(block, namespace, path)


@pytest.mark.parametrize("path", DOCUMENTS)
def test_no_block_is_left_out(path: str) -> None:
    """A language that nothing here runs would let an example rot; `text` and `yaml` only ever stand beside one."""
    text = read(path)
    assert {block.language for block in documents.blocks(text)} <= LANGUAGES
    assert text.count("\n```") == 2 * len(documents.blocks(text))


@pytest.mark.parametrize("path", DOCUMENTS)
def test_links_lead_somewhere(path: str) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", read(path)):
        assert (ROOT / Path(path).parent / target).exists(), target


def test_outputs_are_compared() -> None:
    wrong = "```console\n$ echo one\ntwo\n$ true\n```\n\n```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n"
    right = wrong.replace("\ntwo\n", "\none\n").replace("\n3\n", "\n2\n")
    assert documents.refreshed(wrong) == right
    assert documents.refreshed(right) == right


def test_files_of_a_document_are_there_for_its_examples() -> None:
    document = "```yaml own.ksy\nmeta:\n```\n\n```console\n$ cat own.ksy\nmeta:\n```\n"
    assert documents.refreshed(document) == document


def test_python_that_prints_unannounced_is_an_error() -> None:
    with pytest.raises(ValueError, match="prints"):
        documents.refreshed("```python\nprint(1)\n```\n")
    with pytest.raises(ZeroDivisionError):
        documents.refreshed("```python\n1 / 0\n```\n")
