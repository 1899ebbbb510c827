"""Rows of Arrow as text, column by column: lines of JSON as `json.dumps` writes them, and CSV as the csv module does.

Each column becomes an Arrow array of text, and Arrow joins them to lines: no row is ever an object of Python.
"""

from __future__ import annotations

import json
from binascii import b2a_base64, hexlify
from collections.abc import Callable, Collection, Sequence
from functools import partial
from json.encoder import encode_basestring_ascii
from typing import Any, Final

from kformat.cli.output import BYTES, plain_value
from kformat.columns.arrow import RecordBatch, arrow_compute, pyarrow
from kformat.columns.logical import plain_array

_QUOTED: Final = '[",\n]'
"""What makes a cell of CSV one that has to be quoted."""
_LARGE_BYTES: Final = 1 << 28
"""Columns whose text may not fit 32 bits: a byte of JSON becomes up to six."""
_FEW: Final = 4
"""Texts of which so few of a column are different are made once each: one in so many."""


class TextRows:
    """Makes lines of record batches that have these columns.

    ``bytes_as`` is one of `BYTES`; ``times``: the columns of timestamps that text has as integers, Kafka's own.
    """

    def __init__(self, names: Sequence[str], bytes_as: str, times: Collection[str] = (), *, is_csv: bool) -> None:
        self.names, self.bytes_as, self.times, self.is_csv = tuple(names), bytes_as, frozenset(times), is_csv

    def head(self) -> bytes:
        """What comes before the rows."""
        if not self.is_csv:
            return b""
        names = pyarrow().array(self.names)
        return ",".join(_quoted(names, is_alone=len(names) == 1).to_pylist()).encode() + b"\n"

    def text(self, batch: RecordBatch) -> bytes:
        """The lines of some rows, in UTF-8."""
        pa, compute, parts = pyarrow(), arrow_compute(), list[Any]()
        is_large = batch.nbytes > _LARGE_BYTES
        kind = pa.large_string() if is_large else pa.string()
        is_alone = len(self.names) == 1
        for number, name in enumerate(self.names):
            cells = self._cells(batch.column(number), name)
            if self.is_csv:
                parts += [",", _quoted(cells, is_alone=is_alone)][not number :]
            else:
                parts += [f"{', ' if number else '{'}{json.dumps(name)}: ", cells]
        parts.append("\n" if self.is_csv else "}\n")
        null = "" if self.is_csv else "null"
        typed = [pa.scalar(part, kind) if isinstance(part, str) else part.cast(kind) for part in (*parts, "")]
        lines = compute.binary_join_element_wise(*typed, null_handling="replace", null_replacement=null)
        _, offsets, data = lines.buffers()
        if not len(lines) or data is None:
            return b""
        bounds = memoryview(offsets).cast("q" if is_large else "i")[lines.offset : lines.offset + len(lines) + 1]
        return bytes(memoryview(data)[bounds[0] : bounds[-1]])

    def _cells(self, column: Any, name: str) -> Any:
        """The values of a column as text, null where they are: JSON, or what is in a cell of CSV."""
        pa = pyarrow()
        if name in self.times:
            column = column.cast(pa.int64())
        column = plain_array(column)
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        types, kind = pa.types, column.type
        if types.is_null(kind) or types.is_integer(kind):
            return column.cast(pa.string())
        if types.is_string(kind) or types.is_large_string(kind):
            return column if self.is_csv else _made_once(column, encode_basestring_ascii)
        if types.is_binary(kind) or types.is_large_binary(kind):
            return self._of_bytes(column)
        encode = BYTES[self.bytes_as]

        def word(item: Any) -> str:
            return self._word(plain_value(item, encode))

        if types.is_list(kind) or types.is_large_list(kind):
            return _of_lists(column, word)
        return _made(column, word)

    def _of_bytes(self, column: Any) -> Any:
        pa, items = pyarrow(), column.to_pylist()
        if self.bytes_as == "text":
            texts = pa.array([None if item is None else BYTES["text"](item) for item in items], pa.string())
            return texts if self.is_csv else _made(texts, encode_basestring_ascii)
        encode = partial(b2a_base64, newline=False) if self.bytes_as == "base64" else hexlify
        made = [None if item is None else encode(item) for item in items]
        texts = pa.array(made, pa.binary()).cast(pa.string())
        return texts if self.is_csv else _joined('"', texts, '"')

    def _word(self, item: Any) -> str:
        """A value as JSON; in CSV that is so of what has parts."""
        if self.is_csv and not isinstance(item, list | dict):
            return str(item)
        return json.dumps(item)


def _made(column: Any, make: Callable[[Any], Any]) -> Any:
    return pyarrow().array([None if item is None else make(item) for item in column.to_pylist()], pyarrow().string())


def _of_lists(column: Any, make: Callable[[Any], str]) -> Any:
    """The same; empty lists, as headers of records most often are, are not looked at."""
    pa, compute = pyarrow(), arrow_compute()
    is_full = compute.fill_null(compute.greater(compute.list_value_length(column), 0), False)
    cells = compute.if_else(column.is_valid(), "[]", pa.scalar(None, pa.string()))
    return compute.replace_with_mask(cells, is_full, _made(column.filter(is_full), make))


def _joined(*parts: Any) -> Any:
    """Texts and arrays of texts, joined cell by cell; null where one is."""
    pa = pyarrow()
    kind = next(part.type for part in parts if not isinstance(part, str))
    typed = [pa.scalar(part, kind) if isinstance(part, str) else part for part in (*parts, "")]
    return arrow_compute().binary_join_element_wise(*typed)


def _made_once(column: Any, make: Callable[[Any], str]) -> Any:
    """The same; of texts that come again and again each once."""
    encoded = column.dictionary_encode()
    if len(encoded.dictionary) * _FEW > len(column):
        return _made(column, make)
    return _made(encoded.dictionary, make).take(encoded.indices)


def _quoted(cells: Any, *, is_alone: bool) -> Any:
    """Cells of CSV, quoted where they have to be: also an empty one that is alone in its line."""
    compute = arrow_compute()
    has_any = compute.match_substring_regex(cells, _QUOTED)
    if compute.any(has_any).as_py():
        doubled = _joined('"', compute.replace_substring(cells, '"', '""'), '"')
        cells = compute.if_else(compute.fill_null(has_any, False), doubled, cells)
    if is_alone:
        cells = compute.if_else(compute.equal(compute.fill_null(cells, ""), ""), '""', cells)
    return cells


__all__ = ["TextRows"]
