"""Values and keys of records as declared formats, in columns: real records, and topics with different layouts."""

from __future__ import annotations

import pickle
import struct
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.errors import DataError, UsageError
from kformat.kafka.batch.writing import Columns, build_batch
from kformat.kafka.columns.declared import DeclaredColumns, Layouts, layouts_of, with_layouts
from tests.columns.reference import plain_structure
from tests.samples import ROOT as SAMPLES

pa = pytest.importorskip("pyarrow")

TRADE = """
meta: {id: trade, endian: be}
seq:
  - {id: price, type: f8}
  - {id: size, type: u4, valid: {max: 1000}}
  - {id: side, type: u1, enum: side}
enums: {side: {0: buy, 1: sell}}
"""
ORDER = """
meta: {id: order, endian: be}
seq:
  - {id: kind, type: u1}
  - {id: body, type: {switch-on: kind, cases: {1: open, 2: close}}}
types:
  open: {seq: [{id: n, type: u1}, {id: name, type: str, size: n, encoding: UTF-8}]}
  close: {seq: [{id: id, type: u4}]}
"""


def trade(price: float, size: int, side: int) -> bytes:
    return struct.pack(">dIB", price, size, side)


TRADES = [trade(1.5, 10, 0), None, trade(2.5, 2000, 1), b"short", trade(3.5, 30, 1)]
ORDERS = [b"\1\2ab", b"\2\0\0\0\7", b"\1\2\xff\xff", None, b"\3"]
KEYS: list[bytes | None] = [b'{"a": 1}', None, b"[1", b"2", b""]


def a_log(folder: Path, values: list[bytes | None]) -> Path:
    folder.mkdir(parents=True)
    columns = Columns(list(range(1000, 1000 + len(values))), KEYS[: len(values)], values)
    (folder / f"{0:020d}.log").write_bytes(build_batch(columns, base_offset=0))
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "trade.ksy").write_text(TRADE)
    (tmp_path / "order.ksy").write_text(ORDER)
    a_log(tmp_path / "root" / "trades-0", TRADES)
    a_log(tmp_path / "root" / "orders-0", ORDERS)
    a_log(tmp_path / "root" / "others-0", [b"bytes", None])
    return tmp_path


def ksy(root: Path, name: str) -> str:
    return str(root / f"{name}.ksy")


@pytest.mark.parametrize(
    "sample", sorted(SAMPLES.glob("*/__transaction_state-*/")), ids=lambda path: "/".join(path.parts[-2:])
)
def test_records_that_brokers_wrote(sample: Path) -> None:
    """Kafka's own values are declared formats, too: what `kformat.parse` makes of each, and no error."""
    table = kformat.open(sample).to_arrow(value_as="transaction_log_value", key_as="transaction_log_key")
    records = list(kformat.open(sample).records())
    assert table.num_rows == len(records)
    assert table["value_error"].null_count == table["key_error"].null_count == table.num_rows
    for record, row in zip(records, table.to_pylist(), strict=True):
        for side, format in (("key", "transaction_log_key"), ("value", "transaction_log_value")):
            data = getattr(record, side)
            wanted = None if data is None else plain_structure(kformat.parse(format, data), ())
            assert repr(row[side]) == repr(wanted)


def test_values_that_do_not_parse_stay(root: Path) -> None:
    table = kformat.open(root / "root" / "trades-0").to_arrow(value_as=ksy(root, "trade"), key_as="json")
    assert table.column_names[:6] == ["key", "key_raw", "key_error", "value", "value_raw", "value_error"]
    assert table["value"].to_pylist() == [
        {"price": 1.5, "size": 10, "side": "buy"},
        None,
        None,
        None,
        {"price": 3.5, "size": 30, "side": "sell"},
    ]
    assert table["value_raw"].to_pylist() == [None, None, TRADES[2], b"short", None]
    assert table["value_error"].to_pylist() == [
        None,
        None,
        "value:8 trade.size: a value that is not allowed (expected <= 1000, found 2000)",
        "value:0 trade.price: the bytes end here (expected 8 more, found 5)",
        None,
    ]
    assert table["key"].to_pylist() == ['{"a": 1}', None, None, "2", None]
    assert table["key_raw"].to_pylist() == [None, None, b"[1", None, b""]


