"""Kafka's on-disk formats. They are declared once, in ``formats/*.ksy``; all code is derived from the declarations.

    batch = kformat.parse("record_batch", data)       # attributes in Kafka's words
    kformat.build("record_batch", batch)              # bytes again; lengths, counts and checksum computed
    print(kformat.describe("record_batch"))           # position, size, type, name, meaning
    for record in kformat.open("orders-0").records(): ...
    for partition in kformat.open_root("/data/kafka-logs"): ...
    for record in kformat.LogReader.open("orders-0").records(follow=True): ...
    for found in kformat.grep("orders-0", "needle"): ...
    for finding in kformat.check(["orders-0"]): ...
    for difference in kformat.diff("orders-0", "replica/orders-0"): ...

Names are loaded on first use, so ``import kformat`` is cheap.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kformat import errors as errors
from kformat.storage.codecs import register as _register

_WHERE = {
    "parse": "codec.constructs",
    "build": "codec.constructs",
    "build_batches": "kafka.columns.batch_builder",
    "construct_of": "codec.constructs",
    "describe": "language.describe",
    "to_json": "codec.json_form",
    "from_json": "codec.json_form",
    "json_schema": "kafka.columns.log_values",
    "load_declaration": "language.program",
    "parse_declaration": "language.program",
    "shipped_names": "language.shipped",
    "iter_batches": "kafka.batch.batches",
    "read_batch_headers": "kafka.batch.batches",
    "Record": "kafka.batch.records",
    "Batch": "kafka.batch.records",
    "register_process": "codec.extensions",
    "register_type": "codec.extensions",
    "open": "kafka.log.partition",
    "iter_partitions": "kafka.log.partition",
    "open_root": "kafka.log.root",
    "LogReader": "kafka.log.log_reader",
    "follow": "follow",
    "grep": "grep",
    "merge": "salvage",
    "salvage": "salvage",
    "salvage_in_place": "salvage",
    "undo_salvage": "salvage",
    "scan": "columns.scanning",
    "stats": "stats",
    "check": "check.checker",
    "diff": "diff.comparison",
}

if TYPE_CHECKING:
    from kformat.check.checker import check as check
    from kformat.codec.constructs import build as build
    from kformat.codec.constructs import construct_of as construct_of
    from kformat.codec.extensions import register_process as register_process
    from kformat.codec.extensions import register_type as register_type
    from kformat.codec.json_form import from_json as from_json
    from kformat.codec.json_form import to_json as to_json
    from kformat.columns.scanning import scan as scan
    from kformat.diff.comparison import diff as diff
    from kformat.follow import follow as follow
    from kformat.generated.parsing import parse as parse
    from kformat.grep import grep as grep
    from kformat.kafka.batch.batches import iter_batches as iter_batches
    from kformat.kafka.batch.batches import read_batch_headers as read_batch_headers
    from kformat.kafka.batch.records import Batch as Batch
    from kformat.kafka.batch.records import Record as Record
    from kformat.kafka.columns.batch_builder import build_batches as build_batches
    from kformat.kafka.columns.log_values import json_schema as json_schema
    from kformat.kafka.log.log_reader import LogReader as LogReader
    from kformat.kafka.log.partition import iter_partitions as iter_partitions
    from kformat.kafka.log.partition import open_partition
    from kformat.kafka.log.root import open_root as open_root
    from kformat.language.describe import describe as describe
    from kformat.language.program import load_declaration as load_declaration
    from kformat.language.program import parse_declaration as parse_declaration
    from kformat.language.shipped import shipped_names as shipped_names
    from kformat.salvage import merge as merge
    from kformat.salvage import salvage as salvage
    from kformat.salvage import salvage_in_place as salvage_in_place
    from kformat.salvage import undo_salvage as undo_salvage
    from kformat.stats import stats as stats

    open = open_partition

__all__ = sorted([*_WHERE, "errors"])
__version__ = "0.1.0.dev0"

_register(lambda: importlib.import_module("kformat.kafka.batch.compression"))

_RENAMED = {"open": "open_partition"}


def __getattr__(name: str) -> Any:
    module = _WHERE.get(name)
    if module is None:
        raise AttributeError(f"module 'kformat' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"kformat.{module}"), _RENAMED.get(name, name))
    globals()[name] = value
    return value


class _Door(ModuleType):
    """Keeps `kformat.grep` the function. Without it, `import kformat.grep` would replace it with the module."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _WHERE and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """By its name: functions that Spark sends to its workers may use this module."""
        return importlib.import_module, (self.__name__,)


sys.modules[__name__].__class__ = _Door


def __dir__() -> list[str]:
    return [*__all__, "__all__", "__doc__", "__file__", "__name__", "__path__", "__version__"]
