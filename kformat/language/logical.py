"""What stored integers and bytes mean (``-as``), as text and numbers that JSON can hold, and back.

    timestamp   text as in RFC 3339, in UTC, with the digits of its unit: 2026-11-30T04:15:00.123Z; years outside 0 to
                9999 with a sign, as in ISO 8601: +12026-11-30T04:15:00Z, -0001-01-01T00:00:00Z
    decimal     text with its decimal places: 12.50
    flags       a list of names, of the members that are one bit, and the other bits as one number: [read, 0x40]
    bool        false for 0, true for 1; other numbers stay numbers, and count as true in columns
    uuid        as in RFC 9562; of ``uuid(le)`` the first three parts are little-endian, as in Windows' GUID; that of
                ``uuid(base64)`` is 22 characters of the URL-safe alphabet (RFC 4648)
    ipv4, ipv6  as in RFC 791 and RFC 5952; mac: six pairs of digits with colons
    half        the number of 16 bits, IEEE 754

Flags that are negative have no such form, and stay what is stored.
"""

from __future__ import annotations

import base64
import datetime
import ipaddress
import re
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, TypeVar

import numpy as np

from kformat.language.mark import nearest
from kformat.language.steps import UNITS, LogicalType

Address = TypeVar("Address", ipaddress.IPv4Address, ipaddress.IPv6Address)

_EPOCH: Final = datetime.date(1970, 1, 1).toordinal()
_DAY, _CYCLE = 86_400, 146_097
"""Seconds of a day; days of 400 years, in which the calendar comes again."""
_TIME: Final = re.compile(
    r"([+-]\d{4,12}|\d{4})-(\d\d)-(\d\d)"
    r"(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?\s?(?:[Zz]|([+-])(\d\d):(\d\d))?)?",
    re.ASCII,
)
_DECIMAL: Final = re.compile(r"([+-]?)(\d{0,40})(?:\.(\d{0,40}))?", re.ASCII)
_MOST_DIGITS: Final = 60
_NUMBER: Final = re.compile(r"0x[0-9a-fA-F]{1,16}|-?\d{1,20}", re.ASCII)
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_BASE64: Final = re.compile(r"[0-9A-Za-z_-]{21}[AQgw]", re.ASCII)
_MAC: Final = re.compile(r"[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}", re.ASCII | re.IGNORECASE)
SIZES: Final = {"uuid": 16, "ipv4": 4, "ipv6": 16, "mac": 6}
"""Those of bytes -> how many."""

