"""The program of formats/config_record_2_8.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Enum, Field, Program, ReadBytes, ReadInteger, ReadVarint, TypeProgram
from kformat.language.types import Boolean, EnumType, Integer, Text

MADE_FROM = {'config_record_2_8': 766467769, 'varint': 752136197}
ENUM_config_record_2_8__config_resource_type = Enum(
    name='config_record_2_8::config_resource_type',
    members={0: 'unknown', 2: 'topic', 4: 'broker', 8: 'broker_logger', 16: 'client_metrics', 32: 'group'},
    original_ids={},
    docs={},
)
TYPE_config_record_2_8 = TypeProgram(
    name='config_record_2_8',
    digest='06e94652b6d1e9c8766c29fe92d13c85255df865eacb4a59af8143ef98e9f392',
    doc='Metadata: a configuration of a topic, a broker, or another resource; null removes it.',
    original_id='ConfigRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/config_record_2_8.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 4, Integer(64, True), 4, 4), None, False, Mark('formats/messages/config_record_2_8.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/config_record_2_8.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('resource_type', 'integer', False, '', 'ResourceType', ENUM_config_record_2_8__config_resource_type, None, None, None, False, Mark('formats/messages/config_record_2_8.ksy', 31, '/seq/3'), value_type=EnumType('config_record_2_8::config_resource_type')),
        Field('resource_name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/config_record_2_8.ksy', 35, '/seq/4'), value_type=Integer(16, True), hidden=True),
        Field('resource_name', 'text', False, '', 'ResourceName', None, None, None, None, False, Mark('formats/messages/config_record_2_8.ksy', 40, '/seq/5'), value_type=Text()),
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/config_record_2_8.ksy', 44, '/seq/6'), value_type=Integer(16, True), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/config_record_2_8.ksy', 49, '/seq/7'), value_type=Text()),
        Field('value_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/config_record_2_8.ksy', 53, '/seq/8'), value_type=Integer(16, True), hidden=True),
        Field('value', 'text', False, '', 'Value', None, None, None, None, False, Mark('formats/messages/config_record_2_8.ksy', 58, '/seq/9'), value_type=Text()),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), expected='4'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='resource_type', kind=Integer(8, True), little_endian=False, enum=ENUM_config_record_2_8__config_resource_type),
        ReadInteger(name='resource_name_length', kind=Integer(16, True), little_endian=False),
        Check(name='resource_name_length', rule=Expression('>=', (Expression('name', (), ('resource_name_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='resource_name', size=Expression('name', (), ('resource_name_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='name_length', kind=Integer(16, True), little_endian=False),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='name', size=Expression('name', (), ('name_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='value_length', kind=Integer(16, True), little_endian=False),
        Check(name='value_length', rule=Expression('>=', (Expression('name', (), ('value_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='value', size=Expression('name', (), ('value_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=10,
    steps_count=16,
    is_root=True,
)
PROGRAM = Program('config_record_2_8', TYPE_config_record_2_8, {'config_record_2_8': TYPE_config_record_2_8}, {'config_record_2_8::config_resource_type': ENUM_config_record_2_8__config_resource_type})
