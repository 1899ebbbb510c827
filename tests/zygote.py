"""The command `kformat` in processes of their own, at the price of a fork: what is slow to import is imported once.

    python -m tests.zygote SOCKET [MIB SECONDS]

Whoever connects to the socket sends three open files and a line of JSON: the arguments, the folder, the environment,
and which of the standard streams the files are; the exit status comes back, as text. Runs have so much memory besides
what this process has, and so much of the processor's time, where that is given. It ends with its standard input.

`Zygote` starts one. `Zygote.run` is for tests of streams; `Zygote.folder` holds a `kformat` for the PATH of a shell.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from kformat import grep
from kformat.cli import main

ROOT = Path(__file__).resolve().parents[1]
LINES = b'{"value": "text:one"}\n{"value": "text:two"}\n'
"""What `Zygote.run` gives on standard input."""
_CLIENT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({path!r})
    request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ), [0, 1, 2]])
    socket.send_fds(server, [request.encode() + b"\\n"], [0, 1, 2])
    status = int(server.makefile().read())
sys.exit(status)
"""


class Ran(NamedTuple):
    """What a run left: ``status`` is negative for a signal."""

    status: int
    stdout: bytes
    stderr: bytes


class Zygote:
    """One that runs until it is closed, or this process ends."""

    def __init__(self, *limits: int) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="zygote-")
        self.folder = Path(self._home.name)
        self._path = str(self.folder / "socket")
        command = [sys.executable, "-m", "tests.zygote", self._path, *map(str, limits)]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        client = self.folder / "kformat"
        client.write_text(_CLIENT.format(python=sys.executable, path=self._path), encoding="utf-8")
        client.chmod(0o700)
        assert self._process.stdout is not None and self._process.stdout.readline(), "it did not start"

    def close(self) -> None:
        with self._process as process:
            assert process.stdin is not None
            process.stdin.close()
        self._home.cleanup()

    def run(self, arguments: Sequence[str], output: str = "file") -> Ran:
        """One run; standard output is a ``file``, ``closed`` as the shell's ``>&-`` leaves it, ``full`` as a disk, or
        ``unread``, a pipe that nobody reads any more; ``all full`` and ``all unread``: standard error, too."""
        with tempfile.TemporaryFile() as lines, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            lines.write(LINES)
            lines.seek(0)
            files = {0: lines.fileno(), 2: stderr.fileno()}
            opened = None
            if output == "file":
                files[1] = stdout.fileno()
            else:
                if output.endswith("full"):
                    opened = os.open("/dev/full", os.O_WRONLY)
                elif output.endswith("unread"):
                    reading, opened = os.pipe()
                    os.close(reading)
                if opened is not None:
                    files |= {1: opened, 2: opened} if output.startswith("all ") else {1: opened}
            request = json.dumps([list(map(str, arguments)), str(ROOT), dict(os.environ), list(files)])
            with socket.socket(socket.AF_UNIX) as server:
                server.connect(self._path)
                socket.send_fds(server, [request.encode() + b"\n"], list(files.values()))
                if opened is not None:
                    os.close(opened)
                status = int(server.makefile().read())
            found = []
            for file in (stdout, stderr):
                file.seek(0)
                found.append(file.read())
        return Ran(status, found[0], found[1])


@contextlib.contextmanager
def zygote(*limits: int) -> Iterator[Zygote]:
    """One as long as the block lasts."""
    started = Zygote(*limits)
    try:
        yield started
    finally:
        started.close()


def imported() -> None:
    """Import what the verbs do, and no more than the environment has."""
    for name in ("numba", "pyarrow", "pyarrow.csv"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for verb in main.list_commands(click.Context(main)):
        main.get_command(click.Context(main), verb)
    list(grep(ROOT / "samples" / "walkthrough" / "lookup-0", b"one"))  # numba imports much before its first function


def become(streams: list[int], files: list[int]) -> None:
    """Give this process the streams of a run."""
    for number in {0, 1, 2} - set(streams):
        os.close(number)
    for number, file in zip(streams, files, strict=True):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
    # None: as the interpreter has it then. Strict, as under most locales.
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False) if 1 in streams else None


def limit(most_mib: int, most_seconds: int) -> None:
    """Limit this process, on Linux."""
    with open("/proc/self/statm", encoding="ascii") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + (most_mib << 20), -1))
    resource.setrlimit(resource.RLIMIT_CPU, (most_seconds, -1))


def answer(asked: socket.socket, limits: list[int]) -> None:
    """One run, in a child of this process, which is one of the server's. Only in the former does it return."""
    data, files, _, _ = socket.recv_fds(asked, 1 << 20, 3)
    while not data.endswith(b"\n"):
        data += asked.recv(1 << 20)
    arguments, folder, environment, streams = json.loads(data)
    child = os.fork()
    if child:
        for file in files:
            os.close(file)
        asked.sendall(b"%d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        os._exit(0)
    asked.close()
    become(streams, files)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    if limits:
        limit(*limits)
    sys.argv = ["kformat", *arguments]


def serve(path: str, limits: list[int]) -> None:
    """Wait for runs; returns in the process of each, and where standard input ends."""
    imported()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        print("ready", flush=True)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            ready, _, _ = select.select([listening.fileno(), 0], [], [])
            if 0 in ready:
                os._exit(0)
            asked, _ = listening.accept()
            if not os.fork():
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                answer(asked, limits)
                return
            asked.close()


if __name__ == "__main__":
    serve(sys.argv[1], list(map(int, sys.argv[2:])))
    main()  # leaves by SystemExit, or by what ought not to happen, to the interpreter's own end
