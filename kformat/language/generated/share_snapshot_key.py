"""The program of formats/share_snapshot_key.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, LogicalType, Program, ReadBytes, ReadInteger, TypeProgram
from kformat.language.types import Boolean, Bytes, Integer, Text

MADE_FROM = {'share_snapshot_key': 3933454186}
TYPE_share_snapshot_key = TypeProgram(
    name='share_snapshot_key',
    digest='20e7fac6a37b8f32b7ad8850a70706f68a1e98bf076dbe46e419e200490ac435',
    doc='Key of a record of `__share_group_state`: a whole state of a partition in a share group.',
    original_id='ShareSnapshotKey',
    fields=(
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/share_snapshot_key.ksy', 14, '/seq/0'), value_type=Integer(16, True)),
        Field('group_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_snapshot_key.ksy', 18, '/seq/1'), value_type=Integer(16, True), hidden=True),
        Field('group_id', 'text', False, '', 'GroupId', None, None, None, None, False, Mark('formats/messages/share_snapshot_key.ksy', 23, '/seq/2'), value_type=Text()),
        Field('topic_id', 'bytes', False, '', 'TopicId', None, None, None, None, False, Mark('formats/messages/share_snapshot_key.ksy', 27, '/seq/3'), value_type=Bytes(), logical=LogicalType('uuid', base64=True)),
        Field('partition', 'integer', False, '', 'Partition', None, None, None, None, False, Mark('formats/messages/share_snapshot_key.ksy', 31, '/seq/4'), value_type=Integer(32, True)),
    ),
    steps=(
        ReadInteger(name='type', kind=Integer(16, True), little_endian=False),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadInteger(name='group_id_length', kind=Integer(16, True), little_endian=False),
        Check(name='group_id_length', rule=Expression('>=', (Expression('name', (), ('group_id_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='group_id', size=Expression('name', (), ('group_id_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadBytes(name='topic_id', size=Expression('constant', (), 16, Integer(64, True), 16, 16)),
        ReadInteger(name='partition', kind=Integer(32, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=24,
    steps_count=7,
    is_root=True,
)
PROGRAM = Program('share_snapshot_key', TYPE_share_snapshot_key, {'share_snapshot_key': TYPE_share_snapshot_key}, {})
