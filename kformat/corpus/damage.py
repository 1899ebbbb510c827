"""The damaged files: copies of sound ones, each with one named damage.

Every damage states what was changed, where, and whether the checksum above it was corrected; and how it must be
detected: rules of which `kformat check` has to report one, or the reason why detection is impossible. That is derived
from the change, not from the output of the check.

Positions come from the layout and from `trace`, so a damage knows the field it changes, even inside compressed
payloads: these are decompressed, damaged, and compressed again.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from kformat.codec.constructs import build, parse
from kformat.codec.reader import Varint
from kformat.codec.trace import Span, trace
from kformat.corpus.edits import integer, mended, put, replaced, summed, with_length
from kformat.corpus.parts import CorpusFile, LogPart
from kformat.kafka.batch.compression import CODEC_NAMES, compress, decompress
from kformat.kafka.batch.framing import HEADER_BYTES, format_of_magic
from kformat.kafka.files.text_files import is_sidecar
from kformat.language.layout import layout
from kformat.language.program import ReadVarint, Step, Window, load_program

ROOT: Final = "damaged"

_HEADER: Final = layout("record_batch").header_dtype
_MESSAGE_START: Final = layout("legacy_message").end("message_size")
_SNAPSHOT: Final = "producer_snapshot"


@dataclass(frozen=True)
class Damage:
    """Damage to a file.

    Attributes:
        name: the kind: flip, set, cut, insert, swap, zero, splice, duplicate.
        what: the particulars in words.
        position: bytes from the start of the file to where the damage begins.
        inflated_position: where the damage lies in a compressed payload: bytes from the start of what it inflates to;
            ``position`` is that of the batch then.
        path: the field that is hit, as in errors; "" where it is none in particular.
        crc_mended: whether the checksum was made right again; None where the damage lies under none.
        found_by: rules of `kformat check`, one of which must find it, in the file or in those next to it.
        undetectable: why nobody can find it, where ``found_by`` is empty; where it is not, why it depends on the bytes
            whether one of these rules does.
    """

    name: str
    what: str
    position: int
    path: str = ""
    crc_mended: bool | None = None
    inflated_position: int | None = None
    found_by: tuple[str, ...] = ()
    undetectable: str = ""


@dataclass(frozen=True)
class DamagedFolder:
    """A folder with one damaged ``file``; ``others`` are the unchanged files next to it."""

    file: CorpusFile
    damage: Damage
    others: tuple[CorpusFile, ...] = field(default_factory=tuple)


# --- bytes ---------------------------------------------------------------------------------------------------------


@functools.cache
def _varints() -> dict[str, ReadVarint]:
    """The varints of records, by field name; fields of one name have the same width everywhere."""
    varints: dict[str, ReadVarint] = {}

    def collect(steps: Iterable[Step]) -> None:
        for step in steps:
            if isinstance(step, ReadVarint):
                varints[step.name] = step
            elif isinstance(step, Window):
                collect(step.steps)

    for kind in load_program("record_batch").types.values():
        collect(kind.steps)
    return varints


def _varint(name: str, value: int) -> bytes:
    step = _varints()[name]
    return Varint(step.max_bytes, step.zigzag, step.kind.bits).encode(value)


def _longer(varint: bytes, by: int = 1) -> bytes:
    """A varint of the same number in more bytes than needed."""
    *body, last = varint
    return bytes([*body, last | 0x80, *[0x80] * (by - 1), 0])


class DamageSite:
    """A batch of a sound log that is to be damaged."""

    def __init__(self, file: CorpusFile, number: int) -> None:
        self.file, self.number = file, number
        self.part: LogPart = file.parts[number]
        self.position = sum(part.size for part in file.parts[:number])
        self.format = format_of_magic(self.part.magic)

    def logs(self, pairs: Iterable[tuple[Damage, bytes]]) -> Iterator[tuple[Damage, bytes]]:
        """The logs with damaged batches in place of this one."""
        for damage, data in pairs:
            yield damage, replaced(self.file.data, self.position, self.part.size, data)

    @functools.cached_property
    def spans(self) -> list[Span]:
        return list(trace(self.format, self.part.data))

    @functools.cached_property
    def payload(self) -> bytes:
        """The inflated payload of a compressed batch or a wrapper."""
        value: Any = parse(self.format, self.part.data, raw=True)
        raw = value.payload if self.part.magic >= 2 else value.message.message_set
        return decompress(CODEC_NAMES.index(self.part.codec), raw, magic=self.part.magic)

    def changed(self, span: Span, by: bytes, *, mend: bool) -> bytes:
        """The batch's bytes with those of a span replaced; the lengths around a compressed payload are adjusted.

        If the size of an uncompressed batch changes, its length is adjusted, too.
        """
        if span.inflated_position is None:
            data = replaced(self.part.data, span.position, span.size, by)
            if len(data) != self.part.size:
                data = with_length(data)
            return mended(data, self.part.magic) if mend else data
        payload = compress(
            CODEC_NAMES.index(self.part.codec),
            replaced(self.payload, span.inflated_position, span.size, by),
            magic=self.part.magic,
        )
        return self.around(payload, mend=mend)

    def around(self, payload: bytes, *, mend: bool) -> bytes:
        """The batch with another compressed payload; the old checksum stays unless it is mended."""
        value: Any = parse(self.format, self.part.data, raw=True)
        if self.part.magic >= 2:
            stored, value.payload = value.crc, payload
            data, start, shape = build(self.format, value), 0, layout("record_batch")
        else:
            stored, value.message.message_set = value.message.crc, payload
            data, start, shape = build(self.format, value), _MESSAGE_START, layout("legacy_message::message")
        if mend:
            return data
        return put(data, shape, "crc", stored, start)


# --- batches of magic 2 --------------------------------------------------------------------------------------------

_EXTREMES: Final = ("least", "-1", "0", "largest")
_COVERED_FROM: Final = layout("record_batch").checksum()[2]
_NO_SUM = "no checksum covers it, and the value can be"


def _extremes(size: int) -> dict[str, int]:
    bits = 8 * size
    return {"least": -(2 ** (bits - 1)), "-1": -1, "0": 0, "largest": 2 ** (bits - 1) - 1}


# Rules that find an extreme value of a header field under a right checksum, by field, or by field and value.
_HEADER_RULES: Final[dict[str, tuple[str, ...]]] = {
    "base_offset": ("KF0207", "KF0208"),
    "batch_length": ("KF0101", "KF0102"),
    "magic": ("KF0105",),
    "attributes": ("KF0202", "KF0203"),
    "last_offset_delta": ("KF0204", "KF0206", "KF0207", "KF0208"),
    "base_timestamp": ("KF0309",),
    "max_timestamp": ("KF0210", "KF0309", "KF0506", "KF0507"),
    "producer_id": ("KF0211",),
    "producer_epoch": ("KF0211",),
    "base_sequence": ("KF0211",),
    "records_count": ("KF0205", "KF0206", "KF0303", "KF0304"),
}


def _header_sets(site: DamageSite, *, unmended: bool = True) -> Iterator[tuple[Damage, bytes]]:
    """Each field of a header set to the extremes of its width, with the checksum mended, and also ``unmended``."""
    header = np.frombuffer(site.part.data, _HEADER, count=1)[0]
    shape = layout("record_batch")
    for name in _HEADER.names or ():
        start, size = shape.position(name), shape.end(name) - shape.position(name)
        for word, value in _extremes(size).items():
            by = integer(value, size)
            if site.part.data[start : start + size] == by:
                continue
            under = start >= _COVERED_FROM
            for mend in ((False, True) if unmended else (True,)) if under else (None,):
                data = replaced(site.part.data, start, size, by)
                data = mended(data, 2) if mend else data
                damage = Damage("set", f"{name} {word}", site.position + start, f"record_batch.{name}", mend)
                yield _judged_header(damage, name, value, int(header[name]), site), data


def _judged_header(damage: Damage, name: str, value: int, before: int, site: DamageSite) -> Damage:
    """The damage with the rules that must find another value of a header field, or with the reason why none can."""
    attributes = site.part.attributes
    if damage.crc_mended is False or name == "crc":
        return replace(damage, found_by=("KF0201",))
    if name == "partition_leader_epoch":
        return _judged_epoch(damage, site, value)
    if name == "magic" and value == 0:  # another header, and another checksum
        return replace(damage, found_by=("KF0201", "KF0214", "KF0316"))
    if name == "attributes" and value == 0:
        if "log_append_time" in attributes:
            return replace(damage, found_by=("KF0309",))
        return replace(damage, undetectable="a batch of an idempotent producer need not be part of a transaction")
    if name in ("producer_id", "producer_epoch", "base_sequence"):
        had = site.part.producer is not None
        if name != "producer_id" and not had:
            return replace(damage, undetectable="without a producer id, epoch and sequence mean nothing")
        if name == "producer_id" and had and value == -1 and "transactional" not in attributes:
            why = "a batch need not be of a producer with an id"
            return replace(damage, found_by=("KF0707", "KF0708", "KF0713"), undetectable=why)
        if name == "producer_id" and had and value == -1:
            return replace(damage, found_by=("KF0212",))
        if had and value >= 0:
            rules = ("KF0607", "KF0608", "KF0609", "KF0610", "KF0707", "KF0708", "KF0709", "KF0713")
            why = "any producer, epoch and sequence are possible, unless other batches or files say otherwise"
            return replace(damage, found_by=rules, undetectable=why)
    if name == "base_timestamp" and "log_append_time" in attributes:
        return replace(damage, undetectable="in a log_append_time batch the records' own timestamps are not looked at")
    if name == "max_timestamp" and "log_append_time" in attributes:
        by_time = ("KF0210", "KF0506", "KF0507", "KF0509")
        return replace(
            damage, found_by=by_time, undetectable="any time of an append is possible, unless an index says otherwise"
        )
    return replace(damage, found_by=_HEADER_RULES[name])


def _judged_epoch(damage: Damage, site: DamageSite, value: int) -> Damage:
    parts, number = site.file.parts, site.number
    if value < 0:
        return replace(damage, undetectable="a negative leader epoch stands for none")
    if any(part.epoch > value for part in parts[:number]) or any(
        0 <= part.epoch < value for part in parts[number + 1 :]
    ):
        return replace(damage, found_by=("KF0209",))
    return replace(damage, undetectable=f"{_NO_SUM} that of another leader, where no checkpoint is next to the log")


_SHIFTED: Final = ("KF0303", "KF0304", "KF0305", "KF0306")
"""Rules that find fields at other positions than the preceding fields say."""

_BY_LUCK: Final = "the bytes after it may by chance fit the field's new value"


def _values(span: Span, name: str, left: int) -> Iterator[tuple[str, bytes, int]]:
    """Values for a varint of a record: description, bytes, number."""
    bits = _varints()[name].kind.bits
    numbers = {
        f"-2^{bits - 1}": -(2 ** (bits - 1)),
        "-2": -2,
        "-1": -1,
        "0": 0,
        f"2^{bits - 1}-1": 2 ** (bits - 1) - 1,
        "one more": span.value + 1,
        "one less": span.value - 1,
    }
    if name.endswith(("length", "count")):
        numbers["more than is left"] = left + 1
    for words, number in numbers.items():
        if number != span.value:
            yield words, _varint(name, number), number


_FEW: Final = ("-1", "2^31-1", "2^63-1", "more than is left")


def _record_sets(site: DamageSite, record: int, *, few: bool = False) -> Iterator[tuple[Damage, bytes]]:
    """The varints of one record set to extremes; later bytes move, and the lengths above are adjusted.

    ``few``: only some of the values.
    """
    prefix = f"record_batch.records[{record}]."
    spans = [span for span in site.spans if span.path.startswith(prefix) and span.kind == "field"]
    end = (
        spans[-1].position + spans[-1].size
        if spans[-1].inflated_position is None
        else (spans[-1].inflated_position + spans[-1].size)
    )
    for span in spans:
        name = span.path.rpartition(".")[2]
        at = span.position if span.inflated_position is None else span.inflated_position
        base = Damage("set", "", site.position + (span.position if span.inflated_position is None else 0), span.path,
                      inflated_position=span.inflated_position)  # fmt: skip
        if name == "attributes":
            for mend in (False, True):
                hit = replace(base, what="record attributes 127", crc_mended=mend)
                yield (
                    replace(hit, found_by=("KF0310",) if mend else ("KF0201",)),
                    site.changed(span, integer(127, span.size), mend=mend),
                )
            continue
        if name not in _varints():
            continue
        short = span.path.removeprefix("record_batch.")
        for words, by_bytes, number in _values(span, name, end - at):
            if few and words not in _FEW:
                continue
            for mend in (False, True) if words == "-1" else (True,):
                damage = replace(base, what=f"{short} {words}", crc_mended=mend)
                rules, why = _judged_record(site, span, name, number) if mend else (("KF0201",), "")
                yield replace(damage, found_by=rules, undetectable=why), site.changed(span, by_bytes, mend=mend)
        if few and ".headers" in span.path:
            continue
        step = _varints()[name]
        encoded = _varint(name, span.value)
        for words, more in (("over-long", 1), ("over-long to the limit", step.max_bytes - len(encoded))):
            longer = _longer(encoded, more)
            outside = name != "length"
            damage = replace(base, name="insert", what=f"{short} {words}", crc_mended=True)
            if outside:  # the record's own length is not adjusted
                yield replace(damage, found_by=_SHIFTED), site.changed(span, longer, mend=True)
            else:
                why = "Kafka reads varints that are longer than they need to be"
                yield replace(damage, undetectable=why), site.changed(span, longer, mend=True)
        endless = _longer(encoded, step.max_bytes - len(encoded) + 1)
        damage = replace(base, name="insert", what=f"{short} without an end", crc_mended=True)
        yield replace(damage, found_by=_SHIFTED), site.changed(span, endless, mend=True)


def _judged_record(site: DamageSite, span: Span, name: str, number: int) -> tuple[tuple[str, ...], str]:
    """The rules that find another value of a varint under a right checksum; and the reason if none must."""
    record = int(span.path.partition("[")[2].partition("]")[0])
    fits = len(_varint(name, number)) == span.size  # else all that lies after it is moved
    if name == "timestamp_delta" and fits:
        if "log_append_time" in site.part.attributes:
            return (), "in a log_append_time batch the records' own timestamps are not looked at"
        timestamps = [item.timestamp for item in site.part.records]
        timestamps[record] += number - span.value
        if max(timestamps) == site.part.max_timestamp:
            return (), "any timestamp up to the largest is possible"
        return ("KF0309",), ""
    if name == "offset_delta" and fits:
        deltas = [item.offset - site.part.base_offset for item in site.part.records]
        deltas[record] = number
        in_order = all(previous < following for previous, following in itertools.pairwise(deltas))
        if in_order and deltas[0] >= 0 and deltas[-1] <= site.part.last_offset - site.part.base_offset:
            return (), "offsets may have gaps, as compaction leaves them"
        return ("KF0307", "KF0308"), ""
    if name == "value_length" and span.value < 0 and number < 0:
        return (), "any negative length is null"
    return (*_SHIFTED, "KF0309", "KF0307", "KF0308"), _BY_LUCK if name.startswith(("key", "value")) else ""


def _flips(site: DamageSite) -> Iterator[tuple[Damage, bytes]]:
    """One bit of each field of a header, and of one field of each kind in the records, or of the compressed payload."""
    seen: set[str] = set()
    for span in site.spans:
        name = span.path.rpartition(".")[2]
        kind = span.path.partition("[")[0] + "." + name
        if span.kind not in ("field", "payload") or not span.size or kind in seen or span.inflated_position is not None:
            continue
        seen.add(kind)
        under = span.position >= _COVERED_FROM
        for at in (
            {span.position, span.position + span.size // 2} if name == "payload" else {span.position + span.size - 1}
        ):
            data = replaced(site.part.data, at, 1, bytes([site.part.data[at] ^ 1]))
            for mend in (False, True) if under else (None,):
                what = f"a bit of {name}" + (" in the middle" if name == "payload" and at > span.position else "")
                damage = Damage("flip", what, site.position + at, span.path, mend)
                judged = _judged_flip(damage, name, at > span.position, site, data)
                if judged is not None:
                    yield judged, (mended(data, 2) if mend else data)


def _judged_flip(damage: Damage, name: str, is_inside: bool, site: DamageSite, data: bytes) -> Damage | None:
    """The damage with the rules that must find a flipped bit; None if `set` covers it under a right checksum."""
    match name:
        case "partition_leader_epoch":
            return _judged_epoch(damage, site, layout("record_batch").reader(name)(data, 0))
        case "base_offset":
            rules = ("KF0207", "KF0208", "KF0505", "KF0508")
            return replace(damage, found_by=rules, undetectable="offsets may have gaps, unless an index says otherwise")
    if damage.crc_mended is not True:
        return replace(damage, found_by=("KF0201", "KF0101", "KF0102", "KF0103", "KF0105", "KF0107"))
    match name:
        case "key" | "value":
            return replace(damage, undetectable="any bytes can be a record's, and the checksum is theirs")
        case "payload" if not is_inside:
            return replace(damage, found_by=("KF0301",))
        case "payload":
            found_by = ("KF0301", "KF0307", "KF0308", "KF0309", "KF0310", *_SHIFTED)
            why = (
                ""
                if site.part.codec == "gzip"
                else "the frame has no checksum: what it inflates to may still be records"
            )
            return replace(damage, found_by=found_by, undetectable=why)
    return None


def _payload_damages(site: DamageSite) -> Iterator[tuple[Damage, bytes]]:
    """Damage to a compressed payload under a right checksum."""
    value: Any = parse("record_batch", site.part.data, raw=True)
    payload: bytes = value.payload
    at = site.position + HEADER_BYTES
    half = len(payload) // 2
    for name, what, changed, rules in (
        ("cut", "the compressed payload ends early", payload[:half], ("KF0301", "KF0305", "KF0303")),
        ("zero", "the compressed payload is zeros from the middle on", payload[:half] + bytes(len(payload) - half),
         ("KF0301", "KF0303", "KF0304", "KF0305", "KF0306", "KF0307", "KF0308")),
        ("splice", "the first half twice", payload[:half] * 2,
         ("KF0301", "KF0303", "KF0304", "KF0305", "KF0306", "KF0307", "KF0308")),
        ("cut", "nothing is left of the compressed payload", b"", ("KF0301", "KF0303", "KF0305")),
    ):  # fmt: skip
        damage = Damage(name, what, at, "record_batch.payload", True, found_by=rules)
        yield damage, site.around(changed, mend=True)
    for codec in range(1, 8):
        if codec == CODEC_NAMES.index(site.part.codec):
            continue
        header = np.frombuffer(site.part.data, _HEADER, count=1).copy()
        bits = layout("record_batch").bits("attributes")["compression"]
        header["attributes"] = int(header["attributes"][0]) & ~(bits.mask << bits.shift) | codec << bits.shift
        data = mended(header.tobytes() + site.part.data[HEADER_BYTES:], 2)
        position = site.position + layout("record_batch").position("attributes")
        damage = Damage("set", f"codec {codec}", position, "record_batch.attributes", True)
        yield replace(damage, found_by=("KF0203", "KF0301")), data


# --- logs ----------------------------------------------------------------------------------------------------------

_FRAMING: Final = ("KF0101", "KF0102", "KF0103", "KF0104", "KF0105", "KF0107", "KF0201", "KF0207", "KF0208")


_PAGES_BYTES: Final = (4096, 512)
"""Units that file systems and disks write, and lose, as a whole."""


def _log_damages(file: CorpusFile, foreign: bytes) -> Iterator[tuple[Damage, bytes]]:
    """Damage to a log as a whole: missing ends, extra bytes, batches in the wrong place."""
    data, parts = file.data, file.parts
    starts = [sum(part.size for part in parts[:number]) for number in range(len(parts) + 1)]
    last = starts[-2]
    frame = layout("record_batch").end("batch_length")
    peek = layout("record_batch").end("magic")
    for what, size in (
        ("the last byte is missing", len(data) - 1),
        ("half of the last batch is missing", (last + len(data)) // 2),
        ("one byte of the last batch is left", last + 1),
        ("the last batch ends after its length", last + frame),
        ("the last batch ends in front of its magic", last + peek - 1),
        ("the last batch ends after its magic", last + peek),
        ("the last batch ends in its checksum", last + peek + 1),
    ):
        yield Damage("cut", what, size, found_by=("KF0102", "KF0103", "KF0104")), data[:size]
    damage = Damage("cut", "nothing is left", 0, found_by=("KF0405", "KF0505", "KF0901", "KF0902"))
    damage = replace(damage, undetectable="an empty log is a log, unless an index says otherwise")
    yield damage, b""
    for count in (1, peek - 1, peek, peek + 1, 4096):
        damage = Damage("insert", f"{count} zeros after the end", len(data), found_by=("KF0103", "KF0104"))
        yield damage, data + bytes(count)
    middle = starts[len(parts) // 2]
    damage = Damage("insert", "a byte between two batches", middle, found_by=_FRAMING)
    yield damage, replaced(data, middle, 0, b"\x01")
    damage = Damage("insert", "zeros between two batches", middle, found_by=_FRAMING)
    yield damage, replaced(data, middle, 0, bytes(100))
    inside = (last + len(data)) // 2
    damage = Damage("insert", "a byte inside of a batch", inside, crc_mended=False, found_by=_FRAMING)
    yield damage, replaced(data, inside, 0, b"\x7f")
    damage = Damage("cut", "a byte inside of a batch is missing", inside, crc_mended=False, found_by=_FRAMING)
    yield damage, replaced(data, inside, 1, b"")
    start = len(data) // 3
    page = next((size for size in _PAGES_BYTES if len(data) >= 3 * size), None)
    if page is None:
        size = len(data) // 2
        damage = Damage("zero", "bytes in the middle are zeros", start, crc_mended=False, found_by=_FRAMING)
        yield damage, replaced(data, start, size, bytes(size))
    else:
        at = start // page * page
        damage = Damage("zero", f"a page of {page} bytes is zeros", at, crc_mended=False, found_by=_FRAMING)
        yield damage, replaced(data, at, page, bytes(page))
    damage = Damage("zero", "the first bytes are zeros", 0, crc_mended=False, found_by=_FRAMING)
    yield damage, replaced(data, 0, 64, bytes(64))
    damage = Damage("splice", "bytes of another file inside", start, crc_mended=False, found_by=_FRAMING)
    yield damage, replaced(data, start, min(len(foreign), 200), foreign[:200])
    damage = Damage("splice", "bytes of another file after the end", len(data), found_by=("KF0101", "KF0102", "KF0103"))
    yield damage, data + foreign[:100]
    if len(parts) > 1:
        number = len(parts) // 2
        first, second = parts[number - 1].data, parts[number].data
        at = starts[number - 1]
        damage = Damage("swap", "two batches", at, "record_batch.base_offset", found_by=("KF0208",))
        yield damage, replaced(data, at, len(first) + len(second), second + first)
        damage = Damage("duplicate", "a batch", starts[number], "record_batch.base_offset", found_by=("KF0208",))
        yield damage, replaced(data, starts[number], 0, first)
        damage = Damage(
            "cut", "a batch is missing", at, undetectable="offsets may have gaps, unless an index says otherwise"
        )
        damage = replace(damage, found_by=("KF0405", "KF0406", "KF0407", "KF0505", "KF0507", "KF0901", "KF0902"))
        yield damage, replaced(data, at, len(first), b"")


def _metadata_damages(site: DamageSite) -> Iterator[tuple[Damage, bytes]]:
    """Records of a cluster's metadata whose values are not what their types say, or too new for the level before."""
    batch: Any = parse("record_batch", site.part.data)
    level, needing = (bytes(batch.records[number].value) for number in (0, 1))
    lowered: Any = parse("feature_level_record", level)
    lowered.feature_level = 1
    for what, number, value, found_by in (
        ("a value that ends too early", 0, level[:-1], "KF0325"),
        ("a byte after a value", 1, needing + b"\0", "KF0325"),
        ("a value without a byte", 1, b"", "KF0325"),
        ("a level that is too low", 0, build("feature_level_record", lowered), "KF0904"),
    ):
        record = batch.records[number]
        before, record.value = record.value, value
        path = f"record_batch.records[{number}].value"
        yield (
            Damage("set", what, site.position, path, crc_mended=True, found_by=(found_by,)),
            build("record_batch", batch),
        )
        record.value = before


