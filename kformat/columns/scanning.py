"""Files of a declared format -> Arrow record batches of their rows: `scan`.

Files are read one after the other, when batches are asked for, and only a stretch of each is in memory
(`codec.sliding`), unless the declaration needs more (`Scan.reason`). What is accepted and refused, and where, is what
`kformat.parse` says of the whole file; but limits (on decompressed bytes, on elements without bytes) count for each
row.

Bytes left over that instances may read (`leftover`) are detected as in `kformat.parse`: the file is then also parsed as
a whole, if it fits `most_held`; in a larger file, and after a row that was passed over, they are passed over.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Final, Literal, TypeAlias

from kformat.codec.constructs import parse
from kformat.codec.leftover import may_be_read, reads_elsewhere
from kformat.codec.parsing import read_value, rooted, rows_of
from kformat.codec.reader import Passes, Reader
from kformat.codec.sliding import STRETCH_BYTES, Block, FilePart, PartEnds, Sliding, Stretch
from kformat.codec.taken import First, NotKept
from kformat.codec.values import Value
from kformat.columns.arrow import RecordBatch, RecordBatchReader, Table, reader_of
from kformat.columns.compiled_rows import Compiled, compiled_of
from kformat.columns.filling import RowBatch, misfit_error, misfits, schema_of
from kformat.columns.fixed import Fixed, Unsound, fixed_of, list_of
from kformat.columns.passing import Noted, Passing, in_broken_row, paths_in
from kformat.columns.places import RowPlaces, end_of_list
from kformat.columns.plan import PARENT, POSITION, ROOT, Plan, numbers_of_names, plan_of
from kformat.columns.resync import LostBytes, Resync, RowsFrom, Sound, is_verified, sync_of, why_not
from kformat.columns.rows import Rows, find, is_in, is_one_list, moves_on
from kformat.columns.skipped import Missing, OnSkipped, Skipped, UnplacedRows, passing_over
from kformat.columns.whole_lists import WholeLists
from kformat.errors import DataError, InvalidError, LimitError, MissingDependencyError, UsageError, join_path
from kformat.kernels import PAYS_BYTES
from kformat.kernels.compiled import require_numba
from kformat.kernels.readiness import Readiness
from kformat.language.program import ReadType
from kformat.language.steps import takes_the_rest
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

MOST_HELD: Final = 256 << 20
"""Most bytes of a file in memory at the same time, by default."""
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


_BY_NUMPY: Final = "numpy"
_BY_KERNEL: Final = "a kernel"
_BY_CODEC: Final = "the codec"


class Scan:
    """The rows of some files, as returned by `scan`. Each iteration, and each call, reads the files again.

    polars, DuckDB and pandas accept it directly, through ``__arrow_c_stream__``.
    """

    def __init__(self, paths: tuple[Any, ...], plan: Plan, **how: Any) -> None:
        self._paths, self._plan, self._how = paths, plan, how
        self._used: set[str] = set()
        self._size = 0

    @property
    def row(self) -> str:
        """The path of the rows from the root on."""
        return str(self._plan.rows)

    @property
    def row_type(self) -> str:
        """The name of the rows' type."""
        return self._plan.rows.type.label

    @property
    def reason(self) -> str | None:
        """Why each file is in memory as a whole while these columns are read; None: it is not."""
        return self._plan.rows.reason

    @property
    def read_by(self) -> str:
        """What reads the rows: ``numpy``; ``a kernel``; or ``the codec``, with the reasons why neither of the two does.

        Before the rows are read: what would read large files. Afterwards: what has read them; the codec reads small
        files while the kernel is not compiled. In a file that is in memory as a whole, the codec reads everything but
        the rows, and the rows, too, if anything is wrong with the file or refers to rows.
        """
        planned = self._planned()
        if not self._used or planned in self._used or planned not in (_BY_NUMPY, _BY_KERNEL):
            return planned
        if planned == _BY_KERNEL and self._size < PAYS_BYTES:
            return f"{_BY_CODEC} (a kernel from {PAYS_BYTES >> 20} MiB of files on, or once it is compiled)"
        why = "it was not compiled yet, or something in the files is wrong, or asks for their rows"
        return f"{_BY_CODEC} ({planned} otherwise: {why})"

    @property
    def readiness(self) -> Readiness | None:
        """When a kernel reads the rows, and how it is compiled; None where none does."""
        compiled = compiled_of(self._plan, self._how["trailing"]) if self._planned() == _BY_KERNEL else None
        return compiled.readiness if isinstance(compiled, Compiled) else None

    def _planned(self) -> str:
        reason = _why_by_codec(self._plan, self._how["trailing"])
        if reason is not None:
            return f"{_BY_CODEC} ({reason})"
        fixed = fixed_of(self._plan)
        if isinstance(fixed, Fixed):
            return _BY_NUMPY
        compiled = compiled_of(self._plan, self._how["trailing"])
        if isinstance(compiled, Compiled):
            return _BY_KERNEL
        return f"{_BY_CODEC} (numpy: {fixed}; kernels: {compiled})"

    @property
    def left_out(self) -> dict[str, str]:
        """The paths of parts of the rows without a column -> the reason."""
        return dict(self._plan.left_out)

    @property
    def schema(self) -> Any:
        """The ``pyarrow.Schema`` of the rows; MissingDependencyError without pyarrow."""
        return schema_of(self._plan)

    @property
    def enums(self) -> dict[str, dict[str, int]]:
        """The path of each column of enum names -> the numbers of the names."""
        numbers: dict[str, dict[str, int]] = {}
        for chosen in self._plan.columns:
            numbers |= numbers_of_names(chosen.column, chosen.column.name)
        return numbers

    def record_batches(self) -> RecordBatchReader:
        """The rows as a stream of record batches, none of which is kept."""
        return reader_of(self.schema, self._batches())

    def __iter__(self) -> Iterator[RecordBatch]:
        return self._batches()

    def to_arrow(self) -> Table:
        """All rows as one ``pyarrow.Table``."""
        return self.record_batches().read_all()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.record_batches().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Scan of {self._plan.rows.root.name}: {self.row}, {len(self._paths)} files>"

    def _batches(self) -> Iterator[RecordBatch]:
        self._used, self._size = set(), 0
        for path in self._paths:
            with ByteSource(path) as source:
                self._size += source.size
                yield from _RowFile(source, self._plan, used=self._used, **self._how).batches()


