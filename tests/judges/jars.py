"""The judges' jars: Kafka's own and the Kaitai Struct compiler's, through Maven.

Everything lands in `.judges/` at the root of the repository, or in the directory named by KFORMAT_JUDGES_DIR:
`kafka-<version>/*.jar`, `tiered-<version>/*.jar` (Kafka's LocalTieredStorage, see tests/judges/tiered.py) and
`kaitai-0.11/*.jar`. A directory is complete when it holds the stamp file, which is written last and holds the list of
artifacts asked for, so that a second call does nothing and an interrupted one begins again. Needs a JDK's `java` and
`mvn`; nothing outside Python's standard library.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.judges import releases
from tests.judges.releases import Artifact

ROOT = Path(__file__).resolve().parents[2]
STAMP = ".complete"
TIERED = "tiered-"
JUDGES = (
    *dict.fromkeys((*releases.JUDGES, *releases.MESSAGES)),
    f"{TIERED}{next(iter(releases.TIERED.values()))}",
    "kaitai-0.11",
)
MAVEN_TIMEOUT_S = 900


def judges_dir() -> Path:
    """Where the judges live: KFORMAT_JUDGES_DIR, else `.judges` in the repository."""
    return Path(os.environ.get("KFORMAT_JUDGES_DIR") or ROOT / ".judges")


def directory(name: str) -> Path:
    """The directory of one judge: `name` is a Kafka version, `tiered-<version>` or `kaitai-<version>`."""
    return judges_dir() / (name if name.startswith(("kaitai-", TIERED)) else f"kafka-{name}")


def is_complete(name: str) -> bool:
    """Whether the judge has been fetched to the end."""
    return (directory(name) / STAMP).is_file()


def artifacts(name: str) -> list[Artifact]:
    """What one judge is made of; everything these need comes along."""
    if name.startswith("kaitai-"):
        return [Artifact("io.kaitai", "kaitai-struct-compiler_2.13", name.removeprefix("kaitai-"))]
    if name.startswith(TIERED):
        return [Artifact("org.apache.kafka", "kafka-storage", name.removeprefix(TIERED), "test")]
    return releases.artifacts(name)


def fetch(name: str) -> bool:
    """Fetch one judge unless it is complete; returns whether anything was done. SystemExit says why it failed."""
    target = directory(name)
    wanted = artifacts(name)
    stamp = "".join(f"{artifact}\n" for artifact in wanted)
    if is_complete(name) and (target / STAMP).read_text(encoding="utf-8") == stamp:
        return False
    shutil.rmtree(target, ignore_errors=True)
    # The broker that loads the plugin has all that it needs.
    copy_artifacts(name, wanted, target, is_alone=name.startswith(TIERED))
    (target / STAMP).write_text(stamp, encoding="utf-8")
    return True


def copy_artifacts(name: str, wanted: Sequence[Artifact], target: Path, *, is_alone: bool = False) -> None:
    """Have Maven copy the artifacts of one judge to a directory, and all that they need unless they come alone.

    SystemExit says why it failed.
    """
    for tool in ("mvn", "java"):
        if shutil.which(tool) is None:
            raise SystemExit(f"the judge {name} is fetched with Maven, and there is no `{tool}` here")
    target.mkdir(parents=True, exist_ok=True)
    ignore = judges_dir() / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="kformat-judge-") as work:
        pom = Path(work) / "pom.xml"
        pom.write_text(
            "<project><modelVersion>4.0.0</modelVersion><groupId>kformat</groupId><artifactId>judge</artifactId>"
            "<version>1</version><packaging>pom</packaging><dependencies>"
            + "".join(artifact.xml(is_alone) for artifact in wanted)
            + "</dependencies></project>",
            encoding="utf-8",
        )
        command = ["mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies", f"-DoutputDirectory={target}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=MAVEN_TIMEOUT_S, check=False)
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise SystemExit(f"Maven could not fetch the judge {name}:\n{tail}")
