# Made from formats/*.ksy by `make generate`; do not edit.

import builtins as _B
import enum as _E
import typing as _T

from kformat.codec.values import Value as _V

__all__: _B.list[_B.str]

class LegacyMessageTimestampType(_E.IntEnum):
    create_time = 0
    """The producer's clock, or what the application gave."""
    log_append_time = 1
    """The clock of the broker that appended the message."""

class LegacyMessageCompressionType(_E.IntEnum):
    none = 0
    gzip = 1
    snappy = 2
    lz4 = 3

class RecordBatchTimestampType(_E.IntEnum):
    create_time = 0
    """The producer's clock, or what the application gave."""
    log_append_time = 1
    """The clock of the broker that appended the batch."""

class RecordBatchCompressionType(_E.IntEnum):
    none = 0
    """Nothing is compressed."""
    gzip = 1
    """One gzip member as a rule; readers take several."""
    snappy = 2
    """In the framing of the xerial library; readers take raw snappy as well."""
    lz4 = 3
    """A frame with independent blocks."""
    zstd = 4
    """A frame; since 2.1 (KIP-110)."""

class ControlType(_E.IntEnum):
    abort = 0
    commit = 1
    leader_change = 2
    snapshot_header = 3
    snapshot_footer = 4
    kraft_version = 5
    kraft_voters = 6

class TransactionState(_E.IntEnum):
    empty = 0
    ongoing = 1
    prepare_commit = 2
    prepare_abort = 3
    complete_commit = 4
    complete_abort = 5
    dead = 6
    prepare_epoch_fence = 7

class LegacyMessage(_V):
    """What a segment file consisted of before Kafka 0.11 (magic 1 since 0.10, magic 0 before), and for
    topics whose `message.format.version` said so until 3.x: a sequence of entries, each an offset, a
    size and a message. Files of later brokers may begin with such entries and continue with record
    batches. Compressed messages are stored together in the value of one message, the wrapper. Its
    offset is the offset of the last message in it. In a wrapper of magic 0 the messages have their own
    offsets; in one of magic 1 they are numbered from 0, and a reader adds the wrapper's offset less the
    number of the last one."""
    offset: _B.int
    """Offset of the message, or of the last message in a wrapper; assigned by the leader."""
    message_size: _B.int
    """Bytes after this field."""
    message: Message
    """The message itself."""
    def __init__(
        _self,
        *,
        offset: _B.int = ...,
        message_size: _B.int = ...,
        message: Message = ...,
    ) -> None: ...

class LegacyMessageAttributes(_V):
    """One byte of flags; from the producer, `timestamp_type` from the broker."""
    reserved: _B.int
    """Not used."""
    timestamp_type: LegacyMessageTimestampType
    """Who gave the timestamp; set by the broker, by the topic's `message.timestamp.type`, since magic 1.
    Messages in a wrapper take the wrapper's."""
    compression: LegacyMessageCompressionType
    """How the messages in the value are compressed; set by the producer, or by the broker for a topic with
    a `compression.type` of its own. LZ4 since 0.8.2, in magic 0 with a wrong header checksum; zstd came
    with 2.1 and has no place here."""
    def __init__(
        _self,
        *,
        reserved: _B.int = ...,
        timestamp_type: LegacyMessageTimestampType = ...,
        compression: LegacyMessageCompressionType = ...,
    ) -> None: ...

class PlainMessage(_V):
    """A message in a wrapper; it cannot be a wrapper itself."""
    crc: _B.int
    """CRC-32 (the polynomial of zlib) of everything from `magic` to the end of the message. From the
    producer; a broker computes it again when it writes the timestamp."""
    magic: _B.int
    """Version of the format; at the same position in record batches."""
    attributes: LegacyMessageAttributes
    """Who gave the timestamp, and how the messages of a wrapper are compressed."""
    timestamp: _B.int | None
    """Milliseconds since 1970, -1 for none; since magic 1 (Kafka 0.10, KIP-32). In a wrapper the largest
    of its messages, or with `log_append_time` the time of the append, which then holds for all of them."""
    key_length: _B.int
    """Any negative value means null; -1 is what writers use."""
    key: _B.bytes | None
    """Absent where `key_length` is negative; always in a wrapper that a broker accepts."""
    value_length: _B.int
    """Any negative value means null; with a key that is a tombstone. In a wrapper the size of its
    compressed messages."""
    value: _B.bytes | None
    """Absent where `value_length` is negative."""
    def __init__(
        _self,
        *,
        crc: _B.int = ...,
        magic: _B.int = ...,
        attributes: LegacyMessageAttributes = ...,
        timestamp: _B.int | None = ...,
        key_length: _B.int = ...,
        key: _B.bytes | None = ...,
        value_length: _B.int = ...,
        value: _B.bytes | None = ...,
    ) -> None: ...

