"""The text of a decode kernel, while it is written: its columns, and what is known where it stands.

The kernel has the bytes in ``data``, their address in ``d``, the position in ``p``, and the number of a table's row in
``n0``, ``n1``, ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from kformat.kernels.source import Emitter, KernelError, KernelScope, Part
from kformat.language.program import ReadList, Step, TypeProgram, expressions_in
from kformat.language.steps import types_of

BYTE_ORDER: Final = ("_parent", "_order")
"""Whether the structure that has the rows is little-endian, where a value says it."""


PARAMETERS: Final = "_params"


Kinds = Mapping[type, Callable[..., None]]
"""Kind of step -> the function that emits its lines: ``emit(decoder, step, scope, end)``."""


class DecodeFunction(Emitter):
    """The text of a decode kernel, while it is written.

    Attributes:
        asked: the names that expressions ask for.
        used: the columns of the steps, in order; in cases of a switch some more than once.
        covered: the variables with where the bytes of a checksum begin, by the name of its column.
        at_end: position, length and beginning of the checksums that go on to the end of a structure.
        switches: how many switches enclose the current steps.
        of_cases: the columns in switches: cases of one kind share theirs.
        are_there: how many of the next steps read numbers whose bytes are known to be there.
        widest: the type of the numbers that cases share.
        has_bits: whether bits may be left over in a byte.
    """

    def __init__(self, program: TypeProgram, kinds: Kinds, rows: ReadList | None, has_bits: bool) -> None:
        super().__init__(program, "decode_" + program.name.replace("::", "__"), 3)
        self.kinds, self.rows, self.takes_context, self.has_bits = kinds, rows, rows is not None, has_bits
        self.asked = _asked(program, set())
        self.used: list[int] = []
        self.covered: dict[str, str] = {}
        self.at_end: list[tuple[int, int, str]] = []
        self.switches = self.are_there = 0
        self.of_cases: dict[tuple[str, Part, int], int] = {}
        self.widest: dict[str, str] = {}

    def emit(self, step: Step, scope: KernelScope, end: str) -> None:
        """Put the lines of one step, whatever kind it is."""
        self.kinds[type(step)](self, step, scope, end)

    def column(self, scope: KernelScope, name: str, part: Part, kind: str) -> int:
        """The number of a column; cases of one kind share it."""
        key = scope.prefix + name, part, scope.table
        number = self.of_cases.get(key)
        if part is Part.VALUE:
            kind = self.widest.get(key[0], kind)
        if number is None:
            number = super().column(scope, name, part, kind)
            if self.switches or part is Part.CASE:
                self.columns[number] = self.columns[number]._replace(is_zeroed=True)
            if self.switches:
                self.of_cases[key] = number
        elif self.columns[number].kind != kind:
            raise KernelError(f"{key[0]}: cases of one kind with columns of different types")
        self.used.append(number)
        return number

    def fill(self, column: int, value: str) -> None:
        """``if w3: put_4(a3, n0, v1_length)``: a value of the present row."""
        table, part = self.columns[column].table, self.columns[column].part
        index = f"n{table} + 1" if part in (Part.OFFSETS, Part.BYTE_OFFSETS) else f"n{table}"
        self.put(f"if w{column}:", f"    {self.store(column, index, value)}")

    def store(self, column: int, index: str, value: str) -> str:
        """``put_4(a3, n0, v1_length)``."""
        return f"put_{np.dtype(self.columns[column].storage).itemsize}(a{column}, {index}, {value})"

    def nothing(self, first: int, table: int) -> None:
        """Mark the values in a table's columns, of those used from ``first`` on, as absent."""
        for number in dict.fromkeys(self.used[first:]):
            column = self.columns[number]
            if column.table != table or column.part is Part.BYTES or column.is_zero_if_absent:
                continue
            match column.part:
                case Part.OFFSETS:
                    self.fill(number, f"n{self.tables.index(column.name)}")
                case Part.BYTE_OFFSETS:
                    self.fill(number, f"get_4(a{number}, n{table})")
                case _:
                    self.fill(number, str(column.missing))


def _asked(program: TypeProgram, seen: set[TypeProgram]) -> set[str]:
    """The words of all names in the expressions of a type and those in it."""
    seen.add(program)
    nodes = (*expressions_in(program.steps), *expressions_in(tuple(instance.value for instance in program.instances)))
    words = {word for node in nodes if node.op == "name" for word in node.value}
    for inner in set(types_of(program.steps)) - seen:
        words |= _asked(inner, seen)
    return words
