"""Which records of the metadata a level allows: by our table, and by Kafka's MetadataVersion."""

from __future__ import annotations

import pytest

from kformat.kafka.messages.features import (
    ELIGIBLE_LEADER_REPLICAS,
    METADATA_VERSION,
    METADATA_VERSIONS,
    Level,
    least_level,
)
from kformat.kafka.messages.schemas import METADATA, schemas
from tests.judges import java_tools
from tests.judges.required import require

CHANGE = "BrokerRegistrationChangeRecord"
ALLOWS = {
    "isNoOpRecordSupported": [("NoOpRecord", 0)],
    "isBrokerRegistrationChangeRecordSupported": [(CHANGE, 0)],
    "isInControlledShutdownStateSupported": [(CHANGE, 1)],
    "isDirectoryAssignmentSupported": [(CHANGE, 2)],
    "isCordonedLogDirsSupported": [(CHANGE, 3)],
    "isMigrationSupported": [("ZkMigrationStateRecord", 0)],
    "isScramSupported": [("UserScramCredentialRecord", 0), ("RemoveUserScramCredentialRecord", 0)],
    "isMetadataTransactionSupported": [(f"{word}TransactionRecord", 0) for word in ("Begin", "End", "Abort")],
    "isDelegationTokenSupported": [("DelegationTokenRecord", 0), ("RemoveDelegationTokenRecord", 0)],
    "isControllerRegistrationSupported": [("RegisterControllerRecord", 0)],
    "isControllerUnregistrationSupported": [("UnregisterControllerRecord", 0)],
}
"""A question to a level -> the records, and their versions, that a controller writes where the answer is yes."""
VERSIONS = {
    "registerBrokerRecordVersion": "RegisterBrokerRecord",
    "registerControllerRecordVersion": "RegisterControllerRecord",
    "partitionRecordVersion": "PartitionRecord",
    "partitionChangeRecordVersion": "PartitionChangeRecord",
}
"""A question to a level -> the record of which it says the version that a controller writes."""


def is_allowed(level: Level, record: str, version: int) -> bool:
    needed = least_level(record, version)
    return needed is None or (needed.feature == level.feature and needed.level <= level.level)


@pytest.mark.judge
@pytest.mark.parametrize(("release", "least", "newest"), [("4.4.0", 25, 33), ("3.9.2", 20, 21)])
def test_levels_allow_what_they_allow_in_kafka(release: str, least: int, newest: int) -> None:
    require(release)
    done = java_tools.java(release, "FeatureLevels", [])
    assert done.returncode == 0, done.stderr.decode()
    lines, asked, levels, replicas = done.stdout.decode().splitlines(), set[str](), set[int](), set[int]()
    for line in lines:
        feature, number, name, *answers = line.split()
        level = Level(feature, int(number))
        if feature == METADATA_VERSION:
            assert METADATA_VERSIONS[level.level] == name
            levels.add(level.level)
        else:  # FeatureControlManager.isElrFeatureEnabled
            assert is_allowed(level, "ClearElrRecord", 0) == (level.level > 0)
            replicas.add(level.level)
        for question, _, answer in (one.partition("=") for one in answers):
            for record, version in ALLOWS.get(question, ()):
                assert is_allowed(level, record, version) == (answer == "true"), (line, record, version)
            if question in VERSIONS and answer != "none":
                record = VERSIONS[question]
                assert is_allowed(level, record, int(answer)), (line, record)
                assert not is_allowed(level, record, int(answer) + 1) or int(answer) == newest_version(record)
            asked.add(question)
    assert len(levels) >= least and max(levels) == newest
    assert asked >= VERSIONS.keys() and replicas == ({0, 1} if release >= "4." else set())


def newest_version(record: str) -> int:
    return max(max(it.versions) for it in schemas().values() if it.kind == METADATA and it.name == record)


def test_the_table_names_records_and_versions_that_there_are_and_all_that_came_later() -> None:
    """What came with a version after the first needs a level; so does what came after Kafka 3.0."""
    known = {it.name: it for it in schemas().values() if it.kind == METADATA and it.key is not None}
    named = {record for records in ALLOWS.values() for record, _ in records} | {*VERSIONS.values(), "ClearElrRecord"}
    assert named <= known.keys()
    later = {name for name, it in known.items() if max(it.versions) > 0}
    assert later <= named
    for name in named:
        needed = [least_level(name, version) for version in known[name].versions]
        levels = [0 if level is None else level.level for level in needed]
        assert levels == sorted(set(levels)), (name, levels)


def test_a_level_has_kafkas_name_where_it_has_one() -> None:
    assert str(Level(METADATA_VERSION, 17)) == "metadata.version 17 (3.7-IV2)"
    assert str(Level(METADATA_VERSION, 999)) == "metadata.version 999"
    assert str(Level(ELIGIBLE_LEADER_REPLICAS, 1)) == "eligible.leader.replicas.version 1"
