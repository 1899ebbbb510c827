"""Each verb once on what a broker wrote, and what holds for all of them: where standard output is lost, that is told;
where a folder's name is no UTF-8, nothing else changes."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from kformat.cli import main
from tests.draws import every
from tests.samples import ROOT as SAMPLES
from tests.zygote import Ran, Zygote, zygote

SAMPLE = SAMPLES / "walkthrough" / "lookup-0"
LOG = f"{0:020}.log"
ODD, PLAIN = os.fsdecode(b"orders-\xff-0"), "orders-x-0"

GROUPS = SAMPLES / "4.4.0" / "__consumer_offsets-0"
EXAMPLES = {
    "build": "--as record_batch VALUES",
    "check": "FOLDER --severity info",
    "cluster": "FOLDER",
    "corpus bulk": "OUT --size 20k",
    "corpus list": "--only gzip",
    "corpus verify": "CORPUS -- true",
    "corpus write": "OUT --only gzip",
    "describe": "record_batch",
    "diff": "FOLDER OTHER",
    "dump": "LOG --print-data-log",
    "explain": "KF0201",
    "export": "FOLDER --format csv",
    "find": "FOLDER --offset 3",
    "formats": "",
    "grep": "message FOLDER",
    "groups": str(GROUPS),
    "help": "ls",
    "log append": "FOLDER --input-format nl --format json",
    "log create": "new-0 --log-dir ROOT",
    "log delete": "NAME --log-dir ROOT --yes",
    "log import": "FOLDER --sqlite DATABASE --table t --format json",
    "log info": "FOLDER",
    "log list": "--log-dir ROOT",
    "log move": "NAME ELSEWHERE --log-dir ROOT --log-dir ELSEWHERE",
    "log read": "FOLDER",
    "log recover": "FOLDER --all --yes",
    "log compact": "FOLDER",
    "log retain": "FOLDER",
    "log roll": "FOLDER",
    "log tail": "FOLDER",
    "log transactions": "--log-dir ROOT",
    "log truncate": "FOLDER 3 --yes",
    "ls": "FOLDER -a",
    "parse": "--as log LOG",
    "reindex": "FOLDER",
    "salvage": "FOLDER -o OUT",
    "merge": "FOLDER -o OUT",
    "stats": "FOLDER",
    "topics": "FOLDER",
    "transactions": "FOLDER",
    "warm": "offset_index",
}
"""Verb -> arguments. OTHER, too, is a partition's folder."""
PLACES = {"CORPUS", "DATABASE", "FOLDER", "LOG", "OTHER", "OUT", "VALUES", "ROOT", "NAME"}
"""Arguments that stand for something in a disk's folder."""
IN_SPARK = tuple(
    "artifact, check, corpus bulk, corpus write, read, reindex, salvage, stats, to-parquet, write".split(", ")
)
"""Verbs of `kformat spark`: tests/cli/test_spark.py runs them, with one session."""
MORE = (
    ("check", "FOLDER --format sarif"),
    ("check", "FOLDER --statistics --severity info"),
    ("export", "FOLDER --format arrow"),
    ("find", "FOLDER --timestamp 0 --format json"),
)
"""What has a way of its own to standard output."""
NEED_PYARROW = "corpus bulk", "export"


@pytest.fixture(scope="module", name="zygote")
def started() -> Iterator[Zygote]:
    with zygote() as one:
        yield one


@functools.cache
def parsed() -> bytes:
    """The sample's first batch as JSON."""
    found = CliRunner().invoke(main, ["parse", "--as", "log", str(SAMPLE / LOG), "--format", "nl"])
    return found.stdout_bytes.splitlines()[0]


class Disk:
    """A folder of a name with what the examples need, and runs of the verbs over it."""

    def __init__(self, zygote: Zygote, path: Path, name: str = "orders-0", damaged: bool = False) -> None:
        self.zygote, self.path, self.name = zygote, path, name
        folder = path / name
        shutil.copytree(SAMPLE, folder)
        shutil.copytree(SAMPLES / "walkthrough" / "dense-0", path / "other-0")
        log = folder / LOG
        (path / "values.json").write_bytes(parsed())
        with contextlib.closing(sqlite3.connect(path / "rows.db")) as database, database:
            database.execute("CREATE TABLE t AS SELECT 1 AS a")
        (path / "corpus" / "sound").mkdir(parents=True)
        (path / "corpus" / "sound" / "empty").write_bytes(b"")
        entry: dict[str, object] = {
            "path": "sound/empty",
            "sha256": hashlib.sha256().hexdigest(),
            "damage": None,
            "findings": [],
        }
        (path / "corpus" / "manifest.json").write_text(json.dumps({"format": "kformat corpus 1", "files": [entry]}))
        if damaged:
            data = bytearray(log.read_bytes())
            data[len(data) // 2] ^= 1
            log.write_bytes(data)

    def run(self, verb: str, arguments: str, output: str = "file") -> Ran:
        places = {
            "CORPUS": self.path / "corpus",
            "DATABASE": self.path / "rows.db",
            "FOLDER": self.path / self.name,
            "LOG": self.path / self.name / LOG,
            "OTHER": self.path / "other-0",
            "OUT": self.path / "out" / self.name,
            "ELSEWHERE": self.path.parent / "elsewhere" / self.path.name / "logs",
            "VALUES": self.path / "values.json",
            "ROOT": self.path,
            "NAME": self.name,
            "FILE": self.path / "rows",
        }
        words = [*verb.split(), *(str(places.get(word, word)) for word in arguments.split())]
        return self.zygote.run(words, output)


def commands(command: click.Command, name: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """All verbs below one, with their names."""
    if not isinstance(command, click.Group):
        yield " ".join(name), command
        return
    context = click.Context(command)
    for verb in command.list_commands(context):
        inner = command.get_command(context, verb)
        assert inner is not None
        yield from commands(inner, (*name, verb))


def test_each_verb_has_an_example() -> None:
    assert sorted([*EXAMPLES, *(f"spark {verb}" for verb in IN_SPARK)]) == sorted(dict(commands(main)))


def wanting(verb: str) -> None:
    if verb in NEED_PYARROW:
        pytest.importorskip("pyarrow")


LOST = (
    ("closed", 3, b"kformat: standard output: it is closed\n"),
    ("full", 3, b"kformat: standard output: No space left on device\n"),
    ("unread", 0, b""),
)
"""What may become of standard output -> the exit status, and the line that says so."""


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "verb", "arguments"), [(number, *one) for number, one in enumerate([*EXAMPLES.items(), *MORE])]
)
def test_what_is_lost_is_told(number: int, verb: str, arguments: str, zygote: Zygote, tmp_path: Path) -> None:
    wanting(verb)
    sound = Disk(zygote, tmp_path / "file").run(verb, arguments)
    assert sound.status == (verb == "diff") and b"Traceback" not in sound.stderr, sound
    for output, status, line in every(3, LOST, number):
        if output == "full" and not os.path.exists("/dev/full"):
            continue
        lost = Disk(zygote, tmp_path / output).run(verb, arguments, output)
        said = sound.stderr.replace(b"/file/", f"/{output}/".encode())
        if sound.stdout:
            assert lost.status == status and lost.stderr in (line, line + said, said + line), lost
        else:
            assert (lost.status, lost.stderr) == (sound.status, said)


