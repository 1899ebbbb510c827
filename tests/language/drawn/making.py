"""Declarations at random: `declaration_of(seed, number)`.

Kaitai's compiler takes every one of them, its classes end on every input, and most inputs of `input_of` are sound:
counts and sizes are small, elements of lists without a count take at least a byte, and rules hold mostly.

A name is used where it has been read, and is not one that a condition may leave out: Kaitai's Python classes have no
such attribute then, and here it is null. No expression asks for numbers of 64 bits: what goes beyond them is an error
here, and depends on the language there.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

MOST_TYPES: Final = 5
DEEPEST: Final = 3
"""Most levels of types within each other."""
MOST_BYTES: Final = 300
NARROW: Final = ("u1", "u1", "s1", "u2", "s2le", "u2be", "s4", "u4le")
"""Of which sums have 64 bits, as kernels want them."""
INTEGERS: Final = ("u1", "u1", "u1", "s1", "u2", "s2le", "u2be", "s4", "u4le", "u8")
ENUM: Final = {0: "none", 1: "one", 2: "two", 5: "five"}
_MOST_NAMES: Final = 10
"""Most names of a kind that a type knows of the types around it."""


@dataclass(frozen=True)
class Drawn:
    """A declaration: its text, and the path of the rows that a scan reads, by the names of fields."""

    name: str
    text: str
    row: str
    with_kernel: bool
    need: int
    """So many bytes are enough for most inputs."""
    instances: dict[str, tuple[str, ...]]
    """The name of Kaitai's class for a type -> the names of its instances, in declared order."""
    read: frozenset[str]
    """The names of instances that are read, or ask for one that is."""


@dataclass
class Scope:
    """What an expression can name, by kind."""

    integers: list[str] = field(default_factory=list)
    booleans: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    bytes: list[str] = field(default_factory=list)
    enums: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    """Of integers."""
    growing: list[str] = field(default_factory=list)
    """Lists of anything."""
    streams: list[str] = field(default_factory=list)

    def within(self, prefix: str, chance: random.Random) -> Scope:
        """The same names, or some of them, as seen from elsewhere."""
        made = Scope()
        for kind, names in vars(self).items():
            some = names if len(names) <= _MOST_NAMES else chance.sample(names, _MOST_NAMES)
            setattr(made, kind, [f"{prefix}.{name}" for name in some])
        return made

    def also(self, *others: Scope) -> Scope:
        """These names and others."""
        made = Scope()
        for kind, names in vars(self).items():
            setattr(made, kind, list(dict.fromkeys([*names, *(name for one in others for name in getattr(one, kind))])))
        return made


@dataclass
class Type:
    """A type that is being drawn. ``scope`` has the names so far, ``around`` those of the types around it."""

    name: str
    depth: int
    around: Scope
    scope: Scope = field(default_factory=lambda: Scope(streams=["_io"]))
    parameters: list[dict[str, Any]] = field(default_factory=list)
    seq: list[dict[str, Any]] = field(default_factory=list)
    instances: dict[str, dict[str, Any]] = field(default_factory=dict)
    types: list[Type] = field(default_factory=list)
    enums: bool = False
    imports: tuple[str, ...] = ()
    rows: list[str] = field(default_factory=list)
    """Paths of lists of structures."""
    need: int = 0
    """So many bytes are enough in most cases."""

    @property
    def names(self) -> Scope:
        """All that an expression of the type can name."""
        return self.scope.also(self.around)

    def lines(self) -> Iterable[str]:
        """The type's declaration."""
        for key, items in (("params", self.parameters), ("seq", self.seq)):
            if items:
                yield f"{key}:"
                yield from (f"  - {_flow(item)}" for item in items)
        if self.instances:
            yield "instances:"
            yield from (f"  {name}: {_flow(item)}" for name, item in self.instances.items())
        if self.types:
            yield "types:"
            for inner in self.types:
                yield f"  {inner.name}:"
                lines = list(inner.lines())
                yield from (f"    {line}" for line in lines or ["seq: []"])
        if self.enums:
            yield "enums: {e: {" + ", ".join(f"{number}: {name}" for number, name in ENUM.items()) + "}}"


