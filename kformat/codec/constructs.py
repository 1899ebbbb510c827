"""The door of the codec: `parse`, `parse_prefix`, `iterate`, `build`, and `construct_of`.

`construct_of` gives a `construct.Construct` for any declared type; most callers need only `parse` and `build`.
Positions are always absolute. Inside a compressed payload a position is a pair: the start of the outermost structure,
and the position in the decompressed bytes. An error carries the indexed path
(``record_batch.records[3].headers[0].key``) and, as `partial`, the value with all that was read before it.

Parsing is strict: bytes that a declaration forbids are errors, and so are left-over bytes. Building computes all
lengths, counts and checksums, fills missing fields by their ``-derive``, and checks what it writes.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal

from kformat.codec.building import encode
from kformat.codec.parsing import Parser, parser_of, read_value
from kformat.codec.reader import Reader
from kformat.codec.runtime import leftover
from kformat.codec.values import Value
from kformat.errors import DataError, UsageError, join_path
from kformat.language.program import TypeProgram, load_type, standalone
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

if TYPE_CHECKING:
    from construct import Construct
else:
    Construct = object  # construct takes longer to load than all of the codec, and few programs use it


class TypeConstruct(Construct):
    """A declared type. ``parse`` gives a `values.Value`; ``build`` takes one, a mapping, or any similar object."""

    def __init__(self, program: TypeProgram) -> None:
        super().__init__()
        self.program = program

    def read(self, reader: Reader) -> Value:
        """Parse one value; errors get this type's label as path prefix, and the partial value."""
        return read_value(self.program, reader, whole=False)


@cache
def _structure_class() -> type[TypeConstruct]:
    import construct

    class DeclaredConstruct(TypeConstruct, construct.Construct):
        def _parse(self, stream: Any, context: Any, path: str) -> Value:
            if isinstance(stream, Reader):
                return self.read(stream)
            start = stream.tell()
            reader = Reader(stream.read(), origin=start)
            value = self.read(reader)
            stream.seek(start + reader.position)
            return value

        def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
            data = encode(self.program, obj)
            construct.stream_write(stream, data, len(data), path)
            return obj

    return DeclaredConstruct


@lru_cache(maxsize=256)
def _structure(program: TypeProgram) -> TypeConstruct:
    return _structure_class()(program)


def construct_of(format: Any) -> TypeConstruct:
    """A construct.Construct of a type, for use alone or inside other constructs.

    ``format`` is a shipped name, ``format::type``, a ``.ksy`` path or a Declaration; raises as `program.load_type`, and
    UsageError for a type with parameters, which can only be read inside other types.
    """
    return _structure(standalone(load_type(format)))


# --- public functions ------------------------------------------------------------------------------------------------


def element_parser(program: TypeProgram, *, traced: bool = False) -> Parser:
    """The parser of a type, for `iterate`; ``traced`` if the reader has an observer.

    Raises UsageError if the type has parameters.
    """
    return parser_of(standalone(program), traced=traced)


def iterate(parse: Parser, reader: Reader, count: int | None, path: str, first: int = 0) -> Iterator[Value]:
    """Parse ``count`` consecutive values lazily, and check that nothing follows them.

    ``parse`` is their `element_parser`; ``count`` is None to read to the end; ``first`` is the first value's index in
    its list; ``path`` is the list's (``record_batch.records``).

    Values and errors are those of a list of that type inside a structure, but the values are not all in memory at once.

    Raises DataError as `parse`; its `partial` is the incomplete element.
    """
    room = reader.room
    for index in itertools.count(first) if count is None else range(first, first + count):
        if count is None and reader.position >= reader.limit:
            return
        reader.room = room  # yielded values no longer count
        try:
            value = parse(reader)
        except DataError as error:
            error.path = join_path(f"{path}[{index}]", error.path)
            raise
        yield value
    if reader.position < reader.limit:
        problem = leftover(reader, reader.position)
        problem.path = path
        raise problem


