"""The text files beside the logs: what brokers wrote comes back to the byte, and damage is named with its place.

What Kafka's own classes accept and refuse: test_text_files_judge.py.
"""

from __future__ import annotations

import json
import pickle
import shutil
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given
from hypothesis import strategies as st

import kformat
from kformat.cli import main
from kformat.errors import BuildError, DataError, InvalidError, LimitError, TruncatedError, UsageError
from kformat.kafka.files import text_files
from kformat.kafka.files.file_kinds import describe_file
from kformat.kafka.files.text_files import (
    CleanShutdown,
    EpochEntry,
    LeaderEpochs,
    MetaProperties,
    PartitionMetadata,
    QuorumState,
    Sidecar,
    TopicOffset,
    TopicOffsets,
)
from tests.judges import releases
from tests.samples import ROOT

NAMES = {
    "leader-epoch-checkpoint": LeaderEpochs,
    "partition.metadata": PartitionMetadata,
    "quorum-state": QuorumState,
    "recovery-point-offset-checkpoint": TopicOffsets,
    "replication-offset-checkpoint": TopicOffsets,
    "log-start-offset-checkpoint": TopicOffsets,
    "cleaner-offset-checkpoint": TopicOffsets,
    "meta.properties": MetaProperties,
    ".kafka_cleanshutdown": CleanShutdown,
}
ID = "XHt_wsNXSBqSXrXbaCUUEw"
VOTED = '{"leaderId":-1,"leaderEpoch":2,"votedId":1,"votedDirectoryId":"J8aAPcfLQt2bqs1JT_rMgQ","data_version":1}'
LED = (
    '{"clusterId":"","leaderId":1,"leaderEpoch":1,"votedId":-1,"appliedOffset":0,'
    '"currentVoters":[{"voterId":1}],"data_version":0}'
)


def samples() -> list[Path]:
    return sorted(path for path in ROOT.glob("[0-9]*/**/*") if path.name in NAMES and path.is_file())


# What brokers wrote


def test_every_file_of_every_broker_comes_back_to_the_byte() -> None:
    seen = set()
    for path in samples():
        data = path.read_bytes()
        value = text_files.parse_sidecar(path.name, data, source=str(path))
        assert type(value) is NAMES[path.name]
        assert text_files.build_sidecar(path.name, value) == data, path
        assert text_files.read_sidecar(path) == value
        # A root is named after its broker's version, and after a hyphen what else it is a sample of.
        seen.add((path.relative_to(ROOT).parts[0].partition("-")[0], describe_file(path.name)[0]))
    brokers = {version for version, _ in seen}
    assert brokers == {*releases.SAMPLES}
    assert {kind for version, kind in seen if version == "4.3.1"} == {describe_file(name)[0] for name in NAMES}
    assert {version for version, kind in seen if kind == "offset_checkpoint"} == brokers


def test_what_a_current_broker_wrote() -> None:
    root = ROOT / "4.3.1"
    assert text_files.read_sidecar(root / "meta.properties") == MetaProperties(
        (("node.id", "1"), ("directory.id", "QVcv6Ik98g2JT-_uFEIQUQ"), ("version", "1"),
         ("cluster.id", "a2Zvcm1hdC1zYW1wbGVzMQ")),
        ("#", "#Sat Nov 21 05:33:38 UTC 2026"),
    )  # fmt: skip
    metadata = root / "__cluster_metadata-0"
    assert text_files.read_sidecar(metadata / "partition.metadata") == PartitionMetadata("A" * 21 + "Q")
    assert text_files.read_sidecar(metadata / "quorum-state") == QuorumState(
        1, 1, -1, cluster_id="", applied_offset=0, current_voters=(1,)
    )
    cleaner = text_files.read_sidecar(root / "cleaner-offset-checkpoint")
    assert isinstance(cleaner, TopicOffsets)
    assert cleaner.as_dict() == {("compacted", 0): 102, ("compacted-transactions", 0): 45}
    assert text_files.read_sidecar(root / "recovered-0" / "leader-epoch-checkpoint") == LeaderEpochs(
        tuple(EpochEntry(*entry) for entry in _pairs(root / "recovered-0" / "leader-epoch-checkpoint"))
    )


