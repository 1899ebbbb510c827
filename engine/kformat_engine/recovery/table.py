"""What recovery may find in a partition's folder, and what it does about it: one table, without any disk.

A *state* is a kind of thing with a value for each dimension of that kind. A row stands for all states that its
patterns fit, in the modes that it names. Every state of every kind has exactly one row in every mode; a test walks
through all of them.

Modes:

* ``strict`` keeps a torn tail above the recovery point aside, then cuts it. It refuses damage below the recovery point,
  or in files that a clean shutdown left. It rebuilds unsound indexes after any shutdown.
* ``salvage`` reads every byte of every segment after any shutdown, wherever the recovery point is. Of a damaged log all
  batches stay that `kformat salvage` saves, by the same plan (`kformat.kafka.damage.saved_ranges`), and later segments
  stay; what does not stay as it was stored is kept aside. It refuses nothing that it can set aside. Then `kformat
  check` finds no error that damage can cause, except in transactions whose index was damaged. To that end it
  decompresses old wrappers, sets aside those that overlap the batch before them, rebuilds every index that `check`
  finds wrong, and drops leader epochs that batches contradict.
* ``kafka`` does what a broker does (LogLoader, LogSegment.recover), good or bad, except that it keeps aside the log
  bytes that a broker would delete.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from kformat_engine.recovery.verification import EndReason


class Mode(StrEnum):
    """How to recover."""

    STRICT = "strict"
    SALVAGE = "salvage"
    KAFKA = "kafka"


class Kind(StrEnum):
    """What was found."""

    DELETED = "deleted"
    CLEANED = "cleaned"
    SWAP = "swap"
    REPLACED = "replaced"
    TEMPORARY = "temporary"
    LOG = "log"
    OFFSET_INDEX = "offset_index"
    TIME_INDEX = "time_index"
    TRANSACTION_INDEX = "transaction_index"
    ORPHAN = "orphan"
    PARTITION = "partition"
    SNAPSHOT = "producer_snapshot"
    LEADER_EPOCHS = "leader_epoch_checkpoint"
    METADATA = "partition_metadata"
    KEPT_ASIDE = "kept_aside"
    FOREIGN = "foreign"


class Action(StrEnum):
    """What is done about it."""

    KEEP = "keep"
    GROW = "grow"
    """Keep it, and give it room for more entries."""
    REBUILD = "rebuild"
    """Rebuild the index from the log."""
    CREATE_EMPTY = "create_empty"
    CREATE = "create"
    """Create what is not there: the first segment of an empty log, a snapshot of its producers."""
    CUT = "cut"
    """Keep aside everything from the damage on, later segments too, then cut it off."""
    CUT_SEGMENT = "cut_segment"
    """Keep aside the rest of this segment, then cut it off; later segments stay."""
    EMPTY = "empty"
    """Keep aside the whole segment and all later ones; the log continues with an empty segment."""
    SPLIT = "split"
    """Replace the segment by several that hold the same batches."""
    SALVAGE = "salvage"
    """Keep the batches that can be proved, restored if need be; keep aside what was not stored so."""
    SET_ASIDE = "set_aside"
    """Rename it to a name that brokers ignore."""
    REMOVE = "remove"
    INSTALL = "install"
    """Rename it to the name without `.swap`."""
    TRUNCATE = "truncate"
    """Remove the entries of records that are no longer in the log."""
    REWRITE = "rewrite"
    RESTART = "restart"
    """Keep all segments aside, and start again at the log start offset."""
    REFUSE = "refuse"
    """Change nothing at all, and raise DamagedLogError."""


class IndexCondition(StrEnum):
    """How an index file was found."""

    SOUND = "sound"
    MISSING = "missing"
    ODD = "odd"
    """Its length is not a whole number of entries."""
    PADDED = "padded"
    """Zeros follow its entries: it was not closed."""
    UNTRIMMED = "untrimmed"
    """The same of KRaft's own log after a clean shutdown, which brokers from 4.4 on leave so."""
    UNSOUND = "unsound"
    """Its entries do not rise, or are outside the log, or do not point at batches."""
    SHORT = "short"
    """The log continues too far after its last entry."""


