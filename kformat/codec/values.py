"""The objects that parsing returns and building takes: one class per declared type, one IntEnum per declared enum.

A class has the declared names as its only public attributes; a field that is not set raises AttributeError. Two values
are equal if their types and fields are.
"""

from __future__ import annotations

import enum
import importlib
import keyword
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

from kformat.errors import DataError, LimitError, UsageError
from kformat.language.expression import compile_expression
from kformat.language.mark import nearest
from kformat.language.program import Enum, Field, TypeProgram, load_program
from kformat.language.shipped import shipped_names, shipped_program
from kformat.results import html_tree

REST: Final = "_rest"
"""The slot with the bytes after a structure that nothing declares, where they are kept; no declared name is like it."""

ERRORS: Final = "_errors"
"""In dictionaries and JSON: why instances of a structure cannot be read, by their names; builders pass over it."""
PLACE, CONTENT = "place", "content"
"""Keys of an instance's answers in `_said`: where it was read, if that depends on when it was asked for; and what was
read there, as plain data, if that depends on it.
"""

Kept: TypeAlias = str | tuple[str | int, ...]
"""What is kept of a value that was read, in its `_kept`, for a builder to write again while the value is unchanged.
Each is a pair: what was read, and what it was read from.

* ``name``, or ``(name, index)`` of an element: the bytes of a field with a terminator, padding or a process, or of a
  NaN, if they would be built otherwise
* the same and ``"text"``: the content of a text that would be encoded otherwise
* the same and ``"before"``, or ``"after"``: of a byte whose bits are not all declared, how many are not, and these; in
  front of the field, and at the end of its stream. ``("", "after")`` is the end of the value's own.
"""


class Undecided:
    """A value for a builder that differs between the cases of a switch: ``give`` converts it to what a step takes, or
    raises BuildError. A string of JSON may be text, or bytes.
    """

    __slots__ = ("give",)

    def __init__(self, give: Callable[[Any], Any]) -> None:
        self.give = give


MISSING: Any = type("Missing", (), {"__repr__": lambda self: "<missing>", "__bool__": lambda self: False})()
"""Marks a field that is not set; None would mean null."""


_MOST_SHOWN: Final = 8
"""Elements of a list that `repr` shows, if it has no more than twice as many."""
_MOST_DEPTH: Final = 6
_MOST_BYTES: Final = 256
_MOST_ITEMS: Final = 100
"""Elements of a list in a notebook's tree."""


def _shown(value: Any, depth: int) -> str:
    """A value in one line: of what is long, or deep, the beginning, and how much more there is."""
    if isinstance(value, Value):
        if depth > _MOST_DEPTH:
            return f"{type(value).__name__}(...)"
        fields = ((name, getattr(value, name)) for name in value._fields if hasattr(value, name))
        return f"{type(value).__name__}({', '.join(f'{name}={_shown(item, depth + 1)}' for name, item in fields)})"
    if isinstance(value, list):
        count = _MOST_SHOWN if len(value) > 2 * _MOST_SHOWN else len(value)
        more = [f"... {len(value) - count} more"] if len(value) > count else []
        return f"[{', '.join([*(_shown(item, depth + 1) for item in value[:count]), *more])}]"
    if isinstance(value, bytes | str) and len(value) > 2 * _MOST_BYTES:
        return f"{value[:_MOST_BYTES]!r}... {len(value) - _MOST_BYTES} more"
    return repr(value)


def _members(value: Any) -> Iterator[tuple[str, Any]] | None:
    """The names and values within a value, for a tree; None of one that is a leaf."""
    if isinstance(value, Value):
        return ((name, getattr(value, name)) for name in value._fields if hasattr(value, name))
    if isinstance(value, list) and any(isinstance(item, Value | list) for item in value[:_MOST_ITEMS]):
        return ((f"[{number}]", item) for number, item in enumerate(value))
    return None


