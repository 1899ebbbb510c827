"""What all tests share: no deadlines for properties, a Spark session, the list of missing judges at the end of a run.

By day properties are tried with few examples (tests/draws.py).

The run may be spread over several processes (`pytest -n`): tests that need Spark's session have one, and each process
tells the first of them what it missed.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

from kformat.kafka.batch.ready_kernels import RECORD_KERNELS
from tests.draws import EXAMPLES, SHARE
from tests.judges import required
from tests.spark_session import spark as spark

# Kernels read records at once, or what tests lay out would all be too small for them; and no other process compiles.
RECORD_KERNELS.is_there = True
os.environ["KFORMAT_COMPILE"] = "here"

# Other programs share the machine. Everything else stays as the environment has it (CI draws the same examples always).
settings.register_profile("kformat", settings.default, deadline=None, max_examples=EXAMPLES, print_blob=True)
settings.load_profile("kformat")


# A shell that runs this in its background has SIGINT ignored, which every process that a test starts would inherit.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def kept_folder(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Path]:
    """Name -> a folder that is there in the next run, too, if pytest keeps anything."""
    cache: pytest.Cache | None = getattr(request.config, "cache", None)
    return tmp_path.joinpath if cache is None else cache.mkdir


@pytest.fixture
def mypy_cache(request: pytest.FixtureRequest, kept_folder: Callable[[str], Path]) -> Path:
    """A folder for what mypy knows, kept for each test: most of its time goes into the standard library's stubs."""
    return kept_folder(f"mypy-{request.node.name}")


WAITED_FOR = {("spark", "test_follow.py"), ("spark", "test_cluster.py")}
"""Files that take minutes, most of which is waiting."""

SESSION_FILES = {
    "tests/cli/test_spark.py",
    *(f"tests/spark/test_{name}.py" for name in ("engine", "follow", "jobs", "scan", "sink", "stream")),
}
"""Files whose tests share a Spark session: each further process would start a JVM, and warm it up, for its own."""


class OneSession(LoadFileScheduling):
    """A file's tests in one process, as ``--dist loadfile``; and all of `SESSION_FILES` in one."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return "spark" if file in SESSION_FILES else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneSession | None:
    """In place of xdist's own."""
    return OneSession(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with what waits for minutes, so that in a run of several processes it is not waited for at the end."""
    if SHARE > 1:
        left_out = [item for number, item in enumerate(items) if number % SHARE]
        config.hook.pytest_deselected(items=left_out)
        items[:] = items[::SHARE]
    items.sort(key=lambda item: item.path.parts[-2:] not in WAITED_FOR)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Thousands of collected tests stay: no search for garbage has to go through them, nor a process that is forked."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Judges are for marked tests alone."""
    required.running = item


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In one process of several: hand over what was missing."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["missing"] = sorted(required.missing)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """In the first process: take what one of the others missed."""
    required.missing.update(getattr(node, "workeroutput", {}).get("missing", ()))


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Name the judges that tests asked for and did not find; what they judge was not tested."""
    if required.missing:
        terminalreporter.section("missing judges")
        for reason in sorted(required.missing):
            terminalreporter.write_line(reason)
