"""`docs/messages.md`: Kafka's own records, in its internal topics, its metadata log, its snapshots and control batches.

Made of the shipped schemas (``formats/messages/schemas.json``), of our own words (`tools.message_words`,
`tools.message_fields`), and of real bytes out of `samples/` (`tools.message_examples`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from kformat.kafka.batch.records import CONTROL_VALUES
from kformat.kafka.messages.decoding import CLUSTER_METADATA, OFFSETS, REMOTE_METADATA, SHARE_STATE, TRANSACTIONS
from kformat.kafka.messages.kafka_json import camel
from kformat.kafka.messages.schemas import (
    COORDINATOR_KEY,
    DATA,
    SIMPLE,
    Schema,
    SchemaField,
    Versions,
    schema,
    schemas,
    snake,
)
from kformat.language.pages import code, table
from tests.judges import releases
from tools import documents
from tools.message_examples import ASSIGNMENT, CONTROL_KEY, SUBSCRIPTION, MessageExample, example
from tools.message_fields import words_of
from tools.message_words import ENUMS, WORDS
from tools.messages import ELSEWHERE

WIDTH: Final = 116
"""Columns of an example."""
_MOST_IN_A_TYPE, _MOST_IN_A_LINE = 3, 5
_LINE_BYTES: Final = 48
_OLDEST: Final = releases.MESSAGES[-1]
_TOPICS: Final = {
    OFFSETS: ("`__consumer_offsets`", "group-coordinator"),
    TRANSACTIONS: ("`__transaction_state`", "transaction-coordinator"),
    SHARE_STATE: ("`__share_group_state`", "share-coordinator"),
    CLUSTER_METADATA: ("`__cluster_metadata`", "metadata"),
    REMOTE_METADATA: ("`__remote_log_metadata`", "storage"),
}
_INSIDE: Final = {
    SUBSCRIPTION: "`subscription` of the members in [group_metadata](#group_metadata), and `metadata` of those in "
    "[consumer_group_member_metadata](#consumer_group_member_metadata) that speak the classic protocol",
    ASSIGNMENT: "`assignment` of the members in [group_metadata](#group_metadata)",
    "quorum_state_data": "no log",
    "default_principal_data": "requests that brokers pass on to the controller, and in no log",
}


class RecordType(NamedTuple):
    """A record type: its name here, and the messages of its key, if it has one, and of its value."""

    name: str
    key: Schema | None
    value: Schema
    older: tuple[Schema, ...] = ()
    """The values that other releases wrote with the same version."""

    @property
    def number(self) -> int | None:
        return self.value.key if self.key is None else self.key.key

    @property
    def words(self) -> str:
        return WORDS[self.value.name]


def record_types(decoder: str) -> list[RecordType]:
    """The record types of a topic, by their numbers; without those of the preview of 2.8."""
    part = _TOPICS[decoder][1]
    found = [it for it in schemas().values() if it.part == part and not _is_preview(it) and it.name not in ELSEWHERE]
    keys = {it.name.removesuffix("Key"): it for it in found if it.kind == COORDINATOR_KEY}
    values = [it for it in found if it.kind != COORDINATOR_KEY and not it.variant]
    types = []
    for value in values:
        name = value.name.removesuffix("Value") if keys else value.name
        types.append(RecordType(snake(name), keys.get(name), value, _older(value)))
    return sorted(types, key=lambda it: it.number or 0)


def _older(value: Schema) -> tuple[Schema, ...]:
    return tuple(it for it in schemas().values() if it.name == value.name and it.variant and not _is_preview(it))


def _is_preview(it: Schema) -> bool:
    return it.part == "metadata" and it.releases[0] == _OLDEST


def preview() -> list[Schema]:
    """The records of 2.8's preview of the metadata log whose bytes no later release reads so."""
    return sorted((it for it in schemas().values() if _is_preview(it)), key=lambda it: it.key or 0)


