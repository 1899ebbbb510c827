"""What a release of Kafka changed: schemas, files on the disk, configuration keys, features, and the dump tool's text.

    python -m tools.kafka_release VERSION [PREVIOUS]     (make kafka-diff KAFKA=VERSION)

Fetches both releases (PREVIOUS is the one before in `tests.judges.releases`), and prints what differs, a part after the
other; of schemas that are on the wire alone, only their names. It begins with the classes that our Java sources import
and that are elsewhere now: each wants a step in `releases.PLACES`, and until it has one, the parts that need the
sources say that they do not compile. A broker of each release is started on loopback and stopped: its files are those
of a root with one topic. The dump tools read the samples of PREVIOUS. Takes a minute; needs a JDK and Maven. From Kafka
3.0 on.
"""

from __future__ import annotations

import argparse
import difflib
import re
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.judges import jars, java_tools, releases
from tests.judges.broker import Broker
from tools.documents import ROOT

_IMPORT = re.compile(r"^import (?:static )?((?:org\.apache\.)?kafka\.[\w.]+|@\w+@[\w.]*);$", re.MULTILINE)
_COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)
_MOST_LINES = 40
"""Of one text that changed."""
DUMPED = (".log", ".index", ".timeindex", ".txnindex", ".snapshot", ".checkpoint")
DECODERS = {"__consumer_offsets": "--offsets-decoder", "__transaction_state": "--transaction-log-decoder"}
ON_THE_WIRE = r"(Request|Response)\.json$"
TOPIC = "orders"


def differences(before: Mapping[str, str], after: Mapping[str, str], without_lines: str = r"$^") -> Iterator[str]:
    """What differs between texts with names: those that are new and gone, and the lines of those that changed, unless
    the pattern ``without_lines`` is in the name."""
    yield from (f"new: {name}" for name in sorted(after.keys() - before.keys()))
    yield from (f"gone: {name}" for name in sorted(before.keys() - after.keys()))
    for name in sorted(before.keys() & after.keys()):
        if before[name] != after[name]:
            two = before[name].splitlines(), after[name].splitlines()
            lines = list(difflib.unified_diff(*two, lineterm="", n=1))[2:]
            yield f"changed: {name}"
            if re.search(without_lines, name):
                continue
            yield from (f"  {line}" for line in lines[:_MOST_LINES])
            if len(lines) > _MOST_LINES:
                yield f"  ... and {len(lines) - _MOST_LINES} lines more"


# What lies in the jars


def kafkas_jars(folder: Path) -> list[Path]:
    """The jars of Kafka itself."""
    return sorted(folder.glob("kafka*.jar"))


def schemas(folder: Path) -> dict[str, str]:
    """The schemas of messages and records: names and texts, without comments."""
    found = {}
    for path in kafkas_jars(folder):
        with zipfile.ZipFile(path) as jar:
            for name in jar.namelist():
                if name.startswith("common/") and name.endswith(".json"):
                    found[name] = _COMMENT.sub("", jar.read(name).decode("utf-8"))
    return found


def classes(folder: Path) -> set[str]:
    """The full names of Kafka's classes; a class in another one has a dot before its name, too."""
    found = set()
    for path in kafkas_jars(folder):
        with zipfile.ZipFile(path) as jar:
            names = (name for name in jar.namelist() if name.endswith(".class"))
            found |= {re.sub(r"[/$]", ".", name.removesuffix(".class")) for name in names}
    return found


def imported(version: str) -> set[str]:
    """What our Java sources import of Kafka, as `releases.PLACES` has it for that release."""
    return {name for text in java_tools.java_sources(version).values() for name in _IMPORT.findall(text)}


def moved(wanted: set[str], there: set[str]) -> Iterator[str]:
    """Which of the wanted classes are not there, and where there are some of the same name."""
    for name in sorted(wanted - there):
        simple = name.rpartition(".")[2]
        others = sorted(one for one in there if one.rpartition(".")[2] == simple)
        yield f"{name}: {', '.join(others) or 'gone'}"


# What its programs say


