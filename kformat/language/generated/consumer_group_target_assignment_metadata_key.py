"""The program of formats/consumer_group_target_assignment_metadata_key.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, TypeProgram
from kformat.language.types import Boolean, Integer, Text

MADE_FROM = {'consumer_group_target_assignment_metadata_key': 799457829}
TYPE_consumer_group_target_assignment_metadata_key = TypeProgram(
    name='consumer_group_target_assignment_metadata_key',
    digest='5d448be8b232193930b8973734e3eae270c56876a4a12eaa3ff3d9641a753faf',
    doc='Key of a record of `__consumer_offsets`: the target assignment, in a group of the consumer protocol (KIP-848).',
    original_id='ConsumerGroupTargetAssignmentMetadataKey',
    fields=(
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 6, Integer(64, True), 6, 6), None, False, Mark('formats/messages/consumer_group_target_assignment_metadata_key.ksy', 14, '/seq/0'), value_type=Integer(16, True)),
        Field('group_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_target_assignment_metadata_key.ksy', 18, '/seq/1'), value_type=Integer(16, True), hidden=True),
        Field('group_id', 'text', False, '', 'GroupId', None, None, None, None, False, Mark('formats/messages/consumer_group_target_assignment_metadata_key.ksy', 23, '/seq/2'), value_type=Text()),
    ),
    steps=(
        ReadInteger(name='type', kind=Integer(16, True), little_endian=False),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(16, True), -32768, 32767), Expression('constant', (), 6, Integer(64, True), 6, 6)), None, Boolean(), 0, 1), expected='6'),
        ReadInteger(name='group_id_length', kind=Integer(16, True), little_endian=False),
        Check(name='group_id_length', rule=Expression('>=', (Expression('name', (), ('group_id_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='group_id', size=Expression('name', (), ('group_id_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=5,
    is_root=True,
)
PROGRAM = Program('consumer_group_target_assignment_metadata_key', TYPE_consumer_group_target_assignment_metadata_key, {'consumer_group_target_assignment_metadata_key': TYPE_consumer_group_target_assignment_metadata_key}, {})
