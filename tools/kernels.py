"""The kernels of a shipped declaration as a module of `kformat/generated/kernels/`."""

from __future__ import annotations

from kformat.declaration import load_declaration, shipped_names
from kformat.kernels import KernelError
from kformat.kernels.source import Source, decode_source, module_text
from kformat.program import load_program

# Declarations of primitives, which have no values by themselves.
FORMATS = tuple(name for name in shipped_names() if load_declaration(name).root.intrinsic is None)


def sources(format: str) -> list[Source]:
    """The kernels of all its types that have one."""
    found = []
    for program in load_program(format).types.values():
        try:
            found.append(decode_source(program))
        except KernelError:  # tests/test_kernels.py has them by name
            continue
    return found


def module(format: str) -> str:
    """The text of its module."""
    return module_text(sources(format), f"formats/{format}.ksy")
