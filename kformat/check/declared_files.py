"""Check files of any declared format: structure, values, checksums, rules across rows, bytes left over, instances.

The codec reads everything damaged; in large files kernels take the sound rows. Rows are read one after the other where
the declaration allows it (`columns.rows`), rows of a fixed size many at once; otherwise a file is in memory as a whole,
up to a limit.

Reading goes on after a wrong checksum, after bytes that are left over in a part of known size, and after a value that
is not allowed if no size, count, condition or other expression of the declaration uses it. It also goes on after a
damaged row of a fixed size, or whose lengths say where it ends; and rows that begin with the same bytes are looked for
(`columns.resync`). Any other damage ends its file: where the next value begins is then unknown.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Generator, Iterable, Iterator
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
from kformat.columns.after_damage import is_searched
from kformat.columns.passing import Passing, in_broken_row, paths_in
from kformat.columns.plan import POSITION, Plan, plan_of
from kformat.columns.resync import LostBytes
from kformat.columns.rows import Rows, find, is_one_list
from kformat.columns.scanning import MOST_HELD, ValueStream
from kformat.errors import ChecksumError, CompressionError, DataError, LimitError, TruncatedError, UsageError, join_path
from kformat.kafka.findings.rules import UNREADABLE, Finding, Rule, at_most, rule
from kformat.language.logical import readable
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
"""Whether kernels take sound rows; None: if the file is large enough."""

_MOST_HELD_FINDINGS: Final = 1000
"""Of broken rows next to each other, before they are reported, whatever is found after them."""

_COMPARE: Final[dict[str, tuple[Callable[[Any, Any], Any], str]]] = {
    "increasing": (operator.gt, "above the row before"),
    "non_decreasing": (operator.ge, "at or above the row before"),
}


def declared_findings(
    paths: Any, format: Any, row: str | None, inflate_limit: int, trailing: Literal["error", "keep"]
) -> Iterator[Finding]:
    """The findings of some files, as described by `check`; errors that prevent any check are raised at once."""
    if trailing not in ("error", "keep"):
        raise UsageError(f"trailing is {trailing!r:.60}; 'error' or 'keep' is expected")
    root = standalone(load_type(format))
    rows, searched = _rows(root, row)
    is_one = isinstance(paths, str | os.PathLike | bytes | bytearray | memoryview) or hasattr(paths, "read")
    several = (paths,) if is_one else tuple(paths)
    for path in several:
        if isinstance(path, str | os.PathLike) and address(path) is None:
            status(path)

    def findings() -> Iterator[Finding]:
        for path in several:
            try:
                with ByteSource(path) as source:
                    yield from at_most(_CheckedFile(source, root, rows, inflate_limit, trailing, searched).findings())
            except OSError as error:
                name = os.fspath(path) if isinstance(path, str | os.PathLike) else str(path)
                yield UNREADABLE.at(name, None, "", f"cannot be read: {error.strerror or error}")

    return findings()


def _rows(root: TypeProgram, row: str | None) -> tuple[Rows | None, Rows | None]:
    """The rows that are read one after the other: one list, since of the structures around lists only the last is kept;
    None: a file is read as a whole. Then the rows that are looked for after damage in such a file.
    """
    try:
        rows = find(root, row)
    except UsageError:
        if row is not None:
            raise
        return None, None
    if not is_one_list(rows):
        return None, None
    return (rows, None) if rows.reason is None else (None, rows if is_searched(rows) else None)


@lru_cache(maxsize=256)
def _has_row_checks(root: TypeProgram) -> bool:
    return any(program.row_checks for program in reached(root))


def _has_text(steps: Iterable[Step]) -> bool:
    """Whether steps read text, not counting the types that they read."""
    return any(isinstance(step, ReadBytes) and step.encoding is not None for step in all_steps(steps))


def _reads_text(step: Step) -> bool:
    """Whether a step reads text, alone or inside its types."""
    return _has_text((step,)) or any(
        _has_text(program.steps) for kind in types_of((step,)) for program in reached(kind)
    )


def _is_numbers_alone(program: TypeProgram) -> bool:
    """Whether numpy's view of many rows tests all that can fail in a row: no instances, no text."""
    return not any(inner.instances or _has_text(inner.steps) for inner in reached(program))


