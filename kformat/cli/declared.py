"""Options of the verbs that take a declaration: its name, its rows, the folders of its imports, plugins, and how to
treat bytes that are left over; and the files that they read.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import glob
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import click

from kformat.cli.reading import CHOSEN, keep_standard_input
from kformat.codec.extensions import PLUGINS, load_plugin
from kformat.errors import UsageError
from kformat.kafka.columns.messages import KAFKA
from kformat.language.program import load_program
from kformat.storage.address import base_name, is_address, is_dir, plain_files_below

SEARCH_PATH: Final = "KSPATH"
"""The variable with the folders of imports, which `language.declaration` reads."""

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


def language_options(function: _Decorated) -> _Decorated:
    """The options `-I` and `--plugin`. The folders of `-I` precede those of ``KSPATH``, and plugins those of
    ``KFORMAT_PLUGINS``, while the verb runs, and in processes that it starts.
    """
    function = click.option(
        "--plugin",
        "plugins",
        multiple=True,
        type=click.Path(exists=True, dir_okay=False),
        metavar="FILE.py",
        expose_value=False,
        callback=_load,
        help="Run FILE.py, which registers checksums, processes or types that a declaration names; may be repeated.",
    )(function)
    return click.option(
        "-I",
        "--import-path",
        "import_paths",
        multiple=True,
        type=click.Path(exists=True, file_okay=False),
        metavar="FOLDER",
        expose_value=False,
        callback=_search,
        help="Look for a declaration's imports in FOLDER, before the folders of KSPATH; may be repeated.",
    )(function)


def _search(ctx: click.Context, parameter: click.Parameter, folders: tuple[str, ...]) -> None:
    if not folders or ctx.resilient_parsing:
        return
    _precede(ctx, SEARCH_PATH, folders)


def _load(ctx: click.Context, parameter: click.Parameter, files: tuple[str, ...]) -> None:
    if not files or ctx.resilient_parsing:
        return
    for file in files:
        load_plugin(os.path.abspath(file))
    _precede(ctx, PLUGINS, files)


def _precede(ctx: click.Context, variable: str, paths: tuple[str, ...]) -> None:
    """Put paths before those of a variable, until the verb is done."""
    for path in paths:
        if os.pathsep in path:
            raise UsageError(f"{path}: {os.pathsep!r} is between paths, and cannot be in one")
    before = os.environ.get(variable)
    ctx.call_on_close(lambda: _set(variable, before))
    _set(variable, os.pathsep.join([*map(os.path.abspath, paths), *([before] if before else [])]))


def _set(variable: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = value


def trailing_option(words: str) -> Callable[[_Decorated], _Decorated]:
    """The option `--trailing`; the parameter is ``trailing``. ``words`` say what ``keep`` does."""
    return click.option(
        "--trailing",
        type=click.Choice(["error", "keep"]),
        default="error",
        show_default=True,
        help=f"Bytes that nothing declares, after a value or in a part of known size: error, or keep: {words}",
    )


def layout_options(function: _Decorated) -> _Decorated:
    """The options `--value-as` and `--key-as`; the parameters are ``value_as`` and ``key_as``, tuples of texts."""
    for option, what in (("--key-as", "keys"), ("--value-as", "values")):
        function = click.option(
            option,
            multiple=True,
            metavar="[TOPIC=]FORMAT",
            help=f"Parse {what} as this format, or .ksy file (trade.ksy::quote: a type in it), or as json; may be "
            "repeated for other topics.",
        )(function)
    return function


def decode_flag(words: str) -> Callable[[_Decorated], _Decorated]:
    """The option `--decode` of a command without `layout_options`; the parameter is ``decode``."""
    return click.option("--decode", is_flag=True, help=words)


def decode_option(function: _Decorated) -> _Decorated:
    """The option `--decode`, of a command with `layout_options`: both layouts are Kafka's messages then."""

    @functools.wraps(function)
    def command(*arguments: Any, decode: bool, **options: Any) -> Any:
        if decode:
            for name in ("value_as", "key_as"):
                if options[name]:
                    raise UsageError(f"--decode does not go with --{name.replace('_', '-')}")
                options[name] = (KAFKA,)
        return function(*arguments, **options)

    words = "Read the records of Kafka's own topics (__consumer_offsets, __cluster_metadata, ...) as what they are."
    return click.option("--decode", is_flag=True, help=words)(command)  # type: ignore[return-value]


