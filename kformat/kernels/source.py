"""The parts that the texts of decode and encode kernels share: columns, sites, expressions."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kformat.errors import UsageError
from kformat.language.lines import INDENT, Line, Lines
from kformat.language.program import Step, TypeProgram

MAX_STEPS: Final = 1000
"""Most steps of a type, including all nested types, that numba compiles in acceptable time."""

MAX_LISTS: Final = 16
"""Deepest nesting of lists: Python allows 20 nested loops."""

ALL_READ: Final = 0
"""The site that means success: everything was read, or written."""

LEFTOVER: Final = 1
"""The site after the last row of a window: bytes are left over."""


class KernelError(UsageError):
    """No kernel can be made for a type: names the unsupported part and the reason."""


class Part(enum.Enum):
    """What a column holds of a field."""

    VALUE = "value"
    VALID = "valid"
    POSITION = "position"
    LENGTH = "length"
    OFFSETS = "offsets"
    COVERED_POSITION = "covered_position"
    COVERED_LENGTH = "covered_length"
    BYTES = "bytes"
    BYTE_OFFSETS = "byte_offsets"
    IS_THERE = "is_there"
    CASE = "case"

    __hash__ = object.__hash__  # members are singletons; the enumeration's own hash is slower: it hashes the name


PACKED: Final = (Part.BYTES, Part.BYTE_OFFSETS, Part.IS_THERE)
"""The parts that a decode kernel makes only on request: a contiguous copy of bytes."""

FULL_BYTES: Final = 1 << 16
"""A kernel that returns -FULL_BYTES - n ran out of room in the bytes of column n."""


class KernelColumn(NamedTuple):
    """One array of a kernel: ``name`` is the field's, ``kind`` its numpy type, ``table`` 0 for the rows' own."""

    name: str
    part: Part
    kind: str
    table: int
    is_zeroed: bool = False
    """Whether the kernel writes nothing where the field is absent and 0 stands for that: the caller has zeros there."""

    @property
    def storage(self) -> str:
        """The numpy type that the kernel uses: floats are moved as bits."""
        return self.kind.replace("f", "u")

    @property
    def missing(self) -> int:
        """The value in it if the field is absent."""
        return -1 if self.part in (Part.LENGTH, Part.COVERED_LENGTH) else 0

    @property
    def is_zero_if_absent(self) -> bool:
        """Whether nothing need be written where the field is absent."""
        return self.is_zeroed and not self.missing and self.part not in (Part.OFFSETS, Part.BYTE_OFFSETS)


class Site(NamedTuple):
    """A place where a row may fail: the field's path in the declaration, and the error there."""

    path: str
    problem: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Where a kernel stopped: window number ``unit``, ``row`` of that window, and the row's position in the data;
    ``site`` is the violated rule, and where. The codec provides the error text.
    """

    unit: int
    row: int
    position: int
    site: Site
    site_position: int


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a kernel.

    ``columns`` are its array arguments, in order; ``tables`` the names of the lists whose elements are tables, the
    first being the rows themselves; ``sites[n]`` explains the result n.
    """

    program: TypeProgram
    function: str
    text: str
    columns: tuple[KernelColumn, ...]
    tables: tuple[str, ...]
    sites: tuple[Site, ...]
    context: tuple[tuple[str, ...], ...] = ()
    """Numbers from around the rows, passed to the kernel in its state, after the counts of tables: paths that begin
    with ``_root`` or ``_parent``, or ``_params`` and the name of a parameter.
    """
    texts: tuple[tuple[str, str], ...] = ()
    """Columns of text that the codec refuses if it is not in its encoding, with the encoding: kernels do not check."""

    @property
    def encodes(self) -> bool:
        """Whether it encodes columns into bytes, rather than decoding."""
        return self.function.startswith("encode_")


_HEADER: Final = '''\
"""Kernels of {title}: bytes to columns, and columns to bytes.

Made by kformat.kernels.source, which says how they work; not to be edited.
"""

{imports}
'''
_IMPORTED: Final = {
    "numpy": ("np",),
    "kformat.kernels.runtime": (
        *("MIN_INT64", "U", "address", "append", "below", "byte_at", "copy", "difference_overflows", "equal", "find"),
        *("find_unit", "get_4", "helper", "kernel", "load", "load_2", "load_4", "load_8", "load_bits_big"),
        *("load_bits_little",),
        *("long_varint", "product_overflows", "put_1", "put_2", "put_4", "put_8"),
        *("store", "store_2", "store_4", "store_8", "store_varint", "stripped", "sum_overflows", "varint_size"),
        *("word_2", "word_2_le", "word_4", "word_4_le", "word_8", "word_8_le"),
        *("words_1", "words_2", "words_2_le", "words_4", "words_4_le", "words_8", "words_8_le"),
    ),
    "kformat.kernels.state": ("CAPACITY", "DONE", "ERROR_POSITION", "FIRST_TABLE", "POSITION", "ROW", "UNIT"),
}
"""The names that a kernel may import, by module."""


class Leave(NamedTuple):
    """The statement that leaves a kernel with a site. The variables that it saves are known only at the end."""

    site: int
    wanted: str = "np.int64(0)"
    """How much room would have been needed."""
    position: str = "p"
    depth: int = 0

    def placed(self, depth: int) -> Leave:
        """The statement, indented by so many blocks."""
        return self._replace(depth=depth)

    def text(self, function: str, remembered: str) -> str:
        """``return leave_decode_record(at, unit, n0, np.int64(3), p, np.int64(0))``."""
        place = f"{self.position}, {self.wanted}"
        return INDENT * self.depth + f"return leave_{function}({remembered}, np.int64({self.site}), {place})"


