"""TypeProgram -> Python source of its parser, and of each of its instances.

One function per type, ``parse(r, parent, root, little_endian, *arguments)``, with the stream's position and limit in
locals ``p`` and ``q`` (``lim``); they are written back before anything else looks at the reader. Rules:

* Identifiers are numbered, and values stand in the namespace (`expressions.Namespace`): no text of a declaration is in
  the source, but its names as attributes.
* A run of numbers and fixed bytes is one bounds check and one ``unpack_from``. If it does not fit, or a rule on it
  fails, the same fields are read one by one, which finds the first that is wrong.
* No step catches an error of its own: ``lines`` says which line belongs to which field, and the name of the local that
  counts the elements of the list around.
"""

from __future__ import annotations

import keyword
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from typing import Any, Final, NamedTuple

from kformat.codec import runtime
from kformat.codec.expressions import Namespace, assignment, attribute, is_simple, later, remembered, said_word, source
from kformat.codec.extensions import opaque_type_of
from kformat.codec.values import CONTENT, PLACE, Value, enum_values, parsed_class, value_class
from kformat.errors import DataError, KformatError
from kformat.language.encodings import LENIENT, is_reversible, reads_all
from kformat.language.expression import Expression, charged, compile_expression
from kformat.language.following import asked_of_stream, depends_on_asking, follows, growing_in
from kformat.language.layout import layout, struct_format
from kformat.language.node import replaced
from kformat.language.program import (
    MAX_NESTING,
    Align,
    Case,
    Check,
    CheckEnd,
    Checksum,
    Enum,
    Instance,
    Process,
    ReadBit,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadOpaque,
    ReadSwitch,
    ReadType,
    ReadVarint,
    Step,
    Trim,
    TypeProgram,
    Window,
)
from kformat.language.steps import all_steps, known_size, leaves_bits, nodes_of, takes_the_rest
from kformat.language.types import Boolean, Bytes, EnumType, Integer, ListOf, Stream, Text
from kformat.storage.checksum import ALGORITHMS

Lines = dict[int, tuple[str, str | None]]
"""Line of the source -> field, and the local that has the index in its list."""

Callee = Callable[..., Callable[..., Any]]
"""``callee(type, traced, path=())``: compiles the parser of another type; with ``rows_size=`` the generator of the rows
at the path.
"""

_IS_VIEW: Final = "m = type_(d) is not bytes_"

_BY_TYPE: Final = "?"
"""Stands for the byte order in the format of numbers whose order is the value's."""

_SETS_NOTHING: Final = CheckEnd | Checksum | Check | Align


def _holds_type(step: Step) -> bool:
    return isinstance(step, ReadType) or (isinstance(step, Window) and any(map(_holds_type, step.steps)))


class Item(NamedTuple):
    """What is read as one number, or piece of bytes: a field, or bits that make up whole bytes. ``code`` is a struct's
    format, with ``<``, ``>``, ``=`` (no order) or `_BY_TYPE`.
    """

    code: str
    steps: tuple[Step, ...]


