"""What stored integers and bytes mean (``-as``), as text and numbers that JSON can hold, and back.

    timestamp   text as in RFC 3339, in UTC, with the digits of its unit: 2026-11-30T04:15:00.123Z
    decimal     text with its decimal places: 12.50
    flags       a list of names, of the members that are one bit, and the other bits as one number: [read, 0x40]
    uuid        as in RFC 9562; of ``uuid(le)`` the first three parts are little-endian, as in Windows' GUID
    ipv4, ipv6  as in RFC 791 and RFC 5952; mac: six pairs of digits with colons
    half        the number of 16 bits, IEEE 754

What has no such form stays what is stored: a timestamp outside the years 1 to 9999, flags that are negative.
"""

from __future__ import annotations

import datetime
import ipaddress
import re
import uuid
from decimal import Decimal
from typing import Any, Final

import numpy as np

from kformat.language.mark import nearest
from kformat.language.steps import UNITS, Enum, LogicalType

_EPOCH: Final = datetime.datetime(1970, 1, 1)
_FIRST, _LAST = -62_135_596_800, 253_402_300_799
"""The first and the last second of the years 1 to 9999."""
_TIME: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?\s?([Zz]|[+-]\d\d:\d\d)?)?", re.ASCII
)
_DECIMAL: Final = re.compile(r"([+-]?)(\d{0,40})(?:\.(\d{0,40}))?", re.ASCII)
_DIGITS: Final = re.compile(r"-?\d{1,20}", re.ASCII)
_NUMBER: Final = re.compile(r"0x[0-9a-fA-F]{1,16}|\d{1,20}", re.ASCII)
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_MAC: Final = re.compile(r"[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}", re.ASCII | re.IGNORECASE)
_SIZES: Final = {"uuid": 16, "ipv4": 4, "ipv6": 16, "mac": 6}

EXPECTED: Final = {
    "timestamp": "a time as 2026-11-30T04:15:00Z, or the integer that is stored",
    "decimal": "a decimal number as text, or the integer that is stored",
    "flags": "a list of names, or the integer that is stored",
    "uuid": "a UUID",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
    "mac": "a MAC address",
    "half": "a number",
}
"""What errors say that a value may be."""


def readable(logical: LogicalType, value: Any) -> Any:
    """A stored integer, or stored bytes, as text, a list of texts, or a float; as they are where there is no such form.

    Bytes of another length than declared stay bytes.
    """
    if isinstance(value, bytes):
        return _text_of_bytes(logical, value) if len(value) == _SIZES.get(logical.name) else value
    value = int(value)
    match logical.name:
        case "timestamp":
            return _time_text(logical, value)
        case "decimal":
            sign, digits = "-" * (value < 0), str(abs(value)).zfill(logical.scale + 1)
            at = len(digits) - logical.scale
            return f"{sign}{digits[:at]}" + f".{digits[at:]}" * (logical.scale > 0)
        case "flags" if value >= 0 and logical.members is not None:
            return _flag_names(logical.members, value)
        case "ipv4" if 0 <= value < 1 << 32:
            return str(ipaddress.IPv4Address(value))
        case "half" if 0 <= value < 1 << 16:
            return _half(value)
    return value


def _text_of_bytes(logical: LogicalType, data: bytes) -> str:
    match logical.name:
        case "uuid":
            return str(uuid.UUID(bytes_le=data) if logical.little_endian else uuid.UUID(bytes=data))
        case "mac":
            return data.hex(":")
    return str(ipaddress.ip_address(data))


def _time_text(logical: LogicalType, value: int) -> Any:
    per_second = UNITS[logical.unit]
    seconds, rest = divmod(value + logical.epoch, per_second)
    if not _FIRST <= seconds <= _LAST:
        return value
    digits = len(str(per_second)) - 1
    fraction = f".{rest:0{digits}}" if digits else ""
    return f"{(_EPOCH + datetime.timedelta(seconds=seconds)).isoformat()}{fraction}Z"


def _flag_names(members: Enum, value: int) -> list[str]:
    """The names of the bits of a number that is not negative, from the lowest on; what has none as one number."""
    names, rest = [], value
    for number in sorted(members.members):
        if number > 0 and number & (number - 1) == 0 and rest & number:
            names.append(members.members[number])
            rest ^= number
    return [*names, hex(rest)] if rest else names


def meaning_words(logical: LogicalType, value: Any) -> str | None:
    """A stored value, or a list of them, as people read it: what it means, and the integer; None if it means nothing.

    `dump` and `dump --hex` have it.
    """
    if isinstance(value, list):
        words = [meaning_words(logical, item) for item in value]
        return None if None in words else f"[{', '.join(filter(None, words))}]"
    if not isinstance(value, int | bytes):
        return None
    meaning = readable(logical, value)
    if isinstance(meaning, int | bytes):
        return None
    text = f"[{', '.join(meaning)}]" if isinstance(meaning, list) else str(meaning)
    return text if isinstance(value, bytes) else f"{text} ({int(value)})"


