"""A page about a declaration, byte by byte: a table of every type's fields, a picture of how they lie, rules, enums.

`markdown_of` makes the page of any declaration; `html_of` makes HTML of it, with drawn pictures. The shipped formats'
pages (`docs/formats/`) are made of the same parts, and have real bytes as examples, too.

A picture has eight bytes in a line, as far as positions are known; a part whose size depends on the data has a line of
its own.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from kformat.language.describe import Description, FieldDescription, describe
from kformat.language.layout import layout
from kformat.language.program import Checksum, Enum, TypeProgram, Window, load_type, types_of

BYTES_IN_A_LINE: Final = 8
_CELL: Final = 8
_WHOLE_LINES: Final = 4
"""A field that takes more lines of a picture is drawn with its first and its last."""

CHECKSUMS: Final = {"crc32c": "CRC-32C (Castagnoli)", "crc32": "CRC-32 (that of zlib)"}
ROW_CHECKS: Final = {"increasing": "rises", "non_decreasing": "does not fall"}
COLUMNS: Final = {
    "position": "*position*: bytes from the start of the type; none if it depends on earlier fields",
    "there if": "*there if*: otherwise the field is null and takes no bytes",
    "valid": "*valid*: what a reader takes; anything else is an error",
    "built": "*built*: what `kformat.build` writes if the object has no such field; *computed*: always computed",
}
"""What the columns of a table mean, for pages that have them."""

FIELD_HEAD: Final = ("position", "size", "type", "name", "original name", "there if", "valid", "built", "meaning")


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


# --- the parts of a type ----------------------------------------------------------------------------------------------


def fields_table(
    program: TypeProgram, labels: Collection[str], original: str = "original name", links: dict[str, str] | None = None
) -> list[str]:
    """The fields of a type. ``labels`` are the types that the page explains, ``original`` is the heading of `-orig-id`,
    ``links`` has the pages of other types.
    """
    described = list(describe(program).fields)
    if program.bits:
        head = ("bits", "name", original, "valid", "built", "meaning")
        return table(head, (_bits(program, field) for field in described), right=("bits",))
    rows = []
    for index, field in enumerate(described):
        inner = described[index + 1] if index + 1 < len(described) else None
        if index and field.name == described[index - 1].name and field.depth > described[index - 1].depth:
            continue  # what a window of its own name holds: reported with the window
        holds = inner if inner is not None and inner.name == field.name and inner.depth > field.depth else None
        rows.append(_row(program, field, holds, labels, links or {}))
    return table(
        [original if heading == "original name" else heading for heading in FIELD_HEAD], rows, right=("position",)
    )


def _row(
    program: TypeProgram,
    field: FieldDescription,
    holds: FieldDescription | None,
    labels: Collection[str],
    links: dict[str, str],
) -> Sequence[str]:
    window = next((step for step in program.steps if isinstance(step, Window) and step.name == field.name), None)
    size = field.size_text
    if field.size is None and not re.fullmatch(r"[\d-]+|the rest|its own|\d+ or 0", size):
        size = f"`{size.removesuffix(' times')}`" + " times" * size.endswith(" times")
    return (
        "" if field.position is None else str(field.position),
        {"its own": "varies"}.get(size, size),
        _type_cell(holds.type if holds else field.type, window, holds is not None, labels, links),
        "· " * field.depth + code(field.name),
        code(field.original_name),
        code(field.condition),
        _valid(field),
        field.built if field.built in ("computed", "") else code(field.built),
        _meaning(program, field, window),
    )


def _type_cell(text: str, window: Window | None, held: bool, labels: Collection[str], links: dict[str, str]) -> str:
    """The type with a link to where it is explained."""
    if window is not None and not held and window.codec is not None:
        return "bytes, maybe compressed"
    if window is not None and not held and text not in labels:
        return "structure" if window.trim is None and window.process is None else text
    before, _, label = text.rpartition(" ")
    if label in labels:
        return f"{before} [{label}](#{label})".strip() + (", maybe compressed" if window and window.codec else "")
    for name, address in links.items():
        if f"{name}," in text:
            return f"[{text.partition(',')[0]}]({address}){text[text.index(',') :]}"
    return text


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
    enum = next((item.enum for item in program.fields if item.name == field.name), None) if field.enum else None
    if enum is not None:
        label = enum.name.rpartition("::")[2]
        parts.append(f"See [{label}](#{label}).")
    if field.logical:
        parts.append(f"As `{field.logical}`.")
    if field.base:
        parts.append(f"Added to `{field.base}`.")
    if window is not None and window.codec is None and not field.doc and program.keeps_context is False:
        parts.append("The fields below, which must use up its bytes.")
    return " ".join(filter(None, parts))


def instances_table(program: TypeProgram) -> list[str]:
    """What is read from other places, and what is computed."""
    rows = [
        (
            code(f"= {instance.value}" if instance.value else instance.at),
            instance.size_text,
            instance.type,
            code(instance.name),
            code(instance.condition),
            _valid(instance),
            " ".join(filter(None, (instance.doc.strip(), f"As `{instance.logical}`." * bool(instance.logical)))),
        )
        for instance in describe(program).instances
    ]
    return table(("at, or value", "size", "type", "instance", "there if", "valid", "meaning"), rows)


def rules_of(program: TypeProgram) -> list[str]:
    """Checksum, payload, and rules between rows, in sentences."""
    lines = []
    for step in program.steps:
        if isinstance(step, Checksum) and step.part in ("", "check", "over"):
            lines += [_checksum(program, step), ""]
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


def _checksum(program: TypeProgram, step: Checksum) -> str:
    stored = step.path
    if step.part:
        known = next(covered for covered in layout(program).covered if covered.stored == stored)
        algorithm, first, last = known.algorithm, known.first, known.last
        what = f"the bytes of `{first}`" if first == last else f"the bytes of `{first}` to `{last}`"
        what = f"`{known.over}`" if known.over else what
        blank = "" if step.blank is None else f", with {step.blank:#04x} for each byte of its own"
        condition = f", if `{known.condition}`" if known.condition else ""
        return f"`{stored}` is the {CHECKSUMS.get(algorithm, algorithm)} of {what}{blank}{condition}."
    algorithm, _, start = layout(program).checksum()
    reads = [field for field in describe(program).fields if field.depth == 0]
    first = next(field.name for field in reads if field.position == start)
    outside = [field.name for field in reads if field.position is not None and field.position < start]
    others = [name for name in outside if name != stored]
    left_out = f"; {names(others)} {'are' if len(others) > 1 else 'is'} not covered" if others else ""
    return (
        f"`{stored}` is the {CHECKSUMS.get(algorithm, algorithm)} of the bytes from position {start}, where `{first}` "
        f"begins, to the end of the {program.label.replace('_', ' ')}{left_out}."
    )


def enum_table(enum: Enum, original: str = "original name") -> list[str]:
    """The members of an enum."""
    rows = [
        (str(value), code(member), code(enum.original_ids.get(value, "")), enum.docs.get(value, ""))
        for value, member in enum.members.items()
    ]
    return table(("value", "name", original, "meaning"), rows, right=("value",))


def column_notes(lines: Iterable[str]) -> list[str]:
    """What the columns of the tables in some lines mean."""
    heads = {head.strip() for line in lines if line.startswith("| position") for head in line.split("|")}
    return [f"* {text}." for head, text in COLUMNS.items() if head in heads]


# --- pictures ---------------------------------------------------------------------------------------------------------


class Box(NamedTuple):
    """A part of a line of a picture: ``size`` bytes from ``start`` on; ``is_open``: it goes on in the next line, and
    ``is_more``: it comes from the line before.
    """

    start: int
    size: int
    text: str
    is_more: bool = False
    is_open: bool = False


class Line(NamedTuple):
    """``position`` is that of its first byte, None if it depends on the data; ``varies``: one box of unknown size."""

    position: int | None
    boxes: tuple[Box, ...]
    varies: bool = False


def picture_of(program: TypeProgram) -> list[Line]:
    """The lines of a type's picture; none for types without fields, and of bits alone."""
    lines: list[Line] = []
    boxes: list[Box] = []
    at, is_known = 0, True

    def close() -> None:
        nonlocal at
        if boxes:
            first = at - sum(box.size for box in boxes)
            lines.append(Line(first if is_known else None, tuple(boxes)))
            boxes.clear()

    fields = [] if program.bits else [field for field in describe(program).fields if field.depth == 0]
    for field in fields:
        name = field.name or "(without a name)"
        if field.size is None or field.condition:
            close()
            size = {"its own": "size varies", "the rest": "to the end"}.get(field.size_text, field.size_text)
            lines.append(Line(at if is_known else None, (Box(0, BYTES_IN_A_LINE, f"{name}: {size}"),), True))
            is_known, at = False, 0
            continue
        left = field.size
        first = min(left, BYTES_IN_A_LINE - sum(box.size for box in boxes))
        is_room = len(name) <= first * _CELL - 2 or left - first <= first
        while left > 0:
            start = sum(box.size for box in boxes)
            width = min(left, BYTES_IN_A_LINE - start)
            is_first = left == field.size
            is_named = is_first if is_room else left == field.size - first
            boxes.append(Box(start, width, name if is_named else "", not is_first, left > width))
            at, left = at + width, left - width
            if start + width == BYTES_IN_A_LINE:
                close()
            if not boxes and is_first and left > _WHOLE_LINES * BYTES_IN_A_LINE:
                passed = (left - 1) // BYTES_IN_A_LINE * BYTES_IN_A_LINE
                lines.append(Line(at if is_known else None, (Box(0, BYTES_IN_A_LINE, f"... {passed} bytes"),), True))
                at, left, is_room = at + passed, left - passed, True
    close()
    return lines


