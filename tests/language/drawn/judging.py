"""Drawn declarations, asked everything: by kformat, and by the classes that Kaitai's compiler makes of them.

Of each case, which is a declaration and bytes, both sides read the same or both refuse it, in whatever order fields and
instances are asked; what is read is built again. And in turn: `_asdict` and JSON have Kaitai's values as a reader gets
them who asks in declared order; each reader of `kformat.scan` has the rows of `kformat.parse`; and an edited value
builds bytes that Kaitai reads as the value that was built, or is refused.

    python -m tests.language.drawn.judging FOLDER PARCEL       a parcel of a folder, as `mutants.run` divides them
    python -m tests.language.drawn.judging --seed SEED NAME [CASE] [--kernels]   a declaration, and a case, again
"""

from __future__ import annotations

import argparse
import hashlib
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

from kaitaistruct import KaitaiStream, KaitaiStruct

import kformat
from kformat.codec.json_form import to_json
from kformat.codec.values import ERRORS, REST, Value
from kformat.errors import BuildError, DataError, KformatError
from tests.columns.mutations import Rows
from tests.language.beside_kaitai import Differs, asked, class_of, compare, compile_all, made, plain, read
from tests.language.drawn.making import Drawn, declaration_of, drawn, input_of
from tests.language.public import mutants

MODULE: Final = "tests.language.drawn.judging"
TRIES: Final = 8
"""So many inputs are drawn until Kaitai reads one."""
READING, BUILDING = "reading differs", "building differs"
REFUSED: Final = "edits, of which one was refused that can be built"
ENOUGH: Final = 2
"""So many differences of a declaration are shown."""
CHECKS: Final = ("_asdict", "JSON", "scan", "edits")
"""What a case is asked for in turn."""


class Unbuilt(Differs):
    """What is built differs."""


