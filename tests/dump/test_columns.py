"""What kernels print of a log is what is printed line by line, and so is what is complained of, for any bytes."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from kformat import kernels
from kformat.cli import main
from kformat.dump import DumpReport, Options, columns, inputs, items, java_text, text, text_lines
from kformat.errors import MissingDependencyError
from kformat.kafka.batch import batches
from kformat.kafka.batch.framing import Walk
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kernels.compiled import compiled_by_hand
from kformat.storage.byte_source import ByteSource
from kformat.testing import damaged, logs
from tests.draws import at_most, every
from tests.dump_cases import CASES, LOG, NO_TEXT, Case, batch, control, golden, marker, patched, record
from tests.kernel_cases import mutated
from tests.peak import ROOT as PEAK_ROOT
from tests.samples import ROOT as SAMPLES

LOGS = every(2, sorted(path for path in SAMPLES.rglob("*") if path.suffix in (".log", ".checkpoint")))
MODES = {
    "plain": Options(),
    "deep": Options(deep_iteration=True),
    "contents": Options(print_data_log=True),
    "keys-alone": Options(print_data_log=True, skip_record_metadata=True),
    "nothing-of-them": Options(deep_iteration=True, skip_record_metadata=True),
}
RANGES: tuple[dict[str, Any], ...] = (
    {"from_offset": 3},
    {"to_offset": 40},
    {"from_offset": 5, "to_offset": 17},
    {"since_ms": 1004},
    {"since_ms": 1002, "until_ms": 1100, "from_offset": 4},
    {"until_ms": 2**63 - 1, "from_offset": -(2**63)},
    {"from_offset": -(2**80), "until_ms": 2**80},
)

LOG_CASES = [case for case in CASES if case.dumped.endswith((".log", ".checkpoint"))]

Told = tuple[bytes, list[str], list[str]]
"""What is printed, what was damaged, where among it, and what is reported."""


@pytest.fixture(autouse=True)
def kernels_from_the_first_line_on(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(columns, "WORTH_LINES", 0)
    monkeypatch.setattr(columns, "WORTH_BATCHES", 0)


def by_items(name: str, options: Options, source: Any = None) -> Told:
    """Line by line, by the codec."""
    return _told(
        options,
        lambda report: (
            line.encode("utf-8", "surrogateescape") + b"\n"
            for line in text_lines(items(name, options, report, source=source), name, options)
        ),
    )


def by_columns(name: str, options: Options, source: Any = None) -> Told:
    return _told(options, lambda report: text(name, name, options, report, source=source))


def _told(options: Options, printed: Any) -> Told:
    found, damage = bytearray(), []
    report = DumpReport(lambda error: damage.append(f"{len(found)}: {type(error).__name__} {error}"))
    for block in printed(report):
        found += block
    return bytes(found), damage, list(report.lines())


class Counted:
    """How many batches were read by the codec."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.batches = 0
        read = batches.read_batch

        def counting(*arguments: Any) -> Any:
            self.batches += 1
            return read(*arguments)

        monkeypatch.setattr(inputs, "read_batch", counting)


def same(name: str, options: Options, source: Any = None) -> Told:
    """What both ways say, which is the same."""
    told = by_columns(name, options, source)
    assert told == by_items(name, options, source)
    return told


@pytest.mark.parametrize("version", sorted({path.relative_to(SAMPLES).parts[0] for path in LOGS}))
def test_samples(version: str) -> None:
    for path in LOGS:
        if path.is_relative_to(SAMPLES / version):
            for options in (MODES["plain"], MODES["contents"]):
                same(str(path), options)


@pytest.mark.parametrize("case", LOG_CASES, ids=lambda case: case.name)
def test_cases_as_the_tool_prints_them(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["dump", "--files", case.path, *case.flags])
    assert (done.exit_code, done.stdout_bytes.decode()) == (case.status, golden()[case.name])


@pytest.mark.parametrize("mode", MODES)
def test_cases_in_all_modes_and_ranges(mode: str) -> None:
    for case in LOG_CASES:
        same(case.dumped, MODES[mode], case.files[case.dumped])
        for limits in RANGES:
            same(case.dumped, replace(MODES[mode], **limits), case.files[case.dumped])


