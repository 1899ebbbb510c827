"""The long forms of the tests, and their report in docs/nightly.md.

    python -m tools.nightly [PYTEST ARGUMENT...]
    python -m tools.nightly --versions [PYTEST ARGUMENT...]

Runs every test, the slow ones too, with hypothesis trying many times as many examples wherever a test does not fix
their number, and writes down what was run: when, at which commit, on what machine, how many tests of which kind, how
long, what failed, what was skipped and why. Without arguments, damaged bytes go through every reader before that
(`tools.differential`), other ones each day; docs/differences.md tells what came of it. And `make test` runs in two more
environments: with the oldest versions of all packages that pyproject.toml allows, and with the newest ones. With
--versions that is all that runs, with the arguments for pytest that are given, and nothing is written down.
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
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest

from tools.documents import ROOT

REPORT = ROOT / "docs" / "nightly.md"
MARKERS = ("slow", "judge", "broker", "spark")
EXAMPLES = 2000
STREAM_SECONDS = 600
RESOLUTIONS = {"oldest": "lowest-direct", "newest": "highest"}
"""Which versions -> what uv calls to choose them."""
EXTRAS = "spark,arrow,test"
"""As in the Makefile."""
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


def with_versions(resolution: str, arguments: Sequence[str]) -> tuple[str, int]:
    """Run `make test` in an environment of its own: what the report says of it, and the exit status.

    ``resolution`` is uv's. uv itself is installed into a folder that is deleted afterwards.
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
                return f"FAILED to install (exit status {status})", status
        command = [python, "-m", "pytest", "-p", "no:cacheprovider", *SPREAD, "-m", "not slow", *arguments]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, flush=True)
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    counted = done.stdout.rstrip().rpartition("\n")[2].strip("= ") or f"FAILED (exit status {done.returncode})"
    return counted + "".join(f"; FAILED {test}" for test in failed), done.returncode


def report(
    recorder: Recorder, started: datetime, seconds: float, status: int, damaged: str, versions: Mapping[str, str]
) -> str:
    """The report's text; ``damaged``: what `differences` says; ``versions``: what `with_versions` says of each."""
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
        *(f"| `make test` with the {name} packages | {text} |" for name, text in versions.items()),
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
    """Run and report; the exit status is pytest's, or that of `differences` or `with_versions`."""
    only_versions = arguments[:1] == ["--versions"]
    ran = {}
    if only_versions or not arguments:
        ran = {name: with_versions(resolution, arguments[1:]) for name, resolution in RESOLUTIONS.items()}
    versions = {name: text for name, (text, _) in ran.items()}
    not_sound = max((abs(status) for _, status in ran.values()), default=0)
    if only_versions:
        print("\n".join(f"{name}: {text}" for name, text in versions.items()))
        return not_sound
    recorder, started, clock = Recorder(), datetime.now(UTC), time.monotonic()
    damaged, failed = ("", 0) if arguments else differences(started.toordinal())
    os.environ["KFORMAT_EXAMPLES"] = str(EXAMPLES)  # read by tests/conftest.py, in each of the processes
    os.environ["KFORMAT_STREAM_SECONDS"] = str(STREAM_SECONDS)  # read by tests/test_spark_follow.py
    status = int(pytest.main([*SPREAD, *arguments], plugins=[recorder])) or failed or not_sound
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(report(recorder, started, time.monotonic() - clock, status, damaged, versions), encoding="utf-8")
    print(f"report: {REPORT.relative_to(ROOT)}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
