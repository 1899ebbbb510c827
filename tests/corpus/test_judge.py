"""The corpora held against Kafka 4.4.0: every record of every sound file, and its verdict on every file.

`kafka` in the manifest is a model (`kformat.corpus.verdict`); here Kafka's own record classes, its dump tool and its
readers of text files are asked, one JVM for all files each. The peers' readers read the sound logs, too.
"""

from __future__ import annotations

import base64
import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from kformat.corpus import CorpusFile, Entry, sound_files, write_corpus
from kformat.corpus.verdict import READS, REFUSES, STOPS
from kformat.kafka.batch.records import Record
from kformat.kafka.files.text_files import is_sidecar
from tests.judges import dump_many, releases
from tests.judges.java_tools import read_batches
from tests.judges.required import is_missing, require
from tests.kafka.test_text_files_judge import ask

pytestmark = pytest.mark.drawn

JUDGE: Final = releases.NEWEST
LOGS: Final = ("log", "metadata_snapshot")
BINARY: Final = (*LOGS, "offset_index", "time_index", "transaction_index", "producer_snapshot")

# The dump tool dies of these sound and odd files.
THE_TOOL_DIES = {
    "odd/kafka/leader-change-version-1-0/00000000000000000000.log": REFUSES,
    "sound/fresh/second-7/00000000000000000000.index": "NoSuchElementException",
}


class Corpus:
    """A corpus on disk, its cases, and what its manifest says of each file."""

    def __init__(self, root: Path, entries: list[Entry]) -> None:
        self.root = root
        self.entries = [entry for entry in entries if not entry.beside]
        files = json.loads((root / "manifest.json").read_text(encoding="utf-8"))["files"]
        self.verdicts: dict[str, dict[str, Any]] = {file["path"]: file["kafka"] for file in files}

    def of(self, kinds: tuple[str, ...]) -> list[Entry]:
        return [entry for entry in self.entries if entry.file.kind in kinds]

    def paths(self, entries: list[Entry]) -> list[Path]:
        return [self.root / entry.file.path for entry in entries]


@pytest.fixture(scope="module", params=[7, pytest.param(20, marks=pytest.mark.slow)])
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("corpus") / "out"
    return Corpus(root, write_corpus(root, seed=request.param, damage=True))


@pytest.fixture(scope="module")
def read_by_kafka(corpus: Corpus) -> list[tuple[Entry, list[dict[str, Any]]]]:
    """What Kafka's record classes make of each log: sound, odd and damaged."""
    require(JUDGE)
    logs = corpus.of(LOGS)
    return list(zip(logs, read_batches(JUDGE, corpus.paths(logs)), strict=True))


def text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def java_text(name: str) -> str:
    """A header's key as Java decodes it: what is no UTF-8 becomes replacement characters."""
    return name.encode("utf-8", "surrogateescape").decode(errors="replace")


def as_kafka_tells(record: Record) -> dict[str, Any]:
    return {
        "offset": record.offset,
        "timestamp": record.timestamp,
        "sequence": record.sequence,
        "key": text(record.key),
        "value": text(record.value),
        "headers": [[java_text(name), text(value)] for name, value in record.headers],
    }


@pytest.mark.judge
def test_kafka_reads_the_records_of_every_sound_file(
    read_by_kafka: list[tuple[Entry, list[dict[str, Any]]]],
) -> None:
    names = {0: "CreateTime", 1: "LogAppendTime", -1: "NoTimestampType"}
    count = 0
    for entry, batches in read_by_kafka:
        if entry.damage is not None:
            continue
        path = entry.file.path
        assert [batch.get("error") for batch in batches] == [None] * len(entry.file.parts), path
        for part, batch in zip(entry.file.parts, batches, strict=True):
            wanted = [as_kafka_tells(record) for record in part.records]
            found = (
                [{name: record[name] for name in as_kafka_tells(part.records[0])} for record in batch["records"]]
                if wanted
                else batch["records"]
            )
            assert found == wanted, path
            assert batch["is_valid"] and batch["size"] == part.size and batch["magic"] == part.magic, path
            assert batch["compression"] == part.codec and batch["last_offset"] == part.last_offset, path
            assert batch["max_timestamp"] == part.max_timestamp, path
            assert {batch["timestamp_type"]} >= {names[record.timestamp_type] for record in part.records[:1]}, path
            assert batch["is_transactional"] == part.is_transactional, path
            count += len(wanted)
    assert count > 4000


def reader_of(batches: list[dict[str, Any]]) -> tuple[str, int | None]:
    """How Kafka's record classes ended: in the manifest's words, and at which batch."""
    for batch in batches:
        if "error" in batch:
            if batch["error"] == "trailing bytes":
                return STOPS, batch["position"]
            return simple_name(batch["error"]), batch["position"]
    return READS, None


def simple_name(error: str) -> str:
    """The class of a Java exception without its package."""
    match = re.match(r"[\w.$]+", error)
    assert match is not None, error
    return match[0].rpartition(".")[2]


def agrees(told: str, verdict: str) -> bool:
    return told == verdict or (verdict == REFUSES and told.endswith(("Exception", "Error")))


@pytest.mark.judge
def test_kafkas_readers_end_as_the_manifest_says(
    corpus: Corpus, read_by_kafka: list[tuple[Entry, list[dict[str, Any]]]]
) -> None:
    wrong, refused = [], 0
    for entry, batches in read_by_kafka:
        verdict = corpus.verdicts[entry.file.path]
        told, at = reader_of(batches)
        invalid = [batch["position"] for batch in batches if batch.get("is_valid") is False]
        refused += told != READS
        if not agrees(told, verdict["reader"]) or (at, invalid) != (verdict["at"], verdict["invalid"]):
            wrong.append((entry.file.path, told, at, invalid, verdict))
    assert wrong == []
    assert refused > 500


