"""The program of formats/share_group_current_member_assignment_key.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, TypeProgram
from kformat.language.types import Boolean, Integer, Text

MADE_FROM = {'share_group_current_member_assignment_key': 285861679}
TYPE_share_group_current_member_assignment_key = TypeProgram(
    name='share_group_current_member_assignment_key',
    digest='4d0dc804390c2ceca207314bf8091028251516e2ea1c77d12d24b5c03ad9660f',
    doc='Key of a record of `__consumer_offsets`: what a member has now, in a share group (KIP-932).',
    original_id='ShareGroupCurrentMemberAssignmentKey',
    fields=(
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 14, Integer(64, True), 14, 14), None, False, Mark('formats/messages/share_group_current_member_assignment_key.ksy', 14, '/seq/0'), value_type=Integer(16, True)),
        Field('group_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_group_current_member_assignment_key.ksy', 18, '/seq/1'), value_type=Integer(16, True), hidden=True),
        Field('group_id', 'text', False, '', 'GroupId', None, None, None, None, False, Mark('formats/messages/share_group_current_member_assignment_key.ksy', 23, '/seq/2'), value_type=Text()),
        Field('member_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/share_group_current_member_assignment_key.ksy', 27, '/seq/3'), value_type=Integer(16, True), hidden=True),
        Field('member_id', 'text', False, '', 'MemberId', None, None, None, None, False, Mark('formats/messages/share_group_current_member_assignment_key.ksy', 32, '/seq/4'), value_type=Text()),
    ),
    steps=(
        ReadInteger(name='type', kind=Integer(16, True), little_endian=False),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(16, True), -32768, 32767), Expression('constant', (), 14, Integer(64, True), 14, 14)), None, Boolean(), 0, 1), expected='14'),
        ReadInteger(name='group_id_length', kind=Integer(16, True), little_endian=False),
        Check(name='group_id_length', rule=Expression('>=', (Expression('name', (), ('group_id_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='group_id', size=Expression('name', (), ('group_id_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='member_id_length', kind=Integer(16, True), little_endian=False),
        Check(name='member_id_length', rule=Expression('>=', (Expression('name', (), ('member_id_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='member_id', size=Expression('name', (), ('member_id_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=8,
    is_root=True,
)
PROGRAM = Program('share_group_current_member_assignment_key', TYPE_share_group_current_member_assignment_key, {'share_group_current_member_assignment_key': TYPE_share_group_current_member_assignment_key}, {})
