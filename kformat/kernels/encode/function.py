"""The text of an encode kernel, while it is written: its columns, and what is known of each structure.

The kernel writes to ``out``, at ``p``; ``n0`` is the row, ``first`` the first one of its unit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kformat.kernels.source import Emitter, KernelError, KernelScope, Part, Source
from kformat.language.expression import Expression
from kformat.language.program import Checksum, Field, ReadInteger, ReadVarint, TypeProgram


@dataclass(slots=True)
class StructurePlace(KernelScope):
    """One structure to write: ``row`` is the variable with its row number in its table."""

    row: str = "n0"
    inner: dict[str, StructurePlace] = field(default_factory=dict)
    present: dict[str, str] = field(default_factory=dict)
    """For optional fields: the variable that says whether they are present."""
    lists: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    """For lists: the variables with their first element and the one after their last, and their table."""
    sizes: dict[str, str] = field(default_factory=dict)
    """For windows: the variable with their size."""
    computed: dict[str, str] = field(default_factory=dict)
    """For lengths and counts: the variable that they are computed into."""
    measured: dict[str, str] = field(default_factory=dict)
    """And the one that says whether that is done: of several fields sharing a length, only one may be present."""
    fields: dict[str, Field] = field(default_factory=dict)
    """The declared fields."""
    late: list[tuple[str, int, ReadInteger | ReadVarint, Expression]] = field(default_factory=list)
    """For fields that may be derived: variable, column, step, and derivation."""


@dataclass(frozen=True, slots=True)
class EncodeSource(Source):
    """The text of an encode kernel; ``optional`` are the numbers of the columns that may be left out."""

    optional: frozenset[int] = frozenset()


class StepKind(NamedTuple):
    """The functions that emit the lines of one kind of step.

    Attributes:
        fill: loads what is given, ``fill(encoder, step, place)``.
        measure: adds the size, ``measure(encoder, step, place, total)``; None: it is always the same.
        write: writes the bytes, ``write(encoder, step, place)``.
    """

    fill: Callable[..., None]
    measure: Callable[..., None] | None
    write: Callable[..., None]


class EncodeFunction(Emitter):
    """The text of an encode kernel, while it is written.

    Attributes:
        known: the columns, by the field's name and the part.
        optional: the numbers of the columns that may be left out.
        checksums: the fields that are checksums.
    """

    def __init__(self, program: TypeProgram, kinds: Mapping[type, StepKind]) -> None:
        super().__init__(program, "encode_" + program.name.replace("::", "__"), 2)
        self.kinds = kinds
        self.known: dict[tuple[str, Part], int] = {}
        self.optional: set[int] = set()
        if any(isinstance(step, Checksum) and (step.part or step.inside) for step in program.steps):
            raise KernelError(f"{program.name}: a checksum that does not cover all bytes after it")
        self.checksums = {step.name for step in program.steps if isinstance(step, Checksum)}

    def given(self, place: StructurePlace, name: str, part: Part, kind: str) -> int:
        """The column for a field's part; repeated calls return the same column."""
        key = place.prefix + name, part
        if key not in self.known:
            self.known[key] = self.column(place, name, part, kind)
        return self.known[key]

    def load(self, place: StructurePlace, name: str, part: Part, kind: str) -> str:
        """``v1_length = np.int64(c3[U(n0)])``, as a variable."""
        variable = self.variable(name)
        self.put(f"{variable} = np.int64(c{self.given(place, name, part, kind)}[U({place.row})])")
        return variable

    def within(self, place: StructurePlace, step: ReadInteger | ReadVarint, variable: str) -> None:
        """``if v1_length < 0 or v1_length > 255: return leave_encode_record(...)``, of a computed number."""
        if step.kind.bits < 64:
            with self.block(f"if {variable} < {step.kind.low} or {variable} > {step.kind.high}:"):
                expected = f"{step.kind.low}..{step.kind.high}"
                self.put(self.fail(place, step.name, f"it does not fit; expected {expected}"))
