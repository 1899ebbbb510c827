"""Kafka's messages: declarations made of its schemas, next to Kafka's generated classes and Kaitai's compiler."""

from __future__ import annotations

import atexit
import functools
import itertools
import json
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.codec.json_form import from_json, to_json
from kformat.kafka.messages.declaring import write_messages
from kformat.kafka.messages.decoding import decoder
from kformat.kafka.messages.kafka_json import camel, from_kafka_json, kafka_json
from kformat.kafka.messages.schemas import COORDINATOR_KEY, METADATA, Schema, SchemaField, schema, schemas
from kformat.language.declaration import Declaration, parse_declaration
from kformat.language.program import load_type
from kformat.language.shipped import message_names
from tests import kaitai_witness, witness
from tests.draws import IS_NIGHT
from tests.judges import releases
from tests.judges.kaitai import KAITAI, kaitai_compile
from tests.judges.required import require
from tests.kafka.messages.drawn import by_kafka, classes, drawn
from tools import messages
from tools.messages import BY_HAND, of_release

SHIPPED = [name for name in message_names() if name not in BY_HAND]
ON_DISK = [name for name in SHIPPED if schema(name).is_on_disk]
SENT = [name for name in schemas() if name not in ON_DISK]
"""Those of requests and responses; ten of them are shipped."""
PARTS = {"stored": ON_DISK} | ({"sent": SENT} if IS_NIGHT else {})
SHARED = ("varint", "kafka_types")
"""Files of types that messages import, which are no messages."""
COUNT = 200 if IS_NIGHT else 20
"""Of each version that Kafka's classes are asked about."""


def prefix_of(one: Schema, version: int) -> bytes:
    """What stands in front of the bytes that Kafka's class writes."""
    if one.has_own_version or not one.is_on_disk:
        return b""
    if one.kind == COORDINATOR_KEY:
        return one.key.to_bytes(2, "big")  # type: ignore[union-attr]
    if one.kind == METADATA:
        return bytes([one.frame_version, one.key or 0, version])
    return version.to_bytes(2, "big")


@functools.cache
def around(name: str, version: int) -> Declaration | str:
    """A format that is a message and nothing else; of those that are sent, one version."""
    if schema(name).is_on_disk:
        return name if name in SHIPPED else str(all_messages() / f"{name}.ksy")
    text = f"meta: {{id: one, imports: [{name}]}}\nseq: [{{id: body, type: '{name}({version})'}}]\n"
    if name in SHIPPED:
        return parse_declaration(text, "one.ksy")
    path = all_messages() / f"one_{name}_{version}.ksy"
    path.write_text(text.replace("id: one", f"id: one_{name}_{version}"), encoding="utf-8")
    return str(path)


@functools.cache
def all_messages() -> Path:
    """A folder with the declarations of all messages."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    write_messages(folder)
    return folder


def body_of(name: str, value: Any) -> Any:
    return value if schema(name).is_on_disk else value.body


def given_of(name: str, given: dict[str, Any]) -> dict[str, Any]:
    return given if schema(name).is_on_disk else {"body": given}


class Case(NamedTuple):
    """A value of a version, as Kafka's JSON has it, of a release's schema: with the names of that release."""

    name: str
    version: int
    value: dict[str, Any]
    fields: Sequence[SchemaField]

    def named(self, value: Any) -> Any:
        """A value of it with the names that the declaration has, which are those of the newest release."""
        return _renamed(value, self.version, self.fields, schema(self.name).fields)

    def printed(self, value: Any) -> Any:
        """The declaration's JSON as the release prints it: with its names, and without the bytes of batches."""
        return _renamed(value, self.version, schema(self.name).fields, self.fields, has_batches=False)


def _by_place(fields: Sequence[SchemaField], version: int) -> dict[tuple[bool, int | None], SchemaField]:
    """The fields of a version by their tags; those without one by their order."""
    order = itertools.count()
    return {
        (version in it.tagged, it.tag if version in it.tagged else next(order)): it
        for it in fields
        if version in it.versions
    }


def _renamed(
    value: Any, version: int, old: Sequence[SchemaField], new: Sequence[SchemaField], has_batches: bool = True
) -> Any:
    if value is None:
        return None
    if isinstance(value, list):
        return [_renamed(item, version, old, new, has_batches) for item in value]
    known = _by_place(old, version)
    made = {}
    for place, other in _by_place(new, version).items():
        one = known.get(place, other)
        if camel(one.name) in value:
            inner = value[camel(one.name)]
            if one.is_structure:
                inner = _renamed(inner, version, one.fields, other.fields, has_batches)
            elif one.type == "records" and not has_batches and inner is not None:
                inner = ""  # MessageDataGenerator: the converters write no batches
            made[camel(other.name)] = inner
    return made


def cases(release: str, names: list[str], count: int) -> Iterator[Case]:
    by = random.Random(f"{release} {count}")
    known = {one.name: one for one in of_release(release, require(release)).values()}
    for name in names:
        one = schema(name)
        if release in one.releases and one.name in classes(release):
            for version in known[one.name].versions:
                for _ in range(count):
                    yield Case(name, version, drawn(known[one.name], version, by), known[one.name].fields)


# --- Kafka's classes -------------------------------------------------------------------------------------------------

each_release = pytest.mark.parametrize("release", releases.MESSAGES)


each_part = pytest.mark.parametrize("part", PARTS)


