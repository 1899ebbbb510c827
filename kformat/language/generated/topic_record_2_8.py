"""The program of formats/topic_record_2_8.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Program, ReadBytes, ReadInteger, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, Text

MADE_FROM = {'topic_record_2_8': 336302446, 'varint': 752136197}
TYPE_topic_record_2_8 = TypeProgram(
    name='topic_record_2_8',
    digest='230de74eec3f6d0863e338ecb2ffc28a9119b8ee446c292ffb129fb1b9bfe49b',
    doc="Metadata: a topic's name and id.",
    original_id='TopicRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/topic_record_2_8.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 2, Integer(64, True), 2, 2), None, False, Mark('formats/messages/topic_record_2_8.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/topic_record_2_8.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('name_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/topic_record_2_8.ksy', 31, '/seq/3'), value_type=Integer(16, True), hidden=True),
        Field('name', 'text', False, '', 'Name', None, None, None, None, False, Mark('formats/messages/topic_record_2_8.ksy', 36, '/seq/4'), value_type=Text()),
        Field('topic_id', 'bytes', False, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/topic_record_2_8.ksy', 40, '/seq/5'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1), expected='2'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='name_length', kind=Integer(16, True), little_endian=False),
        Check(name='name_length', rule=Expression('>=', (Expression('name', (), ('name_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='name', size=Expression('name', (), ('name_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadBytes(name='topic_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=21,
    steps_count=10,
    is_root=True,
)
PROGRAM = Program('topic_record_2_8', TYPE_topic_record_2_8, {'topic_record_2_8': TYPE_topic_record_2_8}, {})
