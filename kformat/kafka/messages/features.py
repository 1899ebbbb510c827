"""Levels of a cluster's features, and the records of its metadata that they allow.

A controller writes a record only in a version that the cluster's `metadata.version` allows, because older brokers must
be able to read it (``org.apache.kafka.server.common.MetadataVersion``). What is not in the tables here every level
allows.
"""

from __future__ import annotations

from typing import Final, NamedTuple

METADATA_VERSION: Final = "metadata.version"
ELIGIBLE_LEADER_REPLICAS: Final = "eligible.leader.replicas.version"

_NAMES: Final = (
    *("3.0-IV1", "3.1-IV0", "3.2-IV0", "3.3-IV0", "3.3-IV1", "3.3-IV2", "3.3-IV3", "3.4-IV0", "3.5-IV0", "3.5-IV1"),
    *("3.5-IV2", "3.6-IV0", "3.6-IV1", "3.6-IV2", "3.7-IV0", "3.7-IV1", "3.7-IV2", "3.7-IV3", "3.7-IV4", "3.8-IV0"),
    *("3.9-IV0", "4.0-IV0", "4.0-IV1", "4.0-IV2", "4.0-IV3", "4.1-IV0", "4.1-IV1", "4.2-IV0", "4.2-IV1", "4.3-IV0"),
    *("4.4-IV0", "4.4-IV1", "4.4-IV2"),
)
METADATA_VERSIONS: Final = dict(enumerate(_NAMES, 1))
"""Levels of `metadata.version` -> their names in Kafka's releases."""


class Level(NamedTuple):
    """A level of a feature."""

    feature: str
    level: int

    @property
    def words(self) -> str:
        """The level, with its name where it has one."""
        name = METADATA_VERSIONS.get(self.level) if self.feature == METADATA_VERSION else None
        return f"{self.level} ({name})" if name else str(self.level)

    def __str__(self) -> str:
        return f"{self.feature} {self.words}"


_LEAST_LEVELS: Final[dict[str, tuple[int, ...]]] = {
    "NoOpRecord": (5,),
    "BrokerRegistrationChangeRecord": (6, 7, 17, 30),
    "RegisterBrokerRecord": (0, 7, 8, 17, 30),
    "ZkMigrationStateRecord": (8,),
    "UserScramCredentialRecord": (11,),
    "RemoveUserScramCredentialRecord": (11,),
    "BeginTransactionRecord": (13,),
    "EndTransactionRecord": (13,),
    "AbortTransactionRecord": (13,),
    "DelegationTokenRecord": (14,),
    "RemoveDelegationTokenRecord": (14,),
    "RegisterControllerRecord": (15,),
    "PartitionRecord": (0, 17, 23),
    "PartitionChangeRecord": (0, 17, 23),
    "UnregisterControllerRecord": (33,),
}
"""Records -> for each of their versions from 0 on, the least level of `metadata.version` that allows it."""


def least_level(record: str, version: int) -> Level | None:
    """The level that a record of the metadata needs, by Kafka's name of its type; None if any level allows it."""
    if record == "ClearElrRecord":
        return Level(ELIGIBLE_LEADER_REPLICAS, 1)
    least = _LEAST_LEVELS.get(record, ())
    level = least[version] if version < len(least) else 0
    return Level(METADATA_VERSION, level) if level else None


__all__ = ["ELIGIBLE_LEADER_REPLICAS", "METADATA_VERSION", "METADATA_VERSIONS", "Level", "least_level"]
