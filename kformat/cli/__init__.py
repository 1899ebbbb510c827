"""The command `kformat`: one function per verb, in the modules of this package; here, what they have in common.

* Standard output is data. Remarks, errors and progress go to standard error, progress only where that is a terminal.
* Exit status: 0 fine, 1 the data is damaged (or `check` has findings, or `find` finds nothing), 2 the call is wrong,
  3 a file cannot be read or written, 4 refused as unsafe (by commands that write), 5 what was asked for lies in remote
  storage, 130 interrupted.
* A reader that closes its end of the pipe (`kformat dump x.log | head`) is no error: the command ends, with status 0.
  Data for a standard output that is closed (`>&-`), or whose disk is full, is lost: one line says so, with status 3.
* A verb's module is imported when the verb is called, so that `kformat --help` costs next to nothing. Other packages
  add verbs through the entry-point group `kformat.commands`; these are not imported before they are called either,
  and one that is broken breaks nothing but itself.
"""

from __future__ import annotations

import atexit
import errno
import gc
import importlib
import importlib.metadata
import io
import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

import click

import kformat
from kformat.errors import (
    BuildError,
    DeclarationError,
    KformatError,
    MissingDependencyError,
    RemoteOffsetError,
    RootLockedError,
    UsageError,
)

DATA, USAGE, IO, UNSAFE, REMOTE, INTERRUPTED = 1, 2, 3, 4, 5, 130
"""Exit statuses."""

ENTRY_POINTS: Final = "kformat.commands"

_VERBS: Final = {
    "build": ("values", "Build bytes from JSON."),
    "check": ("check", "Look for damage in partitions."),
    "corpus": ("corpus", "Write test data with verdicts: sound files, damaged ones, a manifest."),
    "describe": ("formats", "Show the fields of a format: position, size, type, meaning."),
    "diff": ("diff", "Show what differs between two files or directories, by offset and field."),
    "dump": ("dump", "Print what is in logs and indexes, as Kafka's own tool does or as JSON."),
    "export": ("export", "Write records to Parquet, Arrow, CSV or lines of JSON."),
    "find": ("partitions", "Find the record with an offset, or from a point in time on."),
    "formats": ("formats", "List the formats that kformat knows."),
    "grep": ("grep", "Find records by what is in them; the newest of each key."),
    "ls": ("partitions", "List segments: offsets, time span, sizes, codecs."),
    "parse": ("values", "Parse bytes of any declared format to JSON."),
    "reindex": ("reindex", "Make the indexes of segments anew from their logs."),
    "spark": ("spark", "Do it at scale: check, reindex, convert, count, read, write, in tasks of Spark."),
    "stats": ("stats", "Say what partitions hold, in numbers: sizes, rates, gaps, codecs, keys."),
}
"""Verb -> the module of this package that has it, and the line that `--help` shows."""

_JOINED: Final = {"log": "Append to logs, read them, and mend them: folders that a broker opens."}
"""Verbs of other packages of this distribution, which come by their entry points, and the line that `--help` shows."""

_OBJECTS_BETWEEN_COLLECTIONS: Final = 50_000
"""Modules that are imported make many objects and no garbage; looking for it takes a tenth of a short command."""

# What a terminal obeys: controls, also those that are single bytes and no UTF-8 (surrogates, PEP 383), and what turns
# the direction of a text. Tabs and line ends only move on.
_COMMANDS: Final = r"\0-\x08\x0b-\x1f\x7f-\x9f\udc80-\udc9f\u202a-\u202e\u2066-\u2069"
_OBEYED: Final = re.compile(f"[{_COMMANDS}]")
_CONTROL: Final = re.compile(rf"[\t\n\u2028\u2029{_COMMANDS}]")


def exit_status(error: BaseException) -> int:
    """The exit status that stands for an error."""
    if isinstance(error, MissingDependencyError):
        return IO
    if isinstance(error, UsageError | BuildError | DeclarationError):
        return USAGE
    if isinstance(error, RootLockedError):
        return UNSAFE
    if isinstance(error, RemoteOffsetError):
        return REMOTE
    return DATA if isinstance(error, KformatError) else IO


def error_line(error: BaseException) -> str:
    """An error as one line."""
    if isinstance(error, OSError) and not isinstance(error, KformatError) and error.strerror:
        name = error.filename if error.filename is not None else ""
        text = f"{os.fsdecode(name)}: {error.strerror}" if name != "" else error.strerror
    else:
        text = "not enough memory" if isinstance(error, MemoryError) else str(error)
    return "kformat: " + one_line(" ".join(text.splitlines()))


def one_line(text: str) -> str:
    """A text with its control characters escaped: names of files may hold line ends, and what terminals obey."""
    return _CONTROL.sub(_in_ascii, text)


def escaped(text: str) -> str:
    """A text without what a terminal obeys: ``\\x1b`` for the character, and so on. Tabs and line ends stay."""
    return _OBEYED.sub(_in_ascii, text)


def _in_ascii(found: re.Match[str]) -> str:
    """A character as Python writes it; what stands for a byte as that byte."""
    code = ord(found[0])
    return f"\\x{code - 0xDC00:02x}" if code in range(0xDC80, 0xDD00) else repr(found[0])[1:-1]


