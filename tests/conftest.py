"""What all tests share: no deadlines for properties, and the list of missing judges at the end of a run."""

from __future__ import annotations

from _pytest.terminal import TerminalReporter
from hypothesis import settings

from tests.judges import required

# Other programs share the machine. Everything else stays as the environment has it (CI draws the same examples always).
settings.register_profile("kformat", settings.default, deadline=None)
settings.load_profile("kformat")


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Name the judges that tests asked for and did not find; what they judge was not tested."""
    if required.missing:
        terminalreporter.section("missing judges")
        for reason in sorted(required.missing):
            terminalreporter.write_line(reason)
