"""Check, of a root and its cluster's metadata: what is no finding, and what a broker does with what is one."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from kformat.check.checker import check
from kformat.errors import MissingDependencyError
from kformat.kafka.batch.batches import iter_batches
from kformat.salvage import salvage_in_place
from tests import damages
from tests.damages import Folder, stem, without, write
from tests.damages_beside import Change
from tests.damages_kafka import (
    LOG,
    METADATA,
    NODE,
    OFFSETS,
    OTHER_ID,
    PARTITION,
    SNAPSHOT,
    committed,
    id_of,
    in_root,
    in_topic,
    other_id,
    quorum,
    renamed,
    replicas,
    values_of,
    without_id,
)
from tests.draws import newest_by_day
from tests.engine.adoption import TIMEOUT_S, admin_client
from tests.judges import Broker, releases
from tests.judges.required import require
from tests.kafka.state.metadata_events import written

OWN_DIRECTORY = "4ynDwEMLRoq8W6gVyUDWUQ"


def found_in(files: Folder | Path, path: Path | None = None) -> list[str]:
    """The rules of all findings, but for infos."""
    root = files if isinstance(files, Path) else write(files, path or Path())
    return [one.rule for one in check(root) if one.severity != "info"]


def with_text(name: str, old: str, new: str) -> Change:
    """A text file of the root with a line that matches replaced."""

    def changed(folder: Folder) -> Folder:
        text, count = re.subn(old, new, folder[name].decode(), flags=re.MULTILINE)
        assert count == 1
        return folder | {name: text.encode()}

    return changed


def with_bytes_after_metadata(folder: Folder) -> Folder:
    return folder | {f"{METADATA}/{LOG}": folder[f"{METADATA}/{LOG}"] + b"\1" * 5}


def only(*names: str) -> Change:
    """A root without other folders, and with its own files."""
    return lambda folder: {
        name: data for name, data in folder.items() if "/" not in name or name.partition("/")[0] in names
    }


STRANGER = (other_id(), renamed("other-0"))
SOUND: dict[str, Change] = {
    "a root": in_root(),
    "an offset at the log's end": in_root(committed(258)),
    "an offset of a partition that is not here": in_root(committed(10_000), only(METADATA, OFFSETS)),
    "a partition that waits to be deleted": in_root(*STRANGER, renamed(f"other-0.{'a' * 32}-delete", "other-0")),
    "what a broker has set aside": in_root(*STRANGER, renamed(f"other-0.{'a' * 32}-stray", "other-0")),
    "metadata of a cluster in which the broker never was": in_root(
        *STRANGER, with_text("meta.properties", "^node.id=1$", "node.id=8")
    ),
    "a root without a node's id": in_root(*STRANGER, without("meta.properties")),
    "a root without metadata": in_root(*STRANGER, only(OFFSETS, "other-0")),
    "replicas of several brokers": in_root(replicas(NODE)),
    "no vote": in_root(quorum(votedDirectoryId="A" * 22)),
    "a vote for another node": in_root(quorum(votedId=7, leaderId=-1, votedDirectoryId=OTHER_ID)),
    "an epoch above the log's": in_root(quorum(leaderEpoch=9)),
}  # fmt: skip


@pytest.mark.parametrize("name", SOUND)
def test_what_a_broker_keeps_is_no_finding(name: str, tmp_path: Path) -> None:
    assert found_in(SOUND[name]({}), tmp_path) == []


def test_a_vote_for_the_root_is_of_its_directory(tmp_path: Path) -> None:
    own = with_text("meta.properties", "^directory.id=.*$", f"directory.id={OWN_DIRECTORY}")
    for directory, expected in ((OWN_DIRECTORY, []), (OTHER_ID, ["KF0816"])):
        vote = quorum(votedId=NODE, leaderId=-1, votedDirectoryId=directory)
        assert found_in(in_root(own, vote)({}), tmp_path / directory) == expected


def test_of_damaged_metadata_nothing_is_said_of_partitions(tmp_path: Path) -> None:
    assert found_in(in_root(*STRANGER)({}), tmp_path / "sound") == ["KF0814"]
    assert found_in(in_root(*STRANGER, with_bytes_after_metadata)({}), tmp_path / "damaged") == ["KF0103"]
    without = list(check(tmp_path / "sound", records=False))
    assert [one for one in without if one.severity != "info"] == []


def deleted(folder: Folder) -> Folder:
    """The metadata goes on with the removal of the partition's topic."""
    path = f"{METADATA}/{LOG}"
    id = base64.b64encode(base64.urlsafe_b64decode(id_of(PARTITION) + "==")).decode()
    last = list(iter_batches(folder[path]))[-1]
    removal = damages.record_bytes(offset_delta=0, key=None, value=written("remove_topic_record", {"topicId": id}))
    time, epoch = last.max_timestamp, last.partition_leader_epoch
    batch = damages.batch_of(last.next_offset, removal, 1, time, partition_leader_epoch=epoch)
    return folder | {path: folder[path] + batch}


def emptied(folder: Folder) -> Folder:
    """The partition without records, and no groups that have read some."""
    return only(METADATA)(folder) | {f"{PARTITION}/{LOG}": b""}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (deleted, "the topic was deleted"),
        (lambda folder: without_id(deleted(folder)), "the topic was deleted"),
        (emptied, "empty and without the topic's id"),
    ],
    ids=["deleted", "deleted, and without an id", "just made"],
)
def test_what_a_killed_broker_leaves_of_topics_that_come_and_go_is_worth_knowing(
    change: Change, words: str, tmp_path: Path
) -> None:
    found = list(check(write(in_root(change)({}), tmp_path)))
    assert [(one.rule, os.path.basename(one.file)) for one in found] == [("KF0010", PARTITION)]
    assert found[0].message.startswith(words)


