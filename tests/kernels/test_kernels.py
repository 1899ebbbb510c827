"""Kernels accept, reject and give what the codec does, whatever the bytes are, and stop in the same row."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import random
import struct
import subprocess
import sys
import tracemalloc
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

import kformat
from kformat import kernels
from kformat.codec.building import encode
from kformat.codec.constructs import parse_prefix
from kformat.errors import (
    CompressionError,
    DataError,
    DeclarationError,
    InvalidError,
    LimitError,
    MissingDependencyError,
    TruncatedError,
    UsageError,
)
from kformat.kafka.batch.compression import decompress
from kformat.kernels import Kernel, KernelError, Part, compiled, encoder, kernel
from kformat.kernels.cache import _warn, cache_folder, source_file
from kformat.kernels.compiled import function_of
from kformat.kernels.decode import decode_source
from kformat.kernels.source import MAX_LISTS, MAX_STEPS, PACKED
from kformat.language.declaration import load_declaration
from kformat.language.layout import layout
from kformat.language.program import load_program, load_type
from kformat.storage.checksum import crc32c
from tests.codec.test_witness import made_values
from tests.differential.inputs import EXTREME_RECORDS, RECORDS, inputs
from tests.draws import IS_NIGHT, every
from tests.kaitai_witness import witness_formats
from tests.kernel_cases import (
    EDGES,
    by_codec,
    checksums_in,
    compare,
    differences,
    error_of,
    expected,
    given,
    mutated,
    plain_columns,
    varint,
    with_payloads_as_bytes,
    zigzag,
)
from tests.sample_values import VERSIONS, sample_values
from tests.vectors import BATCHES

pytestmark = pytest.mark.drawn

DECLARATIONS = Path(__file__).parents[1] / "declarations"

# Types that stand by themselves and have no kernel: why.
REFUSED = {
    "legacy_message::attributes": "legacy_message::attributes: bits alone are no rows",
    "record_batch::attributes": "record_batch::attributes: bits alone are no rows",
}
# Their tags are a switch, which these tests have no columns for: tests/kafka/messages/ has them.
FORMATS = [name for name in witness_formats() if name not in REFUSED and not name.startswith("transaction_log_value")]
# Of these numba takes more than a few seconds.
LARGE = {"voters_record", "voters_record::voter", "leader_change_message"}
# And what is in these is in others, too.
PARTS = {
    *("record_batch::record_body", "legacy_message::message", "legacy_message::head"),
    *("legacy_message::wrapped_message", "legacy_message::plain_message"),
    *(f"voters_record::{name}" for name in ("endpoint", "kraft_version_feature")),
    *("snapshot_footer_record", "kraft_version_record"),
    *(name for name in FORMATS if name.endswith("::entry")),
}

each_type = pytest.mark.parametrize(
    "format", [pytest.param(name, marks=[pytest.mark.slow] * (name in LARGE | PARTS)) for name in FORMATS]
)


def declared(tmp_path: Path, text: str, name: str = "case") -> Path:
    path = tmp_path / f"{name}.ksy"
    path.write_text(f"meta: {{id: {name}, endian: be, encoding: UTF-8, imports: [varint]}}\n{text}", encoding="utf-8")
    return path


@pytest.fixture
def own_cache(kept_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """For declarations that no other test has: their machine code is kept apart from users', for the next run."""
    folder = kept_folder("kernels")
    monkeypatch.setenv("KFORMAT_CACHE", str(folder))
    return folder


# --- every type, sound and damaged ------------------------------------------------------------------------------------


@functools.cache
def seeds() -> dict[str, list[tuple[bytes, int]]]:
    """Sound bytes by type; of those that nobody has by themselves whatever in other bytes can be taken for one."""
    found: dict[str, dict[bytes, None]] = {}
    for format, items in inputs().items():
        found.setdefault(format, {}).update(dict.fromkeys(item.data for item in items))
    for format, data in made_values().values():
        found.setdefault(format, {})[data] = None
    for format in set(FORMATS) - set(found):
        root = format.split("::")[0]
        whole = [data for other in sorted(found) if other.split("::")[0] == root for data in found[other]]
        found[format] = dict.fromkeys(itertools.islice(parts(format, whole), 200))
    return {format: [(data, 1) for data in items] for format, items in found.items()}


def parts(format: str, whole: Sequence[bytes]) -> Iterator[bytes]:
    for at in range(40):
        for data in whole:
            with contextlib.suppress(DataError, UsageError):
                _, end = parse_prefix(format, data, at, checksums=False)
                yield data[at:end]


@each_type
def test_types_sound_and_damaged(format: str) -> None:
    seen, found = compare(kernel(format), seeds()[format], 400 if IS_NIGHT else 150)
    assert found == []
    assert seen["accepted"] > 10 and len(seen) > 1


def test_types_that_are_refused() -> None:
    for format, reason in REFUSED.items():
        with pytest.raises(KernelError) as caught:
            kernel(format)
        assert str(caught.value) == reason


@pytest.mark.parametrize("version", VERSIONS)
def test_everything_declared_that_a_broker_wrote(version: str) -> None:
    seen: Counter[str] = Counter()
    values = [value for value in sample_values(version) if value[0] in FORMATS and value[0] not in LARGE]
    for format, data, where in every(8, values):
        assert list(differences(kernel(format), data, 1, seen)) == [], where
    assert set(seen) == {"accepted"}


LETTER, ARCHIVE, TELEMETRY = (
    load_declaration(DECLARATIONS / f"{name}.ksy") for name in ("letter", "archive", "telemetry")
)
WORD = {"text": b"ab"}
LETTERS = [
    {
        "version": 1, "language": "de", "options": {}, "sender": "s\u00e9", "subject": None, "paragraphs": [],
        "first": 2**32 - 1, "rest": [], "stamp": None, "postscript": b"",
    },
    {
        "version": 2, "language": "en", "options": {"has_priority": 1}, "sender": "", "subject": "about",
        "priority": -1, "postscript": b"x",
        "paragraphs": [{"weight": -(2**63), "words": [WORD] * 3, "note": b"no"}, {"words": [], "note": b"te"}],
        "first": 0, "rest": [1.5, -0.0, float("inf")], "stamp": {"cents": 7, "codes": [b"aa", b"bb"]},
    },
]  # fmt: skip
CHUNK = {"names": [{"text": "n"}], "lines": [{"text": "line"}] * 3}
ARCHIVES = [{"chunks": [{**CHUNK, "codec": codec} for codec in ("none", "gzip", "zstd")]}, {"chunks": []}]