class Emitter:
    """The source of one function."""

    def __init__(self, program: TypeProgram, callee: Callee, traced: bool = False, path: tuple[str, ...] = ()) -> None:
        self.program, self.callee, self.traced = program, callee, traced
        self.path = path
        """Leads to the list whose first elements may be taken (`taken`)."""
        self.space = Namespace()
        self.text: list[str] = []
        self.lines: Lines = {}
        self.indent = 1
        self.counter = 0
        self.at: tuple[str, str | None] = ("", None)
        self.waiting: tuple[str | None] | None = None
        """The bits left over in a byte are dropped next, and kept under that name if there is one."""
        self.asks = ""
        """Of the value instance that is computed: what asks for what its choices have not."""
        self.answers: dict[str, str] = {}
        """Of the parameters of the type that is read next: the locals with what streams answered."""
        self.words: dict[str, str] = {}
        self.root = self.order = ""
        """What stands for the root, and for the byte order of the value."""
        self.element: tuple[str, str] | None = None
        """In a list: the field's name, the local that has the list."""
        self.cheap = cheap_instances(program)
        self.instances = frozenset(instance.field.name for instance in program.instances) - self.cheap.keys()
        self.sums: dict[str, tuple[str, str]] = {}
        self.row_size: int | None = None
        self.is_instance = False

    def written_out(self, but: str = "") -> dict[str, str]:
        """The words for instances that take less time to compute than to look up."""
        return {f".{name}": source(node, self.space, {}) for name, node in self.cheap.items() if name != but}

    # writing

    def put(self, line: str) -> None:
        self.text.append("    " * self.indent + line)
        self.lines[len(self.text)] = self.at

    def new(self, letter: str) -> str:
        self.counter += 1
        return f"{letter}{self.counter}"

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.put(head)
        self.indent += 1
        before = len(self.text)
        yield
        if len(self.text) == before:
            self.put("pass")
        self.indent -= 1

    def const(self, value: Any) -> str:
        return self.space.add(value)

    def store(self, name: str, value: str) -> None:
        if self.element is not None and self.element[0] == name:
            self.put(f"{self.element[1]}.append({value})")
        else:
            self.assign(name, value)

    def assign(self, name: str, value: str) -> None:
        if self.is_instance:
            self.put(f"v.__dict__[{self.const(name)}] = {value}")
        else:
            self.put(assignment("v", name, value, self.space))

    def load(self, name: str) -> str:
        if self.element is not None and self.element[0] == name:
            return f"{self.element[1]}[-1]"
        return attribute("v", name, self.space)

    def reload(self) -> None:
        """After the reader changed."""
        self.put(f"d = r.data; p = r.position; lim = r.limit; {_IS_VIEW}")

    def finished(self) -> tuple[str, Lines]:
        if not any(line.lstrip() == "if m:" for line in self.text):  # nothing is cut out of the data
            self.text = [line.replace(f"; {_IS_VIEW}", "").replace(_IS_VIEW, "pass") for line in self.text]
        return "\n".join(self.text) + "\n", self.lines

    def evaluate(self, node: Expression, into: str) -> None:
        """Into a local. The reader knows its position: an expression may ask for it, and an instance may move it."""
        simple = self.is_simple(node)
        if not simple:
            self.put("r.position = p")
        self.put(f"{into} = {source(node, self.space, self.words)}")
        if not simple:
            self.put("p = r.position")

    def is_simple(self, node: Expression | None) -> bool:
        return not self.program.keeps_context or is_simple(node, self.instances)

    def value_of(self, node: Expression) -> str:
        """An expression as text, evaluated first if it has effects."""
        if node.is_constant or self.is_simple(node):
            return source(node, self.space, self.words)
        name = self.new("x")
        self.evaluate(node, name)
        return name

    def condition(self, node: Expression) -> str:
        return self.value_of(node)

    def members(self, enum: Enum | None, value: str) -> str:
        if enum is None:
            return value
        name = self.new("e")
        self.put(f"{name} = {value}")
        return f"{self.const(enum_values(enum))}.get({name}, {name})"

    # whole functions

    def parser(self) -> tuple[str, Lines]:
        program = self.program
        self.begin_parser("parse")
        weight = 1 + _count(program.steps) // 16
        if weight > program.minimum_size:
            self.put("p0 = p")
        with self.block("try:"):
            if self.traced:
                self.put("r.observer.enter(r, v)")
            self.byte_order()
            if program.bits:
                self.trace_step("")
                size = sum(bit.width for bit in program.bits) // 8
                self.bits_into(ReadBits(name="bits", size=size, bits=program.bits, type=program), "v", None)
                self.trace_done()
            else:
                self.steps(program.steps)
            self.at = ("", None)
            self.put("r.position = p")
            if weight > program.minimum_size:
                with self.block(f"if p - p0 < {weight}:"):
                    self.put(f"r.free({weight} - p + p0)" if weight > 1 else "r.free()")
            if self.traced:
                self.put("r.observer.leave()")
        self.end_parser()
        return self.finished()

    def end_parser(self) -> None:
        with self.block("except error_ as e:"):
            self.put("raise failed_(e, r, v, p) from None")
        if self.program.is_recursive:
            with self.block("finally:"):
                self.put("r0.state.depth -= 1")
        self.put(f"v.__class__ = {self.const(value_class(self.program))}")
        self.put("return v")

    def begin_parser(self, name: str) -> None:
        """The head of a function that reads a value of the type: ``v``, its context, and the reader's locals."""
        program = self.program
        arguments = [f"a{index}" for index in range(len(program.parameters))]
        head = ", ".join(
            ["r", "parent=None", "root=None", "little_endian=None", *(f"{argument}=None" for argument in arguments)]
        )
        self.text.append(f"def {name}({head}):")
        made = parsed_class(program)
        self.put(f"v = {self.const(made)}()")
        for parameter, argument in zip(program.parameters, arguments, strict=True):
            self.put(assignment("v", parameter, argument, self.space))
        self.root, self.order = "root", "little_endian"
        self.words = {"_io": "r"}
        if program.keeps_context:
            if program.is_root:
                with self.block("if root is None:"):
                    self.put("root = v")
            self.put("v._parent = parent; v._io = r; v._order = little_endian; v._root = root")
            self.words |= {"._root": "root", "._parent": "parent", **self.written_out()}
        elif program.byte_order is not None:
            self.put("v._order = little_endian")
        self.reload()
        if program.is_recursive:
            self.put("r0 = r; r.deeper()")

    # rows of a list

    def rows(self, path: Sequence[str], size: int | None = None) -> tuple[str, Lines]:
        """As `parser`, a generator: yields the elements of the list at ``path`` and keeps none of them.

        Each time (element, its absolute position, its index, the value that has the list). ``r`` is a
        `sliding.Sliding`; what comes before the list, each element, and what follows it are run again where bytes are
        missing that it does not hold yet. With ``size`` all elements are of that size, and `sliding.Sliding.blocks`
        yields many at once; with 0 they are of any size, and `sliding.Sliding.stretches` does so. What the caller does
        not take is read here.
        """
        self.row_size = size
        program = self.program
        place = next(index for index, step in enumerate(program.steps) if step.name == path[0])
        self.begin_parser("rows")
        with self.block("if r.root is None:"):
            self.put("r.root = v")
        with self.block("try:"):
            if place or program.byte_order is not None:
                with self.again(program.steps[:place]):
                    self.byte_order()
                    self.steps(program.steps[:place])
            step = program.steps[place]
            self.at = (step.name, None)
            if step.condition is None:
                self.rows_of(step, path)
            else:
                with self.block(f"if {self.condition(step.condition)}:"):
                    self.rows_of(step, path)
                with self.block("else:"):
                    self.store(step.name, "None")
            if place + 1 < len(program.steps):
                with self.again(program.steps[place + 1 :]):
                    self.steps(program.steps[place + 1 :])
            self.at = ("", None)
            self.put("r.position = p")
        self.end_parser()
        return self.finished()

    @contextmanager
    def again(self, steps: Sequence[Step], clear: str = "", items: str = "", extent: str = "") -> Iterator[None]:
        """What is run again, with more bytes, if it needs them. Bytes that ``steps`` take to the end of the stream are
        complete only with the last ones of it. The error of a row whose ``extent`` is known stands in its place in
        ``items``, if the reader passes over damage.
        """
        before, bits, outer = self.new("s"), self.new("b"), self.new("r")
        self.put(f"{before} = p; {outer} = r; {bits} = r.bits; {bits}_ = r.bits_left")
        with self.block("while True:"):
            with self.block("try:"):
                yield
                with self.block("if p < lim or r.is_whole:"):
                    self.put("break")
            with self.block("except more_:"):
                self.put("pass")
            if extent:
                with self.block("except data_error_ as e:"):
                    with self.block(f"if not {outer}.leave(e, {before}, {extent}):"):
                        self.put("raise")
                    self.put(f"r = {outer}")
                    self.reload()
                    self.put(f"{items}.clear(); {items}.append(failed_(e, r, v, p))")
                    self.put("break")
            elif takes_the_rest(steps):
                with self.block("except data_error_:"):
                    with self.block(f"if {outer}.is_whole:"):
                        self.put("raise")
            self.put(f"r = {outer}; r.position = {before}; r.more(); {before} = 0")
            self.put(f"r.bits = {bits}; r.bits_left = {bits}_")
            if clear:
                self.put(clear)
            self.reload()

    def rows_of(self, step: Step, path: Sequence[str]) -> None:
        """The step at the path's first name."""
        if isinstance(step, ReadType):
            self.put(f"x = yield from {self.type_call(step, path[1:])}")
            self.put("p = r.position")
            self.reload()
            self.store(step.name, "x")
            return
        assert isinstance(step, ReadList)
        items, index, before = self.new("l"), self.new("i"), self.new("s")
        bits = self.new("b") if leaves_bits([step.element]) else ""
        """The bits of a partly read byte that are left before a row, which may be narrower than a byte."""
        self.put(f"{items} = []")
        count = None
        if step.count is not None:
            with self.again(()) if not self.is_simple(step.count) else nullcontext():
                count = self.count(step.count)
        outer_at, outer_words = self.at, self.words
        self.at = (step.name, index)
        self.words = {**self.words, "_index": index, "_": f"{items}[-1]"}
        self.put(f"{index} = -1")
        width = self.new("w") if isinstance(step.element, Window) and self.row_size is not None else ""
        if width:  # known when a row was read
            self.put(f"{width} = 0")
        is_counted = count is None or self.row_size is not None
        with self.block("while True:" if is_counted else f"for {index} in range_({count}):"):
            if is_counted:
                self.put(f"{index} += 1")
            if len(path) == 1 and self.row_size is not None:
                left = "None" if count is None else f"{count} - {index}"
                self.put("r.position = p")
                many = f"blocks({left}, {int(self.row_size)}, v, {index})"
                many = many if self.row_size else f"stretches({left}, v, {index}, {width or None})"
                is_known = f"if {width} == {self.row_size}:" if self.row_size else f"if {width}:"
                with self.block(is_known) if width else nullcontext():
                    self.put(f"{index} += yield from r.{many}")
                self.put("p = r.position")
                self.reload()
            if is_counted and count is not None:
                with self.block(f"if {index} >= {count}:"):
                    self.put("break")
            if count is None and step.until is None:
                self.to_the_end()
            self.put("r.begin()")
            self.put(f"{items}.clear()")
            self.element = (step.name, items)
            if len(path) > 1:
                assert isinstance(step.element, ReadType)
                self.put(f"{before} = p + r.origin" + f"; {bits} = r.bits_left" * bool(bits))
                self.put(f"r.places = {{**r.places, {len(path)}: {index}}}")
                self.put(f"x = yield from {self.type_call(step.element, path[1:])}")
                self.put("p = r.position")
                self.reload()
                self.put(f"{items}.append(x)")
            else:
                known = extent_of(step.element)
                extent = self.const(known) if known is not None else ""
                self.put("r.in_row = True")
                with self.again((step.element,), f"{items}.clear()", items, extent):
                    if step.align:
                        self.put("r.bits = r.bits_left = 0")
                    start = self.new("s")
                    self.put(f"{start} = p; {before} = p + r.origin" + f"; {bits} = r.bits_left" * bool(bits))
                    self.conditional(step.element)
                    for check in step.checks:
                        self.check(check, start)
            if _may_be_free(step.element) or isinstance(step.element, ReadType):
                with self.block(f"if p + r.origin == {before}{f' and {bits} == r.bits_left' * bool(bits)}:"):
                    self.put(f"r.position = p; r.free_row({self.rows_left(step, count, index)})")
            self.element = None
            if width:
                self.put(f"{width} = p + r.origin - {before}")
            if len(path) == 1:
                self.put("r.position = p; r.in_row = False")
                place = f"{before} - ({bits} > 0)" if bits else before  # where its first bit is
                self.put(f"yield {items}[-1], {place}, {index}, v")
            if step.until is not None:
                done = self.new("y")
                with self.again(()) if not self.is_simple(step.until) else nullcontext():
                    self.put(f"{done} = {self.condition(step.until)}")
                with self.block(f"if {done}:"):
                    self.put("break")
        self.at, self.words = outer_at, outer_words

    def rows_left(self, step: ReadList, count: str | None, index: str) -> str:
        """How many rows are as the one at an index, if that took no bytes: with nothing else that changes, all that
        come; to the end of the stream there is no end of them (-1).
        """
        element = step.element
        nodes = [node for _, node in element.arguments] if isinstance(element, ReadType) else []
        if not isinstance(element, ReadType) or element.condition is not None or step.until is not None:
            return "0"
        if not all(node.is_constant for node in nodes):
            return "0"
        return "-1" if count is None else f"{count} - {index} - 1"

    def to_the_end(self) -> None:
        """Leave the loop over elements where no byte is left."""
        with self.block("if p >= lim and not r.bits_left:"):
            with self.block("if not r.is_whole:"):
                self.put("r.position = p; r.more()")
                self.reload()
            with self.block("if p >= lim:"):
                self.put("break")

    def type_call(self, step: ReadType, path: Sequence[str]) -> str:
        """A call of the generator of a type's rows."""
        callee, given = self.new("t"), ", ".join(["r", *self.given_to(step)])
        compile, program, size = self.callee, step.type, self.row_size
        later(self.space.values, callee, lambda: compile(program, False, tuple(path), rows_size=size))
        self.put("r.position = p")
        return f"{callee}({given})"

    def byte_order(self) -> None:
        order = self.program.byte_order
        if order is None or order.on is None:
            return
        on = self.new("x")
        self.put("v._order = None")
        self.evaluate(order.on, on)
        for value, little in order.cases:
            test = "v._order is None" + (f" and {on} == {self.value_of(value)}" if value is not None else "")
            with self.block(f"if {test}:"):
                self.put(f"v._order = {little}")
        self.put("little_endian = v._order")

    def instance(self, instance: Instance) -> tuple[str, Lines]:
        """``read(n, v, o)``, the ``__get__`` of a descriptor: reads an instance that is not set yet, and sets it.

        One that is computed is kept, too, until something is edited (`State.forget`); what streams and growing lists
        answered stays said. One that follows from the value's own fields alone is always the same (`is_shallow`), and
        is computed again instead.
        """
        name = instance.field.name
        self.is_instance = True
        self.text.append("def read(n, v, o=None):")
        with self.block("if v is None:"):
            self.put("return n")
        self.at = (name, None)
        self.words = {"_": attribute("v", name, self.space), **self.written_out(name)}
        self.root, self.order = "v._root", "v._order"
        is_parsed, is_counted = instance.value is None, not is_shallow(self.program, instance)
        if is_parsed or is_counted:
            self.put("r = stream_(v, io_, None)")
        if is_parsed and not self.traced:
            with self.block("if r is not None and r.observer is not None:"):
                self.put(f"return traced_(v, {self.const(name)})")
        if is_counted:
            self.put("s0 = alone_ if r is None else r.state; s0.depth += 1")
            with self.block(f"if s0.depth > {MAX_NESTING}:"):
                self.put(f"raise too_deep_(v, {self.const(name)}, s0)")
        remembers, asks_absent = False, not is_parsed and is_counted and name in self.program.asks_absent
        if not is_parsed:
            changed = self.remembering(instance)
            remembers, instance = changed is not instance or asks_absent, changed
        if is_parsed:
            self.put("p = 0 if r is None else r.position; r0 = o4 = None")
        if asks_absent:
            self.put("o5 = s0.asking; s0.asking = A; o6 = hidden_(A) if A else None")
        with self.block("try:"):
            asks_where = is_parsed and any(map(asked_of_stream, nodes_of((instance.condition, instance.position))))
            if asks_where:
                self.put(f"A = said_of_(v, {self.const(name)}).get({self.const(PLACE)})")
            if instance.condition is not None:
                text = source(instance.condition, self.space, self.words)
                with self.block(f"if {'A is None and ' * asks_where}not {text}:"):
                    if is_counted:
                        self.put(f"absent_(v, {self.const(name)}, s0)")
                    if asks_absent:  # null is not kept, but what follows from it is: with what streams answered then
                        with self.block("if o5 is not None:"):
                            self.put(f"o5[id_(v), {self.const(name)}] = v, A")
                    self.put("return None")
            if instance.value is not None:
                self.computed(instance, is_counted, remembers)
            else:
                self.parsed(instance, asks_where)
        where = "r, v, p" if is_parsed else "None, v, 0"
        with self.block("except error_ as e:"):
            self.put(f"raise failed_(e, {where}, {self.const(name)}) from None")
        if is_parsed or is_counted:
            with self.block("finally:"):
                if is_parsed:
                    with self.block("if r0 is not None:"):
                        self.put("r0.position = o1; r0.bits = r0.bits_left = 0")
                if is_parsed and self.traced:
                    with self.block("if o4 is not None:"):
                        self.put("o4.returned()")
                if asks_absent:
                    self.put("s0.asking = o5")
                    with self.block("if o6:"):
                        self.put("shown_(o6)")
                if is_counted:
                    self.put("s0.depth -= 1")
                    with self.block("if s0.is_untidy and not s0.depth:"):
                        self.put("s0.tidy()")
        return self.finished()

    def remembering(self, instance: Instance) -> Instance:
        """A value instance that asks no stream twice: the answer is in ``A``, as how many elements a list had."""
        name, asked = instance.field.name, list[Expression]()

        def moved(node: Expression) -> Expression:
            return remembered(node, asked, lambda one: may_grow(one, self.program))

        changed = replaced(
            instance,
            condition=None if instance.condition is None else moved(instance.condition),
            value=None if instance.value is None else moved(instance.value),
            checks=tuple(
                check if check.rule is None else replaced(check, rule=moved(check.rule)) for check in instance.checks
            ),
        )
        asks_absent = name in self.program.asks_absent
        if not asked and not asks_absent:
            return instance
        is_calm = "" if asks_absent or any(map(asked_of_stream, asked)) else "None if s0.is_calm else "
        then = f"(s0.asking or {{}}).get((id_(v), {self.const(name)}), none_)[1] or " if asks_absent else ""
        self.put(f"A = {is_calm}{then}said_of_(v, {self.const(name)})")
        if not asked:
            return instance
        for number, node in enumerate(asked):
            text = source(node, self.space, self.words)
            if isinstance(node.type, ListOf):
                text = f"({text} if s0.is_calm else as_said_(A, {number}, s0, {text}))"
            else:
                text = f"(A[{number}] if {number} in A else A.setdefault({number}, {text}))"
            self.words[said_word(number)] = text
        self.asks = self.not_taken(asked, (instance.condition, instance.value))
        return changed

    def not_taken(self, asked: Sequence[Expression], nodes: Any) -> str:
        """What asks for what is on the side of a choice that was not taken, too, when an instance was computed: an
        edited value may take it. As far as no instance is read for that.
        """
        if len(asked) < 2 or not any(node.op in ("if", "and", "or") for node in nodes_of(nodes)):
            return ""
        asks = []
        for number, node in enumerate(asked):
            inner = node.arguments[0] if node.op == "method" else node
            words = inner.value if inner.op == "name" else ("",)
            around = words[:-2] if words[-2:-1] == ("_io",) else words[:-1]
            if words[0] in self.instances or not {"_parent", "_root"}.issuperset(around[1:]) or not words[0]:
                continue
            text = source(node, self.space, self.words)
            asks.append(f"({number}, lambda: {text})")
        return f"if A is not None and len_(A) < {len(asked)}: ask_(A, s0, ({', '.join(asks)},))" if asks else ""

    def computed(self, instance: Instance, is_counted: bool, remembers: bool) -> None:
        name = instance.field.name
        assert instance.value is not None
        self.put(f"x = {source(instance.value, self.space, self.words)}")
        value = f"{self.const(enum_values(instance.enum))}.get(x, x)" if instance.enum is not None else "x"
        if value != "x":
            self.put(f"x = {value}")
        if remembers and self.asks:
            self.put(self.asks)
        if is_counted:
            key = self.const(name)
            self.put(f"d = v.__dict__; d[{key}] = x; c = s0.computed; c += d, {key}")
            if remembers:
                with self.block("if A and r is not None:"):
                    self.put(f"keep_said_(v, {key}, A)")
        if instance.checks:
            self.put("r = stream_(v, io_, None); p = s = 0 if r is None else r.position")
        for check in instance.checks:
            self.check(check, "s")
        self.put("return x")

    def parsed(self, instance: Instance, asks_where: bool) -> None:
        if instance.stream is not None:
            self.put(f"r = {source(instance.stream, self.space, self.words)}")
        self.put("o1 = p = r.position")
        if instance.position is not None:
            self.put(
                f"o2 = {'A if A is not None else ' * asks_where}{source(instance.position, self.space, self.words)}"
            )
            self.put("r0 = r; r.bits = r.bits_left = 0")
            with self.block("if o2 < 0:"):
                self.put("raise negative_(r, o2, p, position_)")
            self.put("r.position = r.base + o2")
        if self.traced:
            self.put(f"r.observer.instance(v, {self.const(instance.field.name)}, r); o4 = r.observer")
        self.reload()
        self.put("o3 = p; r3 = r")
        self.steps(instance.steps)
        if instance.position is not None and leaves_bits(instance.steps):
            self.keep_bits(f"({self.const(instance.field.name)}, {self.const('after')})")
        self.put("r.position = p; st = r3.state")
        self.put("st.reread += p - o3 if p > o3 + 16 else 16")  # each takes time, however few its bytes
        with self.block("if st.recording or st.reread > st.most_reread:"):
            self.put("r3.has_reread(o3, p)")
        if instance.position is not None:
            name, said = instance.field.name, f"{self.const(PLACE)}: o2" if asks_where else ""
            if depends_on_asking(instance):
                said += f", {self.const(CONTENT)}: plain_({attribute('v', name, self.space)})"
            if said:
                self.put(f"keep_said_(v, {self.const(name)}, {{{said.removeprefix(', ')}}})")
        self.put("return " + attribute("v", instance.field.name, self.space))

    # tracing

    def trace_step(self, name: str) -> None:
        if self.traced:
            self.put(f"r.position = p; r.observer.step({self.const(name)}, r)")

    def trace_done(self) -> None:
        if self.traced:
            self.put("r.position = p; r.observer.done()")

    # steps

    def steps(self, steps: Sequence[Step]) -> None:
        sums = {step.name: step for step in steps if isinstance(step, Checksum)}
        outer, self.sums = self.sums, {name: (self.new("c"), self.new("c")) for name in sums}
        for field, start in self.sums.values():
            self.put(f"{field} = {start} = None")
        index = 0
        while index < len(steps):
            step = steps[index]
            if isinstance(step, Align):  # the next one is what it is for
                self.waiting = (self.kept_name(step, "before"),)
                index += 1
                continue
            items = [] if self.traced else self.items(steps, index)
            length = sum(len(item.steps) for item in items)
            if items:
                self.run(items)
            else:
                length = 1
                while index + length < len(steps) and isinstance(steps[index + length], Check):
                    length += 1
                self.with_checks(step, steps[index + 1 : index + length])  # type: ignore[arg-type]
            index += length
        for name, checksum in sums.items():
            if checksum.length is None and not checksum.part:
                self.at = (name, self.at[1])
                field, start = self.sums[name]
                with self.block(f"if {start} is not None:"):
                    self.verify(checksum, field, start, "p")
        self.sums = outer

    def with_checks(self, step: Step, checks: Sequence[Check]) -> None:
        outer = self.at
        if self.element is None or self.element[0] != step.name:
            self.at = (step.name, None)
        self.trace_step("" if isinstance(step, Window) else step.name)
        start = self.new("s")
        if checks or isinstance(step, Check):
            self.put(f"{start} = {self.first_byte(step)}")
        if isinstance(step, Check):
            self.check(step, start)
        self.conditional(step, checks, start)
        self.trace_done()
        self.at = outer

    def first_byte(self, step: Step) -> str:
        """Where a step begins: bits that go on in a byte that was read before lie in that byte."""
        return "p - (r.bits_left > 0)" if isinstance(step, ReadBit) and self.waiting is None else "p"

    def conditional(self, step: Step, checks: Sequence[Check] = (), start: str = "") -> None:
        """A step with its rules, which have its condition: that is evaluated once, since a stream may answer otherwise
        when the step is done.
        """
        if isinstance(step, Check):
            for check in checks:
                self.check(check, start)
            return
        own = [check for check in checks if check.condition == step.condition]
        if step.condition is None:
            self.step(step)
            for check in checks:
                self.check(check, start)
            return
        with self.block(f"if {self.condition(step.condition)}:"):
            self.step(step)
            for check in own:
                self.check(replaced(check, condition=None), start)
        if not isinstance(step, _SETS_NOTHING):
            with self.block("else:"):
                self.store(step.name, "None")
        for check in checks:
            if check not in own:
                self.check(check, start)

    def check(self, check: Check, start: str) -> None:
        words = self.words
        self.words = {**words, "_": self.load(check.name)}
        found = self.load(check.name)
        failed = f"refuse_(r, v, {start}, {found}, {self.const(check)}, {self.at[1]})"
        tests = []
        if check.condition is not None:
            tests.append(self.condition(check.condition))
        rule = f"{found} in {self.const(check.allowed)}" if check.rule is None else self.condition(check.rule)
        with self.block(f"if {' and '.join([*tests, f'not ({rule})'])}:"):
            self.put("r.position = p")
            self.put(failed)
        self.words = words

    # runs

    def items(self, steps: Sequence[Step], index: int) -> list[Item]:
        """The fields from a step on that can be read at once, with the checks between them; none if they are few."""
        found: list[Item] = []
        fields = 0
        while index < len(steps):
            step = steps[index]
            if isinstance(step, Check):
                if not found or not self.is_run_check(step):
                    while found and isinstance(found[-1].steps[0], Check):
                        found.pop()
                    if found:  # a rule stays with its field, whose position its error has
                        fields -= sum(not isinstance(one, Check) for one in found.pop().steps)
                    break
                item = Item("=", (step,))
            elif step.name in (self.element or ()):
                break
            elif isinstance(step, ReadBit):
                group = self.bit_group(steps[index:])
                if group is None:
                    break
                item = group
                fields += sum(isinstance(one, ReadBit) for one in group.steps)
            else:
                code = _run_code(step)
                if code is None:
                    break
                item = Item(code, (step,))
                fields += 1
            found.append(item)
            index += len(item.steps)
        return found if fields > 1 else []

    def is_run_check(self, check: Check) -> bool:
        return check.condition is None and self.is_pure(check.rule)

    def bit_group(self, steps: Sequence[Step]) -> Item | None:
        """Bits, of one order, that make up whole bytes, at most eight; with the checks between them."""
        first = steps[0]
        assert isinstance(first, ReadBit)
        total = 0
        for index, step in enumerate(steps):
            if isinstance(step, ReadBit) and step.condition is None and step.little_endian == first.little_endian:
                total += step.width
                if total > 64:
                    return None
                if total % 8 == 0:
                    size = total // 8
                    letter = {1: "B", 2: "H", 4: "I", 8: "Q"}.get(size)
                    order = "=" if size == 1 or letter is None else "<" if first.little_endian else ">"
                    return Item(order + (letter or f"{size}s"), tuple(steps[: index + 1]))
            elif not isinstance(step, Check) or not self.is_run_check(step):
                return None
        return None

    def is_pure(self, node: Expression | None) -> bool:
        if node is None:
            return True
        if not is_simple(node, self.instances):
            return False
        return node.overflow == "never" and all(map(self.is_pure, node.arguments))

    def bits_of(self, item: Item, local: str) -> Iterator[tuple[str, str]]:
        """The fields of a group, and their values."""
        bits = [step for step in item.steps if isinstance(step, ReadBit)]
        if item.code.endswith("s"):
            self.put(f"{local} = int_from_({local}, {'little_' if bits[0].little_endian else 'big_'})")
        shift = 0 if bits[0].little_endian else sum(bit.width for bit in bits)
        for bit in bits:
            shift -= 0 if bit.little_endian else bit.width
            mask = (1 << bit.width) - 1
            value = f"({local} & {mask << shift}) != 0" if bit.boolean else f"{local} >> {shift} & {mask}"
            if bit.enum is not None:
                self.put(f"x = {value}")
                value = f"{self.const(enum_values(bit.enum))}.get(x, x)"
            yield bit.name, value
            shift += bit.width if bit.little_endian else 0

    def run(self, items: Sequence[Item]) -> None:
        """Fields at once, in one piece for each byte order; if that fails, one by one."""
        self.whole_byte()
        checks = [step for item in items for step in item.steps if isinstance(step, Check)]
        fields = [item for item in items if not isinstance(item.steps[0], Check)]
        pieces: list[tuple[str, list[str]]] = []
        order, codes, names = "", "", list[str]()
        positions: list[int] = []
        total = 0
        for item in fields:
            own = item.code[0]
            if own != "=" and order not in ("", own):
                pieces.append((order + codes, names))
                order, codes, names = "", "", []
            order = own if own != "=" else order
            names.append(self.new("x"))
            codes += item.code[1:]
            positions.append(total)
            total += struct.calcsize("=" + item.code[1:])
        pieces.append((order + codes, names))
        locals_ = [name for _, names in pieces for name in names]
        literals = [
            f"{local} == {self.const(item.steps[0].contents)}"
            for item, local in zip(fields, locals_, strict=True)
            if isinstance(item.steps[0], ReadLiteral)
        ]
        rules = [self.run_rule(check) for check in checks]
        tests = [f"p + {total} <= lim"]
        if any(isinstance(item.steps[0], ReadBit) for item in fields):
            tests.append("not r.bits_left")
        if any(format[0] == _BY_TYPE for format, _ in pieces):
            tests.append(f"{self.order} is not None")
        outer = self.at
        with self.block("while True:"):
            with self.block(f"if {' and '.join(tests)}:"):
                offset = 0
                for format, names in pieces:
                    at = f"p + {offset}" if offset else "p"
                    self.put(f"{', '.join(names)}, = {self.unpacker(format)}(d, {at})")
                    offset += struct.calcsize("=" + format.lstrip("<>" + _BY_TYPE))
                with self.block(f"if {' and '.join(literals)}:") if literals else nullcontext():
                    for item, local, position in zip(fields, locals_, positions, strict=True):
                        self.run_fields(item, local, position)
                    with self.block(f"if {' and '.join(rules)}:") if rules else nullcontext():
                        self.put(f"p += {total}")
                        self.put("break")
                    if rules:
                        for name in dict.fromkeys(step.name for item in fields for step in item.steps):
                            self.put(f"delete_(v, {self.const(name)})")
            self.one_by_one([step for item in items for step in item.steps])
            self.put("break")
        self.at = outer

    def one_by_one(self, steps: Sequence[Step]) -> None:
        index = 0
        while index < len(steps):
            length = 1
            while index + length < len(steps) and isinstance(steps[index + length], Check):
                length += 1
            self.with_checks(steps[index], steps[index + 1 : index + length])  # type: ignore[arg-type]
            index += length

    def unpacker(self, format: str) -> str:
        if format[0] != _BY_TYPE:
            return self.const(struct.Struct(format if format[0] in "<>" else "=" + format).unpack_from)
        little, big = (self.const(struct.Struct(order + format[1:]).unpack_from) for order in "<>")
        return f"({little} if {self.order} else {big})"

    def run_rule(self, check: Check) -> str:
        words, self.words = self.words, {**self.words, "_": self.load(check.name)}
        found = self.load(check.name)
        text = f"{found} in {self.const(check.allowed)}" if check.rule is None else self.value_of(check.rule)
        self.words = words
        return text

    def run_fields(self, item: Item, local: str, position: int) -> None:
        step = item.steps[0]
        if step.name in self.sums:
            self.put(f"{self.sums[step.name][0]} = p + {position}")
        if isinstance(step, ReadBit):
            for name, value in self.bits_of(item, local):
                self.assign(name, value)
            return
        value = local
        match step:
            case ReadInteger() if step.enum is not None:
                value = f"{self.const(enum_values(step.enum))}.get({local}, {local})"
            case ReadBytes():
                if step.trim is not None:
                    self.put(f"x = y = {local}")
                    self.trim(step.trim)
                    value = "x"
                content = value
                if step.encoding is not None:
                    value = self.text_of(step, value, f"p + {position}")
        self.assign(step.name, value)
        if isinstance(step, ReadFloat):
            self.keep_float(step, local, f"p + {position}")
        if isinstance(step, ReadBytes):
            if step.trim is not None:
                self.keep(step, self.load(step.name))
            self.keep_text(step, self.load(step.name), content)

    # leaves

    def step(self, step: Step) -> None:
        if not isinstance(step, ReadBytes | Window | ReadOpaque):  # these begin with expressions
            self.whole_byte()
        match step:
            case ReadInteger() | ReadFloat():
                if step.name in self.sums:
                    self.put(f"{self.sums[step.name][0]} = p")
                self.number(step)
            case ReadVarint():
                self.varint(step)
            case ReadBytes():
                self.bytes(step)
            case ReadLiteral():
                self.literal(step)
            case ReadBits():
                self.bits_into(step, self.new("b"), step.name)
            case ReadBit():
                order = "le" if step.little_endian else "be"
                self.put(f"r.position = p; x = r.read_bits_{order}({int(step.width)}); p = r.position")
                self.store(step.name, "x != 0" if step.boolean else self.members(step.enum, "x"))
            case ReadType():
                self.type(step)
            case ReadOpaque():
                arguments = "".join(f"{self.value_of(node)}, " for node in step.arguments)
                self.put(f"a = ({arguments})")
                self.whole_byte()
                read = self.const(lambda name=step.type_name: opaque_type_of(name).read)
                self.put(f"r.position = p; x = r.opaque({read}(), a); p = r.position")
                self.store(step.name, "x")
            case ReadSwitch():
                self.switch(step)
            case ReadList():
                self.list(step)
            case Window():
                self.window(step)
            case CheckEnd():
                with self.block("if p < lim:"):
                    self.put("raise leftover_(r, p)")
            case Checksum():
                self.checksum(step)
            case _:
                raise AssertionError(step)

    def need(self, size: str, constant: bool = False) -> str:
        """A local with the position after ``size`` bytes, which are there."""
        end = self.new("q")
        self.put(f"{end} = p + {size}")
        if size == "0":  # which are there wherever a position is, after the end, too
            return end
        with self.block(f"if {end} > lim:" if constant else f"if {end} > lim and {size}:"):
            self.put(f"raise short_(r, p, {size})")
        return end

    def number(self, step: ReadInteger | ReadFloat) -> None:
        little = struct_format(_in_order(step, True))
        big = struct_format(_in_order(step, False))
        assert little is not None and big is not None
        size = struct.calcsize(little)
        if step.by_type:
            with self.block(f"if {self.order} is None:"):
                self.put("raise undecided_(r, p)")
        end = self.need(str(size), True)
        if step.by_type:
            both = [self.const(struct.Struct(code).unpack_from) for code in (little, big)]
            self.put(f"x = ({both[0]} if {self.order} else {both[1]})(d, p)[0]")
        elif little[1] == "B":
            self.put("x = d[p]")
        else:
            code = little if step.little_endian else big
            self.put(f"x = {self.const(struct.Struct(code).unpack_from)}(d, p)[0]")
        if isinstance(step, ReadFloat):
            self.keep_float(step, "x", "p")
        self.put(f"p = {end}")
        self.store(step.name, self.members(step.enum if isinstance(step, ReadInteger) else None, "x"))

    def varint(self, step: ReadVarint) -> None:
        read = self.const(runtime.varint_reader(step.max_bytes, step.zigzag, step.kind.bits))
        with self.block("if p < lim and d[p] < 128:"):
            self.put("x = (d[p] >> 1) ^ -(d[p] & 1); p += 1" if step.zigzag else "x = d[p]; p += 1")
        with self.block("else:"):
            self.put(f"r.position = p; x = {read}(r); p = r.position")
        self.store(step.name, self.members(step.enum, "x"))

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

    def take(self, step: ReadBytes | Window) -> None:
        """The bytes of a field into ``x``, trimmed and processed; ``w`` is where they begin, ``y`` all that were
        taken, or None where a builder would make the same.
        """
        trim, process = step.trim, step.process
        if trim is not None or process is not None:
            self.put("w = p")
        if trim is not None and trim.delimited:
            self.whole_byte()
            self.until(trim, can_skip=process is None)
        else:
            if step.size is None:
                self.whole_byte()
                self.put("x = d[p:lim]; p = lim if lim > p else p")
            else:
                size = self.size(step.size)
                end = self.need(size, step.size.is_constant)
                self.put(f"x = d[p:{end}]; p = {end}")
            with self.block("if m:"):
                self.put("x = bytes_(x)")
            if trim is not None or process is not None:
                self.put("y = x")
            if trim is not None:
                self.trim(trim)
        if process is not None:
            self.process(process)

    def until(self, trim: Trim, can_skip: bool) -> None:
        """Bytes up to a terminator."""
        slow = f"r.position = p; x, y = r.read_until({self.const(trim)}); p = r.position"
        if not can_skip or trim.terminator is None or len(trim.terminator) > 1 or (trim.include and not trim.consume):
            self.put(slow)
            return
        with self.block("if m:"):
            self.put("e = -1")
        with self.block("else:"):
            self.put(f"e = d.find({self.const(trim.terminator)}, p, lim)")
        with self.block("if e < 0:"):
            self.put(slow)
        with self.block("else:"):
            self.put(f"x = d[p:e{' + 1' * trim.include}]; p = e{' + 1' * trim.consume}; y = None")

    def trim(self, trim: Trim) -> None:
        """``x`` without its padding, and up to its terminator."""
        if trim.terminator is not None and len(trim.terminator) > 1:
            self.put(f"x = trimmed_(x, {self.const(trim)})")
            return
        if trim.pad is not None and trim.pad != trim.terminator:
            self.put(f"x = x.rstrip({self.const(trim.pad)})")
        if trim.terminator is not None:
            self.put(f"e = x.find({self.const(trim.terminator)})")
            with self.block("if e >= 0:"):
                self.put(f"x = x[:e{' + 1' * trim.include}]")

    def process(self, process: Process) -> None:
        arguments = [self.value_of(node) for node in process.arguments]
        joined = "".join(f"{argument}, " for argument in arguments)
        self.put(f"r.position = p; x = r.processed({self.const(process)}, ({joined}), x, w)")

    def keep(self, step: ReadBytes | Window, value: str) -> None:
        """Remember the bytes of a field that a builder would not make again."""
        name = self.kept_name(step)
        if name is None:
            return
        if step.process is not None:
            self.put(f"keep_(v, {name}, {value}, y)")
        elif step.trim is not None:
            trim = step.trim
            filler = trim.pad or b"\0"
            again = f"rebuilt_(x, len_(y), {self.const(trim)})"
            if not trim.delimited and (trim.terminator is None or (trim.terminator == filler and not trim.include)):
                again = f"x.ljust(len_(y), {self.const(filler)})"
            with self.block(f"if {'y is not None and ' * trim.delimited}{again} != y:"):
                self.put(f"keep_(v, {name}, {value}, y)")

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
        """Remember the bits left over in a byte."""
        if place is not None:
            with self.block("if r.bits:"):
                self.put(f"keep_(v, {place}, r.bits_left, r.bits)")

    def whole_byte(self) -> None:
        """Drop the bits left over in a byte, if that waits: it comes after what a step evaluates before it reads, since
        a stream with bits left is not at its end.
        """
        if self.waiting is not None:
            (place,), self.waiting = self.waiting, None
            self.align(place)

    def align(self, place: str | None) -> None:
        self.keep_bits(place)
        self.put("r.bits = r.bits_left = 0")

    def keep_float(self, step: ReadFloat, local: str, position: str) -> None:
        """Remember the bytes, at a position, of a NaN."""
        name = self.kept_name(step) if step.bits == 32 else None
        if name is not None:
            with self.block(f"if {local} != {local}:"):
                code = self.const(struct_format(_in_order(step, step.little_endian)))
                if step.by_type:
                    little, big = (self.const(struct_format(_in_order(step, order))) for order in (True, False))
                    code = f"{little} if {self.order} else {big}"
                self.put(f"keep_float_(v, {name}, {local}, bytes_(d[{position}:{position} + 4]), {code})")

    def keep_text(self, step: ReadBytes, value: str, content: str) -> None:
        """Remember the bytes of a text that have no other form."""
        if step.encoding is not None and not is_reversible(step.encoding):
            name = self.kept_name(step, "text")
            if name is not None:
                self.put(f"keep_text_(v, {name}, {value}, {content}, {self.const(step.encoding)})")

    def text_of(self, step: ReadBytes, local: str, position: str) -> str:
        """Bytes of the stream from a position on, or of what is decoded, as text."""
        encoding = step.encoding
        assert encoding is not None
        text, name = self.new("t"), self.const(encoding)
        with self.block("try:"):
            self.put(f"{text} = {local}.decode({self.const(LENIENT.get(encoding.upper(), encoding))})")
        with self.block("except unicode_error_ as u:"):
            where = f"{self.path_of(step)}, {position}"
            self.put(f"{text} = undecoded_(r, v, {where}, {local}, {name}, u, {step.process is None})")
        return text

    def path_of(self, step: Step) -> str:
        """The path of a field, or of the element of a list that is read, in its structure."""
        is_field = self.element is None or self.element[0] != step.name
        return self.const(step.name) if is_field or self.at[1] is None else f"f'{step.name}[{{{self.at[1]}}}]'"

    def bytes(self, step: ReadBytes) -> None:
        self.take(step)
        value = "x"
        if step.encoding is not None:
            is_cut = step.trim is not None or step.process is not None
            text = self.text_of(step, "x", "w" if is_cut else "p - len_(x)")
            value = self.new("t")
            self.put(f"{value} = {text}")
        self.store(step.name, value)
        self.keep(step, value)
        self.keep_text(step, value, "x")

    def literal(self, step: ReadLiteral) -> None:
        size = str(len(step.contents))
        end = self.need(size)
        self.put(f"x = bytes_(d[p:{end}])")
        wanted = self.const(step.contents)
        with self.block(f"if x != {wanted}:"):
            self.put(f"contents_(r, v, {self.path_of(step)}, p, {wanted}, x)")
        self.put(f"p = {end}")
        self.store(step.name, "x")

    def bits_into(self, step: ReadBits, local: str, name: str | None) -> None:
        end = self.need(str(step.size), True)
        code = struct_format(step)
        if code is not None:
            self.put(f"x = {self.const(struct.Struct(code).unpack_from)}(d, p)[0]")
        else:
            self.put(f"x = int_from_(d[p:{end}], big_)")
        start = self.new("s")
        self.put(f"{start} = p; p = {end}")
        made, finished = parsed_class(step.type), value_class(step.type)
        if local != "v":
            self.put(f"{local} = {self.const(made)}()")
            if step.type.is_watched:
                self.put(f"{local}._io = r")
        for bit in step.bits:
            value = self.members(bit.enum, f"x >> {int(bit.shift)} & {int(bit.mask)}")
            self.put(assignment(local, bit.name, value, self.space))
        if local != "v":
            self.put(f"{local}.__class__ = {self.const(finished)}")
        if name is not None:
            self.store(name, local)
        for check in step.type.steps:
            if isinstance(check, Check):
                rule = self.const(runtime.bit_check(check))
                (bit,) = (one for one in step.bits if one.name == check.name)
                before = (8 * step.size - int(bit.shift) - int(bit.width)) // 8
                self.put(f"{rule}(r, {local}, {f'{start} + {before}' if before else start})")

    # structures

    def type(self, step: ReadType, callee: str = "") -> None:
        if not callee:
            callee = self.new("t")
            self.parser_later(self.space.values, callee, step.type, step.name)
        arguments = self.given_to(step)
        child = self.new("x")
        self.put("r.position = p")
        self.put(f"{child} = {callee}({', '.join(['r', *arguments])})")
        self.put("p = r.position")
        if self.answers:
            items = ", ".join(f"{self.const(name)}: {answers}" for name, answers in self.answers.items())
            self.put(f"put_aside_({child}, {{{items}}})")
        self.store(step.name, child)

    def given_to(self, step: ReadType) -> list[str]:
        """What the parser of a type takes besides the reader."""
        self.answers = {}
        given = [self.argument(name, node, step.name) for name, node in step.arguments]
        if not _takes_context(step):
            return []
        parent = "None" if step.foreign or step.orphan or not self.program.keeps_context else "v"
        if step.parent is not None:
            parent = self.value_of(step.parent)
        root = "None" if step.foreign or not self.program.keeps_context else self.root
        inherits = self.program.byte_order is not None or self.program.keeps_context
        return [parent, root, self.order if inherits else "None", *given]

    def argument(self, name: str, node: Expression, step: str) -> str:
        """A parameter's value. Where it follows from fields, and from streams and lists that grow, what these answer is
        put aside: an edited value gives it again (`arguments`).
        """
        asked = list[Expression]()
        moved = remembered(node, asked, growing_in(node, step, self.program))
        if not asked or not self.program.passing or not follows(node):
            return self.value_of(node)
        answers, words = self.new("a"), self.words
        self.put(f"{answers} = {{}}")
        self.words = dict(words)
        for number, one in enumerate(asked):
            text = source(one, self.space, words)
            how = f"counted_({answers}, {number}" if isinstance(one.type, ListOf) else f"{answers}.setdefault({number}"
            self.words[said_word(number)] = f"{how}, {text})"
        found = self.value_of(moved)
        self.words, self.answers[name] = words, answers
        return found

    def parser_later(self, table: dict[Any, Any], key: Any, program: TypeProgram, name: str) -> None:
        """Into a table the parser of the type of a field of that name."""
        callee, traced = self.callee, self.traced
        path = self.path[1:] if self.path[:1] == (name,) else ()
        later(table, key, lambda: callee(program, traced, path))

    def switch(self, step: ReadSwitch) -> None:
        on = self.new("x")
        self.evaluate(step.on, on)
        constants = [case.value.value for case in step.cases if case.value is not None and case.value.is_constant]
        declared = sum(case.value is not None for case in step.cases)
        if len(constants) < declared:
            self.any_switch(step, on)
            return
        alike = self.alike(step) if isinstance(step.on.type, _HASHED) and len(set(constants)) == declared else []
        others = [case for case in step.cases if case not in alike and case.value is not None]
        default = next((case for case in step.cases if case.value is None), None)
        word = "if"
        if alike:
            chosen = self.new("y")
            self.put(f"{chosen} = {self.parsers_by_value(alike, step.name)}.get({on})")
            with self.block(f"if {chosen} is not None:"):
                self.nested(alike[0].steps, chosen)
            word = "elif"
        for case in others:
            assert case.value is not None
            with self.block(f"{word} {on} == {self.value_of(case.value)}:"):
                self.case(step, case)
            word = "elif"
        with self.block("else:" if word == "elif" else "if True:"):
            self.case(step, default)

    def case(self, step: ReadSwitch, case: Case | None) -> None:
        if case is None or not case.steps:
            self.store(step.name, "None")
        else:
            self.nested(case.steps)

    def alike(self, step: ReadSwitch) -> list[Case]:
        """The cases that differ in their types alone: the parser is found by the value, and called in one place."""
        shapes: dict[Any, list[Case]] = {}
        for case in step.cases:
            shape = shape_of(case.steps)
            if case.value is not None and shape is not None and not self.traced:
                shapes.setdefault(shape, []).append(case)
        found = max(shapes.values(), key=len, default=[])
        return found if len(found) > 1 else []

    def parsers_by_value(self, cases: Sequence[Case], name: str) -> str:
        table: dict[Any, Any] = {}
        for case in cases:
            assert case.value is not None
            self.parser_later(table, case.value.value, type_of(case.steps), name)
        return self.const(table)

    def any_switch(self, step: ReadSwitch, on: str) -> None:
        """Cases whose values are not constant: the first that is equal, and the others are not evaluated."""
        if isinstance(step.on.type, Text | Bytes):
            self.put(f"{self.const(charged)}(r, {on}, 4)")
        done = self.new("y")
        self.put(f"{done} = -1")
        cases: list[tuple[int, Case]] = list(enumerate(step.cases))
        for index, case in sorted(cases, key=lambda item: item[1].value is None):
            with self.block(f"if {done} < 0:"):
                if case.value is None:
                    self.put(f"{done} = {index}")
                else:
                    value = self.value_of(case.value)
                    with self.block(f"if {on} == {value}:"):
                        self.put(f"{done} = {index}")
        for index, case in cases:
            with self.block(f"if {done} == {index}:"):
                self.case(step, case)
        with self.block(f"if {done} < 0:"):
            self.store(step.name, "None")

    def nested(self, steps: Sequence[Step], callee: str = "") -> None:
        """Steps inside of another step: they are no events of their own for an observer. ``callee`` is the parser of
        the type that they read.
        """
        if callee:
            assert not self.traced
            (step,) = steps
            outer = self.at
            if self.element is None or self.element[0] != step.name:
                self.at = (step.name, None)
            if isinstance(step, Window):
                self.stream(step, callee)
            else:
                assert isinstance(step, ReadType)
                self.type(step, callee)
            self.at = outer
            return
        if self.element is not None and steps and all(step.name == self.element[0] for step in steps):
            index = 0
            while index < len(steps):
                start = self.new("s")
                step = steps[index]
                self.put(f"{start} = {self.first_byte(step)}")
                index += 1
                if isinstance(step, Align):
                    self.waiting = (self.kept_name(step, "before"),)
                    continue
                checks = list[Check]()
                while index < len(steps) and isinstance(check := steps[index], Check):
                    checks.append(check)
                    index += 1
                if isinstance(step, Check):
                    self.check(step, start)
                self.conditional(step, checks, start)
            return
        traced, self.traced = self.traced, False
        if traced and any(map(_holds_type, steps)):
            self.traced = True
        self.steps(steps)
        self.traced = traced

    def list(self, step: ReadList) -> None:
        items, index, name = self.new("l"), self.new("i"), step.name
        self.put(f"{items} = []")
        outer_at, outer_element, outer_words = self.at, self.element, self.words
        self.store(name, items)  # what says how many there are may ask how many there are
        is_asked = outer_element is None and name in self.program.growing
        if is_asked:
            self.put(f"r.state.enter({items})")
        count = None if step.count is None else self.count(step.count)
        first = ""
        if self.path == (name,) and outer_element is None and can_be_taken(step):
            first, stored, width = self.new("n"), self.new("y"), None
            if isinstance(step.element, Window) and step.element.size is not None:
                width = self.size(step.element.size)
            self.put(f"r.position = p; {first}, p, {stored} = take_(r, v, p, lim, {count}, {width}, {items})")
            self.store(name, stored)
        code = None if self.traced or step.checks or step.until is not None else _list_code(step.element)
        if code is not None and count is not None:
            size = struct.calcsize(code)
            aligned = "not r.bits_left and " * step.align
            with self.block(f"if {aligned}r.room is None and p + {count} * {size} <= lim:"):
                unpack = self.const(runtime.list_reader(code))
                self.put(f"{items} += {unpack}({count}, d, p)" if not _enum_of(step.element) else "pass")
                if _enum_of(step.element):
                    members = self.const(enum_values(_enum_of(step.element)))  # type: ignore[arg-type]
                    self.put(f"{items} += [{members}.get(x, x) for x in {unpack}({count}, d, p)]")
                if code[1:] == "f" and self.program.keeps_context:
                    self.put(f"keep_floats_(v, {self.const(name)}, {items}, d, p, {self.const(code)})")
                self.put(f"p += {count} * {size}; {index} = {count} - 1; {self.new('z')} = 0")
            self.put("else:")
            self.indent += 1
        self.at = (name, index)
        self.words = {**self.words, "_index": index, "_": f"{items}[-1]"}
        frees = _may_be_free(step.element)
        before = self.new("s")
        self.put(f"{index} = {first}-1")
        self.put("rm = r.room is not None")
        if count is not None:
            head = f"for {index} in range_({f'{first}, ' * bool(first)}{count}):"
        elif step.until is not None:
            head = "while True:"
        else:
            head = "while p < lim or r.bits_left:"
        with self.block(head):
            if count is None:
                self.put(f"{index} += 1")
            with self.block("if rm:"):
                self.put("r.position = p; r.admit()")
            if frees:
                self.put(f"{before} = p")
            self.element = (name, items)
            if step.align:
                self.align(self.kept_name(step, "before"))
            start = self.new("s")
            if step.checks or self.traced:
                self.put(f"{start} = p")
            self.conditional(step.element)
            for check in step.checks:
                self.check(check, start)
            if self.traced and not isinstance(step.element, ReadType):
                self.put(f"r.position = p; r.observer.element(r, {start}, {items}[-1])")
            if frees:
                with self.block(f"if p == {before}:"):
                    self.put("r.position = p; r.free()")
            if step.until is not None:
                self.element = None
                with self.block(f"if {self.condition(step.until)}:"):
                    self.put("break")
        self.at, self.element, self.words = outer_at, outer_element, outer_words
        if is_asked:
            self.put("r.state.open.pop()")
        if code is not None and count is not None:
            self.indent -= 1

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

    def window(self, step: Window) -> None:
        if self.program.keeps_context or step.trim is not None or step.process is not None:
            self.stream(step)
        else:
            self.in_place(step)

    def stream(self, step: Window, callee: str = "") -> None:
        """A window that is a stream of its own."""
        outer, limit = self.new("r"), self.new("l")
        raw, content = self.new("y"), self.new("x")
        if step.trim is not None or step.process is not None:
            self.take(step)
            self.put(f"{outer} = r; r.position = p; {raw} = y; {content} = x")
            self.put("r = r.decoded(x, w)" if step.process is not None else "r = inner_(r, x, w)")
            if self.traced and step.process is not None:
                name, process = self.const(step.name), self.const(step.process.name)
                self.put(f"{outer}.observer.decoded({outer}, w, {name}, r, {process})")
            elif self.traced:
                self.put(f"r.observer.trimmed({self.const(step.name)}, w + len_(x), p)")
            self.reload()
        else:
            end = self.new("q")
            if step.size is None:
                self.whole_byte()
                self.put(f"{end} = lim if lim > p else p")
            else:
                end = self.need(self.size(step.size))
            self.put(f"{outer} = r; {limit} = lim")
            if step.codec is not None:
                self.inflated(step, end, outer)
                return
            self.put(f"r = r.window(p, {end}); lim = {end}")
        self.stream_content(step, callee)
        if callee or leaves_bits(step.steps):  # one of several types
            self.keep_bits(self.kept_name(step, "after"))
        self.put(f"r = {outer}")
        if step.trim is not None or step.process is not None:
            self.reload()
        else:
            self.put(f"p = {end}; lim = {limit}")
        place = self.kept_name(step)
        if place is not None and step.process is not None:
            self.put(f"keep_(v, {place}, {self.load(step.name)}, {raw})")
        elif place is not None and step.trim is not None:
            again = f"rebuilt_({content}, len_({raw}), {self.const(step.trim)})"
            with self.block(f"if {raw} is not None and {again} != {raw}:"):
                self.put(f"keep_(v, {place}, {self.load(step.name)}, {raw})")

    def stream_content(self, step: Window, callee: str = "") -> None:
        """The steps of a stream, to its end. Nothing may be left in one whose steps are the structure's own."""
        self.enter_window(step, callee)
        with self.block("if p < lim:"):
            if any(inner.name == step.name for inner in step.steps):
                self.put(f"r.position = p; settle_(r, {self.load(step.name)}, v)")
            else:
                self.put("raise leftover_(r, p)")

    def inflated(self, step: Window, end: str, outer: str) -> None:
        """A payload: its stream is decompressed, unless the compressed bytes are asked for."""
        assert step.codec is not None
        codec, name = self.new("k_"), self.const(step.name)
        self.put(f"{codec} = {self.value_of(step.codec)}")
        with self.block(f"if {codec} and r.raw:"):
            self.store(step.name, f"bytes_(d[p:{end}])")
            self.put(f"p = {end}")
        with self.block("else:"):
            magic = "None" if step.magic is None else self.value_of(step.magic)
            self.put("r.position = p")
            inflate = f"r.inflate({codec}, {end} - p, empty_, {magic}, {name})"
            self.put(f"r = {inflate} if {codec} else r.window(p, {end})")
            self.reload()
            self.stream_content(step)
            self.put(f"r = {outer}")
            self.reload()

    def enter_window(self, step: Window, callee: str = "") -> None:
        if self.traced:
            self.put("r.position = p; r.observer.enter(r, v)")
            self.nested_window(step.steps)
            self.put("r.position = p; r.observer.leave()")
        elif callee:
            self.nested(step.steps, callee)
        else:
            self.nested_window(step.steps)

    def nested_window(self, steps: Sequence[Step]) -> None:
        if self.element is not None:
            self.nested(steps)
        else:
            at = self.at
            self.steps(steps)
            self.at = at

    def in_place(self, step: Window) -> None:
        """A window of a type that keeps no context: the limit is set, and restored."""
        end, cut, outer, limit, was_cut = (self.new(letter) for letter in "qcrlc")
        size = self.new("n")
        self.put(f"{size} = {'lim - p' if step.size is None else self.size(step.size)}")
        self.whole_byte()
        self.put(f"{end} = p + {size}; {cut} = {end} > lim")
        codec = None
        if step.codec is not None:
            codec = self.new("k_")
            self.put(f"{codec} = {self.value_of(step.codec)}")
            magic = "None" if step.magic is None else self.value_of(step.magic)
        with self.block(f"if {cut} and ({codec or 'False'} or not r.end_is_cut):"):
            self.put(f"raise short_(r, p, {size})")
        self.put(f"{outer} = r; {limit} = lim; {was_cut} = r.end_is_cut")
        if codec is not None:
            with self.block(f"if {codec} and r.raw:"):
                self.store(step.name, f"bytes_(d[p:{end}])")
                self.put(f"p = {end}")
            self.put("else:")
            self.indent += 1
            with self.block(f"if {codec}:"):
                name = self.const(step.name)
                self.put(f"r.position = p; r = r.inflate({codec}, {size}, empty_, {magic}, {name})")
                self.reload()
            head = f"elif not {cut}:"
        else:
            head = f"if not {cut}:"
        with self.block(head):
            self.put(f"lim = r.limit = {end}; r.end_is_cut = False")
        self.enter_window(step)
        if codec is not None:
            with self.block(f"if {codec}:"):
                with self.block("if p < lim:"):
                    self.put("raise leftover_(r, p)")
                self.put(f"r.position = p; r = {outer}; d = r.data; p = {end}; lim = {limit}")
                self.put(_IS_VIEW)
            self.put("else:")
            self.indent += 1
        with self.block(f"if {cut}:"):
            self.put(f"raise short_(r, p, {end} - p)")
        with self.block("if p < lim:"):
            self.put("raise leftover_(r, p)")
        self.put(f"p = {end}; r.limit = lim = {limit}; r.end_is_cut = {was_cut}")
        if codec is not None:
            self.indent -= 2

    # checksums

    def checksum(self, step: Checksum) -> None:
        field, start = self.sums[step.name]
        if step.part == "check":
            self.verify(step, field, start, f"{start}_")
        elif step.part:
            self.put(f"{start}{'_' if step.part == 'to' else ''} = p")
        elif step.length is not None:
            end = self.new("q")
            self.put(f"{end} = p + {self.value_of(step.length)}")
            with self.block(f"if p <= {end} <= lim:"):
                self.verify(step, field, "p", end)
        elif step.to_limit:
            with self.block("if not r.end_is_cut:"):
                self.verify(step, field, "p", "lim")
            with self.block("else:"):
                self.put(f"{start} = p")
        else:
            self.put(f"{start} = p")

    def verify(self, step: Checksum, field: str, start: str, end: str) -> None:
        with self.block("if r.checksums:"):
            run = self.const(runtime.checksum(step.name, step.algorithm, ALGORITHMS[step.algorithm]))
            self.put(f"{run}(r, v, {attribute('v', step.name, self.space)}, {field}, {start}, {end})")


