"""Objects -> bytes: the other half of the codec.

A value is built in this order, so that every value with only one right answer is computed:

1. Given values are converted to the declared types, or refused with the path of the field: a tree of `Draft`.
2. Lengths and counts are computed from the given bytes and lists, wherever in the tree their field is.
3. Missing fields are computed by their ``-derive``.
4. Windows are built and, if they have a codec or a process, encoded; their sizes are set. A payload given as compressed
   bytes is written unchanged, and so are the bytes that a parser kept of a value that has not changed (``_kept``).
5. The bytes are written in declared order; rules are checked on the way.
6. Checksums are filled in; what instances with a position have is written where it belongs.

If a value computed in 4 to 6 changes a field that has been written, all is written again, until nothing changes.
What asks a stream (`Answers`) is computed when a reader would: it has what the stream of this pass answers, of which
the size is that of the pass before; value instances that follow from such are kept from their first use. What such
expressions alone fix is filled with zeros; and what they shaped is read again, to see that it is what was given.
If nothing of a value has to be computed, generated code writes it (`writing`), and gives the same bytes. A value that
was read and not changed gets the bytes that it was read from (`unchanged`).
"""

from __future__ import annotations

import itertools
import numbers
import operator
import struct
import sys
from collections.abc import Callable, Iterable, Mapping, Sized
from contextlib import suppress
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from kformat.codec import processes
from kformat.codec.drafts import (
    MAX_GAP,
    Answers,
    Draft,
    NotYet,
    Path,
    StreamOutput,
    Undeclared,
    asks_moment,
    asks_position,
    asks_stream,
    evaluator,
    known,
    shown,
    solve,
    taken,
    undeclared,
)
from kformat.codec.extensions import NotRegisteredError, opaque_type_of
from kformat.codec.leftover import settle
from kformat.codec.parsing import parse_value
from kformat.codec.reader import Reader, Varint, terminator_index, trimmed
from kformat.codec.runtime import in_hex
from kformat.codec.unchanged import unchanged
from kformat.codec.values import ERRORS, MISSING, PLACE, REST, Undecided, Value, asked, held
from kformat.codec.writing import straight
from kformat.errors import BuildError, DataError, KformatError, LimitError, UsageError, kind_of
from kformat.language.encodings import LENIENT
from kformat.language.expression import EvaluationError, Expression
from kformat.language.layout import struct_format
from kformat.language.mark import nearest
from kformat.language.program import (
    Align,
    Case,
    Check,
    Checksum,
    Enum,
    Field,
    Instance,
    ReadBit,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadOpaque,
    ReadSwitch,
    ReadType,
    ReadVarint,
    Step,
    Trim,
    TypeProgram,
    Window,
)
from kformat.language.steps import all_steps
from kformat.storage.checksum import ALGORITHMS
from kformat.storage.codecs import codecs

MAX_PASSES: Final = 12
"""How often all is written until no length or position changes: more are needed only if they have no solution."""


@lru_cache(maxsize=1024)
def _names(program: TypeProgram) -> tuple[dict[str, Field], dict[str, Any], frozenset[str]]:
    """Fields, instances that are read, and fields whose content may be given compressed; all by name."""
    fields = {field.name: field for field in program.fields}
    instances = {item.field.name: item for item in program.instances if item.value is None}
    payloads = frozenset(step.name for step in program.steps if isinstance(step, Window) and step.codec is not None)
    return fields, instances, payloads


def _given(program: TypeProgram, obj: Any, path: Path) -> dict[str, Any]:
    fields, instances, _ = _names(program)
    names = [*fields, *instances]
    if isinstance(obj, Mapping):
        known = (REST, ERRORS, *names, *program.parameters, *(item.field.name for item in program.instances))
        unknown = [name for name in obj if name not in known]
        if unknown:
            raise BuildError(
                f"{program.name} has no field {unknown[0]!r}; it has {', '.join(fields)}"
                + nearest(str(unknown[0]), names),
                path=shown(path),
            )
        return {name: obj[name] for name in names if name in obj}
    if isinstance(obj, str | bytes | int | float | list | tuple) or obj is None:
        raise BuildError("a structure is expected", path=shown(path), expected=program.name, found=kind_of(obj))
    if isinstance(obj, Value) and obj._type != program:
        others = [name for name in obj._fields if name not in fields and hasattr(obj, name)]
        if others:  # they would be lost
            found = f"{obj._type.name}, with {others[0]}"
            raise BuildError("a structure of another type", path=shown(path), expected=program.name, found=found)
    if isinstance(obj, Value) and obj._instances:  # one that was not asked for is not read
        return {name: value for name in names if (value := held(obj, name)) is not MISSING}
    return {name: value for name in names if (value := getattr(obj, name, MISSING)) is not MISSING}


_GIVEN: Final = {
    "integer": "an integer", "float": "a number", "boolean": "true or false", "bytes": "bytes", "text": "text",
    "list": "a list", "structure": "a structure", "any": "a value",
}  # fmt: skip


def _is_missing(owner: Any, name: Any) -> str:
    """What to say of a field or instance that a draft does not have: what to give, and from what it does not follow."""
    program = getattr(owner, "_program", None)
    if program is None:
        return "is missing"
    fields, instances, _ = _names(program)
    field = fields.get(name) or (instances[name].field if name in instances else None)
    if field is None:
        return "is missing"
    words = f"is missing: give {_GIVEN[field.kind]}"
    for step in all_steps(program.steps):
        for part in ("size", "count"):
            node = getattr(step, part, None)
            if isinstance(node, Expression) and any(path[0] == name for path in node.names()):
                return f"{words}; it does not follow from {step.name}, whose {part} is {node}"
    for instance in instances.values():
        place = instance.position
        if place is not None and any(path[0] == name for path in place.names()):
            return f"{words}, or {instance.field.name}, which is then put at a place of its own"
    return words


def _without(error: AttributeError, outer: Path) -> BuildError:
    """Of an expression that asks for what is not given."""
    return BuildError(_is_missing(error.obj, error.name), path=shown((outer, error.name or "")))


_Key = tuple[int, str, int]
"""A window: its draft, its field, and in a list the element's index (-1 elsewhere)."""


def _key(draft: Draft, step: Step, path: Path) -> _Key:
    return id(draft), step.name, path[-1] if isinstance(path[-1], int) else -1


