"""Benchmarks measure work that is done: in every round, and not only before the first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench import compare, engine, krabka_log, stores
from bench.__main__ import chosen


def lazy_after(count: int) -> Callable[[], int]:
    """Work that is done so many times, and then no more."""
    done = 0

    def work() -> int:
        nonlocal done
        done += 1
        return 7 if done <= count else 0

    return work


@pytest.mark.long
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_round_without_work_is_no_round(count: int) -> None:
    ways = {"ours": lambda: 7, "theirs": lazy_after(count)}
    case = compare.Case("work", "pieces", 1, 1, ways, before=lambda: None)
    with pytest.raises(AssertionError, match="theirs and ours do not agree"):
        compare.run(case, 2)
    assert compare.run(compare.Case("work", "pieces", 1, 1, {"ours": lazy_after(4)}, before=lambda: None), 2).seconds


@pytest.mark.long
def test_every_round_of_the_engines_benchmark_does_its_work(tmp_path: Path) -> None:
    """The cases that leave something behind, and compaction above all: the root says up to where that went."""
    work = engine.Bench(tmp_path, engine.Sizes(1 << 20, 1000, 10, 10, 20_000, 1 << 18), None)
    compacted = list[int]()
    for case in work.cases():
        if case.name in ("compact a log", "rebuild the indexes", "append to a segment"):
            compare.run(case, 2)
        if case.name == "compact a log":
            for _ in range(2):
                work.lay_keyed()
                compacted.append(sum(path.stat().st_size for path in work.compact().glob("*.log")))
    work.log.close()
    assert len(set(compacted)) == 1
    assert compacted[0] < sum(path.stat().st_size for path in work.keyed.glob("*.log")) / 2


def test_a_group_stands_for_its_suites_each_once() -> None:
    assert chosen(["stores", "application"], []) == ["stores", "engine", "transactions", "waiting"]
    assert chosen(["application", "rows"], ["application"]) == ["rows"]


@pytest.mark.long
def test_all_stores_give_the_same_and_the_work_alone_is_timed(tmp_path: Path) -> None:
    """A round of appends in each way that is here; making the records is not part of the time."""
    watch = stores.Stopwatch()
    appends = stores.Appends(tmp_path / "work", watch, None, at_once=7, count=3, is_synced=True)
    before = watch.clock()
    appends.clear()
    assert watch.clock() == before
    result = compare.run(appends.case("append", 3, 7, appends.clear), 1)
    assert {"kformat", "a plain file", "SQLite"} <= result.seconds.keys()
    assert all(seconds > 0 for (seconds,) in result.seconds.values())
    assert appends.by_file() == 21


def test_where_there_is_no_cargo_the_reason_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KFORMAT_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(krabka_log.MissingError, match="there is no cargo"):
        krabka_log.program()
    with pytest.raises(krabka_log.MissingError, match="a single round does not build it"):
        krabka_log.program(may_build=False)


def test_the_crate_is_edited_where_stable_rust_refuses_it_and_only_as_it_is_known(tmp_path: Path) -> None:
    refused = {
        "src/segment.rs": "#[krabka_macros::sendfile_cfg]\nmod read_raw_desc;\n",
        "src/log/state.rs": "x.map_or_default(f)",
    }
    for name, text in refused.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    krabka_log.edit(tmp_path)
    assert (tmp_path / "src/segment.rs").read_text(encoding="utf-8") == "mod read_raw_desc;\n"
    assert (tmp_path / "src/log/state.rs").read_text(encoding="utf-8") == "x.map_or_else(Default::default, f)"
    with pytest.raises(krabka_log.MissingError, match=r"0 lines of src/segment\.rs"):
        krabka_log.edit(tmp_path)
