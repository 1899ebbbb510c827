"""The dump: its text against the words of Kafka's tool, damage that the tool dies of, ranges, objects, reports."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import kformat
from kformat.cli import main
from kformat.dump import DumpReport, Options, inputs, items, java_text, objects, report, shown_path, text_lines
from kformat.errors import (
    ChecksumError,
    CompressionError,
    DataError,
    InvalidError,
    LimitError,
    TruncatedError,
    UsageError,
)
from kformat.kafka.batch.batches import read_batch_headers
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.batch.writing import Columns, build_batch
from kformat.kafka.files.text_files import is_sidecar
from kformat.language.layout import layout
from tests import vectors
from tests.draws import at_most
from tests.dump_cases import (
    CASES,
    LOG,
    NO_TEXT,
    SEGMENT,
    Case,
    batch,
    control,
    entry,
    golden,
    marker,
    message,
    offset_index,
    patched,
    producer_snapshot,
    record,
    relabelled,
    time_index,
    transaction_index,
    wrapper,
)
from tests.samples import ROOT


def dumped(path: Path, **options: Any) -> tuple[list[str], list[DataError], DumpReport]:
    """The lines of one file, what was damaged, and the report."""
    damage: list[DataError] = []
    report, wanted = DumpReport(damage.append), Options(**options)
    return list(text_lines(items(path, wanted, report), str(path), wanted)), damage, report


def found(path: Path, **options: Any) -> list[dict[str, Any]]:
    """The objects of one file, which has to be sound."""
    damage: list[DataError] = []
    wanted = Options(**options)
    result = list(objects(items(path, wanted, DumpReport(damage.append)), str(path), wanted))
    assert not damage
    return result


def written(folder: Path, data: bytes, name: str = LOG) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


# --- what the tool prints ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_text_is_the_tools(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = {name: (tmp_path / case.name / name).read_bytes() for name in os.listdir(tmp_path / case.name)}
    done = CliRunner().invoke(main, ["dump", "--files", case.path, *case.flags])
    assert done.exit_code == case.status, done.stderr
    assert bool(done.exit_code) == ("kformat: " in done.stderr), "what is damaged, and where"
    assert done.stdout_bytes.decode() == golden()[case.name]
    after = {name: (tmp_path / case.name / name).read_bytes() for name in os.listdir(tmp_path / case.name)}
    assert after == before, "a dump does not write"


def test_every_case_has_its_text() -> None:
    assert list(golden()) == [case.name for case in CASES]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        ("zoë 日本 😀 \uffff".encode(), "zoë 日本 😀 \uffff"),
        (b"\xed\xa0\x80", "\ufffd"),
        (b"a\xed\xa0\x80b\xed\xb0\x80", "a\ufffdb\ufffd"),
        (b"\xed\xa0", "\ufffd"),
        (b"\xed\xa0A", "\ufffdA"),
        (b"\xed\x9f\xbf\xff", "\ud7ff\ufffd"),
        (b"\xe2\x82\xed\xa0\x80", "\ufffd\ufffd"),
        (b"\xf0\x9f\x98A", "\ufffdA"),
        (b"\xc0\x80", "\ufffd\ufffd"),
        (b"\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd"),
    ],
)
def test_text_is_decoded_as_java_does(data: bytes, text: str) -> None:
    assert java_text(data) == text


def test_python_would_print_something_else_somewhere() -> None:
    """Else the decoder of our own could go."""
    assert any(java_text(data) != data.decode("utf-8", "replace") for data in NO_TEXT)


@pytest.mark.parametrize(
    ("given", "shown"), [("a//b/c.log", "a/b/c.log"), ("/", "/"), ("a/", "a"), ("//a", "/a"), ("./a.log", "./a.log")]
)
def test_paths_are_shown_as_java_shows_them(given: str, shown: str) -> None:
    assert shown_path(given) == shown


# --- what the tool dies of -----------------------------------------------------------------------------------------


def truncated_record(data: bytes) -> bytes:
    """A batch whose last record claims to be longer than it is; its checksum is wrong then, too."""
    last = data.rindex(record_bytes := b"\x10\x00\x00\x04\x02k\x02v\x00")
    return data[:last] + b"\x12" + record_bytes[1:]


_PLAIN = (record(0), record(1), record(2))
_FOLLOWING = "baseOffset: 3 "


@pytest.mark.parametrize(
    ("damaged", "error", "records"),
    [
        pytest.param(truncated_record(batch(0, _PLAIN)), InvalidError, 2, id="record-too-long"),
        pytest.param(patched(batch(0, _PLAIN), "records_count", 4), InvalidError, 3, id="more-records-promised"),
        pytest.param(patched(batch(0, _PLAIN), "records_count", 2), InvalidError, 2, id="fewer-records-promised"),
        pytest.param(patched(batch(0, _PLAIN), "records_count", -1), InvalidError, 0, id="negative-count"),
        pytest.param(patched(batch(0, _PLAIN), "attributes", 1), CompressionError, 0, id="not-compressed"),
        pytest.param(patched(batch(0, _PLAIN), "attributes", 5), InvalidError, 0, id="unknown-codec"),
    ],
)
def test_damage_is_told_and_passed_over(damaged: bytes, error: type[DataError], records: int, tmp_path: Path) -> None:
    lines, damage, _ = dumped(written(tmp_path, damaged + batch(3, _PLAIN)), deep_iteration=True)
    assert [type(one) for one in damage] == [ChecksumError, error]
    position = damage[1].position
    assert damage[1].source.endswith(LOG) and position is not None and position <= len(damaged)
    following = next(number for number, line in enumerate(lines) if line.startswith(_FOLLOWING))
    assert following == 2 + records, "the start, the damaged batch, its readable records"
    assert len(lines) == following + 4, "the next batch and all of its records"


def test_a_codec_that_kafka_does_not_have_is_named_by_number(tmp_path: Path) -> None:
    lines, damage, _ = dumped(written(tmp_path, patched(batch(0), "attributes", 7)))
    assert " compresscodec: unknown(7) " in lines[1]
    assert [type(one) for one in damage] == [ChecksumError], "only the records cannot be read"


@pytest.mark.parametrize(
    ("key_and_value", "text"),
    [
        pytest.param(control(0, 1, b"\x00"), "", id="short-marker"),
        pytest.param(control(0, 1, marker(9)[:-1]), "", id="cut-off-marker"),
        pytest.param(batch(0, [record(0, None)], bits={"is_control": 1}), "", id="no-key"),
        pytest.param(batch(0, [record(0, b"\x00\x00")], bits={"is_control": 1}), "", id="short-key"),
        pytest.param(batch(0, [record(0, b"\xff\xff\x00\x01")], bits={"is_control": 1}), "", id="negative-version"),
    ],
)
def test_damaged_control_records_are_printed_without_what_they_say(
    key_and_value: bytes, text: str, tmp_path: Path
) -> None:
    lines, damage, _ = dumped(written(tmp_path, key_and_value + batch(1)), deep_iteration=True)
    assert lines[2].endswith("headerKeys: []" + text)
    assert len(lines) == 7
    assert len(damage) == 1 and "offset 0" in str(damage[0])
    assert not dumped(tmp_path / LOG, deep_iteration=True, skip_record_metadata=True)[1], "not looked at, not told"


def test_a_control_record_without_a_value_is_named(tmp_path: Path) -> None:
    lines, damage, _ = dumped(written(tmp_path, control(0, 3, None)), deep_iteration=True)
    assert lines[2].endswith(" controlType: SNAPSHOT_HEADER(3)")
    assert not damage


def test_a_leader_change_with_directories_is_printed_whole(tmp_path: Path) -> None:
    """Version 1, which 4.4.0's tool reads as if it were version 0, and dies of."""
    voter = {"voter_id": 3, "voter_directory_id": bytes(range(16)), "tagged_fields": {"fields": []}}
    fields = {"version": 1, "leader_id": 3, "voters": [voter], "granting_voters": [], "tagged_fields": {"fields": []}}
    data = control(0, 2, kformat.build("leader_change_message", fields))
    lines, damage, _ = dumped(written(tmp_path, data), deep_iteration=True)
    assert lines[2].endswith(
        ' LeaderChange: {"version":1,"leaderId":3,'
        '"voters":[{"voterId":3,"voterDirectoryId":"AAECAwQFBgcICQoLDA0ODw"}],"grantingVoters":[]}'
    )
    assert not damage


