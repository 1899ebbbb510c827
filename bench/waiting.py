"""How long after an append a reader has the record that waits for it at the end of the log (`Cursor.poll` with a
timeout): milliseconds from before the append to after the read, of records that are appended every 10 ms, not synced,
in memory if the machine has /dev/shm. The writer is another process, or a thread of the reader's. The kernel reports
appends (Linux); the other rows are of systems where it does not, and the reader looks again and again, at growing
intervals of up to 50 ms. What it does not show: disks, several readers.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import kformat
from kformat.storage import changes
from kformat_engine import Log

PAUSE_S = 0.01
_WRITE = """
import sys
from bench.waiting import write
write(sys.argv[1], int(sys.argv[2]))
"""


def write(folder: str, count: int) -> None:
    """Append so many records, each with the time before its append."""
    with Log.open(folder) as log:
        for _ in range(count):
            time.sleep(PAUSE_S)
            log.append([b"%d" % time.monotonic_ns()])


def _in_thread(folder: str, count: int) -> Callable[[], object]:
    thread = threading.Thread(target=write, args=(folder, count))
    thread.start()
    return thread.join


def _in_process(folder: str, count: int) -> Callable[[], object]:
    return subprocess.Popen([sys.executable, "-c", _WRITE, folder, str(count)]).wait


def _delays(start: Callable[[str, int], Callable[[], object]], count: int) -> list[float]:
    """Milliseconds for each record."""
    delays = list[float]()
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=memory) as work:
        folder = str(Path(work) / "waiting-0")
        end = start(folder, count)
        with kformat.LogReader.open(folder, wait=60) as reader, reader.cursor() as cursor:
            while len(delays) < count:
                batch = cursor.poll(60)
                assert batch is not None
                now = time.monotonic_ns()
                delays += [(now - int(record.value or b"")) / 1e6 for record in batch.records()]
        end()
    return delays


def text(rounds: int) -> str:
    """The table."""
    lines = ["| appended by | found by | median, ms | 99th percentile, ms |", "|---|---|---:|---:|"]
    for writer, start in (("another process", _in_process), ("a thread", _in_thread)):
        for way, watch in (("the kernel's report", changes._watch), ("looking again and again", lambda path: None)):
            with patch.object(changes, "_watch", watch):
                delays = sorted(_delays(start, 50 if rounds == 1 else 500))
            late = delays[len(delays) * 99 // 100]
            lines.append(f"| {writer} | {way} | {statistics.median(delays):.2f} | {late:.2f} |")
    return "\n".join(lines)
