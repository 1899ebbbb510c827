"""Unpack the packages of an artifact of `kformat.spark.artifact` on a worker, once on each machine.

In the artifact this is the module ``kformat_artifact``. It imports only Python's standard library.

* kformat's own packages go to the front of the path, all others to its end: the cluster's own packages are preferred.
* The packages are in a folder of this user in the folder for temporary files, named by the digest of its content. A
  folder that another user owns, or may write to, is not used.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import tarfile
import tempfile
from importlib import import_module
from typing import Any

FOLDER = "kformat-artifact"


def unpacked(loader: Any, digest: str) -> None:
    """Put the packages on the path, and import the real kformat in place of the module that calls this."""
    folder = _folder(loader, digest)
    sys.path[:0] = [os.path.join(folder, "own")]
    sys.path.append(os.path.join(folder, "packages"))
    sys.modules.pop("kformat", None)
    import_module("kformat")


def _folder(loader: Any, digest: str) -> str:
    user = os.getuid() if hasattr(os, "getuid") else 0
    path = os.path.join(tempfile.gettempdir(), f"{FOLDER}-{user}-{digest}")
    if _is_ours(path):
        return path
    made = tempfile.mkdtemp(prefix=f"{FOLDER}-")
    with tarfile.open(fileobj=io.BytesIO(loader.get_data(_blob(loader))), mode="r:gz") as archive:
        archive.extractall(made, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(made)
    try:
        os.rename(made, path)
    except OSError:  # another worker was faster, or another user has that name
        return path if _is_ours(path) else made
    return path


def _blob(loader: Any) -> str:
    return os.path.join(loader.archive, "kformat_packages.tar.gz")


def _is_ours(path: str) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    is_safe = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)
    return stat.S_ISDIR(status.st_mode) and is_safe
