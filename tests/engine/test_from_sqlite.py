"""Both sides of the table of docs/from-sqlite.md: the SQL and the Python of a row do the same."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from kformat.kafka.batch.records import Record
from kformat.kafka.log.log_reader import LogReader
from kformat_engine import Log
from tools import documents

PAGE = "docs/from-sqlite.md"
HEADING = "| task | SQL | Python |\n|---|---|---|\n"


def rows() -> Iterator[tuple[str, str]]:
    """The code in each row of the table."""
    text = (documents.ROOT / PAGE).read_text(encoding="utf-8")
    table = text[text.index(HEADING) + len(HEADING) :].partition("\n\n")[0]
    for line in table.splitlines():
        (found,) = re.findall(r"^\| [^|`]+ \| `([^`]+)` \| `([^`]+)` \|$", line)
        yield found


def as_bytes(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def plain(result: Any) -> list[Any]:
    """What either side gives, in one form and order."""
    if isinstance(result, int):
        return [(result,)]
    if isinstance(result, dict):
        return sorted(result.items())
    pairs = [(row.key, row.value) if isinstance(row, Record) else tuple(map(as_bytes, row)) for row in result]
    return sorted(pairs)


def test_both_sides_do_the_same(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "plant.db")) as db, Log.open(tmp_path / "events-0") as log:
        db.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, at INTEGER, key TEXT, value BLOB)")
        for number in range(1000):
            at, key, value = 1_700_000_000_000 + number * 1000, f"sensor-{number % 3}", b"%d" % number
            db.execute("INSERT INTO events (at, key, value) VALUES (?, ?, ?)", (at, key, value))
            log.append([{"timestamp": at, "key": key.encode(), "value": value}])
        read, changed = 0, 0
        for sql, python in rows():
            if sql.startswith("SELECT"):
                wanted = plain(db.execute(sql).fetchall())
                assert wanted
                assert plain(eval(python, {"log": log})) == wanted, sql
                with LogReader.open(log.path) as reader:
                    assert plain(eval(python, {"log": reader})) == wanted, sql
                read += 1
                continue
            db.execute(sql)
            eval(python, {"log": log})
            assert plain(log.records()) == plain(db.execute("SELECT key, value FROM events").fetchall()), sql
            changed += 1
        assert (read, changed) == (7, 3)