def with_user_declarations() -> Iterator[tuple[Any, list[bytes]]]:
    yield LETTER, [kformat.build(LETTER, letter) for letter in LETTERS]
    yield ARCHIVE, [kformat.build(ARCHIVE, archive) for archive in ARCHIVES]
    size, source = layout(load_program(TELEMETRY).types["telemetry::reading"]).size, random.Random(1)
    assert size is not None
    yield TELEMETRY, [b"TL" + source.randbytes(size - 2) for _ in range(20)]


@pytest.mark.parametrize(("format", "found"), list(with_user_declarations()), ids=["letter", "archive", "telemetry"])
def test_users_declarations(format: Any, found: list[bytes]) -> None:
    seen, wrong = compare(kernel(format), [(data, 1) for data in found], 600)
    assert wrong == [] and seen["accepted"] > 20 and len(seen) > 3


# --- the doubt: batches, records and headers at the ends of all ranges ------------------------------------------------


def record_seeds() -> list[tuple[bytes, int]]:
    """What payloads hold: records one behind the other, and how many."""
    found = []
    for vector in BATCHES:
        batch: Any = kformat.parse("record_batch", vector.data)
        found.append(
            (b"".join(kformat.build("record_batch::record", record) for record in batch.records), len(batch.records))
        )
    extremes = [data for data, _ in seeds()["record_batch::record"]]
    found += [(data, 1) for data in extremes] + [(b"".join(extremes), len(extremes)), (b"".join(extremes), -1)]
    return [(data, count) for data, count in found if data]


def header_seeds() -> list[tuple[bytes, int]]:
    """Headers of records one behind the other."""
    some = [b"", b"x", b"key" * 30, "zo\u00eb".encode(), b"\xff\xfe"]
    pairs = itertools.product(some, [None, *some])
    found = [
        zigzag(len(key)) + key + (zigzag(-1) if value is None else zigzag(len(value)) + value) for key, value in pairs
    ]
    return [(data, 1) for data in found] + [(b"".join(found), len(found)), (b"".join(found[:7]), -1)]


def batch_seeds() -> list[tuple[bytes, int]]:
    return seeds()["record_batch"]


def mended(data: bytes) -> bytes:
    """The batch with the length and the checksum of what is in it now, so that readers look further."""
    shape = layout("record_batch")
    if len(data) < shape.end("records_count"):
        return data
    changed = bytearray(data)
    shape.writer("batch_length")(changed, 0, len(data) - shape.end("batch_length"))
    shape.mend(changed)
    return bytes(changed)


def batch_by_kernels(data: bytes) -> tuple[str, list[Any]]:
    """How far a batch is sound by the kernels of batch and record, and the columns of its records."""
    batch, record = kernel("record_batch"), kernel("record_batch::record")
    decoded = batch.decode(data, [(0, len(data), 1)])
    if decoded.problem is not None:
        return "header" if decoded.rows[0] == 0 and not decoded.problem.site.path.endswith(".payload") else "size", []
    start, size = (int(decoded.columns["crc", part][0]) for part in (Part.COVERED_POSITION, Part.COVERED_LENGTH))
    if crc32c(data[start : start + size]) != decoded["crc"][0]:
        return "checksum", []
    start, size = (int(decoded.columns["payload", part][0]) for part in (Part.POSITION, Part.LENGTH))
    codec, count = int(decoded["attributes.compression"][0]), int(decoded["records_count"][0])
    inner = data
    if codec:
        try:
            inner = decompress(codec, data[start : start + size])
        except (CompressionError, LimitError):
            return "payload", []
        start, size = 0, len(inner)
    records = record.decode(inner, [(start, start + size, count)])
    columns = [given(column, records, inner) for column in plain_columns(record.source)]
    return "sound" if records.problem is None else f"{records.rows[0]} records", columns


def batch_by_codec(data: bytes) -> tuple[str, list[Any]]:
    """The same, by the codec."""
    source = kernel("record_batch::record").source
    try:
        value: Any = kformat.parse("record_batch", data)
        verdict, records = "sound", value.records
    except DataError as error:
        path = error.path.removeprefix("record_batch").removeprefix(".")
        if isinstance(error, CompressionError | LimitError):
            return "payload", []
        if isinstance(error, kformat.errors.ChecksumError):
            return "checksum", []
        if not path.startswith(("records", "end_of_records", "payload")) or not hasattr(error.partial, "records"):
            return "header", []
        records = error.partial.records
        if path.startswith("records["):
            records = records[: int(path.removeprefix("records[").partition("]")[0])]
        verdict = f"{len(records)} records"
    return verdict, [expected(source, column, records) for column in plain_columns(source)]


