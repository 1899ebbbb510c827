"""What one does first with files of a format of one's own, as whole commands, each started fresh, bytecode compiled
before: 18,000 frames of a capture (Ethernet, IPv4, UDP; 1.8 MB), every field on a line (`dump --hex`), two captures
that differ in three frames (`diff --as`), the capture as JSON (`parse --format nl`); as rows in Parquet, and the
capture built from these, also without the column of lengths. Next to Python programs that do nothing but that: with the
class that Kaitai's compiler 0.11 makes, with construct and dissect.cstruct (both compiled), and with `struct`; they
read the whole file, print JSON, or compare the two lists of frames; those with dissect.cstruct and `struct` take every
frame for one of IPv4. What all of them read is compared before. CPU seconds, and the most memory that the process had.
Then the same verbs on captures of more bytes (with `--rounds 1` only of a few): memory stays the same. Then 500,000
records of Kafka's to CSV, lines of JSON and Parquet, next to Arrow writing the same table from memory. What it does not
show: disks.
"""

from __future__ import annotations

import json
import os
import random
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow.csv
import pyarrow.parquet

import kformat
from kformat.kafka.columns.arrow import file_writer
from tests.judges.kaitai import KAITAI
from tests.judges.required import why_missing
from tests.language.beside_kaitai import compile_all

MOST_ROUNDS = 3
_KSY: Final = """
meta: {id: bench_capture, endian: be}
seq: [{id: magic, contents: CAPT}, {id: frames, type: frame, repeat: eos}]
types:
  frame:
    seq:
      - {id: seconds, type: u4}
      - {id: micros, type: u4}
      - {id: length, type: u4}
      - {id: body, type: ethernet, size: length}
  ethernet:
    seq:
      - {id: target, size: 6}
      - {id: source, size: 6}
      - {id: kind, type: u2}
      - {id: body, type: {switch-on: kind, cases: {0x800: ipv4}}, size-eos: true}
  ipv4:
    seq:
      - {id: version, type: u1}
      - {id: service, type: u1}
      - {id: length, type: u2}
      - {id: identification, type: u2}
      - {id: fragment, type: u2}
      - {id: time_to_live, type: u1}
      - {id: protocol, type: u1}
      - {id: checksum, type: u2}
      - {id: source, type: u4}
      - {id: target, type: u4}
      - {id: body, type: udp, size-eos: true}
  udp:
    seq:
      - {id: source_port, type: u2}
      - {id: target_port, type: u2}
      - {id: length, type: u2}
      - {id: checksum, type: u2}
      - {id: data, size-eos: true}
"""
_STRUCT: Final = """
import struct, json, sys
HEAD = struct.Struct(">III6s6sHBBHHHBBHIIHHHH")
def frames(path):
    data, at = open(path, "rb").read(), 4
    while at < len(data):
        fields = HEAD.unpack_from(data, at)
        end = at + 12 + fields[2]
        yield (*fields, data[at + HEAD.size : end])
        at = end
"""
_CONSTRUCT: Final = """
import sys, json
from construct import *
udp = Struct("source_port" / Int16ub, "target_port" / Int16ub, "length" / Int16ub, "checksum" / Int16ub,
    "data" / GreedyBytes)
ipv4 = Struct("version" / Byte, "service" / Byte, "length" / Int16ub, "identification" / Int16ub, "fragment" / Int16ub,
    "time_to_live" / Byte, "protocol" / Byte, "checksum" / Int16ub, "source" / Int32ub, "target" / Int32ub,
    "body" / udp)
ethernet = Struct("target" / Bytes(6), "source" / Bytes(6), "kind" / Int16ub,
    "body" / Switch(this.kind, {0x800: ipv4}, default=GreedyBytes))
frame = Struct("seconds" / Int32ub, "micros" / Int32ub, "length" / Int32ub, "body" / FixedSized(this.length, ethernet))
capture = Struct("magic" / Const(b"CAPT"), "frames" / GreedyRange(frame)).compile()
def frames(path):
    return capture.parse_file(path).frames
"""
_CSTRUCT: Final = """
import sys, json
from dissect.cstruct import cstruct
parser = cstruct('''
struct udp { uint16 source_port; uint16 target_port; uint16 length; uint16 checksum; char data[length - 8]; };
struct ipv4 { uint8 version; uint8 service; uint16 length; uint16 identification; uint16 fragment; uint8 time_to_live;
    uint8 protocol; uint16 checksum; uint32 source; uint32 target; udp body; };
struct ethernet { char target[6]; char source[6]; uint16 kind; ipv4 body; };
struct frame { uint32 seconds; uint32 micros; uint32 length; ethernet body; };
struct capture { char magic[4]; frame frames[EOF]; };
''', endian=">")
def frames(path):
    with open(path, "rb") as file:
        return parser.capture(file).frames
"""
_KAITAI: Final = """
import sys, json
sys.path.insert(0, {folder!r})
from bench_capture import BenchCapture
def frames(path):
    return BenchCapture.from_file(path).frames
"""
_PLAIN: Final = """
def plain(item):
    if isinstance(item, (bytes, bytearray)):
        return item.hex()
    if isinstance(item, (int, str)) or item is None:
        return item
    if isinstance(item, (list, tuple)):
        return [plain(x) for x in item]
    fields = item if isinstance(item, dict) else vars(item)
    return {name: plain(value) for name, value in fields.items() if not name.startswith("_")}
"""
_TASKS: Final = {
    "parse": "\nfor it in frames(sys.argv[1]): sys.stdout.write(json.dumps(plain(it)) + '\\n')\n",
    "diff": "\nfor n, (a, b) in enumerate(zip(frames(sys.argv[1]), frames(sys.argv[2]), strict=True)):\n"
    "    if (x := plain(a)) != (y := plain(b)): print(n, x, y)\n",
}


