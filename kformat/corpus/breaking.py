"""Damage to a file of any declared format, each with the error that `kformat.parse` must raise for it.

Every field is tried: the file ends before it or within it, a bit is flipped, it is set to the extremes of its width and
to a little more and less, its last byte (a terminator) is changed; and a byte is added at the end. Changes that a
parser accepts are no damage and are left out. Under a checksum, damage comes twice: as it is, and with the checksum
mended, so that the rules under it are tried, too. Of the same field, change and error, one damage is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from kformat.codec.constructs import parse
from kformat.codec.trace import Span, trace
from kformat.codec.values import value_class
from kformat.corpus.edits import replaced
from kformat.corpus.generating import Sample
from kformat.corpus.hints import TypeFacts, steps_of
from kformat.errors import ChecksumError, DataError
from kformat.language.checksums import StoredChecksum, holder_of, stored_checksum
from kformat.language.program import Check, Checksum, ReadBit, ReadBytes, ReadList, ReadLiteral, Window

MAX_TRIES: Final = 2
"""How often a field is changed in the same way, in places where it has other bytes; a field without a rule: once."""
_MOST_SPANS: Final = 400
"""Most fields that are changed in one file."""
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
"""The broken thing -> the errors of which one must find it; any error may find other damage."""


@dataclass(frozen=True)
class Breakage:
    """Damaged bytes.

    ``name`` is one of `edits.DAMAGES`, ``what`` a description, ``position`` the start in the sound bytes, ``path`` the
    field. ``breaks``: contents, rule (of ``valid``), checksum, size, terminator, left over, or empty. ``mended``:
    whether the checksum above was corrected; None if there is none. ``finding``: the error.
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
        """The classes of errors of which one must find the damage: they follow from what is broken."""
        return _FOUND_BY.get(self.breaks, _ANY)

    def damage_object(self) -> dict[str, Any]:
        """The damage for the manifest."""
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
        """The finding for the manifest."""
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
    """The damage of one sound file that is not in ``known`` yet; adds it there."""
    roles, known_of = _roles(facts), _stored(facts)
    data = sample.data
    spans = [span for span in trace(facts.root, data, trailing=sample.trailing) if span.inflated_position is None]
    sums = _sums(facts, sample, spans, known_of)
    for span in spans[:_MOST_SPANS]:
        if span.kind != "field" or not (span.size or span.bits):
            continue
        place = re.sub(r"\[\d+\]", "[]", span.path)
        role = roles.get(id(span.declared), "")
        stored = known_of.get(id(span.declared))
        edits = _edits(span, role, data) if span.size else _bit_edits(span, stored, data)
        for name, what, position, changed in edits:
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
    sums: Sequence[SampleChecksum],
    span: Span,
    role: str,
    name: str,
    what: str,
    at: int,
    data: bytes,
) -> Iterator[Breakage]:
    if data == sample.data:
        return
    above = [] if name == "cut" else _above(sums, at)
    if role == "checksum":  # it is to stay wrong
        above = [checksum for checksum in above if checksum.byte != span.position]
    for mended in (False, True) if above else (None,):
        for _ in above if mended else ():  # one may cover another that comes after it
            for checksum in above:
                data = checksum.mended(data)
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
        where = span.path if span.size or span.bits else ""
        yield Breakage(data, name, f"{where}: {what}" if where else what, at, where, breaks, mended, error)


def finding(facts: TypeFacts, data: bytes, trailing: Any) -> DataError | None:
    """The error of `kformat.parse`, including instances; None if it accepts the bytes."""
    try:
        value = parse(facts.root, data, trailing=trailing)
        value._fetch_instances()
    except DataError as error:
        error.partial = None
        return error.with_traceback(None)
    return None


class SampleChecksum(NamedTuple):
    """A checksum: what is stored, where (of bits, in bits), the first and last byte that it covers, and the byte order
    of an integer.
    """

    known: StoredChecksum
    position: int
    first: int
    last: int
    is_little: bool

    @property
    def byte(self) -> int:
        """Where the field begins, in bytes."""
        return self.position // 8 if isinstance(self.known.field, ReadBit) else self.position

    def mended(self, data: bytes) -> bytes:
        """The bytes with this checksum corrected."""
        computed = self.known.of_bytes(data, self.first, self.last + 1, self.position)
        if isinstance(self.known.field, ReadBit):
            changed = bytearray(data)
            self.known.set_bits(changed, self.position, int(computed))
            return bytes(changed)
        return replaced(data, self.position, self.known.size, self.known.packed(computed, self.is_little))


