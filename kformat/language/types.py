"""The types of expressions, how two of them become one, and the attributes and methods that each has.

Rules, which are those of Kaitai's compiler 0.11 (`TypeDetector`, `TypeCombine`, `TypeValidator`) where it has one:

* A type says what a value can be. Widths and byte orders are of interest to integers alone, because kernels need them.
* `common` is the type of a ternary, a switch and a list: equal types stay, integers widen, an integer and a float are a
  float, two structures are `ANY_STRUCTURE`, everything else is `ANY`. A ternary or list literal of `ANY` is refused; a
  field of `ANY` (cases that have nothing in common) is allowed, and needs ``.as<type>`` before it is used.
* There is no type of null: an absent field has its declared type, and using it is an evaluation error.
* `METHODS` is the whole table of what can follow a dot, besides the fields and instances of a structure.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from kformat.language.node import Node


class Integer(Node):
    """An integer type: ``bits`` and ``signed``. Two's complement.

    From 1 to 64 bits for what is read from bytes and for what kernels compute; `EXACT` for other computed integers.
    """

    bits: int
    signed: bool

    @property
    def low(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << (self.bits - 1)) - 1 if self.signed else (1 << self.bits) - 1

    def __str__(self) -> str:
        return "integer" if self.bits == MAX_EXACT_BITS else f"{'int' if self.signed else 'uint'}{self.bits}"


class Float(Node):
    """IEEE 754, read from 32 or 64 bits; computed as 64 bits."""

    bits: int = 64

    def __str__(self) -> str:
        return f"float{self.bits}"


class Boolean(Node):
    """The type of conditions."""

    def __str__(self) -> str:
        return "bool"


class Bytes(Node):
    """A string of bytes; its elements are unsigned 8-bit integers."""

    def __str__(self) -> str:
        return "bytes"


class Text(Node):
    """A string of characters."""

    def __str__(self) -> str:
        return "text"


class EnumType(Node):
    """A member of an enum, or an integer that the enum does not name. ``name`` is the enum's Kaitai name from the
    file's id down.
    """

    name: str

    def __str__(self) -> str:
        return f"enum {self.name}"


class ListOf(Node):
    """A list of elements of one type."""

    element: Type

    def __str__(self) -> str:
        return f"list of {self.element}"


class Structure(Node):
    """A declared type by its Kaitai name (a key of `Program.types`), or a registered opaque type by its own."""

    name: str
    opaque: bool = False

    def __str__(self) -> str:
        return self.name


class AnyStructure(Node):
    """Some structure (Kaitai's ``struct``): it has `_io`, `_parent`, `_root`, and nothing else before a cast."""

    def __str__(self) -> str:
        return "struct"


class Stream(Node):
    """The bytes that a structure is read from (Kaitai's ``io``)."""

    def __str__(self) -> str:
        return "io"


class Any(Node):
    """Nothing is known but that there is a value: only a cast helps."""

    def __str__(self) -> str:
        return "any"


class Unknown(Node):
    """An instance whose type is being found, and which asks for itself: only a cast helps. In no finished node."""

    def __str__(self) -> str:
        return "of the type that is to be found"


Type: TypeAlias = (
    Integer | Float | Boolean | Bytes | Text | EnumType | ListOf | Structure | AnyStructure | Stream | Any | Unknown
)

MAX_EXACT_BITS: Final = 4096
"""Widest computed integer: bounds the work and memory of an untrusted expression."""

INT64: Final = Integer(64, True)
UINT8: Final = Integer(8, False)
EXACT: Final = Integer(MAX_EXACT_BITS, True)
"""The type of integers computed outside of kernels: exact, as in Kaitai's Python, up to `MAX_EXACT_BITS`."""
FLOAT: Final = Float()
BOOLEAN: Final = Boolean()
BYTES: Final = Bytes()
TEXT: Final = Text()
ANY_STRUCTURE: Final = AnyStructure()
STREAM: Final = Stream()
ANY: Final = Any()
UNKNOWN: Final = Unknown()


def common(left: Type, right: Type) -> Type:
    """The type of a value that is either one or the other; `ANY` if they have nothing in common."""
    if left == right:
        return left
    match left, right:
        case Integer(), Integer():
            wide = EXACT in (left, right)
            return EXACT if wide else _union(left, right)
        case Integer() | Float(), Integer() | Float():
            return FLOAT
        case (Structure() | AnyStructure(), Structure() | AnyStructure()):
            return ANY_STRUCTURE
        case ListOf(), ListOf():
            element = common(left.element, right.element)
            return ANY if element == ANY else ListOf(element)
    return ANY


def _union(left: Integer, right: Integer) -> Integer:
    if left.signed == right.signed:
        return max(left, right, key=lambda kind: kind.bits)
    needed = max(kind.bits + (not kind.signed) for kind in (left, right))
    return Integer(needed, True) if needed <= 64 else EXACT


def is_number(kind: Type) -> bool:
    return isinstance(kind, Integer | Float)


def is_unknown(kind: Type) -> bool:
    return kind == UNKNOWN or (isinstance(kind, ListOf) and is_unknown(kind.element))


def is_structure(kind: Type) -> bool:
    return isinstance(kind, Structure | AnyStructure)


def can_compare(op: str, left: Type, right: Type) -> bool:
    """Whether ``left op right`` is allowed, for the six comparisons.

    Numbers, texts and bytes have an order; booleans and members of the same enum are equal or not.
    """
    if is_number(left) and is_number(right):
        return True
    if left != right:
        return False
    return isinstance(left, Text | Bytes) or (op in ("==", "!=") and isinstance(left, Boolean | EnumType))


def can_cast(kind: Type, target: Type) -> bool:
    """Whether ``.as<target>`` may follow a value of this kind. A cast changes the type and never the value."""
    if kind == target or ANY in (kind, target) or kind == UNKNOWN:
        return True
    if is_number(kind) and is_number(target):
        return True
    if isinstance(kind, ListOf) and isinstance(target, ListOf):
        return can_cast(kind.element, target.element)
    return is_structure(kind) and is_structure(target)


class Method(Node):
    """What follows a dot: its result, and the types of its arguments.

    ``result`` None stands for the element of the list. With ``optional`` the arguments may be left out, and then the
    parentheses, too. ``rule`` says what it gives, and when it fails (an EvaluationError).
    """

    result: Type | None
    arguments: tuple[Type, ...] = ()
    optional: bool = True
    rule: str = ""


METHODS: Final[dict[type, dict[str, Method]]] = {
    Integer: {"to_s": Method(TEXT, rule="decimal digits, with a minus sign below 0")},
    Float: {"to_i": Method(EXACT, rule="rounds towards 0; fails for infinities and NaN")},
    Boolean: {"to_i": Method(INT64, rule="1 or 0")},
    EnumType: {"to_i": Method(INT64, rule="the integer, whether it has a name or not")},
    Text: {
        "length": Method(INT64, rule="number of characters"),
        "reverse": Method(TEXT),
        "to_i": Method(EXACT, (INT64,), rule="as Python's int(text, base), base 10 by default; fails if it is none"),
        "substring": Method(TEXT, (INT64, INT64), optional=False, rule="as Python's text[from:to]"),
    },
    Bytes: {
        "length": Method(INT64),
        "size": Method(INT64),
        "first": Method(UINT8, rule="fails without an element, as last, min and max do"),
        "last": Method(UINT8),
        "min": Method(UINT8),
        "max": Method(UINT8),
        "to_s": Method(TEXT, (TEXT,), optional=False, rule="decodes; the encoding is a constant"),
    },
    ListOf: {
        "length": Method(INT64),
        "size": Method(INT64),
        "first": Method(None, rule="fails without an element, as last, min and max do"),
        "last": Method(None),
        "min": Method(None, rule="of numbers and texts; the first of equal ones"),
        "max": Method(None),
    },
    Stream: {
        "pos": Method(INT64, rule="bytes from the start of this stream, not of the source"),
        "size": Method(INT64, rule="bytes of this stream in all"),
        "eof": Method(BOOLEAN, rule="whether neither bytes nor bits are left"),
    },
    Structure: {
        "_io": Method(STREAM),
        "_parent": Method(ANY_STRUCTURE, rule="the resolver knows the parent's type where there is one alone"),
        "_root": Method(ANY_STRUCTURE, rule="the resolver knows the root's type: the file's own"),
    },
    AnyStructure: {"_io": Method(STREAM), "_parent": Method(ANY_STRUCTURE), "_root": Method(ANY_STRUCTURE)},
    Any: {},
    Unknown: {},
}
"""Kind of the receiver -> name -> method. A structure's own fields and instances come first."""


def method_of(kind: Type, name: str) -> tuple[Method, Type] | None:
    """The method of that name for a receiver of this kind, and its result; None if there is none."""
    method = METHODS[type(kind)].get(name)
    if method is None:
        return None
    if method.result is not None:
        return method, method.result
    assert isinstance(kind, ListOf)
    if name in ("min", "max") and not (is_number(kind.element) or isinstance(kind.element, Text)):
        return None
    return method, kind.element
