"""What stands before the verb, what is said of calls that are wrong, completion, and interrupts."""

from __future__ import annotations

import gc
import logging
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.cli import main, meant_address, reading
from kformat.kafka.columns.arrow import pyarrow
from kformat.kernels.compiled import LOGGER, require_numba
from kformat.testing.files import log_files
from kformat.testing.objects import write_files
from tests.cli import screens
from tests.cli.test_verbs import commands
from tests.dump_cases import SEGMENT, batch

PROGRAM = "import sys; from kformat.cli import main; sys.argv[0] = 'kformat'; main()"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_files(log_files([{"key": b"k", "value": b"v"}]), tmp_path / "orders-0")


# --- -q, -v, -V, help ----------------------------------------------------------------------------------------------


def test_quiet_leaves_errors_alone(folder: Path) -> None:
    log = folder / f"{0:020d}.log"
    log.write_bytes(log.read_bytes()[:-1] + b"?")
    loud, quiet = run("check", folder), run("-q", "check", folder)
    assert "1 error" in loud.stderr and quiet.stderr == ""
    assert (quiet.exit_code, quiet.stdout) == (loud.exit_code, loud.stdout) == (1, loud.stdout)
    assert run("-q", "ls", "not-there").stderr == "kformat: not-there: No such file or directory\n"
    assert "1 error" in run("check", folder).stderr, "of one call alone"


def test_verbose_adds_tracebacks_and_the_time(folder: Path) -> None:
    plain, verbose = run("ls", "not-there"), run("-v", "ls", "not-there")
    assert plain.exit_code == verbose.exit_code == 3
    assert "Traceback" not in plain.stderr and "Traceback" in verbose.stderr
    assert verbose.stderr.startswith(plain.stderr)
    assert re.search(r"\nkformat: [0-9]+\.[0-9]{2} s\n$", verbose.stderr)
    assert re.fullmatch(r"kformat: [0-9]+\.[0-9]{2} s\n", run("-v", "ls", folder).stderr)


def test_quiet_and_verbose_do_not_go_together() -> None:
    assert run("-q", "-v", "formats").exit_code == 2


def test_the_version_has_a_short_option() -> None:
    assert run("-V").stdout == run("--version").stdout == f"kformat {kformat.__version__}\n"


@pytest.mark.parametrize("verb", ["", "dump", "log", "log append", "corpus bulk"])
def test_help_is_a_verb_too(verb: str) -> None:
    done = run("help", *verb.split())
    assert done.exit_code == 0 and done.stdout == run(*verb.split(), "--help").stdout != ""


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("grpe x", "no verb 'grpe'; did you mean grep or groups?"),
        ("expotr x", "no verb 'expotr'; did you mean export"),
        ("qqqq", "no verb 'qqqq'; `kformat help` lists them"),
        ("help dmup", "no verb 'dmup'; did you mean dump"),
        ("help log raed", "no verb 'log raed'; did you mean read"),
        ("help dump files", "no verb 'dump files'"),
        ("help follow", "no verb 'follow'; did you mean `kformat log tail -f`?"),
        ("tail x", "no verb 'tail'; did you mean `kformat log tail -f`?"),
        ("follow x", "no verb 'follow'; did you mean `kformat log tail -f`?"),
        ("recover x", "no verb 'recover'; did you mean `kformat log recover`?"),
        ("log follow x", "no verb 'log follow'; did you mean `kformat log tail -f`?"),
        ("log tial x", "no verb 'log tial'; did you mean tail?"),
        ("log dump x", "no verb 'log dump'; did you mean `kformat dump`?"),
        ("log qqqq", "no verb 'log qqqq'; `kformat log --help` lists them"),
        ("spark chekc x", "no verb 'spark chekc'; did you mean check?"),
    ],
)
def test_a_verb_that_is_none_is_answered_with_what_looks_like_it(call: str, said: str) -> None:
    done = run(*call.split())
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"kformat: {said}") and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("call", "said", "help"),
    [
        ("check --severitty x", "no such option '--severitty'. Did you mean '--severity'?", "kformat check --help"),
        ("ls", "missing argument 'DIR...'", "kformat ls --help"),
        ("stats --by day x", "invalid value for '--by': 'day' is not one of", "kformat stats --help"),
        ("log append", "missing argument 'DIR'", "kformat log append --help"),
        ("--no-such", "no such option '--no-such'", "kformat --help"),
    ],
)
def test_a_wrong_call_is_a_line_and_the_help(call: str, said: str, help: str) -> None:
    done = run(*call.split())
    first, second = done.stderr.splitlines()
    assert (done.exit_code, done.stdout) == (2, "")
    assert re.sub("[:'.]", "", first).startswith(re.sub("[:'.]", "", f"kformat: {said}")), "as click's version puts it"
    assert second == f"kformat: `{help}` says what it takes"


