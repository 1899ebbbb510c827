"""`check`, `stats`, `grep` and `dump` with `--as`: any declared format, on the command line."""

from __future__ import annotations

import json
import struct
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from tests.check.test_declared_files import LOG, TICKS, WAL, entries, frame, log, ticks

pytest.importorskip("pyarrow")


def run(*arguments: str, data: bytes = b"") -> tuple[int, str, list[str]]:
    """Exit status, standard output, lines on standard error without remarks."""
    result = CliRunner().invoke(main, ["-q", *arguments], input=data)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr.splitlines()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("log", LOG), ("wal", WAL), ("ticks", TICKS)):
        Path(f"{name}.ksy").write_text(text)
    Path("good").write_bytes(log(count=3))
    Path("bad").write_bytes(log(None, frame(1, b"x", priority=77), count=3))
    Path("wal").write_bytes(entries(3))
    Path("ticks").write_bytes(b"".join(ticks(2000)))
    return tmp_path


# --- check -----------------------------------------------------------------------------------------------------------


def test_check_prints_findings_in_every_form() -> None:
    text = "bad:17 error KF1002 log.frames[1].priority: a value that is not allowed: 77, expected <= 9"
    status, out, _ = run("check", "good", "bad", "--as", "log.ksy")
    assert (status, out) == (1, f"{text}\n")
    assert run("check", "good", "--as", "log.ksy") == (0, "", [])
    (found,) = json.loads(run("check", "bad", "--as", "log.ksy", "--format", "json")[1])
    assert (found["rule"], found["position"], found["expected"], found["found"]) == ("KF1002", 17, "<= 9", 77)
    (result,) = json.loads(run("check", "bad", "--as", "log.ksy", "--format", "sarif")[1])["runs"][0]["results"]
    assert result["ruleId"] == "KF1002"
    assert result["locations"][0]["physicalLocation"]["region"] == {"byteOffset": 17}
    assert run("check", "bad", "--as", "log.ksy", "--ignore", "KF1002")[:2] == (0, "")
    assert (
        run("check", "-", "--as", "log.ksy", data=Path("bad").read_bytes())[1]
        == text.replace("bad", "<stdin>", 1) + "\n"
    )
    status, out, _ = run("check", "bad", "--as", "log.ksy", "--statistics")
    assert status == 1 and out.split() == [
        *"1 KF1002 error".split(),
        *"value that the declaration does not allow".split(),
    ]


def test_check_of_what_cannot_be_read() -> None:
    Path("folder").mkdir()
    status, out, (complaint,) = run("check", "folder", "good", "--as", "log.ksy")
    assert (status, out, complaint) == (2, "", "kformat: folder: there is no file")
    assert run("check", "none", "--as", "log.ksy")[0] == 3


# --- grep ------------------------------------------------------------------------------------------------------------


def test_grep_prints_rows_with_their_places() -> None:
    status, out, _ = run("grep", "load", "wal", "--as", "wal.ksy", "--bytes", "text", "--columns", "sequence,payload")
    assert (status, out.splitlines()[:1]) == (0, ['wal:4 wal.entries[0]: {"sequence": 0, "payload": "payload"}'])
    assert len(out.splitlines()) == 3


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (["hello"], 3),
        (["HELLO"], 0),
        (["-i", "HELLO 1"], 1),
        (["-E", "hello [02]$"], 2),
        (["--hex", "68656c6c6f2032"], 1),
        (["-v", "hello 1"], 2),
        (["-m", "1", "hello"], 1),
        (["--columns", "number,body", "hello"], 3),
    ],
)
def test_grep_keeps_the_meaning_of_its_options(arguments: list[str], count: int) -> None:
    *options, pattern = arguments
    status, out, _ = run("grep", pattern, "good", "--as", "log.ksy", *options)
    assert (status, len(out.splitlines())) == (0 if count else 1, count)
    status, out, _ = run("grep", pattern, "good", "--as", "log.ksy", "-c", *options)
    assert (status, out) == (0 if count else 1, f"{count}\n")


