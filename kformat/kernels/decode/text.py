"""Text: bytes, to a kernel."""

from __future__ import annotations

from kformat.kernels.decode.function import DecodeFunction
from kformat.kernels.source import KernelScope
from kformat.language.encodings import LENIENT
from kformat.language.program import ReadBytes


def note_encoding(out: DecodeFunction, step: ReadBytes, scope: KernelScope) -> None:
    """Note the column of a text that the codec refuses if it is not in its encoding: kernels do not check."""
    if step.encoding is not None and step.encoding.upper() not in LENIENT:
        out.texts[scope.prefix + step.name] = step.encoding
