"""Lists: numbers at once, other elements in a loop."""

from __future__ import annotations

from dataclasses import replace

from kformat.kernels.decode.bits import align
from kformat.kernels.decode.function import DecodeFunction
from kformat.kernels.decode.numbers import is_only_read, width_of
from kformat.kernels.decode.sequence import decode_steps
from kformat.kernels.decode.structures import inside
from kformat.kernels.expressions import emit_check, value_of
from kformat.kernels.source import MAX_LISTS, KernelScope, Leave, Part
from kformat.language.node import replaced
from kformat.language.program import (
    ReadBit,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadType,
    ReadVarint,
    Step,
    content_of,
    of_elements,
)


def decode_list(out: DecodeFunction, step: ReadList, scope: KernelScope, end: str) -> None:
    """A list: its elements are rows of a table, and the list has the number of the one after its last.

    ::

        v1_count = v0_count
        if v1_count > (end - p) // 1:
            return leave_decode_record(...)
        if n1 + v1_count > cap1:
            return leave_decode_record(..., n1 + v1_count)
        for _ in range(v1_count):
            ...
            n1 += 1
        if w4: put_8(a4, n0 + 1, n1)
    """
    offsets = out.column(scope, step.name, Part.OFFSETS, "i8")
    name = out.columns[offsets].name
    if name not in out.tables:  # cases of one kind share theirs
        out.tables.append(name)
    table = out.tables.index(name)
    element = step.element
    out.lists += 1
    if out.lists > MAX_LISTS:
        raise out.refuse(scope, step, f"lists nested more than {MAX_LISTS} deep")
    if step.count is not None:
        count = out.variable("count")
        out.put(f"{count} = {value_of(out, step.count, scope, step.name)}")
        if step.count.low < 0:
            with out.block(f"if {count} < 0:"):
                out.put(f"{count} = 0")
        with out.block(f"if {count} > {_most(element, end)}:"):
            out.put(out.fail(scope, step.name, "more elements than there are bytes"))
        with out.block(f"if n{table} + {count} > cap{table}:"):
            out.put(Leave(-1 - table, f"n{table} + {count}"))
        if are_plain(out, step):
            copy_numbers(out, element, count, replace(scope, table=table), end)
            out.lists -= 1
            out.fill(offsets, f"n{table}")
            return
        head = f"for _ in range({count}):"
    else:
        head = f"while p < {end}:" if not out.has_bits else f"while p < {end} or k > 0:"
        head = head if step.until is None else "while True:"
    first = ""
    if step.until is not None or step.checks:
        first = out.variable("first")
        out.put(f"{first} = n{table}")
    with out.block(head):
        if step.count is None:
            with out.block(f"if n{table} >= cap{table}:"):
                out.put(Leave(-1 - table, f"n{table} + 1"))
        if step.align:
            align(out)
        if isinstance(element, ReadType):
            read = KernelScope(f"{name}.", f"{scope.path}.{step.name}", table)
            read.parent, read.is_foreign = scope, element.foreign
            inside(out, element, scope, read, end)
        else:
            read = replace(scope, table=table, variables=dict(scope.variables), bytes={}, absent=dict(scope.absent))
            decode_steps(out, [element], read, end)
        done = conditions(out, step, scope, read, f"(n{table} - {first})")
        out.put(f"n{table} += 1")
        if step.until is not None:
            out.put(f"if {done}:", "    break")
    out.lists -= 1
    out.fill(offsets, f"n{table}")


def are_plain(out: DecodeFunction, step: ReadList) -> bool:
    """Whether a list's elements are numbers that are only read; those in a switch may share a column."""
    element = step.element
    if not isinstance(element, ReadInteger | ReadFloat) or element.by_type or width_of(element) not in (1, 2, 4, 8):
        return False
    return is_only_read(element) and not (step.until is not None or step.checks or step.align or out.switches)


def copy_numbers(out: DecodeFunction, element: Step, count: str, scope: KernelScope, end: str) -> None:
    """Copy the elements of a list at once: ``words_4(a5, n1, cap1, d, p, len(data), v1_count)``."""
    assert isinstance(element, ReadInteger | ReadFloat)
    size, table = width_of(element), scope.table
    with out.block(f"if {count} > ({end} - p) // {size}:"):
        out.put(f"p += ({end} - p) // {size} * {size}", out.fail(scope, element.name, "the bytes end"))
    kind = "f" if isinstance(element, ReadFloat) else "i" if element.kind.signed else "u"
    column = out.column(scope, element.name, Part.VALUE, f"{kind}{size}")
    order = "_le" if element.little_endian and size > 1 else ""
    with out.block(f"if w{column}:"):
        out.put(f"words_{size}{order}(a{column}, n{table}, cap{table}, d, p, len(data), {count})")
    out.put(f"n{table} += {count}", f"p += {size} * {count}")


def conditions(out: DecodeFunction, step: ReadList, scope: KernelScope, read: KernelScope, index: str) -> str:
    """The rules on an element of a list that was read, and a variable: whether it is the last."""
    if step.until is None and not step.checks:
        return ""
    is_type, content = isinstance(step.element, ReadType), content_of(step.element)
    if isinstance(content, ReadInteger | ReadVarint) and content.enum is not None and not content.kind.signed:
        if content.kind.bits == 64:
            raise out.refuse(scope, step, "a condition on members of an enum of 64 bits")
    place = replace(scope, variables=dict(scope.variables), absent=dict(scope.absent))
    for known, inner in ((place.variables, read.variables), (place.absent, read.absent)):
        paths = (
            inner.items()
            if is_type
            else [(path[1:], variable) for path, variable in inner.items() if path[0] == step.name]
        )
        known.update({("_", *path): variable for path, variable in paths})
    place.variables["_index",] = index
    place.bytes = {step.name: read.bytes[step.name]} if step.name in read.bytes and not is_type else {}
    if ("_",) in place.variables:
        place.variables[step.name,] = place.variables["_",]
    for check in step.checks:
        emit_check(out, check if check.rule is None else replaced(check, rule=of_elements(check.rule)), place)
    if step.until is None:
        return ""
    last = out.variable("last")
    out.put(f"{last} = {value_of(out, of_elements(step.until), place, step.name)}")
    return last


def _most(element: Step, end: str) -> str:
    """How many elements of a list there can be at most, up to a position."""
    if isinstance(element, ReadBit) and element.condition is None:
        return f"(({end} - p) * 8 + k) // {element.width}"
    size = max(1, element.type.minimum_size) if isinstance(element, ReadType) else 1
    return f"({end} - p) // {size}"
