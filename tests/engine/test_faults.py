"""The disks of `faults` do what they say, and the ledger misses nothing: what finds nothing must be able to."""

from __future__ import annotations

import errno
import re
from pathlib import Path
from random import Random

import pytest

from kformat_engine.storage import Storage
from tests.engine.faults import (
    PAGE_BYTES,
    Death,
    Fault,
    FaultyStorage,
    ForgetfulStorage,
    Picture,
    picture,
    put_back,
    torn_between,
)
from tests.engine.ledger import Event, Ledger, value

STATES = 200


def script(storage: Storage, root: Path) -> None:
    """Every operation there is, each followed by what a log would do next."""
    folder = root / "orders-0"
    storage.make_directory(folder)
    file = storage.open(folder / "0.log", create=True)
    file.write_at(b"a" * 100, 0)
    file.sync()
    file.write_at(b"b" * 6000, 100)
    file.truncate(3000)
    storage.sync_directory(folder)
    storage.rename(folder / "0.log", folder / "0.log.deleted")
    storage.write_atomically(root / "checkpoint", b"0\n")
    storage.set_modified_ms(folder / "0.log.deleted", 1_700_000_000_000)
    file.close()
    storage.unlink(folder / "0.log.deleted")


OPERATIONS = (
    "make_directory sync_directory create write sync write truncate sync_directory rename "
    "unlink create write sync rename sync_directory set_modified unlink"
).split()


def states(storage: ForgetfulStorage) -> list[Picture]:
    return [storage.crash(Random(seed)) for seed in range(STATES)]


def test_every_step_is_in_the_trace(tmp_path: Path) -> None:
    storage = FaultyStorage()
    script(storage, tmp_path)
    assert [step.operation for step in storage.trace] == OPERATIONS
    assert str(storage.trace[3]) == "step 4 write 0.log"
    assert not storage.failed and not storage.open_files()


@pytest.mark.parametrize("number", range(1, len(OPERATIONS) + 1))
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, None])
def test_it_fails_at_the_step_and_not_before(tmp_path: Path, number: int, error: int | None) -> None:
    storage = FaultyStorage(Fault(number, error))
    with pytest.raises(Death if error is None else OSError) as raised:
        script(storage, tmp_path)
    if isinstance(raised.value, OSError):
        assert raised.value.errno == error
    assert storage.failed[0] == storage.trace[number - 1]
    assert storage.failed[0].operation == OPERATIONS[number - 1]
    storage.close_all()
    assert not storage.open_files()


def test_an_error_passes_or_stays_and_a_death_always_stays(tmp_path: Path) -> None:
    for fault, stays in ((Fault(1), False), (Fault(1, stays=True), True), (Fault(1, None), True)):
        storage = FaultyStorage(fault)
        for _ in range(3):
            try:
                storage.unlink(tmp_path / "nothing")
            except (OSError, Death):
                pass
        assert len(storage.failed) == (3 if stays else 1), fault


@pytest.mark.parametrize("error", [errno.ENOSPC, None])
def test_a_torn_write_leaves_its_first_half(tmp_path: Path, error: int | None) -> None:
    for storage in (
        FaultyStorage(Fault(3, error, torn=True)),
        ForgetfulStorage(tmp_path, Fault(3, error, torn=True)),
    ):
        file = storage.open(tmp_path / "torn", create=True)
        file.write_at(b"whole", 0)
        with pytest.raises((OSError, Death)):
            file.write_at(b"12345678", 5)
        file.close()
        assert (tmp_path / "torn").read_bytes() == b"whole1234"
        if isinstance(storage, ForgetfulStorage):
            assert storage.seen() == picture(tmp_path)
        (tmp_path / "torn").unlink()


def test_a_forgetful_disk_shows_the_program_what_it_wrote(tmp_path: Path) -> None:
    storage = ForgetfulStorage(tmp_path)

    def compare(step: object) -> None:
        if storage.trace[-2:-1] and storage.trace[-2].operation != "make_directory":
            assert storage.seen() == picture(tmp_path), step

    storage.before_step = compare
    script(storage, tmp_path)
    assert storage.seen() == picture(tmp_path)


def test_what_lies_there_counts_as_synced(tmp_path: Path) -> None:
    script(Storage(), tmp_path)
    (tmp_path / "orders-0" / "x").write_bytes(b"x" * 10_000)
    assert all(state == picture(tmp_path) for state in states(ForgetfulStorage(tmp_path)))


def test_what_was_synced_stays_and_of_the_rest_every_mixture_is_left(tmp_path: Path) -> None:
    storage = ForgetfulStorage(tmp_path)
    file = storage.open(tmp_path / "0.log", create=True)
    file.write_at(b"a" * 5000, 0)
    file.sync()
    storage.sync_directory(tmp_path)
    file.write_at(b"b" * 8000, 5000)
    left = [state["0.log"] or b"" for state in states(storage)]
    file.close()
    assert all(data[:5000] == b"a" * 5000 for data in left)
    tails = {bytes(data[5000:]) for data in left}
    assert b"" in tails and b"b" * 8000 in tails
    assert bytes(8000) in tails, "the length without the bytes"
    assert any(tail.startswith(b"\0") and b"b" in tail for tail in tails), "a later page without an earlier one"
    assert any(tail == b"b" * len(tail) and 0 < len(tail) < 8000 for tail in tails), "shorter"
    assert any(b"b\0" in tail[: PAGE_BYTES - 5000 % PAGE_BYTES - 1] for tail in tails), "part of a page"
    assert not any(set(tail) - set(b"b\0") for tail in tails), "nothing that was never written"