Found: TypeAlias = Generator[tuple[Any, Any, int, Any, str], Any, None]
"""For each row: the value, a `Block` or `Stretch` of values, a DataError in place of one, or `LostBytes`; its position,
if it is known; its index in its list (-1: it is in none); the structure that has the list; and the list's path.
"""


def _why_by_codec(plan: Plan, trailing: str) -> str | None:
    """Why the codec reads the rows of a file that is in memory as a whole; None: there is no such reason."""
    rows = plan.rows
    if rows.reason is None or not rows.path:
        return rows.reason
    may_read = trailing == "error" and reads_elsewhere(rows.type)
    return "instances of the rows may read bytes that are left over" if may_read else None


class _RowFile:
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
        """The position after the last row that was read; and the bytes of the largest row that a kernel has read."""
        self.data: bytes | None = None
        self.used = set[str]() if used is None else used
        """What has read rows: names of back ends, as in `Scan.read_by`."""
        self.row_places: RowPlaces | None = None
        """The positions of rows in a damaged file that is in memory as a whole."""
        self.list_end: int | None = None
        self.damage = _AfterDamage(self)
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
            if isinstance(value, Stretch) and self._waits():
                consumed = 0, 0
                continue
            is_full = len(batch.values) >= self.batch_rows or self.end + self.inflated - start >= _BATCH_BYTES
            if batch.values and (is_full or not isinstance(value, Value)):
                yield from self._filled(batch, prefixes, position)
                batch, start, prefixes = RowBatch(self.plan, self.source.name), self.end + self.inflated, []
            if isinstance(value, Block):
                consumed = yield from _of_block(self, batch, value, position, index, holder)
            elif isinstance(value, Stretch):
                made, consumed = self._decoded(batch, value, position, index, holder)
                if made is not None:
                    self.used |= {_BY_KERNEL} if consumed[0] else set()
                    self.damage.passed(index + consumed[0] if consumed[0] else None)
                    for first in range(0, consumed[0], self.block_rows):
                        yield made.slice(first, min(self.block_rows, consumed[0] - first))
            elif isinstance(value, LostBytes):
                self._pass_over(value.problem, value.position, value.end_position, value.rows, value.unplaced)
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

    def items(self) -> Found:
        """The rows, and from where no length leads on those that are looked for; `LostBytes` where none are read.

        A DataError takes the place of a broken row; one that is sent says that the row was broken. Either waits for the
        next sound row (`_AfterDamage.passed`).
        """
        items, holder, sent = self._streamed() if self.rows.reason is None else self._whole(), None, None
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

    def _saw(self, damage: bool) -> None:
        self.few = _FEW if damage else min(self.few * _GROWTH, _ALL)

    def _decoded(
        self, batch: RowBatch, stretch: Stretch, position: int, index: int, holder: Any
    ) -> tuple[RecordBatch | None, tuple[int, int]]:
        """The sound rows at the beginning of a stretch; their number, and their size in bytes."""
        batch.root = self.root
        made, count, stop = self._compiled_rows(batch, stretch, position, index, holder)
        if made is not None:
            made = made.slice(0, count)
            self.end = position + stop - stretch.start
        self.is_stopped = stop < stretch.end and count < self.few
        self._saw((stretch.end - stop) * 4 > stretch.end - stretch.start and count < self.few)
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

    def _is_compiled(self) -> bool:
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

    def _waits(self) -> bool:
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
                self.used.add(_BY_CODEC)
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
            self._pass_over(error, error.position or 0 if position is None else position, after or 0)
            del batch.values[: number + 1], batch.places[: number + 1], prefixes[: number + 1]

    def _pass_over(
        self, error: DataError, start: int, end: int, rows: Missing = "row", unplaced: tuple[UnplacedRows, ...] = ()
    ) -> None:
        if self.passed is None:
            raise error
        self.passed(Skipped(self.source.name, start, max(start, end), None, None, error, "", rows, unplaced))

    def _streamed(self) -> Found:
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
            size = self.fixed.size if isinstance(self.fixed, Fixed) else 0 if self._is_compiled() else None
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
                raise _placed(noted[0], path) from None
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

    def _data(self) -> bytes:
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
        value, problem = self._parsed(self._data(), self.noted)
        if (
            self.row_places is None and self.noted is not None and (problem is not None or self.noted.noted)
        ):  # the rows' positions are needed
            self.noted.take()
            self.row_places = RowPlaces(self.rows.type)
            value, problem = self._parsed(self._data(), self.noted)
        rows, problem = _rows_in(self, value, problem)
        errors = list[DataError]()
        if self.noted is not None and (noted := self.noted.take()):
            outcome = self.damage.marked(rows, noted, problem)
            if outcome is None:  # some of it is in what no value holds
                value, problem = self._parsed(self._data(), None)
                outcome = *_rows_in(self, value, problem), errors
            rows, problem, errors = outcome
        for error in errors:
            yield self.damage.around(error)
        places = {} if self.row_places is None else self.row_places.found
        for row, known, *rest in rows:
            position, end = known or (None, None)
            self.end = self.end if end is None else end
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
        if self.source.size > self.most_held or _why_by_codec(self.plan, self.reading["trailing"]) is not None:
            return None
        by: Fixed | Compiled
        if isinstance(self.fixed, Fixed):
            by = self.fixed
        elif isinstance(self.compiled, Compiled) and self._is_compiled():
            by = self.compiled
            if self.source.size >= PAYS_BYTES:
                by.readiness.wait()
            if self._waits():
                return None
        else:
            return None
        sizes = {"few_rows": self.few_rows, "batch_rows": self.batch_rows, "block_rows": self.block_rows}
        sizes["stretch_bytes"] = self.stretch_bytes
        lists = WholeLists(self._data(), self.source.name, self.plan, by, self.reading, **sizes)
        made = lists.batches()
        if made is not None:
            self.used |= {_BY_CODEC} if lists.has_rest else set()
            if lists.has_first:
                self.used.add(_BY_NUMPY if isinstance(self.fixed, Fixed) else _BY_KERNEL)
        return made

    def _below(self, value: Value, path: tuple[str, ...], where: str, problem: DataError | None) -> Found:
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
                yield from self._below(item, path[1:], place, problem)
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