def _is_keyword(name: str) -> bool:
    return keyword.iskeyword(name)


def extent_of(row: Step) -> Callable[[DataError], int | None] | None:
    """What tells the bytes that a row takes whose reading ended with an error: None if what says it was not read, or
    is what is wrong. None for rows that do not say it.
    """
    if row.condition is not None or not isinstance(row, ReadType | Window):
        return None
    if isinstance(row, Window):
        known = known_size(row, set())
        return None if known is None or not known.is_constant else lambda error: int(known.value)
    program, sizes = row.type, layout(row.type).extent
    if sizes is None:
        return None
    if all(size.is_constant for size in sizes):
        total = sum(int(size.value) for size in sizes)
        return lambda error: total
    named = {".".join(name) for size in sizes for name in size.names()}
    parts = [compile_expression(size) for size in sizes]

    def extent(error: DataError) -> int | None:
        value = error.partial
        if not isinstance(value, Value) or value._type is not program or error.path in named:
            return None
        try:
            found = [part(value) for part in parts]
        except (AttributeError, KformatError):
            return None
        return None if min(found) < 0 else sum(found)

    return extent


def _in_order(step: ReadInteger | ReadFloat, little: bool) -> Step:
    if isinstance(step, ReadInteger):
        return ReadInteger(name=step.name, kind=step.kind, little_endian=little)
    return ReadFloat(name=step.name, bits=step.bits, little_endian=little)


