"""The `.txnindex` of a segment: the aborted transactions whose markers are in it (TransactionIndex).

It is created with its first entry, and open only while it is read or written.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kformat.kafka.index.index_file import read_slots
from kformat.kafka.producers.producer_state import AbortedTransaction
from kformat.language.layout import layout
from kformat_engine.storage import File, Storage


class TransactionIndex:
    """The `.txnindex` at a path, which may not exist."""

    def __init__(self, path: Path, storage: Storage) -> None:
        self.path, self._storage = path, storage

    def append(self, entries: bytes) -> None:
        """Write entries after the last complete one (TransactionIndex.append)."""
        file = self._storage.open(self.path, create=True)
        try:
            file.write_at(entries, file.size - file.size % layout("transaction_index::entry").size)
        finally:
            file.close()

    def entries(self) -> list[AbortedTransaction]:
        """All entries, in the order of the file; none if there is no file."""
        try:
            file = self._storage.open(self.path, writable=False)
        except FileNotFoundError:
            return []
        try:
            entries = _slots(file)
        finally:
            file.close()
        columns = (entries[name].tolist() for name in AbortedTransaction._fields)
        return list(map(AbortedTransaction._make, zip(*columns, strict=True)))

    def truncate_to(self, offset: int) -> None:
        """Cut it before the first transaction whose last offset is not below ``offset``."""
        if not self.path.exists():
            return
        file = self._storage.open(self.path)
        try:
            entries = _slots(file)
            kept = int(np.argmax(np.append(entries["last_offset"] >= offset, True)))
            if kept < len(entries):
                file.truncate(kept * entries.itemsize)
        finally:
            file.close()


def _slots(file: File) -> np.ndarray:
    dtype = layout("transaction_index::entry").dtype
    return read_slots(file, dtype, 0, file.size // dtype.itemsize)