def _computed_alone(program: TypeProgram) -> tuple[str, ...] | None:
    """The names of a row's instances; None unless all instances in it are its own, and computed."""
    own = program.instances
    if any(inner.instances for inner in reached(program) if inner is not program) or any(
        instance.value is None for instance in own
    ):
        return None
    return tuple(instance.field.name for instance in own)


def _sound_columns(rows: Rows) -> Plan | None:
    """The columns to decode from sound rows by a kernel: the fields of rules across rows, and instances, which kernels
    take only if they always have a value. None if a row has more to check.
    """
    program, computed = rows.type, _computed_alone(rows.type)
    if computed is None or any(inner.row_checks for inner in reached(program) if inner is not program):
        return None
    texts = (step.name for step in program.steps if _reads_text(step))
    names = [POSITION, *dict.fromkeys((*(field for _, field in program.row_checks), *computed, *texts))]
    fields = {step.name: step for step in program.steps if not isinstance(step, Check)}
    if any(field not in fields or fields[field].condition is not None for _, field in program.row_checks):
        return None
    try:
        return plan_of(rows, names, "numbers", stored=True)
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
        searched: Rows | None = None,
    ) -> None:
        """``searched``: rows that are looked for after damage in a file that is read as a whole."""
        self.source, self.root, self.rows, self.searched = source, root, rows, searched
        self.inflate_limit, self.trailing = inflate_limit, trailing
        self.passes = Passing(root)

    def findings(self) -> Iterator[Finding]:
        return self._whole() if self.rows is None else _folded(self.streamed(self.rows))

    def at(self, broken: Rule, error: DataError, position: int = 0) -> Finding:
        return refused(broken, error, position, self.source.name)

    def _lost(self, owner: Any, ended: DataError | None) -> str:
        """The path of a structure that is in no value, because an error ended its row."""
        if ended is None or self.rows is None:
            return self.root.label
        return in_broken_row(owner, ended.path, self.rows) or self.root.label

    def take(self, *values: tuple[Any, str], is_end: bool = True, ended: DataError | None = None) -> list[Finding]:
        """The findings on errors noted in values, given with their paths. Other errors stay noted until the end."""
        noted = self.passes.noted
        if not noted:
            return []
        self.passes.noted = {}
        wanted = {id(note.owner) for note in noted.values()}
        paths = {
            place: path for value, label in reversed(values) for place, path in paths_in(value, label, wanted).items()
        }
        findings = []
        for place, note in noted.items():
            error, owner, path = note
            if id(owner) not in paths and not is_end:
                self.passes.noted[place] = note
                continue
            here = paths.get(id(owner)) or self._lost(owner, ended)
            error.path = join_path(here, path) if path else here
            findings.append(self.at(_rule_of(error), error))
        return findings

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
        findings = self.take((value, self.root.label))
        if ended is not None:
            findings.append(self.at(_rule_of(ended), ended))
        elif isinstance(value, Value):
            findings += self._instances(value, self.root.label)
            findings += self.take((value, self.root.label))
            findings += self._orders(value, self.root.label, None)
            findings = self._located(findings, data)
        if findings and self.searched is not None:
            around = [] if ended is not None else findings
            findings = self._searched(self.searched, around)
        yield from sorted(_believed(findings, self.root.label), key=lambda finding: finding.position or 0)

    def _searched(self, rows: Rows, around: list[Finding]) -> list[Finding]:
        """The findings of rows that are looked for after damage, and those around them."""
        self.rows = rows
        found = list(_folded(self.streamed(rows)))
        known = {(finding.rule, finding.path) for finding in found}
        for finding in around:
            if not rows.holds(finding.path) and (finding.rule, finding.path) not in known:
                found.append(finding)
        return found

    def _located(self, findings: list[Finding], data: bytes) -> list[Finding]:
        """The findings; those with only a path get the position of the value at that path, or around it."""
        if all(finding.position is not None for finding in findings):
            return findings
        positions: dict[str, int] = {}
        reader = Reader(data, source=self.source.name, inflate_limit=self.inflate_limit, trailing=self.trailing)
        reader.state.passes = self.passes
        for span in spans_of(construct_of(self.root), reader, self.root.label, trailing=self.trailing):
            path = span.path
            while path and path not in positions:
                positions[path] = span.position
                path = _around(path)
        located = []
        for finding in findings:
            path = finding.path
            while path and path not in positions:
                path = _around(path)
            is_known = finding.position is not None
            located.append(finding if is_known else replace(finding, position=positions.get(path, 0)))
        return located

    def _instances(self, value: Value, path: str, place: int | None = None, label: str = "") -> list[Finding]:
        """Findings on the instances of a value, and of all values in it, that cannot be read. ``place`` is the value's
        position, if known; in paths ``label`` at the beginning is replaced by ``path``.
        """
        findings: dict[tuple[Any, ...], Finding] = {}
        pending: list[tuple[Any, int]] = [(value, 0)]
        seen: set[int] = set()
        while pending:
            item, depth = pending.pop()
            if isinstance(item, list):
                pending += [(element, depth) for element in reversed(item) if isinstance(element, Value | list)]
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
                    return [*findings.values(), self.at(TOO_MUCH, error, place or 0)]
                for problem in errors.values():
                    if hasattr(problem, "owner"):
                        rooted(problem, value)
                    if label:
                        problem.path = _moved(problem.path, label, path)
                    broken = _rule_of(problem)
                    finding = self.at(INSTANCE if broken in (VALUE, CUT_OFF) else broken, problem, place or 0)
                    if instance.value is not None:  # the error has the position where the reader happens to be
                        finding = replace(finding, position=place)
                    findings.setdefault((finding.position, finding.path, finding.message), finding)
                if instance.value is None:
                    parts.append((read, depth + 1))
            pending += reversed(parts)
        return list(findings.values())

    def _orders(
        self, value: Value, path: str, position: int | None, but: TypeProgram | None = None
    ) -> Iterator[Finding]:
        """Findings on rules across rows, in all lists of a value except those of one type."""
        if not _has_row_checks(value._type):
            return
        for name in value._fields:
            content, here = held(value, name), join_path(path, name)
            if isinstance(content, Value):
                yield from self._orders(content, here, position, but)
            elif isinstance(content, list) and content and isinstance(content[0], Value):
                order = _Order(content[0]._type)
                for index, item in enumerate(content):
                    if content[0]._type is not but:
                        yield from order.broken(item, self.source.name, position, f"{here}[{index}]")
                    yield from self._orders(item, f"{here}[{index}]", position, but)

    # --- row by row --------------------------------------------------------------------------------------------------

    def streamed(self, rows: Rows) -> Iterator[tuple[int | None, Finding]]:
        """Findings, each with the number of its row."""
        checked = _CheckedRows(self, rows)
        yield from checked.findings()
        for finding in self.take((checked.stream.root, self.root.label), ended=checked.ended):
            yield None, finding
        root = checked.stream.root
        if checked.ended is not None:
            yield from ((None, finding) for finding in checked.last)
        elif root is not None and rows is not self.searched:
            for finding in self._instances(root, self.root.label):
                yield None, finding
            for finding in self._orders(root, self.root.label, None, rows.type):
                yield None, finding


