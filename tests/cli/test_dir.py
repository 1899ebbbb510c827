"""What a DIR argument may be is one rule for all verbs, and a path with nothing of Kafka's in it is an error."""

from __future__ import annotations

import errno
import importlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.cli import main
from kformat.kafka.log.partition import partition_paths
from tests.damages import BASE_TIMESTAMP_MS, data_batch, header, segment, stem, write

LOG = f"{stem(0)}.log"
META = "version=1\nnode.id=1\ncluster.id=AAAAAAAAAAEAAAAAAAAAAg\n"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def partition(path: Path) -> Path:
    return write(segment(0, [data_batch(3 * number, BASE_TIMESTAMP_MS + number) for number in range(4)]), path)


def names(objects: str) -> list[str]:
    return [json.loads(line)["partition"] for line in objects.splitlines()]


def listed(done: Result) -> set[str]:
    return {row["partition"].rpartition("/")[2] for row in json.loads(done.stdout)}


# Verb -> its call, and the partitions that it has seen, by what it printed.
VERBS: dict[str, tuple[list[str], Callable[[Result], set[str]]]] = {
    "ls": (["ls", "DIR", "--format", "json"], listed),
    "ls -a": (["ls", "-a", "DIR", "--format", "json"], lambda done: {name for name in seen_by_ls(done) if name}),
    "stats": (
        ["stats", "DIR", "--format", "json"],
        lambda done: {Path(row["name"]).name.replace(LOG, "orders-0") for row in json.loads(done.stdout)},
    ),
    "grep": (
        ["grep", "some", "DIR", "--format", "nl"],
        lambda done: {f"{row['topic']}-{row['partition']}" for row in map(json.loads, done.stdout.splitlines())},
    ),
    "find": (["find", "DIR", "--offset", "5"], lambda done: {"" for _ in done.stdout.splitlines()}),
    "export": (
        ["export", "DIR", "--format", "nl", "--columns", "topic,partition"],
        lambda done: {f"{row['topic']}-{row['partition']}" for row in map(json.loads, done.stdout.splitlines())},
    ),
    "reindex": (["reindex", "DIR", "--dry-run", "--format", "json"], listed),
    "check": (["check", "DIR"], lambda done: set()),
    "diff": (["diff", "DIR", "DIR"], lambda done: set()),
}


def seen_by_ls(done: Result) -> set[str]:
    return {(row["partition"] or "").rpartition("/")[2] for row in json.loads(done.stdout)}


def call(verb: str, path: Path) -> Result:
    if verb == "export":
        pytest.importorskip("pyarrow")
    return run(*(path if word == "DIR" else word for word in VERBS[verb][0]))


@pytest.fixture
def nothing(tmp_path: Path) -> Path:
    (tmp_path / "nothing" / "below").mkdir(parents=True)
    (tmp_path / "nothing" / "below" / "notes.txt").write_text("buy milk")
    return tmp_path / "nothing"


@pytest.mark.parametrize("verb", VERBS)
def test_a_folder_with_nothing_of_kafkas_is_an_error(verb: str, nothing: Path) -> None:
    done = call(verb, nothing)
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"kformat: {nothing}: nothing of Kafka's here; looked for segments")
    assert line.endswith(", at any depth") and "buy milk" not in done.stdout


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "diff"])
def test_so_is_a_file_of_another_kind(verb: str, nothing: Path) -> None:
    """`diff` compares any two files."""
    done = call(verb, nothing / "below" / "notes.txt")
    assert done.exit_code == 2 and done.stderr.startswith("kformat: ") and "notes.txt" in done.stderr


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("check", "diff", "ls -a")])
def test_a_partition_without_segments_is_none(verb: str, tmp_path: Path) -> None:
    (tmp_path / "orders-0").mkdir()
    (tmp_path / "orders-0" / "leader-epoch-checkpoint").write_text("0\n0\n")
    done = call(verb, tmp_path / "orders-0")
    assert done.exit_code == 2 and f"{tmp_path}/orders-0: nothing of Kafka's here" in done.stderr


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("find", "diff")])
def test_each_path_is_asked_for_itself(verb: str, tmp_path: Path, nothing: Path) -> None:
    """What is found in one does not hide that another is a wrong path; it is answered all the same."""
    sound = partition(tmp_path / "root" / "orders-0")
    words = VERBS[verb][0]
    if verb == "export":
        pytest.importorskip("pyarrow")
    at = words.index("DIR")
    done = run(*words[:at], nothing, sound, *words[at + 1 :])
    alone = call(verb, sound)
    assert (done.exit_code, alone.exit_code) == (2, 0)
    assert done.stdout == alone.stdout and f"{nothing}: nothing of Kafka's here" in done.stderr


