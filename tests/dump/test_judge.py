"""The dump held against Kafka's own tool: every file of every sample, whatever its magic, and those of `dump_cases.py`.

Standard output is compared byte for byte, the reports on standard error, too, in all combinations of options that make
a difference. The tool runs on copies, because it opens indexes for writing: it cuts an odd one to whole entries.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from kformat.cli import main
from kformat.dump import columns as dump_columns
from kformat.dump.inputs import LogPass
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from tests.draws import IS_NIGHT, every
from tests.dump_cases import (
    CASES,
    DEEP,
    KEYS_ALONE,
    LOG,
    NO_TEXT,
    Case,
    control,
    golden,
    marker,
    transaction_index,
    write_golden,
)
from tests.judges import Run, dump_many, releases
from tests.judges.java_tools import run_many
from tests.judges.required import require
from tests.samples import ROOT, all_samples
from tests.vectors import CONTROL_BATCHES

pytestmark = pytest.mark.judge

JUDGE, OLDER_JUDGE = releases.NEWEST, releases.OLDER

_LOG_MODES = {"plain": (), "deep": DEEP, "no-payload": ("--deep-iteration",), "keys-alone": KEYS_ALONE}
_INDEX_MODES = {"plain": (), "verify": ("--verify-index-only",), "sanity": ("--index-sanity-check",)}
MODES: dict[str, dict[str, tuple[str, ...]]] = {
    ".log": _LOG_MODES,
    ".checkpoint": _LOG_MODES,
    ".index": _INDEX_MODES,
    ".timeindex": _INDEX_MODES,
    ".txnindex": {"plain": ()},
    ".snapshot": {"plain": ()},
}
"""What is asked of a file, by its suffix."""

# Where the tool ends with a stack trace, and what kformat prints then behind the line that names the file.
_SINCE_1 = [version for version in releases.SAMPLES if releases.version_tuple(version) >= (1,)]
# An index that is all zeros, beside a log that is empty.
_ALL_ZERO = [f"{version}/killed-empty-0/00000000000000000000.index" for version in _SINCE_1]
# A time index that was in use when its broker was killed, or of KRaft's own log: after its entries it is all zeros.
_NOT_CUT = [
    "0.10.2.2/killed-0/00000000000000000512.timeindex",
    "4.4.0/__cluster_metadata-0/00000000000000000000.timeindex",
]
for version in _SINCE_1:
    _NOT_CUT.append(f"{version}/killed-0/00000000000000000360.timeindex")
    _NOT_CUT.append(f"{version}/killed-compacted-0/00000000000000000102.timeindex")
THE_TOOL_DIES = {
    **{(path, "plain"): b"offset: 0 position: 0\n" for path in _ALL_ZERO},
    **{(path, "verify"): b"" for path in _ALL_ZERO},
    **{(path, "sanity"): b"" for path in _NOT_CUT},
}
# kformat's exit status says that the check failed.
DAMAGED = {(path, "sanity") for path in _NOT_CUT}


def files_of(folder: Path) -> list[str]:
    """What the tool dumps of a folder, by paths below the samples."""
    return sorted(str(path.relative_to(ROOT)) for path in folder.iterdir() if path.suffix in MODES)


FOLDERS = {str(sample): files_of(sample.path) for sample in all_samples()}
FOLDERS |= {
    root: files_of(ROOT / root) for root in sorted({sample.root for sample in all_samples()})
}  # bootstrap.checkpoint


def runs_of(files: Sequence[str]) -> list[tuple[str, str]]:
    """Each file with each of its modes."""
    return [(path, mode) for path in files for mode in MODES[Path(path).suffix]]


ALL_RUNS = {run for files in FOLDERS.values() for run in runs_of(files)}
FOLDERS = {folder: FOLDERS[folder] for folder in every(3, sorted(FOLDERS))}
RUNS = [run for files in FOLDERS.values() for run in runs_of(files)]


def flags(run: tuple[str, str]) -> tuple[str, ...]:
    path, mode = run
    return MODES[Path(path).suffix][mode]


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples, where the tool may do with them what it likes."""
    root = tmp_path_factory.mktemp("samples")
    for path in {path for path, _ in RUNS}:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, root / path)
    return root


def told_by(version: str, root: Path, runs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Run]:
    """What the tool of that version says, for each file in each mode; one JVM does it all."""
    require(version)
    told = dump_many(version, [["--files", run[0], *flags(run)] for run in runs], root)
    return dict(zip(runs, told, strict=True))


