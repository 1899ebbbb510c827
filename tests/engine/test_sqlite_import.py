"""`kformat log import --sqlite`: rows become records, each once; what SQLite refuses is a typed error."""

from __future__ import annotations

import json
import math
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kformat.cli import main
from kformat.cli.progress import ProgressLine
from kformat.errors import UsageError
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.records import Record
from kformat.kafka.log.log_reader import LogReader
from kformat_engine import Log, LogConfig, commands, sqlite_import
from kformat_engine.sqlite_import import RowColumns, SqliteTable, TableRecords, import_rows
from tests.peak import ROOT


def run(*arguments: str | Path) -> Result:
    """`kformat log import data/orders-0 --sqlite shop.db ...` in the current directory."""
    command = ["log", "import", "data/orders-0", "--sqlite", "shop.db", *map(str, arguments)]
    return CliRunner().invoke(main, command)


def records(path: str | Path = "data/orders-0") -> list[Record]:
    with LogReader.open(path) as reader:
        return list(reader)


def pairs() -> list[tuple[bytes | None, bytes | None]]:
    return [(record.key, record.value) for record in records()]


def database(*statements: str, rows: Iterable[tuple[Any, ...]] = (), path: str = "shop.db") -> None:
    """Run statements; the last one for each of the rows, if there are any."""
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements[: -1 if rows else None]:
            connection.execute(statement)
        connection.executemany(statements[-1], rows) if rows else None
    connection.close()


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def orders() -> None:
    database(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, body BLOB, price REAL, at)",
        "INSERT INTO orders VALUES (?, ?, ?, ?, ?)",
        rows=[(1, "ann", b"\x00\xff", 1.5, 1000), (2, "bob", None, math.inf, None), (7, "çat", b"", -2.0, 3000)],
    )


# What becomes of a row


def test_a_row_is_a_record(orders: None) -> None:
    done = run("--table", "orders")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "3 records, offsets 0 to 2\n", "")
    assert [record.key for record in records()] == [b"1", b"2", b"7"]
    assert [json.loads(record.value or b"") for record in records()] == [
        {"id": 1, "customer": "ann", "body": "AP8=", "price": 1.5, "at": 1000},
        {"id": 2, "customer": "bob", "body": None, "price": "Infinity", "at": None},
        {"id": 7, "customer": "çat", "body": "", "price": -2.0, "at": 3000},
    ]
    assert all(record.headers == () for record in records())


@pytest.mark.parametrize(
    ("options", "first", "second"),
    [
        (["--value", "body"], (b"1", b"\x00\xff"), (b"2", None)),
        (["--value", "PRICE", "--key", "customer"], (b"ann", b"1.5"), (b"bob", b"Infinity")),
        (["--value", "at", "--value", "id"], (b"1", b'{"at":1000,"id":1}'), (b"2", b'{"at":null,"id":2}')),
        (
            ["--key", "customer", "--key", "body", "--value", "id"],
            (b'{"customer":"ann","body":"AP8="}', b"1"),
            (b'{"customer":"bob","body":null}', b"2"),
        ),
    ],
)
def test_columns_are_chosen(options: list[str], first: tuple[Any, Any], second: tuple[Any, Any], orders: None) -> None:
    assert run("--table", "orders", *options).exit_code == 0
    assert pairs()[:2] == [first, second]


def test_headers_are_columns(orders: None) -> None:
    assert run("--table", "orders", "--header", "customer", "--header", "BODY").exit_code == 0
    assert [record.headers for record in records()] == [
        (("customer", b"ann"), ("body", b"\x00\xff")),
        (("customer", b"bob"), ("body", None)),
        (("customer", "çat".encode()), ("body", b"")),
    ]


@pytest.mark.parametrize(
    ("unit", "stored", "timestamp"),
    [
        ("ms", 1_600_000_000_123, 1_600_000_000_123),
        ("s", 1_600_000_000, 1_600_000_000_000),
        ("s", 1_600_000_000.1239, 1_600_000_000_123),
        ("us", 1_600_000_000_123_999, 1_600_000_000_123),
        ("s", "2020-09-13 12:26:40", 1_600_000_000_000),
        ("ms", "2020-09-13T14:26:40.5+02:00", 1_600_000_000_500),
        ("ms", 0, 0),
    ],
)
def test_timestamps(unit: str, stored: object, timestamp: int) -> None:
    database("CREATE TABLE t (at)", "INSERT INTO t VALUES (?)", rows=[(stored,)])
    assert run("--table", "t", "--timestamp", "at", "--timestamp-unit", unit).exit_code == 0
    assert [record.timestamp for record in records()] == [timestamp]


