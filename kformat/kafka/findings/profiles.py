"""Which writer profile explains the entries of a segment's indexes; `kformat.kafka.index.indexing` lists them."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from kformat.kafka.index.indexing import PROFILES

BoolArray = npt.NDArray[np.bool_]
Explained = dict[str, BoolArray]
"""Profile -> per entry, whether it can have been written under the profile."""

NEWEST_FIRST: Final = tuple(reversed(PROFILES))


def choose(indexes: list[Explained], known_profile: str | None) -> tuple[str, list[BoolArray]]:
    """The profile to judge by, and per index a mask of the entries that are right under it.

    It is ``known_profile``; or the newest that explains everything; or, if entries of an older writer are followed by
    those of a newer one, the newest (all entries are right then); or the one that explains most, the newest in case of
    a tie.
    """
    if known_profile is not None:
        return known_profile, [index[known_profile] for index in indexes]
    counts = {profile: sum(int(index[profile].sum()) for index in indexes) for profile in NEWEST_FIRST}
    best = max(NEWEST_FIRST, key=lambda profile: counts[profile])
    if counts[best] < sum(len(index[best]) for index in indexes) and all(map(_was_upgraded, indexes)):
        return NEWEST_FIRST[0], [np.ones(len(index[best]), dtype=np.bool_) for index in indexes]
    return best, [index[best] for index in indexes]


def explained_count(index: Explained, known_profile: str | None) -> int:
    """How many entries from the first on are right: under ``known_profile``, or under several from older to newer."""
    count = 0
    for profile in PROFILES if known_profile is None else (known_profile,):
        run = index[profile][count:]
        count += len(run) if run.all() else int(run.argmin())
    return count


def _was_upgraded(index: Explained) -> bool:
    """Whether some sequence of profiles, from older to newer, explains all entries in their order."""
    return explained_count(index, None) == len(index[PROFILES[0]])
