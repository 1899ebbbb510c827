"""The program of formats/fetch_request.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Field, LogicalType, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'fetch_request': 3371862127, 'varint': 752136197, 'kafka_types': 3257342114}
TYPE_fetch_request__fetch_partition_replica_directory_id_tag = TypeProgram(
    name='fetch_request::fetch_partition_replica_directory_id_tag',
    digest='6b3d0abb47c5be20cec758507de352100c095180a4345d54095d2ecb9881ea9a',
    doc='',
    original_id='',
    fields=(
        Field('replica_directory_id', 'bytes', False, '', 'ReplicaDirectoryId', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 329, '/types/fetch_partition_replica_directory_id_tag/seq/0'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
    ),
    steps=(
        ReadBytes(name='replica_directory_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=16,
    steps_count=1,
)
TYPE_fetch_request__fetch_partition_high_watermark_tag = TypeProgram(
    name='fetch_request::fetch_partition_high_watermark_tag',
    digest='6b3d0abb47c5be20cec758507de352100c095180a4345d54095d2ecb9881ea9a',
    doc='',
    original_id='',
    fields=(
        Field('high_watermark', 'integer', False, '', 'HighWatermark', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 336, '/types/fetch_partition_high_watermark_tag/seq/0'), value_type=Integer(64, True)),
    ),
    steps=(
        ReadInteger(name='high_watermark', kind=Integer(64, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=8,
    steps_count=1,
)
TYPE_fetch_request__fetch_partition_tagged_field = TypeProgram(
    name='fetch_request::fetch_partition_tagged_field',
    digest='6b3d0abb47c5be20cec758507de352100c095180a4345d54095d2ecb9881ea9a',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 315, '/types/fetch_partition_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 317, '/types/fetch_partition_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 320, '/types/fetch_partition_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('if', (Expression('or', (Expression('and', (Expression('==', (Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 17, Integer(64, True), 17, 17)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('and', (Expression('==', (Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 18, Integer(64, True), 18, 18)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('constant', (), -1, Integer(64, True), -1, -1), Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295)), None, Integer(64, True), -1, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_fetch_request__fetch_partition_replica_directory_id_tag),)),)), Case(Expression('constant', (), 1, Integer(64, True), 1, 1), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_fetch_request__fetch_partition_high_watermark_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=10,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_fetch_request__fetch_partition_tagged_fields = TypeProgram(
    name='fetch_request::fetch_partition_tagged_fields',
    digest='6b3d0abb47c5be20cec758507de352100c095180a4345d54095d2ecb9881ea9a',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 303, '/types/fetch_partition_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_fetch_request__fetch_partition_tagged_field, None, None, False, Mark('formats/messages/fetch_request.ksy', 306, '/types/fetch_partition_tagged_fields/seq/1'), value_type=ListOf(Structure('fetch_request::fetch_partition_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_fetch_request__fetch_partition_tagged_field, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=13,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_fetch_request__fetch_partition = TypeProgram(
    name='fetch_request::fetch_partition',
    digest='6b3d0abb47c5be20cec758507de352100c095180a4345d54095d2ecb9881ea9a',
    doc='',
    original_id='FetchPartition',
    fields=(
        Field('partition', 'integer', False, '', 'Partition', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 175, '/types/fetch_partition/seq/0'), value_type=Integer(32, True)),
        Field('current_leader_epoch', 'integer', True, '', 'CurrentLeaderEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_request.ksy', 178, '/types/fetch_partition/seq/1'), value_type=Integer(32, True)),
        Field('fetch_offset', 'integer', False, '', 'FetchOffset', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 183, '/types/fetch_partition/seq/2'), value_type=Integer(64, True)),
        Field('last_fetched_epoch', 'integer', True, '', 'LastFetchedEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_request.ksy', 186, '/types/fetch_partition/seq/3'), value_type=Integer(32, True)),
        Field('log_start_offset', 'integer', True, '', 'LogStartOffset', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_request.ksy', 191, '/types/fetch_partition/seq/4'), value_type=Integer(64, True)),
        Field('partition_max_bytes', 'integer', False, '', 'PartitionMaxBytes', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 196, '/types/fetch_partition/seq/5'), value_type=Integer(32, True)),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_fetch_request__fetch_partition_tagged_fields, None, None, False, Mark('formats/messages/fetch_request.ksy', 199, '/types/fetch_partition/seq/6'), value_type=Structure('fetch_request::fetch_partition_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='partition', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='current_leader_epoch', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='fetch_offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='last_fetched_epoch', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='log_start_offset', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 5, Integer(64, True), 5, 5)), None, Boolean(), 0, 1), kind=Integer(64, True), little_endian=False),
        ReadInteger(name='partition_max_bytes', kind=Integer(32, True), little_endian=False),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), type=TYPE_fetch_request__fetch_partition_tagged_fields, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=16,
    steps_count=20,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
    tagged=(
        TaggedField(Field('replica_directory_id', 'bytes', False, '', 'ReplicaDirectoryId', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 329, '/types/fetch_partition_replica_directory_id_tag/seq/0'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)), 0, b'\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00', ('tagged_fields', 'fields'), 'tag', 'data', TYPE_fetch_request__fetch_partition_replica_directory_id_tag),
        TaggedField(Field('high_watermark', 'integer', False, '', 'HighWatermark', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 336, '/types/fetch_partition_high_watermark_tag/seq/0'), value_type=Integer(64, True)), 1, 9223372036854775807, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_fetch_request__fetch_partition_high_watermark_tag),
    ),
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
TYPE_fetch_request__fetch_topic = TypeProgram(
    name='fetch_request::fetch_topic',
    digest='6b3d0abb47c5be20cec758507de352100c095180a4345d54095d2ecb9881ea9a',
    doc='',
    original_id='FetchTopic',
    fields=(
        Field('topic_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 126, '/types/fetch_topic/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('compact_topic_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 132, '/types/fetch_topic/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('topic', 'text', True, '', 'Topic', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 138, '/types/fetch_topic/seq/2'), value_type=Text()),
        Field('topic_id', 'bytes', True, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 143, '/types/fetch_topic/seq/3'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 148, '/types/fetch_topic/seq/4'), value_type=Integer(32, True), hidden=True),
        Field('compact_partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 154, '/types/fetch_topic/seq/5'), value_type=Integer(32, False), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, TYPE_fetch_request__fetch_partition, None, None, False, Mark('formats/messages/fetch_request.ksy', 160, '/types/fetch_topic/seq/6'), value_type=ListOf(Structure('fetch_request::fetch_partition'))),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/fetch_request.ksy', 165, '/types/fetch_topic/seq/7'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='topic_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        Check(name='topic_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('topic_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_topic_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_topic_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_topic_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='topic', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_topic_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('topic_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
        ReadBytes(name='topic_id', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 13, Integer(64, True), 13, 13)), None, Boolean(), 0, 1), size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadInteger(name='partitions_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='partitions_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('partitions_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_partitions_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_partitions_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partitions', element=ReadType(name='partitions', type=TYPE_fetch_request__fetch_partition, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('partitions_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=39,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_fetch_request__forgotten_topic = TypeProgram(
    name='fetch_request::forgotten_topic',
    digest='6b3d0abb47c5be20cec758507de352100c095180a4345d54095d2ecb9881ea9a',
    doc='',
    original_id='ForgottenTopic',
    fields=(
        Field('topic_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 209, '/types/forgotten_topic/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('compact_topic_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 215, '/types/forgotten_topic/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('topic', 'text', True, '', 'Topic', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 221, '/types/forgotten_topic/seq/2'), value_type=Text()),
        Field('topic_id', 'bytes', True, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 226, '/types/forgotten_topic/seq/3'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 231, '/types/forgotten_topic/seq/4'), value_type=Integer(32, True), hidden=True),
        Field('compact_partitions_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 237, '/types/forgotten_topic/seq/5'), value_type=Integer(32, False), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 243, '/types/forgotten_topic/seq/6'), value_type=ListOf(Integer(32, True))),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/fetch_request.ksy', 248, '/types/forgotten_topic/seq/7'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='topic_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        Check(name='topic_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('topic_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_topic_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_topic_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_topic_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='topic', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_topic_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('topic_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
        ReadBytes(name='topic_id', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 13, Integer(64, True), 13, 13)), None, Boolean(), 0, 1), size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadInteger(name='partitions_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='partitions_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('partitions_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_partitions_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_partitions_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partitions', element=ReadInteger(name='partitions', kind=Integer(32, True), little_endian=False), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('partitions_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=19,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_fetch_request__fetch_request_cluster_id_tag = TypeProgram(
    name='fetch_request::fetch_request_cluster_id_tag',
    digest='6b3d0abb47c5be20cec758507de352100c095180a4345d54095d2ecb9881ea9a',
    doc='',
    original_id='',
    fields=(
        Field('cluster_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 283, '/types/fetch_request_cluster_id_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('cluster_id', 'text', True, '', 'ClusterId', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 286, '/types/fetch_request_cluster_id_tag/seq/1'), value_type=Text()),
    ),
    steps=(
        ReadVarint(name='cluster_id_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='cluster_id', condition=Expression('>=', (Expression('name', (), ('cluster_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('cluster_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=2,
)
TYPE_fetch_request__replica_state = TypeProgram(
    name='fetch_request::replica_state',
    digest='6b3d0abb47c5be20cec758507de352100c095180a4345d54095d2ecb9881ea9a',
    doc='',
    original_id='ReplicaState',
    fields=(
        Field('replica_id', 'integer', False, '', 'ReplicaId', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_request.ksy', 109, '/types/replica_state/seq/0'), value_type=Integer(32, True)),
        Field('replica_epoch', 'integer', False, '', 'ReplicaEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_request.ksy', 113, '/types/replica_state/seq/1'), value_type=Integer(64, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/fetch_request.ksy', 117, '/types/replica_state/seq/2'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='replica_id', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='replica_epoch', kind=Integer(64, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=13,
    steps_count=9,
)
TYPE_fetch_request__fetch_request_replica_state_tag = TypeProgram(
    name='fetch_request::fetch_request_replica_state_tag',
    digest='6b3d0abb47c5be20cec758507de352100c095180a4345d54095d2ecb9881ea9a',
    doc='',
    original_id='',
    fields=(
        Field('replica_state', 'structure', False, '', 'ReplicaState', None, TYPE_fetch_request__replica_state, None, None, False, Mark('formats/messages/fetch_request.ksy', 294, '/types/fetch_request_replica_state_tag/seq/0'), value_type=Structure('fetch_request::replica_state')),
    ),
    steps=(
        ReadType(name='replica_state', type=TYPE_fetch_request__replica_state),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=13,
    steps_count=10,
)
TYPE_fetch_request__fetch_request_tagged_field = TypeProgram(
    name='fetch_request::fetch_request_tagged_field',
    digest='6b3d0abb47c5be20cec758507de352100c095180a4345d54095d2ecb9881ea9a',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 269, '/types/fetch_request_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 271, '/types/fetch_request_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 274, '/types/fetch_request_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('if', (Expression('and', (Expression('==', (Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 15, Integer(64, True), 15, 15)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('constant', (), -1, Integer(64, True), -1, -1), Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295)), None, Integer(64, True), -1, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_fetch_request__fetch_request_cluster_id_tag),)),)), Case(Expression('constant', (), 1, Integer(64, True), 1, 1), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_fetch_request__fetch_request_replica_state_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=20,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_fetch_request__fetch_request_tagged_fields = TypeProgram(
    name='fetch_request::fetch_request_tagged_fields',
    digest='6b3d0abb47c5be20cec758507de352100c095180a4345d54095d2ecb9881ea9a',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 257, '/types/fetch_request_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_fetch_request__fetch_request_tagged_field, None, None, False, Mark('formats/messages/fetch_request.ksy', 260, '/types/fetch_request_tagged_fields/seq/1'), value_type=ListOf(Structure('fetch_request::fetch_request_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_fetch_request__fetch_request_tagged_field, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=23,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_fetch_request = TypeProgram(
    name='fetch_request',
    digest='6b3d0abb47c5be20cec758507de352100c095180a4345d54095d2ecb9881ea9a',
    doc='',
    original_id='FetchRequest',
    fields=(
        Field('replica_id', 'integer', True, '', 'ReplicaId', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_request.ksy', 18, '/seq/0'), value_type=Integer(32, True)),
        Field('max_wait_ms', 'integer', False, '', 'MaxWaitMs', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 23, '/seq/1'), value_type=Integer(32, True)),
        Field('min_bytes', 'integer', False, '', 'MinBytes', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 26, '/seq/2'), value_type=Integer(32, True)),
        Field('max_bytes', 'integer', True, '', 'MaxBytes', None, None, Expression('constant', (), 2147483647, Integer(64, True), 2147483647, 2147483647), None, False, Mark('formats/messages/fetch_request.ksy', 29, '/seq/3'), value_type=Integer(32, True)),
        Field('isolation_level', 'integer', True, '', 'IsolationLevel', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/fetch_request.ksy', 34, '/seq/4'), value_type=Integer(8, True)),
        Field('session_id', 'integer', True, '', 'SessionId', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/fetch_request.ksy', 39, '/seq/5'), value_type=Integer(32, True)),
        Field('session_epoch', 'integer', True, '', 'SessionEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/fetch_request.ksy', 44, '/seq/6'), value_type=Integer(32, True)),
        Field('topics_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 49, '/seq/7'), value_type=Integer(32, True), hidden=True),
        Field('compact_topics_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 55, '/seq/8'), value_type=Integer(32, False), hidden=True),
        Field('topics', 'list', False, '', 'Topics', None, TYPE_fetch_request__fetch_topic, None, None, False, Mark('formats/messages/fetch_request.ksy', 61, '/seq/9'), value_type=ListOf(Structure('fetch_request::fetch_topic'))),
        Field('forgotten_topics_data_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 66, '/seq/10'), value_type=Integer(32, True), hidden=True),
        Field('compact_forgotten_topics_data_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 72, '/seq/11'), value_type=Integer(32, False), hidden=True),
        Field('forgotten_topics_data', 'list', True, '', 'ForgottenTopicsData', None, TYPE_fetch_request__forgotten_topic, None, None, False, Mark('formats/messages/fetch_request.ksy', 78, '/seq/12'), value_type=ListOf(Structure('fetch_request::forgotten_topic'))),
        Field('rack_id_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 84, '/seq/13'), value_type=Integer(16, True), hidden=True),
        Field('compact_rack_id_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/fetch_request.ksy', 90, '/seq/14'), value_type=Integer(32, False), hidden=True),
        Field('rack_id', 'text', True, '', 'RackId', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 96, '/seq/15'), value_type=Text()),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_fetch_request__fetch_request_tagged_fields, None, None, False, Mark('formats/messages/fetch_request.ksy', 101, '/seq/16'), value_type=Structure('fetch_request::fetch_request_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='replica_id', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 14, Integer(64, True), 14, 14)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='max_wait_ms', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='min_bytes', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='max_bytes', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='isolation_level', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), kind=Integer(8, True), little_endian=False),
        ReadInteger(name='session_id', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='session_epoch', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='topics_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='topics_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_topics_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_topics_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='topics', element=ReadType(name='topics', type=TYPE_fetch_request__fetch_topic, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadInteger(name='forgotten_topics_data_count', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='forgotten_topics_data_count', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('forgotten_topics_data_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_forgotten_topics_data_count', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_forgotten_topics_data_count', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_forgotten_topics_data_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='forgotten_topics_data', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), element=ReadType(name='forgotten_topics_data', type=TYPE_fetch_request__forgotten_topic, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_forgotten_topics_data_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('forgotten_topics_data_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadInteger(name='rack_id_length', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 11, Integer(64, True), 11, 11)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        Check(name='rack_id_length', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 11, Integer(64, True), 11, 11)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('rack_id_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_rack_id_length', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 11, Integer(64, True), 11, 11)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_rack_id_length', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 11, Integer(64, True), 11, 11)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_rack_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='rack_id', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 11, Integer(64, True), 11, 11)), None, Boolean(), 0, 1), size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_rack_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('rack_id_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 12, Integer(64, True), 12, 12)), None, Boolean(), 0, 1), type=TYPE_fetch_request__fetch_request_tagged_fields, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=9,
    steps_count=106,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
    is_root=True,
    tagged=(
        TaggedField(Field('cluster_id', 'text', True, '', 'ClusterId', None, None, None, None, False, Mark('formats/messages/fetch_request.ksy', 286, '/types/fetch_request_cluster_id_tag/seq/1'), value_type=Text()), 0, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_fetch_request__fetch_request_cluster_id_tag, 'replica_id'),
        TaggedField(Field('replica_state', 'structure', False, '', 'ReplicaState', None, TYPE_fetch_request__replica_state, None, None, False, Mark('formats/messages/fetch_request.ksy', 294, '/types/fetch_request_replica_state_tag/seq/0'), value_type=Structure('fetch_request::replica_state')), 1, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_fetch_request__fetch_request_replica_state_tag, 'max_wait_ms'),
    ),
)
PROGRAM = Program('fetch_request', TYPE_fetch_request, {'fetch_request::fetch_partition_replica_directory_id_tag': TYPE_fetch_request__fetch_partition_replica_directory_id_tag, 'fetch_request::fetch_partition_high_watermark_tag': TYPE_fetch_request__fetch_partition_high_watermark_tag, 'fetch_request::fetch_partition_tagged_field': TYPE_fetch_request__fetch_partition_tagged_field, 'fetch_request::fetch_partition_tagged_fields': TYPE_fetch_request__fetch_partition_tagged_fields, 'fetch_request::fetch_partition': TYPE_fetch_request__fetch_partition, 'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'fetch_request::fetch_topic': TYPE_fetch_request__fetch_topic, 'fetch_request::forgotten_topic': TYPE_fetch_request__forgotten_topic, 'fetch_request::fetch_request_cluster_id_tag': TYPE_fetch_request__fetch_request_cluster_id_tag, 'fetch_request::replica_state': TYPE_fetch_request__replica_state, 'fetch_request::fetch_request_replica_state_tag': TYPE_fetch_request__fetch_request_replica_state_tag, 'fetch_request::fetch_request_tagged_field': TYPE_fetch_request__fetch_request_tagged_field, 'fetch_request::fetch_request_tagged_fields': TYPE_fetch_request__fetch_request_tagged_fields, 'fetch_request': TYPE_fetch_request}, {})
