"""Windows: steps in bytes of a size, and those that are trimmed."""

from __future__ import annotations

from kformat.kernels.decode.bits import align
from kformat.kernels.decode.bytes import content, pass_over, size_of
from kformat.kernels.decode.function import DecodeFunction
from kformat.kernels.decode.sequence import decode_steps
from kformat.kernels.source import KernelScope
from kformat.language.program import CheckEnd, Window
from kformat.language.steps import leaves_bits


def decode_window(out: DecodeFunction, step: Window, scope: KernelScope, end: str) -> None:
    """Steps in bytes of a size::

        v2_end = p + v1_size
        ...
        if p < v2_end:
            return leave_decode_record(...)

    A payload that has a codec is passed over.
    """
    if step.codec is not None:  # its content may have to be decompressed first, for another kernel
        pass_over(out, step.name, step.size, scope, end)
        return
    inner, after = out.variable("end"), ""
    if step.trim is None:
        out.put(f"{inner} = p + {size_of(out, step.name, step.size, scope, end)}")
    else:
        size, consumed = content(out, step, step.trim, scope, end)
        after = out.variable("after")
        out.put(f"{inner} = p + {size}", f"{after} = p + {consumed}")
    decode_steps(out, step.steps, scope, inner)
    with out.block(f"if p < {inner}:"):
        out.put(out.fail(scope, step.name, "bytes are left over"))
    if after:
        out.put(f"p = {after}")
    if leaves_bits(step.steps):
        align(out)


def decode_end(out: DecodeFunction, step: CheckEnd, scope: KernelScope, end: str) -> None:
    """``if p < end: return leave_decode_record(...)``."""
    with out.block(f"if p < {end}:"):
        out.put(out.fail(scope, step.name, "bytes are left over"))
