"""Damaged bytes of every format through every reader: where they do not agree, it is known why.

What the readers are and what becomes of a case stands in `tests/differential`; docs/differences.md tells what was found
in the long run of `make nightly`. The peers are kafka-python and aiokafka; Kafka's own classes are a judge.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures.process import BrokenProcessPool
from time import sleep
from typing import Any

import pytest

import kformat
from kformat.language.layout import layout
from tests.damages import patched
from tests.differential import run as running
from tests.differential.classes import CLASSES
from tests.differential.hazards import Hazard, look_out
from tests.differential.inputs import LOG_FORMATS, inputs
from tests.differential.mutation import make_case, spots
from tests.differential.readers import KAFKA, PEERS, kformat_log, python_aiokafka
from tests.differential.run import Tally, run
from tests.draws import IS_NIGHT
from tests.judges.required import require
from tests.kaitai_witness import witness_bytes, witness_formats, witness_values
from tests.peak import ROOT
from tests.vectors import BY_NAME
from tools import differential

pytestmark = pytest.mark.drawn

SEED = 20_000
"""Another one than that of the long run."""


@pytest.fixture(scope="module")
def tally() -> Tally:
    return run(SEED, 3000)


def test_every_disagreement_is_known(tally: Tally) -> None:
    assert not tally.unknown, "\n\n".join(tally.unknown)
    assert tally.asked["kformat.parse"] == tally.asked["witness"] == 3000
    assert min(tally.asked[peer] for peer in PEERS) > 2000
    assert len(tally.found) > 20, "cases reach too few of the classes"


def test_cases_are_of_every_format_and_hit_and_miss(tally: Tally) -> None:
    assert set(tally.cases) == set(witness_formats()) - UNTRIED
    for reader in tally.asked:
        assert 0.25 < tally.accepted[reader] / tally.asked[reader] < 0.6, reader


UNTRIED = {
    *(f"voters_record::{name}" for name in ("endpoint", "kraft_version_feature", "voter")),
    *("record_batch::attributes", "record_batch::header", "record_batch::record_body"),
    *(f"legacy_message::{name}" for name in ("attributes", "head", "message", "message_set", "plain_message")),
    *("legacy_message::wrapped_message", "offset_index::entry", "producer_snapshot::entry", "time_index::entry"),
    "transaction_index::entry",
    *(name for name in witness_formats() if name.startswith("transaction_log_value::")),
}
"""Parts of what is tried."""


@pytest.mark.judge
def test_kafka_agrees_but_where_we_are_stricter_on_purpose() -> None:
    """Kafka's classes refuse the same batches, and read the same header fields and records in the others."""
    require(KAFKA)
    count = 4000 if IS_NIGHT else 1500
    tally = run(SEED + 1, count, kafka=True)
    assert not tally.unknown, "\n\n".join(tally.unknown)
    assert tally.asked["Kafka"] > 0.6 * count and 0.3 < tally.agreed["Kafka"] / tally.asked["Kafka"] < 0.6
    for known in CLASSES:
        assert "Kafka" not in known.readers or "on purpose" in known.ours or "kept" in known.ours


def test_a_wrong_reader_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes wrong with a record, a header field or a rule is of no known class."""

    def wrong(change: Any) -> Tally:
        def read(data: bytes) -> Any:
            log = kformat_log(data)
            for batch in log.batches:
                change(batch)
            return log

        monkeypatch.setattr(running, "kformat_log", read)
        return run(SEED, 200)

    def records(**fields: int) -> Any:
        def change(batch: Any) -> None:
            for index, name in enumerate(("offset", "timestamp", "key", "value", "headers")):
                if name in fields:
                    batch.records = [(*item[:index], fields[name], *item[index + 1 :]) for item in batch.records]

        return change

    def accepted(batch: Any) -> None:
        batch.error = None

    def refused(batch: Any) -> None:
        batch.error = "InvalidError record_batch.records[0]: something"

    for name in ("offset", "timestamp", "key", "value", "headers"):
        assert wrong(records(**{name: -77})).unknown_count > 30, name
    assert wrong(lambda batch: batch.header.update(crc=0)).unknown_count > 30
    assert wrong(accepted).unknown_count > 30
    assert wrong(refused).unknown_count > 30
    assert wrong(lambda batch: None).unknown_count == 0


def test_foreign_exceptions_and_hangs_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(data: bytes) -> Any:
        raise IndexError("not one of ours")

    def hanging(data: bytes) -> Any:
        sleep(60)

    for read, word in ((broken, "not one of ours"), (hanging, "more than 0.05 seconds")):
        monkeypatch.setattr(running, "kformat_log", read)
        monkeypatch.setattr(running, "LONGEST_S", 0.05 if read is hanging else 20)
        found = run(SEED, 4)
        assert 0 < found.unknown_count <= 4
        assert word in found.unknown[0] and "python -m tools.differential --seed" in found.unknown[0]


def test_same_seed_same_cases() -> None:
    program = (
        "import hashlib; from tests.differential.mutation import make_case;"
        "print(hashlib.sha256(b''.join(make_case(7, number).data for number in range(300))).hexdigest())"
    )
    digests = set()
    for hash_seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        digests.add(done.stdout)
    assert len(digests) == 1
    assert make_case(7, 3) == make_case(7, 3) != make_case(8, 3)


def test_spots_are_where_the_fields_are() -> None:
    """What mutations aim at, against the golden bytes: Kafka's own."""
    found = {spot.path: spot for spot in spots(next(i for i in inputs()["record_batch"] if i.name == "none"))}
    assert found["record_batch.producer_epoch"].position == 51 and found["record_batch.producer_epoch"].size == 2
    spot = found["record_batch.records[1].offset_delta"]
    assert spot.kind == "varint" and BY_NAME["none"].data[spot.position] == 2 and spot.value == 1