@pytest.mark.parametrize("tail", [bytes(200), b"\xff" * 40], ids=["preallocated", "garbage"])
def test_a_tail_that_is_no_batch_is_counted_and_told(tail: bytes, tmp_path: Path) -> None:
    path = written(tmp_path, batch(0) + tail)
    lines, damage, _ = dumped(path)
    assert lines[-1] == f"Found {len(tail)} invalid bytes at the end of {LOG}"
    assert len(lines) == 3
    assert [type(one) for one in damage] == ([InvalidError] if any(tail) else []), "zeros are room"


INDEX, TIME_INDEX = (LOG.replace(".log", ending) for ending in (".index", ".timeindex"))
_WRONG = {
    "crc": ({LOG: patched(batch(0), "crc", 5) + batch(3)}, "record_batch.crc: "),
    "message": ({LOG: entry(0)[:-1] + b"w"}, "legacy_message.message.crc: "),
    "end": ({LOG: batch(0) + b"\xff" * 40}, "record_batch.batch_length: "),
    "few": ({LOG: batch(0) + b"\xff"}, "record_batch.base_offset: "),
    "torn": ({LOG: batch(0) + batch(3)[:-1]}, ""),
    "index": ({LOG: batch(0) + batch(3), INDEX: offset_index((2, 0), (4, len(batch(0))))}, " KF0407 "),
    "time": ({LOG: batch(0) + batch(3), TIME_INDEX: time_index((1004, 2))}, " KF0506 "),
}
_SOUND: dict[str, dict[str, bytes]] = {
    "gaps": {LOG: batch(0) + batch(30)},
    "room": {LOG: batch(0) + bytes(400)},
    "index": {LOG: batch(0) + batch(3), INDEX: offset_index((2, 0), (5, len(batch(0))))},
    "of 0.11": {LOG: batch(0) + batch(3), INDEX: offset_index((0, 0), (3, len(batch(0))))},
    "time": {LOG: batch(0) + batch(3, max_timestamp=1007), TIME_INDEX: time_index((1005, 2), (1007, 5))},
}
_FORMS = ((), ("--deep-iteration",), ("--print-data-log",), ("--format", "json"), ("--format", "nl"), ("--hex",))


