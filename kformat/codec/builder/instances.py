"""Instances: their content is put at its position when the rest of its stream is written."""

from __future__ import annotations

from kformat.codec.builder.lengths import assign
from kformat.codec.builder.state import Build, kept_of, without
from kformat.codec.drafts import Draft, Path, StreamOutput, asks_moment, asks_stream, evaluator, shown
from kformat.errors import BuildError
from kformat.language.expression import EvaluationError
from kformat.language.program import Instance


def finish_stream(build: Build, out: StreamOutput, bits: tuple[int, int] | None) -> bytes:
    """Finish a stream and return its bytes: the sequence, the instances at their positions, and undeclared bytes.
    ``bits`` are those that a reader kept at the sequence's end.
    """
    bits_left = out.left
    out.align(bits)
    out.sequence_end = len(out.data)
    out.covered.append((0, out.sequence_end))
    done = 0
    from_the_end: list[tuple[Draft, Instance, bytes]] = []
    while done < len(out.instances):
        draft, instance, path = out.instances[done]
        done += 1
        here = (path, instance.field.name)
        if instance.stream is not None and not _is_in(out, build, draft, instance, path):
            continue
        condition = instance.condition  # as in `is_present`
        if condition is not None and not asks_moment(condition, draft):
            if not build.evaluate(condition, draft, here):
                continue
        position = _position(out, build, draft, instance, here)
        part = StreamOutput(answers=build.answers, depth=out.depth)
        part.start = len(out.data) if position is None else position
        part.instances, part._size, part.owner = out.instances, out._size, out
        written = draft._written
        build.write.steps(build, instance.steps, draft, part, path)
        draft._written = written
        part.align(kept_of(draft, here, "after"))
        if position is None:
            from_the_end.append((draft, instance, bytes(part.data)))
        else:
            out.place(position, bytes(part.data), here)
    out.fill()
    if from_the_end:
        place_at_the_end(out, from_the_end)
    for end, path in out.to_the_end:
        if end < len(out.data) and not build.again:
            rest = f"{len(out.data) - end} bytes"
            raise BuildError("goes to the end, and other bytes follow it", path=shown(path), found=rest)
    out.is_done, out.left = True, bits_left
    out.start = out.sequence_end - len(out.data)  # where a reader stands from now on
    return bytes(out.data)


def _is_in(out: StreamOutput, build: Build, draft: Draft, instance: Instance, path: Path) -> bool:
    """Whether an instance that names its stream is in this one; in another it is noted there, or for the next pass."""
    assert instance.stream is not None
    here = (path, instance.field.name)
    try:
        stream = evaluator(instance.stream)(draft)
    except (AttributeError, EvaluationError) as error:
        key = id(draft), id(instance), out is build.top
        if key not in build.postponed:
            build.postponed.add(key)
            build.top.instances.append((draft, instance, path))  # it may be written after this one
            return False
        if build.again and build.deferred:
            return False  # or in the next pass
        if isinstance(error, AttributeError):
            raise without(error, path) from None
        raise BuildError(str(error), path=shown(here)) from None
    if not isinstance(stream, StreamOutput):
        raise BuildError("the stream of this instance is not one that is built", path=shown(here))
    if stream.owner.key == out.key:  # it may be that of the pass before
        return True
    if not stream.owner.is_done:
        stream.owner.instances.append((draft, instance, path))
    else:
        later = build.deferred.setdefault(stream.owner.key, {})
        build.again |= (id(draft), id(instance)) not in later
        later[id(draft), id(instance)] = draft, instance, path
    return False


def _position(out: StreamOutput, build: Build, draft: Draft, instance: Instance, here: Path) -> int | None:
    """Where an instance is written; None: after all else, since it is counted from an end that is not known yet."""
    position, name = len(out.data), instance.field.name
    if name in draft._ahead:
        assert instance.position is not None
        if name not in draft._places:  # nothing has asked for it: a reader does when all is read
            out.start = out.sequence_end - len(out.data)
            draft._places[name] = build.evaluate(instance.position, draft, here)
            out.start = 0
        position = draft._places[name]
        draft.__dict__[name] = draft._ahead.pop(name)
    elif instance.position is not None:
        try:
            position = evaluator(instance.position)(draft)
        except (AttributeError, EvaluationError):
            if build.is_first and asks_stream(instance.position):
                build.again = True
                return None
            if not assign(build, instance.position, position, draft):
                raise BuildError(f"its position {instance.position} cannot be derived", path=shown(here)) from None
    if not isinstance(position, int):
        raise BuildError(f"its position {instance.position} is null", path=shown(here))
    if position < 0:
        raise BuildError("a position before the start", path=shown(here), found=position)
    return position


def place_at_the_end(out: StreamOutput, instances: list[tuple[Draft, Instance, bytes]]) -> None:
    """Put instances whose positions are counted from the end after all else, unless their bytes are there already.

    Where both would do, the stream is as long as the one that its value was read from.
    """
    written = len(out.data)
    whole = written + sum(len(data) for _, _, data in instances)
    out._size = written  # as if nothing came after
    for draft, instance, data in instances:
        assert instance.position is not None
        try:
            position = evaluator(instance.position)(draft)
        except (AttributeError, EvaluationError):
            position = -1
        is_there = position >= 0 and out.data[position:written].startswith(data)
        if not is_there or (instance.stream is None and draft._read_size == whole):
            out.data += data
    out._size = None
