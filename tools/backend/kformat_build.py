"""The build backend: setuptools', with editable installs whose packages type checkers find, too.

setuptools installs an editable package whose folders have other names with a finder, which is code: mypy, pyright and
editors do not run it. So the wheel of an editable install gets one more file, ``kformat-sources.pth``, with the folders
in which the packages are. Python reads it as well, and finds the same files there.
"""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import build_sdist as build_sdist
from setuptools.build_meta import build_wheel as build_wheel
from setuptools.build_meta import get_requires_for_build_editable as get_requires_for_build_editable
from setuptools.build_meta import get_requires_for_build_sdist as get_requires_for_build_sdist
from setuptools.build_meta import get_requires_for_build_wheel as get_requires_for_build_wheel
from setuptools.build_meta import prepare_metadata_for_build_editable as prepare_metadata_for_build_editable
from setuptools.build_meta import prepare_metadata_for_build_wheel as prepare_metadata_for_build_wheel

PATH_FILE = "kformat-sources.pth"
FOLDERS = (".", "engine")
"""The folders that hold packages, in the tree."""


def build_editable(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel of an editable install (PEP 660); returns its name."""
    name: str = build_meta.build_editable(wheel_directory, config_settings, metadata_directory)
    add_file(Path(wheel_directory) / name, PATH_FILE, path_lines(Path.cwd()).encode())
    return name


def path_lines(tree: Path) -> str:
    """The content of the file: one folder a line."""
    return "".join(f"{(tree / folder).resolve()}\n" for folder in FOLDERS)


def add_file(wheel: Path, name: str, data: bytes) -> None:
    """Add a file to a wheel, and to its list of files."""
    with zipfile.ZipFile(wheel) as archive:
        files = [(info, archive.read(info)) for info in archive.infolist()]
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
        for info, content in files:
            if info.filename.endswith(".dist-info/RECORD"):
                content = f"{name},sha256={digest},{len(data)}\n".encode() + content
            archive.writestr(info, content)
