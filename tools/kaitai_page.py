"""docs/kaitai.md: Kaitai's own tests and public declarations, and what becomes of each of them here.

    python -m tools.kaitai_page TESTS FORMATS

TESTS is a checkout of Kaitai's test suite (formats/*.ksy, src/, spec/ks/*.kst), FORMATS one of its public declarations.
Neither is part of this project: the page is made where they are, and says of what. Kaitai's compiler makes Python
classes of every declaration; a test's file is read by both sides and compared value by value, instances included, as in
tests/language/test_kaitai_judge.py, and built again. For a public declaration there are files of its corpus, sound and
damaged, files that libraries write, bytes that Kaitai's class reads (`tests.language.sound_bytes`), and mutants of all.
"""

from __future__ import annotations

import importlib.util
import json
import keyword
import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

import kformat
from kformat.codec.leftover import reads_elsewhere
from kformat.corpus import declared_corpus
from kformat.errors import DataError, KformatError, UsageError
from kformat.language.program import load_type
from tests.judges.kaitai import kaitai_compile
from tests.language import public
from tests.language.beside_kaitai import compared
from tests.language.public import mutants
from tests.language.sound_bytes import sound_bytes
from tools.documents import ROOT

PAGE = ROOT / "docs" / "kaitai.md"
PUBLIC = Path(os.environ.get("KFORMAT_PUBLIC_DECLARATIONS", ROOT.parent / "shared" / "judges" / "kaitai" / "formats"))
"""Where tests look for the public declarations."""
SAME, BOTH_REFUSE, DIFFERS, REFUSED = "the same", "both refuse", "DIFFERS", "refused"
NO_CLASS = "Kaitai's Python target makes no class of it"


@dataclass
class Row:
    """One line: of a test or a declaration."""

    name: str
    outcome: str
    built: str = ""
    reason: str = ""
    inputs: str = ""
    """What was read of a declaration."""
    keeps: str = ""
    """Of what bytes may be left over, so that ``--trailing keep`` is needed; "" where none are."""


@contextmanager
def search_path(folder: Path) -> Iterator[None]:
    """Where absolute imports lie."""
    before = os.environ.get("KSPATH")
    os.environ["KSPATH"] = str(folder)
    try:
        yield
    finally:
        del os.environ["KSPATH"]
        if before is not None:
            os.environ["KSPATH"] = before


DECLARED: tuple[tuple[str, str], ...] = (
    (
        "`id: off`, and `on`, `yes`, `no`",
        "YAML 1.1 has them for truth values, and Kaitai names the field `false` or `true`; kformat takes the word "
        "that is written as the name, and as a truth value elsewhere (`if: yes`)",
    ),
    (
        "bytes that are not UTF-8 in a declaration",
        "Kaitai replaces each by U+FFFD wherever it stands; kformat does so in comments, `doc`, titles and the like, "
        "and refuses it elsewhere, where `contents` would be other bytes without a word",
    ),
    (
        "a rule or an argument that no value can meet",
        "`min` above `max`, or a constant that never fits its parameter: Kaitai makes classes that refuse everything; "
        "kformat refuses the declaration",
    ),
    ("a size that is always negative", "Kaitai makes a class that always fails; kformat refuses the declaration"),
    (
        "an encoding that Python does not have",
        "Kaitai's compiler takes every name, and its classes fail; kformat refuses the declaration, unless the "
        "encoding is registered",
    ),
    (
        "bounds of a declaration",
        "2 MiB (the environment variable `KFORMAT_MAX_DECLARATION_BYTES` raises it), lists and mappings nested 50 "
        "deep, integers of 4096 bits, expressions of 8,000 characters and 200 operators",
    ),
    (
        "`sizeof<>` over a negative constant count",
        "Kaitai subtracts the size of so many elements; for kformat a negative count is that of no element",
    ),
)
"""What a declaration means to Kaitai's compiler and to kformat, where that differs on purpose, and why."""


def classes(paths: list[Path], out: Path, import_path: Path) -> None:
    """What Kaitai's compiler makes of the declarations that it takes; of the others nothing."""
    kaitai_compile(paths, "python", out, read_write=False, import_path=import_path)


