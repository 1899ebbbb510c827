"""Rows of mutated files of public formats as columns: those that the codec reads, and the same error in the same place.

Each case is read in one of three ways: as `kformat.scan` reads it, in stretches of some size; by a kernel, where one
takes the rows; or by the codec. Processes of their own do the work, as for `tests.language.public.mutants`:

    python -m tests.columns.mutations FOLDER PARCEL      a parcel of the folder's formats, as `mutants.run` divides them
    python -m tests.columns.mutations FOLDER NAME NUMBER one case again
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import kformat
from kformat.columns.compiled_rows import Compiled, compiled_of
from kformat.columns.fixed import Fixed, fixed_of
from kformat.columns.plan import plan_of
from kformat.columns.rows import find
from kformat.errors import InvalidError, LimitError
from tests.columns.comparing import assert_same, scanned
from tests.columns.reference import MISFIT, Outcome, parsed
from tests.language.public import HERE, mutants

ROWS: dict[str, str | None] = {
    "avro_container": "blocks",
    "der": "top.content.items",
    "dbf": "records",
    "dns_message": "answers",
    "elf": "file.sections",
    "gettext_mo": "catalogue.originals",
    "gif": "blocks",
    "gzip": "gzip",
    "git_object": "object.content.entries",
    "java_class": "methods",
    "npy": "npy",
    "orc": "footer.fields",
    "tga": "rows",
    "tzif": "data.kinds",
    "zip": "sections",
}
"""Of formats with more than one list, or none, the rows."""
INNER: dict[str, tuple[str, ...]] = {
    "arrow_stream": ("messages.head.batch.columns", "messages.head.batch.parts"),
    "avro_container": ("metadata.count.groups",),
    "caf": ("chunks.body.entries",),
    "dbf": ("columns",),
    "dns_message": ("answers.data.texts",),
    "flac": ("blocks.body.comments",),
    "gzip": ("extra.parts.parts",),
    "icns": ("elements.elements.body.entries",),
    "java_class": ("attributes.body.lines", "attributes.body.methods"),
    "midi": ("tracks.events.events.delta.groups",),
    "png": ("chunks.body.entries",),
    "shapes": ("records.shape.body.points",),
    "truetype": ("tables.body.encodings.map.body.groups", "tables.body.encodings"),
    "wav": ("body.chunks.body.entries",),
    "woff": ("tables.stored.body.metrics",),
    "xz": ("index.count.groups",),
    "zip": ("sections.body.extra.parts",),
    "zstd_frame": ("frames.body.blocks",),
}
"""More rows, in sized parts, in one of several types, or of instances, which numpy or a kernel decodes."""
FEW = {"pyc"}
"""The nearest list has elements of different types: see `test_public_rows`."""
FORMATS = sorted(mutants.WRITTEN.keys() - FEW)
SLOW = {"parquet", "qoi", "aiff", "pcap", "pickle_code", "jpeg", "midi", "orc", "elf", "png", "pcapng", "iso_media"}
SLOW |= {"zip", "gif", "arrow_stream", "java_class"}
"""An input takes as long as some of any other format."""
STRETCHES = (1, 7, 64, 64, 1 << 12, 1 << 12, 1 << 20, 1 << 20)
MOST_BYTES = 20_000
"""Of a file that is mutated; the smallest of a format may be larger."""


class Back(NamedTuple):
    """What reads such rows of a format; ``keeps``: with either ``trailing``."""

    name: str
    row: str | None
    how: dict[str, Any]
    keeps: bool = True


class Rows:
    """Rows of a declaration, and what reads them: ``paths`` are those of the rows, as `kformat.scan` takes them.

    The first path is read by the codec, too; kernels are compiled ``with_kernels``.
    """

    def __init__(self, declaration: Any, paths: Sequence[str | None], with_kernels: bool) -> None:
        self.declaration = declaration
        self.backs = [Back("scan", paths[0], {}), Back("codec", paths[0], {"with_fixed": False, "with_kernels": False})]
        for row in paths:
            plan = plan_of(find(declaration, row), None, "names")
            if isinstance(fixed_of(plan), Fixed):
                self.backs.append(Back("numpy", row, {}))
            if with_kernels and isinstance(compiled_of(plan, "error"), Compiled):
                keeps = isinstance(compiled_of(plan, "keep"), Compiled)
                self.backs.append(Back("kernel", row, {"with_fixed": False, "with_kernels": True}, keeps))

    def difference(
        self, data: bytes, case: int, chance: random.Random, trailing: Literal["error", "keep"] | None = None
    ) -> tuple[bool, str, str | None]:
        """Whether the codec reads a case without an error, which back end was compared, and how the two differ.
        ``trailing`` is drawn where it is not given.
        """
        back, row, how, keeps = self.backs[case % len(self.backs)]
        trailing = trailing or ("keep" if chance.randrange(3) else "error")
        if not keeps:
            trailing = "error"
        started = time.process_time()
        wanted = parsed(self.declaration, data, find(self.declaration, row).path, trailing)
        began = time.process_time()
        try:
            scan = kformat.scan(data, self.declaration, row, trailing=trailing)
            found = scanned(scan, stretch_bytes=chance.choice(STRETCHES), few_rows=chance.choice((0, 64)), **how)
            if not ends_sooner(found, wanted):
                assert_same(found, wanted, "")
        except Exception as error:
            return wanted.error is None, back, f"{back}: {type(error).__name__}: {error}"
        seconds = max(mutants.SECONDS, 3 * (began - started))
        if time.process_time() - began > seconds and back != "kernel":
            return wanted.error is None, back, f"{back}: takes longer than {seconds:.1f} s"
        return wanted.error is None, back, None


class Format:
    """A format, and its small files in a folder that `mutants.put` filled. ``with_kernels``: kernels are compiled."""

    def __init__(self, folder: Path, name: str, seed: int, with_kernels: bool) -> None:
        self.name, self.seed = name, seed
        declaration = kformat.load_declaration(HERE / f"{name}.ksy")
        files = [path.read_bytes() for path in sorted((folder / "files" / name).iterdir())]
        small = [data for data in files if len(data) <= MOST_BYTES] or [min(files, key=len)]
        self.files = [(data, mutants.fields_of(declaration, data)) for data in small]
        self.rows = Rows(declaration, (ROWS.get(name), *INNER.get(name, ())), with_kernels)

    def difference(self, case: int) -> tuple[bool, str, str | None]:
        """As `Rows.difference`, of a case."""
        chance = random.Random(f"{self.seed} {self.name} {case}")
        return self.rows.difference(mutants.mutated(*self.files[case % len(self.files)], chance), case, chance)


def ends_sooner(found: Outcome, wanted: Outcome) -> bool:
    """Whether one of two ends before the other on purpose, with the same rows up to there.

    Both bound elements that take no bytes, and count them in another order: a scan refuses rows of which so many can
    only come at once. And columns of computed integers have 64 bits with a sign.
    """
    if not isinstance(found.error, InvalidError | LimitError):
        return False
    is_bound = isinstance(found.error, LimitError) and isinstance(wanted.error, LimitError)
    is_large = found.error.message == MISFIT and len(found.rows) < len(wanted.rows)
    is_large = is_large and largest_in(wanted.rows[len(found.rows)]) >= 1 << 63
    if not (is_bound or is_large):
        return False
    count = min(len(found.rows), len(wanted.rows))
    assert_same(Outcome(found.rows[:count], None), Outcome(wanted.rows[:count], None), "up to a bound: ")
    return True


def largest_in(value: Any) -> int:
    """The largest integer in a plain value."""
    if isinstance(value, dict | list):
        return max(map(largest_in, value.values() if isinstance(value, dict) else value), default=0)
    return value if isinstance(value, int) else 0


if __name__ == "__main__":
    mutants.serve(sys.argv[1:], lambda folder, name, job: Format(folder, name, job["seed"], job["with_kernels"]))