@pytest.mark.judge
def test_the_dump_tool_ends_as_the_manifest_says(corpus: Corpus) -> None:
    """With --print-data-log, on standard output and status; its reports of indexes are tests/dump/test_judge.py's."""
    require(JUDGE)
    entries = corpus.of(BINARY)
    wrong, died = [], 0
    runs = dump_many(JUDGE, [["--files", entry.file.path, "--print-data-log"] for entry in entries], corpus.root)
    for entry, run in zip(entries, runs, strict=True):
        error = run.stderr.decode(errors="replace")
        told = READS
        if run.status:
            died += 1
            match = re.search(r'Exception in thread "main" ([\w.$]+)', error)
            told = simple_name(match[1] if match else error)
        elif "is corrupt" in error or "failed schema validation" in error:
            told = "CorruptSnapshotException"
        if not agrees(told, corpus.verdicts[entry.file.path]["dump"]):
            wrong.append((entry.file.path, told, corpus.verdicts[entry.file.path]["dump"]))
    assert wrong == []
    assert died > 300
    dead = {
        path: verdict["dump"]
        for path, verdict in corpus.verdicts.items()
        if verdict is not None and not path.startswith("damaged/") and verdict["dump"] not in (READS, "ignores")
    }
    assert dead == THE_TOOL_DIES


@pytest.mark.judge
def test_kafka_reads_text_files_as_the_manifest_says(corpus: Corpus) -> None:
    require(JUDGE)
    entries = [entry for entry in corpus.entries if is_sidecar(entry.file.path)]
    entries = [entry for entry in entries if entry.file.data or entry.file.kind != "clean_shutdown"]
    files = [(entry.file.path.rpartition("/")[2], entry.file.data) for entry in entries]
    wrong = set()
    for entry, answer in zip(entries, ask(JUDGE, files), strict=True):
        told = READS if answer is not None else REFUSES
        if told != corpus.verdicts[entry.file.path]["reader"]:
            wrong.add(entry.file.path)
    assert wrong == set()
    assert len(entries) > 200


# --- the peers ------------------------------------------------------------------------------------------------------

# What they cannot read, or read in another way, and why.
_STREAMS = "kraft/framing-snappy-streams"  # they read the first of several streams, and then damage
_OLD_LZ4 = [
    "framing-0-lz4-right-checksum", "magic-0-lz4", "upgraded", "wrapper-0-lz4-big", "wrapper-0-lz4-gaps",
]  # fmt: skip
PEERS_DIFFER: dict[str, dict[str, str]] = {
    "kafka": {_STREAMS: "UncompressError"},
    "aiokafka": {
        _STREAMS: "DecompressionError",
        # It refuses lz4 in magic 0, which brokers 0.8 and 0.9 could write.
        **{f"zookeeper/{name}": "UnsupportedCodecError" for name in _OLD_LZ4},
    },
}

PROGRAM = """
import json, sys
from pathlib import Path
from tools.corpus_coverage import peer_records
import importlib
if sys.argv[1] == "kafka":
    import lz4.frame, snappy, zstandard
memory = importlib.import_module(sys.argv[1] + ".record.memory_records").MemoryRecords
for line in sys.stdin:
    records, error = [], None
    try:
        for record in peer_records(memory(Path(line.rstrip("\\n")).read_bytes())):
            headers = [[name, None if value is None else value.hex()] for name, value in record.headers]
            data = [None if data is None else bytes(data).hex() for data in (record.key, record.value)]
            records.append([record.offset, record.timestamp, *data, headers])
    except Exception as problem:
        error = f"{type(problem).__name__}: {problem}"
    print(json.dumps([records, error]))
"""


def read_by_peer(package: str, paths: list[Path]) -> Iterator[Any]:
    environment = os.environ | {"AIOKAFKA_NO_EXTENSIONS": "1", "PYTHONPATH": os.getcwd()}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, package],
        input="".join(f"{path}\n" for path in paths),
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        check=False,
    )
    if "No module named" in done.stderr:
        is_missing(f"judge missing: {package}, or one of its codecs")
    assert done.returncode == 0, done.stderr
    return map(json.loads, done.stdout.splitlines())


@functools.cache
def sound_logs(seed: int) -> list[CorpusFile]:
    return [file for file in sound_files(seed) if file.kind == "log" and file.path.startswith("sound/")]


@pytest.mark.parametrize("package", ["kafka", "aiokafka"])
@pytest.mark.parametrize("seed", [7, pytest.param(20, marks=pytest.mark.slow)])
def test_peers_read_the_sound_logs(seed: int, package: str, tmp_path: Path) -> None:
    files = sound_logs(seed)
    paths = [tmp_path / str(number) for number in range(len(files))]
    for path, file in zip(paths, files, strict=True):
        path.write_bytes(file.data)
    wrong: dict[str, str] = {}
    for file, (records, error) in zip(files, read_by_peer(package, paths), strict=True):
        case = file.path.removeprefix("sound/").partition("-0/")[0]
        wanted = [
            [
                record.offset,
                None if record.timestamp_type == -1 else record.timestamp,
                *(None if data is None else data.hex() for data in (record.key, record.value)),
                [[name, None if value is None else value.hex()] for name, value in record.headers],
            ]
            for part in file.parts
            for record in part.records
        ]
        if error is not None:
            wrong[case] = error.partition(":")[0]
        elif records != wanted:
            wrong[case] = "other records"
    assert wrong == PEERS_DIFFER[package]
