# Made from formats/*.ksy by `make generate`; do not edit.

import builtins as _B
import enum as _E
import typing as _T

from kformat.codec.values import Value as _V

__all__: _B.list[_B.str]

class ControlType(_E.IntEnum):
    abort = 0
    """Ends a transaction whose records do not count."""
    commit = 1
    """Ends a transaction whose records count."""
    leader_change = 2
    """A new leader of a KRaft quorum."""
    snapshot_header = 3
    """First record of a KRaft snapshot."""
    snapshot_footer = 4
    """Last record of a KRaft snapshot."""
    kraft_version = 5
    """Version of the quorum's protocol."""
    kraft_voters = 6
    """The quorum's voters."""

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

class TransactionState(_E.IntEnum):
    empty = 0
    """There is no transaction."""
    ongoing = 1
    """Partitions were added, and the transaction is open."""
    prepare_commit = 2
    """It is committed; markers are being written."""
    prepare_abort = 3
    """It is aborted; markers are being written."""
    complete_commit = 4
    """It is committed, and all markers are written."""
    complete_abort = 5
    """It is aborted, and all markers are written."""
    dead = 6
    """The id is about to be forgotten; not written."""
    prepare_epoch_fence = 7
    """The producer is being fenced off; not written."""

class ControlRecord(_V):
    """A control batch (`attributes.is_control`) holds records that the broker wrote for itself. The key of
    such a record is declared here; its `type` says which of the types below the record's value is. A
    newer version than the reader knows is read as the newest it knows, so that bytes may follow what is
    declared."""
    version: _B.int
    """0 so far."""
    type: ControlType | _B.int
    """Kind of the record, set by the broker that writes it; readers ignore a type that they do not know. 0
    and 1 since 0.11, 2 since 2.7, 3 and 4 since 3.0, 5 and 6 since 3.8."""
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        type: ControlType | _B.int = ...,
    ) -> None: ...

class EndTransactionMarker(_V):
    """Value of `abort` and `commit`, the last record of a transaction in a partition. Written by the
    transaction coordinator, since 0.11."""
    version: _B.int
    """0 so far."""
    coordinator_epoch: _B.int
    """Epoch of the coordinator that ended the transaction."""
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        coordinator_epoch: _B.int = ...,
    ) -> None: ...

class TaggedField(_V):
    """A field that a later version added."""
    tag: _B.int
    """Which field it is."""
    data_length: _B.int
    """Bytes of `data`."""
    data: _B.bytes
    """Kept as it is."""
    def __init__(
        _self,
        *,
        tag: _B.int = ...,
        data_length: _B.int = ...,
        data: _B.bytes = ...,
    ) -> None: ...

class TaggedFields(_V):
    """The tail of every structure in a flexible message version (KIP-482)."""
    fields_count: _B.int
    """Number of tagged fields; 0 as a rule."""
    fields: _B.list[TaggedField]
    def __init__(
        _self,
        *,
        fields_count: _B.int = ...,
        fields: _B.list[TaggedField] = ...,
    ) -> None: ...

class Voter(_V):
    """A node of the quorum, as a leader change names it."""
    voter_id: _B.int
    """Node id of the voter."""
    voter_directory_id: _B.bytes | None
    """A UUID, since version 1."""
    tags: TaggedFields
    """Fields of later versions; ignored by readers that do not know them."""
    version: _B.int
    def __init__(
        _self,
        *,
        voter_id: _B.int = ...,
        voter_directory_id: _B.bytes | None = ...,
        tags: TaggedFields = ...,
    ) -> None: ...

class LeaderChange(_V):
    """Value of `leader_change`, which a new leader of a KRaft quorum writes first in its epoch (since
    2.7). The schema has a version 1 since 4.0 (KIP-853); brokers up to 4.4.0 write 0."""
    version: _B.int
    """0 or 1; decides whether voters carry a directory id."""
    leader_id: _B.int
    """The node that was elected."""
    voters_length: _B.int
    """Number of voters plus one."""
    voters: _B.list[Voter]
    """The quorum."""
    granting_voters_length: _B.int
    """Number of granting voters plus one."""
    granting_voters: _B.list[Voter]
    """Those that voted for the leader."""
    tags: TaggedFields
    """Fields of later versions; ignored by readers that do not know them."""
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        leader_id: _B.int = ...,
        voters_length: _B.int = ...,
        voters: _B.list[Voter] = ...,
        granting_voters_length: _B.int = ...,
        granting_voters: _B.list[Voter] = ...,
        tags: TaggedFields = ...,
    ) -> None: ...

