"""Offset and time indexes: entries, which of them to trust, and lookups by offset and by time."""
