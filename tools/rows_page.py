"""docs/row-kernels.md: what decodes the rows of public declarations.

    python -m tools.rows_page FORMATS

FORMATS is a checkout of Kaitai's public declarations, which are not part of this project. A declaration counts if its
root, or a type reached from it, repeats a declared type; every such list may be rows. Of each declaration the page names
one list whose rows a kernel or numpy decodes, with all columns that `kformat.scan` gives by default; or why there is
none.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kformat.columns.compiled_rows import Compiled, NotCompiled
from kformat.columns.fixed import Fixed, NotFixed
from kformat.columns.plan import plan_of
from kformat.columns.rows import Rows, places
from kformat.errors import KformatError
from kformat.language.program import TypeProgram, load_type
from tools.documents import ROOT
from tools.kaitai_page import search_path

PAGE = ROOT / "docs" / "row-kernels.md"
KERNEL, NUMPY, CODEC = "a kernel", "numpy", "the codec"
NO_ROWS, REFUSED = "no list of a declared type", "does not load"


@dataclass
class Line:
    """A declaration: ``by`` is what decodes rows of it, ``reason`` why nothing but the codec does, ``whole`` why `scan`
    holds a file of these rows in memory as a whole, and the codec reads it.
    """

    name: str
    by: str
    rows: str = ""
    reason: str = ""
    whole: str = ""


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
    found = [rows for rows in places(root) if rows.path]
    if not found:
        return Line(name, NO_ROWS)
    best: Line | None = None
    for rows in found:
        by, reason = _read_by(rows)
        line = Line(name, by, str(rows), reason, rows.reason or "")
        if best is None or _rank(line) < _rank(best):
            best = line
    assert best is not None
    return best


def _rank(line: Line) -> tuple[bool, bool]:
    """Rows that a kernel decodes come first, and of these such as `scan` reads in stretches."""
    return line.by == CODEC, bool(line.whole)


def _read_by(rows: Rows) -> tuple[str, str]:
    """What decodes such rows, wherever they are; and why the codec does."""
    try:
        plan = plan_of(rows._replace(reason=None), None, "names")
    except KformatError as error:
        return CODEC, str(error)
    try:
        Fixed(plan, is_alone=True)
    except NotFixed:
        pass
    else:
        return NUMPY, ""
    try:
        Compiled(plan, "error", is_alone=True)
    except NotCompiled as problem:
        return CODEC, str(problem).removesuffix(", which kernels do not support")
    return KERNEL, ""


def page(folder: Path) -> str:
    """The text of docs/row-kernels.md."""
    found = list(lines(folder))
    count = Counter(line.by for line in found)
    counted = count[KERNEL] + count[NUMPY] + count[CODEC]
    taken = count[KERNEL] + count[NUMPY]
    streamed = sum(not line.whole for line in found if line.by in (KERNEL, NUMPY))
    return "\n".join(
        [
            "# Public declarations whose rows a kernel decodes",
            "",
            f"Written by `python -m tools.rows_page`, which needs a checkout of Kaitai's public declarations. Of "
            f"{len(found)} declarations {counted} repeat a declared type; of these {taken} "
            f"({100 * taken / max(counted, 1):.0f} %) have rows that a kernel ({count[KERNEL]}) or numpy "
            f"({count[NUMPY]}) decodes, with all default columns of `kformat.scan`.",
            "",
            f"`kformat.scan` reads {streamed} of these {taken} so. For the others the file has to be in memory as a "
            "whole, and there the codec reads the rows; the last column says why. `Scan.read_by` and `Scan.reason` "
            "say it of any declaration.",
            "",
            "| declaration | rows are decoded by | rows | why by the codec | why the file is in memory as a whole |",
            "|---|---|---|---|---|",
            *(
                f"| {line.name} | {line.by} | {line.rows} | {_cell(line.reason)} | {_cell(line.whole)} |"
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
