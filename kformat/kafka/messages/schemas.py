"""The schemas of Kafka's messages, as its jars have them.

A schema says for each range of versions which fields a message has, in which order. `read_schema` reads one of Kafka's
JSON files; `merged` makes one schema of those of several releases, and `schemas` has all of them as they are shipped
(``formats/messages/schemas.json``, made by tools/messages.py). Kafka's own rules stand in
``generator/src/main/java/org/apache/kafka/message``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from kformat.language.shipped import shipped_folder

LAST: Final = 32767
"""The largest version: that of ranges without an end."""
SIMPLE: Final = (
    *("bool", "int8", "int16", "uint16", "int32", "uint32", "int64", "float64", "string", "bytes", "records", "uuid"),
)
"""The types that are no structures."""
COORDINATOR_KEY, COORDINATOR_VALUE, METADATA, DATA, HEADER = (
    *("coordinator-key", "coordinator-value", "metadata", "data", "header"),
)
REQUEST, RESPONSE = "request", "response"

_COMMENT: Final = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*')
_RANGE: Final = re.compile(r"(\d+)(?:(\+)|-(\d+))?")


@dataclass(frozen=True, slots=True, order=True)
class Versions:
    """A range of versions, both inclusive; without any if ``last`` is smaller."""

    first: int = 0
    last: int = -1

    @classmethod
    def of(cls, text: str | None) -> Versions:
        """The range of a text: ``3+``, ``0-2``, ``4``, ``none``."""
        if text in (None, "none"):
            return cls()
        match = _RANGE.fullmatch(str(text))
        if match is None:
            raise ValueError(f"no range of versions: {text!r}")
        first = int(match[1])
        return cls(first, LAST if match[2] else int(match[3] or first))

    def __contains__(self, version: int) -> bool:
        return self.first <= version <= self.last

    def __bool__(self) -> bool:
        return self.first <= self.last

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.last + 1))

    def __str__(self) -> str:
        if not self:
            return "none"
        end = "+" if self.last == LAST else "" if self.first == self.last else f"-{self.last}"
        return f"{self.first}{end}"

    def clamp(self, version: int) -> int:
        """The nearest version of the range."""
        return min(max(version, self.first), self.last)

    def within(self, other: Versions) -> Versions:
        """The versions that are in both."""
        return Versions(max(self.first, other.first), min(self.last, other.last))


@dataclass(frozen=True, slots=True)
class SchemaField:
    """A field of a message or of a structure.

    ``type``: one of `SIMPLE`, a structure's name, or ``[]`` and one of these; ``fields`` are the structure's.
    ``tag`` with the versions ``tagged``: it is a tagged field there. ``default`` as in JSON. ``since``: the first
    release, of those that were read, that has the field in a version which an earlier one has without it.
    """

    name: str
    type: str
    versions: Versions
    nullable: Versions = Versions()
    tag: int | None = None
    tagged: Versions = Versions()
    default: Any = None
    has_default: bool = False
    flexible: Versions | None = None
    fields: tuple[SchemaField, ...] = ()
    since: str = ""

    @property
    def element(self) -> str:
        """The type of its elements, or its own."""
        return self.type.removeprefix("[]")

    @property
    def is_array(self) -> bool:
        return self.type.startswith("[]")

    @property
    def is_structure(self) -> bool:
        """Whether it, or each of its elements, is a structure."""
        return self.element not in SIMPLE


@dataclass(frozen=True, slots=True)
class Schema:
    """A message. ``kind``: see the constants; ``key``: the number that says which message of its kind it is.
    ``part``: the part of Kafka that has the schema, the name of its jar; ``releases``: those that have it.
    """

    name: str
    kind: str
    versions: Versions
    flexible: Versions
    fields: tuple[SchemaField, ...]
    key: int | None = None
    part: str = ""
    releases: tuple[str, ...] = ()
    variant: str = ""
    """The release, where a newer one has other bytes in the same version: ``2.8``."""
    release_versions: tuple[Versions, ...] = ()
    """The versions that each of ``releases`` has."""

    @property
    def id(self) -> str:
        """The name of its declaration."""
        return _id(self.name, self.variant)

    @property
    def frame_version(self) -> int:
        """Of the frame that a record of the metadata log begins with: 0 in the preview of 2.8 (MetadataRecordSerde)."""
        return 0 if self.part == "metadata" and self.releases[0].startswith("2.8.") else 1

    @property
    def is_on_disk(self) -> bool:
        """Whether it is written to disk, and not only sent."""
        return self.kind not in (REQUEST, RESPONSE, HEADER)

    @property
    def has_own_version(self) -> bool:
        """Whether its first field is the version: so have the records of control batches."""
        return bool(self.fields) and (self.kind, self.fields[0].name, self.fields[0].type) == (DATA, "Version", "int16")

    @property
    def has_version(self) -> bool:
        """Whether a version stands in its bytes."""
        return self.is_on_disk and self.kind != COORDINATOR_KEY

    def attribute(self, it: SchemaField) -> str:
        """The name of one of its fields in the declaration: in snake_case; of a field that is called as the version in
        front of the message, ``image_version``, since the one that has it holds that of the metadata image.
        """
        name = snake(it.name)
        return "image_version" if name == "version" and not self.has_own_version else name


@cache
def snake(name: str) -> str:
    """One of Kafka's names in snake_case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.replace("KRaft", "Kraft")).lower()


