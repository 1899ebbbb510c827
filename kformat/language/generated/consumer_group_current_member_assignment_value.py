"""The program of formats/consumer_group_current_member_assignment_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Enum, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, EnumType, Integer, ListOf, Structure

MADE_FROM = {'consumer_group_current_member_assignment_value': 1516289536, 'varint': 752136197, 'kafka_types': 3257342114}
ENUM_consumer_group_current_member_assignment_value__member_state = Enum(
    name='consumer_group_current_member_assignment_value::member_state',
    members={0: 'stable', 1: 'unrevoked_partitions', 2: 'unreleased_partitions', 127: 'unknown'},
    original_ids={},
    docs={},
)
TYPE_consumer_group_current_member_assignment_value__topic_partitions_assignment_epochs_tag = TypeProgram(
    name='consumer_group_current_member_assignment_value::topic_partitions_assignment_epochs_tag',
    digest='56da22a465e93d72de26fb2d528db49e0f0e918e40c63bb05c0331d3c647ca8c',
    doc='',
    original_id='',
    fields=(
        Field('assignment_epochs_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 102, '/types/topic_partitions_assignment_epochs_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('assignment_epochs', 'list', True, '', 'AssignmentEpochs', None, None, None, None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 105, '/types/topic_partitions_assignment_epochs_tag/seq/1'), value_type=ListOf(Integer(32, True))),
    ),
    steps=(
        ReadVarint(name='assignment_epochs_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='assignment_epochs', condition=Expression('>=', (Expression('name', (), ('assignment_epochs_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadInteger(name='assignment_epochs', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('assignment_epochs_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=3,
)
TYPE_consumer_group_current_member_assignment_value__topic_partitions_tagged_field = TypeProgram(
    name='consumer_group_current_member_assignment_value::topic_partitions_tagged_field',
    digest='56da22a465e93d72de26fb2d528db49e0f0e918e40c63bb05c0331d3c647ca8c',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 89, '/types/topic_partitions_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 91, '/types/topic_partitions_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 94, '/types/topic_partitions_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_consumer_group_current_member_assignment_value__topic_partitions_assignment_epochs_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=9,
)
TYPE_consumer_group_current_member_assignment_value__topic_partitions_tagged_fields = TypeProgram(
    name='consumer_group_current_member_assignment_value::topic_partitions_tagged_fields',
    digest='56da22a465e93d72de26fb2d528db49e0f0e918e40c63bb05c0331d3c647ca8c',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 80, '/types/topic_partitions_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_consumer_group_current_member_assignment_value__topic_partitions_tagged_field, None, None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 83, '/types/topic_partitions_tagged_fields/seq/1'), value_type=ListOf(Structure('consumer_group_current_member_assignment_value::topic_partitions_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_consumer_group_current_member_assignment_value__topic_partitions_tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=12,
)
TYPE_consumer_group_current_member_assignment_value__topic_partitions = TypeProgram(
    name='consumer_group_current_member_assignment_value::topic_partitions',
    digest='56da22a465e93d72de26fb2d528db49e0f0e918e40c63bb05c0331d3c647ca8c',
    doc='',
    original_id='TopicPartitions',
    fields=(
        Field('topic_id', 'bytes', False, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 61, '/types/topic_partitions/seq/0'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('partitions_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 65, '/types/topic_partitions/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, None, None, None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 70, '/types/topic_partitions/seq/2'), value_type=ListOf(Integer(32, True))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_consumer_group_current_member_assignment_value__topic_partitions_tagged_fields, None, None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 75, '/types/topic_partitions/seq/3'), value_type=Structure('consumer_group_current_member_assignment_value::topic_partitions_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadBytes(name='topic_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadVarint(name='partitions_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='partitions_count', rule=Expression('>=', (Expression('name', (), ('partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partitions', element=ReadInteger(name='partitions', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_consumer_group_current_member_assignment_value__topic_partitions_tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=18,
    steps_count=18,
    tagged=(
        TaggedField(Field('assignment_epochs', 'list', True, '', 'AssignmentEpochs', None, None, None, None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 105, '/types/topic_partitions_assignment_epochs_tag/seq/1'), value_type=ListOf(Integer(32, True))), 0, (), ('tagged_fields', 'fields'), 'tag', 'data', TYPE_consumer_group_current_member_assignment_value__topic_partitions_assignment_epochs_tag, since='4.3.1'),
    ),
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
TYPE_consumer_group_current_member_assignment_value = TypeProgram(
    name='consumer_group_current_member_assignment_value',
    digest='56da22a465e93d72de26fb2d528db49e0f0e918e40c63bb05c0331d3c647ca8c',
    doc='Value of a record of `__consumer_offsets`: the partitions that the member has, and its epoch, in a group of the\nconsumer protocol (KIP-848).',
    original_id='ConsumerGroupCurrentMemberAssignmentValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 18, '/seq/0'), value_type=Integer(16, True)),
        Field('member_epoch', 'integer', False, '', 'MemberEpoch', None, None, None, None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 24, '/seq/1'), value_type=Integer(32, True)),
        Field('previous_member_epoch', 'integer', False, '', 'PreviousMemberEpoch', None, None, None, None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 27, '/seq/2'), value_type=Integer(32, True)),
        Field('state', 'integer', False, '', 'State', ENUM_consumer_group_current_member_assignment_value__member_state, None, None, None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 30, '/seq/3'), value_type=EnumType('consumer_group_current_member_assignment_value::member_state')),
        Field('assigned_partitions_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 34, '/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('assigned_partitions', 'list', False, '', 'AssignedPartitions', None, TYPE_consumer_group_current_member_assignment_value__topic_partitions, None, None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 39, '/seq/5'), value_type=ListOf(Structure('consumer_group_current_member_assignment_value::topic_partitions'))),
        Field('partitions_pending_revocation_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 44, '/seq/6'), value_type=Integer(32, False), hidden=True),
        Field('partitions_pending_revocation', 'list', False, '', 'PartitionsPendingRevocation', None, TYPE_consumer_group_current_member_assignment_value__topic_partitions, None, None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 49, '/seq/7'), value_type=ListOf(Structure('consumer_group_current_member_assignment_value::topic_partitions'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/consumer_group_current_member_assignment_value.ksy', 54, '/seq/8'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='member_epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='previous_member_epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='state', kind=Integer(8, True), little_endian=False, enum=ENUM_consumer_group_current_member_assignment_value__member_state),
        ReadVarint(name='assigned_partitions_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='assigned_partitions_count', rule=Expression('>=', (Expression('name', (), ('assigned_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='assigned_partitions', element=ReadType(name='assigned_partitions', type=TYPE_consumer_group_current_member_assignment_value__topic_partitions), count=Expression('-', (Expression('name', (), ('assigned_partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='partitions_pending_revocation_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='partitions_pending_revocation_count', rule=Expression('>=', (Expression('name', (), ('partitions_pending_revocation_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partitions_pending_revocation', element=ReadType(name='partitions_pending_revocation', type=TYPE_consumer_group_current_member_assignment_value__topic_partitions), count=Expression('-', (Expression('name', (), ('partitions_pending_revocation_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=14,
    steps_count=57,
    is_root=True,
)
PROGRAM = Program('consumer_group_current_member_assignment_value', TYPE_consumer_group_current_member_assignment_value, {'consumer_group_current_member_assignment_value::topic_partitions_assignment_epochs_tag': TYPE_consumer_group_current_member_assignment_value__topic_partitions_assignment_epochs_tag, 'consumer_group_current_member_assignment_value::topic_partitions_tagged_field': TYPE_consumer_group_current_member_assignment_value__topic_partitions_tagged_field, 'consumer_group_current_member_assignment_value::topic_partitions_tagged_fields': TYPE_consumer_group_current_member_assignment_value__topic_partitions_tagged_fields, 'consumer_group_current_member_assignment_value::topic_partitions': TYPE_consumer_group_current_member_assignment_value__topic_partitions, 'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'consumer_group_current_member_assignment_value': TYPE_consumer_group_current_member_assignment_value}, {'consumer_group_current_member_assignment_value::member_state': ENUM_consumer_group_current_member_assignment_value__member_state})
