"""The declarations that kformat ships, and their programs as they were compiled before.

`kformat.language.generated` holds a module for each of them (``make generate``), whose program is used while the texts
are those that it was made from; otherwise, and for `varint`, which has none, the text is compiled. So using the shipped
formats loads neither YAML nor the compiler.
"""

from __future__ import annotations

import importlib
import zlib
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from kformat.language.steps import Program

_PACKAGE: Final = Path(__file__).parent.parent
_MESSAGES: Final = "messages"
_LONGEST_NAME: Final = 100  # of more no file system needs to be asked


@cache
def shipped_folder() -> Any:
    """``formats`` inside the installed package; next to the package in a clone."""
    for place in (_PACKAGE / "formats", _PACKAGE.parent / "formats"):
        if place.is_dir():
            return place
    resources: Any = importlib.import_module("importlib.resources")  # the package lies in a zip file
    return resources.files("kformat").joinpath("formats")


def shipped_names() -> list[str]:
    """The ids of all declarations shipped with kformat, sorted; including `varint`, which is not a file format."""
    names = [entry.name for entry in shipped_folder().iterdir()]
    return sorted(name.removesuffix(".ksy") for name in names if name.endswith(".ksy"))


def message_names() -> list[str]:
    """The ids of the declarations in the folder of messages, sorted."""
    names = [entry.name for entry in shipped_folder().joinpath(_MESSAGES).iterdir()]
    return sorted(name.removesuffix(".ksy") for name in names if name.endswith(".ksy"))


def shipped_text(name: str) -> str | None:
    """The text of a declaration, or of that of a message; None if none has this name."""
    for folder in (shipped_folder(), shipped_folder().joinpath(_MESSAGES)):
        entry = folder.joinpath(f"{name}.ksy")
        if len(name) <= _LONGEST_NAME and entry.is_file():
            text: str = entry.read_text(encoding="utf-8")
            return text
    return None


def shipped_file(name: str) -> str:
    """The path of a declaration from the project's root, for errors."""
    is_here = not len(name) <= _LONGEST_NAME or shipped_folder().joinpath(f"{name}.ksy").is_file()
    return f"formats/{name}.ksy" if is_here else f"formats/{_MESSAGES}/{name}.ksy"


def common_text(name: str) -> str | None:
    """The text of a declaration that Kaitai's library has below ``/common/``; None if none here has this name."""
    entry = shipped_folder().joinpath("common").joinpath(f"{name}.ksy")
    text: str | None = entry.read_text(encoding="utf-8") if len(name) <= _LONGEST_NAME and entry.is_file() else None
    return text


def fingerprint(text: str) -> int:
    """A checksum that changes with the text."""
    return zlib.crc32(text.encode())


@lru_cache(maxsize=256)
def shipped_program(name: str) -> Program | None:
    """The program of a declaration as it was compiled before; None if there is none, or its text has changed."""
    if shipped_text(name) is None:
        return None
    try:
        made: Any = importlib.import_module(f"kformat.language.generated.{name}")
    except ModuleNotFoundError:
        return None
    texts = {file: shipped_text(file) for file in made.MADE_FROM}
    if any(text is None or fingerprint(text) != made.MADE_FROM[file] for file, text in texts.items()):
        return None
    program: Program = made.PROGRAM
    return program
