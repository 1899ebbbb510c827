"""Types, steps and instances: the intermediate form from which codec, kernels and layout are made.

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
* Every step that reads bytes itself begins at a whole byte: where bits may be left over, an Align with its condition
  comes first. What the step evaluates before it reads (condition, size, arguments) still finds them there: a stream
  with bits left is not at its end. A type with `ends_in_bits` may be left within a byte.
* A field without ``id`` has the name ``_unnamedN`` (N: its index in ``seq``), which no declared name can have.
* Declared names match ``[a-z][a-z0-9_]*``. They may be Python's keywords.
* Types may contain themselves: then `TypeProgram.is_recursive`, and a back end counts the depth (`MAX_NESTING`).

What kernels take is a part of this form, and `kernel_reason` decides which: there, list elements take at least one
byte, so a count cannot cost more than the available bytes, and there is no recursion between types.
"""

from __future__ import annotations

import datetime
import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final

from kformat.errors import UsageError
from kformat.language import expression
from kformat.language.expression import Expression, Integer
from kformat.language.limits import NESTING, most_nesting
from kformat.language.mark import Mark
from kformat.language.node import Node, replaced
from kformat.language.types import Type

if TYPE_CHECKING:
    from kformat.language.declaration import Declaration

MAX_DEPTH: Final = 30
"""Deepest nesting of types in types: bounds every recursion over values."""

MAX_NESTING: Final = most_nesting()
"""Deepest nesting of values of recursive types, and of instances that are read for other instances; deeper data is a
LimitError.
"""

NESTING_BOUND: Final = f"at most {MAX_NESTING} levels; the environment variable {NESTING} raises that up to 2000"
"""What the errors of deeper data expect."""

MAX_FREE_ELEMENTS: Final = 1 << 20
"""Most list elements and structures that take no bytes, in one parse; a long source may have more."""

MAX_STEPS: Final = 20_000
"""Most steps of a type with all nested types, lists counted once: bounds the work that does not consume bytes."""


class Enum(Node):
    """A named set of integers: ``members`` maps value to id, ``original_ids`` value to the source's name."""

    name: str
    members: dict[int, str]
    original_ids: dict[int, str]
    docs: dict[int, str]

    def __hash__(self) -> int:
        return hash(self.name)


UNITS: Final = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}
"""The units of timestamps -> how many are a second."""


