"""TypeProgram -> Python source that writes a value as it is: the short way of `building`.

`straight` gives the bytes of a parsed value, or of one that is as complete, if nothing in it has to be computed: every
field is there, and lengths, counts, checksums, keys of switches and rules agree. Then a builder would write the same
bytes, many times as slowly. In any other case it gives None, and the builder computes, or says what is wrong. Rules:

* Generated code never decides. What is not exactly as a reader would have read it ends it: `Unfit`, or any other of
  `UNFIT`.
* Processes, payloads that are compressed, and what else only a builder knows how to do are left to it.
* A stream is taken to be as long as the one that its values were read from; if it is not, they are left to the builder.
* Value instances may be out of date: their expressions are written out where they are asked for. Those whose value
  depends on when that is first, since they ask where a stream stands, or for a list, are left to the builder.
* Identifiers are numbered, as in `parser`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from functools import lru_cache
from typing import Any, Final

from kformat.codec.cases import shape_of, type_of
from kformat.codec.drafts import Output, asks_position, asks_stream
from kformat.codec.expressions import DEEPEST, Namespace, attribute, later, source
from kformat.codec.reader import Varint, rebuilt, trimmed
from kformat.codec.values import MISSING, REST, Value, held, value_class
from kformat.errors import BuildError
from kformat.language.encodings import LENIENT
from kformat.language.expression import FAILURES, Expression
from kformat.language.following import asked_of_stream, asks_where
from kformat.language.layout import struct_format
from kformat.language.node import Node, replaced
from kformat.language.program import (
    Align,
    Case,
    Check,
    CheckEnd,
    Checksum,
    Instance,
    ReadBit,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadSwitch,
    ReadType,
    ReadVarint,
    Step,
    Trim,
    TypeProgram,
    Window,
)
from kformat.language.steps import all_steps, nodes_of, reached, takes_the_rest, types_of
from kformat.language.types import ListOf
from kformat.storage.checksum import ALGORITHMS


def _asks_list(name: str, parts: Any) -> bool:
    """Whether expressions ask for a list of that name."""
    return any(
        isinstance(node.type, ListOf) and name == (node.value[-1] if node.op == "name" else node.value)
        for node in nodes_of(parts)
    )


class Unfit(Exception):
    """A builder has to look at the value."""


UNFIT: Final = (Unfit, BuildError, struct.error, RecursionError, ArithmeticError, *FAILURES)

_MOST_NODES: Final = 300
"""Of an expression in which instances are written out."""


def straight(program: TypeProgram, value: Any) -> bytes | None:
    """The bytes of a complete value; None if a builder has to look at it."""
    if not isinstance(value, Value) or program.parameters or program.growing:
        return None
    stream = _Stream(_Out())
    stream.value = value
    try:
        writer_of(program)(value, stream.out, stream, None, None, None)
        rest = getattr(value, REST, b"")
        if type(rest) is not bytes or (rest and _needs_stream(program)):
            return None
        stream.out += rest
        _finish(stream)
        stream.out.is_at_end()
    except UNFIT:
        return None
    return bytes(stream.out)


@lru_cache(maxsize=4096)
def writer_of(program: TypeProgram) -> Callable[..., None]:
    """``write(value, out, stream, parent, root, little_endian, *arguments)``, which appends to a bytearray: the
    stream's. That is None where nothing in the type asks for it.
    """
    return _compiled(program, lambda emitter: emitter.writer(), "write")


@lru_cache(maxsize=4096)
def placer_of(program: TypeProgram, name: str) -> Callable[..., None]:
    """``place(value, output, stream, root, little_endian)`` puts what an instance has at its position."""
    instance = next(item for item in program.instances if item.field.name == name)
    return _compiled(program, lambda emitter: emitter.placer(instance), "place")


@lru_cache(maxsize=4096)
def computer_of(program: TypeProgram, name: str) -> Callable[..., Any]:
    """``compute(value)``: what a computed instance is now."""
    return _compiled(program, lambda emitter: emitter.computer(name), "compute")


def _compiled(program: TypeProgram, emit: Callable[[_Emitter], str], name: str) -> Callable[..., None]:
    emitter = _Emitter(program)
    try:
        text = emit(emitter)
    except Unfit:
        return _unfit
    values = emitter.space.values
    values.update(_NAMES)
    exec(compile(text, f"<writer of {program.label}>", "exec"), values)
    made: Callable[..., None] = values[name]
    return made


def _unfit(*_: Any) -> None:
    raise Unfit


# --- what is generated ---------------------------------------------------------------------------------------------


class _Emitter:
    """The source of one function. ``v`` is the value, ``o`` the bytes."""

    def __init__(self, program: TypeProgram) -> None:
        self.program = program
        self.space = Namespace()
        self.lines: list[str] = []
        self.indent = 1
        self.counter = 0
        self.codes, self.numbers = "", list[str]()
        """Numbers that are not written yet: their format, and their values."""
        self.words: dict[str, str] = {}
        self.element: tuple[str, str] | None = None
        """In a list: the field's name, the local that has the element."""
        self.index: str | None = None
        self.stream = ""
        """In a window whose stream is asked for: its local."""
        self.fills_stream = self.is_in_window = False
        """Whether what is written next is all that a window has; whether it is in one."""
        self.computed = {item.field.name: item for item in program.instances if item.value is not None}
        self.placed = {item.field.name: item for item in program.instances if item.value is None}
        inner = [step for item in self.placed.values() for step in item.steps]
        self.kept = frozenset(_kept_fields([*program.steps, *inner]))

    # writing

    def put(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def new(self, letter: str) -> str:
        self.counter += 1
        return f"{letter}{self.counter}"

    def const(self, value: Any) -> str:
        return self.space.add(value)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.flush()
        self.put(head)
        self.indent += 1
        before = len(self.lines)
        yield
        self.flush()
        if len(self.lines) == before:
            self.put("pass")
        self.indent -= 1

    def unless(self, test: str) -> None:
        self.put(f"if not ({test}): raise unfit_")

    def number(self, code: str, value: str) -> None:
        """A number, or piece of bytes, by its struct's format; those next to each other are packed at once."""
        order = code[0] if struct.calcsize(code) > 1 and not code.endswith("s") else "="
        mine = self.codes[:1]
        if mine in ("", "=") or order in ("=", mine):
            self.codes = (order if mine in ("", "=") else mine) + self.codes[1:] + code[1:]
        else:
            self.flush()
            self.codes = order + code[1:]
        self.numbers.append(value)

    def plain(self, value: str, kinds: str = "ints_") -> None:
        """Refuse numbers of other kinds than Python's: they may compute otherwise."""
        self.put(f"if type_({value}) not in {kinds} and not is_a_({value}, int_enum_): raise unfit_")

    def flush(self) -> None:
        if self.codes:
            pack = self.const(struct.Struct(self.codes).pack)
            self.put(f"o += {pack}({', '.join(self.numbers)})")
            self.codes, self.numbers = "", []

    def value(self, name: str) -> str:
        if self.element is not None and self.element[0] == name:
            return self.element[1]
        return attribute("v", name, self.space)

    def text(self, node: Expression) -> str:
        """An expression as source."""
        words = {".": "of_", "_io": "None", **self.words}
        room = [_MOST_NODES]
        self.write_out(node, words, room, 0)
        try:
            return source(node, self.space, words)
        except KeyError:  # a local that has no meaning here
            raise Unfit from None

    def write_out(self, node: Expression, words: dict[str, str], room: list[int], depth: int) -> None:
        """Put the instances that an expression asks for into its words; Unfit where they cannot be there."""
        room[0] -= 1
        if room[0] < 0 or depth == DEEPEST:
            raise Unfit
        if node.op == "name":
            if "_io" in node.value[1:] or "_sizeof" in node.value:
                raise Unfit
            name = node.value[0]
            if name == "_io":
                if self.is_in_window:  # which a builder makes before all else
                    raise Unfit
                self.flush()
                words["._io"] = "io_(s, v)"
            if name in self.computed:
                self.write_out_instance(name, words, room, depth)
            elif name in self.placed:
                words[f".{name}"] = f"v.__dict__[{self.const(name)}]"
        for argument in node.arguments:
            self.write_out(argument, words, room, depth + 1)

    def write_out_instance(self, name: str, words: dict[str, str], room: list[int], depth: int) -> None:
        instance = self.computed[name]
        assert instance.value is not None
        if any(map(asks_where, nodes_of((instance.condition, instance.value)))):
            raise Unfit
        nodes = [instance.value, *([] if instance.condition is None else [instance.condition])]
        for inner in nodes:
            self.write_out(inner, words, room, depth + 1)
        parts = [source(inner, self.space, words) for inner in nodes]
        words[f".{name}"] = f"({parts[0]} if {parts[1]} else None)" if len(parts) > 1 else f"({parts[0]})"

    # whole functions

    def writer(self) -> str:
        program = self.program
        names = [f"a{index}" for index in range(len(program.parameters))]
        self.lines.append(f"def write({', '.join(['v', 'o', 's', 'parent', 'root', 'little', *names])}):")
        self.unless(f"type_(v) is {self.const(value_class(program))}")
        for name, argument in zip(program.parameters, names, strict=True):
            given = attribute("v", name, self.space)
            self.unless(f"{given} is {argument} or {given} == {argument}")
        if program.keeps_context:
            if program.is_root:
                self.put("if root is None: root = v")
            self.unless("v._parent is parent and v._root is root")
            self.words = {"._root": "root", "._parent": "parent"}
            self.put("k = attr_(v, kept_, None)")
            self.put(f"if k is not None and not {self.const(self.are_kept())}(k): raise unfit_")
        if program.byte_order is not None and program.byte_order.on is not None:
            on = self.new("x")
            self.put(f"{on} = {self.text(program.byte_order.on)}; little = None")
            for value, little in program.byte_order.cases:
                test = "" if value is None else f" and {on} == {self.text(value)}"
                self.put(f"if little is None{test}: little = {little}")
        if program.bits:
            self.bits("v", program)
        else:
            self.steps(program.steps)
        self.flush()
        if self.placed:
            with self.block("if v.__dict__:"):
                for name, instance in self.placed.items():
                    with self.block(f"if v.__dict__.get({self.const(name)}) is not None:"):
                        self.wait(instance)
        return "\n".join(self.lines) + "\n"

    def wait(self, instance: Instance) -> None:
        """Have an instance placed when all else of its stream is written."""
        stream = "s.owner"
        if instance.stream is not None and instance.stream.value != ("_io",):
            if instance.stream.value != ("_root", "_io"):
                raise Unfit
            self.unless("root is s.top.value")
            stream = "s.top"
        place = self.const(lambda name=instance.field.name: placer_of(self.program, name))
        self.put(f"{stream}.waiting.append(({place}, v, root, little))")

    def computer(self, name: str) -> str:
        if name not in self.computed:
            raise Unfit
        self.is_in_window = True
        words: dict[str, str] = {".": "of_", "_io": "None"}
        self.write_out_instance(name, words, [_MOST_NODES], 0)
        return f"def compute(v):\n    return {words[f'.{name}']}\n"

    def placer(self, instance: Instance) -> str:
        self.lines.append("def place(v, out, s, root, little):")
        if self.program.keeps_context:
            self.words = {"._root": "root", "._parent": "v._parent"}
            self.put("k = attr_(v, kept_, None)")
        if instance.condition is not None and not asks_stream(instance.condition):
            self.unless(self.text(instance.condition))
        if instance.position is None or asks_position(instance.position):
            raise Unfit
        self.put(f"at = {self.text(instance.position)}")
        self.unless("at >= 0")
        self.put("s = part_(s, at); o = s.out")
        self.steps(instance.steps)
        self.flush()
        if takes_the_rest(instance.steps):
            self.put("s.owner.ends.append(None if o.end is None else at + o.end)")
        self.put("out.place(at, bytes_(o), path_)")
        return "\n".join(self.lines) + "\n"

    def are_kept(self) -> Callable[[dict[Any, Any]], bool]:
        fields = self.kept

        def are_kept(kept: dict[Any, Any]) -> bool:
            # A field, or an element; nothing else about them, of which the builder knows.
            return all(
                key in fields if isinstance(key, str) else len(key) == 2 and key[0] in fields and type(key[1]) is int
                for key in kept
            )

        return are_kept

    # steps

    def steps(self, steps: Sequence[Step]) -> None:
        sums: list[tuple[Checksum, str, str]] = []
        index = 0
        while index < len(steps):
            step = steps[index]
            if isinstance(step, Checksum):
                if step.condition is not None:
                    raise Unfit
                self.flush()
                if step.part != "check":
                    place = self.new("c")
                    self.put(f"{place} = len_(o)")
                    if step.part == "to":  # one checksum alone has parts
                        sums[-1] = step, sums[-1][1], place
                    else:
                        sums.append((step, place, ""))
            elif isinstance(step, Check):
                self.check(step)
            elif isinstance(step, ReadBit):
                index = self.bit_group(steps, index)
                continue
            elif step.condition is not None:
                test = self.text(step.condition)
                checks = list[Check]()  # a condition is evaluated once
                while index + 1 < len(steps) and isinstance(check := steps[index + 1], Check):
                    if check.condition != step.condition:
                        break
                    checks.append(replaced(check, condition=None))
                    index += 1
                with self.block(f"if {test}:"):
                    self.step(step)
                    for check in checks:
                        self.check(check)
                with self.block("else:"):
                    self.absent(step)
            else:
                self.step(step)
            index += 1
        for checksum, start, end in sums:
            self.flush()
            if checksum.length is not None:
                end = f"{start} + {self.text(checksum.length)}"
            compute = self.const(ALGORITHMS[checksum.algorithm])
            self.unless(f"{compute}(bytes_(o[{start}:{end}])) == {self.value(checksum.name)}")

    def absent(self, step: Step) -> None:
        if isinstance(step, CheckEnd | Align):
            return
        if isinstance(step, Window) and not any(inner.name == step.name for inner in step.steps):
            raise Unfit  # its fields are the structure's own
        self.unless(f"{self.value(step.name)} is None")

    def check(self, check: Check) -> None:
        found = self.value(check.name)
        words, self.words = self.words, {**self.words, "_": found}
        rule = f"{found} in {self.const(check.allowed)}" if check.rule is None else self.text(check.rule)
        condition = None if check.condition is None else self.text(check.condition)
        self.words = words
        self.unless(rule if condition is None else f"not {condition} or ({rule})")

    def step(self, step: Step) -> None:
        match step:
            case ReadInteger() | ReadFloat():
                self.real(step)
            case ReadVarint():
                self.varint(step)
            case ReadBytes():
                self.bytes(step)
            case ReadLiteral():
                self.unless(f"{self.value(step.name)} == {self.const(step.contents)}")
                self.number(f"={len(step.contents)}s", self.const(step.contents))
            case ReadBits():
                child = self.new("x")
                self.put(f"{child} = {self.value(step.name)}")
                self.unless(f"type_({child}) is {self.const(value_class(step.type))}")
                self.bits(child, step.type)
            case ReadType():
                self.type(step)
            case ReadList():
                self.list(step)
            case ReadSwitch():
                self.switch(step)
            case Window():
                self.window(step)
            case CheckEnd() | Align():
                pass
            case _:
                raise Unfit

    # leaves

    def real(self, step: ReadInteger | ReadFloat) -> None:
        code = struct_format(step)
        if code is None:
            raise Unfit
        value = self.value(step.name)
        self.plain(value, "floats_" if isinstance(step, ReadFloat) else "ints_")
        if not step.by_type:
            self.number(code, value)
            return
        self.flush()
        self.unless("little is not None")
        little, big = (self.const(struct.Struct(order + code[1:]).pack) for order in "<>")
        self.put(f"o += ({little} if little else {big})({value})")

    def varint(self, step: ReadVarint) -> None:
        self.flush()
        encode = self.const(Varint(step.max_bytes, step.zigzag, step.kind.bits).encode)
        value = self.new("x")
        self.put(f"{value} = {self.value(step.name)}")
        self.plain(value)
        if step.zigzag:
            self.put(f"if -64 <= {value} < 64: o.append(({value} << 1) ^ ({value} >> 63))")
        else:
            self.put(f"if 0 <= {value} < 128: o.append({value})")
        self.put(f"elif {step.kind.low} <= {value} <= {step.kind.high}: o += {encode}(int_({value}))")
        self.put("else: raise unfit_")

    def bytes(self, step: ReadBytes) -> None:
        if step.process is not None:
            raise Unfit
        data = self.new("x")
        if step.encoding is None:
            self.put(f"{data} = {self.value(step.name)}")
            self.unless(f"type_({data}) is bytes_")
        elif step.encoding.upper() in LENIENT:
            encoding = self.const(LENIENT[step.encoding.upper()])
            self.put(f"{data} = str_.encode({self.value(step.name)}, {encoding}, lenient_)")
        else:
            self.put(f"{data} = str_.encode({self.value(step.name)}, {self.const(step.encoding)})")
        self.sized(step, data)

    def measure(self, size: Expression, length: str) -> None:
        """Compare a length with its expression."""
        self.unless(f"{length} == {self.text(size)}")

    def sized(self, step: ReadBytes | Window, data: str) -> None:
        """Content as it is stored."""
        trim, size = step.trim, step.size
        if trim is None:
            if size is not None and size.is_constant and 0 < size.value <= 1 << 16:
                self.unless(f"len_({data}) == {int(size.value)}")
                self.number(f"={int(size.value)}s", data)
                return
            if size is not None:
                self.measure(size, f"len_({data})")
            self.flush()
            self.put(f"o += {data}")
            if size is None and isinstance(step, ReadBytes):
                self.put("o.ends()")
            return
        if not trim.delimited:
            if size is None or asks_stream(size):
                raise Unfit
            kept = self.kept_of(step)
            self.flush()
            self.put(f"o += padded_({data}, {self.text(size)}, {self.const(trim)}, {kept})")
            return
        if not trim.must_end or trim.terminator is None:  # whether it is there depends on where the stream ends
            raise Unfit
        self.flush()
        end = self.const(trim.terminator)
        if len(trim.terminator) == 1 and not trim.include:
            self.unless(f"{data}.find({end}) < 0")
            self.put(f"o += {data}{f' + {end}' * trim.consume}")
        else:
            self.put(f"o += delimited_({data}, {self.const(trim)})")

    def kept_of(self, step: ReadBytes | Window) -> str:
        """The bytes that a reader kept of a field, as source."""
        if not self.program.keeps_context:
            return "None"
        key = self.const(step.name)
        if self.element is not None:
            if self.element[0] != step.name or self.index is None:
                return "None"
            key = f"({key}, {self.index})"
        return f"(None if k is None else k.get({key}))"

    def bits(self, owner: str, program: TypeProgram) -> None:
        """A type of bits."""
        parts = [(attribute(owner, bit.name, self.space), bit.width, bit.shift) for bit in program.bits]
        self.integer(parts, sum(bit.width for bit in program.bits) // 8, ">")
        outer, self.words = self.words, {}
        for check in program.steps:
            if isinstance(check, Check):
                if check.rule is not None:
                    raise Unfit
                self.unless(f"{attribute(owner, check.name, self.space)} in {self.const(check.allowed)}")
        self.words = outer

    def integer(self, parts: Iterable[tuple[str, int, int]], size: int, order: str) -> None:
        """One integer of some values, each with its width and its shift."""
        shifted = []
        for value, width, shift in parts:
            self.plain(value)
            self.unless(f"0 <= {value} < {1 << width}")
            shifted.append(f"{value} << {shift}" if shift else value)
        letter = {1: "B", 2: "H", 4: "I", 8: "Q"}.get(size)
        whole = " | ".join(shifted)
        if letter is not None:
            self.number(order + letter, whole)
        else:
            self.number(f"={size}s", f"int_.to_bytes({whole}, {size}, {'little_' if order == '<' else 'big_'})")

    def bit_group(self, steps: Sequence[Step], index: int) -> int:
        """Bits up to a whole byte, or up to where the rest of a byte is dropped; the index of the step after them."""
        first = steps[index]
        assert isinstance(first, ReadBit)
        if first.condition is not None:
            raise Unfit
        total, bits, checks = 0, list[ReadBit](), list[Check]()
        while True:
            step = steps[index] if index < len(steps) else None
            if isinstance(step, ReadBit) and step.condition is None and step.little_endian == first.little_endian:
                total += step.width
                bits.append(step)
            elif isinstance(step, Check) and total % 8:
                checks.append(step)
            elif total % 8 and not (isinstance(step, Align) and step.condition is None):
                raise Unfit
            elif total % 8 and "eof" in map(asked_of_stream, nodes_of(steps[index + 1])):
                raise Unfit  # it asks with the bits that are left
            else:
                break
            index += 1
        spare = -total % 8
        shift = 0 if first.little_endian else total + spare
        parts = []
        for bit in bits:
            shift -= 0 if bit.little_endian else bit.width
            parts.append((self.value(bit.name), bit.width, shift))
            shift += bit.width if bit.little_endian else 0
        self.integer(parts, (total + spare) // 8, "<" if first.little_endian else ">")
        for check in checks:
            self.check(check)
        return index

    # structures

    def type(self, step: ReadType, callee: str = "", needs_stream: bool = False) -> None:
        self.flush()
        if step.parent is not None:
            raise Unfit
        if not callee:
            callee = self.new("t")
            self.writer_later(self.space.values, callee, step.type)
        keeps = self.program.keeps_context
        parent = "None" if step.foreign or step.orphan or not keeps else "v"
        root = "None" if step.foreign or not keeps else "root"
        little = "little" if keeps or self.program.byte_order is not None else "None"
        arguments = [self.text(node) for _, node in step.arguments]
        child = self.new("x")
        self.put(f"{child} = {self.value(step.name)}")
        stream = (self.stream or "s") if needs_stream or _needs_stream(step.type) else "None"
        self.put(f"{callee}({', '.join([child, 'o', stream, parent, root, little, *arguments])})")
        if step.type.keeps_context:
            rest = self.new("x")
            self.put(f"{rest} = attr_({child}, rest_, None)")
            # Of a stream's own structure it is the stream's rest, and comes last, unless instances stand in it.
            is_last = self.fills_stream and not self.stream
            with self.block(f"if {rest} is not None:"):
                self.unless(f"type_({rest}) is bytes_")
                self.put(f"o += {rest}" if is_last else f"if {rest}: raise unfit_")

    @staticmethod
    def writer_later(table: dict[Any, Any], key: Any, program: TypeProgram) -> None:
        later(table, key, lambda: writer_of(program))

    def switch(self, step: ReadSwitch) -> None:
        self.flush()
        on = self.new("x")
        self.put(f"{on} = {self.text(step.on)}")
        alike, table = self.alike(step)
        others = [case for case in step.cases if case.value is not None and case not in alike]
        default = next((case for case in step.cases if case.value is None), None)
        word = "if"
        if alike:
            chosen = self.new("y")
            self.put(f"{chosen} = {self.const(table)}.get({on})")
            needs_stream = any(_needs_stream(type_of(case.steps)) for case in alike)
            with self.block(f"if {chosen} is not None:"):
                (inner,) = alike[0].steps
                if isinstance(inner, Window):
                    self.window(inner, chosen, needs_stream)
                else:
                    assert isinstance(inner, ReadType)
                    self.type(inner, chosen, needs_stream)
            word = "elif"
        for case in others:
            assert case.value is not None
            with self.block(f"{word} {on} == {self.text(case.value)}:"):
                self.case(step, case)
            word = "elif"
        with self.block("else:" if word == "elif" else "if True:"):
            self.case(step, default)

    def alike(self, step: ReadSwitch) -> tuple[list[Case], dict[Any, Any]]:
        """The cases that differ in their types alone: the writer is found by the value."""
        shapes: dict[Any, list[Case]] = {}
        for case in step.cases:
            if case.value is not None:
                shape = shape_of(case.steps)
                if shape is None or not case.value.is_constant:
                    return [], {}
                shapes.setdefault(shape, []).append(case)
        found = max(shapes.values(), key=len, default=[])
        keys = [case.value.value for case in found if case.value is not None]
        if len(found) < 2 or len(set(keys)) < len(keys) or not all(isinstance(key, int | str) for key in keys):
            return [], {}
        table: dict[Any, Any] = {}
        for key, case in zip(keys, found, strict=True):
            self.writer_later(table, key, type_of(case.steps))
        return found, table

    def case(self, step: ReadSwitch, case: Case | None) -> None:
        if case is None or not case.steps:
            self.unless(f"{self.value(step.name)} is None")
        else:
            self.steps(case.steps)

    def list(self, step: ReadList) -> None:
        below = {inner for type in types_of((step,)) for inner in reached(type, with_read=False)}
        if any(_asks_list(step.name, parts) for parts in (step.count, *((it.steps, it.byte_order) for it in below))):
            raise Unfit  # they get the elements so far
        self.flush()
        items, index, item = self.new("l"), self.new("i"), self.new("x")
        self.put(f"{items} = {self.value(step.name)}")
        self.unless(f"type_({items}) is list_")
        if step.count is not None:
            count = self.text(step.count)
            is_none = f" or (not {items} and {count} < 0)" if step.count.low < 0 else ""
            self.unless(f"(len_({items}) == {count}{is_none})")
        element, until = step.element, step.until
        if until is not None:
            self.unless(items)
        plain = isinstance(element, ReadInteger | ReadFloat) and not element.by_type and element.condition is None
        code = struct_format(element) if plain and until is None and not step.checks else None
        goes_to_the_end = until is None and step.count is None
        if code is not None:
            kinds = "floats_" if isinstance(element, ReadFloat) else "ints_"
            self.unless(f"all_(t in {kinds} or is_sub_(t, int_enum_) for t in set_(map_(type_, {items})))")
            self.put(f"o += pack_(f'{code[0]}{{len_({items})}}{code[1]}', *{items})")
            if goes_to_the_end:
                self.put("o.ends()")
            return
        outer = self.element, self.index, self.words
        self.element, self.index, self.words = (step.name, item), index, {**self.words, "_index": index}
        so_far = self.new("y") if _asks_list(step.name, step) else ""
        if so_far:  # expressions know the elements up to this one
            self.put(f"{so_far} = []")
            self.words[f".{step.name}"] = so_far
        with self.block(f"for {index}, {item} in enumerate_({items}):"):
            self.steps((element,))
            self.words = {**self.words, "_": item}
            if so_far:
                self.flush()
                self.put(f"{so_far}.append({item})")
            for check in step.checks:
                self.check(check)
            self.element = None
            if until is not None:
                self.flush()
                self.unless(f"bool_({self.text(until)}) == ({index} == len_({items}) - 1)")
        self.element, self.index, self.words = outer
        if goes_to_the_end:
            self.flush()
            self.put("o.ends()")

    def window(self, step: Window, callee: str = "", needs_stream: bool = False) -> None:
        if step.process is not None or step.trim is not None:
            raise Unfit
        self.flush()
        if step.codec is not None:
            self.unless(f"not {self.text(step.codec)}")
        start = self.new("c")
        size = ""
        if step.size is not None:
            self.put(f"{start} = len_(o)")
            if asks_stream(step.size):  # before what it measures
                size = self.new("n")
                self.put(f"{size} = {self.text(step.size)}")
        own = [inner for inner in step.steps if not isinstance(inner, Check | CheckEnd | Align)]
        outer = self.fills_stream, self.is_in_window, self.stream
        self.fills_stream, self.is_in_window = len(own) == 1 and isinstance(own[0], ReadType), True
        needs_stream = needs_stream or any(map(_needs_stream, types_of(step.steps)))
        self.stream = self.new("s") if needs_stream else ""
        if self.stream:
            self.put(f"{self.stream} = inner_(o, {outer[2] or 's'})")
        end = self.new("e") if callee or takes_the_rest(step.steps) else ""  # of other cases where one is called
        if end:
            self.put(f"{end}, o.end = o.end, None")
        if callee:
            (inner,) = step.steps
            assert isinstance(inner, ReadType)
            self.type(inner, callee, needs_stream)
        else:
            self.steps(step.steps)
        self.flush()
        if self.stream:
            self.put(f"finish_({self.stream})")
        if end:
            self.put(f"o.is_at_end(); o.end = {end}")
        self.fills_stream, self.is_in_window, self.stream = outer
        if size:
            self.unless(f"len_(o) - {start} == {size}")
        elif step.size is not None:
            self.measure(step.size, f"len_(o) - {start}")
        else:
            self.put("o.ends()")


# --- what generated code calls -------------------------------------------------------------------------------------


def _padded(data: bytes, size: int, trim: Trim, kept: tuple[Any, bytes] | None) -> bytes:
    """The bytes of a field of a size: those that were read, where they still have this content."""
    if kept is not None and len(kept[1]) == size and trimmed(bytes(kept[1]), trim) == data:
        return bytes(kept[1])
    whole = rebuilt(data, size, trim)
    if len(data) > size or trimmed(whole, trim) != data:
        raise Unfit
    return whole


def _delimited(data: bytes, trim: Trim) -> bytes:
    """Bytes up to a terminator."""
    whole = rebuilt(data, 0, trim)
    end = trim.terminator
    assert end is not None
    content = trimmed(data if trim.include else data + end, trim)
    if content != data or (trim.include and not data.endswith(end)):
        raise Unfit
    return whole


class _Out(bytearray):
    """Bytes while they are written.

    ``end`` is where a field went to the end of the present stream: nothing may follow there. A window has its own.
    """

    __slots__ = ("end",)

    def __init__(self) -> None:
        super().__init__()
        self.end: int | None = None

    def ends(self) -> None:
        """What was written last goes to the end of the stream."""
        self.is_at_end()
        self.end = len(self)

    def is_at_end(self) -> None:
        """Unfit where something follows a field that goes to the end."""
        if self.end is not None and self.end != len(self):
            raise Unfit


class _Stream:
    """The bytes of a stream while they are written, from ``start`` in ``out``.

    A part that an instance has somewhere else is one, too, whose ``owner`` is the stream that it belongs to. ``size``
    is how long an owner is to be, once that was asked for; ``waiting`` has its instances. ``top`` is the stream of the
    value that is built, its ``value``. ``ends`` are the positions where instances went to the end.
    """

    __slots__ = ("ends", "out", "owner", "size", "start", "top", "value", "waiting")

    def __init__(self, out: _Out) -> None:
        self.out, self.start = out, len(out)
        self.owner = self.top = self
        self.size: int | None = None
        self.value: Any = None
        self.ends: list[int | None] = []
        self.waiting: list[tuple[Callable[[], Callable[..., None]], Value, Any, Any]] = []


def _inner(out: _Out, outer: _Stream) -> _Stream:
    """The stream of a window."""
    made = _Stream(out)
    made.top = outer.top
    return made


def _part(stream: _Stream, position: int) -> _Stream:
    """What an instance has at a position."""
    made = _inner(_Out(), stream)
    made.start, made.owner = -position, stream
    return made


def _finish(stream: _Stream) -> None:
    """Place the instances of a stream, and compare its length."""
    if stream.waiting:
        output = Output()
        output.data = stream.out[stream.start :]
        output.covered.append((0, len(output.data)))
        for place, value, root, little in stream.waiting:  # to which placing may add
            place()(value, output, stream, root, little)
        stream.out[stream.start :] = output.data
        if any(end not in (None, len(output.data)) for end in stream.ends):
            raise Unfit
    if stream.size is not None and len(stream.out) - stream.start != stream.size:
        raise Unfit


class _Io:
    """``_io`` in an expression of a value."""

    __slots__ = ("stream", "value")

    def __init__(self, stream: _Stream, value: Any) -> None:
        self.stream, self.value = stream, value

    @property
    def pos(self) -> int:
        return len(self.stream.out) - self.stream.start

    @property
    def size(self) -> int:
        size: int = self.value._io.size
        owner = self.stream.owner
        if owner.size is None:
            owner.size = size
        if owner.size != size:
            raise Unfit
        return size

    @property
    def eof(self) -> bool:
        return self.pos >= self.size


def _of(owner: Any, name: str) -> Any:
    """An attribute of another structure; an instance is computed again."""
    if isinstance(owner, Value) and name in owner._instances:
        found = held(owner, name)
        return computer_of(owner._type, name)(owner) if found is MISSING or name not in _read(owner._type) else found
    return getattr(owner, name)


@lru_cache(maxsize=1024)
def _read(program: TypeProgram) -> frozenset[str]:
    """The instances that are read from bytes."""
    return frozenset(item.field.name for item in program.instances if item.value is None)


_NAMES: Final[dict[str, Any]] = {
    "unfit_": Unfit(),
    "type_": type,
    "attr_": getattr,
    "kept_": "_kept",
    "rest_": REST,
    "len_": len,
    "bytes_": bytes,
    "str_": str,
    "int_": int,
    "ints_": frozenset((int, bool)),
    "floats_": frozenset((float, int, bool)),
    "int_enum_": IntEnum,
    "is_a_": isinstance,
    "is_sub_": issubclass,
    "all_": all,
    "set_": set,
    "map_": map,
    "list_": list,
    "bool_": bool,
    "enumerate_": enumerate,
    "lenient_": "surrogateescape",
    "big_": "big",
    "little_": "little",
    "pack_": struct.pack,
    "of_": _of,
    "io_": _Io,
    "inner_": _inner,
    "part_": _part,
    "finish_": _finish,
    "path_": ("",),
    "padded_": _padded,
    "delimited_": _delimited,
}


# --- what can be written -------------------------------------------------------------------------------------------


def _kept_fields(steps: Iterable[Step]) -> Iterator[str]:
    """The fields whose bytes a writer takes from what a reader kept."""
    for step in all_steps(steps):
        if isinstance(step, ReadBytes) and step.trim is not None and not step.trim.delimited:
            if step.encoding is None or step.encoding.upper() in LENIENT:
                yield step.name


@lru_cache(maxsize=1024)
def _needs_stream(program: TypeProgram) -> bool:
    """Whether a type, or one in it, asks for its stream, or has instances that are read from it."""
    seen = {program}
    pending: list[Any] = [program]
    while pending:
        part = pending.pop()
        if isinstance(part, TypeProgram):
            if any(item.value is None for item in part.instances):
                return True
            pending += [part.steps, part.byte_order, part.instances]
            for inner in types_of(part.steps):
                if inner not in seen:
                    seen.add(inner)
                    pending.append(inner)
        elif isinstance(part, tuple):
            pending += part
        elif isinstance(part, Expression):
            if asks_stream(part):
                return True
        elif isinstance(part, Node):
            pending += [getattr(part, name) for name in part.parts if name not in ("type", "field", "enum")]
    return False
