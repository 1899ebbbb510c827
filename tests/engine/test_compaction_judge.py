"""The same life of a compacted log through Kafka's own cleaner, of 3.9.2 and 4.3.1, and through the engine's: the same
answers on the way, the same checkpoint, and the same files at the end (`compaction_plays` says what is compared).
"""

from __future__ import annotations

import importlib.util
import itertools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kformat.kafka.batch.batches import iter_batches
from kformat_engine import compaction
from tests.draws import newest_by_day
from tests.engine.compaction_plays import CompactingPlay, checkpoint, contents, drawn_compacting, drawn_legacy
from tests.engine.plays import BROKEN, PARTITION, Play, Player, agree, files, judged
from tests.engine.test_identical_judge import memory as memory
from tests.judges import releases
from tests.judges.required import require

pytestmark = pytest.mark.judge


@pytest.fixture(autouse=True)
def kernels_every_other_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels compact pieces of logs, and so does what works without them."""
    if importlib.util.find_spec("numba") is not None:
        turns = itertools.cycle((True, True, False, False, False))
        monkeypatch.setattr(compaction, "_use_kernels", lambda size: next(turns))


VERSIONS = ("4.3.1", releases.OLDER)
"""4.4 keeps an emptied batch at the high watermark alone; these, and the engine, one at the end of each part that is
compacted, too."""


def differences(version: str, told: Sequence[CompactingPlay], folder: Path) -> list[tuple[Play, str]]:
    """Those that the engine does not play as Kafka does, up to the first difference, and how it shows."""
    theirs = judged(version, [one.play for one in told], folder / "theirs")
    found = []
    for number, one in enumerate(told):
        play, wanted = one.play, theirs[number]
        if BROKEN in wanted:
            continue
        ours = Player(play, folder / "ours" / str(number))
        answers = ours.play()
        different = [at for at in range(len(wanted)) if not agree(answers[at], wanted[at])]
        if different:
            at = different[0]
            found.append((play.until(at), f"ours   {answers[at]}\ntheirs {wanted[at]}"))
            continue
        root = folder / "theirs" / str(number)
        seen: Any = files if one.is_plain else contents
        mine, kafkas = seen(ours.folder), seen(root / PARTITION)
        names = [
            name for name in sorted(mine.keys() | kafkas.keys()) if (mine.get(name) or 0) != (kafkas.get(name) or 0)
        ]
        if names:
            found.append((play, f"different at the end: {', '.join(names)}"))
        elif checkpoint(ours.folder.parent) != checkpoint(root):
            found.append((play, f"checkpoint: {checkpoint(ours.folder.parent)}, {checkpoint(root)}"))
    return sorted(found, key=lambda one: len(one[0].operations))


def complain(version: str, found: list[tuple[Play, str]], is_plain: bool, folder: Path) -> None:
    """Fail, with a short play that still shows a difference, if there is one at all."""
    if not found:
        return
    count, (play, what) = len(found), found[0]
    for number in range(15):
        parts = [CompactingPlay(part, is_plain) for part in play.parts()]
        if not (shorter := differences(version, parts, folder / f"shorter-{number}")):
            break
        play, what = shorter[0]
    pytest.fail(f"{count} plays differ, for example:\n{play}\n{what}", pytrace=False)


def compare(version: str, told: Sequence[CompactingPlay], folder: Path) -> None:
    for is_plain in (True, False):
        some, where = [one for one in told if one.is_plain is is_plain], folder / str(is_plain)
        complain(version, differences(version, some, where), is_plain, where)


@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
def test_kafkas_cleaner_leaves_the_same_files(version: str, memory: Path) -> None:
    require(version)
    compare(version, drawn_compacting(24, VERSIONS.index(version)), memory)
    # Everything that the rules tell apart is in what is left.
    kinds: Counter[str] = Counter()
    for path in (memory / "True" / "theirs").rglob("*.log"):
        for one in iter_batches(path):
            kinds["empty"] += not one.records_count
            kinds["horizon"] += one.delete_horizon_ms is not None
            kinds["marker with a horizon"] += one.is_control and one.delete_horizon_ms is not None
            kinds["with gaps"] += 0 < one.records_count <= one.last_offset_delta
    assert min(kinds[kind] for kind in ("empty", "horizon", "marker with a horizon", "with gaps")) >= 3, kinds


def test_kafkas_cleaner_leaves_the_same_of_old_formats(memory: Path) -> None:
    """That of 3.9.2: 4.3.1 makes magic 2 of what it compacts."""
    require(releases.OLDER)
    compare(releases.OLDER, drawn_legacy(12, 0), memory)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
def test_kafkas_cleaner_leaves_the_same_files_more_often(version: str, seed: int, memory: Path) -> None:
    require(version)
    compare(version, drawn_compacting(50, seed), memory / "new")
    if version == releases.OLDER:
        compare(version, drawn_legacy(40, seed), memory / "old")