class LogicalType(Node):
    """What a stored integer, or stored bytes, mean (``-as``): see `language.logical`.

    ``name``: timestamp, decimal, flags, bool, uuid, ipv4, ipv6, mac or half. Of a timestamp, ``unit`` is s, ms, us or
    ns, and ``epoch`` the number of these from 1970 to where it counts from. ``scale``: the decimal places.
    ``members``: the names of flags; ``bits`` those that are one bit, from the lowest on, ``numbers`` all by name.
    ``little_endian``: the first three parts of a UUID are. ``base64``: a UUID is text of 22 characters.
    """

    UNCOMPARED: ClassVar = frozenset({"bits", "numbers"})

    name: str
    unit: str = ""
    epoch: int = 0
    scale: int = 0
    members: Enum | None = None
    little_endian: bool = False
    bits: tuple[tuple[int, str], ...] = ()
    numbers: Mapping[str, int] | None = None
    base64: bool = False

    def __str__(self) -> str:
        """As ``-as`` has it."""
        if self.unit:
            day = datetime.date(1970, 1, 1) + datetime.timedelta(seconds=self.epoch // UNITS[self.unit])
            return f"timestamp({self.unit}{f', {day}' if self.epoch else ''})"
        if self.members is not None:
            return f"flags({self.members.name.rpartition('::')[2]})"
        if self.name == "decimal":
            return f"decimal({self.scale})"
        return self.name + ("(le)" if self.little_endian else "(base64)" if self.base64 else "")


class Step(Node, kw_only=True):
    """``name`` is the field (for a check, the checked field); the step runs only if ``condition`` is true."""

    name: str
    condition: Expression | None = None


class ReadInteger(Step, kw_only=True):
    """``by_type``: the byte order is the value's own (`TypeProgram.byte_order`), and `little_endian` means nothing."""

    kind: Integer
    little_endian: bool
    enum: Enum | None = None
    by_type: bool = False


class ReadFloat(Step, kw_only=True):
    """``by_type`` as for ReadInteger."""

    bits: int
    little_endian: bool
    by_type: bool = False


class ReadVarint(Step, kw_only=True):
    max_bytes: int
    zigzag: bool
    kind: Integer
    enum: Enum | None = None


class BitField(Node):
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


class ReadBits(Step, kw_only=True):
    """A type of bits alone, read as one big-endian unsigned integer of ``size`` bytes; ``type`` has the names."""

    size: int
    bits: tuple[BitField, ...]
    type: TypeProgram


class ReadBit(Step, kw_only=True):
    """``width`` bits, from 1 to `types.MAX_EXACT_BITS`, that share their bytes with other fields.

    Big-endian bits fill a byte from its most significant bit, little-endian ones from its least; the first bits of a
    field that crosses a byte are its most (big) or least (little) significant. ``boolean``: one bit without an enum,
    whose value is a bool. The bits left over in the current byte belong to the stream, across types.
    """

    width: int
    little_endian: bool
    boolean: bool = False
    enum: Enum | None = None


class Align(Step, kw_only=True):
    """Drops the bits left over in the current byte, if there are any. ``name`` is the next step's."""


class Trim(Node):
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


class ProcessCall(Node):
    """A function of bytes: ``zlib``, ``xor`` (one integer or bytes), ``rol``, ``ror`` (one integer), or a name that
    `kformat.register_process` has. Applied after `Trim`, once per field.
    """

    name: str
    arguments: tuple[Expression, ...] = ()


class ReadBytes(Step, kw_only=True):
    """``size`` bytes, or all remaining (None), or what `trim` says. With an ``encoding`` they are text
    (`expression.decode_text`: text that is not UTF-8 is preserved). ``fill``: a builder writes this byte, as often as
    `size` says, where the value is missing or of no other bytes.
    """

    size: Expression | None
    encoding: str | None = None
    trim: Trim | None = None
    process: ProcessCall | None = None
    fill: int | None = None


class ReadLiteral(Step, kw_only=True):
    contents: bytes


class ReadType(Step, kw_only=True):
    """``type`` may still be without steps while the declaration is compiled: look at them when all is compiled.

    ``foreign``: the type is another file's, so its `_parent` is null, and so is `_root` (a file's own type is its own
    root). ``parent`` is what `_parent` is instead of the value that is being read; ``orphan``: it is null.
    """

    type: TypeProgram
    arguments: tuple[tuple[str, Expression], ...] = ()
    foreign: bool = False
    parent: Expression | None = None
    orphan: bool = False


class ReadOpaque(Step, kw_only=True):
    """A type by a name that `kformat.register_type` must have when the value is read (UsageError otherwise)."""

    type_name: str
    arguments: tuple[Expression, ...] = ()


class Case(Node):
    """``value`` None is the case ``_``. ``steps`` set the switch's field, or are empty."""

    value: Expression | None
    steps: tuple[Step, ...]


class ReadSwitch(Step, kw_only=True):
    """The first case whose value equals ``on``, evaluated once; no case: the field is null.

    Sizes, windows and processes stand in the cases. A sized switch always has a case ``_``: undeclared, it reads bytes.
    """

    on: Expression
    cases: tuple[Case, ...]


class ReadList(Step, kw_only=True):
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


class Window(Step, kw_only=True):
    """``steps`` within ``size`` bytes (None: all remaining, or what `trim` says), a stream of their own.

    With ``codec`` these bytes are compressed; ``magic`` is the format version for the codec (None: the current one).
    With ``process`` they are processed. Left-over bytes are what neither the steps nor an instance with ``pos`` reads.
    """

    size: Expression | None
    codec: Expression | None
    steps: tuple[Step, ...]
    magic: Expression | None = None
    trim: Trim | None = None
    process: ProcessCall | None = None


class Check(Step, kw_only=True):
    """``rule`` must be true; ``expected`` describes it. Without a rule the value must be one of ``allowed``."""

    rule: Expression | None
    expected: str
    allowed: tuple[Any, ...] = ()


class CheckEnd(Step, kw_only=True):
    pass


class Checksum(Step, kw_only=True):
    """The checksum of the ``length`` bytes from here, or of all to the end of the type (None); stored in `name`.

    ``to_limit``: the type extends to the end of the innermost window.

    A checksum of the bytes between two places is three steps, the ``part`` of each is: ``from`` here, ``to`` here, and
    ``check``, where all of them and the stored one have been read. One of a value, ``over``, is one step of that part.

    ``blank``: the field is among the bytes that it covers, and this byte stands for each of its own (of bits: zeros).
    ``base``: the field holds digits of that base, not a number (0). ``inside``: the field is one of the structure
    `name`, or of one in it. ``in_bits``: the first byte that is covered is that in which bits begin.
    A ``check`` or ``over`` has the condition under which the stored one is a checksum.
    """

    algorithm: str
    length: Expression | None
    to_limit: bool = False
    part: str = ""
    over: Expression | None = None
    blank: int | None = None
    base: int = 0
    inside: tuple[str, ...] = ()
    in_bits: bool = False

    @property
    def path(self) -> str:
        """The field that holds it: ``crc``, ``header.crc``."""
        return ".".join((self.name, *self.inside))


class Positions(Node):
    """What a builder puts into a field: where ``target`` begins, or, of ``many``, each element of that list whose index
    is a multiple of ``every``; in bytes from where ``relative_to`` begins (None: the file).
    """

    target: Expression
    many: bool
    every: int
    relative_to: Expression | None

    def __str__(self) -> str:
        text = f"position of {self.target}"
        if self.many:
            nth = "th" if 10 < self.every % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(self.every % 10, "th")
            text = f"positions of {'all' if self.every == 1 else f'every {self.every}{nth}'} of {self.target}"
        return text if self.relative_to is None else f"{text} from {self.relative_to} on"


class Presence(Node):
    """What a builder puts into a field: ``present`` where the field ``of`` is given, ``absent`` where it is null."""

    of: str
    present: int
    absent: int

    def __str__(self) -> str:
        return f"{self.present} if {self.of} is there, else {self.absent}"


class Field(Node):
    """A user-visible field or instance of a type.

    ``kind`` is integer, float, bytes, text, structure or list; boolean; any (a switch, or a value, without one kind).
    ``value_type`` is its type in expressions; None for one that is ``raw``.
    """

    UNCOMPARED: ClassVar = frozenset({"mark"})

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
    mark: Mark
    raw: bool = False
    """Not a declared field: the compressed bytes of an inlined payload that was not decompressed."""
    value_type: Type | None = None
    doc_ref: tuple[str, ...] = ()
    positions: Positions | None = None
    logical: LogicalType | None = None
    """Of a list: what its elements mean."""
    presence: Presence | None = None
    hidden: bool = False
    """JSON and columns leave it out: builders know it."""


class TaggedField(Node):
    """The content of a tag as an attribute of the structure that has the list of tags (``-tagged``).

    Attributes:
        field: the attribute, as the field that holds it in the type of the switch's case.
        tag, default: its number, and its value where no element has that number: None, a number, text, bytes, an empty
            list (``()``), or, of a structure, pairs of names and such values.
        path: the names of the fields that lead to the list from the structure, the list's last.
        number, data, case: in the elements the names of the tag's number and of its content; the type of that.
        before: the field of the structure in front of which it stands; "": after all.
        since: the first release that has it; "": each that has the structure.
    """

    field: Field
    tag: int
    default: Any
    path: tuple[str, ...]
    number: str
    data: str
    case: TypeProgram
    before: str = ""
    since: str = ""


class Instance(Node):
    """An attribute that is computed or read when it is first asked for, and then kept. One that is null, since its
    condition is false, is not kept: the condition is asked again.

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


class Parameter(Node):
    """A type's parameter: an attribute of its values, not a field."""

    name: str
    type: Type
    enum: Enum | None = None
    doc: str = ""


class ByteOrder(Node):
    """A byte order that is known when the value is read, before its first step.

    ``on`` None: the enclosing value's order. Otherwise the first case with an equal value says whether it is
    little-endian; a value None is ``_``; no case: the first number read is an InvalidError.
    """

    on: Expression | None
    cases: tuple[tuple[Expression | None, bool], ...] = ()


class TypeProgram(Node):
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
    own (``-row``, ``-checksum``, ...), and nothing in it needs one of them, as an instance does, or bytes that are kept
    (`Value._kept`): such values are plain data, which keep no buffer alive.
    """
    sync: bool = False
    """Values may be looked for at any byte after damage: their checksum tells."""
    is_watched: bool = False
    """Whether a value instance of another type may follow from a field of this one, so that an edit is noticed."""
    growing: tuple[str, ...] = ()
    """The names of lists, of all types of the declaration, that value instances may ask for while they grow."""
    passing: frozenset[str] = frozenset()
    """The names of fields, of all types of the declaration, from which parameters of types may follow."""
    passes_lists: bool = False
    """Whether a list is among them."""
    absent: frozenset[str] = frozenset()
    """The names of value instances, of all types of the declaration, that may be null because of where a stream stands
    when they are asked for.
    """
    asks_absent: frozenset[str] = frozenset()
    """The names in ``absent``, and those of value instances that depend on them."""
    is_recursive: bool = False
    ends_in_bits: bool = False
    tagged: tuple[TaggedField, ...] = ()
    """The contents of tags that are attributes of its values, by their numbers."""

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


def members_text(members: Mapping[int, str]) -> str:
    """The expected values where ``valid`` is ``in-enum``, in words."""
    return "one of " + ", ".join(f"{value} {name}" for value, name in members.items())


def in_enum_checked(program: TypeProgram) -> frozenset[str]:
    """The fields of a type that hold members of their enums, and no other numbers: their ``valid`` says so."""
    enums = {item.name: members_text(item.enum.members) for item in program.fields if item.enum is not None}
    checks = (step for step in program.steps if isinstance(step, Check))
    return frozenset(check.name for check in checks if check.expected == enums.get(check.name))


class Program(Node):
    """A compiled declaration: its types by Kaitai name (the root under the file's id), its enums by theirs.

    A type comes after those that it uses. Types and enums of imported files are there, too, as far as they are used.
    """

    UNCOMPARED: ClassVar = frozenset({"origin"})

    origin: Declaration | str
    """Its declaration, or the name of a shipped one."""
    root: TypeProgram
    types: dict[str, TypeProgram]
    enums: dict[str, Enum]

    def __hash__(self) -> int:
        return hash(self.root)

    @property
    def declaration(self) -> Declaration:
        """The declaration that was compiled; read from its text if necessary."""
        if not isinstance(self.origin, str):
            return self.origin
        reading: Any = importlib.import_module("kformat.language.declaration")  # with YAML, which takes milliseconds
        loaded: Declaration = reading.load_declaration(self.origin)
        return loaded


# --- what is in steps ------------------------------------------------------------------------------------------------


def expressions_in(node: Any) -> Iterator[Expression]:
    """All nodes of the expressions in a step, or a tuple of steps, without those of the types that they read."""
    if isinstance(node, Expression):
        yield node
        yield from expressions_in(node.arguments)
    elif isinstance(node, tuple):
        for item in node:
            yield from expressions_in(item)
    elif isinstance(node, Step | Case | Trim | ProcessCall):
        for part in node.parts:
            yield from expressions_in(getattr(node, part))


def nodes_of(node: Any) -> Iterator[Expression]:
    """All nodes of the expressions in a step, an instance, or a tuple of them; not in the types that they read."""
    if isinstance(node, Expression):
        yield node
        yield from nodes_of(node.arguments)
    elif isinstance(node, tuple):
        for item in node:
            yield from nodes_of(item)
    elif isinstance(node, Node) and not isinstance(node, TypeProgram | Field | Enum):
        for part in node.parts:
            yield from nodes_of(getattr(node, part))


def words_of(parts: Any) -> set[str]:
    """The names in the expressions of steps and instances."""
    nodes = [node for node in nodes_of(parts) if node.op in ("name", "member")]
    return {word for node in nodes for word in (node.value if node.op == "name" else (node.value,))}


def case_kind(step: Step) -> str:
    """The kind of a case's value, which distinguishes it from other cases: a type's name, or a word."""
    step = content_of(step)
    match step:
        case ReadType() | ReadBits():
            return step.type.name
        case ReadInteger() | ReadVarint():
            return "integer"
        case ReadFloat():
            return "float"
        case ReadBytes() | ReadLiteral():
            return "text" if isinstance(step, ReadBytes) and step.encoding is not None else "bytes"
        case ReadBit() if step.width <= 64:
            return "boolean" if step.boolean else "integer"
        case ReadList():
            return "list"
    return "other"


def content_of(step: Step) -> Step:
    """What a window of one value holds; any other step is its own content."""
    while isinstance(step, Window):
        inner = next((candidate for candidate in step.steps if candidate.name == step.name), None)
        if inner is None:
            break
        step = inner
    return step


def case_kinds(step: ReadSwitch) -> dict[str, list[Step]]:
    """The kinds of the cases of a switch, in order, each with the steps that read such a value."""
    kinds: dict[str, list[Step]] = {}
    for case in step.cases:
        for inner in case.steps:
            if not isinstance(inner, Check | Align):
                kinds.setdefault(case_kind(inner), []).append(inner)
    return kinds


_UP_TO: Final = {">=": 0, ">": 1, "==": 0}
"""Comparisons of a position, and how many bytes after the other side a list may end."""


def end_position(step: ReadList) -> tuple[Expression, int] | None:
    """The position up to which a list goes on (``repeat-until: _io.pos >= footer``), and what is to be added to it.

    None for a list that ends otherwise, or if its elements say where.
    """
    until = step.until
    if until is None or until.op not in _UP_TO or str(until.arguments[0]) != "_io.pos":
        return None
    position = until.arguments[1]
    is_known = not any(node.op == "local" for node in nodes_of(position))
    return (position, _UP_TO[until.op]) if is_known else None


# --- sizes ---------------------------------------------------------------------------------------------------------


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
        case ReadSwitch() if any(case.value is None for case in step.cases):
            sizes = {known_size(case.steps[0], names) if len(case.steps) == 1 else None for case in step.cases}
            return sizes.pop() if len(sizes) == 1 else None
    return None


def minimum_size(steps: Iterable[Step]) -> int:
    """A lower bound of the bytes that the steps take."""
    total = bits = 0
    steps = tuple(steps)
    for step in steps:
        if isinstance(step, ReadBit):
            bits += 0 if step.condition is not None else step.width
            continue
        if step.condition is not None or isinstance(step, ReadList | Check | CheckEnd | Checksum | Align):
            continue
        match step:
            case ReadVarint():
                total += 1
            case ReadType():
                total += step.type.minimum_size
            case Window() if step.size is None and not (step.trim is not None and step.trim.delimited):
                plain = step.codec is None and step.process is None and step.trim is None
                total += minimum_size(step.steps) if plain else 0
            case ReadBytes() | Window() if step.trim is not None and step.trim.delimited:
                trim = step.trim
                total += len(trim.terminator or b"") if trim.must_end and trim.consume else 0
            case ReadSwitch():
                sizes = [minimum_size(case.steps) for case in step.cases]
                total += min(sizes) if any(case.value is None for case in step.cases) else 0
            case _:
                known = known_size(step, set())
                if known is not None and known.is_constant:
                    total += max(known.value, 0)
    return total + bits // 8 + _of_either(steps)


_OPPOSITES: Final = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}


_WITHOUT_BYTES: Final = (ReadBit, ReadList, Check, CheckEnd, Checksum, Align)


def _of_either(steps: Sequence[Step]) -> int:
    """A lower bound of the bytes of pairs of steps, one of which is there: their conditions are opposites."""
    total, waiting = 0, dict[tuple[str, tuple[Expression, ...]], int]()
    for step in steps:
        condition = step.condition
        if condition is None or condition.op not in _OPPOSITES or isinstance(step, _WITHOUT_BYTES):
            continue
        size = minimum_size((replaced(step, condition=None),))
        other = waiting.pop((_OPPOSITES[condition.op], condition.arguments), None)
        if other is None:
            waiting[condition.op, condition.arguments] = size
        else:
            total += min(size, other)
    return total


def inner_steps(step: Step) -> Iterable[Step]:
    """The steps within one: the element of a list, those of a window, those of all cases."""
    match step:
        case ReadList():
            return (step.element,)
        case Window():
            return step.steps
        case ReadSwitch():
            return tuple(inner for case in step.cases for inner in case.steps)
    return ()


def takes_the_rest(steps: Iterable[Step]) -> bool:
    """Whether steps may take all bytes up to the end of the stream, or all up to a terminator that may be missing."""
    for step in steps:
        match step:
            case ReadBytes() | Window() if step.trim is not None and step.trim.delimited:
                takes_rest = not step.trim.must_end
            case ReadBytes() | Window():
                takes_rest = step.size is None
            case ReadList():
                takes_rest = (step.count is None and step.until is None) or takes_the_rest((step.element,))
            case ReadType():
                takes_rest = _type_takes_the_rest(step.type)
            case ReadSwitch():
                takes_rest = any(takes_the_rest(case.steps) for case in step.cases)
            case _:
                takes_rest = False
        if takes_rest:
            return True
    return False


@lru_cache(maxsize=1024)
def _type_takes_the_rest(program: TypeProgram) -> bool:
    return program.is_recursive or takes_the_rest(program.steps)


def leaves_bits(steps: Iterable[Step]) -> bool:
    """Whether bits may be left over after steps."""
    return any(
        isinstance(step, ReadBit)
        or (isinstance(step, ReadType) and step.type.ends_in_bits)
        or (not isinstance(step, Window) and leaves_bits(tuple(inner_steps(step))))
        for step in steps
    )


def all_steps(steps: Iterable[Step]) -> Iterator[Step]:
    """Steps, and those within them, but not those of the types that they read."""
    for step in steps:
        yield step
        yield from all_steps(inner_steps(step))


def types_of(steps: Iterable[Step]) -> Iterator[TypeProgram]:
    """The types that steps, and those within them, read; in order, and as often as they do."""
    return (step.type for step in all_steps(steps) if isinstance(step, ReadType))


def reached(root: TypeProgram, with_read: bool = True) -> list[TypeProgram]:
    """A type and all types that it reads; ``with_read``: also those that instances read."""
    types = {root: None}
    pending = [root]
    while pending:
        program = pending.pop()
        steps = program.steps
        if with_read:
            steps = (*steps, *(step for instance in program.instances for step in instance.steps))
        for inner in types_of(steps):
            if inner not in types:
                types[inner] = None
                pending.append(inner)
    return list(types)