@pytest.mark.parametrize("is_archive", [False, True], ids=["folder", "archive"])
def test_the_exit_status_is_1_where_something_is_wrong(
    is_archive: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the form, and however many files there are: standard error says what is wrong, and where."""
    monkeypatch.chdir(tmp_path)

    def laid(files: dict[str, bytes]) -> str:
        """The file that is dumped, of those of a partition."""
        folder = tmp_path / f"t{len(os.listdir(tmp_path))}-0"
        folder.mkdir()
        for name, data in files.items():
            written(folder, data, name)
        last = f"{folder.name}/{list(files)[-1]}"
        if not is_archive:
            return last
        with tarfile.open(f"{folder.name}.tar", "w") as archive:
            archive.add(folder.name)
        return f"tar://{last}::{folder.name}.tar"

    sound = {name: laid(files) for name, files in _SOUND.items()}
    for form in _FORMS:
        for path in sound.values():
            done = CliRunner().invoke(main, ["dump", path, *form])
            assert done.exit_code == 0 and "kformat: " not in done.stderr, (path, form, done.stderr)
        for name, (files, words) in _WRONG.items():
            if form == ("--hex",) and len(files) > 1:
                continue  # the bytes alone, which are not held against the log's
            path = laid(files)
            for paths in ([path], [sound["gaps"], path, sound["index"]]):
                done = CliRunner().invoke(main, ["dump", *paths, *form])
                said = [line for line in done.stderr.splitlines() if line.startswith(f"kformat: {path}:")]
                assert done.exit_code == 1 and len(said) == 1 and words in said[0], (name, form, done.stderr)


def test_a_batch_shorter_than_its_header_is_passed_over(tmp_path: Path) -> None:
    short = patched(batch(3), "batch_length", 48)[: HEADER_BYTES - 1]
    lines, damage, _ = dumped(written(tmp_path, batch(0) + short + batch(3)))
    assert [line.split()[1] for line in lines[1:]] == ["0", "3"]
    assert len(damage) == 1


def test_a_batch_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = batch(0, [record(0, value=bytes(1 << 20))], bits={"compression": "zstd"})
    monkeypatch.setattr(inputs, "DEFAULT_INFLATE_LIMIT", 1 << 10)
    lines, damage, _ = dumped(written(tmp_path, bomb + batch(1)), deep_iteration=True)
    assert [type(one) for one in damage] == [LimitError]
    assert lines[-1].startswith("| offset: 3 ")


_INSIDE = [(0, message()), (1, message()), (2, message())]
_NULL = message(1, None, None, bits={"compression": "gzip"})
del _NULL["value"]


@pytest.mark.parametrize(
    ("damaged", "error", "records", "words"),
    [
        pytest.param(
            wrapper(1, "gzip", [*_INSIDE[:2], (4, message())]),
            InvalidError,
            0,
            "above the wrapper's offset",
            id="numbers",
        ),
        pytest.param(
            wrapper(2, "gzip", [*_INSIDE[:2], (2, message(bits={"compression": "gzip"}))]),
            InvalidError,
            2,
            "inside of compressed messages",
            id="nested",
        ),
        pytest.param(wrapper(2, "gzip", []), InvalidError, 0, "without messages", id="nothing-in-it"),
        pytest.param(
            kformat.build("legacy_message", {"offset": 2, "message": {**_NULL, "message_set": None}}),
            InvalidError,
            0,
            "without messages",
            id="null",
        ),
        pytest.param(relabelled(wrapper(2, "gzip", _INSIDE), 2), CompressionError, 0, "", id="another-codec"),
        pytest.param(relabelled(wrapper(2, "gzip", _INSIDE), 4), InvalidError, 0, "compression", id="zstd"),
        pytest.param(relabelled(entry(2), 1), CompressionError, 0, "", id="not-compressed"),
    ],
)
def test_damaged_wrappers_are_told_and_passed_over(
    damaged: bytes, error: type[DataError], records: int, words: str, tmp_path: Path
) -> None:
    """The tool dies of each of them. The line of the wrapper stands, and what can be read of it."""
    path = written(tmp_path, entry(0) + damaged + entry(3) + batch(4))
    lines, damage, _ = dumped(path, print_data_log=True)
    assert {type(one) for one in damage[:-1]} <= {ChecksumError}, "of the wrapper"
    assert type(damage[-1]) is error and words in str(damage[-1])
    assert damage[-1].source == str(path) and damage[-1].position is not None
    assert len(entry(0)) <= damage[-1].position <= len(entry(0)) + len(damaged)
    assert [line.split()[0] for line in lines[3:]] == [
        "offset:",
        *["|"] * records,
        "offset:",
        "|",
        "baseOffset:",
        *"|||",
    ]
    assert len(dumped(path)[0]) == 5, "a wrapper is not looked into where nobody asks for its messages"


@pytest.mark.parametrize("magic", [0, 1])
def test_a_message_shorter_than_its_fields_is_passed_over(magic: int, tmp_path: Path) -> None:
    long_key = entry(1, magic).replace(b"\0\0\0\1k", b"\0\0\1\1k")
    lines, damage, _ = dumped(written(tmp_path, entry(0) + long_key + entry(2)), deep_iteration=True)
    assert [line.split()[1] for line in lines[1:]] == ["0", "offset:", "1", "2", "offset:"]
    assert [type(one) for one in damage] == [ChecksumError, InvalidError]
    assert "legacy_message.message" in str(damage[1])


def test_a_negative_magic_is_none(tmp_path: Path) -> None:
    lines, damage, _ = dumped(written(tmp_path, entry(0) + patched(batch(3), "magic", -1) + entry(6)))
    assert [line.split()[1] for line in lines[1:]] == ["0", "6"]
    assert len(damage) == 1 and "no batch of any magic" in str(damage[0])


def test_a_log_with_no_number_for_a_name_is_dumped_all_the_same(tmp_path: Path) -> None:
    assert dumped(written(tmp_path, batch(7), "renamed.log"))[0][0].startswith("baseOffset: 7 ")


@pytest.mark.parametrize("name", ["renamed.index", "x.timeindex", "x", "x.deleted", "x.log.swap"])
def test_other_files_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        dumped(written(tmp_path, b"", name))


@settings(max_examples=at_most(150), deadline=None)
@given(data=st.data())
def test_no_bytes_let_anything_but_typed_errors_out(data: st.DataObject) -> None:
    """Changed, cut and lengthened files of every kind: a dump of whatever is there, and it ends."""
    case = data.draw(st.sampled_from(CASES))
    content = bytearray(case.files[case.dumped])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        piece = data.draw(st.sampled_from([b"", b"\xff", b"\0", b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\0\0\0\x0e"]))
        content[at : at + data.draw(st.integers(0, 4))] = piece
    damage: list[DataError] = []
    report = DumpReport(damage.append)
    for options in (
        Options(print_data_log=True),
        Options(since_ms=1003, from_offset=1),
        Options(index_sanity_check=True),
    ):
        list(text_lines(items(case.dumped, options, report, source=bytes(content)), case.dumped, options))
        list(objects(items(case.dumped, options, report, source=bytes(content)), case.dumped, options))
    assert all(error.source for error in damage)


# --- indexes -------------------------------------------------------------------------------------------------------


def test_indexes_need_no_log_beside_them(tmp_path: Path) -> None:
    index = written(tmp_path, offset_index((3, 100)), f"{SEGMENT}.index")
    timeindex = written(tmp_path, time_index((5, 3)), f"{SEGMENT}.timeindex")
    assert dumped(index)[0] == ["offset: 13 position: 100"]
    assert dumped(timeindex)[0] == ["timestamp: 5 offset: 13"]
    assert sorted(os.listdir(tmp_path)) == [index.name, timeindex.name]


@pytest.mark.parametrize(
    ("name", "data", "field"),
    [
        (f"{SEGMENT}.index", offset_index((3, 100), (-1, 200)), "relative_offset"),
        (f"{SEGMENT}.index", offset_index((3, 100)) + b"odd", "multiple of 8"),
        (f"{SEGMENT}.timeindex", time_index((9, 3), (8, 4)), "timestamp"),
        (f"{SEGMENT}.timeindex", time_index((9, 3)) + bytes(12), "timestamp"),
        (f"{SEGMENT}.timeindex", time_index((9, 3)) + b"odd", "multiple of 12"),
    ],
)
def test_insane_indexes_are_told(name: str, data: bytes, field: str, tmp_path: Path) -> None:
    lines, damage, _ = dumped(written(tmp_path, data, name), index_sanity_check=True)
    assert not lines
    assert len(damage) == 1 and field in str(damage[0])


def test_an_entry_that_points_behind_the_log_is_told(tmp_path: Path) -> None:
    written(tmp_path, batch(10), f"{SEGMENT}.log")
    for position in (10_000, -1, 7):
        path = written(tmp_path, offset_index((3, position)), f"{SEGMENT}.index")
        lines, damage, _ = dumped(path)
        assert lines == [f"offset: 13 position: {position}"]
        assert len(damage) == 1 and "does not point to a batch" in str(damage[0])
    written(tmp_path, offset_index((3, -1)), f"{SEGMENT}.index")
    lines, damage, _ = dumped(written(tmp_path, time_index((5, 3)), f"{SEGMENT}.timeindex"))
    assert lines == ["timestamp: 5 offset: 13"]
    assert len(damage) == 1 and "points before the log" in str(damage[0])


@pytest.mark.parametrize("magic", [0, 1])
def test_entries_beside_an_older_log_are_judged_like_others(magic: int, tmp_path: Path) -> None:
    """What agrees and what does not is among the cases; here, an entry that points into a message."""
    written(tmp_path, entry(10, magic) + batch(13), f"{SEGMENT}.log")
    lines, damage, report = dumped(written(tmp_path, offset_index((3, 7)), f"{SEGMENT}.index"))
    assert lines == ["offset: 13 position: 7"] and not report.mismatches
    assert len(damage) == 1 and "does not point to a batch" in str(damage[0])


# --- transaction indexes and producer snapshots --------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 256, -1])
def test_of_an_index_with_an_entry_of_an_unknown_version_nothing_is_shown(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tool reads all entries before it prints one, and dies of it."""
    monkeypatch.setattr(inputs, "BLOCK_SLOTS", 2)
    sound = transaction_index((42, 3, 7, 8), (43, 9, 11, 12), (44, 13, 15, 16))
    path = written(tmp_path, sound + transaction_index((45, 17, 18, 19), version=version) + b"x", f"{SEGMENT}.txnindex")
    lines, damage, _ = dumped(path)
    assert not lines and [(error.position, error.path, error.expected, error.found) for error in damage] == [
        (102, "transaction_index.entries[3].version", 0, version),
    ]


def test_a_transaction_index_that_ends_inside_of_an_entry_is_told(tmp_path: Path) -> None:
    """The tool passes over the rest, and a broker appends behind it, so that nothing behind it can be read."""
    whole = transaction_index((42, 3, 7, 8))
    for rest in (1, 33):
        lines, damage, _ = dumped(written(tmp_path, whole + whole[:rest], f"{SEGMENT}.txnindex"))
        assert len(lines) == 1
        assert [(type(error), error.position, error.path) for error in damage] == [
            (TruncatedError, 34, "transaction_index.entries[1]")
        ]


def test_a_large_transaction_index_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "BLOCK_SLOTS", 3)
    entries = [(number, number * 10, number * 10 + 5, number * 10 + 6) for number in range(10)]
    path = written(tmp_path, transaction_index(*entries), f"{SEGMENT}.txnindex")
    assert [item["producer_id"] for item in found(path)] == list(range(10))


