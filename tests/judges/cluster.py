"""A cluster of three real brokers on loopback (KRaft, 3.9 and newer), for replicas after kills and unclean elections.

Brokers 1, 2 and 3 have two log directories each, `n1/a` and `n1/b`; the controller is a process of its own, so that a
killed broker costs no quorum. All brokers may be stopped, killed, paused (SIGSTOP) and continued one by one, by their
process ids. The rules of `broker.py` hold for each: bounded lifetime, loopback alone, ports that were free.

An unclean truncation that leaves old slots in the indexes: produce with acks=1 to broker 1 while 2 and 3 are paused,
kill 1, continue 2 and 3, wait until one of them leads, produce to it, start 1. Broker 1 truncates its branch in memory
(`AbstractIndex.truncateToEntries` lowers a count) and fetches the other one.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from tests.judges.broker import Broker, free_ports

BROKERS = (1, 2, 3)
CONTROLLER_ID = 100
HEAP = "450m"
POLL_S = 0.1


class Node(Broker):
    """One broker of a cluster, or its controller: a process with properties of its own; see `Cluster`."""

    def __init__(self, version: str, directory: Path, port: int, lifetime_s: int) -> None:
        super().__init__(version, directory, lifetime_s=lifetime_s)
        self.port, self.bootstrap = port, f"127.0.0.1:{port}"
        self.log_dirs = (directory / "a", directory / "b")
        self.data = self.log_dirs[0]
        self.is_paused = False

    def java(self, heap: str = HEAP) -> list[str]:
        """A smaller heap: four processes share a small machine."""
        return super().java(heap)

    @property
    def is_running(self) -> bool:
        """Whether the process was started and has not ended; a paused one runs."""
        return self._broker is not None and self._broker.poll() is None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process; RuntimeError where none runs."""
        if self._broker is None or self._broker.poll() is not None:
            raise RuntimeError(f"{self.directory.name} does not run")
        os.kill(self._broker.pid, number)

    def pause(self) -> None:
        """Stop the process where it is (SIGSTOP): it keeps its connections and answers nothing."""
        self.signal(signal.SIGSTOP)
        self.is_paused = True

    def cont(self) -> None:
        """Let a paused process go on."""
        self.signal(signal.SIGCONT)
        self.is_paused = False

    def stop(self) -> None:
        """As a broker's; a paused process goes on first, because it would not end."""
        if self.is_running and self.is_paused:
            self.cont()
        super().stop()

    def kill(self) -> None:
        """As a broker's."""
        super().kill()
        self.is_paused = False


class Cluster:
    """Three brokers and a controller in one directory; see the module.

    Args:
        version: of Kafka, 3.9 or newer.
        directory: `n1`, `n2`, `n3` (each with `a`, `b`, its properties and its log) and `nc` come below it.
        config: properties for all nodes, beside or instead of those that every cluster here gets.
        lifetime_s: after so many seconds each process that still runs is killed.

    Methods take the brokers that they are for; none means all of them, for `start`, `stop` and `kill` the controller
    with them.
    """

    def __init__(
        self, version: str, directory: Path, config: Mapping[str, str] | None = None, lifetime_s: int = 600
    ) -> None:
        self.version, self.directory = version, directory
        *ports, controller_port = free_ports(len(BROKERS) + 1)
        self.brokers = {
            number: Node(version, directory / f"n{number}", port, lifetime_s)
            for number, port in zip(BROKERS, ports, strict=True)
        }
        self.controller = Node(version, directory / "nc", controller_port, lifetime_s)
        self.bootstrap = ",".join(node.bootstrap for node in self.brokers.values())
        self.config = self._shared_config() | dict(config or {})
        for number, node in self.brokers.items():
            node.config = self._of_node(number, node)
        self.controller.config = self._of_node(CONTROLLER_ID, self.controller)

    @staticmethod
    def _shared_config() -> dict[str, str]:
        config = {
            "group.initial.rebalance.delay.ms": "0",
            "log.initial.task.delay.ms": "1000",
            "log.cleaner.backoff.ms": "1500",
            "log.cleaner.dedupe.buffer.size": "4194304",
            "log.retention.hours": "-1",
            "min.insync.replicas": "1",
            "replica.lag.time.max.ms": "3000",
            "broker.session.timeout.ms": "6000",
            "broker.heartbeat.interval.ms": "1000",
            "auto.create.topics.enable": "false",
            "auto.leader.rebalance.enable": "false",
            "unclean.leader.election.enable": "true",
        }
        for prefix in ("offsets.topic", "transaction.state.log"):
            config |= {f"{prefix}.num.partitions": "3", f"{prefix}.replication.factor": "3"}
        return config | {"transaction.state.log.min.isr": "1"}

    def _of_node(self, number: int, node: Node) -> dict[str, str]:
        own = {
            "node.id": str(number),
            "controller.quorum.voters": f"{CONTROLLER_ID}@{self.controller.bootstrap}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "log.dirs": ",".join(map(str, node.log_dirs)),
        }
        if number == CONTROLLER_ID:
            own |= {"process.roles": "controller", "listeners": f"CONTROLLER://{node.bootstrap}"}
        else:
            listener = f"PLAINTEXT://{node.bootstrap}"
            own |= {"process.roles": "broker", "inter.broker.listener.name": "PLAINTEXT"}
            own |= {"listeners": listener, "advertised.listeners": listener}
        return self.config | own

    def _nodes(self, numbers: Sequence[int]) -> list[Node]:
        return [self.brokers[number] for number in numbers or BROKERS]

    def start(self, *numbers: int) -> None:
        """Start brokers, the controller before them where it does not run; RuntimeError tells the end of a log."""
        if not self.controller.is_running:
            self.controller.start()
        nodes = self._nodes(numbers)
        for node in nodes:
            node.launch()
        for node in nodes:
            node.wait()

    def stop(self, *numbers: int) -> None:
        """Stop brokers cleanly; the controller last, since a broker asks it for leave."""
        for node in self._nodes(numbers):
            node.stop()
        if not numbers:
            self.controller.stop()

    def kill(self, *numbers: int) -> None:
        """Kill -9, all that are named before any of them is waited for."""
        nodes = [*self._nodes(numbers), *([] if numbers else [self.controller])]
        for node in nodes:
            if node.is_running:
                node.signal(signal.SIGKILL)
        for node in nodes:
            node.kill()

    def pause(self, *numbers: int) -> None:
        """SIGSTOP; see `Node.pause`."""
        for node in self._nodes(numbers):
            node.pause()

    def cont(self, *numbers: int) -> None:
        """SIGCONT."""
        for node in self._nodes(numbers):
            node.cont()

    def folders(self, name: str) -> dict[int, Path]:
        """Where each broker keeps its copy of a partition, by the folder's name; a broker without one is left out."""
        found = ((number, log_dir / name) for number, node in self.brokers.items() for log_dir in node.log_dirs)
        return {number: path for number, path in found if path.is_dir()}

    def __enter__(self) -> Cluster:
        try:
            self.start()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()


