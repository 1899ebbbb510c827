"""Small mistakes in the product, one at a time, and which test notices: what the suite is worth.

    python -m tools.mutants                          all of tests/mutants.toml, each first with the tests near to it
    python -m tools.mutants --near                   and with no others: what survives may still be found by them
    python -m tools.mutants NAME...                  some of them; a name may be the beginning of several
    python -m tools.mutants --write                  docs/mutants.md, too
    python -m tools.mutants NAME... -- PYTEST ARGUMENT...    with these tests instead of all that `make test` runs

Each mistake is made in a copy of the tree, never in place. Tests stop at the first that fails; it is named, and has
to pass when the mistake is taken back: else it is passed over. Tests that do not end kill a mutant as well. The exit
status is 0 when none survives.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.documents import ROOT
from tools.nightly import commit

LIST = ROOT / "tests" / "mutants.toml"
REPORT = ROOT / "docs" / "mutants.md"
PRODUCT = ("kformat", "engine", "pyspark_kformat")
LINKED = (".venv", ".judges")
"""What is not in the tree, and needed in addition to a copy of it."""
SUITE = ("-n", "auto", "--dist", "loadfile", "-m", "not slow and not judge and not broker and not long")
NEAR = ("-m", "not slow and not judge and not broker and not spark")
TIMEOUT_S = 1200
_COLLECTED, _NOTHING_COLLECTED = 2, 5


@dataclass(frozen=True)
class Mutant:
    """``text``, which stands once in the product, as a rule in ``file``, ``becomes`` another one; that ``breaks``
    something, which the tests ``near`` to it are the first to be asked about."""

    name: str
    file: str
    text: str
    becomes: str
    breaks: str
    near: tuple[str, ...]

    def place(self, root: Path) -> Path:
        """The file that has the text now: the usual one, or else the only one. ValueError unless it is there once."""
        usual = root / self.file
        if usual.exists() and usual.read_text("utf-8").count(self.text) == 1:
            return usual
        files = sorted(path for part in PRODUCT for path in (root / part).rglob("*.py"))
        counts = {path: path.read_text("utf-8").count(self.text) for path in files}
        found = [path for path, count in counts.items() if count]
        if len(found) != 1 or counts[found[0]] != 1:
            raise ValueError(f"{self.name}: its text stands in {len(found)} files, expected once in one")
        return found[0]


@dataclass(frozen=True)
class Outcome:
    """How a mutant fared: ``killer`` is the first test that failed, "" where none did."""

    mutant: Mutant
    file: str
    killer: str
    seconds: float


def mutants(names: Sequence[str] = ()) -> list[Mutant]:
    """All of the list, or those whose names begin so."""
    found = [Mutant(**one | {"near": tuple(one["near"])}) for one in tomllib.loads(LIST.read_text("utf-8"))["mutant"]]
    return [one for one in found if not names or one.name.startswith(tuple(names))]


def copied(target: Path) -> None:
    """The tree as it is now, without what git does not know."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    for name in LINKED:
        if (ROOT / name).exists():
            (target / name).symlink_to((ROOT / name).resolve())


def tested(tree: Path, arguments: Sequence[str]) -> str:
    """The first test that fails in a tree, or what else went wrong; "" where all pass."""
    path = os.pathsep.join((str(tree), str(tree / "engine")))
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider"]
    try:
        done = subprocess.run(
            [*command, *arguments],
            cwd=tree,
            env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"nothing ends within {TIMEOUT_S} s"
    if done.returncode in (0, _NOTHING_COLLECTED):
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    if failed is None:
        if done.returncode > _COLLECTED:
            raise RuntimeError(done.stdout)
        return "the tests cannot be collected"
    return failed[1]


def run(mutant: Mutant, tree: Path, rounds: Sequence[Sequence[str]], unsound: list[str]) -> Outcome:
    """Make one mistake in a copy, ask the tests round by round, and take it back.

    ``unsound`` collects tests that fail without it, too: those are not asked again.
    """
    file = mutant.place(tree)
    right, started, killer = file.read_text("utf-8"), time.monotonic(), ""
    wrong = right.replace(mutant.text, mutant.becomes)
    left = list(rounds)
    while left and not killer:
        try:
            _put(file, wrong)
            killer = tested(tree, [*left[0], *(f"--deselect={test}" for test in unsound)])
        finally:
            _put(file, right)
        if "::" in killer and tested(tree, [killer]):
            unsound.append(killer)
            killer = ""
        else:
            del left[0]
    return Outcome(mutant, str(file.relative_to(tree)), killer, time.monotonic() - started)


def _put(file: Path, text: str) -> None:
    """Write a source so that what was compiled of it before is known, by its time, to be of another text."""
    before = file.stat().st_mtime
    file.write_text(text, encoding="utf-8")
    after = max(time.time(), before + 2)
    os.utime(file, (after, after))


def report(outcomes: Sequence[Outcome]) -> str:
    """The text of docs/mutants.md."""
    killed = sum(bool(one.killer) for one in outcomes)
    lines = [
        "# Mutants",
        "",
        "Small mistakes made in the product, one at a time, and the first test that fails then. "
        "Written by `python -m tools.mutants --write`.",
        "",
        f"{killed} of {len(outcomes)} killed, at {commit()}.",
        "",
        "| mutant | file | what is broken | killed by | seconds |",
        "|---|---|---|---|---|",
    ]
    for one in outcomes:
        killer = f"`{one.killer}`" if one.killer else "**survived**"
        killer = killer.replace("|", "\\|")
        lines.append(f"| {one.mutant.name} | `{one.file}` | {one.mutant.breaks} | {killer} | {one.seconds:.0f} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Run those that are asked for, and tell of each how it fared."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(prog="python -m tools.mutants")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--near", action="store_true")
    parser.add_argument("--write", action="store_true")
    given, tests = parser.parse_args(arguments[:split]), arguments[split + 1 :]
    wanted = mutants(given.names)
    for one in wanted:
        one.place(ROOT)  # what cannot be made is reported before hours of tests
    outcomes: list[Outcome] = []
    unsound: list[str] = []
    with tempfile.TemporaryDirectory(prefix="kformat-mutants-") as folder:
        tree = Path(folder) / "tree"
        copied(tree)
        for one in wanted:
            rounds = [tests] if tests else [[*NEAR, *one.near], *([] if given.near else [SUITE])]
            outcomes.append(run(one, tree, rounds, unsound))
            print(f"{outcomes[-1].killer or 'SURVIVED'}  {one.name} ({outcomes[-1].seconds:.0f} s)", flush=True)
            if given.write:
                REPORT.write_text(report(outcomes), encoding="utf-8")
    survived = [one.mutant.name for one in outcomes if not one.killer]
    print(f"{len(outcomes) - len(survived)} of {len(outcomes)} killed", *survived)
    if unsound:
        print("fail without any mistake, and were not counted:", *unsound)
    return int(bool(survived))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
