"""Files of a declared format -> Arrow record batches of their rows: `scan`.

Files are read one after the other, when batches are asked for, and only a stretch of each is in memory
(`codec.sliding`), unless the declaration needs more (`Scan.reason`). What is accepted and refused, and where, is what
`kformat.parse` says of the whole file; but limits (on decompressed bytes, on elements without bytes) count for each
row.

Bytes left over that instances may read (`leftover`) are detected as in `kformat.parse`: the file is then parsed, too,
if it fits `most_held`; in a larger file they are passed over, and so they are after a row that was.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Final, Literal, TypeAlias

from kformat.codec.constructs import parse
from kformat.codec.leftover import may_be_read, reads_elsewhere
from kformat.codec.parsing import read_value, rooted, rows_of
from kformat.codec.reader import Passes, Reader
from kformat.codec.sliding import STRETCH_BYTES, Block, FilePart, PartEnds, Sliding, Stretch
from kformat.codec.values import Value
from kformat.columns.arrow import RecordBatch, RecordBatchReader, Table, reader_of
from kformat.columns.compiled_rows import Compiled, compiled_of
from kformat.columns.filling import RowBatch, misfit_error, misfits, schema_of
from kformat.columns.fixed import Fixed, Unsound, fixed_of, list_of
from kformat.columns.passing import Noted, Passing, in_broken_row, paths_in
from kformat.columns.places import RowPlaces, end_of_list
from kformat.columns.plan import PARENT, ROOT, Plan, numbers_of_names, plan_of
from kformat.columns.rows import Rows, find, is_one_list, moves_on
from kformat.columns.skipped import OnSkipped, Skipped, passing_over
from kformat.columns.whole_lists import WholeLists
from kformat.errors import DataError, LimitError, MissingDependencyError, UsageError, join_path
from kformat.kernels import PAYS_BYTES
from kformat.kernels.compiled import require_numba
from kformat.kernels.readiness import Readiness
from kformat.language.program import ReadType
from kformat.language.steps import takes_the_rest
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

MOST_HELD: Final = 256 << 20
"""Bytes of a file that are in memory at once, by default."""
_FEW_ROWS: Final = 64
"""Of a list in a file that is in memory as a whole: a kernel is not asked for fewer alone, but for those of many lists
where it can be.
"""
_ROWS: Final = 1 << 12
_BLOCK_ROWS: Final = 1 << 16
_BATCH_BYTES: Final = 2 << 20
"""Most rows of a batch, of objects and of whole columns; and most bytes of the source, and of what is decompressed, for
objects: a byte may become an object of hundreds of bytes.
"""
_FEW: Final = 64
_ALL: Final = 1 << 40


_BY_NUMPY: Final = "numpy"
_BY_KERNEL: Final = "a kernel"
_BY_CODEC: Final = "the codec"


class Scan:
    """The rows of some files, as `scan` makes it. Each iteration, and each call, reads the files again.

    polars, DuckDB and pandas take it as it is, by ``__arrow_c_stream__``.
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

        Before the rows are read, what would read those of large files. Afterwards what has: the codec reads small files
        while the kernel is not compiled. Of a file that is in memory as a whole it reads the rest, and the rows, too,
        if anything is wrong with the file or asks for rows.
        """
        planned = self._planned()
        if not self._used or planned in self._used or planned not in (_BY_NUMPY, _BY_KERNEL):
            return planned
        if planned == _BY_KERNEL and self._size < PAYS_BYTES:
            return f"{_BY_CODEC} (a kernel from {PAYS_BYTES >> 20} MiB of files on, or once it is compiled)"
        return f"{_BY_CODEC} ({planned} otherwise: something in the files is wrong, or asks for their rows)"

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
        """What of the rows has no column, by its path, with the reason."""
        return dict(self._plan.left_out)

    @property
    def schema(self) -> Any:
        """The ``pyarrow.Schema`` of the rows; MissingDependencyError without pyarrow."""
        return schema_of(self._plan)

    @property
    def enums(self) -> dict[str, dict[str, int]]:
        """By the path of each column that has the names of an enum, their numbers."""
        found: dict[str, dict[str, int]] = {}
        for chosen in self._plan.columns:
            found |= numbers_of_names(chosen.column, chosen.column.name)
        return found

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
"""Of each row: the value, a `Block` or `Stretch` of values, or a DataError in place of one; its position, if it is
known; its index in its list (-1: it is in none); the structure that has it; and that list's path.
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
        """What was passed over in a row, which is then damaged."""
        self.few = _ALL
        """How many rows to look at at once: after damage those that come are looked at again."""
        self.root: Value | None = None
        self.reader: Sliding | None = None
        self.end = self.inflated = 0
        """The position after the last row that was read."""
        self.data: bytes | None = None
        self.used = set[str]() if used is None else used
        """What has read rows."""
        self.row_places: RowPlaces | None = None
        """Where the rows are in a damaged file that is in memory as a whole."""
        self.list_end: int | None = None
        self.is_judged = False
        self.verdict: DataError | None = None
        """What is wrong with the file as a whole, where bytes are left over that instances may read."""

    def batches(self) -> Iterator[RecordBatch]:
        """Record batches; raises DataError, after the rows before the damage, unless it is passed over."""
        if self.rows.reason is not None and (made := self._made()) is not None:
            yield from made
            return
        batch, start = RowBatch(self.plan, self.source.name), 0
        prefixes: list[str] = []
        problem: DataError | None = None
        found = self._streamed() if self.rows.reason is None else self._whole()
        taken: Any = None
        while problem is None:
            try:
                value, position, index, holder, prefix = found.send(taken)
            except StopIteration:
                break
            except DataError as error:
                problem = error
                break
            taken = None
            if isinstance(value, Stretch) and self._waits():
                taken = 0, 0
                continue
            is_full = len(batch.values) >= self.batch_rows or self.end + self.inflated - start >= _BATCH_BYTES
            if batch.values and (is_full or not isinstance(value, Value)):
                yield from self._filled(batch, prefixes, position)
                batch, start, prefixes = RowBatch(self.plan, self.source.name), self.end + self.inflated, []
            if isinstance(value, Block):
                assert isinstance(self.fixed, Fixed)
                rows = self.fixed.rows(value.data, value.start, min(value.rows, self.few))
                taken = self.fixed.sound(rows)
                self._saw(taken < len(rows))
                batch.root, first = self.root, 0
                while first < taken:
                    some = rows[first : min(first + self.block_rows, taken)]
                    place = position + first * self.fixed.size, index + first, holder
                    try:
                        made = batch.fixed(self.fixed, some, *place)
                    except Unsound as text:  # the codec reads that row
                        taken = first + text.args[0]
                    except misfits():  # of what is around the rows; the codec says which
                        taken = first
                    else:
                        first += len(some)
                        yield made
                self.end = position + taken * self.fixed.size
                self.used |= {_BY_NUMPY} if taken else set()
            elif isinstance(value, Stretch):
                made, taken = self._decoded(batch, value, position, index, holder)
                if made is not None:
                    self.used |= {_BY_KERNEL} if taken[0] else set()
                    for first in range(0, taken[0], self.block_rows):
                        yield made.slice(first, min(self.block_rows, taken[0] - first))
            elif isinstance(value, DataError):
                value.path = join_path(prefix, value.path.removeprefix(self.rows.path[-1]))
                self._pass_over(value, value.position or 0 if position is None else position, self.end)
            else:
                batch.root = self.root
                batch.values.append(value)
                batch.places.append((position, index, holder))
                prefixes.append(prefix)
        yield from self._filled(batch, prefixes, self.end)
        if problem is not None:
            end = self.source.size if self.list_end is None else self.list_end
            self._pass_over(problem, self.end, end, is_rest=True)
        elif self.reader is not None:
            self.reader.data = b""  # the root, which refers to itself, holds the reader until memory is collected

    def _saw(self, damage: bool) -> None:
        self.few = _FEW if damage else min(self.few * 4, _ALL)

    def _decoded(
        self, batch: RowBatch, stretch: Stretch, position: int, index: int, holder: Any
    ) -> tuple[RecordBatch | None, tuple[int, int]]:
        """The sound rows that a stretch begins with; how many they are, and how many bytes they have."""
        batch.root = self.root
        made, count, stop = self._compiled_rows(batch, stretch, position, index, holder)
        if made is not None:
            made = made.slice(0, count)
            self.end = position + stop - stretch.start
        self._saw((stretch.end - stop) * 4 > stretch.end - stretch.start and count < self.few)
        return made, (count, stop - stretch.start)

    def _compiled_rows(
        self, batch: RowBatch, stretch: Stretch, position: int, index: int, holder: Any
    ) -> tuple[RecordBatch | None, int, int]:
        """The rows of a stretch by a kernel, with others after them; how many they are, and where they end."""
        assert isinstance(self.compiled, Compiled)
        most = self.few if stretch.most < 0 else min(stretch.most, self.few)
        while most:
            how = {"root": self.root, "holder": holder, "index": index, "checksums": self.reading["checksums"]}
            decoded = self.compiled.decode(stretch.data, stretch.start, stretch.end, most, width=stretch.width, **how)
            if decoded is None or not decoded[1]:
                break
            found, count, stop = decoded
            try:
                self.compiled.check_texts(found)
                return batch.compiled(self.compiled, found, position - stretch.start, index, holder), count, stop
            except Unsound:  # the codec says which row
                most = count // 2
            except misfits():  # of what is around the rows
                return None, 0, stretch.start
        return None, 0, stretch.start

    def _is_compiled(self) -> bool:
        """Whether kernels decode the rows: they can, and compiling them pays."""
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
        """The rows of a batch, which end at ``end``, but for those that are passed over."""
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
            self._root_path(error, value, prefixes[number], index)
            self._pass_over(error, error.position or 0 if position is None else position, after or 0)
            del batch.values[: number + 1], batch.places[: number + 1], prefixes[: number + 1]

    def _root_path(self, error: DataError, value: Value, prefix: str, index: int) -> None:
        label = value._type.label
        if self.rows.path and (error.path == label or error.path.startswith((f"{label}.", f"{label}["))):
            place = f"{prefix}[{index}]" if index >= 0 else prefix
            error.path = join_path(place, error.path[len(label) :].lstrip("."))

    def _pass_over(self, error: DataError, start: int, end: int, *, is_rest: bool = False) -> None:
        if self.passed is None:
            raise error
        rows: Literal["row", "list", "file"] = "row" if not is_rest else "list" if end < self.source.size else "file"
        self.passed(Skipped(self.source.name, start, max(start, end), None, None, error, rows=rows))

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
            found = rows_of(root, self.rows.path, size)(reader)
            taken: Any = None
            while True:
                try:
                    value, position, index, holder = found.send(taken)
                except StopIteration:
                    break
                self.inflated += reader.state.inflated
                self.end, self.root = reader.origin + reader.position, reader.root
                if reader.places is not last or not prefix:
                    last, prefix = reader.places, _prefix(self.rows, reader.places)
                if self.noted is not None and (noted := self.noted.take()):
                    row = reader.partial if isinstance(value, DataError) else value
                    value = self._damaged(noted[0], row, index)
                if isinstance(value, DataError):
                    self.is_judged, self.verdict = True, None
                elif reader.state.pending:
                    self._judge()
                    place = f"{prefix}[{index}]" if index >= 0 else prefix
                    if self.verdict is not None and _is_in(self.verdict.path, place):
                        self.end = position
                        raise self.verdict
                reader.state.pending.clear()
                taken = yield value, position, index, holder, prefix
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
            self.end = max(self.end, reader.first_row or 0)
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
        """Whether damage is passed over: in a row, not around the rows. Of one that takes all bytes to the end, there
        may be more than are held.
        """
        is_cut = False
        if not reader.is_whole:
            rows = list_of(self.plan)[0]
            is_cut = takes_the_rest(self.rows.type.steps if rows is None else (rows.element,))
        return self.noted is not None and reader.in_row and not is_cut and self.noted(error, value, path)

    def _damaged(self, noted: Noted, row: Any, index: int) -> DataError:
        """The error of a row, the first that was passed over in it; its path begins with the name of the list."""
        place = f"{self.rows.path[-1]}[{index}]"
        return _placed(noted, paths_in(row, place, {id(noted.owner)}).get(id(noted.owner), place))

    def _judge(self) -> None:
        """Parse the file as a whole, once, if it may be held."""
        if not self.is_judged and self.source.size <= self.most_held:
            try:
                parse(self.rows.root, self.source.read_at(0, self.source.size), source=self.source.name, **self.reading)
            except DataError as error:
                self.verdict = error
        self.is_judged = True

    def _is_told(self, reader: Sliding) -> bool:
        """Whether this is the one part of the file that tells what is wrong where the reader is: the first in front of
        the rows, the last after them.
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
        value, problem = self._parsed(self._data(), self.noted)
        if self.noted is not None and (problem is not None or self.noted.noted):  # where the rows are is asked for
            self.noted.take()
            self.row_places = RowPlaces(self.rows.type)
            value, problem = self._parsed(self._data(), self.noted)
        rows, problem = self._found(value, problem)
        if self.noted is not None and (noted := self.noted.take()):
            found = self._with_damage(rows, noted, problem)
            if found is None:  # some of it is around the rows
                value, problem = self._parsed(self._data(), None)
                found = self._found(value, problem)
            rows, problem = found
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

    def _found(self, value: Value | None, problem: DataError | None) -> tuple[list[Any], DataError | None]:
        """The rows of a value up to its error; or up to that of an instance on the way to them."""
        found: list[Any] = []
        try:
            if isinstance(value, Value):
                found.extend(self._below(value, self.rows.path, self.rows.root.label, problem))
        except DataError as error:
            return found, error
        return found, problem

    def _with_damage(
        self, rows: list[Any], noted: list[Noted], problem: DataError | None
    ) -> tuple[list[Any], DataError | None] | None:
        """The rows, with the error in place of each in which damage was passed over, and the error where they end: what
        was wrong before in the last one. None if some damage is in no row.
        """
        found, owners = list[Any](), {id(one.owner) for one in noted}
        for row, position, index, *around in rows:
            inside = paths_in(row, self.rows.path[-1] + (f"[{index}]" if index >= 0 else ""), owners)
            first = next((one for one in noted if id(one.owner) in inside), None)
            found.append((row if first is None else _placed(first, inside[id(first.owner)]), position, index, *around))
            owners -= inside.keys()
        if not owners or problem is None:
            return None if owners else (found, problem)
        label, rows_path = self.rows.root.label, ".".join((self.rows.root.label, *self.rows.path))
        inside = paths_in(self.root, label, owners)
        is_in_rows = [_is_in(re.sub(r"\[\d+\]", "", path), rows_path) for path in inside.values()]
        if len(inside) < len(owners) or not all(is_in_rows):
            return None
        first = next(one for one in noted if id(one.owner) in inside)
        return found, _placed(first, inside[id(first.owner)])

    def _made(self) -> list[RecordBatch] | None:
        """The rows of a whole file, of which numpy or a kernel decodes what it can; None if the codec has to read them:
        something is wrong, or asks for rows.
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
        found = getattr(value, path[0], None)
        items = found if isinstance(found, list) else [found]
        for index, item in enumerate(items):
            place = f"{here}[{index}]" if isinstance(found, list) else here
            is_broken = problem is not None and (_is_in(problem.path, place) or not _is_complete(item))
            if not isinstance(item, Value) or (len(path) == 1 and item._type != self.rows.type):
                continue
            if len(path) > 1:
                yield from self._below(item, path[1:], place, problem)
            elif not is_broken:
                known = None if self.row_places is None else self.row_places.found.get(id(item))
                yield item, known, index if isinstance(found, list) else -1, value, here
            if is_broken:
                return


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
    """Whether all fields of a value were read; the last of a list stands for all."""
    if isinstance(value, list):
        return not value or _is_complete(value[-1])
    return not isinstance(value, Value) or all(
        hasattr(value, name) and _is_complete(getattr(value, name)) for name in value._fields
    )


