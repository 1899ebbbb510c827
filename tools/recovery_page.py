"""`docs/recovery.md`: what recovery finds and what it does about it, made from `kformat_engine.recovery.table`.

The rows, their reasons and what stands below the names of modes and actions are taken from there; sentences here say
what the kinds and their dimensions are. The examples run (`tools/documents.py`).
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from kformat_engine.recovery import table
from kformat_engine.recovery.table import DIMENSIONS, TABLE, Action, IndexCondition, Kind, Mode, Row
from kformat_engine.recovery.verification import LogEnd
from tools import documents

HEAD: Final = """\
# What recovery does

`Log.open` and `kformat log recover` look at a partition's folder as a broker does when it starts. What they find, and
what they do about it, is one table, `kformat_engine.recovery.table`, from which `make generate` makes this page; tests
walk through every state that it knows, and lay a folder for every row.

Nothing is changed before everything was looked at: a refusal leaves the folder as it is. After a clean shutdown
(`.kafka_cleanshutdown` is there) that is the end of the last segment, and the segments whose indexes have to be made
anew. Otherwise it is every byte from the segment on that holds the recovery point.

## Modes

{modes}

## Looking first

`--dry-run` says what would be done and changes nothing. Here a writer died inside of a batch:

```console
$ seq 1 1000 | sed 's/.*/{{"value": "text:line &", "timestamp": 1526384718283}}/' > lines
$ kformat log append --nl data/orders-0 lines
$ rm data/.kafka_cleanshutdown && printf 'half a batch' >> data/orders-0/00000000000000000000.log
$ kformat log recover --dry-run data/orders-0
$ kformat log recover data/orders-0 && ls data/orders-0
```

Damage *below* the recovery point is no accident of the last crash, and is refused:

```console
$ rm data/.kafka_cleanshutdown
$ printf X | dd of=data/orders-0/00000000000000000000.log bs=1 seek=3000 conv=notrunc status=none
$ kformat log recover data/orders-0 || echo "exit status $?"
```

A line is `FILE:POSITION: KIND (STATE) -> ACTION: WHY [DETAIL]`. `--json` has the same in fields, and the name of the
row. In Python it is `Log.report` after opening, and `kformat_engine.recovery.opening.examine_folder` before.

## What is done

| action | |
|---|---|
{actions}

Whatever is cut from a log is copied aside first, to `torn-<base offset>-<position>.bytes` in the folder; only zeros are
not. Nobody removes these files but you.

## What is found