class Placement(NamedTuple):
    """Of one partition: its leader (-1 for none), where its replicas are, which of them are in sync."""

    leader: int
    replicas: frozenset[int]
    in_sync: frozenset[int]


def placements(bootstrap: str, topics: Sequence[str]) -> dict[str, Placement]:
    """What a broker knows of the partitions of topics, by folder name; {} while it does not answer."""
    confluent_kafka: Any = importlib.import_module("confluent_kafka")
    admin: Any = importlib.import_module("confluent_kafka.admin")
    try:
        found = admin.AdminClient({"bootstrap.servers": bootstrap, "log_level": 0}).list_topics(timeout=5).topics
    except confluent_kafka.KafkaException:
        return {}
    return {
        f"{topic}-{number}": Placement(one.leader, frozenset(one.replicas), frozenset(one.isrs))
        for topic in topics
        if topic in found
        for number, one in found[topic].partitions.items()
    }


def wait_until(what: str, is_so: Callable[[], object], timeout_s: float = 90) -> None:
    """Wait until a question is answered with something true; TimeoutError names what was waited for."""
    deadline = time.monotonic() + timeout_s
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {timeout_s:.0f} s: {what}")
        time.sleep(POLL_S)


def copy_log_dir(source: Path, target: Path, keep: Callable[[str], bool] = lambda name: True) -> None:
    """Copy a broker's log directory: its own files but `.lock`, and the folders whose names `keep` takes.

    Holes of preallocated files stay holes. What goes away meanwhile, as `.deleted` files of a live broker do, is left
    out.
    """
    target.mkdir(parents=True)
    for path in sorted(source.iterdir()):
        if path.is_file() and path.name != ".lock":
            shutil.copyfile(path, target / path.name)
        elif path.is_dir() and keep(path.name):
            (target / path.name).mkdir()
            for file in sorted(path.iterdir()):
                with contextlib.suppress(FileNotFoundError):
                    _copy_sparsely(file, target / path.name / file.name)


def _copy_sparsely(source: Path, target: Path) -> None:
    with open(source, "rb") as read, open(target, "wb") as write:
        size = os.fstat(read.fileno()).st_size
        write.truncate(size)
        position = 0
        while position < size:
            try:
                position = os.lseek(read.fileno(), position, os.SEEK_DATA)
            except OSError:  # ENXIO: a hole up to the end
                return
            end = os.lseek(read.fileno(), position, os.SEEK_HOLE)
            read.seek(position)
            write.seek(position)
            while position < end and (block := read.read(min(1 << 20, end - position))):
                write.write(block)
                position += len(block)
            if position < end:  # it became shorter meanwhile
                write.truncate(position)
                return
