"""The expression language of declarations: nodes, types, folding, evaluation.

It is Kaitai's language with a rule wherever programming languages differ:

* Every node has a type (`types`). An integer has width and signedness, the range of its values, and an overflow rule.
* Arithmetic is exact. If the range shows that a result always fits its type, `overflow` is "never"; otherwise it is
  "error", and an evaluation beyond raises instead of wrapping. Results are signed 64-bit integers where kernels may
  evaluate them, and `types.EXACT` otherwise: a node with an EXACT operand is EXACT. `exact` converts a whole tree.
* Division rounds down and the remainder has the divisor's sign, as in Kaitai's own languages; division by zero is an
  error. With a float on either side it is a float's division.
* Comparisons compare values, whatever the widths and signs of their sides. Texts are ordered by code point, bytes by
  byte, and both have `+` for texts alone.
* A single bit may be used as a condition.
* An index counts from 0; below 0 from the end, as in Python, which Kaitai's classes do, too; beyond is an error.
* A text that an expression makes has at most `MAX_TEXT` characters, so that no chain of instances doubles it forever.
* Whatever fails (an absent field, a cast to a type that has no such attribute, a digit that is none) is an
  EvaluationError, and no other exception leaves an evaluation but the DataError of a lazily read instance.

The nodes, by `op`; ``a``, ``b``, ``c`` are its arguments:

    constant                     `value`: int, float, bool, str or bytes; an enum's member is an integer of EnumType
    name                         `value`: a path of attributes from the structure on: fields, parameters, instances, and
                                 ``_parent``, ``_root``, ``_io`` (every structure has these three); ends anywhere
    local                        `value`: ``_`` (the element of a list, or the field under a rule) or ``_index``
    member                       attribute `value` of a structure ``a`` that no name reaches (``entries[0].size``)
    method                       `value` of the receiver ``a`` with the other arguments (`types.METHODS`)
    index                        element ``b`` of a list or of bytes ``a``
    cast                         ``a``, unchanged, under another type
    inlined                      a structure whose fields are those of the type around: while names are resolved, alone;
                                 ``a``, if there is one, is the value that has them, and `value` the word for it
    list                         a list of its arguments; of integers in 0..255 alone it is a constant of bytes; with
                                 the type of bytes (``[a, b].as<bytes>``) the bytes of its arguments, which may fail
    format                       an f-string: the texts of its arguments (integers in decimal) joined
    neg inv not and or if        as in Kaitai: ``-`` ``~`` ``not``; ``a ? b : c``
    + - * / % & | ^ << >>        numbers (the last five and ``inv``: integers); ``+`` also texts
    < <= > >= == !=              `types.can_compare`

`KERNEL_OPS` are those that kernels evaluate, over integers and booleans. ``sizeof<>``, ``bitsizeof<>`` and ``_sizeof``
are constants once the declaration is resolved: they never become nodes of their own.

The grammar is in `parsing`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from kformat.integers import MAX_INT64, MIN_INT64
from kformat.language import types
from kformat.language.encodings import LENIENT
from kformat.language.mark import nearest
from kformat.language.node import Node, replaced
from kformat.language.types import (
    ANY,
    BYTES,
    EXACT,
    FLOAT,
    MAX_EXACT_BITS,
    TEXT,
    Bytes,
    EnumType,
    Float,
    ListOf,
    Text,
    Type,
)
from kformat.language.types import BOOLEAN as BOOLEAN
from kformat.language.types import INT64 as INT64
from kformat.language.types import Boolean as Boolean
from kformat.language.types import Integer as Integer

MAX_NODES: Final = 2000
"""Most nodes of an expression after the parameters of inlined types are inserted."""

MAX_TEXT: Final = 1 << 20
"""Longest text that an expression makes, in characters."""

KERNEL_OPS: Final = frozenset(
    ("constant", "name", "neg", "inv", "not", "and", "or", "if", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
    + ("<", "<=", ">", ">=", "==", "!=")
)
"""The ops that kernels evaluate, over integers of at most 64 bits and booleans."""


class ExpressionError(Exception):
    """A wrong expression: ``message`` and ``column`` (from 0). `declaration` turns it into a DeclarationError."""

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.message, self.column = message, column
        self.aside = ""
        """A hint to add if the word stands alone."""


class EvaluationError(ArithmeticError):
    """An evaluation without a result, or with one beyond its type. The codec makes a DataError of it."""


class Expression(Node):
    """A typed node; the module's docstring has the table of ``op``, ``arguments`` and ``value``.

    ``low`` and ``high`` bound the values of an Integer or EnumType (0 and 1 for a Boolean; 0 and 0 for other types).
    ``overflow`` is "never" or "error", for this node alone: whether its own evaluation can fail.
    """

    op: str
    arguments: tuple[Expression, ...]
    value: Any
    type: Type
    low: int
    high: int
    overflow: str = "never"

    @property
    def is_constant(self) -> bool:
        return self.op == "constant"

    def names(self) -> set[tuple[str, ...]]:
        """The paths of all names that it refers to."""
        if self.op == "name":
            return {self.value}
        return set().union(*(argument.names() for argument in self.arguments)) if self.arguments else set()

    def __str__(self) -> str:
        match self.op:
            case "constant":
                if isinstance(self.value, bool | int):
                    return str(self.value).lower()
                return str(list(self.value)) if isinstance(self.value, bytes) else repr(self.value)
            case "name":
                return ".".join(self.value)
            case "local" | "inlined":
                return str(self.value)
            case "member":
                return f"{_grouped(self.arguments[0])}.{self.value}"
            case "method":
                arguments = ", ".join(map(str, self.arguments[1:]))
                return f"{_grouped(self.arguments[0])}.{self.value}" + f"({arguments})" * bool(arguments)
            case "index":
                return f"{_grouped(self.arguments[0])}[{self.arguments[1]}]"
            case "cast":
                return f"{_grouped(self.arguments[0])}.as<{self.type}>"
            case "list":
                return f"[{', '.join(map(str, self.arguments))}]"
            case "format":
                parts = (str(item.value) if item.is_constant else f"{{{item}}}" for item in self.arguments)
                return f'f"{"".join(parts)}"'
            case "neg" | "inv" | "not":
                return {"neg": "-", "inv": "~", "not": "not "}[self.op] + _grouped(self.arguments[0])
            case "if":
                return " ".join(
                    (_grouped(self.arguments[0]), "?", _grouped(self.arguments[1]), ":", _grouped(self.arguments[2]))
                )
            case _:
                return f"{_grouped(self.arguments[0])} {self.op} {_grouped(self.arguments[1])}"


_CLOSED: Final = ("constant", "name", "local", "inlined", "member", "method", "index", "cast", "list", "format")


def _grouped(node: Expression) -> str:
    return str(node) if node.op in _CLOSED else f"({node})"


def constant(value: int | bool | float | str | bytes) -> Expression:
    """A node for a known value; integers beyond `types.EXACT` raise ExpressionError."""
    if isinstance(value, bool):
        return Expression("constant", (), value, BOOLEAN, int(value), int(value))
    if isinstance(value, float):
        return Expression("constant", (), value, FLOAT, 0, 0)
    if isinstance(value, str | bytes):
        return Expression("constant", (), value, TEXT if isinstance(value, str) else BYTES, 0, 0)
    if not MIN_INT64 <= value < 2**64:
        if not EXACT.low <= value <= EXACT.high:
            raise ExpressionError(f"an integer that does not fit in {MAX_EXACT_BITS} bits")
        return Expression("constant", (), value, EXACT, value, value)
    return Expression("constant", (), value, INT64 if value <= MAX_INT64 else Integer(64, False), value, value)


def enum_member(enum: str, value: int) -> Expression:
    """A node for a member of an enum, by the enum's Kaitai name and the member's integer."""
    return Expression("constant", (), value, EnumType(enum), value, value)


def _leaf(
    op: str,
    value: Any,
    kind: Type,
    arguments: tuple[Expression, ...] = (),
    low: int | None = None,
    high: int | None = None,
) -> Expression:
    """A node whose evaluation yields any value of its type, or of a narrower range."""
    bounds = (0, 1) if isinstance(kind, Boolean) else (kind.low, kind.high) if isinstance(kind, Integer) else (0, 0)
    if isinstance(kind, EnumType):
        bounds = MIN_INT64, MAX_INT64
    low, high = bounds[0] if low is None else low, bounds[1] if high is None else high
    return Expression(
        op, arguments, value, kind, low, high, "error" if op in ("member", "method", "index") else "never"
    )


def name(path: tuple[str, ...], kind: Type, low: int | None = None, high: int | None = None) -> Expression:
    """A node for a name of a type; a rule may narrow the range of its values."""
    if isinstance(kind, Boolean):
        low = high = None
    return _leaf("name", path, kind, (), low, high)


def local(word: str, kind: Type) -> Expression:
    """A node for ``_`` or ``_index``."""
    return _leaf("local", word, kind)


def member(
    owner: Expression, attribute: str, kind: Type, low: int | None = None, high: int | None = None
) -> Expression:
    """A field, parameter or instance of a structure; the resolver knows its type. Extends a name's path."""
    if owner.op == "name":
        return name((*owner.value, attribute), kind, low, high)
    return _leaf("member", attribute, kind, (owner,), low, high)


