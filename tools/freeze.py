"""What kformat makes of the samples, as hashes: taken before a change that must not change it, and compared after it.

    python -m tools.freeze FOLDER               write them
    python -m tools.freeze --against FOLDER     compare with what FOLDER has; exit status 1, and a line per difference

`FOLDER/lines` has a line for each: a sha256 and what it is of: the standard output, standard error and exit status of a
command over a partition or a file of `samples/`, the indexes that `kformat reindex` makes of its logs, a file of the
corpus (seed 7, with damages), the help of a command, the rows of an operation in Spark; and without a hash each test
id. `FOLDER/inputs` has files of public formats, sound and damaged: what is parsed, built, exported and found in them is
in the lines, too. Comparing reads those files, because their writers choose bytes at random. Commands run in this
process's own kformat, so that the tree is judged that the module lies in.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import click
from click.testing import CliRunner

from kformat import load_declaration
from kformat.cli import main as kformat
from tests.columns.mutations import ROWS
from tests.language.public import HERE, Missing, mutants
from tools.documents import ROOT

SAMPLES = Path("samples")
COLUMNS = (
    "key,value,topic,partition,offset,timestamp,timestampType,headers,partition_leader_epoch,producer_id,"
    "producer_epoch,base_sequence,batch_base_offset,batch_position,compression,is_transactional,is_control"
)
DUMPED = (".log", ".index", ".timeindex", ".txnindex", ".snapshot", ".checkpoint", "-checkpoint", ".metadata")
SPARK_ROOT = "4.3.1"
SEED = "7"
MOST_BYTES = 200_000
SOUND, DAMAGED = 4, 3
"""Files of a format, and damaged copies of each."""

Line = tuple[str, str]
"""A hash (empty for a test id), and what it is of."""


def ran(*arguments: str, folder: Path | None = None, stdin: bytes | None = None) -> Line:
    """What a command says, less the name of the folder that its files lie in."""
    done = CliRunner().invoke(kformat, list(arguments), input=stdin)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    text = b"\0".join((done.stdout_bytes, done.stderr_bytes, str(done.exit_code).encode()))
    what = f"kformat {' '.join(arguments)}"
    if folder is not None:
        text, what = text.replace(f"{folder}/".encode(), b""), what.replace(f"{folder}/", "")
    return hashlib.sha256(text).hexdigest(), what


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


def write_inputs(folder: Path) -> None:
    """Files of all public formats that can be written here, and damaged copies of them."""
    for name in sorted(path.stem for path in HERE.glob("*.ksy")):
        with tempfile.TemporaryDirectory() as scratch:
            try:
                files = mutants.write([name], Path(scratch))[name]
            except (Missing, KeyError):
                continue
        target = folder / name
        target.mkdir(parents=True)
        chance, declared = random.Random(f"{SEED} {name}"), load_declaration(HERE / f"{name}.ksy")
        for number, data in enumerate([data for data in files if len(data) <= MOST_BYTES][:SOUND]):
            (target / f"{number}").write_bytes(data)
            fields = mutants.fields_of(declared, data)
            for damage in range(DAMAGED):
                (target / f"{number}.{damage}").write_bytes(mutants.mutated(data, fields, chance))


def of_format(folder: Path) -> list[Line]:
    """What is said of files of a public format: a folder that is named after it."""
    declared = str((HERE / f"{folder.name}.ksy").relative_to(ROOT))
    row = ROWS.get(folder.name)
    lines = [ran("describe", declared)]
    for file in sorted(str(path) for path in folder.iterdir()):
        how = ("--as", declared, file)
        lines.append(ran("parse", *how, "--instances", "--partial", "--trailing", "keep", folder=folder.parent))
        parsed = CliRunner().invoke(kformat, ["parse", *how, "--trailing", "keep"])
        if parsed.exit_code == 0:
            digest, _ = ran("build", "--as", declared, "-", folder=folder.parent, stdin=parsed.stdout_bytes)
            lines.append((digest, f"kformat build --as {declared} of {folder.name}/{Path(file).name}"))
        for verb in ("check", "stats", "dump"):
            lines.append(ran(verb, *how, folder=folder.parent))
        lines.append(ran("dump", "--hex", *how, folder=folder.parent))
        rows = () if row is None else ("--row", row)
        lines.append(ran("export", *how, *rows, "--format", "nl", folder=folder.parent))
        lines.append(ran("export", *how, *rows, "--format", "nl", "--on-corrupt", "report", folder=folder.parent))
    return lines


def of_spark() -> Iterator[Line]:
    """The rows of each operation of `tests.spark.operations`, over one root."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "tests.spark.operations", str(SAMPLES / SPARK_ROOT), scratch]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    for name, outcome in json.loads(done.stdout).items():
        yield hashlib.sha256(json.dumps(outcome).encode()).hexdigest(), f"spark {name}"


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


def helps(path: tuple[str, ...], command: click.Command) -> Iterator[Line]:
    """The help of a command, and of all that it has."""
    yield ran(*path, "--help")
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None:
                yield from helps((*path, name), found)


def frozen(inputs: Path) -> list[Line]:
    """All of it, and of the files of public formats in a folder."""
    os.chdir(ROOT)  # messages name files as they were given
    folders = sorted({path.parent for path in SAMPLES.rglob("*.log")})
    lines = list(helps((), kformat))
    lines += [ran("ls", str(path), "--all", "--format", "json") for path in sorted(SAMPLES.iterdir()) if path.is_dir()]
    with ProcessPoolExecutor() as pool:
        for found in pool.map(of_partition, folders, chunksize=8):
            lines += found
        for found in pool.map(of_format, sorted(inputs.iterdir())):
            lines += found
    return [*lines, *of_spark(), *corpus(), *tests()]


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
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--against", action="store_true", help="compare with FOLDER instead of writing it")
    given = parser.parse_args(arguments)
    folder = given.folder.absolute()
    file, inputs = folder / "lines", folder / "inputs"
    if not given.against:
        write_inputs(inputs)
    lines = text_of(frozen(inputs))
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
