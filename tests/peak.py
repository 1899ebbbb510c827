"""How much memory a process has taken at most, for the programs that tests start to find it out.

They run in the directory above this one, so that `from tests.peak import peak_bytes` works there.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
"""Where such a program is to be started."""


def peak_bytes() -> int:
    """The largest resident size so far.

    A child's ru_maxrss begins at what its parent had, and would hide everything below that: so the kernel's own figure
    is taken where there is one.
    """
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
