"""The expression language of declarations: parse, type, fold, evaluate.

It is a small part of Kaitai's language, over integers and booleans, with a rule wherever programming languages differ:

* Every node has a type with width and signedness, the range of its values, and an overflow rule.
* Arithmetic is exact. Results are signed 64-bit integers. If the range shows that a result always fits, `overflow` is
  "never"; otherwise it is "error", and an evaluation beyond 64 bits raises instead of wrapping.
* Division rounds down and the remainder has the divisor's sign, as in Kaitai's own languages; division by zero is an
  error.
* Comparisons compare values, whatever the widths and signs of their sides.
* A single bit may be used as a condition.
* Names that end in `.value` or `.to_i` mean the integer itself, which is what a declared varint or enum is here.

The grammar, loosest binding first; other features of Kaitai are refused with name and column:

    ternary    := or ['?' ternary ':' ternary]
    or         := and {'or' and}            and     := not {'and' not}          not := 'not' not | comparison
    comparison := bits [('<' | '<=' | '>' | '>=' | '==' | '!=') bits]
    bits       := xor {'|' xor}             xor     := both {'^' both}          both := shift {'&' shift}
    shift      := sum {('<<' | '>>') sum}   sum     := term {('+' | '-') term}  term := unary {('*' | '/' | '%') unary}
    unary      := ('-' | '~' | '+') unary | atom
    atom       := integer | 'true' | 'false' | name {'.' name} | name '::' name | '(' ternary ')'
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from kformat.integers import MAX_INT64, MIN_INT64

MAX_LENGTH: Final = 2000
"""Longest expression in characters."""

MAX_DEPTH: Final = 20
"""Deepest nesting of parentheses, unary operators and ternaries."""

MAX_OPERATORS: Final = 100
"""Most operators in one expression: bounds the depth of the tree, and of every recursion over it."""


class ExpressionError(Exception):
    """A wrong expression: ``message`` and ``column`` (from 0). `declaration` turns it into a DeclarationError."""

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.message, self.column = message, column


class EvaluationError(ArithmeticError):
    """An evaluation without a result in 64 bits. The codec turns it into a DataError with path and position."""


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer type: ``bits`` from 1 to 64 and ``signed``. Two's complement."""

    bits: int
    signed: bool

    @property
    def low(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << (self.bits - 1)) - 1 if self.signed else (1 << self.bits) - 1

    def __str__(self) -> str:
        return f"{'int' if self.signed else 'uint'}{self.bits}"


@dataclass(frozen=True, slots=True)
class Boolean:
    """The type of conditions."""

    def __str__(self) -> str:
        return "bool"


BOOLEAN: Final = Boolean()
INT64: Final = Integer(64, True)


@dataclass(frozen=True, slots=True)
class Expression:
    """A typed node.

    ``op`` is "constant", "name", an operator's sign, "neg", "inv", "and", "or", "not" or "if"; ``arguments`` are its
    operands; ``value`` is a constant's value or a name's path. ``low`` and ``high`` bound the values it can take
    (0 and 1 for a Boolean). ``overflow`` is "never" or "error", for this node alone.
    """

    op: str
    arguments: tuple[Expression, ...]
    value: Any
    type: Integer | Boolean
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
                return str(self.value).lower() if isinstance(self.value, bool) else str(self.value)
            case "name":
                return ".".join(self.value)
            case "neg" | "inv" | "not":
                return {"neg": "-", "inv": "~", "not": "not "}[self.op] + _grouped(self.arguments[0])
            case "if":
                return " ".join(
                    (_grouped(self.arguments[0]), "?", _grouped(self.arguments[1]), ":", _grouped(self.arguments[2]))
                )
            case _:
                return f"{_grouped(self.arguments[0])} {self.op} {_grouped(self.arguments[1])}"


def _grouped(node: Expression) -> str:
    return str(node) if node.op in ("constant", "name") else f"({node})"


Resolve = Callable[[tuple[str, ...]], Expression]
"""Resolves a name: takes its path, returns a node, raises ExpressionError if the name is unknown."""


