"""Real brokers on loopback, from 0.8.2 (with the ZooKeeper of its own jars) to 4.4 (KRaft), for samples and live tests.

A broker lives in one directory: `data/` is its log dir root, beside it stand its properties and its log. It is ended
by process id only, after `lifetime_s` at the latest, and with whoever started it where `setpriv` exists. The processes
listen on 127.0.0.1 alone, on ports that were free.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from tests.judges import jars, releases
from tests.judges.releases import version_tuple

# A KRaft cluster id is 16 bytes in URL-safe base64; a fixed one keeps meta.properties the same from run to run.
CLUSTER_ID = "a2Zvcm1hdC1zYW1wbGVzMQ"
STARTUP_TIMEOUT_S = 60
STOP_TIMEOUT_S = 60
SESSION_TIMEOUT_MS = 4000

# Brokers before 3.0 reach into the JDK by reflection, which Java 17 forbids unless told otherwise.
OPENED_PACKAGES = ("java.lang", "java.nio", "java.util", "java.util.concurrent", "jdk.internal.ref", "sun.nio.ch")


SHORT_RUN = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


def free_ports(count: int) -> list[int]:
    """Ports of 127.0.0.1 that were free a moment ago, all different."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def archive(version: str) -> Path:
    """Where the classes of a broker lie as its JVM had loaded them: with them it starts at half the price. A JVM that
    did not write it, or finds other jars, goes without."""
    return jars.directory(version) / "broker.jsa"


def make_archive(version: str) -> bool:
    """Have a broker leave that file, unless it is there; returns whether one was made."""
    if archive(version).exists():
        return False
    with tempfile.TemporaryDirectory(prefix="broker-", dir=jars.directory(version)) as work:
        running = Broker(version, Path(work))
        running.options = [f"-XX:ArchiveClassesAtExit={work}/made"]
        with running:
            pass
        (Path(work) / "made").rename(archive(version))
    return True


