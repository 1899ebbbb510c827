"""The verbs of `kformat log`."""

from __future__ import annotations

import click


@click.group()
def log() -> None:
    """Write, read and mend logs that a broker opens."""
