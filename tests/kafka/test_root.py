"""`kformat.open_root`: partitions by name, their records as one table, and what is shown of them.

Every table is held against the partitions' own, read one by one.
"""

from __future__ import annotations

import builtins
import html.parser
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.errors import MissingDependencyError, UsageError
from kformat.kafka.log.partition import Partition
from kformat.kafka.root import LogDirectory
from kformat.testing import write_log
from tests.samples import ROOT as SAMPLES

pa = pytest.importorskip("pyarrow")

BROKERS = SAMPLES / "4.3.1"
BASE_MS = 1_700_000_000_000
COLUMNS = ["topic", "partition", "offset", "timestamp", "value"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three partitions of two topics, one on its way out, and files of the root's own."""
    for topic, partition, count in (("orders", 10, 3), ("orders", 2, 5), ("payments", 0, 4)):
        values = [f"{topic}-{partition} {number}".encode() for number in range(count)]
        write_log(tmp_path, values, topic=topic, partition=partition)
    shutil.copytree(tmp_path / "orders-2", tmp_path / f"orders-2.{'0' * 32}-delete")
    (tmp_path / "log-start-offset-checkpoint").write_text("0\n1\npayments 0 1\n")
    (tmp_path / "notes").mkdir()
    return tmp_path


# --- by name --------------------------------------------------------------------------------------------------------


def test_partitions_by_name_by_topic_and_one_after_the_other(folder: Path) -> None:
    root = kformat.open_root(folder)
    names = ["orders-2", "orders-10", "payments-0"]
    assert [f"{one.topic}-{one.partition}" for one in root] == list(root.partitions) == names
    assert len(root) == len(root.partitions) == 3
    assert root.partitions.topics == ("orders", "payments")
    assert root["orders-10"] is root["orders", 10] is root.partitions["orders-10"]
    assert [record.value for record in root["orders", 10].records()] == [b"orders-10 0", b"orders-10 1", b"orders-10 2"]
    for there in ("orders-2", ("payments", 0)):
        assert there in root and there in root.partitions
    missing: Any
    for missing in ("orders-3", ("orders", 3), "notes", ("payments",), 5):
        assert missing not in root
        with pytest.raises(KeyError):
            root[missing]


def test_the_root_s_own_files_and_checkpoints(folder: Path) -> None:
    root = kformat.open_root(folder)
    assert [other.name for other in root.others] == ["log-start-offset-checkpoint", "notes"]
    assert root.offsets("log-start-offset-checkpoint") == {("payments", 0): 1}
    assert root.offsets("replication-offset-checkpoint") == {}


def test_folders_on_their_way_out_are_there_when_they_are_asked_for(folder: Path) -> None:
    assert len(kformat.open_root(folder)) == 3
    root = kformat.open_root(folder, all_states=True)
    assert sorted(one.state for one in root) == ["", "", "", "delete"]
    assert root["orders", 2].state == "" and len(root) == 4


def test_a_broker_s_disk_is_what_iter_partitions_finds() -> None:
    root = kformat.open_root(BROKERS)
    assert [one.path for one in root] == [one.path for one in kformat.iter_partitions(BROKERS)]
    assert len(root) > 30


def test_nothing_is_listed_before_it_is_asked_for(folder: Path) -> None:
    root = kformat.open_root(folder)
    shutil.rmtree(folder / "orders-10")
    assert root["orders-2"].segments
    assert "2 topics" in repr(root)
    with pytest.raises(FileNotFoundError):
        root["orders-10"]


def test_what_is_no_root(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"a partition's folder; kformat\.open opens it"):
        kformat.open_root(folder / "orders-2")
    with pytest.raises(NotADirectoryError):
        kformat.open_root(folder / "log-start-offset-checkpoint")
    with pytest.raises(FileNotFoundError):
        kformat.open_root(folder / "nothing")
    assert len(kformat.open_root(folder / "notes")) == 0


def test_a_root_in_an_archive(folder: Path) -> None:
    archive = folder.parent / "disk.tar"
    with tarfile.open(archive, "w") as file:
        for name in ("orders-2", "payments-0"):
            file.add(folder / name, f"logs/{name}")
    root = kformat.open_root(f"tar://logs::{archive}")
    assert list(root.partitions) == ["orders-2", "payments-0"]
    assert root.to_arrow(["value"]).num_rows == 9
    assert repr(root["orders-2"]) == "<Partition orders-2: 1 segment, offsets from 0>"
    assert "<td>orders-2</td><td>1</td><td>0</td><td></td><td></td>" in root._repr_html_()


# --- as tables ------------------------------------------------------------------------------------------------------


def one_by_one(root: LogDirectory, columns: list[str], **options: Any) -> Any:
    return pa.concat_tables([partition.to_arrow(columns, **options) for partition in root])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"since": BASE_MS + 1, "until": "2023-11-14T22:13:20.003Z"},
        {"before_log_start": True},
        {"isolation_level": "read_committed", "include_control": True},
    ],
)
def test_a_root_as_a_table_has_the_records_of_its_partitions(folder: Path, options: Any) -> None:
    for root in (kformat.open_root(folder), kformat.open_root(BROKERS)):
        expected = one_by_one(root, COLUMNS, **options)
        table = root.to_arrow(COLUMNS, **options)
        assert table.equals(expected) and table.column_names == COLUMNS
        batches = list(root.record_batches(COLUMNS, **options))
        assert pa.Table.from_batches(batches, table.schema).equals(expected)
    assert set(table["topic"].to_pylist()) <= set(root.partitions.topics)