class _CheckedRows:
    """The rows of a file that are checked one after the other.

    Attributes:
        ended: the error after which no rows are read, or around the rows. last: the findings that say so.
    """

    def __init__(self, file: _CheckedFile, rows: Rows) -> None:
        self.file, self.rows = file, rows
        how: dict[str, Any] = {"inflate_limit": file.inflate_limit, "trailing": file.trailing, "checksums": True}
        how |= {"columns": _sound_columns(rows), "with_kernels": _WITH_KERNELS, "checks_texts": True}
        how |= {"passes": None if rows is file.searched else file.passes, "leaves_rows": True}
        self.stream = ValueStream(file.source, rows, with_blocks=_is_numbers_alone(rows.type), **how)
        self.has_instances = any(inner.instances for inner in reached(rows.type))
        self.computed = _computed_alone(rows.type)
        self.order = _Order(rows.type)
        self.held = list[tuple[int, Finding]]()
        """The findings of broken rows since the last sound one: where rows are looked for from the first of them on,
        that says what they are.
        """
        self.ended: DataError | None = None
        self.last = list[Finding]()

    def findings(self) -> Iterator[tuple[int | None, Finding]]:
        """The findings of the rows, each with the number of its row."""
        items, before = self.stream.items(), ""
        sent: Any = None
        while True:
            try:
                value, position, index, holder, prefix = items.send(sent)
            except StopIteration:
                yield from self._released()
                return
            sent = None
            if isinstance(value, LostBytes):
                yield from self._before(value, index)
                yield from ((index, finding) for finding in self._lost(value))
                continue
            if prefix != before:
                self.order, before = _Order(self.rows.type), prefix
            if isinstance(value, Block):
                sent = yield from self._block(value, position, index, prefix)
            elif isinstance(value, Stretch):
                sent = yield from self._stretch(value, position, index, holder, prefix)
            elif isinstance(value, DataError):
                label = self.file.root.label
                taken = _believed(self.file.take((self.stream.root, label), ended=value), label)
                taken.append(self.file.at(_rule_of(value), value, position))
                yield from self._broken(index, taken)  # of a row that no value holds
            else:
                sent = yield from self._row(value, position, index, f"{prefix}[{index}]")

    def _released(self) -> Iterator[tuple[int, Finding]]:
        """The findings of broken rows."""
        yield from self.held
        self.held.clear()

    def _broken(self, index: int, findings: Iterable[Finding]) -> Iterator[tuple[int, Finding]]:
        """Hold the findings of a broken row, as long as there are not too many."""
        self.held += ((index, finding) for finding in findings)
        if len(self.held) > _MOST_HELD_FINDINGS:
            yield from self._released()

    def _sound(self, following: int) -> Iterator[tuple[int, Finding]]:
        """Rows before a number are sound."""
        yield from self._released()
        self.stream.passed(following)

    def _before(self, piece: LostBytes, index: int) -> Iterator[tuple[int, Finding]]:
        """What was found before lost bytes, or what is wrong around the rows."""
        if index < 0 and piece.rows != "none":  # no rows are looked for
            yield from self._released()
            return
        for finding in self.file.take((self.stream.root, self.file.root.label), is_end=False):
            yield max(index, 0), finding
        self.file.passes.noted.clear()  # of rows that are not there
        self.held.clear()

    def _block(self, value: Block, position: int, index: int, prefix: str) -> Generator[Any, None, int]:
        """Rows of a fixed size; returns how many are sound."""
        fixed = self.stream.fixed
        assert fixed is not None
        block = fixed.rows(*value)
        sound = fixed.sound(block)
        if sound:
            yield from self._sound(index + sound)
        places = position + np.arange(sound) * fixed.size
        yield from self.order.broken_of(block[:sound], self.file.source.name, places, prefix, index)
        return sound

    def _stretch(
        self, value: Stretch, position: int, index: int, holder: Any, prefix: str
    ) -> Generator[Any, None, tuple[int, int]]:
        """Rows that a kernel takes; returns how many are sound, and their bytes."""
        made, sound = self.stream.decoded(value, position, index, holder)
        if made is not None and sound[0]:
            yield from self._sound(index + sound[0])
            label = self.file.root.label
            for finding in self.file.take((self.stream.root, label), is_end=False):  # what is before the rows
                yield index, finding
            wanted = {POSITION, *(field for _, field in self.rows.type.row_checks)}
            columns = {name: made.column(name).to_numpy() for name in wanted}
            yield from self.order.broken_of(columns, self.file.source.name, columns[POSITION], prefix, index)
        return sound

    def _row(self, value: Any, position: int, index: int, path: str) -> Generator[Any, None, DataError | None]:
        """A row, in which errors may have been passed over; returns one of them."""
        file, name, root = self.file, self.file.source.name, self.file.root.label
        noted = [note.error for note in file.passes.noted.values()]
        findings = file.take((value, path), (self.stream.root, root), is_end=False)
        is_broken = any(finding.path.startswith(path) for finding in findings)
        findings = _believed(findings, root)
        if is_broken:
            yield from self._broken(index, findings)
        else:
            yield from self._sound(index + 1)
            yield from ((index, finding) for finding in findings)
        if not any(finding.rule == CHECKSUM.id for finding in findings):
            if self.has_instances and (self.computed is None or _is_broken(value, self.computed)):
                for finding in file._instances(value, path, position, self.rows.type.label):
                    yield index, finding
            for finding in file.take((value, path), is_end=False):  # of instances
                yield index, finding
            for finding in self.order.broken(value, name, position, path):
                yield index, finding
            for finding in file._orders(value, path, position):
                yield index, finding
        return noted[-1] if is_broken else None

    def _lost(self, piece: LostBytes) -> Iterator[Finding]:
        """What is wrong where no rows are read."""
        error, left = piece.problem, piece.end_position - piece.position
        finding = self.file.at(_rule_of(error), error, piece.position)
        if piece.rows in ("row", "some"):
            on = f"; rows go on at {piece.end_position}" if piece.rows == "some" else ""
            yield replace(finding, message=f"{finding.message}{on}")
            return
        if piece.rows != "none" and left > 0 and finding.rule not in (CUT_OFF.id, LEFT.id):
            finding = replace(finding, message=f"{finding.message}; {left} bytes from here on are not checked")
        self.ended = error
        self.last.append(finding)


