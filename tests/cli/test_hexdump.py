"""`kformat dump --hex`: the bytes on its lines are the file, and what stands beside them is readable."""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kformat.cli import main
from kformat.kafka.log.file_trace import format_of
from tests.damages import data_batch, patched
from tests.draws import every

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
TIME = 1_700_000_000_000
LINE = re.compile(r" *(?P<inside>\+?)(?P<position>\d+)  (?P<bytes>\*|\.\.\.|(?:[0-9a-f]{2} ?)*)(?:$|  +(?P<rest>.*))")


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["dump", "--hex", *map(str, arguments)], input=stdin)


def file_of(lines: Iterable[str]) -> bytes:
    """The bytes of a file from its dump; every line has to be where the bytes before it end."""
    found = bytearray()
    for line in lines:
        if line.startswith("#") or line.lstrip().startswith("!"):
            continue
        match = LINE.fullmatch(line)
        assert match is not None, line
        if match["inside"]:
            continue
        assert int(match["position"]) == len(found) or not match["bytes"], line
        if match["bytes"] == "*":
            found += bytes(int(match["rest"].split()[0]))
        else:
            found += bytes.fromhex(match["bytes"])
    return bytes(found)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "00000000000000000005.log"
    path.write_bytes(data_batch(5, TIME, count=1) + data_batch(6, TIME, count=2, codec=1))
    return path


@pytest.mark.parametrize("version", ["0.8.2.2", "0.10.2.2", "4.3.1"])
def test_the_bytes_on_the_lines_are_the_file(version: str) -> None:
    files = [path for path in sorted((SAMPLES / version).rglob("*")) if path.is_file() and format_of(path.name)]
    assert len(files) > 30
    for path in every(3, files):
        done = run(path)
        assert (done.exit_code, done.stderr) == (0, ""), path
        assert file_of(done.stdout.splitlines()) == path.read_bytes(), path


def test_the_bytes_on_the_lines_are_the_damaged_file(tmp_path: Path) -> None:
    source = random.Random(3)
    for number, sample in enumerate(["4.3.1/transactions-0", "0.10.2.2/producer-gzip-0", "2.8.2/broker-zstd-0"]):
        for path in sorted((SAMPLES / sample).iterdir()):
            if format_of(path.name) is None or not path.stat().st_size:
                continue
            for _ in range(3):
                data = bytearray(path.read_bytes()[:4000])
                at = source.randrange(len(data))
                data[at : at + source.randrange(3)] = bytes(source.choice((0, 1, 300)))
                damaged = tmp_path / f"{number}{path.suffix}"
                damaged.write_bytes(data)
                done = run(damaged)
                assert done.exit_code in (0, 1), done.output
                assert bool(done.exit_code) == bool(done.stderr) == bool(re.search("^ +!  ", done.stdout, re.MULTILINE))
                assert file_of(done.stdout.splitlines()) == data


GOLDEN = """\
# 0: batch, offsets 5 to 5, 1 record, 119 bytes
       0  00 00 00 00 00 00 00 05  base_offset                         5
       8  00 00 00 6b              batch_length                        107
      12  00 00 00 00              partition_leader_epoch              0
      16  02                       magic                               2
      17  2c 37 2a 0f              crc                                 2c372a0f, is that of the bytes
      21  00 00                    attributes                          timestamp_type create_time, compression none
      23  00 00 00 00              last_offset_delta                   0
      27  00 00 01 8b cf e5 68 00  base_timestamp                      1700000000000, 2023-11-14T22:13:20.000Z
      35  00 00 01 8b cf e5 68 00  max_timestamp                       1700000000000, 2023-11-14T22:13:20.000Z
      43  ff ff ff ff ff ff ff ff  producer_id                         -1, none
      51  ff ff                    producer_epoch                      -1, none
      53  ff ff ff ff              base_sequence                       -1, none
      57  00 00 00 01              records_count                       1
      61  72                       records[0].length                   57
      62  00                       records[0].attributes               0
      63  00                       records[0].timestamp_delta          0 = 1700000000000, 2023-11-14T22:13:20.000Z
      64  00                       records[0].offset_delta             0 = 5
      65  06                       records[0].key_length               3
      66  6b 65 79                 records[0].key                      |key|
      69  14                       records[0].value_length             10
      70  73 6f 6d 65 20 76 61 6c  records[0].value                    |some val|
      78  75 65                                                        |ue|
      80  02                       records[0].headers_count            1
      81  0c                       records[0].headers[0].key_length    6
      82  68 65 61 64 65 72        records[0].headers[0].key           |header|
      88  3c                       records[0].headers[0].value_length  30
      89  78 78 78 78 78 78 78 78  records[0].headers[0].value         |xxxxxxxx|
      97  78 78 78 78 78 78 78 78 78 78 78 78 78 78 78 78              |xxxxxxxxxxxxxxxx|
     113  78 78 78 78 78 78                                            |xxxxxx|
"""


