"""What recovery may find in a partition's folder, and what it does about it: one table, without any disk.

A *state* is a kind of thing with a value for each dimension of that kind. A row stands for all states that its
patterns fit, in the modes that it names. Every state of every kind has exactly one row in every mode; a test walks
through all of them.

Modes:

* ``strict``: a torn tail above the recovery point is kept aside, then cut. Damage below it, or in what a clean
  shutdown left behind, is refused. Indexes that are not sound are made anew, whatever the shutdown was.
* ``salvage``: every byte of every segment is looked at, whatever the shutdown was and wherever the recovery point lies.
  What cannot be read is kept aside and the rest goes on: sound batches behind a damaged stretch of a segment become a
  segment of their own, and later segments stay. It refuses nothing that it can set aside, and leaves nothing in which
  `kformat check` finds an error that damage can make, but for transactions whose index was damaged. To that end it
  decompresses old wrappers, keeps those aside that overlap the batch before them, and rebuilds an index that `check`
  finds wrong anywhere. Leader epochs that batches contradict are forgotten.
* ``kafka``: what a broker does (LogLoader, LogSegment.recover), be it good or bad. Only that log bytes which it would
  delete are kept aside, because nothing is silently lost.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from kformat_engine.recovery.verification import LogEnd


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
    """Make the index anew from the log."""
    CREATE_EMPTY = "create_empty"
    CREATE = "create"
    """Make the first segment of an empty log."""
    CUT = "cut"
    """Keep aside everything from the damage on, later segments too, then cut it off."""
    CUT_SEGMENT = "cut_segment"
    """Keep aside the rest of this segment, then cut it off; later segments stay."""
    EMPTY = "empty"
    """Keep aside the whole segment and all later ones; it goes on empty."""
    SPLIT = "split"
    """Replace the segment by several that hold the same batches."""
    SALVAGE = "salvage"
    """Keep aside what cannot be read; what is sound behind it becomes a segment of its own."""
    SET_ASIDE = "set_aside"
    """Rename it to a name that no broker looks at."""
    REMOVE = "remove"
    INSTALL = "install"
    """Rename it to the name without `.swap`."""
    TRUNCATE = "truncate"
    """Cut off the entries of what is no longer in the log."""
    REWRITE = "rewrite"
    RESTART = "restart"
    """Keep aside all segments, and begin anew at the log start offset."""
    REFUSE = "refuse"
    """Change nothing at all, and raise DamagedLogError."""


class IndexCondition(StrEnum):
    """How an index file was found."""

    SOUND = "sound"
    MISSING = "missing"
    ODD = "odd"
    """Its length is no whole number of entries."""
    PADDED = "padded"
    """Zeros lie behind its entries: it was not closed."""
    UNSOUND = "unsound"
    """Its entries do not grow, or do not lie in the log, or do not point at batches."""
    SHORT = "short"
    """The log goes on for long behind its last entry."""


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
        # needed: a log, and the `.swap` files beside it, of which one is unsound, may be to take its place.
        Kind.DELETED: {"needed": (NO, YES)},
        Kind.CLEANED: {},
        # aborted: a `.cleaned` file has its offset or a lower one, so that the swap had not begun.
        # condition: of the `.log.swap` that it belongs to; no_log where there is none. doubtful: sound, but another one
        # is not, and the logs that they were to replace are still there.
        Kind.SWAP: {"aborted": (NO, YES), "condition": (SOUND, DOUBTFUL, UNSOUND, NO_LOG)},
        Kind.REPLACED: {},
        Kind.TEMPORARY: {},
        # condition: how it ends; unread: nobody looked; follows: it lies behind a segment that is cut; shrunk: it is an
        # earlier segment, sound as far as it goes, whose offset index points behind its end.
        # place: where the sound batches end, beside the recovery point. After a clean shutdown of which no checkpoint
        # speaks all but zeros is below: whatever was written had been synced.
        # look: why, and how far, it was looked at: from its last index entry on, to make its index anew, or wholly
        # because it lies at or above the recovery point after an unclean shutdown.
        Kind.LOG: {
            "condition": (*LogEnd, UNREAD, FOLLOWS, TOO_LARGE, SHRUNK),
            "shutdown": (CLEAN, UNCLEAN),
            "place": (BELOW, ABOVE),
            "rank": (EARLIER, LAST),
            "look": (TAIL, INDEX, RECOVERY),
        },
        # recovered: the segment is recovered as a whole, so that its indexes are not trusted.
        Kind.OFFSET_INDEX: {"condition": tuple(IndexCondition), "recovered": (NO, YES), "rank": (EARLIER, LAST)},
        Kind.TIME_INDEX: {"condition": tuple(IndexCondition), "recovered": (NO, YES), "rank": (EARLIER, LAST)},
        # beyond: it has transactions that end behind the log.
        Kind.TRANSACTION_INDEX: {"condition": (SOUND, "beyond", UNSOUND)},
        # entries: whether there are any, and its log is not set aside at the same time.
        Kind.ORPHAN: {"shutdown": (CLEAN, UNCLEAN), "entries": (YES, NO)},
        # segments: whether there are any. end: the log's end beside the log start offset.
        # lost: the recovery point lies above both, so what had been synced is not there. After a clean shutdown that is
        # what a broker leaves that cut a batch in the middle last: the whole batch went, the checkpoint did not. But it
        # cuts the indexes, too: where one of them speaks of what is not there, it is lost all the same.
        Kind.PARTITION: {"segments": (YES, NO), "end": (ABOVE, BELOW), "lost": (NO, CLEAN, YES)},
        # known: at a segment's base offset, or the last one. stray: another one. beyond: behind the log's end.
        Kind.SNAPSHOT: {"condition": ("known", "stray", "beyond")},
        # stale: it does not say what the log says, or is missing.
        # remote: the log's first segments are in the remote storage of a broker.
        Kind.LEADER_EPOCHS: {"condition": (SOUND, "stale", DAMAGED), "remote": (NO, YES)},
        Kind.METADATA: {"condition": (SOUND, DAMAGED)},
        Kind.KEPT_ASIDE: {},
        # log: it has the name of a segment's log, but is no file: a folder, or a link that leads nowhere.
        Kind.FOREIGN: {"log": (NO, YES)},
    }
)
"""Kind -> its dimensions -> their values."""

State = Mapping[str, str]
"""A value for each dimension of a kind."""


@dataclass(frozen=True)
class Row:
    """One row of the table.

    Attributes:
        name: unique.
        modes: in which it counts.
        patterns: dimension -> values that it is for; a dimension that is not named may have any.
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
_OURS: Final = (Mode.STRICT, Mode.SALVAGE)
_KAFKA: Final = (Mode.KAFKA,)
_LENIENT: Final = (Mode.SALVAGE, Mode.KAFKA)
_DAMAGE: Final = tuple(end for end in LogEnd if end not in (LogEnd.SOUND, LogEnd.OVERFLOW, LogEnd.EXHAUSTED))
_BYTES: Final = (LogEnd.ZEROS, LogEnd.TORN, LogEnd.FRAME, LogEnd.CHECKSUM)
_DOUBTFUL: Final = (IndexCondition.ODD, IndexCondition.PADDED, IndexCondition.UNSOUND, IndexCondition.SHORT)