@dataclass(slots=True)
class KernelScope:
    """The scope of a type's steps: the prefix of its columns' names, and the variables of its fields."""

    prefix: str
    path: str
    table: int
    variables: dict[tuple[str, ...], str] = field(default_factory=dict)
    bytes: dict[str, tuple[str, str]] = field(default_factory=dict)
    """For bytes fields: the variables with their position and length."""
    parent: KernelScope | None = None
    """The scope of the enclosing structure, if it is a part of the row."""
    is_foreign: bool = False
    """Whether it has no `_parent` and no `_root`."""
    absent: dict[tuple[str, ...], str] = field(default_factory=dict)
    """For optional fields that expressions ask for: the variables that say whether they are present."""
    program: TypeProgram | None = None
    """The type, whose instances expressions may ask for; None: there are none."""


class Emitter(Lines):
    """The text of one kernel, while it is written."""

    def __init__(self, program: TypeProgram, function: str, depth: int) -> None:
        super().__init__(depth)
        self.program, self.function = program, function
        self.columns: list[KernelColumn] = []
        self.tables: list[str] = [""]
        self.sites: list[Site] = [Site("", "all were read"), Site(program.name, "bytes are left over")]
        self.constants: list[bytes] = []
        self.texts: dict[str, str] = {}
        self.lists = 0
        """How many lists enclose the current steps."""
        self.context: list[tuple[str, ...]] = []
        self.takes_context = False

    def variable(self, name: str) -> str:
        """A new variable, named after a field."""
        plain = "".join(letter if letter.isalnum() else "_" for letter in name)
        return f"{self.new('v')}_{plain}"

    def fail(self, scope: KernelScope, name: str, problem: str) -> Leave:
        """The statement that leaves the kernel at a new site."""
        path = ".".join(part for part in (scope.path, name) if part)
        self.sites.append(Site(path, problem))
        return Leave(len(self.sites) - 1)

    def refuse(self, scope: KernelScope, step: Step, why: str) -> KernelError:
        return KernelError(".".join(part for part in (scope.path, step.name) if part) + f": {why}")

    def column(self, scope: KernelScope, name: str, part: Part, kind: str) -> int:
        self.columns.append(KernelColumn(scope.prefix + name, part, kind, scope.table))
        return len(self.columns) - 1

    def said(self, column: KernelColumn) -> str:
        where = f", per element of {self.tables[column.table]}" if column.table else ""
        return f"{column.name}, {column.part.value.replace('_', ' ')}{where}"

    def around(self, path: tuple[str, ...]) -> str:
        """The variable with a number from around the rows."""
        if not self.takes_context:
            raise KernelError(f"{self.program.name}: {'.'.join(path)}, which is around the rows")
        if path not in self.context:
            self.context.append(path)
        return f"x{self.context.index(path)}"

    def is_text(self, place: tuple[str, str], value: str | bytes, data: str = "data") -> str:
        """The condition that bytes, at a position and of a length, are those of a text; empty if none can be."""
        wanted = _bytes_of_text(value) if isinstance(value, str) else value
        if wanted is None:
            return ""
        return f"equal({data}, {place[0]}, {place[1]}, {self.bytes_constant(wanted)})"

    def bytes_constant(self, value: bytes) -> str:
        if value not in self.constants:
            self.constants.append(value)
        return self.constant_name(self.constants.index(value))

    def constant_name(self, number: int) -> str:
        return f"{self.function}_{number}"

    def finished(self, lines: Sequence[Line], remembered: str) -> Source:
        """The finished kernel; ``remembered`` are the variables that it saves when it leaves.

        Texts of the declaration occur only in constants; generated code is never searched and replaced.
        """
        constants = [
            f"{self.constant_name(number)} = np.frombuffer({value!r}, np.uint8)"
            for number, value in enumerate(self.constants)
        ]
        body = [line.text(self.function, remembered) if isinstance(line, Leave) else str(line) for line in lines]
        text = "\n".join([*constants, *([""] * 2 if constants else []), *body])
        parts = tuple(self.columns), tuple(self.tables), tuple(self.sites), tuple(self.context)
        return Source(self.program, self.function, text, *parts, tuple(self.texts.items()))


def _bytes_of_text(text: str) -> bytes | None:
    """The bytes that the codec decodes to this text; None if there are none."""
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None
    return data if data.decode("utf-8", "surrogateescape") == text else None


def module_text(sources: Sequence[Source], title: str) -> str:
    """The text of a module with these kernels, and with the types of their columns: machine code is made for them, and
    found again by the text.
    """
    kinds = [" ".join(column.storage for column in source.columns) for source in sources]
    body = "\n\n\n".join(f"# {kind}\n{source.text}" for kind, source in zip(kinds, sources, strict=True))
    words = set(re.findall(r"\w+", body))
    lines = []
    for module, names in _IMPORTED.items():
        used = [name for name in names if name in words]
        if names == ("np",):
            lines += [f"import {module} as np", ""]
        else:
            lines += [f"from {module} import (", *(f"    {name}," for name in used), ")"]
    return _HEADER.format(title=title, imports="\n".join(lines)) + "\n\n" + body + "\n"


def indented(*lines: str) -> list[str]:
    """Lines one block deeper."""
    return [INDENT + line for line in lines]


__all__ = ["Part"]
