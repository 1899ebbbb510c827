"""Every kind of disagreement that is known: how it is recognised, what it is, and why kformat does as it does.

A class belongs to readers and matches a `Difference`. The first that matches has it, so the narrow ones stand in front
of the wide ones. A disagreement with Kafka itself is a class with the reader "Kafka": such a one needs a reason for
which kformat is stricter, in ``ours``. What the classes say is the text of docs/differences.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from kformat.codec.trace import Span, trace
from kformat.errors import DataError
from kformat.integers import wrapped_int64
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.framing import CURRENT_MAGIC
from tests.damages import patched
from tests.differential.compare import HAZARD, HEADER, ONLY_THEY, ONLY_WE, VALUES, Difference
from tests.differential.inputs import log_format

Predicate = Callable[[Difference], bool]

KAFKA: Final = ("Kafka",)
WITNESS: Final = ("witness",)
PARSE: Final = ("kformat.parse",)
PYTHON: Final = ("kafka-python", "aiokafka (Python)")
C: Final = ("aiokafka",)
AIOKAFKA: Final = ("aiokafka", "aiokafka (Python)")
PEERS: Final = ("kafka-python", "aiokafka", "aiokafka (Python)")


@dataclass(frozen=True)
class Class:
    """One kind of disagreement.

    ``what``: what lies there. ``theirs``: what the other reader does. ``ours``: what kformat does, and why; of a class
    of "Kafka" the reason for being stricter.
    """

    name: str
    readers: tuple[str, ...]
    matches_also: Predicate
    what: str
    theirs: str
    ours: str

    def matches(self, difference: Difference) -> bool:
        """Whether the disagreement is of this class."""
        return difference.reader in self.readers and self.matches_also(difference)


# --- what predicates ask ----------------------------------------------------------------------------------------------


def kind(*kinds: str) -> Predicate:
    """A difference of one of these kinds."""
    return lambda difference: difference.kind in kinds


def ours(pattern: str) -> Predicate:
    """kformat's complaint matches."""
    found = re.compile(pattern)
    return lambda difference: isinstance(difference.ours, str) and found.search(difference.ours) is not None


def theirs(pattern: str) -> Predicate:
    """The other's complaint matches."""
    found = re.compile(pattern)
    return lambda difference: isinstance(difference.theirs, str) and found.search(difference.theirs) is not None


def every(*predicates: Predicate) -> Predicate:
    """All of them."""
    return lambda difference: all(predicate(difference) for predicate in predicates)


def either(*predicates: Predicate) -> Predicate:
    """One of them."""
    return lambda difference: any(predicate(difference) for predicate in predicates)


def header(name: str, test: Callable[[Any], bool]) -> Predicate:
    """A header field of the batch, as kformat reads it; False where the batch has no such field."""

    def matches(difference: Difference) -> bool:
        found = None if difference.batch is None else difference.batch.header.get(name)
        return found is not None and test(found)

    return matches


def of(format: str) -> Predicate:
    """A case of that format."""
    return lambda difference: difference.case.format == format


def fact(name: str) -> Predicate:
    """Something that `facts` knows of the bytes."""
    return lambda difference: name in facts(difference.case.data)


@lru_cache(maxsize=4)
def facts(data: bytes) -> frozenset[str]:
    """What lies in the batches of a log: found by `trace`, as far as they can be read."""
    found: set[str] = set()
    try:
        for batch in iter_batches(data):
            raw = patched(batch.raw, magic=CURRENT_MAGIC) if batch.magic > CURRENT_MAGIC else batch.raw
            found.update(_facts(trace(log_format(min(batch.magic, CURRENT_MAGIC)), raw)))
    except DataError:
        pass
    return frozenset(found)


def _facts(spans: Iterable[Span]) -> Iterable[str]:
    magic = None
    for span in spans:
        name = span.path.rpartition(".")[2]
        if not isinstance(span.value, int):
            continue
        if name == "magic":
            magic = span.value if magic is None else magic
            if magic != span.value:
                yield "another magic inside"
        if name in ("key_length", "value_length") and span.value < -1:
            yield "length below -1"
        elif name == "attributes" and "records[" in span.path and span.value < 0:
            yield "high bit of a record's attributes"
        elif span.declared is not None and _has_excess(span, name):
            yield "excess bits"


