"""`LogConfig.from_properties` beside Kafka's own classes: of the newest release and of 3.9.2.

What settings there are, their types, defaults and limits are compared with LogConfig's ConfigDef; which of a broker's
names go for them, and in which order, with its table of synonyms. Then both are given the same properties, some 700
sets of them, single ones and several at once: both must refuse, or both find the same. Where we mean to differ,
`DIFFERENT` says why.
"""

from __future__ import annotations

import functools
import random
import re
from typing import Any, NamedTuple

import pytest

from kformat_engine.config import SETTINGS, WITHOUT_EFFECT, LogConfig, Release
from kformat_engine.errors import ConfigError
from tests.draws import newest_by_day
from tests.judges import java_tools, releases
from tests.judges.required import require

pytestmark = pytest.mark.judge

RELEASES: dict[str, Release] = {releases.NEWEST: "4.4", releases.OLDER: "3.9"}

# Definitions that are not ours to the letter, and why.
DEFINED_OTHERWISE = {
    (
        releases.NEWEST,
        "segment.bytes",
    ): "LogConfig takes 14, as internal.segment.bytes may be; from_properties asks for 1 MiB",
    (releases.NEWEST, "segment.index.bytes"): "with less than 12 bytes Kafka cannot make a time index",
    (releases.OLDER, "segment.index.bytes"): "with less than 12 bytes Kafka cannot make a time index",
    (
        releases.OLDER,
        "message.timestamp.after.max.ms",
    ): "no limit up to 3.9: from_properties knows, LogConfig() is of 4.x",
}
# Settings that one release line has on top of ours.
OWN = {releases.NEWEST: {"internal.segment.bytes"}, releases.OLDER: {"message.timestamp.difference.max.ms"}}

# What only Kafka takes, and why we do not: patterns of "name=text".
NO_TIME_INDEX = "with less than 12 bytes Kafka cannot make a time index, and fails when it makes a segment"
DIFFERENT = {
    r"(segment\.index\.bytes|log\.index\.size\.max\.bytes)=\s*(0*[4-9]|1[01])\s*": NO_TIME_INDEX,
    r"internal\.segment\.bytes=\s*(-\d+|0*\d|1[0-3])\s*": "Kafka checks nothing here; no message is that small",
    r"min\.cleanable\.dirty\.ratio=NaN": "a range that is no range",
    r"min\.cleanable\.dirty\.ratio=0x1p-1": "Java's hexadecimal floating point",
    "segment\\.ms=\u0663": "Java's digits of other scripts",
}
ONLY_KAFKAS = (
    "segment.index.bytes=4", "log.index.size.max.bytes=11", "internal.segment.bytes=13", "internal.segment.bytes=-1",
    "min.cleanable.dirty.ratio=NaN", "min.cleanable.dirty.ratio=0x1p-1", "segment.ms=\u0663",
)  # fmt: skip

TEXTS = {
    "int": ["0", "-1", "1", "4", "9", "12", "14", "17", "22", "23", "1048575", "1048576", " +2000000 ", "2147483647",
            "2147483648", "-131072", "-131073", "1_0", "1.0", "", "x", "007", "0x10", "--1", "\t5\n"],
    "long": ["0", "-1", "-2", "1", "5", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "5L", "",
             "+7", "1e3", " 8 "],
    "double": ["0", "1", "0.5", ".5", "1.", "1.0001", "-0.1", "1e-1", "0.5d", "0.25F", "", "x", "1_0", "inf"],
    "boolean": ["true", "FALSE", " True ", "yes", "", "1"],
    "string": ["CreateTime", "LogAppendTime", "createtime", " producer ", "none", "uncompressed", "GZIP", "zstd", ""],
    "list": ["", "delete", "compact", "compact,delete", " delete , compact ", "delete,delete", "delete,", ",", "x",
             "Delete"],
}  # fmt: skip


class Definition(NamedTuple):
    kind: str
    default: str
    validator: str


class Answers(NamedTuple):
    definitions: dict[str, Definition]
    synonyms: dict[str, list[tuple[str, int]]]
    found: list[dict[str, str] | str]


def all_names() -> list[tuple[str, str]]:
    """Every name that is read, topic's and broker's, and its type."""
    found = [
        (name, setting.kind)
        for setting in SETTINGS.values()
        for name in dict.fromkeys([setting.name, *(broker_name for broker_name, _ in setting.broker_names)])
    ]
    older = "message.timestamp.difference.max.ms"
    return [*found, ("internal.segment.bytes", "int"), (older, "long"), (f"log.{older}", "long")]


def one(text: str) -> dict[str, str]:
    name, value = text.split("=")
    return {name: value}


