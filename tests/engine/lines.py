"""Worked example W16: lines `hello kangkang N` appended to a log that rolls, for tests and the bench alike.

The clock goes on by a second with every ten thousand lines, so that all figures come out the same each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.kafka.files.file_kinds import file_name
from kformat_engine import Log, LogConfig
from tests.engine.building import SetClock

START_MS: Final = 1526384718000
APPEND_COUNT: Final = 10_000
"""Lines of one append, which have one timestamp."""
STEP_MS: Final = 1000


@dataclass(frozen=True)
class Size:
    """How many lines, in segments of how many bytes, and where the segments begin then."""

    count: int
    segment_bytes: int
    base_offsets: Sequence[int]
    last_bytes: int
    """The length of the last segment's `.log`."""


SMALL: Final = Size(200_000, 2_097_152, (0, 75_265, 147_910), 1_510_328)
LARGE: Final = Size(10_000_000, 104_857_600, (0, 3_532_730, 7_028_190), 89_137_359)


def line(number: int) -> bytes:
    """One of the lines."""
    return b"hello kangkang %d" % number


def write(root: Path, size: Size) -> Path:
    """A root with the log in it, which is closed; its folder."""
    clock = SetClock(START_MS)
    with Log.open(root / "lines-0", LogConfig(segment_bytes=size.segment_bytes), clock=clock) as log:
        for first in range(0, size.count, APPEND_COUNT):
            log.append([line(number) for number in range(first, first + APPEND_COUNT)])
            clock.sleep(STEP_MS)
        return log.path


def dumped(path: Path) -> bytes:
    """What `kformat dump` prints of one file."""
    done = CliRunner().invoke(main, ["dump", str(path)])
    assert done.exit_code == 0, done.output
    return done.stdout_bytes


def find_offsets(log: Log, size: Size, count: int) -> None:
    """Read as many lines by their offsets as is said, all over the log, and the ones beside the segments' ends."""
    edges = [offset + beside for offset in size.base_offsets for beside in (-1, 0) if offset + beside >= 0]
    for offset in (*range(0, size.count, size.count // count), *edges, size.count - 1):
        record = next(log.read(offset, 1).records())
        assert (record.offset, record.value) == (offset, line(offset))


def find_timestamps(log: Log, size: Size, count: int) -> None:
    """Look up as many points in time as is said, between the times of appends."""
    appends = size.count // APPEND_COUNT
    for number in range(count):
        append = number * appends // count
        first = (START_MS + append * STEP_MS, append * APPEND_COUNT, 0)
        assert log.offset_for_timestamp(first[0]) == first
        assert log.offset_for_timestamp(first[0] - 1) == first
    assert log.offset_for_timestamp(START_MS + appends * STEP_MS) is None


def check(root: Path, size: Size) -> None:
    """All that the example asks for: it rolls, dumps, and finds by offset and by time."""
    folder = write(root, size)
    segments = kformat.open(folder).segments
    assert tuple(segment.base_offset for segment in segments) == size.base_offsets
    assert segments[-1].size_bytes == size.last_bytes
    next_offset = 0
    for segment, following in zip(segments, [*segments[1:], None], strict=True):
        headers = segment.headers()
        if following is not None:
            begins = following.headers()
            assert segment.size_bytes <= size.segment_bytes < segment.size_bytes + int(begins.size[0])
        printed = dumped(segment.log).decode().splitlines()
        assert printed[:2] == [f"Dumping {segment.log}", f"Log starting offset: {segment.base_offset}"]
        positions = {}
        for position, text in zip(headers.position.tolist(), printed[2:], strict=True):
            fields = dict(zip(text.split()[::2], text.split()[1::2], strict=True))
            assert (int(fields["baseOffset:"]), int(fields["position:"])) == (next_offset, position)
            assert fields["isvalid:"] == "true"
            next_offset = int(fields["lastOffset:"]) + 1
            positions[next_offset - 1] = (position, int(fields["CreateTime:"]))
        by_offset = [
            text.split() for text in dumped(folder / file_name(segment.base_offset, "index")).decode().splitlines()
        ]
        assert len(by_offset) > 1
        for _, offset, _, position in by_offset[1:]:
            assert positions[int(offset)][0] == int(position)
        by_time = [
            text.split() for text in dumped(folder / file_name(segment.base_offset, "timeindex")).decode().splitlines()
        ]
        assert len(by_time) > 1
        for _, timestamp, _, offset in by_time[1:]:
            assert positions[int(offset)][1] == int(timestamp)
    assert next_offset == size.count
    with Log.open(folder, LogConfig(segment_bytes=size.segment_bytes)) as log:
        find_offsets(log, size, 200)
        find_timestamps(log, size, 20)
