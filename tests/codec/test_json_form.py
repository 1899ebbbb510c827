"""JSON both ways: everything that brokers wrote, random values of every format, what does not survive, the schemas."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import Result
from hypothesis import example, given, settings
from hypothesis import strategies as st

import kformat
from kformat.codec.constructs import parse_prefix
from kformat.codec.json_form import BYTES, SCHEMA, from_json, to_json
from kformat.errors import BuildError, UsageError
from kformat.kafka.columns.log_values import LOG, LOG_FORMATS, json_schema, log_format
from kformat.kafka.files.file_kinds import describe_file
from kformat.language.declaration import Declaration, load_declaration, parse_declaration
from kformat.language.expression import compile_expression, decode_text
from kformat.language.program import (
    Check,
    CheckEnd,
    Checksum,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadType,
    ReadVarint,
    Step,
    TypeProgram,
    Window,
    load_type,
)
from tests.cli.test_cli import run
from tests.draws import at_most, every
from tests.dump_cases import batch, entry, patched, record
from tests.samples import ROOT
from tests.vectors import BATCHES, BY_NAME, LEGACY, SMALL_FILES
from tools.json_schemas import names as schema_names
from tools.witness import MESSAGES

pytestmark = pytest.mark.drawn

DECLARATIONS = Path(__file__).parents[1] / "declarations"
OWN: tuple[Declaration, ...] = tuple(
    load_declaration(DECLARATIONS / f"{name}.ksy") for name in ("telemetry", "letter", "archive")
)
LISTS = parse_declaration("""\
meta: {id: lists, endian: le, encoding: UTF-8, imports: [varint]}
seq:
  - {id: kinds_count, type: u1}
  - {id: kinds, type: s1, enum: kind, repeat: expr, repeat-expr: kinds_count}
  - {id: floats_count, type: u1}
  - {id: floats, type: f4, repeat: expr, repeat-expr: floats_count}
  - {id: large_count, type: u1}
  - {id: large, type: varint(10), repeat: expr, repeat-expr: large_count}
  - {id: names, type: str, size: 3, repeat: expr, repeat-expr: 2}
  - {id: bits, type: bits}
  - {id: parts_count, type: u1}
  - {id: parts, size: 2, repeat: expr, repeat-expr: parts_count}
  - {id: rest, type: u8, repeat: eos}
types:
  bits: {seq: [{id: high, type: b60}, {id: low, type: b4, enum: kind}]}
enums:
  kind: {-1: minus, 1: class, 2: mro_}
