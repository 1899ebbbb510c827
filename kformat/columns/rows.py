"""Which values of a declaration are rows: the elements of one list, named by a path of fields from the root.

`find` finds the path, by what a caller names, or by itself. `Rows.reason` says why a file must be in memory as a whole
for it; None: its rows are read one after the other (`codec.sliding`). `find` says it of a caller that may ask for all
that a row has, `for_names` of some columns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from kformat.codec.leftover import reads_elsewhere
from kformat.errors import UsageError
from kformat.language.following import all_asked, all_asking
from kformat.language.program import (
    Checksum,
    Instance,
    ReadList,
    ReadOpaque,
    ReadType,
    Step,
    TypeProgram,
    Window,
    load_type,
    standalone,
    types_of,
)
from kformat.language.steps import all_steps, inner_steps, nodes_of, reached, words_of
from kformat.language.types import Stream

_MOST_PLACES: Final = 2000
_MOST_SHOWN: Final = 20
_ELSEWHERE: Final = "instances are read from other places of the file"


class Rows(NamedTuple):
    """``path`` leads from a value of ``root`` to the rows, which are of ``type``; empty: the root itself is the row."""

    root: TypeProgram
    path: tuple[str, ...]
    type: TypeProgram
    reason: str | None

    def __str__(self) -> str:
        return ".".join(self.path) or self.root.label


class ListPlace(NamedTuple):
    """A list of structures, and where it is."""

    path: tuple[str, ...]
    type: TypeProgram
    is_read_elsewhere: bool

    def __str__(self) -> str:
        return ".".join(self.path)


def find(format: Any, row: str | None = None) -> Rows:
    """The rows of a format.

    Args:
        format: as for `kformat.parse`.
        row: the path of a list (``"sections.blocks"``), a field of one structure, the name of a type that one list has,
            or the format's own name for a row per file. By default the list of a type with ``-row``, or the one nearest
            to the root.

    Raises:
        UsageError: there is no such row, or more than one; it names those that there are.
        Also what `kformat.parse` raises for the format.
    """
    root = standalone(load_type(format))
    if row in (root.label, root.name):
        return _rows(root, (), root)
    places = _places(root)
    if row is None:
        found = [place for place in places if place.type.row] or _nearest(places)
        if not found:
            raise UsageError(f"{root.name} repeats no structure; the row {root.label!r} makes one row of each file")
    else:
        wanted = tuple(row.split("."))
        found = [place for place in places if place.path == wanted] or _singles(root, wanted)
        found = found or [place for place in places if row in _names(place.type, root)]
        if not found:
            raise UsageError(f"{root.name} has no rows {row!r:.100}; {_there_are(places, root)}")
    if len({place.path for place in found}) > 1:
        named = f"{row!r:.100} is more than one list" if row is not None else "more than one list may be the rows"
        raise UsageError(f"{root.name}: {named}; name one (`row=`, `--row`): {_listed(found)}")
    kinds = list(dict.fromkeys(place.type.name for place in found))
    if len(kinds) > 1:
        raise UsageError(f"{root.name}: {found[0]} has rows of different types: {', '.join(kinds)}")
    return _rows(root, found[0].path, found[0].type)


def _names(program: TypeProgram, root: TypeProgram) -> set[str]:
    """What a type may be called: by its own name, and with those of the types around it."""
    parts = program.name.split("::")
    return {"::".join(parts[start:]) for start in range(len(parts))}


def _there_are(places: list[ListPlace], root: TypeProgram) -> str:
    if not places:
        return f"it repeats no structure; {root.label!r} makes one row of each file"
    return f"there are {_listed(places)}; {root.label!r} makes one row of each file"


def _listed(places: Iterable[ListPlace]) -> str:
    found = dict.fromkeys(f"{place} ({place.type.label})" for place in places)
    more = f" and {len(found) - _MOST_SHOWN} more" if len(found) > _MOST_SHOWN else ""
    return ", ".join(list(found)[:_MOST_SHOWN]) + more


def _nearest(places: list[ListPlace]) -> list[ListPlace]:
    depth = min((len(place.path) for place in places), default=0)
    near = [place for place in places if len(place.path) == depth]
    return [place for place in near if not place.is_read_elsewhere] or near


def _singles(root: TypeProgram, path: tuple[str, ...]) -> list[ListPlace]:
    """A path that leads to one structure instead of a list."""
    reached = [root]
    for name in path:
        reached = [inner.type for program in reached for inner in _below(program) if inner.name == name]
    return [ListPlace(path, program, False) for program in reached]


class _Below(NamedTuple):
    name: str
    type: TypeProgram
    is_list: bool
    is_read_elsewhere: bool


@lru_cache(maxsize=1024)
def _below(program: TypeProgram) -> tuple[_Below, ...]:
    """The structures in a type, and in its lists."""
    found = [item for step in program.steps for item in _in_step(step, False, False)]
    for instance in program.instances:
        found += [item for step in instance.steps for item in _in_step(step, False, True)]
    return tuple(dict.fromkeys(found))


def _in_step(step: Step, in_list: bool, elsewhere: bool) -> Iterator[_Below]:
    if isinstance(step, ReadType):
        yield _Below(step.name, step.type, in_list, elsewhere)
    elif isinstance(step, ReadList):
        if not in_list:
            yield from _in_step(step.element, True, elsewhere)
    else:
        for inner in inner_steps(step):
            yield from _in_step(inner, in_list, elsewhere)


@lru_cache(maxsize=256)
def _places(root: TypeProgram) -> list[ListPlace]:
    """All lists of structures, the nearest first; types that hold themselves are entered once on a path."""
    found: list[ListPlace] = []
    pending: deque[tuple[tuple[str, ...], TypeProgram, tuple[TypeProgram, ...], bool]]
    pending = deque([((), root, (root,), False)])
    while pending and len(found) < _MOST_PLACES:
        path, program, around, is_elsewhere = pending.popleft()
        for item in _below(program):
            here, elsewhere = (*path, item.name), is_elsewhere or item.is_read_elsewhere
            if item.is_list:
                found.append(ListPlace(here, item.type, elsewhere))
            if item.type not in around:
                pending.append((here, item.type, (*around, item.type), elsewhere))
    return found


def every_row(root: TypeProgram) -> list[Rows]:
    """What may be the rows of a format, the nearest first: every list of structures, once for each of their types."""
    found = {place.type: place for place in reversed(_places(root))}
    return [_rows(root, place.path, place.type) for place in reversed(found.values())]


def _rows(root: TypeProgram, path: tuple[str, ...], type: TypeProgram) -> Rows:
    return Rows(root, path, type, why_whole(root, path))


# --- what can be read one after the other ---------------------------------------------------------------------------


def for_names(rows: Rows, own: Iterable[str], around: Iterable[str]) -> Rows:
    """The same rows, restricted to these attributes: of a row and what is in it (``own``), and of what is around the
    rows.

    Bytes that an instance of a row leaves over in a window of its own are an error in the row, which is known at the
    end of the file only: such rows keep the reason.
    """
    if rows.reason != _ELSEWHERE or _instances_may_leave(rows.type):
        return rows
    programs = reached(rows.root, with_read=False)
    names = {*own, *around}
    for program in programs:
        names |= words_of((program.steps, program.byte_order, program.to_string))
    names = with_computed(names, [one for program in programs for one in program.instances if one.value is not None])
    if any(one.value is None and one.field.name in names for program in programs for one in program.instances):
        return rows
    return rows._replace(reason=_why_not_stretches(rows.root, rows.path, programs, frozenset(around)))


def _instances_may_leave(program: TypeProgram) -> bool:
    """Whether an instance that is read, of a type or one in it, has a window."""
    read = [instance for one in reached(program) for instance in one.instances if instance.value is None]
    steps = list(all_steps(step for instance in read for step in instance.steps))
    steps += [step for type in types_of(steps) for one in reached(type) for step in all_steps(one.steps)]
    return any(isinstance(step, Window) for step in steps)


def with_computed(names: set[str], computed: Iterable[Instance]) -> set[str]:
    """Names, and all that the computed instances among them ask for."""
    return all_asked(names, ((one.field.name, words_of(one)) for one in computed))


def _with_asking(names: Iterable[str], programs: Iterable[TypeProgram]) -> set[str]:
    """Names of fields of types, and the instances of these types that ask for one of them."""
    instances = [instance for program in programs for instance in program.instances]
    firsts = [{node.value[0] for node in nodes_of(one) if node.op == "name"} for one in instances]
    return all_asking(names, zip((one.field.name for one in instances), firsts, strict=True))


def why_whole(root: TypeProgram, path: tuple[str, ...]) -> str | None:
    """Why a file must be in memory as a whole to read the rows at a path; None if it need not."""
    if not path:
        return "a row is a whole file"
    if reads_elsewhere(root):
        return _ELSEWHERE
    return _why_not_stretches(root, path, reached(root))


def _why_not_stretches(
    root: TypeProgram, path: tuple[str, ...], types: list[TypeProgram], around: frozenset[str] = frozenset()
) -> str | None:
    """`why_whole`, of ``types`` whose instances that are read from bytes nobody asks for."""
    programs: list[TypeProgram] = []
    steps: list[Step] = []
    unread: set[str] = set()
    program = root
    for depth, name in enumerate(path):
        is_last = depth == len(path) - 1
        places = [index for index, step in enumerate(program.steps) if step.name == name]
        step = program.steps[places[0]] if len(places) == 1 else None
        if step is None:
            return f"{name} is not one field"
        inner = step.element if isinstance(step, ReadList) else step
        if not (is_last and isinstance(step, ReadList)) and not isinstance(inner, ReadType):
            return f"the rows are in {name}, which has a size or is one of several types"
        if is_last and not isinstance(step, ReadList):
            return f"{name} is no list"
        if any(isinstance(one, Checksum) for one in program.steps):
            return "a checksum covers the rows"
        unread |= {one.name for one in program.steps[places[0] :]}
        programs.append(program)
        steps.append(step)
        if not is_last:
            assert isinstance(inner, ReadType)
            program = inner.type
    return _reads_back(types, programs, steps, unread, around)


@lru_cache(maxsize=256)
def moves_on(root: TypeProgram) -> bool:
    """Whether reading an instance leaves a stream where it ends, so that the order matters in which all are asked."""
    instances = [one for program in reached(root) for one in program.instances]
    return any(one.value is None and one.position is None for one in instances)


def is_one_list(rows: Rows) -> bool:
    """Whether the rows are one list, and not those of several structures."""
    program = rows.root
    for name in rows.path[:-1]:
        step = next(step for step in program.steps if step.name == name)
        if not isinstance(step, ReadType):
            return False
        program = step.type
    return bool(rows.path)


def _reads_back(
    types: list[TypeProgram], path: list[TypeProgram], steps: list[Step], unread: set[str], around: frozenset[str]
) -> str | None:
    """Whether an expression, or a column ``around`` the rows, may ask for what is not kept, or not yet read, while rows
    are. ``steps`` read what is on the ``path``: the last one is the list, which may ask for itself while it grows.
    """
    unread = _with_asking(unread, path)
    for name in sorted(around & unread):
        return f"{name} is asked for while rows are read"
    for node in nodes_of(tuple(steps)):
        if node.op == "name" and node.value[0] in unread:
            return f"{node} is asked for while rows are read"
    rows, last = steps[-1].name, path[-1]
    asks = _with_asking([rows], [last])
    after = last.steps[[step.name for step in last.steps].index(rows) + 1 :]
    for node in nodes_of(after):
        if node.op == "name" and node.value[0] in asks:
            return f"{node} is asked for after the rows, which are not kept"
    for program in types:
        computed = tuple(one for one in program.instances if one.value is not None)
        instances = [*nodes_of(computed), *nodes_of(program.to_string)]
        for node in (*nodes_of(program.steps), *nodes_of(program.byte_order), *instances):
            words = node.value[1:] if node.op == "name" else (node.value,) if node.op == "member" else ()
            if not unread.isdisjoint(words):
                return f"{node} is asked for while rows are read"
            if "_io" in words:
                return f"{node} is the stream of another structure"
        for node in instances:
            if node.op == "method" and isinstance(node.arguments[0].type, Stream) and node.value != "size":
                return f"{node} is asked for after a row was read"
        if any(map(_is_opaque, program.steps)):
            return "a type that other code reads"
    return None


def _is_opaque(step: Step) -> bool:
    return isinstance(step, ReadOpaque) or any(map(_is_opaque, inner_steps(step)))


__all__ = ["Rows", "find", "for_names", "is_one_list", "moves_on", "with_computed"]
