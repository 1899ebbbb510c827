"""When kernels read Kafka's records."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kformat.kernels.readiness import Job, Readiness

RECORD_KERNELS: Final = Readiness(
    lambda: Job("kformat.kafka.columns.compiling", "compile_all"),
    lambda: (Path(__file__).parents[1] / "columns" / "record_kernels.py").read_text(encoding="utf-8"),
    load_bytes=4 << 20,
    compile_bytes=64 << 20,
)
"""Of the kernels that read records as columns. The codec reads 15 MB of them in a second, compiling takes eight
seconds, and loading three tenths (2 cores, 2026-11-28)."""

__all__ = ["RECORD_KERNELS"]
