"""The rows of public formats (`tests/language/public`), read in stretches of any size and whole, are those that the
codec reads; of mutated files, too, with the same error in the same place.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Literal

import pytest

import kformat
from kformat.columns.plan import plan_of
from kformat.columns.rows import find
from kformat.errors import UsageError
from tests.columns.comparing import assert_same, scanned
from tests.columns.mutations import FORMATS, ROWS, SLOW
from tests.columns.reference import parsed
from tests.draws import EXAMPLES
from tests.judges.required import is_missing
from tests.language.public import HERE, Missing, mutants, written, written_more

pytestmark = pytest.mark.drawn

pytest.importorskip("pyarrow")

UNDECLARED = written.UNDECLARED | written_more.UNDECLARED
STRETCHES = (1, 7, 64, 1 << 20)
MUTANTS = 10_000 if os.environ.get("CI") else 30 * EXAMPLES


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[bytes]]:
    """Name -> files of that format, the small ones."""

    @lru_cache
    def of(name: str) -> list[bytes]:
        try:
            found = mutants.write([name], tmp_path_factory.mktemp("files"))[name]
        except Missing as error:
            is_missing(str(error))
        return [data for data in found if len(data) < 200_000] or found[:1]

    return of


@pytest.mark.parametrize("name", FORMATS)
def test_rows_are_those_of_the_codec(name: str, files: Callable[[str], list[bytes]]) -> None:
    declaration, row = kformat.load_declaration(HERE / f"{name}.ksy"), ROWS.get(name)
    path, count = find(declaration, row).path, 0
    for number, data in enumerate(files(name)):
        trailing: Literal["error", "keep"] = "keep" if name in UNDECLARED else "error"
        wanted = parsed(declaration, data, path, trailing)
        count += len(wanted.rows)
        for stretch in STRETCHES:
            scan = kformat.scan(data, declaration, row, trailing=trailing)
            found = scanned(scan, stretch_bytes=stretch, few_rows=0 if stretch > 7 else 64)
            assert_same(found, wanted, f"{name} {number}, {stretch}")
    assert count


def test_most_are_read_in_stretches() -> None:
    """One row after the other: what that needs is not lost unnoticed."""
    found = {name: find(HERE / f"{name}.ksy", ROWS.get(name)) for name in FORMATS}
    reasons = {name: plan_of(rows, None, "names").rows.reason for name, rows in found.items()}
    streamed = {name for name, reason in reasons.items() if reason is None}
    assert {"caf", "dbf", "flac", "gif", "java_class", "pcap", "pcapng", "shapes", "tar", "zstd_frame"} <= streamed
    assert {"ar", "bmp", "iso_media", "pcx", "sqlite_wal", "tzif"} <= streamed, (
        "they have instances that nobody asks for"
    )
    assert reasons["png"] == "_root.chunks is asked for while rows are read"


@pytest.mark.parametrize(
    ("names", "count"), [(sorted({*FORMATS} - SLOW), MUTANTS), (sorted(SLOW), MUTANTS // 60)], ids=["most", "slow"]
)
def test_mutated_files_are_read_and_refused_alike(names: list[str], count: int, tmp_path: Path) -> None:
    """By night a million, with a kernel for each format that one takes (`tools.nightly`)."""
    try:
        files = mutants.write(names, tmp_path / "written")
    except Missing as error:
        is_missing(str(error))
    mutants.put(tmp_path, files)
    result = mutants.run(tmp_path, count, 7, 1, 600, "tests.columns.mutations", with_kernels=False)
    assert not result.failures, "\n".join(result.failures)
    assert result.count == count and result.read_count > count / 5


def test_rows_of_different_types_are_no_rows() -> None:
    with pytest.raises(UsageError, match=r"pyc: module.body.items has rows of different types: pyc::object, pyc::item"):
        kformat.scan(b"", HERE / "pyc.ksy")
