"""Damage that reading goes on after: a broken rule, other contents than declared in a row, a wrong checksum, text that
is none, bytes left over in a part.

`kformat check` reports each; where rows are read, a row with such damage is one damaged row, and those after it are
read. A value that sizes, counts or conditions use is not passed over: what follows it may then be anywhere.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from kformat.codec.parsing import path_of
from kformat.codec.runtime import KEPT_TEXT, OTHER_CONTENTS
from kformat.codec.values import Value, held
from kformat.columns.rows import Rows, with_computed
from kformat.errors import DataError, InvalidError, join_path
from kformat.language.program import Check, ReadList, TypeProgram, types_of
from kformat.language.steps import all_steps, reached, words_of


class Noted(NamedTuple):
    """An error that was passed over, the structure in which it is, and the path in that."""

    error: DataError
    owner: Any
    path: str


class Passing:
    """Passes over such damage (`codec.reader.Passes`), and notes it until it is taken."""

    def __init__(self, root: TypeProgram) -> None:
        self.asked, self.repeated = _asked(root), _repeated(root)
        self.noted: dict[tuple[Any, ...], Noted] = {}

    def __call__(self, error: DataError, value: Any, path: str) -> bool:
        is_value = isinstance(error, InvalidError) and path != ""
        if is_value and error.message != KEPT_TEXT and path.partition("[")[0] in self.asked:
            return False
        if error.message == OTHER_CONTENTS and value._type not in self.repeated:
            return False  # a file of another kind, most likely
        place = error.position, error.inflated_position, path, type(error)
        self.noted.setdefault(place, Noted(error, value, path))  # a step may run again
        return True

    def take(self) -> list[Noted]:
        """What was noted since the last call."""
        if not self.noted:
            return []
        found, self.noted = list(self.noted.values()), {}
        return found


@lru_cache(maxsize=256)
def _repeated(root: TypeProgram) -> frozenset[TypeProgram]:
    """The types of what stands in lists, and in what does."""
    found = set[TypeProgram]()
    for program in reached(root):
        for step in all_steps((*program.steps, *(step for one in program.instances for step in one.steps))):
            if isinstance(step, ReadList):
                found |= {inner for one in types_of((step.element,)) for inner in reached(one)}
    return frozenset(found)


def in_broken_row(owner: Any, ended: str, rows: Rows) -> str | None:
    """The path of a structure that no value holds, because an error with the path ``ended`` ended its row; None if it
    is in none.
    """
    path, label, whole = path_of(owner), rows.type.label, ".".join((rows.root.label, *rows.path))
    if not ended.startswith(f"{whole}[") or path.split(".")[0] != label:
        return None
    return ended[: ended.index("]", len(whole)) + 1] + path[len(label) :]


@lru_cache(maxsize=256)
def _asked(root: TypeProgram) -> frozenset[str]:
    """The names of fields that sizes, counts, conditions and positions use, also by computed instances: if such a value
    is wrong, so may be what is read after it.
    """
    found, computed = set[str](), list[Any]()
    for program in reached(root):
        steps = tuple(step for step in all_steps(program.steps) if not isinstance(step, Check))
        found |= words_of((steps, program.byte_order))
        found |= words_of(tuple(one for one in program.instances if one.value is None))
        computed += [one for one in program.instances if one.value is not None]
    return frozenset(with_computed(found, computed))


def paths_in(value: Any, label: str, wanted: set[int]) -> dict[int, str]:
    """The paths of structures in a value, by their identities."""
    found: dict[int, str] = {}
    pending: list[tuple[Any, str]] = [(value, label)]
    seen: set[int] = set()
    while pending and len(found) < len(wanted):
        item, path = pending.pop()
        if isinstance(item, list):
            pending += [(one, f"{path}[{index}]") for index, one in enumerate(item) if isinstance(one, Value | list)]
        elif isinstance(item, Value) and id(item) not in seen:
            seen.add(id(item))
            if id(item) in wanted:
                found[id(item)] = path
            pending += [(held(item, name), join_path(path, name)) for name in (*item._fields, *item._instances)]
    return found


__all__ = ["Noted", "Passing", "paths_in"]