def test_grep_searches_what_comes_before_damage() -> None:
    how = ("--as", "log.ksy", "--format", "nl", "--columns", "number,body")
    status, out, said = run("grep", "hello", "bad", "good", *how)
    assert status == 1 and len(said) == 1 and "bad:17 log.frames[1].priority" in said[0]
    found = [json.loads(line) for line in out.splitlines()]
    assert [(one["file"], one["path"], one["position"]) for one in found] == [
        ("bad", "log.frames[0]", 1),
        *(("good", f"log.frames[{index}]", 1 + 12 * index) for index in range(3)),
    ]
    Path("fixed.ksy").write_text(TICKS.replace("{id: count, type: u2}", "{id: name, size: 2}"))
    rows = [struct.pack("<IB2s", number, number // 5, b"ab") for number in range(11)]
    Path("fixed").write_bytes(b"".join(rows))
    status, out, said = run("grep", "ab", "fixed", "--as", "fixed.ksy", "-c", "--on-corrupt", "skip")
    assert (status, out, said) == (1, "10\n", ["kformat: skipped 1 damaged row: 7 bytes"])


# --- stats -----------------------------------------------------------------------------------------------------------


def test_stats_are_those_of_the_columns() -> None:
    status, out, _ = run("stats", "ticks", "--as", "ticks.ksy", "--format", "json")
    (found,) = json.loads(out)
    assert status == 0
    assert [found[name] for name in ("file", "row", "row_type", "rows_count", "size_bytes")] == [
        *("ticks", "ticks", "tick", 2000, 14000)
    ]
    time, side, count = found["columns"]
    assert (time["min"], time["max"], time["distinct_count"], time["distinct_are_all"]) == (0, 1999, 2000, True)
    assert time["most_frequent"] == []
    assert side["most_frequent"] == [{"value": 0, "count": 1000}, {"value": 1, "count": 1000}]
    assert count["distinct_count"] == 1 and count["null_count"] == 0


def test_stats_of_nested_columns() -> None:
    Path("good").write_bytes(log(None, frame(1, struct.pack(">f", 1.5), kind=1), None, count=3))
    (found,) = json.loads(run("stats", "good", "--as", "log.ksy", "--format", "json", "--columns", "body")[1])
    real, data = found["columns"]
    assert (real["column"], real["count"], real["null_count"], real["min"]) == ("body.real.value", 1, 2, 1.5)
    assert (data["column"], data["size"]) == ("body.bytes", {"min": 7, "mean": 7.0, "max": 7, "sum": 14})
    text = run("stats", "good", "--as", "log.ksy")[1]
    assert text.startswith("good\n  rows  3: frames (frame)\n  size  34 bytes, 11.3 for each row\n")
    assert "body.real.value" in text


def test_stats_of_enums_are_those_of_their_numbers() -> None:
    Path("moods.ksy").write_text(
        "meta: {id: moods}\nseq: [{id: days, type: day, repeat: eos}]\n"
        "types: {day: {seq: [{id: mood, type: u1, enum: mood}]}}\nenums: {mood: {2: apt, 10: zen, 11: bad}}\n"
    )
    Path("moods").write_bytes(bytes([10, 2, 10, 77, 11]))
    (found,) = json.loads(run("stats", "moods", "--as", "moods.ksy", "--format", "json")[1])
    (mood,) = found["columns"]
    assert [mood[name] for name in ("type", "min", "min_name", "max", "max_name")] == ["enum", 2, "apt", 77, None]
    assert mood["most_frequent"][0] == {"value": "zen", "count": 2} and "size" not in mood
    assert "apt (2)  77" in run("stats", "moods", "--as", "moods.ksy")[1]


def test_stats_of_damaged_files_count_the_bytes_that_were_read() -> None:
    Path("short").write_bytes(log(None, frame(1, b"x", priority=77), count=3))
    text = run("stats", "short", "--as", "log.ksy", "--on-corrupt", "skip")[1]
    assert text.startswith("short\n  rows  2: frames (frame)\n  size  31 bytes, 6 of them skipped, 12.5 for each row\n")
    status, text, _ = run("stats", "short", "--as", "log.ksy")
    assert (status, text.splitlines()[2]) == (1, "  size  31 bytes")


def test_stats_remember_a_bounded_number_of_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kformat.columns.counts.MOST_VALUES", 100)
    rows = [struct.pack("<IBH", number, 0, 7 if number % 2 else number) for number in range(5000)]
    Path("ticks").write_bytes(b"".join(rows))
    (found,) = json.loads(run("stats", "ticks", "--as", "ticks.ksy", "--format", "json")[1])
    _, _, count = found["columns"]
    assert count["most_frequent"][0] == {"value": 7, "count": 2500}
    assert not count["distinct_are_all"] and count["distinct_count"] >= 100


# --- dump ------------------------------------------------------------------------------------------------------------

DUMPED = """\
# good, 37 bytes: log
version: 1
frames[0]:  # byte 1
  number: 0
  length: 7
  kind: 2
  priority: 3
  body: 'hello 0'
  ratio = 33
"""


def test_dump_prints_a_file_in_order() -> None:
    status, out, _ = run("dump", "good", "--as", "log.ksy")
    assert status == 0 and out.startswith(DUMPED) and out.count("frames[") == 3
    status, out, said = run("dump", "bad", "good", "--as", "log.ksy")
    assert status == 1 and out.count("frames[") == 4 and "bad:17 log.frames[1].priority" in said[0]


def test_dump_goes_on_after_bytes_that_are_left_over_in_a_part() -> None:
    Path("bad").write_bytes(log(None, frame(1, b"12345", kind=1), count=3))
    status, out, said = run("dump", "bad", "--as", "log.ksy")
    assert status == 1 and out.count("frames[") == 3
    assert said[0].startswith("kformat: bad:22 log.frames[1].body: bytes are left over")
    Path("whole.ksy").write_text(LOG.replace("instances:", "instances:\n      far: {pos: 0, type: u1}"))
    assert run("dump", "bad", "--as", "whole.ksy")[0] == 1
    assert run("dump", "bad", "--as", "whole.ksy")[2] == said


def test_dump_prints_what_is_around_rows_in_rows() -> None:
    Path("deep.ksy").write_text("""
meta: {id: deep}
seq:
  - {id: first, type: u1}
  - {id: boxes, type: box, repeat: expr, repeat-expr: 2}
  - {id: last, type: u1}
types:
  box:
    seq: [{id: count, type: u1}, {id: items, type: item, repeat: expr, repeat-expr: count}, {id: after, type: u1}]
  item: {-row: true, seq: [{id: x, type: u1}]}
""")
    Path("deep").write_bytes(bytes([7, 2, 10, 11, 21, 0, 22, 9]))
    assert run("dump", "deep", "--as", "deep.ksy")[1].splitlines()[1:] == [
        *("first: 7", "boxes[0]:", "  count: 2", "  items[0]:", "    x: 10", "  items[1]:", "    x: 11", "  after: 21"),
        *("boxes[1]:", "  count: 0", "  items: []", "  after: 22", "last: 9"),
    ]
    Path("one.ksy").write_text(Path("deep.ksy").read_text().replace(", repeat: expr, repeat-expr: 2}", "}", 1))
    Path("one").write_bytes(bytes([7, 2, 10, 11, 21, 9]))
    status, out, said = run("dump", "one", "--as", "one.ksy")
    assert (status, said) == (0, [])
    assert out.splitlines()[1:] == [
        *("first: 7", "boxes:", "  count: 2", "boxes.items[0]:  # byte 2", "  x: 10"),
        *("boxes.items[1]:  # byte 3", "  x: 11", "boxes:", "  after: 21", "last: 9"),
    ]
    Path("one").write_bytes(bytes([7, 0, 21, 9]))
    assert "  count: 0" in run("dump", "one", "--as", "one.ksy")[1].splitlines()


def test_dump_as_json_has_the_values_of_parse() -> None:
    status, out, _ = run("dump", "good", "--as", "log.ksy", "--format", "nl")
    found = [json.loads(line) for line in out.splitlines()]
    parsed = kformat.to_json(kformat.parse("./log.ksy", Path("good").read_bytes()), instances=True)
    assert status == 0 and found[0]["value"] == {"version": 1}
    assert [one["value"] for one in found[1:]] == parsed["frames"]
    assert [one["path"] for one in found] == ["log", "log.frames[0]", "log.frames[1]", "log.frames[2]"]


def test_dump_of_chosen_columns() -> None:
    status, out, _ = run("dump", "wal", "--as", "wal.ksy", "--columns", "sequence")
    assert (status, out.splitlines()[1:3]) == (0, ["entries[0]:  # byte 4", "  sequence: 0"])


# --- what does not go ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["grep", "x", "good", "--as", "log.ksy", "--row", "x"], "log has no rows 'x'"),
        (["stats", "good", "--as", "log.ksy", "--columns", "x"], "log::frame has no field 'x'"),
        (["dump", "good", "--as", "log.ksy", "--row", "x"], "log has no rows 'x'"),
        (["check", "good", "--as", "log.ksy", "--row", "x"], "log has no rows 'x'"),
        (["grep", "x", "ticks", "--as", "ticks.ksy"], "has neither text nor bytes to search in"),
        (["grep", "x", "good", "--as", "log.ksy", "--newest"], "--newest is for Kafka's files"),
        (["grep", "x", "good", "--as", "log.ksy", "--header-key"], "--header-key is for Kafka's files"),
        (["stats", "good", "--as", "log.ksy", "--records"], "--records is for Kafka's files"),
        (["check", "good", "--as", "log.ksy", "--no-records"], "--no-records is for Kafka's files"),
        (["dump", "good", "--as", "log.ksy", "--print-data-log"], "--print-data-log is for Kafka's files"),
        (["dump", "good", "--as", "log.ksy", "--hex", "--row", "x"], "'x' is no range"),
        (["dump", "good", "--as", "log.ksy", "--hex", "--columns", "x"], "--columns does not go with --hex"),
        (["diff", "good", "good", "--align", "index"], "--align needs --as"),
        (["diff", "good", "good", "--as", "log.ksy", "--key", "x", "--align", "index"], "--align goes without --key"),
        (["check", "good", "--row", "x"], "--row needs --as"),
        (["grep", "x", "good", "--columns", "x"], "--columns needs --as"),
        (["stats", "good", "--trailing", "keep"], "--trailing needs --as"),
        (["dump", "good", "--columns", "x"], "--columns needs --as"),
    ],
)
def test_what_does_not_go(arguments: list[str], words: str) -> None:
    status, out, said = run(*arguments)
    assert (status, out) == (2, "") and words in said[0]


