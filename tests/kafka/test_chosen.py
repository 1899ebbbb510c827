"""Some of a root's partitions: by topics, patterns and numbers, in Python and on the command line."""

from __future__ import annotations

import json
import shutil
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.check import checker
from kformat.cli import main
from kformat.errors import UsageError
from kformat.kafka.log import chosen as log_chosen
from kformat.testing import write_log
from kformat.times import milliseconds
from tests.samples import ROOT as SAMPLES


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    for name in ("orders-0", "orders-1", "orders-dlq-0", "payments-0", "payments-1"):
        topic, _, number = name.rpartition("-")
        write_log(root, [(name.encode(), b"value")], topic=topic, partition=int(number))
    return root


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["orders-0", "orders-1", "orders-dlq-0", "payments-0", "payments-1"]),
    ({"topics": "orders"}, ["orders-0", "orders-1"]),
    ({"topics": ["orders*"]}, ["orders-0", "orders-1", "orders-dlq-0"]),
    ({"topics": ["orders*"], "exclude": "*-dlq"}, ["orders-0", "orders-1"]),
    ({"exclude": ["orders*"]}, ["payments-0", "payments-1"]),
    ({"partitions": 1}, ["orders-1", "payments-1"]),
    ({"topics": ["pay*", "orders"], "partitions": [0, 7]}, ["orders-0", "payments-0"]),
]


def arguments_of(how: dict[str, Any]) -> list[str]:
    """A choice as options of the command line."""
    return [part for name in how for item in _several(how[name]) for part in (f"--{name.removesuffix('s')}", item)]


@pytest.mark.parametrize(("how", "wanted"), CASES)
def test_chosen(root: Path, how: dict[str, Any], wanted: list[str]) -> None:
    opened = kformat.open_root(root, **how)
    assert list(opened.partitions) == wanted and len(opened) == len(wanted)
    assert [partition.folder.name for partition in kformat.iter_partitions(root, **how)] == wanted
    selected = kformat.open_root(root).select(**how)
    assert list(selected.partitions) == wanted and selected.others == opened.others
    keys = [key.decode() for key in selected.to_arrow(["key"]).column("key").to_pylist()]
    assert keys == wanted
    arguments = arguments_of(how)
    found = run("grep", "value", root, "--format", "nl", "--bytes", "text", *arguments)
    assert [json.loads(line)["key"] for line in found.stdout.splitlines()] == wanted, found.output
    exported = run("export", root, "--format", "csv", "--columns", "key", "--bytes", "text", *arguments)
    assert exported.stdout.splitlines()[1:] == wanted, exported.output
    counted = run("stats", root, "--format", "csv", "--columns", "topic,partition", *arguments)
    assert [line.replace(",", "-") for line in counted.stdout.splitlines()[1:]] == wanted, counted.output


NAMED_BY: dict[str, list[str]] = {
    "ls": ["--columns", "partition", "--format", "csv"],
    "ls -a": ["--columns", "partition", "--format", "csv"],
    "find --offset 0": ["--columns", "partition"],
    "reindex --dry-run": ["--format", "csv"],
    "salvage --dry-run": ["--format", "csv"],
    "merge --dry-run": ["--format", "csv"],
    "topics": ["--columns", "topic,partition", "--format", "csv"],
}
"""Verbs whose lines begin with the name of a partition -> options for that."""


@pytest.mark.parametrize("verb", NAMED_BY)
@pytest.mark.parametrize(("how", "wanted"), CASES)
def test_verbs_take_what_is_chosen(
    root: Path, tmp_path: Path, verb: str, how: dict[str, Any], wanted: list[str]
) -> None:
    where = ["-o", str(tmp_path / "new")] if "salvage" in verb or "merge" in verb else []
    done = run(*verb.split(), root, *NAMED_BY[verb], *where, *arguments_of(how))
    assert done.exit_code == 0, done.output
    found = [line.replace(",", "-", verb == "topics") for line in done.stdout.splitlines()[1:]]
    names = [line.split(",")[0].split()[0] for line in found if line.split(",")[0]]
    assert list(dict.fromkeys(names)) == wanted


