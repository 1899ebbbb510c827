"""Lists: numbers at once, other elements in a loop."""

from __future__ import annotations

from kformat.codec.unfit import Unfit
from kformat.codec.writer.bytes import measure
from kformat.codec.writer.function import WriterFunction
from kformat.codec.writer.needs import asks_list
from kformat.codec.writer.rules import emit_check
from kformat.codec.writer.sequence import emit_steps
from kformat.language.layout import struct_format
from kformat.language.program import ReadFloat, ReadInteger, ReadList
from kformat.language.steps import reached, types_of


def write_list(out: WriterFunction, step: ReadList) -> None:
    """A list: numbers all at once, other elements one by one.

    ::

        l1 = v.items
        if not (type_(l1) is list_): raise unfit_
        if not (len_(l1) == v.count): o.settle(v, k1, len_(l1))
        for i1, x1 in enumerate_(l1):
            ...
    """
    below = {inner for type in types_of((step,)) for inner in reached(type, with_read=False)}
    if any(asks_list(step.name, parts) for parts in (step.count, *((it.steps, it.byte_order) for it in below))):
        raise Unfit  # they get the elements so far
    out.flush()
    items, index, item = out.new("l"), out.new("i"), out.new("x")
    out.put(f"{items} = {out.value(step.name)}")
    out.unless(f"type_({items}) is list_")
    if step.count is not None:
        count = out.source(step.count)
        is_none = f" or (not {items} and {count} < 0)" if step.count.low < 0 else ""
        measure(out, step.count, f"len_({items})", f"len_({items}) == {count}{is_none}")
    element, until = step.element, step.until
    if until is not None:
        out.unless(items)
    plain = isinstance(element, ReadInteger | ReadFloat) and not element.by_type and element.condition is None
    code = struct_format(element) if plain and until is None and not step.checks else None
    goes_to_the_end = until is None and step.count is None
    if code is not None:
        kinds = "floats_" if isinstance(element, ReadFloat) else "ints_"
        out.unless(f"all_(t in {kinds} or is_sub_(t, int_enum_) for t in set_(map_(type_, {items})))")
        out.put(f"o += pack_(f'{code[0]}{{len_({items})}}{code[1]}', *{items})")
        if goes_to_the_end:
            out.put("o.ends()")
        return
    outer = out.element, out.index, out.words
    out.element, out.index, out.words = (step.name, item), index, {**out.words, "_index": index}
    so_far = out.new("y") if asks_list(step.name, step) else ""
    if so_far:  # expressions know the elements up to this one
        out.put(f"{so_far} = []")
        out.words[f".{step.name}"] = so_far
    with out.block(f"for {index}, {item} in enumerate_({items}):"):
        emit_steps(out, (element,))
        out.words = {**out.words, "_": item}
        if so_far:
            out.flush()
            out.put(f"{so_far}.append({item})")
        for check in step.checks:
            emit_check(out, check)
        out.element = None
        if until is not None:
            out.flush()
            out.unless(f"bool_({out.source(until)}) == ({index} == len_({items}) - 1)")
    out.element, out.index, out.words = outer
    if goes_to_the_end:
        out.flush()
        out.put("o.ends()")