""")
OWN += (LISTS,)
FORMATS = {"metadata_snapshot": LOG, "log": LOG}
KINDS = {"log", "metadata_snapshot", "offset_index", "time_index", "transaction_index", "producer_snapshot"}
SILENT = ("--raw", "--format", "nl")

some = settings(max_examples=at_most(25), deadline=None)  # other programs share the machine


def ok(result: Result) -> Result:
    assert (result.exit_code, result.stderr) == (0, ""), result.stderr
    return result


# --- what brokers wrote ----------------------------------------------------------------------------------------------


def sample_files(version: str) -> list[tuple[Path, str]]:
    """Every file of a broker that is not text, with the format to read it by."""
    found = [(path, describe_file(path.name)[0]) for path in sorted((ROOT / version).rglob("*")) if path.is_file()]
    return [(path, FORMATS.get(kind, kind)) for path, kind in found if kind in KINDS]


BROKERS = sorted(path.name for path in ROOT.glob("[0-9]*"))


@pytest.mark.parametrize("version", BROKERS)
def test_every_file_of_a_broker_is_the_same_after_json(version: str) -> None:
    files = sample_files(version)
    suffixes = {path.name.removesuffix(".deleted").rpartition(".")[2] for path, _ in files}
    assert {"log", "index"} <= suffixes and len(files) >= 40
    ways = [(), ("--int64-as-strings",), ("--bytes", "hex"), ("--bytes", "text", "--int64-as-strings")]
    # By day every ninth, other ones of each broker's neighbour: they have the same topics.
    for number, (path, format) in every(9, list(enumerate(files)), BROKERS.index(version)):
        printed = ok(run("parse", "--as", format, path, *SILENT, *ways[number % len(ways)])).stdout_bytes
        assert ok(run("build", "--as", format, stdin=printed)).stdout_bytes == path.read_bytes(), path


def test_a_log_may_hold_every_magic(tmp_path: Path) -> None:
    data = entry(0, magic=0) + entry(1) + batch(6) + BY_NAME["lz4"].data
    (tmp_path / "log").write_bytes(data)
    printed = ok(run("parse", "--as", LOG, tmp_path / "log", "--format", "json", "--raw"))
    values = json.loads(printed.stdout)
    assert [log_format(value) for value in values] == [LOG_FORMATS[1]] * 2 + [LOG_FORMATS[0]] * 2
    assert ok(run("build", "--as", LOG, "-o", tmp_path / "built", stdin=printed.stdout_bytes)).stdout == ""
    assert (tmp_path / "built").read_bytes() == data
    assert run("parse", "--as", LOG, "-", "--raw", stdin=data).stdout == printed.stdout
    later = json.loads(
        run("parse", "--as", LOG, tmp_path / "log", "--raw", "--position", str(len(entry(0, magic=0)))).stdout
    )
    assert later == values[1:]
    assert json.loads(run("parse", "--as", LOG, "-", stdin=b"").stdout) == []
    third = str(len(entry(0, magic=0) + entry(1)))
    assert (
        json.loads(run("parse", "--as", "record_batch", "-", "--raw", "--position", third, stdin=data).stdout)
        == values[2]
    )
    behind = run("parse", "--as", "record_batch", "-", "--position", str(10**20), stdin=data)
    assert behind.exit_code == 1 and f"<stdin>:{10**20} " in behind.stderr
    assert run("build", "--as", LOG, stdin=b"[]").stdout_bytes == b""


def test_a_damaged_log_is_read_as_far_as_it_is_sound() -> None:
    done = run("parse", "--as", LOG, "-", stdin=batch(0) + batch(3)[:-1])
    assert done.exit_code == 1 and "<stdin>" in done.stderr
    assert [value["base_offset"] for value in json.loads(done.stdout)] == [0]
    wrong = run("parse", "--as", LOG, "-", "--partial", stdin=batch(0) + patched(batch(3), "crc", 1))
    assert wrong.exit_code == 1 and len(json.loads(wrong.stdout)) == 2


# --- what does not survive is told ----------------------------------------------------------------------------------

ODD = """\
meta: {id: odd, endian: be, imports: [varint]}
seq:
  - {id: number, type: f8}
  - {id: key_length, type: varint(5)}
  - {id: key, size: key_length.value, if: key_length.value >= 0}
