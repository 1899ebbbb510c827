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
from kformat.kafka.batches import iter_batches
from kformat.kafka.framing import CURRENT_MAGIC
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
    """What lies in the batches of a log: told by `trace`, as far as they can be read."""
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
    """Headers that differ in keys which are no UTF-8, and in nothing else."""
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
        "header key that is no UTF-8",
        KAFKA,
        every(kind(VALUES), lambda d: d.name == "headers" and _only_text(d)),
        "The bytes of a header's key are no UTF-8.",
        "Puts U+FFFD in the place of what it cannot decode; the bytes are lost.",
        "The bytes are kept as lone surrogates (PEP 383), so that building gives them back.",
    ),
    Class(
        "voter's name that is no UTF-8",
        KAFKA,
        every(
            of("control_record::kraft_voters"),
            kind(VALUES),
            lambda d: "\\udc" in repr(d.ours) and "\ufffd" in repr(d.theirs),
        ),
        "The bytes of a listener's name or host are no UTF-8.",
        "Puts U+FFFD in the place of what it cannot decode; the bytes are lost.",
        "The bytes are kept as lone surrogates (PEP 383), so that building gives them back.",
    ),
    Class(
        "message longer than its key and value",
        KAFKA,
        every(kind(ONLY_THEY), ours(LEGACY + r"end_of_message: bytes are left over")),
        "Bytes lie between the end of a message's value and the end of the message.",
        "Never looks at them.",
        "An error (strict on purpose): nobody writes such a message, and nothing is to be lost in silence.",
    ),
    Class(
        "message in a wrapper longer than its key and value",
        KAFKA,
        every(kind(ONLY_THEY), ours(INNER + r"message\.end_of_message: bytes are left over"), _prefix),
        "The same of a message in a wrapper.",
        "Never looks at the bytes.",
        "An error (strict on purpose), behind the records in front of it.",
    ),
    Class(
        "message cut off at the end of a wrapper",
        KAFKA,
        every(kind(ONLY_THEY), ours(INNER + rf"(message|offset|message_size): {PAST}"), _same_records),
        "The last message in a wrapper is not all there.",
        "Ends there in silence, as at the end of a file that is being written.",
        "The same records, then an error (strict on purpose): a wrapper is compressed whole, so something is lost.",
    ),
    Class(
        "magic in a wrapper that does not exist",
        KAFKA,
        every(kind(ONLY_THEY), ours(INNER + r"message\.magic: a value that is not allowed"), _prefix),
        "A message in a wrapper says that it is of another magic than 0 and 1.",
        "Reads it as magic 1.",
        "An error (strict on purpose): what such bytes mean nobody has said.",
    ),
    Class(
        "gzip header with reserved flags",
        KAFKA,
        every(kind(ONLY_THEY), ours("unknown header flags")),
        "Flags that the gzip format reserves are set.",
        "Java's library passes over them.",
        "An error (strict on purpose): a flag may announce fields that would be read as data.",
    ),
    Class(
        "torn frame behind a zstd frame",
        KAFKA,
        every(kind(ONLY_THEY), ours("zstd: the payload ends within")),
        "The beginning of another frame lies behind the last whole zstd frame.",
        "The library passes over it.",
        "An error (strict on purpose): a frame that was torn off may have held records.",
    ),
    Class(
        "leader change of another version than 0",
        KAFKA,
        every(of("control_record::leader_change"), lambda d: d.case.data[:2] != bytes(2)),
        "A leader change says that it is of version 1 or higher, or of a negative one.",
        "Takes every one for version 0, whatever it says; it has never written another.",
        "Read as Kafka's schema of the message has it on purpose: since version 1 voters have a directory id, and "
        "versions are not negative.",
    ),
    Class(
        "two thousand million tagged fields",
        KAFKA,
        every(kind(ONLY_THEY), ours(r"tags\.fields\[\d+\]")),
        "The count of tagged fields is 2^31 or more.",
        "Takes it for a negative number, and reads no field.",
        "An error (strict on purpose): so many fields are announced, and are not there.",
    ),
    Class(
        "version of an aborted transaction",
        KAFKA,
        every(of("transaction_index"), kind(ONLY_THEY), ours(r"entries\[\d+\]\.version: a value that is not allowed")),
        "The version of an entry is not 0.",
        "Looks at the first of its two bytes alone, and lets negative ones pass.",
        "An error (strict on purpose): there is no other version, so the index is damaged.",
    ),
    Class(
        "half an entry of a transaction index",
        KAFKA,
        every(of("transaction_index"), kind(ONLY_THEY), ours("^TruncatedError")),
        "The file ends within an entry.",
        "Reads the entries in front of it, and no more.",
        "An error (strict on purpose), with the entries in front of it.",
    ),
    Class(
        "bytes behind a producer snapshot",
        KAFKA,
        every(of("producer_snapshot"), kind(ONLY_THEY), ours("end_of_entries: bytes are left over")),
        "Bytes lie behind the last entry; the checksum is right.",
        "Passes over them.",
        "An error (strict on purpose): nothing is to be lost in silence.",
    ),
    # The witness
    Class(
        "text that is no UTF-8",
        WITNESS,
        every(kind(ONLY_WE), theirs("^text")),
        "The bytes of a field that is declared as text are no UTF-8.",
        "Refuses them with Python's own decoding error.",
        "Kept as lone surrogates (PEP 383), as Kafka keeps on reading.",
    ),
    # kformat.parse beside kformat's batches
    Class(
        "another magic",
        PARSE,
        every(kind(ONLY_WE), _another_magic),
        "The magic is not that of the format which the caller names; above 2 it is none that exists.",
        "Refuses it: the declaration says which magic it is of.",
        "`iter_batches` goes by the magic that lies there, and reads one above 2 as Kafka does, as magic 2.",
    ),
    Class(
        "wrong checksum",
        PARSE,
        every(kind(ONLY_WE), theirs(r"^ChecksumError (record_batch|legacy_message\.message)\.crc")),
        "The stored checksum is not that of the bytes.",
        "Refuses it, unless `checksums=False` is given.",
        "`Batch.records` reads on; `is_valid` says it. Kafka keeps the two apart as well.",
    ),
    Class(
        "wrong checksum in a wrapper",
        PARSE,
        every(kind(ONLY_WE), theirs("^ChecksumError " + INNER)),
        "The checksum of a message in a wrapper is not that of its bytes.",
        "Refuses it, unless `checksums=False` is given.",
        "`LegacyBatch.records` reads on; `messages` says it of each. Kafka does not look at them.",
    ),
    Class(
        "payload of an empty batch",
        PARSE,
        every(
            kind(ONLY_WE),
            header("records_count", lambda count: count == 0),
            theirs("^(Compression|Invalid)Error record_batch"),
        ),
        "`records_count` is 0, and bytes follow, or a codec is named and what follows cannot be inflated.",
        "Refuses it: bytes are left over, or nothing can be inflated.",
        "`Batch.records` gives no record, as Kafka, which does not look at the payload then.",
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
        "Reads what lies there: each field is what it may be.",
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
        "The C extension reads in front of or behind its buffer; it is not asked here.",
        "Refused, as Kafka refuses it.",
    ),
    # The peers: text and batches of magic 2
    Class(
        "header key that is no UTF-8, refused",
        PEERS,
        every(kind(ONLY_WE), theirs("utf-8|UnicodeDecodeError")),
        "The bytes of a header's key are no UTF-8.",
        "Refuse the record, and with it the batch.",
        "Read, as Kafka reads it; the bytes are kept (see above).",
    ),
    Class(
        "high bit of a record's attributes",
        PEERS,
        fact("high bit of a record's attributes"),
        "The attributes of a record, a byte that nobody uses, are 0x80 or more.",
        "Take the byte for the beginning of a varint, and read the rest of the record one byte too late.",
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
        "Take it for 0; they complain of a payload only if there is one.",
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
        "bytes behind a gzip member",
        PEERS,
        every(kind(ONLY_WE), theirs("BadGzipFile|EOFError: Compressed file ended")),
        "Something that is no gzip member, or the beginning of one, lies behind the last whole one.",
        "Refuse the batch.",
        "Passed over, as by Java's library.",
    ),
    Class(
        "bytes behind an lz4 frame",
        PEERS,
        every(kind(ONLY_WE), theirs(r"lz4: (ERROR_frameType_unknown|truncated frame)|LZ4F_getFrameInfo failed")),
        "Something that is no frame lies behind the end mark of the lz4 frame.",
        "Refuse the batch.",
        "Passed over, as by Kafka, which ends at the end mark.",
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
        "Neither is looked at, as by Kafka.",
    ),
    Class(
        "second lz4 frame",
        AIOKAFKA,
        every(header("compression", lambda codec: codec == "lz4"), lambda d: d.case.data.count(LZ4_MAGIC) > 1),
        "Another frame lies behind the end mark of the lz4 frame.",
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
        "The versions in the header of the xerial framing are not 1, or a few bytes that are no block lie at its end.",
        "Take the stream for raw snappy, or refuse what is left at its end.",
        "Neither is looked at, as in snappy-java.",
    ),
    Class(
        "gzip header with reserved flags, read",
        PEERS,
        every(kind(ONLY_THEY), ours("unknown header flags")),
        "Flags that the gzip format reserves are set.",
        "Pass over them.",
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
        "Take what was inflated so far, if anything, for the whole.",
        "Refused, as by Kafka: records are missing.",
    ),
    # The peers: messages of magic 0 and 1
    Class(
        "length below -1",
        PEERS,
        fact("length below -1"),
        "The length of a message's key or value is negative, but not -1.",
        "Go back by so many bytes and read what lies there (Python), or fail with a SystemError (C).",
        "Null, as for Kafka.",
    ),
    Class(
        "length beyond the message",
        PEERS,
        every(kind(ONLY_THEY), ours(LEGACY + rf".*(key|value|message_set|key_length|value_length): {PAST}")),
        "The length of a key or value leads beyond its message.",
        "Take what is there, or what belongs to the next message.",
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
        "Pass over them, except that the C extension takes what follows in a wrapper for the next message.",
        "An error (strict on purpose, see above).",
    ),
    Class(
        "message cut off at the end of a wrapper, read",
        PEERS,
        every(kind(ONLY_THEY), ours(INNER + rf"(message|offset|message_size): {PAST}")),
        "The last message in a wrapper is not all there.",
        "Take what there is of it for the whole.",
        "An error, behind the records that Kafka gives (strict on purpose, see above).",
    ),
    Class(
        "wrapper without messages",
        PEERS,
        every(kind(ONLY_THEY), ours("a wrapper without messages")),
        "What a wrapper's value inflates to is empty.",
        "Give no record (of magic 1 the Python readers fail).",
        "Refused, as by Kafka.",
    ),
    Class(
        "size of a message in a wrapper",
        PEERS,
        every(kind(ONLY_THEY), ours(INNER + "message_size: a value that is not allowed")),
        "The size of a message in a wrapper is too small for a message.",
        "Do not look at it, or only to find the next one.",
        "Refused, as by Kafka.",
    ),
    Class(
        "magic of a message in a wrapper",
        PEERS,
        either(
            every(kind(ONLY_THEY), ours(INNER + r"message\.magic: a value that is not allowed")),
            fact("another magic inside"),
        ),
        "A message in a wrapper is of another magic than the wrapper, or of none that exists.",
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
