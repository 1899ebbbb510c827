"""Which values of a declaration are rows: the elements of one list, named by a path of fields from the root.

`find` finds the path, by the name that a caller gives or by default. `Rows.reason` says why a file must be in memory as
a whole; None: its rows are read one after the other (`codec.sliding`). `find` assumes that all columns are read,
`for_names` restricts the reason to some columns.
"""

from __future__ import annotations

import re
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
_INDICES: Final = re.compile(r"\[\d+\]")
_ELSEWHERE: Final = "instances are read from other places of the file"


class Rows(NamedTuple):
    """``path`` leads from a value of ``root`` to the rows, which are of ``type``; empty: the root itself is the row."""

    root: TypeProgram
    path: tuple[str, ...]
    type: TypeProgram
    reason: str | None

    def __str__(self) -> str:
        return ".".join(self.path) or self.root.label

    @property
    def whole_path(self) -> str:
        """The path of the rows with the root's label in front, as errors have it."""
        return ".".join((self.root.label, *self.path))

    def holds(self, path: str) -> bool:
        """Whether the path of an error leads to the rows, or into one: indices in it do not matter."""
        return is_in(_INDICES.sub("", path), self.whole_path)


def is_in(path: str, place: str) -> bool:
    """Whether a path is that of a place, or of something in it."""
    return path == place or path.startswith((f"{place}.", f"{place}["))


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
        chosen = [place for place in places if place.type.row] or _nearest(places)
        if not chosen:
            raise UsageError(f"{root.name} repeats no structure; the row {root.label!r} makes one row of each file")
    else:
        wanted = tuple(row.split("."))
        chosen = [place for place in places if place.path == wanted] or _singles(root, wanted)
        chosen = chosen or [place for place in places if row in _names(place.type, root)]
        if not chosen:
            raise UsageError(f"{root.name} has no rows {row!r:.100}; {_there_are(places, root)}")
    if len({place.path for place in chosen}) > 1:
        named = f"{row!r:.100} is more than one list" if row is not None else "more than one list may be the rows"
        raise UsageError(f"{root.name}: {named}; name one (`row=`, `--row`): {_listed(chosen)}")
    kinds = list(dict.fromkeys(place.type.name for place in chosen))
    if len(kinds) > 1:
        raise UsageError(f"{root.name}: {chosen[0]} has rows of different types: {', '.join(kinds)}")
    return _rows(root, chosen[0].path, chosen[0].type)


def _names(program: TypeProgram, root: TypeProgram) -> set[str]:
    """The names of a type: its own name, alone and with those of the types around it."""
    parts = program.name.split("::")
    return {"::".join(parts[start:]) for start in range(len(parts))}


def _there_are(places: list[ListPlace], root: TypeProgram) -> str:
    if not places:
        return f"it repeats no structure; {root.label!r} makes one row of each file"
    return f"there are {_listed(places)}; {root.label!r} makes one row of each file"


def _listed(places: Iterable[ListPlace]) -> str:
    names = dict.fromkeys(f"{place} ({place.type.label})" for place in places)
    more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    return ", ".join(list(names)[:_MOST_SHOWN]) + more


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
    members = [item for step in program.steps for item in _in_step(step, False, False)]
    for instance in program.instances:
        members += [item for step in instance.steps for item in _in_step(step, False, True)]
    return tuple(dict.fromkeys(members))


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
    places: list[ListPlace] = []
    pending: deque[tuple[tuple[str, ...], TypeProgram, tuple[TypeProgram, ...], bool]]
    pending = deque([((), root, (root,), False)])
    while pending and len(places) < _MOST_PLACES:
        path, program, around, is_elsewhere = pending.popleft()
        for item in _below(program):
            here, elsewhere = (*path, item.name), is_elsewhere or item.is_read_elsewhere
            if item.is_list:
                places.append(ListPlace(here, item.type, elsewhere))
            if item.type not in around:
                pending.append((here, item.type, (*around, item.type), elsewhere))
    return places


def every_row(root: TypeProgram) -> list[Rows]:
    """All possible rows of a format, the nearest first: every list of structures, once for each of their types."""
    places = {place.type: place for place in reversed(_places(root))}
    return [_rows(root, place.path, place.type) for place in reversed(places.values())]


def _rows(root: TypeProgram, path: tuple[str, ...], type: TypeProgram) -> Rows:
    return Rows(root, path, type, why_whole(root, path))


# --- what can be read one after the other ---------------------------------------------------------------------------


def for_names(rows: Rows, own: Iterable[str], around: Iterable[str]) -> Rows:
    """The same rows, restricted to attributes of a row and of its parts (``own``), and of what is around the rows.

    Bytes that an instance of a row leaves over in a window of its own are an error in the row, which is known only at
    the end of the file: such rows keep the reason.
    """
    if rows.reason != _ELSEWHERE or _instances_may_leave(rows.type):
        return rows
    programs = reached(rows.root, with_read=False)
    names = {*own, *around}
    for program in programs:
        names |= words_of((program.steps, program.byte_order, program.to_string))
    names = with_computed(
        names, [instance for program in programs for instance in program.instances if instance.value is not None]
    )
    if any(
        instance.value is None and instance.field.name in names
        for program in programs
        for instance in program.instances
    ):
        return rows
    return rows._replace(reason=_why_not_stretches(rows.root, rows.path, programs, frozenset(around)))