"""
ZERO = bytes(8)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(
            ZERO + b"\x80\x00", "<stdin>:8 odd.key_length: build would write different bytes: 00 for 8000", id="long"
        ),
        pytest.param(
            ZERO + bytes.fromhex("8080808070"),
            "<stdin>:8 odd.key_length: build would write different bytes: 00 for",
            id="surplus bits",
        ),
        pytest.param(
            bytes.fromhex("7ff8000000000001") + b"\x01",
            "<stdin>:0 odd.number: build would write different bytes: 7ff8000000000000 for 7ff8000000000001",
            id="NaN that says more",
        ),
    ],
)
def test_what_build_would_change_is_told(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "odd.ksy").write_text(ODD)
    done = run("parse", "--as", tmp_path / "odd.ksy", "-", stdin=data)
    assert done.exit_code == 0 and done.stderr.startswith(f"kformat: {said}"), done.stderr
    assert done.stderr.count("\n") == 1
    built = ok(run("build", "--as", tmp_path / "odd.ksy", stdin=done.stdout_bytes)).stdout_bytes
    assert built != data
    ok(run("parse", "--as", tmp_path / "odd.ksy", "-", stdin=built))


def test_the_field_is_named_and_not_the_lengths_around_it(tmp_path: Path) -> None:
    (tmp_path / "outer.ksy").write_text(
        "meta: {id: outer, endian: be, imports: [varint]}\n"
        "seq: [{id: length, type: u1}, {id: inner, type: inner, size: length}]\n"
        "types: {inner: {seq: [{id: first, type: varint(5)}, {id: size, type: varint(5)},\n"
        "  {id: data, size: size.value, if: size.value >= 0}]}}\n"
    )
    for data, said in (("03800003", "<stdin>:1 outer.inner.first"), ("03008100", "<stdin>:2 outer.inner.size")):
        done = run("parse", "--as", tmp_path / "outer.ksy", "-", stdin=bytes.fromhex(data))
        assert done.stderr.startswith(f"kformat: {said}: build would write different bytes: ")


def test_bytes_that_are_missing_have_a_way(tmp_path: Path) -> None:
    """What only instances read is built with --instances; what nothing declares by --onto."""
    (tmp_path / "far.ksy").write_text(
        "meta: {id: far, endian: be}\nseq: [{id: at, type: u1}]\ninstances: {far: {pos: at, type: u1}}\n"
    )
    (tmp_path / "file").write_bytes(b"\1a")
    call = ("parse", "--as", tmp_path / "far.ksy", tmp_path / "file")
    without, also = run(*call), run(*call, "--instances")
    assert (
        "; with `--instances` what they read is built, too, and `build --onto FILE` keeps the others" in without.stderr
    )
    assert also.stderr == ""
    built = ok(run("build", "--as", tmp_path / "far.ksy", "--onto", tmp_path / "file", stdin=without.stdout_bytes))
    assert built.stdout_bytes == b"\1a"


def test_one_remark_stands_for_all_values() -> None:
    sound, wrong = batch(0), patched(batch(3), "crc", 1)
    done = run("parse", "--as", LOG, "-", "--no-checksums", stdin=sound + wrong + wrong)
    assert done.exit_code == 0 and len(json.loads(done.stdout)) == 3
    at = len(sound) + 17
    assert done.stderr.startswith(f"kformat: <stdin>:{at} record_batch.crc: build would write different bytes: ")
    assert done.stderr.endswith("; 2 of 3 values, this is the first\n")


def test_compressed_bytes_need_raw() -> None:
    data = (ROOT / "4.3.1/broker-snappy-0/00000000000000000000.log").read_bytes()
    done = run("parse", "--as", LOG, "-", "--format", "nl", stdin=data)
    assert "<stdin>:61 record_batch.payload: " in done.stderr and "--raw" in done.stderr
    again = run("build", "--as", LOG, stdin=done.stdout_bytes).stdout_bytes
    assert list_records(again) == list_records(data) and again != data


def list_records(data: bytes) -> list[kformat.Record]:
    return [record for found in kformat.iter_batches(data) for record in found.records()]


# --- the mapping -----------------------------------------------------------------------------------------------------


def test_integers_as_strings_survive_a_reader_of_doubles() -> None:
    data = batch(2**53 + 1, max_timestamp=-(2**63))
    printed = ok(run("parse", "--as", "record_batch", "-", "--int64-as-strings", stdin=data)).stdout
    value = json.loads(printed, parse_int=lambda text: int(float(text)))
    assert (value["base_offset"], value["max_timestamp"]) == (str(2**53 + 1), str(-(2**63)))
    assert value["records_count"] == 3 and value["records"][0]["timestamp_delta"] == "0"
    assert ok(run("build", "--as", "record_batch", stdin=json.dumps(value).encode())).stdout_bytes == data
    lossy = json.loads(
        ok(run("parse", "--as", "record_batch", "-", stdin=data)).stdout, parse_int=lambda text: int(float(text))
    )
    assert lossy["base_offset"] == 2**53, "what the option is for"


def test_numbers_that_json_does_not_have() -> None:
    telemetry = str(DECLARATIONS / "telemetry.ksy")
    reading = {
        "sequence": 1, "station": 2, "temperature": "NaN", "pressure": "-Infinity", "tag": "ab\udcff\x00",
        "kind": "indoor",
        "flags": {"is_calibrated": True, "unit": 3}, "samples": [1, -2, 3], "corners": [{"x": 1, "y": 2}] * 2,
        "key": "hex:" + 16 * "0f",
    }  # fmt: skip
    data = ok(run("build", "--as", telemetry, stdin=json.dumps({"readings": [reading]}).encode())).stdout_bytes
    (found,) = json.loads(ok(run("parse", "--as", telemetry, "-", "--bytes", "hex", stdin=data)).stdout)["readings"]
    assert found == reading | {"mark": "hex:544c", "flags": {"reserved": 0, "is_calibrated": 1, "unit": 3}}
    literal = json.dumps({"readings": [reading | {"temperature": math.nan, "pressure": -math.inf}]})
    assert "NaN" in literal and ok(run("build", "--as", telemetry, stdin=literal.encode())).stdout_bytes == data


@pytest.mark.parametrize("bytes_as", BYTES)
def test_bytes_say_how_they_are_written(bytes_as: str) -> None:
    data = batch(0, [record(0, key) for key in (b"", b"hex:00", b"text:\xff", b"abcd", bytes(range(256)))])
    value = to_json(kformat.parse("record_batch", data), bytes_as=bytes_as)
    for otherwise in BYTES:
        read = from_json("record_batch", value, bytes_as=bytes_as if bytes_as == "base64" else otherwise)
        assert kformat.build("record_batch", read) == data


def test_lists_hold_names_of_enums_and_wide_integers() -> None:
    value = {
        "kinds": ["minus", "class", 7, "mro_"], "floats": ["NaN", -0.0, 1.5], "large": [-(2**63), "7"],
        "names": ["abc", "\udcff\udc80\x00"], "bits": {"high": 2**60 - 1, "low": "mro_"}, "parts": ["hex:00ff"],
        "rest": [2**64 - 1],
    }  # fmt: skip
    data = kformat.build(LISTS, from_json(LISTS, value))
    found = to_json(kformat.parse(LISTS, data), bytes_as="hex", int64_as_strings=True)
    assert {name: found[name] for name in value} == value | {
        "large": [str(-(2**63)), "7"],
        "bits": {"high": str(2**60 - 1), "low": "mro_"},
        "rest": [str(2**64 - 1)],
    }
    assert math.copysign(1, found["floats"][1]) == -1
    for kinds, said in ((["neither"], "minus, class, mro_"), ([None], "kinds[0]"), ([1.0], "kinds[0]"), (["1"], "")):
        if said:
            with pytest.raises(BuildError) as caught:
                kformat.build(LISTS, from_json(LISTS, value | {"kinds": kinds}))
            assert said in str(caught.value) and caught.value.path == "lists.kinds[0]"
        else:
            assert kformat.build(LISTS, from_json(LISTS, value | {"kinds": kinds}))


def test_bytes_that_do_not_say_it_are_as_the_call_says() -> None:
    text = b'{"base_timestamp": 0, "max_timestamp": 0, "records": [{"offset_delta": 0, "value": "ab12"}]}'
    values = {way: run("build", "--as", "record_batch", "--bytes", way, stdin=text).stdout_bytes for way in BYTES}
    found = {way: kformat.parse("record_batch", data).records[0].value for way, data in values.items()}
    assert found == {"base64": b"i\xbdv", "hex": b"\xab\x12", "text": b"ab12"}


def test_null_is_not_what_is_left_out() -> None:
    base = {"base_timestamp": 0, "max_timestamp": 0}
    record = {"offset_delta": 0, "key": None, "value": "text:"}
    built = kformat.build("record_batch", from_json("record_batch", {**base, "records": [record]}))
    found = to_json(kformat.parse("record_batch", built))
    assert (found["records"][0]["key"], found["records"][0]["value"]) == (None, "")
    assert (found["producer_id"], found["magic"]) == (-1, 2), "derived"
    with pytest.raises(BuildError, match=r"record_batch\.producer_id: may not be null"):
        kformat.build("record_batch", from_json("record_batch", {**base, "producer_id": None}))


def test_what_was_not_read_is_not_there() -> None:
    with pytest.raises(kformat.errors.DataError) as caught:
        kformat.parse("record_batch", batch(0)[:30])
    assert list(to_json(caught.value.partial)) == [
        "base_offset", "batch_length", "partition_leader_epoch", "magic", "crc", "attributes", "last_offset_delta",
    ]  # fmt: skip


def test_a_form_that_does_not_exist() -> None:
    with pytest.raises(UsageError, match="rot13"):
        to_json(kformat.parse("record_batch", batch(0)), bytes_as="rot13")
    with pytest.raises(UsageError, match="rot13"):
        from_json("record_batch", {}, bytes_as="rot13")
    with pytest.raises(UsageError, match="a parsed value is expected, found dict"):
        to_json({})  # type: ignore[arg-type]


# --- reading JSON ----------------------------------------------------------------------------------------------------

MANY_NAMES = "{" + "".join(f'"{number}": 0, ' for number in range(100_000)) + '"last": 0, "last": 0}'


@pytest.mark.parametrize(
    ("format", "text", "said"),
    [
        ("record_batch", '{"base_offset": 1, "base_offset": 2}', "'base_offset' is twice in an object"),
        pytest.param("record_batch", MANY_NAMES, "'last' is twice in an object", id="many-names"),
        ("record_batch", '[{}, {"magic": true}]', "[0].record_batch"),
        ("record_batch", '{"base_timestamp": 0, "base_offset": "0x7"}', "record_batch.base_offset: no integer"),
        ("record_batch", '{"base_offset": "99999999999999999999"}', "record_batch.base_offset"),
        ("record_batch", '{"attributes": {"compression": "brotli"}}', "record_batch.attributes.compression"),
        ("record_batch", '{"attributes": {"compression": true}}', "record_batch.attributes.compression"),
        ("record_batch", '{"attributes": {"reserved": false}}', "record_batch.attributes.reserved"),
        ("record_batch", '{"records": [{"value": "hex:0"}]}', "bytes that are not hex"),
        ("record_batch", '{"records": [{"value": "text:\\ud800"}]}', "record_batch.records[0].value"),
        ("record_batch", '{"payload": "AAAA"}', "record_batch"),
        ("offset_index", "[{}", "a list that does not end"),
        ("record_batch", "[{} {}]", "record_batch"),
        ("record_batch", "{}\n{}\n\n{,}", "record_batch"),
        ("log", '{"message": {"magic": 2}}', "legacy_message"),
        ("log", "[7]", "[0].record_batch"),
        ("no_such_format", "{}", "no format"),
    ],
)
def test_json_that_cannot_be_built_is_told(format: str, text: str, said: str) -> None:
    done = run("build", "--as", format, stdin=text.encode())
    assert (done.exit_code, done.stdout) == (2, "") and done.stderr.count("\n") == 1
    assert said in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[{%s} {%s}]", "a list that goes on without a comma"),
        ("{%s}\n\n{,}", "(line 3)"),
        ("{%s}]", "not JSON"),
        ("[{%s},]", "not JSON"),
        ("{%s} 1e999", "does not fit into a double"),
    ],
)
def test_json_that_is_none_behind_what_is(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "json").write_text(text.replace("%s", '"entries": []'))
    done = run("build", "--as", "offset_index", tmp_path / "json", "-o", tmp_path / "out")
    assert done.exit_code == 2 and said in done.stderr
    assert not (tmp_path / "out").exists(), "all or nothing"


@pytest.mark.parametrize("chunk", [1, 7, 64])
def test_json_may_come_in_pieces(chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kformat.cli.values._CHUNK", chunk)
    data = batch(0, [record(0, "ключ".encode())]) + batch(3) + batch(6)
    for mode in ("json", "nl"):
        printed = run("parse", "--as", LOG, "-", "--format", mode, stdin=data).stdout_bytes
        (tmp_path / "json").write_bytes(printed)
        assert ok(run("build", "--as", LOG, tmp_path / "json")).stdout_bytes == data
    (tmp_path / "json").write_text(json.dumps({"fields": "é" * 100}, ensure_ascii=False), encoding="utf-8")
    assert "no field 'fields'" in run("build", "--as", LOG, tmp_path / "json").stderr
    (tmp_path / "json").write_bytes(b'{"records": "\xff"}')
    assert "not UTF-8" in run("build", "--as", LOG, tmp_path / "json").stderr


# --- random values ---------------------------------------------------------------------------------------------------


def texts(encoding: str, size: int | None = None) -> st.SearchStrategy[str]:
    """Text, most of it of the encoding; ``size`` in bytes."""
    data = st.binary(max_size=6) if size is None else st.binary(min_size=size, max_size=size)
    return (data if size is not None else st.one_of(data, st.text(max_size=4).map(str.encode))).map(
        lambda found: decode_text(found, encoding)
    )


class Drawn:
    """Draws a value of a type, field by field: conditions and rules are asked as the codec asks them."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def structure(self, program: TypeProgram, arguments: dict[str, int] | None = None) -> dict[str, Any]:
        if program.bits:
            checks = [step for step in program.steps if isinstance(step, Check)]
            found = {}
            for bit in program.bits:
                members = [value for value in (bit.enum.members if bit.enum else ()) if 0 <= value <= bit.mask]
                found[bit.name] = self.ruled({}, bit.name, st.sampled_from([0, bit.mask, *members]), checks)
            return found
        return dict(self.steps(program, program.steps, dict(arguments or {})))

    def steps(self, program: TypeProgram, steps: Iterable[Step], scope: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        computed = {field.name for field in program.fields if field.computed}
        checks = [step for step in steps if isinstance(step, Check)]
        codecs = {name for step in steps if isinstance(step, Window) and step.codec for name in step.codec.names()}
        for step in steps:
            if isinstance(step, Check | CheckEnd | Checksum):
                continue
            if step.condition is not None and not compile_expression(step.condition)(seen(scope)):
                yield step.name, None
            elif isinstance(step, Window):
                yield from self.steps(program, step.steps, scope)
            elif step.name in computed:
                scope[step.name] = self.draw(st.sampled_from([-1, 5]))  # a sign for conditions; building has the length
            elif not isinstance(step, ReadLiteral):
                if isinstance(step, ReadInteger) and step.enum is not None and (step.name,) in codecs:
                    scope[step.name] = self.draw(st.sampled_from(list(step.enum.members)))  # others compress nothing
                else:
                    scope[step.name] = self.field(step, scope, checks)
                yield step.name, scope[step.name]

    def field(self, step: Step, scope: dict[str, Any], checks: list[Check]) -> Any:
        match step:
            case ReadInteger() | ReadVarint():
                members = list(step.enum.members) if step.enum is not None else []
                fits = [it for it in (-1, 0, 1, 2, *members) if step.kind.low <= it <= step.kind.high]
                base = st.one_of(st.sampled_from(fits), st.integers(step.kind.low, step.kind.high))
                return self.ruled(scope, step.name, base, checks)
            case ReadFloat():
                return self.draw(st.floats(width=step.bits, allow_nan=False) | st.just(math.nan))  # type: ignore[arg-type]
            case ReadBytes():
                allowed = [text for check in checks if check.name == step.name for text in check.allowed]
                size = step.size.value if step.size is not None and step.size.is_constant else None
                if step.encoding is not None:
                    return self.draw(st.sampled_from(allowed) if allowed else texts(step.encoding, size))
                return self.draw(st.binary(max_size=6) if size is None else st.binary(min_size=size, max_size=size))
            case ReadBits():
                return self.structure(step.type)
            case ReadType():
                arguments = {name: compile_expression(node)(seen(scope)) for name, node in step.arguments}
                return self.structure(step.type, arguments)
            case ReadList():
                fixed = step.count is not None and step.count.is_constant
                count = step.count.value if step.count is not None and fixed else self.draw(st.integers(0, 3))
                return [self.field(step.element, scope, []) for _ in range(count)]
        raise AssertionError(step)

    def ruled(self, scope: dict[str, Any], name: str, base: st.SearchStrategy[int], checks: list[Check]) -> int:
        rules = [compile_expression(it.rule) for it in checks if it.name == name and it.rule is not None]
        return self.draw(base.filter(lambda value: all(rule(seen(scope | {name: value})) for rule in rules)))


def seen(scope: dict[str, Any]) -> SimpleNamespace:
    """What expressions look into: fields, and the bits of those that are structures of bits."""
    return SimpleNamespace(**{k: SimpleNamespace(**v) if isinstance(v, dict) else v for k, v in scope.items()})


@st.composite
def values(draw: st.DrawFn, format: Any) -> dict[str, Any]:
    """A value of a declared type as `kformat.build` takes it."""
    return Drawn(draw).structure(load_type(format))


# The tags of the values of the transaction log are a switch, which `values` draws none of: tests/kafka/messages/ does.
ALL = [name for name in schema_names() if name != LOG and not name.startswith("transaction_log_value")]
each_format = pytest.mark.parametrize("format", [*ALL, *OWN], ids=lambda format: getattr(format, "id", format))


@each_format
@settings(parent=some)
@given(data=st.data(), bytes_as=st.sampled_from(BYTES), strings=st.booleans())
def test_random_values_are_the_same_after_json(format: Any, data: st.DataObject, bytes_as: str, strings: bool) -> None:
    built = kformat.build(format, data.draw(values(format)))
    for raw in (True, False):
        value = kformat.parse(format, built, raw=raw)
        text = json.dumps(to_json(value, bytes_as=bytes_as, int64_as_strings=strings), allow_nan=False)
        again = kformat.build(format, from_json(format, json.loads(text)))
        if raw:
            assert again == built
            value = kformat.parse(format, again, raw=True)
            assert json.dumps(to_json(value, bytes_as=bytes_as, int64_as_strings=strings)) == text
        else:
            assert same(kformat.parse(format, again), value), "compressed anew, at most"


def same(one: Any, other: Any) -> bool:
    """Whether two values have the same fields; sizes and sums of compressed bytes aside, and NaN is NaN."""
    return without_sizes(to_json(one)) == without_sizes(to_json(other))


def without_sizes(value: Any) -> Any:
    if isinstance(value, dict):
        sizes = {"batch_length", "crc", "message_size", "value_length", "packed_size", "sum"}
        return {name: without_sizes(item) for name, item in value.items() if name not in sizes}
    return [without_sizes(item) for item in value] if isinstance(value, list) else value


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.integers(-3, 3) | st.floats() | st.text(max_size=5)
    | st.sampled_from(["", "AAAA", "hex:00", "text:\udcff", "\ud800", "none", "7", "-1", "NaN", 10**30, 10**400])
)  # fmt: skip
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


