"""Check files of any declared format: structure, values, checksums, rules across rows, bytes left over, instances.

The codec reads all that is wrong; of large files kernels take the rows in which nothing is. Rows are read one after the
other where the declaration allows it (`columns.rows`), rows of a fixed size many at once; else a file is in memory as a
whole, up to a limit.

Reading goes on after a wrong checksum, after bytes that are left over in a part of known size, and after a value that
is not allowed if no size, count, condition or other expression of the declaration uses it. It also goes on after a
damaged row of a fixed size, or whose lengths say where it ends. Any other damage ends its file: where the next value
begins is then unknown.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, Literal

import numpy as np

from kformat.check.records import refused
from kformat.codec.constructs import construct_of
from kformat.codec.parsing import read_value, rooted
from kformat.codec.reader import Reader
from kformat.codec.sliding import Block, Stretch
from kformat.codec.trace import spans_of
from kformat.codec.values import Value, asked, held
from kformat.columns.passing import Passing, in_broken_row, paths_in
from kformat.columns.plan import POSITION, Plan, plan_of
from kformat.columns.rows import Rows, find, is_one_list
from kformat.columns.scanning import MOST_HELD, ValueStream
from kformat.errors import ChecksumError, CompressionError, DataError, LimitError, TruncatedError, UsageError, join_path
from kformat.kafka.findings.rules import UNREADABLE, Finding, Rule, at_most, rule
from kformat.language.program import MAX_NESTING, Check, ReadBytes, Step, TypeProgram, load_type, standalone
from kformat.language.steps import all_steps, reached, types_of
from kformat.storage.address import address, status
from kformat.storage.byte_source import ByteSource

_SOURCE: Final = "the declaration"
_KAFKA: Final = "Nothing: the file is not one of Kafka's."

CUT_OFF: Final = rule(
    "KF1001", "error", "All bytes that a declared file needs are there.", source=_SOURCE, kafka=_KAFKA
)
VALUE: Final = rule(
    "KF1002", "error", "Every value is one that the declaration allows.", source=_SOURCE + ", `valid`", kafka=_KAFKA
)
CHECKSUM: Final = rule(
    "KF1003",
    "error",
    "Every declared checksum is that of its bytes.",
    source=_SOURCE + ", `-checksum`",
    kafka=_KAFKA,
)
ENCODED: Final = rule(
    "KF1004",
    "error",
    "Compressed and processed parts can be decoded.",
    source=_SOURCE + ", `process`, `-payload`",
    kafka=_KAFKA,
)
LEFT: Final = rule(
    "KF1005",
    "error",
    "No bytes are left over at the end, or in a part of known size.",
    source=_SOURCE,
    kafka=_KAFKA,
)
INSTANCE: Final = rule("KF1006", "error", "Every instance can be read.", source=_SOURCE + ", `instances`", kafka=_KAFKA)
ORDER: Final = rule("KF1007", "error", "Rows keep the rules across rows.", source=_SOURCE + ", `-check`", kafka=_KAFKA)
TOO_MUCH: Final = rule(
    "KF1008", "error", "The file can be checked within the limits of memory.", source="kformat", kafka=_KAFKA
)

_WITH_KERNELS: bool | None = None
"""Whether kernels take rows in which nothing is wrong; None: if the file is large enough."""

_COMPARE: Final[dict[str, tuple[Callable[[Any, Any], Any], str]]] = {
    "increasing": (operator.gt, "above the row before"),
    "non_decreasing": (operator.ge, "at or above the row before"),
}


def declared_findings(
    paths: Any, format: Any, row: str | None, inflate_limit: int, trailing: Literal["error", "keep"]
) -> Iterator[Finding]:
    """The findings of some files, as `check` describes it; what cannot be checked at all is raised at once."""
    if trailing not in ("error", "keep"):
        raise UsageError(f"trailing is {trailing!r:.60}; 'error' or 'keep' is expected")
    root = standalone(load_type(format))
    rows = _rows(root, row)
    is_one = isinstance(paths, str | os.PathLike | bytes | bytearray | memoryview) or hasattr(paths, "read")
    several = (paths,) if is_one else tuple(paths)
    for path in several:
        if isinstance(path, str | os.PathLike) and address(path) is None:
            status(path)

    def found() -> Iterator[Finding]:
        for path in several:
            try:
                with ByteSource(path) as source:
                    yield from at_most(_CheckedFile(source, root, rows, inflate_limit, trailing).findings())
            except OSError as error:
                name = os.fspath(path) if isinstance(path, str | os.PathLike) else str(path)
                yield UNREADABLE.at(name, None, "", f"cannot be read: {error.strerror or error}")

    return found()


def _rows(root: TypeProgram, row: str | None) -> Rows | None:
    """The rows that are read one after the other: one list, because of what holds lists only the last is kept; None: a
    file is read as a whole.
    """
    try:
        rows = find(root, row)
    except UsageError:
        if row is not None:
            raise
        return None
    return rows if rows.reason is None and is_one_list(rows) else None


@lru_cache(maxsize=256)
def _has_row_checks(root: TypeProgram) -> bool:
    return any(program.row_checks for program in reached(root))


def _has_text(steps: Iterable[Step]) -> bool:
    """Whether there is text in steps, but for the types that they read."""
    return any(isinstance(step, ReadBytes) and step.encoding is not None for step in all_steps(steps))


def _reads_text(step: Step) -> bool:
    """Whether there is text in what a step reads."""
    return _has_text((step,)) or any(_has_text(one.steps) for kind in types_of((step,)) for one in reached(kind))


def _is_numbers_alone(program: TypeProgram) -> bool:
    """Whether nothing of a row can fail that numpy's view of many rows does not test: no instances, no text."""
    return not any(one.instances or _has_text(one.steps) for one in reached(program))