def test_a_cut_may_be_undone_until_it_is_synced(tmp_path: Path) -> None:
    storage = ForgetfulStorage(tmp_path)
    file = storage.open(tmp_path / "0.log", create=True)
    file.write_at(b"a" * 5000, 0)
    file.sync()
    storage.sync_directory(tmp_path)
    file.truncate(1000)
    file.write_at(b"b" * 500, 1000)
    left = {state["0.log"] for state in states(storage)}
    assert {b"a" * 5000, b"a" * 1000 + b"b" * 500, b"a" * 1000} <= left
    file.sync()
    assert {state["0.log"] for state in states(storage)} == {b"a" * 1000 + b"b" * 500}
    file.close()


@pytest.mark.parametrize("name", ["0.index", "0.timeindex", "0.index.deleted"])
def test_changed_pages_of_an_index_may_hold_anything(tmp_path: Path, name: str) -> None:
    storage = ForgetfulStorage(tmp_path)
    file = storage.open(tmp_path / name, create=True)
    file.write_at(b"a" * 2 * PAGE_BYTES, 0)
    file.sync()
    storage.sync_directory(tmp_path)
    file.write_at(b"b" * 8, PAGE_BYTES)
    file.close()
    left = [state[name] or b"" for state in states(storage)]
    assert all(data[:PAGE_BYTES] == b"a" * PAGE_BYTES for data in left)
    pages = {bytes(data[PAGE_BYTES:]) for data in left}
    old, new = b"a" * PAGE_BYTES, (b"b" * 8).ljust(PAGE_BYTES, b"a")
    assert {old, new, bytes(PAGE_BYTES)} <= pages
    assert any(page not in (old, new, bytes(PAGE_BYTES)) for page in pages)


def test_names_are_left_as_they_were_at_some_moment_since_the_sync(tmp_path: Path) -> None:
    storage = ForgetfulStorage(tmp_path)
    for name in ("a", "b"):
        file = storage.open(tmp_path / name, create=True)
        file.write_at(name.encode(), 0)
        file.sync()
        file.close()
    assert {tuple(sorted(state)) for state in states(storage)} == {(), ("a",), ("a", "b")}
    storage.sync_directory(tmp_path)
    storage.rename(tmp_path / "a", tmp_path / "c")
    storage.rename(tmp_path / "c", tmp_path / "b")
    assert {tuple(sorted(state.items())) for state in states(storage)} == {
        (("a", b"a"), ("b", b"b")),
        (("b", b"b"), ("c", b"a")),
        (("b", b"a"),),
    }
    storage.unlink(tmp_path / "b")
    assert {} in states(storage) and {"a": b"a", "b": b"b"} in states(storage)
    storage.sync_directory(tmp_path)
    assert all(state == {} for state in states(storage))


def test_a_failed_sync_makes_nothing_certain(tmp_path: Path) -> None:
    storage = ForgetfulStorage(tmp_path, Fault(3))
    file = storage.open(tmp_path / "0.log", create=True)
    file.write_at(b"a", 0)
    with pytest.raises(OSError):
        file.sync()
    storage.sync_directory(tmp_path)
    assert {state["0.log"] for state in states(storage)} >= {b"", b"a"}
    file.close()


def test_an_atomic_write_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    Storage().write_atomically(tmp_path / "checkpoint", b"old")
    left: list[bytes | None] = []
    storage = ForgetfulStorage(tmp_path)
    storage.before_step = lambda step: left.extend(state["checkpoint"] for state in states(storage)[:20])
    storage.write_atomically(tmp_path / "checkpoint", b"new")
    assert set(left) == {b"old", b"new"}
    assert all(state == {"checkpoint": b"new"} for state in states(storage))


def test_a_picture_put_back_is_the_same(tmp_path: Path) -> None:
    script(Storage(), tmp_path / "a")
    (tmp_path / "a" / "orders-0" / "x").write_bytes(b"x")
    put_back(picture(tmp_path / "a"), tmp_path / "b")
    assert picture(tmp_path / "a") == picture(tmp_path / "b")
    assert list(picture(tmp_path / "b")) == ["checkpoint", "orders-0", "orders-0/x"]


def test_a_write_stopped_half_way() -> None:
    assert torn_between(b"ab", b"abcdef") == b"abcd"
    assert torn_between(b"a00000f", b"a11110f") == b"a11000f"
    assert torn_between(b"same", b"same") == b"same"


# The ledger


def ledger_of(*events: Event) -> Ledger:
    ledger = Ledger()
    for event in events:
        ledger.take(event)
    return ledger


