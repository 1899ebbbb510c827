"""Copies partition folders of a stopped broker into `samples/`, and writes their sidecars.

Nothing that a sidecar says of records comes from kformat: they are what a consumer returned, held against that
version's own dump tool before anything is written.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.judges.broker import Broker
from tests.judges.java_tools import dump_many
from tests.judges.releases import version_tuple

CLEANER_TIMEOUT_S = 90
QUIET_S = 3.0
Records = list[dict[str, Any]]

INDEX_ENTRY_BYTES = {".index": 8, ".timeindex": 12}
LARGEST_INDEX_BYTES = 2000

# Where a broker listens and keeps its files differs from run to run and says nothing about the samples.
UNSAID_CONFIG = re.compile(r"listener|advertised|zookeeper|quorum|log\.dirs|^port$|^host\.name$")


def profile(version: tuple[int, ...]) -> str:
    """The writer profile of that version's indexes: which offset an entry holds, and how many an append gives."""
    if version < (2,):
        return "first-offset"
    if version < (3, 8):
        return "last-offset"
    return "batch-time" if version < (3, 9, 1) else "per-batch"


def magic(version: tuple[int, ...]) -> int:
    """The magic that goes with a message format version."""
    return 2 if version >= (0, 11) else 1 if version >= (0, 10) else 0


def java_version() -> str:
    """The JDK that ran the broker, as it names itself."""
    lines = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr.splitlines()
    return lines[1] if len(lines) > 1 else lines[0]


def wait_for_cleaner(data: Path, topics: Sequence[str]) -> None:
    """Wait until the cleaner has been through the topics and then left all files alone for a while."""
    checkpoint = data / "cleaner-offset-checkpoint"
    deadline = time.monotonic() + CLEANER_TIMEOUT_S
    seen: object = None
    quiet_since = time.monotonic()
    while time.monotonic() < deadline:
        state = [
            (str(path), path.stat().st_size, path.stat().st_mtime_ns)
            for topic in topics
            for path in sorted(data.glob(f"{topic}-*/*"))
            if path.exists()
        ]
        cleaned = checkpoint.exists() and all(f"{topic} " in checkpoint.read_text("utf-8") for topic in topics)
        if not cleaned or state != seen:
            seen, quiet_since = state, time.monotonic()
        elif time.monotonic() - quiet_since > QUIET_S:
            return
        time.sleep(0.2)
    raise TimeoutError(f"the cleaner did not finish with {', '.join(topics)}")


def base64_or_null(data: bytes | None) -> str | None:
    """Bytes as base64 text; None stays null, so that it differs from empty."""
    return None if data is None else base64.b64encode(data).decode()


def record_lines(records: Records) -> bytes:
    """Records as JSON lines."""
    lines = []
    for record in records:
        headers = [[name, base64_or_null(value)] for name, value in record["headers"]]
        plain = {"key": base64_or_null(record["key"]), "value": base64_or_null(record["value"]), "headers": headers}
        lines.append(json.dumps({**record, **plain}, ensure_ascii=False) + "\n")
    return "".join(lines).encode()


def compressed(data: bytes) -> bytes:
    """gzip without a time, so that the same data gives the same bytes."""
    return gzip.compress(data, mtime=0)