# --- magic 0 and 1 -------------------------------------------------------------------------------------------------


def _legacy_damages(site: DamageSite, *, few: bool = False) -> Iterator[tuple[Damage, bytes]]:
    """Each field of a message set to extremes, with and without its checksum mended; inside of wrappers, too.

    ``few``: only some of the values, and only with the checksum mended.
    """
    covered = _MESSAGE_START + layout("legacy_message::message").checksum()[2]
    seen: set[str] = set()
    for span in site.spans:
        name = span.path.rpartition(".")[2]
        inside = span.inflated_position is not None
        kind = f"{inside} {name}"
        if span.kind != "field" or kind in seen or not span.size:
            continue
        seen.add(kind)
        position = site.position + (0 if inside else span.position)
        base = Damage("set", "", position, span.path, inflated_position=span.inflated_position)
        under = inside or span.position >= covered
        states: tuple[bool | None, ...] = (False, True) if under else (None,)
        if name in ("key", "value"):
            old = site.payload if inside else site.part.data
            at = span.position if span.inflated_position is None else span.inflated_position
            flipped = bytes([old[at] ^ 1]) + old[at + 1 : at + span.size]
            for mend in states:
                damage = replace(
                    base, name="flip", what=f"a bit of the {name}{' of a message in it' * inside}", crc_mended=mend
                )
                yield _judged_message(damage, site, span, name, 0), site.changed(span, flipped, mend=bool(mend))
            continue
        for word, value in _extremes(span.size).items():
            by = integer(value, span.size)
            if by == span.data or (few and word not in ("-1", "largest")):
                continue
            for mend in states if not few else states[-1:]:
                damage = replace(base, what=f"{name}{' of a message in it' * inside} {word}", crc_mended=mend)
                yield _judged_message(damage, site, span, name, value), site.changed(span, by, mend=bool(mend))


