"""What `make generate` makes of the declarations and CI compares; nothing here is written by hand but this page.

`kformat.generated.<declaration>` are Kaitai Struct's own Python classes, which read and write (`RecordBatch`,
`OffsetIndex`, ...): the witness that kformat's codec is held against, and a second way for whoever knows Kaitai. They
know nothing of checksums, compression or derived fields.

`kformat.generated.values` has the classes of what kformat itself parses, by name, for annotations; the stubs beside it
and `parsing` tell editors and type checkers which fields there are, and what `kformat.parse` gives for which format.
"""
