"""`docs/schemas/`: the JSON Schema of every format that can be parsed by itself, and of a log."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable

from kformat.kafka.columns.log_values import LOG, json_schema
from tools.stubs import types

FOLDER = "docs/schemas"


def schema(format: str) -> str:
    """The schema's file, as `kformat describe FORMAT --format json-schema` prints it."""
    return json.dumps(json_schema(format), indent=1) + "\n"


def names() -> list[str]:
    """The formats that have a file: what no other type has in it."""
    programs = types()
    inner = {field.type.name for program in programs.values() for field in program.fields if field.type is not None}
    return [*(name for name in programs if name not in inner), LOG]


def files() -> dict[str, Callable[[], str]]:
    """Path of each file -> what makes its text."""
    return {f"{FOLDER}/{name.replace('::', '.')}.schema.json": functools.partial(schema, name) for name in names()}
