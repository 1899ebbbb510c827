"""Values of Kafka's messages, drawn at random, as JSON; and Kafka's generated classes as their judge."""

from __future__ import annotations

import base64
import json
import random
import re
import zipfile
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from kformat.kafka.messages.kafka_json import camel
from kformat.kafka.messages.schemas import HEADER, REQUEST, RESPONSE, Schema, SchemaField
from tests.judges import jars, java_tools
from tools.messages import of_release

_INTEGERS = {"int8": (-128, 127), "int16": (-(2**15), 2**15 - 1), "uint16": (0, 2**16 - 1),
             "int32": (-(2**31), 2**31 - 1), "uint32": (0, 2**32 - 1), "int64": (-(2**63), 2**63 - 1)}  # fmt: skip
_TEXTS = ("", "a", "orders", "ümläut", "日本語", "🙂", "\u0000", "x" * 300)


def drawn(schema: Schema, version: int, by: random.Random, release: str = "") -> dict[str, Any]:
    """A value of one version as Kafka's JSON has it: extremes, nulls, empty and long lists, tags there and not there;
    ``release``: without the tags of later ones.
    """
    return _fields(schema.fields, version, by, release, 0)


def _fields(fields: Sequence[SchemaField], version: int, by: random.Random, release: str, depth: int) -> dict[str, Any]:
    made = {}
    for it in fields:
        if version not in it.versions or (release and it.since > release):
            continue
        if version in it.tagged and by.random() < 0.4:
            continue
        made[camel(it.name)] = _value(it, version, by, release, depth)
    return made


def _value(it: SchemaField, version: int, by: random.Random, release: str, depth: int) -> Any:
    if version in it.nullable and by.random() < 0.25:
        return None
    if it.is_array:
        most = 5 if depth < 2 else 2
        count = by.choice((0, 1, 2, most)) if by.random() > 0.01 else 200 if not it.is_structure else most
        items = [_one(it, version, by, release, depth) for _ in range(count)]
        return items
    return _one(it, version, by, release, depth)


def _one(it: SchemaField, version: int, by: random.Random, release: str, depth: int) -> Any:
    match it.element:
        case "bool":
            return by.random() < 0.5
        case "uuid":
            data = by.choice((bytes(16), b"\xff" * 16, by.randbytes(16)))
            return base64.urlsafe_b64encode(data).decode().rstrip("=")
        case "string":
            return by.choice(_TEXTS) + ("" if by.random() < 0.5 else str(by.randrange(10**9)))
        case "bytes" | "records":
            return base64.b64encode(by.randbytes(by.choice((0, 1, 7, 200)))).decode()
        case "float64":
            return by.choice((0.0, -0.0, 1.5, -1e300, 5e-324, by.random()))
    if it.is_structure:
        return _fields(it.fields, version, by, release, depth + 1)
    low, high = _INTEGERS[it.element]
    if it.name == "Version":  # of records of control batches: the value's own
        return version
    return by.choice((low, high, 0, 1, by.randint(low, high)))


# --- Kafka's classes -------------------------------------------------------------------------------------------------


@cache
def classes(release: str) -> dict[str, str]:
    """Kafka's generated classes of messages by the names of their schemas."""
    names = of_release(release, jars.directory(release))
    found = {}
    for path in sorted(jars.directory(release).glob("kafka*.jar")):
        with zipfile.ZipFile(path) as jar:
            for name in jar.namelist():
                match = re.fullmatch(r"((?:\w+/)+(?:message|generated|metadata)/)(\w+)\.class", name)
                if match is not None and (match[2] in names or match[2].removesuffix("Data") in names):
                    schema = match[2] if match[2] in names else match[2].removesuffix("Data")
                    if match[2] == schema + "Data" * (names[schema].kind in (REQUEST, RESPONSE, HEADER)):
                        found[schema] = f"{match[1].replace('/', '.')}{match[2]}"
    return found


def by_kafka(release: str, asked: Iterable[tuple[str, int, str | bytes]]) -> list[tuple[bytes, Any] | str]:
    """What Kafka's classes make of JSON, or of bytes: the bytes, and the JSON; or an error's text.

    ``asked``: the message, its version, and JSON or bytes.
    """
    lines = [
        f"{classes(release)[name]}\t{version}\t{given if isinstance(given, str) else given.hex()}\n"
        for name, version, given in asked
    ]
    done = java_tools.java(release, "Messages", [], stdin="".join(lines).encode())
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    answers: list[tuple[bytes, Any] | str] = []
    for line in done.stdout.decode().splitlines():
        first, _, second = line.partition("\t")
        answers.append(second if first == "error" else (bytes.fromhex(first), json.loads(second)))
    assert len(answers) == len(lines)
    return answers
