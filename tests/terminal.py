"""Calls of the command on a terminal: its streams are one, and what is seen there is read as it comes."""

from __future__ import annotations

import contextlib
import os
import pty
import sys
import threading
from collections.abc import Callable, Sequence
from unittest import mock

from kformat.cli import main

_END = b"\x1c"  # a separator, which nothing prints


def on_a_terminal(
    call: Sequence[object] | Callable[[], int | None],
    *,
    answer: bytes = b"",
    streams: Sequence[str] = ("stdout", "stderr"),
) -> tuple[int, bytes]:
    """The exit status of a call, and what is on the terminal that has these of its streams.

    It is a function's, or the command's with these arguments.

    Where an answer is given, it stands on the terminal already, as its standard input.
    """
    shown = bytearray()
    terminal, end = pty.openpty()

    def read() -> None:
        # Up to a mark: a terminal whose other end is closed may lose what was not yet read.
        with open(terminal, "rb", buffering=0, closefd=False) as screen, contextlib.suppress(OSError):
            while not shown.endswith(_END) and (part := screen.read(1 << 16)):
                shown.extend(part)

    reader = threading.Thread(target=read)
    reader.start()
    os.write(terminal, answer)
    with (
        open(end, encoding="utf-8", closefd=False) as stdin,
        open(end, "w", encoding="utf-8") as stream,
        mock.patch.dict(vars(sys), dict.fromkeys(streams, stream) | ({"stdin": stdin} if answer else {})),
    ):
        try:
            status = call() if callable(call) else main.main(list(map(str, call)), standalone_mode=False)
        except SystemExit as ended:
            status = int(ended.code or 0)
        finally:
            stream.write(_END.decode())
            stream.flush()
            reader.join()
    os.close(terminal)
    return status or 0, bytes(shown.removesuffix(_END)).replace(b"\r\n", b"\n")  # the terminal's own line ends
