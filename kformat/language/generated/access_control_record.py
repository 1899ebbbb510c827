"""The program of formats/access_control_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'access_control_record': 3591947787, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_access_control_record = TypeProgram(
    name='access_control_record',
    digest='0bfeab7993673425b657795ae97a64f65547de24b1202d4e00e6c32415e00ca6',
    doc="Metadata of 2.8's preview: an ACL.",
    original_id='AccessControlRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/access_control_record.ksy', 17, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 6, Integer(64, True), 6, 6), None, False, Mark('formats/messages/access_control_record.ksy', 22, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/access_control_record.ksy', 27, '/seq/2'), value_type=Integer(32, False)),
        Field('resource_type', 'integer', False, '', 'ResourceType', None, None, None, None, False, Mark('formats/messages/access_control_record.ksy', 32, '/seq/3'), value_type=Integer(8, True)),
        Field('resource_name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/access_control_record.ksy', 35, '/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('resource_name', 'text', True, '', 'ResourceName', None, None, None, None, False, Mark('formats/messages/access_control_record.ksy', 38, '/seq/5'), value_type=Text()),
        Field('pattern_type', 'integer', False, '', 'PatternType', None, None, None, None, False, Mark('formats/messages/access_control_record.ksy', 43, '/seq/6'), value_type=Integer(8, True)),
        Field('principal_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/access_control_record.ksy', 46, '/seq/7'), value_type=Integer(32, False), hidden=True),
        Field('principal', 'text', False, '', 'Principal', None, None, None, None, False, Mark('formats/messages/access_control_record.ksy', 51, '/seq/8'), value_type=Text()),
        Field('host_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/access_control_record.ksy', 55, '/seq/9'), value_type=Integer(32, False), hidden=True),
        Field('host', 'text', False, '', 'Host', None, None, None, None, False, Mark('formats/messages/access_control_record.ksy', 60, '/seq/10'), value_type=Text()),
        Field('operation', 'integer', False, '', 'Operation', None, None, None, None, False, Mark('formats/messages/access_control_record.ksy', 64, '/seq/11'), value_type=Integer(8, True)),
        Field('permission_type', 'integer', False, '', 'PermissionType', None, None, None, None, False, Mark('formats/messages/access_control_record.ksy', 67, '/seq/12'), value_type=Integer(8, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/access_control_record.ksy', 70, '/seq/13'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), expected='6'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='resource_type', kind=Integer(8, True), little_endian=False),
        ReadVarint(name='resource_name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='resource_name', condition=Expression('>=', (Expression('name', (), ('resource_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('resource_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='pattern_type', kind=Integer(8, True), little_endian=False),
        ReadVarint(name='principal_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='principal_length', rule=Expression('>=', (Expression('name', (), ('principal_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='principal', size=Expression('-', (Expression('name', (), ('principal_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='host_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='host_length', rule=Expression('>=', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='host', size=Expression('-', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='operation', kind=Integer(8, True), little_endian=False),
        ReadInteger(name='permission_type', kind=Integer(8, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=11,
    steps_count=25,
    is_root=True,
)
PROGRAM = Program('access_control_record', TYPE_access_control_record, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'access_control_record': TYPE_access_control_record}, {})
