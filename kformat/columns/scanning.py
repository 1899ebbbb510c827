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
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

from kformat.codec.reader import Passes
from kformat.codec.sliding import STRETCH_BYTES, FilePart, Stretch
from kformat.codec.values import Value
from kformat.columns.after_damage import Found
from kformat.columns.arrow import RecordBatch, RecordBatchReader, Table, reader_of
from kformat.columns.compiled_rows import Compiled, compiled_of
from kformat.columns.filling import RowBatch, schema_of
from kformat.columns.fixed import Fixed, fixed_of
from kformat.columns.logical import plain_array
from kformat.columns.plan import Plan, numbers_of_names, plan_of
from kformat.columns.row_files import BY_CODEC, BY_KERNEL, BY_NUMPY, RowFile, why_by_codec
from kformat.columns.rows import Rows, find
from kformat.columns.skipped import OnSkipped, passing_over
from kformat.errors import KformatError, UsageError
from kformat.kernels import PAYS_BYTES
from kformat.kernels.readiness import Readiness
from kformat.results import cell_text, html_table
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

MOST_HELD: Final = 256 << 20
"""Most bytes of a file in memory at the same time, by default."""


_SHOWN: Final = 10
"""Rows that a notebook shows."""
_WIDEST: Final = 80
"""Characters of a cell there."""


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
        if not self._used or planned in self._used or planned not in (BY_NUMPY, BY_KERNEL):
            return planned
        if planned == BY_KERNEL and self._size < PAYS_BYTES:
            return f"{BY_CODEC} (a kernel from {PAYS_BYTES >> 20} MiB of files on, or once it is compiled)"
        why = "it was not compiled yet, or something in the files is wrong, or asks for their rows"
        return f"{BY_CODEC} ({planned} otherwise: {why})"

    @property
    def readiness(self) -> Readiness | None:
        """When a kernel reads the rows, and how it is compiled; None where none does."""
        compiled = compiled_of(self._plan, self._how["trailing"]) if self._planned() == BY_KERNEL else None
        return compiled.readiness if isinstance(compiled, Compiled) else None

    def _planned(self) -> str:
        reason = why_by_codec(self._plan, self._how["trailing"])
        if reason is not None:
            return f"{BY_CODEC} ({reason})"
        fixed = fixed_of(self._plan)
        if isinstance(fixed, Fixed):
            return BY_NUMPY
        compiled = compiled_of(self._plan, self._how["trailing"])
        if isinstance(compiled, Compiled):
            return BY_KERNEL
        return f"{BY_CODEC} (numpy: {fixed}; kernels: {compiled})"

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

    def _repr_html_(self) -> str:
        """The first rows as a table: they are read for that, and what is skipped is not reported."""
        quiet = {"on_corrupt": "error" if self._how["on_corrupt"] == "error" else "skip", "on_skipped": None}
        rows, title = list[list[str]](), repr(self)[1:-1]
        try:
            for batch in Scan(self._paths, self._plan, **self._how | quiet):
                columns = [plain_array(column.slice(0, _SHOWN + 1)).to_pylist() for column in batch.columns]
                rows += ([cell_text(value, _WIDEST) for value in row] for row in zip(*columns, strict=True))
                if len(rows) > _SHOWN:
                    break
        except (KformatError, OSError) as error:
            title += f"; {len(rows)} rows, then {type(error).__name__}: {error}"
        return html_table(title, self.schema.names, rows[:_SHOWN], -1 if len(rows) > _SHOWN else 0)

    def __repr__(self) -> str:
        return (
            f"<Scan of {self._plan.rows.root.name}: {self.row}, {len(self._paths)} file{'s' * (len(self._paths) != 1)}>"
        )

    def _batches(self) -> Iterator[RecordBatch]:
        self._used, self._size = set(), 0
        for path in self._paths:
            with ByteSource(path) as source:
                self._size += source.size
                yield from RowFile(source, self._plan, used=self._used, **self._how).batches()


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
        yield from RowFile(source, plan, stretch_bytes=STRETCH_BYTES, part=part, **how).batches()


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
        self._file = RowFile(source, plan, with_fixed=with_blocks, with_kernels=with_kernels, **how, **reading)
        self.fixed = self._file.fixed if isinstance(self._file.fixed, Fixed) else None

    def rows(self) -> Found:
        """The rows, once; raises DataError where reading ends."""
        return self._file.streamed()

    def items(self) -> Found:
        """The rows, once, also those that are looked for after damage (`RowFile.items`)."""
        return self._file.items()

    def passed(self, number: int | None) -> None:
        """Say that a sound row was taken, and the number of the next."""
        self._file.damage.passed(number)

    def decoded(
        self, stretch: Stretch, position: int, index: int, holder: Any
    ) -> tuple[RecordBatch | None, tuple[int, int]]:
        """The columns of the sound rows at the beginning of a stretch, if any; and what the caller has to send."""
        if self._file.waits():
            return None, (0, 0)
        batch = RowBatch(self._file.plan, self._file.source.name)
        return self._file.decoded(batch, stretch, position, index, holder)

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
    "scan",
]