def constant(value: int | bool) -> Expression:
    """A node for a known value; integers outside of 64 bits (signed or unsigned) raise ExpressionError."""
    if isinstance(value, bool):
        return Expression("constant", (), value, BOOLEAN, int(value), int(value))
    if not MIN_INT64 <= value < 2**64:
        raise ExpressionError(f"{value} does not fit in 64 bits")
    return Expression("constant", (), value, INT64 if value <= MAX_INT64 else Integer(64, False), value, value)


def name(path: tuple[str, ...], kind: Integer | Boolean, low: int | None = None, high: int | None = None) -> Expression:
    """A node for a name of a type; a rule may narrow the range of its values."""
    if isinstance(kind, Boolean):
        return Expression("name", (), path, kind, 0, 1)
    return Expression("name", (), path, kind, kind.low if low is None else low, kind.high if high is None else high)


# --- parsing -------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"\s*(?:(?P<integer>0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|[0-9][0-9_]*(?![.\w]))"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<sign><<|>>|<=|>=|==|!=|::|[-+*/%&|^~<>?:().]))"
)
_PYTHON_PREFIX: Final = {"0x": 16, "0b": 2, "0o": 8}
_COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=")
_LEVELS: Final = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int


def _tokens(text: str) -> list[_Token]:
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"an expression of {len(text)} characters; {MAX_LENGTH} are allowed", MAX_LENGTH)
    found, position = [], 0
    end = len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            column = position + len(text[position:]) - len(text[position:].lstrip())
            raise ExpressionError(
                f"{text[column : column + 10]!r} is not part of the supported expression language", column
            )
        kind = match.lastgroup or ""
        found.append(_Token(kind, match.group(kind), match.start(kind)))
        position = match.end()
    found.append(_Token("end", "", end))
    return found


class _Parser:
    """One left-to-right pass; types are derived bottom-up."""

    def __init__(self, text: str, resolve: Resolve) -> None:
        self.tokens, self.index, self.depth, self.resolve = _tokens(text), 0, 0, resolve
        self.operators = 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.index]

    def accept(self, *texts: str) -> _Token | None:
        token = self.token
        if token.kind in ("sign", "name") and token.text in texts:
            self.index += 1
            return token
        return None

    def expect(self, text: str) -> None:
        if self.accept(text) is None:
            raise ExpressionError(f"{text!r} expected, found {self.token.text or 'the end'!r}", self.token.column)

    def operation(self, op: str, nodes: tuple[Expression, ...], column: int) -> Expression:
        self.operators += 1
        if self.operators > MAX_OPERATORS:
            raise ExpressionError(f"more than {MAX_OPERATORS} operators", column)
        return _typed(op, nodes, column)

    def whole(self) -> Expression:
        node = self.ternary()
        if self.token.kind != "end":
            raise ExpressionError(f"{self.token.text!r} is not expected here", self.token.column)
        return node

    def nested(self, parse: Callable[[], Expression]) -> Expression:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ExpressionError(f"nested more than {MAX_DEPTH} deep", self.token.column)
        node = parse()
        self.depth -= 1
        return node

    def ternary(self) -> Expression:
        column = self.token.column
        condition = self.disjunction()
        if self.accept("?") is None:
            return condition
        yes = self.nested(self.ternary)
        self.expect(":")
        return self.operation("if", (condition, yes, self.nested(self.ternary)), column)

    def disjunction(self) -> Expression:
        node = self.conjunction()
        while token := self.accept("or"):
            node = self.operation("or", (node, self.conjunction()), token.column)
        return node

    def conjunction(self) -> Expression:
        node = self.negation()
        while token := self.accept("and"):
            node = self.operation("and", (node, self.negation()), token.column)
        return node

    def negation(self) -> Expression:
        if token := self.accept("not"):
            return self.operation("not", (self.nested(self.negation),), token.column)
        node = self.binary(0)
        if token := self.accept(*_COMPARISONS):
            node = self.operation(token.text, (node, self.binary(0)), token.column)
        return node

    def binary(self, level: int) -> Expression:
        if level == len(_LEVELS):
            return self.unary()
        node = self.binary(level + 1)
        while token := self.accept(*_LEVELS[level]):
            node = self.operation(token.text, (node, self.binary(level + 1)), token.column)
        return node

    def unary(self) -> Expression:
        if token := self.accept("-", "~", "+"):
            operand, op = self.nested(self.unary), {"-": "neg", "~": "inv"}.get(token.text)
            return operand if op is None else self.operation(op, (operand,), token.column)
        return self.atom()

    def atom(self) -> Expression:
        token = self.token
        if token.kind == "integer":
            self.index += 1
            digits = token.text.replace("_", "")
            try:
                return constant(int(digits, _PYTHON_PREFIX.get(digits[:2].lower(), 10)))
            except ValueError:
                raise ExpressionError(f"{token.text!r} is not an integer", token.column) from None
            except ExpressionError as error:
                raise ExpressionError(error.message, token.column) from None
        if self.accept("("):
            node = self.nested(self.ternary)
            self.expect(")")
            return node
        if token.kind != "name" or token.text in ("and", "or", "not"):
            raise ExpressionError(f"a value expected, found {token.text or 'the end'!r}", token.column)
        self.index += 1
        if token.text in ("true", "false"):
            return constant(token.text == "true")
        path = [token.text]
        while separator := self.accept(".", "::"):
            if self.token.kind != "name":
                raise ExpressionError(f"a name expected after {separator.text!r}", self.token.column)
            path += ["::", self.token.text] if separator.text == "::" else [self.token.text]
            self.index += 1
        try:
            return self.resolve(tuple(path))
        except ExpressionError as error:
            raise ExpressionError(error.message, token.column) from None


