"""Read a file piece by piece from inside a kernel, by the system's own function. Handwritten, to do so without a Python
call for each piece.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from numba.core import cgutils, types
from numba.core.extending import intrinsic

_ir: Any = cgutils.ir  # type: ignore[attr-defined]  # llvmlite's
_BITS_OF_OFFSETS = 64


@functools.cache
def address_of_pread() -> int | None:
    """The address of ``ssize_t pread(int, void *, size_t, off_t)`` with positions of 64 bits; None without one."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):  # Windows
        return None
    if ctypes.sizeof(ctypes.c_long) * 8 != _BITS_OF_OFFSETS:
        return None
    return ctypes.cast(library.pread, ctypes.c_void_p).value if hasattr(library, "pread") else None


@intrinsic
def pread(typingcontext: Any, function: Any, descriptor: Any, to: Any, size: Any, position: Any) -> Any:
    """Read bytes of a file to an address: how many, or -1. The caller reads again to find the error."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, descriptor, to, size, position = arguments
        wide, number = context.get_value_type(types.int64), context.get_value_type(types.int32)
        pointer = context.get_value_type(types.uint8).as_pointer()
        kind = _ir.FunctionType(wide, [number, pointer, wide, wide])
        called = builder.inttoptr(address, kind.as_pointer())
        return builder.call(called, [builder.trunc(descriptor, number), builder.inttoptr(to, pointer), size, position])

    return types.int64(types.int64, types.int64, types.int64, types.int64, types.int64), generate


@intrinsic
def move(typingcontext: Any, to: Any, start: Any, size: Any) -> Any:
    """Move bytes from one address to another; the two places may overlap."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = context.get_value_type(types.uint8).as_pointer()
        to, start = (builder.inttoptr(one, pointer) for one in arguments[:2])
        cgutils.raw_memmove(builder, to, start, arguments[2], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


__all__ = ["address_of_pread", "move", "pread"]