# --- releases and versions --------------------------------------------------------------------------------------------


def releases_of(it: Schema) -> str:
    """The releases that have a message: "3.9.2 and newer"."""
    known = [one for one in reversed(releases.MESSAGES) if one in it.releases]
    if known[-1] != releases.NEWEST:
        return f"{', '.join(known)} only"
    return f"{known[0]} and newer" if len(known) > 1 else known[0]


def versions_of(it: Schema) -> str:
    """Its versions, which are flexible, and which releases have fewer: "0-4 (2.8.2: 0-3), flexible from 4"."""
    known = reversed(list(zip(it.releases, it.release_versions, strict=True)))
    fewer = [f"{one}: {versions}" for one, versions in known if versions != it.versions]
    flexible = it.flexible.within(it.versions)
    text = str(it.versions) + (f" ({', '.join(fewer)})" if fewer else "")
    start = "" if flexible == it.versions else f" from {flexible.first}"
    return f"{text}, flexible{start}" if flexible else text


def _range(versions: Versions, around: Versions) -> str:
    """The versions that have a field; "" for all."""
    inside = versions.within(around)
    if inside == around:
        return ""
    return f"{inside.first}+" if inside.last == around.last else str(inside)


# --- the fields of a record -------------------------------------------------------------------------------------------


class _Fields:
    """The rows of one message's fields: name, type, versions, and what each holds. A structure whose fields need no
    words stands in its type, and one that was there before is named."""

    def __init__(self, of: Schema) -> None:
        self.of = of
        self.seen: dict[tuple[SchemaField, ...], str] = {}

    def rows(self, fields: Iterable[SchemaField], around: Versions, path: str = "") -> Iterator[tuple[str, ...]]:
        for it in fields:
            versions = it.versions.within(around)
            if not versions:
                continue
            name, is_spread = f"{path}{camel(it.name)}", False
            if it.element in SIMPLE:
                kind = it.element
            elif it.fields in self.seen:
                kind = f"structure as in {code(self.seen[it.fields])}"
            elif self._is_short(it, versions):
                kind = ", ".join(f"{camel(one.name)}: {_array(one, one.element)}" for one in it.fields)
                kind = f"({kind})"
            else:
                kind, is_spread = "structure", True
                self.seen[it.fields] = name
            yield code(name), _array(it, kind), _range(it.versions, around), _meaning(self.of, it)
            if is_spread:
                yield from self.rows(it.fields, versions, f"{name}{'[]' * it.is_array}.")

    def _is_short(self, it: SchemaField, versions: Versions) -> bool:
        return len(it.fields) <= _MOST_IN_A_TYPE and all(
            one.element in SIMPLE and not _meaning(self.of, one) and versions.within(one.versions) == versions
            for one in it.fields
        )


def _array(it: SchemaField, kind: str) -> str:
    return f"array of {kind}" if it.is_array else kind


def _meaning(of: Schema, it: SchemaField) -> str:
    names = ENUMS.get(f"{of.name}.{it.name}")
    told = [", ".join(f"{number} {name}" for number, name in sorted(names.members.items()))] if names else []
    told += [words_of(of.name, it.name)]
    if it.nullable.within(of.versions) and "null" not in told[-1]:
        told.append("may be null")
    if it.tag is not None:
        default = "" if not it.has_default else f", without it {json.dumps(it.default)}"
        since = f", since {it.since}" if it.since else ""
        some = _range(it.tagged, of.versions)
        told.append(f"tag {it.tag}{f' in {some}' if some else ''}{default}{since}")
    return "; ".join(filter(None, told))


def _bytes_of(record: RecordType) -> str:
    """What stands in front of the value's fields."""
    of, key = record.value, record.key
    if key is not None:
        fields = "".join(f", {name} {type}" for name, type, *_ in _Fields(key).rows(key.fields, key.versions))
        return f"Key: `00 {key.key:02x}`{fields}. Value: its version (int16), then the fields."
    return "" if of.has_own_version or of.kind == DATA else f"The value begins with `01 {of.key:02x}` and its version."


