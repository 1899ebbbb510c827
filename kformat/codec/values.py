"""The objects that parsing returns and building takes: one class per declared type, one IntEnum per declared enum.

A class has the declared names as its only public attributes; a field that is not set raises AttributeError. Two values
are equal if their types and fields are.
"""

from __future__ import annotations

import enum
import keyword
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

from kformat.errors import DataError, LimitError, UsageError
from kformat.language.expression import compile_expression
from kformat.language.mark import nearest
from kformat.language.program import Enum, Field, TypeProgram
from kformat.language.shipped import shipped_program

REST: Final = "_rest"
"""The slot with the bytes after a structure that nothing declares, where they are kept; no declared name is like it."""

ERRORS: Final = "_errors"
"""In dictionaries and JSON: why instances of a structure cannot be read, by their names; builders pass over it."""
PLACE, CONTENT = "place", "content"
"""In `_said`, in what an instance has: where it was read, if that depends on when it was asked for; and what was read
there, as plain data, if that depends on it.
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
    """A value for a builder that looks different in the cases of a switch: ``give`` makes it what a step takes, or
    raises BuildError. Text from JSON may be text, or bytes.
    """

    __slots__ = ("give",)

    def __init__(self, give: Callable[[Any], Any]) -> None:
        self.give = give


MISSING: Any = type("Missing", (), {"__repr__": lambda self: "<missing>", "__bool__": lambda self: False})()
"""Marks a field that is not set; None would mean null."""


class Value:
    """Base of all parsed values. ``_type`` is the compiled type, ``_fields`` the names in declared order,
    ``_instances`` those of the instances: they are computed, or read from the bytes, when they are first asked for, and
    then kept. Assigning to an attribute drops those that were computed, in the whole that the value was parsed with.
    """

    __slots__ = ()
    _type: ClassVar[TypeProgram]
    _fields: ClassVar[tuple[str, ...]] = ()
    _instances: ClassVar[tuple[str, ...]] = ()

    def __init__(self, /, **fields: Any) -> None:
        for name, value in fields.items():
            if name not in self._fields and name not in self._instances:
                self._type.field(name)
            object.__setattr__(self, name, value)

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
            found = {name: plain(it, instances) for name in names if (it := asked(self, name, errors)) is not MISSING}
            return {**found, ERRORS: {name: str(it) for name, it in errors.items()}} if errors else found
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
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields if hasattr(self, name))
        return f"{type(self).__name__}({shown})"

    def __str__(self) -> str:
        text = self._type.to_string
        return repr(self) if text is None else str(compile_expression(text)(self))

    def __copy__(self) -> Value:
        memo: dict[int, Any] = {id(self): object.__new__(type(self))}
        return _filled(self, memo)

    def __deepcopy__(self, memo: dict[int, Any]) -> Value:
        pending, found = [self], list[Value]()
        while pending:
            one = pending.pop()
            if id(one) not in memo:
                memo[id(one)] = object.__new__(type(one))
                found.append(one)
                for item in _content(one).values():
                    items = item if isinstance(item, list) else (item,)
                    pending += [inner for inner in items if isinstance(inner, Value)]
        for one in found:
            _filled(one, memo)
        made: Value = memo[id(self)]
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        # All values that it leads to, one after the other: instances may lead in circles, and deep. LimitError where
        # they never end.
        found, numbers, pending = list[tuple[Value, Any, Any]](), dict[int, _PickledPlace](), [self]
        while pending:
            one = pending.pop()
            if id(one) in numbers:
                continue
            numbers[id(one)] = _PickledPlace(len(found))
            names = (*one._fields, *one._instances)
            fields = {name: it for name in names if (it := asked(one, name)) is not MISSING}
            extra = {name: getattr(one, name) for name in (REST, "_kept") if hasattr(one, name)}
            found.append((one, fields, extra))
            pending += reversed(_values_in((fields, extra)))

        def place(value: Any) -> Any:
            return numbers[id(value)]

        return _restore, ([(one._type, _mapped(fields, place), _mapped(extra, place)) for one, fields, extra in found],)


class _PickledPlace(NamedTuple):
    """A value in a pickle: its number there."""

    number: int


def _values_in(found: Any) -> list[Value]:
    """The values in a field, and in lists in it, in order."""
    if isinstance(found, Value):
        return [found]
    items = found.values() if isinstance(found, dict) else found if isinstance(found, list | tuple) else ()
    return [value for item in items for value in _values_in(item)]


def _mapped(found: Any, give: Callable[[Any], Any]) -> Any:
    """A field with something else for each value, or place, in it. Enum classes are made at run time, so members are
    pickled as integers and looked up again."""
    if isinstance(found, Value | _PickledPlace):
        return give(found)
    if isinstance(found, list):
        return [_mapped(item, give) for item in found]
    if isinstance(found, tuple):
        return tuple(_mapped(item, give) for item in found)
    if isinstance(found, dict):
        return {key: _mapped(item, give) for key, item in found.items()}
    return int(found) if isinstance(found, enum.IntEnum) else found


class InstanceAttribute:
    """An instance of a type: the attribute of a value in whose ``__dict__`` it is not yet. What reads it is made at
    first use, and takes this object's place in the class: a descriptor whose ``__get__`` is the generated function.
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
    """The fields of a value, and the instances in it; none that is computed, if it can be computed again."""
    kept: dict[str, Any] = getattr(value, "__dict__", {})
    again = (
        set() if _state_of(value) is None else {it.field.name for it in value._type.instances if it.value is not None}
    )
    return {name: getattr(value, name) for name in value._fields if hasattr(value, name)} | {
        name: found for name, found in kept.items() if name not in again
    }