class WrappedMessage(_V):
    """An entry of a wrapper, like those of a log."""
    offset: _B.int
    """In a wrapper of magic 0 the message's offset; in one of magic 1 its number, from 0."""
    message_size: _B.int
    """Bytes after this field."""
    message: PlainMessage
    """The message itself."""
    def __init__(
        _self,
        *,
        offset: _B.int = ...,
        message_size: _B.int = ...,
        message: PlainMessage = ...,
    ) -> None: ...

class MessageSet(_V):
    """A wrapper's value after decompression."""
    messages: _B.list[WrappedMessage]
    """At least one, in the order of their offsets."""
    def __init__(
        _self,
        *,
        messages: _B.list[WrappedMessage] = ...,
    ) -> None: ...

class Message(_V):
    """A message, or a wrapper where `attributes.compression` names a codec."""
    crc: _B.int
    """CRC-32 (the polynomial of zlib) of everything from `magic` to the end of the message. From the
    producer; a broker computes it again when it writes the timestamp."""
    magic: _B.int
    """Version of the format; at the same position in record batches."""
    attributes: LegacyMessageAttributes
    """Who gave the timestamp, and how the messages of a wrapper are compressed."""
    timestamp: _B.int | None
    """Milliseconds since 1970, -1 for none; since magic 1 (Kafka 0.10, KIP-32). In a wrapper the largest
    of its messages, or with `log_append_time` the time of the append, which then holds for all of them."""
    key_length: _B.int
    """Any negative value means null; -1 is what writers use."""
    key: _B.bytes | None
    """Absent where `key_length` is negative; always in a wrapper that a broker accepts."""
    value_length: _B.int
    """Any negative value means null; with a key that is a tombstone. In a wrapper the size of its
    compressed messages."""
    value: _B.bytes | None
    """Absent where `value_length` is negative, and in a wrapper."""
    message_set: MessageSet | None
    """A wrapper's messages, compressed together."""
    def __init__(
        _self,
        *,
        crc: _B.int = ...,
        magic: _B.int = ...,
        attributes: LegacyMessageAttributes = ...,
        timestamp: _B.int | None = ...,
        key_length: _B.int = ...,
        key: _B.bytes | None = ...,
        value_length: _B.int = ...,
        value: _B.bytes | None = ...,
        message_set: MessageSet | None = ...,
    ) -> None: ...

class OffsetIndex(_V):
    """`<base offset>.index`: a sparse, sorted map from offsets to positions in its `.log`. No header, no
    checksum. While its segment is active, the file has its full preallocated size and ends in zeros,
    which are not entries; it is trimmed to its entries when the segment is closed."""
    entries: _B.list[OffsetIndexEntry]
    """Offsets and positions rise from one to the next; the lookup is a binary search."""
    def __init__(
        _self,
        *,
        entries: _B.list[OffsetIndexEntry] = ...,
    ) -> None: ...

class OffsetIndexEntry(_V):
    """Written after more than `index.interval.bytes` of log since the previous entry. Its offset depends
    on the writer: the last of the batch at `position` (3.9.1 and 4.0 on), the last of the append that
    begins there (2.0 to 3.9.0), its first (up to 1.1)."""
    relative_offset: _B.int
    """Offset less the base offset of the segment, which is the file's name."""
    position: _B.int
    """Bytes from the start of the `.log` to the batch, or to the first batch of the append."""
    def __init__(
        _self,
        *,
        relative_offset: _B.int = ...,
        position: _B.int = ...,
    ) -> None: ...

