"""Encodings by the names that declarations use."""

from __future__ import annotations

import codecs
import re
import sys
from encodings.aliases import aliases
from functools import lru_cache
from typing import Final

from kformat.language.mark import nearest

_KAITAI: Final = {
    "SJIS": "shift_jis", "SHIFT_JIS": "shift_jis", "SHIFT-JIS": "shift_jis", "IBM437": "cp437", "IBM866": "cp866",
    "CP437": "cp437", "ASCII": "ASCII", "US-ASCII": "ASCII", "UTF-8": "UTF-8", "UTF8": "UTF-8",
    "UTF-16LE": "utf-16-le", "UTF-16BE": "utf-16-be", "UTF-32LE": "utf-32-le", "UTF-32BE": "utf-32-be",
    "UTF16LE": "utf-16-le", "UTF16BE": "utf-16-be", "UTF32LE": "utf-32-le", "UTF32BE": "utf-32-be",
    "GB2312": "gb2312", "GBK": "gbk", "GB18030": "gb18030", "BIG5": "big5", "EUC-KR": "euc_kr", "EUC-JP": "euc_jp",
    "WINDOWS-31J": "cp932", "WINDOWS-874": "cp874", "MACROMAN": "mac_roman", "X-MAC-ROMAN": "mac_roman",
}  # fmt: skip
"""Names that Python spells otherwise, or that stand for themselves; in capitals."""


LENIENT: Final = {"UTF-8": "utf-8", "ASCII": "ascii"}
"""Encodings whose undecodable bytes become lone surrogates, with Python's names."""


_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+ -]*")


def python_encoding(name: str) -> str | None:
    """Python's name of an encoding: ``UTF-8`` and ``ASCII`` by these names; None if it has no such text encoding."""
    name = name.strip()
    known = _KAITAI.get(name.upper().replace("_", "-"))
    if known is not None:
        return known
    if not name or len(name) > 40 or not name.isascii():
        return None
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    if not getattr(codec, "_is_text_encoding", True) or codec.name in ("idna", "punycode", "undefined"):
        return None
    return {"utf-8": "UTF-8", "ascii": "ASCII"}.get(codec.name, codec.name)


def unknown_encoding(name: str) -> str:
    """The complaint about an encoding that Python does not have; "" if it has it.

    A name that no encoding can have (with a quote, a backslash) gets no complaint either: Kaitai accepts declarations
    with such names, too, and fails where they are used.
    """
    if python_encoding(name) is not None or not _NAME.fullmatch(name):
        return ""
    known = [*_KAITAI, *(alias.upper().replace("_", "-") for alias in aliases)]
    hint = (
        nearest(name.strip().upper(), known, python_encoding)
        or "; one of your own has to be registered (codecs.register) before this"
    )
    return f"no encoding {name!r:.60} in Python{hint}"


@lru_cache(maxsize=256)
def is_reversible(name: str) -> bool:
    """Whether bytes that are decoded as text are encoded the same, in an encoding by Python's name.

    UTF-16, UTF-7 and encodings with shift states have several forms of a text, and multi-byte ones have two codes for
    some characters. True for an encoding that Python does not have: nothing is read or written in it.
    """
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        return True
    if codec.name in _ONE_FORM:
        return True
    table = getattr(sys.modules.get(getattr(codec.encode, "__module__", "")), "decoding_table", None)
    characters = table.replace("\ufffe", "") if isinstance(table, str) else "  "  # U+FFFE: no character
    return len(set(characters)) == len(characters)


_ONE_FORM: Final = {"utf-8", "ascii", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "iso8859-1"}


def reads_all(name: str) -> bool:
    """Whether kformat decodes any bytes in an encoding, by Python's name."""
    return name.upper() in LENIENT or name in _COMPLETE


_COMPLETE: Final = ("iso8859-1", "cp437", "cp866", "mac_roman")


def unit_size(name: str) -> int:
    """Bytes of one unit, and so of the terminator of a ``strz``: 2 for UTF-16, 4 for UTF-32, otherwise 1."""
    plain = name.upper().replace("_", "-").replace("-", "")
    return 2 if plain.startswith("UTF16") else 4 if plain.startswith("UTF32") else 1
