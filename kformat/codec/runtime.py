"""The functions that generated parsers call: for errors, trimming, checksums, and the bytes kept in `_kept`."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from kformat.codec.leftover import settle
from kformat.codec.reader import FREE_FACTOR, Reader, State, Varint, rebuilt, trimmed
from kformat.codec.sliding import More
from kformat.codec.taken import take
from kformat.codec.unfit import Unfit
from kformat.codec.values import Kept, Value, noted, plain
from kformat.errors import ChecksumError, DataError, InvalidError, LimitError
from kformat.language.checksums import StoredChecksum, stored_checksum
from kformat.language.encodings import LENIENT
from kformat.language.expression import FAILURES, compile_expression
from kformat.language.program import MAX_FREE_ELEMENTS, Check, Checksum, ReadBit, TypeProgram

_MOST_SHOWN: Final = 16
"""How many bytes that are no text an error shows."""


def short(reader: Reader, position: int, size: int) -> DataError:
    reader.position = position
    return reader.short(size)


def negative(reader: Reader, found: int, position: int, what: str = "size") -> DataError:
    return reader.fail(InvalidError, f"a negative {what}", position, expected=">= 0", found=found)


def leftover(reader: Reader, position: int) -> DataError:
    found = f"{reader.limit - position} bytes"
    return reader.fail(InvalidError, "bytes are left over", position, expected="the end", found=found)


OTHER_CONTENTS: Final = "not the contents declared"
KEPT_TEXT: Final = "bytes that are no text, and are kept"
"""The message for lenient encodings: reading goes on with the text that `parse` makes of the bytes."""


def contents(reader: Reader, value: Value, path: str, position: int, expected: bytes, found: bytes) -> None:
    """Report bytes that are not the declared literal; the error is raised unless it is passed over."""
    problem = reader.fail(InvalidError, OTHER_CONTENTS, position, expected=in_hex(expected), found=in_hex(found))
    if not reader.state.passes_over(problem, value, path):
        raise problem


def in_hex(data: bytes) -> str:
    """Bytes in hexadecimal; printable ones as text, too."""
    text = data.decode("ascii", "replace")
    return f"{data.hex()} {text!r}" if text.isascii() and text.isprintable() else data.hex()


def undecided(reader: Reader, position: int) -> DataError:
    return reader.fail(InvalidError, "no case of the byte order fits", position)


def refuse(reader: Reader, value: Value, position: int, found: Any, check: Check, index: int | None) -> None:
    """Report a broken rule on a field, or on an element of a list; the error is raised unless it is passed over."""
    error = _refused(reader, position, found, check)
    if not reader.state.passes_over(error, value, check.name if index is None else f"{check.name}[{index}]"):
        raise error


def _refused(reader: Reader, position: int, found: Any, check: Check, path: str = "") -> DataError:
    # Text as a literal: it may contain unprintable characters.
    shown = int(found) if isinstance(found, int) else repr(found)[:200]
    message = "a value that is not allowed"
    return reader.fail(InvalidError, message, position, path=path, expected=check.expected, found=shown)


def bit_check(check: Check) -> Callable[[Reader, Any, int], None]:
    """A function that checks a rule on a field of a type of bits."""
    rule = None if check.rule is None else compile_expression(check.rule)

    def run(reader: Reader, value: Any, start: int) -> None:
        bit = getattr(value, check.name)
        if not (bit in check.allowed if rule is None else rule(value)):
            error = _refused(reader, start, bit, check, check.name)
            if not reader.state.passes_over(error, value, check.name):
                raise error

    return run


def undecoded(
    reader: Reader, value: Value, path: str, start: int, data: bytes, encoding: str, error: UnicodeError, is_plain: bool
) -> str:
    """The text for bytes that are invalid in their encoding: in the lenient encodings with lone surrogates, unless
    texts are checked; in others with replacement characters, where the error is passed over. ``start`` is where the
    bytes begin; they are not plain if a process decoded them.
    """
    lenient = LENIENT.get(encoding.upper())
    if lenient is not None and not reader.state.checks_texts:
        return data.decode(lenient, "surrogateescape")
    first, end = (error.start, error.end) if isinstance(error, UnicodeDecodeError) else (0, len(data))
    why = error.reason if isinstance(error, UnicodeDecodeError) else str(error)
    found = f"{data[first : max(end, first + 1)][:_MOST_SHOWN].hex()}, {why}"
    place = start + first if is_plain else start
    message = "bytes that are no text" if lenient is None else KEPT_TEXT
    problem = reader.fail(InvalidError, message, place, expected=f"text in {encoding}", found=found)
    if not reader.state.passes_over(problem, value, path):
        raise problem
    return data.decode(encoding, "replace") if lenient is None else data.decode(lenient, "surrogateescape")


def checksum(program: TypeProgram, step: Checksum) -> Callable[..., None]:
    """Verifies a stored checksum: called with its value, its position, and the bounds of what it covers."""
    known = stored_checksum(program, step)
    of_bytes, in_bits = known.of_bytes, isinstance(known.field, ReadBit)

    def verify(reader: Reader, value: Value, stored: Any, position: int, start: int, end: int) -> None:
        computed, error = of_bytes(reader.data, start, end, position), None
        if computed != stored and not known.is_right(stored, computed):
            first = start + (0 if reader.outer is not None else reader.origin)
            covered = f"{step.algorithm} of bytes {first} to {first + end - start - 1} differs"
            error = wrong_checksum(reader, known, covered, position // 8 if in_bits else position, computed, stored)
        report(reader, value, known, error)

    return verify


def checksum_of_value(program: TypeProgram, step: Checksum) -> Callable[..., None]:
    """Verifies a stored checksum: called with its value, its position, and the bytes that it covers."""
    known = stored_checksum(program, step)
    in_bits, covered = isinstance(known.field, ReadBit), f"{step.algorithm} of {step.over} differs"

    def verify(reader: Reader, value: Value, stored: Any, position: int, data: Any) -> None:
        computed, error = known.of_value(data), None
        if not known.is_right(stored, computed):
            error = wrong_checksum(reader, known, covered, position // 8 if in_bits else position, computed, stored)
        report(reader, value, known, error)

    return verify


def wrong_checksum(
    reader: Reader, known: StoredChecksum, covered: str, position: int, computed: Any, stored: Any
) -> DataError:
    """The error of a checksum that differs."""
    return reader.fail(ChecksumError, covered, position, expected=known.text(computed), found=known.text(stored))


def report(reader: Reader, value: Value, known: StoredChecksum, error: DataError | None) -> None:
    """Say to an observer what came of a checksum; without one, raise an error that is not to be passed over."""
    name = known.step.path
    if reader.observer is not None:
        reader.observer.verified(name, error)
    elif error is not None and not reader.state.passes_over(error, value, name):
        raise error


def keep(value: Value, name: Kept, content: Any, raw: Any) -> None:
    """Remember what a field, or an element of a list, was read from; see `values.Kept`."""
    kept: dict[Kept, tuple[Any, Any]] | None = noted(value, "_kept")
    if kept is None:
        kept = {}
        object.__setattr__(value, "_kept", kept)  # nothing is edited
    kept[name] = (content, raw)


def keep_text(value: Value, name: Kept, text: str, raw: bytes, encoding: str) -> None:
    """Remember bytes that were read as text, if the text would be written otherwise."""
    try:
        is_same = text.encode(encoding) == raw
    except UnicodeError:
        is_same = False
    if not is_same:
        keep(value, name, text, raw)


def keep_floats(value: Value, name: str, items: list[float], data: Any, position: int, code: str) -> None:
    """Remember the signalling NaNs among numbers that were read at once."""
    total = sum(items)
    if total == total:
        return
    for index, item in enumerate(items):
        if item != item:
            keep_float(value, (name, index), item, bytes(data[position + 4 * index :][:4]), code)


def keep_float(value: Value, name: Kept, number: float, raw: bytes, code: str) -> None:
    """Remember the bytes of a NaN of 32 bits, if they would be written otherwise: a signalling one becomes quiet."""
    if struct.pack(code, number) != raw:
        keep(value, name, number, raw)


def inner(reader: Reader, data: bytes, start: int) -> Reader:
    """The stream of trimmed bytes, which begin at ``start`` and have been read."""
    position = reader.position
    made = reader.window(start, start + len(data))
    reader.position = position
    return made


def said_of(value: Any, name: str) -> dict[Any, Any]:
    """The answers of streams and lists to an instance when it was kept for the first time, by number."""
    said: dict[str, dict[Any, Any]] | None = noted(value, "_said")
    answers = None if said is None else said.get(name)
    return {} if answers is None else answers


def keep_said(value: Any, name: str, answers: dict[Any, Any]) -> None:
    """Remember these answers for an instance that is kept."""
    state: State = value._io.state
    if state.unasked is not None:
        state.unasked.append((value, name))
        return
    said: dict[str, dict[Any, Any]] | None = noted(value, "_said")
    if said is None:
        said = {}
        object.__setattr__(value, "_said", said)
    said[name] = answers


def put_aside(value: Value, answers: dict[str, dict[int, Any]]) -> None:
    """Remember the answers of streams from which a structure's parameters were computed, by the parameters' names."""
    object.__setattr__(value, "_given", answers)  # nothing is edited


def counted(answers: dict[int, Any], number: int, items: Any) -> Any:
    """Give a list that may grow, and remember how many elements it has."""
    if isinstance(items, list):
        answers[number] = len(items)
    return items


def as_said(answers: dict[Any, Any], number: int, state: Any, items: Any) -> Any:
    """A list that an instance asks for; if it grows now, or grew at the first time, the elements that it had then."""
    count = answers.get(number)
    if count is not None:
        return items[:count]
    if any(open_list is items for open_list in state.open):
        answers[number] = len(items)
    return items


def hidden(answers: dict[Any, Any]) -> list[tuple[Value, str, Any]]:
    """Remove the instances that were null when another was computed, and are set by now: that one is computed from null
    again. See `State.asking`.
    """
    names = [(item[0], key[1]) for key, item in answers.items() if type(key) is tuple]
    return [(value, name, value.__dict__.pop(name)) for value, name in names if name in value.__dict__]


def shown(instances: list[tuple[Value, str, Any]]) -> None:
    """Put back the instances that `hidden` removed."""
    for value, name, instance in instances:
        value.__dict__[name] = instance


def ask(answers: dict[Any, Any], state: State, asked: tuple[tuple[int, Callable[[], Any]], ...]) -> None:
    """Remember what streams answer, and how many elements growing lists have, where they can be asked."""
    for number, it in asked:
        if number not in answers:
            try:
                answer = it()
            except FAILURES:
                continue
            if isinstance(answer, list):
                as_said(answers, number, state, answer)
            else:
                answers[number] = answer


def absent(value: Value, name: str, state: Any) -> None:
    """Count an instance that is null; LimitError if instances ask too many times for such."""
    if state.depth < 2:
        return
    state.absent += 1
    state.is_untidy = True
    if state.absent > MAX_FREE_ELEMENTS + FREE_FACTOR * state.size:
        reader: Reader | None = getattr(value, "_io", None)
        message = "instances ask too many times for others that are null"
        if reader is not None:
            raise reader.fail(LimitError, message, reader.position, path=name)
        raise LimitError(message, path=name)


def delete(value: Value, name: str) -> None:
    delattr(value, name)


@lru_cache(maxsize=256)
def varint_reader(max_bytes: int, zigzag: bool, bits: int) -> Callable[[Reader], int]:
    return Varint(max_bytes, zigzag, bits).read


@lru_cache(maxsize=64)
def _numbers(code: str, count: int) -> Callable[..., tuple[Any, ...]]:
    return struct.Struct(f"{code[0]}{count}{code[1:]}").unpack_from


@lru_cache(maxsize=64)
def list_reader(code: str) -> Callable[[int, Any, int], tuple[Any, ...]]:
    """Reads a number of equal numbers at once."""
    return lambda count, data, position: _numbers(code, count)(data, position)


NAMES: Final[dict[str, Any]] = {
    "short_": short,
    "negative_": negative,
    "leftover_": leftover,
    "contents_": contents,
    "undecided_": undecided,
    "refuse_": refuse,
    "undecoded_": undecoded,
    "unicode_error_": UnicodeError,
    "keep_": keep,
    "keep_text_": keep_text,
    "keep_floats_": keep_floats,
    "keep_float_": keep_float,
    "inner_": inner,
    "delete_": delete,
    "said_of_": said_of,
    "as_said_": as_said,
    "keep_said_": keep_said,
    "put_aside_": put_aside,
    "counted_": counted,
    "ask_": ask,
    "absent_": absent,
    "settle_": settle,
    "take_": take,
    "trimmed_": trimmed,
    "rebuilt_": rebuilt,
    "stream_": getattr,
    "io_": "_io",
    "type_": type,
    "id_": id,
    "plain_": plain,
    "none_": (None, None),
    "hidden_": hidden,
    "shown_": shown,
    "bytes_": bytes,
    "len_": len,
    "range_": range,
    "error_": Exception,
    "data_error_": DataError,
    "more_": More,
    "unfit_": Unfit,
    "index_error_": IndexError,
    "position_": "position",
    "empty_": "",
    "big_": "big",
    "little_": "little",
    "int_from_": int.from_bytes,
}
"""The globals of every generated parser, besides its own constants."""
