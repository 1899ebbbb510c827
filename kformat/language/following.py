"""Dependencies between fields, arguments and instances, by name, in all types of a declaration.

* Arguments of types depend on fields: an edited value passes them again.
* What instances read depends on stream positions.
* Value instances may be null because of a stream's position, and others depend on them: null is kept for the latter
  alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kformat.language.expression import Expression
from kformat.language.program import Check, Instance, ReadBit, ReadList, ReadSwitch, ReadType, Step, TypeProgram
from kformat.language.steps import all_steps, nodes_of, reached, types_of, words_of
from kformat.language.types import ListOf, Stream


def arguments_of(program: TypeProgram) -> Iterator[tuple[ReadType, tuple[tuple[str, Expression], ...]]]:
    """The ReadType steps of a type and of its instances, each with the arguments that can be passed again."""
    for step in (*program.steps, *(step for instance in program.instances for step in instance.steps)):
        for inner in all_steps((step,)):
            if isinstance(inner, ReadType):
                yield inner, tuple(argument for argument in inner.arguments if follows(argument[1]))


def follows(node: Expression) -> bool:
    """Whether an argument depends on fields, and not on a stream alone."""
    return not isinstance(node.type, Stream) and asks_fields(node)


def growing_in(node: Expression, step: str, program: TypeProgram) -> Callable[[Expression], bool]:
    """A test for the nodes in an argument of a step: whether the node is a list that may still grow. All may but those
    in fields before the step; an element at an index stays the same.
    """
    names = [earlier.name for earlier in program.steps]
    before = names[: names.index(step)] if step in names else names
    lists = set[int]()
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part.type, ListOf) and (part.op != "name" or part.value[0] not in before):
            lists.add(id(part))
        pending += part.arguments[1:] if part.op == "index" and part.arguments[0].op == "name" else part.arguments
    return lambda part: id(part) in lists


def where_absent(programs: Sequence[TypeProgram]) -> tuple[frozenset[str], frozenset[str]]:
    """The names of value instances that may be null because of a stream's position; and these with the names of those
    that ask for one of them, if there are any.
    """
    computed = [instance for program in programs for instance in program.instances if instance.value is not None]
    words = [(instance.field.name, words_of(instance)) for instance in computed]
    asks = {
        instance.field.name
        for instance in computed
        if any(map(asks_where, nodes_of((instance.condition, instance.value))))
    }
    asks = all_asking(asks, words)
    absent = {
        instance.field.name
        for instance in computed
        if any(map(asks_where, nodes_of(instance.condition))) or not asks.isdisjoint(words_of(instance.condition))
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
        if is_in_bits and any(node.op == "name" and _is_of_others(node) for node in nodes_of(step)):
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
    """The names, and all that they ask for, directly or not; ``words`` pairs names with what they ask for."""
    asks: dict[str, set[str]] = {}
    for name, asked in words:
        asks.setdefault(name, set()).update(asked)
    reachable, pending = set(names), list(names)
    while pending:
        more = asks.get(pending.pop(), set()) - reachable
        reachable |= more
        pending += more
    return reachable


def all_asking(names: Iterable[str], words: Iterable[tuple[str, Iterable[str]]]) -> set[str]:
    """The names, and all that ask for one of them, directly or not; ``words`` as for `all_asked`."""
    return all_asked(names, ((word, (name,)) for name, asked in words for word in asked))


def asks_fields(node: Expression) -> bool:
    """Whether an expression asks for anything but streams."""
    return any(part.op == "name" and "_io" not in part.value for part in nodes_of(node))


def passing(programs: Sequence[TypeProgram]) -> frozenset[str]:
    """The names of fields on which parameters that instances ask for may depend. By name alone, in whatever type: what
    else uses parameters is read with them, and stays.
    """
    passed = [argument for program in programs for _, arguments in arguments_of(program) for argument in arguments]
    instances = [instance for program in programs for instance in program.instances] if passed else []
    asked = all_asked(words_of(tuple(instances)), [(name, words_of(node)) for name, node in passed])
    passed = [item for item in passed if item[0] in asked]
    sources = [(instance.field.name, words_of(instance)) for instance in instances if instance.value is not None]
    sources += [(name, words_of(node)) for name, node in passed]
    names = all_asked(set().union(*(words_of(node) for _, node in passed)), sources)
    return frozenset(field.name for program in programs for field in program.fields if field.name in names)
