"""What is fuzzed: target -> a function of bytes, which lets out only what is no documented error.

Rules:

* A target decides nothing by chance, and leaves nothing behind: the same bytes take the same way.
* Checksums are mended where bytes are to get past them: no fuzzer finds them by itself.
* What two ways must agree in is asserted.
"""

from __future__ import annotations

import os
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

import kformat
from kformat.codec.constructs import parse_prefix
from kformat.codec.parsing import columns_reader
from kformat.codec.unfit import Unfit
from kformat.codec.writing import rows_writer
from kformat.dump import DumpReport, Options, items, text_lines
from kformat.errors import DataError, DeclarationError, KformatError, MissingDependencyError, UsageError
from kformat.kafka.batch.framing import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES, Walk
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.files.text_files import build_sidecar, parse_sidecar
from kformat.kafka.index.lookup import find_offset, find_timestamp
from kformat.kernels import Kernel, kernel
from kformat.language.declaration import parse_declaration
from kformat.language.describe import describe
from kformat.language.expression import INT64, Expression, ExpressionError, compile_expression, constant, method, name
from kformat.language.layout import layout
from kformat.language.parsing import parse
from kformat.language.program import compile_declaration
from kformat.language.shipped import shipped_names
from kformat.language.types import ANY, Type
from kformat.storage.algorithms import algorithm_of
from kformat.storage.byte_source import ByteSource
from kformat_engine.config import LogConfig
from kformat_engine.errors import DamagedLogError
from kformat_engine.recovery.opening import recover_folder
from kformat_engine.recovery.table import Mode
from kformat_engine.storage import File, Storage
from tests.kernel_cases import differences

FORMATS: Final = (
    *(name for name in shipped_names() if name != "varint"),  # it has no values of its own
    "record_batch::record",
    "legacy_message::wrapped_message",
)
SIDECARS: Final = (
    "leader-epoch-checkpoint",
    "recovery-point-offset-checkpoint",
    "partition.metadata",
    "meta.properties",
    ".kafka_cleanshutdown",
    "quorum-state",
)
SUFFIXES: Final = ("log", "index", "timeindex", "txnindex", "snapshot")
STATES: Final = ("", "", "", ".deleted", ".cleaned", ".swap")
OTHERS: Final = (SIDECARS[0], SIDECARS[2])
HEAD: Final = struct.Struct(">BBQH")
"""In front of each file of a folder: its kind, its state, its base offset, its length."""
MENDED: Final = 0x80
"""A bit of the kind: the checksums in the log are put right."""
_FOLDERS: Final = "/dev/shm" if os.path.isdir("/dev/shm") else None
_NAMES: Final = {("a",): name(("a",), INT64), ("b",): name(("b",), INT64), ("b", "c"): name(("b", "c"), INT64, 0, 7)}
_SALVAGED: Final = ("KF0007", "KF0201", "KF0207", "KF0208")
"""Of the rules about segments and headers, those that no batch with a right checksum breaks by itself."""
_MOST: Final = 2000
"""Of anything that comes one after the other, records or findings, so many are looked at."""


def parse_and_build(data: bytes) -> None:
    """What is parsed can be built, and what was built is built again from what is parsed of it. (Not always from the
    same bytes: varints may be longer than they need to be, and others compress otherwise.)"""
    if not data:
        return
    format, rest = FORMATS[data[0] % len(FORMATS)], data[1:]
    try:
        value = kformat.parse(format, rest, checksums=False)
    except DataError:
        return
    built = kformat.build(format, value)
    assert kformat.build(format, kformat.parse(format, built)) == built
    assert kformat.build(format, kformat.from_json(format, kformat.to_json(value))) == built
    kformat.parse(format, rest, checksums=False, raw=True)


# --- folders -------------------------------------------------------------------------------------------------------


class _UnsyncedFile(File):
    def sync(self) -> None:
        pass


class _UnsyncedStorage(Storage):
    file_class = _UnsyncedFile

    def sync_directory(self, path: Path) -> None:
        pass


