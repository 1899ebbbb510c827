"""What all tests share: the list of missing judges at the end of a run."""

from __future__ import annotations

from _pytest.terminal import TerminalReporter

from tests.judges import required


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Name the judges that tests asked for and did not find; what they judge was not tested."""
    if required.missing:
        terminalreporter.section("missing judges")
        for reason in sorted(required.missing):
            terminalreporter.write_line(reason)
