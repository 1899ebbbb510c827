"""Pictures of what verbs show on a terminal, docs/screens/NAME.svg, from the texts in tests/cli/screens.txt.

The texts are compared with what verbs print by tests/cli/test_check.py; the pictures are drawn from them by rich.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable

from tests.cli import screens

PICTURED = "check-statistics", "ls", "stats", screens.PROGRESS
"""Names of screens; each is drawn at both widths, with colour."""
FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font: {char_height}px/{line_height}px "Fira Code", "DejaVu Sans Mono", monospace }}
.{unique_id}-title {{ font: bold 18px sans-serif }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""rich's own without its fonts, which are another server's."""


def picture(name: str, columns: int) -> str:
    """A screen as SVG."""
    from rich.console import Console  # of the extra `test`; who generates nothing needs none
    from rich.text import Text

    text = screens.golden()[f"{name}-{columns}-colour"].replace("\\x1b[K", "").replace("\\x1b", "\x1b")
    # One line of progress after another, as if none were written over the one before.
    lines = [line.removesuffix("\\r") for line in text.strip().splitlines()]
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=columns, file=nowhere, legacy_windows=False)
        console.print(Text.from_ansi("\n".join(line for line in lines if line)), overflow="crop", no_wrap=True)
        drawn = console.export_svg(title=f"{columns} columns", code_format=FORMAT, unique_id=f"{name}-{columns}")
    return "".join(f"{line.rstrip()}\n" for line in drawn.splitlines() if line.strip())


def pictures() -> dict[str, Callable[[], str]]:
    """Path in the tree -> what makes its text."""
    return {
        f"docs/screens/{name}-{columns}.svg": functools.partial(picture, name, columns)
        for name in PICTURED
        for columns in screens.WIDTHS
    }


__all__ = ["pictures"]
