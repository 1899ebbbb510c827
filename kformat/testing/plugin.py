"""The pytest plugin, under the name `kformat` wherever the package is installed: three fixtures, no options, no marks.

    def test_my_reader(kafka_log):
        folder = kafka_log(records=[(b"key", b"one"), (b"key", b"two")], codec="zstd")
        assert my_reader(folder) == [b"one", b"two"]

It is loaded at every start of pytest, so it imports nothing that takes time; what writes is loaded by the first call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kformat import testing

if TYPE_CHECKING:
    from kformat.corpus.any_format import DeclaredCorpus
    from kformat.testing.files import Given


@pytest.fixture
def kafka_segment(tmp_path: Path) -> Callable[..., Path]:
    """A function that writes a closed segment and returns the path of its `.log`; the indexes lie next to it.

    Its arguments are those of `kformat.testing.segment_files`: ``records``, ``base_offset``, ``codec``, ``magic``,
    ``profile``, ... Each call writes into another partition's folder (``segment-0``, ``segment-1``, ...), unless
    ``folder`` says where.
    """
    numbers = count()

    def make(records: Iterable[Given] | None = None, *, folder: Path | None = None, **how: Any) -> Path:
        return testing.write_segment(
            tmp_path / f"segment-{next(numbers)}" if folder is None else folder, records, **how
        )

    return make


@pytest.fixture
def kafka_log(tmp_path: Path) -> Callable[..., Path]:
    """A function that writes a partition's folder, as a broker leaves it after a clean stop, and returns its path.

    Its arguments are those of `kformat.testing.log_files`: ``records`` or ``segments``, ``records_per_segment``,
    ``codec``, ``magic``, ... and ``topic`` and ``partition``, by default ``orders`` and the first that is free.
    """
    written: set[tuple[str, int]] = set()

    def make(
        records: Iterable[Given] | None = None, *, topic: str = "orders", partition: int | None = None, **how: Any
    ) -> Path:
        if partition is None:
            partition = next(number for number in count() if (topic, number) not in written)
        folder = testing.write_log(tmp_path, records, topic=topic, partition=partition, **how)
        written.add((topic, partition))
        return folder

    return make


@pytest.fixture(scope="session")
def declared_corpus() -> Callable[..., DeclaredCorpus]:
    """A function that makes the corpus of a declared format, damaged files included: `kformat.testing.declared_corpus`.

    Its arguments are ``format`` (the path of a ``.ksy`` file, or a name), ``seed`` and ``damage``. The corpus has
    ``sound`` and ``damaged`` files, each with its ``data``; the same one is made once in a run.
    """
    return testing.declared_corpus
