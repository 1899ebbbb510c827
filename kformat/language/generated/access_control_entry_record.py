"""The program of formats/access_control_entry_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Enum, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, EnumType, Integer, ListOf, Structure, Text

MADE_FROM = {'access_control_entry_record': 2129046361, 'varint': 752136197, 'kafka_types': 3257342114}
ENUM_access_control_entry_record__resource_type = Enum(
    name='access_control_entry_record::resource_type',
    members={0: 'unknown', 1: 'any', 2: 'topic', 3: 'group', 4: 'cluster', 5: 'transactional_id', 6: 'delegation_token', 7: 'user'},
    original_ids={},
    docs={},
)
ENUM_access_control_entry_record__pattern_type = Enum(
    name='access_control_entry_record::pattern_type',
    members={0: 'unknown', 1: 'any', 2: 'match', 3: 'literal', 4: 'prefixed'},
    original_ids={},
    docs={},
)
ENUM_access_control_entry_record__acl_operation = Enum(
    name='access_control_entry_record::acl_operation',
    members={0: 'unknown', 1: 'any', 2: 'all', 3: 'read', 4: 'write', 5: 'create', 6: 'delete', 7: 'alter', 8: 'describe', 9: 'cluster_action', 10: 'describe_configs', 11: 'alter_configs', 12: 'idempotent_write', 13: 'create_tokens', 14: 'describe_tokens', 15: 'two_phase_commit'},
    original_ids={},
    docs={},
)
ENUM_access_control_entry_record__acl_permission_type = Enum(
    name='access_control_entry_record::acl_permission_type',
    members={0: 'unknown', 1: 'any', 2: 'deny', 3: 'allow'},
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
TYPE_access_control_entry_record = TypeProgram(
    name='access_control_entry_record',
    digest='02e0ff4bbdcb2fa79bf6d8ce358c8144763f5f97518eff8184f3e0d7dc7f5564',
    doc='Metadata: an ACL.',
    original_id='AccessControlEntryRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/access_control_entry_record.ksy', 17, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 18, Integer(64, True), 18, 18), None, False, Mark('formats/messages/access_control_entry_record.ksy', 22, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/access_control_entry_record.ksy', 27, '/seq/2'), value_type=Integer(32, False)),
        Field('id', 'bytes', False, '', 'Id', None, None, None, None, False, Mark('formats/messages/access_control_entry_record.ksy', 32, '/seq/3'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('resource_type', 'integer', False, '', 'ResourceType', ENUM_access_control_entry_record__resource_type, None, None, None, False, Mark('formats/messages/access_control_entry_record.ksy', 36, '/seq/4'), value_type=EnumType('access_control_entry_record::resource_type')),
        Field('resource_name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/access_control_entry_record.ksy', 40, '/seq/5'), value_type=Integer(32, False), hidden=True),
        Field('resource_name', 'text', False, '', 'ResourceName', None, None, None, None, False, Mark('formats/messages/access_control_entry_record.ksy', 45, '/seq/6'), value_type=Text()),
        Field('pattern_type', 'integer', False, '', 'PatternType', ENUM_access_control_entry_record__pattern_type, None, None, None, False, Mark('formats/messages/access_control_entry_record.ksy', 49, '/seq/7'), value_type=EnumType('access_control_entry_record::pattern_type')),
        Field('principal_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/access_control_entry_record.ksy', 53, '/seq/8'), value_type=Integer(32, False), hidden=True),
        Field('principal', 'text', False, '', 'Principal', None, None, None, None, False, Mark('formats/messages/access_control_entry_record.ksy', 58, '/seq/9'), value_type=Text()),
        Field('host_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/access_control_entry_record.ksy', 62, '/seq/10'), value_type=Integer(32, False), hidden=True),
        Field('host', 'text', False, '', 'Host', None, None, None, None, False, Mark('formats/messages/access_control_entry_record.ksy', 67, '/seq/11'), value_type=Text()),
        Field('operation', 'integer', False, '', 'Operation', ENUM_access_control_entry_record__acl_operation, None, None, None, False, Mark('formats/messages/access_control_entry_record.ksy', 71, '/seq/12'), value_type=EnumType('access_control_entry_record::acl_operation')),
        Field('permission_type', 'integer', False, '', 'PermissionType', ENUM_access_control_entry_record__acl_permission_type, None, None, None, False, Mark('formats/messages/access_control_entry_record.ksy', 75, '/seq/13'), value_type=EnumType('access_control_entry_record::acl_permission_type')),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/access_control_entry_record.ksy', 79, '/seq/14'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 18, Integer(64, True), 18, 18)), None, Boolean(), 0, 1), expected='18'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadBytes(name='id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadInteger(name='resource_type', kind=Integer(8, True), little_endian=False, enum=ENUM_access_control_entry_record__resource_type),
        ReadVarint(name='resource_name_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='resource_name_length', rule=Expression('>=', (Expression('name', (), ('resource_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='resource_name', size=Expression('-', (Expression('name', (), ('resource_name_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='pattern_type', kind=Integer(8, True), little_endian=False, enum=ENUM_access_control_entry_record__pattern_type),
        ReadVarint(name='principal_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='principal_length', rule=Expression('>=', (Expression('name', (), ('principal_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='principal', size=Expression('-', (Expression('name', (), ('principal_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='host_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='host_length', rule=Expression('>=', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='host', size=Expression('-', (Expression('name', (), ('host_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadInteger(name='operation', kind=Integer(8, True), little_endian=False, enum=ENUM_access_control_entry_record__acl_operation),
        ReadInteger(name='permission_type', kind=Integer(8, True), little_endian=False, enum=ENUM_access_control_entry_record__acl_permission_type),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=27,
    steps_count=27,
    is_root=True,
)
PROGRAM = Program('access_control_entry_record', TYPE_access_control_entry_record, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'access_control_entry_record': TYPE_access_control_entry_record}, {'access_control_entry_record::resource_type': ENUM_access_control_entry_record__resource_type, 'access_control_entry_record::pattern_type': ENUM_access_control_entry_record__pattern_type, 'access_control_entry_record::acl_operation': ENUM_access_control_entry_record__acl_operation, 'access_control_entry_record::acl_permission_type': ENUM_access_control_entry_record__acl_permission_type})
