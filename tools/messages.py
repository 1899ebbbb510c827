"""Kafka's own messages: `formats/messages/`, made from the schemas in its jars.

    python -m tools.messages

Reads the schemas in the jars of `RELEASES`, and writes ``formats/messages/schemas.json``, which has all of them, and a
declaration for each message that lies on a disk, or is in `WIRE`.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from kformat.kafka.messages.declaring import declaration
from kformat.kafka.messages.schemas import Schema, agrees, merged, plain, read_schema
from tests.judges import jars
from tools.documents import ROOT
from tools.message_words import ENUMS, WORDS

RELEASES: Final = ("4.4.0", "4.3.1", "3.9.2", "2.8.2")
"""From the newest on."""
WIRE: Final = ("ApiVersions", "Metadata", "Fetch", "ListOffsets", "FindCoordinator", "OffsetFetch", "DescribeGroups")
BY_HAND: Final = ("kafka_types",)
ELSEWHERE: Final = ("AbortedTxn", "ProducerSnapshot")
"""Messages that a file's own declaration has: `transaction_index` and `producer_snapshot`."""
FOLDER: Final = ROOT / "formats" / "messages"


def of_release(release: str, folder: Path) -> dict[str, Schema]:
    """The schemas of a release, by their names."""
    found = {}
    for path in sorted(folder.glob("kafka*.jar")):
        part = re.sub(r"^kafka-?|_2\.\d+|-?\d[\d.]*\.jar$", "", path.name) or "core"
        with zipfile.ZipFile(path) as jar:
            for name in jar.namelist():
                if name.endswith(".json") and re.search(r"(^|/)(message|metadata)/", name):
                    schema = read_schema(jar.read(name).decode("utf-8"), part, release)
                    found[schema.name] = schema
    return found


def together(releases: Iterable[dict[str, Schema]]) -> list[Schema]:
    """One schema for each message; one more for each release that has other bytes in the same version."""
    whole: dict[str, Schema] = {}
    others: list[Schema] = []
    for release in releases:
        for name, schema in release.items():
            newer = whole.get(name)
            if not schema.versions:
                continue
            if newer is None:
                whole[name] = schema
            elif agrees(newer, schema):
                whole[name] = merged(newer, schema)
            elif schema.is_on_disk:
                version = schema.releases[0].rpartition(".")[0]
                others.append(replace(schema, variant=version))
    return sorted([*whole.values(), *others], key=lambda schema: schema.id)


def _declaration(schema: Schema) -> str:
    prefix = f"{schema.name}."
    enums = {name.removeprefix(prefix): names for name, names in ENUMS.items() if name.startswith(prefix)}
    return declaration(schema, WORDS.get(schema.name, ""), enums)


def main() -> int:
    releases = [of_release(release, jars.directory(release)) for release in RELEASES]
    found = together(releases)
    for path in FOLDER.glob("*.ksy"):
        if path.stem not in BY_HAND:
            path.unlink()
    lines = ",\n".join(json.dumps(plain(schema), separators=(",", ":")) for schema in found)
    (FOLDER / "schemas.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    names = {f"{name}{kind}" for name in WIRE for kind in ("Request", "Response")}
    made = 0
    for schema in found:
        if (schema.is_on_disk and schema.name not in ELSEWHERE) or schema.name in names:
            (FOLDER / f"{schema.id}.ksy").write_text(_declaration(schema), encoding="utf-8")
            made += 1
    print(f"{len(found)} messages, {made} declarations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
