"""Public formats (png, elf, sqlite, ...; our own declarations of them in `tests/language/public`): `kformat.parse` next
to the read-only Python classes that Kaitai's compiler 0.11 makes of the same declaration. Each reads the same small
files, written at this moment by other libraries, from bytes in memory; the declaration is loaded, and the class
imported, before. *Parsed*: the whole value, and all instances that lie in the bytes (`_fetch_instances()`, which both
have); by kformat with its default `trailing="error"`, where the declaration is of all bytes. *Each attribute*: parsed,
then a walk in Python that asks each value of either side for each field and each instance, computed ones included. CPU
seconds; the two take turns. Both trees were compared value by value before. *Built*: the bytes of the value that was
parsed again, by `kformat.build`, which computes lengths and checksums where they have changed, next to the classes that
the compiler makes with `--read-write`, whose `_check()` and `_write()` do not; where both give the file again without
its help. What it does not show: large files, and values that were edited, which only kformat can build.
"""

from __future__ import annotations

import gc
import io
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from kaitaistruct import KaitaiStream, KaitaiStruct

import kformat
from kformat.codec.values import Value
from tests.judges.kaitai import KAITAI, kaitai_compile
from tests.judges.required import why_missing
from tests.language.beside_kaitai import DEEPEST, asked, class_of, compare, compile_all, made
from tests.language.public import HERE, Missing, written, written_more

MOST_ROUNDS = 5
LEAST_SECONDS = 0.01
FIRST = "png"
"""The format that a beginner reads first."""

FEW = ("ar", "bmp", "gzip", "pcap", FIRST, "tar")

Read = Callable[[], Any]


def why_not_here() -> str | None:
    """The judge that is missing."""
    return why_missing(KAITAI)


class Row(NamedTuple):
    """One format: bytes of its files, CPU seconds of kformat and of Kaitai's class for all of them."""

    name: str
    size: int
    parsed: tuple[float, float]
    walked: tuple[float, float]
    built: tuple[float, float] | None
    """None where Kaitai's class does not write the files again."""


def text(rounds: int) -> str:
    """Both tables; of one round, which shows that the benchmark runs, with few formats: the tests compare all."""
    makers = {**written.WRITTEN, **written_more.WRITTEN}
    if rounds == 1:
        makers = {format: makers[format] for format in FEW}
    undeclared = written.UNDECLARED | written_more.UNDECLARED
    rows, missing, loading = list[Row](), list[str](), list[float]()
    with tempfile.TemporaryDirectory(prefix="kformat-bench-") as name:
        folder = Path(name)
        classes = folder / "classes"
        classes.mkdir()
        writing = folder / "writing"
        writing.mkdir()
        declarations = [HERE / f"{format}.ksy" for format in sorted(makers)]
        compile_all(declarations, classes)
        kaitai_compile(declarations, "python", writing)
        for format in sorted(makers):
            (folder / format).mkdir()
            try:
                files = list(makers[format](folder / format))
            except Missing as error:
                missing.append(f"{format}: {error}")
                continue
            start = time.process_time()
            declaration = kformat.load_declaration(HERE / f"{format}.ksy")
            loading.append(time.process_time() - start)
            kind = class_of(format, classes)
            files = [data for data in files if _is_read(kind, data)]
            if not files:
                missing.append(f"{format}: Kaitai's class refuses text of all its files")
                continue
            trailing = "keep" if format in undeclared else "error"
            built = None if format in undeclared else _built(format, declaration, files, writing, rounds)
            rows.append(
                Row(format, sum(map(len, files)), *_measured(format, declaration, files, kind, trailing, rounds), built)
            )
        sys.path[:] = [path for path in sys.path if path != str(classes)]
        first = _first_parse(folder, classes, rounds)
    return "\n".join([*_table(rows), "", *_said(rows, missing, loading, first)])


# --- measuring -----------------------------------------------------------------------------------------------------


