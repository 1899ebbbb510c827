"""An embedded log in Kafka's files: append, read, look up by offset and by time, in a directory that a broker opens.

    with Log.open("data/orders-0", LogConfig(segment_bytes=64 << 20)) as log:
        first = log.append([(b"key", b"value"), b"a value alone"])
        for record in log.records(first): ...
        log.offset_for_timestamp(1526384718288)

    with kformat.LogReader.open("data/orders-0") as reader:      # in any process, without the lock
        for record in reader.records(follow=True): ...

    async with AsyncLog.open("data/orders-0") as log:            # for asyncio
        await log.append([b"value"])

Names are loaded on first use, so that ``import kformat_engine`` is cheap. Assumptions about disks, guarantees of each
sync policy and limitations are in engine/README.md.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from kformat.lazy_names import lazy_names
from kformat_engine import errors as errors

if TYPE_CHECKING:
    from kformat.kafka.log.fetched import Fetched as Fetched
    from kformat.kafka.log.fetched import TimestampOffset as TimestampOffset
    from kformat_engine.aio import AsyncLog as AsyncLog
    from kformat_engine.aio import AsyncLogTransaction as AsyncLogTransaction
    from kformat_engine.aio import AsyncProducer as AsyncProducer
    from kformat_engine.aio_manager import AsyncLogManager as AsyncLogManager
    from kformat_engine.aio_manager import AsyncTransaction as AsyncTransaction
    from kformat_engine.cleaner import Cleaner as Cleaner
    from kformat_engine.cleaner import CleanerConfig as CleanerConfig
    from kformat_engine.cleaner import Compaction as Compaction
    from kformat_engine.config import LogConfig as LogConfig
    from kformat_engine.log import Log as Log
    from kformat_engine.log_metrics import LogMetrics as LogMetrics
    from kformat_engine.log_search import SegmentInfo as SegmentInfo
    from kformat_engine.manager import LogManager as LogManager
    from kformat_engine.manager import LogManagerMetrics as LogManagerMetrics
    from kformat_engine.manager import PartitionPlace as PartitionPlace
    from kformat_engine.producer import Producer as Producer
    from kformat_engine.recovery.report import RecoveryReport as RecoveryReport
    from kformat_engine.root import Root as Root
    from kformat_engine.transactions import LogTransaction as LogTransaction
    from kformat_engine.transactions import Transaction as Transaction

_WHERE = {
    "AsyncLog": "kformat_engine.aio",
    "AsyncLogManager": "kformat_engine.aio_manager",
    "AsyncLogTransaction": "kformat_engine.aio",
    "AsyncProducer": "kformat_engine.aio",
    "AsyncTransaction": "kformat_engine.aio_manager",
    "Cleaner": "kformat_engine.cleaner",
    "CleanerConfig": "kformat_engine.cleaner",
    "Compaction": "kformat_engine.cleaner",
    "Fetched": "kformat.kafka.log.fetched",
    "Log": "kformat_engine.log",
    "LogConfig": "kformat_engine.config",
    "LogManager": "kformat_engine.manager",
    "LogManagerMetrics": "kformat_engine.manager",
    "LogMetrics": "kformat_engine.log_metrics",
    "Producer": "kformat_engine.producer",
    "RecoveryReport": "kformat_engine.recovery.report",
    "LogTransaction": "kformat_engine.transactions",
    "PartitionPlace": "kformat_engine.manager",
    "Root": "kformat_engine.root",
    "SegmentInfo": "kformat_engine.log_search",
    "TimestampOffset": "kformat.kafka.log.fetched",
    "Transaction": "kformat_engine.transactions",
}

logging.getLogger(__name__).addHandler(logging.NullHandler())  # silent, unless a program configures logging

__all__ = sorted([*_WHERE, "errors"])

if not TYPE_CHECKING:  # to type checkers it would say that there is any name
    __getattr__, __dir__ = lazy_names(__name__, _WHERE)
