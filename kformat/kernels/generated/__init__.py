"""Kernels that kformat runs itself, made by `make generate`; all others are generated when they are asked for."""