@pytest.mark.parametrize(
    ("unit", "stored", "is_told"),
    [
        ("ms", [1_600_000_000, 1_600_000_001], True),
        ("ms", [0, None, 10**11 - 1], True),
        ("ms", [1], True),
        ("ms", [0, 10**11, "2020-09-13", 5.0], False),
        ("s", [1_600_000_000], False),
        ("us", [1_600_000_000], False),
    ],
)
def test_seconds_that_are_taken_for_milliseconds_are_told_once(unit: str, stored: list[object], is_told: bool) -> None:
    database("CREATE TABLE t (at)", "INSERT INTO t VALUES (?)", rows=[(one,) for one in stored * 6000])
    done = run("--table", "t", "--timestamp", "at", "--timestamp-unit", unit)
    assert (done.exit_code, len(records())) == (0, 6000 * len(stored))
    assert done.stderr.count("warning: shop.db: row ") == done.stderr.count("--timestamp-unit s\n") == is_told
    assert len(done.stderr.splitlines()) == is_told


@pytest.mark.parametrize(
    "stored",
    ["tomorrow", "-1h", "1600000000000", "20240131", "20240131120000123", b"2020", math.inf, 1e308, -1e308, -5],
)
def test_a_row_that_has_no_time_is_named_and_those_before_it_stay(stored: object) -> None:
    database("CREATE TABLE t (a, at)", "INSERT INTO t VALUES (?, ?)", rows=[(1, 5), (2, None), (3, stored), (4, 5)])
    done = run("--table", "t", "--value", "a", "--timestamp", "at", "--timestamp-unit", "s")
    assert done.exit_code == 2
    assert done.stderr.startswith("2 records appended before\nkformat: shop.db: row 2 of t: ")
    assert pairs() == [(None, b"1"), (None, b"2")]


def test_a_row_that_the_log_refuses_is_named_and_those_before_it_stay() -> None:
    rows = [(number, b"x" * (2000 if number == 700 else 1)) for number in range(1000)]
    database("CREATE TABLE t (n, b)", "INSERT INTO t VALUES (?, ?)", rows=rows)
    done = run("--table", "t", "--value", "b", "--config", "max.message.bytes=1000")
    assert done.exit_code == 2
    assert "kformat: shop.db: row 700 of t: " in done.stderr
    assert len(records()) == 700
    assert run("--table", "t", "--value", "b").stdout == "300 records, offsets 700 to 999\n"


def test_a_row_beyond_any_record_is_named_before_its_columns_are_read() -> None:
    columns = ", ".join(f"c{number} AS (zeroblob(a))" for number in range(1000))
    database(f"CREATE TABLE t (a, {columns})", "INSERT INTO t VALUES (?)", rows=[(5,), (6,), (120_000_000,), (7,)])
    done = run("--table", "t")
    assert (done.exit_code, done.stderr) == (
        1,
        "2 records appended before\nkformat: shop.db: row 2 of t has more than 134217728 bytes\n",
    )
    assert len(records()) == 2
    assert run("--table", "t", "--value", "a").exit_code == 2  # the record has other columns
    assert run("--table", "t", "--value", "a", "--name", "other").exit_code == 0


