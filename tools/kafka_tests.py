"""`docs/kafka-tests.md`: Kafka's own tests of logs, segments and indexes, and which of ours carries each of them over.

The names of Kafka's tests are in `tests/engine/kafka_tests.txt`; ours say in comments what they carry over:

    # Kafka: LogSegmentTest.testReadFromGap                      directly above a test function and its decorators
    # Kafka, left out: LogSegmentTest.testX: why                 anywhere at the beginning of a line

`problems` says where the comments and the names do not fit together; a test holds that there are none.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tools.documents import ROOT

FOLDER = ROOT / "tests" / "engine"
NAMES = FOLDER / "kafka_tests.txt"
SOURCE = "https://github.com/apache/kafka/blob"
_MARKER = re.compile(r"^# Kafka(?P<left_out>, left out)?: (?P<name>\w+\.\w+)(?:: (?P<why>.+))?$")


@dataclass(frozen=True)
class Marker:
    """One comment: ``name`` is `Class.test`; ``test`` is ours (`file::function`), or None and ``why`` says why not."""

    name: str
    where: str
    test: str | None
    why: str | None


@dataclass(frozen=True)
class KafkaClass:
    """A class of tests: where its source is, and the names of its tests in the order of the source."""

    path: str
    tests: Sequence[str]

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).stem


def kafka_classes(text: str | None = None) -> list[KafkaClass]:
    """The classes that `kafka_tests.txt` names: a path with a slash begins one, the lines below are its tests."""
    found: list[tuple[str, list[str]]] = []
    for line in (NAMES.read_text(encoding="utf-8") if text is None else text).splitlines():
        if "/" in line and not line.startswith("#"):
            found.append((line, []))
        elif line and not line.startswith("#"):
            found[-1][1].append(line)
    return [KafkaClass(path, tests) for path, tests in found]


def commit(text: str | None = None) -> str:
    """The commit of Kafka's source that the names are of."""
    found = re.search(r"commit ([0-9a-f]{12,40})", NAMES.read_text(encoding="utf-8") if text is None else text)
    assert found is not None, f"{NAMES.name} names no commit"
    return found[1]


def markers_of(text: str, file: str) -> Iterator[Marker]:
    """The comments of one file. A `# Kafka: ` that stands above no test function has neither ``test`` nor ``why``."""
    lines = text.splitlines()
    above: dict[int, str] = {}  # a line of comment above a test function -> its name
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            at = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
            while at and lines[at - 1].strip().startswith("#"):
                above[at] = node.name
                at -= 1
    for number, line in enumerate(lines, 1):
        if found := _MARKER.match(line.strip()):
            function = above.get(number)
            carried = not found["left_out"] and function is not None
            yield Marker(
                found["name"],
                f"{file}:{number}",
                f"{file}::{function}" if carried else None,
                found["why"] if found["left_out"] else None,
            )


def markers(folder: Path = FOLDER) -> list[Marker]:
    """The comments of all files of the engine's tests."""
    return [
        marker
        for path in sorted(folder.rglob("*.py"))
        for marker in markers_of(path.read_text(encoding="utf-8"), path.relative_to(folder).as_posix())
    ]


def problems(classes: Sequence[KafkaClass], found: Sequence[Marker]) -> list[str]:
    """What does not fit: a test of Kafka's that no comment names, a comment that names none, or says too little."""
    known = {f"{one.name}.{test}" for one in classes for test in one.tests}
    told = []
    for marker in found:
        if marker.name not in known:
            told.append(f"{marker.where}: Kafka has no test {marker.name}")
        elif marker.test is None and marker.why is None:
            told.append(f"{marker.where}: {marker.name} stands above no test, and no reason says that it is left out")
    carried, left_out = ({marker.name for marker in found if bool(marker.test) is is_test} for is_test in (True, False))
    told += [f"{name}: carried over, and left out" for name in sorted(carried & left_out)]
    told += [f"{name}: neither carried over nor left out" for name in sorted(known - carried - left_out)]
    return told


def _by_name(found: Sequence[Marker]) -> Mapping[str, list[Marker]]:
    named: dict[str, list[Marker]] = {}
    for marker in found:
        named.setdefault(marker.name, []).append(marker)
    return named


def _cell(test: str) -> str:
    file, function = test.split("::")
    return f"[{file}](../tests/engine/{file})::`{function}`"


def page() -> str:
    """The whole page."""
    classes, named = kafka_classes(), _by_name(markers())
    at = commit()
    counts, tables, ours_count = [], [], 0
    for one in classes:
        rows, carried = [], 0
        for test in one.tests:
            of_it = named.get(f"{one.name}.{test}", [])
            ours = "<br>".join(_cell(marker.test) for marker in of_it if marker.test)
            why = "; ".join(dict.fromkeys(marker.why for marker in of_it if marker.why))
            carried += bool(ours)
            rows.append(f"| `{test}` | {ours or f'left out: {why}' if ours or why else 'not looked at yet'} |")
        ours_count += carried
        counts.append(
            f"| [{one.name}]({SOURCE}/{at}/{one.path}) | {len(one.tests)} | {carried} | {len(one.tests) - carried} |"
        )
        tables.append("\n".join([f"## {one.name}", "", "| Kafka's test | ours |", "|---|---|", *rows]))
    total = sum(len(one.tests) for one in classes)
    return "\n".join(
        [
            "# Kafka's tests, and the engine's",
            "",
            "Kafka's own tests say most precisely what a log does. Those of its classes of logs, segments and indexes",
            f"(at commit `{at}`, on the way to 4.0) were read one by one and, where the engine does what they are",
            "about, written again, in our words and with our builders. Those that are left out say why: most are about",
            "replicas, remote storage, metrics, the message formats before 0.11, or how Kafka itself is built.",
            "",
            "Made by `make generate` from the comments above the tests (`tools/kafka_tests.py`).",
            "",
            "| class | tests | carried over | left out |",
            "|---|---:|---:|---:|",
            *counts,
            f"| all | {total} | {ours_count} | {total - ours_count} |",
            "",
            "\n\n".join(tables),
            "",
        ]
    )
