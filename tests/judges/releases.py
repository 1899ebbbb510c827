"""The releases of Kafka that samples, judges, tests and documents go by: one table.

`make samples`, `make judges`, the tests and tools/kafka_release.py read it; tests/test_project.py holds the documents
against it. To take in a release: add its line to `RELEASES`, then `make kafka-diff KAFKA=<version>`, which fetches it,
names the classes that moved (a step in `PLACES`) and prints what it changed on the disk; then
`make samples KAFKA=<version>`.
"""

from __future__ import annotations

from typing import Final, NamedTuple


def version_tuple(version: str) -> tuple[int, ...]:
    """`"0.10.2.2"` -> `(0, 10, 2, 2)`, so that versions compare."""
    return tuple(int(part) for part in version.split("."))


class Artifact(NamedTuple):
    """Maven coordinates of one artifact."""

    group: str
    name: str
    version: str
    classifier: str = ""

    def __str__(self) -> str:
        return ":".join(filter(None, self))

    def xml(self, is_alone: bool = False) -> str:
        """The artifact as a `<dependency>`, without the JMX and JMS jars of old log4j, which no registry has; or
        without anything that it needs."""
        exclusions = "".join(
            f"<exclusion><groupId>{group}</groupId><artifactId>*</artifactId></exclusion>"
            for group in (("*",) if is_alone else ("com.sun.jdmk", "com.sun.jmx", "javax.jms"))
        )
        classifier = f"<classifier>{self.classifier}</classifier>" if self.classifier else ""
        return (
            f"<dependency><groupId>{self.group}</groupId><artifactId>{self.name}</artifactId>"
            f"<version>{self.version}</version>{classifier}<exclusions>{exclusions}</exclusions></dependency>"
        )


class Release(NamedTuple):
    """One release: what it is asked for.

    Attributes:
        version: as Maven has it.
        is_recorded: a broker of it wrote `samples/<version>`.
        is_judge: `make judges` fetches it.
        is_live: tests start brokers of it again and again.
        is_replicated: clusters of it wrote `samples/replicas/<version>`.
        tiered_by: brokers of it wrote `samples/tiered/<version>`, with the LocalTieredStorage of that release: 4.4.0
            publishes none.
        is_internal: a broker of it wrote `samples/internal/<version>`.
    """

    version: str
    is_recorded: bool = True
    is_judge: bool = False
    is_live: bool = False
    is_replicated: bool = False
    tiered_by: str = ""
    is_internal: bool = False


RELEASES: Final = (
    Release("4.4.0", is_judge=True, is_live=True, is_replicated=True, tiered_by="4.3.1", is_internal=True),
    Release("4.3.1", is_judge=True, is_internal=True),
    Release("3.9.2", is_judge=True, is_live=True, is_replicated=True, tiered_by="3.9.2", is_internal=True),
    # Its indexes have a writer profile of their own.
    Release("3.8.1", is_recorded=False, is_judge=True),
    Release("2.8.2", is_internal=True),
    Release("1.1.1"),
    Release("0.10.2.2"),
    Release("0.9.0.1"),
    Release("0.8.2.2"),
)
"""The newest first."""

MESSAGES: Final = ("4.4.0", "4.3.1", "3.9.2", "2.8.2")
"""Those whose schemas `formats/messages/` is made of, the newest first: `make judges` fetches them, too."""
SAMPLES: Final = tuple(one.version for one in RELEASES if one.is_recorded)
JUDGES: Final = tuple(one.version for one in RELEASES if one.is_judge)
LIVE: Final = tuple(one.version for one in RELEASES if one.is_live)
REPLICATED: Final = tuple(one.version for one in RELEASES if one.is_replicated)
TIERED: Final = {one.version: one.tiered_by for one in RELEASES if one.tiered_by}
INTERNAL: Final = tuple(one.version for one in RELEASES if one.is_internal)
NEWEST: Final = LIVE[0]
"""The release whose word counts where releases differ."""
OLDER: Final = LIVE[-1]
"""The release of the line before that is still maintained."""
OLDEST: Final = SAMPLES[-1]

