"""Cases through all readers, in several processes, and what came of it.

tally = run(seed=1, cases=3000)
tally.unknown      descriptions of disagreements that no class knows
tally.found        class -> how often, the shortest example, what Kafka says
"""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import signal
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

import kformat
from kformat.errors import ChecksumError, CompressionError, DataError, LimitError
from kformat.kafka.batch.compression import decompress
from kformat.language.layout import layout
from tests.damages import patched
from tests.differential.classes import CLASSES, Class
from tests.differential.compare import HAZARD, ONLY_THEY, ONLY_WE, VALUES, Difference, log_differences
from tests.differential.hazards import Hazard
from tests.differential.inputs import LOG_FORMATS
from tests.differential.mutation import Case, make_case
from tests.differential.readers import (
    KAFKA,
    PEERS,
    Log,
    kafka_logs,
    kafka_values,
    kformat_log,
    kformat_value,
    peer_log,
    text_of,
)
from tests.differential.readers import VALUES as KAFKAS_VALUES
from tests.kaitai_witness import Refused, witness_values

CODEC: Final = "kformat.parse"
WITNESS: Final = "witness"
CHUNK: Final = 2500
LONGEST_S: Final = 20
"""What one case may take; it takes a millisecond, on a machine that does other things as well perhaps a second."""
KEPT: Final = 12
"""Of unknown disagreements, and of foreign exceptions and hangs, so many are described; all are counted."""

Answer = dict[str, Any] | str
"""Values, or why there are none."""


@dataclass
class Found:
    """What was found of one class."""

    count: int = 0
    kafka: Counter[str] = field(default_factory=Counter)
    """How often Kafka does as kformat, as the other one, as neither."""
    example: tuple[int, int, str] | None = None
    """Size, number of the case, text; of the shortest."""

    def add(self, other: Found) -> None:
        self.count += other.count
        self.kafka += other.kafka
        if other.example is not None and (self.example is None or other.example < self.example):
            self.example = other.example


@dataclass
class Tally:
    """What came of cases."""

    cases: Counter[str] = field(default_factory=Counter)
    """By format."""
    asked: Counter[str] = field(default_factory=Counter)
    """By reader."""
    accepted: Counter[str] = field(default_factory=Counter)
    """By reader: read without any complaint."""
    agreed: Counter[str] = field(default_factory=Counter)
    """By reader: both read it, with the same values throughout."""
    found: dict[str, Found] = field(default_factory=dict)
    """By the name of the class."""
    unknown: list[str] = field(default_factory=list)
    unknown_count: int = 0

    def add(self, other: Tally) -> None:
        """Both together."""
        for mine, theirs in zip(
            (self.cases, self.asked, self.accepted, self.agreed),
            (other.cases, other.asked, other.accepted, other.agreed),
            strict=True,
        ):
            mine.update(theirs)
        for name, found in other.found.items():
            self.found.setdefault(name, Found()).add(found)
        self.unknown = (self.unknown + other.unknown)[:KEPT]
        self.unknown_count += other.unknown_count


def run(seed: int, cases: int, *, start: int = 0, kafka: bool = False, processes: int = 1) -> Tally:
    """Cases ``start`` to ``start + cases`` of a seed; ``kafka``: its classes are asked, too."""
    chunk = max(CHUNK, cases // (4 * processes) if kafka else 0)  # each chunk starts a JVM
    chunks = [(seed, first, min(first + chunk, start + cases), kafka) for first in range(start, start + cases, chunk)]
    tally = Tally()
    if processes == 1:
        for arguments in chunks:
            tally.add(run_chunk(arguments))
        return tally
    # Spawned, because a fork of a process with threads (pytest has loaded all sorts of things) may hang. Where a reader
    # takes its process with it, that is an error here (of a `multiprocessing.Pool` nobody would hear again).
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), faulthandler.enable) as pool:
        for part in pool.map(run_chunk, chunks):
            tally.add(part)
    return tally