def written_of(value: Any) -> Any:
    """The form of `readable` of a datetime with a time zone, a Decimal, a UUID, an address, or a tuple of names; other
    values as they are. Raises ValueError for a datetime without a time zone.
    """
    match value:
        case datetime.datetime(tzinfo=None):
            raise ValueError("a datetime without a time zone")
        case datetime.datetime():
            return value.isoformat()
        case Decimal():
            return f"{value:f}"
        case tuple() | set() | frozenset():
            return list(value)
    return str(value) if type(value).__module__ in ("uuid", "ipaddress") else value


def _half(value: int) -> float:
    exponent, fraction = value >> 10 & 0x1F, value & 0x3FF
    size = float(fraction) if exponent == 0 else float(fraction + 1024) * 2.0 ** (exponent - 1)
    if exponent == 0x1F:
        size = float("nan" if fraction else "inf")
        return -size if value >> 15 else size
    return (-size if value >> 15 else size) * 2.0**-24


def stored(logical: LogicalType, written: Any, *, in_bytes: bool) -> Any:
    """The inverse of `readable`: the integer, or with ``in_bytes`` the bytes, for text, a list of texts, or a number.

    Text may have another form: a time its own offset from UTC, fewer digits, a blank for the T, or no time of day;
    flags any of the enum's names. An integer is what is stored, but of a half. Raises ValueError, with what is wrong.
    """
    match logical.name, written:
        case _, bool():
            raise ValueError("true or false")
        case "half", int() | float():
            return _stored_half(float(written))
        case "half", "NaN" | "Infinity" | "-Infinity":
            return _stored_half(float(written))
        case _, int():
            return written
        case "timestamp", str():
            return int(written) if _DIGITS.fullmatch(written) else _stored_time(logical, written)
        case "decimal", str():
            return _stored_decimal(logical, written)
        case "flags", str() | list():
            return _stored_flags(logical, [written] if isinstance(written, str) else written)
        case "uuid" | "ipv4" | "ipv6" | "mac", str():
            if not in_bytes:  # an IPv4 address is the one that may be an integer
                return int(ipaddress.IPv4Address(written.strip()))
            return _stored_bytes(logical, written.strip())
    raise ValueError(f"{type(written).__name__} {written!r:.40}")


def _stored_time(logical: LogicalType, text: str) -> int:
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r:.40}")
    day, time, fraction, zone = match.groups()
    moment = datetime.datetime.fromisoformat(f"{day}T{time or '00:00'}")
    seconds = (moment - _EPOCH) // datetime.timedelta(seconds=1)
    if zone and zone not in "Zz":
        hours, minutes = int(zone[1:3]), int(zone[4:6])
        if hours > 23 or minutes > 59:
            raise ValueError(f"{text!r:.40}")
        seconds -= (1 if zone[0] == "+" else -1) * (hours * 3600 + minutes * 60)
    per_second = UNITS[logical.unit]
    rest, more = divmod(int((fraction or "0").ljust(9, "0")) * per_second, UNITS["ns"])
    if more:
        raise ValueError(f"more digits than {logical.unit} have: {text!r:.40}")
    return seconds * per_second + rest - logical.epoch


def _stored_decimal(logical: LogicalType, text: str) -> int:
    match = _DECIMAL.fullmatch(text.strip())
    if match is None or not (match[2] or match[3]):
        raise ValueError(f"{text!r:.40}")
    places = match[3] or ""
    if places[logical.scale :].strip("0"):
        raise ValueError(f"more than {logical.scale} decimal places: {text!r:.40}")
    number = int((match[2] or "0") + places[: logical.scale].ljust(logical.scale, "0"))
    return -number if match[1] == "-" else number


def _stored_flags(logical: LogicalType, names: list[Any]) -> int:
    assert logical.members is not None
    numbers = {name: number for number, name in reversed(logical.members.members.items())}
    value = 0
    for name in names:
        if isinstance(name, str) and name in numbers:
            value |= numbers[name]
        elif isinstance(name, str) and _NUMBER.fullmatch(name):
            value |= int(name, 0 if name.startswith("0x") else 10)
        else:
            raise ValueError(f"no name of this enum{nearest(str(name), tuple(numbers))}: {name!r:.40}")
    return value


def _stored_bytes(logical: LogicalType, text: str) -> bytes:
    match logical.name:
        case "uuid" if _UUID.fullmatch(text):
            made = uuid.UUID(text)
            return made.bytes_le if logical.little_endian else made.bytes
        case "mac" if _MAC.fullmatch(text):
            return bytes.fromhex(text.replace("-", "").replace(":", ""))
        case "ipv4":
            return ipaddress.IPv4Address(text).packed
        case "ipv6" if "%" not in text:  # a scope is not in the bytes
            return ipaddress.IPv6Address(text).packed
    raise ValueError(f"{text!r:.40}")


def _stored_half(number: float) -> int:
    with np.errstate(over="ignore"):
        made = np.float16(number)  # rounds to the nearest one
    if np.isinf(made) and abs(number) != float("inf"):
        raise ValueError(f"{number!r:.40}, which is too large for 16 bits")
    return int(made.view(np.uint16))


__all__ = ["EXPECTED", "meaning_words", "readable", "stored", "written_of"]
