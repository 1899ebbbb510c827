"""Differences of keys and values that are Kafka's own messages, field by field of what JSON shows of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from kformat.codec.json_form import to_json
from kformat.codec.values import MISSING
from kformat.diff.fields import OneSided, Told
from kformat.errors import DataError
from kformat.kafka.columns.messages import KAFKA, type_name
from kformat.kafka.log.partition import topic_of
from kformat.kafka.messages.decoding import TOPICS, decoder_of


class DecodedRecords:
    """Compares the keys and values of one topic's records; of a topic that is not Kafka's own, none.

    Attributes:
        counts: by side, layout, and whether they were parsed, as `refused_remarks` takes them.
    """

    def __init__(self, topic: str, bytes_as: str = "base64") -> None:
        self._decoder, self._bytes_as = decoder_of(topic), bytes_as
        self.counts = Counter[tuple[str, str, bool]]()

    def differences(self, path: str, side: str, a: Any, b: Any) -> list[Told] | None:
        """The differences of the keys, or the values, that ``side`` names, of two records.

        Paths have the type of the message, as columns have: ``value.offset_commit.offset``. None if the bytes have to
        be compared: one of them does not parse, or both have the same fields.
        """
        if self._decoder is None or (side == "key" and not self._decoder.has_keys):
            return None
        shown = [self._shown(side, getattr(record, side), getattr(record, "key", None)) for record in (a, b)]
        if MISSING in shown:
            return None
        return list(_unlike(path, *shown)) or None

    def _shown(self, side: str, data: bytes | None, key: bytes | None) -> Any:
        """The message as an object with one member, its type; None for null, and `MISSING` for what does not parse."""
        assert self._decoder is not None
        if data is None:
            return None
        try:
            message = self._decoder.key(data) if side == "key" else self._decoder.value(data, key)
            shown = {type_name(message.schema): to_json(message.value, bytes_as=self._bytes_as)}
        except DataError:
            self.counts[side, KAFKA, False] += 1
            return MISSING
        self.counts[side, KAFKA, True] += 1
        return shown


def decoded_records(a: Path, b: Path, bytes_as: str | None) -> DecodedRecords:
    """What compares the records of two folders, or files, one of which may be a copy with another name; None for
    ``bytes_as`` decodes nothing.
    """
    topics = [topic_of(path) for path in (a, b)] if bytes_as is not None else []
    return DecodedRecords(next((topic for topic in topics if topic in TOPICS), ""), bytes_as or "base64")


def _unlike(path: str, a: Any, b: Any) -> Iterator[Told]:
    """The differences of two values of JSON; elements of lists are aligned by their indexes, and members that only one
    object has are null in the other. Objects without a common member differ as a whole.
    """
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() & b.keys():
        for name in {**a, **b}:
            yield from _unlike(f"{path}.{name}", a.get(name), b.get(name))
    elif isinstance(a, list) and isinstance(b, list):
        for number, (x, y) in enumerate(zip_longest(a, b, fillvalue=MISSING)):
            if x is MISSING or y is MISSING:
                side, longer = (0, a) if y is MISSING else (1, b)
                yield OneSided(side, path, "", list(dict.fromkeys((number, len(longer) - 1))), len(longer) - number)
                return
            yield from _unlike(f"{path}[{number}]", x, y)
    elif a != b:
        yield path, a, b


__all__ = ["DecodedRecords", "decoded_records"]