def test_topics_may_be_in_a_snapshot_alone(tmp_path: Path) -> None:
    """A log that begins after it; one without it says nothing of what was there before."""
    files = in_root(only(METADATA, PARTITION))({}) | {f"{METADATA}/{stem(104)}.log": b""}
    files = {name: data for name, data in files.items() if not name.startswith(f"{METADATA}/{stem(0)}.")}
    assert found_in(files, tmp_path / "sound") == []
    assert found_in(renamed("other-0")(files), tmp_path / "renamed") == ["KF0815"]
    files = renamed("other-0")(files)
    del files[f"{METADATA}/{SNAPSHOT}"]
    assert found_in(files, tmp_path / "without") == ["KF0905"]


@pytest.mark.parametrize("where", ["archive", "jobs"])
def test_roots_elsewhere_and_by_several_processes_have_the_same_findings(where: str, tmp_path: Path) -> None:
    root = write(in_root(*STRANGER, committed(10_000))({}), tmp_path / "root")
    found = [one.message for one in check(root) if one.severity != "info"]
    assert [message.partition(" ")[0] for message in found] == ["other-0:"]
    root = write(in_root(committed(10_000))({}), tmp_path / "committed")
    expected = [(one.rule, one.message) for one in check(root) if one.severity != "info"]
    assert {rule for rule, _ in expected} == {"KF1201"}
    if where == "archive":
        with tarfile.open(tmp_path / "disk.tar", "w") as archive:
            archive.add(root, "root")
        again = check(f"tar://root::{tmp_path / 'disk.tar'}")
        assert [(one.rule, one.message) for one in again if one.severity != "info"] == expected
        return
    command = [sys.executable, "-m", "kformat", "check", "-j", "2", str(root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert [line.partition(": ")[2] for line in done.stdout.splitlines()] == [message for _, message in expected]


def test_what_a_broker_appends_meanwhile_counts_for_committed_offsets(tmp_path: Path) -> None:
    """The log ends at 258 when it is judged, and at 261 when the groups are read."""
    root = write(in_root(committed(260))({}), tmp_path)
    log = max((root / PARTITION).glob("*.log"))
    assert set(found_in(root)) == {"KF1201"}
    last = list(iter_batches(log))[-1]
    more = damages.data_batch(last.next_offset, last.max_timestamp, count=3)

    def append(file: str, done: int, size: int) -> None:
        if file == str(log) and done == size and os.path.getsize(log) == size:
            log.write_bytes(log.read_bytes() + more)

    assert [one.rule for one in check(root, progress=append) if one.severity != "info"] == []


def test_without_arrow_committed_offsets_are_not_judged_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object, **__: object) -> None:
        raise MissingDependencyError("pyarrow", "arrow")

    root = write(in_root(committed(10_000))({}), tmp_path)
    monkeypatch.setattr(sys.modules["kformat.check.cluster"], "load_groups", missing)
    (found,) = check(root)
    assert (found.rule, found.severity) == ("KF0001", "info")
    assert found.message.startswith("committed offsets are not judged: pyarrow is not installed")


def test_salvage_leaves_a_record_alone_that_no_verb_repairs(tmp_path: Path) -> None:
    cut = in_topic(OFFSETS, values_of("OffsetCommitValue", lambda it: it[:-1]))({})
    folder = write(cut, tmp_path) / OFFSETS
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert "KF0325" in {one.rule for one in check(folder)}
    salvage_in_place(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


# --- a broker --------------------------------------------------------------------------------------------------------


@pytest.mark.judge
@pytest.mark.broker
@pytest.mark.parametrize("version", newest_by_day(*releases.LIVE))
def test_a_broker_sets_aside_what_is_a_stray(version: str, tmp_path: Path) -> None:
    require(version)
    broker = Broker(version, tmp_path / "broker", {})
    topics = ("kept", "other-id", "no-id", "exchanged")
    try:
        broker.start()
        admin = admin_client.AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
        for done in admin.create_topics([admin_client.NewTopic(name, 1, 1) for name in topics]).values():
            done.result(TIMEOUT_S)
        broker.stop()
        assert found_in(broker.data) == []
        metadata = {name: broker.data / f"{name}-0" / "partition.metadata" for name in topics}
        shutil.copytree(broker.data / "kept-0", broker.data / "kept-3")
        shutil.copytree(broker.data / "kept-0", broker.data / "strange-0")
        for path in (metadata["other-id"], broker.data / "strange-0" / "partition.metadata"):
            path.write_text(f"version: 0\ntopic_id: {OTHER_ID}\n")
        metadata["no-id"].unlink()
        shutil.copy(metadata["kept"], metadata["exchanged"])  # a broker looks for the id alone
        found = [one for one in check(broker.data) if one.severity != "info"]
        named = {re.search(r"([a-z-]+-[0-9]+)(/partition.metadata)?$", one.file)[1]: one.rule for one in found}  # type: ignore[index]
        expected = {"kept-3": "KF0814", "strange-0": "KF0814", "other-id-0": "KF0815"}
        assert named == expected | {"exchanged-0": "KF0815"}
        infos = {one.file for one in check(broker.data) if one.rule == "KF0010"}
        assert infos == {str(broker.data / "no-id-0")}
        broker.start()
        broker.stop()
        aside = {re.sub(r"\.[0-9a-f]{32}-stray$", "", path.name) for path in broker.data.glob("*-stray")}
        assert aside == {*expected, "no-id-0"}
        assert found_in(broker.data) == ["KF0815"]
    finally:
        broker.kill()
