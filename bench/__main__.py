"""`python -m bench [--only NAME] [--rounds N]`: run the benchmarks and print their tables."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from bench import building, check, columns, compare, engine, grep, indexes, record_batches, reindex, walkthrough

SUITES: dict[str, Any] = {
    "record_batches": record_batches,
    "indexes": indexes,
    "columns": columns,
    "check": check,
    "building": building,
    "engine": engine,
    "reindex": reindex,
    "grep": grep,
    "walkthrough": walkthrough,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure kformat beside other readers.")
    parser.add_argument("--only", choices=sorted(SUITES), help="one suite")
    parser.add_argument("--rounds", type=int, default=compare.ROUNDS, help="counted rounds of each way")
    options = parser.parse_args()
    print(compare.versions("numpy", "construct", "kafka-python", "aiokafka"))
    for name in [options.only] if options.only else list(SUITES):
        suite = SUITES[name]
        print(f"\n### {name}\n\n{' '.join((suite.__doc__ or '').split())}\n")
        if hasattr(suite, "bench"):
            rounds = min(options.rounds, getattr(suite, "MOST_ROUNDS", options.rounds))
            with suite.bench(is_small=options.rounds == 1) as cases:
                print(suite.table([compare.run(case, rounds) for case in cases]), flush=True)
            continue
        print(compare.table([compare.run(case, options.rounds) for case in suite.cases()]), flush=True)
    if options.only is None and not os.environ.get("AIOKAFKA_NO_EXTENSIONS"):
        print("\n### record_batches, with aiokafka's Python code\n")
        print(record_batches.python_aiokafka().split("\n\n", 3)[-1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
