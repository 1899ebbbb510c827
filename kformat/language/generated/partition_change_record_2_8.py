"""The program of formats/partition_change_record_2_8.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, Integer, ListOf, Structure

MADE_FROM = {'partition_change_record_2_8': 3945848272, 'varint': 752136197}
TYPE_partition_change_record_2_8__partition_change_record_isr_tag = TypeProgram(
    name='partition_change_record_2_8::partition_change_record_isr_tag',
    digest='691c10322732108d182a09389fc030f9a425a1804b7d06d42b57afae2e5c3bd2',
    doc='',
    original_id='',
    fields=(
        Field('isr_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_change_record_2_8.ksy', 68, '/types/partition_change_record_isr_tag/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('isr', 'list', True, '', 'Isr', None, None, None, None, False, Mark('formats/messages/partition_change_record_2_8.ksy', 71, '/types/partition_change_record_isr_tag/seq/1'), value_type=ListOf(Integer(32, True))),
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
TYPE_partition_change_record_2_8__partition_change_record_leader_tag = TypeProgram(
    name='partition_change_record_2_8::partition_change_record_leader_tag',
    digest='691c10322732108d182a09389fc030f9a425a1804b7d06d42b57afae2e5c3bd2',
    doc='',
    original_id='',
    fields=(
        Field('leader', 'integer', False, '', 'Leader', None, None, None, None, False, Mark('formats/messages/partition_change_record_2_8.ksy', 80, '/types/partition_change_record_leader_tag/seq/0'), value_type=Integer(32, True)),
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
TYPE_partition_change_record_2_8__partition_change_record_tagged_field = TypeProgram(
    name='partition_change_record_2_8::partition_change_record_tagged_field',
    digest='691c10322732108d182a09389fc030f9a425a1804b7d06d42b57afae2e5c3bd2',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/partition_change_record_2_8.ksy', 54, '/types/partition_change_record_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_change_record_2_8.ksy', 56, '/types/partition_change_record_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/partition_change_record_2_8.ksy', 59, '/types/partition_change_record_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_partition_change_record_2_8__partition_change_record_isr_tag),)),)), Case(Expression('constant', (), 1, Integer(64, True), 1, 1), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_partition_change_record_2_8__partition_change_record_leader_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=12,
)
TYPE_partition_change_record_2_8__partition_change_record_tagged_fields = TypeProgram(
    name='partition_change_record_2_8::partition_change_record_tagged_fields',
    digest='691c10322732108d182a09389fc030f9a425a1804b7d06d42b57afae2e5c3bd2',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/partition_change_record_2_8.ksy', 45, '/types/partition_change_record_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_partition_change_record_2_8__partition_change_record_tagged_field, None, None, False, Mark('formats/messages/partition_change_record_2_8.ksy', 48, '/types/partition_change_record_tagged_fields/seq/1'), value_type=ListOf(Structure('partition_change_record_2_8::partition_change_record_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_partition_change_record_2_8__partition_change_record_tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=15,
)
TYPE_partition_change_record_2_8 = TypeProgram(
    name='partition_change_record_2_8',
    digest='691c10322732108d182a09389fc030f9a425a1804b7d06d42b57afae2e5c3bd2',
    doc='Metadata: what has changed of a partition; a field without a tag stays as it was.',
    original_id='PartitionChangeRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/partition_change_record_2_8.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 5, Integer(64, True), 5, 5), None, False, Mark('formats/messages/partition_change_record_2_8.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/partition_change_record_2_8.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('partition_id', 'integer', False, '', 'PartitionId', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/partition_change_record_2_8.ksy', 31, '/seq/3'), value_type=Integer(32, True)),
        Field('topic_id', 'bytes', False, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/partition_change_record_2_8.ksy', 35, '/seq/4'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_partition_change_record_2_8__partition_change_record_tagged_fields, None, None, False, Mark('formats/messages/partition_change_record_2_8.ksy', 39, '/seq/5'), value_type=Structure('partition_change_record_2_8::partition_change_record_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 5, Integer(64, True), 5, 5)), None, Boolean(), 0, 1), expected='5'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='partition_id', kind=Integer(32, True), little_endian=False),
        ReadBytes(name='topic_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadType(name='tagged_fields', type=TYPE_partition_change_record_2_8__partition_change_record_tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=24,
    steps_count=24,
    is_root=True,
    tagged=(
        TaggedField(Field('isr', 'list', True, '', 'Isr', None, None, None, None, False, Mark('formats/messages/partition_change_record_2_8.ksy', 71, '/types/partition_change_record_isr_tag/seq/1'), value_type=ListOf(Integer(32, True))), 0, None, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_partition_change_record_2_8__partition_change_record_isr_tag),
        TaggedField(Field('leader', 'integer', False, '', 'Leader', None, None, None, None, False, Mark('formats/messages/partition_change_record_2_8.ksy', 80, '/types/partition_change_record_leader_tag/seq/0'), value_type=Integer(32, True)), 1, -2, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_partition_change_record_2_8__partition_change_record_leader_tag),
    ),
)
PROGRAM = Program('partition_change_record_2_8', TYPE_partition_change_record_2_8, {'partition_change_record_2_8::partition_change_record_isr_tag': TYPE_partition_change_record_2_8__partition_change_record_isr_tag, 'partition_change_record_2_8::partition_change_record_leader_tag': TYPE_partition_change_record_2_8__partition_change_record_leader_tag, 'partition_change_record_2_8::partition_change_record_tagged_field': TYPE_partition_change_record_2_8__partition_change_record_tagged_field, 'partition_change_record_2_8::partition_change_record_tagged_fields': TYPE_partition_change_record_2_8__partition_change_record_tagged_fields, 'partition_change_record_2_8': TYPE_partition_change_record_2_8}, {})
