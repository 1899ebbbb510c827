"""The expression language: what it means, which types and ranges it gives, and how it complains."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kformat.integers import MAX_INT64, MIN_INT64
from kformat.language.expression import (
    BOOLEAN,
    INT64,
    Boolean,
    EvaluationError,
    Expression,
    ExpressionError,
    Integer,
    as_condition,
    combine,
    compile_expression,
    constant,
    inverse,
    method,
    name,
)
from kformat.language.parsing import MAX_DEPTH, MAX_LENGTH, MAX_OPERATORS, parse
from kformat.language.types import Type

KINDS: dict[str, Integer | Boolean] = {
    "flag": Integer(1, False),
    "u1": Integer(8, False),
    "s1": Integer(8, True),
    "s4": Integer(32, True),
    "u4": Integer(32, False),
    "s8": Integer(64, True),
    "u8": Integer(64, False),
    "yes": BOOLEAN,
}


class Words:
    """The names above, and one member of an enum, as an integer."""

    def name(self, word: str) -> Expression:
        if word in KINDS:
            return name((word,), KINDS[word])
        raise ExpressionError(f"no {word}")

    def attribute(self, owner: Expression, word: str) -> Expression:
        return method(owner, word)

    def enum_member(self, path: tuple[str, ...], member: str) -> Expression:
        if (path, member) == (("kind",), "two"):
            return constant(2)
        raise ExpressionError(f"no {'::'.join((*path, member))}")

    def cast_type(self, text: str) -> Type:
        raise ExpressionError(f"no {text}")

    def size_of(self, text: str, bits: bool) -> Expression:
        raise ExpressionError(f"no {text}")


def of(text: str) -> Expression:
    return parse(text, Words())


VALUES = SimpleNamespace(flag=1, u1=200, s1=-7, s4=-100_000, u4=4_000_000_000, s8=-(2**62), u8=2**64 - 1, yes=True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # literals
        ("0", 0),
        ("1_000", 1000),
        ("0xfF", 255),
        ("0b1_01", 5),
        ("0o17", 15),
        ("18446744073709551615", 2**64 - 1),
        ("99999999999999999999", 99999999999999999999),
        ("1 << 64", 2**64),
        ("-18446744073709551615", -(2**64) + 1),
        ("0xffffffff * 0xffffffff * 0xffffffff", (2**32 - 1) ** 3),
        ("true", True),
        ("kind::two", 2),
        # precedence, loosest to tightest
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("7 - 2 - 1", 4),
        ("100 / 7 % 5", 4),
        ("1 << 2 + 1", 8),
        ("6 & 3 << 1", 6),
        ("1 | 6 ^ 5 & 4", 3),
        ("1 + 1 == 2", True),
        ("1 | 2 == 3", True),
        ("not 1 == 2", True),
        ("true or false and false", True),
        ("false and true or true", True),
        ("not false and false", False),
        ("1 < 2 ? 3 : 4", 3),
        ("false ? 1 : false ? 2 : 3", 3),
        ("-2 * 3", -6),
        ("- - 2", 2),
        ("~5 & 0xff", 250),
        ("+3", 3),
        # division rounds down, the remainder has the divisor's sign
        ("-7 / 2", -4),
        ("7 / -2", -4),
        ("-7 % 2", 1),
        ("7 % -2", -1),
        ("-1 >> 63", -1),
        # names, whatever their widths and signs
        ("s1 + u1", 193),
        ("s4 < u4", True),
        ("s8 < u8", True),
        ("u8 >> 1", 2**63 - 1),
        ("u8 & 0xff", 255),
        ("u8 % 10", 5),
        ("s8 * 2", -(2**63)),
        ("s1 == -7 ? u1 : s8", 200),
        ("yes and s1 < 0", True),
        ("yes == (u1 > 3)", True),
        # a single bit is a condition where one is asked for
        ("flag ? 1 : 2", 1),
        ("not flag", False),
        ("flag and yes", True),
        ("flag == true", True),
        ("flag + 1", 2),
    ],
)
def test_value(text: str, value: Any) -> None:
    found = compile_expression(of(text))(VALUES)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "low", "high", "overflow"),
    [
        ("u1 + s1", -128, 382, "never"),
        ("u1 - u1", -255, 255, "never"),
        ("s1 * s1", -128 * 127, 128 * 128, "never"),
        ("-s1", -127, 128, "never"),
        ("~u1", -256, -1, "never"),
        ("u1 / 2", 0, 127, "never"),
        ("u1 / s1", -255, 255, "error"),
        ("u1 % 16", 0, 15, "never"),
        ("s4 % s1", -128, 128, "error"),
        ("s8 & u1", 0, 255, "never"),
        ("u1 | s1", -256, 255, "never"),
        ("u1 << 4", 0, 4080, "never"),
        ("u1 << s1", 0, MAX_INT64, "error"),
        ("s8 >> 60", -8, 7, "never"),
        ("s4 + s4", -(2**32), 2**32 - 2, "never"),
        ("s8 + 1", MIN_INT64 + 1, MAX_INT64, "error"),
        ("u8 + 0", 0, MAX_INT64, "error"),
        ("u4 * u4", 0, MAX_INT64, "error"),
        ("yes ? u8 : 0", 0, 2**64 - 1, "never"),
        ("yes ? u8 : -1", -1, MAX_INT64, "error"),
        ("u1 > 300", 0, 1, "never"),
    ],
)
def test_range_and_overflow(text: str, low: int, high: int, overflow: str) -> None:
    node = of(text)
    assert (node.low, node.high, node.overflow) == (low, high, overflow)
    assert node.type in (BOOLEAN, INT64) or text == "yes ? u8 : 0"


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        ("s8 + 1", {"s8": MAX_INT64}, "s8 + 1 is 9223372036854775808, outside of 64 bits"),
        ("-s8", {"s8": MIN_INT64}, "-s8 is 9223372036854775808, outside of 64 bits"),
        ("u8 - 0", {"u8": 2**63}, "u8 - 0 is 9223372036854775808, outside of 64 bits"),
        ("u1 / s1", {"u1": 1, "s1": 0}, "division by zero"),
        ("u1 % s1", {"u1": 1, "s1": 0}, "division by zero"),
        ("u1 << s1", {"u1": 1, "s1": 64}, "shift by 64"),
        ("u1 >> s1", {"u1": 1, "s1": -1}, "shift by -1"),
        ("yes ? u8 : -1", {"yes": True, "u8": 2**63}, "yes ? u8 : -1 is 9223372036854775808, outside of 64 bits"),
    ],
)
def test_evaluation_never_wraps(text: str, values: dict[str, Any], message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        compile_expression(of(text))(SimpleNamespace(**values))
    assert str(caught.value) == message


def test_conditions_are_lazy() -> None:
    assert compile_expression(of("s1 != 0 and u1 / s1 > 1"))(SimpleNamespace(s1=0, u1=4)) is False
    assert compile_expression(of("s1 == 0 ? 0 : u1 / s1"))(SimpleNamespace(s1=0, u1=4)) == 0


@pytest.mark.parametrize(
    ("text", "folded"),
    [("2 * (3 + 4)", "14"), ("1 < 2", "true"), ("1 + u1", "1 + u1"), ("u1 - (2 + 3)", "u1 - 5")],
)
def test_folding_and_text(text: str, folded: str) -> None:
    assert str(of(text)) == folded


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 0, "a value expected, found 'the end'"),
        ("1 +", 3, "a value expected, found 'the end'"),
        ("(1", 2, "')' expected, found 'the end'"),
        ("1 2", 2, "'2' is not expected here"),
        ("1 < 2 < 3", 6, "'<' is not expected here"),
        ("yes ? 1", 7, "':' expected, found 'the end'"),
        ("u1.5", 3, "a name expected after '.'"),
        ("1.5.", 4, "a name expected after '.'"),
        ("0x", 0, "'0x' is not part of the expression language"),
        ("0x_", 0, "'0x_' is not an integer"),
        ("u1 == 'a'", 3, "'==' compares uint8 with text"),
        ("u1 + [1]", 3, "'+' needs an integer, [1] is bytes"),
        ("u1 == 'a", 6, '"\'a" is not part of the expression language'),
        ("u1.value", 3, "u1 is uint8, which has no 'value'"),
        ("u1.", 3, "a name expected after '.'"),
        ("kind::", 6, "a name expected after '::'"),
        ("and", 0, "a value expected, found 'and'"),
        ("1 + nothing", 4, "no nothing"),
        ("0x1" + "0" * 1024, 0, "an integer that does not fit in 4096 bits"),
        ("1 and yes", 2, "'and' needs a condition, 1 is int64"),
        ("not u1", 0, "'not' needs a condition, u1 is uint8"),
        ("yes + 1", 4, "'+' needs an integer, yes is bool"),
        ("-yes", 0, "'-' needs an integer, yes is bool"),
        ("~yes", 0, "'~' needs an integer, yes is bool"),
        ("u1 ? 1 : 2", 0, "'?' needs a condition, u1 is uint8"),
        ("yes ? 1 : yes", 0, "'?' chooses between int64 and bool"),
        ("yes == 1", 4, "'==' compares bool with int64"),
        ("1 / 0", 2, "division by zero"),
        ("1 << 4096", 2, "shift by 4096"),
        ("1 << 4095", 2, "1 << 4095 is an integer, outside of 4096 bits"),
        ("(" * 65 + "1" + ")" * 65, MAX_DEPTH + 1, f"nested more than {MAX_DEPTH} deep"),
        ("u1" + "+u1" * 201, 2 + 3 * MAX_OPERATORS, f"more than {MAX_OPERATORS} operators"),
        ("1" * (MAX_LENGTH + 1), MAX_LENGTH, f"an expression of {MAX_LENGTH + 1} characters; {MAX_LENGTH} are allowed"),
    ],
)
def test_complaint(text: str, column: int, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        of(text)
    assert (caught.value.message, caught.value.column) == (message, column)


def test_the_deepest_that_is_allowed_needs_no_deep_stack() -> None:
    def under(frames: int, run: Callable[[], Any]) -> Any:
        return under(frames - 1, run) if frames else run()

    nested = "(" * MAX_DEPTH + "u1" + ")" * MAX_DEPTH
    chain = "u1" + "+u1" * MAX_OPERATORS
    for text, value in ((nested, 3), (chain, 3 * (MAX_OPERATORS + 1))):
        run = functools.partial(lambda text: compile_expression(of(text)), text)
        assert under(300, run)(SimpleNamespace(u1=3)) == value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("u1", (("u1",), 0)),
        ("u1 - 49", (("u1",), 49)),
        ("u1 + 4", (("u1",), -4)),
        ("4 + u1", (("u1",), -4)),
        ("4 - u1", None),
        ("u1 * 2", None),
        ("u1 + s1", None),
        ("3", None),
    ],
)
def test_inverse(text: str, found: Any) -> None:
    assert inverse(of(text)) == found


# --- a property: exact arithmetic, inside the stated range, and "never" never fails ----------------------------------

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": lambda a, b: a << b if 0 <= b < 64 else 1 // 0,
    ">>": lambda a, b: a >> b if 0 <= b < 64 else 1 // 0,
}
COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def shift(apply: Callable[[int, int], int]) -> Callable[[int, int], int]:
    """Python's own; a shift by a negative number, or beyond what memory holds, has no value."""

    def shifted(value: int, count: int) -> int:
        try:
            return apply(value, count)
        except (MemoryError, ValueError):
            raise ArithmeticError from None

    return shifted


