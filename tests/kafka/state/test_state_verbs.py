"""`kformat topics` and `kformat groups` on the samples, and on disks that lack something."""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.errors import UsageError
from kformat.kafka.batch.writing import Columns, build_batch
from kformat.kafka.log.partition import open_partition
from kformat.kafka.state.groups import CLASSIC, CONSUMER, SHARE, STREAMS, Committed, Group, Member
from kformat.kafka.state.image import cluster_image
from tests.kafka.state.metadata_events import Happening, written
from tests.samples import ROOT

KRAFT = ("4.4.0", "4.3.1", "3.9.2")


def run(*arguments: str, status: int = 0) -> tuple[str, str]:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == status, done.output
    return done.stdout, done.stderr


def rows(*arguments: str, status: int = 0) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(*arguments, "--format", "nl", status=status)[0].splitlines()]


# --- topics ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("release", KRAFT)
def test_topics_of_a_sample_are_those_of_its_folders(release: str) -> None:
    """Their ids are those of partition.metadata; folders that another broker made are not in the metadata."""
    listed = rows("topics", str(ROOT / release))
    present = [row for row in listed if row["state"] == "present"]
    assert len(present) > 20
    for row in present:
        metadata = Path(row["folder"], "partition.metadata").read_text(encoding="ascii")
        assert metadata.splitlines()[1] == f"topic_id: {row['topic_id']}"
        assert (row["replicas"], row["leader"] in (1, -1)) == ([1], True)
        assert row["log_end_offset"] >= row["log_start_offset"]
    compacted = next(row for row in present if row["topic"] == "compacted")
    assert compacted["configs"]["cleanup.policy"] == "compact"
    assert {row["topic"] for row in listed if row["state"] == "stray"} <= {
        *("killed", "killed-compacted", "killed-empty", "killed-single", "recovered"),
    }


def test_topics_before_kraft_are_the_folders_alone() -> None:
    listed = rows("topics", str(ROOT / "2.8.2"))
    assert {row["state"] for row in listed} == {None} and len(listed) > 20
    assert "no ROOT has __cluster_metadata" in run("topics", str(ROOT / "2.8.2"))[1]


def test_topics_at_a_moment_are_those_that_were_there() -> None:
    now, then = (rows("topics", str(ROOT / "4.4.0"), *more) for more in ((), ("--at-offset", "40")))
    names = [{row["topic"] for row in listed if row["state"] == "present"} for listed in (now, then)]
    assert names[1] < names[0]


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """A disk with its metadata and a few topics."""
    for name in ("__cluster_metadata-0", "__consumer_offsets-0", "__consumer_offsets-1", "plain-0", "plain-1"):
        shutil.copytree(ROOT / "4.4.0" / name, tmp_path / name)
    return tmp_path


def test_a_folder_that_is_not_there_and_one_of_another_topic_are_said(disk: Path) -> None:
    shutil.rmtree(disk / "plain-1")
    (disk / "plain-0" / "partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n")
    states = {row["partition"]: row["state"] for row in rows("topics", str(disk)) if row["topic"] == "plain"}
    assert states == {0: "wrong id", 1: "missing"}
    assert "kformat: wrong id: 1 partitions of plain" in run("topics", str(disk))[1]


def test_folders_that_do_not_count_have_their_states(disk: Path) -> None:
    """A replica of another broker, and what brokers have renamed; none of them is a partition's replica."""
    (disk / "meta.properties").write_text("version=1\nnode.id=2\ncluster.id=a2Zvcm1hdC1zYW1wbGVzMQ\n")
    for state in ("delete", "future", "stray"):
        shutil.copytree(disk / "plain-1", disk / f"plain-1.{'a' * 32}-{state}")
    listed = [row for row in rows("topics", str(disk)) if row["topic"] == "plain"]
    assert Counter(row["state"] for row in listed) == {"extra": 2, "deleted": 1, "future": 1, "stray": 1}
    assert list(kformat.open_root(disk).topics()) == rows("topics", str(disk))
    own = disk.parent / f"{disk.name}-own"
    shutil.copytree(disk / "plain-0", own / "plain-0")
    log = sorted((own / "plain-0").glob("*.log"))[-1]
    log.write_bytes(log.read_bytes()[:-1])
    (own / "meta.properties").write_text("version=1\nnode.id=1\ncluster.id=a2Zvcm1hdC1zYW1wbGVzMQ\n")
    found = next(row for row in rows("topics", str(disk), str(own)) if row["topic"] == "plain")
    assert (found["folder"], found["state"]) == (str(own / "plain-0"), "present")
    assert "extra: 4 partitions of __consumer_offsets, plain\n" in run("topics", str(disk))[1]


