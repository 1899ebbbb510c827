"""The source of one function of a parser, while it is written: its lines, names, and what stands where.

The function has the value in ``v``, the reader in ``r``, its bytes in ``d``, its position in ``p``, and its limit in
``lim``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from kformat.codec.expressions import Namespace, assignment, attribute, is_simple, source
from kformat.codec.instance_costs import cheap_instances
from kformat.codec.values import enum_values
from kformat.language.expression import Expression
from kformat.language.lines import Line, Lines
from kformat.language.program import Enum, ReadBytes, ReadOpaque, Step, TypeProgram, Window

IS_VIEW: Final = "m = type_(d) is not bytes_"

FieldOfLine = dict[int, tuple[str, str | None]]
"""Number of a line -> its field, and the local that has the index in its list."""

Callee = Callable[..., Callable[..., Any]]
"""``callee(type, traced, path=())``: compiles the parser of another type; with ``rows_size=`` the generator of the rows
at the path.
"""

Kinds = Mapping[type, Callable[..., None]]
"""Kind of step -> what emits the lines of one: ``emit(function, step)``."""


class GeneratedParser(NamedTuple):
    """The source of a function, and the values of its names."""

    program: TypeProgram
    text: str
    lines: FieldOfLine
    values: dict[str, Any]


class ParserFunction(Lines):
    """The source of one function of a type.

    Attributes:
        at: the field that the next lines belong to, and the local that has the index in its list.
        words: what stands for the names of an expression (`expressions.source`).
        root: what stands for the root. order: for the byte order of the value.
        element: in a list: the field's name, and the local that has the list.
        path: leads to the list whose first elements may be taken (`taken`).
        waiting: the bits left over in a byte are dropped next, and kept under that name if there is one.
        asks: in a value instance: the line that asks for what is in branches not taken.
        answers: of the parameters of the type that is read next: the locals with what streams answered.
        sums: in the steps of a structure: for each checksum the locals with its field's position and its first byte's.
        row_size: in a generator of rows: the size of each; 0 if sizes differ.
    """

    def __init__(
        self, program: TypeProgram, callee: Callee, kinds: Kinds, traced: bool = False, path: tuple[str, ...] = ()
    ) -> None:
        super().__init__()
        self.program, self.callee, self.kinds, self.traced, self.path = program, callee, kinds, traced, path
        self.space = Namespace()
        self.lines: FieldOfLine = {}
        self.at: tuple[str, str | None] = ("", None)
        self.waiting: tuple[str | None] | None = None
        self.asks = self.root = self.order = ""
        self.answers: dict[str, str] = {}
        self.words: dict[str, str] = {}
        self.element: tuple[str, str] | None = None
        self.cheap = cheap_instances(program)
        self.instances = frozenset(instance.field.name for instance in program.instances) - self.cheap.keys()
        self.sums: dict[str, tuple[str, str]] = {}
        self.row_size: int | None = None
        self.is_instance = False

    def put(self, *lines: Line) -> None:
        """Add lines, which belong to the present field."""
        for line in lines:
            super().put(line)
            self.lines[len(self.text)] = self.at

    def const(self, value: Any) -> str:
        """A name for a value."""
        return self.space.add(value)

    def emit(self, step: Step) -> None:
        """Put the lines of one step, whatever kind it is."""
        if not isinstance(step, ReadBytes | Window | ReadOpaque):  # these begin with expressions
            self.whole_byte()
        self.kinds[type(step)](self, step)

    def finished(self) -> GeneratedParser:
        """The source, when all is written."""
        text = "\n".join(map(str, self.text)) + "\n"
        if not any(str(line).lstrip() == "if m:" for line in self.text):  # nothing is cut out of the data
            text = text.replace(f"; {IS_VIEW}", "").replace(IS_VIEW, "pass")
        return GeneratedParser(self.program, text, self.lines, self.space.values)

    # fields and their values

    def written_out(self, but: str = "") -> dict[str, str]:
        """Words for the instances that take less time to compute than to look up."""
        return {f".{name}": source(node, self.space, {}) for name, node in self.cheap.items() if name != but}

    def store(self, name: str, value: str) -> None:
        """``v.name = value``; in a list of that name ``l1.append(value)``."""
        if self.element is not None and self.element[0] == name:
            self.put(f"{self.element[1]}.append({value})")
        else:
            self.assign(name, value)

    def assign(self, name: str, value: str) -> None:
        """``v.name = value``; an instance goes past the descriptor that reads it: ``v.__dict__[k1] = value``."""
        if self.is_instance:
            self.put(f"v.__dict__[{self.const(name)}] = {value}")
        else:
            self.put(assignment("v", name, value, self.space))

    def load(self, name: str) -> str:
        """What was stored last."""
        if self.element is not None and self.element[0] == name:
            return f"{self.element[1]}[-1]"
        return attribute("v", name, self.space)

    def reload(self) -> None:
        """``d = r.data; p = r.position; lim = r.limit``, after the reader changed."""
        self.put(f"d = r.data; p = r.position; lim = r.limit; {IS_VIEW}")

    def evaluate(self, node: Expression, into: str) -> None:
        """``n1 = v.length``. The reader is given the position: an expression may ask for it, and an instance may move
        it.
        """
        simple = self.is_simple(node)
        if not simple:
            self.put("r.position = p")
        self.put(f"{into} = {source(node, self.space, self.words)}")
        if not simple:
            self.put("p = r.position")

    def is_simple(self, node: Expression | None) -> bool:
        """Whether an expression reads plain fields alone."""
        return not self.program.keeps_context or is_simple(node, self.instances)

    def value_of(self, node: Expression) -> str:
        """An expression as text, evaluated first if it has effects."""
        if node.is_constant or self.is_simple(node):
            return source(node, self.space, self.words)
        name = self.new("x")
        self.evaluate(node, name)
        return name

    def members(self, enum: Enum | None, value: str) -> str:
        """``k1.get(e1, e1)``: the member of an enum, or the integer that is none."""
        if enum is None:
            return value
        name = self.new("e")
        self.put(f"{name} = {value}")
        return f"{self.const(enum_values(enum))}.get({name}, {name})"

    def trace_step(self, name: str) -> None:
        """``r.observer.step(k1, r)``."""
        if self.traced:
            self.put(f"r.position = p; r.observer.step({self.const(name)}, r)")

    def trace_done(self) -> None:
        """``r.observer.done()``."""
        if self.traced:
            self.put("r.position = p; r.observer.done()")

    def need(self, size: str, constant: bool = False) -> str:
        """A local with the position after ``size`` bytes, which are there.

        ::

            q1 = p + 4
            if q1 > lim:
                raise short_(r, p, 4)
        """
        end = self.new("q")
        self.put(f"{end} = p + {size}")
        if size == "0":  # which are there wherever a position is, after the end, too
            return end
        with self.block(f"if {end} > lim:" if constant else f"if {end} > lim and {size}:"):
            self.put(f"raise short_(r, p, {size})")
        return end

    def size(self, node: Expression) -> str:
        """A local with a number of bytes or elements, which is not negative; a literal if it is constant."""
        if node.is_constant and node.value >= 0:
            self.whole_byte()
            return str(int(node.value))
        size = self.new("n")
        self.evaluate(node, size)
        with self.block(f"if {size} < 0:"):
            self.put(f"raise negative_(r, {size}, p)")
        self.whole_byte()
        return size

    def count(self, node: Expression) -> str:
        """A local with a number of elements, none where it is negative; a literal if it is constant."""
        if node.is_constant:
            return str(max(int(node.value), 0))
        count = self.new("n")
        self.evaluate(node, count)
        if node.low < 0:
            with self.block(f"if {count} < 0:"):
                self.put(f"{count} = 0")
        return count

    def kept_name(self, step: Step, what: str = "") -> str | None:
        """What the bytes of a field are kept under (`values.Kept`); None if they are not kept."""
        if not self.program.keeps_context:
            return None
        name, index = self.const(step.name), self.at[1]
        if self.element is None:
            return f"({name}, {self.const(what)})" if what else name
        if self.element[0] != step.name or index is None:
            return None
        return f"({name}, {index}, {self.const(what)})" if what else f"({name}, {index})"

    def keep_bits(self, place: str | None) -> None:
        """``keep_(v, k1, r.bits_left, r.bits)``: remember the bits left over in a byte."""
        if place is not None:
            with self.block("if r.bits:"):
                self.put(f"keep_(v, {place}, r.bits_left, r.bits)")

    def whole_byte(self) -> None:
        """Drop the bits left over in a byte, if an `Align` waits: after the expressions that a step evaluates before it
        reads, since a stream with bits left is not at its end.
        """
        if self.waiting is not None:
            (place,), self.waiting = self.waiting, None
            self.align(place)

    def align(self, place: str | None) -> None:
        """``r.bits = r.bits_left = 0``: go on at a whole byte."""
        self.keep_bits(place)
        self.put("r.bits = r.bits_left = 0")

    def path_of(self, step: Step) -> str:
        """The path of a field, or of the element of a list that is read, in its structure."""
        is_field = self.element is None or self.element[0] != step.name
        return self.const(step.name) if is_field or self.at[1] is None else f"f'{step.name}[{{{self.at[1]}}}]'"
