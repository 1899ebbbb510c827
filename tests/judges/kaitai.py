"""The Kaitai Struct compiler as a judge of declarations, and the maker of the witness classes."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.judges import jars

KAITAI = "kaitai-0.11"
MAIN = "io.kaitai.struct.JavaMain"
TIMEOUT_S = 120


def kaitai_compile(
    ksy_files: Sequence[Path],
    target: str,
    out: Path,
    *,
    read_write: bool = True,
    import_path: Path | None = None,
    package: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Compile declarations to `target` ("python", "java", ...) into the directory `out`.

    The process is returned whether it succeeded or not: `returncode` is not 0, and stderr says why, when the compiler
    refuses a file. `read_write` asks for classes that also write, which needs a target that has them; `package` is
    the package of Python's or Java's classes.
    """
    command = ["java", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8", "-cp", f"{jars.directory(KAITAI)}/*", MAIN]
    command += ["--target", target, "--outdir", str(out)]
    if read_write:
        # Kaitai's writing classes parse lazily nothing by themselves, and it insists on being told so.
        command += ["--read-write", "--no-auto-read"]
    if package is not None:
        command += [f"--{target}-package", package]
    if import_path is not None:
        command += ["--import-path", str(import_path)]
    command += [str(path) for path in ksy_files]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
