"""The parts that the texts of decode and encode kernels share: columns, sites, expressions."""

from __future__ import annotations

import enum
import keyword
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from kformat.errors import UsageError
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.language.expression import Boolean, Expression
from kformat.language.inlined import for_kernels
from kformat.language.node import replaced
from kformat.language.program import Check, Step, TypeProgram
from kformat.language.types import Bytes, Text

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


class Column(NamedTuple):
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
    columns: tuple[Column, ...]
    tables: tuple[str, ...]
    sites: tuple[Site, ...]
    context: tuple[tuple[str, ...], ...] = ()
    """Numbers of what is around the rows that the kernel is given, after the counts of tables in its state: paths that
    begin with ``_root`` or ``_parent``, or ``_params`` and the name of a parameter.
    """
    texts: tuple[tuple[str, str], ...] = ()
    """The columns of text that the codec refuses where it is not in its encoding, with that: kernels do not look."""

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

    def text(self, function: str, remembered: str) -> str:
        place = f"{self.position}, {self.wanted}"
        return "    " * self.depth + f"return leave_{function}({remembered}, np.int64({self.site}), {place})"


Line: TypeAlias = str | Leave


@dataclass(slots=True)
class Scope:
    """The scope of a type's steps: the prefix of its columns' names, and the variables of its fields."""

    prefix: str
    path: str
    table: int
    variables: dict[tuple[str, ...], str] = field(default_factory=dict)
    bytes: dict[str, tuple[str, str]] = field(default_factory=dict)
    """For bytes fields: the variables with their position and length."""
    parent: Scope | None = None
    """The scope of the enclosing structure, if it is a part of the row."""
    is_foreign: bool = False
    """Whether it has no `_parent` and no `_root`."""
    absent: dict[tuple[str, ...], str] = field(default_factory=dict)
    """For optional fields that expressions ask for: the variables that say whether they are present."""
    program: TypeProgram | None = None
    """The type, whose instances expressions may ask for; None: there are none."""


