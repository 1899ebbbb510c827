"""The program of formats/metadata_request.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'metadata_request': 3940581184, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_metadata_request__metadata_request_topic = TypeProgram(
    name='metadata_request::metadata_request_topic',
    digest='329433c664a1966729d27077b5771bd2651a6e695101d12926295ba02cea95ae',
    doc='',
    original_id='MetadataRequestTopic',
    fields=(
        Field('topic_id', 'bytes', True, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/metadata_request.ksy', 61, '/types/metadata_request_topic/seq/0'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('name_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/metadata_request.ksy', 66, '/types/metadata_request_topic/seq/1'), value_type=Integer(16, True), hidden=True),
        Field('compact_name_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/metadata_request.ksy', 72, '/types/metadata_request_topic/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', True, '', 'Name', None, None, None, None, False, Mark('formats/messages/metadata_request.ksy', 78, '/types/metadata_request_topic/seq/3'), value_type=Text()),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/metadata_request.ksy', 83, '/types/metadata_request_topic/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadBytes(name='topic_id', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 10, Integer(64, True), 10, 10)), None, Boolean(), 0, 1), size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadInteger(name='name_length', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        Check(name='name_length', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), rule=Expression('or', (Expression('>=', (Expression('name', (), ('name_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 10, Integer(64, True), 10, 10)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), expected='(name_length >= 0) or (version >= 10)'),
        ReadVarint(name='compact_name_length', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_name_length', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), rule=Expression('or', (Expression('>=', (Expression('name', (), ('compact_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 10, Integer(64, True), 10, 10)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), expected='(compact_name_length >= 1) or (version >= 10)'),
        ReadBytes(name='name', condition=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('compact_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('name_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('name_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
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
TYPE_metadata_request = TypeProgram(
    name='metadata_request',
    digest='329433c664a1966729d27077b5771bd2651a6e695101d12926295ba02cea95ae',
    doc='',
    original_id='MetadataRequest',
    fields=(
        Field('topics_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/metadata_request.ksy', 18, '/seq/0'), value_type=Integer(32, True), hidden=True),
        Field('compact_topics_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/metadata_request.ksy', 24, '/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('topics', 'list', True, '', 'Topics', None, TYPE_metadata_request__metadata_request_topic, None, None, False, Mark('formats/messages/metadata_request.ksy', 28, '/seq/2'), value_type=ListOf(Structure('metadata_request::metadata_request_topic'))),
        Field('allow_auto_topic_creation', 'integer', True, '', 'AllowAutoTopicCreation', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/metadata_request.ksy', 34, '/seq/3'), value_type=Integer(8, True), logical=LogicalType('bool')),
        Field('include_cluster_authorized_operations', 'integer', True, '', 'IncludeClusterAuthorizedOperations', None, None, None, None, False, Mark('formats/messages/metadata_request.ksy', 40, '/seq/4'), value_type=Integer(8, True), logical=LogicalType('bool')),
        Field('include_topic_authorized_operations', 'integer', True, '', 'IncludeTopicAuthorizedOperations', None, None, None, None, False, Mark('formats/messages/metadata_request.ksy', 45, '/seq/5'), value_type=Integer(8, True), logical=LogicalType('bool')),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/metadata_request.ksy', 50, '/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='topics_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='topics_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), rule=Expression('or', (Expression('>=', (Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), expected='(topics_count >= 0) or (version >= 1)'),
        ReadVarint(name='compact_topics_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='topics', condition=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('compact_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), element=ReadType(name='topics', type=TYPE_metadata_request__metadata_request_topic, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_topics_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('topics_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadInteger(name='allow_auto_topic_creation', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), kind=Integer(8, True), little_endian=False),
        ReadInteger(name='include_cluster_authorized_operations', condition=Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 8, Integer(64, True), 8, 8)), None, Boolean(), 0, 1), Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 10, Integer(64, True), 10, 10)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), kind=Integer(8, True), little_endian=False),
        ReadInteger(name='include_topic_authorized_operations', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 8, Integer(64, True), 8, 8)), None, Boolean(), 0, 1), kind=Integer(8, True), little_endian=False),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=28,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
    is_root=True,
)
PROGRAM = Program('metadata_request', TYPE_metadata_request, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'metadata_request::metadata_request_topic': TYPE_metadata_request__metadata_request_topic, 'metadata_request': TYPE_metadata_request}, {})
