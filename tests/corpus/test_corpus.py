"""The corpora: what is in them, that their verdicts hold, that the same seed gives the same bytes.

What Kafka says of every file is asked in test_judge.py.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.corpus import Entry, corpus_entries, write_corpus
from kformat.corpus.manifest import LARGE_VALUE_BYTES
from kformat.corpus.parts import Dice
from kformat.errors import UsageError
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.records import Record, parse_control_record
from kformat.kafka.files.text_files import is_sidecar
from tests.draws import IS_NIGHT
from tools import corpus_coverage

pytestmark = pytest.mark.drawn

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs" / "schemas" / "corpus-manifest.schema.json"
SEED = 7

# What the check says of batches that Kafka reads, though none of its brokers wrote them; nothing of the others.
ODD_FINDINGS = {
    "control-records-to-come-0": {"KF0313"},
    "record-attributes-0": {"KF0310"},
    "reserved-bits-0": {"KF0202"},
    "reserved-bits-of-messages-0": {"KF0202"},
    "timestamps-before-1970-0": {"KF0210", "KF0309"},
    **{f"wrapper-absolute-{codec}-0": {"KF0322"} for codec in ("gzip", "snappy", "lz4")},
    **{f"wrapper-zero-{codec}-0": {"KF0321"} for codec in ("gzip", "snappy", "lz4")},
}


class Corpus:
    """A corpus on disk, its manifest, and the cases that it was made of."""

    def __init__(self, root: Path, entries: list[Entry]) -> None:
        self.root, self.entries = root, entries
        self.manifest: dict[str, Any] = json.loads((root / "manifest.json").read_text(encoding="utf-8"))
        self.files: dict[str, dict[str, Any]] = {file["path"]: file for file in self.manifest["files"]}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("corpus") / "out"
    return Corpus(root, write_corpus(root, seed=SEED, damage=True))


def test_the_manifest_is_what_its_schema_says(corpus: Corpus) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    files = corpus.manifest["files"]
    # Of each kind of file by each list of what is said of it one; by night every sixtieth of the others, too.
    kinds = {(*sorted(file), file["path"].rpartition(".")[2], file["path"].split("/")[0]): file for file in files}
    some = [*kinds.values(), *(files[::60] if IS_NIGHT else ())]
    jsonschema.Draft202012Validator(schema).validate({**corpus.manifest, "files": some})
    assert corpus.manifest["seed"] == SEED and corpus.manifest["damage"] is True
    assert corpus.manifest["kformat"] == kformat.__version__


def test_the_manifest_has_every_file_once(corpus: Corpus) -> None:
    paths = [file["path"] for file in corpus.manifest["files"]]
    assert paths == sorted(set(paths))
    there = {path.relative_to(corpus.root).as_posix(): path for path in corpus.root.rglob("*") if path.is_file()}
    assert set(there) == {*paths, "manifest.json"}
    for file in corpus.manifest["files"]:
        data = there[file["path"]].read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file["size"], file["sha256"])


def test_every_magic_codec_and_attribute_is_there(corpus: Corpus) -> None:
    covered: Counter[tuple[int, str, str]] = Counter()
    for entry in corpus.entries:
        if entry.damage is None and entry.file.path.startswith("sound/"):
            for part in entry.file.parts:
                covered.update((part.magic, part.codec, word) for word in part.attributes)
                covered[part.magic, part.codec, ""] += 1
    for codec in CODEC_NAMES:
        for word in ("create_time", "log_append_time", "transactional", "idempotent", "delete_horizon"):
            assert covered[2, codec, word], (codec, word)
    for codec in CODEC_NAMES[:4]:
        assert covered[0, codec, ""] and covered[1, codec, "create_time"] and covered[1, codec, "log_append_time"]
    controls = {word for entry in corpus.entries for part in entry.file.parts for word in part.controls}
    assert {"abort", "commit", "leader_change", "snapshot_header", "snapshot_footer", "kraft_version"} <= controls
    assert "kraft_voters" in controls
    kinds = {file["kind"] for file in corpus.manifest["files"] if file["path"].startswith("sound/")}
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert kinds == set(schema["$defs"]["file"]["properties"]["kind"]["enum"])


def of_manifest(record: dict[str, Any]) -> Record:
    """A record of the manifest; large values are left as their sum."""
    kinds = {"CreateTime": 0, "LogAppendTime": 1, "NoTimestampType": -1}
    return Record(
        record["offset"],
        record["timestamp"],
        kinds[record["timestamp_type"]],
        decoded(record["key"]),
        decoded(record["value"]),
        tuple((name, decoded(value)) for name, value in record["headers"]),
        record["sequence"],
    )


def decoded(text: Any) -> Any:
    return base64.b64decode(text) if isinstance(text, str) else text


def told(value: bytes | None) -> Any:
    if value is None or len(value) <= LARGE_VALUE_BYTES:
        return value
    return {"size": len(value), "sha256": hashlib.sha256(value).hexdigest()}


def test_records_are_those_of_the_manifest(corpus: Corpus) -> None:
    logs = [file for file in corpus.manifest["files"] if "records" in file]
    assert sum(len(file["records"]) for file in logs) > 4000
    for file in logs:
        wanted = [of_manifest(record) for record in file["records"]]
        found, controls = [], []
        for batch in iter_batches(corpus.root / file["path"]):
            assert batch.is_valid
            for record in batch.records():
                found.append(record)
                name = getattr(parse_control_record(record)[0].type, "name", "unknown") if batch.is_control else None
                controls.append(name)
        assert len(found) == len(wanted), file["path"]
        for one, other in zip(found, wanted, strict=True):
            assert (one.offset, one.timestamp, one.timestamp_type) == (
                other.offset,
                other.timestamp,
                other.timestamp_type,
            )
            assert (one.key, told(one.value), one.headers, one.sequence) == (
                other.key,
                other.value,
                other.headers,
                other.sequence,
            )
        assert controls == [record["control"] for record in file["records"]]


def test_nothing_is_wrong_with_sound_files(corpus: Corpus) -> None:
    assert [finding for finding in kformat.check(corpus.root / "sound") if finding.severity != "info"] == []


def test_what_is_odd_is_told_and_nothing_else(corpus: Corpus) -> None:
    found: dict[str, set[str]] = {}
    for path, file in corpus.files.items():
        if path.startswith("odd/"):
            found.setdefault(path.split("/")[-2], set()).update(finding["rule"] for finding in file["findings"])
    assert set(ODD_FINDINGS) <= set(found)
    assert {name: rules for name, rules in found.items() if rules} == ODD_FINDINGS


def test_damage_is_found_or_cannot_be(corpus: Corpus) -> None:
    """By rules that follow from what was done. What depends on the bytes may go either way."""
    rules: dict[str, set[str]] = {}
    for path, file in corpus.files.items():
        rules.setdefault(path.rpartition("/")[0], set()).update(finding["rule"] for finding in file["findings"])
    judged = 0
    wrong = []
    for entry in corpus.entries:
        damage = entry.damage
        if damage is None:
            continue
        found = rules[entry.file.path.rpartition("/")[0]]
        if is_sidecar(entry.file.path):  # Kafka is the judge of these, asked in test_judge.py
            refused = corpus.files[entry.file.path]["kafka"]["reader"] == "refuses"
            right = bool(found & set(damage.found_by)) or not (found or refused)
        elif damage.found_by and damage.undetectable:
            right = not found or bool(found & set(damage.found_by))
        elif damage.found_by:
            right = bool(found & set(damage.found_by))
        else:
            assert damage.undetectable, entry.file.path
            right = not found
        judged += 1
        if not right:
            wrong.append((entry.file.path, damage.what, damage.found_by, damage.undetectable, sorted(found)))
    assert wrong == []
    assert judged > 1000


def test_damage_is_where_the_manifest_says(corpus: Corpus) -> None:
    """The first byte that differs from the sound file's lies at the position, in it, or in the batch that it names."""
    sound = {}
    for entry in corpus.entries:
        if entry.damage is None and entry.file.parts:
            sound[entry.file.path.split("/")[-2].rpartition("-")[0], entry.file.path.rpartition("/")[2]] = entry.file
    compared = 0
    for entry in corpus.entries:
        damage = entry.damage
        case = entry.file.path.split("/")[-2].partition(".")[0]
        original = sound.get((case, entry.file.path.rpartition("/")[2]))
        if damage is None or original is None:
            continue
        before, after = original.data, entry.file.data
        assert before != after, entry.file.path
        first = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
        first = min(len(before), len(after)) if first is None else first
        start = damage.position
        if damage.name in ("set", "flip", "insert") and damage.crc_mended is None:
            assert start <= first <= start + 8, (entry.file.path, first, start)  # zeros behind zeros: a little later
        else:
            batch_start = max(at for at in starts(original.parts) if at <= start)
            assert first >= batch_start, (entry.file.path, first, start)
        compared += 1
    assert compared > 900