_PRODUCERS = producer_snapshot({}, {"producer_id": 7})


@pytest.mark.parametrize(
    ("data", "error", "path"),
    [
        pytest.param(_PRODUCERS[:-1] + b"\0", ChecksumError, "producer_snapshot.crc", id="changed"),
        pytest.param(_PRODUCERS[:-1], TruncatedError, "entries[1].current_txn_first_offset", id="cut-off"),
        pytest.param(_PRODUCERS + b"tail", InvalidError, "producer_snapshot.end_of_entries", id="rest-of-a-longer-one"),
        pytest.param(b"\0\2" + _PRODUCERS[2:], InvalidError, "producer_snapshot.version", id="unknown-version"),
        pytest.param(b"", TruncatedError, "producer_snapshot.version", id="empty"),
    ],
)
def test_nothing_is_printed_of_a_producer_snapshot_that_is_not_sound(
    data: bytes, error: type[DataError], path: str, tmp_path: Path
) -> None:
    lines, damage, _ = dumped(written(tmp_path, data, f"{SEGMENT}.snapshot"))
    assert not lines
    assert len(damage) == 1 and type(damage[0]) is error and path in str(damage[0])


def test_a_producer_snapshot_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "DEFAULT_INFLATE_LIMIT", len(_PRODUCERS) - 1)
    lines, damage, _ = dumped(written(tmp_path, _PRODUCERS, f"{SEGMENT}.snapshot"))
    assert not lines and [type(one) for one in damage] == [LimitError]


