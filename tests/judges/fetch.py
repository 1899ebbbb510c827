"""Fetch the judges into `.judges/`, or into KFORMAT_JUDGES_DIR.

    python -m tests.judges.fetch judges|samples|VERSION... [tiered-4.3.1] [kaitai-0.11] [spark-4.2.0]

`judges` is what the tests ask (`make judges`), `samples` the brokers that wrote `samples/`. What is there stays.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import subprocess
import sys
import time

from tests.judges import jars, releases, spark_kafka
from tests.judges.broker import make_archive

JUDGES = (*jars.JUDGES, spark_kafka.NAME)

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Fetch what was asked for, one line each."""
    parser = argparse.ArgumentParser(prog="python -m tests.judges.fetch", description=(__doc__ or "").splitlines()[0])
    named = "judges, samples, a Kafka version, tiered-4.3.1, kaitai-0.11, or spark-4.2.0"
    parser.add_argument("names", nargs="+", help=named)
    groups = {"judges": JUDGES, "samples": releases.SAMPLES}
    names = [name for given in parser.parse_args(arguments).names for name in groups.get(given, (given,))]
    for name in dict.fromkeys(names):
        begun = time.monotonic()
        if name == spark_kafka.NAME:
            fetched, count = spark_kafka.fetch(), len(spark_kafka.spark_jars())
        else:
            fetched, count = jars.fetch(name), sum(1 for _ in jars.directory(name).glob("*.jar"))
        took = f"fetched in {time.monotonic() - begun:.0f} s" if fetched else "already there"
        print(f"judge {name}: {count} jars, {took}", flush=True)
        if name in releases.LIVE and shutil.which("java"):
            with contextlib.suppress(RuntimeError, OSError, subprocess.SubprocessError):  # it is for speed alone
                make_archive(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
