"""Named damages of logs of magic 0 and 1: files of old brokers with something changed, and entries made for it.

What is made has the form of `damages.replaced`: one segment in use, whose indexes are room to grow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kformat
from kformat.corpus import edits
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.compression import compress
from kformat.language.layout import layout
from tests.damages import BASE_TIMESTAMP_MS, Damage, Folder, data_batch, put, stem
from tests.damages import entries as index_entries
from tests.samples import ROOT

ENTRY, MESSAGE = layout("legacy_message"), layout("legacy_message::message")
START = ENTRY.position("message")
GZIP = 1
TIME = BASE_TIMESTAMP_MS


def sample_folder(version: str, name: str) -> Folder:
    """The files of a sample's partition."""
    return {path.name: path.read_bytes() for path in sorted((ROOT / version / name).iterdir())}


# Entries


def message(magic: int, **fields: Any) -> dict[str, Any]:
    """A message's fields; key, value, timestamp and attributes may be given."""
    time = {"timestamp": TIME} if magic else {}
    return {"magic": magic, "key": b"key", "value": b"some value", **time, **fields}


def plain(offset: int, magic: int = 1, **fields: Any) -> bytes:
    """An entry that is no wrapper."""
    return kformat.build("legacy_message", {"offset": offset, "message": message(magic, **fields)})


def inner(number: int, magic: int = 1, **fields: Any) -> bytes:
    """An entry of a wrapper, with what is stored as its offset."""
    return kformat.build("legacy_message::wrapped_message", {"offset": number, "message": message(magic, **fields)})


def wrapper(offset: int, *messages: bytes, magic: int = 1, codec: int = GZIP, **fields: Any) -> bytes:
    """A wrapper around messages as they lie in it; ``message_set`` gives the compressed bytes instead."""
    payload = compress(codec, b"".join(messages)) if messages else b""
    fields = {"key": None, "message_set": payload, "attributes": {"compression": codec}, **fields}
    outer = message(magic, **fields)
    del outer["value"]
    return kformat.build("legacy_message", {"offset": offset, "message": outer})


def three(magic: int, first: int) -> list[bytes]:
    """Three messages of a wrapper: numbered from 0, or with offsets from ``first`` on where magic 0 asks for that."""
    return [inner(number if magic else first + number, magic) for number in range(3)]


def patched(entry: bytes, *, mend: bool = True, **fields: int) -> bytes:
    """The entry with other values in its fixed fields, and the checksum of what it is then."""
    for name, value in fields.items():
        is_framing = name in (ENTRY.header_dtype.names or ())
        entry = edits.put(entry, *((ENTRY, name, value) if is_framing else (MESSAGE, name, value, START)))
    return edits.summed(entry, MESSAGE, START) if mend else entry


def in_message(entry: bytes, old: bytes, new: bytes) -> bytes:
    """The entry with some bytes behind its fixed fields replaced, its size and checksum those of what it is then."""
    start = START + MESSAGE.header_dtype.itemsize
    assert entry.count(old, start) == 1
    changed = entry[:start] + entry[start:].replace(old, new)
    return patched(changed, message_size=len(changed) - START)


# Folders


def in_use(*entries: bytes, base_offset: int = 0) -> Folder:
    """A segment in use with these entries."""
    name = stem(base_offset)
    return {f"{name}.log": b"".join(entries), f"{name}.index": bytes(8), f"{name}.timeindex": bytes(24)}


def made(*entries: bytes, base_offset: int = 0) -> Callable[[Folder], Folder]:
    return lambda _: in_use(*entries, base_offset=base_offset)


def of_sample(version: str, name: str, change: Callable[[Folder], Folder]) -> Callable[[Folder], Folder]:
    """A change of a sample's partition."""
    return lambda _: change(sample_folder(version, name))


def entry_changed(number: int, change: Callable[[bytes], bytes]) -> Callable[[Folder], Folder]:
    """One entry of the first segment changed, its size kept."""

    def changed(folder: Folder) -> Folder:
        name = f"{stem(0)}.log"
        batches = [batch.raw for batch in iter_batches(folder[name])]
        size = len(batches[number])
        batches[number] = change(batches[number])
        assert len(batches[number]) == size
        return folder | {name: b"".join(batches)}

    return changed


def sound_log(magic: int) -> list[bytes]:
    """Plain messages and wrappers."""
    return [
        plain(3, magic),
        wrapper(6, *three(magic, 4), magic=magic),
        wrapper(12, *([inner(n, 1) for n in (0, 2)] if magic else [inner(n, 0) for n in (9, 12)]), magic=magic),
        plain(20, magic, key=None, value=None),
    ]


def _bit(name: str) -> int:
    return 1 << MESSAGE.bits("attributes")[name].shift


def _flipped_crc(entry: bytes) -> bytes:
    """A wrapped message whose checksum is another's."""
    at = layout("legacy_message::wrapped_message").position("message") + MESSAGE.position("crc")
    return entry[:at] + bytes([entry[at] ^ 1]) + entry[at + 1 :]


def _damage(rule: str, name: str, change: Callable[[Folder], Folder], *others: str, **more: Any) -> Damage:
    return Damage(rule, f"magic 0 and 1: {name}", change, frozenset(others), **more)