def test_a_metadata_snapshot_with_another_name_is_dumped_all_the_same(tmp_path: Path) -> None:
    for name in ("renamed.checkpoint", "1-2.checkpoint"):
        assert dumped(written(tmp_path, batch(7), name))[0][0].startswith("baseOffset: 7 ")


def test_a_large_index_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "BLOCK_SLOTS", 3)
    entries = [(number, number * 10) for number in range(1, 11)]
    path = written(tmp_path, offset_index(*entries) + bytes(80), f"{SEGMENT}.index")
    assert dumped(path)[0] == [f"offset: {10 + offset} position: {position}" for offset, position in entries]


# --- text files ----------------------------------------------------------------------------------------------------


def test_text_files_are_read_which_the_tool_does_not_know(tmp_path: Path) -> None:
    path = written(tmp_path, b"0\n2\n0 0\n3 17\n", "leader-epoch-checkpoint")
    done = CliRunner().invoke(main, ["dump", str(path)])
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == f"Dumping {path}\nepoch: 0 startOffset: 0\nepoch: 3 startOffset: 17\n"
    assert found(path)[1] == {
        "kind": "leader_epoch_checkpoint_entry",
        "file": str(path),
        "epoch": 3,
        "start_offset": 17,
    }


def test_every_text_file_of_the_samples_is_dumped() -> None:
    files = [path for path in sorted(ROOT.rglob("*")) if is_sidecar(path.name)]
    assert len({path.name for path in files}) >= 7
    for path in files:
        lines, damage, _ = dumped(path)
        assert not damage and bool(lines) == (path.stat().st_size > len("0\n0\n")), path
        assert len(found(path)) >= len(lines) or path.name == "meta.properties"


def test_a_damaged_text_file_is_told(tmp_path: Path) -> None:
    lines, damage, _ = dumped(written(tmp_path, b"0\n2\n0 zero\n", "leader-epoch-checkpoint"))
    assert not lines and [type(one) for one in damage] == [InvalidError]


# --- reports -------------------------------------------------------------------------------------------------------


def test_reports_are_the_tools_words(tmp_path: Path) -> None:
    """The order is the tool's: offsets of an index from the top, jumps of a log from the bottom."""
    log = b"".join(batch(10 + 3 * number, max_timestamp=1000 + number) for number in range(10)) + batch(50)
    size = len(batch(0))
    path = written(tmp_path, log, f"{SEGMENT}.log")
    index = written(tmp_path, offset_index((6, 2 * size), (18, 5 * size)), f"{SEGMENT}.index")
    times = time_index((1007, 8), (1006, 7), (1005, 17), (5000, 60))
    timeindex = written(tmp_path, times, f"{SEGMENT}.timeindex")
    damage: list[DataError] = []
    report = DumpReport(damage.append)
    for name in (path, timeindex, index):
        list(items(name, Options(deep_iteration=True), report))
    assert not damage
    assert list(report.lines()) == [
        f"Mismatches in :{index}",
        "  Index offset: 28, log offset: 27",
        "  Index offset: 16, log offset: 18",
        f"Found timestamp mismatch in :{timeindex}",
        "  Index timestamp: 1007, log timestamp: 1005",
        f"Found out of order timestamp in :{timeindex}",
        "  Index timestamp: 1005, Previously indexed timestamp: 1006",
        f"The following indexed offsets are not found in :{timeindex}",
        "Indexed offset: 17, found log offset: 18",
        "Indexed offset: 70, found log offset: -1",
        f"Non-consecutive offsets in {path}",
        "  -1 is followed by 10",
        "  39 is followed by 50",
    ]