def _computed_alone(program: TypeProgram) -> tuple[str, ...] | None:
    """The names of a row's instances, if all that there are in it are its own, and computed."""
    own = program.instances
    if any(one.instances for one in reached(program) if one is not program) or any(one.value is None for one in own):
        return None
    return tuple(one.field.name for one in own)


def _sound_columns(rows: Rows) -> Plan | None:
    """What is asked of rows that a kernel takes, and so of sound ones: the fields of rules across rows, and instances
    that always have a value, which is when kernels take them. None if there is more to look at.
    """
    program, computed = rows.type, _computed_alone(rows.type)
    if computed is None or any(one.row_checks for one in reached(program) if one is not program):
        return None
    texts = (step.name for step in program.steps if _reads_text(step))
    names = [POSITION, *dict.fromkeys((*(field for _, field in program.row_checks), *computed, *texts))]
    fields = {step.name: step for step in program.steps if not isinstance(step, Check)}
    if any(field not in fields or fields[field].condition is not None for _, field in program.row_checks):
        return None
    try:
        return plan_of(rows, names, "numbers")
    except UsageError:  # an instance that has no column
        return None


def _is_broken(value: Any, names: tuple[str, ...]) -> bool:
    try:
        for name in names:
            getattr(value, name)
    except DataError:
        return True
    return False


def _rule_of(error: DataError) -> Rule:
    match error:
        case TruncatedError():
            return CUT_OFF
        case ChecksumError():
            return CHECKSUM
        case CompressionError():
            return ENCODED
        case LimitError():
            return TOO_MUCH
    return LEFT if error.message == "bytes are left over" else VALUE


