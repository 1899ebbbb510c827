"""What lies in a segment's files, as text and as plain objects.

The text is that of Kafka's own tool (DumpLogSegments, `kafka-dump-log.sh`) in 4.3.1, byte for byte on standard output;
what that tool reports on standard error is collected in a `Report`. `items` reads a file, `text_lines` and `objects`
say what was read; `text` is the same text as `text_lines` of `items`, many lines at once by columns. Everything is read
as it is asked for; memory grows with one batch, not with the file.

Rules, where the tool has none:

* Nothing is written. (The tool cuts an index of odd length to whole entries, and creates a missing one.)
* Damage goes to the report and the dump goes on after it, where the tool ends with a stack trace. A batch with a
  wrong checksum is printed, as the tool does; of a batch that cannot be read to its end, the records in front.
* The indexes need no other file. The `.log` next to them is looked at for the reports alone.
* A batch, stored or inflated, may take `kformat.storage.compression.DEFAULT_INFLATE_LIMIT` bytes, and a producer
  snapshot as many. Of a producer snapshot with a wrong checksum nothing is printed, as the tool does.

Sources: Kafka's DumpLogSegments, FileLogInputStream, OffsetIndex and TimeIndex (`sanityCheck`), TransactionIndex,
ProducerStateManager (`readSnapshot`).
"""

from kformat.dump.columns import text
from kformat.dump.flat import objects
from kformat.dump.inputs import Item, is_known, items, shown_path
from kformat.dump.lines import java_text, text_lines
from kformat.dump.report import MAX_BYTES, Options, Report

__all__ = [
    "MAX_BYTES",
    "Item",
    "Options",
    "Report",
    "is_known",
    "items",
    "java_text",
    "objects",
    "shown_path",
    "text",
    "text_lines",
]
