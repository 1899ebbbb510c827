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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from kformat.codec import runtime
from kformat.codec.expressions import Namespace, assignment, attribute, is_simple, source
from kformat.codec.extensions import opaque_type_of
from kformat.codec.values import enum_values, value_class
from kformat.language.expression import Expression
from kformat.language.layout import struct_format
from kformat.language.program import (
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
    TypeProgram,
    Window,
)
from kformat.storage.checksum import ALGORITHMS

Lines = dict[int, tuple[str, str | None]]
"""Line of the source -> field, and the local that has the index in its list."""

Callee = Callable[[TypeProgram, bool, Namespace, str], Any]
"""Gives the parser of another type, which puts itself in place of its name in the namespace."""

_SETS_NOTHING: Final = CheckEnd | Checksum | Check | Align


def _holds_type(step: Step) -> bool:
    return isinstance(step, ReadType) or (isinstance(step, Window) and any(map(_holds_type, step.steps)))


class Emitter:
    """The source of one function."""

    def __init__(self, program: TypeProgram, callee: Callee, traced: bool = False) -> None:
        self.program, self.callee, self.traced = program, callee, traced
        self.space = Namespace()
        self.text: list[str] = []
        self.lines: Lines = {}
        self.indent = 1
        self.counter = 0
        self.at: tuple[str, str | None] = ("", None)
        self.words: dict[str, str] = {}
        self.element: tuple[str, str] | None = None
        """In a list: the field's name, the local that has the list."""
        self.instances = frozenset(instance.field.name for instance in program.instances)
        self.sums: dict[str, tuple[str, str]] = {}

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
            self.put(assignment("v", name, value, self.space))

    def load(self, name: str) -> str:
        if self.element is not None and self.element[0] == name:
            return f"{self.element[1]}[-1]"
        return attribute("v", name, self.space)

    def reload(self) -> None:
        """After the reader changed."""
        self.put("d = r.data; p = r.position; lim = r.limit; m = type_(d) is not bytes_")

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
        arguments = [f"a{index}" for index in range(len(program.parameters))]
        head = ", ".join(
            ["r", "parent=None", "root=None", "little_endian=None", *(f"{name}=None" for name in arguments)]
        )
        self.text.append(f"def parse({head}):")
        self.put(f"v = {self.const(value_class(program).__new__)}({self.const(value_class(program))})")
        for name, argument in zip(program.parameters, arguments, strict=True):
            self.put(assignment("v", name, argument, self.space))
        if program.keeps_context:
            self.put("v._parent = parent; v._io = r; v._order = little_endian")
            own_root = "v if root is None else root" if program.is_root else "root"
            self.put(f"v._root = {own_root}")
        elif program.byte_order is not None:
            self.put("v._order = little_endian")
        self.reload()
        if program.is_recursive:
            self.put("r0 = r; r.deeper()")
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
            if self.traced:
                self.put("r.observer.leave()")
        with self.block("except error_ as e:"):
            self.put("raise failed_(e, r, v, p) from None")
        if program.is_recursive:
            with self.block("finally:"):
                self.put("r0.state.depth -= 1")
        self.put("return v")
        return "\n".join(self.text) + "\n", self.lines

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

    def instance(self, instance: Instance) -> tuple[str, Lines]:
        name = instance.field.name
        self.text.append("def read(v, r):")
        self.at = (name, None)
        self.words = {"_": attribute("v", name, self.space)}
        self.put("p = 0 if r is None else r.position; r0 = o4 = None")
        with self.block("try:"):
            if instance.condition is not None:
                text = source(instance.condition, self.space, self.words)
                with self.block(f"if not {text}:"):
                    self.store(name, "None")
                    self.put("return None")
            if instance.value is not None:
                self.put(f"x = {source(instance.value, self.space, self.words)}")
                value = f"{self.const(enum_values(instance.enum))}.get(x, x)" if instance.enum is not None else "x"
                self.store(name, value)
                self.put("p = 0 if r is None else r.position")
                self.put("s = p")
                for check in instance.checks:
                    self.check(check, "s")
            else:
                self.parsed(instance)
        with self.block("except error_ as e:"):
            self.put(f"raise failed_(e, r, v, p, {self.const(name)}) from None")
        with self.block("finally:"):
            with self.block("if r0 is not None:"):
                self.put("r0.position = o1; r0.align()")
            if self.traced and instance.value is None:
                with self.block("if o4 is not None:"):
                    self.put("o4.returned()")
        self.put("return " + attribute("v", name, self.space))
        return "\n".join(self.text) + "\n", self.lines

    def parsed(self, instance: Instance) -> None:
        if instance.stream is not None:
            self.put(f"r = {source(instance.stream, self.space, self.words)}")
        self.put("p = r.position")
        if instance.position is not None:
            self.put(f"o2 = {source(instance.position, self.space, self.words)}")
            self.put("o1 = r.position; r0 = r; r.align()")
            with self.block("if o2 < 0:"):
                self.put("raise negative_(r, o2, p, position_)")
            self.put("p = r.position = r.base + o2")
        if self.traced:
            self.put(f"r.observer.instance(v, {self.const(instance.field.name)}, r); o4 = r.observer")
        self.reload()
        self.put("o3 = p; r3 = r")
        self.steps(instance.steps)
        self.put("r.position = p; r3.reread(o3, p)")

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
            length = 0 if self.traced else self.run_length(steps, index)
            if length > 1:
                self.run(steps[index : index + length])
            else:
                length = 1
                while index + length < len(steps) and isinstance(steps[index + length], Check):
                    length += 1
                self.with_checks(steps[index], steps[index + 1 : index + length])  # type: ignore[arg-type]
            index += length
        for name, checksum in sums.items():
            if checksum.length is None:
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
        self.put(f"{start} = p")
        if isinstance(step, Check):
            self.check(step, start)
        else:
            self.conditional(step)
        for check in checks:
            self.check(check, start)
        self.trace_done()
        self.at = outer

    def conditional(self, step: Step) -> None:
        if step.condition is None:
            self.step(step)
            return
        with self.block(f"if {self.condition(step.condition)}:"):
            self.step(step)
        if not isinstance(step, _SETS_NOTHING):
            with self.block("else:"):
                self.store(step.name, "None")

    def check(self, check: Check, start: str) -> None:
        words = self.words
        self.words = {**words, "_": self.load(check.name)}
        found = self.load(check.name)
        failed = f"raise refused_(r, {start}, {found}, {self.const(check)})"
        tests = []
        if check.condition is not None:
            tests.append(self.condition(check.condition))
        rule = f"{found} in {self.const(check.allowed)}" if check.rule is None else self.condition(check.rule)
        with self.block(f"if {' and '.join([*tests, f'not ({rule})'])}:"):
            self.put("r.position = p")
            self.put(failed)
        self.words = words

    # runs

    def run_length(self, steps: Sequence[Step], index: int) -> int:
        """How many steps from here on make a run."""
        count = fields = last = 0
        while index + count < len(steps):
            step = steps[index + count]
            if isinstance(step, Check):
                if not fields or not self.is_pure(step.rule) or step.condition is not None:
                    count, fields = last, fields - 1  # a rule stays with its field, whose position its error has
                    break
            elif _run_code(step) is None or step.name in (self.element or ()):
                break
            else:
                fields, last = fields + 1, count
            count += 1
        return count if fields > 1 else 0

    def is_pure(self, node: Expression | None) -> bool:
        if node is None:
            return True
        if not is_simple(node, self.instances):
            return False
        return node.overflow == "never" and all(map(self.is_pure, node.arguments))

    def run(self, steps: Sequence[Step]) -> None:
        fields = [step for step in steps if not isinstance(step, Check)]
        checks = [step for step in steps if isinstance(step, Check)]
        pieces: list[tuple[str, list[str]]] = []
        order, codes = "", ""
        names: list[str] = []
        total = 0
        rules: list[str] = []
        after: list[str] = []
        for step in fields:
            code = _run_code(step)
            assert code is not None
            if code[0] in "<>" and order not in ("", code[0]):
                pieces.append((order + codes, names))
                order, codes, names = "", "", []
            if code[0] in "<>":
                order = code[0]
            local = self.new("x")
            names.append(local)
            codes += code[1:]
            if step.name in self.sums:
                after.append(f"{self.sums[step.name][0]} = p + {total}")
            target = attribute("v", step.name, self.space) if not _is_keyword(step.name) else None
            value = local
            match step:
                case ReadInteger() if step.enum is not None:
                    value = f"{self.const(enum_values(step.enum))}.get({local}, {local})"
                case ReadBytes() if step.encoding is not None:
                    value = self.text_of(local, step.encoding)
                case ReadLiteral():
                    rules.append(f"{local} == {self.const(step.contents)}")
            after.append(f"{target} = {value}" if target else assignment("v", step.name, value, self.space))
            total += struct.calcsize("=" + code[1:])
        pieces.append((order + codes, names))
        outer = self.at
        with self.block("while True:"):
            with self.block(f"if p + {total} <= lim:"):
                offset = 0
                for format, locals_ in pieces:
                    made = struct.Struct(format if format[0] in "<>" else "=" + format)
                    at = f"p + {offset}" if offset else "p"
                    self.put(f"{', '.join(locals_)}, = {self.const(made.unpack_from)}(d, {at})")
                    offset += made.size
                rules_after = []
                for check in checks:
                    words, self.words = self.words, {**self.words, "_": self.load(check.name)}
                    found = self.load(check.name)
                    rules_after.append(
                        f"{found} in {self.const(check.allowed)}"
                        if check.rule is None
                        else source(check.rule, self.space, self.words)
                    )
                    self.words = words

                def stores() -> None:
                    for line in after:
                        self.put(line)
                    if rules_after:
                        with self.block(f"if {' and '.join(rules_after)}:"):
                            self.put(f"p += {total}")
                            self.put("break")
                        for step in fields:
                            self.put(f"delete_(v, {self.const(step.name)})")
                    else:
                        self.put(f"p += {total}")
                        self.put("break")

                if rules:
                    with self.block(f"if {' and '.join(rules)}:"):
                        stores()
                else:
                    stores()
            index = 0
            while index < len(steps):
                length = 1
                while index + length < len(steps) and isinstance(steps[index + length], Check):
                    length += 1
                self.with_checks(steps[index], steps[index + 1 : index + length])  # type: ignore[arg-type]
                index += length
            self.put("break")
        self.at = outer

    # leaves

    def step(self, step: Step) -> None:
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
            case Align():
                self.put("r.align()")
            case ReadType():
                self.type(step)
            case ReadOpaque():
                arguments = "".join(f"{self.value_of(node)}, " for node in step.arguments)
                read = self.const(lambda name=step.type_name: opaque_type_of(name).read)
                self.put(f"r.position = p; x = r.opaque({read}(), ({arguments})); p = r.position")
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
        with self.block(f"if {end} > lim:" if constant else f"if {end} > lim and {size}:"):
            self.put(f"raise short_(r, p, {size})")
        return end

    def number(self, step: ReadInteger | ReadFloat) -> None:
        little = struct_format(_in_order(step, True))
        big = struct_format(_in_order(step, False))
        assert little is not None and big is not None
        size = struct.calcsize(little)
        if step.by_type:
            with self.block("if v._order is None:"):
                self.put("raise undecided_(r, p)")
        end = self.need(str(size), True)
        if step.by_type:
            both = [self.const(struct.Struct(code).unpack_from) for code in (little, big)]
            self.put(f"x = ({both[0]} if v._order else {both[1]})(d, p)[0]")
        elif little[1] == "B":
            self.put("x = d[p]")
        else:
            code = little if step.little_endian else big
            self.put(f"x = {self.const(struct.Struct(code).unpack_from)}(d, p)[0]")
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
            return str(int(node.value))
        size = self.new("n")
        self.evaluate(node, size)
        with self.block(f"if {size} < 0:"):
            self.put(f"raise negative_(r, {size}, p)")
        return size

    def take(self, step: ReadBytes | Window) -> None:
        """The bytes of a field into ``x``, trimmed and processed; ``w`` is where they begin, ``y`` all that were
        taken.
        """
        trim, process = step.trim, step.process
        keeps = trim is not None or process is not None
        if keeps:
            self.put("w = p")
        if trim is not None and trim.delimited:
            self.put(f"r.position = p; x, y = r.read_until({self.const(trim)}); p = r.position")
        else:
            if step.size is None:
                self.put("x = d[p:lim]; p = lim if lim > p else p")
            else:
                size = self.size(step.size)
                end = self.need(size, step.size.is_constant)
                self.put(f"x = d[p:{end}]; p = {end}")
            with self.block("if m:"):
                self.put("x = bytes_(x)")
            if keeps:
                self.put("y = x")
            if trim is not None:
                self.put(f"x = trimmed_(x, {self.const(trim)})")
        if process is not None:
            self.process(process)

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
            with self.block(f"if rebuilt_(x, len_(y), {self.const(step.trim)}) != y:"):
                self.put(f"keep_(v, {name}, {value}, y)")

    def kept_name(self, step: ReadBytes | Window) -> str | None:
        """What the bytes of a field are kept under: its name, in a list with the index; None if they are not kept."""
        if not self.program.keeps_context:
            return None
        name, index = self.const(step.name), self.at[1]
        if self.element is None:
            return name
        return f"({name}, {index})" if self.element[0] == step.name and index is not None else None

    def text_of(self, local: str, encoding: str) -> str:
        if encoding.upper() in ("UTF-8", "ASCII"):
            return f"{local}.decode(utf8_, lenient_)"
        return f"decode_text_({local}, {self.const(encoding)})"

    def bytes(self, step: ReadBytes) -> None:
        self.take(step)
        value = "x"
        if step.encoding is not None:
            value = self.new("t")
            self.put(f"{value} = {self.text_of('x', step.encoding)}")
        self.store(step.name, value)
        self.keep(step, value)

    def literal(self, step: ReadLiteral) -> None:
        size = str(len(step.contents))
        end = self.need(size)
        self.put(f"x = bytes_(d[p:{end}])")
        wanted = self.const(step.contents)
        with self.block(f"if x != {wanted}:"):
            self.put(f"raise contents_(r, p, {wanted}, x)")
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
        made = value_class(step.type)
        if local != "v":
            self.put(f"{local} = {self.const(made.__new__)}({self.const(made)})")
        for bit in step.bits:
            value = self.members(bit.enum, f"x >> {int(bit.shift)} & {int(bit.mask)}")
            self.put(assignment(local, bit.name, value, self.space))
        if name is not None:
            self.store(name, local)
        for check in step.type.steps:
            if isinstance(check, Check):
                rule = self.const(runtime.bit_check(check))
                self.put(f"{rule}(r, {local}, {start})")

    # structures

    def type(self, step: ReadType) -> None:
        callee = self.new("t")
        self.space.values[callee] = self.callee(step.type, self.traced, self.space, callee)
        given = [self.value_of(node) for _, node in step.arguments]
        arguments: list[str] = []
        if step.type.keeps_context or step.type.byte_order is not None or given:
            parent = "None" if step.foreign or step.orphan or not self.program.keeps_context else "v"
            if step.parent is not None:
                parent = self.value_of(step.parent)
            root = "None" if step.foreign or not self.program.keeps_context else "v._root"
            inherits = self.program.byte_order is not None or self.program.keeps_context
            arguments = [parent, root, "v._order" if inherits else "None", *given]
        child = self.new("x")
        self.put("r.position = p")
        self.put(f"{child} = {callee}({', '.join(['r', *arguments])})")
        self.put("p = r.position")
        self.store(step.name, child)

    def switch(self, step: ReadSwitch) -> None:
        on = self.new("x")
        self.evaluate(step.on, on)
        done = self.new("y")
        self.put(f"{done} = -1")
        cases: list[tuple[int, Case]] = list(enumerate(step.cases))
        for index, case in sorted(cases, key=lambda item: item[1].value is None):
            test = f"{done} < 0"
            if case.value is not None:
                with self.block(f"if {done} < 0:"):
                    value = self.value_of(case.value)
                    with self.block(f"if {on} == {value}:"):
                        self.put(f"{done} = {index}")
            else:
                with self.block(f"if {test}:"):
                    self.put(f"{done} = {index}")
        for index, case in cases:
            with self.block(f"if {done} == {index}:"):
                self.nested(case.steps)
                if not case.steps:
                    self.store(step.name, "None")
        with self.block(f"if {done} < 0:"):
            self.store(step.name, "None")

    def nested(self, steps: Sequence[Step]) -> None:
        """Steps inside of another step: they are no events of their own for an observer."""
        if self.element is not None and steps and all(step.name == self.element[0] for step in steps):
            index = 0
            while index < len(steps):
                start = self.new("s")
                self.put(f"{start} = p")
                step = steps[index]
                if isinstance(step, Check):
                    self.check(step, start)
                else:
                    self.conditional(step)
                index += 1
                while index < len(steps) and isinstance(steps[index], Check):
                    self.check(steps[index], start)  # type: ignore[arg-type]
                    index += 1
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
        count = None if step.count is None else self.count(step.count)
        self.store(name, items)
        code = None if self.traced or step.checks or step.until is not None else _list_code(step.element)
        if code is not None and count is not None:
            size = struct.calcsize(code)
            with self.block(f"if r.room is None and p + {count} * {size} <= lim:"):
                unpack = self.const(runtime.list_reader(code))
                self.put(f"{items} += {unpack}({count}, d, p)" if not _enum_of(step.element) else "pass")
                if _enum_of(step.element):
                    members = self.const(enum_values(_enum_of(step.element)))  # type: ignore[arg-type]
                    self.put(f"{items} += [{members}.get(x, x) for x in {unpack}({count}, d, p)]")
                self.put(f"p += {count} * {size}; {index} = {count} - 1; {self.new('z')} = 0")
            self.put("else:")
            self.indent += 1
        self.at = (name, index)
        self.words = {"_index": index, "_": f"{items}[-1]"}
        frees = _may_be_free(step.element)
        before = self.new("s")
        self.put(f"{index} = -1")
        self.put("rm = r.room is not None")
        if count is not None:
            head = f"for {index} in range_({count}):"
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
            if step.align:
                self.put("r.align()")
            start = self.new("s")
            self.put(f"{start} = p")
            self.element = (name, items)
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
        if code is not None and count is not None:
            self.indent -= 1

    def count(self, node: Expression) -> str:
        if node.is_constant and node.value >= 0:
            return str(int(node.value))
        count = self.new("n")
        self.evaluate(node, count)
        with self.block(f"if {count} < 0:"):
            self.put(f"raise negative_(r, {count}, p, elements_)")
        return count

    def window(self, step: Window) -> None:
        if self.program.keeps_context or step.trim is not None or step.process is not None:
            self.stream(step)
        else:
            self.in_place(step)

    def stream(self, step: Window) -> None:
        """A window that is a stream of its own."""
        outer = self.new("r")
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
        else:
            size = "(lim - p if lim > p else 0)" if step.size is None else self.size(step.size)
            if step.size is None:
                name = self.new("n")
                self.put(f"{name} = {size}")
                size = name
            self.need(size)
            self.put(f"{outer} = r; r.position = p")
            if step.codec is not None:
                self.inflated(step, size, outer)
                return
            self.put(f"r = r.window({size})")
        self.reload()
        self.stream_content(step)
        self.put(f"r = {outer}")
        self.reload()
        place = self.kept_name(step)
        if place is not None and step.process is not None:
            self.put(f"keep_(v, {place}, {self.load(step.name)}, {raw})")
        elif place is not None and step.trim is not None:
            with self.block(f"if rebuilt_({content}, len_({raw}), {self.const(step.trim)}) != {raw}:"):
                self.put(f"keep_(v, {place}, {self.load(step.name)}, {raw})")

    def stream_content(self, step: Window) -> None:
        """The steps of a stream, to its end. Nothing may be left in one whose steps are the structure's own."""
        self.enter_window(step)
        with self.block("if p < lim:"):
            if any(inner.name == step.name for inner in step.steps):
                self.put(f"r.position = p; settle_(r, {self.load(step.name)}, v)")
            else:
                self.put("raise leftover_(r, p)")

    def inflated(self, step: Window, size: str, outer: str) -> None:
        """A payload: its stream is decompressed, unless the compressed bytes are asked for."""
        assert step.codec is not None
        codec, name = self.new("k_"), self.const(step.name)
        self.put(f"{codec} = {self.value_of(step.codec)}")
        with self.block(f"if {codec} and r.raw:"):
            self.store(step.name, f"bytes_(d[p:p + {size}])")
            self.put(f"p = p + {size}")
        with self.block("else:"):
            magic = "None" if step.magic is None else self.value_of(step.magic)
            self.put(f"r = r.inflate({codec}, {size}, empty_, {magic}, {name}) if {codec} else r.window({size})")
            self.reload()
            self.stream_content(step)
            self.put(f"r = {outer}")
            self.reload()

    def enter_window(self, step: Window) -> None:
        if self.traced:
            self.put("r.position = p; r.observer.enter(r, v)")
            self.nested_window(step.steps)
            self.put("r.position = p; r.observer.leave()")
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
                self.put("m = type_(d) is not bytes_")
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
        if step.length is not None:
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
            self.put(f"{run}(r, {attribute('v', step.name, self.space)}, {field}, {start}, {end})")


