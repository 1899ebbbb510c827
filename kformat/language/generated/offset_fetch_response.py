"""The program of formats/offset_fetch_response.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'offset_fetch_response': 1512939959, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_offset_fetch_response__offset_fetch_response_partition = TypeProgram(
    name='offset_fetch_response::offset_fetch_response_partition',
    digest='967cdd132d48d0afd0d68fd5a6b42a68c2301652b184d8cc6d33c48b93a2d8bd',
    doc='',
    original_id='OffsetFetchResponsePartition',
    fields=(
        Field('partition_index', 'integer', False, '', 'PartitionIndex', None, None, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 111, '/types/offset_fetch_response_partition/seq/0'), value_type=Integer(32, True)),
        Field('committed_offset', 'integer', False, '', 'CommittedOffset', None, None, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 114, '/types/offset_fetch_response_partition/seq/1'), value_type=Integer(64, True)),
        Field('committed_leader_epoch', 'integer', True, '', 'CommittedLeaderEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/offset_fetch_response.ksy', 117, '/types/offset_fetch_response_partition/seq/2'), value_type=Integer(32, True)),
        Field('metadata_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_response.ksy', 122, '/types/offset_fetch_response_partition/seq/3'), value_type=Integer(16, True), hidden=True),
        Field('compact_metadata_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_response.ksy', 126, '/types/offset_fetch_response_partition/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('metadata', 'text', True, '', 'Metadata', None, None, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 130, '/types/offset_fetch_response_partition/seq/5'), value_type=Text()),
        Field('error_code', 'integer', False, '', 'ErrorCode', None, None, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 135, '/types/offset_fetch_response_partition/seq/6'), value_type=Integer(16, True)),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 138, '/types/offset_fetch_response_partition/seq/7'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='partition_index', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='committed_offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='committed_leader_epoch', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 5, Integer(64, True), 5, 5)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='metadata_length', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        ReadVarint(name='compact_metadata_length', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='metadata', condition=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('compact_metadata_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('metadata_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_metadata_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('metadata_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
        ReadInteger(name='error_code', kind=Integer(16, True), little_endian=False),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=15,
    steps_count=14,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_offset_fetch_response__offset_fetch_response_topic = TypeProgram(
    name='offset_fetch_response::offset_fetch_response_topic',
    digest='967cdd132d48d0afd0d68fd5a6b42a68c2301652b184d8cc6d33c48b93a2d8bd',
    doc='',
    original_id='OffsetFetchResponseTopic',
    fields=(
        Field('name_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_response.ksy', 68, '/types/offset_fetch_response_topic/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('compact_name_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_response.ksy', 74, '/types/offset_fetch_response_topic/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 80, '/types/offset_fetch_response_topic/seq/2'), value_type=Text()),
        Field('partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_response.ksy', 84, '/types/offset_fetch_response_topic/seq/3'), value_type=Integer(32, True), hidden=True),
        Field('compact_partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_response.ksy', 90, '/types/offset_fetch_response_topic/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, TYPE_offset_fetch_response__offset_fetch_response_partition, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 96, '/types/offset_fetch_response_topic/seq/5'), value_type=ListOf(Structure('offset_fetch_response::offset_fetch_response_partition'))),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 101, '/types/offset_fetch_response_topic/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='name_length', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        Check(name='name_length', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_name_length', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_name_length', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='name', size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('name_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
        ReadInteger(name='partitions_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='partitions_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('partitions_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_partitions_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_partitions_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partitions', element=ReadType(name='partitions', type=TYPE_offset_fetch_response__offset_fetch_response_partition, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('partitions_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=32,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_offset_fetch_response__offset_fetch_response_partitions = TypeProgram(
    name='offset_fetch_response::offset_fetch_response_partitions',
    digest='967cdd132d48d0afd0d68fd5a6b42a68c2301652b184d8cc6d33c48b93a2d8bd',
    doc='',
    original_id='OffsetFetchResponsePartitions',
    fields=(
        Field('partition_index', 'integer', False, '', 'PartitionIndex', None, None, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 212, '/types/offset_fetch_response_partitions/seq/0'), value_type=Integer(32, True)),
        Field('committed_offset', 'integer', False, '', 'CommittedOffset', None, None, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 215, '/types/offset_fetch_response_partitions/seq/1'), value_type=Integer(64, True)),
        Field('committed_leader_epoch', 'integer', False, '', 'CommittedLeaderEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/offset_fetch_response.ksy', 218, '/types/offset_fetch_response_partitions/seq/2'), value_type=Integer(32, True)),
        Field('metadata_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_response.ksy', 222, '/types/offset_fetch_response_partitions/seq/3'), value_type=Integer(32, False), hidden=True),
        Field('metadata', 'text', True, '', 'Metadata', None, None, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 225, '/types/offset_fetch_response_partitions/seq/4'), value_type=Text()),
        Field('error_code', 'integer', False, '', 'ErrorCode', None, None, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 230, '/types/offset_fetch_response_partitions/seq/5'), value_type=Integer(16, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 233, '/types/offset_fetch_response_partitions/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='partition_index', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='committed_offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='committed_leader_epoch', kind=Integer(32, True), little_endian=False),
        ReadVarint(name='metadata_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='metadata', condition=Expression('>=', (Expression('name', (), ('metadata_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('metadata_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='error_code', kind=Integer(16, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=20,
    steps_count=13,
)
TYPE_offset_fetch_response__offset_fetch_response_topics = TypeProgram(
    name='offset_fetch_response::offset_fetch_response_topics',
    digest='967cdd132d48d0afd0d68fd5a6b42a68c2301652b184d8cc6d33c48b93a2d8bd',
    doc='',
    original_id='OffsetFetchResponseTopics',
    fields=(
        Field('name_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_response.ksy', 180, '/types/offset_fetch_response_topics/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', True, '', 'Name', None, None, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 186, '/types/offset_fetch_response_topics/seq/1'), value_type=Text()),
        Field('topic_id', 'bytes', True, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 191, '/types/offset_fetch_response_topics/seq/2'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('partitions_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_response.ksy', 196, '/types/offset_fetch_response_topics/seq/3'), value_type=Integer(32, False), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, TYPE_offset_fetch_response__offset_fetch_response_partitions, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 201, '/types/offset_fetch_response_topics/seq/4'), value_type=ListOf(Structure('offset_fetch_response::offset_fetch_response_partitions'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 206, '/types/offset_fetch_response_topics/seq/5'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='name_length', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='name_length', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='name', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadBytes(name='topic_id', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 10, Integer(64, True), 10, 10)), None, Boolean(), 0, 1), size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadVarint(name='partitions_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='partitions_count', rule=Expression('>=', (Expression('name', (), ('partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partitions', element=ReadType(name='partitions', type=TYPE_offset_fetch_response__offset_fetch_response_partitions), count=Expression('-', (Expression('name', (), ('partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=28,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_offset_fetch_response__offset_fetch_response_group = TypeProgram(
    name='offset_fetch_response::offset_fetch_response_group',
    digest='967cdd132d48d0afd0d68fd5a6b42a68c2301652b184d8cc6d33c48b93a2d8bd',
    doc='',
    original_id='OffsetFetchResponseGroup',
    fields=(
        Field('group_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_response.ksy', 148, '/types/offset_fetch_response_group/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('group_id', 'text', False, '', 'GroupId', None, None, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 153, '/types/offset_fetch_response_group/seq/1'), value_type=Text()),
        Field('topics_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_response.ksy', 157, '/types/offset_fetch_response_group/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('topics', 'list', False, '', 'Topics', None, TYPE_offset_fetch_response__offset_fetch_response_topics, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 162, '/types/offset_fetch_response_group/seq/3'), value_type=ListOf(Structure('offset_fetch_response::offset_fetch_response_topics'))),
        Field('error_code', 'integer', False, '', 'ErrorCode', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/offset_fetch_response.ksy', 167, '/types/offset_fetch_response_group/seq/4'), value_type=Integer(16, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 171, '/types/offset_fetch_response_group/seq/5'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='group_id_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='group_id_length', rule=Expression('>=', (Expression('name', (), ('group_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='group_id', size=Expression('-', (Expression('name', (), ('group_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='topics_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='topics_count', rule=Expression('>=', (Expression('name', (), ('topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='topics', element=ReadType(name='topics', type=TYPE_offset_fetch_response__offset_fetch_response_topics, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('-', (Expression('name', (), ('topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadInteger(name='error_code', kind=Integer(16, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=5,
    steps_count=43,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_offset_fetch_response = TypeProgram(
    name='offset_fetch_response',
    digest='967cdd132d48d0afd0d68fd5a6b42a68c2301652b184d8cc6d33c48b93a2d8bd',
    doc='',
    original_id='OffsetFetchResponse',
    fields=(
        Field('throttle_time_ms', 'integer', True, '', 'ThrottleTimeMs', None, None, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 18, '/seq/0'), value_type=Integer(32, True)),
        Field('topics_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_response.ksy', 22, '/seq/1'), value_type=Integer(32, True), hidden=True),
        Field('compact_topics_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_response.ksy', 28, '/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('topics', 'list', True, '', 'Topics', None, TYPE_offset_fetch_response__offset_fetch_response_topic, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 34, '/seq/3'), value_type=ListOf(Structure('offset_fetch_response::offset_fetch_response_topic'))),
        Field('error_code', 'integer', True, '', 'ErrorCode', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/offset_fetch_response.ksy', 40, '/seq/4'), value_type=Integer(16, True)),
        Field('groups_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_response.ksy', 45, '/seq/5'), value_type=Integer(32, False), hidden=True),
        Field('groups', 'list', True, '', 'Groups', None, TYPE_offset_fetch_response__offset_fetch_response_group, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 51, '/seq/6'), value_type=ListOf(Structure('offset_fetch_response::offset_fetch_response_group'))),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/offset_fetch_response.ksy', 57, '/seq/7'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='throttle_time_ms', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='topics_count', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='topics_count', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_topics_count', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_topics_count', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='topics', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), element=ReadType(name='topics', type=TYPE_offset_fetch_response__offset_fetch_response_topic, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadInteger(name='error_code', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1), Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        ReadVarint(name='groups_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 8, Integer(64, True), 8, 8)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='groups_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 8, Integer(64, True), 8, 8)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('groups_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='groups', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 8, Integer(64, True), 8, 8)), None, Boolean(), 0, 1), element=ReadType(name='groups', type=TYPE_offset_fetch_response__offset_fetch_response_group, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('-', (Expression('name', (), ('groups_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=0,
    steps_count=94,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
    is_root=True,
)
PROGRAM = Program('offset_fetch_response', TYPE_offset_fetch_response, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'offset_fetch_response::offset_fetch_response_partition': TYPE_offset_fetch_response__offset_fetch_response_partition, 'offset_fetch_response::offset_fetch_response_topic': TYPE_offset_fetch_response__offset_fetch_response_topic, 'offset_fetch_response::offset_fetch_response_partitions': TYPE_offset_fetch_response__offset_fetch_response_partitions, 'offset_fetch_response::offset_fetch_response_topics': TYPE_offset_fetch_response__offset_fetch_response_topics, 'offset_fetch_response::offset_fetch_response_group': TYPE_offset_fetch_response__offset_fetch_response_group, 'offset_fetch_response': TYPE_offset_fetch_response}, {})
