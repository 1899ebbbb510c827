"""Objects -> bytes, in passes: the parts of `building`, by what they know."""
