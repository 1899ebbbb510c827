"""What the corpus covers: of our declarations, and of other people's readers.

    python -m tools.corpus_coverage declarations    every field, flag and branch of every declaration, hit or missed
    python -m tools.corpus_coverage                 that, and lines of other people's readers
    python -m tools.corpus_coverage write           the figures into docs/corpus.md

Of the declarations the codec itself tells what it read (`reader.Observer`): of each field whether it was null and
whether it was there, each member of its enum, lists and bytes empty and not, varints of one byte and of more, of either
sign, each bit 0 and 1. Of kafka-python and aiokafka (without its C extensions) the lines of their record modules are
counted, while they read the samples, the sound corpus, and the damaged one.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from kformat.codec.constructs import construct_of
from kformat.codec.reader import Reader
from kformat.codec.values import MISSING, Value
from kformat.corpus import Entry, corpus_entries, write_corpus
from kformat.errors import DataError
from kformat.kafka.batch.compression import CURRENT_MAGIC
from kformat.kafka.batch.records import parse_control_record
from kformat.language.program import Check, Field, ReadBytes, ReadVarint, Step, TypeProgram, Window, load_type

ROOT: Final = Path(__file__).resolve().parents[1]
SEED: Final = 7

Outcome = tuple[str, str, str]
"""Type, field, what happened to it."""

UNREACHABLE: Final[dict[Outcome, str]] = {
    ("record_batch::record", "length", "negative"): "Kafka refuses it",
    ("record_batch::record", "headers_count", "negative"): "Kafka refuses it",
    ("record_batch::header", "key_length", "negative"): "Kafka refuses it",
    ("record_batch::record", "offset_delta", "negative"): "an offset below the batch's first; damaged files have it",
    ("legacy_message::message_set", "messages", "empty"): "Kafka refuses a wrapper without messages",
    **{
        ("legacy_message::plain_message", "attributes.compression", codec): "Kafka refuses wrappers in wrappers"
        for codec in ("gzip", "snappy", "lz4")
    },
}
"""Outcomes that no file which Kafka reads can bring about, and why."""


# --- what there is -------------------------------------------------------------------------------------------------


FORMATS: Final = (
    "record_batch",
    "legacy_message",
    "control_record_type_schema",
    *("end_txn_marker", "leader_change_message", "snapshot_header_record", "snapshot_footer_record"),
    *("kraft_version_record", "voters_record"),
    "offset_index",
    "time_index",
    "transaction_index",
    "producer_snapshot",
)  # fmt: skip
"""What is read by itself: the shipped declarations, and the values of control records."""


def _steps(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        if isinstance(step, Window):
            yield from _steps(step.steps)


def types_of(format: str) -> list[TypeProgram]:
    """A format's type and all types of structures in it, each once."""
    found: dict[str, TypeProgram] = {}

    def collect(program: TypeProgram) -> None:
        if program.name not in found and not program.bits:
            found[program.name] = program
            for field in program.fields:
                if field.type is not None:
                    collect(field.type)

    collect(load_type(format))
    return list(found.values())


def outcomes_of(program: TypeProgram) -> Iterator[Outcome]:
    """Everything that can happen to the fields of a type, and to those of the bits in it."""
    steps = {step.name: step for step in _steps(program.steps) if not isinstance(step, Check)}
    for field in program.fields:
        if field.raw:
            continue
        for what in _outcomes(field, steps.get(field.name)):
            yield program.name, field.name, what
        if field.type is not None and field.type.bits:
            for bit in field.type.bits:
                members = ("zero", "not zero") if bit.enum is None else bit.enum.members.values()
                for member in members:
                    yield program.name, f"{field.name}.{bit.name}", member


def _outcomes(field: Field, step: Step | None) -> list[str]:
    found = ["null", "there"] if field.optional else []
    if field.enum is not None:
        return found + list(field.enum.members.values())
    if isinstance(step, ReadVarint):
        found += ["one byte", "more bytes"]
        return found + (["negative", "not negative"] if step.zigzag else [])
    is_fixed = isinstance(step, ReadBytes) and step.size is not None and step.size.is_constant
    if field.kind in ("list", "bytes", "text") and not is_fixed:
        return found + ["empty", "not empty"]
    return found or ["read"]


# --- what was read -------------------------------------------------------------------------------------------------


