"""The program of formats/streams_group_target_assignment_member_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, ReadList, ReadType, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'streams_group_target_assignment_member_value': 2211998406, 'varint': 752136197, 'kafka_types': 3257342114}
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
TYPE_streams_group_target_assignment_member_value__task_ids = TypeProgram(
    name='streams_group_target_assignment_member_value::task_ids',
    digest='718df7f631f3b4dc4a99d95519d03c9b1faba9bbb0a21d56073cf8c394c8735e',
    doc='',
    original_id='TaskIds',
    fields=(
        Field('subtopology_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_target_assignment_member_value.ksy', 60, '/types/task_ids/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('subtopology_id', 'text', False, '', 'SubtopologyId', None, None, None, None, False, Mark('formats/messages/streams_group_target_assignment_member_value.ksy', 65, '/types/task_ids/seq/1'), value_type=Text()),
        Field('partitions_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_target_assignment_member_value.ksy', 69, '/types/task_ids/seq/2'), value_type=Integer(32, False), hidden=True),
        Field('partitions', 'list', False, '', 'Partitions', None, None, None, None, False, Mark('formats/messages/streams_group_target_assignment_member_value.ksy', 74, '/types/task_ids/seq/3'), value_type=ListOf(Integer(32, True))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/streams_group_target_assignment_member_value.ksy', 79, '/types/task_ids/seq/4'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='subtopology_id_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='subtopology_id_length', rule=Expression('>=', (Expression('name', (), ('subtopology_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='subtopology_id', size=Expression('-', (Expression('name', (), ('subtopology_id_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), encoding='UTF-8'),
        ReadVarint(name='partitions_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='partitions_count', rule=Expression('>=', (Expression('name', (), ('partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='partitions', element=ReadInteger(name='partitions', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('partitions_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=3,
    steps_count=14,
)
TYPE_streams_group_target_assignment_member_value = TypeProgram(
    name='streams_group_target_assignment_member_value',
    digest='718df7f631f3b4dc4a99d95519d03c9b1faba9bbb0a21d56073cf8c394c8735e',
    doc='Value of a record of `__consumer_offsets`: the tasks that the member is to have, in a streams group (KIP-1071).',
    original_id='StreamsGroupTargetAssignmentMemberValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/streams_group_target_assignment_member_value.ksy', 17, '/seq/0'), value_type=Integer(16, True)),
        Field('active_tasks_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_target_assignment_member_value.ksy', 23, '/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('active_tasks', 'list', False, '', 'ActiveTasks', None, TYPE_streams_group_target_assignment_member_value__task_ids, None, None, False, Mark('formats/messages/streams_group_target_assignment_member_value.ksy', 28, '/seq/2'), value_type=ListOf(Structure('streams_group_target_assignment_member_value::task_ids'))),
        Field('standby_tasks_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_target_assignment_member_value.ksy', 33, '/seq/3'), value_type=Integer(32, False), hidden=True),
        Field('standby_tasks', 'list', False, '', 'StandbyTasks', None, TYPE_streams_group_target_assignment_member_value__task_ids, None, None, False, Mark('formats/messages/streams_group_target_assignment_member_value.ksy', 38, '/seq/4'), value_type=ListOf(Structure('streams_group_target_assignment_member_value::task_ids'))),
        Field('warmup_tasks_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/streams_group_target_assignment_member_value.ksy', 43, '/seq/5'), value_type=Integer(32, False), hidden=True),
        Field('warmup_tasks', 'list', False, '', 'WarmupTasks', None, TYPE_streams_group_target_assignment_member_value__task_ids, None, None, False, Mark('formats/messages/streams_group_target_assignment_member_value.ksy', 48, '/seq/6'), value_type=ListOf(Structure('streams_group_target_assignment_member_value::task_ids'))),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_kafka_types__tagged_fields, None, None, False, Mark('formats/messages/streams_group_target_assignment_member_value.ksy', 53, '/seq/7'), value_type=Structure('kafka_types::tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadVarint(name='active_tasks_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='active_tasks_count', rule=Expression('>=', (Expression('name', (), ('active_tasks_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='active_tasks', element=ReadType(name='active_tasks', type=TYPE_streams_group_target_assignment_member_value__task_ids), count=Expression('-', (Expression('name', (), ('active_tasks_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='standby_tasks_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='standby_tasks_count', rule=Expression('>=', (Expression('name', (), ('standby_tasks_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='standby_tasks', element=ReadType(name='standby_tasks', type=TYPE_streams_group_target_assignment_member_value__task_ids), count=Expression('-', (Expression('name', (), ('standby_tasks_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='warmup_tasks_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='warmup_tasks_count', rule=Expression('>=', (Expression('name', (), ('warmup_tasks_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='warmup_tasks', element=ReadType(name='warmup_tasks', type=TYPE_streams_group_target_assignment_member_value__task_ids), count=Expression('-', (Expression('name', (), ('warmup_tasks_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_kafka_types__tagged_fields, foreign=True),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=64,
    is_root=True,
)
PROGRAM = Program('streams_group_target_assignment_member_value', TYPE_streams_group_target_assignment_member_value, {'kafka_types::tagged_field': TYPE_kafka_types__tagged_field, 'kafka_types::tagged_fields': TYPE_kafka_types__tagged_fields, 'streams_group_target_assignment_member_value::task_ids': TYPE_streams_group_target_assignment_member_value__task_ids, 'streams_group_target_assignment_member_value': TYPE_streams_group_target_assignment_member_value}, {})
