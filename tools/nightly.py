"""The long forms of the tests, and their report in docs/nightly.md.

    python -m tools.nightly                          all parts, one after the other
    python -m tools.nightly PART...                  some of them; the report keeps what the others gave
    python -m tools.nightly PART -- PYTEST ARGUMENT  a part with other arguments; nothing is written down

The parts:

* `damages`: damaged bytes go through every reader (`tools.differential`), other ones each day. (docs/differences.md is
  of one seed: it changes with the readers alone.)
* `formats`: a million mutated files of public formats go through kformat and through the classes that Kaitai's compiler
  makes (`tests.language.public.mutants`), other ones each day; differences that are known are counted.
* `drawn`: 20,000 declarations that are made at random, other ones each day, go through kformat and through the classes
  that Kaitai's compiler makes, with a million inputs; kernels decode rows of 500 (`tests.language.drawn`).
* `rows`: a million mutated files of public formats go through `kformat.scan`, with kernels, and through the codec
  (`tests.columns.mutations`).
* `logs`: a million mutated logs go through the search for batches, salvage, and reading on after damage
  (`tests.salvage.mutations`).
* `tests/FOLDER`, `tests`: every test of a folder, and of all others, the slow ones too; hypothesis tries many times as
  many examples wherever a test does not fix their number. `whole` stands for all of these.
* `oldest`, `newest`: `make test-all` in an environment of its own, with the oldest versions of all packages that
  pyproject.toml allows, and with the newest ones.
* `spark`: rows of Spark 4.0, 4.1.0 and the newest one, local, on executors and over Connect, with two versions of Java
  and of pandas (`tests.spark.matrix`).
* `soak`: writers, transactions, compaction, retention and readers in one engine for an hour (test_soak.py).
* `fuzz`: `make fuzz` for an hour.
* `bench`: a round of every benchmark, those of Spark included: every reader and builder gives the same, and gives it
  at all. CI runs the short ones.

The report says of each part when it ran and at which commit, on what machine, how many tests of which kind, how long,
what failed, what was skipped and why. A run reads the report first and writes the parts that it did not run as they
were, so that one that failed can run again by itself.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.columns import mutations
from tests.judges.kaitai import KAITAI
from tests.judges.required import why_missing
from tests.language.drawn import judging
from tests.language.public import Missing, mutants
from tests.salvage import mutations as salvage_mutations
from tests.spark import matrix
from tools.documents import ROOT

REPORT = ROOT / "docs" / "nightly.md"
MARKERS = ("slow", "judge", "broker", "long", "spark")
EXAMPLES = 500
FORMS = {"KFORMAT_EXAMPLES": str(EXAMPLES), "KFORMAT_STREAM_SECONDS": "600"}
"""Environment of the long forms: tests/conftest.py reads the first in each process, tests/spark/test_follow.py the
second."""
MUTANTS = 1_000_000
DRAWN, DRAWN_AT_ONCE = 20_000, 1000
"""Declarations made at random, and of these so many at once."""
DRAWN_KERNELS = 40
"""Of so many at once, those that are made for kernels, which take two of three."""
FUZZ_SECONDS = SOAK_SECONDS = 3600
RESOLUTIONS = {"oldest": "lowest-direct", "newest": "highest"}
"""Which versions -> what uv calls to choose them."""
EXTRAS = "connect,arrow,test"
"""As in the Makefile."""
SPREAD = ("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")
FOLDERS = ("codec", "columns", "engine", "kafka", "language", "salvage", "spark")
"""The folders of tests that are parts of their own: each takes long."""
TITLES = {
    "damages": "[damaged bytes](differences.md)",
    "formats": "mutated files of public formats, next to Kaitai's classes",
    "drawn": "declarations made at random, next to Kaitai's classes",
    "rows": "rows of mutated files of public formats, as columns",
    "logs": "mutated logs, through the search for batches, salvage, and reading on after damage",
    **{f"tests/{folder}": f"every test of `tests/{folder}`" for folder in FOLDERS},
    "tests": "every other test",
    "oldest": "`make test-all` with the oldest packages",
    "newest": "`make test-all` with the newest packages",
    "spark": "rows on several versions of Spark, Java and pandas, local and over Connect",
    "soak": "an hour of everything at once in the engine",
    "fuzz": "`make fuzz`",
    "bench": "a round of every benchmark",
}
"""The parts, in their order."""
WHOLE = tuple(name for name in TITLES if name.startswith("tests"))


@dataclass
class Part:
    """What a part gave: ``outcome`` is a line, ``status`` 0 where it is sound, ``sections`` are the report's lists."""

    outcome: str
    status: int
    sections: dict[str, list[str]] = field(default_factory=dict)
    date: str = ""
    commit: str = ""
    machine: str = ""
    minutes: float = 0.0