def _rows_in(file: _RowFile, value: Value | None, problem: DataError | None) -> tuple[list[Any], DataError | None]:
    """The rows of a value up to its error, or up to the error of an instance on the path to them."""
    rows: list[Any] = []
    try:
        if isinstance(value, Value):
            rows.extend(file._below(value, file.rows.path, file.rows.root.label, problem))
    except DataError as error:
        return rows, error
    return rows, problem


def _of_block(
    file: _RowFile, batch: RowBatch, block: Block, position: int, index: int, holder: Any
) -> Generator[RecordBatch, None, int]:
    """The sound rows at the beginning of a block; returns how many they are."""
    assert isinstance(file.fixed, Fixed)
    rows = file.fixed.rows(block.data, block.start, min(block.rows, file.few))
    consumed = file.fixed.sound(rows)
    file._saw(consumed < len(rows))
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
    file.used |= {_BY_NUMPY} if consumed else set()
    return consumed


class _AfterDamage:
    """What becomes of damage in a file: broken rows wait for the next sound one; or rows are looked for (`resync`).

    Attributes:
        waiting: broken rows whose lengths led on, since the last sound one: the error, the start and the end of each.
        number: the index of the row after the last sound one. lost_count: the pieces in which no rows were found.
    """

    def __init__(self, file: _RowFile) -> None:
        self.file, self.number, self.lost_count = file, 0, 0
        self.waiting: list[tuple[DataError, int, int]] = []
        self._resync: Resync | None = None
        self._holder: Any = None

    def passed(self, number: int | None, *, at_the_end: bool = False) -> None:
        """Pass over the broken rows that wait: a sound row came, and the next has a number; or no more comes."""
        if number is not None or at_the_end:
            for error, start, end in self.waiting:
                self.file._pass_over(error, start, end)
            self.waiting.clear()
        self.number = self.number if number is None else number

    def is_searched_from(self, problem: DataError, start: int, holder: Any) -> bool:
        """Whether rows are looked for from a broken row on: checksums tell which ones are sound, and the row's length
        does not lead to them.
        """
        if isinstance(problem, LimitError):
            return False
        if self._resync is None or self._holder is not holder:
            self._resync, self._holder = self._made(start, holder), holder
        resync = self._resync
        if resync is not None:
            resync.largest = max(resync.largest, self.file.largest)
        return resync is not None and resync.is_verified and not resync.leads_on(start, self.file.end)

    def ended(self, problem: DataError, holder: Any) -> Found:
        """The rows after an error that ended reading, if they are looked for, and what is lost."""
        file = self.file
        start = self.waiting[0][1] if self.waiting else file.end
        where = problem.position or 0
        self._resync = None if isinstance(problem, LimitError) else self._made(start, holder)
        if self._resync is None:
            self.passed(None, at_the_end=True)
            end = file.source.size if file.list_end is None else file.list_end
            rest: Missing = "list" if end < file.source.size else "file"
            yield self._item(LostBytes(file.end, max(file.end, end), problem, rows=rest), -1, holder)
            return
        is_around = not file.rows.holds(problem.path)
        is_before = where < start or not self.number
        self.waiting.clear()
        around = problem if is_around and is_before else None
        holder, before = file.root if holder is None else holder, self.lost_count
        yield from self.found(start, self.number, holder, around)
        if is_around and not is_before:
            yield self.around(problem)
            return
        is_reported = is_around or self.lost_count > before
        yield from self._after(max(start, file.end), holder, None if is_reported else problem)

    def _item(self, piece: LostBytes, index: int, holder: Any) -> tuple[Any, Any, int, Any, str]:
        return piece, piece.position, index, holder, self.file.rows.whole_path

    def is_searched_at_once(self) -> bool:
        """Whether rows are looked for from the list's begin on, and a kernel reads those that are sound: then nobody
        has to know before whether the file is.
        """
        file = self.file
        if not self._says_all() or not file._is_compiled():
            return False
        assert isinstance(file.compiled, Compiled)
        if file.source.size >= PAYS_BYTES:
            file.compiled.readiness.wait()
        return not file._waits()

    def _says_all(self) -> bool:
        """Whether the search for rows says all that is wrong with them."""
        file = self.file
        is_said = file.rows.reason is not None and is_searched(file.rows) and is_verified(file.rows.type)
        return file.noted is not None and is_said and _why_by_codec(file.plan, file.reading["trailing"]) is None

    def list_begin(self) -> tuple[Any, int, list[DataError]] | None:
        """The structure that has the list of rows, the list's position, and the errors passed over before it; None
        where the search for rows does not say all that is wrong with them.
        """
        file = self.file
        if file.noted is None or not self._says_all():
            return None
        begun = list[tuple[Any, int]]()

        def take(reader: Reader, holder: Any, position: int, *_: Any) -> None:
            if reader.outer is None:
                begun.append((holder, reader.origin + position))
            raise NotKept

        reader = Reader(file._data(), source=file.source.name, **file.reading)
        try:
            self._read(reader, take)
        except NotKept:
            pass
        except DataError as error:
            if self._is_before_list(error.partial, reader.position):
                begun.append((error.partial, reader.position))
        noted = file.noted.take()
        holder = begun[0][0] if begun else None
        root = holder if len(file.rows.path) == 1 else getattr(holder, "_root", None)
        if root is None:
            return None
        file.root = root
        return *begun[0], self._around(noted, file.root)

    def _is_before_list(self, value: Any, position: int) -> bool:
        """Whether reading ended where the list begins, since its condition asks for what cannot be read: a trailer."""
        step, names = list_of(self.file.plan)[0], self.file.rows.path
        if step is None or step.condition is None or len(names) > 1 or not isinstance(value, Value):
            return False
        before = value._fields[: value._fields.index(names[0])]
        is_first_missing = all(hasattr(value, name) for name in before) and not hasattr(value, names[0])
        return is_first_missing and self.file._data().startswith(sync_of(self.file.rows.type), position)

    def _read(self, reader: Reader, take: Callable[..., First | None]) -> Any:
        """Read the file, its list of rows by ``take``."""
        file = self.file
        reader.state.passes, reader.state.take = file.noted, take
        try:
            return read_value(file.rows.root, reader, path=file.rows.path)
        finally:
            reader.state.take, reader.state.is_parsing = None, False
            reader.state.tidy()

    def _around(self, noted: list[Noted], root: Any) -> list[DataError]:
        """The errors that were passed over around the rows, with their paths."""
        label = self.file.rows.root.label
        inside = paths_in(root, label, {id(note.owner) for note in noted})
        return [_placed(note, inside.get(id(note.owner), label)) for note in noted]

    def _read_around(self, end: int) -> list[DataError]:
        """What is wrong in the file but for its list of rows, which goes up to a position."""
        noted, value, problem = self.file.noted, None, None
        try:
            reader = Reader(self.file._data(), source=self.file.source.name, **self.file.reading)
            value = self._read(reader, lambda *begin: First(begin[4] or 1, end))  # as many as it says, if it does
        except DataError as error:
            value, problem = error.partial, error
            if hasattr(error, "owner"):
                rooted(error, value)
        except NotKept:  # what comes after the rows asks for them
            pass
        self.file.around = value if problem is None else None
        errors = [] if noted is None else self._around(noted.take(), value)
        return errors if problem is None else [*errors, problem]

    def marked(
        self, rows: list[Any], noted: list[Noted], problem: DataError | None
    ) -> tuple[list[Any], DataError | None, list[DataError]] | None:
        """The rows, with an error in place of each in which damage was passed over; the error where they end: the
        damage passed over in the last row, if any; and the errors around the rows. None if some damage is in no value.
        """
        marked, owners = list[Any](), {id(note.owner) for note in noted}
        for row, position, index, *around in rows:
            inside = paths_in(row, self.file.rows.path[-1] + (f"[{index}]" if index >= 0 else ""), owners)
            first = next((note for note in noted if id(note.owner) in inside), None)
            marked.append((row if first is None else _placed(first, inside[id(first.owner)]), position, index, *around))
            owners -= inside.keys()
        if not owners:
            return marked, problem, []
        inside = paths_in(self.file.root, self.file.rows.root.label, owners)
        left = [(note, inside.get(id(note.owner), "")) for note in noted if id(note.owner) in owners]
        in_rows = [part for part in left if self.file.rows.holds(part[1])]
        if len(inside) < len(owners) or (in_rows and problem is None):
            return None
        around = [_placed(*part) for part in left if part not in in_rows]
        return marked, _placed(*in_rows[0]) if in_rows else problem, around

    def of_list(self, holder: Any, start: int, before: list[DataError]) -> Found:
        """The rows of a list from its begin on, what is lost, and what is wrong around them."""
        for error in before:
            yield self.around(error)
        self._resync = self._made(start, holder)
        if self._resync is not None:
            yield from self.found(start, 0, holder)
        yield from self._after(max(start, self.file.end), holder, before_count=len(before))

    def _after(
        self, end: int, holder: Any, problem: DataError | None = None, before_count: int | None = None
    ) -> Iterator[Any]:
        """What is wrong after the rows, which end at a position; ``problem`` if nothing else is. ``before_count``: how
        many errors were reported that stand before them; None: those after the position are meant.
        """
        step = list_of(self.file.plan)[0]
        said, errors = end_of_list(step, holder), list[DataError]()
        where: dict[str, Any] = {"source": self.file.source.name, "position": end, "path": self.file.rows.whole_path}
        if said is not None and said != end:
            message = "the rows do not end where the file says that they do"
            errors = [InvalidError(message, **where, expected=said, found=end)]
        elif step is not None and step.count is not None and problem is not None:
            errors = [InvalidError("there are not as many rows as the file says", **where)]
        if said is None or said <= end:
            around = self._read_around(end)
            after = [error for error in around if (error.position or 0) >= end]
            errors += after if before_count is None else around[before_count:]
        if not errors and problem is not None:
            errors = [problem]
        yield from map(self.around, errors)

    def around(self, error: DataError) -> tuple[Any, Any, int, Any, str]:
        """An item for what is wrong around the rows."""
        where = error.position or 0
        return self._item(LostBytes(where, where, error, rows="none"), -1, self.file.root)

    def _made(self, start: int, holder: Any) -> Resync | None:
        """What looks for rows after damage; None if nothing does."""
        file = self.file
        holder = file.root if holder is None else holder
        is_wanted = file.passed is not None and file.part is None and is_searched(file.rows)
        if not is_wanted or holder is None or file.source.size > file.most_held:
            return None
        step = list_of(file.plan)[0]
        assert step is not None
        end = end_of_list(step, holder)
        if end is not None and start == end < file.source.size:
            is_followed = file._data().startswith(sync_of(file.rows.type), end)
            end = None if is_followed else end  # rows go on there, or seem to
        end = end if end is not None and start <= end <= file.source.size else None
        if start >= (file.source.size if end is None else end):
            return None
        around, sound = (holder, file.root), self._sound(holder) if file._is_compiled() else None
        return Resync(file._data(), holder._type, step, end, around, file.reading, file.source.name, sound)

    def _sound(self, holder: Any) -> Sound:
        """Tells sound rows by the kernel."""
        file, compiled = self.file, self.file.compiled
        assert isinstance(compiled, Compiled)
        how = {"root": file.root, "holder": holder, "checksums": file.reading["checksums"]}

        def sound(start: int, end: int) -> tuple[int, int]:
            data = file._data()
            decoded = None if file._waits() else compiled.decode(data, start, min(end, len(data)), -1, **how)
            return (0, start) if decoded is None else decoded[1:]

        return sound

    def found(self, start: int, index: int, holder: Any, around: DataError | None = None) -> Found:
        """The rows from a position on that are looked for, and the bytes between them; ``around``: the error before
        them, which takes the place of that of the first bytes if it lies in these.
        """
        file, resync = self.file, self._resync
        assert resync is not None
        if self.waiting:  # the first of them is where the search begins
            start, index = self.waiting[0][1], self.number
            self.waiting.clear()
        pieces, sent = resync.after(start), None
        while True:
            try:
                piece = pieces.send(sent)
            except StopIteration:
                break
            sent = None
            if isinstance(piece, RowsFrom):
                sent, index = yield from self._several(piece.position, resync.end, index, holder)
                resync.largest = max(resync.largest, file.largest)
                continue
            if around is not None:
                where = around.position or 0
                if isinstance(piece, LostBytes) and piece.position <= where < piece.end_position:
                    piece = piece._replace(problem=around)
                else:
                    yield self.around(around)
            file.end = piece.end_position
            if isinstance(piece, LostBytes):
                self.lost_count += 1
                error = piece.problem
                if error is not around:
                    inside = error.path.removeprefix(file.rows.type.label).lstrip(".")
                    error.path = join_path(f"{self.file.rows.whole_path}[{index}]", inside)
                if piece.unplaced:
                    count = sum(rows.rows_count for rows in piece.unplaced)
                    are = "rows in these bytes are" if count > 1 else "row in these bytes is"
                    error.message += f"; {count} whole {are} unplaced"
                yield self._item(piece, index, holder)
            else:
                yield piece.value, piece.position, index, holder, self.file.rows.whole_path
            if around is None or not isinstance(piece, LostBytes) or piece.problem is not around:
                index += 1
            around = None
        if around is not None:
            yield self.around(around)

    def _several(self, start: int, end: int, index: int, holder: Any) -> Generator[Any, Any, tuple[int, int]]:
        """Rows from a position on as `Stretch`, as far as these are taken; returns where they end, and the index of the
        next one.
        """
        data, at = self.file._data(), start
        end = end if start < end else len(data)  # a position from elsewhere in the file was wrong
        while at < end:
            stretch = Stretch(data, at, min(at + self.file.stretch_bytes, end), -1)
            count, size = yield stretch, at, index, holder, self.file.rows.whole_path
            at, index = at + size, index + count
            if not count or self.file.is_stopped:
                break
        return at, index