What a row does not name may be anything; a row that is for all modes names none. Each state has exactly one row.
"""

KINDS: Final[Mapping[Kind, str]] = {
    Kind.DELETED: "`*.deleted`. *needed*: a log, while `.swap` files lie beside it of which one is damaged: they may"
    " have been to take its place.",
    Kind.CLEANED: "`*.cleaned`: what the log cleaner, or a split, was writing.",
    Kind.SWAP: "`*.swap`: what a finished cleaning or split was about to rename. *aborted*: some of its like are still"
    " `.cleaned`. *condition*: of the `.log.swap`; *no_log* where there is none; *doubtful*: sound, but another"
    " one is not, and what they were to replace is still there.",
    Kind.REPLACED: "A segment whose records are in a `.swap` file.",
    Kind.TEMPORARY: "`*.tmp`: what was to replace a text file or an index.",
    Kind.LOG: "`*.log`. *place*: where its sound batches end, beside the recovery point; after a clean shutdown of"
    " which no checkpoint speaks all damage but zeros is below. *rank*: whether it is the last one. *look*: *tail*,"
    " from the last index entry on; *index*, whole, because its index is made anew; *recovery*, whole, because it may"
    " not have been synced.",
    Kind.OFFSET_INDEX: "`*.index`. *recovered*: its segment is recovered as a whole.",
    Kind.TIME_INDEX: "`*.timeindex`. *recovered*: its segment is recovered as a whole.",
    Kind.TRANSACTION_INDEX: "`*.txnindex`. *beyond*: it has transactions that end behind the log.",
    Kind.ORPHAN: "An index without a log. *entries*: it has some, and its log is not set aside here.",
    Kind.PARTITION: "The log as a whole. *segments*: whether there are any. *end*: of the log, beside the log start"
    " offset. *lost*: the recovery point lies above both; *clean*: the log was closed in order, and no index speaks of"
    " more than there is.",
    Kind.SNAPSHOT: "`*.snapshot`, of producers. *known*: at a segment's base offset, or the last one; *stray*: at"
    " another one; *beyond*: behind the log's end.",
    Kind.LEADER_EPOCHS: "`leader-epoch-checkpoint`. *stale*: it does not say what the log says, or is missing."
    " *remote*: the log's first segments are in the remote storage of a broker.",
    Kind.METADATA: "`partition.metadata`",
    Kind.KEPT_ASIDE: "`torn-*.bytes`",
    Kind.FOREIGN: "Anything else. *log*: it has the name of a segment's log, and is no file: a folder, or a link that"
    " leads nowhere.",
}
ACTIONS: Final[Mapping[Action, str]] = {
    Action.KEEP: "Leave it as it is.",
    Action.CREATE_EMPTY: "Make an empty one.",
    Action.REMOVE: "Remove it.",
    Action.REWRITE: "Write it anew, from what the log says.",
}
CONDITIONS: Final[Mapping[str, str]] = {
    table.UNREAD: "Nobody looked: it lies below the recovery point.",
    table.FOLLOWS: "It lies behind a segment that is cut.",
    table.TOO_LARGE: "It is longer than 2^31-1 bytes.",
    table.SHRUNK: "An earlier segment, sound as far as it goes, whose offset index points behind its end.",
}


def sentences(enumeration: type[StrEnum]) -> Mapping[str, str]:
    """What stands below the members of an enumeration in its source, by their values."""
    (body,) = [node for node in ast.parse(inspect.getsource(enumeration)).body if isinstance(node, ast.ClassDef)]
    found: dict[str, str] = {}
    for node, following in zip(body.body, body.body[1:], strict=False):
        match node, following:
            case ast.Assign(targets=[ast.Name(id=name)]), ast.Expr(value=ast.Constant(value=str(text))):
                found[enumeration[name].value] = " ".join(text.split())
    return found


def modes() -> str:
    """The modes, as the table's module describes them."""
    described = (table.__doc__ or "").partition("Modes:\n")[2].strip()
    assert all(f"``{mode}``" in described for mode in Mode), "the module's docstring has a mode less"
    return described.replace("``", "`")


def _state(row: Row) -> str:
    names = [name for name in DIMENSIONS[row.kind] if name in row.patterns]
    return "; ".join(f"*{name}* {' or '.join(row.patterns[name])}" for name in names) or "any"


def _table(kind: Kind) -> str:
    rows = [row for row in TABLE if row.kind is kind]
    lines = [f"### {kind.value.replace('_', ' ')}", "", KINDS[kind], ""]
    conditions: Mapping[str, str] = {}
    match kind:
        case Kind.LOG:
            conditions = {**sentences(LogEnd), **CONDITIONS}
            assert set(conditions) == set(DIMENSIONS[kind]["condition"])
        case Kind.OFFSET_INDEX:
            conditions = sentences(IndexCondition)
    if conditions:
        lines += ["| *condition* | |", "|---|---|", *(f"| {name} | {text} |" for name, text in conditions.items()), ""]
    lines += ["| found | mode | done | why | row |", "|---|---|---|---|---|"]
    for row in rows:
        named = "" if len(row.modes) == len(Mode) else ", ".join(row.modes)
        lines.append(f"| {_state(row)} | {named} | {row.action} | {row.why} | `{row.name}` |")
    return "\n".join(lines)


def source() -> str:
    """The page before its examples ran."""
    done = {action: sentences(Action).get(action.value) or ACTIONS[action] for action in Action}
    actions = "\n".join(f"| {action} | {text} |" for action, text in done.items())
    return "\n\n".join([HEAD.format(modes=modes(), actions=actions).rstrip(), *map(_table, Kind)]) + "\n"


def page() -> str:
    """The whole page."""
    return documents.refreshed(source(), "docs/recovery.md")
