"""The kernels that kformat runs itself, as modules of `kformat/kernels/generated/`, one for a declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kformat.kernels.compiled import COMMITTED
from kformat.kernels.decode import decode_source
from kformat.kernels.encode import encode_source
from kformat.kernels.source import Source, module_text
from kformat.language.program import TypeProgram, load_program

MAKERS: Mapping[str, Callable[[TypeProgram], Source]] = {"decode": decode_source, "encode": encode_source}


def sources(format: str) -> list[Source]:
    """The committed kernels of a declaration's types, in the order in which it declares them."""
    found = []
    for program in load_program(format).types.values():
        for verb, made in MAKERS.items():
            if f"{verb}_{program.name.replace('::', '__')}" in COMMITTED[format]:
                found.append(made(program))
    assert {source.function for source in found} == set(COMMITTED[format])
    return found


def module(format: str) -> str:
    """The text of its module."""
    return module_text(sources(format), f"formats/{format}.ksy")
