"""Batches of all magics: framing, headers, records, codecs, and how they are written."""