@pytest.mark.parametrize(("how", "wanted"), CASES)
def test_what_functions_take(root: Path, tmp_path: Path, how: dict[str, Any], wanted: list[str]) -> None:
    assert [f"{item.topic}-{item.partition}" for item in kformat.stats(root, **how)] == wanted
    assert [(item.key or b"").decode() for item in kformat.grep(root, "value", **how)] == wanted
    for save in (kformat.salvage, kformat.merge):
        assert [item.name for item in save([root], tmp_path / "new", dry_run=True, **how).partitions] == wanted


@pytest.fixture(scope="module")
def damaged(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with a wrong checksum in each partition, whose checkpoint says too much of each, and names one more."""
    damaged = tmp_path_factory.mktemp("damaged") / "root"
    shutil.copytree(root, damaged)
    for log in damaged.glob("*/*.log"):
        data = log.read_bytes()
        log.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    names = [name.rpartition("-") for name in ("orders-2", *(path.name for path in damaged.iterdir()))]
    lines = [f"{topic} {number} 1000" for topic, _, number in names]
    (damaged / "recovery-point-offset-checkpoint").write_text("\n".join(["0", str(len(lines)), *lines, ""]))
    return damaged


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(("how", "wanted"), CASES)
def test_check_judges_what_is_chosen(damaged: Path, jobs: str, how: dict[str, Any], wanted: list[str]) -> None:
    whole = list(kformat.check(damaged))
    found = list(kformat.check(damaged, **how))
    entries = [finding for finding in found if finding.file.endswith("checkpoint")]
    assert list(dict.fromkeys(Path(finding.file).parent.name for finding in found if finding not in entries)) == wanted
    assert all(finding in whole for finding in found)
    missing = [finding for finding in entries if "there is no folder orders-2" in finding.message]
    takes_orders = "orders-0" in wanted and "orders-1" in wanted
    assert len(missing) == takes_orders and len(entries) == len(missing)
    done = run("check", damaged, "--format", "nl", "-j", jobs, "--severity", "info", *arguments_of(how))
    assert [json.loads(line)["message"] for line in done.stdout.splitlines()] == [finding.message for finding in found]
    assert done.exit_code == 1


def test_check_compares_copies_of_what_is_chosen(root: Path, tmp_path: Path) -> None:
    fewer, only = tmp_path / "fewer", tmp_path / "only"
    for name in ("orders", "payments"):
        write_log(fewer, [(b"another", b"value")] * 2, topic=name)
    shutil.copytree(fewer / "payments-0", only / "payments-0")
    for topics, wanted in ((None, ["orders-0", "payments-0"]), ("orders", ["orders-0"])):
        found = kformat.check(fewer, against=root, topics=topics)
        assert [Path(finding.file).name for finding in found if finding.rule == "KF1101"] == wanted
    # What is compared does not depend on what is chosen.
    assert not [item for item in kformat.check(root, against=only, topics="orders") if item.rule == "KF1101"]


def test_several_roots(root: Path, tmp_path: Path) -> None:
    """What one root does not have, another may; a partition's folder, and a file in one, go by their names."""
    for name in ("orders-0", "refunds-0"):
        shutil.copytree(root / "orders-0", tmp_path / "kafka-2" / name)
    log = next((root / "payments-1").glob("*.log"))
    for options, wanted in (
        (["--topic", "refunds"], ["refunds-0"]),
        (["--topic", "refunds", "--topic", "payments", "--partition", "0"], ["payments-0", "refunds-0"]),
        (["--topic", "orders", "--partition", "0"], ["orders-0", "orders-0"]),
        (["--exclude", "[op]*"], ["refunds-0"]),
        (["--topic", "payments", "--partition", "1"], ["payments-1", "payments-1"]),
    ):
        for paths in ([root, tmp_path, log], [root, *(tmp_path / "kafka-2").iterdir(), log]):
            done = run("stats", *paths, "--format", "csv", "--columns", "topic,partition", *options)
            assert (done.exit_code, done.stderr) == (0, "")
            assert [line.replace(",", "-") for line in done.stdout.splitlines()[1:]] == wanted
            checked = run("check", *paths, *options)
            assert (checked.exit_code, checked.stdout) == (0, ""), checked.output
    for verb in ("stats", "check", "ls", "find --offset 0"):
        done = run(*verb.split(), root, tmp_path, "--topic", "orders", "--topic", "refund")
        assert (done.exit_code, done.stdout) == (2, ""), done.output
        assert "no topic 'refund'; did you mean 'refunds'? There are orders, orders-dlq, payments, ref" in done.stderr


def test_check_passes_over_damage_that_is_not_chosen(damaged: Path, tmp_path: Path) -> None:
    sound = write_log(tmp_path, [(b"key", b"value")], topic="sound").parent
    log = next((damaged / "payments-0").glob("*.log"))
    indirect = log.parent / ".." / "payments-0"
    for paths in ([sound, damaged], [sound, *damaged.glob("*-?")], [sound, log], [sound, indirect]):
        done = run("check", *paths, "--topic", "sound")
        assert (done.exit_code, done.stdout) == (0, ""), done.output


def test_an_archive(damaged: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "root.tar", "w") as archive:
        archive.add(damaged, "root")
    address = f"tar://root::{tmp_path / 'root.tar'}"
    for options, wanted in ((["--topic", "orders"], 2), (["--exclude", "*s"], 1), (["--partition", "1"], 2)):
        found = [json.loads(line) for line in run("check", address, "--format", "nl", *options).stdout.splitlines()]
        assert len({item["file"] for item in found if item["rule"] == "KF0201"}) == wanted, found
        done = run("stats", address, "--format", "csv", "--columns", "topic", *options)
        assert len(done.stdout.splitlines()) == wanted + 1


def test_a_folder_that_cannot_be_listed_is_reported(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locked = Path("locked")

    def scan(path: Path, **how: Any) -> None:
        if path == locked:
            raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(log_chosen, "scan", scan)
    monkeypatch.setattr(log_chosen, "is_dir", lambda path: path == locked)
    found = log_chosen.chosen(topics="refunds").of_each([[root / "orders-0", locked], [root / "notes.log"]])
    assert found == [[locked], []]  # it may have the topic


def test_check_goes_on_where_a_root_cannot_be_listed(
    damaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
        def refuse(path: str | Path, *more: Any, **how: Any) -> Any:
            if Path(path) == tmp_path:
                raise PermissionError(13, "Permission denied", str(path))
            return function(path, *more, **how)

        return refuse

    for module, name in ((checker, "partition_paths"), (checker, "list_folder"), (log_chosen, "scan")):
        monkeypatch.setattr(module, name, refusing(getattr(module, name)))
    found = list(kformat.check([damaged, tmp_path], topics="orders"))
    assert [item.file for item in found if item.rule == "KF0002"] == [str(tmp_path)]
    assert {Path(item.file).parent.name for item in found if item.rule == "KF0201"} == {"orders-0", "orders-1"}


def test_what_a_salvage_in_place_refuses(root: Path) -> None:
    for option in ("--in-place", "--undo"):
        done = run("salvage", root, option, "--topic", "orders")
        assert done.exit_code == 2 and "do not go with --in-place and --undo" in done.stderr


def test_an_interrupted_salvage_goes_on_with_the_same_choice(root: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    kformat.salvage([root], new, topics="orders")
    noted = json.loads((new / "kformat-salvage.json").read_text())
    assert noted["chosen"] == {"topics": ["orders"], "exclude": [], "partitions": None}
    (new / "kformat-salvage.json").write_text(json.dumps({**noted, "finished": False}))
    with pytest.raises(UsageError, match="is not empty"):
        kformat.salvage([root], new, topics="orders*")
    kformat.salvage([root], new, topics=["orders"])
    assert sorted(path.name for path in new.glob("*-?")) == ["orders-0", "orders-1"]


def _several(value: Any) -> list[str]:
    return [str(item) for item in (value if isinstance(value, list) else [value])]


def test_a_topic_that_there_is_not(root: Path) -> None:
    for call in (lambda: kformat.open_root(root, topics="order"), lambda: kformat.open_root(root).select("order")):
        with pytest.raises(UsageError, match=r"no topic 'order'; did you mean 'orders'\? There are orders, orders-dlq"):
            call()
    with pytest.raises(UsageError, match="no topic 'order'; did you mean 'orders'"):
        kformat.open_root(root, topics=["payments", "order"])
    with pytest.raises(UsageError, match="no topic 'x\\*'; there are orders"):
        kformat.open_root(root, topics="x*")
    assert len(kformat.open_root(root, topics=["payments", "x*"])) == 2
    with pytest.raises(UsageError, match="no partition 9; those of the chosen topics are 0, 1"):
        kformat.open_root(root, partitions=9)
    with pytest.raises(UsageError, match="no topic 'order'"):
        kformat.stats(kformat.open(root / "orders-0"), topics="order")
    with pytest.raises(UsageError, match="exclude and partitions are for Kafka's files, without format"):
        kformat.check(root, format="offset_index", partitions=0)
    opened = kformat.open_root(root)
    with pytest.raises(KeyError, match=r"orders has 0, 1; root\['orders', 0\], root.select\('orders'\)"):
        opened["orders"]
    with pytest.raises(KeyError, match="did you mean 'orders-0'"):
        opened["order-0"]
    with pytest.raises(KeyError, match="orders has 0, 1"):
        opened["orders", 7]
    assert opened["orders", 1] is opened["orders-1"]
    done = run("stats", root, "--topic", "paiments")
    assert done.exit_code == 2 and "did you mean 'payments'" in done.stderr
    done = run("export", root, "--as", "record_batch", "--topic", "x", "--format", "csv")
    assert done.exit_code == 2 and "do not go with --as" in done.stderr


@pytest.mark.parametrize(
    "given", [{"topics": 1}, {"topics": [1]}, {"exclude": 2}, {"partitions": "0"}, {"partitions": [True]}]
)
def test_wrong_choices(root: Path, given: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="expected"):
        kformat.open_root(root, **given)


@pytest.mark.parametrize(
    ("text", "ms"), [("-90s", 90_000), ("-15m", 900_000), ("-1h", 3_600_000), ("-2w", 1_209_600_000)]
)
def test_times_before_now(text: str, ms: int) -> None:
    assert abs(milliseconds(text) - (time.time() * 1000 - ms)) < 60_000
    assert milliseconds("-5") == -5
    with pytest.raises(UsageError, match="-1h is expected"):
        milliseconds("-1y")


@pytest.mark.parametrize("verb", ["ls", "stats", "grep -c zz", "find --offset 0", "reindex --dry-run", "check"])
@pytest.mark.parametrize("how", ["--topic orders", "--exclude payments", "--partition 0"])
def test_a_missing_path_is_reported_with_a_choice(root: Path, tmp_path: Path, verb: str, how: str) -> None:
    """Next to a root in which partitions are chosen, and alone."""
    for paths in ([root, tmp_path / "missing"], [tmp_path / "missing"]):
        done = run(*verb.split(), *how.split(), *paths)
        assert done.exit_code == 3 and "missing: No such file or directory" in done.stderr, done.stderr


@pytest.mark.parametrize("verb", ["salvage", "merge", "export"])
def test_nothing_is_left_out_unseen(root: Path, tmp_path: Path, verb: str) -> None:
    done = run(verb, root, tmp_path / "missing", "--topic", "orders", "-o", tmp_path / "out.csv")
    assert done.exit_code == 3 and "missing: No such file or directory" in done.stderr, done.stderr


def test_a_choice_says_what_is_wrong(root: Path) -> None:
    def refusal(**how: Any) -> str:
        with pytest.raises(UsageError) as refused:
            kformat.open_root(root, **how)
        return str(refused.value)

    assert refusal(topics="orders", partitions=7) == "no partition 7; those of the chosen topics are 0, 1"
    assert refusal(exclude="paymens").startswith("no topic 'paymens'; did you mean 'payments'? There are orders")
    assert len(kformat.open_root(root, exclude="__consumer_offsets")) == 5
    with pytest.raises(KeyError, match="'orders-0' is in the folder, and not among the chosen partitions"):
        kformat.open_root(root, topics="payments")["orders-0"]


def test_the_state_of_a_chosen_root_is_that_of_the_command() -> None:
    """Groups are in Kafka's own topics, chosen or not."""
    folder = SAMPLES / "4.4.0"
    chosen = kformat.open_root(folder, topics="plain")
    assert chosen.groups() and chosen.topics()
    for table, verb in ((chosen.groups(), "groups"), (chosen.topics(), "topics")):
        lines = run(verb, folder, "--topic", "plain", "--format", "nl").stdout.splitlines()
        assert [(row["topic"], row["partition"]) for row in table] == [
            (row["topic"], row["partition"]) for row in map(json.loads, lines)
        ]
        assert {row["topic"] for row in table} == {"plain"}