class _Builder:
    """Builds one value: its drafts, and the passes over them."""

    def __init__(self, original: Value | None, tail: bytes, size: int | None = None) -> None:
        self.likely_size = size
        """How long the whole is taken to be in the first pass; None: not known."""
        self.original, self.tail = original, tail
        """What is written over, and what follows it, if it is not there as its `_rest`."""
        self.top: StreamOutput
        self.postponed: set[tuple[int, int, bool]] = set()
        """Instances whose stream was not known when they were to be written, and whether that was among the last."""
        self.again = False
        self.unmet: BuildError | None = None
        """A rule that asks for its stream and is broken, unless the stream has another length in the next pass."""
        self.is_first = True
        """Whether this is the first pass, in which it is not known how long the streams will be."""
        self.missing: list[tuple[Path, Any]] = []
        """Integers without a value that were written as 0, with their drafts: they may follow from what is written
        later."""
        self.may_change = False
        """Whether fields may change from pass to pass: parameters that ask a stream are given, or instances are written
        into streams that are finished before they are known.
        """
        self.answers = Answers()
        self.standing: set[_Key] = set()
        """Windows that ask for streams around them: they are built where they stand, and not before all else."""
        self.sizes: dict[_Key, int] = {}
        """Sizes of streams in the pass before, for expressions that ask for them."""
        self.switched: dict[_Key, tuple[Any, dict[int, Any]]] = {}
        """What is given where a stream decides the case; and, by cases, what they make of it."""
        self.taken: dict[_Key, int] = {}
        """How many bytes windows took in the pass before."""
        self.rooms: dict[_Key, int | None] = {}
        """How many bytes there were from windows to the end of their streams, in the pass before."""
        self.deferred: dict[Any, dict[tuple[int, int], tuple[Draft, Any, Path]]] = {}
        """What instances have in streams that are finished before they are known, for the next pass."""

    def build(self, program: TypeProgram, obj: Any) -> bytes:
        path = (program.label,)
        draft = self.draft(program, obj, None, None, path, original=self.original)
        self.measure_all(draft, path)
        size = self.likely_size
        self.answers.are_kept = True
        for number in range(MAX_PASSES):
            self.again, self.is_first = False, number == 0 and size is None
            self.missing.clear()
            self.postponed.clear()
            self.unmet = None
            self.answers.count = 0
            out = self.top = StreamOutput(size, self.answers)
            try:
                self.structure(draft, out, path)
                if self.tail:
                    out.undeclared = Undeclared((), self.tail)
                data = self.finish(out, draft._kept.get(("", "after")))
            except _TooEarly as error:
                if number == MAX_PASSES - 1:
                    raise
                guess = len(error.stream.data)
                if error.stream is not out:
                    self.sizes[error.stream.key] = guess
                else:
                    size = guess if draft._read_size is None else draft._read_size
                continue
            if not self.again and size in (None, len(data)):
                if self.missing:
                    missing, owner = self.missing[0]
                    raise BuildError(_is_missing(owner, missing[-1]), path=shown(missing))
                if self.unmet is not None:
                    raise self.unmet
                if self.answers.count:
                    self.read_again(draft, data, path)
                return data
            size = len(data)
        if self.unmet is not None:
            raise self.unmet
        raise BuildError("lengths and positions that depend on each other have no solution", path=program.label)

    def read_again(self, draft: Draft, data: bytes, path: Path) -> None:
        """Compare what a reader gets of the bytes with what was to be written: BuildError if it is something else."""
        program = draft._program
        if program.parameters:
            return
        try:
            value = parse_value(program, Reader(data, source="what was built", trailing="keep"))
        except DataError as error:
            found = "" if error.found is None else f", found {error.found}"
            expected = "" if error.expected is None else f" (expected {error.expected}{found})"
            raise BuildError(f"cannot be read again: {error.message}{expected}", path=error.path) from None
        _compare(draft, value, path)

    # --- values -> drafts

    def draft(
        self,
        program: TypeProgram,
        obj: Any,
        parent: Draft | None,
        root: Draft | None,
        path: Path,
        arguments: Mapping[str, Any] = MappingProxyType({}),
        original: Value | None = None,
        given_by: dict[str, tuple[Expression, Draft]] | None = None,
    ) -> Draft:
        draft = Draft(program, parent, root)
        draft._answers, draft._original, draft._arguments = self.answers, original, given_by or {}
        values = draft.__dict__
        values.update(arguments)
        fields, instances, payloads = _names(program)
        if not isinstance(obj, Mapping):
            draft._kept = getattr(obj, "_kept", None) or {}
        draft._rest = obj.get(REST) if isinstance(obj, Mapping) else getattr(obj, REST, None)
        if not isinstance(draft._rest, bytes | None):
            raise BuildError("bytes are expected", path=shown((path, REST)), found=kind_of(draft._rest))
        if isinstance(obj, Value):
            draft._read_size = getattr(getattr(obj, "_io", None), "size", None)
            said = getattr(obj, "_said", None) or {}
            draft._places.update({name: said[name][PLACE] for name in instances if PLACE in said.get(name, ())})
        given = _given(program, obj, path)
        values.update(given)
        if not fields.keys() <= given.keys():
            draft._absent = frozenset(name for name in fields if name not in given)
        if program.bits:
            for bit in program.bits:
                if bit.name in given:
                    values[bit.name] = _integer(given[bit.name], bit.enum, (path, bit.name))
            self.derive(draft, path)  # others look into it: which codec, which version
            return draft
        self.convert_all(program.steps, draft, fields, payloads, path)
        for name, instance in instances.items():
            if given.get(name) is not None:
                self.may_change |= instance.stream is not None
                if original is not None:
                    asked(original, name)  # so that it is known which bytes are its
                self.convert_all(instance.steps, draft, {name: instance.field}, frozenset(), path)
        if original is not None:
            draft._kept = (getattr(original, "_kept", None) or {}) | draft._kept
        return draft

    def convert_all(
        self, steps: Iterable[Step], draft: Draft, fields: dict[str, Field], payloads: Iterable[str], path: Path
    ) -> None:
        values = draft.__dict__
        for step in steps:
            kind = type(step)
            if kind is Window:
                name = step.name
                value = values.get(name)
                if name in payloads and isinstance(value, bytes | bytearray | memoryview):
                    values[name] = bytes(value)
                    continue
                self.convert_all(step.steps, draft, fields, payloads, path)  # type: ignore[attr-defined]
                continue
            if kind not in _CONVERTED:
                continue
            name = step.name
            value = values.get(name, MISSING)
            if value is MISSING or value is None:
                field = fields[name]
                if field.optional or kind is ReadSwitch:
                    values[name] = None
                    continue
                if kind is ReadList:
                    values[name] = []
                    continue
                if kind is ReadType or kind is ReadBits:
                    value = {}
                elif value is None:
                    raise BuildError("may not be null", path=shown((path, name)))
                else:
                    continue
            values[name] = self.convert(step, value, draft, (path, name))

    def convert(self, step: Step, value: Any, draft: Draft, path: Path) -> Any:
        """A given value in the Python type of its step."""
        if isinstance(value, Undecided) and not isinstance(step, Window | ReadSwitch):
            value = value.give(step)
        match step:
            case ReadInteger() | ReadVarint():
                return value if type(value) is int else _integer(value, step.enum, path)
            case ReadBit():
                if step.boolean and isinstance(value, bool):
                    return value
                return _integer(value, step.enum, path)
            case ReadBytes():
                if step.encoding is None:
                    return _bytes(value, path)
                if not isinstance(value, str):
                    raise BuildError("text is expected", path=shown(path), found=kind_of(value))
                _text_bytes(step, value, draft, path)
                return value
            case ReadFloat():
                if value is not None and not isinstance(value, numbers.Real):
                    raise BuildError("a number is expected", path=shown(path), found=kind_of(value))
                return value
            case ReadType() | ReadBits():
                return self.child(step, value, draft, path)
            case ReadList():
                if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
                    raise BuildError("a list is expected", path=shown(path), found=kind_of(value))
                element = step.element
                value = _counted(step, value, path)
                if isinstance(element, ReadInteger | ReadVarint):
                    return [
                        item if type(item) is int else _integer(item, element.enum, (path, index))
                        for index, item in enumerate(value)
                    ]
                found: list[Any] = []
                items, draft.__dict__[step.name] = list(value), found  # as in a parser, elements know those before them
                for index, item in enumerate(items):
                    draft.__dict__["_index"] = index
                    found.append(self.convert(element, item, draft, (path, index)))
                return found
            case Window():
                if isinstance(value, bytes) and step.codec is not None:
                    return value
                for inner in step.steps:
                    if inner.name == step.name and type(inner) in _CONVERTED:
                        return self.convert(inner, value, draft, path)
            case ReadSwitch():
                return self.convert_case(step, value, draft, path)
        return value

    def child(self, step: ReadType | ReadBits, value: Any, draft: Draft, path: Path) -> Draft:
        if isinstance(value, Draft):
            if value._program != step.type:
                raise BuildError("a structure of another type", path=shown(path), expected=step.type.name)
            return value
        foreign = isinstance(step, ReadType) and step.foreign
        orphan = isinstance(step, ReadType) and (step.orphan or step.foreign)
        parent = None if orphan else draft
        if isinstance(step, ReadType) and step.parent is not None:
            try:
                parent = evaluator(step.parent)(draft)
            except (AttributeError, EvaluationError):
                parent = None
        arguments: dict[str, Any] = {}
        nodes = step.arguments if isinstance(step, ReadType) else ()
        for name, node in nodes:
            try:
                arguments[name] = evaluator(node)(draft)
            except (AttributeError, EvaluationError):
                continue  # known later: `one` sets it again
        original = _original(step.type, draft, path)
        root, given_by = None if foreign else draft._root, {name: (node, draft) for name, node in nodes}
        return self.draft(step.type, value, parent, root, path, arguments, original, given_by)

    def convert_case(self, step: ReadSwitch, value: Any, draft: Draft, path: Path) -> Any:
        if asks_moment(step.on, draft):
            return value  # until it is written
        try:
            case = self.case(step, evaluator(step.on)(draft), draft)
        except (AttributeError, EvaluationError):
            pass  # the key is not given: it follows from the case that takes the value
        else:
            if case is None or not case.steps:
                return value
            return self.convert(_content(case.steps, step.name), value, draft, path)
        fitting = []
        for case in step.cases:
            try:
                found = self.convert(_content(case.steps, step.name), value, draft, path) if case.steps else value
            except BuildError:
                continue
            exact = isinstance(value, Value) and isinstance(found, Draft) and value._type == found._program
            fitting.append((not exact, case, found))
        fitting = [item for item in fitting if item[0] == min(entry[0] for entry in fitting)]
        if len(fitting) != 1 or fitting[0][1].value is None:
            raise BuildError(f"cannot be built without {step.on}: several cases take it", path=shown(path))
        _, case, found = fitting[0]
        assert case.value is not None
        self.assign(step.on, evaluator(case.value)(draft), draft)
        return found

    def case(self, step: ReadSwitch, key: Any, draft: Draft) -> Case | None:
        for case in step.cases:
            if case.value is None or evaluator(case.value)(draft) == key:
                return case
        return None

    # --- lengths and counts

    def measure_all(self, draft: Draft, path: Path) -> None:
        self.measure(draft._program.steps, draft, path)
        for instance in draft._program.instances:
            if instance.value is None and draft.__dict__.get(instance.field.name) is not None:
                self.measure(instance.steps, draft, path)

    def measure(self, steps: tuple[Step, ...], draft: Draft, path: Path) -> None:
        values = draft.__dict__
        for step in _measured(steps):
            match step:
                case ReadList():
                    value = values.get(step.name)
                    if step.count is not None:
                        self.derive_length(draft, step, step.count, None if value is None else len(value))
                    if value and isinstance(value[0], Draft):
                        values[step.name] = so_far = list[Any]()  # as in a parser, elements know those before them
                        for index, item in enumerate(value):
                            values["_index"] = index
                            if isinstance(item, Draft):
                                self.measure_all(item, ((path, step.name), index))
                            so_far.append(item)
                        values[step.name] = value
                case ReadBytes() if step.size is not None:
                    value = values.get(step.name, MISSING)
                    if value is MISSING:
                        if step.size.op == "constant" or asks_moment(step.size, draft):
                            continue  # it may follow from what comes later
                        raise BuildError(_is_missing(draft, step.name), path=shown((path, step.name)))
                    if step.trim is None and step.process is None:
                        length = None if value is None else len(_text_bytes(step, value, draft, (path, step.name)))
                        self.derive_length(draft, step, step.size, length)
                case ReadType():
                    value = values.get(step.name)
                    if isinstance(value, Draft):
                        self.measure_all(value, (path, step.name))
                case ReadSwitch():
                    if values.get(step.name) is not None and not asks_moment(step.on, draft):  # as in `convert_case`
                        try:
                            case = self.case(step, evaluator(step.on)(draft), draft)
                        except (AttributeError, EvaluationError):
                            continue
                        self.measure(case.steps if case is not None else (), draft, path)
                case Window() if step.codec is not None and isinstance(values.get(step.name), bytes):
                    for inner in step.steps:  # refuse fields given together with the compressed bytes of them
                        if inner.name != step.name and values.get(inner.name) not in (None, []):
                            raise BuildError(
                                f"given together with {step.name}, which contains it", path=shown((path, inner.name))
                            )
                case Window():
                    self.measure(step.steps, draft, path)

    def derive_length(self, draft: Draft, step: Step, size: Expression, length: int | None) -> None:
        """Set the field in the expression ``size`` so that the expression gives the actual length."""
        if size.op == "constant" or (size.op == "if" and asks_stream(taken(size, draft))):
            return
        if length is not None:
            is_none = length == 0 and isinstance(step, ReadList) and (known(size, draft) or 0) < 0
            if not is_none:  # a negative count stays: it is that of no element, too
                self.assign(size, length, draft, measured=True)
            return
        found = solve(size, -1, draft)
        if found is None or len(found[0]) != 1 or found[0][0] not in _names(draft._program)[0]:
            return
        name = found[0][0]
        if name in draft._measured:
            return  # one of several fields that share a length, only one of which is present
        given = draft.__dict__.get(name, MISSING)
        if step.condition is not None and (name,) in step.condition.names():
            # The length itself says that the field is absent: the given one if it does, or that of 0 or -1 bytes.
            empty = solve(size, 0, draft)
            is_text = not isinstance(found[1], int)  # digits
            fits = is_text or found[1] >= 0 or not _is_unsigned(name, draft._program.steps)
            for value in (given, given if empty is None else empty[1], found[1] if fits else MISSING):
                if value is not MISSING:
                    draft.__dict__[name] = value
                    try:
                        if not evaluator(step.condition)(draft):
                            return
                    except (AttributeError, EvaluationError):
                        continue
        draft.__dict__[name] = 0 if given is MISSING else given

    def assign(self, node: Expression, wanted: Any, draft: Draft, *, measured: bool = False) -> bool:
        """Give the field in an expression the value with which the expression gives ``wanted``; whether it can be."""
        found = solve(node, wanted, draft)
        if found is None:
            return False
        *outer, name = found[0]
        owner: Any = draft
        for word in outer:
            owner = getattr(owner, word, None)
        if not isinstance(owner, Draft):
            return False
        field = _names(owner._program)[0].get(name)
        if field is None:
            if name in owner._arguments:
                argument, outer_draft = owner._arguments[name]
                return self.assign(argument, found[1], outer_draft, measured=measured)
            for instance in owner._program.instances:
                if instance.field.name == name and instance.value is not None:
                    return self.assign(instance.value, found[1], owner, measured=measured)
            return False
        if field.kind not in ("integer", "boolean", "any", "text"):
            return False
        before = owner.__dict__.get(name, MISSING)
        if before is MISSING or (before != found[1] and known(node, draft) != wanted):
            owner.__dict__[name] = found[1]
            self.again |= owner._written
        if measured:
            owner._measured.add(name)
        return True

    def derive(self, draft: Draft, path: Path) -> None:
        for field in draft._program.fields:
            if field.derive is not None and draft.__dict__.get(field.name, MISSING) is MISSING:
                try:
                    draft.__dict__[field.name] = evaluator(field.derive)(draft)
                except AttributeError as error:
                    raise BuildError(
                        f"cannot be derived without {error.name}", path=shown((path, field.name))
                    ) from None
                except EvaluationError as error:
                    raise BuildError(str(error), path=shown((path, field.name))) from None

    # --- drafts -> bytes

    def structure(self, draft: Draft, out: StreamOutput, path: Path) -> None:
        program = draft._program
        draft._written = False
        draft.__dict__["_io"] = out
        draft._said.clear()
        for instance in program.instances:
            if instance.position is not None and asks_position(instance.position):
                name = instance.field.name
                if draft.__dict__.get(name) is not None:
                    draft._ahead[name] = draft.__dict__.pop(name)
        if program.byte_order is not None:
            self.order(draft, path)
        self.derive(draft, path)
        if program.bits:
            out.data += self.packed(draft, path)
        else:
            self.emit(program.steps, draft, out, path)
        draft._written = True
        if draft._original is not None and draft._rest in (None, getattr(draft._original, REST, None)):
            out.undeclared = undeclared(draft._original)
        elif draft._rest:
            out.undeclared = Undeclared(((len(out.data), draft._rest),))
        for instance in program.instances:
            name = instance.field.name
            if instance.value is None and (draft.__dict__.get(name) is not None or name in draft._ahead):
                out.instances.append((draft, instance, path))

    def order(self, draft: Draft, path: Path) -> None:
        order = draft._program.byte_order
        assert order is not None
        if order.on is None:
            draft._little = None if draft._parent is None else draft._parent._little
            return
        key = self.evaluate(order.on, draft, path)
        for value, little in order.cases:
            if value is None or self.evaluate(value, draft, path) == key:
                draft._little = little
                return

    def finish(self, out: StreamOutput, bits: tuple[int, int] | None) -> bytes:
        """All bytes of a stream: after the sequence what was left over, and what instances have at their positions.
        ``bits`` are those that a reader kept at the sequence's end.
        """
        bits_left = out.left
        out.align(bits)
        out.sequence_end = len(out.data)
        out.covered.append((0, out.sequence_end))
        done = 0
        from_the_end: list[tuple[Draft, Instance, bytes]] = []
        while done < len(out.instances):
            draft, instance, path = out.instances[done]
            done += 1
            here = (path, instance.field.name)
            stream = out
            if instance.stream is not None:
                try:
                    found = evaluator(instance.stream)(draft)
                except (AttributeError, EvaluationError) as error:
                    key = id(draft), id(instance), out is self.top
                    if key not in self.postponed:
                        self.postponed.add(key)
                        self.top.instances.append((draft, instance, path))  # it may be written after this one
                        continue
                    if self.again and self.deferred:
                        continue  # or in the next pass
                    if isinstance(error, AttributeError):
                        raise _without(error, path) from None
                    raise BuildError(str(error), path=shown(here)) from None
                if not isinstance(found, StreamOutput):
                    raise BuildError("the stream of this instance is not one that is built", path=shown(here))
                if found.owner.key != out.key:  # it may be that of the pass before
                    if not found.owner.is_done:
                        found.owner.instances.append((draft, instance, path))
                    else:
                        later = self.deferred.setdefault(found.owner.key, {})
                        self.again |= (id(draft), id(instance)) not in later
                        later[id(draft), id(instance)] = draft, instance, path
                    continue
            condition = instance.condition  # as in `present`
            if condition is not None and not asks_moment(condition, draft):
                if not self.evaluate(condition, draft, here):
                    continue
            position, is_late, name = len(stream.data), False, instance.field.name
            if name in draft._ahead:
                assert instance.position is not None
                if name not in draft._places:  # nothing has asked for it: a reader does when all is read
                    stream.start = stream.sequence_end - len(stream.data)
                    draft._places[name] = self.evaluate(instance.position, draft, here)
                    stream.start = 0
                position = draft._places[name]
                draft.__dict__[name] = draft._ahead.pop(name)
            elif instance.position is not None:
                try:
                    position = evaluator(instance.position)(draft)
                except (AttributeError, EvaluationError):
                    if self.is_first and asks_stream(instance.position):
                        # Counted from the end, which is not known before all else is written: in this pass, after it.
                        self.again = is_late = True
                    elif not self.assign(instance.position, position, draft):
                        raise BuildError(
                            f"its position {instance.position} cannot be derived", path=shown(here)
                        ) from None
            if not isinstance(position, int):
                raise BuildError(f"its position {instance.position} is null", path=shown(here))
            if position < 0:
                raise BuildError("a position before the start", path=shown(here), found=position)
            part = StreamOutput(answers=self.answers, depth=stream.depth)
            part.start, part.instances, part._size, part.owner = position, stream.instances, stream._size, stream
            written = draft._written
            self.emit(instance.steps, draft, part, path)
            draft._written = written
            part.align(_kept(draft, here, "after"))
            if is_late:
                from_the_end.append((draft, instance, bytes(part.data)))
            else:
                stream.place(position, bytes(part.data), here)
        out.fill()
        if from_the_end:
            self.end(out, from_the_end)
        for end, path in out.to_the_end:
            if end < len(out.data) and not self.again:
                rest = f"{len(out.data) - end} bytes"
                raise BuildError("goes to the end, and other bytes follow it", path=shown(path), found=rest)
        out.is_done, out.left = True, bits_left
        out.start = out.sequence_end - len(out.data)  # where a reader stands from now on
        return bytes(out.data)

    def end(self, out: StreamOutput, instances: list[tuple[Draft, Instance, bytes]]) -> None:
        """Put what is counted from the end of a stream after all else, unless it stands there already.

        Where both would do, the stream is as long as the one that its value was read from.
        """
        written = len(out.data)
        whole = written + sum(len(data) for _, _, data in instances)
        out._size = written  # as if nothing came after
        for draft, instance, data in instances:
            assert instance.position is not None
            try:
                position = evaluator(instance.position)(draft)
            except (AttributeError, EvaluationError):
                position = -1
            is_there = position >= 0 and out.data[position:written].startswith(data)
            if not is_there or (instance.stream is None and draft._read_size == whole):
                out.data += data
        out._size = None

    def emit(self, steps: tuple[Step, ...], draft: Draft, out: StreamOutput, path: Path) -> None:
        values = draft.__dict__
        windows: dict[int, tuple[bytes | None, int]] = {}
        """Those that are built before all else, and how often streams had been asked before each."""
        for step in steps:
            if type(step) is Window:
                absent = step.condition is not None and values.get(step.name) is None
                if not absent and self.stands(step, draft, path):
                    continue
                outermost, self.answers.outermost = self.answers.outermost, sys.maxsize
                count = self.answers.count
                data = None if absent else self.window(step, draft, (path, step.name))
                asks, self.answers.outermost = self.answers.outermost, min(outermost, self.answers.outermost)
                if asks <= out.depth:
                    self.standing.add(_key(draft, step, (path, step.name)))
                    self.again = True
                    continue
                windows[id(step)] = data, count
                if step.size is not None:
                    self.derive_length(draft, step, step.size, None if data is None else len(data))
        draft._written = True
        sums: list[tuple[Checksum, int, int | None]] = []
        positions: dict[str, int] = {}
        present: dict[str, bool] = {}
        is_aligned = True
        for run, step in _runs(steps):
            if run is not None:
                names, pack = run
                if not is_aligned:
                    out.align(_kept(draft, (path, names[0]), "before"))
                    is_aligned = True
                try:
                    out.data += pack(*[values[name] for name in names])
                    continue
                except (KeyError, struct.error, TypeError):
                    pass  # field by field, for the error
                for single in step:
                    self.one(single, values.get(single.name, MISSING), draft, out, (path, single.name))
                continue
            name, kind = step.name, type(step)
            here = (path, name)
            if kind is Check:
                if step.condition is None or present.get(name, values.get(name) is not None):
                    self.check(step, values.get(name, MISSING), draft, here)
                continue
            if kind is Checksum:
                place = len(out.data)
                if step.part == "to":  # one checksum alone has parts
                    sums[-1] = step, sums[-1][1], place
                elif step.part != "check":
                    sums.append((step, place, None))
                continue
            if kind is Align:
                is_aligned = False  # if the next step, for which it is, is there
                continue
            if kind not in _CONVERTED and kind is not Window and kind is not ReadLiteral:
                continue
            positions[name] = len(out.data)
            is_needed, is_aligned = not is_aligned, True
            count = self.answers.count
            if step.condition is not None:
                present[name] = self.present(step, draft, here)
                if not present[name]:
                    if name in draft._absent:
                        values[name] = None  # what another pass had filled
                    if values.get(name) is not None:
                        raise BuildError(f"must be null, since {step.condition} is false", path=shown(here))
                    continue
            if is_needed:
                out.align(_kept(draft, here, "before"))
            if name in draft._absent:
                self.fill(step, draft, here, self.answers.count > count)
            if kind is Window:
                if id(step) in windows:
                    data, count = windows[id(step)]
                else:
                    data = self.window(step, draft, here)
                    if step.size is not None:
                        self.derive_length(draft, step, step.size, len(data))
                draft._written = True
                if data is None:
                    raise BuildError("may not be null here", path=shown(here))
                self.size(step.size, len(data), draft, here, since=count)
                self.rooms[_key(draft, step, here)] = out.room
                out.data += data
            else:
                self.one(step, values.get(name, MISSING), draft, out, here)
        for checksum, start, end in sums:
            if checksum.length is not None:
                end = start + self.evaluate(checksum.length, draft, (path, checksum.name))
            computed = ALGORITHMS[checksum.algorithm](bytes(out.data[start:end]))
            stored = next(item for item in steps if isinstance(item, ReadInteger) and item.name == checksum.name)
            at, field = positions[checksum.name], _packer(stored, draft).pack(computed)
            out.data[at : at + len(field)] = field
            values[checksum.name] = computed

    def present(self, step: Step, draft: Draft, path: Path) -> bool:
        """Whether a step is there. Of one whose condition asks a stream that is what is given: if that stays wrong
        with the stream that it makes, it is an error.
        """
        assert step.condition is not None
        given, count = draft.__dict__.get(step.name) is not None, self.answers.count
        try:
            found = bool(self.evaluate(step.condition, draft, path))
        except _TooEarly:
            self.again = True
            return given
        if self.answers.count == count or isinstance(step, ReadLiteral):
            return found
        if found and not given and (step.name in draft._absent or isinstance(step, ReadSwitch)):
            return True  # it may be filled; and no case may be there
        if found != given:
            words = "may not be null here" if found else f"must be null, since {step.condition} is false"
            self.unmet = self.unmet or BuildError(words, path=shown(path))
        return given

    def stands(self, step: Window, draft: Draft, path: Path) -> bool:
        """Whether a window is built where it stands, because it asks a stream around it."""
        arguments = () if step.process is None else step.process.arguments
        nodes = [*arguments, *([] if step.size is None else [step.size])]
        is_known = _key(draft, step, (path, step.name)) in self.standing
        return is_known or any(asks_moment(node, draft) for node in nodes)

    def fill(self, step: Step, draft: Draft, path: Path, asks: bool) -> None:
        """Zeros for a field that is not given, if expressions that ask a stream fix that it is there (``asks``), or how
        long it is.
        """
        values, count = draft.__dict__, self.answers.count
        found: Any = MISSING
        match step:
            case ReadBytes() if step.size is not None and step.trim is None and step.process is None:
                size = self.amount(step.size, draft, path)
                if asks or self.answers.count > count:
                    found = bytes(size) if step.encoding is None else bytes(size).decode(step.encoding, "replace")
            case ReadList() if step.count is not None:
                values[step.name] = []
                size = self.amount(step.count, draft, path, is_count=True)
                zero = _zero(step.element)
                if zero is not None and (asks or self.answers.count > count):
                    found = [zero] * size
            case ReadLiteral():
                found = step.contents
            case _ if asks:
                zero = _zero(step)
                found = MISSING if zero is None else zero
        if found is not MISSING:
            values[step.name] = found

    def amount(self, node: Expression, draft: Draft, path: Path, is_count: bool = False) -> int:
        """How many bytes or elements are filled with zeros; none if that is not known."""
        try:
            found: int = evaluator(node)(draft)
        except NotYet:
            self.again = True
            return 0
        except (AttributeError, EvaluationError):
            return 0
        if found < 0 and is_count:
            return 0
        if found < 0:
            raise BuildError("a negative size", path=shown(path), expected=">= 0", found=found)
        if found > MAX_GAP:
            raise BuildError("too much padding", path=shown(path), expected=f"at most {MAX_GAP}", found=found)
        return found

    def evaluate(self, node: Expression, draft: Draft, path: Path) -> Any:
        try:
            return evaluator(node)(draft)
        except AttributeError as error:
            raise _without(error, path[0] if len(path) == 2 else path) from None
        except NotYet as error:
            raise _TooEarly(error, path) from None
        except EvaluationError as error:
            raise BuildError(str(error), path=shown(path)) from None

    def check(self, step: Check, found: Any, draft: Draft, path: Path) -> None:
        count = self.answers.count
        if step.rule is not None:
            draft.__dict__["_"] = found
            try:
                sound = self.evaluate(step.rule, draft, path)
            except _TooEarly:
                self.again = True  # checked in the next pass, which knows how long the streams are
                return
        else:
            sound = found in step.allowed
        if not sound:
            self.refuse(
                BuildError(
                    "a value that is not allowed",
                    path=shown(path),
                    expected=step.expected,
                    found=int(found) if isinstance(found, int) else repr(found),
                ),
                count,
            )

    def refuse(self, problem: BuildError, count: int) -> None:
        """A rule is broken. That is an error if it stays so: a stream that was asked since so many answers may get
        another length, and instances may still be missing in the streams of others.
        """
        if self.answers.count == count and not self.may_change:
            raise problem
        self.unmet = self.unmet or problem

    def size(
        self,
        size: Expression | None,
        length: int,
        draft: Draft,
        path: Path,
        is_count: bool = False,
        since: int | None = None,
    ) -> None:
        """Compare the size or count that is asked for with the actual one, which follows from what streams answered
        since so many answers, if some did.
        """
        if size is None:
            return
        count = self.answers.count if since is None else since
        try:
            wanted = evaluator(size)(draft)
        except AttributeError as error:
            if not self.assign(taken(size, draft), length, draft):
                outer = path[0] if len(path) == 2 else path
                self.missing.append(((outer, error.name or ""), error.obj))
            return
        except NotYet:
            self.again = True
            return
        except EvaluationError as error:
            raise BuildError(str(error), path=shown(path)) from None
        if (max(wanted, 0) if is_count else wanted) != length:
            self.refuse(
                BuildError(
                    "does not have the size that the declaration asks for",
                    path=shown(path),
                    expected=f"{wanted} bytes",
                    found=length,
                ),
                count,
            )

    def window(self, step: Window, draft: Draft, path: Path, element: Any = MISSING) -> bytes:
        codec = 0 if step.codec is None else self.evaluate(step.codec, draft, path)
        value = draft.__dict__.get(step.name) if element is MISSING else element
        if step.codec is not None and isinstance(value, bytes):
            if not codec:
                raise BuildError("compressed bytes are given for a payload that is not compressed", path=shown(path))
            return value
        key, size = _key(draft, step, path), _known_size(step, draft)
        is_plain = step.process is None and step.trim is None and not codec
        outer = draft.__dict__.get("_io")
        depth = outer.depth + 1 if isinstance(outer, StreamOutput) else 1
        out = StreamOutput(size if is_plain and size is not None else self.sizes.get(key), self.answers, depth)
        out.key = key
        if is_plain and step.size is not None and (isinstance(path[-1], int) or solve(step.size, size, draft) is None):
            out.length = size
        out.instances += self.deferred.get(key, {}).values()
        written, ahead = draft._written, self.taken.get(key, 0 if size is None else size)
        outermost, self.answers.outermost = self.answers.outermost, sys.maxsize
        if isinstance(outer, StreamOutput):  # of which the window's bytes have been read before what is in them
            outer.start += ahead
        if element is MISSING:
            self.emit(step.steps, draft, out, path[0] if len(path) == 2 else path)
        else:
            self.contents(step, step.steps, element, draft, out, path)
        draft._written = written
        if outer is not None:
            draft.__dict__["_io"] = outer
        data = self.finish(out, _kept(draft, path, "after"))
        if isinstance(outer, StreamOutput):
            outer.start -= ahead
        asks = self.answers.outermost < depth
        self.answers.outermost = min(outermost, self.answers.outermost)
        if self.sizes.get(key, len(data)) != len(data):
            self.again = True
        self.sizes[key] = len(data)
        if step.process is not None or step.trim is not None:
            data = self.encoded(step, data, draft, self.rooms.get(key), path)
        elif codec:
            magic = None if step.magic is None else self.evaluate(step.magic, draft, path)
            try:
                data = codecs().compress(codec, data, magic=magic)
            except UsageError as error:
                raise BuildError(str(error), path=shown(path)) from None
        self.again |= asks and len(data) != ahead
        self.taken[key] = len(data)
        return data

    def encoded(self, step: ReadBytes | Window, data: bytes, draft: Draft, room: int | None, path: Path) -> bytes:
        """Content as it is stored: processed, with terminator and padding.

        Bytes that a reader kept stay if they give the same content. ``room`` is how many bytes there are up to the end
        of the stream, if that is known.
        """
        wanted = _known_size(step, draft)
        asks = step.size is None or (wanted is None and asks_moment(step.size, draft))
        if asks and (step.trim is None or not step.trim.delimited):
            wanted = room
        nodes = () if step.process is None else step.process.arguments
        kept = _kept(draft, path)
        if kept is not None and (step.trim is None or not step.trim.delimited):
            candidate = bytes(kept[1])
            content: bytes | None = candidate if step.trim is None else trimmed(candidate, step.trim)
            try:
                if step.process is not None:
                    arguments = self.after(nodes, draft, len(candidate), path)
                    content = processes.decode(step.process, arguments, content or b"", len(data))
            except KformatError:
                content = None  # other content
            if content == data:
                if step.size is not None:
                    self.derive_length(draft, step, step.size, len(candidate))
                return candidate
        if step.process is not None:
            arguments = self.after(nodes, draft, len(data) if wanted is None else wanted, path)
            try:
                data = processes.encode(step.process, arguments, data)
            except BuildError as error:
                raise BuildError(error.message, path=shown(path)) from error
            except NotRegisteredError as error:
                error.at(draft._program, step.name)
                raise
        if step.trim is None:
            if step.size is not None:
                self.derive_length(draft, step, step.size, len(data))
            return data
        if step.trim.delimited:
            if room is None and kept is not None and kept[1] == data and not step.trim.must_end:
                self.again = True  # its reader met the stream's end: whether it is there is known when all is written
                return data
            return self.delimited(step.trim, data, room, path)
        return self.padded(step, step.trim, wanted, data, draft, path)

    def after(self, nodes: tuple[Expression, ...], draft: Draft, size: int, path: Path) -> list[Any]:
        """What expressions are after so many bytes were read: a reader evaluates a process's arguments then."""
        stream = draft.__dict__.get("_io")
        if not isinstance(stream, StreamOutput):
            return [self.evaluate(node, draft, path) for node in nodes]
        stream.start += size
        try:
            return [self.evaluate(node, draft, path) for node in nodes]
        finally:
            stream.start -= size

    def delimited(self, trim: Trim, data: bytes, room: int | None, path: Path) -> bytes:
        """Content up to a terminator, with it; content that fills the stream may do without, if that is allowed."""
        end = trim.terminator
        assert end is not None
        at = terminator_index(data, end)
        if at >= 0 and not (trim.include and at == len(data) - len(end)):
            raise BuildError("contains its terminator", path=shown(path), expected=f"no {end.hex()} in it")
        if trim.include:
            if at < 0 and trim.must_end:
                raise BuildError("must end with its terminator", path=shown(path), expected=end.hex())
            return data if trim.consume or at < 0 else data[:at]  # what follows begins with the terminator
        if not trim.consume or (not trim.must_end and room == len(data)):
            return data
        return data + end

    def padded(
        self, step: ReadBytes | Window, trim: Trim, wanted: int | None, data: bytes, draft: Draft, path: Path
    ) -> bytes:
        """Content of a size, with terminator and padding; a given size stays if the content fits into it."""
        end = b"" if trim.terminator is None or trim.include else trim.terminator
        whole = data
        if wanted is not None and len(whole) < wanted:
            if wanted - len(whole) > MAX_GAP:
                raise BuildError("too much padding", path=shown(path), expected=f"at most {MAX_GAP}", found=wanted)
            whole = (whole + end)[:wanted]
            whole += ((trim.pad or b"\0") * wanted)[: wanted - len(whole)]
        elif step.size is not None and wanted != len(whole):
            whole += end
            self.derive_length(draft, step, step.size, len(whole))
        if trimmed(whole, trim) != data:
            raise BuildError("would be read shorter, up to its terminator or padding", path=shown(path))
        return whole

    def one(self, step: Step, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
        """Write the value of one step."""
        kind = type(step)
        if kind is ReadLiteral:
            contents = step.contents  # type: ignore[attr-defined]
            if value is not MISSING and value is not None and value != contents:
                raise BuildError("not the contents declared", path=shown(path), expected=in_hex(contents))
            out.data += contents
            return
        if value is MISSING and isinstance(path[-1], str) and path[-1] in draft._absent:
            value = draft.__dict__.get(path[-1], MISSING)  # it may have been filled
        if value is MISSING and kind is ReadInteger and isinstance(path[-1], str):
            value = self.only_value(step, draft)
        if value is MISSING and kind in (ReadInteger, ReadVarint, ReadBit) and isinstance(path[-1], str):
            self.missing.append((path, draft))
            value = 0
        if value is MISSING or (value is None and kind is not ReadSwitch and kind is not ReadOpaque):
            words = _is_missing(draft, step.name) if value is MISSING else "may not be null here"
            raise BuildError(words, path=shown(path))
        match step:
            case ReadVarint() if -64 <= value < 64 and (step.zigzag or value >= 0):  # most of them: one byte
                out.data.append((value << 1) ^ (value >> 63) if step.zigzag else value)
            case ReadInteger() | ReadVarint():
                low, high = step.kind.low, step.kind.high
                if not low <= value <= high:
                    raise BuildError("does not fit", path=shown(path), expected=f"{low}..{high}", found=value)
                if isinstance(step, ReadInteger):
                    out.data += self.packer(step, draft, path).pack(int(value))
                else:
                    out.data += _varint(step.max_bytes, step.zigzag, step.kind.bits).encode(int(value))
            case ReadFloat():
                try:
                    data = self.packer(step, draft, path).pack(value)
                    if value != value and (kept := _kept(draft, path)) is not None:  # a NaN: the bits tell which
                        data = kept[1] if self.packer(step, draft, path).pack(kept[0]) == data else data
                    out.data += data
                except (struct.error, OverflowError):
                    most = _LARGEST[self.packer(step, draft, path).size]
                    found = value if isinstance(value, int | float) else kind_of(value)
                    raise BuildError(
                        "does not fit", path=shown(path), expected=f"-{most}..{most}", found=found
                    ) from None
            case ReadBit():
                if not 0 <= value < 1 << step.width:
                    expected = f"0..{(1 << step.width) - 1}"
                    raise BuildError("does not fit", path=shown(path), expected=expected, found=value)
                out.bits(int(value), step.width, step.little_endian)
            case ReadBytes():
                self.content(step, value, draft, out, path)
            case ReadBits() | ReadType():
                child = self.child(step, value, draft, path)
                if isinstance(step, ReadType):
                    for name, node in step.arguments:
                        count = self.answers.count
                        try:
                            child.__dict__[name] = evaluator(node)(draft)
                            self.may_change |= self.answers.count > count
                        except AttributeError:
                            child.__dict__.pop(name, None)  # asked for where it is used
                        except NotYet as error:
                            raise _TooEarly(error, path) from None
                        except EvaluationError as error:
                            raise BuildError(str(error), path=shown(path)) from None
                self.structure(child, out, path)
            case ReadList():
                self.elements(step, value, draft, out, path)
            case ReadSwitch():
                self.switch(step, value, draft, out, path)
            case ReadOpaque():
                try:
                    write = opaque_type_of(step.type_name).write
                except NotRegisteredError as error:
                    error.at(draft._program, step.name)
                    raise
                if write is None:
                    raise BuildError(f"the type {step.type_name} is registered without its writer", path=shown(path))
                arguments = [self.evaluate(node, draft, path) for node in step.arguments]
                try:
                    out.data += write(value, *arguments)
                except Exception as error:
                    raise BuildError(f"the type {step.type_name} failed: {error}", path=shown(path)) from error
            case Window():  # an element of a list, or a switch's case
                out.data += self.inner_window(step, value, draft, out, path)
            case _:
                raise AssertionError(step)

    def inner_window(self, step: Window, value: Any, draft: Draft, out: StreamOutput, path: Path) -> bytes:
        count = self.answers.count
        data = self.window(step, draft, path, value)
        if step.size is not None and isinstance(path[-1], str):  # of one element of a list, only what is not known
            self.derive_length(draft, step, step.size, len(data))
        self.size(step.size, len(data), draft, path, since=count)
        self.rooms[_key(draft, step, path)] = out.room
        return data

    def only_value(self, step: Step, draft: Draft) -> Any:
        """Of a missing integer: 0 for a computed one, which is filled in once its bytes exist; else its only value."""
        field = _names(draft._program)[0].get(step.name)
        if field is not None and field.computed:
            return 0
        for check in draft._program.steps:
            if isinstance(check, Check) and check.name == step.name:
                rule = check.rule
                if rule is not None and rule.op == "==" and rule.arguments[1].is_constant:
                    draft.__dict__[step.name] = rule.arguments[1].value
                    return rule.arguments[1].value
                if rule is None and len(check.allowed) == 1:
                    draft.__dict__[step.name] = check.allowed[0]
                    return check.allowed[0]
        return MISSING

    def packer(self, step: ReadInteger | ReadFloat, draft: Draft, path: Path) -> struct.Struct:
        if step.by_type and draft._little is None:
            raise BuildError("no case says the byte order", path=shown(path))
        return _packer(step, draft)

    def content(self, step: ReadBytes, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
        data = _text_bytes(step, value, draft, path)
        if step.trim is None and step.process is None:
            self.size(step.size, len(data), draft, path)
            out.data += data
            if step.size is None:
                out.ends(path)
            return
        data = self.encoded(step, data, draft, out.room, path)
        self.size(step.size, len(data), draft, path)
        out.data += data

    def elements(self, step: ReadList, value: list[Any], draft: Draft, out: StreamOutput, path: Path) -> None:
        if step.count is not None:
            draft.__dict__[step.name] = []  # as in a parser, which counts before it reads
            try:
                self.size(step.count, len(value), draft, path, is_count=True)
            finally:
                draft.__dict__[step.name] = value
        element, values = step.element, draft.__dict__
        if type(element) is ReadInteger and not element.by_type and not step.checks and step.until is None:
            code = struct_format(element)
            assert code is not None
            try:
                data = struct.pack(f"{code[0]}{len(value)}{code[1]}", *value)
                if value and step.align:
                    out.align(_kept(draft, (path, 0), "before"))
                out.data += data
                if step.count is None:
                    out.ends(path)
                return
            except struct.error:
                pass  # element by element, for the error
        until = step.until
        if until is not None and not value:
            raise BuildError("is empty, and ends with the element for which its condition is true", path=shown(path))
        so_far: list[Any] = []
        values[step.name] = so_far  # as in a parser, elements know those before them
        try:
            for index, item in enumerate(value):
                here = (path, index)
                values["_index"] = index
                if step.align:
                    out.align(_kept(draft, here, "before"))
                self.one(element, item, draft, out, here)
                so_far.append(item)
                for check in step.checks:
                    self.check(check, item, draft, here)
                if until is not None:
                    values["_"], values["_index"] = item, index
                    count = self.answers.count
                    try:
                        is_last = bool(self.evaluate(until, draft, here))
                    except _TooEarly:  # the next pass knows how long the stream is
                        self.again = True
                        continue
                    if is_last != (index == len(value) - 1):
                        words = f"{until} must be true for the last element alone"
                        self.refuse(BuildError(words, path=shown(here)), count)
        finally:
            values[step.name] = value
        if until is None and step.count is None:
            out.ends(path)

    def switch(self, step: ReadSwitch, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
        count = self.answers.count
        try:
            case = self.case(step, self.evaluate(step.on, draft, path), draft)
        except _TooEarly:
            if draft._root._read_size is not None:  # the stream is probably as long as it was
                raise
            self.again = True
            self.any_case(step, value, draft, out, path)
            return
        problem: BuildError | None = None
        if value is None and case is not None and case.steps and self.answers.count > count:
            problem = BuildError("may not be null here", path=shown(path))
        elif value is not None and (case is None or not case.steps):
            problem = BuildError(f"must be null, since no case is {step.on}", path=shown(path))
        if problem is not None:
            self.refuse(problem, count)
            self.any_case(step, value, draft, out, path)
        elif case is None or not case.steps:
            return
        elif self.answers.count == count:
            self.contents(step, case.steps, value, draft, out, path)
        else:
            mark = out.mark()
            try:
                self.contents(step, case.steps, self.of_case(step, case, value, draft, path), draft, out, path)
            except _TooEarly:
                raise
            except BuildError as error:  # the stream may answer otherwise in the next pass
                self.unmet = self.unmet or error
                out.back_to(mark)
                self.any_case(step, value, draft, out, path)

    def any_case(self, step: ReadSwitch, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
        """Write a value by the first case that takes it, as long as it is not known which one does."""
        mark, problem = out.mark(), BuildError("no case takes it", path=shown(path))
        for case in step.cases if value is not None else ():
            try:
                self.contents(step, case.steps, self.of_case(step, case, value, draft, path), draft, out, path)
                return
            except BuildError as error:
                problem = error
                out.back_to(mark)
        if value is not None:
            raise problem

    def of_case(self, step: ReadSwitch, case: Case, value: Any, draft: Draft, path: Path) -> Any:
        """What was given for a case; each case may have another in each pass."""
        given, made = self.switched.setdefault(_key(draft, step, path), (value, {}))
        if id(case) not in made and given is not None:
            made[id(case)] = self.convert(_content(case.steps, step.name), given, draft, path)
            if isinstance(made[id(case)], Draft):
                self.measure_all(made[id(case)], path)
        return made.get(id(case))

    def contents(
        self, step: Step, steps: tuple[Step, ...], value: Any, draft: Draft, out: StreamOutput, path: Path
    ) -> None:
        """Write one value by the steps of a case, or of the window around an element."""
        for inner in steps:
            if type(inner) is Align:
                out.align(_kept(draft, path, "before"))
            elif type(inner) is Check:
                self.check(inner, value, draft, path)
            elif type(inner) in _CONVERTED or type(inner) in (Window, ReadLiteral):
                if value is not None:
                    value = self.convert(inner, value, draft, path)
                if isinstance(path[-1], str):
                    draft.__dict__[step.name] = value
                self.one(inner, value, draft, out, path)

    def packed(self, draft: Draft, path: Path) -> bytes:
        whole = 0
        for bit in draft._program.bits:
            value = draft.__dict__.get(bit.name, MISSING)
            if value is MISSING:
                raise BuildError(_is_missing(draft, bit.name), path=shown((path, bit.name)))
            if not 0 <= value <= bit.mask:
                raise BuildError("does not fit", path=shown((path, bit.name)), expected=f"0..{bit.mask}", found=value)
            whole |= int(value) << bit.shift
        for step in draft._program.steps:
            if isinstance(step, Check):
                self.check(step, draft.__dict__[step.name], draft, (path, step.name))
        return whole.to_bytes(sum(bit.width for bit in draft._program.bits) // 8, "big")


class _TooEarly(BuildError):
    """The size of a stream is asked for that is not known in this pass."""

    def __init__(self, error: NotYet, path: Path) -> None:
        super().__init__(str(error), path=shown(path))
        self.stream = error.stream


def _zero(step: Step) -> Any:
    """The value of a field of zero bytes; None if that is not known."""
    match step:
        case ReadInteger() | ReadBit() | ReadFloat():
            return 0
        case ReadBytes() if step.size is not None and step.size.is_constant and step.trim is None:
            if step.process is None and step.encoding is None:
                return bytes(step.size.value)
    return None


def _compare(draft: Draft, value: Any, path: Path) -> None:
    """Whether a value has what its draft has; BuildError if not."""
    for name in value._fields:
        _compare_one(draft.__dict__.get(name), getattr(value, name, None), (path, name))


def _compare_one(given: Any, found: Any, path: Path) -> None:
    if isinstance(given, Draft):
        if isinstance(found, Value):
            _compare(given, found, path)
            return
    elif isinstance(given, list):
        if isinstance(found, list) and len(given) == len(found):
            for index, (one, other) in enumerate(zip(given, found, strict=True)):
                _compare_one(one, other, (path, index))
            return
    elif not isinstance(given, int | float | str | bytes | None) or given == found or given != given:
        return  # values of other programs have no rule
    elif isinstance(given, bytes) and isinstance(found, Value):
        return  # a payload that is given compressed
    elif isinstance(given, float) and isinstance(found, float):
        return  # one of 32 bits is rounded
    shown_as = [_kind(one) for one in (given, found)]
    raise BuildError("would be read as another value", path=shown(path), expected=shown_as[0], found=shown_as[1])


def _kind(value: Any) -> str:
    """A value for an error."""
    if isinstance(value, list):
        return f"{len(value)} elements"
    return value._program.name if isinstance(value, Draft) else repr(value)[:60]


_CONVERTED: Final = frozenset(
    (ReadInteger, ReadVarint, ReadBit, ReadBytes, ReadFloat, ReadType, ReadBits, ReadList, ReadSwitch, ReadOpaque)
)
"""Steps that have a value of their own."""


def _is_unsigned(name: str, steps: tuple[Step, ...]) -> bool:
    """Whether a length cannot be -1: a list or bytes that are null then have another reason, and the length stays."""
    return any(isinstance(step, ReadInteger) and step.name == name and step.kind.low >= 0 for step in steps)


def _known_size(step: ReadBytes | Window, draft: Draft) -> int | None:
    """How many bytes a step has; None if that follows from its content, or is not known yet."""
    if step.size is None:
        return None
    try:
        found: int = evaluator(step.size)(draft)
        return found
    except (AttributeError, EvaluationError):
        return None


def _content(steps: tuple[Step, ...], name: str) -> Step:
    return next(step for step in steps if step.name == name and (type(step) in _CONVERTED or type(step) is Window))


_Run = tuple[tuple[str, ...], Callable[..., bytes]]


def _runs(steps: tuple[Step, ...]) -> tuple[tuple[_Run | None, Any], ...]:
    """The steps, with unconditional integers next to each other packed at once."""
    found = _RUNS.get(id(steps))
    if found is None or found[0] is not steps:
        if len(_RUNS) > 4096:
            _RUNS.clear()
        found = _RUNS[id(steps)] = steps, _make_runs(steps)
    return found[1]


_RUNS: Final[dict[int, tuple[tuple[Step, ...], tuple[tuple[_Run | None, Any], ...]]]] = {}


def _measured(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps whose content has a length or a count, or holds others that have one."""
    found = _MEASURED.get(id(steps))
    if found is None or found[0] is not steps:
        if len(_MEASURED) > 4096:
            _MEASURED.clear()
        kinds = (ReadList, ReadBytes, ReadType, ReadSwitch, Window)
        found = _MEASURED[id(steps)] = steps, tuple(step for step in steps if isinstance(step, kinds))
    return found[1]


_MEASURED: Final[dict[int, tuple[tuple[Step, ...], tuple[Step, ...]]]] = {}


def _make_runs(steps: tuple[Step, ...]) -> tuple[tuple[_Run | None, Any], ...]:
    checksums = {step.name for step in steps if isinstance(step, Checksum)}
    made: list[tuple[_Run | None, Any]] = []
    run: list[ReadInteger] = []

    def close() -> None:
        if len(run) == 1:
            made.append((None, run[0]))
        elif run:
            codes = [struct_format(step) or "" for step in run]
            pack = struct.Struct(codes[0][0] + "".join(code[1] for code in codes)).pack
            made.append(((tuple(step.name for step in run), pack), tuple(run)))
        run.clear()

    for step in steps:
        fits = isinstance(step, ReadInteger) and step.condition is None and not step.by_type
        if fits and isinstance(step, ReadInteger) and step.name not in checksums:
            if run and (struct_format(run[0]) or "")[0] != (struct_format(step) or "")[0]:
                close()
            run.append(step)
        else:
            close()
            made.append((None, step))
    close()
    return tuple(made)


@lru_cache(maxsize=64)
def _struct(code: str) -> struct.Struct:
    return struct.Struct(code)


def _packer(step: ReadInteger | ReadFloat, draft: Draft) -> struct.Struct:
    code = struct_format(step)
    assert code is not None
    if step.by_type:
        code = ("<" if draft._little else ">") + code[1]
    return _struct(code)


@lru_cache(maxsize=64)
def _varint(max_bytes: int, zigzag: bool, bits: int) -> Varint:
    return Varint(max_bytes, zigzag, bits)


def _integer(value: Any, enum: Enum | None, path: Path) -> int:
    if isinstance(value, str):
        try:
            return _member(enum, value, path)
        except UsageError as error:
            raise BuildError(str(error), path=shown(path)) from None
    try:
        return operator.index(value)
    except TypeError:
        raise BuildError("an integer is expected", path=shown(path), found=kind_of(value)) from None


def _member(enum: Enum | None, text: str, path: Path) -> int:
    if enum is None:
        while isinstance(path[-1], int):
            path = path[0]
        raise UsageError(f"{path[-1]} is an integer without names, found {text!r}")
    for value, name in enum.members.items():
        if name == text:
            return value
    names = ", ".join(enum.members.values())
    raise UsageError(f"{text!r} is no {enum.name}{nearest(text, enum.members.values())} (there are {names})")


_LARGEST: Final = {4: float.fromhex("0x1.fffffep+127"), 8: sys.float_info.max}
"""The largest finite float, by the size in bytes."""


def _counted(step: ReadList, value: Iterable[Any], path: Path) -> Iterable[Any]:
    """The given elements, refused before they are gone through if their count cannot have that value."""
    if step.count is None:
        return value
    low, high = max(step.count.low, 0), max(step.count.high, 0)
    if not isinstance(value, Sized):  # one more than can be says that there are too many
        value = list(itertools.islice(value, high + 1)) if high < sys.maxsize else list(value)
    try:
        found = len(value)
    except OverflowError:  # a range
        found = sys.maxsize
    if not low <= found <= high:
        wanted = f"{low} elements" if low == high else f"{low} to {high} elements"
        raise BuildError(
            "does not have the size that the declaration asks for", path=shown(path), expected=wanted, found=found
        )
    return value


def _kept(draft: Draft, path: Path, what: str = "") -> tuple[Any, Any] | None:
    """What a reader kept of a field or an element, which has this path (`values.Kept`)."""
    if not draft._kept:
        return None
    place = (path[-1],) if isinstance(path[-1], str) else (path[0][-1], path[-1])
    return draft._kept.get((*place, what) if what else place if len(place) > 1 else place[0])


def _original(program: TypeProgram, draft: Draft, path: Path) -> Value | None:
    """What stands in the original in a place of a draft; None if that is no structure of this type."""
    if draft._original is None:
        return None
    found = asked(draft._original, path[-1] if isinstance(path[-1], str) else path[0][-1])
    if isinstance(found, list) and isinstance(path[-1], int):
        found = found[path[-1]] if path[-1] < len(found) else None
    return found if isinstance(found, Value) and found._type == program else None


def _text_bytes(step: ReadBytes, value: Any, draft: Draft, path: Path) -> bytes:
    """The content of a field: text as a reader met it, if it is that; otherwise encoded."""
    if step.encoding is None:
        found: bytes = value
        return found
    kept = _kept(draft, path, "text")
    return kept[1] if kept is not None and kept[0] == value else _encode_text(value, step.encoding, path)


def _encode_text(value: Any, encoding: str, path: Path) -> bytes:
    lenient = LENIENT.get(encoding.upper())
    try:
        found: bytes = value.encode(lenient or encoding, "surrogateescape" if lenient else "strict")
        return found
    except (UnicodeEncodeError, AttributeError):
        raise BuildError(
            f"text that is expected to be {encoding} is not", path=shown(path), found=repr(value)[:40]
        ) from None
    except (LookupError, ValueError):
        raise BuildError(f"Python has no encoding {encoding!r:.60}", path=shown(path)) from None


def _bytes(value: Any, path: Path) -> bytes:
    if not isinstance(value, bytes | bytearray | memoryview):
        raise BuildError("bytes are expected", path=shown(path), found=kind_of(value))
    return bytes(value)


def encode(program: TypeProgram, obj: Any, *, onto: bytes | None = None) -> bytes:
    """Bytes of a value of a compiled type; see `build`."""
    data = None if onto else straight(program, obj)
    return computed(program, obj, onto) if data is None else data


def computed(program: TypeProgram, obj: Any, onto: bytes | None = None) -> bytes:
    """As `encode`, without the short way of values that are complete."""
    original, tail = _read_original(program, onto) if onto else (None, b"")
    if not onto and (data := unchanged(program, obj)) is not None:
        return data
    whole: Any = None
    if not onto and isinstance(obj, Value) and (reader := getattr(obj, "_io", None)) is not None:
        whole = reader.data[reader.base : reader.limit]
        if reader.state.has_rest:  # which of these bytes are those of instances is said by the stream alone
            try:
                original, tail = _read_original(program, whole)
            except BuildError:
                pass  # only a part of the stream
    try:
        try:
            return _Builder(original, tail).build(program, obj)
        except BuildError:
            if whole is None:
                raise
            with suppress(BuildError):  # what asks for the length of the whole may fit to none but that of before
                return _Builder(original, tail, len(whole)).build(program, obj)
            raise
    except LimitError as error:
        raise BuildError(f"cannot be written onto these bytes: {error}", path=program.label) from None
    except RecursionError:
        raise BuildError("structures nested too deep", path=program.label) from None


def _read_original(program: TypeProgram, data: Any) -> tuple[Value, bytes]:
    """The value that is written over, whose streams know which bytes instances read; and what follows it, if its type
    keeps no `_rest`.
    """
    reader = Reader(data, source="the original", checksums=False, trailing="keep")
    reader.state.recording = True
    try:
        value = parse_value(program, reader)
        if not program.keeps_context:
            return value, bytes(reader.data[reader.position :])
        if reader.position < reader.limit:
            settle(reader, value, value)
        return value, b""
    except DataError as error:
        raise BuildError(f"cannot be written onto bytes that are none: {error}", path=program.label) from None
