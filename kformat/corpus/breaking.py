"""Damage to a file of any declared format, each with the error that `kformat.parse` must raise for it.

Every field is tried: the file ends before it or within it, a bit is flipped, it is set to the extremes of its width and
to a little more and less, its last byte (a terminator) is changed; and a byte is added at the end. What a parser still
takes is no damage and is left out. Under a checksum, damage comes twice: as it is, and with the checksum mended, so
that the rules under it are tried, too. Of the same field, the same change and the same error, one is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from kformat.codec.constructs import parse
from kformat.codec.trace import Span, trace
from kformat.codec.values import value_class
from kformat.corpus.edits import replaced
from kformat.corpus.generating import Sample
from kformat.corpus.hints import TypeFacts, steps_of
from kformat.errors import ChecksumError, DataError
from kformat.language.program import Check, Checksum, ReadBytes, ReadList, ReadLiteral, Window
from kformat.storage.checksum import ALGORITHMS

MAX_TRIES: Final = 2
"""How often a field is changed in the same way, in places where it has other bytes; one without a rule once."""
_MOST_SPANS: Final = 400
"""Of one file."""
_MOST_SUMS: Final = 40
_WIDE_BYTES: Final = 8

LEFT_OVER: Final = "bytes are left over"
"""The message of the error for bytes that nothing declares."""

_ANY: Final = ("ChecksumError", "CompressionError", "InvalidError", "LimitError", "TruncatedError")
_FOUND_BY: Final = {
    "contents": ("InvalidError",),
    "rule": ("InvalidError",),
    "checksum": ("ChecksumError",),
    "left over": ("InvalidError",),
}
"""What is broken -> the errors of which one must find it; anything else by any."""


@dataclass(frozen=True)
class Breakage:
    """Damaged bytes.

    ``name`` is of the vocabulary of `edits.DAMAGES`, ``what`` says it in words, ``position`` is where it begins in the
    sound bytes, ``path`` the field. ``breaks``: contents, rule (of ``valid``), checksum, size, terminator, left over,
    or empty. ``mended``: whether the checksum above was made right again; None where there is none. ``finding``: the
    error.
    """

    data: bytes
    name: str
    what: str
    position: int
    path: str
    breaks: str
    mended: bool | None
    finding: DataError

    @property
    def found_by(self) -> tuple[str, ...]:
        """The classes of errors of which one must find it: they follow from what is broken."""
        return _FOUND_BY.get(self.breaks, _ANY)

    def damage_object(self) -> dict[str, Any]:
        """The damage as the manifest has it."""
        return {
            "name": self.name,
            "what": self.what,
            "position": self.position,
            "inflated_position": None,
            "path": self.path,
            "crc_mended": self.mended,
            "found_by": sorted(self.found_by),
            "undetectable": None,
        }

    def finding_object(self) -> dict[str, Any]:
        """The finding as the manifest has it."""
        error = self.finding
        return {
            "rule": type(error).__name__,
            "position": error.position,
            "inflated_position": error.inflated_position,
            "path": error.path,
            "message": error.message,
            "expected": None if error.expected is None else str(error.expected),
            "found": None if error.found is None else str(error.found),
        }


def breakages(facts: TypeFacts, sample: Sample, known: dict[Any, int]) -> Iterator[Breakage]:
    """The damage of one sound file that ``known``, which it fills, does not have yet."""
    roles = _roles(facts)
    data = sample.data
    spans = [span for span in trace(facts.root, data, trailing=sample.trailing) if span.inflated_position is None]
    sums = _sums(facts, sample, [span for span in spans if roles.get(id(span.declared)) == "checksum"])
    for span in spans[:_MOST_SPANS]:
        if span.kind != "field" or not span.size:
            continue
        place = re.sub(r"\[\d+\]", "[]", span.path)
        role = roles.get(id(span.declared), "")
        for name, what, position, changed in _edits(span, role, data):
            if _is_first(known, (place, name, what), MAX_TRIES if role else 1):
                yield from _tried(facts, sample, known, sums, span, role, name, what, position, changed)
    end = Span(len(data), 0, facts.root.label)
    added = [("insert", "a byte more at the end", "left over", len(data), data + b"\0")]
    if data:
        added.append(("cut", "all bytes are gone", "", 0, b""))
    for name, what, role, position, changed in added:
        if _is_first(known, ("", name, what), MAX_TRIES):
            yield from _tried(facts, sample, known, (), end, role, name, what, position, changed)


def _is_first(known: dict[Any, int], key: Any, most: int = 1) -> bool:
    known[key] = known.get(key, 0) + 1
    return known[key] <= most


def _tried(
    facts: TypeFacts,
    sample: Sample,
    known: dict[Any, int],
    sums: Sequence[Sum],
    span: Span,
    role: str,
    name: str,
    what: str,
    at: int,
    data: bytes,
) -> Iterator[Breakage]:
    if data == sample.data:
        return
    above = [one for one in sums if one.first <= at <= one.last and role != "checksum"] if name != "cut" else []
    for mended in (False, True) if above else (None,):
        for one in above if mended else ():
            data = one.mended(data)
        error = finding(facts, data, sample.trailing)
        if error is None:
            continue
        key = re.sub(r"\[\d+\]", "[]", f"{span.path} {name} {role} {type(error).__name__} {error.path} {error.message}")
        if not _is_first(known, (re.sub(r"\d+", "0", key), mended)):
            continue
        is_its_own = error.path == span.path or role not in ("contents", "rule", "checksum")
        if role == "left over":
            is_its_own = error.message == LEFT_OVER
        breaks = role if is_its_own and name != "cut" else ""
        where = span.path if span.size else ""
        yield Breakage(data, name, f"{where}: {what}" if where else what, at, where, breaks, mended, error)


def finding(facts: TypeFacts, data: bytes, trailing: Any) -> DataError | None:
    """The error of `kformat.parse`, instances included; None if it takes the bytes."""
    try:
        value = parse(facts.root, data, trailing=trailing)
        value._fetch_instances()
    except DataError as error:
        error.partial = None
        return error.with_traceback(None)
    return None


class Sum(NamedTuple):
    """A checksum: where it is stored, and the first and last byte that it covers."""

    position: int
    size: int
    algorithm: str
    first: int
    last: int
    order: Literal["big", "little"]

    def mended(self, data: bytes) -> bytes:
        """The bytes with this checksum made right."""
        computed = ALGORITHMS[self.algorithm](data[self.first : self.last + 1])
        return replaced(data, self.position, self.size, _packed(computed, self.size, self.order))


def _sums(facts: TypeFacts, sample: Sample, spans: Sequence[Span]) -> list[Sum]:
    """The checksums of a file, those that cover less first. What they cover, the error of a wrong one says."""
    found: list[Sum] = []
    for span in spans[:_MOST_SUMS]:
        was = sample.data[span.position : span.position + span.size]
        wrong = bytes([was[0] ^ 1]) + was[1:] if was else b""
        error = finding(facts, replaced(sample.data, span.position, span.size, wrong), sample.trailing)
        told = re.match(r"(\w+) of bytes (\d+) to (\d+) differs", error.message) if error is not None else None
        if told is not None and isinstance(error, ChecksumError) and error.path == span.path:
            order: Literal["big", "little"] = "big" if wrong == bytes.fromhex(str(error.found)) else "little"
            found.append(Sum(span.position, span.size, told[1], int(told[2]), int(told[3]), order))
    return sorted(found, key=lambda one: (one.last - one.first, one.position))


def _packed(number: int, size: int, order: str) -> bytes:
    """A number that is not negative, of any size."""
    found = bytes.fromhex(f"{number:0{2 * size}x}")
    return found if order == "big" else found[::-1]


def _edits(span: Span, role: str, data: bytes) -> Iterator[tuple[str, str, int, bytes]]:
    """Name, words, position and the whole bytes, changed."""
    start, size = span.position, span.size
    end, was = start + size, data[start : start + size]
    if start:
        yield "cut", "the file ends before it", start, data[:start]
    if size > 1:
        yield "cut", "the file ends within it", start + size // 2, data[: start + size // 2]
    yield "flip", "bit 0 of its first byte flipped", start, replaced(data, start, 1, bytes([was[0] ^ 1]))
    if size <= _WIDE_BYTES:
        ones = b"\xff" * (size - 1)
        for new in (bytes(size), b"\xff" * size, b"\x7f" + ones, ones + b"\x7f"):
            yield "set", f"set to {new.hex()}", start, replaced(data, start, size, new)
        for order in ("big", "little") if size > 1 else ("big",):
            number = int((was if order == "big" else was[::-1]).hex(), 16)
            for step, words in ((1, "one more"), (-1, "one less")):
                new = _packed((number + step) % (1 << 8 * size), size, order)
                yield "set", f"{words}, read as {order}-endian", start, replaced(data, start, size, new)
    else:
        yield "zero", "set to zeros", start, replaced(data, start, size, bytes(size))
    if role == "terminator":
        new = b"\x55" if was[-1:] != b"\x55" else b"\x66"
        yield "set", "its terminator changed", end - 1, replaced(data, end - 1, 1, new)


def _roles(facts: TypeFacts) -> dict[int, str]:
    """By the identity of a field: what damage to it breaks."""
    found: dict[int, str] = {}
    for program in facts.types.values():
        names: dict[str, str] = {}
        for step in steps_of(program):
            role = ""
            inner = step.element if isinstance(step, ReadList) else step
            if isinstance(inner, ReadLiteral):
                role = "contents"
            elif isinstance(step, Checksum):
                role = "checksum"
            elif isinstance(step, Check) or (isinstance(step, ReadList) and step.checks):
                role = "rule"
            elif isinstance(inner, ReadBytes | Window) and inner.trim is not None and inner.trim.delimited:
                role = "terminator"
            elif (program.name, step.name) in facts.sizes:
                role = "size"
            if role and names.get(step.name) in (None, "size", "terminator"):
                names[step.name] = role
        for one in (program, value_class(program)._type):
            for field in (*one.fields, *(instance.field for instance in one.instances)):
                if field.name in names:
                    found[id(field)] = names[field.name]
    return found