def test_of_an_emptied_batch_the_tool_finds_no_timestamp(tmp_path: Path) -> None:
    """The cleaner leaves a producer's last batch without records, and an index entry with its timestamp."""
    log = batch(10) + batch(13, [], last_offset_delta=2, max_timestamp=1006) + batch(16, max_timestamp=1007)
    written(tmp_path, log, f"{SEGMENT}.log")
    timeindex = written(tmp_path, time_index((1005, 2), (1006, 5), (1007, 8)), f"{SEGMENT}.timeindex")
    lines = list(dumped(timeindex)[2].lines())
    assert lines == [f"Found timestamp mismatch in :{timeindex}", "  Index timestamp: 1006, log timestamp: -1"]


def test_reports_keep_only_so_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "KEPT_REPORTS", 2)
    path = written(tmp_path, batch(0, [record(2 * number) for number in range(9)]))
    lines = list(dumped(path, deep_iteration=True)[2].lines())
    assert lines[1:] == ["  0 is followed by 2", "  2 is followed by 4", "  and 6 more"]


# --- ranges --------------------------------------------------------------------------------------------------------

_RANGED = b"".join(
    batch(
        10 * number,
        [record(0), record(1, timestamp_delta=50), record(2, timestamp_delta=20)],
        base_timestamp=1000 * number,
        max_timestamp=1000 * number + 50,
    )
    for number in range(1, 5)
)


@pytest.mark.parametrize(
    ("options", "batches", "records"),
    [
        ({}, [10, 20, 30, 40], [10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42]),
        ({"from_offset": 31}, [30, 40], [31, 32, 40, 41, 42]),
        ({"to_offset": 21}, [10, 20], [10, 11, 12, 20]),
        ({"from_offset": 21, "to_offset": 22}, [20], [21]),
        ({"from_offset": 23, "to_offset": 30}, [], []),
        ({"since_ms": 3020}, [30, 40], [31, 32, 40, 41, 42]),
        ({"until_ms": 2020}, [10, 20], [10, 11, 12, 20]),
        ({"since_ms": 2001, "until_ms": 2050}, [20], [22]),
        ({"since_ms": 2001, "until_ms": 2020}, [], []),
        ({"since_ms": 2000, "from_offset": 22, "until_ms": 4000}, [20, 30], [22, 30, 31, 32]),
        ({"since_ms": 2021, "to_offset": 21}, [], []),
    ],
)
def test_ranges_leave_out_records_and_batches_without_any(
    options: dict[str, int], batches: list[int], records: list[int], tmp_path: Path
) -> None:
    path = written(tmp_path, _RANGED)
    shallow, deep = found(path, **options), found(path, deep_iteration=True, **options)
    assert [item["base_offset"] for item in shallow if item["kind"] == "batch"] == batches
    assert [item["base_offset"] for item in deep if item["kind"] == "batch"] == batches
    assert [item["offset"] for item in deep if item["kind"] == "record"] == records


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize(
    ("options", "batches", "records"),
    [
        ({}, [5, 8, 9], [5, 6, 7, 8, 9]),
        ({"from_offset": 6}, [8, 9], [6, 7, 8, 9]),
        ({"from_offset": 9}, [9], [9]),
        ({"to_offset": 6}, [5], [5]),
        ({"to_offset": 7}, [5, 8], [5, 6]),
        ({"from_offset": 7, "to_offset": 8}, [8], [7]),
        ({"to_offset": 5}, [], []),
    ],
)
def test_ranges_look_into_wrappers(
    magic: int, options: dict[str, int], batches: list[int], records: list[int], tmp_path: Path
) -> None:
    inside = [(number if magic else 6 + number, message(magic)) for number in range(3)]
    path = written(tmp_path, entry(5, magic) + wrapper(8, "gzip", inside, magic) + entry(9, magic))
    shallow, deep = found(path, **options), found(path, deep_iteration=True, **options)
    assert [item["last_offset"] for item in shallow if item["kind"] == "batch"] == batches
    assert [item["last_offset"] for item in deep if item["kind"] == "batch"] == batches
    assert [item["offset"] for item in deep if item["kind"] == "record"] == records


def test_ranges_of_time_leave_out_messages_without_a_timestamp(tmp_path: Path) -> None:
    inside = [(0, message(timestamp=1000)), (1, message(timestamp=3000)), (2, message(timestamp=2000))]
    path = written(tmp_path, entry(0, 0) + wrapper(3, "gzip", inside, timestamp=3000) + entry(4, timestamp=2500))
    for options, batches, records in (
        ({"since_ms": 2000}, [3, 4], [2, 3, 4]),
        ({"since_ms": 2000, "until_ms": 2500}, [3], [3]),
        ({"since_ms": 2600}, [3], [2]),
        ({"until_ms": 0}, [0], [0]),
    ):
        for deep in (False, True):
            items = found(path, deep_iteration=deep, **options)
            assert [item["last_offset"] for item in items if item["kind"] == "batch"] == batches
        assert [item["offset"] for item in items if item["kind"] == "record"] == records


