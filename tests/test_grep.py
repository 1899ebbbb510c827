"""`kformat grep`: what is found is what a look at every record finds, whatever the bytes, and with the same error."""

from __future__ import annotations

import csv
import importlib
import io
import itertools
import json
import random
import re
import string
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import kformat
from kformat.cli import main
from kformat.errors import DataError, LimitError, MissingDependencyError, UsageError
from kformat.grep import WHERE, Found, Search, _containing, _required, search_chunks
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.records import Record
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kafka.columns.chunks import Scattered, Wanted
from kformat.kafka.log.partition import Partition, open_partition
from kformat.language.layout import layout
from tests.draws import every
from tests.kafka.test_columns import a_log
from tests.kernel_cases import mutated
from tests.samples import ROOT as SAMPLES
from tests.samples import Sample, all_samples


def by_looking(partition: Partition, *, include_control: bool = False, checksums: bool = True) -> Iterator[Record]:
    """Every record that is searched, as the codec reads it."""
    for segment in partition.segments:
        for batch in iter_batches(segment.log):
            if checksums and not batch.is_valid:
                batch.parse()
            if include_control or not batch.is_control:
                yield from batch.records()


def fields(record: Record, where: tuple[str, ...] = WHERE) -> Iterator[bytes]:
    """What is searched of a record."""
    for name in where:
        found: list[bytes | None] = [record.key if name == "key" else record.value]
        if name == "header_key":
            found = [key.encode("utf-8", "surrogateescape") for key, _ in record.headers]
        elif name == "header_value":
            found = [value for _, value in record.headers]
        yield from (item for item in found if item is not None)


def matching(records: Iterable[Record], search: Search) -> list[bool]:
    """Which records match."""
    pattern = search.pattern.encode() if isinstance(search.pattern, str) else search.pattern
    flags = re.IGNORECASE if search.ignore_case else 0
    find = re.compile(pattern if search.regex else re.escape(pattern), flags).search
    return [any(find(item) for item in fields(record, search.where)) != search.invert for record in records]


def as_found(record: Record, partition: Partition) -> Found:
    of_record = [getattr(record, name) for name in ("offset", "timestamp", "timestamp_type", "key", "value", "headers")]
    return Found(partition.topic, partition.partition, *of_record)


def told(found: Iterator[Any]) -> tuple[list[Any], str]:
    """All up to the error, and the error's text."""
    rows = []
    try:
        for row in found:
            rows.append(row)
    except DataError as error:
        return rows, f"{type(error).__name__}: {error}"
    return rows, ""


def expected(partition: Partition, search: Search, **how: Any) -> tuple[list[Any], str]:
    rows, error = told(by_looking(partition, **how))
    return [as_found(record, partition) for record in itertools.compress(rows, matching(rows, search))], error


def given_by(partition: Partition, search: Search, **how: Any) -> tuple[list[Any], str]:
    words = {name: getattr(search, name) for name in ("where", "regex", "ignore_case", "invert")}
    return told(kformat.grep(partition, search.pattern, **words, **how))


def searches(records: list[Record], chance: random.Random) -> Iterator[Search]:
    """What to look for in some records: pieces of them, in one place or in all, and what is not there."""
    yield Search()
    yield Search(invert=True)
    yield Search(pattern="位移", where=("value",))
    yield Search(pattern=b"certainly not there")
    yield Search(pattern=r"^key-\d$|^broker.*\bindex", regex=True)
    yield Search(pattern="KEY-1", ignore_case=True, where=("key",))
    for name in WHERE:
        items = [item for record in records for item in fields(record, (name,)) if item]
        for item in chance.sample(items, min(len(items), 2)):
            start = chance.randrange(len(item))
            piece = item[start : start + chance.choice((1, 2, 5, 40))]
            yield Search(pattern=piece, where=(name,))
            yield Search(pattern=piece.swapcase(), ignore_case=True, invert=chance.random() < 0.5)
            yield Search(pattern=re.escape(piece) + b".?$", regex=True, where=(name, "value"))


