"""Declared values and keys are appended: objects and tables in Python, files of Arrow and Parquet by the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.columns.arrow import table_batches
from kformat.errors import BuildError, UsageError
from kformat_engine import Log
from kformat_engine.built_columns import BuiltColumns
from tests.engine.test_commands import run, values

pa = pytest.importorskip("pyarrow")

READING = """
meta: {id: reading, endian: be}
seq:
  - {id: sensor, type: u2}
  - {id: kind, type: u1, enum: kind}
  - {id: body, type: {switch-on: kind, cases: {'kind::heat': heat, 'kind::log': log}}}
types:
  heat: {seq: [{id: celsius, type: f4, valid: {min: -300}}]}
  log: {seq: [{id: text, type: strz, encoding: UTF-8}]}
enums: {kind: {1: heat, 2: log}}
"""


@pytest.fixture
def format(tmp_path: Path) -> str:
    (tmp_path / "reading.ksy").write_text(READING)
    return str(tmp_path / "reading.ksy")


def reading(number: int) -> dict[str, Any]:
    body = {"celsius": number / 4} if number % 2 else {"text": f"é{number}"}
    return {"sensor": number % 7, "kind": "heat" if number % 2 else "log", "body": body}


def a_log(path: Path, format: str, count: int = 300) -> Path:
    """One with nulls, values that do not parse, headers and timestamps."""
    records: list[Any] = [
        {
            "key": None if number % 5 == 4 else {"n": number},
            "value": None if number % 11 == 10 else reading(number),
            "timestamp": 1000 + number,
            "headers": [("h", b"v"), ("none", None)] if number % 3 == 2 else None,
        }
        for number in range(count)
    ]
    with Log.open(path) as log:
        log.append(records[:-1], value_as=format, key_as="json")
        log.append([{"key": b"no json", "value": b"\0", "timestamp": 7}, (None, b"\0\1\7")])
        log.append(records[-1:], value_as={"readings": format}, key_as="json")
    return path


def rows(path: Path, **how: Any) -> Any:
    return kformat.open(path).to_arrow(**how)


def test_objects_are_built(tmp_path: Path, format: str) -> None:
    record = kformat.Record(0, 5, 0, None, reading(1), (("a", b"b"),))  # type: ignore[arg-type]
    parsed = kformat.parse(format, kformat.build(format, reading(1)))
    with Log.open(tmp_path / "readings-0") as log:
        several: list[Any] = [{"value": reading(1)}, ("key", reading(1)), record, parsed]
        log.append(several, value_as=format, key_as="json")
        assert log.append([{"key": [1, "é"]}], key_as="json") == 4
        with pytest.raises(BuildError, match=r"reading\.sensor: "):
            log.append([{"value": reading(1) | {"sensor": -1}}], value_as=format)
        with pytest.raises(UsageError, match="value_as: there are two layouts"):
            log.append([], value_as=[format, format])
        assert log.end_offset == 5
        found = list(log.records())
    assert {record.value for record in found[:4]} == {kformat.build(format, reading(1))}
    assert (found[1].key, found[2].headers, found[4].key) == (b'"key"', (("a", b"b"),), '[1,"é"]'.encode())


def test_what_was_read_as_columns_is_appended_again(tmp_path: Path, format: str) -> None:
    path, how = a_log(tmp_path / "readings-0", format), {"value_as": format, "key_as": "json"}
    table, plain = rows(path, **how), rows(path)
    assert table["value_error"].null_count < len(table) and table["key_error"].null_count < len(table)
    parts = ("value.sensor", "value.kind", "value.body", "value_raw", "key", "key_raw", "timestamp", "headers")
    names = ["value", "value_raw", "key", "key_raw", "timestamp", "headers"]
    given = {
        "table": table,
        "stream": table.to_reader(),
        "numbers": rows(path, columns=names, enums="numbers", **how),
        "parts": rows(path, columns=parts, **how),
    }
    for name, columns in given.items():
        copy = tmp_path / name / "readings-0"
        with Log.open(copy) as log:
            log.append(columns, **how)
        assert rows(copy).equals(plain), name


def test_a_row_that_is_wrong_is_named(tmp_path: Path, format: str) -> None:
    good = [{"value": {"sensor": 1, "kind": "log", "body": {"log": {"text": "a"}}}}] * 3
    bad = {"value": {"sensor": 1, "kind": "heat", "body": {"heat": {"celsius": -400.0}}}}
    table = pa.Table.from_pylist([*good, bad], pa.Table.from_pylist([bad, *good]).schema)
    both = table.append_column("value_raw", pa.array([None, b"x", None, None]))
    with Log.open(tmp_path / "readings-0") as log:
        for wrong, error, why in (
            (table, BuildError, r"rows\[3\].value.body.celsius: .*expected >= -300, found -400"),
            (both, BuildError, r"rows\[1\].*there is value, and value_raw, too"),
            (both.append_column("value.a", pa.array([1] * 4)), UsageError, "there is column value, and value.a, too"),
            (pa.table({"v": [1]}), UsageError, "column value is expected, or parts of it, as value.a, found v"),
            (pa.table({"value.a.b": [1]}), UsageError, "column value.a: reading has no field 'a'"),
            (pa.table({"value.body": [1], "value.body.x": [2]}), UsageError, "value.body, and a part of it, too"),
            (pa.table({"value": ["{"]}), UsageError, "column value: a structure of reading is expected, found string"),
        ):
            with pytest.raises(error, match=why):
                log.append(wrong, value_as=format)
        with pytest.raises(BuildError, match=r"rows\[1\].*not JSON"):
            log.append(pa.table({"value": ["1", "{"]}), value_as="json")
        with pytest.raises(UsageError, match="JSON as text is expected, found int64"):
            log.append(pa.table({"value": [1]}), value_as="json")
        assert log.end_offset == 0


def as_files(table: Any, folder: Path) -> dict[str, Path]:
    """The same rows in each kind of file."""
    from pyarrow import feather, parquet

    files = {name: folder / name for name in ("rows.parquet", "rows.feather", "rows.arrow", "rows")}
    parquet.write_table(table, files["rows.parquet"])
    feather.write_feather(table, str(files["rows.feather"]), compression="zstd")
    for name in ("rows.arrow", "rows"):
        with pa.ipc.new_stream(str(files[name]), table.schema) as stream:
            stream.write_table(table, 50)
    return files


def test_what_was_exported_is_appended_again(tmp_path: Path, format: str) -> None:
    path, given = a_log(tmp_path / "readings-0", format), ("--value-as", format, "--key-as", "json")
    for name in ("out.parquet", "out.arrow"):
        done = CliRunner().invoke(main, ["export", str(path), *given, "-o", str(tmp_path / name)])
        assert done.exit_code == 0, done.stderr
        copy = tmp_path / name.replace(".", "-") / "readings-0"
        done = run("append", copy, tmp_path / name, *given)
        assert (done.exit_code, done.stdout) == (0, "302 records, offsets 0 to 301\n"), done.stderr
        assert rows(copy).equals(rows(path))
        assert rows(copy, value_as=format, key_as="json").equals(rows(path, value_as=format, key_as="json"))
    plain = run("append", tmp_path / "plain" / "readings-0", tmp_path / "out.arrow", "--key-as", "json")
    assert plain.exit_code == 2 and "column value: binary or string is expected, found struct" in plain.stderr
    assert "row 0" not in plain.stderr


def test_all_kinds_of_files_and_pipes(tmp_path: Path) -> None:
    table = pa.table({"value": [b"a", None, b"\n"], "key": ["k", None, ""], "offset": [7, 8, 9]})
    expected = [b"a", None, b"\n"]
    files = as_files(table, tmp_path)
    for name, file in files.items():
        assert run("append", tmp_path / name[5:] / "a-0", file).exit_code == 0
        assert values(tmp_path / name[5:] / "a-0") == expected
        done = run("append", tmp_path / f"in{name[5:]}" / "a-0", stdin=file.read_bytes())
        assert done.exit_code == 0 and values(tmp_path / f"in{name[5:]}" / "a-0") == expected
        if name.endswith("parquet"):
            text = run("append", tmp_path / "text" / "a-0", file, "--input-format", "text")
            assert text.exit_code == 0 and b"PAR1" in (values(tmp_path / "text" / "a-0")[0] or b"")
    program = [sys.executable, "-m", "kformat", "log", "append", str(tmp_path / "pipe" / "a-0")]
    with files["rows.feather"].open("rb") as opened:
        feed = subprocess.Popen(["cat"], stdin=opened, stdout=subprocess.PIPE)
    ended = subprocess.run(program, stdin=feed.stdout, capture_output=True, timeout=60)
    feed.communicate()
    assert ended.returncode == 0 and values(tmp_path / "pipe" / "a-0") == expected, ended.stderr
    read, write = os.pipe()
    with os.fdopen(write, "wb") as end:
        end.write(b"PAR1" + bytes(20))
    with os.fdopen(read, "rb") as pipe, pytest.raises(UsageError, match="Parquet cannot be read from a pipe"):
        next(table_batches(pipe, "<stdin>"))


def test_files_that_are_wrong(tmp_path: Path, format: str) -> None:
    """Damage, rows and options: the rows in front of it are in the log, and the place is named."""
    good = {"sensor": 1, "kind": "log", "body": {"log": {"text": "a"}}}
    table = pa.Table.from_pylist([{"value": good}] * 200)
    files = as_files(table, tmp_path)
    data = files["rows.arrow"].read_bytes()
    path, as_reading = tmp_path / "log" / "readings-0", ("--value-as", format)
    done = run("append", path, *as_reading, stdin=data[: len(data) * 3 // 4])
    assert done.exit_code == 1 and "kformat: <stdin>: damaged Arrow" in done.stderr
    assert "100 records appended before\n" in done.stderr
    for name, size in (("rows.parquet", 100), ("rows.feather", 40)):
        cut = tmp_path / f"cut-{name}"
        cut.write_bytes(files[name].read_bytes()[:size])
        done = run("append", path, cut, *as_reading)
        assert done.exit_code == 1 and f"{cut}: damaged" in done.stderr, done.stderr
    wrong = pa.Table.from_pylist([{"value": good}] * 20_000 + [{"value": good | {"kind": "cold"}}])
    rows_file = as_files(wrong, tmp_path)["rows.parquet"]
    done = run("append", path, rows_file, *as_reading)
    assert done.exit_code == 2 and f"kformat: {rows_file}: row 20000: value.kind: " in done.stderr, done.stderr
    assert "20000 records appended before\n" in done.stderr
    large = as_files(pa.table({"value": [b"a", b"b" * 2000, b"c"]}), tmp_path)["rows.arrow"]
    done = run("append", path, large, "--config", "max.message.bytes=1000")
    assert done.exit_code == 2 and f"{large}: row 1: " in done.stderr and values(path)[-1] == b"a"
    for stdin, options, why in (
        (b"lines", as_reading, "need --input-format nl, lines of JSON, or arrow"),
        (b"lines", ("--input-format", "arrow"), "<stdin>: neither Arrow (an IPC stream or file) nor Parquet"),
        (data, ("--input-format", "arrow", "--key-delimiter", ":"), "--input-format arrow and --key-delimiter do not"),
    ):
        done = run("append", path, *options, stdin=stdin)
        assert done.exit_code == 2 and why in done.stderr, done.stderr


def test_memory_is_that_of_a_part(tmp_path: Path) -> None:
    """Of files of many batches, or with one large row group, Arrow holds a few parts."""
    from pyarrow import parquet

    batch = pa.record_batch({"value": [os.urandom(100) for _ in range(20_000)]})
    parquet.write_table(pa.Table.from_batches([batch] * 30), tmp_path / "rows.parquet", use_dictionary=False)
    with pa.ipc.new_stream(str(tmp_path / "rows.arrow"), batch.schema) as stream:
        for _ in range(30):
            stream.write_batch(batch)
    for name in ("rows.parquet", "rows.arrow"):
        before, most, count = pa.total_allocated_bytes(), 0, 0
        with (tmp_path / name).open("rb") as file:
            for start, records, problem in BuiltColumns().parts(table_batches(file, name)):
                assert (start, problem) == (count, None)
                count += len(records)
                most = max(most, pa.total_allocated_bytes() - before)
        assert count == 600_000
        assert most < 16 << 20, name  # of 60 MB
