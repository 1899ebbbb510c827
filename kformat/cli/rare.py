"""Functions that few calls of `kformat` need and that take milliseconds to import: only those calls load them."""

from __future__ import annotations

import difflib
import logging
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from click.shell_completion import CompletionItem

_LOGGER = "kformat.kernels"


class _Compilations(logging.Handler):
    """Says once that kernels are being compiled."""

    def __init__(self, say: Callable[[str], object]) -> None:
        super().__init__()
        self.say = say

    def emit(self, record: logging.LogRecord) -> None:
        logging.getLogger(record.name).removeHandler(self)
        self.say("compiling kernels: this takes seconds, once; they are kept for later calls")


def say_when_compiling(say: Callable[[str], object]) -> None:
    """Call ``say`` once, when a kernel is compiled."""
    logger = logging.getLogger(_LOGGER)
    logger.setLevel(logging.INFO)
    logger.addHandler(_Compilations(say))


def say_no_more() -> None:
    """Take back `say_when_compiling`."""
    logger = logging.getLogger(_LOGGER)
    for handler in [it for it in logger.handlers if isinstance(it, _Compilations)]:
        logger.removeHandler(handler)


def traceback_of(error: BaseException) -> str:
    """An error's traceback, as Python prints it."""
    return "".join(traceback.format_exception(error))


def meant(word: str, known: Iterable[str], otherwise: str) -> str:
    """Suggest known words that are similar to a word, as the end of a sentence; ``otherwise`` if there are none."""
    close = difflib.get_close_matches(word, known)
    return f"did you mean {' or '.join(close)}?" if close else otherwise


_OTHER_WORDS: Final = dict.fromkeys(("tail", "follow", "watch"), "log tail -f")
"""What other programs call a verb of a group -> the call."""


def meant_verb(word: str, known: Iterable[str], elsewhere: Mapping[str, Iterable[str]], otherwise: str) -> str:
    """As `meant`, for a verb that its group does not have; ``known`` are the group's. ``elsewhere``: the verbs of other
    groups, by the words that come before them."""
    calls = [f"{group} {word}".strip() for group, verbs in elsewhere.items() if word in verbs]
    call = _OTHER_WORDS.get(word) or (calls[0] if calls else None)
    return meant(word, known, otherwise) if call is None else f"did you mean `kformat {call}`?"


def completions(names: Iterable[str], lines: Mapping[str, str]) -> list[CompletionItem]:
    """Words that a shell offers, each with its line of help if there is one."""
    return [CompletionItem(name, help=lines.get(name)) for name in names]
