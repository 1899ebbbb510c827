"""Logical types (``-as``) as columns: every reader has the same Arrow arrays, which mean what the values mean in JSON;
and columns, of these types and others, are built into the same bytes.
"""

from __future__ import annotations

import datetime
import json
import random
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.columns.building import Builder
from kformat.columns.compiled_rows import Compiled, compiled_of
from kformat.columns.fixed import Fixed, fixed_of
from kformat.columns.scanning import Scan
from kformat.errors import InvalidError, UsageError
from kformat.kernels.readiness import Readiness
from kformat.language.program import load_type
from tests.columns.comparing import assert_same, scanned
from tests.language.test_views import run

pa = pytest.importorskip("pyarrow")
pytest.importorskip("numba")

ROW = """
      - {id: ms, type: s8, -as: timestamp(ms)}
      - {id: unsigned, type: u8, -as: timestamp(us)}
      - {id: mac_time, type: u4, -as: 'timestamp(s, 1904)'}
      - {id: far, type: s8, -as: 'timestamp(s, 1601-01-01)'}
      - {id: tiny, type: u1, -as: decimal(1)}
      - {id: large, type: u8, -as: decimal(25)}
      - {id: access, type: u2, -as: flags(access)}
      - {id: guid, size: 16, -as: uuid(le)}
      - {id: source, size: 4, -as: ipv4}
      - {id: target, type: u4, -as: ipv4}
      - {id: host, size: 16, -as: ipv6}
      - {id: card, size: 6, -as: mac}
      - {id: warm, type: u2, -as: half}
      - {id: times, type: u4, -as: timestamp(s), repeat: expr, repeat-expr: 2}
      - {id: pair, type: pair}
"""
MORE = """
      - {id: maybe, type: s4, -as: decimal(3), if: tiny > 99}
      - {id: count, type: u1}
      - {id: hosts, size: 4, -as: ipv4, repeat: expr, repeat-expr: count & 3}
      - {id: choice, type: {switch-on: count & 1, cases: {0: pair, 1: bits}}}
"""
REST = """
  pair: {seq: [{id: topic, size: 16, -as: uuid}, {id: price, type: s2, -as: decimal(2)}]}
  bits: {seq: [{id: kind, type: b4}, {id: modes, type: b12, -as: flags(access)}]}
enums: {access: {1: read, 2: write, 8: run}}
"""
HEAD = "meta: {{id: {}, endian: be}}\nseq: [{{id: rows, type: row, repeat: eos}}]\ntypes:\n  row:\n    seq:"
INSTANCES = "    instances:\n      later: {value: mac_time + tiny, -as: 'timestamp(s, 1904)'}\n"
FIXED = HEAD.format("logical_fixed") + ROW + INSTANCES + REST
VARIABLE = HEAD.format("logical_variable") + ROW + MORE + INSTANCES + REST


def bytes_of(rng: random.Random, *, fixed: bool) -> bytes:
    row = rng.randrange(-(10**13), 10**14).to_bytes(8, "big", signed=True) + rng.randrange(10**17).to_bytes(8, "big")
    row += rng.randbytes(4) + rng.randrange(-(10**9), 10**11).to_bytes(8, "big", signed=True)
    tiny = rng.randrange(256)
    row += bytes([tiny]) + rng.randbytes(8 + 2 + 16 + 4 + 4 + 16 + 6)
    row += rng.randrange(0x7C00).to_bytes(2, "big") + rng.randbytes(8 + 18)
    if not fixed:
        count = rng.randrange(256)
        row += rng.randbytes(4 * (tiny > 99)) + bytes([count]) + rng.randbytes(4 * (count & 3))
        row += rng.randbytes(2 if count & 1 else 18)
    return row