def test_topic_and_partition_are_columns(folder: Path) -> None:
    table = kformat.open_root(folder).to_arrow(["topic", "partition", "offset"])
    rows = list(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))
    assert rows == [
        *(("orders", 2, offset) for offset in range(5)),
        *(("orders", 10, offset) for offset in range(3)),
        *(("payments", 0, offset) for offset in range(1, 4)),  # the first one was deleted
    ]


def test_frames_of_a_partition_and_of_a_root(folder: Path) -> None:
    pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    root = kformat.open_root(folder)
    partition = root["orders", 2]
    for source, some in ((root, {"since": BASE_MS + 2}), (partition, {"start_offset": 1, "end_offset": 4})):
        frame_of: Any = source
        for options in ({}, some):
            table = frame_of.to_arrow(COLUMNS, **options)
            assert table.num_rows
            assert frame_of.to_pandas(COLUMNS, **options).equals(table.to_pandas())
            assert frame_of.to_polars(COLUMNS, **options).equals(polars.from_arrow(table))
        whole = frame_of.to_arrow()
        assert pa.RecordBatchReader.from_stream(frame_of).read_all().equals(whole)
        assert polars.DataFrame(frame_of).equals(polars.from_arrow(whole))


def test_wrong_arguments_are_refused_at_once(folder: Path) -> None:
    for root in (kformat.open_root(folder), kformat.open_root(folder / "notes")):
        for options in ({"since": "noon"}, {"isolation_level": "read_some"}):
            wrong: Any = options
            with pytest.raises(UsageError):
                root.record_batches(**wrong)
        with pytest.raises(UsageError, match="no column 'vale'"):
            root.record_batches("vale")
        with pytest.raises(TypeError, match="word"):
            root.record_batches(word=5)  # type: ignore[call-arg]
    assert kformat.open_root(folder / "notes").to_arrow(["offset"]).num_rows == 0


