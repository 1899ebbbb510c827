"""What a type checker says of `Log.append`: the forms that it takes pass under ``mypy --strict``, all others do not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import kformat_engine

pytestmark = pytest.mark.drawn

USE = """\
from collections.abc import Iterator
from typing import Any

import kformat
from kformat_engine import Log

class Frame:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Batch:
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        raise NotImplementedError

def values() -> Iterator[bytes]:
    yield b"v"

def use(log: Log, record: kformat.Record, anything: Any) -> None:
    offset: int = log.append([b"v"])
    log.append([bytearray(b"v"), memoryview(b"v")])
    log.append([(b"k", b"v"), (None, b"v"), (b"k", None)])
    log.append([{"key": b"k", "value": b"v", "timestamp": 5, "headers": [("name", b"v")]}])
    log.append([record, b"v", (b"k", b"v")], compression="zstd")
    log.append((record for record in log.records()))
    log.append(values())
    log.append(Frame())
    log.append(Batch())
    log.append(anything)
    log.append(5)  # error
    log.append(["text"])  # error
    log.append("text")  # error
    log.append(b"v")  # error
    log.append(record)  # error
    log.append({"value": b"v"})  # error
    log.append([5])  # error
    log.append([None])  # error
    log.append([("k", "v")])  # error
    log.append([(b"k", b"v", b"h")])  # error
    log.append(None)  # error
    log.append([b"v"], compression=5)  # error
    kformat.build_batches(Frame())
    kformat.build_batches([b"v"])  # error
    kformat.build_batches(5)  # error
    for partition in kformat.open_root("logs"):
        partition.to_pandas(["offset"], since="2024-01-01", end_offset=5)
        partition.to_polars(since=1.5)  # error
        partition.to_polars(sicne="2024-01-01")  # error
    kformat.open_root("logs").to_arrow(start_offset=5)  # error
    kformat.open_root("logs")["orders", 0].records()
    kformat.open_root("logs")["orders", "0"]  # error
"""


@pytest.mark.long
def test_a_type_checker_refuses_what_append_refuses(tmp_path: Path, mypy_cache: Path) -> None:
    pytest.importorskip("mypy", reason="mypy comes with the extra `dev`")
    (tmp_path / "use.py").write_text(USE, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--follow-imports=silent"]
    command += ["--python-version", "3.11", "--cache-dir", str(mypy_cache), "--config-file", ""]
    command += ["--ignore-missing-imports", str(tmp_path / "use.py")]
    # In the tree mypy finds the engine as `pyproject.toml` says; next to a wheel it is installed.
    engine = Path(kformat_engine.__file__).parents[1]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"MYPYPATH": f"{engine.parent}:{engine}", "PATH": ""} if engine.name == "engine" else {"PATH": ""},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert not done.stderr
    refused = {int(line) for line in re.findall(r"use\.py:(\d+): error: ", done.stdout)}
    expected = {number for number, line in enumerate(USE.splitlines(), 1) if line.endswith("# error")}
    assert refused == expected, done.stdout