def test_the_longest_replica_of_several_disks_counts(disk: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    shutil.copytree(disk / "plain-0", other / "plain-0")
    log = sorted((other / "plain-0").glob("*.log"))[-1]
    log.write_bytes(log.read_bytes()[:-1])
    for roots in ((disk, other), (other, disk)):
        found = [row["folder"] for row in rows("topics", *map(str, roots)) if row["topic"] == "plain"]
        assert found[0] == str(disk / "plain-0")


def test_damage_in_the_metadata_is_an_error_or_passed_over(disk: Path) -> None:
    log = next((disk / "__cluster_metadata-0").glob("*.log"))
    data = bytearray(log.read_bytes())
    data[len(data) * 9 // 10] ^= 1
    log.write_bytes(data)
    assert "crc" in run("topics", str(disk), status=1)[1]
    listed = rows("topics", str(disk), "--on-corrupt", "skip", status=1)
    assert [row["state"] for row in listed if row["topic"] == "plain"] == ["present", "present"]
    rows("groups", str(disk), status=1)


# --- groups ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "takes"),
    [
        (["--topic", "plain"], lambda topic, partition: topic == "plain"),
        (["--topic", "*a*", "--exclude", "transactions"], lambda topic, _: "a" in topic and topic != "transactions"),
        (["--partition", "1"], lambda topic, partition: partition == 1),
    ],
)
@pytest.mark.parametrize("verb", ["topics", "groups", "transactions", "topics --diff 2026-11-28T11:32:36Z 2100-01-01"])
def test_rows_of_partitions_that_are_chosen(verb: str, choice: list[str], takes: Callable[[str, int], bool]) -> None:
    """They come from other topics, which need not be chosen."""
    root, (name, *more) = str(ROOT / "4.4.0"), verb.split()
    wanted = [row for row in rows(name, root, *more) if row["topic"] and takes(row["topic"], row["partition"])]
    assert rows(name, root, *more, *choice) == wanted and (wanted or verb == "transactions")
    said = run(name, root, *more, "--topic", "plane", status=2)
    assert "no topic 'plane'; did you mean 'plain'" in said[1] and said[0] == ""


@pytest.mark.parametrize("release", ["4.4.0", "4.3.1", "3.9.2", "2.8.2", "1.1.1", "0.10.2.2"])
def test_groups_of_a_sample(release: str) -> None:
    """What samples/make.py committed: one record of partition 1, and 15 of partition 0."""
    listed = rows("groups", str(ROOT / release))
    assert {row["kind"] for row in listed} == {CLASSIC}
    readers = {row["partition"]: row for row in listed if row["group"] == "readers" and row["topic"] == "plain"}
    assert [readers[number]["current_offset"] for number in sorted(readers)] == [15, 1][: len(readers)] and readers
    for row in readers.values():
        assert row["lag"] == row["log_end_offset"] - row["current_offset"]


def test_groups_at_a_time_and_of_one_name(disk: Path) -> None:
    whole = rows("groups", str(disk), "--group", "readers")
    assert len(whole) == 2 and {row["group"] for row in whole} == {"readers"}
    assert rows("groups", str(disk), "--at-time", "2026-01-01", status=1) == []  # the metadata does not go back so far
    assert "give a time" in run("groups", str(disk), "--at-offset", "1", status=2)[1]
    first = rows("groups", str(disk / "__consumer_offsets-1"), "--at-offset", "1000")
    assert {row["group"] for row in first} < {row["group"] for row in rows("groups", str(disk))} or first


def test_which_group_fills_the_topic(disk: Path) -> None:
    """All bytes of all keys and values are some group's, also where a key is of none."""
    partitions = [kformat.open(disk / f"__consumer_offsets-{number}") for number in (0, 1)]
    records = [one for partition in partitions for one in partition.records() if one.key is not None]
    listed = rows("groups", str(disk), "--by-size")
    assert sum(row["records_count"] for row in listed) == len(records)
    assert sum(row["size_bytes"] for row in listed) == sum(
        len(one.key or b"") + len(one.value or b"") for one in records
    )
    assert {row["group"] for row in listed} == {"readers", "once", "größe"}
    assert [row["size_bytes"] for row in listed] == sorted((row["size_bytes"] for row in listed), reverse=True)
    assert "--by-size does not go" in run("groups", str(disk), "--by-size", "--at-time", "2026-12-01", status=2)[1]


def test_offsets_that_a_broker_would_delete_are_marked(disk: Path) -> None:
    for minutes, expected in ((0, {True}), (10**9, {False})):
        listed = rows("groups", str(disk), "--retention-minutes", str(minutes))
        assert {row["is_expired"] for row in listed} == expected


def test_a_moment_that_the_cleaner_has_passed_is_said(disk: Path) -> None:
    (disk / "cleaner-offset-checkpoint").write_text("0\n2\n__consumer_offsets 0 5\n__consumer_offsets 1 5\n")
    text = run("groups", str(disk), "--at-time", "2026-11-28T11:33:07Z", status=1)[1]
    assert "the cleaner has passed the moment; the state is exact from 2026-11-28" in text
    rows("groups", str(disk), "--at-time", "2030-01-01")
    (disk / "cleaner-offset-checkpoint").write_text("0\n1\n__consumer_offsets 0 500\n")
    text = run("groups", str(disk), "--at-time", "2026-11-28T11:33:07Z", status=1)[1]
    assert "the state is exact from offset 500 on" in text
    run("groups", str(ROOT / "0.8.2.2"), "--at-time", "2026-01-01", status=2)


def test_no_groups_where_their_topic_is_not(disk: Path) -> None:
    assert "no ROOT has __consumer_offsets" in run("groups", str(disk / "plain-0"), status=2)[1]


def committed(**fields: int) -> Committed:
    return Committed(5, -1, "", fields.get("at", 0), fields.get("expires", -1), 0)


@pytest.mark.parametrize(
    ("group", "offset", "is_expired"),
    [
        (Group("g"), committed(), True),
        (Group("g"), committed(at=950), False),
        (Group("g"), committed(at=950, expires=1000), True),
        (Group("g"), committed(at=0, expires=1001), False),
        (Group("g", protocol_type="consumer", since=950), committed(), False),
        (Group("g", protocol_type="consumer", since=100), committed(at=990), True),
        (Group("g", protocol_type="consumer", members={"m": Member("m", "", "")}), committed(), False),
        (Group("g", CONSUMER), committed(), True),
        (Group("g", SHARE), committed(), False),
    ],
)
def test_when_an_offset_is_expired(group: Group, offset: Committed, is_expired: bool) -> None:
    """OffsetExpirationConditionImpl, at the time 1000 with a retention of 100."""
    assert group.is_expired(offset, 1000, 100) is is_expired


def member(epoch: int, *, is_stable: bool = True) -> Member:
    return Member("m", "", "", epoch=epoch, is_stable=is_stable)


@pytest.mark.parametrize(
    ("group", "state"),
    [
        (Group("g", CONSUMER), "Empty"),
        (Group("g", CONSUMER, epoch=2, target_epoch=1, members={"m": member(1)}), "Assigning"),
        (Group("g", CONSUMER, epoch=2, target_epoch=2, members={"m": member(1)}), "Reconciling"),
        (Group("g", CONSUMER, epoch=2, target_epoch=2, members={"m": member(2, is_stable=False)}), "Reconciling"),
        (Group("g", CONSUMER, epoch=2, target_epoch=2, members={"m": member(2)}), "Stable"),
        (Group("g", STREAMS, epoch=2, target_epoch=2, members={"m": member(2)}), "NotReady"),
        (Group("g", SHARE, members={"m": member(2)}), "Stable"),
        (Group("g", members={"m": member(2)}), "Stable"),
    ],
)
def test_the_state_of_a_group(group: Group, state: str) -> None:
    assert group.state == state


# --- in Python -------------------------------------------------------------------------------------------------------


def test_tables_of_a_root_are_what_the_verbs_print(disk: Path) -> None:
    pytest.importorskip("pyarrow")
    root = kformat.open_root(disk)
    for table, verb in ((root.topics(), "topics"), (root.groups(), "groups")):
        assert list(table) == rows(verb, str(disk)) and not table.problems
        arrow = table.to_arrow()
        assert arrow.column_names == list(table.columns) and arrow.num_rows == len(table)
        assert table[0]["topic"] in table._repr_html_() and f"{len(table)} rows" in repr(table)
    configs = {row["topic"]: dict(row["configs"] or ()) for row in root.topics().to_arrow().to_pylist()}
    assert configs == {row["topic"]: row["configs"] or {} for row in root.topics()}
    assert len(root.topics(at_offset=40)) < len(root.topics()) and len(root.groups(at_time=0)) == 0
    with pytest.raises(UsageError, match="do not go together"):
        root.topics(at_offset=1, at_time=1)


def test_what_tables_pass_over_is_kept_with_them(disk: Path) -> None:
    (disk / "plain-0" / "leader-epoch-checkpoint").write_text("0\n9\n")
    table = kformat.open_root(disk).groups()
    assert len(table) == 6 and ["leader-epoch-checkpoint" in str(problem) for problem in table.problems] == [True]


def columns(values: list[bytes]) -> Columns:
    return Columns([0] * len(values), [None] * len(values), values)


# --- cluster ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("release", KRAFT)
def test_cluster_of_a_sample(release: str) -> None:
    found = {(row["kind"], row["property"]): row["value"] for row in rows("cluster", str(ROOT / release))}
    assert found["directory", "cluster.id"] == "a2Zvcm1hdC1zYW1wbGVzMQ" and found["directory", "node.id"] == "1"
    assert found["quorum", "voters"] == "1" and found["quorum", "leader"] == "1"
    assert found["broker", "listener PLAINTEXT"].startswith("127.0.0.1:")
    assert int(found["feature", "level"]) > 0 and found["config", "cleanup.policy"] == "compact"
    assert list(kformat.open_root(ROOT / release).cluster()) == rows("cluster", str(ROOT / release))


def test_secrets_are_hidden_unless_they_are_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "__cluster_metadata-0"
    folder.mkdir()
    secrets = {
        "ssl.keystore.password": "pa55", "listener.name.x.sasl.jaas.config": "login pa55", "ssl.keystore.key": "pa55",
        "my.secret": "pa55",
    }  # fmt: skip
    values = [
        written("config_record", {"resourceType": 4, "resourceName": "", "name": name, "value": value})
        for name, value in {**secrets, "message.max.bytes": "1000"}.items()
    ]
    scram = {"name": "eve", "mechanism": 1, "salt": "cGE1NQ==", "storedKey": "cGE1NQ==", "serverKey": "cGE1NQ=="}
    values.append(written("user_scram_credential_record", scram | {"iterations": 4096}))
    (folder / f"{0:020}.log").write_bytes(build_batch(columns(values)))
    for more, count in (((), 0), (("--show-secrets",), len(secrets))):
        text = run("cluster", str(tmp_path), *more)[0]
        assert text.count("pa55") == count and "cGE1NQ" not in text and "SCRAM-SHA-256" in text and "1000" in text


def test_cluster_of_what_happens_lists_all_of_it(tmp_path: Path) -> None:
    """What Kafka's own image has too (test_image), by its kinds."""
    folder = tmp_path / "__cluster_metadata-0"
    folder.mkdir()
    happening = Happening("all", {"metadata.version": 20}, "4.4.0")
    values = [value for _, value in happening.records(400)]
    (folder / f"{0:020}.log").write_bytes(build_batch(columns(values)))
    image = cluster_image(open_partition(folder))
    listed = rows("cluster", str(tmp_path))
    counts = Counter(row["kind"] for row in listed)
    assert (
        counts["acl"] == len(image.acls) and counts["user"] == len(image.scram) and counts["token"] == len(image.tokens)
    )
    assert counts["config"] == sum(map(len, image.configs.values())) and counts["feature"] == len(image.features)
    assert counts["quota"] == sum(map(len, image.quotas.values()))
    assert {row["name"] for row in listed if row["kind"] == "broker"} == {str(number) for number in image.brokers}
    assert any(row["property"].startswith("allow read topic") for row in listed)


# --- disks that somebody hostile wrote, or that are odd ---------------------------------------------------------------


def logged(root: Path, *values: bytes, keys: list[bytes | None] | None = None) -> str:
    """A root whose metadata log has these records."""
    folder = root / "__cluster_metadata-0"
    folder.mkdir(parents=True)
    made = columns(list(values))
    (folder / f"{0:020}.log").write_bytes(build_batch(made if keys is None else made._replace(keys=keys)))
    return str(root)


def topic(name: str, number: int) -> bytes:
    return written("topic_record", {"name": name, "topicId": base64.b64encode(bytes([number]) * 16).decode()})


def removed(number: int) -> bytes:
    return written("remove_topic_record", {"topicId": base64.b64encode(bytes([number]) * 16).decode()})


def test_names_of_topics_are_escaped_on_standard_error_too(tmp_path: Path) -> None:
    error = run("topics", logged(tmp_path, topic("a\nb\x1b[31m", 1)))[1]
    assert error.count("\n") == 1 and "\x1b" not in error


def test_each_topic_that_was_deleted_has_a_row_and_one_without_partitions_too(tmp_path: Path) -> None:
    values = [topic("p", 1), removed(1), topic("p", 2), removed(2), topic("p", 3)]
    listed = rows("topics", logged(tmp_path, *values))
    assert [(row["topic"], row["state"]) for row in listed if row["topic"] == "p"] == [
        *[("p", "missing"), ("p", "deleted"), ("p", "deleted")],
    ]


def test_a_folder_of_another_topic_of_the_name_does_not_hide_the_replica(disk: Path, tmp_path: Path) -> None:
    older = tmp_path / "older"
    shutil.copytree(disk / "plain-0", older / "plain-0")
    (older / "plain-0" / "partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n")
    (older / "plain-0" / "leader-epoch-checkpoint").write_text("0\n1\n7 0\n")
    for roots in ((disk, older), (older, disk)):
        found = next(row for row in rows("topics", *map(str, roots)) if row["topic"] == "plain")
        assert (found["folder"], found["state"]) == (str(disk / "plain-0"), "present")


def test_records_with_keys_that_are_no_control_records_count(tmp_path: Path) -> None:
    root = logged(tmp_path, topic("p", 1), topic("q", 2), keys=[b"k", None])
    assert {row["topic"] for row in rows("topics", root)} >= {"p", "q"}


def test_a_retention_that_is_no_number_is_kafkas_default_and_quotas_are_whole(tmp_path: Path, disk: Path) -> None:
    config = {"resourceType": 4, "resourceName": "", "name": "offsets.retention.minutes", "value": "9" * 5000}
    quota = {"entity": [{"entityType": "user", "entityName": "x"}], "key": "rate", "value": 1234567.0, "remove": False}
    shutil.rmtree(disk / "__cluster_metadata-0")
    logged(disk, written("config_record", config), written("client_quota_record", quota))
    assert len(rows("groups", str(disk))) == 6
    assert next(row["value"] for row in rows("cluster", str(disk)) if row["kind"] == "quota") == "1234567"


def test_a_transaction_of_the_metadata_that_is_open_is_said(tmp_path: Path) -> None:
    root = logged(tmp_path, topic("p", 1), written("begin_transaction_record", {"name": None}), topic("q", 2))
    assert "1 records of a transaction that is open" in run("topics", root)[1]


def test_names_that_are_no_utf_8_come_to_arrow_with_a_replacement(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    shutil.copytree(ROOT / "4.4.0" / "plain-0", tmp_path / os.fsdecode(b"caf\xff-0"))
    assert kformat.open_root(tmp_path).topics().to_arrow()["topic"].to_pylist() == ["caf\ufffd"]
    with pytest.raises(UsageError, match="64 bits"):
        kformat.open_root(tmp_path).topics(at_time=2**70)


def test_members_of_topics_that_the_metadata_does_not_know_are_there(tmp_path: Path) -> None:
    folder, id = tmp_path / "__consumer_offsets-0", bytes(range(16))
    folder.mkdir()
    key = {"group_id": "g", "member_id": "m"}
    described = {"client_id": "c", "client_host": "/h", "subscribed_topic_names": [], "rebalance_timeout_ms": 1}
    pairs = [
        ("member_metadata", {"version": 0, **described, "instance_id": None, "rack_id": None,
                             "subscribed_topic_regex": None, "server_assignor": None, "classic_member_metadata": None}),
        ("current_member_assignment", {"version": 0, "member_epoch": 1, "previous_member_epoch": 0, "state": "stable",
                                       "assigned_partitions": [{"topic_id": id, "partitions": [0, 1]}],
                                       "partitions_pending_revocation": []}),
    ]  # fmt: skip
    keys = [kformat.build(f"consumer_group_{name}_key", key) for name, _ in pairs]
    values = [kformat.build(f"consumer_group_{name}_value", value) for name, value in pairs]
    (folder / f"{0:020}.log").write_bytes(build_batch(Columns([0, 0], keys, values)))
    listed = rows("groups", str(tmp_path))
    assert [(row["partition"], row["consumer_id"], row["host"]) for row in listed] == [(0, "m", "/h"), (1, "m", "/h")]