def _damaged(rows: Rows, noted: Noted, row: Any, index: int) -> DataError:
    """The first error that was passed over in a row; its path begins with the name of the list."""
    place = f"{rows.path[-1]}[{index}]"
    return _placed(noted, paths_in(row, place, {id(noted.owner)}).get(id(noted.owner), place))


def _prefix(rows: Rows, places: dict[int, int]) -> str:
    """The path of the list of rows that is read, with the indices of the lists around it."""
    path = rows.root.label
    for number, name in enumerate(rows.path):
        index = places.get(len(rows.path) - number)
        path = join_path(path, name if index is None else f"{name}[{index}]")
    return path


def _placed(noted: Noted, path: str) -> DataError:
    """The error that was passed over in the structure at a path."""
    noted.error.path = join_path(path, noted.path) if noted.path else path
    return noted.error


def _is_complete(value: Any) -> bool:
    """Whether all fields of a value were read; of a list the last element decides."""
    if isinstance(value, list):
        return not value or _is_complete(value[-1])
    return not isinstance(value, Value) or all(
        hasattr(value, name) and _is_complete(getattr(value, name)) for name in value._fields
    )


def is_searched(rows: Rows) -> bool:
    """Whether rows are looked for after damage."""
    plan = Plan(rows, (), {})
    step = list_of(plan)[0] if rows.path and is_one_list(rows) else None
    return why_not(step) is None and not can_split(plan)


