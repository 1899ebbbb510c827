"""How large parts are: what is too large to be read at once is divided by what it knows."""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.test_imports import ENGINE, TOOLKIT, tree

MOST_LINES = {ast.ClassDef: 400, ast.FunctionDef: 80}
"""Lines with code; docstrings, comments and blank lines do not count."""
MOST_ALIKE = 20


@functools.cache
def lines_with_code(path: Path) -> set[int]:
    lines = path.read_text(encoding="utf-8").splitlines()
    found = {number for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")}
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def definitions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.ClassDef | ast.FunctionDef]]:
    """All classes and functions, with their names in the module."""
    for child in ast.iter_child_nodes(node):
        name = prefix
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            name = f"{prefix}.{child.name}".removeprefix(".")
            yield name, child
        yield from definitions(child, name)


def test_classes_and_functions_are_small() -> None:
    found = []
    for house in (TOOLKIT, ENGINE):
        for path in house.files:
            lines = lines_with_code(path)
            for name, node in definitions(tree(path)):
                last = node.end_lineno or node.lineno
                if sum(node.lineno <= line <= last for line in lines) > MOST_LINES[type(node)]:
                    found.append(f"{path.relative_to(house.path)}: {name}")
    assert not found


def test_no_name_of_a_class_stands_twice() -> None:
    names = Counter(
        node.name
        for house in (TOOLKIT, ENGINE)
        for path in house.files
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    )
    assert not [name for name, count in names.items() if count > 1]


def test_no_long_passage_stands_twice() -> None:
    """Of lines with code, without imports: what is that alike is one function."""
    seen: dict[tuple[str, ...], str] = {}
    found = []
    for house in (TOOLKIT, ENGINE):
        for path in house.files:
            text = path.read_text(encoding="utf-8").splitlines()
            imports = {
                line
                for node in ast.walk(tree(path))
                if isinstance(node, ast.Import | ast.ImportFrom)
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
            }
            numbers = sorted(lines_with_code(path) - imports)
            lines = [text[number - 1].strip() for number in numbers]
            for first in range(len(lines) - MOST_ALIKE):
                passage, here = tuple(lines[first : first + MOST_ALIKE + 1]), f"{path.name}:{numbers[first]}"
                if seen.setdefault(passage, here) != here:
                    found.append(f"{here} is {seen[passage]}")
    assert not found
