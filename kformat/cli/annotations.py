"""Findings for other tools: SARIF 2.1.0, which code hosts and editors read, and GitHub's workflow commands, printed by
a job.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import kformat
from kformat.check.checker import RULES
from kformat.kafka.findings.explanations import Explanation, explanations
from kformat.kafka.findings.rules import Finding, Rule

_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}
_COMMANDS: Final = {"error": "error", "warning": "warning", "info": "notice"}
_MESSAGE_ESCAPES: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY_ESCAPES: Final = {**_MESSAGE_ESCAPES, ":": "%3A", ",": "%2C"}
"""As GitHub's own toolkit escapes a command's message, and the values in front of it."""


def sarif(findings: Iterable[Finding]) -> dict[str, Any]:
    """One run with all findings, and all rules whether they found something or not."""
    rules = [
        {
            "id": rule.id,
            "shortDescription": {"text": explanation.title},
            "fullDescription": {"text": explanation.what},
            "help": {"text": _help(rule, explanation), "markdown": explanation.as_markdown()},
            "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        }
        for rule in sorted(RULES.values(), key=lambda rule: rule.id)
        for explanation in [explanations()[rule.id]]
    ]
    driver = {"name": "kformat", "version": kformat.__version__, "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_result(finding) for finding in findings]}],
    }


def _help(rule: Rule, explanation: Explanation) -> str:
    said = {**explanation.parts(), "What Kafka does": rule.kafka, "Kafka's source": rule.source}
    return "\n".join(f"{heading}: {text}" for heading, text in said.items())


def _result(finding: Finding) -> dict[str, Any]:
    path = Path(finding.file)
    physical: dict[str, Any] = {"artifactLocation": {"uri": path.as_uri() if path.is_absolute() else path.as_posix()}}
    if finding.position is not None:
        physical["region"] = {"byteOffset": finding.position}
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.path:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.path}]
    return {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [location],
    }


def annotation(finding: Finding) -> str:
    """A finding as the workflow command of GitHub that shows it with its file, ``::error file=...,title=KF0201::...``.

    A line is what GitHub knows of a place in a file; the position, which is bytes, stands in the message.
    """
    place = "" if finding.position is None else f"byte {finding.position}"
    where = " ".join(filter(None, (place, finding.path)))
    message = f"{where}: {finding.message}" if where else finding.message
    file, title = (_escaped(text, _PROPERTY_ESCAPES) for text in (finding.file, finding.rule))
    return f"::{_COMMANDS[finding.severity]} file={file},title={title}::{_escaped(message, _MESSAGE_ESCAPES)}"


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)
