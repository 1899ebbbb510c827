"""Lines of JSON and CSV made column by column are those of `json.dumps` and of the csv module, row by row."""

from __future__ import annotations

import csv
import io
import json
import random
from decimal import Decimal
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from kformat.cli import text_rows  # noqa: E402
from kformat.cli.output import BYTES, plain_value  # noqa: E402
from kformat.cli.text_rows import TextRows  # noqa: E402
from kformat.columns.logical import plain_array  # noqa: E402
from tests.draws import at_most  # noqa: E402

TEXTS = ("", "a", 'say "x"', "a,b", "two\nlines", "\r", "ümläut", "🙂", "\x00\x1f\x7f", " x ", "\u2028", "\\", "null")
KINDS: dict[str, tuple[Any, Any]] = {
    "text": (pa.string(), lambda by: by.choice(TEXTS)),
    "large": (pa.large_string(), lambda by: by.choice(TEXTS)),
    "constant": (pa.string(), lambda by: "topic,1"),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), lambda by: by.choice(TEXTS)),
    "bytes": (pa.binary(), lambda by: by.randbytes(by.randrange(9))),
    "int": (pa.int64(), lambda by: by.choice((0, -(2**63), 2**63 - 1, 7))),
    "uint": (pa.uint64(), lambda by: by.choice((0, 2**64 - 1))),
    "float": (pa.float64(), lambda by: by.choice((0.0, -0.0, 1.5, 1e300, 5e-324, float("nan"), float("-inf"), 1e22))),
    "bool": (pa.bool_(), lambda by: by.random() < 0.5),
    "null": (pa.null(), lambda by: None),
    "decimal": (pa.decimal128(9, 3), lambda by: by.choice((Decimal("1.500"), Decimal("-2.000")))),
    "time": (pa.timestamp("us", tz="UTC"), lambda by: by.randrange(2**50)),
    "list": (pa.list_(pa.struct([("k", pa.string()), ("v", pa.binary())])),
             lambda by: [{"k": by.choice(TEXTS), "v": by.randbytes(3)}] * by.randrange(3)),
    "struct": (pa.struct([("a", pa.int8()), ("b", pa.float32())]), lambda by: {"a": 1, "b": float("inf")}),
    "ms": (pa.timestamp("ms", tz="UTC"), lambda by: by.randrange(2**40)),
}  # fmt: skip


def reference(batch: Any, bytes_as: str, times: tuple[str, ...], is_csv: bool) -> str:
    """What the lines are, row by row."""
    columns = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if name in times:
            columns.append(column.cast("int64").to_pylist())
        else:
            columns.append([plain_value(item, BYTES[bytes_as]) for item in plain_array(column).to_pylist()])
    rows = list(zip(*columns, strict=True))
    if not is_csv:
        return "".join(json.dumps(dict(zip(batch.schema.names, row, strict=True))) + "\n" for row in rows)
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(
        [batch.schema.names, *([json.dumps(x) if isinstance(x, list | dict) else x for x in row] for row in rows)]
    )
    return buffer.getvalue()


def drawn(by: random.Random) -> Any:
    names = by.sample(sorted(KINDS), by.choice((1, 1, 2, 5)))
    count = by.choice((0, 1, 3, 40))
    arrays = []
    for name in names:
        kind, make = KINDS[name]
        arrays.append(pa.array([None if by.random() < 0.2 else make(by) for _ in range(count)], kind))
    batch = pa.record_batch(arrays, [*names[:-1], by.choice((names[-1], 'odd "name",\n'))])
    return batch.slice(count // 3) if by.random() < 0.5 else batch


@pytest.mark.parametrize("is_csv", [True, False], ids=["csv", "json"])
@pytest.mark.parametrize("is_large", [True, False])
def test_lines_are_those_of_the_standard_library(is_csv: bool, is_large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if is_large:
        monkeypatch.setattr(text_rows, "_LARGE_BYTES", -1)
    by = random.Random(f"{is_csv} {is_large}")
    for _ in range(at_most(300)):
        batch, bytes_as = drawn(by), by.choice(sorted(BYTES))
        rows = TextRows(batch.schema.names, bytes_as, ("ms",), is_csv=is_csv)
        text = (rows.head() + rows.text(batch)).decode()
        assert text == reference(batch, bytes_as, ("ms",), is_csv), batch.to_pylist()
