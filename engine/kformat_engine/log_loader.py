"""Opening a log: claiming its folder, recovery, and the files next to its segments (LogLoader)."""

from __future__ import annotations

import logging
import uuid
from pathlib import Path
from typing import Final, NamedTuple

from kformat.errors import BuildError, DataError, UsageError, whole_number
from kformat.integers import MAX_INT32
from kformat.kafka.files.file_kinds import (
    LOG_ID_FILE,
    MAX_TOPIC_CHARACTERS,
    FolderName,
    is_topic_name,
    parse_folder_name,
)
from kformat.kafka.files.text_files import PartitionMetadata, build_partition_metadata, parse_partition_metadata
from kformat.storage.address import local_path
from kformat_engine.config import LogConfig
from kformat_engine.errors import DamagedLogError, SegmentInUseError
from kformat_engine.local_log import LocalLog
from kformat_engine.recovery.opening import Approve, examine_folder, mode_of
from kformat_engine.recovery.report import RecoveryReport
from kformat_engine.recovery.sidecars import METADATA_FILE
from kformat_engine.recovery.table import Action, Mode
from kformat_engine.root import LOG_START_OFFSETS, OpenLog, RootFiles, RootProblem
from kformat_engine.storage import Storage

LOG: Final = logging.getLogger(__name__)
_TAKE_AWAY: Final = {
    *(Action.CUT, Action.CUT_SEGMENT, Action.EMPTY, Action.SALVAGE, Action.SET_ASIDE, Action.RESTART),
}


def named(path: str | Path) -> tuple[Path, FolderName]:
    """A partition's folder, and its parsed name; UsageError if it is not a partition's."""
    folder = local_path(path).absolute()
    name = parse_folder_name(folder.name)
    if name is None or name.state or folder.name != f"{name.topic}-{name.partition}":
        raise UsageError(
            f"{folder.name!r} is not a partition's folder: it is called <topic>-<partition>, for example orders-0"
        )
    if not is_topic_name(name.topic):
        raise UsageError(
            f"{name.topic!r} is not a valid topic name: use ASCII letters, digits, '.', '_' and '-', at most "
            f"{MAX_TOPIC_CHARACTERS}, and neither '.' nor '..'"
        )
    return folder, name


def _unreadable(problem: RootProblem) -> DamagedLogError:
    message = "a checkpoint of the root cannot be read; move it away, or recover in another mode, to go on without it"
    if problem.path.name == LOG_START_OFFSETS:
        message += "; then a tiered log is taken to start with its first segment here"
    return DamagedLogError(f"{message} ({problem.message})", source=str(problem.path))


def check_epoch(epoch: int, latest: int) -> None:
    """Raise UsageError for an invalid leader epoch, or one before the latest."""
    whole_number(epoch, "leader epoch")
    if epoch < latest:
        raise UsageError(f"leader epochs do not go back: {epoch} after {latest}")
    if epoch > MAX_INT32:
        raise UsageError(f"leader epoch {epoch} is above {MAX_INT32}")


def topic_id_of(folder: Path) -> str | None:
    """The topic's id as Kafka prints it; None if `partition.metadata` is missing or cannot be read."""
    try:
        return parse_partition_metadata((folder / METADATA_FILE).read_bytes()).topic_id
    except (FileNotFoundError, DataError):
        return None


def examine(
    path: str | Path,
    config: LogConfig | None,
    *,
    mode: str,
    place_unanchored: bool,
    storage: Storage,
    files: RootFiles | None,
) -> RecoveryReport:
    """See `Log.examine`."""
    folder, name = named(path)
    if not folder.is_dir():
        raise FileNotFoundError(2, "No such log", str(folder))
    files = files or RootFiles(folder.parent, storage)
    if mode_of(mode) is Mode.STRICT:
        for problem in files.unreadable:
            raise _unreadable(problem)
    said = files.said(name.topic, name.partition)
    return examine_folder(folder, config or LogConfig(), mode=mode, place_unanchored=place_unanchored, **said._asdict())


class LogLoader(NamedTuple):
    """Loads a log for `Log.open`, which documents the arguments."""

    mode: str
    place_unanchored: bool
    topic_id: str | None
    leader_epoch: int | None
    verify: bool
    approve: Approve | None
    storage: Storage

    def load(self, log: OpenLog, local: LocalLog) -> RecoveryReport:
        """Register a log with its root, and recover its folder. Raises as `Log.open`."""
        root = local.root
        try:
            root.register(log)
            if mode_of(self.mode) is Mode.STRICT:
                for problem in root.unreadable:
                    raise _unreadable(problem)
            root.claim(log)
            report = self._recover(log, local)
            root.claim(log)  # for a folder that was just created
        except (UsageError, DamagedLogError, SegmentInUseError):  # refused before anything was changed
            root.unregister(log, untouched=True)
            raise
        return report

    def _recover(self, log: OpenLog, local: LocalLog) -> RecoveryReport:
        path = local.path
        metadata = None if self.topic_id is None else _checked_metadata(path, self.topic_id)

        def go(report: RecoveryReport) -> None:
            if self.approve is not None:
                self.approve(report)
            if mode_of(self.mode) is not Mode.STRICT:  # a refusal leaves the root's files as they are, too
                local.root.set_unreadable_aside()

        is_new = not (path.is_dir() and any(file.suffix == ".log" for file in path.iterdir()))
        report = local.load(self.mode, go, place_unanchored=self.place_unanchored, is_lazy=not self.verify)
        if metadata is not None and not (path / METADATA_FILE).exists():
            self.storage.write_atomically(path / METADATA_FILE, metadata)
        if is_new and not any((path / name).exists() for name in (METADATA_FILE, LOG_ID_FILE)):
            self.storage.write_atomically(path / LOG_ID_FILE, uuid.uuid4().hex.encode() + b"\n")
        if self.leader_epoch is not None:
            try:
                check_epoch(self.leader_epoch, local.epochs.latest_epoch)
            except UsageError:
                log.close()
                raise
            local.leader_epoch = self.leader_epoch
        _log_opening(report)
        return report


def _log_opening(report: RecoveryReport) -> None:
    """Log how a log was opened, and each stretch of bytes that is no longer in it."""
    for finding in report.findings:
        if finding.action in _TAKE_AWAY:
            LOG.warning("%s: %s", report.folder, finding)
    level = logging.DEBUG if report.is_clean and not report.changes else logging.INFO
    shutdown = "a clean shutdown" if report.is_clean else "no clean shutdown"
    LOG.log(
        *(level, "%s: opened after %s, offsets %d to %d, changes: %d", report.folder, shutdown),
        *(report.local_log_start_offset, report.next_offset, len(report.changes)),
    )


def _checked_metadata(path: Path, topic_id: str) -> bytes:
    """The content of `partition.metadata` for a topic id; UsageError if the file has another id."""
    try:
        data = build_partition_metadata(PartitionMetadata(version=0, topic_id=topic_id))
    except BuildError as error:
        raise UsageError(f"topic_id takes 22 characters as Kafka prints it, not {topic_id!r}: {error}") from None
    if topic_id_of(path) not in (None, parse_partition_metadata(data).topic_id):
        raise UsageError(f"{path / METADATA_FILE} names the topic id {topic_id_of(path)}, not {topic_id}")
    return data