def as_options(function: _Decorated) -> _Decorated:
    """The options `--as` and `--row`; the parameters are ``declaration`` and ``row``."""
    function = click.option(
        "--row", metavar="ROW", help="With --as: the path of the list whose elements are rows (frames), or their type."
    )(function)
    return click.option(
        "--as",
        "declaration",
        metavar="FORMAT",
        help="Take files of this format: a shipped name, or a .ksy file. Of a folder those that end as its "
        "file-extension says, else all.",
    )(function)


def refuse_with_as(options: Mapping[str, Any], what: str = "files") -> None:
    """Raise UsageError if an option for Kafka's files, or records, is set."""
    context = click.get_current_context(silent=True)
    if context is not None and context.meta.get(CHOSEN):
        raise UsageError("--topic, --exclude and --partition are for Kafka's partitions, and do not go with --as")
    for option, value in options.items():
        if value not in (None, False, ()):
            raise UsageError(f"{option} is for Kafka's {what}, and does not go with --as")


def refuse_without_as(options: Mapping[str, Any]) -> None:
    """Raise UsageError if an option for files of a declared format is set."""
    for option, value in options.items():
        if value not in (None, False):
            raise UsageError(f"{option} needs --as: a format, or a .ksy file")


@contextlib.contextmanager
def files_of(paths: Sequence[str], declaration: str) -> Iterator[list[Any]]:
    """The files of a call, each once: the declaration's files in folders, addresses of folders and globs; other paths
    unchanged; and for ``-`` standard input as an open file, because files are read at positions.

    The files of a folder are those whose names end as the declaration's ``file-extension`` says, else all; hidden files
    and links are left out. Raises UsageError if a folder has none, FileNotFoundError if a glob has none; OSError.
    """
    with contextlib.ExitStack() as stack:
        files: dict[Any, None] = {}
        for path in itertools.chain.from_iterable(map(_matching, paths)):
            if path == "-":
                file = stack.enter_context(tempfile.NamedTemporaryFile())
                keep_standard_input(file)
                files[_StandardInput(file)] = None
            elif is_dir(path):
                files |= dict.fromkeys(_in_folder(path, declaration))
            else:
                files[path] = None
        yield list(files)


def _matching(path: str) -> list[str]:
    """What a glob matches, sorted; any other path itself."""
    if is_address(path) or os.path.lexists(path) or not glob.has_magic(path):
        return [path]
    matches = sorted(glob.glob(path))
    if not matches:
        raise FileNotFoundError(errno.ENOENT, "no file matches", path)
    return matches


def _in_folder(path: str, declaration: str) -> list[str]:
    extensions = load_program(declaration.partition("::")[0]).declaration.file_extensions
    endings = tuple(f".{extension}" for extension in extensions)
    files = [file for file in plain_files_below(path) if not endings or base_name(file).lower().endswith(endings)]
    if not files:
        named = f" whose name ends in {' or '.join(endings)}, the declaration's file-extension" if endings else ""
        raise UsageError(f"{path}: there is no file{named}")
    return files


class _StandardInput:
    """The content of standard input, under its name."""

    name = "<stdin>"

    def __init__(self, file: Any) -> None:
        self.read, self.seek, self.tell = file.read, file.seek, file.tell


__all__ = [
    "as_options",
    "decode_flag",
    "decode_option",
    "files_of",
    "language_options",
    "layout_options",
    "refuse_with_as",
    "refuse_without_as",
    "trailing_option",
]
