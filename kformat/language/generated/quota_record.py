"""The program of formats/quota_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Program, ReadBytes, ReadFloat, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Float, Integer, ListOf, Structure, Text

MADE_FROM = {'quota_record': 309234468, 'varint': 752136197}
TYPE_quota_record__entity_data = TypeProgram(
    name='quota_record::entity_data',
    digest='6442b822e125f86db9ba90ff915e63555344f0fc36b11cfbe87b129b21ceb918',
    doc='',
    original_id='EntityData',
    fields=(
        Field('entity_type_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/quota_record.ksy', 61, '/types/entity_data/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('entity_type', 'text', False, '', 'EntityType', None, None, None, None, False, Mark('formats/messages/quota_record.ksy', 66, '/types/entity_data/seq/1'), value_type=Text()),
        Field('entity_name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/quota_record.ksy', 70, '/types/entity_data/seq/2'), value_type=Integer(16, True), hidden=True),
        Field('entity_name', 'text', True, '', 'EntityName', None, None, None, None, False, Mark('formats/messages/quota_record.ksy', 73, '/types/entity_data/seq/3'), value_type=Text()),
    ),
    steps=(
        ReadInteger(name='entity_type_length', kind=Integer(16, True), little_endian=False),
        Check(name='entity_type_length', rule=Expression('>=', (Expression('name', (), ('entity_type_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='entity_type', size=Expression('name', (), ('entity_type_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='entity_name_length', kind=Integer(16, True), little_endian=False),
        ReadBytes(name='entity_name', condition=Expression('>=', (Expression('name', (), ('entity_name_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), size=Expression('name', (), ('entity_name_length',), Integer(16, True), -32768, 32767), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=5,
)
TYPE_quota_record = TypeProgram(
    name='quota_record',
    digest='6442b822e125f86db9ba90ff915e63555344f0fc36b11cfbe87b129b21ceb918',
    doc="Metadata of 2.8's preview: a quota.",
    original_id='QuotaRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/quota_record.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 14, Integer(64, True), 14, 14), None, False, Mark('formats/messages/quota_record.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/quota_record.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('entity_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/quota_record.ksy', 31, '/seq/3'), value_type=Integer(32, True), hidden=True),
        Field('entity', 'list', False, '', 'Entity', None, TYPE_quota_record__entity_data, None, None, False, Mark('formats/messages/quota_record.ksy', 36, '/seq/4'), value_type=ListOf(Structure('quota_record::entity_data'))),
        Field('key_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/quota_record.ksy', 41, '/seq/5'), value_type=Integer(16, True), hidden=True),
        Field('key', 'text', False, '', 'Key', None, None, None, None, False, Mark('formats/messages/quota_record.ksy', 46, '/seq/6'), value_type=Text()),
        Field('value', 'float', False, '', 'Value', None, None, None, None, False, Mark('formats/messages/quota_record.ksy', 50, '/seq/7'), value_type=Float()),
        Field('remove', 'integer', False, '', 'Remove', None, None, None, None, False, Mark('formats/messages/quota_record.ksy', 53, '/seq/8'), value_type=Integer(8, True), logical=LogicalType('bool')),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 14, Integer(64, True), 14, 14)), None, Boolean(), 0, 1), expected='14'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='entity_count', kind=Integer(32, True), little_endian=False),
        Check(name='entity_count', rule=Expression('>=', (Expression('name', (), ('entity_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='entity', element=ReadType(name='entity', type=TYPE_quota_record__entity_data), count=Expression('name', (), ('entity_count',), Integer(32, True), 0, 2147483647)),
        ReadInteger(name='key_length', kind=Integer(16, True), little_endian=False),
        Check(name='key_length', rule=Expression('>=', (Expression('name', (), ('key_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='key', size=Expression('name', (), ('key_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadFloat(name='value', bits=64, little_endian=False),
        ReadInteger(name='remove', kind=Integer(8, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=18,
    steps_count=20,
    is_root=True,
)
PROGRAM = Program('quota_record', TYPE_quota_record, {'quota_record::entity_data': TYPE_quota_record__entity_data, 'quota_record': TYPE_quota_record}, {})
