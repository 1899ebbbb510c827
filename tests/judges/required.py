"""What happens when a judge is missing: a skip that names it, or in CI a failure."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.judges import jars

# What was asked for and not there, for the summary at the end of a run.
missing: set[str] = set()


def require(name: str) -> Path:
    """The directory of the jars of a judge: a Kafka version or `kaitai-0.11`.

    Where it was not fetched, or there is no JDK, the test is skipped with a reason that names the judge; it fails
    instead when the environment has CI or KFORMAT_REQUIRE_JUDGES set to something that is not empty, 0 or false.
    """
    reason = _why_missing(name)
    if reason is None:
        return jars.directory(name)
    missing.add(reason)
    if any(os.environ.get(switch, "").lower() not in ("", "0", "false") for switch in ("CI", "KFORMAT_REQUIRE_JUDGES")):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def _why_missing(name: str) -> str | None:
    judge = name if name.startswith("kaitai") else f"Kafka {name}"
    for tool in ("java", "javac"):
        if shutil.which(tool) is None:
            return f"judge missing: {judge} needs a JDK, and there is no `{tool}` here"
    if not jars.is_complete(name):
        return f"judge missing: {judge} (`make judges` fetches it)"
    return None
