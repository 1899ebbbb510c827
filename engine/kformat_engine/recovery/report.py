"""The findings of recovery, and its planned or completed actions: for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kformat.results import counted, printable
from kformat_engine.recovery.table import FOLLOWS, TAIL, Action, Kind, Mode, TableRow


@dataclass(frozen=True)
class RecoveryFinding:
    """One finding of recovery.

    Attributes:
        file: its name in the folder; ``""`` for the log as a whole.
        state: dimension -> value, see `table.DIMENSIONS`.
        row: of the table; it has the action, and its reason.
        detail: the details.
        position: where in the file it begins, bytes; None for the whole file.
        aside: the name of the file that keeps the removed bytes; None if there are none.
    """

    file: str
    kind: Kind
    state: Mapping[str, str]
    row: TableRow
    detail: str = ""
    position: int | None = None
    aside: str | None = None

    @property
    def action(self) -> Action:
        return self.row.action

    @property
    def changes(self) -> bool:
        """Whether it changes anything on disk, except for routine changes at each start of a log: the indexes in use
        get room, a missing snapshot of producers is taken, and superseded ones are removed."""
        is_routine = self.kind is Kind.SNAPSHOT and self.state["condition"] in ("missing", "stray")
        return not is_routine and self.action not in (Action.KEEP, Action.GROW, Action.REFUSE)

    def __str__(self) -> str:
        place = (self.file or "the log") + ("" if self.position is None else f":{self.position}")
        kind = "" if self.kind is Kind.PARTITION else f" {self.kind.value}"
        state = ", ".join(f"{name} {value}" for name, value in self.state.items())
        text = f"{place}:{kind}{f' ({state})' if state else ''} -> {self.action}: {self.row.why}"
        if self.detail:
            text += f" [{self.detail}]"
        return text + (f"; kept aside as {self.aside}" if self.aside else "")

    def as_dict(self) -> dict[str, Any]:
        """The finding for programs."""
        return {
            "file": self.file,
            "kind": self.kind.value,
            "state": dict(self.state),
            "action": self.action.value,
            "row": self.row.name,
            "why": self.row.why,
            "detail": self.detail,
            "position": self.position,
            "aside": self.aside,
        }


@dataclass(frozen=True)
class RecoveryReport:
    """The findings in a folder, with their planned or completed actions; ``str`` of it is the dry run.

    ``log_start_offset``, ``local_log_start_offset``, ``next_offset`` and ``recovery_point`` are those of the log after
    recovery. The first is below the second if a broker has the offsets between them in its remote storage.
    ``unanchored_batches`` may be values of records: they are not in the log, and were kept aside.
    """

    folder: Path
    mode: Mode
    is_clean: bool
    findings: tuple[RecoveryFinding, ...]
    log_start_offset: int
    local_log_start_offset: int
    next_offset: int
    recovery_point: int
    unanchored_batches: int = 0

    @property
    def changes(self) -> tuple[RecoveryFinding, ...]:
        """The findings that change something on disk."""
        return tuple(finding for finding in self.findings if finding.changes)

    @property
    def refusals(self) -> tuple[RecoveryFinding, ...]:
        """The findings that recovery refuses."""
        return tuple(finding for finding in self.findings if finding.action is Action.REFUSE)

    @property
    def not_read(self) -> tuple[str, ...]:
        """The logs that were not read completely: those below the recovery point, and all after a clean shutdown, when
        only the end of the last one is read."""
        logs = [
            finding for finding in self.findings if finding.kind is Kind.LOG and finding.state["condition"] != FOLLOWS
        ]
        return tuple(dict.fromkeys(finding.file for finding in logs if finding.state["look"] == TAIL))

    @property
    def kept_aside(self) -> tuple[Path, ...]:
        """The files that keep the bytes removed by this recovery."""
        return tuple(self.folder / finding.aside for finding in self.findings if finding.aside is not None)

    def __iter__(self) -> Iterator[RecoveryFinding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __repr__(self) -> str:
        parts = [
            self._shutdown,
            f"offsets {self.local_log_start_offset} to {self.next_offset}",
            counted(len(self.findings), "finding"),
            counted(len(self.changes), "change"),
        ]
        parts += [f"{len(self.kept_aside)} kept aside"] * bool(self.kept_aside) + ["refused"] * bool(self.refusals)
        return f"<RecoveryReport {printable(str(self.folder))}: {', '.join(parts)}>"

    @property
    def _shutdown(self) -> str:
        return f"{'a clean shutdown' if self.is_clean else 'no clean shutdown'}, mode {self.mode}"

    def __str__(self) -> str:
        head = f"{self.folder}: {self._shutdown}"
        end = f"offsets {self.local_log_start_offset} to {self.next_offset}, recovery point {self.recovery_point}"
        return "\n".join([head, *map(str, self.findings), "refused" if self.refusals else end])

    def as_dict(self) -> dict[str, Any]:
        """The report for programs."""
        return {
            "folder": str(self.folder),
            "mode": self.mode.value,
            "is_clean": self.is_clean,
            "findings": [finding.as_dict() for finding in self.findings],
            "is_refused": bool(self.refusals),
            "log_start_offset": self.log_start_offset,
            "local_log_start_offset": self.local_log_start_offset,
            "next_offset": self.next_offset,
            "recovery_point": self.recovery_point,
            "unanchored_batches": self.unanchored_batches,
        }