# By day every fourth: that all samples' rows are read right is for test_stats.py and test_sample_records.py.
@pytest.mark.parametrize("sample", every(4, all_samples()), ids=str)
def test_samples(sample: Sample) -> None:
    partition = sample.open()
    records = list(by_looking(partition, include_control=True))
    chunks = list(partition.chunks(Wanted(include_control=True)))
    for search in searches(records, random.Random(str(sample))):
        found = np.concatenate([np.empty(0, np.bool_), *(search.rows(chunk) for chunk in chunks)])
        assert found.tolist() == matching(records, search), search
    search = Search(pattern=b"e", invert=True)
    assert given_by(partition, search) == expected(partition, search)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "orders-3", a_log())


def written(folder: Path, data: bytes, base_offset: int = 100) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{base_offset:020d}.log").write_bytes(data)
    return folder


def test_damaged_logs(tmp_path: Path) -> None:
    chance = random.Random(3)
    log, errors = a_log(), set()
    for _ in range(120):
        partition = open_partition(written(tmp_path / "orders-0", mutated(log, chance)))
        search = chance.choice([Search(pattern=b"e", where=("key",)), Search(pattern=b"\x01"), Search(invert=True)])
        checksums = chance.random() < 0.3
        found = given_by(partition, search, checksums=checksums)
        assert found == expected(partition, search, checksums=checksums)
        errors.add(found[1].partition(":")[0])
    assert len(errors) >= 4


# --- patterns ------------------------------------------------------------------------------------------------------

LETTERS = st.binary(max_size=40).map(lambda data: bytes(b"abAB{[@`"[byte % 8] for byte in data))


@given(
    st.lists(st.none() | LETTERS, max_size=12),
    st.binary(max_size=20),
    LETTERS.map(lambda data: data[:20]),
    st.booleans(),
)
def test_rows_hold_a_pattern_where_python_says_so(
    items: list[bytes | None], junk: bytes, pattern: bytes, ignores_case: bool
) -> None:
    data, positions = junk, []
    for item in items:
        positions.append(len(data))
        data += (item or b"") + junk[:3]
    lengths = np.array([-1 if item is None else len(item) for item in items], np.int64)
    order = np.argsort(lengths, kind="stable")  # rows need not lie in the order of their positions
    column = Scattered(np.frombuffer(data, np.uint8), np.array(positions, np.int64), lengths).take(order)
    if ignores_case:
        pattern = pattern.lower()
    found = _containing(column, pattern, ignores_case)
    kept = [None if item is None else item.lower() if ignores_case else item for item in column.to_list()]
    assert found.tolist() == [item is not None and pattern in item for item in kept]


def test_without_numba_it_is_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    partition = open_partition(folder)
    looked_for = [Search(pattern=b"x"), Search(pattern=b"KEY", ignore_case=True), Search(pattern=b"k.y", regex=True)]
    before = [given_by(partition, search) for search in looked_for]

    def missing(*_: Any, **__: Any) -> Any:
        raise MissingDependencyError("numba", "fast")

    monkeypatch.setattr(sys.modules["kformat.grep"], "contains", missing)
    assert [given_by(partition, search) for search in looked_for] == before
    assert all(rows for rows, _ in before)


@pytest.mark.parametrize(
    ("expression", "literal"),
    [
        (rb"order-\d+ failed", b" failed"),
        (rb"order-", b"order-"),
        (rb"^order$", b"order"),
        (rb"ab?c", b"a"),
        (rb"x*", b""),
        (rb"abc|xyz", b""),
        (rb"(abc)def(?:ghijk)?", b"def"),
        (rb"\x41\101B", b"AAB"),
        (rb"\.log\b", b".log"),
        (rb"(?i)Order \d", b"Order "),
        (rb"(?x) a b # c", b"ab"),
        (rb"[a]bc", b"abc"),
        (rb"(?=needle).", b""),
        (rb"a{2}bcd", b"bcd"),
        (rb"", b""),
    ],
)
def test_a_literal_that_every_match_holds(expression: bytes, literal: bytes) -> None:
    assert _required(expression, re.compile(expression).flags) == literal


def test_where_re_does_not_tell_every_row_is_searched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search = Search(pattern=b"ke+y", regex=True)
    before = given_by(open_partition(folder), search)

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    assert _required(b"ke+y", 0) == b""
    assert given_by(open_partition(folder), search) == before != ([], "")


