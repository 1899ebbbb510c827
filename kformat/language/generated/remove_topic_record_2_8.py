"""The program of formats/remove_topic_record_2_8.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Program, ReadBytes, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer

MADE_FROM = {'remove_topic_record_2_8': 1433734221, 'varint': 752136197}
TYPE_remove_topic_record_2_8 = TypeProgram(
    name='remove_topic_record_2_8',
    digest='1527d674ea815f793a35cd61b316d05df04411fcb12bdfded8e75b2dc25822a3',
    doc='Metadata: a topic is deleted.',
    original_id='RemoveTopicRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/remove_topic_record_2_8.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 9, Integer(64, True), 9, 9), None, False, Mark('formats/messages/remove_topic_record_2_8.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/remove_topic_record_2_8.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('topic_id', 'bytes', False, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/remove_topic_record_2_8.ksy', 31, '/seq/3'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 9, Integer(64, True), 9, 9)), None, Boolean(), 0, 1), expected='9'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadBytes(name='topic_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=19,
    steps_count=7,
    is_root=True,
)
PROGRAM = Program('remove_topic_record_2_8', TYPE_remove_topic_record_2_8, {'remove_topic_record_2_8': TYPE_remove_topic_record_2_8}, {})
