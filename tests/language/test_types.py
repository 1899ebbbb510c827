"""Types of the whole language: what two of them have in common, what follows a dot, and how it is evaluated."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from kformat.language import expression, types
from kformat.language.expression import (
    EvaluationError,
    Expression,
    ExpressionError,
    combine,
    compile_expression,
    constant,
    local,
    name,
)
from kformat.language.types import (
    ANY,
    ANY_STRUCTURE,
    BOOLEAN,
    BYTES,
    EXACT,
    FLOAT,
    INT64,
    STREAM,
    TEXT,
    EnumType,
    Integer,
    ListOf,
    Structure,
    Type,
)

A, B = Structure("file::a"), Structure("file::b")
TEXT_NAME, BYTES_NAME = name(("text",), TEXT), name(("data",), BYTES)
NUMBERS = name(("numbers",), ListOf(Integer(16, False)))
WORD = name(("word",), Integer(64, False))
SCOPE = SimpleNamespace(
    text="12", data=b"\x02\x01", numbers=[3, 1, 2], word=2**64 - 1, ratio=-1.5, empty=[], far=math.inf, _index=2
)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (TEXT, TEXT, TEXT),
        (Integer(8, False), Integer(16, False), Integer(16, False)),
        (Integer(8, False), Integer(8, True), Integer(9, True)),
        (Integer(64, False), INT64, EXACT),
        (Integer(8, False), EXACT, EXACT),
        (Integer(8, False), types.Float(32), FLOAT),
        (A, A, A),
        (A, B, ANY_STRUCTURE),
        (ANY_STRUCTURE, B, ANY_STRUCTURE),
        (ListOf(A), ListOf(B), ListOf(ANY_STRUCTURE)),
        (ListOf(A), ListOf(TEXT), ANY),
        (TEXT, BYTES, ANY),
        (EnumType("a"), EnumType("b"), ANY),
        (BOOLEAN, INT64, ANY),
    ],
)
def test_common(left: Type, right: Type, expected: Type) -> None:
    assert types.common(left, right) == expected
    assert types.common(right, left) == expected


@pytest.mark.parametrize(
    ("node", "kind", "expected"),
    [
        (expression.method(TEXT_NAME, "to_i"), EXACT, 12),
        (expression.method(TEXT_NAME, "to_i", (constant(16),)), EXACT, 18),
        (expression.method(TEXT_NAME, "reverse"), TEXT, "21"),
        (expression.method(TEXT_NAME, "substring", (constant(0), constant(1))), TEXT, "1"),
        (combine("+", TEXT_NAME, constant("x")), TEXT, "12x"),
        (combine("<", TEXT_NAME, constant("2")), BOOLEAN, True),
        (expression.method(BYTES_NAME, "to_s", (constant("ASCII"),)), TEXT, "\x02\x01"),
        (expression.method(BYTES_NAME, "max"), types.UINT8, 2),
        (expression.index(BYTES_NAME, constant(-1)), types.UINT8, 1),
        (expression.method(NUMBERS, "min"), Integer(16, False), 1),
        (expression.method(NUMBERS, "last"), Integer(16, False), 2),
        (expression.index(NUMBERS, local("_index", INT64)), Integer(16, False), 2),
        (expression.items((constant(1), constant(255))), BYTES, b"\x01\xff"),
        (expression.items((constant(1), constant(256))), ListOf(INT64), [1, 256]),
        (expression.items((constant(1), constant(0.5))), ListOf(FLOAT), [1, 0.5]),
        (expression.formatted((constant("n="), WORD)), TEXT, f"n={2**64 - 1}"),
        (combine("/", name(("ratio",), FLOAT), constant(2)), FLOAT, -0.75),
        (expression.method(name(("ratio",), FLOAT), "to_i"), EXACT, -1),
        (expression.exact(combine("+", WORD, constant(1))), EXACT, 2**64),
        (expression.exact(combine("<<", WORD, constant(7))), EXACT, (2**64 - 1) << 7),
        (combine("==", expression.enum_member("e", 1), expression.enum_member("e", 1)), BOOLEAN, True),
        (expression.cast(name(("ratio",), ANY), FLOAT), FLOAT, -1.5),
    ],
    ids=str,
)
def test_what_a_node_gives(node: Expression, kind: Type, expected: Any) -> None:
    assert node.type == kind
    found = compile_expression(node)(SCOPE)
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(
    ("node", "words"),
    [
        (combine("+", WORD, constant(1)), "outside of 64 bits"),
        (expression.method(name(("empty",), ListOf(TEXT)), "first"), "out of range"),
        (expression.method(name(("far",), FLOAT), "to_i"), "infinity"),
        (expression.method(TEXT_NAME, "to_i", (constant(2),)), "invalid literal"),
        (expression.index(NUMBERS, constant(3)), "out of range"),
        (expression.member(expression.index(NUMBERS, constant(0)), "size", INT64), "no attribute"),
        (expression.exact(combine("/", constant(1), name(("_index",), INT64))), None),
        (combine("/", name(("ratio",), FLOAT), constant(0)), "division by zero"),
        (combine("+", TEXT_NAME, constant("x" * expression.MAX_TEXT)), "characters; 1048576 are allowed"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_has_no_result(node: Expression, words: str | None) -> None:
    evaluate = compile_expression(node)
    if words is None:
        assert evaluate(SCOPE) == 0
        return
    with pytest.raises(EvaluationError, match=words):
        evaluate(SCOPE)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: expression.method(TEXT_NAME, "size"), "text is text, which has no 'size'"),
        (lambda: expression.method(TEXT_NAME, "substring", (constant(1),)), "takes 2 arguments, 1 given"),
        (lambda: expression.method(BYTES_NAME, "to_s", (constant(1),)), "'to_s' needs text"),
        (lambda: expression.method(name(("l",), ListOf(A)), "max"), "has no 'max'"),
        (lambda: expression.index(WORD, constant(1)), "has no element"),
        (lambda: expression.items((constant(1), constant("a"))), "no type in common"),
        (lambda: expression.formatted((constant(0.5),)), "takes texts and integers"),
        (lambda: expression.cast(TEXT_NAME, INT64), "cannot be taken as int64"),
        (lambda: combine("<", expression.enum_member("e", 1), expression.enum_member("e", 2)), "compares"),
        (lambda: combine("-", TEXT_NAME, TEXT_NAME), "needs an integer"),
    ],
)
def test_what_is_refused(make: Any, words: str) -> None:
    with pytest.raises(ExpressionError, match=words):
        make()


def test_every_method_has_its_function() -> None:
    for kind, methods in types.METHODS.items():
        for word in methods:
            assert word.startswith("_") or (kind, word) in expression.METHOD_FUNCTIONS


def test_a_structure_has_its_context() -> None:
    owner = name(("header",), A)
    assert expression.method(owner, "_io").value == ("header", "_io")
    assert expression.method(expression.method(owner, "_io"), "pos").type == INT64
    assert expression.method(owner, "_io").type == STREAM
