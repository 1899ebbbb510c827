"""The disk cache of kernels: compiled machine code, and the sources of users' own declarations.

The folder is given by the environment variable KFORMAT_CACHE; the default is `kformat` in the platform's cache folder
(platformdirs). If it cannot be written, every process compiles again; that is no error. If other users can write to it,
it is not used, and one warning is logged.

    machine-code-DIGEST/    numba's files, which record their processor; DIGEST is the hash of numba's version and of
                            the functions that are compiled into every kernel. numba's index records the version, too,
                            but two processes that write at once can leave one version's index and the other's code
    sources/DIGEST.py       a kernel of a user's declaration

The cached code is executed (numba's files are also pickles), so the folder is created for its owner alone. It is used
only if nobody but the user and root could have put or replaced something in it. To ensure this, the folder and all its
parents, with links resolved, must belong to one of the two and be writable by nobody else; parents may have the sticky
bit, like `/tmp`.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
import stat
import tempfile
import warnings
from pathlib import Path
from typing import Any, Final

from kformat.storage.atomic_write import atomic_write

VARIABLE: Final = "KFORMAT_CACHE"


def cache_folder() -> Path | None:
    """The folder, which may not exist yet; None if there is no home to put it in."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).absolute()
    try:
        platform: Any = importlib.import_module("platformdirs")  # asked only where nothing is named
        folder: Path = platform.user_cache_path("kformat", appauthor=False)
    except RuntimeError:  # the home folder is unknown
        return None
    return folder if folder.is_absolute() else None  # older versions of platformdirs return "~" in that case


def _made(name: str) -> Path | None:
    """A folder in the cache, created if missing; None if it cannot be written, or if others can write to it."""
    top = cache_folder()
    if top is None:
        return None
    try:
        folder = Path(os.path.realpath(top)) / name  # changing a link later does not change this path
        if not _is_safe(folder):
            return None
        for missing in [part for part in reversed((folder, *folder.parents)) if not part.exists()]:
            missing.mkdir(mode=0o700, exist_ok=True)
        if not _is_safe(folder):  # another process was faster
            return None
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def _is_safe(folder: Path) -> bool:
    """Whether nobody else can replace a folder, as far as it exists, or write into it; otherwise logs a warning."""
    for part in reversed((folder, *folder.parents)):
        try:
            status = os.lstat(part)
        except FileNotFoundError:
            return True
        if status.st_uid not in (0, os.geteuid()):
            _warn(part, f"belongs to another user ({status.st_uid})", "")
            return False
        is_shared = part not in (folder, folder.parent) and status.st_mode & stat.S_ISVTX
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not is_shared:
            _warn(
                part, "can be written by others", f"delete what is in it that is not yours and chmod go-w {part}, or "
            )
            return False
    return True


@functools.cache
def _warn(part: Path, why: str, remedy: str) -> None:
    """Log once per process, however many kernels ask."""
    text = f"{part} {why}: machine code is neither kept nor loaded from there. To have it kept, {remedy}"
    warnings.warn(f"{text}let {VARIABLE} name a folder of your own", RuntimeWarning, stacklevel=2)


def _numba_version() -> str:
    """The version of numba's distribution: importing numba takes tenths of a second, perhaps for nothing."""
    metadata: Any = importlib.import_module("importlib.metadata")
    try:
        return str(metadata.version("numba"))
    except metadata.PackageNotFoundError:
        return ""


@functools.cache
def _runtime_digest() -> str:
    text = _numba_version().encode() + (Path(__file__).parent / "runtime.py").read_bytes()
    return hashlib.sha256(text).hexdigest()[:16]


def machine_code_folder() -> Path | None:
    """The folder for numba's machine code; None if it cannot be written."""
    return _made(f"machine-code-{_runtime_digest()}")


def source_file(text: str, digest: str) -> Path | None:
    """A file with this text, written now or by another process; None if the cache cannot be written."""
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
        atomic_write(path, text.encode(), mode=0o600)
    except OSError:
        return None
    return path