def _filled(value: Value, memo: dict[int, Any]) -> Value:
    """The copy of a value that ``memo`` has, given what the value has. Lists are copied, and values that are in
    ``memo`` replaced; what lies around the value stays what it is: its streams, and a parent that is not copied.
    """
    made: Value = memo[id(value)]
    content = _content(value)
    for name, found in content.items():
        object.__setattr__(made, name, _replaced(found, memo, makes_lists=True))
    names = {name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())}
    for name in names - {*content, *value._instances, "__dict__"}:
        if hasattr(value, name):
            object.__setattr__(made, name, _replaced(getattr(value, name), memo))
    return made


def _replaced(found: Any, memo: dict[int, Any], makes_lists: bool = False) -> Any:
    """What a copy has in the place of what the value has. ``makes_lists``: a new list where none was made for it."""
    if id(found) in memo:
        return memo[id(found)]
    if isinstance(found, list) and makes_lists:
        memo[id(found)] = [_replaced(item, memo, makes_lists) for item in found]
        return memo[id(found)]
    if isinstance(found, dict):
        moved = ((key, _replaced(item, memo)) for key, item in found.items())
        return {_key(key, item): item for key, item in moved}
    if isinstance(found, tuple):
        return tuple(_replaced(item, memo) for item in found)
    return bytearray(found) if isinstance(found, bytearray) else found


def _key(key: Any, item: Any) -> Any:
    """A key in what is remembered: of what an instance answered, the identity of its value, and its name."""
    return (id(item[0]), key[1]) if isinstance(key, tuple) and isinstance(key[0], int) else key


def held(value: Value, name: str) -> Any:
    """A field, or an instance if it has been read: `MISSING` if it is not set."""
    return value.__dict__.get(name, MISSING) if name in value._instances else getattr(value, name, MISSING)


def noted(value: Value, name: str) -> Any:
    """What is noted on a value besides its fields, or None; faster where there is nothing, for nobody asks why."""
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return None


def asked(value: Any, name: str, errors: dict[str, DataError] | None = None) -> Any:
    """A field or an instance, which is read for that: `MISSING` where there is none, or it cannot be read; ``errors``
    then gets the reason. Raises LimitError.
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
    """Where `arguments` puts the function that gives all structures in a value their parameters again."""

    again: ClassVar[Callable[[Value], None] | None] = None


class INSTANCES:
    """Where `parsing` puts the function that gives what reads an instance of a type's values."""

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


def _restore(found: list[tuple[TypeProgram, dict[str, Any], dict[str, Any]]]) -> Value:
    values = [value_class(program)() for program, _, _ in found]

    def value_at(place: Any) -> Any:
        return values[place.number]

    for value, (program, fields, extra) in zip(values, found, strict=True):
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
"""Those of shipped declarations, which `kformat.generated.values` names: they stay, however many others there are."""
_used: Final[WeakValueDictionary[TypeProgram, type[Value]]] = WeakValueDictionary()
"""Those that a parser, or a value, still has: a type has one class, however many others were made since."""


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
    made = type(_camel(program.label), (Value,), namespace)
    namespace = {"__slots__": (), "__doc__": made.__doc__, "__module__": __name__}
    namespace |= {"__init__": Value.__init__, "__getattr__": _absent, "__setattr__": _set}
    if instances or program.is_watched:
        namespace["__delattr__"] = _delete
    return type(made.__name__, (made,), namespace)


def parsed_class(program: TypeProgram) -> type[Value]:
    """The class of a type's values while they are parsed: the base of that of `value_class`, which sets attributes
    without looking whether there are such.
    """
    return value_class(program).__base__  # type: ignore[return-value]


class _NoAttribute(AttributeError):
    """An attribute that the values of a type do not have. Which one may have been meant is looked for when it is shown,
    because most of these are never shown."""

    def __init__(self, value: Value, name: str) -> None:
        super().__init__(f"{value._type.name} has no field {name!r}", name=name, obj=value)

    def __str__(self) -> str:
        value: Any = self.obj
        return f"{super().__str__()}{nearest(str(self.name), (*value._fields, *value._instances))}"


def _absent(self: Value, name: str) -> Any:
    """Raise what says why an attribute is not there; called where Python has found none."""
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
    """Give the structures in a whole their parameters again, which may follow from what was edited."""
    root = getattr(value, "_root", None)
    if GIVE.again is not None and root is not None:
        GIVE.again(root)
        state.forget()  # what was computed on the way, from those that came later


def _delete(self: Value, name: str) -> None:
    object.__delattr__(self, name)
    self._refresh()


def _state_of(value: Value) -> Any:
    """What all values of one parse share; None if the value was not parsed, or knows nothing of what is around it."""
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
    return made


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
