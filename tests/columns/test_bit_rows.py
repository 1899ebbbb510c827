"""Rows whose fields are bits, narrower than a byte or not whole bytes: every reader has the rows that a parse has."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.columns.rows import find
from kformat.errors import DataError, LimitError
from tests.columns.comparing import scanned
from tests.draws import at_most

pytest.importorskip("pyarrow")
pytest.importorskip("numba")


def declaration(rng: random.Random, number: int) -> str:
    """A list of rows of a few bits, which may be conditional, in structures or followed by whole bytes."""
    order = rng.choice(("be", "le"))
    widths = [rng.choice((1, 2, 3, 4, 5, 7, 8, 9, 12, 15)) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    fields = [f"{{id: f{at}, type: b{width}}}" for at, width in enumerate(widths)]
    if rng.random() < 0.2:
        fields.append(f"{{id: more, type: b3, if: {'f0' if widths[0] == 1 else 'f0 > 1'}}}")
    if rng.random() < 0.15:
        fields.append("{id: byte, type: u1}")
    until = f"repeat: until, repeat-until: _.f0{' == 1' * (widths[0] > 1)}"
    repeat = rng.choice((*["repeat: eos"] * 3, "repeat: expr, repeat-expr: count", until))
    if rng.random() < 0.3 and repeat != until and "more" not in str(fields):  # nothing depends on a wrong value
        fields[0] = fields[0].replace("}", ", valid: true}" if widths[0] == 1 else ", valid: {max: 5}}")
    head = rng.choice(("{id: count, type: u1}", "{id: count, type: b12}", "{id: count, type: b5}"))
    tail = (
        "" if repeat == "repeat: eos" else rng.choice(("", "  - {id: tail, type: u1}\n", "  - {id: tail, type: b2}\n"))
    )
    row, nested = f"{{id: rows, type: row, {repeat}}}", rng.random() < 0.2
    if nested and "eos" not in repeat:
        row = "{id: blocks, type: block, repeat: expr, repeat-expr: 2}"
    around = f"  block: {{seq: [{{id: count, type: b3}}, {{id: rows, type: row, {repeat}}}]}}\n"
    return (
        f"meta: {{id: bits_{number}, endian: be, bit-endian: {order}}}\nseq:\n  - {head}\n  - {row}\n{tail}"
        f"types:\n{around}  row: {{seq: [{', '.join(fields)}]}}\n"
    )


def plain(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def parsed(made: Any, data: bytes, path: tuple[str, ...]) -> tuple[list[dict[str, object]], DataError | None]:
    """The rows that a parse reads, and what is wrong after them."""
    error = None
    try:
        value = kformat.parse(made, data, trailing="keep")
    except DataError as problem:
        value, error = problem.partial, problem
    lists = [value]
    for name in path:
        lists = [found for one in lists if (found := getattr(one, name, None)) is not None]
        lists = [one for found in lists for one in (found if isinstance(found, list) else [found])]
    return plain([one._asdict() for one in lists]), error


READERS: tuple[dict[str, Any], ...] = ({}, {"stretch_bytes": 1}, {"with_kernels": True, "with_fixed": False})


@pytest.mark.parametrize("seed", range(at_most(12)))
def test_rows_of_bits_are_those_of_a_parse(seed: int) -> None:
    rng = random.Random(seed)
    for number in range(6):
        text = declaration(rng, number)
        made, lenient = (kformat.parse_declaration(one) for one in (text, re.sub(", valid: ({.*?}|true)", "", text)))
        path = find(made, "row").path
        for data in (b"", *(rng.randbytes(size) for size in (1, 2, 5, 17))):
            rows, error = parsed(made, data, path)
            sound, _ = parsed(lenient, data, path)
            sound = [row for row in sound if "valid" not in text or row.get("f0") in (True, *range(6))]
            scan = kformat.scan(data, made, row="row", trailing="keep")
            skipping = kformat.scan(data, made, row="row", trailing="keep", on_corrupt="skip")
            for inner in READERS:
                about = text, data.hex(), inner
                found = scanned(scan, **inner)
                assert str(found.error) == str(error), about
                for some, wanted in ((found, rows), (scanned(skipping, **inner), sound)):
                    whole = plain(some.rows)  # the last one of a parse may be a part of a row
                    assert whole == wanted[: len(whole)] and len(wanted) - len(whole) <= (error is not None), about


def test_positions_checks_and_commands_of_rows_of_bits(tmp_path: Path) -> None:
    (tmp_path / "nibbles.ksy").write_text(
        "meta: {id: nibbles}\nseq: [{id: rows, type: nibble, repeat: eos}]\n"
        "types: {nibble: {seq: [{id: value, type: b4, valid: {max: 8}}]}}\n"
    )
    (tmp_path / "sound.bin").write_bytes(b"\x12\x34\x56")
    (tmp_path / "bad.bin").write_bytes(b"\x12\x94\x5f")
    made = kformat.load_declaration(tmp_path / "nibbles.ksy")
    places = kformat.scan(tmp_path / "sound.bin", made, columns=["value", "_position", "_index"]).to_arrow().to_pylist()
    assert [tuple(row.values()) for row in places] == [(1, 0, 0), (2, 0, 1), (3, 1, 2), (4, 1, 3), (5, 2, 4), (6, 2, 5)]
    skipped: list[Any] = []
    left = kformat.scan(tmp_path / "bad.bin", made, on_corrupt="skip", on_skipped=skipped.append).to_arrow()
    assert left["value"].to_pylist() == [1, 2, 4, 5] and [one.problem.found for one in skipped] == [9, 15]
    run = CliRunner().invoke
    how = ["--as", str(tmp_path / "nibbles.ksy")]
    sound, bad = (run(main, ["check", *how, str(tmp_path / name)]) for name in ("sound.bin", "bad.bin"))
    assert sound.exit_code == 0 and bad.exit_code == 1 and bad.output.count("error KF1002") == 2, bad.output
    assert "rows  6" in run(main, ["stats", *how, str(tmp_path / "sound.bin")]).output


@pytest.mark.parametrize("rows", ["repeat: eos", "repeat: expr, repeat-expr: 2000000"])
def test_rows_without_bits_are_still_bounded(rows: str) -> None:
    made = kformat.parse_declaration(
        f"meta: {{id: none}}\nseq: [{{id: a, type: b4}}, {{id: rows, type: row, {rows}}}]\n"
        "types: {row: {seq: [{id: b, type: b3, if: false}]}}"
    )
    assert isinstance(scanned(kformat.scan(b"ab", made)).error, LimitError)