def doubt(cases: int, seed: int) -> Counter[str]:
    """Damaged records, headers and batches; which rules they failed by, and none of them differently."""
    seen: Counter[str] = Counter()
    for name, some in (("record", record_seeds()), ("header", header_seeds())):
        verdicts, found = compare(kernel(f"record_batch::{name}"), some, cases // 3, seed)
        assert found == []
        seen.update({f"{name} {verdict}": number for verdict, number in verdicts.items()})
    source, batches = random.Random(seed), [data for data, _ in batch_seeds()]
    for number in range(cases - 2 * (cases // 3)):
        data = mutated(batches[number % len(batches)], source)
        if source.random() < 0.8:
            data = mended(data)
        ours, theirs = batch_by_kernels(data), batch_by_codec(data)
        if ours[0] == "size":  # the codec looks at what there is before it says that there is more or less
            assert theirs[0] != "sound", data.hex()
        elif ours[0] == "header":  # and verifies the checksum as soon as it can
            assert theirs[0] in ("header", "checksum"), data.hex()
        else:
            assert ours == theirs, data.hex()
        seen[f"batch {ours[0]}"] += 1
    return seen


def test_the_doubt_briefly() -> None:
    seen = doubt(6_000, 1)
    assert min(seen[f"{name} accepted"] for name in ("record", "header")) > 150 and seen["batch sound"] > 150
    assert {"batch header", "batch size", "batch checksum", "batch payload", "batch 0 records"} <= set(seen)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_the_doubt_a_million_times(seed: int) -> None:
    doubt(50_000, 1000 + seed)


# --- expressions ------------------------------------------------------------------------------------------------------

NUMBERS = {
    **{f"s{size}": 8 * size for size in (1, 2, 4, 8)},
    **{f"u{size}": 8 * size for size in (1, 2, 4, 8)},
    "varint(5)": 32,
    "varint(10)": 64,
    "varint::unsigned(5)": 32,
    "varint::unsigned(10)": 64,
}
BITS = {"flag": 1, "small": 7, "middle": 24, "large": 32}


class Draw:
    """Expressions over the fields of a declaration, as texts."""

    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)
        names = [f"n{index}" for index in range(len(NUMBERS))]
        self.integers = [*names, *(f"bits.{name}" for name in BITS), "wide.all"]

    def constant(self) -> str:
        value = self.source.choice((*EDGES, *range(-3, 70)))
        return f"({value})" if value < 0 else str(value)

    def integer(self, depth: int) -> str:
        kind = self.source.randrange(8)
        if not depth or kind == 0:
            return self.source.choice((*self.integers, *self.integers, self.constant()))
        if kind == 1:
            return f"({self.condition(depth - 1)} ? {self.integer(depth - 1)} : {self.integer(depth - 1)})"
        if kind == 2:
            return f"({self.source.choice('-~')}{self.integer(depth - 1)})"
        if kind == 3:  # a shift by what may be one
            sign = self.source.choice(("<<", ">>"))
            return f"({self.integer(depth - 1)} {sign} {self.source.choice(('n0', '3', '63', 'bits.small'))})"
        sign = self.source.choice(("+", "-", "*", "/", "%", "&", "|", "^"))
        return f"({self.integer(depth - 1)} {sign} {self.integer(depth - 1)})"

    def condition(self, depth: int) -> str:
        kind = self.source.randrange(5)
        if not depth or kind < 3:
            sign = self.source.choice(("<", "<=", ">", ">=", "==", "!="))
            return f"({self.integer(max(0, depth - 1))} {sign} {self.integer(max(0, depth - 1))})"
        if kind == 3:
            return f"(not {self.condition(depth - 1)})"
        return f"({self.condition(depth - 1)} {self.source.choice(('and', 'or'))} {self.condition(depth - 1)})"

    def field(self, number: int) -> str:
        """A field whose being there, number or soundness shows an expression, where `which` asks for it."""
        match self.source.randrange(5):
            case 0 | 1:
                return f"{{id: e{number}, type: u1, if: which == {number} and {self.condition(3)}}}"
            case 2:
                return f"{{id: e{number}, size: 'which == {number} ? {self.integer(3)} : 0'}}"
            case 3:
                count = f"which == {number} ? ({self.integer(3)} & 15) : 0"
                return f"{{id: e{number}, type: s2, repeat: expr, repeat-expr: '{count}'}}"
            case _:
                return f"{{id: e{number}, type: u1, valid: {{expr: 'which != {number} or {self.condition(3)}'}}}}"

    def number(self, type: str) -> bytes:
        value = self.source.choice((*EDGES, *range(-3, 70)))
        spare = self.source.choice((0, 0, 0, 1))
        if type[0] in "su":
            size = int(type[1])
            return (value % (1 << 8 * size)).to_bytes(size, "big")
        value %= 1 << NUMBERS[type]
        return varint(value, spare)[: 10 if "10" in type else 5]

    def data(self, fields: int) -> bytes:
        parts = [bytes([self.source.randrange(fields)])]
        parts += [self.number(type) for type in NUMBERS]
        parts += [self.number("u8"), self.number("u8")]
        return b"".join(parts) + bytes(self.source.randrange(100))


def base(extra: Sequence[str]) -> str:
    numbers = [f"{{id: n{index}, type: {type}}}" for index, type in enumerate(NUMBERS)]
    fields = ["{id: which, type: u1}", *numbers, "{id: bits, type: bits}", "{id: wide, type: wide}", *extra]
    bits = [f"{{id: {name}, type: b{width}}}" for name, width in BITS.items()]
    types = f"types: {{bits: {{seq: [{', '.join(bits)}]}}, wide: {{seq: [{{id: all, type: b64}}]}}}}\n"
    return "seq:\n" + "".join(f"  - {field}\n" for field in fields) + types


def drawn(tmp_path: Path, seed: int, count: int) -> tuple[Draw, Path]:
    """A declaration with so many expressions. What the compiler refuses, or kernels do, is drawn again."""
    draw = Draw(seed)
    fields: list[str] = []
    while len(fields) < count:
        field = draw.field(len(fields))
        try:
            decode_source(load_program(declared(tmp_path, base([field]), "alone")).root)
        except (DeclarationError, KernelError):
            continue
        fields.append(field)
    return draw, declared(tmp_path, base(fields), f"drawn_{seed}")


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 25))])
def test_expressions(seed: int, tmp_path: Path) -> None:
    count = 9 if IS_NIGHT else 5
    draw, path = drawn(tmp_path, seed, count)
    made, seen, found = kernel(path), Counter[str](), []
    for _ in range(100 * count):
        data = draw.data(count)
        found += [f"{data.hex()}: {problem}" for problem in differences(made, data, 1, seen)]
        if len(found) > 5:
            break
    assert found == [], path.read_text(encoding="utf-8")
    assert len(seen) > 5, seen


# --- every kind of step -----------------------------------------------------------------------------------------------

