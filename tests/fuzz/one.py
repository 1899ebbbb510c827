"""One target in this process: with atheris for so many seconds, or once with each of some files.

python -m tests.fuzz.one TARGET FILE...
python -m tests.fuzz.one TARGET --fuzz ARGUMENT OF LIBFUZZER...
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any


def main(arguments: list[str]) -> None:
    """Let what a target lets out, out."""
    name, *rest = arguments
    if rest[:1] != ["--fuzz"]:
        target = importlib.import_module("tests.fuzz.targets").TARGETS[name]
        for path in rest:
            target(Path(path).read_bytes())
        return
    atheris: Any = importlib.import_module("atheris")
    # numba compiles what it is given as it was written.
    but = ["kformat.kernels", "kformat.dump.line_kernels", "kformat.kafka.columns.record_kernels", "tests.kernel_cases"]
    with atheris.instrument_imports(include=["kformat", "kformat_engine"], exclude=but):
        target = importlib.import_module("tests.fuzz.targets").TARGETS[name]
    atheris.Setup([sys.argv[0], *rest[1:]], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
