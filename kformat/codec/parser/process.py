"""Processes: xor, rotation, zlib, and users' own."""

from __future__ import annotations

from kformat.codec.parser.function import ParserFunction
from kformat.language.program import ProcessCall


def apply_process(out: ParserFunction, process: ProcessCall) -> None:
    """Decode the bytes in ``x`` by a process: ``r.position = p; x = r.processed(k1, (v.key, ), x, w)``."""
    arguments = [out.value_of(node) for node in process.arguments]
    joined = "".join(f"{argument}, " for argument in arguments)
    out.put(f"r.position = p; x = r.processed({out.const(process)}, ({joined}), x, w)")
