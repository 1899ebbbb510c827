"""The embedded stores that the engine is measured beside: SQLite, from Python's standard library, and LMDB."""

from __future__ import annotations

import importlib
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

lmdb: Any = None
"""The module; None without the extra `bench`."""
with suppress(ImportError):
    lmdb = importlib.import_module("lmdb")

MAP_BYTES = 16 << 30


def open_sqlite(path: Path, *, is_synced: bool = True) -> sqlite3.Connection:
    """A database with a write-ahead log and a table of records under their offsets."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(f"PRAGMA synchronous={'FULL' if is_synced else 'OFF'}")
    connection.execute("CREATE TABLE IF NOT EXISTS records (offset INTEGER PRIMARY KEY, key BLOB, value BLOB)")
    return connection


def open_lmdb(path: Path, *, is_synced: bool = True) -> Any:
    """An environment that takes two named databases."""
    return lmdb.open(str(path), map_size=MAP_BYTES, sync=is_synced, metasync=is_synced, max_dbs=2)
