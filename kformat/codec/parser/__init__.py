"""TypeProgram -> Python source of its parser, of each of its instances, and of what reads only some of
many values: a generator of the rows of a list, and the columns of integers.

One function per type, ``parse(r, parent, root, little_endian, *arguments)``, with the stream's position and limit in
locals ``p`` and ``lim``; they are written back before anything else looks at the reader. Rules:

* Identifiers are numbered, and values stand in the namespace (`expressions.Namespace`): no text of a declaration is in
  the source, but its names as attributes.
* A run of numbers and fixed bytes is one bounds check and one ``unpack_from``. If it does not fit, or a rule on it
  fails, the same fields are read one by one, which finds the first that is wrong.
* No step catches an error of its own: `GeneratedParser.lines` says which line belongs to which field, and the name of
  the local that counts the elements of the list around.

`ParserFunction` is the source of one function while it is written. Each kind of step has a module, named as in the
other back ends, whose docstrings show the lines that it puts there.
"""

from __future__ import annotations

from collections.abc import Sequence

from kformat.codec.parser.bits import read_bit, read_bits
from kformat.codec.parser.bytes import read_bytes, read_literal
from kformat.codec.parser.checksums import read_checksum
from kformat.codec.parser.columns import columns
from kformat.codec.parser.function import Callee, FieldOfLine, GeneratedParser, Kinds, ParserFunction
from kformat.codec.parser.instances import instance as _instance
from kformat.codec.parser.items import RunOfFields
from kformat.codec.parser.lists import read_list
from kformat.codec.parser.numbers import read_number, read_varint
from kformat.codec.parser.rows import rows
from kformat.codec.parser.runs import read_run
from kformat.codec.parser.structures import parser, read_opaque, read_structure
from kformat.codec.parser.switches import read_switch
from kformat.codec.parser.windows import read_end, read_window
from kformat.language import program as steps
from kformat.language.program import Instance, TypeProgram

_KINDS: Kinds = {
    steps.ReadInteger: read_number,
    steps.ReadFloat: read_number,
    steps.ReadVarint: read_varint,
    steps.ReadBytes: read_bytes,
    steps.ReadLiteral: read_literal,
    steps.ReadBits: read_bits,
    steps.ReadBit: read_bit,
    steps.ReadType: read_structure,
    steps.ReadOpaque: read_opaque,
    steps.ReadSwitch: read_switch,
    steps.ReadList: read_list,
    steps.Window: read_window,
    steps.CheckEnd: read_end,
    steps.Checksum: read_checksum,
    RunOfFields: read_run,
}


def parser_source(
    program: TypeProgram, callee: Callee, traced: bool = False, path: tuple[str, ...] = ()
) -> GeneratedParser:
    """The function ``parse`` of a type; the first elements of the list at the path may be taken (`taken`)."""
    return parser(ParserFunction(program, callee, _KINDS, traced, path))


def instance_source(
    program: TypeProgram, callee: Callee, instance: Instance, traced: bool = False, path: tuple[str, ...] = ()
) -> GeneratedParser:
    """The function ``read`` of an instance."""
    return _instance(ParserFunction(program, callee, _KINDS, traced, path), instance)


def rows_source(
    program: TypeProgram, callee: Callee, path: Sequence[str], size: int | None = None, traced: bool = False
) -> GeneratedParser:
    """The generator ``rows`` of the list at a path."""
    return rows(ParserFunction(program, callee, _KINDS, traced), path, size)


def columns_source(program: TypeProgram, callee: Callee, names: Sequence[str]) -> GeneratedParser:
    """The function ``columns`` of a type, for these integers. Unfit: parsers alone read it."""
    return columns(ParserFunction(program, callee, _KINDS), names)


__all__ = ["FieldOfLine", "GeneratedParser", "columns_source", "instance_source", "parser_source", "rows_source"]
