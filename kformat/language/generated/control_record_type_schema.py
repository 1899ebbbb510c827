"""The program of formats/control_record_type_schema.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Enum, Field, Program, ReadInteger, TypeProgram
from kformat.language.types import Boolean, EnumType, Integer

MADE_FROM = {'control_record_type_schema': 186193326}
ENUM_control_record_type_schema__control_type = Enum(
    name='control_record_type_schema::control_type',
    members={0: 'abort', 1: 'commit', 2: 'leader_change', 3: 'snapshot_header', 4: 'snapshot_footer', 5: 'kraft_version', 6: 'kraft_voters'},
    original_ids={},
    docs={},
)
TYPE_control_record_type_schema = TypeProgram(
    name='control_record_type_schema',
    digest='bd563f1a2e973b92449c415cd489e8be46375c58f49c84dce56435e45e5dec44',
    doc='Key of a record in a control batch: its type says which message the value is. A newer version is read as this one, and\nbytes may follow.',
    original_id='ControlRecordTypeSchema',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/control_record_type_schema.ksy', 15, '/seq/0'), value_type=Integer(16, True)),
        Field('type', 'integer', False, '', 'Type', ENUM_control_record_type_schema__control_type, None, None, None, False, Mark('formats/messages/control_record_type_schema.ksy', 20, '/seq/1'), value_type=EnumType('control_record_type_schema::control_type')),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadInteger(name='type', kind=Integer(16, True), little_endian=False, enum=ENUM_control_record_type_schema__control_type),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=3,
    is_root=True,
)
PROGRAM = Program('control_record_type_schema', TYPE_control_record_type_schema, {'control_record_type_schema': TYPE_control_record_type_schema}, {'control_record_type_schema::control_type': ENUM_control_record_type_schema__control_type})
