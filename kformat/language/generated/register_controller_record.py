"""The program of formats/register_controller_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Enum, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, EnumType, Integer, ListOf, Structure, Text

MADE_FROM = {'register_controller_record': 2659834413, 'varint': 752136197, 'kafka_types': 3257342114}
ENUM_register_controller_record__security_protocol = Enum(
    name='register_controller_record::security_protocol',
    members={0: 'plaintext', 1: 'ssl', 2: 'sasl_plaintext', 3: 'sasl_ssl'},
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
TYPE_register_controller_record__controller_endpoint = TypeProgram(
    name='register_controller_record::controller_endpoint',
    digest='e9e87a96bb53bba634ca1260d73b7f1e2b4f859d07944bbc3b74e67acbb603c1',
    doc='',
    original_id='ControllerEndpoint',
    fields=(
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_controller_record.ksy', 70, '/types/controller_endpoint/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/register_controller_record.ksy', 75, '/types/controller_endpoint/seq/1'), value_type=Text()),
        Field('host_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_controller_record.ksy', 79, '/types/controller_endpoint/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('host', 'text', False, '', 'Host', None, None, None, None, False, Mark('formats/messages/register_controller_record.ksy', 84, '/types/controller_endpoint/seq/3'), value_type=Text()),
        Field('port', 'integer', False, '', 'Port', None, None, None, None, False, Mark('formats/messages/register_controller_record.ksy', 88, '/types/controller_endpoint/seq/4'), value_type=Integer(16, False)),
        Field('security_protocol', 'integer', False, '', 'SecurityProtocol', ENUM_register_controller_record__security_protocol, None, None, None, False, Mark('formats/messages/register_controller_record.ksy', 91, '/types/controller_endpoint/seq/5'), value_type=EnumType('register_controller_record::security_protocol')),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/register_controller_record.ksy', 95, '/types/controller_endpoint/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='name', size=Expression('-', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='host_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='host_length', rule=Expression('>=', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='host', size=Expression('-', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='port', kind=Integer(16, False), little_endian=False),
        ReadInteger(name='security_protocol', kind=Integer(16, True), little_endian=False, enum=ENUM_register_controller_record__security_protocol),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=7,
    steps_count=15,
)
TYPE_register_controller_record__controller_feature = TypeProgram(
    name='register_controller_record::controller_feature',
    digest='e9e87a96bb53bba634ca1260d73b7f1e2b4f859d07944bbc3b74e67acbb603c1',
    doc='',
    original_id='ControllerFeature',
    fields=(
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_controller_record.ksy', 101, '/types/controller_feature/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/register_controller_record.ksy', 106, '/types/controller_feature/seq/1'), value_type=Text()),
        Field('min_supported_version', 'integer', False, '', 'MinSupportedVersion', None, None, None, None, False, Mark('formats/messages/register_controller_record.ksy', 110, '/types/controller_feature/seq/2'), value_type=Integer(16, True)),
        Field('max_supported_version', 'integer', False, '', 'MaxSupportedVersion', None, None, None, None, False, Mark('formats/messages/register_controller_record.ksy', 113, '/types/controller_feature/seq/3'), value_type=Integer(16, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/register_controller_record.ksy', 116, '/types/controller_feature/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='name', size=Expression('-', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='min_supported_version', kind=Integer(16, True), little_endian=False),
        ReadInteger(name='max_supported_version', kind=Integer(16, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=12,
)
TYPE_register_controller_record = TypeProgram(
    name='register_controller_record',
    digest='e9e87a96bb53bba634ca1260d73b7f1e2b4f859d07944bbc3b74e67acbb603c1',
    doc='Metadata: a controller with its listeners and features.',
    original_id='RegisterControllerRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/register_controller_record.ksy', 17, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 27, Integer(64, True), 27, 27), None, False, Mark('formats/messages/register_controller_record.ksy', 22, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/register_controller_record.ksy', 27, '/seq/2'), value_type=Integer(32, False)),
        Field('controller_id', 'integer', False, '', 'ControllerId', None, None, None, None, False, Mark('formats/messages/register_controller_record.ksy', 32, '/seq/3'), value_type=Integer(32, True)),
        Field('incarnation_id', 'bytes', False, '', 'IncarnationId', None, None, None, None, False, Mark('formats/messages/register_controller_record.ksy', 35, '/seq/4'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('zk_migration_ready', 'integer', False, '', 'ZkMigrationReady', None, None, None, None, False, Mark('formats/messages/register_controller_record.ksy', 39, '/seq/5'), value_type=Integer(8, True), logical=LogicalType('bool')),
        Field('end_points_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_controller_record.ksy', 43, '/seq/6'), value_type=Integer(32, False), hidden=True),
        Field('end_points', 'list', False, '', 'EndPoints', None, TYPE_register_controller_record__controller_endpoint, None, None, False, Mark('formats/messages/register_controller_record.ksy', 48, '/seq/7'), value_type=ListOf(Structure('register_controller_record::controller_endpoint'))),
        Field('features_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_controller_record.ksy', 53, '/seq/8'), value_type=Integer(32, False), hidden=True),
        Field('features', 'list', False, '', 'Features', None, TYPE_register_controller_record__controller_feature, None, None, False, Mark('formats/messages/register_controller_record.ksy', 58, '/seq/9'), value_type=ListOf(Structure('register_controller_record::controller_feature'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/register_controller_record.ksy', 63, '/seq/10'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 27, Integer(64, True), 27, 27)), None, Boolean(), 0, 1), expected='27'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='controller_id', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='incarnation_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadInteger(name='zk_migration_ready', kind=Integer(8, True), little_endian=False),
        ReadVarint(name='end_points_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='end_points_count', rule=Expression('>=', (Expression('name', (), ('end_points_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='end_points', element=ReadType(name='end_points', type=TYPE_register_controller_record__controller_endpoint), count=Expression('-', (Expression('name', (), ('end_points_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='features_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='features_count', rule=Expression('>=', (Expression('name', (), ('features_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='features', element=ReadType(name='features', type=TYPE_register_controller_record__controller_feature), count=Expression('-', (Expression('name', (), ('features_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=27,
    steps_count=51,
    is_root=True,
)
PROGRAM = Program('register_controller_record', TYPE_register_controller_record, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'register_controller_record::controller_endpoint': TYPE_register_controller_record__controller_endpoint, 'register_controller_record::controller_feature': TYPE_register_controller_record__controller_feature, 'register_controller_record': TYPE_register_controller_record}, {'register_controller_record::security_protocol': ENUM_register_controller_record__security_protocol})
