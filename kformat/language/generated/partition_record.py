"""The program of formats/partition_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Enum, Field, LogicalType, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, EnumType, Integer, ListOf, Structure

MADE_FROM = {'partition_record': 3514199107, 'varint': 752136197}
ENUM_partition_record__leader_recovery_state = Enum(
    name='partition_record::leader_recovery_state',
    members={0: 'recovered', 1: 'recovering'},
    original_ids={},
    docs={},
)
TYPE_partition_record__partition_record_leader_recovery_state_tag = TypeProgram(
    name='partition_record::partition_record_leader_recovery_state_tag',
    digest='02bb99102ad09d45052c437252a3fae52529c24eb7cf2cb31a83f0f6f4919c1e',
    doc='',
    original_id='',
    fields=(
        Field('leader_recovery_state', 'integer', False, '', 'LeaderRecoveryState', ENUM_partition_record__leader_recovery_state, None, None, None, False, Mark('formats/messages/partition_record.ksy', 140, '/types/partition_record_leader_recovery_state_tag/seq/0'), value_type=EnumType('partition_record::leader_recovery_state')),
    ),
    steps=(
        ReadInteger(name='leader_recovery_state', kind=Integer(8, True), little_endian=False, enum=ENUM_partition_record__leader_recovery_state),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=1,
)
TYPE_partition_record__partition_record_eligible_leader_replicas_tag = TypeProgram(
    name='partition_record::partition_record_eligible_leader_replicas_tag',
    digest='02bb99102ad09d45052c437252a3fae52529c24eb7cf2cb31a83f0f6f4919c1e',
    doc='',
    original_id='',
    fields=(
        Field('eligible_leader_replicas_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_record.ksy', 147, '/types/partition_record_eligible_leader_replicas_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('eligible_leader_replicas', 'list', True, '', 'EligibleLeaderReplicas', None, None, None, None, False, Mark('formats/messages/partition_record.ksy', 150, '/types/partition_record_eligible_leader_replicas_tag/seq/1'), value_type=ListOf(Integer(32, True))),
    ),
    steps=(
        ReadVarint(name='eligible_leader_replicas_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='eligible_leader_replicas', condition=Expression('>=', (Expression('name', (), ('eligible_leader_replicas_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadInteger(name='eligible_leader_replicas', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('eligible_leader_replicas_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=3,
)
TYPE_partition_record__partition_record_last_known_elr_tag = TypeProgram(
    name='partition_record::partition_record_last_known_elr_tag',
    digest='02bb99102ad09d45052c437252a3fae52529c24eb7cf2cb31a83f0f6f4919c1e',
    doc='',
    original_id='',
    fields=(
        Field('last_known_elr_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_record.ksy', 159, '/types/partition_record_last_known_elr_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('last_known_elr', 'list', True, '', 'LastKnownElr', None, None, None, None, False, Mark('formats/messages/partition_record.ksy', 162, '/types/partition_record_last_known_elr_tag/seq/1'), value_type=ListOf(Integer(32, True))),
    ),
    steps=(
        ReadVarint(name='last_known_elr_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='last_known_elr', condition=Expression('>=', (Expression('name', (), ('last_known_elr_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadInteger(name='last_known_elr', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('last_known_elr_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=3,
)
TYPE_partition_record__partition_record_tagged_field = TypeProgram(
    name='partition_record::partition_record_tagged_field',
    digest='02bb99102ad09d45052c437252a3fae52529c24eb7cf2cb31a83f0f6f4919c1e',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/partition_record.ksy', 125, '/types/partition_record_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_record.ksy', 127, '/types/partition_record_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/partition_record.ksy', 130, '/types/partition_record_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('if', (Expression('or', (Expression('and', (Expression('==', (Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('and', (Expression('==', (Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('constant', (), -1, Integer(64, True), -1, -1), Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295)), None, Integer(64, True), -1, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_partition_record__partition_record_leader_recovery_state_tag),)),)), Case(Expression('constant', (), 1, Integer(64, True), 1, 1), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_partition_record__partition_record_eligible_leader_replicas_tag),)),)), Case(Expression('constant', (), 2, Integer(64, True), 2, 2), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_partition_record__partition_record_last_known_elr_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=17,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_partition_record__partition_record_tagged_fields = TypeProgram(
    name='partition_record::partition_record_tagged_fields',
    digest='02bb99102ad09d45052c437252a3fae52529c24eb7cf2cb31a83f0f6f4919c1e',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_record.ksy', 113, '/types/partition_record_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_partition_record__partition_record_tagged_field, None, None, False, Mark('formats/messages/partition_record.ksy', 116, '/types/partition_record_tagged_fields/seq/1'), value_type=ListOf(Structure('partition_record::partition_record_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_partition_record__partition_record_tagged_field, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=20,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_partition_record = TypeProgram(
    name='partition_record',
    digest='02bb99102ad09d45052c437252a3fae52529c24eb7cf2cb31a83f0f6f4919c1e',
    doc='Metadata: a partition with its replicas, leader and epochs.',
    original_id='PartitionRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/partition_record.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 3, Integer(64, True), 3, 3), None, False, Mark('formats/messages/partition_record.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 2, Integer(64, True), 2, 2), None, False, Mark('formats/messages/partition_record.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('partition_id', 'integer', False, '', 'PartitionId', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/partition_record.ksy', 31, '/seq/3'), value_type=Integer(32, True)),
        Field('topic_id', 'bytes', False, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/partition_record.ksy', 35, '/seq/4'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('replicas_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_record.ksy', 39, '/seq/5'), value_type=Integer(32, False), hidden=True),
        Field('replicas', 'list', False, '', 'Replicas', None, None, None, None, False, Mark('formats/messages/partition_record.ksy', 44, '/seq/6'), value_type=ListOf(Integer(32, True))),
        Field('isr_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_record.ksy', 49, '/seq/7'), value_type=Integer(32, False), hidden=True),
        Field('isr', 'list', False, '', 'Isr', None, None, None, None, False, Mark('formats/messages/partition_record.ksy', 54, '/seq/8'), value_type=ListOf(Integer(32, True))),
        Field('removing_replicas_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_record.ksy', 59, '/seq/9'), value_type=Integer(32, False), hidden=True),
        Field('removing_replicas', 'list', False, '', 'RemovingReplicas', None, None, None, None, False, Mark('formats/messages/partition_record.ksy', 64, '/seq/10'), value_type=ListOf(Integer(32, True))),
        Field('adding_replicas_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_record.ksy', 69, '/seq/11'), value_type=Integer(32, False), hidden=True),
        Field('adding_replicas', 'list', False, '', 'AddingReplicas', None, None, None, None, False, Mark('formats/messages/partition_record.ksy', 74, '/seq/12'), value_type=ListOf(Integer(32, True))),
        Field('leader', 'integer', False, '', 'Leader', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/partition_record.ksy', 79, '/seq/13'), value_type=Integer(32, True)),
        Field('leader_epoch', 'integer', False, '', 'LeaderEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/partition_record.ksy', 83, '/seq/14'), value_type=Integer(32, True)),
        Field('partition_epoch', 'integer', False, '', 'PartitionEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/partition_record.ksy', 87, '/seq/15'), value_type=Integer(32, True)),
        Field('directories_count', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/partition_record.ksy', 91, '/seq/16'), value_type=Integer(32, False), hidden=True),
        Field('directories', 'list', True, '', 'Directories', None, None, None, None, False, Mark('formats/messages/partition_record.ksy', 97, '/seq/17'), value_type=ListOf(Bytes()), logical=LogicalType('uuid', base64=True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_partition_record__partition_record_tagged_fields, None, None, False, Mark('formats/messages/partition_record.ksy', 104, '/seq/18'), value_type=Structure('partition_record::partition_record_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), expected='3'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1), expected='<= 2'),
        ReadInteger(name='partition_id', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='topic_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadVarint(name='replicas_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='replicas_count', rule=Expression('>=', (Expression('name', (), ('replicas_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='replicas', element=ReadInteger(name='replicas', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('replicas_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='isr_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='isr_count', rule=Expression('>=', (Expression('name', (), ('isr_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='isr', element=ReadInteger(name='isr', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('isr_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='removing_replicas_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='removing_replicas_count', rule=Expression('>=', (Expression('name', (), ('removing_replicas_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='removing_replicas', element=ReadInteger(name='removing_replicas', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('removing_replicas_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadVarint(name='adding_replicas_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='adding_replicas_count', rule=Expression('>=', (Expression('name', (), ('adding_replicas_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='adding_replicas', element=ReadInteger(name='adding_replicas', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('adding_replicas_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadInteger(name='leader', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='leader_epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='partition_epoch', kind=Integer(32, True), little_endian=False),
        ReadVarint(name='directories_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='directories_count', condition=Expression('>=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('directories_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadList(name='directories', condition=Expression('>=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadBytes(name='directories', size=Expression('constant', (), 16, Integer(64, True), 16, 16)), count=Expression('-', (Expression('name', (), ('directories_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
        ReadType(name='tagged_fields', type=TYPE_partition_record__partition_record_tagged_fields, arguments=(('version', Expression('name', (), ('version',), Integer(32, False), 0, 4294967295)),)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=40,
    steps_count=52,
    is_root=True,
    tagged=(
        TaggedField(Field('leader_recovery_state', 'integer', False, '', 'LeaderRecoveryState', ENUM_partition_record__leader_recovery_state, None, None, None, False, Mark('formats/messages/partition_record.ksy', 140, '/types/partition_record_leader_recovery_state_tag/seq/0'), value_type=EnumType('partition_record::leader_recovery_state')), 0, 0, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_partition_record__partition_record_leader_recovery_state_tag, 'leader_epoch'),
        TaggedField(Field('eligible_leader_replicas', 'list', True, '', 'EligibleLeaderReplicas', None, None, None, None, False, Mark('formats/messages/partition_record.ksy', 150, '/types/partition_record_eligible_leader_replicas_tag/seq/1'), value_type=ListOf(Integer(32, True))), 1, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_partition_record__partition_record_eligible_leader_replicas_tag),
        TaggedField(Field('last_known_elr', 'list', True, '', 'LastKnownElr', None, None, None, None, False, Mark('formats/messages/partition_record.ksy', 162, '/types/partition_record_last_known_elr_tag/seq/1'), value_type=ListOf(Integer(32, True))), 2, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_partition_record__partition_record_last_known_elr_tag),
    ),
)
PROGRAM = Program('partition_record', TYPE_partition_record, {'partition_record::partition_record_leader_recovery_state_tag': TYPE_partition_record__partition_record_leader_recovery_state_tag, 'partition_record::partition_record_eligible_leader_replicas_tag': TYPE_partition_record__partition_record_eligible_leader_replicas_tag, 'partition_record::partition_record_last_known_elr_tag': TYPE_partition_record__partition_record_last_known_elr_tag, 'partition_record::partition_record_tagged_field': TYPE_partition_record__partition_record_tagged_field, 'partition_record::partition_record_tagged_fields': TYPE_partition_record__partition_record_tagged_fields, 'partition_record': TYPE_partition_record}, {'partition_record::leader_recovery_state': ENUM_partition_record__leader_recovery_state})
