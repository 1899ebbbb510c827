"""Indexes that verbs rebuild are the broker's, because the cluster's metadata says how far apart entries are."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.errors import UsageError
from kformat.kafka.state.topic_configs import EXPIRATION, INTERVAL, TopicConfigs, read_topic_configs
from kformat.reindex import Rules
from tests.kafka.state.metadata_events import written
from tests.kafka.state.test_state_verbs import logged
from tests.samples import ROOT

METADATA = "__cluster_metadata-0"
KRAFT = ("4.4.0", "4.3.1", "3.9.2")
OF_ANOTHER_ROOT = {"killed", "recovered", "killed-compacted", "killed-empty", "killed-single"}
"""Topics of the samples that another broker had, whose metadata is not there."""
FEW = ("headers-0", "late-0", "plain-0", "rolled-by-bytes-0", "rolled-by-index-0", "single-0")
"""Partitions of topics with intervals of 64, 256, 512, 1024 bytes, and the default."""

Indexes = dict[str, bytes]


def indexes(root: Path) -> Indexes:
    """The bytes of all indexes below a root, but those of the metadata log."""
    found = (path for suffix in ("index", "timeindex") for path in root.glob(f"*/*.{suffix}"))
    return {str(path.relative_to(root)): path.read_bytes() for path in found if path.parent.name != METADATA}


def without_indexes(root: Path) -> Indexes:
    """Remove the indexes below a root; returns what they were."""
    there = indexes(root)
    for path in there:
        (root / path).unlink()
    return there


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """A few partitions with the metadata of their cluster."""
    return copied(tmp_path / "disk", "4.4.0", METADATA, *FEW)


def copied(root: Path, release: str, *names: str) -> Path:
    for name in names:
        shutil.copytree(ROOT / release / name, root / name)
    shutil.copy(ROOT / release / "meta.properties", root)
    return root


def run(*arguments: str | Path, status: int = 0) -> str:
    """The lines of a verb on standard error."""
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == status, done.output
    return done.stderr


def difference(found: Indexes, there: Indexes) -> list[str]:
    return sorted(path for path in found.keys() | there.keys() if found.get(path) != there.get(path))


@pytest.mark.parametrize("release", KRAFT)
def test_every_index_of_a_broker_is_rebuilt_as_it_was(release: str, tmp_path: Path) -> None:
    """With 4096 for all topics, most of the same indexes are others."""
    folders = (path for path in (ROOT / release).iterdir() if path.is_dir())
    names = [path.name for path in folders if path.name.rpartition("-")[0] not in OF_ANOTHER_ROOT]
    root = copied(tmp_path / "disk", release, *names)
    there = without_indexes(root)
    assert len(there) > 80
    assert not run("reindex", root)
    assert not difference(indexes(root), there)
    run("reindex", root, "--index-interval-bytes", "4096")
    assert len(difference(indexes(root), there)) > 60


def test_recovery_rebuilds_the_brokers_indexes(disk: Path) -> None:
    there = without_indexes(disk)
    run("log", "recover", disk)
    assert not difference(indexes(disk), there)


@pytest.mark.parametrize("verb", ["salvage", "merge"])
def test_saving_makes_the_brokers_indexes(verb: str, disk: Path, tmp_path: Path) -> None:
    there = without_indexes(disk)
    run(verb, disk, "-o", tmp_path / "new")
    assert not difference(indexes(tmp_path / "new"), there)


def test_saving_in_place_makes_the_brokers_indexes(disk: Path) -> None:
    """Those of partitions that are changed, because their indexes are wrong."""
    there = without_indexes(disk)
    for path in there:
        (disk / path).write_bytes(b"\xff" * 24)
    run("salvage", disk, "--in-place")
    assert not difference(indexes(disk), there)


def test_a_partition_alone_has_the_metadata_of_its_root(disk: Path) -> None:
    there = without_indexes(disk)
    run("reindex", disk / "plain-0")
    run("reindex", max((disk / "late-0").glob("*.log")))
    run("log", "recover", disk / "headers-0")
    found = indexes(disk)
    assert {path.split("/")[0] for path in found} == {"plain-0", "late-0", "headers-0"}
    assert all(found[path] == there[path] for path in found)


@pytest.mark.parametrize("place", ["root", "folder"])
def test_the_metadata_may_be_elsewhere(place: str, disk: Path, tmp_path: Path) -> None:
    """The folder of `metadata.log.dir` is named, or its one partition."""
    elsewhere = tmp_path / "metadata"
    elsewhere.mkdir()
    shutil.move(disk / METADATA, elsewhere)
    there = without_indexes(disk)
    named = elsewhere / METADATA if place == "folder" else elsewhere
    run("reindex", disk, "--metadata", named)
    assert not difference(indexes(disk), there)
    for path in there:
        (disk / path).unlink()
    run("log", "recover", disk, "--metadata", named)
    assert not difference(indexes(disk), there)
    kformat.salvage(disk, tmp_path / "new", metadata=named)
    assert not difference(indexes(tmp_path / "new"), there)
    assert "no __cluster_metadata-0 here" in run("reindex", disk, "--metadata", tmp_path / "new", status=2)


def test_of_several_roots_one_has_the_metadata(disk: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shutil.move(disk / "plain-0", other)
    there = {root: without_indexes(root) for root in (disk, other)}
    run("reindex", other, disk)
    assert not any(difference(indexes(root), known) for root, known in there.items())


@pytest.mark.parametrize("options", [("--config", "index.interval.bytes=4096"), ("--config-file", "topic.properties")])
def test_what_is_given_wins_over_the_metadata(options: tuple[str, str], disk: Path, tmp_path: Path) -> None:
    (tmp_path / "topic.properties").write_text("index.interval.bytes=4096\n")
    option, value = options
    value = str(tmp_path / value) if option == "--config-file" else value
    there = without_indexes(disk)
    run("log", "recover", disk, option, value)
    found = indexes(disk)
    assert len(difference(found, there)) > 10
    run("reindex", disk, "--index-interval-bytes", "4096")
    assert indexes(disk) == found


def test_a_brokers_file_is_for_topics_without_an_interval(disk: Path, tmp_path: Path) -> None:
    """As in Kafka: server.properties says what topics have that say nothing themselves."""
    shutil.copytree(disk / "plain-0", disk / "unknown-0")
    there = without_indexes(disk)
    (tmp_path / "server.properties").write_text("log.index.interval.bytes=512\n")
    run("log", "recover", disk, "--config-file", tmp_path / "server.properties")
    assert not difference(indexes(disk), there)


@pytest.mark.parametrize("verb", [("reindex",), ("log", "recover"), ("salvage", "-o", "saved")])
def test_damage_in_the_metadata_is_one_line_and_no_error(verb: tuple[str, ...], disk: Path) -> None:
    """Nothing of it can be read: its log and its snapshots are noise."""
    moved = disk.parent / "moved"
    moved.mkdir()
    shutil.move(disk / METADATA, moved)
    for path in (moved / METADATA).glob("*.checkpoint"):
        path.write_bytes(b"\x01" * 400)
    next((moved / METADATA).glob("*.log")).write_bytes(b"\xa5" * 200_000)
    there = without_indexes(disk)
    target = disk.parent / "saved" if "saved" in verb else disk
    lines = run(*(target if word == "saved" else word for word in verb), disk, "--metadata", moved).splitlines()
    said = [line for line in lines if METADATA in line and INTERVAL in line]
    assert len(said) == 1 and said[0].endswith("4096")
    found = indexes(target)
    assert found.keys() == there.keys() and found["single-0/00000000000000000000.index"] == b""
    assert difference(found, there)


def test_a_torn_metadata_log_says_what_it_still_has(disk: Path) -> None:
    log = next((disk / METADATA).glob("*.log"))
    log.write_bytes(log.read_bytes()[:-20])
    there = without_indexes(disk)
    said = run("reindex", disk)
    assert "what can be read of it, else 4096" in said and "the bytes end inside of a batch" in said
    assert not difference(indexes(disk), there)


def test_damage_next_to_a_metadata_log_that_is_sound_is_not_said(disk: Path) -> None:
    (disk / METADATA / "leader-epoch-checkpoint").write_bytes(b"\xff")
    there = without_indexes(disk)
    assert not run("reindex", disk)
    assert not difference(indexes(disk), there)


# --- whose setting counts ---------------------------------------------------------------------------------------------


def config(kind: int, name: str, key: str, value: str | None) -> bytes:
    fields = {"resourceType": kind, "resourceName": name, "name": key, "value": value}
    return written("config_record", fields)


BROKERS = "log.index.interval.bytes"
SETTINGS = {
    "none": ([], None),
    "all brokers": ([config(4, "", BROKERS, "300")], 300),
    "this broker": ([config(4, "1", BROKERS, "200"), config(4, "", BROKERS, "300")], 200),
    "another broker": ([config(4, "2", BROKERS, "200"), config(4, "", BROKERS, "300")], 300),
    "the topic": ([config(2, "orders", INTERVAL, "100"), config(4, "1", BROKERS, "200")], 100),
    "zero": ([config(2, "orders", INTERVAL, "0")], 0),
    "another topic": ([config(2, "payments", INTERVAL, "100")], None),
    "removed": ([config(2, "orders", INTERVAL, "100"), config(2, "orders", INTERVAL, None)], None),
    "changed": ([config(2, "orders", INTERVAL, "100"), config(2, "orders", INTERVAL, "101")], 101),
    "no number": ([config(2, "orders", INTERVAL, "many"), config(4, "", BROKERS, "300")], 300),
    "below zero": ([config(2, "orders", INTERVAL, "-1")], None),
    "too large": ([config(2, "orders", INTERVAL, str(2**31))], None),
    "endless": ([config(2, "orders", INTERVAL, "9" * 5000)], None),
    "a topic's name at a broker": ([config(4, "", INTERVAL, "300")], None),
}


@pytest.mark.parametrize("case", SETTINGS)
def test_the_topic_comes_before_the_broker_and_that_before_all(case: str, tmp_path: Path) -> None:
    records, expected = SETTINGS[case]
    root = tmp_path / "root"
    logged(root, *records, config(4, "1", "log.retention.ms", "1"))
    (root / "orders-0").mkdir()
    (root / "meta.properties").write_text("version=1\nnode.id=1\ncluster.id=a2Zvcm1hdC1zYW1wbGVzMQ\n")
    said = list[str]()
    configs = read_topic_configs(root, said.append)
    assert (configs.number(root / "orders-0", INTERVAL), said) == (expected, [])
    assert configs.index_interval_bytes(root / "orders-0") == (4096 if expected is None else expected)
    assert configs.number(root / METADATA, INTERVAL) is None


def test_how_long_producers_are_remembered_is_a_brokers_setting(tmp_path: Path) -> None:
    root = tmp_path / "root"
    logged(root, config(4, "", EXPIRATION, "1000"))
    assert read_topic_configs(root, print).number(root / "orders-0", EXPIRATION) == 1000


def test_without_metadata_there_is_the_default_and_nothing_is_said(tmp_path: Path) -> None:
    """A disk of a broker with ZooKeeper; and rules with an interval ask nothing."""
    root = copied(tmp_path / "disk", "2.8.2", "plain-0")
    said = list[str]()
    configs = read_topic_configs([root, tmp_path / "missing"], said.append)
    assert configs == TopicConfigs() and not said
    assert Rules(index_interval_bytes=7).with_configs(root, said.append, tmp_path / "missing").interval_bytes(root) == 7
    with pytest.raises(UsageError, match="no __cluster_metadata-0 here"):
        read_topic_configs(root, said.append, tmp_path / "missing")
