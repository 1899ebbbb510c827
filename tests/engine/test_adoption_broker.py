"""A root that the engine wrote is a broker's, and the other way round: real brokers of 3.9.2 and 4.4.0 adopt it.

One story per version, with one root, which the broker and the engine have in turn (`Story.play`):

1. The broker makes topics and stops. The engine fills their empty logs (tests/engine/adoption.py), closes them, opens
   them again and says where 10,000 timestamps of each topic are (by day 1,500).
2. The broker starts on the clean root, is asked for everything, appends, stops.
3. The engine opens what the broker wrote, and appends.
4. The marker of the clean shutdown and the recovery points are taken away, so the broker recovers all that there is
   (without the points; with them the last segments); it is asked, appends, and is killed.
5. The engine recovers the root, and appends.
6. The broker starts on it as on a clean one, is asked again, and stops.

The engine writes `.txnindex` and `.snapshot` as a broker does, so the broker knows the transactions that the engine
stored as they came.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

import kformat
from kformat_engine import Log, LogConfig
from kformat_engine.root import CLEAN_MARKER, RECOVERY_POINTS
from tests.engine.adoption import (
    BROKER_EPOCH,
    LARGE_COUNT,
    TIMEOUT_S,
    TOPICS,
    Answer,
    Filled,
    Opened,
    Told,
    Writer,
    admin_client,
    ask,
    confluent_kafka,
    create_topics,
    fill,
    reopen,
    targets,
)
from tests.judges import Broker, Run, dump_many, releases
from tests.judges.required import require

pytestmark = [pytest.mark.judge, pytest.mark.broker]

VERSIONS = (pytest.param(releases.OLDER, marks=pytest.mark.slow), releases.NEWEST)
BROKER_CONFIG = {
    "log.cleaner.dedupe.buffer.size": "10485760",
    # A killed broker's registration keeps the next one waiting for so long.
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
}
LATER_TARGETS = 100
"""How many timestamps are asked for of each topic when the story goes on."""
CHECKED = ("filled", "appended", "rescued")
"""When `check` is asked."""
SUFFIXES = (".log", ".index", ".timeindex")
RULE = re.compile(r"KF[0-9]{4}")
# What the dump tool says.
COMPLAINT = re.compile(rb"mismatch|out of order|isvalid: false|Exception|Error", re.IGNORECASE)
GAP = re.compile(rb"^  (-?[0-9]+) is followed by ", re.MULTILINE)
SANE = re.compile(rb"index (?:passed sanity check|is empty)\.$", re.MULTILINE)
SHOWN = re.compile(rb"^\| offset: ([0-9]+) ", re.MULTILINE)

Files = dict[str, bytes]


@dataclass(repr=False)
class Story:
    """What happened, with what must have been found at that time; see the module."""

    version: str
    broker: Broker
    wanted: dict[str, list[int]] = field(default_factory=dict)
    found: dict[str, Filled] = field(default_factory=dict)
    expected: dict[str, dict[str, Filled]] = field(default_factory=dict)
    opened: dict[str, dict[str, Opened]] = field(default_factory=dict)
    told: dict[str, Told] = field(default_factory=dict)
    files: dict[str, Files] = field(default_factory=dict)
    findings: dict[str, list[str]] = field(default_factory=dict)
    dumps: dict[str, list[Run]] = field(default_factory=dict)
    strays: list[str] = field(default_factory=list)
    marked: dict[str, bool] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.broker.data

    def play(self) -> None:
        self.broker.start()
        create_topics(self.broker)
        self.broker.stop()

        self.found = fill(self.root)
        self.wanted = {
            topic.name: targets(self.found[topic.name].rows, topic.targets_count, topic.name) for topic in TOPICS
        }
        self.note("filled", is_dumped=True)
        self.opened["filled"] = reopen(self.root, self.wanted)
        self.note("reopened")

        self.broker.start()
        self.ask("adopted", self.wanted)
        Writer(self.broker, self.found, "adopted").write_all()
        self.broker.stop()
        self.note("adopted")
        later = {topic: stamps[:LATER_TARGETS] for topic, stamps in self.wanted.items()}
        self.opened["adopted"] = reopen(self.root, later, more=self.found)
        self.note("appended")

        (self.root / CLEAN_MARKER).unlink()
        (self.root / RECOVERY_POINTS).unlink()
        self.files["rebuilt"] = self.rebuilt()
        self.broker.start()
        self.ask("recovered", {topic: [] for topic in later})
        self.files["recovered"] = self.read_files()
        Writer(self.broker, self.found, "recovered").write_all()
        self.broker.kill()
        self.note("killed")
        self.opened["killed"] = reopen(self.root, later, more=self.found)
        self.note("rescued", is_dumped=True)
        self.opened["rescued"] = reopen(self.root, later)

        self.broker.start()
        self.ask("rescued", later)
        self.broker.stop()
        self.note("end")

    def note(self, when: str, *, is_dumped: bool = False) -> None:
        """Keep what must be found now, the files, and what `check`, and if asked for the dump tool, say of them."""
        self.expected[when] = {
            topic: Filled(list(filled.rows), set(filled.aborted), set(filled.theirs))
            for topic, filled in self.found.items()
        }
        self.files[when] = self.read_files()
        self.marked[when] = (self.root / CLEAN_MARKER).exists()
        if when in CHECKED:
            self.findings[when] = [str(finding) for finding in kformat.check([self.root])]
        if is_dumped:
            self.dumps[when] = self.dump()

    def read_files(self, root: Path | None = None) -> Files:
        root = root or self.root
        folders = [root / topic.folder for topic in TOPICS]
        paths = [path for folder in folders for path in sorted(folder.iterdir()) if path.suffix in SUFFIXES]
        return {str(path.relative_to(root)): path.read_bytes() for path in paths}

    def rebuilt(self) -> Files:
        """The files as the engine makes them anew where there are no indexes."""
        with tempfile.TemporaryDirectory(prefix="kformat-rebuilt-") as work:
            for topic in TOPICS:
                ignored = shutil.ignore_patterns("*.index", "*.timeindex")
                shutil.copytree(self.root / topic.folder, Path(work) / topic.folder, ignore=ignored)
            reopen(Path(work))
            return self.read_files(Path(work))

    def ask(self, when: str, wanted: dict[str, list[int]]) -> None:
        self.told[when] = ask(self.version, self.broker, wanted)
        self.strays += [f"{when}: {path.name}" for path in self.root.iterdir() if "-stray" in path.name]

    def dump(self) -> list[Run]:
        """The dump tool of that version on every file of every topic."""
        runs: list[list[str]] = []
        for topic in TOPICS:
            folder = self.root / topic.folder
            logs, indexes = (
                [str(path) for path in sorted(folder.iterdir()) if path.suffix in suffixes]
                for suffixes in ((".log",), (".index", ".timeindex"))
            )
            runs.append(["--deep-iteration", "--print-data-log", "--files", ",".join(logs)])
            runs.append(["--files", ",".join(indexes)])
            runs.append(["--index-sanity-check", "--files", ",".join(indexes)])
        return dump_many(self.version, runs)


@pytest.fixture(scope="module", params=VERSIONS)
def story(request: pytest.FixtureRequest) -> Iterator[Story]:
    require(request.param)
    with tempfile.TemporaryDirectory(prefix="kformat-adopted-") as work:
        found = Story(request.param, Broker(request.param, Path(work), BROKER_CONFIG))
        try:
            found.play()
        finally:
            found.broker.kill()
        yield found


def last_logs(files: Files) -> set[str]:
    """The names of the active segments, without their ending."""
    last: dict[str, str] = {}
    for name in sorted(files):
        if name.endswith(".log"):
            last[name.partition("/")[0]] = name.removesuffix(".log")
    return set(last.values())


def test_what_was_written(story: Story) -> None:
    """Ten topics with several segments each, of all that the engine can write, beside three small ones."""
    large = [topic for topic in TOPICS if topic.targets_count == LARGE_COUNT]
    assert len(large) == 10
    logs = [name for name in story.files["filled"] if name.endswith(".log")]
    codecs: dict[str, set[str]] = {}
    for topic in large:
        assert len([name for name in logs if name.startswith(f"{topic.folder}/")]) >= 3, topic.name
        rows = story.expected["filled"][topic.name].rows
        assert len(rows) > 2000
        assert (
            {None} < {row.key for row in rows}
            and {None} < {row.value for row in rows}
            and any(row.headers for row in rows)
        )
    for folder in story.root.iterdir():
        if folder.is_dir() and folder.name in {topic.folder for topic in large}:
            batches = [batch for segment in kformat.open(folder).segments for batch in segment.scan()]
            codecs[folder.name] = {batch.compression_name for batch in batches}
    assert set.union(*codecs.values()) == {"none", "gzip", "snappy", "lz4", "zstd"}
    found = {topic: filled.rows for topic, filled in story.expected["filled"].items()}
    assert (
        any(row.timestamp == -1 for row in found["plain"])
        and max(len(row.value or b"") for row in found["plain"]) >= 100_000
    )
    assert any(one.timestamp > other.timestamp for one, other in pairwise(found["late"]))
    jumps = [other.offset - one.offset for one, other in pairwise(found["gaps"])]
    assert found["gaps"][0].offset >= 5000 and max(jumps) > 2**31 and len({jump for jump in jumps if jump > 1}) > 5
    assert len(story.opened["filled"]["gaps"].epochs) == BROKER_EPOCH + 1
    first = min(int(Path(name).stem) for name in logs if name.startswith("cut-0/"))
    assert 0 < first < story.opened["filled"]["cut"].named["earliest"][0] == found["cut"][0].offset
    assert story.expected["filled"]["transactions"].aborted
    # Rolled because of time, and because an index was full.
    assert len([name for name in logs if name.startswith("snappy-0/")]) >= 3
    assert len([name for name in logs if name.startswith("lz4-0/")]) >= 3


def test_no_folder_is_a_stray(story: Story) -> None:
    assert story.strays == []


def test_the_engine_opens_what_it_closed(story: Story) -> None:
    """Nothing is found that had to be put right, and looking changes nothing."""
    assert story.marked["filled"] and story.marked["reopened"]
    for topic, opened in story.opened["filled"].items():
        assert opened.changes == [], opened.report
        assert opened.rows == story.expected["filled"][topic].rows, topic
    assert story.files["reopened"] == story.files["filled"]


@pytest.mark.parametrize(
    ("when", "expected"), [("adopted", "filled"), ("recovered", "appended"), ("rescued", "rescued")]
)
def test_the_consumer_reads_every_record(story: Story, when: str, expected: str) -> None:
    """Offset, timestamp, key, value and headers: what the engine wrote, and what clients wrote behind it."""
    for topic, filled in story.expected[expected].items():
        assert story.told[when].uncommitted[topic] == filled.rows, topic


@pytest.mark.parametrize(
    ("when", "expected"), [("adopted", "filled"), ("recovered", "appended"), ("rescued", "rescued")]
)
def test_the_consumer_of_committed_records(story: Story, when: str, expected: str) -> None:
    """It reads the same but for aborted transactions: those that the engine stored, and the broker's own."""
    for topic, filled in story.expected[expected].items():
        hidden = filled.theirs | filled.aborted
        assert story.told[when].committed[topic] == [row for row in filled.rows if row.offset not in hidden], topic
    transactions = story.expected[expected]["transactions"]
    assert transactions.aborted and bool(transactions.theirs) == (when != "adopted")


