"""The command line: what goes where, with which exit status, and what each verb prints."""

from __future__ import annotations

import ast
import base64
import csv
import errno
import importlib.metadata
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import kformat
from kformat.cli import error_line, exit_status, main
from kformat.cli import partitions as partitions_module
from kformat.cli.output import Timestamp
from kformat.cli.progress import ProgressLine, _Reads
from kformat.errors import BuildError, ChecksumError, DeclarationError, InvalidError, MissingDependencyError, UsageError
from kformat.kafka.log.partition import Segment, open_partition
from kformat.storage import byte_source
from kformat.times import time_text
from tests.damages_legacy import three
from tests.damages_legacy import wrapper as legacy_wrapper
from tests.draws import at_most
from tests.dump_cases import LOG, SEGMENT, batch, offset_index, patched, record
from tests.samples import ROOT
from tests.samples import ROOT as SAMPLES

VERBS = (
    "build",
    "check",
    "cluster",
    "corpus",
    "describe",
    "diff",
    "dump",
    "explain",
    "export",
    "find",
    "formats",
    "grep",
    "groups",
    "help",
    "log",
    "ls",
    "merge",
    "parse",
    "reindex",
    "salvage",
    "spark",
    "stats",
    "topics",
    "transactions",
    "warm",
)


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    """The command, in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)


def spawn(*arguments: str | Path, **more: Any) -> subprocess.Popen[bytes]:
    """The command, in a process of its own."""
    program = "import sys; from kformat.cli import main; sys.argv[0] = 'kformat'; main()"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, **more)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of two batches in a partition's folder, with an index of the second."""
    folder = tmp_path / "orders-0"
    folder.mkdir()
    first, second = batch(10), batch(13, base_timestamp=2000, max_timestamp=2005, bits={"compression": "zstd"})
    (folder / f"{SEGMENT}.log").write_bytes(first + second)
    (folder / f"{SEGMENT}.index").write_bytes(offset_index((5, len(first))))
    return folder / f"{SEGMENT}.log"


# --- what all verbs have in common ---------------------------------------------------------------------------------


def test_help_lists_the_verbs() -> None:
    done = run("--help")
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.partition("Commands:\n")[2].splitlines() if line[2] != " "] == list(
        VERBS
    )


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_helps(verb: str) -> None:
    done = run(verb, "--help")
    assert done.exit_code == 0
    assert done.stdout.startswith(f"Usage: main {verb} ")
    assert not done.stderr


def test_the_version_is_the_distributions() -> None:
    assert run("--version").stdout == f"kformat {importlib.metadata.version('kformat')}\n"


