"""The command `kformat`: one function per verb, in the modules of this package; this module has the shared parts.

* Standard output is data. Remarks, errors and progress go to standard error, progress only if that is a terminal.
* Every error is one line: `kformat: ` and what is wrong. `-q` hides remarks and progress, `-v` adds tracebacks.
* Exit status: 0 success, 1 the data is damaged (or `check` has findings, or `find` finds nothing), 2 wrong usage (or a
  path contains nothing of Kafka's), 3 a file cannot be read or written, 4 refused as unsafe (by commands that write),
  5 the requested records are in remote storage, 130 interrupted.
* A reader that closes its end of the pipe (`kformat dump x.log | head`) is no error: the command ends, with status 0.
  If standard output is closed (`>&-`), or its disk is full, data is lost: one line says so, with status 3.
* A verb's module is imported when the verb is called, so `kformat --help` is cheap. Other packages add verbs through
  the entry-point group `kformat.commands`; these are imported on call, too, and a broken one breaks nothing else.
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
import shlex
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

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
    "cluster": ("state", "List brokers, features, configurations, ACLs, quotas of a cluster; now or at a moment."),
    "corpus": ("corpus", "Write test data with verdicts: sound files, damaged ones, a manifest."),
    "describe": ("formats", "Show the fields of a format: position, size, type, meaning."),
    "diff": ("diff", "Show what differs between two files or directories, by offset and field."),
    "dump": ("dump", "Print what is in logs and indexes, as Kafka's own tool does or as JSON."),
    "explain": ("explain", "Say what a rule of check means, and which verb mends it."),
    "export": ("export", "Write records to Parquet, Arrow, CSV or lines of JSON."),
    "find": ("partitions", "Find the record with an offset, or from a point in time on."),
    "formats": ("formats", "List the formats that kformat knows."),
    "grep": ("grep", "Find records by what is in them; the newest of each key."),
    "groups": ("state", "List groups: committed offsets, lag, members; now or at a moment."),
    "help": ("helping", "Show what a verb takes, as VERB --help does."),
    "ls": ("partitions", "List segments: offsets, time span, sizes, codecs."),
    "merge": ("salvage", "Combine damaged copies into one sound log."),
    "parse": ("values", "Parse bytes of any declared format to JSON."),
    "reindex": ("reindex", "Rebuild the indexes of segments from their logs."),
    "salvage": ("salvage", "Save what can be proved of damaged partitions into new folders."),
    "spark": ("spark", "Do it at scale: check, reindex, convert, count, read, write, in tasks of Spark."),
    "stats": ("stats", "Say what partitions hold, in numbers: sizes, rates, gaps, codecs, keys."),
    "topics": ("state", "List topics: partitions, replicas, configs, next to the folders on a disk."),
    "transactions": ("state", "List transactions: ids, partitions, those that are open or hang; now or at a moment."),
    "warm": ("formats", "Compile kernels now, for images and clusters."),
}
"""Verb -> the module of this package that has it, and the line that `--help` shows."""

_JOINED: Final = {"log": "Append to logs, read them, and mend them: folders that a broker opens."}
"""Verbs of other packages of this distribution, which come by their entry points, and the line that `--help` shows."""

_READERS: Final = frozenset({"check", "dump", "export", "find", "grep", "ls", "stats"})
"""The verbs that never read an archive file itself: if one of them gets its name, an address was meant."""

_ARCHIVE: Final = re.compile(r"(?i)\.(tar|zip|tar\.(gz|bz2|xz|zst)|tgz|tbz2?|txz)$")

_NO_COMMAND: Final = re.compile(r"No such command '(?P<word>.*?)'")
"""The start of click's message for a verb that a group does not have."""

_OBJECTS_BETWEEN_COLLECTIONS: Final = 50_000
"""Imports create many objects and no garbage; collections would take a tenth of a short command."""