def test_format_is_the_only_switch_of_the_output() -> None:
    formats = {"text", "table", "json", "nl", "csv", "json-schema", "source", "sarif", "github", "parquet", "arrow"}
    formats |= {"duckdb"}
    with_format = set()
    for name, command in commands(main):
        options = {option: it for it in command.params for option in it.opts}
        of_sqlite = {"--table"} if "--sqlite" in options else set()
        assert not options.keys() & {f"--{it}" for it in formats} - of_sqlite, name
        if "--format" in options:
            with_format.add(name)
            assert set(options["--format"].type.choices) <= formats, name  # type: ignore[attr-defined]
    assert with_format >= {"check", "dump", "export", "find", "grep", "ls", "stats", "log recover", "spark read"}


def test_as_is_the_only_name_of_a_declaration(tmp_path: Path) -> None:
    for name, command in commands(main):
        takes = [it.opts for it in command.params if it.metavar == "FORMAT"]
        assert takes == ([["format"]] if name == "describe" else [["--as"]] if takes else []), name
    (tmp_path / "own.ksy").write_text(
        "meta: {id: own, title: Own, endian: be}\ndoc: A number.\nseq:\n  - {id: number, type: u4, doc: It.}\n"
    )
    (tmp_path / "file").write_bytes(bytes([0, 0, 0, 7]))
    own, file = tmp_path / "own.ksy", tmp_path / "file"
    parsed = run("parse", "--as", own, file)
    assert parsed.exit_code == 0 and '"number": 7' in parsed.stdout
    built = CliRunner().invoke(main, ["build", "--as", str(own)], input=parsed.stdout_bytes)
    assert built.stdout_bytes == file.read_bytes()
    assert run("diff", file, file, "--as", own).exit_code == 0
    assert "number" in run("dump", "--hex", file, "--as", own).stdout


# --- archives ------------------------------------------------------------------------------------------------------


@pytest.fixture
def archives(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder.parent)
    for name, mode in (("x.tar", "w"), ("x.tar.gz", "w:gz"), ("y.tgz", "w:gz")):
        with tarfile.open(name, mode) as file:  # type: ignore[call-overload]
            file.add(folder.name)
    with zipfile.ZipFile("x.zip", "w") as file:
        file.write(f"{folder.name}/{0:020d}.log")
    return folder.parent


@pytest.mark.parametrize("verb", ["ls", "check", "stats", "find", "export", "grep x", "dump"])
@pytest.mark.parametrize("name", ["x.tar", "x.tar/orders-0"])
def test_the_name_of_an_archive_is_answered_with_its_address(archives: Path, verb: str, name: str) -> None:
    more = {"find": ["--offset", "0"], "export": ["--format", "csv"]}.get(verb, [])
    meant = "tar://orders-0::x.tar" if "/" in name else "tar://::x.tar"
    done = run(*verb.split(), name, *more)
    assert done.stderr.splitlines()[-1] == f"kformat: to read the archive, write {meant}"


@pytest.mark.parametrize("verb", ["check", "stats", "export --format csv", "dump"])
def test_an_archive_that_a_declaration_reads_is_meant_itself(archives: Path, verb: str) -> None:
    Path("zip.ksy").write_text(
        "meta: {id: zip, endian: be}\nseq: [{id: row, type: r, repeat: eos}]\n"
        "types: {r: {seq: [{id: magic, type: u1}]}}\n"
    )
    for given in (["--as", "zip.ksy"], ["--as=zip.ksy"]):
        assert "to read the archive" not in run(*verb.split(), *given, "x.zip").stderr
        assert "to read the archive, write zip://orders-0::x.zip" in run(*verb.split(), *given, "x.zip/orders-0").stderr