def inlined(word: str, kind: types.Structure, owner: Expression | None) -> Expression:
    """A word for a structure whose fields are those of ``owner``, or of the value that the expression is of (None)."""
    return Expression("inlined", () if owner is None else (owner,), word, kind, 0, 0)


def method(receiver: Expression, word: str, arguments: tuple[Expression, ...] = (), column: int = 0) -> Expression:
    """A node for a method after a dot, one of `types.METHODS`.

    Raises ExpressionError for a name that the receiver's type does not have, and for wrong arguments.
    """
    entry = types.method_of(receiver.type, word)
    if entry is None:
        hint = nearest(word, types.METHODS[type(receiver.type)])
        raise ExpressionError(f"{receiver} is {receiver.type}, which has no {word!r}{hint}", column)
    declared, result = entry
    if types.is_structure(receiver.type):  # `_io`, `_parent`, `_root` are attributes of every structure
        return member(receiver, word, result)
    wanted = declared.arguments if arguments or not declared.optional else ()
    if len(arguments) != len(wanted):
        if word == "to_s" and receiver.type == BYTES:
            raise ExpressionError("to_s needs the name of an encoding, as in to_s('UTF-8')", column)
        count = f"{len(declared.arguments)} argument{'s' * (len(declared.arguments) != 1)}"
        raise ExpressionError(f"{word!r} takes {count}, {len(arguments)} given", column)
    for argument, kind in zip(arguments, wanted, strict=True):
        if type(argument.type) is not type(kind):
            raise ExpressionError(f"{word!r} needs {kind}, {argument} is {argument.type}", column)
    bounds = (receiver.low, receiver.high) if isinstance(receiver.type, EnumType) else (None, None)
    node = _leaf("method", word, result, (receiver, *arguments), *bounds)
    try:
        return _folded(node, column)
    except ExpressionError:  # `"12x".to_i` fails when it is evaluated, if it ever is
        return node


