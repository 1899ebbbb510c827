"""Kafka's own classes and tools, run on files: the dump tool, the record classes, the segment classes.

The Java sources beside this file are compiled once per Kafka version into `.judges/classes-<version>/`, and again when
they change. Everything here runs in a JVM with UTF-8 everywhere, because the dump tool's text depends on the locale.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tests.judges import jars, releases

JAVA_SOURCES = Path(__file__).parent / "java"
JAVA_OPTIONS = (
    "-Xmx1g",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Dfile.encoding=UTF-8",
    "-Dstdout.encoding=UTF-8",
)
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
    return releases.place("DUMP", version)


def class_path(version: str) -> str:
    """Our compiled classes for that version, then Kafka's jars."""
    return f"{compiled(version)}{os.pathsep}{jars.directory(version)}/*"


def java_sources(version: str) -> dict[str, str]:
    """Our Java sources as that version needs them, by name, with `releases.PLACES` for the marks in them."""
    return {
        name: re.sub(
            "@([A-Z]+)@",
            lambda mark: releases.place(mark[1], version),
            (JAVA_SOURCES / name).read_text(encoding="utf-8"),
        )
        for name in releases.sources(version)
    }


def compiled(version: str) -> Path:
    """The directory of our Java sources compiled against one version of Kafka; compiles them when it must."""
    sources = java_sources(version)
    digest = hashlib.sha256("".join(sources.values()).encode()).hexdigest()
    target = jars.judges_dir() / f"classes-{version}"
    if _stamp(target) == digest:
        return target
    # Compiled aside and renamed, so that two that need it at the same time do not meet half of it.
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="classes-", dir=target.parent) as work:
        source, classes = Path(work) / "source", Path(work) / "classes"
        for directory in (source, classes):
            directory.mkdir()
        for name, text in sources.items():
            (source / name).write_text(text, encoding="utf-8")
        command = ["javac", "-nowarn", "-encoding", "UTF-8", "-cp", f"{jars.directory(version)}/*", "-d", str(classes)]
        command += [str(source / name) for name in sources]
        done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_TIMEOUT_S, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"the judges do not compile against Kafka {version}:\n{done.stderr}")
        (classes / jars.STAMP).write_text(digest, encoding="utf-8")
        if _stamp(target) != digest:
            shutil.rmtree(target, ignore_errors=True)
            with contextlib.suppress(OSError):
                classes.rename(target)
    if _stamp(target) != digest:
        raise RuntimeError(f"{target} was changed while it was made")
    return target


def _stamp(target: Path) -> str | None:
    try:
        return (target / jars.STAMP).read_text(encoding="utf-8")
    except OSError:
        return None


def java(
    version: str,
    main_class: str,
    arguments: Sequence[str],
    *,
    stdin: bytes = b"",
    cwd: Path | None = None,
    timeout_s: float = RUN_TIMEOUT_S,
) -> subprocess.CompletedProcess[bytes]:
    """Run a class of ours or of Kafka's in a JVM of its own."""
    command = ["java", *JAVA_OPTIONS, "-cp", class_path(version), main_class, *arguments]
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    return subprocess.run(
        command, input=stdin, capture_output=True, cwd=cwd, env=environment, timeout=timeout_s, check=False
    )


