"""Kafka's own messages: `formats/messages/`, made from the schemas in its jars.

    python -m tools.messages

Reads the schemas in the jars of `releases.MESSAGES`, and writes ``formats/messages/schemas.json``, which has all of
them, and a declaration for each message that lies on a disk, or is in `WIRE`.
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
from tests.judges import jars, releases
from tools.documents import ROOT
from tools.message_words import ENUMS, WORDS

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


def files() -> dict[str, str]:
    """The files of the folder by their names, without those that are written by hand."""
    found = together(of_release(release, jars.directory(release)) for release in releases.MESSAGES)
    lines = ",\n".join(json.dumps(plain(schema), separators=(",", ":")) for schema in found)
    made = {"schemas.json": f"[\n{lines}\n]\n"}
    names = {f"{name}{kind}" for name in WIRE for kind in ("Request", "Response")}
    for schema in found:
        if (schema.is_on_disk and schema.name not in ELSEWHERE) or schema.name in names:
            made[f"{schema.id}.ksy"] = _declaration(schema)
    return made


def main() -> int:
    made = files()
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        if path.name not in made and path.stem not in BY_HAND:
            path.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    print(f"{len(made) - 1} declarations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
