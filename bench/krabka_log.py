"""krabka-log, a crate that reads and writes Kafka's files, in a program that works on request. The program is
`bench/krabka`; cargo builds it when it is first needed, in kformat's cache folder.

As it is published, the crate does not compile with stable Rust (E0658), which refuses an attribute macro on a module
that is a file of its own, and before 1.98 a method that was new then. So the program is built with a copy of the crate
in which two lines are changed: the macro, which keeps the module from systems without sendfile, is removed, and the
method is spelled in the old way. Cargo takes the installed Rust, whatever the crate requires.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from kformat.kernels.cache import cache_folder

SOURCE = Path(__file__).with_name("krabka")
CRATE = "krabka-log"
BUILD_SECONDS = 900
EDITS = {
    "src/segment.rs": (r"#\[krabka_macros::sendfile_cfg\]\n(?=mod read_raw_desc;)", ""),
    "src/log/state.rs": (r"\.map_or_default\(", ".map_or_else(Default::default, "),
}
"""In which file of the crate what stands, and what stable Rust takes instead."""

__all__ = ["CRATE", "EDITS", "KrabkaLog", "MissingError", "edit", "program"]


class MissingError(Exception):
    """The program is not there, and cannot be built: says why."""


def edit(crate: Path) -> None:
    """Make a copy of the crate one that stable Rust takes; MissingError where it is not the crate that is known."""
    for name, (refused, taken) in EDITS.items():
        path = crate / name
        text, count = re.subn(refused, taken, path.read_text(encoding="utf-8"))
        if count != 1:
            raise MissingError(f"{CRATE}: {count} lines of {name} are what stable Rust refuses; 1 was expected")
        path.write_text(text, encoding="utf-8")


def program(*, may_build: bool = True) -> Path:
    """The program's path; built, unless it was before. MissingError without cargo, or where the build fails."""
    cargo, cache = shutil.which("cargo"), cache_folder()
    if cache is None:
        raise MissingError("there is no cache folder to build it in")
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in _files())).hexdigest()[:16]
    built = cache / "bench" / f"{CRATE}-{digest}"
    if built.is_file():
        return built
    if not may_build:
        raise MissingError("it is not built yet, and a single round does not build it")
    if cargo is None:
        raise MissingError("there is no cargo to build it with")
    built.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="build-", dir=built.parent) as folder:
        os.replace(_build(cargo, Path(folder), target=built.parent / "target"), built)
    return built


def _files() -> list[Path]:
    return [SOURCE / "Cargo.toml", SOURCE / "src" / "main.rs"]


def _build(cargo: str, folder: Path, target: Path) -> Path:
    """Build in a folder; the path of what was built, in ``target``, where what was compiled stays for the next time."""
    work, copy = folder / "program", folder / CRATE
    for path in _files():
        to = work / path.relative_to(SOURCE)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, to)
    metadata = json.loads(_run(cargo, "metadata", "--format-version=1", folder=work))
    (manifest,) = [Path(package["manifest_path"]) for package in metadata["packages"] if package["name"] == CRATE]
    shutil.copytree(manifest.parent, copy)
    edit(copy)
    with open(work / "Cargo.toml", "a", encoding="utf-8") as file:
        file.write(f'\n[patch.crates-io]\n{CRATE} = {{ path = "../{CRATE}" }}\n')
    options = ("--release", "--quiet", "--ignore-rust-version", "--target-dir", str(target))
    _run(cargo, "build", *options, folder=work)
    return target / "release" / "kformat-bench-krabka"


def _run(*command: str, folder: Path) -> str:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=BUILD_SECONDS)
    except subprocess.TimeoutExpired:
        raise MissingError(f"cargo {command[1]} took more than {BUILD_SECONDS} s") from None
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("error")]
        raise MissingError(f"cargo {command[1]} failed: {(errors or ['no reason given'])[0]}")
    return done.stdout


class KrabkaLog:
    """The program, which takes a request a line, and measures its own work."""

    def __init__(self, path: Path) -> None:
        self.seconds = 0.0
        """CPU seconds of its work so far."""
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(self.close)

    def ask(self, *words: object) -> int:
        """Have something done; the answer. RuntimeError where the program ended over it."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write("\t".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{CRATE} did not do: {words}")
        found = json.loads(line)
        self.seconds += found["cpu_s"]
        return int(found["answer"])

    def clock(self) -> float:
        return self.seconds

    def close(self) -> None:
        """End the program."""
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.wait()