def _is_keyword(name: str) -> bool:
    return keyword.iskeyword(name)


def _in_order(step: ReadInteger | ReadFloat, little: bool) -> Step:
    if isinstance(step, ReadInteger):
        return ReadInteger(name=step.name, kind=step.kind, little_endian=little)
    return ReadFloat(name=step.name, bits=step.bits, little_endian=little)


def _run_code(step: Step) -> str | None:
    """The struct format of a step that may stand in a run, with a byte order or ``=``; None for others."""
    if step.condition is not None:
        return None
    match step:
        case ReadInteger() | ReadFloat() if not step.by_type:
            code = struct_format(step)
            return "=" + code[1:] if code is not None and struct.calcsize(code) == 1 else code
        case ReadLiteral() if step.contents:
            return f"={len(step.contents)}s"
        case ReadBytes() if step.size is not None and step.size.is_constant and not (step.trim or step.process):
            return f"={step.size.value}s" if 0 < step.size.value <= 1 << 16 else None
    return None


def _list_code(step: Step) -> str | None:
    if step.condition is None and isinstance(step, ReadInteger | ReadFloat) and not step.by_type:
        return struct_format(step)
    return None


def _enum_of(step: Step) -> Enum | None:
    return step.enum if isinstance(step, ReadInteger) else None


def _may_be_free(step: Step) -> bool:
    """Whether an element may take no bytes."""
    return step.condition is not None or not isinstance(step, ReadInteger | ReadFloat | ReadVarint | ReadBits)
