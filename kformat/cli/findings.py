"""Print findings of any origin: as lines, in groups, as numbers, and in formats for other programs."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from kformat.check.checker import RULES
from kformat.cli import complain, is_quiet, one_line, remark, say
from kformat.cli.annotations import annotation, sarif
from kformat.cli.output import Output, Styled, styled, write_objects
from kformat.cli.progress import ProgressLine
from kformat.cli.reading import holds_a_file, nothing_found
from kformat.errors import UsageError
from kformat.kafka.files.file_kinds import parse_folder_name
from kformat.kafka.findings.directory import NOT_JUDGED
from kformat.kafka.findings.explanations import explanations
from kformat.kafka.findings.rules import SEVERITIES, Finding
from kformat.storage.address import base_name, folder_of

_MANY: Final = 10
"""If there are more findings, text ends with the number of each rule."""
SHAPES: Final = ("text", "json", "nl", "sarif", "github")
_PLACE: Final = {"bold": True}
RULE_STYLE: Final = {"bold": True}
SEVERITY_STYLES: Final[dict[str, dict[str, Any]]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow"},
    "info": {"fg": "cyan"},
}


@dataclass(frozen=True)
class How:
    """How findings are printed: from which ``severity`` up, in which shape, only as numbers, in which groups.

    Raises UsageError for options that do not go together.
    """

    severity: str
    shape: str
    statistics: bool
    group_by: str | None

    def __post_init__(self) -> None:
        if self.statistics and self.shape in ("sarif", "github"):
            raise UsageError(f"--statistics are numbers: --format {self.shape} has findings only; text, json and nl go")
        if self.group_by is not None and not self.statistics and self.shape != "text":
            raise UsageError(f"--group-by puts headings into text; --format {self.shape} has none")


def _partition_of(finding: Finding) -> str:
    """The partition's folder that a finding is about; of a root's own file, the root."""
    is_folder = parse_folder_name(base_name(finding.file)) is not None
    return finding.file if is_folder else folder_of(finding.file)


def _below(finding: Finding, folder: str) -> str:
    """A finding's place relative to its folder."""
    name = "" if finding.file == folder else base_name(finding.file)
    return name if finding.position is None else f"{name}:{finding.position}"


GROUPS: Final[dict[str, Callable[[Finding], str]]] = {
    "rule": lambda finding: finding.rule,
    "partition": _partition_of,
    "file": lambda finding: finding.file,
}
"""What findings may be grouped by -> the name of a finding's group."""


class _Silent:
    """The paths without findings, except that a file was not judged: ``paths``, keyed by their names without a slash at
    the end."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = {path.rstrip("/"): path for path in paths}
        self._last = ""

    def take(self, file: str) -> None:
        """Remove the paths that are this file, or contain it."""
        if not self.paths or file == self._last:
            return
        self._last, end = file, len(file)
        while end > 0:
            self.paths.pop(file[:end].rstrip("/"), None)
            end = file.rfind("/", 0, end)
        if file.startswith("/"):
            self.paths.pop("", None)


def print_findings(paths: Iterable[str], findings: Iterable[Finding], how: How, progress: ProgressLine) -> int:
    """Print findings from a severity up, as they come unless they are grouped, and then their number; return the exit
    status.

    A path in which nothing of Kafka's was found is reported: it must not look sound.
    """
    out = Output()
    counts, not_judged, statuses = Counter[str](), Counter[str](), [0]
    silent = _Silent(paths)

    def selected() -> Iterator[Finding]:
        for finding in findings:
            if finding.rule != NOT_JUDGED.id:
                silent.take(finding.file)
            if SEVERITIES.index(finding.severity) > SEVERITIES.index(how.severity):
                if finding.rule == NOT_JUDGED.id:
                    not_judged[finding.message.removeprefix("not judged: ")] += 1
                continue
            counts[finding.rule] += 1
            statuses.append(finding.exit_status)
            progress.clear()
            yield finding

    try:
        if how.statistics:
            _print_statistics(out, selected(), how)
        elif how.group_by is not None:
            _print_groups(out, selected(), how.group_by)
        elif how.shape == "text":
            for finding in selected():
                out.parts(*_line(finding))
        elif how.shape == "github":
            for finding in selected():
                out.line(annotation(finding))
        elif how.shape == "sarif":
            out.line(json.dumps(sarif(selected()), indent=1))
        else:
            write_objects(out, map(_finding_object, selected()), how.shape, bytes.hex)
    finally:
        progress.clear()
    out.flush()
    statuses += [complain(nothing_found(path)) for path in silent.paths.values() if not holds_a_file(path)]
    if counts or (not_judged and not max(statuses)) or sys.stderr.isatty():
        _summarise(counts, not_judged, how)
    return max(statuses)


# --- lines of text -------------------------------------------------------------------------------------------------


def _line(finding: Finding, place: str | None = None, *, names_rule: bool = True) -> list[str | Styled]:
    """A finding as the parts of a line, as `Finding.__str__` has them; ``place`` stands for its file and position."""
    parts: list[str | Styled] = []
    if place is None or place:
        parts += [Styled(one_line(finding.place if place is None else place), _PLACE), " "]
    if names_rule:
        parts += [Styled(finding.severity, SEVERITY_STYLES[finding.severity]), " "]
        parts += [Styled(finding.rule, RULE_STYLE), " "]
    if finding.path:
        parts += [one_line(finding.path), " "]
    if len(parts) > 0:  # the last is a space
        parts[-1] = ": "
    return [*parts, one_line(finding.message)]


def _print_groups(out: Output, findings: Iterable[Finding], group_by: str) -> None:
    """Print the findings of each group below a heading that counts them."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(GROUPS[group_by](finding), []).append(finding)
    names = list(groups)
    if group_by == "rule":
        names.sort(key=lambda id: (-len(groups[id]), id))
    for number, name in enumerate(names):
        if number:
            out.line("")
        out.parts(*_heading(name, Counter(finding.rule for finding in groups[name]), group_by))
        for finding in groups[name]:
            match group_by:
                case "rule":
                    parts = _line(finding, names_rule=False)
                case "file":
                    parts = _line(finding, "" if finding.position is None else str(finding.position))
                case _:
                    parts = _line(finding, _below(finding, name))
            out.parts("  ", *parts)