# --- examples ---------------------------------------------------------------------------------------------------------


def _json_lines(value: Any, indent: str = "") -> Iterator[str]:
    """JSON in lines of at most `WIDTH`, as long as they may be."""
    whole = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(whole) <= WIDTH or not isinstance(value, dict | list) or not value:
        yield whole
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    items = list(value.items()) if isinstance(value, dict) else [("", item) for item in value]
    line = opening
    for number, (name, item) in enumerate(items):
        head = f"{json.dumps(name)}: " if isinstance(value, dict) else ""
        comma = "," if number + 1 < len(items) else closing
        first, *rest = _json_lines(item, f"{indent}  {head}")
        if rest or len(indent) + len(line) + len(head) + len(first) + 2 > WIDTH:
            if line != opening:
                yield line
            line = " " if line != opening else opening
        line = f"{line}{'' if line == opening else ' '}{head}{first}"
        for more in rest:
            yield line
            line = f"  {more}"
        line += comma
    yield line


def _block(label: str, data: bytes, value: dict[str, Any]) -> Iterator[str]:
    heads = iter([f"{label}  " if label else ""])
    blank = " " * (len(label) + 2 if label else 0)
    for start in range(0, len(data), _LINE_BYTES):
        yield f"{next(heads, blank)}{data[start : start + _LINE_BYTES].hex(' ', -4)}"
    for line in _json_lines(value, blank):
        yield f"{blank}{line}"


def _example(of: Schema, key: Schema | None) -> Iterator[str]:
    made: MessageExample = example(of, key)
    version = "" if of.versions.first == of.versions.last else f", version {made.version}"
    yield f"{made.place or 'No sample has one; built by kformat'}{version}."
    yield "```text"
    if made.key_json is not None:
        yield from _block("key  ", made.key, made.key_json)
    yield from _block("value" if made.key_json is not None else "", made.data, made.json)
    yield "```"
    yield ""


# --- sections ---------------------------------------------------------------------------------------------------------


def _declared(it: Schema) -> str:
    return f"[`{it.id}`](../formats/messages/{it.id}.ksy)"


def _section(record: RecordType, head: str) -> Iterator[str]:
    of, older = record.value, record.older
    also = "".join(f" ({it.variant}: {_declared(it)})" for it in older)
    key = f"{_declared(record.key)} and " if record.key is not None else ""
    yield f"### {record.name}"
    yield ""
    yield f"{head} {_words(record.words)}"
    yield f"Versions: {versions_of(of)}. Schema in: {releases_of(of)}. Declarations: {key}{_declared(of)}{also}."
    yield from filter(None, [_bytes_of(record)])
    rows = list(_Fields(of).rows(of.fields, of.versions))
    is_plain = not any("." in name or versions or words for name, _, versions, words in rows)
    if is_plain and len(rows) <= _MOST_IN_A_LINE:
        yield f"Fields: {', '.join(f'{name} {type}' for name, type, *_ in rows) or 'none'}."
    else:
        yield ""
        yield from table(("field", "type", "versions", "what it holds"), rows)
    yield ""
    yield from _example(of, record.key)


def _words(told: str) -> str:
    """The words of a value without the name of its topic, which the section says."""
    told = re.sub(r"^(Value of a record of `\w+`|A record of `\w+`|Metadata( of 2\.8's preview)?): ", "", told)
    return told[:1].upper() + told[1:]


def _contents(decoder: str) -> Iterator[str]:
    rows = []
    for record in record_types(decoder):
        number = record.number or 0
        begins = f"{number:04x}" if record.key is not None else f"01{number:02x}"
        begins = f"`{begins[:2]} {begins[2:]}`"
        versions, since = versions_of(record.value).partition(",")[0], releases_of(record.value)
        rows.append((begins, str(number), f"[{record.name}](#{record.name})", _short(record.words), versions, since))
    begin = "the key begins with" if record_types(decoder)[0].key is not None else "the value begins with"
    yield from table((begin, "type", "record", "what it says", "versions", "schema in"), rows, right=("type",))
    yield ""