def test_a_match_lies_in_one_field(tmp_path: Path) -> None:
    columns = Columns([1, 2, 3], [b"ab", None, b"c"], [b"cd", b"ab\ncd", None], [[("ef", b"gh")], [], [("ab", None)]])
    folder = written(tmp_path / "t-0", build_batch(columns, base_offset=0, fields=BatchFields()), 0)

    def offsets(pattern: str, **how: Any) -> list[int]:
        return [found.offset for found in kformat.grep(folder, pattern, **how)]

    assert offsets("abcd") == offsets("fg") == offsets("a.*d", regex=True) == []
    assert offsets("ab") == [0, 1, 2]
    assert offsets("ab", where=["key"]) == [0]
    assert offsets("ab", where="header_key") == [2]
    assert offsets("^cd", regex=True) == [0]
    assert offsets("^cd", regex=True, where="value", invert=True) == [1, 2]
    assert offsets("(?ms)a.*^c", regex=True) == [1]
    assert offsets("", where=["value"]) == [0, 1]
    assert offsets("G", ignore_case=True) == [0]


def test_letters_alone_have_a_case(tmp_path: Path) -> None:
    values = [string.ascii_uppercase.encode(), string.ascii_lowercase.encode(), b"@[", b"`{"]
    batch = build_batch(Columns([1] * 4, [None] * 4, values), base_offset=0, fields=BatchFields())
    folder = written(tmp_path / "t-0", batch, 0)
    for pattern, expected in ((string.ascii_lowercase, [0, 1]), (string.ascii_uppercase, [0, 1]), ("@[", [2])):
        for back_end in ("kernels", "regex"):
            how: dict[str, Any] = {"ignore_case": True, "regex": back_end == "regex"}
            wanted = re.escape(pattern) if back_end == "regex" else pattern
            assert [found.offset for found in kformat.grep(folder, wanted, **how)] == expected


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"where": ["keys"]}, "'keys'"),
        ({"where": []}, "unknown place to search"),
        ({"pattern": "(", "regex": True}, "unterminated"),
        ({"pattern": "a{99999999999}", "regex": True}, "regular expression"),
    ],
)
def test_wrong_searches(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageError, match=re.escape(text)):
        list(kformat.grep("nowhere", **{"pattern": "", **arguments}))


# --- ranges, and the newest of each key ----------------------------------------------------------------------------


def newest(records: list[Record]) -> list[Record]:
    last = {record.key: record.offset for record in records}
    return [record for record in records if record.key is not None and record.offset == last[record.key]]


def log_of_keys(seed: int) -> bytes:
    chance, made, offset = random.Random(seed), [], 0
    for _ in range(20):
        count = chance.randint(1, 9)
        keys = [chance.choice((None, b"", b"%d" % chance.randrange(40))) for _ in range(count)]
        values = [chance.choice((None, b"", chance.randbytes(9))) for _ in range(count)]
        fields = BatchFields(compression=chance.choice(("none", "lz4")))
        made.append(build_batch(Columns([offset] * count, keys, values), base_offset=offset, fields=fields))
        offset += count
    return b"".join(made)


@pytest.mark.parametrize("seed", range(6))
def test_the_newest_of_each_key(tmp_path: Path, seed: int) -> None:
    partition = open_partition(written(tmp_path / "t-0", log_of_keys(seed), 0))
    records = list(by_looking(partition))
    ranges: list[tuple[dict[str, int], Callable[[Record], bool]]] = [
        ({}, lambda record: True),
        ({"start_offset": 20}, lambda record: record.offset >= 20),
        ({"end_offset": 40}, lambda record: record.offset < 40),
        ({"since": 25, "until": 50}, lambda record: 25 <= record.timestamp < 50),
    ]
    for how, is_inside in ranges:
        left = newest(list(filter(is_inside, records)))
        for search in (Search(), Search(pattern=b"1", where=("key",)), Search(pattern=b"1"), Search(invert=True)):
            wanted = [as_found(record, partition) for record in itertools.compress(left, matching(left, search))]
            assert given_by(partition, search, newest=True, **how) == (wanted, "")
            living = [found for found in wanted if found.value is not None]
            assert given_by(partition, search, newest=True, tombstones=False, **how) == (living, "")
    assert len(left) > 3


