"""Declaration -> Program: the intermediate form from which codec, kernels and layout are made.

A type becomes one ordered list of steps, and a table of instances that are read when they are asked for. A back end
runs the steps in order and stops at the first that fails. Back ends make no decisions: every expression has its types,
ranges and overflow rules (`expression`), names are resolved, and defaults like the file's byte order made explicit.

    ReadInteger, ReadFloat, ReadVarint, ReadBits, ReadBytes, ReadLiteral    take bytes, set the field `name`
    ReadBit, Align       bits that share bytes with others; back to the next whole byte
    ReadType, ReadOpaque a declared type's steps; a type that somebody else reads (registered)
    ReadList, ReadSwitch a step many times; one of several steps
    Window               limits its steps to a number of bytes, decompressed or processed first; left-over bytes are an
                         error, unless the caller asked to keep them
    Check                a rule on fields already read
    CheckEnd             no bytes may be left in the innermost window
    Checksum             verifies the stored checksum of the bytes from here on, as soon as their extent is known

Rules a back end may rely on:

* A step whose `condition` is false is skipped and leaves its field null; so does a switch without a matching case.
* A size or count that is negative when used is an error.
* Fields of an inlined structure are the enclosing type's own; only its `Window` remains.
* A varint of at most 5 bytes is 32 bits wide, of at most 10 bytes 64; excess high bits of the last byte are dropped.
* Every step but ReadBit begins at a whole byte: where bits may be left over an Align comes first. A type with
  `starts_in_bits` may be entered within a byte, one with `ends_in_bits` left within one.
* A field without ``id`` has the name ``_unnamedN`` (N: its index in ``seq``), which no declared name can have.
* Declared names match ``[a-z][a-z0-9_]*``. They may be Python's keywords.
* Types may contain themselves: then `TypeProgram.is_recursive`, and a back end counts the depth (`MAX_NESTING`).

What kernels take is a part of this form, and `kernel_reason` decides which: there, list elements take at least one
byte, so a count cannot cost more than the available bytes, and there is no recursion between types.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, NoReturn, TypeAlias

from kformat.errors import UsageError
from kformat.language import expression
from kformat.language.declaration import (
    Declaration,
    EndianSwitch,
    EnumDeclaration,
    FieldDeclaration,
    Mark,
    Meta,
    SwitchUse,
    Text,
    TypeDeclaration,
    TypeUse,
    Valid,
    closure,
    load_declaration,
)
from kformat.language.expression import BOOLEAN, KERNEL_OPS, Boolean, Expression, ExpressionError, Integer
from kformat.language.types import EXACT, Type

_VARINT_BITS: Final = {5: 32, 10: 64}

MAX_DEPTH: Final = 30
"""Deepest nesting of types in types: bounds every recursion over values."""

MAX_NESTING: Final = 200
"""Deepest nesting of values of recursive types, and of instances that are read for other instances; deeper data is a
LimitError.
"""

MAX_FREE_ELEMENTS: Final = 1 << 20
"""Most list elements that take no bytes, in one parse; more are a LimitError."""

MAX_STEPS: Final = 20_000
"""Most steps of a type with all nested types, lists counted once: bounds the work that does not consume bytes."""


@dataclass(frozen=True, slots=True)
class Enum:
    """A named set of integers: ``members`` maps value to id, ``original_ids`` value to the source's name."""

    name: str
    members: dict[int, str]
    original_ids: dict[int, str]
    docs: dict[int, str]

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """``name`` is the field (for a check, the checked field); the step runs only if ``condition`` is true."""

    name: str
    condition: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadInteger(Step):
    """``by_type``: the byte order is the value's own (`TypeProgram.byte_order`), and `little_endian` means nothing."""

    kind: Integer
    little_endian: bool
    enum: Enum | None = None
    by_type: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFloat(Step):
    """``by_type`` as for ReadInteger."""

    bits: int
    little_endian: bool
    by_type: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadVarint(Step):
    max_bytes: int
    zigzag: bool
    kind: Integer
    enum: Enum | None = None


@dataclass(frozen=True, slots=True)
class BitField:
    """Bits of one integer: ``shift`` from the least significant bit, ``width``."""

    name: str
    shift: int
    width: int
    enum: Enum | None

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1

    def of(self, word: Any) -> Any:
        """These bits of an integer, or of each integer in an array."""
        return word >> self.shift & self.mask


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBits(Step):
    """A type of bits alone, read as one big-endian unsigned integer of ``size`` bytes; ``type`` has the names."""

    size: int
    bits: tuple[BitField, ...]
    type: TypeProgram


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBit(Step):
    """``width`` bits, from 1 to `types.MAX_EXACT_BITS`, that share their bytes with other fields.

    Big-endian bits fill a byte from its most significant bit, little-endian ones from its least; the first bits of a
    field that crosses a byte are its most (big) or least (little) significant. ``boolean``: one bit without an enum,
    whose value is a bool. The bits left over in the current byte belong to the stream, across types.
    """

    width: int
    little_endian: bool
    boolean: bool = False
    enum: Enum | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Align(Step):
    """Drops the bits left over in the current byte, if there are any. ``name`` is the next step's."""


@dataclass(frozen=True, slots=True)
class Trim:
    """Where bytes end by their content. Order: read, strip ``pad``, cut at the terminator.

    ``terminator`` is one byte, or as many as a unit of the encoding (then found at multiples of its length only).
    ``delimited``: there is no size, and the bytes are read up to the terminator. Then ``consume`` False leaves it
    unread, ``must_end`` makes its absence an error, and without that the bytes go to the end of the window. With a size
    both mean nothing: the terminator is searched within these bytes, and without one all of them count.
    """

    terminator: bytes | None
    include: bool = False
    consume: bool = True
    must_end: bool = True
    pad: bytes | None = None
    delimited: bool = False


