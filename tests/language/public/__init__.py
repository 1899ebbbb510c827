"""Public formats: our own declarations of them (`NAME.ksy`, from their specifications) and files to read.

`written` and `written_more` have, for each declaration, a function that takes an empty folder and gives the bytes of
small files, written at that moment by libraries that have nothing to do with this project. Where a library or a tool is
not installed they raise `Missing`.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


class Missing(Exception):
    """What writes a format's files is not installed."""


def library(name: str, distribution: str | None = None) -> Any:
    """A module of a library that writes files; Missing where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Missing(f"library missing: {distribution or name} (the extra `test` has it)") from error


def run(command: Sequence[str], folder: Path) -> None:
    """Run a tool that writes files into a folder; Missing where there is none."""
    if shutil.which(command[0]) is None:
        raise Missing(f"tool missing: there is no `{command[0]}` here")
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
