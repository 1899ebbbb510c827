"""Options of the verbs that take a declaration: where its imports are, and what becomes of bytes that are left over."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from kformat.errors import UsageError

SEARCH_PATH: Final = "KSPATH"
"""The variable with the folders of imports, which `language.declaration` reads."""

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


def import_option(function: _Decorated) -> _Decorated:
    """The option `-I`: its folders stand before those of ``KSPATH`` while the verb runs, and in what it starts."""
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
    for folder in folders:
        if os.pathsep in folder:
            raise UsageError(f"{folder}: {os.pathsep!r} is between folders, and cannot be in a name of one")
    before = os.environ.get(SEARCH_PATH)
    ctx.call_on_close(lambda: _set(before))
    _set(os.pathsep.join([*map(os.path.abspath, folders), *([before] if before else [])]))


def _set(value: str | None) -> None:
    if value is None:
        os.environ.pop(SEARCH_PATH, None)
    else:
        os.environ[SEARCH_PATH] = value


def trailing_option(words: str) -> Callable[[_Decorated], _Decorated]:
    """The option `--trailing`, of which ``words`` say what ``keep`` does; the parameter is ``trailing``."""
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


__all__ = ["import_option", "layout_options", "trailing_option"]
