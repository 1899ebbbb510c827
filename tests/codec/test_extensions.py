"""Other people's processes and types: registered by a call, or found by an entry point."""

from __future__ import annotations

import importlib.metadata
import multiprocessing
import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.codec import extensions
from kformat.errors import UsageError


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(extensions, "_processes", {})
    monkeypatch.setattr(extensions, "_types", {})
    extensions._load.cache_clear()
    yield
    extensions._load.cache_clear()


def test_a_registered_name_is_found_and_the_last_one_counts() -> None:
    kformat.register_process("a.b::c", bytes.upper)
    kformat.register_process("a.b::c", bytes.lower, bytes.upper)
    kformat.register_type("theirs", lambda stream: stream.read(1))
    assert extensions.process_of("a.b::c") == (bytes.lower, bytes.upper)
    assert extensions.opaque_type_of("theirs").write is None


@pytest.mark.parametrize("name", ["", "A", "a b", "a.", "__import__('os')", "a\n"])
def test_a_name_that_no_declaration_can_use(name: str) -> None:
    with pytest.raises(UsageError, match="is no name of a"):
        kformat.register_process(name, bytes.upper)
    with pytest.raises(UsageError, match="is no name of a"):
        kformat.register_type(name, bytes.upper)


def test_the_languages_own_processes_stay() -> None:
    with pytest.raises(UsageError, match="a part of the language"):
        kformat.register_process("zlib", bytes.upper)


def test_an_unknown_name_says_how_to_register_it() -> None:
    with pytest.raises(UsageError, match=r"kformat\.register_process\('none', decode, encode\)"):
        extensions.process_of("none")
    with pytest.raises(UsageError, match=r"kformat\.register_type\('none', read, write\)"):
        extensions.opaque_type_of("none")


@pytest.mark.parametrize(
    ("text", "data", "words"),
    [
        (
            "seq: [{id: a, type: b}]\ntypes: {b: {seq: [{id: c, size: 1, process: xorr(3)}]}}",
            {"a": {"c": b"1"}},
            "x.ksy:3: /types/b/seq/0/process: no process 'xorr' is registered: call"
            " kformat.register_process('xorr', decode, encode); did you mean 'xor'?",
        ),
        (
            "seq: [{id: a, type: none}]",
            {"a": 1},
            "x.ksy:2: /seq/0/type: no type 'none' is registered: call kformat.register_type('none', read, write)",
        ),
    ],
)
def test_where_an_unknown_name_stands_is_said(text: str, data: dict[str, Any], words: str) -> None:
    declared = kformat.parse_declaration(f"meta: {{id: x, ks-opaque-types: true}}\n{text}", "x.ksy")
    for run in (lambda: kformat.parse(declared, b"1"), lambda: kformat.build(declared, data)):
        with pytest.raises(UsageError) as caught:
            run()
        assert str(caught.value) == str(pickle.loads(pickle.dumps(caught.value))) == words


def test_an_entry_point_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        def load(self) -> Any:
            return lambda: kformat.register_process("found", bytes.upper)

    class Broken:
        name, value = "bad", "bad:register"

        def load(self) -> Any:
            raise ImportError("no module 'bad'")

    asked: list[str] = []

    def entry_points(*, group: str) -> list[Any]:
        asked.append(group)
        return [Broken(), Entry()]

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    assert extensions.process_of("found").decode(b"a") == b"A"
    for look_up in (extensions.process_of, extensions.opaque_type_of):
        with pytest.raises(
            UsageError, match=r"; the extension bad \(bad:register\) failed: ImportError: no module 'bad'$"
        ):
            look_up("other")
    assert asked == ["kformat.extensions"]


# --- an installed extension, from other processes --------------------------------------------------------------------

MODULE = """
import kformat

def register():
    kformat.register_process("shift", lambda data, by: bytes((byte - by) % 256 for byte in data),
                             lambda data, by: bytes((byte + by) % 256 for byte in data))
"""
SECRET = "{meta: {id: secret}, seq: [{id: body, size-eos: true, process: shift(3)}]}"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with an installed distribution that has an extension, and a declaration that needs it."""
    info = tmp_path / "shifting-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shifting\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[kformat.extensions]\nshifting = shifting:register\n")
    (tmp_path / "shifting.py").write_text(MODULE)
    (tmp_path / "secret.ksy").write_text(SECRET)
    (tmp_path / "def.bin").write_bytes(b"def")
    return tmp_path


def body_of(format: str, data: bytes) -> bytes:
    """Runs in another process."""
    body: bytes = kformat.parse(format, data).body
    return body


def test_the_command_line_and_spawned_processes_find_an_installed_extension(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    call = "parse --as secret.ksy --bytes text --format nl def.bin".split()
    done = subprocess.run(
        [sys.executable, "-m", "kformat", *call], cwd=installed, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ('{"body": "text:abc"}\n', "")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(body_of, str(installed / "secret.ksy"), b"def").result(60) == b"abc"


@pytest.mark.long
@pytest.mark.spark
def test_workers_of_spark_find_an_installed_extension(
    installed: Path, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, format = spark.sparkContext, str(installed / "secret.ksy")
    monkeypatch.setitem(context.environment, "PYTHONPATH", os.pathsep.join([str(installed), *sys.path]))
    assert context.parallelize([b"def"], 1).map(lambda data: kformat.parse(format, data).body).collect() == [b"abc"]
