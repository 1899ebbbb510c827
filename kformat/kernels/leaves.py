"""The parts of decode kernels for bits that share bytes with others, and for bytes that end by their content.

A stream's bits are at the variables ``p``, the next whole byte, and ``k``, how many bits are left over in the byte
before it. They stay the stream's across types, and a row begins and ends without any.
"""

from __future__ import annotations

from kformat.kernels.source import Emitter, Scope
from kformat.language.program import Align, ReadBit, Trim, TypeProgram
from kformat.language.steps import all_steps, types_of


def has_bits(program: TypeProgram) -> bool:
    """Whether a type, or one in it, has bits that share bytes with others."""
    shares = any(isinstance(step, ReadBit | Align) for step in all_steps(program.steps))
    return shares or any(has_bits(inner) for inner in set(types_of(program.steps)))


class Leaves(Emitter):
    """What is read at one position, and is neither a number nor all bytes of a known size."""

    has_bits = False

    def read_bit(self, step: ReadBit, scope: Scope, end: str) -> str:
        """A variable with some bits; advances the position."""
        size, value = self.variable("size"), self.variable(step.name)
        self.emit(f"{size} = ({step.width} - k + 7) >> 3")
        with self.block(f"if {end} - p < {size}:"):
            self.emit(self.fail(scope, step.name, "the bytes end"))
        order = "little" if step.little_endian else "big"
        self.emit(
            f"{value} = load_bits_{order}(data, p, k, {step.width})",
            f"p += {size}",
            f"k = (k - {step.width}) & 7",
        )
        return value

    def align(self) -> None:
        self.emit("k = np.int64(0)")

    def trimmed(self, trim: Trim, length: str) -> str:
        """A variable with how many of the ``length`` bytes from the position on count."""
        size = self.variable("size")
        self.emit(f"{size} = {length}")
        if trim.pad is not None and trim.pad != trim.terminator:
            self.emit(f"{size} = stripped(data, p, {size}, {trim.pad[0]})")
        if trim.terminator is not None:
            found = self.found(trim.terminator, f"p + {size}")
            with self.block(f"if {found} >= 0:"):
                self.emit(f"{size} = {found} - p" + f" + {len(trim.terminator)}" * trim.include)
        return size

    def delimited(self, name: str, trim: Trim, scope: Scope, end: str) -> tuple[str, str]:
        """How many bytes up to a terminator count, and how many are taken: two variables."""
        assert trim.terminator is not None
        size, taken = self.variable("size"), self.variable("taken")
        found, width = self.found(trim.terminator, end), len(trim.terminator)
        with self.block(f"if {found} < 0:"):
            if trim.must_end:
                self.emit(self.fail(scope, name, "the bytes end before a terminator"))
            else:
                self.emit(f"{size} = {end} - p", f"{taken} = {size}")
        with self.block("else:"):
            self.emit(
                f"{size} = {found} - p" + f" + {width}" * trim.include,
                f"{taken} = {found} - p" + f" + {width}" * trim.consume,
            )
        return size, taken

    def found(self, terminator: bytes, end: str) -> str:
        """A variable with the position of a terminator before ``end``; -1 if it is nowhere."""
        found = self.variable("found")
        if len(terminator) == 1:
            self.emit(f"{found} = find(data, p, {end}, {terminator[0]})")
        else:
            self.emit(f"{found} = find_unit(data, p, {end}, {self.bytes_constant(terminator)})")
        return found
