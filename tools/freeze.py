"""What kformat makes of the samples, as hashes: taken before a change that must not change it, and compared after it.

    python -m tools.freeze FILE               write them
    python -m tools.freeze --against FILE     compare with what FILE has; exit status 1 and one line per difference

A line is a sha256 and what it is of: the standard output, standard error and exit status of a command over a partition
or a file of `samples/`, the indexes that `kformat reindex` makes of its logs, a file of the corpus (seed 7, with
damages), the help of a command; and without a hash each test id. Commands run in this process's own kformat, so that
the tree is judged that the module lies in.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from click.testing import CliRunner

from kformat.cli import main as kformat
from tools.documents import ROOT

SAMPLES = Path("samples")
COLUMNS = (
    "key,value,topic,partition,offset,timestamp,timestampType,headers,partition_leader_epoch,producer_id,"
    "producer_epoch,base_sequence,batch_base_offset,batch_position,compression,is_transactional,is_control"
)
DUMPED = (".log", ".index", ".timeindex", ".txnindex", ".snapshot", ".checkpoint", "-checkpoint", ".metadata")
VERBS = (
    *("build", "check", "corpus", "describe", "diff", "dump", "explain", "export", "find", "formats", "grep"),
    *("log", "ls", "parse", "reindex", "spark", "stats"),
)
SEED = "7"

Line = tuple[str, str]
"""A hash (empty for a test id), and what it is of."""


def ran(*arguments: str) -> Line:
    """What a command says."""
    done = CliRunner().invoke(kformat, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    text = b"\0".join((done.stdout_bytes, done.stderr_bytes, str(done.exit_code).encode()))
    return hashlib.sha256(text).hexdigest(), f"kformat {' '.join(arguments)}"


def hashed(path: Path, what: str) -> Line:
    return hashlib.sha256(path.read_bytes()).hexdigest(), what


def of_partition(folder: Path) -> list[Line]:
    """What is said of a partition's folder, and of each file in it."""
    lines = [
        ran("check", str(folder), "--format", "json", "--severity", "info"),
        ran("stats", str(folder), "--records", "--format", "json"),
        ran("export", str(folder), "--format", "nl", "--include-control", "--columns", COLUMNS),
        ran("export", str(folder), "--format", "nl", "--isolation-level", "read_committed"),
        ran(
            "find",
            str(folder),
            "--timestamp",
            "earliest",
            "--timestamp",
            "latest",
            "--timestamp",
            "max",
            "--format",
            "json",
        ),
    ]
    files = sorted(path for path in folder.iterdir() if path.is_file())
    for path in files:
        if path.name.endswith(DUMPED):
            lines.append(ran("dump", str(path), *(["--print-data-log"] if path.suffix == ".log" else [])))
            lines.append(ran("dump", str(path), "--format", "json"))
        if path.suffix == ".log":
            lines.append(ran("parse", "--as", "log", str(path), "--format", "nl"))
    return lines + list(rebuilt(folder))


def rebuilt(folder: Path) -> Iterator[Line]:
    """The indexes that are made of a partition's logs."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, folder.name)
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.index", "*.timeindex"))
        CliRunner().invoke(kformat, ["reindex", str(copy)])
        for path in sorted((*copy.glob("*.index"), *copy.glob("*.timeindex"))):
            yield hashed(path, f"rebuilt {folder / path.name}")


def corpus() -> Iterator[Line]:
    """The files of the corpus; not its manifest, which names versions."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "corpus")
        ran("corpus", "write", str(out), "--seed", SEED, "--damage")
        for path in sorted(out.rglob("*")):
            if path.is_file() and path != out / "manifest.json":
                yield hashed(path, f"corpus {path.relative_to(out)}")


def tests() -> Iterator[Line]:
    """The ids of all tests."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    for line in sorted(done.stdout.splitlines()):
        if "::" in line:
            yield "", f"test {line}"


def frozen() -> list[Line]:
    """All of it."""
    os.chdir(ROOT)  # messages name files as they were given
    folders = sorted({path.parent for path in SAMPLES.rglob("*.log")})
    lines = [ran(verb, "--help") for verb in VERBS]
    lines += [ran("ls", str(path), "--all", "--format", "json") for path in sorted(SAMPLES.iterdir()) if path.is_dir()]
    with ProcessPoolExecutor() as pool:
        for found in pool.map(of_partition, folders, chunksize=8):
            lines += found
    return [*lines, *corpus(), *tests()]


def text_of(lines: list[Line]) -> list[str]:
    return [f"{digest}  {what}" if digest else what for digest, what in lines]


def differences(before: list[str], after: list[str]) -> Iterator[str]:
    """One line for what is gone, new or another."""

    def by_name(lines: list[str]) -> dict[str, str]:
        return {line.partition("  ")[2] or line: line for line in lines}

    old, new = by_name(before), by_name(after)
    for name in old:
        if name not in new:
            yield f"gone     {name}"
        elif old[name] != new[name]:
            yield f"changed  {name}"
    for name in new:
        if name not in old:
            yield f"new      {name}"


def main(arguments: list[str]) -> int:
    """Write or compare; the exit status is 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.freeze", description="Hashes of what kformat makes.")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--against", action="store_true", help="compare with FILE instead of writing it")
    given = parser.parse_args(arguments)
    file = given.file.absolute()
    lines = text_of(frozen())
    if not given.against:
        file.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogateescape")
        print(f"{len(lines)} lines written to {file}")
        return 0
    before = file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    found = list(differences(before, lines))
    print("\n".join([*found, f"{len(found)} differences in {len(lines)} lines"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
