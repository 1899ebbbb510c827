"""Rules and their findings: the table of all, and those about a folder's files, a log's framing and its indexes."""