class Case:
    """A declaration that `write` put into a folder, with its inputs."""

    def __init__(self, drawn: Drawn, classes: Path, seed: int) -> None:
        self.drawn, self.classes, self.seed = drawn, classes, seed
        self.kind = class_of(drawn.name, classes)
        self.label = drawn.name
        self.differences = Counter[str]()

    @cached_property
    def declaration(self) -> Any:
        """The declaration, loaded."""
        return kformat.parse_declaration(self.drawn.text)

    @cached_property
    def rows(self) -> Rows:
        """What reads rows."""
        return Rows(self.declaration, (self.drawn.row,), self.drawn.with_kernel)

    def input(self, case: int) -> bytes:
        """The bytes of a case: of three that follow each other the first is sound in most cases, the second is cut off,
        the third has something else wrong.
        """
        data = self.sound(case // 3)
        chance = random.Random(f"{self.seed} {self.drawn.name} wrong {case}")
        match case % 3:
            case 1:
                return data[: chance.randint(0, len(data))]
            case 2:
                places = [(at, size) for at in range(len(data)) for size in (1, 2)]
                return mutants.mutated(data, places or [(0, 0)], chance)
        return data

    @lru_cache(maxsize=1)  # noqa: B019
    def sound(self, number: int) -> bytes:
        """Bytes that Kaitai reads, if it reads one of `TRIES`; all of them in most cases."""
        chance = random.Random(f"{self.seed} {self.drawn.name} {number}")
        for _ in range(TRIES):
            data = input_of(self.drawn, chance)
            found = read(lambda: made(self.kind, data))  # noqa: B023
            if not isinstance(found, Exception):
                return data[: found._io.pos()] if chance.random() < 0.6 else data
        return data

    def difference(self, case: int) -> tuple[bool, str, str | None]:
        """Whether kformat reads a case, what it was asked for, and what differs: then it is "reading differs" or
        "building differs" that it was asked for. With `ENOUGH` of these nothing more is read, or built.
        """
        what = CHECKS[case // 3 % len(CHECKS)]
        if self.differences[READING] >= ENOUGH:
            return False, "left out", None
        data, is_read, told, side = b"", False, None, READING
        try:
            data = self.input(case)
            chance = random.Random(f"{self.seed} {self.drawn.name} asks {case}")
            with mutants.bounded(self.classes):
                is_read, why_unbuilt = self.values(data, chance)
                if what == "scan":
                    found = self.rows.difference(data, case // 12, chance, "keep")
                    what, told = found[1:]
                elif is_read:
                    other = {"_asdict": self.dictionary, "JSON": self.json, "edits": self.edits}[what](data, chance)
                    what = other or what
                if told is None and why_unbuilt is not None:
                    raise Unbuilt(why_unbuilt)
        except Unbuilt as error:
            told, side = str(error), BUILDING
        except Differs as error:
            told = str(error)
        except mutants.TakesTooLong:
            told = f"takes longer than {mutants.SECONDS} s"
        except Exception as error:
            told = f"{type(error).__name__}, no error of ours: {error}"
        if told is not None:
            self.differences[side] += 1
            flag = " --kernels" * self.drawn.with_kernel
            again = f"python -m {MODULE} --seed {self.seed}{flag} {self.drawn.name} {case}"
            what, told = side, f"{what}: {told}\n  {data.hex()}\n  {again}"
        return is_read, what, told

    def parse(self, data: bytes) -> Value:
        """A value of kformat's; nothing has been asked of it."""
        found: Value = kformat.parse(self.declaration, data, trailing="keep")
        return found

    def values(self, data: bytes, chance: random.Random) -> tuple[bool, str | None]:
        """Whether both sides read the bytes, and why these are not built again, whether or not instances were asked
        before. Differs unless both read them or neither, with the same values in the same order of asking.
        """
        ours, other = read(lambda: self.parse(data)), read(lambda: made(self.kind, data))
        if isinstance(ours, Exception) and not isinstance(ours, DataError):
            raise Differs(f"{type(ours).__name__}, no error of ours: {ours}")
        if isinstance(ours, Exception) or isinstance(other, Exception):
            if (isinstance(ours, Exception) and isinstance(other, Exception)) or known(ours, other):
                return False, None
            raise Differs(f"ours: {ours!r:.200}; theirs: {other!r:.200}")
        asked_before = chance.random() < 0.6
        if asked_before:
            compare(ours, other, self.label, known, chance)
        why = self.why_not_built(ours, data) if self.builds else None
        if not asked_before:
            compare(ours, other, self.label, known, chance)
        return True, why and why + ", instances asked before" * asked_before

    @property
    def builds(self) -> bool:
        """Whether building is asked for."""
        return self.differences[BUILDING] < ENOUGH

    def why_not_built(self, value: Value, data: bytes) -> str | None:
        """None if a value that was read is built to its bytes."""
        try:
            built = kformat.build(self.declaration, value)
        except KformatError as error:
            return f"read, and not built: {type(error).__name__}: {error}"
        except Exception as error:
            return f"read, and not built: {type(error).__name__}, no error of ours: {error}"
        return None if built == data else f"read, and built otherwise: {built.hex()}"

    def built(self, value: Any) -> bytes | None:
        """What is built of a value; None if it is refused."""
        try:
            return kformat.build(self.declaration, value)
        except BuildError:
            return None
        except Exception as error:
            raise Unbuilt(f"{type(error).__name__}, no error of ours: {error}") from error

    def dictionary(self, data: bytes, chance: random.Random) -> None:
        """Compare `_asdict` with Kaitai's values, asked in declared order; and build it."""
        found = self.parse(data)._asdict(instances=True)
        self.compare_plain(found, made(self.kind, data), self.label, plain)
        if not self.builds:
            return
        found = self.parse(data)._asdict()
        built = self.built(found)
        if built is None:
            return
        again = read(lambda: self.parse(built))
        if isinstance(again, Exception) or again._asdict() != found:
            raise Unbuilt(f"built of {found}: {built.hex()}, which is read as {again!r}")

    def json(self, data: bytes, chance: random.Random) -> None:
        """Compare JSON with Kaitai's values, asked in declared order."""
        found = to_json(self.parse(data), bytes_as="hex", instances=True)
        self.compare_plain(found, made(self.kind, data), self.label, as_json)

    def edits(self, data: bytes, chance: random.Random) -> str | None:
        """Change something in a value, build it, and compare it with what Kaitai reads of the bytes. `REFUSED` if it is
        refused, and there are such bytes.
        """
        if not self.builds:
            return None
        value, order = self.parse(data), chance.random()
        asked_before = chance.random() < 0.6
        if asked_before:
            compare(value, made(self.kind, data), self.label, known, random.Random(order))
        edits = list(leaves(value, self.label))
        if not edits:
            return None
        told = []
        for owner, name, path in chance.sample(edits, min(len(edits), chance.choice((1, 1, 2)))):
            before = getattr(owner, name)
            setattr(owner, name, other_than(before, chance))
            told.append(f"{path} = {getattr(owner, name)!r}")
        words = f"after {', '.join(told)}" + ", instances asked before" * asked_before
        built = self.built(value)
        if built is None:
            # An instance that was asked for before may have the bytes as they were.
            return REFUSED if len(told) == 1 and not asked_before and self.in_place(value, data, owner, name) else None
        with Answers() as before:
            other = made(self.kind, data)
            compare_nothing(self.parse(data), other, random.Random(order))
        with Answers() as after:
            other = read(lambda: made(self.kind, built))
            if isinstance(other, Exception):
                raise Unbuilt(f"{words}: built {built.hex()}, which Kaitai refuses: {other!r:.100}")
            compare_nothing(self.parse(built), other, random.Random(order))
        if not asked_before:
            other = made(self.kind, built)  # an instance that is null is computed again when it is asked for again
        again = self.parse(built)
        if again != value:
            raise Unbuilt(f"{words}: built {built.hex()}, which is read as {again!r}")
        if before.given == after.given:  # instances that are read stay what they were
            try:
                compare(value, other, self.label, known, random.Random(order), self.drawn.read)
            except Differs as error:
                raise Unbuilt(f"{words}: built {built.hex()}; {error}") from None
        return None

    def in_place(self, value: Value, data: bytes, owner: Value, name: str) -> bool:
        """Whether an edited value is what is read when that field's bytes are replaced, at whatever place."""
        found = getattr(owner, name)
        if isinstance(found, int):
            found = bytes([found & 255])
        elif isinstance(found, str):
            found = found.encode("iso-8859-1", "replace")
        places = range(len(data) - len(found) + 1 if found else 0)
        changed = (data[:at] + found + data[at + len(found) :] for at in places)
        return any(read(lambda: self.parse(one)) == value for one in changed)  # noqa: B023

    def compare_plain(self, found: Any, other: Any, path: str, leaf: Callable[[Any], Any]) -> None:
        """Compare dictionaries and lists with Kaitai's values, which are asked in declared order, a structure's parts
        before what follows it; Differs names the first place. ``leaf`` makes of another value of Kaitai's what stands
        there.
        """
        if isinstance(found, dict):
            if not isinstance(other, KaitaiStruct):
                raise Differs(f"{path}: {found!r:.60} and {other!r:.60}")
            instances = self.drawn.instances[type(other).__name__]
            errors = found.get(ERRORS, {})
            for name in [*(name for name in found if name not in (*instances, ERRORS, REST)), *instances]:
                there = asked(other, name)
                if isinstance(there, Exception) != (name in errors):
                    raise Differs(f"{path}.{name}: {found.get(name, errors.get(name))!r:.100} and {there!r:.100}")
                if not isinstance(there, Exception):
                    if name not in found and leaf is as_json and isinstance(there, KaitaiStruct):
                        continue  # a computed instance that is a structure
                    if name not in found:
                        raise Differs(f"{path}.{name}: is missing, and {there!r:.100}")
                    self.compare_plain(found[name], there, f"{path}.{name}", leaf)
        elif isinstance(found, list):
            if not isinstance(other, list) or len(found) != len(other):
                raise Differs(f"{path}: {found!r:.60} and {other!r:.60}")
            for number, (here, there) in enumerate(zip(found, other, strict=True)):
                self.compare_plain(here, there, f"{path}[{number}]", leaf)
        elif isinstance(other, KaitaiStruct | list) or plain(found) != leaf(other):
            raise Differs(f"{path}: {found!r:.60} and {other!r:.60}")


def known(ours: Any, other: Any) -> bool:
    """The differences on purpose of `mutants`; no expression here asks for a field that a condition leaves out."""
    return any(item.applies(ours, other) for item in mutants.CLASSES if item.name != mutants.ABSENT)


class Answers:
    """What Kaitai's streams answer as long as this is open: ``given``, in order."""

    def __init__(self) -> None:
        self.given: list[tuple[str, int]] = []

    def __enter__(self) -> Answers:
        self.before = {name: getattr(KaitaiStream, name) for name in ("pos", "size", "is_eof")}
        for name, method in self.before.items():
            setattr(KaitaiStream, name, self.noting(name, method))
        return self

    def noting(self, name: str, method: Callable[[KaitaiStream], int]) -> Callable[[KaitaiStream], int]:
        def answer(stream: KaitaiStream) -> int:
            found = method(stream)
            self.given.append((name, found))
            return found

        return answer

    def __exit__(self, *_: object) -> None:
        for name, method in self.before.items():
            setattr(KaitaiStream, name, method)


def compare_nothing(ours: Value, other: Any, chance: random.Random) -> None:
    """Ask both sides as `compare` does; what they answer is not looked at."""
    compare(ours, other, "", lambda here, there: True, chance)


def as_json(value: Any) -> Any:
    """A value of Kaitai's that is no structure, as in JSON with bytes in hexadecimal."""
    if isinstance(value, Enum):
        return value.name
    return f"hex:{value.hex()}" if isinstance(value, bytes) else value


def leaves(value: Value, path: str) -> Iterator[tuple[Value, str, str]]:
    """Every number, text and bytes among the fields of a value: its structure, its name and its path."""
    for name in value._fields:
        found = getattr(value, name)
        if isinstance(found, int | str | bytes) and not name.startswith("_"):
            yield value, name, f"{path}.{name}"
        for number, inner in enumerate(found if isinstance(found, list) else [found]):
            if isinstance(inner, Value):
                yield from leaves(inner, f"{path}.{name}" + f"[{number}]" * isinstance(found, list))


def other_than(value: Any, chance: random.Random) -> Any:
    """Another value for a field."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return chance.choice([number for number in (0, 1, 2, 3, 5, 7, value + 1) if number != value])
    size = chance.choice((len(value), len(value), len(value), len(value) + 1, max(len(value) - 1, 0)))
    return (
        "".join(chance.choices("abc", k=size)) if isinstance(value, str) else bytes(chance.choices((1, 2, 77), k=size))
    )


def write(folder: Path, declarations: Sequence[Drawn], classes: Path) -> None:
    """Put declarations into a folder, as `mutants.run` takes them, and the classes that Kaitai's compiler makes of them
    into another, unless it has them already.
    """
    mutants.put(folder, {one.name: [one.text.encode()] for one in declarations})
    texts = hashlib.sha256("".join(one.text for one in declarations).encode()).hexdigest()
    made_of = classes / "made_of"
    if made_of.exists() and made_of.read_text("ascii") == texts:
        return
    shutil.rmtree(classes, ignore_errors=True)
    files = []
    for one in declarations:
        files.append(folder / "files" / one.name / f"{one.name}.ksy")
        files[-1].write_text(one.text, encoding="utf-8")
    compile_all(files, classes)
    made_of.write_text(texts, "ascii")


def number_of(name: str) -> int:
    """The number of a declaration with that name."""
    return int(name.rpartition("_")[2])


def case_of(folder: Path, name: str, job: dict[str, Any]) -> Case:
    """A declaration of a folder that `write` filled."""
    number = number_of(name)
    one = declaration_of(job["seed"], number, number in job["kernels"])
    return Case(one, Path(job["classes"]), job["seed"])


def run(
    folder: Path,
    seed: int,
    numbers: Sequence[int],
    kernels: int,
    each: int,
    classes: Path | None = None,
    processes: int = 2,
) -> mutants.Result:
    """Ask drawn declarations, each with so many inputs. ``kernels``: so many of them are made for kernels; ``classes``
    is a folder that stays, for the next run with the same declarations.
    """
    classes = classes or folder / "classes"
    declarations = drawn(seed, numbers, kernels)
    write(folder, declarations, classes)
    with_kernels = [number_of(one.name) for one in declarations if one.with_kernel]
    count = each * len(numbers)
    how: dict[str, Any] = {"kernels": with_kernels, "classes": str(classes)}
    return mutants.run(folder, count, seed, processes, count / 50 + 600, MODULE, **how)


def again(arguments: Sequence[str]) -> None:
    """Show a declaration, and ask a case again."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--kernels", action="store_true", help="the declaration is one of those with rows for kernels")
    parser.add_argument("name")
    parser.add_argument("case", type=int, nargs="?")
    given = parser.parse_args(arguments)
    one = declaration_of(given.seed, number_of(given.name), given.kernels)
    print(one.text)
    if given.case is None:
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write(folder, [one], folder / "classes")
        made_case = Case(one, folder / "classes", given.seed)
        print(
            f"row: {one.row}\ninput: {made_case.input(given.case).hex()}", *made_case.difference(given.case), sep="\n"
        )


if __name__ == "__main__":
    if "--seed" in sys.argv:
        again(sys.argv[1:])
    else:
        mutants.serve(sys.argv[1:], case_of)