def slots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value that something else can be put in: (container, key)."""
    for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(item, dict | list):
            yield from slots(item)


@each_format
@settings(parent=some)
@given(data=st.data())
def test_json_is_built_or_refused_with_a_path(format: Any, data: st.DataObject) -> None:
    raw = data.draw(st.booleans())
    value = to_json(kformat.parse(format, kformat.build(format, data.draw(values(format))), raw=raw))
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(list(slots(value))))
        container[key] = data.draw(ANYTHING)
    label = load_type(format).label
    try:
        built = kformat.build(format, from_json(format, value))
    except BuildError as error:
        assert error.path.startswith(label), error
    else:
        kformat.parse(format, built, raw=raw)  # raw bytes are written as they are, whatever the codec is by now


@some
@given(value=ANYTHING, format=st.sampled_from([*ALL, *OWN]))
@example(value=[], format="record_batch")
def test_anything_is_refused_with_a_path(value: Any, format: Any) -> None:
    try:
        kformat.build(format, from_json(format, value))
    except BuildError as error:
        assert error.path.startswith(load_type(format).label)


# --- the schemas -----------------------------------------------------------------------------------------------------

jsonschema = pytest.importorskip("jsonschema", reason="comes with the extra `test`")


def validator(format: Any) -> Any:
    return jsonschema.Draft202012Validator(json_schema(format))


@pytest.mark.parametrize("format", [*schema_names(), *OWN], ids=lambda format: getattr(format, "id", format))
def test_schemas_are_schemas(format: Any) -> None:
    schema = json_schema(format)
    assert schema["$schema"] == SCHEMA
    jsonschema.Draft202012Validator.check_schema(schema)
    if isinstance(format, str):
        assert json.loads(run("describe", format, "--format", "json-schema").stdout) == schema


def test_every_format_that_is_parsed_by_itself_has_a_schema() -> None:
    by_themselves = {*(vector.type for vector in SMALL_FILES), "record_batch", "legacy_message"} - set(MESSAGES)
    assert by_themselves <= {*schema_names(), "transaction_index::entry"}


def test_what_parse_prints_is_valid() -> None:
    for version in ("0.8.2.2", "0.10.2.2", "4.3.1"):
        wanted = ("plain-0", "broker-lz4-0", "headers-0", "transactions-0", "__cluster_metadata-0")
        for path, format in sample_files(version):
            if path.parent.name in wanted:
                valid = validator(format)
                for number, ways in enumerate(
                    (["--raw", "--int64-as-strings"], ["--bytes", "hex"], ["--bytes", "text"])
                ):
                    lines = run("parse", "--as", format, path, "--format", "nl", *ways).stdout.splitlines()
                    for line in lines[number::7]:
                        valid.validate(json.loads(line))
    for vector in SMALL_FILES:
        validator(vector.type).validate(to_json(kformat.parse(vector.type, vector.data)))
    both = {LOG_FORMATS[0]: [it.data for it in BATCHES], LOG_FORMATS[1]: [it.data for it in LEGACY]}
    for format, raw in itertools.product(both, (True, False)):
        for data in both[format]:
            validator(format).validate(to_json(parse_prefix(format, data, raw=raw)[0]))


@each_format
@settings(parent=some, max_examples=at_most(15))
@given(data=st.data())
def test_random_values_are_valid(format: Any, data: st.DataObject) -> None:
    built = kformat.build(format, data.draw(values(format)))
    valid = validator(format)
    for raw, strings, bytes_as in ((True, True, "hex"), (False, False, "text"), (False, False, "base64")):
        valid.validate(to_json(kformat.parse(format, built, raw=raw), bytes_as=bytes_as, int64_as_strings=strings))


SMALLEST = {"base_timestamp": 0, "max_timestamp": 0, "records": [{"offset_delta": 0}]}


def test_what_may_be_left_out_of_json_may_be_missing() -> None:
    validator("record_batch").validate(SMALLEST)
    assert kformat.build("record_batch", from_json("record_batch", SMALLEST))


@pytest.mark.parametrize(
    "change",
    [
        {"magic": "2"},
        {"magic": 200},
        {"base_offset": 2**63},
        {"base_offset": "0x7"},
        {"base_timestamp": None},
        {"attributes": {"compression": "brotli"}},
        {"attributes": {"compression": 8}},
        {"records": [{"offset_delta": 0, "key": "no base64"}]},
        {"records": [{"offset_delta": 0, "key": "hex:0"}]},
        {"records": {}},
        {"no_such_field": 1},
    ],
    ids=str,
)
def test_what_is_no_value_is_not_valid(change: dict[str, Any]) -> None:
    for format in ("record_batch", LOG):
        assert not validator(format).is_valid(SMALLEST | change)
    assert not validator("record_batch").is_valid({"records": []}), "base_timestamp has to be given"


# The whole language

CHUNKS = """
meta: {id: chunks, endian: be, encoding: ASCII}
seq: [{id: chunks, type: chunk, repeat: eos}]
types:
  chunk:
    seq:
      - {id: is_last, type: b1}
      - {id: tag, type: b7, enum: tags}
      - {id: length, type: u1}
      - {id: body, size: length, type: {switch-on: tag, cases: {'tags::number': number, 'tags::word': word}}}
      - {id: next, type: {switch-on: tag, cases: {'tags::number': u2, 'tags::word': strz}}}
  number: {seq: [{id: value, type: u2}]}
  word: {seq: [{id: value, type: strz}, {id: rest, type: chunks, size-eos: true}]}
