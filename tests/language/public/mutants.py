"""Files of public formats with something wrong in them, read by kformat and by Kaitai's classes.

Both take the same bytes and read the same values, or the difference is one of `CLASSES`. What kformat reads it builds
again, to the same bytes. It raises nothing but DataError, and neither hangs (`SECONDS`) nor takes more memory than
`MEMORY_BYTES`. Kaitai's classes have no bounds, so they run in processes of their own:

    python -m tests.language.public.mutants FOLDER PARCEL      a parcel of the folder's formats, as `run` divides them
    python -m tests.language.public.mutants FOLDER NAME NUMBER one case again
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Literal, Protocol

import kformat
from kformat.codec.trace import trace
from kformat.errors import BuildError, DataError, InvalidError, LimitError
from tests.language.beside_kaitai import Compared, Known, class_of, compared, compile_all
from tests.language.public import HERE, without_checksums, written, written_more

SECONDS = 5
"""Of the processor, the most that kformat may take for an input of at most 20 KB; more is a hang."""

THEIR_SECONDS = 1

MEMORY_BYTES = 3 << 30
SHOWN = 20

WRITTEN = written.WRITTEN | written_more.WRITTEN

Test = Callable[[Any, Any], bool]

LARGE = ("outside of 64 bits", ": shift by ")
"""In messages about numbers that become too large."""


class KaitaiTakesTooLong(Exception):
    """A class of Kaitai's takes longer than `THEIR_SECONDS` of the processor."""


@dataclass(frozen=True)
class Class:
    """A kind of difference that is there on purpose, told by what the two sides have: values, or errors."""

    name: str
    reason: str
    applies: Test


ABSENT = "a field that its condition leaves out"

CLASSES = (
    Class(
        ABSENT,
        "Kaitai's Python classes raise AttributeError where an expression asks for it; here it is null, and equal to "
        "nothing else",
        lambda ours, other: isinstance(other, AttributeError) and "object has no attribute" in str(other),
    ),
    Class(
        "text that is not in its encoding",
        "Kaitai refuses it; kformat keeps its bytes as lone surrogates (PEP 383), and builds them again",
        lambda ours, other: isinstance(other, UnicodeDecodeError),
    ),
    Class(
        "bytes left over",
        "Kaitai passes over them; kformat refuses them unless it is asked to keep them (`trailing`)",
        lambda ours, other: isinstance(ours, InvalidError) and ours.message == "bytes are left over",
    ),
    Class(
        "a bound of kformat",
        "kformat bounds nesting, elements without bytes and how often instances read the same bytes; Kaitai does not",
        lambda ours, other: isinstance(ours, LimitError),
    ),
    Class(
        "nested too deeply for Kaitai",
        "Kaitai's classes raise RecursionError earlier than kformat's bound",
        lambda ours, other: isinstance(other, RecursionError),
    ),
    Class(
        "nothing at a position of 2^63 or more",
        "Kaitai goes there first and fails; kformat fails if there is something to read",
        lambda ours, other: isinstance(other, OverflowError) and ours in ([], b"", ""),
    ),
    Class(
        "a number of more than 64 bits",
        "Kaitai's Python classes compute with integers of any size; kformat bounds shifts, and refuses a number in a "
        "rule that 64 bits cannot hold",
        lambda ours, other: isinstance(ours, DataError) and any(words in ours.message for words in LARGE),
    ),
    Class(
        "elements without a case",
        "Kaitai leaves out elements that no case of `switch-on` reads, so that those after them have other indices; "
        "kformat has a null for each, so that the list has its count, which is built from it",
        lambda ours, other: isinstance(ours, list) and isinstance(other, list) and ours.count(None) > 0,
    ),
    Class(
        "nested too deeply to build",
        "a builder calls more functions for each level than a parser, and Python bounds their number",
        lambda ours, other: isinstance(ours, BuildError) and "nested too deep" in ours.message,
    ),
    Class(
        "without end for Kaitai",
        f"Kaitai's classes, which bound nothing, are stopped after {THEIR_SECONDS} s or {MEMORY_BYTES >> 30} GiB",
        lambda ours, other: isinstance(other, KaitaiTakesTooLong | MemoryError),
    ),
)


class TakesTooLong(BaseException):
    """kformat takes longer than `SECONDS`; no `except Exception` on the way stops it."""


