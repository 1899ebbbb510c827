"""What the field of a checksum holds: its value for covered bytes, whether a stored one is right, and its bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final

from kformat.errors import KformatError
from kformat.language.expression import EvaluationError
from kformat.language.steps import (
    Align,
    Check,
    CheckEnd,
    Checksum,
    ReadBit,
    ReadBytes,
    ReadInteger,
    ReadType,
    Step,
    TypeProgram,
    Window,
    known_size,
)
from kformat.storage.algorithms import Algorithm, algorithm_of

_FORMATS: Final = {8: "o", 10: "d", 16: "X"}

Field = ReadInteger | ReadBit | ReadBytes

_MARKS: Final = Align | Check | CheckEnd | Checksum


class StoredChecksum:
    """A checksum of a type, and the field that holds it.

    Attributes:
        step: what it covers. field: what reads the stored one.
        offset: bytes from the start of the structure `Checksum.name` to a field inside of it; else 0.
        may_be_absent: whether the field has a condition.
        size: bytes of the field; of bits that are no whole bytes, so many as they need at least.
        of_value: a function of a contiguous buffer, all of which is covered. It returns what the field has: an int of
            its kind; digits; or bytes: of a number, its most significant byte first; of a digest, as many of its bytes,
            from the first on, as the field has. EvaluationError if a user's function fails.
    """

    def __init__(self, program: TypeProgram, step: Checksum) -> None:
        self.step = step
        holder, self.offset = holder_of(program, step)
        assert holder is not None
        name = step.inside[-1] if step.inside else step.name
        self.field: Field = next(
            inner
            for inner in holder.steps
            if inner.name == name and isinstance(inner, ReadInteger | ReadBit | ReadBytes)
        )
        first = next(inner for inner in program.steps if inner.name == step.name and not isinstance(inner, _MARKS))
        self.may_be_absent = first.condition is not None
        self.size = bytes_of(self.field)
        self.of_value = _function(algorithm_of(step.algorithm), self.field, step.base)

    def of_bytes(self, data: Any, start: int, end: int, position: int) -> Any:
        """`of_value` of ``data[start:end]``. If the field is among them, `Checksum.blank` stands for each of its bytes.

        Args:
            position: where the field begins: bytes, or bits if it is a field of bits.
        """
        blank = self.step.blank
        if blank is None:
            return self.of_value(data[start:end])
        covered = bytearray(data[start:end])
        if isinstance(self.field, ReadBit):
            self.set_bits(covered, position - 8 * start, 0)
        else:
            first, last = max(position - start, 0), min(position - start + self.size, end - start)
            covered[first:last] = bytes([blank]) * (last - first)
        return self.of_value(bytes(covered))

    def is_right(self, stored: Any, computed: Any) -> bool:
        """Whether a stored value is that of `of_bytes`. Digits may be fewer or more, with spaces and NULs around."""
        if not self.step.base or stored == computed:
            return bool(stored == computed)
        written = self._number(stored)
        return written is not None and written == self._number(computed)

    def _number(self, digits: str | bytes) -> int | None:
        text = digits.decode("latin-1") if isinstance(digits, bytes) else digits
        text = text.strip(" \0")
        return int(text, self.step.base) if text and _is_number(text, self.step.base) else None

    def text(self, value: Any) -> str:
        """A value of the field in hexadecimal, or its digits."""
        if self.step.base:
            return repr(value)
        if isinstance(self.field, ReadBit):
            return f"{int(value):0{(self.field.width + 3) // 4}x}"
        return checksum_text(value, self.size)

    def set_bits(self, data: bytearray, position: int, value: int) -> None:
        """Write a value into a field of bits that begins at a position in bits; bits outside of the data are passed
        over.
        """
        assert isinstance(self.field, ReadBit)
        width, little = self.field.width, self.field.little_endian
        for index in range(width):
            byte, bit = divmod(position + index, 8)
            if not 0 <= byte < len(data):
                continue
            # Big-endian bits come from the top of a byte, the most significant first; little-endian ones the other way.
            mask = 1 << bit if little else 128 >> bit
            is_set = value >> (index if little else width - 1 - index) & 1
            data[byte] = data[byte] | mask if is_set else data[byte] & ~mask

    def packed(self, value: Any, is_little: bool) -> bytes:
        """The bytes of a value that is no field of bits; ``is_little``: the byte order of an integer."""
        if isinstance(value, int):
            number = bytes.fromhex(f"{value % (1 << 8 * self.size):0{2 * self.size}x}")
            return number[::-1] if is_little else number
        assert isinstance(self.field, ReadBytes)
        written = value.encode("ascii") if isinstance(value, str) else value
        trim = self.field.trim
        if trim is not None and len(written) < self.size:
            written += trim.terminator or b""
            written = written.ljust(self.size, trim.pad or b"\0")
        return bytes(written)


def _is_number(text: str, base: int) -> bool:
    """Whether a text has digits alone: Python's numbers may have signs, prefixes and underscores."""
    return all(character in "0123456789abcdef"[:base] for character in text.lower())


@lru_cache(maxsize=256)
def stored_checksum(program: TypeProgram, step: Checksum) -> StoredChecksum:
    """The field of a checksum that a type has, and what it holds."""
    return StoredChecksum(program, step)


