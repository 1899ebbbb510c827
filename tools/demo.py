"""A tour of kformat over segments that real brokers wrote: `make demo`. Core dependencies are all that it needs.

Each step shows what a user would type, runs just that, and shows what it prints, shortened. The commands run in a
temporary directory that holds a link to `samples/`, so nothing in the tree changes. The summary at the end says what
was seen, with numbers taken from the output; the exit status is 1 when a step failed or printed something unexpected.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass

from tools import documents

WIDTH = 150
TIMEOUT_S = 300

REBUILD = """
import kformat
from pathlib import Path

kinds = {".index": "offset_index", ".timeindex": "time_index", ".txnindex": "transaction_index",
         ".snapshot": "producer_snapshot"}
logs = others = batches = identical = 0
for path in sorted(Path("samples").glob("[0-9]*/*/*.*")):
    if path.suffix in kinds:
        data = path.read_bytes()
        assert kformat.build(kinds[path.suffix], kformat.parse(kinds[path.suffix], data)) == data, path
        others += 1
    elif path.suffix == ".log":
        logs += 1
        for stored in kformat.iter_batches(path):
            kind = "record_batch" if stored.magic == 2 else "legacy_message"
            built = kformat.build(kind, kformat.parse(kind, stored.raw))
            batches += 1
            identical += built == stored.raw
            if built != stored.raw:
                (again,) = kformat.iter_batches(built)
                assert stored.compression and list(again.records()) == list(stored.records()), (path, stored.position)
                left_compressed = kformat.parse(kind, stored.raw, raw=True)
                assert kformat.build(kind, left_compressed) == stored.raw, (path, stored.position)
print(f"{logs} logs: {batches} batches built again, {identical} to the byte, {batches - identical} to the same records")
print(f"{others} indexes and snapshots built again, all to the byte")
"""

LOG = "orders-0/00000000000000000200"


@dataclass(frozen=True)
class Step:
    """One thing to show.

    `command` is for the shell, `python` for an interpreter; one of them is empty. `expected` is a regular expression
    that has to be found in the output; its groups fill `{0}`, `{1}`, ... of `summary`.
    """

    title: str
    expected: str
    summary: str
    command: str = ""
    python: str = ""
    status: int = 0
    lines: int = 12


STEPS = (
    Step(
        "A directory of a broker's disk: which segments, which offsets, which times?",
        r"(?s)00000000000000000000\.log.*?00000000000000000424\.log +(\d+)",
        "ls        listed a partition's segments by their batch headers; its next offset is {0}",
        command="cp -r samples/4.3.1/rolled-by-bytes-0 orders-0 && kformat ls orders-0",
    ),
    Step(
        "What is in a log? The text is that of Kafka's own tool, byte for byte",
        r"(?s)CreateTime: \d+ size: \d+ magic: 2.*\| offset: 302",
        "dump      printed batches, records and index entries as Kafka's own tool does, without a JVM",
        command=f"kformat dump {LOG}.log --print-data-log --to-offset 303",
    ),
    Step(
        "And in its index?",
        r"offset: 239 position: 1788",
        "",
        command=f"kformat dump {LOG}.index",
    ),
    Step(
        "Where is 22:13:23, and how does Kafka find it?",
        r"offset (\d+) timestamp 1700000003000 .* position (\d+)",
        "find      went through both indexes as a broker does: offset {0}, in the batch at byte {1}",
        command="kformat find orders-0 --timestamp 2023-11-14T22:13:23Z --explain",
    ),
    Step(
        "Is everything sound that seven generations of brokers wrote?",
        r"sound",
        "check     found all samples sound, logs of all three formats and the files next to them",
        # KF0814: some partitions were written by another broker than the metadata next to them.
        command="kformat check --severity warning --ignore KF0814 samples/[0-9]* && echo sound",
    ),
    Step(
        "Would it notice? One byte of a copy is overwritten",
        r"\.log:(\d+) error KF\d+ record_batch\.crc: stored",
        "          and in a damaged copy, the batch at byte {0} whose checksum is no longer right",
        command=f"printf X | dd of={LOG}.log bs=1 seek=5000 conv=notrunc status=none; "
        "kformat check --severity warning orders-0",
        status=1,
    ),
    Step(
        "Where do these positions come from? From one declaration, which also prints itself",
        r"(?m)^ +0 +8 +int64 +base_offset",
        "describe  printed the layout; parser, builder and columns come from the same declaration",
        command="kformat describe record_batch",
        lines=10,
    ),
    Step(
        "Parse every batch, index and snapshot of seven brokers, and build them again",
        r"(\d+) logs: (\d+) batches built again, (\d+) to the byte, (\d+) to the same records\n(\d+) indexes and",
        "build     made {1} batches of {0} logs again, {2} to the byte, {3} compressed ones to the same records;\n"
        "          and {4} indexes and snapshots, all to the byte",
        python=REBUILD,
    ),
    Step(
        "A log of your own, in the same files, without a broker",
        r"offsets 0 to 2\n(?s:.*?)Dumping events-0/(\d+\.log)(?s:.*?)payload: five",
        "log       appended three records in a new log, which `dump` reads and a broker would open",
        command="printf 'three\\nfour\\nfive\\n' | kformat log append events-0 && "
        "kformat dump events-0/00000000000000000000.log --print-data-log",
    ),
)


def shortened(text: str, lines: int) -> str:
    """The first lines of an output, cut to a screen's width, with a word about what is left out."""
    found = text.splitlines()
    shown = [line if len(line) <= WIDTH else line[: WIDTH - 1] + "…" for line in found[:lines]]
    if len(found) > lines:
        shown.append(f"... and {len(found) - lines} lines more")
    return "\n".join(shown)


