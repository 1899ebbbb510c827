"""What a type asks for that a writer has to know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from kformat.codec.drafts import asks_stream
from kformat.language.encodings import LENIENT
from kformat.language.expression import Expression
from kformat.language.node import Node
from kformat.language.program import ReadBytes, Step, TypeProgram
from kformat.language.steps import all_steps, nodes_of, types_of
from kformat.language.types import ListOf


def asks_list(name: str, parts: Any) -> bool:
    """Whether expressions ask for a list of that name."""
    return any(
        isinstance(node.type, ListOf) and name == (node.value[-1] if node.op == "name" else node.value)
        for node in nodes_of(parts)
    )


def kept_fields(steps: Iterable[Step]) -> Iterator[str]:
    """The fields whose bytes a writer takes from what a reader kept."""
    for step in all_steps(steps):
        if isinstance(step, ReadBytes) and step.trim is not None and not step.trim.delimited:
            if step.encoding is None or step.encoding.upper() in LENIENT:
                yield step.name


@lru_cache(maxsize=1024)
def type_needs_stream(program: TypeProgram) -> bool:
    """Whether a type, or one in it, asks for its stream, or has instances that are read from it."""
    seen = {program}
    pending: list[Any] = [program]
    while pending:
        part = pending.pop()
        if isinstance(part, TypeProgram):
            if any(item.value is None for item in part.instances):
                return True
            pending += [part.steps, part.byte_order, part.instances]
            for inner in types_of(part.steps):
                if inner not in seen:
                    seen.add(inner)
                    pending.append(inner)
        elif isinstance(part, tuple):
            pending += part
        elif isinstance(part, Expression):
            if asks_stream(part):
                return True
        elif isinstance(part, Node):
            pending += [getattr(part, name) for name in part.parts if name not in ("type", "field", "enum")]
    return False
