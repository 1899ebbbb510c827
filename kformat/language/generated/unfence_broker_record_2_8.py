"""The program of formats/unfence_broker_record_2_8.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadInteger, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Integer

MADE_FROM = {'unfence_broker_record_2_8': 2111579154, 'varint': 752136197}
TYPE_unfence_broker_record_2_8 = TypeProgram(
    name='unfence_broker_record_2_8',
    digest='7af9cbf039e22e28341e09b76606dc20531f168a5b2f324506b45ca70946796b',
    doc='Metadata: a broker is no longer fenced, in one of its epochs.',
    original_id='UnfenceBrokerRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/unfence_broker_record_2_8.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 8, Integer(64, True), 8, 8), None, False, Mark('formats/messages/unfence_broker_record_2_8.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/unfence_broker_record_2_8.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('id', 'integer', False, '', 'Id', None, None, None, None, False, Mark('formats/messages/unfence_broker_record_2_8.ksy', 31, '/seq/3'), value_type=Integer(32, True)),
        Field('epoch', 'integer', False, '', 'Epoch', None, None, None, None, False, Mark('formats/messages/unfence_broker_record_2_8.ksy', 34, '/seq/4'), value_type=Integer(64, True)),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 8, Integer(64, True), 8, 8)), None, Boolean(), 0, 1), expected='8'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='id', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='epoch', kind=Integer(64, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=15,
    steps_count=8,
    is_root=True,
)
PROGRAM = Program('unfence_broker_record_2_8', TYPE_unfence_broker_record_2_8, {'unfence_broker_record_2_8': TYPE_unfence_broker_record_2_8}, {})
