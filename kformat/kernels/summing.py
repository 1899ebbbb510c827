"""CRC-32C of many parts at once, by the C function of google-crc32c. Written by hand, to call it without an
interpreter: of short batches that takes as long as the sum itself, and holds other threads up."""

from __future__ import annotations

import ctypes
import importlib
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic

from kformat.kernels.runtime import U, kernel

_ir: Any = cgutils.ir  # type: ignore[attr-defined]  # llvmlite's, which is numba's business and not ours

SUM = "crc32c_value"
"""``uint32_t crc32c_value(const uint8_t *data, size_t count)``"""


def address_of_sum() -> int | None:
    """Where the function is; None where the library does not show it."""
    try:
        library = ctypes.CDLL(importlib.import_module("google_crc32c._crc32c").__file__)
        return ctypes.cast(getattr(library, SUM), ctypes.c_void_p).value
    except (ImportError, OSError, AttributeError):
        return None


@intrinsic
def _sum_at(typingcontext: Any, address: Any, data: Any, position: Any, size: Any) -> Any:
    """What the function at an address says of bytes of an array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[1])(context, builder, arguments[1])
        number, size = (context.get_value_type(kind) for kind in (types.uint32, types.int64))
        kind = _ir.FunctionType(number, [array.data.type, size])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.call(function, [builder.gep(array.data, [arguments[2]]), arguments[3]])

    return types.uint32(types.int64, data, types.int64, types.int64), generate


@kernel
def sums(address: Any, data: Any, starts: Any, ends: Any, target: Any) -> None:
    """The sum of each ``data[start:end]``, all of which lie in the data."""
    for row in range(len(starts)):
        start = starts[U(row)]
        target[U(row)] = _sum_at(address, data, start, ends[U(row)] - start)  # type: ignore[call-arg]