class SnapshotHeader(_V):
    """Value of `snapshot_header`, the first record of a KRaft snapshot (since 3.0)."""
    version: _B.int
    """0 so far; ignored when read."""
    last_contained_log_timestamp: _B.int
    """When the last record that went into the snapshot was appended to the log, in milliseconds since
    1970."""
    tags: TaggedFields
    """Fields of later versions; ignored by readers that do not know them."""
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        last_contained_log_timestamp: _B.int = ...,
        tags: TaggedFields = ...,
    ) -> None: ...

class SnapshotFooter(_V):
    """Value of `snapshot_footer`, the last record of a KRaft snapshot (since 3.0)."""
    version: _B.int
    """0 so far; ignored when read."""
    tags: TaggedFields
    """Fields of later versions; ignored by readers that do not know them."""
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        tags: TaggedFields = ...,
    ) -> None: ...

class KraftVersion(_V):
    """Value of `kraft_version`, in the metadata log and its snapshots (since 3.8, KIP-853)."""
    version: _B.int
    """0 so far; ignored when read."""
    kraft_version: _B.int
    """0 for a quorum of voters that the configuration names, 1 for one whose voters stand in the log."""
    tags: TaggedFields
    """Fields of later versions; ignored by readers that do not know them."""
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        kraft_version: _B.int = ...,
        tags: TaggedFields = ...,
    ) -> None: ...

class Endpoint(_V):
    """A listener at which a voter is reached."""
    name_length: _B.int
    """Bytes of `name` plus one."""
    name: _B.str
    """The listener's name."""
    host_length: _B.int
    """Bytes of `host` plus one."""
    host: _B.str
    """Host name or address."""
    port: _B.int
    """TCP port."""
    tags: TaggedFields
    """Fields of later versions; ignored by readers that do not know them."""
    def __init__(
        _self,
        *,
        name_length: _B.int = ...,
        name: _B.str = ...,
        host_length: _B.int = ...,
        host: _B.str = ...,
        port: _B.int = ...,
        tags: TaggedFields = ...,
    ) -> None: ...

class KraftVersionFeature(_V):
    """Which versions of the quorum's protocol a voter supports."""
    min_supported_version: _B.int
    """Lowest `kraft_version`."""
    max_supported_version: _B.int
    """Highest `kraft_version`."""
    tags: TaggedFields
    """Fields of later versions; ignored by readers that do not know them."""
    def __init__(
        _self,
        *,
        min_supported_version: _B.int = ...,
        max_supported_version: _B.int = ...,
        tags: TaggedFields = ...,
    ) -> None: ...

class KraftVoter(_V):
    """A node of the quorum, with its addresses and what it can do."""
    voter_id: _B.int
    """Node id of the voter."""
    voter_directory_id: _B.bytes
    """UUID of the directory that holds the voter's metadata log; zeros if unknown."""
    endpoints_length: _B.int
    """Number of endpoints plus one."""
    endpoints: _B.list[Endpoint]
    """Where the voter listens."""
    kraft_version_feature: KraftVersionFeature
    """Which versions of the quorum's protocol it can speak."""
    tags: TaggedFields
    """Fields of later versions; ignored by readers that do not know them."""
    def __init__(
        _self,
        *,
        voter_id: _B.int = ...,
        voter_directory_id: _B.bytes = ...,
        endpoints_length: _B.int = ...,
        endpoints: _B.list[Endpoint] = ...,
        kraft_version_feature: KraftVersionFeature = ...,
        tags: TaggedFields = ...,
    ) -> None: ...

class KraftVoters(_V):
    """Value of `kraft_voters`, in the metadata log and its snapshots (since 3.8, KIP-853)."""
    version: _B.int
    """0 so far; ignored when read."""
    voters_length: _B.int
    """Number of voters plus one."""
    voters: _B.list[KraftVoter]
    """The quorum."""
    tags: TaggedFields
    """Fields of later versions; ignored by readers that do not know them."""
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        voters_length: _B.int = ...,
        voters: _B.list[KraftVoter] = ...,
        tags: TaggedFields = ...,
    ) -> None: ...

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

class TransactionLogKey(_V):
    """The key of every record of the topic `__transaction_state`, since 0.11. The record's value is
    declared in `transaction_log_value`; one without a value says that the coordinator has forgotten the
    id. Coordinators pass over keys of a version that they do not know."""
    version: _B.int
    """0 so far."""
    transactional_id_length: _B.int
    """Bytes of `transactional_id`."""
    transactional_id: _B.str
    """Name of a transactional producer, set by the client (`transactional.id`). Its Java hash code decides
    which partition of the topic has its records."""
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        transactional_id_length: _B.int = ...,
        transactional_id: _B.str = ...,
    ) -> None: ...

