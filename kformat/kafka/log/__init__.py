"""A partition, a log directory, and readers of both."""