def mended(log: bytes) -> bytes:
    """A log with right checksums, as far as there are batches."""
    header, entry, message = layout("record_batch"), layout("legacy_message"), layout("legacy_message::message")
    whole = bytearray(log)
    with ByteSource(log) as source:
        for frame in Walk(source):
            part = memoryview(whole)[frame.position : frame.position + frame.size]
            if frame.magic >= CURRENT_MAGIC and frame.size >= HEADER_BYTES:
                header.mend(part)
            elif frame.magic < CURRENT_MAGIC and frame.size >= FRAME_BYTES + message.header_dtype.itemsize:
                inner = part[entry.position("message") :]
                algorithm, field, covered_from = message.checksum()
                message.writer(field)(inner, 0, algorithm_of(algorithm).compute(bytes(inner[covered_from:])))
    return bytes(whole)


def packed(files: dict[str, bytes]) -> bytes:
    """The files of a partition's folder as `partition_folder` takes them; others are left out."""
    found = []
    for file, data in sorted(files.items()):
        base, _, suffix = file.partition(".")
        if file in OTHERS:
            found.append(HEAD.pack(len(SUFFIXES) + OTHERS.index(file), 0, 0, len(data)) + data)
        elif base.isdigit() and suffix in SUFFIXES and len(data) < 1 << 16:
            found.append(HEAD.pack(SUFFIXES.index(suffix), 0, int(base), len(data)) + data)
    return b"".join(found)


def unpacked(data: bytes) -> dict[str, bytes]:
    """The files of a folder, by name."""
    files: dict[str, bytes] = {}
    at = 0
    while at + HEAD.size <= len(data):
        kind, state, base_offset, size = HEAD.unpack_from(data, at)
        at += HEAD.size
        number = (kind & ~MENDED) % (len(SUFFIXES) + len(OTHERS))
        content = data[at : at + size]
        at += size
        if number >= len(SUFFIXES):
            files[OTHERS[number - len(SUFFIXES)]] = content
        else:
            file = file_name(base_offset % 2**63, SUFFIXES[number]) + STATES[state % len(STATES)]
            files[file] = mended(content) if kind & MENDED and number == 0 else content
    return files


def partition_folder(data: bytes) -> None:
    """A folder is read, dumped, checked, and recovered in every mode. A refusal leaves it as it was. Salvage refuses
    nothing, and what it leaves has no error in framing, checksums, offsets and indexes."""
    files = unpacked(data)
    with tempfile.TemporaryDirectory(dir=_FOLDERS, prefix="kformat-fuzz-") as scratch:
        folder = _written(files, Path(scratch) / "orders-0")
        _read(folder)
        for mode in Mode:
            for is_clean in (False, True):
                _recovered(files, Path(scratch) / f"{mode}-{is_clean}" / "orders-0", mode, is_clean)


def _written(files: dict[str, bytes], folder: Path) -> Path:
    folder.mkdir(parents=True)
    for file, content in files.items():
        (folder / file).write_bytes(content)
    return folder


def _drained(things: Iterator[Any]) -> None:
    try:
        for _ in islice(things, _MOST):
            pass
    except DataError:
        pass


def _read(folder: Path) -> None:
    _drained(kformat.check(folder))
    try:
        partition = kformat.open(folder)
    except (DataError, UsageError):
        return
    _drained(partition.records())
    offsets = {0, 1, *(segment.base_offset + more for segment in partition.segments[:3] for more in (0, 2))}
    for target in sorted(offsets):
        for find in (find_offset, find_timestamp):
            try:
                find(partition.segments, target)
            except (DataError, UsageError):
                pass
    for path in sorted(folder.iterdir()):
        try:
            options = Options(print_data_log=True)
            _drained(iter(text_lines(items(path, options, DumpReport(lambda error: None)), str(path), options)))
        except (DataError, UsageError):
            pass