@pytest.mark.parametrize("fixed", [True, False])
def test_readers_have_what_json_has(fixed: bool, tmp_path: Path) -> None:
    rng, text = random.Random(7), FIXED if fixed else VARIABLE
    declared = kformat.parse_declaration(text)
    data = b"".join(bytes_of(rng, fixed=fixed) for _ in range(700))
    scan = kformat.scan([data], declared)
    assert isinstance(fixed_of(scan._plan), Fixed) == fixed
    assert isinstance(compiled_of(scan._plan, "error"), Compiled)
    wanted = scanned(scan, with_fixed=False, with_kernels=False)
    assert len(wanted.rows) == 700 and wanted.error is None
    for way in ({}, {"with_kernels": True, "with_fixed": False}, {"with_kernels": True}):
        assert_same(scanned(scan, **way), wanted, str(way))

    file, spec = tmp_path / "x.bin", tmp_path / f"{declared.id}.ksy"
    file.write_bytes(data)
    spec.write_text(text)
    lines = list(map(json.loads, run("export", file, "--as", spec, "--format", "nl").stdout.splitlines()))
    values = kformat.to_json(kformat.parse(declared, data), instances=True)["rows"]
    for line, value in zip(lines, values, strict=True):
        if not fixed:  # a column for each case
            choice = {kind: case for kind, case in line.pop("choice").items() if case is not None}
            assert list(choice.values()) == [value.pop("choice")]
        assert line == value

    table = scan.to_arrow().combine_chunks()
    rows = pa.StructArray.from_arrays(table.to_batches()[0].columns, names=table.schema.names)
    for with_fixed in (True, False):
        built = Builder(load_type(declared).fields[0].type, with_fixed=with_fixed).build(rows)
        assert built.problem is None and b"".join(built.array.to_pylist()) == data


def test_the_arrow_types() -> None:
    schema = kformat.scan([b""], kformat.parse_declaration(FIXED)).schema
    kinds = {field.name: str(field.type) for field in schema}
    assert kinds == {
        "ms": "timestamp[ms, tz=UTC]", "unsigned": "timestamp[us, tz=UTC]", "mac_time": "timestamp[s, tz=UTC]",
        "far": "timestamp[s, tz=UTC]", "tiny": "decimal128(3, 1)", "large": "decimal128(25, 25)",
        "access": "list<item: string not null>", "guid": "extension<arrow.uuid>", "source": "string",
        "target": "string", "host": "string", "card": "string", "warm": "halffloat",
        "times": "list<item: timestamp[s, tz=UTC] not null>",
        "pair": "struct<topic: extension<arrow.uuid>, price: decimal128(5, 2)>", "later": "timestamp[s, tz=UTC]",
    }  # fmt: skip


TIMES = """
meta: {id: times, endian: be}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row: {seq: [{id: number, type: u1}, {id: at, type: u8, -as: timestamp(ns)},
              {id: other, type: s8, -as: 'timestamp(s, 1904)', repeat: expr, repeat-expr: 2}]}
"""


def test_a_time_that_arrow_does_not_have_is_wrong_in_its_row_alone() -> None:
    declared = kformat.parse_declaration(TIMES)
    far, most = -(1 << 63), (1 << 63) - 1
    rows = [(0, 5, (0, 1)), (1, 1 << 63, (0, 1)), (2, most, (0, far)), (3, (1 << 64) - 1, (0, 0)), (4, most, (most, 7))]
    data = b"".join(
        bytes([number]) + at.to_bytes(8, "big") + b"".join(item.to_bytes(8, "big", signed=True) for item in other)
        for number, at, other in rows * 40
    )
    for way in ({"with_fixed": False, "with_kernels": False}, {}, {"with_kernels": True, "with_fixed": False}):
        skipped: list[Any] = []
        scan = kformat.scan([data], declared, on_corrupt="skip", on_skipped=skipped.append)
        numbers: list[int] = []
        for batch in Scan(scan._paths, scan._plan, **scan._how | way):
            numbers += batch.column("number").to_pylist()  # datetime has none of these times
        assert numbers == [0, 4] * 40
        assert [item.position for item in skipped] == [25 * n for n in range(200) if n % 5 in (1, 2, 3)]
    with pytest.raises(InvalidError) as wrong:
        kformat.scan([data], declared).to_arrow()
    assert (wrong.value.path, wrong.value.expected) == ("times.rows[1].at", "a value that fits timestamp[ns, tz=UTC]")
    with pytest.raises(InvalidError) as wrong:
        kformat.scan([data[50:]], declared).to_arrow()
    assert wrong.value.path == "times.rows[0].other[1]"