def run_chunk(arguments: tuple[int, int, int, bool]) -> Tally:
    """Cases of one seed from one number to another."""
    seed, start, end, ask_kafka = arguments
    tally = Tally()
    cases = [make_case(seed, number) for number in range(start, end)]
    judged = _ask_kafka(cases) if ask_kafka else {}
    for case in cases:
        tally.cases[case.format] += 1
        try:
            with within(LONGEST_S):
                _case(tally, case, judged.get(case.number))
        except Exception:  # of the codec, which raises none but its own; the readers' own are refusals
            _unknown(tally, f"{case}\n{traceback.format_exc()}")
    return tally


def _case(tally: Tally, case: Case, judgement: Any) -> None:
    _tell(tally, case, None, declared_differences(case, tally))
    if case.format in LOG_FORMATS:
        _log(tally, case, judgement)
    elif judgement is not None:
        _value(tally, case, judgement)


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """TimeoutError where it takes longer: nothing may hang."""

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _unknown(tally: Tally, text: str) -> None:
    tally.unknown_count += 1
    if len(tally.unknown) < KEPT:
        tally.unknown.append(text)


def _ask_kafka(cases: Sequence[Case]) -> dict[int, Any]:
    """What Kafka makes of the cases that it has classes for, by their numbers."""
    logs = [case for case in cases if case.format in LOG_FORMATS]
    values = [case for case in cases if case.format in KAFKAS_VALUES]
    answers = [*kafka_logs([case.data for case in logs]), *kafka_values([(case.format, case.data) for case in values])]
    return {case.number: answer for case, answer in zip((*logs, *values), answers, strict=True)}


def _value(tally: Tally, case: Case, theirs: Answer) -> None:
    """A case that is no log, as Kafka's classes read it."""
    ours = kformat_value(case.format, case.data)
    differences = list(_compared(case, "Kafka", ours, theirs))
    tally.asked["Kafka"] += 1
    if not isinstance(theirs, str):
        tally.accepted["Kafka"] += 1
        tally.agreed["Kafka"] += not differences
    _tell(tally, case, None, differences)


def examine(case: Case, kafka: Log | None) -> Iterator[str]:
    """One case told in full, for people."""
    tally = Tally()
    yield str(case)
    for difference in declared_differences(case, tally):
        yield f"{difference}\n  {class_of(difference)}"
    if case.format in LOG_FORMATS:
        ours = kformat_log(case.data)
        readings: list[tuple[str, Log | Hazard]] = [(peer, peer_log(peer, case.data)) for peer in PEERS]
        if kafka is not None:
            readings.append((f"Kafka {KAFKA}", kafka))
        yield f"kformat: {ours}"
        for reader, theirs in readings:
            yield f"{reader}: {theirs}"
            if isinstance(theirs, Log):
                for difference in log_differences(case, reader.split(" 4.")[0], ours, theirs):
                    yield f"{difference}\n  {class_of(difference)}"


def class_of(difference: Difference) -> Class | None:
    """The class that a disagreement belongs to; the first that knows it."""
    return next((known for known in CLASSES if known.matches(difference)), None)


# --- logs: kformat's batches, the peers, Kafka ------------------------------------------------------------------------


def _log(tally: Tally, case: Case, kafka: Log | None) -> None:
    ours = kformat_log(case.data)
    _count(tally, "kformat", ours, None)
    ours_is_kafkas = True
    if kafka is not None:
        differences = list(log_differences(case, "Kafka", ours, kafka))
        ours_is_kafkas = not differences
        _count(tally, "Kafka", kafka, differences)
        _tell(tally, case, None, differences)
    for peer in PEERS:
        theirs = peer_log(peer, case.data)
        if isinstance(theirs, Hazard):
            _tell(tally, case, None, [Difference(case, peer, HAZARD, theirs.kind, ours.tail)])
            continue
        differences = list(log_differences(case, peer, ours, theirs))
        _count(tally, peer, theirs, differences)
        verdict = None
        if kafka is not None and differences:
            as_theirs = not list(log_differences(case, peer, kafka, theirs))
            verdict = "as kformat" if ours_is_kafkas else "as the other" if as_theirs else "as neither"
        _tell(tally, case, verdict, differences)


def _count(tally: Tally, reader: str, log: Log, differences: list[Difference] | None) -> None:
    tally.asked[reader] += 1
    if log.batches and not log.tail and all(batch.error is None for batch in log.batches):
        tally.accepted[reader] += 1
        tally.agreed[reader] += not differences