@contextmanager
def bounded(theirs: Path) -> Iterator[None]:
    """KaitaiTakesTooLong in a class of Kaitai's, in the folder ``theirs``, that takes longer than `THEIR_SECONDS`,
    TakesTooLong in anything else that takes longer than `SECONDS`.
    """
    started = time.process_time()

    def ring(_: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_filename.startswith(str(theirs)):
                raise KaitaiTakesTooLong
            frame = frame.f_back
        if time.process_time() - started > SECONDS:
            raise TakesTooLong

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, THEIR_SECONDS, THEIR_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


# --- mutations -----------------------------------------------------------------------------------------------------


def fields_of(declaration: Any, data: bytes) -> list[tuple[int, int]]:
    """Position and size of every field of at most eight bytes."""
    spans = trace(declaration, data)
    found = {(span.position, span.size) for span in spans if span.inflated_position is None and 1 <= span.size <= 8}
    return sorted(found) or [(0, min(len(data), 1))]


def number(before: int, size: int, chance: random.Random) -> int:
    """Something interesting to have in a field of that many bytes."""
    top = 1 << 8 * size
    choices = (0, 1, before + 1, before - 1, 2 * before, before ^ 0x80, top - 1, top // 2, top // 2 - 1, top // 256)
    return chance.choice(choices) % top


def mutated(data: bytes, fields: Sequence[tuple[int, int]], chance: random.Random) -> bytes:
    """One to three things changed: a field, bits, bytes; something cut off, out, in, or put elsewhere."""
    made = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at = chance.randrange(len(made) + 1)
        some = chance.choice((1, 2, 4, chance.randint(1, 40)))
        match chance.randrange(11):
            case 0 | 1 | 2 | 3 | 4:
                position, size = chance.choice(fields)
                part = made[position : position + size]
                order: Any = chance.choice(("little", "big"))
                changed = number(int.from_bytes(part, order), len(part), chance) if part else 0
                made[position : position + size] = changed.to_bytes(len(part), order)
            case 5 | 6 if at < len(made):
                made[at] ^= 1 << chance.randrange(8)
            case 7 if at < len(made):
                made[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
            case 8:
                del made[at : chance.choice((at + some, len(made)))]
            case 9:
                other = chance.randrange(len(made) + 1)
                made[at:at] = chance.choice((made[other : other + some], bytes(some), chance.randbytes(some)))
            case 10:
                here, there = chance.choice(fields), chance.choice(fields)
                one, two = (made[position : position + here[1]] for position in (here[0], there[0]))
                if len(one) == len(two):
                    made[here[0] : here[0] + here[1]] = two
                    made[there[0] : there[0] + here[1]] = one
    return bytes(made)


# --- the work of a process -----------------------------------------------------------------------------------------


class Format:
    """A format, its files in a folder that `prepare` filled, and Kaitai's class."""

    def __init__(self, folder: Path, name: str, seed: int) -> None:
        self.name, self.seed, self.declaration = name, seed, without_checksums(name)
        self.classes = folder / "classes"
        self.kind = class_of(name, self.classes)
        self.files = [path.read_bytes() for path in sorted((folder / "files" / name).iterdir())]
        self.fields = [fields_of(self.declaration, data) for data in self.files]

    def input(self, case: int) -> bytes:
        """The bytes of a case."""
        chance, which = random.Random(f"{self.seed} {self.name} {case}"), case % len(self.files)
        return mutated(self.files[which], self.fields[which], chance)

    def compared(self, case: int, data: bytes, classes: set[str]) -> Compared:
        """What the two sides make of a case; the names of known differences are added to what is given.

        In one of three, bytes that are left over are an error, so that kformat reads all instances at once.
        """
        trailing: Literal["error", "keep"] = "keep" if case % 3 else "error"

        def known(ours: Any, other: Any) -> bool:
            found = [item.name for item in CLASSES if item.applies(ours, other)]
            classes.update(found[:1])
            return bool(found)

        try:
            with bounded(self.classes):
                found = compared(self.declaration, data, self.kind, known, trailing)
            if not found.is_read or found.difference is not None:
                return found
            with bounded(self.classes):
                return Compared(True, self.built_again(data, trailing, known))
        except TakesTooLong:
            return Compared(False, f"takes longer than {SECONDS} s")

    def built_again(self, data: bytes, trailing: Literal["error", "keep"], known: Known) -> str | None:
        """None if bytes that kformat reads are built again: with ``error``, all are declared; others it keeps."""
        try:
            built = kformat.build(self.declaration, kformat.parse(self.declaration, data, trailing=trailing))
        except Exception as error:
            return None if known(error, None) else f"read ({trailing}), and not built: {type(error).__name__}: {error}"
        if built == data:
            return None
        at = next((at for at, (one, other) in enumerate(zip(data, built, strict=False)) if one != other), len(built))
        return f"read ({trailing}), and built otherwise from {at} on: {data[at:][:8].hex()} is {built[at:][:8].hex()}"


def work(folder: Path, parcel: int) -> dict[str, Any]:
    """Read a parcel of cases."""
    job = json.loads((folder / "job.json").read_text())
    classes: Counter[str] = Counter()
    failures: list[str] = []
    count = read_count = 0
    for name, cases in job["parcels"][parcel]:
        format_ = Format(folder, name, job["seed"])
        for case in range(cases):
            data = format_.input(case)
            found: set[str] = set()
            outcome = format_.compared(case, data, found)
            classes.update(found)
            count += 1
            read_count += outcome.is_read
            if outcome.difference is not None and len(failures) < SHOWN:
                failures.append(f"{name} {case}: {outcome.difference}")
    return {"count": count, "read_count": read_count, "classes": dict(classes), "failures": failures}


# --- all of it -----------------------------------------------------------------------------------------------------


@dataclass
class Result:
    """What a run gave: inputs, how many kformat reads, how many showed each class, what differs and has no class."""

    count: int = 0
    read_count: int = 0
    classes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def write(names: Iterable[str], folder: Path) -> dict[str, list[bytes]]:
    """Files of formats, written in empty folders below this one; Missing where a library is."""
    files = {}
    for name in names:
        (folder / name).mkdir(parents=True)
        files[name] = list(WRITTEN[name](folder / name))
    return files


def prepare(folder: Path, files: dict[str, list[bytes]]) -> None:
    """Put the files of the formats, and Kaitai's classes, into a folder."""
    put(folder, files)
    compile_all([HERE / f"{name}.ksy" for name in files], folder / "classes")


def put(folder: Path, files: dict[str, list[bytes]]) -> None:
    """Put the files of the formats into a folder."""
    for name, items in files.items():
        (folder / "files" / name).mkdir(parents=True)
        for index, data in enumerate(items):
            (folder / "files" / name / f"{index:02}").write_bytes(data)


def run(
    folder: Path,
    count: int,
    seed: int,
    processes: int,
    timeout_s: float,
    module: str = "tests.language.public.mutants",
    **job: Any,
) -> Result:
    """Read so many mutated files of a prepared folder, in several processes of a module, with more in its job."""
    names = sorted(path.name for path in (folder / "files").iterdir())
    each, more = divmod(count, len(names))
    cases = [(name, each + (index < more)) for index, name in enumerate(names)]
    parcels = [cases[index::processes] for index in range(processes)]
    (folder / "job.json").write_text(json.dumps({"seed": seed, "parcels": parcels, **job}))
    command = [sys.executable, "-m", module, str(folder)]
    running = [
        subprocess.Popen([*command, str(index)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for index in range(processes)
    ]
    result = Result()
    try:
        for index, process in enumerate(running):
            out, complaints = process.communicate(timeout=timeout_s)
            if process.returncode:
                at = folder / f"at-{index}"
                where = f" at {at.read_text('ascii').strip()}" if at.exists() else ""
                failure = f"parcel {index} ended with status {process.returncode}{where}: {complaints[-2000:]}"
                result.failures.append(failure)
                continue
            found = json.loads(out)
            result.count += found["count"]
            result.read_count += found["read_count"]
            result.classes.update(found["classes"])
            result.failures += found["failures"]
    except subprocess.TimeoutExpired:
        result.failures.append(f"parcel {index} was not done after {timeout_s} s")
    finally:
        for process in running:
            process.kill()
            process.wait()
    return result


class Cases(Protocol):
    """What judges cases by their number: whether nothing is wrong with the input, its class, and what differs."""

    def difference(self, case: int) -> tuple[bool, str, str | None]: ...


def serve(arguments: Sequence[str], make: Callable[[Path, str, dict[str, Any]], Cases]) -> None:
    """The main function of a module that `run` may name: a parcel, or one case again.

    ``make`` gets the folder, a name in it, and the job.
    """
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    folder = Path(arguments[0])
    job = json.loads((folder / "job.json").read_text())
    if len(arguments) > 2:
        print(make(folder, arguments[1], job).difference(int(arguments[2])))
        return
    parcel = int(arguments[1])
    classes: Counter[str] = Counter()
    failures: list[str] = []
    count = read_count = 0
    at = (folder / f"at-{parcel}").open("w", encoding="ascii")  # where it was, if the process dies
    for name, cases in job["parcels"][parcel]:
        made = make(folder, name, job)
        for case in range(cases):
            at.seek(0)
            at.write(f"{name} {case} \n")
            at.flush()
            is_read, kind, difference = made.difference(case)
            classes[kind] += 1
            count += 1
            read_count += is_read
            if difference is not None and len(failures) < SHOWN:
                failures.append(f"{name} {case}: {difference}")
    print(json.dumps({"count": count, "read_count": read_count, "classes": dict(classes), "failures": failures}))


def main(arguments: Sequence[str]) -> None:
    """A parcel, or one case."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    os.environ.pop("KSPATH", None)
    folder = Path(arguments[0])
    if len(arguments) == 2:
        print(json.dumps(work(folder, int(arguments[1]))))
        return
    name, case = arguments[1], int(arguments[2])
    format_ = Format(folder, name, json.loads((folder / "job.json").read_text())["seed"])
    data = format_.input(case)
    classes: set[str] = set()
    print(data.hex(), format_.compared(case, data, classes), sorted(classes), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