def can_split(plan: Plan) -> bool:
    """Whether parts of a file can be read alone: the rows have a fixed size and are one list, and no instance may read
    bytes left over before them or after them.
    """
    fixed = fixed_of(plan)
    if not isinstance(fixed, Fixed) or plan.rows.reason is not None or reads_elsewhere(plan.rows.root):
        return False
    rows, _ = list_of(plan)
    return is_one_list(plan.rows) and rows is not None and isinstance(rows.element, ReadType)


def batches_of(
    path: Any,
    plan: Plan,
    part: FilePart | None = None,
    *,
    on_corrupt: str = "error",
    on_skipped: OnSkipped | None = None,
    trailing: str = "error",
    checksums: bool = True,
) -> Iterator[RecordBatch]:
    """The rows of one file by a plan, as `scan` yields them.

    Args:
        path: as for `scan`, of one file.
        part: only the rows that begin there, of a plan that `can_split`. The parts of a file have its rows, each once,
            and its errors.
        on_corrupt, on_skipped, trailing, checksums: as for `scan`.

    Raises: as `scan`, when read.
    """
    how: dict[str, Any] = {"trailing": trailing, "checksums": checksums, "inflate_limit": DEFAULT_INFLATE_LIMIT}
    how |= {"on_corrupt": on_corrupt, "on_skipped": on_skipped, "batch_rows": None, "most_held": MOST_HELD}
    with ByteSource(path) as source:
        yield from _RowFile(source, plan, stretch_bytes=STRETCH_BYTES, part=part, **how).batches()