def test_damage_comes_after_the_partitions_before_it(folder: Path) -> None:
    log = next((folder / "orders-10").glob("*.log"))
    log.write_bytes(log.read_bytes()[:-1] + b"\xff")
    found = []
    with pytest.raises(kformat.errors.ChecksumError):
        for batch in kformat.open_root(folder).record_batches(["partition"]):
            found += batch["partition"].to_pylist()
    assert found == [2] * 5


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_missing_is_named_with_its_extra(
    folder: Path, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name == library:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    root = kformat.open_root(folder)
    for source in (root, root["orders-2"]):
        with pytest.raises(MissingDependencyError, match=rf"pip install 'kformat\[{library}\]'"):
            getattr(source, f"to_{library}")()


# --- what is shown --------------------------------------------------------------------------------------------------


def test_a_line_of_a_partition_and_of_a_root(folder: Path) -> None:
    assert repr(kformat.open(BROKERS / "rolled-by-bytes-0")) == (
        "<Partition rolled-by-bytes-0: 3 segments, offsets 0 to 560, 41605 bytes>"
    )
    root = kformat.open_root(folder)
    assert repr(root) == f"<Root {folder}: 3 partitions of 2 topics>"
    size = next((folder / "payments-0").glob("*.log")).stat().st_size
    assert repr(root["payments-0"]) == f"<Partition payments-0: 1 segment, offsets 1 to 4, {size} bytes>"
    deleted = kformat.open(folder / f"orders-2.{'0' * 32}-delete")
    assert repr(deleted).startswith("<Partition orders-2 (delete): 1 segment, offsets 0 to 5, ")
    assert repr(kformat.open(folder / "notes")) == "<Partition notes: 0 segments>"


def test_every_partition_of_every_broker_has_a_line_and_a_table() -> None:
    for path in sorted(SAMPLES.glob("[0-9]*")):
        root = kformat.open_root(path)
        assert len(Cells.of(root._repr_html_())) == min(len(root), 50) + 1
        for partition in root:
            assert "\n" not in repr(partition) and "?" not in repr(partition), partition.path
            assert len(Cells.of(partition._repr_html_())) == len(partition.segments) + 1


def test_the_end_of_a_partition(folder: Path) -> None:
    assert kformat.open(BROKERS / "rolled-by-bytes-0").end_offset == 560
    assert kformat.open(folder / "notes").end_offset is None
    assert kformat.open(folder / "orders-2").end_offset == 5


def test_what_cannot_be_read_is_a_question_mark(folder: Path) -> None:
    partition = kformat.open(folder / "orders-2")
    shutil.rmtree(folder / "orders-2")
    assert repr(partition) == "<Partition orders-2: 1 segment, offsets 0 to ?, ? bytes>"
    assert "<td>?</td>" in partition._repr_html_()
    root = kformat.open_root(folder)
    shutil.rmtree(folder / "orders-10")
    assert "No such file" in root._repr_html_()


class Cells(html.parser.HTMLParser):
    """The rows of a table, each as the texts of its cells, and the tags that there are."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.text = ""

    @classmethod
    def of(cls, text: str) -> list[list[str]]:
        parser = cls()
        parser.feed(text)
        parser.close()
        assert parser.tags <= {"div", "p", "code", "table", "thead", "tbody", "tr", "th", "td"}, parser.tags
        return parser.rows

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert not attrs
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


HOSTILE = ["<script>alert(1)<-0", "a&lt;b\x1b[2J-0", "\u202etxt-1", "\udcff\udc80-0", "'\"><img src=x onerror=y>-3"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_no_markup_and_move_no_terminal(tmp_path: Path, name: str) -> None:
    write_log(tmp_path / "root", [b"v"]).rename(tmp_path / "root" / name)
    root = kformat.open_root(tmp_path / "root")
    assert len(root) == 1
    partition = next(iter(root))
    assert isinstance(partition, Partition)
    for shown in (repr(partition), repr(root), partition._repr_html_(), root._repr_html_()):
        assert shown.isprintable(), shown
        shown.encode()
    rows = Cells.of(root._repr_html_())
    assert rows[1][0].startswith(name) or not name.isprintable()
    assert len(Cells.of(partition._repr_html_())) == 2


def test_a_line_end_in_a_name_is_no_line_end(tmp_path: Path) -> None:
    folder = write_log(tmp_path, [b"v"]).rename(tmp_path / "one\ntwo")
    partition = kformat.open(folder)
    assert repr(partition).startswith(r"<Partition one\ntwo: 1 segment, ") and repr(partition).isprintable()
    assert partition._repr_html_().isprintable()


def test_a_long_table_ends_and_says_so(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"t-{number}").mkdir()
    text = kformat.open_root(tmp_path)._repr_html_()
    assert len(Cells.of(text)) == 51 and "<p>and 10 more</p>" in text