class ProducerSnapshot(_V):
    """`<offset>.snapshot`, since 0.11: what a partition knew of each idempotent or transactional producer
    when everything below the offset in the name was written. Taken when a segment begins and on a clean
    stop, so that a broker need not read the whole log to detect duplicates."""
    version: _B.int
    """1 so far."""
    crc: _B.int
    """CRC-32C of everything after it. Kafka computes it to the end of the file, whatever the count is."""
    entries_count: _B.int
    """Number of producers."""
    entries: _B.list[ProducerSnapshotEntry]
    """In no meaningful order (that of a Java hash table)."""
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        crc: _B.int = ...,
        entries_count: _B.int = ...,
        entries: _B.list[ProducerSnapshotEntry] = ...,
    ) -> None: ...

class ProducerSnapshotEntry(_V):
    """One producer's state; of its last batches, up to five of which a broker remembers, only the newest
    is kept."""
    producer_id: _B.int
    """As in the producer's batches."""
    producer_epoch: _B.int
    """The producer's current epoch; may be above that of its last batch."""
    last_sequence: _B.int
    """Sequence number of the last record; -1 where there is no batch to remember."""
    last_offset: _B.int
    """Offset of the last record; -1 where there is no batch to remember, which makes its three fields
    void."""
    offset_delta: _B.int
    """Last less first sequence number of the last batch."""
    timestamp: _B.int
    """Largest timestamp of the last batch, or that of the last marker, in milliseconds since 1970; -1 for
    none."""
    coordinator_epoch: _B.int
    """Epoch of the transaction coordinator that wrote the last marker; -1 for none."""
    current_txn_first_offset: _B.int
    """First offset of the open transaction in this partition; -1 for none."""
    def __init__(
        _self,
        *,
        producer_id: _B.int = ...,
        producer_epoch: _B.int = ...,
        last_sequence: _B.int = ...,
        last_offset: _B.int = ...,
        offset_delta: _B.int = ...,
        timestamp: _B.int = ...,
        coordinator_epoch: _B.int = ...,
        current_txn_first_offset: _B.int = ...,
    ) -> None: ...

class RecordBatch(_V):
    """What a segment file (`<base offset>.log`) consists of since Kafka 0.11: a sequence of batches with
    nothing between them. A producer builds a batch; the partition's leader writes the offset and its
    epoch into it, which the checksum does not cover, and otherwise stores it unchanged."""
    base_offset: _B.int
    """Offset of the first record that the batch was built with. 0 from a producer; the leader sets it;
    compaction keeps it."""
    batch_length: _B.int
    """Bytes after this field, that is the size of the batch less 12. Set by the producer, and by
    compaction."""
    partition_leader_epoch: _B.int
    """Epoch of the leader that appended the batch, which sets it; -1 from a producer."""
    magic: _B.int
    """Version of the format, 2 since 0.11 (KIP-98); at the same position in the older formats."""
    crc: _B.int
    """CRC-32C of everything from `attributes` to the end of the batch. Set by the producer, or by a broker
    that changed those bytes."""
    attributes: RecordBatchAttributes
    """Sixteen bits, most of them not used."""
    last_offset_delta: _B.int
    """Last offset less `base_offset`; from a producer the number of records less one, or the leader
    refuses the batch. Compaction keeps it, so it does not show how many records are left."""
    base_timestamp: _B.int
    """Milliseconds since 1970 to which the records' deltas are added: the first record's timestamp when
    the batch was made. Where `attributes.has_delete_horizon` it is the time from which tombstones may
    be dropped (since 3.1, KAFKA-8522); -1 in a batch that compaction emptied."""
    max_timestamp: _B.int
    """Largest timestamp of the records in milliseconds since 1970, -1 for none; the leader corrects a
    wrong one. With `log_append_time` the leader sets it to the time of the append, which is then every
    record's timestamp."""
    producer_id: _B.int
    """Set by an idempotent or transactional producer, with an id from a broker (since 0.11, KIP-98); -1
    for none."""
    producer_epoch: _B.int
    """Rises when a producer with the same transactional id starts; -1 for none."""
    base_sequence: _B.int
    """The producer's own number of the first record, by which duplicates are found; wraps from 2147483647
    to 0; -1 for none."""
    records_count: _B.int
    """Records that are in the batch now; never compressed. 0 in a batch that compaction emptied."""
    records: _B.list[Record]
    """In the order of their offsets."""
    def __init__(
        _self,
        *,
        base_offset: _B.int = ...,
        batch_length: _B.int = ...,
        partition_leader_epoch: _B.int = ...,
        magic: _B.int = ...,
        crc: _B.int = ...,
        attributes: RecordBatchAttributes = ...,
        last_offset_delta: _B.int = ...,
        base_timestamp: _B.int = ...,
        max_timestamp: _B.int = ...,
        producer_id: _B.int = ...,
        producer_epoch: _B.int = ...,
        base_sequence: _B.int = ...,
        records_count: _B.int = ...,
        records: _B.list[Record] = ...,
    ) -> None: ...

