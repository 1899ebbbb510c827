"""The declarations in `formats/`: house style, every `-` key used and explained, and Kaitai's compiler as a judge.

Kaitai's own classes, made from the same files, must read the same values from the same bytes.
"""

from __future__ import annotations

import functools
import importlib
import io
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from kaitaistruct import KaitaiStream, KaitaiStructError

import kformat
from kformat import declaration
from kformat.declaration import load_declaration, shipped_names
from kformat.errors import DataError
from kformat.program import compile_declaration
from tests.judges.kaitai import KAITAI, kaitai_compile
from tests.judges.required import require
from tests.samples import ROOT as SAMPLES
from tests.vectors import BATCHES, LONG_VARINTS, SMALL_FILES, VARINTS, BatchVector, SmallFileVector

FORMATS = Path(__file__).parents[1] / "formats"
OURS = sorted(FORMATS.glob("*.ksy"))
USERS = sorted((Path(__file__).parent / "declarations").glob("*.ksy"))
README = (FORMATS / "README.md").read_text(encoding="utf-8")

each_file = pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)


def mappings(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            yield from mappings(value, f"{path}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from mappings(value, f"{path}/{index}")


# --- house style ------------------------------------------------------------------------------------------------------

TOP_ORDER = ("meta", "doc", "doc-ref", "-intrinsic", "-checksum", "params", "seq", "instances", "types", "enums")
TYPE_ORDER = ("-orig-id", "-row", "-check", "doc", "doc-ref", "-intrinsic", "params", "seq", "instances", "types")
FIELD_ORDER = (
    *("id", "type", "size", "contents", "repeat", "repeat-expr", "repeat-until", "if", "enum", "encoding", "-payload"),
    *("-inline", "-orig-id", "-base", "-derive", "valid", "doc", "doc-ref"),
)
META_ORDER = (
    *("id", "title", "application", "file-extension", "xref", "license", "ks-version", "imports", "encoding", "endian"),
)


@each_file
def test_house_style(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.isascii() and "\t" not in text and text.endswith("\n") and not text.endswith("\n\n")
    whole = yaml.safe_load(text)
    assert whole["meta"]["id"] == path.stem, "one format per file, named like it"
    assert {"title", "license", "ks-version", "endian"} <= set(whole["meta"])
    assert [key for key in META_ORDER if key in whole["meta"]] == list(whole["meta"])
    assert [key for key in TOP_ORDER if key in whole] == list(whole)
    assert re.search(r"/kafka/blob/\d+\.\d+\.\d+/", whole["doc-ref"]), "a source, with its revision"
    for place, node in mappings(whole):
        if "id" in node and "/seq/" in place:
            assert {"doc"} <= set(node) or not_the_readers_business(node), f"{place}: {node['id']} has no doc"
        if re.search(r"/seq/\d+$", place):
            assert [key for key in FIELD_ORDER if key in node] == list(node), place


def not_the_readers_business(node: dict[str, Any]) -> bool:
    """Lengths' bodies, lists and structures whose types say what they are."""
    return str(node.get("type", "")).split("(")[0] in {"record", "entry", "attributes", "record_body", "header"} | {
        "tagged_fields", "tagged_field", "unsigned", "u1",
    }  # fmt: skip


def test_the_readme_explains_every_key_of_ours() -> None:
    nodes = [node for path in OURS for _, node in mappings(yaml.safe_load(path.read_text(encoding="utf-8")))]
    used = {key for node in nodes for key in node if str(key).startswith("-")}
    explained = set(re.findall(r"^\| `(-[a-z-]+)", README, re.MULTILINE))
    assert used <= explained
    known = {*declaration._TYPE_KEYS, *declaration._FIELD_KEYS}
    assert explained == {key for key in known if key.startswith("-")}


def test_the_readme_names_every_file() -> None:
    assert set(re.findall(r"^\| `([a-z_]+)\.ksy`", README, re.MULTILINE)) == {path.stem for path in OURS}


def test_the_files_are_the_packages_data() -> None:
    assert shipped_names() == [path.stem for path in OURS]
    for path in OURS:
        assert load_declaration(path.stem).text == path.read_text(encoding="utf-8")
        if path.stem != "varint":
            assert compile_declaration(load_declaration(path.stem)) == compile_declaration(load_declaration(path.stem))
            assert str(kformat.describe(path.stem)).startswith(path.stem)


# --- golden bytes, and those of brokers -------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", SMALL_FILES, ids=lambda vector: vector.name)
def test_small_files_mean_what_kafka_wrote_them_to_mean(vector: SmallFileVector) -> None:
    value = kformat.parse(vector.type, vector.data)
    assert value._asdict() == vector.fields
    assert kformat.build(vector.type, value) == kformat.build(vector.type, vector.fields) == vector.data


@pytest.mark.parametrize(
    ("name", "least"), [("transaction_index", 10), ("producer_snapshot", 100)], ids=lambda it: str(it)
)
def test_brokers_small_files_are_built_again(name: str, least: int) -> None:
    """To the byte, with every entry; no field that has a default holds it everywhere."""
    suffix = yaml.safe_load((FORMATS / f"{name}.ksy").read_text(encoding="utf-8"))["meta"]["file-extension"]
    files = sorted(SAMPLES.glob(f"*/*/*.{suffix}"))
    assert len(files) >= least
    entries = 0
    for path in files:
        value: Any = kformat.parse(name, path)
        assert kformat.build(name, value) == path.read_bytes(), path
        entries += len(value.entries)
    assert entries >= least / 2


def test_control_records_of_metadata_snapshots_are_built_again() -> None:
    found = []
    for path in sorted(SAMPLES.glob("**/*.checkpoint")):
        for batch in (batch for batch in kformat.iter_batches(path) if batch.is_control):
            for record in batch.records():
                assert record.key is not None and record.value is not None
                key: Any = kformat.parse("control_record", record.key)
                name = f"control_record::{key.type.name}"
                assert kformat.build(name, kformat.parse(name, record.value)) == record.value
                found.append(key.type.name)
    assert found == ["snapshot_header", "snapshot_footer"] * 4


# --- Kaitai's compiler and its classes ------------------------------------------------------------------------------


@pytest.mark.judge
@pytest.mark.parametrize("target", ["python", "java"])
def test_kaitai_accepts_every_declaration(target: str, tmp_path: Path) -> None:
    """Also with the switch for writing, and those that the tests declare for users."""
    require(KAITAI)
    together, made = tmp_path / "together", tmp_path / "made"
    together.mkdir()
    files = [Path(shutil.copy(path, together)) for path in (*OURS, *USERS)]
    done = kaitai_compile(files, target, made, package="kformat.generated")
    assert done.returncode == 0, done.stderr
    suffix = {"python": ".py", "java": ".java"}[target]
    names = {path.stem.lower().replace("_", "") for path in made.rglob(f"*{suffix}")}
    assert {path.stem.replace("_", "") for path in files} <= names


@pytest.fixture(scope="module")
def witness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Kaitai's classes, imported from a package of their own."""
    require(KAITAI)
    folder = tmp_path_factory.mktemp("witness")
    package = folder / "kaitai_witness"
    done = kaitai_compile(OURS, "python", package, package="kaitai_witness")
    assert done.returncode == 0, done.stderr
    (package / "__init__.py").touch()
    sys.path.insert(0, str(folder))
    try:
        yield lambda name: importlib.import_module(f"kaitai_witness.{name}")
    finally:
        sys.path.remove(str(folder))


def read(kind: Any, data: bytes, *parameters: int) -> Any:
    made = kind(*parameters, KaitaiStream(io.BytesIO(data)))
    made._read()
    return made


def same(ours: Any, theirs: Any) -> None:
    """Every field of ours is theirs, whatever they make of enums, single bits, varints and inlined structures."""
    for name in filter(functools.partial(hasattr, ours), ours._fields):
        value = getattr(ours, name)
        found: Any = getattr(theirs, name, None)
        if found is None and value is not None:
            inner = getattr(theirs, "body", None) or theirs.payload
            found = getattr(inner, name)
        if isinstance(value, list):
            assert len(value) == len(found)
            for pair in zip(value, found, strict=True):
                same(*pair)
        elif hasattr(value, "_fields"):
            same(value, found)
        else:
            found = getattr(found, "value", found)
            assert value == found, f"{name}: {value} {found}"


@pytest.mark.judge
@pytest.mark.parametrize("vector", [pytest.param(vector, id=vector.name) for vector in BATCHES])
def test_kaitais_classes_read_the_same_batches(witness: Any, vector: BatchVector) -> None:
    theirs = read(witness("record_batch").RecordBatch, vector.data)
    ours: Any = kformat.parse("record_batch", vector.data)
    if vector.is_compressed:  # which Kaitai leaves as it is
        del ours.records
        assert theirs.payload == vector.data[61:]
    same(ours, theirs)


@pytest.mark.judge
@pytest.mark.parametrize(("value", "data", "most"), [*VARINTS, *LONG_VARINTS])
def test_kaitais_classes_read_the_same_varints(witness: Any, value: int, data: str, most: int) -> None:
    assert read(witness("varint").Varint, bytes.fromhex(data), most).value == value


@pytest.mark.judge
def test_kaitais_classes_refuse_a_varint_that_does_not_end(witness: Any) -> None:
    for most in (5, 10):
        with pytest.raises(KaitaiStructError):
            read(witness("varint").Varint, b"\xff" * 20, most)


@pytest.mark.judge
def test_kaitais_classes_read_the_same_small_files(witness: Any) -> None:
    voters = [{"voter_id": 1, "voter_directory_id": bytes(range(16)), "tags": {"fields": []}}]
    tagged = {"fields": [{"tag": 300, "data": b"abc"}]}
    endpoint = {"name": "CONTROLLER", "host": "zo\u00eb", "port": 65535, "tags": tagged}
    feature = {"min_supported_version": 0, "max_supported_version": 1, "tags": tagged}
    kraft_voter = {
        **voters[0],
        "endpoints": [endpoint, {**endpoint, "name": "", "port": 0}],
        "kraft_version_feature": feature,
    }
    values: list[tuple[str, str, dict[str, Any]]] = [
        ("offset_index", "OffsetIndex", {"entries": [{"relative_offset": 7, "position": 2**31 - 1}] * 3}),
        ("time_index", "TimeIndex", {"entries": [{"timestamp": -(2**63), "relative_offset": 0}]}),
        ("control_record", "ControlRecord", {"version": 0, "type": "leader_change"}),
        ("control_record::end_transaction_marker", "ControlRecord.EndTransactionMarker", {"coordinator_epoch": -2}),
        ("control_record::leader_change", "ControlRecord.LeaderChange",
         {"version": 1, "leader_id": 1, "voters": voters * 2, "granting_voters": voters, "tags": tagged}),
        ("control_record::leader_change", "ControlRecord.LeaderChange",
         {"version": 0, "leader_id": 3, "voters": [{"voter_id": 3, "tags": tagged}], "granting_voters": []}),
        ("control_record::snapshot_header", "ControlRecord.SnapshotHeader",
         {"last_contained_log_timestamp": -(2**63), "tags": tagged}),
        ("control_record::snapshot_footer", "ControlRecord.SnapshotFooter", {"version": 5, "tags": tagged}),
        ("control_record::kraft_version", "ControlRecord.KraftVersion", {"kraft_version": 1, "tags": tagged}),
        ("control_record::kraft_voters", "ControlRecord.KraftVoters",
         {"voters": [kraft_voter, {**kraft_voter, "endpoints": []}], "tags": tagged}),
        *((vector.type, {"transaction_index": "TransactionIndex", "producer_snapshot": "ProducerSnapshot"}[vector.type],
           vector.fields) for vector in SMALL_FILES if "::" not in vector.type and vector.type != "control_record"),
    ]  # fmt: skip
    for name, path, value in values:
        data = kformat.build(name, value)
        kind: Any = witness(name.partition("::")[0])
        for part in path.split("."):
            kind = getattr(kind, part)
        same(kformat.parse(name, data), read(kind, data))


@pytest.mark.judge
def test_kaitais_classes_accept_and_refuse_the_same_damage(witness: Any) -> None:
    """Every byte of an uncompressed batch set to a few values; the checksum is ours alone, so it is passed over."""
    data = next(vector.data for vector in BATCHES if vector.name == "none")
    kind = witness("record_batch").RecordBatch
    for position in range(len(data)):
        for value in (0, 1, 2, 0x7F, 0x80, 0xFF):
            changed = data[:position] + bytes([value]) + data[position + 1 :]
            try:
                ours: Any = kformat.parse("record_batch", changed, checksums=False)
            except DataError:
                ours = None
            try:
                theirs = read(kind, changed)
                left = not theirs._io.is_eof()
            except UnicodeDecodeError:  # a header's key, which we keep as it is
                assert ours is not None and not ours.records[0].headers[0].key.isprintable()
                continue
            except (KaitaiStructError, EOFError):
                theirs, left = None, False
            if ours is not None:
                assert theirs is not None
                same(ours, theirs)
            elif theirs is not None:
                # What they pass over: bytes behind the batch, payloads that they cannot inflate, text that is no UTF-8.
                assert left or changed[22] & 7
