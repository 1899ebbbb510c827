"""The program of formats/transaction_log_key.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, TypeProgram
from kformat.language.types import Boolean, Integer, Text

MADE_FROM = {'transaction_log_key': 1144025138}
TYPE_transaction_log_key = TypeProgram(
    name='transaction_log_key',
    digest='f3c1558e761d74e3c024581ee9b1343171876d06dfe4015d4a50ae8404516802',
    doc='Key of a record of `__transaction_state`: a transactional id, whose hash code in Java decides which partition has its\nrecords. Coordinators pass over keys of a version that they do not know.',
    original_id='TransactionLogKey',
    fields=(
        Field('type', 'integer', False, '', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/messages/transaction_log_key.ksy', 15, '/seq/0'), value_type=Integer(16, True)),
        Field('transactional_id_length', 'integer', False, '', '', None, None, None, None, True, Mark('formats/messages/transaction_log_key.ksy', 19, '/seq/1'), value_type=Integer(16, True), hidden=True),
        Field('transactional_id', 'text', False, '', 'TransactionalId', None, None, None, None, False, Mark('formats/messages/transaction_log_key.ksy', 24, '/seq/2'), value_type=Text()),
    ),
    steps=(
        ReadInteger(name='type', kind=Integer(16, True), little_endian=False),
        Check(name='type', rule=Expression('==', (Expression('name', (), ('type',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
        ReadInteger(name='transactional_id_length', kind=Integer(16, True), little_endian=False),
        Check(name='transactional_id_length', rule=Expression('>=', (Expression('name', (), ('transactional_id_length',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='>= 0'),
        ReadBytes(name='transactional_id', size=Expression('name', (), ('transactional_id_length',), Integer(16, True), 0, 32767), encoding='UTF-8'),
    ),
    parameters=(),
    row=False,
    row_checks=(),
    bits=(),
    minimum_size=4,
    steps_count=5,
    is_root=True,
)
PROGRAM = Program('transaction_log_key', TYPE_transaction_log_key, {'transaction_log_key': TYPE_transaction_log_key}, {})
