"""Kafka's own classes in a warm JVM, which does pieces of work when it is told to: a peer beside ours."""

from __future__ import annotations

import atexit
import subprocess

from tests.judges import releases
from tests.judges.java_tools import class_path

VERSION = releases.NEWEST


class Kafka:
    """One of the programs in tests/judges/java, told what to do line by line."""

    def __init__(self, program: str) -> None:
        command = ["java", "-Xmx2g", "-cp", class_path(VERSION), program]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        atexit.register(self.close)

    def ask_all(self, *words: object) -> tuple[int, ...]:
        """Have something done; the answer's numbers. RuntimeError where the JVM ended over it."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"Kafka's classes of {VERSION} did not do: {words}")
        return tuple(map(int, answer.split()))

    def ask(self, *words: object) -> int:
        """As `ask_all`, of one number."""
        (answer,) = self.ask_all(*words)
        return answer

    def cpu_seconds(self) -> float:
        """CPU time of the process so far, its threads for compiling and collecting too."""
        return self.ask("cpu") / 1e9

    def close(self) -> None:
        """End the JVM."""
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.wait()
