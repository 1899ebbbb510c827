"""Two readers of the same bytes: what they do not agree in.

`log_differences` compares two logs, `values_differ` codec and witness. What neither reads is no difference, however
they put it; how far they came is not compared then, except for the header.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tests.differential.mutation import Case
from tests.differential.readers import Log, Read

ONLY_WE: Final = "only we read it"
ONLY_THEY: Final = "only they read it"
VALUES: Final = "values"
HEADER: Final = "header"
TAIL: Final = "tail"
HAZARD: Final = "not asked"

RECORD_FIELDS: Final = ("offset", "timestamp", "key", "value", "headers")


@dataclass(frozen=True)
class Difference:
    """One disagreement: ``reader`` against kformat; ``kind``; the field, where it is one; what each of them says."""

    case: Case = field(repr=False)
    reader: str
    kind: str
    name: str = ""
    ours: Any = None
    theirs: Any = None
    batch: Read | None = field(default=None, repr=False)
    """Our reading of the batch."""

    def __str__(self) -> str:
        return f"{self.reader}: {self.kind} {self.name}\n  ours   {self.ours!r}\n  theirs {self.theirs!r}"


def log_differences(case: Case, reader: str, ours: Log, theirs: Log) -> Iterator[Difference]:
    """In what two readings of a log differ."""
    for our, their in zip(ours.batches, theirs.batches, strict=False):
        yield from _batch_differences(case, reader, our, their)
    shared = min(len(ours.batches), len(theirs.batches))
    mine, yours = _rest(ours, shared), _rest(theirs, shared)
    if mine and not yours:
        unread = any(item is None for item in mine)  # something of it we do read
        yield Difference(case, reader, ONLY_WE if unread else TAIL, ours=_texts(ours, shared), theirs=theirs.tail)
    elif yours and not mine:
        unread = any(item is None for item in yours)
        yield Difference(case, reader, ONLY_THEY if unread else TAIL, ours=ours.tail, theirs=_texts(theirs, shared))
    elif mine and yours and (None in mine) != (None in yours):
        kind = ONLY_WE if None in mine else ONLY_THEY
        yield Difference(case, reader, kind, ours=_texts(ours, shared), theirs=_texts(theirs, shared))


def _rest(log: Log, shared: int) -> list[str | None]:
    """What is said of everything behind the batches that both have: complaints, None for a batch that is read."""
    return [batch.error for batch in log.batches[shared:]] + ([log.tail] if log.tail else [])


def _texts(log: Log, shared: int) -> str:
    return "; ".join(item or "read" for item in _rest(log, shared))


def _batch_differences(case: Case, reader: str, ours: Read, theirs: Read) -> Iterator[Difference]:
    for name in ours.header.keys() & theirs.header.keys():
        if ours.header[name] != theirs.header[name]:
            yield Difference(case, reader, HEADER, name, ours.header[name], theirs.header[name], ours)
    if ours.error is not None or theirs.error is not None:
        if ours.error is None:
            yield Difference(case, reader, ONLY_WE, "", ours.records, theirs.error, ours)
        elif theirs.error is None:
            yield Difference(case, reader, ONLY_THEY, "", ours.error, theirs.records, ours)
        return
    if len(ours.records) != len(theirs.records):
        yield Difference(case, reader, VALUES, "number of records", len(ours.records), len(theirs.records), ours)
        return
    for our, their in zip(ours.records, theirs.records, strict=True):
        for name, one, other in zip(RECORD_FIELDS, our, their, strict=True):
            if one != other:
                yield Difference(case, reader, VALUES, name, one, other, ours)
    if ours.sequences is not None and theirs.sequences is not None and ours.sequences != theirs.sequences:
        yield Difference(case, reader, VALUES, "sequence", ours.sequences, theirs.sequences, ours)