def _flow(item: Any) -> str:
    """A value of YAML in a line. Texts are quoted unless they are names."""
    if isinstance(item, dict):
        return "{" + ", ".join(f"{key}: {_flow(value)}" for key, value in item.items()) + "}"
    if isinstance(item, list):
        return "[" + ", ".join(map(_flow, item)) + "]"
    if isinstance(item, str) and item.isidentifier():
        return item
    return json.dumps(item)


def declaration_of(seed: int, number: int, with_kernel: bool = False) -> Drawn:
    """A declaration. ``with_kernel``: its rows ask for no more than kernels support."""
    return _Maker(random.Random(f"{seed} {number}"), f"drawn_{number}", with_kernel).made()


def input_of(drawn: Drawn, chance: random.Random) -> bytes:
    """Bytes to read: small numbers above all."""
    few = (0, 0, 1, 1, 2, 3, 4, 5, 7, 255, chance.randrange(256))
    most = min(drawn.need, MOST_BYTES)
    return bytes(chance.choices(few, k=most + chance.choice((2, 12, chance.randint(-most, 20)))))


class _Maker:
    def __init__(self, chance: random.Random, name: str, with_kernel: bool) -> None:
        self.chance, self.with_kernel = chance, with_kernel
        self.count = 0
        self.types_left = 2 if with_kernel else MOST_TYPES
        self.root = Type(name, 0, Scope(), enums=True)
        self.asks_streams = True
        """Whether an expression that is drawn now may ask a stream."""
        self.need = 0
        """So many bytes are enough for what `content` drew last."""
        self.simple = False
        """Whether what is drawn now is for kernels."""

    def made(self) -> Drawn:
        root, chance = self.root, self.chance
        if self.with_kernel:
            for _ in range(chance.randint(0, 2)):
                self.entry(root)
            self.asks_streams, self.simple = False, True
            row = self.type(root, solid=True, parameters=False)
            root.seq.append({"id": "rows", "type": row.name, "repeat": "eos"})
            root.rows = ["rows"]
        else:
            for _ in range(chance.randint(2, 6)):
                self.entry(root)
            self.instances(root)
        rows = [*root.rows, *root.rows, root.name] if not self.with_kernel else root.rows
        order = "endian: " + chance.choice(("be", "le")) + chance.choice(("", "", ", bit-endian: le"))
        head = f"meta: {{id: {root.name}, {order}}}\n"
        if self.with_kernel:
            root.need += 3 * row.need
        text = head + "\n".join(root.lines()) + "\n"
        named = self.all_types()
        instances = {one.name.capitalize().replace("_", ""): tuple(one.instances) for one in named}
        asks = {name: _flow(item) for one in named for name, item in one.instances.items()}
        read, before = {name for name in asks if name.startswith("i")}, set[str]()
        while read != before:
            before = set(read)
            read |= {name for name, text in asks.items() if not before.isdisjoint(re.findall(r"\w+", text))}
        rows_path = chance.choice(rows)
        return Drawn(root.name, text, rows_path, self.with_kernel, root.need, instances, frozenset(read))

    def new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def is_it(self, probability: float) -> bool:
        return self.chance.random() < probability

    # --- expressions ---

    def integer(self, scope: Scope, depth: int = 2) -> str:
        """An expression with an integer."""
        depth = min(depth, 1) if self.simple else depth
        if depth <= 0 or self.is_it(0.35):
            return self.integer_leaf(scope)
        one = self.integer(scope, depth - 1)
        match self.chance.randrange(13) if not self.simple else self.chance.choice((0, 1, 2, 4)):
            case 0 | 1:
                return f"({one} + {self.integer(scope, depth - 1)})"
            case 2:
                return f"({one} - {self.integer(scope, depth - 1)})"
            case 3:
                return f"({one} * {self.chance.randint(2, 5)})"
            case 4:
                return f"({one} % {self.chance.randint(2, 9)})"
            case 5:
                return f"({one} / {self.chance.randint(1, 4)})"
            case 6:
                return f"({one} {self.chance.choice('&|^')} {self.integer(scope, depth - 1)})"
            case 7:
                return f"({self.boolean(scope, depth - 1)} ? {one} : {self.integer(scope, depth - 1)})"
            case 8:
                return f"{self.boolean(scope, depth - 1)}.to_i"
            case 9:
                return f"(-{one})"
            case 10:
                return f"({one} {self.chance.choice(('<<', '>>'))} {self.chance.randint(0, 3)})"
            case 11 if scope.lists and not self.simple:
                found = self.chance.choice(scope.lists)
                return self.chance.choice((f"{found}[0]", f"{found}.last", f"{found}.first", f"{found}.max"))
            case _:
                return self.integer_leaf(scope)

    def integer_leaf(self, scope: Scope) -> str:
        """A name, a number, or what a stream answers."""
        choice = self.chance.random()
        if choice < 0.3 and self.asks_streams:
            stream = self.chance.choice(scope.streams)
            return self.chance.choice(
                (f"{stream}.pos", f"{stream}.pos", f"{stream}.size", f"({stream}.size - {stream}.pos)")
            )
        if choice < 0.45 and scope.growing:
            return f"{self.chance.choice(scope.growing)}.size"
        if choice < 0.5 and scope.enums:
            return f"{self.chance.choice(scope.enums)}.to_i"
        if choice < 0.55 and (scope.texts or scope.bytes) and not self.simple:
            return f"{self.chance.choice([*scope.texts, *scope.bytes])}.length"
        if choice < 0.9 and scope.integers:
            near = scope.integers[-4:] if self.is_it(0.5) else scope.integers
            return self.chance.choice(near)
        if self.asks_streams and self.is_it(0.6):
            return self.chance.choice(("_io.pos", "_io.size"))
        return str(self.chance.choice((0, 1, 2, 3, 7, 255)))

    def boolean(self, scope: Scope, depth: int = 2) -> str:
        """An expression that is true or false."""
        choice = self.chance.random()
        if choice < 0.2 and self.asks_streams:
            return f"{self.chance.choice(scope.streams)}.eof"
        if choice < 0.35 and scope.booleans:
            return self.chance.choice(scope.booleans)
        if choice < 0.5 and depth > 0:
            word = self.chance.choice(("and", "or"))
            return f"({self.boolean(scope, depth - 1)} {word} {self.boolean(scope, depth - 1)})"
        if choice < 0.6 and depth > 0:
            return f"(not {self.boolean(scope, depth - 1)})"
        if choice < 0.65 and scope.enums:
            sign, member = self.chance.choice(("==", "!=")), self.chance.choice(list(ENUM.values()))
            return f"({self.chance.choice(scope.enums)} {sign} e::{member})"
        sign = self.chance.choice(("<", "<=", ">", ">=", "==", "!="))
        return f"({self.integer(scope, depth - 1)} {sign} {self.integer(scope, depth - 1)})"

    def text(self, scope: Scope) -> str:
        """An expression with a text."""
        some = [f"({self.integer(scope, 1)}).to_s", f'f"{{{self.integer(scope, 1)}}}"', "'x'"]
        some += scope.texts[-2:] * 2
        found = self.chance.choice(some)
        return f"({found} + {self.text(scope)})" if self.is_it(0.3) else found

    def condition(self, scope: Scope, need: int) -> str:
        """An expression for `if`: whether there are enough bytes, and other things."""
        if self.asks_streams and self.is_it(0.5):
            enough = "not _io.eof" if need == 1 else f"_io.size - _io.pos >= {need}"
            return enough if self.is_it(0.5) else f"{enough} and {self.boolean(scope, 1)}"
        return self.boolean(scope)

    def small(self, scope: Scope, most: int) -> str:
        """An expression with a number from 0 to ``most``."""
        found = self.integer(scope)
        return f"{found} % {most + 1}"

    # --- fields ---

    def entry(self, kind: Type) -> None:
        """Draw the next of a type's fields, and perhaps an instance that may be asked from there on."""
        if self.is_it(0.45):
            self.value_instance(kind)
        choice = self.chance.random()
        if choice < 0.1 and not self.simple:
            self.bits(kind)
        elif choice < 0.2 and (kind.scope.integers or kind.scope.booleans):
            named = {"id": self.new("f")} if self.is_it(0.5) or self.simple else {}
            asked = self.chance.choice([f"{name} >= 0" for name in kind.scope.integers] + kind.scope.booleans)
            kind.seq.append({**named, "size": 0, "if": asked})
        elif choice < 0.25 and self.asks_streams and not self.simple:
            kind.need += 3
            kind.seq.append({"id": self.new("pad"), "size": f"(-_io.pos) % {self.chance.choice((2, 4))}"})
        else:
            self.field(kind)

    def field(self, kind: Type, solid: bool = False) -> None:
        """Draw a field of one of the usual kinds. ``solid``: it is there, and takes a byte at least."""
        name, scope, chance = self.new("f"), kind.names, self.chance
        item: dict[str, Any] = {"id": name}
        repeat = "" if solid or not self.is_it(0.3) else chance.choice(("expr", "until", "until", "eos"))
        conditional = not solid and self.is_it(0.25)
        if repeat and self.simple:
            repeat = "expr"
        elif repeat == "eos" and kind.depth == 0:
            repeat = "until"
        inner = scope
        if repeat and not self.simple:
            kind.scope.growing.append(name)
            inner = kind.names.also(Scope(integers=["_index"])) if not self.simple else kind.names
        what = self.content(kind, item, inner, solid=bool(repeat) or solid, is_list=bool(repeat))
        kind.need += self.need * (3 if repeat else 1)
        if self.is_it(0.3) and not (repeat and self.simple) and what in ("integer", "text", "bytes", "enum"):
            item["valid"] = self.valid(kind.names, what, item)
        if repeat == "expr":
            item |= {"repeat": "expr", "repeat-expr": self.small(scope, 3)}
        elif repeat == "until":
            item |= {"repeat": "until", "repeat-until": self.until(kind, name, what)}
        elif repeat:
            item["repeat"] = "eos"
        if conditional:
            item["if"] = self.condition(scope, max(min(self.need, 8), 1))
            if name in kind.scope.growing:
                kind.scope.growing.remove(name)
        kind.seq.append(item)
        is_known = item.get("type") != "u8" and (not repeat or what == "integer")
        if is_known and not conditional:
            self.know(kind.scope, name, what, bool(repeat))
        if what.startswith("structure "):
            inner_type = next(one for one in self.all_types() if one.name == what.removeprefix("structure "))
            rows = [f"{name}.{row}" for row in inner_type.rows]
            kind.rows += [name, *rows] if repeat else rows
            if not repeat and not conditional:
                kind.scope = kind.scope.also(inner_type.scope.within(name, chance))
                if self.is_it(0.1) and not self.simple:
                    alias = self.new("v")
                    kind.instances[alias] = {"value": name}
                    kind.scope = kind.scope.also(inner_type.scope.within(alias, chance))

    def all_types(self) -> list[Type]:
        found, queue = list[Type](), [self.root]
        while queue:
            one = queue.pop()
            found.append(one)
            queue += one.types
        return found

    def know(self, scope: Scope, name: str, what: str, is_list: bool) -> None:
        """A name that expressions may use from now on."""
        if is_list:
            scope.lists.append(name)
            return
        kinds = {"integer": scope.integers, "text": scope.texts, "bytes": scope.bytes, "enum": scope.enums}
        if what == "boolean":
            scope.booleans.append(name)
        elif what in kinds:
            kinds[what].append(name)

    def content(self, kind: Type, item: dict[str, Any], scope: Scope, *, solid: bool, is_list: bool) -> str:
        """Draw what a field, or an element, is; returns the name of its kind."""
        chance = self.chance
        choice = chance.random()
        has_types = self.types_left > 0 and kind.depth < DEEPEST
        if choice < 0.42 or (solid and choice < 0.5):
            item["type"] = chance.choice(NARROW if self.simple else INTEGERS)
            self.need = int(item["type"][1])
            if self.is_it(0.15) and "le" not in item["type"]:
                item |= {"type": "u1", "enum": "e"}
                return "enum"
            return "integer"
        if choice < 0.55:
            item["size"] = self.small(scope, 4) + (" + 1" if solid else "")
            self.need = 5
            if self.is_it(0.3) and not self.simple:
                item["process"] = chance.choice((f"xor({self.small(scope, 255)})", f"rol({self.small(scope, 7)})"))
            elif self.is_it(0.3) and not self.simple:
                item |= chance.choice(({"terminator": 0}, {"pad-right": 0}, {"terminator": 1, "include": True}))
            return "bytes"
        if choice < 0.65:
            self.need = 5
            if self.is_it(0.5) and not self.simple:
                item |= {"type": "strz", "encoding": "ISO-8859-1"}
                item |= chance.choice(({}, {"eos-error": False}, {"include": True})) if not solid else {}
            else:
                item |= {"type": "str", "encoding": "ISO-8859-1"}
                item["size"] = self.small(scope, 4) + (" + 1" if solid else "")
            return "text"
        if choice < 0.75 and has_types and not is_list:
            self.switch(kind, item, scope)
            return "any"
        if not has_types:
            item["type"], self.need = "u1", 1
            return "integer"
        is_sized = self.is_it(0.5) and not self.simple
        made = self.type(kind, solid=True if self.simple else solid, parameters=not self.simple, is_sized=is_sized)
        item["type"] = self.call(made, scope)
        self.need = min(made.need, 80)
        if is_sized:
            item["size"] = self.small(scope, 5) + f" + {chance.choice((self.need, self.need, self.need // 2))}"
            self.need += 5
            if self.is_it(0.2):
                item["process"] = f"xor({self.small(scope, 255)})"
        elif self.is_it(0.1) and not solid and not self.simple:
            item["terminator"] = 0
        return f"structure {made.name}"

    def call(self, made: Type, scope: Scope) -> str:
        """The name of a type with its arguments."""
        given = [self.argument(one["type"], scope) for one in made.parameters]
        return f"{made.name}({', '.join(given)})" if given else made.name

    def argument(self, kind: str, scope: Scope) -> str:
        if kind == "bool":
            return self.boolean(scope, 1)
        if kind == "str":
            return self.text(scope)
        return self.chance.choice(scope.streams) if kind == "io" else self.integer(scope, 1)

    def switch(self, kind: Type, item: dict[str, Any], scope: Scope) -> None:
        """Draw a field of one of several types."""
        on, need = self.small(scope, 3), 2
        cases: dict[str, str] = {}
        if self.is_it(0.2) and not self.simple:
            on, keys = self.boolean(scope), ["true", "false"]
        elif self.is_it(0.2) and scope.enums:
            on, keys = self.chance.choice(scope.enums), ["e::none", "e::two", "_"]
        else:
            keys = self.chance.choice((["0", "1", "_"], ["0", "2"], ["1", "3", "_"]))
        for key in keys:
            if self.types_left > 0 and self.is_it(0.6):
                made = self.type(kind, solid=False, parameters=not self.simple)
                cases[key], need = self.call(made, scope), max(need, made.need)
            else:
                cases[key] = self.chance.choice(("u1", "u2", "s2"))
        item["type"] = {"switch-on": on, "cases": {json.dumps(key): text for key, text in cases.items()}}
        self.need = need
        if self.is_it(0.3) and not self.simple:
            item["size"] = self.small(scope, 3) + f" + {need}"
            self.need += 3

    def bits(self, kind: Type) -> None:
        """Draw some fields of less than a byte."""
        left = self.chance.choice((8, 8, 16, 11))
        kind.need += (left + 7) // 8
        while left > 0:
            size = min(left, self.chance.choice((1, 1, 2, 3, 4, 9)))
            left -= size
            item: dict[str, Any] = {"id": self.new("b"), "type": f"b{size}"}
            is_there = not self.is_it(0.15)
            if not is_there:
                item["if"] = self.boolean(kind.names, 1)
            kind.seq.append(item)
            if is_there:
                (kind.scope.booleans if size == 1 else kind.scope.integers).append(item["id"])

    def until(self, kind: Type, name: str, what: str) -> str:
        """The condition after which a list has no further element: it holds sooner or later, or the bytes end."""
        names = kind.names
        parts = [f"{name}.size >= {self.chance.randint(1, 3)}", self.boolean(names, 1)]
        if what == "integer":
            parts += [f"_ == {self.integer(names, 1)}", f"_ < {self.chance.randint(0, 3)}"]
        if self.asks_streams:
            parts += ["_io.eof", f"_io.pos >= {self.integer(names, 1)}", "_io.size - _io.pos < 3"]
        if self.is_it(0.3) and not self.simple:
            count = self.new("v")
            kind.instances[count] = {"value": f"{name}.size"}
            kind.scope.integers.append(count)
            parts.append(f"{count} >= {self.chance.randint(1, 2)}")
        some = self.chance.sample(parts, self.chance.randint(1, 2))
        if not any(name in part and part.endswith((">= 1", ">= 2", ">= 3")) for part in some):
            some.append(self.chance.choice((parts[0], *(["_io.eof"] * self.asks_streams))))
        return " or ".join(some)

    def valid(self, scope: Scope, what: str, item: dict[str, Any]) -> Any:
        """Draw a rule, which most inputs keep."""
        chance = self.chance
        if what == "enum":
            return {"in-enum": True} if self.is_it(0.5) else {"expr": f"_ != e::five or {self.boolean(scope, 1)}"}
        here = f"{self.boolean(scope, 1)} or {self.boolean(scope, 1)}"
        if self.simple and what in ("text", "bytes"):
            return {"expr": here + " or true"}
        if what == "text":
            return {"expr": f"_.length < 3 or {here}"}
        if what == "bytes":
            return {"expr": f"{here} or _.length != 2"}
        size = int(item["type"][1])
        beyond = 1 << min(8 * size, 62)
        some: list[Any] = [
            {"expr": f"_ < 1000 or {here}"},
            {"expr": f"_ >= {self.integer(scope, 0)} or _ < 6"},
            {"min": f"{self.integer(scope)} % 2 - 2"},
            {"max": f"({self.integer(scope)}) % 100 + {beyond}"},
            {"min": f"-({self.small(scope, 9)}) - {beyond}", "max": f"{self.small(scope, 9)} + {beyond}"},
        ]
        if size == 1:
            some += [
                {"any-of": ["0", "1", "2", "3", self.integer(scope), self.integer(scope, 1)]},
                {"eq": chance.choice((self.small(scope, 1), f"{self.boolean(scope, 1)}.to_i"))},
                self.small(scope, 1),
                {"expr": f"{here} or _ != 3"},
            ]
        return chance.choice(some)

    # --- types ---

    def type(self, owner: Type, *, solid: bool, parameters: bool, is_sized: bool = False) -> Type:
        """Draw a type that is used by fields of another."""
        self.types_left -= 1
        chance = self.chance
        around = owner.names.within("_parent", chance)
        if owner is not self.root:
            around = around.also(self.root.scope.within("_root", chance))
        made = Type(self.new("t"), owner.depth + 1, around)
        if self.simple:
            made.around = Scope(
                integers=[
                    name
                    for name in around.integers
                    if name.startswith("_parent.f") and name.count(".") == 1 and self.is_it(0.08)
                ],
            )
        if parameters and self.is_it(0.4):
            for _ in range(chance.randint(1, 2)):
                name, kind = self.new("p"), chance.choice(("s4", "s4", "bool", "str", "io"))
                made.parameters.append({"id": name, "type": kind})
                words = {"s4": "integers", "bool": "booleans", "str": "texts", "io": "streams"}
                getattr(made.scope, words[kind]).append(name)
        home = owner if self.is_it(0.5) else self.root
        home.types.append(made)
        if solid:
            made.seq.append({"id": self.new("f"), "type": chance.choice(("u1", "u2", "s1"))})
            made.need += 2
            self.know(made.scope, made.seq[0]["id"], "integer", False)
        for _ in range(chance.randint(0 if solid else 1, 3)):
            self.entry(made)
        if is_sized and self.is_it(0.4):
            made.seq.append({"id": self.new("f"), "size-eos": True})
        self.instances(made)
        return made

    def instances(self, kind: Type) -> None:
        """Draw instances that may ask for everything."""
        for _ in range(self.chance.randint(0, 2)):
            self.value_instance(kind)
        for _ in range(0 if self.simple else self.chance.choice((0, 0, 1, 2))):
            self.read_instance(kind)

    def value_instance(self, kind: Type) -> None:
        """Draw a computed instance."""
        name, scope, chance = self.new("v"), kind.names, self.chance
        item: dict[str, Any] = {}
        choice = chance.random()
        if choice < 0.65:
            item["value"], what = self.integer(scope), "integer"
            if self.is_it(0.1) and not self.simple:
                item, what = {"value": self.small(scope, 5), "enum": "e"}, "enum"
        elif choice < 0.85 or self.simple:
            item["value"], what = self.boolean(scope), "boolean"
        elif choice < 0.93 and kind.scope.lists:
            item["value"], what = chance.choice(kind.scope.lists), "list"
        else:
            item["value"], what = self.text(scope), "text"
        if self.is_it(0.1) and not self.simple:
            item["if"] = self.boolean(scope, 1)
        kind.instances[name] = item
        if "if" in item and not self.is_it(0.1):
            return
        if what == "list":
            kind.scope.lists.append(name)
            kind.scope.growing.append(name)
        else:
            self.know(kind.scope, name, what, False)

    def read_instance(self, kind: Type) -> None:
        """Draw an instance with a position."""
        name, scope, chance = self.new("i"), kind.names, self.chance
        item: dict[str, Any] = {}
        if self.is_it(0.3):
            item["io"] = chance.choice(scope.streams)
        stream = item.get("io", "_io")
        positions = ["0", self.small(scope, 9), self.small(scope, 4), f"{stream}.pos", f"{stream}.size - 1"]
        item["pos"] = chance.choice(positions)
        if self.is_it(0.25):
            item["if"] = self.boolean(scope, 1)
        repeat = self.is_it(0.2)
        what = self.content(kind, item, scope, solid=True, is_list=repeat)
        if repeat:
            item |= {"repeat": "expr", "repeat-expr": self.small(scope, 2)}
        elif what == "integer" and self.is_it(0.2):
            item["valid"] = self.valid(scope, what, item)
        kind.instances[name] = item
        if "if" not in item and not repeat and item.get("type") != "u8":
            self.know(kind.scope, name, what, False)


def drawn(seed: int, numbers: Sequence[int], kernels: int) -> list[Drawn]:
    """Declarations of a seed; so many of them, all over the others, have rows for kernels."""
    every = max(len(numbers) // kernels, 1) if kernels else 0
    return [declaration_of(seed, number, bool(every) and number % every == 0) for number in numbers]
