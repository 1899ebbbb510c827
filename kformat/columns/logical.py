"""Logical types (``-as``) as Arrow columns: made of what is stored, and back; and as what JSON and CSV can hold.

    timestamp   timestamp[unit, tz=UTC]; the epoch is added
    decimal     decimal128 of the decimal places, with all digits that the integer may have
    flags       list<string>
    bool        bool
    uuid        arrow.uuid, the canonical extension type; of ``uuid(base64)`` string
    ipv4, ipv6, mac   string
    half        halffloat

`language.logical` says what each looks like as text.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.columns.arrow import arrow_compute, leaf_types, pyarrow
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.language.logical import readable
from kformat.language.steps import UNITS, LogicalType

Array = npt.NDArray[Any]

_DIGITS: Final = {8: 3, 16: 5, 32: 10}
"""Digits of integers of these bits; of others 20."""
_HEX: Final = np.frombuffer(b"0123456789abcdef", np.uint8)


class NoMeaning(OverflowError):
    """A number that its logical type does not have; ``args[0]`` is the index of the first one."""


def logical_type(logical: LogicalType, stored_bits: int) -> Any:
    """The Arrow type of values that are stored in integers of so many bits, or in bytes (0)."""
    pa = pyarrow()
    match logical.name:
        case "timestamp":
            return pa.timestamp(logical.unit, tz="UTC")
        case "decimal":
            return pa.decimal128(max(_DIGITS.get(stored_bits, 20), logical.scale), logical.scale)
        case "flags":
            return pa.list_(pa.field("item", pa.string(), False))
        case "bool":
            return pa.bool_()
        case "uuid" if not logical.base64:
            return pa.uuid()
        case "half":
            return pa.float16()
    return pa.string()


# --- what is stored as columns ---------------------------------------------------------------------------------------


def logical_array(logical: LogicalType, array: Any, kind: Any) -> Any:
    """What an array of stored integers or bytes means, of the type `logical_type`; nulls stay. Raises NoMeaning."""
    pa = pyarrow()
    match logical.name:
        case "timestamp":
            return _same_buffers(_moments(logical, array), kind)
        case "decimal":
            return _same_buffers(array.cast(pa.decimal128(kind.precision, 0)), kind)
        case "half":
            return _same_buffers(array, kind)
        case "bool":
            return arrow_compute().not_equal(array, 0)
        case "uuid" if not logical.base64:
            data = _cells(array, 16)
            if logical.little_endian:
                data = data[:, [3, 2, 1, 0, 5, 4, 7, 6, *range(8, 16)]]
            buffers = [_validity(array), pa.py_buffer(np.ascontiguousarray(data))]
            return pa.ExtensionArray.from_storage(kind, pa.Array.from_buffers(pa.binary(16), len(array), buffers))
        case "mac":
            return _macs(array, kind)
        case "ipv4":
            return _ipv4s(array)
    coded = array.dictionary_encode()
    meanings = [_as_list(readable(logical, value)) if logical.name == "flags" else readable(logical, value)
                for value in coded.dictionary.to_pylist()]  # fmt: skip
    return pa.array(meanings, kind).take(coded.indices)


def _as_list(flags: Any) -> list[str]:
    return flags if isinstance(flags, list) else [str(flags)]


def _same_buffers(array: Any, kind: Any) -> Any:
    """The same bytes as an array of another type."""
    return pyarrow().Array.from_buffers(kind, len(array), array.buffers(), offset=array.offset)


def _validity(array: Any) -> Any:
    """A validity buffer without an offset; None if nothing is null."""
    if not array.null_count:
        return None
    there = np.asarray(array.is_valid())
    return pyarrow().py_buffer(np.packbits(there, bitorder="little"))


def _moments(logical: LogicalType, array: Any) -> Any:
    """Numbers of units since 1970, in 64 bits."""
    pa, epoch = pyarrow(), logical.epoch
    if pa.types.is_decimal(array.type):  # integers of 64 bits that may be negative or above
        values = [None if value is None else int(value) + epoch for value in array.to_pylist()]
        fits = [value is None or MIN_INT64 <= value <= MAX_INT64 for value in values]
        if not all(fits):
            raise NoMeaning(fits.index(False))
        return pa.array(values, pa.int64())
    numbers = array.fill_null(0).to_numpy(zero_copy_only=False)
    known = np.iinfo(numbers.dtype)
    low, high = max(MIN_INT64 - epoch, int(known.min)), min(MAX_INT64 - epoch, int(known.max))
    if low > known.min or high < known.max:
        unfit = np.ones(len(numbers), np.bool_) if low > high else (numbers < low) | (numbers > high)
        wrong = np.flatnonzero(unfit & np.asarray(array.is_valid()))
        if len(wrong):
            raise NoMeaning(int(wrong[0]))
    words = numbers.astype(np.int64).view(np.uint64) if known.min else numbers.astype(np.uint64)
    counted = (words + np.uint64(epoch % 2**64)).view(np.int64)  # modulo 2**64, which is right where it fits
    return pa.Array.from_buffers(pa.int64(), len(array), [_validity(array), pa.py_buffer(counted)])


def _cells(array: Any, size: int) -> Array:
    """The bytes of each value, all of one size, in a row; zeros of nulls. ArrowInvalid for another size."""
    pa = pyarrow()
    fixed = array.fill_null(bytes(size)).cast(pa.binary(size))
    data = np.frombuffer(fixed.buffers()[1] or b"", np.uint8)
    return data[fixed.offset * size : (fixed.offset + len(fixed)) * size].reshape(-1, size)


def _macs(array: Any, kind: Any) -> Any:
    pa, data = pyarrow(), _cells(array, 6)
    text = np.full((len(data), 17), ord(":"), np.uint8)
    text[:, 0::3], text[:, 1::3] = _HEX[data >> 4], _HEX[data & 15]
    ends = np.arange(0, 17 * len(data) + 1, 17, dtype=np.int32)
    return pa.Array.from_buffers(kind, len(data), [_validity(array), pa.py_buffer(ends), pa.py_buffer(text)])


def _ipv4s(array: Any) -> Any:
    pa, compute = pyarrow(), arrow_compute()
    if pa.types.is_integer(array.type):
        numbers = array.fill_null(0).to_numpy(zero_copy_only=False)
        parts = [(numbers >> shift & 255).astype(np.uint8) for shift in (24, 16, 8, 0)]
    else:
        parts = list(np.ascontiguousarray(_cells(array, 4).T))
    words = pa.array(map(str, range(256)), pa.string())
    texts = compute.binary_join_element_wise(*(words.take(pa.array(part)) for part in parts), ".")
    return compute.if_else(array.is_valid(), texts, None) if array.null_count else texts


# --- columns as what is stored ---------------------------------------------------------------------------------------


def stored_of(logical: LogicalType, kind: Any, *, in_bytes: bool) -> Callable[[Any], list[Any]] | None:
    """A function that makes what `kformat.build` takes of an Arrow array; None if the Arrow type has no such values.

    That is what is stored, or text and lists of text, which the codec converts or refuses.
    """
    types = pyarrow().types
    content = kind.value_type if types.is_dictionary(kind) else kind
    is_number, name = types.is_integer(content), logical.name
    if types.is_timestamp(content) and name == "timestamp":
        return lambda array: _of_times(logical, _decoded(array))
    if name == "half":
        if types.is_float16(content):  # with the bits of a NaN
            return lambda array: _same_buffers(_decoded(array), pyarrow().uint16()).to_pylist()
        is_float = types.is_floating(content)
        return (lambda array: _floats(_decoded(array))) if is_float or is_number else None
    if types.is_decimal(content) and not in_bytes:
        if name == "decimal":
            return lambda array: [None if item is None else f"{item:f}" for item in _decoded(array).to_pylist()]
        return lambda array: [_integer(item) for item in _decoded(array).to_pylist()]
    if types.is_boolean(content) and name == "bool":
        return lambda array: [None if item is None else int(item) for item in _decoded(array).to_pylist()]
    if is_uuid(content) and name == "uuid":
        return lambda array: plain_array(_decoded(array)).to_pylist()
    fits = any(getattr(types, f"is_{test}")(content) for test in _TEXTS)
    if name == "flags" and (types.is_list(content) or types.is_large_list(content)):
        fits = any(getattr(types, f"is_{test}")(content.value_type) for test in (*_TEXTS, "null"))
    fits = fits or (is_number and not in_bytes)
    fits = fits or (in_bytes and any(getattr(types, f"is_{test}")(content) for test in _BYTES))
    return (lambda array: _decoded(array).to_pylist()) if fits else None


_TEXTS: Final = ("string", "large_string", "string_view")
_BYTES: Final = ("binary", "large_binary", "fixed_size_binary", "binary_view")


def _decoded(array: Any) -> Any:
    return array.dictionary_decode() if pyarrow().types.is_dictionary(array.type) else array


def _floats(array: Any) -> list[float | None]:
    return [None if number is None else float(number) for number in array.to_pylist()]


def _integer(number: Decimal | None) -> Any:
    return int(number) if number is not None and number == int(number) else number


def _of_times(logical: LogicalType, array: Any) -> list[Any]:
    """The integers of the declared unit and epoch; text of times that have more digits than the unit."""
    theirs, ours = UNITS[array.type.unit], UNITS[logical.unit]
    numbers = array.cast("int64").to_pylist()
    made = [None if number is None else divmod(number * ours, theirs) for number in numbers]
    if not any(pair is not None and pair[1] for pair in made):
        return [None if pair is None else pair[0] - logical.epoch for pair in made]
    texts = plain_array(array).to_pylist()
    return [
        None if pair is None else text if pair[1] else pair[0] - logical.epoch
        for pair, text in zip(made, texts, strict=True)
    ]


# --- columns as JSON and CSV can hold them ---------------------------------------------------------------------------


def plain_array(array: Any) -> Any:
    """The array with text for times, decimals with places, and UUIDs, at any depth, and halves as floats of 32 bits,
    which Python has; all others stay as they are.
    """
    pa, kind = pyarrow(), array.type
    types = pa.types
    if not has_text(kind) and not any(types.is_float16(leaf) for leaf in leaf_types(kind)):
        return array
    if types.is_float16(kind):
        return array.cast(pa.float32())
    if types.is_struct(kind):
        inner = [plain_array(child) for child in array.flatten()]
        mask = pa.array(np.asarray(array.is_null())) if array.null_count else None
        return pa.StructArray.from_arrays(inner, names=[field.name for field in kind], mask=mask)
    if types.is_list(kind):
        inner_array = plain_array(array.flatten())
        ends = np.concatenate(([0], np.cumsum(array.value_lengths().fill_null(0).to_numpy(zero_copy_only=False))))
        mask = pa.array(np.asarray(array.is_null())) if array.null_count else None
        return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), inner_array, mask=mask)
    if types.is_timestamp(kind):
        logical = LogicalType("timestamp", unit=kind.unit)
        coded = array.cast(pa.int64()).dictionary_encode()
        texts = [readable(logical, number) for number in coded.dictionary.to_pylist()]
        return pa.array(texts, pa.string()).take(coded.indices)
    if types.is_decimal(kind):
        return pa.array([None if item is None else f"{item:f}" for item in array.to_pylist()], pa.string())
    return pa.array([None if item is None else str(item) for item in array.to_pylist()], pa.string())


def has_text(kind: Any) -> bool:
    """Whether `plain_array` makes text of a part of an Arrow type."""
    types = pyarrow().types
    return any(
        types.is_timestamp(leaf) or (types.is_decimal(leaf) and leaf.scale > 0) or is_uuid(leaf)
        for leaf in leaf_types(kind)
    )


def is_uuid(kind: Any) -> bool:
    """Whether an Arrow type is the extension type of UUIDs."""
    return bool(kind == pyarrow().uuid())


__all__ = ["NoMeaning", "has_text", "is_uuid", "logical_array", "logical_type", "plain_array", "stored_of"]
