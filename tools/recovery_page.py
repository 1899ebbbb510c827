"""`docs/recovery.md`: what recovery finds and what it does about it, generated from `kformat_engine.recovery.table`.

The rows, their reasons, and the texts below the names of modes and actions come from there; the sentences here describe
the kinds and their dimensions. The examples run (`tools/documents.py`).
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from kformat_engine.recovery import table
from kformat_engine.recovery.table import DIMENSIONS, TABLE, Action, IndexCondition, Kind, Mode, TableRow
from kformat_engine.recovery.verification import EndReason
from tools import documents

HEAD: Final = """\
# What recovery does

`Log.open` and `kformat log recover` examine a partition's folder as a broker does when it starts. One table says what
they do about everything they may find: `kformat_engine.recovery.table`, from which `make generate` writes this page.
Tests cover every state in it, with a folder for every row.

Recovery examines everything before it changes anything, so a refusal leaves the folder as it is. After a clean shutdown
(`.kafka_cleanshutdown` exists) it reads the end of the last segment, and the segments whose indexes need a rebuild.
`Log.open` then looks only at the names and lengths of earlier segments, and examines each when it is first used, except
in mode `salvage` or with `verify=True`; a refusal is raised there (`DamagedLogError`), and nothing is changed.
Without a clean shutdown it reads every byte from the segment with the recovery point on.

## Modes

{modes}

## Looking first

`--dry-run` prints the plan and changes nothing. Here a writer died inside a batch:

```console
$ seq 1 1000 | sed 's/.*/{{"value": "text:line &", "timestamp": 1526384718283}}/' > lines
$ kformat log append --input-format nl data/orders-0 lines
$ rm data/.kafka_cleanshutdown && printf 'half a batch' >> data/orders-0/00000000000000000000.log
$ kformat log recover --dry-run data/orders-0
$ kformat log recover data/orders-0 && ls data/orders-0
```

Damage *below* the recovery point does not come from the last crash, and is refused:

```console
$ rm data/.kafka_cleanshutdown
$ printf X | dd of=data/orders-0/00000000000000000000.log bs=1 seek=3000 conv=notrunc status=none
$ kformat log recover data/orders-0 || echo "exit status $?"
```

A line is `FILE:POSITION: KIND (STATE) -> ACTION: WHY [DETAIL]`. `--format json` has the same as fields, with the name
of the row. In Python, `Log.report` has it after opening, and `Log.examine` before. Both print one plan.

Damage *above* the recovery point ends the log, as it does for a broker: everything after it is cut, even sound batches.
Here no checkpoint says how far the log was synced. Before it cuts sound batches, `log recover` asks on a terminal;
elsewhere it changes nothing without `--yes`. Mode `salvage` keeps them in the log:

```console
$ mkdir copy && cp -r samples/4.3.1/rolled-by-bytes-0 copy/
$ printf X | dd of=copy/rolled-by-bytes-0/00000000000000000200.log bs=1 seek=5000 conv=notrunc status=none
$ kformat log recover copy/rolled-by-bytes-0 || echo "exit status $?"
$ kformat log recover --mode salvage copy > salvaged || echo "exit status $?"
$ kformat check copy --severity error && echo sound
```

Exit status 1 says that something is lost, or may be. DIR may be a root, as here: `log recover` recovers every partition
in it. The last line on standard error says what it did not look at: `kformat check` looks at everything.

