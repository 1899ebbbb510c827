"""Where kernels keep what takes long to make: machine code, and the sources of users' own declarations.

The folder is the one that the environment variable KFORMAT_CACHE names, or else `kformat` in the platform's folder for
what may be deleted at any time, as platformdirs has it. A folder that cannot be written is no error: then every process
compiles again. Nor is one in which others may write: it is not used, and a warning says so once.

    machine-code-DIGEST/    numba's files, which say themselves for which processor and which numba they are; DIGEST is
                            that of the functions that kernels are compiled together with
    sources/DIGEST.py       a kernel of a declaration that is not ours

What is in it is run (numba's files are pickles, too): it is made for its owner alone, and used only where nobody but
its user and root could have put something there, or can put something else in its place. That is asked of the folder
and of all above it, without links: each belongs to one of these two, and can be written by nobody else, but for those
above that have the sticky bit, as `/tmp` has.
"""

from __future__ import annotations

import functools
import hashlib
import os
import stat
import tempfile
import warnings
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path

from kformat.storage.atomic_write import atomic_write

VARIABLE: Final = "KFORMAT_CACHE"


def cache_folder() -> Path | None:
    """The folder, which need not be there; None where there is no home to put it in."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).absolute()
    try:
        found = user_cache_path("kformat", appauthor=False)
    except RuntimeError:  # nobody knows where home is
        return None
    return found if found.is_absolute() else None  # older versions of platformdirs give "~" then


def _made(name: str) -> Path | None:
    """A folder in the cache, made where it is missing; None where nothing can be written to it, or others may."""
    top = cache_folder()
    if top is None:
        return None
    try:
        folder = Path(os.path.realpath(top)) / name  # who can change a link does not change where this leads
        if not _is_safe(folder):
            return None
        for missing in [part for part in reversed((folder, *folder.parents)) if not part.exists()]:
            missing.mkdir(mode=0o700, exist_ok=True)
        if not _is_safe(folder):  # somebody was quicker
            return None
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def _is_safe(folder: Path) -> bool:
    """Whether others can put nothing in a folder's place, as far as it is there, and nothing into it; warns if not."""
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
    """Once in a process, however many kernels ask."""
    text = f"{part} {why}: machine code is neither kept nor loaded from there. To have it kept, {remedy}"
    warnings.warn(f"{text}let {VARIABLE} name a folder of your own", RuntimeWarning, stacklevel=2)


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
        atomic_write(path, text.encode(), mode=0o600)
    except OSError:
        return None
    return path