def _pairs(path: Path) -> list[tuple[int, ...]]:
    return [tuple(map(int, line.split())) for line in path.read_text().splitlines()[2:]]


def test_meta_properties_of_every_generation() -> None:
    found = {
        path.parent.name.partition("-")[0]: text_files.read_sidecar(path) for path in ROOT.glob("*/meta.properties")
    }
    told = {
        version: (value.version, value.node_id, value.cluster_id is not None, value.directory_id is not None)
        for version, value in found.items()
        if isinstance(value, MetaProperties)
    }
    assert told == {
        "0.9.0.1": (0, 1, False, False),
        "0.10.2.2": (0, 1, False, False),
        "1.1.1": (0, 1, False, False),
        "2.8.2": (0, 1, True, False),
        "3.9.2": (1, 1, True, True),
        "4.3.1": (1, 1, True, True),
        "4.4.0": (1, 1, True, True),
    }


# Examples from Kafka's own sources and classes

VECTORS: list[tuple[str, bytes, Sidecar]] = [
    (
        "replication-offset-checkpoint",
        b"0\n2\na 0 5\nb 1 6\n",
        TopicOffsets((TopicOffset("a", 0, 5), TopicOffset("b", 1, 6))),
    ),
    ("log-start-offset-checkpoint", b"", TopicOffsets((), None)),
    ("leader-epoch-checkpoint", b"0\n2\n0 0\n3 560\n", LeaderEpochs((EpochEntry(0, 0), EpochEntry(3, 560)))),
    ("leader-epoch-checkpoint", b"0\n1\n-1 -1\n", LeaderEpochs((EpochEntry(-1, -1),))),
    (
        "partition.metadata",
        b"version: 0\ntopic_id: AAAAAAAAAAEAAAAAAAAAAg",
        PartitionMetadata("AAAAAAAAAAEAAAAAAAAAAg"),
    ),
    (".kafka_cleanshutdown", b'{"version":0,"brokerEpoch":5}', CleanShutdown(5, 0)),
    (".kafka_cleanshutdown", b"", CleanShutdown()),
    (".kafka_cleanshutdown", b'{"version":0,"brokerEpoch":5,"x":[1.5,null]}', CleanShutdown(5, 0, {"x": [1.5, None]})),
    ("quorum-state", VOTED.encode(), QuorumState(-1, 2, 1, 1, voted_directory_id="J8aAPcfLQt2bqs1JT_rMgQ")),
    ("quorum-state", LED.encode(), QuorumState(1, 1, -1, 0, "", 0, (1,))),
    ("meta.properties", b"", MetaProperties(())),
    ("meta.properties", b"#\nversion=0\nbroker.id=7\n", MetaProperties((("version", "0"), ("broker.id", "7")), ("#",))),
    (
        "meta.properties",
        b"a\\ \\=\\:\\#=\\ b\\\\\\n\xe9\\u263A\\uD83D\\uDE00\n",
        MetaProperties((("a =:#", " b\\\n\u00e9\u263a\U0001f600"),)),
    ),
]


@pytest.mark.parametrize(("name", "data", "value"), VECTORS)
def test_vectors(name: str, data: bytes, value: Sidecar) -> None:
    assert text_files.parse_sidecar(name, data) == value
    assert text_files.build_sidecar(name, value) == data
    assert pickle.loads(pickle.dumps(value)) == value


