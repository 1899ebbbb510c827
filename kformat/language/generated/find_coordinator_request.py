"""The program of formats/find_coordinator_request.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'find_coordinator_request': 932141466, 'varint': 752136197, 'kafka_types': 3257342114}
TYPE_kafka_types__compact_string = TypeProgram(
    name='kafka_types::compact_string',
    digest='6a3f0a71ef128f483f5cdb217998bc2553b186cadfd512ca7e1e4b388a79ebe0',
    doc='Text in front of which its length plus one stands.',
    original_id='COMPACT_STRING',
    fields=(
        Field('value_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/kafka_types.ksy', 32, '/types/compact_string/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('value', 'text', False, '', '', None, None, None, None, False, Mark('formats/messages/kafka_types.ksy', 37, '/types/compact_string/seq/1'), value_type=Text()),
    ),
    steps=(
        ReadVarint(name='value_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='value_length', rule=Expression('>=', (Expression('name', (), ('value_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='value', size=Expression('-', (Expression('name', (), ('value_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=3,
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
TYPE_find_coordinator_request = TypeProgram(
    name='find_coordinator_request',
    digest='e1560ec531a6d848d1126c6697184a05246155ac7be70f067642d82ac5753745',
    doc='',
    original_id='FindCoordinatorRequest',
    fields=(
        Field('key_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/find_coordinator_request.ksy', 18, '/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('compact_key_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/find_coordinator_request.ksy', 24, '/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('key', 'text', True, '', 'Key', None, None, None, None, False, Mark('formats/messages/find_coordinator_request.ksy', 30, '/seq/2'), value_type=Text()),
        Field('key_type', 'integer', True, '', 'KeyType', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/find_coordinator_request.ksy', 35, '/seq/3'), value_type=Integer(8, True)),
        Field('coordinator_keys_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/find_coordinator_request.ksy', 40, '/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('coordinator_keys', 'list', True, '', 'CoordinatorKeys', None, TYPE_kafka_types__compact_string, None, None, False, Mark('formats/messages/find_coordinator_request.ksy', 46, '/seq/5'), value_type=ListOf(Structure('kafka_types::compact_string'))),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/find_coordinator_request.ksy', 52, '/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='key_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        Check(name='key_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('key_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_key_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_key_length', condition=Expression('and', (Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_key_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='key', condition=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_key_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('key_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
        ReadInteger(name='key_type', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(8, True), little_endian=False),
        ReadVarint(name='coordinator_keys_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='coordinator_keys_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('coordinator_keys_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='coordinator_keys', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), element=ReadType(name='coordinator_keys', type=TYPE_kafka_types__compact_string, foreign=True), count=Expression('-', (Expression('name', (), ('coordinator_keys_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=0,
    steps_count=20,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
    is_root=True,
)
PROGRAM = Program('find_coordinator_request', TYPE_find_coordinator_request, {'kafka_types::compact_string': TYPE_kafka_types__compact_string, 'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'find_coordinator_request': TYPE_find_coordinator_request}, {})