def _row(
    name: str, kind: Kind, modes: tuple[Mode, ...], action: Action, why: str, **patterns: str | tuple[str, ...]
) -> Row:
    listed = {key: (value,) if isinstance(value, str) else tuple(value) for key, value in patterns.items()}
    return Row(name, kind, modes, MappingProxyType(listed), action, why)


def _index_rows(kind: Kind, name: str, what: str) -> Iterator[Row]:
    conditions, doubts = (
        IndexCondition,
        {
            IndexCondition.ODD: "its length is no whole number of entries",
            IndexCondition.PADDED: "zeros lie behind its entries, and all of them would count as entries",
            IndexCondition.UNSOUND: "its entries do not fit the log",
            IndexCondition.SHORT: "the log goes on for long behind its last entry",
        },
    )
    yield _row(
        f"{name}-recovered",
        kind,
        ALL,
        Action.REBUILD,
        "the segment is recovered, and after a crash the pages of an index may hold anything",
        recovered=YES,
    )
    yield _row(
        f"{name}-sound", kind, ALL, Action.KEEP, "it is sound", condition=conditions.SOUND, recovered=NO, rank=EARLIER
    )
    yield _row(
        f"{name}-active",
        kind,
        ALL,
        Action.GROW,
        "it is sound, and goes on growing",
        condition=conditions.SOUND,
        recovered=NO,
        rank=LAST,
    )
    if kind is Kind.OFFSET_INDEX:
        yield _row(
            f"{name}-missing",
            kind,
            ALL,
            Action.REBUILD,
            "every segment has one",
            condition=conditions.MISSING,
            recovered=NO,
        )
    else:
        yield _row(
            f"{name}-missing",
            kind,
            _OURS,
            Action.REBUILD,
            "every segment has one",
            condition=conditions.MISSING,
            recovered=NO,
        )
        yield _row(
            f"{name}-missing-kafka",
            kind,
            _KAFKA,
            Action.CREATE_EMPTY,
            "a broker makes an empty one and looks at the time of last modification instead",
            condition=conditions.MISSING,
            recovered=NO,
        )
    for condition, why in doubts.items():
        yield _row(f"{name}-{condition}", kind, _OURS, Action.REBUILD, why, condition=condition, recovered=NO)
    yield _row(
        f"{name}-trusted",
        kind,
        _KAFKA,
        Action.KEEP,
        f"a broker does not look into {what}",
        condition=_DOUBTFUL,
        recovered=NO,
        rank=EARLIER,
    )
    yield _row(
        f"{name}-active-trusted",
        kind,
        _KAFKA,
        Action.GROW,
        f"a broker does not look into {what}",
        condition=_DOUBTFUL,
        recovered=NO,
        rank=LAST,
    )


