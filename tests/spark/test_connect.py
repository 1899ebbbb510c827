"""Over Spark Connect: the same rows, by sessions without a JVM, and on workers that have no kformat."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kformat import __version__
from kformat.cli import main
from kformat.errors import UsageError
from kformat.spark import unpacking
from kformat.spark.artifact import build
from kformat.spark.connect import check_version
from kformat.spark.jobs import running
from tests.draws import IS_NIGHT
from tests.judges.required import is_missing
from tests.samples import ROOT as SAMPLES
from tests.spark.connect_server import bare_python, connect_server
from tests.spark.operations import OPERATIONS
from tests.spark_session import require_spark
from tools.documents import ROOT

pytestmark = [pytest.mark.spark, pytest.mark.long]

LOGS = SAMPLES / "4.3.1"
TIMEOUT_S = 600
SHORT = (
    "metadata;batches;by offset;committed;what is skipped;declared rows;a stream;write in order;check;stats;to Parquet;"
    "reindex;salvage;corpus"
).split(";")
NO_STREAM = [name for name in SHORT if name != "a stream"]
NAMES = list(OPERATIONS) if IS_NIGHT else SHORT


def begun(scratch: Path, names: list[str], *how: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.spark.operations", str(LOGS), str(scratch), "--only", ";".join(names), *how]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> dict[str, list[Any]]:
    try:
        out, err = process.communicate(timeout=TIMEOUT_S)
    finally:
        process.kill()
    assert process.returncode == 0, err[-3000:]
    found: dict[str, list[Any]] = json.loads(out.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def classic(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What a session with a JVM of its own gives."""
    require_spark()
    return ended(begun(tmp_path_factory.mktemp("classic"), NAMES, "--master", "local[2]", *QUICK))


QUICK = (
    *("--set", "spark.ui.enabled=false", "--set", "spark.sql.shuffle.partitions=2", "--set", "spark.log.level=OFF"),
    *("--set", "spark.sql.codegen.factoryMode=NO_CODEGEN", "--set", "spark.sql.codegen.wholeStage=false"),
    *("--set", "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"),
)


def require_connect() -> None:
    require_spark()
    if importlib.util.find_spec("grpc_status") is None:
        is_missing("grpcio-status (extra connect) not installed")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    require_connect()
    with connect_server(tmp_path_factory.mktemp("connect")) as url:
        yield url


@pytest.mark.parametrize("is_ansi", [True, False] if IS_NIGHT else [True])
def test_rows_are_those_of_a_session_with_a_jvm(
    is_ansi: bool, server: str, classic: dict[str, list[Any]], tmp_path: Path
) -> None:
    found = ended(begun(tmp_path, NAMES, "--remote", server, "--set", f"spark.sql.ansi.enabled={is_ansi}".lower()))
    assert not [name for name, one in classic.items() if one[0] in ("failed", 0)]
    assert found == classic


