"""Replicas that truncated a branch, live and killed: every answer is the leader's, though old slots lie in the indexes.

The copies in `samples/replicas/` were recorded from clusters of three brokers, with what the leader answered; see
samples/README.md. Nothing here starts a broker.
"""

from __future__ import annotations

import hashlib

import pytest

from kformat.kafka.log.partition import open_partition
from tests.draws import every
from tests.judges import releases
from tests.replicas import (
    FOLDER,
    Copy,
    all_copies,
    as_consumed,
    dumped,
    findings_of,
    lies,
    looks_valid,
    records_of,
    time_slots,
    wrong_since,
    wrong_times,
    wrong_times_of_the_command,
)

VERSIONS = releases.REPLICATED
MOMENTS = ("live", "killed")
LIMIT_BYTES = 1_500_000

copies = pytest.mark.parametrize("copy", all_copies(), ids=str)
some_copies = pytest.mark.parametrize("copy", every(6, all_copies()), ids=str)


@some_copies
def test_lookups_by_time_equal_the_leaders(copy: Copy) -> None:
    """For every record's timestamp and 1 ms around it: offset, timestamp and leader epoch of ListOffsets."""
    assert wrong_times(copy.path, copy.by_timestamp) == []
    assert wrong_times_of_the_command(copy.path, copy.by_timestamp) == []


@some_copies
def test_records_equal_the_consumers(copy: Copy) -> None:
    """All records, and as columns those from a time on."""
    assert [as_consumed(record) for record in records_of(copy.path)] == copy.records
    assert wrong_since(copy.path, [(record["offset"], record["timestamp"]) for record in copy.records]) == []


@copies
def test_check_finds_them_sound(copy: Copy) -> None:
    """No error and no warning: a broker leaves such slots, and rebuilds them."""
    assert findings_of(copy.path) == []


@copies
def test_dump_text_is_the_tools(copy: Copy) -> None:
    """Logs and indexes; where the tool dies, what it printed until then begins ours."""
    root = FOLDER / copy.version
    for name, (text, has_died) in copy.dumps.items():
        ours = dumped(root, f"{copy.path.relative_to(root)}/{name}")
        assert ours.startswith(text) if has_died else ours == text, name


# The samples are what they are for.


def test_files_are_as_the_brokers_left_them() -> None:
    """Each folder has its sidecar, each file its checksum; all together they are small."""
    folders = {path for path in FOLDER.glob("*/*/*/?/*") if path.is_dir()}
    assert folders == {copy.path for copy in all_copies()}
    for copy in all_copies():
        found = {
            path.name: {"size": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
            for path in copy.path.iterdir()
        }
        assert found == copy.sidecar["files"], copy
        assert copy.sidecar["sample"] == str(copy)
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < LIMIT_BYTES


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("version", VERSIONS)
def test_old_slots_mislead_who_trusts_them(version: str, moment: str) -> None:
    """In every version, live and killed, there are time indexes that look sound from the first slot to the last,
    though some of their slots name an offset before which the log holds a later record."""
    misleading = set()
    for copy in all_copies():
        if (copy.version, copy.path.parts[-4]) == (version, moment):
            partition = open_partition(copy.path)
            records = [(record["offset"], record["timestamp"]) for record in copy.records]
            slots = time_slots(partition.segments[-1])
            if [*lies(partition, records)] and looks_valid(slots, copy.named["latest"].offset):
                misleading.add(copy.path.name)
    assert {"inside-0", "repeated-0", "same-sizes-0", "same-sizes-4096-0"} <= misleading, misleading


@pytest.mark.parametrize("version", VERSIONS)
def test_every_kind_is_there(version: str) -> None:
    """Several truncations, other sizes, other intervals, codecs and kinds of timestamps; one partition without any."""
    names = {copy.path.name for copy in all_copies() if copy.version == version}
    assert names == {
        f"{name}-0"
        for name in (
            "append-time", "back", "dense", "gzip", "inside", "interval-changed", "other-sizes", "repeated", "rolled",
            "same-sizes", "same-sizes-4096", "transactions", "untouched",
        )
    }  # fmt: skip
    (untouched,) = (copy for copy in all_copies() if copy.path.match(f"{version}/live/1/?/untouched-0"))
    records = [(record["offset"], record["timestamp"]) for record in untouched.records]
    assert not [*lies(open_partition(untouched.path), records)]