def test_offsets_for_times(story: Story) -> None:
    """10,000 timestamps of each topic: offset, timestamp and leader epoch are those that the engine says."""
    asked, distinct = 0, 0
    for topic in TOPICS:
        ours, theirs = story.opened["filled"][topic.name].times, story.told["adopted"].times[topic.name]
        assert len(theirs) == topic.targets_count and theirs.keys() == ours.keys() == set(story.wanted[topic.name])
        different = [(wanted, ours[wanted], theirs[wanted]) for wanted in ours if ours[wanted] != theirs[wanted]]
        assert different == [], f"{topic.name}: {len(different)} of {len(ours)}"
        asked, distinct = asked + len(ours), distinct + len(set(ours.values()))
    assert asked > 10 * LARGE_COUNT and distinct > LARGE_COUNT


def test_offsets_for_times_when_both_have_written(story: Story) -> None:
    for topic in TOPICS:
        ours, theirs = story.opened["rescued"][topic.name].times, story.told["rescued"].times[topic.name]
        assert theirs == ours and len(ours) >= min(LATER_TARGETS, topic.targets_count), topic.name


@pytest.mark.parametrize(("when", "opened"), [("adopted", "filled"), ("rescued", "rescued")])
def test_earliest_latest_and_largest(story: Story, when: str, opened: str) -> None:
    """Offsets and timestamps agree; epochs too, but for the end, which has the epoch of whoever leads now.

    Where no record has a timestamp, brokers name the first record that has none as the one with the largest; for the
    engine, as for `kformat find`, there is none.
    """
    for topic in TOPICS:
        ours, theirs = story.opened[opened][topic.name].named, story.told[when].named[topic.name]
        assert theirs["earliest"][:2] == ours["earliest"][:2], topic.name
        assert theirs["latest"][:2] == ours["latest"][:2], topic.name
        assert theirs["latest"][2] > BROKER_EPOCH
        largest: Answer = (0, -1, 0) if (when, topic.name) == ("adopted", "untimed") else ours["maxTimestamp"]
        assert theirs["maxTimestamp"] == largest, topic.name