# Characters that a terminal obeys: controls, also those that are single bytes and no UTF-8 (surrogates, PEP 383), and
# marks of the direction of text. Tabs and line ends only move the cursor.
_COMMANDS: Final = r"\0-\x08\x0b-\x1f\x7f-\x9f\udc80-\udc9f\u202a-\u202e\u2066-\u2069"
_OBEYED: Final = re.compile(f"[{_COMMANDS}]")
_CONTROL: Final = re.compile(rf"[\t\n\u2028\u2029\ud800-\udc7f\udd00-\udfff{_COMMANDS}]")


class _Said:
    """What this call prints on standard error besides errors."""

    is_quiet = is_verbose = has_progress = is_inside_a_line = is_waiting_for_kernels = finishes = False
    has_colour: bool | None = None
    lost: _OutputError | None = None


_said = _Said()


def finish_unread() -> None:
    """Let a verb that changes files finish its work, even if nobody reads its output (``| head``) or standard output
    takes no more. Its exit status is that of its work, or says that output was lost."""
    _said.finishes = True


def is_quiet() -> bool:
    """Whether remarks and progress are left out: `kformat -q`."""
    return _said.is_quiet


def is_verbose() -> bool:
    """Whether more is printed on standard error: `kformat -v`."""
    return _said.is_verbose


def _rare() -> Any:
    """Import `kformat.cli.rare`, which `--help` does not need."""
    return importlib.import_module("kformat.cli.rare")


def _say_when_compiling() -> None:
    if sys.stderr.isatty() and not _said.is_quiet:
        _rare().say_when_compiling(remark)
        _said.is_waiting_for_kernels = True


def wanted_colour() -> bool | None:
    """The choice of `kformat --color`; None if the terminal decides."""
    return _said.has_colour


def exit_status(error: BaseException) -> int:
    """The exit status for an error."""
    if isinstance(error, click.UsageError):
        return USAGE
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
    """An error as one line; each error in a declaration as its own line."""
    if isinstance(error, DeclarationError) and error.others:
        return "\n".join(map(error_line, (error.alone(), *error.others)))
    if isinstance(error, OSError) and not isinstance(error, KformatError) and error.strerror:
        name = error.filename if error.filename is not None else ""
        text = f"{os.fsdecode(name)}: {error.strerror}" if name != "" else error.strerror
    else:
        text = "not enough memory" if isinstance(error, MemoryError) else str(error)
        if isinstance(error, click.ClickException):
            text = error.format_message()
            text = text[:1].lower() + text[1:].removesuffix(".")
    return "kformat: " + one_line(" ".join(text.splitlines()))


def one_line(text: str) -> str:
    """Escape the control characters of a text: file names may contain line ends and characters that terminals obey."""
    return text if text.isprintable() else _CONTROL.sub(_in_ascii, text)  # printable text has no such characters


def escaped(text: str) -> str:
    """Escape the characters that a terminal obeys (``\\x1b`` for the character, and so on). Tabs and line ends stay."""
    return _OBEYED.sub(_in_ascii, text)


def _in_ascii(match: re.Match[str]) -> str:
    """A character as Python's escape; a surrogate that stands for a byte as that byte."""
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if code in range(0xDC80, 0xDD00) else repr(match[0])[1:-1]


def say(line: str) -> None:
    """Print a line on standard error, after flushing standard output and clearing progress."""
    sys.stdout.flush()
    clear_progress()
    click.echo(line, err=True, color=True)


def remark(text: str) -> None:
    """Print a remark, which is no error, as a line on standard error; nothing with ``-q``."""
    if not _said.is_quiet:
        say("kformat: " + one_line(" ".join(text.splitlines())))


def show_progress(text: str) -> None:
    """Replace the progress on the last line of a terminal; see `kformat.cli.progress`. Do nothing if standard output
    occupies that line."""
    if sys.stdout.isatty():
        sys.stdout.flush()
        if _said.is_inside_a_line:
            return
    _said.has_progress = True
    click.echo(f"\r\x1b[K{text}", err=True, nl=False, color=True)


def clear_progress() -> None:
    """Clear the line of progress."""
    if _said.has_progress:
        _said.has_progress = False
        click.echo("\r\x1b[K", err=True, nl=False, color=True)


