"""The program of formats/offset_fetch_request.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'offset_fetch_request': 2145632415, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_offset_fetch_request__offset_fetch_request_topic = TypeProgram(
    name='offset_fetch_request::offset_fetch_request_topic',
    digest='3f7f59484a302ffed45666402fc3858f5425e1b992d3f7544f30347b06a7afdb',
    doc='',
    original_id='OffsetFetchRequestTopic',
    fields=(
        Field('name_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_request.ksy', 80, '/types/offset_fetch_request_topic/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('compact_name_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_request.ksy', 86, '/types/offset_fetch_request_topic/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 92, '/types/offset_fetch_request_topic/seq/2'), value_type=Text()),
        Field('partition_indexes_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_request.ksy', 96, '/types/offset_fetch_request_topic/seq/3'), value_type=Integer(32, True), hidden=True),
        Field('compact_partition_indexes_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_request.ksy', 102, '/types/offset_fetch_request_topic/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('partition_indexes', 'list', False, '', 'PartitionIndexes', None, None, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 108, '/types/offset_fetch_request_topic/seq/5'), value_type=ListOf(Integer(32, True))),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 113, '/types/offset_fetch_request_topic/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='name_length', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        Check(name='name_length', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_name_length', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_name_length', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='name', size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('name_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
        ReadInteger(name='partition_indexes_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='partition_indexes_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('partition_indexes_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_partition_indexes_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_partition_indexes_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_partition_indexes_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partition_indexes', element=ReadInteger(name='partition_indexes', kind=Integer(32, True), little_endian=False), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_partition_indexes_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('partition_indexes_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=18,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_offset_fetch_request__offset_fetch_request_topics = TypeProgram(
    name='offset_fetch_request::offset_fetch_request_topics',
    digest='3f7f59484a302ffed45666402fc3858f5425e1b992d3f7544f30347b06a7afdb',
    doc='',
    original_id='OffsetFetchRequestTopics',
    fields=(
        Field('name_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_request.ksy', 164, '/types/offset_fetch_request_topics/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', True, '', 'Name', None, None, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 170, '/types/offset_fetch_request_topics/seq/1'), value_type=Text()),
        Field('topic_id', 'bytes', True, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 175, '/types/offset_fetch_request_topics/seq/2'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('partition_indexes_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_request.ksy', 180, '/types/offset_fetch_request_topics/seq/3'), value_type=Integer(32, False), hidden=True),
        Field('partition_indexes', 'list', False, '', 'PartitionIndexes', None, None, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 185, '/types/offset_fetch_request_topics/seq/4'), value_type=ListOf(Integer(32, True))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 190, '/types/offset_fetch_request_topics/seq/5'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='name_length', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='name_length', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='name', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadBytes(name='topic_id', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 10, Integer(64, True), 10, 10)), None, Boolean(), 0, 1), size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadVarint(name='partition_indexes_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='partition_indexes_count', rule=Expression('>=', (Expression('name', (), ('partition_indexes_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partition_indexes', element=ReadInteger(name='partition_indexes', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('partition_indexes_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=15,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_offset_fetch_request__offset_fetch_request_group = TypeProgram(
    name='offset_fetch_request::offset_fetch_request_group',
    digest='3f7f59484a302ffed45666402fc3858f5425e1b992d3f7544f30347b06a7afdb',
    doc='',
    original_id='OffsetFetchRequestGroup',
    fields=(
        Field('group_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_request.ksy', 123, '/types/offset_fetch_request_group/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('group_id', 'text', False, '', 'GroupId', None, None, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 128, '/types/offset_fetch_request_group/seq/1'), value_type=Text()),
        Field('member_id_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_request.ksy', 132, '/types/offset_fetch_request_group/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('member_id', 'text', True, '', 'MemberId', None, None, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 136, '/types/offset_fetch_request_group/seq/3'), value_type=Text()),
        Field('member_epoch', 'integer', True, '', 'MemberEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/offset_fetch_request.ksy', 141, '/types/offset_fetch_request_group/seq/4'), value_type=Integer(32, True)),
        Field('topics_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_request.ksy', 146, '/types/offset_fetch_request_group/seq/5'), value_type=Integer(32, False), hidden=True),
        Field('topics', 'list', True, '', 'Topics', None, TYPE_offset_fetch_request__offset_fetch_request_topics, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 149, '/types/offset_fetch_request_group/seq/6'), value_type=ListOf(Structure('offset_fetch_request::offset_fetch_request_topics'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 155, '/types/offset_fetch_request_group/seq/7'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='group_id_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='group_id_length', rule=Expression('>=', (Expression('name', (), ('group_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='group_id', size=Expression('-', (Expression('name', (), ('group_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='member_id_length', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='member_id', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('member_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('member_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='member_epoch', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadVarint(name='topics_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='topics', condition=Expression('>=', (Expression('name', (), ('topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadType(name='topics', type=TYPE_offset_fetch_request__offset_fetch_request_topics, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('-', (Expression('name', (), ('topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=3,
    steps_count=31,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_offset_fetch_request = TypeProgram(
    name='offset_fetch_request',
    digest='3f7f59484a302ffed45666402fc3858f5425e1b992d3f7544f30347b06a7afdb',
    doc='',
    original_id='OffsetFetchRequest',
    fields=(
        Field('group_id_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_request.ksy', 18, '/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('compact_group_id_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_request.ksy', 24, '/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('group_id', 'text', True, '', 'GroupId', None, None, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 30, '/seq/2'), value_type=Text()),
        Field('topics_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_request.ksy', 35, '/seq/3'), value_type=Integer(32, True), hidden=True),
        Field('compact_topics_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_request.ksy', 41, '/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('topics', 'list', True, '', 'Topics', None, TYPE_offset_fetch_request__offset_fetch_request_topic, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 45, '/seq/5'), value_type=ListOf(Structure('offset_fetch_request::offset_fetch_request_topic'))),
        Field('groups_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_fetch_request.ksy', 51, '/seq/6'), value_type=Integer(32, False), hidden=True),
        Field('groups', 'list', True, '', 'Groups', None, TYPE_offset_fetch_request__offset_fetch_request_group, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 57, '/seq/7'), value_type=ListOf(Structure('offset_fetch_request::offset_fetch_request_group'))),
        Field('require_stable', 'integer', True, '', 'RequireStable', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/offset_fetch_request.ksy', 63, '/seq/8'), value_type=Integer(8, True), logical=LogicalType('bool')),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/offset_fetch_request.ksy', 69, '/seq/9'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='group_id_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        Check(name='group_id_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('group_id_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_group_id_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_group_id_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_group_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='group_id', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_group_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('group_id_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
        ReadInteger(name='topics_count', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='topics_count', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('or', (Expression('>=', (Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), expected='(topics_count >= 0) or (version >= 2)'),
        ReadVarint(name='compact_topics_count', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='topics', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('compact_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), element=ReadType(name='topics', type=TYPE_offset_fetch_request__offset_fetch_request_topic, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadVarint(name='groups_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 8, Integer(64, True), 8, 8)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='groups_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 8, Integer(64, True), 8, 8)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('groups_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='groups', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 8, Integer(64, True), 8, 8)), None, Boolean(), 0, 1), element=ReadType(name='groups', type=TYPE_offset_fetch_request__offset_fetch_request_group, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('-', (Expression('name', (), ('groups_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadInteger(name='require_stable', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), kind=Integer(8, True), little_endian=False),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=0,
    steps_count=71,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
    is_root=True,
)
PROGRAM = Program('offset_fetch_request', TYPE_offset_fetch_request, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'offset_fetch_request::offset_fetch_request_topic': TYPE_offset_fetch_request__offset_fetch_request_topic, 'offset_fetch_request::offset_fetch_request_topics': TYPE_offset_fetch_request__offset_fetch_request_topics, 'offset_fetch_request::offset_fetch_request_group': TYPE_offset_fetch_request__offset_fetch_request_group, 'offset_fetch_request': TYPE_offset_fetch_request}, {})
