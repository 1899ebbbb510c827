"""Lists: integers at once, other elements one by one."""

from __future__ import annotations

import struct
from typing import Any

from kformat.codec.builder.lengths import check_size
from kformat.codec.builder.rules import check_rule
from kformat.codec.builder.state import Build, NotGiven, TooEarly, kept_of
from kformat.codec.builder.written_rows import WrittenRows, write_rows
from kformat.codec.drafts import Draft, Path, StreamOutput, shown
from kformat.errors import BuildError
from kformat.language.layout import struct_format
from kformat.language.program import ReadInteger, ReadList


def write_list(
    build: Build, step: ReadList, value: list[Any] | WrittenRows, draft: Draft, out: StreamOutput, path: Path
) -> None:
    if step.count is not None:
        draft.__dict__[step.name] = []  # as in a parser, which counts before it reads
        try:
            check_size(build, step.count, len(value), draft, path, is_count=True)
        finally:
            draft.__dict__[step.name] = value
    if isinstance(value, WrittenRows):
        write_rows(build, step.name, value, draft, out)
        return
    element, values = step.element, draft.__dict__
    is_marked = step.name in build.marks.names
    if (
        not is_marked
        and type(element) is ReadInteger
        and not element.by_type
        and not step.checks
        and step.until is None
    ):
        code = struct_format(element)
        assert code is not None
        try:
            data = struct.pack(f"{code[0]}{len(value)}{code[1]}", *value)
            if value and step.align:
                out.align(kept_of(draft, (path, 0), "before"))
            out.data += data
            if step.count is None:
                out.ends(path)
            return
        except struct.error:
            pass  # element by element, for the error
    until = step.until
    if until is not None and not value:
        raise BuildError("is empty, and ends with the element for which its condition is true", path=shown(path))
    so_far: list[Any] = []
    values[step.name] = so_far  # as in a parser, elements know those before them
    try:
        for index, item in enumerate(value):
            here = (path, index)
            values["_index"] = index
            if step.align:
                out.align(kept_of(draft, here, "before"))
            if is_marked:
                build.marks.element(draft, step.name, out)
            build.write.step(build, element, item, draft, out, here)
            so_far.append(item)
            for check in step.checks:
                check_rule(build, check, item, draft, here)
            if until is not None:
                values["_"], values["_index"] = item, index
                count = build.answers.count
                try:
                    is_last = bool(build.evaluate(until, draft, here))
                except TooEarly:  # the next pass knows how long the stream is
                    build.again = True
                    continue
                except NotGiven as error:  # an instance reads what is not written yet
                    build.reads_again = error
                    continue
                if is_last != (index == len(value) - 1):
                    words = f"{until} must be true for the last element alone"
                    build.refuse(BuildError(words, path=shown(here)), count)
    finally:
        values[step.name] = value
    if until is None and step.count is None:
        out.ends(path)
