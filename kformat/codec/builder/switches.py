"""Switches: the case that a value is written by."""

from __future__ import annotations

from typing import Any

from kformat.codec.builder.contents import write_contents
from kformat.codec.builder.given import content_of, convert
from kformat.codec.builder.lengths import measure_all
from kformat.codec.builder.state import Build, TooEarly, key_of
from kformat.codec.cases import case_of
from kformat.codec.drafts import Draft, Path, StreamOutput, shown
from kformat.errors import BuildError
from kformat.language.program import Case, ReadSwitch


def write_switch(build: Build, step: ReadSwitch, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
    count = build.answers.count
    try:
        case = case_of(step, build.evaluate(step.on, draft, path), draft)
    except TooEarly:
        if draft._root._read_size is not None:  # the stream is probably as long as it was
            raise
        build.again = True
        any_case(build, step, value, draft, out, path)
        return
    problem: BuildError | None = None
    if value is None and case is not None and case.steps and build.answers.count > count:
        problem = BuildError("may not be null here", path=shown(path))
    elif value is not None and (case is None or not case.steps):
        problem = BuildError(f"must be null, since no case is {step.on}", path=shown(path))
    if problem is not None:
        build.refuse(problem, count)
        any_case(build, step, value, draft, out, path)
    elif case is None or not case.steps:
        return
    elif build.answers.count == count:
        write_contents(build, step, case.steps, value, draft, out, path)
    else:
        mark = out.mark()
        try:
            write_contents(build, step, case.steps, of_case(build, step, case, value, draft, path), draft, out, path)
        except TooEarly:
            raise
        except BuildError as error:  # the stream may answer otherwise in the next pass
            build.unmet = build.unmet or error
            out.back_to(mark)
            any_case(build, step, value, draft, out, path)


def any_case(build: Build, step: ReadSwitch, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
    """Write a value by the first case that takes it, as long as it is not known which one does."""
    mark, problem = out.mark(), BuildError("no case takes it", path=shown(path))
    for case in step.cases if value is not None else ():
        try:
            write_contents(build, step, case.steps, of_case(build, step, case, value, draft, path), draft, out, path)
            return
        except BuildError as error:
            problem = error
            out.back_to(mark)
    if value is not None:
        raise problem


def of_case(build: Build, step: ReadSwitch, case: Case, value: Any, draft: Draft, path: Path) -> Any:
    """The given value converted for a case, once for each case: each pass may choose another."""
    original, made = build.switched.setdefault(key_of(draft, step, path), (value, {}))
    if id(case) not in made and original is not None:
        made[id(case)] = convert(build, content_of(case.steps, step.name), original, draft, path)
        if isinstance(made[id(case)], Draft):
            measure_all(build, made[id(case)], path)
    return made.get(id(case))