def dump(version: str, arguments: Sequence[str], cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run that version's DumpLogSegments once, in a JVM of its own, exactly as a user would; stdout is bytes."""
    return java(version, dump_class(version), arguments, cwd=cwd)


class _Warm:
    """A JVM with one version's classes that runs one main after the other, until the process ends that asks.

    Where it was started it stays: a run in another folder finds links there to all that lies in that folder.
    """

    def __init__(self, version: str) -> None:
        self.version, self._owner = version, os.getpid()
        self._folder = tempfile.TemporaryDirectory(prefix="kformat-jvm-")
        self.place = Path(self._folder.name).resolve() / "place"
        self.place.mkdir()
        self._stderr = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            ["java", *JAVA_OPTIONS, "-cp", class_path(version), "RunMany"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            cwd=self.place,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
        )
        atexit.register(self.end)

    def run(self, main_class: str, arguments: tuple[str, ...], cwd: Path) -> Run:
        """One run, as if it were alone in a folder; RuntimeError when the JVM ended on the way."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._stderr.seek(0)
        self._stderr.truncate()
        alarm = threading.Timer(RUN_TIMEOUT_S, self._process.kill)
        alarm.start()
        try:
            with self._linked(cwd):
                try:
                    self._process.stdin.write("\t".join((main_class, *arguments)).encode() + b"\n")
                    self._process.stdin.flush()
                except BrokenPipeError:
                    raise self._ended(main_class, arguments) from None
                header = self._process.stdout.readline().split()
                if len(header) != 3:
                    raise self._ended(main_class, arguments)
                status, sizes = int(header[0]), [int(size) for size in header[1:]]
                printed = [self._process.stdout.read(size) for size in sizes]
        finally:
            alarm.cancel()
        here, there = os.fsencode(self.place), os.fsencode(cwd.resolve())
        stdout, stderr = (text.replace(here, there) for text in printed)
        remarks = b"".join(line for line in stderr.splitlines(keepends=True) if not line.startswith(LOGGING_PREFIXES))
        return Run(arguments, status, stdout, remarks)

    @contextlib.contextmanager
    def _linked(self, cwd: Path) -> Iterator[None]:
        links = [self.place / path.name for path in cwd.iterdir()]
        for link in links:
            link.symlink_to(cwd.resolve() / link.name)
        try:
            yield
        finally:
            for link in links:
                link.unlink()

    def _ended(self, main_class: str, arguments: tuple[str, ...]) -> RuntimeError:
        self.end()
        self._stderr.seek(0)
        said = self._stderr.read()[-2000:]
        return RuntimeError(f"{main_class} of Kafka {self.version} ended its JVM on {arguments}: {said!r}")

    def end(self) -> None:
        """End it; twice is no error. In a child that was forked, the parent's goes on."""
        if self._owner != os.getpid():
            return
        atexit.unregister(self.end)
        _warm.pop(self.version, None)
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()


_warm: dict[str, _Warm] = {}
"""Of this process, one per version of Kafka: its start and its warming up cost more than most runs."""


def run_many(version: str, main_class: str, runs: Iterable[Sequence[str]], cwd: Path | None = None) -> list[Run]:
    """Run a main class once per list of arguments, in this order, in the JVM that this process keeps for the version.

    stdout and exceptions are those of separate runs; what logging libraries print on stderr is left out.
    RuntimeError when the JVM ended on the way, as it does when the class exits; its stderr stands in the message.
    """
    answers = []
    for arguments in runs:
        if version not in _warm:
            _warm[version] = _Warm(version)
        answers.append(_warm[version].run(main_class, tuple(arguments), Path.cwd() if cwd is None else cwd))
    return answers


def dump_many(version: str, runs: Iterable[Sequence[str]], cwd: Path | None = None) -> list[Run]:
    """Run that version's DumpLogSegments once per list of arguments, all in one JVM; see `run_many`."""
    return run_many(version, dump_class(version), runs, cwd)


def read_batches(version: str, files: Iterable[Path]) -> list[list[dict[str, Any]]]:
    """Read .log files with that version's record classes (3.8 and newer): per file a list of batches.

    A batch has Kafka's header fields in snake_case, `position` and `size` in bytes, `is_valid` (the CRC),
    `compression` and `timestamp_type` by Kafka's names, and `records` with absolute `offset`, `timestamp`, `sequence`,
    `key` and `value` (base64 text or None) and `headers` (pairs). What Kafka refuses stands under `error`: in the
    batch whose records it could not read, or in a last entry of its own when the framing broke.
    """
    answers = []
    for run in run_many(version, "ReadBatches", [[str(file)] for file in files]):
        if run.status != 0:
            raise RuntimeError(f"{run.arguments}: {run.stderr.decode(errors='replace')}")
        answers.append([json.loads(line) for line in run.stdout.splitlines()])
    return answers


def read_values(version: str, values: Iterable[tuple[str, bytes]]) -> list[dict[str, Any]]:
    """Read transaction indexes, producer snapshots, and keys and values of control records with that version's classes
    (3.8 and newer): per (format, bytes) the fields that Kafka's classes give, or ``error``."""
    with tempfile.TemporaryDirectory(prefix="kformat-values-") as work:
        file = Path(work) / "values"
        file.write_text("".join(f"{format} {data.hex()}\n" for format, data in values), encoding="ascii")
        (run,) = run_many(version, "ReadValues", [[str(file)]])
    if run.status != 0:
        raise RuntimeError(run.stderr.decode(errors="replace"))
    return [json.loads(line) for line in run.stdout.splitlines()]


@dataclass(frozen=True)
class Segment:
    """What `build_indexes` is asked for: the batches of one .log file, and how a segment gets them.

    `batches_per_append` repeats: (1,) gives each batch an append call of its own, (3, 2) three, two, three, ...
    `mode`: "close" appends and closes; "open" leaves the indexes as they are while the segment is active, preallocated
    to `segment_index_bytes`; "recover" has LogSegment.recover rebuild them.
    """

    log: Path
    base_offset: int
    index_interval_bytes: int = 4096
    segment_index_bytes: int = 65536
    batches_per_append: tuple[int, ...] = (1,)
    mode: Literal["close", "open", "recover"] = "close"


@dataclass(frozen=True)
class Indexes:
    """The bytes of the .log, .index and .timeindex files that Kafka left."""

    log: bytes
    index: bytes
    timeindex: bytes


def build_indexes(version: str, segments: Sequence[Segment]) -> list[Indexes]:
    """Have that version's LogSegment (3.8 and newer) write each segment; RuntimeError tells its exception."""
    with tempfile.TemporaryDirectory(prefix="kformat-segments-") as work:
        runs = []
        stems = []
        for number, segment in enumerate(segments):
            directory = Path(work) / f"judged-{number}"
            directory.mkdir()
            stems.append(directory / f"{segment.base_offset:020d}")
            arguments = [segment.mode, str(directory), str(segment.base_offset), str(segment.index_interval_bytes),
                         str(segment.segment_index_bytes)]  # fmt: skip
            if segment.mode == "recover":
                shutil.copyfile(segment.log, stems[-1].with_suffix(".log"))
            else:
                arguments += [str(segment.log), ",".join(str(count) for count in segment.batches_per_append)]
            runs.append(arguments)
        for run in run_many(version, "BuildIndexes", runs):
            if run.status != 0:
                raise RuntimeError(f"{run.arguments}: {run.stderr.decode(errors='replace')}")
        return [
            Indexes(*(stem.with_suffix(end).read_bytes() for end in (".log", ".index", ".timeindex"))) for stem in stems
        ]


@dataclass(frozen=True)
class Script:
    """What `play_logs` has Kafka do to one log.

    Attributes:
        directory: of the partition, named `<topic>-<number>`; made where it is not there.
        clock_ms: what the clock says at first; it moves only when an operation sets it.
        settings: topic configs by Kafka's names; the rest is Kafka's defaults.
        operations: words as PlayLog.java lists them; where it wants the position and size of batches, their bytes.
    """

    directory: Path
    clock_ms: int
    settings: Mapping[str, str]
    operations: Sequence[Sequence[str | int | bytes]]


def play_logs(version: str, scripts: Sequence[Script]) -> list[list[str]]:
    """Have that version's UnifiedLog (3.9 and newer) play scripts, each on a log of its own: per operation the answer.

    What the answers look like, PlayLog.java tells. A log that is still open at the end stays as it is on the disk.
    RuntimeError tells of an exception that is none of Kafka's.
    """
    with tempfile.TemporaryDirectory(prefix="kformat-scripts-") as work:
        batches, lines = bytearray(), []
        for script in scripts:
            settings = [f"{name}={value}" for name, value in script.settings.items()]
            lines.append(" ".join(["script", str(script.directory), str(script.clock_ms), *settings]))
            for operation in script.operations:
                words: list[str] = []
                for word in operation:
                    if isinstance(word, bytes):
                        words += [str(len(batches)), str(len(word))]
                        batches += word
                    else:
                        words.append(str(word))
                lines.append(" ".join(words))
        files = Path(work) / "scripts", Path(work) / "batches"
        files[0].write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        files[1].write_bytes(batches)
        done = java(version, "PlayLog", [str(file) for file in files])
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode(errors="replace")[-4000:])
    answers = [line.split("\t") if line else [] for line in done.stdout.decode().splitlines()]
    asked = [len(script.operations) for script in scripts]
    if [len(given) for given in answers] != asked:
        raise RuntimeError(f"Kafka {version} gave {[len(given) for given in answers]} answers, asked for {asked}")
    return answers
