"""Text as Java's programs print it: bytes as text, numbers, and the JSON of Kafka's message converters."""

from __future__ import annotations

import math
import re
from typing import Any, Final

_ENCODED_SURROGATE: Final = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")
_ESCAPED: Final = re.compile(r'["\\\x00-\x1f]')
_SHORT: Final = {'"': r"\"", "\\": r"\\", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
_PLAIN: Final = (-3, 7)
"""Exponents from which on, and up to which, a double has no exponent in its text."""


def java_text(data: bytes) -> str:
    """Decode text like Java's ``new String(bytes, UTF_8)``.

    Malformed bytes become U+FFFD one by one as in Python, except for an encoded surrogate, complete or cut off: Python
    counts an error for each of its bytes, Java one for all.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _ENCODED_SURROGATE.sub(b"\xff", data).decode("utf-8", "replace")


def java_key(text: str) -> str:
    """Text as Java reads it; kformat keeps bytes that are not UTF-8 as lone surrogates."""
    return text if text.isascii() else java_text(text.encode("utf-8", "surrogateescape"))


def java_boolean(value: bool) -> str:
    return "true" if value else "false"


def java_optional(value: int | None) -> str:
    """As an OptionalLong prints itself."""
    return "OptionalLong.empty" if value is None else f"OptionalLong[{value}]"


def java_double(value: float) -> str:
    """As ``Double.toString``, with the fewest digits that say which double it is."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if math.copysign(1, value) < 0 else "0.0"
    sign, digits, exponent = _decimal(value)
    if len(digits) == 1:  # it has two at least, those that are nearest
        sign, digits, exponent = _decimal_of(f"{value:.1e}")
    if _PLAIN[0] <= exponent < _PLAIN[1]:
        text = digits if exponent >= 0 else "0" * -exponent + digits
        whole = max(exponent, 0) + 1
        return f"{sign}{text[:whole].ljust(whole, '0')}.{text[whole:] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent}"


def _decimal(value: float) -> tuple[str, str, int]:
    return _decimal_of(repr(float(value)))


def _decimal_of(text: str) -> tuple[str, str, int]:
    """Sign, digits without zeros at the end, and the exponent of the first digit."""
    mantissa, _, exponent = text.partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    power = int(exponent or 0) + len(whole) - 1
    digits = whole + fraction
    stripped = digits.lstrip("0")
    return sign, stripped.rstrip("0") or "0", power - (len(digits) - len(stripped))


def jackson(value: Any) -> str:
    """JSON as Jackson writes it: without blanks, escapes with capital digits, doubles as Java's."""
    match value:
        case None:
            return "null"
        case bool():
            return java_boolean(value)
        case float():
            text = java_double(value)
            return text if math.isfinite(value) else f'"{text}"'
        case int():
            return str(int(value))
        case str():
            return f'"{_ESCAPED.sub(_escape, java_key(value))}"'
        case list():
            return f"[{','.join(map(jackson, value))}]"
    return f"{{{','.join(f'{jackson(str(name))}:{jackson(item)}' for name, item in value.items())}}}"


def _escape(match: re.Match[str]) -> str:
    """One character as Jackson writes it: digits in capitals, where Python's are small."""
    return _SHORT.get(match[0]) or f"\\u{ord(match[0]):04X}"


__all__ = ["jackson", "java_boolean", "java_double", "java_key", "java_optional", "java_text"]
