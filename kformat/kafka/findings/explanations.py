"""The texts of `kformat explain`, read from explanations.md, their only source.

A rule's section there is a heading, `## KF0201: its title`, and four paragraphs that begin with `**What:**` (what was
found), `**Why:**` (why it matters), `**How:**` (how it comes about) and `**Mend:**` (which verb repairs it, if any). A
`Mend` that begins with a verb promises that this verb repairs it; tests verify that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

PARTS: Final = {
    "what": "What it is",
    "why": "Why it matters",
    "how": "How it comes about",
    "mend": "What mends it",
}
"""The parts of an explanation -> their headings for people."""

_SECTION: Final = re.compile(
    r"## (?P<id>KF[0-9]{4}): (?P<title>.+)\n\n"
    + r"\n\n".join(rf"\*\*{name.capitalize()}:\*\* (?P<{name}>.+(?:\n(?!\n).+)*)" for name in PARTS)
)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a rule: ``title`` is a short name for the finding, the others are a paragraph each."""

    title: str
    what: str
    why: str
    how: str
    mend: str

    def parts(self) -> dict[str, str]:
        """The paragraphs, by their headings."""
        return {heading: getattr(self, name) for name, heading in PARTS.items()}

    @property
    def mended_by(self) -> str | None:
        """The command with which `mend` begins: ``kformat reindex``; None if no verb repairs it."""
        match = re.match(r"`(kformat (?:reindex|merge|log recover)(?: --mode \w+)?)", self.mend)
        return None if match is None else match[1]

    def as_markdown(self) -> str:
        """All of it as Markdown, without a heading of its own."""
        paragraphs = [f"**{heading}.** {text}" for heading, text in self.parts().items()]
        return "\n\n".join([f"*{self.title}*", *paragraphs]) + "\n"


@cache
def explanations() -> dict[str, Explanation]:
    """Rule id -> its explanation."""
    text = resources.files(__package__).joinpath("explanations.md").read_text(encoding="utf-8")
    by_id: dict[str, Explanation] = {}
    for section in re.split(r"\n(?=## )", text)[1:]:
        match = _SECTION.fullmatch(section.strip())
        assert match is not None and match["id"] not in by_id, section.partition("\n")[0]
        paragraphs = {name: " ".join(match[name].split()) for name in PARTS}
        by_id[match["id"]] = Explanation(match["title"], **paragraphs)
    return by_id
