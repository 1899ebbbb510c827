"""The program of formats/client_quota_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Program, ReadBytes, ReadFloat, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Float, Integer, ListOf, Structure, Text

MADE_FROM = {'client_quota_record': 2231593010, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_client_quota_record__entity_data = TypeProgram(
    name='client_quota_record::entity_data',
    digest='4149af11a4108f8b14f765af569298655809f3dbd9fd52847c52fc9f20dca463',
    doc='',
    original_id='EntityData',
    fields=(
        Field('entity_type_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/client_quota_record.ksy', 65, '/types/entity_data/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('entity_type', 'text', False, '', 'EntityType', None, None, None, None, False, Mark('formats/messages/client_quota_record.ksy', 70, '/types/entity_data/seq/1'), value_type=Text()),
        Field('entity_name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/client_quota_record.ksy', 74, '/types/entity_data/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('entity_name', 'text', True, '', 'EntityName', None, None, None, None, False, Mark('formats/messages/client_quota_record.ksy', 77, '/types/entity_data/seq/3'), value_type=Text()),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/client_quota_record.ksy', 82, '/types/entity_data/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='entity_type_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='entity_type_length', rule=Expression('>=', (Expression('name', (), ('entity_type_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='entity_type', size=Expression('-', (Expression('name', (), ('entity_type_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='entity_name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='entity_name', condition=Expression('>=', (Expression('name', (), ('entity_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('entity_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=3,
    steps_count=12,
)
TYPE_client_quota_record = TypeProgram(
    name='client_quota_record',
    digest='4149af11a4108f8b14f765af569298655809f3dbd9fd52847c52fc9f20dca463',
    doc='Metadata: a quota of a client, a user or an address.',
    original_id='ClientQuotaRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/client_quota_record.ksy', 17, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 14, Integer(64, True), 14, 14), None, False, Mark('formats/messages/client_quota_record.ksy', 22, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/client_quota_record.ksy', 27, '/seq/2'), value_type=Integer(32, False)),
        Field('entity_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/client_quota_record.ksy', 32, '/seq/3'), value_type=Integer(32, False), hidden=True),
        Field('entity', 'list', False, '', 'Entity', None, TYPE_client_quota_record__entity_data, None, None, False, Mark('formats/messages/client_quota_record.ksy', 37, '/seq/4'), value_type=ListOf(Structure('client_quota_record::entity_data'))),
        Field('key_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/client_quota_record.ksy', 42, '/seq/5'), value_type=Integer(32, False), hidden=True),
        Field('key', 'text', False, '', 'Key', None, None, None, None, False, Mark('formats/messages/client_quota_record.ksy', 47, '/seq/6'), value_type=Text()),
        Field('value', 'float', False, '', 'Value', None, None, None, None, False, Mark('formats/messages/client_quota_record.ksy', 51, '/seq/7'), value_type=Float()),
        Field('remove', 'integer', False, '', 'Remove', None, None, None, None, False, Mark('formats/messages/client_quota_record.ksy', 54, '/seq/8'), value_type=Integer(8, True), logical=LogicalType('bool')),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/client_quota_record.ksy', 58, '/seq/9'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 14, Integer(64, True), 14, 14)), None, Boolean(), 0, 1), expected='14'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadVarint(name='entity_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='entity_count', rule=Expression('>=', (Expression('name', (), ('entity_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='entity', element=ReadType(name='entity', type=TYPE_client_quota_record__entity_data), count=Expression('-', (Expression('name', (), ('entity_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='key_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='key_length', rule=Expression('>=', (Expression('name', (), ('key_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='key', size=Expression('-', (Expression('name', (), ('key_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadFloat(name='value', bits=64, little_endian=False),
        ReadInteger(name='remove', kind=Integer(8, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=15,
    steps_count=34,
    is_root=True,
)
PROGRAM = Program('client_quota_record', TYPE_client_quota_record, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'client_quota_record::entity_data': TYPE_client_quota_record__entity_data, 'client_quota_record': TYPE_client_quota_record}, {})
