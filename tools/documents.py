"""Documents whose examples run: find their code blocks, run them, write down what they print.

One rule per language of a fenced block, the same for the test that compares and for `make generate` that rewrites:

* `console`: lines that begin with `$ ` are commands for the shell, what follows up to the next one is what they print
  (standard output and standard error, as a terminal shows them).
* `python`: run in one namespace per document, in the document's order. A `text` block right after it is what it
  prints; without one it must print nothing.
* `yaml NAME.ksy`, `python NAME.py`, `text FOLDER/NAME`: a file that the examples below it can read by that name; it
  is not run by itself.
* every other language is left alone (`tests/test_readme.py` has rules for `bash`).

Blocks run in a directory that holds links to what they may read, so that an example that writes leaves the tree alone.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import io
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROMPT = "$ "
COMMAND_TIMEOUT_S = 300
_FENCED = re.compile(r"^```(?P<language>\w*) ?(?P<name>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced block: its language and name, the text between the fences, and where that stands in the document."""

    language: str
    name: str
    body: str
    start: int
    end: int
    line: int


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a Markdown document, in order. `line` counts from 1 and is the opening fence's."""
    return [
        Block(m["language"], m["name"], m["body"], m.start("body"), m.end("body"), text.count("\n", 0, m.start()) + 1)
        for m in _FENCED.finditer(text)
    ]


def commands(block: Block) -> list[str]:
    """The commands of a `console` block, without their prompts."""
    return [line.removeprefix(PROMPT) for line in block.body.splitlines() if line.startswith(PROMPT)]


def environment() -> dict[str, str]:
    """What commands run in: this interpreter's `kformat` first on the PATH, and nothing that changes its text."""
    scripts = Path(sys.executable).parent
    kept = {name: value for name, value in os.environ.items() if name != "CI"}  # pytest prints longer lines there
    return kept | {
        "PATH": f"{scripts}{os.pathsep}{os.environ.get('PATH', '')}",
        "COLUMNS": "120",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "TZ": "UTC",
    }


@contextlib.contextmanager
def working_directory() -> Iterator[Path]:
    """A temporary directory to run examples in, with `samples` in it as in the project's root."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        Path("samples").symlink_to(ROOT / "samples", target_is_directory=True)
        yield Path(name)


@functools.cache
def _forked_command() -> str:
    """A folder with a `kformat` that costs a fork; gone with this process."""
    from tests.zygote import Zygote  # the demo, which uses this module, has to do without the tests

    started = Zygote()
    atexit.register(started.close)
    return str(started.folder)


def shell(command: str, first_on_path: str = "") -> str:
    """What one command of a `console` block prints in the current directory; its exit status is not looked at."""
    given = environment()
    done = subprocess.run(
        command,
        shell=True,
        env=given | {"PATH": f"{first_on_path}{os.pathsep}{given['PATH']}"} if first_on_path else given,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=COMMAND_TIMEOUT_S,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return done.stdout if not done.stdout or done.stdout.endswith("\n") else done.stdout + "\n"


def needs_spark(block: Block) -> bool:
    """Whether a `python` block starts a Spark session: those are left to a test that is marked so."""
    return block.language == "python" and "spark" in block.body


def run_python(block: Block, namespace: dict[str, object], document: str) -> str:
    """Run a `python` block in `namespace` and return what it printed; tracebacks show the document's own lines."""
    code = compile("\n" * block.line + block.body, document, "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)
    return printed.getvalue()


def refreshed(text: str, document: str = "<document>") -> str:
    """The same document with every output as it is now; equal to `text` when the document tells the truth.

    Raises whatever an example raises, and ValueError where a `python` block prints and no `text` block says what.
    """
    found = blocks(text)
    namespace: dict[str, object] = {"__name__": "__main__"}
    edits: list[tuple[Block, str]] = []
    with working_directory():
        for block, following in itertools.zip_longest(found, found[1:]):
            if block.language == "console":
                edits.append(
                    (block, "".join(f"{PROMPT}{one}\n{shell(one, _forked_command())}" for one in commands(block)))
                )
            elif block.name:
                Path(block.name).parent.mkdir(parents=True, exist_ok=True)
                Path(block.name).write_text(block.body, encoding="utf-8")
            elif block.language == "python" and not needs_spark(block):
                printed = run_python(block, namespace, document)
                if following and text[block.end : following.start].split() == ["```", "```text"]:
                    edits.append((following, printed))
                elif printed:
                    raise ValueError(f"{document}:{block.line} prints {printed!r}, and no text block after it says so")
    for block, body in reversed(edits):
        text = text[: block.start] + body + text[block.end :]
    return text
