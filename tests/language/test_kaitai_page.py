"""docs/kaitai.md says of each public declaration whether its values are Kaitai's, and they are.

The declarations are not part of this project: where they are is `KFORMAT_PUBLIC_DECLARATIONS`, or a folder near the
tree (`tools.kaitai_page.PUBLIC`).
"""

from __future__ import annotations

import pytest

from tests.draws import every
from tests.judges.kaitai import KAITAI
from tests.judges.required import missing, require
from tests.language.public import HERE
from tools import kaitai_page

SAID = kaitai_page.told(kaitai_page.PAGE.read_text("utf-8"))


def test_every_difference_of_the_page_has_a_reason() -> None:
    outcomes = {kaitai_page.SAME, kaitai_page.BOTH_REFUSE, kaitai_page.DIFFERS, kaitai_page.REFUSED, "loads"}
    assert len(SAID) >= 144 and set(SAID.values()) <= outcomes
    assert kaitai_page.DIFFERS not in SAID.values()


@pytest.mark.judge
def test_values_of_our_own_declarations() -> None:
    require(KAITAI)
    rows = list(kaitai_page.declarations(HERE, ["npy", "pcx"]))
    assert [(row.name, row.outcome) for row in rows] == [("npy", kaitai_page.SAME), ("pcx", kaitai_page.SAME)]
    assert all(int(row.inputs.partition(" of ")[0]) > 20 for row in rows)


@pytest.mark.judge
def test_values_are_as_the_page_says() -> None:
    require(KAITAI)
    if not kaitai_page.PUBLIC.is_dir():
        reason = f"public declarations missing: {kaitai_page.PUBLIC} (KFORMAT_PUBLIC_DECLARATIONS names another folder)"
        missing.add(reason)
        pytest.skip(reason)
    names = every(24, list(SAID), 3)
    found = {row.name: row.outcome for row in kaitai_page.declarations(kaitai_page.PUBLIC, names)}
    assert found == {name: SAID[name] for name in names}