@pytest.mark.parametrize("when", ["filled", "rescued"])
def test_the_dump_tool_finds_no_mismatch(story: Story, when: str) -> None:
    """Neither between log and indexes nor in any batch; gaps only where they were made.

    That of 4.x also takes the first record of a segment that does not begin with 0 for one behind a gap.
    """
    for topic, (logs, indexes, sanity) in zip(TOPICS, batched(story.dumps[when]), strict=True):
        for run in (logs, indexes, sanity):
            assert run.status == 0 and not COMPLAINT.search(run.stdout + run.stderr), (topic.name, run.stdout[-1000:])
        gaps = [pair for pair in GAP.findall(logs.stderr) if pair != b"-1"]
        assert bool(gaps) == (topic.name == "gaps"), topic.name
        expected = story.expected[when][topic.name].rows
        shown = [int(offset) for offset in SHOWN.findall(logs.stdout)]
        offsets = [row.offset for row in expected]
        assert set(shown) >= set(offsets) and (topic.name in ("cut", "transactions") or shown == offsets), topic.name
        assert len(SANE.findall(sanity.stdout)) == len(sanity.arguments[-1].split(",")), sanity.stdout


def batched(runs: list[Run]) -> list[tuple[Run, Run, Run]]:
    """Three runs for each topic."""
    return list(zip(runs[::3], runs[1::3], runs[2::3], strict=True))