enums: {tags: {1: number, 2: word, 3: other}}
"""


def test_switches_bits_and_recursion(tmp_path: Path) -> None:
    path = tmp_path / "chunks.ksy"
    path.write_text(CHUNKS)
    data = bytes.fromhex("01 02 0102 0003  82 03 616200 6300  03 01 ff")
    value = kformat.parse(path, data)
    form = json.loads(json.dumps(kformat.to_json(value)))
    assert form["chunks"] == [
        {"is_last": False, "tag": "number", "length": 2, "body": {"value": 258}, "next": 3},
        {"is_last": True, "tag": "word", "length": 3, "body": {"value": "ab", "rest": {"chunks": []}}, "next": "c"},
        {"is_last": False, "tag": "other", "length": 1, "body": "/w==", "next": None},
    ]
    assert kformat.build(path, kformat.from_json(path, form)) == data
    schema = kformat.json_schema(path)
    jsonschema.Draft202012Validator(schema).validate(form)
    given = {
        "chunks": [{"is_last": False, "tag": 2, "body": {"value": "?"}, "next": ""}]
    }  # a word takes it, a number does not
    assert kformat.build(path, kformat.from_json(path, given)) == bytes.fromhex("02 02 3f00 00")


_MARSHALLED = """
meta: {id: marshalled, endian: be}
seq: [{id: top, type: node}]
types:
  node:
    seq:
      - {id: kind, type: u1}
      - id: body
        type: {switch-on: kind, cases: {0: pair, 1: array, 2: set, 3: raw, 4: word, 5: colour, _: u2}}
  pair: {seq: [{id: count, type: u1}, {id: items, type: node, repeat: expr, repeat-expr: count}]}
  array: {seq: [{id: count, type: u1}, {id: items, type: node, repeat: expr, repeat-expr: count}]}
  set: {seq: [{id: count, type: u1}, {id: items, type: node, repeat: expr, repeat-expr: count}]}
  raw: {seq: [{id: length, type: u1}, {id: data, size: length}]}
  word: {seq: [{id: length, type: u1}, {id: data, type: str, size: length, encoding: UTF-8}]}
  colour: {seq: [{id: shade, type: u1, enum: shades}]}