# --- what peers are not asked -----------------------------------------------------------------------------------------

MESSAGE: dict[str, Any] = {"attributes": {}, "timestamp": 1, "key": None, "value": b"v"}
WRAPPER = kformat.build(
    "legacy_message",
    {
        "offset": 1,
        "message": {
            **MESSAGE,
            "value": None,
            "attributes": {"compression": "gzip"},
            "message_set": {"messages": [{"offset": number, "message": MESSAGE} for number in range(2)]},
        },
    },
)


def with_size(size: int) -> bytes:
    """The wrapper, with another size in its first message."""
    from kformat.kafka.batch.compression import compress, decompress

    value: Any = kformat.parse("legacy_message", WRAPPER, raw=True)
    inflated = bytearray(decompress(1, value.message.message_set))
    layout("legacy_message::wrapped_message").writer("message_size")(inflated, 0, size)
    message = {**value._asdict()["message"], "message_set": compress(1, inflated)}
    return kformat.build("legacy_message", {"offset": 1, "message": message})


def asked(peer: str, data: bytes) -> int:
    """How a process ends that asks a peer; with little memory and time."""
    program = (
        "import sys; from tests.differential.readers import memory_records\n"
        "batch = memory_records(sys.argv[1])(bytes.fromhex(sys.argv[2])).next_batch()\n"
        "list(batch)"
    )

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (4, 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    command = [sys.executable, "-c", program, peer, data.hex()]
    return subprocess.run(command, cwd=ROOT, preexec_fn=limit, capture_output=True, timeout=60).returncode


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="how a process dies of this is known for Linux")


@on_linux
@pytest.mark.slow
@pytest.mark.parametrize("peer", PEERS)
def test_a_message_of_negative_size_hangs_the_peers(peer: str) -> None:
    """So that what is not asked is not asked for a reason: four seconds of computing, or 1 GiB, are not enough."""
    data = with_size(-12)
    assert look_out(peer, data) == Hazard("hangs") and look_out(peer, WRAPPER) is None
    assert asked(peer, WRAPPER) == 0
    out_of_memory, out_of_time = 1, (-signal.SIGXCPU, -signal.SIGKILL)
    ended = asked(peer, data)
    assert ended in out_of_time or (peer != "aiokafka" and ended == out_of_memory)
    assert kformat_log(data).batches[0].error is not None


@on_linux
def test_a_message_far_in_front_kills_the_c_extension() -> None:
    data = with_size(-(2**31))
    assert look_out("aiokafka", data) == Hazard("memory")
    assert asked("aiokafka", data) == -signal.SIGSEGV
    # What lies behind the value is passed over by them, an error of ours.
    frame, longer = layout("legacy_message"), bytearray(data + bytes(6))
    frame.writer("message_size")(longer, 0, frame.reader("message_size")(data, 0) + 6)
    assert kformat_log(bytes(longer)).batches[0].error is not None
    assert look_out("aiokafka", bytes(longer)) == Hazard("memory")
    assert asked("aiokafka", bytes(longer)) == -signal.SIGSEGV


def die(_: object) -> None:
    os._exit(1)


def test_a_reader_that_dies_is_no_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "run_chunk", die)
    with pytest.raises(BrokenProcessPool):
        run(SEED, 2, processes=2)


# --- builders ---------------------------------------------------------------------------------------------------------

Row = tuple[int, int, bytes | None, bytes | None, list[tuple[str, bytes | None]]]


def rows(source: random.Random) -> list[Row]:
    """Records that everyone can build: offsets from 0, timestamps and lengths around the steps of varints."""

    def some(size: int) -> bytes | None:
        return None if size < 0 else source.randbytes(size)

    start = source.choice((0, 1, 1_700_000_000_000, 2**62))
    found: list[Row] = []
    for number in range(source.choice((1, 2, 5, 70))):
        time = start + source.choice((0, 1, -1, 63, 64, -64, -65, 8191, 8192, 2**31, -(2**31), 2**40))
        sizes = (source.choice((-1, 0, 1, 62, 63, 64, 65, 8190)) for _ in range(2))
        headers = [
            (source.choice(("", "h", "zo\u00eb", "k" * 64)), some(source.choice((-1, 0, 1, 64))))
            for _ in range(source.choice((0, 0, 1, 3, 64)))
        ]
        found.append((number, max(time, 0), *(some(size) for size in sizes), headers))  # type: ignore[arg-type]
    return found


