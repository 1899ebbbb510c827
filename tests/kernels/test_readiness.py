"""When kernels read, and who compiles them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kformat.errors import MissingDependencyError
from kformat.kernels import readiness
from kformat.kernels.cache import machine_code_folder
from kformat.kernels.readiness import Job, Readiness
from kformat.storage.root_lock import LOCK_FILE, RootLock
from tests.cli.test_cli import run

NOTHING = Job("time", "sleep", (0,))
FAILS = Job("builtins", "int", ("no number",))

Make = Callable[..., Readiness]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Readiness of a job, with a cache of its own."""
    monkeypatch.setenv("KFORMAT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("KFORMAT_COMPILE", "")
    monkeypatch.setattr(readiness, "processors", lambda: 2)
    return lambda job=NOTHING, made_of="": Readiness(lambda: job, lambda: made_of, load_bytes=10, compile_bytes=100)


def steps(found: Readiness, *sizes: int) -> list[bool]:
    return [found.are_ready(size) for size in sizes]


def test_machine_code_in_the_cache_is_loaded_when_that_pays(make: Make) -> None:
    make().compile()
    assert make().is_compiled() and not make(made_of="other").is_compiled()
    assert steps(make(), 9, 0, 1, 0) == [False, False, True, True]
    assert [make().would_be(size) for size in (9, 10)] == [False, True]
    assert [make(made_of="other").would_be(size) for size in (99, 100)] == [False, True]


def test_another_process_compiles_while_the_codec_reads(make: Make, tmp_path: Path) -> None:
    found = make(Job("os", "mkdir", (str(tmp_path / "made"),)))
    assert steps(found, 50, 49) == [False, False] and not (tmp_path / "made").exists()
    found.are_ready(1)
    found.wait()
    assert found.are_ready(0) and (tmp_path / "made").is_dir() and found.is_compiled()


def test_it_is_waited_for_in_the_end(make: Make) -> None:
    slow = make(Job("time", "sleep", (0.5,)))
    assert steps(slow, 100, 299) == [False, False]
    assert steps(slow, 1) == [True] and slow.is_compiled()


def test_one_at_a_time_compiles_what_is_not_there(make: Make, tmp_path: Path) -> None:
    """A second run of the same job would fail."""
    job = Job("os", "mkdir", (str(tmp_path / "made"),))
    several = [make(job) for _ in range(3)]
    folder = machine_code_folder()
    assert folder is not None
    with RootLock(folder).take():
        assert [found.are_ready(100) for found in several] == [False, False, False]
    for found in several:
        found.wait()
        assert found._process is not None and found._process.returncode == 0
    make(job).compile()


def test_a_lock_that_is_a_link_keeps_nobody_from_compiling(make: Make, tmp_path: Path) -> None:
    folder = machine_code_folder()
    assert folder is not None
    (folder / LOCK_FILE).symlink_to(tmp_path / "elsewhere")
    make().compile()
    assert make().is_compiled() and not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("why", ["asked for", "no cache", "one processor", "a task", "no numba", "it failed"])
def test_this_process_compiles_where_no_other_does(make: Make, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = make(FAILS if why == "it failed" else NOTHING)
    match why:
        case "asked for":
            monkeypatch.setenv("KFORMAT_COMPILE", "here")
        case "no cache":
            monkeypatch.setattr(readiness, "machine_code_folder", lambda: None)
        case "one processor":
            monkeypatch.setattr(readiness, "processors", lambda: 1)
        case "a task":
            monkeypatch.setattr(readiness, "_may_start", False)
        case "no numba":
            monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert steps(found, 99) == [False]
    first = found.are_ready(1)
    found.wait()
    assert (first, found.are_ready(0), found._process is None) == (why != "it failed", True, why != "it failed")
    assert found.is_compiled() == (why not in ("no cache", "it failed"))


ROWS = """
meta: {id: warm_rows, endian: be}
seq: [{id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: length, type: u1}, {id: body, type: str, encoding: ASCII, size: length}]}}
"""


def test_warm_compiles_for_other_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KFORMAT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "warm_rows.ksy").write_text(ROWS)
    (tmp_path / "data").write_bytes(b"\3abc" * 300_000)
    program = "import kformat, sys; scan = kformat.scan(*sys.argv[1:]); scan.to_arrow(); print(scan.read_by)"
    command = [sys.executable, "-c", program, str(tmp_path / "data"), str(tmp_path / "warm_rows.ksy")]

    def read_by() -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.strip()

    assert read_by().startswith("the codec")
    for said in ("compiled in ", "compiled before"):
        result = run("warm", tmp_path / "warm_rows.ksy")
        assert (result.exit_code, result.stderr) == (0, "") and f"rows rows (row): {said}" in result.stdout
    assert read_by() == "a kernel"


def test_warm_says_what_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("warm", "offset_index")
    assert (result.exit_code, result.stderr) == (0, "") and "need no kernel: numpy reads them" in result.stdout
    assert run("warm", "--row", "entries").exit_code == 2

    def missing(*_: Any) -> None:
        raise MissingDependencyError("numba", "fast")

    monkeypatch.setattr(Readiness, "compile", missing)
    assert run("warm").exit_code == 3
    monkeypatch.setattr("kformat.cli.formats.machine_code_folder", lambda: None)
    assert run("warm").exit_code == 2