def test_check_of_a_broken_path_and_a_wrong_one(tmp_path: Path, nothing: Path) -> None:
    broken = partition(tmp_path / "root" / "orders-0")
    os.truncate(broken / LOG, 100)
    done = run("check", broken, nothing)
    assert done.exit_code == 2 and " KF0102 " in done.stdout and f"{nothing}: nothing of Kafka's" in done.stderr


# --- what it may be ------------------------------------------------------------------------------------------------


def a_partition(path: Path) -> tuple[Path, set[str]]:
    return partition(path / "orders-0"), {"orders-0"}


def a_file(path: Path) -> tuple[Path, set[str]]:
    return partition(path / "orders-0") / LOG, {"orders-0"}


def a_root(path: Path) -> tuple[Path, set[str]]:
    for name in ("orders-0", "orders-1", "gone-0.0123-delete"):
        partition(path / "root" / name)
    (path / "root" / "meta.properties").write_text(META)
    return path / "root", {"orders-0", "orders-1"}


def roots(path: Path) -> tuple[Path, set[str]]:
    for root, name in (("kafka1", "orders-0"), ("kafka1", "orders-1"), ("kafka2", "payments-0")):
        partition(path / "data" / root / name)
    (path / "data" / "lost+found").mkdir()
    return path / "data", {"orders-0", "orders-1", "payments-0"}


def roots_called_like_partitions(path: Path) -> tuple[Path, set[str]]:
    for root, name in (("disk-1", "orders-0"), ("disk-2", "payments-0")):
        partition(path / "data" / root / name)
    return path / "data", {"orders-0", "payments-0"}


def a_mounted_disk(path: Path) -> tuple[Path, set[str]]:
    partition(path / "mnt" / "var" / "lib" / "kafka" / "orders-0")
    (path / "mnt" / "var" / "circle").symlink_to(path / "mnt")
    return path / "mnt", {"orders-0"}


SHAPES = (a_partition, a_file, a_root, roots, roots_called_like_partitions, a_mounted_disk)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("check", "diff")])
def test_all_verbs_see_the_same_partitions(
    verb: str, shape: Callable[[Path], tuple[Path, set[str]]], tmp_path: Path
) -> None:
    path, expected = shape(tmp_path)
    done = call(verb, path)
    assert done.exit_code == 0, done.stderr
    if verb == "find":
        answers = done.stdout.splitlines()
        several = len(expected) > 1
        found = {line.partition(": ")[0].rpartition("/")[2] for line in answers} if several else expected
        assert len(answers) == len(expected) and all("offset 5 " in line for line in answers)
    else:
        found = VERBS[verb][1](done)
    assert {name.partition(".")[0] for name in found} - {"gone-0"} == expected
    assert ("gone-0.0123-delete" in found) == (verb == "ls -a" and shape is a_root)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_check_judges_them_all(shape: Callable[[Path], tuple[Path, set[str]]], tmp_path: Path) -> None:
    path, expected = shape(tmp_path)
    assert run("check", path).exit_code == 0
    for log in tmp_path.rglob(LOG):
        os.truncate(log, 100)
    found = run("check", path)
    assert found.stdout.count(" KF0102 ") == len(expected)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_python_sees_what_the_verbs_see(shape: Callable[[Path], tuple[Path, set[str]]], tmp_path: Path) -> None:
    path, expected = shape(tmp_path)
    assert {f"{one.topic}-{one.partition}" for one in kformat.iter_partitions(path)} == expected


def test_a_folder_further_down_that_cannot_be_listed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = roots(tmp_path)
    (path / "kafka3").symlink_to("kafka3")  # a link to itself is no folder, and hides nothing
    closed, scan = path / "lost+found", importlib.import_module("kformat.kafka.log.partition").scan

    def refusing(folder: Path, **how: bool) -> object:
        if folder == closed:
            raise PermissionError(13, "Permission denied", str(folder))
        return scan(folder, **how)

    monkeypatch.setattr("kformat.kafka.log.partition.scan", refusing)
    assert closed in partition_paths(path)
    done = run("ls", path, "--format", "json")
    assert done.exit_code == 3 and len(json.loads(done.stdout)) == 3
    assert done.stderr == f"kformat: {closed}: Permission denied\n"


