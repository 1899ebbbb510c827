"""The rules of `kformat check`: one table of rules, and the findings that they make.

Each module here looks at one kind of file and states its rules beside the code that applies them; `RULES` collects
them by id. `validation` runs the modules over folders and files. An id never changes its meaning and is never used
again; the hundreds say what a rule is about:

    KF00xx  the files of a partition folder
    KF01xx  the framing of a log                    KF06xx  the transaction index, and what it says of the log
    KF02xx  batch headers and checksums             KF07xx  snapshots of producers, and what they say of the log
    KF03xx  records, control records, messages      KF08xx  text files, and what they say of logs
    KF04xx  the offset index                        KF09xx  snapshots of KRaft's metadata
    KF05xx  the time index

A new rule is stated beside the code that finds it broken, and gets a damage in tests/damages*.py (a test asks for one),
one that judges what lies beside the logs also what must not be found (tests/check/test_beside.py). `make generate` puts
it into docs/rules.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

SEVERITIES: Final = ("error", "warning", "info")
"""``error``: data is lost, unreadable, or Kafka answers wrongly. ``warning``: no writer leaves that, and Kafka copes.
``info``: worth knowing; nothing is wrong, and the exit status stays what it is."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says about one place.

    Attributes:
        rule: the rule's id, ``KF0201``.
        severity: ``error``, ``warning`` or ``info``.
        file: path of the file (or folder), such that it can be opened from where `check` was called.
        position: bytes from the start of the file; None where the finding is about the file as a whole.
        path: what lies there, as in errors: ``record_batch.records[3].key``, ``offset_index.entries[7]``; or "".
        message: the finding in words, values included.
        expected, found: the values themselves, where there are such.
    """

    rule: str
    severity: str
    file: str
    position: int | None
    path: str
    message: str
    expected: Any = None
    found: Any = None

    def __str__(self) -> str:
        place = self.file if self.position is None else f"{self.file}:{self.position}"
        return " ".join(part for part in (place, self.rule, self.path) if part) + f": {self.message}"

    @property
    def exit_status(self) -> int:
        """What a command that prints this exits with: 0 for an info, 3 for a file that could not be read, else 1."""
        if self.severity == "info":
            return 0
        return 3 if self.rule == UNREADABLE.id else 1


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the table.

    ``says``: what is so when the rule finds nothing. ``source``: where Kafka writes or enforces it. ``kafka``: what
    Kafka itself does about files that break it.
    """

    id: str
    severity: str
    says: str
    source: str
    kafka: str

    def at(
        self,
        file: str,
        position: int | None,
        path: str,
        message: str,
        expected: Any = None,
        found: Any = None,
    ) -> Finding:
        """A finding of this rule."""
        return Finding(self.id, self.severity, file, position, path, message, expected, found)


RULES: Final[dict[str, Rule]] = {}
"""All rules by id. A finding whose rule is not in here is not reported."""


def rule(id: str, severity: str, says: str, *, source: str, kafka: str) -> Rule:
    """State a rule and put it into the table."""
    assert id not in RULES, id
    assert severity in SEVERITIES, severity
    RULES[id] = Rule(id, severity, says, source, kafka)
    return RULES[id]


MOST_FINDINGS: Final = 1000
"""How many findings of one kind about one file are told; a damaged file may have millions."""


def at_most(findings: Iterable[Finding], count: int = MOST_FINDINGS) -> list[Finding]:
    """The first of some findings about a file; where there are more, the last of these says so."""
    found = list(itertools.islice(findings, count + 1))
    if len(found) > count:
        found[count:] = []
        found[-1] = replace(found[-1], message=f"{found[-1].message}; there are more, which are left out")
    return found


UNREADABLE: Final = rule(
    "KF0002",
    "error",
    "The file can be read.",
    source="the operating system",
    kafka="Takes the log directory offline.",
)


def rules_table() -> str:
    """The table as a Markdown document (`docs/rules.md` is made from it)."""
    # The modules state their rules when they are imported; `validation` imports all of them.
    rows = "\n".join(
        f"| {item.id} | {item.severity} | {item.says} | {item.source} | {item.kafka} |"
        for item in sorted(RULES.values(), key=lambda item: item.id)
    )
    heads = ("id", "severity", "says", "source", "what Kafka does where it is broken")
    return f"{_INTRODUCTION}\n| {' | '.join(heads)} |\n{'|---' * len(heads)}|\n{rows}\n"