def _remark(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as one line on standard error, in place of Python's two, which quote source."""
    click.echo("kformat: " + one_line(" ".join(str(message).splitlines())), err=True)


def complain(error: BaseException, worded: Callable[[str], str] = str) -> int:
    """Print an error on standard error, perhaps in other words, and return its exit status, for a verb that goes on."""
    sys.stdout.flush()
    click.echo(worded(error_line(error)), err=True)
    return exit_status(error)


class _Verbs(click.Group):
    """The verbs of this package and those of others, imported when called."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        if args is None:  # the process is this command, and ends with it: no garbage need be looked for among what
            atexit.register(gc.freeze)  # it imported, which takes 0.2 seconds with numba
            _take_streams()
            warnings.showwarning = _remark
        return super().main(args, *rest, **extra)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*_VERBS, *_others()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _VERBS:
            found = getattr(importlib.import_module(f"kformat.cli.{_VERBS[cmd_name][0]}"), f"{cmd_name}_command")
        elif cmd_name in (others := _others()):
            try:
                found = others[cmd_name].load()
            except MemoryError:
                raise
            except Exception as error:  # somebody else's code: whatever it raises is told in one line
                raise UsageError(
                    f"the command {cmd_name!r} of {_origin(others[cmd_name])} does not load: {error}"
                ) from error
        else:
            return None
        if not isinstance(found, click.Command):
            raise UsageError(f"{cmd_name!r} of {_origin(others[cmd_name])} is no click command")
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        others = _others()
        ours = {verb: text for verb, (_, text) in _VERBS.items()} | {
            verb: text
            for verb, text in _JOINED.items()
            if verb in others and _origin(others[verb]) == __package__.split(".")[0]
        }
        with formatter.section("Commands"):
            formatter.write_dl(sorted(ours.items()))
        foreign = [(name, f"from {_origin(entry)}") for name, entry in sorted(others.items()) if name not in ours]
        if foreign:
            with formatter.section("Commands of other packages"):
                formatter.write_dl(foreign)

    def invoke(self, ctx: click.Context) -> Any:
        before = gc.get_threshold()
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, *before[1:])
        try:
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:
                status = INTERRUPTED
            except BrokenPipeError:
                raise
            except (KformatError, OSError, MemoryError) as error:
                status = complain(error)
            finally:
                gc.set_threshold(*before)
                sys.stdout.flush()  # here, where a closed pipe can still be told from an error
        except BrokenPipeError:
            _mute()
            status = 0
        except (_OutputError, OSError) as error:
            _mute()
            status = complain(error)
        ctx.exit(status)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        try:
            return super().make_context(*args, **extra)
        except BrokenPipeError:  # while it printed --help or --version
            _mute()
            raise click.exceptions.Exit(0) from None
        except (_OutputError, OSError) as error:
            _mute()
            raise click.exceptions.Exit(complain(error)) from None


def _others() -> dict[str, importlib.metadata.EntryPoint]:
    found = importlib.metadata.entry_points(group=ENTRY_POINTS)
    return {entry.name: entry for entry in found if entry.name not in _VERBS}


def _origin(entry: importlib.metadata.EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.value


class _OutputError(Exception):
    """Standard output does not take what is printed. No OSError: verbs take those for errors of a file that they read,
    and go on to the next one."""


class _StandardOutput(io.FileIO):
    """Standard output of this process, whose errors are told from those of other files."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            reason = "it is closed" if error.errno == errno.EBADF else error.strerror
            raise _OutputError(f"standard output: {reason}") from error


def _take_streams() -> None:
    """Put streams in the place of standard output, and of those that the shell closed (``>&-``), lowest descriptor
    first: there is nothing to read, and messages go nowhere.

    The descriptor of a standard output that was closed is then one that can only be read: that refuses all data, also a
    child's, and keeps its number from a file that is opened later.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")
    own = sys.stdout
    if own is None:
        closed = _StandardOutput(os.open(os.devnull, os.O_RDONLY), "w")
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(closed), encoding="utf-8")
    elif isinstance(own, io.TextIOWrapper) and isinstance(getattr(own.buffer, "raw", own.buffer), io.FileIO):
        own.flush()
        raw = _StandardOutput(own.fileno(), "w", closefd=False)
        is_unbuffered = isinstance(own.buffer, io.FileIO)  # PYTHONUNBUFFERED
        sys.stdout = io.TextIOWrapper(
            raw if is_unbuffered else io.BufferedWriter(raw),
            encoding=own.encoding,
            errors=own.errors,
            line_buffering=own.line_buffering,
            write_through=is_unbuffered,
        )
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")


def _mute() -> None:
    """Let what is still in standard output's buffer go nowhere; else the interpreter complains at its end."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # no file behind it, as in a test
        pass


def _version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"kformat {kformat.__version__}")
        ctx.exit()


@click.command(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Print the version."
)
def main() -> None:
    """Kafka's files on disk: what is in them, whether they are sound, where a record lies.

    \b
      kformat ls /data/kafka-logs
      kformat dump orders-0/00000000000001778276.log --print-data-log
      kformat find orders-0 --timestamp 2018-05-15T11:58:38Z --explain
      kformat check /data/kafka-logs

    Exit status: 0 fine, 1 damaged data or nothing found, 2 wrong call, 3 unreadable file, 4 refused as unsafe,
    5 in remote storage.
    """


__all__ = [
    "DATA",
    "INTERRUPTED",
    "IO",
    "REMOTE",
    "UNSAFE",
    "USAGE",
    "complain",
    "error_line",
    "escaped",
    "exit_status",
    "main",
    "one_line",
]
