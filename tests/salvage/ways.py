"""All ways to save a log: into a new folder, in place and back, by the engine, and by reading on after damage."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import kformat
from kformat.salvage import Report
from kformat_engine import Log

Rows = list[tuple[Any, ...]]


def rows(folder: Path, **how: Any) -> Rows:
    """All records of a partition, without their headers."""
    found = kformat.open(folder).records(before_log_start=True, **how)
    return [(one.offset, one.timestamp, one.key, one.value) for one in found]


def errors(root: Path) -> list[str]:
    """What `check` says of the partitions in a root, but for gaps in the cluster's metadata: what is lost is lost; and
    for records of Kafka's own topics that mean nothing: a batch of another log stays, since it is whole.
    """
    ignored = ["KF0011", "KF0325", "KF0326", "KF0327", "KF0328"]
    return [str(found) for found in kformat.check(root, ignore=ignored) if found.severity == "error"]


def tree(root: Path) -> dict[str, bytes]:
    """All files but locks."""
    paths = [path for path in sorted(root.rglob("*")) if path.is_file() and path.name != ".lock"]
    return {str(path.relative_to(root)): path.read_bytes() for path in paths}


def logs_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.log"))}


def saved_all_ways(folder: Path) -> tuple[Report, Rows]:
    """The report and the rows, which are the same in all ways, once `check` finds the results sound, a dry run has said
    the same, and what was there is put back.

    ``folder`` is the only partition of its root; the results are next to the root: ``new``, ``here`` and ``recovered``.
    """
    root, name = folder.parent, folder.name
    new, here, recovered = (root.with_name(way) for way in ("new", "here", "recovered"))
    for place in (new, here, recovered):
        shutil.rmtree(place, ignore_errors=True)
    before = tree(root)
    planned = kformat.salvage(root, new, dry_run=True)
    report = kformat.salvage(root, new)
    assert tree(root) == before, "the source is only read"
    assert planned.summary() == report.summary(), "a dry run says something else"
    skipped = rows(folder, on_corrupt="skip")
    assert rows(new / name) == skipped, "reading on and salvage differ"
    unplaced = {path: path.read_bytes() for path in (new / "unplaced").glob("*/*")}
    shutil.rmtree(new / "unplaced", ignore_errors=True)
    assert errors(new) == []
    for path, data in unplaced.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    shutil.copytree(root, recovered)
    with Log.open(recovered / name, mode="salvage"):
        pass
    assert errors(recovered) == [] and rows(recovered / name) == skipped, "the engine and salvage differ"
    shutil.copytree(root, here)
    if kformat.salvage_in_place(here).partitions[0].saved is None:
        assert rows(here / name) == skipped
        return report, skipped
    assert errors(here) == [] and logs_of(here / name) == logs_of(new / name), "in place and salvage differ"
    kformat.undo_salvage(here)
    assert tree(here) == before, "what was there is not put back"
    return report, skipped


__all__ = ["Rows", "errors", "logs_of", "rows", "saved_all_ways", "tree"]
