"""What functions give shows itself, and loses nothing by that."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.errors import InvalidError
from kformat.results import Results
from tests.samples import ROOT

PLAIN = ROOT / "4.3.1" / "plain-0"


def shown(items: Iterator[Any]) -> Results[Any]:
    return Results("Things", ("name", "none", "text"), items, lambda item: [item, None, f"<{item}>\n"])


class Balanced(HTMLParser):
    """Every tag that opens closes; ``text`` is what is between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open, self.text, self.rows = list[str](), "", 0
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.rows += tag == "tr"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("count", [0, 1, 20, 21, 200])
def test_looking_takes_nothing_away(count: int) -> None:
    things = shown(iter(range(count)))
    text = repr(things)
    lines = text.splitlines()
    assert len(lines) == (1 if not count else 2 + min(count, 20) + (count > 20))
    assert lines[0] == ("<Things: more than 20>" if count > 20 else f"<Things: {count}>")
    assert repr(things) == text and all("none" not in line for line in lines)
    page = Balanced(things._repr_html_())
    assert page.rows == 1 + min(count, 50) and "<0>\\n" in page.text + "<0>\\n" * (not count)
    assert next(things, None) == (0 if count else None)
    assert list(things) == [*range(1, count)]
    assert repr(things) == "<Things: 0 left>"


def test_an_error_comes_where_it_is() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise InvalidError("broken", source="x", position=7)

    things = shown(items())
    assert "then InvalidError: x:7: broken" in repr(things)
    assert next(things) == 1
    with pytest.raises(InvalidError, match="broken"):
        next(things)
    assert list(things) == []


def test_findings_records_and_numbers_are_tables() -> None:
    findings = kformat.check(ROOT / "4.3.1")
    assert "severity  rule    place" in repr(findings) and len(list(findings)) > 20
    records = kformat.grep(PLAIN, "key-1")
    assert repr(records).splitlines()[1].split() == ["topic", "partition", "offset", "time", "key", "value"]
    assert [record.key for record in records] == [record.key for record in kformat.grep(PLAIN, "key-1")]
    assert "plain-0" in repr(kformat.stats(PLAIN)) and "records_count" in kformat.stats(PLAIN)._repr_html_()


OWN = """
meta: {id: own}
seq: [{id: items, type: item, repeat: eos}]
types: {item: {seq: [{id: size, type: u1}, {id: body, size: size}]}}
"""


def test_values_are_short_in_text_and_trees_in_notebooks(tmp_path: Path) -> None:
    own = kformat.parse_declaration(OWN)
    data = b"\3<b>" * 300 + b"\xff" + bytes(255)
    value = kformat.parse(own, data)
    assert len(repr(value)) < 700 and "... 293 more" in repr(value) and "size=3, body=b'<b>'" in repr(value)
    few = kformat.parse(own, data[:64])
    assert repr(few).count("body=") == 16
    page = Balanced(value._repr_html_())
    assert page.text.count("body") == 100 and "b'<b>'" in page.text and "and more" in page.text
    pytest.importorskip("pyarrow")
    scan = kformat.scan(data, own)
    page = Balanced(scan._repr_html_())
    assert page.rows == 11 and "and more" in page.text
    assert Balanced(kformat.scan(b"\1x", own)._repr_html_()).rows == 2
    skipped = list[Any]()
    page = Balanced(kformat.scan(b"\1x\5y", own, on_corrupt="skip", on_skipped=skipped.append)._repr_html_())
    assert page.rows == 2 and skipped == []
    page = Balanced(kformat.scan(b"\1x\5y", own)._repr_html_())
    assert "1 rows, then TruncatedError" in page.text or "0 rows, then TruncatedError" in page.text
