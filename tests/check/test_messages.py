"""Check, of magic 0 and 1: what is sound beside the samples, and what becomes of a log behind a damaged message."""

from __future__ import annotations

from pathlib import Path

import pytest

from kformat.check.checker import check
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.legacy import LegacyBatch
from tests import damages
from tests.damages import BASE_TIMESTAMP_MS, Folder, data_batch, stem, write
from tests.damages_legacy import in_use, inner, patched, plain, sample_folder, sound_log, three, wrapper


def rules(folder: Folder, path: Path, **options: object) -> list[str]:
    return [found.rule for found in check(write(folder, path), **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("records", [True, False], ids=["records", "headers"])
def test_plain_messages_and_wrappers_with_and_without_gaps_are_sound(magic: int, records: bool, tmp_path: Path) -> None:
    assert rules(in_use(*sound_log(magic)), tmp_path, records=records) == []


def test_a_log_that_was_written_to_through_upgrades_is_sound(tmp_path: Path) -> None:
    """Magic 0, 1 and 2 behind each other, as `message.format.version` rose."""
    newer = [damages.patched(data_batch(offset, BASE_TIMESTAMP_MS + offset), mend=True) for offset in (30, 33)]
    folder = in_use(*sound_log(0), *[plain(22, 1), wrapper(26, *three(1, 0))], *newer)
    assert rules(folder, tmp_path) == []


def test_the_broker_knows_times_that_magic_0_does_not_say() -> None:
    """0.10.2 fills the time index from what the producer sent, and stores messages without their times."""
    folder = sample_folder("0.10.2.2", "old-format-0")
    assert len(folder[f"{stem(0)}.timeindex"]) > 24
    (batch, *_) = iter_batches(folder[f"{stem(0)}.log"])
    assert isinstance(batch, LegacyBatch) and batch.max_timestamp == -1


def test_a_damaged_message_hides_no_other(tmp_path: Path) -> None:
    entries = [plain(offset) for offset in range(6)]
    entries[1] = patched(entries[1], mend=False, crc=1)
    entries[2] = patched(entries[2], mend=False, crc=2)
    entries[4] = plain(3)
    assert rules(in_use(*entries), tmp_path) == ["KF0201", "KF0201", "KF0208"]


def test_behind_a_size_that_leads_astray_it_goes_on_at_the_offset_index(tmp_path: Path) -> None:
    """Older brokers' logs have indexes, too."""
    folder = sample_folder("0.8.2.2", "plain-0")
    name = f"{stem(0)}.log"
    batches = list(iter_batches(folder[name]))
    third = batches[3]
    damaged = patched(third.raw, mend=False, message_size=third.size + 40)
    log = b"".join([*(batch.raw for batch in batches[:3]), damaged, *(batch.raw for batch in batches[4:])])
    last = batches[-1]
    log = log[: last.position] + patched(last.raw, mend=False, crc=7)
    found = list(check(write(folder | {name: log}, tmp_path)))
    assert found[0].rule in ("KF0107", "KF0201") and found[0].position is not None
    assert third.position <= found[0].position < third.position + third.size
    assert found[-1].rule == "KF0201" and (found[-1].position or 0) > last.position


def test_zeros_behind_messages_are_a_tail_of_zeros(tmp_path: Path) -> None:
    assert rules(in_use(plain(0), plain(1), bytes(500)), tmp_path) == ["KF0104"]


def test_in_a_wrapper_the_first_message_that_breaks_a_rule_stands_for_all(tmp_path: Path) -> None:
    """A few kilobytes may inflate to millions of messages."""
    messages = [patched(inner(5), mend=False, crc=1) for _ in range(300)]
    found = list(check(write(in_use(wrapper(5, *messages)), tmp_path)))
    assert [(item.rule, item.path.partition("[")[2]) for item in found] == [
        ("KF0319", "0].message.crc"),
        ("KF0322", "0].offset"),
        ("KF0320", "1].offset"),
    ]
    assert [item.message.rpartition(", and ")[2] for item in found if "more" in item.message] == [
        "299 more like it",
        "298 more like it",
    ]


def test_without_records_wrappers_are_judged_as_far_as_their_headers_say(tmp_path: Path) -> None:
    folder = in_use(wrapper(2, *three(1, 0)), wrapper(3, inner(0), inner(0), inner(1)))
    found = list(check(write(folder, tmp_path / "with")))
    assert [item.rule for item in found] == ["KF0208", "KF0320"] and "offset 2" in found[0].message
    assert rules(folder, tmp_path / "without", records=False) == []
    folder = in_use(wrapper(3, *three(1, 0)), wrapper(3, *three(1, 0)))
    assert rules(folder, tmp_path / "shallow", records=False) == ["KF0208"]