@pytest.mark.parametrize("sample", [sample for sample in all_samples() if sample.compacted], ids=str)
def test_what_kafkas_cleaner_left_is_newest(sample: Sample) -> None:
    partition = sample.open()
    active = partition.segments[-1].base_offset
    cleaned = [record for record in by_looking(partition) if record.offset < active]
    found = list(kformat.grep(partition, "", newest=True, end_offset=active))
    assert found == [as_found(record, partition) for record in cleaned]


def test_committed_records_alone() -> None:
    samples = [sample for sample in all_samples() if sample.magic == 2 and sample.name.startswith("transactions")]
    for sample in samples:
        partition = sample.open()
        offsets = [at for chunk in partition.chunks(partition.committed()) for at in chunk.numbers["offset"].tolist()]
        found = list(kformat.grep(sample.path, "", isolation_level="read_committed"))
        assert [record.offset for record in found] == offsets
        assert 0 < len(found) < len(list(kformat.grep(sample.path, "")))
        latest = {record.key: record.offset for record in found}
        newest = kformat.grep(sample.path, "", newest=True, isolation_level="read_committed")
        assert {record.key: record.offset for record in newest} == latest
        counted = run("", sample.path, "-c", "--isolation-level", "read_committed")
        assert counted == (0, f"{len(found)}\n", "")
    assert samples
    with pytest.raises(UsageError, match="isolation level"):
        kformat.grep("nowhere", "", isolation_level="committed")


def test_memory_for_keys_is_limited(tmp_path: Path) -> None:
    folder = written(tmp_path / "t-0", log_of_keys(1), 0)
    with pytest.raises(LimitError, match="more keys"):
        list(kformat.grep(folder, "", newest=True, limit=1000))
    assert list(kformat.grep(folder, "7", where="key", newest=True, limit=4000)), "keys that do not match take none"


def test_columns_of_what_is_found(folder: Path) -> None:
    partition = open_partition(folder)
    wanted = Wanted(columns=("producer_id", "value"))
    chunks = list(search_chunks(partition, Search(pattern=b"key", where=("key",)), wanted, newest=True))
    assert {name for chunk in chunks for name in chunk.numbers} == {"producer_id"}
    assert all(chunk.key is None and chunk.headers is None for chunk in chunks)
    (found,) = kformat.grep(partition, b"key", where="key", newest=True)
    assert [value for chunk in chunks if chunk.value for value in chunk.value.to_list()] == [found.value]


