"""What `make generate` makes of the declarations lies in the tree, is true at run time, and helps type checkers.

The witness takes a JVM to make anew; everything else here is plain Python.
"""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.codec.constructs import parse
from kformat.codec.values import Value, enum_class, value_class
from kformat.generated import parsing, values
from kformat.language import pages
from kformat.language.shipped import shipped_names
from tests.judges.kaitai import KAITAI
from tests.judges.required import require
from tests.kaitai_witness import LIBRARY
from tests.vectors import BY_NAME
from tools import format_pages, generate, nightly, stubs, witness

GENERATED = Path(next(iter(kformat.__path__))) / "generated"
WITNESS = {f"tests/witness/{name}.py" for name in (*shipped_names(), *witness.MESSAGES)}
DOCUMENTS = set(generate.DOCUMENTS)  # tests/test_readme.py has them
QUICK = sorted(set(generate.GENERATORS) - WITNESS - DOCUMENTS)


def lies_at(path: str) -> Path:
    """Where a generated file is: beside an installed wheel the package is not in the tree."""
    return GENERATED.parents[1] / path if path.startswith("kformat/") else generate.ROOT / path


@pytest.mark.parametrize("path", QUICK)
def test_files_are_what_would_be_made(path: str) -> None:
    assert lies_at(path).read_text(encoding="utf-8") == generate.GENERATORS[path](), "run `make generate`"


@pytest.mark.judge
def test_the_witness_is_what_kaitais_compiler_makes() -> None:
    require(KAITAI)
    assert {f"tests/witness/{path.stem}.py" for path in witness.DECLARATIONS} == WITNESS
    for path in WITNESS:
        assert lies_at(path).read_text(encoding="utf-8") == generate.GENERATORS[path](), f"{path}: run `make generate`"


@pytest.mark.parametrize("name", shipped_names())
def test_the_witness_says_where_it_came_from(name: str) -> None:
    first, second, *_ = lies_at(f"tests/witness/{name}.py").read_text(encoding="utf-8").splitlines()
    assert f"formats/{name}.ksy" in first and "Apache-2.0" in first and "make generate" in second
    module = importlib.import_module(f"tests.witness.{name}")
    kind: Any = getattr(module, "".join(part.capitalize() for part in name.split("_")))
    assert {"_read", "_write__seq", "_check"} <= set(vars(kind))


def test_a_nightly_run_keeps_what_the_parts_gave_that_it_does_not_run() -> None:
    text = nightly.REPORT.read_text("utf-8")
    parts = nightly.read_report(text)
    assert parts
    assert nightly.report(parts) == text


def test_each_test_belongs_to_a_part_of_the_night() -> None:
    folders = {path.parent.name for path in (nightly.REPORT.parents[1] / "tests").glob("*/test_*.py")}
    assert folders > set(nightly.FOLDERS) and set(nightly.WHOLE) == {
        *(f"tests/{name}" for name in nightly.FOLDERS),
        "tests",
    }


def test_nothing_lies_there_that_nothing_makes() -> None:
    assert generate.leftovers() == []


def test_what_was_made_of_a_declaration_that_is_gone_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    folder = tmp_path / "kformat" / "generated"
    folder.mkdir(parents=True)
    for name in ("__init__.py", "values.py", "gone.py"):
        (folder / name).touch()
    assert generate.leftovers() == ["kformat/generated/gone.py"]


# --- types of values --------------------------------------------------------------------------------------------------


