"""The program of formats/delegation_token_record_2_8.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Integer, ListOf, Structure, Text

MADE_FROM = {'delegation_token_record_2_8': 508432387, 'varint': 752136197, 'kafka_types': 3257342114}
TYPE_kafka_types__string = TypeProgram(
    name='kafka_types::string',
    digest='6a3f0a71ef128f483f5cdb217998bc2553b186cadfd512ca7e1e4b388a79ebe0',
    doc='Text in front of which its length stands.',
    original_id='STRING',
    fields=(
        Field('value_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/kafka_types.ksy', 20, '/types/string/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('value', 'text', False, '', '', None, None, None, None, False, Mark('formats/messages/kafka_types.ksy', 25, '/types/string/seq/1'), value_type=Text()),
    ),
    steps=(
        ReadInteger(name='value_length', kind=Integer(16, True), little_endian=False),
        Check(name='value_length', rule=Expression('>=', (Expression('name', (), ('value_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='value', size=Expression('name', (), ('value_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=3,
)
TYPE_delegation_token_record_2_8 = TypeProgram(
    name='delegation_token_record_2_8',
    digest='f65fd5e2f05f5d41adb912cf3989b9a9f01851dc83202942df93c4b57baa78ec',
    doc='Metadata: a delegation token.',
    original_id='DelegationTokenRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/delegation_token_record_2_8.ksy', 17, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 10, Integer(64, True), 10, 10), None, False, Mark('formats/messages/delegation_token_record_2_8.ksy', 22, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/delegation_token_record_2_8.ksy', 27, '/seq/2'), value_type=Integer(32, False)),
        Field('owner_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/delegation_token_record_2_8.ksy', 32, '/seq/3'), value_type=Integer(16, True), hidden=True),
        Field('owner', 'text', False, '', 'Owner', None, None, None, None, False, Mark('formats/messages/delegation_token_record_2_8.ksy', 37, '/seq/4'), value_type=Text()),
        Field('renewers_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/delegation_token_record_2_8.ksy', 41, '/seq/5'), value_type=Integer(32, True), hidden=True),
        Field('renewers', 'list', False, '', 'Renewers', None, TYPE_kafka_types__string, None, None, False, Mark('formats/messages/delegation_token_record_2_8.ksy', 46, '/seq/6'), value_type=ListOf(Structure('kafka_types::string'))),
        Field('issue_timestamp', 'integer', False, '', 'IssueTimestamp', None, None, None, None, False, Mark('formats/messages/delegation_token_record_2_8.ksy', 51, '/seq/7'), value_type=Integer(64, True)),
        Field('max_timestamp', 'integer', False, '', 'MaxTimestamp', None, None, None, None, False, Mark('formats/messages/delegation_token_record_2_8.ksy', 54, '/seq/8'), value_type=Integer(64, True)),
        Field('expiration_timestamp', 'integer', False, '', 'ExpirationTimestamp', None, None, None, None, False, Mark('formats/messages/delegation_token_record_2_8.ksy', 57, '/seq/9'), value_type=Integer(64, True)),
        Field('token_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/delegation_token_record_2_8.ksy', 60, '/seq/10'), value_type=Integer(16, True), hidden=True),
        Field('token_id', 'text', False, '', 'TokenId', None, None, None, None, False, Mark('formats/messages/delegation_token_record_2_8.ksy', 65, '/seq/11'), value_type=Text()),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 10, Integer(64, True), 10, 10)), None, Boolean(), 0, 1), expected='10'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='owner_length', kind=Integer(16, True), little_endian=False),
        Check(name='owner_length', rule=Expression('>=', (Expression('name', (), ('owner_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='owner', size=Expression('name', (), ('owner_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='renewers_count', kind=Integer(32, True), little_endian=False),
        Check(name='renewers_count', rule=Expression('>=', (Expression('name', (), ('renewers_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='renewers', element=ReadType(name='renewers', type=TYPE_kafka_types__string, foreign=True), count=Expression('name', (), ('renewers_count',), Integer(32, True), 0, 2147483647)),
        ReadInteger(name='issue_timestamp', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='max_timestamp', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='expiration_timestamp', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='token_id_length', kind=Integer(16, True), little_endian=False),
        Check(name='token_id_length', rule=Expression('>=', (Expression('name', (), ('token_id_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='token_id', size=Expression('name', (), ('token_id_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=35,
    steps_count=22,
    is_root=True,
)
PROGRAM = Program('delegation_token_record_2_8', TYPE_delegation_token_record_2_8, {'kafka_types::string': TYPE_kafka_types__string, 'delegation_token_record_2_8': TYPE_delegation_token_record_2_8}, {})