def _has_excess(span: Span, name: str) -> bool:
    """Whether a varint of the largest size has bits that do not belong to the number."""
    if "records[" not in span.path:
        return False
    size, allowed = (10, 1) if name == "timestamp_delta" else (5, 0x0F)
    return span.size == size and span.data[-1] & 0x7F > allowed


def _prefix(difference: Difference) -> bool:
    """Kafka's records begin with those that kformat yields before it complains."""
    batch = difference.batch
    return batch is not None and difference.theirs[: len(batch.records)] == batch.records


def _same_records(difference: Difference) -> bool:
    """Kafka's records are those that kformat yields before it complains."""
    return difference.batch is not None and difference.theirs == difference.batch.records


def _only_text(difference: Difference) -> bool:
    """Headers that differ in keys which are not UTF-8, and in nothing else."""
    pairs = list(zip(difference.ours, difference.theirs, strict=False))
    return len(difference.ours) == len(difference.theirs) and all(
        one == other or (one[1] == other[1] and _no_utf8(one[0]) and "\ufffd" in other[0]) for one, other in pairs
    )


def _no_utf8(text: str) -> bool:
    return any("\udc80" <= letter <= "\udcff" for letter in text)


def _wraps(difference: Difference) -> bool:
    """Kafka's long wraps at 64 bits, Python's int does not."""
    return difference.ours != difference.theirs and difference.ours == wrapped_int64(difference.theirs)


def _backwards(difference: Difference) -> bool:
    """Last sequence of a batch whose last offset delta is negative or leads beyond an int."""
    return (difference.ours - difference.theirs) % 2**31 == 0


def _another_magic(difference: Difference) -> bool:
    """The magic is not one of the declaration that the case was parsed as."""
    magic = difference.batch.header["magic"] if difference.batch is not None else None
    wanted = (2,) if difference.case.format == "record_batch" else (0, 1)
    return magic not in wanted


LEGACY: Final = r"legacy_message\.message\."
INNER: Final = LEGACY + r"message_set\.messages\[\d+\]\."
PAST: Final = "runs past the end"
LZ4_MAGIC: Final = bytes.fromhex("04224d18")

# --- the classes ------------------------------------------------------------------------------------------------------