def test_the_end_looks_for_no_garbage() -> None:
    program = (
        "import atexit, gc, sys; atexit.register(lambda: print(gc.get_freeze_count() > 10_000))\n"
        "from kformat.cli import main; sys.argv[1:] = ['formats']; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "True"


def test_describing_needs_no_codec() -> None:
    """Verbs load what they use: the declarations are read without construct."""
    program = (
        "import sys; from kformat.cli import main\n"
        "for verb in (['formats'], ['describe', 'record_batch']): main(verb, standalone_mode=False)\n"
        "print('construct' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (InvalidError("no", source="x.log", position=3), 1, "kformat: x.log:3: no"),
        (ChecksumError("no"), 1, "kformat: no"),
        (UsageError("two\nlines"), 2, "kformat: two lines"),
        (BuildError("is missing", path="a.b"), 2, "kformat: a.b: is missing"),
        (DeclarationError("no", file="a.ksy", line=7), 2, "kformat: a.ksy:7: no"),
        (MissingDependencyError("numba", "fast"), 3, "kformat: numba is not installed"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "x"), 3, "kformat: x: No such file or directory"),
        (io.UnsupportedOperation("x: no"), 3, "kformat: x: no"),
        (MemoryError(), 3, "kformat: not enough memory"),
    ],
)
def test_errors_have_a_line_and_a_status(error: Exception, status: int, line: str) -> None:
    assert exit_status(error) == status
    assert error_line(error).startswith(line)
    assert "\n" not in error_line(error)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["nothing-like-it"], 2),
        (["dump"], 2),
        (["dump", "--offsets-decoder", "x.log"], 3),
        (["dump", "--value-decoder-class", "a.B", "x.log"], 2),
        (["dump", "--key-decoder-class", "--files", "x.log"], 2),
        (["dump", "--no-such-option", "x.log"], 2),
        (["dump", "--since", "yesterday", "x.log"], 2),
        (["dump", "not-there.log"], 3),
        (["dump", "not-there.log,nor-there.index", "--format", "nl"], 3),
        (["dump", "not-there.log", "--verify-index-only"], 3),
        (["describe", "no_such_format"], 2),
        (["parse", "--as", "record_batch", "not-there"], 3),
        (["parse", "--as", "no_such_format", "-"], 2),
        (["build", "--as", "record_batch", "not-there"], 3),
        (["ls"], 2),
        (["ls", "not-there"], 3),
        (["find", "not-there", "--offset", "1"], 3),
        (["find", ".", "--offset", "1"], 2),
        (["find", "."], 2),
        (["find", ".", "--offset", "1", "--timestamp", "1"], 2),
        (["check", "not-there"], 3),
        (["check", ".", "--profile", "no-such-profile"], 2),
        (["check", ".", "--ignore", "KF9999"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_calls_and_missing_files(
    arguments: list[str], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.exit_code == status
    assert done.stderr and "Traceback" not in done.stderr
    assert isinstance(done.exception, SystemExit)


def test_an_interrupt_is_no_traceback(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(partitions_module, "open_partition", interrupt)
    done = run("find", log, "--offset", "1")
    assert done.exit_code == 130
    assert "Traceback" not in done.stderr


@pytest.fixture
def long_log(tmp_path: Path) -> Path:
    """A log whose dump is larger than a pipe."""
    (tmp_path / LOG).write_bytes(batch(0) * 2000)
    return tmp_path / LOG


@pytest.mark.parametrize("flags", [[], ["--deep-iteration"], ["--format", "nl"], ["--format", "json"]], ids=" ".join)
def test_a_closed_pipe_is_no_error(flags: list[str], long_log: Path) -> None:
    process = spawn("dump", long_log, *flags, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(30) == 0


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["formats"], ["dump", "--help"], ["ls", "."], ["find", ".", "--offset", "11"]],
    ids=" ".join,
)
def test_a_pipe_that_nobody_reads_is_no_error(arguments: list[str], log: Path) -> None:
    """Little output stays in a buffer until the end; there the interpreter would complain."""
    reading, writing = os.pipe()
    os.close(reading)
    process = spawn(*arguments, stdout=writing, cwd=log.parent)
    os.close(writing)
    assert process.communicate(timeout=30)[1] == b""
    assert process.returncode == 0


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_streams_that_the_shell_closed_are_empty(closed: str, log: Path) -> None:
    command = f'"{sys.executable}" -c "from kformat.cli import main; main()" dump "{log}" not-there.log {closed}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=False)
    assert done.returncode == 3
    assert b"Traceback" not in done.stderr
    assert bool(done.stdout) is (">&-" not in closed.replace("2>&-", ""))


def test_a_full_disk_is_an_error(log: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    with open("/dev/full", "wb") as full:
        process = spawn("dump", log, stdout=full)
        assert process.stderr is not None
        assert process.stderr.read() == b"kformat: standard output: No space left on device\n"
        assert process.wait(30) == 3


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [["--help"], ["ls", "--help"], ["--version"]])
def test_a_full_disk_behind_help_is_an_error_too(arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        process = spawn(*arguments, stdout=full)
        assert process.communicate(timeout=30)[1] == b"kformat: standard output: No space left on device\n"
        assert process.returncode == 3


def test_names_cannot_break_lines(log: Path) -> None:
    folder = log.parent.rename(log.parent.with_name("a\n\x1b[31mb-0"))
    log = folder / log.name
    log.write_bytes(patched(batch(10), "crc", 5))
    assert run("ls", folder).stdout.splitlines()[1].startswith("a\\n\\x1b[31mb-0 ")
    assert json.loads(run("ls", folder, "--format", "nl").stdout)["partition"] == folder.name
    done = run("check", folder)
    assert len(done.stdout.splitlines()) == len(list(kformat.check(folder)))
    assert "\x1b" not in done.stdout + run("dump", folder / "not-there.log").stderr


def test_dump_of_a_folder_says_what_it_takes(log: Path) -> None:
    done = run("dump", log.parent)
    assert (done.exit_code, done.stdout) == (0, f"Dumping {log.parent}\n"), "as Kafka's tool"
    assert done.stderr == f"Ignoring unknown file {log.parent}; dump takes files, not folders\n"


def test_what_was_printed_before_an_error_stays(log: Path) -> None:
    done = run("dump", log, "not-there.log", log)
    assert done.exit_code == 3
    assert done.stdout.count("Log starting offset: 10\n") == 2
    assert "not-there.log: No such file" in done.stderr


def test_names_that_are_no_text_come_out_as_the_bytes_they_were(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/\xff-0"
    try:
        os.mkdir(folder)
    except OSError:
        pytest.skip("this file system takes only UTF-8 for names")
    path = folder + b"/" + LOG.encode()
    with open(path, "wb") as file:
        file.write(batch(0))
    done = spawn("dump", os.fsdecode(path), stdout=subprocess.PIPE)
    assert done.communicate(timeout=30)[0].startswith(b"Dumping " + path + b"\n")
    done = spawn("ls", os.fsdecode(folder), "--format", "nl", stdout=subprocess.PIPE)
    assert json.loads(done.communicate(timeout=30)[0])["partition"] == "\udcff-0"


# --- verbs of other packages ---------------------------------------------------------------------------------------


class Entry:
    """An entry point that counts how often it was loaded."""

    def __init__(self, name: str, found: Any) -> None:
        self.name, self.value, self.dist = name, f"somewhere:{name}", SimpleNamespace(name="some-package")
        self.found, self.loads = found, 0

    def load(self) -> Any:
        self.loads += 1
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Entry]]:
    @click.group()
    def log_group() -> None:
        """A group of another package."""

    @log_group.command("append")
    def append() -> None:
        click.echo("appended")

    entries = {
        "log": Entry("log", log_group),
        "broken": Entry("broken", ImportError("no module named numba")),
        "odd": Entry("odd", 7),
        "dump": Entry("dump", append),
    }

    def entry_points(*, group: str) -> list[Entry]:
        assert group == "kformat.commands"
        return list(entries.values())

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    yield entries


def test_verbs_of_other_packages_are_listed_without_loading_them(others: dict[str, Entry]) -> None:
    done = run("--help")
    assert done.exit_code == 0
    assert "log     from some-package" in done.stdout
    assert not any(entry.loads for entry in others.values())


def test_verbs_of_other_packages_run(others: dict[str, Entry]) -> None:
    assert run("log", "append").stdout == "appended\n"


@pytest.mark.parametrize("name", ["broken", "odd"])
def test_a_broken_verb_is_told_in_a_line(name: str, others: dict[str, Entry]) -> None:
    done = run(name)
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1 and "some-package" in done.stderr


def test_our_own_verbs_are_not_replaced(others: dict[str, Entry]) -> None:
    assert run("dump").exit_code == 2
    assert not others["dump"].loads


# --- formats, describe, parse, build -------------------------------------------------------------------------------


def test_formats_are_listed() -> None:
    rows = json.loads(run("formats", "--format", "json").stdout)
    assert [row["format"] for row in rows] == kformat.shipped_names()
    table = run("formats").stdout.splitlines()
    assert table[0].split() == ["format", "title"]
    assert len(table) == len(rows) + 1
    assert list(csv.DictReader(io.StringIO(run("formats", "--format", "csv").stdout))) == rows
    assert [json.loads(line) for line in run("formats", "--format", "nl").stdout.splitlines()] == rows


def test_describe_prints_the_source_of_kernels() -> None:
    """The same that lies in the tree, whatever else the module has there; and that of a declaration of one's own."""
    printed = run("describe", "record_batch::record", "--format", "source").stdout
    _, function, _ = printed.split("@kernel")
    committed = (resources.files("kformat.kernels.generated") / "record_batch.py").read_text(encoding="utf-8")
    assert f"@kernel{function.partition('@helper')[0].rstrip()}\n" in committed
    own = run("describe", str(Path(__file__).parents[1] / "declarations" / "letter.ksy"), "--format", "source").stdout
    assert "decode_letter" in {node.name for node in ast.parse(own).body if isinstance(node, ast.FunctionDef)}
    refused = run("describe", "record_batch::attributes", "--format", "source")
    assert (refused.exit_code, refused.stdout) == (2, "") and "bits alone are no rows" in refused.stderr


def test_describe_prints_the_table_or_json() -> None:
    assert run("describe", "record_batch").stdout == f"{kformat.describe('record_batch')}\n"
    described = json.loads(run("describe", "record_batch::record", "--format", "json").stdout)
    assert described["name"] == "record_batch::record"
    assert described["fields"][0]["name"] == "length"


def test_parse_and_build_are_each_others_inverse(tmp_path: Path) -> None:
    data = batch(7, [record(0, b"\xff\x00", None, headers=[("h", b"\x80"), ("\udcff", None)])])
    (tmp_path / "batch").write_bytes(data)
    parsed = run("parse", "--as", "record_batch", tmp_path / "batch")
    found = json.loads(parsed.stdout)
    assert found["records"][0]["key"] == base64.b64encode(b"\xff\x00").decode()
    assert found["records"][0]["value"] is None
    assert found["attributes"]["compression"] == "none"
    assert run("build", "--as", "record_batch", stdin=parsed.stdout_bytes).stdout_bytes == data
    hexadecimal = run("parse", "--as", "record_batch", "-", "--bytes", "hex", stdin=data)
    assert json.loads(hexadecimal.stdout)["records"][0]["key"] == "hex:ff00"
    (tmp_path / "json").write_bytes(hexadecimal.stdout_bytes)
    done = run("build", "--as", "record_batch", tmp_path / "json", "--output", tmp_path / "out")
    assert (done.exit_code, done.stdout) == (0, "")
    assert (tmp_path / "out").read_bytes() == data
    text = run("parse", "--as", "record_batch", "-", "--bytes", "text", stdin=data)
    assert json.loads(text.stdout)["records"][0]["key"] == "text:\udcff\x00"
    assert run("build", "--as", "record_batch", stdin=text.stdout_bytes).stdout_bytes == data


@settings(max_examples=at_most(25), deadline=None)
@given(
    key=st.none() | st.binary(max_size=20),
    name=st.text(max_size=5).filter(lambda text: text.isprintable()),
    timestamp=st.integers(-(2**63), 2**63 - 1),
)
def test_json_holds_any_value_exactly(key: bytes | None, name: str, timestamp: int) -> None:
    data = batch(2**63 - 1, [record(0, key, headers=[(name, key)])], max_timestamp=timestamp)
    parsed = run("parse", "--as", "record_batch", "-", stdin=data)
    assert json.loads(parsed.stdout)["max_timestamp"] == timestamp
    assert run("build", "--as", "record_batch", stdin=parsed.stdout_bytes).stdout_bytes == data


def test_many_values_are_parsed_and_built_in_a_row() -> None:
    data = batch(0) + batch(3)
    array = run("parse", "--as", "record_batch", "-", "--all", stdin=data).stdout_bytes
    lines = run("parse", "--as", "record_batch", "-", "--all", "--format", "nl", stdin=data).stdout_bytes
    assert [item["base_offset"] for item in json.loads(array)] == [0, 3]
    assert [json.loads(line) for line in lines.splitlines()] == json.loads(array)
    for text in (array, lines):
        assert run("build", "--as", "record_batch", stdin=text).stdout_bytes == data
    second = run("parse", "--as", "record_batch", "-", "--position", str(len(batch(0))), stdin=data + b"tail").stdout
    assert json.loads(second) == json.loads(array)[1]


def test_damage_is_told_and_what_was_read_before_can_be_had(tmp_path: Path) -> None:
    (tmp_path / "batch").write_bytes(patched(batch(0), "crc", 1))
    done = run("parse", "--as", "record_batch", tmp_path / "batch")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "record_batch.crc" in done.stderr and f"{tmp_path}/batch:" in done.stderr
    assert (
        len(json.loads(run("parse", "--as", "record_batch", tmp_path / "batch", "--no-checksums").stdout)["records"])
        == 3
    )
    cut = run("parse", "--as", "record_batch", "-", "--partial", stdin=batch(0)[:-1])
    assert cut.exit_code == 1
    assert 0 < len(json.loads(cut.stdout)["records"]) <= 3
    many = run("parse", "--as", "record_batch", "-", "--all", stdin=batch(0) + batch(3)[:-1])
    assert many.exit_code == 1
    assert len(json.loads(many.stdout)) == 1, "still a JSON array"


def test_a_format_of_the_users_own(tmp_path: Path) -> None:
    (tmp_path / "tokens.ksy").write_text(
        "meta: {id: tokens, endian: be}\n"
        "seq:\n"
        "  - {id: count, type: u1}\n"
        "  - {id: tokens, size: 2, repeat: expr, repeat-expr: count}\n"
    )
    parsed = run("parse", "--as", tmp_path / "tokens.ksy", "-", "--bytes", "hex", stdin=b"\x02abcd")
    assert json.loads(parsed.stdout) == {"count": 2, "tokens": ["hex:6162", "hex:6364"]}
    built = run("build", "--as", tmp_path / "tokens.ksy", "--bytes", "hex", stdin=b'{"tokens": ["6162", "6364"]}')
    assert built.stdout_bytes == b"\x02abcd"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing there"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("\xff", "not JSON"),
        ("7", "structure"),
        ('{"records": [{"key": 7}]}', "record_batch.records[0].key"),
        ('{"records": [{"key": "?"}]}', "record_batch.records[0].key"),
        ('{"no_such_field": 7}', "no_such_field"),
        ('{"base_timestamp": 1e3}', "base_timestamp"),
    ],
)
def test_what_cannot_be_built_is_told_by_path(text: str, said: str) -> None:
    done = run("build", "--as", "record_batch", stdin=text.encode("latin-1"))
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr and done.stderr.count("\n") == 1


# --- ls ------------------------------------------------------------------------------------------------------------


def test_ls_lists_segments(log: Path) -> None:
    (row,) = json.loads(run("ls", log.parent, "--format", "json").stdout)
    assert row == {
        "partition": "orders-0",
        "file": log.name,
        "kind": "segment",
        "base_offset": 10,
        "next_offset": 16,
        "records_count": 6,
        "batches_count": 2,
        "size_bytes": log.stat().st_size,
        "first_timestamp": 1000,
        "last_timestamp": 2005,
        "codecs": ["none", "zstd"],
        "offset_index_entries": 1,
        "time_index_entries": None,
        "remark": None,
        "topic_id": None,
        "leader_epochs": None,
        "log_start_offset": None,
        "local_log_start_offset": 10,
        "high_watermark": None,
        "recovery_point": None,
    }
    for path in (log, log.parent.parent):
        assert json.loads(run("ls", path, "--format", "json").stdout) == [row]
    (cells,) = csv.DictReader(io.StringIO(run("ls", log.parent, "--format", "csv").stdout))
    assert list(cells) == list(row)
    assert (cells["codecs"], cells["remark"], cells["last_timestamp"]) == ("none zstd", "", "2005")


def test_ls_prints_times_in_tables(log: Path) -> None:
    header, line = run("ls", log.parent).stdout.splitlines()
    assert line.split()[:6] == ["orders-0", log.name, "16", "6", "2", str(log.stat().st_size)]
    assert line.split()[6:8] == ["1970-01-01T00:00:01.000Z", "1970-01-01T00:00:02.005Z"]
    assert "base_offset" not in header


def test_ls_remarks_where_sound_batches_end(log: Path) -> None:
    size = log.stat().st_size
    with open(log, "ab") as file:
        file.write(bytes(30))
    (row,) = json.loads(run("ls", log.parent, "--format", "json").stdout)
    assert row["remark"] == f"30 bytes from position {size} are no batch"


def test_ls_looks_into_wrappers(log: Path) -> None:
    """Their headers tell neither how many messages there are nor the first one's time."""
    inside = [{"offset": at, "message": {"timestamp": 1000 + at, "value": b"v"}} for at in range(3)]
    wrapper = {"timestamp": 1002, "attributes": {"compression": "gzip"}, "message_set": {"messages": inside}}
    log.write_bytes(
        kformat.build("legacy_message", {"offset": 12, "message": wrapper})
        + legacy_wrapper(15, *three(0, 13), magic=0)  # whose messages have no time
        + kformat.build("legacy_message", {"offset": 16, "message": {"timestamp": 1007, "value": b"v"}})
        + batch(17)
    )
    (row,) = json.loads(run("ls", log.parent, "--format", "json").stdout)
    count = len(list(kformat.open(log).records()))
    assert row["remark"] == "magic 0 and 1" and row["records_count"] == count > 7 and row["batches_count"] == 4
    assert row["first_timestamp"] == 1000 and row["codecs"] == ["none", "gzip"]


def test_ls_lists_other_files_when_asked(log: Path) -> None:
    (log.parent / "leader-epoch-checkpoint").write_text("0\n0\n")
    (log.parent / "odd\nname").write_text("?")
    away = log.parent.parent / "old-0.0123456789abcdef0123456789abcdef-delete"
    away.mkdir()
    (away / LOG).write_bytes(b"")
    rows = json.loads(run("ls", log.parent.parent, "-a", "--format", "json").stdout)
    assert [(row["partition"], row["file"]) for row in rows] == [
        (away.name, LOG),
        ("orders-0", log.name),
        ("orders-0", "leader-epoch-checkpoint"),
        ("orders-0", "odd\nname"),
    ]
    assert rows[2]["kind"] == "leader_epoch_checkpoint"


def test_ls_goes_on_behind_what_cannot_be_read(log: Path) -> None:
    done = run("ls", "not-there", log.parent, "--format", "nl")
    assert done.exit_code == 3
    assert json.loads(done.stdout)["partition"] == "orders-0"


def refuse_to_open(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends in the name may not be read, which permissions would not achieve for root."""

    def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any = ".", *arguments: Any, **options: Any) -> Any:
            if str(path).endswith(name):
                raise PermissionError(13, "Permission denied", path)
            return function(path, *arguments, **options)

        return call

    for function in ("open", "scandir"):
        monkeypatch.setattr(os, function, refusing(getattr(os, function)))


def test_ls_goes_on_behind_a_partition_that_cannot_be_read(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = log.parent.parent
    (root / "a-0").mkdir()
    refuse_to_open("a-0", monkeypatch)
    done = run("ls", root, "--format", "nl")
    assert done.exit_code == 3
    assert json.loads(done.stdout)["partition"] == "orders-0"
    assert done.stderr == f"kformat: {root / 'a-0'}: Permission denied\n"


def test_ls_lists_a_log_whose_index_cannot_be_read(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_to_open(".index", monkeypatch)
    done = run("ls", log.parent, "--format", "nl")
    assert done.exit_code == 3
    row = json.loads(done.stdout)
    assert (row["batches_count"], row["offset_index_entries"]) == (2, None)
    assert done.stderr.endswith(".index: Permission denied\n")


def test_find_takes_one_kind_of_target() -> None:
    assert run("find", ".").stderr == "kformat: --offset or --timestamp is needed\n"
    both = run("find", ".", "--offset", "1", "--timestamp", "1")
    assert both.stderr == "kformat: --offset or --timestamp is needed, not both\n"


def test_ls_says_where_there_is_nothing_to_list(tmp_path: Path) -> None:
    done = run("ls", tmp_path, "--format", "json")
    assert (done.exit_code, json.loads(done.stdout)) == (2, [])
    assert done.stderr.startswith(f"kformat: {tmp_path}: nothing of Kafka's here; looked for segments ")


def test_ls_agrees_with_the_partition(log: Path) -> None:
    (segment,) = open_partition(log.parent).segments
    (row,) = json.loads(run("ls", log.parent, "--format", "json").stdout)
    assert row["records_count"] == len(list(open_partition(log.parent).records()))
    assert row["batches_count"] == len(segment.headers())


# --- find ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--offset", "11"], (11, 1005, 0)),
        (["--timestamp", "1003"], (11, 1005, 0)),
        (["--timestamp", "1970-01-01T00:00:01.999Z"], (13, 2000, len(batch(10)))),
        (["--timestamp", "1970-01-01T01:00:01.999+01:00"], (13, 2000, len(batch(10)))),
        (["--timestamp", "earliest"], (10, -1, 0)),
        (["--timestamp", "latest"], (16, -1, len(batch(10)))),
        (["--timestamp", "max"], (14, 2005, len(batch(10)))),
        (["--timestamp", "-3"], (14, 2005, len(batch(10)))),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_find_answers(arguments: list[str], expected: tuple[int, int, int], log: Path) -> None:
    done = run("find", log.parent, *arguments, "--format", "json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["offset"], found["timestamp"], found["position"]) == expected
    assert found["segment"] == log.name
    text = run("find", log.parent, *arguments).stdout
    assert text.startswith(f"offset {expected[0]} timestamp {expected[1]}") and text.endswith(
        f"position {expected[2]}\n"
    )


def test_find_explains(log: Path) -> None:
    lines = run("find", log.parent, "--offset", "15", "--explain").stdout.splitlines()
    assert "base offset 10" in lines[0] and "offset index" in lines[1] and "scanned 1 batch" in lines[2]
    assert lines[3].startswith("offset 15 ")
    steps = json.loads(run("find", log.parent, "--offset", "15", "--explain", "--format", "json").stdout)["steps"]
    assert [step["kind"] for step in steps] == ["segment_by_offset", "index_floor", "scan"]


@pytest.mark.parametrize("arguments", [["--offset", "99"], ["--offset", "9"], ["--timestamp", "99999"]], ids=" ".join)
def test_find_finds_nothing(arguments: list[str], log: Path) -> None:
    done = run("find", log.parent, *arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    found = run("find", log.parent, *arguments, "--format", "json")
    assert found.exit_code == 1
    assert json.loads(found.stdout)["offset"] is None


def test_find_in_a_damaged_batch_is_an_error(log: Path) -> None:
    log.write_bytes(patched(batch(10), "records_count", 9))
    done = run("find", log.parent, "--offset", "99", "--format", "json")
    assert done.exit_code == 1
    done = run("find", log.parent, "--timestamp", "1005")
    assert done.exit_code in (0, 1) and "Traceback" not in done.stderr


def test_find_below_a_log_start_finds_what_is_left(log: Path) -> None:
    log.write_bytes(batch(10) + batch(20))
    whole = json.loads(run("find", log.parent, "--timestamp", "0", "--format", "json").stdout)
    later = json.loads(
        run("find", log.parent, "--timestamp", "0", "--format", "json", "--log-start-offset", "11").stdout
    )
    assert whole["offset"] == 10 and later["offset"] > 10
    assert run("find", log.parent, "--offset", "10", "--log-start-offset", "11").exit_code == 1


def test_find_answers_each_of_several_targets_and_reads_the_indexes_once(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets = ["11", "99", "15", "13"]
    words = [word for target in targets for word in ("--offset", target)]
    done = run("find", log.parent, *words)
    alone = [run("find", log.parent, "--offset", target) for target in targets]
    assert done.exit_code == 1 and done.stdout == "".join(one.stdout for one in alone)
    assert done.stderr == alone[1].stderr.replace("kformat: ", "kformat: 99: ")
    read: list[Path] = []
    real = Segment.indexes

    def counted(segment: Segment) -> Any:
        read.append(segment.log)
        return real(segment)

    monkeypatch.setattr(Segment, "indexes", counted)
    found = [json.loads(line) for line in run("find", log.parent, *words, "--format", "json").stdout.splitlines()]
    assert [one.pop("target") for one in found] == [11, 99, 15, 13] and len(read) == 1
    assert found == [
        json.loads(run("find", log.parent, "--offset", target, "--format", "json").stdout) for target in targets
    ]
    times = run("find", log.parent, "--timestamp", "earliest", "--timestamp", "1003", "--explain").stdout
    assert times.count("\noffset ") == 2


def test_find_goes_on_behind_damage(log: Path) -> None:
    log.write_bytes(batch(10) + bytes(99) + b"x")
    done = run("find", log.parent, "--offset", "13", "--offset", "10")
    assert done.exit_code == 1 and done.stdout.startswith("offset 10 ") and done.stderr.startswith(f"kformat: {log}:")


# --- check ---------------------------------------------------------------------------------------------------------


def test_check_of_sound_files(log: Path) -> None:
    done = run("check", log.parent, "--severity", "error")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", ""), "silence is what a script wants to hear"
    assert run("check", log.parent).stderr.splitlines()[0] == "kformat: 0 errors, 1 warning", "no .timeindex"


def test_check_of_nothing_does_not_look_sound(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "todo.txt").write_text("buy milk")
    done = run("check", tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        f"kformat: {tmp_path}: nothing of Kafka's here; looked for segments, indexes, snapshots and checkpoints, "
        "by their names, at any depth\n"
    )


def test_check_of_a_log_directory_without_partitions(tmp_path: Path) -> None:
    for name in ("meta.properties", "bootstrap.checkpoint"):
        (tmp_path / name).write_bytes((ROOT / "4.3.1" / name).read_bytes())
    done = run("check", tmp_path)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")


def test_check_prints_findings_in_all_forms(log: Path) -> None:
    log.write_bytes(patched(batch(10), "crc", 5))
    findings = list(kformat.check(log.parent))
    assert any(finding.path == "record_batch.crc" for finding in findings)
    done = run("check", log.parent)
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [str(finding) for finding in findings]
    objects = json.loads(run("check", log.parent, "--format", "json").stdout)
    assert [(item["rule"], item["position"]) for item in objects] == [(it.rule, it.position) for it in findings]
    lines = run("check", log.parent, "--format", "nl").stdout.splitlines()
    assert [json.loads(line) for line in lines] == objects
    made = json.loads(run("check", log.parent, "--format", "sarif").stdout)
    (ran,) = made["runs"]
    assert made["version"] == "2.1.0"
    assert [result["ruleId"] for result in ran["results"]] == [finding.rule for finding in findings]
    assert {result["ruleId"] for result in ran["results"]} <= {rule["id"] for rule in ran["tool"]["driver"]["rules"]}
    crc = next(result for result in ran["results"] if "record_batch.crc" in str(result))
    place = crc["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == log.as_uri()
    assert place["region"]["byteOffset"] == next(it.position for it in findings if it.path == "record_batch.crc")


def test_check_leaves_out_what_is_not_asked_for(log: Path) -> None:
    log.write_bytes(patched(batch(10), "crc", 5))
    errors = [finding for finding in kformat.check(log.parent) if finding.severity == "error"]
    assert len(run("check", log.parent, "--severity", "error").stdout.splitlines()) == len(errors)
    ignored = run("check", log.parent, *(f"--ignore={finding.rule}" for finding in kformat.check(log.parent)))
    assert (ignored.exit_code, ignored.stdout) == (0, "")


def test_check_leaves_records_alone_when_asked(log: Path) -> None:
    log.write_bytes(batch(10, max_timestamp=1 << 40))
    assert " KF0309 " in run("check", log).stdout
    assert " KF03" not in run("check", log, "--no-records").stdout
    log.write_bytes(patched(batch(10), "crc", 5))
    assert " KF0201 " in run("check", log, "--no-records").stdout, "checksums are looked at all the same"


def test_progress_is_for_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    progress = ProgressLine()
    assert not progress.is_shown, "standard error is no terminal here"
    progress.next_s = 0
    progress.amount(50, 200, "x.log")
    progress.clear()
    assert capsys.readouterr().err == ""


def test_progress_stays_on_its_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    bar, log = "[#-------------------]", "/a/long/way/to/orders-0/0.log"
    shown_by_width = {"80": f"{bar}   5%, 00:01:16 left, 1 of 20 bytes, ay/to/orders-0/0.log", "3": "[]"}
    for columns, shown in shown_by_width.items():
        monkeypatch.setenv("COLUMNS", columns)
        seconds = iter([10.0, 10.4, *[14.0] * 3, 14.1])
        progress = ProgressLine(lambda seconds=seconds: next(seconds))  # type: ignore[misc]
        progress.amount(1, 20, log)
        assert capsys.readouterr().err == "", "not at once"
        progress.amount(1, 20, log)
        progress.amount(2, 20, log)
        progress.clear()
        progress.clear()
        assert capsys.readouterr().err == f"\r\x1b[K{shown}\r\x1b[K", "and not with each batch"


def test_the_total_is_that_of_the_logs_that_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "orders-0"
    folder.mkdir()
    for number, size in enumerate((100, 200, 400)):
        (folder / f"{number:020d}.log").write_bytes(bytes(size))
    (folder / f"{0:020d}.index").write_bytes(bytes(1000))
    line, shown = ProgressLine(), list[tuple[int, int]]()
    monkeypatch.setattr(ProgressLine, "is_due", True)
    monkeypatch.setattr(line, "amount", lambda done, total, name: shown.append((done, total)))
    monkeypatch.chdir(tmp_path)
    for times, reads in (
        (1, [("0", 50, 50, 700), ("0", 100, 100, 700), ("2", 10, 110, 500), ("1", 200, 310, 700)]),
        (2, [("0", 100, 100, 1400), ("0", 30, 130, 1400), ("0", 100, 200, 1400), ("1", 200, 400, 1400)]),
    ):
        with byte_source.watching(_Reads(line, ["orders-0"], times)):
            for name, size, *expected in reads:
                with byte_source.ByteSource(f"orders-0/{name:0>20}.log") as source:
                    assert len(source.read_at(0, size)) == size
                assert list(shown[-1]) == expected
    shown.clear()
    with byte_source.ByteSource(f"orders-0/{0:020d}.log") as source:
        source.read_at(0, 10)
    assert not shown, "nobody watches"


# --- times ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "timestamp_ms"),
    [
        ("1526384718288", 1526384718288),
        ("-2", -2),
        ("2018-05-15T11:45:18.288Z", 1526384718288),
        ("2018-05-15 11:45:18.288", 1526384718288),
        ("2018-05-15T13:45:18.288+02:00", 1526384718288),
        ("1970-01-01", 0),
        ("latest", -1),
    ],
)
def test_times_are_read(given: str, timestamp_ms: int) -> None:
    assert Timestamp({"latest": -1}).convert(given, None, None) == timestamp_ms


@settings(max_examples=at_most(50))
@given(st.integers(0, 253402300799999))
def test_times_are_written_as_they_are_read(timestamp_ms: int) -> None:
    assert Timestamp().convert(time_text(timestamp_ms), None, None) == timestamp_ms


@pytest.mark.parametrize("timestamp_ms", [-1, -(2**63), 2**63 - 1])
def test_what_is_no_time_is_written_as_a_number(timestamp_ms: int) -> None:
    assert time_text(timestamp_ms) == str(timestamp_ms)


@pytest.mark.parametrize("side", ["value", "key"])
def test_a_decoder_that_is_not_here_is_refused_with_what_works(side: str) -> None:
    log = SAMPLES / "2.8.2" / "__transaction_state-0" / f"{0:020}.log"
    result = run("dump", f"--{side}-decoder-class", log)
    assert result.exit_code == 2 and result.stdout == "" and f"--{side}-as x.ksy" in result.stderr