class RecordBatchAttributes(_V):
    """The lower byte has its meaning from messages of magic 0 and 1, as far as they go."""
    reserved: _B.int
    """Not used; dropped by a broker that rewrites the attributes."""
    has_delete_horizon: _B.int
    """`base_timestamp` is a delete horizon. Set by compaction, since 3.1."""
    is_control: _B.int
    """The records are control records (`control_record.ksy`), which brokers write and consumers do not
    see; since 0.11."""
    is_transactional: _B.int
    """Part of a transaction, as the producer says; the control batch that ends it decides whether it
    counts. Since 0.11."""
    timestamp_type: RecordBatchTimestampType
    """Who gave the timestamps; set by the leader as the topic's `message.timestamp.type` says."""
    compression: RecordBatchCompressionType
    """How the records are compressed; by the producer, or by the leader where the topic's
    `compression.type` names another codec."""
    def __init__(
        _self,
        *,
        reserved: _B.int = ...,
        has_delete_horizon: _B.int = ...,
        is_control: _B.int = ...,
        is_transactional: _B.int = ...,
        timestamp_type: RecordBatchTimestampType = ...,
        compression: RecordBatchCompressionType = ...,
    ) -> None: ...

class Header(_V):
    """A name and a value that an application gave a record; since 0.11 (KIP-82)."""
    key_length: _B.int
    """A header's key is never null."""
    key: _B.str
    """Text; may be empty."""
    value_length: _B.int
    """Any negative value means null."""
    value: _B.bytes | None
    """Absent where `value_length` is negative."""
    def __init__(
        _self,
        *,
        key_length: _B.int = ...,
        key: _B.str = ...,
        value_length: _B.int = ...,
        value: _B.bytes | None = ...,
    ) -> None: ...

class Record(_V):
    """A key, a value and headers, as an application or a broker wrote them. Offset and timestamp are
    deltas to those of the batch; these fields do not say whether a consumer sees the record (aborted
    transactions, control batches)."""
    length: _B.int
    """Bytes of everything after this field."""
    attributes: _B.int
    """Not used; 0 when written, ignored when read."""
    timestamp_delta: _B.int
    """Milliseconds; may be negative. Not used in a `log_append_time` batch, but stored there all the same."""
    offset_delta: _B.int
    """Rises within a batch, with gaps after compaction."""
    key_length: _B.int
    """Any negative value means null; -1 is what writers use."""
    key: _B.bytes | None
    """Used by compaction and the default partitioner; absent where `key_length` is negative."""
    value_length: _B.int
    """Any negative value means null; with a key that is a tombstone."""
    value: _B.bytes | None
    """Absent where `value_length` is negative."""
    headers_count: _B.int
    """Number of headers."""
    headers: _B.list[Header]
    """Since 0.11 (KIP-82). Their order counts, and keys may repeat."""
    def __init__(
        _self,
        *,
        length: _B.int = ...,
        attributes: _B.int = ...,
        timestamp_delta: _B.int = ...,
        offset_delta: _B.int = ...,
        key_length: _B.int = ...,
        key: _B.bytes | None = ...,
        value_length: _B.int = ...,
        value: _B.bytes | None = ...,
        headers_count: _B.int = ...,
        headers: _B.list[Header] = ...,
    ) -> None: ...

class TimeIndex(_V):
    """`<base offset>.timeindex`, since 0.10.1: a sparse, sorted map from timestamps to offsets. An entry
    (T, O) says that every record of the segment with a timestamp above T has an offset above O. No
    header, no checksum; preallocated, zero-filled and trimmed like the offset index."""
    entries: _B.list[TimeIndexEntry]
    """One whenever the offset index gets one, and when the segment is closed, if the largest timestamp has
    grown since."""
    def __init__(
        _self,
        *,
        entries: _B.list[TimeIndexEntry] = ...,
    ) -> None: ...

