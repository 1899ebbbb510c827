"""Logical types (``-as``): what stored numbers and bytes mean in JSON, in a builder's input, and in `dump`; the judges
are Python's own datetime, decimal, uuid, ipaddress, and numpy's halves.
"""

from __future__ import annotations

import datetime
import ipaddress
import itertools
import json
import random
import re
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import jsonschema
import numpy as np
import pytest

import kformat
from kformat.errors import BuildError
from tests.language.test_views import run

SPEC = """
meta: {id: every, endian: be}
seq:
  - {id: ms, type: s8, -as: timestamp(ms)}
  - {id: mac_time, type: u4le, -as: 'timestamp(s, 1904)'}
  - {id: us, type: u8, -as: 'timestamp(us, 1601-01-01)'}
  - {id: ns, type: s8, -as: timestamp(ns)}
  - {id: price, type: s4, -as: decimal(2)}
  - {id: large, type: u8, -as: decimal(19)}
  - {id: whole, type: u2, -as: decimal(0)}
  - {id: access, type: u2, -as: flags(access)}
  - {id: named, type: u1, enum: access, -as: flags}
  - {id: guid, size: 16, -as: uuid(le)}
  - {id: topic, size: 16, -as: uuid}
  - {id: source, size: 4, -as: ipv4}
  - {id: target, type: u4le, -as: ipv4}
  - {id: host, size: 16, -as: ipv6}
  - {id: card, size: 6, -as: mac}
  - {id: warm, type: u2, -as: half}
  - {id: times, type: u4, -as: timestamp(s), repeat: expr, repeat-expr: 2}
  - {id: maybe, type: u4, -as: decimal(3), if: whole > 9}
  - {id: bits, type: bits}
types:
  bits: {seq: [{id: kind, type: b4}, {id: modes, type: b4, -as: flags(access)}]}
instances:
  later: {value: mac_time + 10, -as: 'timestamp(s, 1904)'}
  first: {pos: 0, type: s8, -as: timestamp(ms)}
enums:
  access: {0: none, 1: read, 2: write, 3: both, 8: run}
"""
EVERY = kformat.parse_declaration(SPEC)
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
NAMES = {1: "read", 2: "write", 8: "run"}


def drawn(rng: random.Random) -> bytes:
    """Bytes of a value, all times in the years that datetime has."""
    whole = rng.choice((3, 12, 65535))
    numbers: list[tuple[int, int, bool, Literal['big', 'little']]] = [
        (rng.randrange(-(10**13), 10**13), 8, True, "big"), (rng.randrange(1 << 32), 4, False, "little"),
        (rng.randrange(10**16), 8, False, "big"), (rng.randrange(-(1 << 63), 1 << 63), 8, True, "big"),
        (rng.randrange(-(10**6), 10**6), 4, True, "big"), (rng.randrange(1 << 64), 8, False, "big"),
        (whole, 2, False, "big"), (rng.randrange(1 << 16), 2, False, "big"), (rng.randrange(1 << 8), 1, False, "big"),
    ]  # fmt: skip
    data = b"".join(number.to_bytes(size, order, signed=signed) for number, size, signed, order in numbers)
    data += rng.randbytes(16 + 16 + 4 + 4 + 16 + 6)
    half = rng.choice((rng.randrange(0x7C00), 0x8000 | rng.randrange(0x7C00), 0x7C00, 0xFC00, 0x7E00))
    return data + half.to_bytes(2, "big") + rng.randbytes(8 + 4 * (whole > 9) + 1)


def flags(value: int) -> list[str]:
    rest = value & ~11
    return [*(name for bit, name in NAMES.items() if value & bit), *([hex(rest)] if rest else [])]


