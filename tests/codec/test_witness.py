"""Codec and witness, two readers of one declaration, give the same values, and both write the bytes they read.

Kaitai's classes lie in the package, so that no judge is needed here; `test_generated` holds them to the declarations.
"""

from __future__ import annotations

import contextlib
import io
import itertools
from collections import Counter
from typing import Any

import pytest
from kaitaistruct import KaitaiStream

import kformat
from kformat.errors import DataError
from tests.draws import IS_NIGHT
from tests.kaitai_witness import Refused, witness_bytes, witness_class, witness_formats, witness_values
from tests.sample_values import VERSIONS, sample_values
from tests.vectors import BATCHES, BY_NAME, LONG_VARINTS, SMALL_FILES, VARINTS


def codec_values(format: str, data: bytes, checksums: bool = True) -> dict[str, Any]:
    """What the codec reads, payloads that are compressed left as they are."""
    value: Any = kformat.parse(format, data, raw=True, checksums=checksums)
    return dict(value._asdict())


OLD = {"legacy_message", "offset_index"}
NEW = {
    *("record_batch", "control_record_type_schema", "end_txn_marker", "offset_index", "time_index"),
    *("producer_snapshot", "transaction_index", "transaction_log_key", "transaction_log_value"),
}
KRAFT = {"leader_change_message", "snapshot_header_record", "snapshot_footer_record"}
# What each version's samples hold, so that a format which is looked for in the wrong place is missed.
HELD = {
    "0.8.2.2": OLD,
    "0.9.0.1": OLD,
    "0.10.2.2": OLD | {"time_index"},
    "1.1.1": OLD | NEW,
    "2.8.2": OLD | NEW,
    "3.9.2": NEW | KRAFT,
    "4.3.1": NEW | KRAFT,
    "4.4.0": NEW | KRAFT,
    "4.3.1-clients": (NEW | KRAFT)
    - {"end_txn_marker", "leader_change_message", "transaction_index"}
    - {"transaction_log_key", "transaction_log_value"},
}


@pytest.mark.parametrize("version", VERSIONS)
def test_everything_declared_that_a_broker_wrote(version: str) -> None:
    found: Counter[str] = Counter()
    for format, data, where in sample_values(version):
        if IS_NIGHT or found[format] % 3 == 0:
            assert witness_values(format, data) == codec_values(format, data), where
            assert witness_bytes(format, data) == data, where
        found[format] += 1
    assert set(found) == HELD[version]


def made_values() -> dict[str, tuple[str, bytes]]:
    """What no sample has, built from objects: extremes, and the control records of quorums with dynamic voters."""
    tagged = {"fields": [{"tag": 300, "data": b"abc"}, {"tag": 2**32 - 1, "data": b""}]}
    voter = {"voter_id": 1, "voter_directory_id": bytes(range(16)), "tagged_fields": {"fields": []}}
    endpoint = {"name": "CONTROLLER", "host": "zo\u00eb", "port": 65535, "tagged_fields": tagged}
    feature = {"min_supported_version": 0, "max_supported_version": 1, "tagged_fields": tagged}
    kraft_voter = {**voter, "endpoints": [endpoint, {**endpoint, "name": "", "port": 0}]}
    kraft_voter["kraft_version_feature"] = feature
    change = {"version": 1, "leader_id": 1, "voters": [voter] * 2, "granting_voters": [voter], "tagged_fields": tagged}
    old_change = {
        "version": 0,
        "leader_id": 3,
        "voters": [{"voter_id": 3, "tagged_fields": tagged}],
        "granting_voters": [],
    }
    extreme = {
        "timestamp_delta": -(2**63),
        "offset_delta": 2**31 - 1,
        "key": b"",
        "headers": [{"key": "", "value": b""}],
    }
    batch = {"base_offset": 2**63 - 1, "base_timestamp": -(2**63), "max_timestamp": -1, "producer_id": 2**63 - 1}
    flags = {"reserved": 511, "has_delete_horizon": 1, "is_control": 1, "is_transactional": 1, "timestamp_type": 1}
    values: dict[str, tuple[str, dict[str, Any]]] = {
        "index": ("offset_index", {"entries": [{"relative_offset": 7, "position": 2**31 - 1}] * 3}),
        "empty index": ("time_index", {"entries": []}),
        "time index": ("time_index", {"entries": [{"timestamp": -(2**63), "relative_offset": 0}]}),
        "extreme batch": ("record_batch", {**batch, "attributes": flags, "records": [extreme, {"offset_delta": -1}]}),
        "unknown control record": ("control_record_type_schema", {"version": 3, "type": 99}),
        "control record": ("control_record_type_schema", {"version": 0, "type": "leader_change"}),
        "end marker": ("end_txn_marker", {"coordinator_epoch": -(2**31)}),
        "leader change": ("leader_change_message", change),
        "older leader change": ("leader_change_message", old_change),
        "snapshot header": ("snapshot_header_record", {"last_contained_log_timestamp": -1, "tagged_fields": tagged}),
        "snapshot footer": ("snapshot_footer_record", {"version": 5, "tagged_fields": tagged}),
        "version": ("kraft_version_record", {"kraft_version": 1, "tagged_fields": tagged}),
        "voters": (
            "voters_record",
            {"voters": [kraft_voter, {**kraft_voter, "endpoints": []}], "tagged_fields": tagged},
        ),
    }
    return {name: (format, kformat.build(format, value)) for name, (format, value) in values.items()}


