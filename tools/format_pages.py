"""`docs/formats/`: a page for every declaration, for readers who want the bytes and no YAML.

Tables and pictures are `kformat.language.pages`'; what this adds is what the declarations' heads say, and real bytes,
read by `kformat.codec.trace`: Kafka's, from the golden vectors of the tests and from `samples/`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from kformat.codec.trace import Span, trace
from kformat.language import pages as pages_of
from kformat.language.declaration import load_declaration
from kformat.language.layout import layout
from kformat.language.pages import code, names, table
from kformat.language.program import TypeProgram, load_program
from kformat.language.shipped import shipped_names
from tests import vectors
from tests.kaitai_witness import LIBRARY
from tools.documents import ROOT
from tools.stubs import types

FOLDER = "docs/formats"
ORIGINAL = "Kafka's name"
LINKS = {"varint": "varint.md"}
MADE = "Generated from [`formats/{name}.ksy`](../../formats/{name}.ksy) by `make generate`."


@dataclass(frozen=True)
class Example:
    """Bytes of Kafka's and what they are: of a type that can be parsed by itself; ``origin`` says who wrote them."""

    title: str
    origin: str
    format: str
    data: bytes


def examples() -> dict[str, list[Example]]:
    """Declaration -> worked examples."""
    classes = "Written by Kafka's own classes."
    found: dict[str, list[Example]] = {}
    titles = {"none": "two records", "gzip": "the same, compressed", "commit marker": "end of a transaction"}
    for name, title in titles.items():
        found.setdefault("record_batch", []).append(Example(title, classes, "record_batch", vectors.BY_NAME[name].data))
    for name in ("offset_index", "time_index"):
        path = f"samples/4.3.1/rolled-by-bytes-0/00000000000000000200.{_meta(name)['file-extension']}"
        data = (ROOT / path).read_bytes()[: 3 * layout(f"{name}::entry").size]
        found[name] = [Example("the first entries of a file", f"Written by a broker: `{path}`.", name, data)]
    for message in vectors.LEGACY:
        if message.name in ("magic 0, none", "magic 1, none", "magic 1, gzip"):
            entry = message.data[: message.sizes[0]]
            found.setdefault("legacy_message", []).append(Example(message.name, classes, "legacy_message", entry))
    first = {vector.type: vector for vector in reversed(vectors.SMALL_FILES)}
    for vector in sorted(first.values(), key=vectors.SMALL_FILES.index):
        name = vector.type.partition("::")[0]
        found.setdefault(name, []).append(Example(vector.name, classes, vector.type, vector.data))
    return found


# --- a page -----------------------------------------------------------------------------------------------------------


def _meta(name: str) -> dict[str, Any]:
    return dict(yaml.safe_load(load_declaration(name).text)["meta"])


def source_link(reference: str) -> str:
    """`doc-ref` as a link with the file's name and revision: "DefaultRecordBatch.java, Kafka 4.0.0"."""
    address, _, rest = reference.partition(" ")
    match = re.search(r"/blob/(?P<revision>[^/]+)/.*?(?P<file>[^/]+)$", address)
    label = f"{match['file']}, Kafka {match['revision']}" if match else address
    return f"[{label}]({address})" + (f" ({rest})" if rest else "")


def page(name: str) -> str:
    """The page of one declaration."""
    text = yaml.safe_load(load_declaration(name).text)
    meta = text["meta"]
    lines = [f"# {meta['title']}", "", MADE.format(name=name), ""]
    extension = meta.get("file-extension")
    facts = [f"Files: `*.{extension}`."] if extension else []
    if name not in LIBRARY:
        facts += ["All numbers are big-endian." if meta["endian"] == "be" else "All numbers are little-endian."]
    facts += [f"Source: {source_link(text['doc-ref'])}."]
    lines += [" ".join(facts), "", text["doc"].strip(), ""]
    lines += _varint(text) if name in LIBRARY else _types(name, text)
    return "\n".join(lines).rstrip() + "\n"


def _types(name: str, text: dict[str, Any]) -> list[str]:
    known = {key: program for key, program in types().items() if key.partition("::")[0] == name}
    labels = {key.rpartition("::")[2] for key in known}
    order = [name, *(f"{name}::{inner}" for inner in text.get("types", {}))]
    lines = ["## Bytes", ""]
    for key in order:
        if key not in known:
            continue
        node = text if key == name else text["types"][key.partition("::")[2]]
        if key != name:
            lines += [f"## {known[key].label}", "", *_type_head(known[key], node)]
        table_of = pages_of.fields_table(known[key], labels, ORIGINAL, LINKS)
        lines += [*pages_of.picture_block(known[key]), *table_of, "", *pages_of.rules_of(known[key])]
    lines += [*pages_of.column_notes(lines), ""]
    for enum in load_program(name).enums.values():
        lines += [f"## {enum.name.rpartition('::')[2]}", "", *pages_of.enum_table(enum, ORIGINAL), ""]
    for example in examples().get(name, []):
        lines += [f"## Example: {example.title}", "", example.origin, "", *_example(example), ""]
    return lines


