"""The program of formats/remote_partition_delete_metadata_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Enum, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, EnumType, Integer, ListOf, Structure, Text

MADE_FROM = {'remote_partition_delete_metadata_record': 3398197071, 'varint': 752136197, 'kafka_types': 3257342114}
ENUM_remote_partition_delete_metadata_record__remote_partition_delete_state = Enum(
    name='remote_partition_delete_metadata_record::remote_partition_delete_state',
    members={0: 'delete_partition_marked', 1: 'delete_partition_started', 2: 'delete_partition_finished'},
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
TYPE_remote_partition_delete_metadata_record__topic_id_partition_entry = TypeProgram(
    name='remote_partition_delete_metadata_record::topic_id_partition_entry',
    digest='a3eeaf8b87e553d9e651cc8b0d22d20d189efac4b0e1b16871ba976a7a010057',
    doc='',
    original_id='TopicIdPartitionEntry',
    fields=(
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/remote_partition_delete_metadata_record.ksy', 52, '/types/topic_id_partition_entry/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/remote_partition_delete_metadata_record.ksy', 57, '/types/topic_id_partition_entry/seq/1'), value_type=Text()),
        Field('id', 'bytes', False, '', 'Id', None, None, None, None, False, Mark('formats/messages/remote_partition_delete_metadata_record.ksy', 61, '/types/topic_id_partition_entry/seq/2'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('partition', 'integer', False, '', 'Partition', None, None, None, None, False, Mark('formats/messages/remote_partition_delete_metadata_record.ksy', 65, '/types/topic_id_partition_entry/seq/3'), value_type=Integer(32, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/remote_partition_delete_metadata_record.ksy', 68, '/types/topic_id_partition_entry/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
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
TYPE_remote_partition_delete_metadata_record = TypeProgram(
    name='remote_partition_delete_metadata_record',
    digest='a3eeaf8b87e553d9e651cc8b0d22d20d189efac4b0e1b16871ba976a7a010057',
    doc="A record of `__remote_log_metadata`: a partition's remote segments are deleted.",
    original_id='RemotePartitionDeleteMetadataRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/remote_partition_delete_metadata_record.ksy', 17, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 2, Integer(64, True), 2, 2), None, False, Mark('formats/messages/remote_partition_delete_metadata_record.ksy', 22, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/remote_partition_delete_metadata_record.ksy', 27, '/seq/2'), value_type=Integer(32, False)),
        Field('topic_id_partition', 'structure', False, '', 'TopicIdPartition', None, TYPE_remote_partition_delete_metadata_record__topic_id_partition_entry, None, None, False, Mark('formats/messages/remote_partition_delete_metadata_record.ksy', 32, '/seq/3'), value_type=Structure('remote_partition_delete_metadata_record::topic_id_partition_entry')),
        Field('broker_id', 'integer', False, '', 'BrokerId', None, None, None, None, False, Mark('formats/messages/remote_partition_delete_metadata_record.ksy', 35, '/seq/4'), value_type=Integer(32, True)),
        Field('event_timestamp_ms', 'integer', False, '', 'EventTimestampMs', None, None, None, None, False, Mark('formats/messages/remote_partition_delete_metadata_record.ksy', 38, '/seq/5'), value_type=Integer(64, True)),
        Field('remote_partition_delete_state', 'integer', False, '', 'RemotePartitionDeleteState', ENUM_remote_partition_delete_metadata_record__remote_partition_delete_state, None, None, None, False, Mark('formats/messages/remote_partition_delete_metadata_record.ksy', 41, '/seq/6'), value_type=EnumType('remote_partition_delete_metadata_record::remote_partition_delete_state')),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/remote_partition_delete_metadata_record.ksy', 45, '/seq/7'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1), expected='2'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadType(name='topic_id_partition', type=TYPE_remote_partition_delete_metadata_record__topic_id_partition_entry),
        ReadInteger(name='broker_id', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='event_timestamp_ms', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='remote_partition_delete_state', kind=Integer(8, True), little_endian=False, enum=ENUM_remote_partition_delete_metadata_record__remote_partition_delete_state),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=39,
    steps_count=29,
    is_root=True,
)
PROGRAM = Program('remote_partition_delete_metadata_record', TYPE_remote_partition_delete_metadata_record, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'remote_partition_delete_metadata_record::topic_id_partition_entry': TYPE_remote_partition_delete_metadata_record__topic_id_partition_entry, 'remote_partition_delete_metadata_record': TYPE_remote_partition_delete_metadata_record}, {'remote_partition_delete_metadata_record::remote_partition_delete_state': ENUM_remote_partition_delete_metadata_record__remote_partition_delete_state})
