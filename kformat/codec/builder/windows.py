"""Windows: steps in bytes of a size, built as a stream of their own."""

from __future__ import annotations

import sys
from typing import Any

from kformat.codec.builder.bytes import encoded
from kformat.codec.builder.contents import write_contents
from kformat.codec.builder.instances import finish_stream
from kformat.codec.builder.lengths import check_size, derive_length, known_size
from kformat.codec.builder.state import Build, kept_of, key_of
from kformat.codec.drafts import Draft, Path, StreamOutput, asks_moment, shown, solve
from kformat.codec.values import MISSING
from kformat.errors import BuildError, UsageError
from kformat.language.program import Window
from kformat.storage.codecs import codecs


def stands_in_place(build: Build, step: Window, draft: Draft, path: Path) -> bool:
    """Whether a window is built where it stands, because it asks a stream around it."""
    arguments = () if step.process is None else step.process.arguments
    nodes = [*arguments, *([] if step.size is None else [step.size])]
    is_known = key_of(draft, step, (path, step.name)) in build.standing
    return is_known or any(asks_moment(node, draft) for node in nodes)


def build_window(build: Build, step: Window, draft: Draft, path: Path, element: Any = MISSING) -> bytes:
    """The bytes of a window, or of one around an element: built, and then processed, trimmed or compressed."""
    codec = 0 if step.codec is None else build.evaluate(step.codec, draft, path)
    value = draft.__dict__.get(step.name) if element is MISSING else element
    if step.codec is not None and isinstance(value, bytes):
        if not codec:
            raise BuildError("compressed bytes are given for a payload that is not compressed", path=shown(path))
        return value
    key, size = key_of(draft, step, path), known_size(step, draft)
    is_plain = step.process is None and step.trim is None and not codec
    outer = draft.__dict__.get("_io")
    depth = outer.depth + 1 if isinstance(outer, StreamOutput) else 1
    out = StreamOutput(size if is_plain and size is not None else build.sizes.get(key), build.answers, depth)
    out.key = key
    if is_plain and step.size is not None and (isinstance(path[-1], int) or solve(step.size, size, draft) is None):
        out.length = size
    out.instances += build.deferred.get(key, {}).values()
    written, ahead = draft._written, build.taken.get(key, 0 if size is None else size)
    outermost, build.answers.outermost = build.answers.outermost, sys.maxsize
    if isinstance(outer, StreamOutput):  # a reader takes the window's bytes before it reads their content
        outer.start += ahead
    if element is MISSING:
        build.write.steps(build, step.steps, draft, out, path[0] if len(path) == 2 else path)
    else:
        write_contents(build, step, step.steps, element, draft, out, path)
    draft._written = written
    if outer is not None:
        draft.__dict__["_io"] = outer
    data = finish_stream(build, out, kept_of(draft, path, "after"))
    if isinstance(outer, StreamOutput):
        outer.start -= ahead
    asks = build.answers.outermost < depth
    build.answers.outermost = min(outermost, build.answers.outermost)
    if build.sizes.get(key, len(data)) != len(data):
        build.again = True
    build.sizes[key] = len(data)
    if step.process is not None or step.trim is not None:
        data = encoded(build, step, data, draft, build.rooms.get(key), path)
    elif codec:
        magic = None if step.magic is None else build.evaluate(step.magic, draft, path)
        try:
            data = codecs().compress(codec, data, magic=magic)
        except UsageError as error:
            raise BuildError(str(error), path=shown(path)) from None
    build.again |= asks and len(data) != ahead
    build.taken[key] = len(data)
    return data


def write_inner(build: Build, step: Window, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
    """Write a window that is an element of a list, or a switch's case."""
    count = build.answers.count
    data = build_window(build, step, draft, path, value)
    if step.size is not None and isinstance(path[-1], str):  # of one element of a list, only what is not known
        derive_length(build, draft, step, step.size, len(data))
    check_size(build, step.size, len(data), draft, path, since=count)
    _note(build, step, draft, out, path)
    out.data += data


def _note(build: Build, step: Window, draft: Draft, out: StreamOutput, path: Path) -> None:
    """Note where a window stands, and how many bytes there are from there on."""
    key = key_of(draft, step, path)
    build.rooms[key] = out.room
    build.marks.window(key, out, step.process is None and step.trim is None and step.codec is None)


def write_window(
    build: Build,
    step: Window,
    built: tuple[bytes | None, int] | None,
    count: int,
    draft: Draft,
    out: StreamOutput,
    path: Path,
) -> None:
    """Write a window of a structure, built before all else, or now; ``count``: how often streams were asked before."""
    data: bytes | None
    if built is not None:
        data, count = built
    else:
        data = build_window(build, step, draft, path)
        if step.size is not None:
            derive_length(build, draft, step, step.size, len(data))
    draft._written = True
    if data is None:
        raise BuildError("may not be null here", path=shown(path))
    check_size(build, step.size, len(data), draft, path, since=count)
    _note(build, step, draft, out, path)
    out.data += data
