"""`kformat.check(files, format=...)`: every rule has a damage that it finds, and reading goes on where it can."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.check import declared_files
from kformat.errors import DataError, DeclarationError, UsageError
from kformat.kafka.findings.rules import RULES
from tests.columns.comparing import mutated
from tests.draws import EXAMPLES
from tests.judges.required import is_missing
from tests.language.public import HERE, Missing, mutants

pytestmark = pytest.mark.drawn

LOG = """
meta: {id: log, endian: be}
seq:
  - {id: version, type: u1, valid: {max: 3}}
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    -check: increasing(number)
    seq:
      - {id: number, type: u2}
      - {id: length, type: u1, valid: {max: 200}}
      - {id: kind, type: u1}
      - {id: priority, type: u1, valid: {max: 9}}
      - {id: body, size: length, type: {switch-on: kind, cases: {1: real}}}
    instances:
      ratio: {value: 100 / priority}
  real: {seq: [{id: value, type: f4}]}
"""
WAL = """
meta: {id: wal, endian: le}
seq:
  - {id: magic, contents: WAL1}
  - {id: entries, type: entry, repeat: eos}
types:
  entry:
    -row: true
    -check: increasing(sequence)
    -checksum: {algorithm: crc32c, field: crc, from: sequence}
    seq:
      - {id: len_payload, type: u4}
      - {id: crc, type: u4}
      - {id: sequence, type: u8}
      - {id: kind, type: u1, valid: {any-of: [1, 2]}}
      - {id: payload, size: len_payload}
"""
TICKS = """
meta: {id: ticks, endian: le}
seq: [{id: ticks, type: tick, repeat: eos}]
types:
  tick:
    -check: non_decreasing(time)
    seq: [{id: time, type: u4}, {id: side, type: u1, valid: {max: 1}}, {id: count, type: u2}]
"""
POINTING = """
meta: {id: pointing, endian: le}
seq:
  - {id: position, type: u1}
  - {id: kind, type: u1, valid: {max: 5}}
  - {id: items, type: item, repeat: expr, repeat-expr: 2}
  - {id: packed, size: 12, process: zlib, if: kind == 4}
instances:
  name: {pos: position, size: 2}
types:
  item:
    -check: increasing(id)
    seq: [{id: id, type: u1}, {id: flag, type: u1, valid: {max: 1}}]
