"""A place in a declaration, for complaints, and hints at the word that may have been meant."""

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
    """The hint for a wrong word: the most similar choice that ``works`` accepts; "" if none is similar."""
    matches = importlib.import_module("difflib").get_close_matches  # slow to import
    close = matches(word[:60], list(choices), n=1 if works is None else _MOST_TRIED)
    meant = next((choice for choice in close if works is None or works(choice)), None)
    return "" if meant is None else f"; did you mean {meant!r}?"
