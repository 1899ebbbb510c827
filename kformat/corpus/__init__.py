"""Test data with verdicts: directories like a broker's, and the expected result of reading every file.

    write_corpus("out", seed=7)                 sound files and a manifest
    write_corpus("out", seed=7, damage=True)    and copies, each with one named damage

The same seed and the same versions of the compression libraries give the same bytes on any machine. docs/corpus.md
describes the content and its use. Each case is a function, for tests that need only a few of them:

    parts      a batch or message of any magic: its bytes and its records
    folders    parts in, all files of a partition's folder out
    sound      the sound files          damage    the damaged ones
    verdict    how Kafka reads a file
    manifest   the manifest

And files of any declared format (`kformat.corpus.any_format`):

    write_declared_corpus("out", "x.ksy", seed=7, damage=True)

    hints      values worth a try, from a declaration's expressions
    generating values of a declared type     branches   a type's branches, and those that a value reached
    breaking   damage and its findings       any_format  the corpus
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kformat.check.checker import check
from kformat.corpus.any_format import DeclaredCorpus, DeclaredFile, declared_corpus, write_declared_corpus
from kformat.corpus.damage import Damage, DamagedFolder, damaged_files
from kformat.corpus.manifest import NAME, file_object, manifest_text
from kformat.corpus.parts import CorpusFile, Covers, LogPart, PlannedRecord, ProducerFields
from kformat.corpus.sound import sound_files
from kformat.corpus.verifying import Outcome, verify
from kformat.errors import UsageError
from kformat.kafka.findings.rules import Finding
from kformat.storage.atomic_write import filling
from kformat.storage.plain_file import naming


@dataclass(frozen=True)
class Entry:
    """A file of a corpus, and its damage, if any. ``beside``: it lies next to a damaged file."""

    file: CorpusFile
    damage: Damage | None = None
    beside: bool = False


def corpus_entries(seed: int, *, damage: bool = False, only: Sequence[str] = ()) -> list[Entry]:
    """All files of a corpus, in order of their paths.

    ``only``: words; chosen are files with all of them in their path, kind or coverage. Files next to these are
    included: without them a file would not be sound, or not damaged in one way only.
    """
    sound = sound_files(seed)
    wanted = {_folder_of(file) for file in sound if _has(file, None, only)}
    entries = [Entry(file) for file in sound if _folder_of(file) in wanted]
    for item in damaged_files(sound) if damage else ():
        if _has(item.file, item.damage, only):
            entries.append(Entry(item.file, item.damage))
            entries += [Entry(other, beside=True) for other in item.others]
    return sorted(entries, key=lambda entry: entry.file.path)


def _has(file: CorpusFile, damage: Damage | None, only: Sequence[str]) -> bool:
    covers = file.covers
    words: list[Any] = [file.path, file.kind, *covers.codec, *covers.attributes, *covers.edge]
    words += [f"magic {magic}" for magic in covers.magic]
    if damage is not None:
        words += [damage.name, damage.what, damage.path]
    text = "\n".join(words)
    return all(word in text for word in only)


def write_corpus(
    out: str | os.PathLike[str],
    *,
    seed: int,
    damage: bool = False,
    only: Sequence[str] = (),
    progress: Callable[[int, int, str], object] | None = None,
) -> list[Entry]:
    """Write a corpus and its manifest into a folder that is empty or not there yet.

    Args:
        out: the folder.
        seed: decides about keys, values, times; what is covered is the same for every seed.
        damage: the damaged files, too.
        only: see `corpus_entries`.
        progress: called for each file of the manifest with its number, how many there are, and its path.

    Returns:
        What was written, but for the manifest.

    Raises:
        UsageError: there is something in the folder, or ``only`` leaves nothing.
        OSError: it cannot be written. Then, and after an interrupt, the folder is as it was.
    """
    root = Path(out)
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UsageError(f"{root} is not an empty folder")
    entries = corpus_entries(seed, damage=damage, only=only)
    if not entries:
        raise UsageError(f"no file of the corpus has all of these words: {', '.join(only)}")
    with filling(root):
        for entry in entries:
            path = root / entry.file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            with naming(path):
                path.write_bytes(entry.file.data)
        findings = _findings(root, {entry.file.path.partition("/")[0] for entry in entries})
        folders: dict[str, dict[str, bytes]] = defaultdict(dict)
        for entry in entries:
            folders[_folder_of(entry.file)][entry.file.path.rpartition("/")[2]] = entry.file.data

        def described(number: int, entry: Entry) -> dict[str, Any]:
            if progress is not None:
                progress(number, len(entries), entry.file.path)
            return file_object(
                entry.file,
                entry.damage,
                findings[entry.file.path],
                None if entry.beside else folders[_folder_of(entry.file)],
            )

        files = (described(number, entry) for number, entry in enumerate(entries))
        text = manifest_text(seed, damage, files)
        with naming(root / NAME):
            (root / NAME).write_text(text, encoding="utf-8", newline="")
    return entries


def _folder_of(file: CorpusFile) -> str:
    return file.path.rpartition("/")[0]


def _findings(root: Path, folders: Iterable[str]) -> dict[str, list[Finding]]:
    """The findings of `kformat check` for each file, by path below the corpus, without those of severity ``info``."""
    findings: dict[str, list[Finding]] = defaultdict(list)
    for folder in sorted(folders):
        for finding in check(root / folder):
            if finding.severity != "info":
                findings[Path(finding.file).relative_to(root).as_posix()].append(finding)
    return findings


__all__ = [
    "CorpusFile",
    "Covers",
    "Damage",
    "DamagedFolder",
    "DeclaredCorpus",
    "DeclaredFile",
    "Entry",
    "LogPart",
    "Outcome",
    "PlannedRecord",
    "ProducerFields",
    "corpus_entries",
    "damaged_files",
    "declared_corpus",
    "sound_files",
    "verify",
    "write_corpus",
    "write_declared_corpus",
]
