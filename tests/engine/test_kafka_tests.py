"""Every test of Kafka's must-pass classes is carried over or left out for a reason, and the comments that say so are
held against the names of Kafka's tests (`kafka_tests.txt`)."""

from __future__ import annotations

import pytest

from tools import kafka_tests

NAMES = "# at commit 0123456789ab\n\nsome/where/ATest.java\none\ntwo\n"
CLASSES = kafka_tests.kafka_classes(NAMES)


def problems(text: str) -> list[str]:
    return kafka_tests.problems(CLASSES, list(kafka_tests.markers_of(text, "test_a.py")))


def test_every_test_of_kafka_has_its_place() -> None:
    assert not kafka_tests.problems(kafka_tests.kafka_classes(), kafka_tests.markers())


def test_the_classes_are_the_ones_that_were_promised() -> None:
    counts = {one.name: len(set(one.tests)) for one in kafka_tests.kafka_classes()}
    assert counts == {
        "OffsetIndexTest": 11,
        "TimeIndexTest": 11,
        "LogSegmentsTest": 6,
        "LogSegmentTest": 24,
        "LocalLogTest": 37,
        "LogLoaderTest": 38,
        "UnifiedLogTest": 147,
        "LogManagerTest": 49,
        "ProducerStateManagerTest": 54,
        "TransactionIndexTest": 11,
        "LogCleanerTest": 49,
        "LogCleanerManagerTest": 31,
        "OffsetMapTest": 6,
    }


def test_a_comment_belongs_to_the_test_below_it() -> None:
    text = "# Kafka: ATest.one\n# as there\n@pytest.mark.parametrize(\n    'x', [1])\ndef test_ours(x): ...\n"
    found = list(kafka_tests.markers_of(text + "# Kafka, left out: ATest.two: not here\n", "test_a.py"))
    assert [(marker.name, marker.test, marker.why) for marker in found] == [
        ("ATest.one", "test_a.py::test_ours", None),
        ("ATest.two", None, "not here"),
    ]
    assert not kafka_tests.problems(CLASSES, found)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# Kafka: ATest.one\ndef test_a(): ...\n", "ATest.two: neither carried over nor left out"),
        ("# Kafka: ATest.three\ndef test_a(): ...\n", "test_a.py:1: Kafka has no test ATest.three"),
        ("# Kafka, left out: BTest.one: why\n", "test_a.py:1: Kafka has no test BTest.one"),
        ("# Kafka: ATest.one\n\ndef test_a(): ...\n", "test_a.py:1: ATest.one stands above no test"),
        ("# Kafka: ATest.one\ndef helper(): ...\n", "test_a.py:1: ATest.one stands above no test"),
        ("# Kafka, left out: ATest.one\n", "test_a.py:1: ATest.one stands above no test"),
        (
            "# Kafka: ATest.one\ndef test_a(): ...\n# Kafka, left out: ATest.one: why\n",
            "ATest.one: carried over, and left out",
        ),
    ],
)
def test_what_does_not_fit_is_told(text: str, told: str) -> None:
    assert any(line.startswith(told) for line in problems(text))
