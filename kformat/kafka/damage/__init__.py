"""Damaged logs: batches in any bytes, where they belong, what is lost, and reading on."""