def _instances_may_leave(program: TypeProgram) -> bool:
    """Whether an instance that is read, of a type or of a type inside it, has a window."""
    read = [instance for inner in reached(program) for instance in inner.instances if instance.value is None]
    steps = list(all_steps(step for instance in read for step in instance.steps))
    steps += [step for type in types_of(steps) for inner in reached(type) for step in all_steps(inner.steps)]
    return any(isinstance(step, Window) for step in steps)


def with_computed(names: set[str], computed: Iterable[Instance]) -> set[str]:
    """Names, and all names that the computed instances among them use."""
    return all_asked(names, ((instance.field.name, words_of(instance)) for instance in computed))


def _with_asking(names: Iterable[str], programs: Iterable[TypeProgram]) -> set[str]:
    """Names of fields of types, and the instances of these types that use one of them."""
    instances = [instance for program in programs for instance in program.instances]
    firsts = [{node.value[0] for node in nodes_of(instance) if node.op == "name"} for instance in instances]
    return all_asking(names, zip((instance.field.name for instance in instances), firsts, strict=True))


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
    """`why_whole`, if nothing uses the instances of ``types`` that are read from bytes."""
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
        if any(isinstance(step, Checksum) for step in program.steps):
            return "a checksum covers the rows"
        unread |= {step.name for step in program.steps[places[0] :]}
        programs.append(program)
        steps.append(step)
        if not is_last:
            assert isinstance(inner, ReadType)
            program = inner.type
    return _reads_back(types, programs, steps, unread, around)


@lru_cache(maxsize=256)
def moves_on(root: TypeProgram) -> bool:
    """Whether reading an instance moves a stream, so that the order in which instances are read matters."""
    instances = [instance for program in reached(root) for instance in program.instances]
    return any(instance.value is None and instance.position is None for instance in instances)


@lru_cache(maxsize=256)
def one_after_the_other(root: TypeProgram) -> Rows | None:
    """The rows of files that are read one row after the other, without the rest of the file: one list, in the root or
    in a structure of it. Of a list of lists, those without a row would be missed. None: there are no such rows.
    """
    try:
        rows = find(root)
    except UsageError:
        return None
    is_one = rows.reason is None and len(rows.path) <= 2 and is_one_list(rows)
    return rows if is_one and not reads_elsewhere(root) else None


def holder_of(rows: Rows) -> TypeProgram | None:
    """The type that has the list of rows; None if the way there is not one field after the other."""
    holder = rows.root
    for name in rows.path[:-1]:
        inner = [step.element if isinstance(step, ReadList) else step for step in holder.steps if step.name == name]
        if len(inner) != 1 or not isinstance(inner[0], ReadType):
            return None
        holder = inner[0].type
    return holder if rows.path else None


def step_of(rows: Rows) -> Step | None:
    """The step of its holder that reads the rows, or a window around them; None if there is no holder."""
    holder = holder_of(rows)
    return next((step for step in holder.steps if step.name == rows.path[-1]), None) if holder is not None else None


@lru_cache(maxsize=64)
def depends_on_its_context(rows: Rows) -> bool:
    """Whether the values of a row may depend on what is around it: on the byte order, on the root, on a parameter."""
    holder = holder_of(rows)
    assert holder is not None
    element = next(step for step in all_steps(holder.steps) if step.name == rows.path[-1])
    if any(node.op == "name" for node in nodes_of(element)):
        return True
    for program in reached(rows.type):
        if program.byte_order is not None and program.byte_order.on is None:
            return True
        computed = [instance.value for instance in program.instances]
        for node in (*nodes_of(program.steps), *nodes_of(tuple(filter(None, computed)))):
            words = node.value if node.op == "name" else ()
            if "_root" in words or words.count("_parent") > (program is not rows.type):
                return True
    return False


def ends_with_rows(rows: Rows) -> bool:
    """Whether the rows go on to the end of the file, so that the value has all bytes."""
    program, step = rows.root, None
    for name in rows.path:
        step = program.steps[-1] if program.steps else None
        if step is None or step.name != name or step.condition is not None:
            return False
        program = step.type if isinstance(step, ReadType) else program
    return isinstance(step, ReadList) and step.count is None and step.until is None


def is_one_list(rows: Rows) -> bool:
    """Whether the rows are one list, and not the lists of several structures, nor below an instance."""
    program = rows.root
    for name in rows.path[:-1]:
        step = next((step for step in program.steps if step.name == name), None)
        if not isinstance(step, ReadType):
            return False
        program = step.type
    return bool(rows.path)


def _reads_back(
    types: list[TypeProgram], path: list[TypeProgram], steps: list[Step], unread: set[str], around: frozenset[str]
) -> str | None:
    """Why an expression, or a column ``around`` the rows, may need what is not kept, or not yet read, while rows are
    read; None if none does. ``steps`` read the members of the ``path``: the last one is the list, which may use itself
    while it grows.
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
        computed = tuple(instance for instance in program.instances if instance.value is not None)
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


__all__ = [
    "Rows",
    "depends_on_its_context",
    "ends_with_rows",
    "find",
    "for_names",
    "is_one_list",
    "moves_on",
    "one_after_the_other",
    "step_of",
    "with_computed",
]
