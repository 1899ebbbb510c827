"""`--decode` of the verbs that print or compare single records: Kafka's own records as what they are."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.kafka.messages.decoding import CLUSTER_METADATA, OFFSETS, decoder
from tests.cli.test_cli import run
from tests.dump.test_decoders import built, log_of
from tests.samples import ROOT

OFFSETS_TOPIC, METADATA = "__consumer_offsets", "__cluster_metadata"
LOG = "00000000000000000000.log"
SAMPLES = (
    *(f"4.4.0/{name}" for name in ("__consumer_offsets-0", "__transaction_state-0", "__cluster_metadata-0")),
    *(f"{release}/__consumer_offsets-0" for release in ("0.9.0.1", "0.10.2.2", "1.1.1")),
)
COMMIT = decoder(OFFSETS).keys[1], decoder(OFFSETS).values[1]
KEY = built(COMMIT[0], 0, {"type": 1, "group": "readers", "topic": "orders", "partition": 3})


def commit(offset: int, version: int = 3, **more: Any) -> bytes:
    value = {"offset": offset, "leaderEpoch": -1, "metadata": "", "commitTimestamp": 7, **more}
    return built(COMMIT[1], version, value)


def topic_record(name: str) -> bytes:
    return built(decoder(CLUSTER_METADATA).values[2], 0, {"name": name, "topicId": "AAAAAAAAAAAAAAAAAAAAAQ"})


def lines(*arguments: str | Path, status: int = 0) -> list[dict[str, Any]]:
    done = run(*arguments, "--format", "nl")
    assert done.exit_code == status, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


FIELDS = ("key", "value", "key_raw", "key_error", "value_raw", "value_error")


def searched(log: Path) -> list[dict[str, Any]]:
    """What `grep` prints of all records."""
    return [
        {name: row[name] for name in FIELDS if name in row} for row in lines("grep", "-v", "nowhere", log, "--decode")
    ]


def parsed(values: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The records in what `parse` prints, but those of control batches."""
    for value in values:
        if value.get("attributes", {}).get("is_control"):
            continue
        message = value.get("message", {})
        inner = (message.get("message_set") or {}).get("messages")
        if inner is not None:
            yield from parsed(inner)
        elif message:
            yield message
        else:
            yield from value["records"]


@pytest.mark.parametrize("name", SAMPLES)
def test_parse_and_log_read_show_what_grep_shows(name: str) -> None:
    log = ROOT / name / LOG
    wanted = searched(log)
    values = lines("parse", "--as", "log", log, "--decode")
    assert [{name: row[name] for name in FIELDS if name in row} for row in parsed(values)] == wanted
    assert all(isinstance(row["value"], dict | None) for row in wanted) and len(wanted) > 5
    assert any(row["value"] for row in wanted)
    if name.startswith("4."):
        for verb in (("read",), ("tail", "-n", str(len(wanted)))):
            rows = lines("log", *verb, log.parent, "--decode")
            assert [{name: row[name] for name in FIELDS if name in row} for row in rows] == wanted
        text = run("log", "tail", log.parent, "--decode", "-n", "3").stdout.splitlines()
        assert [json.loads(line) for line in text] == [{name: row[name] for name in FIELDS[:2]} for row in wanted[-3:]]


def test_control_batches_and_other_topics_stay_as_they_are() -> None:
    for log in (max((ROOT / "4.4.0" / "__cluster_metadata-0").glob("*.checkpoint")), ROOT / "4.4.0" / "plain-0" / LOG):
        plain, decoded = (lines("parse", "--as", "log", log, *more) for more in ((), ("--decode",)))
        changed = [a for a, b in zip(plain, decoded, strict=True) if a != b]
        assert not [value for value in changed if value["attributes"]["is_control"]]
        assert len(changed) == ("plain-0" not in str(log))
    assert run("log", "read", log.parent, "--decode").stdout == run("log", "read", log.parent).stdout


