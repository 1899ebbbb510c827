"""Rows of any declared type as Arrow columns. `scanning` is the door: `kformat.scan`."""
