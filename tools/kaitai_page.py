"""docs/kaitai.md: Kaitai's own tests and public declarations, and what becomes of each of them here.

    python -m tools.kaitai_page TESTS FORMATS

TESTS is a checkout of Kaitai's test suite (formats/*.ksy, src/, spec/ks/*.kst), FORMATS one of its public declarations.
Neither is part of this project: the page is made where they are, and says of what. Kaitai's compiler makes Python
classes of every declaration; a test's file is read by both sides and compared value by value, instances included, as in
tests/language/test_kaitai_judge.py, and built again.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

import kformat
from kformat.codec.leftover import reads_elsewhere
from kformat.errors import DataError, DeclarationError, KformatError
from kformat.language.program import load_type
from tests.judges.kaitai import kaitai_compile
from tests.language.beside_kaitai import compared
from tests.language.public import mutants
from tools.documents import ROOT

PAGE = ROOT / "docs" / "kaitai.md"
SAME, BOTH_REFUSE, DIFFERS, REFUSED = "the same", "both refuse", "DIFFERS", "refused"
NO_CLASS = "Kaitai's Python target makes no class of it"


@dataclass
class Row:
    """One line: of a test or a declaration."""

    name: str
    outcome: str
    built: str = ""
    reason: str = ""
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
        spec.loader.exec_module(module)
    except ImportError:  # a class that somebody else has to write
        return None
    found: type[Any] | None = getattr(module, "".join(part.capitalize() for part in name.split("_")), None)
    return found


def tests(folder: Path) -> Iterator[Row]:
    """A row for each test."""
    formats = folder / "formats"
    files = sorted(formats.glob("*.ksy"))
    with tempfile.TemporaryDirectory(prefix="kformat-kaitai-") as out, search_path(formats / "ks_path"):
        classes(files, Path(out), formats / "ks_path")
        sys.path.insert(0, out)
        for spec in sorted((folder / "spec" / "ks").glob("*.kst")):
            test = yaml.safe_load(spec.read_text("utf-8"))
            yield _test(test["id"], formats, (folder / "src" / test["data"]).read_bytes(), Path(out))
        sys.path.remove(out)


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
    for how, words in (({}, "yes"), ({"onto": data}, "onto the original")):
        try:
            if kformat.build(path, value, **how) == data:
                return words
        except KformatError:
            continue
    return "no"


def declarations(folder: Path) -> Iterator[Row]:
    """A row for each public declaration."""
    with search_path(folder):
        for path in sorted(folder.rglob("*.ksy")):
            name = path.relative_to(folder).with_suffix("").as_posix()
            try:
                kformat.describe(path)
                is_apart = reads_elsewhere(load_type(path))
                yield Row(name, "loads", keeps="between instances with pos" if is_apart else "")
            except (DeclarationError, KformatError) as error:
                yield Row(name, REFUSED, reason=_short(error))


def _short(error: Exception) -> str:
    text = str(error).splitlines()[0]
    return text.rpartition("/formats/")[2][:160]


def page(tests_folder: Path, formats_folder: Path) -> str:
    """The text of docs/kaitai.md."""
    asked, public = list(tests(tests_folder)), list(declarations(formats_folder))
    outcomes, loads = Counter(row.outcome for row in asked), Counter(row.outcome for row in public)
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
        f"Of {len(public)} public declarations: " + ", ".join(f"{loads[name]} {name}" for name in sorted(loads)) + ".",
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
        "A declaration whose instances have a `pos` says where the parts of a file are, and seldom of every byte: "
        "files with bytes between them need `--trailing keep`, and `--onto` to be built again.",
        "",
        "| declaration | outcome | bytes may be left over | about it |",
        "|---|---|---|---|",
        *(f"| {row.name} | {row.outcome} | {row.keeps} | {_cell(row.reason)} |" for row in public),
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