_INTRODUCTION: Final = """\
# The rules of `kformat check`

Made from `kformat/rules/` by `make generate`.

A finding names the rule that is broken, the file, the position in bytes and what lies there. Ids keep their meaning.

* **error**: data is lost or unreadable, or Kafka answers wrongly.
* **warning**: no writer leaves that; Kafka copes with it.
* **info**: worth knowing; nothing is wrong, and the exit status does not change.

Exit status: 0 sound, 1 findings, 3 a file could not be read.

## How it judges

* Under a wrong checksum nothing else of a batch is judged, and no index entry by it: any of its bytes may be the wrong
  one. Length, magic and position are judged all the same, because framing does not depend on the checksum.
* Behind a batch whose length cannot be right the check goes on at the next position of the offset index where a batch
  with a right checksum begins. Without such a position it ends there.
* Messages of magic 0 and 1 are judged like batches of magic 2, wrappers with the messages in them. A log may begin with
  older ones and go on with newer ones.
* The last segment of a folder may be one that is being written to: its indexes may end in zeros, and its time index may
  lack the final entry as long as it does.
* Beside a running broker, and in a copy made beside one, the last batch may be half written, and what lies beside the
  log be older or newer than the log; ask again, or make another copy, before believing KF0102, KF0103, KF0104, KF0405,
  KF0505, KF0608, KF0609 and KF0804 of its end.
* A broker truncates the indexes of the last segment by counting: the slots after the count keep their bytes until the
  broker writes over them or cuts the files to their entries. So a replica that lost an election has such slots, in the
  files of a running broker, of one that was killed, and in copies. They may look valid: increasing, and inside the log.
  `check` takes the first wrong slot of an index in use, and all after it, for such slots, and tells them once a file
  (KF0409, KF0510). (Next to a running broker they may also be newer than the log as `check` read it.) An index is in
  use if it is of the last segment and has zeros at its end, or if it is full and the other index of the segment has.
  The slots stay errors where no truncation can have left them:
  * one of them is all zeros, has a value out of range, or has an offset below its own number;
  * more of them describe the log, and go on in order from those before, than fit between the last entry in use and the
    log's end: two of an `.index`, three of a `.timeindex`. A broker writes a new entry after at most one interval;
  * the log goes on after the last entry in use for more than 16 MiB and twelve times the widest distance of entries.
* Compacted segments are sound: gaps between offsets, empty batches, delete horizons, sparse index entries whose offset
  lies inside of a batch with gaps.

* What stands beside the logs is found wrong only where it contradicts them for certain. Compaction and retention remove
  what a transaction index or a snapshot of producers speaks of, brokers forget silent producers, and a root's
  checkpoints are older than the logs: none of that is a finding. Behind a gap between offsets nothing is said about
  transactions that began before it.
* A root's checkpoints are held against the partitions that lie in it, where the root itself is checked; a partition
  that they do not name is sound.

## Writer profiles

What an index entry holds depends on the Kafka version that wrote it:

| profile | Kafka | offset in `.index` | offset in `.timeindex` |
|---|---|---|---|
| `first-offset` | 0.8 to 1.1 | first of the append | record with the largest timestamp, or last of its batch |
| `last-offset` | 2.0 to 3.7 | last of the append | record with the largest timestamp, or last of its batch |
| `batch-time` | 3.8 to 3.9.0 | last of the append | last of the batch that holds it |
| `per-batch` | 3.9.1, 4.0 on | last of the batch | last of the batch that holds it |

Where no profile is given it is inferred, segment by segment: the newest one that explains all entries of both indexes.
Where none does, entries of an older writer followed by those of a newer one are sound (Kafka was upgraded while the
segment was being written). Otherwise the profile that explains most entries is taken, the newest of equals, and what it
does not explain is found.

An append of several batches (a follower's, a cleaner's) is indexed once up to 3.9.0, with its last offset and the
position of its first batch; so under `last-offset` and `batch-time` an entry's offset may be that of any batch before
the next entry. A lookup through such an entry is right, only longer.

## The rules
"""
