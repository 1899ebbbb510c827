"""`kformat.diff`: the differences between two files or folders."""