@cache
def _id(name: str, variant: str) -> str:
    return snake(name) + (f"_{variant.replace('.', '_')}" if variant else "")


# --- Kafka's files ---------------------------------------------------------------------------------------------------


def read_schema(text: str, part: str = "", release: str = "") -> Schema:
    """The schema of one of Kafka's JSON files, which may have comments, and (2.8.2) text after its end.

    Releases before 4.0 have no kind for keys of coordinators: their number is the first version there.
    """
    read, _ = json.JSONDecoder().raw_decode(_COMMENT.sub(lambda match: match[1] or "", text).strip())
    structures = {it["name"]: it["fields"] for it in read.get("commonStructs", ())}
    schema = Schema(
        name=read["name"],
        kind=read["type"],
        versions=Versions.of(read["validVersions"]),
        flexible=Versions.of(read.get("flexibleVersions")),
        fields=tuple(_field(it, structures) for it in read.get("fields", ())),
        key=read.get("apiKey"),
        part=part,
        releases=(release,) if release else (),
        release_versions=(Versions.of(read["validVersions"]),) if release else (),
    )
    in_coordinator = schema.kind == DATA and part not in ("clients", "raft", "storage")
    if in_coordinator and schema.name.endswith("Key"):
        return replace(schema, kind=COORDINATOR_KEY, key=schema.versions.last, versions=Versions(0, 0),
                       release_versions=(Versions(0, 0),) * len(schema.releases),
                       fields=tuple(_from_0(it) for it in schema.fields))  # fmt: skip
    return replace(schema, kind=COORDINATOR_VALUE) if in_coordinator else schema


def _field(read: Mapping[str, Any], structures: Mapping[str, Any]) -> SchemaField:
    type, tagged = read["type"], Versions.of(read.get("taggedVersions"))
    element = type.removeprefix("[]")
    fields = read.get("fields") or (() if element in SIMPLE else structures[element])
    versions = Versions.of(read["versions"]) if "versions" in read else tagged
    return SchemaField(
        name=read["name"],
        type=type,
        versions=versions,
        nullable=Versions.of(read.get("nullableVersions")),
        tag=int(read["tag"]) if "tag" in read else None,
        tagged=tagged,
        default=_default(read.get("default"), element if element == type else "[]"),
        has_default=read.get("default") is not None,  # null itself counts as none: only the text "null" is null
        flexible=Versions.of(read["flexibleVersions"]) if "flexibleVersions" in read else None,
        fields=tuple(_field(it, structures) for it in fields),
    )


def _default(written: Any, type: str) -> Any:
    if not isinstance(written, str) or (type == "string" and written != "null"):
        return written
    if written == "null":
        return None
    return written == "true" if type == "bool" else int(written, 0)


def _from_0(read: SchemaField) -> SchemaField:
    return replace(read, versions=Versions(0, LAST), fields=tuple(_from_0(it) for it in read.fields))


# --- several releases ------------------------------------------------------------------------------------------------


def layout(fields: Iterable[SchemaField], version: int, with_tags: bool = False) -> tuple[Any, ...]:
    """What a version's bytes depend on: the types of its fields in order, and with which tags."""
    there = [it for it in fields if version in it.versions]
    plain = [_shape(it, version, with_tags) for it in there if version not in it.tagged]
    tags = sorted((it.tag or 0, *_shape(it, version, with_tags)) for it in there if version in it.tagged)
    return (*plain, *(tags if with_tags else ()))


def _shape(it: SchemaField, version: int, with_tags: bool) -> tuple[Any, ...]:
    type = it.type if not it.is_structure else "[]" * it.is_array
    return type, version in it.nullable, layout(it.fields, version, with_tags)


def agrees(newer: Schema, older: Schema) -> bool:
    """Whether the versions that both have are the same bytes, but for tagged fields."""
    kinds = [(one.kind, one.frame_version) for one in (newer, older)]
    return kinds[0] == kinds[1] and older.key in (newer.key, None) and all(
        layout(newer.fields, version) == layout(older.fields, version)
        and (version in newer.flexible) == (version in older.flexible)
        for version in newer.versions.within(older.versions)
    )  # fmt: skip


