"""A message's schema -> its declaration, a ``.ksy`` file with all its versions.

What stands in front of a message on the disk tells its version, and is a part of its declaration:

    keys of coordinators        ``type``, which is the message's own number
    values of coordinators, data    ``version``
    cluster and remote log metadata  ``frame_version``, ``type``, ``version``, as varints
    records of control batches      their own field ``version``
    requests, responses, headers    nothing: ``version`` is a parameter of the whole

The bytes of a field follow from its type, and from whether the version is flexible (KIP-482): then lengths and counts
are varints plus one, 0 for null, and each structure ends in tagged fields; before, they are integers, -1 for null.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Protocol

from kformat.kafka.messages.schemas import (
    COORDINATOR_KEY,
    HEADER,
    LAST,
    METADATA,
    REQUEST,
    RESPONSE,
    Schema,
    SchemaField,
    Versions,
    schemas,
    snake,
)
from kformat.language.shipped import message_names, shipped_text
from kformat.storage.atomic_write import filling

SOURCES: Final = {
    "clients": "clients/src/main/resources/common/message", "raft": "raft/src/main/resources/common/message",
    "group-coordinator": "group-coordinator/src/main/resources/common/message",
    "share-coordinator": "share-coordinator/src/main/resources/common/message",
    "transaction-coordinator": "transaction-coordinator/src/main/resources/common/message",
    "metadata": "metadata/src/main/resources/common/metadata", "storage": "storage/src/main/resources/message",
    "core": "core/src/main/resources/common/message",
}  # fmt: skip
"""Where Kafka's sources have the schemas of each part."""
AND_NEWER: Final = frozenset({"ControlRecordTypeSchema", "EndTxnMarker"})
"""Messages of which readers take a newer version as the newest that they know."""
NUMBERS: Final = {
    "bool": "s1", "int8": "s1", "int16": "s2", "uint16": "u2", "int32": "s4", "uint32": "u4", "int64": "s8",
    "float64": "f8",
}  # fmt: skip
_VERSION: Final = re.compile(r"\bversion(?= [<>=])|(?<=\()version(?=\))")
"""The version in a condition, or as an argument."""
IN_TAG: Final = "tag"
"""The name of a structure that is no more than a tagged field."""
VARINT: Final = "varint::unsigned(5)"


class NamedNumbers(Protocol):
    """An enum: its name in a declaration, and its members."""

    @property
    def id(self) -> str: ...

    @property
    def members(self) -> dict[int, str]: ...


@dataclass
class KsyText:
    """Lines of YAML."""

    lines: list[str]

    def add(self, indent: int, *lines: str) -> None:
        self.lines += [" " * indent + line for line in lines]

    def field(self, id: str, *, first: str = "-", indent: int = 2, **keys: Any) -> None:
        """An entry of ``seq``; keys without a value are left out. ``_`` stands for ``-``, in front too."""
        self.add(indent, f"- id: {id}")
        for key, value in keys.items():
            if value not in (None, "", False):
                is_quoted = isinstance(value, str) and (": " in value) and not value.startswith("'")
                value = f"'{value}'" if is_quoted else value
                self.add(indent + 2, f"{key.replace('_', '-')}: {'true' if value is True else value}")


@dataclass(frozen=True)
class DeclaredStructure:
    """A structure that becomes a type: its name there, its fields, and the versions in which it occurs."""

    name: str
    original: str
    fields: tuple[SchemaField, ...]
    versions: Versions