EXPECTED: Final = {
    "timestamp": "a time as 2026-11-30T04:15:00Z, or the integer that is stored",
    "decimal": "a decimal number as text, or the integer that is stored",
    "flags": "a list of names, or the integer that is stored",
    "bool": "true or false, or the integer that is stored",
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
        return _text_of_bytes(logical, value) if len(value) == SIZES.get(logical.name) else value
    value = int(value)
    match logical.name:
        case "timestamp":
            return _time_text(logical, value)
        case "decimal":
            sign, digits = "-" * (value < 0), str(abs(value)).zfill(logical.scale + 1)
            at = len(digits) - logical.scale
            return f"{sign}{digits[:at]}" + f".{digits[at:]}" * (logical.scale > 0)
        case "flags" if value >= 0:
            return _flag_names(logical, value)
        case "bool" if value in (0, 1):
            return bool(value)
        case "ipv4" if 0 <= value < 1 << 32:
            return str(ipaddress.IPv4Address(value))
        case "half" if 0 <= value < 1 << 16:
            return _half(value)
    return value


def is_stored(meaning: Any) -> bool:
    """Whether what `readable` gave is what is stored, since there is no other form."""
    return isinstance(meaning, int | bytes) and not isinstance(meaning, bool)


def uuid_text(data: bytes) -> str:
    """16 bytes as `uuid(base64)` has them: 22 characters of the URL-safe alphabet (RFC 4648)."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _text_of_bytes(logical: LogicalType, data: bytes) -> str:
    match logical.name:
        case "uuid" if logical.base64:
            return uuid_text(data)
        case "uuid":
            return str(uuid.UUID(bytes_le=data) if logical.little_endian else uuid.UUID(bytes=data))
        case "mac":
            return data.hex(":")
    address = ipaddress.ip_address(data)
    mapped = getattr(address, "ipv4_mapped", None)  # Python 3.13 writes it so
    return str(address) if mapped is None else f"::ffff:{mapped}"


def _time_text(logical: LogicalType, value: int) -> str:
    per_second = UNITS[logical.unit]
    seconds, rest = divmod(value + logical.epoch, per_second)
    days, second = divmod(seconds, _DAY)
    cycles, day = divmod(days + _EPOCH - 1, _CYCLE)
    date = datetime.date.fromordinal(day + 1)
    year = date.year + 400 * cycles
    shown = f"{year:04}" if 0 <= year <= 9999 else f"{year:+05}"
    digits = len(str(per_second)) - 1
    fraction = f".{rest:0{digits}}" if digits else ""
    time = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    return f"{shown}-{date.month:02}-{date.day:02}T{time}{fraction}Z"


def _flag_names(logical: LogicalType, value: int) -> list[str]:
    """The names of the bits of a number that is not negative, from the lowest on; what has none as one number."""
    names, rest = [], value
    for number, name in logical.bits:
        if rest & number:
            names.append(name)
            rest ^= number
    return [*names, hex(rest)] if rest else names


def meaning_words(logical: LogicalType, value: Any, most: int) -> str | None:
    """A stored value, or a list of them, as people read it: what it means, and the integer; None if it means nothing.
    Of a list with more elements than ``most`` only the first.

    `dump` and `dump --hex` have it.
    """
    if isinstance(value, list):
        words = [meaning_words(logical, item, most) or str(item) for item in value[:most]]
        more = f", ... ({len(value)} elements)" if len(value) > most else ""
        return f"[{', '.join(words)}{more}]"
    if not isinstance(value, int | bytes):
        return None
    meaning = readable(logical, value)
    if is_stored(meaning):
        return None
    text = f"[{', '.join(meaning)}]" if isinstance(meaning, list) else str(meaning)
    text = text.lower() if isinstance(meaning, bool) else text
    return text if isinstance(value, bytes) else f"{text} ({int(value)})"


def written_of(value: Any) -> Any:
    """The form of `readable` of a datetime with a time zone, a Decimal, a UUID, an address, or a tuple of names; other
    values as they are. Raises ValueError for a datetime without a time zone.
    """
    match value:
        case datetime.datetime(tzinfo=None):
            raise ValueError("a datetime without a time zone")
        case datetime.datetime():
            return value.astimezone(datetime.UTC).isoformat()
        case Decimal():
            exponent, digits = value.adjusted() if value.is_finite() else _MOST_DIGITS, len(value.as_tuple().digits)
            if max(abs(exponent), digits) >= _MOST_DIGITS:
                raise ValueError(f"{value!s:.40}")
            return f"{value:f}"
        case np.floating():
            return float(value)
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
        case "bool", bool():
            return int(written)
        case _, bool():
            raise ValueError("true or false")
        case "half", int() | float():
            return _stored_half(written)
        case "half", "NaN" | "Infinity" | "-Infinity":
            return _stored_half(float(written))
        case _, int():
            return written
        case "timestamp", str():
            return _stored_time(logical, written)
        case "decimal", str():
            return _stored_decimal(logical, written)
        case "flags", str() | list():
            return _stored_flags(logical, [written] if isinstance(written, str) else written)
        case "uuid" | "ipv4" | "ipv6" | "mac", str():
            if not in_bytes:  # an IPv4 address is the one that may be an integer
                return int(_address(ipaddress.IPv4Address, written.strip()))
            return _stored_bytes(logical, written.strip())
    raise ValueError(f"{type(written).__name__} {written!r:.40}")


def _stored_time(logical: LogicalType, text: str) -> int:
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r:.40}")
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    fraction, sign, zone_hours, zone_minutes = match.groups()[6:]
    cycles = (year - 1) // 400
    try:
        date = datetime.date(year - 400 * cycles, month, day)
        datetime.time(hour, minute, second), datetime.time(int(zone_hours or 0), int(zone_minutes or 0))
    except ValueError:
        raise ValueError(f"{text!r:.40}") from None
    seconds = (cycles * _CYCLE + date.toordinal() - _EPOCH) * _DAY + hour * 3600 + minute * 60 + second
    if sign:
        seconds -= (1 if sign == "+" else -1) * (int(zone_hours) * 3600 + int(zone_minutes) * 60)
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
    value, numbers = 0, logical.numbers or {}
    for name in names:
        if isinstance(name, str) and name in numbers:
            value |= numbers[name]
        elif isinstance(name, str) and _NUMBER.fullmatch(name):
            value |= int(name, 0 if name.startswith("0x") else 10)
        else:
            raise ValueError(f"no name of this enum{nearest(str(name)[:80], tuple(numbers))}: {name!r:.40}")
    return value


def _stored_bytes(logical: LogicalType, text: str) -> bytes:
    if logical.name == "uuid" and _BASE64.fullmatch(text):
        return base64.urlsafe_b64decode(text + "==")
    if logical.name == "uuid" and _UUID.fullmatch(text):
        made = uuid.UUID(text)
        return made.bytes_le if logical.little_endian else made.bytes
    if logical.name == "mac" and _MAC.fullmatch(text):
        return bytes.fromhex(text.replace("-", "").replace(":", ""))
    if logical.name == "ipv4":
        return _address(ipaddress.IPv4Address, text).packed
    if logical.name == "ipv6" and "%" not in text:  # a scope is not in the bytes
        return _address(ipaddress.IPv6Address, text).packed
    raise ValueError(f"{text!r:.40}")


def _address(kind: Callable[[str], Address], text: str) -> Address:
    try:
        return kind(text)
    except ValueError:  # whose message has all of the text
        raise ValueError(f"{text!r:.40}") from None


def _stored_half(written: float) -> int:
    try:
        number = float(written)
    except OverflowError:
        raise ValueError("an integer that is too large for 16 bits") from None
    with np.errstate(over="ignore"):
        made = np.float16(number)  # rounds to the nearest one
    if np.isinf(made) and abs(number) != float("inf"):
        raise ValueError(f"{number!r:.40}, which is too large for 16 bits")
    return int(made.view(np.uint16))


__all__ = ["EXPECTED", "SIZES", "is_stored", "meaning_words", "readable", "stored", "uuid_text", "written_of"]