@pytest.mark.parametrize(
    ("data", "properties", "comments"),
    [
        (b"broker.id : 1\r\n! old\rx y", {"broker.id": "1", "x": "y"}, ("! old",)),
        (b"  cluster.id=a\\\n   b\n", {"cluster.id": "ab"}, ()),
        (b"a\\\n#no comment\n", {"a#no": "comment"}, ()),
        (b"\\\n# a comment\nx\n", {"x": ""}, ("# a comment",)),
        (b"#x\\\ny=z", {"y": "z"}, ("#x\\",)),
        (b"a==b\nc = :d", {"a": "=b", "c": ":d"}, ()),
        (b"\\u0061\\b=\\t\\q", {"ab": "\tq"}, ()),
        (b"version=0\nversion=1\nnode.id=1\ncluster.id=", {"version": "1", "node.id": "1", "cluster.id": ""}, ()),
        (b"\\", {"": ""}, ()),
        (b"broker.id=+0001\nnew=1\nversion= 0 ", {"broker.id": "+0001", "new": "1", "version": "0 "}, ()),
    ],
)
def test_java_properties(data: bytes, properties: dict[str, str], comments: tuple[str, ...]) -> None:
    found = text_files.parse_meta_properties(data)
    assert dict(found.properties) == properties
    assert found.comments == comments
    assert text_files.parse_meta_properties(text_files.build_meta_properties(found)) == found


def test_properties_that_kafka_does_not_know_are_kept() -> None:
    found = text_files.parse_meta_properties(b"rack=a\nversion=1\ncluster.id=c\nnode.id=3\nbroker.id=3\n")
    assert (found.version, found.node_id, found.cluster_id, found.directory_id) == (1, 3, "c", None)
    assert found.others == {"rack": "a", "broker.id": "3"}


# Damage

