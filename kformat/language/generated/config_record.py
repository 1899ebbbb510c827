"""The program of formats/config_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Enum, Field, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, EnumType, Integer, ListOf, Structure, Text

MADE_FROM = {'config_record': 3133129731, 'varint': 752136197, 'kafka_types': 3257342114}
ENUM_config_record__config_resource_type = Enum(
    name='config_record::config_resource_type',
    members={0: 'unknown', 2: 'topic', 4: 'broker', 8: 'broker_logger', 16: 'client_metrics', 32: 'group'},
    original_ids={},
    docs={},
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
TYPE_config_record = TypeProgram(
    name='config_record',
    digest='55480bb17fd816cea4e9421c4d5c1f10d0b88737ea1d8a7558732f5022533c16',
    doc='Metadata: a configuration of a topic, a broker, or another resource; null removes it.',
    original_id='ConfigRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/config_record.ksy', 17, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 4, Integer(64, True), 4, 4), None, False, Mark('formats/messages/config_record.ksy', 22, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/config_record.ksy', 27, '/seq/2'), value_type=Integer(32, False)),
        Field('resource_type', 'integer', False, '', 'ResourceType', ENUM_config_record__config_resource_type, None, None, None, False, Mark('formats/messages/config_record.ksy', 32, '/seq/3'), value_type=EnumType('config_record::config_resource_type')),
        Field('resource_name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/config_record.ksy', 36, '/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('resource_name', 'text', False, '', 'ResourceName', None, None, None, None, False, Mark('formats/messages/config_record.ksy', 41, '/seq/5'), value_type=Text()),
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/config_record.ksy', 45, '/seq/6'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/config_record.ksy', 50, '/seq/7'), value_type=Text()),
        Field('value_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/config_record.ksy', 54, '/seq/8'), value_type=Integer(32, False), hidden=True),
        Field('value', 'text', True, '', 'Value', None, None, None, None, False, Mark('formats/messages/config_record.ksy', 57, '/seq/9'), value_type=Text()),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/config_record.ksy', 62, '/seq/10'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), expected='4'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='resource_type', kind=Integer(8, True), little_endian=False, enum=ENUM_config_record__config_resource_type),
        ReadVarint(name='resource_name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='resource_name_length', rule=Expression('>=', (Expression('name', (), ('resource_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='resource_name', size=Expression('-', (Expression('name', (), ('resource_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='name', size=Expression('-', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='value_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='value', condition=Expression('>=', (Expression('name', (), ('value_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('value_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=8,
    steps_count=22,
    is_root=True,
)
PROGRAM = Program('config_record', TYPE_config_record, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'config_record': TYPE_config_record}, {'config_record::config_resource_type': ENUM_config_record__config_resource_type})
