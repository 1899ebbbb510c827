"""The programs of declarations, by name.

The form itself is in `steps`, whose names are available here, too.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kformat.errors import DeclarationError, UsageError
from kformat.language.files import Seen
from kformat.language.kernel_reasons import encode_reason as encode_reason
from kformat.language.kernel_reasons import kernel_reason as kernel_reason
from kformat.language.kernel_reasons import kernels_evaluate as kernels_evaluate
from kformat.language.kernel_reasons import of_elements as of_elements
from kformat.language.shipped import shipped_program
from kformat.language.steps import MAX_DEPTH as MAX_DEPTH
from kformat.language.steps import MAX_FREE_ELEMENTS as MAX_FREE_ELEMENTS
from kformat.language.steps import MAX_NESTING as MAX_NESTING
from kformat.language.steps import MAX_STEPS as MAX_STEPS
from kformat.language.steps import NESTING_BOUND as NESTING_BOUND
from kformat.language.steps import Align as Align
from kformat.language.steps import BitField as BitField
from kformat.language.steps import ByteOrder as ByteOrder
from kformat.language.steps import Case as Case
from kformat.language.steps import Check as Check
from kformat.language.steps import CheckEnd as CheckEnd
from kformat.language.steps import Checksum as Checksum
from kformat.language.steps import Enum as Enum
from kformat.language.steps import Field as Field
from kformat.language.steps import Instance as Instance
from kformat.language.steps import LogicalType as LogicalType
from kformat.language.steps import Parameter as Parameter
from kformat.language.steps import ProcessCall as ProcessCall
from kformat.language.steps import Program as Program
from kformat.language.steps import ReadBit as ReadBit
from kformat.language.steps import ReadBits as ReadBits
from kformat.language.steps import ReadBytes as ReadBytes
from kformat.language.steps import ReadFloat as ReadFloat
from kformat.language.steps import ReadInteger as ReadInteger
from kformat.language.steps import ReadList as ReadList
from kformat.language.steps import ReadLiteral as ReadLiteral
from kformat.language.steps import ReadOpaque as ReadOpaque
from kformat.language.steps import ReadSwitch as ReadSwitch
from kformat.language.steps import ReadType as ReadType
from kformat.language.steps import ReadVarint as ReadVarint
from kformat.language.steps import Step as Step
from kformat.language.steps import TaggedField as TaggedField
from kformat.language.steps import Trim as Trim
from kformat.language.steps import TypeProgram as TypeProgram
from kformat.language.steps import Window as Window
from kformat.language.steps import case_kind as case_kind
from kformat.language.steps import case_kinds as case_kinds
from kformat.language.steps import content_of as content_of
from kformat.language.steps import expressions_in as expressions_in
from kformat.language.steps import inner_steps as inner_steps
from kformat.language.steps import types_of as types_of

if TYPE_CHECKING:
    from kformat.language.declaration import Declaration


def _reading() -> Any:
    """Import `declaration`, which loads YAML; the shipped formats do not need it: they are compiled already."""
    return importlib.import_module("kformat.language.declaration")


def compile_declaration(declaration: Declaration, complaints: Sequence[DeclarationError] = ()) -> Program:
    """Compile a declaration and all its types.

    Raises:
        DeclarationError: with all complaints: ``complaints``, those of its reading, and those of compiling it.
    """
    compiler: Any = importlib.import_module("kformat.language.compiler")
    program: Program = compiler.compile_declaration(declaration, complaints)
    return program


def _read(read: Callable[[], Declaration]) -> Declaration:
    """Read a declaration. If it has complaints, raise them with those of compiling what could be read."""
    try:
        return read()
    except DeclarationError as error:
        if error.declaration is not None:
            compile_declaration(error.declaration, [error.alone(), *error.others])
        raise


def parse_declaration(
    text: str,
    file: str = "<text>",
    folder: str | Path | None = None,
    *,
    import_paths: Sequence[str | Path] = (),
) -> Declaration:
    """As `declaration.parse_declaration`, and compiled, so that what is accepted here is accepted everywhere.

    Raises DeclarationError with all complaints.
    """
    declaration = _read(lambda: _reading().parse_declaration(text, file, folder, import_paths=import_paths))
    if declaration.root.intrinsic is None:
        _compiled(declaration)
    return declaration


def load_declaration(format: str | Path | Declaration, *, import_paths: Sequence[str | Path] = ()) -> Declaration:
    """Load a declaration by the name of a shipped format, or by the path of a ``.ksy`` file, and compile it.

    ``import_paths`` are searched for imports before the folders of ``KSPATH``.

    Raises:
        UsageError: there is no such format, and it is not the path of a ``.ksy`` file.
        OSError: the file cannot be read.
        DeclarationError: with all complaints.
    """
    declaration = _read(lambda: _reading().load_declaration(format, import_paths=import_paths))
    if declaration.root.intrinsic is None:
        _compiled(declaration)
    return declaration


@lru_cache(maxsize=256)
def _compiled(declaration: Declaration) -> Program:
    return compile_declaration(declaration)


def load_program(format: Any) -> Program:
    """The program of a shipped format (by name), of a ``.ksy`` file (by path) or of a Declaration; compiled once.

    Raises what `load_declaration` and `compile_declaration` raise.
    """
    program = shipped_program(format) if isinstance(format, str) else None
    return _compiled(_read(lambda: _reading().load_declaration(format))) if program is None else program


_KEPT_TYPES: Final = 256
_types: dict[str, tuple[Seen, TypeProgram]] = {}
"""The types of files by their paths, with the files."""


def standalone(program: TypeProgram) -> TypeProgram:
    """The same type; UsageError if it has parameters, which only a type that holds it gives."""
    if program.parameters:
        file, *inner = program.name.split("::")
        use = f"{'::'.join([file, *inner])}({', '.join('0' for _ in program.parameters)})"
        raise UsageError(
            f"{program.name} has parameters ({', '.join(program.parameters)}), which the type that holds it gives;"
            f" to read it alone, declare one: `meta: {{id: whole, imports: [{file}]}}`, `seq: [{{id: value, type:"
            f" '{use}'}}]`, with values of yours"
        )
    return program


def load_type(format: Any) -> TypeProgram:
    """A type: a format's own, or one inside it (``record_batch::record``, ``my.ksy::entry``).

    Raises UsageError if the format has no such type; also the exceptions of `load_program`.
    """
    if isinstance(format, TypeProgram):
        return format
    known = _types.get(format) if isinstance(format, str) else None
    if known is not None and known[0].is_current():
        return known[1]
    reading = sys.modules.get("kformat.language.declaration")
    if reading is not None and isinstance(format, reading.Declaration):
        return _compiled(format).root
    if isinstance(format, str) and "::" in format:
        name, _, inner = format.partition("::")
        program = load_program(name)
        inner_type = program.types.get(f"{program.root.name}::{inner}")
        if inner_type is None:
            inside = ", ".join(key.partition("::")[2] for key in program.types if "::" in key)
            raise UsageError(f"{program.root.name} has no type {inner!r} (it has {inside or 'none'})")
        return inner_type
    root = load_program(format).root
    seen = _reading().seen_files(format) if isinstance(format, str) and format.endswith(".ksy") else None
    if seen is not None:
        if len(_types) >= _KEPT_TYPES:
            _types.clear()
        _types[format] = seen, root
    return root


__all__ = ["load_type"]
