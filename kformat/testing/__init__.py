"""For tests of programs that read or write what Kafka has on its disks, or any declared format.

    from kformat.testing import batches, damaged, logs        # hypothesis strategies
    kformat.testing.write_log(folder, records=[b"one"])       # what the fixture `kafka_log` calls

    @given(logs())
    def test_my_reader(log):
        assert my_reader(log.data) == [record.value for record in log.records]

    @given(files_of("x.ksy"))                                 # any declared format
    def test_my_other_reader(file):
        assert my_other_reader(file.data) == file.value

The strategies need hypothesis, and the pytest plugin, which is there wherever kformat is installed, pytest; the extra
``testing`` brings both. Whatever is drawn or written is sound unless it says that it is damaged: Kafka reads it, and
`kformat check` finds nothing. Names are loaded when they are first used, so that the plugin costs a test run nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kformat.lazy_names import lazy_names

_WHERE = {
    "batches": "kformat.testing.strategies",
    "damage": "kformat.testing.strategies",
    "damaged": "kformat.testing.strategies",
    "declared_corpus": "kformat.testing.any_format",
    "files_of": "kformat.testing.any_format",
    "index_files": "kformat.testing.strategies",
    "legacy_messages": "kformat.testing.strategies",
    "logs": "kformat.testing.strategies",
    "message_sets": "kformat.testing.strategies",
    "partitions": "kformat.testing.strategies",
    "records": "kformat.testing.strategies",
    "values_of": "kformat.testing.any_format",
    "DAMAGES": "kformat.corpus.edits",
    "Damaged": "kformat.corpus.edits",
    "DrawnFile": "kformat.testing.any_format",
    "IndexFiles": "kformat.testing.objects",
    "DrawnLog": "kformat.testing.objects",
    "LogPart": "kformat.testing.objects",
    "DrawnPartition": "kformat.testing.objects",
    "ProducerTransaction": "kformat.testing.files",
    "log_files": "kformat.testing.files",
    "segment_files": "kformat.testing.files",
    "write_log": "kformat.testing.files",
    "write_segment": "kformat.testing.files",
}

if TYPE_CHECKING:
    from kformat.corpus.edits import DAMAGES as DAMAGES
    from kformat.corpus.edits import Damaged as Damaged
    from kformat.testing.any_format import DrawnFile as DrawnFile
    from kformat.testing.any_format import declared_corpus as declared_corpus
    from kformat.testing.any_format import files_of as files_of
    from kformat.testing.any_format import values_of as values_of
    from kformat.testing.files import ProducerTransaction as ProducerTransaction
    from kformat.testing.files import log_files as log_files
    from kformat.testing.files import segment_files as segment_files
    from kformat.testing.files import write_log as write_log
    from kformat.testing.files import write_segment as write_segment
    from kformat.testing.objects import DrawnLog as DrawnLog
    from kformat.testing.objects import DrawnPartition as DrawnPartition
    from kformat.testing.objects import IndexFiles as IndexFiles
    from kformat.testing.objects import LogPart as LogPart
    from kformat.testing.strategies import batches as batches
    from kformat.testing.strategies import damage as damage
    from kformat.testing.strategies import damaged as damaged
    from kformat.testing.strategies import index_files as index_files
    from kformat.testing.strategies import legacy_messages as legacy_messages
    from kformat.testing.strategies import logs as logs
    from kformat.testing.strategies import message_sets as message_sets
    from kformat.testing.strategies import partitions as partitions
    from kformat.testing.strategies import records as records

__all__ = sorted(_WHERE)
if not TYPE_CHECKING:  # to type checkers it would say that there is any name
    __getattr__, __dir__ = lazy_names(__name__, _WHERE)
