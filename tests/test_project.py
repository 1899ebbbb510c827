"""What the project's own files promise: packages, dependencies, targets, addresses.

Runs in the source tree, and beside an installed wheel, where the folders of the packages are missing.
"""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import importlib.resources
import importlib.util
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import kformat

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

in_the_tree = pytest.mark.skipif(not (ROOT / "kformat").is_dir(), reason="no source tree here: the wheel is under test")

# Import name -> distribution, where they differ.
DISTRIBUTIONS = {"yaml": "PyYAML", "google_crc32c": "google-crc32c"}
# Not to be declared: ourselves, and what only type checkers know.
OWN = {"kformat", "kformat_engine", "_typeshed"}


def requirement_names(requirements: list[str]) -> set[str]:
    return {re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in requirements}


def package_folders() -> dict[str, str]:
    """Package name -> folder, for every folder of the tree that holds a package of the distribution."""
    roots = {
        "kformat": "kformat",
        "kformat.formats": "formats",
        "kformat_engine": "engine/kformat_engine",
        "pyspark_kformat": "pyspark_kformat",
    }
    return {
        ".".join([name, *init.parent.relative_to(ROOT / folder).parts]): str(init.parent.relative_to(ROOT))
        for name, folder in roots.items()
        for init in (ROOT / folder).rglob("__init__.py")
    }


@in_the_tree
def test_every_package_folder_is_in_the_list() -> None:
    assert set(SETUPTOOLS["packages"]) == set(package_folders())


@in_the_tree
def test_packages_are_mapped_to_their_folders() -> None:
    for package, folder in package_folders().items():
        parents = [name for name in SETUPTOOLS["package-dir"] if package == name or package.startswith(f"{name}.")]
        nearest = max(parents, key=len, default="")
        mapped = SETUPTOOLS["package-dir"].get(nearest, "") + package.removeprefix(nearest).replace(".", "/")
        assert mapped.strip("/") == folder, package


@pytest.mark.parametrize("package", SETUPTOOLS["packages"])
def test_listed_packages_can_be_found(package: str) -> None:
    assert importlib.util.find_spec(package) is not None


