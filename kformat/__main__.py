"""`python -m kformat` runs the command `kformat`."""

from __future__ import annotations

import sys

from kformat.cli import main

if __name__ == "__main__":
    sys.exit(main())
