"""Declaration -> Program.

Every declared type gets an empty `TypeProgram` first, so that types may refer to each other in any order; then each is
filled in. What depends on several types (sizes, recursion, Aligns) comes last, in `sizes`.

Expressions of steps stay in 64 bits where kernels may evaluate them; all others, and every value instance's, are exact.

An inlined type is compiled again wherever it stands, with the arguments for its parameters: its steps, fields and
instances become those of the type around (`names`). In a file with keys of kformat's own a type of bits alone is one
integer (`Scope.is_one_word`). A declaration with such keys, and nothing that needs a value's parent, root or stream,
has values that keep none of them.

A complaint does not end the work: the field that it is about has no type from then on, its uses get no complaints, and
the first complaint is raised with all others (`DeclarationError.others`).

`OneType` is a type while it is compiled. Each kind of step has a module, named as in the back ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kformat.errors import DeclarationError
from kformat.language.compiler.bits import read_bit
from kformat.language.compiler.bytes import read_bytes, read_literal
from kformat.language.compiler.numbers import read_number
from kformat.language.compiler.one_type import Guard, Kinds, OneType, nodes
from kformat.language.compiler.structures import read_structure
from kformat.language.compiler.switches import read_switch
from kformat.language.compiler.tags import holders_of, refuse_elsewhere, tags_of
from kformat.language.compiler.whole import compile_type
from kformat.language.declaration import Declaration, TypeDeclaration, closure, has_own_keys, raise_all
from kformat.language.encodings import is_reversible
from kformat.language.following import passing, where_absent
from kformat.language.names import Scope, World
from kformat.language.rules import check_hidden, check_inner_checksums
from kformat.language.sizes import all_steps, analyse, step_expressions
from kformat.language.steps import (
    MAX_DEPTH,
    MAX_STEPS,
    Checksum,
    Instance,
    Program,
    ReadBit,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadList,
    ReadOpaque,
    ReadType,
    TypeProgram,
    Window,
    nodes_of,
    reached,
    types_of,
    words_of,
)
from kformat.language.steps import all_steps as all_of
from kformat.language.types import ListOf
from kformat.storage.algorithms import ENOUGH_BITS, algorithm_of

_KINDS: Final[Kinds] = {
    "an integer": read_number,
    "a float": read_number,
    "bits": read_bit,
    "bytes": read_bytes,
    "text": read_bytes,
    "contents": read_literal,
    "a structure": read_structure,
    "a switch": read_switch,
}


def _tells(step: Checksum) -> bool:
    """Whether other bytes hardly have the checksum; of a user's function nobody knows."""
    algorithm = algorithm_of(step.algorithm)
    return algorithm.is_users or algorithm.bits >= ENOUGH_BITS


class Compiler:
    """One compilation."""

    def __init__(self, declaration: Declaration, complaints: Sequence[DeclarationError] = ()) -> None:
        self.declaration = declaration
        self.guard = Guard(complaints)
        self.world = World(declaration, self.empty)

    def empty(self, declared: TypeDeclaration, declaration: Declaration) -> TypeProgram:
        return TypeProgram(
            name="::".join(declared.name), digest=self.declaration.digest, doc=declared.doc,
            original_id=declared.original_id, fields=(), steps=(),
            parameters=tuple(parameter.id for parameter in declared.parameters), row=declared.row,
            row_checks=tuple((check.rule, check.field) for check in declared.checks), bits=(), minimum_size=0,
            steps_count=0, is_root=len(declared.name) == 1, keeps_context=True, sync=declared.sync,
        )  # fmt: skip

    def compile(self) -> Program:
        for scope in self.world.scopes.values():
            for declared in scope.declared.enums.values():
                self.world.enum_of(scope, declared)
            if scope.declared.intrinsic is None:
                compile_type(OneType(self.guard, self.world, scope, _KINDS))
        if self.guard.complaints or self.guard.following:
            raise_all(self.guard.complaints or self.guard.following[:1])
        scopes = [scope for scope in self.world.scopes.values() if scope.declared.intrinsic is None]
        programs = {scope.name: scope.program for scope in scopes}
        depths = analyse(programs)
        if any(has_own_keys(imported.root) for imported in closure(self.declaration)) and not any(
            map(_needs_context, scopes)
        ):
            for scope in scopes:
                scope.program.complete(keeps_context=False, digest=scope.declaration.digest)
        else:
            passed = passing([scope.program for scope in scopes])
            elsewhere = any(_looks_elsewhere(instance) for scope in scopes for instance in scope.program.instances)
            lists = {field.name for scope in scopes for field in scope.program.fields if field.kind == "list"}
            passes_lists = not lists.isdisjoint(passed)
            for scope in scopes if passed or elsewhere else ():
                is_passing = not passed.isdisjoint(field.name for field in scope.program.fields)
                scope.program.complete(is_watched=elsewhere or is_passing, passing=passed, passes_lists=passes_lists)
        self.tag(scopes)
        absent, asks_absent = where_absent([scope.program for scope in scopes])
        for scope in scopes if asks_absent else ():
            scope.program.complete(absent=absent, asks_absent=asks_absent)
        growing = tuple(sorted(_growing([scope.program for scope in scopes])))
        for scope in scopes if growing else ():
            scope.program.complete(growing=growing)
        for scope in sorted(scopes, key=lambda scope: depths[scope.name]):  # the innermost type that is too much
            program = scope.program
            check_inner_checksums(scope.declared, program)
            check_hidden(program)
            if program.sync and not any(isinstance(step, Checksum) and _tells(step) for step in program.steps):
                message = "-sync needs a -checksum of 16 bits or more, which tells whether a row begins at some byte"
                scope.declared.mark.refuse(message)
            if depths[program.name] > MAX_DEPTH:
                scope.declared.mark.refuse(f"types nested more than {MAX_DEPTH} deep")
            if program.steps_count > MAX_STEPS:
                scope.declared.mark.refuse(
                    f"{program.steps_count} fields, those of the types in it counted; {MAX_STEPS} are supported"
                )
            for item in program.fields:
                base = item.base
                if base is not None and not any(o.name == base for p in programs.values() for o in p.fields):
                    item.mark.refuse(f"-base: no type here has an integer field {base!r}")
        root = programs.get(self.declaration.id)
        if root is None:
            self.declaration.root.mark.refuse("an intrinsic type is used by other types and has no program of its own")
        types = self.used(scopes)
        enums: set[str] = set()
        for program in types.values():
            items = (*program.fields, *(instance.field for instance in program.instances))
            named = (*(item.enum for item in items), *(parameter.enum for parameter in program.parameter_types))
            enums.update(enum.name for enum in named if enum is not None)
        own = {scope.name for scope in scopes if scope.declaration is self.declaration}
        kept = {key: enum for key, enum in self.world.enums.items() if key in enums or key.rpartition("::")[0] in own}
        return Program(self.declaration, root, types, kept)

    def tag(self, scopes: Sequence[Scope]) -> None:
        """Give types the tags that are attributes of their values."""
        declared = {scope.program.name: scope.declared for scope in scopes}
        if not any(item.tag for it in declared.values() for item in (*it.fields, *it.instances)):
            return
        used: set[tuple[str, ...]] = set()
        holders = holders_of(scope.program for scope in scopes)
        for scope in scopes:
            if scope.program.name in holders:
                continue
            tagged = tags_of(scope.program, lambda program: declared.get(program.name))
            if tagged:
                scope.program.complete(tagged=tagged)
                used.update(declared[one.case.name].name for one in tagged)
        for it in declared.values():
            refuse_elsewhere(it, used)

    def used(self, scopes: Sequence[Scope]) -> dict[str, TypeProgram]:
        """The types of the file, and those of others that its types use, however far; each after those that it uses."""
        types: dict[str, TypeProgram] = {}
        entered: set[str] = set()
        pending = [scope.program for scope in scopes if scope.declaration is self.declaration][::-1]
        while pending:
            program = pending[-1]
            if program.name not in entered:
                entered.add(program.name)
                inner = [step.type for step in all_steps(program) if isinstance(step, ReadType | ReadBits)]
                pending += [other for other in inner if other.name not in entered]
            else:
                types.setdefault(pending.pop().name, program)
        return types


