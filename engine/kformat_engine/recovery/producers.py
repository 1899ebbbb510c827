"""Recovery of producers' state: which snapshots stay, which are taken, and the content of transaction indexes.

It repeats a broker's steps of loading a log (LogLoader), with snapshots in memory, and plans the differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.producers.producer_state import build_aborted
from kformat_engine.producer_snapshots import Producers, SegmentStretch
from kformat_engine.recovery.plan import RecoveryPlan
from kformat_engine.recovery.table import YES, Action, Kind, Mode


class PlannedSnapshots:
    """The snapshots of a folder after recovery: files that stay, and bytes to be written."""

    def __init__(self, plan: RecoveryPlan) -> None:
        self.found: dict[int, Path] = {}
        for name, path in plan.names.items():
            parsed = plan.parsed(name)
            if parsed is not None and parsed.kind == "producer_snapshot" and not parsed.state:
                self.found[parsed.offset] = path
        self.content: dict[int, Path | bytes] = dict(self.found)

    def offsets(self) -> list[int]:
        return sorted(self.content)

    def read(self, offset: int) -> bytes:
        content = self.content[offset]
        return content if isinstance(content, bytes) else content.read_bytes()

    def write(self, offset: int, data: bytes, sync: bool) -> None:
        stored = self.found.get(offset)
        is_same = stored is not None and stored.read_bytes() == data
        self.content[offset] = stored if stored is not None and is_same else data

    def remove(self, offset: int) -> None:
        self.content.pop(offset, None)

    def sync(self, offset: int) -> None:
        """Does nothing: nothing is written yet, and the plan syncs its files."""


class ProducersLook:
    """Examines producers' state; `judge` computes ``producers`` and plans the changes of their files.

    Args:
        bases: of the segments after recovery.
        checkpointed_start, start, end: see `Examination`; ``start`` is that of the log.
        loaded: base offsets of segments that a broker recovers when it first opens them, because of their indexes.
        recovered: of those that are recovered because of an unclean shutdown.
        is_restarted: the log begins again, without its segments.
    """

    def __init__(
        self,
        plan: RecoveryPlan,
        bases: Sequence[int],
        *,
        checkpointed_start: int,
        start: int,
        end: int,
        loaded: Sequence[int],
        recovered: Sequence[int],
        is_restarted: bool,
    ) -> None:
        self.plan, self.bases = plan, list(bases)
        self.checkpointed_start, self.start, self.end = checkpointed_start, start, end
        self.loaded, self.recovered, self.is_restarted = loaded, recovered, is_restarted
        self.store = PlannedSnapshots(plan)
        self.producers = self._opened()

    def _opened(self) -> Producers:
        return Producers(self.store, self.plan.config.producer_id_expiration_ms, self.plan.clock)

    def judge(self) -> None:
        """Plan the changes. Raises OSError."""
        unsound: set[int] = set()
        is_refused = any(finding.action is Action.REFUSE for finding in self.plan.findings)
        if is_refused or self.end < 0:
            # Nothing will be done, and the segments are unknown: only the certain findings are reported.
            for offset in [offset for offset in self.store.offsets() if offset > self.end]:
                self.store.remove(offset)
        else:
            stretches = [self._stretch(base_offset) for base_offset in self.bases]
            unsound |= self._recover(stretches)
            self.producers = self._opened()
            if self.is_restarted:
                self.producers.start_over(self.start)
            self.producers.remove_strays(self.bases or [self.start])
            stretches = stretches or [SegmentStretch(self.start, self.plan.folder, 0, 0)]
            self.producers.rebuild(stretches, self.start, self.end, is_clean=self.plan.is_clean)
            unsound |= set(self.producers.unsound)
            if self.plan.mode is not Mode.KAFKA:
                # At every second start a broker takes one of an empty log, and removes it at the next one.
                for offset in [offset for offset in self.store.content if offset <= self.start]:
                    self.producers.remove(offset)
        self._find_snapshots(unsound)

    def _stretch(self, base_offset: int) -> SegmentStretch:
        log = self.plan.log(base_offset)
        start = self.plan.starts.get(base_offset, 0)
        size = self.plan.sizes.get(base_offset)
        end = self.plan.names[file_name(base_offset, "log")].stat().st_size if size is None else start + size
        known_end, last_offset = self.plan.without_producers.get(base_offset, (None, None))
        return SegmentStretch(base_offset, log, start, end, last_offset if known_end == end else None)

    def _recover(self, stretches: Sequence[SegmentStretch]) -> set[int]:
        """Replay the segments that are recovered; returns the offsets of snapshots that could not be read."""
        unsound: set[int] = set()
        for offsets, is_loading in ((self.loaded, True), (self.recovered, False)):
            for stretch in stretches:
                if stretch.base_offset in offsets:
                    # While a broker loads segments one after the other, it knows only those before the current one.
                    known = [
                        candidate
                        for candidate in stretches
                        if not is_loading or candidate.base_offset < stretch.base_offset
                    ]
                    producers = self._opened()
                    producers.rebuild(known, self.checkpointed_start, stretch.base_offset)
                    self._set_transactions(stretch.base_offset, build_aborted(producers.recover(stretch)))
                    unsound |= set(producers.unsound)
        return unsound

    def _set_transactions(self, base_offset: int, content: bytes) -> None:
        plan, name = self.plan, file_name(base_offset, "txnindex")
        path = plan.names.get(name)
        if path is None and not content:
            return
        if path is None and not any(finding.file == name for finding in plan.findings):
            plan.find(name, Kind.TRANSACTION_INDEX, {"condition": "missing", "recovered": YES})
        if path is None or not path.exists() or path.read_bytes() != content:
            plan.rebuild(base_offset, "txnindex", content)

    def _find_snapshots(self, unsound: set[int]) -> None:
        plan, store = self.plan, self.store
        for offset in sorted({*store.found, *store.content}):
            name, path, content = file_name(offset, "snapshot"), store.found.get(offset), store.content.get(offset)
            if offset in unsound and path is not None:
                plan.find(name, Kind.SNAPSHOT, {"condition": "unsound"})
                if content is None:
                    plan.remove(plan.folder / name)
                    continue
                path = None
            if content is None:
                condition = "beyond" if offset > self.end else "stray"
            elif path is None:
                condition = "missing"
            else:
                condition = "known" if content is path else "stale"
            finding = plan.find(name, Kind.SNAPSHOT, {"condition": condition})
            if finding.action is Action.REMOVE:
                plan.remove(plan.folder / name)
            elif finding.action in (Action.REWRITE, Action.CREATE):
                assert isinstance(content, bytes)
                plan.write_beside(name, content)
