"""`kformat.build`: bytes of a value, or of a file of rows that are columns."""

from __future__ import annotations

from typing import Any

from kformat.codec import constructs
from kformat.errors import UsageError
from kformat.lazy_names import lazy_names

_load, _ = lazy_names(__name__, {"build_rows": "kformat.columns.built_rows"})
"""Columns take longer to load than most values to build."""


def build(format: Any, obj: Any, *, onto: bytes | None = None, row: str | None = None, around: Any = None) -> bytes:
    """Build the bytes of a value, or of a whole file from its rows.

    Lengths, counts and checksums are always computed, even if the object has them; missing fields with a ``-derive``
    are derived. The result of `kformat.parse`, uncompressed and with shortest varints, gives the same bytes again;
    compressed payloads hold the same records, but maybe not the same bytes. What `kformat.scan` gives of a file does,
    too, with what is around the rows.

    Args:
        format: as for `kformat.parse`.
        obj: a parsed value, a mapping, or any object with the declared names as attributes; members of enums may be
            given by name (``{"compression": "gzip"}``). Or rows: what has ``__arrow_c_stream__`` (Arrow's tables and
            readers, `kformat.scan`, frames of pandas and polars, relations of DuckDB), with the columns that
            `kformat.scan` gives them; those of a row's place (``_file``, ``_position``, ...) are passed over.
        onto: bytes to write over, which the format must be able to read. What no field and no instance of ``obj`` has
            there stays: in gaps at its position, at the end after what it followed. A parsed value that kept such bytes
            needs no ``onto``. Rows that are written over a file are, by default, around what it has around them.
        row: of rows: what they are, as for `kformat.scan`.
        around: of rows: the fields before and after them, as a mapping, a parsed value, or the bytes of a file that has
            them; its own rows are passed over. What is computed, or derived, may be left out.

    Raises:
        BuildError: with the path of the field that is missing, unknown, of the wrong type, or not allowed.
        UsageError: a column that a row does not have; or rows that are several lists, or below an instance.
        UsageError, DeclarationError: the format does not exist, or its declaration is wrong.
        MissingDependencyError: rows without pyarrow (extra ``arrow``).
    """
    if not hasattr(obj, "__arrow_c_stream__"):
        if row is not None or around is not None:
            raise UsageError("row and around are for rows: an Arrow table, a frame, a scan")
        return constructs.build(format, obj, onto=onto)
    built: bytes = _load("build_rows")(format, obj, row, around, onto)
    return built


__all__ = ["build"]
