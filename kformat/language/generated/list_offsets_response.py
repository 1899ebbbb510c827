"""The program of formats/list_offsets_response.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'list_offsets_response': 3536250442, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_list_offsets_response__list_offsets_partition_response = TypeProgram(
    name='list_offsets_response::list_offsets_partition_response',
    digest='41ef3aada0a393491648591dcd7f8ae10a3ac63e4ee99622d5dfca45c5d11219',
    doc='',
    original_id='ListOffsetsPartitionResponse',
    fields=(
        Field('partition_index', 'integer', False, '', 'PartitionIndex', None, None, None, None, False, Mark('formats/messages/list_offsets_response.ksy', 93, '/types/list_offsets_partition_response/seq/0'), value_type=Integer(32, True)),
        Field('error_code', 'integer', False, '', 'ErrorCode', None, None, None, None, False, Mark('formats/messages/list_offsets_response.ksy', 96, '/types/list_offsets_partition_response/seq/1'), value_type=Integer(16, True)),
        Field('old_style_offsets_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/list_offsets_response.ksy', 99, '/types/list_offsets_partition_response/seq/2'), value_type=Integer(32, True), hidden=True),
        Field('old_style_offsets', 'list', True, '', 'OldStyleOffsets', None, None, None, None, False, Mark('formats/messages/list_offsets_response.ksy', 105, '/types/list_offsets_partition_response/seq/3'), value_type=ListOf(Integer(64, True))),
        Field('timestamp', 'integer', True, '', 'Timestamp', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/list_offsets_response.ksy', 111, '/types/list_offsets_partition_response/seq/4'), value_type=Integer(64, True)),
        Field('offset', 'integer', True, '', 'Offset', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/list_offsets_response.ksy', 116, '/types/list_offsets_partition_response/seq/5'), value_type=Integer(64, True)),
        Field('leader_epoch', 'integer', True, '', 'LeaderEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/list_offsets_response.ksy', 121, '/types/list_offsets_partition_response/seq/6'), value_type=Integer(32, True)),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/list_offsets_response.ksy', 126, '/types/list_offsets_partition_response/seq/7'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='partition_index', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='error_code', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='old_style_offsets_count', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='old_style_offsets_count', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('old_style_offsets_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='old_style_offsets', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), element=ReadInteger(name='old_style_offsets', kind=Integer(64, True), little_endian=False), count=Expression('name', (), ('old_style_offsets_count',), Integer(32, True), -2147483648, 2147483647)),
        ReadInteger(name='timestamp', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(64, True), little_endian=False),
        ReadInteger(name='offset', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(64, True), little_endian=False),
        ReadInteger(name='leader_epoch', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=16,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_list_offsets_response__list_offsets_topic_response = TypeProgram(
    name='list_offsets_response::list_offsets_topic_response',
    digest='41ef3aada0a393491648591dcd7f8ae10a3ac63e4ee99622d5dfca45c5d11219',
    doc='',
    original_id='ListOffsetsTopicResponse',
    fields=(
        Field('name_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/list_offsets_response.ksy', 50, '/types/list_offsets_topic_response/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('compact_name_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/list_offsets_response.ksy', 56, '/types/list_offsets_topic_response/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/list_offsets_response.ksy', 62, '/types/list_offsets_topic_response/seq/2'), value_type=Text()),
        Field('partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/list_offsets_response.ksy', 66, '/types/list_offsets_topic_response/seq/3'), value_type=Integer(32, True), hidden=True),
        Field('compact_partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/list_offsets_response.ksy', 72, '/types/list_offsets_topic_response/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, TYPE_list_offsets_response__list_offsets_partition_response, None, None, False, Mark('formats/messages/list_offsets_response.ksy', 78, '/types/list_offsets_topic_response/seq/5'), value_type=ListOf(Structure('list_offsets_response::list_offsets_partition_response'))),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/list_offsets_response.ksy', 83, '/types/list_offsets_topic_response/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
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
        ReadList(name='partitions', element=ReadType(name='partitions', type=TYPE_list_offsets_response__list_offsets_partition_response, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('partitions_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=34,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_list_offsets_response = TypeProgram(
    name='list_offsets_response',
    digest='41ef3aada0a393491648591dcd7f8ae10a3ac63e4ee99622d5dfca45c5d11219',
    doc='',
    original_id='ListOffsetsResponse',
    fields=(
        Field('throttle_time_ms', 'integer', True, '', 'ThrottleTimeMs', None, None, None, None, False, Mark('formats/messages/list_offsets_response.ksy', 18, '/seq/0'), value_type=Integer(32, True)),
        Field('topics_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/list_offsets_response.ksy', 22, '/seq/1'), value_type=Integer(32, True), hidden=True),
        Field('compact_topics_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/list_offsets_response.ksy', 28, '/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('topics', 'list', False, '', 'Topics', None, TYPE_list_offsets_response__list_offsets_topic_response, None, None, False, Mark('formats/messages/list_offsets_response.ksy', 34, '/seq/3'), value_type=ListOf(Structure('list_offsets_response::list_offsets_topic_response'))),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/list_offsets_response.ksy', 39, '/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='throttle_time_ms', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='topics_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='topics_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_topics_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_topics_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='topics', element=ReadType(name='topics', type=TYPE_list_offsets_response__list_offsets_topic_response, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=48,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
    is_root=True,
)
PROGRAM = Program('list_offsets_response', TYPE_list_offsets_response, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'list_offsets_response::list_offsets_partition_response': TYPE_list_offsets_response__list_offsets_partition_response, 'list_offsets_response::list_offsets_topic_response': TYPE_list_offsets_response__list_offsets_topic_response, 'list_offsets_response': TYPE_list_offsets_response}, {})
