"""What becomes of damage in a file of rows: broken rows wait for the next sound one, or rows are looked for."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from kformat.codec.parsing import read_value, rooted
from kformat.codec.reader import Reader
from kformat.codec.sliding import Block, Stretch
from kformat.codec.taken import First, NotKept
from kformat.codec.values import Value
from kformat.columns.compiled_rows import Compiled
from kformat.columns.fixed import Fixed, list_of
from kformat.columns.passing import Noted, paths_in, placed
from kformat.columns.places import end_of_list
from kformat.columns.plan import Plan
from kformat.columns.resync import LostBytes, Resync, RowsFrom, Sound, is_verified, row_of, sync_of, why_not
from kformat.columns.rows import Rows, is_one_list
from kformat.columns.skipped import Missing
from kformat.errors import DataError, InvalidError, LimitError, join_path
from kformat.kernels import PAYS_BYTES

if TYPE_CHECKING:
    from kformat.columns.row_files import RowFile


Found: TypeAlias = Generator[tuple[Any, Any, int, Any, str], Any, None]
"""For each row: the value, a `Block` or `Stretch` of values, a DataError in place of one, or `LostBytes`; its position,
if it is known; its index in its list (-1: it is in none); the structure that has the list; and the list's path.
"""


class AfterDamage:
    """What becomes of damage in a file: broken rows wait for the next sound one; or rows are looked for (`resync`).

    Attributes:
        waiting: broken rows whose lengths led on, since the last sound one: the error, the start and the end of each.
        number: the index of the row after the last sound one. lost_count: the pieces in which no rows were found.
    """

    def __init__(self, file: RowFile) -> None:
        self.file, self.number, self.lost_count = file, 0, 0
        self.waiting: list[tuple[DataError, int, int]] = []
        self._resync: Resync | None = None
        self._holder: Any = None

    def passed(self, number: int | None, *, at_the_end: bool = False) -> None:
        """Pass over the broken rows that wait: a sound row came, and the next has a number; or no more comes."""
        if number is not None or at_the_end:
            for error, start, end in self.waiting:
                self.file.pass_over(error, start, end)
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
        is_told = resync is not None and (resync.is_verified or resync.is_in_step)
        return is_told and resync is not None and not resync.leads_on(start, self.file.end)

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
        if not self._says_all() or not file.is_compiled():
            return False
        assert isinstance(file.compiled, Compiled)
        if file.source.size >= PAYS_BYTES:
            file.compiled.readiness.wait()
        return not file.waits()

    def _says_all(self) -> bool:
        """Whether the search for rows says all that is wrong with them."""
        file = self.file
        is_said = file.rows.reason is not None and is_searched(file.rows) and is_verified(file.rows.type)
        return file.noted is not None and is_said and file.why_by_codec is None

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

        reader = Reader(file.all_data(), source=file.source.name, **file.reading)
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
        return is_first_missing and self.file.all_data().startswith(sync_of(self.file.rows.type), position)

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
        return [placed(note, inside.get(id(note.owner), label)) for note in noted]

    def _read_around(self, end: int) -> list[DataError]:
        """What is wrong in the file but for its list of rows, which goes up to a position."""
        noted, value, problem = self.file.noted, None, None
        try:
            reader = Reader(self.file.all_data(), source=self.file.source.name, **self.file.reading)
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
            marked.append((row if first is None else placed(first, inside[id(first.owner)]), position, index, *around))
            owners -= inside.keys()
        if not owners:
            return marked, problem, []
        inside = paths_in(self.file.root, self.file.rows.root.label, owners)
        left = [(note, inside.get(id(note.owner), "")) for note in noted if id(note.owner) in owners]
        in_rows = [part for part in left if self.file.rows.holds(part[1])]
        if len(inside) < len(owners) or (in_rows and problem is None):
            return None
        around = [placed(*part) for part in left if part not in in_rows]
        return marked, placed(*in_rows[0]) if in_rows else problem, around

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
            is_followed = file.all_data().startswith(sync_of(file.rows.type), end)
            end = None if is_followed else end  # rows go on there, or seem to
        end = end if end is not None and start <= end <= file.source.size else None
        if start >= (file.source.size if end is None else end):
            return None
        is_fast = isinstance(file.fixed, Fixed) or file.is_compiled()
        around, sound = (holder, file.root), self._sound(holder) if is_fast else None
        resync = Resync(file.all_data(), holder._type, step, end, around, file.reading, file.source.name, sound)
        resync.largest = file.largest
        return resync

    @property
    def _width(self) -> int | None:
        """The bytes of the part that each row is in."""
        step = list_of(self.file.plan)[0]
        row = None if step is None else row_of(step)
        return None if row is None else row[1]

    def _sound(self, holder: Any) -> Sound:
        """Tells sound rows by numpy or the kernel."""
        file, fixed, compiled = self.file, self.file.fixed, self.file.compiled
        if isinstance(fixed, Fixed):

            def in_step(start: int, end: int) -> tuple[int, int]:
                data = file.all_data()
                count = max(0, min(end, len(data)) - start) // fixed.size
                count = fixed.sound(fixed.rows(data, start, count)) if count else 0
                return count, start + count * fixed.size

            return in_step
        assert isinstance(compiled, Compiled)
        how = {"root": file.root, "holder": holder, "checksums": file.reading["checksums"], "width": self._width}

        def sound(start: int, end: int) -> tuple[int, int]:
            data = file.all_data()
            decoded = None if file.waits() else compiled.decode(data, start, min(end, len(data)), -1, **how)
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
        data, at, fixed = self.file.all_data(), start, self.file.fixed
        end = end if start < end else len(data)  # a position from elsewhere in the file was wrong
        while at < end and isinstance(fixed, Fixed):
            block = Block(data, at, min(end - at, self.file.stretch_bytes) // fixed.size)
            count = (yield block, at, index, holder, self.file.rows.whole_path) if block.rows else 0
            at, index = at + count * fixed.size, index + count
            if count < block.rows or not count:
                return at, index
        while at < end:
            stretch = Stretch(data, at, min(at + self.file.stretch_bytes, end), -1, self._width)
            count, size = yield stretch, at, index, holder, self.file.rows.whole_path
            at, index = at + size, index + count
            if not count or self.file.is_stopped:
                break
        return at, index


def is_searched(rows: Rows) -> bool:
    """Whether rows are looked for after damage."""
    plan = Plan(rows, (), {})
    step = list_of(plan)[0] if rows.path and is_one_list(rows) else None
    return why_not(step) is None


__all__ = ["AfterDamage", "Found", "is_searched"]