def test_it_reads_well(log: Path) -> None:
    shown = run(log, "--to-offset", "6").stdout
    assert shown.partition("\n")[2] == GOLDEN
    assert max(map(len, GOLDEN.splitlines())) <= 120


def test_inflated_bytes_are_marked(log: Path) -> None:
    lines = run(log, "--from-offset", "6").stdout.splitlines()
    payload = next(number for number, line in enumerate(lines) if " payload " in line)
    inside = [line for line in lines if line.lstrip().startswith("+")]
    assert lines[payload].split()[-4:] == ["inflates", "to", str(2 * 58), "bytes"]
    assert inside[0].split() == ["+0", "72", "records[0].length", "57"]
    assert all(not line.lstrip().startswith("+") for line in lines[:payload])


def test_damage_is_told_beside_the_bytes_and_on_standard_error(log: Path) -> None:
    data = log.read_bytes()
    log.write_bytes(patched(data[:119], mend=False, records_count=2) + data[119:] + b"\0" * 500 + b"end")
    done = run(log)
    assert done.exit_code == 1
    assert [line.split(":")[0].strip() for line in done.stdout.splitlines() if "  !  " in f" {line}"] == [
        "!  ChecksumError",
        "!  InvalidError",
        "!  InvalidError",
    ]
    assert len(done.stderr.splitlines()) == 3
    assert re.search(r"^ +\d+  \*  500 zeros$", done.stdout, re.MULTILINE)
    assert "# 119: batch, offsets 6 to 7, 2 records, gzip" in done.stdout
    assert file_of(done.stdout.splitlines()) == log.read_bytes()


def test_values_can_be_cut_short(log: Path) -> None:
    lines = run(log, "--to-offset", "6", "--value-bytes", "4").stdout.splitlines()
    value = next(number for number, line in enumerate(lines) if "records[0].value " in line)
    assert lines[value].split() == ["70", "73", "6f", "6d", "65", "records[0].value", "|some|"]
    assert lines[value + 1].split() == ["74", "...", "6", "bytes", "more"]


def test_preallocated_indexes_are_folded() -> None:
    path = max(SAMPLES.glob("4.3.1/killed-0/*.index"))
    last = run(path).stdout.splitlines()[-1]
    assert re.fullmatch(r" +\d+  \*  \d+ zeros \(\d+ slots without an entry\)", last)


def test_json_has_the_same(log: Path) -> None:
    objects: list[dict[str, Any]] = [json.loads(line) for line in run(log, "--format", "nl").stdout.splitlines()]
    outer = [base64.b64decode(item["bytes"]) for item in objects if item["inflated_position"] is None]
    assert b"".join(outer) == log.read_bytes()
    assert set(objects[0]) == {
        *(
            "kind",
            "file",
            "position",
            "inflated_position",
            "size",
            "path",
            "value",
            "absolute",
            "bits",
            "bytes",
            "error",
        )
    }
    attributes = next(item for item in objects if item["path"] == "record_batch.attributes")
    assert attributes["value"]["timestamp_type"] == "create_time"
    assert json.loads(run(log, "--format", "json", "--bytes", "hex").stdout)[0]["bytes"] == "0000000000000005"