PLACES: Final = {
    # The part of Kafka's version of Scala that its broker's artifact is named after.
    "SCALA": (("0.8", "2.11"), ("0.10", "2.12"), ("2.0", "2.13")),
    # Packages: of batches and records, of UnifiedLog, of what buffers and their streams need.
    "RECORDS": (("0.11", "org.apache.kafka.common.record"), ("4.2", "org.apache.kafka.common.record.internal")),
    "LOG": (("0.8", "kafka.log"), ("4.1", "org.apache.kafka.storage.internals.log")),
    "UTILS": (("0.9", "org.apache.kafka.common.utils"), ("4.4", "org.apache.kafka.common.utils.internals")),
    # Classes: the dump tool, an entry of a transaction index.
    "DUMP": (("0.8", "kafka.tools.DumpLogSegments"), ("4.0", "org.apache.kafka.tools.DumpLogSegments")),
    "ABORTED": (
        ("3.8", "org.apache.kafka.storage.internals.log.AbortedTxn"),
        ("4.4", "org.apache.kafka.common.message.AbortedTxn"),
    ),
    # Methods that let go of an index, and of a log, as they are; how many bytes a search by time may decompress.
    "RELEASE": (("3.8", "closeHandler"), ("4.4", "close")),
    "ABANDON": (("3.8", "closeHandlers"), ("4.4", "closeQuietly")),
    "BOUND": (("3.8", ""), ("4.4", ", Integer.MAX_VALUE")),
    # Whether a moment of the metadata is the end of a batch.
    "ALIGNED": (("3.9", ""), ("4.0", ", true")),
}
"""What has moved between releases, by the mark that our Java sources have for it: ascending, each with the release from
which on it is so."""

SOURCES: Final = {
    "RunMany.java": "0.8",
    "BuildIndexes.java": "3.8",
    "ControlRecords.java": "3.8",
    "ReadBatches.java": "3.8",
    "ReadValues.java": "3.8",
    "AskBroker.java": "3.9",
    "BenchBuild.java": "3.9",
    "BenchRead.java": "3.9",
    "BenchSegment.java": "3.9",
    "LogConfigs.java": "3.9",
    "FeatureLevels.java": "3.9",
    "Images.java": "3.9",
    "PlayIndexes.java": "3.9",
    "PlayLog.java": "3.9",
    "Sidecars.java": "3.9",
    "ValidateBatches.java": "3.9",
    "Codecs.java": "4.2",
    "LiveState.java": "4.3",
    "StreamsMember.java": "4.3",
    "LogContext.java": "4.4",
    "Messages.java": "2.8",
}
"""Our Java sources, each with the release from which on it compiles: the segment and record classes that they use have
been Java since 3.8. Where one says `@NAME@`, it gets the place of that name."""


def place(name: str, version: str) -> str:
    """Where the thing of `PLACES` is in that release; KeyError where it was not there yet."""
    found = [where for since, where in PLACES[name] if version_tuple(since) <= version_tuple(version)]
    if not found:
        raise KeyError(f"Kafka {version} has no {name}")
    return found[-1]


def sources(version: str) -> list[str]:
    """The names of our Java sources that compile against that release, sorted."""
    return sorted(name for name, since in SOURCES.items() if version_tuple(since) <= version_tuple(version))


def artifacts(version: str) -> list[Artifact]:
    """What a broker of that release and its tools are made of; everything these need comes along."""
    wanted = [Artifact("org.apache.kafka", f"kafka_{place('SCALA', version)}", version)]
    parts = version_tuple(version)
    if parts >= (3,):
        wanted.append(Artifact("org.apache.kafka", "kafka-tools", version))
    elif (0, 10) <= parts < (2,):
        # These brokers use JAXB, which left the JDK after Java 8.
        wanted.append(Artifact("javax.xml.bind", "jaxb-api", "2.3.1"))
    return wanted


def before(version: str) -> str:
    """The release of the table that comes before that one; ValueError where none does."""
    older = [one.version for one in RELEASES if version_tuple(one.version) < version_tuple(version)]
    if not older:
        raise ValueError(f"no release in the table is older than {version}")
    return older[0]