class ValueStream:
    """The rows of one file as the codec's values, of a format whose files need not be in memory (`Rows.reason`).

    ``passes``, ``checks_texts``: see `codec.reader.State`. ``leaves_rows``: the error of a row takes its place if the
    row's end is known. ``with_blocks``: rows of a fixed size come as a `Block`; the caller sends how many it takes, and
    the next row then comes alone. ``fixed`` decodes them; None if there are none. ``columns``: rows of any size that a
    kernel takes come as a `Stretch`, of which `decoded` makes these columns; None: no kernel.
    """

    def __init__(
        self,
        source: ByteSource,
        rows: Rows,
        *,
        passes: Passes | None = None,
        checks_texts: bool = False,
        leaves_rows: bool = False,
        with_blocks: bool = False,
        columns: Plan | None = None,
        with_kernels: bool | None = None,
        most_held: int = MOST_HELD,
        **reading: Any,
    ) -> None:
        how: dict[str, Any] = {"on_corrupt": "skip" if leaves_rows else "error", "on_skipped": None}
        how |= {"batch_rows": None, "stretch_bytes": STRETCH_BYTES, "most_held": most_held, "passes": passes}
        how["checks_texts"] = checks_texts
        plan = Plan(rows, (), {}) if columns is None else columns
        with_kernels = False if columns is None else with_kernels
        self._file = _RowFile(source, plan, with_fixed=with_blocks, with_kernels=with_kernels, **how, **reading)
        self.fixed = self._file.fixed if isinstance(self._file.fixed, Fixed) else None

    def rows(self) -> Found:
        """The rows, once; raises DataError where reading ends."""
        return self._file._streamed()

    def items(self) -> Found:
        """The rows, once, also those that are looked for after damage (`_RowFile.items`)."""
        return self._file.items()

    def passed(self, number: int | None) -> None:
        """Say that a sound row was taken, and the number of the next."""
        self._file.damage.passed(number)

    def decoded(
        self, stretch: Stretch, position: int, index: int, holder: Any
    ) -> tuple[RecordBatch | None, tuple[int, int]]:
        """The columns of the sound rows at the beginning of a stretch, if any; and what the caller has to send."""
        if self._file._waits():
            return None, (0, 0)
        batch = RowBatch(self._file.plan, self._file.source.name)
        return self._file._decoded(batch, stretch, position, index, holder)

    @property
    def root(self) -> Value | None:
        """The value of the whole file, as far as it was read, without the rows; None before the first row."""
        return self._file.root

    @property
    def around(self) -> Value | None:
        """The value of the whole file without the rows, at the end, if they were looked for and it can be read."""
        return self._file.around

    @property
    def end(self) -> int:
        """The position after the last row."""
        return self._file.end


