"""The words of a kernel's state, shared with its caller. Nothing here needs numba.

The words after FIRST_TABLE are the rows of each table but the first.
"""

from __future__ import annotations

UNIT = 0
"""The number of the current window."""
DONE = 1
"""How many of its rows were read; -1 before its first."""
POSITION = 2
"""Where the next row begins, or the failed one."""
ROW = 3
"""How many rows were read, of all windows."""
ERROR_POSITION = 4
"""The position of the step that stopped the kernel."""
CAPACITY = 5
"""How many rows the full table needs room for."""
FIRST_TABLE = 6

__all__ = ["FIRST_TABLE", "POSITION"]
