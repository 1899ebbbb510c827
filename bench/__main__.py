"""`python -m bench [--only NAME] [--but NAME] [--rounds N] [--write PAGE]`: run the benchmarks, print their tables, and
put them in their places in a page: between ``<!-- bench NAME -->`` and ``<!-- end -->``. A NAME is that of a suite, or
of a group: ``application`` is all that measures the engine inside an application. All processes are bound to one
processor, Spark's to two. A suite that fails does not keep the next ones from running; the exit status is 1 then.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from bench import (
    aio,
    building,
    check,
    columns,
    compare,
    connect,
    dump,
    engine,
    first_looks,
    first_use,
    formats,
    grep,
    indexes,
    jobs,
    limits,
    live,
    messages,
    opening,
    record_batches,
    records,
    reindex,
    rescue,
    rows,
    scale,
    spark,
    stores,
    transactions,
    waiting,
    walkthrough,
)
from kformat.kafka.batch.ready_kernels import RECORD_KERNELS

SUITES: dict[str, Any] = {
    "record_batches": record_batches,
    "indexes": indexes,
    "columns": columns,
    "records": records,
    "limits": limits,
    "live": live,
    "dump": dump,
    "messages": messages,
    "check": check,
    "building": building,
    "formats": formats,
    "engine": engine,
    "opening": opening,
    "first_looks": first_looks,
    "first_use": first_use,
    "stores": stores,
    "transactions": transactions,
    "waiting": waiting,
    "aio": aio,
    "reindex": reindex,
    "rescue": rescue,
    "rows": rows,
    "grep": grep,
    "scale": scale,
    "spark": spark,
    "walkthrough": walkthrough,
    "jobs": jobs,
    "connect": connect,
}

GROUPS = {"application": ("stores", "engine", "transactions", "waiting")}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure kformat beside other readers.")
    names = sorted([*SUITES, *GROUPS])
    parser.add_argument("--only", choices=names, action="append", help="one suite or group; may be given several times")
    parser.add_argument("--but", choices=names, action="append", default=[], help="not this suite or group")
    parser.add_argument("--rounds", type=int, default=compare.ROUNDS, help="counted rounds of each way")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the tables in a page, plots beside it")
    parser.add_argument("--all-processors", action="store_true", help="do not bind everything to the last of them")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # commands are started as where they are installed, with bytecode
    if hasattr(os, "sched_setaffinity") and not options.all_processors:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    RECORD_KERNELS.compile()  # the table of the first use alone is of what is not compiled; it has processes of its own
    RECORD_KERNELS.is_there = True
    print(compare.versions("numpy", "construct", "kafka-python", "aiokafka"))
    failed: list[str] = []
    for name in chosen(options.only or list(SUITES), options.but):
        began = time.monotonic()
        reason = getattr(SUITES[name], "why_not_here", lambda: None)()
        if reason is not None:
            print(f"\n### {name}\n\n{reason}")
            continue
        what = " ".join((SUITES[name].__doc__ or "").split())
        try:
            table = _table(name, options.rounds, options.write)
        except Exception:
            traceback.print_exc()
            failed.append(name)
            continue
        print(f"\n### {name}\n\n{what}\n\n{table}", flush=True)
        print(f"bench: {name} took {time.monotonic() - began:.0f} s", file=sys.stderr)
        if options.write is not None:
            _put(options.write, name, f"{what}\n\n{table}\n\n{_when(_rounds(name, options.rounds))}")
    if failed:
        print(f"bench: failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def chosen(only: list[str], but: list[str]) -> list[str]:
    """The names of suites, groups spelled out, each once."""
    asked, left_out = ([suite for name in names for suite in GROUPS.get(name, (name,))] for names in (only, but))
    return [name for name in dict.fromkeys(asked) if name not in left_out]


def _table(name: str, rounds: int, page: Path | None) -> str:
    suite, rounds = SUITES[name], _rounds(name, rounds)
    if suite is scale:
        return scale.text(rounds, None if page is None else page.with_name("performance-scale.svg"))
    if hasattr(suite, "text"):
        return str(suite.text(rounds))
    if hasattr(suite, "bench"):
        with suite.bench(is_small=rounds == 1) as cases:
            return str(suite.table([compare.run(case, rounds) for case in cases]))
    return compare.table([compare.run(case, rounds) for case in suite.cases()])


def _rounds(name: str, asked: int) -> int:
    return min(asked, getattr(SUITES[name], "MOST_ROUNDS", asked))


def _when(rounds: int) -> str:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    today = datetime.datetime.now(datetime.UTC).date()
    return f"Measured at commit {commit or 'unknown'} on {today}, {rounds} rounds at most."


def _put(page: Path, name: str, text: str) -> None:
    """Replace what stands at the suite's place; SystemExit where there is none."""
    before = page.read_text(encoding="utf-8")
    place = re.compile(rf"(<!-- bench {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    after, count = place.subn(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", before)
    if count != 1:
        raise SystemExit(f"{page}: {count} places for {name}")
    page.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
