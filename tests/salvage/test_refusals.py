"""What `kformat salvage` refuses, and where it writes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from kformat.cli import main
from kformat.errors import UsageError
from kformat.salvage import salvage
from tests.salvage.test_saving import SAMPLE, copied, records_of


def refusals(tmp_path: Path) -> Iterator[tuple[Sequence[Path | str], Path, str]]:
    old, filled = tmp_path / "old", tmp_path / "filled"
    copied(SAMPLE, old)
    copied(SAMPLE, tmp_path / "other")
    (filled / "something").mkdir(parents=True)
    (tmp_path / "nothing").mkdir()
    yield [old], filled, "is not empty"
    yield [old, tmp_path / "other"], tmp_path / "new", "save each into a folder of its own"
    yield [old], old / "new", "not apart from the source"
    yield [old], old / SAMPLE.name / "new", "not apart from the source"
    yield [old / SAMPLE.name], tmp_path, "not apart from the source"
    yield [tmp_path / "nothing"], tmp_path / "new", "no partition in"
    yield [""], tmp_path / "new", "a path is empty"


def test_what_is_refused_changes_nothing(tmp_path: Path) -> None:
    for sources, destination, message in refusals(tmp_path):
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(UsageError, match=message):
            salvage(sources, destination)
        assert sorted(tmp_path.rglob("*")) == before, message
    with pytest.raises(UsageError, match="no content 'all'; there are proved, structural, guessed"):
        salvage(tmp_path / "old", tmp_path / "new", content="all")


def test_a_partition_alone_is_saved_next_to_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied(SAMPLE, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert salvage(SAMPLE.name, "rescued").is_whole
    (tmp_path / SAMPLE.name).rename(tmp_path / "a copy")  # no name of a partition
    assert salvage("a copy", "again").is_whole
    assert records_of(tmp_path / "again" / "a copy") == records_of(SAMPLE)


@pytest.mark.parametrize("is_dry", [True, False])
def test_what_another_run_has_begun(is_dry: bool, tmp_path: Path) -> None:
    """A first report that was not finished is no reason to refuse; a dry run refuses what a run refuses."""
    new = tmp_path / "new"
    new.mkdir()
    (new / ".kformat-salvage.json.1.part").write_bytes(b"{")
    assert salvage(SAMPLE, new, dry_run=is_dry).is_whole
    (tmp_path / "filled").mkdir()
    (tmp_path / "filled" / "something").mkdir()
    with pytest.raises(UsageError, match="is not empty"):
        salvage(SAMPLE, tmp_path / "filled", dry_run=is_dry)
    (tmp_path / "filled" / "something").rmdir()
    (tmp_path / "filled" / "kformat-salvage.json").write_text("[" * 200_000)
    with pytest.raises(UsageError, match="is not empty"):
        salvage(SAMPLE, tmp_path / "filled", dry_run=is_dry)


@pytest.mark.parametrize("kind", ["folder", "dangling link", "device"])
def test_a_log_that_is_no_file_is_lost(kind: str, tmp_path: Path) -> None:
    for name in (SAMPLE.name, "plain-0"):
        shutil.copytree(SAMPLE.parent / name, tmp_path / "old" / name)
        log = tmp_path / "old" / name / f"{0:020d}.log"
        log.unlink()
        if kind == "folder":
            log.mkdir()
        else:
            log.symlink_to("/dev/zero" if kind == "device" else "nowhere")
    (tmp_path / "old" / "meta.properties").symlink_to("/dev/zero")
    report = salvage(tmp_path / "old", tmp_path / "new")
    assert not report.is_whole and [row["missing"] for row in report.summary()] == ["0-", "0-199"]
    assert sum("is no file: what it had is lost" in remark for remark in report.remarks) == 2


def test_a_folder_with_a_name_that_no_checkpoint_can_have(tmp_path: Path) -> None:
    copied(SAMPLE, tmp_path)
    (tmp_path / SAMPLE.name).rename(tmp_path / "my backup-1")
    assert salvage(tmp_path / "my backup-1", tmp_path / "new").is_whole


def test_a_full_disk_is_told_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=30_000))
    done = CliRunner().invoke(main, ["salvage", str(SAMPLE), "-o", str(tmp_path / "new")])
    assert done.exit_code == 3 and "bytes are needed, and 30000 are free" in done.stderr
    assert not list((tmp_path / "new").iterdir())
