"""Objects -> bytes: the other half of the codec.

A structure is built in this order, so that every value with only one right answer is computed:

1. Given values are converted to the declared types, or refused with the path of the field.
2. Lengths and counts are computed from the given bytes and lists.
3. Missing fields are computed by their ``-derive``.
4. Windows are built and, if they have a codec, compressed; their sizes are set. A payload given as compressed bytes is
   written unchanged.
5. The bytes are written in declared order; rules are checked on the way.
6. Checksums are filled in.
"""

from __future__ import annotations

import numbers
import operator
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import construct

from kformat.codec.reader import Varint, number
from kformat.codec.values import MISSING, enum_member
from kformat.errors import BuildError, UsageError, join_path
from kformat.language import expression
from kformat.language.expression import EvaluationError, compile_expression
from kformat.language.program import (
    Check,
    CheckEnd,
    Checksum,
    Field,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadType,
    ReadVarint,
    Step,
    TypeProgram,
    Window,
)
from kformat.storage.checksum import ALGORITHMS
from kformat.storage.codecs import codecs


class _Scope:
    """The fields of one structure while it is being built."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)
        self._measured: set[str] = set()
        """Lengths and counts computed from given values; no declared name begins with an underscore."""

    def raw(self, step: Window) -> bytes | None:
        """The bytes of a compressed payload, if these were given instead of its content."""
        found = getattr(self, step.name, None) if step.codec is not None else None
        return found if isinstance(found, bytes) else None


def _given(program: TypeProgram, obj: Any, path: str) -> dict[str, Any]:
    names = [field.name for field in program.fields]
    if isinstance(obj, Mapping):
        unknown = [name for name in obj if name not in names]
        if unknown:
            raise BuildError(f"{program.name} has no field {unknown[0]!r}; it has {', '.join(names)}", path=path)
        return {name: obj[name] for name in names if name in obj}
    if isinstance(obj, str | bytes | int | float | list | tuple) or obj is None:
        raise BuildError("a structure is expected", path=path, expected=program.name, found=type(obj).__name__)
    return {name: value for name in names if (value := getattr(obj, name, MISSING)) is not MISSING}


class _Encoder:
    """Builds one type: first the lengths and counts of given values, then derivations, then bytes in order."""

    def __init__(self, program: TypeProgram) -> None:
        self.program = program
        self.fields = {field.name: field for field in program.fields}
        self.payloads = {step.name for step in program.steps if isinstance(step, Window) and step.codec is not None}
        # Compiled once. Keyed by identity: the steps and expressions live as long as this object's program.
        self.compiled: dict[int, expression.Evaluate] = {}
        self.leaves: dict[int, construct.Construct] = {}
        self.derivations = [
            (field.name, compile_expression(field.derive)) for field in program.fields if field.derive is not None
        ]

    def encode(self, obj: Any, path: str, arguments: Mapping[str, int] | None = None) -> bytes:
        scope = self.fill(obj, path, arguments)
        return self.bits(scope, path) if self.program.bits else self.emit(self.program.steps, scope, path)

    def fill(self, obj: Any, path: str, arguments: Mapping[str, int] | None = None) -> _Scope:
        """The given fields, in their Python types, and the values that follow from them."""
        scope = _Scope(_given(self.program, obj, path))
        scope.__dict__.update(arguments or {})
        for field in self.program.fields:
            self.normalise(scope, field, path)
        self.measure(self.program.steps, scope, path)
        for name, derive in self.derivations:
            if getattr(scope, name, MISSING) is MISSING:
                try:
                    setattr(scope, name, derive(scope))
                except AttributeError as error:
                    raise BuildError(f"cannot be derived without {error.name}", path=join_path(path, name)) from None
                except EvaluationError as error:
                    raise BuildError(str(error), path=join_path(path, name)) from None
        return scope

    def normalise(self, scope: _Scope, field: Field, path: str) -> None:
        """Convert a given value to the field's Python type, or refuse it."""
        value, here = getattr(scope, field.name, MISSING), join_path(path, field.name)
        if value is MISSING or value is None:
            if field.optional:
                setattr(scope, field.name, None)
            elif field.kind == "list":
                setattr(scope, field.name, [])
            elif field.kind == "structure":
                value = {}
            elif value is None:
                raise BuildError("may not be null", path=here)
            if field.kind != "structure" or field.optional:
                return
        match field.kind:
            case "structure" if field.type is not None and field.type.bits:  # expressions look into it
                setattr(scope, field.name, encoder_of(field.type).fill(value, here))
            case "structure":
                raw = field.name in self.payloads and isinstance(value, bytes | bytearray | memoryview)
                setattr(scope, field.name, bytes(value) if raw else value)
            case "integer":
                setattr(scope, field.name, _integer(value, field, here))
            case "float":
                if not isinstance(value, numbers.Real):
                    raise BuildError("a number is expected", path=here, found=type(value).__name__)
            case "text":
                if not isinstance(value, str):
                    raise BuildError("text is expected", path=here, found=type(value).__name__)
                setattr(scope, field.name, _encode_text(value, here))
            case "bytes":
                setattr(scope, field.name, _bytes(value, here))
            case "list":
                if isinstance(value, str | bytes) or not isinstance(value, Iterable):
                    raise BuildError("a list is expected", path=here, found=type(value).__name__)
                setattr(scope, field.name, list(value))

    def measure(self, steps: Iterable[Step], scope: _Scope, path: str) -> None:
        """Compute the lengths and counts of given values."""
        for step in steps:
            match step:
                case ReadList() if step.count is not None:
                    self.compute(scope, step, step.count)
                case ReadBytes() if step.size is not None:
                    if getattr(scope, step.name, MISSING) is MISSING:
                        raise BuildError("is missing", path=join_path(path, step.name))
                    self.compute(scope, step, step.size)
                case Window() if scope.raw(step) is None:
                    self.measure(step.steps, scope, path)
                case Window():
                    self.only_raw(step, scope, path)

    def only_raw(self, step: Window, scope: _Scope, path: str) -> None:
        """Refuse fields that are given together with the compressed bytes that contain them."""
        for inner in step.steps:
            if inner.name != step.name and getattr(scope, inner.name, None) not in (None, []):
                raise BuildError(
                    f"given together with {step.name}, which contains it", path=join_path(path, inner.name)
                )

    def compute(self, scope: _Scope, step: Step, size: expression.Expression, data: Any = MISSING) -> None:
        """Set the field in the expression ``size`` so that the expression gives the actual length."""
        inverse = expression.inverse(size)
        if inverse is None or len(inverse[0]) != 1 or inverse[0][0] not in self.fields:
            return
        (name,), difference = inverse
        value = getattr(scope, step.name) if data is MISSING else data  # a window's bytes, or the given ones
        if value is not None:
            setattr(scope, name, len(value) + difference)
            scope._measured.add(name)
        elif name in scope._measured:
            pass  # one of several fields that share a length, only one of which is present
        elif step.condition is not None and (name,) in step.condition.names():
            setattr(scope, name, -1 + difference)  # the length itself marks the field as null
        elif getattr(scope, name, MISSING) is MISSING:
            setattr(scope, name, 0)

    def emit(self, steps: Iterable[Step], scope: _Scope, path: str) -> bytes:
        steps = tuple(steps)
        contents: dict[str, bytes | None] = {}
        for step in steps:
            if isinstance(step, Window):
                absent = step.condition is not None and getattr(scope, step.name) is None
                contents[step.name] = None if absent else self.window(step, scope, path)
                if step.size is not None:
                    self.compute(scope, step, step.size, contents[step.name])
        parts: list[bytes] = []
        positions: dict[str, int] = {}
        sums: list[tuple[Checksum, int]] = []
        total = 0
        for step in steps:
            here = join_path(path, step.name)
            positions.setdefault(step.name, total)
            if step.condition is not None and not self.evaluate(step.condition, scope, here):
                if getattr(scope, step.name, None) is not None:
                    raise BuildError(f"must be null, since {step.condition} is false", path=here)
                continue
            match step:
                case Check():
                    self.check(step, scope, here)
                    continue
                case CheckEnd():
                    continue
                case Checksum():
                    sums.append((step, total))
                    continue
                case Window():
                    data = contents[step.name]
                    if data is None:
                        raise BuildError("may not be null here", path=here)
                    self.size(step.size, len(data), scope, here)
                case _:
                    data = self.one(step, getattr(scope, step.name, MISSING), scope, here)
            parts.append(data)
            total += len(data)
        whole = b"".join(parts)
        for checksum, start in sums:
            computed = ALGORITHMS[checksum.algorithm](whole[start:])
            stored = next(step for step in steps if isinstance(step, ReadInteger) and step.name == checksum.name)
            field = self.leaf(stored).build(computed)
            at = positions[checksum.name]
            whole = whole[:at] + field + whole[at + len(field) :]
        return whole

    def evaluate(self, node: expression.Expression, scope: _Scope, path: str) -> Any:
        run = self.compiled.get(id(node))
        if run is None:
            run = self.compiled[id(node)] = compile_expression(node)
        try:
            return run(scope)
        except AttributeError as error:
            raise BuildError("is missing", path=join_path(path.rpartition(".")[0] or path, error.name or "")) from None
        except EvaluationError as error:
            raise BuildError(str(error), path=path) from None

    def check(self, step: Check, scope: _Scope, path: str) -> None:
        found = getattr(scope, step.name)
        if isinstance(found, bytes):
            found = found.decode("utf-8", "surrogateescape")
        if not (found in step.allowed if step.rule is None else self.evaluate(step.rule, scope, path)):
            raise BuildError(
                "a value that is not allowed",
                path=path,
                expected=step.expected,
                found=int(found) if isinstance(found, int) else repr(found),
            )

    def size(self, size: expression.Expression | None, length: int, scope: _Scope, path: str) -> None:
        if size is not None:
            wanted = self.evaluate(size, scope, path)
            if wanted != length:
                raise BuildError(
                    "does not have the size that the declaration asks for",
                    path=path,
                    expected=f"{wanted} bytes",
                    found=length,
                )

    def window(self, step: Window, scope: _Scope, path: str) -> bytes:
        codec = 0 if step.codec is None else self.evaluate(step.codec, scope, path)
        raw = scope.raw(step)
        if raw is not None:
            if not codec:
                raise BuildError("compressed bytes are given for a payload that is not compressed", path=path)
            return raw
        data = self.emit(step.steps, scope, path)
        if not codec:
            return data
        magic = None if step.magic is None else self.evaluate(step.magic, scope, path)
        try:
            return codecs().compress(codec, data, magic=magic)
        except UsageError as error:
            raise BuildError(str(error), path=path) from None

    def one(self, step: Step, value: Any, scope: _Scope, path: str) -> bytes:
        if isinstance(step, ReadLiteral):
            if value is not MISSING and value is not None and value != step.contents:
                raise BuildError("not the contents declared", path=path, expected=step.contents.hex())
            return step.contents
        if value is MISSING and isinstance(step, ReadInteger) and self.fields[step.name].computed:
            value = 0  # a checksum, filled in once the bytes it covers exist
        if value is MISSING or value is None:
            raise BuildError("is missing" if value is MISSING else "may not be null here", path=path)
        match step:
            case ReadInteger() | ReadVarint():
                if not step.kind.low <= value <= step.kind.high:
                    raise BuildError(
                        "does not fit", path=path, expected=f"{step.kind.low}..{step.kind.high}", found=value
                    )
                return self.leaf(step).build(int(value))
            case ReadFloat():
                try:
                    return self.leaf(step).build(value)
                except (construct.ConstructError, OverflowError) as error:
                    raise BuildError(f"does not fit: {error}", path=path) from None
            case ReadBytes():
                self.size(step.size, len(value), scope, path)
                return value
            case ReadBits():
                return encoder_of(step.type).encode(value, path)
            case ReadType():
                arguments = {name: self.evaluate(node, scope, path) for name, node in step.arguments}
                return encoder_of(step.type).encode(value, path, arguments)
            case ReadList():
                if step.count is not None:
                    self.size(step.count, len(value), scope, path)
                return b"".join(
                    self.element(step.element, item, scope, f"{path}[{index}]") for index, item in enumerate(value)
                )
        raise AssertionError(step)

    def leaf(self, step: Step) -> construct.Construct:
        found = self.leaves.get(id(step))
        if found is None:
            if isinstance(step, ReadVarint):
                found = Varint(step.max_bytes, step.zigzag, step.kind.bits)
            else:
                found = number(step)
            self.leaves[id(step)] = found
        return found

    def element(self, step: Step, item: Any, scope: _Scope, path: str) -> bytes:
        if isinstance(step, ReadInteger | ReadVarint):
            item = _integer(item, None, path)
        elif isinstance(step, ReadBytes):
            item = _encode_text(item, path) if step.encoding else _bytes(item, path)
        return self.one(step, item, scope, path)

    def bits(self, scope: _Scope, path: str) -> bytes:
        whole = 0
        for bit in self.program.bits:
            here, value = join_path(path, bit.name), getattr(scope, bit.name, MISSING)
            if value is MISSING:
                raise BuildError("is missing", path=here)
            if not 0 <= value <= bit.mask:
                raise BuildError("does not fit", path=here, expected=f"0..{bit.mask}", found=value)
            whole |= int(value) << bit.shift
        for step in self.program.steps:
            if isinstance(step, Check):
                self.check(step, scope, join_path(path, step.name))
        return construct.BytesInteger(sum(bit.width for bit in self.program.bits) // 8).build(whole)


def _integer(value: Any, field: Field | None, path: str) -> int:
    if isinstance(value, str) and field is not None:
        try:
            return enum_member(field, value)
        except UsageError as error:
            raise BuildError(str(error), path=path) from None
    try:
        return operator.index(value)
    except TypeError:
        raise BuildError("an integer is expected", path=path, found=type(value).__name__) from None


def _encode_text(value: Any, path: str) -> bytes:
    try:
        return value.encode("utf-8", "surrogateescape")
    except (UnicodeEncodeError, AttributeError):
        raise BuildError("text that is expected to be UTF-8 is not", path=path, found=repr(value)[:40]) from None


def _bytes(value: Any, path: str) -> bytes:
    if not isinstance(value, bytes | bytearray | memoryview):
        raise BuildError("bytes are expected", path=path, found=type(value).__name__)
    return bytes(value)


@lru_cache(maxsize=1024)
def encoder_of(program: TypeProgram) -> _Encoder:
    """The builder of a compiled type."""
    return _Encoder(program)


def encode(program: TypeProgram, obj: Any) -> bytes:
    """Bytes of a value of a compiled type; see `build`."""
    return encoder_of(program).encode(obj, program.label)
