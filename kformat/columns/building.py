"""An Arrow array of structures -> the bytes of values of a declared format: the inverse of `values`.

The columns are those that `values` makes: structures, lists, cases of a ``switch-on`` of which one is not null, members
of enums by name or number. Each value's bytes are what `kformat.build` makes of it: lengths, counts and checksums may
be missing, computed instances are ignored, and a null stays null. numpy writes values of a fixed size; the codec writes
the others, and those that numpy refuses.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import accumulate, chain, compress, pairwise, repeat
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from kformat.codec.constructs import build
from kformat.codec.values import Undecided, value_class
from kformat.columns.arrow import pyarrow
from kformat.columns.fixed import Fixed, fixed_of
from kformat.columns.logical import stored_of
from kformat.columns.plan import (
    Binary,
    EnumNames,
    Flag,
    Left,
    LogicalShape,
    Many,
    Number,
    OneOf,
    Open,
    Real,
    Shapes,
    TagShape,
    TextShape,
    plan_of,
)
from kformat.columns.rows import find
from kformat.errors import BuildError, UsageError
from kformat.integers import MAX_INT32
from kformat.language.mark import nearest
from kformat.language.program import (
    Check,
    Enum,
    LogicalType,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadType,
    Step,
    TypeProgram,
    load_type,
)

Array = npt.NDArray[Any]

_ROWS: Final = 1 << 12
"""Most values that are objects at the same time."""
_DIGITS: Final = re.compile(r"-?[0-9]{1,20}")


class Built(NamedTuple):
    """The bytes of values, as an Arrow array of binary. With a ``problem``, only the values before the first that
    cannot be built.
    """

    array: Any
    problem: BuildError | None


class Builder:
    """Builds values of a format.

    Args:
        format: as for `kformat.build`.
        source: the name of the column, for errors.

    Raises UsageError and DeclarationError, as `kformat.build`.
    """

    def __init__(self, format: Any, *, source: str = "value", with_fixed: bool = True) -> None:
        self.program, self.source = load_type(format), source
        self._makers: dict[Any, Make] = {}
        self._fixed = _fixed_writer(self.program) if with_fixed else None

    @property
    def label(self) -> str:
        """The name of the values' type."""
        return self.program.label

    def check(self, kind: Any) -> None:
        """Raise UsageError for an Arrow type whose values have other fields, or are no structures."""
        self._maker(kind)

    def build(self, array: Any) -> Built:
        """The bytes of the structures in an Arrow array. Raises as `check`."""
        pa = pyarrow()
        if pa.types.is_null(array.type):
            return Built(pa.nulls(len(array), pa.binary()), None)
        make = self._maker(array.type)
        there = _present(array) if array.null_count else array
        made = None if self._fixed is None or not len(there) else self._fixed.bytes_of(there)
        problem = None
        if made is None:
            parts: list[bytes] = []
            problem = self._add_objects(make, there, parts)
            made = pa.array(parts, pa.binary())
        if not array.null_count:
            return Built(made, problem)
        is_there = array.is_valid().to_numpy(zero_copy_only=False)
        rows = np.cumsum(is_there) - 1
        if problem is not None:
            rows, is_there = (items[: int(np.flatnonzero(is_there)[len(made)])] for items in (rows, is_there))
        return Built(made.take(pa.array(rows, mask=~is_there)), problem)

    def _maker(self, kind: Any) -> Make:
        made = self._makers.get(kind)
        if made is None:
            if not pyarrow().types.is_struct(kind):
                raise UsageError(f"column {self.source}: a structure of {self.label} is expected, found {kind}")
            made = self._makers[kind] = _structure(Shapes(True), Open(self.program, ()), kind, self.source)
        return made

    def _add_objects(self, make: Make, array: Any, parts: list[bytes]) -> BuildError | None:
        for start in range(0, len(array), _ROWS):
            chunk = array.slice(start, _ROWS)
            for value in make(chunk, [None] * len(chunk), None):
                try:
                    parts.append(build(self.program, value))
                except BuildError as error:
                    error.path = self.source + error.path.removeprefix(self.label)
                    return error
        return None


def values_of(program: TypeProgram, array: Any, source: str) -> list[Any]:
    """The structures in an Arrow array as values of the codec, which a builder takes. Raises as `Builder.check`."""
    make = _structure(Shapes(True), Open(program, ()), array.type, source)
    values: list[Any] = make(array, [None] * len(array), None)
    return values


# --- structures as values of the codec -------------------------------------------------------------------------------


Make = Callable[[Any, Sequence[Any], Sequence[Any] | None], list[Any]]
"""An array, and for each element its parent and its root (None: the elements are roots) -> values, some of them None.
"""


