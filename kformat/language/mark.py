"""A place in a declaration, which refuses what is there, and the word that may have been meant."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import NoReturn

from kformat.errors import DeclarationError
from kformat.language.node import Node


class Mark(Node):
    """A place in a declaration: file, line (from 1) and key path (``/types/record/seq/1/size``)."""

    file: str
    line: int
    key: str

    def refuse(self, message: str) -> NoReturn:
        raise DeclarationError(message, file=self.file, line=self.line, key=self.key)


def nearest(word: str, choices: Iterable[str]) -> str:
    """The end of a complaint about a word: which of the choices may have been meant; "" if none is like it."""
    close = importlib.import_module("difflib").get_close_matches(word[:60], list(choices), n=1)  # slow to import
    return f"; did you mean {close[0]!r}?" if close else ""
