"""`docs/formats/`: a page for every declaration, for readers who want the bytes and no YAML.

What a field is, where it lies and what it means is `kformat.describe`'s; what this adds is Markdown, the parts of a
declaration that are no field (checksum, rules between rows, enums), and real bytes, read by `kformat.codec.trace`:
Kafka's, from the golden vectors of the tests and from `samples/`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from kformat.codec.trace import Span, trace
from kformat.language.declaration import load_declaration
from kformat.language.describe import FieldDescription, describe
from kformat.language.layout import layout
from kformat.language.program import Checksum, Enum, TypeProgram, Window, load_program
from kformat.language.shipped import shipped_names
from tests import vectors
from tests.kaitai_witness import LIBRARY
from tools.documents import ROOT
from tools.stubs import types

FOLDER = "docs/formats"
MADE = "Generated from [`formats/{name}.ksy`](../../formats/{name}.ksy) by `make generate`."

CHECKSUMS = {"crc32c": "CRC-32C (Castagnoli)", "crc32": "CRC-32 (that of zlib)"}
ROW_CHECKS = {"increasing": "rises", "non_decreasing": "does not fall"}

# What the columns mean, where a page has them.
COLUMNS = {
    "position": "*position*: bytes from the start of the type; none if it depends on earlier fields",
    "there if": "*there if*: otherwise the field is null and takes no bytes",
    "valid": "*valid*: what a reader takes; anything else is an error",
    "built": "*built*: what `kformat.build` writes if the object has no such field; *computed*: always computed",
}


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


# --- Markdown ---------------------------------------------------------------------------------------------------------


def cell(text: str) -> str:
    """Text for a table: one line, and no pipe that would end the cell."""
    return " ".join(text.split()).replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> list[str]:
    """A table without the columns that are empty in every row; ``right`` names those that hold numbers."""
    rows = [[cell(text) for text in row] for row in rows]
    kept = [index for index in range(len(head)) if any(row[index] for row in rows)]
    lines = [[head[index] for index in kept], ["--:" if head[index] in right else "---" for index in kept]]
    lines += [[row[index] for index in kept] for row in rows]
    return ["|" + "|".join(f" {text} " if text else " " for text in line) + "|" for line in lines]


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def names(items: Sequence[str]) -> str:
    """`a`, `b` and `c`."""
    quoted = [code(item) for item in items]
    return " and ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


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
    order = [name, *(f"{name}::{inner}" for inner in text.get("types", {}))]
    lines = ["## Bytes", ""]
    for key in order:
        if key not in known:
            continue
        node = text if key == name else text["types"][key.partition("::")[2]]
        if key != name:
            lines += [f"## {known[key].label}", "", *_type_head(known[key], node)]
        lines += [*_fields(known[key]), "", *_rules(known[key])]
    heads = {head.strip() for line in lines if line.startswith("| position") for head in line.split("|")}
    lines += [*(f"* {text}." for head, text in COLUMNS.items() if head in heads), ""]
    for enum in load_program(name).enums.values():
        lines += [f"## {enum.name.rpartition('::')[2]}", "", *_enum(enum), ""]
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


FIELD_HEAD = ("position", "size", "type", "name", "Kafka's name", "there if", "valid", "built", "meaning")


def _fields(program: TypeProgram) -> list[str]:
    described = list(describe(program).fields)
    if program.bits:
        head = ("bits", "name", "Kafka's name", "valid", "built", "meaning")
        return table(head, (_bits(program, field) for field in described), right=("bits",))
    rows = []
    for index, field in enumerate(described):
        inner = described[index + 1] if index + 1 < len(described) else None
        if index and field.name == described[index - 1].name and field.depth > described[index - 1].depth:
            continue  # what a window of its own name holds: reported with the window
        holds = inner if inner is not None and inner.name == field.name and inner.depth > field.depth else None
        rows.append(_row(program, field, holds))
    return table(FIELD_HEAD, rows, right=("position",))


def _row(program: TypeProgram, field: FieldDescription, holds: FieldDescription | None) -> Sequence[str]:
    window = next((step for step in program.steps if isinstance(step, Window) and step.name == field.name), None)
    size = field.size_text
    if field.size is None and not re.fullmatch(r"[\d-]+|the rest|its own|\d+ or 0", size):
        size = f"`{size.removesuffix(' times')}`" + " times" * size.endswith(" times")
    return (
        "" if field.position is None else str(field.position),
        {"its own": "varies"}.get(size, size),
        _type_cell(program, holds.type if holds else field.type, window, holds is not None),
        "· " * field.depth + code(field.name),
        code(field.original_name),
        code(field.condition),
        _valid(field),
        field.built if field.built in ("computed", "") else code(field.built),
        _meaning(program, field, window),
    )


def _type_cell(program: TypeProgram, text: str, window: Window | None, held: bool) -> str:
    """The type with a link to where it is explained."""
    if window is not None and not held:
        return "bytes, maybe compressed" if window.codec is not None else "structure"
    before, _, label = text.rpartition(" ")
    here = {key.rpartition("::")[2] for key in types() if key.startswith(f"{program.name.partition('::')[0]}::")}
    if label in here:
        return f"{before} [{label}](#{label})".strip() + (", maybe compressed" if window and window.codec else "")
    return f"[{text.partition(',')[0]}](varint.md){text[text.index(',') :]}" if "varint," in text else text


def _valid(field: FieldDescription) -> str:
    if field.enum and field.valid.startswith("one of"):
        return "a named value"
    return re.sub(r"[<>=]+ -?\d+|(?<![\w.])-?\d+", lambda match: code(match[0]), field.valid)


def _bits(program: TypeProgram, field: FieldDescription) -> Sequence[str]:
    bit = next(bit for bit in program.bits if bit.name == field.name)
    last = bit.shift + bit.width - 1
    where = str(bit.shift) if bit.width == 1 else f"{last}-{bit.shift}"
    built = code(field.built)
    return where, code(field.name), code(field.original_name), _valid(field), built, _meaning(program, field, None)


def _meaning(program: TypeProgram, field: FieldDescription, window: Window | None) -> str:
    parts = [field.doc.strip()]
    if field.enum and (enum := program.field(field.name).enum) is not None:
        label = enum.name.rpartition("::")[2]
        parts.append(f"See [{label}](#{label}).")
    if field.base:
        parts.append(f"Added to `{field.base}`.")
    if window is not None and window.codec is None and not field.doc:
        parts.append("The fields below, which must use up its bytes.")
    return " ".join(filter(None, parts))


def _rules(program: TypeProgram) -> list[str]:
    """Checksum, payload, and rules between rows, in sentences."""
    lines = []
    for step in program.steps:
        if isinstance(step, Checksum):
            lines += [_checksum(program, step.name), ""]
    for step in program.steps:
        if isinstance(step, Window) and step.codec is not None:
            lines += [
                f"Where `{step.codec}` is not 0, the bytes of `{step.name}` are compressed, all together, by the codec "
                "that it names; their fields below are those after decompression.",
                "",
            ]
    if program.row_checks:
        rules = " and ".join(f"`{field}` {ROW_CHECKS[rule]}" for rule, field in program.row_checks)
        lines += [f"From one {program.label} to the next {rules}. `kformat check` verifies that, parsing does not.", ""]
    return lines


def _checksum(program: TypeProgram, stored: str) -> str:
    algorithm, _, start = layout(program).checksum()
    reads = [field for field in describe(program).fields if field.depth == 0]
    first = next(field.name for field in reads if field.position == start)
    outside = [field.name for field in reads if field.position is not None and field.position < start]
    others = [name for name in outside if name != stored]
    left_out = f"; {names(others)} {'are' if len(others) > 1 else 'is'} not covered" if others else ""
    return (
        f"`{stored}` is the {CHECKSUMS[algorithm]} of the bytes from position {start}, where `{first}` begins, to the "
        f"end of the {program.label.replace('_', ' ')}{left_out}."
    )


def _enum(enum: Enum) -> list[str]:
    rows = [
        (str(value), code(member), code(enum.original_ids.get(value, "")), enum.docs.get(value, ""))
        for value, member in enum.members.items()
    ]
    return table(("value", "name", "Kafka's name", "meaning"), rows, right=("value",))


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
