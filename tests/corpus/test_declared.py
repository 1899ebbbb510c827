"""Corpora of declared formats: which branches they reach, that their damage is found as they say, that the same seed
gives the same bytes, and that Kaitai's classes read the sound files with the same values.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.codec.values import Value
from kformat.corpus import DeclaredCorpus, declared_corpus, write_declared_corpus
from kformat.corpus.branches import branches_of, reached
from kformat.corpus.hints import TypeFacts
from kformat.errors import ChecksumError, DataError, DeclarationError, UsageError
from kformat.language.program import load_type
from tests.draws import every
from tests.judges.kaitai import KAITAI
from tests.judges.required import require
from tests.language.beside_kaitai import class_of, compared, compile_all, made
from tests.language.public.mutants import CLASSES

pytestmark = pytest.mark.drawn

TESTS = Path(__file__).resolve().parents[1]
SCHEMA = TESTS.parent / "docs" / "schemas" / "declared-corpus-manifest.schema.json"
SEED = 7

FEATURES = (
    "bits_be", "bits_le", "bits_repeated_and_conditional", "casts", "conditional_lists", "endian_by_switch",
    "enums_nested", "fixed_numbers", "process_xor_rol", "process_zlib", "recursive_windows", "repeat_until", "rules",
    "sizes", "streams", "strz_wide", "switch_integers", "switch_sized_default", "switch_strings_and_default",
    "unaligned_instances", "value_instances", "windows",
)  # fmt: skip
PUBLIC = ("icns", "ico", "npy", "ogg", "qoi", "shapes")
WHOLLY = {
    **{name: TESTS / "language" / "features" / f"{name}.ksy" for name in FEATURES},
    **{name: TESTS / "language" / "public" / f"{name}.ksy" for name in PUBLIC},
    "telemetry": TESTS / "declarations" / "telemetry.ksy",
}
"""Declarations of which the corpus reaches every branch, and that Kaitai's compiler takes."""


@lru_cache
def corpus_of(path: Path) -> DeclaredCorpus:
    return declared_corpus(str(path), seed=SEED, damage=True)


# --- sound files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WHOLLY)
def test_every_branch_is_reached(name: str) -> None:
    corpus = corpus_of(WHOLLY[name])
    facts = TypeFacts(corpus.program)
    wanted = {branch for branch, reason in branches_of(facts).items() if not reason}
    assert wanted and wanted <= corpus.reached, sorted(map(str, wanted - corpus.reached))
    # Counted once more, from the bytes: the files alone reach what the corpus says, and they are built again.
    found = set()
    for file in corpus.sound:
        value = kformat.parse(str(WHOLLY[name]), file.data, trailing=file.trailing)
        found |= reached(value, facts)
        assert kformat.build(str(WHOLLY[name]), value) == file.data
    assert found >= wanted


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], type[Any]]:
    """Name -> the class that Kaitai's compiler makes of that declaration."""
    require(KAITAI)
    folder = tmp_path_factory.mktemp("kaitai")
    compile_all(list(WHOLLY.values()), folder)
    return lambda name: class_of(name, folder)


def known(ours: Any, other: Any) -> bool:
    """The differences on purpose of `mutants`: bytes left over, text in no encoding, bounds."""
    return any(item.applies(ours, other) for item in CLASSES)


def is_known_damage(ours: Any, other: Any) -> bool:
    """What `known` says, and checksums, which Kaitai's language has no words for."""
    return known(ours, other) or isinstance(ours, ChecksumError)


@pytest.mark.judge
@pytest.mark.parametrize("name", WHOLLY)
def test_kaitai_reads_the_sound_files_the_same(name: str, theirs: Callable[[str], type[Any]]) -> None:
    kind, declaration = theirs(name), kformat.load_declaration(WHOLLY[name])
    for file in corpus_of(WHOLLY[name]).sound:
        found = compared(declaration, file.data, kind, known, file.trailing)
        assert found.is_read and found.difference is None, (file.path, found)


