"""Partitions of tiered topics as tests see them: what a broker kept on disk and in remote storage, and its answers.

`samples/tiered/<version>/<clean|killed>/` holds `data/`, the broker's log directory, and `remote/`, what Kafka's
LocalTieredStorage kept. `samples/tiered.py` records them. Nothing of an oracle comes from kformat.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from kformat.kafka.log.partition import Partition, open_partition
from tests.samples import ROOT, Told, decoded

FOLDER = ROOT / "tiered"


@dataclass(frozen=True)
class Tiered:
    """One partition of a copy, with what its sidecar says.

    Attributes:
        root: the copy, which holds `data/` and `remote/`.
    """

    root: Path
    name: str
    sidecar: dict[str, Any] = field(repr=False, compare=False)

    def __str__(self) -> str:
        return "/".join((*self.root.parts[-2:], self.name))

    @property
    def version(self) -> str:
        return self.root.parts[-2]

    @property
    def is_killed(self) -> bool:
        """The broker ended by kill -9."""
        return self.sidecar["stopped"] == "kill -9"

    @property
    def local(self) -> Partition:
        """The partition's folder in the log directory."""
        return open_partition(self.root / "data" / self.name)

    @property
    def remote(self) -> Partition | None:
        """Its folder in remote storage; None where there is none, or where it is empty."""
        folder = self.sidecar["remote"]
        return None if folder is None else open_partition(self.root / "remote" / folder)

    def _read(self, what: str) -> bytes:
        return gzip.decompress((self.root / self.sidecar[what]["file"]).read_bytes())

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """What a read_uncommitted consumer got from the log's start on; fields as `tests.samples.Sample.records`."""
        return [decoded(json.loads(line)) for line in self._read("records").splitlines()]

    @property
    def committed(self) -> list[int]:
        """The offsets that a read_committed consumer got."""
        left_out = set(self.sidecar["not_committed"]["offsets"])
        return [record["offset"] for record in self.records if record["offset"] not in left_out]

    @cached_property
    def times(self) -> dict[int, Told]:
        """The broker's answer for each timestamp that it was asked for."""
        answers = [json.loads(line) for line in self._read("times").splitlines()]
        return {target: Told(*answer) for target, *answer in answers}

    @property
    def named(self) -> dict[str, Told]:
        """Its answers for earliest, earliest-local, latest, latest-tiered and max."""
        return {name: Told(**answer) for name, answer in self.sidecar["named"].items()}

    @property
    def start(self) -> int:
        """The log's start offset."""
        return self.named["earliest"].offset

    @property
    def local_start(self) -> int:
        """The first offset that the broker serves from its own disk."""
        return self.named["earliest-local"].offset

    def dumps(self) -> dict[str, bytes]:
        """The text of that version's own tool for each `.log`, without the line that names the file, by its path below
        `root`."""
        found: dict[str, bytes] = {}
        texts = self._read("dump").split(b"Dumping ")[1:]
        for file, text in zip(self.sidecar["dump"]["files"], texts, strict=True):
            name, _, found[file] = text.partition(b"\n")
            assert name.decode() == str(Path(file).with_name(f"{Path(file).name[:20]}.log"))
        return found


@lru_cache
def all_tiered() -> tuple[Tiered, ...]:
    """Every partition of every copy, by version, copy and name."""
    sidecars = (path for path in sorted(FOLDER.glob("*/*/*.json")) if path.name != "root.json")
    return tuple(Tiered(path.parent, path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in sidecars)
