"""Findings as SARIF 2.1.0, the format in which code hosts and editors take the results of checks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import kformat
from kformat.check.checker import RULES
from kformat.check.rules import Finding

_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}


def sarif(findings: Iterable[Finding]) -> dict[str, Any]:
    """One run with all findings, and all rules whether they found something or not."""
    rules = [
        {
            "id": rule.id,
            "shortDescription": {"text": rule.says},
            "help": {"text": f"Source: {rule.source} What Kafka does where it is broken: {rule.kafka}"},
            "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        }
        for rule in sorted(RULES.values(), key=lambda rule: rule.id)
    ]
    driver = {"name": "kformat", "version": kformat.__version__, "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_result(finding) for finding in findings]}],
    }


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