class _Screen:
    """Standard output on a terminal that may also show progress: progress is cleared before each write, and is not
    drawn in the middle of a line."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def write(self, data: bytes | memoryview) -> None:
        if len(data):
            clear_progress()
            self.stream.write(data)
            _said.is_inside_a_line = bytes(data[-1:]) != b"\n"

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def standard_output() -> Any:
    """Standard output for bytes."""
    return _Screen(sys.stdout.buffer) if sys.stdout.isatty() else sys.stdout.buffer


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as one line on standard error, instead of Python's two, which quote source."""
    remark(str(message))


def complain(error: BaseException, worded: Callable[[str], str] = str) -> int:
    """Print an error, changed by ``worded``, on standard error and return its exit status; the verb continues."""
    say(worded(error_line(error)))
    if isinstance(error, UsageError) and error.hint:
        say(f"kformat: {error.hint}")
    if _said.is_verbose:
        click.echo(escaped(_rare().traceback_of(error)), err=True, nl=False)
    return exit_status(error)


def _complain_of_call(error: click.UsageError) -> int:
    """Report a usage error and name the verb's help; for a verb that a group does not have, suggest others."""
    unknown = _NO_COMMAND.match(error.message)
    if unknown is not None and error.ctx is not None and isinstance(error.ctx.command, click.Group):
        group, word = " ".join(error.ctx.command_path.split()[1:]), unknown["word"]
        known, others = error.ctx.command.list_commands(error.ctx), {"": tuple(_VERBS)}
        meant = _rare().meant_verb(word, known, others, f"`kformat {group} --help` lists them")
        return complain(UsageError(f"no verb {f'{group} {word}'!r}; {meant}"))
    status = complain(error)
    if error.ctx is not None:
        names, context = list[str](), error.ctx
        while context.parent is not None:
            names.append(context.info_name or "")
            context = context.parent
        verb = " ".join(["kformat", *reversed(names)])
        say(f"kformat: `{verb} --help` says what it takes")
    return status


def _interrupted() -> int:
    say("kformat: interrupted")
    return INTERRUPTED


def meant_address(path: str) -> str | None:
    """Suggest what to write for the name of an archive, or for a path into one; None for all other paths."""
    parts = path.split("/")
    for end in range(len(parts), 0, -1):
        file, inner = "/".join(parts[:end]), "/".join(parts[end:])
        if not _ARCHIVE.search(file):
            continue
        if not os.path.isfile(file):
            return None
        unpacked = re.sub(r"(?i)(\.tar)?\.(gz|bz2|xz|zst|tgz|tbz2?|txz)$", ".tar", file)
        address = f"{'zip' if file.lower().endswith('.zip') else 'tar'}://{inner}::{unpacked}"
        if unpacked == file:
            return f"to read the archive, write {shlex.quote(address)}"
        return f"a compressed archive has to be unpacked first; then write {shlex.quote(address)}"
    return None