def kind_of(name: str, out: Path) -> type[Any] | None:
    """A compiled class, or None."""
    path = out / f"{name}.py"
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location(f"kaitai_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        compile(path.read_text("utf-8"), str(path), "exec")
    except SyntaxError:  # enums and fields that are named by words of Python
        words = "|".join(keyword.kwlist)
        text = re.sub(rf"\b({words})\b(?= = \d+$)", r"\1_", path.read_text("utf-8"), flags=re.MULTILINE)
        path.write_text(re.sub(rf"(?<=\w)\.({words})\b", r".__dict__['\1']", text), "utf-8")
    sys.path.insert(0, str(out))  # its imports; later they would hide libraries of these names
    try:
        spec.loader.exec_module(module)
    except (ImportError, SyntaxError):  # a class that somebody else has to write
        return None
    finally:
        sys.path.remove(str(out))
    found: type[Any] | None = getattr(module, "".join(part.capitalize() for part in name.split("_")), None)
    return found


def tests(folder: Path) -> Iterator[Row]:
    """A row for each test."""
    formats = folder / "formats"
    files = sorted(formats.glob("*.ksy"))
    with tempfile.TemporaryDirectory(prefix="kformat-kaitai-") as out, search_path(formats / "ks_path"):
        classes(files, Path(out), formats / "ks_path")
        for spec in sorted((folder / "spec" / "ks").glob("*.kst")):
            test = yaml.safe_load(spec.read_text("utf-8"))
            yield _test(test["id"], formats, (folder / "src" / test["data"]).read_bytes(), Path(out))


def _test(name: str, formats: Path, data: bytes, out: Path) -> Row:
    path = formats / f"{name}.ksy"
    kind = kind_of(name, out)
    try:
        value = kformat.parse(path, data, trailing="keep")
    except DataError as error:
        value, refusal = None, error
    except KformatError as error:
        return Row(name, REFUSED, reason=_short(error))
    if kind is None:
        outcome, reason = "read" if value is not None else "a data error", NO_CLASS
    elif (difference := compared(path, data, kind).difference) is not None:
        outcome, reason = DIFFERS, difference[:160]
    else:
        outcome, reason = (SAME, "") if value is not None else (BOTH_REFUSE, _short(refusal))
    if value is None:
        return Row(name, outcome, reason=reason)
    return Row(name, outcome, _built(path, value, data), reason, _left_over(path, data))


def _left_over(path: Path, data: bytes) -> str:
    """How many bytes of a test's file nothing declares, from where on: the words of the error without ``keep``."""
    try:
        kformat.parse(path, data)
    except DataError as error:
        return f"from {error.position} on" if error.message == "bytes are left over" else ""
    except KformatError:
        pass
    return ""


def _built(path: Path, value: Any, data: bytes) -> str:
    """Whether building gives the bytes again: by itself, or over the original where not every byte is declared."""
    for onto, words in ((None, "yes"), (data, "onto the original")):
        try:
            if kformat.build(path, value, onto=onto) == data:
                return words
        except KformatError:
            continue
    return "no"


WRITTEN = {
    "archive/gzip": "gzip", "archive/zip": "zip", "database/dbf": "dbf", "database/gettext_mo": "gettext_mo",
    "database/sqlite3": "sqlite", "executable/elf": "elf", "font/ttf": "truetype",
    "geospatial/shapefile_main": "shapes", "image/bmp": "bmp", "image/exif": "tiff", "image/gif": "gif",
    "image/icc_4": "icc_profile", "image/jpeg": "jpeg", "image/pcx": "pcx", "image/png": "png",
    "media/id3v2_3": "mp3", "media/id3v2_4": "mp3", "media/ogg": "ogg", "media/standard_midi_file": "midi",
    "media/wav": "wav", "network/dns_packet": "dns_message", "network/pcap": "pcap",
    "serialization/asn1/asn1_der": "der", "serialization/bson": "bson_document",
    "serialization/python_pickle": "pickle_code",
}  # fmt: skip
"""Public declaration -> our own of that format, of which there are files (`tests.language.public`)."""
MADE = {
    "log/mcap": bytes.fromhex(
        "894d434150300d0a" "0f" "0400000000000000" "00000000" "02" "1400000000000000" + "00" * 20 + "894d434150300d0a"
    ),
    "media/id3v2_4": b"ID3\4\0\x10\0\0\0\x64TIT2\0\0\0\5\0\0\3abcd" + bytes(10) + b"3DI\4\0\x10\0\0\0\x64",
    "log/systemd_journal": b"LPKSHHRH" + bytes(80) + b"".join(
        number.to_bytes(8, "little") for number in (240, 48, 240, 8, 256, 8, 264, 2, *[0] * 11)
    ) + 2 * (b"\1" + bytes(7) + b"\x18" + bytes(15)),
}  # fmt: skip
"""Bytes of declarations of which nothing else makes any."""
MOST_FILES, MOST_BYTES, MUTANTS = 40, 30_000, 60
"""Of the corpus of a declaration, sound and damaged each; of an input; of a declaration."""
SEED = 1


def declarations(folder: Path, names: Sequence[str] | None = None) -> Iterator[Row]:
    """A row for each public declaration, or for those with these names."""
    paths = {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(folder.rglob("*.ksy"))}
    with tempfile.TemporaryDirectory(prefix="kformat-kaitai-") as scratch, search_path(folder):
        out = Path(scratch) / "classes"
        chosen = {name: path for name, path in paths.items() if names is None or name in names}
        asked = {name: _alone(name, path, Path(scratch)) for name, path in chosen.items()}
        classes(list(asked.values()), out, folder)
        for name, path in asked.items():
            try:
                kformat.describe(path)
                is_apart = reads_elsewhere(load_type(path))
            except KformatError as error:
                yield Row(name, REFUSED, reason=_short(error))
                continue
            yield _values(name, path, out, "between instances with pos" if is_apart else "")


def _alone(place: str, path: Path, folder: Path) -> Path:
    """A declaration that can be read by itself: of one whose root has parameters, another that begins with them.
    ``place``: on the search path.
    """
    text = yaml.safe_load(path.read_text("utf-8"))
    if not text.get("params"):
        return path
    steps, given = list[str](), list[str]()
    for number, parameter in enumerate(text["params"]):
        kind = str(parameter.get("type", "bytes"))
        is_number = kind == "bool" or re.fullmatch(r"[us]\d.*", kind)
        steps.append(f"  - {{id: given{number}, type: {'u1' if is_number else kind}}}")
        given.append(f"given{number}" + {"bool": " != 0", "u1": " % 16"}.get(kind, ""))
    name = text["meta"]["id"]
    imports = [f"/{place}", *(text["meta"].get("imports") or ())]
    made = folder / f"{name}_alone.ksy"
    made.write_text(
        f"meta: {{id: {name}_alone, imports: {json.dumps(imports)}}}\nseq:\n"
        + "\n".join((*steps, f'  - {{id: it, type: "{name}({", ".join(given)})"}}\n')),
        encoding="utf-8",
    )
    return made


def _values(name: str, path: Path, out: Path, keeps: str) -> Row:
    """Whether the values of a declaration are Kaitai's, on all of its inputs."""
    kind = kind_of(path.stem, out)
    if kind is None:
        return Row(name, "loads", reason=NO_CLASS, keeps=keeps)
    declaration, seen, read_count = kformat.load_declaration(path), Counter[str](), 0
    for data in _inputs(name, path, kind, out):
        found = list[str]()

        def known(ours: Any, other: Any, found: list[str] = found) -> bool:
            found += [item.name for item in mutants.CLASSES if item.applies(ours, other)][:1]
            return bool(found)

        try:
            with mutants.bounded(out):
                result = compared(declaration, data, kind, known)
        except mutants.TakesTooLong:
            return Row(name, DIFFERS, reason=f"takes longer than {mutants.SECONDS} s: {data.hex():.100}", keeps=keeps)
        if result.difference is not None:
            return Row(name, DIFFERS, reason=f"{result.difference:.160}; {data.hex():.200}", keeps=keeps)
        read_count += result.is_read
        seen["inputs"] += 1
    outcome = SAME if read_count else BOTH_REFUSE
    reason = "" if read_count else "no sound bytes were found"
    return Row(name, outcome, reason=reason, inputs=f"{read_count} of {seen['inputs']}", keeps=keeps)


def _inputs(name: str, path: Path, kind: type[Any], out: Path) -> Iterator[bytes]:
    """The bytes of a declaration, sound ones first."""
    sound, damaged = [MADE[name]] if name in MADE else [], [bytes(64), bytes(range(256))]
    try:
        corpus = declared_corpus(path, seed=SEED, damage=True)
        sound += [file.data for file in corpus.sound[:MOST_FILES]]
        damaged += [file.data for file in corpus.damaged[:: max(len(corpus.damaged) // MOST_FILES, 1)]]
    except UsageError:  # no value was found
        pass
    if name in WRITTEN:
        with tempfile.TemporaryDirectory() as scratch, suppress(public.Missing):
            sound += mutants.write([WRITTEN[name]], Path(scratch))[WRITTEN[name]]
    with suppress(mutants.KaitaiTakesTooLong, MemoryError), mutants.bounded(out):
        sound += sound_bytes(kind, 12)
    sound = [data for data in dict.fromkeys(sound) if len(data) <= MOST_BYTES]
    yield from sound
    yield from damaged
    chance = random.Random(f"{SEED} {name}")
    for data in chance.sample(sound, len(sound)) * (MUTANTS // max(len(sound), 1) + 1):
        yield mutants.mutated(data, [(at, 1) for at in range(len(data))] or [(0, 0)], chance)


def _short(error: Exception) -> str:
    text = str(error).splitlines()[0]
    return text.rpartition("/formats/")[2][:160]


def told(text: str) -> dict[str, str]:
    """What the page says of the values of each public declaration."""
    _, _, table = text.partition("\n## Public declarations\n")
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    return {name: outcome for name, outcome, *_ in rows[1:]}


def page(tests_folder: Path, formats_folder: Path) -> str:
    """The text of docs/kaitai.md."""
    asked, found = list(tests(tests_folder)), list(declarations(formats_folder))
    outcomes, loads = Counter(row.outcome for row in asked), Counter(row.outcome for row in found)
    builds = Counter(row.built for row in asked if row.built)
    lines = [
        "# Kaitai's tests and public declarations",
        "",
        "Written by `python -m tools.kaitai_page`, which needs checkouts of both. Kaitai's compiler (0.11) makes "
        "Python classes of each test's declaration; both sides read the test's file, and their values are compared one "
        "by one, instances included.",
        "",
        f"Of {len(asked)} tests: " + ", ".join(f"{outcomes[name]} {name}" for name in sorted(outcomes)) + ". "
        "Built again to the same bytes: " + ", ".join(f"{builds[name]} {name}" for name in sorted(builds)) + ".",
        "",
        f"Values of {len(found)} public declarations: "
        + ", ".join(f"{loads[name]} {name}" for name in sorted(loads))
        + ".",
        "",
        "## Differences on purpose",
        "",
        "Sound and mutated files of public formats are read by both sides, too. What may differ, and why "
        "(`CLASSES` in [mutants.py](../tests/language/public/mutants.py)):",
        "",
        "| difference | why |",
        "|---|---|",
        *(f"| {item.name} | {_cell(item.reason)} |" for item in mutants.CLASSES),
        "",
        "Of declarations that Kaitai's compiler takes:",
        "",
        "| declaration | difference, and why |",
        "|---|---|",
        *(f"| {name} | {_cell(reason)} |" for name, reason in DECLARED),
        "",
        "## Tests",
        "",
        "Where bytes are left over that nothing declares, the file is read with `--trailing keep`, as Kaitai reads it; "
        "by default they are an error.",
        "",
        "| test | read | built again | left over | about it |",
        "|---|---|---|---|---|",
        *(f"| {row.name} | {row.outcome} | {row.built} | {row.keeps} | {_cell(row.reason)} |" for row in asked),
        "",
        "## Public declarations",
        "",
        "Both sides read the same bytes: files of the declaration's corpus, sound and damaged; files that libraries "
        "write; bytes that are made until Kaitai's class reads them; and mutants of all of them. Their values are "
        "compared one by one, instances included. A declaration whose root has parameters is read as the field of "
        "another one.",
        "",
        "A declaration whose instances have a `pos` says where the parts of a file are, and seldom of every byte: "
        "files with bytes between them need `--trailing keep`, and `--onto` to be built again.",
        "",
        "| declaration | values | inputs that are read | bytes may be left over | about it |",
        "|---|---|---|---|---|",
        *(f"| {row.name} | {row.outcome} | {row.inputs} | {row.keeps} | {_cell(row.reason)} |" for row in found),
    ]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main(arguments: list[str]) -> int:
    """Write the page; 2 where the folders are not named."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    PAGE.write_text(page(*map(Path, arguments)), encoding="utf-8")
    print(PAGE.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