def merged(newer: Schema, older: Schema) -> Schema:
    """One schema with the versions of two that agree; names are those of the newer one, and so are all fields of the
    versions that both have: a name may stand for another field there.
    """
    both = newer.versions.within(older.versions)
    alone = Versions(older.versions.first, both.first - 1) if both else older.versions
    versions = Versions(min(newer.versions.first, older.versions.first), newer.versions.last)
    flexible = newer.flexible
    if older.flexible and flexible:
        flexible = Versions(min(newer.flexible.first, older.flexible.first), newer.flexible.last)
    fields = _merged(newer.fields, older.fields, both, alone, newer.releases[-1] if newer.releases else "")
    return replace(newer, versions=versions, flexible=flexible or older.flexible, fields=fields,
                   releases=(*newer.releases, *older.releases),
                   release_versions=(*newer.release_versions, *older.release_versions))  # fmt: skip


def _merged(
    newer: tuple[SchemaField, ...], older: tuple[SchemaField, ...], both: Versions, alone: Versions, release: str
) -> tuple[SchemaField, ...]:
    """The fields of both, in the newer one's order; what only the older one has stands after what it follows there."""
    was = {it.name.lower(): it for it in older}
    fields: list[SchemaField] = []
    for it in newer:
        old = was.get(it.name.lower())
        if old is None:
            is_new = it.tag is not None and bool(it.tagged.within(both)) and not it.since
            fields.append(replace(it, since=release) if is_new else it)
        else:
            fields.append(
                replace(it, versions=_around(it.versions, old.versions.within(alone)),
                        nullable=_around(it.nullable, old.nullable.within(alone)),
                        fields=_merged(it.fields, old.fields, both, alone, release))
            )  # fmt: skip
    names = [it.name.lower() for it in fields]
    for number, it in enumerate(older):
        if it.name.lower() not in names and not it.versions.within(both):
            before = next(
                (names.index(b.name.lower()) for b in reversed(older[:number]) if b.name.lower() in names), -1
            )
            fields.insert(before + 1, it)
            names.insert(before + 1, it.name.lower())
    return tuple(fields)


def _around(newer: Versions, older: Versions) -> Versions:
    if not (newer and older):
        return newer or older
    return Versions(min(newer.first, older.first), max(newer.last, older.last))


# --- as they are shipped ---------------------------------------------------------------------------------------------


def plain(schema: Schema) -> dict[str, Any]:
    """The schema as JSON holds it; `from_plain` is the inverse."""
    made: dict[str, Any] = {"name": schema.name, "kind": schema.kind, "versions": str(schema.versions)}
    made |= {"key": schema.key} if schema.key is not None else {}
    made |= {"flexible": str(schema.flexible)} if schema.flexible else {}
    made |= {"variant": schema.variant} if schema.variant else {}
    made |= {"part": schema.part, "releases": list(schema.releases)}
    if set(schema.release_versions) - {schema.versions}:
        made["release_versions"] = [str(versions) for versions in schema.release_versions]
    return made | {"fields": [_plain(it) for it in schema.fields]}


def _plain(it: SchemaField) -> dict[str, Any]:
    made: dict[str, Any] = {"name": it.name, "type": it.type, "versions": str(it.versions)}
    made |= {"nullable": str(it.nullable)} if it.nullable else {}
    made |= {"tag": it.tag, "tagged": str(it.tagged)} if it.tag is not None else {}
    made |= {"default": it.default} if it.has_default else {}
    made |= {"flexible": str(it.flexible)} if it.flexible is not None else {}
    made |= {"since": it.since} if it.since else {}
    return made | ({"fields": [_plain(inner) for inner in it.fields]} if it.fields else {})


def from_plain(made: Mapping[str, Any]) -> Schema:
    releases: list[str] = made["releases"]
    return Schema(
        made["name"], made["kind"], Versions.of(made["versions"]), Versions.of(made.get("flexible")),
        tuple(map(_field_from_plain, made["fields"])), made.get("key"), made["part"], tuple(releases),
        made.get("variant", ""),
        tuple(map(Versions.of, made.get("release_versions", [made["versions"]] * len(releases)))),
    )  # fmt: skip


def _field_from_plain(made: Mapping[str, Any]) -> SchemaField:
    return SchemaField(
        made["name"], made["type"], Versions.of(made["versions"]), Versions.of(made.get("nullable")),
        made.get("tag"), Versions.of(made.get("tagged")), made.get("default"), "default" in made,
        Versions.of(made["flexible"]) if "flexible" in made else None,
        tuple(map(_field_from_plain, made.get("fields", ()))), made.get("since", ""),
    )  # fmt: skip


@cache
def _shipped() -> dict[str, Any]:
    text = shipped_folder().joinpath("messages").joinpath("schemas.json").read_text(encoding="utf-8")
    return {_id(made["name"], made.get("variant", "")): made for made in json.loads(text)}


@cache
def schema(id: str) -> Schema:
    """The schema of a declaration's name. Raises KeyError."""
    return from_plain(_shipped()[id])


def schemas() -> dict[str, Schema]:
    """All schemas by the names of their declarations: those of the disk and those of the wire."""
    return {id: schema(id) for id in _shipped()}


__all__ = ["Schema", "SchemaField", "Versions", "layout", "read_schema", "schema", "schemas", "snake"]