def test_the_addresses_that_are_named_work(archives: Path) -> None:
    for name in ("x.tar", "x.zip", "x.tar/orders-0", "x.zip/orders-0"):
        hint = meant_address(name)
        assert hint is not None
        done = run("ls", hint.rpartition(" ")[2].strip("'"))
        assert done.exit_code == 0 and " 1 " in done.stdout, hint


def test_compressed_archives_are_to_be_unpacked(archives: Path) -> None:
    for name in ("x.tar.gz", "y.tgz"):
        said = run("ls", name).stderr.splitlines()[-1]
        assert said.endswith(f"unpacked first; then write tar://::{name[0]}.tar")


def test_what_is_no_archive_gets_no_hint(archives: Path) -> None:
    Path("folder.tar").mkdir()
    for name in ("folder.tar", "not-there.tar", "orders-0", "tar://::x.tar"):
        assert meant_address(name) is None, name
    assert "archive" not in run("diff", "x.tar", "x.tar").stderr


# --- completion ----------------------------------------------------------------------------------------------------


def asked(environment: dict[str, str], program: str = PROGRAM) -> subprocess.CompletedProcess[str]:
    """The command, asked through the environment, as shells ask it for completions."""
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


def completed(shell: str, words: str, *, current: int | None = None) -> str:
    given = words.split(" ")
    environment = {
        "_KFORMAT_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(given) - 1 if current is None else current),
    }
    done = asked(environment)
    assert not done.stderr
    return done.stdout