def test_times_that_fit_by_their_epoch() -> None:
    text = "meta: {id: t, endian: be}\nseq: [{id: rows, type: row, repeat: eos}]\ntypes: {row: {seq: ["
    declared = kformat.parse_declaration(text + "{id: at, type: u8, -as: 'timestamp(ns, 1601)'}]}}")
    stored = [13_400_000_000_000_000_000, 11_644_473_600_000_000_000 - (1 << 63), (1 << 64) - 1]
    data = b"".join(number.to_bytes(8, "big") for number in stored)
    for way in ({"with_fixed": False, "with_kernels": False}, {}, {"with_kernels": True, "with_fixed": False}):
        scan = kformat.scan([data], declared)
        batches = list(Scan(scan._paths, scan._plan, **scan._how | way))
        made = [number for batch in batches for number in batch.column("at").cast("int64").to_pylist()]
        assert made == [number - 11_644_473_600_000_000_000 for number in stored]


def test_structures_of_uuids_that_are_all_null_are_built() -> None:
    declared = kformat.parse_declaration("""
        meta: {id: maybe, endian: be}
        seq: [{id: rows, type: row, repeat: eos}]
        types:
          row: {seq: [{id: n, type: u1}, {id: p, type: q, if: n > 3}]}
          q: {seq: [{id: u, size: 16, -as: uuid}]}
    """)
    table = kformat.scan([b"\1\2"], declared).to_arrow().combine_chunks()
    rows = pa.StructArray.from_arrays(table.to_batches()[0].columns, names=table.schema.names)
    built = Builder(load_type(declared).fields[0].type).build(rows)
    assert built.problem is None and built.array.to_pylist() == [b"\1", b"\2"]


NOON = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)
GUID = uuid.UUID("00112233-4455-6677-8899-aabbccddeeff")
WAYS: dict[str, tuple[str, Any, list[Any]]] = {
    "timestamps": ("u8, -as: timestamp(ms)", 1796040000000, [
        pa.array([NOON], pa.timestamp("s")), pa.array([NOON], pa.timestamp("ns", "UTC")), pa.array([1796040000000]),
        pa.array(["2026-11-30T12:00:00Z"]), pa.array(["2026-11-30 12:00"], pa.large_string()),
        pa.array(["2026-11-30T14:00:00+02:00"]).dictionary_encode(), pa.array([Decimal(1796040000000)]),
    ]),
    "decimals": ("s4, -as: decimal(2)", -150, [
        pa.array([Decimal("-1.5")]), pa.array([Decimal("-1.500")]), pa.array([-150]), pa.array(["-1.50"]),
        pa.array([Decimal("-1.5")], pa.decimal128(20, 1)),
    ]),
    "whole decimals": ("s4, -as: decimal(2)", 1200, [
        pa.array([Decimal(12)]), pa.array([Decimal(12)], pa.decimal128(20, 0)), pa.array(["12"]), pa.array([1200]),
    ]),
    "negative flags": ("s1, -as: flags(side)", -5, [pa.array([["-5"]]), pa.array([-5])]),
    "halves that are no numbers": ("u2, -as: half", 0xFE01, [
        pa.Array.from_buffers(pa.float16(), 1, [None, pa.py_buffer(b"\x01\xfe")]),
    ]),
    "halves of integers": ("u2, -as: half", 0x3C00, [pa.array([1]), pa.array([1.0])]),
    "times that no calendar has": ("s8, -as: 'timestamp(s, 1904)'", 1 << 40, [
        pa.array(["+36746-02-19T00:36:16Z"]), pa.array([(1 << 40) - 2082844800], pa.timestamp("s", "UTC")),
    ]),
    "flags": ("u1, enum: side, -as: flags", 3, [
        pa.array([["buy", "sell"]]), pa.array([["0x3"]], pa.large_list(pa.string())), pa.array([3], pa.int8()),
    ]),
    "uuids": ("{}, size: 16, -as: uuid(le)", GUID.bytes_le, [
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([GUID.bytes], pa.binary(16))), pa.array([str(GUID)]),
        pa.array([GUID.bytes_le]), pa.array([GUID.bytes_le], pa.binary(16)),
    ]),
    "halves": ("u2, -as: half", 0x3E00, [
        pa.array([1.5]), pa.array([1.5], pa.float32()), pa.array([1.5]).cast(pa.float16()),
    ]),
}  # fmt: skip