KINDS = """
seq:
  - {id: flags, type: u1}
  - {id: mark, contents: LEAVE(, if: flags & 1 != 0}
  - {id: marks, contents: ab, repeat: expr, repeat-expr: flags & 3}
  - {id: bits, type: bits, if: flags & 4 != 0}
  - {id: pairs, type: bits, repeat: expr, repeat-expr: flags & 3}
  - {id: single, type: f4le, if: flags & 8 != 0}
  - {id: doubles, type: f8, repeat: expr, repeat-expr: flags & 1}
  - {id: long, type: u8le}
  - {id: maybe, type: varint(10), if: long > 0x8000000000000000}
  - {id: outer_before, type: u1}
  - {id: shorts, type: varint(5), repeat: expr, repeat-expr: flags & 3}
  - {id: texts, type: str, size: 3, repeat: expr, repeat-expr: outer_before, if: flags & 2 != 0}
  - {id: word, type: str, size: 2, if: flags & 16 != 0, valid: {any-of: ["'ab'", "'c\u00e9'", '"\\udcff"', "'\u00e9'"]}}
  - {id: outer_size, type: u1}
  - {id: outer, type: outer(flags), size: outer_size, if: flags & 32 != 0}
  - {id: summed, type: summed, if: flags & 64 != 0}
  - {id: point, type: point, if: flags & 128 != 0}
  - {id: rest, size-eos: true}
types:
  bits: {seq: [{id: high, type: b3, valid: {max: 5}}, {id: one, type: b1}, {id: low, type: b20}]}
  outer:
    params: [{id: flags, type: u1}]
    seq:
      - {id: inner_size, type: u1}
      - {id: inner, type: inner, size: inner_size}
      - {id: extra, type: u2le, if: flags & 1 != 0}
      - {id: end_of_outer, size: 0, valid: {expr: _io.eof}}
  inner: {seq: [{id: rows, type: row, repeat: eos}]}
  row:
    seq:
      - {id: count, type: u1}
      - {id: items, type: s2le, repeat: expr, repeat-expr: count}
      - {id: lists, type: list, repeat: expr, repeat-expr: count / 2}
  list: {seq: [{id: count, type: s1}, {id: points, type: point, repeat: expr, repeat-expr: count}]}
  point: {seq: [{id: x, type: s4le}, {id: y, type: s1}]}
  summed:
    -checksum: {algorithm: crc32c, field: sum, from: a}
    seq: [{id: sum, type: u4}, {id: a, type: u1}, {id: length, type: u1}, {id: b, size: length}]
"""


