"""The declarations, as data: one ``.ksy`` per on-disk thing. ``kformat.language.declaration`` reads them from here."""
