"""Kafka's on-disk formats. They are declared once, in ``formats/*.ksy``; all code is derived from the declarations.

    batch = kformat.parse("record_batch", data)       # attributes in Kafka's words
    kformat.build("record_batch", batch)              # bytes again; lengths, counts and checksum computed
    print(kformat.describe("record_batch"))           # position, size, type, name, meaning
    for record in kformat.open("orders-0").records(): ...
    for partition in kformat.open_root("/data/kafka-logs"): ...
    for record in kformat.LogReader.open("orders-0").records(follow=True): ...
    for record in kformat.grep("orders-0", "needle"): ...
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
from kformat.lazy_names import lazy_names
from kformat.storage.codecs import register as _register

_WHERE = {
    "parse": "kformat.codec.constructs",
    "build": "kformat.columns.build",
    "build_batches": "kformat.kafka.columns.batch_builder",
    "construct_of": "kformat.codec.constructs",
    "describe": "kformat.language.describe",
    "to_json": "kformat.codec.json_form",
    "from_json": "kformat.codec.json_form",
    "json_schema": "kformat.kafka.columns.log_values",
    "load_declaration": "kformat.language.program",
    "parse_declaration": "kformat.language.program",
    "shipped_names": "kformat.language.shipped",
    "iter_batches": "kformat.kafka.batch.batches",
    "read_batch_headers": "kformat.kafka.batch.batches",
    "Record": "kformat.kafka.batch.records",
    "Batch": "kformat.kafka.batch.records",
    "register_checksum": "kformat.codec.extensions",
    "register_process": "kformat.codec.extensions",
    "register_type": "kformat.codec.extensions",
    "open": "kformat.kafka.log.partition:open_partition",
    "iter_partitions": "kformat.kafka.log.partition",
    "open_root": "kformat.kafka.root",
    "AsyncLogReader": "kformat.kafka.log.async_reader",
    "LogReader": "kformat.kafka.log.log_reader",
    "Cursor": "kformat.kafka.log.log_reader",
    "follow": "kformat.follow",
    "grep": "kformat.grep",
    "merge": "kformat.salvage",
    "salvage": "kformat.salvage",
    "salvage_files": "kformat.salvage.declared",
    "salvage_in_place": "kformat.salvage",
    "undo_salvage": "kformat.salvage",
    "scan": "kformat.columns.scanning",
    "stats": "kformat.stats",
    "check": "kformat.check.checker",
    "diff": "kformat.diff.comparison",
}

if TYPE_CHECKING:
    from kformat.check.checker import check as check
    from kformat.codec.constructs import construct_of as construct_of
    from kformat.codec.extensions import register_checksum as register_checksum
    from kformat.codec.extensions import register_process as register_process
    from kformat.codec.extensions import register_type as register_type
    from kformat.codec.json_form import from_json as from_json
    from kformat.codec.json_form import to_json as to_json
    from kformat.columns.build import build as build
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
    from kformat.kafka.log.async_reader import AsyncLogReader as AsyncLogReader
    from kformat.kafka.log.log_reader import Cursor as Cursor
    from kformat.kafka.log.log_reader import LogReader as LogReader
    from kformat.kafka.log.partition import iter_partitions as iter_partitions
    from kformat.kafka.log.partition import open_partition
    from kformat.kafka.root import open_root as open_root
    from kformat.language.describe import describe as describe
    from kformat.language.program import load_declaration as load_declaration
    from kformat.language.program import parse_declaration as parse_declaration
    from kformat.language.shipped import shipped_names as shipped_names
    from kformat.salvage import merge as merge
    from kformat.salvage import salvage as salvage
    from kformat.salvage import salvage_in_place as salvage_in_place
    from kformat.salvage import undo_salvage as undo_salvage
    from kformat.salvage.declared import salvage_files as salvage_files
    from kformat.stats import stats as stats

    open = open_partition

__all__ = sorted([*_WHERE, "errors"])
__version__ = "0.1.0.dev0"

_register(lambda: importlib.import_module("kformat.kafka.batch.compression"))

if not TYPE_CHECKING:  # to type checkers it would say that there is any name
    __getattr__, __dir__ = lazy_names(__name__, _WHERE)


class _Door(ModuleType):
    """Keeps `kformat.grep` the function. Without it, `import kformat.grep` would replace it with the module."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _WHERE and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """By its name: functions that Spark sends to its workers may use this module."""
        return importlib.import_module, (self.__name__,)


sys.modules[__name__].__class__ = _Door