_LEGACY_RULES: Final[dict[str, tuple[str, ...]]] = {
    "offset": ("KF0207", "KF0208", "KF0320", "KF0321", "KF0322", "KF0505", "KF0508"),
    "message_size": ("KF0101", "KF0102", "KF0316"),
    "crc": ("KF0201",),
    "magic": ("KF0105", "KF0201", "KF0214", "KF0316", "KF0324"),
    "attributes": ("KF0202", "KF0203", "KF0318"),
    "key_length": ("KF0316", "KF0323"),
    "value_length": ("KF0301", "KF0316", "KF0317"),
    "timestamp": ("KF0210", "KF0309", "KF0506", "KF0507", "KF0508", "KF0509"),
}


def _judged_message(damage: Damage, site: DamageSite, span: Span, name: str, value: int) -> Damage:
    """The damage with the rules that must find another value of a message's field, or the reason why none can."""
    inside, is_wrapper = span.inflated_position is not None, "wrapper" in site.part.attributes
    if damage.crc_mended is False and (inside or name != "magic"):
        return replace(damage, found_by=("KF0201",))
    if inside:  # the checksum of the message itself is never mended
        return replace(damage, found_by=("KF0319", *_LEGACY_RULES.get(name, ())))
    if name in ("key_length", "value_length") and span.value < 0 and value < 0:
        return replace(damage, undetectable="any negative length is null")
    if name == "key_length" and not is_wrapper and span.value <= 0 and value <= 0:
        return replace(damage, undetectable="null and an empty key take no bytes, either of them")
    if name in ("key", "value"):
        return replace(damage, undetectable="any bytes can be a message's, and the checksum is theirs")
    if name == "attributes" and value == 0:
        return replace(damage, undetectable="the value of a message can be any bytes, compressed ones, too")
    rules, why = _LEGACY_RULES[name], ""
    if name == "timestamp" and not (is_wrapper and "create_time" in site.part.attributes):
        why = "any timestamp is possible, unless an index says otherwise"
    return replace(damage, found_by=rules, undetectable=why)


