"""The program of formats/group_metadata_key.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, TypeProgram
from kformat.language.types import Boolean, Integer, Text

MADE_FROM = {'group_metadata_key': 1560165615}
TYPE_group_metadata_key = TypeProgram(
    name='group_metadata_key',
    digest='fc25a6bf53b3779b06971abceb52ce95103bafddee240ce99e6b96fbc53bc74e',
    doc='Key of a record of `__consumer_offsets`: a group of the classic protocol.',
    original_id='GroupMetadataKey',
    fields=(
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 2, Integer(64, True), 2, 2), None, False, Mark('formats/messages/group_metadata_key.ksy', 14, '/seq/0'), value_type=Integer(16, True)),
        Field('group_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/group_metadata_key.ksy', 18, '/seq/1'), value_type=Integer(16, True), hidden=True),
        Field('group', 'text', False, '', 'group', None, None, None, None, False, Mark('formats/messages/group_metadata_key.ksy', 23, '/seq/2'), value_type=Text()),
    ),
    steps=(
        ReadInteger(name='type', kind=Integer(16, True), little_endian=False),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(16, True), -32768, 32767), Expression('constant', (), 2, Integer(64, True), 2, 2)), None, Boolean(), 0, 1), expected='2'),
        ReadInteger(name='group_length', kind=Integer(16, True), little_endian=False),
        Check(name='group_length', rule=Expression('>=', (Expression('name', (), ('group_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='group', size=Expression('name', (), ('group_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=5,
    is_root=True,
)
PROGRAM = Program('group_metadata_key', TYPE_group_metadata_key, {'group_metadata_key': TYPE_group_metadata_key}, {})
