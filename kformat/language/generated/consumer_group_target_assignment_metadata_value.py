"""The program of formats/consumer_group_target_assignment_metadata_value.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Case, Check, Field, Program, ReadBytes, ReadInteger, ReadList, ReadSwitch, ReadType, ReadVarint, TaggedField, TypeProgram, Window
from kformat.language.types import Any, Boolean, Integer, ListOf, Structure

MADE_FROM = {'consumer_group_target_assignment_metadata_value': 44796630, 'varint': 752136197}
TYPE_consumer_group_target_assignment_metadata_value__consumer_group_target_assignment_metadata_value_assignment_timestamp_tag = TypeProgram(
    name='consumer_group_target_assignment_metadata_value::consumer_group_target_assignment_metadata_value_assignment_timestamp_tag',
    digest='345af4a69badf4264e386a01805c589ecd080bb4959b96777746f0e438a12758',
    doc='',
    original_id='',
    fields=(
        Field('assignment_timestamp', 'integer', False, '', 'AssignmentTimestamp', None, None, None, None, False, Mark('formats/messages/consumer_group_target_assignment_metadata_value.ksy', 54, "/types/'consumer_group_target_assignment_metadata_value_assignment_.../seq/0"), value_type=Integer(64, True)),
    ),
    steps=(
        ReadInteger(name='assignment_timestamp', kind=Integer(64, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=8,
    steps_count=1,
)
TYPE_consumer_group_target_assignment_metadata_value__consumer_group_target_assignment_metadata_value_tagged_field = TypeProgram(
    name='consumer_group_target_assignment_metadata_value::consumer_group_target_assignment_metadata_value_tagged_field',
    digest='345af4a69badf4264e386a01805c589ecd080bb4959b96777746f0e438a12758',
    doc='',
    original_id='',
    fields=(
        Field('tag', 'integer', False, '', '', None, None, None, None, False, Mark('formats/messages/consumer_group_target_assignment_metadata_value.ksy', 41, '/types/consumer_group_target_assignment_metadata_value_tagged_field/seq/0'), value_type=Integer(32, False)),
        Field('data_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_target_assignment_metadata_value.ksy', 43, '/types/consumer_group_target_assignment_metadata_value_tagged_field/seq/1'), value_type=Integer(32, False), hidden=True),
        Field('data', 'any', False, '', '', None, None, None, None, False, Mark('formats/messages/consumer_group_target_assignment_metadata_value.ksy', 46, '/types/consumer_group_target_assignment_metadata_value_tagged_field/seq/2'), value_type=Any()),
    ),
    steps=(
        ReadVarint(name='tag', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadVarint(name='data_length', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadSwitch(name='data', on=Expression('name', (), ('tag',), Integer(32, False), 0, 4294967295), cases=(Case(Expression('constant', (), 0, Integer(64, True), 0, 0), (Window(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295), codec=None, steps=(ReadType(name='data', type=TYPE_consumer_group_target_assignment_metadata_value__consumer_group_target_assignment_metadata_value_assignment_timestamp_tag),)),)), Case(None, (ReadBytes(name='data', size=Expression('name', (), ('data_length',), Integer(32, False), 0, 4294967295)),)))),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=2,
    steps_count=7,
)
TYPE_consumer_group_target_assignment_metadata_value__consumer_group_target_assignment_metadata_value_tagged_fields = TypeProgram(
    name='consumer_group_target_assignment_metadata_value::consumer_group_target_assignment_metadata_value_tagged_fields',
    digest='345af4a69badf4264e386a01805c589ecd080bb4959b96777746f0e438a12758',
    doc='',
    original_id='',
    fields=(
        Field('fields_count', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_target_assignment_metadata_value.ksy', 32, "/types/'consumer_group_target_assignment_metadata_value_tagged_fiel.../seq/0"), value_type=Integer(32, False), hidden=True),
        Field('fields', 'list', False, '', '', None, TYPE_consumer_group_target_assignment_metadata_value__consumer_group_target_assignment_metadata_value_tagged_field, None, None, False, Mark('formats/messages/consumer_group_target_assignment_metadata_value.ksy', 35, "/types/'consumer_group_target_assignment_metadata_value_tagged_fiel.../seq/1"), value_type=ListOf(Structure('consumer_group_target_assignment_metadata_value::consumer_group_target_assignment_metadata_value_tagged_field'))),
    ),
    steps=(
        ReadVarint(name='fields_count', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        ReadList(name='fields', element=ReadType(name='fields', type=TYPE_consumer_group_target_assignment_metadata_value__consumer_group_target_assignment_metadata_value_tagged_field), count=Expression('name', (), ('fields_count',), Integer(32, False), 0, 4294967295)),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=1,
    steps_count=10,
)
TYPE_consumer_group_target_assignment_metadata_value = TypeProgram(
    name='consumer_group_target_assignment_metadata_value',
    digest='345af4a69badf4264e386a01805c589ecd080bb4959b96777746f0e438a12758',
    doc='Value of a record of `__consumer_offsets`: the epoch of the target assignment, in a group of the consumer protocol\n(KIP-848).',
    original_id='ConsumerGroupTargetAssignmentMetadataValue',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/consumer_group_target_assignment_metadata_value.ksy', 17, '/seq/0'), value_type=Integer(16, True)),
        Field('assignment_epoch', 'integer', False, '', 'AssignmentEpoch', None, None, None, None, False, Mark('formats/messages/consumer_group_target_assignment_metadata_value.ksy', 23, '/seq/1'), value_type=Integer(32, True)),
        Field('tagged_fields', 'structure', False, '', '', None, TYPE_consumer_group_target_assignment_metadata_value__consumer_group_target_assignment_metadata_value_tagged_fields, None, None, False, Mark('formats/messages/consumer_group_target_assignment_metadata_value.ksy', 26, '/seq/2'), value_type=Structure('consumer_group_target_assignment_metadata_value::consumer_group_target_assignment_metadata_value_tagged_fields'), hidden=True),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='assignment_epoch', kind=Integer(32, True), little_endian=False),
        ReadType(name='tagged_fields', type=TYPE_consumer_group_target_assignment_metadata_value__consumer_group_target_assignment_metadata_value_tagged_fields),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=7,
    steps_count=15,
    is_root=True,
    tagged=(
        TaggedField(Field('assignment_timestamp', 'integer', False, '', 'AssignmentTimestamp', None, None, None, None, False, Mark('formats/messages/consumer_group_target_assignment_metadata_value.ksy', 54, "/types/'consumer_group_target_assignment_metadata_value_assignment_.../seq/0"), value_type=Integer(64, True)), 0, 0, ('tagged_fields', 'fields'), 'tag', 'data', TYPE_consumer_group_target_assignment_metadata_value__consumer_group_target_assignment_metadata_value_assignment_timestamp_tag, since='4.3.1'),
    ),
)
PROGRAM = Program('consumer_group_target_assignment_metadata_value', TYPE_consumer_group_target_assignment_metadata_value, {'consumer_group_target_assignment_metadata_value::consumer_group_target_assignment_metadata_value_assignment_timestamp_tag': TYPE_consumer_group_target_assignment_metadata_value__consumer_group_target_assignment_metadata_value_assignment_timestamp_tag, 'consumer_group_target_assignment_metadata_value::consumer_group_target_assignment_metadata_value_tagged_field': TYPE_consumer_group_target_assignment_metadata_value__consumer_group_target_assignment_metadata_value_tagged_field, 'consumer_group_target_assignment_metadata_value::consumer_group_target_assignment_metadata_value_tagged_fields': TYPE_consumer_group_target_assignment_metadata_value__consumer_group_target_assignment_metadata_value_tagged_fields, 'consumer_group_target_assignment_metadata_value': TYPE_consumer_group_target_assignment_metadata_value}, {})