CONSTANT = ARITHMETIC | {"<<": shift(operator.lshift), ">>": shift(operator.rshift)}
"""Of literals alone: these have as many bits as they need."""

Exact = Callable[[dict[str, int]], Any]
"""The value by Python's unbounded integers; ArithmeticError where there is none within 64 bits."""


def is_constant(text: str) -> bool:
    return not any(map(str.isalpha, text))


_INTERESTING = sorted({sign * (2**n) + d for n in (0, 1, 6, 7, 31, 32, 62, 63) for d in (-1, 0, 1) for sign in (1, -1)})


def integers(kind: Integer) -> st.SearchStrategy[int]:
    inside = [value for value in _INTERESTING if kind.low <= value <= kind.high]
    return st.sampled_from([*inside, kind.low, kind.high]) | st.integers(kind.low, kind.high)


def bounded(value: int, checked: bool = True) -> int:
    if checked and not MIN_INT64 <= value <= MAX_INT64:
        raise ArithmeticError
    return value


Tree = tuple[str, Exact, bool]
"""An expression, its value, and whether it has as many bits as it needs, because literals in it do."""


def is_exact(tree: Tree) -> bool:
    text, value, exact = tree
    try:
        return exact or (is_constant(text) and not MIN_INT64 <= value({}) <= MAX_INT64)
    except ArithmeticError:  # it has no value
        return False


