"""The program of formats/legacy_offset_commit_key.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, TypeProgram
from kformat.language.types import Boolean, Integer, Text

MADE_FROM = {'legacy_offset_commit_key': 3266993380}
TYPE_legacy_offset_commit_key = TypeProgram(
    name='legacy_offset_commit_key',
    digest='e83d13f119aca743b5c5568d8c0700b50d6be7e4e3939513293637c6bd961f96',
    doc='Key of a record of `__consumer_offsets`: a committed offset, as written before 0.9.',
    original_id='LegacyOffsetCommitKey',
    fields=(
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/legacy_offset_commit_key.ksy', 14, '/seq/0'), value_type=Integer(16, True)),
        Field('group_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/legacy_offset_commit_key.ksy', 18, '/seq/1'), value_type=Integer(16, True), hidden=True),
        Field('group', 'text', False, '', 'group', None, None, None, None, False, Mark('formats/messages/legacy_offset_commit_key.ksy', 23, '/seq/2'), value_type=Text()),
        Field('topic_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/legacy_offset_commit_key.ksy', 27, '/seq/3'), value_type=Integer(16, True), hidden=True),
        Field('topic', 'text', False, '', 'topic', None, None, None, None, False, Mark('formats/messages/legacy_offset_commit_key.ksy', 32, '/seq/4'), value_type=Text()),
        Field('partition', 'integer', False, '', 'partition', None, None, None, None, False, Mark('formats/messages/legacy_offset_commit_key.ksy', 36, '/seq/5'), value_type=Integer(32, True)),
    ),
    steps=(
        ReadInteger(name='type', kind=Integer(16, True), little_endian=False),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadInteger(name='group_length', kind=Integer(16, True), little_endian=False),
        Check(name='group_length', rule=Expression('>=', (Expression('name', (), ('group_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='group', size=Expression('name', (), ('group_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='topic_length', kind=Integer(16, True), little_endian=False),
        Check(name='topic_length', rule=Expression('>=', (Expression('name', (), ('topic_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='topic', size=Expression('name', (), ('topic_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='partition', kind=Integer(32, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=10,
    steps_count=9,
    is_root=True,
)
PROGRAM = Program('legacy_offset_commit_key', TYPE_legacy_offset_commit_key, {'legacy_offset_commit_key': TYPE_legacy_offset_commit_key}, {})
