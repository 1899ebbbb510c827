"""docs/messages.md: nothing is left out, and its examples are what Kafka's classes read."""

from __future__ import annotations

import re

import pytest

from kformat.kafka.batch.records import CONTROL_VALUES
from kformat.kafka.messages.decoding import TOPICS
from kformat.kafka.messages.schemas import COORDINATOR_KEY, METADATA, Schema, SchemaField, schemas, snake
from tests.judges import releases
from tests.judges.required import require
from tests.kafka.messages.drawn import by_kafka, classes
from tests.kafka.messages.test_messages import prefix_of
from tools.documents import ROOT
from tools.message_examples import example
from tools.message_fields import FIELDS
from tools.message_words import ENUMS
from tools.messages import ELSEWHERE
from tools.messages_page import preview, record_types

TEXT = (ROOT / "docs" / "messages.md").read_text(encoding="utf-8")
ON_DISK = [one for one in schemas().values() if one.is_on_disk and one.name not in ELSEWHERE]
RECORDS = [record for name in TOPICS.values() for record in record_types(name)]


def test_every_message_on_a_disk_is_on_the_page() -> None:
    for one in ON_DISK:
        assert f"(../formats/messages/{one.id}.ksy)" in TEXT, one.id


def test_every_link_leads_to_a_section() -> None:
    sections = {line.removeprefix("### ").lower().replace(" ", "-") for line in TEXT.splitlines() if line[:4] == "### "}
    links = set(re.findall(r"\(#([\w-]+)\)", TEXT))
    assert links <= sections and {record.name for record in RECORDS} | {*CONTROL_VALUES.values()} <= links


def test_the_page_can_be_read_in_one_go() -> None:
    assert TEXT.count("\n") < 1_800


def test_types_are_found_by_their_first_bytes() -> None:
    """Of a record that a broker wrote, the bytes in the table are those of the example."""
    for record in RECORDS:
        made = example(record.value, record.key)
        begins = (made.key or made.data)[:2].hex(" ")
        row = next(
            line for line in TEXT.splitlines() if line.endswith("|") and f"[{record.name}](#{record.name})" in line
        )
        assert row.startswith(f"| `{begins}` | {record.number} |"), record.name


def test_words_are_of_fields_that_exist() -> None:
    names = {f"{one.name}.{it.name}" for one in ON_DISK for it in every_field(one)}
    short = {name.partition(".")[2] for name in names}
    assert {name for name in FIELDS if name not in (names if "." in name else short)} == set()
    assert {name for name in ENUMS if name not in names} == set()


def every_field(one: Schema) -> list[SchemaField]:
    found: list[SchemaField] = []
    fields = [*one.fields]
    while fields:
        it = fields.pop()
        found.append(it)
        fields += it.fields
    return found


def test_many_examples_are_real() -> None:
    assert TEXT.count("Written by a broker: ") >= 20 and all(f"`{snake(one.name)}" in TEXT for one in preview())


@pytest.mark.judge
def test_kafkas_classes_read_the_examples() -> None:
    release = releases.NEWEST
    require(release)
    asked, expected = [], []
    for one in ON_DISK:
        if release in one.releases and one.name in classes(release):
            made = example(one)
            asked.append((one.name, made.version, made.data.removeprefix(prefix_of(one, made.version))))
            expected.append(made.json)
    assert len(asked) > 80 and {one.kind for one in ON_DISK} > {COORDINATOR_KEY, METADATA}
    for case, told, json in zip(asked, by_kafka(release, asked), expected, strict=True):
        assert told == (case[2], json), case