def test_sqlite_may_take_so_much_memory() -> None:
    """In a process of its own: the limit is that of a process, and cannot be raised again."""
    database("CREATE TABLE t (a, b AS (length(hex(zeroblob(a)))))", "INSERT INTO t VALUES (30000000)")
    program = (
        "from kformat_engine.sqlite_import import *\n"
        "with SqliteTable('shop.db', 't', heap_bytes=20 << 20) as table:\n"
        "    list(TableRecords(table).records(0))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr.endswith("LimitError: shop.db: SQLite needs more memory than it may take\n")


def test_text_that_is_no_utf_8_keeps_its_bytes() -> None:
    database("CREATE TABLE t (a)", "INSERT INTO t VALUES (CAST(x'61ff' AS TEXT))")
    assert run("--table", "t", "--value", "a", "--header", "a").exit_code == 0
    assert run("--table", "t", "--name", "in JSON").exit_code == 0
    assert pairs() == [(None, b"a\xff"), (None, b'{"a":"a\\udcff"}')]
    assert records()[0].headers == (("a", b"a\xff"),)


# Order and names


@pytest.mark.parametrize(
    ("table", "order"),
    [
        ("CREATE TABLE t (k TEXT PRIMARY KEY, v)", ["b", "c", "a"]),
        ("CREATE TABLE t (k TEXT PRIMARY KEY, v) WITHOUT ROWID", ["a", "b", "c"]),
        ("CREATE TABLE t (k TEXT PRIMARY KEY DESC, v) WITHOUT ROWID", ["a", "b", "c"]),
        ("CREATE TABLE t (k, rowid)", ["b", "c", "a"]),
        ("CREATE TABLE t (k PRIMARY KEY, rowid) WITHOUT ROWID", ["a", "b", "c"]),
    ],
)
def test_rows_are_in_the_order_of_insertion_if_the_table_has_one(table: str, order: list[str]) -> None:
    database(table, "INSERT INTO t VALUES (?, ?)", rows=[("b", 3), ("c", 2), ("a", 1)])
    assert run("--table", "t", "--value", "k").exit_code == 0
    assert [record.value for record in records()] == [name.encode() for name in order]


def test_a_table_whose_columns_hide_its_rowid_has_no_order() -> None:
    database("CREATE TABLE t (rowid, _rowid_, oid)")
    done = run("--table", "t")
    assert (done.exit_code, done.stderr) == (
        2,
        "kformat: shop.db: t has no order: no primary key, and columns hide its rowid\n",
    )


@pytest.mark.parametrize("name", ["a b", 'x"; DROP TABLE t; --', "select", "tä", "t'", "t?"])
def test_names_are_only_names(name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    database(
        "CREATE TABLE t (a)", f"CREATE TABLE {quoted} ({quoted} PRIMARY KEY, b)", f"INSERT INTO {quoted} VALUES (1, 2)"
    )
    chosen = ["--key", name, "--value", name, "--header", name]
    assert run("--table", name, *chosen).exit_code == 0
    assert pairs() == [(b"1", b"1")]
    assert run("--table", "t").stdout == "0 records\n"


def test_generated_columns_are_columns() -> None:
    database("CREATE TABLE t (a, b AS (a + 1), c AS (a + 2) STORED)", "INSERT INTO t VALUES (1)")
    assert run("--table", "t").exit_code == 0
    assert pairs() == [(None, b'{"a":1,"b":2,"c":3}')]


# What is refused


def test_an_error_lists_some_of_many_names() -> None:
    database(f"CREATE TABLE t ({', '.join(f'c{number}' for number in range(100))})")
    done = run("--table", "t", "--key", "c100")
    assert done.stderr.endswith(
        " in t; there are " + ", ".join(f"c{number}" for number in range(20)) + " and 80 more\n"
    )


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["--table", "order"], 2, "shop.db: no table 'order'; there are orders\n"),
        (
            ["--table", "ALL_orders"],
            2,
            ": all_orders is a view, and only tables are imported; there are orders\n",
        ),
        (["--table", "orders", "--key", "x"], 2, "no column 'x' in orders; there are id, customer, body, price, at\n"),
        (["--table", "orders", "--value", "id; --"], 2, "no column 'id; --' in orders"),
        (["--table", "orders", "--timestamp", "rowid"], 2, "no column 'rowid' in orders"),
        (["--table", "orders", "--header", ""], 2, "no column '' in orders"),
        (["--table", "orders", "--timestamp-unit", "h"], 2, "'h' is not one of"),
        (["--table", "orders", "--name", ""], 0, ""),
        (["--table", "x", "--sqlite", "empty.db"], 2, "empty.db: no table 'x'; there is none in it\n"),
        (["--table", "x", "--sqlite", "gone.db"], 3, "gone.db: No such file or directory\n"),
        (["--table", "x", "--sqlite", "."], 2, ".: an SQLite database is a regular file\n"),
        (["--table", "x", "--sqlite", "text"], 1, "text: no SQLite database, or an encrypted one\n"),
        (["--table", "x", "--sqlite", "newer.db"], 1, "newer.db: SQLite cannot read it: "),
        (
            ["--table", "orders", "--sqlite", "column.db"],
            1,
            "column.db: SQLite cannot read it: a name in it is no UTF-8",
        ),
        (
            ["--table", "table\udcff", "--sqlite", "table.db"],
            1,
            "table.db: SQLite cannot read it: a name in it is no UTF",
        ),
        (
            ["--table", "orders", "--sqlite", "message.db"],
            1,
            "message.db: SQLite cannot read it: a name in it is no UTF",
        ),
        ([], 2, "missing option '--table'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_calls(arguments: list[str], status: int, told: str, orders: None, tmp_path: Path) -> None:
    database("CREATE VIEW all_orders AS SELECT * FROM orders")
    (tmp_path / "empty.db").write_bytes(b"")
    (tmp_path / "text").write_bytes(b"no database at all\n" * 100)
    header = bytearray((tmp_path / "shop.db").read_bytes())
    header[44:48] = b"\0\0\0\x09"  # the schema's format: SQLite knows up to 4
    (tmp_path / "newer.db").write_bytes(header)
    sound = (tmp_path / "shop.db").read_bytes()
    (tmp_path / "column.db").write_bytes(sound.replace(b"body BLOB", b"bod\xff BLOB"))
    (tmp_path / "table.db").write_bytes(sound.replace(b"orders", b"table\xff"))
    (tmp_path / "message.db").write_bytes(sound.replace(b"CREATE TABLE orders", b"CREATE TABLX\xff orders"))
    done = run(*arguments)
    assert done.exit_code == status
    assert told in done.stderr
    assert isinstance(done.exception, SystemExit | None)
    assert status == 0 or "column.db" in arguments or not (tmp_path / "data").exists()


@pytest.mark.parametrize("path", ["a\0b", "\ud800"])
def test_what_cannot_be_a_path_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match="is not a path"):
        SqliteTable(path, "t")


def test_a_damaged_database_is_reported_and_the_rows_before_the_damage_stay(tmp_path: Path) -> None:
    database("CREATE TABLE t (a)", "INSERT INTO t VALUES (?)", rows=[("x" * 1000,)] * 5000)
    file = tmp_path / "shop.db"
    data = bytearray(file.read_bytes())
    data[-4096 * 300 :] = b"\xff" * (4096 * 300)
    file.write_bytes(data)
    done = run("--table", "t", "--value", "a")
    assert done.exit_code == 1
    assert done.stderr.endswith("kformat: shop.db: SQLite cannot read it: database disk image is malformed\n")
    found = records()
    assert found and all(record.value == b"x" * 1000 for record in found)
    connection = sqlite3.connect("shop.db")
    assert connection.execute("SELECT a FROM t LIMIT 1 OFFSET ?", (len(found) - 1,)).fetchall() == [("x" * 1000,)]
    with pytest.raises(sqlite3.DatabaseError):
        connection.execute("SELECT a FROM t LIMIT 1 OFFSET ?", (len(found),))
    connection.close()


def test_a_locked_database_is_reported(orders: None) -> None:
    writer = sqlite3.connect("shop.db", isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    with pytest.raises(OSError, match="another program has the SQLite database locked"):
        SqliteTable("shop.db", "orders", timeout_s=0.01)
    writer.close()


def test_a_writer_in_wal_mode_goes_on_and_the_rows_are_of_one_moment() -> None:
    database("CREATE TABLE t (a)", "INSERT INTO t VALUES (?)", rows=[(number,) for number in range(20_000)])
    writer = sqlite3.connect("shop.db", isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    with SqliteTable("shop.db", "t") as table, Log.open("data/orders-0") as log:
        for done in import_rows(log, TableRecords(table, RowColumns(value=("a",)))):
            if done:
                writer.execute("DELETE FROM t WHERE a >= 10000")
        assert log.end_offset == 20_000
        assert table.rows_count() == 10_000
    writer.close()


def test_the_database_is_not_changed(orders: None, tmp_path: Path) -> None:
    file = tmp_path / "shop.db"
    before = file.read_bytes(), file.stat().st_mtime_ns
    assert run("--table", "orders").exit_code == 0
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "shop.db"]


# Each row once


def test_a_repeated_import_appends_what_is_new(orders: None) -> None:
    assert run("--table", "orders").exit_code == 0
    done = run("--table", "orders")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "0 records\n", "3 rows imported before\n")
    database("INSERT INTO orders VALUES (8, 'dan', NULL, NULL, NULL)")
    done = run("--table", "orders", "--format", "json")
    assert json.loads(done.stdout) == {"first_offset": 3, "next_offset": 4, "records_count": 1}
    assert [record.key for record in records()] == [b"1", b"2", b"7", b"8"]


def test_other_records_may_come_between(orders: None) -> None:
    assert run("--table", "orders", "--value", "id").exit_code == 0
    with Log.open("data/orders-0") as log:
        log.append([b"other"])
        log.producer("somebody").append([b"else"])
    database("INSERT INTO orders VALUES (8, 'dan', NULL, NULL, NULL)")
    assert run("--table", "orders", "--value", "id").exit_code == 0
    assert [record.value for record in records()] == [b"1", b"2", b"7", b"other", b"else", b"8"]


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM orders WHERE id = 1",
        "INSERT INTO orders VALUES (3, 'eve', NULL, NULL, NULL)",
        "UPDATE orders SET customer = 'x' WHERE id = 7",
        "UPDATE orders SET at = 0 WHERE id = 7",
        "DELETE FROM orders",
    ],
)
def test_a_table_that_changed_is_refused(change: str, orders: None) -> None:
    arguments = ["--table", "orders", "--value", "customer", "--timestamp", "at"]
    assert run(*arguments).exit_code == 0
    database(change)
    done = run(*arguments)
    assert done.exit_code == 2
    assert "kformat: shop.db: row 2 of orders, the last that was imported, " in done.stderr
    assert len(records()) == 3
    assert run(*arguments, "--name", "again").exit_code == 0