class TransactionLogValue(_V):
    """What the transaction coordinator knows of a transactional id; the latest record of the id's key in
    `__transaction_state` counts. Version 0 is written since 0.11, and version 1, which has tagged
    fields, where the cluster's feature `transaction.version` is 1 or 2 (since 3.8)."""
    version: _B.int
    """0 or 1; from 1 on lengths are variable-length integers, and tagged fields may follow."""
    producer_id: _B.int
    """Producer id of the transactional id."""
    producer_epoch: _B.int
    """The latest epoch of the producer id."""
    transaction_timeout_ms: _B.int
    """How long a transaction may stay open, in milliseconds, set by the client (`transaction.timeout.ms`)."""
    transaction_status: TransactionState | _B.int
    """State of the id's latest transaction."""
    partitions: Partitions | None
    """Partitions that the transaction wrote to and that may still miss its end marker."""
    compact_partitions: CompactPartitions | None
    """The same in version 1."""
    transaction_last_update_timestamp_ms: _B.int
    """When the record was written, in milliseconds since 1970."""
    transaction_start_timestamp_ms: _B.int
    """When the first partition was added to the transaction, in milliseconds since 1970; -1 in state
    `empty`."""
    tags: TaggedFields | None
    """Tag 0, 8 bytes: the producer id before this one. Tag 1, 8 bytes: the producer id of the next
    transaction, where the epochs of this one are used up. Tag 2, 2 bytes: the transaction version that
    the client used. A tag that is not there stands for -1, -1 and 0."""
    def __init__(
        _self,
        *,
        version: _B.int = ...,
        producer_id: _B.int = ...,
        producer_epoch: _B.int = ...,
        transaction_timeout_ms: _B.int = ...,
        transaction_status: TransactionState | _B.int = ...,
        partitions: Partitions | None = ...,
        compact_partitions: CompactPartitions | None = ...,
        transaction_last_update_timestamp_ms: _B.int = ...,
        transaction_start_timestamp_ms: _B.int = ...,
        tags: TaggedFields | None = ...,
    ) -> None: ...

class TopicPartitions(_V):
    """Partitions of one topic, in version 0."""
    topic_length: _B.int
    """Bytes of `topic`."""
    topic: _B.str
    """The topic's name."""
    partition_ids_count: _B.int
    """Number of partitions."""
    partition_ids: _B.list[_B.int]
    """Their numbers."""
    def __init__(
        _self,
        *,
        topic_length: _B.int = ...,
        topic: _B.str = ...,
        partition_ids_count: _B.int = ...,
        partition_ids: _B.list[_B.int] = ...,
    ) -> None: ...

class Partitions(_V):
    """Topics with their partitions, in version 0."""
    topics_count: _B.int
    """Number of topics; -1 in state `empty`."""
    topics: _B.list[TopicPartitions] | None
    """Each topic once."""
    def __init__(
        _self,
        *,
        topics_count: _B.int = ...,
        topics: _B.list[TopicPartitions] | None = ...,
    ) -> None: ...

class CompactTopicPartitions(_V):
    """Partitions of one topic, in version 1."""
    topic_length: _B.int
    """Bytes of `topic` plus one."""
    topic: _B.str
    """The topic's name."""
    partition_ids_length: _B.int
    """Number of partitions plus one."""
    partition_ids: _B.list[_B.int]
    """Their numbers."""
    tags: TaggedFields
    """Fields of later versions; ignored by readers that do not know them."""
    def __init__(
        _self,
        *,
        topic_length: _B.int = ...,
        topic: _B.str = ...,
        partition_ids_length: _B.int = ...,
        partition_ids: _B.list[_B.int] = ...,
        tags: TaggedFields = ...,
    ) -> None: ...

class CompactPartitions(_V):
    """Topics with their partitions, in version 1."""
    topics_length: _B.int
    """Number of topics plus one; 0 in state `empty`."""
    topics: _B.list[CompactTopicPartitions] | None
    """Each topic once."""
    def __init__(
        _self,
        *,
        topics_length: _B.int = ...,
        topics: _B.list[CompactTopicPartitions] | None = ...,
    ) -> None: ...

class NextProducerId(_V):
    """Data of tag 1."""
    producer_id: _B.int
    """Producer id of the id's next transaction."""
    def __init__(
        _self,
        *,
        producer_id: _B.int = ...,
    ) -> None: ...
