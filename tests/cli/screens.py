"""What a terminal shows of verbs and of progress: at 80 and at 200 columns, with colour and without.

`screens.txt` has each screen, escape sequences as Python writes them; `python -m tests.cli.screens` rewrites it. Read
the difference, and look at the pictures that `make generate` draws of it (docs/screens), before it is committed.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from kformat.cli.output import Output
from kformat.cli.progress import ProgressLine
from tests.damages import BASE_TIMESTAMP_MS, data_batch, patched, segment, stem, write
from tests.terminal import on_a_terminal

SCREENS = Path(__file__).parent / "screens.txt"
WIDTHS = 80, 200
CASES = {
    "check": "check disk",
    "check-sound": "check disk/sound-0",
    "check-few": "check disk/payments-1",
    "check-statistics": "check disk --statistics",
    "check-by-rule": "check disk --group-by rule",
    "check-by-partition": "check disk --group-by partition",
    "check-by-file": "check disk --group-by file",
    "check-statistics-by-partition": "check disk --group-by partition --statistics",
    "explain": "explain KF0504",
    "ls": "ls disk",
    "ls-all": "ls disk/orders-0 -a",
    "ls-columns": "ls disk --columns partition,file,size_bytes --sort -size_bytes",
    "formats": "formats",
    "stats": "stats disk/sound-0",
}
PROGRESS = "progress"
"""What a verb shows that takes long, its clock and reads played."""
HEAD = "Screens of tests/cli/screens.py; see there.\n"


def disk(path: Path) -> Path:
    """A root with a partition that is badly damaged, one that is a little, one that is sound, and a stranger's file."""
    batches = [data_batch(3 * number, BASE_TIMESTAMP_MS + number) for number in range(20)]
    broken = [*batches[:4], *(patched(batch, mend=False, crc=7) for batch in batches[4:16]), *batches[16:]]
    sound = segment(0, batches)
    index, times = f"{stem(0)}.index", f"{stem(0)}.timeindex"
    uncut = {index: sound[index] + bytes(80), times: sound[times] + bytes(120)}
    write(sound | {f"{stem(0)}.log": b"".join(broken)}, path / "orders-0")
    write(sound | uncut | segment(60, [data_batch(60, BASE_TIMESTAMP_MS + 60)]), path / "payments-1")
    write(sound, path / "sound-0")
    (path / "notes.txt").touch()
    return path


def long_verb() -> None:
    """A verb that reads for a minute and a half, and finds something on its way."""
    seconds, out = 0.0, Output()
    line = ProgressLine(lambda: seconds)
    for seconds, done, finding in (  # noqa: B007
        (0.4, 10, None),
        (0.6, 20, None),
        (0.7, 30, None),
        (9.0, 300, None),
        (20.0, 600, "found: something"),
        (50.0, 1500, None),
        (90.0, 2700, None),
    ):
        line.amount(done * 1_000_000, 2_700_000_000, "disk/orders-0/00000000000000000000.log")
        if finding is not None:
            out.line(finding)
    out.stream.write(b"[1, 2")
    seconds = 91.0
    line.amount(1, 2, "is not shown inside of a line")
    out.line("]")
    line.clear()


def screen(arguments: list[str], columns: int, *, colour: bool) -> tuple[int, str]:
    """The exit status of a call, and what is on the terminal that has both of its streams."""
    with terminal(columns, colour=colour):
        status, shown = on_a_terminal(arguments)
    text = re.sub(r"kformat: compiling kernels[^\n]*\n", "", shown.decode())  # of the first call on a machine
    return status, re.sub(r"[^\n]*\r\x1b\[K", "", text)  # a line of progress that came and went


@contextlib.contextmanager
def terminal(columns: int, *, colour: bool) -> Iterator[None]:
    environment = {"COLUMNS": str(columns), "TERM": "xterm-256color", "NO_COLOR": "" if colour else "1"}
    with mock.patch.dict(os.environ, environment):
        yield


def screens(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and text of every screen; the calls are made in the folder."""
    disk(folder / "disk")
    with contextlib.chdir(folder):
        for name, call in CASES.items():
            for columns in WIDTHS:
                for colour in (False, True):
                    status, text = screen(call.split(), columns, colour=colour)
                    shown = text.replace("\x1b", "\\x1b")
                    title = f"{name}-{columns}{'-colour' if colour else ''}"
                    yield title, f"$ kformat {call}\n{shown}exit status {status}\n"
    for columns in WIDTHS:
        for colour in (False, True):
            with terminal(columns, colour=colour):
                _, seen = on_a_terminal(long_verb)
            shown = seen.decode().replace("\x1b", "\\x1b").replace("\r", "\\r\n")
            yield f"{PROGRESS}-{columns}{'-colour' if colour else ''}", f"{shown}\n"


def golden() -> dict[str, str]:
    """The screens as they were when they were last looked at."""
    parts = SCREENS.read_text(encoding="utf-8").split("\n=== ")[1:]
    return {name: text for name, _, text in (part.partition("\n") for part in parts)}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        texts = [f"\n=== {name}\n{text}" for name, text in screens(Path(scratch))]
    SCREENS.write_text(HEAD + "".join(texts), encoding="utf-8")