def _short(words: str) -> str:
    """The words of a value without what its topic's table says already, and its first sentence alone."""
    return _words(words).partition("; ")[0].partition(". ")[0].rstrip(".")


def _control_rows() -> list[tuple[str, ...]]:
    names = {name: number for number, name in ENUMS["ControlRecordTypeSchema.Type"].members.items()}
    return [
        (
            f"`00 00 00 {names[name]:02x}`",
            str(names[name]),
            code(name),
            f"[{value}](#{value})",
            releases_of(schema(value)),
        )
        for name, value in CONTROL_VALUES.items()
    ]


def _alone(ids: Iterable[str], where: Any) -> Iterator[str]:
    """Sections of messages that are no record's value of a topic."""
    for id in ids:
        yield from _section(RecordType(id, None, schema(id), _older(schema(id))), where(id))


def _preview_rows() -> list[tuple[str, ...]]:
    return [
        (f"`00 {it.key or 0:02x}`", _declared(it), _short(WORDS[it.name]),
         ", ".join(f"`{camel(field.name)}`" for field in it.fields))
        for it in preview()
    ]  # fmt: skip


def page() -> str:
    """The whole page."""
    return documents.refreshed(source(), "docs/messages.md")


def source() -> str:
    """The page before its example ran."""
    lines = [_HEAD]
    for decoder, (topic, _) in _TOPICS.items():
        lines += [f"### Types of {topic.strip('`')}", "", _ABOUT[decoder], "", *_contents(decoder)]
    control_head = ("the key begins with", "type", "record", "value", "releases whose schemas have it")
    lines += [
        "### Types of control records",
        "",
        _CONTROL,
        "",
        *table(control_head, _control_rows(), right=("type",)),
        "",
    ]
    lines += [_ENCODING]
    for decoder, (topic, _) in _TOPICS.items():
        lines += [f"## {topic.strip('`')}", ""]
        for record in record_types(decoder):
            lines += _section(record, f"{topic}, type {record.number}.")
    lines += ["## Control records", ""]
    lines += _alone([CONTROL_KEY, *dict.fromkeys(CONTROL_VALUES.values())], lambda id: "Control batches.")
    lines += ["## Messages elsewhere", "", _ELSEWHERE, ""]
    lines += _alone(_INSIDE, lambda id: f"In {_INSIDE[id]}.")
    head = ("the value begins with", "record", "what it says", "fields")
    lines += ["## The preview of 2.8", "", _PREVIEW, "", *table(head, _preview_rows())]
    return "\n".join(lines).rstrip() + "\n"