ERRORS = [
    (
        "cleaner-offset-checkpoint",
        b"0\n1\nx x 5\n",
        "Invalid x:6 offset_checkpoint.entries[0].partition: "
        "not a valid number here, line 3 (expected an int32, found 'x')",
    ),
    (
        "leader-epoch-checkpoint",
        b"0\n2\n0 0\n1",
        "Truncated x:9 leader_epoch_checkpoint.entries[1]: the file ends here (expected 2 columns, found 1)",
    ),
    (
        "leader-epoch-checkpoint",
        b"0\n2\n0 0\n",
        "Truncated x:8 leader_epoch_checkpoint.entries[1]: the file ends here (expected 2 entries, found 1)",
    ),
    (
        "leader-epoch-checkpoint",
        b"0\n1\n0 0\n1 5\n",
        "Invalid x:8 leader_epoch_checkpoint.entries[1]: "
        "more entries than the file says, line 4 (expected 1 entries, found '1 5')",
    ),
    (
        "leader-epoch-checkpoint",
        b"0\r\n1\r\n7  \t0x5\r\n",
        "Invalid x:10 leader_epoch_checkpoint.entries[0].start_offset: "
        "not a valid number here, line 3 (expected an int64, found '0x5')",
    ),
    (
        "leader-epoch-checkpoint",
        b"1\n0\n",
        "Invalid x:0 leader_epoch_checkpoint.version: a version unknown to Kafka, line 1 (expected 0, found 1)",
    ),
    (
        "leader-epoch-checkpoint",
        b"0\n-1\n",
        "Invalid x:2 leader_epoch_checkpoint.entries_count: "
        "not a valid number here, line 2 (expected 0 or more, an int32, found '-1')",
    ),
    (
        "cleaner-offset-checkpoint",
        b"0\n1\n5 5 5555555555555555555555\n",
        "Invalid x:8 offset_checkpoint.entries[0].offset: "
        "not a valid number here, line 3 (expected an int64, found '5555555555555555555555')",
    ),
    (
        "cleaner-offset-checkpoint",
        b"0\n1\n\xc3\xa9x x 5\n",
        "Invalid x:8 offset_checkpoint.entries[0].partition: "
        "not a valid number here, line 3 (expected an int32, found 'x')",
    ),
    (
        "cleaner-offset-checkpoint",
        b"0\n1\n\xff 0 5\n",
        "Invalid x:4 offset_checkpoint: bytes that are not UTF-8, line 3 (expected UTF-8, found 0xff)",
    ),
    (
        "cleaner-offset-checkpoint",
        b"0\n1\na 0 5\n\n",
        "Invalid x:10 offset_checkpoint.entries[1]: "
        "more entries than the file says, line 4 (expected 1 entries, found '')",
    ),
    (
        "cleaner-offset-checkpoint",
        b"0\n2147483647\n",
        "Truncated x:13 offset_checkpoint.entries[0]: the file ends here (expected 2147483647 entries, found 0)",
    ),
    (
        "partition.metadata",
        b"version: 0\ntopic_id: XHt_",
        "Truncated x:25 partition_metadata.topic_id: the file ends here (expected 22 characters, found 4)",
    ),
    (
        "partition.metadata",
        b"version: 0\n",
        "Truncated x:11 partition_metadata.topic_id: the file ends here (expected topic_id: ...)",
    ),
    (
        "partition.metadata",
        b"version: 0\ntopic_id: " + b"A" * 22,
        "Invalid x:21 partition_metadata.topic_id: "
        "not a topic's id, line 2 (expected base64 of 16 bytes, not all 0, found 'AAAAAAAAAAAAAAAAAAAAAA')",
    ),
    (
        "partition.metadata",
        b"version: -1\ntopic_id: x",
        "Invalid x:9 partition_metadata.version: "
        "not a valid number here, line 1 (expected 0 or more, an int32, found '-1')",
    ),
    (
        "meta.properties",
        b"#\nversion=2\n",
        "Invalid x:2 meta_properties.version: a version unknown to Kafka, line 2 (expected 0 or 1, found '2')",
    ),
    (
        "meta.properties",
        b"version=1\ncluster.id=a\n",
        "Truncated x:23 meta_properties.node.id: the file ends here (expected node.id)",
    ),
    (
        "meta.properties",
        b"a=b\nbroker.id=1x\n",
        "Invalid x:4 meta_properties.broker.id: not a node's id, line 2 (expected an int32, found '1x')",
    ),
    (
        "meta.properties",
        b"a=\\u00g0\n",
        "Invalid x:0 meta_properties: a malformed escape, line 1 (expected \\uXXXX, found '\\\\u00g0')",
    ),
    (
        ".kafka_cleanshutdown",
        b'{"version":0,"brok',
        "Truncated x:18 clean_shutdown: the file ends here (expected the rest of the JSON)",
    ),
    (
        ".kafka_cleanshutdown",
        b'{"version":0}',
        "Invalid x:0 clean_shutdown.brokerEpoch: "
        "a field that is missing or wrong, line 1 (expected an int64, found nothing)",
    ),
    (
        ".kafka_cleanshutdown",
        b"[" * 100_000,
        "Invalid x:0 clean_shutdown: JSON that cannot be read: ",
    ),
    (
        ".kafka_cleanshutdown",
        b'{"brokerEpoch":' + b"9" * 5000 + b"}",
        "Invalid x:0 clean_shutdown: JSON that cannot be read: ",
    ),
    (
        ".kafka_cleanshutdown",
        b'{"brokerEpoch":1e999}',
        "Invalid x:0 clean_shutdown: JSON that cannot be read: a number beyond a double, line 1",
    ),
    (
        "quorum-state",
        b"",
        "Truncated x:0 quorum_state: the file ends here (expected a line of JSON)",
    ),
    (
        "quorum-state",
        LED.replace('"leaderId":1', '"leaderId":true').encode(),
        "Invalid x:16 quorum_state.leaderId: "
        "a field that is missing or wrong, line 1 (expected an int32, found 'true')",
    ),
    (
        "quorum-state",
        LED.encode() + b"\nx",
        "Invalid x:126 quorum_state: a line too many, line 2 (expected the end of the file, found 'x')",
    ),
]


@pytest.mark.parametrize(("name", "data", "expected"), ERRORS)
def test_errors(name: str, data: bytes, expected: str) -> None:
    with pytest.raises((TruncatedError, InvalidError)) as caught:
        text_files.parse_sidecar(name, data, source="x")
    assert f"{type(caught.value).__name__.removesuffix('Error')} {caught.value}".startswith(expected)
    assert expected.endswith(": ") or len(str(caught.value)) == len(expected.partition(" ")[2])


