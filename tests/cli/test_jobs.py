"""`-j N`: the same output from several processes, and none of them left over."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kformat.cli import main, tables
from kformat.cli.jobs import Workers
from tests.cli import screens
from tests.damages import BASE_TIMESTAMP_MS, data_batch, segment, write
from tests.samples import ROOT as SAMPLES


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_check_says_the_same(tmp_path: Path) -> None:
    disk = screens.disk(tmp_path / "disk")
    shutil.copytree(SAMPLES / "4.3.1" / "transactions-0", disk / "transactions-0")
    alone, several = run("check", disk, disk / "orders-0"), run("check", disk, disk / "orders-0", "-j", "2")
    assert several.stdout == alone.stdout and several.stdout.count("KF") > 10
    assert (several.stderr, several.exit_code) == (alone.stderr, alone.exit_code) and alone.exit_code == 1
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("format", ["csv", "nl"])
def test_export_writes_the_same(tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    root = tmp_path / "root"
    for name in ("transactions-0", "rolled-by-bytes-0"):
        shutil.copytree(SAMPLES / "4.3.1" / name, root / name)
    broken = next((root / "rolled-by-bytes-0").glob("*200.log"))
    broken.write_bytes(broken.read_bytes()[:-10])
    alone = run("export", root, "--format", format, "-j", "1")
    monkeypatch.setattr(tables, "_WORTH_BYTES", -1)
    several = run("export", root, "--format", format, "--jobs", "2")
    assert several.stdout_bytes == alone.stdout_bytes and several.stdout_bytes.count(b"\n") > 300
    assert (several.stderr, several.exit_code) == (alone.stderr, alone.exit_code) and alone.exit_code == 1
    assert not multiprocessing.active_children()


def test_a_process_that_dies_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="enough memory"), Workers(1) as workers:
        workers.submit(os.abort).result()
    assert not multiprocessing.active_children()


def test_an_error_ends_the_processes() -> None:
    """The one that works, and the one that writes its result."""
    with pytest.raises(KeyError), Workers(2) as workers:
        workers.submit(time.sleep, 600)
        results = [workers.submit(bytes, 1 << 27) for _ in range(2)]
        results[0].result()
        raise KeyError
    assert not multiprocessing.active_children()


def test_interrupts_print_one_line_and_leave_nothing(tmp_path: Path) -> None:
    """As a terminal does it: the whole group of processes gets the signal."""
    pytest.importorskip("pyarrow")
    write(segment(0, [data_batch(3 * number, BASE_TIMESTAMP_MS) for number in range(300)]), tmp_path / "orders-0")
    target = tmp_path / "out" / "x.nl"
    target.parent.mkdir()
    # A worker that takes long, in place of the one that makes lines.
    code = (
        "import time; from kformat.cli import main, tables\n"
        "tables._WORTH_BYTES, tables._text = -1, time.sleep\n"
        "tables._packed = lambda batch: 600\n"
        "submit = tables.Workers.submit\n"
        "tables.Workers.submit = lambda self, function, rows, seconds: submit(self, function, seconds)\n"
        "if __name__ == '__main__': main()\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    command: list[str | Path] = [
        sys.executable,
        script,
        "export",
        tmp_path / "orders-0",
        "-o",
        target,
        "-j",
        "2",
        "--format",
        "nl",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True, text=True)
    try:
        until = time.monotonic() + 120
        while len(_group(process.pid)) < 3 and time.monotonic() < until:  # the call, a tracker, a worker
            time.sleep(0.1)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert (process.returncode, said) == (130, "kformat: interrupted\n")
        while _group(process.pid) and time.monotonic() < until:
            time.sleep(0.1)
        assert not _group(process.pid) and not list(target.parent.iterdir())
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _group(group: int) -> list[int]:
    """The processes of a group that run."""
    listed = subprocess.run(["ps", "-eo", "pid=,pgid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return [int(pid) for pid, of, state in rows if int(of) == group and not state.startswith("Z")]