def holder_of(program: TypeProgram, step: Checksum) -> tuple[TypeProgram | None, int]:
    """The type that has the field of a checksum, and bytes from the start of `Checksum.name` to the field, if that is
    in a structure. None if it is in no structure, or its position depends on the data.
    """
    holder, offset = program, 0
    for outer, name in zip((step.name, *step.inside), step.inside, strict=False):
        inner = _structure(holder, outer)
        position = None if inner is None else position_in(inner, name)
        if inner is None:
            return None, 0
        if position is None:
            return (inner if name == step.inside[-1] else None), 0
        holder, offset = inner, offset + position
    return holder, offset


def _structure(program: TypeProgram, name: str) -> TypeProgram | None:
    """The type of a structure, which may have a size, but no process and no codec."""
    step = next(inner for inner in program.steps if inner.name == name and not isinstance(inner, _MARKS))
    if isinstance(step, Window) and step.codec is None and step.process is None and len(step.steps) == 1:
        (step,) = step.steps
    return step.type if isinstance(step, ReadType) and not step.type.is_recursive else None


def position_in(program: TypeProgram, name: str) -> int | None:
    """Bytes from the start of a type to a field; None if they depend on the data, or the field on a condition."""
    steps = program.steps
    places = [index for index, step in enumerate(steps) if step.name == name and not isinstance(step, _MARKS)]
    if not places or steps[index := places[0]].condition is not None:
        return None
    bits = bits_of(steps[:index])
    if bits is not None and any(isinstance(step, Align) and step.name == name for step in steps[:index]):
        bits = -(-bits // 8) * 8
    return None if bits is None or bits % 8 else bits // 8


def bits_of(steps: Iterable[Step]) -> int | None:
    """How many bits steps take if the first one begins a byte; None if that depends on the data."""
    bits = 0
    for step in steps:
        size = known_size(step, set())
        if isinstance(step, Align):
            bits = -(-bits // 8) * 8
        elif isinstance(step, ReadBit) and step.condition is None:
            bits += step.width
        elif isinstance(step, ReadType) and step.condition is None and not step.type.is_recursive:
            inner = bits_of(step.type.steps)
            if inner is None:
                return None
            bits += inner
        elif size is None or not size.is_constant:
            return None
        else:
            bits += 8 * int(size.value)
    return bits


def bytes_of(field: Step) -> int:
    """The bytes of a field that a checksum may be in; of bits, so many as they need at least."""
    match field:
        case ReadInteger():
            return field.kind.bits // 8
        case ReadBit():
            return (field.width + 7) // 8
        case ReadBytes() if field.size is not None:
            return int(field.size.value)
    raise AssertionError(field)


def zeros_of(field: ReadBytes) -> bytes | str:
    """What stands for a checksum in bytes or text until it is computed: zeros, or digits."""
    if field.encoding is not None:
        return "0" * digits_of(field)
    return bytes(bytes_of(field)) if field.trim is None else b"0" * digits_of(field)


def digits_of(field: ReadBytes) -> int:
    """How many digits a field has room for."""
    return bytes_of(field) - (field.trim is not None and len(field.trim.terminator or b""))


def _function(algorithm: Algorithm, field: Field, base: int) -> Callable[[Any], Any]:
    compute: Callable[[Any], Any] = algorithm.compute
    if algorithm.is_users:
        compute = _of_user(algorithm, field, base)
    if base:
        assert isinstance(field, ReadBytes)
        count = digits_of(field)

        def in_digits(data: Any) -> Any:
            digits = f"{compute(data):0{count}{_FORMATS[base]}}"
            return digits if field.encoding is not None else digits.encode("ascii")

        return in_digits
    if algorithm.is_users:
        return compute
    if isinstance(field, ReadBit):
        return (lambda data: bool(compute(data))) if field.boolean else compute
    if isinstance(field, ReadInteger):
        if not field.kind.signed:
            return compute
        bits, half = field.kind.bits, 1 << field.kind.bits - 1
        return lambda data: (compute(data) + half) % (1 << bits) - half
    size = bytes_of(field)

    def in_bytes(data: Any) -> bytes:
        computed = compute(data)
        return computed[:size] if isinstance(computed, bytes) else bytes.fromhex(f"{computed:0{2 * size}x}")

    return in_bytes


def _of_user(algorithm: Algorithm, field: Field, base: int) -> Callable[[Any], Any]:
    """What computes a checksum by a user's function, whose failures are EvaluationErrors."""
    size, (low, high) = bytes_of(field), _limits(field, base)
    is_number = bool(base) or not isinstance(field, ReadBytes)

    def compute(data: Any) -> Any:
        try:
            value = algorithm.compute(data)
        except (KformatError, MemoryError):
            raise
        except Exception as error:  # of somebody else's code
            raise EvaluationError(f"{algorithm.name} failed: {type(error).__name__}: {error}") from error
        if is_number and type(value) is int and low <= value <= high:
            return bool(value) if isinstance(field, ReadBit) and field.boolean else value
        if not is_number and isinstance(value, bytes) and len(value) == size:
            return value
        expected = f"an integer from {low} to {high}" if is_number else f"{size} bytes"
        raise EvaluationError(f"{algorithm.name} returned {value!r:.60}; {expected} is expected")

    return compute


def _limits(field: Field, base: int) -> tuple[int, int]:
    """The least and the largest number that a field holds."""
    match field:
        case ReadInteger():
            return field.kind.low, field.kind.high
        case ReadBit():
            return 0, (1 << field.width) - 1
        case _:
            return 0, base ** digits_of(field) - 1 if base else 0


def checksum_text(value: int | bytes, size: int) -> str:
    """A checksum of ``size`` bytes in hexadecimal."""
    return value.hex() if isinstance(value, bytes) else f"{value % (1 << 8 * size):0{2 * size}x}"