def test_partitions_of_several_roots_are_told_apart(tmp_path: Path) -> None:
    for root in ("kafka1", "kafka2"):
        partition(tmp_path / "data" / root / "orders-0")
    assert [row["partition"] for row in json.loads(run("ls", tmp_path / "data", "--format", "json").stdout)] == [
        "kafka1/orders-0",
        "kafka2/orders-0",
    ]


def test_ls_a_shows_the_files_of_every_root(tmp_path: Path) -> None:
    path, _ = roots(tmp_path)
    for root in ("kafka1", "kafka2"):
        (path / root / "meta.properties").write_text(META)
    rows = json.loads(run("ls", "-a", path, "--format", "json").stdout)
    assert [row["file"] for row in rows].count("meta.properties") == 2


def test_ls_a_of_a_root_without_partitions(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text(META)
    done = run("ls", "-a", tmp_path, "--format", "json")
    assert (done.exit_code, [row["file"] for row in json.loads(done.stdout)]) == (0, ["meta.properties"])
    assert run("ls", tmp_path).exit_code == 2


# --- find ROOT -----------------------------------------------------------------------------------------------------


def test_find_answers_for_each_partition_with_its_name(tmp_path: Path) -> None:
    path, _ = a_root(tmp_path)
    done = run("find", path, "--offset", "5", "--offset", "7")
    alone = run("find", path / "orders-0", "--offset", "5").stdout.strip()
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["orders-0"] * 2 + ["orders-1"] * 2
    assert lines[0] == f"orders-0: {alone}"
    objects = [json.loads(line) for line in run("find", path, "--offset", "5", "--format", "json").stdout.splitlines()]
    assert [(item["partition"], item["offset"]) for item in objects] == [("orders-0", 5), ("orders-1", 5)]
    (own,) = map(json.loads, run("find", path / "orders-0", "--offset", "5", "--format", "json").stdout.splitlines())
    assert objects[0] == {"partition": "orders-0", **own}, "of one partition the answer is as it was"
    explained = run("find", path, "--offset", "5", "--explain").stdout.splitlines()
    assert [line for line in explained if line in ("orders-0:", "orders-1:")] == ["orders-0:", "orders-1:"]


def test_find_is_content_with_one_partition_that_has_it(tmp_path: Path) -> None:
    path, _ = a_root(tmp_path)
    write(segment(0, [data_batch(0, BASE_TIMESTAMP_MS)]), path / "short-0")
    done = run("find", path, "--offset", "8")
    assert done.exit_code == 0 and done.stderr.startswith("kformat: short-0: ")
    assert len(done.stdout.splitlines()) == 2
    assert run("find", path, "--offset", "800").exit_code == 1
    assert run("find", path, "--offset", "8", "--offset", "800").exit_code == 1


def test_find_goes_on_after_a_partition_that_is_damaged(tmp_path: Path) -> None:
    path, _ = a_root(tmp_path)
    sound = segment(0, [data_batch(0, BASE_TIMESTAMP_MS)])
    write({LOG: header(0, mend=False, batch_length=-1)(sound)[LOG]}, path / "orders-0")
    for suffix in ("index", "timeindex"):
        (path / "orders-0" / f"{stem(0)}.{suffix}").unlink()
    done = run("find", path, "--offset", "5")
    assert done.exit_code == 1 and [line[:8] for line in done.stdout.splitlines()] == ["orders-1"]
    assert str(path / "orders-0") in done.stderr


# --- what cannot be read -------------------------------------------------------------------------------------------

GOES_ON: dict[str, str] = {
    "check": "check --severity info PATHS",
    "check -j 2": "check -j 2 --severity info PATHS",
    "check --as": "check --as time_index FILES",
    "dump": "dump LOGS",
    "dump --as": "dump --as time_index FILES",
    "export": "export --format csv PATHS",
    "export --as": "export --format csv --as time_index FILES",
    "find": "find --offset 5 PATHS",
    "grep": "grep some PATHS",
    "log recover": "log recover --dry-run ROOT",
    "ls": "ls PATHS",
    "merge": "merge --dry-run -o OUT PATHS",
    "reindex": "reindex --dry-run PATHS",
    "salvage": "salvage --dry-run -o OUT PATHS",
    "salvage --in-place": "salvage --in-place --dry-run PATHS",
    "stats": "stats PATHS",
    "stats --as": "stats --as time_index FILES",
}


def deny(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Have a file or a folder refuse to be opened, whoever asks."""

    def refusing(real: Callable[..., Any]) -> Callable[..., Any]:
        def opened(given: Any = ".", *rest: Any, **more: Any) -> Any:
            if not isinstance(given, int) and os.path.abspath(given) == str(path):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(given))
            return real(given, *rest, **more)

        return opened

    for name in ("open", "scandir", "listdir"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))


@pytest.mark.parametrize("what", ["a log", "a folder", "nothing"])
@pytest.mark.parametrize("verb", GOES_ON)
def test_what_cannot_be_read_does_not_keep_the_others(
    verb: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_of_files = GOES_ON[verb].endswith(("FILES", "LOGS"))
    if (is_of_files and what == "a folder") or (what == "nothing" and "ROOT" in GOES_ON[verb]):
        return
    if "-j" in verb and what != "nothing":  # what is refused in this process is not in others
        return
    root, kind = tmp_path / "root", ".timeindex" if verb.endswith("--as") else ".log"
    folders = [partition(root / f"orders-{number}") for number in range(3)]
    for folder in (folders[0], folders[2]) if "check" in verb else ():  # it has something to say of them
        (folder / f"{stem(0)}{kind}").write_bytes((folder / f"{stem(0)}{kind}").read_bytes() + b"abc")
    given = [folders[0], root / "orders-7" if what == "nothing" else folders[1], folders[2]]
    files = [path / f"{stem(0)}{kind}" for path in given]
    missing = files[1] if what == "a log" or (what == "nothing" and is_of_files) else given[1]
    if what != "nothing":
        deny(monkeypatch, missing)
    words = GOES_ON[verb].replace("ROOT", str(root)).replace("OUT", str(tmp_path / "out")).split(" ")
    replaced = {"PATHS": given, "FILES": files, "LOGS": files}
    result = run(*(str(path) for word in words for path in replaced.get(word, [word])))
    assert result.exit_code == 3, result.output
    assert isinstance(result.exception, SystemExit), result.exception
    assert str(missing) in result.output
    own = result.output.replace(str(missing), "")
    for folder in (folders[0], folders[2]) if verb not in ("export", "export --as", "find", "stats --as") else ():
        assert folder.name in own, result.output
    if "export" in verb:
        assert len(result.stdout.splitlines()) == 2 * len(run(*words[:-1], files[0]).stdout.splitlines()) - 1


def test_salvage_saves_what_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a partition with one log that cannot be read, the other logs; of one with none that can, nothing; in place
    such partitions stay as they are, and others are mended."""
    batches = [data_batch(3 * number, BASE_TIMESTAMP_MS + number) for number in range(4)]
    some = write({**segment(0, batches), **segment(100, [data_batch(100, BASE_TIMESTAMP_MS)])}, tmp_path / "a" / "x-0")
    none, broken = partition(tmp_path / "a" / "y-0"), partition(tmp_path / "a" / "z-0")
    (broken / LOG).write_bytes((broken / LOG).read_bytes() + b"garbage")
    before = {path: path.read_bytes() for folder in (some, none) for path in folder.iterdir()}
    with monkeypatch.context() as patched:
        deny(patched, some / LOG)
        deny(patched, none / LOG)
        report = kformat.salvage(tmp_path / "a", tmp_path / "new")
        in_place = kformat.salvage_in_place(tmp_path / "a")
    assert sorted(str(error.filename) for error in report.unread if isinstance(error, OSError)) == [
        str(some / LOG),
        str(none / LOG),
    ]
    assert [one.name for one in report.partitions] == ["x-0", "z-0"] and not report.is_whole
    assert [row["missing"] for row in report.summary()] == ["0-99", "12-"]
    assert sorted(path.name for path in (tmp_path / "new").glob("*-0")) == ["x-0", "z-0"]
    assert [record.offset for record in kformat.open(tmp_path / "new" / "x-0").records()] == [100, 101, 102]
    said = json.loads((tmp_path / "new" / "kformat-salvage.json").read_text())
    assert [line.partition(": ")[0] for line in said["unread"]] == [str(none / LOG), str(some / LOG)]
    assert {path: path.read_bytes() for path in before} == before
    assert [one.name for one in in_place.partitions if one.saved is not None] == ["z-0"]
    merged = kformat.merge([tmp_path / "a", tmp_path / "new"], tmp_path / "merged")
    assert [row["missing"] for row in merged.summary() if row["partition"] == "x-0"] == [None]