def test_a_file_of_another_format_is_said_to_need_as() -> None:
    hint = "if it has another format, name that with --as x.ksy"
    for arguments in (["check", "wal"], ["dump", "wal"], ["export", "wal", "-o", "out.parquet"], ["stats", "wal"]):
        said = run(*arguments)[2]
        assert any(line.endswith(hint) for line in said), said


def test_build_knows_which_name_of_an_enum_was_meant() -> None:
    Path("moods.ksy").write_text(
        "meta: {id: moods}\nseq: [{id: mood, type: u1, enum: mood}]\nenums: {mood: {2: apt, 10: zen}}\n"
    )
    status, _, said = run("build", "--as", "moods.ksy", "-", data=b'{"mood": "zem"}')
    words = "no name of this enum; did you mean 'zen'? (expected one of apt, zen, or an integer, found 'zem')"
    assert (status, said) == (2, [f"kformat: moods.mood: {words}"])


# --- folders and globs -----------------------------------------------------------------------------------------------


def tree() -> None:
    """Files of a format at several depths, with hidden ones and links among them."""
    Path("named.ksy").write_text(LOG.replace("{id: log,", "{id: log, file-extension: [flg, lg2],"))
    for name in ("logs/b.flg", "logs/a/z.flg", "logs/a/other.txt", "logs/.hidden.flg", "logs/.git/x.flg", "logs/C.LG2"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(Path("good").read_bytes())
    Path("logs/link.flg").symlink_to("b.flg")
    Path("logs/up").symlink_to("..")


def test_folders_and_globs() -> None:
    """All files in the order of their names, or those that end as the declaration says; no hidden ones, no links."""
    tree()
    files = ["logs/C.LG2", "logs/a/z.flg", "logs/b.flg"]
    every = [*files[:1], "logs/a/other.txt", *files[1:]]

    def counted(*arguments: str) -> list[str]:
        status, out, _ = run("grep", "hello", *arguments, "-c", "--format", "nl")
        assert status == 0
        return [json.loads(line)["file"] for line in out.splitlines()]

    assert counted("logs", "--as", "log.ksy") == every
    assert counted("logs", "--as", "named.ksy") == files
    assert counted("logs", "logs/b.flg", "logs/a/other.txt", "--as", "named.ksy") == [*files, "logs/a/other.txt"]
    assert counted("logs/*.flg", "--as", "named.ksy") == ["logs/b.flg", "logs/link.flg"]
    assert counted("lo*s", "good", "--as", "log.ksy") == [*every, "good"]
    assert counted("logs/*/z*", "--as", "log.ksy") == ["logs/a/z.flg"]
    with tarfile.open("logs.tar", "w") as tar:
        tar.add("logs")
    found = counted("tar://logs::logs.tar", "--as", "named.ksy")
    assert found == [f"tar://{name}::logs.tar" for name in (*files, "logs/link.flg")]

    Path("logs/only").mkdir()
    Path("logs/only/x.txt").write_bytes(b"")
    for arguments, status, why in (
        (["logs/only", "--as", "named.ksy"], 2, "logs/only: there is no file whose name ends in .flg or .lg2, the "),
        (["logs/*.none", "--as", "log.ksy"], 3, "logs/*.none"),
    ):
        done = run("grep", "x", *arguments)
        assert done[0] == status and why in done[2][0]


@pytest.mark.parametrize(
    "words",
    [
        ["stats", "--format", "nl"],
        ["dump"],
        ["dump", "--row", "frames"],
        ["export", "--format", "nl"],
        ["grep", "hello"],
    ],
)
def test_damaged_files_among_others(words: list[str]) -> None:
    """Each is complained of, the others are read, and the last line says how many there were."""
    tree()
    Path("logs/a/z.flg").write_bytes(Path("good").read_bytes()[:-3])
    done = CliRunner().invoke(main, [*words, "logs", "--as", "named.ksy"])
    assert done.exit_code == 1
    assert "logs/a/z.flg:" in done.stderr and "kformat: logs/b.flg" not in done.stderr
    assert "kformat: 1 of 3 files is damaged, or cannot be read\n" in done.stderr
    assert done.stdout


def test_check_counts_the_files_of_a_folder() -> None:
    tree()
    Path("logs/b.flg").write_bytes(Path("bad").read_bytes())
    done = CliRunner().invoke(main, ["check", "logs", "--as", "named.ksy"])
    assert done.exit_code == 1 and done.stdout.startswith("logs/b.flg:17 error KF1002")
    assert "kformat: 3 files were checked\n" in done.stderr