class Watch:
    """Collects outcomes; the codec tells it each structure that it reads (`reader.Observer`)."""

    def __init__(self) -> None:
        self.seen: set[Outcome] = set()
        self.levels: list[tuple[Any, dict[str, int], str, int, Reader]] = []
        """Structures that are being read: the value, sizes of its fields, the step, where it began."""

    def enter(self, reader: Reader, value: Any) -> None:
        self.levels.append((value, {}, "", 0, reader))

    def step(self, name: str, reader: Reader) -> None:
        value, sizes, *_ = self.levels[-1]
        self.levels[-1] = (value, sizes, name, reader.position, reader)

    def done(self) -> None:
        _, sizes, name, before, reader = self.levels[-1]
        sizes.setdefault(name, reader.position - before)

    def leaf(self, name: str, start: int, end: int, value: Any) -> None:
        self.levels[-1][1].setdefault(name, end - start)

    def element(self, reader: Reader, start: int, value: Any) -> None:
        """Called by the codec; a list is noted with its structure."""

    def leave(self) -> None:
        value, sizes, *_ = self.levels.pop()
        if isinstance(value, Value):
            self.note(value, sizes)

    def inflated(self, reader: Reader, position: int, name: str, inner: Reader) -> None:
        """Called by the codec; what is in it is watched, too."""

    def decoded(self, reader: Reader, position: int, name: str, inner: Reader, process: str) -> None:
        """Called by the codec; Kafka's formats have no processes, no trimmed structures, no instances."""

    def trimmed(self, name: str, start: int, end: int) -> None:
        """As `decoded`."""

    def instance(self, value: Any, name: str, reader: Reader) -> None:
        """As `decoded`."""

    def returned(self) -> None:
        """As `decoded`."""

    def verified(self, name: str, error: DataError | None) -> None:
        """Called by the codec; the corpus' tests look at checksums."""

    def note(self, value: Value, sizes: dict[str, int]) -> None:
        program = value._type
        steps = {step.name: step for step in _steps(program.steps) if not isinstance(step, Check)}
        for field in program.fields:
            found = getattr(value, field.name, MISSING)
            if found is MISSING:
                continue
            for what in self._what(field, steps.get(field.name), found, sizes.get(field.name)):
                self.seen.add((program.name, field.name, what))
            if field.type is not None and field.type.bits and isinstance(found, Value):
                for bit in field.type.bits:
                    number = getattr(found, bit.name)
                    word = number.name if bit.enum is not None else "not zero" if number else "zero"
                    self.seen.add((program.name, f"{field.name}.{bit.name}", word))

    def _what(self, field: Field, step: Step | None, found: Any, size: int | None) -> Iterator[str]:
        yield "read"
        if field.optional:
            yield "null" if found is None else "there"
        if found is None:
            return
        if field.enum is not None:
            yield getattr(found, "name", str(found))
        elif isinstance(step, ReadVarint):
            if size is not None:
                yield "one byte" if size == 1 else "more bytes"
            yield "negative" if found < 0 else "not negative"
        elif field.kind in ("list", "bytes", "text"):
            yield "not empty" if len(found) else "empty"


def read(entries: Iterable[Entry]) -> set[Outcome]:
    """What happens while the sound and odd files are read, control records' keys and values among them."""
    watch = Watch()

    def watched(format: str, data: bytes) -> None:
        reader = Reader(data)
        reader.observer = watch
        construct_of(format).read(reader)

    for entry in entries:
        file = entry.file
        if file.parts:
            for part in file.parts:
                watched("record_batch" if part.magic >= CURRENT_MAGIC else "legacy_message", part.data)
                for record in part.records if part.controls else ():
                    _, value = parse_control_record(record)
                    watched("control_record_type_schema", record.key or b"")
                    if value is not None:
                        watched(value._type.name, record.value or b"")
        elif file.kind in ("offset_index", "time_index", "transaction_index", "producer_snapshot"):
            watched(file.kind, file.data)
    return watch.seen


def declared() -> dict[str, list[Outcome]]:
    """All outcomes by format."""
    found = {}
    for format in FORMATS:
        found[format] = [outcome for program in types_of(format) for outcome in outcomes_of(program)]
    return found


def print_declarations() -> None:
    seen = read(corpus_entries(SEED))
    for format, outcomes in declared().items():
        hit = [outcome for outcome in outcomes if outcome in seen]
        print(f"{format}: {len(hit)} of {len(outcomes)}")
        for outcome in outcomes:
            if outcome not in seen:
                reason = UNREACHABLE.get(outcome)
                print(f"  {'unreachable' if reason else 'MISSED'} {' '.join(outcome)}{': ' + reason if reason else ''}")


def declarations_table() -> str:
    """What of the declarations is hit, as a Markdown table."""
    seen = read(corpus_entries(SEED))
    lines = ["| declaration | hit | out of reach |", "|---|---|---|"]
    for format, outcomes in declared().items():
        hit = sum(outcome in seen for outcome in outcomes)
        reasons: dict[str, list[str]] = {}
        for type_name, field, what in outcomes:
            if (reason := UNREACHABLE.get((type_name, field, what))) is not None:
                reasons.setdefault(reason, []).append(f"`{field}` {what}")
        told = "; ".join(f"{', '.join(fields)}: {reason}" for reason, fields in reasons.items())
        lines.append(f"| `{format}` | {hit} of {len(outcomes)} | {told} |")
    return "\n".join(lines)


