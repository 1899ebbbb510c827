"""The rules of `kformat check`: one table of rules, and the findings that they make.

Each module here and in `kformat.check` looks at one kind of file and states its rules next to the code that applies
them; `RULES` collects them by id. `kformat.check.checker` runs the modules over folders and files. An id never changes
its meaning and is never used again; the hundreds say what a rule is about:

    KF00xx  the files of a partition folder
    KF01xx  the framing of a log                    KF06xx  the transaction index, and what it says of the log
    KF02xx  batch headers and checksums             KF07xx  snapshots of producers, and what they say of the log
    KF03xx  records, control records, messages      KF08xx  text files, and what they say of logs
    KF04xx  the offset index                        KF09xx  KRaft's metadata: snapshots, levels
    KF05xx  the time index                          KF10xx  files of any declared format
    KF12xx  what Kafka's own topics say of logs     KF11xx  a copy of a partition, by another one

A new rule is stated next to the code that finds it broken, explained in explanations.md, and gets a damage in
tests/damages*.py (tests ask for both), one that judges what lies next to the logs also what must not be found
(tests/check/test_beside.py). `make generate` puts it into docs/rules.md.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from kformat.errors import UsageError, shortened
from kformat.kafka.findings.explanations import explanations

SEVERITIES: Final = ("error", "warning", "info")
"""``error``: data is lost, unreadable, or Kafka answers wrongly. ``warning``: no Kafka version writes this, but
Kafka tolerates it. ``info``: worth knowing; nothing is wrong, and the exit status stays what it is."""


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

    @property
    def place(self) -> str:
        """The file and, where there is one, the position."""
        return self.file if self.position is None else f"{self.file}:{self.position}"

    def __str__(self) -> str:
        head = " ".join(part for part in (self.place, self.severity, self.rule, shortened(self.path)) if part)
        return f"{head}: {self.message}"

    @property
    def mended_by(self) -> str | None:
        """The command that repairs it, in most cases; None if none does. `kformat explain` says more."""
        return explanations()[self.rule].mended_by

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
"""All rules by id. Findings of other rules are not reported."""


def rule(id: str, severity: str, says: str, *, source: str, kafka: str) -> Rule:
    """Define a rule and add it to the table."""
    assert id not in RULES, id
    assert severity in SEVERITIES, severity
    RULES[id] = Rule(id, severity, says, source, kafka)
    return RULES[id]


def rule_by_id(id: str) -> Rule:
    """The rule with an id, in any case; UsageError with similar ids if there is none."""
    match = RULES.get(id.upper())
    if match is None:
        alike = sorted(
            difflib.get_close_matches(id.upper(), RULES, n=len(RULES), cutoff=0.75),
            key=lambda known: (-_equal_ends(known, id.upper()), known),
        )[:3]
        hint = f"did you mean {' or '.join(alike)}?" if alike else "`kformat explain` lists all rules"
        raise UsageError(f"no rule {id!r}; {hint}")
    return match


def _equal_ends(text: str, other: str) -> int:
    """How many characters two texts have in common at their beginning and at their end."""
    ways = ((text, other), (text[::-1], other[::-1]))
    return sum(len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*way, strict=False)))) for way in ways)


MOST_FINDINGS: Final = 1000
"""The most findings of one kind about one file; a damaged file may have millions."""


def at_most(findings: Iterable[Finding], count: int = MOST_FINDINGS) -> list[Finding]:
    """The first findings about a file; if there are more, the last one says so."""
    kept = list(itertools.islice(findings, count + 1))
    if len(kept) > count:
        kept[count:] = []
        kept[-1] = replace(kept[-1], message=f"{kept[-1].message}; there are more, which are left out")
    return kept


UNREADABLE: Final = rule(
    "KF0002",
    "error",
    "The file can be read.",
    source="the operating system",
    kafka="Takes the log directory offline.",
)