class Value:
    """Base of all parsed values. ``_type`` is the compiled type, ``_fields`` the names in declared order,
    ``_instances`` those of the instances: they are computed, or read from the bytes, when they are first asked for, and
    then kept. Assigning to an attribute drops those that were computed, in the whole that the value was parsed with.
    ``_tagged`` are the names of tags (``-tagged``), which lie in a list that is one of the fields.
    """

    __slots__ = ()
    _type: ClassVar[TypeProgram]
    _fields: ClassVar[tuple[str, ...]] = ()
    _instances: ClassVar[tuple[str, ...]] = ()
    _tagged: ClassVar[tuple[str, ...]] = ()

    def __init__(self, /, **fields: Any) -> None:
        tags = [name for name in self._tagged if name in fields]  # after the list that holds them
        for name, value in fields.items():
            if name not in self._fields and name not in self._instances and name not in tags:
                self._type.field(name)
            if name not in tags:
                object.__setattr__(self, name, value)
        for name in tags:
            object.__setattr__(self, name, fields[name])

    def _asdict(self, instances: bool = False) -> dict[str, Any]:
        """Recursively convert to plain dictionaries, lists and scalars; fields that are not set are left out.

        With ``instances`` these are computed and read, too, in declared order, those of the structures in a value
        before its own; ``_errors`` has the text of the DataError by the name of each one that cannot be. Raises
        LimitError where instances read the same bytes again and again.
        """
        if instances:
            self._refresh()
        return self._plain(instances)

    def _plain(self, instances: bool) -> dict[str, Any]:
        names, errors = (*self._fields, *self._instances) if instances else self._fields, dict[str, DataError]()
        try:
            attributes = {
                name: plain(it, instances) for name in names if (it := asked(self, name, errors)) is not MISSING
            }
            return {**attributes, ERRORS: {name: str(it) for name, it in errors.items()}} if errors else attributes
        except RecursionError:  # an instance may read its own structure again, and so on
            raise LimitError("nested too deeply") from None

    def _fetch_instances(self) -> None:
        """Read all instances that are read from bytes, of this value and of all in it, so that errors show now.

        Raises what they raise when they are asked for. Instances that are only computed are left until then.
        """
        if FETCH.instances is not None:
            FETCH.instances(self)

    def _refresh(self) -> None:
        """Have value instances computed again when they are asked for: needed after a list was changed in place.

        They are computed from the fields as they are, and from what the stream answered when they were first asked for.
        """
        state = _state_of(self)
        if state is not None:
            state.forget()
            if self._type.passes_lists:
                _give_again(self, state)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value) or self._type.name != other._type.name:
            return NotImplemented
        return all(getattr(self, name, MISSING) == getattr(other, name, MISSING) for name in self._fields)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return _shown(self, 0)

    def _repr_html_(self) -> str:
        return html_tree(type(self).__name__, self, _members, most=_MOST_ITEMS)

    def __str__(self) -> str:
        text = self._type.to_string
        return repr(self) if text is None else str(compile_expression(text)(self))

    def __copy__(self) -> Value:
        memo: dict[int, Any] = {id(self): object.__new__(type(self))}
        return _filled(self, memo)

    def __deepcopy__(self, memo: dict[int, Any]) -> Value:
        pending, values = [self], list[Value]()
        while pending:
            value = pending.pop()
            if id(value) not in memo:
                memo[id(value)] = object.__new__(type(value))
                values.append(value)
                for item in _content(value).values():
                    items = item if isinstance(item, list) else (item,)
                    pending += [inner for inner in items if isinstance(inner, Value)]
        for value in values:
            _filled(value, memo)
        made: Value = memo[id(self)]
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        # All values that can be reached, in one list: instances may form cycles, and nest deeply. LimitError where they
        # never end.
        records, numbers, pending = list[tuple[Value, Any, Any]](), dict[int, _PickledPlace](), [self]
        while pending:
            owner = pending.pop()
            if id(owner) in numbers:
                continue
            numbers[id(owner)] = _PickledPlace(len(records))
            names = (*owner._fields, *owner._instances)
            fields = {name: it for name in names if (it := asked(owner, name)) is not MISSING}
            extra = {name: getattr(owner, name) for name in (REST, "_kept") if hasattr(owner, name)}
            records.append((owner, fields, extra))
            pending += reversed(_values_in((fields, extra)))

        def place(value: Any) -> Any:
            return numbers[id(value)]

        return _restore, (
            [(owner._type, _mapped(fields, place), _mapped(extra, place)) for owner, fields, extra in records],
        )


class _PickledPlace(NamedTuple):
    """A value in a pickle: its number there."""

    number: int


