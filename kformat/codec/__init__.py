"""A program -> objects and back: parse, build, JSON, trace. The reference that kernels are compared with."""
