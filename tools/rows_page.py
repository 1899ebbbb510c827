"""docs/row-kernels.md: what decodes the rows of public declarations.

    python -m tools.rows_page FORMATS

FORMATS is a checkout of Kaitai's public declarations, which are not part of this project. A declaration counts if its
root, or a type reached from it, repeats a declared type; every such list may be rows. Of each declaration the page
names one list whose rows a kernel or numpy decodes, with all columns that `kformat.scan` gives by default; or why there
is none.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kformat.columns.compiled_rows import Compiled
from kformat.columns.fixed import Fixed, NotFixed
from kformat.columns.plan import Plan, plan_of
from kformat.columns.row_sums import NotCompiled
from kformat.columns.rows import Rows, every_row
from kformat.columns.scanning import Scan
from kformat.errors import KformatError
from kformat.language.node import replaced
from kformat.language.program import ReadList, ReadType, TypeProgram, load_type, types_of
from kformat.language.steps import all_steps
from tools.documents import ROOT
from tools.kaitai_page import search_path

PAGE = ROOT / "docs" / "row-kernels.md"
KERNEL, NUMPY, CODEC = "a kernel", "numpy", "the codec"
KEPT = '; with `trailing="keep"`: '
NO_ROWS, REFUSED = "no list of a declared type", "does not load"


@dataclass
class Line:
    """A declaration: ``by`` is what decodes rows of it, ``reason`` why nothing but the codec does; ``apart`` why `scan`
    has the codec read them where they are.
    """

    name: str
    by: str
    rows: str = ""
    reason: str = ""
    apart: str = ""
    is_whole: bool = False


def lines(folder: Path) -> Iterator[Line]:
    """A line for each declaration."""
    with search_path(folder):
        for path in sorted(folder.rglob("*.ksy")):
            name = path.relative_to(folder).with_suffix("").as_posix()
            try:
                root = load_type(str(path))
            except KformatError as error:
                yield Line(name, REFUSED, reason=str(error).splitlines()[0].rpartition("/formats/")[2])
                continue
            yield _line(name, root)


def _line(name: str, root: TypeProgram) -> Line:
    best: Line | None = None
    for rows in every_row(root):
        try:
            plan = plan_of(rows, None, "names")
            by, reason = _read_by(plan)
        except KformatError as error:
            by, reason, apart = CODEC, str(error), ""
        else:
            apart = _why_apart(plan) if by != CODEC else ""
        is_whole = by != CODEC and plan.rows.reason is not None
        line = Line(name, by, str(rows), reason.removesuffix(", which kernels do not support"), apart, is_whole)
        if best is None or _rank(line) < _rank(best):
            best = line
    return best or Line(name, NO_ROWS)


def _rank(line: Line) -> tuple[bool, bool, bool]:
    """Rows that a kernel decodes come first, of these such as `scan` has it decode, and of these such as are read one
    after the other.
    """
    return line.by == CODEC, bool(line.apart), line.is_whole


def _read_by(plan: Plan) -> tuple[str, str]:
    """What decodes such rows one after the other; and why only the codec does."""
    rows = plan.rows
    step = replaced(_list_at(rows.root, rows.path), condition=None, count=None, until=None, checks=(), align=False)
    element = next(one for one in all_steps((step.element,)) if isinstance(one, ReadType))
    step = replaced(step, element=replaced(element, condition=None))
    root = replaced(rows.root, steps=(step,))
    alone = plan._replace(rows=Rows(root, rows.path[-1:], rows.type, None))
    try:
        Fixed(alone)
    except NotFixed:
        pass
    else:
        return NUMPY, ""
    try:
        Compiled(alone, "error")
    except NotCompiled as problem:
        return CODEC, str(problem)
    return KERNEL, ""


def _why_apart(plan: Plan) -> str:
    if plan.rows.root.parameters:
        return "the type has parameters: it is a part of others only"
    found, kept = (Scan((), plan, trailing=trailing).read_by for trailing in ("error", "keep"))
    if found in (KERNEL, NUMPY):
        return ""
    return found.removeprefix("the codec (").removesuffix(")") + (KEPT + kept if kept in (KERNEL, NUMPY) else "")


def _list_at(program: TypeProgram, path: tuple[str, ...]) -> ReadList:
    """The list at a path: of a field, in a window, in a case of a switch, or of an instance."""
    steps = [*program.steps, *(step for instance in program.instances for step in instance.steps)]
    named = [step for step in all_steps(steps) if step.name == path[0]]
    if len(path) == 1:
        return next(step for step in named if isinstance(step, ReadList) and list(types_of((step,))))
    for inner in types_of(named):
        try:
            return _list_at(inner, path[1:])
        except StopIteration:
            continue
    raise StopIteration


def page(folder: Path) -> str:
    """The text of docs/row-kernels.md."""
    found = list(lines(folder))
    count = Counter(line.by for line in found)
    counted = count[KERNEL] + count[NUMPY] + count[CODEC]
    taken = count[KERNEL] + count[NUMPY]
    of_them = [line for line in found if line.by in (KERNEL, NUMPY)]
    apart, kept = sum(bool(line.apart) for line in of_them), sum(KEPT in line.apart for line in of_them)
    whole = sum(line.is_whole and not line.apart for line in of_them)
    return "\n".join(
        [
            "# Public declarations whose rows a kernel decodes",
            "",
            f"Written by `python -m tools.rows_page`, which needs a checkout of Kaitai's public declarations. Of "
            f"{len(found)} declarations {counted} repeat a declared type; of these {taken} "
            f"({100 * taken / max(counted, 1):.0f} %) have rows that a kernel ({count[KERNEL]}) or numpy "
            f"({count[NUMPY]}) decodes, with all default columns of `kformat.scan`.",
            "",
            f"`kformat.scan` reads {taken - apart} of these {taken} so, {whole} of them in files that are in memory as "
            f'a whole, and with `trailing="keep"` {kept} more. Of the others it has the codec read the rows where they '
            "are; the last column says why. `Scan.read_by` and `Scan.reason` say it of any declaration.",
            "",
            "| declaration | decodes rows | rows | why only the codec | why the codec reads them where they are |",
            "|---|---|---|---|---|",
            *(
                f"| {line.name} | {line.by} | {line.rows} | {_cell(line.reason)} | {_cell(line.apart)} |"
                for line in found
            ),
            "",
        ]
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main(arguments: list[str]) -> int:
    """Write the page; 2 where the folder is not named."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    PAGE.write_text(page(Path(arguments[0])), encoding="utf-8")
    print(PAGE.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