@pytest.mark.judge
@pytest.mark.parametrize("release", releases.MESSAGES[:3])  # converters of 2.8.2 read no bytes
@each_part
def test_what_kafkas_classes_write_is_read_and_built(part: str, release: str) -> None:
    asked = list(cases(release, PARTS[part], COUNT))
    assert len({case.name for case in asked}) > 50
    given = [(schema(case.name).name, case.version, json.dumps(case.value)) for case in asked]
    for case, answer in zip(asked, by_kafka(release, given), strict=True):
        name, version, value, _ = case
        assert not isinstance(answer, str), (case, answer)
        written, as_json = answer
        one, format = schema(name), around(name, version)
        data = prefix_of(one, version) + written
        parsed = kformat.parse(format, data)
        mine = case.printed(kafka_json(one, version, body_of(name, parsed)))
        assert (mine, list(mine)) == (as_json, list(as_json)), case
        assert kformat.build(format, parsed) == data, case
        assert kformat.build(format, given_of(name, from_kafka_json(one, version, case.named(value)))) == data, case
        again = json.loads(json.dumps(to_json(parsed)))
        assert kformat.build(format, from_json(format, again)) == data, case


@pytest.mark.judge
@each_release
@each_part
def test_what_is_built_kafkas_classes_read_and_write_again(part: str, release: str) -> None:
    """Also with tags that they do not know."""
    asked, by = list(cases(release, PARTS[part], COUNT // 4)), random.Random(release)
    built = []
    for case in asked:
        name, version = case[:2]
        one = schema(name)
        given = from_kafka_json(one, version, case.named(case.value))
        if version in one.flexible and by.random() < 0.3:
            given["tagged_fields"] = {
                "fields": [{"tag": 9000 + number, "data": by.randbytes(number)} for number in (0, 3)]
            }
        data = kformat.build(around(name, version), given_of(name, given))
        assert data.startswith(prefix_of(one, version))
        built.append(data.removeprefix(prefix_of(one, version)))
    given_bytes = [(schema(name).name, version, data) for (name, version, *_), data in zip(asked, built, strict=True)]
    for case, data, answer in zip(asked, built, by_kafka(release, given_bytes), strict=True):
        assert not isinstance(answer, str), (case, answer)
        assert answer[0] == data, case
        if answer[1] is not None:
            one = schema(case.name)
            parsed = kformat.parse(around(case.name, case.version), prefix_of(one, case.version) + data)
            assert case.printed(kafka_json(one, case.version, body_of(case.name, parsed))) == answer[1], case


@pytest.mark.judge
def test_the_declarations_are_those_of_the_schemas_in_kafkas_jars() -> None:
    for release in releases.MESSAGES:
        require(release)
    made = messages.files()
    for name, text in made.items():
        assert (messages.FOLDER / name).read_text(encoding="utf-8") == text, f"{name}: run `python -m tools.messages`"
    lying = {path.name for path in messages.FOLDER.iterdir()}
    assert lying == {*made, *(f"{name}.ksy" for name in BY_HAND)}


# --- Kaitai's compiler -----------------------------------------------------------------------------------------------


@pytest.mark.judge
def test_kaitai_takes_every_declaration_and_reads_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require(KAITAI)
    made = tmp_path / "made"
    files = [messages.FOLDER / f"{name}.ksy" for name in (*SHIPPED, *BY_HAND)]
    done = kaitai_compile([*files, messages.FOLDER.parent / "varint.ksy"], "python", made, package="tests.witness")
    assert done.returncode == 0, done.stderr
    monkeypatch.setattr(witness, "__path__", [str(made)])
    by = random.Random(4)
    for name in ON_DISK:
        one = schema(name)
        for version in one.versions:
            data = kformat.build(name, from_kafka_json(one, version, drawn(one, version, by)))
            parsed = kformat.parse(name, data)
            assert kaitai_witness.witness_values(name, data) == parsed._asdict(), (name, version)
            assert kaitai_witness.witness_bytes(name, data) == data


@pytest.mark.judge
@pytest.mark.slow
def test_kaitai_takes_the_declarations_of_all_other_messages(tmp_path: Path) -> None:
    require(KAITAI)
    files = write_all(tmp_path / "all")
    done = kaitai_compile(files, "python", tmp_path / "made", read_write=False)
    assert done.returncode == 0, done.stderr


def write_all(folder: Path) -> list[Path]:
    """All messages as files."""
    done = CliRunner().invoke(main, ["formats", "--messages", str(folder)])
    files = sorted(folder.glob("*.ksy"))
    assert (done.exit_code, done.stderr) == (0, f"kformat: {len(files) - 2} messages\n")
    return files


def test_changes_of_partitions_of_the_preview_are_read() -> None:
    """Its frame is another one, though the fields are those of later releases."""
    value = decoder("cluster-metadata").value(b"\0\5\0" + bytes(3) + b"\1" + bytes(16) + b"\1\1\4\0\0\0\7", None)
    assert (value.schema.id, value.version) == ("partition_change_record_2_8", 0)
    read: Any = value.value
    assert (read.partition_id, read.leader, read.isr) == (1, 7, None)


def test_all_messages_are_declarations(tmp_path: Path) -> None:
    files = [path for path in write_all(tmp_path / "all") if path.stem not in SHARED]
    assert len(files) > 300
    for path in files if IS_NIGHT else files[::7]:
        load_type(str(path))