class TimeIndexEntry(_V):
    """A largest timestamp so far and an offset that belongs to it; which one depends on the writer."""
    timestamp: _B.int
    """Largest timestamp of the segment when the entry was written, milliseconds since 1970."""
    relative_offset: _B.int
    """Offset that belongs to it, less the base offset of the segment; the record's up to 3.7, its batch's
    last since."""
    def __init__(
        _self,
        *,
        timestamp: _B.int = ...,
        relative_offset: _B.int = ...,
    ) -> None: ...

class TransactionIndex(_V):
    """`<base offset>.txnindex`, since 0.11: the aborted transactions whose abort markers are in the
    segment, in the order of their markers. Consumers that read committed data use it to skip their
    records. No header, no checksum, never preallocated; the file is created with its first entry."""
    entries: _B.list[TransactionIndexEntry]
    """Written by the broker as the markers are appended."""
    def __init__(
        _self,
        *,
        entries: _B.list[TransactionIndexEntry] = ...,
    ) -> None: ...

class TransactionIndexEntry(_V):
    """One aborted transaction; a transaction that wrote nothing to this partition has no entry."""
    version: _B.int
    """0 so far. Kafka checks only the first of its two bytes."""
    producer_id: _B.int
    """Producer of the transaction."""
    first_offset: _B.int
    """Offset of the transaction's first record in this partition."""
    last_offset: _B.int
    """Offset of the abort marker."""
    last_stable_offset: _B.int
    """First offset of the oldest transaction that was still open then; without one, the offset after the
    marker."""
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        producer_id: _B.int = ...,
        first_offset: _B.int = ...,
        last_offset: _B.int = ...,
        last_stable_offset: _B.int = ...,
    ) -> None: ...

class ControlRecordTypeSchema(_V):
    """Key of a record in a control batch: its type says which message the value is. A newer version is
    read as this one, and bytes may follow."""
    version: _B.int
    type: ControlType | _B.int
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        type: ControlType | _B.int = ...,
    ) -> None: ...

class EndTxnMarker(_V):
    """Value of the control records `abort` and `commit`, the last record of a transaction in a partition.
    Written by the transaction coordinator, since 0.11. A newer version is read as this one, and bytes
    may follow."""
    version: _B.int
    coordinator_epoch: _B.int
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        coordinator_epoch: _B.int = ...,
    ) -> None: ...

class LeaderChangeMessage(_V):
    """Value of the control record `leader_change`, which a new leader of a KRaft quorum writes first in
    its epoch (since 2.7). Brokers up to 4.4.0 write version 0."""
    version: _B.int
    leader_id: _B.int
    voters_count: _B.int
    voters: _B.list[LeaderChangeMessageVoter]
    granting_voters_count: _B.int
    granting_voters: _B.list[LeaderChangeMessageVoter]
    tagged_fields: TaggedFields
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        leader_id: _B.int = ...,
        voters_count: _B.int = ...,
        voters: _B.list[LeaderChangeMessageVoter] = ...,
        granting_voters_count: _B.int = ...,
        granting_voters: _B.list[LeaderChangeMessageVoter] = ...,
        tagged_fields: TaggedFields = ...,
    ) -> None: ...

class TaggedField(_V):
    """A field that a later version of Kafka added."""
    tag: _B.int
    """Which field it is."""
    data_length: _B.int
    data: _B.bytes
    """Its value, as it stands there."""
    def __init__(
        _self,
        *,
        tag: _B.int = ...,
        data_length: _B.int = ...,
        data: _B.bytes = ...,
    ) -> None: ...

class TaggedFields(_V):
    """Tagged fields of a structure that has none which are known."""
    fields_count: _B.int
    fields: _B.list[TaggedField]
    def __init__(
        _self,
        *,
        fields_count: _B.int = ...,
        fields: _B.list[TaggedField] = ...,
    ) -> None: ...

class LeaderChangeMessageVoter(_V):
    """A value of leader_change_message::voter."""
    voter_id: _B.int
    voter_directory_id: _B.bytes | None
    tagged_fields: TaggedFields
    version: _B.int
    def __init__(
        _self,
        *,
        voter_id: _B.int = ...,
        voter_directory_id: _B.bytes | None = ...,
        tagged_fields: TaggedFields = ...,
    ) -> None: ...

