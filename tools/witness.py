"""Kaitai's own Python classes for every declaration, which read and write: the second opinion on the codec.

The text of `tests/witness/<declaration>.py`. Kaitai Struct's compiler makes it, so that nothing in it is ours but
the first line; it takes a JDK, and Maven where the compiler has not been fetched yet.
"""

from __future__ import annotations

import functools
import shutil
import tempfile
from pathlib import Path

import yaml

from tests.judges import jars
from tests.judges.kaitai import KAITAI, kaitai_compile
from tools.documents import ROOT

PACKAGE = "tests.witness"
# The messages that lie in every log, and what they import; tests/kafka/messages/ compiles all others when it runs.
MESSAGES = (
    *("control_record_type_schema", "end_txn_marker", "leader_change_message", "snapshot_header_record"),
    *(
        "snapshot_footer_record",
        "kraft_version_record",
        "voters_record",
        "transaction_log_key",
        "transaction_log_value",
    ),
    "kafka_types",
)
DECLARATIONS = [
    *sorted((ROOT / "formats").glob("*.ksy")),
    *(ROOT / "formats" / "messages" / f"{name}.ksy" for name in MESSAGES),
]
# What the compiler writes first, in place of which ours says from what.
ITS_HEADER = "# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild\n"
# The compiler's licence, the GPL, is about the compiler: what it writes is a translation of what it was given.
HEADER = """\
# Made from {path} by Kaitai Struct's compiler {version}, under the declaration's licence, {license}.
# Do not edit: change the declaration and run `make generate`.
"""


@functools.cache
def compiled() -> dict[str, str]:
    """Declaration -> text of its module, of all declarations: the compiler starts once.

    Fetches the compiler where it is missing. SystemExit says what is missing for that, or what the compiler refused.
    """
    jars.fetch(KAITAI)
    if shutil.which("java") is None:
        raise SystemExit("Kaitai's compiler makes tests/witness/, and there is no `java` here to run it")
    with tempfile.TemporaryDirectory(prefix="kformat-witness-") as folder:
        done = kaitai_compile(DECLARATIONS, "python", Path(folder), package=PACKAGE)
        # What it prints may be remarks on names; only its exit status says whether it took the files.
        if done.returncode:
            raise SystemExit(f"Kaitai's compiler refuses a declaration:\n{done.stderr.strip()}")
        return {path.stem: (Path(folder) / f"{path.stem}.py").read_text(encoding="utf-8") for path in DECLARATIONS}


def module(declaration: Path) -> str:
    """The text of one declaration's module; SystemExit as `compiled`."""
    text = compiled()[declaration.stem]
    if not text.startswith(ITS_HEADER) or "(ReadWriteKaitaiStruct)" not in text:
        raise SystemExit(f"Kaitai's compiler made something else than classes that write of {declaration.name}")
    license = yaml.safe_load(declaration.read_text(encoding="utf-8"))["meta"]["license"]
    header = HEADER.format(path=declaration.relative_to(ROOT), version=KAITAI.removeprefix("kaitai-"), license=license)
    return header + _with_sorted_imports(text.removeprefix(ITS_HEADER))


def _with_sorted_imports(text: str) -> str:
    """The compiler reads declarations in several threads, and writes imports in the order in which they came."""
    lines = text.splitlines(keepends=True)
    imports = [number for number, line in enumerate(lines) if line.startswith(f"from {PACKAGE} import ")]
    for number, line in zip(imports, sorted(lines[number] for number in imports), strict=True):
        lines[number] = line
    return "".join(lines)