"""


def frame(number: int, body: bytes, *, kind: int = 2, priority: int = 3, length: int | None = None) -> bytes:
    return struct.pack(">HBBB", number, len(body) if length is None else length, kind, priority) + body


def log(*changed: bytes | None, version: int = 1, count: int = 8) -> bytes:
    frames = [frame(index, b"hello %d" % index) for index in range(count)]
    for index, one in enumerate(changed):
        frames[index] = frames[index] if one is None else one
    return bytes([version]) + b"".join(frames)


def found(declaration: str, data: bytes, **how: Any) -> list[tuple[str, int | None, str]]:
    """Rule, position and path of all findings."""
    parsed = kformat.parse_declaration(declaration)
    return [(one.rule, one.position, one.path) for one in kformat.check(data, format=parsed, **how)]


CASES: dict[str, tuple[str, bytes, list[tuple[str, int | None, str]]]] = {
    "sound": (LOG, log(), []),
    "cut off": (LOG, log()[:-3], [("KF1001", 90, "log.frames[7].body")]),
    "a value in front of the rows": (LOG, log(version=7), [("KF1002", 0, "log.version")]),
    "values that nothing uses, in two rows": (
        LOG,
        log(None, frame(1, b"x", priority=77), None, frame(3, b"y", priority=78)),
        [("KF1002", 17, "log.frames[1].priority"), ("KF1002", 35, "log.frames[3].priority")],
    ),
    "consecutive rows are one finding": (
        LOG,
        log(frame(0, b"x", priority=77), frame(1, b"y", priority=78), frame(2, b"z", priority=79)),
        [("KF1002", 5, "log.frames[0].priority")],
    ),
    "a size that is not allowed ends the file": (
        LOG,
        log(None, frame(1, b"x", length=201), version=7),
        [("KF1002", 0, "log.version"), ("KF1002", 15, "log.frames[1].length")],
    ),
    "two in a row, of which the second ends the file": (
        LOG,
        log(None, None, frame(2, b"x", priority=77, length=150)),
        [("KF1002", 29, "log.frames[2].priority"), ("KF1001", 30, "log.frames[2].body")],
    ),
    "left over in a part": (LOG, log(frame(0, b"12345", kind=1)), [("KF1005", 10, "log.frames[0].body")]),
    "an instance": (LOG, log(None, frame(1, b"x", priority=0)), [("KF1006", 13, "log.frames[1].ratio")]),
    "the order": (LOG, log(None, frame(9, b"x")), [("KF1007", 19, "log.frames[2].number")]),
    "another format": (WAL, b"PK\3\4 and more", [("KF1002", 0, "wal.magic")]),
    "an instance elsewhere": (POINTING, bytes([9, 0, 1, 0, 2, 0]), [("KF1006", 9, "pointing.name")]),
    "a file that is read as a whole": (
        POINTING,
        bytes([0, 0, 9, 7, 2, 8]),
        [
            ("KF1002", 3, "pointing.items[0].flag"),
            ("KF1007", 4, "pointing.items[1].id"),
            ("KF1002", 5, "pointing.items[1].flag"),
        ],
    ),
    "compressed bytes": (POINTING, bytes([0, 4, 1, 0, 2, 0]) + bytes(12), [("KF1004", 6, "pointing.packed")]),
    "text that its encoding does not have": (
        "meta: {id: t, encoding: UTF-8}\nseq: [{id: n, type: str, size: 3}, {id: rows, type: row, repeat: eos}]\n"
        "types: {row: {seq: [{id: l, type: u1}, {id: s, type: str, size: l, encoding: ASCII}]}}",
        b"a\xffb\1a\2b\x80\1c",
        [("KF1002", 1, "t.n"), ("KF1002", 7, "t.rows[1].s")],
    ),
    "bytes at the end": (POINTING, bytes([0, 0, 1, 0, 2, 0, 7]), [("KF1005", 6, "pointing")]),
}


@pytest.mark.parametrize("name", CASES)
def test_damage_is_found_where_it_is(name: str) -> None:
    declaration, data, wanted = CASES[name]
    assert found(declaration, data) == wanted


def entries(count: int = 6) -> bytes:
    values = [{"sequence": number, "kind": 1 + number % 2, "payload": b"payload"} for number in range(count)]
    return kformat.build(kformat.parse_declaration(WAL), {"entries": values})


def test_rows_after_a_wrong_checksum_are_checked() -> None:
    data, size = bytearray(entries()), 24
    data[4 + 2 * size + 20] ^= 1  # a payload
    data[4 + 4 * size + 20] ^= 1
    assert found(WAL, bytes(data)) == [
        ("KF1003", 4 + 2 * size + 4, "wal.entries[2].crc"),
        ("KF1003", 4 + 4 * size + 4, "wal.entries[4].crc"),
    ]
    assert found(WAL, bytes(data), ignore=["KF1003"]) == []


def test_values_under_a_wrong_checksum_are_not_judged() -> None:
    data, size = bytearray(entries()), 24
    for row in (2, 3):
        data[4 + row * size + 8 : 4 + row * size + 17] = b"\xff" * 9  # sequence and kind
    assert [(rule, path) for rule, _, path in found(WAL, bytes(data))] == [
        ("KF1003", "wal.entries[2].crc"),
        ("KF1003", "wal.entries[3].crc"),
    ]
    plain = found(WAL.replace("-checksum", "-other"), bytes(data))
    assert ("KF1002", 4 + 2 * size + 16, "wal.entries[2].kind") in plain


def ticks(count: int = 1000) -> list[bytes]:
    return [struct.pack("<IBH", number, number % 2, 7) for number in range(count)]


def test_rows_of_a_fixed_size_are_checked_after_damage() -> None:
    rows = ticks()
    rows[100] = struct.pack("<IBH", 3, 0, 0)
    rows[500:510] = [b"\xff" * 7] * 10
    assert found(TICKS, b"".join(rows) + b"12") == [
        ("KF1007", 700, "ticks.ticks[100].time"),
        ("KF1002", 3504, "ticks.ticks[500].side"),
        ("KF1007", 3570, "ticks.ticks[510].time"),
        ("KF1001", 7000, "ticks.ticks[1000].time"),
    ]


def test_several_damages_of_a_row_of_a_fixed_size_are_in_that_row() -> None:
    literal = TICKS.replace("{id: count, type: u2}", "{id: end, contents: [7, 0]}")
    assert literal != TICKS
    rows = [struct.pack("<IBH", number, 9 * (number in (3, 6)), 7 + (number in (3, 8))) for number in range(10)]
    assert found(literal, b"".join(rows)) == [
        ("KF1002", 25, "ticks.ticks[3].side"),
        ("KF1002", 26, "ticks.ticks[3].end"),
        ("KF1002", 46, "ticks.ticks[6].side"),
        ("KF1002", 61, "ticks.ticks[8].end"),
    ]


def test_many_rows_and_one_by_one_give_the_same() -> None:
    """An instance makes rows be read one by one."""
    rows = ticks(300)
    for number in (0, 7, 8, 255, 299):
        rows[number] = struct.pack("<IBH", 5, number % 3, 0)
    slow = TICKS.replace("types:\n  tick:", "types:\n  tick:\n    instances: {twice: {value: count * 2}}")
    assert found(slow, b"".join(rows)) == found(TICKS, b"".join(rows)) != []


def test_every_rule_has_a_case() -> None:
    rules = {rule for _, _, wanted in CASES.values() for rule, _, _ in wanted} | {"KF1003"}
    assert rules == {rule for rule in RULES if rule.startswith("KF10")} - {"KF1008"}


def test_what_takes_too_much_memory_is_a_finding() -> None:
    data = bytes([0, 4, 1, 0, 2, 0]) + zlib.compress(bytes(4000))[:12].ljust(12, b"\0")
    packed = zlib.compress(bytes(100_000), 9)
    declaration = POINTING.replace("size: 12", f"size: {len(packed)}")
    assert [rule for rule, _, _ in found(POINTING, data)] == ["KF1004"]
    whole = bytes([0, 4, 1, 0, 2, 0]) + packed
    assert found(declaration, whole) == []
    assert found(declaration, whole, inflate_limit=1000) == [("KF1008", 6, "pointing.packed")]


def test_bytes_left_over_can_be_kept() -> None:
    assert found(POINTING, bytes([0, 0, 1, 0, 2, 0, 7]), trailing="keep") == []


def test_several_files_and_one_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "log.ksy").write_text(LOG)
    (tmp_path / "good").write_bytes(log())
    (tmp_path / "bad").write_bytes(log(version=7))
    (tmp_path / "folder").mkdir()
    paths = [tmp_path / name for name in ("good", "folder", "bad")]
    told = list(kformat.check(paths, format=tmp_path / "log.ksy"))
    assert [(one.rule, one.file) for one in told] == [("KF0002", str(paths[1])), ("KF1002", str(paths[2]))]
    with pytest.raises(FileNotFoundError):
        kformat.check(tmp_path / "none", format=tmp_path / "log.ksy")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"row": "x"}, "log has no rows 'x'"),
        ({"profile": "per-batch"}, "are for Kafka's files"),
        ({"trailing": "x"}, "'error' or 'keep' is expected"),
    ],
)
def test_what_does_not_go(how: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        kformat.check(b"", format=kformat.parse_declaration(LOG), **how)


def test_row_goes_with_format() -> None:
    with pytest.raises(UsageError, match="row and trailing go with format"):
        kformat.check(".", row="x")


def test_a_wrong_declaration_is_raised_at_once(tmp_path: Path) -> None:
    (tmp_path / "x.ksy").write_text("meta: {id: x}\nseq: [{id: a, type: u9}]")
    with pytest.raises(DeclarationError):
        kformat.check(b"", format=tmp_path / "x.ksy")


def assert_as_parse(declaration: Any, data: bytes) -> None:
    """Nothing is found exactly where `kformat.parse` accepts a file, and its error is one of the findings; but texts
    whose bytes it keeps as lone surrogates are findings, too.
    """
    found = list(kformat.check(data, format=declaration, ignore=["KF1006", "KF1007"]))
    told = {(one.position, one.path) for one in found if one.expected not in ("text in UTF-8", "text in ASCII")}
    try:
        kformat.parse(declaration, data)
    except DataError as error:
        # What is in a structure with a wrong checksum is not judged.
        unsure = [one.path.rpartition(".")[0] for one in found if one.rule == "KF1003"]
        assert (error.position, error.path) in told or any(error.path.startswith(f"{path}.") for path in unsure)
    else:
        assert told == set()


@pytest.mark.parametrize("name", ["log", "wal", "ticks"])
def test_what_is_found_is_what_parse_refuses(name: str) -> None:
    cases = {"log": (LOG, log(count=3)), "wal": (WAL, entries(2)), "ticks": (TICKS, b"".join(ticks(4)))}
    declaration, data = kformat.parse_declaration(cases[name][0]), cases[name][1]
    for position in range(len(data)):
        changed = bytearray(data)
        changed[position] ^= 0x81
        assert_as_parse(declaration, bytes(changed))
        assert_as_parse(declaration, data[:position])


@pytest.mark.parametrize("name", ["elf", "gif", "java_class", "pcap", "png", "tar", "wav", "zip"])
def test_what_is_found_in_real_files_is_what_parse_refuses(name: str, tmp_path: Path) -> None:
    try:
        files = [data for data in mutants.write([name], tmp_path)[name] if len(data) < 20_000]
    except Missing as error:
        is_missing(str(error))
    declaration, rng = kformat.load_declaration(HERE / f"{name}.ksy"), random.Random(5)
    for data in files[:2]:
        assert_as_parse(declaration, data)
    for _ in range(max(8, EXAMPLES // 4)):
        assert_as_parse(declaration, mutated(rng.choice(files), rng))


def rules(found: Iterable[Any]) -> list[str]:
    return [one.rule for one in found]


def test_shipped_formats_by_name() -> None:
    assert rules(kformat.check(bytes(16), format="offset_index")) == ["KF1007", "KF1007"]


KERNELS = """
meta: {id: wal, endian: le, encoding: UTF-16LE}
seq:
  - {id: version, type: u1, valid: {max: 3}}
  - {id: entries, type: entry, repeat: eos}
