"""What follows from what, by names, in all types of a declaration.

* Arguments of types that follow from fields: an edited value gives them again.
* What instances read, from where streams stand.
* Value instances that were null because of where a stream stood, and those that follow from them: null is kept of the
  latter alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kformat.language.expression import Expression
from kformat.language.program import Check, Instance, ReadBit, ReadList, ReadSwitch, ReadType, Step, TypeProgram
from kformat.language.steps import all_steps, nodes_of, reached, types_of, words_of
from kformat.language.types import ListOf, Stream


def arguments_of(program: TypeProgram) -> Iterator[tuple[ReadType, tuple[tuple[str, Expression], ...]]]:
    """The steps of a type that read types, as fields and in instances, with the arguments that can be given again."""
    for step in (*program.steps, *(step for one in program.instances for step in one.steps)):
        for inner in all_steps((step,)):
            if isinstance(inner, ReadType):
                yield inner, tuple(one for one in inner.arguments if follows(one[1]))


def follows(node: Expression) -> bool:
    """Whether an argument follows from fields, and not from what a stream answers alone."""
    return not isinstance(node.type, Stream) and asks_fields(node)


def growing_in(node: Expression, step: str, program: TypeProgram) -> Callable[[Expression], bool]:
    """Tells of a node in an argument of a step whether it is a list of which it matters how far it was read: all may
    still grow but those in fields before the step; an element at an index stays what it is.
    """
    names = [one.name for one in program.steps]
    before = names[: names.index(step)] if step in names else names
    found = set[int]()
    pending = [node]
    while pending:
        one = pending.pop()
        if isinstance(one.type, ListOf) and (one.op != "name" or one.value[0] not in before):
            found.add(id(one))
        pending += one.arguments[1:] if one.op == "index" and one.arguments[0].op == "name" else one.arguments
    return lambda one: id(one) in found


def where_absent(programs: Sequence[TypeProgram]) -> tuple[frozenset[str], frozenset[str]]:
    """The names of value instances that may be null because of where a stream stands; and of those that ask for one of
    them.
    """
    computed = [one for program in programs for one in program.instances if one.value is not None]
    words = [(one.field.name, words_of(one)) for one in computed]
    asks = {one.field.name for one in computed if any(map(asks_where, nodes_of((one.condition, one.value))))}
    asks = all_asking(asks, words)
    absent = {
        one.field.name
        for one in computed
        if any(map(asks_where, nodes_of(one.condition))) or not asks.isdisjoint(words_of(one.condition))
    }
    asking = all_asking(absent, words)
    return frozenset(absent), frozenset(asking if len(asking) > len(absent) else ())


def asked_of_stream(node: Expression) -> str | None:
    """What a node asks a stream at this moment: where it stands (``pos``), its ``size``, whether it is at its end
    (``eof``); None if it asks none.
    """
    if node.op == "method":
        return str(node.value) if isinstance(node.arguments[0].type, Stream) else None
    return node.value[-1] if node.op == "name" and len(node.value) > 1 and node.value[-2] == "_io" else None


def asks_where(node: Expression) -> bool:
    """Whether a node asks where a stream stands."""
    return asked_of_stream(node) not in (None, "size")


def depends_on_asking(instance: Instance) -> bool:
    """Whether what is read for an instance depends on when it is asked for: on where streams stand that are not its
    own, or on which instances have been read, since reading one drops the bits that are left over in a byte.
    """
    below = {inner for type in types_of(instance.steps) for inner in reached(type)}
    if any(map(_asks_among_bits, (instance.steps, *(type.steps for type in below)))):
        return True
    parts = tuple((type.steps, type.byte_order, type.instances) for type in below)
    if instance.stream is None:
        return any(asks_where(node) and not _is_own(node) for node in nodes_of((instance.steps, parts)))
    return any(map(asks_where, nodes_of(instance.steps))) or any(
        asks_where(node) and not _is_own(node) for node in nodes_of(parts)
    )


def _asks_among_bits(steps: Sequence[Step]) -> bool:
    """Whether an expression asks other structures where bits may be left over."""
    is_in_bits = False
    for step in steps:
        if is_in_bits and any(one.op == "name" and _is_of_others(one) for one in nodes_of(step)):
            return True
        if isinstance(step, ReadBit):
            is_in_bits = True
        elif step.condition is None and not isinstance(step, ReadSwitch | ReadType | ReadList | Check):
            is_in_bits = False
    return False


def _is_of_others(node: Expression) -> bool:
    return "_io" not in node.value and (len(node.value) > 1 or node.value[0] in ("_parent", "_root"))


def _is_own(node: Expression) -> bool:
    if node.op == "method":
        return node.arguments[0].value == ("_io",)
    return len(node.value) == 2 and node.value[0] == "_io"


def all_asked(names: Iterable[str], words: Iterable[tuple[str, Iterable[str]]]) -> set[str]:
    """Names, and all that one of them asks for; ``words``: names, and what they ask for."""
    asks: dict[str, set[str]] = {}
    for name, asked in words:
        asks.setdefault(name, set()).update(asked)
    found, pending = set(names), list(names)
    while pending:
        more = asks.get(pending.pop(), set()) - found
        found |= more
        pending += more
    return found


def all_asking(names: Iterable[str], words: Iterable[tuple[str, Iterable[str]]]) -> set[str]:
    """Names, and all that ask for one of them; ``words`` as for `all_asked`."""
    return all_asked(names, ((word, (name,)) for name, asked in words for word in asked))


def asks_fields(node: Expression) -> bool:
    """Whether an expression asks for anything but streams."""
    return any(one.op == "name" and "_io" not in one.value for one in nodes_of(node))


def passing(programs: Sequence[TypeProgram]) -> frozenset[str]:
    """The names of the fields from which parameters may follow that instances ask for, by names alone, whatever has
    them: what else parameters are for is read with them, and stays.
    """
    given = [item for program in programs for _, arguments in arguments_of(program) for item in arguments]
    instances = [instance for program in programs for instance in program.instances] if given else []
    asked = all_asked(words_of(tuple(instances)), [(name, words_of(node)) for name, node in given])
    given = [item for item in given if item[0] in asked]
    sources = [(one.field.name, words_of(one)) for one in instances if one.value is not None]
    sources += [(name, words_of(node)) for name, node in given]
    found = all_asked(set().union(*(words_of(node) for _, node in given)), sources)
    return frozenset(field.name for program in programs for field in program.fields if field.name in found)
