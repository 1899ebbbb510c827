"""What a kernel and its caller tell each other: the words of a kernel's state. Nothing here needs numba.

The words after FIRST_TABLE are the rows of each table but the first.
"""

from __future__ import annotations

UNIT = 0
"""The number of the window that is read."""
DONE = 1
"""How many of its rows were read; -1 before its first."""
POSITION = 2
"""Where in the bytes the next row begins, or the one that failed."""
ROW = 3
"""How many rows were read, of all windows."""
ERROR_POSITION = 4
"""Where in the bytes the step stood that stopped the kernel."""
CAPACITY = 5
"""How many rows the table that was full has to have room for."""
FIRST_TABLE = 6