def _above(sums: Sequence[SampleChecksum], at: int) -> list[SampleChecksum]:
    """The checksums that cover a byte, and those that cover one of these."""
    above, places = list[SampleChecksum](), [at]
    while places:
        place = places.pop()
        for checksum in sums:
            if checksum.first <= place <= checksum.last and checksum not in above:
                above.append(checksum)
                places.append(checksum.byte)
    return above


def _sums(
    facts: TypeFacts, sample: Sample, spans: Sequence[Span], known_of: dict[int, StoredChecksum]
) -> list[SampleChecksum]:
    """The checksums of a file, those that cover less first. The covered range is in the error of a wrong checksum."""
    sums = list[SampleChecksum]()
    stored = [(span, known_of[id(span.declared)]) for span in spans if id(span.declared) in known_of]
    for span, known in [(span, known) for span, known in stored if span.size or span.bits][:_MOST_SUMS]:
        position, changed = span.position, bytearray(sample.data)
        if span.bits is not None:
            position, _ = span.bits
            known.set_bits(changed, position, int(span.value) ^ 1)
        else:
            changed[position] ^= 1
        error = finding(facts, bytes(changed), sample.trailing)
        covered = re.match(r".+ of bytes (\d+) to (\d+) differs", error.message) if error is not None else None
        if covered is not None and isinstance(error, ChecksumError) and error.path == span.path:
            is_little = changed[position : position + span.size].hex() != error.found
            sums.append(SampleChecksum(known, position, int(covered[1]), int(covered[2]), is_little))
    return sorted(sums, key=lambda checksum: (checksum.last - checksum.first, checksum.position))


def _stored(facts: TypeFacts) -> dict[int, StoredChecksum]:
    """The identity of a field -> the checksum that it holds."""
    stored: dict[int, StoredChecksum] = {}
    for program in facts.types.values():
        for step in program.steps:
            if isinstance(step, Checksum):
                holder, _ = holder_of(program, step)
                assert holder is not None
                for owner in (holder, value_class(holder)._type):
                    stored |= {
                        id(field): stored_checksum(program, step)
                        for field in owner.fields
                        if field.name == (step.name, *step.inside)[-1]
                    }
    return stored


def _packed(number: int, size: int, order: str) -> bytes:
    """The bytes of a non-negative number of any size."""
    packed = bytes.fromhex(f"{number:0{2 * size}x}")
    return packed if order == "big" else packed[::-1]


def _edits(span: Span, role: str, data: bytes) -> Iterator[tuple[str, str, int, bytes]]:
    """Damage to a field: name, description, position, and the changed bytes of the file."""
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


def _bit_edits(span: Span, stored: StoredChecksum | None, data: bytes) -> Iterator[tuple[str, str, int, bytes]]:
    """Damage to the checksum in bits of a byte that is another field's."""
    if stored is not None and span.bits is not None:
        changed = bytearray(data)
        stored.set_bits(changed, span.bits[0], int(span.value) ^ 1)
        yield "flip", "its lowest bit flipped", span.position, bytes(changed)


def _roles(facts: TypeFacts) -> dict[int, str]:
    """The identity of a field -> what damage to it breaks."""
    roles: dict[int, str] = {}
    for program in facts.types.values():
        names: dict[str, str] = {}
        for step in steps_of(program):
            role = ""
            inner = step.element if isinstance(step, ReadList) else step
            if isinstance(inner, ReadLiteral):
                role = "contents"
            elif isinstance(step, Check) or (isinstance(step, ReadList) and step.checks):
                role = "rule"
            elif isinstance(inner, ReadBytes | Window) and inner.trim is not None and inner.trim.delimited:
                role = "terminator"
            elif (program.name, step.name) in facts.sizes:
                role = "size"
            if role and names.get(step.name) in (None, "size", "terminator"):
                names[step.name] = role
        for owner in (program, value_class(program)._type):
            for field in (*owner.fields, *(instance.field for instance in owner.instances)):
                if field.name in names:
                    roles[id(field)] = names[field.name]
    return roles | dict.fromkeys(_stored(facts), "checksum")