def index(items: Expression, position: Expression, column: int = 0) -> Expression:
    """An element of a list or of bytes. Raises ExpressionError if it is neither, or the position no integer."""
    if not isinstance(items.type, ListOf | Bytes) or not isinstance(position.type, Integer):
        raise ExpressionError(f"{items} is {items.type}, which has no element [{position}]", column)
    kind = items.type.element if isinstance(items.type, ListOf) else types.UINT8
    return _leaf("index", None, kind, (items, position))


def cast(node: Expression, kind: Type, column: int = 0) -> Expression:
    """``.as<kind>``. Raises ExpressionError where `types.can_cast` does not allow it."""
    if kind == BYTES and node.op == "list" and all(isinstance(argument.type, Integer) for argument in node.arguments):
        return Expression("list", node.arguments, None, BYTES, 0, 0, "error")
    if not types.can_cast(node.type, kind):
        raise ExpressionError(f"{node} is {node.type} and cannot be taken as {kind}", column)
    if isinstance(kind, Integer) and isinstance(node.type, Integer):
        return node  # the value stays, and with it its range
    return _leaf("cast", None, kind, (node,))


def items(nodes: tuple[Expression, ...], column: int = 0) -> Expression:
    """A list literal: bytes if all are constants in 0..255, otherwise a list of their common type.

    Raises ExpressionError if they have none.
    """
    if nodes and all(node.is_constant and isinstance(node.type, Integer) and 0 <= node.value < 256 for node in nodes):
        return constant(bytes(node.value for node in nodes))
    kind = nodes[0].type if nodes else ANY
    for node in nodes[1:]:
        kind = types.common(kind, node.type)
    if nodes and kind == ANY:
        raise ExpressionError("the elements of a list have no type in common", column)
    return _leaf("list", None, ListOf(kind), nodes)