@st.composite
def leaves(draw: st.DrawFn) -> Tree:
    if draw(st.booleans()):
        number = draw(integers(INT64).filter(lambda value: value >= 0))
        return str(number), lambda values: number, False
    word = draw(st.sampled_from([word for word in KINDS if word != "yes"]))
    return word, lambda values: values[word], False


def trees(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    def binary(op: str, left: Tree, right: Tree) -> Tree:
        text = f"({left[0]} {op} {right[0]})"
        is_wide, exact = is_constant(text), is_exact(left) or is_exact(right)
        apply = (CONSTANT if is_wide else ARITHMETIC)[op]
        return text, lambda values: bounded(apply(left[1](values), right[1](values)), not (is_wide or exact)), exact

    def unary(op: str, operand: Tree) -> Tree:
        apply: Callable[[int], int] = operator.neg if op == "-" else operator.invert
        is_wide, exact = is_constant(operand[0]), is_exact(operand)
        return f"({op}{operand[0]})", lambda values: bounded(apply(operand[1](values)), not (is_wide or exact)), exact

    def choice(op: str, *nodes: Tree) -> Tree:
        left, right, yes, no = nodes
        text = f"({left[0]} {op} {right[0]} ? {yes[0]} : {no[0]})"
        compare = COMPARISONS[op]
        # The one result that may be beyond 63 bits: a choice between a u8 and what is not negative.
        exact = is_exact(yes) or is_exact(no)
        return text, lambda values: (yes if compare(left[1](values), right[1](values)) else no)[1](values), exact

    return (
        st.builds(binary, st.sampled_from(sorted(ARITHMETIC)), inner, inner)
        | st.builds(unary, st.sampled_from("-~"), inner)
        | st.builds(choice, st.sampled_from(sorted(COMPARISONS)), inner, inner, inner, inner)
    )


def nodes_of(node: Expression) -> list[Expression]:
    return [node, *(inner for argument in node.arguments for inner in nodes_of(argument))]


@settings(deadline=None)
@given(tree=st.recursive(leaves(), trees, max_leaves=8), data=st.data())
def test_evaluation_is_exact_and_within_the_stated_range(tree: Tree, data: st.DataObject) -> None:
    text, exact, _ = tree
    values = {word: data.draw(integers(kind), label=word) for word, kind in KINDS.items() if isinstance(kind, Integer)}
    scope = SimpleNamespace(**values)
    try:
        node = of(text)
    except ExpressionError:  # a constant part that has no value
        return
    for part in nodes_of(node):
        try:
            found = compile_expression(part)(scope)
        except EvaluationError:
            assert any(inner.overflow == "error" for inner in nodes_of(part))
        else:
            assert part.low <= found <= part.high
            if isinstance(part.type, Integer):
                assert part.type.low <= part.low <= part.high <= part.type.high
    try:
        wanted = exact(values)
    except ArithmeticError:
        wanted = None
    try:
        result = compile_expression(node)(scope)
    except EvaluationError:
        # An error is right where there is no value, or where a choice leaves the signed 64 bits.
        assert wanted is None or "?" in text
    else:
        assert result == wanted


def test_combine_and_conditions() -> None:
    assert str(combine("<=", of("u1"), of("3"))) == "u1 <= 3"
    assert str(as_condition(of("flag"))) == "flag != 0"
    assert as_condition(of("u1")) is not None and as_condition(of("u1")).type == Integer(8, False)