@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize("with_fixed", [True, False])
def test_columns_of_other_types_are_built(kind: str, with_fixed: bool) -> None:
    field, value, arrays = WAYS[kind]
    field = field.removeprefix("{}, ") if field.startswith("{}") else f"type: {field}"
    text = f"meta: {{id: one, endian: be}}\nseq: [{{id: x, {field}}}]\nenums: {{side: {{1: buy, 2: sell}}}}"
    declared = kformat.parse_declaration(text)
    builder = Builder(declared, with_fixed=with_fixed)
    for array in arrays:
        built = builder.build(pa.StructArray.from_arrays([array], names=["x"]))
        assert built.problem is None, array.type
        assert kformat.parse(declared, built.array[0].as_py()).x == value, array.type


REFUSED: dict[str, tuple[Any, str]] = {
    "more digits": (pa.array([NOON, NOON + datetime.timedelta(microseconds=1)]), "more digits than ms have"),
    "no time": (pa.array(["2026-11-30", "noon"]), "'noon'"),
    "a time before 0": (pa.array([0, -1]), "-1"),
    "more digits, in no calendar": (pa.array([0, 253402300800000001], pa.timestamp("us")), "more digits than ms have"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_stored_is_refused_in_its_row(case: str) -> None:
    declared = kformat.parse_declaration("meta: {id: one, endian: be}\nseq: [{id: x, type: u8, -as: timestamp(ms)}]")
    array, words = REFUSED[case]
    built = Builder(declared).build(pa.StructArray.from_arrays([array], names=["x"]))
    assert len(built.array) == 1 and built.problem is not None
    assert built.problem.path == "value.x" and words in str(built.problem)


def test_columns_that_are_no_times_are_refused() -> None:
    declared = kformat.parse_declaration("meta: {id: one, endian: be}\nseq: [{id: x, type: u8, -as: timestamp(ms)}]")
    for kind in (pa.float64(), pa.binary(), pa.date32(), pa.list_(pa.string())):
        with pytest.raises(UsageError, match=r"column value\.x: timestamp\(ms\), or what is stored, is expected"):
            Builder(declared).check(pa.struct([("x", kind)]))


def test_rules_across_rows_are_of_what_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads the rows: also a kernel, whose columns `check` looks at."""
    text = """
        meta: {id: ruled, endian: be}
        seq: [{id: rows, type: row, repeat: eos}]
        types:
          row:
            -check: [non_decreasing(at), increasing(price)]
            seq: [{id: n, type: u1}, {id: at, type: u4, -as: timestamp(s)}, {id: price, type: u4, -as: decimal(2)},
                  {id: v, size: n}]
    """
    declared = kformat.parse_declaration(text)
    rows = [bytes([40]) + number.to_bytes(4, "big") + number.to_bytes(4, "big") + bytes(40) for number in range(3000)]
    rows[2000] = bytes([0]) + bytes(8)
    for name in ("are_ready", "would_be"):
        monkeypatch.setattr(Readiness, name, lambda self, size: True)
    findings = list(kformat.check(b"".join(rows), format=declared))
    assert [(item.rule, item.path) for item in findings] == [
        ("KF1007", "ruled.rows[2000].at"), ("KF1007", "ruled.rows[2000].price")
    ]  # fmt: skip
    assert "at 1970-01-01T00:00:00Z comes after 1970-01-01T00:33:19Z" in findings[0].message


def test_stats_and_grep(tmp_path: Path) -> None:
    file, spec = tmp_path / "x.bin", tmp_path / "logical_fixed.ksy"
    spec.write_text(FIXED)
    rows = [bytes_of(random.Random(number), fixed=True) for number in range(50)]
    file.write_bytes(b"".join(rows))
    values = kformat.to_json(kformat.parse(str(spec), file.read_bytes()))["rows"]
    stats = json.loads(run("stats", file, "--as", spec, "--format", "json").stdout)
    columns = {column["column"]: column for column in stats[0]["columns"] if column["type"] != "list"}
    for name in ("ms", "mac_time", "guid", "card"):
        texts = [value[name] for value in values]
        assert (columns[name]["min"], columns[name]["max"]) == (min(texts), max(texts))
    tiny = sorted((value["tiny"] for value in values), key=Decimal)
    assert (columns["tiny"]["min"], columns["tiny"]["max"]) == (tiny[0], tiny[-1])
    warm = [value["warm"] for value in values]
    assert (columns["warm"]["min"], columns["warm"]["max"]) == (min(warm), max(warm))
    for name in ("guid", "source", "card", "ms", "mac_time"):
        found = run("grep", values[20][name], file, "--as", spec).stdout.splitlines()
        assert len(found) == 1 and "rows[20]" in found[0]