@in_the_tree
@pytest.mark.parametrize("layout", ["clone", "installed"])
def test_the_declarations_are_those_of_the_package_that_is_imported(layout: str, tmp_path: Path) -> None:
    """In a clone, whatever was installed (without what an editable install adds to the path: -S), and in a wheel's
    layout, whatever lies next to the package."""
    folder = ROOT
    if layout == "installed":
        folder, other = tmp_path, tmp_path / "formats"
        other.mkdir()
        (other / "other.ksy").write_text("meta: {id: other}\n")
        (folder / "kformat").mkdir()
        for path in (ROOT / "kformat").iterdir():
            (folder / "kformat" / path.name).symlink_to(path)
        (folder / "kformat" / "formats").symlink_to(ROOT / "formats")
    paths = [path for path in sys.path if path.endswith("site-packages")]
    done = subprocess.run(
        [
            sys.executable,
            "-S",
            "-c",
            "from kformat.language.shipped import shipped_names as names; print(*names())",
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.split() == sorted(path.stem for path in (ROOT / "formats").glob("*.ksy"))


def test_the_declarations_come_along() -> None:
    installed = {path.name for path in importlib.resources.files("kformat.formats").iterdir()}
    assert {"record_batch.ksy", "offset_index.ksy", "time_index.ksy", "varint.ksy"} <= installed
    assert importlib.resources.files("kformat").joinpath("py.typed").is_file()


def test_the_console_script_starts() -> None:
    script = Path(sys.executable).with_name("kformat")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert kformat.__version__ in done.stdout
    assert importlib.metadata.version("kformat") == kformat.__version__


def test_third_party_imports_are_declared() -> None:
    """What the toolkit imports is a core dependency or belongs to an extra; nothing comes along by accident."""
    core = requirement_names(PROJECT["project"]["dependencies"])
    extras = PROJECT["project"]["optional-dependencies"]
    users = ("arrow", "connect", "duckdb", "fast", "pandas", "polars", "remote", "spark", "testing")
    optional = requirement_names([requirement for extra in users for requirement in extras[extra]])
    declared = OWN | sys.stdlib_module_names
    fine = declared | {
        root for root in (*DISTRIBUTIONS, *core, *optional) if DISTRIBUTIONS.get(root, root) in core | optional
    }
    for file in Path(next(iter(kformat.__path__))).rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        begun = set(re.findall(r"^\s*(?:import|from)\s+(\w+)", text, re.MULTILINE))
        if begun <= fine and not re.search(r"^\s*import .*,", text, re.MULTILINE):
            continue  # to parse all of them takes seconds
        for node in ast.walk(ast.parse(text)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names = [node.module]
            for root in {name.split(".")[0] for name in names} - declared:
                assert DISTRIBUTIONS.get(root, root) in core | optional, f"{file.name} imports {root}"


def test_supported_versions_agree() -> None:
    classified = re.findall(r"Python :: (3\.\d+)'", str(PROJECT["project"]["classifiers"]))
    assert PROJECT["project"]["requires-python"] == f">={classified[0]}"
    assert PROJECT["tool"]["mypy"]["python_version"] == classified[0]
    assert PROJECT["tool"]["ruff"]["target-version"] == "py" + classified[0].replace(".", "")
    assert f"PYTHONS=({' '.join(classified)})" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert all(f"python{version}" in (ROOT / "tools" / "find-python").read_text() for version in classified)


def test_every_target_is_described() -> None:
    phony = set(re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[0].split())
    described = set(re.findall(r"^([a-z-]+):.*## \S", MAKEFILE, re.MULTILINE))
    assert phony == described
    tests = {"quick", "test", "test-all"}
    assert (
        tests | {"demo", "spark-demo", "check", "fuzz", "generate", "samples", "judges", "bench", "nightly"}
        <= described
    )


@pytest.mark.parametrize(
    ("target", "installed"), [("demo", "."), ("spark-demo", "'.[spark]'"), ("quick", "'.[quick]'")]
)
def test_a_target_installs_what_it_needs_and_no_more(target: str, installed: str, tmp_path: Path) -> None:
    plan = subprocess.run(
        ["make", "-n", target, f"VENV={tmp_path / 'venv'}"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert re.findall(r"pip install .* -e (\S+)$", plan, re.MULTILINE) == [installed]


def test_the_readme_names_both_demos_first_and_the_size_and_time_of_each_extra() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {"make demo", "make spark-demo"} <= set("\n".join(text.splitlines()[:40]).splitlines())
    rows = dict(re.findall(r"^\| (none|`\w+`) \|.*\| ([0-9,]+ MB \| [0-9]+ s) \|$", text, re.MULTILINE))
    for_developers = {"quick", "test", "fuzz", "bench", "dev"}
    extras = set(PROJECT["project"]["optional-dependencies"]) - for_developers
    assert rows.keys() == {"none", *(f"`{extra}`" for extra in extras)}


@in_the_tree
def test_each_promise_of_the_security_page_is_a_test() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?!promise|---)(.*) \| (.*) \|$", text, re.MULTILINE)
    assert len(rows) > 5
    for _, test in rows:
        path, _, name = test.strip("`").partition("::")
        assert not name or f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), test


def test_quick_tests_touch_every_folder() -> None:
    """Files that are there, at least one of each folder that has tests."""
    listed = [line for line in (ROOT / "tests" / "quick.txt").read_text("utf-8").splitlines() if line.endswith(".py")]
    assert all((ROOT / name).is_file() for name in listed)
    folders = {path.parent for path in (ROOT / "tests").rglob("test_*.py")}
    assert {(ROOT / name).parent for name in listed} == folders


@in_the_tree
def test_no_address_of_this_machine_or_of_a_registry() -> None:
    """What is committed must work elsewhere."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    forbidden = re.compile(rb"https?://[a-z0-9.-]+/(?:maven2?|simple|npm)/|" + re.escape(f"{ROOT}/".encode()))
    for name in filter(None, listed.stdout.decode().split("\0")):
        path = ROOT / name
        if path.is_file() and not name.startswith("samples/"):
            found = forbidden.search(path.read_bytes())
            assert found is None, f"{name}: {found.group() if found else b''!r}"


@in_the_tree
def test_names_in_texts_are_names_of_something() -> None:
    """A class or function that a document or docstring names with its module is there."""
    paths = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    paths += [path for home in ("kformat", "engine") for path in (ROOT / home).rglob("*.py")]
    named: dict[str, Path] = {}
    for path in paths:
        for name in re.findall(r"`((?:kformat|kformat_engine)(?:\.[A-Za-z_]\w*)+)", path.read_text(encoding="utf-8")):
            named.setdefault(name, path.relative_to(ROOT))
    groups = {f"kformat.{name}" for name in ("commands", "extensions")}
    missing = {name: path for name, path in named.items() if name not in groups and not is_there(name.split("."))}
    assert not missing


def is_there(parts: list[str]) -> bool:
    """Whether a dotted name leads to something: a module, or what is in one."""
    for count in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for name in parts[count:]:
            found = getattr(found, name, None)
        return found is not None
    return False


@in_the_tree
def test_each_mutant_has_its_place() -> None:
    """The text that `tools.mutants` replaces stands in its file, once: a renamed variable would make it a mistake."""
    for mutant in tomllib.loads((ROOT / "tests/mutants.toml").read_text())["mutant"]:
        assert (ROOT / mutant["file"]).read_text().count(mutant["text"]) == 1, mutant["name"]


# --- a user's type checker -------------------------------------------------------------------------------------------

BACKEND = "tools.backend.kformat_build"
TYPED_USE = """
import threading

import kformat
from kformat_engine import Log, LogConfig, LogManager, LogMetrics, Producer, SegmentInfo, Transaction


def store(folder: str, lines: list[bytes]) -> int:
    with Log.open(folder, LogConfig(segment_bytes=1 << 20)) as log:
        producer: Producer = log.producer("lines")
        reveal_type(producer.append(lines, sequence=0))  # int
        first = log.append([(b"key", b"value"), b"alone", {"value": b"v", "timestamp": 1}])
        for record in log.records(first):
            reveal_type(record.value)  # bytes | None
        found = log.offset_for_timestamp("2023-11-14")
        if found is not None:
            reveal_type(found.offset)  # int
        with log.transaction("t") as t:
            t.append([b"1"])
        metrics: LogMetrics = log.metrics
        segments: tuple[SegmentInfo, ...] = log.segments
        log.to_arrow(["offset", "value"], start_offset=first, isolation_level="read_committed")
        log.to_arrow(["offset"], strange=1)  # error: Unexpected keyword argument "strange" for "to_arrow" of "Log"
        log.close_to_move()  # error: "Log" has no attribute "close_to_move"
        return metrics.append_count + len(segments)


def read(folder: str) -> None:
    with kformat.LogReader.open(folder, wait=10) as reader, reader.cursor(name="lines") as cursor:
        while (batch := cursor.poll(timeout_s=1)) is not None:
            for record in batch.records():
                reveal_type(record.key)  # bytes | None
        reveal_type(cursor.commit())  # int | None
        reader.to_arrow(end_offset=5)
        reveal_type(reader.wait(3, timeout_s=0))  # bool


def manage(folders: list[str]) -> Transaction:
    with LogManager.open(folders) as manager:
        reveal_type(manager.create_partition("orders", 0).end_offset)  # int
        reveal_type(manager.metrics.size_bytes)  # int
        threading.Thread(target=manager.compact).start()
        return manager.transaction("t")
"""


@pytest.mark.parametrize("layout", ["installed", "wheel", "editable"])
def test_mypy_strict_knows_what_a_program_uses(layout: str, tmp_path: Path, mypy_cache: Path) -> None:
    """With the install that is there, where that is a wheel; and of the tree as a wheel's folders lie, or through the
    file that the build backend adds to an editable install."""
    pytest.importorskip("mypy", reason="mypy comes with the extra `dev`")
    is_tree, python = (ROOT / "kformat").is_dir(), Path(sys.executable)
    if is_tree is (layout == "installed"):
        pytest.skip("the wheel is under test" if layout != "installed" else "the next two are of the tree")
    if layout != "installed":
        environment = mypy_cache / "environment"  # mypy knows what it has seen by its path
        venv.create(environment, clear=True, symlinks=True)
        python = environment / "bin" / "python"
        (packages,) = (environment / "lib").glob("python3*/site-packages")
        if layout == "editable":
            backend = pytest.importorskip(BACKEND, reason="setuptools comes with the extra `dev`")
            (packages / backend.PATH_FILE).write_text(backend.path_lines(ROOT))
        else:
            for name in ("kformat", "kformat_engine"):
                assert "py.typed" in SETUPTOOLS["package-data"][name]
                (packages / name).symlink_to(ROOT / SETUPTOOLS["package-dir"][name])
    (tmp_path / "use.py").write_text(TYPED_USE)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--hide-error-codes",
        "--config-file",
        "",
    ]
    command += ["--cache-dir", str(mypy_cache), "--python-executable", str(python), "use.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    assert done.stderr == ""
    texts = re.findall(r"^use\.py:(\d+): (?:note|error): (.*)", done.stdout, re.MULTILINE)
    said = [(int(number), re.sub(r'^Revealed type is "(.*)"$', r"\1", text)) for number, text in texts]
    lines = [(number, line.partition("  # ")[2]) for number, line in enumerate(TYPED_USE.splitlines(), 1)]
    expected = [(number, text.removeprefix("error: ")) for number, text in lines if text]
    assert [(number, text) for number, text in said if " defined in " not in text] == expected, done.stdout


@in_the_tree
def test_the_build_backend_adds_a_file_to_the_wheel_and_its_list(tmp_path: Path) -> None:
    kformat_build = pytest.importorskip(BACKEND, reason="setuptools comes with the extra `dev`")
    wheel = tmp_path / "a.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("a.pth", "import a")
        archive.writestr("a.dist-info/RECORD", "a.pth,sha256=x,8\na.dist-info/RECORD,,\n")
    kformat_build.add_file(wheel, kformat_build.PATH_FILE, kformat_build.path_lines(ROOT).encode())
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        assert archive.read("a.pth") == b"import a"
        folders = archive.read(kformat_build.PATH_FILE).decode().splitlines()
        record = archive.read("a.dist-info/RECORD").decode().splitlines()
    assert [line.split(",")[0] for line in record] == [kformat_build.PATH_FILE, "a.pth", "a.dist-info/RECORD"]
    assert folders == [str(ROOT), str(ROOT / "engine")]
    assert all(any((Path(folder) / name / "py.typed").exists() for folder in folders) for name in OWN - {"_typeshed"})
    build = PROJECT["build-system"]
    assert (ROOT / build["backend-path"][0] / f"{build['build-backend']}.py").samefile(kformat_build.__file__)
