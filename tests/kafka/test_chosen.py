"""Some of a root's partitions: by topics, patterns and numbers, in Python and on the command line."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.cli import main
from kformat.errors import UsageError
from kformat.testing import write_log
from kformat.times import milliseconds


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


@pytest.mark.parametrize(("how", "wanted"), CASES)
def test_chosen(root: Path, how: dict[str, Any], wanted: list[str]) -> None:
    opened = kformat.open_root(root, **how)
    assert list(opened.partitions) == wanted and len(opened) == len(wanted)
    assert [partition.folder.name for partition in kformat.iter_partitions(root, **how)] == wanted
    selected = kformat.open_root(root).select(**how)
    assert list(selected.partitions) == wanted and selected.others == opened.others
    keys = [key.decode() for key in selected.to_arrow(["key"]).column("key").to_pylist()]
    assert keys == wanted
    options = [f"--{name.removesuffix('s')}" for name in how for _ in _several(how[name])]
    given = [item for name in how for item in _several(how[name])]
    arguments = [part for pair in zip(options, given, strict=True) for part in pair]
    found = run("grep", "value", root, "--format", "nl", "--bytes", "text", *arguments)
    assert [json.loads(line)["key"] for line in found.stdout.splitlines()] == wanted, found.output
    exported = run("export", root, "--format", "csv", "--columns", "key", "--bytes", "text", *arguments)
    assert exported.stdout.splitlines()[1:] == wanted, exported.output
    counted = run("stats", root, "--format", "csv", "--columns", "topic,partition", *arguments)
    assert [line.replace(",", "-") for line in counted.stdout.splitlines()[1:]] == wanted, counted.output


def _several(value: Any) -> list[str]:
    return [str(item) for item in (value if isinstance(value, list) else [value])]


def test_a_topic_that_there_is_not(root: Path) -> None:
    for call in (lambda: kformat.open_root(root, topics="order"), lambda: kformat.open_root(root).select("order")):
        with pytest.raises(
            UsageError, match=r"no topic 'order'; did you mean 'orders'\?; there are orders, orders-dlq"
        ):
            call()
    with pytest.raises(UsageError, match="no partition is chosen"):
        kformat.open_root(root, partitions=9)
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
