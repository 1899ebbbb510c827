"""What these tests build is built both ways."""

from __future__ import annotations

from tests.both_ways import both_ways as both_ways