def _tell(
    tally: Tally, case: Case, verdict: str | None, differences: Sequence[Difference] | Iterator[Difference]
) -> None:
    told = set()
    for difference in differences:
        known = class_of(difference)
        if known is None:
            _unknown(tally, f"{case}\n{difference}")
        elif known.name not in told:  # a case counts once
            told.add(known.name)
            example = (len(case.data), case.number, f"{case.data.hex()}")
            found = Found(1, Counter([verdict] if verdict else []), example)
            tally.found.setdefault(known.name, Found()).add(found)


# --- declared values: the codec, and the witness ----------------------------------------------------------------------


def declared_differences(case: Case, tally: Tally) -> Iterator[Difference]:
    """Codec against witness; codec against kformat's own readers of batches."""
    strict, loose = codec_values(case.format, case.data, True), codec_values(case.format, case.data, False)
    tally.asked.update((CODEC, WITNESS))
    theirs = witness_answer(case.format, case.data, loose)
    tally.accepted[CODEC] += not isinstance(strict, str)
    if not isinstance(theirs, str):
        tally.accepted[WITNESS] += 1
        tally.agreed[WITNESS] += theirs == loose
    yield from _compared(case, WITNESS, loose, theirs)
    if isinstance(strict, str) and not isinstance(loose, str) and not strict.startswith(ChecksumError.__name__):
        yield Difference(case, CODEC, ONLY_WE, "without checksums", loose, strict)
    if case.format in LOG_FORMATS:
        yield from _own_readers(case, strict)


def _compared(case: Case, reader: str, ours: Answer, theirs: Answer) -> Iterator[Difference]:
    if isinstance(ours, str) != isinstance(theirs, str):
        yield Difference(case, reader, ONLY_THEY if isinstance(ours, str) else ONLY_WE, "", ours, theirs)
    elif not isinstance(ours, str) and ours != theirs:
        yield Difference(case, reader, VALUES, "", ours, theirs)


def codec_values(format: str, data: bytes, checksums: bool) -> Answer:
    """What `kformat.parse` gives."""
    try:
        value: Any = kformat.parse(format, data, checksums=checksums)
    except DataError as error:
        return text_of(error)
    return dict(value._asdict())


def witness_answer(format: str, data: bytes, ours: Answer) -> Answer:
    """What the witness gives; of a compressed payload, which it leaves alone, what it makes of the inflated bytes."""
    try:
        found = witness_values(format, data)
        if format == "record_batch" and "payload" in found:
            codec = found["attributes"]["compression"]
            plain = found["attributes"] | {"compression": 0}
            inflated = decompress(codec, found.pop("payload"))
            size = layout(format).header_dtype.itemsize
            bits = layout(format).bits("attributes")["compression"]
            whole = layout(format).reader("attributes")(data, 0) & ~(bits.mask << bits.shift)
            batch = patched(
                data[:size] + inflated,
                attributes=whole,
                batch_length=size + len(inflated) - layout(format).end("batch_length"),
            )
            records = witness_values(format, batch)
            assert records["attributes"] == plain
            found["records"] = records["records"]
        elif format == "legacy_message" and isinstance(found["message"].get("message_set"), bytes):
            message = found["message"]
            inflated = decompress(message["attributes"]["compression"], message["message_set"], magic=message["magic"])
            message["message_set"] = witness_values("legacy_message::message_set", inflated)
    except Refused as refused:
        return str(refused)
    except (CompressionError, LimitError) as error:
        return text_of(error)
    return found


def _own_readers(case: Case, strict: Answer) -> Iterator[Difference]:
    """`kformat.parse` of a single batch against `iter_batches` and `records`, which do not look at checksums."""
    log = kformat_log(case.data)
    is_read = len(log.batches) == 1 and not log.tail and log.batches[0].error is None
    if is_read == isinstance(strict, str):
        text = log.tail or "; ".join(batch.error or "read" for batch in log.batches)
        batch = log.batches[0] if log.batches else None
        yield Difference(case, CODEC, ONLY_WE if is_read else ONLY_THEY, "", text, strict, batch)