def starts(parts: Any) -> list[int]:
    sizes = [part.size for part in parts]
    return [sum(sizes[:number]) for number in range(len(sizes) + 1)]


def test_another_seed_gives_the_same_files_with_other_contents(corpus: Corpus) -> None:
    one = {entry.file.path: entry.file.data for entry in corpus.entries}
    other = {entry.file.path: entry.file.data for entry in corpus_entries(2, damage=True)}
    assert set(one) == set(other)
    logs = [path for path in one if path.endswith(".log") and one[path] and "markers-alone" not in path]
    same = [path for path in logs if one[path] == other[path]]
    assert len(same) < len(logs) / 100, same


PROGRAM = """
import hashlib, sys
from kformat.corpus import corpus_entries
total = hashlib.sha256()
for entry in corpus_entries(int(sys.argv[1]), damage=True):
    total.update(entry.file.path.encode() + b"\\0" + hashlib.sha256(entry.file.data).digest())
print(total.hexdigest())
"""


def digest(python: str, hash_seed: str, **more: str) -> str:
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, **more}
    done = subprocess.run(
        [python, "-c", PROGRAM, str(SEED)], capture_output=True, text=True, timeout=120, check=True, env=environment
    )
    return done.stdout.strip()


def test_the_same_seed_gives_the_same_bytes_in_any_process(corpus: Corpus) -> None:
    total = hashlib.sha256()
    for entry in corpus.entries:
        total.update(entry.file.path.encode() + b"\0" + hashlib.sha256(entry.file.data).digest())
    assert digest(sys.executable, "4242", TZ="Asia/Kolkata", LC_ALL="C") == total.hexdigest()