# --- other people's readers ----------------------------------------------------------------------------------------

PEERS: Final = {"kafka-python": "kafka", "aiokafka": "aiokafka"}
"""Distribution -> package; its record modules are ``<package>.record``."""

SOURCES: Final = {
    "nothing, imported only": (),
    "the samples of seven brokers": ("samples",),
    "the corpus": ("sound", "odd"),
    "the corpus with --damage": ("sound", "odd", "damaged"),
}
"""What they are given to read, in words -> folders, below the repository or the corpus."""


def read_with(package: str, folders: Iterable[Path]) -> tuple[int, int]:
    """Read all logs below the folders: how many records were read, how many files ended with an exception."""
    memory = importlib.import_module(f"{package}.record.memory_records").MemoryRecords
    records = failed = 0
    for path in sorted(path for folder in folders for path in folder.rglob("*.log")):
        try:
            records += sum(1 for _ in peer_records(memory(path.read_bytes())))
        except Exception:  # whatever somebody else's reader raises
            failed += 1
    return records, failed


def peer_records(batches: Any) -> Iterator[Any]:
    """The records of a peer's MemoryRecords, checksums looked at, every attribute of them asked for."""
    while batches.has_next():
        batch = batches.next_batch()
        ask(batch)
        batch.validate_crc()
        for record in batch:
            ask(record)
            yield record


def ask(thing: Any) -> None:
    """Ask for everything that a batch or record has to say."""
    for name in dir(type(thing)):
        if isinstance(getattr(type(thing), name), property):
            getattr(thing, name)


def line_coverage(package: str, folders: Iterable[Path]) -> dict[str, tuple[int, int]]:
    """Lines run, and lines there are, in the classes of a package's record modules that read; by module and class.

    Builders and module levels are not counted. It reads in a process of its own.
    """
    with tempfile.TemporaryDirectory(prefix="kformat-coverage-") as work:
        data, report = Path(work) / "data", Path(work) / "report.json"
        program = [sys.executable, "-m", "coverage"]
        command = [*program, "run", f"--data-file={data}", f"--source={package}.record", __file__, "read", package]
        environment = os.environ | {"AIOKAFKA_NO_EXTENSIONS": "1", "PYTHONPATH": str(ROOT)}
        subprocess.run([*command, *map(str, folders)], env=environment, check=True, timeout=600)
        command = [*program, "json", "-q", f"--data-file={data}", "-o", str(report)]
        subprocess.run(command, env=environment, check=True, timeout=60, stdout=subprocess.DEVNULL)
        files = json.loads(report.read_text(encoding="utf-8"))["files"]
    found = {}
    for path, told in files.items():
        for name, part in told["classes"].items():
            summary = part["summary"]
            if name and "Builder" not in name and "Metadata" not in name:
                found[f"{Path(path).name} {name}"] = (summary["covered_lines"], summary["num_statements"])
    return found


def peers_table(corpus: Path) -> str:
    """The lines of the peers' record modules as a Markdown table; ``corpus`` has damaged files."""
    lines = ["| reads | " + " | ".join(f"{name} {importlib.metadata.version(name)}" for name in PEERS) + " |"]
    lines.append("|---" * (len(PEERS) + 1) + "|")
    for words, names in SOURCES.items():
        folders = [ROOT / name if name == "samples" else corpus / name for name in names]
        cells = []
        for package in PEERS.values():
            found = line_coverage(package, folders)
            run, there = (sum(column) for column in zip(*found.values(), strict=True))
            cells.append(f"{run} of {there} lines, {100 * run / there:.0f} %")
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


PAGE: Final = ROOT / "docs" / "corpus.md"


def write_page() -> None:
    """Put both tables into the page, between the comments that name them."""
    with tempfile.TemporaryDirectory(prefix="kformat-corpus-") as work:
        write_corpus(work, seed=SEED, damage=True)
        tables = {"declarations": declarations_table(), "peers": peers_table(Path(work))}
    text = PAGE.read_text(encoding="utf-8")
    for name, table in tables.items():
        head, tail = text.split(f"<!-- {name} -->\n", 1)
        rest = tail.split("<!-- end -->", 1)[1]
        text = f"{head}<!-- {name} -->\n{table}\n<!-- end -->{rest}"
    PAGE.write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["read"]:
        read_with(arguments[1], map(Path, arguments[2:]))
        return
    if arguments[:1] == ["write"]:
        write_page()
        return
    print_declarations()
    if arguments[:1] != ["declarations"]:
        with tempfile.TemporaryDirectory(prefix="kformat-corpus-") as work:
            write_corpus(work, seed=SEED, damage=True)
            print(peers_table(Path(work)))


if __name__ == "__main__":
    main(sys.argv[1:])
