"""The program of formats/remote_log_segment_metadata_update_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Enum, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, EnumType, Integer, ListOf, Structure, Text

MADE_FROM = {'remote_log_segment_metadata_update_record': 343454916, 'varint': 752136197, 'kafka_types': 3257342114}
ENUM_remote_log_segment_metadata_update_record__remote_log_segment_state = Enum(
    name='remote_log_segment_metadata_update_record::remote_log_segment_state',
    members={0: 'copy_segment_started', 1: 'copy_segment_finished', 2: 'delete_segment_started', 3: 'delete_segment_finished'},
    original_ids={},
    docs={},
)
TYPE_kafka_types__tagged_field = TypeProgram(
    name='kafka_types::tagged_field',
    digest='6a3f0a71ef128f483f5cdb217998bc2553b186cadfd512ca7e1e4b388a79ebe0',
    doc='A field that a later version of Kafka added.',
    original_id='',
    fields=(
        Field('tag', 'integer', False, 'Which field it is.', '', None, None, None, None, False, Mark('formats/messages/kafka_types.ksy', 115, '/types/tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/kafka_types.ksy', 118, '/types/tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'bytes', False, 'Its value, as it stands there.', '', None, None, None, None, False, Mark('formats/messages/kafka_types.ksy', 121, '/types/tagged_field/seq/2'), value_type=Bytes()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=3,
)
TYPE_kafka_types__tagged_fields = TypeProgram(
    name='kafka_types::tagged_fields',
    digest='6a3f0a71ef128f483f5cdb217998bc2553b186cadfd512ca7e1e4b388a79ebe0',
    doc='Tagged fields of a structure that has none which are known.',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/kafka_types.ksy', 105, '/types/tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_kafka_types__tagged_field, None, None, False, Mark('formats/messages/kafka_types.ksy', 108, '/types/tagged_fields/seq/1'), value_type=ListOf(Structure('kafka_types::tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_kafka_types__tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=6,
)
TYPE_remote_log_segment_metadata_update_record__topic_id_partition_entry = TypeProgram(
    name='remote_log_segment_metadata_update_record::topic_id_partition_entry',
    digest='3a123362fabdef6d36ad3d294a1d4e5c2f56c424fa6dd72628887824ef819771',
    doc='',
    original_id='TopicIdPartitionEntry',
    fields=(
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 72, '/types/topic_id_partition_entry/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 77, '/types/topic_id_partition_entry/seq/1'), value_type=Text()),
        Field('id', 'bytes', False, '', 'Id', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 81, '/types/topic_id_partition_entry/seq/2'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('partition', 'integer', False, '', 'Partition', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 85, '/types/topic_id_partition_entry/seq/3'), value_type=Integer(32, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 88, '/types/topic_id_partition_entry/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='name', size=Expression('-', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadBytes(name='id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadInteger(name='partition', kind=Integer(32, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=22,
    steps_count=12,
)
TYPE_remote_log_segment_metadata_update_record__remote_log_segment_id_entry = TypeProgram(
    name='remote_log_segment_metadata_update_record::remote_log_segment_id_entry',
    digest='3a123362fabdef6d36ad3d294a1d4e5c2f56c424fa6dd72628887824ef819771',
    doc='',
    original_id='RemoteLogSegmentIdEntry',
    fields=(
        Field('topic_id_partition', 'structure', False, '', 'TopicIdPartition', None, TYPE_remote_log_segment_metadata_update_record__topic_id_partition_entry, None, None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 59, '/types/remote_log_segment_id_entry/seq/0'), value_type=Structure('remote_log_segment_metadata_update_record::topic_id_partition_entry')),
        Field('id', 'bytes', False, '', 'Id', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 62, '/types/remote_log_segment_id_entry/seq/1'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 66, '/types/remote_log_segment_id_entry/seq/2'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadType(name='topic_id_partition', type=TYPE_remote_log_segment_metadata_update_record__topic_id_partition_entry),
        ReadBytes(name='id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=39,
    steps_count=21,
)
TYPE_remote_log_segment_metadata_update_record = TypeProgram(
    name='remote_log_segment_metadata_update_record',
    digest='3a123362fabdef6d36ad3d294a1d4e5c2f56c424fa6dd72628887824ef819771',
    doc="A record of `__remote_log_metadata`: a segment's state has changed.",
    original_id='RemoteLogSegmentMetadataUpdateRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 17, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 22, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 27, '/seq/2'), value_type=Integer(32, False)),
        Field('remote_log_segment_id', 'structure', False, '', 'RemoteLogSegmentId', None, TYPE_remote_log_segment_metadata_update_record__remote_log_segment_id_entry, None, None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 32, '/seq/3'), value_type=Structure('remote_log_segment_metadata_update_record::remote_log_segment_id_entry')),
        Field('broker_id', 'integer', False, '', 'BrokerId', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 35, '/seq/4'), value_type=Integer(32, True)),
        Field('event_timestamp_ms', 'integer', False, '', 'EventTimestampMs', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 38, '/seq/5'), value_type=Integer(64, True)),
        Field('custom_metadata_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 41, '/seq/6'), value_type=Integer(32, False), hidden=True),
        Field('custom_metadata', 'bytes', True, '', 'CustomMetadata', None, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 44, '/seq/7'), value_type=Bytes()),
        Field('remote_log_segment_state', 'integer', False, '', 'RemoteLogSegmentState', ENUM_remote_log_segment_metadata_update_record__remote_log_segment_state, None, None, None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 48, '/seq/8'), value_type=EnumType('remote_log_segment_metadata_update_record::remote_log_segment_state')),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/remote_log_segment_metadata_update_record.ksy', 52, '/seq/9'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadType(name='remote_log_segment_id', type=TYPE_remote_log_segment_metadata_update_record__remote_log_segment_id_entry),
        ReadInteger(name='broker_id', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='event_timestamp_ms', kind=Integer(64, True), little_endian=False),
        ReadVarint(name='custom_metadata_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='custom_metadata', condition=Expression('>=', (Expression('name', (), ('custom_metadata_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('custom_metadata_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadInteger(name='remote_log_segment_state', kind=Integer(8, True), little_endian=False, enum=ENUM_remote_log_segment_metadata_update_record__remote_log_segment_state),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=57,
    steps_count=40,
    is_root=True,
)
PROGRAM = Program('remote_log_segment_metadata_update_record', TYPE_remote_log_segment_metadata_update_record, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'remote_log_segment_metadata_update_record::topic_id_partition_entry': TYPE_remote_log_segment_metadata_update_record__topic_id_partition_entry, 'remote_log_segment_metadata_update_record::remote_log_segment_id_entry': TYPE_remote_log_segment_metadata_update_record__remote_log_segment_id_entry, 'remote_log_segment_metadata_update_record': TYPE_remote_log_segment_metadata_update_record}, {'remote_log_segment_metadata_update_record::remote_log_segment_state': ENUM_remote_log_segment_metadata_update_record__remote_log_segment_state})
