"""Index files and headers: the codec's objects compared with the dtype that the layout derives from the same
declaration.

This shows why large files are read as columns. There is no peer in Python that reads index files.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import kformat
from bench.compare import Case
from bench.record_batches import build_ours
from kformat.kafka.batch.batches import iter_batches, read_batch_headers
from kformat.kafka.index.indexing import floor_offset_entry, lookup_many
from kformat.language.layout import layout

ENTRIES = 20_000
MANY_ENTRIES = 1_000_000
BATCHES = 500


def cases() -> list[Case]:
    """Reading an index, looking up in it, and walking a segment's headers."""
    dtype = layout("offset_index::entry").dtype
    entries = np.zeros(ENTRIES, dtype=dtype)
    entries["relative_offset"] = np.arange(1, ENTRIES + 1) * 37
    entries["position"] = np.arange(1, ENTRIES + 1) * 4200
    data = entries.tobytes()
    segment = build_ours() * BATCHES

    def parsed() -> Any:
        index: Any = kformat.parse("offset_index", data)
        return sum(entry.position for entry in index.entries)

    def viewed() -> Any:
        return int(np.frombuffer(data, dtype=dtype)["position"].sum(dtype=np.int64))

    targets = range(0, ENTRIES * 37, 997)

    def looked_up() -> Any:
        return sum(floor_offset_entry(entries, target).position for target in targets)

    native = entries["relative_offset"].astype(np.int64)
    positions = entries["position"].astype(np.int64)

    def searched() -> Any:
        found = (int(np.searchsorted(native, target, side="right")) - 1 for target in targets)
        return sum(int(positions[number]) if number >= 0 else 0 for number in found)

    many = np.zeros(MANY_ENTRIES, dtype=dtype)
    many["relative_offset"] = np.arange(1, MANY_ENTRIES + 1) * 150
    many["position"] = np.arange(1, MANY_ENTRIES + 1) * 1000
    wanted = np.random.default_rng(7).integers(0, MANY_ENTRIES * 150, MANY_ENTRIES)
    many_native, many_positions = many["relative_offset"].astype(np.int64), many["position"].astype(np.int64)

    def looked_up_together() -> Any:
        return int(lookup_many(many, wanted)[1].sum())

    def searched_together() -> Any:
        numbers = np.searchsorted(many_native, wanted, side="right") - 1
        return int(np.where(numbers >= 0, many_positions[numbers], 0).sum())

    def headers() -> Any:
        return int(read_batch_headers(segment).records_count.sum())

    def batches() -> Any:
        return sum(batch.records_count for batch in iter_batches(segment))

    return [
        Case(
            "read an offset index", "entries", ENTRIES, len(data), {"kformat.parse": parsed, "layout's dtype": viewed}
        ),
        Case(
            "look up an offset",
            "lookups",
            len(targets),
            8 * len(targets),
            {"floor_offset_entry on the file's bytes": looked_up, "searchsorted on native columns": searched},
        ),
        Case(
            "look up many offsets at once",
            "lookups",
            len(wanted),
            8 * len(wanted),
            {
                "lookup_many on the file's bytes": looked_up_together,
                "searchsorted on native columns": searched_together,
            },
        ),
        Case(
            "walk a segment's headers",
            "batches",
            BATCHES,
            len(segment),
            {"read_batch_headers": headers, "iter_batches": batches},
        ),
    ]