# --- files of entries ----------------------------------------------------------------------------------------------


_INDEX_RULES: Final[dict[str, tuple[str, ...]]] = {
    "offset_index": ("KF0402", "KF0403", "KF0405", "KF0406", "KF0407"),
    "time_index": ("KF0502", "KF0503", "KF0505", "KF0506", "KF0507", "KF0508", "KF0509"),
    "transaction_index": ("KF0602", "KF0603", "KF0605", "KF0606", "KF0607", "KF0608", "KF0609", "KF0610"),
}
_ODD_SIZES: Final = {"offset_index": ("KF0401",), "time_index": ("KF0501",), "transaction_index": ("KF0601",)}
_UNTOLD: Final = {
    "first_offset": "a transaction may have begun in an earlier segment",
    "last_stable_offset": "what other transactions were open then, earlier segments say",
}
"""Fields of aborted transactions that one segment cannot verify completely."""
_SPARSE: Final = "an index has an entry now and then; without one, searches take longer"


def _entry_damages(file: CorpusFile, format: str, number: int) -> Iterator[tuple[Damage, bytes]]:
    """One entry's fields set to extremes; entries swapped, duplicated, missing, zero; odd sizes."""
    shape = layout(f"{format}::entry")
    size, data = shape.size, file.data
    used = len(file.entries) * size
    start = number * size
    path = f"{format}.entries[{number}]"
    wrong, odd, is_index = _INDEX_RULES[format], _ODD_SIZES[format], format != "transaction_index"
    for name in shape.dtype.names or ():
        width, at = shape.end(name) - shape.position(name), start + shape.position(name)
        for word, value in _extremes(width).items():
            by = integer(value, width)
            if data[at : at + width] != by:
                damage = Damage("set", f"{name} {word}", at, f"{path}.{name}", found_by=wrong)
                yield replace(damage, undetectable=_UNTOLD.get(name, "")), replaced(data, at, width, by)
        by = bytes([data[at + width - 1] ^ 1])
        damage = Damage("flip", f"a bit of {name}", at + width - 1, f"{path}.{name}", found_by=wrong)
        damage = replace(damage, undetectable=_UNTOLD.get(name, ""))
        yield damage, replaced(data, at + width - 1, 1, by)
    entry, following = data[start : start + size], data[start + size : start + 2 * size]
    if len(following) == size and start + 2 * size <= used:
        damage = Damage("swap", "two entries", start, path, found_by=wrong)
        yield damage, replaced(data, start, 2 * size, following + entry)
    yield Damage("duplicate", "an entry", start, path, found_by=wrong), replaced(data, start, 0, entry)
    damage = Damage("cut", "an entry is missing", start, path, undetectable=_SPARSE)
    if not is_index:
        damage = replace(damage, found_by=("KF0609",), undetectable="a transaction without records has no entry")
    yield damage, replaced(data, start, size, b"")
    yield Damage("zero", "an entry is zeros", start, path, found_by=wrong), replaced(data, start, size, bytes(size))
    yield Damage("cut", "the last byte is missing", len(data) - 1, found_by=odd), data[:-1]
    damage = Damage("cut", "nothing is left", 0, undetectable=_SPARSE)
    if format != "offset_index":
        damage = replace(damage, found_by=("KF0509",) if is_index else ("KF0609",), undetectable="")
    yield damage, b""
    yield Damage("insert", "a byte after the end", len(data), found_by=odd), data + b"\1"
    damage = Damage("insert", "zeros after the end", len(data), found_by=() if is_index else ("KF0604",))
    if is_index:
        damage = replace(damage, undetectable="the index of the last segment ends in zeros while it is in use")
    yield damage, data + bytes(3 * size)
    yield Damage("insert", "a byte in front", 0, found_by=odd), b"\0" + data


