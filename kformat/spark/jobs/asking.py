"""The options of the source in Python's form: ``starting_offsets={"orders": {"0": 23}}``, ``include_headers=True``.

Names become Spark's, values become strings; `kformat.spark.options` has the options and their meanings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from kformat.errors import UsageError
from kformat.times import milliseconds

_ISOLATION: Final = {"kafka_isolation_level": "kafka.isolation.level"}


def spark_words(options: Mapping[str, Any]) -> dict[str, str]:
    """Convert options in snake_case (or in Spark's own case, as on a command line) to Spark's; None means not set.

    Raises UsageError for an option that is given in both ways, and a datetime without a time zone.
    """
    words: dict[str, str] = {}
    for name, value in options.items():
        if value is None:
            continue
        first, *rest = name.split("_")
        word = _ISOLATION.get(name) or first + "".join(part[:1].upper() + part[1:] for part in rest)
        if word in words:
            raise UsageError(f"option {word} is given twice")
        words[word] = _text(value)
    return words


def source_options(paths: str | Sequence[str], options: Mapping[str, Any]) -> dict[str, str]:
    """All options of the source: paths, as `load` takes them, and others.

    Raises UsageError for paths among the options.
    """
    words = spark_words(options)
    for word in ("path", "paths"):
        if word in {name.lower() for name in words}:
            raise UsageError(f"option {word}: paths are an argument")
    return {**words, "paths": json.dumps([paths] if isinstance(paths, str) else list(paths))}


def _text(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            return str(milliseconds(value))
        case Mapping():
            return json.dumps(value)
        case list() | tuple() | set() | frozenset():
            return ",".join(map(str, value))
    return str(value)
