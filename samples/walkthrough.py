"""Small segments with chosen sizes, for the worked examples of docs/walkthrough.md.

    python samples/walkthrough.py [DIRECTORY]

Unlike everything else in samples/, no broker wrote these: kformat's own builder and indexing did, so that positions
come out as in the examples that people learn Kafka's storage from. The same bytes each time; a test compares them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kformat
from kformat.kafka.index.indexing import IndexedBatches, index_entries

HERE = Path(__file__).resolve().parent / "walkthrough"
DAY = 1526384718000


@dataclass(frozen=True)
class Plan:
    """A batch to make: its first offset, the timestamps of its records in ms, and its size in bytes."""

    base_offset: int
    timestamps: Sequence[int]
    size: int
    log_append_time: int | None = None

    @property
    def last_offset(self) -> int:
        return self.base_offset + len(self.timestamps) - 1


def batch_bytes(plan: Plan) -> bytes:
    """The batch, with values as long as it takes to come out at the size."""
    count = len(plan.timestamps)

    def build(length: int, longer: int, key: int) -> bytes:
        records: list[dict[str, Any]] = []
        for delta, timestamp in enumerate(plan.timestamps):
            words = f"message {plan.base_offset + delta} ".encode()
            value = (words * (length // len(words) + 2))[: length + (1 if delta < longer else 0)]
            time = timestamp - plan.timestamps[0]
            records.append({"offset_delta": delta, "timestamp_delta": time, "key": b"k" * key or None, "value": value})
        batch = {
            "base_offset": plan.base_offset,
            "partition_leader_epoch": 0,
            "attributes": {"timestamp_type": "log_append_time" if plan.log_append_time else "create_time"},
            "base_timestamp": plan.timestamps[0],
            "max_timestamp": plan.log_append_time or max(plan.timestamps),
            "records": records,
        }
        return kformat.build("record_batch", batch)

    # A byte more in a value is a byte more in the batch, or three where a varint grows on the way.
    for key in range(8):
        length = max((plan.size - len(build(0, 0, key))) // count - 2, 0)
        while len(build(length + 1, 0, key)) <= plan.size:
            length += 1
        for longer in range(count):
            found = build(length, longer, key)
            if len(found) == plan.size:
                return found
    raise ValueError(f"no batch of {count} records has {plan.size} bytes")


def write_segment(
    directory: Path,
    plans: Sequence[Plan],
    *,
    base_offset: int,
    index_interval_bytes: int,
    profile: str = "per-batch",
) -> None:
    """A closed segment's three files."""
    positions = [sum(plan.size for plan in plans[:index]) for index in range(len(plans))]
    batches = IndexedBatches(
        position=positions,
        size=[plan.size for plan in plans],
        base_offset=[plan.base_offset for plan in plans],
        last_offset=[plan.last_offset for plan in plans],
        max_timestamp=[plan.log_append_time or max(plan.timestamps) for plan in plans],
        max_timestamp_offset=[
            plan.last_offset if plan.log_append_time else plan.base_offset + plan.timestamps.index(max(plan.timestamps))
            for plan in plans
        ],
    )
    entries = index_entries(
        batches, base_offset=base_offset, profile=profile, index_interval_bytes=index_interval_bytes
    )
    directory.mkdir(parents=True, exist_ok=True)
    name = f"{base_offset:020d}"
    (directory / f"{name}.log").write_bytes(b"".join(map(batch_bytes, plans)))
    (directory / f"{name}.index").write_bytes(entries.offset_index.tobytes())
    (directory / f"{name}.timeindex").write_bytes(entries.time_index.tobytes())


def steady(first_offset: int, count: int, size: int, start: int, step: int = 1) -> Plan:
    """A batch whose records are ``step`` ms apart."""
    return Plan(first_offset, [start + index * step for index in range(count)], size)


def lookup() -> Iterable[Plan]:
    """Offset index (6,156) (14,459) (22,656) (26,838) (31,1050); the last time entry before the end is (...283, 28)."""
    yield steady(0, 2, 156, DAY + 100)
    yield steady(2, 5, 303, DAY + 120)
    yield steady(7, 8, 197, DAY + 140)
    yield steady(15, 8, 182, DAY + 160)
    yield steady(23, 4, 110, DAY + 180)
    yield Plan(27, [DAY + 200, DAY + 283], 102)
    yield Plan(29, [DAY + 270, DAY + 271, DAY + 272], 150)
    yield Plan(32, [DAY + 284, DAY + 290], 110)


def sparse() -> Iterable[Plan]:
    """One entry, 400 -> 800; the batch that is due next comes 300 bytes later, too soon for another."""
    yield steady(381, 10, 800, DAY)
    yield steady(391, 10, 300, DAY + 100)
    yield steady(401, 110, 2500, DAY + 200)


def dense() -> Iterable[Plan]:
    """One entry, 20 -> 320."""
    yield steady(0, 15, 320, DAY)
    yield steady(15, 6, 180, DAY + 100)
    yield steady(21, 6, 180, DAY + 200)


def late() -> Iterable[Plan]:
    """Out-of-order CreateTime, one record a batch."""
    for offset, timestamp in enumerate((100, 300, 200, 400, 150, 350, 500)):
        yield Plan(offset, [DAY + timestamp], 80)


def append_time() -> Iterable[Plan]:
    """The producer's times are out of order, the broker's clock is not."""
    for offset, timestamp in enumerate((100, 300, 200, 400, 150, 350, 500)):
        yield Plan(offset, [DAY + timestamp], 80, log_append_time=DAY + 1000 + 10 * offset)


FIVE = (  # base offset, count, size, largest timestamp, first record that carries it
    (1778276, 87, 44169, 1645765269680, 1778357),
    (1778363, 69, 34959, 1645765272680, 1778427),
    (1778432, 15, 7797, 1645765272681, 1778442),
    (1778447, 65, 33145, 1645765275680, 1778507),
    (1778512, 18, 9309, 1645765275681, 1778521),
)


def listing() -> Iterable[Plan]:
    """The five batches of the 2.2.1 broker's listing."""
    for base_offset, count, size, largest, carrier in FIVE:
        earlier = carrier - base_offset
        times = [largest - 5 + 4 * index // max(earlier, 1) for index in range(earlier)]
        yield Plan(base_offset, times + [largest] * (count - earlier), size)


def write(directory: Path) -> None:
    """All partitions of the walk-through."""
    write_segment(directory / "lookup-0", list(lookup()), base_offset=0, index_interval_bytes=150)
    write_segment(directory / "sparse-0", list(sparse()), base_offset=381, index_interval_bytes=799)
    write_segment(directory / "dense-0", list(dense()), base_offset=0, index_interval_bytes=300)
    write_segment(directory / "late-0", list(late()), base_offset=0, index_interval_bytes=200)
    write_segment(directory / "append-time-0", list(append_time()), base_offset=0, index_interval_bytes=200)
    for base_offset, end, start in ((0, 251, DAY), (251, 500, DAY + 1000), (500, 600, DAY + 2000)):
        plans = [
            steady(first, min(5, end - first), 60 + 14 * min(5, end - first), start + first - base_offset)
            for first in range(base_offset, end, 5)
        ]
        write_segment(directory / "segments-0", plans, base_offset=base_offset, index_interval_bytes=100)
    for profile in ("last-offset", "per-batch"):
        write_segment(
            directory / f"listing-{profile}-0",
            list(listing()),
            base_offset=FIVE[0][0],
            index_interval_bytes=4096,
            profile=profile,
        )


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
