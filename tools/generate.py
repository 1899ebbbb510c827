"""Rewrite everything in the tree that is made from something else; `--check` compares instead (CI does).

    python -m tools.generate [--check] [--but-documents] [PATH...]

GENERATORS says which file is made by what. Adding a generated file is adding a line there. In FOLDERS nothing else may
lie, so that what was made from a declaration goes with it.
"""

from __future__ import annotations

import argparse
import difflib
import functools
import sys
from collections.abc import Callable, Mapping

from kformat.kernels import compiled
from tools import (
    documents,
    format_pages,
    journeys,
    json_schemas,
    kafka_tests,
    kernels,
    messages_page,
    pictures,
    programs,
    recovery_page,
    rules_page,
    stubs,
    witness,
)

ROOT = documents.ROOT


def document(path: str) -> str:
    """A Markdown document whose examples run, with what they print now."""
    return documents.refreshed((ROOT / path).read_text(encoding="utf-8"), path)


# Documents whose examples run: they are their own source.
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/asyncio-service.md",
    "docs/captures.md",
    "docs/cli.md",
    "docs/corpus.md",
    "docs/declarations.md",
    "docs/device.md",
    "docs/embedded-log.md",
    "docs/from-construct.md",
    "docs/from-kaitai.md",
    "docs/from-sqlite.md",
    "docs/json.md",
    "docs/monitoring.md",
    "docs/recipes.md",
    "docs/rescue.md",
    "docs/testing.md",
    "docs/walkthrough.md",
    "docs/write-ahead-log.md",
    "engine/README.md",
)
# Path in the tree -> what makes its text.
GENERATORS: Mapping[str, Callable[[], str]] = {
    **{path: functools.partial(document, path) for path in DOCUMENTS},
    "docs/architecture.md": journeys.page,
    "docs/kafka-tests.md": kafka_tests.page,
    "docs/messages.md": messages_page.page,
    "docs/recovery.md": recovery_page.page,
    "docs/rules.md": rules_page.page,
    **{f"tests/witness/{path.stem}.py": functools.partial(witness.module, path) for path in witness.DECLARATIONS},
    "kformat/generated/values.py": stubs.values_py,
    "kformat/generated/values.pyi": stubs.values_pyi,
    "kformat/generated/parsing.py": stubs.parsing_py,
    "kformat/generated/parsing.pyi": stubs.parsing_pyi,
    **{f"kformat/kernels/generated/{name}.py": functools.partial(kernels.module, name) for name in compiled.COMMITTED},
    **{f"kformat/language/generated/{name}.py": functools.partial(programs.module, name) for name in programs.names()},
    **format_pages.pages(),
    **json_schemas.files(),
    **pictures.pictures(),
}
# Folders that hold generated files alone -> what in them is written by hand.
FOLDERS: Mapping[str, set[str]] = {
    "kformat/generated": {"__init__.py"},
    "kformat/kernels/generated": {"__init__.py"},
    "kformat/language/generated": {"__init__.py"},
    "tests/witness": {"__init__.py"},
    "docs/formats": set(),
    "docs/screens": set(),
    "docs/schemas": {"corpus-manifest.schema.json", "declared-corpus-manifest.schema.json"},
}


def leftovers() -> list[str]:
    """Files in FOLDERS that nothing makes any more."""
    files = {
        str(path.relative_to(ROOT)): path.name in by_hand
        for folder, by_hand in FOLDERS.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    return sorted(path for path, by_hand in files.items() if not by_hand and path not in GENERATORS)


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 done, or nothing differs; 1 something differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.generate", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; show what differs and exit 1")
    parser.add_argument(
        "--but-documents", action="store_true", help="leave out those with examples, which tests/test_readme.py runs"
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="only these generated files")
    options = parser.parse_args(arguments)
    if unknown := set(options.paths) - set(GENERATORS):
        parser.error(f"not generated: {', '.join(sorted(unknown))} (generated are: {', '.join(GENERATORS)})")
    stale = []
    left_out = DOCUMENTS if options.but_documents else ()
    for path in options.paths or [path for path in GENERATORS if path not in left_out]:
        target = ROOT / path
        old = target.read_text(encoding="utf-8") if target.exists() else ""
        new = GENERATORS[path]()
        if new == old:
            print(f"{path}: up to date")
            continue
        stale.append(path)
        if options.check:
            sys.stdout.writelines(
                difflib.unified_diff(
                    old.splitlines(keepends=True), new.splitlines(keepends=True), path, f"{path} as it would be made"
                )
            )
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(new, encoding="utf-8")
            print(f"{path}: rewritten")
    for path in [] if options.paths else leftovers():
        stale.append(path)
        print(f"{path}: made by nothing any more")
        if not options.check:
            (ROOT / path).unlink()
    if options.check and stale:
        print(f"stale, run `make generate`: {', '.join(stale)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
