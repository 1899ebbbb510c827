"""What a terminal obeys: record bytes come to one escaped, and to a pipe or a file as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kformat.cli import main
from kformat.testing.files import log_files
from kformat.testing.objects import write_files
from tests.terminal import on_a_terminal

HOSTILE = b"\x1b]0;owned\x07\x1b[2J \x9b31m \xc2\x9b \x7f\r\ttab \xe2\x80\xae gr\xc3\xb6\xc3\x9fe \x00"
SAFE = "\\x1b]0;owned\\x07\\x1b[2J \\x9b31m \\x9b \\x7f\\r\ttab \\u202e größe \\x00"
SHOWN = {"grep": 3, "grep --csv": 2, "log read": 1, "log tail": 1, "dump": 0, "export": 2}
SAFE_AS_JAVA = SAFE.replace("\\x9b31m", "\ufffd31m", 1)  # dump and grep print what is no UTF-8 as Kafka's tool does
COMMANDS = (b"\x1b", b"\x07", b"\x00", b"\x7f", b"\x9b", b"\r", b"\xe2\x80\xae")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    record = {"key": HOSTILE, "value": HOSTILE, "headers": [(HOSTILE.decode("utf-8", "replace"), b"")]}
    return write_files(log_files([record]), tmp_path / "orders-0")


def shown_by(*arguments: object) -> bytes:
    """What a verb prints to a terminal."""
    status, shown = on_a_terminal(arguments, streams=["stdout"])
    assert status == 0
    return shown


def verbs(folder: Path) -> dict[str, list[object]]:
    log = folder / f"{0:020d}.log"
    return {
        "grep": ["grep", "owned", folder],
        "grep --csv": ["grep", "owned", folder, "--format", "csv", "--bytes", "text"],
        "log read": ["log", "read", folder],
        "log tail": ["log", "tail", folder],
        "dump": ["dump", "--print-data-log", log],
        "export": ["export", folder, "--format", "csv", "--bytes", "text"],
    }


def piped(*arguments: object) -> bytes:
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exit_code == 0, done.stderr
    return done.stdout_bytes


def is_safe(text: bytes) -> bool:
    return not any(command in text for command in COMMANDS)


@pytest.mark.parametrize("name", ["grep", "grep --csv", "log read", "log tail", "dump", "export"])
def test_records_are_escaped_where_a_terminal_reads_them(folder: Path, name: str) -> None:
    """By `dump` on demand alone: its text is Kafka's."""
    arguments = verbs(folder)[name]
    raw, shown = piped(*arguments), shown_by(*arguments)
    assert not is_safe(raw)
    assert shown.decode().count(SAFE if name.startswith("log") else SAFE_AS_JAVA) == SHOWN[name] and (
        shown == raw if name == "dump" else is_safe(shown)
    )
    if name == "export":
        return
    assert piped(*arguments, "--escape").decode().count(SAFE if name.startswith("log") else SAFE_AS_JAVA) == (
        SHOWN[name] or 3
    )
    if name != "dump":
        assert piped(*arguments, "--escape") == shown
        assert piped(*arguments, "--no-escape") == shown_by(*arguments, "--no-escape") == raw


def test_json_needs_no_escaping(folder: Path) -> None:
    for verb in (["grep", "owned"], ["log", "read"]):
        for how in ([], ["--escape"]):
            (found,) = map(json.loads, piped(*verb, folder, "--format", "nl", "--bytes", "text", *how).splitlines())
            assert found["value"].startswith("\x1b]0;owned\x07") and "\x7f" in found["value"]
