"""The rows of one file: read by the codec, numpy or a kernel, a stretch at a time or all at once, and after damage."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Final

from kformat.codec.constructs import parse
from kformat.codec.leftover import may_be_read, reads_elsewhere
from kformat.codec.parsing import read_value, rooted, rows_of
from kformat.codec.reader import Passes, Reader
from kformat.codec.sliding import STRETCH_BYTES, Block, FilePart, PartEnds, Sliding, Stretch
from kformat.codec.values import Value
from kformat.columns.after_damage import AfterDamage, Found
from kformat.columns.arrow import RecordBatch
from kformat.columns.compiled_rows import Compiled, compiled_of
from kformat.columns.filling import RowBatch, misfit_error, misfits
from kformat.columns.fixed import Fixed, Unsound, fixed_of, list_of
from kformat.columns.passing import Noted, Passing, in_broken_row, paths_in, placed
from kformat.columns.places import RowPlaces, end_of_list
from kformat.columns.plan import PARENT, POSITION, ROOT, Plan
from kformat.columns.resync import LostBytes
from kformat.columns.rows import Rows, is_in, moves_on
from kformat.columns.skipped import Missing, OnSkipped, Skipped, UnplacedRows, passing_over
from kformat.columns.whole_lists import WholeLists
from kformat.errors import DataError, LimitError, MissingDependencyError, join_path
from kformat.kernels import PAYS_BYTES
from kformat.kernels.compiled import require_numba
from kformat.language.steps import takes_the_rest
from kformat.storage.byte_source import ByteSource

_FEW_ROWS: Final = 64
"""Rows of a list, in a file that is in memory as a whole, from which on a kernel decodes it alone. Shorter lists are
decoded many at once where possible.
"""
_ROWS: Final = 1 << 12
_BLOCK_ROWS: Final = 1 << 16
_BATCH_BYTES: Final = 2 << 20
"""Most rows of a batch, of objects and of whole columns; and most bytes of the source, and of decompressed data, for
objects: a byte may become an object of hundreds of bytes.
"""
_FEW: Final = 1024
_GROWTH: Final = 16
"""Rows that are decoded at once after damage, and how many times as many after each time without."""
_ALL: Final = 1 << 40


BY_NUMPY: Final = "numpy"
BY_KERNEL: Final = "a kernel"
BY_CODEC: Final = "the codec"
"""The names of what reads rows, as in `Scan.read_by`."""


def why_by_codec(plan: Plan, trailing: str) -> str | None:
    """Why the codec reads the rows of a file that is in memory as a whole; None: there is no such reason."""
    rows = plan.rows
    if rows.reason is None or not rows.path:
        return rows.reason
    may_read = trailing == "error" and reads_elsewhere(rows.type)
    return "instances of the rows may read bytes that are left over" if may_read else None


class RowFile:
    """The rows of one file."""

    def __init__(
        self,
        source: ByteSource,
        plan: Plan,
        *,
        on_corrupt: str,
        on_skipped: OnSkipped | None,
        batch_rows: int | None,
        stretch_bytes: int,
        with_fixed: bool = True,
        with_kernels: bool | None = None,
        most_held: int,
        few_rows: int = _FEW_ROWS,
        part: FilePart | None = None,
        passes: Passes | None = None,
        checks_texts: bool = False,
        used: set[str] | None = None,
        **reading: Any,
    ) -> None:
        self.source, self.plan, self.rows = source, plan, plan.rows
        self.fixed = fixed_of(plan) if with_fixed else "not asked for"
        self.compiled = compiled_of(plan, reading["trailing"]) if with_kernels is not False else "not asked for"
        self.with_kernels = with_kernels
        self.passed = passing_over(on_corrupt, on_skipped)
        self.batch_rows, self.block_rows = batch_rows or _ROWS, batch_rows or _BLOCK_ROWS
        self.stretch_bytes, self.most_held, self.few_rows = stretch_bytes, most_held, few_rows
        self.part, self.reading, self.passes, self.checks_texts = part, reading, passes, checks_texts
        self.noted = None if passes is not None or self.passed is None else Passing(plan.rows.root)
        """The damage passed over in a row, which is then a damaged row."""
        self.few = _ALL
        """The number of rows to decode at once: few after damage, since the following rows are decoded again."""
        self.is_stopped = False
        """Whether the last rows that a kernel decoded end where the next one is wrong, or cut off."""
        self.root: Value | None = None
        self.reader: Sliding | None = None
        self.end = self.inflated = self.largest = 0
        """The position after the last row that was read; and the bytes of the largest sound row, as far as is known."""
        self.data: bytes | None = None
        self.used = set[str]() if used is None else used
        """What has read rows: names of back ends, as in `Scan.read_by`."""
        self.row_places: RowPlaces | None = None
        """The positions of rows in a damaged file that is in memory as a whole."""
        self.list_end: int | None = None
        self.damage = AfterDamage(self)
        self.around: Any = None
        """The value of the whole file but for its rows, where those were looked for; None if it cannot be read."""
        self.is_judged = False
        self.verdict: DataError | None = None
        """The error of the file as a whole, if bytes are left over that instances may read."""

    def batches(self) -> Iterator[RecordBatch]:
        """Record batches; raises DataError, after the rows before the damage, unless it is passed over."""
        is_searched_at_once = self.damage.is_searched_at_once()
        if self.rows.reason is not None and not is_searched_at_once and (made := self._made()) is not None:
            yield from made
            return
        batch, start = RowBatch(self.plan, self.source.name), 0
        prefixes: list[str] = []
        items = self.items()
        consumed: Any = None
        while True:
            try:
                value, position, index, holder, prefix = items.send(consumed)
            except StopIteration:
                break
            consumed = None
            if isinstance(value, Stretch) and self.waits():
                consumed = 0, 0
                continue
            is_full = len(batch.values) >= self.batch_rows or self.end + self.inflated - start >= _BATCH_BYTES
            if batch.values and (is_full or not isinstance(value, Value)):
                yield from self._filled(batch, prefixes, position)
                batch, start, prefixes = RowBatch(self.plan, self.source.name), self.end + self.inflated, []
            if isinstance(value, Block):
                consumed = yield from _of_block(self, batch, value, position, index, holder)
            elif isinstance(value, Stretch):
                made, consumed = self.decoded(batch, value, position, index, holder)
                if made is not None:
                    self.used |= {BY_KERNEL} if consumed[0] else set()
                    self.damage.passed(index + consumed[0] if consumed[0] else None)
                    for first in range(0, consumed[0], self.block_rows):
                        yield made.slice(first, min(self.block_rows, consumed[0] - first))
            elif isinstance(value, LostBytes):
                self.pass_over(value.problem, value.position, value.end_position, value.rows, value.unplaced)
            elif isinstance(value, Value):
                self.damage.passed(index + 1)
                batch.root = self.root
                batch.values.append(value)
                batch.places.append((position, index, holder))
                prefixes.append(prefix)
        yield from self._filled(batch, prefixes, self.end)
        self.damage.passed(None, at_the_end=True)
        if self.reader is not None:
            self.reader.data = b""  # the root, which refers to itself, holds the reader until memory is collected

    @property
    def why_by_codec(self) -> str | None:
        """`why_by_codec` of this file."""
        return why_by_codec(self.plan, self.reading["trailing"])

    def items(self) -> Found:
        """The rows, and from where no length leads on those that are looked for; `LostBytes` where none are read.

        A DataError takes the place of a broken row; one that is sent says that the row was broken. Either waits for the
        next sound row (`AfterDamage.passed`).
        """
        items, holder, sent = self.streamed() if self.rows.reason is None else self._whole(), None, None
        while True:
            try:
                value, position, index, holder, prefix = items.send(sent)
            except StopIteration:
                return
            except DataError as error:
                items, sent = self.damage.ended(error, holder), None
                continue
            problem, sent = value, None
            if isinstance(value, DataError):
                value.path = join_path(prefix, value.path.removeprefix(self.rows.path[-1]))
            else:
                sent = yield value, position, index, holder, prefix
                problem = sent
            if isinstance(problem, DataError):
                sent = None
                if position is not None and self.damage.is_searched_from(problem, position, holder):
                    items = self.damage.found(position, index, holder)
                    continue
                start = problem.position or 0 if position is None else position
                self.damage.waiting.append((problem, start, self.end))
                if problem is value:
                    yield value, position, index, holder, prefix

    def saw(self, damage: bool) -> None:
        self.few = _FEW if damage else min(self.few * _GROWTH, _ALL)

    def decoded(
        self, batch: RowBatch, stretch: Stretch, position: int, index: int, holder: Any
    ) -> tuple[RecordBatch | None, tuple[int, int]]:
        """The sound rows at the beginning of a stretch; their number, and their size in bytes."""
        batch.root = self.root
        made, count, stop = self._compiled_rows(batch, stretch, position, index, holder)
        if made is not None:
            made = made.slice(0, count)
            self.end = position + stop - stretch.start
        self.is_stopped = stop < stretch.end and count < self.few
        self.saw((stretch.end - stop) * 4 > stretch.end - stretch.start and count < self.few)
        return made, (count, stop - stretch.start)

    def _compiled_rows(
        self, batch: RowBatch, stretch: Stretch, position: int, index: int, holder: Any
    ) -> tuple[RecordBatch | None, int, int]:
        """A kernel's rows of a stretch, maybe with unsound ones after them; the number of sound rows, and their end."""
        assert isinstance(self.compiled, Compiled)
        most = self.few if stretch.most < 0 else min(stretch.most, self.few)
        while most:
            how = {"root": self.root, "holder": holder, "index": index, "checksums": self.reading["checksums"]}
            decoded = self.compiled.decode(stretch.data, stretch.start, stretch.end, most, width=stretch.width, **how)
            if decoded is None or not decoded[1]:
                break
            columns, count, stop = decoded
            try:
                self.compiled.check_texts(columns)
                self.largest = max(self.largest, self.compiled.largest(columns, count, stop))
                return batch.compiled(self.compiled, columns, position - stretch.start, index, holder), count, stop
            except Unsound:  # the codec says which row
                most = count // 2
            except misfits():  # of what is around the rows
                return None, 0, stretch.start
        return None, 0, stretch.start

    def is_compiled(self) -> bool:
        """Whether kernels decode the rows: they can, and compiling them is worthwhile."""
        if isinstance(self.fixed, Fixed) or not isinstance(self.compiled, Compiled):
            return False
        readiness = self.compiled.readiness
        if not self.with_kernels and not readiness.would_be(self.source.size):
            readiness.are_ready(self.source.size)  # the codec reads them
            return False
        try:
            require_numba()
        except MissingDependencyError:
            return False
        if not self.with_kernels:
            readiness.are_ready(self.source.size)
        return True

    def waits(self) -> bool:
        """Whether the kernel is still compiled: until then the codec reads."""
        assert isinstance(self.compiled, Compiled)
        return not self.with_kernels and not self.compiled.readiness.are_ready(0)

    def _filled(self, batch: RowBatch, prefixes: list[str], end: int | None) -> Iterator[RecordBatch]:
        """The rows of a batch, which ends at ``end``, without those that are passed over."""
        while batch.values:
            try:
                made = batch.record_batch()
            except DataError as problem:
                why: Exception = problem
            except misfits() as problem:
                why = problem
            else:
                self.used.add(BY_CODEC)
                yield made
                return
            number, error = batch.first_bad(why)
            if number:
                yield batch.record_batch(0, number)
            value, (position, index, holder) = batch.values[number], batch.places[number]
            after = batch.places[number + 1][0] if number + 1 < len(batch.places) else end
            if not isinstance(error, DataError):
                size = min((after or 0) - position, STRETCH_BYTES) if position is not None else 0
                data = self.source.read_at(position, size) if position is not None and size > 0 else b""
                around = {ROOT: batch.root, PARENT: holder}
                error = misfit_error(self.plan, value, self.source.name, position, data, around)
                error.path = join_path(value._type.label, error.path)
            elif hasattr(error, "owner"):
                rooted(error, value)
            if self.rows.path:
                _set_root_path(error, value, prefixes[number], index)
            self.pass_over(error, error.position or 0 if position is None else position, after or 0)
            del batch.values[: number + 1], batch.places[: number + 1], prefixes[: number + 1]

    def pass_over(
        self, error: DataError, start: int, end: int, rows: Missing = "row", unplaced: tuple[UnplacedRows, ...] = ()
    ) -> None:
        if self.passed is None:
            raise error
        self.passed(Skipped(self.source.name, start, max(start, end), None, None, error, "", rows, unplaced))

    def streamed(self) -> Found:
        root = self.rows.root
        reader = Sliding(
            self.source,
            stretch_bytes=self.stretch_bytes,
            most_held=self.most_held,
            passes_over=self.passed is not None,
            part=self.part,
            **self.reading,
        )
        reader.state.passes = self.passes if self.noted is None else partial(self._passes_over, reader)
        reader.state.checks_texts = self.checks_texts
        self.reader = reader
        last: Any = None
        prefix = ""
        try:
            size = self.fixed.size if isinstance(self.fixed, Fixed) else 0 if self.is_compiled() else None
            items = rows_of(root, self.rows.path, size)(reader)
            consumed: Any = None
            while True:
                try:
                    value, position, index, holder = items.send(consumed)
                except StopIteration:
                    break
                self.inflated += reader.state.inflated
                self.end, self.root = reader.origin + reader.position, reader.root
                if reader.places is not last or not prefix:
                    last, prefix = reader.places, _prefix(self.rows, reader.places)
                if self.noted is not None and (noted := self.noted.take()):
                    row = reader.partial if isinstance(value, DataError) else value
                    value = _damaged(self.rows, noted[0], row, index)
                if isinstance(value, Value) and position is not None:
                    self.largest = max(self.largest, self.end - position)
                if isinstance(value, DataError):
                    self.is_judged, self.verdict = True, None
                elif reader.state.pending:
                    self._judge()
                    place = f"{prefix}[{index}]" if index >= 0 else prefix
                    if self.verdict is not None and is_in(self.verdict.path, place):
                        self.end = position
                        raise self.verdict
                reader.state.pending.clear()
                consumed = yield value, position, index, holder, prefix
            if self.reading["trailing"] == "error" and self._is_told(reader):
                may_be = reader.left > 0 and may_be_read(reader.root)
                if may_be or reader.state.pending:
                    self._judge()
                if self.verdict is not None:
                    raise self.verdict
                if not may_be:
                    reader.check_end()
        except PartEnds:
            return
        except DataError as error:
            if error is self.verdict:
                raise
            if not self._is_told(reader) and self.passed is not None:
                return
            self.end = max(self.end, reader.first_row or 0, reader.list_start or 0)
            if hasattr(error, "owner"):
                rooted(error, reader.root)
            else:
                error.path = join_path(root.label, error.path)
            noted = self.noted.take() if self.noted is not None else []
            path = in_broken_row(noted[0].owner, error.path, self.rows) if noted else None
            if path is not None:  # what was wrong in the row before its end was not found
                raise placed(noted[0], path) from None
            raise
        finally:
            self.root = reader.root

    def _passes_over(self, reader: Sliding, error: DataError, value: Any, path: str) -> bool:
        """Whether damage is passed over: in a row, not around the rows. A row that takes all bytes to the end may have
        more of them than are in memory.
        """
        is_cut = False
        if not reader.is_whole:
            rows = list_of(self.plan)[0]
            is_cut = takes_the_rest(self.rows.type.steps if rows is None else (rows.element,))
        return self.noted is not None and reader.in_row and not is_cut and self.noted(error, value, path)

    def _judge(self) -> None:
        """Parse the file as a whole, once, if it may be held."""
        if not self.is_judged and self.source.size <= self.most_held:
            try:
                parse(self.rows.root, self.source.read_at(0, self.source.size), source=self.source.name, **self.reading)
            except DataError as error:
                self.verdict = error
        self.is_judged = True

    def _is_told(self, reader: Sliding) -> bool:
        """Whether this part of the file reports damage at the reader's position: the first part reports damage before
        the rows, the last part damage after them.
        """
        return self.part is None or reader.first_row is not None or self.part.start == 0

    def all_data(self) -> bytes:
        """The bytes of the whole file."""
        if self.data is None:
            self.data = self.source.read_at(0, self.source.size)
        return self.data

    def _whole(self) -> Found:
        root, problem, size = self.rows.root, None, self.source.size
        if size > self.most_held:
            message = (
                f"the file has to be in memory as a whole ({self.rows.reason}), and is larger than `most_held` allows"
            )
            expected = f"at most {self.most_held} bytes"
            raise LimitError(message, source=self.source.name, path=root.label, expected=expected, found=size)
        if (begin := self.damage.list_begin()) is not None:
            yield from self.damage.of_list(*begin)
            return
        if any(chosen.origin == POSITION for chosen in self.plan.columns):
            self.row_places = RowPlaces(self.rows.type)
        value, problem = self._parsed(self.all_data(), self.noted)
        if (
            self.row_places is None and self.noted is not None and (problem is not None or self.noted.noted)
        ):  # the rows' positions are needed
            self.noted.take()
            self.row_places = RowPlaces(self.rows.type)
            value, problem = self._parsed(self.all_data(), self.noted)
        rows, problem = _rows_in(self, value, problem)
        errors = list[DataError]()
        if self.noted is not None and (noted := self.noted.take()):
            outcome = self.damage.marked(rows, noted, problem)
            if outcome is None:  # some of it is in what no value holds
                value, problem = self._parsed(self.all_data(), None)
                outcome = *_rows_in(self, value, problem), errors
            rows, problem, errors = outcome
        for error in errors:
            yield self.damage.around(error)
        places = {} if self.row_places is None else self.row_places.found
        for row, known, *rest in rows:
            position, end = known or (None, None)
            self.end = self.end if end is None else end
            if isinstance(row, Value) and end is not None and position is not None:
                self.largest = max(self.largest, end - position)
            yield row, position, *rest
        if problem is not None:
            start = None if self.row_places is None else self.row_places.start_of_last()
            if places or start is not None:
                self.end = max(self.end, start or 0)
            elif self.end == 0:
                self.end = problem.position or 0
            holder = next((row[3] for row in reversed(rows)), self.root if len(self.rows.path) == 1 else None)
            end = end_of_list(list_of(self.plan)[0], holder)
            self.list_end = end if end is not None and self.end <= end <= size else None
            raise problem

    def _parsed(self, data: bytes, passes: Passes | None) -> tuple[Value | None, DataError | None]:
        """The value of the whole file, as far as it can be read, and the error where that ends."""
        reader = Reader(data, source=self.source.name, **self.reading)
        reader.observer = self.row_places
        reader.state.passes = passes if self.rows.path else None
        try:
            self.root = read_value(self.rows.root, reader)
        except DataError as error:
            self.root = error.partial if isinstance(error.partial, Value) else None
            return self.root, error
        if moves_on(self.rows.root):  # what is asked for later has another answer, whatever the columns are
            with suppress(LimitError):
                self.root._asdict(instances=True)
        return self.root, None

    def _made(self) -> list[RecordBatch] | None:
        """The rows of a whole file, decoded by numpy or a kernel as far as possible; None if the codec has to read them
        because something is wrong, or refers to rows.
        """
        if self.source.size > self.most_held or self.why_by_codec is not None:
            return None
        by: Fixed | Compiled
        if isinstance(self.fixed, Fixed):
            by = self.fixed
        elif isinstance(self.compiled, Compiled) and self.is_compiled():
            by = self.compiled
            if self.source.size >= PAYS_BYTES:
                by.readiness.wait()
            if self.waits():
                return None
        else:
            return None
        sizes = {"few_rows": self.few_rows, "batch_rows": self.batch_rows, "block_rows": self.block_rows}
        sizes["stretch_bytes"] = self.stretch_bytes
        lists = WholeLists(self.all_data(), self.source.name, self.plan, by, self.reading, **sizes)
        made = lists.batches()
        if made is not None:
            self.used |= {BY_CODEC} if lists.has_rest else set()
            if lists.has_first:
                self.used.add(BY_NUMPY if isinstance(self.fixed, Fixed) else BY_KERNEL)
        return made

    def below(self, value: Value, path: tuple[str, ...], where: str, problem: DataError | None) -> Found:
        """The rows in a value; those before the place of an error, if there is one."""
        if not path:
            if problem is None:
                yield value, (0, self.source.size), -1, value, where
            return
        here = join_path(where, path[0])
        if problem is not None and path[0] in value._instances:
            return
        content = getattr(value, path[0], None)
        items = content if isinstance(content, list) else [content]
        for index, item in enumerate(items):
            place = f"{here}[{index}]" if isinstance(content, list) else here
            is_broken = problem is not None and (is_in(problem.path, place) or not _is_complete(item))
            if not isinstance(item, Value) or (len(path) == 1 and item._type != self.rows.type):
                continue
            if len(path) > 1:
                yield from self.below(item, path[1:], place, problem)
            elif not is_broken:
                known = None if self.row_places is None else self.row_places.found.get(id(item))
                yield item, known, index if isinstance(content, list) else -1, value, here
            if is_broken:
                return