def _is_read(kind: Any, data: bytes) -> bool:
    """Whether Kaitai's class reads all of a file: kformat alone keeps text that is not in its encoding."""
    try:
        made(kind, data)._fetch_instances()
    except UnicodeDecodeError:
        return False
    return True


def _measured(
    name: str, declaration: Any, files: list[bytes], kind: Any, trailing: Any, rounds: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """CPU seconds of both for `parsed` and `each attribute`."""
    names: dict[type, tuple[str, ...]] = {}
    for data in files:
        ours, theirs = kformat.parse(declaration, data, trailing=trailing), made(kind, data)
        compare(ours, theirs, name)
        _learn(ours, theirs, names, 0)

    def by_us(after: Callable[[Any], Any]) -> Read:
        return lambda: [after(kformat.parse(declaration, data, trailing=trailing)) for data in files]

    def by_kaitai(after: Callable[[Any], Any]) -> Read:
        return lambda: [after(kind.from_bytes(data)) for data in files]

    def fetch(value: Any) -> Any:
        value._fetch_instances()
        return value

    def walk(value: Any) -> int:
        return _walk(value, names, 0)

    def counts(values: list[Any]) -> list[int]:
        return list(map(walk, values))

    parsed = _in_turn(by_us(fetch), by_kaitai(fetch), rounds, counts)
    return parsed, _in_turn(by_us(walk), by_kaitai(walk), rounds)


def _built(name: str, declaration: Any, files: list[bytes], folder: Path, rounds: int) -> tuple[float, float] | None:
    """CPU seconds of both for building again what was parsed; None where one of the files comes out otherwise."""
    kind = class_of(name, folder)
    ours = [kformat.parse(declaration, data) for data in files]
    theirs = []

    def write(value: Any, size: int) -> bytes:
        stream = KaitaiStream(io.BytesIO(bytearray(size)))
        value._check()
        value._write(stream)
        return bytes(stream._io.getvalue())

    for data in files:
        value = kind(KaitaiStream(io.BytesIO(data)))
        value._read()
        value._fetch_instances()
        theirs.append(value)
        assert kformat.build(declaration, ours[len(theirs) - 1]) == data
        try:
            if write(value, len(data)) != data:
                return None
        except Exception:  # what Kaitai's classes cannot write ends in any error
            return None
    return _in_turn(
        lambda: [kformat.build(declaration, value) for value in ours],
        lambda: [write(value, len(data)) for value, data in zip(theirs, files, strict=True)],
        rounds,
    )


def _learn(ours: Any, theirs: Any, names: dict[type, tuple[str, ...]], depth: int) -> None:
    """The names that a walk asks for, by class."""
    if isinstance(ours, Value) and depth <= DEEPEST:
        names[type(ours)] = names[type(theirs)] = (*ours._fields, *ours._instances)
        for name in names[type(ours)]:
            here, there = asked(ours, name), asked(theirs, name)
            if isinstance(here, Value | list) and isinstance(there, KaitaiStruct | list):
                _learn(here, there, names, depth + 1)
    elif isinstance(ours, list):
        for here, there in zip(ours, theirs, strict=True):
            _learn(here, there, names, depth)


def _walk(value: Any, names: dict[type, tuple[str, ...]], depth: int) -> int:
    """Ask for each attribute; how many values there are. Positions may lead in circles: not deeper than `DEEPEST`."""
    count = 1
    if depth > DEEPEST:
        return count
    for name in names[type(value)]:
        try:
            found = getattr(value, name)
        except Exception:  # absent, or an instance that cannot be read: on both sides
            continue
        if isinstance(found, Value | KaitaiStruct):
            count += _walk(found, names, depth + 1)
        elif isinstance(found, list):
            for item in found:
                if isinstance(item, Value | KaitaiStruct):
                    count += _walk(item, names, depth + 1)
    return count


def _in_turn(
    ours: Read, theirs: Read, rounds: int, seen_as: Callable[[Any], Any] = lambda answer: answer
) -> tuple[float, float]:
    """CPU seconds of each, the medians of the rounds. AssertionError where a round has another answer than the first
    time: what ``seen_as`` makes of it."""
    counts = [1 if rounds == 1 else _repeats(read) for read in (ours, theirs)]
    expected = [seen_as(read()) for read in (ours, theirs)]
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for read, count, taken, first in zip((ours, theirs), counts, seconds, expected, strict=True):
            gc.collect()
            start = time.process_time()
            for _ in range(count):
                answer = read()
            taken.append((time.process_time() - start) / count)
            assert seen_as(answer) == first
            del answer
    return statistics.median(seconds[0]), statistics.median(seconds[1])


def _repeats(read: Read) -> int:
    start = time.process_time()
    read()
    return max(1, round(LEAST_SECONDS / max(time.process_time() - start, 1e-6)))


OURS = """
import sys, time
import kformat
kformat.parse(sys.argv[1], open(sys.argv[2], "rb").read())
print(time.process_time())
"""
THEIRS = """
import sys, time
sys.path.append(sys.argv[1])
from {module} import {name}
{name}.from_bytes(open(sys.argv[2], "rb").read())
print(time.process_time())
"""


def _first_parse(folder: Path, classes: Path, rounds: int) -> tuple[float, float]:
    """CPU seconds of a fresh process that reads one file: from a declaration, and by the class that was made before."""
    makers = {**written.WRITTEN, **written_more.WRITTEN}
    place = folder / "first"
    place.mkdir()
    file = folder / "file"
    file.write_bytes(next(iter(makers[FIRST](place))))
    theirs = THEIRS.format(module=FIRST, name=FIRST.capitalize())
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for program, argument, taken in ((OURS, HERE / f"{FIRST}.ksy", found[0]), (theirs, classes, found[1])):
            command = [sys.executable, "-c", program, str(argument), str(file)]
            done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
            taken.append(float(done.stdout))
    return statistics.median(found[0]), statistics.median(found[1])


# --- tables --------------------------------------------------------------------------------------------------------


def _ratio(seconds: tuple[float, float]) -> float:
    return seconds[1] / seconds[0]


def _table(rows: list[Row]) -> list[str]:
    lines = ["| format | bytes | kformat, µs | Kaitai's class, µs | parsed, times as fast | each attribute | built |"]
    lines.append("|---|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        micros = [f"{seconds * 1e6:,.0f}" for seconds in row.parsed]
        ratios = f"{_ratio(row.parsed):.2f} | {_ratio(row.walked):.2f}"
        ratios += f" | {_ratio(row.built):.2f}" if row.built is not None else " | "
        lines.append(f"| {row.name} | {row.size:,} | {micros[0]} | {micros[1]} | {ratios} |")
    return lines


def _said(rows: list[Row], missing: list[str], loading: list[float], first: tuple[float, float]) -> list[str]:
    lines = []
    for words, found in (
        ("parsed", {row.name: _ratio(row.parsed) for row in rows}),
        ("each attribute", {row.name: _ratio(row.walked) for row in rows}),
        ("built", {row.name: _ratio(row.built) for row in rows if row.built is not None}),
    ):
        worst = min(found, key=found.__getitem__)
        mean = math.exp(statistics.fmean(map(math.log, found.values())))
        lines.append(
            f"* {words}: {mean:.2f} times as fast as Kaitai's classes, the geometric mean of {len(found)} formats; "
            f"the worst is {worst}, {found[worst]:.2f}."
        )
    lines.append(
        f"* before: a declaration takes {statistics.median(loading) * 1000:.0f} ms to load (the median; the longest "
        f"{max(loading) * 1000:.0f} ms). A fresh process reads its first {FIRST} file in {first[0] * 1000:.0f} ms, "
        f"from the declaration; with the class that Kaitai's compiler made before, in {first[1] * 1000:.0f} ms."
    )
    lines += [f"* not measured: {reason}." for reason in missing]
    return lines
