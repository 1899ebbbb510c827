"""Which arguments of types follow from fields, so that an edited value can give them again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kformat.language.expression import Expression
from kformat.language.program import ReadType, TypeProgram
from kformat.language.steps import all_steps, nodes_of, words_of
from kformat.language.types import ListOf, Stream


def arguments_of(program: TypeProgram) -> Iterator[tuple[ReadType, tuple[tuple[str, Expression], ...]]]:
    """The steps of a type that read types, as fields and in instances, with the arguments that can be given again."""
    before = list[str]()
    """The fields that are complete when a step begins."""
    for number, step in enumerate((*program.steps, *(step for one in program.instances for step in one.steps))):
        for inner in all_steps((step,)):
            if isinstance(inner, ReadType):
                given = tuple(one for one in inner.arguments if _follows(one[1], before))
                yield inner, given
        if number < len(program.steps):
            before.append(step.name)


def _follows(node: Expression, before: Sequence[str]) -> bool:
    """Whether an argument follows from fields alone: not from what a stream or a list is at that moment."""
    if node.is_constant or isinstance(node.type, Stream):
        return False
    for one in nodes_of(node):
        if isinstance(one.type, Stream) or (one.op == "name" and "_io" in one.value):
            return False
        if isinstance(one.type, ListOf) and not (one.op == "name" and one.value[0] in before and len(one.value) == 1):
            return False
    return True


def passing(programs: Sequence[TypeProgram]) -> frozenset[str]:
    """The names of the fields from which such arguments may follow, by names alone, whatever has them."""
    given = [item for program in programs for _, arguments in arguments_of(program) for item in arguments]
    found, pending = set[str](), set().union(*(words_of(node) for _, node in given))
    follows: dict[str, set[str]] = {}
    """What value instances and parameters of a name follow from."""
    for program in programs if given else ():
        for instance in program.instances:
            if instance.value is not None:
                follows.setdefault(instance.field.name, set()).update(words_of(instance))
    for name, node in given:
        follows.setdefault(name, set()).update(words_of(node))
    while pending:
        name = pending.pop()
        found.add(name)
        pending |= follows.get(name, set()) - found
    return frozenset(field.name for program in programs for field in program.fields if field.name in found)
