"""What the page for those who come from Kaitai says of Kaitai's Python is run with Kaitai's Python."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import kformat
from tests.judges.kaitai import KAITAI
from tests.judges.required import is_missing, why_missing
from tests.language.beside_kaitai import compile_all
from tools import documents

PAGE = documents.ROOT / "docs" / "from-kaitai.md"


@pytest.mark.judge
def test_kaitais_side_of_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if (reason := why_missing(KAITAI)) is not None:
        is_missing(reason)
    text = PAGE.read_text("utf-8")
    declaration = tmp_path / "frames.ksy"
    declaration.write_text(re.findall(r"```yaml frames.ksy\n(.*?)```", text, re.DOTALL)[0])
    frames = [{"kind": "point", "body": {"x": 3, "y": -4}}, {"kind": "text", "body": {"value": "x"}}]
    (tmp_path / "a.frm").write_bytes(kformat.build(declaration, {"frames": frames}))
    compile_all([declaration], tmp_path / "classes")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "classes")
    rows = re.findall(
        r"^\| (read a file|ask for a field|an enum's member|rows as a table) \| `(.*?)` \|", text, re.MULTILINE
    )
    names: dict[str, object] = {}
    (read, first), *others = rows
    assert read == "read a file"
    exec(first, names)
    assert [eval(code, names) for _, code in others] == [3, True, [(3, -4)]]
    sys.modules.pop("frames")