def stub_classes() -> Iterator[tuple[str, set[str], set[str]]]:
    """Name, fields and the arguments of `__init__` of every class in the stub."""
    for node in ast.parse((GENERATED / "values.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            annotated = [item.target for item in node.body if isinstance(item, ast.AnnAssign)]
            assigned = [target for item in node.body if isinstance(item, ast.Assign) for target in item.targets]
            fields = {target.id for target in [*annotated, *assigned] if isinstance(target, ast.Name)}
            made = [item for item in node.body if isinstance(item, ast.FunctionDef)]
            yield node.name, fields, {argument.arg for item in made for argument in item.args.kwonlyargs}


def test_the_stub_has_the_classes_and_fields_that_there_are() -> None:
    found = list(stub_classes())
    assert {name for name, _, _ in found} == set(values.__all__) == set(dir(values))
    for name, fields, arguments in found:
        kind: Any = getattr(values, name)
        if issubclass(kind, Value):
            assert arguments == {field.name for field in kind._type.fields if not field.raw} | set(kind._tagged), name
            assert fields == arguments | set(kind._type.parameters), name
        else:
            assert fields == set(kind.__members__), name
    with pytest.raises(AttributeError):
        values.Nothing  # type: ignore[attr-defined]  # noqa: B018


def test_classes_are_those_of_parsed_values() -> None:
    batch = kformat.parse("record_batch", BY_NAME["gzip"].data)
    assert isinstance(batch, values.RecordBatch) and isinstance(batch.records[0], values.Record)
    assert isinstance(batch.attributes.compression, values.RecordBatchCompressionType)
    made = values.OffsetIndex(entries=[values.OffsetIndexEntry(relative_offset=3, position=0)])
    assert kformat.parse("offset_index", kformat.build("offset_index", made)) == made


def test_classes_stay_however_many_others_there_are() -> None:
    before = values.RecordBatch, values.RecordBatchCompressionType
    value_class.cache_clear()
    enum_class.cache_clear()
    assert (values.RecordBatch, values.RecordBatchCompressionType) == before
    test_classes_are_those_of_parsed_values()


def test_there_is_an_overload_for_everything_that_can_be_parsed_by_itself() -> None:
    assert parsing.parse is parse
    text = (GENERATED / "parsing.pyi").read_text(encoding="utf-8")
    stated = set(re.findall(r'Literal\["([\w:]+)"\]', text))
    assert set(shipped_names()) - LIBRARY <= stated
    for format in stated:
        with pytest.raises(kformat.errors.DataError):
            kformat.parse(format, b"\xff" * 3)


USE = """\
import kformat
from kformat.generated.values import Record, RecordBatch

batch = kformat.parse("record_batch", b"")
reveal_type(batch)  # kformat.generated.values.RecordBatch
reveal_type(batch.records[0].value)  # bytes | None
reveal_type(batch.records[0].headers[0].key)  # str
reveal_type(batch.attributes.compression.name)  # str
reveal_type(kformat.parse("offset_index", b"", source="file").entries[0].position)  # int
reveal_type(kformat.parse("control_record_type_schema", b"").type)  # int
reveal_type(kformat.parse("record_batch", b"", raw=True))  # Any
reveal_type(kformat.parse("own.ksy", b"").whatever)  # Any
batch.records[0].valu  # error: "Record" has no attribute "valu"; maybe "value"?
RecordBatch(base_ofset=1)  # error: Unexpected keyword argument "base_ofset" for "RecordBatch"
kformat.parse("record_batch", b"", sorce="")  # error: No overload variant
def length(record: Record) -> int:
    return len(record.key)  # error: Argument 1 to "len" has incompatible type "bytes | None"
"""


def test_a_type_checker_knows_the_fields(tmp_path: Path, mypy_cache: Path) -> None:
    """Every line with a remark gets what the remark says, and no other line gets anything."""
    pytest.importorskip("mypy", reason="mypy comes with the extra `dev`")
    (tmp_path / "use.py").write_text(USE, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--hide-error-codes", "--follow-imports=silent"]
    command += ["--python-version", "3.11", "--cache-dir", str(mypy_cache), "--config-file", ""]
    command += ["--ignore-missing-imports", str(tmp_path / "use.py")]
    done = subprocess.run(command, cwd=GENERATED.parents[1], capture_output=True, text=True, timeout=120, check=False)
    assert not done.stderr
    said: dict[int, str] = {}
    for line, kind, text in re.findall(r"use\.py:(\d+): (note|error): (.*)", done.stdout):
        if kind == "error" or text.startswith("Revealed type"):
            said[int(line)] = text.removeprefix('Revealed type is "').removesuffix('"') if kind == "note" else text
    expected = {number: line.partition("  # ")[2] for number, line in enumerate(USE.splitlines(), 1) if "  # " in line}
    assert set(said) == set(expected), done.stdout
    for number, text in expected.items():
        assert said[number].startswith(text.removeprefix("error: ")), f"line {number}: {said[number]}"


def test_names_are_unique_and_say_their_declaration_where_several_have_them() -> None:
    names = stubs.class_names()
    assert len(set(names.values())) == len(names)
    assert names["offset_index::entry"] == "OffsetIndexEntry" and names["record_batch::record"] == "Record"
    assert "record_batch::record_body" not in names, "it is only ever inlined"


# --- pages ------------------------------------------------------------------------------------------------------------

PAGES = sorted(format_pages.pages())


@pytest.mark.parametrize("path", PAGES)
def test_tables_have_as_many_cells_in_every_row(path: str) -> None:
    """What lies in the bytes (a pipe in a header's key) must not end a cell."""
    blocks = re.findall(r"(?:^\|.*\n)+", (generate.ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    assert blocks
    for block in blocks:
        counts = {len(re.findall(r"(?<!\\)\|", row)) for row in block.splitlines()}
        assert len(counts) == 1, block


@pytest.mark.parametrize("path", PAGES)
def test_links_inside_a_page_lead_to_its_headings(path: str) -> None:
    text = (generate.ROOT / path).read_text(encoding="utf-8")
    headings = set(re.findall(r"^## (\w+)$", text, re.MULTILINE))
    assert set(re.findall(r"\]\(#(\w+)\)", text)) <= headings


def test_a_page_says_what_the_declaration_says() -> None:
    text = format_pages.page("record_batch")
    assert "| 17 | 4 | uint32 | `crc` |" in text and "from position 21, where `attributes` begins" in text
    assert "`base_offset`, `batch_length`, `partition_leader_epoch` and `magic` are not covered" in text
    assert "| 6 | `has_delete_horizon` | `hasDeleteHorizonMs` |" in text
    assert "| 66 | `6b` | `records[0].key` | `b'k'` |" in text
    rules = "From one entry to the next `timestamp` rises and `relative_offset` does not fall."
    assert rules in format_pages.page("time_index")


def test_describe_says_when_a_field_is_there_and_what_is_built() -> None:
    fields = {field.name: field for field in kformat.describe("record_batch::record").fields}
    assert (fields["key"].condition, fields["value_length"].condition) == ("key_length >= 0", "")
    assert (fields["headers_count"].valid, fields["headers_count"].built) == (">= 0", "computed")
    assert (fields["timestamp_delta"].base, fields["timestamp_delta"].built) == ("base_timestamp", "0")
    assert (fields["offset_delta"].base, fields["offset_delta"].built) == ("base_offset", "")
    batch = {field.name: field for field in kformat.describe("record_batch").fields}
    assert batch["last_offset_delta"].built == "records_count - 1"
    assert batch["payload"].doc.startswith("The records")


def test_cells_are_escaped() -> None:
    made = pages.table(("a", "b", "c"), [("x|y", "", "two\nlines"), ("", "", "z")], right=("c",))
    assert made == ["| a | c |", "| --- | --: |", "| x\\|y | two lines |", "| | z |"]


@pytest.mark.parametrize("name", sorted(set(shipped_names()) - LIBRARY))
def test_every_page_has_bytes_of_kafkas(name: str) -> None:
    assert "\n## Example: " in format_pages.page(name)
