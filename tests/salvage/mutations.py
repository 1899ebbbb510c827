"""Mutated logs, through all that goes on after damage: what finds batches, what plans which of them are saved, what
saves them, the engine's recovery, and what reads on. Nothing but the errors that are documented, nothing that hangs or
takes much memory.

Processes of their own do the work, as for `tests.language.public.mutants`:

    python -m tests.salvage.mutations FOLDER PARCEL      a parcel of the folder's logs, as `mutants.run` divides them
    python -m tests.salvage.mutations FOLDER NAME NUMBER one case again
"""

from __future__ import annotations

import random
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import kformat
from kformat.columns.skipped import Skipped
from kformat.errors import DataError
from kformat.kafka.damage.evidence import Content, FoundBatch, Lost, find_batches
from kformat.kafka.damage.saved_ranges import saved_in_order
from kformat.kafka.log.partition import open_partition
from kformat.salvage import plan_partition, salvage
from kformat.storage.byte_source import ByteSource
from kformat_engine import Log
from tests.kernel_cases import mutated
from tests.language.public import mutants
from tests.samples import all_samples

SECONDS = 10
MOST_BYTES = 2_000
"""Of a log."""
SAVED = 40
"""One of so many cases is saved: that writes files to disk."""
FRAMING = ("KF01", "KF0201", "KF0207", "KF0208", "KF04", "KF05")
"""Rules that no saved log breaks, whatever its records are."""
KINDS = ("search", "plan", "read")
"""What is done with the others."""


def write(folder: Path) -> int:
    """Write small logs of the samples into a folder for `mutants.run`, by the format's version; how many they are."""
    count = 0
    for sample in all_samples():
        for log in sorted(sample.path.glob("*.log")):
            data = log.read_bytes().rstrip(b"\0")
            if 0 < len(data) <= MOST_BYTES:
                place = folder / "files" / f"magic-{data[16]}" / sample.root / sample.name
                place.mkdir(parents=True, exist_ok=True)
                (place / log.name).write_bytes(data)
                if log.with_suffix(".index").exists():
                    shutil.copy(log.with_suffix(".index"), place)
                count += 1
    return count


def each_byte_once(items: Sequence[Any], data: bytes) -> None:
    ends = [0, *(item.end_position for item in items)]
    assert [item.position for item in items] == ends[:-1] and ends[-1] == len(data), "not each byte once"


def changed(data: bytes, chance: random.Random) -> bytes:
    """Small changes, or what disks do: pages of zeros, of other bytes, lost, doubled or swapped."""
    if chance.random() < 0.6 or len(data) < 64:
        return mutated(data, chance)
    size = min(chance.choice((16, 64, 512, 4096)), len(data) // 2)
    first, second = (chance.randrange(len(data) - size) for _ in range(2))
    page, other = data[first : first + size], data[second : second + size]
    match chance.randrange(6):
        case 0:
            page = bytes(size)
        case 1:
            page = chance.randbytes(size)
        case 2:
            page = b""
        case 3:
            page += page
        case 4:
            return data[:first]
        case _:
            page = other
    return data[:first] + page + data[first + size :]


class Logs:
    """The logs of a format's version, in a folder that `write` filled."""

    def __init__(self, folder: Path, name: str, seed: int) -> None:
        self.name, self.seed = name, seed
        self.logs = sorted((folder / "files" / name).rglob("*.log"))
        self.scratch = folder / f"scratch-{name}"

    def difference(self, case: int) -> tuple[bool, str, str | None]:
        """Whether all bytes of a case are saved, what was done, and what is wrong."""
        chance, began = random.Random(f"{self.seed} {self.name} {case}"), time.process_time()
        log, kind = self.logs[case % len(self.logs)], "save" if case % SAVED == 0 else chance.choice(KINDS)
        data = changed(log.read_bytes(), chance)
        try:
            if kind == "search":
                is_whole = self._searched(data, chance)
            else:
                is_whole = self._read(self._laid(log, data, chance), data, kind)
        except Exception as error:
            return False, kind, f"{kind}: {type(error).__name__}: {error}"
        took = time.process_time() - began
        return is_whole, kind, f"{kind}: takes {took:.1f} s" if took > SECONDS else None

    def _searched(self, data: bytes, chance: random.Random) -> bool:
        """What is found has each byte once, and checksums that hold."""
        with ByteSource(data) as source:
            items = list(find_batches(source, weakest=chance.choice(list(Content))))
            for item in items:
                if isinstance(item, FoundBatch) and item.content is not Content.GUESSED:
                    assert item.batch(source).is_valid, "a checksum that does not hold"
        each_byte_once(items, data)
        return not any(isinstance(item, Lost) for item in items)

    def _laid(self, log: Path, data: bytes, chance: random.Random) -> Path:
        """A partition of one log, with an index, which may be damaged, too."""
        folder = self.scratch / "disk" / log.parent.name
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            path.unlink()
        (folder / log.name).write_bytes(data)
        index = log.with_suffix(".index")
        if index.exists() and chance.random() < 0.7:
            entries = index.read_bytes()
            (folder / index.name).write_bytes(entries if chance.random() < 0.7 else mutated(entries, chance))
        return folder

    def _read(self, folder: Path, data: bytes, kind: str) -> bool:
        if kind == "plan":
            plan = plan_partition(open_partition(folder))
            ((_, ranges),) = plan.copies[0].segments
            each_byte_once(ranges, data)
            saved = saved_in_order(ranges)
            offsets = np.array([(made.first_offset, made.last_offset) for made in saved], np.int64).ravel()
            assert (np.diff(offsets) >= 0).all(), "offsets go back"
            return plan.is_whole
        skipped = list[Skipped]()
        records = open_partition(folder).records(before_log_start=True, on_corrupt="skip", on_skipped=skipped.append)
        found = [(one.offset, one.timestamp, one.key, one.value) for one in records]
        if kind == "save":
            self._saved(folder, found)
        return not skipped

    def _saved(self, folder: Path, found: list[tuple[Any, ...]]) -> None:
        """What is saved is sound, and what reading on has."""
        shutil.rmtree(self.scratch / "new", ignore_errors=True)
        salvage(folder, self.scratch / "new")
        new = self.scratch / "new" / folder.name
        wrong = [one for one in kformat.check(new) if one.severity == "error" and one.rule.startswith(FRAMING)]
        assert not wrong, str(wrong[0])
        records = []
        try:
            for one in open_partition(new).records(before_log_start=True):
                records.append((one.offset, one.timestamp, one.key, one.value))
        except DataError:  # a checksum that holds over records that do not
            assert found[: len(records)] == records
        else:
            assert found == records, "reading on and salvage differ"
        shutil.rmtree(self.scratch / "recovered", ignore_errors=True)
        recovered = self.scratch / "recovered" / folder.name
        shutil.copytree(folder, recovered)
        with Log.open(recovered, mode="salvage"):
            pass
        assert _bytes(recovered) == _bytes(new), "the engine and salvage differ"


def _bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("*.log")))


if __name__ == "__main__":
    mutants.serve(sys.argv[1:], lambda folder, name, job: Logs(folder, name, job["seed"]))
