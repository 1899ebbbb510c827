"""`kformat check` and `explain` as people and programs see them: screens, numbers, groups, other shapes."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.check.checker import RULES
from kformat.cli import main
from kformat.cli.annotations import annotation
from kformat.kafka.findings.explanations import explanations
from kformat.kafka.findings.rules import Finding
from tests.cli import screens
from tests.damages import stem
from tests.samples import ROOT as SAMPLES


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return screens.disk(tmp_path_factory.mktemp("check") / "disk")


# --- screens -------------------------------------------------------------------------------------------------------


def test_screens_are_as_they_were_looked_at(tmp_path: Path) -> None:
    found = dict(screens.screens(tmp_path))
    assert found == screens.golden()
    for name, text in found.items():
        assert ("\\x1b[" in text.replace("\\x1b[K", "")) == (name.endswith("-colour") and "sound" not in name), name
        assert re.sub(r"\\x1b\[[0-9;]*m", "", text) == found[name.removesuffix("-colour")], "colour changes no text"


@pytest.mark.parametrize("name", screens.CASES)
def test_tables_and_texts_fit_the_terminal(name: str) -> None:
    """Findings are lines that a program may read, too, and are as long as they are."""
    lines = screens.golden()[f"{name}-80"].splitlines()
    own = [line for line in lines if not re.search(r"(error|warning) KF[0-9]{4}( record_batch.*)?: |^  disk/", line)]
    assert own and max(map(len, own)) <= 80


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colour_can_be_refused(
    disk: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    from kformat.cli.output import is_coloured

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert is_coloured(Terminal())  # type: ignore[arg-type]
    monkeypatch.setenv(variable, value)
    assert not is_coloured(Terminal())  # type: ignore[arg-type]


def test_a_pipe_gets_no_colour(disk: Path) -> None:
    done = run("check", disk)
    assert "\x1b" not in done.stdout + done.stderr and " error KF0201 " in done.stdout


# --- numbers and groups --------------------------------------------------------------------------------------------


def test_lines_say_their_severity_and_all_are_there(disk: Path) -> None:
    found = [finding for finding in kformat.check(disk) if finding.severity != "info"]
    assert run("check", disk).stdout.splitlines() == [str(finding) for finding in found]
    assert all(f" {finding.severity} {finding.rule}" in str(finding) for finding in found)


def test_many_findings_end_with_the_number_of_each_rule(disk: Path) -> None:
    many = run("check", disk / "orders-0").stderr.splitlines()
    assert many[1:2] == ["12  KF0201  error  batch checksum mismatch"]
    few = run("check", disk / "payments-1").stderr
    assert "  KF0" not in few and few.splitlines()[0] == "kformat: 1 error, 1 warning"


def counted(disk: Path) -> Counter[str]:
    return Counter(finding.rule for finding in kformat.check(disk) if finding.severity != "info")


def test_statistics_count_each_rule_most_first(disk: Path) -> None:
    counts = counted(disk)
    done = run("check", disk, "--statistics")
    rows = [line.split(maxsplit=3) for line in done.stdout.splitlines()]
    assert done.exit_code == 1
    assert {rule: int(count) for count, rule, _, _ in rows} == counts
    assert [(-int(row[0]), row[1]) for row in rows] == sorted((-int(row[0]), row[1]) for row in rows)
    for _, rule, severity, title in rows:
        assert (severity, title) == (RULES[rule].severity, explanations()[rule].title)
    objects = json.loads(run("check", disk, "--statistics", "--format", "json").stdout)
    assert [list(map(str, item.values())) for item in objects] == rows
    assert list(objects[0]) == ["count", "rule", "severity", "title"]
    lines = run("check", disk, "--statistics", "--format", "nl").stdout.splitlines()
    assert [json.loads(line) for line in lines] == objects


def test_statistics_of_sound_files_are_none(disk: Path) -> None:
    done = run("check", disk / "sound-0", "--statistics")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("group_by", ["rule", "partition", "file"])
def test_groups_have_all_findings_once(disk: Path, group_by: str) -> None:
    found = [finding for finding in kformat.check(disk) if finding.severity != "info"]
    done = run("check", disk, "--group-by", group_by)
    assert done.exit_code == 1
    below = [line for line in done.stdout.splitlines() if line.startswith("  ")]
    assert Counter(line.rpartition(": ")[2] for line in below) == Counter(
        str(finding).rpartition(": ")[2] for finding in found
    )
    heads = [line for line in done.stdout.splitlines() if line and not line.startswith("  ")]
    if group_by == "rule":
        assert [head.split()[1] for head in heads] == [
            rule for rule, _ in sorted(counted(disk).items(), key=lambda item: (-item[1], item[0]))
        ]
    else:
        folders = {finding.file if group_by == "file" else str(Path(finding.file).parent) for finding in found}
        assert {head.rpartition(": ")[0] for head in heads} == folders


def test_numbers_of_each_group(disk: Path) -> None:
    done = run("check", disk, "--statistics", "--group-by", "partition", "--format", "json")
    found = {(item["partition"], item["rule"]): item["count"] for item in json.loads(done.stdout)}
    expected = Counter(
        (str(Path(finding.file).parent), finding.rule) for finding in kformat.check(disk) if finding.severity != "info"
    )
    assert found == expected
    assert (
        f"{disk}/payments-1: 1 error, 1 warning\n  1  KF0404"
        in run("check", disk, "--statistics", "--group-by", "partition").stdout
    )


def test_a_folder_that_a_finding_is_about_is_its_own_partition(tmp_path: Path) -> None:
    (tmp_path / f"gone-0.{'0' * 32}-delete").mkdir()
    (tmp_path / "meta.properties").write_text("version=1\n")
    done = run("check", tmp_path, "--severity", "info", "--group-by", "partition")
    heads = [line.rpartition(": ")[0] for line in done.stdout.splitlines() if line and not line.startswith(" ")]
    assert heads == [str(tmp_path), f"{tmp_path}/gone-0.{'0' * 32}-delete"]


@pytest.mark.parametrize(
    "options", ["--statistics --format sarif", "--statistics --format github", "--group-by file --format nl"]
)
def test_what_does_not_go_together_is_refused(disk: Path, options: str) -> None:
    done = run("check", disk, *options.split())
    assert (done.exit_code, done.stdout) == (2, "")


@pytest.mark.parametrize("option", ["--json", "--nl", "--sarif"])
def test_format_is_the_only_switch_of_the_output(disk: Path, option: str) -> None:
    assert run("check", disk, option).exit_code == 2


# --- GitHub and SARIF ----------------------------------------------------------------------------------------------


def unescaped(text: str) -> str:
    """What GitHub's runner makes of the value of a command's property (ActionCommand.cs)."""
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, character)
    return text


@pytest.mark.parametrize("file", ["a/b.log", "odd, name:100%0A.log", "line\nend\r.log", "ü,::error::x.log"])
def test_an_annotation_is_one_command_whatever_the_names(file: str) -> None:
    finding = Finding("KF0201", "warning", file, 17, "record_batch.crc", "50% of it,\nwell: ::error::no")
    text = annotation(finding)
    assert "\n" not in text and "\r" not in text
    match = re.fullmatch(r"::(\w+) file=([^,:]*),title=([^,:]*)::(.*)", text)
    assert match is not None
    assert (match[1], unescaped(match[2]), match[3]) == ("warning", file, "KF0201")
    assert match[4] == "byte 17 record_batch.crc: 50%25 of it,%0Awell: ::error::no"


def test_annotations_of_all_findings(disk: Path) -> None:
    done = run("check", disk, "--format", "github", "--severity", "info")
    found = list(kformat.check(disk))
    assert done.exit_code == 1 and done.stdout.splitlines() == [annotation(finding) for finding in found]
    levels = {"error": "error", "warning": "warning", "info": "notice"}
    assert [line.split()[0] for line in done.stdout.splitlines()] == [f"::{levels[it.severity]}" for it in found]


def test_sarif_explains_every_rule(disk: Path) -> None:
    made = json.loads(run("check", disk, "--format", "sarif").stdout)
    rules = {rule["id"]: rule for rule in made["runs"][0]["tool"]["driver"]["rules"]}
    assert set(rules) == set(RULES)
    for id, said in explanations().items():
        assert rules[id]["shortDescription"]["text"] == said.title
        assert rules[id]["fullDescription"]["text"] == said.what
        assert all(text in rules[id]["help"]["text"] for text in (said.why, said.how, said.mend, RULES[id].kafka))


# --- explain -------------------------------------------------------------------------------------------------------


def test_explain_says_all_of_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for id, said in explanations().items():
        done = run("explain", id)
        assert done.exit_code == 0
        assert max(map(len, done.stdout.splitlines())) <= 80, id
        words = " ".join(done.stdout.split())
        for text in (id, said.title, *said.parts(), *said.parts().values(), RULES[id].kafka, RULES[id].source):
            assert " ".join(text.split()) in words, (id, text)


def test_explain_takes_several_and_small_letters() -> None:
    done = run("explain", "kf0201", "KF0504")
    assert [line for line in done.stdout.splitlines() if line.startswith("KF")] == [
        f"{id} error: {explanations()[id].title}" for id in ("KF0201", "KF0504")
    ]


def test_explain_alone_lists_the_rules() -> None:
    done = run("explain")
    assert [line.split(maxsplit=2) for line in done.stdout.splitlines()] == [
        [id, RULES[id].severity, explanations()[id].title] for id in sorted(RULES)
    ]
    objects = json.loads(run("explain", "--format", "json").stdout)
    assert [item["rule"] for item in objects] == sorted(RULES)
    assert all(item[part] for item in objects for part in ("title", "what", "why", "how", "mend", "kafka", "source"))


@pytest.mark.parametrize(
    ("id", "hint"),
    [
        ("KF021", "KF0210?"),
        ("kf0o01", "did you mean KF0001"),
        ("nonsense", "`kformat explain` lists all rules"),
    ],
)
def test_an_unknown_rule_is_refused_with_what_looks_like_it(disk: Path, id: str, hint: str) -> None:
    for call in (("explain", id), ("check", disk, "--ignore", id)):
        done = run(*call)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith(f"kformat: no rule '{id}'; ") and hint in done.stderr


def test_check_points_to_explain(disk: Path) -> None:
    last = run("check", disk).stderr.splitlines()[-1]
    (call,) = re.findall(r"`kformat (.*?)`", last)
    assert call == "explain KF0201" and run(*call.split()).exit_code == 0


def test_ignored_rules_may_be_in_small_letters(disk: Path) -> None:
    assert " KF0201 " not in run("check", disk / "orders-0", "--ignore", "kf0201").stdout
    assert stem(0) in run("check", disk / "orders-0").stdout


def test_every_call_in_an_explanation_can_be_made() -> None:
    """Verbs and options that the texts name are there."""
    for id, said in explanations().items():
        verb: list[str] = []
        for call in re.findall(r"`(kformat [^`]*|--[^`]*)`", " ".join(said.parts().values())):
            words = call.split()
            if words[0] == "kformat":
                verb = words[1:2] if words[1] != "log" else words[1:3]
                options = words[1 + len(verb) :]
            else:
                options = words  # of the verb that was named last
            command: click.Command = main
            for word in verb:
                found = command.get_command(click.Context(command), word)  # type: ignore[attr-defined]
                assert found is not None, (id, call)
                command = found
            known = {option for parameter in command.params for option in parameter.opts}
            known |= {"--profile", "--dry-run"}
            assert {option for option in options if option.startswith("--")} <= known, (id, call)


# --- links ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "-q check ROOT",
        "-q check ROOT --severity info",
        "-q check ROOT -j 2",
        "diff ROOT ROOT",
        "export ROOT --format csv",
        "find ROOT --offset 1",
        "grep message ROOT",
        "log recover ROOT --dry-run --all",
        "ls ROOT",
        "ls ROOT -a",
        "merge ROOT -o OUT --dry-run",
        "reindex ROOT --dry-run",
        "salvage ROOT --in-place --dry-run",
        "salvage ROOT -o OUT --dry-run",
        "stats ROOT",
    ],
)
def test_partitions_that_are_links_are_as_others(words: str, tmp_path: Path) -> None:
    """A root whose partitions are links, one of them back to the root, next to the same root without links."""
    for name in ("a", "b"):
        (tmp_path / name / "root").mkdir(parents=True)
    for sample in ("lookup-0", "sparse-0"):
        shutil.copytree(SAMPLES / "walkthrough" / sample, tmp_path / "a" / "root" / sample)
        os.symlink(tmp_path / "a" / "root" / sample, tmp_path / "b" / "root" / sample)
    os.symlink(tmp_path / "b" / "root", tmp_path / "b" / "root" / "back-0")
    texts = []
    for name in ("a", "b"):
        root = tmp_path / name / "root"
        result = run(*words.replace("ROOT", str(root)).replace("OUT", str(tmp_path / "out")).split())
        lines = [line for line in result.output.splitlines() if "back-0" not in line and "KF0001" not in line]
        lines = [line for line in lines if " remark" not in line and "a directory" not in line]
        texts.append([re.sub(r" +", " ", line.replace(str(root), "ROOT")) for line in lines])
        assert result.exit_code == 0, result.output
    assert texts[0] == texts[1]