SOUND, UNSOUND, DAMAGED = "sound", "unsound", "damaged"
CLEAN, UNCLEAN = "clean", "unclean"
BELOW, ABOVE = "below", "above"
EARLIER, LAST = "earlier", "last"
UNREAD, FOLLOWS, TOO_LARGE, SHRUNK = "unread", "follows", "too_large", "shrunk"
DOUBTFUL, NO_LOG = "doubtful", "no_log"
TAIL, INDEX, RECOVERY = "tail", "index", "recovery"
YES, NO = "yes", "no"

DIMENSIONS: Final[Mapping[Kind, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
    {
        # needed: a log that `.swap` files, one of them unsound, may be about to replace.
        Kind.DELETED: {"needed": (NO, YES)},
        Kind.CLEANED: {},
        # aborted: a `.cleaned` file has its offset or a lower one, so that the swap had not begun.
        # condition: of the `.log.swap` to which it belongs; no_log if there is none. doubtful: sound, but another one
        # is not, and the logs that they were to replace still exist.
        Kind.SWAP: {"aborted": (NO, YES), "condition": (SOUND, DOUBTFUL, UNSOUND, NO_LOG)},
        Kind.REPLACED: {},
        Kind.TEMPORARY: {},
        # condition: how it ends; unread: it was not read; follows: it follows a segment that is cut; shrunk: it is an
        # earlier segment, sound as far as it goes, whose offset index points past its end.
        # place: where the sound batches end, compared with the recovery point. After a clean shutdown without a
        # checkpoint everything but zeros is below: all written bytes had been synced.
        # look: why, and how far, it was read: from its last index entry on, to rebuild its index, or completely because
        # it lies at or above the recovery point after an unclean shutdown.
        Kind.LOG: {
            "condition": (*EndReason, UNREAD, FOLLOWS, TOO_LARGE, SHRUNK),
            "shutdown": (CLEAN, UNCLEAN),
            "place": (BELOW, ABOVE),
            "rank": (EARLIER, LAST),
            "look": (TAIL, INDEX, RECOVERY),
        },
        # recovered: the segment is recovered as a whole, so that its indexes are not trusted.
        Kind.OFFSET_INDEX: {"condition": tuple(IndexCondition), "recovered": (NO, YES), "rank": (EARLIER, LAST)},
        Kind.TIME_INDEX: {"condition": tuple(IndexCondition), "recovered": (NO, YES), "rank": (EARLIER, LAST)},
        # beyond: it has transactions that end after the log. missing: the segment has aborted transactions.
        # recovered: the segment is recovered as a whole, and so is its transaction index.
        Kind.TRANSACTION_INDEX: {"condition": (SOUND, "beyond", UNSOUND, "missing"), "recovered": (NO, YES)},
        # entries: whether there are any, and its log is not set aside at the same time.
        Kind.ORPHAN: {"shutdown": (CLEAN, UNCLEAN), "entries": (YES, NO)},
        # segments: whether there are any. end: the log's end compared with the log start offset.
        # lost: the recovery point is above both, so synced records are missing. A clean shutdown leaves this after a
        # broker's last cut was inside of a batch: the whole batch was cut, the checkpoint was not lowered. But the
        # broker cuts the indexes, too: if one of them has entries for missing batches, these are lost all the same.
        Kind.PARTITION: {"segments": (YES, NO), "end": (ABOVE, BELOW), "lost": (NO, CLEAN, YES)},
        # known: at a segment's base offset, or the last one. stray: another one. beyond: after the log's end.
        # unsound: it cannot be read. stale: it disagrees with the log. missing: a broker takes one.
        Kind.SNAPSHOT: {"condition": ("known", "stray", "beyond", UNSOUND, "stale", "missing")},
        # stale: it disagrees with the log, or is missing.
        # remote: the log's first segments are in the remote storage of a broker.
        Kind.LEADER_EPOCHS: {"condition": (SOUND, "stale", DAMAGED), "remote": (NO, YES)},
        Kind.METADATA: {"condition": (SOUND, DAMAGED)},
        Kind.KEPT_ASIDE: {},
        # log: it has the name of a segment's log, but is no file: a folder, or a broken link.
        Kind.FOREIGN: {"log": (NO, YES)},
    }
)
"""Kind -> its dimensions -> their values."""

State = Mapping[str, str]
"""A value for each dimension of a kind."""


@dataclass(frozen=True)
class TableRow:
    """One row of the table.

    Attributes:
        name: unique.
        modes: in which it applies.
        patterns: dimension -> values to which it applies; a dimension that is not named may have any.
        why: a sentence.
    """

    name: str
    kind: Kind
    modes: tuple[Mode, ...]
    patterns: Mapping[str, tuple[str, ...]]
    action: Action
    why: str

    def fits(self, mode: Mode, state: State) -> bool:
        """Whether it is the row for a state of its kind."""
        return mode in self.modes and all(state[name] in values for name, values in self.patterns.items())


ALL: Final = tuple(Mode)
_STRICT: Final = (Mode.STRICT,)
_SALVAGE: Final = (Mode.SALVAGE,)
_KAFKA: Final = (Mode.KAFKA,)
_OURS: Final = (Mode.STRICT, Mode.SALVAGE)
_CAREFUL: Final = (Mode.STRICT, Mode.KAFKA)
_LENIENT: Final = (Mode.SALVAGE, Mode.KAFKA)
_DAMAGE: Final = tuple(
    end for end in EndReason if end not in (EndReason.SOUND, EndReason.OVERFLOW, EndReason.EXHAUSTED)
)
_NOT_ZEROS: Final = tuple(end for end in _DAMAGE if end is not EndReason.ZEROS)
_BYTES: Final = (EndReason.ZEROS, EndReason.TORN, EndReason.FRAME, EndReason.CHECKSUM)
_FRAMED: Final = (EndReason.TORN, EndReason.CHECKSUM, EndReason.ORDER, EndReason.OVERFLOW, EndReason.BEFORE)
_CRASHED: Final = {"place": ABOVE, "shutdown": UNCLEAN}
_CLOSED: Final = {"place": ABOVE, "shutdown": CLEAN}
_DOUBTFUL: Final = (IndexCondition.ODD, IndexCondition.PADDED, IndexCondition.UNSOUND, IndexCondition.SHORT)

_WHY: Final = {
    "deleted": "it was deleted and awaits removal",
    "deleted-anyway": "it was deleted and awaits removal",
    "deleted-needed": "its replacement is damaged, and it may hold the same records",
    "cleaned": "a cleaning or split did not finish; the originals are there",
    "swap-aborted": "other files of the swap are still called .cleaned: it had not begun, and the originals are there",
    "swap": "the replacement is complete; only the rename is missing",
    "swap-index": "its log is already renamed",
    "swap-doubtful": "another .swap file of the replacement is damaged",
    "swap-doubtful-salvage": "another .swap file is damaged; the originals are there and stay",
    "swap-doubtful-kafka": "a broker does not check whether it is sound",
    "swap-unsound": "it is damaged, and the file that it is to replace may be sound",
    "swap-unsound-salvage": "it is damaged; the original stays, or is kept aside",
    "swap-unsound-kafka": "a broker does not check whether it is sound",
    "replaced": "a .swap file with its records replaces it",
    "temporary": "a write did not finish; the original is there",
    "temporary-kafka": "a broker ignores it",
    "log-sound": "it ends with a sound batch",
    "log-unread": "it was synced before the recovery point advanced",
    "log-shrunk": "its index has entries for missing batches below the recovery point",
    "log-shrunk-clean": "its index has entries for missing batches, and a clean shutdown had synced both",
    "log-shrunk-crash": "its index has entries for missing batches: the index reached the disk, the batches did not",
    "log-shrunk-anyway": "its index has entries for missing batches; the rest of the log is kept",
    "log-too-large": "no segment is longer than 2^31-1 bytes",
    "log-follows": "it follows the place where the log is cut",
    "log-overflow": "it has offsets that its indexes cannot hold",
    "log-damaged": "the damage is below the recovery point, where everything had been synced",
    "log-damaged-clean": "a clean shutdown leaves no damage in an earlier segment",
    "log-salvage": "all batches that can be proved stay; other bytes are kept aside",
    "log-exhausted": "it has a record at the largest possible offset, so the log end offset cannot be represented",
    "log-kafka-exhausted": "a broker's log end offset overflows to -2^63, below the log start",
    "log-trailing": "it follows the last batch of a log that was closed",
    "log-zeros": "zeros alone are no reason to remove later segments: an old cleaner left them, or the "
    "bytes were never written",
    "log-torn-earlier": "it is above the recovery point: it was being written and was never acknowledged as synced",
    "log-torn": "it is above the recovery point: it was being written and was never acknowledged as synced",
    "log-kafka-recovery": "a broker's recovery cuts here and deletes what follows",
    "log-kafka-backwards": "a broker's index refuses an offset that goes back, and the segment is emptied",
    "log-kafka-index": "a broker rebuilds the missing index, and cuts the log while it does",
    "log-kafka-backwards-index": "a broker does not start: its index refuses an offset that goes back",
    "log-kafka-overflow": "it has offsets that its indexes cannot hold",
    "log-kafka-before": "a broker does not start: no split helps an offset below the segment's base offset",
    "log-kafka-tail": "a broker does not read it",
    "log-kafka-no-batch": "a broker does not start: it finds no batch there when it looks for the log's end",
    "txnindex": "it is sound",
    "txnindex-beyond": "it has transactions that were cut",
    "txnindex-recovered": "the segment is recovered, and its transaction index is rebuilt with it",
    "txnindex-unsound": "it cannot be read, and the log has all its transactions",
    "txnindex-missing": "the segment has markers of aborted transactions",
    "orphan": "its log does not exist",
    "orphan-empty": "its log does not exist, and it has no entries",
    "orphan-clean": "its log is missing, and a clean shutdown loses none",
    "orphan-anyway": "its log does not exist",
    "partition": "the log continues at its end",
    "partition-truncated": "it ends below its recovery point, as after a truncation inside a batch, and was "
    "closed in order",
    "partition-new": "there is no segment yet",
    "partition-restart": "the log ends below its start: its records were deleted",
    "partition-lost": "the log ends below its recovery point: synced records are missing",
    "partition-lost-anyway": "the log ends below its recovery point: synced records are missing",
    "partition-lost-new": "there is no segment, though records had been synced",
    "partition-lost-restart": "the log ends below its start, though more had been synced",
    "snapshot": "it is at a segment's base offset, or the last one",
    "snapshot-stray": "it is at no segment's base offset, and not the last one",
    "snapshot-beyond": "its offset is after the log's end",
    "snapshot-unsound": "it cannot be read, and the one before it counts",
    "snapshot-stale": "it disagrees with the log",
    "snapshot-missing": "the state of the producers at this offset was rebuilt",
    "epochs": "it agrees with the log",
    "epochs-stale": "it disagrees with the log",
    "epochs-damaged": "it cannot be read, and the log has all its epochs",
    "epochs-damaged-remote": "it cannot be read, and without their epochs a broker does not find remote segments",
    "epochs-damaged-remote-salvage": "it cannot be read, and the log has all epochs but those of remote segments",
    "epochs-damaged-kafka": "a broker does not start with it",
    "metadata": "it is sound",
    "metadata-damaged": "no other file has the topic's id",
    "metadata-damaged-salvage": "it cannot be read",
    "kept-aside": "an earlier recovery kept it for you to examine",
    "foreign": "it is not a log's file",
    "foreign-log": "a segment should be there, and cannot be read: is a disk missing?",
    "foreign-log-anyway": "a broker ignores it",
}
"""The name of a row -> its reason."""


def _row(
    name: str,
    kind: Kind,
    modes: tuple[Mode, ...],
    action: Action,
    why: str | None = None,
    **patterns: str | tuple[str, ...],
) -> TableRow:
    listed = {key: (value,) if isinstance(value, str) else tuple(value) for key, value in patterns.items()}
    return TableRow(name, kind, modes, MappingProxyType(listed), action, _WHY[name] if why is None else why)


_WHY_INDEX: Final = {
    "recovered": "the segment is recovered, and after a crash the pages of an index may hold anything",
    "sound": "it is sound",
    "active": "it is sound and will grow",
    "missing": "every segment has one",
    "missing-kafka": "a broker creates an empty one and uses the log's modification time instead",
    "odd": "its length is not a whole number of entries",
    "padded": "zeros follow its entries, and would all count as entries",
    "untrimmed": "it is sound: a broker from 4.4 on leaves zeros after the entries of KRaft's own log",
    "unsound": "its entries do not match the log",
    "short": "the log continues too far after its last entry",
    "trusted": "a broker does not check {what}",
    "active-trusted": "a broker does not check {what}",
}
"""The reasons for the rows of both indexes, whose names begin with the suffix."""


def _index_rows(kind: Kind, suffix: str, what: str) -> Iterator[TableRow]:
    def row(name: str, modes: tuple[Mode, ...], action: Action, **patterns: str | tuple[str, ...]) -> TableRow:
        return _row(f"{suffix}-{name}", kind, modes, action, _WHY_INDEX[name].format(what=what), **patterns)

    sound, missing = IndexCondition.SOUND, IndexCondition.MISSING
    yield row("recovered", ALL, Action.REBUILD, recovered=YES)
    yield row("sound", ALL, Action.KEEP, condition=sound, recovered=NO, rank=EARLIER)
    yield row("active", ALL, Action.GROW, condition=sound, recovered=NO, rank=LAST)
    if kind is Kind.OFFSET_INDEX:
        yield row("missing", ALL, Action.REBUILD, condition=missing, recovered=NO)
    else:
        yield row("missing", _OURS, Action.REBUILD, condition=missing, recovered=NO)
        yield row("missing-kafka", _KAFKA, Action.CREATE_EMPTY, condition=missing, recovered=NO)
    yield row("untrimmed", ALL, Action.GROW, condition=IndexCondition.UNTRIMMED, recovered=NO)
    for condition in _DOUBTFUL:
        yield row(condition.value, _OURS, Action.REBUILD, condition=condition, recovered=NO)
    yield row("trusted", _KAFKA, Action.KEEP, condition=_DOUBTFUL, recovered=NO, rank=EARLIER)
    yield row("active-trusted", _KAFKA, Action.GROW, condition=_DOUBTFUL, recovered=NO, rank=LAST)


TABLE: Final[tuple[TableRow, ...]] = (
    _row("deleted", Kind.DELETED, ALL, Action.REMOVE, needed=NO),
    _row("deleted-anyway", Kind.DELETED, _CAREFUL, Action.REMOVE, needed=YES),
    _row("deleted-needed", Kind.DELETED, _SALVAGE, Action.SET_ASIDE, needed=YES),
    _row("cleaned", Kind.CLEANED, ALL, Action.REMOVE),
    _row("swap-aborted", Kind.SWAP, ALL, Action.REMOVE, aborted=YES),
    _row("swap", Kind.SWAP, ALL, Action.INSTALL, aborted=NO, condition=SOUND),
    _row("swap-index", Kind.SWAP, ALL, Action.INSTALL, aborted=NO, condition=NO_LOG),
    _row("swap-doubtful", Kind.SWAP, _STRICT, Action.REFUSE, aborted=NO, condition=DOUBTFUL),
    _row("swap-doubtful-salvage", Kind.SWAP, _SALVAGE, Action.SET_ASIDE, aborted=NO, condition=DOUBTFUL),
    _row("swap-doubtful-kafka", Kind.SWAP, _KAFKA, Action.INSTALL, aborted=NO, condition=DOUBTFUL),
    _row("swap-unsound", Kind.SWAP, _STRICT, Action.REFUSE, aborted=NO, condition=UNSOUND),
    _row("swap-unsound-salvage", Kind.SWAP, _SALVAGE, Action.SET_ASIDE, aborted=NO, condition=UNSOUND),
    _row("swap-unsound-kafka", Kind.SWAP, _KAFKA, Action.INSTALL, aborted=NO, condition=UNSOUND),
    _row("replaced", Kind.REPLACED, ALL, Action.REMOVE),
    _row("temporary", Kind.TEMPORARY, _OURS, Action.REMOVE),
    _row("temporary-kafka", Kind.TEMPORARY, _KAFKA, Action.KEEP),
    # Logs.
    _row("log-sound", Kind.LOG, ALL, Action.KEEP, condition=EndReason.SOUND),
    _row("log-unread", Kind.LOG, ALL, Action.KEEP, condition=UNREAD),
    _row("log-shrunk", Kind.LOG, _STRICT, Action.REFUSE, condition=SHRUNK, place=BELOW),
    _row("log-shrunk-clean", Kind.LOG, _STRICT, Action.REFUSE, condition=SHRUNK, **_CLOSED),
    _row("log-shrunk-crash", Kind.LOG, _STRICT, Action.KEEP, condition=SHRUNK, **_CRASHED),
    _row("log-shrunk-anyway", Kind.LOG, _LENIENT, Action.KEEP, condition=SHRUNK),
    _row("log-too-large", Kind.LOG, ALL, Action.REFUSE, condition=TOO_LARGE),
    _row("log-follows", Kind.LOG, ALL, Action.SET_ASIDE, condition=FOLLOWS),
    _row("log-overflow", Kind.LOG, _OURS, Action.SPLIT, condition=EndReason.OVERFLOW),
    _row("log-damaged", Kind.LOG, _STRICT, Action.REFUSE, condition=_DAMAGE, place=BELOW),
    _row("log-damaged-clean", Kind.LOG, _STRICT, Action.REFUSE, condition=_DAMAGE, **_CLOSED, rank=EARLIER),
    _row("log-salvage", Kind.LOG, _SALVAGE, Action.SALVAGE, condition=(*_DAMAGE, EndReason.EXHAUSTED)),
    _row("log-exhausted", Kind.LOG, _STRICT, Action.REFUSE, condition=EndReason.EXHAUSTED),
    _row("log-kafka-exhausted", Kind.LOG, _KAFKA, Action.KEEP, condition=EndReason.EXHAUSTED),
    _row("log-trailing", Kind.LOG, _STRICT, Action.CUT, condition=_DAMAGE, **_CLOSED, rank=LAST),
    _row("log-zeros", Kind.LOG, _STRICT, Action.CUT_SEGMENT, condition=EndReason.ZEROS, **_CRASHED, rank=EARLIER),
    _row("log-torn-earlier", Kind.LOG, _STRICT, Action.CUT, condition=_NOT_ZEROS, **_CRASHED, rank=EARLIER),
    _row("log-torn", Kind.LOG, _STRICT, Action.CUT, condition=_DAMAGE, **_CRASHED, rank=LAST),
    _row("log-kafka-recovery", Kind.LOG, _KAFKA, Action.CUT, condition=_BYTES, look=RECOVERY),
    _row("log-kafka-backwards", Kind.LOG, _KAFKA, Action.EMPTY, condition=EndReason.ORDER, look=RECOVERY),
    _row("log-kafka-index", Kind.LOG, _KAFKA, Action.CUT_SEGMENT, condition=_BYTES, look=INDEX),
    _row("log-kafka-backwards-index", Kind.LOG, _KAFKA, Action.REFUSE, condition=EndReason.ORDER, look=INDEX),
    _row("log-kafka-overflow", Kind.LOG, _KAFKA, Action.SPLIT, condition=EndReason.OVERFLOW, look=(INDEX, RECOVERY)),
    _row("log-kafka-before", Kind.LOG, _KAFKA, Action.REFUSE, condition=EndReason.BEFORE, look=(INDEX, RECOVERY)),
    _row("log-kafka-tail", Kind.LOG, _KAFKA, Action.KEEP, condition=_FRAMED, look=TAIL),
    _row(
        "log-kafka-no-batch", Kind.LOG, _KAFKA, Action.REFUSE, condition=(EndReason.FRAME, EndReason.ZEROS), look=TAIL
    ),
    # Indexes.
    *_index_rows(Kind.OFFSET_INDEX, "index", "an offset index"),
    *_index_rows(Kind.TIME_INDEX, "timeindex", "a time index"),
    _row("txnindex", Kind.TRANSACTION_INDEX, ALL, Action.KEEP, condition=SOUND, recovered=NO),
    _row("txnindex-beyond", Kind.TRANSACTION_INDEX, ALL, Action.TRUNCATE, condition="beyond", recovered=NO),
    _row("txnindex-recovered", Kind.TRANSACTION_INDEX, ALL, Action.REBUILD, condition=(SOUND, "beyond"), recovered=YES),
    _row("txnindex-unsound", Kind.TRANSACTION_INDEX, ALL, Action.REBUILD, condition=UNSOUND),
    _row("txnindex-missing", Kind.TRANSACTION_INDEX, ALL, Action.REBUILD, condition="missing"),
    _row("orphan", Kind.ORPHAN, _STRICT, Action.REMOVE, shutdown=UNCLEAN),
    _row("orphan-empty", Kind.ORPHAN, _STRICT, Action.REMOVE, shutdown=CLEAN, entries=NO),
    _row("orphan-clean", Kind.ORPHAN, _STRICT, Action.REFUSE, shutdown=CLEAN, entries=YES),
    _row("orphan-anyway", Kind.ORPHAN, _LENIENT, Action.REMOVE),
    # The log as a whole.
    _row("partition", Kind.PARTITION, ALL, Action.KEEP, segments=YES, end=ABOVE, lost=NO),
    _row("partition-truncated", Kind.PARTITION, ALL, Action.KEEP, segments=YES, end=ABOVE, lost=CLEAN),
    _row("partition-new", Kind.PARTITION, ALL, Action.CREATE, segments=NO, lost=(NO, CLEAN)),
    _row("partition-restart", Kind.PARTITION, ALL, Action.RESTART, segments=YES, end=BELOW, lost=(NO, CLEAN)),
    _row("partition-lost", Kind.PARTITION, _STRICT, Action.REFUSE, lost=YES),
    _row("partition-lost-anyway", Kind.PARTITION, _LENIENT, Action.KEEP, segments=YES, end=ABOVE, lost=YES),
    _row("partition-lost-new", Kind.PARTITION, _LENIENT, Action.CREATE, segments=NO, lost=YES),
    _row("partition-lost-restart", Kind.PARTITION, _LENIENT, Action.RESTART, segments=YES, end=BELOW, lost=YES),
    # The other files.
    _row("snapshot", Kind.SNAPSHOT, ALL, Action.KEEP, condition="known"),
    _row("snapshot-stray", Kind.SNAPSHOT, ALL, Action.REMOVE, condition="stray"),
    _row("snapshot-beyond", Kind.SNAPSHOT, ALL, Action.REMOVE, condition="beyond"),
    _row("snapshot-unsound", Kind.SNAPSHOT, ALL, Action.REMOVE, condition=UNSOUND),
    _row("snapshot-stale", Kind.SNAPSHOT, ALL, Action.REWRITE, condition="stale"),
    _row("snapshot-missing", Kind.SNAPSHOT, ALL, Action.CREATE, condition="missing"),
    _row("epochs", Kind.LEADER_EPOCHS, ALL, Action.KEEP, condition=SOUND),
    _row("epochs-stale", Kind.LEADER_EPOCHS, ALL, Action.REWRITE, condition="stale"),
    _row("epochs-damaged", Kind.LEADER_EPOCHS, _OURS, Action.REWRITE, condition=DAMAGED, remote=NO),
    _row("epochs-damaged-remote", Kind.LEADER_EPOCHS, _STRICT, Action.REFUSE, condition=DAMAGED, remote=YES),
    _row("epochs-damaged-remote-salvage", Kind.LEADER_EPOCHS, _SALVAGE, Action.REWRITE, condition=DAMAGED, remote=YES),
    _row("epochs-damaged-kafka", Kind.LEADER_EPOCHS, _KAFKA, Action.REFUSE, condition=DAMAGED),
    _row("metadata", Kind.METADATA, ALL, Action.KEEP, condition=SOUND),
    _row("metadata-damaged", Kind.METADATA, _CAREFUL, Action.REFUSE, condition=DAMAGED),
    _row("metadata-damaged-salvage", Kind.METADATA, _SALVAGE, Action.SET_ASIDE, condition=DAMAGED),
    _row("kept-aside", Kind.KEPT_ASIDE, ALL, Action.KEEP),
    _row("foreign", Kind.FOREIGN, ALL, Action.KEEP, log=NO),
    _row("foreign-log", Kind.FOREIGN, _STRICT, Action.REFUSE, log=YES),
    _row("foreign-log-anyway", Kind.FOREIGN, _LENIENT, Action.KEEP, log=YES),
)
"""All rows. Their order does not matter: each state has one."""


def states(kind: Kind) -> Iterator[State]:
    """All states of a kind."""
    names = DIMENSIONS[kind]
    for values in itertools.product(*names.values()):
        yield MappingProxyType(dict(zip(names, values, strict=True)))


def row_for(mode: Mode, kind: Kind, state: State) -> TableRow:
    """The row of a state; there is exactly one (StopIteration would be a hole in the table)."""
    return next(row for row in TABLE if row.kind is kind and row.fits(mode, state))
