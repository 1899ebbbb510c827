"""The files of a data directory, by their names, and what the text files say."""