class Recorder:
    """A pytest plugin that keeps what the report tells."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.by_marker: Counter[str] = Counter()
        self.failed: list[str] = []
        self.skipped: Counter[str] = Counter()
        self.slowest: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One test's set-up, call or tear-down has ended."""
        self.slowest[report.nodeid] += int(report.duration * 1000)
        if report.failed:
            self.failed.append(report.nodeid if report.when == "call" else f"{report.nodeid} ({report.when})")
        if report.when == "call" or (report.when == "setup" and report.skipped):
            self.outcomes[report.outcome] += 1
            self.by_marker.update(marker for marker in MARKERS if marker in report.keywords and not report.skipped)
            if report.skipped and isinstance(report.longrepr, tuple):
                self.skipped[report.longrepr[2].removeprefix("Skipped: ")] += 1

    def part(self, status: int) -> Part:
        """What was run."""
        counted = ", ".join(f"{count} {name}" for name, count in sorted(self.outcomes.items()))
        kinds = ", ".join(f"{self.by_marker[marker]} {marker}" for marker in MARKERS)
        sections = {
            "Failed": self.failed,
            "Skipped": [f"{count} × {reason}" for reason, count in sorted(self.skipped.items())],
            "Slowest": [f"{ms / 1000:.1f} s {test}" for test, ms in self.slowest.most_common(10)],
        }
        return Part(f"{counted} (of these {kinds})", status, sections)


def commit() -> str:
    """The commit that is checked out, and whether the tree differs from it."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", f":!{REPORT.relative_to(ROOT)}")
    return git("rev-parse", "--short=12", "HEAD") + (" with uncommitted changes" if changed else "")


def damages(arguments: Sequence[str]) -> Part:
    """Show damaged bytes to every reader."""
    command = [sys.executable, "-m", "tools.differential", "--seed", str(datetime.now(UTC).toordinal())]
    done = subprocess.run([*command, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, flush=True)
    counted = done.stdout.partition(":")[0]
    return Part(f"{counted}, {'all disagreements known' if done.returncode == 0 else 'FAILED'}", done.returncode)


def formats(arguments: Sequence[str]) -> Part:
    """Show mutated files of public formats to kformat and to Kaitai's classes; an argument is their number."""
    count, seed = int(arguments[0]) if arguments else MUTANTS, datetime.now(UTC).toordinal()
    missing = why_missing(KAITAI)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        try:
            files = mutants.write(sorted(mutants.WRITTEN), folder / "written")
        except Missing as error:
            missing = str(error)
        if missing is not None:
            return Part(f"FAILED: {missing}", 1)
        mutants.prepare(folder, files)
        result = mutants.run(folder, count, seed, os.cpu_count() or 1, timeout_s=count / 50 + 600)
    reasons = {item.name: item.reason for item in mutants.CLASSES}
    known = [f"{found:,} × {name}: {reasons[name]}" for name, found in result.classes.most_common()]
    failed = [" ".join(failure.split()) for failure in result.failures]
    outcome = f"{result.count:,} inputs of seed {seed} to {len(files)} formats, {result.read_count:,} of them read, "
    outcome += "FAILED" if failed else "all differences known"
    return Part(outcome, int(bool(failed)), {"Failed": failed, "Known differences": known})


