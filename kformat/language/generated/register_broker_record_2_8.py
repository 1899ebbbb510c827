"""The program of formats/register_broker_record_2_8.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Enum, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, EnumType, Integer, ListOf, Structure, Text

MADE_FROM = {'register_broker_record_2_8': 1720301528, 'varint': 752136197}
ENUM_register_broker_record_2_8__security_protocol = Enum(
    name='register_broker_record_2_8::security_protocol',
    members={0: 'plaintext', 1: 'ssl', 2: 'sasl_plaintext', 3: 'sasl_ssl'},
    original_ids={},
    docs={},
)
TYPE_register_broker_record_2_8__broker_endpoint = TypeProgram(
    name='register_broker_record_2_8::broker_endpoint',
    digest='9308c9ca9a8d4654c2b94962d0fea7367db7b566ff4311a34a74025e7a836ad7',
    doc='',
    original_id='BrokerEndpoint',
    fields=(
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record_2_8.ksy', 73, '/types/broker_endpoint/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 78, '/types/broker_endpoint/seq/1'), value_type=Text()),
        Field('host_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record_2_8.ksy', 82, '/types/broker_endpoint/seq/2'), value_type=Integer(16, True), hidden=True),
        Field('host', 'text', False, '', 'Host', None, None, None, None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 87, '/types/broker_endpoint/seq/3'), value_type=Text()),
        Field('port', 'integer', False, '', 'Port', None, None, None, None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 91, '/types/broker_endpoint/seq/4'), value_type=Integer(16, False)),
        Field('security_protocol', 'integer', False, '', 'SecurityProtocol', ENUM_register_broker_record_2_8__security_protocol, None, None, None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 94, '/types/broker_endpoint/seq/5'), value_type=EnumType('register_broker_record_2_8::security_protocol')),
    ),
    steps=(
        ReadInteger(name='name_length', kind=Integer(16, True), little_endian=False),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='name', size=Expression('name', (), ('name_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='host_length', kind=Integer(16, True), little_endian=False),
        Check(name='host_length', rule=Expression('>=', (Expression('name', (), ('host_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='host', size=Expression('name', (), ('host_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='port', kind=Integer(16, False), little_endian=False),
        ReadInteger(name='security_protocol', kind=Integer(16, True), little_endian=False, enum=ENUM_register_broker_record_2_8__security_protocol),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=8,
    steps_count=8,
)
TYPE_register_broker_record_2_8__broker_feature = TypeProgram(
    name='register_broker_record_2_8::broker_feature',
    digest='9308c9ca9a8d4654c2b94962d0fea7367db7b566ff4311a34a74025e7a836ad7',
    doc='',
    original_id='BrokerFeature',
    fields=(
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record_2_8.ksy', 101, '/types/broker_feature/seq/0'), value_type=Integer(16, True), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 106, '/types/broker_feature/seq/1'), value_type=Text()),
        Field('min_supported_version', 'integer', False, '', 'MinSupportedVersion', None, None, None, None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 110, '/types/broker_feature/seq/2'), value_type=Integer(16, True)),
        Field('max_supported_version', 'integer', False, '', 'MaxSupportedVersion', None, None, None, None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 113, '/types/broker_feature/seq/3'), value_type=Integer(16, True)),
    ),
    steps=(
        ReadInteger(name='name_length', kind=Integer(16, True), little_endian=False),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='name', size=Expression('name', (), ('name_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='min_supported_version', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='max_supported_version', kind=Integer(16, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=5,
)
TYPE_register_broker_record_2_8 = TypeProgram(
    name='register_broker_record_2_8',
    digest='9308c9ca9a8d4654c2b94962d0fea7367db7b566ff4311a34a74025e7a836ad7',
    doc="Metadata: a broker with its listeners, features and directories; its epoch is the record's offset.",
    original_id='RegisterBrokerRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('broker_id', 'integer', False, '', 'BrokerId', None, None, None, None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 31, '/seq/3'), value_type=Integer(32, True)),
        Field('incarnation_id', 'bytes', False, '', 'IncarnationId', None, None, None, None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 34, '/seq/4'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('broker_epoch', 'integer', False, '', 'BrokerEpoch', None, None, None, None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 38, '/seq/5'), value_type=Integer(64, True)),
        Field('end_points_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record_2_8.ksy', 41, '/seq/6'), value_type=Integer(32, True), hidden=True),
        Field('end_points', 'list', False, '', 'EndPoints', None, TYPE_register_broker_record_2_8__broker_endpoint, None, None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 46, '/seq/7'), value_type=ListOf(Structure('register_broker_record_2_8::broker_endpoint'))),
        Field('features_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record_2_8.ksy', 51, '/seq/8'), value_type=Integer(32, True), hidden=True),
        Field('features', 'list', False, '', 'Features', None, TYPE_register_broker_record_2_8__broker_feature, None, None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 56, '/seq/9'), value_type=ListOf(Structure('register_broker_record_2_8::broker_feature'))),
        Field('rack_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record_2_8.ksy', 61, '/seq/10'), value_type=Integer(16, True), hidden=True),
        Field('rack', 'text', True, '', 'Rack', None, None, None, None, False, Mark('formats/messages/register_broker_record_2_8.ksy', 64, '/seq/11'), value_type=Text()),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='broker_id', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='incarnation_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadInteger(name='broker_epoch', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='end_points_count', kind=Integer(32, True), little_endian=False),
        Check(name='end_points_count', rule=Expression('>=', (Expression('name', (), ('end_points_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='end_points', element=ReadType(name='end_points', type=TYPE_register_broker_record_2_8__broker_endpoint), count=Expression('name', (), ('end_points_count',), Integer(32, True), 0, 2147483647)),
        ReadInteger(name='features_count', kind=Integer(32, True), little_endian=False),
        Check(name='features_count', rule=Expression('>=', (Expression('name', (), ('features_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='features', element=ReadType(name='features', type=TYPE_register_broker_record_2_8__broker_feature), count=Expression('name', (), ('features_count',), Integer(32, True), 0, 2147483647)),
        ReadInteger(name='rack_length', kind=Integer(16, True), little_endian=False),
        ReadBytes(name='rack', condition=Expression('>=', (Expression('name', (), ('rack_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), size=Expression('name', (), ('rack_length',), Integer(16, True), -32768, 32767), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=41,
    steps_count=32,
    is_root=True,
)
PROGRAM = Program('register_broker_record_2_8', TYPE_register_broker_record_2_8, {'register_broker_record_2_8::broker_endpoint': TYPE_register_broker_record_2_8__broker_endpoint, 'register_broker_record_2_8::broker_feature': TYPE_register_broker_record_2_8__broker_feature, 'register_broker_record_2_8': TYPE_register_broker_record_2_8}, {'register_broker_record_2_8::security_protocol': ENUM_register_broker_record_2_8__security_protocol})
