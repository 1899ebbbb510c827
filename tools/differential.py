"""Damaged bytes through kformat and every other reader; docs/differences.md tells what they do not agree in.

    python -m tools.differential [--cases N] [--seed S] [--processes P] [--no-kafka] [--write]
    python -m tools.differential --seed S --case N

The first runs cases and prints what was found; with `--write` the page is written, if all is well. It ends with 1 where
a disagreement is of no known class, or, in a long run, more than a few classes were not met: then they are not needed
any more, or no case reaches them. The second shows one case, and what every reader makes of it.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import sys
import time

from tests.differential.classes import CLASSES, Class
from tests.differential.inputs import LOG_FORMATS
from tests.differential.mutation import make_case
from tests.differential.readers import KAFKA, kafka_logs
from tests.differential.run import Found, Tally, examine, run
from tests.judges.required import why_missing
from tools.documents import ROOT

PAGE = ROOT / "docs" / "differences.md"
LONG = 100_000
RARE = 3
"""So many classes may go without a case in a long run; some have one or two in it."""
GROUPS = (
    (
        f"Kafka {KAFKA}'s own classes",
        ("Kafka",),
        "Here kformat is stricter on purpose, or keeps more. Otherwise it accepts and refuses the same batches, "
        "indexes, snapshots and control records, and reads the same records and fields.",
    ),
    ("The witness", ("witness",), "Kaitai's classes, made from the same declarations (`tests/witness`)."),
    (
        "`kformat.parse` compared with `iter_batches`",
        ("kformat.parse",),
        "`kformat.parse` enforces the declaration; `iter_batches`, `Batch.records` and `LegacyBatch.records` "
        "behave as Kafka does.",
    ),
    (
        "kafka-python and aiokafka",
        ("kafka-python", "aiokafka", "aiokafka (Python)"),
        "Their readers of records, as their consumers use them. aiokafka has two: a C extension, and Python code for "
        "machines without it.",
    ),
)
ORDER = ("kformat.parse", "witness", "kformat", "Kafka", "kafka-python", "aiokafka", "aiokafka (Python)")


def page(tally: Tally, seed: int) -> str:
    """The text of docs/differences.md."""
    cases = sum(tally.cases.values())
    libraries = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("kafka-python", "aiokafka"))
    lines = [
        "# Where readers disagree",
        "",
        "Written by `python -m tools.differential --write`; the text for each kind of disagreement is in",
        "`tests/differential/classes.py`; an unlisted one fails the tests.",
        "",
        f"{cases:,} cases of seed {seed} (`make nightly` takes another each day): sound bytes of every format with one "
        "to three things wrong in them: bits flipped, bytes cut, inserted, removed and copied, numbers set to the "
        "extremes of their widths, counts and lengths beyond the end of the bytes, overlong varints, or varints "
        "without an end; also inside compressed payloads; with and without corrected lengths and checksums. "
        f"Kafka {KAFKA}, {libraries}.",
        "",
        "| reader | inputs | read in full | of these with all of kformat's values |",
        "|---|---|---|---|",
    ]
    for reader in ORDER:
        agreed = f"{tally.agreed[reader]:,}" if reader in tally.agreed and reader != "kformat" else ""
        lines.append(f"| {reader} | {tally.asked[reader]:,} | {tally.accepted[reader]:,} | {agreed} |")
    lines += [
        "",
        "`kformat.parse` and the witness are asked about every case, kformat's batches and the peers about logs, Kafka "
        "about logs, transaction indexes, producer snapshots and control records. The witness does not verify "
        "checksums, so it is compared with `kformat.parse(checksums=False)`. "
        "kafka-python and aiokafka do not get inputs that would crash or hang them.",
    ]
    for title, readers, text in GROUPS:
        lines += ["", f"## {title}", "", text]
        for known in CLASSES:
            if set(known.readers) <= set(readers):
                lines += _class(known, tally.found.get(known.name, Found()), set(readers))
    return "\n".join(lines) + "\n"


def _class(known: Class, found: Found, group: set[str]) -> list[str]:
    who = "" if len(group) == 1 else f" ({', '.join(known.readers) if set(known.readers) != group else 'all'})"
    lines = ["", f"### {known.name[0].upper()}{known.name[1:]}{who}", "", f"* Input: {known.what}"]
    other = "They" if len(known.readers) > 1 else "Kafka" if known.readers == ("Kafka",) else "The other"
    lines += [f"* {other}: {known.theirs}", f"* kformat: {known.ours}"]
    counted = f"* Found {found.count:,} times."
    if found.kafka:
        verdicts = [f"{found.kafka[verdict]:,} times {verdict}" for verdict in VERDICTS if found.kafka[verdict]]
        counted += f" Kafka itself did {', '.join(verdicts)}."
    lines.append(counted)
    if found.example is not None:
        _, number, data = found.example
        lines.append(f"* Shortest: case {number}, `{data}`")
    return lines


VERDICTS = ("as kformat", "as the other", "as neither")


def summary(tally: Tally, seed: int, seconds: float) -> str:
    """What a person at a terminal wants to know."""
    lines = [
        f"{sum(tally.cases.values()):,} cases of seed {seed} in {seconds:.0f} s: "
        + ", ".join(f"{count:,} {format}" for format, count in sorted(tally.cases.items()))
    ]
    for known in CLASSES:
        found = tally.found.get(known.name, Found())
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in found.kafka.items())
        lines.append(f"{found.count:7,}  {known.name} [{', '.join(known.readers)}] {verdicts}")
    lines.append(f"{tally.unknown_count:7,}  unknown")
    return "\n".join([*lines, *tally.unknown])


def unmet(tally: Tally) -> list[str]:
    """Classes that no case belonged to."""
    return [known.name for known in CLASSES if known.name not in tally.found]


def main(arguments: list[str] | None = None) -> int:
    """See the module's text."""
    parser = argparse.ArgumentParser(prog="python -m tools.differential", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=LONG)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--no-kafka", action="store_true", help="do not ask Kafka's own classes, which need a JVM")
    parser.add_argument("--case", type=int, help="show one case and stop")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    given = parser.parse_args(arguments)
    missing = None if given.no_kafka else why_missing(KAFKA)
    kafka = not given.no_kafka and missing is None
    if given.case is not None:
        case = make_case(given.seed, given.case)
        print("\n".join(examine(case, kafka_logs([case.data])[0] if kafka and case.format in LOG_FORMATS else None)))
        return 0
    clock = time.monotonic()
    tally = run(given.seed, given.cases, start=given.start, kafka=kafka, processes=given.processes)
    print(summary(tally, given.seed, time.monotonic() - clock))
    if missing is not None:
        print(f"not asked, and no page is written: {missing}")
    missed = unmet(tally) if given.cases >= LONG and kafka else []
    if missed:
        print(f"not met: {', '.join(missed)}")
    if tally.unknown_count or len(missed) > RARE:
        return 1
    if given.write and kafka:
        PAGE.write_text(page(tally, given.seed), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
