"""Kafka's own classes and tools, run on files: the dump tool, the record classes, the segment classes.

The Java sources beside this file are compiled once per Kafka version into `.judges/classes-<version>/`, and again when
they change. Everything here runs in a JVM with UTF-8 everywhere, because the dump tool's text depends on the locale.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.judges import fetch
from tests.judges.broker import version_tuple

JAVA_SOURCES = Path(__file__).parent / "java"
JAVA_OPTIONS = ("-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8")
RUN_TIMEOUT_S = 300
LOGGING_PREFIXES = (b"SLF4J:", b"log4j:")


@dataclass(frozen=True)
class Run:
    """What one run of a tool printed: `status` is 0, or 1 when its main threw and stderr ends with the stack trace."""

    arguments: tuple[str, ...]
    status: int
    stdout: bytes
    stderr: bytes


def dump_class(version: str) -> str:
    """The main class of that version's dump tool."""
    return "org.apache.kafka.tools.DumpLogSegments" if version_tuple(version) >= (4,) else "kafka.tools.DumpLogSegments"


def class_path(version: str) -> str:
    """Our compiled classes for that version, then Kafka's jars."""
    return f"{compiled(version)}{os.pathsep}{fetch.directory(version)}/*"


def record_package(version: str) -> str:
    """Where that version keeps the classes of batches and records."""
    internal = ".internal" if version_tuple(version) >= (4, 2) else ""
    return f"org.apache.kafka.common.record{internal}"


def compiled(version: str) -> Path:
    """The directory of our Java sources compiled against one version of Kafka; compiles them when it must."""
    sources = {"RunMany.java": (JAVA_SOURCES / "RunMany.java").read_text(encoding="utf-8")}
    digest = hashlib.sha256("".join(sources.values()).encode()).hexdigest()
    target = fetch.judges_dir() / f"classes-{version}"
    stamp = target / fetch.STAMP
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == digest:
        return target
    shutil.rmtree(target, ignore_errors=True)
    work = target / "source"
    work.mkdir(parents=True)
    for name, text in sources.items():
        (work / name).write_text(text, encoding="utf-8")
    command = ["javac", "-nowarn", "-encoding", "UTF-8", "-cp", f"{fetch.directory(version)}/*", "-d", str(target)]
    command += [str(work / name) for name in sources]
    done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_TIMEOUT_S, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the judges do not compile against Kafka {version}:\n{done.stderr}")
    stamp.write_text(digest, encoding="utf-8")
    return target


def java(version: str, main_class: str, arguments: Sequence[str], *, stdin: bytes = b"", cwd: Path | None = None,
         timeout_s: float = RUN_TIMEOUT_S) -> subprocess.CompletedProcess[bytes]:
    """Run a class of ours or of Kafka's in a JVM of its own."""
    command = ["java", *JAVA_OPTIONS, "-cp", class_path(version), main_class, *arguments]
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    return subprocess.run(
        command, input=stdin, capture_output=True, cwd=cwd, env=environment, timeout=timeout_s, check=False
    )


def dump(version: str, arguments: Sequence[str], cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run that version's DumpLogSegments once, in a JVM of its own, exactly as a user would; stdout is bytes."""
    return java(version, dump_class(version), arguments, cwd=cwd)


def dump_many(version: str, runs: Iterable[Sequence[str]], cwd: Path | None = None) -> list[Run]:
    """Run that version's DumpLogSegments once per list of arguments, all in one JVM, in this order.

    stdout and exceptions are those of separate runs; what logging libraries print on stderr at start is left out.
    RuntimeError when the JVM died on the way, which a wrong option does (the tool exits).
    """
    wanted = [tuple(arguments) for arguments in runs]
    stdin = "".join("\t".join(arguments) + "\n" for arguments in wanted).encode()
    done = java(version, "RunMany", [dump_class(version)], stdin=stdin, cwd=cwd)
    answers = []
    rest = done.stdout
    for arguments in wanted:
        header, newline, rest = rest.partition(b"\n")
        if not newline:
            raise RuntimeError(f"Kafka {version} ended its JVM on {arguments}: {done.stderr[-2000:]!r}")
        status, out_bytes, err_bytes = (int(number) for number in header.split())
        stdout, stderr = rest[:out_bytes], rest[out_bytes : out_bytes + err_bytes]
        remarks = b"".join(line for line in stderr.splitlines(keepends=True) if not line.startswith(LOGGING_PREFIXES))
        answers.append(Run(arguments, status, stdout, remarks))
        rest = rest[out_bytes + err_bytes :]
    return answers
