"""Progress of a verb: one line on a terminal's standard error, drawn twice a second and cleared before other output.

Progress is measured where files are read (`kformat.storage.byte_source.watching`), so a verb only names its paths. The
total is the size of the logs below these paths. It is computed when the line is first drawn, half a second after the
start: short calls skip all of this. `kformat -q` and pipes show no progress.

Bar, percentage and remaining time come from click's progress bar, which is installed anyway: rich would add 10 MB to
the installation for the same line. click's own drawing hides the cursor and does not clear its line; this module clears
the line and does not hide the cursor.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from typing import Final

import click

from kformat.cli import clear_progress, is_quiet, one_line, show_progress
from kformat.cli.output import is_coloured
from kformat.results import size_text
from kformat.storage.address import is_address
from kformat.storage.byte_source import watching

_EVERY_S: Final = 0.5
_MOST_BAR: Final = 30
_EMPTY, _FILLED = "-", "#"

Clock = Callable[[], float]
"""Seconds, as `time.monotonic`."""


class ProgressLine:
    """How far something is, on one line of standard error; nothing where that is no terminal, and not at once."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self.clock, self.started = clock, clock()
        self.is_shown, self.next_s = sys.stderr.isatty() and not is_quiet(), self.started + _EVERY_S

    @property
    def is_due(self) -> bool:
        """Whether it is time to draw the line again."""
        return self.is_shown and self.clock() >= self.next_s

    def show(self, text: str, name: str) -> None:
        """Draw a text and, after it, as much of the end of a name as the line has room for."""
        if self.is_due:
            self._draw(text, name)

    def amount(self, done: int, total: int, name: str, unit: str = "") -> None:
        """Draw how much of a total is done, and the name of what is being worked on. The ``unit`` is bytes by default;
        a total of 0 is not known."""
        if not self.is_due:
            return
        if not total:
            self._draw(f"{_amount(done, unit)}, ", name)
            return
        done = min(done, total)
        width = min(_MOST_BAR, shutil.get_terminal_size().columns // 4)
        bar = click.progressbar(length=total, width=width, fill_char=_FILLED, empty_char=_EMPTY, file=io.StringIO())
        bar.pos, bar.avg, bar.eta_known = done, [(self.clock() - self.started) / max(done, 1)], True
        left = f"{bar.format_eta()} left, " if done else ""
        shown = f"{_amount(done, unit, total)} of {_amount(total, unit)}"
        self._draw(f"[{bar.format_bar()}] {bar.format_pct()}, {left}{shown}, ", name)

    def _draw(self, text: str, name: str) -> None:
        self.next_s = self.clock() + _EVERY_S
        room = shutil.get_terminal_size().columns - 1  # a line that wraps could not be cleared
        line = text[:room]
        line = (line + one_line(name)[-(room - len(line)) :] if len(line) < room else line).removesuffix(", ")
        filled = text.count(_FILLED)
        if filled and is_coloured(sys.stderr):
            line = line.replace(_FILLED * filled, click.style(_FILLED * filled, fg="cyan"), 1)
        show_progress(line)

    def clear(self) -> None:
        """Clear the line."""
        clear_progress()


def _amount(number: int, unit: str, like: int | None = None) -> str:
    """A number of bytes in its largest unit; or in the largest unit of ``like``, without naming the unit."""
    if unit:
        return f"{number:,}" if like is not None else f"{number:,} {unit}"
    return size_text(number, like)


def reading(paths: Iterable[str], *, times: int = 1) -> ProgressLine:
    """The progress of a verb that reads the logs below some paths, each so many times, from now to the verb's end."""
    line = ProgressLine()
    if line.is_shown:
        click.get_current_context().with_resource(watching(_Reads(line, list(paths), times)))
    return line


class _Reads:
    """Adds up what is read of the logs below some paths.

    Of a log, what was read ends where the last read ended. Logs of a folder that were passed over (their names are
    smaller than that of the log being read, and they were not read) do not count.
    """

    def __init__(self, line: ProgressLine, paths: list[str], times: int) -> None:
        self.line, self.paths, self.times = line, paths, times
        self.sizes: dict[str, int] | None = None  # of the logs, in the order of their names
        self.seen: dict[str, list[int]] = {}  # a name -> complete reads of it, and the end of the last read
        self.now: dict[str, str] = {}  # the log of each folder that was read last

    def __call__(self, name: str, start: int, end: int) -> None:
        seen = self.seen.get(name)
        if seen is None:
            seen = self.seen[name] = [0, 0]
        if start == 0 and end <= seen[1] and self.times > 1:
            seen[0] += 1
            seen[1] = 0
        seen[1] = max(seen[1], end)
        if self.line.is_due:
            self._draw(name)

    def _draw(self, name: str) -> None:
        if self.sizes is None:
            self.sizes = _sizes(self.paths)
        seen = {os.path.realpath(known): counts for known, counts in self.seen.items()}
        done = total = 0
        folder, at = os.path.split(os.path.realpath(name))
        if at.endswith(".log"):
            self.now[folder] = at
        for path, size in self.sizes.items():
            counts = seen.get(path)
            folder, file = os.path.split(path)
            if counts is not None:
                done += min(counts[0], self.times - 1) * size + min(counts[1], size)
            elif file < self.now.get(folder, ""):
                continue
            total += size * self.times
        if not self.sizes:
            done = sum(ended for _, ended in self.seen.values())
        self.line.amount(done, total, name)


def _sizes(paths: Iterable[str]) -> dict[str, int]:
    """The sizes of the logs below some paths on this machine, by their paths without links."""
    sizes: dict[str, int] = {}
    for path in paths:
        if is_address(path):
            return {}
        real = os.path.realpath(path)
        logs = [real]
        if os.path.isdir(real):
            logs = [os.path.join(at, name) for at, _, names in os.walk(real) for name in names if name.endswith(".log")]
        for log in logs:
            try:
                sizes[log] = os.path.getsize(log)
            except OSError:  # it disappeared, or cannot be looked at, which reading it reports
                continue
    return sizes


__all__ = ["ProgressLine", "reading"]