def _values_in(content: Any) -> list[Value]:
    """The values in a field, and in lists in it, in order."""
    if isinstance(content, Value):
        return [content]
    items = content.values() if isinstance(content, dict) else content if isinstance(content, list | tuple) else ()
    return [value for item in items for value in _values_in(item)]


def _mapped(content: Any, give: Callable[[Any], Any]) -> Any:
    """A field with each value, or place, in it replaced by what ``give`` returns. Enum classes are made at run time, so
    members are pickled as integers and looked up again."""
    if isinstance(content, Value | _PickledPlace):
        return give(content)
    if isinstance(content, list):
        return [_mapped(item, give) for item in content]
    if isinstance(content, tuple):
        return tuple(_mapped(item, give) for item in content)
    if isinstance(content, dict):
        return {key: _mapped(item, give) for key, item in content.items()}
    return int(content) if isinstance(content, enum.IntEnum) else content


class InstanceAttribute:
    """The class attribute of an instance, looked up while it is not in a value's ``__dict__``. Its reader is compiled
    at first use, and takes this object's place in the class: a descriptor whose ``__get__`` is the generated function.
    """

    __slots__ = ("kind", "name", "program")

    def __init__(self, program: TypeProgram, name: str) -> None:
        self.program, self.name = program, name

    def __set_name__(self, owner: type[Value], name: str) -> None:
        self.kind = owner

    def __get__(self, value: Value | None, owner: type[Value] | None = None) -> Any:
        if value is None:
            return self
        if INSTANCES.reader is None:
            raise AttributeError(f"{self.name} is not set", name=self.name, obj=value)
        read = INSTANCES.reader(self.program, self.name)
        setattr(self.kind, self.name, type("Instance", (), {"__slots__": (), "__get__": read})())
        return getattr(value, self.name)


def _content(value: Value) -> dict[str, Any]:
    """The fields and instances that a value has, without computed instances if they can be computed again."""
    kept: dict[str, Any] = getattr(value, "__dict__", {})
    again = (
        set() if _state_of(value) is None else {it.field.name for it in value._type.instances if it.value is not None}
    )
    return {name: getattr(value, name) for name in value._fields if hasattr(value, name)} | {
        name: instance for name, instance in kept.items() if name not in again
    }


def _filled(value: Value, memo: dict[int, Any]) -> Value:
    """Fill and return the copy of a value that ``memo`` has. Lists are copied, and values that are in ``memo``
    replaced; streams, and a parent that is not copied, are shared.
    """
    made: Value = memo[id(value)]
    content = _content(value)
    for name, item in content.items():
        object.__setattr__(made, name, _replaced(item, memo, makes_lists=True))
    names = {name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())}
    for name in names - {*content, *value._instances, "__dict__"}:
        if hasattr(value, name):
            object.__setattr__(made, name, _replaced(getattr(value, name), memo))
    return made


def _replaced(content: Any, memo: dict[int, Any], makes_lists: bool = False) -> Any:
    """The content of a copy in place of that of the value. ``makes_lists``: copy a list that ``memo`` does not have."""
    if id(content) in memo:
        return memo[id(content)]
    if isinstance(content, list) and makes_lists:
        memo[id(content)] = [_replaced(item, memo, makes_lists) for item in content]
        return memo[id(content)]
    if isinstance(content, dict):
        moved = ((key, _replaced(item, memo)) for key, item in content.items())
        return {_key(key, item): item for key, item in moved}
    if isinstance(content, tuple):
        return tuple(_replaced(item, memo) for item in content)
    return bytearray(content) if isinstance(content, bytearray) else content


def _key(key: Any, item: Any) -> Any:
    """The key of a remembered answer: for that of an instance, the identity of its value, and its name."""
    return (id(item[0]), key[1]) if isinstance(key, tuple) and isinstance(key[0], int) else key


def held(value: Value, name: str) -> Any:
    """A field, or an instance if it has been read: `MISSING` if it is not set."""
    return value.__dict__.get(name, MISSING) if name in value._instances else getattr(value, name, MISSING)


def noted(value: Value, name: str) -> Any:
    """An attribute of a value besides its fields, or None; faster than getattr where it is not set."""
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return None


def asked(value: Any, name: str, errors: dict[str, DataError] | None = None) -> Any:
    """A field, or an instance, which is read if it is not set: `MISSING` where there is none, or it cannot be read;
    ``errors`` then gets the reason. Raises LimitError.
    """
    try:
        return getattr(value, name, MISSING)
    except LimitError:
        raise
    except DataError as error:
        if errors is not None:
            errors[name] = error
        return MISSING


