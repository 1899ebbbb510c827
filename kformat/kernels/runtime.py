"""What generated kernels call: compiled with numba, and never raising.

Rules that every kernel keeps to, generated or written here:

* All integers are int64. A value of an unsigned 64-bit field is held as the int64 with the same bits, and compared by
  `below`. No signed number meets an unsigned one: numba would make floats of them.
* No addition, subtraction or multiplication leaves 64 bits: what it does then is undefined. Whether it would is asked
  first, by `sum_overflows` and its like.
* An index is made unsigned (``U``), or else numba would look at each whether it is negative. That it lies inside of the
  array is seen to before.
* Bytes come as a read-only array of uint8; positions count from its beginning.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import numpy as np
from numba import njit
from numba.core import cgutils, config, types
from numba.core.extending import intrinsic

from kformat.kernels.cache import machine_code_folder

_ir: Any = cgutils.ir  # type: ignore[attr-defined]  # llvmlite's, which is numba's business and not ours

U: Final = np.uint64
MIN_INT64: Final = np.int64(-(2**63))

OPTIONS: Final[dict[str, Any]] = {"nogil": True, "error_model": "numpy", "boundscheck": False}
"""How everything here is compiled: without the interpreter's lock, and without exceptions."""

_settings: Any = config  # made when numba is imported, out of sight of type checkers
_choosing_folder = threading.Lock()


def helper(function: Callable[..., Any]) -> Any:
    """Compile a function that kernels call."""
    return njit(**OPTIONS)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function that becomes part of its callers: the call would take as long as what it does."""
    return njit(forceinline=True, **OPTIONS)(function)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel, whose machine code is kept for other processes where that can be."""
    folder = machine_code_folder()
    if folder is None:
        return njit(**OPTIONS)(function)
    with _choosing_folder:
        before = _settings.CACHE_DIR  # numba asks for it now, never later
        _settings.CACHE_DIR = str(folder)
        try:
            return _kept_where_there_is_room(njit(cache=True, **OPTIONS)(function))
        except (OSError, RuntimeError):  # numba finds no place for it
            return njit(**OPTIONS)(function)
        finally:
            _settings.CACHE_DIR = before


def _kept_where_there_is_room(compiled: Any) -> Any:
    """A kernel that is compiled where the cache cannot be read, and used where the cache cannot be written."""
    cache: Any = getattr(compiled, "_cache", None)
    for name in ("save_overload", "load_overload"):
        work = getattr(cache, name, None)
        if work is not None:
            setattr(cache, name, _unless_it_fails(work, cache.flush))
    return compiled


def _unless_it_fails(work: Callable[..., Any], flush: Callable[[], None]) -> Callable[..., Any]:
    """Work that returns None where the disk fails, and where the cached file is damaged, which is then forgotten."""

    def done(*arguments: Any) -> Any:
        try:
            return work(*arguments)
        except OSError:
            return None
        except Exception:  # of a pickle: whatever its bytes call for
            with suppress(OSError):
                flush()
            return None

    return done


@intrinsic
def _load(typingcontext: Any, data: Any, position: Any, size: Any) -> Any:
    """The big-endian integer of ``size`` (2, 4 or 8) bytes at a position, with zeros above; one instruction or two."""
    if not isinstance(size, types.IntegerLiteral):
        return None
    bits = size.literal_value * 8

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        kind = context.get_value_type(getattr(types, f"uint{bits}"))
        pointer = builder.gep(array.data, [arguments[1]])
        loaded = builder.load(builder.bitcast(pointer, kind.as_pointer()), align=1)
        swapped = builder.bswap(loaded)
        return swapped if bits == 64 else builder.zext(swapped, context.get_value_type(types.int64))

    return types.int64(data, types.int64, size), generate