def test_integers_of_decoded_values_are_strings_where_that_is_asked_for(tmp_path: Path) -> None:
    log = log_of(tmp_path, OFFSETS_TOPIC, [(KEY, commit(2**60))])
    (batch,) = lines("parse", "--as", "log", log, "--decode", "--int64-as-strings")
    assert batch["records"][0]["value"]["offset"] == str(2**60)


ODD: list[tuple[bytes | None, bytes | None]] = [
    (KEY, commit(5)),
    (KEY, None),
    (KEY, b"\x00\x63nothing"),
    (b"\x00", commit(5)),
    (None, None),
]
"""Records: one that is sound, a tombstone, a value of an unknown version, a key that is none, and nothing at all."""


def test_what_does_not_parse_is_bytes_and_a_remark(tmp_path: Path) -> None:
    log = log_of(tmp_path, OFFSETS_TOPIC, ODD)
    said = ["kformat: 2 of 3 values do not parse as kafka", "kformat: 1 of 4 keys do not parse as kafka"]
    done = run("parse", "--as", "log", log, "--decode", "--format", "nl")
    assert (done.exit_code, done.stderr.splitlines()) == (0, said)
    sound, tombstone, unknown, no_key, empty = json.loads(done.stdout)["records"]
    assert sound["value"]["offset"] == 5 and sound["value_raw"] is None and sound["value_error"] is None
    assert (tombstone["value"], tombstone["value_raw"], tombstone["key"]["group"]) == (None, None, "readers")
    assert unknown["value"] is None and unknown["value_raw"] == base64.b64encode(b"\x00\x63nothing").decode()
    assert "a version that is not known" in unknown["value_error"]
    assert (no_key["key"], no_key["key_raw"]) == (None, "AA==") and no_key["value_raw"]
    assert (empty["key"], empty["value"], empty["value_raw"]) == (None, None, None)

    done = run("log", "tail", log.parent, "--decode")
    assert (done.exit_code, done.stderr.splitlines()) == (0, said)
    text = [json.loads(line) for line in done.stdout.splitlines()]
    assert text[1] == {"key": tombstone["key"], "value": None}
    assert {"value_raw", "value_error"} < text[2].keys() and text[4] == {"key": None, "value": None}


def test_parse_decodes_the_records_of_logs_alone(tmp_path: Path) -> None:
    done = run("parse", "--as", "offset_index", ROOT / "4.4.0" / "plain-0" / "00000000000000000000.index", "--decode")
    assert (done.exit_code, "--decode is for the records of logs" in done.stderr) == (2, True)
    log = log_of(tmp_path, OFFSETS_TOPIC, ODD[:1])
    assert (
        json.loads(run("parse", "--as", "record_batch", log, "--decode").stdout)["records"][0]["value"]["offset"] == 5
    )


def test_dump_decodes_a_snapshot_by_its_folder() -> None:
    snapshot = max((ROOT / "4.4.0" / "__cluster_metadata-0").glob("*.checkpoint"))
    assert run("dump", snapshot, "--decode").stdout == run("dump", snapshot, "--cluster-metadata-decoder").stdout


# --- diff -------------------------------------------------------------------------------------------------------------

Rows = Sequence[tuple[bytes | None, bytes | None]]


@pytest.fixture(name="sides")
def logs(tmp_path: Path) -> Callable[[str, Rows, Rows], tuple[Path, Path]]:
    def made(topic: str, a: Rows, b: Rows) -> tuple[Path, Path]:
        first, second = (log_of(tmp_path / side, topic, rows) for side, rows in zip("ab", (a, b), strict=True))
        return first.parent, second.parent

    return made