def meanings(value: Any) -> dict[str, Any]:
    """What a value's fields mean, by other code."""

    def time(moment: datetime.datetime, digits: int) -> str:
        text = moment.strftime("%Y-%m-%dT%H:%M:%S.%f").rjust(26, "0")
        return (text[: 20 + digits] if digits else text[:19]) + "Z"

    mac_epoch, far_epoch = (datetime.datetime(year, 1, 1, tzinfo=datetime.UTC) for year in (1904, 1601))
    seconds, nanoseconds = divmod(value.ns, 10**9)
    half = float(np.uint16(value.warm).view(np.float16))
    return {
        "ms": time(EPOCH + datetime.timedelta(milliseconds=value.ms), 3),
        "mac_time": time(mac_epoch + datetime.timedelta(seconds=value.mac_time), 0),
        "us": time(far_epoch + datetime.timedelta(microseconds=value.us), 6),
        "ns": f"{time(EPOCH + datetime.timedelta(seconds=seconds), 0)[:-1]}.{nanoseconds:09}Z",
        "price": str(Decimal(value.price).scaleb(-2)),
        "large": f"{Decimal(value.large).scaleb(-19):f}",
        "whole": str(value.whole),
        "access": flags(value.access),
        "named": flags(value.named),
        "guid": str(uuid.UUID(bytes_le=value.guid)),
        "topic": str(uuid.UUID(bytes=value.topic)),
        "source": str(ipaddress.IPv4Address(value.source)),
        "target": str(ipaddress.IPv4Address(value.target)),
        "host": str(ipaddress.IPv6Address(value.host)),
        "card": ":".join(f"{byte:02x}" for byte in value.card),
        "warm": "NaN" if half != half else half if abs(half) < 1e6 else "Infinity" if half > 0 else "-Infinity",
        "times": [time(EPOCH + datetime.timedelta(seconds=item), 0) for item in value.times],
        "maybe": None if value.maybe is None else f"{Decimal(value.maybe).scaleb(-3):.3f}",
        "bits": {"kind": value.bits.kind, "modes": flags(value.bits.modes)},
        "later": time(mac_epoch + datetime.timedelta(seconds=value.mac_time + 10), 0),
        "first": time(EPOCH + datetime.timedelta(milliseconds=value.ms), 3),
    }


def test_json_has_what_values_mean_and_builds_them() -> None:
    rng, schema = random.Random(43), kformat.json_schema(EVERY)
    for number in range(300):
        data = drawn(rng)
        value = kformat.parse(EVERY, data)
        found = kformat.to_json(value, instances=True)
        assert found == meanings(value)
        read = json.loads(json.dumps(found))
        assert kformat.build(EVERY, kformat.from_json(EVERY, read)) == data
        assert kformat.build(EVERY, read | {"warm": value.warm}) == data
        if number < 20:
            jsonschema.validate(read, schema)
        numbers = {name: getattr(value, name) for name in ("ms", "price", "access", "target", "times")}
        assert kformat.build(EVERY, kformat.from_json(EVERY, read | numbers)) == data


def test_values_stay_what_is_stored() -> None:
    """They are those without ``-as``, and so Kaitai's."""
    plain = kformat.parse_declaration(re.sub(r", -as: ('[^']*'|[^,}]*)", "", SPEC))
    data = drawn(random.Random(1))
    found = kformat.parse(EVERY, data)
    assert "-as" not in plain.text and found._asdict() == kformat.parse(plain, data)._asdict()
    assert type(found.ms) is int and type(found.guid) is bytes


BUILT = {
    "ms": ("2026-11-30T04:15:00.123Z", "2026-11-30 06:15:00.123+02:00", "2026-11-30T04:15:00.123000000"),
    "mac_time": ("2026-11-30", "2026-11-30T00:00", "2026-11-30T00:00:00Z", "2026-11-29T22:30:00-01:30"),
    "price": ("-12.5", "-12.50", "-012.500", Decimal("-12.5")),
    "large": (".0000000000000000001", Decimal("1E-19"), 1),
    "access": (["read", "run"], ["run", "read"], ["9"], ["0x8", "read"], ("run", "read")),
    "named": (["both"], ["read", "write"], "both", 3),
    "guid": ("00112233-4455-6677-8899-aabbccddeeff", uuid.UUID("00112233-4455-6677-8899-aabbccddeeff"),
             bytes.fromhex("33221100554477668899aabbccddeeff")),
    "source": ("10.0.0.1", ipaddress.ip_address("10.0.0.1"), b"\n\0\0\1"),
    "target": ("10.0.0.1", ipaddress.ip_address("10.0.0.1"), 0x0A000001),
    "host": ("2001:db8::1", "2001:0DB8:0:0:0:0:0:1", ipaddress.ip_address("2001:db8::1")),
    "card": ("aa:bb:cc:00:11:22", "AA-BB-CC-00-11-22", bytes.fromhex("aabbcc001122")),
    "warm": (1.5, 0x3E00),
    "times": (["2026-11-30", "1970-01-01T00:00:01Z"], [1795996800, 1]),
}  # fmt: skip


