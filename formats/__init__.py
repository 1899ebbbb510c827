"""The declarations, as data: one ``.ksy`` per on-disk thing. ``kformat.declaration`` reads them from here."""