WRITERS = {
    "corpus bulk": "OUT --size 20k",
    "corpus write": "OUT --only gzip",
    "export": "ROOT --format csv -o FILE",
    "log append": "FOLDER --input-format nl",
    "log compact": "FOLDER --config cleanup.policy=compact",
    "log create": "new-0 --log-dir ROOT",
    "log delete": "NAME --log-dir ROOT --yes",
    "log move": "NAME ELSEWHERE --log-dir ROOT --log-dir ELSEWHERE",
    "log recover": "ROOT --all --yes --mode salvage",
    "log retain": "FOLDER --config retention.ms=1",
    "log roll": "FOLDER",
    "log truncate": "FOLDER 3 --yes",
    "merge": "FOLDER OTHER -o OUT",
    "reindex": "ROOT --format nl",
    "salvage": "FOLDER OTHER -o OUT",
    "salvage ROOT": "--in-place --ranges --format nl",
}
"""Verbs that change files, of many partitions where they can."""


@pytest.mark.long
@pytest.mark.parametrize("verb", WRITERS)
def test_what_is_lost_of_the_output_is_not_lost_of_the_work(verb: str, zygote: Zygote, tmp_path: Path) -> None:
    """`kformat log recover ROOT | head` recovers everything, and reports no error."""
    wanting(verb)

    def done(output: str) -> tuple[Ran, dict[str, int]]:
        disk = Disk(zygote, tmp_path / output.replace(" ", "-"), damaged=True)
        (disk.path / "corpus").rename(disk.path.parent / f"corpus of {disk.path.name}")
        for number in range(20):
            shutil.copytree(disk.path / disk.name, disk.path / f"copy-{number}")
        ran = disk.run(verb, WRITERS[verb], output)
        files = {str(path.relative_to(disk.path)): size_of(path) for path in disk.path.rglob("*") if path.is_file()}
        return ran, {re.sub("[0-9a-f]{32}", "ID", name): size for name, size in files.items() if name != ".lock"}

    sound, files = done("file")
    for output in ("unread", "all unread", "full", "all full"):
        ran, found = done(output)
        assert found == files, output
        is_lost = (sound.stdout and output == "full") or ((sound.stdout or sound.stderr) and output == "all full")
        assert ran.status == (max(3, sound.status) if is_lost else sound.status), ran
        assert b"roken pipe" not in ran.stderr and b"Traceback" not in ran.stderr


def size_of(path: Path) -> int:
    """Without what names of folders of other lengths change."""
    return 0 if path.suffix == ".json" else path.stat().st_size


def renamed(text: bytes) -> bytes:
    """A text with the odd name, however it is shown, as the plain one."""
    for shown in (b"\xff", rb"\udcff", b"%FF", "\ufffd".encode()):
        text = text.replace(b"orders-" + shown, b"orders-x")
    return text


@pytest.mark.long
@pytest.mark.parametrize(
    ("verb", "arguments"), [(verb, words) for verb, words in (*EXAMPLES.items(), *MORE) if PLACES & set(words.split())]
)
def test_names_that_are_no_text(verb: str, arguments: str, zygote: Zygote, tmp_path: Path) -> None:
    wanting(verb)
    ran = []
    for name in (ODD, PLAIN):
        # The engine opens no log of a topic that Kafka has no name for: there it is the root that is called so.
        root, folder = (name, "orders-0") if verb.startswith("log ") else ("disk", name)
        try:
            (tmp_path / name / root).mkdir(parents=True)
        except OSError:
            pytest.skip("this file system takes only UTF-8 for names")
        ran.append(Disk(zygote, tmp_path / name / root, folder, damaged=True).run(verb, arguments))
    # A hint quotes a name for the shell, if it has to.
    found, expected = (Ran(one.status, renamed(one.stdout), renamed(one.stderr.replace(b"'", b""))) for one in ran)
    if "arrow" in arguments:  # where lengths of names are data, too
        found, expected = found._replace(stdout=b""), expected._replace(stdout=b"")
    assert found == expected
    assert b"Traceback" not in found.stderr
