"""Partitions and roots in one line, for `repr`, and as a table, for notebooks.

Folder names are untrusted: unprintable characters are escaped, so that a line stays one line, and HTML never treats a
name as markup. Nothing is raised: values that cannot be read are shown as a question mark. Nothing is fetched from an
address: values that the listing does not contain are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from kformat.errors import DataError
from kformat.results import counted, html_table, printable
from kformat.storage.address import is_address

if TYPE_CHECKING:
    from kformat.kafka.log.partition import Partition

_MOST_ROWS: Final = 50
_UNKNOWN: Final = "?"


class PartitionNumbers(NamedTuple):
    """The facts shown for a partition; ``?`` for unreadable ones, empty for those not requested."""

    segments_count: str
    start_offset: str
    end_offset: str
    size_bytes: str


def name_of(partition: Partition) -> str:
    """``topic-partition``, or the whole name of another folder, and the state (-delete, -future, -stray) if any."""
    name = partition.topic if partition.partition < 0 else f"{partition.topic}-{partition.partition}"
    return printable(name) + (f" ({partition.state})" if partition.state else "")


def facts_of(partition: Partition) -> PartitionNumbers:
    """The numbers shown for a partition."""
    segments = partition.segments
    count = str(len(segments))
    if not segments:
        return PartitionNumbers(count, "", "", "")
    if is_address(partition.path):
        return PartitionNumbers(count, str(segments[0].base_offset), "", "")
    deleted_before = partition.deleted_before
    start = segments[0].base_offset if deleted_before is None else deleted_before
    try:
        end = str(partition.end_offset)
    except (DataError, OSError):
        end = _UNKNOWN
    try:
        size = str(sum(segment.size_bytes for segment in segments))
    except OSError:
        size = _UNKNOWN
    return PartitionNumbers(count, str(start), end, size)


def partition_line(partition: Partition) -> str:
    """``orders-0: 3 segments, offsets 0 to 560, 41605 bytes``; the end of the offsets is exclusive."""
    facts = facts_of(partition)
    parts = [counted(facts.segments_count, "segment")]
    if facts.end_offset:
        parts.append(f"offsets {facts.start_offset} to {facts.end_offset}")
    elif facts.start_offset:
        parts.append(f"offsets from {facts.start_offset}")
    if facts.size_bytes:
        parts.append(counted(facts.size_bytes, "byte"))
    return f"{name_of(partition)}: {', '.join(parts)}"


def root_line(path: object, partitions: Mapping[str, Partition], topics_count: int) -> str:
    """``/data/kafka-logs: 12 partitions of 5 topics``."""
    words = counted(len(partitions), "partition"), counted(topics_count, "topic")
    return f"{printable(str(path))}: {' of '.join(words)}"


def partition_html(partition: Partition) -> str:
    """The line, and a table of the segments."""
    local = not is_address(partition.path)

    def rows() -> Iterable[Sequence[str]]:
        for segment in partition.segments[:_MOST_ROWS]:
            try:
                size = str(segment.size_bytes) if local else ""
            except OSError:
                size = _UNKNOWN
            index_names = [path.name for path in (segment.index, segment.timeindex) if path is not None]
            yield str(segment.base_offset), segment.name, size, ", ".join(index_names)

    columns = ("base offset", "log", "bytes", "indexes")
    return html_table(f"Partition {partition_line(partition)}", columns, rows(), len(partition.segments))


def root_html(line: str, partitions: Mapping[str, Partition]) -> str:
    """The line of a root, and a table of the partitions."""

    def rows() -> Iterable[Sequence[str]]:
        for name in list(partitions)[:_MOST_ROWS]:
            try:
                partition = partitions[name]
            except (DataError, OSError) as error:
                yield name, "", "", "", str(error)
            else:
                yield name_of(partition), *facts_of(partition)

    columns = ("partition", "segments", "start offset", "end offset", "bytes")
    return html_table(f"Root {line}", columns, rows(), len(partitions))


__all__ = ["partition_html", "partition_line", "root_html", "root_line"]