def a_log() -> bytes:
    """Batches of every codec, sizes and kinds, with nulls, headers, bytes that are not text, gaps between offsets."""
    chance, made, offset = random.Random(7), [], 100
    bodies = (None, b"", b"text", "zoë".encode(), *NO_TEXT)
    for number in range(40):
        count = chance.choice((1, 2, 3, 20))
        values = [chance.choice((*bodies, chance.randbytes(30), b"v" * 200)) for _ in range(count)]
        keys = [chance.choice(bodies) for _ in range(count)]
        headers = [[("h", None), ("é", b"x")] if chance.random() < 0.3 else [] for _ in range(count)]
        fields = BatchFields(
            leader_epoch=number // 10,
            compression=("none", "none", "gzip", "snappy", "lz4", "zstd")[number % 6],
            append_time=5000 + number if number % 7 == 3 else None,
            producer_id=number if number % 3 else -1,
            producer_epoch=1 if number % 3 else -1,
            base_sequence=2**31 - 2 if number % 3 else -1,
        )
        times = [1000 + 10 * number + chance.randint(-9, 9) for _ in range(count)]
        made.append(build_batch(Columns(times, keys, values, headers), base_offset=offset, fields=fields))
        offset += count + chance.choice((0, 0, 5))
        if number % 8 == 5:
            made.append(control(offset, number % 2, marker(number)))
            offset += 1
    return b"".join(made)


@pytest.fixture(scope="module")
def log() -> bytes:
    return a_log()