def cut_preallocated(folder: Path) -> dict[str, int]:
    """Cut zeros from the ends of the folder's indexes, to what they would have had with a `segment.index.bytes` of
    `LARGEST_INDEX_BYTES`; the sizes that these files had, by name."""
    sizes = {}
    for path in sorted(folder.iterdir()):
        entry, size = INDEX_ENTRY_BYTES.get(path.suffix), path.stat().st_size
        used = len(path.read_bytes().rstrip(b"\0")) if entry else size
        if entry and size > max(used, LARGEST_INDEX_BYTES):
            sizes[path.name] = size
            with open(path, "r+b") as file:
                file.truncate(max(LARGEST_INDEX_BYTES // entry, -(-used // entry)) * entry)
    return sizes


class Writer:
    """Puts partitions with their sidecars, and root files, into one directory of samples: `root`, or the version's."""

    def __init__(
        self,
        version: str,
        target: Path,
        *,
        root: str | None = None,
        command: str | None = None,
        reads_back: bool = True,
    ):
        self.version = version
        self.root = root or version
        self.command = command or f"python samples/make.py {version}"
        # Where nothing reads records back, what was acknowledged is held against the dump tool more closely.
        self.reads_back = reads_back
        self.target = target
        self.jdk = java_version()
        self.sidecars: dict[str, dict[str, Any]] = {}
        self.records: dict[str, Records] = {}

    def partition(self, name: str, broker: Broker, *, kinds: Sequence[str], fed: str, topic_config: Mapping[str, str],
                  stopped: str, reopened: bool, compacted: bool, client: str,
                  records: Records | None, records_from: str) -> None:  # fmt: skip
        """Copy one partition folder of a stopped broker and prepare its sidecar."""
        shutil.copytree(broker.data / name, self.target / name)
        preallocated = cut_preallocated(self.target / name)
        version = version_tuple(self.version)
        sidecar: dict[str, object] = {
            "sample": f"{self.root}/{name}",
            "kinds": list(kinds),
            "written_by": {"broker": "Apache Kafka", "version": self.version, "jdk": self.jdk},
            "client": client,
            "command": self.command,
            "fed": fed,
            "topic_config": dict(topic_config),
            "broker_config": {key: value for key, value in broker.config.items() if not UNSAID_CONFIG.search(key)},
            "magic": magic(version_tuple(topic_config.get("message.format.version", self.version))),
            "writer_profile": profile(version),
            "index_interval_bytes": int(topic_config.get("index.interval.bytes", "4096")),
            "stopped": stopped,
            "reopened": reopened,
            "compacted": compacted,
        }
        if preallocated:
            sidecar["preallocated"] = {
                "note": "sizes on the disk; zeros at the ends are kept as far as `kept_bytes` would preallocate",
                "kept_bytes": LARGEST_INDEX_BYTES,
                "sizes": preallocated,
            }
        if records is not None:
            self.records[name] = records
            sidecar["records"] = {"file": f"{name}.records.jsonl.gz", "read_by": records_from}
        self.sidecars[name] = sidecar

    def root_files(self, data: Path) -> None:
        """Copy what lies in the log dir root itself."""
        for path in sorted(data.iterdir()):
            if path.is_file() and path.name != ".lock":
                shutil.copy2(path, self.target / path.name)

    def finish(self) -> None:
        """Ask that version's own dump tool about every log, hold the records against it, write the sidecars."""
        names = sorted(self.sidecars)
        # The tool may create an index that is missing, so it is shown a copy.
        with tempfile.TemporaryDirectory(prefix="kformat-dump-") as work:
            copy = Path(work) / "samples"
            shutil.copytree(self.target, copy)
            logs = {name: [f"{name}/{path.name}" for path in sorted((copy / name).glob("*.log"))] for name in names}
            files = [file for name in names for file in logs[name]]
            options = ["--deep-iteration", "--print-data-log", "--files"]
            runs = dump_many(self.version, [[*options, file] for file in files], cwd=copy)
        texts = {run.arguments[-1]: run for run in runs}
        for name in names:
            for file in logs[name]:
                if texts[file].status != 0:
                    raise RuntimeError(f"{self.version}'s dump tool died on {file}: {texts[file].stderr[-500:]!r}")
            self._finish_one(name, b"".join(texts[file].stdout for file in logs[name]))

    def _finish_one(self, name: str, text: bytes) -> None:
        sidecar = self.sidecars[name]
        control = [line for line in text.split(b"\n") if re.search(rb"endTxnMarker: |controlType: ", line)]
        if name in self.records:
            records = self.records[name]
            dumped = dumped_offsets(text, version_tuple(self.version))
            if not self.reads_back and sidecar["compacted"]:
                records = [record for record in records if record["offset"] in dumped]
            if [record["offset"] for record in records] != dumped:
                raise RuntimeError(
                    f"{self.version}/{name}: {len(records)} records, but the dump tool tells of {len(dumped)}"
                )
            if not self.reads_back:
                self._check_sizes(name, text, records)
            told = sidecar["records"] = {**sidecar["records"], "count": len(records)}
            (self.target / str(told["file"])).write_bytes(compressed(record_lines(records)))
            sidecar["control_records"] = {
                "note": "a consumer never returns these; lines of this version's own dump tool",
                "lines": [line.decode() for line in control],
            }
        if name not in self.records:
            file = f"{name}.dump.txt.gz"
            (self.target / file).write_bytes(compressed(text))
            sidecar["dump"] = {
                "file": file,
                "tool": f"DumpLogSegments of {self.version} --deep-iteration --print-data-log, each .log in order",
            }
        sidecar["files"] = {
            path.name: {"size": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
            for path in sorted((self.target / name).iterdir())
        }
        text_of = json.dumps(sidecar, indent=1, ensure_ascii=False)
        (self.target / f"{name}.json").write_text(text_of + "\n", encoding="utf-8")

    def _check_sizes(self, name: str, text: bytes, records: Records) -> None:
        """Hold sizes of keys and values, and the text of values, against the dump of an 0.8 or 0.9 tool."""
        lines = [line for line in text.split(b"\n") if line.startswith(b"offset: ")]
        for line, record in zip(lines, records, strict=True):
            key, value = record["key"], record["value"]
            sizes = {
                word: -1 if data is None else len(data) for word, data in ((b"keysize", key), (b"payloadsize", value))
            }
            shown = b" payload: " + (value or b"").decode("utf-8", "replace").encode()
            for word, size in sizes.items():
                stands = re.search(rb"\b" + word + rb": (-?\d+)", line)
                if int(stands[1] if stands else -1) != size or (value and not line.endswith(shown)):
                    raise RuntimeError(f"{self.version}/{name}: the dump tool says {line!r}, sent was {record}")


def dumped_offsets(text: bytes, version: tuple[int, ...]) -> list[int]:
    """The offsets of the data records in a deep dump of that version's tool."""
    begins = rb"^\| offset: (\d+) (.*)$" if version >= (2, 2) else rb"^offset: (\d+) position: \d+ (.*)$"
    lines = re.findall(begins, text, re.MULTILINE)
    return [int(offset) for offset, rest in lines if b"endTxnMarker: " not in rest and b"controlType: " not in rest]
