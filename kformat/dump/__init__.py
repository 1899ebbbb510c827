"""Dump a segment's files as text and as plain objects.

The text on standard output is that of Kafka's own tool (DumpLogSegments, `kafka-dump-log.sh`) in 4.4.0, byte for byte;
the tool's reports on standard error are collected in a `DumpReport`. `items` reads a file, `text_lines` and `objects`
format the items; `text` gives the same text as `text_lines` of `items`, but decodes many lines at once by columns.
Everything is read lazily; memory grows with one batch, not with the file.

Differences from the tool:

* Nothing is written. (The tool truncates an index of odd length to whole entries, and creates a missing one.)
* Damage is reported and the dump continues after it; the tool ends with a stack trace. A batch with a wrong checksum is
  printed, as the tool does, and reported; a batch that cannot be read to its end is printed up to the damage.
* The indexes need no other file. The `.log` next to them is read only for the reports.
* A batch, stored or decompressed, may have `kformat.storage.compression.DEFAULT_INFLATE_LIMIT` bytes, and so may a
  producer snapshot. A producer snapshot with a wrong checksum prints nothing, as in the tool, and so does a transaction
  index with an entry whose version is not 0. (Up to 4.3 the tool looks at the first byte of a version only.)

Sources: Kafka's DumpLogSegments, FileLogInputStream, OffsetIndex and TimeIndex (`sanityCheck`), TransactionIndex,
ProducerStateManager (`readSnapshot`).
"""

from kformat.dump.columns import text
from kformat.dump.flat import objects
from kformat.dump.inputs import Item, is_known, items, shown_path
from kformat.dump.java import java_text
from kformat.dump.lines import text_lines
from kformat.dump.report import MAX_BYTES, DumpReport, Options

__all__ = [
    "MAX_BYTES",
    "DumpReport",
    "Item",
    "Options",
    "is_known",
    "items",
    "java_text",
    "objects",
    "shown_path",
    "text",
    "text_lines",
]
