"""The program of formats/partition_change_record.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Field, LogicalType, Parameter, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, Integer, ListOf, Structure

MADE_FROM = {'partition_change_record': 636320963, 'varint': 752136197}
TYPE_partition_change_record__partition_change_record_isr_tag = TypeProgram(
    name='partition_change_record::partition_change_record_isr_tag',
    digest='b1c92e2c0fe153437883c5a082ded85ed3ad12834f3ab8641e3dd00f7594f264',
    doc='',
    original_id='',
    fields=(
        Field('isr_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_change_record.ksy', 81, '/types/partition_change_record_isr_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('isr', 'list', True, '', 'Isr', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 84, '/types/partition_change_record_isr_tag/seq/1'), value_type=ListOf(Integer(32, True))),
    ),
    steps=(
        ReadVarint(name='isr_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='isr', condition=Expression('>=', (Expression('name', (), ('isr_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadInteger(name='isr', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('isr_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=3,
)
TYPE_partition_change_record__partition_change_record_leader_tag = TypeProgram(
    name='partition_change_record::partition_change_record_leader_tag',
    digest='b1c92e2c0fe153437883c5a082ded85ed3ad12834f3ab8641e3dd00f7594f264',
    doc='',
    original_id='',
    fields=(
        Field('leader', 'integer', False, '', 'Leader', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 93, '/types/partition_change_record_leader_tag/seq/0'), value_type=Integer(32, True)),
    ),
    steps=(
        ReadInteger(name='leader', kind=Integer(32, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=1,
)
TYPE_partition_change_record__partition_change_record_replicas_tag = TypeProgram(
    name='partition_change_record::partition_change_record_replicas_tag',
    digest='b1c92e2c0fe153437883c5a082ded85ed3ad12834f3ab8641e3dd00f7594f264',
    doc='',
    original_id='',
    fields=(
        Field('replicas_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_change_record.ksy', 99, '/types/partition_change_record_replicas_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('replicas', 'list', True, '', 'Replicas', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 102, '/types/partition_change_record_replicas_tag/seq/1'), value_type=ListOf(Integer(32, True))),
    ),
    steps=(
        ReadVarint(name='replicas_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='replicas', condition=Expression('>=', (Expression('name', (), ('replicas_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadInteger(name='replicas', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('replicas_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=3,
)
TYPE_partition_change_record__partition_change_record_removing_replicas_tag = TypeProgram(
    name='partition_change_record::partition_change_record_removing_replicas_tag',
    digest='b1c92e2c0fe153437883c5a082ded85ed3ad12834f3ab8641e3dd00f7594f264',
    doc='',
    original_id='',
    fields=(
        Field('removing_replicas_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_change_record.ksy', 111, '/types/partition_change_record_removing_replicas_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('removing_replicas', 'list', True, '', 'RemovingReplicas', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 114, '/types/partition_change_record_removing_replicas_tag/seq/1'), value_type=ListOf(Integer(32, True))),
    ),
    steps=(
        ReadVarint(name='removing_replicas_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='removing_replicas', condition=Expression('>=', (Expression('name', (), ('removing_replicas_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadInteger(name='removing_replicas', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('removing_replicas_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=3,
)
TYPE_partition_change_record__partition_change_record_adding_replicas_tag = TypeProgram(
    name='partition_change_record::partition_change_record_adding_replicas_tag',
    digest='b1c92e2c0fe153437883c5a082ded85ed3ad12834f3ab8641e3dd00f7594f264',
    doc='',
    original_id='',
    fields=(
        Field('adding_replicas_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_change_record.ksy', 123, '/types/partition_change_record_adding_replicas_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('adding_replicas', 'list', True, '', 'AddingReplicas', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 126, '/types/partition_change_record_adding_replicas_tag/seq/1'), value_type=ListOf(Integer(32, True))),
    ),
    steps=(
        ReadVarint(name='adding_replicas_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='adding_replicas', condition=Expression('>=', (Expression('name', (), ('adding_replicas_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadInteger(name='adding_replicas', kind=Integer(32, True), little_endian=False), count=Expression('-', (Expression('name', (), ('adding_replicas_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=3,
)
TYPE_partition_change_record__partition_change_record_leader_recovery_state_tag = TypeProgram(
    name='partition_change_record::partition_change_record_leader_recovery_state_tag',
    digest='b1c92e2c0fe153437883c5a082ded85ed3ad12834f3ab8641e3dd00f7594f264',
    doc='',
    original_id='',
    fields=(
        Field('leader_recovery_state', 'integer', False, '', 'LeaderRecoveryState', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 135, '/types/partition_change_record_leader_recovery_state_tag/seq/0'), value_type=Integer(8, True)),
    ),
    steps=(
        ReadInteger(name='leader_recovery_state', kind=Integer(8, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=1,
)
TYPE_partition_change_record__partition_change_record_eligible_leader_replicas_tag = TypeProgram(
    name='partition_change_record::partition_change_record_eligible_leader_replicas_tag',
    digest='b1c92e2c0fe153437883c5a082ded85ed3ad12834f3ab8641e3dd00f7594f264',
    doc='',
    original_id='',
    fields=(
        Field('eligible_leader_replicas_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_change_record.ksy', 141, '/types/partition_change_record_eligible_leader_replicas_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('eligible_leader_replicas', 'list', True, '', 'EligibleLeaderReplicas', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 144, '/types/partition_change_record_eligible_leader_replicas_tag/seq/1'), value_type=ListOf(Integer(32, True))),
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
TYPE_partition_change_record__partition_change_record_last_known_elr_tag = TypeProgram(
    name='partition_change_record::partition_change_record_last_known_elr_tag',
    digest='b1c92e2c0fe153437883c5a082ded85ed3ad12834f3ab8641e3dd00f7594f264',
    doc='',
    original_id='',
    fields=(
        Field('last_known_elr_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_change_record.ksy', 153, '/types/partition_change_record_last_known_elr_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('last_known_elr', 'list', True, '', 'LastKnownElr', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 156, '/types/partition_change_record_last_known_elr_tag/seq/1'), value_type=ListOf(Integer(32, True))),
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
TYPE_partition_change_record__partition_change_record_directories_tag = TypeProgram(
    name='partition_change_record::partition_change_record_directories_tag',
    digest='b1c92e2c0fe153437883c5a082ded85ed3ad12834f3ab8641e3dd00f7594f264',
    doc='',
    original_id='',
    fields=(
        Field('directories_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_change_record.ksy', 165, '/types/partition_change_record_directories_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('directories', 'list', True, '', 'Directories', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 168, '/types/partition_change_record_directories_tag/seq/1'), value_type=ListOf(Bytes()), logical=LogicalType('uuid', base64=True)),
    ),
    steps=(
        ReadVarint(name='directories_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='directories', condition=Expression('>=', (Expression('name', (), ('directories_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), element=ReadBytes(name='directories', size=Expression('constant', (), 16, Integer(64, True), 16, 16)), count=Expression('-', (Expression('name', (), ('directories_count',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=3,
)
TYPE_partition_change_record__partition_change_record_tagged_field = TypeProgram(
    name='partition_change_record::partition_change_record_tagged_field',
    digest='b1c92e2c0fe153437883c5a082ded85ed3ad12834f3ab8641e3dd00f7594f264',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 60, '/types/partition_change_record_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_change_record.ksy', 62, '/types/partition_change_record_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 65, '/types/partition_change_record_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('if', (Expression('or', (Expression('or', (Expression('and', (Expression('==', (Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('and', (Expression('==', (Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), Expression('constant', (), 7, Integer(64, True), 7, 7)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('and', (Expression('==', (Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), Expression('constant', (), 8, Integer(64, True), 8, 8)), None, Boolean(), 0, 1), Expression('<', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1)), None, Boolean(), 0, 1), Expression('constant', (), -1, Integer(64, True), -1, -1), Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295)), None, Integer(64, True), -1, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_partition_change_record__partition_change_record_isr_tag),)),)), Case(Expression('constant', (), 1, Integer(64, True), 1, 1), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_partition_change_record__partition_change_record_leader_tag),)),)), Case(Expression('constant', (), 2, Integer(64, True), 2, 2), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_partition_change_record__partition_change_record_replicas_tag),)),)), Case(Expression('constant', (), 3, Integer(64, True), 3, 3), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_partition_change_record__partition_change_record_removing_replicas_tag),)),)), Case(Expression('constant', (), 4, Integer(64, True), 4, 4), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_partition_change_record__partition_change_record_adding_replicas_tag),)),)), Case(Expression('constant', (), 5, Integer(64, True), 5, 5), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_partition_change_record__partition_change_record_leader_recovery_state_tag),)),)), Case(Expression('constant', (), 6, Integer(64, True), 6, 6), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_partition_change_record__partition_change_record_eligible_leader_replicas_tag),)),)), Case(Expression('constant', (), 7, Integer(64, True), 7, 7), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_partition_change_record__partition_change_record_last_known_elr_tag),)),)), Case(Expression('constant', (), 8, Integer(64, True), 8, 8), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_partition_change_record__partition_change_record_directories_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=45,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_partition_change_record__partition_change_record_tagged_fields = TypeProgram(
    name='partition_change_record::partition_change_record_tagged_fields',
    digest='b1c92e2c0fe153437883c5a082ded85ed3ad12834f3ab8641e3dd00f7594f264',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_change_record.ksy', 48, '/types/partition_change_record_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_partition_change_record__partition_change_record_tagged_field, None, None, False, Mark('formats/messages/partition_change_record.ksy', 51, '/types/partition_change_record_tagged_fields/seq/1'), value_type=ListOf(Structure('partition_change_record::partition_change_record_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_partition_change_record__partition_change_record_tagged_field, arguments=(('version', Expression('name', (), ('version',), Integer(16, True), -32768, 32767)),)), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(
        'version',
    ),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=48,
    parameter_types=(
        Parameter('version', Integer(16, True)),
    ),
)
TYPE_partition_change_record = TypeProgram(
    name='partition_change_record',
    digest='b1c92e2c0fe153437883c5a082ded85ed3ad12834f3ab8641e3dd00f7594f264',
    doc='Metadata: what has changed of a partition; a field without a tag stays as it was.',
    original_id='PartitionChangeRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/partition_change_record.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 5, Integer(64, True), 5, 5), None, False, Mark('formats/messages/partition_change_record.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 2, Integer(64, True), 2, 2), None, False, Mark('formats/messages/partition_change_record.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('partition_id', 'integer', False, '', 'PartitionId', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/partition_change_record.ksy', 31, '/seq/3'), value_type=Integer(32, True)),
        Field('topic_id', 'bytes', False, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 35, '/seq/4'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_partition_change_record__partition_change_record_tagged_fields, None, None, False, Mark('formats/messages/partition_change_record.ksy', 39, '/seq/5'), value_type=Structure('partition_change_record::partition_change_record_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 5, Integer(64, True), 5, 5)), None, Boolean(), 0, 1), expected='5'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1), expected='<= 2'),
        ReadInteger(name='partition_id', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='topic_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadType(name='tagged_fields', type=TYPE_partition_change_record__partition_change_record_tagged_fields, arguments=(('version', Expression('name', (), ('version',), Integer(32, False), 0, 4294967295)),)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=24,
    steps_count=57,
    is_root=True,
    tagged=(
        TaggedField(Field('isr', 'list', True, '', 'Isr', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 84, '/types/partition_change_record_isr_tag/seq/1'), value_type=ListOf(Integer(32, True))), 0, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_partition_change_record__partition_change_record_isr_tag),
        TaggedField(Field('leader', 'integer', False, '', 'Leader', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 93, '/types/partition_change_record_leader_tag/seq/0'), value_type=Integer(32, True)), 1, -2, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_partition_change_record__partition_change_record_leader_tag),
        TaggedField(Field('replicas', 'list', True, '', 'Replicas', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 102, '/types/partition_change_record_replicas_tag/seq/1'), value_type=ListOf(Integer(32, True))), 2, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_partition_change_record__partition_change_record_replicas_tag),
        TaggedField(Field('removing_replicas', 'list', True, '', 'RemovingReplicas', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 114, '/types/partition_change_record_removing_replicas_tag/seq/1'), value_type=ListOf(Integer(32, True))), 3, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_partition_change_record__partition_change_record_removing_replicas_tag),
        TaggedField(Field('adding_replicas', 'list', True, '', 'AddingReplicas', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 126, '/types/partition_change_record_adding_replicas_tag/seq/1'), value_type=ListOf(Integer(32, True))), 4, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_partition_change_record__partition_change_record_adding_replicas_tag),
        TaggedField(Field('leader_recovery_state', 'integer', False, '', 'LeaderRecoveryState', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 135, '/types/partition_change_record_leader_recovery_state_tag/seq/0'), value_type=Integer(8, True)), 5, -1, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_partition_change_record__partition_change_record_leader_recovery_state_tag),
        TaggedField(Field('eligible_leader_replicas', 'list', True, '', 'EligibleLeaderReplicas', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 144, '/types/partition_change_record_eligible_leader_replicas_tag/seq/1'), value_type=ListOf(Integer(32, True))), 6, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_partition_change_record__partition_change_record_eligible_leader_replicas_tag),
        TaggedField(Field('last_known_elr', 'list', True, '', 'LastKnownElr', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 156, '/types/partition_change_record_last_known_elr_tag/seq/1'), value_type=ListOf(Integer(32, True))), 7, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_partition_change_record__partition_change_record_last_known_elr_tag),
        TaggedField(Field('directories', 'list', True, '', 'Directories', None, None, None, None, False, Mark('formats/messages/partition_change_record.ksy', 168, '/types/partition_change_record_directories_tag/seq/1'), value_type=ListOf(Bytes()), logical=LogicalType('uuid', base64=True)), 8, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_partition_change_record__partition_change_record_directories_tag),
    ),
)
PROGRAM = Program('partition_change_record', TYPE_partition_change_record, {'partition_change_record::partition_change_record_isr_tag': TYPE_partition_change_record__partition_change_record_isr_tag, 'partition_change_record::partition_change_record_leader_tag': TYPE_partition_change_record__partition_change_record_leader_tag, 'partition_change_record::partition_change_record_replicas_tag': TYPE_partition_change_record__partition_change_record_replicas_tag, 'partition_change_record::partition_change_record_removing_replicas_tag': TYPE_partition_change_record__partition_change_record_removing_replicas_tag, 'partition_change_record::partition_change_record_adding_replicas_tag': TYPE_partition_change_record__partition_change_record_adding_replicas_tag, 'partition_change_record::partition_change_record_leader_recovery_state_tag': TYPE_partition_change_record__partition_change_record_leader_recovery_state_tag, 'partition_change_record::partition_change_record_eligible_leader_replicas_tag': TYPE_partition_change_record__partition_change_record_eligible_leader_replicas_tag, 'partition_change_record::partition_change_record_last_known_elr_tag': TYPE_partition_change_record__partition_change_record_last_known_elr_tag, 'partition_change_record::partition_change_record_directories_tag': TYPE_partition_change_record__partition_change_record_directories_tag, 'partition_change_record::partition_change_record_tagged_field': TYPE_partition_change_record__partition_change_record_tagged_field, 'partition_change_record::partition_change_record_tagged_fields': TYPE_partition_change_record__partition_change_record_tagged_fields, 'partition_change_record': TYPE_partition_change_record}, {})