def test_cut_anywhere_it_is_an_error_or_says_less() -> None:
    """No cut makes a different number or name of what a broker wrote; Kafka takes the last lines of some for whole."""
    for name, data, value in VECTORS:
        for size in range(len(data)):
            try:
                found = text_files.parse_sidecar(name, data[:size])
            except (TruncatedError, InvalidError) as error:
                assert error.position is not None and error.position <= size
            else:
                assert found != value or data[size:] in (b"\n", b"")


def test_more_bytes_than_the_limit(tmp_path: Path) -> None:
    data = b"0\n1\na 0 5\n"
    for name in NAMES:
        with pytest.raises(LimitError, match=r"expected 9 bytes, found 10"):
            text_files.parse_sidecar(name, data, limit_bytes=9)
    path = tmp_path / "meta.properties"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    tracemalloc.start()
    with pytest.raises(LimitError):
        text_files.read_sidecar(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_other_names_and_other_values() -> None:
    for name in ("00000000000000000000.log", "leader-epoch-checkpoint.tmp", ".lock", ""):
        assert not text_files.is_sidecar(name)
        with pytest.raises(UsageError, match="not the name of a file that"):
            text_files.parse_sidecar(name, b"")
    assert text_files.is_sidecar("data/meta.properties")
    with pytest.raises(UsageError, match="holds a TopicOffsets, not a LeaderEpochs"):
        text_files.build_sidecar("recovery-point-offset-checkpoint", LeaderEpochs(()))


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (LeaderEpochs((EpochEntry(0, 0), EpochEntry(2**31, 0))), "leader_epoch_checkpoint.entries[1].epoch"),
        (LeaderEpochs((EpochEntry(0, 0),), None), "leader_epoch_checkpoint.version"),
        (LeaderEpochs((), 1), "leader_epoch_checkpoint.version"),
        (TopicOffsets((TopicOffset("a b", 0, 0),)), "offset_checkpoint.entries[0].topic"),
        (TopicOffsets((TopicOffset("\udcff", 0, 0),)), "offset_checkpoint.entries[0].topic"),
        (TopicOffsets((TopicOffset("a", 0, 2**63),)), "offset_checkpoint.entries[0].offset"),
        (PartitionMetadata("A" * 22), "partition_metadata.topic_id"),
        (PartitionMetadata(ID, -1), "partition_metadata.version"),
        (MetaProperties((("version", "1"),)), "meta_properties.node.id"),
        (MetaProperties((), ("no comment",)), "meta_properties.comments"),
        (CleanShutdown(None, 0), "clean_shutdown.broker_epoch"),
        (CleanShutdown(5, 0, {"x": float("nan")}), "clean_shutdown"),
        (CleanShutdown(2**63), "clean_shutdown.broker_epoch"),
        (QuorumState(1, 1, 1), "quorum_state"),
        (QuorumState(1, 1, 1, 1), "quorum_state.votedDirectoryId"),
        (QuorumState(1, 1, 1, 2), "quorum_state.data_version"),
        (QuorumState(1, 1, 2**31, 1), "quorum_state.votedId"),
    ],
)
def test_what_cannot_be_built(value: Sidecar, path: str) -> None:
    name = next(name for name, kind in NAMES.items() if kind is type(value))
    with pytest.raises(BuildError) as caught:
        text_files.build_sidecar(name, value)
    assert caught.value.path == path


# Any bytes