class Emitter:
    """The text of one kernel under construction."""

    def __init__(self, program: TypeProgram, function: str, depth: int) -> None:
        self.program, self.function, self.depth = program, function, depth
        self.lines: list[Line] = []
        self.columns: list[Column] = []
        self.tables: list[str] = [""]
        self.sites: list[Site] = [Site("", "all were read"), Site(program.name, "bytes are left over")]
        self.constants: list[bytes] = []
        self.texts: dict[str, str] = {}
        self.count = 0
        self.lists = 0
        """How many lists enclose the current steps."""
        self.context: list[tuple[str, ...]] = []
        self.takes_context = False

    def emit(self, *lines: Line) -> None:
        for line in lines:
            placed = "    " * self.depth + line if isinstance(line, str) else line._replace(depth=self.depth)
            self.lines.append(placed)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.emit(head)
        self.depth += 1
        size = len(self.lines)
        yield
        if len(self.lines) == size:
            self.emit("pass")
        self.depth -= 1

    def variable(self, name: str) -> str:
        self.count += 1
        plain = "".join(letter if letter.isalnum() else "_" for letter in name)
        return f"v{self.count}_{plain}"

    def fail(self, scope: Scope, name: str, problem: str) -> Leave:
        """The statement that leaves the kernel at a new site."""
        path = ".".join(part for part in (scope.path, name) if part)
        self.sites.append(Site(path, problem))
        return Leave(len(self.sites) - 1)

    def refuse(self, scope: Scope, step: Step, why: str) -> KernelError:
        return KernelError(".".join(part for part in (scope.path, step.name) if part) + f": {why}")

    def column(self, scope: Scope, name: str, part: Part, kind: str) -> int:
        self.columns.append(Column(scope.prefix + name, part, kind, scope.table))
        return len(self.columns) - 1

    def said(self, column: Column) -> str:
        where = f", per element of {self.tables[column.table]}" if column.table else ""
        return f"{column.name}, {column.part.value.replace('_', ' ')}{where}"

    def check(self, step: Check, scope: Scope, data: str = "data") -> None:
        if step.rule is not None:
            wrong = f"not {self.expression(step.rule, scope, step.name)}"
        elif all(isinstance(one, int) for one in step.allowed):
            found = scope.variables.get((step.name,))
            if found is None:
                raise self.refuse(scope, step, "a rule on numbers that may be something else")
            same = [f"{found} == {_literal(one)}" for one in step.allowed]
            wrong = f"not ({' or '.join(same) or False})"
        elif step.name not in scope.bytes:
            raise self.refuse(scope, step, "a rule on bytes that may be something else")
        else:
            if scope.prefix + step.name in self.texts:
                raise self.refuse(scope, step, "a rule on text that has several forms")
            same = [self.is_text(scope.bytes[step.name], value, data) for value in step.allowed]
            wrong = f"not ({' or '.join(one for one in same if one) or False})"
        with self.block(f"if {wrong}:"):
            self.emit(self.fail(scope, step.name, f"a value that is not allowed; expected {step.expected}"))

    def around(self, path: tuple[str, ...]) -> str:
        """The variable with a number of what is around the rows."""
        if not self.takes_context:
            raise KernelError(f"{self.program.name}: {'.'.join(path)}, which is around the rows")
        if path not in self.context:
            self.context.append(path)
        return f"x{self.context.index(path)}"

    def is_text(self, place: tuple[str, str], value: str | bytes, data: str = "data") -> str:
        """Whether bytes, at a position and of a length, are a text's; empty if none are."""
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

    def expression(self, node: Expression, scope: Scope, name: str) -> str:
        """A Python expression for a node's value, for numba; emits the statements it needs first."""
        made = _Expressions(self, scope, name)
        if scope.program is not None:
            found = for_kernels(node, scope.program)
            if found is None:
                raise made.refuse(node)
            node = found
        return made.text(node)

    def finished(self, lines: Sequence[Line], remembered: str) -> Source:
        """The finished kernel; ``remembered`` are the variables that it saves when it leaves.

        Texts of the declaration occur only in constants; generated code is never searched and replaced.
        """
        constants = [
            f"{self.constant_name(number)} = np.frombuffer({value!r}, np.uint8)"
            for number, value in enumerate(self.constants)
        ]
        body = [line if isinstance(line, str) else line.text(self.function, remembered) for line in lines]
        text = "\n".join([*constants, *([""] * 2 if constants else []), *body])
        parts = tuple(self.columns), tuple(self.tables), tuple(self.sites), tuple(self.context)
        return Source(self.program, self.function, text, *parts, tuple(self.texts.items()))


def _is_large(node: Expression) -> bool:
    """Whether a node may exceed an int64, so that its variable holds the bits of an unsigned number."""
    return node.high > MAX_INT64