def _heading(name: str, counts: Counter[str], group_by: str) -> list[str | Styled]:
    if group_by != "rule":
        return [Styled(one_line(name), _PLACE), f": {_severities(counts)}"]
    severity = RULES[name].severity
    title = f" {explanations()[name].title}: {counts[name]}"
    return [Styled(severity, SEVERITY_STYLES[severity]), " ", Styled(name, RULE_STYLE), title]


# --- numbers -------------------------------------------------------------------------------------------------------


def _print_statistics(out: Output, findings: Iterable[Finding], how: How) -> None:
    counts: dict[str, Counter[str]] = {}
    group = GROUPS[how.group_by] if how.group_by not in (None, "rule") else None
    for finding in findings:
        counts.setdefault("" if group is None else group(finding), Counter())[finding.rule] += 1
    if how.shape != "text":
        rows = (
            row if group is None else {how.group_by: name, **row}
            for name, rules in counts.items()
            for row in _statistics(rules)
        )
        write_objects(out, rows, how.shape, bytes.hex)
        return
    for number, (name, rules) in enumerate(counts.items()):
        if group is not None:
            if number:
                out.line("")
            out.parts(*_heading(name, rules, str(how.group_by)))
        for parts in _statistics_lines(rules):
            out.parts(*(["  "] if group is not None else []), *parts)


def _statistics(counts: Counter[str]) -> list[dict[str, Any]]:
    """How many findings each rule has, most first."""
    return [
        {"count": count, "rule": id, "severity": RULES[id].severity, "title": explanations()[id].title}
        for id, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


def _statistics_lines(counts: Counter[str]) -> Iterator[list[str | Styled]]:
    rows = _statistics(counts)
    width = max((len(str(row["count"])) for row in rows), default=0)
    longest = max((len(row["severity"]) for row in rows), default=0)
    for row in rows:
        yield [
            f"{row['count']:{width}}  ",
            Styled(row["rule"], RULE_STYLE),
            "  ",
            Styled(f"{row['severity']:{longest}}", SEVERITY_STYLES[row["severity"]]),
            f"  {row['title']}",
        ]


def _severities(counts: Counter[str]) -> str:
    """How many findings of each severity there are, in words."""
    of = Counter[str]()
    for id, count in counts.items():
        of[RULES[id].severity] += count
    words = zip(SEVERITIES, ("error", "warning", "remark"), strict=True)
    return ", ".join(
        f"{of[name]} {word}{'' if of[name] == 1 else 's'}" for name, word in words if of[name] or word != "remark"
    )


def _summarise(counts: Counter[str], not_judged: Counter[str], how: How) -> None:
    """Print the numbers on standard error; for many findings also those of each rule."""
    if is_quiet():
        return
    if how.shape == "text" and not how.statistics and how.group_by != "rule" and counts.total() > _MANY:
        say("")
        for parts in _statistics_lines(counts):
            say(styled(parts, sys.stderr))
    remark(_severities(counts))
    if not_judged:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in sorted(not_judged.items()))
        remark(f"not judged (--severity info lists them): {kinds}")
    if how.shape == "text" and counts:
        worst = min(counts, key=lambda id: (SEVERITIES.index(RULES[id].severity), -counts[id], id))
        remark(f"`kformat explain {worst}` says what that means and what mends it")


# --- other shapes --------------------------------------------------------------------------------------------------


def _finding_object(finding: Finding) -> dict[str, Any]:
    values = {**asdict(finding), "mended_by": finding.mended_by}
    return {
        name: value if value is None or isinstance(value, int | str) else str(value) for name, value in values.items()
    }
