"""A scan and `to_parquet` through Spark Connect, next to a session with a JVM of its own, by turns: both have two
cores, the server of Connect is on the same machine, and both have done it five times before. 2 GB of log in 16
segments, records with keys of 10 and values of 100 bytes, uncompressed, in the page cache; seconds of the wall's clock.
What it does not show: a network between client and server.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.jobs import FULL, SMALL, Worker, make, worker
from bench.spark import processors
from kformat.corpus.bulk import Bulk
from tests.spark.connect_server import connect_server

MOST_ROUNDS = 5
WARM_ROUNDS: Final = 5
"""Before anything counts: a server compiles for so long what a query needs that is planned for a client."""
BAR: Final = 0.9
"""How fast Connect has to be, by a session with a JVM."""
NAMES: Final = ("scan", "to_parquet")


@contextmanager
def connected(work: Path) -> Iterator[Worker]:
    """A session over Connect, and its server."""
    (work / "server").mkdir()
    settings = {"spark.driver.extraJavaOptions": "", "spark.sql.codegen.factoryMode": "FALLBACK"}
    settings |= {"spark.sql.codegen.wholeStage": "true", "spark.sql.shuffle.partitions": "200"}
    settings |= {"spark.python.unix.domain.socket.enabled": "true", "spark.driver.memory": "1g"}  # as `session` has it
    with connect_server(work / "server", settings=settings) as url, worker(url, work / "connect") as made:
        yield made


def text(rounds: int) -> str:
    """Markdown: a table. One round is of few records."""
    sizes, warm = (SMALL, 1) if rounds == 1 else (FULL, WARM_ROUNDS)
    load = os.getloadavg()[0]
    with processors(2), tempfile.TemporaryDirectory(prefix="kformat-bench-") as scratch:
        work = Path(scratch)
        made = make(work / "logs", Bulk(sizes.size_bytes, segment_bytes=sizes.segment_bytes, partitions=2))
        seconds: dict[tuple[str, str], list[float]] = {}
        with worker(2, work / "classic") as classic, connected(work) as remote:
            for _ in range(warm + rounds):
                for name in NAMES:
                    found = set[int]()
                    for way, session in (("classic", classic), ("connect", remote)):
                        took, count = session.run(name, work / "logs")
                        seconds.setdefault((name, way), []).append(took)
                        found.add(count)
                    assert len(found) == 1, f"{name}: {found}"
    lines = ["| job | a JVM of its own, s | over Connect, s | GB/s over Connect | Connect ÷ own JVM, speed | asked |"]
    lines.append("|---|---:|---:|---:|---:|---:|")
    for name in NAMES:
        own, over = (statistics.median(seconds[name, way][warm:]) for way in ("classic", "connect"))
        lines.append(f"| `{name}` | {own:.2f} | {over:.2f} | {made / over / 1e9:.2f} | {own / over:.2f} | {BAR} |")
    return "\n".join([*lines, "", f"Other work on the machine when this began: a load of {load:.1f}."])