def drawn(arguments: Sequence[str]) -> Part:
    """Ask declarations made at random as Kaitai's classes of them are asked; an argument is the number of inputs."""
    count, seed = int(arguments[0]) if arguments else MUTANTS, datetime.now(UTC).toordinal()
    missing = why_missing(KAITAI)
    if missing is not None:
        return Part(f"FAILED: {missing}", 1)
    result, each = mutants.Result(), max(count // DRAWN, 1)
    for first in range(0, min(DRAWN, count), DRAWN_AT_ONCE):
        numbers = range(first, first + DRAWN_AT_ONCE)
        with tempfile.TemporaryDirectory() as scratch:
            found = judging.run(Path(scratch), seed, numbers, DRAWN_KERNELS, each, processes=os.cpu_count() or 1)
        result.count, result.read_count = result.count + found.count, result.read_count + found.read_count
        result.classes.update(found.classes)
        result.failures += found.failures
    failed = [" ".join(failure.split()) for failure in result.failures[: mutants.SHOWN]]
    asked = ", ".join(f"{found:,} {name}" for name, found in sorted(result.classes.items()))
    outcome = f"{result.count:,} inputs of seed {seed} to {result.count // each:,} declarations ({asked}), "
    outcome += f"{result.read_count:,} of them read, {'FAILED' if result.failures else 'all as by Kaitai'}"
    return Part(outcome, int(bool(result.failures)), {"Failed": failed})


def rows(arguments: Sequence[str]) -> Part:
    """Show mutated files of public formats to `kformat.scan` and to the codec; an argument is their number."""
    count, seed = int(arguments[0]) if arguments else MUTANTS, datetime.now(UTC).toordinal()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        try:
            files = mutants.write(mutations.FORMATS, folder / "written")
        except Missing as error:
            return Part(f"FAILED: {error}", 1)
        mutants.put(folder, files)
        processes, timeout_s = os.cpu_count() or 1, count / 50 + 1200
        result = mutants.run(folder, count, seed, processes, timeout_s, mutations.__name__, with_kernels=True)
    failed = [" ".join(failure.split()) for failure in result.failures]
    read = ", ".join(f"{found:,} by {name}" for name, found in result.classes.most_common())
    outcome = f"{result.count:,} inputs of seed {seed} to {len(files)} formats ({read}), {result.read_count:,} of them "
    return Part(outcome + f"read, {'FAILED' if failed else 'all as the codec'}", int(bool(failed)), {"Failed": failed})


def logs(arguments: Sequence[str]) -> Part:
    """Show mutated logs to all that goes on after damage; an argument is their number."""
    count, seed = int(arguments[0]) if arguments else MUTANTS, datetime.now(UTC).toordinal()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        logs_count = salvage_mutations.write(folder)
        processes, timeout_s = os.cpu_count() or 1, count / 50 + 1200
        result = mutants.run(folder, count, seed, processes, timeout_s, salvage_mutations.__name__)
    failed = [" ".join(failure.split()) for failure in result.failures]
    done = ", ".join(f"{found:,} {name}" for name, found in sorted(result.classes.items()))
    outcome = (
        f"{result.count:,} inputs of seed {seed} made of {logs_count} logs ({done}), {result.read_count:,} of them "
    )
    return Part(outcome + f"without loss, {'FAILED' if failed else 'no error'}", int(bool(failed)), {"Failed": failed})


def tests_of(name: str, arguments: Sequence[str]) -> Part:
    """Run the tests of a part of `WHOLE`."""
    recorder = Recorder()
    left_out = [f"--ignore=tests/{folder}" for folder in FOLDERS] if name == "tests" else []
    os.environ |= FORMS
    try:
        status = int(pytest.main([*SPREAD, name, *left_out, *arguments], plugins=[recorder]))
    finally:
        for name in FORMS:
            del os.environ[name]
    return recorder.part(status)


def spark(arguments: Sequence[str]) -> Part:
    """Hold rows of several versions of Spark next to each other; ``arguments`` are names of `matrix.WAYS`."""
    entries, equal = list[str](), 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, text, is_equal in matrix.outcomes(Path(scratch), arguments):
            entries.append(f"{name}: {text}")
            print(entries[-1], flush=True)
            equal += is_equal
    return Part(f"{equal} of {len(entries)} ways", int(equal < len(entries)), {"Rows": entries})


def soak(arguments: Sequence[str]) -> Part:
    """Run the engine for `SOAK_SECONDS`; the outcome is the test's line of what was done."""
    test = ["tests/engine/test_soak.py::test_all_at_once_for_long", *arguments]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", *test],
        cwd=ROOT, env=os.environ | {"KFORMAT_SOAK_SECONDS": str(SOAK_SECONDS)},
        stdout=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    print(done.stdout, flush=True)
    counted = re.search(r"^(?:soak: )(.*)", done.stdout, re.MULTILINE)
    return Part(counted[1] if counted else f"FAILED (exit status {done.returncode})", done.returncode)


def fuzz(arguments: Sequence[str]) -> Part:
    """Run `make fuzz`, by default for `FUZZ_SECONDS`."""
    given = " ".join(arguments or ("--seconds", str(FUZZ_SECONDS)))
    done = subprocess.run(
        ["make", "--silent", "fuzz", f"ARGS={given}"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    print(done.stdout, flush=True)
    counted = ", ".join(re.findall(r"^(\w+: \w+ inputs)", done.stdout, re.MULTILINE)) or "did not run"
    return Part(f"{counted}; {'nothing found' if done.returncode == 0 else 'FAILED'}", done.returncode)


def bench(arguments: Sequence[str]) -> Part:
    """Run a round of each suite of bench/; ``arguments`` choose others."""
    command = ["make", "--silent", "bench", f"ARGS={' '.join(('--rounds', '1', *arguments))}"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, flush=True)
    count = len(re.findall(r"^\|", done.stdout, re.MULTILINE)) - 2 * len(
        re.findall(r"^\|---", done.stdout, re.MULTILINE)
    )
    return Part(f"{count} lines; {'all ran' if done.returncode == 0 else 'FAILED'}", done.returncode)


def with_versions(resolution: str, arguments: Sequence[str]) -> Part:
    """Run `make test-all` in an environment of its own; ``resolution`` is uv's.

    uv itself is installed into a folder that is deleted afterwards.
    """
    with tempfile.TemporaryDirectory() as scratch:
        tool, environment = f"{scratch}/uv", f"{scratch}/environment"
        uv, python = f"{tool}/bin/uv", f"{environment}/bin/python"
        install = [uv, "pip", "install", "--quiet", "--python", python]
        for command in (
            [sys.executable, "-m", "venv", tool],
            [f"{tool}/bin/pip", "install", "--quiet", "--disable-pip-version-check", "uv"],
            [uv, "venv", "--quiet", "--python", sys.executable, environment],
            [*install, f"--resolution={resolution}", "-e", f".[{EXTRAS}]"],
        ):
            status = subprocess.run(command, cwd=ROOT, check=False).returncode
            if status:
                return Part(f"FAILED to install (exit status {status})", status)
        command = [python, "-m", "pytest", "-p", "no:cacheprovider", *SPREAD, "-m", "not slow", *arguments]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, flush=True)
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    counted = done.stdout.rstrip().rpartition("\n")[2].strip("= ") or f"FAILED (exit status {done.returncode})"
    return Part(counted, done.returncode, {"Failed": failed})


def run(name: str, arguments: Sequence[str]) -> Part:
    """Run a part, and say when, where and how long."""
    parts: dict[str, Callable[[Sequence[str]], Part]] = {
        "damages": damages, "formats": formats, "drawn": drawn, "rows": rows, "logs": logs,
        "spark": spark, "soak": soak, "fuzz": fuzz, "bench": bench,
    }  # fmt: skip
    started, clock, at = datetime.now(UTC), time.monotonic(), commit()
    if name in RESOLUTIONS:
        part = with_versions(RESOLUTIONS[name], arguments)
    elif name in WHOLE:
        part = tests_of(name, arguments)
    else:
        part = parts[name](arguments)
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    part.machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {memory_gib:.0f} GiB"
    part.machine += f", Python {platform.python_version()}"
    part.date, part.commit, part.minutes = f"{started:%Y-%m-%d %H:%M} UTC", at, (time.monotonic() - clock) / 60
    print(f"{name}: {part.outcome}", flush=True)
    return part


def report(parts: dict[str, Part]) -> str:
    """The report's text: of each part what it gave last."""
    lines = [
        "# Nightly run",
        "",
        "Written by `make nightly`: every test, the slow ones too, with "
        f"{EXAMPLES:,} examples wherever a test does not fix their number; damaged bytes; and `make test-all` with "
        "other versions of the packages; mutated files of public formats, next to the classes of Kaitai's compiler; "
        "their rows; and declarations made at random, next to such classes.",
        "",
        "| part | result | tests | date | commit | minutes | machine |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, title in TITLES.items():
        part = parts.get(name)
        if part is None:
            lines.append(f"| {title} | not run yet | | | | | |")
            continue
        result = "sound" if part.status == 0 else f"FAILED (exit status {part.status})"
        about = (part.outcome, part.date, part.commit, f"{part.minutes:.1f}", part.machine)
        lines.append(f"| {title} | {result} | {' | '.join(about)} |")
    for name in TITLES:
        for title, entries in parts[name].sections.items() if name in parts else ():
            if entries:
                lines += ["", f"## {title}: {TITLES[name]}", "", *(f"* {entry}" for entry in entries)]
    return "\n".join(lines) + "\n"


def read_report(text: str) -> dict[str, Part]:
    """The inverse of `report`: what the parts gave when they last ran, in their order."""
    names = {title: name for name, title in TITLES.items()}
    parts: dict[str, Part] = {}
    section: list[str] = []
    for line in text.splitlines():
        if line.startswith("## "):
            title, _, part = line.removeprefix("## ").partition(": ")
            section = parts[names[part]].sections.setdefault(title, [])
        elif line.startswith("* "):
            section.append(line.removeprefix("* "))
        elif line.startswith("| ") and (cells := line.strip("| ").split(" | "))[0] in names and len(cells) == 7:
            title, result, outcome, date, commit, minutes, machine = cells
            status = re.search(r"exit status (-?\d+)", result)
            parts[names[title]] = Part(
                outcome, int(status[1]) if status else 0, {}, date, commit, machine, float(minutes)
            )
    return parts


def main(arguments: list[str]) -> int:
    """Run, and report; the exit status is that of the first part that is not sound."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    names, others = arguments[:split] or list(TITLES), arguments[split + 1 :]
    if "whole" in names:
        names[names.index("whole") : names.index("whole") + 1] = WHOLE
    if unknown := set(names) - set(TITLES):
        print(f"no part {', '.join(sorted(unknown))}; there are {', '.join(TITLES)}", file=sys.stderr)
        return 2
    status = 0
    for name in names:
        part = run(name, others)
        status = status or abs(part.status)
        if others:
            continue
        REPORT.write_text(report(read_report(REPORT.read_text("utf-8")) | {name: part}), encoding="utf-8")
        print(f"report: {REPORT.relative_to(ROOT)}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