def modern_builders() -> dict[str, Any]:
    name = "record.default_records"
    from aiokafka.record import default_records as theirs  # the C extension
    from kafka.record import default_records as others

    return {
        "kafka-python": others.DefaultRecordBatchBuilder,
        "aiokafka": theirs.DefaultRecordBatchBuilder,
        "aiokafka (Python)": python_aiokafka(f"aiokafka.{name}").DefaultRecordBatchBuilder,
    }


def test_everyone_builds_the_same_batches() -> None:
    """Uncompressed batches of magic 2: the peers, the codec and the witness write the same bytes."""
    source, builders = random.Random(1), modern_builders()
    for _ in range(25):
        records, producer = rows(source), source.choice((-1, 0, 2**63 - 1))
        state = {"producer_id": producer, "producer_epoch": min(producer, 5), "base_sequence": min(producer, 2**31 - 1)}
        is_transactional = producer >= 0 and source.random() < 0.5
        start = records[0][1]
        ours = kformat.build(
            "record_batch",
            {
                **state,
                "attributes": {"is_transactional": is_transactional},
                "base_timestamp": start,
                "max_timestamp": max(time for _, time, *_ in records),
                "records": [
                    {
                        "offset_delta": offset,
                        "timestamp_delta": time - start,
                        "key": key,
                        "value": value,
                        "headers": [{"key": name, "value": data} for name, data in headers],
                    }
                    for offset, time, key, value, headers in records
                ],
            },
        )
        assert witness_bytes("record_batch", ours) == ours
        assert witness_values("record_batch", ours) == kformat.parse("record_batch", ours)._asdict()
        for peer, builder in builders.items():
            making = builder(
                magic=2, compression_type=0, is_transactional=is_transactional, batch_size=1 << 30, **state
            )
            for row in records:
                offset, time, key, value, headers = row
                making.append(offset, timestamp=time, key=key, value=value, headers=headers)
            theirs = bytes(making.build())
            # The leader's epoch: the leader sets it, and the checksum has nothing of it. kafka-python leaves 0 there.
            assert patched(theirs, mend=False, partition_leader_epoch=-1) == ours, peer


def test_everyone_builds_the_same_messages() -> None:
    """Plain messages of magic 0 and 1."""
    from aiokafka.record.legacy_records import LegacyRecordBatchBuilder as Theirs
    from kafka.record.legacy_records import LegacyRecordBatchBuilder as Others

    source = random.Random(2)
    python = python_aiokafka("aiokafka.record.legacy_records").LegacyRecordBatchBuilder
    builders = {"kafka-python": Others, "aiokafka": Theirs, "aiokafka (Python)": python}
    for number in range(100):
        magic = number % 2
        records = rows(source)
        ours = b""
        for offset, time, key, value, _ in records:
            message: dict[str, Any] = {"magic": magic, "attributes": {}, "key": key, "value": value}
            entry = {"offset": offset, "message": message | ({"timestamp": time} if magic else {})}
            one = kformat.build("legacy_message", entry)
            assert witness_bytes("legacy_message", one) == one
            ours += one
        for peer, builder in builders.items():
            making = builder(magic=magic, compression_type=0, batch_size=1 << 30)
            for offset, time, key, value, _ in records:
                making.append(offset, timestamp=time, key=key, value=value)
            assert bytes(making.build()) == ours, peer


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_tells_every_class() -> None:
    """docs/differences.md is of these classes, in these words, and of a long run in which almost each was met."""
    text = differential.PAGE.read_text(encoding="utf-8")
    for known in CLASSES:
        for words in (known.what, known.theirs, known.ours):
            assert words in text, f"{known.name}: run `python -m tools.differential --write`"
    made = differential.page(Tally(Counter({"record_batch": 1}), Counter(dict.fromkeys(PEERS, 1))), 5)
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == [line for line in made.splitlines() if line.startswith("#")]
    assert text.count("Found 0 times") <= differential.RARE < made.count("Found 0 times")


def test_the_tool(capsys: pytest.CaptureFixture[str]) -> None:
    assert differential.main(["--cases", "200", "--processes", "1", "--no-kafka"]) == 0
    assert "200 cases of seed 1 in" in capsys.readouterr().out
    number = next(n for n in range(100) if make_case(5, n).format in LOG_FORMATS)
    assert differential.main(["--seed", "5", "--case", str(number), "--no-kafka"]) == 0
    out = capsys.readouterr().out
    assert make_case(5, number).data.hex() in out and all(f"\n{peer}: " in out for peer in PEERS)


def test_an_unknown_disagreement_ends_the_tool_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tuple(known for known in CLASSES if known.name != "wrong checksum")
    monkeypatch.setattr(running, "CLASSES", kept)
    assert differential.main(["--cases", "200", "--processes", "1", "--no-kafka"]) == 1
    assert "ChecksumError" in capsys.readouterr().out