class Declaring:
    """One message's declaration. ``around``: the path of the folder with ``varint.ksy`` from the file's own."""

    def __init__(self, schema: Schema, words: str, enums: Mapping[str, NamedNumbers], around: str) -> None:
        self.schema, self.words, self.enums, self.around = schema, words, enums, around
        self.versions, self.flexible = schema.versions, schema.flexible.within(schema.versions)
        self.structures: dict[str, DeclaredStructure] = {}
        self.uses_tags = bool(self.flexible)

    # versions

    def when(self, versions: Versions, around: Versions) -> str:
        """The condition of some versions among those that are possible; "" if it is always true."""
        inside = versions.within(around)
        tests = [f"version >= {inside.first}"] if inside.first > around.first else []
        if inside.last < around.last:
            tests.append(f"version <= {inside.last}")
        if len(tests) == 2 and inside.first == inside.last:
            tests = [f"version == {inside.first}"]
        return " and ".join(tests)

    def depends(self, structure: DeclaredStructure) -> bool:
        """Whether a structure's bytes depend on the version."""
        if structure.versions.first == structure.versions.last:
            return False
        is_flexible = bool(self.when(self.flexible, structure.versions)) and bool(
            self.flexible.within(structure.versions)
        )
        return is_flexible or any(
            self.when(it.versions, structure.versions)
            or (it.nullable and self.when(it.nullable, structure.versions))
            or (it.tagged and self.when(it.tagged, structure.versions))
            or (it.is_structure and self.depends(self.structure_of(it, structure.versions)))
            for it in structure.fields
        )

    def structure_of(self, it: SchemaField, around: Versions) -> DeclaredStructure:
        name = snake(it.element)
        wanted = it.versions.within(around)
        known = self.structures.get(name)
        if known is None or not (known.versions.first <= wanted.first and wanted.last <= known.versions.last):
            versions = wanted if known is None else Versions(min(known.versions.first, wanted.first),
                                                             max(known.versions.last, wanted.last))  # fmt: skip
            known = self.structures[name] = DeclaredStructure(name, it.element, it.fields, versions)
            for inner in it.fields:
                if inner.is_structure and inner.versions.within(versions):
                    self.structure_of(inner, versions)
        return known

    # text

    def text(self) -> str:
        """The whole file."""
        for it in self.schema.fields:
            if it.is_structure and it.versions.within(self.versions):
                self.structure_of(it, self.versions)
        body, types = KsyText([]), KsyText([])
        root = DeclaredStructure("", self.schema.name, self.schema.fields, self.versions)
        self.sequence(body, root)
        if self.schema.kind == METADATA:  # there it is a varint, which Kaitai has as a structure
            body.lines = [_VERSION.sub("version.value", line) for line in body.lines]
        done: set[str] = set()
        while pending := [name for name in self.structures if name not in done]:
            done.update(pending)
            for name in pending:
                self.type(types, self.structures[name])
        self.tags(types, root, f"{snake(self.schema.name)}_")
        for structure in self.structures.values():
            self.tags(types, structure, f"{structure.name}_")
        out = KsyText([])
        self.head(out, "".join(body.lines + types.lines))
        out.add(0, "seq:")
        out.lines += body.lines
        if types.lines:
            out.add(0, "types:")
            out.lines += types.lines
        for names in {names.id: names for names in self.enums.values()}.values():
            out.add(0, *(["enums:"] if "enums:" not in out.lines else []))
            out.add(2, f"{names.id}:")
            out.add(4, *(f"{number}: {name}" for number, name in sorted(names.members.items())))
        return "\n".join(out.lines) + "\n"

    def head(self, out: KsyText, body: str) -> None:
        schema = self.schema
        out.add(0, "meta:")
        out.add(2, f"id: {schema.id}", f"title: Kafka's {schema.name}{f' of {schema.variant}' * bool(schema.variant)}")
        out.add(2, "application: Apache Kafka", "license: Apache-2.0", "ks-version: '0.11'")
        imports = [f"{self.around}varint"] if VARINT in body else []
        imports += ["kafka_types"] if "kafka_types::" in body else []
        if imports:
            out.add(2, "imports:", *(f"  - {name}" for name in imports))
        out.add(2, "endian: be", "encoding: UTF-8")
        if self.words:
            out.add(0, "doc: |")
            out.add(2, *textwrap.wrap(self.words, 118, break_long_words=False, break_on_hyphens=False))
        release = schema.releases[0]
        out.add(0, f"doc-ref: https://github.com/apache/kafka/blob/{release}/{SOURCES[schema.part]}/{schema.name}.json")
        out.add(0, f"-orig-id: {schema.name}")
        if self.is_wire:
            out.add(0, "params:")
            out.add(2, "- id: version", "  type: s2")

    @property
    def is_wire(self) -> bool:
        return self.schema.kind in (REQUEST, RESPONSE, HEADER)

    def sequence(self, out: KsyText, structure: DeclaredStructure) -> None:
        if not structure.name:
            self.prefix(out)
        for it in structure.fields:
            untagged = it.tag is None or bool(self.outside(it.tagged, it.versions.within(structure.versions)))
            if it.versions.within(structure.versions) and untagged:
                self.member(out, it, structure)
        flexible = self.flexible.within(structure.versions)
        if flexible:
            tagged = self.tagged(structure)
            prefix = f"{structure.name or snake(self.schema.name)}_"
            takes_version = "(version)" if self.tag_type_depends(structure) else ""
            type = f"{prefix}tagged_fields{takes_version}" if tagged else "kafka_types::tagged_fields"
            out.field("tagged_fields", indent=self.indent(structure), type=type,
                      **{"if": self.when(flexible, structure.versions)}, _hidden=True)  # fmt: skip

    def indent(self, structure: DeclaredStructure) -> int:
        return 6 if structure.name else 2

    @staticmethod
    def outside(inner: Versions, outer: Versions) -> bool:
        """Whether some of the outer versions are not among the inner ones."""
        return outer.first < inner.first or outer.last > inner.last

    def prefix(self, out: KsyText) -> None:
        schema, last = self.schema, self.versions.last
        if self.is_wire or schema.has_own_version:
            return
        if schema.kind == COORDINATOR_KEY:
            out.field("type", type="s2", _derive=str(schema.key), valid=str(schema.key))
            return
        limits = {"min": self.versions.first, "max": last}
        if schema.name in AND_NEWER:
            del limits["max"]
        if schema.kind != METADATA:
            out.field("version", type="s2", _derive=str(last))
            out.add(4, "valid:", *(f"  {key}: {value}" for key, value in limits.items()))
            return
        frame = str(schema.frame_version)
        for id, expression, derive in (
            ("frame_version", f"_.value == {frame}", frame),
            ("type", f"_.value == {schema.key}", str(schema.key)),
            ("version", f"_.value >= {self.versions.first} and _.value <= {last}" if self.versions.first
             else f"_.value <= {last}", str(last)),
        ):  # fmt: skip
            out.field(id, type=VARINT, _derive=derive)
            out.add(4, "valid:", f"  expr: {expression}")

    def member(self, out: KsyText, it: SchemaField, structure: DeclaredStructure) -> None:
        """A field that is not tagged, or not in all versions."""
        around, indent, id = structure.versions, self.indent(structure), self.schema.attribute(it)
        versions = it.versions.within(around)
        if it.tag is not None:  # in the versions in front of those in which it is tagged
            versions = versions.within(Versions(0, it.tagged.first - 1))
        condition, key = self.when(versions, around), {"_orig_id": it.name}
        flexible = (self.flexible if it.flexible is None else it.flexible).within(versions)
        if it.name == "Version" and self.schema.has_own_version and not structure.name:
            out.field("version", indent=indent, type="s2", _orig_id="Version", _derive=str(self.versions.first))
            if self.versions.last > self.versions.first:
                out.add(indent + 2, "valid:", "  min: 0")
            return
        if it.element in ("string", "bytes", "records") and not it.is_array:
            size, present = self.length(out, it, id, indent, versions, flexible, condition, "length")
            kind = {"type": "str"} if it.element == "string" else {}
            out.field(id, indent=indent, **kind, size=size, **{"if": both(condition, present)}, **key)
        elif it.is_array:
            count, present = self.length(out, it, id, indent, versions, flexible, condition, "count")
            out.field(id, indent=indent, **self.element(it, versions), repeat="expr", repeat_expr=count,
                      **{"if": both(condition, present)}, **key)  # fmt: skip
        elif it.is_structure and it.nullable.within(versions):
            in_tag = structure.name == IN_TAG
            out.field(f"{id}_presence", indent=indent, type=VARINT if in_tag else "s1", **{"if": condition})
            out.add(indent + 2, "-derive:", f"  presence-of: {id}", "  present: 1", f"  absent: {0 if in_tag else -1}")
            out.add(indent + 2, "-hidden: true")
            test = f"{id}_presence.value >= 1" if in_tag else f"{id}_presence >= 0"
            out.field(id, indent=indent, **self.element(it, versions), **{"if": both(condition, test)}, **key)
        else:
            derive = ""
            if it.has_default and isinstance(it.default, int) and it.element in NUMBERS:
                derive = str(int(it.default))
            out.field(id, indent=indent, **self.element(it, versions), **{"if": condition}, **key, _derive=derive)

    def element(self, it: SchemaField, versions: Versions) -> dict[str, Any]:
        """The keys of a value, or of an element, without a length."""
        if it.element in NUMBERS:
            enum = self.enums.get(it.name)
            return {"type": NUMBERS[it.element], "enum": enum.id if enum is not None else None,
                    "_as": "bool" if it.element == "bool" else None}  # fmt: skip
        if it.element == "uuid":
            return {"size": 16, "_as": "uuid(base64)"}
        if it.element in ("string", "bytes"):
            name = f"{'compact_' if self.flexible else ''}{it.element}"
            return {"type": self.listed(name, versions)}
        structure = self.structure_of(it, versions)
        return {"type": structure.name + ("(version)" if self.depends(structure) else "")}

    def listed(self, name: str, versions: Versions) -> str:
        """The type of a text in an array."""
        outside = self.outside(self.flexible, versions)
        if self.flexible.within(versions) and outside:
            test = self.when(self.flexible, versions)
            return f"'kafka_types::versioned_{name.removeprefix('compact_')}({test} ? 1 : 0)'"
        return f"kafka_types::{name if self.flexible.within(versions) else name.removeprefix('compact_')}"

    def length(
        self, out: KsyText, it: SchemaField, id: str, indent: int, versions: Versions, flexible: Versions,
        condition: str, what: str,
    ) -> tuple[str, str]:  # fmt: skip
        """Add the length, or the count, in front of a field: its expression, and when the field is there."""
        plain_width = "s2" if it.type == "string" else "s4"
        is_flexible, is_plain = bool(flexible), self.outside(flexible, versions)
        nullable = it.nullable.within(versions)
        compact, fixed = f"{id}_length" if not is_plain or what == "count" else f"compact_{id}_length", f"{id}_{what}"
        if is_flexible and is_plain and what == "count":
            compact = f"compact_{id}_count"
        elif is_flexible and what == "count":
            compact = f"{id}_count"
        if is_plain:
            rule = "" if nullable else "min: 0"
            out.field(fixed, indent=indent, type=plain_width,
                      **{"if": both(condition, self.negated(flexible, versions) if is_flexible else "")})  # fmt: skip
            if nullable and self.outside(nullable, Versions(versions.first, min(versions.last, (flexible.first - 1)
                                                            if is_flexible else LAST))):  # fmt: skip
                out.add(indent + 2, "valid:", f"  expr: _ >= 0 or {self.when(nullable, versions)}")
            elif rule:
                out.add(indent + 2, "valid:", f"  {rule}")
            out.add(indent + 2, "-hidden: true")
        if is_flexible:
            out.field(compact, indent=indent, type=VARINT,
                      **{"if": both(condition, self.when(flexible, versions) if is_plain else "")})  # fmt: skip
            outside = self.outside(nullable, flexible) if nullable else True
            if outside:
                also = f" or {self.when(nullable, versions)}" if nullable else ""
                out.add(indent + 2, "valid:", f"  expr: _.value >= 1{also}")
            out.add(indent + 2, "-hidden: true")
        present = ""
        if is_flexible and is_plain:
            test = self.when(flexible, versions)
            if nullable:
                present = f"({test} ? {compact}.value >= 1 : {fixed} >= 0)"
            return f"'{test} ? {compact}.value - 1 : {fixed}'", present
        if is_flexible:
            return f"{compact}.value - 1", f"{compact}.value >= 1" if nullable else ""
        return fixed, f"{fixed} >= 0" if nullable else ""

    def negated(self, flexible: Versions, versions: Versions) -> str:
        return f"version < {flexible.first}"

    def type(self, out: KsyText, structure: DeclaredStructure) -> None:
        out.add(2, f"{structure.name}:")
        out.add(4, f"-orig-id: {structure.original}")
        if self.depends(structure):
            out.add(4, "params:", "  - id: version", "    type: s2")
        body = KsyText([])
        self.sequence(body, structure)
        if body.lines:
            out.add(4, "seq:")
            out.lines += body.lines
        else:
            out.add(4, "seq: []")

    # tagged fields

    def tagged(self, structure: DeclaredStructure) -> list[SchemaField]:
        return sorted(
            (it for it in structure.fields if it.tag is not None and it.tagged.within(structure.versions)),
            key=lambda it: it.tag or 0,
        )

    def tag_type_depends(self, structure: DeclaredStructure) -> bool:
        flexible = self.flexible.within(structure.versions)
        return any(
            self.when(it.tagged, flexible)
            or (it.nullable and self.when(it.nullable, flexible.within(it.tagged)))
            or (it.is_structure and self.depends(self.structure_of(it, structure.versions)))
            for it in self.tagged(structure)
        )

    def tags(self, out: KsyText, structure: DeclaredStructure, prefix: str) -> None:
        tagged = self.tagged(structure)
        if not tagged:
            return
        flexible = self.flexible.within(structure.versions)
        takes = self.tag_type_depends(structure)
        parameter = ("params:", "  - id: version", "    type: s2") if takes else ()
        argument = "(version)" if takes else ""
        out.add(2, f"{prefix}tagged_fields:")
        out.add(4, *parameter, "seq:")
        out.field("fields_count", indent=6, type=VARINT, _hidden=True)
        out.field("fields", indent=6, type=f"{prefix}tagged_field{argument}", repeat="expr",
                  repeat_expr="fields_count.value")  # fmt: skip
        out.add(2, f"{prefix}tagged_field:")
        out.add(4, *parameter, "seq:")
        out.field("tag", indent=6, type=VARINT)
        out.field("data_length", indent=6, type=VARINT, _hidden=True)
        out.field("data", indent=6, size="data_length.value")
        out.add(8, "type:")
        later = [(it, self.when(it.tagged, flexible)) for it in tagged]
        tests = [f"(tag.value == {it.tag} and {self.opposite(when)})" for it, when in later if when]
        on = f"'{' or '.join(tests)} ? -1 : tag.value'" if tests else "tag.value"
        out.add(10, f"switch-on: {on}", "cases:")
        for it in tagged:
            inner = DeclaredStructure(IN_TAG, "", (), it.tagged.within(flexible))
            takes = self.tag_depends(it, inner.versions)
            out.add(12, f"{it.tag}: {prefix}{self.schema.attribute(it)}_tag{'(version)' if takes else ''}")
        for it in tagged:
            versions = it.tagged.within(flexible)
            out.add(2, f"{prefix}{self.schema.attribute(it)}_tag:")
            if self.tag_depends(it, versions):
                out.add(4, "params:", "  - id: version", "    type: s2")
            out.add(4, "seq:")
            one = SchemaField(it.name, it.type, versions, it.nullable, fields=it.fields)
            self.member(out, one, DeclaredStructure(IN_TAG, "", (one,), versions))
            keys = [f"tag: {it.tag}", f"default: {self.default(it)}"]
            after = self.follower(it, structure)
            keys += [f"before: {after}"] if after else []
            keys += [f"since: {it.since}"] if it.since else []
            out.add(8, f"-tagged: {{{', '.join(keys)}}}")

    @staticmethod
    def opposite(when: str) -> str:
        if " and " in when:
            return f"not ({when})"
        return when.replace(">=", "<") if ">=" in when else when.replace("<=", ">")

    def tag_depends(self, it: SchemaField, versions: Versions) -> bool:
        return bool(it.nullable and it.nullable.within(versions) and self.when(it.nullable, versions)) or (
            it.is_structure and self.depends(self.structure_of(it, versions))
        )

    def follower(self, it: SchemaField, structure: DeclaredStructure) -> str:
        """The field before which it stands in the schema; "" if none that is not tagged follows."""
        there = [other for other in structure.fields if other.versions.within(structure.versions)]
        for other in there[there.index(it) + 1 :]:
            if other.tag is None:
                return self.schema.attribute(other)
        return ""

    @staticmethod
    def default(it: SchemaField) -> str:
        """A tagged field's default, as YAML."""
        if it.is_structure and not it.is_array and it.nullable and not it.has_default:
            return f"{{{', '.join(f'{snake(one.name)}: {Declaring.default(one)}' for one in it.fields)}}}"
        if (it.has_default and it.default is None) or (it.is_structure and not it.is_array):
            return "null"
        if it.is_array:
            return "[]"
        if it.has_default:
            return str(it.default).lower() if isinstance(it.default, bool) else repr(it.default).replace("'", '"')
        return {"string": '""', "bytes": '""', "uuid": "AAAAAAAAAAAAAAAAAAAAAA", "bool": "false"}.get(it.type, "0")


