"""The program of formats/transaction_log_key.ksy.

Made by tools.programs (`make generate`); not to be edited.
"""

from __future__ import annotations

from kformat.language.expression import Expression
from kformat.language.mark import Mark
from kformat.language.steps import Check, Field, Program, ReadBytes, ReadInteger, TypeProgram
from kformat.language.types import Boolean, Integer, Text

MADE_FROM = {'transaction_log_key': 1820488319}
TYPE_transaction_log_key = TypeProgram(
    name='transaction_log_key',
    digest='96fa9b3f2c80aa4552570e1db2bd07f6fc30ebaa870d76c1b8501341d91f5a52',
    doc="The key of every record of the topic `__transaction_state`, since 0.11. The record's value is declared in\n`transaction_log_value`; one without a value says that the coordinator has forgotten the id. Coordinators pass over\nkeys of a version that they do not know.",
    original_id='',
    fields=(
        Field('version', 'integer', False, '0 so far.', '', None, None, Expression('constant', (), 0, Integer(64, True), 0, 0), None, False, Mark('formats/transaction_log_key.ksy', 14, '/seq/0'), value_type=Integer(16, True)),
        Field('transactional_id_length', 'integer', False, 'Bytes of `transactional_id`.', '', None, None, None, None, True, Mark('formats/transaction_log_key.ksy', 19, '/seq/1'), value_type=Integer(16, True)),
        Field('transactional_id', 'text', False, 'Name of a transactional producer, set by the client (`transactional.id`). Its Java hash code decides which\npartition of the topic has its records.', 'TransactionalId', None, None, None, None, False, Mark('formats/transaction_log_key.ksy', 24, '/seq/2'), value_type=Text()),
    ),
    steps=(
        ReadInteger(name='version', kind=Integer(16, True), little_endian=False),
        Check(name='version', rule=Expression('==', (Expression('name', (), ('version',), Integer(16, True), -32768, 32767), Expression('constant', (), 0, Integer(64, True), 0, 0)), None, Boolean(), 0, 1), expected='0'),
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
