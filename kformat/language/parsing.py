"""Text of an expression -> a typed and folded node: the whole grammar of Kaitai's language.

The caller's `Names` decide what a name, a type or an enum's member is; types and ranges come from `expression`.

    ternary    := or ['?' ternary ':' ternary]
    or         := and {'or' and}            and     := not {'and' not}          not := 'not' not | comparison
    comparison := bits [('<' | '<=' | '>' | '>=' | '==' | '!=') bits]
    bits       := | over ^ over & over << >> over + - over * / %, each from the left
    unary      := ('-' | '~' | '+') unary | atom {'.' name ['(' values ')'] | '.as<' type '>' | '[' ternary ']'}
    atom       := number | text {text} | f-string | 'true' | 'false' | name | ['::'] name {'::' name} '::' name
                | '[' values ']' | '(' ternary ')' | ('sizeof' | 'bitsizeof') '<' type '>'

Texts in single quotes are taken as they are; in double quotes and f-strings a backslash escapes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from kformat.language import expression
from kformat.language.encodings import python_encoding, unknown_encoding
from kformat.language.expression import Expression, ExpressionError
from kformat.language.types import Bytes, Type

MAX_LENGTH: Final = 8000
"""Longest expression in characters."""

MAX_DEPTH: Final = 60
"""Deepest nesting of parentheses, unary operators, ternaries and f-strings."""

MAX_OPERATORS: Final = 200
"""Most operators in one expression: bounds the depth of the tree, and of every recursion over it."""


class Names(Protocol):
    """What words mean where the expression stands. Every method raises ExpressionError for what there is not."""

    def name(self, word: str) -> Expression:
        """The first word of a path: a field, parameter or instance, or one of Kaitai's words with ``_``."""

    def attribute(self, owner: Expression, word: str) -> Expression:
        """A field, parameter or instance of a structure, or a method without arguments."""

    def enum_member(self, path: tuple[str, ...], member: str) -> Expression:
        """A member of the enum at ``path``."""

    def cast_type(self, text: str) -> Type:
        """The type that ``.as<text>`` means."""

    def size_of(self, text: str, bits: bool) -> Expression:
        """The size of a type, in bytes or bits: a constant."""


