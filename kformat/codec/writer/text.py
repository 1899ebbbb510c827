"""Text: it is encoded as it was decoded."""

from __future__ import annotations

from kformat.codec.writer.function import WriterFunction
from kformat.language.encodings import LENIENT
from kformat.language.program import ReadBytes


def stored(out: WriterFunction, step: ReadBytes) -> str:
    """A local with the bytes of a field: ``x1 = str_.encode(v.name, k1)`` of text."""
    data = out.new("x")
    if step.encoding is None:
        out.put(f"{data} = {out.value(step.name)}")
        out.unless(f"type_({data}) is bytes_")
    elif step.encoding.upper() in LENIENT:
        encoding = out.const(LENIENT[step.encoding.upper()])
        out.put(f"{data} = str_.encode({out.value(step.name)}, {encoding}, lenient_)")
    else:
        out.put(f"{data} = str_.encode({out.value(step.name)}, {out.const(step.encoding)})")
    return data