def test_old_rows_are_stored_once_though_the_log_forgets_their_producer(orders: None) -> None:
    """A producer is forgotten a day after its last record's timestamp, when the log is opened."""
    database("UPDATE orders SET at = 100000000000 + id")
    arguments = ["--table", "orders", "--timestamp", "at"]
    assert run(*arguments).stderr == ""
    with Log.open("data/orders-0") as log:
        with pytest.warns(UserWarning, match="was forgotten"):
            assert log.producer("shop.db orders").last_sequence == -1
    assert run(*arguments).stderr == "3 rows imported before\n"
    database("INSERT INTO orders VALUES (8, 'dan', NULL, NULL, 4000)")
    assert run(*arguments).stdout == "1 record, offsets 3 to 3\n"
    assert run(*arguments).stdout == "0 records\n"


@pytest.mark.parametrize("are_there", [True, False])
def test_rows_are_not_imported_again_after_their_records_were_deleted(are_there: bool, orders: None) -> None:
    """Retention has deleted the segment, or DeleteRecords only moved the log's start."""
    assert run("--table", "orders").exit_code == 0
    with Log.open("data/orders-0") as log:
        if not are_there:
            log.roll()
            log.append([b"other"])
        log.delete_records_before(3)
        assert [segment.base_offset for segment in log.segments] == [0 if are_there else 3]
    with pytest.warns(UserWarning, match="the log has no record of the 3 rows imported before any more"):
        done = run("--table", "orders")
    assert (done.stdout, done.stderr) == ("0 records\n", "3 rows imported before\n")
    database("INSERT INTO orders VALUES (8, 'dan', NULL, NULL, NULL)")
    with pytest.warns(UserWarning, match="no record of the 3 rows"):
        assert run("--table", "orders").stdout.startswith("1 record, ")
    assert run("--table", "orders").stdout == "0 records\n"
    database("DELETE FROM orders WHERE id > 1")
    assert "row 3 of orders, the last that was imported, is not there any more" in run("--table", "orders").stderr


