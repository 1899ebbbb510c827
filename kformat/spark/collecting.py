"""What Spark's workers are spared: a look at all that was imported, after every task.

Spark collects garbage after each task, with all that numba, pyarrow and others have made when they were imported, of
which nothing is garbage. What there is when the first task of a worker ends is left out from then on.
"""

from __future__ import annotations

import gc
from functools import cache


@cache
def forget_what_is_imported() -> None:
    """To be called at the end of a task, when all is imported that tasks need; does it once in each process."""
    gc.freeze()