PIECES = [
    b"0", b"1", b"2", b"-1", b"+5", b"007", b"2147483648", b"9223372036854775807", b" ", b"\t", b"\n", b"\r", b"\r\n",
    b"a", b"topic", b"\xff", b"\xc3\xa9", b"\xe2\x80\xa8", b"\xd9\xa1", b"\x00", b"\x1c", b"version: ", b"topic_id: ",
    ID.encode(), b"A" * 22, b"==", b"version=", b"node.id=", b"cluster.id=", b"broker.id:", b"directory.id ", b"#",
    b"!", b"\\", b"\\u", b"\\u00e9", b"\\ud83d", b"=", b":", b"{", b"}", b"[", b"]", b",", b'"', b'"x":', b'"version":',
    b'"brokerEpoch":', b"null", b"true", b"1e5", b"1e999", b"NaN", b'"\\ud800"', LED.encode(), VOTED.encode(),
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join)
CHECKPOINTS = st.lists(TEXTS.map(lambda text: text.replace(b"\n", b" ")), max_size=4).map(
    lambda lines: b"".join(line + b"\n" for line in (b"0", b"%d" % len(lines), *lines))
)
FILES = [path for path in samples() if path.stat().st_size < 1000]


@given(st.sampled_from(sorted(NAMES)), TEXTS | CHECKPOINTS | st.binary(max_size=60))
@example("meta.properties", b"\\ud83d\\ude00=\\ud800\n")
@example("meta.properties", b"node.id=" + b"0" * 5000 + b"1\nversion=1\ncluster.id=x\n")
@example(".kafka_cleanshutdown", b'{"brokerEpoch":1,"x":"\\ud800\xc3\xa9"}')
def test_any_bytes_are_refused_with_a_reason_or_can_be_built_again(name: str, data: bytes) -> None:
    check_any(name, data)


@given(st.sampled_from(FILES), st.data())
def test_any_damage_to_a_brokers_file(path: Path, draw: st.DataObject) -> None:
    data = path.read_bytes()
    start = draw.draw(st.integers(0, len(data)))
    end = draw.draw(st.integers(start, min(start + 8, len(data))))
    check_any(path.name, data[:start] + draw.draw(st.sampled_from([b"", *PIECES])) + data[end:])


def check_any(name: str, data: bytes) -> None:
    try:
        value = text_files.parse_sidecar(name, data, source="x")
    except DataError as error:
        assert error.source == "x" and error.position is not None and 0 <= error.position <= len(data)
        assert error.path.startswith(describe_file(name)[0])
        return
    again: Any = text_files.parse_sidecar(name, text_files.build_sidecar(name, value))
    assert again == value
    assert all("\n" not in line for line in text_files.text_lines(name, value))
    assert "\n" not in text_files.summary(value)
    for item in text_files.objects(name, value):
        assert item["kind"].startswith(describe_file(name)[0])
    if isinstance(value, MetaProperties):
        assert value.version in (0, 1) and value.version == again.version


# What they say


