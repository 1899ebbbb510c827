"""`kformat corpus verify`: whether a reader accepts and refuses the files of a corpus as its manifest says."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kformat.cli import main
from kformat.corpus import write_declared_corpus
from kformat.corpus.verifying import verify
from kformat.errors import InvalidError, UsageError

SENSOR = """
meta: {id: sensor, endian: be}
seq:
  - {id: version, type: u1, valid: {min: 1, max: 3}}
  - {id: count, type: u1}
  - {id: readings, type: u2, repeat: expr, repeat-expr: count}
"""
READER = """
import sys
data = open(sys.argv[1], "rb").read()
assert {rule}
"""
STRICT = "1 <= data[0] <= 3 and len(data) == 2 + 2 * data[1]"


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("sensor.ksy").write_text(SENSOR)
    write_declared_corpus(tmp_path / "corpus", "sensor.ksy", damage=True)
    return tmp_path


def reader(rule: str) -> list[str]:
    """The command of a reader that takes what keeps a rule."""
    Path("reader.py").write_text(READER.format(rule=rule))
    return [sys.executable, "-S", "reader.py", "{}"]


def run(*words: str) -> Result:
    done = CliRunner().invoke(main, ["corpus", "verify", *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def test_a_reader_that_is_right(corpus: Path) -> None:
    for command in (reader(STRICT), reader(STRICT)[:-1]):
        done = run("corpus", "--", *command)
        assert done.exit_code == 0, done.stdout
        head, damaged, sound = done.stdout.splitlines()
        assert head.split() == ["files", "accepted", "refused", "crashed", "timed", "out", "disagree"]
        assert damaged.split()[::5] == ["damaged", "0"] and damaged.split()[1] == "0"
        assert sound.split()[2:] == ["0", "0", "0", "0"]
    files = json.loads((corpus / "corpus" / "manifest.json").read_text())["files"]
    assert done.stderr == f"kformat: {len(files)} of {len(files)} files as the manifest says\n"


def test_a_reader_that_is_wrong(corpus: Path) -> None:
    """What it should have refused, and what it should have accepted, a line each."""
    done = run("corpus", "--", *reader("data[0] != 2"), "--format=ignored")
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert any(
        line.startswith("damaged/") and ": refused is expected, accepted (exit status 0): " in line for line in lines
    )
    assert any(
        line.startswith("sound/") and ": accepted is expected, refused (exit status 1)" in line for line in lines
    )
    rows = [json.loads(line) for line in run("corpus", "--format", "nl", "--", *reader(STRICT)).stdout.splitlines()]
    assert [row["path"] for row in rows] == sorted(row["path"] for row in rows)
    assert {row["expected"] for row in rows} == {"accepted", "refused"} and all(row["is_same"] for row in rows)
    only = run("corpus", "--only", "set", "--format", "csv", "--", *reader(STRICT)).stdout.splitlines()
    assert 1 < len(only) < len(rows) and all("set: " in line for line in only[1:])


def test_crashes_and_hangs_are_no_verdicts(corpus: Path) -> None:
    """A reader that a signal ends, or that takes too long, does not refuse a file; what it started ends with it."""
    done = run("corpus", "--only", "sound/000", "--", "sh", "-c", "kill -SEGV $$")
    assert done.exit_code == 1 and "accepted is expected, crashed (by SIGSEGV)" in done.stdout
    started = time.monotonic()
    script = "sleep 50 & echo $! > child; wait"
    done = run("corpus", "--only", "sound/000", "--timeout", "0.5", "--", "sh", "-c", script)
    assert done.exit_code == 1 and "timed out (after 0.5 s)" in done.stdout
    assert time.monotonic() - started < 40
    child = int(Path("child").read_text())
    deadline = time.monotonic() + 20
    while Path(f"/proc/{child}/stat").exists() and " Z " not in Path(f"/proc/{child}/stat").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_kformat_itself(corpus: Path) -> None:
    """The error's class, position and path are those of the manifest; with another declaration they are not."""
    assert run("corpus", "--as", "sensor.ksy").exit_code == 0
    Path("other.ksy").write_text(SENSOR.replace("max: 3", "max: 2"))
    done = run("corpus", "--as", "other.ksy")
    assert done.exit_code == 1 and "a value that is not allowed" in done.stdout
    outcomes = list(verify("corpus", format="sensor.ksy", jobs=4))
    assert outcomes and all(one.is_same for one in outcomes)


def test_kafkas_files(corpus: Path) -> None:
    """What `kformat check` says is compared with the manifest; what Kafka reads in spite of it may be refused."""
    made = CliRunner().invoke(main, ["corpus", "write", "kafka", "--only", "wrapper-zero"])
    assert made.exit_code == 0
    done = run("kafka")
    assert done.exit_code == 0 and done.stdout.splitlines()[1].split()[:3] == ["odd", "9", "3"], done.stdout
    assert sorted(one.expected for one in verify("kafka", ["true"])) == ["accepted"] * 9 + ["either"] * 3
    manifest = Path("kafka/manifest.json")
    text = json.loads(manifest.read_text())
    first, second, _ = [entry for entry in text["files"] if entry["findings"]]
    first["damage"], second["findings"] = {"name": "flip", "what": "a bit"}, []
    manifest.write_text(json.dumps(text))
    done = run("kafka", "--", "true")
    assert done.exit_code == 1 and done.stdout.count("refused is expected, accepted (exit status 0): flip: a bit") == 1
    assert [one.path for one in verify("kafka") if not one.is_same] == [second["path"]]


def test_wrong_calls(corpus: Path) -> None:
    Path("empty").mkdir()
    for words, why in (
        (["empty", "--", "true"], "empty: no corpus: there is no manifest.json"),
        (["corpus"], "corpus is a corpus of sensor: name its declaration, or a command"),
        (["corpus", "--as", "sensor.ksy", "--", "true"], "does not go with a COMMAND"),
        (["corpus", "--", "./nothing"], "./nothing: this command cannot be run: No such file"),
        (["corpus", "--only", "nothing", "--", "true"], "no file of the corpus has nothing"),
    ):
        done = run(*words)
        assert done.exit_code == 2 and why in done.stderr, done.stderr
    sound = next(Path("corpus/sound").iterdir())
    sound.write_bytes(b"changed")
    done = run("corpus", "--", "true")
    assert done.exit_code == 2 and f"{sound}: not the file of the manifest" in done.stderr
    manifest = Path("corpus/manifest.json")
    for change, error in (("sound/", UsageError), ("../sound/", InvalidError), ("/", InvalidError)):
        text = json.loads(manifest.read_text())
        text["files"][0]["path"] = change + "x"
        if error is UsageError:
            text["format"] = "another"
        (corpus / "empty" / "manifest.json").write_text(json.dumps(text))
        with pytest.raises(error):
            verify("empty", ["true"])
    os.truncate("empty/manifest.json", 20)
    with pytest.raises(InvalidError, match="not JSON"):
        verify("empty", ["true"])
