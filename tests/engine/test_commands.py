"""`kformat log`: every verb with its options, what it prints where, and its exit status."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kformat.cli import main
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.log.log_reader import LogReader
from kformat_engine import Log, LogConfig, LogManager
from kformat_engine.commands import log as log_group
from kformat_engine.errors import LogError, RecordsDeletedError, RootLockedError
from tests.engine.building import batch

TIMEOUT_S = 60
VERBS = (
    *("append", "compact", "create", "delete", "import", "info", "list", "move"),
    *("read", "recover", "retain", "roll", "tail", "transactions", "truncate"),
)


def run(verb: str, *arguments: str | Path, stdin: bytes | None = None) -> Result:
    """`kformat log VERB ...` in this process."""
    return CliRunner().invoke(main, ["log", verb, *map(str, arguments)], input=stdin)


def spawn(verb: str, *arguments: str | Path, **more: Any) -> subprocess.Popen[bytes]:
    """The same in a process of its own, with pipes."""
    program = "import sys; from kformat.cli import main; sys.argv[0] = 'kformat'; main()"
    command = [sys.executable, "-c", program, "log", verb, *map(str, arguments)]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(command, **{**pipes, **more})


def values(path: Path) -> list[bytes | None]:
    with LogReader.open(path) as reader:
        return [record.value for record in reader]


def snapshot(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file of a root: its bytes, and when it was changed."""
    return {
        str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def wait_for(condition: Callable[[], bool]) -> None:
    """Return when something has come true in another process; LogError is what a log that is being made gives."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        with contextlib.suppress(LogError, FileNotFoundError):
            if condition():
                return
        assert time.monotonic() < deadline
        time.sleep(0.02)


def crash(path: Path) -> None:
    """As if whoever had the log open had been killed."""
    (path.parent / ".kafka_cleanshutdown").unlink()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a log may be made."""
    return tmp_path / "data" / "orders-0"


@pytest.fixture
def log(path: Path) -> Path:
    """Nine records in three segments, ten milliseconds apart; closed."""
    now = 1_700_000_000_000
    with Log.open(path, clock=lambda: now) as log:
        for number in range(9):
            if number in (3, 6):
                log.roll()
            log.append([(b"key-%d" % number, b"value-%d" % number)])
            now += 10
    return path


# --- what the verbs have in common -----------------------------------------------------------------------------------


def test_the_verbs() -> None:
    assert tuple(sorted(log_group.commands)) == VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_helps(verb: str) -> None:
    done = run(verb, "--help")
    assert done.exit_code == 0
    assert done.stdout.startswith(f"Usage: main log {verb} ")


def test_a_root_that_somebody_holds_is_refused(log: Path) -> None:
    holder = spawn("append", log.parent / "other-0", "--format", "json")
    assert holder.stdin is not None
    holder.stdin.write(b"line\n")
    holder.stdin.flush()
    wait_for(lambda: (log.parent / "other-0").is_dir() and bool(values(log.parent / "other-0")))
    before = snapshot(log.parent)
    for verb in ("append", "roll", "retain", "compact", "truncate", "recover"):
        done = run(verb, log, *(["1"] if verb == "truncate" else []), stdin=b"line\n")
        assert (done.exit_code, done.stdout) == (4, ""), verb
        assert done.stderr.startswith("kformat: ") and len(done.stderr.splitlines()) == 1
    assert snapshot(log.parent) == before
    assert holder.communicate(timeout=TIMEOUT_S)[1] == b""
    assert run("roll", log).exit_code == 0


def test_retention_that_overtakes_a_verb_is_no_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit status 4 is for what would not be safe to do; here some of what was asked for is gone."""
    with Log.open(tmp_path / "a-0") as log:
        log.append([b"v"])

    def overtaken(*_: object, **__: object) -> None:
        raise RecordsDeletedError(3, 7, source=str(tmp_path / "a-0"))

    monkeypatch.setattr(LogReader, "records", overtaken)
    done = run("read", tmp_path / "a-0")
    assert done.exit_code == 1
    assert done.stderr == (
        f"kformat: {tmp_path / 'a-0'}: records were deleted before they were read: offset 3 was next, "
        "the log starts at offset 7\n"
    )


@pytest.mark.parametrize("verb", ["read", "tail", "info", "recover"])
def test_looking_takes_no_lock_and_changes_nothing(verb: str, log: Path) -> None:
    with Log.open(log.parent / "other-0"):
        before = snapshot(log)
        done = run(verb, log, *(["--dry-run"] if verb == "recover" else []))
        assert done.exit_code == 0, done.stderr
        assert snapshot(log) == before


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["append", "nonsense"], 2, "it is called <topic>-<partition>"),
        (["append", "orders-0.abc-delete"], 2, "it is called <topic>-<partition>"),
        (["append", "orders-0", "not-there"], 2, "not-there"),
        (["append", "orders-0", "--input-format", "nl", "--key-delimiter", ":"], 2, "do not go together"),
        (["append", "orders-0", "--key-delimiter", ""], 2, "not an empty one"),
        (["append", "orders-0", "--config", "segment.bytes"], 2, "NAME=VALUE"),
        (["append", "orders-0", "--config", "segment.byte=1"], 2, "is segment.bytes meant?"),
        (["append", "orders-0", "--config", "segment.bytes=x"], 2, "--config segment.bytes: 'x' is not a whole number"),
        (["append", "orders-0", "--config-file", "not-there"], 3, "not-there: No such file"),
        (["append", "orders-0", "--compression", "rar"], 2, "rar"),
        (["roll", "gone-0"], 3, "kformat: gone-0: No such log"),
        (["retain", "gone-0"], 3, "No such log"),
        (["truncate", "gone-0", "1"], 3, "No such log"),
        (["truncate", "gone-0", "-1"], 2, ""),
        (["recover", "gone-0"], 3, "No such log"),
        (["recover", "gone-0", "--dry-run"], 3, "gone-0"),
        (["recover", "gone-0", "--mode", "hope"], 2, "hope"),
        (["read", "gone-0"], 3, "gone-0: No such file"),
        (["read", "empty-0"], 2, "empty-0: nothing of Kafka's here"),
        (["read", "empty-0", "--offset", "1", "--timestamp", "1"], 2, "do not go together"),
        (["tail", "gone-0"], 3, "gone-0: No such file"),
        (["tail", "empty-0", "--timeout", "1"], 2, "--timeout goes with --follow"),
        (["tail", "empty-0", "-f", "--timeout", "-1"], 2, "-1"),
        (["info", "nonsense"], 2, "it is called <topic>-<partition>"),
        (["info", "gone-0"], 3, "gone-0: No such file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_calls_and_missing_logs(
    arguments: list[str], status: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty-0").mkdir()
    done = run(arguments[0], *arguments[1:], stdin=b"")
    assert (done.exit_code, done.stdout) == (status, "")
    assert told in done.stderr
    assert isinstance(done.exception, SystemExit)
    assert not list(tmp_path.rglob("*.log"))


# --- append ----------------------------------------------------------------------------------------------------------


def test_append_takes_lines(path: Path, tmp_path: Path) -> None:
    done = run("append", path, stdin=b"one\n\nthree \r\n\xff\x00\nlast")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "5 records, offsets 0 to 4\n", "")
    files = [tmp_path / "a", tmp_path / "b"]
    for file in files:
        file.write_bytes(file.name.encode() * 3)
    assert run("append", path, *files, "-", stdin=b"c\n").stdout == "3 records, offsets 5 to 7\n"
    assert values(path) == [b"one", b"", b"three \r", b"\xff\x00", b"last", b"aaa", b"bbb", b"c"]


def test_append_of_nothing_makes_an_empty_log(path: Path) -> None:
    assert run("append", path, stdin=b"").stdout == "0 records\n"
    assert values(path) == []


def test_append_says_what_it_did_as_json(log: Path) -> None:
    done = run("append", log, "--format", "json", stdin=b"x\n")
    assert json.loads(done.stdout) == {"first_offset": 9, "next_offset": 10, "records_count": 1}


def test_append_splits_lines_into_key_and_value(path: Path) -> None:
    assert run("append", path, "--key-delimiter", "=>", stdin=b"a=>b=>c\n=>\n").exit_code == 0
    with LogReader.open(path) as reader:
        assert [(record.key, record.value) for record in reader] == [(b"a", b"b=>c"), (b"", b"")]


def test_append_takes_json(path: Path) -> None:
    objects: list[dict[str, Any]] = [
        {},
        {"key": "a2V5", "value": "hex:00ff", "headers": {"h": "text:ü", "none": None}, "timestamp": 7},
        {"value": None, "headers": [{"key": "h", "value": ""}, ["h", "AA=="]], "timestamp": "1970-01-01T00:00:01Z"},
        {"offset": 99, "sequence": 5, "timestamp_type": "log_append_time", "value": "text:hex:00"},
    ]
    done = run("append", path, "--input-format", "nl", stdin="\n".join(map(json.dumps, objects)).encode())
    assert done.exit_code == 0, done.stderr
    with LogReader.open(path) as reader:
        records = list(reader)
    assert [(record.offset, record.key, record.value, record.headers) for record in records] == [
        (0, None, None, ()),
        (1, b"key", b"\x00\xff", (("h", "ü".encode()), ("none", None))),
        (2, None, None, (("h", b""), ("h", b"\x00"))),
        (3, None, b"hex:00", ()),
    ]
    assert [record.timestamp for record in records][1:3] == [7, 1000]


def test_append_builds_declared_values(path: Path, tmp_path: Path) -> None:
    """Objects become bytes, and what `export` prints of them is appended again; an error names line and field."""
    (tmp_path / "trade.ksy").write_text(
        "meta: {id: trade, endian: be}\n"
        "seq: [{id: price, type: f8}, {id: side, type: u1, enum: side}, {id: tag, size: 2}]\n"
        "enums: {side: {0: buy, 1: sell}}"
    )
    as_trade = ("--value-as", f"{path.name.rpartition('-')[0]}={tmp_path / 'trade.ksy'}")
    given = ("--input-format", "nl", *as_trade, "--key-as", "json")
    lines = [
        {"key": {"a": [1, "é"]}, "value": {"price": 1.5, "side": "sell", "tag": "hex:00ff"}},
        {"key": 5, "value": None},
        {"key": None, "value_raw": "text:not a trade", "value_error": "passed over"},
    ]
    done = run("append", path, *given, stdin="\n".join(map(json.dumps, lines)).encode())
    assert done.exit_code == 0, done.stderr
    sell = b"\x3f\xf8" + bytes(6) + b"\1\0\xff"
    with LogReader.open(path) as reader:
        found = [(record.key, record.value) for record in reader]
    assert found == [('{"a":[1,"é"]}'.encode(), sell), (b"5", None), (None, b"not a trade")]

    copy = tmp_path / "copy" / path.name
    out = tmp_path / "out.ndjson"
    columns = ("--columns", "key,value,value_raw,value_error,headers", "-o", str(out))
    printed = CliRunner().invoke(main, ["export", str(path), *as_trade, *columns])
    assert printed.exit_code == 0, printed.stderr
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    again = run("append", copy, "--input-format", "nl", *as_trade, stdin=out.read_bytes())
    assert again.exit_code == 0, again.stderr
    assert rows[0]["value"]["side"] == "sell" and values(copy) == values(path)

    for line, why in (
        ({"value": {"price": "x", "side": 0, "tag": ""}}, "trade.price"),
        ({"value": {"price": 1, "side": "none", "tag": "hex:0000"}}, "trade.side"),
        ({"value": "text"}, "trade: an object is expected"),
        ({"value": {}, "value_raw": "AA=="}, "there is value, and value_raw, too"),
    ):
        done = run("append", path, *given, stdin=b'{"key": 1}\n' + json.dumps(line).encode())
        assert done.exit_code == 2 and f"line 2: {why}" in done.stderr, done.stderr
    assert "need --input-format nl" in run("append", path, *as_trade, stdin=b"x").stderr


@pytest.mark.parametrize(
    ("bytes_as", "text", "stored"),
    [("text", "text:a", b"text:a"), ("text", "\udcff", b"\xff"), ("hex", "00ff", b"\x00\xff"), ("hex", "text:a", b"a")],
)
def test_append_reads_bytes_as_it_is_told(bytes_as: str, text: str, stored: bytes, path: Path) -> None:
    assert (
        run(
            "append", path, "--input-format", "nl", "--bytes", bytes_as, stdin=json.dumps({"value": text}).encode()
        ).exit_code
        == 0
    )
    assert values(path) == [stored]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "not JSON: "),
        ("[" * 100_000, "not JSON: "),
        ("1", "no JSON object"),
        ('{"valeu": "YQ=="}', "no field 'valeu'; there are key, value, headers, timestamp"),
        ('{"value": 5}', "value takes a string or null"),
        ('{"value": "hello"}', "value is no base64: "),
        ('{"key": "hex:0"}', "key is no hex: "),
        ('{"headers": 5}', "headers takes an object, or a list of pairs"),
        ('{"headers": [1]}', "a header is a pair of a name and a value"),
        ('{"headers": [{"value": ""}]}', "a header is a pair of a name and a value"),
        ('{"timestamp": "yesterday"}', "timestamp: 'yesterday' is not a time"),
        ('{"timestamp": 1.5}', "timestamp takes milliseconds or ISO 8601"),
        ('{"timestamp": true}', "timestamp takes milliseconds or ISO 8601"),
        ('{"timestamp": 99999999999999999999}', ""),
        ("\ufffe", "not JSON: "),
    ],
)
def test_a_line_that_is_wrong_is_named_and_those_before_it_stay(line: str, told: str, path: Path) -> None:
    good = b'{"value": "text:good"}\n'
    done = run(
        "append", path, "--input-format", "nl", stdin=good * 3 + line.encode("utf-8", "surrogatepass") + b"\n" + good
    )
    assert (done.exit_code, done.stdout) == (2, "")
    remark, complaint = done.stderr.splitlines()
    assert remark == "3 records appended before"
    assert complaint.startswith("kformat: line 4: ") and told in complaint
    assert values(path) == [b"good"] * 3


def test_a_bad_line_of_a_file_is_named_with_the_file(path: Path, tmp_path: Path) -> None:
    (tmp_path / "first").write_bytes(b"a:b\n")
    (tmp_path / "second").write_bytes(b"a:b\nnothing\n")
    done = run("append", path, tmp_path / "first", tmp_path / "second", "--key-delimiter", ":")
    assert done.stderr.splitlines()[-1] == f"kformat: {tmp_path / 'second'}:2: there is no ':' in it"
    assert values(path) == [b"b", b"b"]


def test_a_record_that_the_log_refuses_is_named(path: Path) -> None:
    done = run("append", path, "--config", "max.message.bytes=200", stdin=b"a\nb\n" + b"c" * 300 + b"\nd\n")
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1].startswith("kformat: line 3: ")
    assert values(path) == [b"a", b"b"]


def test_a_line_without_an_end_is_not_collected_for_ever(path: Path) -> None:
    done = run("append", path, "--config", "max.message.bytes=1000", stdin=b"a\n" + b"c" * 1_000_000)
    assert (done.exit_code, "line 2: more than 8000 bytes" in done.stderr) == (2, True)
    assert values(path) == [b"a"]


def test_what_read_prints_append_takes(log: Path, path: Path) -> None:
    """In a pipe, with values of all bytes, and one as large as a record may be."""
    large = os.urandom(1_048_000)
    with Log.open(log) as opened:
        opened.append([{"key": None, "value": bytes(range(256)), "headers": [("h", b"\xff"), ("h", None)]}, large])
    other = log.parent / "copy-0"
    reading = spawn("read", log, "--format", "nl", "--bytes", "base64", stdin=None)
    writing = spawn("append", other, "--input-format", "nl", "--bytes", "base64", stdin=reading.stdout)
    assert reading.stdout is not None
    reading.stdout.close()
    out, err = writing.communicate(timeout=TIMEOUT_S)
    assert (reading.wait(TIMEOUT_S), writing.returncode, out, err) == (0, 0, b"11 records, offsets 0 to 10\n", b"")
    assert run("read", other, "--format", "nl").stdout == run("read", log, "--format", "nl").stdout


def test_lines_are_appended_as_they_come(path: Path) -> None:
    """From a pipe that stays open, and read by somebody else meanwhile."""
    process = spawn("append", path)
    assert process.stdin is not None
    process.stdin.write(b"one\ntwo\nthr")
    process.stdin.flush()
    wait_for(lambda: values(path) == [b"one", b"two"])
    out, err = process.communicate(b"ee\n", timeout=TIMEOUT_S)
    assert (process.returncode, out, err) == (0, b"3 records, offsets 0 to 2\n", b"")
    assert values(path) == [b"one", b"two", b"three"]


def test_what_was_appended_survives_a_kill(path: Path) -> None:
    process = spawn("append", path)
    assert process.stdin is not None
    process.stdin.write(b"one\n")
    process.stdin.flush()
    wait_for(lambda: bool(values(path)))
    process.kill()
    process.wait(TIMEOUT_S)
    for pipe in (process.stdin, process.stdout, process.stderr):
        assert pipe is not None
        pipe.close()
    done = run("append", path, stdin=b"two\n")
    assert done.stdout == "1 record, offsets 1 to 1\n"
    assert done.stderr == "recovered: 2 indexes rebuilt from the log\n"
    assert values(path) == [b"one", b"two"]


def test_the_configuration_counts(path: Path, tmp_path: Path) -> None:
    """--config goes over --config-file, under a broker's names, too; segments may be smaller than a topic's."""
    file = tmp_path / "server.properties"
    file.write_text(
        "compression.type=gzip\nmax.message.bytes=20\nsegment.bytes=2000000\nbroker.id=3\n", encoding="utf-8"
    )
    settings: list[str | Path] = ["--config-file", file]
    settings += ["--config", "segment.bytes=500", "--config", "message.max.bytes=1000"]
    assert run("append", path, *settings, stdin=b"v" * 300 + b"\n").exit_code == 0
    assert run("append", path, *settings, "--compression", "zstd", stdin=b"w" * 300 + b"\n").exit_code == 0
    for letter in (b"x", b"y", b"z"):
        assert run("append", path, *settings, stdin=os.urandom(300).hex().encode() + letter + b"\n").exit_code == 0
    with LogReader.open(path) as reader:
        codecs = [CODEC_NAMES[one.compression] for one in reader.batches()]
    assert codecs == ["gzip", "zstd", "gzip", "gzip", "gzip"]
    info = json.loads(run("info", path, "--format", "json").stdout)
    assert len(info["segments"]) > 1


@pytest.mark.parametrize(("sync", "synced"), [("batch", 2), ("never", 0)])
def test_sync_says_when(sync: str, synced: int, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []
    monkeypatch.setattr(Log, "close", _noting(found))
    assert run("append", path, "--sync", sync, stdin=b"one\ntwo\n").exit_code == 0
    assert found == [synced]


def _noting(found: list[int]) -> Any:
    close = Log.close

    def noting(log: Log) -> None:
        found.append(log.synced_offset)
        close(log)

    return noting


def test_an_interrupt_closes_the_log(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kformat_engine.commands._lines", _interrupted)
    done = run("append", path, stdin=b"one\n")
    assert (done.exit_code, done.stderr) == (130, "kformat: interrupted\n")
    assert (path.parent / ".kafka_cleanshutdown").exists()


def _interrupted(*_: Any) -> Any:
    raise KeyboardInterrupt


# --- read, tail, info ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        ([], range(9)),
        (["--offset", "7"], (7, 8)),
        (["--offset", "2", "--end-offset", "4"], (2, 3)),
        (["--timestamp", "1700000000045"], range(5, 9)),
        (["--timestamp", "2023-11-14T22:13:20.080Z"], (8,)),
        (["--timestamp", "1700000000081"], ()),
        (["-n", "2"], (0, 1)),
        (["--max-records", "0"], ()),
        (["--offset", "9"], ()),
    ],
)
def test_read_prints_values(options: list[str], numbers: range, log: Path) -> None:
    done = run("read", log, *options)
    assert (done.exit_code, done.stdout) == (0, "".join(f"value-{number}\n" for number in numbers))


def test_read_prints_bytes_as_they_are(path: Path) -> None:
    with Log.open(path) as log:
        log.append([b"\xff\x00", {"value": None}])
    assert run("read", path).stdout_bytes == b"\xff\x00\n\n"


def test_read_prints_json(log: Path) -> None:
    first = {
        "offset": 3,
        "timestamp": 1700000000030,
        "key": "a2V5LTM=",
        "value": base64.b64encode(b"value-3").decode(),
        "headers": [],
    }
    assert json.loads(run("read", log, "--offset", "3", "-n", "1", "--format", "nl").stdout) == first
    objects = json.loads(run("read", log, "--offset", "3", "--format", "json", "--bytes", "text").stdout)
    assert [(one["offset"], one["key"]) for one in objects] == [(number, f"key-{number}") for number in range(3, 9)]
    assert json.loads(run("read", log, "--offset", "9", "--format", "json").stdout) == []


def test_read_of_an_offset_that_is_not_there(log: Path) -> None:
    done = run("read", log, "--offset", "10")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "kformat: offset 10 is out of range: the log goes from 0 to 9 (exclusive)\n"


def test_a_reader_that_leaves_early_is_no_error(path: Path) -> None:
    with Log.open(path) as log:
        log.append([b"v" * 100] * 20_000)
    for options in ([], ["--format", "json"]):
        process = spawn("read", path, *options, stdin=None)
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait(TIMEOUT_S) == 0


def test_damage_is_told_behind_what_could_be_read(log: Path) -> None:
    file = log / file_name(3, "log")
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    done = run("read", log)
    assert (done.exit_code, done.stdout) == (1, "".join(f"value-{number}\n" for number in range(5)))
    assert file.name in done.stderr


@pytest.mark.parametrize(("options", "numbers"), [([], range(9)), (["-n", "2"], (7, 8)), (["-n", "0"], ())])
def test_tail_prints_the_last_values(options: list[str], numbers: range, log: Path) -> None:
    assert run("tail", log, *options).stdout == "".join(f"value-{number}\n" for number in numbers)


def test_tail_looks_over_gaps(path: Path) -> None:
    with Log.open(path) as log:
        log.append([b"one", b"two"])
    with Log.open(path) as log:
        data = b"".join(one.raw for one in log.batches())
        log.truncate_to(0)
        log.append_batches(data, assign_offsets=False)
        log.append_batches(batch(1_000_000, b"three"), assign_offsets=False)
    assert run("tail", path, "-n", "2", "--format", "nl", "--bytes", "text").stdout.count("\n") == 2
    assert run("tail", path, "-n", "2").stdout == "two\nthree\n"


def test_tail_follows_a_writer_of_another_process(log: Path) -> None:
    """Rolls and retention among what is appended."""
    process = spawn("tail", log, "-n", "1", "-f", stdin=None)
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.readline() == b"value-8\n"
    for number in range(9, 12):
        assert run("append", log, stdin=b"value-%d\n" % number).exit_code == 0
        assert process.stdout.readline() == b"value-%d\n" % number
        assert run("roll", log).exit_code == 0
    assert run("retain", log, "--before", "11").exit_code == 0
    assert run("append", log, stdin=b"end\n").exit_code == 0
    assert process.stdout.readline() == b"end\n"
    process.terminate()
    process.wait(TIMEOUT_S)
    assert process.stderr.read() == b""
    process.stdout.close()
    process.stderr.close()


def test_tail_stops_when_nothing_comes(log: Path) -> None:
    began = time.monotonic()
    done = run("tail", log, "-n", "1", "-f", "--timeout", "0.3")
    assert (done.exit_code, done.stdout) == (0, "value-8\n")
    assert time.monotonic() - began >= 0.3


def test_info_tells_of_log_and_segments(log: Path) -> None:
    info = json.loads(run("info", log, "--format", "json").stdout)
    segments = info.pop("segments")
    assert info == {
        "topic": "orders",
        "partition": 0,
        "topic_id": None,
        "log_start_offset": 0,
        "local_log_start_offset": 0,
        "end_offset": 9,
        "last_stable_offset": 9,
        "recovery_point": 9,
        "high_watermark": 9,
        "size_bytes": sum(path.stat().st_size for path in log.glob("*.log")),
        "is_clean": True,
        "leader_epochs": [{"epoch": 0, "start_offset": 0}],
    }
    assert [(one["base_offset"], one["end_offset"], one["batches"], one["last_timestamp"]) for one in segments] == [
        (0, 3, 3, 1_700_000_000_020),
        (3, 6, 3, 1_700_000_000_050),
        (6, 9, 3, 1_700_000_000_080),
    ]
    lines = run("info", log).stdout.splitlines()
    assert "shutdown: clean" in lines and "leader_epochs: 0 from 0" in lines
    assert len(lines) == lines.index(next(line for line in lines if line.startswith("base_offset"))) + 4


def test_info_tells_where_a_transaction_is_open(log: Path) -> None:
    with Log.open(log) as opened, opened.transaction("id") as transaction:
        transaction.append([b"one"])
        assert json.loads(run("info", log, "--format", "json").stdout)["last_stable_offset"] == 9
        assert "last_stable_offset: 9" in run("info", log).stdout.splitlines()
    assert "last_stable_offset" not in run("info", log).stdout


def test_info_beside_a_writer(log: Path) -> None:
    with Log.open(log, LogConfig(preallocate=True, segment_bytes=10_000)) as opened:
        opened.roll()
        opened.append([b"value"])
        info = json.loads(run("info", log, "--format", "json").stdout)
        assert (info["end_offset"], info["is_clean"]) == (10, False)
        assert info["segments"][-1]["batches"] == 1
        assert run("info", log).exit_code == 0


# --- roll, retain, truncate ------------------------------------------------------------------------------------------


def test_roll_begins_a_segment(log: Path) -> None:
    done = run("roll", log)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "9\n", "")
    assert (log / file_name(9, "log")).exists()


def test_retain_deletes_what_is_too_old(log: Path) -> None:
    done = run("retain", log)
    assert done.exit_code == 0
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["0", "3", "6"]
    assert done.stderr == "3 segments deleted; the log starts at offset 9\n"
    assert values(log) == []


def test_retain_by_size(log: Path) -> None:
    size = (log / file_name(0, "log")).stat().st_size
    config = ["--config", f"retention.bytes={2 * size}", "--config", "retention.ms=-1"]
    told = json.loads(run("retain", log, "--format", "json", *config).stdout)
    assert [segment["base_offset"] for segment in told["deleted"]] == [0]
    assert told["log_start_offset"] == 3


def test_retain_before_an_offset(log: Path) -> None:
    done = run("retain", log, "--before", "4")
    assert done.stdout == "0: before the log start offset\n"
    assert done.stderr == "1 segment deleted; the log starts at offset 4\n"
    assert run("read", log, "-n", "1").stdout == "value-4\n"
    assert run("retain", log, "--before", "99").exit_code == 2
    assert run("retain", log, "--before", "-1").exit_code == 0
    assert run("info", log, "--format", "json").stdout.count('"log_start_offset": 9')


SMALL = ("--config", "segment.bytes=300")


@pytest.fixture
def keyed(tmp_path: Path) -> Path:
    """A log of many segments, of three keys and a record without one."""
    folder = tmp_path / "keyed-0"
    for number in range(12):
        line = "no key" if number == 7 else f"k{number % 3}=value {number}"
        with Log.open(folder, LogConfig(segment_bytes=300)) as opened:
            key, equals, value = line.partition("=")
            opened.append([(key.encode(), value.encode()) if equals else line.encode()])
    assert run("roll", folder, *SMALL).exit_code == 0
    return folder


def test_compact_keeps_the_last_record_of_each_key(keyed: Path) -> None:
    before = snapshot(keyed)
    said = run("compact", keyed, "--dry-run", *SMALL)
    assert said.exit_code == 0
    assert said.stdout.splitlines()[0] == "offsets 0 to 11: 12 records read, 3 would be kept, 9 would be dropped"
    assert said.stderr == "1 record without a key would be dropped\n"
    assert {name: data for name, (data, _) in snapshot(keyed).items()} == {
        name: data for name, (data, _) in before.items()
    }
    asked = run("compact", keyed, *SMALL)  # nothing says that the topic is compacted
    assert (asked.exit_code, asked.stdout) == (2, "")
    assert asked.stderr == f"kformat: {keyed}: 1 record without a key would be dropped; --yes drops them\n"
    assert run("compact", keyed, "--config", "cleanup.policy=delete").exit_code == 2
    assert len(values(keyed)) == 12
    done = run("compact", keyed, "--yes", *SMALL)
    first, second = done.stdout.splitlines()
    assert first == "offsets 0 to 11: 12 records read, 3 kept, 9 dropped"
    assert second.startswith("4 segments of ") and " became " in second
    assert done.stderr == "1 record without a key dropped\n" and done.exit_code == 0
    assert values(keyed) == [b"value 9", b"value 10", b"value 11"]
    again = run("compact", keyed, *SMALL)
    assert (again.exit_code, again.stdout) == (0, "")
    assert again.stderr == "nothing to compact before the last segment; `kformat log roll` begins a new one\n"


COMPACTED = (*SMALL, "--config", "cleanup.policy=compact")


def test_compact_waits_until_enough_is_dirty(keyed: Path) -> None:
    config = (*COMPACTED, "--config", "min.cleanable.dirty.ratio=0.9")
    assert run("compact", keyed, *config).exit_code == 0
    with Log.open(keyed, LogConfig(segment_bytes=300)) as opened:
        opened.append([(b"k0", b"new")])
        opened.roll()
    waiting = run("compact", keyed, *config)
    assert waiting.stdout == "" and waiting.stderr.startswith("not due: ")
    assert waiting.stderr.endswith("takes more than 90% (min.cleanable.dirty.ratio); --force does not wait\n")
    told = json.loads(run("compact", keyed, "--format", "json", *config).stdout)
    assert told["is_compacted"] is False and 0 < told["cleanable_ratio"] < 0.9
    told = json.loads(run("compact", keyed, "--force", "--format", "json", *config).stdout)
    assert told["is_compacted"] is True and told["retained_count"] == 3 and told["end_offset"] == 13


def test_compact_with_a_small_map(keyed: Path) -> None:
    done = run("compact", keyed, "--map-bytes", "72", *COMPACTED)
    assert done.exit_code == 0 and "the map was full: from offset 2 on" in done.stderr
    assert run("compact", keyed, "--map-bytes", "10", *COMPACTED).exit_code == 2


def test_compact_in_one_of_several_directories(keyed: Path) -> None:
    assert run("compact", "keyed-0", "--log-dir", keyed.parent, *COMPACTED).exit_code == 0
    assert len(values(keyed)) == 3
    assert run("compact", "other-0", "--log-dir", keyed.parent).exit_code == 2


def test_truncate_cuts(log: Path) -> None:
    done = run("truncate", log, "4")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "cut from offset 4 on; it ended at 9, and goes on at 4\n"
    assert len(values(log)) == 4
    assert run("truncate", log, "4").stderr == "nothing to cut: it ends at 4\n"


def test_truncate_says_what_else_is_in_the_batch(tmp_path: Path) -> None:
    log = tmp_path / "orders-0"
    run("append", log, stdin=b"".join(b"%d\n" % number for number in range(10)))
    refused = run("truncate", log, "5")
    assert refused.exit_code == 2 and len(values(log)) == 10
    assert "records before offset 5, from 0 on, are in the batch that holds it; --yes cuts them, too" in refused.stderr
    assert run("truncate", log, "5", "--yes").stderr == "cut from offset 0 on; it ended at 10, and goes on at 5\n"
    assert values(log) == []


# --- recover ---------------------------------------------------------------------------------------------------------


def test_recover_finds_nothing_to_mend(log: Path) -> None:
    done = run("recover", log)
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [
        "0 things mended; offsets 0 to 9",
        "not looked at: most batches of 3 segments (the log was closed in order) and the records inside of batches; "
        "`kformat check` looks at them",
    ]
    assert len(run("recover", log, "--all").stdout.splitlines()) > 9


@pytest.mark.parametrize("given", ["absolute", "relative"])
def test_recover_mends_a_torn_tail(given: str, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(log.parent)
    path = log if given == "absolute" else Path("orders-0")
    crash(log)
    with open(log / file_name(6, "log"), "ab") as file:
        file.write(b"half a batch")
    before = snapshot(log.parent)
    dry = run("recover", path, "--dry-run")
    assert dry.exit_code == 0
    assert snapshot(log.parent) == before
    assert f"[{path}{os.sep}{file_name(6, 'log')}:" in dry.stdout
    assert dry.stderr.splitlines()[0].endswith("1 thing to mend, 2 indexes to rebuild; offsets 0 to 9")
    done = run("recover", path)
    assert (done.exit_code, done.stdout) == (0, dry.stdout)
    assert [file.read_bytes() for file in log.glob("torn-*")] == [b"half a batch"]
    assert run("recover", path).stderr.startswith("0 things mended; offsets 0 to 9\n")


def test_recover_as_json(log: Path) -> None:
    crash(log)
    dry = json.loads(run("recover", log, "--dry-run", "--format", "json").stdout)
    assert json.loads(run("recover", log, "--format", "json").stdout) == dry
    assert (dry["mode"], dry["is_clean"], dry["is_refused"], dry["next_offset"]) == ("strict", False, False, 9)


def test_damage_that_is_refused(log: Path) -> None:
    file = log / file_name(6, "log")
    data = bytearray(file.read_bytes())
    data[-9:] = bytes(9)
    file.write_bytes(data)
    crash(log)
    before = snapshot(log)
    for verb in ("recover", "append", "roll", "truncate", "retain"):
        done = run(verb, log, *(["1"] if verb == "truncate" else []), stdin=b"line\n")
        assert (done.exit_code, done.stdout) == (4, ""), verb
        damage, hint = done.stderr.splitlines()
        assert damage.startswith(f"kformat: {file}:")
        assert hint == f"kformat: `kformat log recover --dry-run {log}` says what was found"
    dry = run("recover", log, "--dry-run")
    assert (dry.exit_code, "-> refuse: " in dry.stdout) == (4, True)
    assert json.loads(run("recover", log, "--dry-run", "--format", "json").stdout)["is_refused"]
    assert snapshot(log) == before
    salvaged = run("recover", log, "--mode", "salvage")
    assert (salvaged.exit_code, salvaged.stderr.splitlines()[0].endswith("offsets 0 to 8")) == (1, True)
    assert values(log) == [b"value-%d" % number for number in range(8)]


def test_the_lock_is_free_again(log: Path) -> None:
    """Behind every verb that took it, whatever came of it."""
    for verb in ("append", "roll", "retain", "recover"):
        run(verb, log, stdin=b"{")
        run(verb, log, "--config", "max.message.bytes=0", stdin=b"line\n")
        try:
            Log.open(log).close()
        except RootLockedError:
            pytest.fail(f"{verb} holds the lock")


def test_quiet_leaves_errors_and_results_of_logs(tmp_path: Path) -> None:
    folder = tmp_path / "orders-0"

    def said(*arguments: str) -> tuple[str, str]:
        done = CliRunner().invoke(main, list(arguments), input="a\nb\nc\n")
        return done.stdout, done.stderr

    assert said("-q", "log", "append", str(folder)) == ("3 records, offsets 0 to 2\n", "")
    assert said("log", "recover", "--dry-run", str(folder))[1] and not said("-q", "log", "recover", str(folder))[1]
    assert said("log", "truncate", str(folder), "9")[1] == "nothing to cut: it ends at 3\n"
    assert said("-q", "log", "truncate", str(folder), "9") == ("", "")
    assert "segments deleted" in said("log", "retain", str(folder), "--before", "0")[1]
    assert said("-q", "log", "retain", str(folder), "--before", "0") == ("", "")
    assert "out of range" in said("-q", "log", "read", str(folder), "--offset", "7")[1]


# Several directories


def test_a_partition_is_found_in_several_directories(tmp_path: Path) -> None:
    dirs = [word for name in ("a", "b", "c") for word in ("--log-dir", str(tmp_path / name))]
    assert run("create", "orders-0", *dirs).stdout == f"{tmp_path / 'a' / 'orders-0'}\n"
    for number in (1, 2):
        done = run("append", f"orders-{number}", *dirs, stdin=b"one\ntwo\n")
        assert (done.exit_code, done.stdout) == (0, "2 records, offsets 0 to 1\n")
    assert sorted(path.parent.name for path in tmp_path.glob("*/orders-*")) == ["a", "b", "c"]
    assert run("append", "orders-1", *dirs, stdin=b"three\n").stdout == "1 record, offsets 2 to 2\n"
    assert run("read", "orders-1", *dirs).stdout == "one\ntwo\nthree\n"
    assert run("roll", "orders-1", *dirs).stdout == "3\n"
    assert run("retain", "orders-1", "--before", "3", *dirs).stdout == "0: before the log start offset\n"
    assert run("move", "orders-2", str(tmp_path / "a"), *dirs).stdout == f"{tmp_path / 'a' / 'orders-2'}\n"
    listed = json.loads(run("list", *dirs, "--format", "json").stdout)
    assert [(row["name"], Path(row["directory"]).name) for row in listed] == [
        ("orders-0", "a"),
        ("orders-1", "b"),
        ("orders-2", "a"),
    ]
    assert run("info", "orders-2", *dirs).exit_code == 0
    refused = run("delete", "orders-2", *dirs)
    assert refused.exit_code == 4 and "with --yes only" in refused.stderr
    assert run("delete", "orders-2", "--yes", *dirs).exit_code == 0
    assert sorted(path.name for path in (tmp_path / "a").glob("orders*")) == ["orders-0"]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("read", "orders-1"), 2, "there is no orders-1 in"),
        (("read", "a/orders-0"), 2, "is not a valid topic name"),
        (("read", "orders"), 2, "is no partition's name"),
        (("delete", "orders-1", "--yes"), 2, "there is no orders-1"),
        (("move", "orders-0", "elsewhere"), 2, "is none of the directories"),
        (("create", "orders-0"), 2, "already"),
    ],
)
def test_verbs_of_several_directories_that_are_refused(
    tmp_path: Path, words: tuple[str, ...], status: int, message: str
) -> None:
    dirs = ("--log-dir", str(tmp_path / "a"))
    assert run("create", "orders-0", *dirs).exit_code == 0
    done = run(*words, *dirs)
    assert done.exit_code == status and message in done.stderr


def test_a_partition_in_two_directories_is_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert run("append", str(tmp_path / name / "orders-0"), stdin=b"one\n").exit_code == 0
    dirs = ("--log-dir", str(tmp_path / "a"), "--log-dir", str(tmp_path / "b"))
    for verb in ("read", "append"):
        assert run(verb, "orders-0", *dirs, stdin=b"").exit_code == 4


def test_transactions_are_listed_and_aborted(tmp_path: Path) -> None:
    dirs = ("--log-dir", str(tmp_path / "a"), "--log-dir", str(tmp_path / "b"))
    assert run("transactions", *dirs).exit_code == 3
    with LogManager.open([tmp_path / "a", tmp_path / "b"]) as manager:
        manager.create_partition("orders", 0)
        manager.create_partition("orders", 1)
        with manager.transaction("done") as t:
            t.append("orders", 0, [b"committed"])
        left = manager.transaction("left", timeout_ms=10**9)
        left.append("orders", 0, [b"open"])
        left.append("orders", 1, [b"open"])
        listed = json.loads(run("transactions", *dirs, "--format", "json").stdout)
        columns = ("transactional_id", "state", "topic", "partition", "start_offset", "is_hanging")
        assert [tuple(row[name] for name in columns) for row in listed] == [
            ("done", "CompleteCommit", None, None, None, None),
            ("left", "Ongoing", "orders", 0, 2, False),
            ("left", "Ongoing", "orders", 1, 0, False),
        ]
        assert listed[1]["producer_id"] == left.producer_id and listed[1]["start_timestamp"] > 0
        assert run("transactions", *dirs, "--abort", "left").exit_code == 4, "somebody holds the root"
        for verb in ("read", "tail"):
            assert run(verb, "orders-0", *dirs, "--isolation-level", "read_committed").stdout == "committed\n"
            assert run(verb, "orders-0", *dirs).stdout == "committed\nopen\n"
        left._coordinator._owners.clear()  # type: ignore[attr-defined]  # as if the process had died
    for verb in ("transactions", "list"):
        refused = run(verb, "--log-dir", str(tmp_path / "a" / "orders-0"))
        assert refused.exit_code == 2 and "the root is the folder above it" in refused.stderr
    table = run("transactions", *dirs).stdout.splitlines()
    assert len(table) == 4 and table[0].split()[:4] == ["transactional_id", "producer_id", "producer_epoch", "state"]
    done = run("transactions", *dirs, "--abort", "left", "--format", "json")
    assert [(row["state"], row["producer_epoch"]) for row in json.loads(done.stdout)] == [("CompleteAbort", 1)]
    assert run("tail", "orders-0", *dirs, "-f", "--timeout", "0", "--isolation-level", "read_committed").stdout == (
        "committed\n"
    )
    for name, message in (("left", "has no open transaction"), ("nobody", "is known")):
        refused = run("transactions", *dirs, "--abort", name)
        assert refused.exit_code == 2 and message in refused.stderr