enums: {shades: {1: red}}
"""


class _Asked(dict[str, Any]):
    """An object of JSON that counts how often it is looked through."""

    times = 0

    def items(self) -> Any:
        type(self).times += 1
        return super().items()


def test_objects_that_several_cases_may_have_are_tried_once_by_each(tmp_path: Path) -> None:
    """Lists of lists, each of which may be any of three types: 3^8 ways for eight levels."""
    (tmp_path / "marshalled.ksy").write_text(_MARSHALLED)
    format, depth, leaf = str(tmp_path / "marshalled.ksy"), 8, b"\4\3abc"
    data = b"".join(bytes([level % 3, 3]) + b"\3\1\xff" + b"\x09\1\2" for level in range(depth)) + leaf

    def asked() -> Any:
        return json.loads(json.dumps(to_json(kformat.parse(format, data))), object_hook=_Asked)

    _Asked.times = 0
    nodes = 2 * (3 * depth + 1)
    assert kformat.build(format, from_json(format, asked())) == data
    assert _Asked.times <= 8 * nodes
    wrong = asked()
    inner = wrong["top"]
    path = "marshalled.top"
    for _ in range(depth):
        inner, path = inner["body"]["items"][-1], f"{path}.body.items[2]"
    inner |= {"kind": 5, "body": _Asked(shade="rde")}
    _Asked.times = 0
    with pytest.raises(BuildError) as caught:
        from_json(format, wrong)
    assert caught.value.path == f"{path}.body.shade" and "'red'" in str(caught.value)
    assert _Asked.times <= 8 * nodes
