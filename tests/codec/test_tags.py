"""Tags as attributes (`-tagged`), hidden fields (`-hidden`), and fields that say whether others are there."""

from __future__ import annotations

import copy
import json
import pickle
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import kformat
from kformat.codec.json_form import from_json, schema_of, to_json
from kformat.codec.stubs import stub
from kformat.columns.building import Builder
from kformat.columns.values import Values
from kformat.errors import BuildError
from kformat.language.declaration import parse_declaration
from kformat.language.describe import describe

OPTIONS = parse_declaration(
    """
meta: {id: packet, endian: be}
seq:
  - {id: kind, type: u1}
  - {id: count, type: u1, -hidden: true}
  - {id: options, type: option, repeat: expr, repeat-expr: count, if: kind < 9, -hidden: true}
  - {id: end, type: u1, -derive: 255}
types:
  option:
    seq:
      - {id: number, type: u1}
      - {id: data_size, type: u1, -hidden: true}
      - id: data
        size: data_size
        type: {switch-on: number, cases: {1: mtu_option, 3: name_option, 5: point_option, 7: ids_option}}
  mtu_option:
    seq: [{id: mtu, type: u2, -tagged: {tag: 1, default: 1500, before: end}}]
  name_option:
    seq: [{id: name, type: str, size-eos: true, encoding: UTF-8, -tagged: {tag: 3, default: ""}}]
  point_option:
    seq: [{id: point, type: point, -tagged: {tag: 5, default: null}}]
  point:
    seq: [{id: x, type: s1}, {id: y, type: s1}]
  ids_option:
    seq: [{id: ids, type: u1, repeat: eos, -tagged: {tag: 7, default: []}}]
""",
    "packet.ksy",
)
BARE = bytes.fromhex("0100ff")
ALL = bytes.fromhex("01040102032003026f6b050201fe0703070809ff")


def values_of(data: bytes) -> tuple[Any, ...]:
    value: Any = kformat.parse(OPTIONS, data)
    point = None if value.point is None else (value.point.x, value.point.y)
    return value.mtu, value.name, point, value.ids


@pytest.mark.parametrize(
    ("data", "values"),
    [
        (BARE, (1500, "", None, [])),
        (ALL, (800, "ok", (1, -2), [7, 8, 9])),
        (bytes.fromhex("0102 01020001 01020002 ff"), (2, "", None, [])),  # of two the last
        (bytes.fromhex("0101 0900 ff"), (1500, "", None, [])),  # one that is not known
        (bytes.fromhex("0900ff"), (1500, "", None, [])),  # no list
    ],
)
def test_what_tags_are_as_attributes(data: bytes, values: tuple[Any, ...]) -> None:
    assert values_of(data) == values
    assert kformat.build(OPTIONS, kformat.parse(OPTIONS, data)) == data


GIVEN = {"kind": 1, "mtu": 800, "name": "ok", "point": {"x": 1, "y": -2}, "ids": [7, 8, 9]}


def test_builders_take_attributes_and_leave_defaults_out() -> None:
    assert kformat.build(OPTIONS, GIVEN) == ALL == kformat.build(OPTIONS, SimpleNamespace(**GIVEN))
    assert kformat.build(OPTIONS, {"kind": 1, "mtu": 1500, "name": "", "ids": [], "point": None}) == BARE
    assert kformat.build(OPTIONS, {"kind": 1}) == BARE == kformat.build(OPTIONS, {"kind": 1, "options": []})
    unknown = {"number": 2, "data": b"?"}
    built = kformat.build(OPTIONS, {"kind": 1, "options": [unknown], "mtu": 800, "name": "ok"})
    assert built == bytes.fromhex("0103 01020320 02013f 03026f6b ff")  # by their numbers


def test_what_a_list_says_stays_unless_an_attribute_says_otherwise() -> None:
    explicit = [{"number": 1, "data": {"mtu": 1500}}]
    assert kformat.build(OPTIONS, {"kind": 1, "options": explicit, "mtu": 1500}) == bytes.fromhex("0101010205dcff")
    assert kformat.build(OPTIONS, {"kind": 1, "options": explicit, "mtu": 7}) == bytes.fromhex("010101020007ff")
    both = [{"number": 1, "data": {"mtu": 1}}, {"number": 3, "data": {"name": "n"}}]
    assert kformat.build(OPTIONS, {"kind": 1, "options": both, "mtu": 1500}) == bytes.fromhex("010103016eff")


def test_attributes_are_set() -> None:
    value: Any = kformat.parse(OPTIONS, BARE)
    value.name, value.mtu = "ok", 800
    value.point, value.ids = {"x": 1, "y": -2}, [7, 8, 9]
    assert kformat.build(OPTIONS, value) == ALL
    value.mtu = 1500
    assert [option.number for option in value.options] == [3, 5, 7]
    value.name = "no"
    assert kformat.build(OPTIONS, value) == bytes.fromhex("010303026e6f050201fe0703070809ff")
    value.name, value.point, value.ids = "", None, []
    assert kformat.build(OPTIONS, value) == BARE
    with pytest.raises(AttributeError, match="packet has no field 'mtuu'; did you mean 'mtu'"):
        value.mtuu = 1
    without: Any = kformat.parse(OPTIONS, bytes.fromhex("0900ff"))
    without.mtu = 7
    with pytest.raises(BuildError, match=r"packet.options: must be null, since kind < 9 is false"):
        kformat.build(OPTIONS, without)


