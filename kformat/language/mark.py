"""A place in a declaration, which refuses what is there."""

from __future__ import annotations

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
