"""The places of a program where an interrupt may come.

A signal's handler runs, and may raise, where the interpreter looks for it: when a function begins, after a call, and
when a loop goes round. (What raises after a call is caught by what the call stands in; so places are left out that
stand in something else than the call did.)
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

_CHECKED = {"RESUME", "CALL", "CALL_FUNCTION_EX", "CALL_KW", "JUMP_BACKWARD", "PRECALL"}

Place = tuple[CodeType, int]


class _Places:
    """Of a function's code: the instructions before which an interrupt may come, by their positions."""

    def __init__(self) -> None:
        self.known: dict[CodeType, set[int]] = {}

    def of(self, code: CodeType) -> set[int]:
        if code not in self.known:
            found, before = set(), None
            entries = dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]

            def handler(position: int) -> Any:
                return next((entry.target for entry in entries if entry.start <= position < entry.end), None)

            for instruction in dis.get_instructions(code):
                if before is not None and before.opname in _CHECKED and before.opname != "PRECALL":
                    if handler(before.offset) == handler(instruction.offset):
                        found.add(instruction.offset)
                before = instruction
            self.known[code] = found
        return self.known[code]


_PLACES = _Places()


@contextmanager
def tracing(at: Callable[[Place], object], files: Collection[str | None]) -> Iterator[None]:
    """Call a function with each place that this thread comes to in code of these source files."""

    def in_frame(frame: FrameType, event: str, _: Any) -> Any:
        if event == "opcode" and frame.f_lasti in _PLACES.of(frame.f_code):
            at((frame.f_code, frame.f_lasti))
        return in_frame

    def on_call(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in files:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return in_frame

    sys._getframe().f_trace_opcodes = True  # Python 3.12 has these events where some frame asks before `settrace`
    sys.settrace(on_call)
    try:
        yield
    finally:
        sys.settrace(None)
