"""Damage that does not stop reading: a broken rule, other contents than declared in a row, a wrong checksum, text that
is not in its encoding, bytes left over in a part.

`kformat check` reports each; where rows are read, a row with such damage is one damaged row, and those after it are
read. A value that sizes, counts or conditions use is not passed over: what follows it may then be anywhere.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from kformat.codec.parsing import path_of
from kformat.codec.runtime import KEPT_TEXT, OTHER_CONTENTS
from kformat.codec.taken import Taken
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
    """Passes over such damage (`codec.reader.Passes`), and keeps the errors until `take`."""

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
        """The errors noted since the last call."""
        if not self.noted:
            return []
        noted, self.noted = list(self.noted.values()), {}
        return noted


@lru_cache(maxsize=256)
def _repeated(root: TypeProgram) -> frozenset[TypeProgram]:
    """The types of elements of lists, and all types inside those."""
    repeated = set[TypeProgram]()
    for program in reached(root):
        for step in all_steps((*program.steps, *(step for instance in program.instances for step in instance.steps))):
            if isinstance(step, ReadList):
                repeated |= {inner for instance in types_of((step.element,)) for inner in reached(instance)}
    return frozenset(repeated)


def in_broken_row(owner: Any, ended: str, rows: Rows) -> str | None:
    """The path of a structure that is in no value, because an error with the path ``ended`` ended its row; None if it
    is in no such row.
    """
    path, label, whole = path_of(owner), rows.type.label, rows.whole_path
    if not ended.startswith(f"{whole}[") or path.split(".")[0] != label:
        return None
    return ended[: ended.index("]", len(whole)) + 1] + path[len(label) :]


@lru_cache(maxsize=256)
def _asked(root: TypeProgram) -> frozenset[str]:
    """The names of fields that sizes, counts, conditions and positions use, directly or through computed instances: if
    such a value is wrong, everything read after it may be wrong.
    """
    names, computed = set[str](), list[Any]()
    for program in reached(root):
        steps = tuple(step for step in all_steps(program.steps) if not isinstance(step, Check))
        names |= words_of((steps, program.byte_order))
        names |= words_of(tuple(instance for instance in program.instances if instance.value is None))
        computed += [instance for instance in program.instances if instance.value is not None]
    return frozenset(with_computed(names, computed))


def paths_in(value: Any, label: str, wanted: set[int]) -> dict[int, str]:
    """The paths of structures in a value, by their identities; those in lists that were `Taken` are not found."""
    paths: dict[int, str] = {}
    pending: list[tuple[Any, str]] = [(value, label)]
    seen: set[int] = set()
    while pending and len(paths) < len(wanted):
        item, path = pending.pop()
        if isinstance(item, Taken):
            continue
        if isinstance(item, list):
            pending += [
                (element, f"{path}[{index}]") for index, element in enumerate(item) if isinstance(element, Value | list)
            ]
        elif isinstance(item, Value) and id(item) not in seen:
            seen.add(id(item))
            if id(item) in wanted:
                paths[id(item)] = path
            pending += [(held(item, name), join_path(path, name)) for name in (*item._fields, *item._instances)]
    return paths


def placed(noted: Noted, path: str) -> DataError:
    """The error that was passed over in the structure at a path."""
    noted.error.path = join_path(path, noted.path) if noted.path else path
    return noted.error


__all__ = ["Noted", "Passing", "paths_in"]
