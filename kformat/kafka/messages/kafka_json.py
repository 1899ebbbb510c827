"""A message's value as Kafka's own tools write it in JSON, and such JSON as input for `kformat.build`.

Kafka's generated converters write the fields of the value's version in the schema's order: ids of 22 characters, bytes
in base64, numbers as numbers; tagged fields only where they are not the default
(``generator/src/main/java/org/apache/kafka/message/JsonConverterGenerator.java``).
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

from kformat.kafka.messages.schemas import Schema, SchemaField
from kformat.language.logical import uuid_text


def camel(name: str) -> str:
    """Kafka's name of a field in JSON."""
    return name[:1].lower() + name[1:]


def kafka_json(
    schema: Schema, version: int, value: Any, *, is_wanted: Callable[[SchemaField], bool] = lambda it: True
) -> dict[str, Any]:
    """A parsed value as Kafka's converter of that message writes it; bytes become base64, floats stay floats.

    ``is_wanted`` says which fields a release knows.
    """
    return _object(schema, schema.fields, version, value, is_wanted)


def _object(
    schema: Schema, fields: tuple[SchemaField, ...], version: int, value: Any, is_wanted: Callable[[SchemaField], bool]
) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for it in fields:
        if version not in it.versions or not is_wanted(it):
            continue
        content = _shown(schema, it, version, getattr(value, schema.attribute(it)), is_wanted)
        if version in it.tagged and _is_default(it, content):
            continue
        made[camel(it.name)] = content
    return made


def _shown(
    schema: Schema, it: SchemaField, version: int, content: Any, is_wanted: Callable[[SchemaField], bool]
) -> Any:
    if content is None:
        return None
    if it.is_array:
        return [_one(schema, it, version, getattr(item, "value", item) if it.element in ("string", "bytes") else item,
                     is_wanted) for item in content]  # fmt: skip
    return _one(schema, it, version, content, is_wanted)


def _one(schema: Schema, it: SchemaField, version: int, item: Any, is_wanted: Callable[[SchemaField], bool]) -> Any:
    match it.element:
        case "bool":
            return item != 0
        case "uuid":
            return uuid_text(item)
        case "bytes" | "records":
            return base64.b64encode(item).decode()
        case "string" | "float64":
            return item
    return _object(schema, it.fields, version, item, is_wanted) if it.is_structure else int(item)


def _is_default(it: SchemaField, content: Any) -> bool:
    """Whether the value of a tagged field is not written: it is the default, or a structure that may not be null and is
    not there.
    """
    return content == _default(it) or (content is None and it.is_structure and not it.is_array and not it.nullable)


def _default(it: SchemaField) -> Any:
    """A field's default in such JSON; of a structure one with the defaults of its fields."""
    if it.has_default:
        return it.default
    if it.is_structure and not it.is_array:
        return {camel(one.name): _default(one) for one in it.fields}
    if it.is_array:
        return []
    return {"string": "", "bytes": "", "records": None, "bool": False, "uuid": "A" * 22, "float64": 0.0}.get(it.type, 0)


def from_kafka_json(schema: Schema, version: int, made: Mapping[str, Any]) -> dict[str, Any]:
    """Input for `kformat.build` of the message's declaration, of what `kafka_json` returns, or Kafka's tools print."""
    head: dict[str, Any] = {"version": version} if schema.has_version else {}
    return head | _given(schema, schema.fields, version, made)


def _given(schema: Schema, fields: tuple[SchemaField, ...], version: int, made: Mapping[str, Any]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for it in fields:
        if version in it.versions and camel(it.name) in made:
            content = made[camel(it.name)]
            if version in it.tagged and it.is_structure and _is_default(it, content):
                continue  # `build` knows the defaults of other tags
            if content is not None and it.is_array:
                content = [_given_one(schema, it, version, item) for item in content]
                if it.element in ("string", "bytes"):
                    content = [{"value": item} for item in content]
            elif content is not None:
                content = _given_one(schema, it, version, content)
            given[schema.attribute(it)] = content
    return given


def _given_one(schema: Schema, it: SchemaField, version: int, item: Any) -> Any:
    match it.element:
        case "uuid":
            return base64.urlsafe_b64decode(item + "==")
        case "bytes" | "records":
            return base64.b64decode(item)
    return _given(schema, it.fields, version, item) if it.is_structure else item


__all__ = ["camel", "from_kafka_json", "kafka_json"]
