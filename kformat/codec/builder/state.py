"""The state of building a value: of all passes, of this one, and of the one before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from kformat.codec.builder.positions import Marks
from kformat.codec.drafts import Answers, Draft, NotYet, Path, StreamOutput, evaluator, once_per_object, shown
from kformat.codec.values import Value
from kformat.errors import BuildError
from kformat.language.expression import EvaluationError, Expression
from kformat.language.program import (
    Field,
    ReadBit,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadOpaque,
    ReadSwitch,
    ReadType,
    ReadVarint,
    Step,
    TypeProgram,
    Window,
)
from kformat.language.steps import all_steps

CONVERTED: Final = frozenset(
    (ReadInteger, ReadVarint, ReadBit, ReadBytes, ReadFloat, ReadType, ReadBits, ReadList, ReadSwitch, ReadOpaque)
)
"""Steps that have a value of their own."""


Key = tuple[int, str, int]
"""A window: its draft, its field, and in a list the element's index (-1 elsewhere)."""


_GIVEN: Final = {
    "integer": "an integer", "float": "a number", "boolean": "true or false", "bytes": "bytes", "text": "text",
    "list": "a list", "structure": "a structure", "any": "a value",
}  # fmt: skip


@once_per_object(1024)
def names_of(program: TypeProgram) -> tuple[dict[str, Field], dict[str, Any], frozenset[str]]:
    """Fields, instances that are read, and fields whose content may be given compressed; all by name."""
    fields = {field.name: field for field in program.fields}
    instances = {item.field.name: item for item in program.instances if item.value is None}
    payloads = frozenset(step.name for step in program.steps if isinstance(step, Window) and step.codec is not None)
    return fields, instances, payloads


def is_missing(owner: Any, name: Any) -> str:
    """The message for a field or instance missing in a draft: what to give, and from what it does not follow."""
    program = getattr(owner, "_program", None)
    if program is None:
        return "is missing"
    fields, instances, _ = names_of(program)
    field = fields.get(name) or (instances[name].field if name in instances else None)
    if field is None:
        return "is missing"
    words = f"is missing: give {_GIVEN[field.kind]}"
    for step in all_steps(program.steps):
        for part in ("size", "count"):
            node = getattr(step, part, None)
            if isinstance(node, Expression) and any(path[0] == name for path in node.names()):
                return f"{words}; it does not follow from {step.name}, whose {part} is {node}"
    for instance in instances.values():
        place = instance.position
        if place is not None and any(path[0] == name for path in place.names()):
            return f"{words}, or {instance.field.name}, which is then put at a place of its own"
    return words


class NotGiven(BuildError):
    """An expression asks for an instance that is read, and is not given: its bytes may be those of other fields."""


def without(error: AttributeError, outer: Path) -> BuildError:
    """The error of an expression that asks for a field that is not given."""
    program = getattr(error.obj, "_program", None)
    is_read = program is not None and error.name in names_of(program)[1]
    kind = NotGiven if is_read else BuildError
    return kind(is_missing(error.obj, error.name), path=shown((outer, error.name or "")))


def key_of(draft: Draft, step: Step, path: Path) -> Key:
    """The key of a window, the same in all passes."""
    return id(draft), step.name, path[-1] if isinstance(path[-1], int) else -1


class TooEarly(BuildError):
    """An expression asks for the size of a stream, which is not known in this pass."""

    def __init__(self, error: NotYet, path: Path) -> None:
        super().__init__(str(error), path=shown(path))
        self.stream = error.stream


def kept_of(draft: Draft, path: Path, what: str = "") -> tuple[Any, Any] | None:
    """What a reader kept of a field or an element, which has this path (`values.Kept`)."""
    if not draft._kept:
        return None
    place = (path[-1],) if isinstance(path[-1], str) else (path[0][-1], path[-1])
    return draft._kept.get((*place, what) if what else place if len(place) > 1 else place[0])


class Writers(NamedTuple):
    """The functions that write steps, for steps that have others in them.

    Attributes:
        steps: writes those of a structure, ``steps(build, steps, draft, out, path)``.
        step: writes one, ``step(build, step, value, draft, out, path)``.
    """

    steps: Callable[..., None]
    step: Callable[..., None]


class Build:
    """The building of one value: its drafts, and the passes over them."""

    def __init__(
        self, write: Writers, program: TypeProgram, original: Value | None, tail: bytes, size: int | None = None
    ) -> None:
        self.write, self.marks = write, Marks(program)
        self.likely_size = size
        """How long the whole is taken to be in the first pass; None: not known."""
        self.original, self.tail = original, tail
        """The value that is written over, and the bytes after it, if they are not its `_rest`."""
        self.top: StreamOutput
        self.postponed: set[tuple[int, int, bool]] = set()
        """Instances whose stream was not known when they were to be written, and whether that was among the last."""
        self.again = False
        self.unmet: BuildError | None = None
        """A rule that asks for its stream and is broken, unless the stream has another length in the next pass."""
        self.is_first = True
        """Whether this is the first pass, in which it is not known how long the streams will be."""
        self.missing: list[tuple[Path, Any]] = []
        """Integers without a value that were written as 0, with their drafts: they may follow from what is written
        later."""
        self.reads_again: NotGiven | None = None
        """What is built is read again, because an expression asks for an instance that is not given."""
        self.may_change = False
        """Whether fields may change from pass to pass: parameters that ask a stream are given, or instances are written
        into streams that are finished before they are known.
        """
        self.answers = Answers()
        self.standing: set[Key] = set()
        """Windows that ask for streams around them: they are built where they stand, and not before all else."""
        self.sizes: dict[Key, int] = {}
        """Sizes of streams in the pass before, for expressions that ask for them."""
        self.switched: dict[Key, tuple[Any, dict[int, Any]]] = {}
        """The given value of each switch whose case a stream decides; and, by cases, that value converted."""
        self.taken: dict[Key, int] = {}
        """How many bytes windows took in the pass before."""
        self.rooms: dict[Key, int | None] = {}
        """How many bytes there were from windows to the end of their streams, in the pass before."""
        self.deferred: dict[Any, dict[tuple[int, int], tuple[Draft, Any, Path]]] = {}
        """Instances in streams that are finished before they are known, for the next pass."""

    def evaluate(self, node: Expression, draft: Draft, path: Path) -> Any:
        """The value of an expression. BuildError: what it asks for is missing, or it has none; TooEarly."""
        try:
            return evaluator(node)(draft)
        except AttributeError as error:
            raise without(error, path[0] if len(path) == 2 else path) from None
        except NotYet as error:
            raise TooEarly(error, path) from None
        except EvaluationError as error:
            raise BuildError(str(error), path=shown(path)) from None

    def refuse(self, problem: BuildError, count: int) -> None:
        """Raise the error of a broken rule, or note it if the rule may hold in the next pass: a stream that was asked
        after ``count`` answers may get another length, and instances may still be missing in other streams.
        """
        if self.answers.count == count and not self.may_change:
            raise problem
        self.unmet = self.unmet or problem
