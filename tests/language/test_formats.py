"""The declarations in `formats/`: house style, every `-` key used and explained, and Kaitai's compiler as a judge.

That Kaitai's own classes, made from the same files, read the same values is tested in `test_witness`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import kformat
from kformat.kafka.batch.records import CONTROL_VALUES
from kformat.language import declaration, shipped
from kformat.language.declaration import load_declaration
from kformat.language.expression import Expression
from kformat.language.program import Check, ReadList, ReadType, TypeProgram, compile_declaration, load_program
from kformat.language.shipped import shipped_names
from kformat.language.steps import all_steps
from tests.judges.kaitai import KAITAI, kaitai_compile
from tests.judges.required import require
from tests.samples import ROOT as SAMPLES
from tests.vectors import SMALL_FILES, SmallFileVector

FORMATS = Path(__file__).parents[2] / "formats"
OURS = sorted(FORMATS.glob("*.ksy"))
USERS = sorted((Path(__file__).parents[1] / "declarations").glob("*.ksy"))
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
    return str(node.get("type", "")).split("(")[0] in {
        *("record", "entry", "attributes", "record_body", "header", "head"),
        *("tagged_fields", "tagged_field", "unsigned", "u1"),
    }


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


def test_a_program_is_used_while_its_texts_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text, asked = shipped.shipped_text, shipped.shipped_program.__wrapped__
    assert asked("record_batch") == compile_declaration(load_declaration("record_batch"))
    assert asked("varint") is None and asked("../record_batch") is None and asked("__init__") is None
    for changed in ("record_batch", "varint"):
        monkeypatch.setattr(shipped, "shipped_text", lambda name, changed=changed: f"{text(name)}#" * (name == changed))
        assert asked("record_batch") is None


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
        value: Any = kformat.parse(name, path.read_bytes())
        assert kformat.build(name, value) == path.read_bytes(), path
        entries += len(value.entries)
    assert entries >= least / 2


def test_control_records_of_metadata_snapshots_are_built_again() -> None:
    found, paths = [], sorted(SAMPLES.glob("[0-9]*/**/*.checkpoint"))
    for path in paths:
        for batch in (batch for batch in kformat.iter_batches(path) if batch.is_control):
            for record in batch.records():
                assert record.key is not None and record.value is not None
                key: Any = kformat.parse("control_record_type_schema", record.key)
                name = CONTROL_VALUES[key.type.name]
                assert kformat.build(name, kformat.parse(name, record.value)) == record.value
                found.append(key.type.name)
    assert found == ["snapshot_header", "snapshot_footer"] * len(paths) and len(paths) > 4


# --- Kaitai's compiler and its classes ------------------------------------------------------------------------------


@pytest.mark.judge
@pytest.mark.parametrize("target", ["python", pytest.param("java", marks=pytest.mark.slow)])
def test_kaitai_accepts_every_declaration(target: str, tmp_path: Path) -> None:
    """Also with the switch for writing, and those that the tests declare for users."""
    require(KAITAI)
    together, made = tmp_path / "together", tmp_path / "made"
    together.mkdir()
    files = [Path(shutil.copy(path, together)) for path in (*OURS, *USERS)]
    done = kaitai_compile(files, target, made, package="tests.witness")
    assert done.returncode == 0, done.stderr
    suffix = {"python": ".py", "java": ".java"}[target]
    names = {path.stem.lower().replace("_", "") for path in made.rglob(f"*{suffix}")}
    assert {path.stem.replace("_", "") for path in files} <= names


def unbounded_counts(program: TypeProgram, types: Iterable[TypeProgram]) -> Iterator[str]:
    """The lists of a type whose count may be negative, as far as rules and conditions on its fields say.

    A type that is inlined everywhere stands in the types around it, too, with what is given for its parameters.
    """
    ruled = {name for step in all_steps(program.steps) if isinstance(step, Check) for name in names_in(step.rule)}
    for step in all_steps(program.steps):
        if not isinstance(step, ReadList) or step.count is None or step.count.low >= 0:
            continue
        for name in names_in(step.count) - ruled - names_in(step.condition):
            given = [
                dict(use.arguments)[name]
                for one in types
                for use in all_steps(one.steps)
                if isinstance(use, ReadType) and use.type is program and name in program.parameters
            ]
            if name not in program.parameters or any(node.low < 0 for node in given):
                yield f"{program.name}.{step.name}: {step.count}"


def names_in(node: Expression | None) -> set[str]:
    return set() if node is None else {path[0] for path in node.names()}


@each_file
def test_counts_state_their_bounds(path: Path) -> None:
    """A negative count is that of no element: where Kafka refuses one, a rule says so."""
    if load_declaration(path).root.intrinsic is None:
        types = load_program(path).types.values()
        assert not [line for program in types for line in unbounded_counts(program, types)]