class _CheckedFile:
    """One file that is checked."""

    def __init__(
        self,
        source: ByteSource,
        root: TypeProgram,
        rows: Rows | None,
        inflate_limit: int,
        trailing: Literal["error", "keep"],
    ) -> None:
        self.source, self.root, self.rows = source, root, rows
        self.inflate_limit, self.trailing = inflate_limit, trailing
        self.passes = Passing(root)

    def findings(self) -> Iterator[Finding]:
        return self._whole() if self.rows is None else _folded(self._streamed(self.rows))

    def at(self, broken: Rule, error: DataError, position: int = 0) -> Finding:
        return refused(broken, error, position, self.source.name)

    def _lost(self, owner: Any, ended: DataError | None) -> str:
        """The path of a structure that no value holds, because an error ended its row."""
        if ended is None or self.rows is None:
            return self.root.label
        return in_broken_row(owner, ended.path, self.rows) or self.root.label

    def take(self, *values: tuple[Any, str], is_end: bool = True, ended: DataError | None = None) -> list[Finding]:
        """What was noted in values, each with its path. What is in none of them stays noted until the end."""
        noted = self.passes.noted
        if not noted:
            return []
        self.passes.noted = {}
        wanted = {id(one.owner) for one in noted.values()}
        paths = {
            place: path for value, label in reversed(values) for place, path in paths_in(value, label, wanted).items()
        }
        found = []
        for place, one in noted.items():
            error, owner, path = one
            if id(owner) not in paths and not is_end:
                self.passes.noted[place] = one
                continue
            here = paths.get(id(owner)) or self._lost(owner, ended)
            error.path = join_path(here, path) if path else here
            found.append(self.at(_rule_of(error), error))
        return found

    # --- in memory as a whole ----------------------------------------------------------------------------------------

    def _whole(self) -> Iterator[Finding]:
        size = self.source.size
        if size > MOST_HELD:
            message = f"{size} bytes, which are too many to be in memory at once: not checked"
            yield TOO_MUCH.at(self.source.name, 0, self.root.label, message, f"at most {MOST_HELD}", size)
            return
        data = self.source.read_at(0, size)
        reader = Reader(data, source=self.source.name, inflate_limit=self.inflate_limit, trailing=self.trailing)
        reader.state.passes, reader.state.checks_texts = self.passes, True
        ended: DataError | None = None
        try:
            value = read_value(self.root, reader)
        except DataError as error:
            value, ended = error.partial, error
        found = self.take((value, self.root.label))
        if ended is not None:
            found.append(self.at(_rule_of(ended), ended))
        elif isinstance(value, Value):
            found += self._instances(value, self.root.label)
            found += self.take((value, self.root.label))
            found += self._orders(value, self.root.label, None)
            found = self._located(found, data)
        yield from sorted(_believed(found, self.root.label), key=lambda finding: finding.position or 0)

    def _located(self, found: list[Finding], data: bytes) -> list[Finding]:
        """The findings, those of which only the path is known with the position of what is there, or around it."""
        if all(finding.position is not None for finding in found):
            return found
        positions: dict[str, int] = {}
        reader = Reader(data, source=self.source.name, inflate_limit=self.inflate_limit, trailing=self.trailing)
        reader.state.passes = self.passes
        for span in spans_of(construct_of(self.root), reader, self.root.label, trailing=self.trailing):
            path = span.path
            while path and path not in positions:
                positions[path] = span.position
                path = _around(path)
        located = []
        for finding in found:
            path = finding.path
            while path and path not in positions:
                path = _around(path)
            is_known = finding.position is not None
            located.append(finding if is_known else replace(finding, position=positions.get(path, 0)))
        return located

    def _instances(self, value: Value, path: str, place: int | None = None, label: str = "") -> list[Finding]:
        """The instances of a value, and of all in it, that cannot be read. ``place`` is the value's position, if it is
        known; paths that begin with ``label`` do with ``path`` instead.
        """
        found: dict[tuple[Any, ...], Finding] = {}
        pending: list[tuple[Any, int]] = [(value, 0)]
        seen: set[int] = set()
        while pending:
            item, depth = pending.pop()
            if isinstance(item, list):
                pending += [(one, depth) for one in reversed(item) if isinstance(one, Value | list)]
                continue
            if not isinstance(item, Value) or id(item) in seen:
                continue
            seen.add(id(item))
            parts = [(held(item, name), depth) for name in item._fields]
            for instance in item._type.instances if depth < MAX_NESTING else ():
                errors: dict[str, DataError] = {}
                try:
                    read = asked(item, instance.field.name, errors)
                except LimitError as error:
                    return [*found.values(), self.at(TOO_MUCH, error, place or 0)]
                for problem in errors.values():
                    if hasattr(problem, "owner"):
                        rooted(problem, value)
                    if label:
                        problem.path = _moved(problem.path, label, path)
                    broken = _rule_of(problem)
                    finding = self.at(INSTANCE if broken in (VALUE, CUT_OFF) else broken, problem, place or 0)
                    if instance.value is not None:  # the error has the position where the reader happens to be
                        finding = replace(finding, position=place)
                    found.setdefault((finding.position, finding.path, finding.message), finding)
                if instance.value is None:
                    parts.append((read, depth + 1))
            pending += reversed(parts)
        return list(found.values())

    def _orders(
        self, value: Value, path: str, position: int | None, but: TypeProgram | None = None
    ) -> Iterator[Finding]:
        """Rules across rows, in all lists of a value but those of one type."""
        if not _has_row_checks(value._type):
            return
        for name in value._fields:
            found, here = held(value, name), join_path(path, name)
            if isinstance(found, Value):
                yield from self._orders(found, here, position, but)
            elif isinstance(found, list) and found and isinstance(found[0], Value):
                order = _Order(found[0]._type)
                for index, item in enumerate(found):
                    if found[0]._type is not but:
                        yield from order.broken(item, self.source.name, position, f"{here}[{index}]")
                    yield from self._orders(item, f"{here}[{index}]", position, but)

    # --- row by row --------------------------------------------------------------------------------------------------

    def _streamed(self, rows: Rows) -> Iterator[tuple[int | None, Finding]]:
        """Findings, each with the number of the row that it is about."""
        how: dict[str, Any] = {"inflate_limit": self.inflate_limit, "trailing": self.trailing, "checksums": True}
        with_blocks = _is_numbers_alone(rows.type)
        how |= {"columns": _sound_columns(rows), "with_kernels": _WITH_KERNELS}
        how |= {"passes": self.passes, "checks_texts": True, "leaves_rows": True}
        stream = ValueStream(self.source, rows, with_blocks=with_blocks, **how)
        has_instances = any(one.instances for one in reached(rows.type))
        computed = _computed_alone(rows.type)
        order, last, label = _Order(rows.type), "", rows.type.label
        found = stream.rows()
        sent: Any = None
        ended: DataError | None = None
        while True:
            try:
                value, position, index, holder, prefix = found.send(sent)
            except StopIteration:
                break
            except DataError as error:
                ended = error
                break
            sent = None
            if prefix != last:
                order, last = _Order(rows.type), prefix
            if isinstance(value, Block):
                assert stream.fixed is not None
                block = stream.fixed.rows(*value)
                sent = stream.fixed.sound(block)
                places = position + np.arange(sent) * stream.fixed.size
                yield from order.broken_of(block[:sent], self.source.name, places, prefix, index)
                continue
            if isinstance(value, Stretch):
                made, sent = stream.decoded(value, position, index, holder)
                if made is not None and sent[0]:
                    for finding in self.take((stream.root, self.root.label), is_end=False):  # what is before the rows
                        yield index, finding
                    wanted = {POSITION, *(field for _, field in rows.type.row_checks)}
                    columns = {name: made.column(name).to_numpy() for name in wanted}
                    yield from order.broken_of(columns, self.source.name, columns[POSITION], prefix, index)
                continue
            path = f"{prefix}[{index}]"
            if isinstance(value, DataError):
                value.path = _moved(value.path, rows.path[-1], prefix)
                for finding in _believed(self.take((stream.root, self.root.label), ended=value), self.root.label):
                    yield index, finding  # of a row that no value holds
                yield index, self.at(_rule_of(value), value, position)
                continue
            told = self.take((value, path), (stream.root, self.root.label), is_end=False)
            told = _believed(told, self.root.label)
            for finding in told:
                yield index, finding
            if any(finding.rule == CHECKSUM.id for finding in told):
                continue
            if has_instances and (computed is None or _is_broken(value, computed)):
                for finding in self._instances(value, path, position, label):
                    yield index, finding
            for finding in self.take((value, path), is_end=False):  # of instances
                yield index, finding
            for finding in order.broken(value, self.source.name, position, path):
                yield index, finding
            for finding in self._orders(value, path, position):
                yield index, finding
        for finding in self.take((stream.root, self.root.label), ended=ended):
            yield None, finding
        if ended is not None:
            yield None, self._end(ended)
        elif stream.root is not None:
            for finding in self._instances(stream.root, self.root.label):
                yield None, finding
            for finding in self._orders(stream.root, self.root.label, None, rows.type):
                yield None, finding

    def _end(self, error: DataError) -> Finding:
        finding = self.at(_rule_of(error), error)
        left = self.source.size - (error.position or 0)
        if finding.rule in (CUT_OFF.id, LEFT.id) or left <= 0:
            return finding
        return replace(finding, message=f"{finding.message}; {left} bytes from here on are not checked")


