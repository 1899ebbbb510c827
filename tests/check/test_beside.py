"""Check, of what lies beside the logs: what must not be found, single files, noise.

`SOUND` is the list of what brokers really leave behind and what looks odd; whoever adds a rule adds its false alarms.
"""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from kformat.check.checker import check
from kformat.kafka.batch.batches import iter_batches, read_batch_headers
from kformat.kafka.batch.records import Batch
from kformat.kafka.findings.rules import MOST_FINDINGS, RULES
from kformat.kafka.producers.producer_state import Markers, parse_marker
from tests import damages
from tests.damages import Folder, put, stem, write
from tests.damages_beside import (
    CHECKPOINTS,
    ENTRY,
    EPOCHS,
    METADATA,
    TRANSACTION,
    TRANSACTIONS,
    TXNINDEX,
    Change,
    an_hour_later,
    checkpoint,
    epochs,
    in_root,
    indexed,
    metadata,
    of_sample,
    renumbered,
    root_folder,
    snapshot,
    snapshot_bytes,
    with_file,
)
from tests.damages_legacy import sample_folder

LOG = f"{stem(6)}.log"


def found_in(change: Change, path: Path) -> list[str]:
    return [str(item).removeprefix(f"{path}{os.sep}") for item in check(write(change({}), path))]


def batches_dropped(*numbers: int) -> Change:
    """The log of the second segment without some batches, as a cleaner leaves it; its indexes made new."""

    def changed(folder: Folder) -> Folder:
        batches = [batch.raw for batch in iter_batches(folder[LOG])]
        kept = [raw for number, raw in enumerate(batches) if number not in numbers]
        return folder | damages.segment(6, kept)

    return changed


def batch_number(offset: int) -> int:
    """Which batch of the second segment has an offset."""
    batches = iter_batches(sample_folder("4.3.1", TRANSACTIONS)[LOG])
    return next(n for n, batch in enumerate(batches) if batch.base_offset <= offset <= batch.last_offset)


def entries_of(*indexes: int) -> Change:
    """The transaction index with these of its entries only."""

    def changed(folder: Folder) -> Folder:
        data = folder[TXNINDEX]
        return folder | {TXNINDEX: b"".join(data[34 * n : 34 * n + 34] for n in indexes)}

    return changed


