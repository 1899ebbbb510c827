"""The program of formats/share_group_current_member_assignment_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Enum, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, EnumType, Integer, ListOf, Structure

MADE_FROM = {'share_group_current_member_assignment_value': 291651195, 'varint': 752136197, 'kafka_types': 3257342114}
ENUM_share_group_current_member_assignment_value__member_state = Enum(
    name='share_group_current_member_assignment_value::member_state',
    members={0: 'stable', 1: 'unrevoked_partitions', 2: 'unreleased_partitions', 127: 'unknown'},
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
TYPE_share_group_current_member_assignment_value__topic_partitions = TypeProgram(
    name='share_group_current_member_assignment_value::topic_partitions',
    digest='43bf6474b17165c1c7899c2c6175105ba58dcd1f8c8ebe30c0ccffa040bf6e8f',
    doc='',
    original_id='TopicPartitions',
    fields=(
        Field('topic_id', 'bytes', False, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/share_group_current_member_assignment_value.ksy', 51, '/types/topic_partitions/seq/0'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('partitions_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_group_current_member_assignment_value.ksy', 55, '/types/topic_partitions/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, None, None, None, False, Mark('formats/messages/share_group_current_member_assignment_value.ksy', 60, '/types/topic_partitions/seq/2'), value_type=ListOf(Integer(32, True))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/share_group_current_member_assignment_value.ksy', 65, '/types/topic_partitions/seq/3'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadBytes(name='topic_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadVarint(name='partitions_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='partitions_count', rule=Expression('>=', (Expression('name', (), ('partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partitions', element=ReadInteger(name='partitions', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=18,
    steps_count=12,
)
TYPE_share_group_current_member_assignment_value = TypeProgram(
    name='share_group_current_member_assignment_value',
    digest='43bf6474b17165c1c7899c2c6175105ba58dcd1f8c8ebe30c0ccffa040bf6e8f',
    doc='Value of a record of `__consumer_offsets`: the partitions that the member has, and its epoch, in a share group\n(KIP-932).',
    original_id='ShareGroupCurrentMemberAssignmentValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/share_group_current_member_assignment_value.ksy', 18, '/seq/0'), value_type=Integer(16, True)),
        Field('member_epoch', 'integer', False, '', 'MemberEpoch', None, None, None, None, False, Mark('formats/messages/share_group_current_member_assignment_value.ksy', 24, '/seq/1'), value_type=Integer(32, True)),
        Field('previous_member_epoch', 'integer', False, '', 'PreviousMemberEpoch', None, None, None, None, False, Mark('formats/messages/share_group_current_member_assignment_value.ksy', 27, '/seq/2'), value_type=Integer(32, True)),
        Field('state', 'integer', False, '', 'State', ENUM_share_group_current_member_assignment_value__member_state, None, None, None, False, Mark('formats/messages/share_group_current_member_assignment_value.ksy', 30, '/seq/3'), value_type=EnumType('share_group_current_member_assignment_value::member_state')),
        Field('assigned_partitions_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_group_current_member_assignment_value.ksy', 34, '/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('assigned_partitions', 'list', False, '', 'AssignedPartitions', None, TYPE_share_group_current_member_assignment_value__topic_partitions, None, None, False, Mark('formats/messages/share_group_current_member_assignment_value.ksy', 39, '/seq/5'), value_type=ListOf(Structure('share_group_current_member_assignment_value::topic_partitions'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/share_group_current_member_assignment_value.ksy', 44, '/seq/6'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='member_epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='previous_member_epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='state', kind=Integer(8, True), little_endian=False, enum=ENUM_share_group_current_member_assignment_value__member_state),
        ReadVarint(name='assigned_partitions_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='assigned_partitions_count', rule=Expression('>=', (Expression('name', (), ('assigned_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='assigned_partitions', element=ReadType(name='assigned_partitions', type=TYPE_share_group_current_member_assignment_value__topic_partitions), count=Expression('-', (Expression('name', (), ('assigned_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=13,
    steps_count=29,
    is_root=True,
)
PROGRAM = Program('share_group_current_member_assignment_value', TYPE_share_group_current_member_assignment_value, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'share_group_current_member_assignment_value::topic_partitions': TYPE_share_group_current_member_assignment_value__topic_partitions, 'share_group_current_member_assignment_value': TYPE_share_group_current_member_assignment_value}, {'share_group_current_member_assignment_value::member_state': ENUM_share_group_current_member_assignment_value__member_state})