def kformat(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, as this one may have a session of another kind."""
    command = [sys.executable, "-c", "from kformat.cli import main; main()", *words]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def test_a_verb_prints_what_it_prints_without_spark(server: str) -> None:
    alone = CliRunner().invoke(main, ["check", str(LOGS / "compacted-0"), "--severity", "info"])
    for how in ({"SPARK_REMOTE": server}, {}):
        given = [] if how else ["--remote", server]
        over = kformat("spark", "check", str(LOGS / "compacted-0"), "--severity", "info", *given, **how)
        assert (over.returncode, over.stdout) == (alone.exit_code, alone.stdout), over.stderr


def test_many_pieces_come_to_their_tasks(server: str) -> None:
    """A broadcast brings each task its own."""
    program = """
import sys
from kformat.spark import session
from kformat.spark.jobs.running import run
spark = session(remote=sys.argv[1], quiet=True)
for size in (10, 100_000):
    pieces = [bytes([number]) * size for number in range(20)]
    assert run(spark, pieces, bytes.hex, sizes=[1 << 30] * 20, title="") == [piece.hex() for piece in pieces]
"""
    done = subprocess.run(
        [sys.executable, "-c", program, server],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_file_that_only_the_client_sees_is_said_so(server: str, tmp_path: Path) -> None:
    done = kformat("spark", "check", str(tmp_path / "none"), "--remote", server)
    assert done.returncode == 3 and "No such file" in done.stderr
    path = tmp_path / "here"
    path.touch()
    told = running._worded(FileNotFoundError(2, "No such file or directory", str(path)))
    assert "over Connect a path is the workers'" in str(told)


def test_who_is_no_server_is_found_out_at_once() -> None:
    require_connect()
    done = kformat("spark", "stats", str(LOGS), "--remote", "sc://127.0.0.1:1")
    assert done.returncode == 3 and "no server of Spark Connect answers: Connection refused" in done.stderr
    done = kformat("spark", "stats", str(LOGS), "--remote", "http://127.0.0.1:1")
    assert done.returncode == 2 and "sc://host:15002" in done.stderr
    done = kformat("spark", "stats", str(LOGS), "--remote", "sc://127.0.0.1:1", "--master", "local")
    assert done.returncode == 2 and "a session has one of them" in done.stderr


def test_workers_without_kformat(classic: dict[str, list[Any]], tmp_path: Path) -> None:
    """Refused with a word on what to do; with the archive they do it all, but streams."""
    require_connect()
    archive = tmp_path / "kformat.zip"
    packages = build(archive, without=["numba"]).packages
    assert packages["kformat"] == __version__ and not {"numba", "llvmlite", "pyspark", "numpy"} & packages.keys()
    (tmp_path / "server").mkdir()
    with connect_server(tmp_path / "server", bare_python(tmp_path / "bare"), has_tree=False) as url:
        refused = kformat("spark", "stats", str(LOGS), "--remote", url)
        assert refused.returncode == 2 and "kformat spark artifact" in refused.stderr
        told = kformat("-v", "spark", "stats", str(LOGS / "empty-0"), "--remote", url, "--artifact", str(archive))
        assert told.returncode == 0 and "without numba: slower" in told.stderr, told.stderr
        found = ended(begun(tmp_path / "scratch", NO_STREAM, "--remote", url, "--artifact", str(archive)))
    assert found == {name: classic[name] for name in NO_STREAM}


def test_another_version_and_another_spark_are_refused() -> None:
    (one,) = running._attempted(len, "0.0.1", [["piece"]])
    assert f"the workers have kformat {__version__}, and this is 0.0.1" in str(one.error)
    with pytest.raises(UsageError, match=r"Spark 3\.5\.1 has no Python data sources"):
        check_version("3.5.1")


def test_an_archive_is_unpacked_once_and_only_into_a_folder_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_spark()
    build(tmp_path / "a.zip", without=["numba"])
    build(tmp_path / "b.zip", without=["numba"])
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert set(archive.namelist()) == {"kformat/__init__.py", "kformat_artifact.py", "kformat_packages.tar.gz"}
        blob = archive.read("kformat_packages.tar.gz")
    assert tarfile.is_tarfile(tmp_path / "a.zip") is False and blob[:2] == b"\x1f\x8b"

    class Loader:
        archive = str(tmp_path / "a.zip")

        def get_data(self, path: str) -> bytes:
            assert path.endswith("kformat_packages.tar.gz")
            return blob

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "own"))
    (tmp_path / "own").mkdir()
    first = unpacking._folder(Loader(), "digest")
    assert first == unpacking._folder(Loader(), "digest") and (Path(first) / "own" / "kformat" / "__init__.py").exists()
    os.chmod(first, 0o777)  # somebody else may have changed what is in it
    other = unpacking._folder(Loader(), "digest")
    assert other != first and (Path(other) / "packages" / "construct").is_dir()
    with pytest.raises(UsageError, match=r"\.zip"):
        build(tmp_path / "a.tar")
    with pytest.raises(UsageError, match="no package nothing in it"):
        build(tmp_path / "c.zip", without=["nothing"])
