"""Structures: the steps of another type, in place."""

from __future__ import annotations

from kformat.kernels.encode.function import EncodeFunction, StructurePlace
from kformat.kernels.encode.lengths import fields_of
from kformat.kernels.encode.sequence import measure, prepare, write
from kformat.kernels.expressions import value_of
from kformat.kernels.source import KernelError
from kformat.language.program import ReadType


def fill_structure(out: EncodeFunction, step: ReadType, place: StructurePlace) -> None:
    """Load the values of another type: its columns are named after the field, ``header.length``."""
    place.inner[step.name] = structure_of(out, step, place, f"{place.prefix}{step.name}.", place.row)
    for path, variable in place.inner[step.name].variables.items():
        place.variables[(step.name, *path)] = variable


def measure_structure(out: EncodeFunction, step: ReadType, place: StructurePlace, total: str) -> None:
    """The size of its steps."""
    measure(out, step.type.steps, place.inner[step.name], total)


def write_structure(out: EncodeFunction, step: ReadType, place: StructurePlace) -> None:
    """The bytes of its steps."""
    write(out, step.type.steps, place.inner[step.name])


def structure_of(
    out: EncodeFunction, step: ReadType, place: StructurePlace, prefix: str, row: str, table: int | None = None
) -> StructurePlace:
    """The place of a value of a type, with ``v1_version = v0_version`` of each parameter."""
    inner = StructurePlace(prefix, f"{place.path}.{step.name}", place.table if table is None else table, row=row)
    inner.fields = fields_of(step.type)
    for name, argument in step.arguments:
        if any(path[0] in place.computed for path in argument.names()) and table is None:
            raise KernelError(f"{place.path}.{step.name}: {argument}: a parameter that follows from what is written")
        variable = out.variable(name)
        out.put(f"{variable} = {value_of(out, argument, place, step.name)}")
        inner.variables[(name,)] = variable
    prepare(out, step.type.steps, inner)
    return inner
