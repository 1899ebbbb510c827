"""The programs of the shipped declarations, one module for each (`kformat.language.shipped`)."""
