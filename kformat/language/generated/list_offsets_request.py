"""The program of formats/list_offsets_request.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'list_offsets_request': 595023926, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_list_offsets_request__list_offsets_partition = TypeProgram(
    name='list_offsets_request::list_offsets_partition',
    digest='41e776a5254244238a547d376a51b485241a97bc9b1c1eb795863cca7ff53ac6',
    doc='',
    original_id='ListOffsetsPartition',
    fields=(
        Field('partition_index', 'integer', False, '', 'PartitionIndex', None, None, None, None, False, Mark('formats/messages/list_offsets_request.ksy', 100, '/types/list_offsets_partition/seq/0'), value_type=Integer(32, True)),
        Field('current_leader_epoch', 'integer', True, '', 'CurrentLeaderEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/list_offsets_request.ksy', 103, '/types/list_offsets_partition/seq/1'), value_type=Integer(32, True)),
        Field('timestamp', 'integer', False, '', 'Timestamp', None, None, None, None, False, Mark('formats/messages/list_offsets_request.ksy', 108, '/types/list_offsets_partition/seq/2'), value_type=Integer(64, True)),
        Field('max_num_offsets', 'integer', True, '', 'MaxNumOffsets', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/list_offsets_request.ksy', 111, '/types/list_offsets_partition/seq/3'), value_type=Integer(32, True)),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/list_offsets_request.ksy', 116, '/types/list_offsets_partition/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='partition_index', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='current_leader_epoch', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='timestamp', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='max_num_offsets', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=12,
    steps_count=11,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_list_offsets_request__list_offsets_topic = TypeProgram(
    name='list_offsets_request::list_offsets_topic',
    digest='41e776a5254244238a547d376a51b485241a97bc9b1c1eb795863cca7ff53ac6',
    doc='',
    original_id='ListOffsetsTopic',
    fields=(
        Field('name_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/list_offsets_request.ksy', 57, '/types/list_offsets_topic/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('compact_name_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/list_offsets_request.ksy', 63, '/types/list_offsets_topic/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/list_offsets_request.ksy', 69, '/types/list_offsets_topic/seq/2'), value_type=Text()),
        Field('partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/list_offsets_request.ksy', 73, '/types/list_offsets_topic/seq/3'), value_type=Integer(32, True), hidden=True),
        Field('compact_partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/list_offsets_request.ksy', 79, '/types/list_offsets_topic/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, TYPE_list_offsets_request__list_offsets_partition, None, None, False, Mark('formats/messages/list_offsets_request.ksy', 85, '/types/list_offsets_topic/seq/5'), value_type=ListOf(Structure('list_offsets_request::list_offsets_partition'))),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/list_offsets_request.ksy', 90, '/types/list_offsets_topic/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
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
        ReadList(name='partitions', element=ReadType(name='partitions', type=TYPE_list_offsets_request__list_offsets_partition, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('partitions_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=29,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_list_offsets_request = TypeProgram(
    name='list_offsets_request',
    digest='41e776a5254244238a547d376a51b485241a97bc9b1c1eb795863cca7ff53ac6',
    doc='',
    original_id='ListOffsetsRequest',
    fields=(
        Field('replica_id', 'integer', False, '', 'ReplicaId', None, None, None, None, False, Mark('formats/messages/list_offsets_request.ksy', 18, '/seq/0'), value_type=Integer(32, True)),
        Field('isolation_level', 'integer', True, '', 'IsolationLevel', None, None, None, None, False, Mark('formats/messages/list_offsets_request.ksy', 21, '/seq/1'), value_type=Integer(8, True)),
        Field('topics_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/list_offsets_request.ksy', 25, '/seq/2'), value_type=Integer(32, True), hidden=True),
        Field('compact_topics_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/list_offsets_request.ksy', 31, '/seq/3'), value_type=Integer(32, False), hidden=True),
        Field('topics', 'list', False, '', 'Topics', None, TYPE_list_offsets_request__list_offsets_topic, None, None, False, Mark('formats/messages/list_offsets_request.ksy', 37, '/seq/4'), value_type=ListOf(Structure('list_offsets_request::list_offsets_topic'))),
        Field('timeout_ms', 'integer', True, '', 'TimeoutMs', None, None, None, None, False, Mark('formats/messages/list_offsets_request.ksy', 42, '/seq/5'), value_type=Integer(32, True)),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/list_offsets_request.ksy', 46, '/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='replica_id', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='isolation_level', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1), kind=Integer(8, True), little_endian=False),
        ReadInteger(name='topics_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='topics_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_topics_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_topics_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='topics', element=ReadType(name='topics', type=TYPE_list_offsets_request__list_offsets_topic, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadInteger(name='timeout_ms', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 10, Integer(64, True), 10, 10)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=5,
    steps_count=45,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
    is_root=True,
)
PROGRAM = Program('list_offsets_request', TYPE_list_offsets_request, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'list_offsets_request::list_offsets_partition': TYPE_list_offsets_request__list_offsets_partition, 'list_offsets_request::list_offsets_topic': TYPE_list_offsets_request__list_offsets_topic, 'list_offsets_request': TYPE_list_offsets_request}, {})
