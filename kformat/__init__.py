"""Kafka's on-disk formats, declared once in ``formats/*.ksy``; everything else made from the declarations.

    batch = kformat.parse("record_batch", data)       # attributes in Kafka's words
    kformat.build("record_batch", batch)              # bytes again; lengths, counts and checksum computed
    print(kformat.describe("record_batch"))           # position, size, type, name, meaning
    for record in kformat.open("orders-0").records(): ...
    for partition in kformat.iter_partitions("/data/kafka-logs"): ...
    for found in kformat.grep("orders-0", "needle"): ...
    for finding in kformat.check(["orders-0"]): ...
    for difference in kformat.diff("orders-0", "replica/orders-0"): ...

Names are loaded when they are first used, so that ``import kformat`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from kformat import errors as errors

_WHERE = {
    "parse": "codec",
    "build": "codec",
    "build_batches": "batching",
    "construct_of": "codec",
    "describe": "description",
    "to_json": "jsonform",
    "from_json": "jsonform",
    "json_schema": "jsonform",
    "load_declaration": "declaration",
    "parse_declaration": "declaration",
    "shipped_names": "declaration",
    "iter_batches": "batches",
    "read_batch_headers": "batches",
    "Record": "records",
    "Batch": "records",
    "open": "partition",
    "iter_partitions": "partition",
    "follow": "following",
    "grep": "searching",
    "stats": "measuring",
    "check": "validation",
    "diff": "comparison",
}

if TYPE_CHECKING:
    from kformat.batches import iter_batches as iter_batches
    from kformat.batches import read_batch_headers as read_batch_headers
    from kformat.batching import build_batches as build_batches
    from kformat.codec import build as build
    from kformat.codec import construct_of as construct_of
    from kformat.comparison import diff as diff
    from kformat.declaration import load_declaration as load_declaration
    from kformat.declaration import parse_declaration as parse_declaration
    from kformat.declaration import shipped_names as shipped_names
    from kformat.description import describe as describe
    from kformat.following import follow as follow
    from kformat.generated.parsing import parse as parse
    from kformat.jsonform import from_json as from_json
    from kformat.jsonform import json_schema as json_schema
    from kformat.jsonform import to_json as to_json
    from kformat.measuring import stats as stats
    from kformat.partition import iter_partitions as iter_partitions
    from kformat.partition import open_partition
    from kformat.records import Batch as Batch
    from kformat.records import Record as Record
    from kformat.searching import grep as grep
    from kformat.validation import check as check

    open = open_partition

__all__ = sorted([*_WHERE, "errors"])
__version__ = "0.1.0.dev0"

_RENAMED = {"open": "open_partition"}


def __getattr__(name: str) -> Any:
    module = _WHERE.get(name)
    if module is None:
        raise AttributeError(f"module 'kformat' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"kformat.{module}"), _RENAMED.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__all__", "__doc__", "__file__", "__name__", "__path__", "__version__"]