def test_a_wrapper_that_cannot_be_looked_into_is_not_left_out_by_a_range(tmp_path: Path) -> None:
    path = written(tmp_path, relabelled(wrapper(8, "gzip", _INSIDE), 2))
    lines, damage, _ = dumped(path, to_offset=7, deep_iteration=True)
    assert len(lines) == 2 and [type(one) for one in damage] == [ChecksumError, CompressionError]
    assert len(dumped(path, to_offset=7)[0]) == 2


def test_ranges_leave_out_index_entries(tmp_path: Path) -> None:
    index = written(tmp_path, offset_index((1, 5), (2, 6), (3, 7)), f"{SEGMENT}.index")
    times = written(tmp_path, time_index((100, 1), (200, 2), (300, 3)), f"{SEGMENT}.timeindex")
    assert dumped(index, from_offset=12, to_offset=13)[0] == ["offset: 12 position: 6"]
    assert dumped(index, since_ms=5)[0] == dumped(index)[0], "an offset index knows no time"
    assert dumped(times, since_ms=200, to_offset=13)[0] == ["timestamp: 200 offset: 12"]


@pytest.mark.parametrize(
    ("options", "producers"),
    [
        ({}, [1, 2, 3]),
        ({"from_offset": 7}, [1, 2, 3]),
        ({"from_offset": 8}, [2, 3]),
        ({"to_offset": 9}, [1]),
        ({"to_offset": 10}, [1, 2]),
        ({"from_offset": 8, "to_offset": 9}, []),
        ({"since_ms": 10**15}, [1, 2, 3]),
    ],
)
def test_ranges_leave_out_transactions_without_an_offset_inside(
    options: dict[str, int], producers: list[int], tmp_path: Path
) -> None:
    """First and last offsets 3..7, 9..15, 10..12; the index knows no time."""
    data = transaction_index((1, 3, 7, 8), (2, 9, 15, 10), (3, 10, 12, 13))
    path = written(tmp_path, data, f"{SEGMENT}.txnindex")
    assert [item["producer_id"] for item in found(path, **options)] == producers


def test_a_range_makes_no_jump_in_the_report(tmp_path: Path) -> None:
    assert not list(dumped(written(tmp_path, _RANGED), deep_iteration=True, from_offset=21, to_offset=23)[2].lines())


# --- objects -------------------------------------------------------------------------------------------------------


def test_objects_say_what_the_headers_say(tmp_path: Path) -> None:
    path = written(tmp_path, batch(0) + batch(3, bits={"compression": "zstd", "is_transactional": 1}) + bytes(40))
    headers = read_batch_headers(path)
    kinds = [item["kind"] for item in found(path)]
    assert kinds == ["log", "batch", "batch", "trailing_bytes"]
    for number, item in enumerate(item for item in found(path) if item["kind"] == "batch"):
        for name in layout("record_batch").header_dtype.names or ():
            if name in item:
                assert item[name] == headers.columns[name][number], name
        assert item["position"] == headers.position[number] and item["size"] == headers.size[number]
        assert item["is_valid"] is True
        assert item["compression"] == ("none", "zstd")[number]
        assert item["is_transactional"] is (number == 1)


def test_objects_hold_records_exactly(tmp_path: Path) -> None:
    path = written(tmp_path, batch(2**62, [record(0, b"\xff", None, headers=[("h", b"\x00"), ("h", None)])]))
    shallow, deep = found(path, deep_iteration=True)[-1], found(path, print_data_log=True)[-1]
    assert shallow["offset"] == deep["offset"] == 2**62
    assert (shallow["key_size"], shallow["value_size"], shallow["header_keys"]) == (1, -1, ["h", "h"])
    assert "key" not in shallow
    assert (deep["key"], deep["value"]) == (b"\xff", None)
    assert deep["headers"] == [{"key": "h", "value": b"\x00"}, {"key": "h", "value": None}]


def test_objects_of_messages_have_the_same_names(tmp_path: Path) -> None:
    """What magic 0 and 1 do not know is null or -1; what lies compressed is null."""
    inside = [(number, message(key=None)) for number in range(3)]
    parts = (entry(0, 0), entry(1, timestamp=7), wrapper(4, "lz4", inside, timestamp=9), batch(5))
    _, *items = found(written(tmp_path, b"".join(parts)), print_data_log=True)
    batches = [item for item in items if item["kind"] == "batch"]
    assert len({tuple(item) for item in batches}) == 1, "all of them have the same names"
    assert [
        [
            item[name]
            for name in ("magic", "base_offset", "last_offset", "records_count", "timestamp_type", "max_timestamp")
        ]
        for item in batches
    ] == [
        [0, 0, 0, 1, None, -1],
        [1, 1, 1, 1, "create_time", 7],
        [1, None, 4, None, "create_time", 9],
        [2, 5, 7, 3, "create_time", 1005],
    ]
    assert [item["compression"] for item in batches] == ["none", "none", "lz4", "none"]
    assert {item["producer_id"] for item in batches} == {-1}
    assert all(item["is_valid"] and item["size"] == len(part) for item, part in zip(batches, parts, strict=True))
    records = [item for item in items if item["kind"] == "record"]
    assert [item["offset"] for item in records] == list(range(8))
    assert [item["timestamp"] for item in records[:5]] == [-1, 7, 1000, 1000, 1000]
    assert [item["key"] for item in records[:3]] == [b"k", b"k", None]
    assert all(item["is_valid"] and item["crc"] and item["headers"] == [] for item in records[:5])
    assert not any("is_valid" in item for item in records[5:]), "a record of magic 2 has no checksum of its own"