class FETCH:
    """Where `leftover` puts the function that reads all instances of a value."""

    instances: ClassVar[Callable[[Value], None] | None] = None


class GIVE:
    """Where `arguments` puts the function that computes the parameters of all structures in a value again."""

    again: ClassVar[Callable[[Value], None] | None] = None


class INSTANCES:
    """Where `parsing` puts the function that returns the reader of an instance of a type."""

    reader: ClassVar[Callable[[TypeProgram, str], Callable[..., Any]] | None] = None


def _with_enums(value: Any, members: dict[int, int]) -> Any:
    return [members.get(item, item) for item in value] if isinstance(value, list) else members.get(value, value)


def plain(value: Any, instances: bool = False) -> Any:
    """A value as `_asdict` has it."""
    if isinstance(value, Value):
        return value._plain(instances)
    if isinstance(value, list):
        return [plain(item, instances) for item in value]
    return value


def _restore(records: list[tuple[TypeProgram, dict[str, Any], dict[str, Any]]]) -> Value:
    values = [value_class(program)() for program, _, _ in records]

    def value_at(place: Any) -> Any:
        return values[place.number]

    for value, (program, fields, extra) in zip(values, records, strict=True):
        fields = _mapped(fields, value_at)
        for field in (*program.fields, *(instance.field for instance in program.instances)):
            if field.enum is not None and field.name in fields:
                fields[field.name] = _with_enums(fields[field.name], enum_values(field.enum))
        for name, it in (fields | _mapped(extra, value_at)).items():
            object.__setattr__(value, name, it)
    return values[0]


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


_classes: Final[dict[TypeProgram, type[Value]]] = {}
_enums: Final[dict[Enum, type[enum.IntEnum]]] = {}
"""The classes and enums of shipped declarations, which `kformat.generated.values` names: they are never dropped."""
_used: Final[WeakValueDictionary[TypeProgram, type[Value]]] = WeakValueDictionary()
"""The classes that a parser, or a value, still uses: a type has one class, however many others were made since."""


@lru_cache(maxsize=1024)
def value_class(program: TypeProgram) -> type[Value]:
    """The class of a type's values; while a value is parsed, it also holds the type's parameters."""
    made = _classes.get(program) or _used.get(program) or _value_class(program)
    _used[program] = made
    shipped = shipped_program(program.name.partition("::")[0])
    if shipped is not None and program == shipped.types.get(program.name):
        _classes[program] = made
        _enums.update((field.enum, enum_class(field.enum)) for field in program.fields if field.enum is not None)
    return made


def _value_class(program: TypeProgram) -> type[Value]:
    names = tuple(field.name for field in program.fields)
    instances = tuple(instance.field.name for instance in program.instances)
    slots = [*names, *program.parameters, *(item.name for item in program.parameter_types)]
    if program.keeps_context:
        slots += ["_parent", "_root", "_io", "_order", REST, "_kept", *(["_given"] if program.parameters else [])]
    elif program.byte_order is not None:
        slots.append("_order")
    namespace: dict[str, Any] = {
        "__slots__": tuple(dict.fromkeys(slots)),
        "__doc__": program.doc or f"A value of {program.name}.",
        "__module__": __name__,
        "_type": program,
        "_fields": names,
        "_instances": instances,
        "__init__": object.__init__,  # a call of the class is faster than one of its __new__
    }
    if instances:
        namespace["__slots__"] = (*namespace["__slots__"], "_said", "__dict__")
        namespace |= {name: InstanceAttribute(program, name) for name in instances}
    if program.tagged:
        namespace |= importlib.import_module("kformat.codec.tags").attributes_of(program)
        namespace["_tagged"] = tuple(tagged.field.name for tagged in program.tagged)
    made = type(_camel(program.label), (Value,), namespace)
    namespace = {"__slots__": (), "__doc__": made.__doc__, "__module__": __name__}
    namespace |= {"__init__": Value.__init__, "__getattr__": _absent, "__setattr__": _set}
    if instances or program.is_watched:
        namespace["__delattr__"] = _delete
    return type(made.__name__, (made,), namespace)