class _Verbs(click.Group):
    """The verbs of this package and those of others, imported when called."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        if args is None:  # the process ends with this command: do not collect garbage among the
            atexit.register(gc.freeze)  # imported objects, which takes 0.2 seconds with numba
            _take_streams()
            warnings.showwarning = _warn
        return super().main(args, *rest, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[__name__] = tuple(args)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and args[0] not in (known := self.list_commands(ctx)) and args[0][:1] != "-":
            inside = {name: _verbs_of(self, ctx, name) for name in _JOINED if name in known}
            meant = _rare().meant_verb(args[0], known, inside, "`kformat help` lists them")
            raise UsageError(f"no verb {args[0]!r}; {meant}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Verbs, without importing them."""
        lines = {verb: text for verb, (_, text) in _VERBS.items()} | _JOINED
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        return [*_rare().completions(names, lines), *click.Command.shell_complete(self, ctx, incomplete)]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*_VERBS, *_others()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _VERBS:
            command = getattr(importlib.import_module(f"kformat.cli.{_VERBS[cmd_name][0]}"), f"{cmd_name}_command")
        elif cmd_name in (others := _others()):
            try:
                command = others[cmd_name].load()
            except MemoryError:
                raise
            except Exception as error:  # code of another package: any error is reported in one line
                raise UsageError(
                    f"the command {cmd_name!r} of {_origin(others[cmd_name])} does not load: {error}"
                ) from error
        else:
            return None
        if not isinstance(command, click.Command):
            raise UsageError(f"{cmd_name!r} of {_origin(others[cmd_name])} is not a click command")
        if ctx.resilient_parsing:
            _complete_names_of_files(command)
        return command

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
        before, started, status = gc.get_threshold(), time.monotonic(), 0
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, *before[1:])
        try:
            try:
                return super().invoke(ctx)
            except click.exceptions.Exit as ended:
                status = ended.exit_code
            except click.exceptions.NoArgsIsHelpError:
                raise
            except click.UsageError as error:
                status = _complain_of_call(error)
            except (KeyboardInterrupt, click.Abort):
                status = _interrupted()
            except BrokenPipeError:
                raise
            except (KformatError, OSError, MemoryError) as error:
                status = complain(error)
            finally:
                gc.set_threshold(*before)
                clear_progress()
                sys.stdout.flush()  # here, where a closed pipe can still be distinguished from an error
                if _said.lost is not None:
                    raise _said.lost
            _hint(ctx)
        except BrokenPipeError:
            _mute()
            status = INTERRUPTED if status == INTERRUPTED else 0
        except (_OutputError, OSError) as error:
            _mute()
            _said.finishes = True  # what says so may be lost, too
            status = max(status, complain(error))
        finally:
            if _said.is_verbose:
                say(f"kformat: {time.monotonic() - started:.2f} s")
            _said.is_quiet = _said.is_verbose = _said.is_inside_a_line = _said.finishes = False
            _said.has_colour = _said.lost = None
            if _said.is_waiting_for_kernels:
                _said.is_waiting_for_kernels = False
                _rare().say_no_more()
        ctx.exit(status)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        try:
            return super().make_context(*args, **extra)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            raise click.exceptions.Exit(_complain_of_call(error)) from None
        except KeyboardInterrupt:
            raise click.exceptions.Exit(_interrupted()) from None
        except BrokenPipeError:  # while it printed --help or --version
            _mute()
            raise click.exceptions.Exit(0) from None
        except (_OutputError, OSError) as error:
            _mute()
            _said.finishes = True
            raise click.exceptions.Exit(complain(error)) from None


def _hint(ctx: click.Context) -> None:
    """Print the address of an archive that was named as a file; not if --as says that the file itself is meant."""
    if ctx.invoked_subcommand in _READERS:
        words = ctx.meta[__name__]
        is_meant = any(word == "--as" or word.startswith("--as=") for word in words)
        for word in words:
            hint = None if is_meant and os.path.isfile(word) else meant_address(word)
            if hint is not None:
                remark(hint)


def _verbs_of(verbs: click.Group, ctx: click.Context, name: str) -> tuple[str, ...]:
    """The verbs of a group; none if it does not load."""
    try:
        group = verbs.get_command(ctx, name)
    except UsageError:
        return ()
    return tuple(group.list_commands(ctx)) if isinstance(group, click.Group) else ()


def _complete_names_of_files(command: click.Command) -> None:
    """Let a shell complete arguments, and options for files, as names of files: click does not by itself."""
    for parameter in command.params:
        named = isinstance(parameter, click.Argument) or str(parameter.metavar) in ("FILE", "DIR", "OUT", "FILE|DIR/")
        if named and parameter.type is click.STRING:
            parameter.type = click.Path()
    if isinstance(command, click.Group):
        for below in command.commands.values():
            _complete_names_of_files(below)


def _others() -> dict[str, importlib.metadata.EntryPoint]:
    entries = importlib.metadata.entry_points(group=ENTRY_POINTS)
    return {entry.name: entry for entry in entries if entry.name not in _VERBS}


