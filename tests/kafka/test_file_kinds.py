"""The table of kinds of files, and what check, dump, trace and the text files make of each row."""

from __future__ import annotations

import pytest

from kformat.dump import is_known
from kformat.kafka.files.file_kinds import FILE_KINDS, TEXT, FileKind, describe_file, file_name, kind_by_ending, kind_of
from kformat.kafka.files.text_files import is_sidecar
from kformat.kafka.findings.directory import rules_of, segment_kind
from kformat.kafka.log.file_trace import format_of


def name_of(row: FileKind) -> str:
    epoch = "-0000000003" if row.suffix == "checkpoint" else ""
    return row.name or f"{file_name(7, '')[:-1]}{epoch}.{row.suffix}"


@pytest.mark.parametrize("row", FILE_KINDS, ids=name_of)
def test_a_row_is_all_that_a_kind_needs(row: FileKind) -> None:
    name = name_of(row)
    assert kind_of(name) is row and describe_file(name) == (row.kind, row.description)
    assert kind_by_ending(f"copy.{row.suffix}") is (row if row.suffix else None)
    assert is_sidecar(name) == (row.format == TEXT)
    assert format_of(name) == (None if row.format == TEXT else row.format)
    assert is_known(name) == (row.dump is not None)
    assert segment_kind(name) == (row.kind if row.rules == "segment" else None)
    assert rules_of(name) == row.rules and rules_of(f"{name}.tmp") == "left"


def test_words_of_the_table() -> None:
    """Each has its functions in the room that it is for; another word needs some there."""
    assert {row.rules for row in FILE_KINDS} == {"segment", "producers", "metadata", "text", "nothing"}
    assert {row.dump for row in FILE_KINDS} == {"log", "index", "transactions", "producers", "text", None}