def test_the_first_bytes_of_chance() -> None:
    """Pinned, because a corpus that somebody has written down by its seed has to come out again."""
    dice = Dice(7, "a", "b")
    assert [dice.integer(0, 99) for _ in range(6)] == [61, 74, 49, 52, 84, 7]
    assert dice.noise(6).hex() == "79fb7e6d4c61"
    assert dice.text(20).decode() == "fetch epoch offset ."


def test_every_branch_of_every_declaration_is_taken() -> None:
    """Every field, flag and branch, as the codec tells; what no file that Kafka reads can have is listed by name."""
    seen = corpus_coverage.read(corpus_entries(SEED))
    there = {outcome for outcomes in corpus_coverage.declared().values() for outcome in outcomes}
    assert there - seen == set(corpus_coverage.UNREACHABLE)
    assert len(there) > 200


def test_the_page_has_the_figures_of_the_declarations() -> None:
    """`python -m tools.corpus_coverage write` puts them there."""
    assert corpus_coverage.declarations_table() in corpus_coverage.PAGE.read_text(encoding="utf-8")


# --- writing --------------------------------------------------------------------------------------------------------


def run(*arguments: object) -> Any:
    return CliRunner().invoke(main, ["corpus", *map(str, arguments)])


def test_write_only_what_is_asked_for(tmp_path: Path) -> None:
    done = run("write", tmp_path / "out", "--seed", 3, "--only", "edge-headers", "--only", "zstd")
    assert done.exit_code == 0, done.output
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["seed"] == 3 and manifest["damage"] is False
    assert {file["path"].split("/")[2] for file in manifest["files"]} == {"edge-headers-zstd-0"}
    with pytest.raises(UsageError, match="no file of the corpus"):
        write_corpus(tmp_path / "none", seed=3, only=["no such word"])
    assert not (tmp_path / "none").exists()


def test_damaged_files_come_with_those_beside_them(tmp_path: Path) -> None:
    words = "attributes-none-create-plain.swap"
    assert run("write", tmp_path / "out", "--damage", "--only", words).exit_code == 0
    folder = f"damaged/{words}-two-batches-0"
    names = {path.name for path in (tmp_path / "out" / folder).iterdir()}
    assert names == {f"{0:020d}.{suffix}" for suffix in ("log", "index", "timeindex")}
    files = {file["path"]: file for file in json.loads((tmp_path / "out" / "manifest.json").read_text())["files"]}
    assert files[f"{folder}/{0:020d}.log"]["damage"]["name"] == "swap"
    assert files[f"{folder}/{0:020d}.index"]["kafka"] is None


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    for out in (tmp_path, tmp_path / "mine"):
        done = run("write", out)
        assert done.exit_code == 4 and "not an empty folder" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert (tmp_path / "mine").read_text() == "precious"
    (tmp_path / "mine").unlink()
    assert run("write", tmp_path, "--only", "single-zstd").exit_code == 0


def test_list_tells_what_each_file_is_there_for() -> None:
    done = run("list", "--only", "framing-snappy-raw")
    first = done.stdout.splitlines()[0]
    path = f"sound/kraft/framing-snappy-raw-0/{0:020d}.index"
    assert first == f"{path}: one raw snappy block without framing, per-batch, empty"
    damaged = run("list", "--damage", "--only", "attributes-none-create-plain.set-crc").stdout
    assert f"{0:020d}.log: set: crc 0\n" in damaged and ": next to a damaged file\n" in damaged