TABLE: Final[tuple[Row, ...]] = (
    _row("deleted", Kind.DELETED, ALL, Action.REMOVE, "it was deleted, and only waited to be removed", needed=NO),
    _row(
        "deleted-anyway",
        Kind.DELETED,
        (Mode.STRICT, Mode.KAFKA),
        Action.REMOVE,
        "it was deleted, and only waited to be removed",
        needed=YES,
    ),
    _row(
        "deleted-needed",
        Kind.DELETED,
        _SALVAGE,
        Action.SET_ASIDE,
        "what was to take its place is damaged, and it may hold the same records",
        needed=YES,
    ),
    _row("cleaned", Kind.CLEANED, ALL, Action.REMOVE, "a cleaning or split did not finish; the originals are there"),
    _row(
        "swap-aborted",
        Kind.SWAP,
        ALL,
        Action.REMOVE,
        "some of its like are still called .cleaned: the swap had not begun, and the originals are there",
        aborted=YES,
    ),
    _row(
        "swap",
        Kind.SWAP,
        ALL,
        Action.INSTALL,
        "all that replaces was written; only the renaming is missing",
        aborted=NO,
        condition=SOUND,
    ),
    _row("swap-index", Kind.SWAP, ALL, Action.INSTALL, "its log has its name already", aborted=NO, condition=NO_LOG),
    _row(
        "swap-doubtful",
        Kind.SWAP,
        _STRICT,
        Action.REFUSE,
        "another one of what is to replace something is damaged",
        aborted=NO,
        condition=DOUBTFUL,
    ),
    _row(
        "swap-doubtful-salvage",
        Kind.SWAP,
        _SALVAGE,
        Action.SET_ASIDE,
        "another one is damaged; what they were to replace is there, and stays",
        aborted=NO,
        condition=DOUBTFUL,
    ),
    _row(
        "swap-doubtful-kafka",
        Kind.SWAP,
        _KAFKA,
        Action.INSTALL,
        "a broker does not look whether it is sound",
        aborted=NO,
        condition=DOUBTFUL,
    ),
    _row(
        "swap-unsound",
        Kind.SWAP,
        _STRICT,
        Action.REFUSE,
        "it is to replace what may be sound, and is damaged",
        aborted=NO,
        condition=UNSOUND,
    ),
    _row(
        "swap-unsound-salvage",
        Kind.SWAP,
        _SALVAGE,
        Action.SET_ASIDE,
        "it is damaged; what it was to replace stays, or is kept aside",
        aborted=NO,
        condition=UNSOUND,
    ),
    _row(
        "swap-unsound-kafka",
        Kind.SWAP,
        _KAFKA,
        Action.INSTALL,
        "a broker does not look whether it is sound",
        aborted=NO,
        condition=UNSOUND,
    ),
    _row("replaced", Kind.REPLACED, ALL, Action.REMOVE, "a .swap file holds its records, and takes its place"),
    _row("temporary", Kind.TEMPORARY, _OURS, Action.REMOVE, "a write did not finish; what it was to replace is there"),
    _row("temporary-kafka", Kind.TEMPORARY, _KAFKA, Action.KEEP, "a broker passes over it"),
    # Logs.
    _row("log-sound", Kind.LOG, ALL, Action.KEEP, "it ends with a sound batch", condition=LogEnd.SOUND),
    _row(
        "log-unread", Kind.LOG, ALL, Action.KEEP, "it was synced before the recovery point moved on", condition=UNREAD
    ),
    _row(
        "log-shrunk",
        Kind.LOG,
        _STRICT,
        Action.REFUSE,
        "its index speaks of batches below the recovery point that are not there",
        condition=SHRUNK,
        place=BELOW,
    ),
    _row(
        "log-shrunk-clean",
        Kind.LOG,
        _STRICT,
        Action.REFUSE,
        "its index speaks of batches that are not there, and a clean shutdown had synced both",
        condition=SHRUNK,
        place=ABOVE,
        shutdown=CLEAN,
    ),
    _row(
        "log-shrunk-crash",
        Kind.LOG,
        _STRICT,
        Action.KEEP,
        "its index speaks of batches that are not there: the index reached the disk, they did not",
        condition=SHRUNK,
        place=ABOVE,
        shutdown=UNCLEAN,
    ),
    _row(
        "log-shrunk-anyway",
        Kind.LOG,
        _LENIENT,
        Action.KEEP,
        "its index speaks of batches that are not there; what there is goes on",
        condition=SHRUNK,
    ),
    _row("log-too-large", Kind.LOG, ALL, Action.REFUSE, "no segment is longer than 2^31-1 bytes", condition=TOO_LARGE),
    _row(
        "log-follows",
        Kind.LOG,
        ALL,
        Action.SET_ASIDE,
        "it lies behind the place where the log is cut",
        condition=FOLLOWS,
    ),
    _row(
        "log-overflow",
        Kind.LOG,
        _OURS,
        Action.SPLIT,
        "it has offsets that its indexes cannot hold",
        condition=LogEnd.OVERFLOW,
    ),
    _row(
        "log-damaged",
        Kind.LOG,
        _STRICT,
        Action.REFUSE,
        "the damage lies below the recovery point, where all had been synced",
        condition=_DAMAGE,
        place=BELOW,
    ),
    _row(
        "log-damaged-clean",
        Kind.LOG,
        _STRICT,
        Action.REFUSE,
        "a clean shutdown leaves no damage in an earlier segment",
        condition=_DAMAGE,
        place=ABOVE,
        shutdown=CLEAN,
        rank=EARLIER,
    ),
    _row(
        "log-salvage",
        Kind.LOG,
        _SALVAGE,
        Action.SALVAGE,
        "what cannot be read is kept aside, what is sound before and behind it stays",
        condition=(*_DAMAGE, LogEnd.EXHAUSTED),
    ),
    _row(
        "log-exhausted",
        Kind.LOG,
        _STRICT,
        Action.REFUSE,
        "it has a record at the largest offset of all: where the log ends can neither be said nor written down",
        condition=LogEnd.EXHAUSTED,
    ),
    _row(
        "log-kafka-exhausted",
        Kind.LOG,
        _KAFKA,
        Action.KEEP,
        "a broker counts on, and arrives at -2^63: the log ends below its start then",
        condition=LogEnd.EXHAUSTED,
    ),
    _row(
        "log-trailing",
        Kind.LOG,
        _STRICT,
        Action.CUT,
        "it lies behind the last batch of a log that was closed",
        condition=_DAMAGE,
        place=ABOVE,
        shutdown=CLEAN,
        rank=LAST,
    ),
    _row(
        "log-zeros",
        Kind.LOG,
        _STRICT,
        Action.CUT_SEGMENT,
        "zeros alone are no reason to take later segments away: an old cleaner left them, or they never were written",
        condition=LogEnd.ZEROS,
        place=ABOVE,
        shutdown=UNCLEAN,
        rank=EARLIER,
    ),
    _row(
        "log-torn-earlier",
        Kind.LOG,
        _STRICT,
        Action.CUT,
        "it lies above the recovery point: it was being written, and never said to be safe",
        condition=tuple(end for end in _DAMAGE if end is not LogEnd.ZEROS),
        place=ABOVE,
        shutdown=UNCLEAN,
        rank=EARLIER,
    ),
    _row(
        "log-torn",
        Kind.LOG,
        _STRICT,
        Action.CUT,
        "it lies above the recovery point: it was being written, and never said to be safe",
        condition=_DAMAGE,
        place=ABOVE,
        shutdown=UNCLEAN,
        rank=LAST,
    ),
    _row(
        "log-kafka-recovery",
        Kind.LOG,
        _KAFKA,
        Action.CUT,
        "a broker's recovery cuts here and deletes what follows",
        condition=_BYTES,
        look=RECOVERY,
    ),
    _row(
        "log-kafka-backwards",
        Kind.LOG,
        _KAFKA,
        Action.EMPTY,
        "a broker's index refuses an offset that goes back, and the segment is emptied",
        condition=LogEnd.ORDER,
        look=RECOVERY,
    ),
    _row(
        "log-kafka-index",
        Kind.LOG,
        _KAFKA,
        Action.CUT_SEGMENT,
        "a broker makes the missing index anew, and cuts the log while it does",
        condition=_BYTES,
        look=INDEX,
    ),
    _row(
        "log-kafka-backwards-index",
        Kind.LOG,
        _KAFKA,
        Action.REFUSE,
        "a broker does not start: its index refuses an offset that goes back",
        condition=LogEnd.ORDER,
        look=INDEX,
    ),
    _row(
        "log-kafka-overflow",
        Kind.LOG,
        _KAFKA,
        Action.SPLIT,
        "it has offsets that its indexes cannot hold",
        condition=LogEnd.OVERFLOW,
        look=(INDEX, RECOVERY),
    ),
    _row(
        "log-kafka-before",
        Kind.LOG,
        _KAFKA,
        Action.REFUSE,
        "a broker does not start: no split helps an offset below the segment's base offset",
        condition=LogEnd.BEFORE,
        look=(INDEX, RECOVERY),
    ),
    _row(
        "log-kafka-tail",
        Kind.LOG,
        _KAFKA,
        Action.KEEP,
        "a broker does not look at it",
        condition=(LogEnd.TORN, LogEnd.CHECKSUM, LogEnd.ORDER, LogEnd.OVERFLOW, LogEnd.BEFORE),
        look=TAIL,
    ),
    _row(
        "log-kafka-no-batch",
        Kind.LOG,
        _KAFKA,
        Action.REFUSE,
        "a broker does not start: it finds no batch there when it looks for the log's end",
        condition=(LogEnd.FRAME, LogEnd.ZEROS),
        look=TAIL,
    ),
    # Indexes.
    *_index_rows(Kind.OFFSET_INDEX, "index", "an offset index"),
    *_index_rows(Kind.TIME_INDEX, "timeindex", "a time index"),
    _row("txnindex", Kind.TRANSACTION_INDEX, ALL, Action.KEEP, "it is sound", condition=SOUND),
    _row(
        "txnindex-beyond",
        Kind.TRANSACTION_INDEX,
        ALL,
        Action.TRUNCATE,
        "it speaks of transactions that were cut",
        condition="beyond",
    ),
    _row(
        "txnindex-unsound",
        Kind.TRANSACTION_INDEX,
        (Mode.STRICT, Mode.KAFKA),
        Action.REFUSE,
        "it cannot be made anew without the state of all producers; a broker can",
        condition=UNSOUND,
    ),
    _row(
        "txnindex-unsound-salvage",
        Kind.TRANSACTION_INDEX,
        _SALVAGE,
        Action.SET_ASIDE,
        "it cannot be read: aborted transactions of this segment will look like others",
        condition=UNSOUND,
    ),
    _row(
        "orphan",
        Kind.ORPHAN,
        _STRICT,
        Action.REMOVE,
        "there is no log that it is the index of",
        shutdown=UNCLEAN,
    ),
    _row(
        "orphan-empty",
        Kind.ORPHAN,
        _STRICT,
        Action.REMOVE,
        "there is no log that it is the index of, and it speaks of nothing",
        shutdown=CLEAN,
        entries=NO,
    ),
    _row(
        "orphan-clean",
        Kind.ORPHAN,
        _STRICT,
        Action.REFUSE,
        "the log that it is the index of is missing, and a clean shutdown loses none",
        shutdown=CLEAN,
        entries=YES,
    ),
    _row("orphan-anyway", Kind.ORPHAN, _LENIENT, Action.REMOVE, "there is no log that it is the index of"),
    # The log as a whole.
    _row("partition", Kind.PARTITION, ALL, Action.KEEP, "the log goes on at its end", segments=YES, end=ABOVE, lost=NO),
    _row(
        "partition-truncated",
        Kind.PARTITION,
        ALL,
        Action.KEEP,
        "it ends below its recovery point, as a truncation inside of a batch leaves it, and was closed in order",
        segments=YES,
        end=ABOVE,
        lost=CLEAN,
    ),
    _row("partition-new", Kind.PARTITION, ALL, Action.CREATE, "there is no segment yet", segments=NO, lost=(NO, CLEAN)),
    _row(
        "partition-restart",
        Kind.PARTITION,
        ALL,
        Action.RESTART,
        "the log ends below its start: what it holds was deleted",
        segments=YES,
        end=BELOW,
        lost=(NO, CLEAN),
    ),
    _row(
        "partition-lost",
        Kind.PARTITION,
        _STRICT,
        Action.REFUSE,
        "the log ends below its recovery point: what had been synced is not there",
        lost=YES,
    ),
    _row(
        "partition-lost-anyway",
        Kind.PARTITION,
        _LENIENT,
        Action.KEEP,
        "the log ends below its recovery point: what had been synced is not there",
        segments=YES,
        end=ABOVE,
        lost=YES,
    ),
    _row(
        "partition-lost-new",
        Kind.PARTITION,
        _LENIENT,
        Action.CREATE,
        "there is no segment, though some had been synced",
        segments=NO,
        lost=YES,
    ),
    _row(
        "partition-lost-restart",
        Kind.PARTITION,
        _LENIENT,
        Action.RESTART,
        "the log ends below its start, though more had been synced",
        segments=YES,
        end=BELOW,
        lost=YES,
    ),
    # What lies beside.
    _row("snapshot", Kind.SNAPSHOT, ALL, Action.KEEP, "it is where one belongs", condition="known"),
    _row("snapshot-stray", Kind.SNAPSHOT, _OURS, Action.KEEP, "it does no harm", condition="stray"),
    _row(
        "snapshot-stray-kafka",
        Kind.SNAPSHOT,
        _KAFKA,
        Action.REMOVE,
        "a broker removes what is at no segment's base offset, but the last",
        condition="stray",
    ),
    _row(
        "snapshot-beyond",
        Kind.SNAPSHOT,
        ALL,
        Action.REMOVE,
        "it is of producers behind the log's end",
        condition="beyond",
    ),
    _row("epochs", Kind.LEADER_EPOCHS, ALL, Action.KEEP, "it says what the log says", condition=SOUND),
    _row("epochs-stale", Kind.LEADER_EPOCHS, ALL, Action.REWRITE, "the log says something else", condition="stale"),
    _row(
        "epochs-damaged",
        Kind.LEADER_EPOCHS,
        _OURS,
        Action.REWRITE,
        "it cannot be read, and the log has it all",
        condition=DAMAGED,
        remote=NO,
    ),
    _row(
        "epochs-damaged-remote",
        Kind.LEADER_EPOCHS,
        _STRICT,
        Action.REFUSE,
        "it cannot be read, and without the epochs of remote segments a broker does not find these",
        condition=DAMAGED,
        remote=YES,
    ),
    _row(
        "epochs-damaged-remote-salvage",
        Kind.LEADER_EPOCHS,
        _SALVAGE,
        Action.REWRITE,
        "it cannot be read, and the log has what is not of remote segments",
        condition=DAMAGED,
        remote=YES,
    ),
    _row(
        "epochs-damaged-kafka",
        Kind.LEADER_EPOCHS,
        _KAFKA,
        Action.REFUSE,
        "a broker does not start with it",
        condition=DAMAGED,
    ),
    _row("metadata", Kind.METADATA, ALL, Action.KEEP, "it is sound", condition=SOUND),
    _row(
        "metadata-damaged",
        Kind.METADATA,
        (Mode.STRICT, Mode.KAFKA),
        Action.REFUSE,
        "nothing else here knows the topic's id",
        condition=DAMAGED,
    ),
    _row("metadata-damaged-salvage", Kind.METADATA, _SALVAGE, Action.SET_ASIDE, "it cannot be read", condition=DAMAGED),
    _row("kept-aside", Kind.KEPT_ASIDE, ALL, Action.KEEP, "an earlier recovery kept it; it is yours to look at"),
    _row("foreign", Kind.FOREIGN, ALL, Action.KEEP, "it is no file of a log", log=NO),
    _row(
        "foreign-log",
        Kind.FOREIGN,
        _STRICT,
        Action.REFUSE,
        "a segment should be there, and cannot be looked at: is a disk missing?",
        log=YES,
    ),
    _row("foreign-log-anyway", Kind.FOREIGN, _LENIENT, Action.KEEP, "a broker passes over it", log=YES),
)
"""All rows. Their order says nothing: each state has one."""


def states(kind: Kind) -> Iterator[State]:
    """All states of a kind."""
    names = DIMENSIONS[kind]
    for values in itertools.product(*names.values()):
        yield MappingProxyType(dict(zip(names, values, strict=True)))


def row_for(mode: Mode, kind: Kind, state: State) -> Row:
    """The row for what was found; there is exactly one (StopIteration would be a hole in the table)."""
    return next(row for row in TABLE if row.kind is kind and row.fits(mode, state))