def test_any_format_and_standard_input(log: Path, tmp_path: Path) -> None:
    assert file_of(run("-", stdin=log.read_bytes()).stdout.splitlines()) == log.read_bytes()
    odd = tmp_path / "odd"
    odd.write_bytes(log.read_bytes())
    assert run(odd, "--as", "record_batch").stdout.splitlines()[1:] == run(log).stdout.splitlines()[1:]
    own = tmp_path / "own.ksy"
    own.write_text("meta: {id: own, endian: be, title: own, license: CC0-1.0}\nseq: [{id: number, type: s2}]\n")
    shown = run(odd, "--as", own).stdout.splitlines()
    assert shown[2].split() == ["0", "00", "00", "number", "0"]
    assert file_of(shown) == odd.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--hex", "meta.properties"], 2, "name a format"),
        (["--hex", "--as", "nothing", "x.log"], 2, "nothing"),
        (["--hex", "none.log"], 3, "none.log"),
        (["--hex", "--since", "0", "x.log"], 2, "--since does not go with --hex"),
        (["--value-bytes", "3", "--as", "record_batch", "x.log"], 2, "--value-bytes goes with --hex"),
    ],
)
def test_wrong_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], status: int, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "meta.properties").write_text("version=1\n")
    (tmp_path / "x.log").write_bytes(data_batch(0, TIME))
    done = CliRunner().invoke(main, ["dump", *arguments])
    assert (done.exit_code, words in done.stderr) == (status, True), done.output


def test_an_empty_file_is_an_empty_dump(tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000000.log"
    path.write_bytes(b"")
    assert run(path).stdout == f"# {path}, 0 bytes\n"


ROWS = """
meta: {id: rows, endian: le}
seq: [{id: magic, contents: ab}, {id: items, type: item, repeat: eos}]
types: {item: {seq: [{id: size, type: u1}, {id: body, size: size}]}}
"""


@pytest.mark.parametrize(
    ("option", "value", "positions"),
    [
        ("--row", "1", [5, 6]),
        ("--row", "1:3", [5, 6, 9, 10]),
        ("--row", ":1", [2, 3]),
        ("--row", "3:", [10 + 3, 14]),
        ("--row", "9:", []),
        ("--position", "5", [5]),
        ("--position", "0x4:6", [3, 5]),
        ("--position", ":3", [0, 2]),
        ("--position", "10:", [10, 13, 14]),
    ],
)
@pytest.mark.parametrize("is_fixed", [False, True])
def test_some_rows_or_positions(tmp_path: Path, option: str, value: str, positions: list[int], is_fixed: bool) -> None:
    """Whole fields, none of which is before or after what is asked for."""
    (tmp_path / "rows.ksy").write_text(ROWS)
    data = b"ab\2xy\3xyz\3abc\1z"
    (tmp_path / "a.bin").write_bytes(data)
    arguments: list[str | Path] = [tmp_path / "a.bin", "--as", tmp_path / "rows.ksy", option, value]
    if is_fixed:  # rows of one size, found by their number
        (tmp_path / "rows.ksy").write_text(
            "meta: {id: rows}\nseq: [{id: items, type: one, repeat: eos}]\ntypes: {one: {seq: [{id: a, type: u1}]}}\n"
        )
        positions = {
            "1": [1],
            "1:3": [1, 2],
            ":1": [0],
            "3:": [*range(3, len(data))],
            "9:": [*range(9, len(data))],
        }.get(value, {"5": [5], "0x4:6": [4, 5], ":3": [0, 1, 2], "10:": [*range(10, len(data))]}.get(value, []))
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    assert [int(line.split()[0]) for line in lines] == positions
    assert ("nothing lies within the range" in done.stderr) == (not positions)
    objects = json.loads(run(*arguments, "--format", "json").stdout)
    assert [item["position"] for item in objects] == positions


def test_positions_and_offsets_of_a_log(log: Path) -> None:
    first = data_batch(5, TIME, count=1)
    whole = [line for line in run(log).stdout.splitlines() if not line.startswith("#")]
    second = [line for line in whole if int(line.split()[0].lstrip("+")) >= len(first) or line.lstrip().startswith("+")]
    for arguments in (["--offset", "6"], ["--offset", "6:"], ["--position", f"{len(first)}:"]):
        lines = [line for line in run(log, *arguments).stdout.splitlines() if not line.startswith("#")]
        assert lines[-1] == whole[-1] and len(lines) < len(whole), arguments
        assert file_of([f"{0:8}  {first.hex(' ')}", *lines]) == log.read_bytes() and len(lines) <= len(second)
    assert run(log, "--row", "1").exit_code == 2
    assert run(log, "--offset", "6", "--to-offset", "7").exit_code == 2
