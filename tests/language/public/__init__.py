"""Public formats: our own declarations of them (`NAME.ksy`, from their specifications) and files to read.

`written` and `written_more` have, for each declaration, a function that takes an empty folder and gives the bytes of
small files, written at that moment by libraries that have nothing to do with this project. Where a library or a tool is
not installed they raise `Missing`.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

import kformat
from kformat.storage.compression import lz4_header_checksum

HERE = Path(__file__).parent


def crc32_of_deflated(data: bytes) -> int:
    """The CRC-32 of what the bytes are, decompressed; of nothing if they are damaged."""
    try:
        return zlib.crc32(zlib.decompress(data, -zlib.MAX_WBITS))
    except zlib.error:
        return 0


kformat.register_checksum("tests.crc32_of_deflated", crc32_of_deflated)
kformat.register_checksum("tests.lz4_header", lz4_header_checksum)
kformat.register_checksum("tests.xxh32", lambda data: library("xxhash").xxh32_intdigest(data))


def without_checksums(name: str) -> Any:
    """The declaration of a format without its ``-checksum`` keys: as Kaitai's classes read it, which pass over them."""
    return kformat.parse_declaration(text_without_checksums(name), f"{name}.ksy")


def text_without_checksums(name: str) -> str:
    """The text of `without_checksums`, for other processes, which do not have our functions."""

    def stripped(node: Any) -> Any:
        if isinstance(node, list):
            return [stripped(child) for child in node]
        if isinstance(node, dict):
            return {key: stripped(child) for key, child in node.items() if key != "-checksum"}
        return node

    tree = yaml.safe_load((HERE / f"{name}.ksy").read_text(encoding="utf-8"))
    return str(yaml.safe_dump(stripped(tree), sort_keys=False))


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