class _Expressions:
    def __init__(self, emitter: Emitter, scope: Scope, name: str) -> None:
        self.emitter, self.scope, self.name = emitter, scope, name

    def fails(self, condition: str, problem: str) -> None:
        with self.emitter.block(f"if {condition}:"):
            self.emitter.emit(self.emitter.fail(self.scope, self.name, problem))

    def named(self, text: str) -> str:
        """A variable for an expression that is used more than once."""
        if text.isidentifier() and not keyword.iskeyword(text):
            return text
        variable = self.emitter.variable("")
        self.emitter.emit(f"{variable} = {text}")
        return variable

    def text(self, node: Expression) -> str:
        match node.op:
            case "constant":
                return _literal(node.value)
            case "name":
                tests = self.absences(node)
                own = (self.absence(node) if isinstance(node.type, Boolean) else None) or ""
                for test in tests:
                    if test != own:
                        self.fails(f"not {test}", "a field that is absent")
                found = self.variable_of(node)
                return f"({own} and {found})" if own else found
            case "method":  # .to_i of an enum's integer
                return self.text(node.arguments[0])
            case "not":
                return f"(not {self.text(node.arguments[0])})"
            case "and" | "or":
                return self.both(node)
            case "if":
                return self.choice(node)
            case "<" | "<=" | ">" | ">=" | "==" | "!=":
                return self.comparison(node)
        return self.arithmetic(node)

    def resolved(self, node: Expression) -> tuple[Scope | None, tuple[str, ...]]:
        """The scope that has a name, and its path there; None: it is around the rows."""
        scope, path = self.scope, node.value
        if path[0] == "_root":
            around: Scope | None = scope
            while around is not None and not around.is_foreign:
                around = around.parent
            return (None, path) if around is None else (scope, path)
        while path[0] == "_parent" and not scope.is_foreign:
            if scope.parent is None:
                return None, path
            scope, path = scope.parent, path[1:]
        return scope, path

    def refuse(self, node: Expression) -> KernelError:
        return KernelError(f"{self.scope.path}.{self.name}: the expression {node}")

    def variable_of(self, node: Expression) -> str:
        scope, path = self.resolved(node)
        if scope is None:
            return self.emitter.around(path)
        found = scope.variables.get(path)
        if found is None:
            raise self.refuse(node)
        return f"({found} != 0)" if isinstance(node.type, Boolean) else found

    def absences(self, node: Expression) -> list[str]:
        """The variables that say whether a name's fields are present; without those that always are."""
        scope, path = self.resolved(node)
        if scope is None:
            return []
        found = (scope.absent.get(path[:length]) for length in range(1, len(path) + 1))
        return [test for test in found if test is not None]

    def absence(self, node: Expression) -> str | None:
        """The variable that says whether a name itself is present."""
        scope, path = self.resolved(node) if node.op == "name" else (None, ())
        return None if scope is None else scope.absent.get(path)

    def may_fail(self, node: Expression) -> bool:
        if node.overflow == "error" or node.op == "if" or (node.op == "name" and self.absences(node)):
            return True
        return any(map(self.may_fail, node.arguments))

    def both(self, node: Expression) -> str:
        left, right = node.arguments
        if not self.may_fail(right):
            return f"({self.text(left)} {node.op} {self.text(right)})"
        result = self.emitter.variable("")
        self.emitter.emit(f"{result} = {self.text(left)}")
        with self.emitter.block(f"if {result}:" if node.op == "and" else f"if not {result}:"):
            self.emitter.emit(f"{result} = {self.text(right)}")
        return result

    def choice(self, node: Expression) -> str:
        condition, yes, no = node.arguments
        result = self.emitter.variable("")
        with self.emitter.block(f"if {self.text(condition)}:"):
            self.emitter.emit(f"{result} = {self.text(yes)}")
            if node.overflow == "error" and _is_large(yes):
                self.fails(f"{result} < 0", "a result outside of 64 bits")
        with self.emitter.block("else:"):
            self.emitter.emit(f"{result} = {self.text(no)}")
            if node.overflow == "error" and _is_large(no):
                self.fails(f"{result} < 0", "a result outside of 64 bits")
        return result

    def bytes_comparison(self, node: Expression) -> str:
        """Bytes or text, of a field, and a constant."""
        named, known = node.arguments if node.arguments[1].is_constant else reversed(node.arguments)
        place = self.scope.bytes.get(named.value[0])
        if place is None or self.scope.prefix + named.value[0] in self.emitter.texts:
            raise self.refuse(node)
        tests = [self.scope.absent.get(named.value, ""), self.emitter.is_text(place, known.value) or "False"]
        same = " and ".join(test for test in tests if test)
        return f"({same})" if node.op == "==" else f"(not ({same}))"

    def comparison(self, node: Expression) -> str:
        if isinstance(node.arguments[0].type, Text | Bytes):
            return self.bytes_comparison(node)
        tests = [self.absence(part) for part in node.arguments]
        if node.op not in ("==", "!=") or tests == [None, None]:
            return self.compared(node, self.text(node.arguments[0]), self.text(node.arguments[1]))
        texts = []
        for part, test in zip(node.arguments, tests, strict=True):  # null equals null alone
            for owner in self.absences(part) if test is not None else ():
                if owner != test:
                    self.fails(f"not {owner}", "a field that is absent")
            texts.append(self.text(part) if test is None else self.variable_of(part))
        same = self.compared(replaced(node, op="=="), *texts)
        if None in tests:
            same = f"({tests[0] or tests[1]} and {same})"
        else:
            same = f"({tests[0]} == {tests[1]} and (not {tests[0]} or {same}))"
        return same if node.op == "==" else f"(not {same})"

    def compared(self, node: Expression, one: str, other: str) -> str:
        left, right = node.arguments
        if not (_is_large(left) or _is_large(right)):
            return f"({one} {node.op} {other})"
        signs, turned = f"{_is_large(left)}, {_is_large(right)}", f"{_is_large(right)}, {_is_large(left)}"
        match node.op:
            case "<":
                return f"below({one}, {other}, {signs})"
            case ">=":
                return f"(not below({one}, {other}, {signs}))"
            case ">":
                return f"below({other}, {one}, {turned})"
            case "<=":
                return f"(not below({other}, {one}, {turned}))"
        one, other = self.named(one), self.named(other)
        same = f"({one} == {other})" if _is_large(left) == _is_large(right) else f"({one} == {other} and {one} >= 0)"
        return same if node.op == "==" else f"(not {same})"

    def arithmetic(self, node: Expression) -> str:
        operands, op = [self.named(self.text(argument)) for argument in node.arguments], node.op
        large = [_is_large(argument) for argument in node.arguments]
        if any(large) and not (op == "&" and min(argument.high for argument in node.arguments) <= MAX_INT64):
            raise KernelError(
                f"{self.scope.path}.{self.name}: {node}: arithmetic on numbers that may be above 2^63 - 1"
            )
        if op == "&" and any(large) and any(argument.low < 0 for argument in node.arguments):
            raise KernelError(
                f"{self.scope.path}.{self.name}: {node}: a negative number together with one above 2^63 - 1"
            )
        if op in ("neg", "inv"):
            if op == "neg" and node.overflow == "error":
                self.fails(f"{operands[0]} == MIN_INT64", "a result outside of 64 bits")
            return f"({'-' if op == 'neg' else '~'}{operands[0]})"
        left, right = operands
        if node.overflow == "never":
            if op == "%" and node.arguments[1].low <= -1 <= node.arguments[1].high:
                return _remainder(left, right)
            return f"({left} {'//' if op == '/' else op} {right})"
        match op:
            case "/":
                self.fails(f"{right} == 0 or ({left} == MIN_INT64 and {right} == -1)", "a result outside of 64 bits")
                return f"({left} // {right})"
            case "%":
                self.fails(f"{right} == 0", "division by zero")
                return _remainder(left, right)
            case "<<" | ">>":
                self.fails(f"{right} < 0 or {right} > 63", "a shift by less than 0 or more than 63")
                if op == ">>":
                    return f"({left} >> {right})"
                result = self.named(f"{left} << {right}")
                self.fails(f"{result} >> {right} != {left}", "a result outside of 64 bits")
                return result
            case "+" | "-" | "*":
                test = {"+": "sum_overflows", "-": "difference_overflows", "*": "product_overflows"}[op]
                self.fails(f"{test}({left}, {right})", "a result outside of 64 bits")
                return f"({left} {op} {right})"
        raise AssertionError(node)


def _remainder(left: str, right: str) -> str:
    """Handle -1 separately: the CPU's division of the lowest number by -1 overflows and kills the process."""
    return f"(np.int64(0) if {right} == -1 else {left} % {right})"


def _bytes_of_text(text: str) -> bytes | None:
    """The bytes that the codec decodes to this text; None if there are none."""
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None
    return data if data.decode("utf-8", "surrogateescape") == text else None


def _literal(value: int | bool) -> str:
    if isinstance(value, bool):
        return str(value)
    bits = value - 2**64 if value > MAX_INT64 else value
    return "MIN_INT64" if bits == MIN_INT64 else str(bits)


def module_text(sources: Sequence[Source], title: str) -> str:
    """The text of a module with these kernels."""
    body = "\n\n\n".join(source.text for source in sources)
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
    return [f"    {line}" for line in lines]


__all__ = ["Part"]