def parse_prefix(
    format: Any,
    data: Any,
    position: int = 0,
    *,
    source: str = "<bytes>",
    origin: int = 0,
    checksums: bool = True,
    inflate_limit: int = DEFAULT_INFLATE_LIMIT,
    raw: bool = False,
    trailing: Literal["error", "keep"] = "error",
) -> tuple[Value, int]:
    """Parse one value that other bytes may follow: ``(value, position after it)``.

    Args:
        format: see `construct_of`.
        data: any buffer of bytes. ``position`` is where to begin, ``origin`` the absolute position of its first byte in
            ``source``, for errors.
        checksums: False ignores wrong checksums.
        inflate_limit: the most bytes of all decompressed payloads in the value together.

    Raises:
        DataError: a subclass for the kind of error; it holds source, position, path and the partial value.
    """
    reader = Reader(
        data,
        source=source,
        origin=origin,
        start=position,
        checksums=checksums,
        inflate_limit=inflate_limit,
        raw=raw,
        trailing=trailing,
    )
    value = read_value(standalone(load_type(format)), reader, whole=False)
    return value, reader.position


def parse(
    format: Any,
    data: Any,
    *,
    source: str = "<bytes>",
    position: int = 0,
    checksums: bool = True,
    inflate_limit: int = DEFAULT_INFLATE_LIMIT,
    raw: bool = False,
    trailing: Literal["error", "keep"] = "error",
    partial: bool | Callable[[DataError], object] = False,
) -> Value:
    """Parse bytes that hold exactly one value.

    Args:
        format: a shipped name (``"record_batch"``), one of its types (``"leader_change_message"``), the path of
            a ``.ksy`` file, or a Declaration.
        data: any buffer of bytes: all of it is the value.
        source, position: the name of the source and the data's position in it, for errors.
        checksums: False ignores wrong checksums.
        inflate_limit: the most bytes of all decompressed payloads in the value together; 128 MiB by default. An element
            of a list in a payload counts as 64 bytes.
        raw: do not decompress payloads. The attribute named like the declared payload (``record_batch.payload``) holds
            the compressed bytes, its fields are missing, and `build` writes the same bytes again.
        trailing: ``"error"``: bytes that neither a field nor an instance reads are an InvalidError, at the end and in
            each sized part. ``"keep"``: they are kept, and `build` writes them again; values of plain data
            (`TypeProgram.keeps_context`) have no place for them, so that they are an error.
        partial: after damage return the value as far as it was read: its later fields are not set. True logs a warning
            (logger ``kformat``), a function is called with the error (``errors.append``).

    Returns:
        An object with the declared names as attributes. Compressed payloads are decompressed and parsed like plain
        ones.

    Raises:
        TruncatedError, InvalidError, ChecksumError, CompressionError, LimitError: the bytes are wrong.
        UsageError, DeclarationError: the format does not exist, or its declaration is wrong.
    """
    if trailing not in ("error", "keep"):
        raise UsageError(f"trailing is {trailing!r:.60}; 'error' or 'keep' is expected")
    reader = Reader(
        data,
        source=source,
        origin=position,
        checksums=checksums,
        inflate_limit=inflate_limit,
        raw=raw,
        trailing=trailing,
    )
    try:
        return read_value(standalone(load_type(format)), reader)
    except DataError as error:
        if not partial or not isinstance(error.partial, Value):
            raise
        if callable(partial):
            partial(error)
        else:
            logging.getLogger("kformat").warning("%s", error, extra={"context": {"source": error.source}})
        return error.partial


def build(format: Any, obj: Any, *, onto: bytes | None = None) -> bytes:
    """Build the bytes of a value.

    Lengths, counts and checksums are always computed, even if the object has them; missing fields with a ``-derive``
    are derived. The result of `parse`, uncompressed and with shortest varints, gives the same bytes again; compressed
    payloads hold the same records, but maybe not the same bytes.

    Args:
        format: as for `parse`.
        obj: a parsed value, a mapping, or any object with the declared names as attributes; members of enums may be
            given by name (``{"compression": "gzip"}``).
        onto: bytes to write over, which the format must be able to read. What no field and no instance of ``obj`` has
            there stays: in gaps at its position, at the end after what it followed. A parsed value that kept such bytes
            needs no ``onto``.

    Raises:
        BuildError: with the path of the field that is missing, unknown, of the wrong type, or not allowed.
        UsageError, DeclarationError: the format does not exist, or its declaration is wrong.
    """
    return encode(standalone(load_type(format)), obj, onto=onto)


__all__ = ["build", "parse"]
