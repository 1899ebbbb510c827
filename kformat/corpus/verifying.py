"""Compare a reader's verdicts on the files of a corpus with the corpus's manifest.

The reader is a command, run once for each file: exit status 0 means that it accepts the file, any other that it refuses
it. Or it is kformat itself. A reader that is ended by a signal, or takes too long, never agrees with the manifest: it
should refuse damaged bytes.

The expected verdicts:

    sound, odd              accepted; either, if it has a finding: Kafka reads it, and no broker writes it
    damaged, with findings  refused
    damaged, without        either: nothing in the file itself reveals the damage
    next to a damaged one   not run

A finding is an error that `kformat check`, or `kformat parse`, reports.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kformat.check.checker import check
from kformat.codec.constructs import parse
from kformat.corpus.manifest import FORMAT, NAME
from kformat.errors import DataError, InvalidError, UsageError
from kformat.kafka.findings.rules import RULES

ACCEPTED: Final = "accepted"
REFUSED: Final = "refused"
EITHER: Final = "either"
CRASHED: Final = "crashed"
TIMED_OUT: Final = "timed out"
VERDICTS: Final = (ACCEPTED, REFUSED, CRASHED, TIMED_OUT)
FILE: Final = "{}"
"""The placeholder for the file's path in a command."""
_MOST_MANIFEST_BYTES: Final = 256 << 20


@dataclass(frozen=True)
class Outcome:
    """The outcome for one file.

    Attributes:
        path: below the corpus, with slashes. group: its first folder: ``sound``, ``damaged``, ...
        what: the damage; "" if there is none.
        expected: ``accepted``, ``refused``, or ``either``. found: of `VERDICTS`.
        detail: more about what was found, or about what is different; "" if there is nothing.
        is_same: whether that is as the manifest says.
    """

    path: str
    what: str
    expected: str
    found: str
    detail: str = ""
    differs: bool = False

    @property
    def group(self) -> str:
        return self.path.partition("/")[0]

    @property
    def is_same(self) -> bool:
        return not self.differs and self.found in (ACCEPTED, REFUSED) and self.expected in (EITHER, self.found)


Reader = Callable[[Path, dict[str, Any]], tuple[str, str, bool]]
"""A file and its entry in the manifest -> verdict, detail, and whether the findings differ from the manifest's."""


def verify(
    folder: str | os.PathLike[str],
    command: Sequence[str] = (),
    *,
    format: Any = None,
    only: Iterable[str] = (),
    timeout_s: float = 10.0,
    jobs: int = 1,
) -> Iterator[Outcome]:
    """Run a reader on each file of a corpus; the outcomes come in the order of the manifest.

    Args:
        folder: of the corpus, with its ``manifest.json``.
        command: the reader, a program with its arguments, of which ``{}`` becomes the file's path; without one the path
            comes last. It runs in no shell, gets no standard input, and what it prints is passed over. Without a
            command kformat reads: the class, position and path of its error are then compared, too.
        format: the declaration, for kformat as a reader of a declared format's corpus.
        only: words; files that have all of them in their path or damage.
        timeout_s: the most seconds for a file; then the command and what it started are killed.
        jobs: how many commands run at the same time.

    Raises:
        UsageError: no corpus is there, or a file is not that of the manifest; there is no such command; no ``format``
            where kformat needs one.
        OSError: a file cannot be read.
    """
    if timeout_s <= 0 or jobs < 1:
        raise UsageError(f"a command needs more than 0 seconds, and there is at least 1 at a time: {timeout_s}, {jobs}")
    root = Path(folder)
    manifest, words = _manifest(root), list(only)
    entries = [entry for entry in manifest["files"] if _is_judged(entry) and _has(entry, words)]
    if not entries:
        raise UsageError(f"{root}: no file of the corpus has {' and '.join(words) or 'a verdict'}")
    if command:
        return _outcomes(root, entries, _Command(tuple(command), timeout_s), jobs)
    if "declaration" not in manifest:
        if format is not None:
            raise UsageError(f"{root} is a corpus of Kafka's files, without a declaration")
        return _outcomes(root, entries, _Check(root, entries), 1)
    if format is None:
        raise UsageError(f"{root} is a corpus of {manifest['declaration']}: name its declaration, or a command")
    return _outcomes(root, entries, _Parse(format), 1)


def _manifest(root: Path) -> dict[str, Any]:
    try:
        if (root / NAME).stat().st_size > _MOST_MANIFEST_BYTES:
            raise UsageError(f"{root / NAME}: more than {_MOST_MANIFEST_BYTES} bytes")
        manifest = json.loads((root / NAME).read_bytes())
    except FileNotFoundError:
        raise UsageError(f"{root}: no corpus: there is no {NAME}; `kformat corpus write` makes one") from None
    except (ValueError, RecursionError) as error:
        raise InvalidError(f"not JSON: {error}", source=str(root / NAME)) from None
    files = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(files, list) or manifest.get("format") != FORMAT:
        raise UsageError(f"{root / NAME}: not the manifest of a corpus ({FORMAT!r})")
    for entry in files:
        path = entry.get("path") if isinstance(entry, dict) else None
        if not isinstance(path, str) or path.startswith("/") or ".." in path.split("/"):
            raise InvalidError("a path that leads out of the corpus, or none", source=str(root / NAME), found=path)
    return manifest