_ABOUT: Final = {
    OFFSETS: "The value's first two bytes are its version. A key without a value is a tombstone: the thing is gone.\n"
    "Types 0 and 1 are committed offsets, whatever the group; 2 is a group of the classic protocol; the others belong\n"
    "to consumer, share and streams groups.",
    TRANSACTIONS: "The value's first two bytes are its version. A key without a value says that the id has expired.",
    SHARE_STATE: "The value's first two bytes are its version. The latest snapshot counts, with the updates after it.",
    CLUSTER_METADATA: "Records have no key. The value begins with three varints, most often a byte each: the frame's\n"
    "version (1), the type, the version. Snapshots (`<end offset>-<epoch>.checkpoint`) and `bootstrap.checkpoint`\n"
    "have the same records, between a [snapshot_header_record](#snapshot_header_record) and a\n"
    "[snapshot_footer_record](#snapshot_footer_record) in control batches.",
    REMOTE_METADATA: "Records have no key. The value begins with three varints, as in the metadata log.",
}
_CONTROL: Final = """\
A batch with the attribute `is_control` has records that consumers never see, in any partition: the end of a
transaction, and in the metadata log and its snapshots what the quorum says of itself. The key is two numbers, its
version and the type; the value begins with a version of its own."""
_HEAD: Final = """\
# Kafka's own records, byte by byte

Generated by `make generate` from [the schemas](../formats/messages/schemas.json) of Kafka 2.8.2, 3.9.2, 4.3.1 and
4.4.0. *Schema in* names those of the four that have a record's schema; brokers may have written the bytes before.

Brokers keep what they know in topics, too: groups and their offsets, transactions, the cluster's metadata. This page
says what these bytes are. `kformat dump --decode` prints them, as do the decoders of Kafka's own tool;
`kformat topics`, `groups`, `transactions` and `cluster` say
[what they add up to](cli.md#topics-groups-transactions-and-cluster).

```console
$ kformat dump --decode samples/4.4.0/__consumer_offsets-0/00000000000000000000.log | grep -m 1 -o 'key: .*'
```

## Which record is it?

| where | look at | then |
| --- | --- | --- |
| a control batch, in any log | the key's third and fourth byte: the type | [types](#types-of-control-records) |
| `__consumer_offsets` | the key's first two bytes: the type | [types](#types-of-__consumer_offsets) |
| `__transaction_state` | the key's first two bytes: always 0 | [types](#types-of-__transaction_state) |
| `__share_group_state` | the key's first two bytes: the type | [types](#types-of-__share_group_state) |
| `__cluster_metadata`, `*.checkpoint` | the value's second byte: the type | [types](#types-of-__cluster_metadata) |
| `__remote_log_metadata` | the value's second byte: the type | [types](#types-of-__remote_log_metadata) |

So `00 01` at the beginning of a key of `__consumer_offsets` is type 1, a committed offset, and its value is an
[offset_commit](#offset_commit) of the version in its own first two bytes. Before 4.0 Kafka's code called the type the
version of the key.
"""
_ENCODING: Final = """\
## How fields lie

Fields follow each other in the order of the tables, without padding; numbers are big-endian. A version is *flexible*
(KIP-482) if it has compact lengths and tagged fields.

| type | not flexible | flexible |
| --- | --- | --- |
| int8, int16, uint16, int32, int64, float64 | as many bytes | the same |
| bool | a byte, 0 or 1 | the same |
| uuid | 16 bytes; in JSON base64, 22 characters | the same |
| string | int16 length, -1 for null; UTF-8 | varint of length + 1, 0 for null; UTF-8 |
| bytes | int32 length, -1 for null | varint of length + 1, 0 for null |
| array | int32 count, -1 for null; elements | varint of count + 1, 0 for null; elements |
| structure | its fields | its fields, and tagged fields |
| structure that may be null | int8, -1 for null; its fields | the same, and tagged fields |
| tagged fields, after all others | none | varint of their count; for each its tag and size, both varints, and it |

Varints here are unsigned ([formats](formats/varint.md)). A field with a tag stands among the tagged fields, and only if
it is not the default. Every key of a coordinator's topic is not flexible.

In the tables below, *versions* are those that have a field, if not all have it. Names are those of Kafka's JSON; in
kformat's values they are in snake_case (`leader_epoch`). After the bytes of an example comes its JSON as Kafka writes
it, with bytes in base64. kformat builds an example, with made-up values, where no sample has the record.
"""
_ELSEWHERE: Final = """\
Two more messages are whole files: a [producer snapshot](formats/producer_snapshot.md), and the entries of a
[transaction index](formats/transaction_index.md)."""
_PREVIEW: Final = """\
The preview of KRaft in 2.8 wrote other bytes with the same types and versions. Its frame has version 0, so these values
begin with `00`. Later releases cannot read such a log."""


__all__ = ["RecordType", "page", "preview", "record_types"]