class Broker:
    """One broker and, before KRaft, its ZooKeeper. `start`, `stop` (clean) and `kill` (-9) may alternate.

    Start it from a thread that outlives it: where `setpriv` exists, the end of the thread that started it is its end.
    `config` overrides or extends the properties that every broker here gets, which are `self.config`. `is_fast` gives
    it what a broker has in earnest, 1 GiB of heap and a JVM that compiles all it can: one that is measured wants it.
    """

    def __init__(
        self,
        version: str,
        directory: Path,
        config: Mapping[str, str] | None = None,
        lifetime_s: int = 900,
        is_fast: bool = False,
    ):
        self.version = version
        self.directory = directory
        self.lifetime_s = lifetime_s
        self.is_fast = is_fast
        self.options: list[str] = []  # of its own JVM
        self.data = directory / "data"
        self.is_kraft = version_tuple(version) >= (3,)
        self.port, self.other_port = free_ports(2)
        self.bootstrap = f"127.0.0.1:{self.port}"
        self.config = (self._kraft_config() if self.is_kraft else self._zookeeper_config()) | dict(config or {})
        self._broker: subprocess.Popen[bytes] | None = None
        self._zookeeper: subprocess.Popen[bytes] | None = None
        self._ends: list[threading.Timer] = []

    def _shared_config(self) -> dict[str, str]:
        return {
            "log.dirs": str(self.data),
            "offsets.topic.num.partitions": "2",
            "offsets.topic.replication.factor": "1",
            "transaction.state.log.num.partitions": "2",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
            "group.initial.rebalance.delay.ms": "0",
            "log.retention.hours": "-1",
            "log.cleaner.enable": "true",
            "auto.create.topics.enable": "false",
        }

    def _kraft_config(self) -> dict[str, str]:
        return self._shared_config() | {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@127.0.0.1:{self.other_port}",
            "listeners": f"PLAINTEXT://{self.bootstrap},CONTROLLER://127.0.0.1:{self.other_port}",
            "advertised.listeners": f"PLAINTEXT://{self.bootstrap}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "inter.broker.listener.name": "PLAINTEXT",
            "log.initial.task.delay.ms": "1000",
        }

    def _zookeeper_config(self) -> dict[str, str]:
        config = self._shared_config() | {
            "broker.id": "1",
            "zookeeper.connect": f"127.0.0.1:{self.other_port}",
            "zookeeper.connection.timeout.ms": "20000",
            "zookeeper.session.timeout.ms": str(SESSION_TIMEOUT_MS),
        }
        if version_tuple(self.version) < (0, 9):
            here = {"port": str(self.port), "host.name": "127.0.0.1", "advertised.host.name": "127.0.0.1"}
            # 0.8 knows no "never", so its retention is a century.
            return config | here | {"log.retention.hours": "876000"}
        return config | {"listeners": f"PLAINTEXT://{self.bootstrap}"}

    def java(self, heap: str = "512m") -> list[str]:
        """The beginning of a command that runs a class of this broker's jars; C1 alone, since these runs are short."""
        command = ["java", "-Xmx1g"] if self.is_fast else ["java", f"-Xmx{heap}", *SHORT_RUN]
        if not self.is_fast and archive(self.version).exists():
            command.append(f"-XX:SharedArchiveFile={archive(self.version)}")
        if not self.is_kraft:
            for package in OPENED_PACKAGES:
                command += ["--add-opens", f"java.base/{package}=ALL-UNNAMED"]
        return [*command, "-cp", f"{jars.directory(self.version).resolve()}/*"]

    def _spawn(self, command: list[str], log: str) -> subprocess.Popen[bytes]:
        orphans_die = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
        with open(self.directory / log, "ab") as output:
            # A session of its own, so that a Ctrl-C meant for pytest does not reach it before `stop` does.
            process = subprocess.Popen([*orphans_die, *command], stdout=output, stderr=output, start_new_session=True)
        end = threading.Timer(self.lifetime_s, process.kill)
        end.daemon = True
        end.start()
        self._ends.append(end)
        return process

    def _wait_for(self, port: int, process: subprocess.Popen[bytes], log: str) -> None:
        deadline = time.monotonic() + STARTUP_TIMEOUT_S
        while time.monotonic() < deadline and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        tail = (self.directory / log).read_text(encoding="utf-8", errors="replace")[-3000:]
        self.kill()
        raise RuntimeError(f"Kafka {self.version} did not answer on port {port}; the end of {log}:\n{tail}")

    def _write_properties(self, name: str, properties: Mapping[str, str]) -> Path:
        path = self.directory / name
        path.write_text("".join(f"{key}={value}\n" for key, value in properties.items()), encoding="utf-8")
        return path

    def start(self) -> None:
        """Start the broker (and its ZooKeeper), formatting a new directory; RuntimeError tells its log's end."""
        self.launch()
        self.wait()

    def launch(self) -> None:
        """The same without waiting until the broker answers, so that several may start at the same time."""
        self.directory.mkdir(parents=True, exist_ok=True)
        properties = self._write_properties("server.properties", self.config)
        if self.is_kraft:
            if not (self.data / "meta.properties").exists():
                storage_tool = ["kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(properties)]
                subprocess.run(
                    [*self.java(), *storage_tool], check=True, capture_output=True, timeout=STARTUP_TIMEOUT_S
                )
        else:
            keeper = {
                "dataDir": str(self.directory / "zookeeper"),
                "clientPort": str(self.other_port),
                "clientPortAddress": "127.0.0.1",
                "admin.enableServer": "false",
                "tickTime": str(SESSION_TIMEOUT_MS // 4),
            }
            was_here = (self.directory / "zookeeper").exists()
            keeper_properties = self._write_properties("zookeeper.properties", keeper)
            # Its JMX view of log4j wants a class that the jars of 1.1 do not bring.
            java = [*self.java("256m"), "-Dzookeeper.jmx.log4j.disable=true"]
            command = [*java, "org.apache.zookeeper.server.quorum.QuorumPeerMain", str(keeper_properties)]
            self._zookeeper = self._spawn(command, "zookeeper.log")
            self._wait_for(self.other_port, self._zookeeper, "zookeeper.log")
            if was_here:
                # A killed broker's registration stands until its session ends, and keeps the new one from coming up.
                time.sleep(2 * SESSION_TIMEOUT_MS / 1000)
        self._broker = self._spawn([*self.java(), *self.options, "kafka.Kafka", str(properties)], "broker.log")

    def wait(self) -> None:
        """Wait until the broker that was launched answers; RuntimeError tells its log's end."""
        if self._broker is None:
            raise RuntimeError("the broker was not launched")
        self._wait_for(self.port, self._broker, "broker.log")

    def stop(self) -> None:
        """Stop cleanly (SIGTERM), which trims indexes and leaves the clean-shutdown marker; then ZooKeeper."""
        for process in (self._broker, self._zookeeper):
            if process is not None and process.poll() is None:
                process.terminate()
                try:
                    process.wait(STOP_TIMEOUT_S)
                except subprocess.TimeoutExpired:
                    self.kill()
                    raise RuntimeError(f"Kafka {self.version} did not stop within {STOP_TIMEOUT_S} s") from None
        self._forget()

    def kill(self) -> None:
        """Kill -9: files stay as they were at that moment, indexes preallocated and zero-padded."""
        for process in (self._broker, self._zookeeper):
            if process is not None and process.poll() is None:
                process.kill()
                process.wait(STOP_TIMEOUT_S)
        self._forget()

    def _forget(self) -> None:
        self._broker = self._zookeeper = None
        while self._ends:
            self._ends.pop().cancel()

    def __enter__(self) -> Broker:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.stop()
        else:
            self.kill()


@contextmanager
def broker(
    version: str = releases.NEWEST, config: Mapping[str, str] | None = None, lifetime_s: int = 300
) -> Iterator[Broker]:
    """A broker in a temporary directory that is gone afterwards; `.bootstrap` is where clients connect."""
    with tempfile.TemporaryDirectory(prefix="kformat-broker-") as work:
        with Broker(version, Path(work), config, lifetime_s) as running:
            yield running
