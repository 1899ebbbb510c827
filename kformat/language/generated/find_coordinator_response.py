"""The program of formats/find_coordinator_response.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'find_coordinator_response': 4237615160, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_find_coordinator_response__coordinator = TypeProgram(
    name='find_coordinator_response::coordinator',
    digest='8984590fa1db114fdb7e51339794801ce95f823a1122f1da54e040ce95858bb6',
    doc='',
    original_id='Coordinator',
    fields=(
        Field('key_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/find_coordinator_response.ksy', 84, '/types/coordinator/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('key', 'text', False, '', 'Key', None, None, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 89, '/types/coordinator/seq/1'), value_type=Text()),
        Field('node_id', 'integer', False, '', 'NodeId', None, None, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 93, '/types/coordinator/seq/2'), value_type=Integer(32, True)),
        Field('host_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/find_coordinator_response.ksy', 96, '/types/coordinator/seq/3'), value_type=Integer(32, False), hidden=True),
        Field('host', 'text', False, '', 'Host', None, None, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 101, '/types/coordinator/seq/4'), value_type=Text()),
        Field('port', 'integer', False, '', 'Port', None, None, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 105, '/types/coordinator/seq/5'), value_type=Integer(32, True)),
        Field('error_code', 'integer', False, '', 'ErrorCode', None, None, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 108, '/types/coordinator/seq/6'), value_type=Integer(16, True)),
        Field('error_message_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/find_coordinator_response.ksy', 111, '/types/coordinator/seq/7'), value_type=Integer(32, False), hidden=True),
        Field('error_message', 'text', True, '', 'ErrorMessage', None, None, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 114, '/types/coordinator/seq/8'), value_type=Text()),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 119, '/types/coordinator/seq/9'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='key_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='key_length', rule=Expression('>=', (Expression('name', (), ('key_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='key', size=Expression('-', (Expression('name', (), ('key_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='node_id', kind=Integer(32, True), little_endian=False),
        ReadVarint(name='host_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='host_length', rule=Expression('>=', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='host', size=Expression('-', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='port', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='error_code', kind=Integer(16, True), little_endian=False),
        ReadVarint(name='error_message_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='error_message', condition=Expression('>=', (Expression('name', (), ('error_message_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('error_message_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=14,
    steps_count=18,
)
TYPE_find_coordinator_response = TypeProgram(
    name='find_coordinator_response',
    digest='8984590fa1db114fdb7e51339794801ce95f823a1122f1da54e040ce95858bb6',
    doc='',
    original_id='FindCoordinatorResponse',
    fields=(
        Field('throttle_time_ms', 'integer', True, '', 'ThrottleTimeMs', None, None, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 18, '/seq/0'), value_type=Integer(32, True)),
        Field('error_code', 'integer', True, '', 'ErrorCode', None, None, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 22, '/seq/1'), value_type=Integer(16, True)),
        Field('error_message_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/find_coordinator_response.ksy', 26, '/seq/2'), value_type=Integer(16, True), hidden=True),
        Field('compact_error_message_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/find_coordinator_response.ksy', 30, '/seq/3'), value_type=Integer(32, False), hidden=True),
        Field('error_message', 'text', True, '', 'ErrorMessage', None, None, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 34, '/seq/4'), value_type=Text()),
        Field('node_id', 'integer', True, '', 'NodeId', None, None, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 39, '/seq/5'), value_type=Integer(32, True)),
        Field('host_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/find_coordinator_response.ksy', 43, '/seq/6'), value_type=Integer(16, True), hidden=True),
        Field('compact_host_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/find_coordinator_response.ksy', 49, '/seq/7'), value_type=Integer(32, False), hidden=True),
        Field('host', 'text', True, '', 'Host', None, None, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 55, '/seq/8'), value_type=Text()),
        Field('port', 'integer', True, '', 'Port', None, None, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 60, '/seq/9'), value_type=Integer(32, True)),
        Field('coordinators_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/find_coordinator_response.ksy', 64, '/seq/10'), value_type=Integer(32, False), hidden=True),
        Field('coordinators', 'list', True, '', 'Coordinators', None, TYPE_find_coordinator_response__coordinator, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 70, '/seq/11'), value_type=ListOf(Structure('find_coordinator_response::coordinator'))),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/find_coordinator_response.ksy', 76, '/seq/12'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='throttle_time_ms', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='error_code', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        ReadInteger(name='error_message_length', condition=Expression('and', (Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        ReadVarint(name='compact_error_message_length', condition=Expression('and', (Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='error_message', condition=Expression('and', (Expression('and', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('compact_error_message_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('error_message_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_error_message_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('error_message_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
        ReadInteger(name='node_id', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='host_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        Check(name='host_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('host_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_host_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_host_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='host', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('host_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
        ReadInteger(name='port', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadVarint(name='coordinators_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='coordinators_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('coordinators_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='coordinators', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), element=ReadType(name='coordinators', type=TYPE_find_coordinator_response__coordinator), count=Expression('-', (Expression('name', (), ('coordinators_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=0,
    steps_count=41,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
    is_root=True,
)
PROGRAM = Program('find_coordinator_response', TYPE_find_coordinator_response, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'find_coordinator_response::coordinator': TYPE_find_coordinator_response__coordinator, 'find_coordinator_response': TYPE_find_coordinator_response}, {})