def _believed(found: list[Finding], root: str) -> list[Finding]:
    """The findings without those of values in a structure whose checksum is wrong: any of its bytes may be the wrong
    one. Under the root's own checksum all stay.
    """
    wrong = {_around(one.path) for one in found if one.rule == CHECKSUM.id} - {root}
    doubtful = {VALUE.id, INSTANCE.id, ORDER.id, LEFT.id}

    def is_doubted(one: Finding) -> bool:
        return one.rule in doubtful and any(one.path.startswith((f"{path}.", f"{path}[")) for path in wrong)

    return [one for one in found if not is_doubted(one)] if wrong else found


def _around(path: str) -> str:
    """The path of what holds a field or an element."""
    return path[: max(path.rfind("."), path.rfind("["), 0)]


def _moved(path: str, before: str, after: str) -> str:
    """A path that begins with one name, with another in its place."""
    return after + path[len(before) :] if path == before or path.startswith((f"{before}.", f"{before}[")) else path


class _Order:
    """The rules across consecutive rows of a list."""

    def __init__(self, program: TypeProgram) -> None:
        self.checks = program.row_checks
        self.before: dict[str, int] = {}

    def broken(self, row: Any, file: str, position: int | None, path: str) -> Iterator[Finding]:
        """What a row breaks, given those before it."""
        for check, field in self.checks:
            found, before = getattr(row, field, None), self.before.get(field)
            compare, words = _COMPARE[check]
            if found is not None and before is not None and not compare(found, before):
                yield _disordered(file, position, path, field, int(found), int(before), words)
        for _, field in self.checks:
            if (found := getattr(row, field, None)) is not None:
                self.before[field] = found

    def broken_of(self, rows: Any, file: str, positions: Any, prefix: str, first: int) -> Iterator[tuple[int, Finding]]:
        """The same of many rows, as columns by their names, with their numbers; ``positions`` is an array."""
        if not len(positions):
            return
        told = list[tuple[int, Finding]]()
        for check, field in self.checks:
            compare, words = _COMPARE[check]
            column = rows[field]
            is_bad = np.zeros(len(positions), np.bool_)
            is_bad[1:] = ~compare(column[1:], column[:-1])
            before = self.before.get(field)
            is_bad[0] = before is not None and not compare(int(column[0]), before)
            for number in np.flatnonzero(is_bad).tolist():
                previous = int(column[number - 1]) if number else int(before or 0)
                place, path = int(positions[number]), f"{prefix}[{first + number}]"
                found = _disordered(file, place, path, field, int(column[number]), previous, words)
                told.append((first + number, found))
            self.before[field] = int(column[-1])
        yield from sorted(told, key=lambda one: one[0])


def _disordered(file: str, position: int | None, path: str, field: str, found: int, before: int, words: str) -> Finding:
    message = f"{field} {found} comes after {before}, expected {words}"
    return ORDER.at(file, position, join_path(path, field), message, words, found)


def _folded(found: Iterable[tuple[int | None, Finding]]) -> Iterator[Finding]:
    """Findings; of those that break the same rule in the same field of consecutive rows only the first: a page of zeros
    is one damage. Wrong checksums are one each.
    """
    run: Finding | None = None
    following, more = -1, 0
    place = ""
    for number, finding in found:
        tail = finding.path.rpartition("].")[2]
        is_next = run is not None and number is not None and number == following
        if is_next and run is not None and (run.rule, place) == (finding.rule, tail) and run.rule != CHECKSUM.id:
            following, more = following + 1, more + 1
            continue
        if run is not None:
            yield _with_more(run, more)
        run, following, more, place = finding, -1 if number is None else number + 1, 0, tail
    if run is not None:
        yield _with_more(run, more)


def _with_more(finding: Finding, more: int) -> Finding:
    return replace(finding, message=f"{finding.message}, and {more} more after it") if more else finding


__all__ = ["declared_findings"]