def _structure(shapes: Shapes, shape: Open, kind: Any, path: str) -> Make:
    """A function that makes values of a structure; UsageError for a column that it does not have."""
    program, entries = shape.program, {entry.name: entry for entry in shapes.entries(shape.program, shape.around)}
    computed = {instance.field.name for instance in program.instances if instance.value is not None}
    made = value_class(program)
    parts: list[tuple[Callable[[Any, Any], None], Make | None]] = []
    names = [field.name for field in kind]
    if len(set(names)) < len(names):
        raise UsageError(f"column {path}: two columns have one name")
    for number in range(kind.num_fields):
        field = kind.field(number)
        entry = entries.get(field.name)
        if entry is None:
            raise UsageError(
                f"column {path}.{field.name}: {program.name} has no field {field.name!r:.60}"
                f"{nearest(field.name, tuple(entries))}; there are {', '.join(entries) or 'none'}"
            )
        setter = getattr(getattr(made, field.name), "__set__", None) or _setter(field.name)
        is_computed = field.name in computed  # and follows from others
        parts.append((setter, None if is_computed else _of(shapes, entry.shape(), field.type, f"{path}.{field.name}")))
    places = [getattr(made, name).__set__ for name in ("_parent", "_root")] if program.keeps_context else []
    literals = [
        (getattr(made, step.name).__set__, step.contents)
        for step in program.steps
        if isinstance(step, ReadLiteral) and step.condition is None and step.name not in names
    ]

    def make(array: Any, parents: Sequence[Any], roots: Sequence[Any] | None) -> list[Any]:
        if array.null_count:
            return _around_nulls(make, array, parents, roots)
        values = [made.__new__(made) for _ in range(len(array))]
        roots = (values if program.is_root else [None] * len(values)) if roots is None else roots
        for place, owners in zip(places, (parents, roots), strict=False):
            _each(place, values, owners)
        for place, contents in literals:
            _each(place, values, repeat(contents))
        for (setter, part), column in zip(parts, _flat(array), strict=True):
            if part is not None:
                _each(setter, values, part(column, values, roots))
        return values

    return make


def _present(array: Any) -> Any:
    """The elements that are not null. (`drop_null` of pyarrow 26 knows no extension types.)"""
    return array.filter(array.is_valid())


def _each(function: Callable[[Any, Any], None], values: Sequence[Any], items: Iterable[Any]) -> None:
    deque(map(function, values, items), maxlen=0)


def _flat(array: Any) -> list[Any]:
    children: list[Any] = array.flatten()
    return children


def _setter(name: str) -> Callable[[Any, Any], None]:
    return lambda value, item: object.__setattr__(value, name, item)


def _around_nulls(make: Make, array: Any, parents: Sequence[Any], roots: Sequence[Any] | None) -> list[Any]:
    is_there = array.is_valid().to_pylist()
    inner = None if roots is None else list(compress(roots, is_there))
    values = iter(make(_present(array), list(compress(parents, is_there)), inner))
    return [next(values) if there else None for there in is_there]


def _of(shapes: Shapes, shape: Any, kind: Any, path: str) -> Make:
    """A function that makes values of a shape from an Arrow type; UsageError if the two do not match."""
    types = pyarrow().types
    if isinstance(shape, Left):
        raise UsageError(f"column {path}: {shape.reason}")
    if types.is_null(kind):
        return _plain
    if isinstance(shape, Open):
        if not types.is_struct(kind):
            raise UsageError(f"column {path}: a structure is expected, found {kind}")
        return _structure(shapes, shape, kind, path)
    if isinstance(shape, TagShape):
        shape = shape.inner
        if isinstance(shape, Open | Many):
            return _of(shapes, shape, kind, path)
    if isinstance(shape, Many):
        if not any(getattr(types, f"is_{name}")(kind) for name in ("list", "large_list", "fixed_size_list")):
            raise UsageError(f"column {path}: a list is expected, found {kind}")
        return _list(_of(shapes, shape.element, kind.value_type, path))
    if isinstance(shape, OneOf):
        if not types.is_struct(kind):
            there = ", ".join(case.name for case in shape.cases)
            raise UsageError(f"column {path}: a structure of cases is expected ({there}), found {kind}")
        return _one_of(shapes, shape, kind, path)
    if isinstance(shape, LogicalShape):
        items_of = stored_of(shape.logical, kind, in_bytes=isinstance(shape.stored, Binary))
        if items_of is None:
            raise UsageError(f"column {path}: {shape.logical}, or what is stored, is expected, found {kind}")
        return lambda array, parents, roots: items_of(array)
    content = kind.value_type if types.is_dictionary(kind) else kind
    expected, tests = _LEAVES[type(shape)]
    if not any(getattr(types, f"is_{test}")(content) for test in tests):
        raise UsageError(f"column {path}: {expected} is expected, found {kind}")
    if isinstance(shape, EnumNames) and any(getattr(types, f"is_{test}")(content) for test in TEXTS):
        return _names(shape)
    return _integers if types.is_decimal(content) else _plain


