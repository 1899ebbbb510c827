"""Whether kernels support a type, and why not, decided by its steps and expressions alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from kformat.integers import MAX_INT64
from kformat.language import expression
from kformat.language.encodings import LENIENT
from kformat.language.expression import KERNEL_OPS, Boolean, Expression, Integer
from kformat.language.inlined import for_kernels
from kformat.language.node import replaced
from kformat.language.steps import (
    Align,
    Check,
    Checksum,
    ReadBit,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadOpaque,
    ReadSwitch,
    ReadType,
    Step,
    TypeProgram,
    Window,
    all_steps,
    expressions_in,
    minimum_size,
)
from kformat.language.types import EXACT, INT64, Bytes, EnumType, Text, Type

_IN_WORDS: Final[dict[type[Step], str]] = {
    ReadOpaque: "an opaque type",
}


def kernel_reason(program: TypeProgram) -> str | None:
    """Why kernels do not take a type, with the path in it (``header.flags: a switch``); None if they do.

    Kernels may still refuse a type for its place (bits or parameters alone) or its size: `kernels.KernelError`.
    """
    reason = _reason(program, ())
    return None if reason is None else ": ".join(part for part in (".".join(reason[0]), reason[1]) if part)


def encode_reason(program: TypeProgram) -> str | None:
    """Why no kernel encodes a type; as `kernel_reason`, which is for those that decode."""
    return kernel_reason(program) or _only_decoded(program, "")


def _only_decoded(program: TypeProgram, path: str) -> str | None:
    """What kernels decode, and do not encode."""
    for step in all_steps(program.steps):
        here = f"{path}{step.name}: "
        if isinstance(step, ReadBit | Align):
            return f"{here}bits next to bytes"
        if isinstance(step, ReadInteger | ReadFloat) and step.by_type:
            return f"{here}a byte order known only when the value is read"
        if isinstance(step, ReadBytes | Window) and step.trim is not None:
            return f"{here}bytes that a terminator or a padding changes"
        if isinstance(step, ReadBytes) and step.encoding is not None and step.encoding.upper() not in LENIENT:
            return f"{here}text in {step.encoding}"
        reason = _only_decoded(step.type, f"{path}{step.name}.") if isinstance(step, ReadType) else None
        if reason is not None:
            return reason
        for node in expressions_in(step):
            if node.op == "name" and any(instance.field.name == node.value[0] for instance in program.instances):
                return f"{here}the expression {node}, an instance"
            if node.op == "name" and node.type == EXACT:
                return f"{here}the expression {node}"
    return None


_Reason: TypeAlias = tuple[tuple[str, ...], str]
"""A path in a type, and what is there."""


def _reason(program: TypeProgram, outer: tuple[TypeProgram, ...]) -> _Reason | None:
    if program.is_recursive or program in outer:
        return (), "the type contains itself"
    if program.byte_order is not None and program.byte_order.on is not None:
        return (), "a byte order known only when the value is read"
    for parameter in program.parameter_types:
        if not _is_kernel_type(parameter.type):
            return (parameter.name,), f"a parameter that is {parameter.type}"
    return _steps_reason(program.steps, (*outer, program))


def _steps_reason(steps: Iterable[Step], outer: tuple[TypeProgram, ...]) -> _Reason | None:
    for step in steps:
        inner = _step_reason(step, outer)
        if inner is not None:
            path, reason = inner
            return (path if path[:1] == (step.name,) else (step.name, *path)), reason
    return None


def _step_reason(step: Step, outer: tuple[TypeProgram, ...]) -> _Reason | None:
    """As `kernel_reason`; the path begins inside of the step."""
    expressions: list[Expression | None] = [step.condition]
    inner: _Reason | None = None
    match step:
        case ReadOpaque():
            return (), _IN_WORDS[type(step)]
        case ReadSwitch():
            return _switch_reason(step, outer)
        case ReadBit() if step.width > 64:
            return (), f"a number of {step.width} bits"
        case ReadBytes() | Window() if step.process is not None:
            return (), "bytes that a process changes"
        case ReadBytes():
            expressions.append(step.size)
        case Window():
            expressions += [step.size, step.codec, step.magic]
            inner = _steps_reason(step.steps, outer)
        case ReadType():
            if step.parent is not None or step.orphan:
                return (), "a parent other than the enclosing value"
            expressions += [node for _, node in step.arguments]
            inner = _reason(step.type, outer)
        case ReadList():
            if step.until is not None and not kernels_evaluate(of_elements(step.until), outer[-1]):
                return (), f"a list up to a condition, {step.until}"
            for check in step.checks:
                rule = None if check.rule is None else of_elements(check.rule)
                if not (_are_of_kernels(check.allowed) if rule is None else kernels_evaluate(rule, outer[-1])):
                    return (), f"a rule on the elements of a list, {check.rule or check.expected}"
            expressions.append(step.count)
            inner = _step_reason(step.element, outer)
            is_bit = isinstance(step.element, ReadBit)
            if inner is None and not is_bit and minimum_size([step.element]) == 0:
                return (), "a list of elements that may take no bytes"
        case Check() if step.rule is None and not _are_of_kernels(step.allowed):
            return (), "values that are allowed and neither texts nor integers"
        case Check():
            expressions.append(step.rule)
        case Checksum() if step.over is not None:
            return (), "the checksum of a value"
        case Checksum():
            expressions.append(step.length)
    for node in expressions:
        if node is not None and not kernels_evaluate(node, outer[-1]):
            asks = any(instance.field.name == path[0] for path in node.names() for instance in outer[-1].instances)
            return (), f"the expression {node}" + ", an instance" * asks
    return inner


def kernels_evaluate(node: Expression, program: TypeProgram) -> bool:
    """Whether kernels evaluate an expression of a type."""
    kernel_node = for_kernels(node, program)
    return kernel_node is not None and _is_kernel_expression(kernel_node)


def _switch_reason(step: ReadSwitch, outer: tuple[TypeProgram, ...]) -> _Reason | None:
    for node in (step.condition, step.on):
        if node is not None and not _is_bytes_field(node) and not kernels_evaluate(node, outer[-1]):
            return (), f"the expression {node}"
    for case in step.cases:
        if case.value is not None and not case.value.is_constant:
            return (), f"a case that is no constant, {case.value}"
        reason = _steps_reason(case.steps, outer)
        if reason is not None:
            return reason
    return None


def _are_of_kernels(allowed: tuple[Any, ...]) -> bool:
    """Whether all values of a rule are text or bytes, or integers that are the same signed and unsigned."""
    is_number = [
        isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INT64 for value in allowed
    ]
    return all(is_number) or all(isinstance(value, str | bytes) for value in allowed)


def of_elements(node: Expression) -> Expression:
    """A condition on the elements of a list, over names that begin with ``_`` or are ``_index``."""
    path: list[str] = []
    leaf = node
    while leaf.op == "member":
        path.insert(0, leaf.value)
        (leaf,) = leaf.arguments
    if leaf.op != "local":
        return replaced(node, arguments=tuple(map(of_elements, node.arguments))) if node.arguments else node
    if leaf.value == "_index":
        return expression.name(("_index",), INT64, 0, MAX_INT64)
    return expression.name((leaf.value, *path), node.type, node.low, node.high)


_AROUND: Final = ("_", "_index", "_parent", "_root")


def _is_kernel_type(kind: Type) -> bool:
    return isinstance(kind, Boolean | EnumType) or (isinstance(kind, Integer) and kind.bits <= 64)


def _is_bytes_field(node: Expression) -> bool:
    return node.op == "name" and len(node.value) == 1 and isinstance(node.type, Text | Bytes)


def _is_kernel_expression(node: Expression) -> bool:
    if node.op in ("==", "!=") and isinstance(node.arguments[0].type, Text | Bytes):
        left, right = node.arguments
        return (_is_bytes_field(left) and right.is_constant) or (_is_bytes_field(right) and left.is_constant)
    if node.op == "method" and isinstance(node.arguments[0].type, EnumType):  # .to_i
        return node.arguments[0].high <= MAX_INT64 and _is_kernel_expression(node.arguments[0])
    if node.op not in KERNEL_OPS or node.type == EXACT or not _is_kernel_type(node.type):
        return False
    if node.op == "name" and any(word.startswith("_") and word not in _AROUND for word in node.value):
        return False
    return all(map(_is_kernel_expression, node.arguments))
