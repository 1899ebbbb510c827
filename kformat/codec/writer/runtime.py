"""Functions and classes that generated writers use: streams while they are written, and fields that are padded."""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import IntEnum
from typing import Any, Final

from kformat.codec.drafts import MAX_GAP, StreamOutput
from kformat.codec.reader import rebuilt, trimmed
from kformat.codec.unfit import Unfit, unfit
from kformat.codec.values import REST, Value, noted
from kformat.errors import BuildError
from kformat.language.expression import FAILURES
from kformat.language.program import Trim

UNFIT: Final = (Unfit, BuildError, struct.error, RecursionError, ArithmeticError, *FAILURES)
"""What a generated writer may raise."""


def _padded(data: bytes, size: int, trim: Trim, kept: tuple[Any, bytes] | None) -> bytes:
    """The bytes of a field of a size: those that were read, where they still have this content."""
    if kept is not None and len(kept[1]) == size and trimmed(bytes(kept[1]), trim) == data:
        return bytes(kept[1])
    if size - len(data) > MAX_GAP:
        raise Unfit
    whole = rebuilt(data, size, trim)
    if len(data) > size or trimmed(whole, trim) != data:
        raise Unfit
    return whole


def _delimited(data: bytes, trim: Trim) -> bytes:
    """Bytes up to a terminator."""
    whole = rebuilt(data, 0, trim)
    end = trim.terminator
    assert end is not None
    content = trimmed(data if trim.include else data + end, trim)
    if content != data or (trim.include and not data.endswith(end)):
        raise Unfit
    return whole


Settle = Callable[[Value, str, Any], None]
"""A structure, the name of a length, count or checksum in it, and what that has to be."""


class Out(bytearray):
    """Bytes while they are written.

    ``end`` is where a field went to the end of the present stream: nothing may follow there. A window has its own.
    ``settle`` is called for a field that has to be another one.
    """

    __slots__ = ("end", "settle")

    def __init__(self, settle: Settle = unfit) -> None:
        super().__init__()
        self.settle = settle
        self.end: int | None = None

    def ends(self) -> None:
        """Note that the field written last goes to the end of the stream."""
        self.is_at_end()
        self.end = len(self)

    def is_at_end(self) -> None:
        """Unfit where something follows a field that goes to the end."""
        if self.end is not None and self.end != len(self):
            raise Unfit


class OutputStream:
    """The bytes of a stream while they are written, from ``start`` in ``out``.

    The content of an instance at another position is one, too, whose ``owner`` is the stream of that position. ``size``
    is how long an owner is to be, once that was asked for; ``waiting`` has its instances. ``top`` is the stream of the
    value that is built, its ``value``. ``ends`` are the positions where instances went to the end.
    """

    __slots__ = ("ends", "out", "owner", "size", "start", "top", "value", "waiting")

    def __init__(self, out: Out) -> None:
        self.out, self.start = out, len(out)
        self.owner = self.top = self
        self.size: int | None = None
        self.value: Any = None
        self.ends: list[int | None] = []
        self.waiting: list[tuple[Callable[[], Callable[..., None]], Value, Any, Any]] = []


def _inner(out: Out, outer: OutputStream) -> OutputStream:
    """The stream of a window."""
    made = OutputStream(out)
    made.top = outer.top
    return made


def _part(stream: OutputStream, position: int) -> OutputStream:
    """The stream of an instance's content at a position."""
    made = _inner(Out(), stream)
    made.start, made.owner = -position, stream
    return made


def finish(stream: OutputStream) -> None:
    """Place the instances of a stream, and compare its length."""
    if stream.waiting:
        output = StreamOutput()
        output.data = stream.out[stream.start :]
        output.covered.append((0, len(output.data)))
        for place, value, root, little in stream.waiting:  # to which placing may add
            place()(value, output, stream, root, little)
        stream.out[stream.start :] = output.data
        if any(end not in (None, len(output.data)) for end in stream.ends):
            raise Unfit
    if stream.size is not None and len(stream.out) - stream.start != stream.size:
        raise Unfit


class Io:
    """``_io`` in an expression of a value."""

    __slots__ = ("stream", "value")

    def __init__(self, stream: OutputStream, value: Any) -> None:
        self.stream, self.value = stream, value

    @property
    def pos(self) -> int:
        return len(self.stream.out) - self.stream.start

    @property
    def size(self) -> int:
        size: int = self.value._io.size
        owner = self.stream.owner
        if owner.size is None:
            owner.size = size
        if owner.size != size:
            raise Unfit
        return size

    @property
    def eof(self) -> bool:
        return self.pos >= self.size


NAMES: Final[dict[str, Any]] = {
    "unfit_": Unfit,
    "type_": type,
    "noted_": noted,
    "kept_": "_kept",
    "rest_": REST,
    "len_": len,
    "join_": b"".join,
    "bytes_": bytes,
    "str_": str,
    "int_": int,
    "ints_": frozenset((int, bool)),
    "floats_": frozenset((float, int, bool)),
    "int_enum_": IntEnum,
    "is_a_": isinstance,
    "is_sub_": issubclass,
    "all_": all,
    "set_": set,
    "map_": map,
    "list_": list,
    "bool_": bool,
    "enumerate_": enumerate,
    "lenient_": "surrogateescape",
    "big_": "big",
    "little_": "little",
    "pack_": struct.pack,
    "io_": Io,
    "inner_": _inner,
    "part_": _part,
    "finish_": finish,
    "path_": ("",),
    "padded_": _padded,
    "delimited_": _delimited,
}
"""What generated code may call, besides its own names."""
