"""The program of formats/end_txn_marker.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadInteger, TypeProgram
from kformat.language.types import Boolean, Integer

MADE_FROM = {'end_txn_marker': 2101690080}
TYPE_end_txn_marker = TypeProgram(
    name='end_txn_marker',
    digest='cb2cc42e6ec1ffa073ff0f9a5bd2a7580fc9716e1ace28581e18870f166e6ada',
    doc='Value of the control records `abort` and `commit`, the last record of a transaction in a partition. Written by the\ntransaction coordinator, since 0.11. A newer version is read as this one, and bytes may follow.',
    original_id='EndTxnMarker',
    fields=(
        Field('version', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/end_txn_marker.ksy', 15, '/seq/0'), value_type=Integer(16, True)),
        Field('coordinator_epoch', 'integer', False, '', 'CoordinatorEpoch', None, None, None, None, False, Mark('formats/messages/end_txn_marker.ksy', 20, '/seq/1'), value_type=Integer(32, True)),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('>=', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadInteger(name='coordinator_epoch', kind=Integer(32, True), little_endian=False),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=6,
    steps_count=3,
    is_root=True,
)
PROGRAM = Program('end_txn_marker', TYPE_end_txn_marker, {'end_txn_marker': TYPE_end_txn_marker}, {})