@pytest.mark.parametrize("field", BUILT)
def test_ways_to_write_one_value(field: str) -> None:
    value = kformat.parse(EVERY, drawn(random.Random(2)))
    made = set()
    for written in BUILT[field]:
        setattr(value, field, written)
        made.add(kformat.build(EVERY, value))
    assert len(made) == 1


def test_datetimes_are_built() -> None:
    value = kformat.parse(EVERY, drawn(random.Random(2)))
    value.ms = datetime.datetime(2026, 11, 30, 4, 15, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    assert kformat.to_json(kformat.parse(EVERY, kformat.build(EVERY, value)))["ms"] == "2026-11-30T02:15:00.000Z"


REFUSED = {
    "ms": ("2026-11-30T04:15:00.1234Z", "yesterday", "2026-02-30", "20261130", "2026-11-30T04:15.5Z", "+2026-1-1",
           "2026-13-01", "2026-11-30T25:00:00Z", "2026-11-30T04:15+99:00",
           datetime.datetime(2026, 11, 30), 1.5, ["2026-11-30"]),
    "price": ("1.234", "", ".", "1e3", "nan", "1,5", 1.5),
    "access": (["readd"], [1], "0x", {"read": True}),
    "guid": ("0011", "{00112233-4455-6677-8899-aabbccddeeff}", 1.5),
    "source": ("10.0.0.256", "10.0.0", "::1", "010.0.0.1", 1.5),
    "host": ("fe80::1%eth0", "10.0.0.1", "1::2::3"),
    "card": ("aa:bb:cc:00:11", "aabbcc001122"),
    "warm": ("warm", 1e6),
    "times": (["2026-11-30", "no"],),
}  # fmt: skip


@pytest.mark.parametrize("field", REFUSED)
def test_what_is_no_such_value_is_refused_with_its_path(field: str) -> None:
    value = kformat.parse(EVERY, drawn(random.Random(2)))
    whole = kformat.to_json(value)
    for written in REFUSED[field]:
        setattr(value, field, written)
        path = f"every.{field}" + "[1]" * (field == "times")
        with pytest.raises(BuildError) as refused:
            kformat.build(EVERY, value)
        assert refused.value.path == path, written
        if not isinstance(written, datetime.datetime):
            with pytest.raises(BuildError) as refused:
                kformat.build(EVERY, kformat.from_json(EVERY, whole | {field: written}))
            assert refused.value.path == path, written


FAR = kformat.parse_declaration("""
    meta: {id: far, endian: be}
    seq:
      - {id: time, type: s8, -as: timestamp(s)}
      - {id: other, type: u8, -as: 'timestamp(ms, 1904)'}
      - {id: signed, type: s1, -as: flags(bit)}
    enums: {bit: {1: one}}
""")


def test_times_outside_the_calendar_have_years_with_a_sign() -> None:
    most = (1 << 63) - 1
    for time, shown in ((253402300799, "9999-12-31T23:59:59Z"), (253402300800, "+10000-01-01T00:00:00Z"),
                        (-62135596800, "0001-01-01T00:00:00Z"), (-62135596801, "0000-12-31T23:59:59Z"),
                        (-62167219201, "-0001-12-31T23:59:59Z"), (most, f"+{np.datetime64(most, 's')}Z"),
                        (-most - 1, None), (0, "1970-01-01T00:00:00Z")):  # fmt: skip
        data = time.to_bytes(8, "big", signed=True) + bytes([0 if time < 0 else 255]) * 8 + b"\xfe"
        found = kformat.to_json(kformat.parse(FAR, data))
        assert shown is None or found["time"] == shown
        assert found["signed"] == -2
        assert kformat.build(FAR, kformat.from_json(FAR, found)) == data
        strings = kformat.to_json(kformat.parse(FAR, data), int64_as_strings=True)
        assert kformat.build(FAR, kformat.from_json(FAR, strings)) == data
        if time >= -62167219200:
            assert found["time"].lstrip("+") == f"{np.datetime64(time, 's')}Z"


def test_the_case_of_a_switch_says_what_its_text_means() -> None:
    """Not another one, in which the text means something, too."""
    spec = kformat.parse_declaration("""
        meta: {id: cases, endian: be}
        seq: [{id: k, type: u1}, {id: b, type: {switch-on: k, cases: {1: a, 2: c}}}]
        types:
          a: {seq: [{id: x, type: u8, -as: timestamp(s)}]}
          c: {seq: [{id: x, type: u8, -as: timestamp(ms)}]}
    """)
    given = {"k": 1, "b": {"x": "2026-11-30T12:00:00.5Z"}}
    with pytest.raises(BuildError) as refused:
        kformat.build(spec, kformat.from_json(spec, given))
    assert refused.value.path == "cases.b.x"
    made = kformat.build(spec, kformat.from_json(spec, given | {"k": 2}))
    assert int.from_bytes(made[1:], "big") == 1796040000500


def test_an_ipv6_address_that_is_one_of_ipv4() -> None:
    spec = kformat.parse_declaration("meta: {id: a}\nseq: [{id: host, size: 16, -as: ipv6}]")
    value = kformat.parse(spec, bytes(10) + b"\xff\xff\xc0\0\2\7")
    assert kformat.to_json(value) == {"host": "::ffff:192.0.2.7"}
    assert kformat.build(spec, {"host": "::ffff:192.0.2.7"}) == kformat.build(spec, value)


def test_lists_and_hostile_values_are_bounded() -> None:
    spec = kformat.parse_declaration("""
        meta: {id: many, endian: be}
        seq: [{id: n, type: u1}, {id: l, type: u1, -as: decimal(1), repeat: expr, repeat-expr: n}]
        instances: {more: {value: '[n, 15]', -as: decimal(1)}}
    """)
    for values in (itertools.repeat("0.1"), range(10**12)):
        with pytest.raises(BuildError):
            kformat.build(spec, {"l": values})
    value = kformat.parse(spec, kformat.build(spec, {"l": ["0.1", Decimal("2.5"), 7]}))
    assert kformat.to_json(value, instances=True) == {"n": 3, "l": ["0.1", "2.5", "0.7"], "more": ["0.3", "1.5"]}
    for hostile in (Decimal("1E+99999999999"), Decimal("1E-99999999999"), Decimal("NaN"), "9" * 200):
        with pytest.raises(BuildError):
            kformat.build(spec, {"l": [hostile]})
    half = kformat.parse_declaration("meta: {id: h, endian: be}\nseq: [{id: x, type: u2, -as: half}]")
    with pytest.raises(BuildError):
        kformat.from_json(half, {"x": 10**400})
    assert kformat.build(half, {"x": np.float32(1.5)}) == b"\x3e\0"


def test_dump_and_describe_say_what_values_mean(tmp_path: Path) -> None:
    file, spec = tmp_path / "x.bin", tmp_path / "every.ksy"
    spec.write_text(SPEC)
    value = kformat.parse(EVERY, drawn(random.Random(2)))
    value.ms, value.price, value.access, value.source = 1795996800123, -1250, 9, b"\n\0\0\1"
    file.write_bytes(kformat.build(EVERY, value))
    tree = run("dump", file, "--as", spec).stdout
    for line in ("ms: 2026-11-30T00:00:00.123Z (1795996800123)", "price: -12.50 (-1250)", "access: [read, run] (9)",
                 "source: 10.0.0.1", "first = 2026-11-30T00:00:00.123Z (1795996800123)"):  # fmt: skip
        assert f"\n  {line}\n" in tree or f"\n{line}\n" in tree
    lines = run("dump", file, "--hex", "--as", spec).stdout.splitlines()
    assert sum(line.split()[3:] == ["access", "[read,", "run]", "(9)"] for line in lines) == 1
    assert any(line.endswith("10.0.0.1") for line in lines)
    described = run("describe", spec).stdout
    for words in ("as timestamp(s, 1904-01-01)", "as decimal(2)", "as flags(access)", "as uuid(le)", "as half"):
        assert words in described
