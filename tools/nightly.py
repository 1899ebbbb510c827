"""The long forms of the tests, and their report in docs/nightly.md.

    python -m tools.nightly [PYTEST ARGUMENT...]

Runs every test, the slow ones too, with hypothesis trying many times as many examples wherever a test does not fix
their number, and writes down what was run: when, at which commit, on what machine, how many tests of which kind, how
long, what failed, what was skipped and why. Without arguments, damaged bytes go through every reader before that
(`tools.differential`), other ones each day; docs/differences.md tells what came of it.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime

import pytest

from tools.documents import ROOT

REPORT = ROOT / "docs" / "nightly.md"
MARKERS = ("slow", "judge", "broker", "spark")
EXAMPLES = 2000
STREAM_SECONDS = 600
SPREAD = ("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")


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


def commit() -> str:
    """The commit that is checked out, and whether the tree differs from it."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", f":!{REPORT.relative_to(ROOT)}")
    return git("rev-parse", "--short=12", "HEAD") + (" with uncommitted changes" if changed else "")


def differences(seed: int) -> tuple[str, int]:
    """Show damaged bytes to every reader (`tools.differential`): what the report says of it, and the exit status."""
    command = [sys.executable, "-m", "tools.differential", "--seed", str(seed), "--write"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, flush=True)
    counted = done.stdout.partition(":")[0]
    return f"{counted}, {'all disagreements known' if done.returncode == 0 else 'FAILED'}", done.returncode


def report(recorder: Recorder, started: datetime, seconds: float, status: int, damaged: str) -> str:
    """The report's text; ``damaged``: what `differences` says."""
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    lines = [
        "# Nightly run",
        "",
        "Written by `make nightly`: every test, the slow ones too, and hypothesis with "
        f"{EXAMPLES:,} examples wherever a test does not fix their number.",
        "",
        "| | |",
        "|---|---|",
        f"| date | {started:%Y-%m-%d %H:%M} UTC |",
        f"| commit | {commit()} |",
        f"| machine | {platform.system()} {platform.machine()}, {os.cpu_count()} cores, {memory_gib:.0f} GiB |",
        f"| Python | {platform.python_version()} |",
        f"| result | {'sound' if status == 0 else f'FAILED (exit status {status})'} |",
        f"| tests | {', '.join(f'{count} {name}' for name, count in sorted(recorder.outcomes.items()))} |",
        f"| of these | {', '.join(f'{recorder.by_marker[marker]} {marker}' for marker in MARKERS)} |",
        *([f"| [damaged bytes](differences.md) | {damaged} |"] if damaged else []),
        f"| time | {seconds / 60:.1f} minutes |",
    ]
    sections = (
        ("Failed", recorder.failed),
        ("Skipped", [f"{count} × {reason}" for reason, count in sorted(recorder.skipped.items())]),
        ("Slowest", [f"{ms / 1000:.1f} s {test}" for test, ms in recorder.slowest.most_common(10)]),
    )
    for title, entries in sections:
        if entries:
            lines += ["", f"## {title}", "", *(f"* {entry}" for entry in entries)]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Run and report; the exit status is pytest's, or that of `differences`."""
    recorder, started, clock = Recorder(), datetime.now(UTC), time.monotonic()
    damaged, failed = ("", 0) if arguments else differences(started.toordinal())
    os.environ["KFORMAT_EXAMPLES"] = str(EXAMPLES)  # read by tests/conftest.py, in each of the processes
    os.environ["KFORMAT_STREAM_SECONDS"] = str(STREAM_SECONDS)  # read by tests/test_spark_follow.py
    status = int(pytest.main([*SPREAD, *arguments], plugins=[recorder])) or failed
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(report(recorder, started, time.monotonic() - clock, status, damaged), encoding="utf-8")
    print(f"report: {REPORT.relative_to(ROOT)}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