CLASSES: Final[tuple[Class, ...]] = (
    # Kafka
    Class(
        "header key that is not UTF-8",
        KAFKA,
        every(kind(VALUES), lambda d: d.name == "headers" and _only_text(d)),
        "The bytes of a header's key are not UTF-8.",
        "Replaces what it cannot decode with U+FFFD; the bytes are lost.",
        "The bytes are kept as lone surrogates (PEP 383), so that building gives them back.",
    ),
    Class(
        "voter's name that is not UTF-8",
        KAFKA,
        every(
            of("voters_record"),
            kind(VALUES),
            lambda d: "\\udc" in repr(d.ours) and "\ufffd" in repr(d.theirs),
        ),
        "The bytes of a listener's name or host are not UTF-8.",
        "Replaces what it cannot decode with U+FFFD; the bytes are lost.",
        "The bytes are kept as lone surrogates (PEP 383), so that building gives them back.",
    ),
    Class(
        "message longer than its key and value",
        KAFKA,
        every(kind(ONLY_THEY), ours(LEGACY + r"end_of_message: bytes are left over")),
        "Bytes lie between the end of a message's value and the end of the message.",
        "Ignores them.",
        "An error (strict on purpose): nobody writes such a message, and kformat loses nothing silently.",
    ),
    Class(
        "message in a wrapper longer than its key and value",
        KAFKA,
        every(kind(ONLY_THEY), ours(INNER + r"message\.end_of_message: bytes are left over"), _prefix),
        "The same in a message inside a wrapper.",
        "Ignores the bytes.",
        "The records before it, then an error (strict on purpose).",
    ),
    Class(
        "message cut off at the end of a wrapper",
        KAFKA,
        every(kind(ONLY_THEY), ours(INNER + rf"(message|offset|message_size): {PAST}"), _same_records),
        "The last message in a wrapper is incomplete.",
        "Stops silently, as at the end of a file that is being written.",
        "The same records, then an error (strict on purpose): a wrapper is compressed whole, so something is lost.",
    ),
    Class(
        "magic in a wrapper that does not exist",
        KAFKA,
        every(kind(ONLY_THEY), ours(INNER + r"message\.magic: a value that is not allowed"), _prefix),
        "A message in a wrapper has a magic other than 0 and 1.",
        "Reads it as magic 1.",
        "An error (strict on purpose): such bytes have no defined meaning.",
    ),
    Class(
        "gzip header with reserved flags",
        KAFKA,
        every(kind(ONLY_THEY), ours("unknown header flags")),
        "Flags that the gzip format reserves are set.",
        "Java's library ignores them.",
        "An error (strict on purpose): a flag may announce fields that would be read as data.",
    ),
    Class(
        "torn frame after a zstd frame",
        KAFKA,
        every(kind(ONLY_THEY), ours("zstd: the payload ends within")),
        "The last whole zstd frame is followed by the beginning of another.",
        "The library ignores it.",
        "An error (strict on purpose): the torn frame may have held records.",
    ),
    Class(
        "leader change of another version than 0",
        KAFKA,
        every(of("leader_change_message"), lambda d: d.case.data[:2] != bytes(2)),
        "A leader change has version 1 or higher, or a negative version.",
        "Reads every version as version 0; it has never written another.",
        "Read as Kafka's schema of the message has it on purpose: since version 1 voters have a directory id, and "
        "versions are not negative.",
    ),
    Class(
        "version of an aborted transaction",
        KAFKA,
        every(of("transaction_index"), kind(ONLY_THEY), ours(r"entries\[\d+\]\.version: a value that is not allowed")),
        "The file ends within an entry whose version is not 0.",
        "Reads only the entries before it. (Up to 4.3 it accepts whole ones, too: it checks the version's first byte.)",
        "An error (strict on purpose): there is no other version, so the index is damaged.",
    ),
    Class(
        "half an entry of a transaction index",
        KAFKA,
        every(of("transaction_index"), kind(ONLY_THEY), ours("^TruncatedError")),
        "The file ends within an entry.",
        "Reads only the entries before it.",
        "An error (strict on purpose), with the entries before it.",
    ),
    Class(
        "bytes after a producer snapshot",
        KAFKA,
        every(of("producer_snapshot"), kind(ONLY_THEY), ours("end_of_entries: bytes are left over")),
        "Bytes follow the last entry; the checksum is right.",
        "Ignores them.",
        "An error (strict on purpose): kformat loses nothing silently.",
    ),
    # The witness
    Class(
        "text that is not UTF-8",
        WITNESS,
        every(kind(ONLY_WE), theirs("^text")),
        "The bytes of a field that is declared as text are not UTF-8.",
        "Refuses them with Python's own decoding error.",
        "Kept as lone surrogates (PEP 383), as Kafka keeps on reading.",
    ),
    # kformat.parse compared with kformat's batches
    Class(
        "another magic",
        PARSE,
        every(kind(ONLY_WE), _another_magic),
        "The magic is not that of the format that the caller names, or is above 2 and unknown.",
        "Refuses it: the declaration names its magic.",
        "`iter_batches` uses the magic in the bytes, and reads one above 2 as magic 2, as Kafka does.",
    ),
    Class(
        "wrong checksum",
        PARSE,
        every(kind(ONLY_WE), theirs(r"^ChecksumError (record_batch|legacy_message\.message)\.crc")),
        "The stored checksum does not match the bytes.",
        "Refuses it, unless `checksums=False` is given.",
        "`Batch.records` reads on; `is_valid` is false. Kafka separates the two as well.",
    ),
    Class(
        "wrong checksum in a wrapper",
        PARSE,
        every(kind(ONLY_WE), theirs("^ChecksumError " + INNER)),
        "The checksum of a message in a wrapper does not match its bytes.",
        "Refuses it, unless `checksums=False` is given.",
        "`LegacyBatch.records` reads on; `messages` reports each. Kafka ignores them.",
    ),
    Class(
        "payload of an empty batch",
        PARSE,
        every(
            kind(ONLY_WE),
            header("records_count", lambda count: count == 0),
            theirs("^(Compression|Invalid)Error record_batch"),
        ),
        "`records_count` is 0, and bytes follow, or a codec is named and what follows cannot be decompressed.",
        "Refuses it: bytes are left over, or nothing can be decompressed.",
        "`Batch.records` returns no record, as Kafka, which then ignores the payload.",
    ),
    Class(
        "rule that no declaration can state",
        PARSE,
        every(
            kind(ONLY_THEY),
            ours(
                LEGACY + r"(message_set\.messages: the last message's number is above|value_length: a wrapper without"
                r"|message_set\.messages: a wrapper without|.*compressed messages inside of compressed messages)"
            ),
        ),
        "A wrapper without messages, with compressed ones, or with numbers that lead below offset 0.",
        "Reads it: each field has an allowed value.",
        "`LegacyBatch.records` refuses it, as Kafka does.",
    ),
    # The peers: what they cannot be asked
    Class(
        "sizes in a wrapper that lead in a circle",
        PEERS,
        every(kind(HAZARD), lambda d: d.name == "hangs"),
        "The size of a message in a wrapper is -12, or others lead back to where the reader has been.",
        "Never ends. The Python readers collect messages until there is no memory left; none is asked here.",
        "Refused at the first size below 14, as Kafka refuses it.",
    ),
    Class(
        "memory that is not the batch's",
        C,
        every(kind(HAZARD), lambda d: d.name == "memory"),
        "A frame shorter than the header of its magic, or sizes in a wrapper that lead out of it.",
        "The C extension reads outside its buffer; it is not asked here.",
        "Refused, as Kafka refuses it.",
    ),
    # The peers: text and batches of magic 2
    Class(
        "header key that is not UTF-8, refused",
        PEERS,
        every(kind(ONLY_WE), theirs("utf-8|UnicodeDecodeError")),
        "The bytes of a header's key are not UTF-8.",
        "Refuse the record, and with it the batch.",
        "Read, as Kafka reads it; the bytes are kept (see above).",
    ),
    Class(
        "high bit of a record's attributes",
        PEERS,
        fact("high bit of a record's attributes"),
        "The attributes of a record, a byte that nobody uses, are 0x80 or more.",
        "Read the byte as the beginning of a varint, and the rest of the record one byte too late.",
        "One byte, whatever it holds, as for Kafka.",
    ),
    Class(
        "excess bits of a varint",
        PEERS,
        fact("excess bits"),
        "The last possible byte of a varint has bits that do not fit into the number.",
        "Read 64 bits (in Python, any number) where Kafka reads 32; other lengths, counts and offsets come out.",
        "The bits are dropped, as by Kafka.",
    ),
    Class(
        "varint of more than five bytes",
        PEERS,
        every(kind(ONLY_THEY), ours(r"record_batch.*: a varint that does not end")),
        "A varint of 32 bits takes more than five bytes.",
        "Read all varints as 64 bits, of up to ten bytes.",
        "Refused, as by Kafka.",
    ),
    Class(
        "negative count of records",
        PEERS,
        every(kind(ONLY_THEY), header("records_count", lambda count: count < 0)),
        "`records_count` is negative.",
        "Read it as 0; they refuse a payload if there is one.",
        "Refused, as by Kafka.",
    ),
    Class(
        "payload of an empty batch, refused",
        PEERS,
        every(kind(ONLY_WE), header("records_count", lambda count: count == 0)),
        "`records_count` is 0, and a payload follows, or a codec is named.",
        "Refuse it, as `kformat.parse` does.",
        "`Batch.records` gives no record, as Kafka.",
    ),
    Class(
        "numbers beyond 64 bits",
        PYTHON,
        either(
            every(kind(HEADER), lambda d: d.name == "last_offset" and _wraps(d)),
            every(kind(VALUES), lambda d: d.name in ("offset", "timestamp") and _wraps(d)),
        ),
        "A base and its delta add up to more than an int64 holds.",
        "Give a number that no int64 holds.",
        "Wraps around, as Java's long does.",
    ),
    Class(
        "last sequence beyond an int",
        ("kafka-python",),
        every(kind(HEADER), lambda d: d.name == "last_sequence" and _backwards(d)),
        "`last_offset_delta` is negative, or leads further than sequence numbers go.",
        "Computes without the limits of an int.",
        "Wraps around, as Java's int does.",
    ),
    Class(
        "control batch without a control key",
        ("kafka-python",),
        every(kind(ONLY_WE), header("is_control", bool), theirs("unpack requires a buffer|bytes-like object")),
        "A batch is marked as a control batch, but the key of a record in it is missing or too short.",
        "Looks at the key while it reads, and fails with an error that is not its own.",
        "The record is read, as by Kafka; `parse_control_record` refuses its key.",
    ),
    Class(
        "negative magic",
        PEERS,
        every(kind(ONLY_THEY), ours("record_batch.magic: no batch of any magic")),
        "The magic is below 0.",
        "Read a message of magic 0 or 1.",
        "Refused, as by Kafka.",
    ),
    # The peers: payloads
    Class(
        "bytes after a gzip member",
        PEERS,
        every(kind(ONLY_WE), theirs("BadGzipFile|EOFError: Compressed file ended")),
        "The last whole gzip member is followed by other bytes, or by the beginning of another member.",
        "Refuse the batch.",
        "Ignored, as by Java's library.",
    ),
    Class(
        "bytes after an lz4 frame",
        PEERS,
        every(kind(ONLY_WE), theirs(r"lz4: (ERROR_frameType_unknown|truncated frame)|LZ4F_getFrameInfo failed")),
        "Bytes that are not a frame follow the end mark of the lz4 frame.",
        "Refuse the batch.",
        "Ignored, as by Kafka, which stops at the end mark.",
    ),
    Class(
        "lz4 frame of another kind",
        PEERS,
        every(kind(ONLY_THEY), ours("^CompressionError .*: lz4: (dependent|reserved|unsupported|the header checksum)")),
        "The frame has dependent blocks, or something else that the frame format knows and Kafka's reader does not.",
        "Read it.",
        "Refused, as by Kafka.",
    ),
    Class(
        "lz4 content size and checksum",
        PEERS,
        every(kind(ONLY_WE), header("compression", lambda codec: codec == "lz4"), theirs("lz4: |LZ4F_")),
        "The header of an lz4 frame announces a content size or checksum, which is wrong or is not there.",
        "Refuse the batch.",
        "Ignores both, as Kafka does.",
    ),
    Class(
        "second lz4 frame",
        AIOKAFKA,
        every(header("compression", lambda codec: codec == "lz4"), lambda d: d.case.data.count(LZ4_MAGIC) > 1),
        "Another frame follows the end mark of the lz4 frame.",
        "Reads both.",
        "Ends at the end mark, as Kafka and kafka-python do.",
    ),
    Class(
        "first header of a snappy stream",
        PEERS,
        every(
            kind(ONLY_WE),
            header("compression", lambda codec: codec == "snappy"),
            theirs("snappy|UncompressError|unpack_from"),
        ),
        "The versions in the header of the xerial framing are not 1, or a few bytes at its end are not a block.",
        "Read the stream as raw snappy, or refuse the bytes at its end.",
        "Ignores both, as snappy-java does.",
    ),
    Class(
        "gzip header with reserved flags, read",
        PEERS,
        every(kind(ONLY_THEY), ours("unknown header flags")),
        "Flags that the gzip format reserves are set.",
        "Ignore them.",
        "An error (strict on purpose, see above).",
    ),
    Class(
        "lz4 in messages of magic 0",
        AIOKAFKA,
        every(kind(ONLY_WE), theirs("LZ4 is not supported for broker version")),
        "A wrapper of magic 0 is compressed with lz4.",
        "Refuse it.",
        "Read, with the header checksum that Kafka 0.8 wrote, as by Kafka.",
    ),
    Class(
        "end of a payload",
        PEERS,
        every(kind(ONLY_THEY), ours(r"^CompressionError .*the payload ends within")),
        "A compressed payload ends too early.",
        "Return what was decompressed so far, if anything, as the whole.",
        "Refused, as by Kafka: records are missing.",
    ),
    # The peers: messages of magic 0 and 1
    Class(
        "length below -1",
        PEERS,
        fact("length below -1"),
        "The length of a message's key or value is negative, but not -1.",
        "Go back that many bytes and read there (Python), or fail with a SystemError (C).",
        "Null, as for Kafka.",
    ),
    Class(
        "length beyond the message",
        PEERS,
        every(kind(ONLY_THEY), ours(LEGACY + rf".*(key|value|message_set|key_length|value_length): {PAST}")),
        "The length of a key or value leads beyond its message.",
        "Return the bytes up to the end, or bytes of the next message.",
        "Refused, as by Kafka.",
    ),
    Class(
        "message longer than its key and value, passed over",
        PEERS,
        every(
            kind(ONLY_THEY),
            ours(LEGACY + r"(message_set\.messages\[\d+\]\.message\.)?end_of_message: bytes are left over"),
        ),
        "Bytes lie between the end of a message's value and the end of the message.",
        "Ignore them, except that the C extension reads them in a wrapper as the next message.",
        "An error (strict on purpose, see above).",
    ),
    Class(
        "message cut off at the end of a wrapper, read",
        PEERS,
        every(kind(ONLY_THEY), ours(INNER + rf"(message|offset|message_size): {PAST}")),
        "The last message in a wrapper is incomplete.",
        "Return the part as a whole message.",
        "The records that Kafka returns, then an error (strict on purpose, see above).",
    ),
    Class(
        "wrapper without messages",
        PEERS,
        every(kind(ONLY_THEY), ours("a wrapper without messages")),
        "A wrapper's value decompresses to nothing.",
        "Return no record (for magic 1 the Python readers fail).",
        "Refused, as by Kafka.",
    ),
    Class(
        "size of a message in a wrapper",
        PEERS,
        every(kind(ONLY_THEY), ours(INNER + "message_size: a value that is not allowed")),
        "The size of a message in a wrapper is too small for a message.",
        "Ignore it, or use it only to find the next one.",
        "Refused, as by Kafka.",
    ),
    Class(
        "magic of a message in a wrapper",
        PEERS,
        either(
            every(kind(ONLY_THEY), ours(INNER + r"message\.magic: a value that is not allowed")),
            fact("another magic inside"),
        ),
        "A message in a wrapper has a different magic from the wrapper, or an unknown one.",
        "Read it as of the wrapper's magic (Python), or as of magic 0 unless it says 1 (C).",
        "Each by its own magic, as by Kafka; one that does not exist is an error (see above).",
    ),
    Class(
        "number above the wrapper's offset",
        PEERS,
        every(kind(ONLY_THEY), ours("the last message's number is above the wrapper's offset")),
        "The last message of a wrapper of magic 1 has a higher number than the wrapper's offset.",
        "Give the numbers as offsets.",
        "Refused, as by Kafka.",
    ),
    Class(
        "negative number of the last message",
        C,
        every(
            kind(VALUES),
            lambda d: d.name in ("offset", "number of records"),
            header("magic", lambda magic: magic == 1),
            header("compression", lambda codec: codec != "none"),
        ),
        "The number of the last message in a wrapper of magic 1 is -1, or so low that the wrapper's offset less this "
        "number is more than an int64 holds.",
        "Takes -1 for an error of its own and ends without a record; gives the numbers as offsets where the sum has "
        "become negative.",
        "The offset less the number, in 64 bits that wrap around, as Java's long does.",
    ),
)
"""In the order in which they are asked."""
