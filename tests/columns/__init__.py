"""Rows of declared formats as columns."""
