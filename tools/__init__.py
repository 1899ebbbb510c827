"""What the Makefile and CI run. Not part of the distribution."""