@dataclass(frozen=True, slots=True)
class Process:
    """A function of bytes: ``zlib``, ``xor`` (one integer or bytes), ``rol``, ``ror`` (one integer), or a name that
    `kformat.register_process` has. Applied after `Trim`, once per field.
    """

    name: str
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBytes(Step):
    """``size`` bytes, or all remaining (None), or what `trim` says. With an ``encoding`` they are text
    (`expression.decode_text`: text that is not UTF-8 is preserved).
    """

    size: Expression | None
    encoding: str | None = None
    trim: Trim | None = None
    process: Process | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLiteral(Step):
    contents: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadType(Step):
    """``type`` may still be without steps while the declaration is compiled: look at them when all is compiled.

    ``foreign``: the type is another file's, so its `_parent` is null, and so is `_root` (a file's own type is its own
    root). ``parent`` is what `_parent` is instead of the value that is being read; ``orphan``: it is null.
    """

    type: TypeProgram
    arguments: tuple[tuple[str, Expression], ...] = ()
    foreign: bool = False
    parent: Expression | None = None
    orphan: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOpaque(Step):
    """A type by a name that `kformat.register_type` must have when the value is read (UsageError otherwise)."""

    type_name: str
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """``value`` None is the case ``_``. ``steps`` set the switch's field, or are empty."""

    value: Expression | None
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSwitch(Step):
    """The first case whose value equals ``on``, evaluated once; no case: the field is null.

    Sizes, windows and processes stand in the cases. A sized switch always has a case ``_``: undeclared, it reads bytes.
    """

    on: Expression
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadList(Step):
    """``count`` elements, or up to the one for which ``until`` is true, or as many as fit (both None).

    The element has the list's name. ``until`` and the ``checks`` on each element see it as the local ``_``, and its
    index as ``_index``, as every expression of the element does. An ``until`` list has at least one element.
    ``align``: an Align before each element.
    """

    element: Step
    count: Expression | None
    until: Expression | None = None
    checks: tuple[Check, ...] = ()
    align: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Window(Step):
    """``steps`` within ``size`` bytes (None: all remaining, or what `trim` says), a stream of their own.

    With ``codec`` these bytes are compressed; ``magic`` is the format version for the codec (None: the current one).
    With ``process`` they are processed. Left-over bytes are what neither the steps nor an instance with ``pos`` reads.
    """

    size: Expression | None
    codec: Expression | None
    steps: tuple[Step, ...]
    magic: Expression | None = None
    trim: Trim | None = None
    process: Process | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Step):
    """``rule`` must be true; ``expected`` describes it. Without a rule the value must be one of ``allowed``."""

    rule: Expression | None
    expected: str
    allowed: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEnd(Step):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Checksum(Step):
    """The checksum of the ``length`` bytes from here, or of all to the end of the type (None); stored in `name`.

    ``to_limit``: the type extends to the end of the innermost window.
    """

    algorithm: str
    length: Expression | None
    to_limit: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A user-visible field or instance of a type.

    ``kind`` is integer, float, bytes, text, structure or list; boolean; any (a switch, or a value, without one kind).
    ``value_type`` is its type in expressions; None where only kernels' integers were typed.
    """

    name: str
    kind: str
    optional: bool
    doc: str
    original_id: str
    enum: Enum | None
    type: TypeProgram | None
    derive: Expression | None
    base: str | None
    computed: bool
    mark: Mark = field(compare=False)
    raw: bool = False
    """Not a declared field: the compressed bytes of an inlined payload that was not decompressed."""
    value_type: Type | None = None
    doc_ref: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Instance:
    """An attribute that is computed or read when it is first asked for, and then kept.

    A value instance has ``value``; an integer result becomes a member of ``enum``. Any other reads ``steps`` (which set
    ``field.name``) at ``position``, in bytes from the start of ``stream`` (None: the value's own), or where that stream
    stands (None). The stream stands afterwards where it stood before. ``condition`` false: null, and nothing is read.
    ``checks`` are rules on the result; of a read one they stand in the steps.
    """

    field: Field
    condition: Expression | None = None
    value: Expression | None = None
    enum: Enum | None = None
    checks: tuple[Check, ...] = ()
    stream: Expression | None = None
    position: Expression | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A type's parameter: an attribute of its values, not a field."""

    name: str
    type: Type
    enum: Enum | None = None
    doc: str = ""


@dataclass(frozen=True, slots=True)
class ByteOrder:
    """A byte order that is known when the value is read, before its first step.

    ``on`` None: the enclosing value's order. Otherwise the first case with an equal value says whether it is
    little-endian; a value None is ``_``; no case: the first number read is an InvalidError.
    """

    on: Expression | None
    cases: tuple[tuple[Expression | None, bool], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TypeProgram:
    """One compiled type; ``name`` is its Kaitai name from the file's id down (``record_batch::record``).

    Two are equal if they have the same name and source texts: ``digest`` is their declaration's.
    """

    name: str
    digest: str
    doc: str
    original_id: str
    fields: tuple[Field, ...]
    steps: tuple[Step, ...]
    parameters: tuple[str, ...]
    row: bool
    row_checks: tuple[tuple[str, str], ...]
    bits: tuple[BitField, ...]
    minimum_size: int
    steps_count: int
    """Steps with those of the types in it, lists and recursive types counted once."""
    instances: tuple[Instance, ...] = ()
    parameter_types: tuple[Parameter, ...] = ()
    """As `parameters`, with their types."""
    to_string: Expression | None = None
    byte_order: ByteOrder | None = None
    """Set if a step of the type, or of one that inherits from it, is `by_type`."""
    is_root: bool = False
    """A file's own type: `_root` is the value itself."""
    keeps_context: bool = False
    """Whether values have `_parent`, `_root` and `_io`. All types of a declaration do, unless it has keys of kformat's
    own (``-row``, ``-checksum``, ...) and neither instances nor one of these words: such values are plain data, which
    keep no buffer alive.
    """
    is_recursive: bool = False
    starts_in_bits: bool = False
    ends_in_bits: bool = False

    def complete(self, **parts: Any) -> None:
        """Fill in a type that other types had to refer to before it was compiled. For the compiler alone."""
        for part, value in parts.items():
            object.__setattr__(self, part, value)

    def __repr__(self) -> str:  # a recursive type would have no end
        return f"<TypeProgram {self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypeProgram) and (self.name, self.digest) == (other.name, other.digest)

    def __hash__(self) -> int:
        return hash((self.name, self.digest))

    @property
    def label(self) -> str:
        """The name's last part: the beginning of paths in errors."""
        return self.name.rsplit("::", 1)[-1]

    def field(self, name: str) -> Field:
        """The field of that name; UsageError if there is none."""
        for candidate in self.fields:
            if candidate.name == name and not candidate.raw:
                return candidate
        names = ", ".join(item.name for item in self.fields if not item.raw)
        raise UsageError(f"{self.name} has no field {name!r} (it has {names})")


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled declaration: its types by Kaitai name (the root under the file's id), its enums by theirs.

    Types and enums of imported files are there, too, as far as they are used.
    """

    declaration: Declaration
    root: TypeProgram
    types: dict[str, TypeProgram]
    enums: dict[str, Enum]

    def __hash__(self) -> int:
        return hash(self.declaration)


# --- what kernels take ---------------------------------------------------------------------------------------------

_IN_WORDS: Final[dict[type[Step], str]] = {
    ReadBit: "bits next to bytes",
    Align: "bits next to bytes",
    ReadOpaque: "an opaque type",
    ReadSwitch: "a switch",
}


def kernel_reason(program: TypeProgram) -> str | None:
    """Why kernels do not take a type, with the path in it (``header.flags: a switch``); None if they do.

    Kernels may still refuse a type for its place (bits or parameters alone) or its size: `kernels.KernelError`.
    """
    found = _reason(program, ())
    return None if found is None else ": ".join(part for part in (".".join(found[0]), found[1]) if part)


_Reason: TypeAlias = tuple[tuple[str, ...], str]
"""A path in a type, and what is there."""


def _reason(program: TypeProgram, outer: tuple[TypeProgram, ...]) -> _Reason | None:
    if program.is_recursive or program in outer:
        return (), "the type contains itself"
    if program.instances:
        return (program.instances[0].field.name,), "an instance"
    if program.byte_order is not None:
        return (), "a byte order known only when the value is read"
    for parameter in program.parameter_types:
        if not _is_kernel_type(parameter.type):
            return (parameter.name,), f"a parameter that is {parameter.type}"
    return _steps_reason(program.steps, (*outer, program))


def _steps_reason(steps: Iterable[Step], outer: tuple[TypeProgram, ...]) -> _Reason | None:
    for step in steps:
        found = _step_reason(step, outer)
        if found is not None:
            path, reason = found
            return (path if path[:1] == (step.name,) else (step.name, *path)), reason
    return None


def _step_reason(step: Step, outer: tuple[TypeProgram, ...]) -> _Reason | None:
    """As `kernel_reason`; the path begins inside of the step."""
    expressions: list[Expression | None] = [step.condition]
    inner: _Reason | None = None
    match step:
        case ReadBit() | Align() | ReadOpaque() | ReadSwitch():
            return (), _IN_WORDS[type(step)]
        case ReadBytes() | Window() if step.trim is not None or step.process is not None:
            return (), "bytes that a terminator, a padding or a process changes"
        case ReadBytes():
            expressions.append(step.size)
            if step.encoding is not None and step.encoding.upper() not in ("UTF-8", "ASCII"):
                return (), f"text in {step.encoding}"
        case Window():
            expressions += [step.size, step.codec, step.magic]
            inner = _steps_reason(step.steps, outer)
        case ReadType():
            if step.parent is not None or step.orphan:
                return (), "a parent other than the enclosing value"
            expressions += [node for _, node in step.arguments]
            inner = _reason(step.type, outer)
        case ReadList():
            if step.until is not None:
                return (), "a list up to a condition"
            if step.checks:
                return (), "a rule on the elements of a list"
            expressions.append(step.count)
            inner = _step_reason(step.element, outer)
            if inner is None and _minimum_size([step.element]) == 0:
                return (), "a list of elements that may take no bytes"
        case Check():
            expressions.append(step.rule)
        case Checksum():
            expressions.append(step.length)
    for node in expressions:
        if node is not None and not _is_kernel_expression(node):
            return (), f"the expression {node}"
    return inner


def _is_kernel_type(kind: Type) -> bool:
    return isinstance(kind, Boolean) or (isinstance(kind, Integer) and kind.bits <= 64)


def _is_kernel_expression(node: Expression) -> bool:
    if node.op not in KERNEL_OPS or node.type == EXACT or not _is_kernel_type(node.type):
        return False
    if node.op == "name" and any(word.startswith("_") for word in node.value):
        return False
    return all(map(_is_kernel_expression, node.arguments))


# --- compiling -----------------------------------------------------------------------------------------------------


def _refuse(text: Text, error: ExpressionError) -> NoReturn:
    text.mark.refuse(f"{error.message} (column {error.column + 1} of {text.text!r})")


class _Scope:
    """The names available to a type's expressions (fields so far, parameters), and the scope for types and enums."""

    def __init__(self, compiler: _Compiler, chain: tuple[TypeDeclaration, ...], declaration: Declaration) -> None:
        self.compiler, self.chain, self.declaration = compiler, chain, declaration
        self.names: dict[tuple[str, ...], Expression] = {}
        self.other: dict[str, str] = {}

    def inner(self, chain: tuple[TypeDeclaration, ...], declaration: Declaration) -> _Scope:
        """For an inlined type: sees its own parameters, adds its fields to the outer names."""
        scope = _Scope(self.compiler, chain, declaration)
        scope.other = self.other
        return scope

    def add(self, name: str, kind: Integer | Boolean, low: int | None = None, high: int | None = None) -> None:
        self.names[(name,)] = expression.name((name,), kind, low, high)

    def resolver(self, itself: str | None = None) -> expression.Resolve:
        def resolve(path: tuple[str, ...]) -> Expression:
            if "::" in path:
                whole = path[:-1] if path[-1] == "to_i" and path[-2] != "::" else path
                words = tuple(word for word in whole if word != "::")
                enum = self.compiler.enum(self, words[:-1]) if len(whole) == 2 * len(words) - 1 else None
                for value, member in enum.members.items() if enum else ():
                    if member == words[-1]:
                        return expression.constant(value)
                raise ExpressionError(f"no enum member {''.join(path)!r}")
            if path[0] == "_" and itself is not None:
                path = (itself, *path[1:])
            found = self.names.get(path) or (self.names.get(path[:-1]) if path[-1] in ("value", "to_i") else None)
            if found is not None:
                return found
            if path == ("_io", "eof"):
                raise ExpressionError("_io.eof can only be the whole rule of a field of size 0")
            if path[0].startswith("_"):
                raise ExpressionError(f"{'.'.join(path)!r} is outside of the supported subset")
            if path[0] in self.other:
                raise ExpressionError(f"{path[0]!r} is {self.other[path[0]]}; expressions are over integers")
            raise ExpressionError(f"no field {'.'.join(path)!r} has been read by then")

        return resolve

    def compile(self, text: Text, kind: type[Integer] | type[Boolean], itself: str | None = None) -> Expression:
        try:
            node = expression.parse(text.text, self.resolver(itself))
        except ExpressionError as error:
            _refuse(text, error)
        if expression.is_large(node):
            text.mark.refuse("an expression that is too large after its parameters are inserted")
        if kind is Boolean:
            node = expression.as_condition(node)
        if not isinstance(node.type, kind):
            text.mark.refuse(
                f"{'an integer' if kind is Integer else 'a condition'} is expected, {text.text!r} is {node.type}"
            )
        return node

    def amount(self, text: Text | None) -> Expression | None:
        """A size or count."""
        node = None if text is None else self.compile(text, Integer)
        if text is not None and node is not None and node.high < 0:
            text.mark.refuse(f"{text.text!r} is always negative")
        return node


class _Compiler:
    def __init__(self) -> None:
        self.types: dict[tuple[str, ...], TypeProgram] = {}
        self.enums: dict[tuple[str, ...], Enum] = {}
        self.compiling: list[tuple[str, ...]] = []

    # names

    def lookup(self, scope: _Scope, use: TypeUse) -> tuple[tuple[TypeDeclaration, ...], Declaration]:
        for depth in range(len(scope.chain), 0, -1):
            chain = _descend(scope.chain[:depth], use.name)
            if chain is not None:
                return chain, scope.declaration
        imported = scope.declaration.imports.get(use.name[0])
        if imported is not None:
            chain = _descend((imported.root,), use.name[1:])
            if chain is not None:
                return chain, imported
        if use.name == (scope.declaration.id,):
            return (scope.chain[0],), scope.declaration
        use.mark.refuse(f"no type {'::'.join(use.name)!r} here (types of other files need an import)")

    def enum(self, scope: _Scope, name: tuple[str, ...]) -> Enum | None:
        for depth in range(len(scope.chain), 0, -1):
            chain = _descend(scope.chain[:depth], name[:-1])
            if chain is not None and name[-1] in chain[-1].enums:
                return self.enum_of(chain[-1], chain[-1].enums[name[-1]])
        return None

    def enum_of(self, owner: TypeDeclaration, declared: EnumDeclaration) -> Enum:
        key = (*owner.name, declared.name)
        if key not in self.enums:
            members = declared.members
            self.enums[key] = Enum(
                "::".join(key),
                {member.value: member.id for member in members},
                {member.value: member.original_id for member in members if member.original_id},
                {member.value: member.doc for member in members if member.doc},
            )
        return self.enums[key]

    # types

    def type(self, chain: tuple[TypeDeclaration, ...], declaration: Declaration) -> TypeProgram:
        declared = chain[-1]
        if declared.name not in self.types:
            if declared.name in self.compiling:
                declared.mark.refuse("the type contains itself, which is outside of the supported subset")
            self.enter(declared)
            self.types[declared.name] = _TypeCompiler(self, chain, declaration).compile()
            self.compiling.pop()
        return self.types[declared.name]

    def enter(self, declared: TypeDeclaration) -> None:
        if len(self.compiling) == MAX_DEPTH:
            declared.mark.refuse(f"types nested more than {MAX_DEPTH} deep")
        self.compiling.append(declared.name)


def _descend(chain: tuple[TypeDeclaration, ...], name: tuple[str, ...]) -> tuple[TypeDeclaration, ...] | None:
    for part in name:
        child = chain[-1].types.get(part)
        if child is None:
            return None
        chain = (*chain, child)
    return chain


def _integer_type(text: str) -> Integer:
    return Integer(int(text[1]) * 8, text[0] == "s")


class _TypeCompiler:
    """Compiles one type; inlined structures add to the same lists."""

    def __init__(self, compiler: _Compiler, chain: tuple[TypeDeclaration, ...], declaration: Declaration) -> None:
        self.compiler, self.declared, self.declaration = compiler, chain[-1], declaration
        self.scope = _Scope(compiler, chain, declaration)
        self.fields: list[Field] = []
        self.derivations: list[tuple[Text, Expression]] = []

    def compile(self) -> TypeProgram:
        declared = self.declared
        for parameter in declared.parameters:
            self.scope.add(parameter.id, _integer_type(parameter.type))
        bits = self.bits(declared)
        steps = [] if bits else self.steps(declared, self.scope)
        if bits:
            for item in declared.fields:
                self.bit_rules(item, steps)
        if declared.checksum:
            steps = with_checksum(declared, steps)
        computed = computed_fields(steps)
        fields = tuple(replace(item, computed=item.name in computed) for item in self.fields)
        names = {item.name: item for item in fields}
        self.check_derivations()
        for check in declared.checks:
            if check.field not in names or names[check.field].kind != "integer":
                check.mark.refuse(f"{check.field!r} is not an integer field of this type")
        steps_count = _count_steps(steps)
        if steps_count > MAX_STEPS:
            declared.mark.refuse(f"{steps_count} fields, those of the types in it counted; {MAX_STEPS} are supported")
        return TypeProgram(
            name="::".join(declared.name),
            digest=self.declaration.digest,
            doc=declared.doc,
            original_id=declared.original_id,
            fields=fields,
            steps=tuple(steps),
            parameters=tuple(parameter.id for parameter in declared.parameters),
            row=declared.row,
            row_checks=tuple((check.rule, check.field) for check in declared.checks),
            bits=bits,
            minimum_size=sum(item.width for item in bits) // 8 if bits else _minimum_size(steps),
            steps_count=steps_count,
        )

    # bits

    def bits(self, declared: TypeDeclaration) -> tuple[BitField, ...]:
        widths = [_bit_width(item) for item in declared.fields]
        if not any(widths):
            return ()
        total = sum(widths)
        for item, width in zip(declared.fields, widths, strict=True):
            if not width:
                item.mark.refuse("bits stand in a type of bits alone")
            _only(item, "bits")
            if width > 64:
                item.mark.refuse("more than 64 bits in one field")
        if total % 8 or total > 64:
            declared.mark.refuse(f"{total} bits in all; a type of bits takes 8, 16, ... or 64 of them")
        found, shift = [], total
        for item, width in zip(declared.fields, widths, strict=True):
            shift -= width
            found.append(BitField(item.id, shift, width, self.enum(item, self.scope)))
        return tuple(found)

    def bit_rules(self, item: FieldDeclaration, steps: list[Step]) -> None:
        enum = self.enum(item, self.scope)
        self.scope.add(item.id, Integer(_bit_width(item), False))
        steps += self.checks(item, self.scope, enum, None)
        self.add_field(item, self.scope, "integer", enum, None)

    # steps

    def steps(self, declared: TypeDeclaration, scope: _Scope) -> list[Step]:
        steps: list[Step] = []
        for item in declared.fields:
            steps += self.field(item, scope)
        return steps

    def field(self, item: FieldDeclaration, scope: _Scope) -> list[Step]:
        if is_end_check(item):
            _only(item, "an end")
            return [CheckEnd(name=item.id)]
        condition = None if item.condition is None else scope.compile(item.condition, Boolean)
        if item.repeat is not None:
            return [self.list_step(item, scope, condition)]
        if item.payload is not None or isinstance(item.type, TypeUse):
            return self.user_type(item, scope, condition)
        _only(item, _kind(item))
        enum = self.enum(item, scope)
        step = self.primitive(item, scope, condition, enum)
        kind = {ReadInteger: "integer", ReadVarint: "integer", ReadFloat: "float"}.get(type(step), "bytes")
        if isinstance(step, ReadBytes) and step.encoding:
            kind = "text"
        self.announce(item.id, kind, step, condition, scope)
        checks = self.checks(item, scope, enum, condition)
        self.add_field(item, scope, kind, enum, None)
        return [step, *checks]

    def announce(self, name: str, kind: str, step: Step, condition: Expression | None, scope: _Scope) -> None:
        if isinstance(step, ReadInteger | ReadVarint) and condition is None:
            scope.add(name, step.kind)
            if scope is not self.scope:
                self.scope.add(name, step.kind)
        else:
            scope.other[name] = _SHOWN[kind] + " that may be absent" * (condition is not None)

    def primitive(self, item: FieldDeclaration, scope: _Scope, condition: Expression | None, enum: Enum | None) -> Step:
        text = item.type
        if item.contents is not None:
            return ReadLiteral(name=item.id, condition=condition, contents=item.contents)
        if text is None or text == "str":
            encoding = (item.encoding or scope.declaration.encoding) if text == "str" else None
            if text == "str" and (encoding or "").upper() not in ("UTF-8", "ASCII"):
                item.mark.refuse("text needs an encoding: UTF-8 or ASCII")
            if (item.size is None) == (not item.size_eos):
                item.mark.refuse("bytes and text need either size or size-eos")
            size = scope.amount(item.size)
            return ReadBytes(
                name=item.id, condition=condition, size=size, encoding=encoding.upper() if encoding else None
            )
        assert isinstance(text, str)
        order = text[2:] or scope.declaration.endian
        if order is None and text[1] != "1":
            item.mark.refuse(f"{text} needs a byte order: endian in meta, or {text}be or {text}le")
        little = order == "le"
        if text[0] == "f":
            return ReadFloat(name=item.id, condition=condition, bits=int(text[1]) * 8, little_endian=little)
        return ReadInteger(name=item.id, condition=condition, kind=_integer_type(text), little_endian=little, enum=enum)

    def list_step(self, item: FieldDeclaration, scope: _Scope, condition: Expression | None) -> Step:
        count = scope.amount(item.repeat_expr)
        if isinstance(item.type, TypeUse):
            chain, declaration = self.compiler.lookup(scope, item.type)
            _only(item, "a list of varints" if chain[-1].intrinsic else "a list of structures")
            element = self.reference(item, item.type, chain, declaration, scope, None)
        else:
            _only(item, f"a list of {_PLURALS[_kind(item)]}")
            element = self.primitive(item, scope, None, self.enum(item, scope))
        if _minimum_size([element]) == 0:
            item.mark.refuse("the elements of a list must take at least one byte each")
        scope.other[item.id] = "a list"
        self.add_field(item, scope, "list", self.enum(item, scope), getattr(element, "type", None))
        return ReadList(name=item.id, condition=condition, element=element, count=count)

    def user_type(self, item: FieldDeclaration, scope: _Scope, condition: Expression | None) -> list[Step]:
        use = item.payload.type if item.payload is not None else item.type
        assert isinstance(use, TypeUse)
        chain, declaration = self.compiler.lookup(scope, use)
        _only(item, "a payload" if item.payload else "a varint" if chain[-1].intrinsic else "a structure")
        sized = item.size is not None or item.size_eos
        size = scope.amount(item.size)
        codec = None if item.payload is None else scope.compile(item.payload.codec, Integer)
        magic_text = None if item.payload is None else item.payload.magic
        magic = None if magic_text is None else scope.compile(magic_text, Integer)
        if item.payload is not None and not sized:
            item.mark.refuse("a payload needs size or size-eos")
        if item.inline:
            if condition is not None:
                item.mark.refuse("an inlined structure cannot have a condition")
            inner = self.inline(item, use, chain, declaration, scope)
            if not sized:
                return inner
            if codec is not None:
                self.add_field(item, scope, "bytes", None, None, raw=True)
            return [Window(name=item.id, size=size, codec=codec, steps=tuple(inner), magic=magic)]
        step = self.reference(item, use, chain, declaration, scope, None if sized else condition)
        steps: list[Step] = [step]
        if sized:
            if isinstance(step, ReadVarint):
                item.mark.refuse("a varint has its own size")
            steps = [Window(name=item.id, condition=condition, size=size, codec=codec, steps=(step,), magic=magic)]
        if isinstance(step, ReadVarint):
            self.announce(item.id, "integer", step, condition, scope)
            steps += self.checks(item, scope, step.enum, condition)
            self.add_field(item, scope, "integer", step.enum, None)
            return steps
        kind = step.type  # type: ignore[attr-defined]
        if isinstance(step, ReadBits) and condition is None:
            for bit in step.bits:
                self.scope.names[(item.id, bit.name)] = expression.name((item.id, bit.name), Integer(bit.width, False))
                scope.names[(item.id, bit.name)] = self.scope.names[(item.id, bit.name)]
        scope.other[item.id] = "a structure"
        self.add_field(item, scope, "structure", None, kind)
        return steps

    def reference(
        self,
        item: FieldDeclaration,
        use: TypeUse,
        chain: tuple[TypeDeclaration, ...],
        declaration: Declaration,
        scope: _Scope,
        condition: Expression | None,
    ) -> Step:
        declared = chain[-1]
        arguments = self.arguments(use, declared, scope)
        if declared.intrinsic:
            known = arguments[0] if len(arguments) == 1 else None
            if known is None or not known.is_constant or known.value not in _VARINT_BITS:
                use.mark.refuse(f"{'::'.join(use.name)} takes the largest number of bytes, 5 or 10")
            zigzag = declared.intrinsic == "zigzag"
            kind = Integer(_VARINT_BITS[known.value], zigzag)
            enum = self.enum(item, scope)
            return ReadVarint(
                name=item.id, condition=condition, max_bytes=known.value, zigzag=zigzag, kind=kind, enum=enum
            )
        program = self.compiler.type(chain, declaration)
        if program.bits:
            size = sum(bit.width for bit in program.bits) // 8
            return ReadBits(name=item.id, condition=condition, size=size, bits=program.bits, type=program)
        named = tuple((parameter.id, node) for parameter, node in zip(declared.parameters, arguments, strict=True))
        return ReadType(name=item.id, condition=condition, type=program, arguments=named)

    def arguments(self, use: TypeUse, declared: TypeDeclaration, scope: _Scope) -> list[Expression]:
        if len(use.arguments) != len(declared.parameters):
            use.mark.refuse(
                f"{'::'.join(use.name)} takes {len(declared.parameters)} arguments, {len(use.arguments)} are given"
            )
        found = [scope.compile(argument, Integer) for argument in use.arguments]
        for parameter, node in zip(declared.parameters, found, strict=True):
            kind = _integer_type(parameter.type)
            if node.low < kind.low or node.high > kind.high:
                use.mark.refuse(f"{node} can be {node.low} to {node.high}; the parameter {parameter.id!r} is {kind}")
        return found

    def inline(
        self,
        item: FieldDeclaration,
        use: TypeUse,
        chain: tuple[TypeDeclaration, ...],
        declaration: Declaration,
        scope: _Scope,
    ) -> list[Step]:
        declared = chain[-1]
        if declared.intrinsic:
            item.mark.refuse("a varint cannot be inlined")
        if declared.name in self.compiler.compiling:
            declared.mark.refuse("the type contains itself, which is outside of the supported subset")
        if declared.checksum is not None or declared.checks:
            item.mark.refuse("a type with -checksum or -check cannot be inlined")
        if any(_bit_width(child) for child in declared.fields):
            item.mark.refuse("a type of bits cannot be inlined")
        inner = scope.inner(chain, declaration)
        for parameter, argument in zip(declared.parameters, self.arguments(use, declared, scope), strict=True):
            inner.names[(parameter.id,)] = argument
        self.compiler.enter(declared)
        steps = self.steps(declared, inner)
        self.compiler.compiling.pop()
        parameters = {parameter.id for parameter in declared.parameters}
        for path, node in inner.names.items():
            if path[0] not in parameters:  # Kaitai reaches these fields only through the structure: `head.magic`
                scope.names[(item.id, *path)] = self.scope.names[(item.id, *path)] = node
        return steps

    # rules

    def enum(self, item: FieldDeclaration, scope: _Scope) -> Enum | None:
        if item.enum is None:
            return None
        found = self.compiler.enum(scope, item.enum)
        if found is None:
            item.keys["enum"].refuse(f"no enum {'::'.join(item.enum)!r} here")
        return found

    def checks(
        self, item: FieldDeclaration, scope: _Scope, enum: Enum | None, condition: Expression | None
    ) -> list[Step]:
        valid = item.valid
        if valid is None:
            return []
        known = scope.names.get((item.id,))
        if known is None:
            return [self.check_constant(item, valid, condition)]

        def check(rule: Expression, expected: str) -> Check:
            return Check(name=item.id, condition=condition, rule=rule, expected=expected)

        steps: list[Step] = []
        low, high = known.low, known.high
        for text, sign in ((valid.equal, "=="), (valid.minimum, ">="), (valid.maximum, "<=")):
            if text is not None:
                bound = scope.compile(text, Integer, item.id)
                steps.append(
                    check(expression.combine(sign, known, bound), f"{bound}" if sign == "==" else f"{sign} {bound}")
                )
                low = max(low, bound.low) if sign != "<=" else low
                high = min(high, bound.high) if sign != ">=" else high
        if valid.any_of:
            nodes = [scope.compile(text, Integer, item.id) for text in valid.any_of]
            rule = expression.any_of([expression.combine("==", known, node) for node in nodes])
            steps.append(check(rule, "one of " + ", ".join(map(str, nodes))))
        if valid.in_enum:
            if enum is None:
                valid.mark.refuse("in-enum needs a field with an enum")
            members = [expression.constant(value) for value in enum.members]
            rule = expression.any_of([expression.combine("==", known, member) for member in members])
            names = ", ".join(f"{value} {name}" for value, name in enum.members.items())
            steps.append(check(rule, f"one of {names}"))
        if valid.expression is not None:
            rule = scope.compile(valid.expression, Boolean, item.id)
            steps.append(check(rule, in_words(rule, known)))
        if low > high:
            valid.mark.refuse("no value can satisfy this")
        if known.op == "name":
            for known_names in {id(found): found for found in (scope.names, self.scope.names)}.values():
                known_names[(item.id,)] = expression.name((item.id,), known.type, low, high)
        return steps

    def check_constant(self, item: FieldDeclaration, valid: Valid, condition: Expression | None) -> Check:
        values = [text for text in (valid.equal, *valid.any_of) if text is not None]
        if not values or valid.minimum or valid.maximum or valid.expression or valid.in_enum or item.type != "str":
            valid.mark.refuse("a rule is supported on integers that are always there, and eq and any-of on text")
        allowed = []
        for text in values:
            quoted = text.text.strip()
            if len(quoted) < 2 or quoted[0] != quoted[-1] or quoted[0] not in "'\"":
                text.mark.refuse(f"text in quotes is expected, found {text.text!r}")
            allowed.append(quoted[1:-1])
        expected = "one of " * (len(allowed) > 1) + ", ".join(map(repr, allowed))
        return Check(name=item.id, condition=condition, rule=None, expected=expected, allowed=tuple(allowed))

    def add_field(
        self,
        item: FieldDeclaration,
        scope: _Scope,
        kind: str,
        enum: Enum | None,
        program: TypeProgram | None,
        raw: bool = False,
    ) -> None:
        if any(known.name == item.id for known in self.fields) or item.id in self.declared_parameters():
            item.mark.refuse(
                f"the name {item.id!r} is taken by another field or parameter of the structure (inlined ones count)"
            )
        self.fields.append(
            Field(
                name=item.id,
                kind=kind,
                optional=item.condition is not None or raw,
                doc=item.doc,
                original_id=item.original_id,
                enum=enum,
                type=program,
                derive=None if item.derive is None else self.derived(item.derive),
                base=item.base,
                computed=False,
                mark=item.mark,
                raw=raw,
            )
        )

    def declared_parameters(self) -> set[str]:
        return {parameter.id for parameter in self.declared.parameters}

    def check_derivations(self) -> None:
        """Runs when all fields are known: a derivation needs integers that are always present."""
        for text, node in self.derivations:
            for path in sorted(node.names()):
                if path not in self.scope.names or path[0] in self.declared_parameters():
                    text.mark.refuse(f"{'.'.join(path)!r} is not an integer of this structure that is always there")

    def derived(self, text: Text) -> Expression:
        """A derivation may use later fields: names are checked once all fields are known."""

        def resolve(path: tuple[str, ...]) -> Expression:
            if len(path) > 1 and path[-1] in ("value", "to_i"):
                path = path[:-1]
            return self.scope.names.get(path) or expression.name(path, expression.INT64)

        try:
            node = expression.parse(text.text, resolve)
        except ExpressionError as error:
            _refuse(text, error)
        if node.type == BOOLEAN:
            text.mark.refuse("an integer is expected")
        self.derivations.append((text, node))
        return node


def with_checksum(owner: TypeDeclaration, steps: list[Step]) -> list[Step]:
    """The steps with the Checksum that a type declares."""
    declared = owner.checksum
    assert declared is not None
    order = [step.name for step in steps if not isinstance(step, Check | CheckEnd)]
    for name in (declared.field, declared.start):
        if name not in order:
            declared.mark.refuse(f"{name!r} is not a field of this type")
    stored = next(step for step in steps if step.name == declared.field)
    if not isinstance(stored, ReadInteger) or stored.kind != Integer(32, False) or stored.condition is not None:
        declared.mark.refuse(f"{declared.field!r} must be a u4")
    if any(isinstance(step, Check) and step.name == declared.field for step in steps):
        declared.mark.refuse(f"{declared.field!r} has rules of its own")
    if order.index(declared.field) >= order.index(declared.start):
        declared.mark.refuse("a checksum must come before the bytes it covers")
    at = next(index for index, step in enumerate(steps) if step.name == declared.start)
    integers = [step for step in steps[:at] if isinstance(step, ReadInteger | ReadVarint)]
    before: set[tuple[str, ...]] = {(step.name,) for step in integers}
    length: Expression | None = expression.constant(0)
    for step in steps[at:]:
        size = known_size(step, before)
        length = None if length is None or size is None else expression.combine("+", length, size)
    to_limit = length is None and isinstance(steps[-1], CheckEnd)
    check = Checksum(name=declared.field, algorithm=declared.algorithm, length=length, to_limit=to_limit)
    return [*steps[:at], check, *steps[at:]]


_ALWAYS: Final = frozenset({"id", "doc", "doc-ref", "-orig-id"})
_NUMBER: Final = frozenset({"type", "if", "valid", "enum", "-derive", "-base"})
_SIZED: Final = frozenset({"size", "size-eos", "if"})
_REPEATED: Final = frozenset({"repeat", "repeat-expr", "if"})
_KEYS_OF: Final[dict[str, frozenset[str]]] = {
    "an integer": _NUMBER,
    "a varint": _NUMBER,
    "bits": _NUMBER - {"if"},
    "a float": frozenset({"type", "if"}),
    "bytes": _SIZED,
    "text": _SIZED | {"type", "encoding", "valid"},
    "contents": frozenset({"contents", "if"}),
    "a structure": _SIZED | {"type", "-inline"},
    "a payload": _SIZED | {"type", "-inline", "-payload"},
    "an end": frozenset({"size", "valid"}),
    "a list of integers": _REPEATED | {"type", "enum"},
    "a list of varints": _REPEATED | {"type", "enum"},
    "a list of floats": _REPEATED | {"type"},
    "a list of bytes": _REPEATED | {"size"},
    "a list of text": _REPEATED | {"size", "type", "encoding"},
    "a list of contents": _REPEATED | {"contents"},
    "a list of structures": _REPEATED | {"type"},
}
"""The keys allowed for each kind of field; other keys are refused."""

_SHOWN: Final = {"integer": "an integer", "float": "a float", "text": "text", "bytes": "bytes"}

_PLURALS: Final = {
    "an integer": "integers", "a float": "floats",
    "bytes": "bytes", "text": "text", "contents": "contents",
}  # fmt: skip


def _kind(item: FieldDeclaration) -> str:
    """The kind of a field without a user type."""
    if item.contents is not None:
        return "contents"
    if item.type is None or item.type == "str":
        return "bytes" if item.type is None else "text"
    assert isinstance(item.type, str)
    return {"f": "a float", "b": "bits"}.get(item.type[0], "an integer")


def _only(item: FieldDeclaration, kind: str) -> None:
    for key, mark in item.keys.items():
        if key not in _ALWAYS and key not in _KEYS_OF[kind]:
            mark.refuse(f"{key} does not go with {kind}")


def _bit_width(item: FieldDeclaration) -> int:
    return int(item.type[1:]) if isinstance(item.type, str) and item.type[0] == "b" else 0


def in_words(rule: Expression, known: Expression) -> str:
    """A rule's expectation in words: ``>= 0`` rather than ``length >= 0``."""
    if rule.op in ("<", "<=", ">", ">=", "==", "!=") and rule.arguments[0] == known:
        return f"{rule.op} {rule.arguments[1]}".removeprefix("== ")
    return str(rule)


def is_end_check(item: FieldDeclaration) -> bool:
    rule = item.valid.expression if item.valid is not None else None
    return (
        item.size is not None and item.size.text == "0" and rule is not None and rule.text.replace(" ", "") == "_io.eof"
    )


def known_size(step: Step, names: set[tuple[str, ...]]) -> Expression | None:
    """The number of bytes of a step, as an expression over ``names`` alone; None if there is none."""
    if step.condition is not None:
        return None
    match step:
        case ReadInteger():
            return expression.constant(step.kind.bits // 8)
        case ReadFloat():
            return expression.constant(step.bits // 8)
        case ReadBits():
            return expression.constant(step.size)
        case ReadLiteral():
            return expression.constant(len(step.contents))
        case Check() | CheckEnd() | Checksum():
            return expression.constant(0)
        case ReadBytes() | Window() if step.size is not None and step.size.names() <= names:
            return step.size
    return None


def _minimum_size(steps: Iterable[Step]) -> int:
    total = 0
    for step in steps:
        if step.condition is not None:
            continue
        match step:
            case ReadVarint():
                total += 1
            case ReadType():
                total += step.type.minimum_size
            case Window() if step.size is None:
                total += 0 if step.codec is not None else _minimum_size(step.steps)
            case ReadList():
                continue
            case _:
                known = known_size(step, set())
                if known is not None and known.is_constant:
                    total += max(known.value, 0)
    return total


def _count_steps(steps: Iterable[Step]) -> int:
    total = 0
    for step in steps:
        match step:
            case ReadType():
                total += 1 + step.type.steps_count
            case ReadList():
                total += 1 + _count_steps([step.element])
            case Window():
                total += 1 + _count_steps(step.steps)
            case _:
                total += 1
    return total


def computed_fields(steps: Iterable[Step]) -> set[str]:
    """The fields with only one right value, which builders always compute: lengths, counts, checksums."""
    found: set[str] = set()
    for step in steps:
        known = None
        match step:
            case ReadBytes() if step.size is not None:
                known = expression.inverse(step.size)
            case ReadList() if step.count is not None:
                known = expression.inverse(step.count)
            case Window():
                known = None if step.size is None else expression.inverse(step.size)
                found |= computed_fields(step.steps)
            case Checksum():
                found.add(step.name)
        if known is not None and len(known[0]) == 1:
            found.add(known[0][0])
    return found


def _is_for_kernels(declaration: Declaration) -> bool:
    """Whether a declaration has keys of kformat's own, and nothing that kernels do not take.

    Its enums are integers then, and types of bits alone one number, as kernels see them.
    """
    declared = [one for file in closure(declaration) for one in _all_types(file.root)]
    items = [item for one in declared for item in one.fields]
    ours = any(one.row or one.checks or one.checksum or one.intrinsic for one in declared) or any(
        item.inline or item.payload or item.derive or item.base for item in items
    )
    return (
        ours
        and not any(
            one.instances
            or one.to_string
            or one.meta.bit_endian == "le"
            or isinstance(one.meta.endian, EndianSwitch)
            or (len(one.name) > 1 and one.meta != Meta())
            or any(not re.fullmatch(r"[su][1248](le|be)?", parameter.type) for parameter in one.parameters)
            for one in declared
        )
        and not any(
            isinstance(item.type, SwitchUse)
            or item.type == "strz"
            or (isinstance(item.type, str) and re.fullmatch(r"b[0-9]+[lb]e", item.type))
            or item.id.startswith("_")
            or not _NEW_KEYS.isdisjoint(item.keys)
            for item in items
        )
    )


_NEW_KEYS: Final = frozenset(
    ("process", "terminator", "include", "consume", "eos-error", "pad-right", "repeat-until", "parent")
)


def _all_types(declared: TypeDeclaration) -> Iterable[TypeDeclaration]:
    yield declared
    for child in declared.types.values():
        yield from _all_types(child)


def compile_declaration(declaration: Declaration) -> Program:
    """Compile a declaration and all its types.

    Raises:
        DeclarationError: with file, line and key of the first complaint, and all others.
    """
    if not _is_for_kernels(declaration):
        return compiler_of_all.compile_whole(declaration)
    compiler = _Compiler()
    root_declared = declaration.root

    def walk(chain: tuple[TypeDeclaration, ...]) -> None:
        declared = chain[-1]
        for enum in declared.enums.values():
            compiler.enum_of(declared, enum)
        for child in declared.types.values():
            walk((*chain, child))
        if declared.intrinsic is None:
            compiler.type(chain, declaration)

    walk((root_declared,))
    integers = {item.name for program in compiler.types.values() for item in program.fields if item.kind == "integer"}
    for program in compiler.types.values():
        for item in program.fields:
            if item.base is not None and item.base not in integers:
                item.mark.refuse(f"-base: no type here has an integer field {item.base!r}")
    types = {"::".join(name): program for name, program in compiler.types.items()}
    root = types.get(declaration.id)
    if root is None:
        root_declared.mark.refuse("an intrinsic type is used by other types and has no program of its own")
    return Program(declaration, root, types, {"::".join(name): enum for name, enum in compiler.enums.items()})


@lru_cache(maxsize=64)
def _compiled(declaration: Declaration) -> Program:
    return compile_declaration(declaration)


def load_program(format: Any) -> Program:
    """The program of a shipped format (by name), of a ``.ksy`` file (by path) or of a Declaration; compiled once.

    Raises what `load_declaration` and `compile_declaration` raise.
    """
    return _compiled(load_declaration(format))


def load_type(format: Any) -> TypeProgram:
    """A type: a format's own, or one inside it (``record_batch::record``, ``my.ksy::entry``).

    Raises UsageError if the format has no such type; also the exceptions of `load_program`.
    """
    if isinstance(format, TypeProgram):
        return format
    if isinstance(format, str) and "::" in format:
        name, _, inner = format.partition("::")
        program = load_program(name)
        found = program.types.get(f"{program.root.name}::{inner}")
        if found is None:
            inside = ", ".join(key.partition("::")[2] for key in program.types if "::" in key)
            raise UsageError(f"{program.root.name} has no type {inner!r} (it has {inside or 'none'})")
        return found
    return load_program(format).root


from kformat.language import compiler as compiler_of_all  # noqa: E402  (it needs the steps above)