@pytest.mark.judge
def test_kaitai_refuses_the_damaged_files_that_it_can(theirs: Callable[[str], type[Any]]) -> None:
    refused = unseen = 0
    for name, path in WHOLLY.items():
        kind, declaration = theirs(name), kformat.load_declaration(path)
        for file in corpus_of(path).damaged:
            found = compared(declaration, file.data, kind, is_known_damage, file.trailing)
            assert found.difference is None, (name, file.path, found)
            try:
                made(kind, file.data)
                unseen += 1  # bytes that are left over, and instances, which its classes read when they are asked for
            except Exception:
                refused += 1
    assert refused > 3 * unseen


# --- branches ------------------------------------------------------------------------------------------------------

SMALL = """
meta: {id: small, endian: be, encoding: UTF-8}
seq:
  - {id: kind, type: u1, enum: kinds}
  - {id: level, type: u1, valid: {max: 9}}
  - {id: extra, type: s2, if: kind == kinds::two}
  - {id: name, type: strz}
  - id: items
    type: {switch-on: kind, cases: {'kinds::one': u1, 'kinds::two': pair}}
    repeat: expr
    repeat-expr: 2
types:
  pair: {seq: [{id: left, type: b4}, {id: right, type: b4, valid: 3}]}
enums: {kinds: {1: one, 2: two}}
"""


def written(folder: Path, text: str, name: str = "small") -> str:
    path = folder / f"{name}.ksy"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_branches_of_a_small_declaration(tmp_path: Path) -> None:
    facts = TypeFacts(load_type(written(tmp_path, SMALL)))
    assert {str(branch) for branch in branches_of(facts)} == {
        "small.kind: one", "small.kind: two", "small.kind: no member",
        "small.level: is 0", "small.level: is 1", "small.level: is 9", "small.extra: present", "small.extra: absent",
        *(f"small.extra: is {number}" for number in (-32768, 0, 1, 32767)),
        "small.name: empty", "small.name: not empty", "small.name: long", "small.name: not ASCII",
        "small.items[]: case 1", "small.items[]: case 2", "small.items[]: no case",
        *(f"small.items[]: is {number}" for number in (0, 1, 255)),
        *(f"small::pair.left: is {number}" for number in (0, 1, 15)), "small::pair.right: is 3",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("01 05 c3a400 01 05", {"kind: one", "extra: absent", "name: not empty", "name: not ASCII", "items[]: case 1",
                             "items[]: is 1"}),
        ("02 09 8000 00 03 f3", {"kind: two", "level: is 9", "extra: present", "extra: is -32768", "name: empty",
                                 "items[]: case 2"}),
        ("07 00 00", {"kind: no member", "level: is 0", "extra: absent", "name: empty", "items[]: no case"}),
    ],
)  # fmt: skip
def test_what_a_value_reaches(data: str, expected: set[str], tmp_path: Path) -> None:
    facts = TypeFacts(load_type(written(tmp_path, SMALL)))
    found = reached(kformat.parse(facts.root, bytes.fromhex(data)), facts) & branches_of(facts).keys()
    assert {f"{branch.field}: {branch.what}" for branch in found if branch.type == "small"} == expected


NEVER = {
    "no case of a boolean": (
        "seq: [{id: kind, type: b1}, {id: body, type: {switch-on: kind, cases: {true: u1, false: u2}}}]",
        {"never.body: no case": "kind is true or false"},
    ),
    "a case beyond its number": (
        "seq: [{id: kind, type: u1}, {id: body, type: {switch-on: kind, cases: {300: u1, _: u2}}}]",
        {"never.body: case 300": "kind is never 300"},
    ),
    "a condition that is never true": (
        "seq: [{id: kind, type: u1}, {id: body, type: u1, if: kind > 255}]",
        {"never.body: present": "its condition is never true"},
    ),
    "lists that are never short": (
        "seq: [{id: kind, type: b3}, {id: rest, type: b5}, {id: body, type: u1, repeat: expr, repeat-expr: 2 << kind}]",
        {"never.body: empty": "its count is 2 to 256", "never.body: one element": "its count is 2 to 256"},
    ),
}


