"""The program of formats/record_batch.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import BitField, Check, CheckEnd, Checksum, Enum, Field, Parameter, Program, ReadBits, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram, Window
from kformat.language.types import Boolean, Bytes, EnumType, Integer, ListOf, Structure, Text

MADE_FROM = {'record_batch': 212700425, 'varint': 752136197}
ENUM_record_batch__timestamp_type = Enum(
    name='record_batch::timestamp_type',
    members={0: 'create_time', 1: 'log_append_time'},
    original_ids={0: 'CreateTime', 1: 'LogAppendTime'},
    docs={0: "The producer's clock, or what the application gave.", 1: 'The clock of the broker that appended the batch.'},
)
ENUM_record_batch__compression_type = Enum(
    name='record_batch::compression_type',
    members={0: 'none', 1: 'gzip', 2: 'snappy', 3: 'lz4', 4: 'zstd'},
    original_ids={},
    docs={0: 'Nothing is compressed.', 1: 'One gzip member as a rule; readers take several.', 2: 'In the framing of the xerial library; readers take raw snappy as well.', 3: 'A frame with independent blocks.', 4: 'A frame; since 2.1 (KIP-110).'},
)
TYPE_record_batch__attributes = TypeProgram(
    name='record_batch::attributes',
    digest='0a7d19babc670d87d1f2df1803b0ac8525a637f8cb5227d963f15067b188a7fd',
    doc='The lower byte has its meaning from messages of magic 0 and 1, as far as they go.',
    original_id='attributes',
    fields=(
        Field('reserved', 'integer', False, 'Not used; dropped by a broker that rewrites the attributes.', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/record_batch.ksy', 105, '/types/attributes/seq/0'), value_type=Integer(9, False)),
        Field('has_delete_horizon', 'integer', False, '`base_timestamp` is a delete horizon. Set by compaction, since 3.1.', 'hasDeleteHorizonMs', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/record_batch.ksy', 109, '/types/attributes/seq/1'), value_type=Integer(1, False)),
        Field('is_control', 'integer', False, 'The records are control records (`control_record.ksy`), which brokers write and consumers do not see; since 0.11.', 'isControlBatch', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/record_batch.ksy', 114, '/types/attributes/seq/2'), value_type=Integer(1, False)),
        Field('is_transactional', 'integer', False, 'Part of a transaction, as the producer says; the control batch that ends it decides whether it counts. Since 0.11.', 'isTransactional', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/record_batch.ksy', 119, '/types/attributes/seq/3'), value_type=Integer(1, False)),
        Field('timestamp_type', 'integer', False, "Who gave the timestamps; set by the leader as the topic's `message.timestamp.type` says.", 'timestampType', ENUM_record_batch__timestamp_type, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/record_batch.ksy', 124, '/types/attributes/seq/4'), value_type=EnumType('record_batch::timestamp_type')),
        Field('compression', 'integer', False, "How the records are compressed; by the producer, or by the leader where the topic's `compression.type` names another codec.", 'compressionType', ENUM_record_batch__compression_type, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/record_batch.ksy', 130, '/types/attributes/seq/5'), value_type=EnumType('record_batch::compression_type')),
    ),
    steps=(
        Check(name='compression', rule=Expression('or', (Expression('or', (Expression('==', (Expression('name', (), ('compression',), EnumType('record_batch::compression_type'), 0, 7), Expression('constant', (), 0, EnumType('record_batch::compression_type'), 0, 0)), None, Boolean(), 0, 1), Expression('==', (Expression('name', (), ('compression',), EnumType('record_batch::compression_type'), 0, 7), Expression('constant', (), 1, EnumType('record_batch::compression_type'), 1, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('or', (Expression('==', (Expression('name', (), ('compression',), EnumType('record_batch::compression_type'), 0, 7), Expression('constant', (), 2, EnumType('record_batch::compression_type'), 2, 2)), None, Boolean(), 0, 1), Expression('or', (Expression('==', (Expression('name', (), ('compression',), EnumType('record_batch::compression_type'), 0, 7), Expression('constant', (), 3, EnumType('record_batch::compression_type'), 3, 3)), None, Boolean(), 0, 1), Expression('==', (Expression('name', (), ('compression',), EnumType('record_batch::compression_type'), 0, 7), Expression('constant', (), 4, EnumType('record_batch::compression_type'), 4, 4)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), expected='one of 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(
        BitField('reserved', 7, 9, None),
        BitField('has_delete_horizon', 6, 1, None),
        BitField('is_control', 5, 1, None),
        BitField('is_transactional', 4, 1, None),
        BitField('timestamp_type', 3, 1, ENUM_record_batch__timestamp_type),
        BitField('compression', 0, 3, ENUM_record_batch__compression_type),
    ),
    minimum_size=2,
    steps_count=1,
)
TYPE_record_batch__header = TypeProgram(
    name='record_batch::header',
    digest='0a7d19babc670d87d1f2df1803b0ac8525a637f8cb5227d963f15067b188a7fd',
    doc='A name and a value that an application gave a record; since 0.11 (KIP-82).',
    original_id='',
    fields=(
        Field('key_length', 'integer', False, "A header's key is never null.", 'headerKeyLength', None, None, None, None, True, Mark('formats/record_batch.ksy', 222, '/types/header/seq/0'), value_type=Integer(32, True)),
        Field('key', 'text', False, 'Text; may be empty.', 'headerKey', None, None, None, None, False, Mark('formats/record_batch.ksy', 228, '/types/header/seq/1'), value_type=Text()),
        Field('value_length', 'integer', False, 'Any negative value means null.', 'headerValueLength', None, None, None, None, True, Mark('formats/record_batch.ksy', 234, '/types/header/seq/2'), value_type=Integer(32, True)),
        Field('value', 'bytes', True, 'Absent where `value_length` is negative.', '', None, None, None, None, False, Mark('formats/record_batch.ksy', 238, '/types/header/seq/3'), value_type=Bytes()),
    ),
    steps=(
        ReadVarint(name='key_length', max_bytes=5, zigzag=True, kind=Integer(32, True)),
        Check(name='key_length', rule=Expression('>=', (Expression('name', (), ('key_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='key', size=Expression('name', (), ('key_length',), Integer(32, True), -2147483648, 2147483647), encoding='UTF-8'),
        ReadVarint(name='value_length', max_bytes=5, zigzag=True, kind=Integer(32, True)),
        ReadBytes(name='value', condition=Expression('>=', (Expression('name', (), ('value_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), size=Expression('name', (), ('value_length',), Integer(32, True), -2147483648, 2147483647)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=5,
)
TYPE_record_batch__record = TypeProgram(
    name='record_batch::record',
    digest='0a7d19babc670d87d1f2df1803b0ac8525a637f8cb5227d963f15067b188a7fd',
    doc='A key, a value and headers, as an application or a broker wrote them. Offset and timestamp are deltas to those of the\nbatch; these fields do not say whether a consumer sees the record (aborted transactions, control batches).',
    original_id='',
    fields=(
        Field('length', 'integer', False, 'Bytes of everything after this field.', '', None, None, None, None, True, Mark('formats/record_batch.ksy', 160, '/types/record/seq/0'), value_type=Integer(32, True)),
        Field('attributes', 'integer', False, 'Not used; 0 when written, ignored when read.', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/record_batch.ksy', 172, '/types/record_body/seq/0'), value_type=Integer(8, True)),
        Field('timestamp_delta', 'integer', False, 'Milliseconds; may be negative. Not used in a `log_append_time` batch, but stored there all the same.', 'timestampDelta', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), 'base_timestamp', False, Mark('formats/record_batch.ksy', 176, '/types/record_body/seq/1'), value_type=Integer(64, True)),
        Field('offset_delta', 'integer', False, 'Rises within a batch, with gaps after compaction.', 'offsetDelta', None, None, None, 'base_offset', False, Mark('formats/record_batch.ksy', 182, '/types/record_body/seq/2'), value_type=Integer(32, True)),
        Field('key_length', 'integer', False, 'Any negative value means null; -1 is what writers use.', 'keyLength', None, None, None, None, True, Mark('formats/record_batch.ksy', 187, '/types/record_body/seq/3'), value_type=Integer(32, True)),
        Field('key', 'bytes', True, 'Used by compaction and the default partitioner; absent where `key_length` is negative.', '', None, None, None, None, False, Mark('formats/record_batch.ksy', 191, '/types/record_body/seq/4'), value_type=Bytes()),
        Field('value_length', 'integer', False, 'Any negative value means null; with a key that is a tombstone.', 'valueLength', None, None, None, None, True, Mark('formats/record_batch.ksy', 195, '/types/record_body/seq/5'), value_type=Integer(32, True)),
        Field('value', 'bytes', True, 'Absent where `value_length` is negative.', '', None, None, None, None, False, Mark('formats/record_batch.ksy', 199, '/types/record_body/seq/6'), value_type=Bytes()),
        Field('headers_count', 'integer', False, 'Number of headers.', 'headersCount', None, None, None, None, True, Mark('formats/record_batch.ksy', 203, '/types/record_body/seq/7'), value_type=Integer(32, True)),
        Field('headers', 'list', False, 'Since 0.11 (KIP-82). Their order counts, and keys may repeat.', '', None, TYPE_record_batch__header, None, None, False, Mark('formats/record_batch.ksy', 209, '/types/record_body/seq/8'), value_type=ListOf(Structure('record_batch::header'))),
    ),
    steps=(
        ReadVarint(name='length', max_bytes=5, zigzag=True, kind=Integer(32, True)),
        Check(name='length', rule=Expression('>=', (Expression('name', (), ('length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Window(name='body', size=Expression('name', (), ('length',), Integer(32, True), -2147483648, 2147483647), codec=None, steps=(ReadInteger(name='attributes', kind=Integer(8, True), little_endian=False), ReadVarint(name='timestamp_delta', max_bytes=10, zigzag=True, kind=Integer(64, True)), ReadVarint(name='offset_delta', max_bytes=5, zigzag=True, kind=Integer(32, True)), ReadVarint(name='key_length', max_bytes=5, zigzag=True, kind=Integer(32, True)), ReadBytes(name='key', condition=Expression('>=', (Expression('name', (), ('key_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), size=Expression('name', (), ('key_length',), Integer(32, True), -2147483648, 2147483647)), ReadVarint(name='value_length', max_bytes=5, zigzag=True, kind=Integer(32, True)), ReadBytes(name='value', condition=Expression('>=', (Expression('name', (), ('value_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), size=Expression('name', (), ('value_length',), Integer(32, True), -2147483648, 2147483647)), ReadVarint(name='headers_count', max_bytes=5, zigzag=True, kind=Integer(32, True)), Check(name='headers_count', rule=Expression('>=', (Expression('name', (), ('headers_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'), ReadList(name='headers', element=ReadType(name='headers', type=TYPE_record_batch__header), count=Expression('name', (), ('headers_count',), Integer(32, True), -2147483648, 2147483647)), CheckEnd(name='end_of_record'))),
    ),
    parameters=(),
    row=True,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=20,
)
TYPE_record_batch = TypeProgram(
    name='record_batch',
    digest='0a7d19babc670d87d1f2df1803b0ac8525a637f8cb5227d963f15067b188a7fd',
    doc="What a segment file (`<base offset>.log`) consists of since Kafka 0.11: a sequence of batches with nothing between\nthem. A producer builds a batch; the partition's leader writes the offset and its epoch into it, which the checksum\ndoes not cover, and otherwise stores it unchanged.",
    original_id='',
    fields=(
        Field('base_offset', 'integer', False, 'Offset of the first record that the batch was built with. 0 from a producer; the leader sets it; compaction keeps it.', 'baseOffset', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/record_batch.ksy', 21, '/seq/0'), value_type=Integer(64, True)),
        Field('batch_length', 'integer', False, 'Bytes after this field, that is the size of the batch less 12. Set by the producer, and by compaction.', 'batchLength', None, None, None, None, True, Mark('formats/record_batch.ksy', 26, '/seq/1'), value_type=Integer(32, True)),
        Field('partition_leader_epoch', 'integer', False, 'Epoch of the leader that appended the batch, which sets it; -1 from a producer.', 'partitionLeaderEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/record_batch.ksy', 32, '/seq/2'), value_type=Integer(32, True)),
        Field('magic', 'integer', False, 'Version of the format, 2 since 0.11 (KIP-98); at the same position in the older formats.', '', None, None, Expression('constant', (), 2, Integer(64, True), 2, 2), None, False, Mark('formats/record_batch.ksy', 37, '/seq/3'), value_type=Integer(8, True)),
        Field('crc', 'integer', False, 'CRC-32C of everything from `attributes` to the end of the batch. Set by the producer, or by a broker that changed those bytes.', '', None, None, None, None, True, Mark('formats/record_batch.ksy', 42, '/seq/4'), value_type=Integer(32, False)),
        Field('attributes', 'structure', False, 'Sixteen bits, most of them not used.', '', None, TYPE_record_batch__attributes, None, None, False, Mark('formats/record_batch.ksy', 45, '/seq/5'), value_type=Structure('record_batch::attributes')),
        Field('last_offset_delta', 'integer', False, 'Last offset less `base_offset`; from a producer the number of records less one, or the leader refuses the batch.\nCompaction keeps it, so it does not show how many records are left.', 'lastOffsetDelta', None, None, Expression('-', (Expression('name', (), ('records_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -2147483649, 2147483646), None, False, Mark('formats/record_batch.ksy', 48, '/seq/6'), value_type=Integer(32, True)),
        Field('base_timestamp', 'integer', False, "Milliseconds since 1970 to which the records' deltas are added: the first record's timestamp when the batch was\nmade. Where `attributes.has_delete_horizon` it is the time from which tombstones may be dropped (since 3.1,\nKAFKA-8522); -1 in a batch that compaction emptied.", 'baseTimestamp', None, None, None, None, False, Mark('formats/record_batch.ksy', 55, '/seq/7'), value_type=Integer(64, True)),
        Field('max_timestamp', 'integer', False, "Largest timestamp of the records in milliseconds since 1970, -1 for none; the leader corrects a wrong one.\nWith `log_append_time` the leader sets it to the time of the append, which is then every record's timestamp.", 'maxTimestamp', None, None, None, None, False, Mark('formats/record_batch.ksy', 62, '/seq/8'), value_type=Integer(64, True)),
        Field('producer_id', 'integer', False, 'Set by an idempotent or transactional producer, with an id from a broker (since 0.11, KIP-98); -1 for none.', 'producerId', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/record_batch.ksy', 68, '/seq/9'), value_type=Integer(64, True)),
        Field('producer_epoch', 'integer', False, 'Rises when a producer with the same transactional id starts; -1 for none.', 'producerEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/record_batch.ksy', 73, '/seq/10'), value_type=Integer(16, True)),
        Field('base_sequence', 'integer', False, "The producer's own number of the first record, by which duplicates are found; wraps from 2147483647 to 0; -1 for none.", 'baseSequence', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/record_batch.ksy', 78, '/seq/11'), value_type=Integer(32, True)),
        Field('records_count', 'integer', False, 'Records that are in the batch now; never compressed. 0 in a batch that compaction emptied.', 'recordsCount', None, None, None, None, True, Mark('formats/record_batch.ksy', 83, '/seq/12'), value_type=Integer(32, True)),
        Field('records', 'list', False, 'In the order of their offsets.', '', None, TYPE_record_batch__record, None, None, False, Mark('formats/record_batch.ksy', 144, '/types/records/seq/0'), value_type=ListOf(Structure('record_batch::record'))),
        Field('payload', 'bytes', True, 'The records; all of them compressed together where `attributes.compression` says so.', '', None, None, None, None, False, Mark('formats/record_batch.ksy', 89, '/seq/13'), True),
    ),
    steps=(
        ReadInteger(name='base_offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='batch_length', kind=Integer(32, True), little_endian=False),
        Check(name='batch_length', rule=Expression('>=', (Expression('name', (), ('batch_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 49, Integer(64, True), 49, 49)), None, Boolean(), 0, 1), expected='>= 49'),
        ReadInteger(name='partition_leader_epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='magic', kind=Integer(8, True), little_endian=False),
        Check(name='magic', rule=Expression('==', (Expression('name', (), ('magic',), Integer(8, True), -128, 127), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1), expected='2'),
        ReadInteger(name='crc', kind=Integer(32, False), little_endian=False),
        Checksum(name='crc', algorithm='crc32c', length=Expression('+', (Expression('constant', (), 40, Integer(64, True), 40, 40), Expression('-', (Expression('name', (), ('batch_length',), Integer(32, True), 49, 2147483647), Expression('constant', (), 49, Integer(64, True), 49, 49)), None, Integer(64, True), 0, 2147483598)), None, Integer(64, True), 40, 2147483638)),
        ReadBits(name='attributes', size=2, bits=(BitField('reserved', 7, 9, None), BitField('has_delete_horizon', 6, 1, None), BitField('is_control', 5, 1, None), BitField('is_transactional', 4, 1, None), BitField('timestamp_type', 3, 1, ENUM_record_batch__timestamp_type), BitField('compression', 0, 3, ENUM_record_batch__compression_type)), type=TYPE_record_batch__attributes),
        ReadInteger(name='last_offset_delta', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='base_timestamp', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='max_timestamp', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='producer_id', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='producer_epoch', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='base_sequence', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='records_count', kind=Integer(32, True), little_endian=False),
        Check(name='records_count', rule=Expression('>=', (Expression('name', (), ('records_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Window(name='payload', size=Expression('-', (Expression('name', (), ('batch_length',), Integer(32, True), 49, 2147483647), Expression('constant', (), 49, Integer(64, True), 49, 49)), None, Integer(64, True), 0, 2147483598), codec=Expression('name', (), ('attributes', 'compression'), EnumType('record_batch::compression_type'), 0, 7), steps=(ReadList(name='records', element=ReadType(name='records', type=TYPE_record_batch__record), count=Expression('name', (), ('records_count',), Integer(32, True), 0, 2147483647)), CheckEnd(name='end_of_records'))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=61,
    steps_count=41,
    is_root=True,
)
TYPE_record_batch__records = TypeProgram(
    name='record_batch::records',
    digest='0a7d19babc670d87d1f2df1803b0ac8525a637f8cb5227d963f15067b188a7fd',
    doc='The contents of a payload after decompression.',
    original_id='',
    fields=(
        Field('records', 'list', False, 'In the order of their offsets.', '', None, TYPE_record_batch__record, None, None, False, Mark('formats/record_batch.ksy', 144, '/types/records/seq/0'), value_type=ListOf(Structure('record_batch::record'))),
    ),
    steps=(
        ReadList(name='records', element=ReadType(name='records', type=TYPE_record_batch__record), count=Expression('name', (), ('count',), Integer(32, True), -2147483648, 2147483647)),
        CheckEnd(name='end_of_records'),
    ),
    parameters=(
        'count',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=0,
    steps_count=23,
    parameter_types=(
        Parameter('count', Integer(32, True)),
    ),
)
TYPE_record_batch__record_body = TypeProgram(
    name='record_batch::record_body',
    digest='0a7d19babc670d87d1f2df1803b0ac8525a637f8cb5227d963f15067b188a7fd',
    doc="What a record's length counts.",
    original_id='',
    fields=(
        Field('attributes', 'integer', False, 'Not used; 0 when written, ignored when read.', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/record_batch.ksy', 172, '/types/record_body/seq/0'), value_type=Integer(8, True)),
        Field('timestamp_delta', 'integer', False, 'Milliseconds; may be negative. Not used in a `log_append_time` batch, but stored there all the same.', 'timestampDelta', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), 'base_timestamp', False, Mark('formats/record_batch.ksy', 176, '/types/record_body/seq/1'), value_type=Integer(64, True)),
        Field('offset_delta', 'integer', False, 'Rises within a batch, with gaps after compaction.', 'offsetDelta', None, None, None, 'base_offset', False, Mark('formats/record_batch.ksy', 182, '/types/record_body/seq/2'), value_type=Integer(32, True)),
        Field('key_length', 'integer', False, 'Any negative value means null; -1 is what writers use.', 'keyLength', None, None, None, None, True, Mark('formats/record_batch.ksy', 187, '/types/record_body/seq/3'), value_type=Integer(32, True)),
        Field('key', 'bytes', True, 'Used by compaction and the default partitioner; absent where `key_length` is negative.', '', None, None, None, None, False, Mark('formats/record_batch.ksy', 191, '/types/record_body/seq/4'), value_type=Bytes()),
        Field('value_length', 'integer', False, 'Any negative value means null; with a key that is a tombstone.', 'valueLength', None, None, None, None, True, Mark('formats/record_batch.ksy', 195, '/types/record_body/seq/5'), value_type=Integer(32, True)),
        Field('value', 'bytes', True, 'Absent where `value_length` is negative.', '', None, None, None, None, False, Mark('formats/record_batch.ksy', 199, '/types/record_body/seq/6'), value_type=Bytes()),
        Field('headers_count', 'integer', False, 'Number of headers.', 'headersCount', None, None, None, None, True, Mark('formats/record_batch.ksy', 203, '/types/record_body/seq/7'), value_type=Integer(32, True)),
        Field('headers', 'list', False, 'Since 0.11 (KIP-82). Their order counts, and keys may repeat.', '', None, TYPE_record_batch__header, None, None, False, Mark('formats/record_batch.ksy', 209, '/types/record_body/seq/8'), value_type=ListOf(Structure('record_batch::header'))),
    ),
    steps=(
        ReadInteger(name='attributes', kind=Integer(8, True), little_endian=False),
        ReadVarint(name='timestamp_delta', max_bytes=10, zigzag=True, kind=Integer(64, True)),
        ReadVarint(name='offset_delta', max_bytes=5, zigzag=True, kind=Integer(32, True)),
        ReadVarint(name='key_length', max_bytes=5, zigzag=True, kind=Integer(32, True)),
        ReadBytes(name='key', condition=Expression('>=', (Expression('name', (), ('key_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), size=Expression('name', (), ('key_length',), Integer(32, True), -2147483648, 2147483647)),
        ReadVarint(name='value_length', max_bytes=5, zigzag=True, kind=Integer(32, True)),
        ReadBytes(name='value', condition=Expression('>=', (Expression('name', (), ('value_length',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), size=Expression('name', (), ('value_length',), Integer(32, True), -2147483648, 2147483647)),
        ReadVarint(name='headers_count', max_bytes=5, zigzag=True, kind=Integer(32, True)),
        Check(name='headers_count', rule=Expression('>=', (Expression('name', (), ('headers_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='headers', element=ReadType(name='headers', type=TYPE_record_batch__header), count=Expression('name', (), ('headers_count',), Integer(32, True), -2147483648, 2147483647)),
        CheckEnd(name='end_of_record'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=17,
)
PROGRAM = Program('record_batch', TYPE_record_batch, {'record_batch::attributes': TYPE_record_batch__attributes, 'record_batch::header': TYPE_record_batch__header, 'record_batch::record': TYPE_record_batch__record, 'record_batch': TYPE_record_batch, 'record_batch::records': TYPE_record_batch__records, 'record_batch::record_body': TYPE_record_batch__record_body}, {'record_batch::timestamp_type': ENUM_record_batch__timestamp_type, 'record_batch::compression_type': ENUM_record_batch__compression_type})
