"""A cluster's metadata at a moment, next to Kafka's own image of it."""

from __future__ import annotations

import base64
import dataclasses
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from kformat.errors import DataError, InvalidError
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.records import Record
from kformat.kafka.log.partition import Partition, open_partition
from kformat.kafka.messages.decoding import CLUSTER_METADATA, decoder
from kformat.kafka.state.image import METADATA_TOPIC, ClusterImage, Replay, cluster_image, replayed, snapshots_of
from kformat.kafka.state.latest import Moment
from tests.draws import IS_NIGHT, every
from tests.judges import java_tools
from tests.judges.required import require
from tests.kafka.state.metadata_events import Happening, written
from tests.samples import ROOT

RELEASES = ("4.4.0", "4.3.1", "3.9.2")
TRANSACTIONS = ("begin_transaction_record", "end_transaction_record", "abort_transaction_record")


def metadata_of(release: str) -> Partition:
    return open_partition(ROOT / release / f"{METADATA_TOPIC}-0")


def contents(image: ClusterImage) -> ClusterImage:
    """What an image says, without where it is from and what it remembers."""
    topics = {id: dataclasses.replace(topic, created_ms=None) for id, topic in image.topics.items()}
    state = image.zk_migration_state or 0  # Kafka's image has it always
    image = dataclasses.replace(image, offset=0, timestamp=0, topics=topics, deleted=[])
    return dataclasses.replace(image, kraft_version=None, voters=None, zk_migration_state=state)


def by_kafka(release: str, values: Iterable[bytes | None]) -> Iterator[list[bytes]]:
    """The records that Kafka writes of its image, at each None among the records that make it."""
    text = "".join("?\n" if value is None else f"{value.hex()}\n" for value in values)
    done = java_tools.java(release, "Images", [], stdin=text.encode())
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    for line in done.stdout.decode().split("\n")[:-1]:
        yield [bytes.fromhex(one) for one in line.split()]


def image_of(values: Iterable[bytes]) -> ClusterImage:
    return contents(replayed(Record(offset, 0, 0, None, value) for offset, value in enumerate(values)))


@pytest.mark.judge
@pytest.mark.parametrize("release", RELEASES)
def test_the_image_of_a_sample_is_kafkas_at_each_offset(release: str) -> None:
    """With the snapshots that lie next to the log, and without."""
    require(release)
    partition = metadata_of(release)
    asked, offsets, is_open = list[bytes | None](), list[int](), False
    for batch in iter_batches(partition.segments[0].log):
        for record in () if batch.is_control else batch.records():
            assert record.value is not None
            name = decoder(CLUSTER_METADATA).value(record.value, None).schema.id
            if name in TRANSACTIONS:
                is_open = name == TRANSACTIONS[0]
                continue
            asked.append(record.value)
            if not is_open:
                asked.append(None)
                offsets.append(record.offset)
    assert len(offsets) >= 100
    snapshots = [one.end_offset for one in snapshots_of(partition)]
    assert any(snapshots) and max(snapshots) < offsets[-1]
    each = list(zip(offsets, by_kafka(release, asked), strict=True))
    for offset, theirs in every(4, each):
        ours = cluster_image(partition, Moment(offset), with_snapshots=False)
        assert contents(ours) == image_of(theirs), offset
        assert contents(cluster_image(partition, Moment(offset))) == image_of(theirs), offset


@pytest.mark.judge
@pytest.mark.parametrize("release", ["4.4.0", "3.9.2"])
def test_the_image_of_what_happens_in_a_cluster_is_kafkas_at_each_moment(release: str, tmp_path: Path) -> None:
    require(release)
    sample = cluster_image(metadata_of(release))
    levels = {"metadata.version": sample.features["metadata.version"]}
    if release >= "4.":
        levels["eligible.leader.replicas.version"] = 1
    for seed in range(10 if IS_NIGHT else 2):
        values = [value for _, value in Happening(f"{release} {seed}", levels, release).records(200)]
        theirs = list(by_kafka(release, [one for value in values for one in (value, None)]))
        replay = Replay()
        for offset, (value, written_by_kafka) in enumerate(zip(values, theirs, strict=True)):
            replay.apply(Record(offset, 0, 0, None, value))
            assert contents(replay.image) == image_of(written_by_kafka), (seed, offset)


# --- transactions, moments, and what cannot be applied ---------------------------------------------------------------


def topic(name: str, number: int) -> bytes:
    id = base64.b64encode(bytes([number]) * 16).decode()
    return written("topic_record", {"name": name, "topicId": id})


