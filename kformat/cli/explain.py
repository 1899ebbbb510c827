"""`kformat explain`: what a rule of `check` means, why it matters, how it comes about, and which verb repairs it."""

from __future__ import annotations

import shutil
import textwrap
from typing import Any, Final

import click

from kformat.check.checker import RULES, Rule
from kformat.cli.findings import RULE_STYLE, SEVERITY_STYLES
from kformat.cli.output import Output, Styled, write_objects
from kformat.kafka.findings.explanations import explanations
from kformat.kafka.findings.rules import rule_by_id

_MOST_COLUMNS: Final = 100
"""Wider lines are hard to read."""
_WHOLE_WORDS: Final[dict[str, Any]] = {"break_long_words": False, "break_on_hyphens": False}


@click.command("explain")
@click.argument("ids", nargs=-1, metavar="[RULE]...")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "json", "nl"]),
    default="text",
    show_default=True,
    help="How it is printed.",
)
def explain_command(ids: tuple[str, ...], shape: str) -> None:
    """Say what a rule of `kformat check` means: what it is, why it matters, how it comes about, which verb mends it.

    RULE is an id, as in KF0201. Without one, all rules are listed.
    """
    rules = [rule_by_id(id) for id in ids] or sorted(RULES.values(), key=lambda rule: rule.id)
    out = Output()
    if shape != "text":
        write_objects(out, map(_object, rules), shape, bytes.hex)
    elif ids:
        for number, rule in enumerate(rules):
            if number:
                out.line("")
            _explain(out, rule)
    else:
        for rule in rules:
            severity = Styled(f"{rule.severity:7}", SEVERITY_STYLES[rule.severity])
            out.parts(Styled(rule.id, RULE_STYLE), "  ", severity, f"  {explanations()[rule.id].title}")


def _object(rule: Rule) -> dict[str, Any]:
    said = explanations()[rule.id]
    own = {"rule": rule.id, "severity": rule.severity, "title": said.title}
    parts = {"what": said.what, "why": said.why, "how": said.how, "mend": said.mend}
    return {**own, **parts, "says": rule.says, "kafka": rule.kafka, "source": rule.source}


def _explain(out: Output, rule: Rule) -> None:
    said = explanations()[rule.id]
    severity = Styled(rule.severity, SEVERITY_STYLES[rule.severity])
    out.parts(Styled(rule.id, RULE_STYLE), " ", severity, f": {said.title}")
    width = min(shutil.get_terminal_size().columns, _MOST_COLUMNS)
    paragraphs = {**said.parts(), "What Kafka does": rule.kafka, "Kafka's source": rule.source}
    for heading, text in paragraphs.items():
        out.line("")
        out.parts(Styled(heading, {"bold": True}))
        for line in textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="  ", **_WHOLE_WORDS):
            out.line(line)
