"""`salvage_files` and `kformat salvage --as`: the sound rows of damaged files, and what is around them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.errors import UsageError
from tests.codec.test_positions import recorder_text
from tests.columns.resyncing import AT_THE_END, CHECKSUMS, FRAME, PLANTED, SYNCS, Frames, damaged, frame, frames
from tests.draws import IS_NIGHT

SYNC, CHECKSUM, SPAN = "two bytes", "CRC-16", 7


def recorder(seed: int = 3) -> Frames:
    made = frames(random.Random(seed), SYNC, CHECKSUM, with_index=True)
    made.declaration = kformat.parse_declaration(recorder_text(CHECKSUM, SYNC))
    return made


def changed(data: bytes, at: int, mask: int) -> bytes:
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]


def cases(made: Frames) -> dict[str, tuple[bytes, set[int], int]]:
    """Bytes, the numbers of the frames that are to be saved, and how many problems there are around them."""
    data, start, end = made.data, made.starts[SPAN], made.ends[SPAN]
    every_frame = set(range(40))
    return {
        "sound": (data, every_frame, 0),
        "payload": (changed(data, end - 4, 0xFF), every_frame - {SPAN}, 0),
        "length": (changed(data, start + 2, 0x40), every_frame - {SPAN}, 0),
        "sync": (changed(data, start, 0x40), every_frame - {SPAN}, 0),
        "inserted": (data[:start] + b"\0garbage\xff" + data[start:], every_frame, 1),
        "head": (changed(data, 9, 1), every_frame, 1),
        "index": (changed(data, made.ends[-1] + 9, 1), every_frame, 1),
        "cut": (data[: made.starts[20] + 7], set(range(20)), 1),
    }


def numbers_of(value: Any) -> set[int]:
    return {row.number for row in value.frames}


@pytest.mark.parametrize("may_be_empty", [False, True])
def test_damages_of_a_recorder(may_be_empty: bool, tmp_path: Path) -> None:
    """What is saved is read without an error, with all sound frames, and with their positions in its index; also where
    the list has a condition that asks for the trailer, which may be gone.
    """
    made, text = recorder(), recorder_text(CHECKSUM, SYNC)
    if may_be_empty:
        text = text.replace("type: frame, repeat", "type: frame, if: _io.pos < trailer.index_position, repeat")
        made.declaration = kformat.parse_declaration(text)
    (tmp_path / "device.ksy").write_text(text)
    for name, (data, _, _) in cases(made).items():
        (tmp_path / f"{name}.bin").write_bytes(data)
    words = [str(tmp_path / f"{name}.bin") for name in cases(made)]
    saved = tmp_path / "saved"
    done = CliRunner().invoke(main, ["salvage", *words, "--as", str(tmp_path / "device.ksy"), "-o", str(saved)])
    assert done.exit_code == 1, done.output
    report = json.loads((saved / "kformat-salvage.json").read_text())
    for (name, (data, numbers, problems)), file in zip(cases(made).items(), report["files"], strict=True):
        written = (saved / f"{name}.bin").read_bytes()
        value = kformat.parse(made.declaration, written)
        assert numbers_of(value) == numbers, name
        assert len(file["problems"]) == problems and file["errors_left"] == 0, (name, file)
        assert (file["rows_count"], file["lost_ranges"]) == (len(numbers), name not in ("sound", "head", "index"))
        places = value.index.places
        assert [written[place:][:2] for place in places] == [SYNCS[SYNC]] * len(places)
        assert len(places) == -(-len(numbers) // 10)
        ranges = [one for one in file["ranges"] if one["outcome"] != "unplaced"]
        assert [ranges[0]["position"], *(one["end_position"] for one in ranges)] == [
            *(one["position"] for one in ranges),
            len(data),
        ]
        if name == "sound":
            assert written == data


@pytest.mark.parametrize("seed", range(200 if IS_NIGHT else 10))
def test_rows_are_those_of_a_scan(seed: int, tmp_path: Path) -> None:
    """Of several damages at once; whole rows that nothing leads to are kept aside."""
    chance = random.Random(f"saved {seed}")
    made = recorder(seed)
    data, _ = damaged(made, chance, chance.choice((1, 2, 3, 5)))
    (tmp_path / "device.bin").write_bytes(data)
    skipped = list[Any]()
    rows = kformat.scan(data, made.declaration, on_corrupt="skip", on_skipped=skipped.append).to_arrow().to_pylist()
    report = kformat.salvage_files(tmp_path / "device.bin", made.declaration, tmp_path / "saved")
    (file,) = report.files
    if not rows:
        assert file.remarks == ["no row can be read: nothing is written"]
        return
    assert kformat.scan(tmp_path / "saved" / "device.bin", made.declaration).to_arrow().to_pylist() == rows
    assert file.errors_left == 0 and file.is_whole == (not skipped)
    unplaced = [one for item in skipped for one in item.unplaced]
    path = tmp_path / "saved" / "unplaced" / "device.bin"
    assert path.exists() == bool(unplaced)
    if unplaced:
        assert path.read_bytes() == b"".join(data[one.position : one.end_position] for one in unplaced)
        assert file.summary()["unplaced_rows"] == sum(one.rows_count for one in unplaced)


def test_forged_rows_are_aside(tmp_path: Path) -> None:
    made = recorder()
    _, _, seal = CHECKSUMS[CHECKSUM]
    inner = frame(SYNCS[SYNC], seal, PLANTED, b"forged") * 3
    outer = bytearray(frame(SYNCS[SYNC], seal, 7, b"?" * 30 + inner + b"?" * 30))
    outer[2:12] = bytes(10)
    (tmp_path / "device.bin").write_bytes(made.data[: made.starts[7]] + outer + made.data[made.ends[7] :])
    report = kformat.salvage_files(tmp_path / "device.bin", made.declaration, tmp_path / "saved")
    assert (tmp_path / "saved" / "unplaced" / "device.bin").read_bytes() == inner
    value = kformat.parse(made.declaration, (tmp_path / "saved" / "device.bin").read_bytes())
    assert numbers_of(value) == set(range(40)) - {7} and report.summary()[0]["unplaced_rows"] == 3


COUNTED = """
meta: {id: counted, endian: le}
seq:
  - {id: count, type: u1}
  - {id: rows, type: row, repeat: expr, repeat-expr: count}
  - {id: note, type: strz, encoding: ASCII}
