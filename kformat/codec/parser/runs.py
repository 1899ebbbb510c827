"""Runs: numbers, fixed bytes and bits that are read at once."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from contextlib import nullcontext

from kformat.codec.parser.bits import split_bits
from kformat.codec.parser.bytes import keep_bytes, trimmed
from kformat.codec.parser.function import ParserFunction
from kformat.codec.parser.items import BY_TYPE, Item, RunOfFields
from kformat.codec.parser.numbers import keep_nan
from kformat.codec.parser.sequence import rule_of, step_with_checks
from kformat.codec.parser.text import decode_text, keep_text
from kformat.codec.values import enum_values
from kformat.language.program import Check, ReadBit, ReadBytes, ReadFloat, ReadInteger, ReadLiteral, Step


def read_run(out: ParserFunction, run: RunOfFields) -> None:
    """Fields at once, in one piece for each byte order; if that fails, one by one::

        while True:
            if p + 6 <= lim:
                x1, x2, = k1(d, p)
                v.length = x1
                v.count = x2
                if v.count > 0:
                    p += 6
                    break
                delete_(v, k2)
                delete_(v, k3)
            ...
            break

    What is read one by one finds the first field that is wrong, with its position.
    """
    items = run.items
    out.whole_byte()
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
        names.append(out.new("x"))
        codes += item.code[1:]
        positions.append(total)
        total += struct.calcsize("=" + item.code[1:])
    pieces.append((order + codes, names))
    locals_ = [name for _, names in pieces for name in names]
    literals = [
        f"{local} == {out.const(item.steps[0].contents)}"
        for item, local in zip(fields, locals_, strict=True)
        if isinstance(item.steps[0], ReadLiteral)
    ]
    rules = [rule_of(out, check) for check in checks]
    tests = [f"p + {total} <= lim"]
    if any(isinstance(item.steps[0], ReadBit) for item in fields):
        tests.append("not r.bits_left")
    if any(format[0] == BY_TYPE for format, _ in pieces):
        tests.append(f"{out.order} is not None")
    outer = out.at
    with out.block("while True:"):
        with out.block(f"if {' and '.join(tests)}:"):
            offset = 0
            for format, names in pieces:
                at = f"p + {offset}" if offset else "p"
                out.put(f"{', '.join(names)}, = {unpacker(out, format)}(d, {at})")
                offset += struct.calcsize("=" + format.lstrip("<>" + BY_TYPE))
            with out.block(f"if {' and '.join(literals)}:") if literals else nullcontext():
                for item, local, position in zip(fields, locals_, positions, strict=True):
                    store_fields(out, item, local, position)
                with out.block(f"if {' and '.join(rules)}:") if rules else nullcontext():
                    out.put(f"p += {total}")
                    out.put("break")
                if rules:
                    for name in dict.fromkeys(step.name for item in fields for step in item.steps):
                        out.put(f"delete_(v, {out.const(name)})")
        one_by_one(out, [step for item in items for step in item.steps])
        out.put("break")
    out.at = outer


def one_by_one(out: ParserFunction, steps: Sequence[Step]) -> None:
    """The lines of each step with its rules."""
    index = 0
    while index < len(steps):
        index += step_with_checks(out, steps, index)


def unpacker(out: ParserFunction, format: str) -> str:
    """The ``unpack_from`` of a format; of both orders ``(k1 if little_endian else k2)``."""
    if format[0] != BY_TYPE:
        return out.const(struct.Struct(format if format[0] in "<>" else "=" + format).unpack_from)
    little, big = (out.const(struct.Struct(order + format[1:]).unpack_from) for order in "<>")
    return f"({little} if {out.order} else {big})"


def store_fields(out: ParserFunction, item: Item, local: str, position: int) -> None:
    """``v.length = x1``: what was read of an item, into its field or fields."""
    step = item.steps[0]
    if isinstance(step, ReadBit):
        before = 0
        for bit in (inner for inner in item.steps if isinstance(inner, ReadBit)):
            if bit.name in out.sums:
                out.put(f"{out.sums[bit.name][0]} = 8 * p + {8 * position + before}")
            before += bit.width
        for name, value in split_bits(out, item, local):
            out.assign(name, value)
        return
    if step.name in out.sums:
        out.put(f"{out.sums[step.name][0]} = p + {position}")
    value = local
    match step:
        case ReadInteger() if step.enum is not None:
            value = f"{out.const(enum_values(step.enum))}.get({local}, {local})"
        case ReadBytes():
            if step.trim is not None:
                out.put(f"x = y = {local}")
                trimmed(out, step.trim)
                value = "x"
            content = value
            if step.encoding is not None:
                value = decode_text(out, step, value, f"p + {position}")
    out.assign(step.name, value)
    if isinstance(step, ReadFloat):
        keep_nan(out, step, local, f"p + {position}")
    if isinstance(step, ReadBytes):
        if step.trim is not None:
            keep_bytes(out, step, out.load(step.name))
        keep_text(out, step, out.load(step.name), content)