def scan(
    paths: Any,
    format: Any,
    row: str | None = None,
    columns: Iterable[str] | None = None,
    *,
    on_corrupt: str = "error",
    on_skipped: OnSkipped | None = None,
    enums: Literal["names", "numbers"] = "names",
    trailing: Literal["error", "keep"] = "error",
    checksums: bool = True,
    inflate_limit: int = DEFAULT_INFLATE_LIMIT,
    batch_rows: int | None = None,
    most_held: int = MOST_HELD,
) -> Scan:
    """The rows of files of any declared format, as Arrow record batches; nothing is read before they are asked for.

    Args:
        paths: a path, an address, bytes or an open binary file, or an iterable of them.
        format: as for `kformat.parse`.
        row: what a row is: the path of a list from the root (``"packets"``, ``"sections.blocks"``), the name of a type
            that one list has, or the format's own name for a row per file. By default the list of a type with ``-row``,
            or the one nearest to the root.
        columns: paths in a row (``"length"``, ``"header.kind"``, ``"items.key"``), each a column of that name; also
            ``_file``, ``_position`` (of the row, in bytes), ``_index`` (in its list), ``_root.PATH`` and
            ``_parent.PATH`` (what precedes the rows). By default all fields and value instances, structures as structs,
            lists as lists, switches as structs with a nullable column for each case.
        on_corrupt: how to handle damage: ``error`` raises it, after the rows before it; ``skip`` leaves out the row,
            or, if its end is not known, the rest of the file; ``report`` also logs a warning (logger ``kformat``).
        on_skipped: called with a `Skipped` for each stretch that was left out.
        enums: ``names``: as text, and numbers without a name as their digits; or ``numbers``.
        trailing, checksums, inflate_limit: as for `kformat.parse`; the limit is each row's. With ``error``, a file with
            bytes left over that an instance may read is also parsed as a whole, at its end, to know whether one does;
            one larger than `most_held` is not, and such bytes are passed over.
        batch_rows: the most rows of a record batch; by default 4096, of rows of a fixed size 65,536.
        most_held: the most bytes of a file that are in memory at once: of one row and, where `Scan.reason` says why the
            file has to be in memory as a whole, of the file. More are a LimitError.

    Raises:
        UsageError: there is no such row or column, or more than one; it names those that there are.
        UsageError, DeclarationError: as `kformat.parse`, for the format.
        MissingDependencyError: when read, if pyarrow is missing (extra ``arrow``).
        DataError, OSError: when read.
    """
    passing_over(on_corrupt, on_skipped)
    if row is not None and not isinstance(row, str):
        raise UsageError(f"row is {row!r:.60}; a path or the name of a type is expected")
    for name, number in (("inflate_limit", inflate_limit), ("most_held", most_held), ("batch_rows", batch_rows)):
        if type(number) is not int and not (name == "batch_rows" and number is None):
            raise UsageError(f"{name} is {number!r:.60}; a whole number is expected")
        if number is not None and number < (name == "batch_rows"):
            raise UsageError(f"{name} is {number}; at least {int(name == 'batch_rows')} is expected")
    if trailing not in ("error", "keep"):
        raise UsageError(f"trailing is {trailing!r:.60}; 'error' or 'keep' is expected")
    plan = plan_of(find(format, row), columns, enums)
    is_one = isinstance(paths, str | os.PathLike | bytes | bytearray | memoryview) or hasattr(paths, "read")
    how: dict[str, Any] = {"trailing": trailing, "checksums": checksums, "inflate_limit": inflate_limit}
    how |= {"on_corrupt": on_corrupt, "on_skipped": on_skipped, "batch_rows": batch_rows, "most_held": most_held}
    if not is_one and not isinstance(paths, Iterable):
        raise UsageError(f"paths is {paths!r:.60}; a path, bytes, or several of them are expected")
    return Scan((paths,) if is_one else tuple(paths), plan, stretch_bytes=STRETCH_BYTES, **how)


__all__ = [
    "MOST_HELD",
    "FilePart",
    "Scan",
    "ValueStream",
    "batches_of",
    "can_split",
    "is_searched",
    "scan",
]