Sides = Callable[[str, Rows, Rows], tuple[Path, Path]]
RECORD = "record_batch[base_offset=0].records[offset=0]"
UNLIKE: dict[str, tuple[Rows, Rows, list[str]]] = {
    "a number": ([(KEY, commit(5))], [(KEY, commit(6))], ["value.offset_commit.offset: 5 != 6"]),
    "fields": (
        [(KEY, commit(5))],
        [(KEY, commit(6, metadata="m"))],
        ["value.offset_commit.offset: 5 != 6", "value.offset_commit.metadata: '' != 'm'"],
    ),
    "a key": (
        [(KEY, commit(5))],
        [(KEY.replace(b"readers", b"writers"), commit(5))],
        ["key.offset_commit.group: 'readers' != 'writers'"],
    ),
    "another type": (
        [(KEY, None)],
        [(built(decoder(OFFSETS).keys[2], 0, {"type": 2, "group": "readers"}), None)],
        [
            'key: {"offset_commit": {"type": 1, "group": "readers", "topic": "orders", "partition": 3}} != '
            '{"group_metadata": {"type": 2, "group": "readers"}}'
        ],
    ),
    "another version": (
        [(KEY, commit(5))],
        [(KEY, commit(5, 4, topicId="AAAAAAAAAAAAAAAAAAAAAQ"))],
        [
            "value.offset_commit.version: 3 != 4",
            "value.offset_commit.topic_id: 'AAAAAAAAAAAAAAAAAAAAAA' != 'AAAAAAAAAAAAAAAAAAAAAQ'",
        ],
    ),
    "no value": (
        [(KEY, None)],
        [(KEY, commit(5))],
        [
            'value: null != {"offset_commit": {"version": 3, "offset": 5, "leader_epoch": -1, "metadata": "", '
            '"commit_timestamp": 7, "expire_timestamp": null, "topic_id": "AAAAAAAAAAAAAAAAAAAAAA"}}'
        ],
    ),
    "noise": ([(KEY, commit(5))], [(KEY, b"\x00\x63")], ["value: b'\\x00\\x03\\x00\\x00\\x00"]),
}


@pytest.mark.parametrize("case", UNLIKE)
def test_diff_names_the_fields_that_differ(case: str, sides: Sides) -> None:
    a, b, wanted = UNLIKE[case]
    folders = sides(OFFSETS_TOPIC, a, b)
    for options, path in (((), RECORD), (("--records",), "records[offset=0]")):
        done = run("diff", *folders, "--decode", "--ignore", "*.timeindex", *options)
        assert done.exit_code == 1
        found = [line.removeprefix(f"{LOG}: {path}.") for line in done.stdout.splitlines()]
        assert len(found) == len(wanted)
        assert all(line.startswith(start) for line, start in zip(found, wanted, strict=True)), found
        said = [line for line in done.stderr.splitlines() if "do not parse" in line]
        assert said == (["kformat: 1 of 2 values do not parse as kafka"] if case == "noise" else [])


def test_diff_of_lists_says_which_elements_are_on_one_side(sides: Sides) -> None:
    partition = decoder(CLUSTER_METADATA).values[3]
    value = {"partitionId": 0, "topicId": "AAAAAAAAAAAAAAAAAAAAAQ", "removingReplicas": [], "addingReplicas": []}
    value |= {"leader": 1, "leaderEpoch": 0, "partitionEpoch": 0, "isr": [1]}
    a, b = (built(partition, 0, value | {"replicas": replicas}) for replicas in ([1], [2, 3, 4]))
    done = run("diff", *sides(METADATA, [(None, a)], [(None, b)]), "--decode", "--format", "json")
    found = json.loads(done.stdout)
    path = f"{RECORD}.value.partition.replicas"
    assert [(one["kind"], one["path"], one["message"]) for one in found] == [
        ("changed", f"{path}[0]", "1 != 2"),
        ("only_in_b", f"{path}[1..2]", "only in the second: 2 of them"),
    ]
    assert (found[0]["a"], found[0]["b"]) == (1, 2)


