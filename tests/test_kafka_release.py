"""The table of releases, and the program that says what a release of Kafka changed."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from tests.judges import jars, java_tools, releases
from tests.judges.required import require
from tests.samples import ROOT as SAMPLES
from tools import kafka_release

HERE = Path(__file__).resolve().parents[1]


def test_the_table_is_in_order_and_has_what_lies_in_the_tree() -> None:
    versions = [one.version for one in releases.RELEASES]
    assert versions == sorted(versions, key=releases.version_tuple, reverse=True) and len({*versions}) == len(versions)
    recorded = {path.name for path in SAMPLES.iterdir() if re.fullmatch(r"[\d.]+", path.name)}
    assert recorded == {*releases.SAMPLES}
    for folder, named in (
        ("replicas", releases.REPLICATED),
        ("tiered", releases.TIERED),
        ("internal", releases.INTERNAL),
    ):
        assert {path.name for path in (SAMPLES / folder).iterdir()} == {*named}
    assert {*releases.LIVE} <= {*releases.JUDGES} and (releases.NEWEST, releases.OLDEST) == (versions[0], versions[-1])
    assert [releases.before(one) for one in versions[:-1]] == versions[1:]
    with pytest.raises(ValueError, match=r"older than 0\.8\.2\.2"):
        releases.before(versions[-1])


def test_marks_and_sources_are_those_of_the_table() -> None:
    texts = {path.name: path.read_text("utf-8") for path in java_tools.JAVA_SOURCES.iterdir()}
    assert texts.keys() == releases.SOURCES.keys()
    marks = {mark for text in texts.values() for mark in re.findall("@([A-Z]+)@", text)}
    assert marks == releases.PLACES.keys() - {"SCALA", "DUMP"}
    for name, steps in releases.PLACES.items():
        order = [releases.version_tuple(since) for since, _ in steps]
        assert order == sorted(order), name
        assert releases.place(name, releases.NEWEST) == steps[-1][1]
    with pytest.raises(KeyError, match=r"3\.7\.0 has no ABORTED"):
        releases.place("ABORTED", "3.7.0")


def jar(path: Path, entries: dict[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as file:
        for name, text in entries.items():
            file.writestr(name, text)


def test_what_differs_between_jars(tmp_path: Path) -> None:
    record = '// a licence\n{"name": "A",\n "validVersions": "0"\n}\n'
    jar(
        tmp_path / "old" / "kafka-a.jar",
        {"common/metadata/A.json": record, "common/message/B.json": "{}", "x/C.class": ""},
    )
    changed = record.replace('"0"', '"0-1"').replace("a licence", "another")
    entries = {"common/metadata/A.json": changed, "common/message/D.json": "{}", "y/C.class": "", "y/E$F.class": ""}
    jar(tmp_path / "new" / "kafka-a.jar", entries)
    jar(tmp_path / "new" / "other.jar", {"common/metadata/no.json": "{}", "z/C.class": ""})
    was, now = (kafka_release.schemas(tmp_path / name) for name in ("old", "new"))
    assert list(kafka_release.differences(was, now)) == [
        "new: common/message/D.json",
        "gone: common/message/B.json",
        "changed: common/metadata/A.json",
        "  @@ -1,3 +1,3 @@",
        '   {"name": "A",',
        '  - "validVersions": "0"',
        '  + "validVersions": "0-1"',
        "   }",
    ]
    assert list(kafka_release.differences(was, now, "A"))[2:] == ["changed: common/metadata/A.json"]
    there = kafka_release.classes(tmp_path / "new")
    assert list(kafka_release.moved({"x.C", "y.E.F", "y.E"}, there)) == ["x.C: y.C", "y.E: gone"]


@pytest.mark.judge
def test_what_4_4_changed() -> None:
    """All that our sources import is where the table says; the schemas and the configuration differ as was found."""
    before, version = releases.before(releases.NEWEST), releases.NEWEST
    for name in (before, version):
        require(name)
        assert not list(kafka_release.moved(kafka_release.imported(name), kafka_release.classes(jars.directory(name))))
    was, now = (kafka_release.schemas(jars.directory(name)) for name in (before, version))
    found = list(kafka_release.differences(was, now, kafka_release.ON_THE_WIRE))
    assert "new: common/metadata/UnregisterControllerRecord.json" in found
    assert any('"name": "StoredDescriptionTopologyEpoch"' in line for line in found)
    was, now = (kafka_release.configurations(name) for name in (before, version))
    assert list(kafka_release.differences(was, now)) == [
        "new: synonym max.decompressed.message.bytes",
        "new: synonym remote.copy.lag.bytes",
        "new: synonym remote.copy.lag.ms",
        "new: topic errors.deadletterqueue.group.enable",
        "new: topic max.decompressed.message.bytes",
        "new: topic remote.copy.lag.bytes",
        "new: topic remote.copy.lag.ms",
    ]


def test_pages_name_the_range_of_the_table() -> None:
    """Wherever a page or a docstring says from which release of Kafka to which, it says the first and the last."""
    oldest, newest = (".".join(one.split(".")[:2]) for one in (releases.OLDEST, releases.NEWEST))
    folders = ("docs", "kformat", "engine", "pyspark_kformat", "tools", "tests", "formats")
    pages = [HERE / "README.md", HERE / "CHANGELOG.md"]
    pages += [path for folder in folders for path in (HERE / folder).rglob("*")]
    said = {
        (str(path.relative_to(HERE)), until)
        for path in pages
        if path.suffix in (".md", ".py", ".ksy", ".toml") and path.is_file()
        for until in re.findall(rf"\bKafka\s+{re.escape(oldest)} to (\d+\.\d+)", path.read_text("utf-8"))
    }
    assert said and {until for _, until in said} == {newest}, sorted(said)
