"""What is wrong with a row that a kernel stopped at, in the codec's words: the codec reads it once more.

It stands by itself, because the codec takes a while to load and sound bytes never need it.
"""

from __future__ import annotations

from typing import Any

from kformat.codec.constructs import iterate
from kformat.codec.reader import Reader
from kformat.errors import DataError
from kformat.kernels import Kernel, Problem
from kformat.kernels.source import LEFTOVER
from kformat.storage.checksum import byte_view


def error_of(
    kernel: Kernel,
    data: Any,
    problem: Problem,
    end: int | None = None,
    *,
    path: str,
    source: str = "<bytes>",
    position: int = 0,
    is_cut: bool = True,
) -> DataError:
    """The error that the codec raises for the row of a problem, with that row's value as far as it was read.

    Args:
        kernel: what decoded the data.
        data: the bytes that were decoded.
        problem: what came of it.
        end: where in them the window ends, by default with them.
        path: what the rows are called (``record_batch.records``); the number of the row is put behind it.
        source, position: what the bytes are and where in it they begin; told in errors.
        is_cut: whether more bytes may be missing behind the end, so that a row which goes beyond it is truncated and
            not wrong.

    Checksums, which kernels do not verify, are not verified here, either.
    """
    view = byte_view(data)
    reader = Reader(view[:end], source=source, origin=position, start=problem.position, checksums=False, raw=True)
    reader.end_is_cut = is_cut
    leftover = problem.site is kernel.source.sites[LEFTOVER]
    try:
        for _ in iterate(kernel.source.program, reader, 0 if leftover else 1, path):
            pass
    except DataError as error:
        if not leftover:
            error.path = f"{path}[{problem.row}]" + error.path.removeprefix(f"{path}[0]")
        return error
    raise AssertionError(f"the codec reads what the kernel does not: {problem}")
