"""Kernels accept, reject and give what the codec does, whatever the bytes are, and stop in the same row."""

from __future__ import annotations

import contextlib
import functools
import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numba")

import kformat
from kformat.checksum import crc32c
from kformat.codec import parse_prefix
from kformat.compression import decompress
from kformat.declaration import load_declaration
from kformat.errors import CompressionError, DataError, DeclarationError, LimitError, UsageError
from kformat.kernels import KernelError, Part, kernel
from kformat.kernels.source import decode_source
from kformat.layout import layout
from kformat.program import load_program
from tests.differential.inputs import inputs
from tests.kernel_cases import EDGES, compare, differences, expected, given, mutated, varint, zigzag
from tests.sample_values import VERSIONS, sample_values
from tests.test_witness import made_values
from tests.vectors import BATCHES
from tests.witness import witness_formats

DECLARATIONS = Path(__file__).parent / "declarations"

# Types that stand by themselves and have no kernel: why.
REFUSED = {
    "legacy_message::attributes": "legacy_message::attributes: bits alone are no rows",
    "record_batch::attributes": "record_batch::attributes: bits alone are no rows",
}
FORMATS = [name for name in witness_formats() if name not in REFUSED]
# Of these numba takes more than a few seconds.
LARGE = {"control_record::kraft_voters", "control_record::leader_change"}


def declared(tmp_path: Path, text: str, name: str = "case") -> Path:
    path = tmp_path / f"{name}.ksy"
    path.write_text(f"meta: {{id: {name}, endian: be, encoding: UTF-8, imports: [varint]}}\n{text}", encoding="utf-8")
    return path


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """For declarations that no other test has: what is made of them goes with the test."""
    monkeypatch.setenv("KFORMAT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


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


@pytest.mark.parametrize("format", [pytest.param(name, marks=[pytest.mark.slow] * (name in LARGE)) for name in FORMATS])
def test_types_sound_and_damaged(format: str) -> None:
    seen, found = compare(kernel(format), seeds()[format], 400)
    assert found == []
    assert seen["accepted"] > 20 and len(seen) > 1


def test_types_that_are_refused() -> None:
    for format, reason in REFUSED.items():
        with pytest.raises(KernelError) as caught:
            kernel(format)
        assert str(caught.value) == reason


@pytest.mark.parametrize("version", VERSIONS)
def test_everything_declared_that_a_broker_wrote(version: str) -> None:
    seen: Counter[str] = Counter()
    for format, data, where in sample_values(version):
        if format not in LARGE:
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


def with_right_sum(data: bytes) -> bytes:
    """The batch with the checksum of what is in it now, so that readers look further."""
    shape = layout("record_batch")
    if len(data) < shape.end("records_count"):
        return data
    changed = bytearray(data)
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
    columns = [given(column, records, inner) for column in record.source.columns]
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
    return verdict, [expected(source, column, records) for column in source.columns]


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
            data = with_right_sum(data)
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
    seen = doubt(12_000, 1)
    assert min(seen[f"{name} accepted"] for name in ("record", "header")) > 300 and seen["batch sound"] > 300
    assert {"batch header", "batch checksum", "batch payload", "batch 0 records"} <= set(seen)


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
    count = 12
    draw, path = drawn(tmp_path, seed, count)
    made, seen, found = kernel(path), Counter[str](), []
    for _ in range(100 * count):
        data = draw.data(count)
        found += [f"{data.hex()}: {problem}" for problem in differences(made, data, 1, seen)]
        if len(found) > 5:
            break
    assert found == [], path.read_text(encoding="utf-8")
    assert len(seen) > 5, seen
