"""Speed up Spark's workers: exclude imported modules from garbage collection after each task.

Spark collects garbage after each task, scanning all objects that numba, pyarrow and others created on import, none of
which is garbage. The objects that exist when a worker's first task ends are excluded from then on.
"""

from __future__ import annotations

import gc
from functools import cache


@cache
def forget_what_is_imported() -> None:
    """Call this at the end of a task, when everything that tasks need is imported; it acts once per process."""
    gc.freeze()