def _is_in(path: str, place: str) -> bool:
    return path == place or path.startswith((f"{place}.", f"{place}["))


def can_split(plan: Plan) -> bool:
    """Whether parts of a file can be read alone: the rows have a fixed size and are one list, and no instance may read
    what is left over in front of them or after them.
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

    ``passes``, ``checks_texts``: see `codec.reader.State`. ``leaves_rows``: the error of a row is in its place if it is
    known where that ends. ``with_blocks``: rows of a fixed size are a `Block` each time, of which the caller sends how
    many it takes; the next row then comes alone. ``fixed`` decodes them; None if there are none. ``columns``: rows of
    any size that a kernel takes are a `Stretch` each time, of which `decoded` makes these columns; None: no kernel.
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

    def decoded(
        self, stretch: Stretch, position: int, index: int, holder: Any
    ) -> tuple[RecordBatch | None, tuple[int, int]]:
        """The columns of the sound rows that a stretch begins with, if there are any; and what the caller sends."""
        if self._file._waits():
            return None, (0, 0)
        batch = RowBatch(self._file.plan, self._file.source.name)
        return self._file._decoded(batch, stretch, position, index, holder)

    @property
    def root(self) -> Value | None:
        """The value of the whole file, as far as it was read, without the rows; None before the first row."""
        return self._file.root

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
    "scan",
]
