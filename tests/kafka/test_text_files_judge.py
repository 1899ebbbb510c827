"""The text files beside the logs as Kafka's own classes read and write them: under 4.4.0 and 3.9.2.

Kafka reads what every broker wrote, and what we write; we read what it writes, and find the same in it. What it takes
for such a file and what it refuses is a table of some 230 texts, and we do the same, but for `DIFFERENT`, where each
text that only one of us takes has its reason.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kformat.errors import DataError
from kformat.kafka.files import text_files
from kformat.kafka.files.file_kinds import describe_file
from kformat.kafka.files.text_files import (
    CleanShutdown,
    LeaderEpochs,
    MetaProperties,
    PartitionMetadata,
    QuorumState,
    TopicOffsets,
)
from tests.draws import newest_by_day
from tests.judges import java_tools, releases
from tests.judges.required import require
from tests.kafka.test_text_files import ERRORS, ID, LED, TEXTS, VECTORS, VOTED, samples

pytestmark = pytest.mark.judge

VERSIONS = releases.LIVE
EPOCHS, OFFSETS, TOPIC, META, CLEAN, QUORUM = (
    "leader-epoch-checkpoint", "recovery-point-offset-checkpoint", "partition.metadata", "meta.properties",
    ".kafka_cleanshutdown", "quorum-state",
)  # fmt: skip
KRAFT = "version=1\nnode.id=1\ncluster.id=a\n"


def led(old: str, new: str) -> str:
    assert old in LED
    return LED.replace(old, new)


def voted(old: str, new: str) -> str:
    assert old in VOTED
    return VOTED.replace(old, new)


# What Kafka takes for such a file, and what it refuses: no word here of which is which, that is asked.
TEXTS_BY_NAME: dict[str, list[str | bytes]] = {
    EPOCHS: [
        "", "0", "0\n", "0\n0", "0\n0\n", "0\n1\n0 0", "0\n1\n0 0\n", "0\n1\n+5 +7\n", "0\n1\n-1 -1\n",
        "0\n1\n-5 -7\n", "0\r\n1\r\n0 0\r\n", "0\r1\r0 0\r", "0\n1\n0 0\n\n", "0\n1\n0\t 0\n", "0\n1\n0 0 \n",
        "0\n1\n 0 0\n", "0\n1\n0 0 0\n", "0\n1\n0\n", "0\n1\n \n", "0\n2\n0 0\n", "0\n1\n0 0\n1 5\n", "1\n0\n",
        "00\n1\n0 0\n", " 0\n0\n", "+0\n1\n0 0\n", "-0\n01\n0 0\n", "0\n-1\n", "0\n-1\n0 0\n", "0\n2147483647\n",
        "0\n2147483648\n", "0\n1\n2147483648 0\n", "0\n1\n2147483647 9223372036854775807\n",
        "0\n1\n0 9223372036854775808\n", "0\n1\n-2147483648 -9223372036854775808\n", "0\n1\n-2147483649 0\n", "x\n",
        "\n0\n", "0\n\n", "0\n1\n0\u00a00\n", "0\n1\n0\v0\n", "0\n1\n0\f0\n", "0\n1\n0\x850\n", "0\n1\n0\u20280\n",
        "\ufeff0\n0\n", "0\n1\n0 0\0\n", "0\n2\n0 0\n0 5\n", "0\n2\n5 0\n3 5\n", "0\n1\n1_0 0\n", "0\n1\n0x1 0\n",
        "0\n1\n1.0 0\n", "0\n1\n+ 0\n", "0\n1\n-0 0\n", "0\n1\n" + "0" * 5000 + "1 0\n", "0\n1\n0 0\r\n\r",
        "0\n1\n\x1c0 0\n", "0\n1\n0\x1c0\n", b"\xff", b"0\n1\n0 \xff\n", "0\n1\n\u0660 \u0661\n", "0\n1\n\uff11 2\n",
        "0\n1\n\U0001d7ce 2\n",
    ],
    OFFSETS: [
        "", "0\n2\na 0 5\nb 1 6\n", "0\n1\na 0 -1\n", "0\n1\na -1 5\n", "0\n1\na +0 +5\n", "0\n1\n a 0 5\n",
        "0\n1\n 0 5\n", "0\n1\na 0 5 \n", "0\n1\na b 0 5\n", "0\n1\na 0\n", "0\n2\na 0 5\na 0 6\n",
        "0\n1\na 2147483648 5\n", "0\n1\na 0 9223372036854775808\n", "0\n1\n\u00e9 0 5\n", b"0\n1\n\xe9 0 5\n",
        "0\n1\na\u00a0b 0 5\n", "0\n1\na/b 0 5\n", "0\n1\n" + "a" * 300 + " 0 5\n", "1\n1\na 0 5\n", "0\n3\na 0 5\n",
        "0\n1\na 0 5", "0\n1\na 0 0x5\n",
    ],
    TOPIC: [
        "", "version: 0", "version: 0\n", f"version: 0\ntopic_id: {ID}", f"version: 0\ntopic_id: {ID}\n",
        f"version: 0\r\ntopic_id: {ID}\r\n", f"version: 1\ntopic_id: {ID}", f"version: -1\ntopic_id: {ID}",
        f"version:0\ntopic_id: {ID}", f"version:  0\ntopic_id:\t{ID}", f"version: 0\ntopic_id: {ID}\n\n",
        f"version: 0 \ntopic_id: {ID}", f"version: 0\ntopic_id: {ID} ", f"version: 0\ntopic_id:{ID}",
        f"topic_id: {ID}\nversion: 0", "version: 0\ntopic_id: " + "A" * 22, "version: 0\ntopic_id: " + "A" * 21 + "Q",
        "version: 0\ntopic_id: " + "A" * 21 + "Q==", "version: 0\ntopic_id: " + "A" * 21 + "Q=",
        "version: 0\ntopic_id: " + "A" * 21 + "R", "version: 0\ntopic_id: " + "A" * 20,
        f"version: 0\ntopic_id: {ID}AA", f"version: 0\ntopic_id: {ID}AAA",
        f"version: 0\ntopic_id: {ID.replace('_', '/')}", f"version: +0\ntopic_id: {ID}",
        f"version: 0: 1\ntopic_id: {ID}", "version: 0\ntopic_id: ", "version: 0\ntopic_id",
        f"version: 99\ntopic_id: {ID}", f"version: 2147483648\ntopic_id: {ID}", b"version: 0\ntopic_id: \xff",
        f"version: 0\n\ntopic_id: {ID}", f"version: 0\ntopic_id: {ID}: x", f"version :0\ntopic_id: {ID}",
        f"version: 0\ntopic_id: {ID}\nversion: 5\n", f"version: 0\ntopic_id: {ID}\nfoo: bar\n",
        f"Version: 0\ntopic_id: {ID}", f"version: 0\ntopic-id: {ID}", f" version: 0\ntopic_id: {ID}",
    ],
    META: [
        "", "version=0\n", "broker.id=1\n", "version=0\nbroker.id=1\ncluster.id=abc\n", "version=0\nbroker.id=x\n",
        "version=0\nbroker.id=-1\n", "version=0\nnode.id=1\n", KRAFT, "version=1\nnode.id=1\n",
        "version=1\ncluster.id=a\n", "version=1\nbroker.id=1\ncluster.id=abc\n",
        "version=2\nnode.id=1\ncluster.id=abc\n", "version=x\n", "version=\n",
        "version= 1 \nnode.id=1\ncluster.id=a\n", "version=+1\nnode.id=1\ncluster.id=a\n", "version=-0\n",
        "version=01\nnode.id=+1\ncluster.id=a\n", "version:1\nnode.id 1\ncluster.id\\:x=a\ncluster.id:a\\:b\n",
        f"{KRAFT}directory.id={ID}\n", f"{KRAFT}directory.id=zz\n", f"{KRAFT}directory.id={'A' * 22}\n",
        f"{KRAFT}directory.id=\n", "version=1\nnode.id=2147483648\ncluster.id=a\n", f"{KRAFT}node.id=2\n",
        "version=1\nnode.id=1\ncluster.id=\n", f"{KRAFT}cluster.id=\u00e9\n",
        f"{KRAFT}cluster.id=\\u00e9\\uD83D\\uDE00\n", f"{KRAFT}cluster.id=\\u00zz\n",
        "version=1\nnode.id=1 \ncluster.id=a\n", b"cluster.id=\xff\n", "rack=a\n",
        "  version=1\n\tnode.id=1\ncluster.id=a\\\n   b\n", "! c\nversion=1\r\nnode.id=1\rcluster.id=a",
        "version=\\u0660\n",
    ],
    CLEAN: [
        "", '{"version":0,"brokerEpoch":5}', '{"version":0,"brokerEpoch":-1}', '{"version":0}', '{"brokerEpoch":5}',
        "{}", '{"version":1,"brokerEpoch":5}', '{"version":-1,"brokerEpoch":5}',
        '{"version":0,"brokerEpoch":5,"x":1}', '{"version":0,"brokerEpoch":null}',
        '{"version":0,"brokerEpoch":9223372036854775808}', "[]", "5", '"x"', "null",
        '{"version":0,"brokerEpoch":5}\n', '\n{"version":0,\n"brokerEpoch":5}', '{"version":0,"brokerEpoch":5',
        '{"version":0,"brokerEpoch":5,}', "{'version':0,'brokerEpoch':5}",
        '{"version":0,"brokerEpoch":5,"brokerEpoch":6}', '{"version":0,"brokerEpoch":05}',
        '{"version":0,"brokerEpoch":true}', '{"version":9999999999,"brokerEpoch":5}',
        '{"version":0,"brokerEpoch":NaN}', '\ufeff{"version":0,"brokerEpoch":5}', '{"version":0,"brokerEpoch":""}',
        '{"version":0,"brokerEpoch":[5]}', '{"version":0,"brokerEpoch":"5"}', '{"version":0,"brokerEpoch":5.7}',
        '{"version":0,"brokerEpoch":1e2}', '{"version":null,"brokerEpoch":5}', '{"version":"0","brokerEpoch":5}',
        '{"version":0.9,"brokerEpoch":5}', '{"version":0,"brokerEpoch":5} x', b'{"brokerEpoch":5,"x":"\xff"}',
    ],
    QUORUM: [
        "", LED, VOTED, LED + "\n", LED + "\n\n", "\n" + LED, LED.replace(",", "\n,"),
        led('"data_version":0', '"data_version":1'), led('"data_version":0', '"data_version":2'),
        led(',"data_version":0', ""), led('"data_version":0', '"data_version":-1'),
        led('"leaderId":1', '"leaderId":"1"'), led('"leaderId":1', '"leaderId":null'),
        led('"leaderId":1', '"leaderId":1.0'), led('"leaderId":1', '"leaderId":true'),
        led('"leaderId":1', '"leaderId":2147483648'), led('"leaderId":1,', ""), led('"leaderId":1', '"leaderId":-2'),
        led('"leaderEpoch":1', '"leaderEpoch":-1'), led('"votedId":-1', '"votedId":1'), led('"clusterId":"",', ""),
        led('"clusterId":""', '"clusterId":null'), led('"clusterId":""', '"clusterId":"abc"'),
        led('"clusterId":""', '"clusterId":5'), led('"appliedOffset":0,', ""), led('[{"voterId":1}]', "[]"),
        led('"appliedOffset":0', '"appliedOffset":9223372036854775807'), led('[{"voterId":1}]', "null"),
        led('"appliedOffset":0', '"appliedOffset":9223372036854775808'), led('[{"voterId":1}]', "[1]"),
        led('[{"voterId":1}]', "[{}]"), led('[{"voterId":1}]', "{}"), led('"currentVoters":[{"voterId":1}],', ""),
        led('{"cl', '{"foo":1,"cl'), led(',"data', ',"leaderId":5,"data'), "[]", "null", "{}", "{",
        voted('"votedDirectoryId":"J8aAPcfLQt2bqs1JT_rMgQ",', ""), voted('"J8aAPcfLQt2bqs1JT_rMgQ"', "null"),
        voted("J8aAPcfLQt2bqs1JT_rMgQ", "zz"), voted("J8aAPcfLQt2bqs1JT_rMgQ", "A" * 22),
        voted('"votedId":1', '"votedId":-1'), voted('"leaderId":-1', '"leaderId":1'), LED + " x", LED + "\nx",
        led('"data_version":0', '"data_version":"0"'), led('"data_version":0', '"data_version":0.5'),
        led('"data_version":0', '"data_version":65536'), led('"data_version":0', '"data_version":null'),
        led('[{"voterId":1}]', '[{"voterId":1,"x":2}]'),
    ],
}  # fmt: skip

DIFFERENT: dict[str, list[tuple[str, str | bytes]]] = {
    "Java takes digits of every script for digits; nobody writes them": [
        (EPOCHS, "0\n1\n\u0660 \u0661\n"), (EPOCHS, "0\n1\n\uff11 2\n"), (META, "version=\\u0660\n"),
    ],
    "Kafka looks at the order of the lines alone, not at their names; built again, the names would be others": [
        (TOPIC, f"Version: 0\ntopic_id: {ID}"), (TOPIC, f"version: 0\ntopic-id: {ID}"),
        (TOPIC, f" version: 0\ntopic_id: {ID}"),
    ],
    "Kafka does not look behind what it knows; it would be lost": [
        (TOPIC, f"version: 0\ntopic_id: {ID}\nversion: 5\n"), (TOPIC, f"version: 0\ntopic_id: {ID}\nfoo: bar\n"),
        (CLEAN, '{"version":0,"brokerEpoch":5} x'), (QUORUM, LED + " x"), (QUORUM, LED + "\nx"),
        (QUORUM, led('[{"voterId":1}]', '[{"voterId":1,"x":2}]')),
    ],
    "Kafka's JSON library makes an integer of text, fractions, nothing; of a data_version it takes 16 bits": [
        (CLEAN, '{"version":0,"brokerEpoch":"5"}'), (CLEAN, '{"version":0,"brokerEpoch":5.7}'),
        (CLEAN, '{"version":0,"brokerEpoch":1e2}'), (CLEAN, '{"version":null,"brokerEpoch":5}'),
        (CLEAN, '{"version":"0","brokerEpoch":5}'), (CLEAN, '{"version":0.9,"brokerEpoch":5}'),
        (QUORUM, led('"data_version":0', '"data_version":"0"')),
        (QUORUM, led('"data_version":0', '"data_version":0.5')),
        (QUORUM, led('"data_version":0', '"data_version":65536')),
        (QUORUM, led('"data_version":0', '"data_version":null')),
    ],
    "The class decodes the whole file with replacement characters; ours refuses bytes that are not UTF-8": [
        (CLEAN, b'{"brokerEpoch":5,"x":"\xff"}'),
    ],
    "The empty marker of brokers up to 3.6: to the class of today its epoch is unknown": [
        (CLEAN, ""),
    ],
}  # fmt: skip


def as_bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def ask(version: str, files: list[tuple[str, bytes]]) -> list[tuple[str, bytes] | None]:
    """What Kafka reads in each file, as text, and the file that it writes of it; None where it refuses."""
    stdin = "".join(f"{describe_file(name)[0] if name in NAMES else name} {data.hex()}\n" for name, data in files)
    done = java_tools.java(version, "Sidecars", [], stdin=stdin.encode())
    answers = done.stdout.decode().split("\n")[:-1]
    if len(answers) != len(files):
        raise RuntimeError(done.stderr.decode()[-3000:])
    found: list[tuple[str, bytes] | None] = []
    for answer in answers:
        word, *rest = answer.split(" ")
        assert word in ("ok", "error"), answer
        found.append((bytes.fromhex(rest[0]).decode(), bytes.fromhex(rest[1])) if word == "ok" else None)
    return found


NAMES = set(TEXTS_BY_NAME) | {path.name for path in samples()} | {name for name, *_ in ERRORS}


def told(value: text_files.Sidecar) -> str:
    """A value in the words of Sidecars.java."""
    match value:
        case LeaderEpochs(entries):
            return "\n".join(f"{epoch} {offset}" for epoch, offset in entries)
        case TopicOffsets():
            return "\n".join(
                sorted(f"{topic}-{number} {offset}" for (topic, number), offset in value.as_dict().items())
            )
        case PartitionMetadata(topic_id):
            return topic_id
        case MetaProperties():
            cluster = "none" if value.cluster_id is None else f"some {value.cluster_id}"
            known = (value.version, cluster, value.node_id, value.directory_id)
            return "\n".join("none" if item is None else str(item) for item in known)
        case CleanShutdown(broker_epoch):
            return str(broker_epoch)
        case QuorumState():
            voters = ", ".join(f"Voter(voterId={voter})" for voter in value.current_voters or ())
            return (
                f"QuorumStateData(clusterId='{value.cluster_id or ''}', leaderId={value.leader_id}, "
                f"leaderEpoch={value.leader_epoch}, votedId={value.voted_id}, "
                f"votedDirectoryId={value.voted_directory_id or 'A' * 22}, "
                f"appliedOffset={value.applied_offset or 0}, currentVoters=[{voters}])"
            )


def read(name: str, data: bytes) -> text_files.Sidecar | None:
    try:
        return text_files.parse_sidecar(name, data)
    except DataError:
        return None


@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
def test_kafka_reads_what_brokers_wrote_as_we_do_and_we_read_what_it_writes(version: str) -> None:
    require(version)
    files = [(path.name, path.read_bytes()) for path in samples()]
    files = [(name, data) for name, data in files if (name, data) != (CLEAN, b"")]
    for (name, data), answer in zip(files, ask(version, files), strict=True):
        value = text_files.parse_sidecar(name, data)
        assert answer is not None, (name, data)
        text, written = answer
        assert text == told(value), (name, data)
        assert told(text_files.parse_sidecar(name, written)) == text
        if name in (EPOCHS, TOPIC, CLEAN) and data:
            assert written == data
    assert len(files) > 200


@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
def test_kafka_accepts_and_refuses_what_we_do(version: str) -> None:
    require(version)
    files = [(name, as_bytes(text)) for name, texts in TEXTS_BY_NAME.items() for text in texts]
    files += [(name, data) for name, data, _ in VECTORS] + [
        (name, data) for name, data, _ in ERRORS if len(data) < 9999
    ]
    excused = {(name, as_bytes(text)) for rows in DIFFERENT.values() for name, text in rows}
    assert excused <= set(files)
    taken = 0
    for (name, data), answer in zip(files, ask(version, files), strict=True):
        value = read(name, data)
        if (name, data) in excused:
            assert (value is None) != (answer is None), f"no difference any more: {name} {data!r}"
            continue
        assert (value is None) == (answer is None), (name, data, answer)
        if value is not None and answer is not None:
            assert told(value) == answer[0], (name, data)
            taken += 1
    assert taken > 80 and len(files) - taken - len(excused) > 100


@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
def test_kafka_reads_what_we_write(version: str) -> None:
    require(version)
    values = [value for name, texts in TEXTS_BY_NAME.items() for text in texts if (value := read(name, as_bytes(text)))]
    values = [value for value in values if not (isinstance(value, CleanShutdown) and value.broker_epoch is None)]
    kinds = {type(text_files.parse_sidecar(name, data)): name for name, data, _ in VECTORS if name != CLEAN or data}
    files = [(kinds[type(value)], text_files.build_sidecar(kinds[type(value)], value)) for value in values]
    for value, (name, data), answer in zip(values, files, ask(version, files), strict=True):
        assert answer is not None, (name, data)
        assert answer[0] == told(value), (name, data)
    assert len(values) > 80


def test_java_properties_of_any_text_are_read_as_java_reads_them() -> None:
    """What stands in meta.properties is java.util.Properties; here, whatever its names are."""
    require(VERSIONS[0])
    texts: set[bytes] = set()

    @settings(max_examples=600, phases=[Phase.generate], suppress_health_check=list(HealthCheck), derandomize=True)
    @given(TEXTS | st.text("ab\\u0041 \t\f\r\n#!=:\u00e9\0", max_size=24).map(lambda text: text.encode("latin-1")))
    def collect(data: bytes) -> None:
        texts.add(data)

    collect()
    known = b"\n\nversion=0\nbroker.id=1\ndirectory.id=" + ID.encode() + b"\n"  # behind the text these count
    files = [("properties", data + known) for data in sorted(texts)]
    refused = 0
    for (_, data), answer in zip(files, ask(VERSIONS[0], files), strict=True):
        ours = read(META, data)
        if ours is None or answer is None:
            assert ours is None and answer is None, data
            refused += 1
            continue
        assert isinstance(ours, MetaProperties)
        found = dict(ours.properties)
        lines = [f"{utf16(name)}={utf16(found[name])}\n" for name in sorted(found, key=utf16)]
        assert answer[0] == "".join(lines), data
    assert 5 < refused < len(files) / 2 and len(files) > 300


def utf16(text: str) -> str:
    return text.encode("utf-16-be", "surrogatepass").hex()
