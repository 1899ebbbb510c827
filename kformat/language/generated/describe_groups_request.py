"""The program of formats/describe_groups_request.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'describe_groups_request': 2009889860, 'varint': 752136197, 'kafka_types': 3257342114}
TYPE_kafka_types__versioned_string = TypeProgram(
    name='kafka_types::versioned_string',
    digest='6a3f0a71ef128f483f5cdb217998bc2553b186cadfd512ca7e1e4b388a79ebe0',
    doc='Text of a message that became flexible in some version.',
    original_id='',
    fields=(
        Field('value_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/kafka_types.ksy', 47, '/types/versioned_string/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('compact_value_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/kafka_types.ksy', 53, '/types/versioned_string/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('value', 'text', False, '', '', None, None, None, None, False, Mark('formats/messages/kafka_types.ksy', 59, '/types/versioned_string/seq/2'), value_type=Text()),
    ),
    steps=(
        ReadInteger(name='value_length', condition=Expression('!=', (Expression('name', (), ('is_compact',), Integer(8, False), 0, 255), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        Check(name='value_length', condition=Expression('!=', (Expression('name', (), ('is_compact',), Integer(8, False), 0, 255), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('value_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_value_length', condition=Expression('==', (Expression('name', (), ('is_compact',), Integer(8, False), 0, 255), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_value_length', condition=Expression('==', (Expression('name', (), ('is_compact',), Integer(8, False), 0, 255), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_value_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='value', size=Expression('if', (Expression('==', (Expression('name', (), ('is_compact',), Integer(8, False), 0, 255), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_value_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('value_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
    ),
    parameters=(
        'is_compact',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=5,
    parameter_types=(
        Parameter('is_compact', Integer(8, False), doc='1 in versions that are flexible.'),
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
TYPE_describe_groups_request = TypeProgram(
    name='describe_groups_request',
    digest='548479754a0303cdc78285e1c616575a6c7ff3121c1b0a9b6450ab4fc399d4ea',
    doc='',
    original_id='DescribeGroupsRequest',
    fields=(
        Field('groups_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/describe_groups_request.ksy', 18, '/seq/0'), value_type=Integer(32, True), hidden=True),
        Field('compact_groups_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/describe_groups_request.ksy', 24, '/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('groups', 'list', False, '', 'Groups', None, TYPE_kafka_types__versioned_string, None, None, False, Mark('formats/messages/describe_groups_request.ksy', 30, '/seq/2'), value_type=ListOf(Structure('kafka_types::versioned_string'))),
        Field('include_authorized_operations', 'integer', True, '', 'IncludeAuthorizedOperations', None, None, None, None, False, Mark('formats/messages/describe_groups_request.ksy', 35, '/seq/3'), value_type=Integer(8, True), logical=LogicalType('bool')),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/describe_groups_request.ksy', 40, '/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='groups_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 5, Integer(64, True), 5, 5)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        Check(name='groups_count', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 5, Integer(64, True), 5, 5)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('groups_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_groups_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 5, Integer(64, True), 5, 5)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_groups_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 5, Integer(64, True), 5, 5)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_groups_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='groups', element=ReadType(name='groups', type=TYPE_kafka_types__versioned_string, arguments=(('is_compact', Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 5, Integer(64, True), 5, 5)), None, Boolean(), 0, 1), Expression('constant', (), 1, Integer(64, True), 1, 1), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Integer(64, True), 0, 1)),), foreign=True), count=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 5, Integer(64, True), 5, 5)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_groups_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('groups_count',), Integer(32, True), -2147483648, 2147483647)), None, Integer(64, True), -2147483648, 4294967294)),
        ReadInteger(name='include_authorized_operations', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), kind=Integer(8, True), little_endian=False),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 5, Integer(64, True), 5, 5)), None, Boolean(), 0, 1), type=TYPE_kafka_types__tagged_fields, foreign=True),
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
    is_root=True,
)
PROGRAM = Program('describe_groups_request', TYPE_describe_groups_request, {'kafka_types::versioned_string': TYPE_kafka_types__versioned_string, 'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'describe_groups_request': TYPE_describe_groups_request}, {})
