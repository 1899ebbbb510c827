"""Run the targets, two at a time, and say what came of them; exit status 1 where something was found."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from tests.fuzz.seeds import MOST_BYTES, seeds
from tests.fuzz.targets import TARGETS

LONGEST_S: Final = 60
"""For one input; loading numba's machine code is part of the first."""
MOST_MIB: Final = 2048
"""At once. The process may have three times as much: what the fuzzer itself keeps grows by 200 KB with each folder."""
_AT_ONCE: Final = 2
_SEEDS_PER_S: Final = 5
"""A run begins with all seeds; most of its time is for what comes of them."""
_ROOT: Final = Path(__file__).resolve().parents[2]


def run(target: str, seconds: int, seed: int, scratch: Path, keep: Path) -> tuple[bool, str]:
    """Fuzz one target: whether nothing was found, and what is to be said of it."""
    given, found = scratch / target / "seeds", scratch / target / "new"
    given.mkdir(parents=True)
    found.mkdir()
    for number, data in enumerate(seeds(target, _SEEDS_PER_S * seconds)):
        (given / f"{number:05d}").write_bytes(data)
    command = [sys.executable, "-m", "tests.fuzz.one", target, "--fuzz", str(found), str(given)]
    limits = {
        "seed": seed,
        "max_total_time": seconds,
        "timeout": LONGEST_S,
        "report_slow_units": LONGEST_S,  # it would keep as found what takes ten seconds on a busy machine
        "malloc_limit_mb": MOST_MIB,
        "rss_limit_mb": 3 * MOST_MIB,
        "max_len": MOST_BYTES,
    }
    command += [f"-{name}={value}" for name, value in limits.items()]
    command += [f"-artifact_prefix={scratch / target}/", "-print_final_stats=1", "-verbosity=1"]
    done = subprocess.run(
        command, cwd=_ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False
    )
    count = re.search(r"number_of_executed_units: *(\d+)", done.stdout)
    told = f"{target}: {count[1] if count else 'no'} inputs in {seconds} s"
    inputs = [path for path in (scratch / target).iterdir() if path.is_file()]
    if not inputs and done.returncode == 0 and count:
        return True, told
    keep.mkdir(parents=True, exist_ok=True)
    for path in inputs:
        shutil.copy(path, keep / f"{target}-{path.name}")
        told += f"\n    python -m tests.fuzz.one {target} {keep / f'{target}-{path.name}'}"
    return False, f"{told}\n{done.stdout[-6000:]}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for all targets together (60)")
    parser.add_argument("--seed", type=int, default=0, help="of the fuzzer's choices; 0 is another one each time (0)")
    parser.add_argument("--keep", type=Path, default=_ROOT / ".fuzz", help="where inputs go that were found (.fuzz)")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"{', '.join(TARGETS)}; all of them by default")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.targets if name not in TARGETS]
    if unknown:
        parser.error(f"no target {unknown[0]!r}; there are {', '.join(TARGETS)}")
    names = asked.targets or list(TARGETS)
    seconds = max(1, asked.seconds * min(_AT_ONCE, len(names)) // len(names))
    with tempfile.TemporaryDirectory(prefix="kformat-fuzz-") as scratch, ThreadPoolExecutor(_AT_ONCE) as pool:
        outcomes = list(pool.map(lambda name: run(name, seconds, asked.seed, Path(scratch), asked.keep), names))
    for _, told in outcomes:
        print(told)
    return 0 if all(is_sound for is_sound, _ in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