def test_copies_and_pickles_have_them() -> None:
    value: Any = kformat.parse(OPTIONS, ALL)
    for other in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert other == value and other.mtu == 800
        other.mtu = 1
        assert value.mtu == 800 and other != value
    made: Any = type(value)(mtu=3, kind=1)
    assert made.mtu == 3 and kformat.build(OPTIONS, made) == bytes.fromhex("010101020003ff")


def test_json_has_attributes_and_no_lists_that_say_nothing_else() -> None:
    value = kformat.parse(OPTIONS, ALL)
    assert to_json(value) == {
        "kind": 1,
        "mtu": 800,
        "end": 255,
        "name": "ok",
        "point": {"x": 1, "y": -2},
        "ids": [7, 8, 9],
    }
    assert to_json(kformat.parse(OPTIONS, BARE)) == {
        "kind": 1, "mtu": 1500, "end": 255, "name": "", "point": None, "ids": []
    }  # fmt: skip
    for text in ("0101 0900 ff", "0102 01020001 01020002 ff", "0101010205dcff", "0102 03016e 01020001 ff"):
        data = bytes.fromhex(text)
        shown = json.loads(json.dumps(to_json(kformat.parse(OPTIONS, data))))
        assert "options" in shown
        assert kformat.build(OPTIONS, from_json(OPTIONS, shown)) == data


def test_columns_are_attributes_whoever_reads_them() -> None:
    datas = [
        BARE,
        ALL,
        bytes.fromhex("0102 01020001 01020002 ff"),
        bytes.fromhex("0101 0900 ff"),
        bytes.fromhex("09ff"),
    ]
    array = pa.array(datas, pa.binary())
    readers = [Values(OPTIONS, with_kernels=False), Values(OPTIONS, with_kernels=True)]
    tables = [pa.concat_arrays([part.array for part in reader.parse(array)]) for reader in readers]
    assert [field.name for field in tables[0].type] == ["kind", "mtu", "end", "name", "point", "ids"]
    assert tables[0].equals(tables[1])
    assert tables[0].field("mtu").to_pylist()[:4] == [1500, 800, 2, 1500]
    built = Builder(OPTIONS).build(tables[0].slice(0, 2)).array
    assert built.to_pylist() == [BARE, ALL]
    (mtu, x, numbers) = next(Values(OPTIONS, ["mtu", "point.x", "options.number"]).parse(array)).array.flatten()
    assert mtu.to_pylist()[1] == 800 and x.to_pylist()[:2] == [None, 1] and numbers.to_pylist()[1] == [1, 3, 5, 7]


def test_people_and_editors_see_them() -> None:
    text = str(describe(OPTIONS))
    assert "tag 1, else 1500" in text and "tag 5, else null" in text and "tag 7, else []" in text
    lines = stub(OPTIONS).splitlines()
    assert "    mtu: _B.int" in lines and "    point: Point | None" in lines and "    ids: _B.list[_B.int]" in lines
    properties = schema_of(OPTIONS)["$defs"]["packet"]["properties"]
    assert properties["mtu"]["default"] == 1500 and properties["ids"]["default"] == []


PRESENCE = parse_declaration(
    """
meta: {id: maybe, endian: be}
seq:
  - {id: version, type: u1}
  - {id: has_key, type: s1, if: version >= 1, -hidden: true, -derive: {presence-of: key, present: 1, absent: -1}}
  - {id: key, type: u2, if: version >= 1 and has_key >= 0}
""",
    "maybe.ksy",
)


@pytest.mark.parametrize(
    ("given", "data"),
    [
        ({"version": 1, "key": 5}, "01010005"),
        ({"version": 1, "key": None}, "01ff"),
        ({"version": 1}, "01ff"),
        ({"version": 1, "has_key": 3, "key": 5}, "01030005"),
        ({"version": 1, "has_key": 3}, "01ff"),
        ({"version": 0}, "00"),
    ],
)
def test_presence_follows_from_what_is_given(given: dict[str, Any], data: str) -> None:
    assert kformat.build(PRESENCE, given).hex() == data
    value: Any = kformat.parse(PRESENCE, bytes.fromhex(data))
    assert kformat.build(PRESENCE, value).hex() == data
    assert to_json(value) == {"version": value.version, "key": value.key}
    value.key = None
    assert kformat.build(PRESENCE, value).hex() == ("00" if value.version == 0 else "01ff")


def test_presence_of_what_may_not_be_there() -> None:
    with pytest.raises(
        BuildError, match=r"maybe.key: must be null, since \(version >= 1\) and \(has_key >= 0\) is false"
    ):
        kformat.build(PRESENCE, {"version": 0, "key": 5})
