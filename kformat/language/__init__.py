"""Declarations: a `.ksy` file -> a program of checks and reads, and its layout. Knows no format."""