def formatted(nodes: tuple[Expression, ...], column: int = 0) -> Expression:
    """An f-string. Raises ExpressionError for a part that is neither text nor an integer."""
    for node in nodes:
        if not isinstance(node.type, Text | Integer):
            raise ExpressionError(f"an f-string takes texts and integers, {node} is {node.type}", column)
    return _folded(Expression("format", nodes, None, TEXT, 0, 0, "error"), column)


def exact(node: Expression) -> Expression:
    """The same expression for an evaluation outside of kernels: its integers are `types.EXACT` and do not overflow."""
    if node.is_constant or not node.arguments:
        return replaced(node, type=EXACT) if isinstance(node.type, Integer) else node
    arguments = tuple(map(exact, node.arguments))
    if node.op in KERNEL_OPS:
        return typed(node.op, arguments, 0)
    return replaced(node, arguments=arguments, type=EXACT if isinstance(node.type, Integer) else node.type)


# --- types, ranges, folding ----------------------------------------------------------------------------------------


def _floor_division(left: int, right: int) -> int:
    if right == 0:
        raise EvaluationError("division by zero")
    return left // right


def _remainder(left: int, right: int) -> int:
    if right == 0:
        raise EvaluationError("division by zero")
    return left % right


def _shift_left(left: int, right: int) -> int:
    if not 0 <= right < 64:
        raise EvaluationError(f"shift by {right}")
    return left << right


def _shift_right(left: int, right: int) -> int:
    if not 0 <= right < 64:
        raise EvaluationError(f"shift by {right}")
    return left >> right


def _exact_shift_left(left: int, right: int) -> int:
    if not 0 <= right < MAX_EXACT_BITS:
        raise EvaluationError(f"shift by {right}")
    return left << right


def _exact_shift_right(left: int, right: int) -> int:
    if right < 0:
        raise EvaluationError(f"shift by {right}")
    return left >> right


def _float_division(left: float, right: float) -> float:
    if right == 0:
        raise EvaluationError("division by zero")
    return left / right