def _snapshot_damages(file: CorpusFile) -> Iterator[tuple[Damage, bytes]]:
    """A producer snapshot's fields set to extremes, with and without the checksum mended; cut and longer snapshots."""
    data = file.data
    covered = layout(_SNAPSHOT).checksum()[2]
    for span in trace(_SNAPSHOT, data):
        if not span.size or ("[" in span.path and "[0]" not in span.path):
            continue
        name = span.path.rpartition(".")[2]
        for word, value in _extremes(span.size).items():
            by = integer(value, span.size)
            if by == span.data:
                continue
            under = span.position >= covered
            for mend in (False, True) if under else (None,):
                changed = replaced(data, span.position, span.size, by)
                damage = Damage("set", f"{name} {word}", span.position, span.path, mend, found_by=_BROKEN_SNAPSHOT)
                if mend and name != "entries_count":
                    why = "any state of a producer is possible, unless the log says otherwise"
                    damage = replace(damage, found_by=_WRONG_PRODUCER, undetectable=why)
                yield damage, (summed(changed, layout(_SNAPSHOT)) if mend else changed)
    size = layout(f"{_SNAPSHOT}::entry").size
    for what, changed, at in (
        ("the last byte is missing", data[:-1], len(data) - 1),
        ("half is missing", data[: len(data) // 2], len(data) // 2),
        ("nothing is left", b"", 0),
    ):
        yield Damage("cut", what, at, found_by=_BROKEN_SNAPSHOT), changed
    longer = data + data[len(data) - size :]
    yield Damage("insert", "the end of a longer file", len(data), found_by=_BROKEN_SNAPSHOT), longer + b"\0"
    for mend in (False, True):
        damage = Damage("duplicate", "the last entry", len(data), crc_mended=mend, found_by=_BROKEN_SNAPSHOT)
        yield damage, (summed(longer, layout(_SNAPSHOT)) if mend else longer)


_BROKEN_SNAPSHOT: Final = ("KF0701", "KF0702", "KF0703")
_WRONG_PRODUCER: Final = tuple(f"KF07{number:02d}" for number in range(4, 12))


def _text_damages(file: CorpusFile) -> Iterator[tuple[Damage, bytes]]:
    """Damage to a text file. It must be found if Kafka refuses the file; a file that Kafka reads may be valid."""
    data = file.data
    half = len(data) // 2
    lines = data.splitlines(keepends=True)
    edits: list[tuple[str, str, int, bytes]] = [
        ("cut", "the second half is missing", half, data[:half]),
        ("cut", "the last byte is missing", len(data) - 1, data[:-1]),
        ("cut", "nothing is left", 0, b""),
        ("zero", "all bytes are zeros", 0, bytes(len(data))),
        ("zero", "the second half is zeros", half, data[:half] + bytes(len(data) - half)),
        ("flip", "the highest bit of a byte", half, replaced(data, half, 1, bytes([data[half] ^ 0x80]))),
        ("flip", "a bit of the first byte", 0, replaced(data, 0, 1, bytes([data[0] ^ 1]))),
        ("insert", "a line after the end", len(data), data + b"more\n"),
        ("insert", "an empty line in front", 0, b"\n" + data),
    ]
    if len(lines) > 1:
        edits += [
            ("swap", "the first two lines", 0, b"".join([*lines[1:2], *lines[:1], *lines[2:]])),
            ("duplicate", "the last line", len(data), data + lines[-1]),
            ("cut", "the last line is missing", len(data) - len(lines[-1]), data[: len(data) - len(lines[-1])]),
        ]
    rules = tuple(f"KF08{number:02d}" for number in range(1, 13))
    for name, what, position, changed in edits:
        yield Damage(name, what, position, found_by=rules, undetectable="where Kafka reads it, it is a file"), changed


# --- which files are damaged, and how ------------------------------------------------------------------------------


def damaged_files(sound: Sequence[CorpusFile]) -> list[DamagedFolder]:
    """All damaged files, each in a folder of its own next to the files of its segment, in order of their paths."""
    by_path = {file.path: file for file in sound}
    folders: list[DamagedFolder] = []
    names: Counter[str] = Counter()
    for source, made in _all(by_path):
        folder, _, name = source.path.rpartition("/")
        case = folder.rsplit("/", 1)[-1].rpartition("-")[0] or folder.rsplit("/", 1)[-1]
        others = tuple(file for file in sound if _is_beside(file, source))
        for damage, data in made:
            target = f"{ROOT}/{case}.{_slug(damage)}"
            names[target] += 1
            target += f"-again-{names[target]}-0" if names[target] > 1 else "-0"
            file = replace(source, path=f"{target}/{name}", data=data, source=source.path)
            moved = tuple(
                replace(other, path=f"{target}/{other.path.rpartition('/')[2]}", source=other.path) for other in others
            )
            folders.append(DamagedFolder(file, damage, moved))
    return folders


def _slug(damage: Damage) -> str:
    """The damage as part of a topic's name."""
    words = re.sub(r"[^a-z0-9]+", "-", damage.what.lower()).strip("-")
    return "-".join([damage.name, words] + ["mended"] * bool(damage.crc_mended))


def _is_beside(file: CorpusFile, source: CorpusFile) -> bool:
    """Whether a file belongs to the same segment, and is judged with it."""
    folder, _, name = source.path.rpartition("/")
    other_folder, _, other = file.path.rpartition("/")
    if file is source or folder != other_folder or is_sidecar(name) or is_sidecar(other):
        return False
    return other.partition(".")[0] == name.partition(".")[0] and file.kind != "metadata_snapshot"


def _all(files: dict[str, CorpusFile]) -> Iterator[tuple[CorpusFile, Iterator[tuple[Damage, bytes]]]]:
    def of(folder: str, name: str = f"{0:020d}.log") -> CorpusFile:
        return files[f"sound/{folder}/{name}"]

    foreign = of("kraft/index-codecs-0", f"{0:020d}.index").data
    plain = of("kraft/attributes-none-create-plain-0")
    site = DamageSite(plain, 1)
    yield plain, site.logs((*_header_sets(site), *_record_sets(site, 1), *_flips(site)))
    yield plain, _log_damages(plain, foreign)
    for codec in CODEC_NAMES[1:]:
        log = of(f"kraft/attributes-{codec}-create-plain-0")
        site = DamageSite(log, 1)
        yield log, site.logs((*_record_sets(site, 1, few=codec != "gzip"), *_flips(site), *_payload_damages(site)))
    for name, number in (("create-idempotent", 0), ("create-transactional", 0), ("append-plain", 1)):
        log = of(f"kraft/attributes-none-{name}-0")
        site = DamageSite(log, number)
        yield log, site.logs(_header_sets(site, unmended=False))
    marker = of("kraft/attributes-none-create-transactional-0")
    site = DamageSite(marker, 1)
    yield marker, site.logs(_record_sets(site, 0, few=True))
    many = of("kraft/index-codecs-0")
    yield many, _log_damages(many, foreign)
    for magic, codec, tail, few in (
        (0, "none", "", False),
        (0, "gzip", "", True),
        (0, "lz4", "", True),
        (1, "none", "-create", False),
        (1, "gzip", "-create", False),
        (1, "snappy", "-create", True),
        (1, "lz4", "-create", True),
        (1, "gzip", "-append", True),
    ):
        log = of(f"zookeeper/magic-{magic}-{codec}{tail}-0")
        site = DamageSite(log, 1)
        yield log, site.logs(_legacy_damages(site, few=few))
        if not few:
            yield log, _log_damages(log, foreign)
    for suffix, format in (("index", "offset_index"), ("timeindex", "time_index")):
        index = of("kraft/index-codecs-0", f"{0:020d}.{suffix}")
        yield index, _entry_damages(index, format, 2)
    index = of("kraft/transactions-0", f"{18:020d}.txnindex")
    yield index, _entry_damages(index, "transaction_index", 0)
    snapshot = of("kraft/transactions-0", f"{30:020d}.snapshot")
    yield snapshot, _snapshot_damages(snapshot)
    metadata = of("kraft/__cluster_metadata-0", f"{3:020d}-{1:010d}.checkpoint")
    site = DamageSite(metadata, 1)
    yield metadata, site.logs(_metadata_damages(site))
    for path in (
        "kraft/bootstrap.checkpoint",
        "kraft/meta.properties",
        "kraft/.kafka_cleanshutdown",
        "kraft/recovery-point-offset-checkpoint",
        "kraft/leader-epochs-0/leader-epoch-checkpoint",
        "kraft/leader-epochs-0/partition.metadata",
        "kraft/__cluster_metadata-0/quorum-state",
        "zookeeper/meta.properties",
    ):
        file = files[f"sound/{path}"]
        yield file, (_log_damages(file, foreign) if file.parts else _text_damages(file))


__all__ = ["ROOT", "Damage", "DamageSite", "DamagedFolder", "damaged_files", "mended"]
