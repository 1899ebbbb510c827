"""The walk-through page: its examples run in tests/test_readme.py, its segments can be made again, and
each worked example's figure, written down here a second time, stands in what its section prints."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from kformat.kafka.index.indexing import IndexedBatches, index_entries
from tools import documents

PAGE = "docs/walkthrough.md"
SAMPLES = documents.ROOT / "samples" / "walkthrough"

FIGURES = {
    "W1, W2": ["67 64 60", "300 296 300"],
    "W3": [
        *("offset: 6 position: 156", "offset: 14 position: 459", "offset: 22 position: 656"),
        *("offset: 26 position: 838", "offset: 31 position: 1050", "floor entry [22, 656]", "from position 656"),
    ],
    "W4": [
        "floor entry [1526384718283, 28]",
        "floor entry [26, 838]",
        "from position 838",
        "offset 33 timestamp 1526384718290",
    ],
    "W5": ["base offset 251 is the largest not above 268", "floor entry [265, 260]", "offset 268 "],
    "W6, W7": ["floor entry [400, 800]", "from position 800", "floor entry [20, 320]", "from position 320"],
    "W8": ["5 5000 00000005 00001388", "0  4     int32  relative_offset", "4  4     int32  position"],
    "W9": ["00000000000000000000.log", "00000000000000000251.log", "00000000000000000500.log"],
    "W10": [
        "00000000000000000000.index 10485760 bytes\n00000000000000000000.timeindex 10485756 bytes\na roll",
        "00000000000000000000.index 245432 bytes\n00000000000000000000.timeindex 343392 bytes\n00000000000000030680",
        "00000000000000030680.index 10485760 bytes\n00000000000000030680.timeindex 10485756 bytes\nclosed",
        "245432 343392",
    ],
    "W11": ["262079 262079"],
    "W12": ["[(19, 5000), (29, 10000), (39, 15000)]", "[(3000, 19)]"],
    "W13": [
        *("[(0, 2000), (2, 1000)]", "[(0, 1000), (1, 1000), (2, 1000)]", "604800000 604800000"),
        *("[(0, 146)]\n[(0, 146), (2, 73)]", "[0, 5, 10] [0, 9]", "[0, 2147483648]"),
    ],
    "W14": [
        *("largest timestamp 1526384718250 < 1526384719050: passed over", "not below 1526384719050: search here"),
        *("last modified at 1526384800000", "later segments are not asked"),
    ],
    "W15": ['"offset": 3, "timestamp": 1526384718400', '"offset": 1, "timestamp": 1526384718300', "6 1526384719060"],
    "W16": [
        *("00000000000000000000.log        75265 ", "00000000000000075265.log       147910 ", "hello kangkang 123456"),
        *(
            "payload: hello kangkang 75265",
            "offset 123456 timestamp 1526384730000",
            "offset 130000 timestamp 1526384731000",
        ),
        "sound",
    ],
    "W17": [
        *("offset: 1778431 position: 44169", "offset: 1778446 position: 79128"),
        *("offset: 1778511 position: 86925", "offset: 1778529 position: 120070"),
        *("timestamp: 1645765272680 offset: 1778427", "timestamp: 1645765272681 offset: 1778442"),
        *("timestamp: 1645765275680 offset: 1778507", "timestamp: 1645765275681 offset: 1778521"),
        *("timestamp: 1645765272680 offset: 1778431", "timestamp: 1645765275681 offset: 1778529"),
    ],
    "W18": [
        "b\na\n$ kformat log create orders-2",
        "disks/b/orders-2\n",
        "orders-0  disks/b ",
        "orders-1  disks/a ",
        "orders-2  disks/b ",
    ],
    "W19": [
        "([], [0, 1, 2])\n([(0, 'its largest timestamp is more than retention.ms ago')], [1, 2])\n",
        *("(1, 'without it the log still has retention.bytes')], [2])\n", "\n([], [2])\n"),
        "5 records read, 3 kept, compacted up to 5\n",
        "0 [(2, b'ann', b'3'), (3, b'bob', None), (4, b'cat', b'4')]\n5 [(5, b'ann', b'5')]\n",
        *("0.31 None\n0 [(4, b'cat', b'4'), (5, b'ann', b'5')]\n6 []\n", "\nusers 0 6\n"),
    ],
}

GOES_ON = (  # the listing's later lines: last offset, position; the time entries that it shows of them
    (1778592, 129379), (1778608, 161537), (1778672, 169791), (1778694, 202354), (1778760, 213640),
)  # fmt: skip


def sections(text: str) -> dict[str, str]:
    """What stands under each heading that names examples."""
    found = re.split(r"^###? (W[\d, W]+?) · .*$", text, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


@pytest.mark.parametrize("example", FIGURES)
def test_the_figures_come_out(example: str) -> None:
    section = sections((documents.ROOT / PAGE).read_text(encoding="utf-8"))[example]
    printed = "".join(block.body for block in documents.blocks(section) if block.language in ("console", "text"))
    missing = [figure for figure in FIGURES[example] if figure not in printed]
    assert not missing


def test_every_example_of_the_page_has_a_figure() -> None:
    assert set(sections((documents.ROOT / PAGE).read_text(encoding="utf-8"))) == set(FIGURES)


def test_every_rule_of_the_table_has_an_example() -> None:
    table = re.findall(r"^\| .* \| (W[\dW, ]*) \|$", (documents.ROOT / PAGE).read_text(encoding="utf-8"), re.MULTILINE)
    named = [example for row in table for example in row.split(", ")]
    assert sorted(named) == sorted(example for heading in FIGURES for example in heading.split(", "))


def test_the_listing_goes_on_as_the_broker_wrote_it() -> None:
    """The listing shows more entries than the batches it describes; their sizes follow from the positions."""
    bases = [1778276, 1778363, 1778432, 1778447, 1778512]
    positions = [0, 44169, 79128, 86925, 120070]
    lasts = [1778362, 1778431, 1778446, 1778511, 1778529]
    for last, position in GOES_ON:
        bases, positions, lasts = [*bases, lasts[-1] + 1], [*positions, position], [*lasts, last]
    sizes = [end - start for start, end in zip(positions, [*positions[1:], positions[-1] + 5000], strict=True)]
    batches = IndexedBatches(positions, sizes, bases, lasts, [-1] * len(bases))
    entries = index_entries(batches, base_offset=1778276, profile="last-offset").offset_index
    listed = [(int(entry["relative_offset"]) + 1778276, int(entry["position"])) for entry in entries]
    assert listed == list(zip(lasts, positions, strict=True))[1:]


def test_the_segments_are_what_their_program_makes(tmp_path: Path) -> None:
    specification = importlib.util.spec_from_file_location("walkthrough", SAMPLES.parent / "walkthrough.py")
    assert specification is not None and specification.loader is not None
    module: Any = importlib.util.module_from_spec(specification)
    sys.modules["walkthrough"] = module
    try:
        specification.loader.exec_module(module)
        module.write(tmp_path)
    finally:
        del sys.modules["walkthrough"]

    def files(directory: Path) -> dict[str, bytes]:
        return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}

    assert files(tmp_path) == files(SAMPLES)