def kinds_values(source: random.Random) -> dict[str, Any]:
    flags = source.randrange(256)
    some, number = flags & 3, source.choice

    def bits() -> dict[str, int]:
        return {"high": source.randrange(6), "one": source.randrange(2), "low": source.randrange(2**20)}

    def point() -> dict[str, int]:
        return {"x": number((-(2**31), 7, 2**31 - 1)), "y": number((-128, 127))}

    def row() -> dict[str, Any]:
        count = source.randrange(5)
        lists = [{"points": [point() for _ in range(source.randrange(3))]} for _ in range(count // 2)]
        return {"count": count, "items": [number((-(2**15), 2**15 - 1)) for _ in range(count)], "lists": lists}

    outer = {"inner": {"rows": [row() for _ in range(source.randrange(3))]}, "extra": 65535 if flags & 1 else None}
    long = number((0, 2**63, 2**63 + 1, 2**64 - 1))
    return {
        "flags": flags,
        "mark": b"LEAVE(" if flags & 1 else None,
        "marks": [b"ab"] * some,
        "bits": bits() if flags & 4 else None,
        "pairs": [bits() for _ in range(some)],
        "single": number((1.5, -0.0, float("nan"))) if flags & 8 else None,
        "doubles": [number((1e300, float("-inf"), float("nan"))) for _ in range(flags & 1)],
        "long": long,
        "maybe": number((-(2**63), 2**63 - 1)) if long > 2**63 else None,
        "shorts": [number((-(2**31), 0, 300)) for _ in range(some)],
        "texts": ["\udcff" * 3] * some if flags & 2 else None,
        "word": "ab" if flags & 16 else None,
        "outer_size": 0,
        "outer": outer if flags & 32 else None,
        "summed": {"a": 1, "b": source.randbytes(3)} if flags & 64 else None,
        "point": point() if flags & 128 else None,
        "rest": b"rest",
    }


@pytest.mark.long
@pytest.mark.usefixtures("own_cache")
def test_every_kind_of_step(tmp_path: Path) -> None:
    path, source = declared(tmp_path, KINDS), random.Random(5)
    made = kernel(path)
    found = [(kformat.build(path, kinds_values(source)), 1) for _ in range(100)]
    seen, wrong = compare(made, found, 1000)
    assert wrong == []
    assert seen["accepted"] > 200 and len(seen) > 15, seen
    wild = [source.randbytes(4 * size) for size in (1, 2, 3, 4, 8)]  # NaNs among them
    floats = declared(tmp_path, "seq: [{id: a, type: f4}, {id: b, type: f4le}, {id: c, type: f8le}]", "floats")
    nans = [struct.pack(">f", float("nan")), b"\x7f\xa0\0\1", b"\1\0\xa0\xff", bytes(4), *wild]
    numbers = kernel(floats)
    for first, second in itertools.product(nans, nans):
        data = (first + second + first * 4)[:16]
        decoded = numbers.decode(data)
        assert decoded.problem is None
        parts = [decoded["a"].astype(">f4"), decoded["b"].astype("<f4"), decoded["c"].astype("<f8")]
        assert b"".join(part.tobytes() for part in parts) == data


# --- in parts ---------------------------------------------------------------------------------------------------------


def same(left: kernels.Decoded, right: kernels.Decoded) -> bool:
    keys = left.columns.keys() == right.columns.keys()
    return (
        keys
        and left.rows == right.rows
        and all(np.array_equal(left.columns[key], right.columns[key]) for key in left.columns)
    )


def test_room_grows_and_changes_nothing() -> None:
    made = kernel("record_batch::record")
    for data, count in record_seeds():
        whole = made.decode(data, [(0, len(data), count)], room=1000)
        assert whole.problem is None
        for room in (1, 2, 3):
            assert same(made.decode(data, [(0, len(data), count)], room=room), whole)


def test_windows_come_one_behind_the_other() -> None:
    made, windows, data = kernel("record_batch::record"), [], b""
    for piece, count in record_seeds():
        windows.append((len(data), len(data) + len(piece), count))
        data += piece + b"between"
    whole, rows = made.decode(data, windows), 0
    assert whole.problem is None
    for (start, end, count), (piece, _) in zip(windows, record_seeds(), strict=True):
        part = made.decode(piece, [(0, end - start, count)])
        assert whole["timestamp_delta"][rows : rows + part.rows[0]].tolist() == part["timestamp_delta"].tolist()
        rows += part.rows[0]
    assert rows == whole.rows[0]
    start, end, count = windows[2]
    for wrong in (count + 1, count - 1):
        broken = made.decode(data, [*windows[:2], (start, end, wrong), *windows[3:]])
        assert broken.problem is not None and broken.problem.unit == 2 and broken.problem.row == min(wrong, count)
        assert broken.rows[0] == sum(made.decode(data, [window]).rows[0] for window in windows[:2]) + min(wrong, count)


def test_a_cut_keeps_the_rows_in_front_of_it() -> None:
    data, _ = max(record_seeds(), key=lambda seed: len(seed[0]))
    made, ends = kernel("record_batch::record"), [0]
    whole = made.decode(data)
    while ends[-1] < len(data):
        ends.append(parse_prefix("record_batch::record", data, ends[-1])[1])
    assert len(ends) == whole.rows[0] + 1
    for cut in range(len(data)):
        decoded, rows = made.decode(data[:cut]), sum(end <= cut for end in ends) - 1
        assert decoded.rows[0] == rows and np.array_equal(decoded["offset_delta"], whole["offset_delta"][:rows])
        assert (decoded.problem is None) == (cut in ends)
        if decoded.problem is not None:
            assert (decoded.problem.row, decoded.problem.position) == (rows, ends[rows])
            assert decoded.problem.site.path.startswith("record_batch::record.")


def test_counts_cost_nothing() -> None:
    """Of rows, and of elements: what is asked for is paid when there are bytes for it."""
    made = kernel("record_batch::record")
    body = b"\0\0\0\1\1" + zigzag(2**31 - 1)
    for count, payload in ((2**31, b"\x0c" + bytes(6)), (2**62, b""), (1, zigzag(len(body)) + body)):
        made.decode(b"")
        tracemalloc.start()
        decoded = made.decode(payload, [(0, len(payload), count)])
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert decoded.problem is not None and most < 1 << 20


def test_what_is_not_asked_for_is_not_there() -> None:
    data, count = max(record_seeds(), key=lambda seed: len(seed[0]))
    made = kernel("record_batch::record")
    whole = made.decode(data)
    for name in {column.name for column in made.source.columns}:
        decoded = made.decode(data, [(0, len(data), count)], fields=[name])
        assert {key[0] for key in decoded.columns} == {name} and decoded.rows == whole.rows
        assert all(np.array_equal(decoded.columns[key], whole.columns[key]) for key in decoded.columns)
    assert made.decode(data, fields=[]).rows == whole.rows


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param({"windows": [(0, 8, 1)]}, "window 0 does not lie in the 7 bytes", id="behind the end"),
        pytest.param({"windows": [(0, 7, 1), (-1, 7, 1)]}, "window 1 does not lie in", id="in front"),
        pytest.param({"windows": [(2, 1, 1)]}, "window 0 does not lie in", id="turned"),
        pytest.param({"windows": [(0, 2**70, 1)]}, "windows are triples of integers", id="too large"),
        pytest.param({"windows": [(0, 1)]}, "windows are triples of integers", id="pairs"),
        pytest.param({"packed": {"length": 1}}, "no bytes length (there are headers.key, ", id="packed numbers"),
        pytest.param({"fields": ["valu"]}, "no columns valu (there are attributes, ", id="an unknown field"),
    ],
)
def test_what_makes_no_sense(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        kernel("record_batch::record").decode(b"\x0c" + bytes(6), **arguments)
    assert words in str(caught.value)


def test_bytes_are_packed_where_it_is_asked_for() -> None:
    data, count = max(record_seeds(), key=lambda seed: len(seed[0]))
    made, given = kernel("record_batch::record"), []

    def allocate(size: int) -> np.ndarray[Any, Any]:
        given.append(np.empty(size, np.uint8))
        return given[-1]

    decoded = made.decode(data, [(0, len(data), count)], fields=[], packed={"value": 10 * len(data)}, allocate=allocate)
    assert set(decoded.columns) == {("value", part) for part in PACKED}
    whole = decoded.columns["value", Part.BYTES]
    assert any(np.shares_memory(whole, array) for array in given) and len(whole) < len(data)
    held = next(array for array in reversed(given) if np.shares_memory(whole, array))
    assert len(held) == len(whole)  # not ten times as much as there is
    assert decoded.columns["value", Part.BYTE_OFFSETS].dtype == np.int32


@pytest.mark.usefixtures("own_cache")
def test_rows_without_bytes_are_counted(tmp_path: Path) -> None:
    made = kernel(declared(tmp_path, "seq: [{id: a, size-eos: true}]"))
    assert made.decode(b"", [(0, 0, 1)]).rows == (1,) and made.decode(b"ab", [(0, 2, 2)]).rows == (2,)
    for count in (-1, 3, 2**62):
        with pytest.raises(UsageError, match="may take no bytes at all"):
            made.decode(b"ab", [(0, 2, count)])


# --- columns to bytes -------------------------------------------------------------------------------------------------


def without_lengths_of_nothing(value: Any) -> Any:
    """A value in which a length that says that nothing is there is left to the codec, which keeps one that is given."""
    if isinstance(value, list):
        return [without_lengths_of_nothing(item) for item in value]
    if not isinstance(value, dict):
        return value
    absent = {f"{name}_{word}" for name, item in value.items() if item is None for word in ("length", "count")}
    return {name: without_lengths_of_nothing(item) for name, item in value.items() if name not in absent}


def there_and_back(format: Any, found: Sequence[bytes]) -> int:
    """What comes of columns is what they were made from: how often. Where varints could be shorter, or a length that
    says that nothing is there was not -1, it is what the codec builds, but for checksums."""
    made, back, same_bytes = kernel(format), encoder(format), 0
    for data in found:
        decoded = made.decode(data, [(0, len(data), 1)])
        assert decoded.problem is None
        for room in (None, 1):
            encoded = back.encode(decoded.columns, data, rows=1, room=room)
            assert encoded.problem is None and encoded.ends.tolist() == [len(encoded.data)], data.hex()
        written = encoded.data.tobytes()
        same_bytes += written == data
        if written != data:
            (value,), _ = by_codec(made.source.program, data, 1)
            built = encode(with_payloads_as_bytes(made.source.program), without_lengths_of_nothing(value._asdict()))
            left, right = (made.decode(item, [(0, len(item), 1)]) for item in (built, written))
            for column in plain_columns(made.source):
                if column.name.rsplit(".", 1)[-1] not in checksums_in(made.source.program):
                    assert given(column, left, built) == given(column, right, written), column
            assert len(written) == len(built)
    return same_bytes


@each_type
def test_there_and_back(format: str) -> None:
    found = [data for data, _ in seeds()[format]]
    assert there_and_back(format, found) > 0.4 * len(found)


@pytest.mark.parametrize(("format", "found"), list(with_user_declarations()), ids=["letter", "archive", "telemetry"])
def test_there_and_back_of_users(format: Any, found: list[bytes]) -> None:
    assert there_and_back(format, found) == len(found)


@pytest.mark.slow
@pytest.mark.usefixtures("own_cache")
def test_there_and_back_with_every_kind_of_step(tmp_path: Path) -> None:
    path, source = declared(tmp_path, KINDS), random.Random(7)
    found = [kformat.build(path, kinds_values(source)) for _ in range(150)]
    assert there_and_back(path, found) == len(found)


def test_rows_are_written_one_behind_the_other() -> None:
    """By the kernel what the codec builds; from as many buffers as there are fields, and views of others."""
    values: list[Any] = [*RECORDS, *EXTREME_RECORDS] * 50
    built = [kformat.build("record_batch::record", value) for value in values]
    headers = [header for value in values for header in value["headers"]]

    def of_bytes(name: str, items: list[bytes | None]) -> dict[Any, Any]:
        lengths = np.array([-1 if item is None else len(item) for item in items])
        positions = np.concatenate([[0], lengths.clip(0).cumsum()[:-1]])
        buffer = b"".join(item or b"" for item in items)
        return {(name, Part.POSITION): positions, (name, Part.LENGTH): lengths, (name, Part.BYTES): buffer}

    columns = {
        ("attributes", Part.VALUE): np.array([value.get("attributes", 0) for value in values], np.int8),
        ("timestamp_delta", Part.VALUE): np.array([value["timestamp_delta"] for value in values], np.int64),
        ("offset_delta", Part.VALUE): np.array([[value["offset_delta"]] * 2 for value in values], np.int32)[:, 0],
        ("headers", Part.OFFSETS): np.cumsum([0, *(len(value["headers"]) for value in values)]),
        **of_bytes("key", [value["key"] for value in values]),
        **of_bytes("value", [value["value"] for value in values]),
        **of_bytes("headers.key", [header["key"].encode() for header in headers]),
        **of_bytes("headers.value", [header["value"] for header in headers]),
    }
    made = encoder("record_batch::record")
    for room in (None, 1, 100):
        encoded = made.encode(columns, room=room)
        assert encoded.problem is None and encoded.data.tobytes() == b"".join(built)
        assert encoded.ends.tolist() == list(itertools.accumulate(map(len, built)))

    def problem(name: str, part: Part, row: int, value: int) -> tuple[str, str, int]:
        changed = columns[name, part].copy()
        changed[row] = value
        encoded = made.encode(columns | {(name, part): changed})
        assert encoded.problem is not None and encoded.data.tobytes() == b"".join(built[: encoded.problem.row])
        return encoded.problem.site.path, encoded.problem.site.problem, encoded.problem.row

    body = "record_batch::record"
    outside, absent = "bytes that do not lie in those given", "elements that are not there"
    assert problem("key", Part.POSITION, 6, -1) == (f"{body}.key", outside, 6)
    assert problem("value", Part.LENGTH, 7, 2**62) == (f"{body}.value", outside, 7)
    assert problem("value", Part.POSITION, 7, 2**63 - 1) == (f"{body}.value", outside, 7)
    assert problem("headers", Part.OFFSETS, 3, 2**40) == (f"{body}.headers", absent, 2)
    assert problem("headers", Part.OFFSETS, 0, -1) == (f"{body}.headers", absent, 0)
    assert problem("headers.key", Part.LENGTH, 0, -1)[0] == f"{body}.headers.key_length"
    with pytest.raises(UsageError, match="no column offset_delta, value"):
        made.encode({key: array for key, array in columns.items() if key[0] != "offset_delta"})
    with pytest.raises(UsageError, match="offset_delta, value: i4 is expected, found int64"):
        made.encode(columns | {("offset_delta", Part.VALUE): np.zeros(len(values), np.int64)})
    with pytest.raises(UsageError, match="299 values, but other columns have 300"):
        made.encode(columns | {("offset_delta", Part.VALUE): np.zeros(len(values) - 1, np.int32)})
    with pytest.raises(UsageError, match="301 rows are requested, but columns have 300"):
        made.encode(columns, rows=301)


def test_what_is_forbidden_is_not_written(tmp_path: Path, own_cache: Path) -> None:
    path = declared(
        tmp_path,
        "seq: [{id: n, type: u1, valid: {max: 9}}, {id: maybe, type: s2, if: n > 5}, {id: bits, type: bits},"
        " {id: size, type: s1}, {id: data, size: size}, {id: word, type: str, size: 2, valid: {any-of: [\"'ab'\"]}}]\n"
        "types: {bits: {seq: [{id: high, type: b3}, {id: low, type: b5, valid: {min: 1}}]}}",
    )
    made = encoder(path)
    sound = {"n": 6, "maybe": -2, "has": 1, "high": 7, "low": 31, "length": 127, "position": 0, "word": 128}

    def written(**changes: int) -> str:
        row = sound | changes
        columns: dict[Any, Any] = {
            ("n", Part.VALUE): np.array([row["n"]], np.uint8),
            ("maybe", Part.VALUE): np.array([row["maybe"]], np.int16),
            ("maybe", Part.VALID): np.array([row["has"]], np.uint8),
            ("bits.high", Part.VALUE): np.array([row["high"]], np.uint8),
            ("bits.low", Part.VALUE): np.array([row["low"]], np.uint8),
            ("data", Part.POSITION): np.array([row["position"]]),
            ("data", Part.LENGTH): np.array([row["length"]]),
            ("word", Part.POSITION): np.array([row["word"]]),
            ("word", Part.LENGTH): np.array([2]),
        }
        encoded = made.encode(columns, b"x" * 128 + b"ab")
        if encoded.problem is None:
            assert kernel(path).decode(encoded.data).problem is None
            return "written"
        return encoded.problem.site.path.removeprefix("case.")

    assert written() == written(n=5, has=0) == "written"
    assert written(n=10) == "n" and written(n=5) == written(has=0) == "maybe"
    assert written(high=8) == "bits.high" and written(low=32) == "bits.low" and written(low=0) == "bits.low"
    assert written(length=128) == "size" and written(length=-1) == "data" and written(word=0) == "word"


# --- what kernels do not do -------------------------------------------------------------------------------------------

NESTED = "types:\n" + "".join(
    f"  t{depth}: {{seq: [{{id: n, type: u1}}, {{id: l, type: t{depth + 1}, repeat: expr, repeat-expr: n}}]}}\n"
    for depth in range(MAX_LISTS + 1)
) + f"  t{MAX_LISTS + 1}: {{seq: [{{id: n, type: u1}}]}}\n"  # fmt: skip
MANY = "\n".join(f"  - {{id: f{number}, type: u1}}" for number in range(MAX_STEPS + 1))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            "seq: [{id: n, type: u8}, {id: d, type: inner(n)}]\n"
            "types: {inner: {params: [{id: n, type: u8}], seq: [{id: b, size: n - 1}]}}",
            "case.d.b: n - 1: arithmetic on numbers that may be above 2^63 - 1",
            id="arithmetic on large numbers",
        ),
        pytest.param(
            "seq: [{id: n, type: u8}, {id: m, type: s8}, {id: b, size: n & m}]",
            "case: b: the expression n & m, which kernels do not support",
            id="bits of large and negative numbers",
        ),
        pytest.param(f"seq:\n{MANY}", f"case: {MAX_STEPS + 1} steps; kernels are made of at most", id="many steps"),
        pytest.param(f"seq: [{{id: a, type: t0}}]\n{NESTED}", f"lists nested more than {MAX_LISTS} deep", id="lists"),
    ],
)
def test_refusals_say_where(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(KernelError) as caught:
        kernel(declared(tmp_path, text))
    assert words in str(caught.value)


def test_types_with_parameters_are_parts_of_others() -> None:
    with pytest.raises(
        KernelError, match="record_batch::records: a type with parameters is decoded as a part of other"
    ):
        kernel("record_batch::records")


# --- machine code -----------------------------------------------------------------------------------------------------

RUN = """
import os, sys, numba
for line in sys.stdin:
    cache, format, rows = line.split("\t")
    if os.fork():
        if os.wait()[1]:
            print("failed", flush=True)
        continue
    os.environ["KFORMAT_CACHE"] = cache
    import kformat.kernels
    before = numba.config.CACHE_DIR
    made = kformat.kernels.kernel(format)
    decoded = made.decode(bytes(8))
    assert decoded.problem is None and decoded.rows[0] == int(rows), decoded
    function = made._function
    hits, misses = (sum(number.values()) for number in (function.stats.cache_hits, function.stats.cache_misses))
    assert len(function.signatures) == 1 and numba.config.CACHE_DIR == before
    print(hits, misses, flush=True)
    os._exit(0)
"""


@pytest.fixture(scope="module")
def run_kernel() -> Iterator[Callable[[Path, object], str]]:
    """How often the cache was asked with and without success, by a process of its own that decodes eight zeros. It is
    forked from one that has imported numba and nothing of ours."""
    command = [sys.executable, "-c", RUN]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        given, told = process.stdin, process.stdout
        assert given is not None and told is not None

        def run(cache: Path, format: object) -> str:
            rows = 1 if format == "offset_index::entry" else 8
            given.write(f"{cache}\t{format}\t{rows}\n")
            given.flush()
            return told.readline().strip()

        yield run


OWN = """
seq: [{id: length, type: varint(5)}, {id: body, type: own, size: length}]
types: {own: {seq: [{id: all, size-eos: true}]}}
"""


@pytest.mark.long
def test_machine_code_is_kept(run_kernel: Callable[[Path, object], str], tmp_path: Path) -> None:
    for format in ("offset_index::entry", declared(tmp_path, OWN)):
        cache = tmp_path / f"cache of {Path(format).stem}"
        assert run_kernel(cache, format) == "0 1"
        assert run_kernel(cache, format) == "1 0"
        assert all(path.stat().st_mode & 0o077 == 0 for path in (cache, *cache.iterdir()))
    assert [path.suffix for path in (cache / "sources").iterdir()] == [".py"]
    cache.chmod(0o777)
    assert run_kernel(cache, format) == "0 1"  # what lies in it may be somebody else's
    cache.chmod(0o700)
    other = b"\x80\x04cnumba.core.types.of_another_version\nInteger\n."
    damages = [(text, files) for text in (b"no pickle", other) for files in ("*.nb[ic]", "*.nbc")]
    for contents, pattern in damages:
        for path in cache.rglob(pattern):
            path.write_bytes(contents)
        assert run_kernel(cache, format) == "0 1"
        assert run_kernel(cache, format) == "1 0"


def owned_by_another(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        os.chown(folder, 4711, -1)
    else:
        mine = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: mine + 1)


@pytest.mark.parametrize(
    ("modes", "change", "complaint"),
    [
        ({}, "", ""),
        ({"up": 0o755, "up/cache": 0o755, "up/cache/sources": 0o755}, "", ""),
        ({"up": 0o1777}, "", ""),
        ({"up": 0o777}, "", "up can be written by others"),
        ({"up": 0o770}, "", "up can be written by others"),
        ({"up/cache": 0o1777}, "", "up/cache can be written by others"),
        ({"up/cache": 0o720}, "", "up/cache can be written by others"),
        ({"up/cache/sources": 0o702}, "", "up/cache/sources can be written by others"),
        ({"up/cache/sources": 0o1707}, "", "up/cache/sources can be written by others"),
        ({"up": 0o777, "up/cache": 0o700}, "link", "up can be written by others"),
        ({"up": 0o700, "up/cache": 0o700}, "link", ""),
        ({"up": 0o1777, "up/cache": 0o700}, "owner of up/cache", "belongs to another user"),
        ({"up": 0o755}, "owner of up", "belongs to another user"),
        ({"up/cache/sources": 0o755}, "owner of up/cache/sources", "belongs to another user"),
    ],
)
def test_a_cache_that_others_may_write_is_not_used(
    modes: dict[str, int], change: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, mode in modes.items():
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / name).chmod(mode)
    named = tmp_path / "up/cache"
    if change == "link":
        named = tmp_path / "link"
        named.symlink_to("up/cache")
    elif change:
        owned_by_another(tmp_path / change.removeprefix("owner of "), monkeypatch)
    monkeypatch.setenv("KFORMAT_CACHE", str(named))
    _warn.cache_clear()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        files = [source_file(text, "digest") for text in ("a = 1", "a = 2")]
    sources = tmp_path / "up/cache/sources"
    assert files == ([None, None] if complaint else [sources / "digest.py"] * 2)
    assert [complaint in str(one.message) and "KFORMAT_CACHE" in str(one.message) for one in said] == (
        [True] if complaint else []
    )
    if not modes:
        made = (sources, *sources.parents)[:3]
        assert all(folder.stat().st_mode & 0o777 == 0o700 for folder in made)


def test_the_cache_is_in_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KFORMAT_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    is_mac = sys.platform == "darwin"
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == tmp_path / ("Library/Caches" if is_mac else ".cache") / "kformat"
    if not is_mac:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
        assert cache_folder() == tmp_path / "own" / "kformat"
    monkeypatch.setenv("KFORMAT_CACHE", str(tmp_path / "named"))
    assert cache_folder() == tmp_path / "named"
    monkeypatch.delenv("KFORMAT_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # nobody knows where home is
    assert cache_folder() is None


def test_a_folder_that_cannot_be_written(run_kernel: Callable[[Path, object], str], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for format in ("offset_index::entry", declared(tmp_path, OWN)):
        assert run_kernel(tmp_path / "file" / "cache", format) == "0 1"
    assert not list(Path(kernels.__file__).parents[1].rglob("*.nb[ic]"))


class Missing:
    """Finds no numba, and counts how often it is looked for."""

    count = 0

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "numba":
            self.count += 1
            raise ModuleNotFoundError(name=name)


def test_without_numba_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked for once in a process: to search for it in vain was most of the work over thousands of files."""
    missing = Missing()
    monkeypatch.delitem(sys.modules, "numba")
    monkeypatch.setattr(sys, "meta_path", [missing, *sys.meta_path])
    monkeypatch.setattr(compiled, "_has_numba", functools.cache(compiled._has_numba.__wrapped__))
    for format in ("offset_index", "time_index"):
        made = Kernel(kernel(format).source)
        with pytest.raises(MissingDependencyError, match=r"numba is not installed; .*pip install 'kformat\[fast\]'"):
            made.decode(bytes(24))
    with pytest.raises(MissingDependencyError):
        compiled.compiled_by_hand("kformat.kernels.nothing")
    assert missing.count == 1


# --- errors -----------------------------------------------------------------------------------------------------------


def test_the_codec_says_what_is_wrong() -> None:
    """With the place in the source, and as an error in the structure around, where the window is one of several."""
    made = kernel("record_batch::record")
    data, count = max(record_seeds(), key=lambda seed: seed[1])
    cut = len(data) - 1
    decoded = made.decode(data, [(0, cut, count)])
    assert decoded.problem is not None
    names: dict[str, Any] = {"path": "record_batch.records", "source": "x.log", "position": 1000}
    error = error_of(made, data, decoded.problem, cut, **names)
    assert isinstance(error, TruncatedError) and error.source == "x.log"
    assert error.path.startswith(f"record_batch.records[{count - 1}].")
    assert error.position is not None and 1000 + decoded.problem.position < error.position <= 1000 + cut
    assert error.partial.length >= 0
    inside = error_of(made, data, decoded.problem, cut, **names, is_cut=False)
    assert isinstance(inside, InvalidError) and inside.path == f"record_batch.records[{count - 1}].body"
    behind = made.decode(data + b"abc", [(0, len(data) + 3, count)])
    assert behind.problem is not None
    error = error_of(made, data + b"abc", behind.problem, **names)
    words = "record_batch.records: bytes are left over (expected the end, found 3 bytes)"
    assert str(error) == f"x.log:{1000 + len(data)} {words}"


def test_a_kernel_is_compiled_once_for_all_who_call_it() -> None:
    """Its function takes no other signature once it is made: a second compilation would be a new one, each time."""
    source, again = (decode_source(load_type("record_batch")) for _ in range(2))
    assert source is not again
    assert function_of(source) is function_of(again) is kernel("record_batch")._function


def test_types_with_other_numbers_have_machine_code_of_their_own() -> None:
    """Also where their kernels have the same text: a signed and an unsigned number of 64 bits."""
    for kind, number in (("s8", -1), ("u8", 2**64 - 1), ("s8", -2)):
        fields = "{id: n, type: u1}, {id: b, size: n}, {id: x, type: KIND}".replace("KIND", kind)
        declared = kformat.parse_declaration(f"meta: {{id: same, endian: be}}\nseq: [{fields}]")
        decoded = kernel(load_type(declared)).decode(b"\1b" + (number % 2**64).to_bytes(8, "big"), [(0, 10, 1)])
        assert decoded["x"].tolist() == [number]
