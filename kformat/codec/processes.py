"""The processes of bytes that declarations name, both ways: zlib, xor, rol, ror, and registered ones."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import cache
from typing import Any

from kformat.codec.extensions import process_of
from kformat.errors import BuildError, CompressionError, InvalidError, LimitError
from kformat.language.program import ProcessCall


def decode(process: ProcessCall, arguments: Sequence[Any], data: bytes, limit: int) -> bytes:
    """Decode ``data``, as a reader sees it.

    Raises CompressionError for bytes that zlib cannot inflate, LimitError beyond ``limit`` bytes, InvalidError for
    whatever a registered process raises, and UsageError for a process that is not registered.
    """
    if process.name == "zlib":
        return _inflate(data, limit)
    if process.name in ("xor", "rol", "ror"):
        return _apply(process.name, arguments[0], data, InvalidError)
    coder = process_of(process.name).decode
    try:
        output = bytes(coder(data, *arguments))
    except Exception as error:
        raise InvalidError(f"the process {process.name} failed: {error}") from error
    if len(output) > limit:
        raise LimitError("the process makes more bytes than the limit allows", expected=limit, found=len(output))
    return output


def encode(process: ProcessCall, arguments: Sequence[Any], data: bytes) -> bytes:
    """Bytes of which `decode` makes ``data``. Raises BuildError if the process has no inverse, or it fails."""
    if process.name == "zlib":
        return zlib.compress(data)
    if process.name == "xor":
        return _apply("xor", arguments[0], data, BuildError)
    if process.name in ("rol", "ror"):
        return _apply("ror" if process.name == "rol" else "rol", arguments[0], data, BuildError)
    coder = process_of(process.name).encode
    if coder is None:
        raise BuildError(f"the process {process.name} is registered without its inverse")
    try:
        return bytes(coder(data, *arguments))
    except Exception as error:
        raise BuildError(f"the process {process.name} failed: {error}") from error


def _inflate(data: bytes, limit: int) -> bytes:
    stream = zlib.decompressobj()
    try:
        output = stream.decompress(data, limit + 1)
    except zlib.error as error:
        raise CompressionError(f"zlib: {error}") from None
    if len(output) > limit:
        raise LimitError("the process makes more bytes than the limit allows", expected=limit)
    if not stream.eof:
        raise CompressionError("zlib: the compressed bytes end too early")
    return output


def _apply(name: str, key: Any, data: bytes, kind: type[InvalidError | BuildError]) -> bytes:
    if name == "xor":
        if isinstance(key, int) and 0 <= key <= 255:
            key = bytes((key,))
        if not isinstance(key, bytes | list):
            raise kind("xor needs a key of one byte, or bytes", found=key)
        if not key:
            return data
        size = len(data)
        repeated = (bytes(key) * (size // len(key) + 1))[:size]
        return (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big")
    if not isinstance(key, int):
        raise kind(f"{name} needs an integer", found=key)
    amount = key % 8 if name == "rol" else -key % 8
    return data.translate(_rotated(amount))


@cache
def _rotated(amount: int) -> bytes:
    """All bytes, rotated to the left by 0 to 7 bits."""
    return bytes((byte << amount | byte >> (8 - amount)) & 255 for byte in range(256))
