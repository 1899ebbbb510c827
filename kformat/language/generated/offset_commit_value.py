"""The program of formats/offset_commit_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Bytes, Integer, ListOf, Structure, Text

MADE_FROM = {'offset_commit_value': 2374844536, 'varint': 752136197}
TYPE_offset_commit_value__offset_commit_value_topic_id_tag = TypeProgram(
    name='offset_commit_value::offset_commit_value_topic_id_tag',
    digest='d7f39c15a833e6c1f6ff3886875217fec980b7a4683e3604a966c2b25228ac0d',
    doc='',
    original_id='',
    fields=(
        Field('topic_id', 'bytes', False, '', 'topicId', None, None, None, None, False, Mark('formats/messages/offset_commit_value.ksy', 84, '/types/offset_commit_value_topic_id_tag/seq/0'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
    ),
    steps=(
        ReadBytes(name='topic_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=16,
    steps_count=1,
)
TYPE_offset_commit_value__offset_commit_value_tagged_field = TypeProgram(
    name='offset_commit_value::offset_commit_value_tagged_field',
    digest='d7f39c15a833e6c1f6ff3886875217fec980b7a4683e3604a966c2b25228ac0d',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/offset_commit_value.ksy', 71, '/types/offset_commit_value_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/offset_commit_value.ksy', 73, '/types/offset_commit_value_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/offset_commit_value.ksy', 76, '/types/offset_commit_value_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_offset_commit_value__offset_commit_value_topic_id_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=7,
)
TYPE_offset_commit_value__offset_commit_value_tagged_fields = TypeProgram(
    name='offset_commit_value::offset_commit_value_tagged_fields',
    digest='d7f39c15a833e6c1f6ff3886875217fec980b7a4683e3604a966c2b25228ac0d',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/offset_commit_value.ksy', 62, '/types/offset_commit_value_tagged_fields/seq/0'), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_offset_commit_value__offset_commit_value_tagged_field, None, None, False, Mark('formats/messages/offset_commit_value.ksy', 65, '/types/offset_commit_value_tagged_fields/seq/1'), value_type=ListOf(Structure('offset_commit_value::offset_commit_value_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_offset_commit_value__offset_commit_value_tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=10,
)
TYPE_offset_commit_value = TypeProgram(
    name='offset_commit_value',
    digest='d7f39c15a833e6c1f6ff3886875217fec980b7a4683e3604a966c2b25228ac0d',
    doc='Value of a record of `__consumer_offsets`: how far a group has read a partition. No value: the offset was deleted, or\nhas expired.',
    original_id='OffsetCommitValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 4, Integer(64, True), 4, 4), None, False, Mark('formats/messages/offset_commit_value.ksy', 17, '/seq/0'), value_type=Integer(16, True)),
        Field('offset', 'integer', False, '', 'offset', None, None, None, None, False, Mark('formats/messages/offset_commit_value.ksy', 23, '/seq/1'), value_type=Integer(64, True)),
        Field('leader_epoch', 'integer', True, '', 'leaderEpoch', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/offset_commit_value.ksy', 26, '/seq/2'), value_type=Integer(32, True)),
        Field('metadata_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_commit_value.ksy', 31, '/seq/3'), value_type=Integer(16, True), hidden=True),
        Field('compact_metadata_length', 'integer', True, '', '', None, None, None, None, True, Mark('formats/messages/offset_commit_value.ksy', 37, '/seq/4'), value_type=Integer(32, False), hidden=True),
        Field('metadata', 'text', False, '', 'metadata', None, None, None, None, False, Mark('formats/messages/offset_commit_value.ksy', 43, '/seq/5'), value_type=Text()),
        Field('commit_timestamp', 'integer', False, '', 'commitTimestamp', None, None, None, None, False, Mark('formats/messages/offset_commit_value.ksy', 47, '/seq/6'), value_type=Integer(64, True)),
        Field('expire_timestamp', 'integer', True, '', 'expireTimestamp', None, None, Expression('constant', (), -1, Integer(64, True), -1, -1), None, False, Mark('formats/messages/offset_commit_value.ksy', 50, '/seq/7'), value_type=Integer(64, True)),
        Field('tagged_fields', 'structure', True, '', '', None, TYPE_offset_commit_value__offset_commit_value_tagged_fields, None, None, False, Mark('formats/messages/offset_commit_value.ksy', 55, '/seq/8'), value_type=Structure('offset_commit_value::offset_commit_value_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), expected='<= 4'),
        ReadInteger(name='offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='leader_epoch', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 4), Expression('constant', (), 3, Integer(64, True), 3, 3)), None, Boolean(), 0, 1), kind=Integer(32, True), little_endian=False),
        ReadInteger(name='metadata_length', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), 0, 4), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), kind=Integer(16, True), little_endian=False),
        Check(name='metadata_length', condition=Expression('<', (Expression('name', (), ('version',), Integer(16, True), 0, 4), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('metadata_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadVarint(name='compact_metadata_length', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 4), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='compact_metadata_length', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 4), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), rule=Expression('>=', (Expression('name', (), ('compact_metadata_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='>= 1'),
        ReadBytes(name='metadata', size=Expression('if', (Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 4), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), Expression('-', (Expression('name', (), ('compact_metadata_length',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Integer(64, True), -1, 4294967294), Expression('name', (), ('metadata_length',), Integer(16, True), -32768, 32767)), None, Integer(64, True), -32768, 4294967294), encoding='UTF-8'),
        ReadInteger(name='commit_timestamp', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='expire_timestamp', condition=Expression('==', (Expression('name', (), ('version',), Integer(16, True), 0, 4), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), kind=Integer(64, True), little_endian=False),
        ReadType(name='tagged_fields', condition=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), 0, 4), Expression('constant', (), 4, Integer(64, True), 4, 4)), None, Boolean(), 0, 1), type=TYPE_offset_commit_value__offset_commit_value_tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=19,
    steps_count=23,
    is_root=True,
    tagged=(
        TaggedField(Field('topic_id', 'bytes', False, '', 'topicId', None, None, None, None, False, Mark('formats/messages/offset_commit_value.ksy', 84, '/types/offset_commit_value_topic_id_tag/seq/0'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)), 0, b'\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00', ('tagged_fields', 'fields'), 'tag', 'data', TYPE_offset_commit_value__offset_commit_value_topic_id_tag, since='4.3.1'),
    ),
)
PROGRAM = Program('offset_commit_value', TYPE_offset_commit_value, {'offset_commit_value::offset_commit_value_topic_id_tag': TYPE_offset_commit_value__offset_commit_value_topic_id_tag, 'offset_commit_value::offset_commit_value_tagged_field': TYPE_offset_commit_value__offset_commit_value_tagged_field, 'offset_commit_value::offset_commit_value_tagged_fields': TYPE_offset_commit_value__offset_commit_value_tagged_fields, 'offset_commit_value': TYPE_offset_commit_value}, {})
