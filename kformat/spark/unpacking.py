"""What an artifact of `kformat.spark.artifact` does on a worker: it unpacks the packages in it, once on each machine.

In the artifact this is the module ``kformat_artifact``. It imports nothing but what Python has.

* kformat's own packages go to the front of the path, all others to its end: what the cluster's Python has, it uses.
* They lie in a folder of this user's in the folder for temporary files, under a name that is the digest of what is in
  it. A folder that somebody else owns, or may write to, is not used.
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
    except OSError:  # another worker was faster, or somebody else has that name
        return path if _is_ours(path) else made
    return path


def _blob(loader: Any) -> str:
    return os.path.join(loader.archive, "kformat_packages.tar.gz")


def _is_ours(path: str) -> bool:
    try:
        found = os.lstat(path)
    except OSError:
        return False
    is_safe = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)
    return stat.S_ISDIR(found.st_mode) and is_safe
