"""The disks of `faults` do what they say: a harness that loses nothing would prove nothing."""

from __future__ import annotations

import errno
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
