"""Check: sound files give no finding, every rule has damages that it finds, and nothing makes it die."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kformat
from kformat.check.checker import check
from kformat.errors import UsageError
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.framing import HEADER_BYTES, PEEK_BYTES
from kformat.kafka.findings.explanations import explanations
from kformat.kafka.findings.profiles import Explained
from kformat.kafka.findings.rules import RULES, Finding
from kformat.kafka.findings.segment_indexes import first_errors
from kformat.kafka.findings.time_index import TimeIndexCheck
from kformat.kafka.index.indexing import PROFILES
from kformat.kafka.log.partition import partition_paths
from kformat.language.layout import layout
from kformat.stats import stats
from tests import damages, damages_beside, damages_kafka, damages_legacy
from tests.damages import BASE_TIMESTAMP_MS, INTERVAL_BYTES, Damage, Folder, stem, write
from tests.draws import at_most, every
from tests.samples import ROOT, Sample, all_samples
from tools import rules_page

DAMAGES = (*damages.DAMAGES, *damages_legacy.DAMAGES, *damages_beside.DAMAGES, *damages_kafka.DAMAGES)
STRAYS = {f"{name}-0" for name in ("killed", "killed-compacted", "killed-empty", "killed-single", "recovered")}
ROOTS = sorted({sample.root for sample in all_samples()})


def findings(folder: Folder, path: Path, **options: Any) -> list[Finding]:
    """What is wrong with a folder of these files; infos left out."""
    return [found for found in check(write(folder, path), **options) if found.severity != "info"]


def texts(folder: Folder, path: Path, **options: Any) -> list[str]:
    return [str(found).removeprefix(f"{path}{os.sep}") for found in findings(folder, path, **options)]


# Sound files


@pytest.mark.parametrize("sample", every(2, all_samples()), ids=str)
def test_samples_are_sound_under_the_inferred_and_under_their_writers_profile(sample: Sample) -> None:
    """All of their files are judged, but for those that wait to be deleted."""
    assert [str(found) for found in check(sample.path) if found.rule != "KF0010"] == []
    given_profile = check(sample.path, profile=sample.profile, index_interval_bytes=sample.index_interval_bytes)
    assert [str(found) for found in given_profile if found.severity != "info"] == []


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("records", [True, False], ids=["records", "headers"])
def test_whole_roots_are_sound(root: str, records: bool) -> None:
    """The oracles among them are the only files that are not Kafka's; other brokers wrote some of the folders."""
    found = list(check(ROOT / root, records=records))
    assert [str(item) for item in found if item.severity != "info" and item.rule != "KF0814"] == []
    strays = {os.path.basename(os.path.dirname(item.file)) for item in found if item.rule == "KF0814"}
    assert strays == (STRAYS if records and (ROOT / root / "__cluster_metadata-0").exists() else set())
    foreign = {os.path.basename(item.file) for item in found if item.rule == "KF0001"}
    assert foreign and all(name.endswith((".json", ".jsonl.gz", ".txt.gz")) for name in foreign)
    assert {item.rule for item in found} <= {"KF0001", "KF0010", "KF0811", "KF0814"}
    assert max(item.exit_status for item in found) == bool(strays)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("told", [True, False], ids=["given", "inferred"])
