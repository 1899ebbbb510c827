"""The thread that compacts the logs of a manager, and its choice of the next log: Kafka's LogCleaner.

Of the logs that are due, it always takes the one that has the most to compact in relation to its size. Then it applies
retention to compacted logs. A log that cannot be compacted is skipped from then on.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator, Sequence
from typing import Final

from kformat.errors import UsageError
from kformat_engine.cleaner import Cleaner, CleanerConfig, Compaction, LogToClean
from kformat_engine.current_logs import CurrentLogs, Key
from kformat_engine.errors import CompactionAbortedError, LogClosedError, LogDirOfflineError, TieredLogError
from kformat_engine.log import Log, internals_of
from kformat_engine.log_dirs import LogDirs
from kformat_engine.scheduler import Scheduler, ThreadScheduler
from kformat_engine.storage import Clock

LOG: Final = logging.getLogger(__name__)


class LogCleaner:
    """See `clean_filthiest`.

    Attributes:
        uncleanable: the errors of the logs that are skipped.
        compaction_count, bytes_before, bytes_after: of all compactions; deleted_segment_count: by retention.
        last_check_ms, max_dirty_ratio: of the last check whether a log is due.
    """

    def __init__(self, current: CurrentLogs, dirs: LogDirs, clock: Clock) -> None:
        self._current, self._dirs, self._clock = current, dirs, clock
        self.uncleanable: dict[Key, Exception] = {}
        self.compaction_count = self.bytes_before = self.bytes_after = self.deleted_segment_count = 0
        self.last_check_ms: int | None = None
        self.max_dirty_ratio = 0.0
        self._cleaner: Cleaner | None = None
        self._config = CleanerConfig()
        self._guard = threading.Lock()
        self._thread: ThreadScheduler | None = None

    def start(
        self, config: CleanerConfig | None, scheduler: Scheduler | None, *, backoff_ms: int, delay_ms: int
    ) -> None:
        """Start compaction in the background; without a scheduler in a thread of its own."""
        self._config = config or self._config
        if scheduler is None:
            scheduler = self._thread = ThreadScheduler(on_error=lambda name, error: self._dirs.note(error))
        used = scheduler

        def due() -> None:
            if self._current.is_closed:
                return
            was_due = False
            try:
                was_due = self.clean_filthiest() is not None
            except LogClosedError:
                return
            finally:
                with contextlib.suppress(UsageError):  # closed meanwhile
                    used.schedule("compaction", due, 0 if was_due else backoff_ms)

        used.schedule("compaction", due, delay_ms)

    def close(self) -> None:
        """Wait for the end of the thread."""
        if self._thread is not None:
            self._thread.close()

    def clean_filthiest(self) -> tuple[Log, Compaction] | None:
        """Compact one log, if one is due, and apply retention to all compacted logs (cleanFilthiestLog). While another
        thread does this, nothing is done."""
        self._current.check_open()
        if not self._guard.acquire(blocking=False):
            return None
        try:
            self.last_check_ms = self._clock()
            logs = [
                log
                for log in self._current.online()
                if log.config.is_compacted and (log.topic, log.partition) not in self.uncleanable
            ]
            cleaned = self._clean(logs)
            for log in logs:
                with self._uncleanable_on_error(log):
                    self.deleted_segment_count += len(log.retain())
            return cleaned
        finally:
            self._guard.release()

    def _clean(self, logs: Sequence[Log]) -> tuple[Log, Compaction] | None:
        candidates: list[tuple[LogToClean, Log]] = []
        for log in logs:
            with self._uncleanable_on_error(log):
                if not log.is_being_compacted:
                    candidates.append((internals_of(log).to_clean(reset=True), log))
        self.max_dirty_ratio = max((to_clean.cleanable_ratio for to_clean, _ in candidates), default=0.0)
        due = [(to_clean, log) for to_clean, log in candidates if to_clean.is_due(log.config)]
        if not due:
            return None
        _, log = max(due, key=lambda candidate: candidate[0].cleanable_ratio)
        with self._uncleanable_on_error(log):
            self._cleaner = self._cleaner or Cleaner(self._config)
            done = log.compact(cleaner=self._cleaner)
            if done is not None:
                self.compaction_count += 1
                self.bytes_before += done.size_bytes_before
                self.bytes_after += done.size_bytes_after
                return log, done
        return None

    @contextlib.contextmanager
    def _uncleanable_on_error(self, log: Log) -> Iterator[None]:
        """Skip a log from now on if it cannot be compacted (markPartitionUncleanable)."""
        try:
            yield
        except (CompactionAbortedError, LogClosedError, LogDirOfflineError, TieredLogError):
            pass
        except OSError as error:
            log.root.note_failure(error)
            self._dirs.note(error)
        except Exception as error:
            self._dirs.note(error)
            self.uncleanable[log.topic, log.partition] = error
            LOG.error("%s: cannot be compacted, and is left out from now on: %r", log.path, error)
