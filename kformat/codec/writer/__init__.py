"""TypeProgram -> Python source that writes a value as it is: the short way of `building`.

Rules:

* Generated code never decides. For a value that is not exactly as a reader would have read it, it raises `Unfit`, or
  any other of `runtime.UNFIT`; for a length, a count or a checksum that is another one it calls `runtime.Out.settle`.
* Processes, payloads that are compressed, and what else only a builder knows how to do are left to it.
* A stream is taken to be as long as the one that its values were read from; if it is not, they are left to the builder.
* Value instances may be out of date: their expressions are written out where they are asked for. Those whose value
  depends on when that is first, since they ask where a stream stands, or for a list, are left to the builder.
* Identifiers are numbered, as in `parser`.

`WriterFunction` is the source of one function while it is written. Each kind of step has a module, named as in the
other back ends, whose docstrings show the lines that it puts there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kformat.codec.writer.bits import write_bits
from kformat.codec.writer.bytes import write_bytes, write_literal
from kformat.codec.writer.function import GeneratedWriter, Kinds, Others, WriterFunction
from kformat.codec.writer.instances import computer, placer
from kformat.codec.writer.lists import write_list
from kformat.codec.writer.numbers import write_number, write_varint
from kformat.codec.writer.rows import rows
from kformat.codec.writer.structures import write_structure, writer
from kformat.codec.writer.switches import write_switch
from kformat.codec.writer.windows import write_window
from kformat.language import program as steps
from kformat.language.program import TypeProgram


def _nothing(out: WriterFunction, step: Any) -> None:
    """A step without bytes of its own: windows check that nothing is left, bits are padded with those before them."""


_KINDS: Kinds = {
    steps.ReadInteger: write_number,
    steps.ReadFloat: write_number,
    steps.ReadVarint: write_varint,
    steps.ReadBytes: write_bytes,
    steps.ReadLiteral: write_literal,
    steps.ReadBits: write_bits,
    steps.ReadType: write_structure,
    steps.ReadList: write_list,
    steps.ReadSwitch: write_switch,
    steps.Window: write_window,
    steps.CheckEnd: _nothing,
    steps.Align: _nothing,
}


def writer_source(program: TypeProgram, others: Others) -> GeneratedWriter:
    """The function ``write`` of a type. Unfit: builders alone write it."""
    return writer(WriterFunction(program, others, _KINDS))


def placer_source(program: TypeProgram, others: Others, name: str) -> GeneratedWriter:
    """The function ``place`` of an instance that is read from bytes. Unfit: builders alone place it."""
    out = WriterFunction(program, others, _KINDS)
    return placer(out, out.placed[name])


def computer_source(program: TypeProgram, others: Others, name: str) -> GeneratedWriter:
    """The function ``compute`` of a value instance. Unfit: it depends on more than fields."""
    return computer(WriterFunction(program, others, _KINDS), name)


def rows_source(program: TypeProgram, others: Others, fields: Sequence[str]) -> GeneratedWriter:
    """The function ``rows`` of a type, from tuples of these fields. Unfit: builders alone write it."""
    return rows(WriterFunction(program, others, _KINDS), fields)


__all__ = ["GeneratedWriter", "Others", "computer_source", "placer_source", "rows_source", "writer_source"]
