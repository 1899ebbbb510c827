"""The loops of a decode kernel: over windows, and over the rows of each."""

from __future__ import annotations

from dataclasses import replace

from kformat.kernels.decode.bits import align
from kformat.kernels.decode.function import PARAMETERS, DecodeFunction
from kformat.kernels.decode.sequence import decode_steps
from kformat.kernels.expressions import value_of
from kformat.kernels.source import ALL_READ, LEFTOVER, KernelError, KernelScope, Leave, Part, Source, indented
from kformat.language import expression
from kformat.language.expression import Expression
from kformat.language.lines import Line
from kformat.language.node import replaced
from kformat.language.program import ReadList, kernels_evaluate, of_elements
from kformat.language.types import Bytes, Text


def kernel(out: DecodeFunction) -> Source:
    """The whole kernel: what restores its state, the loops over windows and rows, and what saves its state.

    ::

        unit, done, p, n0 = state[UNIT], state[DONE], state[POSITION], state[ROW]
        while unit < len(starts):
            end, count = ends[U(unit)], counts[U(unit)]
            while done < count or (count < 0 and p < end):
                start = p
                ...
                n0 += 1
                done += 1
    """
    if out.has_bits:
        align(out)
    scope = KernelScope("", out.program.name, 0, program=out.program)
    if out.takes_context:
        out.fill(out.column(scope, "", Part.POSITION, "i8"), "start")
        scope.variables |= {(name,): out.around((PARAMETERS, name)) for name in out.program.parameters}
    decode_steps(out, out.program.steps, scope, "end")
    if out.rows is not None:
        rules_of_rows(out, out.rows, scope)
    body, tables = out.text, range(1, len(out.tables))
    function = out.function
    remembered = ", ".join(["at", "unit", "done", "start", "n0", *(f"s{number}" for number in tables)])
    text: list[Line] = [
        "@helper",
        f"def leave_{function}({remembered}, site, position, wanted):",
        '    """Remember where it stopped, in front of the row that was begun."""',
        *indented("put_8(at, UNIT, unit)", "put_8(at, DONE, done)", "put_8(at, POSITION, start)"),
        *indented("put_8(at, ROW, n0)", "put_8(at, ERROR_POSITION, position)", "put_8(at, CAPACITY, wanted)"),
        *indented(*(f"put_8(at, FIRST_TABLE + {number - 1}, s{number})" for number in tables)),
        *indented("return site"),
        "",
        "",
        "@kernel",
        f"def {function}(",
        "    data, starts, ends, counts, capacities, wanted, state,",
        *(f"    c{number}," for number in range(len(out.columns))),
        "):",
        *indented(*(f"# c{number}: {out.said(column)}" for number, column in enumerate(out.columns))),
        *indented(*(f"w{number} = wanted[{number}] != 0" for number in range(len(out.columns)))),
        *indented(*(f"a{number} = address(c{number})" for number in range(len(out.columns)))),
        *indented("d, at = address(data), address(state)"),
        *indented(*(f"cap{number} = capacities[{number}]" for number in range(len(out.tables)))),
        *indented("unit, done, p, n0 = state[UNIT], state[DONE], state[POSITION], state[ROW]"),
        *indented(*(f"n{number} = state[FIRST_TABLE + {number - 1}]" for number in tables)),
        *indented(*(f"x{k} = state[FIRST_TABLE + {len(tables) + k}]" for k in range(len(out.context)))),
        *indented(
            "start = p",
            *(f"s{number} = n{number}" for number in tables),
            "while unit < len(starts):",
            "    end, count = ends[U(unit)], counts[U(unit)]",
            "    if done < 0:",
            "        done, p = np.int64(0), starts[U(unit)]",
            "    while done < count or (count < 0 and p < end):",
            "        start = p",
            *(f"        s{number} = n{number}" for number in tables),
            "        if n0 >= cap0:",
        ),
        Leave(-1, "n0 + 1", depth=4),
        *body,
        *indented(
            "        n0 += 1",
            "        done += 1",
            "    start = p",
            *(f"    s{number} = n{number}" for number in tables),
            "    if p < end:",
        ),
        Leave(LEFTOVER, depth=3),
        *indented("    unit += 1", "    done = np.int64(-1)"),
        Leave(ALL_READ, depth=1),
    ]
    return out.finished(text, remembered)


def rules_of_rows(out: DecodeFunction, rows: ReadList, scope: KernelScope) -> None:
    """Leave before a row that the codec has to look at."""
    rules = [check.rule for check in rows.checks if check.rule is not None]
    if len(rules) < len(rows.checks):
        raise KernelError(f"{out.program.name}: a rule of the list of rows without an expression")
    wanted = [(of_rows(rule), "a value that is not allowed") for rule in rules]
    if rows.until is not None:
        wanted.append((expression.typed("not", (of_rows(rows.until),), 0), "the last row"))
    place = replace(scope, variables=dict(scope.variables))
    place.variables |= {("_", *path): variable for path, variable in scope.variables.items()}
    place.absent = {**scope.absent, **{("_", *path): variable for path, variable in scope.absent.items()}}
    for node, problem in wanted:
        if not kernels_evaluate(node, out.program):
            raise KernelError(f"{out.program.name}: the list of rows up to, or with a rule, {node}")
        if any(path[0] == "_index" for path in node.names()):
            place.variables["_index",] = f"({out.around(('_index',))} + n0)"
        with out.block(f"if not {value_of(out, node, place, '')}:"):
            out.put(out.fail(scope, "", problem))


def of_rows(node: Expression) -> Expression:
    """A condition on the elements of a list as one of an element: other names are those of its parent, and bytes and
    texts its own.
    """

    def of_parent(part: Expression) -> Expression:
        if part.op == "name" and part.value[0] == "_" and len(part.value) == 2 and isinstance(part.type, Text | Bytes):
            return replaced(part, value=part.value[1:])
        if part.op == "name" and part.value[0] not in ("_", "_index", "_root"):
            return replaced(part, value=("_parent", *part.value))
        return replaced(part, arguments=tuple(map(of_parent, part.arguments))) if part.arguments else part

    return of_parent(of_elements(node))
