"""Speed up Spark's workers: exclude imported modules from garbage collection after each task.

Spark collects garbage after each task, scanning all objects that numba, pyarrow and others created on import, none of
which is garbage. The objects that exist when a task ends that imported something are excluded from then on. The first
task of a worker need not be the one: over Connect it may be a look at a folder.
"""

from __future__ import annotations

import gc
import sys

_modules_count = 0


def forget_what_is_imported() -> None:
    """Call this at the end of a task; it acts if modules were imported since it last did."""
    global _modules_count
    if len(sys.modules) != _modules_count:
        _modules_count = len(sys.modules)
        gc.freeze()