def configurations(version: str) -> dict[str, str]:
    """Topic configs with type, default and limits, and the broker's names for them, as Kafka's classes have them."""
    done = java_tools.java(version, "LogConfigs", [])
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace")[-2000:])
    found: dict[str, str] = {}
    for line in done.stdout.decode().splitlines():
        kind, name, *rest = line.split("\t")
        found[f"{kind} {name}"] = found.get(f"{kind} {name}", "") + " ".join(rest) + "\n"
    return found


def features(version: str) -> dict[str, str]:
    """The features with the levels that a new cluster gets."""
    command = ["java", "-cp", f"{jars.directory(version)}/*", "kafka.tools.StorageTool", "version-mapping"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=java_tools.RUN_TIMEOUT_S, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)


def files(version: str) -> dict[str, str]:
    """What a broker leaves below its root after a clean stop: length and mode of each file, by names without what is
    drawn at random. Text has no length: times and ids are in it."""
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

    with tempfile.TemporaryDirectory(prefix="kformat-release-") as work:
        with Broker(version, Path(work)) as broker:
            admin = AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 2})
            for created in admin.create_topics([NewTopic(TOPIC, 1, 1)]).values():
                created.result(30)
            producer = Producer({"bootstrap.servers": broker.bootstrap, "log_level": 2})
            producer.produce(TOPIC, b"value", b"key", partition=0)
            if producer.flush(30):
                raise RuntimeError(f"the broker of {version} took no record")
        found = {}
        for path in sorted(broker.data.rglob("*")):
            if path.is_file():
                # How many records KRaft wrote depends on the time that it had.
                name = re.sub(r"\d{20}(?=\.snapshot)", "N", str(path.relative_to(broker.data)))
                size = path.stat().st_size
                length = f" {size} bytes" if path.suffix in (".index", ".timeindex") else ""
                found[name] = f"{stat.filemode(path.stat().st_mode)}{length}"
    return found


def dumped(version: str, samples: Path) -> dict[str, str]:
    """What that release's dump tool says of each file of some samples, with an exception's name where it ends so."""
    with tempfile.TemporaryDirectory(prefix="kformat-release-") as work:
        runs = []
        for path in sorted(samples.rglob("*")):
            if path.suffix in DUMPED:
                name = str(path.relative_to(samples))
                (Path(work) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(work) / name).write_bytes(path.read_bytes())
                runs.append(["--files", name, "--deep-iteration", "--print-data-log"])
                topic = path.parent.name.rpartition("-")[0]
                if path.suffix == ".log" and topic in DECODERS:
                    runs.append(["--files", name, DECODERS[topic]])
        found = {}
        for run in java_tools.dump_many(version, runs, Path(work)):
            words = run.stderr.decode(errors="replace").split() if run.status else []
            ended = next((f"\n{word}" for word in words if word.endswith(("Exception", "Exception:", "Error"))), "")
            found[" ".join(run.arguments)] = run.stdout.decode("utf-8", "replace") + ended
    return found


# Printing it


def report(version: str, previous: str) -> Iterator[tuple[str, list[str]]]:
    """The parts, each with a title and its lines. Both releases are fetched already."""
    was, now = (jars.directory(one) for one in (previous, version))
    lost = list(moved(imported(version), classes(now)))
    yield "classes that our Java sources import and that are elsewhere", lost
    yield "schemas", list(differences(schemas(was), schemas(now), ON_THE_WIRE))
    yield "features", list(differences(features(previous), features(version)))
    yield "files of a root after a clean stop", list(differences(files(previous), files(version)))
    if lost:
        missing = ["our Java sources do not compile: add steps to releases.PLACES, then ask again"]
        yield "configuration", missing
        yield "dump text", missing
        return
    yield "configuration", list(differences(configurations(previous), configurations(version)))
    samples = ROOT / "samples" / previous
    yield f"dump text of samples/{previous}", list(differences(dumped(previous, samples), dumped(version, samples)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.kafka_release", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("version", help="the release, as Maven has it")
    parser.add_argument("previous", nargs="?", help="which one to compare with: the one before, by default")
    given = parser.parse_args(arguments)
    previous = given.previous or releases.before(given.version)
    for name in (previous, given.version):
        jars.fetch(name)
    print(f"Kafka {given.version}, compared with {previous}", flush=True)
    for title, lines in report(given.version, previous):
        print(f"\n== {title}: {'as before' if not lines else ''}".rstrip())
        print("\n".join(lines), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