def names_of(*values: bytes) -> list[str]:
    return sorted(
        image.name for image in replayed(Record(at, 0, 0, None, it) for at, it in enumerate(values)).topics.values()
    )


def test_the_records_of_a_transaction_count_when_it_ends() -> None:
    begin = written("begin_transaction_record", {"name": "boot"})
    end, abort = written("end_transaction_record", {}), written("abort_transaction_record", {"reason": None})
    assert names_of(topic("a", 1), begin, topic("b", 2)) == ["a"]
    assert names_of(topic("a", 1), begin, topic("b", 2), end) == ["a", "b"]
    assert names_of(topic("a", 1), begin, topic("b", 2), abort, topic("c", 3)) == ["a", "c"]


def test_a_record_that_is_not_known_is_counted_and_one_that_cannot_be_applied_is_an_error() -> None:
    image = replayed(
        [Record(0, 0, 0, None, b"\x01\x7f\x00what"), Record(1, 0, 0, None, topic("a", 1)), Record(2, 0, 0, None, None)]
    )
    assert (image.unknown, len(image.topics), image.offset) == (2, 1, 2)
    change = {"partitionId": 0, "topicId": base64.b64encode(bytes(16)).decode()}
    with pytest.raises(DataError, match=r"<bytes> .*at offset 0: a change of a partition that is not there"):
        names_of(written("partition_change_record", change))


def test_a_moment_before_the_first_record_has_nothing_and_one_by_time_is_that_of_an_offset() -> None:
    partition = metadata_of("4.4.0")
    whole = cluster_image(partition)
    assert whole.topics and whole.brokers and whole.controllers
    with pytest.raises(InvalidError, match="before the first record; that is of 2026-11-28"):
        cluster_image(partition, Moment(time_ms=0))
    middle = cluster_image(partition, Moment(120))
    by_time = cluster_image(partition, Moment(time_ms=middle.timestamp))
    assert by_time.offset >= 120 and contents(by_time) == contents(cluster_image(partition, Moment(by_time.offset)))


@pytest.mark.parametrize(
    ("cut", "message"),
    [(0, "no header"), (83, "no footer"), (-1, "end inside of a batch"), ("crc", "checksum mismatch")],
)
def test_a_snapshot_that_is_not_whole_is_an_error_or_passed_over(tmp_path: Path, cut: int | str, message: str) -> None:
    folder = tmp_path / f"{METADATA_TOPIC}-0"
    shutil.copytree(metadata_of("4.4.0").path, folder)
    path = snapshots_of(open_partition(folder))[-1].path
    data = bytearray(path.read_bytes())
    if isinstance(cut, str):
        data[-20] ^= 1
    path.write_bytes(data if isinstance(cut, str) else data[:cut])
    with pytest.raises(DataError, match=message) as problem:
        cluster_image(open_partition(folder))
    assert problem.value.source == str(path)
    passed = list[Exception]()
    image = cluster_image(open_partition(folder), on_corrupt="skip", on_problem=passed.append)
    assert contents(image) == contents(cluster_image(metadata_of("4.4.0"))) and len(passed) == 1
    path.unlink()
    assert contents(cluster_image(open_partition(folder))) == contents(image)


def test_a_quota_of_two_entities_of_one_type_is_one(tmp_path: Path) -> None:
    entity = [{"entityType": "user", "entityName": name} for name in ("x", None)]
    record = written("client_quota_record", {"entity": entity, "key": "rate", "value": 1048576.0, "remove": False})
    assert list(replayed([Record(0, 0, 0, None, record)]).quotas) == [(("user", None), ("user", "x"))]


def test_a_log_that_does_not_go_back_needs_a_snapshot(tmp_path: Path) -> None:
    """Of a log from which the beginning was deleted; its snapshot says what that was."""
    folder = tmp_path / f"{METADATA_TOPIC}-0"
    partition = metadata_of("4.4.0")
    snapshot = snapshots_of(partition)[-1]
    folder.mkdir()
    batches = [b for b in iter_batches(partition.segments[0].log) if b.base_offset >= snapshot.end_offset]
    assert batches[0].base_offset == snapshot.end_offset
    (folder / f"{snapshot.end_offset:020}.log").write_bytes(b"".join(batch.raw for batch in batches))
    with pytest.raises(InvalidError, match="no snapshot before that is there"):
        cluster_image(open_partition(folder))
    shutil.copy(snapshot.path, folder)
    assert contents(cluster_image(open_partition(folder))) == contents(cluster_image(partition))
    with pytest.raises(InvalidError, match="no snapshot before that is there"):
        cluster_image(open_partition(folder), Moment(snapshot.end_offset - 2))