def parsed_class(program: TypeProgram) -> type[Value]:
    """The class of a type's values while they are parsed: the base of `value_class`, which sets attributes without
    checking their names.
    """
    return value_class(program).__base__  # type: ignore[return-value]


class _NoAttribute(AttributeError):
    """An attribute that the values of a type do not have. The nearest name is looked for when the error is shown,
    because most of these are never shown."""

    def __init__(self, value: Value, name: str) -> None:
        super().__init__(f"{value._type.name} has no field {name!r}", name=name, obj=value)

    def __str__(self) -> str:
        value: Any = self.obj
        return f"{super().__str__()}{nearest(str(self.name), (*value._fields, *value._tagged, *value._instances))}"


def _absent(self: Value, name: str) -> Any:
    """Raise the error that says why an attribute is not set; called where Python has not found it."""
    for kind in type(self).__mro__:
        if name in vars(kind):  # a field that is not set, or an instance that asked for one: once more, for its words
            return vars(kind)[name].__get__(self, type(self))
    raise _NoAttribute(self, name)


def _set(self: Value, name: str, value: Any) -> None:
    if not hasattr(type(self), name):
        raise _NoAttribute(self, name)
    for instance in self._type.instances if name in self._instances else ():
        if instance.field.name == name and instance.value is not None:
            words = f"{self._type.name}.{name} is computed, as {instance.value}: set what it follows from"
            raise AttributeError(words, name=name, obj=self)
    object.__setattr__(self, name, value)
    state = _state_of(self) if self._instances or self._type.is_watched else None
    if state is None:  # else instances of other values may follow from it
        return
    for item in value if isinstance(value, list) else (value,):
        other = _state_of(item) if isinstance(item, Value) else None
        if other is not None and other.computed is not state.computed:  # of another parse: from now on one whole
            state.computed += other.computed
            other.computed = state.computed
    if state.computed:
        state.forget()
    if name in self._type.passing:
        _give_again(self, state)


def _give_again(value: Value, state: Any) -> None:
    """Compute the parameters of all structures around a value again, which may follow from what was edited."""
    root = getattr(value, "_root", None)
    if GIVE.again is not None and root is not None:
        GIVE.again(root)
        state.forget()  # what was computed on the way, from those that came later


def _delete(self: Value, name: str) -> None:
    object.__delattr__(self, name)
    self._refresh()


def _state_of(value: Value) -> Any:
    """The state that all values of one parse share; None if the value was not parsed, or keeps no context."""
    return getattr(getattr(value, "_io", None), "state", None)


@lru_cache(maxsize=1024)
def enum_class(declared: Enum) -> type[enum.IntEnum]:
    """The IntEnum of a declared enum; a member named like a reserved Python name gets a trailing underscore."""
    if declared in _enums:
        return _enums[declared]
    reserved = {"mro", "name", "value"}
    members = {
        name + "_" * (name in reserved or keyword.iskeyword(name)): value for value, name in declared.members.items()
    }
    make: Any = enum.IntEnum  # type checkers only support the call with a literal name
    made: type[enum.IntEnum] = make(_camel(declared.name.rsplit("::", 1)[-1]), members, module=__name__)
    name = declared.name

    def reduced(member: enum.IntEnum, _: object) -> tuple[Any, ...]:
        return _member_of, (name, int(member))

    made.__reduce_ex__ = reduced  # type: ignore[assignment,method-assign]
    return made


def _member_of(name: str, value: int) -> int:
    """The member of an enum of one of kformat's own declarations; of others, which another process may not have, the
    number."""
    program = name.split("::")[0]
    if program in shipped_names():
        declared = load_program(program).enums.get(name)
        if declared is not None:
            return enum_class(declared)(value)
    return value


def enum_values(declared: Enum) -> dict[int, int]:
    """Integer -> member; for unknown integers use ``.get(value, value)``, which keeps the int."""
    return {int(member): member for member in enum_class(declared)}


def enum_member(field: Field, text: str) -> int:
    """The member of a field's enum by name (``"gzip"``); UsageError if there is none."""
    if field.enum is not None:
        for value, name in field.enum.members.items():
            if name == text:
                return value
        raise UsageError(f"{text!r} is no {field.enum.name} (there are {', '.join(field.enum.members.values())})")
    raise UsageError(f"{field.name} is an integer without names, found {text!r}")