VALUES = {
    **{vector.name: ("record_batch", vector.data) for vector in BATCHES},
    **{vector.name: (vector.type, vector.data) for vector in SMALL_FILES},
    **made_values(),
}


@pytest.mark.parametrize(("format", "data"), VALUES.values(), ids=VALUES)
def test_golden_bytes_and_extremes(format: str, data: bytes) -> None:
    assert witness_values(format, data) == codec_values(format, data)
    assert witness_bytes(format, data) == data


def test_what_can_be_asked_is_what_the_codec_reads_by_itself() -> None:
    for format in witness_formats():
        with contextlib.suppress(DataError):
            kformat.parse(format, b"")
    assert {"record_batch", "record_batch::record", "voters_record"} <= set(witness_formats())
    assert not {"varint", "record_batch::records", "leader_change_message::voter"} & set(witness_formats())


@pytest.mark.parametrize(("value", "data", "most"), [*VARINTS, *LONG_VARINTS])
def test_varints(value: int, data: str, most: int) -> None:
    read = witness_class("varint")(most, KaitaiStream(io.BytesIO(bytes.fromhex(data))))
    read._read()
    assert read.value == value


def test_values_have_the_codecs_shape() -> None:
    value = witness_values("record_batch", BY_NAME["gzip"].data)
    assert value["attributes"]["compression"] == 1 and type(value["attributes"]["is_control"]) is int
    assert isinstance(value["payload"], bytes) and "records" not in value
    record = witness_values("record_batch", BY_NAME["none"].data)["records"][1]
    assert record["key"] is None and record["offset_delta"] == 1 and "body" not in record


NONE = BY_NAME["none"].data


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        pytest.param(NONE[:-1], "rule", id="cut"),
        pytest.param(b"", "rule", id="nothing"),
        pytest.param(NONE.replace(b"\x02h\x02x", b"\x02\xff\x02x"), "text", id="no UTF-8"),
        pytest.param(NONE + b"\0", "left over", id="a byte behind"),
    ],
)
def test_refusals(data: bytes, kind: str) -> None:
    with pytest.raises(Refused) as caught:
        witness_values("record_batch", data)
    assert caught.value.kind == kind
    assert kind != "left over" or witness_values("record_batch", data, whole=False)["records_count"] == 2


def test_both_accept_and_refuse_the_same_damage() -> None:
    """Every byte of an uncompressed batch set to a few values; the checksum is ours alone, so it is passed over."""
    agreed: Counter[bool] = Counter()
    for position, value in itertools.product(range(len(NONE)), (0, 1, 2, 0x7F, 0x80, 0xFF)):
        data = NONE[:position] + bytes([value]) + NONE[position + 1 :]
        try:
            ours = codec_values("record_batch", data, checksums=False)
        except DataError:
            ours = None
        try:
            theirs = witness_values("record_batch", data)
        except Refused as refused:
            if refused.kind == "text":  # a header's key, which we keep as it is
                assert ours is not None and not ours["records"][0]["headers"][0]["key"].isprintable()
                continue
            theirs = None
        assert ours == theirs, f"{value} at {position}"
        agreed[ours is not None] += 1
    assert min(agreed.values()) > 90