_TOKEN: Final = re.compile(
    r"(?P<float>[0-9][0-9_]*\.[0-9][0-9_]*(?:[eE][+-]?[0-9]+)?(?!\w)|[0-9]+[eE][+-]?[0-9]+(?!\w)|[0-9]+\.(?![\w.]))"
    r"|(?P<integer>0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|[0-9][0-9_]*)(?!\w)"
    r"|(?P<format>f\")"
    r"|(?P<text>'[^']*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign><<|>>|<=|>=|==|!=|::|[-+*/%&|^~<>?:().,\[\]}])",
    re.DOTALL,
)
_SPACE: Final = re.compile(r"\s*")
_BASES: Final = {"0x": 16, "0b": 2, "0o": 8}
_ESCAPE: Final = re.compile(r"\\(?:(?P<octal>[0-7]{1,3})|u(?P<code>[0-9a-fA-F]{4})|(?P<one>.))", re.DOTALL)
_ESCAPES: Final = {
    "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    '"': '"', "'": "'", "\\": "\\", "{": "{", "}": "}",
}  # fmt: skip
_HABITS: Final = {
    "&&": "and", "||": "or", "!": "not", "=": "==", "**": "*", "//": "/", "is": "==", "in": "== and or, value by value",
    "->": ".", "\u201c": "straight quotes", "\u201d": "straight quotes", "\u2018": "straight quotes",
    "\u2019": "straight quotes", "if": "condition ? one : other", "else": "condition ? one : other",
}  # fmt: skip
"""Operators and signs of other languages, with ours."""
_COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=")
_BINDING: Final = {
    "or": 1, "and": 2, **dict.fromkeys(_COMPARISONS, 4), "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_NOT: Final = 3
_TYPE: Final = re.compile(r"\s*(?P<name>(?:::)?[a-z_][a-zA-Z0-9_]*(?:\s*::\s*[a-z_][a-zA-Z0-9_]*)*(?:\[\])*)\s*>")


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int
    end: int


def unescaped(text: str, column: int = 0) -> str:
    """The characters that a text in double quotes stands for; ExpressionError for an unknown escape."""

    def replace(match: re.Match[str]) -> str:
        if match["octal"]:
            return chr(int(match["octal"], 8))
        if match["code"]:
            return chr(int(match["code"], 16))
        if match["one"] not in _ESCAPES:
            raise ExpressionError(f"no escape {match.group()!r} in texts", column + match.start())
        return _ESCAPES[match["one"]]

    return _ESCAPE.sub(replace, text)


class _Parser:
    """One left-to-right pass; types are derived bottom-up. ``position`` is where the next token begins."""

    def __init__(self, text: str, names: Names) -> None:
        if len(text) > MAX_LENGTH:
            raise ExpressionError(f"an expression of {len(text)} characters; {MAX_LENGTH} are allowed", MAX_LENGTH)
        self.text, self.names, self.depth, self.operators = text, names, 0, 0
        self.end = len(text)
        self.token = self.token_at(0)

    def token_at(self, position: int) -> _Token:
        spaces = _SPACE.match(self.text, position)
        assert spaces is not None
        position = spaces.end()
        if position >= self.end:
            return _Token("end", "", min(position, len(self.text.rstrip())), position)
        match = _TOKEN.match(self.text, position)
        if match is None:
            raise ExpressionError(
                f"{self.text[position : position + 10]!r} is not part of the expression language{self.habit(position)}",
                position,
            )
        return _Token(match.lastgroup or "", match.group(), position, match.end())

    def advance(self) -> _Token:
        token = self.token
        self.token = self.token_at(token.end)
        return token

    def accept(self, *texts: str) -> _Token | None:
        if self.token.kind in ("sign", "name") and self.token.text in texts:
            return self.advance()
        return None

    def expect(self, text: str) -> None:
        if self.accept(text) is None:
            raise ExpressionError(f"{text!r} expected, found {self.token.text or 'the end'!r}", self.token.column)

    def word(self, after: str) -> _Token:
        if self.token.kind != "name":
            raise ExpressionError(f"a name expected after {after!r}", self.token.column)
        return self.advance()

    def operation(self, op: str, nodes: tuple[Expression, ...], column: int) -> Expression:
        node = expression.typed(op, nodes, column)
        if not node.is_constant:
            self.count(column)
        return node

    def count(self, column: int) -> None:
        self.operators += 1
        if self.operators > MAX_OPERATORS:
            raise ExpressionError(f"more than {MAX_OPERATORS} operators", column)

    def nested(self, parse: Callable[[], Expression]) -> Expression:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ExpressionError(f"nested more than {MAX_DEPTH} deep", self.token.column)
        node = parse()
        self.depth -= 1
        return node

    def at(self, column: int, resolve: Callable[[], Expression]) -> Expression:
        try:
            return resolve()
        except ExpressionError as error:
            error.column = error.column or column
            raise

    def whole(self) -> Expression:
        node = self.ternary()
        if self.token.kind != "end":
            raise ExpressionError(f"{self.token.text!r} is not expected here{self.habit()}", self.token.column)
        return node

    def habit(self, position: int | None = None) -> str:
        """The hint for an operator of another language at a position, or at the token."""
        at = self.token.column if position is None else position
        word = "" if position is not None else self.token.text
        for sign in (self.text[max(at - 1, 0) : at + 1], self.text[at : at + 2], word, self.text[at : at + 1]):
            if sign in _HABITS:
                return f"; did you mean {_HABITS[sign]}?"
        return ""

    def ternary(self) -> Expression:
        column = self.token.column
        condition = self.binary(1)
        if self.accept("?") is None:
            return condition
        yes = self.nested(self.ternary)
        self.expect(":")
        return self.operation("if", (condition, yes, self.nested(self.ternary)), column)

    def binary(self, least: int) -> Expression:
        """Operators that bind at least as tightly as ``least``; comparisons do not chain."""
        if least <= _NOT and (token := self.accept("not")):
            node = self.operation("not", (self.nested(lambda: self.binary(_NOT)),), token.column)
        else:
            node = self.unary()
        compared = False
        while self.token.kind in ("sign", "name"):
            binding = _BINDING.get(self.token.text, 0)
            if binding < max(least, 1) or (compared and binding == _BINDING["<"]):
                break
            token = self.advance()
            compared = compared or binding == _BINDING["<"]
            node = self.operation(token.text, (node, self.binary(binding + 1)), token.column)
        return node

    def unary(self) -> Expression:
        if token := self.accept("-", "~", "+"):
            operand, op = self.nested(self.unary), {"-": "neg", "~": "inv"}.get(token.text)
            return operand if op is None else self.operation(op, (operand,), token.column)
        return self.trailers(self.atom())

    def trailers(self, node: Expression) -> Expression:
        while True:
            if token := self.accept("["):
                self.count(token.column)
                position = self.nested(self.ternary)
                self.expect("]")
                node = expression.index(node, position, token.column)
            elif token := self.accept("."):
                self.count(token.column)
                word = self.word(".")
                if word.text == "as" and self.token.text == "<":
                    text, owner = self.type_text(), node
                    node = self.at(
                        word.column,
                        lambda owner=owner, text=text: expression.cast(owner, self.names.cast_type(text)),  # type: ignore[misc]
                    )
                elif self.token.text == "(" and self.token.kind == "sign":
                    node = self.call(node, word)
                else:
                    node = self.at(word.column, lambda owner=node, word=word: self.names.attribute(owner, word.text))  # type: ignore[misc]
            else:
                return node

    def call(self, node: Expression, word: _Token) -> Expression:
        self.expect("(")
        arguments = self.values(")")
        if isinstance(node.type, Bytes) and word.text == "to_s" and len(arguments) == 1:
            known = arguments[0].value if arguments[0].is_constant else None
            if not isinstance(known, str):
                raise ExpressionError(f"to_s needs the name of an encoding, found {arguments[0]}", word.column)
            problem = unknown_encoding(known)
            if problem:
                raise ExpressionError(problem, word.column)
            arguments = (expression.constant(python_encoding(known) or known),)
        return expression.method(node, word.text, arguments, word.column)

    def values(self, end: str) -> tuple[Expression, ...]:
        """Values between commas up to ``end``; a comma may follow the last."""
        nodes: list[Expression] = []
        while self.accept(end) is None:
            nodes.append(self.nested(self.ternary))
            if self.accept(",") is None:
                self.expect(end)
                break
        return tuple(nodes)

    def type_text(self) -> str:
        """``<type>``, from ``<`` on."""
        match = _TYPE.match(self.text, self.token.end)
        if match is None:
            raise ExpressionError("the name of a type expected after '<'", self.token.end)
        self.token = self.token_at(match.end())
        return re.sub(r"\s", "", match["name"])

    def atom(self) -> Expression:
        token = self.token
        match token.kind:
            case "integer":
                self.advance()
                return self.integer(token)
            case "float":
                self.advance()
                return expression.constant(float(token.text.replace("_", "")))
            case "text":
                joined = ""
                while self.token.kind == "text":
                    part = self.advance()
                    inner = part.text[1:-1]
                    joined += inner if part.text[0] == "'" else unescaped(inner, part.column + 1)
                return expression.constant(joined)
            case "format":
                return self.format_text()
        if self.accept("("):
            node = self.nested(self.ternary)
            self.expect(")")
            return node
        if self.accept("["):
            return self.at(token.column, lambda: expression.items(self.values("]"), token.column))
        absolute = self.accept("::") is not None
        if self.token.kind != "name" or token.text in ("and", "or", "not"):
            found = f"found {token.text or 'the end'!r}{self.habit()}"
            raise ExpressionError(f"a value expected, {found}", token.column)
        word = self.advance().text
        if word in ("true", "false") and not absolute:
            return expression.constant(word == "true")
        if word in ("sizeof", "bitsizeof") and self.token.text == "<":
            text = self.type_text()
            return self.at(token.column, lambda: self.names.size_of(text, word == "bitsizeof"))
        path = [word]
        while self.accept("::"):
            path.append(self.word("::").text)
        if len(path) > 1 or absolute:
            return self.at(token.column, lambda: self.names.enum_member(tuple(path[:-1]), path[-1]))
        try:
            return self.at(token.column, lambda: self.names.name(word))
        except ExpressionError as error:
            if self.token.kind == "end" or self.token.text in _BINDING:
                error.message += error.aside
            raise

    def integer(self, token: _Token) -> Expression:
        digits = token.text.replace("_", "")
        try:
            return expression.constant(int(digits, _BASES.get(digits[:2].lower(), 10)))
        except ValueError:
            raise ExpressionError(f"{token.text!r:.40} is not an integer", token.column) from None
        except ExpressionError as error:
            raise ExpressionError(error.message, token.column) from None

    def format_text(self) -> Expression:
        """``f"..."``, from its quote on."""
        begun = self.token.column
        position, plain, parts = self.token.end, self.token.end, []
        while True:
            if position >= self.end:
                raise ExpressionError("an f-string without its closing quote", begun)
            character = self.text[position]
            if character in '"{':
                if position > plain:
                    parts.append(expression.constant(unescaped(self.text[plain:position], plain)))
                if character == '"':
                    break
                self.token = self.token_at(position + 1)
                self.count(position)
                parts.append(self.nested(self.ternary))
                if self.token.text != "}":
                    raise ExpressionError("'}' expected", self.token.column)
                position = plain = self.token.end
            else:
                position += 2 if character == "\\" else 1
        self.token = self.token_at(position + 1)
        return expression.formatted(tuple(parts), begun)


def parse(text: str, names: Names) -> Expression:
    """Parse, type and fold an expression. Raises ExpressionError with the column of the error."""
    return _Parser(text, names).whole()
