"""Public formats, declared in `public/*.ksy`: files that libraries write at this moment are read as by the classes that
Kaitai's compiler makes of the same declaration, and are built again.

Values are compared one by one, instances included (`beside_kaitai`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.codec.trace import trace
from kformat.errors import ChecksumError
from kformat.language.program import Checksum, load_program
from tests.judges.kaitai import KAITAI
from tests.judges.required import is_missing, require
from tests.language.beside_kaitai import Compared, class_of, compared, compile_all
from tests.language.public import HERE, Missing, mutants, written, written_more

WRITTEN = mutants.WRITTEN
UNDECLARED = written.UNDECLARED | written_more.UNDECLARED
NOT_FROM_PLAIN = written.NOT_FROM_PLAIN | written_more.NOT_FROM_PLAIN
FORMATS = sorted(WRITTEN)

MUTANTS = 20_000
"""A million at night (`tools.nightly`)."""


@lru_cache
def loaded(name: str) -> Any:
    """The declaration of a format."""
    return kformat.load_declaration(HERE / f"{name}.ksy")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[bytes]]:
    """Name -> files of that format."""

    @lru_cache
    def of(name: str) -> list[bytes]:
        try:
            return mutants.write([name], tmp_path_factory.mktemp("files"))[name]
        except Missing as error:
            is_missing(str(error))

    return of


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], type[Any]]:
    """Name -> the class that Kaitai's compiler makes of that declaration."""
    require(KAITAI)
    folder = tmp_path_factory.mktemp("kaitai")
    compile_all([HERE / f"{name}.ksy" for name in FORMATS], folder)
    return lambda name: class_of(name, folder)


def test_each_declaration_has_files() -> None:
    assert sorted(path.stem for path in HERE.glob("*.ksy")) == FORMATS
    assert UNDECLARED.keys() | NOT_FROM_PLAIN.keys() <= set(FORMATS)
    page = (Path(__file__).parents[2] / "docs" / "declarations.md").read_text(encoding="utf-8")
    told = [f"* `{name}`: {why}" for name, why in sorted(UNDECLARED.items())]
    assert "\n" + "\n".join(told) + "\n\n" in page


@pytest.mark.judge
@pytest.mark.parametrize("name", FORMATS)
def test_kaitai_reads_the_same(
    name: str, files: Callable[[str], list[bytes]], theirs: Callable[[str], type[Any]]
) -> None:
    kind = theirs(name)
    assert len(set(files(name))) >= 2, "too few files"
    for data in files(name):
        assert compared(loaded(name), data, kind) == Compared(is_read=True)
        if name not in UNDECLARED:
            assert compared(loaded(name), data, kind, trailing="error") == Compared(is_read=True)


@pytest.mark.parametrize("name", FORMATS)
def test_files_are_built_again(name: str, files: Callable[[str], list[bytes]]) -> None:
    for data in files(name):
        if name in UNDECLARED:
            read = kformat.parse(loaded(name), data, trailing="keep")
            assert kformat.build(loaded(name), read, onto=data) == data
        else:
            read = kformat.parse(loaded(name), data)
            assert kformat.build(loaded(name), read) == data


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in FORMATS if name not in NOT_FROM_PLAIN])
def test_files_are_built_from_plain_values(name: str, files: Callable[[str], list[bytes]]) -> None:
    for data in files(name):
        plain = kformat.parse(loaded(name), data, trailing="keep")._asdict(instances=True)
        onto = data if name in UNDECLARED else None
        assert kformat.build(loaded(name), plain, onto=onto) == data


CHECKED = {
    "git_index": {"git_index.digest"},
    "gzip": {"gzip.crc_32"},
    "lz4_frame": {"lz4_frame.frames[].body.header_checksum", "lz4_frame.frames[].body.blocks[].checksum"},
    "ogg": {"ogg.pages[].checksum"},
    "pcap": {
        f"pcap.capture.packets[].body.{path}.checksum"
        for path in ("packet", "packet.body.segment", "body.packet", "body.packet.body.segment")
    },
    "png": {"png.chunks[].crc_32"},
    "tar": {"tar.entries[].header.checksum"},
    "xz": {"xz.flags_checksum", "xz.footer.checksum", "xz.index.checksum"},
    "zip": {"zip.sections[].body.about.crc_32"},
}
"""Checksums by format: paths, without indices."""


@pytest.mark.parametrize("name", CHECKED)
def test_checksums_that_libraries_write_are_verified(name: str, files: Callable[[str], list[bytes]]) -> None:
    verified = set[str]()
    for data in files(name):
        spans = [span for span in trace(loaded(name), data, trailing="keep") if "is that of" in span.remark]
        verified |= {re.sub(r"\[\d+\]", "[]", span.path) for span in spans}
        for span in spans:
            wrong = bytearray(data)
            wrong[span.position + span.size - 1] ^= 1
            with pytest.raises(ChecksumError) as raised:
                kformat.parse(loaded(name), bytes(wrong), trailing="keep")._fetch_instances()
            assert (raised.value.path, raised.value.position) == (span.path, span.position)
    assert verified == CHECKED[name]
    steps = [step for program in load_program(loaded(name)).types.values() for step in program.steps]
    paths = {step.path for step in steps if isinstance(step, Checksum)}
    assert {path for path in paths if any(found.endswith(path) for found in verified)} == paths


@pytest.mark.judge
def test_kaitai_reads_mutated_files_the_same(tmp_path: Path, files: Callable[[str], list[bytes]]) -> None:
    require(KAITAI)
    mutants.prepare(tmp_path, {name: files(name) for name in FORMATS})
    result = mutants.run(tmp_path, MUTANTS, seed=1, processes=2, timeout_s=600)
    assert result.failures == []
    assert result.count == MUTANTS
    assert result.read_count > MUTANTS // 10
