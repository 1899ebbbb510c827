"""The program of formats/consumer_group_regular_expression_key.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, TypeProgram
from kformat.language.types import Boolean, Integer, Text

MADE_FROM = {'consumer_group_regular_expression_key': 1113000862}
TYPE_consumer_group_regular_expression_key = TypeProgram(
    name='consumer_group_regular_expression_key',
    digest='23e5131e9640220339879bfe3bd3879208a46b8dd1a0c5450863aad137e8863b',
    doc='Key of a record of `__consumer_offsets`: a regular expression of a subscription, in a group of the consumer protocol\n(KIP-848).',
    original_id='ConsumerGroupRegularExpressionKey',
    fields=(
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 16, Integer(64, True), 16, 16), None, False, Mark('formats/messages/consumer_group_regular_expression_key.ksy', 15, '/seq/0'), value_type=Integer(16, True)),
        Field('group_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_regular_expression_key.ksy', 19, '/seq/1'), value_type=Integer(16, True), hidden=True),
        Field('group_id', 'text', False, '', 'GroupId', None, None, None, None, False, Mark('formats/messages/consumer_group_regular_expression_key.ksy', 24, '/seq/2'), value_type=Text()),
        Field('regular_expression_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/consumer_group_regular_expression_key.ksy', 28, '/seq/3'), value_type=Integer(16, True), hidden=True),
        Field('regular_expression', 'text', False, '', 'RegularExpression', None, None, None, None, False, Mark('formats/messages/consumer_group_regular_expression_key.ksy', 33, '/seq/4'), value_type=Text()),
    ),
    steps=(
        ReadInteger(name='type', kind=Integer(16, True), little_endian=False),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(16, True), -32768, 32767), Expression('constant', (), 16, Integer(64, True), 16, 16)), None, Boolean(), 0, 1), expected='16'),
        ReadInteger(name='group_id_length', kind=Integer(16, True), little_endian=False),
        Check(name='group_id_length', rule=Expression('>=', (Expression('name', (), ('group_id_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='group_id', size=Expression('name', (), ('group_id_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
        ReadInteger(name='regular_expression_length', kind=Integer(16, True), little_endian=False),
        Check(name='regular_expression_length', rule=Expression('>=', (Expression('name', (), ('regular_expression_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='regular_expression', size=Expression('name', (), ('regular_expression_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=8,
    is_root=True,
)
PROGRAM = Program('consumer_group_regular_expression_key', TYPE_consumer_group_regular_expression_key, {'consumer_group_regular_expression_key': TYPE_consumer_group_regular_expression_key}, {})