def _is_judged(entry: dict[str, Any]) -> bool:
    """Whether a file has its own verdict: files next to damaged ones have none."""
    return entry["damage"] is not None or not entry["path"].startswith("damaged/")


def _has(entry: dict[str, Any], words: list[str]) -> bool:
    text = f"{entry['path']}\n{_words(entry)}"
    return all(word in text for word in words)


def _words(entry: dict[str, Any]) -> str:
    damage = entry["damage"]
    return "" if damage is None else f"{damage['name']}: {damage['what']}"


def _expected(entry: dict[str, Any]) -> str:
    is_found = any(
        finding["rule"] not in RULES or RULES[finding["rule"]].severity == "error" for finding in entry["findings"]
    )
    if entry["damage"] is None:
        return EITHER if is_found else ACCEPTED
    return REFUSED if is_found else EITHER


def _outcomes(root: Path, entries: list[dict[str, Any]], read: Reader, jobs: int) -> Iterator[Outcome]:
    def judged(entry: dict[str, Any]) -> Outcome:
        path = root / entry["path"]
        if hashlib.sha256(path.read_bytes()).hexdigest() != entry["sha256"]:
            raise UsageError(f"{path}: not the file of the manifest: its SHA-256 is another")
        verdict, detail, differs = read(path, entry)
        return Outcome(entry["path"], _words(entry), _expected(entry), verdict, detail, differs)

    with ThreadPoolExecutor(jobs) as pool:
        pending, waiting = deque[Future[Outcome]](), iter(entries)
        try:
            while True:
                for entry in waiting:
                    pending.append(pool.submit(judged, entry))
                    if len(pending) > jobs:
                        break
                if not pending:
                    return
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


@dataclass(frozen=True)
class _Command:
    """An external program as the reader."""

    command: tuple[str, ...]
    timeout_s: float

    def __call__(self, path: Path, entry: dict[str, Any]) -> tuple[str, str, bool]:
        words = [word.replace(FILE, str(path)) for word in self.command]
        if words == list(self.command):
            words.append(str(path))
        null = subprocess.DEVNULL
        try:
            process = subprocess.Popen(words, stdin=null, stdout=null, stderr=null, start_new_session=True)
        except (FileNotFoundError, PermissionError, NotADirectoryError) as error:
            raise UsageError(f"{words[0]}: this command cannot be run: {error.strerror}") from None
        try:
            status = process.wait(self.timeout_s)
        except subprocess.TimeoutExpired:
            return TIMED_OUT, f"after {self.timeout_s:g} s", False
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # with what it started
                process.wait()
        if status < 0:
            return CRASHED, f"by {signal.Signals(-status).name}" if -status in _SIGNALS else f"signal {-status}", False
        return (ACCEPTED if status == 0 else REFUSED), f"exit status {status}", False


_SIGNALS: Final = frozenset(signal.Signals)


@dataclass(frozen=True)
class _Parse:
    """kformat as the reader of a declared format."""

    format: Any

    def __call__(self, path: Path, entry: dict[str, Any]) -> tuple[str, str, bool]:
        error: DataError | None = None
        try:
            parse(self.format, path.read_bytes(), source=entry["path"], trailing=entry["trailing"])._fetch_instances()
        except DataError as problem:
            error = problem
        if error is None:
            return ACCEPTED, "", False
        wanted = [(finding["rule"], finding["position"], finding["path"]) for finding in entry["findings"]]
        actual = (type(error).__name__, error.position, error.path)
        return REFUSED, str(error), bool(wanted) and actual not in wanted


class _Check:
    """kformat as the reader of Kafka's files: `kformat.check` of each folder."""

    def __init__(self, root: Path, entries: list[dict[str, Any]]) -> None:
        self.root = root
        self.folder: Path | None = None
        self.found: dict[Path, list[Any]] = {}

    def __call__(self, path: Path, entry: dict[str, Any]) -> tuple[str, str, bool]:
        if path.parent != self.folder:
            self.folder, self.found = path.parent, {}
            for finding in check(path.parent):
                if finding.severity != "info":
                    self.found.setdefault(Path(finding.file), []).append(finding)
        own = self.found.get(path, [])
        actual = [{"rule": finding.rule, "position": finding.position, "path": finding.path} for finding in own]
        errors = [finding for finding in own if finding.severity == "error"]
        is_refused, detail = bool(errors), str(errors[0]) if errors else ""
        return (REFUSED if is_refused else ACCEPTED), detail, actual != entry["findings"]


__all__ = ["FILE", "VERDICTS", "Outcome", "verify"]
