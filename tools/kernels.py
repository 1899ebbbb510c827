"""The kernels of a shipped declaration as a module of `kformat/generated/kernels/`."""

from __future__ import annotations

import contextlib

from kformat.declaration import load_declaration, shipped_names
from kformat.kernels import KernelError
from kformat.kernels.decoding import decode_source
from kformat.kernels.encoding import encode_source
from kformat.kernels.source import Source, module_text
from kformat.program import load_program

# Declarations of primitives, which have no values by themselves.
FORMATS = tuple(name for name in shipped_names() if load_declaration(name).root.intrinsic is None)


def sources(format: str) -> list[Source]:
    """The kernels of all its types that have one."""
    found = []
    for program in load_program(format).types.values():
        for made in (decode_source, encode_source):
            with contextlib.suppress(KernelError):  # tests/test_kernels.py has them by name
                found.append(made(program))
    return found


def module(format: str) -> str:
    """The text of its module."""
    return module_text(sources(format), f"formats/{format}.ksy")