def _origin(entry: importlib.metadata.EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.value


class _OutputError(Exception):
    """Standard output, or standard error, cannot be written. Not an OSError: verbs take those for errors of a file that
    they read, and continue with the next file."""


class _StandardStream(io.FileIO):
    """Standard output or standard error of this process; its errors are distinguished from those of other files.
    After `finish_unread`, output that nobody reads or that the stream does not take is dropped."""

    called = ""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            if not _said.finishes:
                raise
        except OSError as error:
            reason = "it is closed" if error.errno == errno.EBADF else error.strerror
            lost = _OutputError(f"{self.called}: {reason}")
            if not _said.finishes:
                raise lost from error
            _said.lost = _said.lost or lost
        return memoryview(data).nbytes


class _StandardOutput(_StandardStream):
    called = "standard output"


class _StandardError(_StandardStream):
    called = "standard error"


def _take_streams() -> None:
    """Replace standard output, and the streams that the shell closed (``>&-``), lowest descriptor first: a closed input
    is empty, closed messages are dropped.

    A closed standard output gets a read-only descriptor: it refuses all data, also a child's, and its number is not
    given to a file that is opened later.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")
    own = sys.stdout
    if own is None:
        closed = _StandardOutput(os.open(os.devnull, os.O_RDONLY), "w")
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(closed), encoding="utf-8")
    else:
        sys.stdout = _replaced(own, _StandardOutput)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
    else:
        sys.stderr = _replaced(sys.stderr, _StandardError)


def _replaced(own: Any, raw_class: type[io.FileIO]) -> Any:
    """A stream for the same descriptor that writes through ``raw_class``; a stream without a descriptor unchanged."""
    if not (isinstance(own, io.TextIOWrapper) and isinstance(getattr(own.buffer, "raw", own.buffer), io.FileIO)):
        return own
    own.flush()
    raw = raw_class(own.fileno(), "w", closefd=False)
    is_unbuffered = isinstance(own.buffer, io.FileIO)  # PYTHONUNBUFFERED
    return io.TextIOWrapper(
        cast(Any, raw if is_unbuffered else io.BufferedWriter(raw)),
        encoding=own.encoding,
        errors=own.errors,
        line_buffering=own.line_buffering,
        write_through=is_unbuffered,
    )


def _mute() -> None:
    """Discard what is still in standard output's buffer; otherwise the interpreter reports it at exit."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # it has no file, as in a test
        pass


def _version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"kformat {kformat.__version__}")
        ctx.exit()


@click.command(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-q", "--quiet", is_flag=True, help="Print errors alone on standard error: no remarks, no progress.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Print tracebacks of errors, what Spark says, and the time it took."
)
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Colour what is printed; auto: on a terminal, unless NO_COLOR is set.",
)
@click.option(
    "-V", "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Print the version."
)
def main(quiet: bool, verbose: bool, color: str) -> None:
    """Kafka's files on disk: what is in them, whether they are sound, where a record lies.

    \b
      kformat ls /data/kafka-logs
      kformat dump orders-0/00000000000001778276.log --print-data-log
      kformat find orders-0 --timestamp 2018-05-15T11:58:38Z --explain
      kformat check /data/kafka-logs

    Exit status: 0 fine, 1 damaged data or nothing found, 2 wrong call, 3 unreadable file, 4 refused as unsafe,
    5 in remote storage.
    """
    if quiet and verbose:
        raise UsageError("-q and -v do not go together")
    _said.is_quiet, _said.is_verbose = quiet, verbose
    _say_when_compiling()
    _said.has_colour = {"auto": None, "always": True, "never": False}[color]


__all__ = [
    "DATA",
    "INTERRUPTED",
    "IO",
    "REMOTE",
    "UNSAFE",
    "USAGE",
    "clear_progress",
    "complain",
    "error_line",
    "escaped",
    "exit_status",
    "finish_unread",
    "is_quiet",
    "is_verbose",
    "main",
    "one_line",
    "remark",
    "say",
    "show_progress",
    "standard_output",
    "wanted_colour",
]
