"""The program of formats/delegation_token_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'delegation_token_record': 1848131699, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_delegation_token_record = TypeProgram(
    name='delegation_token_record',
    digest='9e7f9587aaba6aa71be10ff675e31e2a049220888d92f0f4a2bcf8ac1adb1e1c',
    doc='Metadata: a delegation token.',
    original_id='DelegationTokenRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/delegation_token_record.ksy', 17, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 10, Integer(64, True), 10, 10), None, False, Mark('formats/messages/delegation_token_record.ksy', 22, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/delegation_token_record.ksy', 27, '/seq/2'), value_type=Integer(32, False)),
        Field('owner_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/delegation_token_record.ksy', 32, '/seq/3'), value_type=Integer(32, False), hidden=True),
        Field('owner', 'text', False, '', 'Owner', None, None, None, None, False, Mark('formats/messages/delegation_token_record.ksy', 37, '/seq/4'), value_type=Text()),
        Field('requester_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/delegation_token_record.ksy', 41, '/seq/5'), value_type=Integer(32, False), hidden=True),
        Field('requester', 'text', False, '', 'Requester', None, None, None, None, False, Mark('formats/messages/delegation_token_record.ksy', 46, '/seq/6'), value_type=Text()),
        Field('renewers_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/delegation_token_record.ksy', 50, '/seq/7'), value_type=Integer(32, False), hidden=True),
        Field('renewers', 'list', False, '', 'Renewers', None, TYPE_kafka_types__compact_string, None, None, False, Mark('formats/messages/delegation_token_record.ksy', 55, '/seq/8'), value_type=ListOf(Structure('kafka_types::compact_string'))),
        Field('issue_timestamp', 'integer', False, '', 'IssueTimestamp', None, None, None, None, False, Mark('formats/messages/delegation_token_record.ksy', 60, '/seq/9'), value_type=Integer(64, True)),
        Field('max_timestamp', 'integer', False, '', 'MaxTimestamp', None, None, None, None, False, Mark('formats/messages/delegation_token_record.ksy', 63, '/seq/10'), value_type=Integer(64, True)),
        Field('expiration_timestamp', 'integer', False, '', 'ExpirationTimestamp', None, None, None, None, False, Mark('formats/messages/delegation_token_record.ksy', 66, '/seq/11'), value_type=Integer(64, True)),
        Field('token_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/delegation_token_record.ksy', 69, '/seq/12'), value_type=Integer(32, False), hidden=True),
        Field('token_id', 'text', False, '', 'TokenId', None, None, None, None, False, Mark('formats/messages/delegation_token_record.ksy', 74, '/seq/13'), value_type=Text()),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/delegation_token_record.ksy', 78, '/seq/14'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 10, Integer(64, True), 10, 10)), None, Boolean(), 0, 1), expected='10'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadVarint(name='owner_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='owner_length', rule=Expression('>=', (Expression('name', (), ('owner_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='owner', size=Expression('-', (Expression('name', (), ('owner_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='requester_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='requester_length', rule=Expression('>=', (Expression('name', (), ('requester_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='requester', size=Expression('-', (Expression('name', (), ('requester_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='renewers_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='renewers_count', rule=Expression('>=', (Expression('name', (), ('renewers_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='renewers', element=ReadType(name='renewers', type=TYPE_kafka_types__compact_string, foreign=True), count=Expression('-', (Expression('name', (), ('renewers_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadInteger(name='issue_timestamp', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='max_timestamp', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='expiration_timestamp', kind=Integer(64, True), little_endian=False),
        ReadVarint(name='token_id_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='token_id_length', rule=Expression('>=', (Expression('name', (), ('token_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='token_id', size=Expression('-', (Expression('name', (), ('token_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=32,
    steps_count=32,
    is_root=True,
)
PROGRAM = Program('delegation_token_record', TYPE_delegation_token_record, {'kafka_types::compact_string': TYPE_kafka_types__compact_string, 'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'delegation_token_record': TYPE_delegation_token_record}, {})