def picture_text(lines: Sequence[Line]) -> list[str]:
    """A picture of characters."""
    if not lines:
        return []
    margin = max(len(str(line.position)) for line in lines if line.position is not None) if lines else 0
    width = BYTES_IN_A_LINE * _CELL
    numbers = "".join(str(number).ljust(_CELL) for number in range(BYTES_IN_A_LINE)).rstrip()
    rows = [" " * (margin + 3) + numbers]
    edges: set[int] = set()
    span = 0
    for line in lines:
        new = {0} | {(box.start + box.size) * _CELL for box in line.boxes}
        end = max(new)
        rows.append(" " * (margin + 1) + _edge(edges | new, max(span, end), line.varies))
        text, sign = "", "~" if line.varies else "|"
        for box in line.boxes:
            room = box.size * _CELL - 2
            shown = box.text if len(box.text) <= room else box.text[: max(room - 1, 0)] + "…"
            text += f"{sign if not box.is_more else '|'} {shown:<{room}}"
        place = "" if line.position is None else str(line.position)
        rows.append(f"{place:>{margin}} {text}{sign}".rstrip())
        edges, span = new, end
    rows.append(" " * (margin + 1) + _edge(edges, min(span, width), lines[-1].varies))
    return rows


def _edge(corners: set[int], end: int, varies: bool) -> str:
    return "".join("+" if place in corners else "-" for place in range(end + 1))