@pytest.mark.parametrize("start_offset", [0, 1, 2])
def test_another_database_of_the_same_name_is_refused_after_compaction(start_offset: int, tmp_path: Path) -> None:
    """Compaction has removed the record of the last row; that of an earlier one is compared."""
    rows = [(number, f"x{number}") for number in range(3)]
    for folder, others in (("x", rows), ("y", [*rows[:1], (1, "y1"), *rows[2:]]), ("z", rows[:2])):
        (tmp_path / folder).mkdir()
        database(
            *("CREATE TABLE t (id INTEGER PRIMARY KEY, v)", "INSERT INTO t VALUES (?, ?)"),
            rows=others,
            path=f"{folder}/s.db",
        )
    arguments = ["--table", "t", "--sqlite"]
    assert run(*arguments, "x/s.db").exit_code == 0
    with Log.open("data/orders-0", LogConfig(cleanup_policy=("compact",))) as log:
        log.append([(b"2", b"newer")])
        log.roll()
        log.append([(b"3", b"active")])
        log.compact(force=True)
        log.delete_records_before(start_offset)
        assert [record.offset for record in log.records()] == [*range(start_offset, 2), 3, 4]
    if start_offset == 2:
        with pytest.warns(UserWarning, match="no record of the 3 rows"):
            assert run(*arguments, "y/s.db").exit_code == 0
    else:
        done = run(*arguments, "y/s.db")
        told = "y/s.db: t differs from the last record of the import that is left, at offset 1: it was changed, or"
        assert (done.exit_code, told in done.stderr) == (2, True)
        assert run(*arguments, "x/s.db").stdout == "0 records\n"
        database("INSERT INTO t VALUES (3, 'x3')", path="x/s.db")
        assert run(*arguments, "x/s.db").stdout == "1 record, offsets 5 to 5\n"
    done = run(*arguments, "z/s.db")
    assert (done.exit_code, "is not there any more" in done.stderr) == (2, True)