_PEAK: Final = """
import atexit
def peak():
    text = open("/proc/self/status").read().split("VmHWM:")[1].split()[0]
    open({path!r}, "w").write(text)
atexit.register(peak)
"""
"""The most memory of a process, in KB: what the operating system says of its child has the parent's in it."""


class Measured(NamedTuple):
    """CPU seconds, and the most memory in MB."""

    seconds: float
    memory_mb: float


def write_capture(path: Path, count: int, changed: Sequence[int] = ()) -> None:
    """Write a capture of so many frames; in some of them the last byte is another one."""
    chance = random.Random(1)
    with path.open("wb") as file:
        file.write(b"CAPT")
        for number in range(count):
            data = chance.randbytes(40)
            if number in changed:
                data = data[:-1] + bytes([data[-1] ^ 1])
            udp = struct.pack(">HHHH", 5000 + number % 7, 53, 8 + len(data), 0) + data
            head = (0x45, 0, 20 + len(udp), number & 0xFFFF, 0, 64, 17, 0, 0x0A000001, 0x0A000002 + number % 9)
            frame = b"\1" * 6 + b"\2" * 6 + b"\x08\x00" + struct.pack(">BBHHHBBHII", *head) + udp
            file.write(struct.pack(">III", 1_700_000_000 + number // 1000, number % 1000, len(frame)) + frame)


def measure(words: Sequence[str], rounds: int) -> Measured:
    """Run a command so often; medians. Exit status 1 is that of a difference."""
    found = list[Measured]()
    for _ in range(rounds):
        python, option, program, *more = words
        with tempfile.TemporaryFile() as out, tempfile.NamedTemporaryFile("r") as peak:
            command = [python, option, _PEAK.format(path=peak.name) + program, *more]
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            assert process.returncode in (0, 1), words
            found.append(Measured(used.ru_utime + used.ru_stime, int(peak.read()) / 1000))
    return Measured(*(statistics.median(column) for column in zip(*found, strict=True)))


def text(rounds: int) -> str:
    """The tables."""
    rounds, is_small = min(rounds, MOST_ROUNDS), rounds == 1
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=where) as name:
        work = Path(name)
        parts = [
            _looks(work, rounds, 1800 if is_small else 18_000),
            _memory(work, (1, 4) if is_small else (1, 16, 128)),
        ]
        parts.append(_exports(work, rounds, 20_000 if is_small else 500_000))
    return "\n\n".join(parts)


def _verb(*words: str | Path) -> list[str]:
    return [sys.executable, "-c", "from kformat.cli import main; main()", *map(str, words)]


def _looks(work: Path, rounds: int, count: int) -> str:
    ksy, a, b = work / "bench_capture.ksy", work / "a.cap", work / "b.cap"
    ksy.write_text(_KSY)
    write_capture(a, count)
    write_capture(b, count, (5, count // 2, count - 1))
    rows, again, fewer = work / "a.parquet", work / "again.cap", work / "fewer.parquet"
    as_ours = ("--as", ksy)
    ours = {
        "every field on a line": _verb("dump", "--hex", *as_ours, a),
        "differences": _verb("diff", *as_ours, a, b),
        "as JSON": _verb("parse", "--format", "nl", *as_ours, a),
        "rows to Parquet": _verb("export", *as_ours, a, "-o", rows),
        "a file from its rows": _verb("build", *as_ours, rows, "--around", a, "-o", again),
        "a file from rows without lengths": _verb("build", *as_ours, fewer, "--around", a, "-o", again),
    }
    peers = {"construct, compiled": _CONSTRUCT, "dissect.cstruct, compiled": _CSTRUCT, "struct": _STRUCT}
    if why_missing(KAITAI) is None:
        folder = work / "classes"
        compile_all([ksy], folder)
        peers = {"Kaitai's Python": _KAITAI.format(folder=str(folder)), **peers}
    for peer, source in peers.items():
        _check_values(peer, source, ours, a, b)
    lines = ["| work | by | CPU seconds | most memory, MB | time, kformat = 1 |", "|---|---|---:|---:|---:|"]
    for task, words in ours.items():
        if str(fewer) in words:
            pyarrow.parquet.write_table(pyarrow.parquet.read_table(rows).drop(["length"]), fewer)
        mine = measure(words, rounds)
        lines.append(f"| {task} | kformat | {mine.seconds:.2f} | {mine.memory_mb:.0f} | 1 |")
        kind = {"differences": "diff", "as JSON": "parse"}.get(task)
        for peer, source in peers.items() if kind is not None else ():
            other = measure(_program(source, str(kind), a, b), rounds)
            ratio = other.seconds / mine.seconds
            lines.append(f"| {task} | {peer} | {other.seconds:.2f} | {other.memory_mb:.0f} | {ratio:.2f} |")
    assert again.read_bytes() == a.read_bytes(), "what was built of the rows is another file"
    return "\n".join(lines)


def _program(source: str, task: str, a: Path, b: Path) -> list[str]:
    return [sys.executable, "-c", source + _PLAIN + _TASKS[task], str(a), str(b)]


def _check_values(peer: str, source: str, ours: dict[str, list[str]], a: Path, b: Path) -> None:
    """Raise AssertionError where a program reads other values than kformat, or finds other frames that differ."""
    (capture,) = _printed([*ours["as JSON"], "--bytes", "hex"])
    wanted = [list(_leaves(frame)) for frame in json.loads(capture)["frames"]]
    found = [list(_leaves(json.loads(line))) for line in _printed(_program(source, "parse", a, b))]
    assert found == wanted, f"{peer} reads other values"
    numbers = [int(re.findall(r"frames\[([0-9]+)\]", line)[0]) for line in _printed(ours["differences"])]
    assert [int(line.split()[0]) for line in _printed(_program(source, "diff", a, b))] == numbers, peer


def _printed(command: Sequence[str]) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.splitlines()


def _leaves(value: Any) -> Iterator[Any]:
    """The numbers and bytes of a value from JSON, in order; bytes in hex."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
    else:
        yield value.removeprefix("hex:") if isinstance(value, str) else value


def _memory(work: Path, sizes_mb: Sequence[int]) -> str:
    ksy = work / "bench_capture.ksy"
    lines = [
        f"| most memory, MB | {' | '.join(f'{size} MB' for size in sizes_mb)} |",
        "|---|" + "---:|" * len(sizes_mb),
    ]
    cells: dict[str, list[str]] = {}
    for size in sizes_mb:
        a, b = work / "large.cap", work / "large2.cap"
        one = work / "one.cap"
        write_capture(one, 10_000)
        block = one.read_bytes()[4:]
        for path in (a, b):
            with path.open("wb") as file:
                file.write(b"CAPT")
                for _ in range(max(size * 1_000_000 // len(block), 1)):
                    file.write(block)
        with b.open("r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"!")
        last = max(size * 1_000_000 // len(block), 1) * 10_000 - 1
        for task, words in {
            "`dump --hex --row`, the last row": _verb("dump", "--hex", "--as", ksy, a, "--row", str(last)),
            "`diff`": _verb("diff", "--as", ksy, a, b),
            "`parse --format nl`": _verb("parse", "--format", "nl", "--as", ksy, a),
        }.items():
            cells.setdefault(task, []).append(f"{measure(words, 1).memory_mb:.0f}")
        a.unlink()
        b.unlink()
    return "\n".join([*lines, *(f"| {task} | {' | '.join(row)} |" for task, row in cells.items())])


def _exports(work: Path, rounds: int, count: int) -> str:
    from kformat.corpus.bulk import Bulk, write_bulk

    root = work / "bulk"
    write_bulk(root, Bulk(size_bytes=count * 121))
    (folder,) = root.iterdir()
    table = kformat.open(folder).to_arrow()
    text = table.select(["offset", "timestamp", "partition"])
    ways: dict[str, dict[str, Any]] = {
        "to CSV": {
            "kformat export": _verb("export", folder, "-o", work / "x.csv", "-j", "1"),
            "Arrow, its three columns of numbers": lambda: pyarrow.csv.write_csv(text, work / "y.csv"),
        },
        "to lines of JSON": {"kformat export": _verb("export", folder, "-o", work / "x.ndjson", "-j", "1")},
        "to Parquet": {
            "kformat export": _verb("export", folder, "-o", work / "x.parquet", "-j", "1"),
            "kformat, in a process": lambda: _to_parquet(folder, work / "z.parquet"),
            "Arrow, zstd, from memory": lambda: pyarrow.parquet.write_table(
                table, work / "y.parquet", compression="zstd"
            ),
        },
    }
    lines = [f"| {table.num_rows:,} records | by | CPU seconds |", "|---|---|---:|"]
    for task, by in ways.items():
        for name, way in by.items():
            seconds = measure(way, rounds).seconds if isinstance(way, list) else _of_calls(way, rounds)
            lines.append(f"| {task} | {name} | {seconds:.2f} |")
    return "\n".join(lines)


def _of_calls(work: Any, rounds: int) -> float:
    seconds = list[float]()
    for _ in range(rounds + (rounds > 1)):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds[rounds > 1 :])


def _to_parquet(folder: Path, path: Path) -> None:
    reader = kformat.open(folder).record_batches()
    with path.open("wb") as stream:
        writer = file_writer("parquet", stream, reader.schema)
        for batch in reader:
            writer.write(batch)
        writer.close()


__all__ = ["text"]