_HUES: Final = ("#dbeafe", "#dcfce7", "#fef3c7", "#fce7f3", "#ede9fe", "#e0f2fe", "#ffedd5", "#f1f5f9")


def picture_svg(lines: Sequence[Line]) -> str:
    """A picture as SVG."""
    byte, high, left, top = 84, 34, 52, 22
    width, height = left + BYTES_IN_A_LINE * byte + 8, top + len(lines) * high + 8
    parts = [
        f'<svg viewBox="0 0 {width} {height}" width="{width}" xmlns="http://www.w3.org/2000/svg" role="img">',
        '<g font-family="monospace" font-size="12">',
    ]
    for number in range(BYTES_IN_A_LINE):
        parts.append(f'<text x="{left + number * byte + 4}" y="{top - 8}" fill="#64748b">{number}</text>')
    hue = -1
    for row, line in enumerate(lines):
        y = top + row * high
        if line.position is not None:
            parts.append(f'<text x="{left - 8}" y="{y + 21}" text-anchor="end" fill="#64748b">{line.position}</text>')
        for box in line.boxes:
            hue += not box.is_more
            x, wide = left + box.start * byte, box.size * byte
            dash = ' stroke-dasharray="6 4"' if line.varies else ""
            fill = _HUES[hue % len(_HUES)]
            parts.append(f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" fill="{fill}" stroke="#334155"{dash}/>')
            most = wide // 8
            shown = box.text if len(box.text) <= most else box.text[: most - 1] + "…"
            parts.append(
                f'<text x="{x + 6}" y="{y + 21}">{html.escape(shown)}<title>{html.escape(box.text)}</title></text>'
            )
    return "\n".join([*parts, "</g></svg>"])


# --- a page of any declaration ----------------------------------------------------------------------------------------


def picture_block(program: TypeProgram) -> list[str]:
    """A type's picture as a block of Markdown."""
    lines = picture_text(picture_of(program))
    return [*("```text", *lines, "```"), ""] if lines else []


def _all_types(root: TypeProgram) -> list[TypeProgram]:
    """A type and those that it reads, in the order of reading."""
    types: dict[TypeProgram, None] = {root: None}
    pending = [root]
    while pending:
        program = pending.pop(0)
        for inner in types_of((*program.steps, *(step for instance in program.instances for step in instance.steps))):
            if inner not in types:
                types[inner] = None
                pending.append(inner)
        for field in program.fields:  # structures of bits have no step of their own
            if field.type is not None and field.type not in types:
                types[field.type] = None
    return list(types)


class _Section(NamedTuple):
    title: str
    program: TypeProgram | None
    lines: list[str]


def _sections(format: Any) -> Iterator[_Section]:
    program = load_type(format)
    described: Description = describe(format)
    types = _all_types(program)
    labels = {inner.label for inner in types}
    yield _Section(described.title or program.name, None, [*_doc(program.doc)])
    for inner in types:
        lines = [] if inner is program else _doc(inner.doc)
        if inner.parameters or inner.parameter_types:
            parameters = [
                *inner.parameters,
                *(item.name for item in inner.parameter_types if item.name not in inner.parameters),
            ]
            lines += [f"Its layout depends on {names(parameters)}, which the structure that holds it gives.", ""]
        if layout(inner).is_fixed and layout(inner).size:
            lines += [f"Always {layout(inner).size} byte{'s' * (layout(inner).size > 1)}.", ""]
        body = fields_table(inner, labels) if describe(inner).fields else []
        lines += [*body, ""] if body else []
        lines += rules_of(inner)
        instances = instances_table(inner) if inner.instances else []
        lines += [*instances, ""] if instances else []
        yield _Section(inner.label, inner, lines)
    enums = {id(enum): enum for inner in types for field in inner.fields if (enum := field.enum) is not None}
    for enum in sorted(enums.values(), key=lambda enum: enum.name):
        yield _Section(enum.name.rpartition("::")[2], None, [*enum_table(enum), ""])


def _doc(text: str) -> list[str]:
    return [text.strip(), ""] if text.strip() else []


def markdown_of(format: Any) -> str:
    """The page of a format, or of a type of it, as Markdown; ``format`` and errors as in `kformat.parse`."""
    lines: list[str] = []
    for number, section in enumerate(_sections(format)):
        lines += [f"{'#' if not number else '##'} {section.title}", ""]
        if section.program is not None:
            lines += picture_block(section.program)
        lines += section.lines
    lines += column_notes(lines)
    return "\n".join(lines).rstrip() + "\n"


_STYLE: Final = """\
body { font: 15px/1.5 system-ui, sans-serif; color: #0f172a; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 } th { text-align: left; border-bottom: 2px solid #334155 }
td, th { padding: .25rem .75rem .25rem 0; vertical-align: top } td { border-bottom: 1px solid #e2e8f0 }
.right { text-align: right } code { background: #f1f5f9; padding: 0 .2rem } svg { max-width: 100%; height: auto }
h2 { margin-top: 2.5rem; border-top: 1px solid #cbd5e1; padding-top: 1rem }"""


def html_of(format: Any) -> str:
    """The same page as one HTML file, with drawn pictures and nothing from elsewhere."""
    body: list[str] = []
    title, every = "", list[str]()
    for number, section in enumerate(_sections(format)):
        title = title or section.title
        level = 1 if not number else 2
        body.append(f'<h{level} id="{html.escape(section.title)}">{html.escape(section.title)}</h{level}>')
        if section.program is not None and (lines := picture_of(section.program)):
            body.append(picture_svg(lines))
        body += _html(section.lines)
        every += section.lines
    body += _html(column_notes(every))
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{_STYLE}</style>'
    return "\n".join(["<!doctype html>", f"<html><head>{head}</head><body>", *body, "</body></html>", ""])


def _html(lines: Sequence[str]) -> Iterator[str]:
    """Tables, lists and paragraphs of Markdown as HTML."""
    rows: list[list[str]] = []
    for line in [*lines, ""]:
        is_row = line.startswith("|")
        if rows and not is_row:
            right = [mark.endswith(":") for mark in rows[1]]
            yield "<table>"
            for number, row in enumerate(rows):
                if number != 1:
                    tag = "td" if number else "th"
                    cells = zip(row, right, strict=True)
                    marked = [f"<{tag}{' class=right' if it else ''}>{_inline(text)}</{tag}>" for text, it in cells]
                    yield f"<tr>{''.join(marked)}</tr>"
            yield "</table>"
            rows = []
        if is_row:
            rows.append([text.strip().replace("\\|", "|") for text in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif line.startswith("* "):
            yield f"<ul><li>{_inline(line[2:])}</li></ul>"
        elif line:
            for paragraph in re.split(r"\n\s*\n", line):
                yield f"<p>{_inline(paragraph)}</p>"


_MARKS: Final = re.compile(r"`([^`]+)`|\[([^\]]+)\]\((#?[^)\s]+)\)|\*([^*\s][^*]*)\*")


def _inline(text: str) -> str:
    """Code, links and emphasis."""
    parts, at = list[str](), 0
    for match in _MARKS.finditer(text):
        parts.append(html.escape(text[at : match.start()]))
        if match[1] is not None:
            parts.append(f"<code>{html.escape(match[1])}</code>")
        elif match[2] is not None:
            parts.append(_link(match[2], match[3]))
        else:
            parts.append(f"<em>{html.escape(match[4])}</em>")
        at = match.end()
    return "".join([*parts, html.escape(text[at:])])


def _link(text: str, address: str) -> str:
    """A link within the page, or to the web; a declaration may not bring another kind."""
    if not address.startswith(("#", "https://", "http://")):
        return html.escape(text)
    return f'<a href="{html.escape(address)}">{html.escape(text)}</a>'


__all__ = [
    "code",
    "column_notes",
    "enum_table",
    "fields_table",
    "html_of",
    "instances_table",
    "markdown_of",
    "names",
    "picture_block",
    "picture_of",
    "picture_svg",
    "rules_of",
    "table",
]