def test_layouts_by_topic_are_structures_in_one_column(root: Path) -> None:
    layouts = {"trades": ksy(root, "trade"), "orders": ksy(root, "order")}
    table = kformat.open_root(root / "root").to_arrow(value_as=layouts)
    rows = {(row["topic"], row["offset"]): row for row in table.to_pylist()}
    assert rows["trades", 0]["value"] == {"trade": {"price": 1.5, "size": 10, "side": "buy"}, "order": None}
    body = {"open": {"n": 2, "name": "ab"}, "close": None}
    assert rows["orders", 0]["value"] == {"trade": None, "order": {"kind": 1, "body": body}}
    assert rows["orders", 2]["value_raw"] == ORDERS[2] and "text in UTF-8" in rows["orders", 2]["value_error"]
    assert rows["others", 0]["value_raw"] == b"bytes"  # no layout, no error, and no byte lost
    assert rows["others", 0]["value"] is rows["others", 0]["value_error"] is rows["others", 1]["value_raw"] is None

    names = ["topic", "value.order.body.close.id", "value.trade.price", "value_error"]
    parts = kformat.open_root(root / "root").to_arrow(names, value_as=layouts)
    assert parts.column_names == names
    by_topic = {(row["topic"], row["value.trade.price"], row["value.order.body.close.id"]) for row in parts.to_pylist()}
    assert {("trades", 1.5, None), ("orders", None, 7), ("others", None, None)} <= by_topic


def test_columns_of_values_next_to_others(root: Path) -> None:
    partition = kformat.open(root / "root" / "trades-0")
    names = ["value.side", "offset", "value_raw", "value.price"]
    table = partition.to_arrow(names, value_as=ksy(root, "trade"), enums="numbers", start_offset=2)
    assert table.to_pylist()[2] == {"value.side": 1, "offset": 4, "value_raw": None, "value.price": 3.5}
    assert table["value_raw"].to_pylist() == [TRADES[2], b"short", None]
    assert partition.to_arrow(["value"], value_as=ksy(root, "trade")).column_names == ["value"]


@pytest.mark.parametrize(
    ("columns", "value_as", "why"),
    [
        (["value.nothing"], "trade", "value: nothing: trade has no field 'nothing'"),
        (["value", "value.price"], "trade", "value.price is in value already"),
        (["value.a"], "json", "value.a: JSON stays text"),
        (["value_more"], "trade", "no column 'value_more'"),
        (["value.price"], None, "no column 'value.price'"),
        (["value"], "nothing", "no format 'nothing'"),
        (["value"], ["a=trade", "a=order"], "two layouts for topic 'a'"),
        (["value"], ["trade", "order"], "two layouts for all topics"),
        (["value.x"], ["a=trade", "b=order"], "there is no layout 'x'; there are trade, order"),
        (["value"], {5: "trade"}, "5 is no topic"),
    ],
)
def test_what_callers_get_wrong(root: Path, columns: list[str], value_as: Any, why: str) -> None:
    def placed(given: Any) -> Any:
        if isinstance(given, str):
            topic, _, name = given.rpartition("=")
            return f"{topic}=" * bool(topic) + (ksy(root, name) if name in ("trade", "order") else name)
        return [placed(one) for one in given] if isinstance(given, list) else given

    with pytest.raises(UsageError) as caught:
        kformat.open(root / "root" / "trades-0").to_arrow(columns, value_as=placed(value_as))
    assert why in str(caught.value)


def test_layouts_of_options(root: Path) -> None:
    text = ksy(root, "trade")
    assert layouts_of(None) is None and layouts_of(()) is None
    assert layouts_of(text) == Layouts({}, text)
    found = layouts_of([f"a.b-c={text}", "json"])
    assert found == Layouts({"a.b-c": text}, "json") and pickle.loads(pickle.dumps(found)) == found
    assert found is not None and (found.of("a.b-c"), found.of("x"), found.all) == (text, "json", ["json", text])
    with pytest.raises(UsageError, match=r"there is no topic 'a\.b-c' here; there are x, y"):
        found.check_topics(["y", "x"])
    (root / "p.ksy").write_text(
        "meta: {id: p}\nseq: [{id: a, type: inner(1)}]\ntypes: {inner: {params: [{id: n, type: u1}]}}"
    )
    with pytest.raises(UsageError, match="inner has parameters"):
        layouts_of(f"{root / 'p.ksy'}::inner")
    wanted = ("key", "value", "value_raw", "value_error", "offset")
    assert with_layouts(("key", "value", "offset"), "json", None) == wanted


def test_what_did_not_parse_is_counted(root: Path) -> None:
    declared = DeclaredColumns(("value.price",), ksy(root, "trade"))
    kformat.open(root / "root" / "trades-0").to_arrow(value_as=declared)
    assert list(declared.remarks()) == ["2 of 4 values do not parse as trade"]
    assert declared.base == ("value",)
    with pytest.raises(DataError):
        kformat.parse(ksy(root, "trade"), TRADES[2])
