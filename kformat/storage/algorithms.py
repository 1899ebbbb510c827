"""Checksums by name: CRCs of the RevEng catalogue or of given parameters, sums, digests, and functions of users.

A name may be spelled as anybody spells it: ``CRC-16/IBM-3740``, ``crc_16_ibm_3740``, and the alias
``crc16_ccitt_false`` are one. `canonical_name` is the spelling that programs keep; a CRC of given parameters has one
that says them.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from kformat.errors import UsageError
from kformat.storage.checksum import byte_view, crc32, crc32c
from kformat.storage.crc import Crc
from kformat.storage.crc_catalogue import aliases, catalogue, catalogue_names, plain_name
from kformat.storage.sums import ALIASES, SUMS, Sum

MOST_WIDTH: Final = 128
"""The widest CRC whose parameters may be given."""

_OWN_NAMES: Final = {"CRC-32/ISO-HDLC": "crc32", "CRC-32/ISCSI": "crc32c"}
"""The names that programs keep of what zlib and google-crc32c compute, by those of the catalogue."""

_DIGESTS: Final = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512_256", "blake2b", "blake2s")

_OF_USERS: Final = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+")
_GIVEN: Final = re.compile(r"crc\((\d+), (\w+), (\w+), (\w+), (\w+), (\w+)\)")
"""What `name_of_crc` makes; no declaration may write it, since nothing in it has been checked."""

Function = Callable[[bytes], int | bytes]
"""A user's checksum: called with the bytes that it covers."""

_functions: Final[dict[str, Function]] = {}
_finders: Final[list[Callable[[str], object]]] = []


def register(name: str, function: Function) -> None:
    """Register a user's function by the name that declarations use, which has a dot. The last registration counts."""
    _functions[name] = function


def is_registered(name: str) -> bool:
    """Whether a user's function has that name."""
    return name in _functions


def ask_for_missing(find: Callable[[str], object]) -> None:
    """Have ``find`` called with a user's name that is not registered when it is needed: it registers it, or raises."""
    _finders.append(find)


class Algorithm(NamedTuple):
    """A checksum.

    Attributes:
        name: the `canonical_name`.
        bits: of the result; 0 where only a user's function knows it.
        compute: the checksum of a contiguous buffer: an int of 0 to 2**bits - 1; of a digest its bytes, of a user's
            function one of the two.
        crc: its parameters, if it is a CRC. sum: what it adds, if it is a sum.
        is_bytes: whether the result is bytes.
        is_users: whether it is a user's function, which gives an int or bytes, or fails.
    """

    name: str
    bits: int
    compute: Callable[[Any], Any]
    crc: Crc | None = None
    sum: Sum | None = None
    is_bytes: bool = False
    is_users: bool = False


_OWN_ALGORITHMS: Final = {
    "crc32": Algorithm("crc32", 32, crc32, Crc(32, 0x04C11DB7, 0xFFFFFFFF, True, True, 0xFFFFFFFF)),
    "crc32c": Algorithm("crc32c", 32, crc32c, Crc(32, 0x1EDC6F41, 0xFFFFFFFF, True, True, 0xFFFFFFFF)),
}


@lru_cache(maxsize=1024)
def canonical_name(name: str) -> str | None:
    """The spelling that programs keep, of a name that somebody wrote; None for one that is not known."""
    if _OF_USERS.fullmatch(name):
        return name
    plain = plain_name(name)
    known = catalogue_names().get(plain)
    if known is not None:
        return _OWN_NAMES.get(known, known)
    return next((found for found in (*SUMS, *_DIGESTS) if plain_name(found) == plain), ALIASES.get(plain))


def known_names() -> list[str]:
    """The names of all algorithms, and their aliases, as a declaration's author would write them."""
    names = (*catalogue(), *aliases(), *SUMS, *_DIGESTS, *_OWN_ALGORITHMS, *ALIASES)
    return sorted({re.sub(r"[^a-z0-9]+", "_", name.lower()) for name in names})


def name_of_crc(crc: Crc) -> str:
    """The canonical name of a CRC: that of the catalogue if it is there.

    Raises UsageError for parameters that no CRC has.
    """
    if not 1 <= crc.width <= MOST_WIDTH:
        raise UsageError(f"a CRC's width is 1 to {MOST_WIDTH} bits, found {crc.width}")
    for name, number in (("poly", crc.poly), ("init", crc.init), ("xorout", crc.xorout)):
        if not 0 <= number < 1 << crc.width:
            raise UsageError(f"{name} has at most {crc.width} bits, found {number:#x}")
    for name, (known, _) in catalogue().items():
        if known == crc:
            return _OWN_NAMES.get(name, name)
    numbers = f"{crc.poly:#x}, {crc.init:#x}, {str(crc.refin).lower()}, {str(crc.refout).lower()}, {crc.xorout:#x}"
    return f"crc({crc.width}, {numbers})"


ENOUGH_BITS: Final = 16
"""A checksum of so many bits other bytes hardly have by chance."""


@lru_cache(maxsize=256)
def algorithm_of(name: str) -> Algorithm:
    """The algorithm of a `canonical_name`, of any other spelling, or of what `name_of_crc` gave. UsageError if there is
    none.
    """
    if name in _OWN_ALGORITHMS:
        return _OWN_ALGORITHMS[name]
    if given := _GIVEN.fullmatch(name):
        width, poly, init, refin, refout, xorout = given.groups()
        return _of_crc(
            name, Crc(int(width), int(poly, 16), int(init, 16), refin == "true", refout == "true", int(xorout, 16))
        )
    canonical = canonical_name(name)
    if canonical is None:
        raise UsageError(f"no checksum {name!r:.60} is known")
    if canonical != name:
        return algorithm_of(canonical)
    if _OF_USERS.fullmatch(canonical):
        return Algorithm(canonical, 0, lambda data: _registered(canonical)(bytes(data)), is_users=True)
    if canonical in SUMS:
        known = SUMS[canonical]
        return Algorithm(canonical, known.bits, lambda data: known.compute(byte_view(data)), sum=known)
    if canonical in _DIGESTS:
        library: Any = importlib.import_module("hashlib")  # with OpenSSL, which takes milliseconds
        make = partial(library.new, canonical, usedforsecurity=False)
        return Algorithm(canonical, 8 * make().digest_size, lambda data: make(byte_view(data)).digest(), is_bytes=True)
    return _of_crc(canonical, catalogue()[canonical][0])


def _of_crc(name: str, crc: Crc) -> Algorithm:
    return Algorithm(name, crc.width, crc.function(), crc)


def _registered(name: str) -> Function:
    for find in _finders if name not in _functions else ():
        find(name)
    return _functions[name]


__all__ = ["ENOUGH_BITS", "Algorithm", "algorithm_of", "canonical_name", "known_names", "name_of_crc", "register"]