@pytest.mark.parametrize("mode", MODES)
def test_kernels_print_what_is_sound(log: bytes, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it: none of its batches is read by the codec."""
    expected = by_items(LOG, MODES[mode], log)
    codec = Counted(monkeypatch)
    assert by_columns(LOG, MODES[mode], log) == expected
    assert codec.batches == 0


@pytest.mark.parametrize("mode", ["plain", "contents"])
def test_kernels_print_the_samples(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All batches of magic 2."""
    codec, count = Counted(monkeypatch), 0
    for path in LOGS:
        with ByteSource(path) as source:
            frames = list(Walk(source))
        if frames and all(frame.magic == 2 for frame in frames):
            assert by_columns(str(path), MODES[mode])[0]
            count += len(frames)
    assert count > 1000 and not codec.batches


def test_a_batch_that_kernels_refuse_is_read_by_the_codec_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = (
        patched(batch(3), "crc", 5),
        patched(batch(3), "records_count", 4),
        patched(batch(3), "records_count", -1),
        patched(batch(3), "magic", 3),
        patched(batch(3), "attributes", 1),
        patched(batch(3), "attributes", 7),
        control(3, 1, b"\0"),
    )
    data = b"".join(batch(0) + one for one in refused) + batch(6)
    codec = Counted(monkeypatch)
    printed, damage, _ = by_columns(LOG, MODES["contents"], data)
    assert codec.batches == len(refused)
    of_checksums = sum("ChecksumError" in one for one in damage)
    assert of_checksums == len(refused) - 2, "it does not cover the magic, and that of the control record is right"
    assert len(damage) == of_checksums + 5, "all but the first and magic 3, which is read as if it were 2"
    assert by_items(LOG, MODES["contents"], data)[:2] == (printed, damage)


@pytest.mark.parametrize("limits", RANGES, ids=str)
@pytest.mark.parametrize("mode", MODES)
def test_ranges(log: bytes, mode: str, limits: dict[str, Any]) -> None:
    same(LOG, replace(MODES[mode], **limits), log)
    moved = {name: value if abs(value) > 2**60 else value + 150 for name, value in limits.items()}
    same(LOG, replace(MODES[mode], **moved), log)


@pytest.mark.parametrize("size", [1, 300, 5000])
@pytest.mark.parametrize("what", ["_CHUNK_BYTES", "_TEXT_BYTES", "_INFLATED_BYTES", "_MOST_RECORDS", "max_bytes"])
def test_pieces_of_any_size(log: bytes, what: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    options = MODES["contents"]
    if what == "max_bytes":
        options = replace(options, max_bytes=size)
    else:
        monkeypatch.setattr(columns, what, size)
    same(LOG, options, log)
    same(LOG, replace(options, from_offset=150, since_ms=1100), log)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_logs(log: bytes, seed: int) -> None:
    """The same lines, the same damage, told behind the same lines."""
    chance, told = random.Random(seed), 0
    for number in range(60):
        damaged = mutated(log, chance)
        options = MODES[("contents", "deep", "plain", "keys-alone")[number % 4]]
        if number % 5 == 0:
            options = replace(options, **RANGES[number // 5 % len(RANGES)])
        told += len(same(LOG, options, damaged)[1])
    assert told > 5


def test_damage_everywhere_takes_no_longer_than_the_codec(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every other batch is refused by one kernel or the other: what follows is not tried again behind each."""
    bad = (patched(batch(3), "records_count", 4), patched(batch(3), "records_count", -1))
    data = b"".join(batch(0) + bad[number % 2] for number in range(2000))
    asked: list[int] = []
    decode = kernels.Kernel.decode

    def counting(self: Any, data: Any, windows: Any = None, **more: Any) -> Any:
        asked.append(0 if windows is None else len(windows))
        return decode(self, data, windows, **more)

    monkeypatch.setattr(kernels.Kernel, "decode", counting)
    assert len(by_columns(LOG, MODES["contents"], data)[1]) == 4000
    assert sum(asked) < 10_000


def test_damage_of_many_kinds_in_turn(log: bytes) -> None:
    chance = random.Random(11)
    parts = [mutated(batch(number), chance) if number % 3 else log for number in range(60)]
    assert len(same(LOG, MODES["contents"], b"".join(parts))[1]) >= 1


@pytest.mark.parametrize("mode", ["contents", "plain"])
def test_batches_over_the_limit(log: bytes, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in (100, 200, 300):
        monkeypatch.setattr(inputs, "DEFAULT_INFLATE_LIMIT", limit)
        assert same(LOG, MODES[mode], log)[1]


@settings(max_examples=at_most(60), deadline=None)
@given(log=logs(), mode=st.sampled_from(sorted(MODES)), limits=st.sampled_from(({}, *RANGES)))
def test_drawn_logs(log: Any, mode: str, limits: dict[str, Any]) -> None:
    same(log.name, replace(MODES[mode], **limits), log.data)


@settings(max_examples=at_most(60), deadline=None)
@given(found=damaged(logs(magics=2)), mode=st.sampled_from(sorted(MODES)))
def test_drawn_damage(found: Any, mode: str) -> None:
    data = found.data if hasattr(found, "data") else found
    same(LOG, MODES[mode], bytes(data))


EXTREMES = sorted({sign * 2**power + more for power in (0, 3, 15, 31, 62) for sign in (1, -1) for more in (-1, 0, 1)})
DECIMALS = sorted({sign * (10**power + more) for power in range(19) for sign in (1, -1) for more in (-1, 0, 1)})


def test_numbers() -> None:
    """Of every length, in every place, and beyond the ends of an int64, where Java's wrap."""
    data = b"".join(
        batch(number, max_timestamp=number, base_timestamp=number, producer_id=number)
        for number in (*DECIMALS, *EXTREMES, 2**63 - 1, -(2**63))
    )
    for number in EXTREMES:
        fields = {"last_offset_delta": number, "base_sequence": number, "partition_leader_epoch": number}
        data += b"".join(patched(batch(7), name, value) for name, value in fields.items() if abs(value) < 2**31)
        data += batch(2**62, [record(0, timestamp_delta=number), record(2**31 - 1)], base_sequence=2**31 - 1)
    text = same(LOG, MODES["contents"], data)[0]
    assert b": -9223372036854775808 " in text


ODD = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF]
ODD += [0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF]


def printed_value(value: bytes) -> str:
    data = batch(0, [record(0, b"", value)])
    return by_columns("x.log", MODES["keys-alone"], data)[0].split(b" payload: ", 1)[1].decode()[:-1]


def test_text_is_what_java_reads() -> None:
    """All that begins with two bytes at which UTF-8 divides, and with what may follow."""
    values = [
        bytes((a, b, c, d)) for a in ODD for b in ODD for c in (0x41, 0x80, 0xBF, 0xC2) for d in (0x41, 0x80, 0xF0)
    ]
    values += [value[:size] for value in values[:: len(ODD)] for size in (1, 2, 3)]
    for start in range(0, len(values), 500):
        some = values[start : start + 500]
        lines = by_columns("x.log", MODES["keys-alone"], batch(0, [record(n, None, one) for n, one in enumerate(some)]))
        expected = "".join(f"| payload: {java_text(value)}\n" for value in some)
        assert lines[0].decode().split("\n", 1)[1] == expected


@settings(max_examples=at_most(200), deadline=None)
@given(
    pieces=st.lists(st.one_of(st.text(max_size=12).map(str.encode), st.sampled_from(NO_TEXT), st.binary(max_size=20)))
)
def test_drawn_text_is_what_java_reads(pieces: list[bytes]) -> None:
    assert printed_value(b"".join(pieces)) == java_text(b"".join(pieces))


def test_without_numba_it_is_the_same(log: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = by_columns(LOG, MODES["contents"], log), by_columns(LOG, MODES["plain"], log)

    def missing(*arguments: Any) -> Any:
        raise MissingDependencyError("numba", "fast")

    codec = Counted(monkeypatch)
    monkeypatch.setattr(columns, "kernel", missing)
    assert by_columns(LOG, MODES["contents"], log) == expected[0]
    assert codec.batches == 45
    assert by_columns(LOG, MODES["plain"], log) == expected[1]
    assert codec.batches == 45, "headers are enough for lines of batches"


@pytest.mark.parametrize("limits", ({}, *RANGES[:3]), ids=str)
def test_lines_of_batches_from_headers(log: bytes, limits: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without kernels, and of all that has a header of magic 2, sound or not."""
    monkeypatch.setattr(columns, "WORTH_BATCHES", 1 << 60)
    options, chance = replace(MODES["plain"], **limits), random.Random(3)
    for path in LOGS[::2]:
        same(str(path), options)
    for case in LOG_CASES:
        same(case.dumped, options, case.files[case.dumped])
    for number in range(100):
        monkeypatch.setattr(columns, "_CHUNK_BYTES", (1, 300, 1 << 20)[number % 3])
        same(LOG, options, mutated(log, chance))
    monkeypatch.setattr(inputs, "DEFAULT_INFLATE_LIMIT", 200)
    same(LOG, options, log)


def test_only_what_headers_do_not_tell_is_read_for_lines_of_batches(
    log: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "WORTH_BATCHES", 1 << 60)
    codec = Counted(monkeypatch)
    by_columns(LOG, MODES["plain"], log + patched(batch(0), "magic", 3))
    assert codec.batches == 0
    by_columns(LOG, MODES["plain"], log + patched(batch(0), "attributes", 7) + patched(batch(0), "crc", 7))
    assert codec.batches == 2, "those whose checksum is wrong, which are reported"
    codec.batches = 0
    by_columns(LOG, replace(MODES["plain"], since_ms=1004), log)
    assert codec.batches == 45


def test_short_logs_do_not_wait_for_kernels(log: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    codec = Counted(monkeypatch)
    by_columns(LOG, MODES["contents"], log)
    assert codec.batches == 45
    by_columns(LOG, MODES["contents"], log * 100)
    assert codec.batches < 50, "a few, until one with many records has come"


def test_the_kernel_is_compiled_once(log: bytes) -> None:
    """Arrays of another type, or that may be written to where others may not, would compile it again: for seconds."""
    for mode in MODES.values():
        by_columns(LOG, mode, log)
        by_columns(LOG, replace(mode, from_offset=150, since_ms=1100), bytearray(log))
        by_columns(LOG, mode, batch(0, []) + control(3, 1, marker(9)))
    assert len(compiled_by_hand("kformat.dump.line_kernels").print_lines.signatures) == 1


_DUMP = """
import sys
from kformat.dump import DumpReport, Options, columns, text
from tests.peak import peak_bytes
path, deep = sys.argv[1], sys.argv[2] == "records"
columns.WORTH_LINES, columns.WORTH_BATCHES = 0, 1 << 60
size = sum(map(len, text(path, path, Options(print_data_log=deep), DumpReport(print))))
print(size, peak_bytes())
"""


@pytest.mark.long
@pytest.mark.parametrize("mode", ["records", "batches"])
def test_memory_is_that_of_a_chunk(mode: str, log: bytes, tmp_path: Path) -> None:
    path, found = tmp_path / LOG, []
    for size in (1 << 22, 24 << 20):
        with open(path, "wb") as file:
            for _ in range(size >> 20):
                file.write(log * ((1 << 20) // len(log)))
        command = [sys.executable, "-c", _DUMP, str(path), mode]
        done = subprocess.run(command, cwd=PEAK_ROOT, capture_output=True, text=True, timeout=120, check=True)
        found.append([int(word) for word in done.stdout.split()])
    (few, before), (many, after) = found
    assert many > 3 * few and after < before + (8 << 20), f"{(after - before) >> 20} MiB more"


def test_lines_come_before_what_is_said_of_them(log: bytes) -> None:
    """What is printed is good until the next is asked for: the text is written into one room again and again."""
    damaged = log + patched(batch(3), "records_count", 4)
    printed, damage, _ = by_columns(LOG, MODES["contents"], damaged)
    assert damage[-1].startswith(f"{len(printed)}: InvalidError")
