"""Records as columns, and columns as records."""
