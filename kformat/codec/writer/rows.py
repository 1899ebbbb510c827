"""Rows: many values, from tuples of their fields, of which lengths and counts follow.

The pieces of a value are joined once: a dictionary of varints that were written before is faster than computing them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kformat.codec.reader import Varint
from kformat.codec.unfit import Unfit
from kformat.codec.writer.function import GeneratedWriter, WriterFunction
from kformat.language.encodings import LENIENT
from kformat.language.expression import Expression, inverse
from kformat.language.layout import packed
from kformat.language.program import (
    Check,
    CheckEnd,
    ReadBytes,
    ReadInteger,
    ReadList,
    ReadType,
    ReadVarint,
    Step,
    Window,
)

_TABLE_ENTRIES: Final = 1 << 16
"""Most varints in a table; without a limit it would grow forever."""


class _Varints(dict[int, bytes]):
    """An integer -> its varint; Unfit if it does not fit."""

    def __init__(self, step: ReadVarint) -> None:
        super().__init__()
        self._encode, self._kind = Varint(step.max_bytes, step.zigzag, step.kind.bits).encode, step.kind

    def __missing__(self, value: int) -> bytes:
        if not self._kind.low <= value <= self._kind.high:
            raise Unfit
        made = self._encode(value)
        if len(self) < _TABLE_ENTRIES:
            self[value] = made
        return made


def rows(out: WriterFunction, fields: Sequence[str]) -> GeneratedWriter:
    """The function of many values::

    def rows(rows):
        made = []
        for f1, f2, in rows:
            ...
            made.append(join_((k1[f1], k2[len_(f2)], f2,)))
        return made
    """
    if out.program.bits:
        raise Unfit
    columns = {name: out.new("f") for name in fields}
    out.text.append("def rows(rows):")
    out.put("made = []")
    with out.block(f"for {', '.join(columns.values()) + ',' if columns else '_'} in rows:"):
        out.put(f"made.append({_joined(out, out.program.steps, columns)})")
    out.put("return made")
    return out.finished()


def _joined(out: WriterFunction, steps: Sequence[Step], columns: Mapping[str, str]) -> str:
    """``join_((k1[f1], k2, x1, f2,))``: the bytes of steps. Lines that come before are put.

    The varint of a length stands before what it measures, and is known after it.
    """
    fields = {field.name: field for field in out.program.fields}
    pieces: list[str] = []
    waiting: dict[str, tuple[int, ReadVarint]] = {}
    for step in steps:
        if step.condition is not None and not isinstance(step, ReadBytes):
            raise Unfit
        match step:
            case CheckEnd():
                pass  # a window has the length of its content
            case Check():
                if not fields[step.name].computed or not _is_not_negative(step.rule, step.name):
                    raise Unfit
            case ReadVarint() if fields[step.name].computed:
                waiting[step.name] = len(pieces), step
                pieces.append("")
            case ReadVarint() if step.name in columns:
                pieces.append(f"{out.const(_Varints(step))}[{columns[step.name]}]")
            case ReadVarint() | ReadInteger():
                pieces.append(out.const(_derived(step, fields[step.name].derive)))
            case ReadBytes() | ReadList() | Window():
                size = step.count if isinstance(step, ReadList) else step.size
                name, more = (None if size is None else inverse(size)) or ((), 0)
                if more or len(name) != 1 or name[0] not in waiting:
                    raise Unfit
                place, length = waiting.pop(name[0])
                pieces[place], data = _measured(out, step, length, columns)
                pieces.append(data)
            case _:
                raise Unfit
    if waiting:
        raise Unfit
    return f"join_(({', '.join(pieces)},))" if pieces else out.const(b"")


def _measured(
    out: WriterFunction, step: ReadBytes | ReadList | Window, length: ReadVarint, columns: Mapping[str, str]
) -> tuple[str, str]:
    """The varint of a length, and what it measures: ``k1[len_(x1)]`` and ``x1``."""
    table = _Varints(length)
    if isinstance(step, ReadList):
        element = step.element
        if step.name not in columns:
            return out.const(table[0]), out.const(b"")
        if step.until is not None or step.checks or step.align or not isinstance(element, ReadType):
            raise Unfit
        if element.arguments or element.condition is not None:
            raise Unfit
        items, value, write = out.new("l"), columns[step.name], out.const(out.others.rows(element.type))
        out.put(f"{items} = {write}({value}) if {value} else ()")
        return f"{out.const(table)}[len_({items})]", f"join_({items})"
    if step.trim is not None or step.process is not None:
        raise Unfit
    if isinstance(step, Window):
        if step.codec is not None:
            raise Unfit
        data = out.new("c")
        out.put(f"{data} = {_joined(out, step.steps, columns)}")
    elif step.name not in columns:
        raise Unfit
    elif step.encoding is not None:
        if step.condition is not None or step.encoding.upper() not in LENIENT:
            raise Unfit
        data = out.new("x")
        encoding = out.const(LENIENT[step.encoding.upper()])
        out.put(f"{data} = str_.encode({columns[step.name]}, {encoding}, lenient_)")
    elif step.condition is not None:
        return _optional(out, step, length, columns[step.name])
    else:
        data = columns[step.name]
        out.unless(f"type_({data}) is bytes_")
    return f"{out.const(table)}[len_({data})]", data


def _optional(out: WriterFunction, step: ReadBytes, length: ReadVarint, data: str) -> tuple[str, str]:
    """Bytes, or None where a negative length says so::

    if type_(f1) is bytes_:
        n1 = k1[len_(f1)]
    elif f1 is None:
        n1 = k2; f1 = k3
    else:
        raise unfit_
    """
    if not _is_not_negative(step.condition, length.name):
        raise Unfit
    size, table = out.new("n"), _Varints(length)
    with out.block(f"if type_({data}) is bytes_:"):
        out.put(f"{size} = {out.const(table)}[len_({data})]")
    with out.block(f"elif {data} is None:"):
        out.put(f"{size} = {out.const(table[-1])}; {data} = {out.const(b'')}")
    with out.block("else:"):
        out.put("raise unfit_")
    return size, data


def _derived(step: ReadVarint | ReadInteger, derive: Expression | None) -> bytes:
    """The bytes of an integer that is not given."""
    if derive is None or not derive.is_constant:
        raise Unfit
    return _Varints(step)[derive.value] if isinstance(step, ReadVarint) else packed(step, derive.value)


def _is_not_negative(rule: Expression | None, name: str) -> bool:
    """Whether a rule is ``name >= 0``, which holds for every length of what is there."""
    if rule is None or rule.op != ">=":
        return False
    left, right = rule.arguments
    return left.op == "name" and left.value == (name,) and right.is_constant and right.value == 0