@pytest.mark.parametrize("append_id", [None, "three batches"], ids=["batch per append", "three batches per append"])
def test_indexes_of_every_writer_are_sound(profile: str, told: bool, append_id: str | None, tmp_path: Path) -> None:
    how: dict[str, Any] = {"profile": profile}
    if append_id:
        how["append_id"] = [number // 3 for number in range(len(damages.TIMES))]
    folder = damages.sound_folder(**how)
    options: dict[str, Any] = {"profile": profile, "index_interval_bytes": INTERVAL_BYTES} if told else {}
    assert texts(folder, tmp_path, **options) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_recovered_indexes_are_sound(profile: str, tmp_path: Path) -> None:
    folder = damages.sound_folder(profile=profile, recovered=True)
    assert texts(folder, tmp_path, profile=profile, index_interval_bytes=INTERVAL_BYTES) == []


def test_compacted_segments_are_sound(tmp_path: Path) -> None:
    folder = damages.compacted_folder()
    assert len(folder[f"{stem(0)}.index"]) > layout("offset_index::entry").size
    assert texts(folder, tmp_path) == []
    assert texts(folder, tmp_path, profile="last-offset") == []


def test_records_without_timestamps_need_no_time_index_entries(tmp_path: Path) -> None:
    folder = damages.segment(0, [damages.data_batch(0, -1), damages.data_batch(3, -1)])
    assert folder[f"{stem(0)}.timeindex"] == b""
    assert texts(folder, tmp_path) == []


def test_timestamps_below_none_do_not_count_for_the_largest(tmp_path: Path) -> None:
    """What a broker writes for records from a producer that stamps before 1970: it looks for the largest from -1 on."""
    batches = [
        damages.patched(damages.data_batch(n, stamp, 1), mend=True, max_timestamp=-1)
        for n, stamp in enumerate((-2, -(2**62)))
    ]
    assert texts(damages.segment(0, batches), tmp_path) == []


def test_a_largest_timestamp_of_zero_is_an_entry_of_zeros(tmp_path: Path) -> None:
    batch = damages.batch_of(0, damages.record_bytes(offset_delta=0), 1, 0)
    folder = damages.segment(0, [batch])
    assert folder[f"{stem(0)}.timeindex"] == bytes(12)
    assert texts(folder, tmp_path) == []


def test_an_index_with_room_for_one_entry_is_empty_while_its_segment_is_in_use(tmp_path: Path) -> None:
    """A broker with `segment.index.bytes` of 12 to 23 that was killed: the time index is one slot of zeros."""
    folder = damages.segment(0, [damages.data_batch(0, 1000), damages.data_batch(3, 2000)])
    folder[f"{stem(0)}.timeindex"] = bytes(layout("time_index::entry").size)
    assert texts(folder, tmp_path) == []


@pytest.mark.parametrize("others", [(0, 0), (-1, 0), (-1, -1)], ids=str)
def test_without_a_producer_id_epoch_and_sequence_mean_nothing(others: tuple[int, int], tmp_path: Path) -> None:
    """As kafkajs, franz-go and Kafka's own client write them; nothing is idempotent then."""
    fields = dict(zip(("producer_epoch", "base_sequence"), others, strict=True))
    folder = damages.segment(0, [damages.data_batch(3 * n, BASE_TIMESTAMP_MS + n, **fields) for n in range(3)])
    assert texts(folder, tmp_path / "t-0") == []
    (counted,) = stats(tmp_path / "t-0")
    assert (counted.counts["batches_count"], counted.counts["idempotent_batches_count"]) == (3, 0)


def test_an_upgrade_while_a_segment_was_written_is_sound_the_way_back_is_not(tmp_path: Path) -> None:
    old, new = damages.sound_folder(profile="first-offset"), damages.sound_folder(profile="per-batch")
    name = f"{stem(0)}.index"
    middle = len(old[name]) // 2 // 8 * 8
    assert texts(new | {name: old[name][:middle] + new[name][middle:]}, tmp_path / "up") == []
    down = texts(new | {name: new[name][:middle] + old[name][middle:]}, tmp_path / "down")
    assert down and all("KF0407" in text for text in down)


def test_one_wrong_entry_does_not_change_who_is_taken_for_the_writer(tmp_path: Path) -> None:
    folder = damages.sound_folder(profile="first-offset")
    folder = damages.entries(".index", damages.add(1, relative_offset=-1))(folder)
    (text,) = texts(folder, tmp_path)
    assert "KF0407" in text and "first-offset" in text


def test_empty_segments_and_folders_are_sound(tmp_path: Path) -> None:
    assert texts({}, tmp_path / "none") == []
    assert texts({f"{stem(0)}.log": b""}, tmp_path / "just rolled") == []
    files = {f"{stem(5)}.log": b"", f"{stem(5)}.index": bytes(800), f"{stem(5)}.timeindex": bytes(1200)}
    assert texts(files, tmp_path / "killed") == []


# Every rule finds something, and it is that rule which finds it


@pytest.fixture(scope="module")
def sound() -> Folder:
    return damages.sound_folder()


def damaged(damage: Damage, sound: Folder, path: Path) -> set[str]:
    """Ids of the rules that find something; infos only where the damage is about them."""
    write(damage.change(sound), path)
    if damage.on_disk is not None:
        damage.on_disk(path)
    found = list(check(path, **damage.options))
    assert all(item.file.startswith(str(path)) and item.message for item in found)
    return {item.rule for item in found}


def test_the_sound_folder_is_sound(sound: Folder, tmp_path: Path) -> None:
    assert texts(sound, tmp_path) == []
    assert texts(sound, tmp_path, profile="per-batch", index_interval_bytes=INTERVAL_BYTES) == []


def test_the_first_errors_of_indexes_are_those_of_check(sound: Folder, tmp_path: Path) -> None:
    """Recovery asks for them alone."""
    seen: set[str] = set()
    for number, damage in enumerate(one for one in DAMAGES if one.rule.startswith(("KF01", "KF04", "KF05"))):
        folder = write(damage.change(sound), tmp_path / str(number))
        for base_offset in damages.SEGMENTS:
            expected: dict[str, str] = {}
            for kind, suffix in (("offset_index", ".index"), ("time_index", ".timeindex")):
                file = folder / (stem(base_offset) + suffix)
                found = check(file, records=False) if file.exists() else ()
                errors = [finding for finding in found if finding.severity == "error"]
                expected |= {kind: errors[0].message} if errors else {}
                seen.update(finding.rule for finding in errors[:1])
            assert first_errors(str(folder), base_offset) == expected
    assert len(seen) > 10


def test_every_rule_has_a_damage_that_it_finds() -> None:
    # The others are of tests/check/test_declared_files.py and test_compacted.py
    kafka = {rule for rule in RULES if not rule.startswith(("KF10", "KF11"))}
    assert {damage.rule for damage in DAMAGES} == kafka
    assert len({str(damage) for damage in DAMAGES}) == len(DAMAGES)


@pytest.mark.parametrize("damage", DAMAGES, ids=str)
def test_a_damage_is_found_by_its_rule_and_not_without_it(
    damage: Damage, sound: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert damaged(damage, sound, tmp_path / "with") == damage.rules
    monkeypatch.delitem(RULES, damage.rule)
    assert damaged(damage, sound, tmp_path / "without") == damage.rules - {damage.rule}


def test_ignored_rules_are_not_reported(sound: Folder, tmp_path: Path) -> None:
    folder = damages.header(2, mend=False, crc=1)(sound)
    assert texts(folder, tmp_path / "told") != []
    assert texts(folder, tmp_path / "ignored", ignore=["KF0201"]) == []


def test_records_can_be_left_alone(sound: Folder, tmp_path: Path) -> None:
    (damage,) = (item for item in DAMAGES if str(item) == "KF0305-the last record cut")
    path = write(damage.change(sound), tmp_path)
    assert [item.rule for item in check(path)] == ["KF0305"]
    assert list(check(path, records=False)) == []


# What findings say


def test_findings_say_where_and_what(sound: Folder, tmp_path: Path) -> None:
    folder = damages.header(1, mend=False, crc=0x12345678)(sound)
    position = len(next(iter_batches(sound[f"{stem(0)}.log"])).raw) + layout("record_batch").position("crc")
    (found,) = findings(folder, tmp_path)
    stored, computed = (
        "12345678",
        next(batch for n, batch in enumerate(iter_batches(sound[f"{stem(0)}.log"])) if n == 1),
    )
    assert found == Finding(
        "KF0201",
        "error",
        str(tmp_path / f"{stem(0)}.log"),
        position,
        "record_batch.crc",
        f"stored {stored}, computed {computed.crc:08x}",
        f"{computed.crc:08x}",
        stored,
    )
    assert str(found).endswith(f"{stem(0)}.log:{position} error KF0201 record_batch.crc: {found.message}")


def test_exit_status_is_that_of_the_worst_finding(sound: Folder, tmp_path: Path) -> None:
    folder = sound | {"notes": b"", f"{stem(0)}.log.deleted": b""}
    statuses = {item.exit_status for item in check(write(folder, tmp_path / "sound"))}
    assert statuses == {0}
    path = write(damages.header(2, mend=False, crc=1)(sound), tmp_path / "damaged")
    assert max(item.exit_status for item in check(path)) == 1
    os.unlink(path / f"{stem(0)}.index")
    os.symlink(f"{stem(0)}.index", path / f"{stem(0)}.index")
    assert max(item.exit_status for item in check(path)) == 3


def test_several_damages_are_all_found(sound: Folder, tmp_path: Path) -> None:
    """Behind a wrong checksum, an unknown magic, a batch too short, and a length that leads nowhere."""
    folder = sound
    for number, fields in ((1, {"crc": 1}), (2, {"magic": 9}), (4, {"crc": 2})):
        folder = damages.header(number, mend=False, **fields)(folder)
    folder = damages.header(6, mend=False, batch_length=-77)(folder)
    folder = damages.log_changed_at_end(folder, stem(0), crc=3)
    found = [text.split(": ")[0].split(" ", 2)[2] for text in texts(folder, tmp_path)]
    assert found == [
        "KF0201 record_batch.crc",
        "KF0105 record_batch.magic",
        "KF0201 record_batch.crc",
        "KF0101 record_batch.batch_length",
        "KF0201 record_batch.crc",
    ]


def test_without_an_index_the_check_ends_where_the_framing_does(sound: Folder, tmp_path: Path) -> None:
    folder = damages.header(2, mend=False, batch_length=-1)(sound)
    del folder[f"{stem(0)}.index"]
    folder = damages.log_changed_at_end(folder, stem(0), crc=3)
    found = [item.rule for item in findings(folder, tmp_path)]
    assert found == ["KF0101", "KF0005"]


def test_a_run_of_wrong_entries_is_one_finding(sound: Folder, tmp_path: Path) -> None:
    name = f"{stem(0)}.index"
    folder = sound | {name: sound[name][:8] + bytes(8 * 100) + sound[name][8:]}
    (found,) = findings(folder, tmp_path)
    assert found.rule == "KF0403" and found.position == 8 and "99 more" in found.message


def test_records_of_a_batch_are_judged_whatever_their_number(tmp_path: Path) -> None:
    """More than a block's worth of batches and of bytes."""
    batch = damages.data_batch(0, BASE_TIMESTAMP_MS, count=1)
    header = np.frombuffer(batch[:HEADER_BYTES], damages.HEADER)
    count = 9000
    headers = np.repeat(header, count)
    headers["base_offset"] = np.arange(count)
    whole = np.concatenate(
        [
            headers.view(np.uint8).reshape(count, HEADER_BYTES),
            np.broadcast_to(np.frombuffer(batch[HEADER_BYTES:], np.uint8), (count, len(batch) - HEADER_BYTES)),
        ],
        axis=1,
    )
    log = whole.tobytes()
    folder = damages.segment(0, [log])
    assert texts(folder, tmp_path / "sound") == []
    at = (count - 5) * len(batch) + layout("record_batch").position("crc")
    broken = bytearray(log)
    broken[at] ^= 1
    (found,) = findings(folder | {f"{stem(0)}.log": bytes(broken)}, tmp_path / "broken")
    assert (found.rule, found.position) == ("KF0201", at)


# What a truncation leaves in an index in use


LEFT_RULES = {".index": "KF0409", ".timeindex": "KF0510"}


def entries_of(folder: Folder, suffix: str) -> Any:
    """The last segment's entries, without the padding."""
    dtype = layout({".index": "offset_index::entry", ".timeindex": "time_index::entry"}[suffix]).dtype
    array = np.frombuffer(folder[f"{damages.LAST}{suffix}"], dtype)
    return array[array != np.zeros(1, dtype)]


@pytest.mark.parametrize("suffix", LEFT_RULES)
@pytest.mark.parametrize("profile", PROFILES)
def test_what_a_truncation_leaves_is_one_info_whoever_wrote_it(suffix: str, profile: str, tmp_path: Path) -> None:
    """Two generations: the older one went farther, and the younger one begins again below what is in use."""

    def older(array: Any) -> Any:
        return np.concatenate([array[-2:-1], damages.of_older_log(array), array[-2:], damages.of_older_log(array)])

    sound = damages.sound_folder(profile=profile)
    (found,) = check(write(damages.left(suffix, older)(sound), tmp_path))
    array = entries_of(sound, suffix)
    assert (found.rule, found.severity, found.exit_status) == (LEFT_RULES[suffix], "info", 0)
    assert found.position == array.nbytes and found.path.endswith(f"_index.entries[{len(array)}]")
    assert found.message == "7 slots left by a truncation; the broker rebuilds them"
    assert found.found == array.nbytes + 7 * array.itemsize
    spaced = check(tmp_path, profile=profile, index_interval_bytes=INTERVAL_BYTES)
    assert [item.rule for item in spaced] == [LEFT_RULES[suffix]]


@pytest.mark.parametrize(
    ("suffix", "in_use", "before"),
    [(".index", "first-offset", "per-batch"), (".timeindex", "per-batch", "first-offset")],
)
def test_what_is_left_does_not_count_for_who_wrote_the_index(
    suffix: str, in_use: str, before: str, tmp_path: Path
) -> None:
    """More entries are left than are in use; they are another writer's, and describe the log as it is."""
    theirs = entries_of(damages.sound_folder(profile=before), suffix)[-2:]
    theirs_and_nobodys = theirs.copy()
    theirs_and_nobodys["relative_offset"][1] -= 1
    left = np.concatenate([*[theirs] * 5, theirs_and_nobodys, damages.of_older_log(theirs)])
    folder = damages.left(suffix, lambda _: left)(damages.sound_folder(profile=in_use))
    assert [item.rule for item in check(write(folder, tmp_path))] == [LEFT_RULES[suffix]]


def test_an_offset_behind_the_end_tells_an_entry_whose_position_lies_in_the_log(sound: Folder, tmp_path: Path) -> None:
    def older(array: Any) -> Any:
        entry = array[-1:].copy()
        entry["relative_offset"] += 10
        entry["position"] += 1
        return entry

    folder = damages.left(".index", older)(sound)
    assert [item.rule for item in check(write(folder, tmp_path / "behind"))] == ["KF0409"]
    log = f"{damages.LAST}.log"
    cut = folder | {log: folder[log] + b"half"}
    assert [item.rule for item in findings(cut, tmp_path / "not known")] == ["KF0103"], "it names no batch either"


def test_a_log_that_was_truncated_to_nothing_leaves_all_entries(sound: Folder, tmp_path: Path) -> None:
    folder = sound | {f"{damages.LAST}.log": b""}
    found = list(check(write(folder, tmp_path)))
    assert [(item.rule, item.position) for item in found] == [("KF0409", 0), ("KF0510", 0)]
    counts = [len(entries_of(sound, suffix)) for suffix in LEFT_RULES]
    assert [int(item.message.split()[0]) for item in found] == counts and min(counts) > 1


@pytest.mark.parametrize(
    ("suffix", "rules"),
    [(".index", {"KF0403", "KF0405"}), (".timeindex", {"KF0503", "KF0505"})],
    ids=["offset", "time"],
)
def test_nothing_is_left_in_an_index_that_was_trimmed(
    suffix: str, rules: set[str], sound: Folder, tmp_path: Path
) -> None:
    def older(array: Any) -> Any:
        return np.concatenate([array[-2:-1], damages.of_older_log(array)])

    name = f"{damages.LAST}{suffix}"
    folder = damages.left(suffix, older)(sound)
    size = len(folder[name].rstrip(b"\0"))
    step = layout({".index": "offset_index::entry", ".timeindex": "time_index::entry"}[suffix]).size
    trimmed = folder | {name: folder[name][: -(-size // step) * step]}
    assert {item.rule for item in findings(trimmed, tmp_path / "trimmed")} >= rules
    closed = folder | damages.segment(136, [damages.data_batch(136, BASE_TIMESTAMP_MS + 900_000)])
    assert {item.rule for item in findings(closed, tmp_path / "closed")} >= rules


def _hole_and_end(array: Any) -> None:
    """No slot is right behind the break, and a hole is among them."""
    array["position"][4:] = array["relative_offset"][4:] = 0
    array[2:4] = [(0, 0), (2**31 - 1, 2**31 - 1)]


@pytest.mark.parametrize(
    ("suffix", "change", "rules"),
    [
        (".index", lambda array: array[[0, 2, 1, *range(3, len(array))]], ["KF0403"]),
        (".index", damages.put(1, position=2**31 - 1), ["KF0403", "KF0405"]),
        (".index", damages.put(slice(1, 3), relative_offset=0, position=0), ["KF0403"]),  # type: ignore[arg-type]
        (".index", damages.put(2, relative_offset=-1), ["KF0402"]),
        (".index", damages.put(4, relative_offset=1), ["KF0403"]),
        (".index", damages.add(1, position=1), ["KF0406"]),
        (".index", damages.add(1, relative_offset=1), ["KF0407"]),
        (".index", damages.add(2, position=1), ["KF0406"]),
        (".index", _hole_and_end, ["KF0403", "KF0405"]),
        (".timeindex", lambda array: array[[0, 1, 1, *range(2, len(array))]], ["KF0503"]),
        (".timeindex", damages.put(1, relative_offset=0), ["KF0503"]),
        (".timeindex", damages.put(1, relative_offset=10**6), ["KF0503", "KF0505"]),
        (".timeindex", damages.put(4, relative_offset=1), ["KF0503"]),
        (".timeindex", damages.add(1, timestamp=-1), ["KF0506"]),
        (".timeindex", damages.add(1, timestamp=1), ["KF0507"]),
        (".timeindex", damages.add(1, relative_offset=-1), ["KF0508"]),
    ],
)
def test_a_damaged_entry_among_those_in_use_stays_an_error(
    suffix: str, change: Any, rules: list[str], sound: Folder, tmp_path: Path
) -> None:
    """More entries after it describe the log than a truncation leaves, or no branch of a log has such an entry."""
    folder = damages.entries(suffix, change, damages.SEGMENTS[-1])(sound)
    assert [item.rule for item in check(write(folder, tmp_path))] == rules


@pytest.mark.parametrize(
    ("suffix", "other", "rule"), [(".index", {"position": 1}, "KF0406"), (".timeindex", {"timestamp": 1}, "KF0507")]
)
def test_of_a_long_log_not_all_entries_were_left(suffix: str, other: Any, rule: str, tmp_path: Path) -> None:
    """The index of another log: after any truncation a log of 19 MiB would have got entries again."""
    record = damages.record_bytes(offset_delta=0, value=bytes(1 << 16))
    batches = [damages.batch_of(number, record, 1, BASE_TIMESTAMP_MS + 9 * number) for number in range(304)]
    folder = damages.entries(suffix, damages.add(slice(None), **other))(damages.segment(0, batches))  # type: ignore[arg-type]
    padded = {f"{stem(0)}{name}": folder[f"{stem(0)}{name}"] + bytes(1200) for name in LEFT_RULES}
    assert [item.rule for item in check(write(folder | padded, tmp_path), records=False)] == [rule]


def test_behind_damage_it_does_not_go_on_where_a_left_entry_points(sound: Folder, tmp_path: Path) -> None:
    """The only entry that leads to a sound batch behind the damage is one of an older log, or in use."""
    log, index = f"{damages.LAST}.log", f"{damages.LAST}.index"
    *_, before, last = iter_batches(sound[log])
    broken = damages.patched(before.raw, mend=False, batch_length=-1)
    entries = entries_of(sound, ".index")
    kept = entries[entries["position"] < before.position]
    pair = kept[[-1, -1]]
    pair["position"] = last.position - 1, last.position
    folder = sound | {log: sound[log][: before.position] + broken + last.raw}
    end = last.next_offset - damages.SEGMENTS[-1]
    for offsets, goes_on in (((0, 1), False), ((end - 2, end - 1), True)):
        pair["relative_offset"] = offsets
        data = kept.tobytes() + pair.tobytes() + bytes(40)
        (found, *_) = findings(folder | {index: data}, tmp_path / f"{goes_on}")
        assert found.rule == "KF0101" and (str(last.position) in found.message) is goes_on


# Files by themselves


def test_a_file_is_judged_with_its_segment_and_alone_in_the_findings(sound: Folder, tmp_path: Path) -> None:
    folder = damages.entries(".index", damages.add(1, position=1))(damages.header(2, mend=False, crc=1)(sound))
    write(folder, tmp_path)
    by_file = {
        suffix: [item.rule for item in check(tmp_path / f"{stem(0)}{suffix}")]
        for suffix in (".log", ".index", ".timeindex")
    }
    assert by_file == {".log": ["KF0201"], ".index": ["KF0406"], ".timeindex": []}


def test_a_file_may_have_any_name(sound: Folder, tmp_path: Path) -> None:
    (tmp_path / "copy.log").write_bytes(sound[f"{stem(34)}.log"])
    assert [item.rule for item in check(tmp_path / "copy.log")] == ["KF0005", "KF0006"]
    (tmp_path / "copy.log").write_bytes(sound[f"{stem(34)}.log"] + b"abc")
    assert [item.rule for item in check(tmp_path / "copy.log")] == ["KF0103", "KF0005", "KF0006"]


def test_several_paths(sound: Folder, tmp_path: Path) -> None:
    first, second = write(sound, tmp_path / "a-0"), write(damages.header(2, mend=False, crc=1)(sound), tmp_path / "a-1")
    assert [Path(item.file).parent.name for item in check([first, str(second)])] == ["a-1"]


def test_links_to_folders_are_followed_but_not_in_circles(sound: Folder, tmp_path: Path) -> None:
    write(damages.header(2, mend=False, crc=1)(sound), tmp_path / "disk" / "a-0")
    (tmp_path / "root").mkdir()
    os.symlink(tmp_path / "disk" / "a-0", tmp_path / "root" / "a-0")
    os.symlink(tmp_path / "root", tmp_path / "root" / "itself")
    itself = str(tmp_path / "root" / "itself")
    assert [(item.rule, item.file == itself) for item in check(tmp_path / "root")] == [
        ("KF0201", False),
        ("KF0001", True),
    ]


@pytest.mark.long
def test_links_that_lead_together_in_many_ways_end(sound: Folder, tmp_path: Path) -> None:
    """Of 35 folders each has two links to the next one: there are billions of ways to the last."""
    last = write(damages.header(2, mend=False, crc=1)(sound), tmp_path / "34" / "a-0")
    for number in range(34):
        (tmp_path / f"{number}").mkdir()
        for name in ("x", "y"):
            os.symlink(tmp_path / f"{number + 1}", tmp_path / f"{number}" / name)
    found = [item for item in check(tmp_path / "0") if item.rule == "KF0201"]
    assert 0 < len(found) <= 16 and {Path(item.file).resolve().parent for item in found} == {last}
    assert 0 < len(partition_paths(tmp_path / "0")) <= 16
    assert not list(kformat.diff(tmp_path / "0", tmp_path / "0"))


def test_partitions_that_wait_to_be_deleted_are_not_judged(sound: Folder, tmp_path: Path) -> None:
    write(damages.header(2, mend=False, crc=1)(sound), tmp_path / "a-0.0123456789abcdef0123456789abcdef-delete")
    assert [item.rule for item in check(tmp_path)] == ["KF0010"]


# Misuse


def test_misuse_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="per-batch"):
        check(tmp_path, profile="newest")
    with pytest.raises(UsageError, match="KF9999"):
        check(tmp_path, ignore=["KF9999"])
    with pytest.raises(UsageError, match="must be 0 or more"):
        check(tmp_path, index_interval_bytes=-1)
    with pytest.raises(FileNotFoundError):
        check([tmp_path, tmp_path / "missing"])


# Nothing makes it die


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"{stem(0)}.log")
    assert [item.message for item in check(tmp_path)] == ["not judged: not a regular file"]
    assert [item.rule for item in check(tmp_path / f"{stem(0)}.log")] == ["KF0001"]


def test_links_to_nowhere_are_not_judged(tmp_path: Path) -> None:
    (tmp_path / f"{stem(0)}.log").symlink_to(tmp_path / "nowhere")
    (tmp_path / f"{stem(7)}.index").symlink_to(tmp_path / "nowhere")
    (tmp_path / "notes").symlink_to(tmp_path / "nowhere")
    assert {item.message for item in check(tmp_path)} == {"not judged: a link to nowhere"}
    assert len(list(check(tmp_path))) == 3


@pytest.mark.parametrize("suffix", [".index", ".timeindex"])
def test_an_index_of_noise_costs_little(suffix: str, sound: Folder, tmp_path: Path) -> None:
    """Neither a finding for each slot, nor memory for slots that no batch of the log can be meant by."""
    noise = np.random.default_rng(5).integers(0, 2**31, 1 << 18, np.int32).astype(">i4").tobytes()
    path = write(sound | {f"{stem(0)}{suffix}": noise}, tmp_path) / f"{stem(0)}{suffix}"
    found = [str(item) for item in check(path)]
    assert 0 < len(found) < 4000 and "more after it" in "".join(found)
    with open(path, "r+b") as file:
        file.seek(2**31 - 13)
        file.write(noise[:9])
    tracemalloc.start()
    try:
        assert 0 < len(list(check(path))) < 4000
        assert tracemalloc.get_traced_memory()[1] < 32 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("size", [0, 5, 200])
def test_a_log_that_is_cut_while_its_time_index_is_judged(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Profiles up to 3.7 ask for records once more, when the log has been walked over; it may be shorter by then."""
    log = write(damages.sound_folder(profile="last-offset"), tmp_path) / f"{stem(0)}.log"
    ask = TimeIndexCheck.explained

    def cut_before(self: TimeIndexCheck, log_is_whole: bool) -> Explained:
        os.truncate(log, size)
        return ask(self, log_is_whole)

    monkeypatch.setattr(TimeIndexCheck, "explained", cut_before)
    for item in check(log.with_suffix(".timeindex")):
        assert item.rule in RULES


@pytest.mark.parametrize("number", range(len(damages.TIMES)))
def test_every_flipped_bit_of_a_batch_is_found(number: int, sound: Folder, tmp_path: Path) -> None:
    """All that framing and checksum cover; above them an offset and an epoch must be possible where they stand."""
    name = f"{stem(0)}.log"
    batch = list(iter_batches(sound[name]))[number]
    known = layout("record_batch")
    first, last = known.position("batch_length"), known.end("batch_length")
    positions = [*range(first, last), *range(known.position("magic"), batch.size)]
    write(sound, tmp_path)
    path = tmp_path / name
    for position in positions[:: 1 if number == 2 else 29]:
        for mask in (1, 0x80):
            broken = bytearray(sound[name])
            broken[batch.position + position] ^= mask
            path.write_bytes(broken)
            found = list(check(path))
            assert any(batch.position <= (item.position or 0) < batch.position + batch.size for item in found), position


@pytest.mark.parametrize("suffix", [".index", ".timeindex"])
def test_every_flipped_bit_of_an_index_is_found(suffix: str, sound: Folder, tmp_path: Path) -> None:
    """Under a given profile; an inferred one takes some for another writer's entries, which lookups can live with."""
    path = write(sound, tmp_path) / f"{stem(0)}{suffix}"
    data = sound[path.name]
    for position in range(len(data)):
        for mask in (1, 4, 0x80):
            path.write_bytes(data[:position] + bytes([data[position] ^ mask]) + data[position + 1 :])
            assert list(check(path, profile="per-batch", records=False)), position


def test_every_truncation_is_found(sound: Folder, tmp_path: Path) -> None:
    name = f"{damages.LAST}.log"
    write(sound, tmp_path)
    log = sound[name]
    ends = {0} | {batch.position + batch.size for batch in iter_batches(log)}
    for size in range(0, len(log), 7):
        (tmp_path / name).write_bytes(log[:size])
        rules = {item.rule for item in check(tmp_path / name)}
        tail = log[max(end for end in ends if end <= size) : size]
        if not tail:
            assert rules == set()
        elif not any(tail):
            assert rules == {"KF0104"}  # the first bytes of an offset
        else:
            assert rules == {"KF0103" if len(tail) < PEEK_BYTES else "KF0102"}, size


FOLDERS = (
    damages.sound_folder(),
    damages.compacted_folder(),
    damages_legacy.sample_folder("0.10.2.2", "producer-gzip-0"),
    damages_legacy.sample_folder("0.8.2.2", "producer-snappy-0"),
    damages_legacy.sample_folder("4.3.1", "transactions-0"),
    damages_legacy.sample_folder("4.3.1", "__cluster_metadata-0"),
)


@settings(max_examples=at_most(60), deadline=None)
@given(data=st.data())
def test_any_bytes_give_findings_or_nothing(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = data.draw(st.sampled_from(FOLDERS))
    name = data.draw(st.sampled_from(sorted(folder)))
    changed = bytearray(folder[name])
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(0, len(changed)))
        end = min(len(changed), start + data.draw(st.sampled_from((0, 1, 2, 8, 60))))
        changed[start:end] = data.draw(st.binary(max_size=40) | st.sampled_from((b"\xff" * 8, bytes(8), b"\x7f" * 4)))
    # Where it is a log, the checksums are made right again, so that what stands behind them is reached.
    broken = bytes(changed)
    if name.endswith(".log") and data.draw(st.booleans()):
        broken = damages.mended(broken)
    for item in check(write(folder | {name: broken}, tmp_path_factory.mktemp("any"))):
        assert item.rule in RULES and str(item)


EXTREMES = st.sampled_from((-(2**63), -(2**31), -1, 0, 1, 2**31 - 1, 2**31, 2**63 - 1))


@settings(max_examples=at_most(60), deadline=None)
@given(data=st.data())
@pytest.mark.filterwarnings("error")
def test_extreme_values_give_findings_or_nothing(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Header fields and index entries at the ends of their ranges, in segments there, too; the checksums are right."""
    base_offset = data.draw(st.sampled_from((0, 2**31, 2**63 - 1)))
    batches = [damages.data_batch(number * 3, BASE_TIMESTAMP_MS + number) for number in range(4)]
    for _ in range(data.draw(st.integers(1, 4))):
        number, name = data.draw(st.integers(0, 3)), data.draw(st.sampled_from(damages.HEADER.names or ()))
        if name not in ("batch_length", "crc", "magic"):
            kind = np.dtype(damages.HEADER[name])
            value = data.draw(EXTREMES) & (2 ** (8 * kind.itemsize) - 1)
            fields = {name: int(np.array(value, dtype=f"u{kind.itemsize}").view(kind.newbyteorder("=")))}
            batches[number] = damages.patched(batches[number], mend=True, **fields)
    folder = {f"{stem(base_offset)}.log": b"".join(batches)}
    for suffix, type in ((".index", "offset_index::entry"), (".timeindex", "time_index::entry")):
        slots = np.zeros(4, layout(type).dtype)
        for name in slots.dtype.names or ():
            bits = 8 * slots.dtype[name].itemsize
            slots[name] = [max(-(2 ** (bits - 1)), min(data.draw(EXTREMES), 2 ** (bits - 1) - 1)) for _ in slots]
        folder[f"{stem(base_offset)}{suffix}"] = slots.tobytes()
    for item in check(write(folder, tmp_path_factory.mktemp("extreme"))):
        assert str(item)


def test_a_name_beyond_int64_is_no_offset(tmp_path: Path) -> None:
    names = {f"{'9' * 20}.log": b"", f"{2**63:020d}.index": b""}
    assert [item.rule for item in check(write(names, tmp_path))] == ["KF0003", "KF0003"]


def test_a_log_that_is_no_segment_is_an_error_in_a_partitions_folder_only(tmp_path: Path) -> None:
    """Kafka looks for segments there; a root, or a folder around roots, may hold the broker's own log."""
    for folder, rule in (("node/data", "KF0001"), ("node/data/topic-0", "KF0003"), ("node/data/old", "KF0001")):
        path = tmp_path / folder
        path.mkdir(parents=True)
        assert [item.rule for item in check(write({"server.log": b"[2026-11-21] INFO starting\n"}, path))] == [rule]
    assert [item.rule for item in check(tmp_path)] == ["KF0001", "KF0001", "KF0003"]
    assert [item.rule for item in check(write({f"{stem(0)}.log": b""}, tmp_path / "node/data/old"))] == ["KF0003"]


def test_the_table_has_every_rule() -> None:
    text = rules_page.page()
    for id, item in RULES.items():
        assert f"| [{id}](#{id.lower()}) | {item.severity} | {item.says} |" in text
        assert f"### {id}\n\n*{explanations()[id].title}*\n" in text and explanations()[id].mend in text
        assert item.says and item.source and item.kafka
