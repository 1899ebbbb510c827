"""The dump held against Kafka's own tool: every sample of magic 2, and the files of `dump_cases.py`.

Standard output is compared byte for byte, plain and with ``--deep-iteration --print-data-log``. The tool runs on
copies, because it opens indexes for writing: it cuts an odd one to whole entries.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from kformat.cli import main
from tests.dump_cases import CASES, DEEP, Case, golden, write_golden
from tests.judges import Run, dump_many
from tests.judges.required import require
from tests.samples import Sample, current_samples

pytestmark = pytest.mark.judge

JUDGE, OLDER_JUDGE = "4.3.1", "3.9.2"
MODES: dict[str, tuple[str, ...]] = {"plain": (), "deep": DEEP}

# Where the tool ends with a stack trace, and what kformat prints then behind the line that names the file.
THE_TOOL_DIES = {  # an index that is all zeros, beside a log that is empty
    "1.1.1/killed-empty-0/00000000000000000000.index": b"offset: 0 position: 0\n",
    "2.8.2/killed-empty-0/00000000000000000000.index": b"offset: 0 position: 0\n",
    "3.9.2/killed-empty-0/00000000000000000000.index": b"offset: 0 position: 0\n",
    "4.3.1/killed-empty-0/00000000000000000000.index": b"offset: 0 position: 0\n",
}
# 3.9.2 names the type of this record, where 4.3.1 prints what is in it.
LEADER_CHANGE_IN_3_9 = b" controlType: LEADER_CHANGE(2)"


def files_of(sample: Sample) -> list[str]:
    """The logs and indexes of a sample, by their paths below the samples."""
    names = sorted(path.name for path in sample.path.iterdir() if path.suffix in (".log", ".index", ".timeindex"))
    return [f"{sample}/{name}" for name in names]


SAMPLES = current_samples()
RUNS = [(path, mode) for sample in SAMPLES for path in files_of(sample) for mode in MODES]


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples, where the tool may do with them what it likes."""
    root = tmp_path_factory.mktemp("samples")
    for sample in SAMPLES:
        shutil.copytree(sample.path, root / str(sample))
    return root


def told_by(version: str, root: Path, runs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Run]:
    """What the tool of that version says, for each file in each mode; one JVM does it all."""
    require(version)
    return dict(
        zip(runs, dump_many(version, [["--files", path, *MODES[mode]] for path, mode in runs], root), strict=True)
    )


@pytest.fixture(scope="module")
def current_tool(copies: Path) -> dict[tuple[str, str], Run]:
    return told_by(JUDGE, copies, RUNS)


@pytest.fixture(scope="module")
def older_tool(copies: Path) -> dict[tuple[str, str], Run]:
    return told_by(OLDER_JUDGE, copies, [run for run in RUNS if run[0].startswith(f"{OLDER_JUDGE}/")])


@pytest.fixture
def in_copies(copies: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(copies)
    yield


def ours(path: str, flags: Sequence[str]) -> bytes:
    """Standard output of `kformat dump`."""
    done = CliRunner().invoke(main, ["dump", path, *flags])
    assert done.exit_code == 0, done.output
    return done.stdout_bytes


@pytest.mark.usefixtures("in_copies")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_samples_as_the_tool_dumps_them(sample: Sample, mode: str, current_tool: dict[tuple[str, str], Run]) -> None:
    for path in files_of(sample):
        told = current_tool[path, mode]
        if path in THE_TOOL_DIES:
            assert told.status == 1, f"{path}: the tool does not die of it any more"
            assert ours(path, MODES[mode]) == told.stdout + THE_TOOL_DIES[path]
        else:
            assert told.status == 0, told.stderr
            assert ours(path, MODES[mode]) == told.stdout, path


@pytest.mark.usefixtures("in_copies")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample.version == OLDER_JUDGE], ids=str)
def test_samples_of_3_9_as_its_own_tool_dumps_them(
    sample: Sample, mode: str, older_tool: dict[tuple[str, str], Run]
) -> None:
    for path in files_of(sample):
        told = older_tool[path, mode]
        if path in THE_TOOL_DIES:
            assert told.status == 1, f"{path}: the tool does not die of it any more"
            continue
        assert told.status == 0, told.stderr
        # Lines end at line feeds alone: a value may hold anything else.
        for line, expected in zip(ours(path, MODES[mode]).split(b"\n"), told.stdout.split(b"\n"), strict=True):
            if expected.endswith(LEADER_CHANGE_IN_3_9):
                line = line.partition(b" LeaderChange: ")[0] + LEADER_CHANGE_IN_3_9
            assert line == expected, path


def test_the_exceptions_are_still_met() -> None:
    """What is excepted by name exists; a sample that goes takes its exception along."""
    assert set(THE_TOOL_DIES) <= {path for path, _ in RUNS}


def test_reports_of_samples_are_the_tools(copies: Path, current_tool: dict[tuple[str, str], Run]) -> None:
    """Standard error, too, where the tool lives to print it: a log's jumps, what indexes say against the log."""
    reported = 0
    for (path, mode), told in current_tool.items():
        if path not in THE_TOOL_DIES:
            done = CliRunner().invoke(main, ["dump", str(copies / path), *MODES[mode]])
            assert done.stderr_bytes == told.stderr, path
            reported += bool(told.stderr)
    assert reported


def told_of_cases(root: Path) -> dict[str, Run]:
    """What the tool says of the files of `dump_cases`."""
    for case in CASES:
        case.write(root)
    runs = dump_many(JUDGE, [["--files", case.path, *case.flags] for case in CASES], root)
    return {case.name: run for case, run in zip(CASES, runs, strict=True)}


@pytest.fixture(scope="module")
def cases_tool(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    require(JUDGE)
    return told_of_cases(tmp_path_factory.mktemp("cases"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_golden_texts_are_the_tools_own(case: Case, cases_tool: dict[str, Run]) -> None:
    told = cases_tool[case.name]
    assert told.status == 0, told.stderr
    assert told.stdout.decode() == golden()[case.name]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_golden({name: run.stdout for name, run in told_of_cases(Path(folder)).items()})