# Three records, of which two are certain; then what was under way.
THREE: tuple[Event, ...] = (("append", 0, 2), ("done", 0, 2, 2), ("append", 2, 1), ("done", 0, 3, 2))
MORE: tuple[Event, ...] = (("append", 3, 1), ("done", 0, 4, 2))
APPENDING: tuple[Event, ...] = (*THREE, ("append", 3, 2))
CUT: tuple[Event, ...] = (*THREE, ("truncate", 1), ("done", 0, 1, 1), ("append", 3, 1), ("done", 0, 2, 1))
DELETED: tuple[Event, ...] = (*THREE, ("delete", 1), ("done", 1, 3, 2))


@pytest.mark.parametrize(
    ("events", "start", "numbers", "killed", "lost_power"),
    [
        pytest.param(THREE, 0, [0, 1, 2], "", "", id="all"),
        pytest.param(THREE, 0, [0, 1], "up to 3, and the log ends at 2", "", id="one less"),
        pytest.param(THREE, 0, [0], "ends at 1", "up to 2, and the log ends at 1", id="a certain one less"),
        pytest.param(THREE, 1, [1, 2], "now at 1", "now at 1", id="the first one less"),
        pytest.param(
            THREE, 0, [0, None, 2], "offset 2 where 1 was due", "offset 2 where 1 was due", id="a certain hole"
        ),
        pytest.param((*THREE, *MORE), 0, [0, 1, None, 3], "offset 3 where 2 was due", "", id="an uncertain hole"),
        pytest.param(THREE, 0, [0, 0, 2], "number 0 is there twice", "number 0 is there twice", id="twice"),
        pytest.param(THREE, 0, [1, 0, 2], "0 holds 1, not 0", "0 holds 1, not 0", id="changed places"),
        pytest.param(THREE, 0, [0, 1, 2, 3], "from 3 on", "from 3 on", id="never appended"),
        pytest.param(THREE, 0, [0, 1, 7], "2 holds 7", "2 holds 7, none of [2]", id="another"),
        pytest.param(APPENDING, 0, [0, 1, 2], "", "", id="nothing of the append under way"),
        pytest.param(APPENDING, 0, [0, 1, 2, 3], "", "", id="part of the append under way"),
        pytest.param(APPENDING, 0, [0, 1, 2, 3, 4], "", "", id="all of the append under way"),
        pytest.param(
            APPENDING, 0, [0, 1, 2, 4], "3 holds 4", "3 holds 4", id="the second of the append without the first"
        ),
        pytest.param(
            APPENDING, 0, [0, 1, 3], "2 holds 3", "2 holds 3", id="the append under way in the place of another"
        ),
        pytest.param(CUT, 0, [0, 3], "", "", id="cut and appended"),
        pytest.param(CUT, 0, [0, 1, 2], "from 2 on", "", id="the cut undone"),
        pytest.param((*THREE, ("truncate", 1)), 0, [0], "", "", id="a cut under way, done"),
        pytest.param((*THREE, ("truncate", 1)), 0, [0, 1, 2], "", "", id="a cut under way, not done"),
        pytest.param((*THREE, ("truncate", 1)), 0, [], "ends at 0", "ends at 0", id="cut too far"),
        pytest.param(DELETED, 1, [1, 2], "", "", id="deleted"),
        pytest.param(DELETED, 0, [0, 1, 2], "does at 0", "", id="deleted ones again"),
        pytest.param((*THREE, ("delete", 1)), 1, [1, 2], "", "", id="a delete under way"),
        pytest.param((*THREE, ("delete", 1)), 2, [2], "now at 2", "now at 2", id="more deleted than asked"),
        pytest.param((*THREE, ("retain",)), 2, [2], "", "", id="retention under way"),
    ],
)
def test_the_ledger_takes_what_was_promised_and_nothing_else(
    events: tuple[Event, ...], start: int, numbers: list[int | None], killed: str, lost_power: str
) -> None:
    found = [(start + index, value(number, 20)) for index, number in enumerate(numbers) if number is not None]
    for complaint, power in ((killed, False), (lost_power, True)):
        ledger = ledger_of(*events)
        if complaint:
            with pytest.raises(AssertionError, match=re.escape(complaint)):
                ledger.judge(start, start + len(numbers), found, lost_power=power)
        else:
            ledger.judge(start, start + len(numbers), found, lost_power=power)
            assert (
                list(ledger.records.values()) == [number for number in numbers if number is not None]
                and ledger.pending is None
            )


def test_the_ledger_reads_the_values_and_counts_the_offsets() -> None:
    good = [(0, value(0, 20)), (1, value(1, 20)), (2, value(2, 20))]
    for found, complaint in (
        ([*good[:2], (3, value(2, 20))], "offset 3 where 2 was due"),
        ([*good[:2], (2, value(2, 20)[:-1] + b"?")], "value of number 2 has changed"),
        ([*good[:2], (2, None)], "without its value"),
        ([*good[:2], (2, b"foreign")], "no value of ours"),
        (good[:2], "offset 3 where 2 was due"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            ledger_of(*THREE).judge(0, 3, found, lost_power=False)