def test_more_rows_than_sequence_numbers_are_refused(orders: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_import, "MAX_INT32", 1)
    with SqliteTable("shop.db", "orders") as table, Log.open("data/orders-0") as log:
        with pytest.raises(UsageError, match="more than 2 rows"):
            list(import_rows(log, TableRecords(table)))
        assert log.end_offset == 0


def test_progress_is_in_rows(orders: None, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    class OnATerminal(ProgressLine):
        def __init__(self) -> None:
            super().__init__()
            self.is_shown = True

        def amount(self, *amount: Any) -> None:
            seen.append(amount)

    monkeypatch.setattr(commands, "ProgressLine", OnATerminal)
    assert run("--table", "ORDERS").exit_code == 0
    assert seen == [(0, 3, "orders", "rows"), (3, 3, "orders", "rows")]


@pytest.mark.parametrize("sync", ["never", "batch"])
def test_the_log_is_configured(sync: str, orders: None) -> None:
    options = ["--sync", sync, "--compression", "zstd", "--config", "segment.bytes=300"]
    assert run("--table", "orders", *options).exit_code == 0
    database("INSERT INTO orders SELECT id + 10, customer, body, price, at FROM orders")
    assert run("--table", "orders", *options).exit_code == 0
    with Log.open("data/orders-0") as log:
        assert log.segment_count == 2
        assert {batch.compression for batch in log.batches()} == {CODEC_NAMES.index("zstd")}


@pytest.mark.parametrize("column", ["value", "headers"])
def test_a_large_table_takes_little_memory(column: str) -> None:
    """100 MB of rows, in a process of its own."""
    database(
        "CREATE TABLE t (a, b)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) "
        "INSERT INTO t SELECT zeroblob(250000), 1 FROM n",
    )
    program = """
import sys
from kformat_engine import Log
from kformat_engine.sqlite_import import RowColumns, SqliteTable, TableRecords, import_rows
from tests.peak import peak_bytes
with SqliteTable(sys.argv[1], "t") as table, Log.open(sys.argv[2]) as log:
    before = peak_bytes()
    *_, count = import_rows(log, TableRecords(table, RowColumns(**{"value": ("b",), sys.argv[3]: ("a",)})))
    print(count, peak_bytes() - before)
"""
    here = Path.cwd()
    arguments = [sys.executable, "-c", program, str(here / "shop.db"), str(here / "data" / "large-0"), column]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    count, taken_bytes = map(int, done.stdout.split())
    assert count == 400
    assert taken_bytes < 40 << 20
