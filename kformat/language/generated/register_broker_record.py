"""The program of formats/register_broker_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Enum, Field, LogicalType, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, EnumType, Integer, ListOf, Structure, Text

MADE_FROM = {'register_broker_record': 309693180, 'varint': 752136197, 'kafka_types': 3257342114}
ENUM_register_broker_record__security_protocol = Enum(
    name='register_broker_record::security_protocol',
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
TYPE_register_broker_record__broker_endpoint = TypeProgram(
    name='register_broker_record::broker_endpoint',
    digest='97340261871abba00e94d1d0a1f5e4a16a575b2111d5991c03a2b9143e4e0f13',
    doc='',
    original_id='BrokerEndpoint',
    fields=(
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record.ksy', 94, '/types/broker_endpoint/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 99, '/types/broker_endpoint/seq/1'), value_type=Text()),
        Field('host_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record.ksy', 103, '/types/broker_endpoint/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('host', 'text', False, '', 'Host', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 108, '/types/broker_endpoint/seq/3'), value_type=Text()),
        Field('port', 'integer', False, '', 'Port', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 112, '/types/broker_endpoint/seq/4'), value_type=Integer(16, False)),
        Field('security_protocol', 'integer', False, '', 'SecurityProtocol', ENUM_register_broker_record__security_protocol, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 115, '/types/broker_endpoint/seq/5'), value_type=EnumType('register_broker_record::security_protocol')),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/register_broker_record.ksy', 119, '/types/broker_endpoint/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='name', size=Expression('-', (Expression('name', (), ('name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='host_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='host_length', rule=Expression('>=', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='host', size=Expression('-', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='port', kind=Integer(16, False), little_endian=False),
        ReadInteger(name='security_protocol', kind=Integer(16, True), little_endian=False, enum=ENUM_register_broker_record__security_protocol),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=7,
    steps_count=15,
)
TYPE_register_broker_record__broker_feature = TypeProgram(
    name='register_broker_record::broker_feature',
    digest='97340261871abba00e94d1d0a1f5e4a16a575b2111d5991c03a2b9143e4e0f13',
    doc='',
    original_id='BrokerFeature',
    fields=(
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record.ksy', 125, '/types/broker_feature/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 130, '/types/broker_feature/seq/1'), value_type=Text()),
        Field('min_supported_version', 'integer', False, '', 'MinSupportedVersion', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 134, '/types/broker_feature/seq/2'), value_type=Integer(16, True)),
        Field('max_supported_version', 'integer', False, '', 'MaxSupportedVersion', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 137, '/types/broker_feature/seq/3'), value_type=Integer(16, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/register_broker_record.ksy', 140, '/types/broker_feature/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
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
TYPE_register_broker_record__register_broker_record_log_dirs_tag = TypeProgram(
    name='register_broker_record::register_broker_record_log_dirs_tag',
    digest='97340261871abba00e94d1d0a1f5e4a16a575b2111d5991c03a2b9143e4e0f13',
    doc='',
    original_id='',
    fields=(
        Field('log_dirs_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record.ksy', 174, '/types/register_broker_record_log_dirs_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('log_dirs', 'list', False, '', 'LogDirs', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 179, '/types/register_broker_record_log_dirs_tag/seq/1'), value_type=ListOf(Bytes()), logical=LogicalType('uuid', base64=True)),
    ),
    steps=(
        ReadVarint(name='log_dirs_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='log_dirs_count', rule=Expression('>=', (Expression('name', (), ('log_dirs_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='log_dirs', element=ReadBytes(name='log_dirs', size=Expression('constant', (), 16, Integer(64, True), 16, 16)), count=Expression('-', (Expression('name', (), ('log_dirs_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=4,
)
TYPE_register_broker_record__register_broker_record_cordoned_log_dirs_tag = TypeProgram(
    name='register_broker_record::register_broker_record_cordoned_log_dirs_tag',
    digest='97340261871abba00e94d1d0a1f5e4a16a575b2111d5991c03a2b9143e4e0f13',
    doc='',
    original_id='',
    fields=(
        Field('cordoned_log_dirs_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record.ksy', 188, '/types/register_broker_record_cordoned_log_dirs_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('cordoned_log_dirs', 'list', True, '', 'CordonedLogDirs', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 191, '/types/register_broker_record_cordoned_log_dirs_tag/seq/1'), value_type=ListOf(Bytes()), logical=LogicalType('uuid', base64=True)),
    ),
    steps=(
        ReadVarint(name='cordoned_log_dirs_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='cordoned_log_dirs', condition=Expression('>=', (Expression('name', (), ('cordoned_log_dirs_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadBytes(name='cordoned_log_dirs', size=Expression('constant', (), 16, Integer(64, True), 16, 16)), count=Expression('-', (Expression('name', (), ('cordoned_log_dirs_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=3,
)
TYPE_register_broker_record__register_broker_record_tagged_field = TypeProgram(
    name='register_broker_record::register_broker_record_tagged_field',
    digest='97340261871abba00e94d1d0a1f5e4a16a575b2111d5991c03a2b9143e4e0f13',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 160, '/types/register_broker_record_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record.ksy', 162, '/types/register_broker_record_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 165, '/types/register_broker_record_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('if', (Expression('or', (Expression('and', (Expression('==', (Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('and', (Expression('==', (Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('constant', (), -1, Integer(64, True), -1, -1), Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295)), None, Integer(64, True), -1, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_register_broker_record__register_broker_record_log_dirs_tag),)),)), Case(Expression('constant', (), 1, Integer(64, True), 1, 1), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_register_broker_record__register_broker_record_cordoned_log_dirs_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=15,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_register_broker_record__register_broker_record_tagged_fields = TypeProgram(
    name='register_broker_record::register_broker_record_tagged_fields',
    digest='97340261871abba00e94d1d0a1f5e4a16a575b2111d5991c03a2b9143e4e0f13',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record.ksy', 148, '/types/register_broker_record_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_register_broker_record__register_broker_record_tagged_field, None, None, False, Mark('formats/messages/register_broker_record.ksy', 151, '/types/register_broker_record_tagged_fields/seq/1'), value_type=ListOf(Structure('register_broker_record::register_broker_record_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_register_broker_record__register_broker_record_tagged_field, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=18,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_register_broker_record = TypeProgram(
    name='register_broker_record',
    digest='97340261871abba00e94d1d0a1f5e4a16a575b2111d5991c03a2b9143e4e0f13',
    doc="Metadata: a broker with its listeners, features and directories; its epoch is the record's offset.",
    original_id='RegisterBrokerRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/register_broker_record.ksy', 17, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/register_broker_record.ksy', 22, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 4, Integer(64, True), 4, 4), None, False, Mark('formats/messages/register_broker_record.ksy', 27, '/seq/2'), value_type=Integer(32, False)),
        Field('broker_id', 'integer', False, '', 'BrokerId', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 32, '/seq/3'), value_type=Integer(32, True)),
        Field('is_migrating_zk_broker', 'integer', True, '', 'IsMigratingZkBroker', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/register_broker_record.ksy', 35, '/seq/4'), value_type=Integer(8, True), logical=LogicalType('bool')),
        Field('incarnation_id', 'bytes', False, '', 'IncarnationId', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 41, '/seq/5'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('broker_epoch', 'integer', False, '', 'BrokerEpoch', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 45, '/seq/6'), value_type=Integer(64, True)),
        Field('end_points_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record.ksy', 48, '/seq/7'), value_type=Integer(32, False), hidden=True),
        Field('end_points', 'list', False, '', 'EndPoints', None, TYPE_register_broker_record__broker_endpoint, None, None, False, Mark('formats/messages/register_broker_record.ksy', 53, '/seq/8'), value_type=ListOf(Structure('register_broker_record::broker_endpoint'))),
        Field('features_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record.ksy', 58, '/seq/9'), value_type=Integer(32, False), hidden=True),
        Field('features', 'list', False, '', 'Features', None, TYPE_register_broker_record__broker_feature, None, None, False, Mark('formats/messages/register_broker_record.ksy', 63, '/seq/10'), value_type=ListOf(Structure('register_broker_record::broker_feature'))),
        Field('rack_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/register_broker_record.ksy', 68, '/seq/11'), value_type=Integer(32, False), hidden=True),
        Field('rack', 'text', True, '', 'Rack', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 71, '/seq/12'), value_type=Text()),
        Field('fenced', 'integer', False, '', 'Fenced', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/register_broker_record.ksy', 76, '/seq/13'), value_type=Integer(8, True), logical=LogicalType('bool')),
        Field('in_controlled_shutdown', 'integer', True, '', 'InControlledShutdown', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/register_broker_record.ksy', 81, '/seq/14'), value_type=Integer(8, True), logical=LogicalType('bool')),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_register_broker_record__register_broker_record_tagged_fields, None, None, False, Mark('formats/messages/register_broker_record.ksy', 87, '/seq/15'), value_type=Structure('register_broker_record::register_broker_record_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), expected='<= 4'),
        ReadInteger(name='broker_id', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='is_migrating_zk_broker', condition=Expression('>=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1), kind=Integer(8, True), little_endian=False),
        ReadBytes(name='incarnation_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadInteger(name='broker_epoch', kind=Integer(64, True), little_endian=False),
        ReadVarint(name='end_points_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='end_points_count', rule=Expression('>=', (Expression('name', (), ('end_points_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='end_points', element=ReadType(name='end_points', type=TYPE_register_broker_record__broker_endpoint), count=Expression('-', (Expression('name', (), ('end_points_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='features_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='features_count', rule=Expression('>=', (Expression('name', (), ('features_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='features', element=ReadType(name='features', type=TYPE_register_broker_record__broker_feature), count=Expression('-', (Expression('name', (), ('features_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='rack_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadBytes(name='rack', condition=Expression('>=', (Expression('name', (), ('rack_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), size=Expression('-', (Expression('name', (), ('rack_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='fenced', kind=Integer(8, True), little_endian=False),
        ReadInteger(name='in_controlled_shutdown', condition=Expression('>=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(8, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_register_broker_record__register_broker_record_tagged_fields, arguments=(('version', Expression('name', (), ('version',), Integer(32, False), 0, 4294967295)),)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=36,
    steps_count=68,
    is_root=True,
    tagged=(
        TaggedField(Field('log_dirs', 'list', False, '', 'LogDirs', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 179, '/types/register_broker_record_log_dirs_tag/seq/1'), value_type=ListOf(Bytes()), logical=LogicalType('uuid', base64=True)), 0, (), ('tagged_fields', 'fields'), 'tag', 'data', TYPE_register_broker_record__register_broker_record_log_dirs_tag),
        TaggedField(Field('cordoned_log_dirs', 'list', True, '', 'CordonedLogDirs', None, None, None, None, False, Mark('formats/messages/register_broker_record.ksy', 191, '/types/register_broker_record_cordoned_log_dirs_tag/seq/1'), value_type=ListOf(Bytes()), logical=LogicalType('uuid', base64=True)), 1, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_register_broker_record__register_broker_record_cordoned_log_dirs_tag),
    ),
)
PROGRAM = Program('register_broker_record', TYPE_register_broker_record, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'register_broker_record::broker_endpoint': TYPE_register_broker_record__broker_endpoint, 'register_broker_record::broker_feature': TYPE_register_broker_record__broker_feature, 'register_broker_record::register_broker_record_log_dirs_tag': TYPE_register_broker_record__register_broker_record_log_dirs_tag, 'register_broker_record::register_broker_record_cordoned_log_dirs_tag': TYPE_register_broker_record__register_broker_record_cordoned_log_dirs_tag, 'register_broker_record::register_broker_record_tagged_field': TYPE_register_broker_record__register_broker_record_tagged_field, 'register_broker_record::register_broker_record_tagged_fields': TYPE_register_broker_record__register_broker_record_tagged_fields, 'register_broker_record': TYPE_register_broker_record}, {'register_broker_record::security_protocol': ENUM_register_broker_record__security_protocol})