@pytest.fixture(scope="module")
def current_tool(copies: Path) -> dict[tuple[str, str], Run]:
    return told_by(JUDGE, copies, RUNS)


@pytest.fixture(scope="module")
def older_tool(copies: Path) -> dict[tuple[str, str], Run]:
    return told_by(OLDER_JUDGE, copies, [run for run in RUNS if run[0].startswith(f"{OLDER_JUDGE}/")])


@pytest.fixture(scope="module")
def ours() -> Callable[[tuple[str, str]], Run]:
    """What `kformat dump` says, asked once for each file and mode, in the directory that the test is in."""
    said: dict[tuple[str, str], Run] = {}

    def ask(run: tuple[str, str]) -> Run:
        if run not in said:
            done = CliRunner().invoke(main, ["dump", run[0], *flags(run)])
            said[run] = Run(flags(run), done.exit_code, done.stdout_bytes, done.stderr_bytes)
        return said[run]

    return ask


@pytest.fixture
def in_copies(copies: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(copies)
    yield


@pytest.mark.usefixtures("in_copies")
@pytest.mark.parametrize("folder", [folder for folder, files in FOLDERS.items() if files])
def test_samples_as_the_tool_dumps_them(
    folder: str, current_tool: dict[tuple[str, str], Run], ours: Callable[[tuple[str, str]], Run]
) -> None:
    """Standard output and the reports: a log's jumps, what indexes say against the log."""
    for run in runs_of(FOLDERS[folder]):
        told, said = current_tool[run], ours(run)
        if run in THE_TOOL_DIES:
            assert told.status == 1, f"{run}: the tool does not die of it any more"
            assert said.stdout == told.stdout + THE_TOOL_DIES[run]
            assert said.status == (1 if run in DAMAGED else 0), run
        else:
            assert told.status == 0, told.stderr
            assert said.stdout == told.stdout, run
            assert said.stderr == told.stderr, run
            assert said.status == 0, run


@pytest.mark.usefixtures("in_copies")
@pytest.mark.parametrize("folder", [name for name, files in FOLDERS.items() if files and name.startswith(OLDER_JUDGE)])
def test_samples_of_3_9_as_its_own_tool_dumps_them(
    folder: str, older_tool: dict[tuple[str, str], Run], ours: Callable[[tuple[str, str]], Run]
) -> None:
    for run in runs_of(FOLDERS[folder]):
        told = older_tool[run]
        if run in THE_TOOL_DIES:
            assert told.status == 1, f"{run}: the tool does not die of it any more"
            continue
        assert told.status == 0, told.stderr
        # Lines end at line feeds alone: a value may hold anything else.
        for line, expected in zip(ours(run).stdout.split(b"\n"), told.stdout.split(b"\n"), strict=True):
            assert as_3_9(line, run) == expected, run


def as_3_9(line: bytes, run: tuple[str, str]) -> bytes:
    """A line of the newest tool as 3.9.2 prints it, which names the kind of a leader change, and puts no bar before a
    payload without a key."""
    before, label, _ = line.partition(b" LeaderChange: ")
    if label:
        return before + b" controlType: LEADER_CHANGE(2)"
    return line.removeprefix(b"|") if flags(run) == KEYS_ALONE and line.startswith(b"| payload: ") else line


def test_the_exceptions_are_still_met() -> None:
    """What is excepted by name exists; a sample that goes takes its exception along."""
    assert set(THE_TOOL_DIES) <= ALL_RUNS


def test_every_kind_of_file_is_among_the_samples(current_tool: dict[tuple[str, str], Run]) -> None:
    """Of all brokers and of other clients, with reports, and with records of every magic."""
    assert {Path(path).suffix for path, _ in RUNS} == set(MODES)
    assert {path.partition("/")[0] for path, _ in RUNS} == {*releases.SAMPLES, "4.3.1-clients"}
    assert sum(bool(told.stderr) for run, told in current_tool.items() if run not in THE_TOOL_DIES) > 100 // (
        1 if IS_NIGHT else 3
    )
    text = b"".join(told.stdout for told in current_tool.values())
    assert all(b" magic: %d " % magic in text for magic in (0, 1, 2))


