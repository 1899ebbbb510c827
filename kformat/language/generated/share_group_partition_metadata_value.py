"""The program of formats/share_group_partition_metadata_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'share_group_partition_metadata_value': 1735932929, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_share_group_partition_metadata_value__topic_partitions_info = TypeProgram(
    name='share_group_partition_metadata_value::topic_partitions_info',
    digest='e959457d06f08d2ee9faac7b163e4aaa09240bc1a0b9df3835cb282d18b61b9b',
    doc='',
    original_id='TopicPartitionsInfo',
    fields=(
        Field('topic_id', 'bytes', False, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/share_group_partition_metadata_value.ksy', 51, '/types/topic_partitions_info/seq/0'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('topic_name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_group_partition_metadata_value.ksy', 55, '/types/topic_partitions_info/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('topic_name', 'text', False, '', 'TopicName', None, None, None, None, False, Mark('formats/messages/share_group_partition_metadata_value.ksy', 60, '/types/topic_partitions_info/seq/2'), value_type=Text()),
        Field('partitions_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_group_partition_metadata_value.ksy', 64, '/types/topic_partitions_info/seq/3'), value_type=Integer(32, False), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, None, None, None, False, Mark('formats/messages/share_group_partition_metadata_value.ksy', 69, '/types/topic_partitions_info/seq/4'), value_type=ListOf(Integer(32, True))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/share_group_partition_metadata_value.ksy', 74, '/types/topic_partitions_info/seq/5'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadBytes(name='topic_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadVarint(name='topic_name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='topic_name_length', rule=Expression('>=', (Expression('name', (), ('topic_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='topic_name', size=Expression('-', (Expression('name', (), ('topic_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='partitions_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='partitions_count', rule=Expression('>=', (Expression('name', (), ('partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partitions', element=ReadInteger(name='partitions', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=19,
    steps_count=15,
)
TYPE_share_group_partition_metadata_value__topic_info = TypeProgram(
    name='share_group_partition_metadata_value::topic_info',
    digest='e959457d06f08d2ee9faac7b163e4aaa09240bc1a0b9df3835cb282d18b61b9b',
    doc='',
    original_id='TopicInfo',
    fields=(
        Field('topic_id', 'bytes', False, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/share_group_partition_metadata_value.ksy', 80, '/types/topic_info/seq/0'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('topic_name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_group_partition_metadata_value.ksy', 84, '/types/topic_info/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('topic_name', 'text', False, '', 'TopicName', None, None, None, None, False, Mark('formats/messages/share_group_partition_metadata_value.ksy', 89, '/types/topic_info/seq/2'), value_type=Text()),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/share_group_partition_metadata_value.ksy', 93, '/types/topic_info/seq/3'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadBytes(name='topic_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadVarint(name='topic_name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='topic_name_length', rule=Expression('>=', (Expression('name', (), ('topic_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='topic_name', size=Expression('-', (Expression('name', (), ('topic_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=18,
    steps_count=11,
)
TYPE_share_group_partition_metadata_value = TypeProgram(
    name='share_group_partition_metadata_value',
    digest='e959457d06f08d2ee9faac7b163e4aaa09240bc1a0b9df3835cb282d18b61b9b',
    doc='Value of a record of `__consumer_offsets`: the topics that it subscribes to, with their partitions, in a share group\n(KIP-932).',
    original_id='ShareGroupPartitionMetadataValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/share_group_partition_metadata_value.ksy', 18, '/seq/0'), value_type=Integer(16, True)),
        Field('initialized_topics_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_group_partition_metadata_value.ksy', 24, '/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('initialized_topics', 'list', False, '', 'InitializedTopics', None, TYPE_share_group_partition_metadata_value__topic_partitions_info, None, None, False, Mark('formats/messages/share_group_partition_metadata_value.ksy', 29, '/seq/2'), value_type=ListOf(Structure('share_group_partition_metadata_value::topic_partitions_info'))),
        Field('deleting_topics_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_group_partition_metadata_value.ksy', 34, '/seq/3'), value_type=Integer(32, False), hidden=True),
        Field('deleting_topics', 'list', False, '', 'DeletingTopics', None, TYPE_share_group_partition_metadata_value__topic_info, None, None, False, Mark('formats/messages/share_group_partition_metadata_value.ksy', 39, '/seq/4'), value_type=ListOf(Structure('share_group_partition_metadata_value::topic_info'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/share_group_partition_metadata_value.ksy', 44, '/seq/5'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadVarint(name='initialized_topics_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='initialized_topics_count', rule=Expression('>=', (Expression('name', (), ('initialized_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='initialized_topics', element=ReadType(name='initialized_topics', type=TYPE_share_group_partition_metadata_value__topic_partitions_info), count=Expression('-', (Expression('name', (), ('initialized_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='deleting_topics_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='deleting_topics_count', rule=Expression('>=', (Expression('name', (), ('deleting_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='deleting_topics', element=ReadType(name='deleting_topics', type=TYPE_share_group_partition_metadata_value__topic_info), count=Expression('-', (Expression('name', (), ('deleting_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=5,
    steps_count=44,
    is_root=True,
)
PROGRAM = Program('share_group_partition_metadata_value', TYPE_share_group_partition_metadata_value, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'share_group_partition_metadata_value::topic_partitions_info': TYPE_share_group_partition_metadata_value__topic_partitions_info, 'share_group_partition_metadata_value::topic_info': TYPE_share_group_partition_metadata_value__topic_info, 'share_group_partition_metadata_value': TYPE_share_group_partition_metadata_value}, {})