def test_diff_ignores_a_field_of_a_message(sides: Sides) -> None:
    folders = sides(METADATA, [(None, topic_record("a"))], [(None, topic_record("b"))])
    assert run("diff", *folders, "--decode", "--ignore", "value.topic.name").exit_code == 0
    assert run("diff", *folders, "--ignore", "value.topic.name").exit_code == 1
    assert [one.path for one in kformat.diff(*folders, decode=True)] == [f"{RECORD}.value.topic.name"]


def test_diff_of_a_copy_with_another_name_and_of_single_files(sides: Sides, tmp_path: Path) -> None:
    a, b = sides(OFFSETS_TOPIC, [(KEY, commit(5))], [(KEY, commit(6))])
    copy = shutil.copytree(b, tmp_path / "copy")
    wanted = f"{RECORD}.value.offset_commit.offset: 5 != 6"
    assert run("diff", a, copy, "--decode").stdout == f"{LOG}: {wanted}\n"
    assert run("diff", a / LOG, copy / LOG, "--decode").stdout == f"{wanted}\n"
    assert run("diff", tmp_path / "a", tmp_path / "b", "--decode").stdout == f"{OFFSETS_TOPIC}-0/{LOG}: {wanted}\n"


def test_diff_leaves_control_records_and_other_topics_as_bytes(sides: Sides, tmp_path: Path) -> None:
    folders = sides("orders", [(KEY, commit(5))], [(KEY, commit(6))])
    assert run("diff", *folders, "--decode").stdout == run("diff", *folders).stdout
    ends = []
    for side, value in (("c", b"\x00\x00\x00\x00\x00\x01"), ("d", b"\x00\x00\x00\x00\x00\x02")):
        folder = tmp_path / side / f"{OFFSETS_TOPIC}-0"
        folder.mkdir(parents=True)
        record = {"offset_delta": 0, "timestamp_delta": 0, "key": b"\x00\x00\x00\x01", "value": value, "headers": []}
        batch = {"base_offset": 0, "base_timestamp": 0, "max_timestamp": 0, "records": [record]}
        batch["attributes"] = {"is_control": True, "is_transactional": True}
        (folder / LOG).write_bytes(kformat.build("record_batch", batch))
        ends.append(folder)
    for options in ((), ("--records",)):
        plain, decoded = (run("diff", *ends, *options, *more) for more in ((), ("--decode",)))
        assert plain.stdout and (plain.stdout, plain.stderr) == (decoded.stdout, decoded.stderr)


def test_diff_of_samples_decodes_every_record_that_differs() -> None:
    for name in ("__consumer_offsets-1", "__transaction_state-1", "__cluster_metadata-0"):
        folders = (ROOT / release / name for release in ("4.4.0", "4.3.1"))
        done = run("diff", *folders, "--decode", "--limit", "0")
        assert "do not parse" not in done.stderr
        values = [line for line in done.stdout.splitlines() if ".value" in line and "checkpoint: " not in line]
        assert len(values) > 10
        assert not [line for line in values if "value: b'" in line]


# --- stats ------------------------------------------------------------------------------------------------------------


def test_stats_leaves_out_the_types_that_are_not_there() -> None:
    """Unless a column is named; the table says how many there are."""
    log = ROOT / "4.4.0" / "__consumer_offsets-0"
    table = run("stats", log, "--decode").stdout.splitlines()
    (item,) = lines("stats", log, "--decode")
    names = [column["column"] for column in item["columns"]]
    assert "value.offset_commit.offset" in names and all(column["count"] for column in item["columns"])
    assert {name.split(".")[1] for name in names} == {"offset_commit", "group_metadata"}
    assert [line.split()[0] for line in table if line.startswith(("value.", "key."))] == names
    assert any(line.startswith("  null  ") and line.endswith(" columns without a value") for line in table)
    assert len(run("stats", log, "--decode", "--format", "csv").stdout.splitlines()) == len(names) + 1
    (item,) = lines("stats", log, "--decode", "--columns", "value.streams_group_metadata.epoch")
    assert [(column["column"], column["count"]) for column in item["columns"]] == [
        ("value.streams_group_metadata.epoch", 0)
    ]
