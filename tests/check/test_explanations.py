"""What is said of every rule: all of it, in its own words, in plain English; and a verb mends what it promises to."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from kformat.check.checker import check
from kformat.cli import main
from kformat.kafka.findings.explanations import PARTS, explanations
from kformat.kafka.findings.rules import RULES
from tests import damages, damages_beside, damages_kafka, damages_legacy
from tests.damages import Damage, write
from tests.draws import every

PART_NAMES = ("title", *PARTS)
NOT_PLAIN = re.compile(
    r"\b(behind|told|beside|anew|whoever|meanwhile|inflated?|thereof|whereby|be it|TODO|TBD)\b|\bis to be\b"
)
"""Words of design section 9 that make an engineer stumble."""


def test_every_rule_is_explained_and_nothing_else() -> None:
    assert set(explanations()) == set(RULES)


@pytest.mark.parametrize("part", PART_NAMES)
def test_no_two_rules_have_the_same_text(part: str) -> None:
    texts = Counter(re.sub(r"\W+", " ", getattr(said, part).lower()) for said in explanations().values())
    assert [text for text, count in texts.items() if count > 1] == []


@pytest.mark.parametrize("id", sorted(RULES))
def test_an_explanation_is_whole_and_plain(id: str) -> None:
    said = explanations()[id]
    assert 8 <= len(said.title) <= 60 and not said.title.endswith(".") and said.title[0].islower()
    texts = [getattr(said, part) for part in PARTS]
    assert len(set(texts)) == len(PARTS)
    for text in texts:
        assert text[0].isupper() or text[0] in "`", text
        assert text.endswith(".") and len(text) >= 20, text
        sentences = re.split(r"(?<=[.:;])\s", text)
        assert max(len(sentence.split()) for sentence in sentences) <= 40, "one idea a sentence"
        assert not NOT_PLAIN.search(text), text
    assert len(said.what.split()) >= 6 and len(" ".join(texts).split()) >= 35


# --- the promise of a verb -----------------------------------------------------------------------------------------

EVERY = [*damages.DAMAGES, *damages_beside.DAMAGES, *damages_legacy.DAMAGES, *damages_kafka.DAMAGES]
NOT_BY_THE_VERB = {
    "KF0002": "an operating system's error is none of kformat's",
    "KF0102-a length beyond the end": "inside of the log, where sound batches follow",
    "KF0102-a length that is a little too short": "the same",
    "KF0102-a metadata snapshot cut off": "not in a partition's log",
    "KF0201-a byte of a metadata snapshot": "not in a partition's log",
    "KF0801-no node": "the broker's own, not a partition's",
}
"""Damages, or rules with only some of theirs, that the verb of the explanation does not mend; the text says so."""


def promised(id: str) -> list[str] | None:
    """The call with which an explanation of what mends a rule begins: the verb that mends it."""
    found = explanations()[id].mended_by
    return None if found is None else found.split()[1:]


def lay(damage: Damage, path: Path) -> list[Path]:
    """The damage on disk, in a root; the partitions in it."""
    files = damage.change(damages.sound_folder() if damage in damages.DAMAGES else {})
    is_root = any("/" in name for name in files)
    folder = write(files, path if is_root else path / "orders-0")
    if damage.on_disk is not None:
        damage.on_disk(folder)
    return sorted(inner for inner in path.iterdir() if inner.is_dir() and inner.name[-1].isdigit())


PROMISES = [
    damage
    for damage in EVERY
    if promised(damage.rule) is not None and not {damage.rule, str(damage)} & NOT_BY_THE_VERB.keys()
]


def test_most_rules_of_logs_and_indexes_promise_a_verb() -> None:
    with_verb = {damage.rule for damage in PROMISES}
    assert {id for id in RULES if id.startswith(("KF04", "KF05"))} - with_verb == {"KF0409", "KF0510"}, "no errors"
    assert {"KF0005", "KF0006", "KF0101", "KF0102", "KF0104", "KF0201", "KF0804"} <= with_verb


@pytest.mark.parametrize("damage", every(2, PROMISES), ids=str)
def test_the_verb_mends_what_it_is_said_to_mend(damage: Damage, tmp_path: Path) -> None:
    verb = promised(damage.rule)
    assert verb is not None
    partitions = lay(damage, tmp_path)
    assert damage.rule in {finding.rule for finding in check(tmp_path, **damage.options)}
    for partition in partitions:
        options = damage.options.get("index_interval_bytes")
        more = ["--index-interval-bytes", str(options)] if options and verb == ["reindex"] else []
        done = CliRunner().invoke(main, [*verb, *more, str(partition)])
        assert done.exit_code == ("lost_bytes" in done.stderr), done.stderr
    assert damage.rule not in {finding.rule for finding in check(tmp_path, **damage.options)}


@pytest.mark.parametrize("name", NOT_BY_THE_VERB)
def test_what_is_left_out_of_that_is_not_mended(name: str) -> None:
    """An entry that is not needed any more has to go."""
    verb = promised(name[:6])
    if verb is None:
        assert len(name) == 6
        return
    left = []
    for damage in EVERY:
        if name in (damage.rule, str(damage)):
            with tempfile.TemporaryDirectory() as scratch:
                for partition in lay(damage, Path(scratch)):
                    CliRunner().invoke(main, [*verb, str(partition)])
                left.append(damage.rule in {finding.rule for finding in check(scratch, **damage.options)})
    assert any(left)
