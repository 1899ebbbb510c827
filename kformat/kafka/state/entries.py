"""A cluster's metadata as entries: brokers, controllers, features, configurations, ACLs, quotas, users, its quorum.

Credentials are in no entry. Values of configurations that hold secrets are hidden, unless they are asked for: those of
Kafka's type password (ConfigDef.Type.PASSWORD), and those whose names say so, since Kafka takes any it does not know
for one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from kformat.errors import DataError
from kformat.kafka.files.text_files import QuorumState, read_sidecar
from kformat.kafka.state.cluster import Disks, hidden
from kformat.kafka.state.image import METADATA_TOPIC, BrokerImage, ClusterImage, ControllerImage
from kformat.language.logical import uuid_text

CLUSTER_COLUMNS: Final = ("kind", "name", "property", "value")
Entry = dict[str, Any]


def cluster_rows(disks: Disks, *, with_secrets: bool = False) -> Iterator[Entry]:
    """An entry for each property of each thing; columns are `CLUSTER_COLUMNS`, all strings.

    Raises as `Disks.image`; files of a root that cannot be read are among the disks' problems.
    """
    yield from _of_roots(disks)
    image = disks.image
    if image is None:
        return
    yield from _of_quorum(disks, image)
    for number, broker in sorted(image.brokers.items()):
        yield from _of_broker(number, broker)
    for number, controller in sorted(image.controllers.items()):
        yield from _of_node("controller", number, controller)
    for name, level in sorted(image.features.items()):
        yield _entry("feature", name, "level", level)
    for (kind, name), configs in sorted(image.configs.items()):
        for key, value in sorted((configs if with_secrets else hidden(configs)).items()):
            yield _entry("config", f"{_word(kind)} {name or '(default)'}", key, value)
    for acl in sorted(image.acls.values(), key=lambda acl: (acl[3], tuple(map(str, acl)))):
        resource, name, pattern, principal, host, operation, permission = acl
        what = f"{_word(permission)} {_word(operation)} {_word(resource)} {name} ({_word(pattern)})"
        yield _entry("acl", principal, what, f"from {host}")
    for entity, limits in sorted(image.quotas.items(), key=lambda one: str(one[0])):
        words = ", ".join(f"{kind} {'(default)' if name is None else name}" for kind, name in entity)
        for key, limit in sorted(limits.items()):
            yield _entry("quota", words, key, int(limit) if limit.is_integer() else limit)
    for (user, mechanism), iterations in sorted(image.scram.items(), key=lambda one: (one[0][0], int(one[0][1]))):
        yield _entry("user", user, _word(mechanism).upper().replace("_", "-"), f"{iterations} iterations")
    for token, owner in sorted(image.tokens.items()):
        yield _entry("token", token, "owner", owner)
    if image.next_producer_id >= 0:
        yield _entry("producer ids", "next", "", image.next_producer_id)


def _entry(kind: str, name: Any, property: str, value: Any) -> Entry:
    return {"kind": kind, "name": str(name), "property": property, "value": str(value)}


def _word(value: Any) -> str:
    """The name of a member of an enumeration; the number of one that has none."""
    return str(getattr(value, "name", None) or int(value))


def _of_roots(disks: Disks) -> Iterator[Entry]:
    """What `meta.properties` of each data directory says."""
    for root, found in disks.properties.items():
        for name, value in found.properties:
            yield _entry("directory", root, name, value)


def _of_quorum(disks: Disks, image: ClusterImage) -> Iterator[Entry]:
    yield _entry("metadata", METADATA_TOPIC, "offset", image.offset)
    folder = None if disks.metadata is None else disks.metadata.path
    found = None if folder is None else _read(disks, folder / "quorum-state")
    if isinstance(found, QuorumState):
        yield _entry("quorum", folder, "leader", found.leader_id)
        yield _entry("quorum", folder, "leader_epoch", found.leader_epoch)
        if image.voters is None and found.current_voters:
            yield _entry("quorum", folder, "voters", _listed(sorted(found.current_voters)))
    if image.kraft_version is not None:
        yield _entry("quorum", METADATA_TOPIC, "kraft.version", image.kraft_version)
    if image.voters is not None:
        yield _entry("quorum", METADATA_TOPIC, "voters", _listed(image.voters))
    if image.zk_migration_state is not None:
        yield _entry("quorum", METADATA_TOPIC, "zk_migration_state", image.zk_migration_state)


def _read(disks: Disks, path: Path) -> Any:
    try:
        return read_sidecar(path)
    except FileNotFoundError:
        return None
    except (DataError, OSError) as error:
        disks.problems.append(error)
        return None


def _of_broker(number: int, broker: BrokerImage) -> Iterator[Entry]:
    yield _entry("broker", number, "epoch", broker.epoch)
    state = "fenced" if broker.fenced else "active"
    yield _entry("broker", number, "state", state + ", in controlled shutdown" * broker.in_controlled_shutdown)
    if broker.rack is not None:
        yield _entry("broker", number, "rack", broker.rack)
    for name, ids in (("directories", broker.directories), ("cordoned directories", broker.cordoned)):
        if ids:
            yield _entry("broker", number, name, _listed(map(uuid_text, ids)))
    yield from _of_node("broker", number, broker)


def _of_node(kind: str, number: int, node: BrokerImage | ControllerImage) -> Iterator[Entry]:
    yield _entry(kind, number, "incarnation_id", uuid_text(node.incarnation_id))
    for name, (host, port, protocol) in sorted(node.listeners.items()):
        yield _entry(kind, number, f"listener {name}", f"{host}:{port} ({_word(protocol).upper()})")
    for name, (low, high) in sorted(node.features.items()):
        yield _entry(kind, number, f"supports {name}", f"{low} to {high}")


def _listed(items: Any) -> str:
    return ", ".join(map(str, items))


__all__ = ["CLUSTER_COLUMNS", "cluster_rows"]