def _recovered(files: dict[str, bytes], folder: Path, mode: Mode, is_clean: bool) -> None:
    _written(files, folder)
    config = LogConfig(index_interval_bytes=100, segment_index_bytes=1200)
    try:
        found = recover_folder(folder, config, is_clean=is_clean, mode=mode.value, storage=_UnsyncedStorage())
    except DamagedLogError:
        assert mode is not Mode.SALVAGE, "salvage refuses nothing"
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == files, "a refusal changes nothing"
        return
    for segment in found.segments:
        segment.close()
    if mode is Mode.SALVAGE:
        wrong = [one for one in islice(kformat.check(folder), _MOST) if one.severity == "error"]
        assert not [one for one in wrong if one.rule in _SALVAGED or one.rule.startswith(("KF01", "KF04", "KF05"))]
    shutil.rmtree(folder)


# --- text ----------------------------------------------------------------------------------------------------------


def declarations(data: bytes) -> None:
    """A declaration is compiled, or complained of; what it declares reads bytes, and gets row functions or none."""
    text, _, rest = data.partition(b"\0")
    try:
        program = compile_declaration(parse_declaration(text.decode("utf-8", "replace"), "case.ksy"))
    except DeclarationError:
        return
    describe(program.declaration)
    if not program.root.parameters:
        try:
            parse_prefix(program.declaration, rest)
        except (DataError, UsageError):
            pass
    integers = tuple(field.name for field in program.root.fields if field.kind == "integer")
    with suppress(Unfit):
        columns_reader(program.root, integers)(rest, 0, 1)
    with suppress(Unfit):
        rows_writer(program.root)([])


class _Words:
    """What names mean to the expressions that are tried."""

    def name(self, word: str) -> Expression:
        if (word,) not in _NAMES:
            raise ExpressionError(f"no {word}")
        return _NAMES[word,]

    def attribute(self, owner: Expression, word: str) -> Expression:
        known = _NAMES.get((*owner.value, word)) if owner.op == "name" else None
        return known or method(owner, word)

    def enum_member(self, path: tuple[str, ...], member: str) -> Expression:
        known = _NAMES.get((*path, "::", member))
        if known is None:
            raise ExpressionError(f"no {'::'.join((*path, member))}")
        return known

    def cast_type(self, text: str) -> Type:
        return ANY

    def size_of(self, text: str, bits: bool) -> Expression:
        return constant(len(text) * (8 if bits else 1))


def expressions(data: bytes) -> None:
    """An expression is understood, or complained of; its value lies where it says."""
    try:
        node = parse(data.decode("utf-8", "replace"), _Words())
    except ExpressionError:
        return
    str(node)
    compile_expression(node)


def text_files(data: bytes) -> None:
    """What is read from a text file is written as something that is read as the same."""
    if data:
        file = SIDECARS[data[0] % len(SIDECARS)]
        try:
            value = parse_sidecar(file, data[1:])
        except DataError:
            return
        assert parse_sidecar(file, build_sidecar(file, value)) == value


def archives(data: bytes) -> None:
    """A tar and a zip are listed, and a partition in them is read."""
    with tempfile.NamedTemporaryFile(dir=_FOLDERS, prefix="kformat-fuzz-") as file:
        file.write(data)
        file.flush()
        for scheme in ("tar", "zip"):
            try:
                for number, partition in enumerate(kformat.iter_partitions(f"{scheme}://::{file.name}")):
                    if number == 3:
                        break
                    _drained(partition.records())
                    _drained(kformat.check(partition.path))
            except (KformatError, OSError):  # a damaged archive is the one, what cannot be inflated the other
                pass


# --- kernels -------------------------------------------------------------------------------------------------------


@cache
def _kernel(format: str) -> Kernel:
    return kernel(format)


KERNELS: Final = ("record_batch::record", "legacy_message::wrapped_message", "record_batch", "producer_snapshot")


def kernels_and_codec(data: bytes) -> None:
    """Both give the same, or the same error."""
    if len(data) > 1:
        try:
            made = _kernel(KERNELS[data[0] % len(KERNELS)])
        except MissingDependencyError:
            return
        found = list(differences(made, data[2:], data[1] - 1 if data[1] < 20 else -1))
        assert not found, found[:3]


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    target.__name__: target
    for target in (
        parse_and_build,
        partition_folder,
        declarations,
        expressions,
        text_files,
        archives,
        kernels_and_codec,
    )
}
