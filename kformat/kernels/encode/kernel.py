"""The loop of an encode kernel, over rows and units of them."""

from __future__ import annotations

from dataclasses import fields

from kformat.kernels.encode.function import EncodeFunction, EncodeSource, StructurePlace
from kformat.kernels.encode.lengths import fields_of
from kformat.kernels.encode.sequence import measure, prepare, write
from kformat.kernels.source import ALL_READ, Leave
from kformat.language.lines import Line


def kernel(out: EncodeFunction) -> EncodeSource:
    """The whole kernel: what restores its state, the loop over rows, units, and what saves its state.

    ::

        while n0 < rows:
            start = p
            ...
            out_ends[U(n0)] = p
            n0 += 1
    """
    place = StructurePlace("", out.program.name, 0, fields=fields_of(out.program))
    prepare(out, out.program.steps, place)
    total = out.variable("total")
    out.put(f"{total} = np.int64(0)")
    measure(out, out.program.steps, place, total)
    with out.block(f"if most_rows > 0 and n0 > first and {total} > most_bytes - (p - begin):"):
        out.put("is_full = True", "continue")
    with out.block(f"if {total} > len(out) - p:"):
        out.put(Leave(-1, f"p + {total}"))
    write(out, out.program.steps, place)
    remembered = "state, n0, start, units, first, begin"
    head = [
        "@helper",
        f"def leave_{out.function}({remembered}, site, position, wanted):",
        '    """Remember where it stopped, in front of the row that was begun."""',
        "    state[ROW], state[POSITION], state[ERROR_POSITION], state[CAPACITY] = n0, start, position, wanted",
        "    state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2] = units, first, begin",
        "    return site",
        "",
        "",
        "@kernel",
        f"def {out.function}(",
        "    out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state,",
        *(f"    c{number}," for number in range(len(out.columns))),
        "):",
        *(f"    # c{number}: {out.said(column)}" for number, column in enumerate(out.columns)),
        *(f"    size{number} = sizes[{number}]" for number in range(1, len(out.tables))),
        "    n0, p = state[ROW], state[POSITION]",
        "    units, first, begin = state[FIRST_TABLE], state[FIRST_TABLE + 1], state[FIRST_TABLE + 2]",
        "    start, is_full = p, False",
        "    while n0 < rows:",
        "        start = p",
        "        if most_rows > 0 and (is_full or units == 0 or n0 - first >= most_rows):",
        "            firsts[U(units)] = n0",
        "            p += gap",
        "            start, units, first, begin, is_full = p, units + 1, n0, p, False",
    ]
    tail: list[Line] = [
        "        out_ends[U(n0)] = p",
        "        n0 += 1",
        "    start = p",
        Leave(ALL_READ, depth=1),
    ]
    made = out.finished([*head, *out.text, *tail], remembered)
    return EncodeSource(
        **{item.name: getattr(made, item.name) for item in fields(made)}, optional=frozenset(out.optional)
    )