types:
  entry:
    -check: [increasing(sequence), non_decreasing(time)]
    -checksum: {algorithm: crc32, field: crc, from: sequence, to: body}
    seq:
      - {id: length, type: u1}
      - {id: sequence, type: u2}
      - {id: time, type: s4}
      - {id: kind, type: u1, valid: {any-of: [1, 2]}}
      - {id: name, type: str, size: 4}
      - {id: body, size: length, type: {switch-on: kind, cases: {2: pair}}}
      - {id: crc, type: u4}
    instances:
      double: {value: time * 2}
  pair: {seq: [{id: left, type: u1, valid: {max: 9}}, {id: right, type: u1}]}
"""


def kernel_entry(number: int, rng: random.Random) -> bytes:
    kind = rng.choice((1, 1, 1, 2, 2, 3)) if rng.random() < 0.1 else 1 + number % 2
    body = bytes([rng.randrange(11), 1]) if kind == 2 else b"x" * rng.randrange(4)
    name = b"a\0\0\xd8" if rng.random() < 0.05 else "ab".encode("utf-16-le")
    sequence = number + (rng.random() < 0.05) * 7
    covered = struct.pack("<HiB", sequence, number - (rng.random() < 0.05) * 5, kind) + name + body
    return bytes([len(body)]) + covered + struct.pack("<I", zlib.crc32(covered) ^ (rng.random() < 0.05))


def test_findings_are_the_same_where_kernels_take_the_sound_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, told = random.Random(7), 0
    texts = [(KERNELS, 60), (KERNELS.replace("UTF-16LE", "UTF-8"), 60), (LOG, 0)]
    assert kformat.scan(b"", kformat.parse_declaration(KERNELS), columns=["double"]).read_by == "a kernel"
    for text, count in texts:
        declaration = kformat.parse_declaration(text)
        for number in range(12 + EXAMPLES // 4):
            rows = [kernel_entry(index, rng) for index in range(count)]
            data = bytes([rng.choice((1, 1, 9))]) + b"".join(rows) if count else log()
            data = mutated(data, rng) if number % 3 == 2 or not count else data
            found = []
            for with_kernels in (False, True):
                monkeypatch.setattr(declared_files, "_WITH_KERNELS", with_kernels)
                found.append([str(one) for one in kformat.check(data, format=declaration)])
            assert found[0] == found[1]
            told += len(found[0])
    assert told > 100
