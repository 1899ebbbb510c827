"""What stopped a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from kformat.kernels.source import Site


@dataclass(frozen=True, slots=True)
class Problem:
    """Where a kernel stopped: window number ``unit``, ``row`` of that window, and the position in the data where that
    row begins; ``site`` says which rule it was, at which position. What is wrong in words, the codec says."""

    unit: int
    row: int
    position: int
    site: Site
    site_position: int