def typed(step: Step) -> str:
    """What a user would type."""
    return f"$ {step.command}" if step.command else f"$ python -c '...'\n{textwrap.indent(step.python.strip(), '    ')}"


def run(step: Step) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a step."""
    arguments = ["sh", "-c", step.command] if step.command else [sys.executable, "-c", step.python]
    try:
        done = subprocess.run(
            arguments,
            env=documents.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1, "", f"stopped after {TIMEOUT_S} s"
    return done.returncode, done.stdout, done.stderr


def show(number: int, step: Step, say: Callable[[str], None]) -> str | None:
    """Run one step before the reader's eyes; its line of the summary, or None when it failed."""
    say(f"\n[{number}/{len(STEPS)}] {step.title}\n\n{typed(step)}")
    began = time.monotonic()
    status, output, errors = run(step)
    found = re.search(step.expected, output)
    say(shortened(output, step.lines) + f"\n({time.monotonic() - began:.1f} s)")
    if status == step.status and found:
        return step.summary.format(*found.groups())
    say(f"THIS STEP FAILED: exit status {status}, expected {step.status}, and output that matches {step.expected!r}")
    say(shortened(errors[-4000:], 40))
    return None


def main() -> int:
    """Show all steps; the exit status is 1 when one failed."""
    began = time.monotonic()
    summaries, failed = [], []

    def say(text: str) -> None:
        print(text, flush=True)

    say("kformat reads what Kafka's brokers leave on disk. Everything below is in samples/, written by real brokers.")
    with documents.working_directory():
        for number, step in enumerate(STEPS, 1):
            summary = show(number, step, say)
            if summary is None:
                failed.append(step.title)
            elif summary:
                summaries.append(summary)
    say(f"\nWhat you saw, in {time.monotonic() - began:.0f} seconds:\n")
    say("\n".join(f"  {summary}" for summary in summaries))
    if failed:
        say("\nFAILED:\n" + "\n".join(f"  {title}" for title in failed))
        return 1
    say(
        "\nEvery byte position in this came from the declarations in formats/. README.md shows the same from Python,\n"
        "`make spark-demo` in Spark."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