@pytest.mark.parametrize("name", NEVER)
def test_what_no_input_reaches_has_its_reason(name: str, tmp_path: Path) -> None:
    text, expected = NEVER[name]
    path = written(tmp_path, "meta: {id: never, endian: be}\n" + text, "never")
    left = {str(branch): reason for branch, reason in declared_corpus(path).unreached.items()}
    assert expected.items() <= left.items()


def test_what_was_not_found_says_so(tmp_path: Path) -> None:
    text = (
        "meta: {id: hard, endian: be}\n"
        "seq:\n"
        "  - {id: a, type: u4}\n"
        "  - {id: b, type: u4}\n"
        "  - {id: c, type: u1, if: a * b == 3 * 5 * 7 * 11 and a % 7 == 3}\n"
    )
    corpus = declared_corpus(written(tmp_path, text, "hard"))
    left = {str(branch): reason for branch, reason in corpus.unreached.items()}
    assert left.keys() == {"hard.c: present", "hard.c: is 0", "hard.c: is 1", "hard.c: is 255"}
    assert all(reason.startswith("no value found in 4") for reason in left.values())


def test_recursion_is_bounded(tmp_path: Path) -> None:
    text = (
        "meta: {id: tree, endian: be}\n"
        "seq:\n"
        "  - {id: count, type: u1}\n"
        "  - {id: trees, type: tree, repeat: expr, repeat-expr: count}\n"
    )
    corpus = declared_corpus(written(tmp_path, text, "tree"), damage=True)
    assert not corpus.unreached
    assert max(len(file.data) for file in corpus.files) < 500


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "seq: [{id: a, type: u1, valid: {expr: _ > 300}}]",
            "none of 50 attempts.*a: does not fit",
        ),
        (
            "seq: [{id: a, type: somebody_elses}]\nmeta: {id: none, ks-opaque-types: true}",
            "none of 50 attempts.*else's type",
        ),
    ],
)
def test_a_format_without_values_is_refused(text: str, words: str, tmp_path: Path) -> None:
    path = written(tmp_path, text if "meta" in text else f"meta: {{id: none}}\n{text}", "none")
    with pytest.raises(UsageError, match=words):
        declared_corpus(path)


# --- damage --------------------------------------------------------------------------------------------------------

GUARDED = """
meta: {id: guarded, endian: be, encoding: ASCII}
seq: [{id: entries, type: entry, repeat: eos}]
types:
  entry:
    -checksum: {algorithm: crc32, field: crc, from: kind}
    seq:
      - {id: magic, contents: GU}
      - {id: length, type: u1}
      - {id: crc, type: u4}
      - {id: kind, type: u1, valid: {any-of: [1, 2]}}
      - {id: name, type: str, terminator: 0}
      - {id: data, size: length}
"""


def test_every_rule_is_broken(tmp_path: Path) -> None:
    corpus = declared_corpus(written(tmp_path, GUARDED, "guarded"), damage=True)
    broken = {(file.damage.breaks, file.damage.mended) for file in corpus.damaged if file.damage is not None}
    assert broken >= {
        ("contents", None), ("checksum", None), ("size", None), ("rule", False), ("rule", True), ("terminator", True),
    }  # fmt: skip
    cut = [file.damage for file in corpus.damaged if file.damage is not None and file.damage.name == "cut"]
    assert {damage.path.partition(".")[2] for damage in cut} >= {
        f"entries[0].{name}" for name in ("magic", "length", "crc", "kind", "name")
    }


ROLES = {"contents": "InvalidError", "rule": "InvalidError", "checksum": "ChecksumError", "left over": "InvalidError"}


@pytest.mark.parametrize("name", every(3, list(WHOLLY)))
def test_damage_is_found_by_what_follows_from_it(name: str) -> None:
    corpus = corpus_of(WHOLLY[name])
    sound = {file.path: file for file in corpus.sound}
    assert corpus.damaged
    for file in corpus.damaged:
        damage = file.damage
        assert damage is not None
        error = damage.finding
        assert type(error).__name__ in damage.found_by
        assert file.data != sound[file.source].data
        assert file.data[: damage.position] == sound[file.source].data[: damage.position] or damage.mended
        if damage.breaks in ROLES:
            assert type(error).__name__ == ROLES[damage.breaks], (file.path, error)
            assert damage.breaks == "left over" or error.path == damage.path
        with pytest.raises(DataError) as caught:
            kformat.parse(corpus.program, file.data, trailing=file.trailing)._fetch_instances()
        assert said(caught.value) == said(error)