DAMAGES = (
    # Framing
    _damage("KF0102", "the last entry cut off", lambda _: in_use(plain(0), plain(1)[:-1])),
    _damage("KF0101", "a size of nothing", made(plain(0), patched(plain(1), message_size=0))),
    _damage("KF0106", "an entry over the limit", made(plain(0, value=bytes(700))), options={"inflate_limit": 600}),
    # Headers
    _damage("KF0201", "a byte of a message", made(plain(0), patched(plain(1), mend=False, crc=1), plain(2))),
    _damage("KF0201", "a byte of a wrapper", made(patched(wrapper(2, *three(1, 0)), mend=False, crc=1))),
    _damage(
        "KF0201",
        "a byte of a broker's wrapper",
        of_sample("0.10.2.2", "producer-gzip-0", entry_changed(3, lambda e: patched(e, mend=False, crc=5))),
    ),
    _damage(
        "KF0201",
        "a byte of a broker's message",
        of_sample("0.8.2.2", "plain-0", entry_changed(3, lambda e: patched(e, mend=False, crc=5))),
    ),
    _damage("KF0202", "a reserved bit", made(patched(plain(0), attributes=_bit("reserved")))),
    _damage("KF0202", "a timestamp type in magic 0", made(patched(plain(0, 0), attributes=_bit("timestamp_type")))),
    _damage("KF0203", "zstd", made(patched(wrapper(2, *three(1, 0)), attributes=4))),
    _damage("KF0207", "an offset below the segment", made(plain(4), base_offset=5)),
    _damage("KF0207", "a wrapper that begins below the segment", made(wrapper(6, *three(1, 4)), base_offset=5)),
    _damage("KF0208", "an offset twice", made(plain(0), plain(1), plain(1), plain(2))),
    _damage("KF0208", "a wrapper that begins at an offset there was", made(plain(4), wrapper(6, *three(1, 4)))),
    _damage("KF0210", "a time before all times", made(plain(0, timestamp=-2))),
    _damage("KF0214", "magic 0 behind magic 1", made(plain(0, 1), plain(1, 0))),
    _damage("KF0214", "magic 1 behind magic 2", made(data_batch(0, TIME), plain(3))),
    # Messages
    _damage("KF0301", "no gzip", made(wrapper(2, message_set=b"no gzip at all"))),
    _damage(
        "KF0302",
        "a bomb",
        made(wrapper(2, inner(0, value=bytes(2000)))),
        options={"inflate_limit": 600, "records": True},
    ),
    _damage("KF0309", "a time above all messages", made(wrapper(2, *three(1, 0), timestamp=TIME + 1))),
    _damage("KF0309", "a message above that time", made(wrapper(2, *three(1, 0), timestamp=TIME - 1))),
    _damage("KF0316", "a key that runs over", made(in_message(plain(0, key=b"abcd"), b"\0\0\0\x04", b"\0\0\1\x04"))),
    _damage("KF0316", "bytes behind the value", made(in_message(plain(0, value=b"value"), b"value", b"value."))),
    _damage("KF0316", "a message in a wrapper that is cut off", made(wrapper(1, inner(0), inner(1)[:-1]))),
    _damage("KF0317", "no value", made(wrapper(2, message_set=None, value_length=-1))),
    _damage("KF0317", "nothing in it", made(wrapper(2, message_set=compress(GZIP, b"")))),
    _damage("KF0318", "a wrapper in a wrapper", made(wrapper(2, inner(0, attributes={"compression": GZIP})))),
    _damage("KF0319", "a byte of a message in a wrapper", made(wrapper(2, *three(1, 0)[:2], _flipped_crc(inner(2))))),
    _damage("KF0320", "a number back", made(wrapper(3, inner(0), inner(2), inner(1), inner(3)))),
    _damage("KF0320", "an offset twice in magic 0", made(wrapper(2, inner(1, 0), inner(1, 0), inner(2, 0), magic=0))),
    _damage("KF0321", "magic 0, below the last message", made(wrapper(1, *three(0, 0), magic=0))),
    _damage("KF0321", "magic 1, below the last number", made(wrapper(1, *three(1, 0)))),
    _damage("KF0322", "numbered from 5", made(wrapper(6, inner(5), inner(6)))),
    _damage("KF0323", "a key", made(wrapper(2, *three(1, 0), key=b"key"))),
    _damage("KF0324", "magic 0 in a wrapper of magic 1", made(wrapper(1, inner(0, 0), inner(1)))),
    # Indexes
    _damage(
        "KF0005", "no offset index", of_sample("0.8.2.2", "plain-0", lambda f: {f"{stem(0)}.log": f[f"{stem(0)}.log"]})
    ),
    _damage(
        "KF0406",
        "in the middle of a message",
        of_sample(
            "0.8.2.2",
            "plain-0",
            index_entries(".index", lambda array: put(2, position=array["position"][2] + 1)(array)),
        ),
    ),
    _damage(
        "KF0407",
        "inside of a wrapper",
        of_sample(
            "0.9.0.1",
            "producer-gzip-0",
            index_entries(".index", lambda array: put(2, relative_offset=array["relative_offset"][2] + 1)(array)),
        ),
    ),
    _damage(
        "KF0507",
        "a time that no message has",
        of_sample(
            "0.10.2.2",
            "producer-gzip-0",
            index_entries(".timeindex", lambda array: put(2, timestamp=array["timestamp"][2] + 1)(array)),
        ),
    ),
)
