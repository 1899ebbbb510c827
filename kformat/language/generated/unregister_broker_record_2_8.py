"""The program of formats/unregister_broker_record_2_8.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadInteger, ReadVarint, TypeProgram
from kformat.language.types import Boolean, Integer

MADE_FROM = {'unregister_broker_record_2_8': 2275886415, 'varint': 752136197}
TYPE_unregister_broker_record_2_8 = TypeProgram(
    name='unregister_broker_record_2_8',
    digest='f5561ddb931ca6cd8ccfa94c915111ad4a90391ea7e397c3dc4506754d20744b',
    doc='Metadata: a broker is gone.',
    original_id='UnregisterBrokerRecord',
    fields=(
        Field('frame_version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/unregister_broker_record_2_8.ksy', 16, '/seq/0'), value_type=Integer(32, False)),
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 1, Integer(64, True), 1, 1), None, False, Mark('formats/messages/unregister_broker_record_2_8.ksy', 21, '/seq/1'), value_type=Integer(32, False)),
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/unregister_broker_record_2_8.ksy', 26, '/seq/2'), value_type=Integer(32, False)),
        Field('broker_id', 'integer', False, '', 'BrokerId', None, None, None, None, False, Mark('formats/messages/unregister_broker_record_2_8.ksy', 31, '/seq/3'), value_type=Integer(32, True)),
        Field('broker_epoch', 'integer', False, '', 'BrokerEpoch', None, None, None, None, False, Mark('formats/messages/unregister_broker_record_2_8.ksy', 34, '/seq/4'), value_type=Integer(64, True)),
    ),
    steps=(
        ReadVarint(name='frame_version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='frame_version', rule=Expression('==', (Expression('name', (), ('frame_version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadVarint(name='type', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(32, False), 0, 4294967295), Expression('constant', (), 1, Integer(64, True), 1, 1)), None, Boolean(), 0, 1), expected='1'),
        ReadVarint(name='version', max_bytes=5, zigzag=False, kind=Integer(32, False)),
        Check(name='version', rule=Expression('<=', (Expression('name', (), ('version',), Integer(32, False), 0, 4294967295), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='<= 0'),
        ReadInteger(name='broker_id', kind=Integer(32, True), little_endian=False),
        ReadInteger(name='broker_epoch', kind=Integer(64, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=15,
    steps_count=8,
    is_root=True,
)
PROGRAM = Program('unregister_broker_record_2_8', TYPE_unregister_broker_record_2_8, {'unregister_broker_record_2_8': TYPE_unregister_broker_record_2_8}, {})
