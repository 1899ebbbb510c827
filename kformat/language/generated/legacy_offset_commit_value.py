"""The program of formats/legacy_offset_commit_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, TypeProgram
from kformat.language.types import Boolean, Integer, Text

MADE_FROM = {'legacy_offset_commit_value': 4265153219}
TYPE_legacy_offset_commit_value = TypeProgram(
    name='legacy_offset_commit_value',
    digest='f1c981fee16a733fb9e53c42afef58d7aa745f6f180b744e52f91326520ee150',
    doc='Value of a record of `__consumer_offsets`: a committed offset, as written before 0.9.',
    original_id='LegacyOffsetCommitValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/legacy_offset_commit_value.ksy', 14, '/seq/0'), value_type=Integer(16, True)),
        Field('offset', 'integer', False, '', 'offset', None, None, None, None, False, Mark('formats/messages/legacy_offset_commit_value.ksy', 20, '/seq/1'), value_type=Integer(64, True)),
        Field('metadata_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/legacy_offset_commit_value.ksy', 23, '/seq/2'), value_type=Integer(16, True), hidden=True),
        Field('metadata', 'text', False, '', 'metadata', None, None, None, None, False, Mark('formats/messages/legacy_offset_commit_value.ksy', 28, '/seq/3'), value_type=Text()),
        Field('commit_timestamp', 'integer', False, '', 'commitTimestamp', None, None, None, None, False, Mark('formats/messages/legacy_offset_commit_value.ksy', 32, '/seq/4'), value_type=Integer(64, True)),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='offset', kind=Integer(64, True), little_endian=False),
        ReadInteger(name='metadata_length', kind=Integer(16, True), little_endian=False),
        Check(name='metadata_length', rule=Expression('>=', (Expression('name', (), ('metadata_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='metadata', size=Expression('name', (), ('metadata_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='commit_timestamp', kind=Integer(64, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=20,
    steps_count=8,
    is_root=True,
)
PROGRAM = Program('legacy_offset_commit_value', TYPE_legacy_offset_commit_value, {'legacy_offset_commit_value': TYPE_legacy_offset_commit_value}, {})