def _run_code(step: Step) -> str | None:
    """The struct format of a step that may stand in a run, with a byte order or ``=``; None for others."""
    if step.condition is not None:
        return None
    match step:
        case ReadInteger() | ReadFloat():
            code = struct_format(_in_order(step, True) if step.by_type else step)
            if code is None:
                return None
            if struct.calcsize(code) == 1:
                return "=" + code[1:]
            return _BY_TYPE + code[1:] if step.by_type else code
        case ReadLiteral() if step.contents:
            return f"={len(step.contents)}s"
        case ReadBytes() if step.size is not None and step.size.is_constant and not step.process:
            if step.encoding is not None and not reads_all(step.encoding):  # its error has its own place
                return None
            return f"={step.size.value}s" if 0 < step.size.value <= 1 << 16 else None
    return None


def _list_code(step: Step) -> str | None:
    if step.condition is None and isinstance(step, ReadInteger | ReadFloat) and not step.by_type:
        return struct_format(step)
    return None


def _enum_of(step: Step) -> Enum | None:
    return step.enum if isinstance(step, ReadInteger) else None


def can_be_taken(step: ReadList) -> bool:
    """Whether the elements are structures that follow each other, all alike: in parts of one size, or in none."""
    element = step.element
    if isinstance(element, Window):
        if element.size is None or element.codec is not None or element.trim is not None or element.process is not None:
            return False
        if len(element.steps) != 1 or element.condition is not None or not _is_constant(element.size):
            return False
        (element,) = element.steps
    return isinstance(element, ReadType) and not step.align and element.condition is None


