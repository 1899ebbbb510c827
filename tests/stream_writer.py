"""``python -m tests.stream_writer FOLDER``: appends to a partition with the engine until somebody ends it.

Each record's value is its offset, and the time in seconds when it was appended. It goes on where an earlier one ended,
however that ended.
"""

from __future__ import annotations

import sys
import time

from kformat_engine import Log, LogConfig

SEGMENT_BYTES = 1 << 20  # as small as a broker has them
FILLING = b"x" * 500
PAUSE_S = 0.02
MOST_RECORDS = 40


def main(folder: str) -> None:
    config = LogConfig(segment_bytes=SEGMENT_BYTES, index_interval_bytes=512)
    with Log.open(folder, config) as log:
        offset = log.end_offset
        while True:
            count = 1 + offset % MOST_RECORDS
            log.append([(None, b"%d %f %b" % (offset + number, time.time(), FILLING)) for number in range(count)])
            offset += count
            time.sleep(PAUSE_S)


if __name__ == "__main__":
    main(sys.argv[1])