class SnapshotHeaderRecord(_V):
    """Value of the control record `snapshot_header`, the first record of a KRaft snapshot (3.0)."""
    version: _B.int
    last_contained_log_timestamp: _B.int
    tagged_fields: TaggedFields
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        last_contained_log_timestamp: _B.int = ...,
        tagged_fields: TaggedFields = ...,
    ) -> None: ...

class SnapshotFooterRecord(_V):
    """Value of the control record `snapshot_footer`, the last record of a KRaft snapshot (3.0)."""
    version: _B.int
    tagged_fields: TaggedFields
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        tagged_fields: TaggedFields = ...,
    ) -> None: ...

class KraftVersionRecord(_V):
    """Value of the control record `kraft_version`, in the metadata log and its snapshots (since 3.8,
    KIP-853): 0 for voters that the configuration names, 1 for voters that stand in the log."""
    version: _B.int
    kraft_version: _B.int
    tagged_fields: TaggedFields
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        kraft_version: _B.int = ...,
        tagged_fields: TaggedFields = ...,
    ) -> None: ...

class VotersRecord(_V):
    """Value of the control record `kraft_voters`, in the metadata log and its snapshots (since 3.8,
    KIP-853)."""
    version: _B.int
    voters_count: _B.int
    voters: _B.list[VotersRecordVoter]
    tagged_fields: TaggedFields
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        voters_count: _B.int = ...,
        voters: _B.list[VotersRecordVoter] = ...,
        tagged_fields: TaggedFields = ...,
    ) -> None: ...

class Endpoint(_V):
    """A value of voters_record::endpoint."""
    name_length: _B.int
    name: _B.str
    host_length: _B.int
    host: _B.str
    port: _B.int
    tagged_fields: TaggedFields
    def __init__(
        _self,
        *,
        name_length: _B.int = ...,
        name: _B.str = ...,
        host_length: _B.int = ...,
        host: _B.str = ...,
        port: _B.int = ...,
        tagged_fields: TaggedFields = ...,
    ) -> None: ...

class KraftVersionFeature(_V):
    """A value of voters_record::kraft_version_feature."""
    min_supported_version: _B.int
    max_supported_version: _B.int
    tagged_fields: TaggedFields
    def __init__(
        _self,
        *,
        min_supported_version: _B.int = ...,
        max_supported_version: _B.int = ...,
        tagged_fields: TaggedFields = ...,
    ) -> None: ...

class VotersRecordVoter(_V):
    """A value of voters_record::voter."""
    voter_id: _B.int
    voter_directory_id: _B.bytes
    endpoints_count: _B.int
    endpoints: _B.list[Endpoint]
    kraft_version_feature: KraftVersionFeature
    tagged_fields: TaggedFields
    def __init__(
        _self,
        *,
        voter_id: _B.int = ...,
        voter_directory_id: _B.bytes = ...,
        endpoints_count: _B.int = ...,
        endpoints: _B.list[Endpoint] = ...,
        kraft_version_feature: KraftVersionFeature = ...,
        tagged_fields: TaggedFields = ...,
    ) -> None: ...

class TransactionLogKey(_V):
    """Key of a record of `__transaction_state`: a transactional id, whose hash code in Java decides which
    partition has its records. Coordinators pass over keys of a version that they do not know."""
    type: _B.int
    transactional_id_length: _B.int
    transactional_id: _B.str
    def __init__(
        _self,
        *,
        type: _B.int = ...,
        transactional_id_length: _B.int = ...,
        transactional_id: _B.str = ...,
    ) -> None: ...