def test_objects_of_control_records_and_indexes(tmp_path: Path) -> None:
    item = found(written(tmp_path, control(0, 1, marker(9))), deep_iteration=True)[-1]
    assert (item["control_type"], item["control"]) == ("commit", {"version": 0, "coordinator_epoch": 9})
    index = written(tmp_path, offset_index((3, 100)), f"{SEGMENT}.index")
    assert found(index) == [{"kind": "offset_index_entry", "file": str(index), "offset": 13, "position": 100}]
    times = written(tmp_path, time_index((5, 3)), f"{SEGMENT}.timeindex")
    assert found(times) == [{"kind": "time_index_entry", "file": str(times), "timestamp": 5, "offset": 13}]
    assert found(written(tmp_path, b"", f"{SEGMENT}.index"))[0]["kind"] == "empty"


def test_objects_of_transactions_producers_and_metadata_snapshots(tmp_path: Path) -> None:
    """Names and values are the declarations'."""
    for vector, kind, suffix in (
        (vectors.SMALL["transaction index"], "transaction_index_entry", "txnindex"),
        (vectors.SMALL["producer snapshot"], "producer_snapshot_entry", "snapshot"),
    ):
        path = written(tmp_path, vector.data, f"{SEGMENT}.{suffix}")
        assert found(path) == [{"kind": kind, "file": str(path), **vector.fields["entries"][0]}]
    path = written(tmp_path, vectors.CONTROL_BATCHES, "00000000000000000005-0000000007.checkpoint")
    items = found(path, deep_iteration=True)
    assert items[0] == {"kind": "metadata_snapshot", "file": str(path), "end_offset": 5, "epoch": 7}
    records = [item for item in items if item["kind"] == "record"]
    assert [item["control_type"] for item in records] == [
        *("snapshot_header", "kraft_version", "kraft_voters", "kraft_voters", "leader_change", "snapshot_footer")
    ]
    assert records[1]["control"]["kraft_version"] == 1
    assert records[2]["control"]["voters"][0]["endpoints"][0]["port"] == 65535
    start = found(written(tmp_path, batch(0), "bootstrap.checkpoint"))[0]
    assert (start["end_offset"], start["epoch"]) == (None, None)


# --- memory --------------------------------------------------------------------------------------------------------


def test_batches_are_read_as_they_are_asked_for(tmp_path: Path) -> None:
    """The first line of a log costs the same whatever is behind it, even damage."""
    path = written(tmp_path, batch(0) * 100 + patched(batch(0), "records_count", 9))
    damage: list[DataError] = []
    options = Options(deep_iteration=True)
    lines = text_lines(items(path, options, DumpReport(damage.append)), str(path), options)
    assert [next(lines).split(":")[0] for _ in range(3)] == ["Log starting offset", "baseOffset", "| offset"]
    assert not damage
    assert len(list(lines)) + 3 == 1 + 101 * 4 and len(damage) == 2


def test_declared_values_are_printed_as_json(tmp_path: Path) -> None:
    """In both kinds of output; those that do not parse as ever, with the reason, and counted at the end."""
    (tmp_path / "two.ksy").write_text("meta: {id: two, endian: be}\nseq: [{id: a, type: u1}, {id: b, size: 2}]")
    folder, format = tmp_path / "orders-0", str(tmp_path / "two.ksy")
    folder.mkdir()
    keys = [b"[1, 2]", None, b"[" * 5000, b"[" * 250 + b"]" * 250]
    columns = Columns([1000] * 4, keys, [b"\1\0\2", b"no", None, b"\3\0\4"])
    log = folder / f"{0:020d}.log"
    log.write_bytes(build_batch(columns, base_offset=0))
    words = ["dump", str(log), "--value-as", f"orders={format}", "--key-as", "json", "--bytes", "hex"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0
    lines = [line.partition("headerKeys: []")[2] for line in done.stdout.splitlines() if line.startswith("|")]
    problem = "value:1 two.b: the bytes end here (expected 2 more, found 1)"
    assert lines[0] == ' key: [1, 2] payload: {"a": 1, "b": "hex:0002"}'
    assert lines[1] == f" payload: no payloadError: {problem}"
    assert " keyError: key:" in lines[2] and "nested too deeply to be shown" in lines[3]
    assert done.stderr.splitlines() == [
        "kformat: 1 of 3 values do not parse as two",
        "kformat: 2 of 3 keys do not parse as json",
    ]
    done = CliRunner().invoke(main, [*words, "--format", "nl"])
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    found = [row for row in rows if row["kind"] == "record"]
    assert (found[0]["key"], found[0]["value"], found[0]["value_raw"]) == ([1, 2], {"a": 1, "b": "hex:0002"}, None)
    assert (found[1]["value"], found[1]["value_raw"], found[1]["value_error"]) == (None, b"no".hex(), problem)
    assert (found[2]["value"], found[2]["value_raw"], found[2]["value_error"]) == (None, None, None)
    done = CliRunner().invoke(main, ["dump", str(log), "--value-as", f"other={format}"])
    assert done.exit_code == 2 and "no topic 'other' here; there are orders" in done.stderr
