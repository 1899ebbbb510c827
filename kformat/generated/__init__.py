"""What `make generate` makes of the declarations and CI compares; nothing here is written by hand but this page.

`kformat.generated.values` has the classes of what kformat itself parses, by name, for annotations; the stubs next to it
and `parsing` tell editors and type checkers which fields there are, and what `kformat.parse` gives for which format.
"""