@pytest.mark.parametrize("when", CHECKED)
def test_check_finds_nothing(story: Story, when: str) -> None:
    """Also in the transaction indexes and the snapshots of producers."""
    rules = {match[0] for finding in story.findings[when] if (match := RULE.search(finding))}
    assert not rules, story.findings[when]


def test_the_engine_opens_what_the_broker_closed(story: Story) -> None:
    """Old and new records are there, and nothing had to be put right."""
    assert story.marked["adopted"] and story.marked["appended"]
    for topic, filled in story.expected["adopted"].items():
        opened = story.opened["adopted"][topic]
        assert opened.changes == [], opened.report
        assert opened.rows == filled.rows and len(filled.rows) > len(story.expected["filled"][topic].rows), topic
        assert opened.epochs[-1][0] > BROKER_EPOCH


def test_the_broker_recovers_to_the_same_bytes(story: Story) -> None:
    """It cuts nothing, and the indexes that it makes anew are those that the engine makes, and, of segments that were
    written without a pause, has made while it wrote them."""
    ours, theirs, written = story.files["rebuilt"], story.files["recovered"], story.files["filled"]
    assert theirs.keys() == ours.keys() and len(ours) > 120
    active = last_logs(story.files["appended"])
    for name, data in ours.items():
        is_grown = name.rpartition(".")[0] in active and not name.endswith(".log")
        found = theirs[name][: len(data)] if is_grown else theirs[name]  # the active one's are as large as they may get
        assert found == data, name
        if is_grown:
            assert not any(theirs[name][len(data) :]), name
    sealed = [name for name in written if name.rpartition(".")[0] not in last_logs(written)]
    assert len(sealed) > 80
    for name in sealed:
        assert theirs[name] == written[name], name