Mode `salvage` saves what [`kformat salvage`](cli.md#salvage) saves. Batches after lost bytes that may be values of
records are kept aside, each with that reason; the end of the report counts them (`unanchored_batches` in JSON and in
`Log.report`). `--place-unanchored`, in Python `Log.open(..., mode="salvage", place_unanchored=True)`, saves them, too.
Where another mode would cut such batches, the list of sound batches says how many may be values of records
(`unanchored_count`).

Indexes are rebuilt with each topic's `index.interval.bytes`, as [`reindex`](cli.md#reindex) does. A broker that
rebuilds an index when it starts has the topic's own setting, and that of its server.properties, but not yet the dynamic
settings of brokers, which `log recover` also takes: the index is then as the broker first wrote it.

## What is done

| action | |
|---|---|
{actions}

Recovery copies what it cuts from a log to `torn-<base offset>-<position>.bytes` in the folder first, except zeros. It
never removes these files.

## What is found

A dimension that a row does not name may have any value; a row without a mode holds for all. Each state has exactly one
row.
"""

KINDS: Final[Mapping[Kind, str]] = {
    Kind.DELETED: "`*.deleted`. *needed*: a log that `.swap` files may have been about to replace; one of them is"
    " damaged.",
    Kind.CLEANED: "`*.cleaned`: the log cleaner, or a split, was writing it.",
    Kind.SWAP: "`*.swap`: a finished cleaning or split was about to rename it. *aborted*: other files of it are still"
    " `.cleaned`. *condition*: of the `.log.swap`; *no_log* if there is none; *doubtful*: sound, but another"
    " one is not, and the originals are still there.",
    Kind.REPLACED: "A segment whose records are in a `.swap` file.",
    Kind.TEMPORARY: "`*.tmp`: it was to replace a text file or an index.",
    Kind.LOG: "`*.log`. *place*: where its sound batches end, compared with the recovery point; after a clean"
    " shutdown without a checkpoint all damage but zeros is below. *rank*: whether it is the last one. *look*: *tail*,"
    " from the last index entry on; *index*, whole, because its index is rebuilt; *recovery*, whole, because it may"
    " not have been synced.",
    Kind.OFFSET_INDEX: "`*.index`. *recovered*: its segment is recovered as a whole.",
    Kind.TIME_INDEX: "`*.timeindex`. *recovered*: its segment is recovered as a whole.",
    Kind.TRANSACTION_INDEX: "`*.txnindex`. *beyond*: it has transactions that end after the log.",
    Kind.ORPHAN: "An index without a log. *entries*: it has some, and its log is not set aside here.",
    Kind.PARTITION: "The log as a whole. *segments*: whether there are any. *end*: of the log, compared with the log"
    " start offset. *lost*: the recovery point is above both; *clean*: the log was closed in order, and no index has"
    " entries for missing batches.",
    Kind.SNAPSHOT: "`*.snapshot`, of producers. *known*: at a segment's base offset, or the last one; *stray*: at"
    " another offset; *beyond*: after the log's end.",
    Kind.LEADER_EPOCHS: "`leader-epoch-checkpoint`. *stale*: it disagrees with the log, or is missing."
    " *remote*: the log's first segments are in the remote storage of a broker.",
    Kind.METADATA: "`partition.metadata`",
    Kind.KEPT_ASIDE: "`torn-*.bytes`",
    Kind.FOREIGN: "Anything else. *log*: it has the name of a segment's log, but is a folder or a broken link.",
}
ACTIONS: Final[Mapping[Action, str]] = {
    Action.KEEP: "Leave it as it is.",
    Action.CREATE_EMPTY: "Create an empty one.",
    Action.REMOVE: "Remove it.",
    Action.REWRITE: "Write it again from the log.",
}
CONDITIONS: Final[Mapping[str, str]] = {
    table.UNREAD: "It was not read: it is below the recovery point.",
    table.FOLLOWS: "It follows a segment that is cut.",
    table.TOO_LARGE: "It is longer than 2^31-1 bytes.",
    table.SHRUNK: "An earlier segment, sound as far as it goes, whose offset index points past its end.",
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


def _state(row: TableRow) -> str:
    names = [name for name in DIMENSIONS[row.kind] if name in row.patterns]
    return "; ".join(f"*{name}* {' or '.join(row.patterns[name])}" for name in names) or "any"


def _table(kind: Kind) -> str:
    rows = [row for row in TABLE if row.kind is kind]
    lines = [f"### {kind.value.replace('_', ' ')}", "", KINDS[kind], ""]
    conditions: Mapping[str, str] = {}
    match kind:
        case Kind.LOG:
            conditions = {**sentences(EndReason), **CONDITIONS}
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
