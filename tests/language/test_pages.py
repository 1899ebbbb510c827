"""Pages about declarations: tables and pictures say where the declared bytes are."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from kformat.cli import main
from kformat.language.layout import layout
from kformat.language.pages import html_of, markdown_of, picture_of
from kformat.language.program import load_type, parse_declaration
from kformat.language.shipped import shipped_names
from tests.draws import every
from tests.language.public import HERE

PUBLIC = sorted(HERE.glob("*.ksy"))
DECLARATION = """
meta: {id: frame, title: "A frame <of> a|b", endian: be}
doc: |
  What `it` is, *in short*. See [the source](https://example.org/x) or [not](javascript:alert(1)).
seq:
  - {id: short, type: u2, doc: 'one | two'}
  - {id: a_very_long_name, type: u8, valid: {max: 9}}
  - {id: large, size: 100}
  - {id: count, type: u1}
  - {id: items, type: item, repeat: expr, repeat-expr: count}
  - {id: last, type: u4, enum: colour}
instances:
  far: {pos: count, type: u2}
types:
  item: {seq: [{id: x, type: u1, if: _root.count > 3}]}
enums:
  colour: {1: red, 2: {id: green, doc: Grass.}}
"""
PICTURE = """\
      0       1       2       3       4       5       6       7
    +---------------+-----------------------------------------------+
  0 | short         | a_very_long_name                              |
    +---------------+-----------------------------------------------+
  8 |               | large                                         |
    +---------------+-----------------------------------------------+
 16 ~ ... 88 bytes                                                  ~
    +-----------------------------------------------+-------+-------+
104 |                                               | count |
    +-----------------------------------------------+-------+-------+
111 ~ items: count times                                            ~
    +-------------------------------+-------------------------------+
    | last                          |
    +-------------------------------+
"""


def test_a_picture_has_every_byte_in_its_place() -> None:
    assert f"```text\n{PICTURE}```\n" in markdown_of(parse_declaration(DECLARATION))


def test_a_page_has_types_instances_enums_and_what_its_columns_mean() -> None:
    page = markdown_of(parse_declaration(DECLARATION))
    for text in (
        "# A frame <of> a|b\n",
        "| 111 | `count` times | list of [item](#item) | `items` |",
        "| `count` | 2 | uint16 | `far` |",
        "| 2 | `green` | Grass. |",
        "See [colour](#colour).",
        "* *position*: bytes from the start of the type",
    ):
        assert text in page
    assert re.search(r"\n\| 0 \| 2 \| uint16 \| `short` \|( \|)* one \\\| two \|\n", page)


def test_html_is_safe_and_whole() -> None:
    page = html_of(parse_declaration(DECLARATION))
    assert "<h1" in page and "A frame &lt;of&gt; a|b</h1>" in page
    assert '<a href="https://example.org/x">the source</a>' in page
    assert "javascript:" not in "".join(re.findall("<[^>]*>", page))
    assert "<code>it</code>" in page and "<em>in short</em>" in page
    for picture in re.findall("<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(picture)
    HTMLParser().feed(page)


@pytest.mark.parametrize("path", every(4, PUBLIC), ids=lambda path: path.stem)
def test_a_page_of_every_public_format(path: Path) -> None:
    page = markdown_of(path)
    assert page.startswith("# ") and "\n## " in page
    assert "<svg" in html_of(path)


@pytest.mark.parametrize("name", sorted({*shipped_names()} - {"varint"}))
def test_pictures_of_fixed_types_cover_all_of_their_bytes(name: str) -> None:
    program = load_type(name)
    lines = picture_of(program)
    at = 0
    for line in lines:
        assert line.position in (at, None)
        at += sum(box.size for box in line.boxes)
        if line.varies:
            break
    if layout(program).is_fixed and not program.bits:
        assert at == layout(program).size


def test_the_command_writes_either_form(tmp_path: Path) -> None:
    (tmp_path / "frame.ksy").write_text(DECLARATION)
    for name, start in (("x.html", "<!doctype html>"), ("x.md", "# A frame")):
        done = CliRunner().invoke(main, ["describe", str(tmp_path / "frame.ksy"), "--page", "-o", str(tmp_path / name)])
        assert done.exit_code == 0 and (tmp_path / name).read_text().startswith(start)
    done = CliRunner().invoke(main, ["describe", str(tmp_path / "frame.ksy"), "--page"])
    assert done.stdout == (tmp_path / "x.md").read_text()
    assert CliRunner().invoke(main, ["describe", "varint", "-o", "x"]).exit_code == 2
    assert CliRunner().invoke(main, ["describe", "varint", "--page", "--stubs"]).exit_code == 2
