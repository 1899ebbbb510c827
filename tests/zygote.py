"""Runs of the command in processes of their own, at the price of a fork: what is slow to import is imported once.

    python -m tests.zygote [MIB SECONDS]

Runs have so much memory besides what this process has, and so much of the processor's time, where that is given.
Standard input has a JSON list per line: the arguments, and what standard output is: a
``file``, ``closed`` as the shell's ``>&-`` leaves it, ``full`` as a disk, or ``unread``, a pipe that nobody reads any
more. What each run leaves is a line of JSON on standard output: ``status``, ``stdout`` and ``stderr`` (in Latin-1).
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import sys
import tempfile
from typing import IO, Any

import click

from kformat.cli import main

LINES = b'{"value": "text:one"}\n{"value": "text:two"}\n'
"""What each run has on standard input."""


def imported() -> None:
    """Import what the verbs do, and no more than the environment has."""
    for name in ("numba", "pyarrow", "pyarrow.csv"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for verb in main.list_commands(click.Context(main)):
        main.get_command(click.Context(main), verb)


def become(output: str, lines: IO[bytes], stdout: IO[bytes], stderr: IO[bytes]) -> None:
    """Give this process the streams of a run."""
    os.dup2(lines.fileno(), 0)
    os.dup2(stderr.fileno(), 2)
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    if output == "closed":
        os.close(1)
        sys.stdout = None  # as the interpreter has it then
        return
    if output == "file":
        os.dup2(stdout.fileno(), 1)
    elif output == "full":
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
    else:
        reading, writing = os.pipe()
        os.close(reading)
        os.dup2(writing, 1)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # strict, as under most locales


def limit(most_mib: int, most_seconds: int) -> None:
    """Limit this process, on Linux."""
    with open("/proc/self/statm", encoding="ascii") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + (most_mib << 20), -1))
    resource.setrlimit(resource.RLIMIT_CPU, (most_seconds, -1))


def run(arguments: list[str], output: str, replies: IO[str]) -> dict[str, Any]:
    """One run, as the description of this module has it."""
    with tempfile.TemporaryFile() as lines, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        lines.write(LINES)
        lines.seek(0)
        child = os.fork()
        if not child:
            become(output, lines, stdout, stderr)
            replies.close()
            if sys.argv[1:]:
                limit(*map(int, sys.argv[1:]))
            sys.argv = ["kformat", *arguments]
            main()  # leaves by SystemExit, or by what ought not to happen, to the interpreter's own end
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        found = []
        for file in (stdout, stderr):
            file.seek(0)
            found.append(file.read().decode("latin-1"))
    return {"status": status, "stdout": found[0], "stderr": found[1]}


def serve() -> None:
    """Run what is asked for until nobody asks."""
    imported()
    with open(os.dup(1), "w", encoding="ascii") as replies:
        for line in sys.stdin:
            arguments, output = json.loads(line)
            replies.write(json.dumps(run(arguments, output, replies)) + "\n")
            replies.flush()


if __name__ == "__main__":
    serve()