def said(error: DataError) -> tuple[Any, ...]:
    return type(error), error.position, error.path, error.message, str(error.expected), str(error.found)


# --- what is written -----------------------------------------------------------------------------------------------


def test_the_manifest_says_what_parse_does(tmp_path: Path) -> None:
    path = written(tmp_path, GUARDED, "guarded")
    write_declared_corpus(tmp_path / "out", path, seed=SEED, damage=True)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(manifest)
    there = {item.relative_to(tmp_path / "out").as_posix() for item in (tmp_path / "out").rglob("*.bin")}
    assert [file["path"] for file in manifest["files"]] == sorted(there)
    for file in manifest["files"]:
        data = (tmp_path / "out" / file["path"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file["size"], file["sha256"])
        found: Value | DataError
        try:
            found = kformat.parse(path, data, trailing=file["trailing"])
        except DataError as error:
            found = error
        if file["damage"] is None:
            assert kformat.build(path, kformat.from_json(path, file["value"])) == data
            assert not file["findings"] and isinstance(found, Value)
            continue
        (finding,) = file["findings"]
        assert isinstance(found, DataError)
        assert (finding["rule"], finding["position"], finding["path"], finding["message"]) == (
            type(found).__name__, found.position, found.path, found.message,
        )  # fmt: skip


def test_the_same_seed_gives_the_same_bytes() -> None:
    program = (
        "import hashlib, sys; from kformat.corpus.any_format import declared_corpus, declared_manifest\n"
        "made = declared_corpus(sys.argv[1], seed=7, damage=True)\n"
        "data = declared_manifest(made, seed=7, damage=True).encode() + b''.join(file.data for file in made.files)\n"
        "print(hashlib.sha256(data).hexdigest())"
    )
    path = str(WHOLLY["switch_strings_and_default"])
    digests = {
        subprocess.run(
            [sys.executable, *flags, "-c", program, path],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True, timeout=120,
        ).stdout
        for flags, seed in (((), "1"), (("-O",), "2"))
    }  # fmt: skip
    assert len(digests) == 1
    other = declared_corpus(path, seed=SEED + 1)
    assert [file.data for file in other.sound] != [file.data for file in corpus_of(Path(path)).sound]


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, list(arguments))
    return result.exit_code, result.stdout, result.stderr


def test_the_command_writes_and_lists(tmp_path: Path) -> None:
    path, out = written(tmp_path, GUARDED, "guarded"), str(tmp_path / "out")
    status, printed, remarks = run("corpus", "write", out, "--as", path, "--damage", "--seed", "7")
    corpus = declared_corpus(path, seed=7, damage=True)
    count = len(corpus.reached) + len(corpus.unreached)
    assert (status, printed) == (0, "")
    assert f"kformat: {len(corpus.reached)} of {count} branches reached" in remarks
    for branch, reason in corpus.unreached.items():
        assert f"kformat: not reached: {branch}: {reason}" in remarks
    for file in corpus.files:
        assert (tmp_path / "out" / file.path).read_bytes() == file.data
    assert run("corpus", "write", out, "--as", path)[0] == 4
    status, printed, _ = run("corpus", "list", "--as", path, "--damage", "--only", "crc", "--only", "flip")
    assert status == 0 and "guarded.entries[0].crc: bit 0 of its first byte flipped: ChecksumError" in printed
    assert run("corpus", "list", "--as", path, "--only", "no such word")[0] == 2
    assert run("corpus", "list", "--as", str(tmp_path / "none.ksy"))[0] != 0


def test_a_wrong_declaration_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError):
        declared_corpus(written(tmp_path, "meta: {id: wrong}\nseq: [{id: a, type: u9}]", "wrong"))
    assert not (tmp_path / "out").exists()
