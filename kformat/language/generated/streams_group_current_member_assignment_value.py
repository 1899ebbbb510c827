"""The program of formats/streams_group_current_member_assignment_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Enum, Field, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, EnumType, Integer, ListOf, Structure, Text

MADE_FROM = {'streams_group_current_member_assignment_value': 1565820798, 'varint': 752136197, 'kafka_types': 3257342114}
ENUM_streams_group_current_member_assignment_value__member_state = Enum(
    name='streams_group_current_member_assignment_value::member_state',
    members={1: 'stable', 2: 'unrevoked_tasks', 3: 'unreleased_tasks', 127: 'unknown'},
    original_ids={},
    docs={},
)
TYPE_streams_group_current_member_assignment_value__task_ids_assignment_epochs_tag = TypeProgram(
    name='streams_group_current_member_assignment_value::task_ids_assignment_epochs_tag',
    digest='fbe597b2b461d97923670ba0ea2076fe5f284ff843ccc54f1b5e29a154e84e93',
    doc='',
    original_id='',
    fields=(
        Field('assignment_epochs_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 147, '/types/task_ids_assignment_epochs_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('assignment_epochs', 'list', True, '', 'AssignmentEpochs', None, None, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 150, '/types/task_ids_assignment_epochs_tag/seq/1'), value_type=ListOf(Integer(32, True))),
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
TYPE_streams_group_current_member_assignment_value__task_ids_tagged_field = TypeProgram(
    name='streams_group_current_member_assignment_value::task_ids_tagged_field',
    digest='fbe597b2b461d97923670ba0ea2076fe5f284ff843ccc54f1b5e29a154e84e93',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 134, '/types/task_ids_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 136, '/types/task_ids_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 139, '/types/task_ids_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_streams_group_current_member_assignment_value__task_ids_assignment_epochs_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=9,
)
TYPE_streams_group_current_member_assignment_value__task_ids_tagged_fields = TypeProgram(
    name='streams_group_current_member_assignment_value::task_ids_tagged_fields',
    digest='fbe597b2b461d97923670ba0ea2076fe5f284ff843ccc54f1b5e29a154e84e93',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 125, '/types/task_ids_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_streams_group_current_member_assignment_value__task_ids_tagged_field, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 128, '/types/task_ids_tagged_fields/seq/1'), value_type=ListOf(Structure('streams_group_current_member_assignment_value::task_ids_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_streams_group_current_member_assignment_value__task_ids_tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=12,
)
TYPE_streams_group_current_member_assignment_value__task_ids = TypeProgram(
    name='streams_group_current_member_assignment_value::task_ids',
    digest='fbe597b2b461d97923670ba0ea2076fe5f284ff843ccc54f1b5e29a154e84e93',
    doc='',
    original_id='TaskIds',
    fields=(
        Field('subtopology_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 101, '/types/task_ids/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('subtopology_id', 'text', False, '', 'SubtopologyId', None, None, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 106, '/types/task_ids/seq/1'), value_type=Text()),
        Field('partitions_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 110, '/types/task_ids/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, None, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 115, '/types/task_ids/seq/3'), value_type=ListOf(Integer(32, True))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_streams_group_current_member_assignment_value__task_ids_tagged_fields, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 120, '/types/task_ids/seq/4'), value_type=Structure('streams_group_current_member_assignment_value::task_ids_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='subtopology_id_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='subtopology_id_length', rule=Expression('>=', (Expression('name', (), ('subtopology_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='subtopology_id', size=Expression('-', (Expression('name', (), ('subtopology_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='partitions_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='partitions_count', rule=Expression('>=', (Expression('name', (), ('partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partitions', element=ReadInteger(name='partitions', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_streams_group_current_member_assignment_value__task_ids_tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=3,
    steps_count=20,
    tagged=(
        TaggedField(Field('assignment_epochs', 'list', True, '', 'AssignmentEpochs', None, None, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 150, '/types/task_ids_assignment_epochs_tag/seq/1'), value_type=ListOf(Integer(32, True))), 0, (), ('tagged_fields', 'fields'), 'tag', 'data', TYPE_streams_group_current_member_assignment_value__task_ids_assignment_epochs_tag),
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
TYPE_streams_group_current_member_assignment_value = TypeProgram(
    name='streams_group_current_member_assignment_value',
    digest='fbe597b2b461d97923670ba0ea2076fe5f284ff843ccc54f1b5e29a154e84e93',
    doc='Value of a record of `__consumer_offsets`: the tasks that the member has, and its epoch, in a streams group\n(KIP-1071).',
    original_id='StreamsGroupCurrentMemberAssignmentValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 18, '/seq/0'), value_type=Integer(16, True)),
        Field('member_epoch', 'integer', False, '', 'MemberEpoch', None, None, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 24, '/seq/1'), value_type=Integer(32, True)),
        Field('previous_member_epoch', 'integer', False, '', 'PreviousMemberEpoch', None, None, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 27, '/seq/2'), value_type=Integer(32, True)),
        Field('state', 'integer', False, '', 'State', ENUM_streams_group_current_member_assignment_value__member_state, None, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 30, '/seq/3'), value_type=EnumType('streams_group_current_member_assignment_value::member_state')),
        Field('active_tasks_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 34, '/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('active_tasks', 'list', False, '', 'ActiveTasks', None, TYPE_streams_group_current_member_assignment_value__task_ids, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 39, '/seq/5'), value_type=ListOf(Structure('streams_group_current_member_assignment_value::task_ids'))),
        Field('standby_tasks_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 44, '/seq/6'), value_type=Integer(32, False), hidden=True),
        Field('standby_tasks', 'list', False, '', 'StandbyTasks', None, TYPE_streams_group_current_member_assignment_value__task_ids, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 49, '/seq/7'), value_type=ListOf(Structure('streams_group_current_member_assignment_value::task_ids'))),
        Field('warmup_tasks_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 54, '/seq/8'), value_type=Integer(32, False), hidden=True),
        Field('warmup_tasks', 'list', False, '', 'WarmupTasks', None, TYPE_streams_group_current_member_assignment_value__task_ids, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 59, '/seq/9'), value_type=ListOf(Structure('streams_group_current_member_assignment_value::task_ids'))),
        Field('active_tasks_pending_revocation_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 64, '/seq/10'), value_type=Integer(32, False), hidden=True),
        Field('active_tasks_pending_revocation', 'list', False, '', 'ActiveTasksPendingRevocation', None, TYPE_streams_group_current_member_assignment_value__task_ids, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 69, '/seq/11'), value_type=ListOf(Structure('streams_group_current_member_assignment_value::task_ids'))),
        Field('standby_tasks_pending_revocation_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 74, '/seq/12'), value_type=Integer(32, False), hidden=True),
        Field('standby_tasks_pending_revocation', 'list', False, '', 'StandbyTasksPendingRevocation', None, TYPE_streams_group_current_member_assignment_value__task_ids, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 79, '/seq/13'), value_type=ListOf(Structure('streams_group_current_member_assignment_value::task_ids'))),
        Field('warmup_tasks_pending_revocation_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 84, '/seq/14'), value_type=Integer(32, False), hidden=True),
        Field('warmup_tasks_pending_revocation', 'list', False, '', 'WarmupTasksPendingRevocation', None, TYPE_streams_group_current_member_assignment_value__task_ids, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 89, '/seq/15'), value_type=ListOf(Structure('streams_group_current_member_assignment_value::task_ids'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/streams_group_current_member_assignment_value.ksy', 94, '/seq/16'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='member_epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='previous_member_epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='state', kind=Integer(8, True), little_endian=False, enum=ENUM_streams_group_current_member_assignment_value__member_state),
        ReadVarint(name='active_tasks_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='active_tasks_count', rule=Expression('>=', (Expression('name', (), ('active_tasks_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='active_tasks', element=ReadType(name='active_tasks', type=TYPE_streams_group_current_member_assignment_value__task_ids), count=Expression('-', (Expression('name', (), ('active_tasks_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='standby_tasks_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='standby_tasks_count', rule=Expression('>=', (Expression('name', (), ('standby_tasks_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='standby_tasks', element=ReadType(name='standby_tasks', type=TYPE_streams_group_current_member_assignment_value__task_ids), count=Expression('-', (Expression('name', (), ('standby_tasks_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='warmup_tasks_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='warmup_tasks_count', rule=Expression('>=', (Expression('name', (), ('warmup_tasks_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='warmup_tasks', element=ReadType(name='warmup_tasks', type=TYPE_streams_group_current_member_assignment_value__task_ids), count=Expression('-', (Expression('name', (), ('warmup_tasks_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='active_tasks_pending_revocation_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='active_tasks_pending_revocation_count', rule=Expression('>=', (Expression('name', (), ('active_tasks_pending_revocation_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='active_tasks_pending_revocation', element=ReadType(name='active_tasks_pending_revocation', type=TYPE_streams_group_current_member_assignment_value__task_ids), count=Expression('-', (Expression('name', (), ('active_tasks_pending_revocation_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='standby_tasks_pending_revocation_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='standby_tasks_pending_revocation_count', rule=Expression('>=', (Expression('name', (), ('standby_tasks_pending_revocation_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='standby_tasks_pending_revocation', element=ReadType(name='standby_tasks_pending_revocation', type=TYPE_streams_group_current_member_assignment_value__task_ids), count=Expression('-', (Expression('name', (), ('standby_tasks_pending_revocation_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='warmup_tasks_pending_revocation_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='warmup_tasks_pending_revocation_count', rule=Expression('>=', (Expression('name', (), ('warmup_tasks_pending_revocation_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='warmup_tasks_pending_revocation', element=ReadType(name='warmup_tasks_pending_revocation', type=TYPE_streams_group_current_member_assignment_value__task_ids), count=Expression('-', (Expression('name', (), ('warmup_tasks_pending_revocation_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=18,
    steps_count=157,
    is_root=True,
)
PROGRAM = Program('streams_group_current_member_assignment_value', TYPE_streams_group_current_member_assignment_value, {'streams_group_current_member_assignment_value::task_ids_assignment_epochs_tag': TYPE_streams_group_current_member_assignment_value__task_ids_assignment_epochs_tag, 'streams_group_current_member_assignment_value::task_ids_tagged_field': TYPE_streams_group_current_member_assignment_value__task_ids_tagged_field, 'streams_group_current_member_assignment_value::task_ids_tagged_fields': TYPE_streams_group_current_member_assignment_value__task_ids_tagged_fields, 'streams_group_current_member_assignment_value::task_ids': TYPE_streams_group_current_member_assignment_value__task_ids, 'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'streams_group_current_member_assignment_value': TYPE_streams_group_current_member_assignment_value}, {'streams_group_current_member_assignment_value::member_state': ENUM_streams_group_current_member_assignment_value__member_state})
