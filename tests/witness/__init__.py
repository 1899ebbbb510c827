"""Kaitai Struct's own Python classes of the shipped declarations, which read and write (`RecordBatch`, ...).

`make generate` makes them with Kaitai's compiler; nothing here is written by hand but this page. They are the witness
that kformat's codec is compared with (`tests.kaitai_witness`), and know nothing of checksums, compression or derived
fields.
"""