SOUND: dict[str, Change] = {
    "a root": in_root(),
    "checkpoints of a broker that was killed long after them": lambda _: (
        root_folder() | dict.fromkeys(CHECKPOINTS, b"0\n2\ntransactions 0 7\ntransactions 1 0\n")
    ),
    "checkpoints that know no partition": lambda _: root_folder() | dict.fromkeys(CHECKPOINTS, b"0\n0\n"),
    "checkpoints without a byte": lambda _: root_folder() | dict.fromkeys(CHECKPOINTS, b""),
    "a marker of a clean stop up to 3.6": in_root(with_file(".kafka_cleanshutdown", b"")),
    "a start offset inside of the log": checkpoint("log-start-offset-checkpoint", 100),
    "a partition that is moved in from another log directory": in_root(
        with_file("recovery-point-offset-checkpoint", b"0\n1\nother 0 3\n"),
        with_file(f"other-0.{'a' * 32}-future/{stem(0)}.log", b""),
    ),
    "a broker's lock": in_root(with_file(".lock", b"")),
    "no leader epochs at all": epochs(b"0\n0\n"),
    "leader epochs without a byte": epochs(b""),
    "leader epochs that begin later": epochs(b"0\n1\n2 480\n"),
    "an epoch in which nothing was written": epochs(b"0\n4\n0 0\n1 480\n2 480\n3 960\n"),
    "a producer that was forgotten": snapshot(lambda array: array[1:]),
    "a producer of which only the end of a transaction is remembered": snapshot(
        put(0, last_offset=-1, last_sequence=-1, offset_delta=0, coordinator_epoch=0)
    ),
    "a producer that came back without a transaction": snapshot(put(0, coordinator_epoch=-1)),
    "an epoch above that of the last batch": snapshot(put(0, producer_epoch=3)),
    "a follower's entry, which got the next transaction with the marker": indexed(put(1, last_stable_offset=44)),
    "a bootstrap snapshot without control records": metadata(lambda b: renumbered(b[1:2]), "bootstrap.checkpoint"),
    "no snapshot": of_sample(TRANSACTIONS, damages.without(f"{stem(131)}.snapshot")),
    "a snapshot below the log": of_sample(
        TRANSACTIONS,
        damages.without(*(f"{stem(0)}{suffix}" for suffix in (".log", ".index", ".timeindex"))),
        lambda folder: folder | {f"{stem(3)}.snapshot": snapshot_bytes(np.zeros(0, ENTRY.dtype))},
    ),
    "an aborted transaction whose records are gone": of_sample(
        TRANSACTIONS, batches_dropped(batch_number(44)), entries_of(0, 1, 3, 4, 5, 6)
    ),
    "an aborted transaction that is gone with its marker": of_sample(
        TRANSACTIONS, batches_dropped(batch_number(44), batch_number(48)), entries_of(0, 1, 3, 4, 5, 6)
    ),
    "the first segment is gone": of_sample(
        TRANSACTIONS, damages.without(*(f"{stem(0)}{suffix}" for suffix in (".log", ".index", ".timeindex")))
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_what_brokers_leave_behind_is_no_finding(name: str, tmp_path: Path) -> None:
    assert found_in(SOUND[name], tmp_path) == []


def test_the_first_segment_is_needed_for_nothing_that_is_said(tmp_path: Path) -> None:
    """A snapshot at a log's beginning that retention made is not contradicted by what is gone."""
    folder = sample_folder("4.3.1", TRANSACTIONS)
    for name in (".log", ".index", ".timeindex"):
        del folder[f"{stem(0)}{name}"]
    write(folder, tmp_path)
    array = np.frombuffer(folder[f"{stem(6)}.snapshot"][10:], ENTRY.dtype).copy()
    array["last_offset"] = 4
    (tmp_path / f"{stem(6)}.snapshot").write_bytes(snapshot_bytes(array))
    assert [str(item) for item in check(tmp_path)] == []


# Single files


def test_a_file_beside_the_logs_is_judged_with_them_and_alone_in_the_findings(tmp_path: Path) -> None:
    folder = sample_folder("4.3.1", TRANSACTIONS)
    folder = damages.log_changed(folder, 0, lambda raw: damages.patched(raw, mend=False, crc=1), base_offset=6)
    folder[EPOCHS] = b"0\n1\n7 0\n"
    folder[TXNINDEX] = folder[TXNINDEX][:34] + folder[TXNINDEX][68:]
    folder[f"{stem(140)}.snapshot"] = folder[f"{stem(131)}.snapshot"]
    folder |= {"notes": b"", f"{stem(0)}.log.deleted": b"", ".lock": b""}
    write(folder, tmp_path)
    by_file = {
        name: [item.rule for item in check(tmp_path / name)]
        for name in (LOG, TXNINDEX, EPOCHS, f"{stem(140)}.snapshot", f"{stem(131)}.snapshot", "partition.metadata")
    }
    assert by_file == {
        LOG: ["KF0201", "KF0609"],
        TXNINDEX: [],
        EPOCHS: ["KF0804"],
        f"{stem(140)}.snapshot": ["KF0711"],
        f"{stem(131)}.snapshot": [],
        "partition.metadata": [],
    }
    others = {
        name: [item.rule for item in check(tmp_path / name)] for name in ("notes", f"{stem(0)}.log.deleted", ".lock")
    }
    assert others == {"notes": ["KF0001"], f"{stem(0)}.log.deleted": ["KF0010"], ".lock": []}


def test_a_file_beside_no_log_is_judged_by_itself(tmp_path: Path) -> None:
    folder = sample_folder("4.3.1", TRANSACTIONS)
    write({"copy.txnindex": folder[TXNINDEX][:-1], f"{stem(131)}.snapshot": folder[f"{stem(131)}.snapshot"]}, tmp_path)
    write({METADATA: sample_folder("4.3.1", "__cluster_metadata-0")[METADATA], "copy.snapshot": b""}, tmp_path)
    names = ("copy.txnindex", f"{stem(131)}.snapshot", METADATA, "copy.snapshot")
    found = {name: [item.rule for item in check(tmp_path / name)] for name in names}
    assert found == {"copy.txnindex": ["KF0004", "KF0601"], names[1]: [], METADATA: [], "copy.snapshot": ["KF0703"]}


# Damage of every kind


@pytest.mark.parametrize("name", [TXNINDEX, f"{stem(131)}.snapshot"])
def test_every_flipped_bit_is_found(name: str, tmp_path: Path) -> None:
    """But for a last stable offset that becomes one which a follower may have written."""
    folder = sample_folder("4.3.1", TRANSACTIONS)
    path, data = write(folder, tmp_path) / name, folder[name]
    harmless = 0
    for position in range(len(data)):
        for mask in (1, 0x80):
            changed = data[:position] + bytes([data[position] ^ mask]) + data[position + 1 :]
            path.write_bytes(changed)
            if not [item for item in check(tmp_path, records=False) if item.severity != "info"]:
                harmless += 1
                entry = np.frombuffer(changed, TRANSACTION)[position // TRANSACTION.itemsize]
                assert data_of(int(entry["last_stable_offset"])) not in (None, entry["producer_id"]), position
                assert entry["last_stable_offset"] > entry["last_offset"]
    assert harmless == (1 if name == TXNINDEX else 0)


def data_of(offset: int) -> int | None:
    """The producer of the data that begins at an offset."""
    headers = read_batch_headers(sample_folder("4.3.1", TRANSACTIONS)[LOG])
    rows = np.flatnonzero((headers.base_offset == offset) & (headers.is_control == 0) & (headers.is_transactional == 1))
    return int(headers.producer_id[rows[0]]) if len(rows) else None


@pytest.mark.parametrize("name", [TXNINDEX, f"{stem(131)}.snapshot", EPOCHS, "partition.metadata"])
def test_every_truncation_is_found_but_where_an_entry_ends(name: str, tmp_path: Path) -> None:
    folder = sample_folder("4.3.1", TRANSACTIONS)
    path, data = write(folder, tmp_path) / name, folder[name]
    for size in range(0, len(data), 3):
        path.write_bytes(data[:size])
        found = {item.rule for item in check(tmp_path, records=False)}
        harmless = {EPOCHS: (0, 2)}.get(name, ())  # no entries: Kafka takes both for an empty file
        assert bool(found) != (size in harmless), (size, found)


@pytest.mark.parametrize("name", [TXNINDEX, f"{stem(131)}.snapshot", EPOCHS, METADATA, "meta.properties"])
def test_noise_costs_little(name: str, tmp_path: Path) -> None:
    noise = np.random.default_rng(5).integers(0, 256, 4 << 20, np.uint8).tobytes()
    write(sample_folder("4.3.1", TRANSACTIONS) | {name: noise}, tmp_path)
    tracemalloc.start()
    try:
        found = list(check(tmp_path, records=False))
        assert 0 < len(found) < 4000 and all(item.rule in RULES for item in found)
        assert tracemalloc.get_traced_memory()[1] < 128 << 20
    finally:
        tracemalloc.stop()


def test_a_snapshot_of_noise_under_a_right_checksum_costs_little(tmp_path: Path) -> None:
    noise = np.frombuffer(np.random.default_rng(5).bytes(ENTRY.size * 50_000), ENTRY.dtype)
    write(sample_folder("4.3.1", TRANSACTIONS) | {f"{stem(131)}.snapshot": snapshot_bytes(noise)}, tmp_path)
    assert 0 < len(list(check(tmp_path, records=False))) < 4000


def test_files_too_large_to_be_read_at_once_are_listed(tmp_path: Path) -> None:
    write(sample_folder("4.3.1", TRANSACTIONS), tmp_path)
    for name, size in ((EPOCHS, 17 << 20), (f"{stem(131)}.snapshot", 129 << 20)):
        os.truncate(tmp_path / name, size)
    assert [item.rule for item in check(tmp_path)] == ["KF0001", "KF0001"]


# Markers


def test_markers_are_told_from_everything_else() -> None:
    said, markers = {}, Markers()
    for batch in iter_batches(sample_folder("4.3.1", TRANSACTIONS)[LOG]):
        assert isinstance(batch, Batch)
        assert (parse_marker(batch.raw) is not None) == batch.is_control
        assert markers.said(batch.raw) == parse_marker(batch.raw)
        said[batch.base_offset] = parse_marker(batch.raw)
    assert said[11] == ("abort", 0) and said[12] == ("commit", 0) and said[7] is None
    marker = next(batch.raw for batch in iter_batches(sample_folder("4.3.1", TRANSACTIONS)[LOG]) if batch.is_control)
    assert parse_marker(marker[:-1]) is None and parse_marker(marker[:30]) is None


def test_of_very_many_findings_the_last_says_that_there_are_more(tmp_path: Path) -> None:
    """And none is left out without a word."""
    path = tmp_path / "recovery-point-offset-checkpoint"
    path.write_text("0\n3000\n" + "".join(f"orders {number} -1\n" for number in range(3000)))
    found = [one for one in check(path) if one.severity != "info"]
    assert len(found) == MOST_FINDINGS
    assert found[-1].message.endswith("there are more, which are left out")
    assert not any("more" in one.message for one in found[:-1])


def test_the_metadata_log_of_the_root_says_how_late_it_is(tmp_path: Path) -> None:
    """A transaction that is open since a marker was written, and nothing but the cluster's metadata comes later."""
    partition = tmp_path / TRANSACTIONS
    write(of_sample(TRANSACTIONS, an_hour_later)({}), partition)
    log = max(partition.glob("*.log"))
    batches = list(iter_batches(log))
    log.write_bytes(log.read_bytes()[: batches[-1].position])  # one marker alone
    assert not [one for one in check(tmp_path) if one.rule == "KF0712"]
    metadata = tmp_path / "__cluster_metadata-0"
    metadata.mkdir()
    for minutes, count in ((19, 0), (21, 1)):
        time_ms = batches[-2].max_timestamp + minutes * 60_000
        (metadata / f"{0:020}.log").write_bytes(damages.data_batch(0, time_ms))
        assert len([one for one in check(tmp_path) if one.rule == "KF0712"]) == count
