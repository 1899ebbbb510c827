"""The program of formats/partition_record_2_8.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Enum, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, ListOf

MADE_FROM = {'partition_record_2_8': 99205532, 'varint': 752136197}
ENUM_partition_record_2_8__leader_recovery_state = Enum(
    name='partition_record_2_8::leader_recovery_state',
    members={0: 'recovered', 1: 'recovering'},
    original_ids={},
    docs={},
)
TYPE_partition_record_2_8 = TypeProgram(
    name='partition_record_2_8',
    digest='21732ec113587e39dba27908cb37c495d9e78827a6dfa013be572049da435856',
    doc='Metadata: a partition with its replicas, leader and epochs.',
    original_id='PartitionRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/partition_record_2_8.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 3, Integer(64, True), 3, 3), None, False, Mark('formats/messages/partition_record_2_8.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/partition_record_2_8.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('partition_id', 'integer', False, '', 'PartitionId', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/partition_record_2_8.ksy', 31, '/seq/3'), value_type=Integer(32, True)),
        Field('topic_id', 'bytes', False, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/partition_record_2_8.ksy', 35, '/seq/4'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('replicas_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_record_2_8.ksy', 39, '/seq/5'), value_type=Integer(32, True), hidden=True),
        Field('replicas', 'list', False, '', 'Replicas', None, None, None, None, False, Mark('formats/messages/partition_record_2_8.ksy', 44, '/seq/6'), value_type=ListOf(Integer(32, True))),
        Field('isr_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_record_2_8.ksy', 49, '/seq/7'), value_type=Integer(32, True), hidden=True),
        Field('isr', 'list', False, '', 'Isr', None, None, None, None, False, Mark('formats/messages/partition_record_2_8.ksy', 54, '/seq/8'), value_type=ListOf(Integer(32, True))),
        Field('removing_replicas_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_record_2_8.ksy', 59, '/seq/9'), value_type=Integer(32, True), hidden=True),
        Field('removing_replicas', 'list', True, '', 'RemovingReplicas', None, None, None, None, False, Mark('formats/messages/partition_record_2_8.ksy', 62, '/seq/10'), value_type=ListOf(Integer(32, True))),
        Field('adding_replicas_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_record_2_8.ksy', 68, '/seq/11'), value_type=Integer(32, True), hidden=True),
        Field('adding_replicas', 'list', True, '', 'AddingReplicas', None, None, None, None, False, Mark('formats/messages/partition_record_2_8.ksy', 71, '/seq/12'), value_type=ListOf(Integer(32, True))),
        Field('leader', 'integer', False, '', 'Leader', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/partition_record_2_8.ksy', 77, '/seq/13'), value_type=Integer(32, True)),
        Field('leader_epoch', 'integer', False, '', 'LeaderEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/partition_record_2_8.ksy', 81, '/seq/14'), value_type=Integer(32, True)),
        Field('partition_epoch', 'integer', False, '', 'PartitionEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/partition_record_2_8.ksy', 85, '/seq/15'), value_type=Integer(32, True)),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), expected='3'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='partition_id', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='topic_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadInteger(name='replicas_count', kind=Integer(32, True), little_endian=False),
        Check(name='replicas_count', rule=Expression('>=', (Expression('name', (), ('replicas_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='replicas', element=ReadInteger(name='replicas', kind=Integer(32, True), little_endian=False), count=Expression('name', (), ('replicas_count',), Integer(32, True), 0, 2147483647)),
        ReadInteger(name='isr_count', kind=Integer(32, True), little_endian=False),
        Check(name='isr_count', rule=Expression('>=', (Expression('name', (), ('isr_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadList(name='isr', element=ReadInteger(name='isr', kind=Integer(32, True), little_endian=False), count=Expression('name', (), ('isr_count',), Integer(32, True), 0, 2147483647)),
        ReadInteger(name='removing_replicas_count', kind=Integer(32, True), little_endian=False),
        ReadList(name='removing_replicas', condition=Expression('>=', (Expression('name', (), ('removing_replicas_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), element=ReadInteger(name='removing_replicas', kind=Integer(32, True), little_endian=False), count=Expression('name', (), ('removing_replicas_count',), Integer(32, True), -2147483648, 2147483647)),
        ReadInteger(name='adding_replicas_count', kind=Integer(32, True), little_endian=False),
        ReadList(name='adding_replicas', condition=Expression('>=', (Expression('name', (), ('adding_replicas_count',), Integer(32, True), -2147483648, 2147483647), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), element=ReadInteger(name='adding_replicas', kind=Integer(32, True), little_endian=False), count=Expression('name', (), ('adding_replicas_count',), Integer(32, True), -2147483648, 2147483647)),
        ReadInteger(name='leader', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='leader_epoch', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='partition_epoch', kind=Integer(32, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=51,
    steps_count=25,
    is_root=True,
)
PROGRAM = Program('partition_record_2_8', TYPE_partition_record_2_8, {'partition_record_2_8': TYPE_partition_record_2_8}, {'partition_record_2_8::leader_recovery_state': ENUM_partition_record_2_8__leader_recovery_state})