def test_control_records_of_kraft_as_the_tool_dumps_those_of_kafkas_own_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require(JUDGE)
    name = "00000000000000000005-0000000007.checkpoint"
    (made,) = run_many(JUDGE, "ControlRecords", [[str(tmp_path / name)]])
    assert made.status == 0, made.stderr
    assert (tmp_path / name).read_bytes() == CONTROL_BATCHES
    monkeypatch.chdir(tmp_path)
    (told,) = dump_many(JUDGE, [["--files", name, *DEEP]], tmp_path)
    assert told.status == 0, told.stderr
    for text in (b"SnapshotHeader ", b"SnapshotFooter ", b"KRaftVersion ", b"KRaftVoters ", b"LeaderChange: "):
        assert b" " + text + b"{" in told.stdout
    done = CliRunner().invoke(main, ["dump", name, *DEEP])
    assert (done.exit_code, done.stdout_bytes, done.stderr_bytes) == (0, told.stdout, told.stderr)


def test_a_transaction_index_of_another_version_ends_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool reads all entries before it prints one."""
    require(JUDGE)
    monkeypatch.chdir(tmp_path)
    names = {f"{number:020d}.txnindex": version for number, version in enumerate((0, 1, 256, -1))}
    for name, version in names.items():
        data = transaction_index((42, 3, 7, 8)) + transaction_index((43, 9, 11, 12), version=version)
        Path(name).write_bytes(data)
    for told, version in zip(
        dump_many(JUDGE, [["--files", name] for name in names], tmp_path), names.values(), strict=True
    ):
        done = CliRunner().invoke(main, ["dump", told.arguments[-1]])
        assert (done.exit_code, done.stdout_bytes) == (told.status, told.stdout)
        assert told.status == bool(version) and (b"transaction version" in told.stderr) == bool(version)


LENGTHS = (0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 100)


def any_bytes(chance: random.Random) -> bytes:
    """Bytes of which some are text, and some begin like it."""
    pieces: list[bytes] = []
    while len(pieces) < chance.choice((1, 2, 5)):
        odd = bytes(chance.choices(range(0x80, 0x100), k=chance.choice((1, 2, 3))))
        pieces += chance.choice(
            ((b"plain text",), ("zoë 日本 😀".encode(),), (odd,), (chance.choice(NO_TEXT), odd), (b"",))
        )
    data = b"".join(pieces)
    return data[: chance.choice(LENGTHS)] if chance.random() < 0.5 else data


def log_of_any_bytes() -> bytes:
    """Thousands of records in batches of every codec, with what is easily printed wrong in keys, values and headers."""
    chance, made, offset = random.Random(5), [], 2**40
    for number in range(120):
        count = chance.choice((1, 7, 200))
        columns = Columns(
            [1_700_000_000_000 + chance.randint(-(10**6), 10**6) for _ in range(count)],
            [chance.choice((None, b"", any_bytes(chance))) for _ in range(count)],
            [chance.choice((None, any_bytes(chance), any_bytes(chance))) for _ in range(count)],
            [
                [(any_bytes(chance).decode("utf-8", "surrogateescape"), b"x"), ("", None)]
                if chance.random() < 0.2
                else []
                for _ in range(count)
            ],
        )
        fields = BatchFields(
            leader_epoch=number,
            compression=CODEC_NAMES[number % len(CODEC_NAMES)],
            append_time=10**number if number < 19 else None,
            producer_id=number if number % 2 else -1,
            producer_epoch=number if number % 2 else -1,
            base_sequence=2**31 - 1 - number if number % 2 else -1,
        )
        made.append(build_batch(columns, base_offset=offset, fields=fields))
        offset += count
        if number % 3 == 0:
            made.append(control(offset, number % 2, marker(number)))
            offset += chance.choice((1, 4))
    return b"".join(made)


@pytest.mark.parametrize("mode", _LOG_MODES)
def test_what_kernels_print_is_the_tools(mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and values of any bytes, as Java decodes them; numbers of every length; jumps, which are reported."""
    pytest.importorskip("numba")
    require(JUDGE)
    (tmp_path / LOG).write_bytes(log_of_any_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(dump_columns, "WORTH_LINES", 0)
    arguments = ["--files", LOG, *_LOG_MODES[mode]]
    (told,) = dump_many(JUDGE, [arguments], tmp_path)
    assert told.status == 0, told.stderr
    monkeypatch.setattr(LogPass, "of_frame", lambda *_: pytest.fail("a batch was left to the codec"))
    done = CliRunner().invoke(main, ["dump", *arguments])
    assert (done.exit_code, done.stdout_bytes, done.stderr_bytes) == (0, told.stdout, told.stderr)


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