def _needs_context(scope: Scope) -> bool:
    """Whether values of a type must know their parent, root or stream, or keep the bytes that they were read from."""
    program = scope.program
    if program.instances or program.byte_order is not None:
        return True
    for step in all_steps(program):
        if isinstance(step, ReadOpaque) or (isinstance(step, ReadType) and (step.parent is not None or step.orphan)):
            return True
        if isinstance(step, ReadBytes | Window) and (step.trim is not None or step.process is not None):
            return True
        if isinstance(step, ReadBit) or (isinstance(step, ReadFloat) and step.bits == 32):
            return True
        if isinstance(step, ReadBytes) and step.encoding is not None and not is_reversible(step.encoding):
            return True
    return program.to_string is not None or any(
        word.startswith("_")
        for node in step_expressions(program)
        for part in nodes(node)
        if part.op in ("name", "member")
        for word in (part.value if part.op == "name" else (part.value,))
    )


def _looks_elsewhere(instance: Instance) -> bool:
    """Whether a value instance may depend on other structures."""
    rules = [check.rule for check in instance.checks]
    return instance.value is not None and any(
        part.op == "member" or (part.op == "name" and (len(part.value) > 1 or part.value[0] in ("_parent", "_root")))
        for node in (instance.condition, instance.value, *rules)
        if node is not None
        for part in nodes(node)
    )


def _growing(programs: Sequence[TypeProgram]) -> set[str]:
    """The names of lists that value instances may ask for while they grow: an expression in a list's step, or in the
    types that it reads, leads to an instance that asks for the list. By name alone, in whatever type.
    """
    computed = [instance for program in programs for instance in program.instances if instance.value is not None]
    asks = {node.value[-1] if node.op == "name" else node.value
            for node in nodes_of(tuple(computed))
            if node.op in ("name", "member") and isinstance(node.type, ListOf)}  # fmt: skip
    by_name: dict[str, set[str]] = {}
    """What value instances ask for, by their name."""
    for instance in computed if asks else ():
        by_name.setdefault(instance.field.name, set()).update(words_of(instance))
    of_types: dict[TypeProgram, set[str]] = {}
    growing: set[str] = set()
    for program in programs if asks else ():
        own = (*program.steps, *(step for instance in program.instances for step in instance.steps))
        for step in all_of(own):
            if not isinstance(step, ReadList) or step.name not in asks or step.name in growing:
                continue
            words = words_of(step)
            for type in types_of((step,)):
                if type not in of_types:
                    parts = tuple((inner.steps, inner.byte_order, inner.instances) for inner in reached(type))
                    of_types[type] = words_of(parts)
                words |= of_types[type]
            pending, seen = by_name.keys() & words, set[str]()
            while pending and step.name not in growing:
                name = pending.pop()
                seen.add(name)
                if step.name in by_name[name]:
                    growing.add(step.name)
                pending |= (by_name.keys() & by_name[name]) - seen
    return growing


def compile_declaration(declaration: Declaration, complaints: Sequence[DeclarationError] = ()) -> Program:
    """Compile a declaration and all its types.

    DeclarationError with all complaints: ``complaints``, those of its reading, and its own.
    """
    return Compiler(declaration, complaints).compile()


__all__ = ["Compiler", "compile_declaration"]
