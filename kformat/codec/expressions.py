"""Expression -> Python source, to stand in a generated parser.

Nothing of a declaration becomes text of the source but names that match `NAME`, as attributes, and integers. Everything
else is a value in the `Namespace`. What can overflow, or make a long text, goes through a function of this module; what
else fails raises one of `expression.FAILURES`, of which the parser makes a DataError.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from kformat.language import expression
from kformat.language.expression import EvaluationError, Expression, compile_expression
from kformat.language.following import asked_of_stream
from kformat.language.node import replaced
from kformat.language.types import Bytes, Float, Integer, ListOf, Stream, Text

NAME: Final = re.compile(r"[a-z][a-z0-9_]*|_unnamed[0-9]+|_parent|_root|_io|_sizeof")
"""The attributes that generated source may name."""

DEEPEST: Final = 40
"""Python's parser takes 200 nested parentheses; a deeper expression is evaluated node by node."""

_OWN_STREAM: Final = "stream_(v, io_, None)"

_PLAIN: Final = frozenset(("<", "<=", ">", ">=", "==", "!=", "and", "or", "+", "-", "*", "&", "|", "^"))


class Namespace:
    """The globals of generated source: values under numbered names."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {"__builtins__": {}}
        self._known: dict[int, str] = {}

    def add(self, value: Any) -> str:
        """The name of a constant."""
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = f"k{len(self._known)}"
            self.values[known] = value
        return known


def later(table: dict[Any, Any], key: Any, make: Callable[[], Callable[..., Any]]) -> None:
    """Put into a table a function that is made on its first call."""

    def first(*arguments: Any) -> Any:
        made = table[key] = make()
        return made(*arguments)

    table[key] = first


def attribute(owner: str, name: str, space: Namespace) -> str:
    """``owner.name``."""
    if not NAME.fullmatch(name):
        raise AssertionError(f"{name!r} is no name of a declaration")
    if keyword.iskeyword(name):
        return f"{space.add(getattr)}({owner}, {space.add(name)})"
    return f"{owner}.{name}"


def assignment(owner: str, name: str, value: str, space: Namespace) -> str:
    """``owner.name = value``, as a statement."""
    if keyword.iskeyword(name):
        return f"{space.add(setattr)}({owner}, {space.add(name)}, {value})"
    return f"{attribute(owner, name, space)} = {value}"


class Locals:
    """The scope of an expression that is evaluated node by node."""

    def __init__(self, value: Any, element: Any, index: Any, said: Mapping[str, Callable[[], Any]]) -> None:
        self._value, self._, self._index, self._words = value, element, index, said

    def __getattr__(self, name: str) -> Any:
        answer = self._words.get(name)
        return getattr(self._value, name) if answer is None else answer()


def _depth(node: Expression) -> int:
    return 1 + max(map(_depth, node.arguments), default=0)


def _locals(node: Expression) -> set[str]:
    """Which of ``_``, ``_index`` and what is `remembered` an expression asks for."""
    return {node.value} if node.op == "local" else set().union(*map(_locals, node.arguments))


def said_word(number: int) -> str:
    """The local for the answer of a stream or a list to an expression, by its number."""
    return f"_said{number}"


def remembered(node: Expression, asked: list[Expression], may_grow: Callable[[Expression], bool]) -> Expression:
    """An expression with locals for the parts whose values depend on the moment: what asks streams, and lists that may
    still grow. ``asked`` gets these parts.
    """
    is_list = isinstance(node.type, ListOf) and node.op in ("name", "member", "index")
    if asked_of_stream(node) is not None or (is_list and may_grow(node)):
        asked.append(node)
        return replaced(node, op="local", arguments=(), value=said_word(len(asked) - 1), overflow="never")
    if not node.arguments:
        return node
    return replaced(node, arguments=tuple(remembered(argument, asked, may_grow) for argument in node.arguments))


def source(node: Expression, space: Namespace, words: Mapping[str, str]) -> str:
    """A Python expression; the value is ``v``, and ``words`` has what stands for ``_`` and ``_index``, for the stream
    that knows how much work expressions may be (``_io``), and, with a dot before, for attributes of ``v``; ``.`` alone
    is a function that gives the attributes of other structures.
    """
    if _depth(node) > DEEPEST:
        run = compile_expression(node)
        asked = _locals(node)
        whole = space.add(lambda value, element, index, said: run(Locals(value, element, index, said)))
        # Each only where it is asked for: `_` may be what is being read now, or the last of no elements.
        element, index = (words[word] if word in asked else "None" for word in ("_", "_index"))
        said = ", ".join(f"{space.add(word)}: lambda: {words[word]}" for word in sorted(asked - {"_", "_index"}))
        return f"{whole}(v, {element}, {index}, {{{said}}})"
    return _source(node, space, words)


def _source(node: Expression, space: Namespace, words: Mapping[str, str]) -> str:
    if node.op == "constant":
        if isinstance(node.value, int):
            return f"({int(node.value)})" if not isinstance(node.value, bool) else str(node.value)
        return space.add(node.value)
    if node.op == "name":
        first, *others = node.value
        text = words.get(f".{first}") or attribute("v", first, space)
        for word in others:
            text = _attribute_of(text, word, space, words)
        return text
    if node.op == "local":
        return words[node.value]
    parts = [_source(argument, space, words) for argument in node.arguments]
    shift = expression.charge_of(node)
    if shift is not None:  # of what stands in an f-string, each; of two sides, the left one
        stream, charged = words.get("_io", _OWN_STREAM), space.add(expression.charged)
        count = len(parts) if node.op == "format" else 1
        parts[:count] = [f"{charged}({stream}, {part}, {shift})" for part in parts[:count]]
    if node.op == "member":
        return _attribute_of(parts[0], node.value, space, words)
    return _guarded(node, _operation(node, parts, space), space)


def _attribute_of(owner: str, name: str, space: Namespace, words: Mapping[str, str]) -> str:
    return f"{words['.']}({owner}, {space.add(name)})" if "." in words else attribute(owner, name, space)


def _operation(node: Expression, parts: list[str], space: Namespace) -> str:
    match node.op:
        case "if":
            return f"({parts[1]} if {parts[0]} else {parts[2]})"
        case "not":
            return f"(not {parts[0]})"
        case "neg":
            return f"(-{parts[0]})"
        case "inv":
            return f"(~{parts[0]})"
        case "index":
            return f"{parts[0]}[{parts[1]}]"
        case "cast":
            return parts[0]
        case "list":
            items = f"[{', '.join(parts)}]"
            return f"{space.add(bytes)}({items})" if isinstance(node.type, Bytes) else items
        case "format":
            text = space.add(str)
            return f"{space.add('')}.join([{', '.join(f'{text}({part})' for part in parts)}])"
        case "method":
            return _method(node, parts, space)
    if node.op in _PLAIN or (node.op in ("/", "%", "<<", ">>") and node.overflow == "never" and _is_integral(node)):
        return f"({parts[0]} {'//' if node.op == '/' else node.op} {parts[1]})"
    apply = space.add(_operator(node))
    return f"{apply}({parts[0]}, {parts[1]})"


def _is_integral(node: Expression) -> bool:
    return not isinstance(node.type, Float)


def _operator(node: Expression) -> Callable[..., Any]:
    return expression.operator_of(node)


def _method(node: Expression, parts: list[str], space: Namespace) -> str:
    kind = node.arguments[0].type
    if isinstance(kind, Stream):
        return f"{parts[0]}.{node.value}"
    if isinstance(kind, Text | Bytes | ListOf) and node.value in ("length", "size"):
        return f"{space.add(len)}({parts[0]})"
    apply = space.add(expression.METHOD_FUNCTIONS[type(kind), node.value])
    return f"{apply}({', '.join(parts)})"


def _guarded(node: Expression, text: str, space: Namespace) -> str:
    if isinstance(node.type, Text) and node.op in ("+", "format"):
        return f"{space.add(_short_text(node))}({text})"
    if isinstance(node.type, Integer) and node.overflow == "error" and node.op not in ("member", "index", "method"):
        return f"{space.add(_in_range(node))}({text})"
    return text


def _short_text(node: Expression) -> Callable[[str], str]:
    def check(value: str) -> str:
        if len(value) > expression.MAX_TEXT:
            message = f"{node} is a text of {len(value)} characters; {expression.MAX_TEXT} are allowed"
            raise EvaluationError(message)
        return value

    return check


def _in_range(node: Expression) -> Callable[[int], int]:
    assert isinstance(node.type, Integer)
    low, high = node.type.low, node.type.high

    def check(value: int) -> int:
        if low <= value <= high:
            return value
        shown, bits = (value, 64) if node.type.bits <= 64 else ("an integer", node.type.bits)  # type: ignore[union-attr]
        raise EvaluationError(f"{node} is {shown}, outside of {bits} bits")

    return check


def is_simple(node: Expression | None, instances: frozenset[str]) -> bool:
    """Whether an expression reads only plain attributes of the value: no stream, other structure or instance."""
    if node is None:
        return True
    if node.op == "name" and (len(node.value) > 1 or node.value[0].startswith("_") or node.value[0] in instances):
        return False
    if node.op in ("member", "local") or asked_of_stream(node) is not None or expression.charge_of(node) is not None:
        return False
    return all(is_simple(argument, instances) for argument in node.arguments)
