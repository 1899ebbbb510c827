"""The pytest plugin, as users meet it: installed, found by its entry point, in a pytest of its own."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import kformat

STRICT = ("-q", "--strict-markers", "--strict-config", "-W", "error", "-p", "no:cacheprovider")


def run(folder: Path, text: str, *options: str, python: Sequence[str] = ("-m", "pytest")) -> tuple[int, str]:
    """The exit status and the output of a test run on one file, in an environment without pytest's variables."""
    (folder / "test_own.py").write_text(text, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, *python, *STRICT, *options, "test_own.py"],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_the_entry_point_comes_with_the_package() -> None:
    (found,) = (one for one in importlib.metadata.entry_points(group="pytest11") if one.name == "kformat")
    assert found.value == "kformat.testing.plugin"


OWN_TEST = """
import kformat

def test_segment(kafka_segment, tmp_path):
    log = kafka_segment(records=[(b"a", b"1"), b"2"], base_offset=7, codec="gzip", magic=1, profile="last-offset")
    assert log.name == "00000000000000000007.log" and log.is_relative_to(tmp_path)
    assert log.with_suffix(".index").exists() and log.with_suffix(".timeindex").exists()
    assert [record.offset for record in kformat.open(log).records()] == [7, 8]
    assert kafka_segment() != kafka_segment()

def test_log(kafka_log, tmp_path):
    folder = kafka_log(topic="payments", partition=3, records=[b"1", b"2", b"3"], records_per_segment=2)
    assert folder == tmp_path / "payments-3" and len(list(folder.glob("*.log"))) == 2
    assert [kafka_log().name for _ in range(2)] == ["orders-0", "orders-1"]

def test_each_test_has_folders_of_its_own(kafka_log):
    assert kafka_log().name == "orders-0"
"""


def test_fixtures_in_a_run_of_their_own(tmp_path: Path) -> None:
    status, output = run(tmp_path, OWN_TEST)
    assert (status, "3 passed" in output) == (0, True), output


def test_fixtures_are_listed_with_what_they_do(tmp_path: Path) -> None:
    status, output = run(tmp_path, "", "--fixtures")
    assert "kafka_segment" in output and "A function that writes a closed segment" in output
    assert "kafka_log" in output and "as a broker leaves it after a clean stop" in output
    assert status == 0


def test_a_wrong_record_fails_the_test_with_its_place(tmp_path: Path) -> None:
    status, output = run(tmp_path, "def test_wrong(kafka_log):\n    kafka_log(records=[b'fine', 'text'])\n")
    assert status == 1
    assert "UsageError: records[1]: bytes, (key, value), a mapping or a kformat.Record is needed, not 'text'" in output


def test_the_plugin_can_be_left_out(tmp_path: Path) -> None:
    status, output = run(tmp_path, "def test_none(kafka_log): pass\n", "-p", "no:kformat")
    assert status == 1 and "fixture 'kafka_log' not found" in output


LOADED = """
import sys, pytest

class Report:
    def pytest_sessionfinish(self):
        names = {name.split(".")[0] for name in sys.modules}
        print("LOADED", *sorted(name for name in sys.modules if name.split(".")[0] == "kformat"))
        print("HEAVY", *sorted({"numpy", "yaml", "construct", "kaitaistruct", "cramjam", "hypothesis"} & names))

sys.exit(pytest.main(sys.argv[1:] + ["-s", "-p", "no:hypothesispytest"], plugins=[Report()]))
"""


def test_a_run_that_does_not_use_it_loads_next_to_nothing(tmp_path: Path) -> None:
    status, output = run(tmp_path, "def test_nothing(): pass\n", python=("-c", LOADED))
    assert status == 0, output
    lines = [line for line in output.splitlines() if "LOADED" in line or "HEAVY" in line]
    loaded, heavy = (line[max(line.find("LOADED"), line.find("HEAVY")) :] for line in lines)
    few = ["kformat", "kformat.errors", "kformat.lazy_names", "kformat.storage", "kformat.storage.codecs"]
    assert loaded.split() == ["LOADED", *few, "kformat.testing", "kformat.testing.plugin"]
    assert heavy == "HEAVY"


def test_fixtures_here(kafka_segment: Callable[..., Path], kafka_log: Callable[..., Path]) -> None:
    """This repository's own tests have them, too."""
    explicit = kafka_segment([b"one"], folder=kafka_log().parent / "elsewhere-0")
    assert explicit.parent.name == "elsewhere-0"
    assert [finding for finding in kformat.check([explicit.parent, kafka_log()]) if finding.severity != "info"] == []