def _set_root_path(error: DataError, value: Value, prefix: str, index: int) -> None:
    """Make the path of an error in a row one from the root on."""
    label = value._type.label
    if error.path == label or error.path.startswith((f"{label}.", f"{label}[")):
        place = f"{prefix}[{index}]" if index >= 0 else prefix
        error.path = join_path(place, error.path[len(label) :].lstrip("."))


def _rows_in(file: RowFile, value: Value | None, problem: DataError | None) -> tuple[list[Any], DataError | None]:
    """The rows of a value up to its error, or up to the error of an instance on the path to them."""
    rows: list[Any] = []
    try:
        if isinstance(value, Value):
            rows.extend(file.below(value, file.rows.path, file.rows.root.label, problem))
    except DataError as error:
        return rows, error
    return rows, problem


def _of_block(
    file: RowFile, batch: RowBatch, block: Block, position: int, index: int, holder: Any
) -> Generator[RecordBatch, None, int]:
    """The sound rows at the beginning of a block; returns how many they are."""
    assert isinstance(file.fixed, Fixed)
    rows = file.fixed.rows(block.data, block.start, min(block.rows, file.few))
    consumed = file.fixed.sound(rows)
    file.saw(consumed < len(rows))
    batch.root, first = file.root, 0
    while first < consumed:
        chunk = rows[first : min(first + file.block_rows, consumed)]
        place = position + first * file.fixed.size, index + first, holder
        try:
            made = batch.fixed(file.fixed, chunk, *place)
        except Unsound as text:  # the codec reads that row
            consumed = first + text.args[0]
        except misfits():  # of what is around the rows; the codec says which
            consumed = first
        else:
            first += len(chunk)
            file.damage.passed(index + first)
            yield made
    file.end = position + consumed * file.fixed.size
    file.used |= {BY_NUMPY} if consumed else set()
    return consumed


def _damaged(rows: Rows, noted: Noted, row: Any, index: int) -> DataError:
    """The first error that was passed over in a row; its path begins with the name of the list."""
    place = f"{rows.path[-1]}[{index}]"
    return placed(noted, paths_in(row, place, {id(noted.owner)}).get(id(noted.owner), place))


def _prefix(rows: Rows, places: dict[int, int]) -> str:
    """The path of the list of rows that is read, with the indices of the lists around it."""
    path = rows.root.label
    for number, name in enumerate(rows.path):
        index = places.get(len(rows.path) - number)
        path = join_path(path, name if index is None else f"{name}[{index}]")
    return path


def _is_complete(value: Any) -> bool:
    """Whether all fields of a value were read; of a list the last element decides."""
    if isinstance(value, list):
        return not value or _is_complete(value[-1])
    return not isinstance(value, Value) or all(
        hasattr(value, name) and _is_complete(getattr(value, name)) for name in value._fields
    )


__all__ = ["BY_CODEC", "BY_KERNEL", "BY_NUMPY", "RowFile", "why_by_codec"]