_INTEGER_OPERATORS: Final[dict[str, Callable[..., int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _floor_division,
    "%": _remainder,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": _shift_left,
    ">>": _shift_right,
    "neg": operator.neg,
    "inv": operator.invert,
}
_EXACT_OPERATORS: Final = _INTEGER_OPERATORS | {"<<": _exact_shift_left, ">>": _exact_shift_right}
_FLOAT_OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    op: _INTEGER_OPERATORS[op] for op in ("+", "-", "*", "%", "neg")
} | {"/": _float_division}
_COMPARERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def _bits_range(*nodes: Expression) -> tuple[int, int]:
    """Bounds of a bitwise result: the smallest two's complement range that holds all operands."""
    bits = max(max(node.low, -node.low - 1, node.high, -node.high - 1).bit_length() for node in nodes)
    return (0 if all(node.low >= 0 for node in nodes) else -(1 << bits)), (1 << bits) - 1


def _range(op: str, nodes: tuple[Expression, ...]) -> tuple[int, int]:
    left = nodes[0]
    match op:
        case "neg":
            return -left.high, -left.low
        case "inv":
            return ~left.high, ~left.low
        case "+":
            return left.low + nodes[1].low, left.high + nodes[1].high
        case "-":
            return left.low - nodes[1].high, left.high - nodes[1].low
        case "&" if nodes[1].low >= 0 or left.low >= 0:
            return 0, min(node.high for node in nodes if node.low >= 0)
        case "&" | "|" | "^":
            return _bits_range(*nodes)
        case "%" if nodes[1].low > 0:
            return 0, nodes[1].high - 1
        case "%":
            magnitude = max(abs(nodes[1].low), abs(nodes[1].high))
            return -magnitude, magnitude
    right = nodes[1]
    ends = {"*": (right.low, right.high), "/": (1, -1, right.low, right.high)}.get(op)
    if ends is None:  # a shift: amounts outside of 0..63 (0..4095 if exact) fail when evaluated
        most = MAX_EXACT_BITS - 1 if EXACT in (left.type, right.type) else 63
        ends = (min(max(right.low, 0), most), min(max(right.high, 0), most))
    if op == "/":  # the quotients furthest from zero come from the divisors nearest to it
        ends = tuple(end for end in ends if right.low <= end <= right.high and end != 0) or (1,)
    values = [_EXACT_OPERATORS[op](a, b) for a in (left.low, left.high) for b in ends]
    return min(*values, 0) if op == "/" else min(values), max(*values, 0) if op == "/" else max(values)


def _may_fail(op: str, nodes: tuple[Expression, ...]) -> bool:
    if op in ("/", "%"):
        return nodes[1].low <= 0 <= nodes[1].high
    if op in ("<<", ">>"):
        most = MAX_EXACT_BITS - 1 if EXACT in (nodes[0].type, nodes[1].type) else 63
        return nodes[1].low < 0 or nodes[1].high > most
    return False


def as_condition(node: Expression) -> Expression:
    """Convert a single bit to a condition: true if it is 1. Kaitai types such a bit as a Boolean."""
    return typed("!=", (node, constant(0)), 0) if node.type == Integer(1, False) else node


def _want(
    kind: type[Integer] | type[Boolean], nodes: tuple[Expression, ...], op: str, column: int
) -> tuple[Expression, ...]:
    if kind is Boolean:
        nodes = tuple(as_condition(node) for node in nodes)
    for node in nodes:
        if not isinstance(node.type, kind):
            wanted = "an integer" if kind is Integer else "a condition"
            raise ExpressionError(f"{op!r} needs {wanted}, {node} is {node.type}", column)
    return nodes


def _alike(nodes: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Make both sides of one kind: a single bit next to a condition becomes a condition."""
    return tuple(map(as_condition, nodes)) if any(isinstance(node.type, Boolean) for node in nodes) else nodes


def _bounded(op: str, nodes: tuple[Expression, ...], low: int, high: int, sound: bool) -> Expression:
    """A node in signed 64 bits, or EXACT; checked on evaluation unless its operation cannot fail and its range fits."""
    kind = EXACT if any(node.type == EXACT for node in nodes) else INT64
    fits = sound and kind.low <= low and high <= kind.high
    low, high = (min(max(end, kind.low), kind.high) for end in (low, high))
    return Expression(op, nodes, None, kind, low, high, "never" if fits else "error")


def typed(op: str, nodes: tuple[Expression, ...], column: int) -> Expression:
    """A node for an operator, folded. Raises ExpressionError, with the column, where its types do not allow it."""
    shown = {"neg": "-", "inv": "~", "if": "?"}.get(op, op)
    if op in ("and", "or", "not"):
        nodes = _want(Boolean, nodes, shown, column)
        node = Expression(op, nodes, None, BOOLEAN, 0, 1)
    elif op in _COMPARERS:
        nodes = _alike(nodes)
        left, right = nodes[0].type, nodes[1].type
        both = isinstance(left, Integer | Boolean) and type(left) is type(right)
        if not both and not types.can_compare(op, left, right):
            hint = "; bytes become text by .to_s('ASCII'), or in a field of the type str" * (
                {left, right} == {BYTES, TEXT}
            )
            raise ExpressionError(f"{op!r} compares {left} with {right}{hint}", column)
        node = Expression(op, nodes, None, BOOLEAN, 0, 1)
    elif op == "if":
        node = _choice(_want(Boolean, nodes[:1], shown, column) + _alike(nodes[1:]), column)
    elif op == "+" and all(isinstance(node.type, Text) for node in nodes):
        node = Expression(op, nodes, None, TEXT, 0, 0, "error")
    elif op in _FLOAT_OPERATORS and _are_floats(nodes):
        node = Expression(op, nodes, None, FLOAT, 0, 0, "error")
    else:
        nodes = _want(Integer, nodes, shown, column)
        node = _bounded(op, nodes, *_range(op, nodes), not _may_fail(op, nodes))
    return _folded(node, column)


def _are_floats(nodes: tuple[Expression, ...]) -> bool:
    return any(isinstance(node.type, Float) for node in nodes) and all(types.is_number(node.type) for node in nodes)


def _choice(nodes: tuple[Expression, ...], column: int) -> Expression:
    _, yes, no = nodes
    low, high = min(yes.low, no.low), max(yes.high, no.high)
    kind = types.common(yes.type, no.type)
    if kind == ANY and ANY not in (yes.type, no.type):
        raise ExpressionError(f"'?' chooses between {yes.type} and {no.type}", column)
    if not isinstance(kind, Integer):
        return Expression("if", nodes, None, kind, low, high)
    if EXACT in (yes.type, no.type):
        return Expression("if", nodes, None, EXACT, low, high)
    if low >= 0 and high > MAX_INT64:
        return Expression("if", nodes, None, Integer(64, False), low, high)
    return _bounded("if", nodes, low, high, high <= MAX_INT64)


def _folded(node: Expression, column: int) -> Expression:
    """A constant, if all its arguments are and the result is one that a constant can have."""
    if not all(argument.is_constant for argument in node.arguments):
        return node
    try:
        value = compile_expression(node)(None)
    except EvaluationError as error:
        kinds = [argument.type for argument in node.arguments]
        if node.op in KERNEL_OPS and EXACT not in kinds and all(isinstance(kind, Integer) for kind in kinds):
            return typed(node.op, tuple(map(exact, node.arguments)), column)  # 64 bits may be too few
        raise ExpressionError(str(error), column) from None
    if isinstance(node.type, EnumType):
        return enum_member(node.type.name, value)
    if isinstance(node.type, Float) and isinstance(value, int):
        value = float(value)
    known = constant(value)
    return replaced(known, type=EXACT) if node.type == EXACT else known


# --- evaluation ----------------------------------------------------------------------------------------------------

Evaluate = Callable[[Any], Any]


def compile_expression(node: Expression) -> Evaluate:
    """A function from a scope (an object whose attributes are the names) to the value.

    A local is an attribute of the scope, too. The function raises EvaluationError where `overflow` is "error" and the
    evaluation fails, and where a name is absent.
    """
    if node.op == "constant":
        value = node.value
        return lambda scope: value
    if node.op == "name":
        return operator.attrgetter(".".join(node.value))
    if node.op == "local":
        return operator.attrgetter(node.value)
    parts = [compile_expression(argument) for argument in node.arguments]
    if node.op == "if":
        condition, yes, no = parts
        return _checked(node, lambda scope: yes(scope) if condition(scope) else no(scope))
    if node.op == "not":
        (part,) = parts
        return lambda scope: not part(scope)
    operators = _operators(node)
    if node.op in ("neg", "inv"):
        (part,) = parts
        unary = operators[node.op]
        return _checked(node, lambda scope: unary(part(scope)))
    if node.op not in KERNEL_OPS:
        return _compile_other(node, parts)
    left, right = parts
    if charge_of(node) is not None:
        left = _charging(node, left)
    if node.op == "and":
        return lambda scope: left(scope) and right(scope)
    if node.op == "or":
        return lambda scope: left(scope) or right(scope)
    if node.op in _COMPARERS:
        compare = _COMPARERS[node.op]
        return lambda scope: compare(left(scope), right(scope))
    apply = operators[node.op]
    if node.arguments[1].is_constant:  # the usual form of a size, `batch_length - 49`, without a call for the constant
        known = node.arguments[1].value
        return _checked(node, lambda scope: apply(left(scope), known))
    return _checked(node, lambda scope: apply(left(scope), right(scope)))


def _operators(node: Expression) -> dict[str, Callable[..., Any]]:
    if node.type == FLOAT:
        return _FLOAT_OPERATORS
    exact = any(argument.type == EXACT for argument in node.arguments)
    return _EXACT_OPERATORS if exact else _INTEGER_OPERATORS


def operator_of(node: Expression) -> Callable[..., Any]:
    """What computes an arithmetic node from its arguments' values; raises as `compile_expression`'s functions do."""
    return _operators(node)[node.op]


def _compile_other(node: Expression, parts: list[Evaluate]) -> Evaluate:
    """The ops outside of `KERNEL_OPS`."""
    match node.op:
        case "member":
            attribute = operator.attrgetter(node.value)
            return _guarded(node, lambda scope: attribute(parts[0](scope)))
        case "method":
            apply = METHOD_FUNCTIONS[type(node.arguments[0].type), node.value]
            if charge_of(node) is not None:
                parts = [_charging(node, parts[0]), *parts[1:]]
            return _guarded(node, lambda scope: apply(*(part(scope) for part in parts)))
        case "index":
            return _guarded(node, lambda scope: parts[0](scope)[parts[1](scope)])
        case "cast":
            return parts[0]
        case "list":
            if node.type == BYTES:
                return _guarded(node, lambda scope: bytes(part(scope) for part in parts))
            return lambda scope: [part(scope) for part in parts]
        case "format":
            parts = [_charging(node, part) for part in parts]
            return _guarded(node, lambda scope: "".join(str(part(scope)) for part in parts))
    raise AssertionError(node.op)


FREE_LENGTH: Final = 64
"""Going through a value of so many bytes, characters or elements costs no more than any other operation."""

_SLOW: Final = frozenset(("min", "max", "to_i"))
"""Methods that look at each element or character by itself; others move whole blocks."""

_LONG: Final = (Text, types.Bytes, ListOf)
_AT_ONCE: Final = frozenset(("length", "size", "first", "last"))


def charge_of(node: Expression) -> int | None:
    """The cost of an operation that goes through its first argument: the argument's length shifted right by so many
    bits. None for other operations.
    """
    if node.op == "format":
        return 4
    if not node.arguments or not isinstance(node.arguments[0].type, _LONG):
        return None
    if node.op == "method" and node.value not in _AT_ONCE:
        return 0 if node.value in _SLOW else 4
    if node.op in _COMPARERS and not any(argument.is_constant for argument in node.arguments):
        return 0 if isinstance(node.arguments[0].type, ListOf) else 4
    return 4 if node.op == "+" else None


def charged(stream: Any, value: Any, shift: int) -> Any:
    """Charge the value's length to the stream as work, and return the value; ``charge`` raises if it is too much."""
    try:
        size = len(value)
    except TypeError:  # in an f-string
        return value
    if size > FREE_LENGTH and stream is not None:
        stream.charge(size >> shift)
    return value


def _charging(node: Expression, evaluate: Evaluate) -> Evaluate:
    shift = charge_of(node)
    assert shift is not None
    return lambda scope: charged(getattr(scope, "_io", None), evaluate(scope), shift)


def _guarded(node: Expression, evaluate: Evaluate) -> Evaluate:
    def guarded(scope: Any) -> Any:
        try:
            value = evaluate(scope)
        except FAILURES as error:
            raise EvaluationError(f"{node}: {error}") from None
        if type(value) is str and len(value) > MAX_TEXT:
            raise EvaluationError(f"{node} is a text of {len(value)} characters; {MAX_TEXT} are allowed")
        return value

    return guarded


FAILURES: Final = (AttributeError, LookupError, TypeError, ValueError, OverflowError, ZeroDivisionError)
"""What Python raises where an evaluation has no result: the evaluator raises EvaluationError instead."""


def decode_text(data: bytes, encoding: str) -> str:
    """Bytes as text. Bytes that are not UTF-8 (or ASCII) become lone surrogates, so that a builder can restore them.

    Raises UnicodeDecodeError for other encodings, and LookupError for one that Python does not have.
    """
    lenient = LENIENT.get(encoding.upper())
    return bytes(data).decode(lenient or encoding, "surrogateescape" if lenient else "strict")


def text_to_integer(text: str, base: int = 10) -> int:
    """``text.to_i``. Raises ValueError for other texts, and for integers beyond `types.EXACT`."""
    number = int(text, base)
    if number.bit_length() >= MAX_EXACT_BITS:
        raise ValueError(f"an integer outside of {MAX_EXACT_BITS} bits")
    return number


METHOD_FUNCTIONS: Final[dict[tuple[type, str], Callable[..., Any]]] = {
    (Integer, "to_s"): str,
    (Float, "to_i"): int,
    (Boolean, "to_i"): int,
    (EnumType, "to_i"): int,
    (Text, "length"): len,
    (Text, "reverse"): lambda text: text[::-1],
    (Text, "to_i"): text_to_integer,
    (Text, "substring"): lambda text, start, end: text[start:end],
    (Bytes, "to_s"): decode_text,
    (types.Stream, "pos"): operator.attrgetter("pos"),
    (types.Stream, "size"): operator.attrgetter("size"),
    (types.Stream, "eof"): operator.attrgetter("eof"),
    **{
        (kind, word): apply
        for kind in (Bytes, ListOf)
        for word, apply in (
            ("length", len), ("size", len), ("min", min), ("max", max),
            ("first", operator.itemgetter(0)), ("last", operator.itemgetter(-1)),
        )
    },
}  # fmt: skip
"""The evaluation of `types.METHODS`, by the receiver's kind and the name: called with receiver and arguments."""


def _checked(node: Expression, evaluate: Evaluate) -> Evaluate:
    if node.overflow == "never":
        return evaluate
    if not isinstance(node.type, Integer):
        return _guarded(node, evaluate)
    low, high = node.type.low, node.type.high

    def checked(scope: Any) -> int:
        value: int = evaluate(scope)
        if not low <= value <= high:
            shown, bits = (value, 64) if high == MAX_INT64 else ("an integer", MAX_EXACT_BITS)
            raise EvaluationError(f"{node} is {shown}, outside of {bits} bits")
        return value

    return checked


def is_large(node: Expression) -> bool:
    """Whether it has more nodes than a written expression can have: parameters are replaced by whole expressions."""
    pending, count = [node], 0
    while pending:
        count += 1
        if count > MAX_NODES:
            return True
        pending += pending.pop().arguments
    return False


def inverse(node: Expression) -> tuple[tuple[str, ...], int] | None:
    """For ``name``, ``name + c`` and ``name - c``: the name, and the number to add to the node's value to get the
    name's.

    A builder uses it to compute a length from a size: for ``batch_length - 49`` it is ``(("batch_length",), 49)``. None
    for every other form.
    """
    if node.op == "name":
        return node.value, 0
    if node.op in ("+", "-") and node.arguments[0].op == "name" and node.arguments[1].is_constant:
        known = node.arguments[1].value
        return node.arguments[0].value, (-known if node.op == "+" else known)
    if node.op == "+" and node.arguments[0].is_constant and node.arguments[1].op == "name":
        return node.arguments[1].value, -node.arguments[0].value
    return None


def combine(op: str, left: Expression, right: Expression) -> Expression:
    """``left op right`` as a typed and folded node."""
    return typed(op, (left, right), 0)


def any_of(nodes: list[Expression]) -> Expression:
    """``a or b or ...``, as a tree whose depth grows with the logarithm of their number."""
    if len(nodes) == 1:
        return nodes[0]
    middle = len(nodes) // 2
    return combine("or", any_of(nodes[:middle]), any_of(nodes[middle:]))
