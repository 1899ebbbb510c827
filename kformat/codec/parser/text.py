"""Text: bytes that are decoded."""

from __future__ import annotations

from kformat.codec.parser.function import ParserFunction
from kformat.language.encodings import LENIENT, is_reversible
from kformat.language.program import ReadBytes


def keep_text(out: ParserFunction, step: ReadBytes, value: str, content: str) -> None:
    """Remember the bytes of a text that has several forms: ``keep_text_(v, k1, t1, x, k2)``."""
    if step.encoding is not None and not is_reversible(step.encoding):
        name = out.kept_name(step, "text")
        if name is not None:
            out.put(f"keep_text_(v, {name}, {value}, {content}, {out.const(step.encoding)})")


def decode_text(out: ParserFunction, step: ReadBytes, local: str, position: str) -> str:
    """A local with bytes of the stream from a position on, or of what is decoded, as text.

    ::

        try:
            t1 = x.decode(k1)
        except unicode_error_ as u:
            t1 = undecoded_(r, v, k2, w, x, k3, u, True)
    """
    encoding = step.encoding
    assert encoding is not None
    text, name = out.new("t"), out.const(encoding)
    with out.block("try:"):
        out.put(f"{text} = {local}.decode({out.const(LENIENT.get(encoding.upper(), encoding))})")
    with out.block("except unicode_error_ as u:"):
        where = f"{out.path_of(step)}, {position}"
        out.put(f"{text} = undecoded_(r, v, {where}, {local}, {name}, u, {step.process is None})")
    return text
