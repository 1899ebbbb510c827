"""The kernels of our own declarations, by format, as `kformat.kernels` has them compiled; made by `make generate`."""