@intrinsic
def _address(typingcontext: Any, array: Any) -> Any:
    """Where an array's first entry is. A kernel has dozens of arrays, and numba copies what it knows of one at each
    use, which LLVM takes long to see through: half of the time that compiling took.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = context.data_model_manager[signature.args[0]].get_field_position("data")
        return builder.ptrtoint(builder.extract_value(arguments[0], place), context.get_value_type(types.int64))

    return types.int64(array), generate


address: Any = _address  # type checkers take what numba makes of a function for one that never returns


def _put(bits: int) -> Any:
    """Write the lowest bits of an integer to an entry, by the address of the first."""

    def put(typingcontext: Any, first: Any, index: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = context.get_value_type(getattr(types, f"uint{bits}"))
            pointer = builder.gep(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1]])
            builder.store(arguments[2] if bits == 64 else builder.trunc(arguments[2], kind), pointer)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64), generate

    return intrinsic(put)


put_1, put_2, put_4, put_8 = _put(8), _put(16), _put(32), _put(64)


def _get(bits: int, little_endian: bool = False) -> Any:
    """The unsigned integer at a position, by the address of the first byte: as an int64, with zeros above."""

    def get(typingcontext: Any, first: Any, position: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind, wide = (context.get_value_type(getattr(types, f"uint{size}")) for size in (bits, 64))
            pointer = builder.inttoptr(builder.add(*arguments), kind.as_pointer())
            loaded = builder.load(pointer, align=1)
            swapped = loaded if bits == 8 or little_endian else builder.bswap(loaded)
            return swapped if bits == 64 else builder.zext(swapped, wide)

        return types.int64(types.int64, types.int64), generate

    return intrinsic(get)


byte_at, word_2, word_4, word_8 = _get(8), _get(16), _get(32), _get(64)
word_2_le, word_4_le, word_8_le = _get(16, True), _get(32, True), _get(64, True)


def _turned_16(bits: int, little_endian: bool = False) -> Any:
    """Copy 16 bytes from one address to another, as big-endian or little-endian numbers that become the machine's."""

    def turned(typingcontext: Any, to: Any, position: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = _ir.VectorType(context.get_value_type(getattr(types, f"uint{bits}")), 128 // bits)
            to, position = (builder.inttoptr(one, kind.as_pointer()) for one in arguments)
            loaded = builder.load(position, align=1)
            if bits > 8 and not little_endian:
                name, of_kind = f"llvm.bswap.v{128 // bits}i{bits}", _ir.FunctionType(kind, [kind])
                loaded = builder.call(cgutils.get_or_insert_function(builder.module, of_kind, name), [loaded])
            builder.store(loaded, to, align=1)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), generate

    return intrinsic(turned)


def _words(bits: int, little_endian: bool = False) -> Any:
    """Copy numbers, one after the other at a position, to entries that lie inside of the array, by the addresses of
    the first byte and of the first entry. ``room`` and ``end`` are the sizes of the array and of the data: most lists
    are short, and 16 bytes are copied at once without asking how many of them belong to the list.
    """
    turned, get, put = _turned_16(bits, little_endian), _get(bits, little_endian), _put(bits)
    size, at_once = bits // 8, 128 // bits

    def words(first: int, index: int, room: int, data: int, position: int, end: int, count: int) -> None:
        done = 0
        while done < count and room - index - done >= at_once and end - position - size * done >= 16:
            turned(first + size * (index + done), data + position + size * done)
            done += at_once
        while done < count:
            put(first, index + done, get(data, position + size * done))
            done += 1

    # numba's symbols are made of this, and of a number that another process, whose code was kept, may have given others
    words.__qualname__ = f"words_{size}{'_le' * little_endian}"
    return helper(words)


words_1, words_2, words_4, words_8 = _words(8), _words(16), _words(32), _words(64)
words_2_le, words_4_le, words_8_le = _words(16, True), _words(32, True), _words(64, True)


@intrinsic
def get_4(typingcontext: Any, first: Any, index: Any) -> Any:
    """The entry of 4 bytes, not negative, by the address of the first."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.get_value_type(types.int32)
        pointer = builder.gep(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1]])
        return builder.sext(builder.load(pointer), context.get_value_type(types.int64))

    return types.int64(types.int64, types.int64), generate


def _overflow_test(operation: str) -> Any:
    """Whether an operation on two int64 leaves 64 bits. The result itself cannot be asked: numba tells LLVM that it
    never does, so that a test of it may be optimised away (that of a product was)."""

    def test(typingcontext: Any, left: Any, right: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pair = getattr(builder, f"{operation}_with_overflow")(*arguments)
            return builder.extract_value(pair, 1)

        return types.boolean(types.int64, types.int64), generate

    return intrinsic(test)


sum_overflows = _overflow_test("sadd")
difference_overflows = _overflow_test("ssub")
product_overflows = _overflow_test("smul")


@helper
def load_2(data: Any, position: int) -> int:
    return _load(data, position, 2)  # type: ignore[call-arg]


@helper
def load_4(data: Any, position: int) -> int:
    return _load(data, position, 4)  # type: ignore[call-arg]


@helper
def load_8(data: Any, position: int) -> int:
    return _load(data, position, 8)  # type: ignore[call-arg]


@helper
def load(data: Any, position: int, size: int, little_endian: bool) -> Any:
    """The unsigned integer of up to 8 bytes, as the int64 with the same bits."""
    value = np.int64(0)
    for index in range(size):
        byte = np.int64(data[U(position + (size - 1 - index if little_endian else index))])
        value = (value << 8) | byte
    return value


@helper
def load_bits_big(data: Any, position: int, left: int, width: int) -> Any:
    """``width`` bits, as an int64 with the same bits: the lowest ``left`` of the byte before a position, then those
    from the position on, the most significant of a byte first.
    """
    value, missing = np.int64(0), width - left
    if left > 0:
        value = np.int64(data[U(position - 1)]) & ((1 << left) - 1)
        if missing < 0:
            return value >> -missing
    while missing > 0:
        byte = np.int64(data[U(position)])
        if missing < 8:
            return (value << missing) | (byte >> (8 - missing))
        value = (value << 8) | byte
        missing, position = missing - 8, position + 1
    return value


@helper
def load_bits_little(data: Any, position: int, left: int, width: int) -> Any:
    """As `load_bits_big`, of bits that fill bytes from the least significant on; ``left`` are a byte's highest."""
    value, filled = np.int64(0), left
    if left > 0:
        value = np.int64(data[U(position - 1)]) >> (8 - left)
    while filled < width:
        value |= np.int64(data[U(position)]) << filled
        filled, position = filled + 8, position + 1
    return value if width == 64 else value & ((1 << width) - 1)


@helper
def find(data: Any, position: int, end: int, wanted: int) -> int:
    """Where a byte is, from a position on; -1 if it is not before the end."""
    while position < end:
        if data[U(position)] == wanted:
            return position
        position += 1
    return -1


@helper
def find_unit(data: Any, position: int, end: int, wanted: Any) -> int:
    """As `find`, of several bytes, at multiples of their number."""
    size = len(wanted)
    while position + size <= end:
        if equal(data, position, size, wanted):
            return position
        position += size
    return -1


@helper
def stripped(data: Any, position: int, size: int, pad: int) -> int:
    """How many of so many bytes are left without those at their end that are the padding."""
    while size > 0 and data[U(position + size - 1)] == pad:
        size -= 1
    return size


@helper
def equal(data: Any, position: int, size: int, wanted: Any) -> bool:
    """Whether the bytes at a position are these."""
    if size != len(wanted):
        return False
    for index in range(size):
        if data[U(position + index)] != wanted[U(index)]:
            return False
    return True


@helper
def below(left: int, right: int, left_is_unsigned: bool, right_is_unsigned: bool) -> bool:
    """Whether ``left < right``, each of them the bits of a signed or of an unsigned number."""
    left_is_large = left_is_unsigned and left < 0
    right_is_large = right_is_unsigned and right < 0
    if left_is_large != right_is_large:
        return right_is_large
    return left < right


@intrinsic
def _store(typingcontext: Any, target: Any, position: Any, value: Any, size: Any) -> Any:
    """The lowest ``size`` (2, 4 or 8) bytes of an integer, big-endian, to a position."""
    if not isinstance(size, types.IntegerLiteral):
        return None
    bits = size.literal_value * 8

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        kind = context.get_value_type(getattr(types, f"uint{bits}"))
        pointer = builder.bitcast(builder.gep(array.data, [arguments[1]]), kind.as_pointer())
        value = arguments[2] if bits == 64 else builder.trunc(arguments[2], kind)
        builder.store(builder.bswap(value), pointer, align=1)
        return context.get_dummy_value()

    return types.void(target, types.int64, types.int64, size), generate


@intrinsic
def _copy(typingcontext: Any, target: Any, to: Any, data: Any, position: Any, size: Any) -> Any:
    """memcpy of ``size`` bytes between two arrays of uint8."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        written = context.make_array(signature.args[0])(context, builder, arguments[0])
        read = context.make_array(signature.args[2])(context, builder, arguments[2])
        to, position = builder.gep(written.data, [arguments[1]]), builder.gep(read.data, [arguments[3]])
        cgutils.raw_memcpy(builder, to, position, arguments[4], 1)
        return context.get_dummy_value()

    return types.void(target, types.int64, data, types.int64, types.int64), generate


@helper
def store_2(target: Any, position: int, value: int) -> None:
    _store(target, position, value, 2)  # type: ignore[call-arg]


@helper
def store_4(target: Any, position: int, value: int) -> None:
    _store(target, position, value, 4)  # type: ignore[call-arg]


@helper
def store_8(target: Any, position: int, value: int) -> None:
    _store(target, position, value, 8)  # type: ignore[call-arg]


@helper
def store(target: Any, position: int, value: int, size: int, little_endian: bool) -> None:
    """The lowest bytes of an integer."""
    for index in range(size):
        byte = (value >> (8 * index)) & 255
        target[U(position + (index if little_endian else size - 1 - index))] = np.uint8(byte)


@helper
def copy(target: Any, to: int, data: Any, position: int, size: int) -> None:
    """Copy bytes from one array of uint8 to another."""
    _copy(target, to, data, position, size)  # type: ignore[call-arg]


@helper
def append(target: Any, to: int, data: Any, position: int, size: int) -> None:
    """As `copy`, to where nothing of value follows: most texts are short, and 32 bytes are copied faster than some."""
    if size <= 32 and len(target) - to >= 32 and len(data) - position >= 32:
        copy(target, to, data, position, 16)
        if size > 16:
            copy(target, to + 16, data, position + 16, 16)
    else:
        copy(target, to, data, position, size)


@intrinsic
def sum_at(typingcontext: Any, address: Any, data: Any, position: Any, size: Any) -> Any:
    """What a C function at an address, ``uint32_t (const uint8_t *data, size_t count)``, says of bytes of an array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[1])(context, builder, arguments[1])
        number, size = (context.get_value_type(kind) for kind in (types.uint32, types.int64))
        kind = _ir.FunctionType(number, [array.data.type, size])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.call(function, [builder.gep(array.data, [arguments[2]]), arguments[3]])

    return types.uint32(types.int64, data, types.int64, types.int64), generate