TEXTS: Final = ("string", "large_string", "string_view")
BYTES: Final = ("binary", "large_binary", "fixed_size_binary", "binary_view")
"""Arrow's types of text, and of bytes, as `pyarrow.types` names them."""
_LEAVES: Final[dict[type, tuple[str, tuple[str, ...]]]] = {
    Number: ("an integer", ("integer", "decimal")),
    Real: ("a float", ("floating", "integer")),
    Flag: ("a boolean", ("boolean", "integer")),
    Binary: ("binary", BYTES),
    TextShape: ("text", TEXTS),
    EnumNames: ("text, or an integer,", ("integer", "decimal", *TEXTS)),
}


def _plain(array: Any, parents: Sequence[Any], roots: Any) -> list[Any]:
    values: list[Any] = array.to_pylist()
    return values


def _integers(array: Any, parents: Sequence[Any], roots: Any) -> list[Any]:
    return [int(item) if item is not None and item == int(item) else item for item in array.to_pylist()]


def _names(shape: EnumNames) -> Make:
    """Numbers of members. Text that is neither a member nor digits stays text, which the codec refuses."""
    numbers = {name: number for number, name in reversed(shape.enum.members.items())}

    def number(name: Any) -> Any:
        if name is None or name in numbers:
            return numbers.get(name)
        return int(name) if _DIGITS.fullmatch(name) else name

    return lambda array, parents, roots: list(map(number, array.to_pylist()))


def _list(element: Make) -> Make:
    pa = pyarrow()

    def make(array: Any, parents: Sequence[Any], roots: Sequence[Any] | None) -> list[Any]:
        if pa.types.is_fixed_size_list(array.type):
            array = array.cast(pa.list_(array.type.value_type))
        lengths = array.value_lengths().to_pylist()
        counts = [length or 0 for length in lengths]
        around, above = (list(chain.from_iterable(map(repeat, owners, counts))) for owners in (parents, roots or ()))
        items, ends = element(array.flatten(), around, above), accumulate(counts, initial=0)
        return [
            None if length is None else items[start:end]
            for length, (start, end) in zip(lengths, pairwise(ends), strict=True)
        ]

    return make


def _one_of(shapes: Shapes, shape: OneOf, kind: Any, path: str) -> Make:
    cases, parts = {case.name: case.shape for case in shape.cases}, []
    names = [kind.field(number).name for number in range(kind.num_fields)]
    for number, name in enumerate(names):
        if name not in cases:
            raise UsageError(f"column {path}.{name}: there is no such case; there are {', '.join(cases)}")
        parts.append(_of(shapes, cases[name], kind.field(number).type, f"{path}.{name}"))

    def make(array: Any, parents: Sequence[Any], roots: Sequence[Any] | None) -> list[Any]:
        columns = [part(column, parents, roots) for part, column in zip(parts, _flat(array), strict=True)]
        values: list[Any] = [None] * len(array)
        for column in columns:
            values = [there if item is None else item for there, item in zip(values, column, strict=True)]
        counts = np.sum([column.is_valid().to_numpy(zero_copy_only=False) for column in _flat(array)], axis=0)
        for row in np.flatnonzero(counts > 1).tolist() if columns else ():
            values[row] = Undecided(
                partial(_refuse_cases, [name for name, items in zip(names, columns, strict=True) if items[row]])
            )
        return values

    return make


def _refuse_cases(names: list[str], step: Any) -> NoReturn:
    raise BuildError(f"more than one case has a value: {', '.join(names)}")


# --- values of a fixed size -----------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _fixed_writer(program: TypeProgram) -> _FixedWriter | None:
    """A writer of a type's values with numpy; None unless every part has a fixed size."""
    try:
        fixed = fixed_of(plan_of(find(program, program.label), None, "names"))
    except UsageError:  # without columns, or with too many
        return None
    return _FixedWriter(program, fixed) if isinstance(fixed, Fixed) and fixed.size else None


class _Refused(Exception):
    """The codec has to build these values."""


