"""Structures: the steps of another type, in place."""

from __future__ import annotations

from kformat.kernels.decode.function import DecodeFunction
from kformat.kernels.decode.sequence import decode_steps
from kformat.kernels.expressions import value_of
from kformat.kernels.source import KernelScope
from kformat.language.program import ReadType


def decode_structure(out: DecodeFunction, step: ReadType, scope: KernelScope, end: str) -> None:
    """The steps of another type: their columns are named after the field, ``header.length``."""
    inner = KernelScope(f"{scope.prefix}{step.name}.", f"{scope.path}.{step.name}", scope.table)
    inner.parent, inner.is_foreign = scope, step.foreign
    inside(out, step, scope, inner, end)
    for path, variable in inner.variables.items():
        scope.variables[(step.name, *path)] = variable
    for path, variable in inner.absent.items():
        scope.absent[(step.name, *path)] = variable


def inside(out: DecodeFunction, step: ReadType, scope: KernelScope, inner: KernelScope, end: str) -> None:
    """``v1_version = v0_version``, of each parameter, and the steps of the type."""
    for name, argument in step.arguments:
        variable = out.variable(name)
        out.put(f"{variable} = {value_of(out, argument, scope, step.name)}")
        inner.variables[(name,)] = variable
    inner.program = step.type
    decode_steps(out, step.type.steps, inner, end)
