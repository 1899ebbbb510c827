"""Bytes: of a size, up to a terminator, to the end, padded; and those that are always the same."""

from __future__ import annotations

from typing import Any

from kformat.codec import processes
from kformat.codec.builder.lengths import check_size, derive_length, known_size
from kformat.codec.builder.process import arguments_after
from kformat.codec.builder.state import Build, kept_of
from kformat.codec.builder.text import text_bytes
from kformat.codec.drafts import MAX_GAP, Draft, Path, StreamOutput, asks_moment, shown
from kformat.codec.extensions import NotRegisteredError
from kformat.codec.reader import terminator_index, trimmed
from kformat.codec.runtime import in_hex
from kformat.codec.values import MISSING
from kformat.errors import BuildError, KformatError
from kformat.language.program import ReadBytes, ReadLiteral, Trim, Window


def encoded(build: Build, step: ReadBytes | Window, data: bytes, draft: Draft, room: int | None, path: Path) -> bytes:
    """Content as it is stored: processed, with terminator and padding.

    Bytes that a reader kept stay if they give the same content. ``room`` is how many bytes there are up to the end
    of the stream, if that is known.
    """
    wanted = known_size(step, draft)
    asks = step.size is None or (wanted is None and asks_moment(step.size, draft))
    if asks and (step.trim is None or not step.trim.delimited):
        wanted = room
    nodes = () if step.process is None else step.process.arguments
    kept = kept_of(draft, path)
    if kept is not None and (step.trim is None or not step.trim.delimited):
        candidate = bytes(kept[1])
        content: bytes | None = candidate if step.trim is None else trimmed(candidate, step.trim)
        try:
            if step.process is not None:
                arguments = arguments_after(build, nodes, draft, len(candidate), path)
                content = processes.decode(step.process, arguments, content or b"", len(data))
        except KformatError:
            content = None  # other content
        if content == data:
            if step.size is not None:
                derive_length(build, draft, step, step.size, len(candidate))
            return candidate
    if step.process is not None:
        arguments = arguments_after(build, nodes, draft, len(data) if wanted is None else wanted, path)
        try:
            data = processes.encode(step.process, arguments, data)
        except BuildError as error:
            raise BuildError(error.message, path=shown(path)) from error
        except NotRegisteredError as error:
            error.at(draft._program, step.name)
            raise
    if step.trim is None:
        if step.size is not None:
            derive_length(build, draft, step, step.size, len(data))
        return data
    if step.trim.delimited:
        if room is None and kept is not None and kept[1] == data and not step.trim.must_end:
            build.again = True  # its reader met the stream's end: whether it is there is known when all is written
            return data
        return delimited(build, step.trim, data, room, path)
    return padded(build, step, step.trim, wanted, data, draft, path)


def delimited(build: Build, trim: Trim, data: bytes, room: int | None, path: Path) -> bytes:
    """Content up to a terminator, with it; content that fills the stream may do without, if that is allowed."""
    end = trim.terminator
    assert end is not None
    at = terminator_index(data, end)
    if at >= 0 and not (trim.include and at == len(data) - len(end)):
        raise BuildError("contains its terminator", path=shown(path), expected=f"no {end.hex()} in it")
    if trim.include:
        if at < 0 and trim.must_end:
            raise BuildError("must end with its terminator", path=shown(path), expected=end.hex())
        return data if trim.consume or at < 0 else data[:at]  # what follows begins with the terminator
    if not trim.consume or (not trim.must_end and room == len(data)):
        return data
    return data + end


def padded(
    build: Build, step: ReadBytes | Window, trim: Trim, wanted: int | None, data: bytes, draft: Draft, path: Path
) -> bytes:
    """Content of a size, with terminator and padding; a given size stays if the content fits into it."""
    end = b"" if trim.terminator is None or trim.include else trim.terminator
    whole = data
    if wanted is not None and len(whole) < wanted:
        if wanted - len(whole) > MAX_GAP:
            raise BuildError("too much padding", path=shown(path), expected=f"at most {MAX_GAP}", found=wanted)
        whole = (whole + end)[:wanted]
        whole += ((trim.pad or b"\0") * wanted)[: wanted - len(whole)]
    elif step.size is not None and wanted != len(whole):
        whole += end
        derive_length(build, draft, step, step.size, len(whole))
    if trimmed(whole, trim) != data:
        raise BuildError("would be read shorter, up to its terminator or padding", path=shown(path))
    return whole


def write_bytes(build: Build, step: ReadBytes, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
    """Bytes or text, of the size that the declaration asks for."""
    data = text_bytes(step, value, draft, path)
    if step.trim is None and step.process is None:
        check_size(build, step.size, len(data), draft, path)
        out.data += data
        if step.size is None:
            out.ends(path)
        return
    data = encoded(build, step, data, draft, out.room, path)
    check_size(build, step.size, len(data), draft, path)
    out.data += data


def write_literal(build: Build, step: ReadLiteral, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
    """Bytes that are always the same; BuildError if others are given."""
    contents = step.contents
    if value is not MISSING and value is not None and value != contents:
        raise BuildError("not the contents declared", path=shown(path), expected=in_hex(contents))
    out.data += contents