@helper
def varint_size(raw: int) -> int:
    """The fewest bytes of a varint, of the bits of an unsigned number."""
    if 0 <= raw < 1 << 14:
        return 1 if raw < 128 else 2
    size, rest = 1, (raw >> 7) & 0x1FFFFFFFFFFFFFF
    while rest:
        size, rest = size + 1, rest >> 7
    return size


@helper
def store_varint(target: Any, position: int, raw: int) -> int:
    """Write it, and give the position after it."""
    if 0 <= raw < 128:
        target[U(position)] = np.uint8(raw)
        return position + 1
    if 0 <= raw < 1 << 14:
        target[U(position)], target[U(position + 1)] = np.uint8(raw & 127 | 128), np.uint8(raw >> 7)
        return position + 2
    group, rest = raw & 127, (raw >> 7) & 0x1FFFFFFFFFFFFFF
    while rest:
        target[U(position)] = np.uint8(group | 128)
        group, rest, position = rest & 127, rest >> 7, position + 1
    target[U(position)] = np.uint8(group)
    return position + 1


TRUNCATED: Final = np.int64(-1)
ENDLESS: Final = np.int64(-2)


@helper
def long_varint(data: Any, position: int, end: int, max_bytes: int) -> Any:
    """(the unsigned number as int64 bits, the position after it) of a varint of any length.

    The position is TRUNCATED where the bytes end, and ENDLESS where the last possible byte announces another one.
    """
    raw = np.int64(0)
    for index in range(max_bytes):
        if position + index >= end:
            return raw, TRUNCATED
        group = np.int64(data[U(position + index)])
        raw |= (group & 127) << np.int64(7 * index)
        if group < 128:
            return (raw & 0xFFFFFFFF if max_bytes == 5 else raw), position + index + 1
    return raw, ENDLESS
