"""Hypothesis strategies for files of any declared format.

The generator is that of `kformat.corpus.any_format`: each value is the same after building and parsing. Once for each
declaration and run, a search from a fixed seed learns which choices lead to no value; drawn values avoid them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final, TypeVar

from kformat.codec.constructs import parse
from kformat.corpus.any_format import DeclaredCorpus, ValueSearch, search
from kformat.corpus.any_format import declared_corpus as make_corpus
from kformat.corpus.generating import FLOATS, Generator, Hopeless, Sample
from kformat.errors import DeclarationError, KformatError, MissingDependencyError, UsageError
from kformat.language.program import TypeProgram, load_type

try:
    import hypothesis
    from hypothesis import strategies as st
except ImportError as error:
    raise MissingDependencyError("hypothesis", "testing") from error

T = TypeVar("T")

_TRIES: Final = 5
"""Attempts at one value; if all fail, a value of the search is taken."""


@dataclass(frozen=True)
class DrawnFile:
    """A sound file of a declared format: its bytes, and their value, as from `kformat.parse`.

    ``trailing``: how it has to be read; ``keep`` if a part of a fixed size has bytes that nothing declares.
    """

    data: bytes
    value: Any
    trailing: Any


class _Drawn:
    """A `Chooser` whose choices hypothesis draws, and shrinks towards the first."""

    def __init__(self, draw: Any, made: ValueSearch) -> None:
        self._draw, self._made = draw, made

    def pick(self, site: tuple[str, ...], options: Sequence[T], labels: Sequence[Any] | None = None) -> T:
        """See `Chooser`."""
        usable = self._made.chooser.usable(site, options if labels is None else labels)
        return options[usable[self._draw(_below(len(usable)))] if len(usable) > 1 else usable[0]]

    def noise(self, site: tuple[str, ...], size: int) -> bytes:
        """See `Chooser`."""
        data: bytes = self._draw(_bytes(size))
        return data


@lru_cache(maxsize=1024)
def _below(count: int) -> st.SearchStrategy[int]:
    return st.integers(0, count - 1)


@lru_cache(maxsize=1024)
def _bytes(size: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)


@lru_cache(maxsize=64)
def _searched(program: TypeProgram) -> ValueSearch:
    return search(program, 0)


def files_of(format: Any, *, allow_nan: bool = False) -> st.SearchStrategy[DrawnFile]:
    """Sound files of a declared format: a ``.ksy`` file, one of its types (``x.ksy::entry``), a shipped name, or a
    Declaration. ``allow_nan``: also with floats that are NaN, so that a value differs from what is read the next time.

    Raises, when a file is drawn: UsageError: there is no such format, or no value of it is found. DeclarationError: it
    is wrong.
    """
    try:
        return _files_of(format, allow_nan)
    except (UsageError, DeclarationError) as error:
        return st.builds(partial(_refuse, error))


def _refuse(error: KformatError) -> DrawnFile:
    raise error


def _files_of(format: Any, allow_nan: bool) -> st.SearchStrategy[DrawnFile]:
    made = _searched(load_type(format))
    floats = [value for value in FLOATS if allow_nan or value == value]
    known = [sample for sample, _ in made.found if allow_nan or _is_equal(sample, made)]

    @st.composite
    def draw_file(draw: Any) -> DrawnFile:
        generator = Generator(made.facts, _Drawn(draw, made), floats)
        for _ in range(_TRIES):
            try:
                return _file(generator.sample())
            except Hopeless:
                continue
        hypothesis.assume(known)
        return _file(known[draw(_below(len(known)))])

    return draw_file()


def _is_equal(sample: Sample, made: ValueSearch) -> bool:
    """Whether a value is equal to a second parse of its bytes: no float in it is NaN."""
    return bool(parse(made.facts.root, sample.data, trailing=sample.trailing) == sample.value)


def _file(sample: Sample) -> DrawnFile:
    return DrawnFile(sample.data, sample.value, sample.trailing)


def values_of(format: Any, *, allow_nan: bool = False) -> st.SearchStrategy[Any]:
    """Values of a declared format, as from `kformat.parse`. The arguments and errors are those of `files_of`."""
    return files_of(format, allow_nan=allow_nan).map(lambda file: file.value)


def declared_corpus(format: Any, *, seed: int = 0, damage: bool = True) -> DeclaredCorpus:
    """As `kformat.corpus.declared_corpus`, with damaged files, and made only once in a run.

    For ``pytest.mark.parametrize``; the fixture of this name is the same.
    """
    return _corpus(load_type(format), seed, damage)


@lru_cache(maxsize=64)
def _corpus(program: TypeProgram, seed: int, damage: bool) -> DeclaredCorpus:
    return make_corpus(program, seed=seed, damage=damage)


__all__ = ["DrawnFile", "declared_corpus", "files_of", "values_of"]