def _is_constant(node: Expression) -> bool:
    """Whether an expression is the same for all elements of a list."""
    if node.op == "local" or isinstance(node.type, Stream):
        return False
    return all(map(_is_constant, node.arguments))


def _may_be_free(step: Step) -> bool:
    """Whether an element may take no bytes; structures count themselves."""
    return step.condition is not None or not isinstance(
        step, ReadInteger | ReadFloat | ReadVarint | ReadBits | ReadType
    )


def _count(steps: Iterable[Step]) -> int:
    """How many steps there are, with those within them, but not those of other types."""
    return sum(1 for _ in all_steps(steps))


_HASHED: Final = Integer | Boolean | EnumType | Text | Bytes


def _takes_context(step: ReadType) -> bool:
    return step.type.keeps_context or step.type.byte_order is not None or bool(step.arguments)


def type_of(steps: Sequence[Step]) -> TypeProgram:
    (step,) = steps
    if isinstance(step, Window):
        return type_of(step.steps)
    assert isinstance(step, ReadType)
    return step.type


def shape_of(steps: Sequence[Step]) -> Any:
    """What has to be the same of two cases that read a type, so that only their parsers differ; None for others."""
    if len(steps) != 1 or steps[0].condition is not None:
        return None
    step = steps[0]
    if isinstance(step, ReadType):
        if step.arguments or step.parent is not None or not step.type.keeps_context:
            return None
        return step.name, step.foreign, step.orphan
    if isinstance(step, Window) and step.codec is None and step.trim is None and step.process is None:
        inner = shape_of(step.steps) if isinstance(step.steps[0], ReadType) else None
        return None if inner is None else (inner, step.name, str(step.size), repr(step.size))
    return None


