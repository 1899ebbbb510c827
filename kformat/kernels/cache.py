"""Where kernels keep what takes long to make: machine code, and the sources of users' own declarations.

The folder is the one that the environment variable KFORMAT_CACHE names, or else `kformat` in the platform's folder for
what may be deleted at any time. A folder that cannot be written is no error: then every process compiles anew.

    machine-code-DIGEST/    numba's files, which say themselves for which processor and which numba they are; DIGEST is
                            that of the functions that kernels are compiled together with
    sources/DIGEST.py       a kernel of a declaration that is not ours

What is in it is run: it is made for its owner alone.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

VARIABLE: Final = "KFORMAT_CACHE"


def cache_folder() -> Path | None:
    """The folder, which need not be there; None where there is no home to put it in."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).absolute()
    try:
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "kformat"
        other = os.environ.get("XDG_CACHE_HOME")
        return Path(other if other and os.path.isabs(other) else Path.home() / ".cache") / "kformat"
    except RuntimeError:  # nobody knows where home is
        return None


def _made(name: str) -> Path | None:
    """A folder in the cache, made where it is missing; None where nothing can be written to it."""
    top = cache_folder()
    if top is None:
        return None
    try:
        top.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = top / name
        folder.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


@functools.cache
def _runtime_digest() -> str:
    return hashlib.sha256((Path(__file__).parent / "runtime.py").read_bytes()).hexdigest()[:16]


def machine_code_folder() -> Path | None:
    """Where numba is to keep machine code; None where nothing can be written."""
    return _made(f"machine-code-{_runtime_digest()}")


def source_file(text: str, digest: str) -> Path | None:
    """A file that holds this text, written now or by another process; None where nothing can be written."""
    folder = _made("sources")
    if folder is None:
        return None
    path = folder / f"{digest}.py"
    try:
        if path.read_text(encoding="utf-8") == text:
            return path
    except (OSError, UnicodeDecodeError):
        pass
    try:
        handle, beside = tempfile.mkstemp(dir=folder, suffix=".tmp")
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(beside, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(beside)
            raise
    except OSError:
        return None
    return path
