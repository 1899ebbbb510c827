"""Spark's own Kafka source as a judge: an environment of its own, in which it and ours read what a broker has.

The newest spark-sql-kafka that is published is for Spark 4.2, older than the Spark that the tests run. So there is a
second environment, `.judges/spark-4.2.0/`: `environment/` holds that PySpark and kformat of this tree (in editable
form, with the extra `spark`), `jars/` the source, Kafka's client and what they need beside PySpark's own jars. One of
its dependencies is not published at all: `scala/TokenProvider.scala` stands for it, and is compiled with the compiler
that PySpark's jars bring. It is what clusters with security need; the brokers of tests have none.

`run` has a module of this tree run there, `read` some reads of both sources in one session. Programs there find the
settings of their session in `settings()`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.judges import jars
from tests.judges.releases import Artifact

SPARK_VERSION = "4.2.0"
NAME = f"spark-{SPARK_VERSION}"
REQUIREMENTS = (f"pyspark=={SPARK_VERSION}",)
ARTIFACTS = (
    Artifact("org.apache.spark", "spark-sql-kafka-0-10_2.13", SPARK_VERSION),
    Artifact("org.apache.kafka", "kafka-clients", "3.9.2"),
    Artifact("org.apache.commons", "commons-pool2", "2.13.1"),
)
STUB = Path(__file__).parent / "scala" / "TokenProvider.scala"
PIP_TIMEOUT_S = 1800
COMPILE_TIMEOUT_S = 300
RUN_TIMEOUT_S = 300


def directory() -> Path:
    """Where the environment and the jars lie."""
    return jars.judges_dir() / NAME


def python() -> Path:
    """The interpreter of the environment."""
    return directory() / "environment" / "bin" / "python"


def spark_jars() -> list[Path]:
    """What a session needs to have `format("kafka")`."""
    return sorted((directory() / "jars").glob("*.jar"))


def settings() -> dict[str, str]:
    """The settings of a session that has `format("kafka")`."""
    return {"spark.jars": ",".join(map(str, spark_jars()))}


def is_complete() -> bool:
    """Whether all of it is there, as this tree wants it: kformat's own dependencies may have changed since."""
    try:
        return (directory() / jars.STAMP).read_text(encoding="utf-8") == stamp()
    except OSError:
        return False


def fetch() -> bool:
    """Make the environment and fetch the jars unless they are there; returns whether anything was done.

    SystemExit says why it failed.
    """
    if is_complete():
        return False
    target = directory()
    shutil.rmtree(target, ignore_errors=True)
    jars.copy_artifacts(NAME, ARTIFACTS, target / "jars", is_alone=True)
    environment = target / "environment"
    _run([sys.executable, "-m", "venv", str(environment)], "its environment was not made", PIP_TIMEOUT_S)
    install = [str(python()), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*install, *REQUIREMENTS, "-e", f"{jars.ROOT}[spark]"], "pip did not fill its environment", PIP_TIMEOUT_S)
    _compile_stub(target / "jars" / "token-provider.jar")
    (target / jars.STAMP).write_text(stamp(), encoding="utf-8")
    return True


def stamp() -> str:
    """What all of it is made from, as this tree has it: an installation in editable form belongs to one tree."""
    project = tomllib.loads((jars.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    made_from = [str(jars.ROOT), *project["dependencies"], *project["optional-dependencies"]["spark"], *REQUIREMENTS]
    made_from += [*map(str, ARTIFACTS), hashlib.sha256(STUB.read_bytes()).hexdigest()]
    return "".join(f"{line}\n" for line in made_from)


def _compile_stub(jar: Path) -> None:
    found = subprocess.run(
        [str(python()), "-c", "import pyspark; print(pyspark.__path__[0])"], capture_output=True, text=True, check=True
    )
    own = Path(found.stdout.strip()) / "jars"
    compiler = [path for name in ("compiler", "library", "reflect") for path in own.glob(f"scala-{name}-*.jar")]
    with tempfile.TemporaryDirectory(prefix="kformat-judge-") as work:
        command = ["java", "-cp", os.pathsep.join(map(str, compiler)), "scala.tools.nsc.Main", "-d", work]
        command += ["-classpath", os.pathsep.join(map(str, sorted(own.glob("*.jar")))), str(STUB)]
        _run(command, f"{STUB.name} was not compiled", COMPILE_TIMEOUT_S)
        with zipfile.ZipFile(jar, "w") as archive:
            for path in sorted(Path(work).rglob("*.class")):
                archive.write(path, path.relative_to(work).as_posix())


def _run(command: list[str], failure: str, timeout_s: float) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise SystemExit(f"the judge {NAME}: {failure}:\n{tail}")


def run(
    module: str,
    arguments: Sequence[str] = (),
    *,
    stdin: str = "",
    timeout_s: float = RUN_TIMEOUT_S,
    shows_errors: bool = False,
) -> str:
    """Run a module of this tree in the environment; returns what it wrote to its standard output.

    It is ended, with the JVM that it started, where it takes longer than ``timeout_s``. When it failed, RuntimeError
    has the end of its standard error, unless that is shown as it comes.
    """
    environment = {**os.environ, "PYSPARK_PYTHON": str(python()), "SPARK_LOCAL_IP": "127.0.0.1"}
    environment.pop("SPARK_HOME", None)  # another Spark's jars
    with subprocess.Popen(
        [str(python()), "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if shows_errors else subprocess.PIPE,
        text=True,
        cwd=jars.ROOT,
        env=environment,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(stdin, timeout=timeout_s)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode != 0:
        raise RuntimeError(f"{module} in {NAME} failed:\n{(err or '')[-3000:]}")
    return out


@dataclass(frozen=True)
class Read:
    """``spark.read.format(format).options(**options).load(path)``, where Kafka's source has no path."""

    format: str
    options: Mapping[str, str]
    path: str | None = None


def of_broker(bootstrap: str, **options: str) -> Read:
    """What Spark's own source reads from a broker, all columns; ``options`` say of which topics."""
    return Read("kafka", {"kafka.bootstrap.servers": bootstrap, "includeHeaders": "true", **options})


def of_files(path: Path, **options: str) -> Read:
    """What ours reads from files, all columns of Spark's own source."""
    return Read("kformat", {"includeHeaders": "true", **options}, str(path))


def read(reads: Sequence[Read], timeout_s: float = RUN_TIMEOUT_S) -> list[Any]:
    """Do some reads in one session of the environment; returns a pyarrow Table for each, its rows in the order of
    topic, partition and offset."""
    import pyarrow.parquet as parquet

    with tempfile.TemporaryDirectory(prefix="kformat-read-") as work:
        asked = [asdict(one) | {"to": str(Path(work) / f"{number}.parquet")} for number, one in enumerate(reads)]
        run("tests.judges.spark_read", stdin=json.dumps(asked), timeout_s=timeout_s)
        return [parquet.read_table(one["to"], memory_map=False) for one in asked]