def _believed(findings: list[Finding], root: str) -> list[Finding]:
    """The findings without those on values in a structure whose checksum is wrong: any of its bytes may be wrong. If
    only the root's own checksum is wrong, all findings stay.
    """
    wrong = {_around(finding.path) for finding in findings if finding.rule == CHECKSUM.id} - {root}
    doubtful = {VALUE.id, INSTANCE.id, ORDER.id, LEFT.id}

    def is_doubted(finding: Finding) -> bool:
        return finding.rule in doubtful and any(finding.path.startswith((f"{path}.", f"{path}[")) for path in wrong)

    return [finding for finding in findings if not is_doubted(finding)] if wrong else findings


def _around(path: str) -> str:
    """The path of the parent of a field or an element."""
    return path[: max(path.rfind("."), path.rfind("["), 0)]


def _moved(path: str, before: str, after: str) -> str:
    """A path with its first name replaced by another."""
    return after + path[len(before) :] if path == before or path.startswith((f"{before}.", f"{before}[")) else path


class _Order:
    """The rules across consecutive rows of a list."""

    def __init__(self, program: TypeProgram) -> None:
        self.checks = program.row_checks
        self.before: dict[str, int] = {}
        self.logical = {field.name: field.logical for field in program.fields if field.logical is not None}

    def broken(self, row: Any, file: str, position: int | None, path: str) -> Iterator[Finding]:
        """Findings on the rules that a row breaks, given the rows before it."""
        for check, field in self.checks:
            value, before = getattr(row, field, None), self.before.get(field)
            compare, words = _COMPARE[check]
            if value is not None and before is not None and not compare(value, before):
                yield self._disordered(file, position, path, field, int(value), int(before), words)
        for _, field in self.checks:
            if (value := getattr(row, field, None)) is not None:
                self.before[field] = value

    def broken_of(self, rows: Any, file: str, positions: Any, prefix: str, first: int) -> Iterator[tuple[int, Finding]]:
        """As `broken`, for many rows as columns by name; each finding has its row's number. ``positions``: an array."""
        if not len(positions):
            return
        findings = list[tuple[int, Finding]]()
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
                finding = self._disordered(file, place, path, field, int(column[number]), previous, words)
                findings.append((first + number, finding))
            self.before[field] = int(column[-1])
        yield from sorted(findings, key=lambda pair: pair[0])

    def _disordered(
        self, file: str, position: int | None, path: str, field: str, found: int, before: int, words: str
    ) -> Finding:
        known = self.logical.get(field)
        shown = [number if known is None else readable(known, number) for number in (found, before)]
        message = f"{field} {shown[0]} comes after {shown[1]}, expected {words}"
        return ORDER.at(file, position, join_path(path, field), message, words, found)


def _folded(findings: Iterable[tuple[int | None, Finding]]) -> Iterator[Finding]:
    """Findings; if consecutive rows break the same rule in the same field, only the first: a page of zeros is one
    damage. Each wrong checksum is a finding.
    """
    run: Finding | None = None
    following, more = -1, 0
    place = ""
    for number, finding in findings:
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