class _FixedWriter:
    """Columns -> values of a fixed size, one after the other."""

    def __init__(self, program: TypeProgram, fixed: Fixed) -> None:
        self.program, self.fixed = program, fixed

    def bytes_of(self, array: Any) -> Any:
        """The bytes of structures without nulls, as an Arrow array; None if the codec has to build them."""
        pa, size = pyarrow(), self.fixed.size
        if size * len(array) > MAX_INT32:
            return None
        rows = np.zeros(len(array), self.fixed.dtype)
        try:
            self.fill(rows, self.program, array)
        except (_Refused, pa.ArrowException):
            return None
        kept = self.fixed.kept(rows)
        if kept is not None and not kept.all():
            return None
        ends = np.arange(0, size * len(array) + 1, size, dtype=np.int32)
        return pa.Array.from_buffers(pa.binary(), len(array), [None, pa.py_buffer(ends), pa.py_buffer(rows)])

    def fill(self, rows: Array, program: TypeProgram, array: Any) -> None:
        names = [field.name for field in array.type]
        columns = dict(zip(names, _flat(array), strict=True))
        if len(columns) < len(names) or any(
            field.derive is not None or field.positions is not None for field in program.fields
        ):
            raise _Refused
        for step in program.steps:
            if isinstance(step, ReadLiteral) and step.name not in columns:
                rows[step.name] = np.frombuffer(step.contents, rows.dtype[step.name])
            elif not isinstance(step, Check):
                if step.name not in columns or columns[step.name].null_count:
                    raise _Refused
                logical = next(field.logical for field in program.fields if field.name == step.name)
                rows[step.name] = self.values(step, columns[step.name], rows.dtype[step.name], logical)

    def values(self, step: Step, column: Any, kind: np.dtype[Any], logical: LogicalType | None) -> Array:
        """The content of a field, as an array of its type in the structure."""
        pa = pyarrow()
        if logical is not None and not isinstance(step, ReadList):
            column = _stored(logical, column, isinstance(step, ReadBytes))
        match step:
            case ReadInteger():
                wanted = getattr(pa, f"{'' if step.kind.signed else 'u'}int{step.kind.bits}")()
                if step.enum is not None and not pa.types.is_integer(column.type):
                    column = _numbers_of_names(step.enum, column)
                return column.cast(wanted).to_numpy()
            case ReadFloat() if pa.types.is_floating(column.type):
                floats: Array = column.to_numpy()
                with np.errstate(over="ignore"):
                    made: Array = floats.astype(f"f{step.bits // 8}")
                if (np.isinf(made) & ~np.isinf(floats)).any():
                    raise _Refused
                return made
            case ReadBytes():
                return self.texts(step, column, kind)
            case ReadType():
                rows = np.zeros(len(column), kind)
                self.fill(rows, step.type, column)
                return rows
            case ReadList() if kind.subdtype is not None and len(kind.shape) == 1:
                column = column.cast(pa.list_(column.type.value_type))
                elements, count = column.flatten(), kind.shape[0]
                if elements.null_count or not (column.value_lengths().to_numpy() == count).all():
                    raise _Refused
                return self.values(step.element, elements, kind.base, logical).reshape(len(column), count)
        raise _Refused

    def texts(self, step: ReadBytes, column: Any, kind: np.dtype[Any]) -> Array:
        pa, is_text = pyarrow(), step.encoding is not None
        column = column.cast(pa.string() if is_text else pa.binary())
        _, ends, data = column.buffers()
        offsets = np.frombuffer(ends, np.int32, len(column) + 1, 4 * column.offset)
        content = np.frombuffer(b"" if data is None else data, np.uint8)[offsets[0] : offsets[-1]]
        if not (np.diff(offsets) == kind.itemsize).all() or not kind.itemsize:
            raise _Refused
        if is_text and step.encoding.upper() != "UTF-8" and (content > 127).any():  # type: ignore[union-attr]
            raise _Refused
        return content.view(kind)


def _stored(logical: LogicalType, column: Any, in_bytes: bool) -> Any:
    """What is stored of a column of a logical type; _Refused if the codec has to say what is wrong."""
    pa, items_of = pyarrow(), stored_of(logical, column.type, in_bytes=in_bytes)
    kept = (bytes,) if in_bytes else (int,)
    items = None if items_of is None else items_of(column)
    if items is None or not all(isinstance(item, kept) for item in items):
        raise _Refused
    try:
        return pa.array(items, pa.binary() if in_bytes else None)
    except OverflowError:
        raise _Refused from None


def _numbers_of_names(enum: Enum, column: Any) -> Any:
    """The numbers of members; _Refused for a name that is no member."""
    pa, numbers = pyarrow(), {name: number for number, name in reversed(enum.members.items())}
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    member_numbers = [numbers.get(name) for name in coded.dictionary.to_pylist()]
    if None in member_numbers:
        raise _Refused
    return pa.array(member_numbers, pa.int64()).take(coded.indices)


__all__ = ["BYTES", "TEXTS", "Builder", "Built", "values_of"]