def parse(text: str, resolve: Resolve) -> Expression:
    """Parse, type and fold an expression.

    ``resolve`` is called for every name; an enum's member is passed as ``(enum, "::", member)``. Raises ExpressionError
    with the column of the error.
    """
    return _Parser(text, resolve).whole()


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
_COMPARERS: Final[dict[str, Callable[[int, int], bool]]] = {
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
    if ends is None:  # a shift: amounts outside of 0..63 fail when evaluated
        ends = (min(max(right.low, 0), 63), min(max(right.high, 0), 63))
    if op == "/":  # the quotients furthest from zero come from the divisors nearest to it
        ends = tuple(end for end in ends if right.low <= end <= right.high and end != 0) or (1,)
    values = [_INTEGER_OPERATORS[op](a, b) for a in (left.low, left.high) for b in ends]
    return min(*values, 0) if op == "/" else min(values), max(*values, 0) if op == "/" else max(values)


def _may_fail(op: str, nodes: tuple[Expression, ...]) -> bool:
    if op in ("/", "%"):
        return nodes[1].low <= 0 <= nodes[1].high
    if op in ("<<", ">>"):
        return nodes[1].low < 0 or nodes[1].high > 63
    return False


def as_condition(node: Expression) -> Expression:
    """Convert a single bit to a condition: true if it is 1. Kaitai types such a bit as a Boolean."""
    return _typed("!=", (node, constant(0)), 0) if node.type == Integer(1, False) else node


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
    """A node in signed 64 bits; checked on evaluation unless its operation cannot fail and its range fits."""
    fits = sound and MIN_INT64 <= low and high <= MAX_INT64
    low, high = (min(max(end, MIN_INT64), MAX_INT64) for end in (low, high))
    return Expression(op, nodes, None, INT64, low, high, "never" if fits else "error")


def _typed(op: str, nodes: tuple[Expression, ...], column: int) -> Expression:
    shown = {"neg": "-", "inv": "~", "if": "?"}.get(op, op)
    if op in ("and", "or", "not"):
        nodes = _want(Boolean, nodes, shown, column)
        node = Expression(op, nodes, None, BOOLEAN, 0, 1)
    elif op in _COMPARERS:
        nodes = _alike(nodes)
        if isinstance(nodes[0].type, Boolean) != isinstance(nodes[1].type, Boolean):
            raise ExpressionError(f"{op!r} compares {nodes[0].type} with {nodes[1].type}", column)
        node = Expression(op, nodes, None, BOOLEAN, 0, 1)
    elif op == "if":
        nodes = _want(Boolean, nodes[:1], shown, column) + _alike(nodes[1:])
        low, high = min(nodes[1].low, nodes[2].low), max(nodes[1].high, nodes[2].high)
        if isinstance(nodes[1].type, Boolean) != isinstance(nodes[2].type, Boolean):
            raise ExpressionError(f"'?' chooses between {nodes[1].type} and {nodes[2].type}", column)
        if isinstance(nodes[1].type, Boolean):
            node = Expression(op, nodes, None, BOOLEAN, 0, 1)
        elif low >= 0 and high > MAX_INT64:
            node = Expression(op, nodes, None, Integer(64, False), low, high)
        else:
            node = _bounded(op, nodes, low, high, high <= MAX_INT64)
    else:
        nodes = _want(Integer, nodes, shown, column)
        node = _bounded(op, nodes, *_range(op, nodes), not _may_fail(op, nodes))
    if all(argument.is_constant for argument in nodes):
        try:
            return constant(compile_expression(node)(None))
        except EvaluationError as error:
            raise ExpressionError(str(error), column) from None
    return node


# --- evaluation ----------------------------------------------------------------------------------------------------

Evaluate = Callable[[Any], Any]


def compile_expression(node: Expression) -> Evaluate:
    """A function from a scope (an object whose attributes are the names) to the value.

    The function raises EvaluationError where `overflow` is "error" and the result does not fit.
    """
    if node.op == "constant":
        value = node.value
        return lambda scope: value
    if node.op == "name":
        return operator.attrgetter(".".join(node.value))
    parts = [compile_expression(argument) for argument in node.arguments]
    if node.op == "if":
        condition, yes, no = parts
        return _checked(node, lambda scope: yes(scope) if condition(scope) else no(scope))
    if node.op == "not":
        (part,) = parts
        return lambda scope: not part(scope)
    if node.op in ("neg", "inv"):
        (part,) = parts
        unary = _INTEGER_OPERATORS[node.op]
        return _checked(node, lambda scope: unary(part(scope)))
    left, right = parts
    if node.op == "and":
        return lambda scope: left(scope) and right(scope)
    if node.op == "or":
        return lambda scope: left(scope) or right(scope)
    if node.op in _COMPARERS:
        compare = _COMPARERS[node.op]
        return lambda scope: compare(left(scope), right(scope))
    apply = _INTEGER_OPERATORS[node.op]
    if node.arguments[1].is_constant:  # the usual form of a size, `batch_length - 49`, without a call for the constant
        known = node.arguments[1].value
        return _checked(node, lambda scope: apply(left(scope), known))
    return _checked(node, lambda scope: apply(left(scope), right(scope)))


def _checked(node: Expression, evaluate: Evaluate) -> Evaluate:
    if node.overflow == "never":
        return evaluate

    def checked(scope: Any) -> int:
        value: int = evaluate(scope)
        if not MIN_INT64 <= value <= MAX_INT64:
            raise EvaluationError(f"{node} is {value}, outside of 64 bits")
        return value

    return checked


def is_large(node: Expression) -> bool:
    """Whether it has more nodes than a written expression can have: parameters are replaced by whole expressions."""
    pending, count = [node], 0
    while pending:
        count += 1
        if count > MAX_LENGTH:
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
    return _typed(op, (left, right), 0)


def any_of(nodes: list[Expression]) -> Expression:
    """``a or b or ...``, as a tree whose depth grows with the logarithm of their number."""
    if len(nodes) == 1:
        return nodes[0]
    middle = len(nodes) // 2
    return combine("or", any_of(nodes[:middle]), any_of(nodes[middle:]))