def _type_head(program: TypeProgram, node: dict[str, Any]) -> list[str]:
    facts = [str(node.get("doc", "")).strip()]
    if program.original_id not in ("", program.label):
        facts.append(f"Kafka calls it `{program.original_id}`.")
    if "doc-ref" in node:
        facts.append(f"Source: {source_link(node['doc-ref'])}.")
    if program.parameters:
        facts.append(f"Its layout depends on {names(program.parameters)} of the structure that it is in.")
    if layout(program).is_fixed:
        size = layout(program).size
        facts.append(f"Always {size} byte{'s' * (size > 1)}.")
    return [" ".join(filter(None, facts)), ""] if any(facts) else []


def _example(example: Example) -> list[str]:
    label = example.format.rpartition("::")[2]
    spans = list(trace(example.format, example.data))
    rows = [_span_row(span, label) for span in spans]
    lines = ["```text"]
    lines += [example.data[start : start + 32].hex(" ", -4) for start in range(0, len(example.data), 32)]
    lines += ["```", "", *table(("position", "bytes", "field", "value"), rows, right=("position",))]
    if any(span.inflated_position is not None for span in spans):
        lines += ["", "Positions with a + are those in the decompressed bytes."]
    return lines


def _span_row(span: Span, label: str) -> Sequence[str]:
    position = str(span.position) if span.inflated_position is None else f"+{span.inflated_position}"
    shown = [_shown(span.value)] if span.kind == "field" else []
    shown += [f"so {span.absolute}"] if span.absolute is not None else []
    shown += [f"which {span.remark}" if shown else span.remark] if span.remark else []
    return position, code(span.data.hex(" ")), code(span.path.removeprefix(f"{label}.")), ", ".join(filter(None, shown))


def _shown(value: Any) -> str:
    """A value in few words; bytes that are not text stand in the column before."""
    if value is None:
        return "null"
    if hasattr(value, "_asdict"):
        return ", ".join(f"`{name}` {int(part)}" for name, part in value._asdict().items() if part) or "all 0"
    if isinstance(value, bytes):
        return code(repr(value)) if value.isascii() and value.decode().isprintable() else ""
    return code(repr(int(value) if isinstance(value, int) else value))


# --- what is not like the others --------------------------------------------------------------------------------------


def _varint(text: dict[str, Any]) -> list[str]:
    """The page of varints, which are no structure of fields: what the type says, and values next to their bytes."""
    unsigned = text["types"]["unsigned"]
    rows = [(str(value), code(data), str(most)) for value, data, most in vectors.VARINTS]
    longer = [(str(value), code(data), str(most)) for value, data, most in vectors.LONG_VARINTS]
    head = ("value", "bytes", "`max_len`")
    return [
        "## unsigned",
        "",
        unsigned["doc"].strip(),
        "",
        "## Example: the shortest form, which writers emit",
        "",
        *table(head, rows, right=("value", "`max_len`")),
        "",
        "## Example: longer forms, which readers accept",
        "",
        *table(head, longer, right=("value", "`max_len`")),
    ]


def index() -> str:
    """The list of pages."""
    rows = []
    for name in shipped_names():
        text = yaml.safe_load(load_declaration(name).text)
        extension = text["meta"].get("file-extension")
        rows.append((f"[{name}]({name}.md)", code(f"*.{extension}") if extension else "", text["meta"]["title"]))
    return "\n".join(
        [
            "# Kafka's files, byte by byte",
            "",
            "Made from the declarations in [`formats/`](../../formats/README.md) by `make generate`: a page for each,",
            "with every field's position, size, type, meaning and rules, and real bytes read field by field. In a",
            "terminal, `kformat describe` prints the tables.",
            "",
            *table(("format", "files", "what it is"), rows),
            "",
        ]
    )


def pages() -> dict[str, Callable[[], str]]:
    """Path in the tree -> what makes it."""
    made: dict[str, Callable[[], str]] = {f"{FOLDER}/README.md": index}
    for name in shipped_names():
        made[f"{FOLDER}/{name}.md"] = functools.partial(page, name)
    return made
