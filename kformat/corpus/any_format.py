"""Test data for any declared format: sound files that reach every branch of a declaration, and damaged ones.

    corpus = declared_corpus("x.ksy", seed=7, damage=True)
    write_declared_corpus("out", "x.ksy", seed=7, damage=True)      and the manifest

Values are tried (`generating`) until all branches (`branches`) are reached or many attempts in a row reach no new one;
a file is kept for the branches that it is the first to reach. All decisions follow from the seed, not from the time or
the order of a set, so the same seed gives the same bytes on every machine. Branches not reached are listed with the
reason. Damage comes from `breaking`; the finding of a damaged file is the error that `kformat.parse` raises.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from kformat.codec.json_form import to_json
from kformat.corpus.branches import Branch, branches_of, reached
from kformat.corpus.breaking import Breakage, breakages
from kformat.corpus.generating import Generator, Hopeless, Sample
from kformat.corpus.hints import TypeFacts
from kformat.corpus.manifest import FORMAT, NAME, codec_versions
from kformat.corpus.parts import Dice
from kformat.errors import UsageError
from kformat.language.program import TypeProgram, load_type
from kformat.storage.atomic_write import filling
from kformat.storage.plain_file import naming

T = TypeVar("T")

MAX_ATTEMPTS: Final = 3000
MAX_IDLE: Final = 400
"""Most attempts in a row that reach nothing new."""
_ENOUGH: Final = 50
_RARE: Final = 10
"""After so many attempts without a value, of which all but every so-manieth fail alike, no more are made."""
IDLE_BEFORE_AIM: Final = 30
"""After this many idle attempts, every other attempt aims at a type with branches left."""
MAX_FILES: Final = 250
MAX_WORK: Final = 60_000
"""Most structures made in all attempts together."""


@dataclass(frozen=True)
class DeclaredFile:
    """A file of a declared format's corpus.

    ``path`` is below the corpus, with slashes. A sound file has ``value``, what `kformat.parse` returns, and
    ``reaches``, the branches for which it is kept; a damaged one has ``damage`` and ``source``, the sound file's path.
    ``trailing``: how it has to be read, as in `kformat.parse`.
    """

    path: str
    data: bytes
    trailing: Any = "error"
    value: Any = None
    reaches: tuple[Branch, ...] = ()
    damage: Breakage | None = None
    source: str = ""


@dataclass(frozen=True)
class DeclaredCorpus:
    """The files in order of their paths; the branches that they reach; the other branches, each with the reason."""

    program: TypeProgram
    files: tuple[DeclaredFile, ...]
    reached: frozenset[Branch]
    unreached: dict[Branch, str] = field(default_factory=dict)

    @property
    def sound(self) -> list[DeclaredFile]:
        """The sound files."""
        return [file for file in self.files if file.damage is None]

    @property
    def damaged(self) -> list[DeclaredFile]:
        """The damaged files."""
        return [file for file in self.files if file.damage is not None]


class Steady:
    """A `Chooser` with randomness from a seed: it takes the option it has taken least so far, or, one time in four, any
    option. An option that rarely led to a value is taken one time in ten. While it has a ``target``, the name of a
    type, it takes every other time the option that most often led to a value with such a structure.
    """

    def __init__(self, seed: int, *names: str) -> None:
        self._dice = Dice(seed, *names)
        self._taken: Counter[Any] = Counter()
        self._good: Counter[Any] = Counter()
        self._leads: Counter[Any] = Counter()
        self._now: list[Any] = []
        self.target = ""

    def pick(self, site: tuple[str, ...], options: Sequence[T], labels: Sequence[Any] | None = None) -> T:
        """See `Chooser`."""
        if len(options) == 1:
            return options[0]
        labels = options if labels is None else labels
        keys = [(site, repr(label)) for label in labels]
        usable = list(range(len(options))) if self._dice.integer(0, 9) == 0 else self.usable(site, labels)
        best = max((self._lead(keys[at]) for at in usable), default=0.0) if self.target else 0.0
        if best and self._dice.integer(0, 1):
            usable = [at for at in usable if self._lead(keys[at]) == best]
        elif self._dice.integer(0, 3):
            least = min(self._taken[keys[at]] for at in usable)
            usable = [at for at in usable if self._taken[keys[at]] == least]
        chosen = usable[self._dice.integer(0, len(usable) - 1)]
        self._taken[keys[chosen]] += 1
        self._now.append(keys[chosen])
        return options[chosen]

    def _lead(self, key: Any) -> float:
        """How often values made with a choice had a structure of the target."""
        return self._leads[key, self.target] / self._good[key] if self._good[key] else 0.0

    def usable(self, site: tuple[str, ...], labels: Sequence[Any]) -> list[int]:
        """The indices of options that led to a value at least one time in ten; all if none did."""
        keys = [(site, repr(label)) for label in labels]
        indices = [
            at for at, key in enumerate(keys) if self._taken[key] < 8 or self._good[key] * 10 >= self._taken[key]
        ]
        return indices or list(range(len(labels)))

    def noise(self, site: tuple[str, ...], size: int) -> bytes:
        """See `Chooser`."""
        return self._dice.noise(size)

    def done(self, is_good: bool, types: Iterable[str] = ()) -> None:
        """End an attempt. ``is_good``: it made a value, which has structures of these ``types`` among the targets."""
        if is_good:
            self._good.update(self._now)
            for name in types:
                self._leads.update((key, name) for key in self._now)
        self._now.clear()


@dataclass(frozen=True)
class ValueSearch:
    """The values ``found``, each with the branches that it is the first to reach. ``left``: the other branches, each
    with the reason. ``chooser`` knows which choices lead to no value.
    """

    facts: TypeFacts
    found: list[tuple[Sample, tuple[Branch, ...]]]
    left: dict[Branch, str]
    chooser: Steady


def search(program: TypeProgram, seed: int) -> ValueSearch:
    """Try values of a type until all branches are reached, or many attempts in a row reach nothing new.

    Raises UsageError: no value was found.
    """
    facts = TypeFacts(program)
    wanted = branches_of(facts)
    open_branches = {branch for branch, reason in wanted.items() if not reason}
    chooser = Steady(seed, facts.root.name)
    generator = Generator(facts, chooser)
    samples: list[tuple[Sample, tuple[Branch, ...]]] = []
    seen: set[Branch] = set()
    idle = attempts = work = 0
    reasons, examples = Counter[str](), dict[str, str]()
    targets: list[str] = []
    while (open_branches or not samples) and len(samples) < MAX_FILES and idle < MAX_IDLE and attempts < MAX_ATTEMPTS:
        attempts, idle = attempts + 1, idle + 1
        is_aimed = idle > IDLE_BEFORE_AIM and attempts % 2 and targets
        chooser.target = targets[attempts // 2 % len(targets)] if is_aimed else ""
        try:
            sample = generator.sample()
        except Hopeless as error:
            chooser.done(False)
            kind = re.sub(r"\d+", "", str(error))
            reasons[kind] += 1
            examples[kind] = str(error)
            if not samples and attempts >= _ENOUGH and reasons[kind] > attempts - attempts // _RARE:
                break
            continue
        finally:
            work += generator.structures
            if work > MAX_WORK:
                attempts = MAX_ATTEMPTS
        there = reached(sample.value, facts)
        targets = list(dict.fromkeys(branch.type for branch in wanted if branch in open_branches))
        types = {branch.type for branch in there}
        chooser.done(True, [name for name in targets if name in types])
        news = (there & wanted.keys()) - seen
        if news or not samples:
            seen |= news
            open_branches -= news
            idle = 0
            samples.append((sample, tuple(branch for branch in wanted if branch in news)))
    types = {branch.type for branch in seen} | {facts.root.name}
    left = {}
    for branch, reason in wanted.items():
        if branch in seen:
            continue
        if not reason:
            of_type = "" if branch.type in types else f", and none reached {branch.type}"
            reason = f"no value found in {attempts} attempts{of_type}"
        left[branch] = reason
    if not samples:
        ((kind, count),) = reasons.most_common(1)
        words = "made a value that can be built and read again"
        raise UsageError(f"{program.name}: none of {attempts} attempts {words}; most often ({count}): {examples[kind]}")
    return ValueSearch(facts, samples, left, chooser)


def declared_corpus(format: Any, *, seed: int = 0, damage: bool = False, only: Sequence[str] = ()) -> DeclaredCorpus:
    """The corpus of a declaration.

    Args:
        format: a ``.ksy`` file, one of its types (``x.ksy::entry``), a shipped name, or a Declaration.
        seed: decides about values; the same seed gives the same bytes on every machine, if the compression libraries
            have the same versions.
        damage: the damaged files, too.
        only: words; files that have all of them in their path, branches or damage. They leave out files, and nothing
            of what is reached.

    Raises:
        UsageError: there is no such format, ``only`` leaves nothing, or no value of it was found.
        DeclarationError: the declaration is wrong.
    """
    program = load_type(format)
    made = search(program, seed)
    files: list[DeclaredFile] = []
    known: dict[Any, int] = {}
    for number, (sample, news) in enumerate(made.found):
        path = f"sound/{number:03}.bin"
        files.append(DeclaredFile(path, sample.data, sample.trailing, sample.value, news))
        for breakage in breakages(made.facts, sample, known) if damage else ():
            count = sum(file.source == path for file in files)
            name = f"damaged/{number:03}-{count:03}-{breakage.name}.bin"
            files.append(DeclaredFile(name, breakage.data, sample.trailing, damage=breakage, source=path))
    files = sorted((file for file in files if _has(file, only)), key=lambda file: file.path)
    if not files:
        raise UsageError(f"no file of the corpus has all of these words: {', '.join(only)}")
    reached_ones = frozenset(branch for _, news in made.found for branch in news)
    return DeclaredCorpus(program, tuple(files), reached_ones, made.left)


def write_declared_corpus(
    out: str | os.PathLike[str],
    format: Any,
    *,
    seed: int = 0,
    damage: bool = False,
    only: Sequence[str] = (),
    progress: Callable[[int, int, str], object] | None = None,
) -> DeclaredCorpus:
    """Write the corpus of a declaration and its manifest into a folder that is empty or not there yet.

    Args:
        out: the folder.
        format, seed, damage, only: as for `declared_corpus`.
        progress: called for each file with its number, how many there are, and its path.

    Raises:
        UsageError, DeclarationError: as `declared_corpus`; there is something in the folder.
        OSError: it cannot be written. Then, and after an interrupt, the folder is as it was.
    """
    root = Path(out)
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UsageError(f"{root} is not an empty folder")
    corpus = declared_corpus(format, seed=seed, damage=damage, only=only)
    with filling(root):
        for number, file in enumerate(corpus.files):
            if progress is not None:
                progress(number, len(corpus.files), file.path)
            path = root / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            with naming(path):
                path.write_bytes(file.data)
        text = declared_manifest(corpus, seed=seed, damage=damage)
        with naming(root / NAME):
            (root / NAME).write_text(text, encoding="utf-8", newline="")
    return corpus


def declared_manifest(corpus: DeclaredCorpus, *, seed: int, damage: bool) -> str:
    """The manifest as JSON, one file a line; the form is that of Kafka's files."""
    head = {
        "format": FORMAT,
        "seed": seed,
        "damage": damage,
        "kformat": importlib.metadata.version("kformat"),
        "codecs": codec_versions(),
        "declaration": corpus.program.name,
        "reached": len(corpus.reached),
        "unreached": [{"branch": str(branch), "reason": reason} for branch, reason in corpus.unreached.items()],
    }
    lines = ",\n".join(json.dumps(_file_object(file, corpus), separators=(",", ":")) for file in corpus.files)
    return json.dumps(head)[:-1] + ', "files": [\n' + lines + "\n]}\n"


def _file_object(file: DeclaredFile, corpus: DeclaredCorpus) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "path": file.path,
        "sha256": hashlib.sha256(file.data).hexdigest(),
        "size": len(file.data),
        "kind": corpus.program.name,
        "trailing": file.trailing,
        "covers": {"branches": [str(branch) for branch in file.reaches]},
        "source": file.source or None,
        "damage": None,
        "findings": [],
    }
    if file.damage is None:
        return entry | {"value": to_json(file.value, instances=True)}
    return entry | {"damage": file.damage.damage_object(), "findings": [file.damage.finding_object()]}


def _has(file: DeclaredFile, only: Iterable[str]) -> bool:
    words = [file.path, *map(str, file.reaches)]
    if file.damage is not None:
        words += [file.damage.name, file.damage.what, file.damage.path]
    text = "\n".join(words)
    return all(word in text for word in only)


__all__ = [
    "DeclaredCorpus",
    "DeclaredFile",
    "declared_corpus",
    "declared_manifest",
    "write_declared_corpus",
]
