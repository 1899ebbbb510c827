"""A place in a declaration, which refuses what is there, and the word that may have been meant."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn

from kformat.errors import DeclarationError
from kformat.language.node import Node


class Mark(Node):
    """A place in a declaration: file, line (from 1) and key path (``/types/record/seq/1/size``)."""

    file: str
    line: int
    key: str

    def refuse(self, message: str) -> NoReturn:
        raise DeclarationError(message, file=self.file, line=self.line, key=self.key)


_MOST_TRIED: Final = 8


def nearest(word: str, choices: Iterable[str], works: Callable[[str], Any] | None = None) -> str:
    """The end of a complaint about a word: which of the choices may have been meant, of those that ``works`` takes; ""
    if none is like it."""
    matches = importlib.import_module("difflib").get_close_matches  # slow to import
    close = matches(word[:60], list(choices), n=1 if works is None else _MOST_TRIED)
    meant = next((one for one in close if works is None or works(one)), None)
    return "" if meant is None else f"; did you mean {meant!r}?"