def is_shallow(program: TypeProgram, instance: Instance) -> bool:
    """Whether an instance is computed from the value's own fields alone, at last: it can never ask for itself, nor for
    others many times.
    """
    count = _counts(program)[instance.field.name]
    return count is not None and count <= _MOST_INSTANCES


_MOST_INSTANCES: Final = 20


@lru_cache(maxsize=1024)
def _counts(program: TypeProgram) -> dict[str, int | None]:
    """Of each instance how many are computed when it is; None if it asks for more than own fields."""
    others = {item.field.name: item for item in program.instances}
    known: dict[str, int | None] = {}

    def count(name: str) -> int | None:
        if name not in known:
            known[name] = None  # while it is asked: one that asks for it then goes in a circle
            instance = others[name]
            if instance.value is not None:
                rules = [check.rule for check in instance.checks]
                nodes = [node for node in (instance.condition, instance.value, *rules) if node is not None]
                asked = _own_names(nodes, lambda node: may_grow(node, program))
                counts = [None] if asked is None else [count(one) for one in asked if one in others]
                if None not in counts:
                    known[name] = 1 + sum(one for one in counts if one is not None)
        return known[name]

    for name in others:
        count(name)
    return known


def may_grow(node: Expression, program: TypeProgram) -> bool:
    """Whether a list may be incomplete when an instance asks for it."""
    while node.op == "index":
        node = node.arguments[0]
    name = node.value[-1] if node.op == "name" else node.value
    return name in program.growing