@pytest.mark.parametrize(
    ("name", "data", "lines", "first", "summary"),
    [
        (
            "leader-epoch-checkpoint",
            b"0\n2\n0 0\n3 560\n",
            ["epoch: 0 startOffset: 0", "epoch: 3 startOffset: 560"],
            {"kind": "leader_epoch_checkpoint_entry", "epoch": 0, "start_offset": 0},
            "0 from 0, 3 from 560",
        ),
        (
            "cleaner-offset-checkpoint",
            b"0\n1\na 0 5\n",
            ["topic: a partition: 0 offset: 5"],
            {"kind": "offset_checkpoint_entry", "topic": "a", "partition": 0, "offset": 5},
            "1 partition",
        ),
        (
            "partition.metadata",
            f"version: 0\ntopic_id: {ID}".encode(),
            [f"version: 0 topicId: {ID}"],
            {"kind": "partition_metadata", "version": 0, "topic_id": ID},
            ID,
        ),
        (
            "meta.properties",
            b"#x\nnode.id=1\nversion=1\ncluster.id=a\\nb\n",
            ["node.id: 1", "version: 1", "cluster.id: a\\nb"],
            {
                "kind": "meta_properties",
                "version": 1,
                "cluster_id": "a\nb",
                "node_id": 1,
                "directory_id": None,
                "others": {},
                "comments": ["#x"],
            },
            "cluster a\\nb, node 1",
        ),
        (
            ".kafka_cleanshutdown",
            b"",
            [],
            {"kind": "clean_shutdown", "version": None, "broker_epoch": None, "others": {}},
            "",
        ),
        (
            ".kafka_cleanshutdown",
            b'{"brokerEpoch":5,"x":"y"}',
            ['version: 0 brokerEpoch: 5 x: "y"'],
            {"kind": "clean_shutdown", "version": 0, "broker_epoch": 5, "others": {"x": "y"}},
            "broker epoch 5",
        ),
        (
            "quorum-state",
            LED.encode(),
            ["clusterId:  leaderId: 1 leaderEpoch: 1 votedId: -1 appliedOffset: 0 currentVoters: [1] data_version: 0"],
            {
                "kind": "quorum_state",
                "data_version": 0,
                "leader_id": 1,
                "leader_epoch": 1,
                "voted_id": -1,
                "voted_directory_id": None,
                "cluster_id": "",
                "applied_offset": 0,
                "current_voters": [1],
                "others": {},
            },
            "leader 1, epoch 1, voted for -1",
        ),
        (
            "quorum-state",
            VOTED.encode(),
            ["leaderId: -1 leaderEpoch: 2 votedId: 1 votedDirectoryId: J8aAPcfLQt2bqs1JT_rMgQ data_version: 1"],
            {
                "kind": "quorum_state",
                "data_version": 1,
                "leader_id": -1,
                "leader_epoch": 2,
                "voted_id": 1,
                "voted_directory_id": "J8aAPcfLQt2bqs1JT_rMgQ",
                "cluster_id": None,
                "applied_offset": None,
                "current_voters": None,
                "others": {},
            },
            "leader -1, epoch 2, voted for 1",
        ),
    ],
)
def test_what_they_say(name: str, data: bytes, lines: list[str], first: dict[str, Any], summary: str) -> None:
    value = text_files.parse_sidecar(name, data)
    assert list(text_files.text_lines(name, value)) == lines
    assert next(text_files.objects(name, value)) == first
    assert text_files.summary(value) == summary


def test_a_long_history_of_epochs_is_summarised() -> None:
    epochs = LeaderEpochs(tuple(EpochEntry(number, 10 * number) for number in range(40)))
    assert text_files.summary(epochs) == "0 from 0, 1 from 10, 2 from 20, 3 from 30, ... (40)"