class TransactionLogValue(_V):
    """Value of a record of `__transaction_state`: what the transaction coordinator knows of a
    transactional id; the latest one counts, and no value says that the id is forgotten. Version 0 since
    0.11, version 1 where the cluster's feature `transaction.version` is 1 or 2 (since 3.8)."""
    version: _B.int
    producer_id: _B.int
    producer_epoch: _B.int
    transaction_timeout_ms: _B.int
    transaction_status: TransactionState | _B.int
    transaction_partitions_count: _B.int | None
    compact_transaction_partitions_count: _B.int | None
    transaction_partitions: _B.list[PartitionsSchema] | None
    transaction_last_update_timestamp_ms: _B.int
    transaction_start_timestamp_ms: _B.int
    tagged_fields: TransactionLogValueTaggedFields | None
    previous_producer_id: _B.int
    next_producer_id: _B.int
    client_transaction_version: _B.int
    next_producer_epoch: _B.int
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        producer_id: _B.int = ...,
        producer_epoch: _B.int = ...,
        transaction_timeout_ms: _B.int = ...,
        transaction_status: TransactionState | _B.int = ...,
        transaction_partitions_count: _B.int | None = ...,
        compact_transaction_partitions_count: _B.int | None = ...,
        transaction_partitions: _B.list[PartitionsSchema] | None = ...,
        transaction_last_update_timestamp_ms: _B.int = ...,
        transaction_start_timestamp_ms: _B.int = ...,
        tagged_fields: TransactionLogValueTaggedFields | None = ...,
        previous_producer_id: _B.int = ...,
        next_producer_id: _B.int = ...,
        client_transaction_version: _B.int = ...,
        next_producer_epoch: _B.int = ...,
    ) -> None: ...

class PartitionsSchema(_V):
    """A value of transaction_log_value::partitions_schema."""
    topic_length: _B.int | None
    compact_topic_length: _B.int | None
    topic: _B.str
    partition_ids_count: _B.int | None
    compact_partition_ids_count: _B.int | None
    partition_ids: _B.list[_B.int]
    tagged_fields: TaggedFields | None
    version: _B.int
    def __init__(
        _self,
        *,
        topic_length: _B.int | None = ...,
        compact_topic_length: _B.int | None = ...,
        topic: _B.str = ...,
        partition_ids_count: _B.int | None = ...,
        compact_partition_ids_count: _B.int | None = ...,
        partition_ids: _B.list[_B.int] = ...,
        tagged_fields: TaggedFields | None = ...,
    ) -> None: ...

class TransactionLogValuePreviousProducerIdTag(_V):
    """A value of transaction_log_value::transaction_log_value_previous_producer_id_tag."""
    previous_producer_id: _B.int
    def __init__(
        _self,
        *,
        previous_producer_id: _B.int = ...,
    ) -> None: ...

class TransactionLogValueNextProducerIdTag(_V):
    """A value of transaction_log_value::transaction_log_value_next_producer_id_tag."""
    next_producer_id: _B.int
    def __init__(
        _self,
        *,
        next_producer_id: _B.int = ...,
    ) -> None: ...

class TransactionLogValueClientTransactionVersionTag(_V):
    """A value of transaction_log_value::transaction_log_value_client_transaction_version_tag."""
    client_transaction_version: _B.int
    def __init__(
        _self,
        *,
        client_transaction_version: _B.int = ...,
    ) -> None: ...

class TransactionLogValueNextProducerEpochTag(_V):
    """A value of transaction_log_value::transaction_log_value_next_producer_epoch_tag."""
    next_producer_epoch: _B.int
    def __init__(
        _self,
        *,
        next_producer_epoch: _B.int = ...,
    ) -> None: ...

class TransactionLogValueTaggedField(_V):
    """A value of transaction_log_value::transaction_log_value_tagged_field."""
    tag: _B.int
    data_length: _B.int
    data: TransactionLogValuePreviousProducerIdTag | TransactionLogValueNextProducerIdTag | TransactionLogValueClientTransactionVersionTag | TransactionLogValueNextProducerEpochTag | _B.bytes
    def __init__(
        _self,
        *,
        tag: _B.int = ...,
        data_length: _B.int = ...,
        data: TransactionLogValuePreviousProducerIdTag | TransactionLogValueNextProducerIdTag | TransactionLogValueClientTransactionVersionTag | TransactionLogValueNextProducerEpochTag | _B.bytes = ...,
    ) -> None: ...

class TransactionLogValueTaggedFields(_V):
    """A value of transaction_log_value::transaction_log_value_tagged_fields."""
    fields_count: _B.int
    fields: _B.list[TransactionLogValueTaggedField]
    def __init__(
        _self,
        *,
        fields_count: _B.int = ...,
        fields: _B.list[TransactionLogValueTaggedField] = ...,
    ) -> None: ...
