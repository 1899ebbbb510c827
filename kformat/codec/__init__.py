"""Parse, build, JSON and trace, driven by a program. Kernels are tested against this reference implementation."""