def _own_names(nodes: Iterable[Expression], may_grow: Callable[[Expression], bool]) -> list[str] | None:
    """The names of a value's own that expressions ask for, each as often; None if they ask for what is in or above
    others.
    """
    found: list[str] = []
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if node.op == "member":
            return None
        if isinstance(node.type, Stream) or (isinstance(node.type, ListOf) and may_grow(node)):
            return None
        if node.op == "name":
            if len(node.value) > 1 or node.value[0] in ("_parent", "_root"):
                return None
            found.append(node.value[0])
        pending += node.arguments
    return found


_MOST_NODES: Final = 12
_CHEAP: Final = frozenset(
    ("constant", "name", "if", "not", "neg", "inv", "and", "or", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^")
    + ("+", "-", "*", "/", "%", "<<", ">>")
)


def cheap_instances(program: TypeProgram) -> dict[str, Expression]:
    """Instances that are a few operations, which cannot fail, on fields that are always there."""
    fields = {item.name for item in program.fields if not item.optional and item.kind in ("integer", "boolean")}
    found: dict[str, Expression] = {}
    for instance in program.instances:
        node = instance.value
        plain = instance.condition is None and instance.enum is None and not instance.checks
        if (
            plain
            and node is not None
            and not node.is_constant
            and _is_cheap(node, fields)
            and _nodes(node) <= _MOST_NODES
        ):
            found[instance.field.name] = node
    return found


def _is_cheap(node: Expression, fields: set[str]) -> bool:
    if node.op not in _CHEAP or node.overflow != "never" or not isinstance(node.type, Integer | Boolean):
        return False
    if node.op == "name" and (len(node.value) > 1 or node.value[0] not in fields):
        return False
    return all(_is_cheap(argument, fields) for argument in node.arguments)


def _nodes(node: Expression) -> int:
    return 1 + sum(map(_nodes, node.arguments))