# Partitions, ls and find


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root as a broker of 4.3.1 left it: one partition, whose log starts at 205, and the checkpoints of all."""
    source = ROOT / "4.3.1"
    shutil.copytree(source / "rolled-by-bytes-0", tmp_path / "rolled-by-bytes-0")
    for path in source.iterdir():
        if path.name in NAMES:
            shutil.copy(path, tmp_path)
    (tmp_path / "log-start-offset-checkpoint").write_bytes(b"0\n1\nrolled-by-bytes 0 205\n")
    return tmp_path


def kformat_(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_a_partition_says_what_its_files_and_the_roots_say(root: Path) -> None:
    folder = root / "rolled-by-bytes-0"
    topic_id = (folder / "partition.metadata").read_text()[-22:]
    for path in (folder, folder / "00000000000000000200.log"):
        partition = kformat.open(path)
        assert partition.topic_id == topic_id
        assert partition.leader_epochs == (EpochEntry(0, 0),)
        assert (partition.log_start_offset, partition.high_watermark, partition.recovery_point) == (205, 560, 560)
    (root / "log-start-offset-checkpoint").write_bytes(b"0\n1\n")
    with pytest.raises(TruncatedError):
        _ = partition.log_start_offset
    for name in ("partition.metadata", "leader-epoch-checkpoint", *(path.name for path in root.glob("*-checkpoint"))):
        (folder / name).unlink(missing_ok=True)
        (root / name).unlink(missing_ok=True)
    partition = kformat.open(folder)
    assert (partition.topic_id, partition.leader_epochs) == (None, ())
    assert (partition.log_start_offset, partition.high_watermark, partition.recovery_point) == (None, None, None)


def test_folders_on_their_way_have_only_the_checkpoints_that_are_theirs(root: Path) -> None:
    hexadecimal = "0" * 32
    for state, expected in (("future", 205), ("delete", None), ("stray", None)):
        folder = root / f"rolled-by-bytes-0.{hexadecimal}-{state}"
        shutil.copytree(root / "rolled-by-bytes-0", folder)
        assert kformat.open(folder).log_start_offset == expected
        assert kformat.open(folder).topic_id
    shutil.rmtree(root / "rolled-by-bytes-0")
    rows = json.loads(kformat_("ls", root, "-a", "--format", "json").stdout)
    assert {row["partition"] for row in rows if row["kind"] == "segment"} == {
        f"rolled-by-bytes-0.{hexadecimal}-{state}" for state in ("delete", "future", "stray")
    }


def test_ls_of_a_root(root: Path) -> None:
    rows = json.loads(kformat_("ls", root, "-a", "--format", "json").stdout)
    own = {row["file"]: row for row in rows if row["partition"] is None}
    assert set(own) == {name for name in NAMES if (root / name).exists()}
    assert own["meta.properties"]["content"][0]["node_id"] == 1
    assert own["log-start-offset-checkpoint"]["content"] == [
        {"kind": "offset_checkpoint_entry", "topic": "rolled-by-bytes", "partition": 0, "offset": 205}
    ]
    rest = [row for row in rows if row["partition"] is not None]
    assert {(row["log_start_offset"], row["high_watermark"], row["recovery_point"]) for row in rest} == {
        (205, 560, 560)
    }
    assert all(row["topic_id"] and row["leader_epochs"] == [[0, 0]] for row in rest)
    table = kformat_("ls", root, "-a").stdout
    assert "leader epochs and their start offsets: 0 from 0\n" in table
    broker_epoch = json.loads((root / ".kafka_cleanshutdown").read_text())["brokerEpoch"]
    assert f"marker of a clean shutdown: broker epoch {broker_epoch}\n" in table
    short = kformat_("ls", root).stdout
    assert len(short.splitlines()) == 4 and "epoch" not in short
    assert len(kformat_("ls", root, "--format", "csv").stdout.splitlines()) == 4


def test_a_damaged_file_is_complained_of_once_and_the_rest_is_listed(root: Path) -> None:
    (root / "replication-offset-checkpoint").write_bytes(b"0\n2\na 0 5\n")
    shutil.copytree(root / "rolled-by-bytes-0", root / "copied-0")
    done = kformat_("ls", root, "--format", "json")
    assert done.exit_code == 1 and done.stderr.count("offset_checkpoint.entries[1]: the file ends here") == 1
    rows = json.loads(done.stdout)
    assert [row["high_watermark"] for row in rows] == [None] * 6
    assert [row["recovery_point"] for row in rows] == [None] * 3 + [560] * 3


def test_find_begins_where_the_checkpoint_says_that_the_log_begins(root: Path) -> None:
    folder = root / "rolled-by-bytes-0"
    done = kformat_("find", folder, "--offset", 204, "--explain")
    assert done.exit_code == 1 and done.stdout.startswith(
        "log-start-offset-checkpoint of the root: the log starts at offset 205\n"
    )
    assert kformat_("find", folder, "--offset", 205).stdout.startswith("offset 205 ")
    assert kformat_("find", folder, "--timestamp", "earliest").stdout.startswith("offset 205 ")
    done = kformat_("find", folder, "--offset", 204, "--log-start-offset", 0, "--explain")
    assert done.exit_code == 0 and "checkpoint" not in done.stdout
    steps = json.loads(kformat_("find", folder, "--offset", 300, "--explain", "--format", "json").stdout)["steps"]
    assert steps[0] == {"kind": "log_start_offset", "file": "log-start-offset-checkpoint", "offset": 205}
    (root / "log-start-offset-checkpoint").write_bytes(b"1\n")
    done = kformat_("find", folder, "--offset", 0)
    assert done.exit_code == 1 and done.stdout.startswith("offset 0 ") and "unknown to Kafka" in done.stderr
