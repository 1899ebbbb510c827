"""Structures: a draft and its steps, those of other types, and types that users registered."""

from __future__ import annotations

from typing import Any

from kformat.codec.builder.bits import packed_bits
from kformat.codec.builder.given import child_draft
from kformat.codec.builder.lengths import derive_fields
from kformat.codec.builder.state import Build, TooEarly
from kformat.codec.drafts import (
    Draft,
    NotYet,
    Path,
    StreamOutput,
    Undeclared,
    asks_position,
    evaluator,
    shown,
    undeclared,
)
from kformat.codec.extensions import NotRegisteredError, opaque_type_of
from kformat.codec.values import REST
from kformat.errors import BuildError
from kformat.language.expression import EvaluationError
from kformat.language.program import ReadBits, ReadOpaque, ReadType


def write_structure(build: Build, draft: Draft, out: StreamOutput, path: Path) -> None:
    """Write a structure: what it derives, its steps; what was left over and its instances are noted for later."""
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
        decide_order(build, draft, path)
    derive_fields(build, draft, path)
    if program.bits:
        out.data += packed_bits(build, draft, path)
    else:
        build.write.steps(build, program.steps, draft, out, path)
    draft._written = True
    if draft._original is not None and draft._rest in (None, getattr(draft._original, REST, None)):
        out.undeclared = undeclared(draft._original)
    elif draft._rest:
        out.undeclared = Undeclared(((len(out.data), draft._rest),))
    for instance in program.instances:
        name = instance.field.name
        if instance.value is None and (draft.__dict__.get(name) is not None or name in draft._ahead):
            out.instances.append((draft, instance, path))


def decide_order(build: Build, draft: Draft, path: Path) -> None:
    """Set the byte order: that which the value says, or that of the structure around it."""
    order = draft._program.byte_order
    assert order is not None
    if order.on is None:
        draft._little = None if draft._parent is None else draft._parent._little
        return
    key = build.evaluate(order.on, draft, path)
    for value, little in order.cases:
        if value is None or build.evaluate(value, draft, path) == key:
            draft._little = little
            return


def write_child(
    build: Build, step: ReadType | ReadBits, value: Any, draft: Draft, out: StreamOutput, path: Path
) -> None:
    """Write a value of another type, with its present parameters."""
    child = child_draft(build, step, value, draft, path)
    for name, node in step.arguments if isinstance(step, ReadType) else ():
        count = build.answers.count
        try:
            child.__dict__[name] = evaluator(node)(draft)
            build.may_change |= build.answers.count > count
        except AttributeError:
            child.__dict__.pop(name, None)  # asked for where it is used
        except NotYet as error:
            raise TooEarly(error, path) from None
        except EvaluationError as error:
            raise BuildError(str(error), path=shown(path)) from None
    write_structure(build, child, out, path)


def write_opaque(build: Build, step: ReadOpaque, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
    """Write a value of a type that the user registered."""
    try:
        write = opaque_type_of(step.type_name).write
    except NotRegisteredError as error:
        error.at(draft._program, step.name)
        raise
    if write is None:
        raise BuildError(f"the type {step.type_name} is registered without its writer", path=shown(path))
    arguments = [build.evaluate(node, draft, path) for node in step.arguments]
    try:
        out.data += write(value, *arguments)
    except Exception as error:
        raise BuildError(f"the type {step.type_name} failed: {error}", path=shown(path)) from error