def requests() -> list[dict[str, str]]:
    """Each name with each text of its type; then handfuls of names, those of one setting more often than not."""
    found = [{name: text} for name, kind in all_names() for text in TEXTS[kind]]
    found += [one(text) for text in ONLY_KAFKAS]
    draw = random.Random(5)
    related = [
        ["segment.ms", "log.roll.ms", "log.roll.hours"],
        ["segment.jitter.ms", "log.roll.jitter.ms", "log.roll.jitter.hours"],
        ["retention.ms", "log.retention.ms", "log.retention.minutes", "log.retention.hours"],
        ["flush.ms", "log.flush.interval.ms", "log.flush.scheduler.interval.ms"],
        ["segment.bytes", "internal.segment.bytes", "log.segment.bytes"],
        [
            prefix + f"message.timestamp.{which}.max.ms"
            for which in ("before", "after", "difference")
            for prefix in ("", "log.")
        ],
        ["min.compaction.lag.ms", "max.compaction.lag.ms"] * 2
        + ["log.cleaner.min.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms"],
        ["cleanup.policy", "log.cleanup.policy", "max.compaction.lag.ms", "segment.ms"],
    ]
    kinds = dict(all_names())
    good = {
        "int": ["1", "7", "2000000", "3000000"],
        "long": ["-1", "1", "5", "7", "11", "9223372036854775807"],
        "list": TEXTS["list"][:5],
    }
    for number in range(400):
        names = draw.sample(related[number % len(related)], draw.randrange(2, 4))
        found.append({name: draw.choice(good[kinds[name]]) for name in names})
    return found


@functools.cache
def answers(version: str) -> Answers:
    lines = [" ".join(f"{name}={text}".encode().hex() for name, text in one.items()) for one in requests()]
    stdin = "".join(f"{line}\n" for line in lines).encode()
    done = java_tools.java(version, "LogConfigs", [], stdin=stdin)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    result = Answers({}, {}, [])
    for line in done.stdout.decode().splitlines():
        match line.split("\t"):
            case ["topic", name, kind, default, validator]:
                result.definitions[name] = Definition(kind.lower(), default, validator)
            case ["synonym", name, broker_name, factor]:
                result.synonyms.setdefault(name, []).append((broker_name, int(factor)))
            case ["ok", *pairs]:
                result.found.append(dict(pair.split("=", 1) for pair in pairs))
            case _ if line.startswith("error "):
                result.found.append(line)
    assert len(result.found) == len(lines)
    return result


def validator(name: str) -> str:
    """What Kafka says of a setting's values, made of what we say of them."""
    setting = SETTINGS[name]
    low, high = int(setting.minimum), int(setting.maximum)
    if setting.allowed:
        return f"[{', '.join(setting.allowed)}]"
    if name == "compression.gzip.level":
        return "[1,...,9] or -1"
    if setting.kind == "boolean" or low < -(2**30):
        return "null"
    return f"[{low},...]" if high >= 2**31 - 1 else f"[{low},...,{high}]"


@pytest.mark.parametrize("version", newest_by_day(*RELEASES))
def test_settings_are_those_of_kafka(version: str) -> None:
    require(version)
    found = answers(version)
    defaults = LogConfig().to_properties()
    ours = {name: Definition(SETTINGS[name].kind, defaults[name], validator(name)) for name in SETTINGS}
    assert found.definitions.keys() - SETTINGS.keys() - WITHOUT_EFFECT == OWN[version]
    assert SETTINGS.keys() <= found.definitions.keys()
    different = {(version, name) for name, definition in ours.items() if found.definitions[name] != definition}
    assert different == {key for key in DEFINED_OTHERWISE if key[0] == version}
    assert {name: list(SETTINGS[name].broker_names) for name in SETTINGS} == {
        name: synonyms for name, synonyms in found.synonyms.items() if name in SETTINGS
    }


def values(config: LogConfig) -> dict[str, str]:
    """What a configuration says, in the judge's words."""
    found = {name: str(getattr(config, setting.field)) for name, setting in SETTINGS.items()}
    found["cleanup.policy"] = ",".join(config.cleanup_policy)
    found["preallocate"] = found["preallocate"].lower()
    return found | {"max_segment_ms": str(config.max_segment_ms)}


@pytest.mark.parametrize("version", newest_by_day(*RELEASES))
def test_properties_say_what_they_say_to_kafka(version: str) -> None:
    require(version)
    wrong: list[Any] = []
    taken = 0
    for request, expected in zip(requests(), answers(version).found, strict=True):
        found: dict[str, str] | str
        try:
            found = values(LogConfig.from_properties(request, release=RELEASES[version]))
        except ConfigError as error:
            found = f"error {error}"
        if isinstance(expected, str) or isinstance(found, str):
            agree = isinstance(found, str) and (isinstance(expected, str) or is_different(request))
        else:
            taken += 1
            expected = {name: value for name, value in expected.items() if name in found}
            # Up to 3.9 a policy may stand there twice.
            expected["cleanup.policy"] = ",".join(dict.fromkeys(expected["cleanup.policy"].split(",")))
            agree = found == expected
        if not agree:
            wrong.append((request, found, expected))
    assert not wrong
    assert taken > 400


def is_different(request: dict[str, str]) -> bool:
    return any(re.fullmatch(pattern, f"{name}={text}") for name, text in request.items() for pattern in DIFFERENT)


@pytest.mark.parametrize("text", ONLY_KAFKAS)
def test_what_only_kafka_takes(text: str) -> None:
    require(releases.NEWEST)
    assert is_different(one(text))
    assert isinstance(answers(releases.NEWEST).found[requests().index(one(text))], dict)
    with pytest.raises(ConfigError):
        LogConfig.from_properties(one(text))
