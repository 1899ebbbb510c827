"""Declarations: compile a `.ksy` file to a program of checks and reads, and its layout. Independent of any format."""