def both(first: str, second: str) -> str:
    """Two conditions in one; "" is true."""
    return f"{first} and {second}" if first and second else first or second


def declaration(
    schema: Schema, words: str = "", enums: Mapping[str, NamedNumbers] = MappingProxyType({}), around: str = "../"
) -> str:
    """The text of the ``.ksy`` file of a schema.

    Args:
        words: what the message is.
        enums: names of numbers, by the names of fields.
        around: the path of the folder with ``varint.ksy`` from the file's own.
    """
    return Declaring(schema, words, enums, around).text()


def write_messages(folder: Path) -> int:
    """Write the declarations of all messages that Kafka has, and of what they import, into a folder that is empty or
    not there yet; returns how many messages. OSError.

    The shipped ones as they are, and those of the other requests and responses.
    """
    names = message_names()
    made = {name: shipped_text(name) or "" for name in (*names, "varint")}
    made |= {id: declaration(schema, around="") for id, schema in schemas().items() if id not in made}
    with filling(folder):
        for name, text in made.items():
            (folder / f"{name}.ksy").write_text(text.replace("    - ../", "    - "), encoding="utf-8")
    return len(made) - len(_IMPORTED)


_IMPORTED: Final = ("kafka_types", "varint")
__all__ = ["declaration", "write_messages"]