def test_ranges(folder: Path) -> None:
    records = list(by_looking(open_partition(folder)))
    middle = sorted(record.timestamp for record in records)[len(records) // 2]
    low, high = records[20].offset, records[-20].offset

    def offsets(keep: Callable[[Record], bool]) -> list[int]:
        return [record.offset for record in records if record.key == b"key" and keep(record)]

    def found(**how: Any) -> list[int]:
        return [found.offset for found in kformat.grep(folder, "key", where="key", **how)]

    assert found(start_offset=low, end_offset=high) == offsets(lambda record: low <= record.offset < high)
    assert found(until=middle) == offsets(lambda record: record.timestamp < middle)


# --- the command ---------------------------------------------------------------------------------------------------


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    result = CliRunner().invoke(main, ["grep", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


ROLLED = SAMPLES / "4.3.1" / "rolled-by-bytes-0"


def test_lines_are_those_of_a_dump() -> None:
    status, out, _ = run("--key", "key-7", ROLLED)
    dumped = CliRunner().invoke(main, ["dump", "--print-data-log", *map(str, sorted(ROLLED.glob("*.log")))]).stdout
    lines = [
        line.removeprefix("| ").replace(" sequence: -1", "") for line in dumped.splitlines() if " key: key-7 " in line
    ]
    assert status == 0 and out.splitlines() == lines


def test_counting_and_stopping(folder: Path) -> None:
    count = len(list(kformat.grep(folder, "key")))
    assert run("key", folder, "-c") == (0, f"{count}\n", "")
    assert run("key", folder, "-c", "-m", "2") == (0, "2\n", "")
    assert len(run("key", folder, "-m", "2")[1].splitlines()) == 2
    assert run("certainly not there", folder) == (1, "", "")
    assert run("certainly not there", folder, "-c") == (1, "0\n", "")
    assert run("certainly not there", folder, "-v", "-c")[0] == 0


def test_objects_and_cells(folder: Path) -> None:
    found = list(kformat.grep(folder, "h", where="header_key"))
    status, out, _ = run("h", folder, "--header-key", "--format", "nl", "--bytes", "hex")
    objects = [json.loads(line) for line in out.splitlines()]
    assert status == 0 and [row["offset"] for row in objects] == [row.offset for row in found]
    assert [row["topic"] for row in objects] == ["orders"] * len(found)
    assert objects[0]["headers"] == [{"key": "h", "value": None}, {"key": "é", "value": "78"}]
    assert objects[0]["value"] == (None if found[0].value is None else found[0].value.hex())
    assert objects[0]["timestamp_type"] in ("create_time", "log_append_time")
    table = list(csv.DictReader(io.StringIO(run("h", folder, "--header-key", "--format", "csv", "--bytes", "hex")[1])))
    assert [int(row["offset"]) for row in table] == [row.offset for row in found]
    assert json.loads(table[0]["headers"]) == objects[0]["headers"]
    assert json.loads(run("h", folder, "--header-key", "--format", "json", "-c")[1]) == [
        {"topic": "orders", "partition": 3, "count": len(found)}
    ]


def test_patterns_of_the_command(tmp_path: Path) -> None:
    columns = Columns([1, 2], [b"\x00\xff", "größe".encode()], [None, b"-v"])
    folder = written(tmp_path / "t-0", build_batch(columns, base_offset=0, fields=BatchFields()), 0)
    for arguments, offset in {
        ("--hex", "00FF"): 0,
        ("--hex", "0x00 ff"): 0,
        ("-E", r"^\x00"): 0,
        ("größe",): 1,
        ("-E", "gr.{4}e$"): 1,
        ("--value", "--", "-v"): 1,
        ("", "--value"): 1,
    }.items():
        status, out, _ = run(*arguments, folder)
        assert status == 0 and out.startswith(f"offset: {offset} "), arguments
        assert len(out.splitlines()) == 1


def test_several_partitions_and_damage(folder: Path) -> None:
    damaged = bytearray(a_log())
    *_, last = iter_batches(bytes(damaged))
    damaged[last.position + layout("record_batch").position("crc")] ^= 1
    other = written(folder.with_name("orders-2"), bytes(damaged))
    count, whole = len(list(told(kformat.grep(other, "key"))[0])), len(list(kformat.grep(folder, "key")))
    assert 0 < count < whole
    status, out, complaint = run("key", folder.parent, "-c")
    assert (status, out) == (1, f"{other}: {count}\n{folder}: {whole}\n")
    assert "record_batch.crc" in complaint
    assert run("key", folder.parent, "-c", "--no-checksums")[0] == 0
    status, out, complaint = run("key", folder.with_name("missing-0"), folder, "-c")
    assert (status, out) == (3, f"{whole}\n") and "No such file" in complaint


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--hex", "0"], "hexadecimal"),
        (["--hex", "-E", "00"], "regular expression"),
        (["-E", "("], "regular expression"),
        (["x", "--limit", "-1"], "--limit"),
    ],
)
def test_wrong_calls(folder: Path, arguments: list[str], text: str) -> None:
    status, out, complaint = run(*arguments, folder)
    assert (status, out) == (2, "") and text in complaint


def test_control_records_are_asked_for() -> None:
    sample = SAMPLES / "4.3.1" / "transactions-0"
    without, with_them = run("", sample, "-c")[1], run("", sample, "-c", "--include-control")[1]
    records = list(open_partition(sample).records())
    assert int(with_them) == len(records) > int(without)


def test_declared_values(tmp_path: Path) -> None:
    """Text, bytes and names in values are searched, of those that do not parse all bytes; printed as JSON."""
    (tmp_path / "two.ksy").write_text(
        "meta: {id: two}\nseq: [{id: kind, type: u1, enum: kind}, {id: name, type: str, size: 3, encoding: UTF-8}]\n"
        "enums: {kind: {1: open, 2: close}}"
    )
    folder, format = tmp_path / "orders-0", str(tmp_path / "two.ksy")
    folder.mkdir()
    values = [b"\1abc", b"\2xyz", None, b"open?", b"\1\xff\xff\xff", b"\2abc!"]
    columns = Columns([1000] * 6, [b'{"a": "open"}', b"abc", b"1", None, None, None], values)
    (folder / f"{0:020d}.log").write_bytes(build_batch(columns, base_offset=0))

    def found(pattern: str, *more: str) -> list[Any]:
        words = ["grep", pattern, str(folder), "--value-as", format, "--format", "nl", *more]
        return [json.loads(line) for line in CliRunner().invoke(main, words).stdout.splitlines()]

    assert [one["offset"] for one in found("open")] == [0, 3]  # a name, the key of a record without a layout, bytes
    assert [one["offset"] for one in found("open", "--value")] == [0, 3]
    assert [one["offset"] for one in found("abc")] == [0, 1, 5]
    assert [one["offset"] for one in found("abc", "--columns", "value.name")] == [0]
    assert [one["offset"] for one in found("abc", "--columns", "value.name", "-v")] == [1, 2, 3, 4, 5]
    assert [one["offset"] for one in found("^open$", "-E", "--columns", "value.kind")] == [0, 4]  # the name is not read
    assert [one["offset"] for one in found("ope", "--key-as", "json", "--columns", "key")] == [0]
    first, second = found("open", "--bytes", "hex")
    assert (first["value"], first["value_raw"]) == ({"kind": "open", "name": "abc"}, None)
    assert (second["value"], second["value_raw"]) == (None, b"open?".hex()) and "left over" in second["value_error"]
    words = ["grep", "x", str(folder), "--value-as"]
    for more, why in (
        ([format, "--columns", "offset"], "it is no part of what"),
        ([f"x={format}"], "no topic 'x' here; there are orders"),
        ([format, "--columns", "value.none"], "has no field 'none'"),
    ):
        done = CliRunner().invoke(main, [*words, *more])
        assert done.exit_code == 2 and why in done.stderr, done.stderr


def test_declared_values_in_python(tmp_path: Path) -> None:
    """Values are what `kformat.parse` makes of them; what does not parse is there as bytes, with the reason."""
    (tmp_path / "two.ksy").write_text(
        "meta: {id: two}\nseq: [{id: kind, type: u1}, {id: name, type: strz, encoding: UTF-8}]"
    )
    format = str(tmp_path / "two.ksy")
    for topic in ("orders", "others"):
        (tmp_path / "root" / f"{topic}-0").mkdir(parents=True)
        columns = Columns([1000] * 4, [b'{"a": "x"}', b"ab", None, b"[1"], [b"\1ab\0", b"\2b\0", b"ab", None])
        (tmp_path / "root" / f"{topic}-0" / f"{0:020d}.log").write_bytes(build_batch(columns, base_offset=0))
    orders = tmp_path / "root" / "orders-0"
    found: list[Any] = list(kformat.grep(orders, "ab", value_as=format))
    assert [(one.offset, one.value_raw, one.key) for one in found] == [
        (0, None, b'{"a": "x"}'),
        (1, None, b"ab"),
        (2, b"ab", None),
    ]
    assert (found[0].value.name, found[1].value.kind, found[2].value) == ("ab", 2, None)
    assert "the bytes end before a terminator" in found[2].value_error
    only: Any
    wrong: Any
    (only,) = kformat.grep(orders, "x", value_as=format, key_as="json")
    assert (only.key, only.key_error) == ({"a": "x"}, None)
    (wrong,) = kformat.grep(orders, "[1", key_as="json")
    assert (wrong.key, wrong.key_raw, wrong.value) == (None, b"[1", None) and "not JSON" in wrong.key_error
    assert [one.offset for one in kformat.grep(orders, "ab", value_as=format, columns="value.name")] == [0]
    assert [one.offset for one in kformat.grep(orders, "b", value_as=format, newest=True, key_as="json")] == [0, 1]
    both = list(kformat.grep(tmp_path / "root", b"\1ab", value_as={"orders": format}))
    assert [(one.topic, type(one.value)) for one in both] == [("others", bytes)]
    wrong_calls: list[tuple[dict[str, Any], str]] = [
        ({"columns": "value.name"}, "give value_as or key_as"),
        ({"value_as": format, "columns": "offset"}, "it is no part of what"),
        ({"value_as": format, "columns": "value.kind"}, "neither text nor bytes"),
        ({"value_as": "nothing"}, "no format 'nothing'"),
    ]
    for wrong_call, why in wrong_calls:
        with pytest.raises(UsageError, match=why):
            kformat.grep(orders, "x", **wrong_call)