types:
  row:
    -checksum: {algorithm: crc32, field: crc}
    seq: [{id: size, type: u1}, {id: payload, size: size}, {id: crc, type: u4}]
"""


def test_a_list_with_a_count_and_a_tail(tmp_path: Path) -> None:
    """The count is that of the rows that are left."""
    declaration = kformat.parse_declaration(COUNTED)
    data = kformat.build(declaration, {"rows": [{"payload": bytes(n)} for n in range(5)], "note": "after"})
    (tmp_path / "a.bin").write_bytes(changed(data, 9, 1))
    report = kformat.salvage_files([tmp_path / "a.bin"], declaration, tmp_path / "saved")
    value = kformat.parse(declaration, (tmp_path / "saved" / "a.bin").read_bytes())
    assert (value.count, [row.size for row in value.rows], value.note) == (4, [0, 2, 3, 4], "after")
    assert report.files[0].errors_left == 0 and not report.is_whole


def test_what_cannot_be_built_again_is_said(tmp_path: Path) -> None:
    """A trailer whose position nothing derives: the rows are saved, and what is missing is an error that is left."""
    text = recorder_text(CHECKSUM, SYNC).replace(", -derive: {position-of: index}", "")
    made = recorder()
    (tmp_path / "cut.bin").write_bytes(made.data[: made.starts[20] + 7])
    report = kformat.salvage_files(tmp_path / "cut.bin", kformat.parse_declaration(text), tmp_path / "saved")
    (file,) = report.files
    assert file.remarks == [
        "what is around the rows is not built again: device.end.index_position: is missing: give an integer"
    ]
    assert file.errors_left
    assert (tmp_path / "saved" / "cut.bin").read_bytes() == made.data[: made.starts[20]]


def test_names_and_what_is_refused(tmp_path: Path) -> None:
    made = recorder()
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.bin").write_bytes(made.data)
    files = [tmp_path / "a" / "x.bin", tmp_path / "b" / "x.bin"]
    (tmp_path / "empty").write_bytes(b"")
    report = kformat.salvage_files([*files, tmp_path / "gone"], made.declaration, tmp_path / "saved")
    assert (tmp_path / "saved" / "b" / "x.bin").read_bytes() == made.data and len(report.unread) == 1
    report = kformat.salvage_files(tmp_path / "empty", made.declaration, tmp_path / "nothing")
    assert report.files[0].remarks == ["no row can be read: nothing is written"] and not report.is_whole
    assert not (tmp_path / "nothing" / "empty").exists()
    assert kformat.salvage_files(files[0], made.declaration, None, dry_run=True).is_whole
    with pytest.raises(UsageError, match="is not empty"):
        kformat.salvage_files(files[0], made.declaration, tmp_path / "saved")
    with pytest.raises(UsageError, match="is there twice"):
        kformat.salvage_files([files[0], files[0]], made.declaration, tmp_path / "new")
    several = AT_THE_END.replace("frames, type: frame", "groups, type: group") + FRAME.replace(
        "CHECKSUM", "doc: none"
    ).replace("CRC\n", "\n").replace("SYNC", "[1]")
    several += "  group: {seq: [{id: frames, type: frame, repeat: expr, repeat-expr: 2}]}\n"
    with pytest.raises(UsageError, match="the rows of several lists"):
        kformat.salvage_files(files[0], kformat.parse_declaration(several), tmp_path / "new", row="groups.frames")
    for words in (["--undo"], ["--in-place"], ["--content", "guessed"], ["--place-unanchored"]):
        done = CliRunner().invoke(main, ["salvage", str(files[0]), "--as", "varint", *words])
        assert done.exit_code == 2 and "does not go with --as" in done.output, words
    assert CliRunner().invoke(main, ["salvage", str(files[0]), "--row", "x", "-o", "y"]).exit_code == 2


def test_a_sound_file_without_rows_is_copied(tmp_path: Path) -> None:
    declaration = kformat.parse_declaration(
        AT_THE_END + FRAME.replace("CHECKSUM", "doc: none").replace("CRC\n", "\n").replace("SYNC", "[1]")
    )
    (tmp_path / "empty").write_bytes(b"HEAD" + bytes(12))
    report = kformat.salvage_files(tmp_path / "empty", declaration, tmp_path / "saved")
    assert report.is_whole and (tmp_path / "saved" / "empty").read_bytes() == b"HEAD" + bytes(12)