def test_nobody_cuts_a_log(story: Story) -> None:
    stages = ("filled", "reopened", "adopted", "appended", "recovered", "killed", "rescued", "end")
    for before, after in pairwise(stages):
        assert story.files[before].keys() <= story.files[after].keys()
        for name, data in story.files[before].items():
            if name.endswith(".log"):
                assert story.files[after][name].startswith(data), f"{name}, from {before} to {after}"


def test_the_engine_recovers_what_a_killed_broker_left(story: Story) -> None:
    """Every record that was acknowledged is there, the broker's own topics included, and the root is clean again."""
    assert not story.marked["killed"] and story.marked["rescued"]
    for topic, filled in story.expected["killed"].items():
        opened = story.opened["killed"][topic]
        assert "rebuild" in opened.report and not re.search("torn|refuse", opened.report), opened.report
        assert opened.rows == filled.rows and len(filled.rows) > len(story.expected["appended"][topic].rows), topic
        assert story.opened["rescued"][topic].changes == [], story.opened["rescued"][topic].report
        assert story.opened["rescued"][topic].rows == story.expected["rescued"][topic].rows
    assert len(story.opened["killed"]) > len(TOPICS)


def test_a_rescued_root_is_clean_to_the_broker(story: Story) -> None:
    """It was started on it, asked and stopped, and not a byte of logs and indexes is different."""
    assert story.marked["end"] and story.files["end"].keys() == story.files["rescued"].keys()
    assert [name for name, data in story.files["end"].items() if data != story.files["rescued"][name]] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_a_broker_starts_on_the_log_that_it_was_killed_in(version: str, tmp_path: Path) -> None:
    """It would die, with all its partitions, of an active index longer than the topic's `segment.index.bytes`: the
    engine, which is not told of it, keeps to the size of the indexes that it finds."""
    require(version)
    broker = Broker(version, tmp_path / "broker", BROKER_CONFIG)
    try:
        broker.start()
        admin = admin_client.AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
        new = admin_client.NewTopic("narrow", 1, 1, config={"segment.index.bytes": "1000"})
        admin.create_topics([new])["narrow"].result(TIMEOUT_S)
        producer = confluent_kafka.Producer({"bootstrap.servers": broker.bootstrap, "acks": "all", "log_level": 0})
        producer.produce("narrow", b"from a client", partition=0)
        assert producer.flush(TIMEOUT_S) == 0
        broker.kill()
        with Log.open(broker.data / "narrow-0", LogConfig(index_interval_bytes=0)) as log:
            assert log.config.segment_index_bytes == 1000
            for number in range(300):
                log.append([b"%d" % number])  # an index entry for each
            assert len(log.segments) == 3 and max(one.offset_entry_count for one in log.segments) == 1000 // 8
        broker.start()
        assert [row.offset for row in ask(version, broker, {"narrow": []}).uncommitted["narrow"]] == list(range(301))
        broker.stop()
    finally:
        broker.kill()
