"""Tables: columns and order by choice, what fits a terminal, colour by choice."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kformat.cli import main
from kformat.cli.output import _fitted, _TableColumn
from tests.cli import screens


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return screens.disk(tmp_path_factory.mktemp("tables") / "disk")


@pytest.mark.parametrize("mode", ["table", "csv", "json", "nl"])
def test_columns_and_order_hold_in_every_format(disk: Path, mode: str) -> None:
    done = run("ls", disk, "--columns", "size_bytes,file", "--sort", "size_bytes", "--format", mode)
    rows: list[Any]
    match mode:
        case "table":
            head, *lines = done.stdout.splitlines()
            assert head.split() == ["size_bytes", "file"]
            rows = [line.split() for line in lines]
        case "csv":
            rows = [[row["size_bytes"], row["file"]] for row in csv.DictReader(io.StringIO(done.stdout))]
        case "json":
            rows = [list(row.values()) for row in json.loads(done.stdout)]
        case _:
            rows = [list(json.loads(line).values()) for line in done.stdout.splitlines()]
    assert [int(size) for size, _ in rows] == [235, 4700, 4700, 4700] and rows[0][1].endswith("60.log")


def test_what_has_no_value_comes_last(disk: Path) -> None:
    for sort in ("records_count", "-records_count"):
        rows = json.loads(run("ls", disk, "-a", "--sort", sort, "--format", "json").stdout)
        counts = [row["records_count"] for row in rows]
        known = [count for count in counts if count is not None]
        assert None in counts and counts == [*known, *[None] * (len(counts) - len(known))]
        assert known == sorted(known, reverse=sort[0] == "-")


@pytest.mark.parametrize(("option", "name"), [("--columns", "file,sizebytes"), ("--sort", "-sizebytes")])
def test_an_unknown_column_is_answered_with_what_looks_like_it(disk: Path, option: str, name: str) -> None:
    done = run("ls", disk, option, name)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("kformat: no column 'sizebytes'; did you mean size_bytes")


def test_a_pipe_gets_every_column_at_its_width(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    head, first, *_ = run("ls", disk).stdout.splitlines()
    assert head.endswith("remark") and " 00000000000000000000.log " in first


@pytest.mark.parametrize("room", range(1, 130, 7))
def test_a_table_fits_where_it_can(room: int) -> None:
    columns = [
        _TableColumn("file", ["a/very/long/name/of/a/folder/and/00000000000000000000.log"], False),
        _TableColumn("count", ["12345678"], True),
        _TableColumn("empty", [""], True),
        _TableColumn("size_bytes", ["1234567890"], True),
        _TableColumn("remark", ["sound batches end at position 1234 of 99999 bytes"], False),
    ]
    fitted, left_out = _fitted(columns, room, is_chosen=False)
    width = sum(column.width + 2 for column in fitted) - 2
    assert width <= max(room, 24), (room, width)
    assert fitted[0].cells[0].endswith("00000.log")
    assert [it.name for it in columns if it.name != "empty" and it.name not in left_out] == [it.name for it in fitted]
    if room >= 52:
        assert fitted[-1].name == "remark"


def test_colour_is_a_choice(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    for verb in (["ls"], ["check"]):
        always, never = run("--color", "always", *verb, disk), run("--color", "never", *verb, disk)
        assert "\x1b[" in always.stdout and "\x1b" not in never.stdout + never.stderr
        assert "\x1b" not in run(*verb, disk).stdout, "of one call alone"
    assert "\x1b[" in run("--color", "always", "check", disk / "orders-0").stderr
    monkeypatch.delenv("NO_COLOR")
    status, text = screens.screen(["--color", "never", "ls", str(disk)], 80, colour=True)
    assert status == 0 and "\x1b" not in text


def test_stats_are_a_table_of_chosen_numbers(disk: Path) -> None:
    names = "name,batches_count,unread_bytes,batch_bytes_max"
    done = run("stats", disk, "--columns", names, "--sort", "-batches_count")
    head, *lines = done.stdout.splitlines()
    assert head.split() == names.split(",") and len(lines) == 3
    counts = [int(line.split()[1]) for line in lines]
    assert counts == sorted(counts, reverse=True) and counts[0] > counts[-1]
    table = list(csv.DictReader(io.StringIO(run("stats", disk, "--columns", names, "--format", "csv").stdout)))
    assert [list(row) for row in table] == [names.split(",")] * 3
    chosen = json.loads(run("stats", disk, "--columns", "codecs,name", "--format", "json").stdout)
    assert [list(row) for row in chosen] == [["codecs", "name"]] * 3 and chosen[0]["codecs"][0]["codec"] == "none"


def test_stats_come_in_the_order_of_a_number(disk: Path) -> None:
    plain = {row["name"]: row for row in json.loads(run("stats", disk, "--format", "json").stdout)}
    rows = json.loads(run("stats", disk, "--format", "json", "--sort", "-next_offset").stdout)
    assert [row["next_offset"] for row in rows] == sorted((row["next_offset"] for row in rows), reverse=True)
    assert {row["name"]: row for row in rows} == plain, "all of each"
    text = run("stats", disk, "--sort", "-next_offset").stdout
    assert sorted(plain, key=text.index) == [row["name"] for row in rows]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--columns", "null_keys_count"], "the column null_keys_count needs --records"),
        (["--columns", "codecs"], "the column codecs holds more than one number; --format json and nl print it"),
        (["--sort", "codecs", "--format", "nl"], "the column codecs holds more than one number; nothing can be sorted"),
        (["--sort", "batchcount"], "no column 'batchcount'; did you mean batches_count"),
    ],
)
def test_columns_that_stats_do_not_have(disk: Path, arguments: list[str], said: str) -> None:
    done = run("stats", disk, *arguments)
    assert (done.exit_code, done.stdout) == (2, "") and done.stderr.startswith(f"kformat: {said}")


def test_answers_are_a_table(disk: Path) -> None:
    """Of `find`: an answer a line, in the order of a column."""
    asked = ["find", str(disk), "--offset", "5", "--offset", "1"]
    done = run(*asked, "--sort", "offset")
    head, *lines = done.stdout.splitlines()
    assert done.exit_code == 0 and head.split()[:4] == ["partition", "target", "offset", "timestamp"]
    offsets = [int(line.split()[2]) for line in lines]
    assert len(offsets) >= 4 and offsets == sorted(offsets)
    rows = [
        json.loads(line)
        for line in run(*asked, "--format", "json", "--columns", "offset,segment").stdout.split("\n")[:-1]
    ]
    assert sorted(row["offset"] for row in rows) == offsets and {tuple(row) for row in rows} == {("offset", "segment")}
    head, line = run("find", disk / "sound-0", "--offset", "5", "--columns", "offset,position").stdout.splitlines()
    assert head.split() == ["offset", "position"] and line.split()[0] == "5"
    missing = run("find", disk / "sound-0", "--offset", "999", "--columns", "offset")
    plain = run("find", disk / "sound-0", "--offset", "999")
    assert (missing.exit_code, missing.stderr, missing.stdout) == (1, plain.stderr, "")
    assert run(*asked, "--explain", "--sort", "offset").exit_code == 2