@pytest.mark.parametrize(("shell", "word"), [("bash", "complete"), ("zsh", "compdef"), ("fish", "complete")])
def test_each_shell_gets_a_script(shell: str, word: str) -> None:
    documented = f"_KFORMAT_COMPLETE={shell}_source kformat"
    assert documented in (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    done = asked({"_KFORMAT_COMPLETE": f"{shell}_source"})
    assert word in done.stdout and "_KFORMAT_COMPLETE" in done.stdout and "kformat" in done.stdout


def test_verbs_options_values_and_files_are_completed() -> None:
    assert completed("bash", "kformat ex") == "plain,explain\nplain,export\n"
    assert "plain,--statistics" in completed("bash", "kformat check --st")
    assert completed("bash", "kformat check --group-by ru") == "plain,rule\n"
    assert completed("bash", "kformat ls /da") == "file,/da\n"
    assert completed("bash", "kformat log read /da") == "file,/da\n"
    assert completed("bash", "kformat export x -o ou") == "file,ou\n"


def test_completing_a_verb_imports_none(monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"import atexit, sys; atexit.register(lambda: print('kformat.cli.spark' in sys.modules)); {PROGRAM}"
    environment = {"_KFORMAT_COMPLETE": "bash_complete", "COMP_WORDS": "kformat ", "COMP_CWORD": "1"}
    done = asked(environment, program)
    assert "plain,spark\n" in done.stdout and done.stdout.endswith("False\n")


# --- kernels -------------------------------------------------------------------------------------------------------


def test_a_first_compilation_says_so_once_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[str]()

    def compiling() -> list[str]:
        for _ in range(2):
            logging.getLogger(LOGGER).info("compiling kernels")
        return []

    monkeypatch.setattr("kformat.cli.remark", said.append)
    monkeypatch.setattr("kformat.cli.formats.shipped_names", compiling)
    screens.screen(["formats"], 80, colour=False)
    assert len(said) == 1 and said[0].startswith("compiling kernels: ")
    screens.screen(["-q", "formats"], 80, colour=False)
    run("formats")
    assert len(said) == 1


def test_what_is_compiled_is_logged_where_it_is_ours(caplog: pytest.LogCaptureFixture) -> None:
    numba = pytest.importorskip("numba")
    require_numba()

    def compiled(module: str) -> Any:
        def doubled(number: int) -> int:
            return 2 * number

        doubled.__module__ = module
        return numba.njit(doubled)

    ours, other = compiled("kformat.kernels.some"), compiled("elsewhere")
    with caplog.at_level(logging.INFO, logger=LOGGER):
        assert other(2) == 4 and not caplog.records
        assert ours(2) == ours(2) == 4
    assert [record.getMessage() for record in caplog.records] == ["compiling kernels"]


@pytest.mark.parametrize("call", ["check {}", "grep k {}", "export {} --format csv"])
def test_what_takes_long_without_numba_names_the_extra(
    call: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hint = "kformat: with numba (extra fast) records are "
    assert hint not in run(*call.format(folder).split()).stderr
    monkeypatch.setattr(reading, "_SLOW_SECONDS", 0)
    monkeypatch.setattr(reading, "find_spec", lambda name: None)
    assert hint in run(*call.format(folder).split()).stderr
    assert hint not in run("-q", *call.format(folder).split()).stderr


# --- interrupts ----------------------------------------------------------------------------------------------------


def interrupting(function: Callable[..., Any], after: int) -> Callable[..., Any]:
    """The function, which is interrupted when it is called for the time after so many."""
    calls = 0

    def wrapped(*arguments: Any, **given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > after:
            raise KeyboardInterrupt
        return function(*arguments, **given)

    return wrapped


def tree(path: Path) -> dict[str, bytes]:
    return {
        str(it.relative_to(path)): it.read_bytes()
        for it in sorted(path.rglob("*"))
        if it.is_file() and it.name != ".lock"
    }


LONG = {
    "export": ("export {root} -o {out}/old.csv", "kformat.cli.tables", "TextLines.write"),
    "export-parquet": ("export {root} -o {out}/old.parquet", "kformat.kafka.log.partition", "Partition.record_batches"),
    "reindex": ("reindex {root}", "kformat.reindex", "_write"),
    "corpus write": ("corpus write {out}/corpus --damage --only producer", "pathlib", "Path.write_bytes"),
    "corpus bulk": ("corpus bulk {out}/bulk --size 1m --segment-bytes 256k", "kformat.corpus.bulk", "Bulk.write"),
}


@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("name", LONG)
def test_an_interrupted_verb_leaves_nothing_half_written(
    name: str, after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow()
    root, out = tmp_path / "root", tmp_path / "out"
    for number in range(3):
        write_files(log_files([{"key": b"k", "value": bytes([number])}]), root / f"orders-{number}")
    for index in root.rglob("*index"):
        index.write_bytes(b"old and wrong")
    out.mkdir()
    (out / "old.csv").write_text("old")
    (out / "old.parquet").write_text("old")
    before, outside = tree(root), tree(out)
    call, module, attribute = LONG[name]
    __import__(module)
    owner: Any = sys.modules[module]
    *path, last = attribute.split(".")
    for part in path:
        owner = getattr(owner, part)
    monkeypatch.setattr(owner, last, interrupting(getattr(owner, last), after))
    ignored = list[Any]()
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    done = run(*call.format(root=root, out=out).split())
    gc.collect()
    assert done.exit_code == 130 and not ignored
    assert done.stderr.splitlines()[-1] == "kformat: interrupted" and "Traceback" not in done.stderr
    monkeypatch.undo()
    assert tree(out) == outside and {it.name for it in out.iterdir()} <= {"old.csv", "old.parquet"}
    if name == "reindex":  # segments are finished one after the other
        whole = {path: data for path, data in tree(root).items() if before[path] != data}
        assert len(whole) == 2 * after and set(tree(root)) == set(before)
        assert not [it for it in kformat.check(root) if Path(it.file).parent.name == "orders-0"] or not after
    else:
        assert tree(root) == before


# By itself, once it has printed something: another process may get no processor until it is done.
INTERRUPTED = """
import os, signal, threading, time
def watch():
    while not os.fstat(1).st_size:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=watch, daemon=True).start()
"""


@pytest.mark.parametrize("flags", [[], ["--deep-iteration"]], ids=" ".join)
def test_an_interrupted_dump_ends_with_a_whole_line(flags: list[str], tmp_path: Path) -> None:
    log, out = tmp_path / f"{SEGMENT}.log", tmp_path / "out.txt"
    log.write_bytes(batch(10) * 300_000)
    with open(out, "wb") as stream:
        done = subprocess.run(
            [sys.executable, "-c", INTERRUPTED + PROGRAM, "dump", str(log), *flags],
            stdout=stream,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    assert (done.returncode, done.stderr) == (130, b"kformat: interrupted\n")
    assert out.read_bytes().endswith(b"\n")


def test_an_interrupt_at_a_question_is_one_too(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    def abort(*_: Any) -> Any:
        raise click.Abort

    monkeypatch.setattr("kformat.cli.partitions.open_partition", abort)
    done = run("find", folder, "--offset", "0")
    assert (done.exit_code, done.stderr) == (130, "kformat: interrupted\n")
