"""The settings of topics by which a broker makes files next to logs, as the metadata of its cluster has them.

Rules:

* A topic's own setting comes first, then the broker's, then that of all brokers (DynamicBrokerConfig). What a broker's
  server.properties says is not known here.
* The metadata log is looked for in the roots of the partitions, and where the caller says. Of several the one with the
  highest leader epoch and end counts, as in `Disks`.
* It is read past damage, so that it never stops who rebuilds files: what was lost in it gets Kafka's defaults.
* The metadata log itself has none of these settings (KafkaMetadataLog).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kformat.columns.skipped import Skipped
from kformat.errors import DataError, KformatError, UsageError
from kformat.integers import MAX_INT32
from kformat.kafka.files.file_kinds import folder_name, parse_folder_name
from kformat.kafka.files.text_files import meta_properties_of
from kformat.kafka.index.indexing import DEFAULT_INDEX_INTERVAL_BYTES
from kformat.kafka.log.partition import open_partition, partition_paths
from kformat.kafka.state.cluster import Disks
from kformat.kafka.state.image import METADATA_TOPIC
from kformat.storage.address import is_dir, local_path

INTERVAL: Final = "index.interval.bytes"
EXPIRATION: Final = "producer.id.expiration.ms"
_BROKER_NAMES: Final = {INTERVAL: "log.index.interval.bytes", EXPIRATION: EXPIRATION}
"""The settings -> their names in the configuration of brokers."""
_LEAST: Final = {INTERVAL: 0, EXPIRATION: 1}
_TOPIC, _BROKER = 2, 4
"""Types of resources (ConfigResource.Type)."""
Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
_METADATA_LOG: Final = folder_name(METADATA_TOPIC, 0)
_MOST_DIGITS: Final = 10


@dataclass(frozen=True)
class TopicConfigs:
    """The settings of topics; small, and can be pickled.

    Attributes:
        configs: (type of the resource, its name) -> names and values, those of this module alone.
        broker_ids: roots -> the ids of their brokers, where they are known.
    """

    configs: Mapping[tuple[int, str], Mapping[str, str]] = field(default_factory=dict)
    broker_ids: Mapping[Path, int] = field(default_factory=dict)

    def number(self, folder: Path, name: str) -> int | None:
        """A setting for the partition in a folder; None if the metadata has none, or one that Kafka does not take."""
        place, parsed = folder.absolute(), parse_folder_name(folder.absolute().name)
        if parsed is None or parsed.topic == METADATA_TOPIC:
            return None
        broker = str(self.broker_ids.get(place.parent, ""))
        for kind, resource, key in (
            (_TOPIC, parsed.topic, name),
            (_BROKER, broker, _BROKER_NAMES[name]),
            (_BROKER, "", _BROKER_NAMES[name]),
        ):
            value = _number(self.configs.get((kind, resource), {}).get(key, ""), _LEAST[name])
            if value is not None:
                return value
        return None

    def index_interval_bytes(self, folder: Path) -> int:
        """The `index.interval.bytes` for the partition in a folder, or Kafka's default."""
        found = self.number(folder, INTERVAL)
        return DEFAULT_INDEX_INTERVAL_BYTES if found is None else found


def read_topic_configs(
    paths: Paths,
    say: Callable[[str], object],
    metadata: Paths = (),
) -> TopicConfigs:
    """Read the settings of the topics whose partitions are in some paths.

    Args:
        paths: partitions, roots, or files of a partition, on this machine; what cannot be listed is passed over.
        say: called with one line if the metadata is damaged.
        metadata: more roots, or folders of the metadata log: a broker's ``metadata.log.dir``.

    Raises UsageError if there is no metadata log in one of ``metadata``.
    """
    roots = _roots_of(_each(paths))
    logs = dict.fromkeys(root / _METADATA_LOG for root in roots if is_dir(root / _METADATA_LOG))
    logs |= dict.fromkeys(map(_metadata_log, _each(metadata)))
    skipped, problems = list[Skipped](), list[Exception]()
    try:
        disks = Disks(map(open_partition, logs), on_corrupt="skip", on_skipped=skipped.append)
        problems = disks.problems
        if disks.metadata is not None and len(logs) == 1:
            problems.clear()  # they were about which of several counts
        image = disks.image
    except (KformatError, OSError) as error:
        problems, image = [error], None
    why = [str(problem) for problem in problems] or [str(one) for one in skipped[:1]]
    if why:
        known = "" if image is None else "what can be read of it, else "
        say(f"{why[0]}: {INTERVAL} of topics is {known}{DEFAULT_INDEX_INTERVAL_BYTES}")
    if image is None:
        return TopicConfigs()
    names = {*_BROKER_NAMES, *_BROKER_NAMES.values()}
    configs = {
        (int(kind), resource): kept
        for (kind, resource), values in image.configs.items()
        if kind in (_TOPIC, _BROKER) and (kept := {name: values[name] for name in names & values.keys()})
    }
    has_brokers = any(kind == _BROKER and resource for kind, resource in configs)
    ids = {root: id for root in roots if (id := _broker_id(root)) is not None} if has_brokers else {}
    return TopicConfigs(configs, ids)


def _number(text: str, least: int) -> int | None:
    """A value as Kafka parses it (ConfigDef.Type.INT); None if it would not."""
    digits = text.strip().removeprefix("+")
    if not (digits.isascii() and digits.isdigit() and len(digits.lstrip("0")) <= _MOST_DIGITS):
        return None
    return number if least <= (number := int(digits)) <= MAX_INT32 else None


def _each(paths: Paths) -> Iterable[str | os.PathLike[str]]:
    return [paths] if isinstance(paths, str | os.PathLike) else paths


def _roots_of(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The roots of the partitions in some paths, absolute, each once."""
    roots = dict[Path, None]()
    for path in paths:
        try:
            for found in partition_paths(local_path(os.fspath(path))):
                folder = found if is_dir(found) else found.parent
                roots[folder.absolute().parent] = None
        except (KformatError, OSError):  # the caller reports it
            continue
    return list(roots)


def _metadata_log(path: str | os.PathLike[str]) -> Path:
    place = local_path(os.fspath(path)).absolute()
    log = place if place.name == _METADATA_LOG else place / _METADATA_LOG
    if not is_dir(log):
        raise UsageError(f"{os.fspath(path)}: no {_METADATA_LOG} here")
    return log


def _broker_id(root: Path) -> int | None:
    """The id of a root's broker; None where its file is not there, or cannot be read."""
    try:
        found = meta_properties_of(root)
    except (DataError, OSError):
        return None
    return None if found is None else found.node_id


__all__ = ["EXPIRATION", "INTERVAL", "Paths", "TopicConfigs", "read_topic_configs"]
