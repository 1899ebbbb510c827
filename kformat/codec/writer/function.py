"""The source of one function of a writer, while it is written: its lines, names, and what stands where.

The function has the value in ``v``, the bytes in ``o``, and their stream in ``s``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from kformat.codec.expressions import DEEPEST, Namespace, attribute, source
from kformat.codec.unfit import Unfit
from kformat.codec.writer.needs import kept_fields
from kformat.language.expression import Expression
from kformat.language.following import asks_where
from kformat.language.lines import Lines
from kformat.language.program import Step, TypeProgram
from kformat.language.steps import nodes_of

MOST_NODES: Final = 300
"""Most nodes of an expression in which instances are written out."""

Kinds = Mapping[type, Callable[..., None]]
"""Kind of step -> what emits the lines of one: ``emit(function, step)``."""


class Others(NamedTuple):
    """The functions that compile other functions.

    Attributes:
        writer: that which writes a type. placer: that which places an instance of it. rows: that which writes many
            values, from tuples of all their fields that are not computed.
    """

    writer: Callable[[TypeProgram], Callable[..., None]]
    placer: Callable[[TypeProgram, str], Callable[..., None]]
    rows: Callable[[TypeProgram], Callable[..., list[bytes]]]


class GeneratedWriter(NamedTuple):
    """The source of a function, and the values of its names."""

    text: str
    values: dict[str, Any]


class WriterFunction(Lines):
    """The source of one function of a type.

    Attributes:
        codes, numbers: numbers that are not written yet: their format, and their values.
        words: what stands for the names of an expression (`expressions.source`).
        element: in a list: the field's name, and the local that has the element. index: the local that has its index.
        stream: in a window whose stream is asked for: its local.
        fills_stream: whether what is written next is all that a window has. is_in_window: whether it is in one.
        computed: the instances that are computed. placed: those that are read from bytes, by name.
        kept: the fields whose bytes a writer takes from what a reader kept.
    """

    def __init__(self, program: TypeProgram, others: Others, kinds: Kinds) -> None:
        super().__init__()
        self.program, self.others, self.kinds = program, others, kinds
        self.space = Namespace()
        self.codes, self.numbers = "", list[str]()
        self.words: dict[str, str] = {}
        self.element: tuple[str, str] | None = None
        self.index: str | None = None
        self.stream = ""
        self.fills_stream = self.is_in_window = False
        self.computed = {item.field.name: item for item in program.instances if item.value is not None}
        self.placed = {item.field.name: item for item in program.instances if item.value is None}
        inner = [step for item in self.placed.values() for step in item.steps]
        self.kept = frozenset(kept_fields([*program.steps, *inner]))

    def const(self, value: Any) -> str:
        """A name for a value."""
        return self.space.add(value)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """As `Lines.block`; numbers are not packed together with those outside."""
        self.flush()
        with super().block(head):
            yield
            self.flush()

    def emit(self, step: Step) -> None:
        """Put the lines of one step, whatever kind it is; Unfit for a kind that builders alone write."""
        kind = self.kinds.get(type(step))
        if kind is None:
            raise Unfit
        kind(self, step)

    def finished(self) -> GeneratedWriter:
        """The source, when all is written."""
        self.flush()
        return GeneratedWriter("\n".join(map(str, self.text)) + "\n", self.space.values)

    def unless(self, test: str) -> None:
        """``if not (v.length > 0): raise unfit_``."""
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
        """``if type_(x1) not in ints_ and not is_a_(x1, int_enum_): raise unfit_``.

        Numbers of other kinds than Python's may compute otherwise.
        """
        self.put(f"if type_({value}) not in {kinds} and not is_a_({value}, int_enum_): raise unfit_")

    def flush(self) -> None:
        """``o += k1(v.length, v.count)``: write the numbers that wait."""
        if self.codes:
            pack = self.const(struct.Struct(self.codes).pack)
            self.put(f"o += {pack}({', '.join(self.numbers)})")
            self.codes, self.numbers = "", []

    def value(self, name: str) -> str:
        """``v.length``, or the local with the element of a list."""
        if self.element is not None and self.element[0] == name:
            return self.element[1]
        return attribute("v", name, self.space)

    def source(self, node: Expression) -> str:
        """An expression as source."""
        words = {".": "of_", "_io": "None", **self.words}
        room = [MOST_NODES]
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
        """``(v.length + 4)``, for the instance's name."""
        instance = self.computed[name]
        assert instance.value is not None
        if any(map(asks_where, nodes_of((instance.condition, instance.value)))):
            raise Unfit
        nodes = [instance.value, *([] if instance.condition is None else [instance.condition])]
        for inner in nodes:
            self.write_out(inner, words, room, depth + 1)
        parts = [source(inner, self.space, words) for inner in nodes]
        words[f".{name}"] = f"({parts[0]} if {parts[1]} else None)" if len(parts) > 1 else f"({parts[0]})"
