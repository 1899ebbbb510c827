"""`kformat.diff`: what differs between two files or folders."""
